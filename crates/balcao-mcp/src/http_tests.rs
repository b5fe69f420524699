use super::*;

#[test]
fn the_bytes_of_an_event_are_counted_up_to_an_empty_line_and_without_comments() {
    let size = |pieces: &[&str]| {
        let mut size = EventSize::default();
        pieces.iter().map(|piece| size.add(piece.as_bytes())).max()
    };
    assert_eq!(size(&["data: 1\n\ndata: 22\n\n"]), Some(8));
    assert_eq!(size(&["data: 1\n", "data: 1\n", "\n"]), Some(14));
    // However its lines end, an event goes on up to an empty one.
    for end in ["\n", "\r", "\r\n"] {
        assert_eq!(size(&[&format!("data: 1{end}data: 1{end}{end}data: 1{end}{end}")]), Some(14), "{end:?}");
    }
    assert_eq!(size(&["data: 1\r", "\ndata: 1\r", "\n\r\n"]), Some(14));
    assert_eq!(size(&[":::\n".repeat(1_000).as_str()]), Some(3));
    assert_eq!(size(&["data: 1\n", ":::\n", "data: 1\n"]), Some(14));
}
