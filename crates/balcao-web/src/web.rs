//! What the handlers of the server share.

use std::sync::Arc;

use axum::Router;
use balcao_app::AppContext;
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::messaging::inbox::Inbox;
use balcao_channel::channels::whatsapp::signature::AppSecrets;
use ipnet::IpNet;
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

use crate::chat::ChatServer;
use crate::readiness::LastLook;

/// What the webhook of WhatsApp needs.
#[derive(Debug, Clone)]
pub struct WhatsAppWebhook {
    /// The app secrets that bodies are signed with.
    pub secrets: AppSecrets,
    /// The word that Meta shows when it checks the address.
    pub verify_token: SecretString,
}

/// What the handlers need. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Web(Arc<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    app: AppContext,
    inbox: Inbox,
    whatsapp: Option<WhatsAppWebhook>,
    api: Router<Web>,
    chat: Option<ChatServer>,
    watch: BacklogMonitor,
    trusted: Vec<IpNet>,
    stop: CancellationToken,
    role: &'static str,
    readiness: Arc<LastLook>,
}

impl Web {
    /// The handlers over the application context and its inbox. Without `whatsapp` that webhook does not exist. Once `stop` is cancelled the
    /// server says that it is not ready.
    #[must_use]
    pub fn new(app: AppContext, inbox: Inbox, whatsapp: Option<WhatsAppWebhook>, stop: CancellationToken) -> Self {
        Self(Arc::new(Parts {
            app,
            inbox,
            whatsapp,
            api: Router::new(),
            chat: None,
            watch: BacklogMonitor::default(),
            trusted: Vec::new(),
            stop,
            role: "all",
            readiness: Arc::default(),
        }))
    }

    /// These handlers, of which only the health endpoints answer.
    #[must_use]
    pub fn only_health(self) -> Self {
        Self(Arc::new(Parts { api: Router::new(), chat: None, whatsapp: None, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// These handlers in a process that does only a part of the server's work.
    #[must_use]
    pub fn in_role(self, role: &'static str) -> Self {
        Self(Arc::new(Parts { role, ..Arc::unwrap_or_clone(self.0) }))
    }

    pub(crate) fn role(&self) -> &'static str {
        self.0.role
    }

    /// These handlers with further paths.
    pub(crate) fn with_routes(self, api: Router<Self>) -> Self {
        Self(Arc::new(Parts { api, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// These handlers with the web chat under `/chat`. Its pages may read every answer, those of limits included.
    #[must_use]
    pub fn with_chat(self, chat: ChatServer) -> Self {
        Self(Arc::new(Parts { chat: Some(chat), ..Arc::unwrap_or_clone(self.0) }))
    }

    /// The same, where readiness tells and floods are measured by what `watch` saw last, and what proxies of these networks
    /// say of where a request comes from is believed.
    #[must_use]
    pub fn watched(self, watch: BacklogMonitor, trusted: Vec<IpNet>) -> Self {
        Self(Arc::new(Parts { watch, trusted, ..Arc::unwrap_or_clone(self.0) }))
    }

    pub(crate) fn watch(&self) -> &BacklogMonitor {
        &self.0.watch
    }

    pub(crate) fn app(&self) -> &AppContext {
        &self.0.app
    }

    pub(crate) fn inbox(&self) -> &Inbox {
        &self.0.inbox
    }

    pub(crate) fn whatsapp(&self) -> Option<&WhatsAppWebhook> {
        self.0.whatsapp.as_ref()
    }

    pub(crate) fn routes(&self) -> Router<Self> {
        self.0.api.clone()
    }

    pub(crate) fn chat(&self) -> Option<ChatServer> {
        self.0.chat.clone()
    }

    /// The networks of proxies that are believed.
    pub(crate) fn trusted(&self) -> Vec<IpNet> {
        self.0.trusted.clone()
    }

    pub(crate) fn readiness(&self) -> &LastLook {
        &self.0.readiness
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.stop.is_cancelled()
    }
}
