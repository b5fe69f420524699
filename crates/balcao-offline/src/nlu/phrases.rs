//! What customers write, folded: each table belongs to the act of its name in [`super::acts`].
//!
//! A phrase counts as whole words anywhere in a clause; one that ends in `*` may go on. No phrase belongs to one business.

pub(super) const POLITE: &[&str] = &[
    "oi", "ola", "opa", "eai", "beleza", "belez", "blz", "tudo", "bem", "obrig", "valeu", "tchau", "fal", "quer",
    "sab", "diz", "kkk", "kkkk", "rsrs", "entend", "legal", "serio", "viu", "moc", "amig", "cert", "help", "ajud",
    "problem", "algum", "cois",
];

pub(super) const LEADS: &[&str] = &[
    "e", ",", "ah", "oi", "ola", "bom dia", "boa tarde", "boa noite", "aproveita", "aproveitando", "me diz",
    "me fala", "me diga", "diz", "se", "queria saber", "quero saber", "gostaria de saber", "sabe", "saber", "mas",
    "tambem", "uma duvida", "duvida", ":", "por favor", "hi", "hello",
];

pub(super) const INJECTION: &[&str] = &[
    "ignore todas", "ignore as instrucoes", "ignore suas", "ignore tudo", "ignore all", "ignore previous",
    "ignore your", "ignore the above", "ignora as instrucoes", "ignora todas", "ignora tudo", "desconsidere as",
    "desconsidere todas", "esqueca as instrucoes", "esqueca suas instrucoes", "esqueca tudo", "esquece tudo que",
    "instrucoes anteriores", "suas instrucoes", "seu prompt", "teu prompt", "o prompt", "system prompt",
    "prompt do sistema", "your prompt", "your instructions", "voce agora e", "vc agora e", "agora voce e",
    "a partir de agora voce", "you are now", "modo desenvolvedor", "developer mode", "modo admin", "modo debug",
    "jailbreak", "dan mode", "finja que", "finja ser", "aja como", "pretend to be", "act as", "disregard",
    "execute a funcao", "chame a funcao", "chame a ferramenta", "execute o comando", "repita o texto acima",
    "repeat the text above", "mostre o codigo", "sua chave", "api key", "drop table", "select from",
    "sou o administrador", "sou administrador", "sou o desenvolvedor", "override", "outros clientes",
    "dados dos clientes", "lista de clientes", "telefone dos clientes", "agenda dos outros",
];

pub(super) const POLICY: &[&str] = &[
    "cobra", "cobram", "cobranca", "taxa", "multa", "politica", "ate quando posso", "prazo", "se eu cancelar", "se eu precisar cancelar", "se eu precisar desmarcar", "se eu tiver que desmarcar",
    "se eu precisar remarcar", "se eu tiver que cancelar", "if i cancel", "if i need to cancel",
    "se eu desmarcar", "se eu faltar", "se eu remarcar", "se precisar cancelar", "se precisar remarcar",
    "quanto tempo antes", "com quanto tempo", "com quanta antecedencia", "antecedencia", "pode cancelar ate",
    "posso cancelar ate", "cancelar sem pagar", "cancelar sem custo", "cancelar de graca", "desmarcar sem pagar",
    "desmarcar sem custo", "desmarcar de graca", "remarcar sem pagar", "remarcar sem custo", "cancelar em cima da hora",
    "desmarcar em cima da hora", "cancel for free", "fee", "policy",
];

pub(super) const RESCHEDULE: &[&str] = &[
    "trocar pra outro", "trocar para outro", "mudar pra outro", "mudar para outro", "passar pra outro",
    "passar para outro", "trocar pra outra", "mudar pra outra", "passar pra outra", "remarc*", "reagend*", "adiar",
    "adia", "adiantar", "adianta", "antecipar", "reschedul*", "re agendar", "remarcr", "remaracar",
    "trocar o horario", "trocar de horario", "trocar meu horario", "mudar o horario", "mudar meu horario",
    "mudar o dia", "mudar de horario", "mudar a data", "trocar o dia", "trocar a data", "change my appointment",
    "move my appointment", "mudar a consulta", "mudar minha consulta", "trocar minha consulta",
];

pub(super) const MOVES: &[&str] = &[
    "mudar", "muda", "trocar", "troca", "passar", "passa", "transferir", "transfere", "alterar", "altera", "jogar",
    "joga", "empurrar", "mover", "puxar", "move", "change", "botar", "colocar",
];

pub(super) const OWN_APPOINTMENT: &[&str] = &[
    "meu horario", "meu agendamento", "minha consulta", "meu corte", "minha sessao", "minha hora", "minha avaliacao",
    "o horario marcado", "my appointment", "meu atendimento", "minha reserva", "meus horarios", "o meu",
];

/// What is a customer's own and no appointment.
pub(super) const OWN_OTHER: &[&str] = &[
    "meu nome", "meu email", "meu e mail", "meu telefone", "meu numero", "meu endereco", "meu cadastro", "minha senha",
    "meu plano", "minha assinatura", "meu pacote", "minha mensalidade", "meu pagamento", "my name", "my email",
    "my phone", "my address", "my plan", "meu whatsapp", "meu celular",
];

pub(super) const NOTE: &[&str] = &[
    "anota ai que", "anota que", "anote que", "anota no meu cadastro", "anotar que", "deixa anotado", "deixa avisado",
    "avisa a doutora", "avisa o doutor", "avisa a dra", "avisa o dr", "avisa o barbeiro", "avisa a equipe",
    "avisa o pessoal", "avise a equipe", "fala pra doutora que", "fala pro doutor que", "fala pra ele que",
    "fala pra ela que", "diz pra ela que", "diz pra ele que", "make a note", "please note", "let them know",
];

pub(super) const ON_FILE: &[&str] = &[
    "meu cadastro", "meus dados", "que dados voces tem", "que email voces tem", "qual email", "my details", "on file",
    "dados cadastrados", "qual e mail",
];

pub(super) const NO_LATER: &[&str] = &[
    "nao precisa me chamar", "nao precisa chamar", "nao me chama", "nao precisa mandar mensagem", "nao me chame",
    "nao precisa me mandar", "nao precisa me escrever", "nao me manda mensagem", "no need to text", "don t text me",
    "nao precisa me procurar",
];

pub(super) const ANY_TIME: &[&str] = &[
    "qualquer horario", "qualquer hora", "qualquer hr", "qualquer dia", "a qualquer", "any time", "anytime", "any day",
    "tanto faz o horario", "tanto faz a hora", "o horario tanto faz", "horario tanto faz", "tenho o dia livre",
];

pub(super) const CANCEL: &[&str] = &[
    "cancel*", "canselar", "cansela", "desmarc*", "desmarq*", "desistir do horario", "desisti do horario", "call off",
];

pub(super) const CANNOT_COME: &[&str] = &[
    "nao vou conseguir ir", "nao vou poder ir", "nao vou conseguir comparecer", "nao vou poder comparecer",
    "n vou conseguir ir", "n vou poder ir", "nao consigo ir", "nao posso ir", "nao poderei ir", "nao vou mais",
    "nao irei mais", "nao vai dar pra ir", "nao vai dar pra eu ir", "nao vai dar para ir", "can t make it",
    "cannot make it", "won t be able to come", "nao conseguirei ir", "nao vou comparecer", "nao consigo mais ir",
];

pub(super) const WAITLIST: &[&str] = &[
    "lista de espera", "fila de espera", "se abrir vaga", "se abrir uma vaga", "se abrir horario", "se surgir",
    "se vagar", "se alguem desistir", "se alguem desmarcar", "se alguem cancelar", "se aparecer",
    "se tiver desistencia", "waitlist", "waiting list", "abrir uma vaga", "abrir vaga", "se liberar",
    "quando abrir vaga", "if something opens",
];

pub(super) const REMINDER: &[&str] = &[
    "me lembra", "me lembre", "me lembrar", "lembrete", "lembretes", "remind me", "reminders", "reminder", "me avisa antes", "me avise antes",
    "hora antes", "horas antes", "minutos antes", "min antes", "dia antes", "me avisa no dia",
    "nao me deixa esquecer",
];

/// Asks when something is that is booked, though it speaks of reminding.
pub(super) const STATE: &[&str] = &[
    "me lembra o horario", "me lembra o meu horario", "me lembra meu horario", "me lembra que horas",
    "me lembra que dia", "me lembra qual", "me lembra quando", "me lembra a hora", "me lembra o dia",
    "me lembra a data", "me lembre o horario", "me lembre que horas", "me lembre quando", "lembrar que horas",
    "lembrar o horario", "remind me when", "saber que horas e", "saber que horas eh",
];

pub(super) const LATER: &[&str] = &[
    "me chama amanha", "me chame amanha", "me chama depois", "me chame depois", "me chama mais tarde",
    "me manda mensagem depois", "me manda mensagem amanha", "me procura depois", "fala comigo depois",
    "me chama semana", "me contata depois", "me escreve depois", "me pergunta depois", "me chama outro dia",
    "contact me later", "text me later", "text me tomorrow",
];

pub(super) const IDENTITY: &[&str] = &[
    "e um robo", "eh um robo", "e robo", "eh robo", "e humano", "eh humano", "e um humano", "e uma pessoa",
    "e pessoa", "e um bot", "eh um bot", "e bot", "e uma ia", "e ia", "eh uma ia", "inteligencia artificial",
    "e uma maquina", "e de verdade", "quem e voce", "quem e vc", "quem eh vc", "quem ta falando", "quem esta falando",
    "quem fala", "com quem eu falo", "com quem falo", "com quem estou falando", "com quem to falando", "o que voce e",
    "are you a bot", "are you human", "are you a robot", "are you real", "who are you", "are you a person",
    "seu nome", "teu nome", "voce e real", "chatgpt", "virtual", "automatico",
];

pub(super) const ANGER: &[&str] = &[
    "pessimo", "pessima", "absurdo", "ridiculo", "palhacada", "horrivel", "lixo", "uma vergonha", "vergonhoso",
    "descaso", "pqp", "porra", "merda", "caralho", "puta", "puto", "raiva", "inadmissivel", "inaceitavel",
    "nunca mais volto", "nunca mais piso", "reclamar", "reclamacao", "que demora", "de saco cheio",
    "falta de respeito", "desrespeito", "vsf", "vtnc", "fdp", "idiot*", "imbeci*", "babaca*",
    "otari*", "trouxa*", "estupid*", "palhaco*", "incompetente*", "stupid", "odiei",
    "insatisfeito", "insatisfeita", "decepcionado", "decepcionada", "procon", "terrible", "awful", "ridiculous",
    "unacceptable", "worst", "angry", "fuck", "shit", "bosta",
];

pub(super) const HOURS: &[&str] = &[
    "que horas abre", "que horas abrem", "que horas voces abrem", "que horas vcs abrem", "que hora abre",
    "que horas fecha", "que horas fecham", "que horas voces fecham", "que horas vcs fecham", "que hora fecha",
    "que hrs abre", "que hrs fecha", "q horas abre", "q horas fecha", "horas que abre", "horas que fecha",
    "horario de funcionamento", "horario de atendimento", "horarios de funcionamento", "horarios de atendimento",
    "ate que horas", "ate q horas", "ate que hora", "a partir de que horas", "abre", "abrem", "abertos", "aberto",
    "aberta", "fecham", "funciona hoje", "funcionam", "funcionam no", "funciona no", "funciona de", "funciona aos",
    "atendem aos", "atendem no", "atendem sabado", "atendem domingo", "atende domingo", "atende sabado", "atendem de",
    "atende no", "atendem em", "atende aos", "opening hours", "what time do you open", "what time do you close",
    "are you open", "you open", "you close", "open on", "business hours", "horario de vcs", "horario de voces",
    "dias voces atendem", "dias vcs atendem", "dias funciona", "dias voces funcionam", "ta fechado", "esta fechado",
    "estao fechados", "fecha hoje", "fecha amanha", "fecha sabado", "fecha domingo", "fecha no", "fecha aos",
    "fecha que horas", "fecha as", "ta aberta", "que horas voces abre", "horas vcs abre",
];

/// Verbs and nouns of being open, which ask for hours if a day is all that stands beside them.
pub(super) const OPEN: &[&str] = &[
    "atendem", "atende", "atendimento", "trabalham", "trabalha", "expediente", "funciona", "funcionam", "abre", "abrem",
    "abrir", "aberto", "abertos", "aberta", "vao abrir", "vai abrir", "open", "work",
];

pub(super) const HOLIDAY: &[&str] = &["feriado", "feriados", "holiday", "holidays"];

/// Whether something is booked, in a question.
pub(super) const BOOKED: &[&str] = &[
    "ja marcou", "ja marcaram", "marcou mesmo", "marcou", "ta marcado", "esta marcado", "ficou marcado",
    "foi marcado", "ja ta marcado", "ta marcada", "esta marcada", "ja agendou", "agendou", "ta agendado",
    "esta agendado", "ficou agendado", "foi agendado", "ta confirmado", "esta confirmado", "ficou confirmado",
    "conseguiu marcar", "deu certo", "is it booked", "did you book", "am i booked", "is it confirmed", "reservou",
];

pub(super) const MINE: &[&str] = &[
    "quando e mesmo", "que horas e mesmo", "que dia e mesmo", "qual horario mesmo", "meu horario", "meus horarios",
    "meu agendamento", "meus agendamentos", "minha consulta", "minhas consultas", "tenho horario marcado",
    "tenho algum horario", "tenho algo marcado", "tenho alguma coisa marcada", "tenho consulta marcada",
    "tenho consulta", "tenho marcado", "to marcado", "estou marcado", "estou marcada", "to agendado",
    "estou agendado", "tenho agendamento", "que horas e o meu", "quando e o meu", "quando e meu", "quando e a minha",
    "que dia e o meu", "minha hora", "que horas eu marquei", "quando eu marquei", "que dia eu marquei",
    "my appointment", "my appointments", "do i have an appointment", "do i have anything", "minha ultima visita",
    "meu historico", "ultima vez que fui", "minha sessao", "tenho hora marcada", "que horas e minha",
    "que horas ficou", "que horas eu to marcado",
];

pub(super) const SUBSCRIPTION: &[&str] = &[
    "meu plano", "minha assinatura", "sou assinante", "minha mensalidade", "mensalidade vence", "plano ta ativo",
    "plano esta ativo", "plano vence", "assinatura vence", "my plan", "my subscription", "sou do plano",
    "plano ativo", "meu pacote", "quando vence", "vencimento do plano", "meu clube",
];

pub(super) const HEALTH_PLAN: &[&str] = &[
    "plano de saude", "planos de saude", "convenio", "convenios", "unimed", "bradesco", "amil", "health plan",
    "insurance",
];

pub(super) const PLANS: &[&str] = &[
    "planos", "plano mensal", "assinatura", "assinaturas", "assinar", "clube de assinatura", "quais planos",
    "tem plano", "algum plano", "plano de assinatura", "pacote mensal", "mensalidade", "subscription",
    "subscriptions", "membership", "plans", "planos de voces",
];

pub(super) const WHO_WORKS: &[&str] = &[
    "de ferias", "ta de folga", "esta de folga", "atende dia", "atendem dia", "trabalha dia", "trabalham dia", "vai estar",
    "vai ta ai", "esta atendendo", "ta atendendo", "on vacation", "on holiday", "atende na", "atende na segunda", "atende segunda", "atende terca", "atende quarta", "atende quinta", "atende sexta",
    "vem na", "quais dias ela atende", "quais dias ele atende", "que dias ela atende", "que dias ele atende",
    "que horas ela atende", "que horas ele atende", "que horario ela atende", "que horario ele atende",
    "quais dias atende", "quem trabalha", "quem atende", "quem ta trabalhando", "quem esta trabalhando", "quem ta ai", "quem ta hoje",
    "quem ta atendendo", "quem vai estar", "quem esta hoje", "quem esta ai", "quem vai ta", "quais barbeiros",
    "quais os barbeiros", "quais profissionais", "quais os profissionais", "quais sao os profissionais",
    "quais sao os barbeiros", "que barbeiros", "quais medicos", "quais medicas", "quais dentistas", "quais doutoras",
    "quais doutores", "quem sao os", "quem sao as", "quem corta", "quem faz", "who works", "who is working",
    "which barbers", "trabalha hoje", "trabalha amanha", "trabalha no", "trabalha na", "trabalha sexta",
    "trabalha sabado", "trabalha domingo", "trabalha segunda", "trabalha terca", "trabalha quarta", "trabalha quinta",
    "ta trabalhando", "esta trabalhando", "ta ai hoje", "atende hoje", "atende amanha", "quem tem ai",
    "quantos barbeiros", "quantos profissionais", "barbeiros tem", "profissionais tem", "atende que dia",
    "atende quais dias", "trabalha que dia", "trabalha quais dias", "atende que dias", "trabalha que dias",
];

pub(super) const JUST_ASKING: &[&str] = &[
    "so queria saber", "so quero saber", "so saber", "so pra saber", "so para saber", "so gostaria de saber",
    "so uma duvida", "so uma pergunta", "so perguntando", "so por curiosidade", "por enquanto so", "so to vendo",
    "so estou vendo", "to so vendo", "estou so vendo", "so to pesquisando", "so consultando", "so confirmando se tem",
    "ainda nao quero marcar", "nao precisa marcar", "nao e pra marcar", "nao marca ainda", "just asking",
    "just wondering", "just want to know", "just curious", "just checking",
];

pub(super) const AVAILABILITY: &[&str] = &[
    "primeiro horario", "ultimo horario", "have anything", "anything on", "anything free", "com vaga", "dia com vaga", "qual o proximo dia", "proximo dia livre", "tem outro", "tem outra", "hoje tem",
    "amanha tem", "sexta tem", "sabado tem", "nesse dia tem", "esse dia tem", "tem horario", "tem horarios",
    "tem hora", "tem vaga", "tem vagas", "tem vaguinha", "tem alguma coisa", "tem alguma vaga", "teria algo",
    "teria alguma", "tem agenda", "tem disponibilidade", "horario disponivel", "horarios disponiveis",
    "horario livre", "horarios livres", "horarios vagos", "horario vago", "tem algum horario", "tem algo",
    "tem alguma hora", "tem como", "que horas tem", "q horas tem", "que horario tem", "que horarios tem",
    "quais horarios", "qual horario tem", "quais os horarios", "quando tem", "disponibilidade", "disponivel",
    "consegue me encaixar", "me encaixa", "encaixe", "tem encaixe", "da pra cortar", "da pra fazer", "da pra ir",
    "da pra marcar", "da para marcar", "da pra agendar", "consigo horario", "consigo um horario", "consigo marcar",
    "consigo agendar", "available", "availability", "any slot", "any slots", "any openings", "free slot",
    "free slots", "tem pra", "tem para", "tem hj", "tem hoje", "tem amanha", "tem sexta", "tem sabado", "tem segunda",
    "tem terca", "tem quarta", "tem quinta", "tem domingo", "teria horario", "teria vaga", "teria hora", "ha horario",
    "ha vaga", "tem espaco", "tem um horario", "tem um horarinho", "horarinho", "ainda tem", "tem livre", "ta livre",
    "esta livre", "tem de manha", "tem a tarde", "tem a noite", "tem de tarde", "tem de noite", "tem mais cedo",
    "tem mais tarde", "tem outro horario", "tem outros horarios", "outro horario", "outros horarios", "tem horaraio",
    "tem orario", "tem hrario", "tem hr", "tem as", "hora livre", "primeiro horario livre", "proximo horario",
    "proxima vaga",
];

pub(super) const PRICES: &[&str] = &[
    "quanto eu vou pagar", "quanto vou pagar", "quanto eu pago", "quanto eu vou gastar", "quanto vou gastar",
    "quanto vai dar", "quanto vai ficar", "quanto daria", "quanto ficaria", "quanto sairia", "quanto da pra fazer",
    "quanto dura", "quanto tempo dura", "qual a duracao", "qual e a duracao", "quantos minutos", "demora quanto",
    "dura quanto", "leva quanto tempo", "quanto tempo demora", "quanto tempo leva", "quanto demora", "how long", "quanto custa", "quanto custam",
    "quanto e", "quanto eh", "quanto fica", "quanto ta", "quanto esta", "quanto sai", "quanto vai sair",
    "quanto voces cobram", "quanto vcs cobram", "quanto cobra", "quanto cobram", "qnt custa", "qto custa",
    "qnto custa", "qual o valor", "qual valor", "qual e o valor", "qual o preco", "qual e o preco", "qual preco",
    "preco", "precos", "valor", "valores", "tabela de precos", "how much", "price", "prices", "quantos reais",
    "qto ta", "qnt ta", "qnto ta", "qto sai", "qnto fica", "qto e o", "qto custam",
    "quanto pago", "quanto ta o", "quanto o", "quanto a", "quanto de", "qto e", "qnto e", "qto fica", "qnt e", "quanto que e",
    "quanto q e", "quanto que custa", "quanto que fica",
];

pub(super) const SERVICES: &[&str] = &[
    "quais servicos", "quais os servicos", "quais sao os servicos", "que servicos", "lista de servicos",
    "servicos voces", "servicos vcs", "o que voces fazem", "o que vcs fazem", "oq vcs fazem", "what services",
    "which services", "services do you", "tipos de servico", "quais procedimentos", "que procedimentos",
    "quais os procedimentos", "tratamentos voces", "quais tratamentos", "cardapio de servicos",
    "quais tipos de corte", "tem de servico", "tem de servicos", "outro servico", "outros servicos", "mais servicos",
    "demais servicos", "other service", "other services",
];

pub(super) const OFFERS: &[&str] = &[
    "voces fazem", "vcs fazem", "vc faz", "voce faz", "voces faz", "fazem", "voces tem", "vcs tem", "trabalham com",
    "voces atendem crianca", "do you do", "do you offer", "do you have", "vcs trabalham com", "voces oferecem",
    "tem limpeza", "tem corte", "tem avaliacao", "tem barba",
];

pub(super) const BOOK: &[&str] = &[
    "marcar", "marca", "marque", "marcr", "macar", "agendar", "agenda pra", "agenda um", "agenda uma", "agenda para",
    "agenda ai", "agende", "agendr", "ajendar", "agendamento", "reservar", "reserva", "reserve", "book", "schedule",
    "quero um horario", "quero horario", "queria um horario", "queria horario", "preciso de um horario",
    "preciso de horario", "quero hora", "queria hora", "um horario pra", "um horario para", "horario pra",
    "horario para", "quero ir", "queria ir", "an appointment", "make an appointment", "quero vaga", "quero cortar",
    "queria cortar", "preciso cortar", "vou querer", "bota ai", "bota eu", "me coloca", "me bota", "coloca eu",
    "cortar o cabelo", "fazer a barba", "cortar cabelo", "fazer barba", "cortar", "haircut", "quero uma consulta",
    "queria uma consulta", "preciso de uma consulta", "quero consulta", "passar em consulta", "quero fazer",
    "queria fazer", "gostaria de fazer", "preciso fazer", "marcado um", "marquemos", "garante", "segura pra mim",
    "segura esse",
];

pub(super) const NOT_BOOK: &[&str] = &[
    "nao quero marcar", "don t want to book", "don t want to schedule", "nao precisa marcar", "nao marca", "nao agenda", "marcado", "ja marquei", "nao quero agendar",
];

pub(super) const GO_AHEAD: &[&str] = &[
    "pode marcar", "pode agendar", "pode confirmar", "pode reservar", "ja marca", "ja pode marcar", "ja agenda",
    "ja confirma", "confirma pra mim", "confirma ai", "pode deixar marcado", "fechado", "confirmado", "pode fechar",
    "pode confirmar ja", "go ahead", "please book it",
];

pub(super) const WANT: &[&str] = &[
    "quero", "queria", "gostaria", "preciso", "quer", "want", "i d like", "i need", "need", "bora", "vou fazer",
    "like to", "desejo", "to querendo", "qro",
];

pub(super) const GREETING: &[&str] = &[
    "oi", "oii", "oiii", "oie", "ola", "olaa", "opa", "bom dia", "boa tarde", "boa noite", "eai", "e ai", "iae",
    "iai", "fala", "salve", "hello", "hi", "hey", "good morning", "good afternoon", "good evening", "tudo bem",
    "tudo bom", "td bem", "blz", "bom diaa", "bdia",
];

pub(super) const THANKS: &[&str] = &[
    "obrigado", "obrigada", "obrigadao", "brigado", "brigada", "obg", "obgd", "obgda", "valeu", "vlw", "vlww",
    "agradeco", "gratidao", "thanks", "thank you", "thx", "tks", "muito obrigado",
];

pub(super) const GOODBYE: &[&str] = &[
    "tchau", "xau", "ate mais", "ate logo", "ate la", "ate amanha", "ate breve", "falou", "flw", "fui", "bye",
    "goodbye", "see you", "abraco", "abracos", "ate sexta", "ate sabado",
];

/// Any professional except the one that the customer named.
pub(super) const SOMEBODY_ELSE: &[&str] = &[
    "outro barbeiro", "outra barbeira", "outro profissional", "outra profissional", "outro medico", "outra medica",
    "outro dentista", "outra pessoa",
];

pub(super) const EARLIEST: &[&str] = &[
    "o mais cedo", "mais cedo possivel", "o primeiro", "a primeira", "primeiro horario", "o quanto antes",
    "quanto antes", "o mais rapido", "mais rapido possivel", "earliest", "the first", "as soon as possible",
    "proximo horario", "proxima vaga", "mais proximo",
];

pub(super) const LATEST: &[&str] = &[
    "o mais tarde", "mais tarde possivel", "ultimo horario", "o ultimo", "a ultima", "latest", "the last",
];

pub(super) const REFUSAL: &[&str] = &[
    "nao quero", "deixa pra la", "deixa quieto", "deixa", "deixe", "esquece", "desisto", "desisti", "nao precisa",
    "melhor nao", "melhor nem", "nem marca", "nem precisa", "mudei de ideia", "never mind", "nevermind", "forget it", "deixa assim",
];

pub(super) const UNDECIDED: &[&str] = &[
    "vou pensar", "vou ver", "depois eu vejo", "depois vejo", "te aviso", "te falo", "qualquer coisa eu",
    "depois eu marco", "deixa eu ver", "vou confirmar aqui", "i ll think", "let me think", "depois te falo",
    "vou me organizar", "depois confirmo", "depois eu confirmo", "depois te confirmo", "confirmo depois", "te confirmo",
    "confirmo mais tarde", "so queria saber", "era so pra saber", "so pra saber", "so curiosidade", "so perguntando",
    "ta caro", "muito caro", "achei caro", "caro demais", "too expensive", "just asking", "just wanted to know",
];

pub(super) const ASKING: &[&str] = &[
    "qual", "quais", "quanto", "quantos", "quantas", "onde", "aonde", "como", "quando", "por que", "porque", "me diz",
    "me fala", "me diga", "me informa", "queria saber", "quero saber", "gostaria de saber", "sabe se", "aceita",
    "aceitam", "tem", "vendem", "vende", "where", "what", "how", "when", "do you", "is there", "can i", "are there",
    "precisa", "duvida", "posso levar", "cobra", "cobram",
];

/// What is needed and is nothing to book: "preciso de um recibo". Of anything else "preciso de" is a wish.
pub(super) const PAPERS: &[&str] = &[
    "ajuda", "informacao", "informacoes", "atestado", "declaracao", "documento", "documentos", "encaminhamento", "receita",
    "guia", "nota", "recibo", "autorizacao", "laudo", "exame", "exames", "pedido", "help", "receipt",
];

/// Subjects that are a question for the knowledge base, whatever else the clause says.
pub(super) const SUBJECTS: &[&str] = &[
    "atras*", "estaciona*", "parking", "pix", "cartao", "cartoes", "debito", "credito", "dinheiro", "parcela*",
    "forma de pagamento", "formas de pagamento", "aceitam", "aceita", "payment", "credit card", "onde fica",
    "onde voces ficam", "onde vcs ficam", "onde e", "onde eh", "aonde fica", "endereco", "localizacao", "como chego",
    "como chegar", "where are you", "where is", "address", "metro", "onibus", "convenio", "convenios",
    "plano de saude", "planos de saude", "unimed", "insurance", "wifi", "wi fi", "multa", "taxa", "politica",
    "tolerancia", "se eu atrasar", "vou atrasar", "vou me atrasar", "to atrasado", "atraso", "atrasado", "atrasada",
    "chegar atrasado", "atrasar", "se eu cancelar", "se eu faltar", "instagram", "site", "wheelchair",
    "acessibilidade", "cadeirante", "cachorro", "pet", "nota fiscal", "garantia", "contraindicacao", "jejum",
    "preparo", "gift card", "vale presente", "vendem", "vende", "ar condicionado", "cafe", "cerveja",
    "ate quando posso cancelar", "antecedencia", "criancas", "crianca",
];
