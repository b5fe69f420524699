//! Properties: cutting changes nothing, and what is cut off never becomes a call.

use balcao_llm::{
    FinishReason,
    sse::{SseDecoder, SseEvent},
};
use proptest::prelude::*;

use crate::corpus::{PROTOCOLS, read, recorded};

fn decode<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new(1 << 20);
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut events).unwrap();
    }
    decoder.finish(&mut events).unwrap();
    events
}

fn cut<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.sort_unstable();
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in at.into_iter().chain([bytes.len()]) {
        pieces.push(&bytes[start..end]);
        start = end;
    }
    pieces
}

/// Bytes that look like an event stream, with everything that is awkward in one.
fn stream_bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => Just(b"data: ".to_vec()),
        2 => Just(b"event:".to_vec()),
        1 => Just(b": note".to_vec()),
        1 => Just("\u{feff}".as_bytes().to_vec()),
        3 => Just(b"\n".to_vec()),
        2 => Just(b"\r".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        3 => "[a-zç💈 :]{0,6}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn the_decoder_does_not_see_how_a_stream_is_cut(
        bytes in stream_bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        prop_assert_eq!(decode([bytes.as_slice()]), decode(cut(&bytes, &cuts)));
    }

    #[test]
    fn no_bytes_at_all_make_a_parser_panic(bytes in stream_bytes()) {
        for protocol in PROTOCOLS {
            let (whole, _) = read(protocol, &bytes, 4096);
            prop_assert!(whole.is_err());
        }
    }

    #[test]
    fn broken_json_is_an_error_in_every_protocol(
        json in r#"\{"(choices|candidates|type|message|error)":(null|1|"x"|\[\]|\[null\]|\[1\]|\{\}|\[\{\}\]|\{"a":1\})\}"#,
        piece in 1_usize..9,
    ) {
        for protocol in PROTOCOLS {
            let (bare, seen) = read(protocol, json.as_bytes(), piece);
            prop_assert!(bare.is_err(), "{:?}", bare);
            prop_assert_eq!(seen.text, "");
            let event = format!("data: {json}\n\n");
            prop_assert!(read(protocol, event.as_bytes(), piece).0.is_err());
        }
    }
}

#[test]
fn no_prefix_of_a_recorded_answer_gives_a_call_that_was_cut() {
    let mut checked = 0_usize;
    for recorded in recorded() {
        let Some(protocol) = recorded.protocol else { continue };
        let Ok(whole) = read(protocol, &recorded.body, 4096).0 else { continue };
        // Every byte of small bodies; of large ones, places spread by a prime so that they fall everywhere in an event.
        let step = if recorded.body.len() <= 1_500 { 1 } else { 397 };
        for end in (0..recorded.body.len()).step_by(step) {
            checked += 1;
            let (outcome, seen) = read(protocol, &recorded.body[..end], 4096);
            assert!(whole.text.starts_with(&seen.text) || seen.text.starts_with(&whole.text), "{}", recorded.path);
            let Ok(prefix) = outcome else { continue };
            if prefix.finish == FinishReason::ToolCalls || !prefix.tool_calls.is_empty() {
                assert_eq!(prefix.tool_calls, whole.tool_calls, "{} cut at {end}", recorded.path);
            }
            assert_eq!(prefix.text, whole.text, "{} cut at {end}", recorded.path);
        }
    }
    eprintln!("{checked} prefixes");
}
