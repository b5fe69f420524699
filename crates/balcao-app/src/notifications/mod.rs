//! Notifications to the people of the business: to professionals about appointments, to staff about handoffs and hot leads.

pub(crate) mod handoff_alerts;
pub(crate) mod hot_leads;
pub(crate) mod professionals;
pub(crate) mod staff_alerts;
