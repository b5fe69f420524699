//! The services and people that a transcript has shown, and how a customer's words name them.

mod other_act;
mod several;

use std::sync::LazyLock;

use balcao_language::{Candidate, NameMatch, match_name, names::sound, normalize, search_tokens, tokens};
use serde_json::Value;

pub use other_act::OtherAct;
pub(crate) use other_act::names_object;
pub use several::person_in;

use crate::results;

/// A service on offer.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Everything the tool said of it.
    pub data: Value,
}

/// What a professional does, as far as a tool has said.
#[derive(Debug, Clone, PartialEq)]
pub struct Skills {
    /// The professional's name.
    pub name: String,
    /// The services offered.
    pub services: Vec<String>,
    /// Restrictions, in the business's words.
    pub restrictions: Option<String>,
    /// Services with a price or length of their own, as the tool said it.
    pub own_terms: Vec<Value>,
}

/// What is known of the business.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    /// The services, in the tool's order; empty until `get_services` has answered.
    pub services: Vec<Service>,
    /// The professionals' names.
    pub professionals: Vec<String>,
    /// Other names that customers use for a professional, each with the professional's name, as far as a tool returned them.
    pub nicknames: Vec<(String, String)>,
    /// The services of each professional, as far as a tool returned them.
    pub skills: Vec<Skills>,
    /// The plans on sale, once they were listed.
    pub plans: Vec<Service>,
    /// True if the business changed after all this was read: names still tell what was meant, and everything has to be read again.
    pub is_outdated: bool,
}

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// One entry, by its canonical name.
    One(String),
    /// Several fit equally well.
    Several(Vec<String>),
    /// Something was named that the catalog does not have, in the customer's words.
    Unknown(String),
    /// Nothing was named.
    Nothing,
}

/// The key of the program's note in a result that was read before the business changed.
const CHANGED: &str = "business_changed";

impl Catalog {
    /// Whether the services are known as they are now.
    #[must_use]
    pub fn has_services(&self) -> bool {
        !self.is_outdated && !self.services.is_empty()
    }

    /// Whether the professionals are known as they are now.
    #[must_use]
    pub fn has_professionals(&self) -> bool {
        !self.is_outdated && !self.professionals.is_empty()
    }

    /// Forgets what was read before the business changed, where `result` was read after that.
    pub fn renew(&mut self, result: &Value) {
        if self.is_outdated && result.get(CHANGED).is_none() {
            *self = Self::default();
        }
    }

    /// Takes in the answer of `get_services` or `get_barbers`.
    pub fn learn(&mut self, result: &Value) {
        self.is_outdated |= result.get(CHANGED).is_some();
        if let Some(list) = result.get("services").and_then(Value::as_array) {
            let read = |data: &Value| Some(Service { name: results::text(data, &["name"])?, data: data.clone() });
            self.services = list.iter().filter_map(read).collect();
        }
        if let Some(list) = result.get("plans").and_then(Value::as_array) {
            let read = |data: &Value| Some(Service { name: results::text(data, &["name"])?, data: data.clone() });
            self.plans = list.iter().filter_map(read).collect();
        }
        let people = result.get("barbers").or_else(|| result.get("professionals")).and_then(Value::as_array);
        for person in people.into_iter().flatten() {
            self.learn_skills(person);
            self.learn_nicknames(person);
            let name = person.as_str().map(str::to_owned).or_else(|| results::text(person, &["name"]));
            if let Some(name) = name.filter(|name| !self.professionals.contains(name)) {
                self.professionals.push(name);
            }
        }
    }

    /// Adds the professionals that an intake's answer names: the owner of the calendar, or those that the customer may choose from.
    pub fn meet(&mut self, result: &Value) {
        self.is_outdated |= result.get(CHANGED).is_some();
        let one = result.get("professional").or_else(|| result.get("working_hours").and(result.get("name")));
        let all = result.get("details").and_then(|details| details.get("available")).and_then(Value::as_array);
        let argument = result.get("details").and_then(|details| details.get("argument")).and_then(Value::as_str);
        let listed = all.filter(|_| argument == Some("professional")).into_iter().flatten();
        if let Some(details) = result.get("details").filter(|details| details.get("services").is_some()) {
            self.learn(details);
        }
        for name in one.into_iter().chain(listed).filter_map(Value::as_str) {
            if !self.professionals.iter().any(|known| known == name) {
                self.professionals.push(name.to_owned());
            }
        }
    }

    fn learn_nicknames(&mut self, person: &Value) {
        let Some(name) = results::text(person, &["name"]) else { return };
        let all = person.get("aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let all: Vec<(String, String)> = all.map(|alias| (alias.to_owned(), name.clone())).collect();
        self.nicknames.retain(|(_, known)| *known != name);
        self.nicknames.extend(all);
    }

    fn learn_skills(&mut self, person: &Value) {
        let list = person.get("services").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let service = |one: &Value| one.as_str().map(str::to_owned).or_else(|| results::text(one, &["name"]));
        let services: Vec<String> = list.iter().filter_map(service).collect();
        let restrictions = results::text(person, &["restrictions"]);
        let Some(name) = results::text(person, &["name"]).filter(|_| !services.is_empty()) else { return };
        // `get_barbers` returns no terms, so the terms of an earlier answer stay.
        let told = person.get("own_terms").and_then(Value::as_array).cloned();
        let before = self.skills.iter().find(|skills| skills.name == name).map(|skills| skills.own_terms.clone());
        let own_terms = told.or(before).unwrap_or_default();
        self.skills.retain(|skills| skills.name != name);
        self.skills.push(Skills { name, services, restrictions, own_terms });
    }

    /// Whether a professional offers a service. `None` if no tool has returned the professional's services.
    #[must_use]
    pub fn performs(&self, professional: &str, service: &str) -> Option<bool> {
        let skills = self.skills.iter().find(|skills| skills.name == professional)?;
        self.service(service)?;
        Some(skills.services.iter().any(|offered| offered == service))
    }

    /// What a professional says of a service of their own price or length.
    #[must_use]
    pub fn own_terms(&self, professional: &str, service: &str) -> Option<&Value> {
        let skills = self.skills.iter().find(|skills| skills.name == professional)?;
        skills.own_terms.iter().find(|terms| results::text(terms, &["service"]).as_deref() == Some(service))
    }

    /// Who offers a service, in the tool's order.
    #[must_use]
    pub fn performers(&self, service: &str) -> Vec<String> {
        let offers = |skills: &&Skills| skills.services.iter().any(|offered| offered == service);
        self.skills.iter().filter(offers).map(|skills| skills.name.clone()).collect()
    }

    /// The service of that name.
    #[must_use]
    pub fn service(&self, name: &str) -> Option<&Service> {
        self.services.iter().find(|service| service.name == name)
    }

    /// The service that a text names: all its significant words occur, and no other service has more of them there.
    ///
    /// Words are compared by stem, sound and close spelling, so that "cortar" names "Corte". A part of a name
    /// ("limpeza") names it if no other service shares that part, or if it is what the name begins with and no other
    /// name begins so: "barba" is "Barba desenhada" rather than "Corte e barba".
    ///
    /// An [`OtherAct`] is not a service of the catalog; it does not count beside a service that the text names in full.
    ///
    /// If the tools have returned aliases, an alias in full names its service, unless the text names another service in full.
    #[must_use]
    pub fn service_in(&self, text: &str) -> Named {
        let named = self.service_by_name(text);
        match &named {
            Named::One(name) if self.says_whole(text, name) => named,
            Named::One(_) | Named::Several(_) | Named::Unknown(_) | Named::Nothing => {
                self.by_alias(text).map_or(named, Named::One)
            }
        }
    }

    /// The service whose alias a text says, the longest of them.
    fn by_alias(&self, text: &str) -> Option<String> {
        let aliases = self.services.iter().flat_map(|service| {
            let all = service.data.get("aliases").and_then(Value::as_array).into_iter().flatten();
            all.filter_map(Value::as_str).map(|alias| (alias, &service.name))
        });
        let said = aliases.filter(|(alias, _)| balcao_language::contains_word(text, alias));
        said.max_by_key(|(alias, _)| alias.len()).map(|(_, name)| name.clone())
    }

    fn service_by_name(&self, text: &str) -> Named {
        let Some(other) = self.other_act(text) else { return self.known_service_in(text) };
        let around = (text.get(..other.span.0).unwrap_or_default(), text.get(other.span.1..).unwrap_or_default());
        let rest = format!("{} {}", around.0, around.1);
        match self.known_service_in(&rest) {
            Named::One(name) if self.says_whole(&rest, &name) || names_object(&rest) => Named::One(name),
            Named::One(_) | Named::Several(_) | Named::Unknown(_) | Named::Nothing => Named::Unknown(other.said),
        }
    }

    /// What a text names that is another act than those on offer.
    #[must_use]
    pub fn other_act(&self, text: &str) -> Option<OtherAct> {
        other_act::find(text, &self.significant_names())
    }

    fn significant_names(&self) -> Vec<Vec<String>> {
        self.services.iter().map(|service| significant(&service.name)).collect()
    }

    /// True if every significant word of the name is said.
    fn says_whole(&self, text: &str, name: &str) -> bool {
        let said = search_tokens(text);
        significant(name).iter().all(|word| said.iter().any(|heard| same_word(heard, word)))
    }

    fn known_service_in(&self, text: &str) -> Named {
        let mut said = search_tokens(&without_excluded(text));
        let names = self.significant_names();
        for (heard, meant) in STEMMED_MEANINGS.iter() {
            if !names.iter().flatten().any(|word| word == heard) {
                for word in said.iter_mut().filter(|word| *word == heard) {
                    meant.clone_into(word);
                }
            }
        }
        // "Fisio" is short for "fisioterapia".
        for token in tokens(text).iter().filter(|token| token.text.len() >= 5) {
            for service in &self.services {
                let words = normalize(&service.name);
                let long = words
                    .split_whitespace()
                    .find(|word| word.len() > token.text.len() && word.starts_with(&token.text));
                said.extend(long.into_iter().flat_map(search_tokens));
            }
        }
        let place = |word: &String| said.iter().position(|heard| same_word(heard, word));
        let mut whole: Vec<(usize, usize, usize)> = Vec::new();
        let mut part: Vec<(usize, (usize, bool))> = Vec::new();
        for (index, words) in names.iter().enumerate() {
            let places: Vec<usize> = words.iter().filter_map(place).collect();
            let Some(first) = places.iter().min() else { continue };
            if places.len() == words.len() {
                whole.push((index, words.len(), *first));
            } else {
                let leads = words.first().is_some_and(|word| place(word).is_some());
                part.push((index, (places.len(), leads)));
            }
        }
        let name = |index: usize| self.services.get(index).map(|service| service.name.clone()).unwrap_or_default();
        // "Corte na máquina pro meu filho" is what it says, and not "Corte de menino".
        let heard = tokens(text);
        let literal = |index: usize| {
            let name = name(index);
            tokens(&name).iter().filter(|word| heard.iter().any(|token| token.text == word.text)).count()
        };
        let weight = |(index, words, first): &(usize, usize, usize)| {
            (*words, if whole.len() > 1 { literal(*index) } else { 0 }, std::cmp::Reverse(*first))
        };
        if let Some((best, ..)) = whole.iter().max_by_key(|one| weight(one)) {
            return Named::One(name(*best));
        }
        let most = part.iter().map(|(_, weight)| *weight).max().unwrap_or_default();
        let best: Vec<String> =
            part.iter().filter(|(_, weight)| *weight == most).map(|(index, _)| name(*index)).collect();
        match best.as_slice() {
            [] => Named::Nothing,
            [only] => Named::One(only.clone()),
            _ => Named::Several(best),
        }
    }

    /// The professionals that a bare title means: "a dra" means each professional with the title "Dra".
    fn titled(&self, text: &str) -> Vec<usize> {
        let all = tokens(text);
        let wanted: &[&str] = if all.iter().any(|token| ["dra", "doutora"].contains(&token.text.as_str())) {
            &["dra", "doutora"]
        } else if all.iter().any(|token| ["dr", "doutor"].contains(&token.text.as_str())) {
            &["dr", "doutor"]
        } else {
            return Vec::new();
        };
        let bears = |name: &String| {
            let first = tokens(name).into_iter().next().map(|token| token.text).unwrap_or_default();
            wanted.contains(&first.as_str())
        };
        self.professionals.iter().enumerate().filter(|(_, name)| bears(name)).map(|(index, _)| index).collect()
    }

    /// The professional that a text names: a word of a name as it is written or sounds, or whatever stands after "com".
    #[must_use]
    pub fn professional_in(&self, text: &str) -> Named {
        let candidates: Vec<Candidate<'_>> = self.professionals.iter().map(|name| Candidate::named(name)).collect();
        let mut heard: Vec<usize> = Vec::new();
        for token in tokens(text).iter().filter(|token| token.text.len() >= 3) {
            for (index, name) in self.professionals.iter().enumerate() {
                let titles = ["dra", "doutor", "doutora", "dos", "das"];
                let named = name.split_whitespace().map(normalize).any(|word| {
                    let word = word.trim_matches('.');
                    word.len() >= 3
                        && !titles.contains(&word)
                        && (word == token.text || sound(word) == sound(&token.text))
                });
                if named && !COMMON.contains(&token.text.as_str()) && !heard.contains(&index) {
                    heard.push(index);
                }
            }
        }
        for (alias, name) in &self.nicknames {
            let index = self.professionals.iter().position(|known| known == name);
            if let Some(index) = index.filter(|index| !heard.contains(index))
                && balcao_language::contains_word(text, alias)
            {
                heard.push(index);
            }
        }
        let name = |index: &usize| self.professionals.get(*index).cloned().unwrap_or_default();
        match heard.as_slice() {
            [only] => return Named::One(name(only)),
            [] => {}
            several => {
                // Two names in one message ("não o João, a Ana"): the last counts, twins of one name are asked about.
                let full: Vec<String> =
                    several.iter().map(name).filter(|full| normalize(text).contains(&normalize(full))).collect();
                return match full.as_slice() {
                    [only] => Named::One(only.clone()),
                    _ => Named::Several(several.iter().map(name).collect()),
                };
            }
        }
        let Some(phrase) = after_with(text, self) else {
            return match self.titled(text).as_slice() {
                [] => Named::Nothing,
                [only] => Named::One(name(only)),
                several => Named::Several(several.iter().map(name).collect()),
            };
        };
        match match_name(&phrase, &candidates) {
            NameMatch::One { index, .. } => Named::One(name(&index)),
            NameMatch::Several(indices) => Named::Several(indices.iter().map(name).collect()),
            NameMatch::None { .. } => Named::Unknown(phrase),
        }
    }
}

impl Catalog {
    /// The unknown name after "com", if it is a common first name. "Com a Unimed" does not name a person.
    #[must_use]
    pub fn nobody_in(&self, text: &str) -> Option<String> {
        match self.professional_in(text) {
            Named::Unknown(said) => Some(said).filter(|said| balcao_language::is_first_name(said)),
            Named::One(_) | Named::Several(_) | Named::Nothing => None,
        }
    }
}

/// What customers say for what a service is called, where no service is called as they say: who says "cabelo" wants it cut.
const MEANINGS: &[(&str, &str)] = &[
    ("cabelo", "corte"),
    ("hair", "corte"),
    ("haircut", "corte"),
    ("beard", "barba"),
    ("shave", "barba"),
    ("eyebrow", "sobrancelha"),
    ("eyebrows", "sobrancelha"),
    ("physiotherapy", "fisioterapia"),
    ("physio", "fisioterapia"),
    ("consultation", "consulta"),
    ("checkup", "consulta"),
    ("cleaning", "limpeza"),
    ("surgery", "cirurgia"),
    ("class", "aula"),
    ("massage", "massagem"),
    ("whitening", "clareamento"),
    ("manicure", "unha"),
];

/// [`MEANINGS`] as [`search_tokens`] gives them.
static STEMMED_MEANINGS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let stem = |word: &str| search_tokens(word).into_iter().next();
    MEANINGS.iter().filter_map(|(heard, meant)| Some((stem(heard)?, stem(meant)?))).collect()
});

/// Words that sound like a name and are none.
const COMMON: &[&str] =
    &["dia", "hora", "para", "com", "que", "uma", "das", "dos", "pode", "quero", "ser", "sim", "nao"];

/// The significant words of a name; all its words if none is significant.
fn significant(name: &str) -> Vec<String> {
    let words = search_tokens(name);
    if words.is_empty() { vec![normalize(name)] } else { words }
}

fn same_word(heard: &str, word: &str) -> bool {
    heard == word
        || word.len() >= 4 && heard.len() >= 4 && sound(heard) == sound(word)
        || word.len() >= 5 && heard.len() >= 5 && strsim::osa_distance(heard, word) <= 1
}

/// "Corte sem barba" names no beard.
fn without_excluded(text: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut skip = false;
    for token in tokens(text) {
        if skip && !["a", "o", "de"].contains(&token.text.as_str()) {
            skip = false;
            continue;
        }
        if ["sem", "without"].contains(&token.text.as_str()) {
            skip = true;
            continue;
        }
        kept.push(token.text);
    }
    kept.join(" ")
}

/// The word after "com", if it is neither a service nor an everyday word: "com o Vando" gives `Vando`.
fn after_with(text: &str, catalog: &Catalog) -> Option<String> {
    let all = tokens(text);
    let at = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    for index in 0..all.len() {
        if !["com", "cm", "c", "with", "pelo", "pela"].contains(&at(index)) {
            continue;
        }
        let mut next = index.saturating_add(1);
        while ["o", "a", "os", "as", "dr", "dra", "doutor", "doutora", "seu", "dona", ".", "the"].contains(&at(next)) {
            next = next.saturating_add(1);
        }
        let Some(token) = all.get(next) else { continue };
        let original = text.get(token.start..token.end).unwrap_or_default();
        let is_word = token.text.chars().all(char::is_alphabetic) && token.text.len() >= 2;
        let is_service = catalog.service_in(original) != Named::Nothing;
        if is_word && !is_service && !NOT_NAMES.contains(&token.text.as_str()) {
            return Some(original.to_owned());
        }
    }
    None
}

const NOT_NAMES: &[&str] = &[
    "vaga",
    "vagas",
    "disponibilidade",
    "voce",
    "voces",
    "vc",
    "vcs",
    "ele",
    "ela",
    "eles",
    "elas",
    "certeza",
    "urgencia",
    "desconto",
    "cartao",
    "pix",
    "dinheiro",
    "qualquer",
    "um",
    "uma",
    "alguem",
    "quem",
    "meu",
    "minha",
    "meus",
    "minhas",
    "antecedencia",
    "calma",
    "barba",
    "cabelo",
    "corte",
    "me",
    "isso",
    "esse",
    "essa",
    "horario",
    "hora",
    "licenca",
    "prazer",
    "atendente",
    "humano",
    "gerente",
    "dono",
    "responsavel",
    "ninguem",
    "outro",
    "outra",
    "outros",
    "mais",
    "menos",
    "carro",
    "moto",
    "crianca",
    "criancas",
    "filho",
    "filha",
    "esposa",
    "marido",
    "mae",
    "pai",
    "convenio",
    "plano",
    "seguro",
    "you",
    "anyone",
    "any",
    "credit",
    "card",
    "cash",
    "my",
    "respeito",
    "relacao",
    "base",
    "todos",
    "todo",
    "pouco",
    "muita",
    "muito",
    "pressa",
    "dor",
    "frequencia",
    "exame",
    "retorno",
    "primeiro",
    "primeira",
    "dra",
    "dr",
    "atraso",
    "cuidado",
    "gente",
    "melhor",
    "barbeiro",
    "barbeira",
    "profissional",
    "medico",
    "medica",
    "dentista",
];

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
