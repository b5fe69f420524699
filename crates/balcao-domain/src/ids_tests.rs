use super::*;

#[test]
fn an_id_holds_what_an_int4_key_holds() {
    assert_eq!(AppointmentId::try_from(1).unwrap().get(), 1);
    assert_eq!(AppointmentId::try_from(2_147_483_647).unwrap().get(), i32::MAX);
    for value in [0, -1, 2_147_483_648, i64::MAX, i64::MIN] {
        assert_eq!(AppointmentId::try_from(value), Err(IdError::OutOfRange { kind: "appointment", value }));
    }
}

#[test]
fn an_id_prints_with_its_prefix_and_refuses_anothers() {
    let id = AppointmentId::try_from(42).unwrap();
    assert_eq!(id.to_string(), "apt_42");
    assert_eq!("apt_42".parse(), Ok(id));
    for text in ["con_42", "apt_", "apt_0", "apt_042", "apt_+4", "apt_2147483648", "42", "apt-42", "apt_42 ", ""] {
        let error = text.parse::<AppointmentId>().unwrap_err();
        assert!(error.to_string().contains("apt_42"), "{error}");
    }
}

#[test]
fn an_id_is_a_bare_integer_in_json() {
    let id = AppointmentId::try_from(7).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "7");
    assert_eq!(serde_json::from_str::<AppointmentId>("7").unwrap(), id);
    let error = serde_json::from_str::<AppointmentId>("0").unwrap_err().to_string();
    assert!(error.contains("from 1 to 2147483647"), "{error}");
}
