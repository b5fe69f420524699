use AppointmentStatus::{Cancelled, Completed, Confirmed, NoShow, Pending};

use super::*;

#[test]
fn the_legal_changes_are_these_and_no_others() {
    let legal = [
        (Pending, Confirmed),
        (Pending, Cancelled),
        (Confirmed, Completed),
        (Confirmed, NoShow),
        (Confirmed, Cancelled),
        (Completed, NoShow),
        (NoShow, Completed),
    ];
    for from in AppointmentStatus::ALL {
        for to in AppointmentStatus::ALL {
            assert_eq!(from.may_become(to), legal.contains(&(from, to)), "{from} → {to}");
        }
    }
}

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
