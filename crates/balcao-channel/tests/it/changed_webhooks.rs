//! Real webhooks, changed at random from a seed: the same in every run.

use balcao_testkit::fakes::graph::webhooks;
use serde_json::json;

use crate::any_webhook::{drive, sign};

/// Numbers from a seed (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// Pieces that mean something to a reader of JSON, or to one of webhooks.
const PIECES: [&[u8]; 16] = [
    b"\"",
    b"\\",
    b"\\ud800",
    b"\\u0000",
    b"{",
    b"}",
    b"[[[[[[[[",
    b"null",
    b"-0",
    b"1e999",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\"id\":",
    b"\"messages\":[",
    b"\"timestamp\":\"-99999999999999999999\"",
    b"\0",
];

fn changed(dice: &mut Dice, bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut body = bodies[dice.below(bodies.len())].clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(body.len() + 1);
        match dice.below(6) {
            0 => body.truncate(at),
            1 => body.splice(at..at, PIECES[dice.below(PIECES.len())].iter().copied()).for_each(drop),
            2 => body.drain(at..(at + dice.below(12)).min(body.len())).for_each(drop),
            3 => {
                let other = &bodies[dice.below(bodies.len())];
                let (from, until) = (dice.below(other.len()), dice.below(other.len()));
                body.splice(at..at, other[from.min(until)..from.max(until)].iter().copied()).for_each(drop);
            }
            4 => body.splice(at..at, body[..at].to_vec()).for_each(drop),
            _ => {
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
    }
    body
}

#[test]
fn no_change_of_a_webhook_breaks_its_reader_or_is_believed_unsigned() {
    let status = webhooks::status("wamid.OUT1", "failed", json!({ "errors": [{ "code": 131_049, "title": "x" }] }));
    let image = json!({ "type": "image", "image": { "id": "m1", "mime_type": "image/png", "caption": "olá" } });
    let place = json!({ "type": "location", "location": { "latitude": -19.9, "longitude": -43.9, "name": "a" } });
    let bodies: Vec<Vec<u8>> = [
        webhooks::text("wamid.1", "oi, ação 👩\u{200d}🦰"),
        webhooks::message("wamid.2", image),
        webhooks::message("wamid.3", place),
        status,
    ]
    .iter()
    .map(|body| body.to_string().into_bytes())
    .collect();
    let mut dice = Dice(0x5eed_0000_0000_0a45);
    for _ in 0..5_000 {
        let body = changed(&mut dice, &bodies);
        let right = sign(&body);
        let shown: Vec<u8> = match dice.below(4) {
            0 => right.into_bytes(),
            1 => right.to_ascii_uppercase().into_bytes(),
            2 => right.into_bytes().into_iter().take(dice.below(72)).collect(),
            _ => PIECES[dice.below(PIECES.len())].to_vec(),
        };
        drive(&[&[u8::try_from(shown.len()).unwrap()], shown.as_slice(), &body].concat());
    }
}
