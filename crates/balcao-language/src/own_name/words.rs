//! Words that are no names, folded.

/// Words of closed classes, and the commonest of what one is, has or is called for.
pub(super) const NOT_NAMES: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "uns", "umas", "e", "eh", "ou", "de", "do", "da", "dos", "das", "em", "no", "na", "nos", "nas",
    "com", "sem", "por", "pra", "pro", "para", "pelo", "pela", "ate", "desde", "entre", "sobre", "que", "se", "como", "quando", "onde",
    "quem", "qual", "porque", "pq", "mas", "nem", "nao", "n", "sim", "so", "muito", "muita", "mais", "menos", "bem", "mal", "ja", "ainda",
    "tambem", "tb", "tbm", "meio", "quase", "super", "bastante", "eu", "ele", "ela", "voce", "vc", "meu", "minha", "seu", "sua", "dele",
    "dela", "deles", "delas", "esse", "essa", "este", "esta", "isso", "aquele", "aquela", "outro", "outra", "mesmo", "mesma", "proprio",
    "propria", "todo", "toda", "ta", "to", "tava", "estou", "estava", "era", "foi", "vai", "vou", "tem", "tenho", "hoje", "amanha",
    "ontem", "cedo", "tarde", "noite", "dia", "logo", "depois", "antes", "aqui", "ai", "la", "novo", "nova", "novato", "volta", "favor",
    "primeiro", "primeira", "segundo", "segunda", "terceiro", "terceira", "ultimo", "ultima", "proximo", "proxima", "unico", "unica",
    "cliente", "dono", "dona", "chefe", "gerente", "patrao", "responsavel", "paciente", "aluno", "aluna", "vizinho", "vizinha", "colega",
    "socio", "socia", "moca", "moco", "homem", "rapaz", "garoto", "garota", "pessoa", "gente", "crianca", "cara", "mano", "doutor",
    "doutora", "senhor", "senhora", "seu", "casado", "casada", "solteiro", "solteira", "viuvo", "viuva", "alergico", "alergica",
    "diabetico", "diabetica", "gestante", "gravida", "careca", "loiro", "loira", "moreno", "morena", "ruivo", "ruiva", "alto", "alta",
    "baixo", "baixa", "gordo", "gorda", "magro", "magra", "novinho", "velho", "velha", "idoso", "idosa", "surdo", "surda", "bom", "boa",
    "ruim", "otimo", "otima", "legal", "certo", "certa", "errado", "errada", "correto", "correta", "dificil", "facil", "diferente",
    "igual", "comum", "brasileiro", "brasileira", "carioca", "paulista", "mineiro", "mineira", "gaucho", "gaucha", "baiano", "baiana",
    "the", "an", "is", "are", "was", "not", "no", "yes", "it", "that", "this", "there", "here", "my", "your", "his", "her", "their", "of",
    "in", "on", "at", "to", "for", "from", "with", "by", "as", "so", "very", "too", "just", "really", "still", "only", "also", "already",
    "almost", "about", "going", "coming", "late", "early", "sorry", "fine", "good", "great", "ok", "okay", "ready", "sick", "busy", "free",
    "new", "old", "allergic", "pregnant", "married", "single", "first", "second", "last", "next", "back", "later", "soon", "now", "today",
    "tomorrow", "tonight", "when", "if", "before", "after", "maybe", "anytime", "wrong", "right", "client", "customer", "owner", "sure",
    "happy", "afraid", "interested", "looking", "trying", "running", "waiting", "calling",
];

/// How words for jobs end.
pub(super) const ROLE_ENDINGS: &[&str] = &["eiro", "eira", "ista", "logo", "loga", "dor", "dora", "tor", "tora", "ense"];

/// Verbs of saying in the third person.
pub(super) const SPEECH: &[&str] = &[
    "falou", "falaram", "diz", "dizem", "disseram", "respondeu", "responderam", "escreveu", "escreveram", "contou", "contaram", "gritou",
    "ditou", "explicou", "avisou", "says", "told",
];

/// The same of any person.
pub(super) const SPEECH_OF_ANYBODY: &[&str] = &["disse", "falava", "dizia", "respondia", "dizendo", "said", "wrote", "replied", "answered", "saying"];
