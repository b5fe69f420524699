//! What is on offer: the services and their prices, and services that are on no list.

use serde_json::Value;

use super::{
    ReplyDraft,
    questions::plan_row,
    spoken::{spoken_service, spoken_topic},
};
use crate::{catalog::Named, nlu::Act, results, state::Question, words::Line};

impl ReplyDraft<'_> {
    pub(super) fn services(&mut self) {
        let dialogue = self.dialogue;
        if !dialogue.catalog.has_services() && self.read("get_services", &[]).is_none() {
            return;
        }
        let locale = self.locale;
        let row = |service: &crate::catalog::Service| row(&service.name, &service.data, locale);
        let list: Vec<String> = dialogue.catalog.services.iter().map(row).collect();
        let said = dialogue.catalog.service_in(&dialogue.utterance.text);
        let asks_all = self.is(Act::Services);
        let unlisted = if let Named::Unknown(words) = &said { Some(words.clone()) } else { None };
        let one = |wish: &String| match dialogue.catalog.service_in(wish) {
            Named::One(name) => Some(name),
            Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
        };
        let several: Vec<String> =
            dialogue.catalog.several_in(&dialogue.utterance.text).iter().filter_map(one).collect();
        let mut named = match (said, dialogue.service()) {
            _ if several.len() > 1 => several,
            (Named::Nothing, Named::One(known)) if !asks_all && !self.is(Act::Offers) => vec![known],
            (Named::One(name), _) => vec![name],
            (Named::Several(names), _) => names,
            (Named::Nothing | Named::Unknown(_), _) => Vec::new(),
        };
        let plan = dialogue.catalog.plans.iter().find(|plan| {
            !dialogue.catalog.is_outdated
                && named.is_empty()
                && balcao_language::contains_word(&dialogue.utterance.text, &plan.name)
        });
        if let Some(plan) = plan {
            self.push_line(Line::Plans { list: plan_row(&plan.data, locale).into_iter().collect() });
        } else if let Some(said) = unlisted.or_else(|| self.unknown_topic(named.is_empty() && !asks_all)) {
            match self.resolve(&said) {
                None => return,
                Some(Named::One(name)) if dialogue.catalog.service(&name).is_some() => named = vec![name],
                Some(Named::Several(names)) => named = names,
                Some(Named::Unknown(said)) => {
                    self.push_line(Line::NotOffered { said });
                    self.push_line(Line::Services { list });
                }
                Some(Named::One(_) | Named::Nothing) => self.push_line(Line::Services { list }),
            }
        } else if asks_all && named.is_empty() || named.is_empty() && !self.is(Act::Offers) {
            self.push_line(Line::Services { list });
        } else if named.is_empty() {
            // "Vocês têm …?" about nothing on the list is a question like any other.
            let asked = dialogue.utterance.questions.is_empty().then(|| dialogue.utterance.text.clone());
            if let Some(question) = asked {
                self.knowledge(&question);
            }
        }
        for name in named {
            self.price_of(&name);
        }
    }

    /// A service with its price and length, as a professional offers it. `None` if it is on no list.
    pub(super) fn row_of(&self, service: &str, professional: &str) -> Option<String> {
        let catalog = &self.dialogue.catalog;
        let own = catalog.own_terms(professional, service);
        let terms = own.or(catalog.service(service).map(|service| &service.data))?;
        Some(row(service, terms, self.locale))
    }

    /// What a question about a price is about, where it is on no list.
    fn unknown_topic(&self, open: bool) -> Option<String> {
        let text = &self.dialogue.utterance.text;
        spoken_topic(text).filter(|_| open && self.is(Act::Prices) && self.dialogue.utterance.questions.is_empty())
    }

    /// "E alisamento?" where services are spoken of asks for one more, "fazem alisamento?" everywhere.
    pub(super) fn other_service(&self, question: &str) -> Option<String> {
        let dialogue = self.dialogue;
        if self.is(Act::Offers) && balcao_language::normalize(question).contains("faz") {
            return spoken_topic(question);
        }
        let spoken_of = dialogue.asked == Question::Service || !dialogue.weak_mentions.is_empty();
        let follows = balcao_language::normalize(&dialogue.utterance.text).starts_with("e ");
        spoken_service(question, dialogue, true).filter(|_| spoken_of && follows)
    }

    /// Answers about a service that the catalog does not have by that name: the tools may know it by an alias.
    pub(super) fn unlisted(&mut self, said: &str) {
        let services = &self.dialogue.catalog.services;
        let names = || services.iter().map(|service| service.name.clone()).collect();
        match self.resolve(said) {
            None => {}
            Some(Named::One(name)) => self.price_of(&name),
            Some(Named::Several(names)) => names.iter().for_each(|name| self.price_of(name)),
            Some(Named::Unknown(_) | Named::Nothing) => {
                self.push_line(Line::NotOffered { said: said.to_owned() });
                self.push_line(Line::AskService { list: names() });
            }
        }
    }

    /// The price and length of a service: with the professional that the question names, or in general together with each professional
    /// who differs.
    fn price_of(&mut self, name: &str) {
        let catalog = &self.dialogue.catalog;
        let Some(service) = catalog.service(name) else { return };
        let line = |terms: &Value, with: Option<&String>| Line::Price {
            service: name.to_owned(),
            with: with.cloned(),
            price: results::price(terms, self.locale),
            length: length(terms),
        };
        let own = |person: &String| catalog.own_terms(person, name);
        let lines = match catalog.professional_in(&self.dialogue.utterance.text) {
            Named::One(person) if catalog.performs(&person, name) == Some(true) => {
                vec![line(own(&person).unwrap_or(&service.data), Some(&person))]
            }
            Named::One(_) | Named::Several(_) | Named::Unknown(_) | Named::Nothing => {
                let others = catalog.professionals.iter().filter_map(|person| Some(line(own(person)?, Some(person))));
                std::iter::once(line(&service.data, None)).chain(others).collect()
            }
        };
        self.lines.extend(lines);
    }

    /// "E com barba?" after a price is about the price too: a question that says nothing but a service's name.
    pub(super) fn price_follow_up(&mut self, question: &str) -> bool {
        let dialogue = self.dialogue;
        let asked = balcao_language::search_tokens(question);
        let earlier =
            dialogue.weak_mentions.last().filter(|_| balcao_language::normalize(question).starts_with("com "));
        let joined = earlier.map(|earlier| format!("{earlier} {question}"));
        let Named::One(name) = dialogue.catalog.service_in(joined.as_deref().unwrap_or(question)) else { return false };
        let words = balcao_language::search_tokens(&name);
        let Some(service) = dialogue.catalog.service(&name).filter(|_| asked.iter().all(|word| words.contains(word)))
        else {
            return false;
        };
        self.price_of(&service.name);
        true
    }
}

/// "Corte: R$ 50,00, 30 min".
fn row(name: &str, terms: &Value, locale: balcao_language::Locale) -> String {
    let rest: Vec<String> = [results::price(terms, locale), length(terms)].into_iter().flatten().collect();
    if rest.is_empty() { name.to_owned() } else { format!("{name}: {}", rest.join(", ")) }
}

fn length(service: &Value) -> Option<String> {
    let minutes = ["duration_minutes", "durationMinutes"].iter().find_map(|key| service.get(key)?.as_i64());
    minutes.map(|minutes| format!("{minutes} min")).or_else(|| results::text(service, &["duration_display"]))
}
