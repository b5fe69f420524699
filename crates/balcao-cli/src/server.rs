//! The server: what runs side by side, and how it comes to an end.

use std::{sync::Arc, time::Duration};

use axum::Router;
use balcao_app::{
    AppContext,
    admin::backlog::BacklogMonitor,
    admin::pack_deliveries::PackDeliveries,
    admin::retention::Retention,
    admin::webhooks::Webhooks,
    messaging::attachments::{AttachmentSettings, Attachments},
    messaging::channel_health::ChannelHealth,
    messaging::inbox::{Account, Inbox, calls::Calls},
    messaging::outbound::send_policy::SendPolicy,
    messaging::outbound::sender::{Sender, SenderSettings},
    messaging::turn_completion::CompletionNotifier,
    messaging::typing_indicator::TypingIndicator,
    messaging::web_chat::{ACCOUNT, ChatMailbox, Hub, WebChats},
    scheduling::calendar_channels::CalendarChannels,
    scheduling::calendar_work::{CalendarWork, PushSettings},
    timers::Timers,
    turns::TurnRunner,
    turns::dispatcher::{Dispatcher, DispatcherSettings},
    turns::watchdog::Watchdog,
};
use balcao_channel::{
    AccountId, Channel,
    channels::{web::WebChat, whatsapp::WhatsApp},
};
use balcao_domain::OrganizationId;
use balcao_llm::transcribe::Transcriber;
use balcao_store::Wakeup;
use balcao_web::{Api, EvolutionWebhook, Limits, PackWebhooks, Web, chat::ChatServer, router_with};
use ipnet::IpNet;
use tokio::{net::TcpListener, sync::Notify};
use tokio_util::sync::CancellationToken;

use crate::{
    config::{ChatSettings, Config, EvolutionAccount, WhatsAppAccount},
    open_files,
    output::{Failure, error_chain, print_error},
    packs::{Current, health::ServerHealth, reload::Reload},
    supervisor::{self, StopSignals, Supervisor},
    telemetry::Measured,
};

/// So long what was written last is still taken up to be sent; what is being sent then comes to its end.
const LAST_SEND: Duration = Duration::from_secs(10);
/// What one program does of the server's work. Any number of each may run over one PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// Receives messages, and answers the API and the web chat.
    Api,
    /// Runs turns and sends messages; over HTTP it answers only `/healthz` and `/readyz`.
    Worker,
    /// Both.
    All,
}

impl Role {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::All => "all",
        }
    }
}

/// The business that is served.
pub(crate) struct ServedBusiness {
    pub(crate) id: OrganizationId,
    /// Its name, as customers read it.
    pub(crate) name: String,
}

/// How messages come in and go out.
pub(crate) struct ChannelAccounts {
    pub(crate) whatsapp: Option<WhatsAppAccount>,
    /// The unofficial gateway.
    pub(crate) evolution: Option<EvolutionAccount>,
    pub(crate) chat: Option<ChatSettings>,
    /// Who writes customers' sound down.
    pub(crate) transcriber: Option<Arc<dyn Transcriber>>,
}

/// Everything that runs.
pub(crate) struct Server {
    app: AppContext,
    role: Role,
    /// Wake-ups for the dispatcher and for the sender.
    wakeups: (Arc<Notify>, Arc<Notify>),
    web: Web,
    limits: Limits,
    /// Networks of the proxies before it.
    proxies: Vec<IpNet>,
    dispatcher: Dispatcher,
    sender: Sender,
    /// Fetches customers' files.
    attachments: Attachments,
    /// Fires what is due.
    timers: Timers,
    /// Pushes appointments into external calendars, and reads those.
    calendars: CalendarWork,
    watchdog: Watchdog,
    /// Deletes what was kept long enough.
    retention: Retention,
    health: ChannelHealth,
    /// The web chat, if there is one.
    chats: Option<WebChats>,
    /// What is answered besides.
    more: Router,
    /// Tells others what happens.
    told: Option<Webhooks>,
    /// What services of packs tell of, and how it is read.
    packs: (PackDeliveries, Current),
    /// The port at which it answers to this machine's own names alone.
    only_here: Option<u16>,
    /// Looks for packs that changed.
    reload: Option<Reload>,
    /// Where Prometheus reads.
    measured: Option<Measured>,
    /// Nothing more is taken in.
    stop: CancellationToken,
}

impl Server {
    pub(crate) fn new(
        app: AppContext,
        shop: ServedBusiness,
        config: &Config,
        front: Arc<TurnRunner>,
        doors: ChannelAccounts,
    ) -> Result<Self, Failure> {
        let (server, stop) = (&config.server, CancellationToken::new());
        let (wake, outgoing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let mut accounts = Vec::new();
        let mut channels: Vec<Arc<dyn Channel>> = Vec::new();
        let mut webhook = None;
        let (mut terms, mut on_whatsapp) = (SendPolicy::default(), String::new());
        if let Some(WhatsAppAccount { account, business, webhook: hook, terms: own }) = doors.whatsapp {
            let name = account.account.as_str().to_owned();
            (terms, on_whatsapp) = (own, name.clone());
            accounts.push(Account { channel: "whatsapp".to_owned(), account: name, business, organization: shop.id });
            channels.push(Arc::new(WhatsApp::new(account).map_err(|error| Failure::usage(error_chain(&error)))?));
            webhook = Some(hook);
        }
        let mut gateway = None;
        if let Some(EvolutionAccount { channel, key }) = doors.evolution {
            let (kind, name) = (channel.kind().to_owned(), channel.account().as_str().to_owned());
            accounts.push(Account { channel: kind, account: name, business: None, organization: shop.id });
            channels.push(Arc::new(channel));
            gateway = Some(key);
        }
        let hub = Hub::default();
        if doors.chat.is_some() {
            accounts.push(WebChats::account(shop.id));
            let mailbox = ChatMailbox::new(app.clone(), hub.clone(), shop.id);
            channels.push(Arc::new(WebChat::new(AccountId::new(ACCOUNT), Arc::new(mailbox))));
        }
        if channels.is_empty() {
            print_error(
                "no channel is configured (set whatsapp.account, evolution.instance, or chat.enabled): only the API is answered",
            );
        }
        if let Some(email) = config.email.read().map_err(Failure::usage)? {
            channels.push(Arc::new(email));
        }
        let fetch = Arc::new(Notify::new());
        let inbox = Inbox::new(app.clone(), accounts, server.burst(), Arc::clone(&wake))
            .with_files(Arc::clone(&fetch), Duration::from_secs(server.file_wait_s))
            .with_rates(terms.rates);
        let settings = AttachmentSettings {
            burst: server.burst(),
            longest_sound: Duration::from_secs(config.transcription.max_seconds),
            budgets: config.file_budgets(),
            strangers: config.chat.strangers().map_err(Failure::usage)?,
            transcription_micro_usd_minute: config.transcription.micro_usd_minute().map_err(Failure::usage)?,
            ..AttachmentSettings::default()
        };
        let presence = TypingIndicator::new(channels.clone());
        let health = ChannelHealth::new(app.clone(), shop.id, channels.clone());
        let (all, turn_due) = (channels.clone(), Arc::clone(&wake));
        let attachments = Attachments::new(app.clone(), all, doors.transcriber, settings, fetch, turn_due);
        let (mut chats, mut pages, mut more) = (None, None, Router::new());
        if let Some(ChatSettings { tokens, origins, limits }) = doors.chat {
            let chat = WebChats::new(app.clone(), inbox.clone(), hub.clone(), shop.id);
            let chat = chat.with_file_budgets(config.file_budgets());
            let served = ChatServer::new(chat.clone(), shop.name, tokens, origins, limits, stop.clone());
            (chats, pages) = (Some(chat), Some(served));
        }
        if let Some(key) = gateway {
            more = more.merge(balcao_web::evolution_router(EvolutionWebhook { inbox: inbox.clone(), key }));
        }
        more = more.merge(balcao_web::calendar_router(CalendarChannels::new(app.clone())));
        let owner = format!("{}/{}", std::process::id(), uuid::Uuid::now_v7());
        let settings = DispatcherSettings {
            lease: Duration::from_secs(server.lease_s),
            max_concurrent_turns: server.max_concurrent_turns,
            burst: server.burst(),
            drain: Duration::from_secs(server.drain_s),
            ..DispatcherSettings::new(config.agents.profile.clone(), owner)
        };
        let completion = CompletionNotifier::default();
        let api = Api::new(app.clone(), Calls::new(app.clone(), Arc::clone(&wake), completion.clone()));
        let api = api.map_err(Failure::operation)?.with_policies(config.whatsapp.policies().map_err(Failure::usage)?);
        let wakeups = (Arc::clone(&wake), Arc::clone(&outgoing));
        let timed = server.timers().map_err(Failure::usage)?;
        let (all, told) = (channels.clone(), Arc::clone(&outgoing));
        let profile = config.agents.profile.clone();
        let timers = Timers::new(Arc::clone(&front), profile, all, terms.clone(), timed, told);
        let calendars = CalendarWork::new(app.clone()).with_push(calendar_push(server.public_url.as_deref()));
        let dispatcher = Dispatcher::new(front, settings, wake, Arc::clone(&outgoing));
        let dispatcher =
            dispatcher.with_completion_notifier(completion).with_typing_indicator(presence).with_draft_pages(hub);
        let (lease, settle) = (Duration::from_secs(server.lease_s), Duration::from_secs(server.settle_s));
        let settings = SenderSettings { lease, settle, ..SenderSettings::default() };
        let sender = Sender::new(app.clone(), channels, settings, outgoing);
        let sender = sender.with_terms("whatsapp", &on_whatsapp, terms);
        let limits = Limits {
            drain: Duration::from_secs(server.drain_s),
            connections: open_files::connections(server.max_connections),
            webhooks: usize::try_from(server.max_webhooks).unwrap_or(usize::MAX),
            waiting: server.max_waiting,
            memory: (server.memory_mib > 0).then(|| u64::from(server.memory_mib) << 20),
            ..Limits::default()
        };
        let watch = BacklogMonitor::default().with_least_free(server.least_free_disk_percent);
        let watchdog = Watchdog::new(app.clone(), dispatcher.clone(), watch.clone());
        let web = Web::new(app.clone(), inbox, webhook, stop.clone()).with_api(&api);
        let proxies = server.trusted_proxies.clone();
        let web = web.watched(watch, proxies.clone());
        let web = if let Some(served) = pages { web.with_chat(served) } else { web };
        let retention = Retention::new(app.clone(), shop.id, config.retention.periods());
        let (told, measured) = (None, None);
        let packs = (PackDeliveries::new(app.clone(), shop.id, server.burst()), Current::default());
        Ok(Self {
            app,
            role: Role::All,
            wakeups,
            web,
            limits,
            proxies,
            dispatcher,
            sender,
            attachments,
            timers,
            calendars,
            watchdog,
            retention,
            health,
            chats,
            more,
            told,
            packs,
            only_here: None,
            reload: None,
            measured,
            stop,
        })
    }

    /// The same, doing only a part of the work.
    pub(crate) fn in_role(self, role: Role) -> Self {
        let web = match role {
            Role::Worker => self.web.only_health(),
            Role::Api | Role::All => self.web,
        };
        let more = if role == Role::Worker { Router::new() } else { self.more };
        let watchdog = if role == Role::Api { self.watchdog.only_watching() } else { self.watchdog };
        Self { role, web: web.in_role(role.as_str()), more, watchdog, ..self }
    }

    /// The same, telling endpoints outside what happens, if there are any, and keeping figures where they are read.
    pub(crate) fn telling(self, told: Option<Webhooks>, measured: Option<Measured>) -> Self {
        Self { told, measured, ..self }
    }

    /// The same, with packs of the operator's own, whose services may post to it.
    pub(crate) fn with_packs(mut self, current: Current, reload: Reload) -> Self {
        let deliveries = self.packs.0.clone();
        let hooks = PackWebhooks { deliveries: deliveries.clone(), signed: Arc::new(current.clone()) };
        if self.role != Role::Worker {
            self.more = self.more.merge(balcao_web::packs_router(hooks));
        }
        Self { packs: (deliveries, current), reload: Some(reload), ..self }
    }

    /// The same, answering more about its web chat, if it has one; what lasts in it must end once the token is cancelled.
    pub(crate) fn also(mut self, more: impl FnOnce(WebChats, CancellationToken) -> Router) -> Self {
        if let Some(chats) = self.chats.clone() {
            self.more = self.more.merge(more(chats, self.stop.clone()));
        }
        self
    }

    /// The same, answering to this machine's own names alone, at this port.
    pub(crate) fn only_here(self, port: u16) -> Self {
        Self { only_here: Some(port), ..self }
    }

    /// Runs until `stopped`.
    ///
    /// # Errors
    /// A part of it ended before it was told to, or panicked: nothing says that it would go on by itself.
    pub(crate) async fn run(self, listener: TcpListener, stopped: impl Future<Output = u8>) -> Result<(), Failure> {
        let Self {
            app,
            role,
            wakeups: (wake, outgoing),
            web,
            limits,
            proxies,
            dispatcher,
            sender,
            attachments,
            timers,
            calendars,
            watchdog,
            retention,
            health,
            chats: _,
            more,
            told,
            packs: (deliveries, packs),
            only_here,
            reload,
            measured,
            stop,
        } = self;
        // Until the end: other programs over the database say when there is something to do.
        let _listener = if role == Role::Api {
            None
        } else {
            app.store.listen(move |hint| match hint {
                Wakeup::Turn => wake.notify_one(),
                Wakeup::Outbox => outgoing.notify_one(),
            })
        };
        let sent = CancellationToken::new();
        let (end, fetching, waiting, sending) = (stop.clone(), stop.clone(), stop.clone(), sent.clone());
        let (mut work, mut last) = (Supervisor::default(), Supervisor::default());
        let router = router_with(web, &limits, more);
        let router = match only_here {
            Some(port) => balcao_web::pages::demo::only_here(router, port),
            None => router,
        };
        let served = balcao_web::serve_behind(proxies, listener, router, limits, stop.clone());
        work.spawn("the HTTP server", served);
        let watching = stop.clone();
        work.spawn("the watchdog", async move { watchdog.run(watching).await });
        if let Some(Measured { listener, router, upkeep }) = measured {
            work.spawn("the server of metrics", balcao_web::serve(listener, router, limits, stop.clone()));
            let until = stop.clone();
            work.spawn("the upkeep of metrics", async move {
                until.run_until_cancelled(upkeep).await.unwrap_or_default();
            });
        }
        if let Some(reload) = reload {
            let until = stop.clone();
            work.spawn("the look at packs", async move { reload.run(until).await });
        }
        if role != Role::Api {
            work.spawn("the dispatcher", async move { dispatcher.run(end).await });
            work.spawn("the fetcher of files", async move { attachments.run(fetching).await });
            work.spawn("the timers", async move { timers.run(waiting).await });
            let until = stop.clone();
            work.spawn("external calendars", async move { calendars.run(until).await });
            let until = stop.clone();
            work.spawn("retention", async move { retention.run(until).await });
            let until = stop.clone();
            work.spawn("the look at channels", async move { health.run(until).await });
            let (until, servers) = (stop.clone(), ServerHealth::of(packs.clone()));
            work.spawn("the look at servers of packs", async move { servers.run(until).await });
            let until = stop.clone();
            let (commands, known) = (deliveries.commands(), packs.clone());
            work.spawn("the commands of deliveries", async move { commands.run(&known, until).await });
            let until = stop.clone();
            work.spawn("the deliveries of packs", async move { deliveries.run(&packs, until).await });
            if let Some(told) = told {
                let until = stop.clone();
                work.spawn("outgoing webhooks", async move { told.run(until).await });
            }
            last.spawn("the sender", send(sender, sending));
        }
        supervisor::run(work, last, StopSignals { work: stop, last: sent }, async {
            stopped.await;
        })
        .await
    }
}

/// Sends until it is told to stop, and then what was written last.
async fn send(sender: Sender, stop: CancellationToken) {
    sender.run(stop).await;
    let enough = CancellationToken::new();
    let rest = sender.work_off_until(&enough);
    tokio::pin!(rest);
    let rest = tokio::select! {
        rest = &mut rest => rest,
        () = tokio::time::sleep(LAST_SEND) => {
            enough.cancel();
            rest.await
        }
    };
    if enough.is_cancelled() || rest.is_err() {
        tracing::warn!("some messages are left to be sent at the next start");
    }
}

/// Where a calendar service calls: below the public address, if that is an `https` one. Without it calendars are read at their turn.
fn calendar_push(public_url: Option<&str>) -> Option<PushSettings> {
    let url = public_url.filter(|url| url.starts_with("https://"))?;
    let random = || {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random).ok().map(|()| random)
    };
    Some(PushSettings { address: format!("{}/hooks/google-calendar", url.trim_end_matches('/')), random })
}
