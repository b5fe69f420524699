//! One endpoint: what it takes and gives, who may call it, and the way of a call through it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use balcao_app::admin::keys::{Caller, EffectKey, Scope, effect_key};
use balcao_app::messaging::files::FileBytes;
use balcao_domain::OrganizationId;
use balcao_tool::validate::Schema;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::method::Method;
use super::{Api, auth, input, refusals, schema};
use crate::download::download;
use crate::problem::Problem;

/// Says that an answer was given before: nothing was done now.
pub(super) const REPLAYED: &str = "idempotency-replayed";

/// Which thing a path names.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathId {
    /// What it is: `conversation`, …
    pub(super) kind: &'static str,
    /// The prefix of its id.
    pub(super) prefix: &'static str,
}

/// What is fixed about an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) scope: Scope,
    /// The name of the operation, unique.
    pub(super) name: &'static str,
    /// The group of the document that it stands in.
    pub(super) group: &'static str,
    /// One line.
    pub(super) summary: &'static str,
    /// What more has to be known.
    pub(super) description: &'static str,
    /// Which thing `{id}` of the path is.
    pub(super) id: Option<PathId>,
    /// The status of success.
    pub(super) success: u16,
    /// Refusals of its own: status and when.
    pub(super) refusals: &'static [(u16, &'static str)],
    /// A body that is right.
    pub(super) body: Option<Value>,
    /// An answer as it may look.
    pub(super) answer: Value,
}

/// Nothing is taken.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What an endpoint did.
pub(super) struct Done<O> {
    value: O,
    /// Whether it had been done before, under the same key.
    repeated: bool,
}

impl<O> Done<O> {
    /// The answer, and whether it had been given before.
    pub(super) fn once(value: O, repeated: bool) -> Self {
        Self { value, repeated }
    }
}

impl<O> From<O> for Done<O> {
    fn from(value: O) -> Self {
        Self { value, repeated: false }
    }
}

/// A call that was let in.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) api: Api,
    pub(super) caller: Caller,
    /// `{id}` of the path.
    path_id: Option<String>,
    /// What makes two calls one.
    pub(super) key: EffectKey,
}

impl Call {
    /// Whose data it is about.
    pub(super) fn organization(&self) -> OrganizationId {
        self.caller.organization
    }

    /// The id in the path.
    ///
    /// # Errors
    /// 404: an invalid id names no record.
    pub(super) fn id<T: FromStr<Err: fmt::Display>>(&self) -> Result<T, Problem> {
        let text = self.path_id.as_deref().unwrap_or_default();
        text.parse().map_err(|error: T::Err| Problem::new(StatusCode::NOT_FOUND, error.to_string()))
    }
}

/// Reads a field of the body that the schema could check in form only.
///
/// # Errors
/// A problem of that field.
pub(super) fn field<T: FromStr<Err: fmt::Display>>(pointer: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| input::bad_field(pointer, text, error.to_string()))
}

/// Reads a parameter of the query, as [`field`].
///
/// # Errors
/// A problem of that parameter.
pub(super) fn parameter<T: FromStr<Err: fmt::Display>>(name: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| input::bad_parameter(name, text, error.to_string()))
}

/// What stands in the body of a call.
#[derive(Debug)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// JSON of this schema.
    Json(Box<Schema>),
    /// A file, as it is, of at most so many bytes.
    File(usize),
}

/// What an endpoint answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// JSON.
    Json,
    /// A file to be saved.
    File,
}

/// A body that was let in.
enum Body {
    Json(Value),
    File(Bytes),
}

type Answering = Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send>>;

/// An endpoint, ready to answer.
pub(super) struct Endpoint {
    pub(super) route: Route,
    /// What stands behind the question mark.
    pub(super) query: Schema,
    /// What stands in the body.
    pub(super) takes: Takes,
    /// What comes back.
    pub(super) gives: Gives,
    /// Adds the schema of body and answer to a document, and gives where they are.
    pub(super) describe: fn(&mut schema::Components) -> (Value, Value),
    run: Box<dyn Fn(Call, Value, Body) -> Answering + Send + Sync>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("route", &self.route).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint that takes a query `Q` and a body `B` ([`Nothing`] for none) and gives an `O`.
    ///
    /// # Errors
    /// A schema that is none: a mistake in this program.
    pub(super) fn new<Q, B, O, F, R>(route: Route, run: F) -> Result<Self, String>
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        B: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema,
        F: Fn(Call, Q, B) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Done<O>, Problem>> + Send + 'static,
    {
        let success = StatusCode::from_u16(route.success).map_err(|error| error.to_string())?;
        let takes = match route.body {
            Some(_) => Takes::Json(Box::new(schema::of_input::<B>()?)),
            None => Takes::Nothing,
        };
        let run = move |call: Call, query: Value, body: Body| -> Answering {
            let run = run.clone();
            Box::pin(async move {
                let done = run(call, input::read(query)?, input::read(body.json())?).await?;
                Ok(shaped(success, &done))
            })
        };
        Ok(Self {
            query: schema::of_input::<Q>()?,
            takes,
            gives: Gives::Json,
            describe: |components| (components.input::<B>(), components.output::<O>()),
            route,
            run: Box::new(run),
        })
    }

    /// An endpoint that takes a file of at most so many bytes, with a query `Q`, and gives an `O`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn upload<Q, O, F, R>(route: Route, largest: usize, run: F) -> Result<Self, String>
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema,
        F: Fn(Call, Q, Bytes) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Done<O>, Problem>> + Send + 'static,
    {
        let success = StatusCode::from_u16(route.success).map_err(|error| error.to_string())?;
        let run = move |call: Call, query: Value, body: Body| -> Answering {
            let run = run.clone();
            Box::pin(async move {
                let done = run(call, input::read(query)?, body.file()).await?;
                Ok(shaped(success, &done))
            })
        };
        Ok(Self {
            query: schema::of_input::<Q>()?,
            takes: Takes::File(largest),
            gives: Gives::Json,
            describe: |components| (Value::Null, components.output::<O>()),
            route,
            run: Box::new(run),
        })
    }

    /// An endpoint that gives a file.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn download<F, R>(route: Route, run: F) -> Result<Self, String>
    where
        F: Fn(Call) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<FileBytes, Problem>> + Send + 'static,
    {
        let run = move |call: Call, _query: Value, _body: Body| -> Answering {
            let run = run.clone();
            Box::pin(async move { Ok(download(run(call).await?)) })
        };
        Ok(Self {
            query: schema::of_input::<Nothing>()?,
            takes: Takes::Nothing,
            gives: Gives::File,
            describe: |_components| (Value::Null, Value::Null),
            route,
            run: Box::new(run),
        })
    }

    /// The largest body, where it is not that of every other.
    pub(super) fn largest_body(&self) -> Option<usize> {
        match self.takes {
            Takes::File(largest) => Some(largest),
            Takes::Nothing | Takes::Json(_) => None,
        }
    }
}

impl Body {
    fn json(self) -> Value {
        match self {
            Self::Json(value) => value,
            Self::File(_) => Value::Null,
        }
    }

    fn file(self) -> Bytes {
        match self {
            Self::File(bytes) => bytes,
            Self::Json(_) => Bytes::new(),
        }
    }

    /// What makes two bodies one.
    fn canonical(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::File(bytes) => {
                Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
            }
        }
    }
}

fn shaped<O: Serialize>(success: StatusCode, done: &Done<O>) -> Response {
    let mut response = (success, axum::Json(&done.value)).into_response();
    if done.repeated {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// The way of a call: who is it, may they, what do they say, what is answered. One line is logged.
pub(super) async fn answer(api: &Api, endpoint: &Arc<Endpoint>, request: Request) -> Response {
    let name = endpoint.route.name;
    match let_through(api, endpoint, request).await {
        Ok(response) => response,
        Err(problem) => {
            tracing::info!(name, status = problem.status().as_u16(), "a call of the API was refused");
            problem.into_response()
        }
    }
}

async fn let_through(api: &Api, endpoint: &Arc<Endpoint>, request: Request) -> Result<Response, Problem> {
    let route = &endpoint.route;
    let caller = auth::caller(api, request.headers(), route.scope).await?;
    if endpoint.gives == Gives::Json {
        input::acceptable(request.headers())?;
    }
    let path_id = route.id.and_then(|_| last_named(route.path, request.uri().path()));
    let query = input::query(&endpoint.query, request.uri())?;
    let name = input::idempotency_key(request.headers(), route.method)?;
    let body = match &endpoint.takes {
        Takes::Json(schema) => Body::Json(input::body(schema, request).await?),
        Takes::File(largest) => Body::File(input::file(*largest, request).await?),
        Takes::Nothing => {
            if !route.method.only_reads() {
                input::nothing(request).await?;
            }
            Body::Json(Value::Object(serde_json::Map::new()))
        }
    };
    // The path as it was called holds the id; the value is canonical, because it was parsed.
    let what = format!("{} {}", route.name, path_id.as_deref().unwrap_or_default());
    let fresh = uuid::Uuid::now_v7().to_string();
    let key = effect_key(&caller, name.as_deref(), &fresh, &what, &canonical(&query, &body.canonical()));
    let call = Call { api: api.clone(), caller, path_id, key };
    let organization = call.organization();
    let response = (endpoint.run)(call, query, body).await?;
    tracing::debug!(name = route.name, %organization, "a call of the API was answered");
    Ok(response)
}

/// The part of a path where its template has `{id}`.
fn last_named(template: &str, path: &str) -> Option<String> {
    let pairs = template.split('/').zip(path.split('/'));
    pairs.filter(|(name, _)| *name == "{id}").map(|(_, part)| part.to_owned()).next()
}

/// What a call says, whatever the order of its fields.
fn canonical(query: &Value, body: &Value) -> String {
    balcao_tool::canonical::text(&serde_json::json!([query, body]))
}

impl From<balcao_app::UseCaseError> for Problem {
    fn from(error: balcao_app::UseCaseError) -> Self {
        refusals::failed(&error)
    }
}
