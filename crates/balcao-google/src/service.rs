//! The calls of the seam, each as one request or a bounded row of pages.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use balcao_app::context::calendar_service::{
    CalendarId, CalendarService, CalendarSummary, ChangeCursor, ChangePage, EventDraft, NextPage, PushChannel,
    PushRequest, ServiceError,
};
use balcao_domain::outside_event::OutsideEvent;
use balcao_domain::{Clock, OrganizationId, Span};
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{CONTENT_LENGTH, IF_MATCH};
use reqwest::{Method, Url};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::addresses::Addresses;
use crate::answer::{busy_times, is_writable, items, readable, summary, text, too_many, too_slow, unreadable};
use crate::credentials::Credentials;
use crate::limits::Limits;
use crate::oauth::OAuth;
use crate::tokens::Tokens;
use crate::transport::Transport;
use crate::verdict::{Effect, Verdict, classify};
use crate::{draft, event};

/// Calendars that one question about busy times may name.
const MOST_BUSY: usize = 50;
/// Events of a page: few enough for its bytes, also where titles are long.
const PAGE: &str = "250";
/// How long a push channel lives, in seconds: the longest that Google allows.
const CHANNEL_LIVES_S: i64 = 604_800;
/// Writes tell no guests. A front desk's messages are the notification.
const SILENT: (&str, &str) = ("sendUpdates", "none");

/// Google Calendar.
#[derive(Debug)]
pub struct GoogleCalendar {
    transport: Transport,
    addresses: Addresses,
    pub(crate) tokens: Tokens,
}

/// What a call of the seam may still take, over all of its requests.
struct Allowance {
    until: Instant,
    /// Whether a request may be sent a second time.
    may_repeat: bool,
}

/// One request.
struct Request<'r> {
    method: Method,
    url: Url,
    body: Option<Value>,
    if_match: Option<&'r str>,
    effect: Effect,
}

impl<'r> Request<'r> {
    fn get(url: Url) -> Self {
        Self { method: Method::GET, url, body: None, if_match: None, effect: Effect::Read }
    }

    fn write(method: Method, url: Url, body: Option<Value>) -> Self {
        Self { method, url, body, if_match: None, effect: Effect::Write }
    }

    fn only_if(self, version: Option<&'r str>) -> Self {
        Self { if_match: version, ..self }
    }
}

impl GoogleCalendar {
    /// Google Calendar at these addresses, for the businesses that `credentials` knows.
    ///
    /// # Errors
    /// TLS or the resolver cannot be set up.
    pub fn new(
        addresses: Addresses,
        limits: Limits,
        credentials: Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, reqwest::Error> {
        let transport = Transport::new(&addresses, limits)?;
        let oauth = OAuth::over(transport.clone(), addresses.clone());
        let tokens = Tokens::new(oauth, addresses.token_url(), credentials, clock);
        Ok(Self { transport, addresses, tokens })
    }

    /// An address of the API. Each segment is escaped. Quotas are counted for each business.
    fn url(&self, organization: OrganizationId, segments: &[&str], pairs: &[(&str, &str)]) -> Url {
        let mut url = self.addresses.api.clone();
        // An `http` address always has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        let user = organization.to_string();
        url.query_pairs_mut().extend_pairs(pairs).append_pair("quotaUser", &user);
        url
    }

    /// Asks for one event of a calendar, as a reading would; gives whether the account may write into the calendar. A service account
    /// lists no calendars, so the list does not say it of each.
    pub(crate) async fn may_write(&self, organization: OrganizationId, calendar: &str) -> Result<bool, ServiceError> {
        let pairs = [("maxResults", "1"), ("fields", "accessRole")];
        let url = self.url(organization, &["calendars", calendar, "events"], &pairs);
        let answer = self.call(organization, Request::get(url), &mut self.allowance()).await?;
        text(&answer, "accessRole").ok_or_else(|| unreadable("`accessRole`"))?;
        Ok(is_writable(&answer))
    }

    fn allowance(&self) -> Allowance {
        Allowance { until: Instant::now() + self.transport.limits.whole, may_repeat: true }
    }

    /// Sends a request, and once more if that is safe: after another access token, or after a pause that fits into the time.
    async fn call(
        &self,
        organization: OrganizationId,
        request: Request<'_>,
        allowed: &mut Allowance,
    ) -> Result<Value, ServiceError> {
        let (until, mut refused) = (allowed.until, None);
        loop {
            let access = self.tokens.access(organization, refused, until).await?;
            let mut sent = self.transport.client.request(request.method.clone(), request.url.clone());
            sent = sent.bearer_auth(access.token.expose_secret());
            sent = match &request.body {
                Some(body) => sent.json(body),
                // Google refuses a POST without a length (411), and the client sends none without a body.
                None if request.method == Method::POST => sent.header(CONTENT_LENGTH, 0),
                None => sent,
            };
            if let Some(version) = request.if_match {
                sent = sent.header(IF_MATCH, version);
            }
            let came = self.transport.send(sent, until).await;
            match classify(came, request.effect, &self.transport.limits) {
                Verdict::Done(value) => return Ok(value),
                Verdict::Failed(error) => return Err(error),
                Verdict::Renew if !allowed.may_repeat => {
                    let reason = "401 also with a fresh access token".to_owned();
                    return Err(ServiceError::Disconnected { cause: access.if_refused, reason });
                }
                Verdict::Renew => refused = Some(access.number),
                Verdict::Again(error) if !allowed.may_repeat => return Err(error),
                Verdict::Again(error) => match self.pause(&error, until) {
                    Some(pause) => tokio::time::sleep_until(pause).await,
                    None => return Err(error),
                },
            }
            allowed.may_repeat = false;
        }
    }

    /// When to send again; `None` if too little time would be left.
    fn pause(&self, error: &ServiceError, until: Instant) -> Option<Instant> {
        let ServiceError::Unavailable { retry_after_ms, .. } = error else { return None };
        let asked = Duration::from_millis(retry_after_ms.unwrap_or_default());
        let at = Instant::now().checked_add(asked.max(self.transport.limits.pause))?;
        (at < until).then_some(at)
    }

    fn event(calendar: &str, value: &Value) -> Result<OutsideEvent, String> {
        event::read(calendar, value).map_err(|unreadable| unreadable.reason)
    }

    /// The event that a write gave back. It was written, so an event that cannot be read is an unknown outcome.
    fn written(calendar: &str, value: &Value) -> Result<OutsideEvent, ServiceError> {
        let unknown = |reason| ServiceError::Unknown { reason: format!("the event cannot be read: {reason}") };
        Self::event(calendar, value).map_err(unknown)
    }
}

fn check_id(id: &str) -> Result<(), ServiceError> {
    if draft::is_event_id(id) {
        return Ok(());
    }
    let reason = format!("invalid event id `{id}`; expected 5 to 1024 letters `a` to `v` and digits");
    Err(ServiceError::Refused { reason })
}

#[async_trait]
impl CalendarService for GoogleCalendar {
    fn name(&self) -> &'static str {
        "google"
    }

    async fn calendars(&self, organization: OrganizationId) -> Result<Vec<CalendarSummary>, ServiceError> {
        let mut allowed = self.allowance();
        let (mut all, mut page) = (Vec::new(), None::<String>);
        for _ in 0..self.transport.limits.pages {
            let mut pairs = vec![
                ("maxResults", "250"),
                ("fields", "nextPageToken,items(id,summary,timeZone,accessRole,dataOwner)"),
            ];
            pairs.extend(page.as_deref().map(|token| ("pageToken", token)));
            let url = self.url(organization, &["users", "me", "calendarList"], &pairs);
            let answer = self.call(organization, Request::get(url), &mut allowed).await?;
            all.extend(items(&answer)?.iter().filter_map(summary));
            page = text(&answer, "nextPageToken").map(str::to_owned);
            if page.is_none() {
                return Ok(all);
            }
        }
        Err(too_many("calendars", self.transport.limits.pages))
    }

    async fn busy(
        &self,
        organization: OrganizationId,
        calendars: &[CalendarId],
        span: Span,
    ) -> Result<BTreeMap<CalendarId, Result<Vec<Span>, String>>, ServiceError> {
        let mut allowed = self.allowance();
        let mut all = BTreeMap::new();
        for some in calendars.chunks(MOST_BUSY) {
            let items: Vec<Value> = some.iter().map(|id| json!({ "id": id })).collect();
            let (from, to) = (span.start.to_string(), span.end.to_string());
            let body = json!({ "timeMin": from, "timeMax": to, "timeZone": "UTC", "items": items });
            let url = self.url(organization, &["freeBusy"], &[]);
            let request = Request { method: Method::POST, url, body: Some(body), if_match: None, effect: Effect::Read };
            let answer = self.call(organization, request, &mut allowed).await?;
            let found = answer.get("calendars").ok_or_else(|| unreadable("`calendars`"))?;
            all.extend(some.iter().map(|id| (id.clone(), busy_times(found.get(id)))));
        }
        Ok(all)
    }

    async fn insert(&self, organization: OrganizationId, draft: &EventDraft) -> Result<OutsideEvent, ServiceError> {
        check_id(&draft.id)?;
        let fields = ("fields", event::FIELDS);
        let url = self.url(organization, &["calendars", &draft.calendar, "events"], &[SILENT, fields]);
        let request = Request::write(Method::POST, url, Some(draft::insertion(draft)));
        let made = self.call(organization, request, &mut self.allowance()).await?;
        Self::written(&draft.calendar, &made)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        calendar: &str,
        event: &str,
    ) -> Result<Option<OutsideEvent>, ServiceError> {
        let url = self.url(organization, &["calendars", calendar, "events", event], &[("fields", event::FIELDS)]);
        match self.call(organization, Request::get(url), &mut self.allowance()).await {
            Ok(found) => {
                let read = Self::event(calendar, &found);
                read.map(Some).map_err(|reason| ServiceError::Unreadable { reason })
            }
            Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn change(
        &self,
        organization: OrganizationId,
        draft: &EventDraft,
        version: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        let pairs = [SILENT, ("fields", event::FIELDS)];
        let url = self.url(organization, &["calendars", &draft.calendar, "events", &draft.id], &pairs);
        let request = Request::write(Method::PATCH, url, Some(draft::changes(draft))).only_if(Some(version));
        let changed = self.call(organization, request, &mut self.allowance()).await?;
        Self::written(&draft.calendar, &changed)
    }

    async fn delete(
        &self,
        organization: OrganizationId,
        calendar: &str,
        event: &str,
        version: Option<&str>,
    ) -> Result<(), ServiceError> {
        let url = self.url(organization, &["calendars", calendar, "events", event], &[SILENT]);
        let request = Request::write(Method::DELETE, url, None).only_if(version);
        self.call(organization, request, &mut self.allowance()).await.map(drop)
    }

    async fn transfer(
        &self,
        organization: OrganizationId,
        event: &str,
        from: &str,
        to: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        let pairs = [("destination", to), SILENT, ("fields", event::FIELDS)];
        let url = self.url(organization, &["calendars", from, "events", event, "move"], &pairs);
        let moved = self.call(organization, Request::write(Method::POST, url, None), &mut self.allowance()).await?;
        Self::written(to, &moved)
    }

    async fn overlapping(
        &self,
        organization: OrganizationId,
        calendar: &str,
        span: Span,
    ) -> Result<Vec<OutsideEvent>, ServiceError> {
        let mut allowed = self.allowance();
        let (from, to) = (span.start.to_string(), span.end.to_string());
        let fields = format!("nextPageToken,items({})", event::FIELDS);
        let (mut all, mut page) = (Vec::new(), None::<String>);
        for _ in 0..self.transport.limits.pages {
            let mut pairs = vec![
                ("timeMin", from.as_str()),
                ("timeMax", &to),
                ("singleEvents", "true"),
                ("orderBy", "startTime"),
                ("maxResults", PAGE),
                ("fields", &fields),
            ];
            pairs.extend(page.as_deref().map(|token| ("pageToken", token)));
            let url = self.url(organization, &["calendars", calendar, "events"], &pairs);
            let answer = match self.call(organization, Request::get(url), &mut allowed).await {
                // The time was enough for some pages, so it is enough for a shorter span.
                Err(ServiceError::Unavailable { .. }) if page.is_some() && Instant::now() >= allowed.until => {
                    return Err(too_slow("events", self.transport.limits.whole));
                }
                answer => answer?,
            };
            all.extend(items(&answer)?.iter().filter_map(|one| readable(calendar, one)));
            page = text(&answer, "nextPageToken").map(str::to_owned);
            if page.is_none() {
                return Ok(all);
            }
        }
        Err(too_many("events", self.transport.limits.pages))
    }

    async fn changes(
        &self,
        organization: OrganizationId,
        calendar: &str,
        cursor: &ChangeCursor,
        page: Option<&str>,
    ) -> Result<ChangePage, ServiceError> {
        let fields = format!("nextPageToken,nextSyncToken,items({})", event::FIELDS);
        let mut pairs = vec![("singleEvents", "true"), ("maxResults", PAGE), ("fields", &fields)];
        let from;
        match cursor {
            ChangeCursor::Everything { since } => {
                from = since.to_string();
                pairs.push(("timeMin", &from));
            }
            ChangeCursor::Since(token) => pairs.push(("syncToken", token)),
        }
        pairs.extend(page.map(|token| ("pageToken", token)));
        let url = self.url(organization, &["calendars", calendar, "events"], &pairs);
        let answer = self.call(organization, Request::get(url), &mut self.allowance()).await?;
        let events = items(&answer)?.iter().map(|one| event::read(calendar, one)).collect();
        let next = match (text(&answer, "nextPageToken"), text(&answer, "nextSyncToken")) {
            (Some(token), _) => NextPage::Page(token.to_owned()),
            (None, Some(token)) => NextPage::Done(token.to_owned()),
            (None, None) => return Err(unreadable("`nextPageToken` or `nextSyncToken`")),
        };
        Ok(ChangePage { events, next })
    }

    async fn watch(
        &self,
        organization: OrganizationId,
        calendar: &str,
        request: &PushRequest,
    ) -> Result<PushChannel, ServiceError> {
        let body = json!({ "id": request.id, "type": "web_hook", "address": request.address, "token": request.token,
            "params": { "ttl": CHANNEL_LIVES_S.to_string() } });
        let url = self.url(organization, &["calendars", calendar, "events", "watch"], &[]);
        let opened =
            self.call(organization, Request::write(Method::POST, url, Some(body)), &mut self.allowance()).await?;
        let resource = text(&opened, "resourceId").map(str::to_owned);
        let resource =
            resource.ok_or_else(|| ServiceError::Unknown { reason: "`resourceId` is missing".to_owned() })?;
        let said = text(&opened, "expiration").and_then(|ms| Timestamp::from_millisecond(ms.parse().ok()?).ok());
        // A channel lives at most as long as it was asked for.
        let longest = self.tokens.now().saturating_add(SignedDuration::from_secs(CHANNEL_LIVES_S));
        let ends_at = said.or(longest.ok()).unwrap_or(Timestamp::MAX);
        Ok(PushChannel { id: request.id.clone(), resource, ends_at })
    }

    async fn stop(&self, organization: OrganizationId, channel: &PushChannel) -> Result<(), ServiceError> {
        let body = json!({ "id": channel.id, "resourceId": channel.resource });
        let url = self.url(organization, &["channels", "stop"], &[]);
        let request = Request::write(Method::POST, url, Some(body));
        match self.call(organization, request, &mut self.allowance()).await {
            Ok(_) | Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
