//! Everything that is built in carries a permissive licence.

use serde_json::Value;

/// Licences that a program under MIT OR Apache-2.0 may be built from without further duties than a notice.
const PERMISSIVE: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "OpenSSL",
];

/// Packages that name no licence and bring its text, with the licence that was read in it.
const BY_FILE: &[(&str, &str)] = &[("model2vec-rs", "MIT License")];

pub(crate) fn check() -> Result<String, String> {
    let metadata = crate::metadata()?;
    let packages = metadata.get("packages").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut problems = Vec::new();
    for package in &packages {
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        if !permitted(text("license")) && !permitted_by_file(package) {
            problems.push(format!("{} {}: licence `{}`", text("name"), text("version"), text("license")));
        }
    }
    if problems.is_empty() {
        Ok(format!("{} packages, all permissive", packages.len()))
    } else {
        Err(problems.join("\n"))
    }
}

/// Whether the package is one of those, and its file still begins so.
fn permitted_by_file(package: &Value) -> bool {
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    let (Some(name), Some(file), Some(manifest)) = (text("name"), text("license_file"), text("manifest_path")) else {
        return false;
    };
    let Some((_, begins)) = BY_FILE.iter().find(|(known, _)| *known == name) else { return false };
    let file = std::path::Path::new(manifest).with_file_name(file);
    std::fs::read_to_string(file).is_ok_and(|said| said.trim_start().starts_with(begins))
}

/// Of an `OR` one side is enough, of an `AND` both are needed. Older packages write `/` for `OR`.
fn permitted(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Parentheses only ever group an OR within an AND here, so each AND part is an OR list.
    if expression.contains(" AND ") {
        plain.split(" AND ").all(|part| part.split(" OR ").any(|one| PERMISSIVE.contains(&words(one).as_str())))
    } else {
        plain.split(" OR ").any(|one| PERMISSIVE.contains(&words(one).as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::permitted;

    #[test]
    fn one_side_of_an_or_and_both_of_an_and_must_be_permissive() {
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(permitted(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "MPL-2.0"] {
            assert!(!permitted(bad), "{bad}");
        }
    }
}
