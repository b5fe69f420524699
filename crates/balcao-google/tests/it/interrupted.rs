//! A client whose program ends, or waits, before or after one of its calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use balcao_app::context::calendar_service::{
    CalendarId, CalendarService, CalendarSummary, ChangeCursor, ChangePage, EventDraft, PushChannel, PushRequest,
    ServiceError,
};
use balcao_domain::outside_event::OutsideEvent;
use balcao_domain::{OrganizationId, Span};
use balcao_google::GoogleCalendar;
use tokio::sync::Notify;

/// On which side of a call the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The request was not sent.
    Before,
    /// The answer was read, and nothing was recorded.
    After,
}

/// What a person does outside at the same time.
struct Deed(Box<dyn FnOnce() + Send>);

impl fmt::Debug for Deed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Deed")
    }
}

/// At which call the program ends, and whether it did.
#[derive(Debug, Default)]
pub(crate) struct CallPlan {
    pub(crate) end: Option<(usize, Side)>,
    /// Before which call a person does something outside.
    meanwhile: Mutex<Option<(usize, Deed)>>,
    made: AtomicUsize,
    ended: Notify,
    resumed: Notify,
}

impl CallPlan {
    pub(crate) fn new(end: Option<(usize, Side)>) -> Arc<Self> {
        Arc::new(Self { end, ..Self::default() })
    }

    /// Before a call, a person does something outside.
    pub(crate) fn before(&self, call: usize, deed: impl FnOnce() + Send + 'static) {
        *self.meanwhile.lock().unwrap() = Some((call, Deed(Box::new(deed))));
    }

    /// Does it now, if it was not done yet.
    pub(crate) fn do_meanwhile(&self) {
        let deed = self.meanwhile.lock().unwrap().take();
        if let Some((_, Deed(deed))) = deed {
            deed();
        }
    }

    /// Calls so far.
    pub(crate) fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }

    /// Waits for the call at which the program ends.
    pub(crate) async fn program_ended(&self) {
        self.ended.notified().await;
    }

    /// Lets the program go on after the call at which it was to end: something happened meanwhile.
    pub(crate) fn go_on(&self) {
        self.resumed.notify_one();
    }
}

/// The client. A call at which the program ends does not return: the caller is to be dropped, or the call goes on when the test says so.
#[derive(Debug)]
pub(crate) struct Interrupted {
    pub(crate) client: GoogleCalendar,
    pub(crate) plan: Arc<CallPlan>,
}

impl Interrupted {
    async fn around<T>(&self, call: impl Future<Output = T> + Send) -> T {
        let number = self.plan.made.fetch_add(1, Ordering::SeqCst);
        if self.plan.meanwhile.lock().unwrap().as_ref().is_some_and(|(call, _)| *call == number) {
            self.plan.do_meanwhile();
        }
        self.may_end((number, Side::Before)).await;
        let answer = call.await;
        self.may_end((number, Side::After)).await;
        answer
    }

    async fn may_end(&self, here: (usize, Side)) {
        if self.plan.end == Some(here) {
            self.plan.ended.notify_one();
            self.plan.resumed.notified().await;
        }
    }
}

#[async_trait]
impl CalendarService for Interrupted {
    fn name(&self) -> &'static str {
        self.client.name()
    }

    async fn calendars(&self, shop: OrganizationId) -> Result<Vec<CalendarSummary>, ServiceError> {
        self.around(self.client.calendars(shop)).await
    }

    async fn busy(
        &self,
        shop: OrganizationId,
        calendars: &[CalendarId],
        span: Span,
    ) -> Result<BTreeMap<CalendarId, Result<Vec<Span>, String>>, ServiceError> {
        self.around(self.client.busy(shop, calendars, span)).await
    }

    async fn insert(&self, shop: OrganizationId, draft: &EventDraft) -> Result<OutsideEvent, ServiceError> {
        self.around(self.client.insert(shop, draft)).await
    }

    async fn find(
        &self,
        shop: OrganizationId,
        calendar: &str,
        event: &str,
    ) -> Result<Option<OutsideEvent>, ServiceError> {
        self.around(self.client.find(shop, calendar, event)).await
    }

    async fn change(
        &self,
        shop: OrganizationId,
        draft: &EventDraft,
        version: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        self.around(self.client.change(shop, draft, version)).await
    }

    async fn delete(
        &self,
        shop: OrganizationId,
        calendar: &str,
        event: &str,
        version: Option<&str>,
    ) -> Result<(), ServiceError> {
        self.around(self.client.delete(shop, calendar, event, version)).await
    }

    async fn transfer(
        &self,
        shop: OrganizationId,
        event: &str,
        from: &str,
        to: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        self.around(self.client.transfer(shop, event, from, to)).await
    }

    async fn overlapping(
        &self,
        shop: OrganizationId,
        calendar: &str,
        span: Span,
    ) -> Result<Vec<OutsideEvent>, ServiceError> {
        self.around(self.client.overlapping(shop, calendar, span)).await
    }

    async fn changes(
        &self,
        shop: OrganizationId,
        calendar: &str,
        cursor: &ChangeCursor,
        page: Option<&str>,
    ) -> Result<ChangePage, ServiceError> {
        self.around(self.client.changes(shop, calendar, cursor, page)).await
    }

    async fn watch(
        &self,
        shop: OrganizationId,
        calendar: &str,
        request: &PushRequest,
    ) -> Result<PushChannel, ServiceError> {
        self.around(self.client.watch(shop, calendar, request)).await
    }

    async fn stop(&self, shop: OrganizationId, channel: &PushChannel) -> Result<(), ServiceError> {
        self.around(self.client.stop(shop, channel)).await
    }
}
