//! Names that a provider gives: opaque texts, each with a type of its own, so that none is taken for another.
//!
//! They are kept as they came. Nothing here checks them, because their form is the provider's; who puts one into an
//! address must escape or check it there.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! provider_names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it came.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text as it came.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

provider_names! {
    /// The business's own account on a channel: on WhatsApp the id of the phone number, which is not the number.
    AccountId;
    /// One message, as the provider names it: on WhatsApp `wamid.…`.
    ProviderMessageId;
    /// A person, as the provider names them: on WhatsApp the business-scoped user id, `BR.…`; by e-mail their address.
    UserId;
    /// A person's number as the channel writes it, digits without a plus sign. Never repaired: on WhatsApp it may lack
    /// Brazil's ninth digit, and messages must be sent to it as it is.
    Number;
    /// A file that the provider keeps for a while.
    ProviderMediaId;
}
