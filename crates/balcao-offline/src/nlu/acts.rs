//! What a message does: tables of phrases over its clauses, the more specific act first.

use balcao_language::{asks_for_human, fold, search_tokens, tokens};

use super::{Utterance, has, spaced};

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
    /// "Qualquer um".
    AnyProfessional,
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
        topical(&words, &mut acts);
        smaller(&words, &mut acts);
        let asks = clause.contains('?') || has(&words, ASKING);
        let found = acts.get(before..).unwrap_or_default();
        let main = found.iter().any(|act| is_main(*act));
        let subject = has(&words, SUBJECTS) && !found.iter().any(|act| OWN_SUBJECT.contains(act));
        let about = significant(&clause);
        let polite = found.iter().any(|act| [Act::Greeting, Act::Thanks, Act::Goodbye].contains(act));
        let answers_when = slots.has_when() && about.len() < 2;
        if subject || !main && asks && !answers_when && !about.is_empty() && !(polite && about.len() < 2) {
            let dated =
                slots.has_when() && !balcao_language::search_tokens(&clause).is_empty() && has_when(&clause, slots);
            if dated && !subject && has(&words, &["tem", "teria", "da pra", "da para", "consigo", "rola", "posso ir"]) {
                acts.push(Act::Availability);
                continue;
            }
            questions.push(query(&clause));
            // A question about a rule ("cobram pra cancelar?") is no wish.
            acts.retain(|act| !(subject && [Act::Want, Act::Prices].contains(act)));
        }
    }
    let all = spaced(text);
    let moved = has(&all, &["mudar", "muda", "trocar", "troca", "passar", "alterar"]);
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
    if asks_for_human(text) {
        acts.push(Act::Human);
    }
    acts.sort_unstable();
    acts.dedup();
    resolve(&mut acts);
    (acts, questions)
}

/// True if the clause itself names a day or time. The day of reference does not matter for that.
fn has_when(clause: &str, slots: &Utterance) -> bool {
    let reference = slots.days.first().map_or(jiff::civil::date(2026, 1, 1), |day| day.first);
    !balcao_language::find_dates(clause, reference).is_empty() || !balcao_language::find_times(clause).is_empty()
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
    if acts.contains(&Act::Anger) {
        acts.retain(|act| !matches!(act, Act::Book | Act::Want));
    }
    if acts.contains(&Act::MyAppointments) {
        acts.retain(|act| !matches!(act, Act::Want));
    }
    if acts.contains(&Act::Human) {
        acts.retain(|act| !matches!(act, Act::Want | Act::Offers));
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

fn significant(clause: &str) -> Vec<String> {
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

const POLITE: &[&str] = &[
    "oi", "ola", "opa", "eai", "beleza", "belez", "blz", "tudo", "bem", "obrig", "valeu", "tchau", "fal", "quer",
    "sab", "diz", "kkk", "kkkk", "rsrs", "entend", "legal", "serio", "viu", "moc", "amig", "cert", "help", "ajud",
    "problem", "algum", "cois",
];

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

const LEADS: &[&str] = &[
    "e",
    ",",
    "ah",
    "oi",
    "ola",
    "bom dia",
    "boa tarde",
    "boa noite",
    "aproveita",
    "aproveitando",
    "me diz",
    "me fala",
    "me diga",
    "diz",
    "se",
    "queria saber",
    "quero saber",
    "gostaria de saber",
    "sabe",
    "saber",
    "mas",
    "tambem",
    "uma duvida",
    "duvida",
    ":",
    "por favor",
    "hi",
    "hello",
];

fn topical(words: &str, acts: &mut Vec<Act>) {
    let policy = has(words, POLICY);
    let mut add = |act: Act, when: bool| {
        if when {
            acts.push(act);
        }
    };
    let reschedule = has(words, RESCHEDULE)
        || has(words, MOVES)
            && (has(words, OWN_APPOINTMENT) || has(words, &["horario", "consulta", "o dia", "sessao"]));
    let declines = has(
        words,
        &[
            "nao quero cancelar",
            "nao cancela",
            "nao cancele",
            "nao precisa cancelar",
            "nao quero desmarcar",
            "don t cancel",
            "nao e pra cancelar",
        ],
    );
    let cancel = has(words, CANCEL) && !declines || has(words, CANNOT_COME);
    add(Act::Reschedule, reschedule && !policy && !has(words, &["nao quero remarcar", "nao precisa remarcar"]));
    add(Act::Cancel, cancel && !policy);
    add(Act::Refusal, declines);
    let waitlist = has(words, WAITLIST);
    add(Act::Waitlist, waitlist);
    add(Act::Reminder, has(words, REMINDER) && !waitlist);
    add(Act::LaterContact, has(words, LATER));
    add(Act::Identity, has(words, IDENTITY));
    add(Act::Anger, has(words, ANGER));
    let hours = has(words, HOURS);
    add(Act::Hours, hours);
    let mine = has(words, MINE);
    add(Act::MyAppointments, mine && !hours);
    let subscribed = has(words, SUBSCRIPTION) && !has(words, HEALTH_PLAN);
    add(Act::Subscription, subscribed);
    add(Act::Plans, has(words, PLANS) && !has(words, HEALTH_PLAN) && !subscribed);
    add(Act::WhoWorks, has(words, WHO_WORKS));
    let parking = has(words, &["estacion*", "carro", "moto", "garagem", "garage", "parking"]);
    add(Act::Availability, has(words, AVAILABILITY) && !parking && !waitlist && !hours && !mine);
    add(Act::Prices, has(words, PRICES));
    add(Act::Services, has(words, SERVICES));
    let times = has(words, &["horario*", "hora", "horas", "vaga", "vagas", "agenda", "plano", "planos"]);
    add(Act::Offers, has(words, OFFERS) && !parking && !times && !has(words, SUBJECTS));
    let book = has(words, BOOK) && !has(words, NOT_BOOK) && !policy && !mine;
    add(Act::Book, book);
    add(Act::GoAhead, has(words, GO_AHEAD));
    add(Act::Want, has(words, WANT) && !book && !has(words, &["nao quero", "saber", "nao queria"]));
}

fn smaller(words: &str, acts: &mut Vec<Act>) {
    let mut add = |act: Act, when: bool| {
        if when {
            acts.push(act);
        }
    };
    add(Act::Greeting, has(words, GREETING));
    add(Act::Thanks, has(words, THANKS));
    add(Act::Goodbye, has(words, GOODBYE));
    add(Act::AnyProfessional, has(words, ANY));
    add(Act::Earliest, has(words, EARLIEST));
    add(Act::Latest, has(words, LATEST));
    add(Act::Refusal, has(words, REFUSAL));
    add(Act::Undecided, has(words, UNDECIDED));
}

/// Orders to the program rather than words to the front desk: talk of instructions and prompts, or a tool's name.
fn is_injection(text: &str, tools: &[&str]) -> bool {
    let folded = fold(text);
    let named = tools.iter().filter(|tool| tool.contains('_')).any(|tool| folded.contains(&tool.to_lowercase()));
    named || snake_case(&folded) || has(&spaced(text), INJECTION) || folded.contains("</") || folded.contains("<|")
}

/// A word with an underscore inside: nobody writes one to a front desk.
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

const INJECTION: &[&str] = &[
    "ignore todas",
    "ignore as instrucoes",
    "ignore suas",
    "ignore tudo",
    "ignore all",
    "ignore previous",
    "ignore your",
    "ignore the above",
    "ignora as instrucoes",
    "ignora todas",
    "ignora tudo",
    "desconsidere as",
    "desconsidere todas",
    "esqueca as instrucoes",
    "esqueca suas instrucoes",
    "esqueca tudo",
    "esquece tudo que",
    "instrucoes anteriores",
    "suas instrucoes",
    "seu prompt",
    "teu prompt",
    "o prompt",
    "system prompt",
    "prompt do sistema",
    "your prompt",
    "your instructions",
    "voce agora e",
    "vc agora e",
    "agora voce e",
    "a partir de agora voce",
    "you are now",
    "modo desenvolvedor",
    "developer mode",
    "modo admin",
    "modo debug",
    "jailbreak",
    "dan mode",
    "finja que",
    "finja ser",
    "aja como",
    "pretend to be",
    "act as",
    "disregard",
    "execute a funcao",
    "chame a funcao",
    "chame a ferramenta",
    "execute o comando",
    "repita o texto acima",
    "repeat the text above",
    "mostre o codigo",
    "sua chave",
    "api key",
    "drop table",
    "select from",
    "sou o administrador",
    "sou administrador",
    "sou o desenvolvedor",
    "override",
    "outros clientes",
    "dados dos clientes",
    "lista de clientes",
    "telefone dos clientes",
    "agenda dos outros",
];
const POLICY: &[&str] = &[
    "cobra",
    "cobram",
    "cobranca",
    "taxa",
    "multa",
    "politica",
    "ate quando posso",
    "prazo",
    "se eu cancelar",
    "se eu desmarcar",
    "se eu faltar",
    "se eu remarcar",
    "se precisar cancelar",
    "se precisar remarcar",
    "quanto tempo antes",
    "com quanto tempo",
    "com quanta antecedencia",
    "antecedencia",
    "pode cancelar ate",
    "posso cancelar ate",
    "fee",
    "policy",
];
const RESCHEDULE: &[&str] = &[
    "remarc*",
    "reagend*",
    "adiar",
    "adia",
    "adiantar",
    "adianta",
    "antecipar",
    "reschedul*",
    "re agendar",
    "remarcr",
    "remaracar",
    "trocar o horario",
    "trocar de horario",
    "trocar meu horario",
    "mudar o horario",
    "mudar meu horario",
    "mudar o dia",
    "mudar de horario",
    "mudar a data",
    "trocar o dia",
    "trocar a data",
    "change my appointment",
    "move my appointment",
    "mudar a consulta",
    "mudar minha consulta",
    "trocar minha consulta",
];
const MOVES: &[&str] = &[
    "mudar",
    "muda",
    "trocar",
    "troca",
    "passar",
    "passa",
    "transferir",
    "transfere",
    "alterar",
    "altera",
    "jogar",
    "joga",
    "empurrar",
    "mover",
    "puxar",
    "move",
    "change",
    "botar",
    "colocar",
];
const OWN_APPOINTMENT: &[&str] = &[
    "meu horario",
    "meu agendamento",
    "minha consulta",
    "meu corte",
    "minha sessao",
    "minha hora",
    "minha avaliacao",
    "o horario marcado",
    "my appointment",
    "meu atendimento",
    "minha reserva",
    "meus horarios",
    "o meu",
];
const CANCEL: &[&str] = &[
    "cancel*",
    "canselar",
    "cansela",
    "desmarc*",
    "desmarq*",
    "desistir do horario",
    "desisti do horario",
    "call off",
];
const CANNOT_COME: &[&str] = &[
    "nao vou conseguir ir",
    "nao vou poder ir",
    "nao vou conseguir comparecer",
    "nao vou poder comparecer",
    "n vou conseguir ir",
    "n vou poder ir",
    "nao consigo ir",
    "nao posso ir",
    "nao poderei ir",
    "nao vou mais",
    "nao irei mais",
    "nao vai dar pra ir",
    "nao vai dar pra eu ir",
    "nao vai dar para ir",
    "can t make it",
    "cannot make it",
    "won t be able to come",
    "nao conseguirei ir",
    "nao vou comparecer",
    "nao consigo mais ir",
];
const WAITLIST: &[&str] = &[
    "lista de espera",
    "fila de espera",
    "se abrir vaga",
    "se abrir uma vaga",
    "se abrir horario",
    "se surgir",
    "se vagar",
    "se alguem desistir",
    "se alguem desmarcar",
    "se alguem cancelar",
    "se aparecer",
    "se tiver desistencia",
    "waitlist",
    "waiting list",
    "abrir uma vaga",
    "abrir vaga",
    "se liberar",
    "quando abrir vaga",
    "if something opens",
];
const REMINDER: &[&str] = &[
    "me lembra",
    "me lembre",
    "me lembrar",
    "lembrete",
    "remind me",
    "reminder",
    "me avisa antes",
    "me avise antes",
    "hora antes",
    "horas antes",
    "minutos antes",
    "min antes",
    "dia antes",
    "me avisa no dia",
    "nao me deixa esquecer",
];
const LATER: &[&str] = &[
    "me chama amanha",
    "me chame amanha",
    "me chama depois",
    "me chame depois",
    "me chama mais tarde",
    "me manda mensagem depois",
    "me manda mensagem amanha",
    "me procura depois",
    "fala comigo depois",
    "me chama semana",
    "me contata depois",
    "me escreve depois",
    "me pergunta depois",
    "me chama outro dia",
    "contact me later",
    "text me later",
    "text me tomorrow",
];
const IDENTITY: &[&str] = &[
    "e um robo",
    "eh um robo",
    "e robo",
    "eh robo",
    "e humano",
    "eh humano",
    "e um humano",
    "e uma pessoa",
    "e pessoa",
    "e um bot",
    "eh um bot",
    "e bot",
    "e uma ia",
    "e ia",
    "eh uma ia",
    "inteligencia artificial",
    "e uma maquina",
    "e de verdade",
    "quem e voce",
    "quem e vc",
    "quem eh vc",
    "quem ta falando",
    "quem esta falando",
    "quem fala",
    "com quem eu falo",
    "com quem falo",
    "com quem estou falando",
    "com quem to falando",
    "o que voce e",
    "are you a bot",
    "are you human",
    "are you a robot",
    "are you real",
    "who are you",
    "are you a person",
    "seu nome",
    "teu nome",
    "voce e real",
    "chatgpt",
    "virtual",
    "automatico",
];
const ANGER: &[&str] = &[
    "pessimo",
    "pessima",
    "absurdo",
    "ridiculo",
    "palhacada",
    "horrivel",
    "lixo",
    "uma vergonha",
    "vergonhoso",
    "descaso",
    "pqp",
    "porra",
    "merda",
    "caralho",
    "puta",
    "puto",
    "raiva",
    "inadmissivel",
    "inaceitavel",
    "nunca mais volto",
    "nunca mais piso",
    "reclamar",
    "reclamacao",
    "que demora",
    "de saco cheio",
    "falta de respeito",
    "desrespeito",
    "vsf",
    "vtnc",
    "fdp",
    "idiota",
    "incompetente",
    "incompetentes",
    "odiei",
    "insatisfeito",
    "insatisfeita",
    "decepcionado",
    "decepcionada",
    "procon",
    "terrible",
    "awful",
    "ridiculous",
    "unacceptable",
    "worst",
    "angry",
    "fuck",
    "shit",
    "bosta",
];
const HOURS: &[&str] = &[
    "que horas abre",
    "que horas abrem",
    "que horas voces abrem",
    "que horas vcs abrem",
    "que hora abre",
    "que horas fecha",
    "que horas fecham",
    "que horas voces fecham",
    "que horas vcs fecham",
    "que hora fecha",
    "que hrs abre",
    "que hrs fecha",
    "q horas abre",
    "q horas fecha",
    "horas que abre",
    "horas que fecha",
    "horario de funcionamento",
    "horario de atendimento",
    "horarios de funcionamento",
    "horarios de atendimento",
    "ate que horas",
    "ate q horas",
    "ate que hora",
    "a partir de que horas",
    "abre",
    "abrem",
    "abertos",
    "aberto",
    "aberta",
    "fecham",
    "funciona hoje",
    "funcionam",
    "funcionam no",
    "funciona no",
    "funciona de",
    "funciona aos",
    "atendem aos",
    "atendem no",
    "atendem sabado",
    "atendem domingo",
    "atende domingo",
    "atende sabado",
    "atendem de",
    "atende no",
    "atendem em",
    "atende aos",
    "opening hours",
    "what time do you open",
    "what time do you close",
    "are you open",
    "you open",
    "you close",
    "open on",
    "business hours",
    "horario de vcs",
    "horario de voces",
    "dias voces atendem",
    "dias vcs atendem",
    "dias funciona",
    "dias voces funcionam",
    "ta fechado",
    "esta fechado",
    "estao fechados",
    "fecha hoje",
    "fecha amanha",
    "fecha sabado",
    "fecha domingo",
    "fecha no",
    "fecha aos",
    "fecha que horas",
    "fecha as",
    "ta aberta",
    "que horas voces abre",
    "horas vcs abre",
];
const MINE: &[&str] = &[
    "meu horario",
    "meus horarios",
    "meu agendamento",
    "meus agendamentos",
    "minha consulta",
    "minhas consultas",
    "tenho horario marcado",
    "tenho algum horario",
    "tenho algo marcado",
    "tenho alguma coisa marcada",
    "tenho consulta marcada",
    "tenho consulta",
    "tenho marcado",
    "to marcado",
    "estou marcado",
    "estou marcada",
    "to agendado",
    "estou agendado",
    "tenho agendamento",
    "que horas e o meu",
    "quando e o meu",
    "quando e meu",
    "quando e a minha",
    "que dia e o meu",
    "minha hora",
    "que horas eu marquei",
    "quando eu marquei",
    "que dia eu marquei",
    "my appointment",
    "my appointments",
    "do i have an appointment",
    "do i have anything",
    "minha ultima visita",
    "meu historico",
    "ultima vez que fui",
    "minha sessao",
    "tenho hora marcada",
    "que horas e minha",
    "que horas ficou",
    "que horas eu to marcado",
];
const SUBSCRIPTION: &[&str] = &[
    "meu plano",
    "minha assinatura",
    "sou assinante",
    "minha mensalidade",
    "mensalidade vence",
    "plano ta ativo",
    "plano esta ativo",
    "plano vence",
    "assinatura vence",
    "my plan",
    "my subscription",
    "sou do plano",
    "plano ativo",
    "meu pacote",
    "quando vence",
    "vencimento do plano",
    "meu clube",
];
const HEALTH_PLAN: &[&str] = &[
    "plano de saude",
    "planos de saude",
    "convenio",
    "convenios",
    "unimed",
    "bradesco",
    "amil",
    "health plan",
    "insurance",
];
const PLANS: &[&str] = &[
    "planos",
    "plano mensal",
    "assinatura",
    "assinaturas",
    "assinar",
    "clube de assinatura",
    "quais planos",
    "tem plano",
    "algum plano",
    "plano de assinatura",
    "pacote mensal",
    "mensalidade",
    "subscription",
    "subscriptions",
    "membership",
    "plans",
    "planos de voces",
];
const WHO_WORKS: &[&str] = &[
    "quem trabalha",
    "quem atende",
    "quem ta trabalhando",
    "quem esta trabalhando",
    "quem ta ai",
    "quem ta hoje",
    "quem ta atendendo",
    "quem vai estar",
    "quem esta hoje",
    "quem esta ai",
    "quem vai ta",
    "quais barbeiros",
    "quais os barbeiros",
    "quais profissionais",
    "quais os profissionais",
    "quais sao os profissionais",
    "quais sao os barbeiros",
    "que barbeiros",
    "quais medicos",
    "quais medicas",
    "quais dentistas",
    "quais doutoras",
    "quais doutores",
    "quem sao os",
    "quem sao as",
    "quem corta",
    "quem faz",
    "who works",
    "who is working",
    "which barbers",
    "trabalha hoje",
    "trabalha amanha",
    "trabalha no",
    "trabalha na",
    "trabalha sexta",
    "trabalha sabado",
    "trabalha domingo",
    "trabalha segunda",
    "trabalha terca",
    "trabalha quarta",
    "trabalha quinta",
    "ta trabalhando",
    "esta trabalhando",
    "ta ai hoje",
    "atende hoje",
    "atende amanha",
    "quem tem ai",
    "quantos barbeiros",
    "quantos profissionais",
    "barbeiros tem",
    "profissionais tem",
    "atende que dia",
    "atende quais dias",
    "trabalha que dia",
    "trabalha quais dias",
    "atende que dias",
    "trabalha que dias",
];
const AVAILABILITY: &[&str] = &[
    "com vaga",
    "dia com vaga",
    "qual o proximo dia",
    "proximo dia livre",
    "tem outro",
    "tem outra",
    "hoje tem",
    "amanha tem",
    "sexta tem",
    "sabado tem",
    "nesse dia tem",
    "esse dia tem",
    "tem horario",
    "tem horarios",
    "tem hora",
    "tem vaga",
    "tem vagas",
    "tem vaguinha",
    "tem alguma coisa",
    "tem alguma vaga",
    "teria algo",
    "teria alguma",
    "tem agenda",
    "tem disponibilidade",
    "horario disponivel",
    "horarios disponiveis",
    "horario livre",
    "horarios livres",
    "horarios vagos",
    "horario vago",
    "tem algum horario",
    "tem algo",
    "tem alguma hora",
    "tem como",
    "que horas tem",
    "q horas tem",
    "que horario tem",
    "que horarios tem",
    "quais horarios",
    "qual horario tem",
    "quais os horarios",
    "quando tem",
    "disponibilidade",
    "disponivel",
    "consegue me encaixar",
    "me encaixa",
    "encaixe",
    "tem encaixe",
    "da pra cortar",
    "da pra fazer",
    "da pra ir",
    "da pra marcar",
    "da para marcar",
    "da pra agendar",
    "consigo horario",
    "consigo um horario",
    "consigo marcar",
    "consigo agendar",
    "available",
    "availability",
    "any slot",
    "any slots",
    "any openings",
    "free slot",
    "free slots",
    "tem pra",
    "tem para",
    "tem hj",
    "tem hoje",
    "tem amanha",
    "tem sexta",
    "tem sabado",
    "tem segunda",
    "tem terca",
    "tem quarta",
    "tem quinta",
    "tem domingo",
    "teria horario",
    "teria vaga",
    "teria hora",
    "ha horario",
    "ha vaga",
    "tem espaco",
    "tem um horario",
    "tem um horarinho",
    "horarinho",
    "ainda tem",
    "tem livre",
    "ta livre",
    "esta livre",
    "tem de manha",
    "tem a tarde",
    "tem a noite",
    "tem de tarde",
    "tem de noite",
    "tem mais cedo",
    "tem mais tarde",
    "tem outro horario",
    "tem outros horarios",
    "outro horario",
    "outros horarios",
    "tem horaraio",
    "tem orario",
    "tem hrario",
    "tem hr",
    "tem as",
    "hora livre",
    "primeiro horario livre",
    "proximo horario",
    "proxima vaga",
];
const PRICES: &[&str] = &[
    "quanto custa",
    "quanto custam",
    "quanto e",
    "quanto eh",
    "quanto fica",
    "quanto ta",
    "quanto esta",
    "quanto sai",
    "quanto vai sair",
    "quanto voces cobram",
    "quanto vcs cobram",
    "quanto cobra",
    "quanto cobram",
    "qnt custa",
    "qto custa",
    "qnto custa",
    "qual o valor",
    "qual valor",
    "qual e o valor",
    "qual o preco",
    "qual e o preco",
    "qual preco",
    "preco",
    "precos",
    "valor",
    "valores",
    "tabela de precos",
    "how much",
    "price",
    "prices",
    "quantos reais",
    "quanto pago",
    "quanto ta o",
    "quanto o",
    "quanto a",
    "quanto de",
    "qto e",
    "qto fica",
    "qnt e",
    "quanto que e",
    "quanto q e",
    "quanto que custa",
    "quanto que fica",
];
const SERVICES: &[&str] = &[
    "quais servicos",
    "quais os servicos",
    "quais sao os servicos",
    "que servicos",
    "lista de servicos",
    "servicos voces",
    "servicos vcs",
    "o que voces fazem",
    "o que vcs fazem",
    "oq vcs fazem",
    "what services",
    "which services",
    "services do you",
    "tipos de servico",
    "quais procedimentos",
    "que procedimentos",
    "quais os procedimentos",
    "tratamentos voces",
    "quais tratamentos",
    "cardapio de servicos",
    "quais tipos de corte",
];
const OFFERS: &[&str] = &[
    "voces fazem",
    "vcs fazem",
    "vc faz",
    "voce faz",
    "voces faz",
    "fazem",
    "voces tem",
    "vcs tem",
    "trabalham com",
    "voces atendem crianca",
    "do you do",
    "do you offer",
    "do you have",
    "vcs trabalham com",
    "voces oferecem",
    "tem limpeza",
    "tem corte",
    "tem avaliacao",
    "tem barba",
];
const BOOK: &[&str] = &[
    "marcar",
    "marca",
    "marque",
    "marcr",
    "macar",
    "agendar",
    "agenda pra",
    "agenda um",
    "agenda uma",
    "agenda para",
    "agenda ai",
    "agende",
    "agendr",
    "ajendar",
    "agendamento",
    "reservar",
    "reserva",
    "reserve",
    "book",
    "schedule",
    "quero um horario",
    "quero horario",
    "queria um horario",
    "queria horario",
    "preciso de um horario",
    "preciso de horario",
    "quero hora",
    "queria hora",
    "um horario pra",
    "um horario para",
    "horario pra",
    "horario para",
    "quero ir",
    "queria ir",
    "an appointment",
    "make an appointment",
    "quero vaga",
    "quero cortar",
    "queria cortar",
    "preciso cortar",
    "vou querer",
    "bota ai",
    "bota eu",
    "me coloca",
    "me bota",
    "coloca eu",
    "cortar o cabelo",
    "fazer a barba",
    "cortar cabelo",
    "fazer barba",
    "cortar",
    "haircut",
    "quero uma consulta",
    "queria uma consulta",
    "preciso de uma consulta",
    "quero consulta",
    "passar em consulta",
    "quero fazer",
    "queria fazer",
    "gostaria de fazer",
    "preciso fazer",
    "marcado um",
    "marquemos",
    "garante",
    "segura pra mim",
    "segura esse",
];
const NOT_BOOK: &[&str] = &[
    "nao quero marcar",
    "nao precisa marcar",
    "nao marca",
    "nao agenda",
    "marcado",
    "ja marquei",
    "nao quero agendar",
];
const GO_AHEAD: &[&str] = &[
    "pode marcar",
    "pode agendar",
    "pode confirmar",
    "pode reservar",
    "ja marca",
    "ja pode marcar",
    "ja agenda",
    "ja confirma",
    "confirma pra mim",
    "confirma ai",
    "pode deixar marcado",
    "fechado",
    "confirmado",
    "pode fechar",
    "pode confirmar ja",
    "go ahead",
    "please book it",
];
const WANT: &[&str] = &[
    "quero",
    "queria",
    "gostaria",
    "preciso",
    "quer",
    "want",
    "i d like",
    "i need",
    "need",
    "bora",
    "vou fazer",
    "like to",
    "desejo",
    "to querendo",
    "qro",
];
const GREETING: &[&str] = &[
    "oi",
    "oii",
    "oiii",
    "oie",
    "ola",
    "olaa",
    "opa",
    "bom dia",
    "boa tarde",
    "boa noite",
    "eai",
    "e ai",
    "iae",
    "iai",
    "fala",
    "salve",
    "hello",
    "hi",
    "hey",
    "good morning",
    "good afternoon",
    "good evening",
    "tudo bem",
    "tudo bom",
    "td bem",
    "blz",
    "bom diaa",
    "bdia",
];
const THANKS: &[&str] = &[
    "obrigado",
    "obrigada",
    "obrigadao",
    "brigado",
    "brigada",
    "obg",
    "obgd",
    "obgda",
    "valeu",
    "vlw",
    "vlww",
    "agradeco",
    "gratidao",
    "thanks",
    "thank you",
    "thx",
    "tks",
    "muito obrigado",
];
const GOODBYE: &[&str] = &[
    "tchau",
    "xau",
    "ate mais",
    "ate logo",
    "ate la",
    "ate amanha",
    "ate breve",
    "falou",
    "flw",
    "fui",
    "bye",
    "goodbye",
    "see you",
    "abraco",
    "abracos",
    "ate sexta",
    "ate sabado",
];
const ANY: &[&str] = &[
    "outro barbeiro",
    "outra barbeira",
    "outro profissional",
    "outra profissional",
    "outro medico",
    "outra medica",
    "outro dentista",
    "outra pessoa",
    "qualquer um",
    "qualquer uma",
    "qualquer pessoa",
    "qualquer barbeiro",
    "qualquer profissional",
    "tanto faz",
    "tnt faz",
    "tto faz",
    "sem preferencia",
    "nao tenho preferencia",
    "n tenho preferencia",
    "quem estiver livre",
    "quem tiver livre",
    "quem tiver",
    "quem estiver",
    "vc escolhe",
    "voce escolhe",
    "vcs escolhem",
    "pode escolher",
    "o que tiver livre",
    "com quem tiver",
    "com quem estiver",
    "pode ser qualquer",
    "anyone",
    "any of them",
    "whoever",
    "doesn t matter",
    "no preference",
    "indiferente",
    "com qualquer",
    "quem vc quiser",
    "o que estiver livre",
    "quem puder",
    "any barber",
];
const EARLIEST: &[&str] = &[
    "o mais cedo",
    "mais cedo possivel",
    "o primeiro",
    "a primeira",
    "primeiro horario",
    "o quanto antes",
    "quanto antes",
    "o mais rapido",
    "mais rapido possivel",
    "earliest",
    "the first",
    "as soon as possible",
    "proximo horario",
    "proxima vaga",
    "mais proximo",
];
const LATEST: &[&str] =
    &["o mais tarde", "mais tarde possivel", "ultimo horario", "o ultimo", "a ultima", "latest", "the last"];
const REFUSAL: &[&str] = &[
    "nao quero",
    "deixa pra la",
    "deixa quieto",
    "deixa",
    "deixe",
    "esquece",
    "desisto",
    "desisti",
    "nao precisa",
    "melhor nao",
    "mudei de ideia",
    "never mind",
    "nevermind",
    "forget it",
    "deixa assim",
];
const UNDECIDED: &[&str] = &[
    "vou pensar",
    "vou ver",
    "depois eu vejo",
    "depois vejo",
    "te aviso",
    "te falo",
    "qualquer coisa eu",
    "depois eu marco",
    "deixa eu ver",
    "vou confirmar aqui",
    "i ll think",
    "let me think",
    "depois te falo",
    "vou me organizar",
];
const ASKING: &[&str] = &[
    "qual",
    "quais",
    "quanto",
    "quantos",
    "quantas",
    "onde",
    "aonde",
    "como",
    "quando",
    "por que",
    "porque",
    "me diz",
    "me fala",
    "me diga",
    "me informa",
    "queria saber",
    "quero saber",
    "gostaria de saber",
    "sabe se",
    "aceita",
    "aceitam",
    "tem",
    "vendem",
    "vende",
    "where",
    "what",
    "how",
    "when",
    "do you",
    "is there",
    "can i",
    "are there",
    "precisa",
    "preciso de",
    "duvida",
    "posso levar",
    "cobra",
    "cobram",
];
/// Subjects that are a question for the knowledge base, whatever else the clause says.
const SUBJECTS: &[&str] = &[
    "estaciona*",
    "parking",
    "pix",
    "cartao",
    "cartoes",
    "debito",
    "credito",
    "dinheiro",
    "parcela*",
    "forma de pagamento",
    "formas de pagamento",
    "aceitam",
    "aceita",
    "payment",
    "credit card",
    "onde fica",
    "onde voces ficam",
    "onde vcs ficam",
    "onde e",
    "onde eh",
    "aonde fica",
    "endereco",
    "localizacao",
    "como chego",
    "como chegar",
    "where are you",
    "where is",
    "address",
    "metro",
    "onibus",
    "convenio",
    "convenios",
    "plano de saude",
    "planos de saude",
    "unimed",
    "insurance",
    "wifi",
    "wi fi",
    "multa",
    "taxa",
    "politica",
    "tolerancia",
    "se eu atrasar",
    "vou atrasar",
    "vou me atrasar",
    "to atrasado",
    "atraso",
    "atrasado",
    "atrasada",
    "chegar atrasado",
    "atrasar",
    "se eu cancelar",
    "se eu faltar",
    "instagram",
    "site",
    "wheelchair",
    "acessibilidade",
    "cadeirante",
    "cachorro",
    "pet",
    "nota fiscal",
    "garantia",
    "contraindicacao",
    "jejum",
    "preparo",
    "gift card",
    "vale presente",
    "vendem",
    "vende",
    "ar condicionado",
    "cafe",
    "cerveja",
    "ate quando posso cancelar",
    "antecedencia",
    "criancas",
    "crianca",
];
/// Acts that answer such a subject themselves.
const OWN_SUBJECT: &[Act] = &[Act::Book, Act::Availability, Act::Reschedule, Act::MyAppointments];
