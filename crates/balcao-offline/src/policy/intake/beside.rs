//! Topics beside the next session: a call for a person, questions, unknown names, and changes of booked sessions.

use balcao_language::{Agreement, agreement};

use super::super::{Answer, Decision, spoken::spoken_topic};
use super::{Intake, SHORT, Service, says_nothing};
use crate::catalog::Named;
use crate::nlu::Act;
use crate::results;
use crate::state::{Goal, Question, own_appointment};
use crate::words::Line;

impl Intake<'_> {
    /// Reports an unknown name to the customer, together with the list of professionals.
    pub(super) fn nobody_of_that_name(&self) -> Option<Line> {
        let dialogue = self.dialogue;
        let Named::Unknown(said) = dialogue.professional() else { return None };
        let now = matches!(dialogue.catalog.professional_in(&dialogue.utterance.text), Named::Unknown(_));
        let list = dialogue.catalog.professionals.clone();
        (now || dialogue.asked == Question::Professional).then_some(Line::NoSuchProfessional { said, list })
    }

    /// Another time, person or service after a booking, where nothing speaks for one more: that is a change, and the team's.
    pub(super) fn changes_what_is_booked(&self) -> Option<Line> {
        let (dialogue, said) = (self.dialogue, &self.dialogue.utterance);
        let what = dialogue.booked.clone().filter(|one| one.date.is_some_and(|date| date >= dialogue.today()))?;
        let folded = balcao_language::normalize(&said.text);
        let more = ["outro", "outra", "mais um", "mais uma", "tambem", "another", "also", "one more"];
        let one_more = said.is(Act::Book)
            || said.is(Act::Availability)
            || dialogue.who.guest.is_some()
            || more.iter().any(|words| balcao_language::contains_word(&folded, words));
        // "Quero sobrancelha sexta" behind a beard is another appointment.
        let another =
            matches!(dialogue.catalog.service_in(&said.text), Named::One(name) if Some(&name) != what.service.as_ref());
        let instead = ["vez", "inves", "lugar", "trocar", "troca", "muda", "mudar", "instead"];
        let one_more = one_more
            || another
                && said.is(Act::Want)
                && !instead.iter().any(|word| balcao_language::contains_word(&folded, word));
        let beside =
            [Act::Thanks, Act::Goodbye, Act::Prices, Act::Services, Act::Hours, Act::WhoWorks, Act::MyAppointments];
        let open = !matches!(dialogue.asked, Question::Nothing | Question::Human) || !dialogue.queue.is_empty();
        if one_more || open || !said.questions.is_empty() || beside.into_iter().any(|act| said.is(act)) {
            return None;
        }
        let short = balcao_language::tokens(&said.text).len() <= SHORT;
        let person = dialogue.catalog.professional_in(&said.text);
        let service = dialogue.catalog.service_in(&said.text);
        let touches = said.has_when()
            || short && !said.bare_times.is_empty()
            || matches!(person, Named::One(_) | Named::Several(_))
            || matches!(service, Named::One(_) | Named::Several(_));
        let same = said.days.iter().all(|day| Some(day.first) == what.date)
            && said.times.iter().all(|time| Some(*time) == what.time)
            && (person == Named::Nothing
                || matches!(&person, Named::One(name) if Some(name) == what.professional.as_ref()))
            && (service == Named::Nothing
                || matches!(&service, Named::One(name) if Some(name) == what.service.as_ref()));
        touches.then_some(if same { Line::HaveAlready { what } } else { Line::TeamChanges { what } })
    }

    /// Whether the last booking stands, as the customer's appointments tell. `None` while they are missing.
    pub(super) fn still_booked(&mut self) -> Option<bool> {
        let answer = self.draft.ask("get_appointment_history", &[]);
        if matches!(answer, Answer::Asked) {
            return None;
        }
        let id = self.dialogue.booked.as_ref().and_then(|one| one.id.clone());
        Some(self.dialogue.upcoming.iter().any(|one| one.id.is_some() && one.id == id))
    }

    /// Questions: own appointments, prices, and what the knowledge base tells. `None` if nothing was asked, or the booking goes on
    /// behind the answer.
    pub(super) fn questions(&mut self) -> Option<Decision> {
        let said = &self.dialogue.utterance;
        let plain = !said.has_when() && !said.is(Act::Book);
        let of_nothing =
            self.dialogue.catalog.service_in(&said.text) == Named::Nothing && self.dialogue.service() == Named::Nothing;
        let known = self.answered("get_professional_info").is_some_and(|info| info.code().is_none());
        if said.is(Act::Prices) && plain && of_nothing && known && spoken_topic(&said.text).is_none() {
            return Some(self.inform(&Service::Open));
        }
        if !self.answers() {
            return None;
        }
        // An open proposal is put again behind the answer, and a wish in the same message is gone on with.
        let offers_a_person = self.draft.lines.contains(&Line::NotKnown) || self.draft.lines.contains(&Line::CannotNow);
        let open = self.dialogue.asked == Question::Book || !plain && !said.is(Act::MyAppointments);
        (!open || offers_a_person || !self.draft.calls.is_empty()).then(|| Decision::Say(String::new()))
    }

    /// Answers what was asked, or looks it up. Whether anything was asked.
    pub(super) fn answers(&mut self) -> bool {
        let said = &self.dialogue.utterance;
        let before = (self.draft.lines.len(), self.draft.calls.len());
        let plain = !said.has_when() && !said.is(Act::Book);
        if said.is(Act::MyAppointments) {
            self.draft.appointments();
        }
        if said.is(Act::Prices) || plain && (said.is(Act::Offers) || said.is(Act::Services)) {
            self.draft.services();
        }
        for question in said.questions.iter().filter(|question| !says_nothing(question)) {
            self.draft.knowledge(question);
        }
        let asked = before != (self.draft.lines.len(), self.draft.calls.len());
        if asked {
            self.says_who_does_not();
        }
        asked
    }

    /// Behind the price of what the conversation's professional does not do: that, and who does.
    pub(super) fn says_who_does_not(&mut self) {
        let catalog = &self.dialogue.catalog;
        let info = self.answered("get_professional_info").filter(|info| info.code().is_none());
        let Some(who) = info.and_then(|info| results::text(&info.result, &["name"])) else { return };
        let told = self.draft.lines.iter().filter_map(|line| {
            let Line::Price { service, .. } = line else { return None };
            (catalog.performs(&who, service) == Some(false)).then(|| service.clone())
        });
        let mut told: Vec<String> = told.collect();
        told.dedup();
        for service in told {
            let list = catalog.performers(&service);
            self.draft.push_line(Line::DoesNotDo { name: who.clone(), service: service.clone() });
            self.draft.push_line(Line::Performers { service, list });
        }
    }

    /// Whether a person is to be called: asked for, accepted, or for what only a person does.
    pub(super) fn wants_a_person(&self) -> bool {
        let said = &self.dialogue.utterance;
        let accepted = super::super::accepts_a_person(self.dialogue);
        // "Melhor mudar pra 16h" about what is not booked yet is a change of mind.
        let changes = matches!(self.dialogue.goal, Goal::Cancel | Goal::Reschedule);
        let moves = (said.is(Act::Cancel) || said.is(Act::Reschedule)) && changes && !self.calls_it_off();
        accepted || moves || said.is(Act::Human)
    }

    /// "Cancela" or "não" to what was proposed, with no other day, name or person in it.
    pub(super) fn calls_it_off(&self) -> bool {
        let said = &self.dialogue.utterance;
        let proposed = self.dialogue.asked == Question::Book && !own_appointment(&said.text);
        let unsure = self.dialogue.asked == Question::Service && balcao_language::contains_word(&said.text, "sei");
        let declines = (said.is(Act::Refusal) || agreement(&said.text) == Agreement::No) && !unsure;
        let more = said.has_when()
            || !said.bare_times.is_empty()
            || said.own_name.is_some()
            || [Act::AnyProfessional, Act::AnyTime, Act::Later, Act::Sooner].into_iter().any(|act| said.is(act))
            || balcao_language::tokens(&said.text).iter().any(|token| balcao_language::is_relative(&token.text))
            || self.dialogue.catalog.professional_in(&said.text) != Named::Nothing
            || self.dialogue.catalog.service_in(&said.text) != Named::Nothing;
        (declines || said.is(Act::Cancel) && proposed) && !more
    }

    /// What is not about when and who: what we are, where, prices and hours, thanks, a refusal.
    pub(super) fn beside_the_booking(&mut self) -> Option<Decision> {
        let said = &self.dialogue.utterance;
        let plain = !said.has_when() && said.bare_times.is_empty();
        if said.is(Act::Identity) {
            return Some(Decision::Say(self.say(
                &format!("Sou o atendente automático da {}: um programa, não uma pessoa. Posso marcar a sua sessão. Se preferir, quer que eu chame alguém da equipe?", self.facts.organization),
                &format!("I am the automatic front desk of {}: a program, not a person. I can book your session. Or would you like me to call someone from the team?", self.facts.organization),
            )));
        }
        if let Some(address) = self.facts.address.clone().filter(|_| super::super::asks_where(&said.text)) {
            return Some(Decision::Say(self.line(Line::Address { address })));
        }
        if plain && self.asks_for_hours() {
            return Some(match self.answered("get_professional_info") {
                Some(_) => self.inform(&Service::Open),
                None => self.ask_info(),
            });
        }
        if self.calls_it_off() && self.dialogue.asked != Question::Nothing {
            return Some(Decision::Say(self.line(Line::NoProblem)));
        }
        let polite = said.is(Act::Thanks) || said.is(Act::Goodbye);
        // "Obrigado, até sexta" behind a booking.
        let leaves =
            self.dialogue.booked.is_some() && self.dialogue.asked == Question::Nothing && said.times.is_empty();
        if (plain || leaves && !said.is(Act::Book) && !said.is(Act::Availability))
            && polite
            && agreement(&said.text) != Agreement::Yes
        {
            return Some(Decision::Say(
                self.say("Por nada! Se precisar, é só chamar.", "You are welcome! Just call if you need us."),
            ));
        }
        let settled = self.dialogue.asked == Question::Nothing && self.dialogue.booked.is_some();
        if plain && settled && said.acts.is_empty() && agreement(&said.text) == Agreement::Yes {
            return Some(Decision::Say(self.line(Line::MoreHelp)));
        }
        // What was declined is not asked about again.
        let paused = !settled && self.dialogue.said == self.line(Line::NoProblem) && plain;
        paused.then(|| Decision::Say(self.line(Line::AskDay)))
    }
}
