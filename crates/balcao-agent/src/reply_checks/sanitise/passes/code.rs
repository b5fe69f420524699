//! Fenced code, and inline code that holds no words for a customer.

use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, from, part},
    rules::{Rules, is_technical},
    structured_data::fence_end,
};

/// Fences whose content is prose keep it: models also fence whole answers.
pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let mut cuts = Vec::new();
    if !text.contains('`') {
        return cuts;
    }
    let mut at = 0;
    while let Some(found) = from(text, at).find('`') {
        let start = at.saturating_add(found);
        if from(text, start).starts_with("```") {
            let end = fence_end(text, start);
            let body = part(text, start.saturating_add(3)..end).trim_end_matches("```");
            let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
            let tagged = first.trim();
            let prose_tag = tagged.is_empty() || matches!(tagged, "text" | "txt" | "markdown" | "md" | "plaintext");
            if prose_tag && is_prose(rest) {
                let open = start.saturating_add(3).saturating_add(first.len());
                cuts.push(Edit::new(start..open, Severity::Form));
                cuts.push(Edit::new(
                    end.saturating_sub(if part(text, start..end).ends_with("```") { 3 } else { 0 })..end,
                    Severity::Form,
                ));
            } else if prose_tag || !tagged.contains(' ') || !is_prose(body) {
                cuts.push(Edit::new(start..end, Severity::Leak));
            } else {
                cuts.push(Edit::new(start..start.saturating_add(3), Severity::Form));
                cuts.push(Edit::new(
                    end.saturating_sub(if part(text, start..end).ends_with("```") { 3 } else { 0 })..end,
                    Severity::Form,
                ));
            }
            at = end.max(start.saturating_add(3));
            continue;
        }
        let after = start.saturating_add(1);
        let next = from(text, after).find(['`', '\n']);
        match next.filter(|at| from(text, after.saturating_add(*at)).starts_with('`')) {
            Some(close) => {
                let end = after.saturating_add(close).saturating_add(1);
                let inner = part(text, after..end.saturating_sub(1));
                let technical = is_technical(inner)
                    || rules.is_tool(inner) && inner.contains('(')
                    || inner.contains(['{', '}', '=']);
                if technical {
                    cuts.push(Edit::new(start..end, Severity::Leak));
                } else {
                    cuts.push(Edit::new(start..after, Severity::Form));
                    cuts.push(Edit::new(end.saturating_sub(1)..end, Severity::Form));
                }
                at = end;
            }
            None => {
                cuts.push(Edit::new(start..after, Severity::Form));
                at = after;
            }
        }
    }
    cuts
}

/// Words rather than code: most characters are letters, and no sign of a program stands among them.
fn is_prose(text: &str) -> bool {
    const CODE: &[&str] = &["{", "}", "();", "def ", "import ", "return ", "print(", "_", "==", "=>", "</", "SELECT "];
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count();
    words >= 2 && !CODE.iter().any(|sign| text.contains(sign))
}
