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
