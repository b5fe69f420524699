//! Scheduling and CRM rules: no async, no I/O.
