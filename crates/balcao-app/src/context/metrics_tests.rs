use super::*;

#[test]
fn a_vendor_that_invents_names_does_not_fill_the_memory() {
    for number in 0..200 {
        known_model(&format!("model-{number}"));
    }
    assert_eq!(known_model("one more"), "other");
    assert_eq!(known_model("model-3"), "model-3");
    assert_eq!(MODELS.lock().unwrap().len(), MOST_MODELS);
}

#[test]
fn names_follow_the_conventions_of_prometheus() {
    for (name, kind, help) in ALL {
        assert!(name.starts_with("balcao_") && !help.is_empty(), "{name}");
        match kind {
            Kind::Counter => assert!(name.ends_with("_total"), "{name}"),
            Kind::Histogram => assert!(name.ends_with("_seconds"), "{name}"),
            Kind::Gauge => assert!(!name.ends_with("_total"), "{name}"),
        }
    }
}

#[test]
fn every_metric_is_in_the_documentation() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/OPERATIONS.md")).unwrap();
    for (name, kind, help) in ALL {
        let row = format!("| `{name}` | {} | {help} |", format!("{kind:?}").to_lowercase());
        assert!(page.contains(&row), "docs/OPERATIONS.md lacks: {row}");
    }
}

/// The words of a text that could be metrics, without what Prometheus adds to histograms.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let base = |word: &str| {
        let histogram = ["_bucket", "_count", "_sum"].into_iter().find_map(|end| word.strip_suffix(end));
        let histogram =
            histogram.filter(|name| ALL.iter().any(|(known, kind, _)| known == name && *kind == Kind::Histogram));
        histogram.unwrap_or(word).to_owned()
    };
    // A crate, in a directive for the log.
    words.filter(|word| word.starts_with("balcao_") && *word != "balcao_app").map(base).collect()
}

#[test]
fn dashboard_and_alarms_ask_for_metrics_that_there_are_and_the_dashboard_for_all_of_them() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let text = |name: &str| std::fs::read_to_string(format!("{docs}/{name}")).unwrap();
    let all: BTreeSet<String> = ALL.iter().map(|(name, ..)| (*name).to_owned()).collect();
    for name in ["OPERATIONS.md", "GUIDE.md", "RELIABILITY.md", "grafana/balcao.json"] {
        let unknown: Vec<String> = metrics_in(&text(name)).difference(&all).cloned().collect();
        assert_eq!(unknown, [""; 0], "docs/{name} names metrics that the program does not have");
    }
    let dashboard: serde_json::Value = serde_json::from_str(&text("grafana/balcao.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut asked = BTreeSet::new();
    for panel in panels {
        let targets = panel["targets"].as_array().into_iter().flatten();
        let found: Vec<BTreeSet<String>> = targets.map(|target| metrics_in(target["expr"].as_str().unwrap())).collect();
        assert!(found.iter().all(|one| one.len() == 1), "{}", panel["title"]);
        assert_eq!(found.is_empty(), panel["type"] == "row", "{}", panel["title"]);
        asked.extend(found.into_iter().flatten());
    }
    assert_eq!(asked, all, "the dashboard lacks a metric");
    let mut ids: Vec<i64> = panels.iter().map(|panel| panel["id"].as_i64().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), panels.len());
}
