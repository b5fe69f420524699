//! O-20: entries of knowledge, tags and staff stand as the acts on them say, and no contact loses a tag that staff did not take.
//!
//! The rows of the audit log are in the order of their commits. Each act on an entry therefore finds it as the act before left it, and
//! the last one leaves it as it is stored. What was stored before the run is written down once.

use std::collections::BTreeMap;

use balcao_store::{StoreError, Tx};
use serde_json::{Map, Value, json};

use super::Finding;
use crate::businesses::Tenant;
use crate::observations::Outside;

/// Every entry: its section, its name as a plan prints it, and its fields that owners change.
const STORED: &str = "SELECT organization_id, 'knowledge' AS section, CASE WHEN category IS NULL THEN title
         ELSE category || ' › ' || title END AS name, json_object('content', content) AS fields FROM knowledge_entry
     UNION ALL SELECT organization_id, 'tags', name, '{}' FROM tag
     UNION ALL SELECT organization_id, 'staff', email, json_object('role', role, 'on_duty',
         json(CASE on_duty WHEN 0 THEN 'false' ELSE 'true' END)) FROM staff
         WHERE active = 1";

/// An entry's fields, by its section and its name.
type Entries = BTreeMap<(String, String), Map<String, Value>>;

/// Lets the database keep every entry as it is before a run.
pub(crate) fn record(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute(&format!("CREATE TABLE simulated_entry AS {STORED}"), &[])?;
    Ok(())
}

/// Replays the acts of each business, and holds what they leave against what is stored.
pub(super) fn stand_as_edited(
    tx: &mut Tx<'_>,
    tenants: &[Tenant],
    outside: &Outside,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    for tenant in tenants {
        let organization = i64::from(tenant.organization);
        let mut expected = entries(tx, "simulated_entry", organization)?;
        replay(tx, organization, &mut expected, found)?;
        let stored = entries(tx, &format!("({STORED})"), organization)?;
        for key in expected.keys().chain(stored.keys().filter(|key| !expected.contains_key(*key))) {
            let (wanted, is) = (expected.get(key), stored.get(key));
            if wanted != is {
                let (section, name) = key;
                found.push(format!(
                    "O-20: org_{organization}: the acts leave {section} `{name}` as {wanted:?}, and it is {is:?}"
                ));
            }
        }
    }
    for (organization, contact, tag) in &outside.tagged {
        let carried: i64 = tx.query_one(
            "SELECT count(*) FROM contact_tag c JOIN tag t ON t.organization_id = c.organization_id AND t.id = c.tag_id
             WHERE c.organization_id = ?1 AND c.contact_id = ?2 AND t.name = ?3",
            &[i64::from(*organization).into(), (*contact).into(), tag.as_str().into()],
            |row| row.get(0),
        )?;
        if carried != 1 {
            found.push(format!("O-20: con_{contact} was given `{tag}`, and lacks it"));
        }
    }
    Ok(())
}

fn entries(tx: &mut Tx<'_>, from: &str, organization: i64) -> Result<Entries, StoreError> {
    let rows: Vec<(String, String, String)> = tx.query_all(
        &format!("SELECT section, name, fields FROM {from} WHERE organization_id = ?1"),
        &[organization.into()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let read = |(section, name, text): (String, String, String)| ((section, name), fields(&text));
    Ok(rows.into_iter().map(read).collect())
}

fn fields(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

fn replay(
    tx: &mut Tx<'_>,
    organization: i64,
    entries: &mut Entries,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let acts: Vec<(String, String, String, String)> = tx.query_all(
        "SELECT action, subject, before_value, after_value FROM audit_log WHERE organization_id = ?1
             AND (action LIKE 'knowledge.%' OR action LIKE 'tags.%' OR action LIKE 'staff.%') ORDER BY id",
        &[organization.into()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    for (action, subject, before, after) in acts {
        let Some((section, verb)) = action.split_once('.') else { continue };
        let key = (section.to_owned(), subject);
        let (before, after) = (changed(section, &before), changed(section, &after));
        let is = entries.get(&key);
        let fits = match verb {
            "add" => is.is_none(),
            "update" => is.is_some_and(|is| after.keys().all(|field| is.get(field) == before.get(field))),
            "remove" => is == Some(&before),
            "archive" => is.is_some(),
            _ => false,
        };
        if !fits {
            let name = &key.1;
            found.push(format!("O-20: org_{organization}: {action} of `{name}` says {before:?}, and it was {is:?}"));
        }
        match verb {
            "remove" | "archive" => drop(entries.remove(&key)),
            _ => entries.entry(key).or_default().extend(after),
        }
    }
    Ok(())
}

/// The fields of an act that [`STORED`] has, too. A person is on duty where the log does not say otherwise.
fn changed(section: &str, text: &str) -> Map<String, Value> {
    let mut fields = fields(text);
    let is_whole = fields.contains_key("email");
    fields.retain(|field, _| ["content", "role", "on_duty"].contains(&field.as_str()));
    if section == "staff" && (is_whole || fields.is_empty()) {
        fields.entry("on_duty").or_insert(json!(true));
    }
    fields
}
