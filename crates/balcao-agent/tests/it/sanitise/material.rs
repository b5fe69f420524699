//! Texts that leaked elsewhere, and parsers' own tests. See `material/leaked-tool-calls/SOURCE.txt`.

use serde_json::Value;

use super::{mark_in, sanitiser, sent};

struct Line {
    text: String,
    harmless: bool,
    names: Vec<String>,
}

/// All texts, or none where the material is not at hand.
fn lines() -> Vec<Line> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/material/leaked-tool-calls");
    let mut out = Vec::new();
    for (file, field) in [
        ("groq-failed_generation.jsonl", "failed_generation"),
        ("leaks-quoted-in-issues.jsonl", "reply_text"),
        ("parser-crate-test-inputs.jsonl", "input"),
    ] {
        let Ok(content) = std::fs::read_to_string(format!("{folder}/{file}")) else {
            balcao_skip::skip(&format!("{folder}/{file} is missing"));
            continue;
        };
        for line in content.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = line[field].as_str().unwrap().to_owned();
            let marked = mark_in(&text).is_some() || text.contains(['<', '{', '[', '`', '*']);
            let names =
                line["names"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
            out.push(Line { harmless: line["calls"] == 0 && !marked, text, names });
        }
    }
    out
}

#[test]
fn nothing_of_a_leaked_call_is_sent() {
    let sanitiser = sanitiser();
    let mut bad = Vec::new();
    for line in lines() {
        for text in [
            line.text.clone(),
            format!("Oi! Temos horário às 15h com o João. {} Posso marcar para você?", line.text),
            format!("Bom dia, Pedro!\n\n{}\n\nO corte custa R$ 45,00. Quer marcar?", line.text),
        ] {
            let verdict = sanitiser.clean(&text).verdict;
            let Some(clean) = sent(&verdict) else { continue };
            let called = line
                .names
                .iter()
                .find(|name| name.contains('_') && clean.contains(name.as_str()) && !line.text.contains("mention"));
            if let Some(mark) = mark_in(clean).or_else(|| called.cloned()) {
                bad.push(format!("{mark}: {text:?} -> {clean:?}"));
            }
        }
    }
    assert!(bad.is_empty(), "{} texts:\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn the_answer_round_a_whole_leaked_call_stays() {
    let sanitiser = sanitiser();
    let (mut kept, mut all) = (0, 0);
    for line in lines().iter().filter(|line| !line.harmless && line.text.len() < 400) {
        let text = format!("Bom dia, Pedro! O corte custa R$ 45,00.\n\n{}", line.text);
        all += 1;
        let verdict = sanitiser.clean(&text).verdict;
        if sent(&verdict).is_some_and(|clean| clean.starts_with("Bom dia, Pedro! O corte custa R$ 45,00.")) {
            kept += 1;
        } else if !line.text.contains("</think>") && !line.text.contains("final") {
            eprintln!("lost: {text:?} -> {verdict:?}");
        }
    }
    assert!(kept * 100 >= all * 95, "{kept} of {all}");
}

#[test]
fn texts_without_a_call_come_out_unharmed() {
    let sanitiser = sanitiser();
    for line in lines().iter().filter(|line| line.harmless) {
        let verdict = sanitiser.clean(&line.text).verdict;
        assert_eq!(sent(&verdict), Some(line.text.trim()));
    }
}

#[test]
fn a_leak_cut_at_any_place_shows_no_mark() {
    let sanitiser = sanitiser();
    let mut bad = Vec::new();
    for line in lines().iter().filter(|line| line.text.len() < 600) {
        for (at, _) in line.text.char_indices().skip(1) {
            let text = format!("Temos horário às 15h. {}", &line.text[..at]);
            let verdict = sanitiser.clean(&text).verdict;
            if let Some(mark) = sent(&verdict).and_then(mark_in) {
                bad.push(format!("{mark}: {text:?} -> {verdict:?}"));
                break;
            }
        }
    }
    assert!(bad.is_empty(), "{} texts:\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn a_leak_whose_beginning_was_lost_shows_no_mark() {
    let sanitiser = sanitiser();
    let (mut bad, mut all) = (Vec::new(), 0);
    for line in lines().iter().filter(|line| line.text.len() < 600) {
        for (at, _) in line.text.char_indices().skip(1).step_by(3) {
            all += 1;
            let text = format!("{}\nTemos horário às 15h.", &line.text[at..]);
            let verdict = sanitiser.clean(&text).verdict;
            if let Some(mark) = sent(&verdict).and_then(mark_in) {
                bad.push(format!("{mark}: {text:?} -> {verdict:?}"));
            }
        }
    }
    for line in bad.iter().step_by(bad.len() / 60 + 1) {
        eprintln!("{line}");
    }
    assert!(bad.len() * 1000 <= all * 2, "{} of {all}", bad.len());
}
