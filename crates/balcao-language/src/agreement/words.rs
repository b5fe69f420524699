//! The words of agreement, refusal and courtesy, folded; a phrase is words separated by blanks.

/// Words that are spelt with a double letter at their end.
pub(super) const DOUBLE_ENDED: &[&str] = &[
    "nn", "ss", "all", "agree",
];

pub(super) const PERMISSIONS: &[&str] = &[
    "pode", "podem", "podes", "pd", "pod", "please", "go", "can", "pdoe",
];

pub(crate) const LEADS: &[&str] = &[
    "pode ir", "pode sim", "pode", "podem", "podes", "pd", "pod", "pdoe", "quero sim", "quero que", "quero", "queria",
    "vamos", "bora", "gostaria de", "favor", "por favor", "please go ahead and", "please", "go ahead and", "you can", "i want to",
    "lets", "let ' s", "vai", "pode por favor", "sim quero", "mande", "manda",
];

pub(super) const BOOKING: &[&str] = &[
    "marcar", "marca", "marque", "marcado", "agendar", "agenda", "agende", "agendado", "reservar", "reserva",
    "reserve", "book", "schedule", "fechar", "fecha", "feche", "garante", "garantir", "encaixa", "encaixar", "deixar",
    "coloca", "colocar", "bota",
];

pub(super) const CANCELLING: &[&str] = &[
    "cancelar", "cancela", "cancele", "cancelado", "cancel", "desmarcar", "desmarca", "desmarque", "desmarcado",
    "cancelr", "canselar", "cansela", "cancelamento", "desmarcr",
];

pub(super) const RESCHEDULING: &[&str] = &[
    "remarcar", "remarca", "remarque", "remarcado", "reagendar", "reagenda", "reagende", "mudar", "muda", "mude",
    "trocar", "troca", "troque", "passar", "passa", "passe", "reschedule", "move", "alterar",
];

pub(super) const WAITING: &[&str] = &[
    "coloca", "colocar", "coloque", "bota", "botar", "poe", "por", "inclui", "incluir", "inclua", "entrar", "entro", "adiciona",
    "put", "adicionar", "avisa", "avisar", "avise", "espero", "aguardo", "add", "join",
];

pub(super) const REMINDING: &[&str] = &[
    "lembra", "lembrar", "lembre", "avisa", "avisar", "avise", "manda", "mandar", "mande", "remind",
];

/// What leads to a day, a time or a name.
pub(crate) const SMALL: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "de", "do", "da", "dos", "das", "em", "no", "na", "com", "c", "pra", "pro", "para",
    "as", "dia", "hora", "horas", "h", "hs", "e", "esse", "essa", "este", "the", "on", "at", "with", "for", "my", "meu",
    "minha", "fica", "fico", "vou",
];

pub(crate) const YES: &[&str] = &[
    "sim", "s", "ss", "sin", "sm", "isso mesmo", "isso msm", "isso ai", "isso", "iso", "exatamente", "exato",
    "certinho", "certo", "certeza", "com certeza", "correto", "claro que sim", "claro", "ok", "okay",
    "okey", "oki", "okei", "blz", "blza", "beleza", "bele", "belezinha", "fechado", "fechou", "fexado", "combinado",
    "confirmo", "confirmado", "confirmada", "confirma", "confirmar", "confirme", "pode confirmar", "pode ser sim",
    "pode ser", "pode sim", "pode fazer", "pode mandar ver", "pode mandar", "pode prosseguir", "pode seguir",
    "pode continuar", "pode deixar", "pode", "podem", "pd ser", "pd", "pdoe", "podi", "quero sim", "quero", "aceito",
    "bora", "vamos la", "vamos", "perfeito", "otimo", "excelente", "maravilha", "show de bola", "show", "top",
    "top demais", "legal", "massa", "joia", "ta bom", "ta bem", "ta certo", "ta ok", "ta otimo", "ta perfeito",
    "ta joia", "ta", "tudo bem", "tudo certo", "tudo ok", "por mim tudo bem", "por mim ok", "por mim", "positivo",
    "afirmativo", "de acordo", "concordo", "uhum", "aham", "ahan", "arram", "sim sim", "serve", "serve sim",
    "esta certo", "esta bom", "esta otimo", "esta correto", "e isso", "eh isso", "e isso ai", "eh isso ai", "manda ver",
    "manda bala", "yes", "yess", "yep", "yeah", "yup", "yea", "y", "sure", "correct", "confirm", "confirmed",
    "go ahead", "please do", "do it", "that ' s right", "thats right", "sounds good", "perfect", "great",
    "absolutely", "of course", "fine", "works for me", "agreed", "pode cre", "topo", "topado", "fico com", "ficamos assim",
    "fica assim", "pode fechar", "pode concluir", "pode finalizar", "pode botar", "pode tocar", "toca ficha", "segue",
    "demorou", "partiu", "simbora", "vambora", "to dentro", "tamo junto", "estou de acordo", "ta combinado", "ta fechado",
    "ta marcado", "feito", "sem problema", "sem problemas", "deal", "lets do it", "let ' s do it", "let ' s go", "lets go",
    "count me in", "i ' m in", "book it", "that works", "go for it", "all good", "pode vir", "pode crer", "faz isso",
    "faca isso", "vamo la", "vamo", "fecho", "manda", "aprovado", "autorizo", "autorizado", "tranquilo", "suave", "de boa", "ja e",
    "ja eh", "dale", "tmj", "ta boa", "esta boa", "ta valendo", "valendo", "logico", "obvio", "com toda certeza",
    "sem duvida", "fechamos", "sounds great", "sounds perfect", "sure thing",
    "let ' s do that", "lets do that", "cool", "works", "works great", "da certo", "da sim", "pra mim da", "gostaria sim", "anota", "pode por na agenda", "pode por", "firmeza",
    "com ctz", "ctz",
    "fmz", "demoro",
];

/// Of [`YES`]: they say that something is right or wanted, which agrees to end it only where nothing says what they mean.
pub(super) const AFFIRMING: &[&str] = &[
    "quero sim", "quero", "confirmo", "confirmado", "confirmada", "confirma", "confirmar", "confirme", "confirm", "confirmed",
    "aceito", "certo", "certinho", "correto", "ta certo", "tudo certo", "esta certo", "esta correto", "ta bom", "ta ok",
    "tudo bem", "tudo ok", "esta bom", "ta",
];

/// Of [`YES`]: they answer a question with yes, and do not also settle an appointment as "fechado" does.
pub(super) const ANSWERING: &[&str] = &[
    "sim", "s", "ss", "sin", "sm", "isso", "iso", "exatamente", "exato", "pode", "podem", "podes", "pd", "pdoe", "podi",
    "isso mesmo", "isso msm", "isso ai", "pode sim", "sim sim",
    "faz isso", "faca isso", "yes", "yess", "yep", "yeah", "yup", "yea", "y", "go ahead", "please do", "do it",
];

/// Of [`YES`]: they say that what was arranged stands, and so agree to no end of it.
pub(super) const STANDING: &[&str] = &[
    "fica assim", "ficamos assim", "fico com", "ta marcado", "segue", "serve", "serve sim", "topo", "topado", "partiu",
    "pode vir", "to dentro", "count me in", "i ' m in", "works for me", "that works", "works", "works great", "da certo", "da sim", "pra mim da", "gostaria sim", "anota", "ta boa",
    "esta boa", "ta valendo", "valendo",
];

/// Of [`STANDING`]: they say that a new time suits, and so agree to a move.
pub(super) const SUITING: &[&str] = &[
    "serve", "serve sim", "topo", "topado", "works for me", "that works", "works", "works great", "da certo", "da sim", "pra mim da",
    "gostaria sim", "ta boa", "esta boa",
];

/// Moments after now that are no day.
pub(crate) const LATER: &[&str] = &[
    "depois", "tarde", "logo", "mais tarde", "noite", "manha", "jaja", "ja ja", "breve", "em breve", "daqui a pouco", "daqui pouco", "later",
    "then", "soon",
];

/// Of [`SMALL`]: verbs by which a customer comes or stays.
pub(super) const COMING: &[&str] = &["fica", "fico", "vou"];

/// Of [`FILLER`]: they name the appointment.
pub(super) const APPOINTMENT: &[&str] = &[
    "esse horario", "este horario", "nesse horario", "o horario", "meu horario", "meu agendamento", "minha consulta",
    "o agendamento", "a consulta", "o corte", "the appointment", "my appointment",
];

pub(crate) const NO: &[&str] = &[
    "agora nao", "ainda nao", "hoje nao", "nao precisa", "nao quero", "nao obrigado", "nao", "naum", "nao mesmo", "n",
    "nn", "nop", "no", "nope", "nah", "not", "dont", "don ' t", "never", "nunca", "jamais", "nem", "negativo",
    "ne gativo", "deixa pra la", "deixa para la", "deixa quieto", "deixa como esta", "deixa assim", "deixa do jeito",
    "deixa eu", "deixa", "deixe", "melhor nao", "espera", "espere", "perai", "pera", "calma", "aguarda", "aguarde",
    "desisto", "desisti", "desistir", "esquece", "esqueca", "esquece isso", "de jeito nenhum", "de forma alguma",
    "nada disso", "nada", "errado", "errada", "wait", "hold on", "stop", "never mind", "nevermind", "forget it",
    "mudei de ideia", "changed my mind", "mantem", "manter", "mantenha", "keep it",
];

pub(crate) const FILLER: &[&str] = &[
    "muito obrigado", "muito obrigada", "obrigado", "obrigada", "obrigadao", "obrigadinha", "brigado", "brigada",
    "obg", "obgd", "obrigad", "valeu", "vlw", "vlws", "por favor", "faz favor", "por gentileza", "por fvr", "favor", "pf", "pfv",
    "pfvr", "plis", "please", "pls", "plz", "thanks", "thank you", "thank u", "thx", "tks", "ty", "ai", "entao", "mesmo",
    "msm", "moco", "moca", "amigo", "amiga", "querido", "querida", "mano", "cara", "irmao", "meu caro", "parceiro",
    "chefe", "viu", "tbm", "tambem", "ja", "ah", "aah", "oh", "eh", "hm", "hum", "e", "esse", "essa", "esse horario",
    "este horario", "nesse horario", "o horario", "meu horario", "meu agendamento", "minha consulta", "o agendamento",
    "a consulta", "o corte", "esse mesmo", "pra mim", "para mim", "por mim", "assim", "assim mesmo", "senhor",
    "senhora", "sr", "sra", "bom dia", "boa tarde", "boa noite", "oi", "ola", "that", "it", "the appointment",
    "my appointment", "for me", "muito bom", "muito", "bem", "gente", "doutora", "doutor", "dra", "dr", "eu", "me",
    "opa", "opaa", "eba", "oba", "eita", "eta", "uau", "ufa", "aee", "ae", "ih", "ixi", "vixe", "poxa", "nossa", "wow", "yay", "oops",
    "isto", "demais", "agradeco", "la", "boa", "gostei", "adorei", "essa hora", "esta hora", "os dois", "as duas", "ambos", "ambas", "todos", "todas", "tudo", "both", "all of them",
];

/// Of [`FILLER`]: they thank.
pub(super) const THANKS: &[&str] = &[
    "muito obrigado", "muito obrigada", "obrigado", "obrigada", "obrigadao", "obrigadinha", "brigado", "brigada", "obg", "obgd",
    "obrigad", "valeu", "vlw", "vlws", "agradeco", "thanks", "thank you", "thank u", "thx", "tks", "ty",
];

/// Of [`YES`]: they also concede, and with thanks they close a conversation.
pub(super) const CONCEDING: &[&str] = &[
    "tudo bem", "tudo certo", "tudo ok", "por mim tudo bem", "sem problema", "sem problemas", "legal", "ta", "tranquilo", "suave", "de boa",
    "all good",
];

/// Of [`YES`]: they say that something was heard or is good. Behind a statement that asks nothing, they wish for nothing.
pub(super) const ACKNOWLEDGING: &[&str] = &[
    "certinho", "certo", "correto", "ok", "okay", "okey", "oki", "okei", "blz", "blza", "beleza", "bele", "belezinha", "perfeito", "otimo",
    "excelente", "maravilha", "show de bola", "show", "top", "top demais", "legal", "massa", "joia", "ta bom", "ta bem", "ta certo", "ta ok",
    "ta otimo", "ta perfeito", "ta joia", "ta", "tudo bem", "tudo certo", "tudo ok", "uhum", "aham", "ahan", "arram", "esta certo", "esta bom",
    "esta otimo", "esta correto", "perfect", "great", "fine", "cool", "works", "works great", "sounds good", "sounds great", "sounds perfect",
    "all good", "tranquilo", "suave", "de boa", "sem problema", "sem problemas", "ta boa", "esta boa", "firmeza", "fmz", "pode cre", "pode crer", "correct",
    "positivo",
];

/// Of [`CONCEDING`]: they say that nothing is amiss, and may mean that nothing need be done.
pub(super) const UNTROUBLED: &[&str] = &[
    "sem problema", "sem problemas", "tranquilo", "suave", "de boa", "all good", "tudo certo",
];

/// What opens a conversation.
pub(crate) const SALUTATIONS: &[&str] = &[
    "oi", "oie", "ola", "alo", "opa", "e ai", "eai", "bom dia", "boa tarde", "boa noite", "salve", "fala", "hi", "hello", "hey",
];

/// Questions how we are, which only greet.
pub(crate) const GREETINGS: &[&str] = &[
    "tudo bem", "td bem", "tudo bom", "td bom", "tudo certo", "tudo joia", "tudo tranquilo", "tudo", "como vai", "como voce esta",
    "como voce ta", "como ce ta", "como estao", "como estas", "beleza", "blz", "e ai", "e voce", "com voce", "com voces",
    "how are you", "how ' s it going", "what ' s up", "all good",
];

/// Of [`FILLER`]: they ask for what was offered.
pub(super) const PLEASE: &[&str] = &[
    "por favor", "faz favor", "por gentileza", "pf", "pfv", "pfvr", "plis", "please", "pls", "plz",
];

pub(crate) const YES_SIGNS: &[&str] = &[
    "👍", "👌", "🙌", "👏", "✅", "✔", "☑", "🤝", "👊", "🆗", "💯", "🫡",
];

pub(super) const NO_SIGNS: &[&str] = &[
    "👎", "❌", "🚫", "✖", "🙅", "⛔", "✋",
];

/// Neither: whoever says so has not decided, and refuses nothing.
pub(super) const UNSURE: &[&str] = &[
    "ainda nao sei", "nao sei ainda", "nao sei nao", "nao sei", "nao sei bem", "n sei", "naum sei", "num sei", "sei la",
    "ah ta", "isso tudo", "tudo isso", "demorou muito", "demorou demais", "nao tenho certeza", "nao faco ideia", "nao faco a menor ideia", "not sure", "i don ' t know", "i dont know", "don ' t know",
    "dont know", "no idea",
];
