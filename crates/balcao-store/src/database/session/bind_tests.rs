use bytes::BytesMut;
use tokio_postgres::types::{ToSql, Type};

use super::dollars;
use crate::database::value::Value;

#[test]
fn parameters_are_renamed_and_literals_are_not() {
    assert_eq!(dollars("SELECT ?1, ?12 WHERE a = ?2"), "SELECT $1, $12 WHERE a = $2");
    assert_eq!(dollars("SELECT 'why?1', 'it''s ?2', ?3"), "SELECT 'why?1', 'it''s ?2', $3");
    assert_eq!(dollars("SELECT a ? b"), "SELECT a ? b");
}

#[test]
fn a_value_is_written_as_the_parameter_wants_it_or_refused() {
    let write = |value: Value<'_>, kind: &Type| {
        let mut out = BytesMut::new();
        value.to_sql(kind, &mut out).map(|_| out.to_vec()).map_err(|error| error.to_string())
    };
    assert_eq!(write(Value::from(7_i64), &Type::INT8).unwrap(), 7_i64.to_be_bytes());
    assert_eq!(write(Value::from(7_i64), &Type::INT4).unwrap(), 7_i32.to_be_bytes());
    assert!(write(Value::from(i64::MAX), &Type::INT4).is_err());
    assert!(write(Value::from(7_i64), &Type::TEXT).unwrap_err().contains("text"));
    assert!(write(Value::from("7"), &Type::INT8).unwrap_err().contains("int8"));
    assert_eq!(write(Value::from("a\0b"), &Type::TEXT).unwrap(), "a\u{fffd}b".as_bytes());
}
