//! Two people at the counter do the same with a subscription at about the same time: they note its payments, renew it and end it.

use balcao_app::context::staff_email::Actor;
use balcao_app::crm::subscriptions::{PaymentRequest, StartRequest, Subscriptions};
use balcao_domain::SubscriberId;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::payment::AmountKind;
use jiff::civil::Date;

use crate::businesses::Tenant;
use crate::fixtures::Planned;
use crate::workload::Crowd;

/// When a plan lapses that does not end at once.
const LAPSES_ON: Date = Date::constant(2026, 11, 26);

impl Crowd {
    /// The customer subscribes and pays twice; a payment may have been a mistake. The customer rests and comes back, has a month for free, and sometimes leaves. Two people note each
    /// payment, and two renew and end.
    pub(crate) async fn subscribe(&self, tenant: &Tenant, planned: Planned, number: usize) {
        let (organization, contact) = (tenant.organization, planned.contact);
        let started = self.once(format!("subscribe/{number}"), move |app, key| async move {
            let request = StartRequest { contact, plan: "Raiz".to_owned(), started: None, due: None };
            Subscriptions::new(app).once(key).start(organization, request, Actor::Operator).await
        });
        let Some(Ok(started)) = started.await else { return };
        let id = started.subscription.view.id;
        for payment in ["first", "second"] {
            let name = format!("{payment}/{number}");
            let later = async {
                self.world.linger(0, 2_000).await;
                self.pay(tenant, id, &name, "b").await;
            };
            futures::future::join(self.pay(tenant, id, &name, "a"), later).await;
        }
        if self.world.draw(|rng| rng.bool()) {
            self.take_back(tenant, id, number).await;
        }
        let paused = self.once(format!("pause/{number}"), move |app, key| async move {
            Subscriptions::new(app).once(key).change(organization, id, SubscriptionAct::Pause, Actor::Operator).await
        });
        drop(paused.await);
        let mut acts = vec![("resume", SubscriptionAct::Resume)];
        if let Some(due) = self.due(tenant, id, number).await {
            acts.push(("renew", SubscriptionAct::Renew { due }));
        }
        if self.world.draw(|rng| rng.bool()) {
            // At once, or so that the plan lapses between the days on which customers book.
            let on = self.world.draw(|rng| rng.choice([None, Some(LAPSES_ON)])).flatten();
            acts.push(("end", SubscriptionAct::End { on, gives_up_paid: true }));
        }
        for (name, act) in acts {
            let later = async {
                self.world.linger(0, 2_000).await;
                self.change(tenant, id, act, format!("{name}/{number}/b")).await;
            };
            futures::future::join(self.change(tenant, id, act, format!("{name}/{number}/a")), later).await;
        }
        self.world.note(|| format!("{contact} subscribes as {id}, pays twice, pauses, and goes on or leaves"));
    }

    /// When the next payment is due.
    async fn due(&self, tenant: &Tenant, id: SubscriberId, number: usize) -> Option<Date> {
        let organization = tenant.organization;
        let found = self.once(format!("due/{number}"), move |app, _| async move {
            Subscriptions::new(app).find(organization, id).await
        });
        found.await.flatten()?.0.view.dates.due
    }

    async fn change(&self, tenant: &Tenant, id: SubscriberId, act: SubscriptionAct, name: String) {
        let organization = tenant.organization;
        let done = self.once(name, move |app, key| async move {
            Subscriptions::new(app).once(key).change(organization, id, act, Actor::Operator).await
        });
        drop(done.await);
    }

    /// Two people take the second payment back, and sometimes it is noted again.
    async fn take_back(&self, tenant: &Tenant, id: SubscriberId, number: usize) {
        let organization = tenant.organization;
        let by = |person: &'static str| async move {
            let taken = self.once(format!("take back/{number}/{person}"), move |app, key| async move {
                let reference = format!("second/{number}");
                Subscriptions::new(app).once(key).take_back_payment(organization, id, reference, Actor::Operator).await
            });
            drop(taken.await);
        };
        let later = async {
            self.world.linger(0, 2_000).await;
            by("b").await;
        };
        futures::future::join(by("a"), later).await;
        self.world.strikes_as("payments taken back", 1.0);
        if self.world.draw(|rng| rng.bool()) {
            self.pay(tenant, id, &format!("second/{number}"), "c").await;
        }
    }

    async fn pay(&self, tenant: &Tenant, id: SubscriberId, reference: &str, person: &str) {
        let organization = tenant.organization;
        let noted =
            self.once(format!("pay/{reference}/{person}"), |app, key| {
                let request =
                    PaymentRequest { reference: reference.to_owned(), amount_cents: None, kind: AmountKind::Price };
                async move {
                    Subscriptions::new(app).once(key).note_payment(organization, id, request, Actor::Operator).await
                }
            });
        drop(noted.await);
    }
}
