//! The option that says who acts, and ids as people write them.

use balcao_app::context::staff_email::Actor;

/// Who acts.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ActingStaff {
    /// The e-mail address of the staff member who acts; default: the operator of the server.
    #[arg(long = "as", value_name = "EMAIL")]
    email: Option<String>,
}

impl ActingStaff {
    pub(crate) fn actor(self) -> Actor {
        self.email.map_or(Actor::Operator, Actor::Staff)
    }
}

/// Reads an id with its prefix or without; `expected` says how it looks.
pub(crate) fn read_id<T: std::str::FromStr + TryFrom<i64>>(
    kind: &str,
    text: &str,
    expected: &str,
) -> Result<T, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| T::try_from(number).ok());
    id.ok_or_else(|| format!("invalid {kind} `{text}`; expected an id {expected}"))
}
