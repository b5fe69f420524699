//! What only the whole file can tell: appointments that overlap, and names that two things share.

use std::collections::BTreeMap;

use balcao_domain::Span;
use balcao_language::normalize::normalize;

use super::ContactEntry;
use super::people::World;
use super::reader::Reader;

/// Notes appointments for which a professional has no place left.
pub(super) fn overlaps(reader: &mut Reader<'_>, world: &World, contacts: &[ContactEntry]) {
    let mut seats: BTreeMap<usize, Vec<Vec<Span>>> = BTreeMap::new();
    let all = contacts.iter().flat_map(|contact| &contact.appointments).filter(|one| one.status.holds_slot());
    for appointment in all {
        let Some(entry) = world.professionals.get(appointment.professional) else { continue };
        let capacity = usize::try_from(entry.professional.capacity).unwrap_or(1);
        let taken = seats.entry(appointment.professional).or_insert_with(|| vec![Vec::new(); capacity]);
        // As the database will do it: the first seat that is free for all of it.
        let free = taken.iter_mut().find(|seat| !seat.iter().any(|other| other.overlaps(&appointment.occupied)));
        match free {
            Some(seat) => seat.push(appointment.occupied),
            None => {
                let message = format!("{} has another appointment at that time", entry.professional.name);
                reader.wrong(&appointment.pointer, message, "move one of them; a service's buffers count too");
            }
        }
    }
}

/// Notes names and aliases that two professionals, or two services, share. An archived one has no names to share.
pub(super) fn names(reader: &mut Reader<'_>, world: &World) {
    let professionals = world.professionals.iter().enumerate().filter(|(_, one)| one.professional.active);
    shared(
        reader,
        "professionals",
        professionals.map(|(number, one)| (number, &one.professional.name, &one.professional.aliases)),
    );
    let services = world.services.iter().enumerate().filter(|(_, one)| one.active);
    shared(reader, "services", services.map(|(number, one)| (number, &one.name, &one.aliases)));
}

fn shared<'n>(
    reader: &mut Reader<'_>,
    section: &str,
    things: impl Iterator<Item = (usize, &'n String, &'n Vec<String>)>,
) {
    let mut owners: BTreeMap<String, &String> = BTreeMap::new();
    let things: Vec<_> = things.collect();
    for (_, name, _) in &things {
        owners.insert(normalize(name), name);
    }
    for (number, name, aliases) in &things {
        for (place, alias) in aliases.iter().enumerate() {
            let owner = owners.entry(normalize(alias)).or_insert(name);
            if owner != name {
                let pointer = format!("/{section}/{number}/aliases/{place}");
                let message = format!("`{alias}` already means {owner}");
                reader.wrong(
                    &pointer,
                    message,
                    "remove it from one of them: customers would have to be asked each time",
                );
            }
        }
    }
}
