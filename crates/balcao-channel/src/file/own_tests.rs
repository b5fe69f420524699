use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const DOCX: &[u8] = b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0";

fn kind(bytes: &[u8]) -> Result<(MediaKind, &'static str), MediaError> {
    recognise(bytes).map(|own| (own.kind, own.mime))
}

#[test]
fn what_staff_send_is_what_its_bytes_are() {
    for (bytes, expected) in [
        (PNG, (MediaKind::Image, "image/png")),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", (MediaKind::Image, "image/jpeg")),
        (b"%PDF-1.7\n", (MediaKind::Document, "application/pdf")),
        (b"Corte;50\nBarba;30\n", (MediaKind::Document, "text/plain")),
        (b"#!AMR\n\x3c", (MediaKind::Audio, "audio/amr")),
        (b"\0\0\0\x18ftypM4A \0\0\x02\0isomiso2", (MediaKind::Audio, "audio/mp4")),
        (b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2", (MediaKind::Video, "video/mp4")),
    ] {
        assert_eq!(kind(bytes), Ok(expected));
    }
}

#[test]
fn what_no_channel_takes_is_refused_with_its_reason() {
    for bytes in [
        b"<!DOCTYPE html><html><script>1</script></html>".as_slice(),
        b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0",
        b"GIF89a\x01\0\x01\0",
        b"RIFF\x1a\0\0\0WEBPVP8L",
        b"#!/bin/sh\nrm -rf /\n",
        DOCX,
        b"\0\x01\x02\x03",
        b"words with \x1b[31m in them",
    ] {
        assert!(matches!(kind(bytes), Err(MediaError::Type { .. })), "{bytes:?}: {:?}", kind(bytes));
    }
    assert_eq!(kind(b""), Err(MediaError::Empty));
}

#[test]
fn every_kind_has_its_largest_size() {
    for (head, limit) in [(PNG, 5 * MIB), (b"%PDF-1.7\n".as_slice(), LARGEST), (b"ID3\x03\0\0\0\0\0\x21", LARGEST)] {
        let mut bytes = head.to_vec();
        bytes.resize(limit, 0);
        assert!(kind(&bytes).is_ok());
        bytes.push(0);
        assert_eq!(kind(&bytes), Err(MediaError::TooLarge { limit }));
    }
}

#[test]
fn a_name_leads_nowhere_and_ends_as_its_type_does() {
    for (said, mime, expected) in [
        (Some("tabela.pdf"), "application/pdf", "tabela.pdf"),
        (Some("Tabela de Preços.PDF"), "application/pdf", "Tabela de Preços.PDF"),
        (Some("../../etc/passwd"), "text/plain", "passwd.txt"),
        (Some(r"C:\Users\ana\foto.jpeg"), "image/jpeg", "foto.jpeg"),
        (Some("fatura.pdf.exe"), "application/pdf", "fatura.pdf.exe.pdf"),
        (Some("foto\u{202e}gpj.exe"), "image/png", "fotogpj.exe.png"),
        (Some("a\r\nb\".png"), "image/png", "ab.png"),
        (Some(" .. "), "image/png", "att_7.png"),
        (Some(""), "video/x-unheard", "att_7.bin"),
        (None, "audio/ogg", "att_7.ogg"),
    ] {
        assert_eq!(name(said, "att_7", mime), expected);
    }
    let long = name(Some(&format!("{}.png", "á".repeat(500))), "x", "image/png");
    assert_eq!(long.chars().count(), NAME_CHARS + 4);
}

#[test]
fn only_types_that_run_nowhere_are_given_out_under_their_name() {
    for mime in ["text/html", "image/svg+xml", "application/xhtml+xml", "text/javascript", "", "image/"] {
        assert_eq!(served_type(mime), UNKNOWN);
    }
    assert_eq!(served_type("image/png"), "image/png");
    for kind in KINDS {
        for mime in sendable(kind).0 {
            assert_eq!(served_type(mime), *mime);
        }
    }
}

#[test]
fn h13_no_text_is_saved_as_what_a_spreadsheet_runs() {
    for (said, saved) in [
        ("a.csv", "a.csv.txt"),
        ("a.CSV", "a.CSV.txt"),
        ("a.txt", "a.txt"),
        ("a.tsv", "a.tsv.txt"),
        ("a.xls", "a.xls.txt"),
    ] {
        assert_eq!(name(Some(said), "document", "text/plain"), saved);
    }
}
