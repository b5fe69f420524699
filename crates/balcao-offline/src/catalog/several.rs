//! Several wishes in one message: a service for each of several people, or several services for one.

use balcao_language::{Token, is_relative, normalize, tokens};

use super::{Catalog, Named, same_word, significant};

/// A person that a booking is for.
struct Person {
    /// The index of the token that begins the words, preposition included, and the one behind them.
    from: usize,
    to: usize,
}

impl Catalog {
    /// The wishes of a text that has several, in its order: a service's name where a part names it, else the part's words.
    /// Empty if there are not several.
    #[must_use]
    pub fn several_in(&self, text: &str) -> Vec<String> {
        let people = self.for_people(text);
        if people.len() > 1 { people } else { self.several_services(text) }
    }

    /// One wish for each person: "corte pra mim e barba pro meu pai".
    fn for_people(&self, text: &str) -> Vec<String> {
        let all = tokens(text);
        let people = people(&all);
        let (Some(first), Some(last)) = (people.first(), people.last().filter(|_| people.len() > 1)) else {
            return self.for_a_number(text, &all);
        };
        let start = |index: usize| all.get(index).map_or(text.len(), |token| token.start);
        let cut = |from: usize, to: usize| {
            text.get(start(from)..start(to)).unwrap_or_default().trim_matches([',', ' ']).to_owned()
        };
        // What is wanted stands before its person, or behind: "pra mim corte, pro meu pai barba".
        let (before, after) = (cut(0, first.from), cut(last.to, all.len()));
        let names = |words: &str| self.service_in(words) != Named::Nothing;
        let behind = !names(&before) && names(&after);
        // "Corte pra mim e pro meu filho": what is wanted once counts for all.
        let shared = if behind { after } else { before };
        let bounds = people.windows(2).filter_map(|pair| Some((pair.first()?.to, pair.last()?.from)));
        let mut ends: Vec<(usize, usize)> = bounds.collect();
        if behind {
            ends.push((last.to, all.len()))
        } else {
            ends.insert(0, (0, first.from))
        }
        let wish = |(one, (from, to)): (&Person, (usize, usize))| {
            let (words, person) = (cut(from, to), cut(one.from, one.to));
            let person = if person.ends_with("eu") && !person.ends_with("meu") { "pra mim".to_owned() } else { person };
            let words = format!(" {words} ");
            let words = words.trim_start_matches(" e ").trim_end_matches(" e ").trim();
            let words = if names(&format!("{words} {person}")) { words } else { &shared };
            format!("{words} {person}").trim().to_owned()
        };
        people.iter().zip(ends).map(wish).collect()
    }

    /// "Pra duas pessoas", "pra 3 pessoas": one wish for the customer and one for each of the others.
    fn for_a_number(&self, text: &str, all: &[Token]) -> Vec<String> {
        let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
        let count = |index: usize| match word(index) {
            "2" | "dois" | "duas" | "two" => Some(2),
            "3" | "tres" | "three" => Some(3),
            "4" | "quatro" | "four" => Some(4),
            "5" | "cinco" | "five" => Some(5),
            _ => None,
        };
        let place = (1..all.len()).find(|index| {
            let (lead, unit) = (word(index.saturating_sub(1)), word(index.saturating_add(1)));
            count(*index).is_some() && (["pessoas", "people"].contains(&unit) || ["somos", "nos"].contains(&lead))
        });
        let Some(place) = place else { return Vec::new() };
        let lead = ["pra", "para", "for", "somos", "nos", "em"].contains(&word(place.saturating_sub(1)));
        let unit = ["pessoas", "people"].contains(&word(place.saturating_add(1)));
        let from = all.get(if lead { place.saturating_sub(1) } else { place }).map_or(0, |token| token.start);
        let to = all.get(if unit { place.saturating_add(1) } else { place }).map_or(text.len(), |token| token.end);
        let rest = format!("{}{}", text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        let others = match count(place) {
            None | Some(2) => vec![format!("{rest} pra outra pessoa")],
            Some(all) => (2..=all).map(|number: usize| format!("{rest} pra pessoa {number}")).collect(),
        };
        std::iter::once(format!("{rest} pra mim")).chain(others).collect()
    }

    /// The services that the parts between "e" and commas name: in full, or by the word that their name begins with.
    fn several_services(&self, text: &str) -> Vec<String> {
        let folded = normalize(crate::nlu::before_condition(text));
        let mut found: Vec<String> = Vec::new();
        let mut days = 0_usize;
        // The service of the last part that has a day and a time: "barba amanhã 14h e sexta 15h" wants it twice.
        let mut timed: Option<String> = None;
        for part in folded.split(" e ").flat_map(|part| part.split(',')).flat_map(|part| part.split(" and ")) {
            let dated = !balcao_language::find_dates(part, ANY_DAY).is_empty();
            let at = dated && !balcao_language::find_times(part).is_empty();
            if let (true, Some(service), Named::Nothing) = (at, &timed, self.service_in(part)) {
                days = days.saturating_add(1);
                let with = match (self.professional_in(part), self.professional_in(&folded)) {
                    (Named::Nothing, Named::One(name)) => format!(" com {name}"),
                    _ => String::new(),
                };
                found.push(format!("{service} {}{with}", part.trim()));
                continue;
            }
            let wish = match self.service_in(part) {
                Named::One(name)
                    if self.says_whole(part, &name)
                        || self.begins(part, &name)
                        || self.by_alias(part).as_ref() == Some(&name) =>
                {
                    name
                }
                Named::Several(names) if names.iter().all(|name| self.begins(part, name)) => part.trim().to_owned(),
                Named::One(_) | Named::Several(_) | Named::Unknown(_) | Named::Nothing => continue,
            };
            days = days.saturating_add(usize::from(dated));
            timed = at.then(|| wish.clone());
            if !found.contains(&wish) {
                found.push(if dated { part.trim().to_owned() } else { wish });
            }
        }
        // "Corte e barba" is one service where there is one of that name, unless each has a day of its own.
        match self.service_in(text) {
            Named::One(joint) if !self.names_one(&found, &joint) && days < 2 => {
                let words = significant(&joint);
                found.retain(|wish| !words.iter().any(|word| self.begins_with(wish, word)));
                found.insert(0, joint);
            }
            Named::One(_) | Named::Several(_) | Named::Unknown(_) | Named::Nothing => {}
        }
        if found.len() < 2 { Vec::new() } else { found }
    }

    fn names_one(&self, wishes: &[String], name: &str) -> bool {
        wishes.iter().any(|wish| matches!(self.service_in(wish), Named::One(named) if named == name))
    }

    /// True if what a wish names begins with the word.
    fn begins_with(&self, wish: &str, word: &str) -> bool {
        let starts = |name: &String| significant(name).first().is_some_and(|first| same_word(first, word));
        match self.service_in(wish) {
            Named::One(name) => starts(&name),
            Named::Several(names) => names.iter().any(starts),
            Named::Unknown(_) | Named::Nothing => false,
        }
    }

    /// True if the first word of the name is said.
    fn begins(&self, text: &str, name: &str) -> bool {
        let said = balcao_language::search_tokens(text);
        significant(name).first().is_some_and(|word| said.iter().any(|heard| same_word(heard, word)))
    }
}

/// The person that a text wants something for, in its own words: "mim", "meu pai". Of several persons, the last one.
#[must_use]
pub fn person_in(text: &str) -> Option<String> {
    let all = tokens(text);
    let one = people(&all).pop()?;
    let words: Vec<&str> = all.get(one.from..one.to)?.iter().map(|token| token.text.as_str()).collect();
    let bare: Vec<&str> =
        words.into_iter().filter(|word| !LEADS.contains(word) && !["o", "a"].contains(word)).collect();
    Some(bare.join(" "))
}

/// Only where dates stand matters here, not which they are.
const ANY_DAY: jiff::civil::Date = jiff::civil::date(2026, 1, 1);

const LEADS: &[&str] = &["pra", "para", "pro", "p", "for", "e", "and", "do", "da", "de", ","];

fn people(all: &[Token]) -> Vec<Person> {
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    let mut found: Vec<Person> = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let mut next = index;
        let led = LEADS.contains(&word(next));
        let behind = index.checked_sub(1).map_or("", word);
        if led {
            next = next.saturating_add(1);
        }
        if ["o", "a"].contains(&word(next)) {
            next = next.saturating_add(1);
        }
        let own = ["meu", "minha", "my"].contains(&word(next)) && is_relative(word(next.saturating_add(1)));
        let joined = ["e", "and"].contains(&word(next.saturating_add(1)));
        let me = ["mim", "me", "myself"].contains(&word(next)) && ["pra", "para", "p", "for"].contains(&word(index))
            || word(next) == "eu" && (joined || ["e", "and"].contains(&word(index)));
        let elsewhere = ["depois", "antes", "junto", "horario", "lado"].contains(&behind);
        let behind_next = word(next.saturating_add(1));
        let numbered =
            word(next) == "pessoa" && behind_next.chars().all(|c| c.is_ascii_digit()) && !behind_next.is_empty();
        let other = led && (numbered || word(next) == "outra" && behind_next == "pessoa");
        if other {
            found.push(Person { from: index, to: next.saturating_add(2) });
            index = next.saturating_add(2);
            continue;
        }
        if me || own && led && !elsewhere {
            let to = next.saturating_add(if own { 2 } else { 1 });
            found.push(Person { from: index, to });
            index = to;
        } else {
            index = index.saturating_add(1);
        }
    }
    found
}
