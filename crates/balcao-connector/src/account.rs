//! A connection bound to an organization's settings: what calls go through.

mod open;
mod pages;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use crate::{
    aside::aside,
    auth::{Credentials, RefreshKeeper},
    clock::Clock,
    command::{Operation, Response},
    connection::{Connection, LimitHeaders},
    error::{CallError, FailureKind, Outcome},
    fan_out,
    held::Held,
    method_override::methods_in_request,
    problem::Problem,
    rate::{Budget, RateLimitReport},
    request::{self, Request},
    response::{self, Answer},
    retry,
    settings::Settings,
    ssrf_guard::Egress,
    strike::Striker,
    template::Scope,
    transport::Transport,
};

/// What a call may not hold.
const TOO_MUCH: &str = "the answers of this call are larger than allowed";
const NOT_IN_TIME: &str = "the answer was not read in time";

/// An organization's access to a service. All calls of it share one budget: keep one for each account, not one for each call.
#[derive(Debug)]
pub struct Account {
    connection: Connection,
    base: Url,
    headers: Vec<(String, String)>,
    settings: Settings,
    transport: Transport,
    credentials: Credentials,
    budget: Mutex<Budget>,
    clock: Arc<dyn Clock>,
    random: AtomicU64,
    /// What finds our secrets, and those that it was made for.
    striker: Mutex<Option<(Vec<SecretString>, Arc<Striker>)>>,
}

/// One call: what it may use and under which key it goes.
#[derive(Clone, Copy)]
struct CallContext<'a> {
    operation: &'a Operation,
    key: Option<&'a str>,
    held: &'a Held,
    /// By the clock's `elapsed`.
    until: Duration,
    /// Whether one answer is the whole result, so that the result is taken from it where it is read.
    is_one_answer: bool,
}

impl CallContext<'_> {
    /// An answer that came and is not what it should be. A write was carried out all the same.
    fn unreadable(&self, kind: FailureKind, detail: impl Into<String>) -> CallError {
        let writes = !self.operation.command.method.is_safe();
        CallError::new(kind, if writes { Outcome::Unknown } else { Outcome::NotDone }, detail)
    }
}

/// What was read of an answer: the whole of it, or the result without our secrets.
type Content = Result<Value, String>;

impl Account {
    /// Binds a connection to settings. `keeper` is told of refresh tokens that were exchanged; `seed` decides the jitter.
    ///
    /// # Errors
    /// Every setting that is missing or of no use.
    pub fn open(
        connection: &Connection,
        settings: Settings,
        egress: &Egress,
        clock: Arc<dyn Clock>,
        keeper: Option<Arc<dyn RefreshKeeper>>,
        seed: u64,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut headers = Vec::new();
        for (name, value) in &connection.headers {
            match settings.open(value, &format!("/headers/{name}")) {
                Ok(value) => headers.push((name.clone(), value)),
                Err(problem) => problems.push(problem),
            }
        }
        let base = open::base(connection, &settings, egress).map_err(|problem| problems.push(problem)).ok();
        let budget = open::budget(connection, &settings).map_err(|problem| problems.push(problem)).ok();
        let credentials =
            Credentials::new(connection.auth.as_ref(), &settings, keeper).map_err(|found| problems.extend(found)).ok();
        let (Some(base), Some(budget), Some(credentials), true) = (base, budget, credentials, problems.is_empty())
        else {
            return Err(problems);
        };
        let connect = Duration::from_millis(connection.connect_timeout_ms);
        let transport = Transport::new(egress, connect, base.scheme() == "http")
            .map_err(|error| vec![Problem::new("", format!("no client: {error}"))])?;
        let (connection, budget, random) = (connection.clone(), Mutex::new(budget), AtomicU64::new(seed));
        let striker = Mutex::default();
        Ok(Self { connection, base, headers, settings, transport, credentials, budget, clock, random, striker })
    }

    /// What [`Account::call`] would send, without sending it. For lists: one request for each entry.
    ///
    /// # Errors
    /// All arguments that make no request.
    pub fn plan(&self, operation: &Operation, arguments: &Map<String, Value>) -> Result<Vec<Request>, CallError> {
        match entries(operation, arguments)? {
            Some(items) => items.iter().map(|item| self.request(operation, arguments, Some(item))).collect(),
            None => Ok(vec![self.request(operation, arguments, None)?]),
        }
    }

    /// Calls the service and gives the result as the command shapes it. `key` is the same at every attempt of one intent.
    ///
    /// # Errors
    /// [`CallError`] says what went wrong, whether it was carried out all the same, and after how long it may go on.
    pub async fn call(
        &self,
        operation: &Operation,
        arguments: &Map<String, Value>,
        key: Option<&str>,
    ) -> Result<Value, CallError> {
        let limit = operation.command.timeout_ms.unwrap_or(self.connection.timeout_ms);
        let until = self.clock.elapsed().saturating_add(Duration::from_millis(limit));
        let held = Held::new(self.connection.max_response_bytes);
        let command = &operation.command;
        let items = entries(operation, arguments)?;
        let is_one_answer = items.is_none() && command.pagination.is_none() && command.response.find.is_none();
        let going = CallContext { operation, key, held: &held, until, is_one_answer };
        let called = match items {
            Some(items) => self.each(going, arguments, items).await,
            None => {
                self.single(going, &self.request(operation, arguments, None)?).await.map(|result| {
                    match &operation.command.response.find {
                        Some(find) => find.among(&result, arguments.get(&find.argument).unwrap_or(&Value::Null)),
                        None => result,
                    }
                })
            }
        };
        // What a service echoes of our secrets goes no further: not to processors, nor to a model, a record or a customer.
        match called {
            Err(mut error) => {
                error.detail = self.striker().await.text(&error.detail);
                tracing::debug!(path = operation.command.path, kind = ?error.kind, status = error.status, "call failed");
                Err(error)
            }
            Ok(result) if is_one_answer => Ok(result),
            Ok(value) => {
                let striker = self.striker().await;
                let left = until.saturating_sub(self.clock.elapsed());
                let struck = striker.value_within(value, left).await;
                struck.ok_or_else(|| going.unreadable(FailureKind::Timeout, NOT_IN_TIME))
            }
        }
    }

    /// What the service sent on its own, without our secrets, as results of calls are; `None`: not within `limit`.
    pub async fn strike_within(&self, value: Value, limit: Duration) -> Option<Value> {
        self.striker().await.value_within(value, limit).await
    }

    /// Finds the secrets that are known now; made anew when a token was renewed.
    async fn striker(&self) -> Arc<Striker> {
        let secrets = self.credentials.secrets().await;
        let mut made = self.striker.lock().unwrap_or_else(PoisonError::into_inner);
        let are_known = |known: &[SecretString]| {
            known.iter().map(ExposeSecret::expose_secret).eq(secrets.iter().map(ExposeSecret::expose_secret))
        };
        match &*made {
            Some((known, striker)) if are_known(known) => Arc::clone(striker),
            Some(_) | None => {
                let striker = Arc::new(self.settings.striker(&secrets));
                *made = Some((secrets, Arc::clone(&striker)));
                striker
            }
        }
    }

    async fn each(
        &self,
        going: CallContext<'_>,
        arguments: &Map<String, Value>,
        items: &[Value],
    ) -> Result<Value, CallError> {
        let parallel = going.operation.command.for_each.as_ref().map_or(1, |each| each.parallel);
        let results = fan_out::each(items.len(), parallel, |index| async move {
            let request = self.request(going.operation, arguments, items.get(index))?;
            // Each entry is an intent of its own.
            let key = going.key.map(|key| format!("{key}-{index}"));
            self.single(CallContext { key: key.as_deref(), ..going }, &request).await
        });
        Ok(fan_out::summary(results.await))
    }

    fn request(
        &self,
        operation: &Operation,
        arguments: &Map<String, Value>,
        item: Option<&Value>,
    ) -> Result<Request, CallError> {
        let scope = Scope { arguments, settings: &self.settings.values, item };
        let mut request = request::build(operation, &self.base, scope).map_err(CallError::arguments)?;
        request.headers.splice(0..0, self.headers.iter().cloned());
        Ok(request)
    }

    async fn single(&self, going: CallContext<'_>, request: &Request) -> Result<Value, CallError> {
        let response = &going.operation.command.response;
        if let Some(pagination) = &going.operation.command.pagination {
            return self.pages(going, pagination, request).await;
        }
        let unreadable = |detail: String| going.unreadable(FailureKind::Unreadable, detail);
        let (answer, content) = self.repeat(going, request).await?;
        if going.is_one_answer {
            return content.map_err(unreadable);
        }
        let result = content.and_then(|value| response::result(response, value)).map_err(unreadable)?;
        going.held.give_bytes(answer.taken);
        if going.held.keep(&result) { Ok(result) } else { Err(unreadable(TOO_MUCH.to_owned())) }
    }

    /// One request, sent again where that may help and cannot do harm.
    async fn repeat(&self, going: CallContext<'_>, request: &Request) -> Result<(Answer, Content), CallError> {
        let mut request = request.clone();
        let header = self.connection.idempotency_header.as_ref().zip(going.key);
        let keyed = header.is_some();
        request.headers.extend(header.map(|(name, key)| (name.clone(), key.to_owned())));
        let repeatable = going.operation.repeatable() || keyed;
        let (mut made, mut renewed, mut lost) = (0_u32, false, false);
        let (mut refused, mut used) = (None, 0);
        loop {
            let mut error = match self.attempt(going, &request, refused.take(), &mut used).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            if error.status == Some(401) && self.credentials.renewable() && !renewed {
                // A refusal was not carried out: asking again with another token is no second time.
                renewed = true;
                refused = Some(used);
                made = 0;
                continue;
            }
            made = made.saturating_add(1);
            // A refusal of a later attempt says nothing of an earlier one that may have been carried out.
            lost |= error.outcome == Outcome::Unknown;
            let left = going.until.saturating_sub(self.clock.elapsed());
            let wait = retry::wait(self.connection.retry, &error, repeatable, made, left, self.next_random());
            let Some(wait) = wait else {
                if lost {
                    error.outcome = Outcome::Unknown;
                }
                return Err(error);
            };
            tracing::debug!(path = going.operation.command.path, kind = ?error.kind, made, ?wait, "asking again");
            self.clock.sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        going: CallContext<'_>,
        request: &Request,
        refused: Option<u64>,
        used: &mut u64,
    ) -> Result<(Answer, Content), CallError> {
        if self.transport.is_trial() && !going.operation.command.method.is_safe() {
            let detail = "a trial run sends nothing that may change something";
            return Err(CallError::new(FailureKind::Forbidden, Outcome::NotDone, detail));
        }
        let command = &going.operation.command;
        if command.method.is_safe() || command.safe {
            let problems = methods_in_request(request);
            if !problems.is_empty() {
                return Err(CallError::arguments(problems));
            }
        }
        let origin = &self.base;
        let left = going.until.saturating_sub(self.clock.elapsed());
        let proof = self.credentials.proof(&self.transport, origin, refused, &*self.clock, left).await?;
        *used = proof.as_ref().map_or(0, |proof| proof.number);
        self.admit(going.until).await?;
        let mut settling = Settling { account: self, told: RateLimitReport::default() };
        let left = going.until.saturating_sub(self.clock.elapsed());
        let allowed = |url: &Url| self.allows(url);
        let redirects = self.connection.redirects;
        let answer = self.transport.send(request, proof.as_ref(), redirects, allowed, going.held, left).await?;
        let default = LimitHeaders::default();
        let headers = self.connection.rate_limit.as_ref().map_or(&default, |limit| &limit.headers);
        let told = answer.budget(headers, self.clock.now());
        settling.told = told;
        drop(settling);
        let (writes, values_left) = (!command.method.is_safe(), going.held.values_left());
        let (taken, now) = (answer.taken, self.clock.now());
        // The token that was sent is among the secrets by now.
        let striker = if going.is_one_answer { Some(self.striker().await) } else { None };
        let (answer, read) = if answer.is_large() {
            let (response, errors) = (command.response.clone(), self.connection.errors.clone());
            let reading = move || {
                let read = answer.read(&response, &errors, writes, values_left, now);
                let content = read.map(|value| content(value, &response, striker.as_deref()));
                (answer, content)
            };
            let left = going.until.saturating_sub(self.clock.elapsed());
            aside(left, reading).await.ok_or_else(|| {
                going.held.give_bytes(taken);
                going.unreadable(FailureKind::Timeout, NOT_IN_TIME)
            })?
        } else {
            let read = answer.read(&command.response, &self.connection.errors, writes, values_left, now);
            (answer, read.map(|value| content(value, &command.response, striker.as_deref())))
        };
        if read.is_err() {
            going.held.give_bytes(answer.taken);
        }
        let content = read.map_err(|error| match told.refused {
            Some(wait) => CallError { retry_after: wait.or(told.reset), ..error },
            None => error,
        })?;
        Ok((answer, content))
    }

    /// Waits for the budget, if that is not too long.
    async fn admit(&self, until: Duration) -> Result<(), CallError> {
        loop {
            let now = self.clock.elapsed();
            let Err(wait) = self.budget().admit(now) else { return Ok(()) };
            if now.saturating_add(wait) >= until {
                let error =
                    CallError::new(FailureKind::RateLimited, Outcome::NotDone, "the account's budget is used up");
                return Err(CallError { retry_after: Some(wait), ..error });
            }
            self.clock.sleep(wait).await;
        }
    }

    /// Whether a redirect may be followed there.
    fn allows(&self, url: &Url) -> bool {
        let listed = url.host_str().is_some_and(|host| self.connection.hosts.iter().any(|known| known == host));
        without_credentials(url)
            && (url.origin() == self.base.origin()
                || (listed && url.scheme() == self.base.scheme() && url.port().is_none()))
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014): jitter needs no better.
    fn next_random(&self) -> u64 {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.random.fetch_add(GAMMA, Ordering::Relaxed).wrapping_add(GAMMA);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The value that was read, or with a striker the result in it without our secrets.
fn content(value: Value, response: &Response, striker: Option<&Striker>) -> Content {
    let Some(striker) = striker else { return Ok(value) };
    let mut result = response::result(response, value)?;
    striker.value(&mut result);
    Ok(result)
}

/// Gives a request back to the budget, also where the call is dropped while it is under way.
struct Settling<'a> {
    account: &'a Account,
    told: RateLimitReport,
}

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        let now = self.account.clock.elapsed();
        self.account.budget().settle(self.told, now);
    }
}

/// An address with a name or a password in it would have them sent, in place of the account's own.
fn without_credentials(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

fn unreadable(detail: &str) -> CallError {
    CallError::new(FailureKind::Unreadable, Outcome::NotDone, detail)
}

/// The list that a command goes through, if it does.
fn entries<'a>(operation: &Operation, arguments: &'a Map<String, Value>) -> Result<Option<&'a [Value]>, CallError> {
    let Some(each) = &operation.command.for_each else { return Ok(None) };
    let at = format!("/{}", each.argument);
    let wrong = |message: String| CallError::arguments(vec![Problem::new(at.clone(), message)]);
    let items = arguments
        .get(&each.argument)
        .and_then(Value::as_array)
        .ok_or_else(|| wrong("a list is expected".to_owned()))?;
    if items.len() > each.at_most {
        return Err(wrong(format!("{} entries; at most {} at once", items.len(), each.at_most)));
    }
    Ok(Some(items))
}
