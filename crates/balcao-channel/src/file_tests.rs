use super::*;

const OGG: &[u8] =
    b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0";
const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L";
const MP4: &[u8] = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2";
const M4A: &[u8] = b"\0\0\0\x18ftypM4A \0\0\x02\0isomiso2";
const PDF: &[u8] = b"%PDF-1.7\n";
const AMR: &[u8] = b"#!AMR\n\x3c";
const MP3: &[u8] = b"ID3\x03\0\0\0\0\0\x21";
const EXE: &[u8] = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0";
const HTML: &[u8] = b"<!DOCTYPE html><html><script>1</script></html>";
const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0";

fn look(kind: MediaKind, said: &str, bytes: &[u8]) -> Result<String, MediaError> {
    let file = Downloaded { mime: said.to_owned(), bytes: bytes.to_vec() };
    inspect(kind, file, DownloadLimits::default()).map(|file| file.mime)
}

#[test]
fn the_type_is_what_the_bytes_are() {
    for (kind, said, bytes, found) in [
        (MediaKind::Audio, "audio/ogg", OGG, "audio/ogg"),
        (MediaKind::Audio, "audio/mp4", M4A, "audio/mp4"),
        (MediaKind::Audio, "audio/mp4", MP4, "audio/mp4"),
        (MediaKind::Audio, "audio/amr", AMR, "audio/amr"),
        (MediaKind::Audio, "audio/mpeg", MP3, "audio/mpeg"),
        (MediaKind::Image, "image/png", PNG, "image/png"),
        (MediaKind::Image, "image/png", JPEG, "image/jpeg"),
        (MediaKind::Sticker, "image/webp", WEBP, "image/webp"),
        (MediaKind::Video, "video/mp4", MP4, "video/mp4"),
        (MediaKind::Document, "application/pdf", PDF, "application/pdf"),
        (MediaKind::Document, "image/jpeg", JPEG, "image/jpeg"),
    ] {
        assert_eq!(look(kind, said, bytes), Ok(found.to_owned()), "{kind:?} {said}");
    }
}

#[test]
fn f_136_a_file_that_lies_about_its_type_is_not_taken() {
    for (kind, said, bytes) in [
        (MediaKind::Image, "image/png", EXE),
        (MediaKind::Image, "image/png", HTML),
        (MediaKind::Image, "image/png", OGG),
        (MediaKind::Image, "image/jpeg", b"just words".as_slice()),
        (MediaKind::Sticker, "image/webp", PNG),
        (MediaKind::Audio, "audio/ogg", PNG),
        (MediaKind::Audio, "audio/ogg", ZIP),
        (MediaKind::Video, "video/mp4", OGG),
        (MediaKind::Document, "application/pdf", ZIP),
        (MediaKind::Document, "application/pdf", HTML),
        (MediaKind::Document, "application/pdf", JPEG),
    ] {
        let refused = look(kind, said, bytes);
        assert!(matches!(refused, Err(MediaError::Disguised { .. })), "{kind:?} {said}: {refused:?}");
    }
}

#[test]
fn a_true_type_that_is_not_taken_is_refused() {
    let gif = look(MediaKind::Image, "image/gif", b"GIF89a\x01\0\x01\0");
    assert_eq!(gif, Err(MediaError::Type { mime: "image/gif".to_owned() }));
    assert_eq!(
        look(MediaKind::Document, "application/zip", ZIP).unwrap_err(),
        MediaError::Type { mime: "application/zip".to_owned() }
    );
}
