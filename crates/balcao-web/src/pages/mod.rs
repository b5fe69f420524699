//! Pages for people: each has a folder here, and its files in `assets/` under the same name.

pub mod demo;
