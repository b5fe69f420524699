//! A small, typed, read-only pipeline language, for questions that no fixed report answers.
//!
//! ```text
//! appointments
//! | where status == "no_show" and starts_at >= today - 90d
//! | summarize missed = count(), lost = sum(price) by professional
//! | sort missed desc
//! | take 5
//! ```
//!
//! A question passes three gates before anything is read. [`Query::parse`] knows the grammar; [`Query::plan`] knows which
//! sources and fields whoever asks may see ([`Catalogue`]), and of which type each is; [`Plan::range`] tells the caller what
//! it need not read. Then the caller brings rows, one by one ([`Run::push`]), and a [`Table`] comes out. Nothing in here
//! reaches a database, and no text of the question ever becomes a part of another language.
//!
//! What a question cannot do is stated by [`limits`]. Every mistake is told with its place and with what would be right
//! ([`QueryError`]).

mod aggregate;
mod catalogue;
mod check;
mod error;
mod evaluate;
mod functions;
mod lexer;
pub mod limits;
mod parse;
mod plan;
mod run;
mod syntax;
mod value;

pub use catalogue::{Catalogue, Field, Source};
pub use error::QueryError;
pub use plan::{Column, Plan, Range};
pub use run::{Progress, Run, Table};
pub use syntax::Query;
pub use value::{Type, Value};
