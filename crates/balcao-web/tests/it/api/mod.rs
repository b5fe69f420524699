//! The API through a real connection. Every answer is held against the OpenAPI document.

mod access;
mod agenda;
mod attachments;
mod business;
mod calendars;
mod document;
mod input;
mod once;
mod staff;
mod subscriptions;
mod visits;
mod ways_out;
mod work;
mod world;
