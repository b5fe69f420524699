use super::*;

#[test]
fn a_hash_is_read_in_hex_and_in_base64() {
    let hash = Sha256::digest(b"x");
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(is_hash(&hex, &hash) && is_hash(&hex.to_uppercase(), &hash));
    assert!(is_hash(&STANDARD.encode(hash), &hash));
    let other = Sha256::digest(b"y");
    assert!(!is_hash(&hex, &other) && !is_hash(&STANDARD.encode(hash), &other));
    assert!(is_hash("a1b2c3…", &hash), "what is no hash says nothing");
}

#[test]
fn a_type_is_compared_without_its_parameters() {
    let limits = DownloadLimits::default();
    for taken in ["audio/ogg; codecs=opus", "Image/JPEG", "application/pdf"] {
        assert_eq!(check_type(taken, limits), Ok(()), "{taken}");
    }
    for refused in ["application/zip", "application/pdf2", "text/html", "", "image/svg+xml", "images/png"] {
        assert!(check_type(refused, limits).is_err(), "{refused}");
    }
}

#[test]
fn every_kind_has_types_and_a_size() {
    for kind in [MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document, MediaKind::Sticker] {
        let (types, limit) = sendable(kind);
        assert!(!types.is_empty() && limit > 0, "{kind:?}");
    }
}
