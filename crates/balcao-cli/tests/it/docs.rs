use tempfile::tempdir;

use crate::{code, err, out, root, run};

/// The commands of a document: lines that begin with `$ ` in `console` blocks.
fn commands(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match line.trim() {
            "```console" => inside = true,
            "```" => inside = false,
            command if inside => found.extend(command.strip_prefix("$ ").map(str::to_owned)),
            _ => {}
        }
    }
    found
}

/// Splits a command as a shell does, as far as the documents need it: single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, piece) in command.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_command_of_the_readme_works_as_it_stands() {
    let folder = tempdir().unwrap();
    for name in ["samples", "evals"] {
        let to = folder.path().join(name);
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(root().join(name)).unwrap() {
            let path = entry.unwrap().path();
            // Scenarios that need more than the program are in folders of their own.
            if path.is_file() {
                std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    let found = commands(&std::fs::read_to_string(root().join("README.md")).unwrap());
    assert!(found.len() >= 8, "{found:?}");
    for command in found {
        let (input, command) = match command.split_once(" | ") {
            Some((printf, command)) => {
                (words(printf).get(1).cloned().unwrap_or_default().replace("\\n", "\n"), command.to_owned())
            }
            None => (String::new(), command),
        };
        let words = words(&command);
        assert_eq!(words.first().map(String::as_str), Some("balcao"), "{command}");
        let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let output = run(folder.path(), &arguments, &input);
        assert_eq!(code(&output), 0, "{command}: {}{}", out(&output), err(&output));
        assert!(!out(&output).is_empty(), "{command} says nothing");
    }
}

#[test]
fn every_command_and_option_has_a_description() {
    let folder = tempdir().unwrap();
    for command in [
        "chat",
        "demo",
        "seed",
        "migrate",
        "init",
        "doctor",
        "tools",
        "eval",
        "inbox",
        "key",
        "agenda",
        "appointments",
        "calendar",
        "subscriptions",
        "outbox",
        "config",
        "serve",
        "stats",
        "retention",
        "knowledge",
        "plan",
        "backup",
        "restore",
        "calendar",
    ] {
        let output = run(folder.path(), &[command, "--help"], "");
        assert_eq!(code(&output), 0, "{command}");
        assert!(out(&output).lines().count() > 5, "{command}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/GOOGLE-CALENDAR.md",
        "docs/GUIDE.md",
        "docs/MCP.md",
        "docs/OPERATIONS.md",
        "docs/PACKS.md",
        "docs/RELIABILITY.md",
    ] {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") {
                let place = root().join(name).parent().unwrap().join(target);
                assert!(place.exists(), "{name} links to {target}, which is not there");
            }
        }
    }
}
