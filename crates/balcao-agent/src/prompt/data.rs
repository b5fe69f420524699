//! What prompt modules are made of.

use std::collections::BTreeMap;

use serde::Serialize;

/// All data that a prompt module may use. Staff-only data (tags, stages, notes) has no place here.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PromptData {
    /// The agent.
    pub agent: AgentFacts,
    /// The business.
    pub organization: OrganizationFacts,
    /// The names of the tools on offer, by the name of the command in its pack.
    pub tools: BTreeMap<String, String>,
    /// The local time.
    pub now: NowFacts,
    /// Whether the business is open.
    pub hours: HoursFacts,
    /// The next days, today first, so that weekdays need not be computed.
    pub calendar: Vec<DayFacts>,
    /// The contact.
    pub contact: ContactFacts,
    /// Upcoming appointments of the contact, in words. Pinned: never summarised away.
    pub upcoming: Vec<String>,
    /// The notification that a short answer may be about.
    pub notification: Option<String>,
    /// When the message to answer was written, in words, if it came hours late.
    pub written: Option<String>,
    /// The days from then on, if it was another day: what its "tomorrow" was need not be computed.
    pub written_days: Vec<DayFacts>,
    /// What is under discussion, in words.
    pub memory: Option<String>,
    /// The running summary.
    pub summary: Option<String>,
}

/// The agent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AgentFacts {
    /// Its name.
    pub name: String,
    /// How it speaks.
    pub tone: String,
    /// Further instructions of the profile.
    pub instructions: Vec<String>,
}

/// The business.
#[derive(Debug, Clone, Default, Serialize)]
pub struct OrganizationFacts {
    /// Its name.
    pub name: String,
    /// Its address, if known.
    pub address: Option<String>,
    /// Its phone, as people write it.
    pub phone: Option<String>,
}

/// The local time, in words.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NowFacts {
    /// The weekday's name.
    pub weekday: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// `HH:MM`.
    pub time: String,
    /// The IANA zone.
    pub zone: String,
}

/// Whether the business is open.
#[derive(Debug, Clone, Default, Serialize)]
pub struct HoursFacts {
    /// Now.
    pub open_now: bool,
    /// When it opens next, in words.
    pub next_opening: Option<String>,
}

/// One day of the calendar.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DayFacts {
    /// The weekday's name.
    pub weekday: String,
    /// `YYYY-MM-DD`.
    pub date: String,
}

/// The contact.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ContactFacts {
    /// Name, if known.
    pub name: Option<String>,
    /// The name that they prefer.
    pub preferred_name: Option<String>,
}
