//! How a failed check is mended where that is unambiguous.

use serde_json::Value;

use super::path::FieldPath;
use crate::expression::Expression;

#[derive(Debug)]
pub(super) enum Mending {
    /// As the check itself knows how.
    Known,
    /// Fields, each set to what an expression over the arguments gives, or removed.
    Set(Vec<(FieldPath, Option<Expression>)>),
}

impl Mending {
    /// The arguments, mended. `known` is what the check itself knows. `None` where it is not unambiguous after all.
    pub(super) fn mend(&self, args: &Value, known: Option<&Value>) -> Option<Value> {
        match self {
            Self::Known => known.cloned(),
            Self::Set(fields) => {
                let mut mended = args.clone();
                for (field, expression) in fields {
                    let value = match expression {
                        Some(expression) => Some(expression.value(args).ok()?),
                        None => None,
                    };
                    field.set(&mut mended, value);
                }
                (mended != *args).then_some(mended)
            }
        }
    }

    /// Describes the change in words, for the caller and for staff.
    pub(super) fn words(before: &Value, after: &Value) -> String {
        let empty = serde_json::Map::new();
        let (old, new) = (before.as_object().unwrap_or(&empty), after.as_object().unwrap_or(&empty));
        let set =
            new.iter().filter(|(name, value)| old.get(*name) != Some(value)).map(|(name, value)| match old.get(name) {
                Some(was) => format!("{name} was {was}, and is {value}"),
                None => format!("{name} is {value}"),
            });
        let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| format!("{name} was removed"));
        set.chain(gone).collect::<Vec<_>>().join("; ")
    }
}
