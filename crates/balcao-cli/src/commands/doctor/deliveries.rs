//! What became of deliveries of packs, and of the commands that they started.

use balcao_store::{
    Store, StoreError,
    crm::organization::Organization,
    ops::{pack_delivery, pack_delivery_command},
};

use super::Finding;
use crate::output::error_chain;

/// Warns of deliveries and commands that failed for good; the program does not take them up again.
pub(super) async fn set_aside(store: &Store, whose: &Organization) -> Vec<Finding> {
    let organization = whose.id;
    let read = store.read(move |tx| {
        Ok::<_, StoreError>((
            pack_delivery::failed(tx, organization)?,
            pack_delivery_command::failed(tx, organization)?,
        ))
    });
    let (unread, undone) = match read.await {
        Ok(counts) => counts,
        Err(error) => return vec![Finding::wrong("packs", error_chain(&error), "see what the database says")],
    };
    let mut findings = Vec::new();
    if unread > 0 {
        let says = format!("{}: {unread} deliveries of packs could not be read and were set aside", whose.slug);
        let mend =
            "look for `delivery` in the log for the reasons, and mend the pack; what they told of is in the service";
        findings.push(Finding::warning("packs", says, mend));
    }
    if undone > 0 {
        let says = format!("{}: {undone} commands that deliveries started were set aside", whose.slug);
        let mend =
            "look for `command of a delivery` in the log for the reasons; see in the service whether each was done";
        findings.push(Finding::warning("packs", says, mend));
    }
    findings
}
