//! How long a sound is, as far as its container says so at a place that is easily found.

use std::time::Duration;

/// Samples of Opus in a second, whatever it was made of (RFC 7845 §4).
const OPUS_RATE: u64 = 48_000;

/// The length of a sound of this type; `None` if the file does not say it.
///
/// Known are Opus in Ogg, which voice notes are, and MPEG-4. What the file says may be a lie: this saves costs, no more.
#[must_use]
pub fn length(mime: &str, bytes: &[u8]) -> Option<Duration> {
    match mime {
        "audio/ogg" => opus(bytes),
        "audio/mp4" => mpeg4(bytes),
        _ => None,
    }
}

/// The position that the last page ends at, in samples.
fn opus(bytes: &[u8]) -> Option<Duration> {
    find(bytes, b"OpusHead")?;
    let last = bytes.windows(4).rposition(|window| window == b"OggS")?;
    let position = bytes.get(last.checked_add(6)?..last.checked_add(14)?)?;
    let samples = u64::from_le_bytes(position.try_into().ok()?);
    Some(Duration::from_millis(samples.checked_mul(1_000)? / OPUS_RATE))
}

/// What the movie header says: a number of units, and how many of them are a second.
fn mpeg4(bytes: &[u8]) -> Option<Duration> {
    let body = bytes.get(find(bytes, b"mvhd")?.checked_add(4)?..)?;
    let number = |at: usize, size: usize| {
        let field = body.get(at..at.checked_add(size)?)?;
        Some(field.iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte)))
    };
    let (scale, units) = match body.first()? {
        0 => (number(12, 4)?, number(16, 4)?),
        1 => (number(20, 4)?, number(24, 8)?),
        _ => return None,
    };
    Some(Duration::from_millis(units.checked_mul(1_000)?.checked_div(scale)?))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(samples: u64) -> Vec<u8> {
        [b"OggS\0\x04".as_slice(), &samples.to_le_bytes(), &[0; 14]].concat()
    }

    fn movie(version: u8, scale: u32, units: u64) -> Vec<u8> {
        let (stamps, units) =
            if version == 0 { (8, units.to_be_bytes()[4..].to_vec()) } else { (16, units.to_be_bytes().to_vec()) };
        [b"\0\0\0\x6cmvhd".as_slice(), &[version, 0, 0, 0], &vec![0; stamps], &scale.to_be_bytes(), &units].concat()
    }

    #[test]
    fn a_voice_note_tells_its_length_on_its_last_page() {
        let note = [page(0), b"OpusHead".to_vec(), page(48_000), page(48_000 * 7 + 24_000)].concat();
        assert_eq!(length("audio/ogg", &note), Some(Duration::from_millis(7_500)));
    }

    #[test]
    fn mpeg_4_tells_its_length_in_its_header() {
        assert_eq!(length("audio/mp4", &movie(0, 1_000, 61_250)), Some(Duration::from_millis(61_250)));
        assert_eq!(length("audio/mp4", &movie(1, 44_100, 441_000)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn what_says_nothing_or_nonsense_has_no_length() {
        for bytes in [b"".as_slice(), b"OggS", b"OpusHead", b"mvhd", b"mvhd\x07", b"OpusHeadOggS\0\x04\xff"] {
            assert_eq!(length("audio/ogg", bytes), None);
            assert_eq!(length("audio/mp4", bytes), None);
        }
        let endless = [b"OpusHead".to_vec(), page(u64::MAX)].concat();
        assert_eq!(length("audio/ogg", &endless), None);
        assert_eq!(length("audio/mp4", &movie(0, 0, 5)), None);
        assert_eq!(length("audio/mpeg", b"ID3"), None);
    }
}
