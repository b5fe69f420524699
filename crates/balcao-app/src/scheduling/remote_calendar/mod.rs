//! Calendars of a service outside, beside our own tables: what the program needs of such a service.

pub mod service;
