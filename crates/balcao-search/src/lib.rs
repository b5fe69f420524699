//! Search over some thousand short texts in memory: by keywords, by vectors, and by both.
//!
//! An [`Index`] holds entries with their labels. Keywords are ranked by BM25 over tokens that the caller makes (so that everything of one
//! program speaks of the same words), vectors by cosine; the two ranks are fused by reciprocal rank. A filter is applied before anything is
//! ranked: what it leaves out is never found, and no hit shows that it is there.
//!
//! [`fuse()`] and [`Vectors`] serve those alone whose words are ranked elsewhere, by a database say.
//!
//! Nothing here reads, waits or guesses: vectors come in as numbers, whoever made them.

mod filter;
mod fuse;
mod index;
mod keywords;
mod vectors;

pub use filter::Filter;
pub use fuse::fuse;
pub use index::{Entry, Hit, Index, Labels, Query};
pub use vectors::{VectorError, Vectors};
