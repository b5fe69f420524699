//! Search by meaning: an embedder behind OpenAI's protocol, and what happens without its answer.

use balcao_testkit::fakes::embedding::{Broken, FakeEmbedding, KEY, MODEL};
use balcao_testkit::fakes::model::{FakeModel, calls, says};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::ops::{Ops, chat, model_config};
use crate::{balcao, code, err, out, run, run_by};

fn config(fake: &FakeEmbedding, more: &str) -> String {
    format!("[embedding]\nbase_url = \"{}\"\nmodel = \"{MODEL}\"\n{more}", fake.url())
}

/// A folder with one small pack, whose commands are found by what `meanings` say besides their words.
fn folder(fake: &FakeEmbedding) -> TempDir {
    let folder = tempdir().unwrap();
    let pack = folder.path().join("packs/orders").display().to_string();
    let made = run(folder.path(), &["pack", "new", &pack], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    let more = "api_key_env = \"EMBEDDING_KEY\"\n";
    std::fs::write(folder.path().join("balcao.toml"), config(fake, more)).unwrap();
    folder
}

fn with_key(folder: &TempDir, arguments: &[&str]) -> std::process::Output {
    run_by(balcao(folder.path()).env("EMBEDDING_KEY", KEY), arguments, "")
}

#[test]
fn packs_are_searched_by_meaning_and_by_words_alone_with_a_warning_while_the_service_fails() {
    let fake = FakeEmbedding::start(&[&["bazinga", "order"]]).unwrap();
    let folder = folder(&fake);
    let search = ["pack", "search", "bazinga", "--json"];
    let found = with_key(&folder, &search);
    assert_eq!(code(&found), 0, "{}", err(&found));
    let hits: Vec<Value> = serde_json::from_str(&out(&found)).unwrap();
    assert_eq!((&hits[0]["by_keywords"], &hits[0]["by_vectors"]), (&Value::Null, &json!(1)), "{hits:#?}");
    assert_eq!(fake.texts()[1], ["bazinga"]);
    for broken in [Broken::Status(500), Broken::Nonsense, Broken::OneShort, Broken::Ragged] {
        fake.next(broken);
        let found = with_key(&folder, &search);
        assert_eq!((code(&found), out(&found).trim()), (0, "[]"), "{broken:?}: {}", err(&found));
        assert!(err(&found).contains("words alone decide") && !err(&found).contains(KEY), "{}", err(&found));
    }
}

#[test]
fn a_model_is_told_by_its_prefixes_what_a_text_is_for() {
    let fake = FakeEmbedding::start(&[&["bazinga", "order"]]).unwrap();
    let folder = folder(&fake);
    let prefixes = "api_key_env = \"EMBEDDING_KEY\"\nquery_prefix = \"query: \"\npassage_prefix = \"passage: \"\n";
    std::fs::write(folder.path().join("balcao.toml"), config(&fake, prefixes)).unwrap();
    assert_eq!(code(&with_key(&folder, &["pack", "search", "bazinga", "--json"])), 0);
    let asked = fake.texts();
    assert!(asked[0].iter().all(|text| text.starts_with("passage: ")), "{:?}", asked[0]);
    assert_eq!(asked[1], ["query: bazinga"]);
    let long = format!("api_key_env = \"EMBEDDING_KEY\"\nquery_prefix = \"{}\"\n", "x".repeat(501));
    std::fs::write(folder.path().join("balcao.toml"), config(&fake, &long)).unwrap();
    let refused = with_key(&folder, &["pack", "search", "bazinga"]);
    assert!(code(&refused) != 0 && err(&refused).contains("embedding.query_prefix has 501"), "{}", err(&refused));
    std::fs::write(folder.path().join("balcao.toml"), "[embedding]\nquery_prefix = \"query: \"\n").unwrap();
    let without = with_key(&folder, &["pack", "search", "bazinga"]);
    assert!(code(&without) != 0 && err(&without).contains("set `model` or `folder`"), "{}", err(&without));
}

#[test]
fn the_doctor_says_by_what_is_searched_and_what_is_wrong_with_an_embedder() {
    let fake = FakeEmbedding::start(&[]).unwrap();
    let folder = folder(&fake);
    let line = |output: &std::process::Output| {
        let all = out(output);
        all.lines().filter(|line| line.contains("search") || line.contains("embedding")).collect::<Vec<_>>().join("\n")
    };
    let fine = line(&with_key(&folder, &["doctor"]));
    assert!(fine.starts_with("ok") && fine.contains(MODEL) && fine.contains("1 numbers"), "{fine}");
    fake.next(Broken::Status(401));
    let refused = line(&with_key(&folder, &["doctor"]));
    assert!(refused.starts_with("warning") && refused.contains("gives no vectors"), "{refused}");
    let unset = line(&run(folder.path(), &["doctor"], ""));
    assert!(unset.starts_with("wrong") && unset.contains("EMBEDDING_KEY, which is not set"), "{unset}");
    std::fs::write(folder.path().join("balcao.toml"), config(&fake, "timeout_s = 0\n")).unwrap();
    let range = run(folder.path(), &["doctor"], "");
    assert!(
        code(&range) == 2 && err(&range).contains("embedding.timeout_s is 0; it may be 1 to 60"),
        "{}",
        err(&range)
    );
    std::fs::write(folder.path().join("balcao.toml"), "").unwrap();
    let none = line(&run(folder.path(), &["doctor"], ""));
    assert!(none.contains("by words alone"), "{none}");
}

#[test]
fn a_tool_is_found_by_what_it_means_and_by_words_while_the_service_fails() {
    let fake = FakeEmbedding::start(&[&["bazinga", "deletes a webhook."]]).unwrap();
    for fails in [false, true] {
        let find = |query: &str| calls("find_tools", json!({ "query": query }));
        let model =
            FakeModel::start([find("bazinga"), find("apaga um webhook"), says("Posso apagar webhooks.")]).unwrap();
        let ops = Ops::new(&model_config(&model));
        let file = ops.folder.path().join("embedding.key");
        std::fs::write(&file, KEY).unwrap();
        many_tools(&ops, &format!("{}{}", model_config(&model), config(&fake, &format!("api_key_file = {file:?}\n"))));
        if fails {
            fake.next(Broken::Status(400));
        }
        let asked = fake.texts().len();
        let turns = chat(&ops, "many", "o que dá para fazer?\n");
        let tools = |place: usize| {
            turns[0]["calls"][place]["result"]["tools"].as_array().cloned().unwrap_or_else(|| panic!("{turns:#?}"))
        };
        let first = |place: usize| tools(place).first().map(|tool| tool["name"].clone());
        assert_eq!(first(0), (!fails).then(|| json!("delete_webhook")), "{turns:#?}");
        assert!(tools(1).iter().any(|tool| tool["name"] == "delete_webhook"), "by words: {turns:#?}");
        // One that failed is left alone for a while.
        assert!(!fails || fake.texts().len() == asked + 1, "{}", fake.texts().len() - asked);
    }
}

/// A profile over a pack of more tools than fit into a prompt; the last of them is `delete_webhook`.
fn many_tools(ops: &Ops, more: &str) {
    let command = |id: &str, pt: &str, en: &str| {
        format!(
            "    - id: {id}\n      description: {{pt-BR: {pt}, en: {en}}}\n      effect: read\n      handler: {{helper: same}}\n      \
             input_schema: {{type: object, additionalProperties: false, properties: {{text: {{type: string, description: {en}}}}}}}\n      \
             output_schema: {{type: object}}\n"
        )
    };
    let long = "Conta as palavras de um texto e diz quantas vezes cada uma aparece nele ".repeat(4);
    let mut commands: String = (0..200).map(|number| command(&format!("count_{number:03}"), &long, &long)).collect();
    commands.push_str(&command("delete_webhook", "Apaga um webhook.", "Deletes a webhook."));
    let pack = format!(
        "tool:\n  id: many\n  type: script\n  name: Many\n  version: 1.0.0\n  description: {{pt-BR: Muitas, en: Many}}\n  \
         helpers:\n    - id: same\n      function: \"(args) => args\"\n  commands:\n{commands}"
    );
    let folder = ops.folder.path();
    std::fs::create_dir_all(folder.join("packs/many")).unwrap();
    std::fs::write(folder.join("packs/many/tool.yaml"), pack).unwrap();
    let profile = include_str!("../../../../agents/ops.yaml");
    let profile = profile.replace("packs: [clickup]", "packs: [many]").replace("id: ops", "id: many");
    std::fs::create_dir_all(folder.join("agents")).unwrap();
    std::fs::write(folder.join("agents/many.yaml"), profile).unwrap();
    std::fs::write(folder.join("balcao.toml"), format!("[packs]\nfolders = [\"packs\"]\n{more}")).unwrap();
}
