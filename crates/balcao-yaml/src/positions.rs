//! From JSON pointers to places in a YAML text. Computed only when there is something to complain about.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::escape;

/// Where each value and each key of a document stands.
#[derive(Debug, Clone)]
pub(crate) struct Positions {
    places: HashMap<String, (usize, usize)>,
    /// Plain scalars as they are written.
    written: HashMap<String, String>,
}

enum Frame {
    Mapping { base: String, key: Option<String> },
    Sequence { base: String, next: usize },
}

impl Positions {
    pub(crate) fn from_text(text: &str) -> Self {
        let (mut places, mut written) = (HashMap::new(), HashMap::new());
        let mut frames: Vec<Frame> = Vec::new();
        for item in Parser::new_from_str(text) {
            let Ok((event, span)) = item else { break };
            match event {
                Event::Scalar(text, style, ..) => {
                    if let Some(Frame::Mapping { base, key: key @ None }) = frames.last_mut() {
                        let pointer = format!("{base}/{}", escape(&text));
                        places.entry(pointer).or_insert(place(&span));
                        *key = Some(text.into_owned());
                    } else {
                        let pointer = value_pointer(&mut frames);
                        places.insert(pointer.clone(), place(&span));
                        if style == ScalarStyle::Plain {
                            written.insert(pointer, text.into_owned());
                        }
                    }
                }
                Event::Alias(_) => {
                    places.insert(value_pointer(&mut frames), place(&span));
                }
                Event::MappingStart(..) => {
                    let base = value_pointer(&mut frames);
                    places.entry(base.clone()).or_insert(place(&span));
                    frames.push(Frame::Mapping { base, key: None });
                }
                Event::SequenceStart(..) => {
                    let base = value_pointer(&mut frames);
                    places.entry(base.clone()).or_insert(place(&span));
                    frames.push(Frame::Sequence { base, next: 0 });
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    frames.pop();
                }
                Event::Nothing
                | Event::StreamStart
                | Event::StreamEnd
                | Event::DocumentStart(_)
                | Event::DocumentEnd => {}
            }
        }
        Self { places, written }
    }

    /// The plain scalar at `pointer` as it is written.
    pub(crate) fn written(&self, pointer: &str) -> Option<&str> {
        self.written.get(pointer).map(String::as_str)
    }

    /// The place of `pointer`, or of the nearest thing around it; (0, 0) in an empty file.
    pub(crate) fn find(&self, pointer: &str) -> (usize, usize) {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return *place;
            }
            match pointer.rfind('/') {
                Some(cut) => pointer = pointer.get(..cut).unwrap_or(""),
                None => return (0, 0),
            }
        }
    }
}

/// The pointer of the value that begins now; moves its container on.
fn value_pointer(frames: &mut [Frame]) -> String {
    match frames.last_mut() {
        None => String::new(),
        Some(Frame::Mapping { base, key }) => format!("{base}/{}", escape(&key.take().unwrap_or_default())),
        Some(Frame::Sequence { base, next }) => {
            let pointer = format!("{base}/{next}");
            *next += 1;
            pointer
        }
    }
}

fn place(span: &Span) -> (usize, usize) {
    (span.start.line(), span.start.col() + 1)
}
