use super::*;

#[test]
fn every_page_of_a_visitor_sees_the_whole_of_what_was_written_so_far_and_nobody_elses_does() {
    let hub = Hub::default();
    let (ana, bia) = (hub.join("ana", 2, 9).unwrap(), hub.join("bia", 2, 9).unwrap());
    let draft = hub.drafting("ana");
    draft.delta("Oi! ");
    let late = hub.join("ana", 2, 9).unwrap();
    draft.delta("Tudo bem?");
    assert_eq!([ana.draft(), late.draft(), bia.draft()], ["Oi! Tudo bem?", "Oi! Tudo bem?", ""]);
    ana.settle();
    assert_eq!([ana.draft(), late.draft()], ["", ""]);
}

#[test]
fn what_came_to_nothing_is_no_longer_seen_and_what_became_a_message_is_until_that_comes() {
    let hub = Hub::default();
    let ana = hub.join("ana", 1, 9).unwrap();
    let draft = hub.drafting("ana");
    draft.delta("Deixe-me ver. ");
    draft.retract();
    assert_eq!(ana.draft(), "");
    draft.delta("Pronto.");
    assert_eq!(ana.draft(), "Pronto.");
    drop(draft);
    assert_eq!(ana.draft(), "");
    let draft = hub.drafting("ana");
    draft.delta("Temos, sim.");
    draft.keep();
    assert_eq!(ana.draft(), "Temos, sim.");
}

#[test]
fn without_an_open_page_nothing_is_kept() {
    let hub = Hub::default();
    let draft = hub.drafting("ana");
    draft.delta("Oi!");
    draft.keep();
    assert_eq!(hub.join("ana", 1, 9).unwrap().draft(), "");
    assert_eq!(hub.open(), 0);
}
