//! The accounts by which the business tells its own people.

/// By which accounts notices leave; a way without an account is not taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotificationAccounts {
    /// WhatsApp: the channel's name and its account.
    pub whatsapp: Option<(String, String)>,
    /// The address that e-mail comes from.
    pub email: Option<String>,
    /// The channels that carry handoff alerts to staff.
    pub handoffs: HandoffAlerts,
}

/// The channels that carry handoff alerts to staff. The accounts are those of the notices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HandoffAlerts {
    /// By e-mail.
    pub email: bool,
    /// By WhatsApp, to the number of the person of staff.
    pub whatsapp: bool,
}
