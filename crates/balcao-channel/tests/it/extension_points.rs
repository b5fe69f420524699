//! A plural folder is an extension point: what lies in it is listed.

#[test]
fn every_channel_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/channels");
    let listed = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(name == "mod" || listed.contains(&format!("pub mod {name};")), "`{name}` is not in channels/mod.rs");
    }
}
