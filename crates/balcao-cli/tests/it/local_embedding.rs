//! Search by meaning with a model in a folder.

use balcao_testkit::fakes::local_model;
use balcao_testkit::fakes::model::{FakeModel, calls, says};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::ops::model_config;
use crate::{code, err, out, run};

/// A business in a database of its own, and a model in the folder beside it.
fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    local_model::write(&folder.path().join("model"), &[&["fusca", "vagas"], &["pix", "grana"]]).unwrap();
    let sample = crate::root().join("samples/barbearia-figueira.yaml").display().to_string();
    for arguments in [vec!["migrate"], vec!["seed", &sample]] {
        let done = run(folder.path(), &arguments, "");
        assert_eq!(code(&done), 0, "{}", err(&done));
    }
    configure(&folder, "folder = \"model\"");
    folder
}

fn configure(folder: &TempDir, embedding: &str) {
    std::fs::write(folder.path().join("balcao.toml"), format!("[embedding]\n{embedding}\n")).unwrap();
}

#[test]
fn knowledge_is_found_by_meaning_with_a_model_in_a_folder_and_by_words_without() {
    let folder = shop();
    let search = |query: &str| {
        let found = run(folder.path(), &["knowledge", "search", query, "--json"], "");
        assert_eq!(code(&found), 0, "{}", err(&found));
        serde_json::from_str::<Vec<Value>>(&out(&found)).unwrap()
    };
    let prepared = run(folder.path(), &["knowledge", "prepare"], "");
    assert_eq!((code(&prepared), out(&prepared).trim()), (0, "6 vectors were made"), "{}", err(&prepared));
    let hits = search("guardar o fusca");
    assert_eq!(hits[0]["title"], "Endereço e estacionamento", "{hits:#?}");
    assert_eq!((&hits[0]["by_words"], &hits[0]["by_vectors"]), (&Value::Null, &json!(1)));
    let text = out(&run(folder.path(), &["knowledge", "search", "onde", "deixo", "o", "fusca"], ""));
    assert!(text.contains("vectors   1  Endereço e estacionamento"), "{text}");
    let again = out(&run(folder.path(), &["knowledge", "prepare", "--json"], ""));
    assert_eq!(again.trim(), r#"{"made":0}"#);
    let unknown = run(folder.path(), &["knowledge", "search", "pix", "--category", "Bebidas"], "");
    assert!(code(&unknown) == 2 && err(&unknown).contains("unknown category `Bebidas`"), "{}", err(&unknown));

    // A customer's conversation goes the same way.
    let model = FakeModel::start([
        calls("search_knowledge_base", json!({"query": "guardar o fusca"})),
        says("Há vagas rotativas na rua."),
    ])
    .unwrap();
    let file = folder.path().join("balcao.toml");
    let both = format!("{}{}", std::fs::read_to_string(&file).unwrap(), model_config(&model));
    std::fs::write(&file, both).unwrap();
    let talk = run(folder.path(), &["chat", "--trace", "--script", "-"], "onde deixo o fusca?\n");
    assert!(err(&talk).contains("Endereço e estacionamento"), "{}{}", out(&talk), err(&talk));

    std::fs::write(&file, "").unwrap();
    assert!(search("guardar o fusca").is_empty());
    let none = out(&run(folder.path(), &["knowledge", "prepare"], ""));
    assert!(none.contains("words alone"), "{none}");
}

#[test]
fn the_doctor_and_whoever_searches_say_what_is_wrong_with_a_folder() {
    let folder = shop();
    let doctor = |expected: &str| {
        let all = out(&run(folder.path(), &["doctor"], ""));
        let lines: Vec<&str> =
            all.lines().filter(|line| line.contains("search") || line.contains("embedding")).collect();
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {all}");
    };
    doctor("by words and by vectors of model@");
    for (wrong, expected) in [
        ("folder = \"elsewhere\"", "invalid folder elsewhere"),
        ("folder = \"model\"\nmodel = \"text-embedding-3-small\"", "`folder` and `model` are both set"),
        ("folder = \"model\"\nbase_url = \"https://api.openai.com/v1\"", "`folder` and `base_url` are both set"),
    ] {
        configure(&folder, wrong);
        doctor(expected);
        for arguments in [vec!["knowledge", "search", "pix"], vec!["chat", "--script", "-"]] {
            let refused = run(folder.path(), &arguments, "oi\n");
            assert!(code(&refused) == 2 && err(&refused).contains(expected), "{arguments:?}: {}", err(&refused));
        }
    }
    configure(&folder, "folder = \"model\"");
    std::fs::remove_file(folder.path().join("model/model.safetensors")).unwrap();
    doctor("model.safetensors cannot be read");
    std::fs::write(folder.path().join("model/model.safetensors"), "damaged").unwrap();
    doctor("holds no model that can be used");
    // Who needs no vectors is not stopped.
    assert_eq!(code(&run(folder.path(), &["plan"], "")), 0);
}
