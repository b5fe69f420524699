//! Whether a message agrees, judged strictly: a destructive call may hang on it.
//!
//! [`Agreement::Yes`] needs the whole message to consist of words of agreement and harmless filler. Anything that is not
//! recognised (a condition, a question mark, a date or time, a name, a "mas") makes it at most [`Agreement::Unclear`]; a
//! negation never gives Yes, and beside a yes it makes the message [`Agreement::Contested`]. [`agreement_about`] also knows
//! what was asked, so that "cancela" does not confirm a booking, and [`agreement_to`] the words of it, so that "sim, sexta às
//! 15h" agrees to Friday at three and to nothing else.

mod clauses;
#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

use clauses::{
    asked_how_we_are, asks_to_send, choice, courtesy_at, denied_coming, infinitive_of, objects, permitted_idiom,
    put_down, takes_visit, told_as_done, told_of_what_is,
};
pub(crate) use clauses::{is_own_act, may_ask_for_hours, puts_off};
use words::{
    ACKNOWLEDGING, AFFIRMING, ANSWERING, APPOINTMENT, BOOKING, CANCELLING, COMING, CONCEDING, DOUBLE_ENDED, NO_SIGNS,
    PERMISSIONS, PLEASE, REMINDING, RESCHEDULING, STANDING, SUITING, THANKS, UNSURE, UNTROUBLED, WAITING,
};
pub(crate) use words::{FILLER, GREETINGS, LATER, LEADS, NO, SALUTATIONS, SMALL, YES, YES_SIGNS};

use crate::{
    dates::{DateSpan, find_dates},
    detect::english,
    normalize::{Token, TokenKind, phrase_at, text_at, tokens},
    times::{TimeMatch, TimeReading, bare_hours, find_times},
};
use jiff::civil::Date;

/// What a message says to a yes/no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It agrees and says nothing else.
    Yes,
    /// It declines.
    No,
    /// It says something else, or more, that may still amount to agreement: "é o de quinta mesmo".
    Unclear,
    /// It agrees and declines at once ("deixa, vou sim"), asks back, or wants another deed: nobody may take it for
    /// agreement.
    Contested,
}

/// What the question was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Booking an appointment.
    Booking,
    /// Cancelling one.
    Cancelling,
    /// Moving one.
    Rescheduling,
    /// Putting them on a waiting list.
    Waiting,
    /// Reminding them of an appointment.
    Reminding,
    /// Something else, or unknown.
    Other,
}

/// Judges an answer to a question of unknown subject. Prefer [`agreement_about`] where the subject is known: here "pode
/// cancelar" counts as Yes whatever was asked.
#[must_use]
pub fn agreement(text: &str) -> Agreement {
    agreement_about(text, Asked::Other)
}

/// Judges an answer to a question about `asked`. A verb of another kind ("cancela" to "posso marcar?") is not a Yes.
#[must_use]
pub fn agreement_about(text: &str, asked: Asked) -> Agreement {
    tally(&squeezed(text), asked, None).verdict()
}

/// Judges an answer to a question about `asked` whose words, or those of the offer, are `about`. What stands there may be said
/// again: its days and times, by whatever words, and its names. Another day, time or name is another wish, and no Yes.
#[must_use]
pub fn agreement_to(text: &str, asked: Asked, about: &str, today: Date) -> Agreement {
    tally(&squeezed(text), asked, Some(&Repeated::find(text, about, today))).verdict()
}

/// True if a message says days, times and names of `about` and nothing else, as an answer to "que horas?" does.
#[must_use]
pub fn only_repeats(text: &str, asked: Asked, about: &str, today: Date) -> bool {
    let repeated = Repeated::find(text, about, today);
    let tally = tally(&squeezed(text), asked, Some(&repeated));
    !(tally.no || tally.other) && tally.repeats
}

/// True if a message agrees by words alone that say that something was heard or is good: "ok", "legal, obrigado", "👍". They answer a
/// question; behind a statement they wish for nothing.
#[must_use]
pub fn only_acknowledges(text: &str) -> bool {
    let all = squeezed(text);
    let mut index = 0;
    while index < all.len() {
        let (piece, len) = piece_at(&all, index, Asked::Booking);
        let is_sign = all.get(index).is_some_and(|token| token.kind == TokenKind::Mark);
        if piece == Piece::Deed || piece == Piece::Yes && !is_sign && phrase_at(&all, index, ACKNOWLEDGING).is_none() {
            return false;
        }
        index = index.saturating_add(len.max(1));
    }
    true
}

/// What a message names that says nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A person or a thing: it answers only a question which one.
    Thing,
    /// A day or a time.
    When,
}

/// What a message of a booking names of `about`, if it says nothing else: "sexta 15h", "com o Wesley". Beside it may stand grammar, a plea
/// or words of agreement. A greeting, thanks, praise or an exclamation says something else: "valeu, Wesley", "poxa, às 15h".
#[must_use]
pub fn names_only(text: &str, about: &str, today: Date) -> Option<Named> {
    let (all, repeated) = (squeezed(text), Repeated::find(text, about, today));
    let mut named = None;
    let mut index = 0;
    while index < all.len() {
        let len = match repeated.answer_at(&all, index) {
            Some(true) => {
                let is_when = all.get(index).is_some_and(|token| repeated.is_in_span(token));
                named = named.max(Some(if is_when { Named::When } else { Named::Thing }));
                1
            }
            Some(false) => 1,
            None => match (phrase_at(&all, index, BESIDE_NAMES), piece_at(&all, index, Asked::Booking)) {
                (Some(len), _) | (None, (Piece::Yes | Piece::Deed, len)) => len,
                (None, (Piece::Filler, len)) if is_beside_name(&all, index) => len,
                (None, _) => return None,
            },
        };
        if joins_question(&all, index, &repeated) {
            return None;
        }
        index = index.saturating_add(len.max(1));
    }
    named
}

/// Whether what stands at `index` may stand beside a name that answers a question: a mark, a plea, a copula that begins the answer.
fn is_beside_name(tokens: &[Token], index: usize) -> bool {
    let is_mark = tokens.get(index).is_some_and(|token| token.kind == TokenKind::Mark);
    is_mark || index == 0 && text_at(tokens, index) == IS || phrase_at(tokens, index, PLEASE).is_some()
}

/// Grammar beside a name that answers a question.
const BESIDE_NAMES: &[&str] = &[
    "entao",
    "mesmo",
    "msm",
    "esse mesmo",
    "pra mim",
    "para mim",
    "por mim",
    "for me",
    "prefiro",
    "fica melhor",
    "eh melhor",
    "melhor",
];

/// True if a message says a day, a time or a name of `about` again, whatever else it says.
#[must_use]
pub fn repeats(text: &str, about: &str, today: Date) -> bool {
    let (repeated, all) = (Repeated::find(text, about, today), tokens(text));
    (0..all.len()).any(|index| repeated.says_again(&all, index))
}

fn tally(tokens: &[Token], asked: Asked, repeated: Option<&Repeated>) -> Tally {
    let mut tally = Tally {
        ends: ends(asked),
        needs_more: ends(asked) || matches!(asked, Asked::Reminding | Asked::Waiting),
        ..Tally::default()
    };
    let is = |phrases: &[&str], index: usize| phrase_at(tokens, index, phrases).is_some();
    let mut index = 0;
    while index < tokens.len() {
        let said_again = repeated.and_then(|repeated| repeated.answer_at(tokens, index));
        tally.repeats |= said_again == Some(true);
        let (piece, len) = match said_again {
            // "Fico com o Wesley" keeps what the deed would end.
            Some(false) if ends(asked) && COMING.contains(&text_at(tokens, index)) => (Piece::Unknown, 1),
            Some(_) => (Piece::Filler, 1),
            None => piece_at(tokens, index, asked),
        };
        let joins = repeated.is_some_and(|repeated| joins_question(tokens, index, repeated));
        let (piece, len) = if joins { (Piece::Question, 1) } else { (piece, len) };
        let is_when = |at: usize| {
            repeated.is_some_and(|repeated| tokens.get(at).is_some_and(|token| repeated.is_in_span(token)))
                || phrase_at(tokens, at, LATER).is_some()
        };
        let piece = if piece == Piece::Yes && puts_off(tokens, index, is_when) { Piece::Unknown } else { piece };
        tally.names |= said_again == Some(true) || piece == Piece::Filler && is(APPOINTMENT, index);
        // "Ok, sexta às 15h" may keep the visit that the question would cancel, where "sim" answers it.
        tally.plain |= piece == Piece::Yes
            && if asked == Asked::Cancelling {
                // "Pode ser sexta" only begins with an answer.
                phrase_at(tokens, index, ANSWERING) == Some(len)
            } else {
                !is(AFFIRMING, index)
            };
        tally.confirms |=
            piece == Piece::Yes && tokens.iter().skip(index).take(len).any(|token| token.text.starts_with("confirm"));
        tally.pleads |= piece == Piece::Filler && is(PLEASE, index);
        tally.thanks |= piece == Piece::Filler && is(THANKS, index);
        tally.concedes |= piece == Piece::Yes && is(UNTROUBLED, index);
        tally.settles |= matches!(piece, Piece::Yes | Piece::Deed) && !is(CONCEDING, index);
        tally.count(piece);
        index = index.saturating_add(len.max(1));
    }
    tally
}

/// Whether "e" joins a question to what stands before it, or begins one: "e o Wesley", "ok, e às 16h".
fn joins_question(tokens: &[Token], index: usize, repeated: &Repeated) -> bool {
    let next = index.saturating_add(1);
    let leads = || {
        SMALL.contains(&text_at(tokens, next))
            || repeated.says_again(tokens, next)
            || phrase_at(tokens, next, APPOINTMENT).is_some()
    };
    let begins = || {
        let Some(before) = index.checked_sub(1) else { return true };
        let is_mark = tokens.get(before).is_some_and(|token| token.kind == TokenKind::Mark);
        is_mark || !repeated.says_again(tokens, before) && !SMALL.contains(&text_at(tokens, before))
    };
    text_at(tokens, index) == "e" && leads() && begins()
}

/// The parts of an answer that repeat what it answers.
pub(crate) struct Repeated {
    /// Places of its days and times that stand in the offer, too.
    spans: Vec<(usize, usize)>,
    /// The words of the offer.
    words: Vec<String>,
    /// "No" is "in the" only in Portuguese.
    english: bool,
}

/// So many small words may lead to what is said again: "pro dia", "com a".
const LEADING: usize = 4;

impl Repeated {
    pub(crate) fn find(text: &str, about: &str, today: Date) -> Self {
        let days = |text: &str| -> Vec<(DateSpan, (usize, usize))> {
            let found = find_dates(text, today).into_iter();
            found.filter_map(|found| Some((found.reading.ok()?, (found.start, found.end)))).collect()
        };
        let offered_days = days(about);
        let times = |text: &str| -> Vec<TimeMatch> { bare_hours(text).into_iter().chain(find_times(text)).collect() };
        let offered_times = times(about);
        let is_offered = |day: &DateSpan| offered_days.iter().any(|(offered, _)| offered == day);
        let same_days = days(text).into_iter().filter(|(day, _)| is_offered(day)).map(|(_, span)| span);
        let same = |said: &TimeMatch| offered_times.iter().any(|offered| same_time(offered.reading, said.reading));
        let same_times = times(text).into_iter().filter(same).map(|found| (found.start, found.end));
        // A preposition of the offer says nothing again by itself: "para com isso".
        let is_named = |token: &Token| token.text.len() >= 3 && !SMALL.contains(&token.text.as_str());
        let named = tokens(about).into_iter().filter(|token| token.kind == TokenKind::Word && is_named(token));
        Self {
            spans: same_days.chain(same_times).collect(),
            words: named.map(|token| token.text).collect(),
            english: english(text) == Some(true),
        }
    }

    /// Whether the token is said again; `Some(false)`: a small word that leads to what is.
    pub(crate) fn answer_at(&self, tokens: &[Token], index: usize) -> Option<bool> {
        if self.says_again(tokens, index) {
            return Some(true);
        }
        let small = |index: &usize| SMALL.contains(&text_at(tokens, *index));
        if !small(&index) || self.english && text_at(tokens, index) == "no" {
            return None;
        }
        let next =
            (index..=index.saturating_add(LEADING)).find(|index| !small(index) || self.says_again(tokens, *index))?;
        self.says_again(tokens, next).then_some(false)
    }

    fn is_in_span(&self, token: &Token) -> bool {
        self.spans.iter().any(|(start, end)| token.start >= *start && token.end <= *end)
    }

    fn says_again(&self, tokens: &[Token], index: usize) -> bool {
        let Some(token) = tokens.get(index) else { return false };
        if self.is_in_span(token) {
            return true;
        }
        let listed = |phrases: &[&str]| phrase_at(tokens, index, phrases).is_some();
        let verb = [BOOKING, CANCELLING, RESCHEDULING].iter().any(|verbs| verbs.contains(&token.text.as_str()));
        // A word of agreement or refusal counts as that, wherever else it stands.
        token.kind == TokenKind::Word
            && self.words.contains(&token.text)
            && !verb
            && !listed(NO)
            && !listed(YES)
            && !listed(LEADS)
    }
}

/// Whether a time that was said is one that was offered: "de tarde" is for three o'clock.
fn same_time(offered: TimeReading, said: TimeReading) -> bool {
    match (offered, said) {
        (TimeReading::At { time: offered, .. }, TimeReading::At { time: said, .. }) => offered == said,
        (TimeReading::At { time, .. }, TimeReading::Window(window)) => window.contains(time),
        (TimeReading::Window(offered), TimeReading::Window(said)) => offered == said,
        (TimeReading::Window(_), TimeReading::At { .. }) => false,
    }
}

/// Which way an answer leans: what its first word of agreement or refusal says, whatever else stands there. `None`: neither.
///
/// For answers that nothing hangs on, such as a field of a form. A confirmation asks [`agreement_about`]: "acho que sim"
/// leans to yes and confirms nothing.
#[must_use]
pub fn leans_to(text: &str) -> Option<bool> {
    let tokens = squeezed(text);
    let mut index = 0;
    while index < tokens.len() {
        let (piece, len) = piece_at(&tokens, index, Asked::Other);
        match piece {
            Piece::Yes => return Some(true),
            Piece::No => return Some(false),
            Piece::Deed | Piece::OtherDeed | Piece::Filler | Piece::Question | Piece::Unknown => {}
        }
        index = index.saturating_add(len.max(1));
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Agreement by itself.
    Yes,
    /// A verb that agrees if it is the one that was asked about: alone it counts only where the question is known.
    Deed,
    /// A verb of another kind than the one that was asked about.
    OtherDeed,
    /// A refusal.
    No,
    /// Harmless.
    Filler,
    /// A question mark: the message asks back.
    Question,
    /// Anything else.
    Unknown,
}

#[derive(Debug, Default)]
struct Tally {
    first: Option<Piece>,
    yes: bool,
    deed: bool,
    no: bool,
    other: bool,
    /// It says something of the offer again.
    repeats: bool,
    /// The deed that was asked about ends or changes what stands.
    ends: bool,
    /// That nothing is amiss does not ask for the deed that was asked about.
    needs_more: bool,
    /// It names the appointment, or says something of the question again.
    names: bool,
    /// A word agrees even beside the appointment's day and time.
    plain: bool,
    /// It confirms: "pode confirmar meu horário" keeps what the question would end.
    confirms: bool,
    /// It thanks.
    thanks: bool,
    /// A word of agreement is of no kind that also closes a conversation.
    settles: bool,
    /// It says by a word that also closes a conversation that nothing is amiss.
    concedes: bool,
    /// It says "por favor".
    pleads: bool,
    /// It asks back, or names another deed than the one that was asked about.
    astray: bool,
}

impl Tally {
    fn count(&mut self, piece: Piece) {
        if piece != Piece::Filler && self.first.is_none() {
            self.first = Some(piece);
        }
        match piece {
            Piece::Yes => self.yes = true,
            Piece::Deed => self.deed = true,
            Piece::No => self.no = true,
            Piece::OtherDeed | Piece::Question => (self.other, self.astray) = (true, true),
            Piece::Unknown => self.other = true,
            Piece::Filler => {}
        }
    }

    fn verdict(&self) -> Agreement {
        // "Por favor" alone asks us to go on; beside anything else it is a courtesy.
        let goes_on = self.pleads && self.first.is_none() && !self.names;
        let agrees = self.yes || self.deed || goes_on;
        // "Tudo bem, obrigado" may also close the conversation, and "de boa" may mean that nothing need end.
        let closes = (self.thanks || self.needs_more && self.concedes) && !self.settles && !goes_on;
        // "Quero meu horário" wants what the deed would end.
        let keeps = self.ends && self.names && !self.deed && (self.confirms || !self.plain);
        if self.no {
            // "Não, pode cancelar" contradicts itself: only a refusal without any agreement is a No.
            let declines = !agrees && (self.first == Some(Piece::No) || !self.other);
            return match (declines, agrees) {
                (true, _) => Agreement::No,
                (false, true) => Agreement::Contested,
                (false, false) => Agreement::Unclear,
            };
        }
        match (agrees, self.other || keeps || closes) {
            (true, false) => Agreement::Yes,
            (false, _) if self.astray => Agreement::Contested,
            (true, true) | (false, _) => Agreement::Unclear,
        }
    }
}

/// "É", which without its accent is the word that joins.
const IS: &str = "eh";

/// The tokens with stretched words shortened: "siiim" is "sim", "okk" is "ok".
///
/// Three equal letters become one, and so do two at a word's end; two inside of it, where that makes a word of agreement.
fn squeezed(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        if token.text == "e"
            && text.get(token.start..token.end).is_some_and(|written| !written.eq_ignore_ascii_case("e"))
        {
            IS.clone_into(&mut token.text);
        }
        if DOUBLE_ENDED.contains(&token.text.as_str()) {
            continue;
        }
        let chars: Vec<char> = token.text.chars().collect();
        let mut short = String::with_capacity(token.text.len());
        let mut done = 0;
        for run in chars.chunk_by(|a, b| a == b) {
            done = run.len().saturating_add(done);
            let kept = if run.len() == 2 && done < chars.len() { 2 } else { 1 };
            short.extend(run.iter().take(kept));
        }
        let known = |word: &str| YES.contains(&word) || LEADS.contains(&word);
        let shorter: String = chars.chunk_by(|a, b| a == b).filter_map(|run| run.first()).collect();
        token.text = if known(&shorter) && !known(&short) { shorter } else { short };
    }
    all
}

fn piece_at(tokens: &[Token], index: usize, asked: Asked) -> (Piece, usize) {
    if let Some(len) = phrase_at(tokens, index, UNSURE).or_else(|| told_as_done(tokens, index, &[YES, BOOKING])) {
        return (Piece::Unknown, len);
    }
    if let Some(len) = told_of_what_is(tokens, index) {
        return (Piece::Unknown, len);
    }
    if may_ask_for_hours(tokens, index) {
        return (Piece::Unknown, 1);
    }
    if let Some(len) = asked_how_we_are(tokens, index) {
        return (Piece::Filler, len);
    }
    let suits = asked == Asked::Rescheduling && phrase_at(tokens, index, SUITING).is_some();
    if let Some(len) = phrase_at(tokens, index, STANDING).filter(|_| ends(asked) && !suits) {
        return (Piece::Unknown, len);
    }
    let reminds = asked == Asked::Reminding;
    if let Some(len) = courtesy_at(tokens, index, ends(asked)) {
        return (Piece::Filler, len);
    }
    if let Some(len) = denied_coming(tokens, index).filter(|_| asked == Asked::Cancelling) {
        return (Piece::Filler, len);
    }
    if let Some(len) = takes_visit(tokens, index).filter(|_| asked == Asked::Booking) {
        return (Piece::Yes, len);
    }
    if let Some(len) = phrase_at(tokens, index, NO) {
        return (Piece::No, len);
    }
    if let Some(len) = permitted_idiom(tokens, index) {
        return (Piece::Yes, len);
    }
    if let Some(len) = choice(tokens, index) {
        // Who chooses what stands does not agree to end it.
        return (if ends(asked) { Piece::Unknown } else { Piece::Yes }, len);
    }
    // What else than a reminder is sent is asked for; "manda marcar" orders the deed.
    let sending = asks_to_send(tokens, index, reminds).map(|len| (Piece::Unknown, len));
    let deed = deed_at(tokens, index, asked);
    if let Some(found) = if reminds { sending.or(deed) } else { deed.or(sending) } {
        return found;
    }
    // "Fechadíssimo" agrees as "fechado" does.
    let plain_form = || Some(format!("{}o", text_at(tokens, index).strip_suffix("issimo")?));
    if let Some(len) =
        phrase_at(tokens, index, YES).or_else(|| plain_form().filter(|word| YES.contains(&word.as_str())).map(|_| 1))
    {
        return (Piece::Yes, len);
    }
    if let Some(len) = phrase_at(tokens, index, FILLER) {
        return (Piece::Filler, len);
    }
    let text = text_at(tokens, index);
    let piece = match tokens.get(index).map(|token| token.kind) {
        Some(TokenKind::Mark) if text == "?" => Piece::Question,
        Some(TokenKind::Mark) if YES_SIGNS.contains(&text) => Piece::Yes,
        Some(TokenKind::Mark) if NO_SIGNS.contains(&text) => Piece::No,
        // Who is sorry to cancel cancels.
        Some(TokenKind::Mark) if asked == Asked::Cancelling && SORRY_SIGNS.contains(&text) => Piece::Filler,
        Some(TokenKind::Mark) if UNSURE_SIGNS.contains(&text) || quotes(tokens, index) => Piece::Unknown,
        Some(TokenKind::Mark) => Piece::Filler,
        _ => Piece::Unknown,
    };
    (piece, 1)
}

/// Whether a deed ends or changes an appointment that stands.
const fn ends(asked: Asked) -> bool {
    matches!(asked, Asked::Cancelling | Asked::Rescheduling)
}

/// "Pode marcar", "quero cancelar sim", "marca meu nome", "pode ir marcando": the verb, what leads it, and the customer as its object.
fn deed_at(tokens: &[Token], index: usize, asked: Asked) -> Option<(Piece, usize)> {
    let lead = phrase_at(tokens, index, LEADS).unwrap_or(0);
    let verb = text_at(tokens, index.saturating_add(lead));
    let gerund = || infinitive_of(verb).filter(|_| lead > 0).and_then(|verb| kind_of(&verb, asked));
    let (kind, mut len) = match kind_of(verb, asked).or_else(gerund) {
        Some(kind) => (kind, lead.saturating_add(1)),
        // Putting is a word of moving, too, so there it says nothing of its own.
        None if asked == Asked::Rescheduling || asked == Asked::Reminding => return None,
        None => (if asked == Asked::Waiting { asked } else { Asked::Booking }, put_down(tokens, index)?),
    };
    if matches!(kind, Asked::Booking | Asked::Waiting) && !ends(asked) {
        len = len.saturating_add(objects(tokens, index.saturating_add(len)));
    }
    let permitted = lead > 0 && PERMISSIONS.contains(&text_at(tokens, index));
    let piece = match asked {
        Asked::Other if permitted => Piece::Yes,
        // Alone it may be a new request; beside a "sim" it is part of the answer.
        Asked::Other if lead == 0 && kind == Asked::Booking => Piece::Yes,
        Asked::Other => Piece::Filler,
        _ if kind == asked => Piece::Deed,
        // "Pode marcar" agrees to the new time of a move.
        Asked::Rescheduling if kind == Asked::Booking => Piece::Deed,
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling | Asked::Waiting | Asked::Reminding => {
            Piece::OtherDeed
        }
    };
    Some((piece, len))
}

/// Which deed a verb names: the one that was asked about, if that is one of its readings.
pub(crate) fn kind_of(verb: &str, asked: Asked) -> Option<Asked> {
    let kinds = [
        (Asked::Booking, BOOKING),
        (Asked::Cancelling, CANCELLING),
        (Asked::Rescheduling, RESCHEDULING),
        (Asked::Waiting, WAITING),
        (Asked::Reminding, REMINDING),
    ];
    let named = |(_, verbs): &&(Asked, &[&str])| verbs.contains(&verb);
    // What only waiting lists and reminders say is no word of the other three.
    let own = kinds.iter().filter(named).find(|(kind, _)| *kind == asked);
    own.or_else(|| kinds.iter().take(3).find(named)).map(|(kind, _)| *kind)
}

/// Whether a mark quotes, so that another person says what stands there. Inside a word it shortens: "let's".
fn quotes(tokens: &[Token], index: usize) -> bool {
    let is_word =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.kind == TokenKind::Word);
    let is_glued = |at: usize| tokens.get(at).is_some_and(|token| token.glued);
    let next = index.saturating_add(1);
    let is_inside = is_word(index.checked_sub(1)) && is_word(Some(next)) && is_glued(index) && is_glued(next);
    ["'", "`"].contains(&text_at(tokens, index)) && !is_inside
}

/// Signs of regret.
const SORRY_SIGNS: [&str; 6] = ["😢", "😭", "😔", "😞", "😅", "😥"];

/// A quotation mark quotes: what stands there, another person says.
const UNSURE_SIGNS: [&str; 18] =
    ["\"", "🤔", "😕", "😒", "🤷", "😐", "🙄", "😬", "😭", "😢", "😠", "😡", "🤨", "😅", "/", "%", "$", "~"];

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "agreement_answers_tests.rs"]
mod answers_tests;
