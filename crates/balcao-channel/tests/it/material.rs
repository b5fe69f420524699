//! Payloads of others, read where they lie beside the repository: none of them may be refused or left without a reading.

use std::path::{Path, PathBuf};

use balcao_channel::InboundEvent;
use balcao_channel::channels::whatsapp::webhook;
use balcao_channel::inbound::Content;
use serde_json::Value;

/// Webhook bodies with their names, or none, said on standard error, where there are none.
fn bodies() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/whatsapp");
    let updates = std::fs::read_dir(folder.join("pywa-updates")).into_iter().flatten();
    let mut files: Vec<PathBuf> = updates.map(|entry| entry.unwrap().path()).collect();
    files.extend([folder.join("meta-webhook-examples.json")].into_iter().filter(|file| file.exists()));
    if files.is_empty() {
        balcao_testkit::skip(&format!("{} holds no payloads", folder.display()));
    }
    files.sort();
    let read = |file: PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let cases: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let cases = cases.as_object().unwrap().clone();
        cases.into_iter().map(move |(case, body)| (format!("{name}: {case}"), body))
    };
    files.into_iter().flat_map(read).collect()
}

#[test]
fn every_payload_is_read_and_stored() {
    for (name, body) in bodies() {
        let Ok(events) = webhook::parse(body.to_string().as_bytes()) else { panic!("{name} is refused") };
        assert!(!events.is_empty(), "{name} is left without a reading");
        let stored = serde_json::to_string(&events).unwrap();
        assert_eq!(serde_json::from_str::<Vec<InboundEvent>>(&stored).unwrap(), events, "{name}");
    }
}

#[test]
fn every_message_status_and_echo_is_known() {
    for (name, body) in bodies() {
        for event in webhook::parse(body.to_string().as_bytes()).unwrap() {
            match event {
                InboundEvent::Message(message) => {
                    let foreign = ["nsupported", "flow_completion", "call_permission"];
                    let foreign = foreign.iter().any(|word| name.contains(word));
                    let read = !matches!(message.content, Content::Unsupported { .. });
                    assert!(read || foreign, "{name}: {message:?}");
                }
                InboundEvent::Unknown(unknown) => {
                    let about_people = ["messages", "smb_message_echoes", "user_preferences", "user_id_update"];
                    assert!(!about_people.contains(&unknown.field.as_str()), "{name}: {unknown:?}");
                }
                _ => {}
            }
        }
    }
}
