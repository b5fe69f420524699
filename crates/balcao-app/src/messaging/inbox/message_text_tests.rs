use balcao_channel::inbound::Content;

use super::{MAX_CHARS, compose};

#[test]
fn a_turn_reads_8000_characters_of_a_message_and_no_more() {
    let read = |chars: usize| compose(&Content::Text { body: "á".repeat(chars) }, "pt-BR").chars().count();
    assert_eq!((read(MAX_CHARS), read(MAX_CHARS + 1), read(1_000_000)), (8_000, 8_000, 8_000));
}
