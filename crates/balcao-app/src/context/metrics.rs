//! What is measured, under which name. Prometheus reads it at `/metrics` of `balcao serve` (`docs/OPERATIONS.md`).
//!
//! Two kinds: what this process did, counted where it happens, to be summed over processes; and what waits in the database
//! ([`waiting`]), read at each request for metrics, with one value for every process. Labels are words of ours or names of the
//! configuration, never a person, a text or an id, and there is a bound on how many there can be.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use balcao_llm::{ModelError, ModelResponse};
use balcao_store::ops::backlog::{Figures, Waiting};
use balcao_store::ops::day_budget::DayCounter;
use jiff::Timestamp;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use crate::context::budgets::Full;

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, from 0 at the start of the process.
    Counter,
    /// A value of now.
    Gauge,
    /// How often a value fell into which range, with bounds for seconds.
    Histogram,
}

/// Every metric: name, kind, what it says.
pub const ALL: &[(&str, Kind, &str)] = &[
    (
        "balcao_turn_duration_seconds",
        Kind::Histogram,
        "Time of a turn from its lease to the closing transaction, by outcome",
    ),
    ("balcao_turn_overhead_seconds", Kind::Histogram, "Time of a turn without its model calls"),
    (
        "balcao_model_call_duration_seconds",
        Kind::Histogram,
        "Time of a model call with its retries and fallbacks, by model and result",
    ),
    (
        "balcao_model_tokens_total",
        Kind::Counter,
        "Tokens by model and kind (input, cached_input, output); input includes cached_input",
    ),
    (
        "balcao_model_cost_micro_usd_total",
        Kind::Counter,
        "Cost of model calls in millionths of a US dollar, where prices are configured",
    ),
    ("balcao_tool_calls_total", Kind::Counter, "Tool calls by tool and result: success, refusal, or the error's code"),
    ("balcao_tool_call_duration_seconds", Kind::Histogram, "Time of a tool call, by tool"),
    ("balcao_breaker_openings_total", Kind::Counter, "Turns that the circuit breaker ended"),
    ("balcao_handoffs_total", Kind::Counter, "Handoffs by reason"),
    (
        "balcao_rescues_total",
        Kind::Counter,
        "Conversations that the watchdog handed to a person because they waited too long",
    ),
    (
        "balcao_inbox_events_total",
        Kind::Counter,
        "Events of channels by channel and kind: new, repeated, or for an unknown account (stray)",
    ),
    (
        "balcao_sends_total",
        Kind::Counter,
        "Attempts to send a message, by channel and outcome: sent, retry, too_fast, failed, unknown",
    ),
    ("balcao_send_duration_seconds", Kind::Histogram, "Attempts to send a message, by channel"),
    ("balcao_ambiguous_sends_total", Kind::Counter, "Messages with an unknown outcome, by channel"),
    (
        "balcao_webhooks_total",
        Kind::Counter,
        "Received webhooks, by channel and result: accepted, or the reason of the refusal",
    ),
    (
        "balcao_template_changes_total",
        Kind::Counter,
        "Templates that Meta took out of use or moved to another category, by change: paused, disabled, rejected, flagged, \
         deleted, archived, locked, category",
    ),
    ("balcao_http_requests_total", Kind::Counter, "HTTP requests by method, route template and status"),
    (
        "balcao_http_request_duration_seconds",
        Kind::Histogram,
        "Time from an HTTP request to the start of its response, by route template",
    ),
    ("balcao_requests_shed_total", Kind::Counter, "Requests that the server refused before any work, by reason"),
    (
        "balcao_webhook_deliveries_total",
        Kind::Counter,
        "Attempts to deliver an outgoing webhook, by outcome: delivered, retry, dead",
    ),
    ("balcao_retention_deleted_total", Kind::Counter, "Rows deleted after their retention period, by kind"),
    (
        "balcao_database_up",
        Kind::Gauge,
        "1 if the database answered the last scrape; if 0, the values with (database) are old",
    ),
    (
        "balcao_channel_up",
        Kind::Gauge,
        "1 if the channel's provider accepts messages of the account, by channel and account",
    ),
    (
        "balcao_channel_last_inbound_timestamp_seconds",
        Kind::Gauge,
        "Time of the last received event, by channel and account (database); 0 if there was none",
    ),
    ("balcao_mcp_server_up", Kind::Gauge, "1 if the MCP server of a pack answered the last check, by pack"),
    (
        "balcao_mcp_tools_out_of_use",
        Kind::Gauge,
        "Accepted tools of the MCP server of a pack that are out of use because they changed, disappeared or were refused, by pack",
    ),
    ("balcao_database_log_bytes", Kind::Gauge, "Bytes in SQLite's write-ahead log; absent with PostgreSQL"),
    ("balcao_inbox_waiting", Kind::Gauge, "Received messages without an answer (database)"),
    ("balcao_inbox_oldest_seconds", Kind::Gauge, "Age of the oldest of them (database)"),
    ("balcao_queue_depth", Kind::Gauge, "Due conversations that no process works on (database)"),
    ("balcao_queue_oldest_seconds", Kind::Gauge, "Longest time that one of them has been due (database)"),
    ("balcao_turns_open", Kind::Gauge, "Turns that have begun and not ended (database)"),
    (
        "balcao_outbox_messages",
        Kind::Gauge,
        "Messages by state: pending, sending, unknown and dead; without those that staff gave up (database)",
    ),
    ("balcao_outbox_oldest_seconds", Kind::Gauge, "Age of the oldest unsent message (database)"),
    ("balcao_jobs_due", Kind::Gauge, "Due reminders and follow-ups, by kind (database)"),
    ("balcao_job_lateness_seconds", Kind::Gauge, "Longest time that one of them has been due, by kind (database)"),
    ("balcao_handoffs_open", Kind::Gauge, "Open handoffs (database)"),
    ("balcao_handoff_oldest_seconds", Kind::Gauge, "Age of the oldest of them (database)"),
    (
        "balcao_pack_reloads_total",
        Kind::Counter,
        "Reloads of changed packs, by outcome: loaded, or refused (the last valid version stays in use)",
    ),
    (
        "balcao_day_budget_used_ratio",
        Kind::Gauge,
        "Used share of a daily budget: strangers_tokens, strangers_cost, files; 1 is the whole budget (database)",
    ),
    ("balcao_database_disk_free_ratio", Kind::Gauge, "Free share of the disk of the database; absent with PostgreSQL"),
    (
        "balcao_files_refused_total",
        Kind::Counter,
        "Refused files of customers, by reason: visitors_day, contact_day, disk",
    ),
    ("balcao_webhook_deliveries_waiting", Kind::Gauge, "Outgoing webhooks that wait (database)"),
    ("balcao_webhook_delivery_oldest_seconds", Kind::Gauge, "Age of the oldest of them (database)"),
    ("balcao_webhook_deliveries_dead", Kind::Gauge, "Outgoing webhooks that were given up (database)"),
];

/// Bounds of the histograms, in seconds.
pub const SECONDS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Tells the recorder what each metric says; counters without labels begin at 0, so that their first event is seen as one.
pub fn describe() {
    for (name, kind, help) in ALL {
        match kind {
            Kind::Counter => describe_counter!(*name, *help),
            Kind::Gauge => describe_gauge!(*name, *help),
            Kind::Histogram => describe_histogram!(*name, *help),
        }
    }
    counter!("balcao_breaker_openings_total").increment(0);
    counter!("balcao_rescues_total").increment(0);
}

/// How many model names become labels of their own, because a vendor's answer may hold any name.
const MOST_MODELS: usize = 50;
static MODELS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn known_model(name: &str) -> String {
    let mut known = MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(name) {
        return name.to_owned();
    }
    if known.len() >= MOST_MODELS || name.len() > 100 {
        return "other".to_owned();
    }
    known.insert(name.to_owned());
    name.to_owned()
}

/// Rows of a kind were deleted by age.
pub(crate) fn deleted(kind: &'static str, rows: i64) {
    counter!("balcao_retention_deleted_total", "kind" => kind).increment(u64::try_from(rows).unwrap_or(0));
}

/// A model call ended. `asked` is the model that is configured.
pub(crate) fn model_call(asked: &str, answer: &Result<ModelResponse, ModelError>, took: Duration) {
    let (model, result) = match answer {
        Ok(response) => (known_model(&response.model), "ok"),
        Err(error) => (known_model(asked), failure(error)),
    };
    histogram!("balcao_model_call_duration_seconds", "model" => model.clone(), "result" => result).record(took);
    if let Ok(response) = answer {
        let usage = response.usage;
        let tokens = [
            ("input", usage.input_tokens),
            ("cached_input", usage.cached_input_tokens),
            ("output", usage.output_tokens),
        ];
        for (kind, count) in tokens {
            counter!("balcao_model_tokens_total", "model" => model.clone(), "kind" => kind).increment(count);
        }
        let cost = usage.cost_micro_usd.unwrap_or(0);
        counter!("balcao_model_cost_micro_usd_total", "model" => model).increment(cost);
    }
}

const fn failure(error: &ModelError) -> &'static str {
    use balcao_llm::ModelErrorKind;
    match error.kind {
        ModelErrorKind::Network => "network",
        ModelErrorKind::Timeout => "timeout",
        ModelErrorKind::RateLimited => "rate_limited",
        ModelErrorKind::Upstream => "upstream",
        ModelErrorKind::Denied => "denied",
        ModelErrorKind::Rejected => "rejected",
        ModelErrorKind::Malformed => "malformed",
        ModelErrorKind::ToolUseFailed => "tool_use_failed",
        ModelErrorKind::TooLarge => "too_large",
    }
}

/// A channel's delivery was stored.
pub(crate) fn inbox_events(channel: &'static str, new: u32, repeated: u32, strays: u32) {
    for (kind, count) in [("new", new), ("repeated", repeated), ("stray", strays)] {
        counter!("balcao_inbox_events_total", "channel" => channel, "kind" => kind).increment(count.into());
    }
}

/// An attempt to send ended.
pub(crate) fn sent(channel: &str, outcome: &'static str, took: Duration) {
    counter!("balcao_sends_total", "channel" => channel.to_owned(), "outcome" => outcome).increment(1);
    histogram!("balcao_send_duration_seconds", "channel" => channel.to_owned()).record(took);
}

/// Counts a message with an unknown outcome.
pub(crate) fn ambiguous(channel: &str) {
    counter!("balcao_ambiguous_sends_total", "channel" => channel.to_owned()).increment(1);
}

/// Meta changed a template.
pub(crate) fn template_changed(change: &'static str) {
    counter!("balcao_template_changes_total", "change" => change).increment(1);
}

/// A conversation was given to a person because it had waited too long.
pub(crate) fn rescued(conversations: u64) {
    counter!("balcao_rescues_total").increment(conversations);
}

/// A webhook of a channel was accepted or refused.
pub fn webhook(channel: &'static str, result: &'static str) {
    counter!("balcao_webhooks_total", "channel" => channel, "result" => result).increment(1);
}

/// A request was answered. `route` is the template, `method` one of those that are known.
pub fn http_request(method: &'static str, route: &str, status: u16, took: Duration) {
    let (route, status) = (route.to_owned(), status.to_string());
    counter!("balcao_http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    histogram!("balcao_http_request_duration_seconds", "route" => route).record(took);
}

/// A request was turned away before any work.
pub fn shed(reason: &'static str) {
    counter!("balcao_requests_shed_total", "reason" => reason).increment(1);
}

/// A changed pack was looked at: `loaded`, or `refused`, and the last good one stays in force.
pub fn pack_reload(outcome: &'static str) {
    counter!("balcao_pack_reloads_total", "outcome" => outcome).increment(1);
}

/// An attempt to deliver an outgoing webhook ended.
pub(crate) fn delivery(outcome: &'static str) {
    counter!("balcao_webhook_deliveries_total", "outcome" => outcome).increment(1);
}

/// Tells what is known of a channel.
pub(crate) fn channel(channel: &'static str, account: &str, is_up: bool, last_inbound: Option<Timestamp>) {
    let account = account.to_owned();
    gauge!("balcao_channel_up", "channel" => channel, "account" => account.clone()).set(u32::from(is_up));
    let last = last_inbound.map_or(0.0, |at| at.as_duration().as_secs_f64());
    gauge!("balcao_channel_last_inbound_timestamp_seconds", "channel" => channel, "account" => account).set(last);
}

/// Tells how the server of a pack is; `out_of_use` is `None` if it did not answer.
pub fn mcp_server(pack: &str, out_of_use: Option<usize>) {
    gauge!("balcao_mcp_server_up", "pack" => pack.to_owned()).set(u32::from(out_of_use.is_some()));
    if let Some(out_of_use) = out_of_use {
        let count = u32::try_from(out_of_use).unwrap_or(u32::MAX);
        gauge!("balcao_mcp_tools_out_of_use", "pack" => pack.to_owned()).set(count);
    }
}

/// Tells how much waits to be moved into a file.
pub(crate) fn log_bytes(bytes: u64) {
    // To the kibibyte.
    gauge!("balcao_database_log_bytes").set(f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) * 1024.0);
}

/// A file was not taken for want of room.
pub(crate) fn file_refused(why: &Full) {
    let reason = match why {
        Full::Visitors(..) => "visitors_day",
        Full::Contact(..) => "contact_day",
        Full::Disk => "disk",
    };
    counter!("balcao_files_refused_total", "reason" => reason).increment(1);
}

/// Tells how much is used of what today may take, and how much of the disk is free.
pub(crate) fn room(figures: &Figures, free: Option<u8>) {
    for counted in DayCounter::ALL {
        let own = figures.budgets.iter().flatten().find(|(of, _)| *of == counted);
        let percent = own.map_or(0, |(_, used)| used.percent());
        let ratio = f64::from(u32::try_from(percent).unwrap_or(u32::MAX)) / 100.0;
        gauge!("balcao_day_budget_used_ratio", "budget" => counted.as_str()).set(ratio);
    }
    if let Some(free) = free {
        gauge!("balcao_database_disk_free_ratio").set(f64::from(free) / 100.0);
    }
}

/// Tells whether the database answers.
pub fn database_up(is_up: bool) {
    gauge!("balcao_database_up").set(u32::from(is_up));
}

/// Sets the gauges to what waits in the database.
pub fn waiting(figures: &Figures, now: Timestamp) {
    let set = |count: &'static str, oldest: &'static str, waiting: Waiting| {
        gauge!(count).set(waiting.count);
        gauge!(oldest).set(seconds(waiting, now));
    };
    set("balcao_inbox_waiting", "balcao_inbox_oldest_seconds", figures.inbox);
    set("balcao_queue_depth", "balcao_queue_oldest_seconds", figures.due);
    set("balcao_handoffs_open", "balcao_handoff_oldest_seconds", figures.handoffs);
    set("balcao_webhook_deliveries_waiting", "balcao_webhook_delivery_oldest_seconds", figures.webhooks);
    gauge!("balcao_webhook_deliveries_dead").set(figures.dead_webhooks);
    gauge!("balcao_turns_open").set(figures.open_turns);
    let states = [
        ("pending", figures.pending.count),
        ("sending", figures.sending.count),
        ("unknown", figures.unknown),
        ("dead", figures.dead),
    ];
    for (state, count) in states {
        gauge!("balcao_outbox_messages", "state" => state).set(count);
    }
    gauge!("balcao_outbox_oldest_seconds").set(seconds(figures.unsent(), now));
    for (kind, due) in [("reminder", figures.reminders), ("follow_up", figures.follow_ups)] {
        gauge!("balcao_jobs_due", "kind" => kind).set(due.count);
        gauge!("balcao_job_lateness_seconds", "kind" => kind).set(seconds(due, now));
    }
}

fn seconds(waiting: Waiting, now: Timestamp) -> u32 {
    u32::try_from(waiting.age(now)).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
