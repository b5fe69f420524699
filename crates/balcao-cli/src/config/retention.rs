//! How long what is in the database is kept: `[retention]`.

use balcao_app::admin::retention::Periods;
use serde::Deserialize;

/// Days; 0 keeps for ever.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RetentionConfig {
    /// Files of customers and of staff.
    files_days: u32,
    /// The insides of turns.
    traces_days: u32,
    /// Messages, and what is made of them.
    messages_days: u32,
    /// What channels delivered, as it came.
    inbox_days: u32,
    /// Messages that left, and webhooks that were delivered.
    outbox_days: u32,
    /// Records of effects, and with them `Idempotency-Key`s.
    ledger_days: u32,
}

/// A month's costs are summed from what left in it.
const LEAST_OUTBOX: u32 = 35;
/// A program may repeat a request for a while.
const LEAST_LEDGER: u32 = 7;
const MOST: u32 = 36_500;

impl Default for RetentionConfig {
    fn default() -> Self {
        let Periods { files, traces, messages, inbox, outbox, ledger } = Periods::default();
        Self {
            files_days: files,
            traces_days: traces,
            messages_days: messages,
            inbox_days: inbox,
            outbox_days: outbox,
            ledger_days: ledger,
        }
    }
}

impl RetentionConfig {
    /// The periods.
    pub(crate) const fn periods(&self) -> Periods {
        Periods {
            files: self.files_days,
            traces: self.traces_days,
            messages: self.messages_days,
            inbox: self.inbox_days,
            outbox: self.outbox_days,
            ledger: self.ledger_days,
        }
    }

    const fn all(&self) -> [(&'static str, u32, u32); 6] {
        [
            ("retention.files_days", self.files_days, 1),
            ("retention.traces_days", self.traces_days, 1),
            ("retention.messages_days", self.messages_days, 1),
            ("retention.inbox_days", self.inbox_days, 1),
            ("retention.outbox_days", self.outbox_days, LEAST_OUTBOX),
            ("retention.ledger_days", self.ledger_days, LEAST_LEDGER),
        ]
    }

    /// Days that no job could keep to are mistakes.
    pub(super) fn check(&self) -> Result<(), String> {
        let bad = self.all().into_iter().find(|(_, days, least)| *days != 0 && !(*least..=MOST).contains(days));
        match bad {
            Some((key, days, least)) => {
                Err(format!("{key} is {days}; it may be {least} to {MOST}, or 0 to keep for ever"))
            }
            None => Ok(()),
        }
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        for (key, days, _) in self.all() {
            row(key, days.to_string());
        }
    }
}
