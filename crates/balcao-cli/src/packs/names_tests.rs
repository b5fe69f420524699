use super::{Names, PackCommand};

const fn command<'a>(pack: &'a str, name: &'a str) -> PackCommand<'a> {
    PackCommand { pack, name, internal: false }
}

fn names(commands: &[PackCommand<'_>]) -> Result<Names, Vec<String>> {
    let found = Names::new(commands.iter().copied());
    found.map_err(|clashes| clashes.into_iter().map(|clash| clash.name).collect())
}

#[test]
fn only_names_that_packs_share_get_the_pack_and_internal_commands_keep_theirs() {
    let names = names(&[
        command("crm", "add_tag"),
        PackCommand { internal: true, ..command("crm", "sweep") },
        command("crm", "note"),
        command("shop", "add_tag"),
        command("shop", "sweep"),
    ]);
    let names = names.unwrap();
    assert_eq!((names.exposed("crm", "add_tag"), names.exposed("shop", "add_tag")), ("crm_add_tag", "shop_add_tag"));
    assert_eq!((names.exposed("crm", "note"), names.exposed("crm", "sweep")), ("note", "sweep"));
    assert_eq!(
        (names.exposed("shop", "sweep"), names.shared("add_tag")),
        ("shop_sweep", vec!["crm_add_tag", "shop_add_tag"])
    );
}

#[test]
fn name_that_another_command_has_or_that_is_too_long_is_no_name() {
    assert_eq!(names(&[command("a", "b_c"), command("x", "b_c"), command("y", "a_b_c")]).unwrap_err(), ["a_b_c"]);
    let long = "c".repeat(60);
    let expected = [format!("shop_{long}")];
    assert_eq!(names(&[command("crm", &long), command("shop", &long)]).unwrap_err(), expected);
}
