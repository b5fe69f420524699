//! The HTTP API under `/v1`.
//!
//! Each endpoint is one [`Endpoint`]: method, path, scope, the types of its input and output, and the function that answers. The router,
//! the checks of the input and the OpenAPI document are all made of it, so they cannot contradict each other. The input is checked against
//! the same schema that the document shows. The function of an endpoint calls one use case and shapes the answer.
//!
//! Every call except that for the document carries a key ([`auth`]). A key belongs to one organization, and opens only the data of this
//! organization: the ids of another one do not exist for it.

mod appointments;
mod attachments;
mod auth;
mod business;
mod calendar_conflicts;
mod calendars;
mod catalog;
mod contacts;
mod conversations;
mod cursor;
mod endpoint;
mod input;
mod method;
mod openapi;
mod outbox;
mod refusals;
mod schema;
mod subscriptions;
mod turns;
mod versions;
mod visits;
mod ways_out;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::on;
use balcao_app::AppContext;
use balcao_app::admin::keys::ApiKeys;
use balcao_app::messaging::inbox::calls::Calls;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use serde_json::Value;

use endpoint::Endpoint;

/// Where the document is.
const DOCUMENT: &str = "/v1/openapi.json";

/// What the API needs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Api(Arc<Parts>, AccountPolicies);

#[derive(Debug)]
struct Parts {
    app: AppContext,
    keys: ApiKeys,
    calls: Calls,
    turn_wait: Duration,
    endpoints: Vec<Arc<Endpoint>>,
    document: Value,
}

impl Api {
    /// The API over the application context; `calls` takes in what programs write.
    ///
    /// # Errors
    /// A schema of ours that is none: a mistake in this program.
    pub fn new(app: AppContext, calls: Calls) -> Result<Self, String> {
        Self::waiting(app, calls, Duration::from_secs(140))
    }

    /// This API with another limit for the wait for a turn.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn waiting(app: AppContext, calls: Calls, turn_wait: Duration) -> Result<Self, String> {
        let endpoints = endpoints()?;
        let document = openapi::document(&endpoints);
        let keys = ApiKeys::new(app.clone());
        let endpoints = endpoints.into_iter().map(Arc::new).collect();
        Ok(Self(Arc::new(Parts { app, keys, calls, turn_wait, endpoints, document }), AccountPolicies::default()))
    }

    /// Returns the API with the policies on which messages leave.
    #[must_use]
    pub fn with_policies(self, policies: AccountPolicies) -> Self {
        Self(self.0, policies)
    }

    /// The routes. Limits, time-outs and headers are the server's.
    pub(crate) fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let whole = Bytes::from(self.0.document.to_string());
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let document = move || std::future::ready((kind.clone(), whole.clone()).into_response());
        let mut router = Router::new().route(DOCUMENT, axum::routing::get(document));
        for endpoint in &self.0.endpoints {
            let (path, method) = (endpoint.route.path, endpoint.route.method.filter());
            let (endpoint, largest) = (Arc::clone(endpoint), endpoint.largest_body());
            let answer = move |State(api): State<Self>, request: Request| {
                let endpoint = Arc::clone(&endpoint);
                async move { endpoint::answer(&api, &endpoint, request).await }
            };
            let mut one = on(method, answer);
            if let Some(largest) = largest {
                // The innermost limit is the one that counts.
                one = one.layer(DefaultBodyLimit::max(largest));
            }
            router = router.route(path, one);
        }
        router.with_state(self.clone())
    }

    /// The OpenAPI document.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.0.document
    }

    fn app(&self) -> AppContext {
        self.0.app.clone()
    }

    fn policies(&self) -> AccountPolicies {
        self.1.clone()
    }

    fn keys(&self) -> &ApiKeys {
        &self.0.keys
    }

    fn calls(&self) -> &Calls {
        &self.0.calls
    }

    fn turn_wait(&self) -> Duration {
        self.0.turn_wait
    }
}

/// Every endpoint, in the order of the document.
fn endpoints() -> Result<Vec<Endpoint>, String> {
    let groups = [
        turns::endpoints()?,
        conversations::endpoints()?,
        attachments::endpoints()?,
        contacts::endpoints()?,
        appointments::endpoints()?,
        visits::endpoints()?,
        ways_out::endpoints()?,
        calendars::endpoints()?,
        calendar_conflicts::endpoints()?,
        subscriptions::endpoints()?,
        business::endpoints()?,
        versions::endpoints()?,
        catalog::endpoints()?,
        outbox::endpoints()?,
    ];
    Ok(groups.into_iter().flatten().collect())
}
