//! Texts that become entries of the knowledge, one of each format.

use serde_json::{Value, json};

use super::evidence::{Evidence, known};

/// A text, in an order in which each can be imported after those before it.
#[derive(Debug, Clone)]
pub struct SampleImport {
    /// The format by the name that the API has for it.
    pub format: &'static str,
    /// The ending of a file of this format.
    pub ending: &'static str,
    /// The text.
    pub text: &'static str,
    /// Whose row the audit log has.
    pub subject: &'static str,
    /// What that row says was done.
    pub action: &'static str,
    /// The values of that row before the import.
    pub before: Value,
    /// Its values after the import.
    pub after: Value,
    /// Where the import is seen.
    pub evidence: Evidence,
}

/// All of them: an entry that a Markdown file adds, and its change by a table.
#[must_use]
pub fn imports() -> Vec<SampleImport> {
    let (old, new) = ("Pode, na coleira.", "Só na varanda.");
    let import = |format, ending, text, action, before, after, evidence| SampleImport {
        format,
        ending,
        text,
        subject: "Casa › Pets",
        action,
        before,
        after,
        evidence,
    };
    vec![
        import(
            "markdown",
            "md",
            "# Casa\n## Pets\nPode, na coleira.\n",
            "knowledge.add",
            json!({}),
            json!({ "category": "Casa", "title": "Pets", "content": old }),
            known(old),
        ),
        import(
            "csv",
            "csv",
            "título;conteúdo;categoria\nPets;Só na varanda.;Casa\n",
            "knowledge.update",
            json!({ "content": old }),
            json!({ "content": new }),
            known(new),
        ),
    ]
}
