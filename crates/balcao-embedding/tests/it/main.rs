//! What every embedder does, whoever makes its vectors; and what is said of a folder that is no model.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::{fs, path::Path, sync::Arc, time::Duration};

use balcao_embedding::{LocalEmbedder, LocalModelError};
use balcao_llm::embed::{Embedder, EmbeddingConfig, OpenAiEmbedder, Patience, PrefixedEmbedder, Prefixes, TextRole};
use balcao_testkit::fakes::{
    embedding::{FakeEmbedding, KEY, MODEL},
    local_model,
};
use tempfile::tempdir;

const MEANINGS: &[&[&str]] = &[&["carro", "estacionar", "vaga"], &["pix", "pagar"]];

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn nearness(one: &[f32], other: &[f32]) -> f32 {
    let length = |vector: &[f32]| vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>() / (length(one) * length(other))
}

/// The contract of [`Embedder`].
async fn keeps_the_contract(embedder: &dyn Embedder) {
    assert!(!embedder.model().is_empty());
    assert_eq!(embedder.embed(&[], TextRole::Query).await.unwrap(), Vec::<Vec<f32>>::new());

    let asked = texts(&["onde deixo o carro", "quero pagar", "", "  ", "tem vaga ?", &"carro ".repeat(20_000)]);
    let vectors = embedder.embed(&asked, TextRole::Passage).await.unwrap();
    assert_eq!(vectors.len(), asked.len());
    let length = vectors[0].len();
    assert!(length > 0);
    for (text, vector) in asked.iter().zip(&vectors) {
        assert_eq!(vector.len(), length, "{text:.20}");
        assert!(vector.iter().all(|number| number.is_finite()), "{text:.20}");
    }
    assert!(nearness(&vectors[0], &vectors[4]) > nearness(&vectors[0], &vectors[1]));
    assert!(nearness(&vectors[0], &vectors[5]) > 0.5, "of a long text, its beginning at least");

    // The same text has the same vector, wherever it stands and whoever stands beside it.
    for (text, vector) in asked.iter().zip(&vectors) {
        assert_eq!(
            embedder.embed(std::slice::from_ref(text), TextRole::Passage).await.unwrap(),
            std::slice::from_ref(vector),
            "{text:.20}"
        );
    }
    let many: Vec<String> = (0..150).map(|number| if number % 7 == 0 { "pagar" } else { "carro" }.to_owned()).collect();
    let vectors = embedder.embed(&many, TextRole::Passage).await.unwrap();
    let (car, pay) = (&vectors[1], &vectors[0]);
    for (number, vector) in vectors.iter().enumerate() {
        assert_eq!(vector, if number % 7 == 0 { pay } else { car }, "{number}");
    }
    assert_ne!(car, pay);
}

#[tokio::test]
async fn a_service_keeps_the_contract() {
    let fake = FakeEmbedding::start(MEANINGS).unwrap();
    let config = EmbeddingConfig {
        base_url: fake.url(),
        model: MODEL.to_owned(),
        key: Some(KEY.to_owned().into()),
        within: Duration::from_secs(30),
    };
    keeps_the_contract(&OpenAiEmbedder::new(config).unwrap()).await;
}

#[tokio::test]
async fn a_folder_keeps_the_contract() {
    let folder = tempdir().unwrap();
    local_model::write(folder.path(), MEANINGS).unwrap();
    let embedder = LocalEmbedder::open(folder.path()).unwrap();
    keeps_the_contract(&embedder).await;
    let unknown = embedder.embed(&texts(&["xilofone", ""]), TextRole::Query).await.unwrap();
    assert_eq!(unknown, [[0.0, 0.0], [0.0, 0.0]], "what it knows no word of is near nothing");
}

#[tokio::test]
async fn a_model_with_prefixes_keeps_the_contract_and_tells_roles_apart() {
    let folder = tempdir().unwrap();
    local_model::write(folder.path(), &[MEANINGS[0], MEANINGS[1], &["pergunta"], &["trecho"]]).unwrap();
    let plain = Arc::new(LocalEmbedder::open(folder.path()).unwrap());
    let prefixes = Prefixes { query: "pergunta ".to_owned(), passage: "trecho ".to_owned() };
    let marked = PrefixedEmbedder::new(Arc::<LocalEmbedder>::clone(&plain), prefixes);
    keeps_the_contract(&marked).await;

    let asked = texts(&["carro"]);
    for (role, prefixed) in [(TextRole::Query, "pergunta carro"), (TextRole::Passage, "trecho carro")] {
        let expected = plain.embed(&texts(&[prefixed]), role).await.unwrap();
        assert_eq!(marked.embed(&asked, role).await.unwrap(), expected, "{prefixed}");
    }
    let empty = marked.embed(&texts(&["", " "]), TextRole::Query).await.unwrap();
    assert!(empty.iter().flatten().all(|number| *number == 0.0), "no text is near its prefix: {empty:?}");

    let others = Prefixes { query: "query: ".to_owned(), passage: String::new() };
    let other = PrefixedEmbedder::new(Arc::<LocalEmbedder>::clone(&plain), others);
    let names = [plain.model(), marked.model(), other.model()];
    assert!(
        names[0] != names[1] && names[1] != names[2],
        "vectors that cannot be compared have other names: {names:?}"
    );
    assert_eq!(PrefixedEmbedder::new(Arc::<LocalEmbedder>::clone(&plain), Prefixes::default()).model(), plain.model());
}

#[test]
fn a_model_is_named_by_its_folder_and_by_what_is_in_it() {
    let folder = tempdir().unwrap();
    let name = |place: &str, meanings: &[&[&str]]| {
        let folder = folder.path().join(place).join("small");
        local_model::write(&folder, meanings).unwrap();
        LocalEmbedder::open(&folder).unwrap().model().to_owned()
    };
    let first = name("a", MEANINGS);
    assert!(first.starts_with("small@"), "{first}");
    assert_eq!(first, name("b", MEANINGS), "the same model elsewhere");
    assert_ne!(first, name("a", &[&["carro"], &["pix"]]), "another model in the same place");
}

/// What is said of the folder after `break_it`.
fn refused(break_it: impl FnOnce(&Path)) -> String {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    local_model::write(&place, MEANINGS).unwrap();
    break_it(&place);
    let error = LocalEmbedder::open(&place).unwrap_err();
    let said = error.to_string();
    assert!(said.contains(&place.display().to_string()), "{said}");
    said
}

#[test]
fn a_folder_that_is_no_model_is_refused_with_what_is_wrong() {
    let gone = refused(|place| fs::remove_dir_all(place).unwrap());
    assert!(gone.contains("invalid folder"), "{gone}");
    for file in ["tokenizer.json", "model.safetensors", "config.json"] {
        let missing = refused(|place| fs::remove_file(place.join(file)).unwrap());
        assert!(missing.contains(file) && missing.contains("cannot be read"), "{missing}");
        let empty = refused(|place| fs::write(place.join(file), "").unwrap());
        assert!(empty.contains("no model that can be used"), "{empty}");
    }
    let cut = refused(|place| {
        let file = place.join("model.safetensors");
        let bytes = fs::read(&file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 4]).unwrap();
    });
    assert!(cut.contains("model.safetensors"), "{cut}");
    // Of another model: more words than rows.
    let mixed = refused(|place| {
        let other = place.parent().unwrap().join("other");
        local_model::write(&other, &[&["carro", "moto", "bicicleta", "vaga", "pix", "pagar", "conta"]]).unwrap();
        fs::copy(other.join("tokenizer.json"), place.join("tokenizer.json")).unwrap();
    });
    assert!(mixed.contains("6 rows") && mixed.contains("tokens up to 7"), "{mixed}");
    let header = r#"{"weights": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}"#;
    let other = refused(|place| {
        let bytes = [&u64::try_from(header.len()).unwrap().to_le_bytes(), header.as_bytes(), &[0; 4]].concat();
        fs::write(place.join("model.safetensors"), bytes).unwrap();
    });
    assert!(other.contains("no table"), "{other}");
}

#[test]
fn file_of_more_than_4_gib_is_left_unread() {
    let folder = tempdir().unwrap();
    local_model::write(folder.path(), MEANINGS).unwrap();
    // A hole takes no room on the disk.
    let model = fs::File::create(folder.path().join("model.safetensors")).unwrap();
    model.set_len((4_u64 << 30) + 1).unwrap();
    let error = LocalEmbedder::open(folder.path()).unwrap_err();
    let is_too_large = |error: &std::io::Error| error.to_string().contains("4294967296 are read at most");
    assert!(matches!(&error, LocalModelError::File { source, .. } if is_too_large(source)), "{error:?}");
}

#[tokio::test]
async fn token_behind_1024_others_is_not_read() {
    let folder = tempdir().unwrap();
    local_model::write(folder.path(), MEANINGS).unwrap();
    let embedder = LocalEmbedder::open(folder.path()).unwrap();
    let text = |count: usize, last: &str| format!("{}{last}", "pix ".repeat(count));
    let asked = [text(1_024, ""), text(1_024, "vaga"), text(1_023, "vaga")];
    let vectors = embedder.embed(&asked, TextRole::Passage).await.unwrap();
    assert_eq!(vectors[1], vectors[0]);
    assert_ne!(vectors[2], vectors[0], "the last token that is read");
}

/// A vocabulary may share rows by a mapping; one that names rows that are not there is found out before a text is.
#[test]
fn a_mapping_to_rows_that_are_not_there_is_refused() {
    let write = |place: &Path, mapping: [i64; 6]| {
        let header = r#"{"embeddings": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}, "mapping": {"dtype": "I64", "shape": [6], "data_offsets": [8, 56]}}"#;
        let numbers: Vec<u8> = [1.0_f32, -1.0].iter().flat_map(|number| number.to_le_bytes()).collect();
        let rows: Vec<u8> = mapping.iter().flat_map(|row| row.to_le_bytes()).collect();
        let length = u64::try_from(header.len()).unwrap().to_le_bytes();
        fs::write(place.join("model.safetensors"), [&length, header.as_bytes(), &numbers, &rows].concat()).unwrap();
    };
    for wrong in [[0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 1, -1]] {
        let said = refused(|place| write(place, wrong));
        assert!(said.contains("mapping"), "{said}");
    }
    let folder = tempdir().unwrap();
    local_model::write(folder.path(), MEANINGS).unwrap();
    write(folder.path(), [0, 0, 0, 0, 1, 1]);
    LocalEmbedder::open(folder.path()).unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_failed_is_left_alone_for_a_while() {
    let patience = Patience::new(Duration::from_secs(5), Duration::from_secs(60));
    let fine = || async { Ok::<_, String>(1) };
    assert_eq!(patience.ask("m", "words alone", fine()).await, Some(1));
    let never = std::future::pending::<Result<i32, String>>();
    assert_eq!(patience.ask("m", "words alone", never).await, None, "after five seconds");
    assert_eq!(patience.ask("m", "words alone", fine()).await, None, "it rests");
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(patience.ask("m", "words alone", fine()).await, Some(1));
    assert_eq!(patience.ask("m", "words alone", async { Err::<i32, _>("no".to_owned()) }).await, None);
    assert_eq!(patience.ask("m", "words alone", fine()).await, None);
}
