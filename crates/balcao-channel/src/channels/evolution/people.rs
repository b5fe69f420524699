//! Who stands behind the gateway's ids: `554187654321@s.whatsapp.net` is a number, `…@lid` hides one.

use serde_json::Value;

use crate::{
    channels::whatsapp::{identity, json},
    id::{Number, UserId},
    inbound::Person,
};

/// Where the gateway has the other id of the writer, beside the one that it uses: within the key, or beside the key.
const OTHER_IDS: [&str; 7] =
    ["senderPn", "remoteJidAlt", "participantPn", "participantAlt", "senderLid", "participantLid", "previousRemoteJid"];

/// The number of a person that a gateway's id shows: `554187654321:12@s.whatsapp.net`, with a device of theirs or without.
pub(super) fn number(jid: &str) -> Option<Number> {
    let (local, host) = jid.split_once('@')?;
    let digits = local.split(':').next().unwrap_or_default();
    let is_number = matches!(host, "s.whatsapp.net" | "c.us") && !digits.is_empty();
    (is_number && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| Number::new(digits))
}

/// Whether an id shows this number, in either of the ways to write a Brazilian one.
fn shows(jid: &str, own: &Number) -> bool {
    let (Some(shown), Some(own_phone)) = (number(jid), identity::phone(own)) else { return false };
    identity::phone(&shown).is_some_and(|shown| shown.identity() == own_phone.identity())
}

/// The person with these ids of an item. An event may give a number, a hidden id or both, and then both belong to the person. The business's
/// `own` number beside them is left out, because an item that we sent shows the business as its sender.
pub(super) fn person(jids: &[&str], item: &Value, name: Option<String>, own: Option<&Number>) -> Option<Person> {
    let told = OTHER_IDS.iter().flat_map(|key| [json::text(item, &["key", key]), json::text(item, &[key])]);
    let told = told.flatten().filter(|jid| own.is_none_or(|own| !shows(jid, own)));
    let ids: Vec<&str> = jids.iter().copied().chain(told).collect();
    let number: Option<Number> = ids.iter().find_map(|jid| number(jid));
    // A device of theirs: `987:12@lid`.
    let user = ids.iter().find_map(|jid| {
        let local = jid.strip_suffix("@lid")?.split(':').next().filter(|local| !local.is_empty())?;
        Some(UserId::new(format!("{local}@lid")))
    });
    // The id that the event uses must be one of a person: a list or a channel of news is none.
    let is_person = |jid: &&str| self::number(jid).is_some() || jid.ends_with("@lid");
    let phone = number.as_ref().and_then(identity::phone);
    jids.iter().all(is_person).then(|| Person { user, number, phone, name, ..Person::default() })
}

/// Who did what an item tells, so far as it names them; its key may be bare. In a group that is the member.
pub(super) fn named(item: &Value, own: Option<&Number>) -> Option<Person> {
    let at = |name| json::text(item, &["key", name]).or_else(|| json::text(item, &[name]));
    let chat = at("remoteJid")?;
    let jid = if chat.ends_with("@g.us") { at("participant")? } else { chat };
    let from_me = json::flag(item, &["key", "fromMe"]) || json::flag(item, &["fromMe"]);
    // A change may have the key as the telephone of its writer has it: "me" are they, and the chat may be the one with us. Only
    // a number other than ours names them then.
    let is_theirs = !from_me || own.is_some_and(|own| number(jid).is_some() && !shows(jid, own));
    person(&[jid], item, None, own).filter(|_| is_theirs)
}
