//! Tags that contacts carry.

use serde::{Deserialize, Serialize};

use crate::ids::TagId;

/// A tag of the organization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its id.
    pub id: TagId,
    /// Its name, unique in the organization.
    pub name: String,
}
