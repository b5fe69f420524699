//! `balcao pack`: what an author of packs sees.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::{code, err, out, root, run};

#[test]
fn every_command_of_the_authors_guide_works_from_an_empty_folder() {
    let folder = tempdir().unwrap();
    let guide = fs::read_to_string(root().join("docs/PACKS.md")).unwrap();
    let commands: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("$ balcao ")).collect();
    assert!(commands.len() >= 7, "{commands:?}");
    for command in commands {
        let arguments: Vec<&str> = command.split_whitespace().collect();
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{command}: {}{}", out(&output), err(&output));
        assert!(!out(&output).is_empty(), "{command} says nothing");
    }
}

#[test]
fn the_whole_definition_of_the_authors_guide_loads_and_its_examples_hold() {
    let folder = tempdir().unwrap();
    let guide = fs::read_to_string(root().join("docs/PACKS.md")).unwrap();
    let (_, rest) = guide.split_once("```yaml\n").unwrap();
    let (definition, _) = rest.split_once("```").unwrap();
    fs::create_dir(folder.path().join("tasks")).unwrap();
    fs::write(folder.path().join("tasks/tool.yaml"), definition).unwrap();
    let output = run(folder.path(), &["pack", "test", "--strict", "--format", "json", "tasks"], "");
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    let report: Value = serde_json::from_str(&out(&output)).unwrap();
    assert!(report["packs"][0]["cases"].as_array().unwrap().len() >= 10, "{report}");
}

#[test]
fn the_shipped_packs_pass_their_tests() {
    let packs: Vec<String> = fs::read_dir(root().join("packs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("tool.yaml").is_file())
        .map(|path| path.display().to_string())
        .collect();
    assert!(packs.len() >= 6);
    let arguments: Vec<&str> = ["pack", "test"].into_iter().chain(packs.iter().map(String::as_str)).collect();
    let output = run(&root(), &arguments, "");
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
}

#[test]
fn mistakes_are_told_with_their_place_and_end_with_two_and_examples_that_fail_with_one() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "shop"], "")), 0);
    let again = run(folder.path(), &["pack", "new", "shop"], "");
    assert_eq!((code(&again), err(&again).contains("is there already")), (1, true));
    assert_eq!(code(&run(folder.path(), &["pack", "new", "Shop!"], "")), 2);

    let change = |file: &str, from: &str, to: &str| {
        let path = folder.path().join("shop").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
    };
    change("examples/edge-cases/rounding.yaml", "{total_cents: 2, ", "{total_cents: 3, ");
    let output = run(folder.path(), &["pack", "test", "shop"], "");
    assert_eq!(code(&output), 1);
    assert!(
        out(&output).contains(
            "FAILED edge `rounding[0]` (helper order-total): shop/examples/edge-cases/rounding.yaml:1:1: it gives {\"total_cents\":2,"
        ),
        "{}",
        out(&output)
    );

    change("helpers/order-total.js", "=> total +", "=> => total +");
    change("validators/quote-order.yaml", "discount-as-fraction", "discount-as-fractoin");
    change("validators/quote-order.yaml", "\"discount_percent * 100\"", "\"discount_percent ** 100\"");
    let output = run(folder.path(), &["pack", "check", "shop"], "");
    assert_eq!(code(&output), 2);
    let told = err(&output);
    for expected in [
        "shop/validators/quote-order.yaml:9:19: unknown anti-pattern `discount-as-fractoin`; did you mean `discount-as-fraction`?",
        "shop/validators/quote-order.yaml:10:29: the expression `discount_percent ** 100` cannot be read: at character 19",
        // The code is looked at, whatever is wrong with the YAML.
        "shop/helpers/order-total.js:3:",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    change("validators/quote-order.yaml", "discount-as-fractoin", "discount-as-fraction");
    change("validators/quote-order.yaml", "** 100", "* 100");
    let output = run(folder.path(), &["pack", "check", "--json", "shop"], "");
    assert_eq!(code(&output), 2);
    let told: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(
        (&told["problems"][0]["file"], &told["problems"][0]["line"]),
        (&"shop/helpers/order-total.js".into(), &3.into())
    );
}

#[test]
fn a_failure_that_is_refused_for_another_reason_is_a_failed_test_and_hides_no_other_case() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "packs/shop"], "")), 0);
    let file = folder.path().join("packs/shop/examples/failures/fraction.yaml");
    let good = fs::read_to_string(&file).unwrap();
    let test = |format: &str| {
        let output = run(folder.path(), &["pack", "test", "--format", format, "packs/shop"], "");
        (code(&output), out(&output), err(&output))
    };
    let all: Value = serde_json::from_str(&test("json").1).unwrap();
    let all = all["packs"][0]["cases"].as_array().unwrap().len();
    let line = good.lines().find(|line| line.trim_start().starts_with("error_message:")).unwrap();
    fs::write(&file, good.replacen(line, "error_message: the moon", 1)).unwrap();

    let (exit, told, why) = test("json");
    assert_eq!((exit, why.as_str()), (1, ""), "{told}");
    let report: Value = serde_json::from_str(&told).unwrap();
    let cases = report["packs"][0]["cases"].as_array().unwrap();
    let failed: Vec<&Value> = cases.iter().filter(|case| case["outcome"]["result"] != "passed").collect();
    assert_eq!((cases.len(), failed.len()), (all, 1), "{told}");
    assert!(failed[0]["outcome"]["message"].as_str().unwrap().contains("refused for another reason"), "{told}");
    assert_eq!(failed[0]["place"]["file"], "packs/shop/examples/failures/fraction.yaml");
    let (exit, told, _) = test("junit");
    assert_eq!(
        (exit, told.matches("<testcase ").count(), told.matches("<failure>").count(), told.matches("<error>").count()),
        (1, all, 1, 0),
        "{told}"
    );
    assert_eq!(test("text").0, 1);

    // `check` tells the place of it; it is no mistake in the files.
    let check = run(folder.path(), &["pack", "check", "packs/shop"], "");
    assert_eq!(code(&check), 1, "{}", err(&check));
    assert!(
        err(&check).contains("1 example does not hold:\n  packs/shop/examples/failures/fraction.yaml:"),
        "{}",
        err(&check)
    );

    // The server does not take it, and the doctor tells that once.
    fs::create_dir(folder.path().join("agents")).unwrap();
    let profile = fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
    let profile = profile.replacen("packs: [crm", "packs: [shop, crm", 1);
    assert!(profile.contains("[shop, "), "{profile}");
    fs::write(folder.path().join("agents/eli.yaml"), profile).unwrap();
    fs::write(folder.path().join("balcao.toml"), "[packs]\nfolders = [\"packs\"]\n").unwrap();
    let doctor = run(folder.path(), &["doctor", "--json"], "");
    let told: Vec<Value> = serde_json::from_str(&out(&doctor)).unwrap();
    let wrong = |one: &&Value| one["verdict"] == "wrong" && one["check"] != "database";
    let wrong: Vec<&Value> = told.iter().filter(wrong).collect();
    assert!(matches!(wrong.as_slice(), [one] if one["check"] == "packs"), "{wrong:#?}");
}

#[test]
fn what_a_pack_offers_is_shown_and_a_wrong_name_is_told_the_nearest() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "packs/shop"], "")), 0);
    let shown = run(folder.path(), &["pack", "show", "packs/shop", "--command", "quote_order", "--json"], "");
    let shown: Value = serde_json::from_str(&out(&shown)).unwrap();
    assert_eq!(shown["commands"][0]["anti_patterns"][0]["id"], "discount-as-fraction");
    assert_eq!(shown["commands"][0]["examples"][0]["output"]["total_cents"], 6300);
    let wrong = run(folder.path(), &["pack", "show", "packs/shop", "--command", "quote_ordr"], "");
    assert_eq!((code(&wrong), err(&wrong).contains("did you mean `quote_order`?")), (2, true));
    let listed = run(folder.path(), &["pack", "list", "--json"], "");
    let listed: Value = serde_json::from_str(&out(&listed)).unwrap();
    let ids: Vec<&str> = listed["packs"].as_array().unwrap().iter().filter_map(|row| row["id"].as_str()).collect();
    assert!(ids.contains(&"crm") && ids.contains(&"shop"), "{ids:?}");
    let schema: Value = serde_json::from_str(&out(&run(folder.path(), &["pack", "schema"], ""))).unwrap();
    assert_eq!(schema["title"], "tool.yaml");
}

#[test]
fn the_published_schema_knows_what_a_pack_of_each_type_says_of_its_connection_and_its_requests() {
    let published: Value = serde_json::from_str(&out(&run(&root(), &["pack", "schema"], ""))).unwrap();
    let schema = balcao_tool::validate::Schema::compile(&published).unwrap();
    for entry in fs::read_dir(root().join("packs")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path().join("tool.yaml")).unwrap();
        let value = balcao_yaml::Document::read("tool.yaml", &text).unwrap().value;
        assert!(schema.is_valid(&value), "{}: {:#?}", value["tool"]["id"], schema.problems(&value));
    }
    let guide = fs::read_to_string(root().join("docs/MCP.md")).unwrap();
    let (_, rest) = guide.split_once("```yaml\n").unwrap();
    let over_mcp = rest.split_once("```").unwrap().0.to_owned();
    let clickup = fs::read_to_string(root().join("packs/clickup/tool.yaml")).unwrap();
    for (text, wrong, right) in [
        (&clickup, "rate_limt:", "rate_limit:"),
        (&clickup, "query_field:", "query_fields:"),
        (&clickup, "calls: [], helpr: x", "calls: [find_list, find_folderless_list, create_task]"),
        (&over_mcp, "arg:", "args:"),
        (&over_mcp, "tol:", "tool:"),
    ] {
        let (before, after) = text.rsplit_once(right).unwrap_or_else(|| panic!("no {right}"));
        let text = format!("{before}{wrong}{after}");
        let value = balcao_yaml::Document::read("tool.yaml", &text).unwrap().value;
        assert!(!schema.is_valid(&value), "{wrong} is taken");
    }
}

#[test]
fn a_new_pack_of_each_type_passes_its_own_tests_and_is_not_written_over() {
    let folder = tempdir().unwrap();
    for (start, at) in [("script", "packs/orders"), ("http", "packs/parcels"), ("mcp", "packs/notes")] {
        let new = ["pack", "new", "--type", start, at];
        assert_eq!(code(&run(folder.path(), &new, "")), 0);
        let tested = run(folder.path(), &["pack", "test", "--strict", at], "");
        assert_eq!(code(&tested), 0, "{}{}", out(&tested), err(&tested));
        assert!(!out(&tested).contains("no recorded answer"), "{}", out(&tested));
        let again = run(folder.path(), &new, "");
        assert_eq!((code(&again), err(&again).contains("is there already")), (1, true));
    }
    assert_eq!(code(&run(folder.path(), &["pack", "new", "--type", "ftp", "packs/other"], "")), 2);
}

#[test]
fn search_finds_what_packs_know_and_tells_both_ranks() {
    let found = run(&root(), &["pack", "search", "cria", "uma", "tarefa", "--type", "command", "--limit", "3"], "");
    assert_eq!(code(&found), 0, "{}", err(&found));
    assert!(
        out(&found).contains("clickup/create_task") && out(&found).contains("words   1  vectors   -"),
        "{}",
        out(&found)
    );
    let one = ["pack", "search", "date in seconds", "--pack", "packs/clickup", "--json", "--limit", "1"];
    let hits: Value = serde_json::from_str(&out(&run(&root(), &one, ""))).unwrap();
    assert_eq!((&hits[0]["entry"]["id"], &hits[0]["by_keywords"]), (&"date-in-seconds".into(), &1.into()));
    let nothing = run(&root(), &["pack", "search", "xyzzy", "--pack", "packs/clickup"], "");
    assert_eq!((code(&nothing), out(&nothing).contains("nothing found")), (0, true));
    let nowhere = tempdir().unwrap();
    let missing = run(nowhere.path(), &["pack", "search", "task"], "");
    assert!(code(&missing) == 2 && err(&missing).contains("--pack"), "{}", err(&missing));
}

#[test]
fn a_pack_of_the_repository_is_named_by_its_id_and_a_command_as_it_is_written_or_as_models_call_it() {
    for command in ["create-task", "create_task"] {
        let output = run(&root(), &["pack", "resolve", "clickup", command, "--budget", "2000", "--explain"], "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(out(&output).contains("create_task") && out(&output).contains("tokens"), "{}", out(&output));
    }
    let output = run(&root(), &["pack", "test", "packs/clickup", "packs/viacep"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(!out(&output).contains("none:"), "something has no example: {}", out(&output));
}

#[test]
fn a_watched_pack_is_tested_again_when_a_file_changes_also_after_one_that_does_not_load() {
    use std::io::{BufRead, BufReader};

    // Named by its id alone: the folder is looked for among the packs.
    let folder = tempdir().unwrap();
    let pack = folder.path().join("packs/orders");
    let made = run(folder.path(), &["pack", "new", "packs/orders"], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    let mut command = crate::balcao(folder.path());
    command.args(["pack", "test", "--watch", "orders"]);
    let mut child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut until_it_watches = || told.by_ref().take_while(|line| !line.starts_with("watching")).collect::<Vec<_>>();
    assert_eq!(until_it_watches(), [""; 0]);
    let file = pack.join("tool.yaml");
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, good.replace("  commands:", "  comands:")).unwrap();
    let wrong = until_it_watches();
    assert!(wrong.iter().any(|line| line.contains("did you mean `commands`?")), "{wrong:?}");
    std::fs::write(&file, &good).unwrap();
    assert_eq!(until_it_watches(), [""; 0]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn search_tells_commands_apart_by_category_and_finds_scripts() {
    let search = |more: &[&str]| {
        let pack = root().join("packs/clickup").display().to_string();
        let mut arguments = vec!["pack", "search", "task", "--json", "--limit", "200", "--pack", &pack];
        arguments.extend(more);
        let output = run(&root(), &arguments, "");
        (code(&output), out(&output), err(&output))
    };
    let (exit, found, why) = search(&["--category", "comments"]);
    assert_eq!(exit, 0, "{why}");
    let hits: Vec<Value> = serde_json::from_str(&found).unwrap();
    let ids: Vec<&str> = hits.iter().map(|hit| hit["entry"]["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"create_comment") && !ids.contains(&"create_task"), "{ids:?}");
    assert!(hits.iter().all(|hit| hit["entry"]["labels"]["category"] == "comments"), "{found}");
    assert!(hits.iter().any(|hit| hit["entry"]["labels"]["kind"] == "example"), "{found}");
    let (exit, _, why) = search(&["--category", "coments"]);
    assert!(exit == 2 && why.contains("did you mean `comments`?"), "{exit} {why}");
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "orders"], "")), 0);
    std::fs::create_dir(folder.path().join("orders/scripts")).unwrap();
    std::fs::write(folder.path().join("orders/scripts/import.sh"), "# bazinga\nexit 0\n").unwrap();
    let file = folder.path().join("orders/tool.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("  commands:", "  scripts: [scripts/import.sh]\n  commands:", 1)).unwrap();
    let output = run(folder.path(), &["pack", "search", "bazinga", "--pack", "orders", "--type", "script"], "");
    assert!(out(&output).contains("scripts/import.sh:1"), "{} {}", out(&output), err(&output));
}

#[test]
fn what_is_wrong_with_a_pack_that_is_named_by_its_id_names_its_files_as_they_lie() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "packs/orders"], "")), 0);
    let file = folder.path().join("packs/orders/helpers/order-total.js");
    fs::write(&file, fs::read_to_string(&file).unwrap().replacen("=> total +", "=> => total +", 1)).unwrap();
    for arguments in [["pack", "check", "orders"], ["pack", "test", "orders"]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("packs/orders/helpers/order-total.js:"), "{}", err(&output));
        assert!(!err(&output).contains("\norders/"), "{}", err(&output));
    }
    fs::write(folder.path().join("packs/orders/tool.yaml"), " ".repeat((1 << 20) + 1)).unwrap();
    let told = err(&run(folder.path(), &["pack", "check", "orders"], ""));
    assert_eq!(told.matches("tool.yaml").count(), 1, "{told}");
}

#[test]
fn a_pack_that_does_not_load_is_in_the_report_and_hides_no_other() {
    let folder = tempdir().unwrap();
    for name in ["packs/good", "packs/bad", "packs/worse"] {
        assert_eq!(code(&run(folder.path(), &["pack", "new", name], "")), 0);
    }
    let change = |file: &str, from: &str, to: &str| {
        let path = folder.path().join("packs").join(file);
        fs::write(&path, fs::read_to_string(&path).unwrap().replacen(from, to, 1)).unwrap();
    };
    change("bad/tool.yaml", "  commands:", "  comands:");
    change("worse/examples/edge-cases/rounding.yaml", "{total_cents: 2, ", "{total_cents: 3, ");
    let test = |format: &str, packs: &[&str]| {
        let arguments: Vec<&str> = ["pack", "test", "--format", format].iter().chain(packs).copied().collect();
        let output = run(folder.path(), &arguments, "");
        (code(&output), out(&output), err(&output))
    };
    let all = ["packs/bad", "packs/good", "packs/worse"];
    let (exit, told, why) = test("json", &all);
    assert_eq!((exit, why.contains("did you mean `commands`?")), (2, true), "{why}");
    let report: Value = serde_json::from_str(&told).unwrap();
    let packs: Vec<&str> =
        report["packs"].as_array().unwrap().iter().map(|one| one["pack"].as_str().unwrap()).collect();
    assert_eq!(packs, ["packs/bad", "good", "worse"]);
    let case = &report["packs"][0]["cases"][0];
    assert_eq!((&case["sort"], &case["outcome"]["result"]), (&"load".into(), &"broken".into()), "{case}");
    assert!(case["id"].as_str().unwrap().starts_with("packs/bad/tool.yaml:"), "{case}");
    let (exit, told, _) = test("junit", &all);
    assert_eq!((exit, told.matches("<testsuite ").count(), told.matches("<error>").count()), (2, 3, 1), "{told}");
    assert!(told.starts_with("<?xml") && told.trim_end().ends_with("</testsuites>"), "{told}");
    let (exit, told, _) = test("text", &all);
    assert!(exit == 2 && told.contains("good 0.1.0") && told.contains("FAILED edge `rounding[0]`"), "{exit} {told}");
    assert_eq!(test("junit", &["packs/good", "packs/worse"]).0, 1);
    assert_eq!(test("junit", &["packs/good"]).0, 0);
}

#[test]
fn search_takes_both_spellings_of_a_command_and_tells_what_is_near_to_one_that_is_not_there() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "orders"], "")), 0);
    let rename = |file: &std::path::Path| {
        let text = fs::read_to_string(file).unwrap();
        fs::write(file, text.replace("quote_order", "quote-order")).unwrap();
    };
    rename(&folder.path().join("orders/tool.yaml"));
    for inner in ["examples/success", "examples/failures", "validators"] {
        for file in fs::read_dir(folder.path().join("orders").join(inner)).unwrap() {
            rename(&file.unwrap().path());
        }
    }
    let search = |command: &str| {
        let output = run(
            folder.path(),
            &["pack", "search", "order", "--pack", "orders", "--json", "--limit", "50", "--command", command],
            "",
        );
        (code(&output), out(&output), err(&output))
    };
    let (exit, found, why) = search("quote-order");
    assert_eq!((exit, &found), (0, &search("quote_order").1), "{why}");
    let hits: Vec<Value> = serde_json::from_str(&found).unwrap();
    let kinds: std::collections::BTreeSet<&str> =
        hits.iter().map(|hit| hit["entry"]["labels"]["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains("command") && kinds.contains("example"), "{found}");
    let (exit, found, why) = search("quote-ordr");
    assert!(exit == 2 && found.is_empty() && why.contains("did you mean `quote_order`?"), "{exit} {found} {why}");
}

#[test]
fn a_dry_run_of_what_sends_nothing_says_so() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "packs/shop"], "")), 0);
    fs::write(folder.path().join("balcao.toml"), "[packs]\nfolders = [\"packs\"]\n").unwrap();
    let input = r#"{"lines": [{"price_cents": 4500, "quantity": 1}]}"#;
    let call = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["pack", "run", "shop", "quote_order", "--input", input].iter().chain(more).copied().collect();
        let output = run(folder.path(), &arguments, "");
        (code(&output), out(&output), err(&output))
    };
    let (exit, told, why) = call(&["--dry-run"]);
    assert!(exit == 0 && told.contains("nothing would be sent: `quote_order` only computes"), "{exit} {told} {why}");
    let (exit, told, why) = call(&["--now", "2026-11-24T09:00:00-03:00"]);
    assert!(exit == 0 && told.contains("4500"), "{exit} {told} {why}");
    assert_eq!(call(&["--now", "tomorrow"]).0, 2);
    // What is wrong with the arguments is told all the same.
    let wrong = run(folder.path(), &["pack", "run", "shop", "quote_order", "--dry-run"], "");
    assert!(code(&wrong) == 1 && out(&wrong).contains("invalid_arguments"), "{}", out(&wrong));
}

#[test]
fn a_list_of_packs_counts_in_words() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["pack", "new", "packs/shop"], "")), 0);
    let list = || out(&run(folder.path(), &["pack", "list"], ""));
    assert!(list().lines().any(|line| line.contains("packs/shop") && line.ends_with(" 1 command")), "{}", list());
    let file = folder.path().join("packs/shop/tool.yaml");
    fs::write(&file, fs::read_to_string(&file).unwrap().replacen("  commands:", "  comands:", 1)).unwrap();
    assert!(list().contains(" 1 problem: see `balcao pack check"), "{}", list());
}
