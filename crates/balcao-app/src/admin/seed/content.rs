//! Staff, knowledge, templates and media of the business.

use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::staff::Role;
use balcao_store::crm::staff::Staff;
use balcao_store::messaging::template::{Media, Template};

use balcao_language::normalize::normalize;

use super::reader::{Fields, Reader};
use super::{ProfessionalEntry, StaffEntry, placeholder};

/// Stands between category and title where both name an entry of the knowledge, so that neither may hold it.
pub(crate) const NAME_SEPARATOR: char = '›';

/// Staff, each with the place of the professional that they are. Who has the role of one must be one: by `professional`, or by a name
/// that is the same.
pub(super) fn staff<'a>(
    reader: &mut Reader<'a>,
    top: &Fields<'a>,
    professionals: &[ProfessionalEntry],
) -> Vec<StaffEntry> {
    let roles = Role::ALL.map(|role| (role.as_str(), role));
    let names: Vec<String> = professionals.iter().map(|one| one.professional.name.clone()).collect();
    let mut staff: Vec<StaffEntry> = Vec::new();
    for item in reader.items(top.get("staff")) {
        let known = ["name", "email", "role", "phone", "on_duty", "professional", "active"];
        let Some(fields) = reader.fields(&item, &known) else { continue };
        let name = reader.required_text(&fields, "name");
        let email = if reader.required(&fields, "email").is_some() { reader.email(&fields, "email") } else { None };
        let role = reader.required(&fields, "role").and_then(|at| reader.read_word(&at, &roles));
        let phone = reader.phone(&fields, "phone").map(|phone| phone.e164().to_owned());
        let on_duty = reader.truth(&fields, "on_duty", true);
        let active = reader.truth(&fields, "active", true);
        let (Some(id), Some(name), Some(email), Some(role)) = (placeholder(staff.len()), name, email, role) else {
            continue;
        };
        let linked = fields.get("professional").and_then(|at| reader.reference(&at, "professional", &names));
        let namesake = names.iter().position(|one| normalize(one) == normalize(&name));
        if active && role == Role::Professional && fields.get("professional").is_none() && namesake.is_none() {
            reader.wrong(
                &item.pointer,
                format!(
                    "`{name}` has the role `professional`, and no professional has that name: they would see nothing"
                ),
                format!("add `professional:` with one of: {}", names.join(", ")),
            );
        }
        if staff.iter().any(|other| other.person.email.eq_ignore_ascii_case(&email)) {
            reader.wrong(
                &format!("{}/email", item.pointer),
                format!("two people have the address {email}"),
                "change one",
            );
        }
        let person = Staff { id, name, email, role, phone, on_duty, professional: None, active };
        staff.push(StaffEntry { person, professional: linked });
    }
    staff
}

pub(super) fn knowledge<'a>(reader: &mut Reader<'a>, top: &Fields<'a>) -> Vec<KnowledgeEntry> {
    let mut entries: Vec<KnowledgeEntry> = Vec::new();
    for item in reader.items(top.get("knowledge")) {
        let Some(fields) = reader.fields(&item, &["category", "title", "content"]) else { continue };
        let category = reader.optional_text(&fields, "category");
        let (title, content) = (reader.required_text(&fields, "title"), reader.required_text(&fields, "content"));
        let (Some(id), Some(title), Some(content)) = (placeholder(entries.len()), title, content) else { continue };
        for (key, text) in [("category", category.as_deref().unwrap_or_default()), ("title", title.as_str())] {
            if text.contains(NAME_SEPARATOR) {
                let message = format!("invalid {key} `{text}`; expected one without `{NAME_SEPARATOR}`");
                reader.wrong(&format!("{}/{key}", item.pointer), message, "write `-` or `:`");
            }
        }
        if entries.iter().any(|other| (&other.category, &other.title) == (&category, &title)) {
            reader.wrong(
                &format!("{}/title", item.pointer),
                format!("there are two entries `{title}`"),
                "rename or join them",
            );
        }
        entries.push(KnowledgeEntry { id, category, title, content });
    }
    entries
}

pub(super) fn templates<'a>(reader: &mut Reader<'a>, top: &Fields<'a>) -> Vec<Template> {
    const CATEGORIES: [(&str, &str); 3] =
        [("utility", "utility"), ("marketing", "marketing"), ("authentication", "authentication")];
    let mut templates: Vec<Template> = Vec::new();
    for item in reader.items(top.get("templates")) {
        let Some(fields) = reader.fields(&item, &["name", "category", "language", "body", "approved"]) else {
            continue;
        };
        let name = reader.required_text(&fields, "name");
        let category = reader.required(&fields, "category").and_then(|at| reader.read_word(&at, &CATEGORIES));
        let language = reader.optional_text(&fields, "language").unwrap_or_else(|| "pt_BR".to_owned());
        let body = reader.required_text(&fields, "body");
        if !language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            reader.wrong(
                &item.pointer,
                format!("invalid language `{language}`"),
                "write a code such as `pt_BR` or `en`",
            );
        }
        let approved = reader.truth(&fields, "approved", false);
        let (Some(name), Some(category), Some(body)) = (name, category, body) else { continue };
        if templates.iter().any(|other| (&other.name, &other.language) == (&name, &language)) {
            reader.wrong(
                &format!("{}/name", item.pointer),
                format!("there are two templates `{name}`"),
                "rename or remove one",
            );
        }
        templates.push(Template { name, category: category.to_owned(), language, body, approved });
    }
    templates
}

/// Whether a path names something below its folder, on every system: none that is absolute, has `..`, or names a drive.
fn stays_within(path: &str) -> bool {
    let parts = path.split(['/', '\\']);
    !path.contains(':') && parts.into_iter().all(|part| !part.is_empty() && part != "..")
}

pub(super) fn media<'a>(reader: &mut Reader<'a>, top: &Fields<'a>) -> Vec<Media> {
    const KINDS: [(&str, &str); 4] =
        [("image", "image"), ("document", "document"), ("audio", "audio"), ("location", "location")];
    let mut items: Vec<Media> = Vec::new();
    for item in reader.items(top.get("media")) {
        let keys = ["key", "kind", "name", "path", "latitude", "longitude"];
        let Some(fields) = reader.fields(&item, &keys) else { continue };
        let key = reader.required_text(&fields, "key");
        let kind = reader.required(&fields, "kind").and_then(|at| reader.read_word(&at, &KINDS));
        let name = reader.optional_text(&fields, "name");
        let path = reader.optional_text(&fields, "path");
        if path.as_deref().is_some_and(|path| !stays_within(path)) {
            let right = "write a path within the folder of media, such as `fotos/loja.jpg`";
            reader.wrong(&format!("{}/path", item.pointer), "invalid path: it leads out of its folder", right);
        }
        let latitude = reader.decimal(&fields, "latitude", 90.0);
        let longitude = reader.decimal(&fields, "longitude", 180.0);
        let needed: &[&str] = if kind == Some("location") { &["latitude", "longitude"] } else { &["path"] };
        for missing in needed.iter().filter(|key| kind.is_some() && fields.get(key).is_none()) {
            reader.wrong(&item.pointer, format!("`{missing}` is missing"), format!("add `{missing}:`"));
        }
        let (Some(key), Some(kind)) = (key, kind) else { continue };
        if items.iter().any(|other| other.key == key) {
            reader.wrong(
                &format!("{}/key", item.pointer),
                format!("there are two items `{key}`"),
                "rename or remove one",
            );
        }
        items.push(Media { key, kind: kind.to_owned(), name, path, latitude, longitude });
    }
    items
}
