//! Portuguese and English as customers write them: without accents, abbreviated, in a hurry.
//!
//! Plain functions over text: no I/O, no clock (today's date is an argument), no state. Each rule documents what it reads and what it
//! refuses to guess, because the tools, the guardrails and the offline model all rely on the same words.
//!
//! Not here: anything about one business. Names, aliases and services come in as data ([`names`]).

pub mod agreement;
pub mod bilingual;
pub mod dates;
pub mod detect;
pub mod first_names;
pub mod format;
pub mod forms;
pub mod intents_rules;
pub mod lead_times;
pub mod moments;
pub mod names;
pub mod normalize;
pub mod numbers;
pub mod orders;
pub mod own_contact;
pub mod own_name;
pub mod people;
pub mod quantities;
pub mod recipients;
pub mod search;
pub mod statements;
pub mod times;
pub mod wishes;

pub use agreement::{
    Agreement, Asked, Named, agreement, agreement_about, agreement_to, names_only, only_acknowledges, only_repeats,
    repeats,
};
pub use balcao_domain::Locale;
pub use bilingual::bilingual_tokens;
pub use dates::{
    DateMatch, DateProblem, DateSpan, Meaning, ResolvedDate, find_dates, find_dates_in, resolve_date, resolve_date_in,
    weekday_named,
};
pub use detect::english;
pub use first_names::is_first_name;
pub use forms::{is_form_of, is_function_word};
pub use intents_rules::{asks_for_human, contains_word, opt_in, opt_out};
pub use lead_times::lead_times;
pub use moments::looked_at;
pub use names::{Candidate, How, NameMatch, match_name};
pub use normalize::{Token, TokenKind, normalize, tokens};
pub use orders::orders_only;
pub use own_contact::{asks_own_contact, gives_contact, is_contact};
pub use own_name::{OwnName, are_given, asks_own_name, own_names};
pub use people::{anybody_will_do, is_relative};
pub use recipients::{is_meant_for_both, meant_for};
pub use search::search_tokens;
pub use statements::{Statement, statements};
pub use times::{Period, TimeMatch, TimeReading, TimeWindow, bare_hours, bare_hours_from, find_times, find_times_from};
pub use wishes::{Wish, is_put_off, mentions, wants_another, wish_for};
