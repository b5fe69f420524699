use super::*;

#[test]
fn every_pass_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sanitise/passes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name != "mod" && !name.ends_with("_tests"))
        .collect();
    files.sort();
    let mut listed: Vec<&str> = passes::ALL.iter().map(|pass| pass.name).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}
