//! `balcao business` by the real program: shown, agreed to, made.

use std::path::Path;

use balcao_testkit::business_edits::{self, ABSENT_TAG, EditKind, Place};
use balcao_testkit::fakes::model::{self, FakeModel};
use balcao_testkit::postgres::Database;
use serde_json::{Value, json};

use crate::ops::model_config;
use crate::{balcao, code, err, out, root, run, run_by};

/// A folder with the sample business loaded.
fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("samples/barbearia-figueira.yaml"), folder.path().join("shop.yaml")).unwrap();
    assert_eq!(code(&run(folder.path(), &["seed", "shop.yaml"], "")), 0);
    folder
}

fn told(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run(folder, arguments, "");
    (code(&output), format!("{}{}", out(&output), err(&output)))
}

fn change_price(folder: &Path, price: &str) {
    let file = folder.join("shop.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text =
        text.replace("price: \"70.00\", duration_minutes: 45", &format!("price: \"{price}\", duration_minutes: 45"));
    std::fs::write(file, text).unwrap();
}

#[test]
fn a_file_is_shown_as_a_plan_and_made_by_its_hash_or_not_at_all() {
    let folder = shop();
    let folder = folder.path();
    assert_eq!(told(folder, &["seed", "shop.yaml"]), (0, "figueira: nothing to change\n".to_owned()));
    change_price(folder, "75.00");
    let (status, shown) = told(folder, &["business", "apply", "shop.yaml"]);
    assert!(status == 2 && shown.contains("price: \"70.00\" → \"75.00\"") && shown.contains("--yes"), "{shown}");
    let (_, plan) = told(folder, &["business", "plan", "shop.yaml", "--json"]);
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let hash = plan["hash"].as_str().unwrap();
    let edit = ["business", "set", "services", "Coloração", "price=200.00"];
    let shown = run(folder, &[&edit[..], &["--json"]].concat(), "");
    let of_edit: Value = serde_json::from_str(&out(&shown)).unwrap();
    assert!(code(&shown) == 2 && of_edit["applied"] == false, "{of_edit}");
    assert_eq!(told(folder, &[&edit[..], &["--plan", of_edit["hash"].as_str().unwrap()]].concat()).0, 0);
    let (status, refused) = told(folder, &["business", "apply", "shop.yaml", "--plan", hash]);
    assert!(status == 1 && refused.contains("this plan is not what the file changes now"), "{refused}");
    assert!(refused.contains("services `Coloração` changed"), "{refused}");
    assert_eq!(told(folder, &["business", "set", "services", "Coloração", "price=120.00", "--yes"]).0, 0);
    let (status, made) = told(folder, &["business", "apply", "shop.yaml", "--plan", hash]);
    assert!(status == 0 && made.contains("made 1 change"), "{made}");
    assert_eq!(told(folder, &["seed", "shop.yaml", "--yes"]), (0, "figueira: nothing to change\n".to_owned()));
}

#[test]
fn what_is_exported_is_the_business_as_edits_left_it() {
    let folder = shop();
    let folder = folder.path();
    for edit in [
        &["add", "services", "name=Luzes", "price=180.00", "duration_minutes=90"][..],
        &["set", "organization", "hours.sun=[\"09:00-12:00\"]", "exceptions+={\"date\":\"2026-12-24\",\"periods\":[]}"],
        &["set", "organization", "exceptions-={\"date\":\"2026-12-12\"}"],
        &["remove", "services", "Luzes"],
    ] {
        let (status, said) = told(folder, &[&["business"], edit, &["--yes"]].concat());
        assert!(status == 0 && said.contains("made 1 change"), "{edit:?}: {said}");
    }
    assert_eq!(told(folder, &["business", "export", "--out", "now.yaml"]).0, 0);
    let text = std::fs::read_to_string(folder.join("now.yaml")).unwrap();
    assert!(text.contains("name: Luzes") && text.contains("2026-12-24") && !text.contains("2026-12-12"), "{text}");
    assert_eq!(told(folder, &["business", "plan", "now.yaml"]), (0, "figueira: nothing to change\n".to_owned()));
}

#[test]
fn file_that_is_there_is_written_over_only_if_that_is_forced() {
    let folder = shop();
    let folder = folder.path();
    let (status, said) = told(folder, &["business", "export", "--out", "shop.yaml"]);
    assert!(status == 1 && said.contains("shop.yaml is there already; expected another file, or --force"), "{said}");
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("shop.yaml")).unwrap(), sample);
    assert_eq!(told(folder, &["business", "export", "--out", "shop.yaml", "--force"]).0, 0);
    assert_ne!(std::fs::read_to_string(folder.join("shop.yaml")).unwrap(), sample);
}

#[test]
fn business_that_was_loaded_and_never_changed_has_its_first_versions() {
    let folder = shop();
    let (status, listed) = told(folder.path(), &["business", "versions"]);
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((status, names.as_slice()), (0, &["business_1", "knowledge_1"][..]), "{listed}");
    assert!(listed.contains("operator"), "{listed}");
}

/// The reply in a conversation that goes on from one call of the program to the next, so many minutes after ten.
fn reply(folder: &Path, minutes: usize, words: &str) -> String {
    let now = format!("2026-11-24T{:02}:{:02}", 10 + minutes / 60, minutes % 60);
    let chat = ["chat", "--as", "+5531988887777", "--script", "-", "--model", "offline", "--now", &now];
    let output = run(folder, &chat, &format!("{words}\n"));
    assert_eq!(code(&output), 0, "{}", err(&output));
    out(&output)
}

#[test]
fn edit_is_seen_by_the_offline_model_in_the_next_turn_of_a_running_conversation() {
    let folder = shop();
    let folder = folder.path();
    let make = |edit: &[&str]| {
        let (status, said) = told(folder, &[&["business"], edit, &["--yes"]].concat());
        assert_eq!(status, 0, "{edit:?}: {said}");
    };
    let told = |words: &str| reply(folder, 0, words);
    assert!(told("quanto custa a coloração?").contains("R$ 120,00"));
    make(&["set", "services", "Coloração", "price=222.00"]);
    let again = told("quanto custa mesmo a coloração?");
    assert!(again.contains("R$ 222,00") && !again.contains("120"), "{again}");
    // A new service, an archived one, the team, a plan and the hours: all that was read is read again.
    make(&["add", "services", "name=Luzes", "price=180.00", "duration_minutes=90"]);
    assert!(told("quanto custam as luzes?").contains("R$ 180,00"));
    make(&["remove", "services", "Luzes"]);
    assert!(!told("quanto custam as luzes?").contains("R$ 180,00"));
    assert!(told("quem trabalha aí?").contains("Wesley"));
    make(&["remove", "professionals", "Wesley Moura"]);
    let team = told("quais são os profissionais?");
    assert!(team.contains("Íris") && !team.contains("Wesley"), "{team}");
    make(&["set", "plans", "Copa", "price=199.00"]);
    assert!(told("quais são os planos?").contains("R$ 199,00"));
    make(&["set", "organization", "hours.sat=[\"10:00-15:00\"]"]);
    let open = told("que horas abre sábado?");
    assert!(open.contains("10h"), "{open}");
}

#[test]
fn who_changes_the_business_is_named_and_is_its_owner_or_a_manager() {
    let folder = shop();
    let folder = folder.path();
    let edit =
        |by: &str| told(folder, &["business", "set", "services", "Coloração", "price=222.00", "--yes", "--as", by]);
    for (by, words) in [
        ("ninguem@figueira.example", "nobody of staff has the e-mail address"),
        ("davi@figueira.example", "may not change the business; expected the owner or a manager"),
    ] {
        let (status, said) = edit(by);
        assert!(status == 1 && said.contains(words), "{said}");
    }
    assert_eq!(told(folder, &["business", "plan", "shop.yaml"]), (0, "figueira: nothing to change\n".to_owned()));
    assert_eq!(edit(" Renata@figueira.example").0, 0);
    let (_, history) = told(folder, &["business", "history", "Coloração", "--json"]);
    let row: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
    assert_eq!((&row["action"], &row["actor"]), (&json!("services.update"), &json!("renata@figueira.example")));
}

#[test]
fn offer_from_before_an_edit_is_looked_up_again_behind_a_side_question() {
    for (edit, again) in [
        (&["set", "services", "Coloração", "price=222.00"][..], "Tenho amanhã (quarta, 25/11) às 9h com Otávio Prado"),
        (&["set", "organization", "hours.wed=[\"11:00-15:00\"]"], "Otávio Prado: 11h"),
    ] {
        let folder = shop();
        let folder = folder.path();
        let ask = |words: &str| reply(folder, 0, words);
        let offer = ask("quero marcar corte na máquina amanhã com o Otávio, o primeiro horário");
        assert!(offer.contains("às 9h com Otávio Prado"), "{offer}");
        assert_eq!(told(folder, &[&["business"], edit, &["--yes"]].concat()).0, 0);
        let beside = ask("aceitam pix?");
        assert!(beside.contains("Pix, cartão") && beside.contains(again), "{edit:?}: {beside}");
        let end = if again.contains("11h") { ask("11h") } else { String::new() } + &ask("sim");
        assert!(end.contains("marcado!"), "{edit:?}: {end}");
    }
}

#[test]
fn booking_at_another_price_than_a_reply_told_asks_again_with_the_price() {
    let folder = shop();
    let folder = folder.path();
    let ask = |words: &str| reply(folder, 0, words);
    assert!(ask("quanto custa corte na máquina?").contains("R$ 50,00"));
    assert_eq!(told(folder, &["business", "set", "services", "Corte na máquina", "price=77.00", "--yes"]).0, 0);
    let offer = ask("quero marcar corte na máquina amanhã às 15h com o Wesley");
    assert!(offer.contains("Posso marcar?") && !offer.contains("R$"), "{offer}");
    let again = ask("sim");
    assert!(again.contains("Este horário custa R$ 77,00. Posso marcar Corte na máquina"), "{again}");
    let booked = ask("sim");
    assert!(booked.contains("marcado!"), "{booked}");
}

#[test]
fn what_no_contact_has_is_removed_and_who_leaves_gives_their_conversations_back() {
    let folder = shop();
    let folder = folder.path();
    for (section, entry, name) in
        [("tags", vec!["name=Solto"], "Solto"), ("pipelines", vec!["name=Cursos", "stages=[\"Um\"]"], "Cursos")]
    {
        let add = [&["business", "add", section][..], &entry, &["--yes"]].concat();
        assert_eq!(told(folder, &add).0, 0, "{add:?}");
        let (status, said) = told(folder, &["business", "remove", section, name, "--yes"]);
        assert!(status == 0 && said.contains(&format!("- {section} `{name}` removed")), "{said}");
    }
    let (status, said) = told(folder, &["business", "remove", "pipelines", "Relacionamento", "--yes"]);
    assert!(status == 1 && said.contains("contacts have it (2: con_1, con_2)"), "{said}");
    assert!(reply(folder, 0, "quero falar com um atendente").contains("equipe"));
    let (_, shown) = told(folder, &["inbox", "show", "1"]);
    assert!(shown.contains("Davi"), "{shown}");
    let (status, said) = told(folder, &["business", "remove", "staff", "davi@figueira.example", "--yes"]);
    assert!(status == 0 && said.contains("- staff `davi@figueira.example` archived"), "{said}");
    assert!(said.contains("hits 1 conversation"), "{said}");
    assert!(said.contains("it stays with staff, and is assigned to no person"), "{said}");
    let (status, shown) = told(folder, &["inbox", "show", "1"]);
    assert!(status == 0 && !shown.contains("Davi"), "{shown}");
    assert_eq!(told(folder, &["business", "export", "--out", "now.yaml"]).0, 0);
    assert_eq!(told(folder, &["business", "plan", "now.yaml"]), (0, "figueira: nothing to change\n".to_owned()));
    let take = ["inbox", "take", "1", "--as", "davi@figueira.example"];
    let (status, said) = told(folder, &take);
    assert!(status != 0 && said.contains("nobody of staff has the e-mail address"), "{said}");
    // The first file still names him.
    let (status, said) = told(folder, &["business", "apply", "shop.yaml", "--yes"]);
    assert!(status == 0 && said.contains("made 1 change"), "{said}");
    let (status, said) = told(folder, &take);
    assert!(status == 0 && said.contains("is yours"), "{said}");
}

#[test]
fn plan_shows_each_field_that_changes_of_what_it_archives() {
    let folder = shop();
    let folder = folder.path();
    for (edit, words) in [
        (&["set", "plans", "Copa", "active=false", "price=199.00"][..], "price: \"159.00\" → \"199.00\""),
        (&["set", "staff", "davi@figueira.example", "active=false", "role=owner"], "role: \"attendant\" → \"owner\""),
    ] {
        let (status, shown) = told(folder, &[&["business"], edit].concat());
        assert!(status == 2 && shown.contains(words), "{edit:?}: {shown}");
    }
}

#[test]
fn plan_names_new_price_and_new_terms_of_a_plan_that_changes_in_both() {
    let folder = shop();
    let (_, shown) = told(folder.path(), &["business", "set", "plans", "Copa", "price=199.00", "quota=1"]);
    assert!(shown.contains("of the new price") && shown.contains("by the new terms at once"), "{shown}");
}

#[test]
fn business_closes_on_holidays_behind_those_that_were_loaded() {
    let folder = shop();
    let chat = ["chat", "--script", "-", "--model", "offline", "--now", "2031-12-23T10:00"];
    let output = run(folder.path(), &chat, "que horas vocês abrem dia 25/12?\n");
    assert!(out(&output).contains("Natal"), "{}{}", out(&output), err(&output));
}

#[test]
fn an_edit_that_is_wrong_says_what_is_right_and_changes_nothing() {
    let folder = shop();
    let folder = folder.path();
    for (edit, words) in [
        (&["set", "service", "Coloração", "price=1"][..], "unknown section `service`; expected one of"),
        (&["set", "services", "Coloracao", "price=1.00"], "expected one of: Coloração"),
        (&["set", "services", "Coloração", "price=-1"], "invalid price"),
        (&["set", "services", "Coloração"], "balcao business set services NAME FIELD=VALUE"),
        (&["set", "services", "Coloração", "price"], "expected FIELD=VALUE"),
        (
            &["set", "organization", "exceptions+={\"date\":\"2026-12-24\",\"date\":\"2026-12-25\"}"],
            "`/date` is given twice",
        ),
        (&["remove", "tags", "Mensalista"], "cannot be removed"),
        (&["add", "services", "name=Luzes"], "`price` is missing"),
    ] {
        let (status, said) = told(folder, &[&["business"], edit, &["--yes"]].concat());
        assert!(status != 0 && said.contains(words), "{edit:?}: {said}");
    }
    assert_eq!(told(folder, &["business", "plan", "shop.yaml"]), (0, "figueira: nothing to change\n".to_owned()));
}

#[test]
fn knowledge_comes_from_files_and_an_earlier_version_can_be_had_again() {
    let folder = shop();
    let folder = folder.path();
    std::fs::write(folder.join("casa.md"), "# Casa\n## Pets\nPode, na coleira.\n").unwrap();
    std::fs::write(folder.join("latim.csv"), b"t\xedtulo;conte\xfado\nA;b\n").unwrap();
    let import = ["knowledge", "import", "casa.md"];
    let (status, said) = told(folder, &import);
    assert!(status != 0 && said.contains("knowledge `Casa › Pets` added") && said.contains("--yes"), "{said}");
    assert_eq!(told(folder, &[&import[..], &["--yes"]].concat()).0, 0);
    assert!(told(folder, &["knowledge", "search", "pets"]).1.contains("Pode, na coleira."));
    for (file, words) in [("latim.csv", "not UTF-8"), ("x.md", "not found"), ("casa.txt", "ends in .md, .csv or .tsv")]
    {
        let (status, said) = told(folder, &["knowledge", "import", file, "--yes"]);
        assert!(status == 2 && said.contains(words), "{said}");
    }
    let (_, listed) = told(folder, &["business", "versions", "--kind", "knowledge"]);
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["knowledge_2", "knowledge_1"], "{listed}");
    assert!(told(folder, &["business", "version", "knowledge_2"]).1.contains("Pode, na coleira."));
    // One title is one entry: its category is a field that changes.
    let moved = ["knowledge", "import", "casa.md", "--category", "Regras"];
    let (_, said) = told(folder, &moved);
    assert!(
        said.contains("~ knowledge `Casa › Pets` changed") && said.contains("category: \"Casa\" → \"Regras\""),
        "{said}"
    );
    assert_eq!(told(folder, &[&moved[..], &["--yes"]].concat()).0, 0);
    std::fs::write(folder.join("pets.md"), "# Pets\nSó na varanda.\n").unwrap();
    let (_, said) = told(folder, &["knowledge", "import", "pets.md", "--yes"]);
    assert!(said.contains("~ knowledge `Regras › Pets` changed") && !said.contains("category"), "{said}");
    let (_, found) = told(folder, &["knowledge", "search", "pets"]);
    assert!(found.contains("Só na varanda.") && !found.contains("coleira"), "{found}");
    let earlier = ["business", "export", "--knowledge", "knowledge_1", "--out", "before.yaml"];
    assert_eq!(told(folder, &earlier).0, 0);
    let (_, plan) = told(folder, &["business", "plan", "before.yaml"]);
    assert!(plan.contains("- knowledge `Regras › Pets` removed"), "{plan}");
    let (status, said) = told(folder, &["business", "export", "--knowledge", "knowledge_7"]);
    assert!(status == 2 && said.contains("unknown version `knowledge_7`"), "{said}");
}

#[test]
fn contact_is_changed_and_audited_by_command_and_the_next_turn_sees_it() {
    let folder = shop();
    change_contact(&Shop { folder: folder.path(), url: None });
}

#[test]
fn contact_is_changed_and_audited_by_command_and_the_next_turn_sees_it_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let folder = tempfile::tempdir().unwrap();
    change_contact(&Shop::seeded(folder.path(), &database.url));
}

/// Changes a customer's birthday and preferred name, which the next turn sees.
fn change_contact(shop: &Shop<'_>) {
    let (_, found) = shop.told(&["contacts", "find", "caio", "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    let id = found[0]["id"].as_str().map_or_else(|| format!("con_{}", found[0]["id"]), str::to_owned);
    for (wrong, expected) in [
        ("birthday=17/05/1990", "invalid birthday `17/05/1990`; expected a date such as 1990-05-17"),
        ("birthday=2999-01-01", "from 1900 to today"),
        ("email=caio", "expected an e-mail address"),
        ("phone=31 98888-0000", "cannot be changed"),
        ("birthday", "expected FIELD=VALUE"),
    ] {
        let (status, said) = shop.told(&["contacts", "set", &id, wrong]);
        assert!(status == 2 && said.contains(expected), "{wrong}: {said}");
    }
    let (status, said) = shop.told(&["contacts", "set", "con_999", "birthday=1990-05-17"]);
    assert!(status == 1 && said.contains("unknown contact con_999"), "{said}");
    let phone = found[0]["phone"].as_str().unwrap();
    let known = || {
        let script = [model::calls("get_contact_info", json!({})), model::says("Oi!")];
        let model = FakeModel::start(script).unwrap();
        std::fs::write(shop.folder.join("balcao.toml"), model_config(&model)).unwrap();
        let turn = shop.run(&["chat", "--as", phone, "--script", "-", "--json"], "oi\n");
        std::fs::remove_file(shop.folder.join("balcao.toml")).unwrap();
        assert_eq!(model.left(), 0, "{}{}", out(&turn), err(&turn));
        let turn: Value = serde_json::from_str(out(&turn).lines().next().unwrap()).unwrap();
        turn["calls"][0]["result"]["custom_fields"]["birthday"].clone()
    };
    assert_eq!(known(), Value::Null);
    let set = ["contacts", "set", &id, "birthday=1990-05-17", "preferred_name=Caco"];
    let (status, said) = shop.told(&set);
    assert!(status == 0 && said.contains("changed preferred_name, birthday"), "{said}");
    assert!(shop.told(&set).1.contains("nothing changed"));
    let (_, history) = shop.told(&["business", "history", &id, "--json"]);
    let row: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
    assert_eq!((&row["action"], &row["actor"]), (&json!("contact.update"), &json!("operator")), "{history}");
    assert_eq!(row["after"]["custom_fields"]["birthday"], "1990-05-17", "{history}");
    assert_eq!(row["before"]["custom_fields"]["birthday"], Value::Null, "{history}");
    assert_eq!((&row["before"]["preferred_name"], &row["after"]["preferred_name"]), (&json!("Caio"), &json!("Caco")));
    assert_eq!(known(), "1990-05-17");
    let turn = shop.run(&["chat", "--as", phone, "--script", "-", "--model", "offline"], "oi\n");
    assert!(out(&turn).contains("Caco"), "{}", out(&turn));
}

/// The versions of the business and its knowledge that the last reply of a conversation was written under.
fn read_under(shop: &Shop<'_>, conversation: usize) -> Vec<String> {
    let (_, shown) = shop.told(&["inbox", "show", &format!("cnv_{conversation}"), "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{shown}"));
    let versions = &shown["messages"].as_array().unwrap().last().unwrap()["versions"];
    let of_business = |version: &&str| version.starts_with("business_") || version.starts_with("knowledge_");
    versions.as_array().unwrap().iter().filter_map(Value::as_str).filter(of_business).map(str::to_owned).collect()
}

/// Who runs commands over a business.
struct Shop<'a> {
    folder: &'a Path,
    /// The database; a file in the folder without one.
    url: Option<&'a str>,
}

impl<'a> Shop<'a> {
    /// The sample in a database of a server.
    fn seeded(folder: &'a Path, url: &'a str) -> Self {
        let shop = Self { folder, url: Some(url) };
        let sample = root().join("samples/barbearia-figueira.yaml").display().to_string();
        let (status, said) = shop.told(&["seed", &sample]);
        assert_eq!(status, 0, "{said}");
        shop
    }

    fn run(&self, arguments: &[&str], input: &str) -> std::process::Output {
        let mut command = balcao(self.folder);
        if let Some(url) = self.url {
            command.env("BALCAO_DATABASE_URL", url).env("BALCAO__DATABASE__ALLOW_UNSAFE", "true");
        }
        run_by(&mut command, arguments, input)
    }

    fn told(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments, "");
        (code(&output), format!("{}{}", out(&output), err(&output)))
    }

    /// What the tools answered in the next turn of a customer.
    fn read_in_turn(&self, number: usize, place: &Place) -> String {
        let phone = format!("+5531988880{:03}", 100 + number);
        let chat = ["chat", "--as", &phone, "--script", "-", "--json", "--now", "2026-11-24T10:00"];
        let output = match place {
            Place::Turn { words, is_offline: false, calls } => {
                let hands_over = calls.iter().any(|(tool, _)| *tool == "transfer_to_human");
                let lines = calls.iter().map(|(tool, arguments)| model::calls(tool, arguments.clone()));
                let model = FakeModel::start(lines.chain((!hands_over).then(|| model::says("Oi!")))).unwrap();
                std::fs::write(self.folder.join("balcao.toml"), model_config(&model)).unwrap();
                let output = self.run(&chat, &format!("{words}\n"));
                std::fs::remove_file(self.folder.join("balcao.toml")).unwrap();
                assert_eq!(model.left(), 0, "{}{}", out(&output), err(&output));
                if hands_over {
                    let (status, said) = self.told(&["inbox", "give-back", &format!("cnv_{}", number + 1)]);
                    assert_eq!(status, 0, "{said}");
                }
                output
            }
            Place::Turn { words, .. } => {
                self.run(&[&chat[..], &["--model", "offline"]].concat(), &format!("{words}\n"))
            }
            Place::Version { .. } => self.run(&[&chat[..], &["--model", "offline"]].concat(), "oi\n"),
        };
        let turn = out(&output);
        let turn: Value = serde_json::from_str(turn.lines().next().unwrap_or_default())
            .unwrap_or_else(|_| panic!("{turn}{}", err(&output)));
        let all = turn["calls"].as_array().unwrap_or_else(|| panic!("{turn}"));
        all.iter().map(|call| format!("{}\n", call["result"])).collect()
    }
}

/// Makes each kind of edit, between two turns of a conversation of its own.
fn make_each_kind_of_edit(shop: &Shop<'_>) {
    let profile = std::fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
    let profile = format!("{}\n  records: {{tags: [{ABSENT_TAG}]}}\n", profile.trim_end());
    std::fs::create_dir(shop.folder.join("agents")).unwrap();
    std::fs::write(shop.folder.join("agents/eli.yaml"), profile).unwrap();
    let export = || shop.told(&["business", "export"]).1;
    let mut counted = [("business", 1), ("knowledge", 1)];
    let mut before = export();
    for (number, edit) in business_edits::all().into_iter().enumerate() {
        let place = &edit.evidence.place;
        let kind = if edit.section == "knowledge" { "knowledge" } else { "business" };
        let shown = || {
            let read = shop.read_in_turn(number, place);
            let versions = read_under(shop, number + 1);
            match place {
                Place::Turn { .. } => (read, versions),
                Place::Version { .. } => {
                    let version = versions.iter().find(|version| version.starts_with(kind)).unwrap();
                    (shop.told(&["business", "version", version]).1, versions)
                }
            }
        };
        // A conversation goes on behind its edit.
        let (shown_before, versions) = shown();
        assert_eq!(versions, counted.map(|(kind, version)| format!("{kind}_{version}")));
        let (command, sign) = match edit.kind {
            EditKind::Add => ("add", "="),
            EditKind::Set => ("set", "="),
            EditKind::Append => ("set", "+="),
            EditKind::Take => ("set", "-="),
            EditKind::Remove => ("remove", ""),
        };
        let fields = edit.fields.as_object().cloned().unwrap_or_default();
        let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{field}{sign}{value}")).collect();
        let name = Some(edit.name).filter(|name| !name.is_empty());
        let arguments: Vec<&str> = ["business", command, edit.section]
            .into_iter()
            .chain(name)
            .chain(fields.iter().map(String::as_str))
            .collect();
        let (status, plan) = shop.told(&arguments);
        assert!(status == 2 && plan.contains("1 change") && plan.contains("--yes"), "{edit:?}: {plan}");
        assert_eq!(export(), before, "a plan changes nothing");
        let (status, made) = shop.told(&[&arguments[..], &["--yes"]].concat());
        assert!(status == 0 && made.contains("made 1 change"), "{edit:?}: {made}");
        let after = export();
        assert_ne!(after, before, "{edit:?}");
        let (_, history) = shop.told(&["business", "history", edit.subject, "--json"]);
        let row: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
        assert_eq!((&row["action"], &row["actor"]), (&json!(edit.action), &json!("operator")), "{edit:?}");
        assert_eq!((&row["before"], &row["after"]), (&edit.before, &edit.after), "{edit:?}");
        counted[usize::from(kind == "knowledge")].1 += 1;
        let (shown_after, versions) = shown();
        assert_eq!(versions, counted.map(|(kind, version)| format!("{kind}_{version}")), "{edit:?}");
        let is_shown = |text: &str| text.contains(edit.evidence.value);
        assert_eq!(
            (is_shown(&shown_before), is_shown(&shown_after)),
            (!edit.evidence.is_new, edit.evidence.is_new),
            "{edit:?}: {shown_before} and then {shown_after}"
        );
        before = after;
    }
}

#[test]
fn each_kind_of_edit_is_shown_made_audited_and_seen_by_the_next_turn_by_command() {
    let folder = shop();
    make_each_kind_of_edit(&Shop { folder: folder.path(), url: None });
}

#[test]
fn of_two_processes_that_apply_a_plan_at_once_one_makes_it() {
    let folder = shop();
    apply_at_once(&Shop { folder: folder.path(), url: None });
}

#[test]
fn of_two_processes_that_apply_a_plan_at_once_one_makes_it_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let folder = tempfile::tempdir().unwrap();
    apply_at_once(&Shop::seeded(folder.path(), &database.url));
}

/// Two processes apply one plan at the same moment, a few times.
fn apply_at_once(shop: &Shop<'_>) {
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    for round in 1_usize..5 {
        let renamed = sample.replacen("name: Barbearia Figueira", &format!("name: Figueira {round}"), 1);
        std::fs::write(shop.folder.join("next.yaml"), renamed).unwrap();
        let (_, plan) = shop.told(&["business", "plan", "next.yaml", "--json"]);
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let hash = plan["hash"].as_str().unwrap();
        let apply = || shop.told(&["business", "apply", "next.yaml", "--plan", hash]);
        let ends = std::thread::scope(|scope| {
            let other = scope.spawn(apply);
            [apply(), other.join().unwrap()]
        });
        let count = |words: &str| ends.iter().filter(|(status, said)| *status == 0 && said.contains(words)).count();
        assert_eq!((count("made 1 change"), count("figueira: nothing to change")), (1, 1), "{ends:?}");
        let (_, history) = shop.told(&["business", "history", "organization", "--json"]);
        assert_eq!(history.lines().count(), round, "{history}");
    }
}

#[test]
fn import_of_knowledge_is_audited_and_seen_by_the_next_turn() {
    let folder = shop();
    import_knowledge(&Shop { folder: folder.path(), url: None });
}

#[test]
fn import_of_knowledge_is_audited_and_seen_by_the_next_turn_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let folder = tempfile::tempdir().unwrap();
    import_knowledge(&Shop::seeded(folder.path(), &database.url));
}

/// Imports a text of each format, between two turns.
fn import_knowledge(shop: &Shop<'_>) {
    for import in business_edits::imports() {
        let file = format!("casa.{}", import.ending);
        std::fs::write(shop.folder.join(&file), import.text).unwrap();
        let before = shop.read_in_turn(0, &import.evidence.place);
        let (status, said) = shop.told(&["knowledge", "import", &file, "--yes"]);
        assert_eq!(status, 0, "{said}");
        let (_, history) = shop.told(&["business", "history", import.subject, "--json"]);
        let row: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
        assert_eq!((&row["action"], &row["actor"]), (&json!(import.action), &json!("operator")), "{import:?}");
        assert_eq!((&row["before"], &row["after"]), (&import.before, &import.after), "{import:?}");
        let after = shop.read_in_turn(0, &import.evidence.place);
        let value = import.evidence.value;
        assert!(!before.contains(value) && after.contains(value), "{import:?}: {before} and then {after}");
    }
}

#[test]
fn each_kind_of_edit_is_shown_made_audited_and_seen_by_the_next_turn_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    let folder = tempfile::tempdir().unwrap();
    make_each_kind_of_edit(&Shop::seeded(folder.path(), &database.url));
}
