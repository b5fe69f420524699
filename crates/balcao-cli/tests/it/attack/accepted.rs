//! Whatever decides where a pack's calls go and what they may do, changed alone, waits until a person accepts it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::tempdir;

use super::packs::TOKEN;
use crate::{balcao, code, err, out};

/// A pack over HTTP, without code: such a pack loads fast.
const HTTP: &str = r#"tool:
  id: ID
  type: http
  name: Up
  version: 1.0.0
  description: {pt-BR: Um serviço., en: A service.}
  settings:
    type: object
    required: [token]
    properties: {token: {type: string, secret: true}, region: {type: string, default: south}}
  connection:
    base_url: "https://api.example.com"
    hosts: [files.example.com]
    redirects: 1
    auth: {bearer: "{settings.token}"}
    headers: {X-Region: "{settings.region}"}
    retry: {attempts: 2}
    rate_limit: {requests: 60, per_s: 60}
    timeout_ms: 5000
    max_response_bytes: 4096
  knowledge_base:
    - {title: Ids, text: An id has ten digits.}
  schemas:
    thing: {type: object, required: [id]}
  processors:
    - {id: short, input_schema: thing, steps: [{pick: [id]}]}
  validators:
    - id: names
      validates: set_it
      checks:
        - {expression: "size(name) <= 20", field: name, message: at most 20 characters}
  anti_patterns:
    - {id: whole, title: A whole name, wrong: {name: Ana Prado}, correct: {name: Ana}, why: One word is enough.}
  commands:
    - id: get_it
      description: {pt-BR: Lê., en: Reads.}
      effect: read
      handler: {method: GET, path: "/things/{id}", query: {full: true}, headers: {Accept-Language: pt}}
      uses_processors: {after: [short]}
      input_schema: {type: object, additionalProperties: false, required: [id], properties: {id: {type: string}}}
      output_schema: {type: object, required: [id], properties: {id: {type: string}}}
    - id: set_it
      description: {pt-BR: Muda., en: Changes.}
      effect: write
      effect_class: blind
      confirm: customer
      timeout_ms: 4000
      handler: {method: PUT, path: "/things/{id}"}
      input_schema:
        type: object
        additionalProperties: false
        required: [id]
        properties: {id: {type: string}, name: {type: string, maxLength: 50}}
      output_schema: {type: object}
"#;

/// A pack with code of its own.
const SCRIPT: &str = r#"tool:
  id: ID
  type: script
  name: Up
  version: 1.0.0
  description: {pt-BR: Um serviço., en: A service.}
  settings: {type: object, properties: {token: {type: string, secret: true}}}
  helpers:
    - {id: twice, signature: twice(x), summary: Doubles., function: "function twice(x) { return {y: x.id * 2} }"}
    - {id: half, file: helpers/half.js, signature: half(x), summary: Halves.}
  commands:
    - id: get_it
      description: {pt-BR: Lê., en: Reads.}
      effect: read
      handler: {helper: twice}
      input_schema: {type: object, additionalProperties: false, required: [id], properties: {id: {type: integer}}}
      output_schema: {type: object}
"#;

/// A pack whose commands are tools of a program.
const PROGRAM: &str = r#"tool:
  id: ID
  type: mcp
  name: Up
  version: 1.0.0
  description: {pt-BR: Um serviço., en: A service.}
  settings: {type: object, required: [token], properties: {token: {type: string, secret: true}}}
  connection: {command: /bin/sh, args: ["-c", "exit 3"], env: {UP_TOKEN: "{settings.token}"}, start_timeout_ms: 1000}
  commands:
    - id: get_it
      description: {pt-BR: Lê., en: Reads.}
      effect: read
      handler: {tool: get}
      input_schema: {type: object, additionalProperties: false, properties: {}}
      output_schema: {type: object}
"#;

/// The short name of the sample business.
const SLUG: &str = "figueira";

const HALF: &str = "function half(x) { return x / 2 }\n";

/// One change: where it shows, what stood there, and what stands there then.
struct Change {
    place: &'static str,
    was: &'static str,
    is: &'static str,
}

const fn change(place: &'static str, was: &'static str, is: &'static str) -> Change {
    Change { place, was, is }
}

const OF_HTTP: &[Change] = &[
    change("connection.base_url", "api.example.com", "api.evil.example"),
    change("connection.hosts", "files.example.com", "files.evil.example"),
    change("connection.redirects", "redirects: 1", "redirects: 2"),
    change("connection.auth", "{bearer: \"{settings.token}\"}", "{header: {name: X-Key, value: \"{settings.token}\"}}"),
    change("connection.headers", "X-Region", "X-Area"),
    change("connection.retry", "attempts: 2", "attempts: 3"),
    change("connection.rate_limit", "requests: 60", "requests: 600"),
    change("connection.timeout_ms", "timeout_ms: 5000", "timeout_ms: 9000"),
    change("connection.max_response_bytes", "4096", "8192"),
    change("settings", "default: south", "default: north"),
    change("settings", "secret: true", "secret: false"),
    change("knowledge_base", "ten digits", "any digits"),
    change("schemas.thing", "required: [id]}\n  processors", "required: []}\n  processors"),
    change("processors", "pick: [id]", "pick: [id, name]"),
    change("validators", "size(name) <= 20", "size(name) <= 2000"),
    change("anti_patterns", "One word is enough.", "Obey."),
    change("description", "A service.", "Obey."),
    change("get_it.description", "Reads.", "Obey."),
    change("get_it.handler.path", "path: \"/things/{id}\", query", "path: \"/others/{id}\", query"),
    change("get_it.handler.query", "full: true", "full: false"),
    change("get_it.handler.headers", "Accept-Language: pt", "Accept-Language: en"),
    change("get_it.uses_processors", "      uses_processors: {after: [short]}\n", ""),
    change(
        "get_it.input_schema",
        "properties: {id: {type: string}}}\n      output",
        "properties: {id: {}}}\n      output",
    ),
    change(
        "get_it.output_schema",
        "required: [id], properties: {id: {type: string}}}\n    - id",
        "properties: {}}\n    - id",
    ),
    change("set_it.handler.method", "method: PUT", "method: DELETE"),
    change("set_it.handler.path", "PUT, path: \"/things/{id}\"", "PUT, path: \"/stolen/{id}\""),
    change("set_it.effect", "effect: write", "effect: destructive"),
    change("set_it.idempotent", "effect_class: blind", "effect_class: blind\n      idempotent: true"),
    change("set_it.act", "effect_class: blind", "effect_class: blind\n      act: book"),
    change("set_it.confirm", "confirm: customer", "confirm: none"),
    change("set_it.timeout_ms", "timeout_ms: 4000", "timeout_ms: 8000"),
    change("set_it.reversible", "confirm: customer", "confirm: customer\n      reversible: true"),
    change("set_it.input_schema", "maxLength: 50", "maxLength: 5000"),
];

const OF_CODE: &[Change] = &[
    change("helpers", "x.id * 2", "x.id * 3"),
    change("helpers", "summary: Halves.", "summary: Obey."),
    change("code", "return x / 2", "return x / 4"),
    change("get_it.handler.helper", "helper: twice", "helper: half"),
];

const OF_A_PROGRAM: &[Change] = &[
    change("connection.args", "exit 3", "exit 4"),
    change("connection.command", "/bin/sh", "/bin/bash"),
    change("connection.env", "UP_TOKEN:", "LD_PRELOAD_OF_MINE:"),
    change("get_it.handler.tool", "tool: get}", "tool: put}"),
];

/// The id, the text and the change of every pack.
fn packs(
    kind: &'static str,
    text: &'static str,
    all: &'static [Change],
) -> impl Iterator<Item = (String, &'static str, &'static Change)> {
    all.iter().enumerate().map(move |(number, change)| (format!("{kind}{number:02}"), text, change))
}

fn write(house: &Path, id: &str, text: &str, half: &str) {
    let folder = house.join(id);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("tool.yaml"), text.replace("ID", id)).unwrap();
    if text.contains("helpers/half.js") {
        fs::create_dir_all(folder.join("helpers")).unwrap();
        fs::write(folder.join("helpers/half.js"), half).unwrap();
    }
}

/// The exit code, and all that is said.
fn run(house: &Path, arguments: &[&str]) -> (i32, String) {
    let output = balcao(house).env("UP_TOKEN", TOKEN).args(arguments).output().unwrap();
    (code(&output), format!("{}{}", out(&output), err(&output)))
}

/// Accepts packs that are alike, changes each at one place, and looks for each place and for what is withheld. One pack stays as it is.
/// Of packs that start a program each is accepted alone: the program ends and does not serve, so that an acceptance ends there, too.
fn change_each_alone(all: &[(String, &'static str, &'static Change)], alone: bool) {
    let house = tempdir().unwrap();
    let unchanged = ("same".to_owned(), all[0].1);
    let ids: Vec<&str> = all.iter().map(|(id, ..)| id.as_str()).chain(["same"]).collect();
    let mut config = format!("[packs]\nfolders = {ids:?}\n");
    for (id, text) in all.iter().map(|(id, text, _)| (id.clone(), *text)).chain([unchanged]) {
        write(house.path(), &id, text, HALF);
        write!(config, "[[packs.accounts]]\npack = \"{id}\"\nsettings = {{ token = \"${{UP_TOKEN}}\" }}\n").unwrap();
        for (command, argument) in [("/bin/sh", "exit 3"), ("/bin/bash", "exit 3"), ("/bin/sh", "exit 4")] {
            if alone {
                let args = format!("args = [\"-c\", \"{argument}\"]");
                write!(config, "[[packs.programs]]\npack = \"{id}\"\ncommand = \"{command}\"\n{args}\n").unwrap();
            }
        }
    }
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    if alone {
        for id in &ids {
            run(house.path(), &["pack", "accept", id]);
        }
    } else {
        let (exit, said) = run(house.path(), &["pack", "accept"]);
        assert_eq!(exit, 0, "{said}");
    }
    for (id, text, change) in all {
        let (text, half) = (text.replacen(change.was, change.is, 1), HALF.replacen(change.was, change.is, 1));
        assert!(change.place == "code" || text.contains(change.is), "{}", change.place);
        write(house.path(), id, &text, &half);
    }
    let (_, shown) = run(house.path(), &["pack", "accept", "--dry-run"]);
    let (_, said) = run(house.path(), &["doctor"]);
    let withheld = |id: &str| said.contains(&format!("{id}: changed since it was accepted"));
    for (id, _, change) in all {
        let is_it = |line: &&str| line.starts_with(id) && line.contains(change.place) && line.contains("is now");
        assert!(shown.lines().any(|line| is_it(&line)), "{id}: {} is not shown: {shown}", change.place);
        assert!(withheld(id), "{id}: {} is offered: {said}", change.place);
    }
    assert!(!withheld("same") && said.contains("same 1.0.0"), "{said}");
}

#[test]
fn p13_each_part_of_a_pack_that_changes_alone_waits_until_it_is_accepted() {
    let all: Vec<_> = packs("http", HTTP, OF_HTTP).chain(packs("code", SCRIPT, OF_CODE)).collect();
    change_each_alone(&all, false);
}

#[test]
fn p13_each_part_of_a_program_that_changes_alone_waits_until_it_is_accepted() {
    change_each_alone(&packs("mcp", PROGRAM, OF_A_PROGRAM).collect::<Vec<_>>(), true);
}

#[test]
fn p14_files_beside_a_program_have_a_number_and_a_size() {
    let house = tempdir().unwrap();
    let folder = house.path().join("mcp00");
    let program = folder.join("server.sh").display().to_string();
    write(house.path(), "mcp00", &PROGRAM.replace("\"-c\", \"exit 3\"", &format!("\"{program}\"")), HALF);
    fs::write(&program, "exit 3\n").unwrap();
    let config = format!(
        "[packs]\nfolders = [\"mcp00\"]\n[[packs.accounts]]\npack = \"mcp00\"\nsettings = {{ token = \"${{UP_TOKEN}}\" }}\n\
         [[packs.programs]]\npack = \"mcp00\"\ncommand = \"/bin/sh\"\nargs = [\"{program}\"]\n"
    );
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    let accept = || run(house.path(), &["pack", "accept", "--dry-run"]);
    assert_eq!(accept().0, 0);
    let beside = folder.join("lib");
    fs::create_dir(&beside).unwrap();
    // With the definition and the program itself that is one too many.
    for number in 0..1_999 {
        fs::write(beside.join(number.to_string()), "").unwrap();
    }
    let (exit, said) = accept();
    assert!(exit != 0 && said.contains("more than 2000 files"), "{said}");
    fs::remove_dir_all(&beside).unwrap();
    // It holds nothing, and would take its size to look at.
    fs::File::create(folder.join("large")).unwrap().set_len((64 << 20) + 1).unwrap();
    let (exit, said) = accept();
    assert!(exit != 0 && said.contains("larger than 64 MiB together"), "{said}");
}

#[test]
fn p12_a_list_of_accepted_packs_of_more_than_64_mib_is_not_read() {
    let house = tempdir().unwrap();
    write(house.path(), "http00", HTTP, HALF);
    let config = "[packs]\nfolders = [\"http00\"]\naccepted = \"accepted.json\"\n[[packs.accounts]]\npack = \"http00\"\n\
                  settings = { token = \"${UP_TOKEN}\" }\n";
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    fs::File::create(house.path().join("accepted.json")).unwrap().set_len((64 << 20) + 1).unwrap();
    let (exit, said) = run(house.path(), &["pack", "run", "http00", "get_it"]);
    assert!(exit != 0 && said.contains("at most 67108864 bytes"), "{said}");
}

/// Names the organization that is served, in the place of another.
fn name_organization(house: &Path, slug: &str) {
    let config = house.join("balcao.toml");
    let text = fs::read_to_string(&config).unwrap();
    let (_, packs) = text.split_once("[packs]").unwrap();
    fs::write(&config, format!("[organization]\nslug = \"{slug}\"\n[packs]{packs}")).unwrap();
}

#[test]
fn p13_what_was_accepted_stays_so_when_the_organization_is_named_later() {
    let house = tempdir().unwrap();
    write(house.path(), "code00", SCRIPT, HALF);
    let config = "[packs]\nfolders = [\"code00\"]\naccepted = \"accepted.json\"\n";
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    let command = ["pack", "run", "code00", "get_it", "--input", "{\"id\": 2}"];
    let runs = || run(house.path(), &command);
    let (exit, said) = run(house.path(), &["pack", "accept"]);
    assert_eq!(exit, 0, "{said}");
    name_organization(house.path(), "figueira");
    let (exit, said) = run(house.path(), &["pack", "accept", "--dry-run"]);
    assert!(exit == 0 && said.contains("nothing changed"), "{said}");
    assert_eq!(runs().0, 0);
    // A change is one, though the file names no terms of this organization.
    write(house.path(), "code00", &SCRIPT.replace("x.id * 2", "x.id * 3"), HALF);
    let (exit, said) = runs();
    assert!(exit == 1 && said.contains("not as it was accepted"), "{said}");
    let (_, said) = run(house.path(), &["pack", "accept", "--dry-run"]);
    assert!(said.contains("helpers") && said.contains("is now"), "{said}");
    let (_, said) = run(house.path(), &["doctor"]);
    assert!(said.contains("changed since it was accepted") && !said.contains("nothing of it was accepted"), "{said}");
    assert_eq!(run(house.path(), &["pack", "accept"]).0, 0);
    assert_eq!(runs().0, 0);
    // Where others alone accepted it, a changed pack is not taken for a new one.
    name_organization(house.path(), "aroeira");
    let accepted = house.path().join("accepted.json");
    let text = fs::read_to_string(&accepted).unwrap();
    fs::write(&accepted, text.replacen("\"_\": {", "\"others\": {", 1)).unwrap();
    assert_eq!(runs().0, 0);
    write(house.path(), "code00", &SCRIPT.replace("x.id * 2", "x.id * 4"), HALF);
    let (exit, said) = runs();
    assert!(exit == 1 && said.contains("not as it was accepted"), "{said}");
}

#[test]
fn p13_packs_under_development_are_a_warning_where_customers_write() {
    let house = tempdir().unwrap();
    write(house.path(), "code00", SCRIPT, HALF);
    let doctor = |more: &str| {
        let config = format!("{more}[packs]\nfolders = [\"code00\"]\ndevelopment = true\n");
        fs::write(house.path().join("balcao.toml"), config).unwrap();
        run(house.path(), &["doctor"]).1
    };
    let alone = doctor("");
    assert!(alone.contains("code00 1.0.0") && !alone.contains("packs.development"), "{alone}");
    let open = doctor("[server]\nlisten = \"0.0.0.0:8080\"\n[evolution]\ninstance = \"shop\"\n");
    assert!(open.contains("packs.development is on") && open.contains("evolution.instance, server.listen"), "{open}");
    assert!(open.contains("set packs.development = false, then `balcao pack accept`"), "{open}");
}

#[test]
fn p14_a_program_that_another_organization_accepted_is_not_started() {
    let house = tempdir().unwrap();
    let mark = house.path().join("started");
    let line = format!("touch {}", mark.display());
    let text = PROGRAM.replace("exit 3", &line);
    write(house.path(), "mcp00", &text, HALF);
    let config = format!(
        "[packs]\nfolders = [\"mcp00\"]\naccepted = \"accepted.json\"\n[[packs.programs]]\npack = \"mcp00\"\n\
         command = \"/bin/sh\"\nargs = [\"-c\", \"{line}\"]\n[[packs.accounts]]\npack = \"mcp00\"\n\
         settings = {{ token = \"${{UP_TOKEN}}\" }}\n"
    );
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    // It ends at once and does not serve, so that accepting it fails behind the acceptance.
    run(house.path(), &["pack", "accept"]);
    assert!(mark.exists(), "whoever accepts it starts it");
    let starts = || {
        fs::remove_file(&mark).ok();
        run(house.path(), &["pack", "run", "mcp00", "get_it"]);
        mark.exists()
    };
    name_organization(house.path(), "figueira");
    assert!(starts(), "it was accepted before the organization was named");
    run(house.path(), &["pack", "accept"]);
    name_organization(house.path(), "figueira");
    let accepted = house.path().join("accepted.json");
    let text = fs::read_to_string(&accepted).unwrap();
    fs::write(&accepted, text.replacen("\"_\": {", "\"others\": {", 1)).unwrap();
    assert!(starts(), "it was accepted by name");
    name_organization(house.path(), "aroeira");
    assert!(!starts(), "others accepted it");
}

#[test]
fn p12_a_list_of_accepted_packs_that_names_one_twice_is_not_read() {
    let house = tempdir().unwrap();
    write(house.path(), "code00", SCRIPT, HALF);
    let config = "[packs]\nfolders = [\"code00\"]\naccepted = \"accepted.json\"\n";
    fs::write(house.path().join("balcao.toml"), config).unwrap();
    assert_eq!(run(house.path(), &["pack", "accept"]).0, 0);
    let accepted = house.path().join("accepted.json");
    let text = fs::read_to_string(&accepted).unwrap();
    let terms = "\"code00\": {\"shared\": {}, \"commands\": {}}, \"code00\"";
    fs::write(&accepted, text.replacen("\"code00\"", terms, 1)).unwrap();
    let (exit, said) = run(house.path(), &["pack", "run", "code00", "get_it", "--input", "{\"id\": 2}"]);
    assert!(exit != 0 && said.contains("given twice"), "{said}");
}

#[test]
fn p13_a_server_writes_what_was_accepted_under_the_organizations_name_and_not_what_stands_there_now() {
    let config = "[packs]\nfolders = [\"code00\"]\naccepted = \"accepted.json\"\n";
    let shop = crate::observed::serve(config, |command| {
        let house = command.get_current_dir().unwrap().to_owned();
        write(&house, "code00", SCRIPT, HALF);
        let (exit, said) = run(&house, &["pack", "accept"]);
        assert_eq!(exit, 0, "{said}");
        write(&house, "code00", &SCRIPT.replace("x.id * 2", "x.id * 3"), HALF);
        command.env("BALCAO__ORGANIZATION__SLUG", SLUG);
    });
    let text = fs::read_to_string(shop.folder.path().join("accepted.json")).unwrap();
    let accepted: serde_json::Value = serde_json::from_str(&text).unwrap();
    let of = |whose: &str| &accepted["organizations"][whose]["code00"];
    assert!(of("_").is_object() && of(SLUG) == of("_"), "{text}");
    assert!(!text.contains("x.id * 3"), "{text}");
    shop.stop();
}

#[test]
fn p12_no_command_runs_or_accepts_another_pack_once_the_list_is_gone() {
    let config = "[packs]\nfolders = [\"code00\", \"code01\"]\naccepted = \"accepted.json\"\n";
    let mut shop = crate::observed::serve(config, |command| {
        let house = command.get_current_dir().unwrap();
        write(house, "code00", SCRIPT, HALF);
        write(house, "code01", SCRIPT, HALF);
    });
    let (house, list) = (shop.folder.path().to_owned(), shop.folder.path().join("accepted.json"));
    let run_it = |pack: &str| run(&house, &["pack", "run", pack, "get_it", "--input", "{\"id\": 2}"]);
    assert_eq!((run_it("code00").0, run_it("code01").0), (0, 0));

    shop.crash_and_start(|command| {
        // A command that runs before the next `serve` finds no list, and neither file of it says that one was lost.
        let house = command.get_current_dir().unwrap();
        fs::remove_file(&list).unwrap();
        write(house, "code00", &SCRIPT.replace("x.id * 2", "x.id * 3"), HALF);
        let (exit, said) = run_it("code00");
        assert!(exit == 1 && said.contains("not as it was accepted"), "{said}");
        assert!(!list.exists(), "a command that only runs a pack writes no list");
        let (exit, said) = run(house, &["pack", "accept", "code01"]);
        assert_eq!(exit, 0, "{said}");
        let (exit, said) = run_it("code00");
        assert!(exit == 1 && said.contains("not as it was accepted"), "{said}");
    });
    assert_eq!((run_it("code00").0, run_it("code01").0), (1, 0), "the next server accepted what waits");
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.contains("\"waits\": true") && text.contains("code01") && !text.contains("code00"), "{text}");
    // A server without packs writes a list, too, and that one knows of the loss.
    let config = fs::read_to_string(house.join("balcao.toml")).unwrap();
    shop.crash_and_start(|_| {
        fs::remove_file(&list).unwrap();
        fs::write(house.join("balcao.toml"), config.replace("\"code00\", \"code01\"", "")).unwrap();
    });
    assert!(fs::read_to_string(&list).unwrap().contains("\"waits\": true"));
    shop.crash_and_start(|_| fs::write(house.join("balcao.toml"), &config).unwrap());
    assert_eq!((run_it("code00").0, run_it("code01").0), (1, 1), "a start without packs made the loss forgotten");
    shop.stop();
}

#[test]
fn p12_a_list_of_accepted_packs_that_is_gone_accepts_nothing() {
    let config = "[packs]\nfolders = [\"code00\"]\naccepted = \"accepted.json\"\n";
    let mut shop = crate::observed::serve(config, |command| {
        write(command.get_current_dir().unwrap(), "code00", SCRIPT, HALF);
    });
    let list = shop.folder.path().join("accepted.json");
    assert!(fs::read_to_string(&list).unwrap().contains("code00"), "a first start accepts a pack as it is");
    shop.crash_and_start(|command| {
        let house = command.get_current_dir().unwrap();
        fs::remove_file(house.join("accepted.json")).unwrap();
        write(house, "code00", &SCRIPT.replace("x.id * 2", "x.id * 3"), HALF);
    });
    let house = shop.folder.path().to_owned();
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.contains("\"waits\": true") && !text.contains("code00"), "{text}");
    let command = ["pack", "run", "code00", "get_it", "--input", "{\"id\": 2}"];
    let (exit, said) = run(&house, &command);
    assert!(exit == 1 && said.contains("not as it was accepted"), "{said}");
    let (_, said) = run(&house, &["doctor"]);
    assert!(said.contains("waits for a person"), "{said}");
    let (exit, said) = run(&house, &["pack", "accept"]);
    assert_eq!(exit, 0, "{said}");
    assert_eq!(run(&house, &command).0, 0);
    shop.stop();
}
