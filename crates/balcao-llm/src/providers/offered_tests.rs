use super::*;

fn offered(names: &[&str]) -> Offered {
    Offered::from_names(names.iter().map(|name| (*name).to_owned()))
}

#[test]
fn a_name_means_the_only_tool_that_it_can_mean() {
    let tools = offered(&["create_appointment", "find-slots"]);
    for written in [
        "create_appointment",
        " create_appointment\n",
        "functions.create_appointment",
        "default_api.create_appointment",
        "Create_Appointment",
        "create-appointment",
        " functions.CREATE-appointment",
    ] {
        assert_eq!(tools.find(written), Some("create_appointment"), "{written}");
    }
    assert_eq!(tools.find("find_slots"), Some("find-slots"));
    for written in ["", "create", "createappointment", "create_appointments", "other.create_appointment"] {
        assert_eq!(tools.find(written), None, "{written}");
    }
}

#[test]
fn a_name_between_two_tools_means_neither() {
    let tools = offered(&["book", "BOOK", "find_slots", "find-slots"]);
    assert_eq!(tools.find("Book"), None);
    assert_eq!(tools.find("Find_Slots"), None);
    for exact in ["book", "BOOK", "find_slots", "find-slots"] {
        assert_eq!(tools.find(exact), Some(exact));
    }
    assert_eq!(tools.find("functions.BOOK"), Some("BOOK"));
}
