//! Vectors by a static model in a folder: each token has a vector, and the vector of a text is the mean of the vectors of its tokens.
//!
//! The folder has the form that Model2Vec writes: `tokenizer.json`, `model.safetensors`, `config.json`. Opening it reads and checks
//! everything at once and downloads nothing. The content of the folder is not trusted: this crate refuses a table that is too small for its
//! vocabulary, because the library that computes the vectors would panic on it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use balcao_llm::{
    ModelError, ModelErrorKind,
    embed::{Embedder, TextRole},
};
use model2vec_rs::model::StaticModel;
use safetensors::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};
use tokenizers::Tokenizer;
use tokio::task::spawn_blocking;

/// What a folder must hold.
const TOKENIZER: &str = "tokenizer.json";
const MODEL: &str = "model.safetensors";
const CONFIG: &str = "config.json";
/// Bytes of one of them at most.
const MAX_FILE: u64 = 4 * 1024 * 1024 * 1024;
/// Names of the table, by the program that wrote it.
const TABLES: [&str; 3] = ["embeddings", "0", "embedding.weight"];
/// Tokens of one text that are read.
const MAX_TOKENS: usize = 1_024;
/// Texts that are taken at once.
const BATCH: usize = 1_024;
/// Bytes of a digest that stand in a model's name.
const NAMED: usize = 6;

/// Why a folder is no model.
#[derive(Debug, thiserror::Error)]
pub enum LocalModelError {
    /// There is no such folder.
    #[error("invalid folder {}; expected a folder that holds {TOKENIZER}, {MODEL} and {CONFIG}", folder.display())]
    NoFolder {
        /// As given.
        folder: PathBuf,
    },
    /// A file is not there, or cannot be read.
    #[error("{} cannot be read; a model is a folder with {TOKENIZER}, {MODEL} and {CONFIG}, as Model2Vec writes them", file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The files are there and make no model.
    #[error("{} holds no model that can be used: {why}", folder.display())]
    Damaged {
        /// Where.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A static model, in memory. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LocalEmbedder {
    model: StaticModel,
    name: String,
}

impl LocalEmbedder {
    /// Reads and checks the folder. It blocks, for as long as a file of this size takes.
    ///
    /// # Errors
    /// [`LocalModelError`] says which file is missing, or what is wrong.
    pub fn open(folder: &Path) -> Result<Self, LocalModelError> {
        if !folder.is_dir() {
            return Err(LocalModelError::NoFolder { folder: folder.to_owned() });
        }
        let [tokenizer, model, config] = [TOKENIZER, MODEL, CONFIG].map(|name| read(&folder.join(name)));
        let (tokenizer, model, config) = (tokenizer?, model?, config?);
        let damaged = |why| LocalModelError::Damaged { folder: folder.to_owned(), why };
        check(&tokenizer, &model).map_err(damaged)?;
        let whole = StaticModel::from_bytes(&tokenizer, &model, &config, None);
        let whole = whole.map_err(|error| damaged(format!("{error:#}")))?;
        Ok(Self { model: whole, name: name(folder, [&tokenizer, &model, &config]) })
    }
}

fn read(file: &Path) -> Result<Vec<u8>, LocalModelError> {
    let failed = |source| LocalModelError::File { file: file.to_owned(), source };
    let size = fs::metadata(file).map_err(failed)?.len();
    if size > MAX_FILE {
        return Err(failed(std::io::Error::other(format!("it has {size} bytes; {MAX_FILE} are read at most"))));
    }
    fs::read(file).map_err(failed)
}

/// The folder's name, and a digest of what it holds: another model under the same name makes other vectors.
fn name(folder: &Path, files: [&[u8]; 3]) -> String {
    let mut digest = Sha256::new();
    for bytes in files {
        digest.update(Sha256::digest(bytes));
    }
    let digest: String = digest.finalize().iter().take(NAMED).map(|byte| format!("{byte:02x}")).collect();
    let of = folder.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
    format!("{of}@{digest}")
}

/// That every token has its row.
fn check(tokenizer: &[u8], model: &[u8]) -> Result<(), String> {
    let tokenizer = Tokenizer::from_bytes(tokenizer).map_err(|error| format!("{TOKENIZER}: {error}"))?;
    let last = tokenizer.get_vocab(true).into_values().max().ok_or_else(|| format!("{TOKENIZER} has no token"))?;
    let last = usize::try_from(last).map_err(|error| format!("{TOKENIZER}: {error}"))?;
    let tensors = SafeTensors::deserialize(model).map_err(|error| format!("{MODEL}: {error}"))?;
    let table = TABLES.iter().find_map(|name| tensors.tensor(name).ok());
    let table = table.ok_or_else(|| format!("{MODEL} has no table `{}`", TABLES.join("`, `")))?;
    let &[rows, columns] = table.shape() else {
        return Err(format!("{MODEL}: invalid shape of the table; expected rows and columns"));
    };
    if rows == 0 || columns == 0 {
        return Err(format!("{MODEL}: the table is empty"));
    }
    let Ok(mapping) = tensors.tensor("mapping") else {
        return if last < rows {
            Ok(())
        } else {
            Err(format!("{MODEL} has {rows} rows, and {TOKENIZER} has tokens up to {last}"))
        };
    };
    let places = if mapping.dtype() == Dtype::I64 {
        places(mapping.data(), |bytes| i64::from_le_bytes(bytes).try_into().ok())
    } else if mapping.dtype() == Dtype::I32 {
        places(mapping.data(), |bytes| i32::from_le_bytes(bytes).try_into().ok())
    } else {
        return Err(format!("{MODEL}: `mapping` is of the type {:?}", mapping.dtype()));
    };
    // A token that the mapping does not hold stands for itself.
    let own = if last < places.len() { None } else { Some(Some(last)) };
    let row = |place: &Option<usize>| place.is_some_and(|place| place < rows);
    if places.iter().chain(&own).all(row) {
        Ok(())
    } else {
        Err(format!("{MODEL}: `mapping` names rows that the table of {rows} does not have"))
    }
}

/// The numbers of a mapping; `None` where one is below zero.
fn places<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> Option<usize>) -> Vec<Option<usize>> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect()
}

#[async_trait]
impl Embedder for LocalEmbedder {
    async fn embed(&self, texts: &[String], _role: TextRole) -> Result<Vec<Vec<f32>>, ModelError> {
        let (model, texts) = (self.model.clone(), texts.to_vec());
        let failed = |message: &str| ModelError {
            kind: ModelErrorKind::Rejected,
            provider: "embedding".to_owned(),
            message: message.to_owned(),
            retry_after: None,
            usage: balcao_llm::Usage::default(),
        };
        let made = spawn_blocking(move || model.encode_with_args(&texts, Some(MAX_TOKENS), BATCH)).await;
        let vectors = made.map_err(|_broke| failed("the local model broke on a text"))?;
        if vectors.iter().flatten().any(|number| !number.is_finite()) {
            return Err(failed("invalid number in the local model's table; expected finite numbers"));
        }
        Ok(vectors)
    }

    fn model(&self) -> &str {
        &self.name
    }
}
