//! Search over some thousand short texts in memory: by keywords, by vectors, and by both.
//!
//! An [`Index`] holds entries with their labels. BM25 ranks keywords, over tokens that the caller makes, so that one program uses the same
//! tokens everywhere. The cosine ranks vectors, and reciprocal rank fuses the two ranks. A filter is applied before anything is ranked: an
//! entry that the filter leaves out is never found, and no hit shows that it exists.
//!
//! [`fuse()`] and [`Vectors`] also work alone, for example if a database ranks the words.
//!
//! Nothing here reads, waits or guesses: vectors come in as numbers.

mod filter;
mod fuse;
mod index;
mod keywords;
mod vectors;

pub use filter::Filter;
pub use fuse::fuse;
pub use index::{Entry, Hit, Index, Labels, Query};
pub use vectors::{VectorError, Vectors};
