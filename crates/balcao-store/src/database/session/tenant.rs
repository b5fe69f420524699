//! Whose rows a session sees.

/// Whose rows a statement sees (row-level security; the migration of that name).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tenant {
    Nobody,
    One(i64),
    Everybody,
}

impl Tenant {
    /// The setting that the policies read; it ends with the transaction, or with the savepoint that is undone.
    pub(super) fn set(self) -> String {
        let value = match self {
            Self::Nobody => String::new(),
            Self::One(id) => id.to_string(),
            Self::Everybody => "*".to_owned(),
        };
        format!("SET LOCAL balcao.organization = '{value}'")
    }
}
