//! Values that go into statements and come out of rows, the same for every database.
//!
//! Instants are integers: milliseconds since the epoch, UTC. Civil dates are texts, `YYYY-MM-DD`. Ids are integers.

use std::borrow::Cow;

use balcao_domain::ids;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;

/// A value to be bound to a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// An integer, a truth value, an id, or an instant.
    Integer(i64),
    /// An organization: on PostgreSQL the statement that it is bound to sees rows of no other.
    Organization(i64),
    /// A floating-point number: coordinates, never money.
    Real(f64),
    /// A text, or a civil date.
    Text(Cow<'a, str>),
    /// A file.
    Bytes(Cow<'a, [u8]>),
}

impl Value<'_> {
    /// Returns an owned copy of the value that borrows nothing.
    #[must_use]
    pub fn to_owned_value(&self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Organization(id) => Value::Organization(*id),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(Cow::Owned(text.clone().into_owned())),
            Self::Bytes(bytes) => Value::Bytes(Cow::Owned(bytes.clone().into_owned())),
        }
    }
}

/// A value as a row holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueRef<'a> {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// A file.
    Bytes(&'a [u8]),
    /// Anything else; no column of ours holds it.
    Other,
}

/// A row of a result, valid until the next one is read.
#[derive(Debug)]
pub struct Row<'a>(pub(crate) RowInner<'a>);

#[derive(Debug)]
pub(crate) enum RowInner<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// The value of a column, counted from 0.
    ///
    /// # Errors
    /// [`StoreError::Decode`] if the column does not exist or holds another type.
    pub fn get<T: FromValue>(&self, column: usize) -> Result<T, StoreError> {
        let value = match &self.0 {
            RowInner::Sqlite(row) => row.get_ref(column).map(of_sqlite).map_err(|error| error.to_string()),
            RowInner::Postgres(row) => row.try_get(column).map_err(|error| error.to_string()),
        };
        let value = value.map_err(|found| StoreError::Decode { column, wanted: "a column", found })?;
        T::from_value(value).ok_or_else(|| StoreError::Decode {
            column,
            wanted: T::WANTED,
            found: format!("{value:?}"),
        })
    }
}

fn of_sqlite(value: rusqlite::types::ValueRef<'_>) -> ValueRef<'_> {
    use rusqlite::types::ValueRef as Sqlite;
    match value {
        Sqlite::Null => ValueRef::Null,
        Sqlite::Integer(number) => ValueRef::Integer(number),
        Sqlite::Real(number) => ValueRef::Real(number),
        Sqlite::Text(bytes) => std::str::from_utf8(bytes).map_or(ValueRef::Other, ValueRef::Text),
        Sqlite::Blob(bytes) => ValueRef::Bytes(bytes),
    }
}

/// What a column can be read as.
pub trait FromValue: Sized {
    /// What is expected, for the error.
    const WANTED: &'static str;

    /// The value, or `None` if the column holds something else.
    fn from_value(value: ValueRef<'_>) -> Option<Self>;
}

impl FromValue for i64 {
    const WANTED: &'static str = "an integer";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Integer(number) => Some(number),
            ValueRef::Null | ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Bytes(_) | ValueRef::Other => None,
        }
    }
}

impl FromValue for f64 {
    const WANTED: &'static str = "a number";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Real(number) => Some(number),
            ValueRef::Integer(number) => i32::try_from(number).ok().map(Self::from),
            ValueRef::Null | ValueRef::Text(_) | ValueRef::Bytes(_) | ValueRef::Other => None,
        }
    }
}

impl FromValue for String {
    const WANTED: &'static str = "a text";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Text(text) => Some(text.to_owned()),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Bytes(_) | ValueRef::Other => None,
        }
    }
}

impl FromValue for Vec<u8> {
    const WANTED: &'static str = "bytes";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Bytes(bytes) => Some(bytes.to_vec()),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Other => None,
        }
    }
}

impl FromValue for bool {
    const WANTED: &'static str = "0 or 1";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Integer(0) => Some(false),
            ValueRef::Integer(1) => Some(true),
            ValueRef::Integer(_)
            | ValueRef::Null
            | ValueRef::Real(_)
            | ValueRef::Text(_)
            | ValueRef::Bytes(_)
            | ValueRef::Other => None,
        }
    }
}

impl FromValue for Timestamp {
    const WANTED: &'static str = "milliseconds since the epoch";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        Self::from_millisecond(i64::from_value(value)?).ok()
    }
}

impl FromValue for Date {
    const WANTED: &'static str = "a date";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Text(text) => text.parse().ok(),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Bytes(_) | ValueRef::Other => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        if value == ValueRef::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

macro_rules! unsigned {
    ($($kind:ty),*) => {$(
        impl FromValue for $kind {
            const WANTED: &'static str = "a number that is not negative";

            fn from_value(value: ValueRef<'_>) -> Option<Self> {
                Self::try_from(i64::from_value(value)?).ok()
            }
        }

        impl From<$kind> for Value<'_> {
            fn from(number: $kind) -> Self {
                Self::Integer(i64::from(number))
            }
        }
    )*};
}

unsigned!(u16, u32);

macro_rules! id_values {
    ($($name:ident),*) => {$(
        impl FromValue for ids::$name {
            const WANTED: &'static str = "an id";

            fn from_value(value: ValueRef<'_>) -> Option<Self> {
                Self::try_from(i64::from_value(value)?).ok()
            }
        }

        impl From<ids::$name> for Value<'_> {
            fn from(id: ids::$name) -> Self {
                Self::Integer(i64::from(id))
            }
        }
    )*};
}

impl FromValue for ids::OrganizationId {
    const WANTED: &'static str = "an id";

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        Self::try_from(i64::from_value(value)?).ok()
    }
}

impl From<ids::OrganizationId> for Value<'_> {
    fn from(id: ids::OrganizationId) -> Self {
        Self::Organization(i64::from(id))
    }
}

id_values!(
    ContactId,
    ProfessionalId,
    ServiceId,
    AppointmentId,
    PlanId,
    SubscriberId,
    PipelineId,
    StageId,
    TagId,
    NoteId,
    KnowledgeId,
    TemplateId,
    MediaId,
    StaffId,
    FollowUpId,
    ReminderId,
    WaitlistId,
    TimeOffId,
    ConversationId,
    MessageId,
    TurnId,
    InboxId,
    OutboxId,
    AttachmentId,
    ApiKeyId,
    FeedId
);

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Integer(i64::from(truth))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(instant: Timestamp) -> Self {
        Self::Integer(instant.as_millisecond())
    }
}

impl From<Date> for Value<'_> {
    fn from(date: Date) -> Self {
        Self::Text(Cow::Owned(date.to_string()))
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The values of a statement's parameters, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::value::Value::from($value)),*] };
}
pub(crate) use values;

/// Reads a column that holds JSON.
pub(crate) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, StoreError> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| StoreError::Decode {
        column,
        wanted: "JSON of the expected shape",
        found: error.to_string(),
    })
}

/// Writes JSON for a column.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Decode {
        column: 0,
        wanted: "a value that JSON can hold",
        found: error.to_string(),
    })
}

/// Reads a column that holds one of a set of words.
pub(crate) fn read_word<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StoreError> {
    let text: String = row.get(column)?;
    read(&text).ok_or(StoreError::Decode { column, wanted: "a known word", found: text })
}

/// Rows that one statement inserts at most.
const BATCH: usize = 50;

/// Calls `insert` for all of `texts`, several in one statement: with the rows of a `VALUES` list, and with their texts. Each row holds the
/// first `shared` parameters and then the text of its own. There are two forms of the list, so that a database plans two statements.
pub(crate) fn in_batches<'a>(
    texts: &'a [String],
    shared: usize,
    mut insert: impl FnMut(&str, Vec<Value<'a>>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let before: String = (1..=shared).map(|number| format!("?{number}, ")).collect();
    let rows = |count: usize| {
        let rows: Vec<String> = (1..=count).map(|row| format!("({before}?{})", shared + row)).collect();
        rows.join(", ")
    };
    let (full, single) = (rows(BATCH), rows(1));
    let (batches, rest) = texts.as_chunks::<BATCH>();
    for batch in batches {
        insert(&full, batch.iter().map(Value::from).collect())?;
    }
    rest.iter().try_for_each(|text| insert(&single, vec![Value::from(text)]))
}
