//! Telling the business's own people: professionals of their appointments, staff of handoffs.

pub(crate) mod handoff_alerts;
pub(crate) mod hot_leads;
pub(crate) mod professionals;
pub(crate) mod staff_alerts;
