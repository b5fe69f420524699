//! The closed classes of words by which a request is told from what only looks like one, folded.

use crate::agreement::Asked;

/// What may stand before a request without changing it.
pub(crate) const COURTESY: &[&str] = &[
    "oi", "ola", "opa", "bom", "boa", "dia", "tarde", "noite", "por", "favor", "pf", "pfv", "please", "me", "ja", "ai", "la",
    "eu", "a", "gente", "ate", "agora", "hi", "hello", "hey", "ah", "sim", "ok", "isso", "pra", "mim", "logo", "que", "um", "uma",
    "de", "just", "so", "also", "tambem", "voce", "vc",
];

/// Questions behind a request that ask only whether it can be.
pub(crate) const TAGS: &[&str] = &["pode ser", "pode", "tem como", "da certo", "da", "rola", "is that ok", "is that possible", "can you"];

/// Verbs that wish for what follows.
pub(crate) const WISHES: &[&str] = &[
    "quero", "queria", "gostaria de", "gostaria", "preciso de", "preciso", "vou querer", "desejo", "qro", "to querendo",
    "i want to", "i want", "i would like to", "i would like", "i ' d like to", "i ' d like", "i need to", "i need",
    "can you", "could you",
];

pub(crate) const NEGATIONS: &[&str] = &[
    "nao", "naum", "num", "n", "nn", "nem", "nunca", "jamais", "ninguem", "nenhum", "nenhuma", "nada", "not", "no", "never",
    "dont", "don ' t", "cant", "can ' t", "cannot", "won ' t", "wont", "without", "deixa pra la", "deixa quieto", "deixa eu", "esquece",
    "pera", "perai", "espera ai", "calma", "desisti", "forget", "wait",
];

/// Words that begin a condition or put a thing off.
pub(crate) const CONDITIONS: &[&str] = &[
    "so se", "se", "caso", "desde que", "contanto", "assim que", "depois que", "logo que", "quando eu", "quando o", "quando a",
    "quando meu", "quando minha", "quando", "ate eu", "ate que", "antes de", "antes que", "a menos", "a nao ser", "dependendo", "conforme", "if",
    "unless", "until", "once", "when", "provided", "as soon as", "after i", "as long as", "before",
];

/// Verbs and adjectives of being free or able, of which whoever carries a deed out is the judge.
pub(crate) const AVAILABLE: &[&str] = &[
    "tiver", "tiverem", "houver", "der", "abrir", "abrirem", "surgir", "surgirem", "vagar", "vagarem", "sobrar", "aparecer",
    "desistir", "desmarcar", "cancelar", "cancelarem", "puder", "puderem", "possivel", "livre", "disponivel", "vaga", "available", "free", "open",
    "opens", "up", "possible", "estiver", "estiverem",
];

/// Words of whoever has not decided, or wants to know first.
pub(crate) const DOUBTS: &[&str] = &[
    "talvez", "acho", "achar", "achei", "quem sabe", "sei la", "sera", "depende", "duvida", "duvidas", "provavelmente", "pensar",
    "penso", "vou ver", "ver com", "ver se", "verificar", "conferir", "consultar", "saber", "perguntar", "pesquisar", "decidir", "falar com",
    "combinar com", "te aviso", "te falo", "te confirmo", "eu confirmar", "eu aviso", "depois confirmo", "confirmo depois", "mais pra frente",
    "outra hora", "pode ser que", "maybe", "perhaps", "might", "probably", "think", "wondering", "let me", "ask", "check",
    "decide", "later on", "ainda", "so depois", "que esperar", "so preciso", "digo", "alias", "ops", "na verdade", "brincadeira", "zoeira", "mentira", "faz de conta", "fazer de conta", "finge", "finja", "imagina que", "suponha", "digamos",
    "i mean", "actually",
];

pub(super) const ADVERSATIVES: &[&str] =
    &["mas", "mais porem", "porem", "todavia", "contudo", "entretanto", "senao", "but", "however", "though", "although", "except"];

/// Verbs that tell what somebody else said.
pub(super) const REPORTS: &[&str] = &[
    "segundo", "disse", "disseram", "falou", "falaram", "diz", "dizem", "pediu", "pediram", "mandou", "perguntou", "said", "says", "told", "asked",
];

/// Modal verbs that suppose.
pub(crate) const SUPPOSED: &[&str] = &[
    "daria", "seria", "iria", "faria", "teria", "teriam", "deveria", "would", "fosse", "tivesse", "pudesse", "desse",
];

/// Words that begin a question, with or without its mark.
pub(super) const QUESTIONS: &[&str] = &[
    "quanto", "quantos", "quantas", "quanta", "qual", "quais", "onde", "aonde", "como", "quem", "que horas", "o que", "oq", "por que", "pq",
    "cade", "what", "which", "where", "who", "how", "why", "is there", "are there", "do you", "is it",
];

/// What is asked for where somebody wants to wait for a place.
pub(crate) const OBJECTS_OF_WAITING: &[&str] = &[
    "lista de espera", "fila de espera", "lista", "fila", "abrir", "abrirem", "surgir", "surgirem", "vagar", "desistir", "desistencia", "aparecer", "sobrar", "waitlist",
    "waiting", "opens up", "opens",
];

/// What is asked for where somebody wants to be reminded.
pub(super) const OBJECTS_OF_REMINDERS: &[&str] = &[
    "lembra", "lembrar", "lembre", "lembrete", "lembretes", "lembranca", "avisa", "avise", "avisar", "aviso", "remind", "reminder",
];

/// By deed: how its words begin, and what else speaks of it.
pub(super) const STEMS: &[(Asked, &[&str], &[&str])] = &[
    (
        Asked::Booking,
        &["marc", "marq", "agend", "reserv", "encaix", "book", "schedul", "appointment"],
        &["horario", "horarios", "vaga", "vagas", "hora marcada"],
    ),
    (
        Asked::Cancelling,
        &["cancel", "cansel", "desmarc", "desmarq", "desist"],
        &[
            "nao vou poder", "nao vou conseguir", "nao posso ir", "nao consigo ir", "nao vou mais", "nao vou", "nao poderei", "nao vai dar",
            "nao quero mais", "imprevisto", "can ' t make", "cant make", "cannot make", "call off", "tira", "tirar", "libera", "liberar",
        ],
    ),
    (
        Asked::Rescheduling,
        &[
            "remarc", "remarq", "reagend", "reschedul", "mud", "troc", "adia", "antecip", "transfer", "alter", "postpon", "mov",
        ],
        &[
            "passa", "passar", "passe", "change", "outro dia", "outra hora", "outro horario", "outra data", "mais tarde", "mais cedo", "em vez",
            "ao inves", "no lugar", "melhor", "prefiro", "instead", "another", "later", "earlier", "pra outro", "para outro", "pode ser", "da pra ser",
        ],
    ),
    (Asked::Waiting, &["waitlist", "waiting", "desist"], &[
        "lista de espera", "lista", "fila de espera", "fila", "espera", "esperar", "avisa", "avisar", "avise", "abrir", "surgir", "let me know",
    ]),
    (Asked::Reminding, &["lembr", "remind"], &["avisa", "avisar", "avise", "aviso"]),
];

/// What an offer to wait for a place names.
pub(super) const OFFERED_WAITING: &[&str] =
    &["lista de espera", "fila de espera", "waitlist", "waiting list", "se abrir", "se surgir", "se vagar", "if one opens"];

/// What an offer to move an appointment says beside its own verbs.
pub(super) const MOVED: &[&str] = &["passar", "passo", "passe", "change"];

/// Words for another time or thing than the one that is spoken of.
pub(super) const OTHERS: &[&str] = &[
    "outro", "outra", "outros", "outras", "another", "other", "different", "mais tarde", "mais cedo", "later", "earlier",
];

/// Nouns for what is booked, whatever the trade.
pub(crate) const OBJECTS_OF_BOOKING: &[&str] = &[
    "horario", "horarios", "vaga", "vagas", "hora", "encaixe", "consulta", "atendimento", "agendamento", "appointment", "slot", "time",
];

/// Days by their place from today, and what names one.
pub(super) const DAYS: &[&str] = &["hoje", "amanha", "depois", "dia", "semana", "today", "tomorrow", "tonight", "next"];

/// Verbs that say little themselves: "fazer a barba", "ficar na lista", "ir sexta".
pub(crate) const LIGHT_VERBS: &[&str] = &[
    "fazer", "ir", "vir", "ter", "ficar", "ser", "estar", "receber", "dar", "passar", "get", "have", "be", "do", "come",
];

/// What stands before a noun.
pub(super) const DETERMINERS: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "meu", "minha", "sua", "seu", "tua", "teu", "nossa", "nosso", "essa", "esta", "esse", "este",
    "aquela", "aquele", "na", "no", "da", "do", "pela", "the", "an", "my", "your", "this", "that",
];

/// Verbs that say what something is.
pub(super) const COPULAS: &[&str] = &["ta", "tao", "esta", "estao", "estava", "tava", "e", "eh", "era", "foi", "tem", "is", "was", "are"];

/// What may follow "de" without making a noun of the verb before it.
pub(crate) const PARTS_OF_THE_DAY: &[&str] = &["manha", "manhazinha", "tarde", "tardezinha", "noite", "madrugada", "novo"];

/// What stands before what is already known.
pub(super) const DEFINITE: &[&str] = &["o", "a", "os", "as", "meu", "minha", "the", "my"];

/// Prepositions before a person who does not act: "com o Wesley", "pra minha filha".
pub(super) const TOWARDS: &[&str] =
    &["com", "c", "pra", "pro", "para", "da", "do", "de", "pelo", "pela", "with", "for", "of", "sou", "aqui"];

/// Words that ask wherever they stand.
pub(super) const ASKING: &[&str] = &[
    "quanto", "quantos", "quantas", "quanta", "qual", "quais", "quem", "what", "which", "how", "why",
];

/// What rules out the thing behind it.
pub(super) const EXCLUDING: &[&str] = &[
    "menos", "tirando", "sem ser", "exceto", "a nao ser", "em vez de", "em vez da", "em vez do", "ao inves de", "ao inves da",
    "ao inves do", "no lugar de", "no lugar da", "no lugar do", "except", "besides", "rather than", "apart from", "other than",
    "instead of",
];

/// The names of the queue, which alone ask for a place in it.
pub(super) const NAMES_OF_WAITING: &[&str] = &["lista de espera", "fila de espera", "waitlist", "waiting list"];

/// Out of the queue.
pub(super) const LEAVING: &[&str] = &["fora", "sair", "tirar", "saio", "out of", "off"];

/// Verbs of telling among those of the deeds.
pub(super) const TELLING: &[&str] = &["avisa", "avisar", "avise", "lembra", "lembrar", "lembre", "manda", "mandar", "mande", "remind"];

/// What may stand between such a verb and what it tells.
pub(super) const ADDRESSEE: &[&str] = &["me", "mim", "pra", "por", "favor", "pf", "pfv", "please", "ai", "la", "ja", "tambem", "eu"];

/// What begins another addressee, or a matter of its own.
pub(super) const MATTERS: &[&str] = &[
    "que", "de", "do", "da", "disso", "disto", "daquilo", "dele", "dela", "desse", "dessa", "deste", "desta", "daquele", "daquela", "o", "a", "os", "as", "pro", "ao", "aos", "what", "how", "that", "of", "him", "her", "them", "ele", "ela",
];

/// What joins an act to one that comes before it.
pub(super) const THEN: &[&str] = &["e ai", "ai", "dai", "e depois", "depois", "e so depois", "then", "and then"];

/// The shorthand of chats.
pub(super) const SHORTHAND: &[(&str, &str)] = &[
    ("q", "que"), ("qnd", "quando"), ("qdo", "quando"), ("qd", "quando"), ("dps", "depois"), ("nd", "nada"), ("tb", "tambem"),
    ("tbm", "tambem"), ("hj", "hoje"), ("amh", "amanha"), ("qto", "quanto"), ("qnto", "quanto"), ("qm", "quem"),
    ("mto", "muito"), ("obg", "obrigado"), ("msm", "mesmo"), ("naum", "nao"), ("vc", "voce"), ("vcs", "voces"),
];
