//! Whether a message agrees, judged strictly: a destructive call may hang on it.
//!
//! [`Agreement::Yes`] needs the whole message to consist of words of agreement and harmless filler. Anything that is not
//! recognised (a condition, a question mark, a date or time, a name, a "mas") makes it at most [`Agreement::Unclear`]; a
//! negation never gives Yes. [`agreement_about`] also knows what was asked, so that "cancela" does not confirm a booking.

use crate::fold::{Token, TokenKind, at, phrase_at, tokens};

/// What a message says to a yes/no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It agrees and says nothing else.
    Yes,
    /// It declines.
    No,
    /// Neither, or not only: ask again.
    Unclear,
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
    let tokens = squeezed(text);
    let mut tally = Tally::default();
    let mut index = 0;
    while index < tokens.len() {
        let step = piece_at(&tokens, index, asked);
        tally.count(step.0);
        index = index.saturating_add(step.1.max(1));
    }
    tally.verdict()
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
            Piece::OtherDeed | Piece::Question | Piece::Unknown => self.other = true,
            Piece::Filler => {}
        }
    }

    fn verdict(&self) -> Agreement {
        let agrees = self.yes || self.deed;
        if self.no {
            // "Não, pode cancelar" contradicts itself: only a refusal without any agreement is a No.
            let declines = !agrees && (self.first == Some(Piece::No) || !self.other);
            return if declines { Agreement::No } else { Agreement::Unclear };
        }
        if agrees && !self.other { Agreement::Yes } else { Agreement::Unclear }
    }
}

/// The tokens with stretched words shortened: "siiim" is "sim", "okk" is "ok".
///
/// Three equal letters become one, and so do two at a word's end.
fn squeezed(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
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
        token.text = short;
    }
    all
}

/// Words that are spelt with a double letter at their end.
const DOUBLE_ENDED: &[&str] = &["nn", "ss", "all", "agree"];

fn piece_at(tokens: &[Token], index: usize, asked: Asked) -> (Piece, usize) {
    if let Some(len) = phrase_at(tokens, index, NO) {
        return (Piece::No, len);
    }
    if let Some((piece, len)) = deed_at(tokens, index, asked) {
        return (piece, len);
    }
    if let Some(len) = phrase_at(tokens, index, YES) {
        return (Piece::Yes, len);
    }
    if let Some(len) = phrase_at(tokens, index, FILLER) {
        return (Piece::Filler, len);
    }
    let text = at(tokens, index);
    let piece = match tokens.get(index).map(|token| token.kind) {
        Some(TokenKind::Mark) if text == "?" => Piece::Question,
        Some(TokenKind::Mark) if YES_SIGNS.contains(&text) => Piece::Yes,
        Some(TokenKind::Mark) if NO_SIGNS.contains(&text) => Piece::No,
        Some(TokenKind::Mark) if UNSURE_SIGNS.contains(&text) => Piece::Unknown,
        Some(TokenKind::Mark) => Piece::Filler,
        _ => Piece::Unknown,
    };
    (piece, 1)
}

/// "Pode marcar", "quero cancelar sim", "marca": the verb and what leads it.
fn deed_at(tokens: &[Token], index: usize, asked: Asked) -> Option<(Piece, usize)> {
    let lead = phrase_at(tokens, index, LEADS).unwrap_or(0);
    let verb = at(tokens, index.saturating_add(lead));
    let kinds = [(Asked::Booking, BOOKING), (Asked::Cancelling, CANCELLING), (Asked::Rescheduling, RESCHEDULING)];
    let kind = kinds.iter().find(|(_, verbs)| verbs.contains(&verb)).map(|(kind, _)| *kind)?;
    let len = lead.saturating_add(1);
    let permitted = lead > 0 && PERMISSIONS.contains(&at(tokens, index));
    let piece = match asked {
        Asked::Other if permitted => Piece::Yes,
        // Alone it may be a new request; beside a "sim" it is part of the answer.
        Asked::Other if lead == 0 && kind == Asked::Booking => Piece::Yes,
        Asked::Other => Piece::Filler,
        _ if kind == asked => Piece::Deed,
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling => Piece::OtherDeed,
    };
    Some((piece, len))
}

const PERMISSIONS: &[&str] = &["pode", "podem", "podes", "pd", "pod", "please", "go", "can", "pdoe"];

const LEADS: &[&str] = &[
    "pode ir",
    "pode sim",
    "pode",
    "podem",
    "podes",
    "pd",
    "pod",
    "pdoe",
    "quero sim",
    "quero que",
    "quero",
    "queria",
    "vamos",
    "bora",
    "favor",
    "por favor",
    "please go ahead and",
    "please",
    "go ahead and",
    "you can",
    "i want to",
    "lets",
    "let ' s",
    "vai",
    "pode por favor",
    "sim quero",
    "mande",
    "manda",
];

const BOOKING: &[&str] = &[
    "marcar", "marca", "marque", "marcado", "agendar", "agenda", "agende", "agendado", "reservar", "reserva",
    "reserve", "book", "schedule", "fechar", "fecha", "feche", "garante", "garantir", "encaixa", "encaixar", "deixar",
    "coloca", "colocar", "bota",
];

const CANCELLING: &[&str] = &[
    "cancelar",
    "cancela",
    "cancele",
    "cancelado",
    "cancel",
    "desmarcar",
    "desmarca",
    "desmarque",
    "desmarcado",
    "cancelr",
    "canselar",
    "cansela",
    "cancelamento",
    "desmarcr",
];

const RESCHEDULING: &[&str] = &[
    "remarcar",
    "remarca",
    "remarque",
    "remarcado",
    "reagendar",
    "reagenda",
    "reagende",
    "mudar",
    "muda",
    "mude",
    "trocar",
    "troca",
    "troque",
    "passar",
    "passa",
    "passe",
    "reschedule",
    "move",
    "alterar",
];

const YES: &[&str] = &[
    "sim",
    "s",
    "ss",
    "sin",
    "sm",
    "isso mesmo",
    "isso msm",
    "isso ai",
    "isso",
    "iso",
    "exatamente",
    "exato",
    "certinho",
    "certo",
    "certeza",
    "com certeza",
    "correto",
    "corretissimo",
    "claro que sim",
    "claro",
    "ok",
    "okay",
    "okey",
    "oki",
    "okei",
    "blz",
    "blza",
    "beleza",
    "bele",
    "belezinha",
    "fechado",
    "fechou",
    "fexado",
    "combinado",
    "confirmo",
    "confirmado",
    "confirmada",
    "confirma",
    "confirmar",
    "confirme",
    "pode confirmar",
    "pode ser sim",
    "pode ser",
    "pode sim",
    "pode fazer",
    "pode mandar ver",
    "pode mandar",
    "pode prosseguir",
    "pode seguir",
    "pode continuar",
    "pode deixar",
    "pode",
    "podem",
    "pd ser",
    "pd",
    "pdoe",
    "podi",
    "quero sim",
    "quero",
    "aceito",
    "bora",
    "vamos la",
    "vamos",
    "perfeito",
    "otimo",
    "excelente",
    "maravilha",
    "show de bola",
    "show",
    "top",
    "top demais",
    "legal",
    "massa",
    "joia",
    "ta bom",
    "ta bem",
    "ta certo",
    "ta ok",
    "ta otimo",
    "ta perfeito",
    "ta joia",
    "ta",
    "tudo bem",
    "tudo certo",
    "tudo ok",
    "por mim tudo bem",
    "por mim ok",
    "por mim",
    "positivo",
    "afirmativo",
    "de acordo",
    "concordo",
    "uhum",
    "aham",
    "ahan",
    "arram",
    "sim sim",
    "serve",
    "serve sim",
    "esta certo",
    "esta bom",
    "esta otimo",
    "esta correto",
    "e isso",
    "eh isso",
    "e isso ai",
    "manda ver",
    "manda bala",
    "yes",
    "yess",
    "yep",
    "yeah",
    "yup",
    "yea",
    "y",
    "sure",
    "correct",
    "confirm",
    "confirmed",
    "go ahead",
    "please do",
    "do it",
    "that ' s right",
    "thats right",
    "sounds good",
    "perfect",
    "great",
    "absolutely",
    "of course",
    "fine",
    "works for me",
    "agreed",
    "pode cre",
];

const NO: &[&str] = &[
    "agora nao",
    "ainda nao",
    "hoje nao",
    "nao precisa",
    "nao quero",
    "nao obrigado",
    "nao",
    "naum",
    "nao mesmo",
    "n",
    "nn",
    "nop",
    "no",
    "nope",
    "nah",
    "not",
    "dont",
    "don ' t",
    "never",
    "nunca",
    "jamais",
    "nem",
    "negativo",
    "ne gativo",
    "deixa pra la",
    "deixa para la",
    "deixa quieto",
    "deixa como esta",
    "deixa assim",
    "deixa do jeito",
    "deixa eu",
    "deixa",
    "deixe",
    "melhor nao",
    "espera",
    "espere",
    "perai",
    "pera",
    "calma",
    "aguarda",
    "aguarde",
    "desisto",
    "desisti",
    "desistir",
    "esquece",
    "esqueca",
    "esquece isso",
    "de jeito nenhum",
    "de forma alguma",
    "nada disso",
    "nada",
    "errado",
    "errada",
    "wait",
    "hold on",
    "stop",
    "never mind",
    "nevermind",
    "forget it",
    "mudei de ideia",
    "changed my mind",
    "mantem",
    "manter",
    "mantenha",
    "keep it",
];

const FILLER: &[&str] = &[
    "muito obrigado",
    "muito obrigada",
    "obrigado",
    "obrigada",
    "obrigadao",
    "obrigadinha",
    "brigado",
    "brigada",
    "obg",
    "obgd",
    "obrigad",
    "valeu",
    "vlw",
    "vlws",
    "por favor",
    "por gentileza",
    "por fvr",
    "favor",
    "pf",
    "pfv",
    "pfvr",
    "plis",
    "please",
    "pls",
    "thanks",
    "thank you",
    "thank u",
    "thx",
    "tks",
    "ty",
    "ai",
    "entao",
    "mesmo",
    "msm",
    "moco",
    "moca",
    "amigo",
    "amiga",
    "querido",
    "querida",
    "mano",
    "cara",
    "irmao",
    "meu caro",
    "parceiro",
    "chefe",
    "viu",
    "tbm",
    "tambem",
    "ja",
    "ah",
    "aah",
    "oh",
    "eh",
    "hm",
    "hum",
    "e",
    "esse",
    "essa",
    "esse horario",
    "este horario",
    "nesse horario",
    "o horario",
    "meu horario",
    "meu agendamento",
    "minha consulta",
    "o agendamento",
    "a consulta",
    "o corte",
    "esse mesmo",
    "pra mim",
    "para mim",
    "por mim",
    "assim",
    "assim mesmo",
    "senhor",
    "senhora",
    "sr",
    "sra",
    "bom dia",
    "boa tarde",
    "boa noite",
    "oi",
    "ola",
    "that",
    "it",
    "the appointment",
    "my appointment",
    "for me",
    "muito bom",
    "muito",
    "bem",
    "gente",
    "doutora",
    "doutor",
    "dra",
    "dr",
    "eu",
    "me",
    "isto",
    "demais",
    "agradeco",
];

const YES_SIGNS: &[&str] = &["👍", "👌", "✅", "✔", "☑", "🤝", "👊", "🆗", "💯", "🫡"];
const NO_SIGNS: &[&str] = &["👎", "❌", "🚫", "✖", "🙅", "⛔", "✋"];
const UNSURE_SIGNS: [&str; 16] =
    ["🤔", "😕", "😒", "🤷", "😐", "🙄", "😬", "😭", "😢", "😠", "😡", "🤨", "😅", "/", "%", "$"];

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;
