//! Of a list, the entries that are called so: what people say, whatever its case and accents, becomes an id.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Names that are told where none fits.
const MAX_NAMES: usize = 50;

/// Keeps the entries of the result that are called so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// Where an entry has its name: a key, or a way such as `user.username`.
    pub key: String,
    /// The argument that holds the name.
    pub argument: String,
}

impl Find {
    /// `{found, matches}`, or `{found: false, available}` with the names that there are.
    pub(crate) fn among(&self, result: &Value, name: &Value) -> Value {
        let whole = [result.clone()];
        let list = result.as_array().or_else(|| result.as_object()?.values().find_map(Value::as_array));
        let entries = list.map_or(whole.as_slice(), Vec::as_slice);
        let wanted = folded(name.as_str().unwrap_or_default());
        let called = |entry: &&Value| self.name(entry).is_some_and(|known| folded(known) == wanted);
        let matches: Vec<&Value> = entries.iter().filter(called).collect();
        // The list may go on: then nobody knows that the name is not there.
        let more = result.get("more") == Some(&Value::Bool(true));
        let mut found = if matches.is_empty() {
            let names: BTreeSet<&str> = entries.iter().filter_map(|entry| self.name(entry)).collect();
            let left_out = names.len().saturating_sub(MAX_NAMES);
            let mut missed =
                json!({ "found": false, "available": names.into_iter().take(MAX_NAMES).collect::<Vec<_>>() });
            if let (true, Some(fields)) = (left_out > 0, missed.as_object_mut()) {
                fields.insert("available_left_out".to_owned(), left_out.into());
            }
            missed
        } else {
            json!({ "found": true, "matches": matches })
        };
        if let (true, Some(fields)) = (more, found.as_object_mut()) {
            fields.insert("more".to_owned(), true.into());
        }
        found
    }

    fn name<'a>(&self, entry: &'a Value) -> Option<&'a str> {
        self.key.split('.').try_fold(entry, |here, step| here.get(step))?.as_str()
    }
}

/// A name without case, accents and what is no letter or digit.
fn folded(name: &str) -> String {
    let bare = name.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase);
    let bare: String = bare.filter(|letter| letter.is_alphanumeric()).collect();
    // A name of signs alone is its signs.
    if bare.is_empty() { name.trim().to_owned() } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whatever_its_case_and_accents_and_a_miss_tells_the_names() {
        let find = Find { key: "user.name".to_owned(), argument: "name".to_owned() };
        let people = json!({ "people": [{ "user": { "name": "José da Silva" } }, { "user": { "name": "Bia" } }, { "user": null }] });
        let found = find.among(&people, &json!("JOSE DA-SILVA"));
        assert_eq!(found, json!({ "found": true, "matches": [{ "user": { "name": "José da Silva" } }] }));
        let signs = json!([{ "user": { "name": "🔥" } }, { "user": { "name": "✅" } }]);
        assert_eq!(find.among(&signs, &json!("✅"))["matches"], json!([{ "user": { "name": "✅" } }]));
        let cut = json!({ "items": people["people"], "more": true });
        assert_eq!(find.among(&cut, &json!("Ana"))["more"], true, "the entries beyond the cut are unknown");
        let missed = find.among(&people, &json!("Ana"));
        assert_eq!(missed, json!({ "found": false, "available": ["Bia", "José da Silva"] }));
    }

    #[test]
    fn of_many_names_fifty_are_listed_and_the_others_are_counted() {
        let find = Find { key: "name".to_owned(), argument: "name".to_owned() };
        let people = |count: usize| Value::from_iter((0..count).map(|one| json!({ "name": format!("P{one}") })));
        let missed = |count| find.among(&people(count), &json!("Ana"));
        assert_eq!(
            (missed(50)["available"].as_array().unwrap().len(), &missed(50)["available_left_out"]),
            (50, &Value::Null)
        );
        assert_eq!(
            (missed(53)["available"].as_array().unwrap().len(), &missed(53)["available_left_out"]),
            (50, &json!(3))
        );
    }
}
