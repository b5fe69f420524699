//! Answers of services beside the models are read so far and no further.

use std::time::Duration;

use balcao_llm::embed::{Embedder, EmbeddingConfig, OpenAiEmbedder, TextRole};
use balcao_llm::transcribe::{OpenAiTranscriber, Speech, Transcriber, TranscriptionConfig};
use balcao_llm::{ModelError, ModelErrorKind};

use crate::server::{Reply, serve};

async fn transcript(body: String) -> Result<String, ModelError> {
    let server = serve(vec![Reply::new(200, body).header("content-type", "application/json")]);
    let config = TranscriptionConfig {
        base_url: server.url.clone(),
        model: "m".to_owned(),
        key: None,
        language: None,
        within: Duration::from_secs(20),
    };
    let speech = Speech { mime: "audio/ogg", bytes: b"OggS" };
    OpenAiTranscriber::new(config).unwrap().transcribe(speech).await
}

async fn vectors(body: String) -> Result<Vec<Vec<f32>>, ModelError> {
    let server =
        serve(vec![Reply { piece: 1 << 20, ..Reply::new(200, body) }.header("content-type", "application/json")]);
    let config = EmbeddingConfig {
        base_url: server.url.clone(),
        model: "m".to_owned(),
        key: None,
        within: Duration::from_secs(20),
    };
    OpenAiEmbedder::new(config).unwrap().embed(&["a".to_owned()], TextRole::Query).await
}

#[tokio::test]
async fn a_transcript_of_more_than_256_kib_is_left_unread() {
    let of = |bytes: usize| format!("{{\"text\":\"{}\"}}", "x".repeat(bytes - 11));
    assert_eq!(transcript(of(256 * 1024)).await.unwrap().len(), 256 * 1024 - 11);
    assert_eq!(transcript(of(256 * 1024 + 1)).await.unwrap_err().kind, ModelErrorKind::TooLarge);
}

#[tokio::test]
async fn vectors_of_more_than_8_mib_or_600_000_values_are_left_unread() {
    let one = r#"{"index":0,"embedding":[0.5,0.5]}"#;
    let padded = |bytes: usize| {
        let answer = format!("{{\"data\":[{one}]}}");
        format!("{}{answer}", " ".repeat(bytes - answer.len()))
    };
    assert_eq!(vectors(padded(8 << 20)).await.unwrap(), [[0.5, 0.5]]);
    assert_eq!(vectors(padded((8 << 20) + 1)).await.unwrap_err().kind, ModelErrorKind::TooLarge);
    let valued = |values: usize| format!("{{\"data\":[{one}],\"more\":[{}1]}}", "1,".repeat(values));
    assert!(vectors(valued(599_000)).await.is_ok());
    assert_eq!(vectors(valued(600_000)).await.unwrap_err().kind, ModelErrorKind::Malformed);
}

#[tokio::test]
async fn vector_of_more_than_8192_numbers_is_left_unread() {
    let long =
        |numbers: usize| format!("{{\"data\":[{{\"index\":0,\"embedding\":[{}0.5]}}]}}", "0.5,".repeat(numbers - 1));
    assert_eq!(vectors(long(8_192)).await.unwrap()[0].len(), 8_192);
    assert_eq!(vectors(long(8_193)).await.unwrap_err().kind, ModelErrorKind::Malformed);
}
