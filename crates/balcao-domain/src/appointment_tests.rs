use super::*;

#[test]
fn a_status_is_read_as_it_is_written() {
    for status in AppointmentStatus::ALL {
        assert_eq!(status.as_str().parse(), Ok(status));
    }
    assert!("done".parse::<AppointmentStatus>().is_err());
}

#[test]
fn each_status_says_whether_it_holds_its_slot_and_is_open() {
    let told = AppointmentStatus::ALL.map(|status| (status.to_string(), status.holds_slot(), status.is_open()));
    let expected = [
        ("pending", true, true),
        ("confirmed", true, true),
        ("completed", true, false),
        ("no_show", true, false),
        ("cancelled", false, false),
    ];
    assert_eq!(told, expected.map(|(name, holds, open)| (name.to_owned(), holds, open)));
}
