//! The fast way: one walk over a text that tells whether any pass could touch it.
//!
//! Errs on one side only: a text that passes here is left alone by all passes (a test holds the two against each other); a
//! text that is stopped here may well turn out to be clean.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{SanitiserConfig, rules::is_technical};

/// Words and endings that begin something a pass may remove. Matched without regard to ASCII case, anywhere.
const WORDS: &[&str] = &[
    // calls, reasoning, roles
    "functool",
    "tool",
    "ferramenta",
    "função",
    "funcao",
    "function",
    "endpoint",
    "plugin",
    "webhook",
    "json",
    "payload",
    "prompt",
    "instruções",
    "instructions",
    "assistant",
    "assistente",
    "analysis",
    "commentary",
    "thought",
    "observation",
    "pensamento:",
    "final:",
    "answer:",
    "resposta",
    "response",
    "reply:",
    "usuário",
    "usuario",
    "user",
    "customer:",
    "cliente:",
    "human",
    "atendente:",
    "agente:",
    "agent:",
    "bot:",
    "model",
    "sistema:",
    "system",
    "developer:",
    "nota interna",
    "nota para",
    "note",
    "resumo para",
    "summary for",
    "handoff",
    "traceback",
    "stack",
    "panicked",
    "exception",
    "error",
    "caused by",
    "goroutine",
    "ação:",
    "acao:",
    "action",
    "input:",
    "args",
    "argumentos",
    "parâmetros",
    "parametros",
    "configurad",
    "programa",
    "instru",
    "treinad",
    "i was",
    "should",
    "need to",
    "must",
    "let me",
    "let's",
    "preciso",
    "herramienta",
    "función",
    "api",
    " ai",
    " ia",
    "modelo",
    "llm",
    "gpt",
    "claude",
    "gemini",
    "llama",
    "openai",
    "anthropic",
    "deepseek",
    "qwen",
    "inteligência artificial",
    "artificial intelligence",
    "language",
    "comando",
    "command",
    "executa",
    "chama",
    "invo",
    // errors and data
    "select",
    "insert",
    "update",
    "delete",
    "drop",
    "alter",
    "create",
    "truncate",
    "constraint",
    "violates",
    "duplicate",
    "sqlstate",
    "locked",
    "no such",
    "syntax",
    "econn",
    "etimedout",
    "enotfound",
    "epipe",
    "eai_",
    "enoent",
    "eacces",
    "internal",
    "gateway",
    "unavailable",
    "unprocessable",
    "too many",
    "http",
    "status",
    "code",
    "código",
    "codigo",
    "erro",
    "refused",
    "recusada",
    "timeout",
    "timed out",
    "reset",
    "deadline",
    "pointer",
    "fault",
    "out of",
    "overflow",
    "curl",
    "get /",
    "post /",
    "put /",
    "patch /",
    "localhost",
    "core dumped",
    "unwrap",
    "undefined",
    "cannot read",
    "bearer",
    "akia",
    "asia",
    "aiza",
    "eaa",
    "ya29",
    "eyj",
    "secret",
    "token",
    "begin ",
    "password",
    "nan",
    "null",
    "none",
    "nil",
    "invalid date",
    "sk-",
    "pk-",
    "rk-",
    "xai-",
    "xox",
    "glpat-",
    "wamid",
    "call",
    "toolu",
    "chatcmpl",
    "resp-",
    "req-",
    "id ",
    "ids ",
    "id:",
    "id é",
    "uuid",
    "identificador",
    "identifier",
    "javascript",
    "data:",
    "file:",
    "ftp:",
    "www.",
    "namespace",
    "oaicite",
    "think",
];

/// The compiled gate.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    words: Option<AhoCorasick>,
}

impl Gate {
    pub(crate) fn new(config: &SanitiserConfig) -> Self {
        let names = config.tool_names.iter().chain(&config.field_names).filter(|name| is_technical(name));
        let joined = names.map(|name| name.replace(['_', '-'], "")).filter(|name| name.len() > 4);
        let all = WORDS.iter().map(|word| (*word).to_owned()).chain(joined);
        let words =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(all).ok();
        Self { words }
    }

    /// True if no pass would change the text (its length apart).
    pub(crate) fn is_plain(&self, text: &str) -> bool {
        let Some(words) = &self.words else { return false };
        looks_plain(text) && !words.is_match(text) && !repeats(text)
    }
}

/// What the walk remembers of the byte before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Blank,
    Lower,
    Upper,
    Digit,
    Dot,
    Other,
}

/// Letters, figures and punctuation as people write them, and nothing that looks like a machine's.
fn looks_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    let mut last = Last::Blank;
    let (mut run, mut mixed, mut dashes, mut points) = (0_u32, false, 0_u32, 0_u32);
    while let Some(byte) = bytes.next() {
        let now = match byte {
            b' ' => Last::Blank,
            b'\n' => Last::Blank,
            b'a'..=b'z' => {
                // `x.y` and `9.x` may be a host or code.
                if last == Last::Dot {
                    return false;
                }
                Last::Lower
            }
            b'A'..=b'Z' => {
                if last == Last::Lower || last == Last::Dot {
                    return false;
                }
                Last::Upper
            }
            b'0'..=b'9' => Last::Digit,
            b'.' => {
                points = points.saturating_add(u32::from(last == Last::Digit));
                Last::Dot
            }
            b'/' if last == Last::Digit => Last::Other,
            b'(' if matches!(last, Last::Blank | Last::Other) => Last::Other,
            b'-' => {
                dashes = dashes.saturating_add(1);
                Last::Other
            }
            b'%' if last == Last::Digit => Last::Other,
            b'!' | b',' | b'?' | b':' | b';' | b')' | b'+' => Last::Other,
            b'$' if last == Last::Upper => Last::Other,
            0xC3 => {
                // À to ÿ.
                if bytes.next().is_none() || last == Last::Dot {
                    return false;
                }
                Last::Lower
            }
            0xC2 => match bytes.next() {
                Some(0xA0 | 0xAA | 0xBA | 0xB0 | 0xB7 | 0xA1 | 0xBF) => Last::Other,
                _ => return false,
            },
            0xE2 => match (bytes.next(), bytes.next()) {
                (Some(0x80), Some(0x93 | 0x94 | 0x98 | 0x99 | 0x9C | 0x9D | 0xA2 | 0xA6)) => Last::Other,
                // Signs and dingbats such as ✅ ⏰ ☎; ✿ is one of Qwen's markers.
                (Some(0x98 | 0x9C | 0x9D | 0x9E | 0xAD), Some(_)) => Last::Other,
                (Some(0x9A | 0x9B | 0x8F), Some(_)) => Last::Other,
                _ => return false,
            },
            0xF0 => match (bytes.next(), bytes.next(), bytes.next()) {
                (Some(0x9F), Some(0x8C..=0xAB), Some(_)) => Last::Other,
                _ => return false,
            },
            // The emoji selector.
            0xEF => match (bytes.next(), bytes.next()) {
                (Some(0xB8), Some(0x8F)) if last == Last::Other => Last::Other,
                _ => return false,
            },
            _ => return false,
        };
        if now == Last::Blank {
            if dashes > 2 || points > 2 {
                return false;
            }
            (run, mixed, dashes, points) = (0, false, 0, 0);
        } else {
            run = run.saturating_add(1);
            mixed |= now == Last::Digit;
            // Long words, and shorter ones with figures, may be ids.
            if run > 22 || (mixed && run > 12) {
                return false;
            }
        }
        last = now;
    }
    dashes <= 2 && points <= 2
}

/// True if a line or sentence could be there twice: two of equal length and equal first byte.
fn repeats(text: &str) -> bool {
    let mut seen: [(usize, u8); 32] = [(0, 0); 32];
    let mut used = 0_usize;
    for piece in text.split(['.', '!', '?', '\n', '…']) {
        let piece = piece.trim();
        if piece.len() < 22 {
            continue;
        }
        let mark = (piece.len(), piece.bytes().next().unwrap_or_default().to_ascii_lowercase());
        let known = seen.iter().take(used).any(|other| *other == mark);
        let Some(slot) = seen.get_mut(used) else { return true };
        if known {
            return true;
        }
        *slot = mark;
        used = used.saturating_add(1);
    }
    false
}
