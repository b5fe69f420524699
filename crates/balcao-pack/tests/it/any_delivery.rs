//! What must hold of any JSON that comes as a delivery of ClickUp. The fuzz target `payloads` drives the same function.

use balcao_pack::{LoadedPack, process::ProcessContext};
use serde_json::Value;

/// Detects the format and reads the delivery with the pack's processor, which never fails, whatever is missing, null, empty or unknown.
/// Returns whether a format was found; `None` if the text is not a JSON object, which no webhook accepts.
pub(crate) async fn drive(pack: &LoadedPack, text: &[u8]) -> Option<bool> {
    let delivery: Value = serde_json::from_slice(text).ok().filter(Value::is_object)?;
    let told = pack.processors.formats().detect(&delivery).unwrap();
    let format = told.map(|told| told.format);
    assert!(format.iter().all(|format| pack.pack.payload_schemas.contains_key(format)), "{format:?}");
    let context = ProcessContext { sandbox: pack.sandbox.as_deref(), now_ms: 0, arguments: None };
    let read = pack.processors.run("webhook-to-structured", delivery.clone(), context).await;
    let read = read.unwrap_or_else(|error| panic!("{error}: {delivery}"));
    assert!(read["warnings"].is_array() && read["summary"].is_object(), "{read}");
    let said = &read["webhook_metadata"]["format"];
    // Where a format's payload is not there, its name is not said either.
    assert!(said == "unknown" || format.as_deref() == said.as_str(), "{format:?}: {read}: {delivery}");
    Some(format.is_some())
}
