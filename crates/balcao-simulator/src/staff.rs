//! Staff and customers who think better of what was planned, mostly just when it is about to happen.

use std::time::Duration;

use balcao_app::context::staff_email::Actor;
use balcao_app::scheduling::booking::{Booking, RescheduleRequest};
use balcao_app::scheduling::visits::Visits;
use balcao_app::{AppContext, UseCaseError};
use balcao_channel::inbound::Content;
use balcao_domain::appointment::visit::VisitEnd;
use balcao_store::StoreError;
use balcao_store::turns::ledger::{EffectKey, Recorded};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use tokio::time::{sleep, timeout};

use crate::businesses::Tenant;
use crate::fixtures::{Planned, Plans};
use crate::workload::{ACKNOWLEDGED_WITHIN, Crowd, move_wish};

/// What the customer writes who wants no such messages.
const NO_MORE: &str = "Não quero mais receber mensagens";

/// The day of the visits that are over.
const THE_DAY: Date = Date::constant(2026, 11, 23);

impl Crowd {
    /// Sometimes, around the time at which something planned happens: it is cancelled, moved, confirmed, or unwanted.
    pub(crate) async fn reconsider(&self, planned: Planned, number: usize) {
        let Some(tenant) = self.tenants.get(planned.tenant) else { return };
        if self.world.draw(|rng| rng.bool()) {
            return;
        }
        match planned.what {
            Plans::Reminder(at) => {
                self.wait_until(at, -3_000..=8_000).await;
                match self.world.draw(|rng| rng.u8(..5)) {
                    0 => self.cancel(tenant, planned, number).await,
                    1 => self.move_away(tenant, planned, number).await,
                    2 => {
                        self.write_once(planned.tenant, planned.customer, NO_MORE, format!("wamid.stop.{number}")).await
                    }
                    3 => self.tap_move(tenant, planned, number).await,
                    _ if self.world.plan.faults.takeover > 0.0 => {
                        self.take_over(planned.tenant, planned.customer, &format!("planned.{number}")).await;
                    }
                    _ => {}
                }
            }
            Plans::Visit => {
                self.end_visit(tenant, planned, number).await;
                self.subscribe(tenant, planned, number).await;
            }
            Plans::Hold(until) => {
                self.wait_until(until, -8_000..=2_000).await;
                self.confirm(tenant, planned, number).await;
            }
        }
    }

    /// The customer taps "remarcar" below the reminder, if it has come, and then says when.
    async fn tap_move(&self, tenant: &Tenant, planned: Planned, number: usize) {
        self.world.linger(2_000, 10_000).await;
        let Ok(Some(button)) = self.find_move_button(tenant, planned) else { return };
        self.world.strikes_as("moves by a button", 1.0);
        let tapped = Content::ButtonReply { id: button, title: "Remarcar".to_owned() };
        self.send_once(planned.tenant, planned.customer, tapped, format!("wamid.tap.{number}")).await;
        self.world.linger(5_000, 20_000).await;
        let when = self.world.draw(move_wish);
        self.write_once(planned.tenant, planned.customer, &when, format!("wamid.when.{number}")).await;
    }

    /// The button below a reminder that went out.
    fn find_move_button(&self, tenant: &Tenant, planned: Planned) -> Result<Option<String>, StoreError> {
        self.database.look(|tx| {
            tx.query_optional(
                "SELECT c.name FROM choice c JOIN conversation v ON v.organization_id = c.organization_id AND v.id = c.conversation_id
                 WHERE c.organization_id = ?1 AND v.contact_id = ?2 AND c.name LIKE '%:move' ORDER BY c.name LIMIT 1",
                &[i64::from(tenant.organization).into(), i64::from(planned.contact).into()],
                |row| row.get(0),
            )
        })
    }

    /// Waits until about then, within so many milliseconds.
    async fn wait_until(&self, at: Timestamp, about: std::ops::RangeInclusive<i64>) {
        let at = at.saturating_add(SignedDuration::from_millis(self.world.draw(|rng| rng.i64(about))));
        let wait = at.unwrap_or(Timestamp::MAX).duration_since(self.world.now());
        sleep(Duration::try_from(wait).unwrap_or_default()).await;
    }

    async fn cancel(&self, tenant: &Tenant, planned: Planned, number: usize) {
        let organization = tenant.organization;
        let done = self.at_the_desk(number, move |booking, key| async move {
            booking.cancel(organization, planned.contact, key, Some(planned.appointment)).await
        });
        let done = done.await;
        self.world.note(|| format!("staff cancel {}: {}", planned.appointment, in_words(done.as_ref())));
    }

    async fn move_away(&self, tenant: &Tenant, planned: Planned, number: usize) {
        let Some(date) = "2026-11-24".parse().ok() else { return };
        let start_min = self.world.draw(|rng| rng.u16(14..=18)) * 60;
        let request = RescheduleRequest {
            appointment: Some(planned.appointment),
            date,
            start_min,
            professional: None,
            service: None,
            source: "console".to_owned(),
            price_agreed: true,
        };
        let organization = tenant.organization;
        let done = self.at_the_desk(number, move |booking, key| {
            let request = request.clone();
            async move { booking.reschedule(organization, planned.contact, key, request).await }
        });
        let done = done.await;
        self.world.note(|| format!("staff move {}: {}", planned.appointment, in_words(done.as_ref())));
    }

    async fn confirm(&self, tenant: &Tenant, planned: Planned, number: usize) {
        let organization = tenant.organization;
        let done = self.at_the_desk(number, move |booking, key| async move {
            booking.confirm(organization, planned.contact, key, Some(planned.appointment)).await
        });
        let done = done.await;
        self.world.note(|| format!("staff confirm {}: {}", planned.appointment, in_words(done.as_ref())));
        if matches!(done, Some(Ok(_))) {
            self.world.outside().confirmed.insert(i64::from(planned.appointment));
        }
    }

    /// Two people say at about the same time how a visit ended; sometimes a mark is undone, and the visit marked again.
    async fn end_visit(&self, tenant: &Tenant, planned: Planned, number: usize) {
        self.world.linger(0, 20_000).await;
        let ends = self.world.draw(|rng| [(); 3].map(|()| rng.choice(VisitEnd::ALL).unwrap_or(VisitEnd::Completed)));
        let [first, second, third] = ends;
        let later = async {
            self.world.linger(0, 2_000).await;
            self.mark(tenant, planned, second, format!("{number}/b")).await;
        };
        futures::future::join(self.mark(tenant, planned, first, format!("{number}/a")), later).await;
        if self.world.draw(|rng| rng.bool()) {
            self.undo(tenant, planned, format!("{number}/undo")).await;
            self.mark(tenant, planned, third, format!("{number}/c")).await;
        }
        if self.world.draw(|rng| rng.bool()) {
            self.complete_day(tenant, number).await;
        }
    }

    /// Marks the unmarked visits of the day as completed.
    async fn complete_day(&self, tenant: &Tenant, number: usize) {
        let (organization, date) = (tenant.organization, THE_DAY);
        let done = self.once(format!("day/{number}"), move |app, key| async move {
            Visits::new(app).once(key).complete_day(organization, date, Actor::Operator).await
        });
        let done = done.await;
        self.world.note(|| format!("staff complete the day: {}", in_words(done.as_ref())));
    }

    async fn mark(&self, tenant: &Tenant, planned: Planned, end: VisitEnd, name: String) {
        let organization = tenant.organization;
        let done = self.once(format!("mark/{name}"), move |app, key| async move {
            Visits::new(app).once(key).mark_visit(organization, planned.appointment, end, Actor::Operator).await
        });
        let done = done.await;
        self.world.note(|| format!("staff mark {} as {end}: {}", planned.appointment, in_words(done.as_ref())));
    }

    async fn undo(&self, tenant: &Tenant, planned: Planned, name: String) {
        let organization = tenant.organization;
        let done = self.once(format!("undo/{name}"), move |app, key| async move {
            Visits::new(app).once(key).undo_visit_mark(organization, planned.appointment, Actor::Operator).await
        });
        let done = done.await;
        self.world.note(|| format!("staff undo the mark of {}: {}", planned.appointment, in_words(done.as_ref())));
    }

    /// Does something with appointments once, at whichever process answers; `None` if none did.
    async fn at_the_desk<T, R, F>(
        &self,
        number: usize,
        act: impl Fn(Booking, EffectKey) -> F + Send + Sync,
    ) -> Option<Result<T, R>>
    where
        T: Send,
        R: Send,
        F: Future<Output = Result<Recorded<Result<T, R>>, UseCaseError>> + Send,
    {
        self.once(format!("staff/{number}"), |app, key| {
            let doing = act(Booking::new(app), key);
            async { Ok(doing.await?.value) }
        })
        .await
    }

    /// Does something once under a name, at whichever process answers; `None` if none did.
    pub(crate) async fn once<T, F>(
        &self,
        name: String,
        act: impl Fn(AppContext, EffectKey) -> F + Send + Sync,
    ) -> Option<T>
    where
        T: Send,
        F: Future<Output = Result<T, UseCaseError>> + Send,
    {
        let key = EffectKey { args_hash: name.clone(), key: name, turn: None, tool: "console".to_owned() };
        for _ in 0..100 {
            if let Some(replica) = self.cluster.any() {
                let done = timeout(ACKNOWLEDGED_WITHIN, act(replica.app.clone(), key.clone())).await;
                if let Ok(Ok(done)) = done {
                    return Some(done);
                }
            }
            self.world.linger(500, 2_000).await;
        }
        None
    }
}

fn in_words<T, R: std::fmt::Debug>(done: Option<&Result<T, R>>) -> String {
    match done {
        None => "nobody answers".to_owned(),
        Some(Ok(_)) => "done".to_owned(),
        Some(Err(refusal)) => format!("{refusal:?}").chars().take(60).collect(),
    }
}
