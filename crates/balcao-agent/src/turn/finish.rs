//! How a turn ends: cleaned, proven words, or a person.

use balcao_llm::Message;
use balcao_tool::Receipt;

use crate::record::CleaningRecord;
use crate::{
    handoff::{self, HandoffReason, NoteFacts},
    history::is_read,
    notice::{fill, notices},
    prompt,
    reply_checks::claims::{self, ClaimVerdict, Evidence, UngroundedValue},
    reply_checks::sanitise::{Reply, Verdict},
    turn::{Ending, Phase, RequestKind, Turn, consent, state::PendingConfirmation},
};

impl Turn {
    /// The model's final text: cleaned, held against the receipts, sent; else worded once more; else a person.
    pub(super) fn on_text(&mut self, text: &str) {
        match self.clean(text) {
            Verdict::Send(clean) => self.on_clean_text(clean),
            Verdict::Retry(reason) if !self.state.retried.leak => {
                self.state.retried.leak = true;
                self.state.phase = Phase::AwaitingModel { want: RequestKind::Correction(reason) };
            }
            Verdict::Retry(_) | Verdict::Block(_) => self.hand_off(HandoffReason::Unreadable),
        }
    }

    pub(super) fn clean(&mut self, text: &str) -> Verdict {
        let cleaned = self.setup.sanitiser.clean(text);
        let word = match &cleaned.verdict {
            Verdict::Send(_) => "send".to_owned(),
            Verdict::Retry(reason) => format!("retry: {reason}"),
            Verdict::Block(reason) => format!("block: {reason}"),
        };
        if !cleaned.removed.is_empty() || !matches!(cleaned.verdict, Verdict::Send(_)) {
            self.state.cleanings.push(CleaningRecord { verdict: word, removed: cleaned.removed });
        }
        cleaned.verdict
    }

    fn on_clean_text(&mut self, text: String) {
        let evidence = self.evidence();
        let want = match claims::check(&text, &evidence) {
            ClaimVerdict::Proven => match claims::find_ungrounded(&text, &evidence, self.sources(), self.proof()) {
                None => return self.reply(text),
                Some(figure) => self.figure_again(figure),
            },
            ClaimVerdict::Unproven(facts) => RequestKind::Correction(facts),
        };
        if !self.state.retried.claim {
            self.state.retried.claim = true;
            self.state.phase = Phase::AwaitingModel { want };
            return;
        }
        match claims::fixed_sentence(&evidence) {
            Some(sentence) => self.reply(sentence),
            None => self.hand_off(HandoffReason::FalseClaim),
        }
    }

    /// What is asked for after a figure from nowhere: to look it up, or, where no round is left for that, other words.
    fn figure_again(&self, figure: UngroundedValue) -> RequestKind {
        let why = prompt::invented(figure, self.state.principal.locale);
        let can_look_up =
            matches!(self.state.phase, Phase::AwaitingModel { want: RequestKind::Step | RequestKind::LookUp(_) });
        if can_look_up { RequestKind::LookUp(why) } else { RequestKind::Correction(why) }
    }

    /// Everything that a figure may come from: what was said and what tools returned, in this turn and in those before, the
    /// newest first. Of the time before the business changed, only the customer's words, what effects did, and the question that waits
    /// for an answer count.
    fn sources(&self) -> impl Iterator<Item = &str> {
        let history = &self.setup.history;
        let earlier = history.messages.iter().enumerate().map(|(place, message)| (message, place < history.outdated));
        let asked = self.state.pending_confirmation.iter().map(|held| held.question.as_str());
        let messages = self.state.transcript.iter().map(|message| (message, false)).rev().chain(earlier.rev());
        let told = messages.map(|(message, is_outdated)| match message {
            // What stands beside calls was not checked, and usually not sent: it proves nothing.
            Message::Assistant { tool_calls, .. } if !tool_calls.is_empty() => "",
            Message::Assistant { .. } if is_outdated => "",
            Message::ToolResult { name, .. } if is_outdated && is_read(&self.setup.toolbox, name) => "",
            Message::User { text } | Message::Assistant { text, .. } => text.as_str(),
            Message::ToolResult { content, .. } => content.as_str(),
        });
        told.chain(asked)
    }

    /// What of the prompt may prove a figure.
    fn proof(&self) -> &str {
        self.setup.proof.as_deref().unwrap_or(&self.setup.system)
    }

    /// What the words of this turn may rest on.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let receipts: Vec<Receipt> =
            self.state.calls.iter().flat_map(|call| call.result.receipts.iter().cloned()).collect();
        let principal = &self.state.principal;
        let (locale, staff_facing) = (principal.locale, principal.staff_facing);
        Evidence { receipts, today: self.state.now.date(), locale, staff_facing }
    }

    fn reply(&mut self, text: String) {
        let mut text = text;
        let puts = |held: &PendingConfirmation| {
            let deed = self.setup.toolbox.get(&held.tool).and_then(|tool| tool.spec.act).and_then(consent::deed);
            let (talk, question) = (self.talk(), &held.question);
            (
                consent::puts_question(&text, question, deed, &talk),
                held.asked_again && !consent::goes_on_about(&text, question, deed, &talk),
            )
        };
        match self.state.pending_confirmation.as_ref().map(|held| (held.question.clone(), puts(held))) {
            // A question that is put again gives way to what the talk has gone on to.
            Some((_, (_, true))) => self.state.pending_confirmation = None,
            // Consent must be informed: the question that the customer answers next is always asked, whatever the model wrote.
            Some((question, (false, false))) => {
                let said = consent::without_rival(&text, &self.talk()).to_owned();
                text = if said.is_empty() { question } else { format!("{said}\n\n{question}") };
            }
            Some((_, (true, false))) | None => {}
        }
        // What was said on the way must be as true as the end: only now is it known what came of the calls.
        let evidence = self.evidence();
        let proven = |said: &&String| {
            claims::check(said, &evidence) == ClaimVerdict::Proven
                && claims::find_ungrounded(said, &evidence, self.sources(), self.proof()).is_none()
        };
        let interim: Vec<&str> = self.state.interim.iter().filter(proven).map(String::as_str).collect();
        if !interim.is_empty() {
            text = format!("{}\n\n{text}", interim.join("\n\n"));
        }
        self.state.transcript.push(Message::Assistant { text: text.clone(), tool_calls: Vec::new() });
        self.end(Ending::Reply { reply: Reply::checked(text) });
    }

    pub(super) fn hand_off(&mut self, reason: HandoffReason) {
        self.hand_off_saying(reason, None);
    }

    /// Ends the turn with a handoff. `words` replace the notice, where a profile gives them.
    pub(super) fn hand_off_saying(&mut self, reason: HandoffReason, words: Option<&str>) {
        let notices = notices(self.state.principal.locale);
        let fallback = self.setup.profile.fallback_message.as_deref().unwrap_or(&notices.fallback);
        let notice = words.unwrap_or(if matches!(reason, HandoffReason::Uncertain(_)) {
            &notices.uncertain
        } else if reason.is_failure() {
            fallback
        } else {
            &notices.handoff
        });
        let text = match &self.setup.team_returns_at {
            Some(when) => format!("{notice} {}", fill(&notices.team_back, "when", when)),
            None => notice.to_owned(),
        };
        let note = handoff::note(&NoteFacts {
            locale: self.state.principal.locale,
            reason: &reason,
            contact_name: self.setup.contact.name.as_deref(),
            contact_phone: self.setup.contact.phone.as_deref(),
            calls: &self.state.calls,
            failures: self.state.breaker.failures(),
            memory: &self.state.memory,
            last_request: &self.state.inbound,
            turn: self.state.principal.turn,
        });
        self.state.pending_confirmation = None; // nobody is there to carry it out
        self.state.transcript.push(Message::Assistant { text: text.clone(), tool_calls: Vec::new() });
        self.end(Ending::Handoff { reason, reply: Reply::written(&text), note });
    }
}
