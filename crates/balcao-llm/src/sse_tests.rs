use super::*;

fn decode(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let mut decoder = SseDecoder::new(1024);
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut events).unwrap();
    }
    decoder.finish(&mut events).unwrap();
    events.into_iter().map(|event| (event.name, event.data)).collect()
}

fn data(text: &str) -> (String, String) {
    (String::new(), text.to_owned())
}

#[test]
fn every_line_ending_ends_a_line() {
    for text in ["data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r"] {
        assert_eq!(decode(&[text.as_bytes()]), [data("a"), data("b")], "{text:?}");
    }
}

#[test]
fn a_crlf_cut_in_the_middle_is_one_line_end() {
    assert_eq!(decode(&[b"data: a\r", b"\ndata: b\r", b"", b"\n\r", b"\n"]), [data("a\nb")]);
}

#[test]
fn a_character_cut_in_the_middle_survives() {
    let text = "data: ação 💈\n\n".as_bytes();
    for cut in 0..text.len() {
        let (left, right) = text.split_at(cut);
        assert_eq!(decode(&[left, right]), [data("ação 💈")], "cut at {cut}");
    }
}

#[test]
fn comments_unknown_fields_and_a_byte_order_mark_are_not_data() {
    let text =
        "\u{feff}: ping\nid: 7\nretry: 10\nevent: note\ndata:x\ndata:  y\n\n: PROCESSING\n\nevent: alone\n\ndata\n\n";
    assert_eq!(decode(&[text.as_bytes()]), [("note".to_owned(), "x\n y".to_owned()), data("")]);
}

#[test]
fn a_last_event_without_its_blank_line_is_kept() {
    assert_eq!(decode(&[b"data: a\n\ndata: b"]), [data("a"), data("b")]);
}

#[test]
fn bytes_that_are_no_utf8_do_not_stop_the_stream() {
    assert_eq!(decode(&[b"data: a\xff\n\n"]), [data("a\u{fffd}")]);
}

#[test]
fn a_line_or_event_over_the_limit_is_refused() {
    let mut decoder = SseDecoder::new(8);
    assert_eq!(decoder.push(b"data: 123456789", &mut Vec::new()), Err(SseTooLarge { limit: 8 }));
    let mut decoder = SseDecoder::new(8);
    assert_eq!(decoder.push(b"data:12\ndata:345\ndata:6789\n", &mut Vec::new()), Err(SseTooLarge { limit: 8 }));
}

#[test]
fn lines_that_are_whole_objects_are_events_without_a_blank_line_too() {
    let text = "data: null\ndata: {\"a\":\"}\"}\nevent: b\ndata: {\"b\":1}\ndata: [DONE]\n";
    let named = ("b".to_owned(), "{\"b\":1}".to_owned());
    let events = [data("null"), data("{\"a\":\"}\"}"), named, data("[DONE]")];
    assert_eq!(decode(&[text.as_bytes()]), events);
    // One document over several lines, and lines of a text, are joined as the standard says.
    for lines in [["{", "\"a\": {}", "}"], ["{\"a\":", "{}", "}"], ["1", "2", "[]"]] {
        let text: String = lines.iter().map(|line| format!("data: {line}\n")).collect();
        assert_eq!(decode(&[text.as_bytes(), b"\n"]), [data(&lines.join("\n"))]);
    }
}
