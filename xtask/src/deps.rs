//! Dependencies point one way. A crate may depend on those of our crates that are listed for it, and on no others.

use std::collections::BTreeMap;

use serde_json::Value;

/// For each crate, the crates of ours that its code may depend on. Tests may use `balcao-testkit` besides.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("balcao-seeded-bugs", &[]),
    ("balcao-domain", &["balcao-seeded-bugs"]),
    ("balcao-language", &["balcao-domain"]),
    ("balcao-query", &["balcao-language"]),
    ("balcao-yaml", &[]),
    ("balcao-json", &[]),
    ("balcao-http", &[]),
    ("balcao-sandbox", &[]),
    ("balcao-search", &[]),
    ("balcao-connector", &["balcao-http", "balcao-json", "balcao-pack", "balcao-tool"]),
    ("balcao-mcp", &["balcao-connector", "balcao-json", "balcao-pack", "balcao-tool"]),
    ("balcao-google", &["balcao-app", "balcao-connector", "balcao-domain", "balcao-json"]),
    ("balcao-tool", &["balcao-domain", "balcao-json", "balcao-seeded-bugs"]),
    ("run-a-pack", &["balcao-pack", "balcao-sandbox", "balcao-tool"]),
    ("balcao-llm", &["balcao-http", "balcao-json"]),
    ("balcao-embedding", &["balcao-llm"]),
    ("balcao-offline", &["balcao-llm", "balcao-language"]),
    ("balcao-pack", &["balcao-json", "balcao-sandbox", "balcao-search", "balcao-tool", "balcao-yaml"]),
    ("balcao-agent", &["balcao-tool", "balcao-llm", "balcao-language"]),
    ("balcao-store", &["balcao-domain", "balcao-seeded-bugs"]),
    ("balcao-channel", &["balcao-domain", "balcao-http", "balcao-json"]),
    (
        "balcao-app",
        &[
            "balcao-agent",
            "balcao-channel",
            "balcao-search",
            "balcao-store",
            "balcao-domain",
            "balcao-seeded-bugs",
            "balcao-tool",
            "balcao-llm",
            "balcao-language",
            "balcao-query",
            "balcao-yaml",
        ],
    ),
    ("balcao-web", &["balcao-app", "balcao-channel", "balcao-domain", "balcao-json", "balcao-tool"]),
    (
        "balcao-builtin-tools",
        &[
            "balcao-app",
            "balcao-tool",
            "balcao-llm",
            "balcao-pack",
            "balcao-search",
            "balcao-domain",
            "balcao-store",
            "balcao-language",
            "balcao-query",
            "balcao-yaml",
        ],
    ),
    (
        "balcao-cli",
        &[
            "balcao-agent",
            "balcao-app",
            "balcao-builtin-tools",
            "balcao-channel",
            "balcao-connector",
            "balcao-domain",
            "balcao-embedding",
            "balcao-google",
            "balcao-json",
            "balcao-language",
            "balcao-llm",
            "balcao-mcp",
            "balcao-offline",
            "balcao-pack",
            "balcao-sandbox",
            "balcao-search",
            "balcao-store",
            "balcao-tool",
            "balcao-web",
            "balcao-yaml",
        ],
    ),
];

/// Crates for development only: they may depend on anything, and nothing but tests may depend on them.
const DEVELOPMENT: &[&str] = &["balcao-load", "balcao-simulator", "balcao-skip", "balcao-testkit", "xtask"];

pub(crate) fn check() -> Result<String, String> {
    let metadata = crate::metadata()?;
    let packages = metadata.get("packages").and_then(Value::as_array).cloned().unwrap_or_default();
    let ours: BTreeMap<&str, &Value> = packages
        .iter()
        .filter(|package| package.get("source").is_none_or(Value::is_null))
        .filter_map(|package| Some((package.get("name")?.as_str()?, package)))
        .collect();
    let mut problems = Vec::new();
    let mut counted = 0;
    for (name, package) in &ours {
        if DEVELOPMENT.contains(name) {
            continue;
        }
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(listed, _)| listed == name) else {
            problems.push(format!("{name} is not listed in xtask/src/deps.rs: say there what it may depend on"));
            continue;
        };
        let dependencies = package.get("dependencies").and_then(Value::as_array).cloned().unwrap_or_default();
        for dependency in &dependencies {
            let on = dependency.get("name").and_then(Value::as_str).unwrap_or_default();
            let for_tests = dependency.get("kind").and_then(Value::as_str) == Some("dev");
            if ours.contains_key(on) && !for_tests {
                counted += 1;
                if !allowed.contains(&on) {
                    problems.push(format!("{name} depends on {on}, which points the wrong way"));
                }
            }
        }
    }
    if problems.is_empty() {
        Ok(format!("{} crates, {counted} dependencies among them, all in the right direction", ours.len()))
    } else {
        Err(problems.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn dependencies_point_one_way() {
        assert_eq!(super::check().err(), None);
    }
}
