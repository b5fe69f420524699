//! What the outside saw of a run: messages, effects, leases.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use balcao_app::admin::business::{BusinessPlan, Hit};
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::Lease;
use jiff::Timestamp;
use tokio::time::Instant;

/// The name of the channel.
pub(crate) const CHANNEL: &str = "whatsapp";

/// When a professional is away, local to the business: at hours that customers book.
pub(crate) const TIME_OFF: (&str, &str) = ("2026-11-25T14:00", "2026-11-25T16:00");

/// A plan that an owner looked at and applied.
#[derive(Debug)]
pub(crate) struct AppliedPlan {
    pub(crate) organization: OrganizationId,
    pub(crate) plan: BusinessPlan,
}

impl AppliedPlan {
    /// The ids of the bookings that the plan of a time off showed; `None` for a plan of something else.
    pub(crate) fn hits_of_time_off(&self) -> Option<Vec<String>> {
        let change = self.plan.changes.iter().find(|one| one.fields.iter().any(|field| field.field == "time_off"))?;
        Some(change.hits.iter().map(Hit::id).map(str::to_owned).collect())
    }
}

/// What the outside saw.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// Messages that customers wrote, by id: the text.
    pub(crate) written: BTreeMap<String, Written>,
    /// Messages that reached the provider, in their order.
    pub(crate) sent: Vec<Sent>,
    /// Effects by system and key: when each happened.
    pub(crate) effects: BTreeMap<(String, String), Vec<Timestamp>>,
    /// When an effect can be found.
    pub(crate) visible: BTreeMap<String, Instant>,
    /// Statuses that are to be delivered.
    pub(crate) statuses: Vec<(String, String)>,
    /// Spans in which a person had a conversation, by the customer's number.
    pub(crate) human: Vec<Human>,
    /// When staff last tried to give a conversation back, by account and number.
    pub(crate) last_given_back: BTreeMap<(String, String), Timestamp>,
    /// Appointments that staff confirmed and whose confirmation the program acknowledged to them.
    pub(crate) confirmed: BTreeSet<i64>,
    /// Whose work on conversations was committed.
    pub(crate) epochs: Epochs,
    /// Customers by account and number: the id that they were last known by, once that was acknowledged.
    pub(crate) users: BTreeMap<(String, String), String>,
    /// Plans that an owner applied and that were acknowledged to them.
    pub(crate) plans: Vec<AppliedPlan>,
    /// The addresses in plans that owners applied although the business had changed since they looked.
    pub(crate) outdated: Vec<(OrganizationId, String)>,
    /// Contacts and the tags that staff gave them, once that was acknowledged, and until staff try to take one away.
    pub(crate) tagged: BTreeSet<(OrganizationId, i64, String)>,
    /// What the list of bookings outside of working time should have said, and did not.
    pub(crate) conflicts: Vec<String>,
    /// Texts of tenants that reached a model together with another tenant's.
    pub(crate) crossings: BTreeSet<String>,
}

/// The professional who comes and leaves during a run.
pub(crate) const NEW_PROFESSIONAL: &str = "Nara Lima";

impl Outside {
    /// Records that staff tried to give a conversation back. From `began` on it counts as held by no person.
    pub(crate) fn given_back(&mut self, theirs: &(String, String), (began, row): (Timestamp, i64), ended: Timestamp) {
        let is_theirs = |human: &&mut Human| human.account == theirs.0 && human.number == theirs.1;
        self.human.iter_mut().filter(is_theirs).for_each(|human| {
            human.until.get_or_insert(began);
            human.rows.1.get_or_insert(row);
        });
        self.last_given_back.insert(theirs.clone(), ended);
    }
}

/// The leases under which work was committed, in the order of the commits.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    /// The latest epoch of each conversation.
    latest: BTreeMap<ConversationId, i64>,
    /// Leases whose work was committed after that of a later one.
    pub(crate) outrun: Vec<Lease>,
}

impl Epochs {
    pub(crate) fn committed(&mut self, leases: &[Lease]) {
        for lease in leases {
            let latest = self.latest.entry(lease.conversation).or_insert(lease.epoch);
            if lease.epoch < *latest {
                self.outrun.push(*lease);
            }
            *latest = lease.epoch.max(*latest);
        }
    }
}

/// A customer's message.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) acknowledged: bool,
}

/// A message that reached the provider.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) account: String,
    pub(crate) correlation: String,
    pub(crate) text: String,
    pub(crate) at: Timestamp,
    /// The time that the sending process was paused between the decision to send and the sending.
    pub(crate) late_by: Duration,
}

/// A person has a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Human {
    pub(crate) account: String,
    pub(crate) number: String,
    /// It was durable by then.
    pub(crate) from: Timestamp,
    /// Giving it back began then; `None`: it was not given back.
    pub(crate) until: Option<Timestamp>,
    /// The last row of the outbox at these instants. What an hour says was decided before its transaction waited for its turn; rows are
    /// numbered as they are committed.
    pub(crate) rows: (i64, Option<i64>),
}
