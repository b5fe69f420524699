//! A static model in a folder, as Model2Vec writes it, small enough to be made for one test.
//!
//! It knows words, whole ones alone, and each belongs to a meaning: a text's vector has a direction for each meaning that it names.

use std::{fs, io, path::Path};

use serde_json::{Map, Value, json};

/// Writes the folder. The words of each group mean the same; what is in no group is not known.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &Path, meanings: &[&[&str]]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut vocabulary = Map::new();
    vocabulary.insert("[UNK]".to_owned(), json!(0));
    let mut table: Vec<f32> = vec![0.0; meanings.len()];
    for (meaning, words) in meanings.iter().enumerate() {
        for word in *words {
            vocabulary.insert(word.to_lowercase(), json!(vocabulary.len()));
            table.extend((0..meanings.len()).map(|place| if place == meaning { 1.0 } else { 0.0 }));
        }
    }
    fs::write(folder.join("tokenizer.json"), tokenizer(&vocabulary).to_string())?;
    fs::write(folder.join("model.safetensors"), tensors(&table, meanings.len()))?;
    fs::write(folder.join("config.json"), json!({"model_type": "model2vec", "normalize": true}).to_string())
}

fn tokenizer(vocabulary: &Map<String, Value>) -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    })
}

/// A safetensors file with one table: the length of its header, the header, the numbers.
fn tensors(table: &[f32], columns: usize) -> Vec<u8> {
    let bytes: Vec<u8> = table.iter().flat_map(|number| number.to_le_bytes()).collect();
    let shape = [table.len() / columns.max(1), columns];
    let header = json!({"embeddings": {"dtype": "F32", "shape": shape, "data_offsets": [0, bytes.len()]}}).to_string();
    let length = u64::try_from(header.len()).unwrap_or_default();
    [length.to_le_bytes().as_slice(), header.as_bytes(), &bytes].concat()
}
