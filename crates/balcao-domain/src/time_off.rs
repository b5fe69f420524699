//! Time a professional is away.

use serde::{Deserialize, Serialize};

use crate::ids::{ProfessionalId, TimeOffId};
use crate::span::Span;

/// A span in which a professional takes no appointments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// Its id.
    pub id: TimeOffId,
    /// Who is away.
    pub professional: ProfessionalId,
    /// When.
    pub span: Span,
    /// Why, for staff only.
    pub note: Option<String>,
}
