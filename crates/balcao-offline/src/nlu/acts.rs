//! What a message does: tables of phrases over its clauses, the more specific act first.

use balcao_language::{anybody_will_do, asks_for_human, normalize, search_tokens, tokens};

use super::{
    Utterance, has,
    phrases::{
        ANGER, ANY_TIME, ASKING, AVAILABILITY, BOOK, BOOKED, EARLIEST, GO_AHEAD, GOODBYE, GREETING, HEALTH_PLAN,
        HOLIDAY, HOURS, IDENTITY, INJECTION, JUST_ASKING, LATER, LATEST, LEADS, MINE, NOT_BOOK, NOTE, OFFERS, ON_FILE,
        OPEN, OWN_OTHER, PAPERS, PLANS, POLICY, POLITE, PRICES, REFUSAL, SERVICES, SOMEBODY_ELSE, SUBJECTS,
        SUBSCRIPTION, THANKS, UNDECIDED, WAITLIST, WANT, WHO_WORKS,
    },
    spaced,
    wishes::{asks_when_it_is, changes, messages},
};

/// Something that a message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// "Oi", "bom dia".
    Greeting,
    /// "Obrigado".
    Thanks,
    /// "Tchau".
    Goodbye,
    /// "Quais serviços vocês têm?"
    Services,
    /// "Quanto custa?"
    Prices,
    /// "Vocês fazem luzes?"
    Offers,
    /// "Quem trabalha hoje?"
    WhoWorks,
    /// "Tem horário sexta?"
    Availability,
    /// "Quero marcar".
    Book,
    /// "Quero …", not yet known what.
    Want,
    /// "Pode confirmar": the customer needs no further question.
    GoAhead,
    /// "Quero cancelar".
    Cancel,
    /// "Quero remarcar".
    Reschedule,
    /// "Quando é meu horário?"
    MyAppointments,
    /// "Já marcou?", beside [`Act::MyAppointments`].
    IsBooked,
    /// "Meu plano está ativo?"
    Subscription,
    /// "Quais planos vocês têm?"
    Plans,
    /// "Que horas abre?"
    Hours,
    /// "Quero falar com um atendente".
    Human,
    /// Anger, insults.
    Anger,
    /// "Você é um robô?"
    Identity,
    /// "Me avisa se abrir vaga".
    Waitlist,
    /// "Me lembra 1 hora antes".
    Reminder,
    /// "Me chama amanhã".
    LaterContact,
    /// An attempt to steer the program.
    Injection,
    /// "Só queria saber": nothing is to be booked yet.
    JustAsking,
    /// "Qualquer um".
    AnyProfessional,
    /// "Qualquer horário".
    AnyTime,
    /// "Tem mais tarde?"
    Later,
    /// "Tem mais cedo?"
    Sooner,
    /// "Anota aí que …"
    Note,
    /// "Que e-mail vocês têm no meu cadastro?"
    OnFile,
    /// "Não precisa me chamar".
    NoLaterContact,
    /// "Não quero lembrete".
    NoReminder,
    /// "Não quero cancelar nada": what is booked stays.
    Keep,
    /// "Cancela meu plano": the customer wants to end a contract and not an appointment.
    CancelOther,
    /// "O mais cedo".
    Earliest,
    /// "O mais tarde".
    Latest,
    /// A refusal of what was said: "não", "deixa".
    Refusal,
    /// "Vou pensar".
    Undecided,
}

/// The acts of a message, each once, and its questions for the knowledge base.
pub(super) fn acts(text: &str, tools: &[&str], slots: &Utterance) -> (Vec<Act>, Vec<String>) {
    if is_injection(text, tools) {
        return (vec![Act::Injection], Vec::new());
    }
    let mut acts = Vec::new();
    let mut questions = Vec::new();
    for clause in clauses(text) {
        let words = spaced(&clause);
        let before = acts.len();
        let mut changed = Vec::new();
        changes(&clause, &words, &mut changed);
        messages(&clause, &words, slots, &mut changed);
        topical(&words, &changed, &mut acts);
        acts.append(&mut changed);
        if acts.contains(&Act::Offers) && slots.has_when() && has_when(&clause, slots) && !has(&words, SUBJECTS) {
            // "Tem barba amanhã às 15h?" asks for the time, not whether beards are done.
            acts.push(Act::Availability);
        }
        let refused = acts.contains(&Act::Refusal);
        smaller(&clause, &words, &mut acts);
        if acts.iter().any(|act| [Act::NoReminder, Act::NoLaterContact].contains(act)) && !refused {
            // It is the message that is refused, not what was asked.
            acts.retain(|act| *act != Act::Refusal);
        }
        if opens_on(&clause, &words, slots) {
            acts.push(Act::Hours);
            acts.retain(|act| *act != Act::WhoWorks || has(&words, &["quem", "ele", "ela", "who"]));
        }
        if has(&words, BOOKED) && (clause.contains('?') || has(&words, &["mesmo"])) {
            acts.extend([Act::MyAppointments, Act::IsBooked]);
        }
        let needs = has(&words, &["preciso de", "need"]) && has(&words, PAPERS);
        let asks = clause.contains('?') || has(&words, ASKING) || needs;
        let found = acts.get(before..).unwrap_or_default();
        let main = found.iter().any(|act| is_main(*act));
        let subject = has(&words, SUBJECTS) && !found.iter().any(|act| OWN_SUBJECT.contains(act));
        let about = significant(&clause);
        let polite = found.iter().any(|act| [Act::Greeting, Act::Thanks, Act::Goodbye].contains(act));
        // "Quinta ou sexta?" answers the question for a day, so it is not a question to look up.
        let answers_when =
            slots.has_when() && (about.len() < 2 || significant(&without_dates(&clause, slots)).is_empty());
        let substantial = about.len() >= if polite { 2 } else { 1 };
        let open = asks && substantial && !main && !answers_when && !clause.contains('@');
        if subject || open {
            let dated =
                slots.has_when() && !balcao_language::search_tokens(&clause).is_empty() && has_when(&clause, slots);
            if dated && !subject && has(&words, &["tem", "teria", "da pra", "da para", "consigo", "rola", "posso ir"]) {
                acts.push(Act::Availability);
                continue;
            }
            questions.push(query(&clause));
            // A question about a rule ("cobram pra cancelar?") does not express a wish.
            let mut index = 0;
            acts.retain(|act| {
                index += 1;
                index <= before || !((subject || needs) && [Act::Want, Act::Prices].contains(act))
            });
        }
    }
    let all = spaced(text);
    let moved = has(&all, &["mudar", "muda", "trocar", "troca", "passar", "passa", "alterar"]);
    let instead = has(
        &all,
        &["em vez das", "em vez de", "em vez da", "ao inves das", "ao inves de", "no lugar das", "instead of"],
    );
    if slots.has_when()
        && (moved || instead)
        && !questions.iter().any(|question| has(&spaced(question), &["mudar", "trocar"]))
    {
        acts.push(Act::Reschedule);
    }
    if acts.contains(&Act::Want) && acts.contains(&Act::Prices) && slots.has_when() {
        // "Quero barba amanhã às 11h, quanto custa?" wants both, the time and the price.
        acts.push(Act::Book);
    }
    if asks_for_human(text) {
        acts.push(Act::Human);
    }
    acts.sort_unstable();
    acts.dedup();
    resolve(&mut acts);
    (acts, questions)
}

/// "Atendem 30/11?", "tem expediente no feriado?": a word of being open, a day or holiday, and nothing else.
fn opens_on(clause: &str, words: &str, slots: &Utterance) -> bool {
    let holiday = has(words, HOLIDAY);
    if !has(words, OPEN) || !(holiday || has_day(clause, slots)) || has(words, &["quem", "ele", "ela", "who"]) {
        return false;
    }
    let rest = without_dates(clause, slots);
    let open: Vec<String> = OPEN.iter().chain(HOLIDAY).flat_map(|word| search_tokens(word)).collect();
    significant(&rest).iter().all(|word| open.contains(word))
}

/// The clause without the dates that it names.
fn without_dates(clause: &str, slots: &Utterance) -> String {
    let mut rest = clause.to_owned();
    for found in balcao_language::find_dates(clause, reference(slots)).into_iter().rev() {
        rest.replace_range(found.start..found.end, " ");
    }
    rest
}

fn has_day(clause: &str, slots: &Utterance) -> bool {
    !balcao_language::find_dates(clause, reference(slots)).is_empty()
}

/// Some day to read a clause by, where only the place of its dates matters.
fn reference(slots: &Utterance) -> jiff::civil::Date {
    slots.days.first().map_or(jiff::civil::date(2026, 1, 1), |day| day.first)
}

/// True if the clause itself names a day or time. The day of reference does not matter for that.
fn has_when(clause: &str, slots: &Utterance) -> bool {
    has_day(clause, slots) || !balcao_language::find_times(clause).is_empty()
}

/// Acts that exclude a weaker reading of the same words.
fn resolve(acts: &mut Vec<Act>) {
    let change = acts.contains(&Act::Cancel) || acts.contains(&Act::Reschedule);
    if acts.contains(&Act::Reschedule) {
        acts.retain(|act| !matches!(act, Act::Cancel));
    }
    if change {
        acts.retain(|act| !matches!(act, Act::Book | Act::MyAppointments | Act::Availability | Act::Want));
    }
    if acts.contains(&Act::Availability) || acts.contains(&Act::Book) {
        acts.retain(|act| !matches!(act, Act::Offers));
    }
    if acts.contains(&Act::Note) || acts.contains(&Act::OnFile) {
        acts.retain(|act| !matches!(act, Act::Want | Act::Offers));
    }
    if acts.contains(&Act::Anger) {
        acts.retain(|act| !matches!(act, Act::Book | Act::Want));
    }
    if acts.contains(&Act::MyAppointments) {
        acts.retain(|act| !matches!(act, Act::Want | Act::GoAhead));
    }
    if acts.contains(&Act::Human) {
        acts.retain(|act| !matches!(act, Act::Want | Act::Offers));
    }
    if acts.contains(&Act::Waitlist) || acts.contains(&Act::CancelOther) {
        acts.retain(|act| !matches!(act, Act::Book | Act::Availability | Act::Want | Act::Subscription | Act::Plans));
    }
    if acts.contains(&Act::Subscription) {
        acts.retain(|act| !matches!(act, Act::Plans));
    }
}

fn is_main(act: Act) -> bool {
    !matches!(
        act,
        Act::Greeting
            | Act::Thanks
            | Act::Goodbye
            | Act::Refusal
            | Act::Want
            | Act::GoAhead
            | Act::JustAsking
            | Act::AnyTime
            | Act::Later
            | Act::Sooner
            | Act::Earliest
            | Act::Latest
    )
}

/// The clauses of a message: sentences, lines, and what "e aproveita" or a comma before a question word begins.
fn clauses(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for sentence in text.split_inclusive(['\n', '!', ';', '?', '…']).flat_map(|part| part.split(". ")) {
        let mut rest = sentence;
        while let Some(at) = next_clause(rest) {
            let Some((head, tail)) = rest.split_at_checked(at) else { break };
            out.push(head.to_owned());
            rest = tail;
        }
        out.push(rest.to_owned());
    }
    out.retain(|clause| clause.chars().any(char::is_alphanumeric));
    out
}

/// Where a second clause begins in a sentence: at "e aproveita", ", e …", "e onde", "e quanto".
fn next_clause(sentence: &str) -> Option<usize> {
    let all = tokens(sentence);
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    (1..all.len()).find_map(|index| {
        let joins = ["e", "mas", "and", ",", "ah", "tambem"].contains(&word(index));
        let mut next = index.saturating_add(1);
        while joins && ["e", "tambem", ",", "ai", "ja", "me", "queria", "quero", "gostaria", "de"].contains(&word(next))
        {
            next = next.saturating_add(1);
        }
        let opens = [
            "aproveita",
            "aproveitando",
            "onde",
            "quanto",
            "qual",
            "quais",
            "aceita",
            "aceitam",
            "diz",
            "saber",
            "voces",
            "vcs",
            "vc",
            "tem",
            "posso",
            "quem",
            "where",
            "how",
            "do",
            "what",
            "fica",
        ];
        (joins && opens.contains(&word(next))).then(|| all.get(index).map(|token| token.start)).flatten()
    })
}

/// The words of a clause that are neither small talk nor words for a time.
pub(super) fn significant(clause: &str) -> Vec<String> {
    let when = ["hoje", "amanh", "hor", "seman", "manha", "cedo", "tard", "agor", "aind", "tud", "bem"];
    let mut words = search_tokens(clause);
    words.retain(|word| {
        !when.contains(&word.as_str())
            && word.chars().any(char::is_alphabetic)
            && word.len() > 2
            && !POLITE.contains(&word.as_str())
    });
    words
}

/// The clause without the words that lead to its question.
fn query(clause: &str) -> String {
    let mut rest = clause.trim().trim_end_matches(['?', '!', '.']);
    loop {
        let folded_start = LEADS.iter().find_map(|lead| {
            let all = tokens(rest);
            let words: Vec<&str> = lead.split(' ').collect();
            let fits =
                words.iter().enumerate().all(|(index, word)| all.get(index).is_some_and(|token| token.text == *word));
            fits.then(|| all.get(words.len()).map(|token| token.start)).flatten()
        });
        match folded_start.and_then(|start| rest.get(start..)).filter(|shorter| shorter.len() < rest.len()) {
            Some(shorter) => rest = shorter,
            None => return rest.trim().to_owned(),
        }
    }
}

fn topical(words: &str, changed: &[Act], acts: &mut Vec<Act>) {
    let policy = has(words, POLICY);
    let mut add = |act: Act, when: bool| {
        if when {
            acts.push(act);
        }
    };
    let waitlist = has(words, WAITLIST);
    add(Act::Waitlist, waitlist);
    add(Act::Note, has(words, NOTE));
    add(Act::OnFile, has(words, ON_FILE) && !has(words, &["atualiza", "muda", "mudar", "troca", "trocar", "corrige"]));
    add(Act::Identity, has(words, IDENTITY));
    add(Act::Anger, has(words, ANGER));
    let hours = has(words, HOURS);
    add(Act::Hours, hours);
    let mine = has(words, MINE)
        || has(words, &["que dia e", "quando e", "que horas e", "quando vai ser", "when is"])
            && has(words, &["meu", "minha", "my"])
            && !has(words, OWN_OTHER);
    let mine = mine || asks_when_it_is(words) || changed.contains(&Act::MyAppointments);
    add(Act::MyAppointments, mine && !hours);
    let subscribed = has(words, SUBSCRIPTION) && !has(words, HEALTH_PLAN);
    add(Act::Subscription, subscribed);
    let plan_price = has(words, PRICES) && has(words, &["plano", "plan"]);
    add(Act::Plans, (has(words, PLANS) || plan_price) && !has(words, HEALTH_PLAN) && !subscribed);
    add(Act::WhoWorks, has(words, WHO_WORKS));
    let parking = has(words, &["estacion*", "carro", "moto", "garagem", "garage", "parking"]);
    add(Act::Availability, has(words, AVAILABILITY) && !parking && !waitlist && !hours && !mine);
    add(Act::Prices, has(words, PRICES) && (!plan_price || has(words, HEALTH_PLAN)));
    add(Act::Services, has(words, SERVICES));
    let times = has(words, &["horario*", "hora", "horas", "vaga", "vagas", "agenda", "plano", "planos"]);
    add(Act::Offers, has(words, OFFERS) && !parking && !times && !has(words, SUBJECTS));
    let book = has(words, BOOK) && !has(words, NOT_BOOK) && !policy && !mine;
    add(Act::Book, book);
    add(Act::GoAhead, has(words, GO_AHEAD));
    add(
        Act::Want,
        has(words, WANT) && !book && !has(words, &["nao quero", "saber", "nao queria", "don t want", "don t need"]),
    );
}

fn smaller(clause: &str, words: &str, acts: &mut Vec<Act>) {
    let mut add = |act: Act, when: bool| {
        if when {
            acts.push(act);
        }
    };
    add(Act::Greeting, has(words, GREETING));
    add(Act::Thanks, has(words, THANKS));
    add(Act::Goodbye, has(words, GOODBYE));
    add(Act::AnyProfessional, has(words, SOMEBODY_ELSE) || anybody_will_do(clause, true));
    add(Act::AnyTime, has(words, ANY_TIME));
    let (earliest, latest) = (has(words, EARLIEST), has(words, LATEST));
    add(Act::Earliest, earliest);
    add(Act::Latest, latest);
    add(Act::Later, !latest && has(words, &["mais tarde", "mais pro fim", "later"]) && !has(words, LATER));
    add(Act::Sooner, !earliest && has(words, &["mais cedo", "earlier", "sooner"]));
    add(Act::Refusal, has(words, REFUSAL));
    add(Act::Undecided, has(words, UNDECIDED));
    add(Act::JustAsking, has(words, JUST_ASKING));
}

/// Orders to the program rather than words to the front desk: talk of instructions and prompts, or a tool's name.
fn is_injection(text: &str, tools: &[&str]) -> bool {
    let folded = normalize(text);
    let named = tools.iter().filter(|tool| tool.contains('_')).any(|tool| folded.contains(&tool.to_lowercase()));
    named || snake_case(&folded) || has(&spaced(text), INJECTION) || folded.contains("</") || folded.contains("<|")
}

/// A word with an underscore inside; customers do not write such words.
fn snake_case(folded: &str) -> bool {
    folded.split(|c: char| c.is_whitespace() || "\"'`,.:;()".contains(c)).any(|word| {
        let inner = word.trim_matches('_');
        let mut parts = inner.split('_');
        !word.contains('@')
            && !word.contains('/')
            && inner.contains('_')
            && parts.all(|part| part.len() >= 2 && part.chars().all(|c| c.is_ascii_alphanumeric()))
    })
}

/// Acts that answer such a subject themselves.
const OWN_SUBJECT: &[Act] = &[Act::Book, Act::Availability, Act::Reschedule, Act::MyAppointments];
