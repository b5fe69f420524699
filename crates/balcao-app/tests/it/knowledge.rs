//! Knowledge that is found by what it means; and what happens while the model fails.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use balcao_app::{
    AppContext,
    knowledge::{Knowledge, KnowledgeHit},
};
use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::{KnowledgeId, OrganizationId};
use balcao_language::search::search_tokens;
use balcao_llm::{
    ModelError, ModelErrorKind,
    embed::{Embedder, TextRole},
};
use balcao_store::{StoreError, knowledge, knowledge::vectors};

use crate::world::{World, figueira};

const MEANINGS: &[&[&str]] = &[
    &["fusca", "garagem", "estacionamento", "vagas"],
    &["pix", "grana", "dinheiro", "cartão"],
    &["criança", "crianças", "filho", "brinquedos"],
];

/// A static model: a text's vector has a direction for each meaning that one of its words has. It counts its requests, and
/// it fails when the test says so.
#[derive(Debug)]
struct Watched {
    name: String,
    meanings: Vec<Vec<String>>,
    asked: Mutex<Vec<Vec<String>>>,
    fails: AtomicBool,
}

impl Watched {
    fn of(meanings: &[&[&str]]) -> Arc<Self> {
        let owned = |words: &&[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let meanings: Vec<Vec<String>> = meanings.iter().map(owned).collect();
        let name = format!("static@{meanings:?}");
        Arc::new(Self { name, meanings, asked: Mutex::default(), fails: AtomicBool::new(false) })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
        let named = |meaning: &Vec<String>| -> usize {
            meaning.iter().map(|word| words.iter().filter(|one| **one == word).count()).sum()
        };
        let count = |meaning| f32::from(u16::try_from(named(meaning)).unwrap());
        let counts: Vec<f32> = self.meanings.iter().map(count).collect();
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1.0);
        counts.into_iter().map(|count| count / length).collect()
    }

    /// The number of texts of each request since the last look.
    fn asked(&self) -> Vec<usize> {
        std::mem::take(&mut *self.asked.lock().unwrap()).iter().map(Vec::len).collect()
    }
}

#[async_trait]
impl Embedder for Watched {
    async fn embed(&self, texts: &[String], _role: TextRole) -> Result<Vec<Vec<f32>>, ModelError> {
        self.asked.lock().unwrap().push(texts.to_vec());
        if self.fails.load(Ordering::SeqCst) {
            let (provider, message) = ("embedding".to_owned(), "told to fail".to_owned());
            return Err(ModelError {
                kind: ModelErrorKind::Upstream,
                provider,
                message,
                retry_after: None,
                usage: balcao_llm::Usage::default(),
            });
        }
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn model(&self) -> &str {
        &self.name
    }
}

fn by(world: &World, model: &Arc<Watched>) -> Knowledge {
    let embedder: Arc<dyn Embedder> = Arc::<Watched>::clone(model);
    Knowledge::new(world.app.clone().with_embedder(Some(embedder)))
}

async fn ask(knowledge: &Knowledge, organization: OrganizationId, query: &str) -> Vec<KnowledgeHit> {
    knowledge.search(organization, query.to_owned(), None).await.unwrap().unwrap()
}

fn titles(hits: &[KnowledgeHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.title.as_str()).collect()
}

async fn kept(app: &AppContext, organization: OrganizationId, model: &str) -> usize {
    let model = model.to_owned();
    let read = app.store.read(move |tx| vectors::list(tx, organization, &model)).await;
    read.map_err(|error: StoreError| error).unwrap().len()
}

#[tokio::test]
async fn an_entry_is_found_by_what_a_customer_means_and_by_their_words() {
    let world = figueira().await;
    let model = Watched::of(MEANINGS);
    let (words, meaning) = (Knowledge::new(world.app.clone()), by(&world, &model));
    assert!(ask(&words, world.organization, "guardar o fusca").await.is_empty());
    let hits = ask(&meaning, world.organization, "guardar o fusca").await;
    assert_eq!(hits[0].title, "Endereço e estacionamento");
    assert_eq!((hits[0].by_words, hits[0].by_vectors), (None, Some(1)));
    // A word that it knows and one that only stands there: what both name comes first.
    let hits = ask(&meaning, world.organization, "estacionamento").await;
    assert_eq!(
        (hits[0].title.as_str(), hits[0].by_words, hits[0].by_vectors),
        ("Endereço e estacionamento", Some(1), Some(1))
    );
    // Of a query without a known word, words alone decide.
    assert_eq!(titles(&ask(&meaning, world.organization, "atrasado").await), ["Chegar atrasado"]);
    assert!(ask(&meaning, world.organization, "xilofone").await.is_empty());
    // The business's own record has its place among them.
    let hits = ask(&meaning, world.organization, "qual o telefone? tem vagas?").await;
    assert!(titles(&hits).contains(&"Telefone") && titles(&hits).contains(&"Endereço e estacionamento"), "{hits:#?}");
    let inside = meaning.search(world.organization, "grana".to_owned(), Some("Crianças".to_owned())).await;
    assert!(!titles(&inside.unwrap().unwrap()).contains(&"O que aceitamos"), "a category is a wall for vectors, too");
}

#[tokio::test]
async fn a_vector_is_made_once_and_again_for_another_model_and_for_what_is_new() {
    let world = figueira().await;
    let organization = world.organization;
    let first = Watched::of(MEANINGS);
    let knowledge = by(&world, &first);
    ask(&knowledge, organization, "fusca").await;
    assert_eq!(first.asked(), [1, 6], "the query, and every entry");
    assert_eq!(kept(&world.app, organization, first.model()).await, 6);
    ask(&knowledge, organization, "fusca").await;
    assert_eq!(first.asked(), [1]);

    let added = |title: &str, content: &str| KnowledgeEntry {
        id: KnowledgeId::try_from(1).unwrap(),
        category: None,
        title: title.to_owned(),
        content: content.to_owned(),
    };
    let entry = added("Manobrista", "Guardamos na garagem.");
    let put = move |tx: &mut balcao_store::Tx<'_>| knowledge::insert(tx, organization, &entry, search_tokens);
    let id = world.app.store.write(put).await.map_err(|error: StoreError| error).unwrap();
    let hits = ask(&knowledge, organization, "fusca").await;
    assert_eq!(first.asked(), [1, 1]);
    assert!(titles(&hits[..2]).contains(&"Manobrista"), "{hits:#?}");

    let other = Watched::of(&[&["fusca", "vale"], &["presente"]]);
    assert_eq!(by(&world, &other).prepare(organization).await.unwrap().unwrap(), 7);
    assert_eq!(other.asked(), [7]);
    assert_eq!(kept(&world.app, organization, first.model()).await, 0, "each entry has one vector");
    assert_eq!(by(&world, &other).prepare(organization).await.unwrap().unwrap(), 0);
    assert_eq!(ask(&by(&world, &other), organization, "fusca").await[0].title, "Vale-presente");

    let gone = move |tx: &mut balcao_store::Tx<'_>| knowledge::delete(tx, organization, id);
    assert!(world.app.store.write(gone).await.map_err(|error: StoreError| error).unwrap());
    assert_eq!(kept(&world.app, organization, other.model()).await, 6);
}

#[tokio::test]
async fn words_alone_decide_while_the_model_fails_and_it_is_left_alone_for_a_while() {
    let world = figueira().await;
    let model = Watched::of(MEANINGS);
    let knowledge = by(&world, &model);
    model.fails.store(true, Ordering::SeqCst);
    assert_eq!(ask(&knowledge, world.organization, "pix").await[0].by_words, Some(1));
    assert!(ask(&knowledge, world.organization, "fusca").await.is_empty());
    assert_eq!(model.asked(), [1], "the second search did not wait for it");
    let error = knowledge.prepare(world.organization).await.unwrap().unwrap_err();
    assert!(error.to_string().contains("told to fail"), "{error}");
    // Another program, later: it answers again, and what is lacking is made then.
    model.fails.store(false, Ordering::SeqCst);
    assert_eq!(ask(&by(&world, &model), world.organization, "fusca").await[0].by_vectors, Some(1));
}
