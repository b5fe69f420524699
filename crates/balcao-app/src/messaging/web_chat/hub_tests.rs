use super::*;

#[test]
fn every_page_of_a_visitor_sees_the_whole_of_what_was_written_so_far_and_nobody_elses_does() {
    let hub = Hub::default();
    let (ana, bia) = (hub.join("ana", 2, 9).unwrap(), hub.join("bia", 2, 9).unwrap());
    let preview = hub.begin_preview("ana");
    preview.delta("Oi! ");
    let late = hub.join("ana", 2, 9).unwrap();
    preview.delta("Tudo bem?");
    assert_eq!([ana.preview(), late.preview(), bia.preview()], ["Oi! Tudo bem?", "Oi! Tudo bem?", ""]);
    ana.clear_preview();
    assert_eq!([ana.preview(), late.preview()], ["", ""]);
}

#[test]
fn what_came_to_nothing_is_no_longer_seen_and_what_became_a_message_is_until_that_comes() {
    let hub = Hub::default();
    let ana = hub.join("ana", 1, 9).unwrap();
    let preview = hub.begin_preview("ana");
    preview.delta("Deixe-me ver. ");
    preview.retract();
    assert_eq!(ana.preview(), "");
    preview.delta("Pronto.");
    assert_eq!(ana.preview(), "Pronto.");
    drop(preview);
    assert_eq!(ana.preview(), "");
    let preview = hub.begin_preview("ana");
    preview.delta("Temos, sim.");
    preview.keep();
    assert_eq!(ana.preview(), "Temos, sim.");
}

#[test]
fn without_an_open_page_nothing_is_kept() {
    let hub = Hub::default();
    let preview = hub.begin_preview("ana");
    preview.delta("Oi!");
    preview.keep();
    assert_eq!(hub.join("ana", 1, 9).unwrap().preview(), "");
    assert_eq!(hub.open(), 0);
}
