//! Statements and values between our form and PostgreSQL's.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::database::value::{Value, ValueRef};

type BoxedError = Box<dyn std::error::Error + Sync + Send>;

/// Writes parameters as PostgreSQL wants them: `?1` as `$1`. Literals stay as they are.
pub(super) fn dollars(sql: &str) -> String {
    let mut in_literal = false;
    let mut characters = sql.chars().peekable();
    let mut text = String::with_capacity(sql.len());
    while let Some(character) = characters.next() {
        in_literal ^= character == '\'';
        let is_parameter =
            character == '?' && !in_literal && characters.peek().is_some_and(|next| next.is_ascii_digit());
        text.push(if is_parameter { '$' } else { character });
    }
    text
}

/// The type that a parameter with this value should have, so that `?1 - 86400000` counts with 64 bits. That of null is for the
/// server to find out.
pub(super) const fn kind(value: &Value<'_>) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Integer(_) | Value::Organization(_) => Type::INT8,
        Value::Real(_) => Type::FLOAT8,
        Value::Text(_) => Type::TEXT,
        Value::Bytes(_) => Type::BYTEA,
    }
}

/// Values as the client takes them.
pub(super) fn parameters<'v>(values: &'v [Value<'_>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| {
            let one: &(dyn ToSql + Sync) = value;
            one
        })
        .collect()
}

impl ToSql for Value<'_> {
    /// Binds by the type that the server gave the parameter.
    ///
    /// PostgreSQL's texts cannot hold NUL: U+FFFD takes its place.
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) | Self::Organization(number) if *kind == Type::INT8 => number.to_sql(kind, out),
            Self::Integer(number) if *kind == Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
            Self::Integer(number) if *kind == Type::INT2 => i16::try_from(*number)?.to_sql(kind, out),
            Self::Real(number) if *kind == Type::FLOAT8 => number.to_sql(kind, out),
            Self::Text(text) if *kind == Type::TEXT || *kind == Type::VARCHAR => {
                if text.contains('\0') {
                    text.replace('\0', "\u{fffd}").to_sql(kind, out)
                } else {
                    text.as_ref().to_sql(kind, out)
                }
            }
            Self::Bytes(bytes) if *kind == Type::BYTEA => bytes.as_ref().to_sql(kind, out),
            Self::Bytes(_) => Err(format!("bytes for a parameter of type {kind}").into()),
            Self::Integer(_) | Self::Organization(_) => {
                Err(format!("an integer for a parameter of type {kind}").into())
            }
            Self::Real(_) => Err(format!("a number for a parameter of type {kind}").into()),
            Self::Text(_) => Err(format!("a text for a parameter of type {kind}").into()),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for ValueRef<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Self::Integer(i64::from(i32::from_sql(kind, raw)?)),
            Type::INT2 => Self::Integer(i64::from(i16::from_sql(kind, raw)?)),
            Type::BOOL => Self::Integer(i64::from(bool::from_sql(kind, raw)?)),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME => Self::Text(<&str>::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(<&[u8]>::from_sql(kind, raw)?),
            _ => Self::Other,
        })
    }

    fn from_sql_null(_kind: &Type) -> Result<Self, BoxedError> {
        Ok(Self::Null)
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "bind_tests.rs"]
mod tests;
