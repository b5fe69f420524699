//! What the program tells of itself.

pub(crate) mod measured;
