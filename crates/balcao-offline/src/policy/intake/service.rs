//! What is to be booked: what was asked for, of what the professional does, and the first of that where nothing was.

use balcao_language::{Agreement, agreement};
use jiff::civil::Date;

use super::super::{Decision, wish::Wish};
use super::{Intake, Service, says_nothing, times_asked};
use crate::catalog::Named;
use crate::nlu::Act;
use crate::results::{self, Outcome};
use crate::state::Question;
use crate::words::Line;

impl<'a> Intake<'a> {
    /// The service that was asked for. `None` if something was asked or said instead, or is still to be looked up.
    pub(super) fn service(&mut self, who: &str) -> Option<Service> {
        let named = match self.dialogue.service() {
            Named::Nothing => match self.draft.spoken_service().filter(|said| self.may_be_service(said)) {
                Some(said) if !self.leaves_it_open() => self.draft.resolve(&said)?,
                Some(_) | None => return Some(Service::Open),
            },
            Named::Unknown(said) => self.draft.resolve(&said)?,
            named @ (Named::One(_) | Named::Several(_)) => named,
        };
        let name = match named {
            Named::One(name) => name,
            Named::Nothing => return Some(Service::Open),
            Named::Several(all) => {
                let own: Vec<String> = all
                    .iter()
                    .filter(|name| self.draft.dialogue.catalog.performs(who, name) == Some(true))
                    .cloned()
                    .collect();
                match own.as_slice() {
                    [only] => only.clone(),
                    [] => {
                        for service in all {
                            self.draft.push_line(Line::DoesNotDo { name: who.to_owned(), service });
                        }
                        self.ask_service(who);
                        return None;
                    }
                    _ => {
                        self.draft.push_line(Line::WhichService { list: own });
                        return None;
                    }
                }
            }
            Named::Unknown(said) => {
                self.draft.push_line(Line::NotOffered { said });
                self.ask_service(who);
                return None;
            }
        };
        let wish = Wish { service: Some(name.clone()), professional: Some(who.to_owned()) };
        (!self.draft.not_of_that_professional(&wish)).then_some(Service::Wanted(name))
    }

    /// Whether what is proposed now is the first of several services of the professional, as nothing was asked for.
    pub(super) fn proposes_the_usual(&self) -> bool {
        let info = self.answered("get_professional_info");
        let who = info.and_then(|info| results::text(&info.result, &["name"]));
        let several = who.is_some_and(|who| self.services_of(&who).len() > 1);
        several && self.dialogue.asked != Question::Book && self.dialogue.service() == Named::Nothing
    }

    /// The free times of a day that the tool returned in this turn.
    pub(super) fn times_of(&self, date: Date, service: &Service) -> Option<&'a Outcome> {
        let arguments = times_asked(date, service);
        let mut told = self.dialogue.outcomes.iter().rev();
        told.find(|one| one.name == "get_available_slots" && one.arguments == arguments)
    }

    pub(super) fn ask_times(&self, date: Date, service: &Service) -> Decision {
        self.ask("get_available_slots", times_asked(date, service))
    }

    /// What a professional does, in the order of the list of services.
    pub(super) fn services_of(&self, who: &str) -> Vec<String> {
        let catalog = &self.dialogue.catalog;
        let all = catalog.services.iter().map(|service| service.name.clone());
        all.filter(|service| catalog.performs(who, service) == Some(true)).collect()
    }

    pub(super) fn ask_service(&mut self, who: &str) {
        let list = self.services_of(who);
        self.draft.push_line(Line::OnlyDoes { name: who.to_owned(), list });
    }

    /// "Tanto faz", "não sei", "sim" to the question which service: the usual one is proposed, with its name and price.
    pub(super) fn leaves_it_open(&self) -> bool {
        let said = &self.dialogue.utterance;
        let folded = balcao_language::normalize(&said.text);
        let words = ["sei", "sempre", "normal", "escolhe", "decide", "usual", "whatever"];
        self.dialogue.service_asked
            && (said.is(Act::AnyProfessional)
                || said.is(Act::AnyTime)
                || said.has_when()
                || agreement(&said.text) != Agreement::Unclear
                || self.dialogue.catalog.professional_in(&said.text) != Named::Nothing
                || words.iter().any(|word| balcao_language::contains_word(&folded, word)))
    }

    /// Whether words that the catalog does not have may be a service: no name, no general word, no exclamation.
    pub(super) fn may_be_service(&self, said: &str) -> bool {
        let who = &self.dialogue.who;
        let guest = who.guest.as_ref().and_then(|guest| guest.name.as_deref());
        let own =
            [self.facts.contact_name.as_deref(), who.own_name.as_deref(), self.dialogue.utterance.own_name.as_deref()];
        let named = |word: &str| {
            balcao_language::is_first_name(word)
                || own.into_iter().chain([guest]).flatten().any(|name| balcao_language::contains_word(name, word))
        };
        !says_nothing(said) && !balcao_language::tokens(said).iter().any(|token| named(&token.text))
    }
}
