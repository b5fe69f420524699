//! Two people at the counter note the same payment of a subscription at about the same time.

use balcao_app::context::staff_email::Actor;
use balcao_app::crm::subscriptions::{PaymentRequest, StartRequest, Subscriptions};
use balcao_domain::SubscriberId;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::payment::AmountKind;

use crate::businesses::Tenant;
use crate::fixtures::Planned;
use crate::workload::Crowd;

impl Crowd {
    /// The customer subscribes and pays twice. Each payment is noted by two people.
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
        let paused = self.once(format!("pause/{number}"), move |app, key| async move {
            Subscriptions::new(app).once(key).change(organization, id, SubscriptionAct::Pause, Actor::Operator).await
        });
        drop(paused.await);
        self.world.note(|| format!("{contact} subscribes as {id}, pays twice and pauses"));
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
