//! Customers, staff at the shop's phone, and the provider that delivers what they write: at least once, in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::Conversations;
use balcao_channel::inbound::{
    Content, DeliveryFailure, DeliveryState, Echo, Forwarded, InboundMessage, Media, MediaKind, Origin, Person,
    Renamed, StatusUpdate,
};
use balcao_channel::{AccountId, GiveUpReason, InboundEvent, ProviderMediaId, ProviderMessageId, SendClass, UserId};
use balcao_domain::{ConversationId, Phone};
use balcao_store::{InlineDatabase, StoreError, crm::contact, messaging::conversation};
use tokio::sync::RwLock;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::businesses::{CUSTOMERS, Tenant, number, person};
use crate::fixtures::{self, Planned};
use crate::model::{POISON, canary};
use crate::observations::{CHANNEL, Human, NEW_PROFESSIONAL, Written};
use crate::replica::Cluster;
use crate::world::World;

/// How long the provider waits for an acknowledgement.
pub(crate) const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(20);

/// Everybody outside.
#[derive(Debug, Clone)]
pub(crate) struct Crowd {
    pub(crate) world: Arc<World>,
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) database: InlineDatabase,
    pub(crate) tenants: Vec<Tenant>,
    /// How often each customer of each tenant was renamed. Whoever delivers what they wrote holds it; who renames them waits.
    pub(crate) names: Arc<Vec<[RwLock<u32>; CUSTOMERS]>>,
}

/// What a customer writes who wants another time.
pub(crate) fn move_wish(rng: &mut fastrand::Rng) -> String {
    format!("Quero remarcar para dia {}/11 às {}:00.", rng.u8(25..=26), rng.u8(14..=17))
}

/// Nobody was renamed yet.
pub(crate) fn names(tenants: usize) -> Arc<Vec<[RwLock<u32>; CUSTOMERS]>> {
    Arc::new((0..tenants).map(|_| std::array::from_fn(|_| RwLock::new(0))).collect())
}

/// The id that the provider shows of a customer who was renamed so often; of every other customer it shows none.
fn user(tenant: usize, contact: usize, times: u32) -> Option<UserId> {
    contact.is_multiple_of(2).then(|| UserId::new(format!("BR.{tenant}{contact}v{times}")))
}

impl Crowd {
    /// Everything that is written in a run; returns when all of it is acknowledged.
    pub(crate) async fn write(&self, planned: Vec<Planned>) {
        let plan = &self.world.plan;
        let mut tasks = Vec::new();
        for number in 0..plan.messages {
            let after = self.world.draw(|rng| rng.u64(..u64::try_from(plan.span.as_millis()).unwrap_or(1)));
            let this = self.clone();
            tasks.push(tokio::spawn(async move {
                sleep(Duration::from_millis(after)).await;
                this.one(number).await;
            }));
        }
        for (number, planned) in planned.into_iter().enumerate() {
            let this = self.clone();
            tasks.push(tokio::spawn(async move { this.reconsider(planned, number).await }));
        }
        let this = self.clone();
        tasks.push(tokio::spawn(async move { this.run_businesses().await }));
        futures::future::join_all(tasks).await;
    }

    /// One message, sometimes with another in the same delivery, sometimes with a person who takes over.
    async fn one(&self, number: usize) {
        let (tenant, contact) =
            self.world.draw(|rng| (rng.usize(..self.tenants.len()), rng.usize(..self.world.plan.contacts)));
        let with = (self.world.draw(|rng| rng.u8(..4)) == 0)
            .then(|| self.world.draw(|rng| rng.usize(..self.world.plan.contacts)));
        // In one order, so that nobody waits for each other.
        let writers: BTreeSet<usize> = [Some(contact), with].into_iter().flatten().collect();
        let mut known = BTreeMap::new();
        for writer in writers {
            let Some(name) = self.names.get(tenant).and_then(|of| of.get(writer)) else { return };
            known.insert(writer, name.read().await);
        }
        let user_of = |writer: usize| known.get(&writer).and_then(|times| user(tenant, writer, **times));
        let mut events = vec![self.message(tenant, (contact, user_of(contact)), format!("wamid.{number}"))];
        if let Some(other) = with {
            events.push(self.message(tenant, (other, user_of(other)), format!("wamid.{number}b")));
        }
        let ids: Vec<String> = events.iter().filter_map(id).collect();
        self.deliver(events.clone()).await;
        for writer in known.keys() {
            self.is_known_by(tenant, *writer, user_of(*writer));
        }
        drop(known);
        for id in ids {
            self.world.note(|| format!("{id} is acknowledged"));
            if let Some(written) = self.world.outside().written.get_mut(&id) {
                written.acknowledged = true;
            }
        }
        if self.world.strikes_as("customers renamed", self.world.plan.faults.renamed) {
            self.rename(tenant, contact).await;
        }
        if self.world.strikes(self.world.plan.faults.takeover) {
            self.take_over(tenant, contact, &number.to_string()).await;
        }
        if self.world.strikes(self.world.plan.faults.redeliver) {
            self.world.linger(0, 40_000).await;
            self.deliver(events).await;
        }
    }

    /// One message of these words.
    pub(crate) async fn write_once(&self, tenant: usize, contact: usize, text: &str, id: String) {
        self.send_once(tenant, contact, Content::Text { body: text.to_owned() }, id).await;
    }

    /// One message.
    pub(crate) async fn send_once(&self, tenant: usize, contact: usize, content: Content, id: String) {
        let Some(name) = self.names.get(tenant).and_then(|of| of.get(contact)) else { return };
        let times = name.read().await;
        let user = user(tenant, contact, *times);
        let event = self.message_of(tenant, (contact, user.clone()), id.clone(), content);
        self.deliver(vec![event]).await;
        self.is_known_by(tenant, contact, user);
        drop(times);
        if let Some(written) = self.world.outside().written.get_mut(&id) {
            written.acknowledged = true;
        }
    }

    /// The provider showed this id of a customer, and that was acknowledged.
    fn is_known_by(&self, tenant: usize, contact: usize, user: Option<UserId>) {
        let (Some(tenant), Some(user)) = (self.tenants.get(tenant), user) else { return };
        let name = (tenant.account.clone(), number(contact));
        self.world.outside().users.insert(name, user.as_str().to_owned());
    }

    /// The provider knows a customer by another id from now on. Nothing that they wrote under the one before is on its way.
    async fn rename(&self, tenant: usize, contact: usize) {
        let Some(name) = self.names.get(tenant).and_then(|of| of.get(contact)) else { return };
        let mut times = name.write().await;
        let (Some(previous), Some(current)) = (user(tenant, contact, *times), user(tenant, contact, *times + 1)) else {
            return;
        };
        self.world.note(|| format!("{} is {} now", number(contact), current.as_str()));
        let digest = format!("{}>{}", previous.as_str(), current.as_str());
        let current_person = Person { user: Some(current.clone()), ..person(contact) };
        let renamed = Renamed { origin: self.origin(tenant), previous, current: current_person, digest };
        self.deliver(vec![InboundEvent::Renamed(Box::new(renamed))]).await;
        *times += 1;
        self.is_known_by(tenant, contact, Some(current));
    }

    fn message(&self, tenant: usize, writer: (usize, Option<UserId>), id: String) -> InboundEvent {
        let body = self.words(tenant, writer.0, &id);
        let content = if self.world.strikes_as("files", self.world.plan.faults.file) {
            Content::Media(Media {
                media: MediaKind::Document,
                id: ProviderMediaId::new(format!("media of {id}")),
                mime: Some("application/pdf".to_owned()),
                sha256: None,
                caption: Some(body),
                filename: None,
                voice: false,
            })
        } else {
            Content::Text { body }
        };
        self.message_of(tenant, writer, id, content)
    }

    fn message_of(
        &self,
        tenant: usize,
        (contact, user): (usize, Option<UserId>),
        id: String,
        content: Content,
    ) -> InboundEvent {
        self.world.note(|| format!("{} writes {content:?}", number(contact)));
        self.world.outside().written.insert(id.clone(), Written { acknowledged: false });
        InboundEvent::Message(Box::new(InboundMessage {
            origin: self.origin(tenant),
            id: ProviderMessageId::new(id),
            sender: Person { user, ..person(contact) },
            at: Some(self.world.now()),
            content,
            quoted: None,
            referral: None,
            forwarded: Forwarded::No,
            group: None,
        }))
    }

    fn words(&self, tenant: usize, contact: usize, id: &str) -> String {
        let what = if self.world.strikes(self.world.plan.faults.poison) {
            POISON.to_owned()
        } else {
            self.world.draw(|rng| match rng.u8(..22) {
                0..=5 => {
                    let who = rng.choice(["Wesley Moura", "Otávio Prado", NEW_PROFESSIONAL]).unwrap_or_default();
                    let (day, hour) = (rng.u8(25..=26), rng.u8(14..=16));
                    format!("Quero marcar Corte na máquina com {who} dia {day}/11 às {hour}:00.")
                }
                6 | 7 => "Deixa uma observação por favor".to_owned(),
                8 => "Põe no sistema de vocês".to_owned(),
                9..=12 => "Abre um chamado".to_owned(),
                13 | 14 => "Manda um SMS".to_owned(),
                15 => {
                    let left = fixtures::starts(contact).duration_since(self.world.now()).as_mins();
                    format!("Me lembra {} minutos antes", left - rng.i64(0..2))
                }
                16 => "Me chama depois".to_owned(),
                17 => "Quero entrar na lista de espera".to_owned(),
                18 | 19 => move_wish(rng),
                20 => "Não quero mais receber mensagens".to_owned(),
                _ => "quero falar com um atendente".to_owned(),
            })
        };
        format!("{what} ({id} {})", canary(tenant))
    }

    fn origin(&self, tenant: usize) -> Origin {
        let account = self.tenants.get(tenant).map(|tenant| AccountId::new(tenant.account.as_str()));
        Origin { account, business: "business".to_owned() }
    }

    /// Delivers until somebody says that it was received, and the word is not lost.
    async fn deliver(&self, events: Vec<InboundEvent>) {
        loop {
            if let Some(replica) = self.cluster.any() {
                let accepted = timeout(ACKNOWLEDGED_WITHIN, replica.inbox.accept(CHANNEL, events.clone())).await;
                let lost = self.world.strikes(self.world.plan.faults.redeliver / 2.0);
                if matches!(accepted, Ok(Ok(_))) && !replica.process.is_dead() && !lost {
                    return;
                }
            }
            self.world.linger(200, 4_000).await;
        }
    }

    /// Staff answer from the shop's phone; later the conversation is given back.
    pub(crate) async fn take_over(&self, tenant: usize, contact: usize, of: &str) {
        let id = format!("wamid.echo.{of}");
        let echo = InboundEvent::Echo(Box::new(Echo {
            origin: self.origin(tenant),
            id: ProviderMessageId::new(id),
            to: person(contact),
            at: Some(self.world.now()),
            content: Content::Text { body: "Oi, aqui é a Renata".to_owned() },
            quoted: None,
        }));
        let (began, number) = (self.world.now(), number(contact));
        self.deliver(vec![echo]).await;
        let from = self.world.now();
        self.world.note(|| format!("staff have {number}"));
        let Some(who) = self.tenants.get(tenant) else { return };
        let theirs = (who.account.clone(), number.clone());
        let Ok(row) = self.last_row() else { return };
        {
            let mut outside = self.world.outside();
            // It may have been stored before it was acknowledged, and somebody else of the staff gave it back in between.
            let given_back = outside.last_given_back.get(&theirs).is_some_and(|at| *at >= began);
            let (until, rows) = (given_back.then_some(from), (row, given_back.then_some(row)));
            let human = Human { account: theirs.0.clone(), number: theirs.1.clone(), from, until, rows };
            outside.human.push(human);
        }
        self.world.linger(5_000, 60_000).await;
        let Ok(Some(conversation)) = self.conversation(who, &number) else { return };
        for _ in 0..100 {
            if let Some(replica) = self.cluster.any() {
                // Whoever else of the staff has it by now gives it back with this.
                let Ok(row) = self.last_row() else { return };
                let began = (self.world.now(), row);
                self.world.outside().given_back(&theirs, began, began.0);
                let staff = Conversations::new(replica.app.clone());
                let giving = staff.give_back(who.organization, conversation, Actor::Operator);
                let given = timeout(ACKNOWLEDGED_WITHIN, giving).await;
                self.world.outside().given_back(&theirs, began, self.world.now());
                if matches!(given, Ok(Ok(_))) {
                    self.world.note(|| format!("staff give {number} back"));
                    return;
                }
            }
            self.world.linger(500, 2_000).await;
        }
    }

    /// The last row of the outbox that is committed.
    fn last_row(&self) -> Result<i64, StoreError> {
        self.database.look(|tx| tx.query_one("SELECT COALESCE(max(id), 0) FROM outbox", &[], |row| row.get(0)))
    }

    fn conversation(&self, tenant: &Tenant, number: &str) -> Result<Option<ConversationId>, StoreError> {
        let Ok(phone) = Phone::parse(number) else { return Ok(None) };
        self.database.look(|tx| {
            let Some(found) = contact::find_by_phone(tx, tenant.organization, &phone)? else { return Ok(None) };
            let held = conversation::of_contact(tx, tenant.organization, found.id)?;
            Ok(held.into_iter().find(|one| one.channel == CHANNEL).map(|one| one.id))
        })
    }

    /// Reports what became of messages, as far as the reports are not lost.
    pub(crate) async fn report(self, end: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = end.cancelled() => return,
                () = sleep(Duration::from_secs(1)) => {}
            }
            let news = std::mem::take(&mut self.world.outside().statuses);
            for (id, correlation) in news {
                if self.world.strikes(self.world.plan.faults.status) {
                    continue;
                }
                let this = self.clone();
                tokio::spawn(async move { this.report_one(id, correlation).await });
            }
        }
    }

    /// Why a message did not arrive that the provider had taken.
    fn failure(&self) -> DeliveryFailure {
        let (class, code) = self.world.draw(|rng| match rng.u8(..4) {
            0 => (SendClass::retry(), 131_000),
            1 => (SendClass::OutsideWindow, 131_047),
            2 => (SendClass::give_up(GiveUpReason::Unreachable), 131_026),
            _ => (SendClass::give_up(GiveUpReason::Capped), 131_049),
        });
        DeliveryFailure { class, code: Some(code), detail: None }
    }

    async fn report_one(&self, id: String, correlation: String) {
        self.world.linger(50, 15_000).await;
        let tenant =
            self.tenants.iter().position(|tenant| correlation.starts_with(&format!("{}:", tenant.organization)));
        let states = [DeliveryState::Sent, DeliveryState::Delivered, DeliveryState::Read];
        let mut state = self.world.draw(|rng| rng.choice(states)).unwrap_or(DeliveryState::Sent);
        let failure = self.world.strikes_as("messages that did not arrive", self.world.plan.faults.undelivered);
        let failure = failure.then(|| self.failure());
        if failure.is_some() {
            state = DeliveryState::Failed;
        }
        self.world.note(|| format!("{correlation} is {state:?}"));
        let status = StatusUpdate {
            origin: self.origin(tenant.unwrap_or_default()),
            message: ProviderMessageId::new(id),
            state,
            at: Some(self.world.now()),
            recipient: Person::default(),
            participant: None,
            correlation: Some(correlation),
            failure,
            pricing: None,
        };
        self.deliver(vec![InboundEvent::Status(Box::new(status))]).await;
    }
}

fn id(event: &InboundEvent) -> Option<String> {
    match event {
        InboundEvent::Message(message) => Some(message.id.as_str().to_owned()),
        InboundEvent::Status(_)
        | InboundEvent::Echo(_)
        | InboundEvent::Preference(_)
        | InboundEvent::Renamed(_)
        | InboundEvent::Unknown(_) => None,
    }
}
