//! Reads recorded answers without a network: cassettes, tests, questions about what a vendor sent.

use std::collections::BTreeSet;

use crate::{
    error::ModelError,
    http::Sizes,
    message::ModelResponse,
    provider::EventSink,
    providers::{
        anthropic::{AnthropicParser, JsonWay},
        gemini::GeminiParser,
        offered::Offered,
        openai::OpenAiParser,
        wire::{BodyReader, Parser},
    },
};

/// The protocols that we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions.
    ChatCompletions,
    /// Anthropic's Messages.
    Messages,
    /// Gemini's `generateContent`.
    GenerateContent,
}

/// Reads the body of an answer with status 200 from its pieces, exactly as the network providers do.
///
/// # Errors
/// What the network provider would give; its provider is named `replay`.
pub fn replay<'p>(
    protocol: Protocol,
    pieces: impl IntoIterator<Item = &'p [u8]>,
    on_event: &mut EventSink<'_>,
) -> Result<ModelResponse, ModelError> {
    match protocol {
        Protocol::ChatCompletions => read(OpenAiParser::default(), pieces, on_event),
        Protocol::Messages => read(AnthropicParser::new(JsonWay::None), pieces, on_event),
        Protocol::GenerateContent => read(GeminiParser::default(), pieces, on_event),
    }
}

fn read<'p, P: Parser>(
    parser: P,
    pieces: impl IntoIterator<Item = &'p [u8]>,
    on_event: &mut EventSink<'_>,
) -> Result<ModelResponse, ModelError> {
    let mut reader = BodyReader::new(parser, Sizes::default(), Offered::default());
    let pushed = pieces.into_iter().try_for_each(|piece| reader.push(piece, on_event).map(|_moved| ()));
    pushed
        .and_then(|()| reader.finish(BTreeSet::new(), on_event))
        .map_err(|failure| failure.into_error("replay", std::iter::empty()))
}
