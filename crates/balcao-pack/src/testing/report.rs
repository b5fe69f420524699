//! A report as text for people, and as JUnit for programs.

use super::{CaseReport, Outcome, Report};

impl Report {
    /// For people: what failed, and the sums.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![format!("{} {}", self.pack, self.version)];
        let mut partly = 0;
        for case in &self.cases {
            match &case.outcome {
                Outcome::Passed => {}
                Outcome::Partly(_) => partly += 1,
                Outcome::Failed(message) | Outcome::Broken(message) => {
                    let (sort, at) = (case.sort.as_str(), at(case));
                    lines.push(format!("  FAILED {sort} `{}` ({}): {at}{message}", case.id, case.about));
                }
            }
        }
        let (all, failed) = (self.cases.len(), self.failed() + self.broken());
        lines.push(format!("  {} of {all} cases passed", all - failed));
        if partly > 0 {
            lines.push(format!(
                "  {partly} of them have no recorded answer: their output was held against its schema only"
            ));
        }
        for (name, covered) in self.coverage.parts().filter(|(_, covered)| covered.of > 0) {
            let missing = covered.missing.join(", ");
            let none = if missing.is_empty() { String::new() } else { format!("; none: {missing}") };
            lines.push(format!("  {name}: {} of {} have an example{none}", covered.shown(), covered.of));
        }
        lines.join("\n")
    }

    /// One test suite in JUnit's XML.
    #[must_use]
    pub fn junit(&self) -> String {
        let pack = escaped(&self.pack);
        let (tests, failures, errors) = (self.cases.len(), self.failed(), self.broken());
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
        let mut lines = vec![format!("<testsuite name=\"{pack}\" {counts}>")];
        for case in &self.cases {
            let (sort, name) = (case.sort.as_str(), escaped(&case.id));
            let open = format!("  <testcase classname=\"{pack}.{sort}\" name=\"{name}\"");
            let (word, message) = match &case.outcome {
                Outcome::Passed | Outcome::Partly(_) => {
                    lines.push(format!("{open}/>"));
                    continue;
                }
                Outcome::Failed(message) => ("failure", message),
                Outcome::Broken(message) => ("error", message),
            };
            lines.push(format!("{open}>"));
            lines.push(format!("    <{word}>{}{}</{word}>", escaped(&at(case)), escaped(message)));
            lines.push("  </testcase>".to_owned());
        }
        lines.push("</testsuite>".to_owned());
        lines.join("\n")
    }
}

/// The place of a case that failed, in front of why.
fn at(case: &CaseReport) -> String {
    let place = case.place.as_ref();
    place.map(|place| format!("{}:{}:{}: ", place.file, place.line, place.column)).unwrap_or_default()
}

/// For text and attributes of XML. Control characters have no place in it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
