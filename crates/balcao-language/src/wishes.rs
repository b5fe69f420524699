//! Whether a message asks for a deed, judged by its build and not by its topic.
//!
//! A request is a verb of the deed that speaks to us: an imperative or bare infinitive that begins a clause ("marca sexta"),
//! or one behind a permission or a wish ("pode marcar", "quero cancelar", "I want to book"). A wish for a thing asks for a
//! booking if the thing is what gets booked: a service, a person, a day or a time ("quero um corte"), not its price. A verb
//! behind an article, or before "de", is a noun ("a agenda de sexta"). A request stands only if nothing in the message leaves
//! it open: a negation, a condition that is not ours to check, a doubt, a "but", a question, words that another person said,
//! or a verb that supposes ("se eu quisesse", "daria"). What is left open names the deed and asks for nothing: the program
//! asks first.
//!
//! The lists are closed classes of the languages (negations, conjunctions, question words, modal verbs) and the verbs of the
//! deeds; services and people are the caller's.

#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

use words::{
    ADDRESSEE, ADVERSATIVES, ASKING, COPULAS, DAYS, DEFINITE, DETERMINERS, EXCLUDING, LEAVING, MATTERS, MOVED,
    NAMES_OF_WAITING, OBJECTS_OF_REMINDERS, OFFERED_WAITING, OTHERS, QUESTIONS, REPORTS, SHORTHAND, STEMS, TELLING,
    THEN, TOWARDS,
};
pub(crate) use words::{
    AVAILABLE, CONDITIONS, COURTESY, DOUBTS, LIGHT_VERBS, NEGATIONS, OBJECTS_OF_BOOKING, OBJECTS_OF_WAITING,
    PARTS_OF_THE_DAY, SUPPOSED, TAGS, WISHES,
};

use crate::{
    agreement::{Asked, GREETINGS, LATER, LEADS, SMALL, is_own_act, kind_of, may_ask_for_hours, puts_off},
    dates::weekday_named,
    detect::english,
    first_names::is_first_name,
    normalize::{Token, TokenKind, before, normalize, phrase_at, text_at, tokens},
    people::{THIRD_PERSON, is_relative},
    times::find_times,
};

/// What a message says of a deed, the more the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// Nothing.
    Absent,
    /// It speaks of it, and asks for nothing.
    Spoken,
    /// It asks for it, and leaves open whether it is wanted now.
    Open,
    /// It asks for it.
    Asked,
}

/// What a message of the customer says of a deed. `things`: names of what would be booked, such as its service and its
/// professional; a word counts that shares its first four letters with one of theirs, as "cortar" does with "Corte".
#[must_use]
pub fn wish_for(text: &str, deed: Asked, things: &[&str]) -> Wish {
    let all = written_out(tokens(text));
    let clauses = clauses(text, &all);
    let bookable = Bookable::find(text, things);
    let requested = match deed {
        Asked::Waiting => asks_for_thing(&clauses, deed, OBJECTS_OF_WAITING, &bookable),
        Asked::Reminding => asks_for_thing(&clauses, deed, OBJECTS_OF_REMINDERS, &bookable),
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling | Asked::Other => {
            clauses.iter().any(|clause| requests(clause, deed, &bookable))
        }
    };
    if requested {
        let is_open = leaves_open(text, &all, &clauses, deed) || is_put_off(text) || is_preceded(&all, deed);
        return if is_open { Wish::Open } else { Wish::Asked };
    }
    let wishes = deed == Asked::Booking && (0..all.len()).any(|index| phrase_at(&all, index, WISHES).is_some());
    if wishes || speaks_of(&all, deed) { Wish::Spoken } else { Wish::Absent }
}

/// Whether a message says that its writer will agree, answer or ask another person later: "amanhã eu confirmo", "vou ver com ela". The same
/// rule judges answers.
#[must_use]
pub fn is_put_off(text: &str) -> bool {
    let all = written_out(tokens(text));
    let times = find_times(text);
    // "Depois" alone puts off, too.
    if !all.is_empty()
        && (0..all.len()).all(|index| {
            all.get(index).is_some_and(|token| token.kind == TokenKind::Mark) || phrase_at(&all, index, LATER).is_some()
        })
    {
        return true;
    }
    let is_when = |index: usize| {
        all.get(index).is_some_and(|token| {
            is_day(&token.text)
                || phrase_at(&all, index, LATER).is_some()
                || times.iter().any(|time| token.start >= time.start && token.end <= time.end)
        })
    };
    (0..all.len()).any(|index| puts_off(&all, index, is_when))
}

/// Whether an act of the customer's own comes first, and the deed behind it: "vou pagar ele e aí marca".
fn is_preceded(all: &[Token], deed: Asked) -> bool {
    let own = |index: usize| {
        is_own_act(all, index)
            && !(index..index.saturating_add(4)).any(|at| kind_of(text_at(all, at), deed) == Some(deed))
    };
    let then = |index: usize| phrase_at(all, index, THEN).is_some();
    (0..all.len()).find(|index| own(*index)).is_some_and(|own| (own.saturating_add(2)..all.len()).any(then))
}

/// The tokens with the shorthand of chats written out, and stretched letters once: "qnd" is "quando", "nãaao" is "não".
pub(crate) fn written_out(mut all: Vec<Token>) -> Vec<Token> {
    for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        if let Some((_, whole)) = SHORTHAND.iter().find(|(short, _)| *short == token.text) {
            token.text = (*whole).to_owned();
        }
        let chars: Vec<char> = token.text.chars().collect();
        if chars.chunk_by(|a, b| a == b).any(|run| run.len() > 2) {
            token.text = chars.chunk_by(|a, b| a == b).filter_map(|run| run.first()).collect();
        }
    }
    all
}

/// True if a text of ours has a verb or noun of the deed itself: "Posso cancelar o seu horário?" is of cancelling, not of booking.
#[must_use]
pub fn mentions(text: &str, deed: Asked) -> bool {
    let all = tokens(text);
    let objects = match deed {
        Asked::Waiting => OFFERED_WAITING,
        Asked::Rescheduling => MOVED,
        Asked::Booking | Asked::Cancelling | Asked::Reminding | Asked::Other => &[],
    };
    let stems = STEMS.iter().find(|(of, _, _)| *of == deed).map_or(&[][..], |(_, stems, _)| *stems);
    (0..all.len()).any(|index| {
        let word = text_at(&all, index);
        // What stands in both is no word of the deed alone.
        let own = deed != Asked::Waiting && stems.iter().any(|stem| word.starts_with(stem));
        own || phrase_at(&all, index, objects).is_some()
    })
}

fn speaks_of(all: &[Token], deed: Asked) -> bool {
    let stems = STEMS.iter().find(|(of, _, _)| *of == deed);
    let Some((_, stems, phrases)) = stems else { return false };
    (0..all.len()).any(|index| {
        let word = text_at(all, index);
        stems.iter().any(|stem| word.starts_with(stem)) || phrase_at(all, index, phrases).is_some()
    })
}

/// The clauses of a text: what marks and joining words part.
fn clauses<'a>(text: &str, all: &'a [Token]) -> Vec<&'a [Token]> {
    let parts = all.split(|token| {
        let mark = token.kind == TokenKind::Mark && ![":", "/", "-", "'"].contains(&token.text.as_str());
        // "É" joins nothing.
        let is = text.get(token.start..token.end).is_some_and(|written| ["é", "É"].contains(&written));
        mark || ["e", "mas", "and", "but", "entao"].contains(&token.text.as_str()) && !is
    });
    parts.filter(|clause| !clause.is_empty()).collect()
}

/// Where a clause's own words begin: behind greetings and the like.
fn start_of(clause: &[Token]) -> usize {
    (0..clause.len()).find(|index| phrase_at(clause, *index, COURTESY).is_none()).unwrap_or(clause.len())
}

/// True if a clause asks us for the deed.
fn requests(clause: &[Token], deed: Asked, bookable: &Bookable) -> bool {
    let asks = |verb: usize| {
        let named = kind_of(text_at(clause, verb), deed) == Some(deed) && !is_noun(clause, verb);
        named && (deed != Asked::Booking || bookable.is_object(clause, verb.saturating_add(1)))
    };
    let led = |index: usize| {
        let Some(next) = lead_at(clause, index) else { return false };
        let thing = deed == Asked::Booking
            && phrase_at(clause, index, WISHES).is_some()
            && kind_of(text_at(clause, next), deed) != Some(deed)
            && bookable.follows(clause, next);
        (asks(next) || thing) && !bookable.has_other_subject(clause, index)
    };
    let start = start_of(clause);
    // "Marcar sexta é caro" says something of it.
    asks(start) && !is_told(clause, start) && !may_ask_for_hours(clause, start) || (0..clause.len()).any(led)
}

/// "Me coloca na lista", "quero um lembrete": a verb of the deed that speaks to us, and its thing in the same message, or a wish for the
/// thing. "Avisa" and "coloca" are of many deeds, and a customer who only speaks of a queue asks for no place in it.
fn asks_for_thing(clauses: &[&[Token]], deed: Asked, things: &[&str], bookable: &Bookable) -> bool {
    let thing_at = |clause: &[Token], index: usize| {
        // "A lista de preços" is another list.
        let next = text_at(clause, index.saturating_add(1));
        let of = ["de", "do", "da", "dos", "das", "of"].contains(&next);
        let what = text_at(clause, index.saturating_add(2));
        phrase_at(clause, index, things).is_some_and(|len| len > 1 || !of || what == "espera" || is_day(what))
    };
    let has_thing = |clause: &[Token]| (0..clause.len()).any(|index| thing_at(clause, index));
    let commanded = |clause: &[Token]| {
        let tells_us = |verb: usize| {
            kind_of(text_at(clause, verb), deed) == Some(deed)
                && speaks_to_us(clause, verb)
                && !puts_another(clause, verb, deed)
        };
        let led = |index: usize| {
            let telling = lead_at(clause, index).is_some_and(|next| TELLING.contains(&text_at(clause, next)));
            // Who wants to tell something asks for nothing.
            let wish = phrase_at(clause, index, WISHES).is_some() && text_at(clause, index.saturating_add(1)) != "que";
            lead_at(clause, index).is_some_and(tells_us)
                && !(wish && telling)
                && !bookable.has_other_subject(clause, index)
        };
        // "Se abrir vaga sexta me avisa" orders behind its condition.
        let start = start_of(clause);
        let conditional =
            phrase_at(clause, start, CONDITIONS).is_some_and(|len| is_ours(clause, start.saturating_add(len)));
        let ordered = |verb: usize| {
            ["me", "nos"].contains(&before(clause, verb, 1))
                && tells_us(verb)
                && !bookable.has_other_subject(clause, verb)
        };
        tells_us(start) || (0..clause.len()).any(led) || conditional && (0..clause.len()).any(ordered)
    };
    let wished = clauses.iter().any(|clause| {
        let start = start_of(clause);
        let begins =
            deed == Asked::Waiting && phrase_at(clause, start, NAMES_OF_WAITING).is_some() && !is_told(clause, start);
        let leaves = has(clause, LEAVING);
        let wants = |index: usize| {
            phrase_at(clause, index, WISHES).is_some()
                && lead_at(clause, index).is_some_and(|next| {
                    let verb = text_at(clause, next);
                    let thing = LIGHT_VERBS.contains(&verb) || !is_infinitive(verb);
                    thing && (next..clause.len()).any(|index| thing_at(clause, index))
                })
        };
        begins || !leaves && (0..clause.len()).any(wants)
    });
    // "Se abrir vaga, me avisa" has its thing in the clause before, which tells of no act of the customer's.
    let beside = |place: usize| {
        let near = place.checked_sub(1).into_iter().chain([place, place.saturating_add(1)]);
        near.filter_map(|near| clauses.get(near)).any(|clause| has_thing(clause))
    };
    clauses.iter().enumerate().any(|(place, clause)| commanded(clause) && beside(place)) || wished
}

/// Whether a verb of putting or telling has another person as its object: "coloca minha irmã na lista", "avisa minha mãe".
fn puts_another(clause: &[Token], verb: usize, deed: Asked) -> bool {
    let mut next = verb.saturating_add(1);
    while ADDRESSEE.contains(&text_at(clause, next)) || DETERMINERS.contains(&text_at(clause, next)) {
        next = next.saturating_add(1);
    }
    let word = text_at(clause, next);
    let person = is_relative(word) || is_first_name(word) || phrase_at(clause, next, THIRD_PERSON).is_some();
    let meant = deed == Asked::Waiting && phrase_at(clause, next, OBJECTS_OF_WAITING).is_some();
    person && !meant
}

/// False if a verb of telling has another addressee or a matter of its own: "avisa o Wesley que…", "lembra de mim".
fn speaks_to_us(clause: &[Token], verb: usize) -> bool {
    if !TELLING.contains(&text_at(clause, verb)) {
        return true;
    }
    let mut next = verb.saturating_add(1);
    while ADDRESSEE.contains(&text_at(clause, next)) {
        next = next.saturating_add(1);
    }
    // "Me avisa onde estaciono" asks for an answer.
    let asks = phrase_at(clause, next, QUESTIONS).is_some()
        || ["se eu", "if i"].iter().any(|one| phrase_at(clause, next, &[one]).is_some());
    !MATTERS.contains(&text_at(clause, next)) && !asks
}

/// Where what follows a permission or a wish begins, if one stands at `index`.
fn lead_at(clause: &[Token], index: usize) -> Option<usize> {
    let lead = phrase_at(clause, index, LEADS).or_else(|| phrase_at(clause, index, WISHES));
    let mut next = index.saturating_add(lead?);
    while phrase_at(clause, next, COURTESY).is_some() {
        next = next.saturating_add(1);
    }
    Some(next)
}

/// What a message can wish for by its name where it wants to book.
struct Bookable {
    /// How the words of the names begin.
    stems: Vec<String>,
    /// Places of the times of the message.
    times: Vec<(usize, usize)>,
}

/// Two words are of one stem if so many letters agree, or all of the shorter.
const STEM: usize = 4;

impl Bookable {
    fn find(text: &str, things: &[&str]) -> Self {
        let words =
            things.iter().flat_map(|name| tokens(&normalize(name))).filter(|token| token.kind == TokenKind::Word);
        let stems = words.filter(|word| word.text.chars().count() >= 3).map(|word| stem(&word.text));
        Self { stems: stems.collect(), times: find_times(text).iter().map(|found| (found.start, found.end)).collect() }
    }

    /// True if what is wished for from here on, behind articles and verbs such as "fazer", is what gets booked.
    fn follows(&self, clause: &[Token], from: usize) -> bool {
        let Some(first) = self.first_word(clause, from) else { return false };
        if self.is_time(clause, first) {
            return !self.has_other_object(clause, first);
        }
        self.is_thing(clause, first)
    }

    /// True if nothing stands behind a verb of booking but what can be booked: "marca sexta", "pode marcar", not "reserva uma toalha".
    fn is_object(&self, clause: &[Token], from: usize) -> bool {
        if text_at(clause, from) == "que" {
            return false;
        }
        let Some(first) = self.first_word(clause, from) else { return true };
        if self.is_time(clause, first) {
            return !self.has_other_object(clause, first);
        }
        let word = text_at(clause, first);
        let anybody = ["quem", "qualquer", "anyone", "anybody", "whoever"].contains(&word);
        self.is_thing(clause, first) || is_relative(word) || anybody
    }

    /// The first word that says something.
    fn first_word(&self, clause: &[Token], from: usize) -> Option<usize> {
        let small = |index: usize| {
            let word = text_at(clause, index);
            let number = clause.get(index).is_some_and(|token| token.kind != TokenKind::Word);
            number
                || SMALL.contains(&word)
                || LIGHT_VERBS.contains(&word)
                || phrase_at(clause, index, COURTESY).is_some()
        };
        (from..clause.len())
            .find(|index| self.is_time(clause, *index) || self.is_thing(clause, *index) || !small(*index))
    }

    fn is_time(&self, clause: &[Token], index: usize) -> bool {
        let Some(token) = clause.get(index) else { return false };
        let time = self.times.iter().any(|(start, end)| token.start >= *start && token.end <= *end);
        time || is_day(&token.text)
    }

    /// A service, a person, or a noun such as "horário"; not the one that exists: "o horário de funcionamento", "o horário que marquei".
    fn is_thing(&self, clause: &[Token], index: usize) -> bool {
        let word = text_at(clause, index);
        if self.stems.contains(&stem(word)) {
            return true;
        }
        let known = DEFINITE.contains(&before(clause, index, 1));
        let next = text_at(clause, index.saturating_add(1));
        let told = ["de", "do", "da", "das", "of", "que"].contains(&next)
            && !self.is_time(clause, index.saturating_add(2))
            && !self.is_thing(clause, index.saturating_add(2));
        OBJECTS_OF_BOOKING.contains(&word) && !(known && told)
    }

    /// True if a noun with its article stands behind a day or a time, and cannot be booked: "amanhã o comprovante".
    fn has_other_object(&self, clause: &[Token], from: usize) -> bool {
        (from..clause.len()).any(|index| {
            let next = index.saturating_add(1);
            let word = text_at(clause, next);
            let noun = clause.get(next).is_some_and(|token| token.kind == TokenKind::Word)
                && !SMALL.contains(&word)
                && !PARTS_OF_THE_DAY.contains(&word)
                && !self.is_time(clause, next)
                && !self.is_thing(clause, next);
            ["o", "a", "os", "um", "uma", "the", "an"].contains(&text_at(clause, index)) && noun
        })
    }

    /// True if another than the customer or we is who acts: "minha esposa vai marcar", "o médico manda marcar".
    fn has_other_subject(&self, clause: &[Token], until: usize) -> bool {
        (0..until).any(|index| {
            let word = text_at(clause, index);
            let last = before(clause, index, 1);
            let meant = TOWARDS.contains(&last) || TOWARDS.contains(&before(clause, index, 2));
            let person = is_relative(word) || phrase_at(clause, index, THIRD_PERSON).is_some();
            let name = is_first_name(word) && (["o", "a"].contains(&last) || !self.stems.contains(&stem(word)));
            let article = ["o", "a", "os", "as", "um", "uma", "the", "meu", "minha", "my"].contains(&last);
            let courtesy = phrase_at(clause, index, COURTESY).is_some();
            let noun =
                article && index == 1 && !courtesy && !self.is_time(clause, index) && !self.is_thing(clause, index);
            (person || name || noun) && !meant
        })
    }
}

/// A weekday, or a day by its place from today.
fn is_day(word: &str) -> bool {
    !LIGHT_VERBS.contains(&word) && weekday_named(word).is_some() || DAYS.contains(&word)
}

fn stem(word: &str) -> String {
    word.chars().take(STEM).collect()
}

fn is_infinitive(word: &str) -> bool {
    word.len() >= 3 && ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending))
}

/// True if what reads like a verb is a noun: "a agenda", "agenda de sexta", "reserva tá cheia". A verb may still say "marca de
/// manhã".
fn is_noun(clause: &[Token], index: usize) -> bool {
    let of = ["de", "do", "da", "dos", "das", "of"].contains(&text_at(clause, index.saturating_add(1)))
        && !PARTS_OF_THE_DAY.contains(&text_at(clause, index.saturating_add(2)));
    let determined = DETERMINERS.contains(&before(clause, index, 1));
    !is_infinitive(text_at(clause, index)) && (determined || of || is_told(clause, index))
}

/// True if something is said of the word: "a fila tá grande".
fn is_told(clause: &[Token], index: usize) -> bool {
    (index..clause.len()).any(|index| COPULAS.contains(&text_at(clause, index)))
}

fn leaves_open(text: &str, all: &[Token], clauses: &[&[Token]], deed: Asked) -> bool {
    let portuguese = english(text) != Some(true);
    let denies = (0..all.len()).any(|index| {
        let in_the = portuguese && text_at(all, index) == "no";
        phrase_at(all, index, NEGATIONS).is_some() && !in_the
    });
    // "Me lembra uma hora antes?" is a request in spite of its mark, and takes no place from others.
    let strict = !matches!(deed, Asked::Waiting | Asked::Reminding);
    let open = (0..all.len()).any(|index| {
        let word = text_at(all, index);
        // "Two hours before" says when, and "before I pay" sets a condition.
        let says_when =
            word == "before" && all.get(index.saturating_add(1)).is_none_or(|next| next.kind == TokenKind::Mark);
        let condition =
            !says_when && phrase_at(all, index, CONDITIONS).is_some_and(|len| !is_ours(all, index.saturating_add(len)));
        condition
            || phrase_at(all, index, DOUBTS).is_some()
            || ADVERSATIVES.contains(&word)
            || asks_which(all, index)
            || deed != Asked::Reminding && phrase_at(all, index, EXCLUDING).is_some() && before(all, index, 1) != "ou"
            || is_alternative(all, index)
            || REPORTS.contains(&word)
            || SUPPOSED.contains(&word)
            || supposes(word)
    });
    let other = deed == Asked::Booking && names_another(all);
    let asks_back = asks_back(all);
    // What stands in quotation marks another person said.
    let quotes = text.contains(['"', '“', '”', '«', '»']);
    let asks =
        clauses.iter().any(|clause| phrase_at(clause, start_of(clause), QUESTIONS).is_some() && !is_courtesy(clause));
    let led = clauses.iter().any(|clause| {
        (0..clause.len()).any(|index| {
            phrase_at(clause, index, LEADS).is_some() || kind_of(text_at(clause, index), deed) == Some(deed)
        })
    });
    let other_deed = clauses.iter().any(|clause| {
        let kinds = [Asked::Booking, Asked::Cancelling, Asked::Rescheduling];
        strict && kinds.iter().any(|kind| *kind != deed && leads_by_verb(clause, *kind))
    });
    denies || open || quotes || other || asks || other_deed || asks_back && (strict || !led)
}

/// Whether a message asks anything but how we are ("tudo bem?") and whether it can be ("pode ser?"), which is ours to check.
fn asks_back(all: &[Token]) -> bool {
    let mut parts = all.split_inclusive(|token| token.kind == TokenKind::Mark);
    parts.any(|part| part.split_last().is_some_and(|(mark, asked)| mark.text == "?" && !is_courtesy(asked)))
}

/// Whether words ask only how we are, or whether what stands before them can be.
fn is_courtesy(words: &[Token]) -> bool {
    let mut index = 0;
    while let Some(len) = [GREETINGS, TAGS, COURTESY].iter().find_map(|phrases| phrase_at(words, index, phrases)) {
        index = index.saturating_add(len);
    }
    index > 0 && index == words.len()
}

/// Whether a message wants another thing than the one that is spoken of: "quero outro", "mais tarde". "Ou qualquer outro" leaves it to us.
fn names_another(all: &[Token]) -> bool {
    (0..all.len()).any(|index| {
        let ours = ["qualquer", "ou", "any", "or"].contains(&before(all, index, 1));
        phrase_at(all, index, OTHERS).is_some() && !ours
    })
}

/// Whether a message of the customer wants another day, time or thing than the one that is spoken of.
#[must_use]
pub fn wants_another(text: &str) -> bool {
    names_another(&written_out(tokens(text)))
}

/// True if a clause begins with a verb of the deed, or has one behind what leads to it.
fn leads_by_verb(clause: &[Token], deed: Asked) -> bool {
    let verb = |index: usize| kind_of(text_at(clause, index), deed) == Some(deed);
    let start = start_of(clause);
    let led = |index: usize| phrase_at(clause, index, LEADS).is_some_and(|len| verb(index.saturating_add(len)));
    verb(start) || (0..clause.len()).any(led)
}

/// A condition that we check anyway: "se tiver vaga", "if it is free". What else it names is not ours: "se der desconto".
fn is_ours(all: &[Token], from: usize) -> bool {
    let of_another =
        |index: &usize| is_relative(text_at(all, *index)) || phrase_at(all, *index, THIRD_PERSON).is_some();
    let Some(found) = (from..from.saturating_add(4)).find(|index| AVAILABLE.contains(&text_at(all, *index))) else {
        return false;
    };
    let mut next = found;
    while AVAILABLE.contains(&text_at(all, next)) || SMALL.contains(&text_at(all, next)) {
        next = next.saturating_add(1);
    }
    let word = text_at(all, next);
    let ends = all.get(next).is_none_or(|token| token.kind != TokenKind::Word);
    let goes_on = OBJECTS_OF_BOOKING.contains(&word)
        || is_day(word)
        || LIGHT_VERBS.contains(&word)
        || phrase_at(all, next, LEADS).is_some()
        || phrase_at(all, next, COURTESY).is_some()
        || [Asked::Booking, Asked::Waiting, Asked::Reminding].iter().any(|deed| kind_of(word, *deed) == Some(*deed));
    !(from..found).any(|index| of_another(&index)) && (ends || goes_on)
}

/// A word that asks, wherever it stands: "marca sexta, custa quanto". "Com quem puder" asks nothing.
fn asks_which(all: &[Token], index: usize) -> bool {
    let leaves_to_us = text_at(all, index) == "quem" && AVAILABLE.contains(&text_at(all, index.saturating_add(1)));
    ASKING.contains(&text_at(all, index)) && !leaves_to_us
}

/// "Sexta ou sábado" leaves the choice open; "ou qualquer outro" leaves it to us.
fn is_alternative(all: &[Token], index: usize) -> bool {
    let next = text_at(all, index.saturating_add(1));
    ["ou", "or"].contains(&text_at(all, index))
        && !["qualquer", "outro", "outra", "any", "another", "menos"].contains(&next)
}

/// A verb in the imperfect subjunctive: "quisesse", "marcasse".
fn supposes(word: &str) -> bool {
    let ends = ["asse", "esse", "isse", "assem", "essem", "issem"].iter().any(|ending| word.ends_with(ending));
    ends && word.len() > 5 && !["interesse", "nesse", "desse"].contains(&word)
}

fn has(clause: &[Token], phrases: &[&str]) -> bool {
    (0..clause.len()).any(|index| phrase_at(clause, index, phrases).is_some())
}

#[cfg(test)]
#[path = "wishes_tests.rs"]
mod tests;
