//! What a command does to the world. What is not stated is taken as the worst case.

use serde::{Deserialize, Serialize};

/// What a call may change, the worse the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Read,
    /// Something that can be changed back.
    Write,
    /// Something that is lost.
    #[default]
    Destructive,
}

/// How an effect behaves when the program is cut down around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// No change: may be repeated.
    Read,
    /// Our own tables: effect and result commit together.
    Local,
    /// The other side honours our key.
    Keyed,
    /// Found again by a marker that we write.
    Queryable,
    /// Never repeated by the machine; an unknown outcome goes to staff.
    #[default]
    Blind,
}

/// Who must agree before a command takes effect, the stricter the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// No confirmation.
    None,
    /// The prompt asks the model to ask; nothing is enforced.
    Model,
    /// The customer, in the next message; enforced.
    #[default]
    Customer,
    /// A member of staff; enforced.
    Staff,
}

/// The flags of a command, as a pack states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// What it may change.
    pub effect: Effect,
    /// How that survives a crash.
    pub class: EffectClass,
    /// Calling it twice with equal arguments changes nothing more.
    pub idempotent: bool,
    /// What it does can be undone by another command.
    pub reversible: bool,
    /// It reaches systems outside of this program.
    pub open_world: bool,
}

impl Behaviour {
    /// Whether calls of one step may run side by side.
    #[must_use]
    pub fn parallel(self) -> bool {
        self.effect == Effect::Read
    }
}
