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
//! A question passes three gates before the first read. [`Query::parse`] knows the grammar. [`Query::plan`] knows the sources and fields
//! that the asking person may see ([`Catalogue`]), and the type of each. [`Plan::range`] tells the caller which rows it need not read. Then
//! the caller brings rows, one by one ([`Run::push`]), and a [`Table`] comes out. This crate never reaches a database, and no text of the
//! question becomes a part of another language.
//!
//! [`limits`] states what a question cannot do. Every mistake comes with its place and the valid form ([`QueryError`]).

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
