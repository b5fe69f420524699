//! What a day may take of the business: bytes of files, and tokens and money for strangers of the web chat.
//!
//! The database counts for all processes that share it, by the business's own days (`balcao_store::ops::day_budget`). A visitor of the web
//! chat costs nothing to create, so all visitors share one budget. Customers that another channel knows do not draw on it.
//!
//! Not here: limits of speed (`pace`), and daily budgets of one conversation or profile (`balcao-agent`).

use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::ops::day_budget::{self, Day, DayCounter};
use balcao_store::{Tx, messaging::conversation};
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::{AppContext, UseCaseError, organization};

const MIB: u64 = 1024 * 1024;

/// What files may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileBudgets {
    /// Bytes of all visitors of the web chat in a day.
    pub visitors_day: u64,
    /// Bytes of one contact in a day, by whatever channel.
    pub contact_day: u64,
    /// So much of the database's disk stays free, in hundredths.
    pub least_free_percent: u8,
}

impl Default for FileBudgets {
    fn default() -> Self {
        Self { visitors_day: 500 * MIB, contact_day: 50 * MIB, least_free_percent: 10 }
    }
}

/// What strangers of the web chat may cost in a day, all together. `None` has no ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrangerBudgets {
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar, where prices are known.
    pub cost_micro_usd: Option<u64>,
}

impl Default for StrangerBudgets {
    fn default() -> Self {
        Self { tokens: Some(5_000_000), cost_micro_usd: Some(5_000_000) }
    }
}

/// Why no more files are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// All visitors have sent what they may in a day, in MiB; until it ends.
    Visitors(u64, SignedDuration),
    /// This contact has.
    Contact(u64, SignedDuration),
    /// The disk is nearly full.
    Disk,
}

/// Whose files are counted.
pub(crate) enum Whose<'a> {
    /// A visitor of the web chat, by the channel's key.
    Visitor(&'a str),
    /// A contact of another channel.
    Contact(ConversationId),
}

impl Whose<'_> {
    fn name(&self) -> String {
        match self {
            Self::Visitor(key) => format!("files/{key}"),
            Self::Contact(conversation) => format!("files/{conversation}"),
        }
    }
}

/// The business's day that an instant lies in.
pub(crate) fn day_of(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<Day, UseCaseError> {
    let (_, zone) = organization(tx, id)?;
    let local = now.to_zoned(zone);
    let ends = local.tomorrow().and_then(|tomorrow| tomorrow.start_of_day());
    Ok(Day { date: local.date(), ends_at: ends.map_or(now, |ends| ends.timestamp()) })
}

/// Whether the disk has room for files.
pub(crate) fn has_room(app: &AppContext, budgets: &FileBudgets) -> bool {
    app.store.free_disk().is_none_or(|free| free >= budgets.least_free_percent)
}

/// Takes room for a file, or nothing of any budget.
pub(crate) fn take_file(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    budgets: &FileBudgets,
    whose: &Whose<'_>,
    bytes: usize,
    now: Timestamp,
) -> Result<Result<(), Full>, UseCaseError> {
    let (day, own) = (day_of(tx, id, now)?, whose.name());
    let (by, left) = (amount(bytes), day.ends_at.duration_since(now));
    if !day_budget::take(tx, id, day.budget(&own), by, natural(budgets.contact_day), now)? {
        return Ok(Err(Full::Contact(budgets.contact_day / MIB, left)));
    }
    let of_all = day.budget(DayCounter::Files.as_str());
    if matches!(whose, Whose::Visitor(_)) && !day_budget::take(tx, id, of_all, by, natural(budgets.visitors_day), now)?
    {
        day_budget::give_back(tx, id, day.budget(&own), by)?;
        return Ok(Err(Full::Visitors(budgets.visitors_day / MIB, left)));
    }
    Ok(Ok(()))
}

/// Gives back what was taken for a file of a visitor that was here before.
pub(crate) fn give_back_file(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    whose: &Whose<'_>,
    bytes: usize,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let day = day_of(tx, id, now)?;
    day_budget::give_back(tx, id, day.budget(&whose.name()), amount(bytes))?;
    day_budget::give_back(tx, id, day.budget(DayCounter::Files.as_str()), amount(bytes))?;
    Ok(())
}

/// What the daily budgets of strangers mean for a conversation.
pub(crate) enum StrangerStanding {
    /// The business knows the contact from another channel.
    Known,
    /// The contact is a stranger, and some of every budget is left.
    WithinBudgets,
    /// The contact is a stranger, and this budget is spent.
    Spent(String),
}

/// Compares what strangers have cost today with the budgets, if this conversation is with one.
pub(crate) fn find_stranger_standing(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    conversation: ConversationId,
    budgets: &StrangerBudgets,
    now: Timestamp,
) -> Result<StrangerStanding, UseCaseError> {
    if !conversation::is_with_a_stranger(tx, id, conversation)? {
        return Ok(StrangerStanding::Known);
    }
    let day = day_of(tx, id, now)?;
    for (counted, most) in budgets.ceilings() {
        if day_budget::used(tx, id, day.budget(counted.as_str()))? >= natural(most) {
            let budget = format!("strangers_day.{}", counted.as_str().trim_start_matches("strangers_"));
            return Ok(StrangerStanding::Spent(budget));
        }
    }
    Ok(StrangerStanding::WithinBudgets)
}

/// Counts what a stranger cost.
pub(crate) fn spend(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    budgets: &StrangerBudgets,
    tokens: i64,
    cost: i64,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let day = day_of(tx, id, now)?;
    for (counted, most) in budgets.ceilings() {
        let by = if counted == DayCounter::StrangersTokens { tokens } else { cost };
        if by > 0 {
            day_budget::spend(tx, id, day.budget(counted.as_str()), by, natural(most), now)?;
        }
    }
    Ok(())
}

/// Counts what a stranger is about to cost, unless a budget is spent already. Gives whether it may be spent; a known contact always may.
pub(crate) fn spend_if_left(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    conversation: ConversationId,
    budgets: &StrangerBudgets,
    (tokens, cost): (i64, i64),
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    Ok(match find_stranger_standing(tx, id, conversation, budgets, now)? {
        StrangerStanding::Known => true,
        StrangerStanding::Spent(_) => false,
        StrangerStanding::WithinBudgets => {
            spend(tx, id, budgets, tokens, cost, now)?;
            true
        }
    })
}

impl StrangerBudgets {
    fn ceilings(&self) -> impl Iterator<Item = (DayCounter, u64)> {
        let all = [(DayCounter::StrangersTokens, self.tokens), (DayCounter::StrangersCost, self.cost_micro_usd)];
        all.into_iter().filter_map(|(counted, most)| Some((counted, most?)))
    }
}

fn natural(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

fn amount(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
