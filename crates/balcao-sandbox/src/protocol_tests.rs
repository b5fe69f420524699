use super::*;

#[test]
fn a_call_is_read_as_it_was_written() {
    let header = CallHeader {
        number: 7,
        check_only: true,
        now_ms: -5,
        limits: Limits { time: Duration::from_millis(3), memory_bytes: 1, output_bytes: 2, stack_bytes: 4 },
        order: vec![3, 0],
    };
    let mut body = Vec::new();
    header.write(&mut body);
    body.extend_from_slice(b"[1]");
    assert_eq!(CallHeader::read(&body), Some((header, &b"[1]"[..])));
}

#[test]
fn a_short_call_is_no_call() {
    let header = CallHeader { number: 1, check_only: false, now_ms: 0, limits: Limits::default(), order: vec![0, 1] };
    let mut body = Vec::new();
    header.write(&mut body);
    for length in 0..body.len() {
        assert_eq!(CallHeader::read(&body[..length]), None, "{length} bytes");
    }
}

#[test]
fn a_frame_begins_with_its_length_and_kind() {
    let whole = answer(Kind::Value, 1, true, b"{}").unwrap();
    assert_eq!(whole.len(), 4 + 1 + 9 + 2);
    assert_eq!(whole[..5], [12, 0, 0, 0, 4]);
    assert_eq!(read_answer(&whole[5..]), Some((1, true, &b"{}"[..])));
    assert_eq!(Kind::from_byte(4), Some(Kind::Value));
    assert_eq!(Kind::from_byte(9), None);
}
