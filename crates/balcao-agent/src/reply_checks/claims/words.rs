//! The words of claims and of what only looks like one. All patterns read folded text: lower case, no accents.

use crate::reply_checks::claims::kind::ClaimKind::{
    self, Booked, Cancelled, Done, Existing, HandedOff, MessageCancelled, Noted, Planned, Rescheduled, Waitlisted,
};

/// What says which. Within a sentence the first that matches a stretch wins it.
pub(super) const CLAIMS: &[(ClaimKind, &str)] = &[
    (
        Waitlisted,
        r"\b(?:coloquei|inclui|adicionei|botei|pus|entrou|incluid[oa]|esta|ta|deixei|added|put|are|you're)\b[^.!?]{0,30}\b(?:lista de espera|fila de espera|waiting ?list|waitlist)\b",
    ),
    (
        MessageCancelled,
        r"\b(?:cancelei|tirei|removi|desliguei|cancelled|removed) (?:o |os |seu |seus |the |your )?(?:lembretes?|avisos?|reminders?)\b",
    ),
    // A person was called.
    (
        HandedOff,
        r"\b(?:chamamos|avisamos|acionamos|notificamos|encaminhamos|transferimos|repassamos|chamei|avisei|acionei|notifiquei|comuniquei|encaminhei|transferi|passei|repassei|direcionei|falei com|alertei|ja chamei)\b[^.!?]{0,50}\b(?:atendentes?|equipe|time|humano|pessoa|gerente|gerencia|recepcao|recepcionista|responsavel|alguem|colegas?|pessoal|dono|dona|especialista|atendimento|barbeiro|doutora?|setor)\b",
    ),
    (
        HandedOff,
        r"\b(?:foi|esta|ta|ja foi|fica) (?:ja )?(?:encaminhad|transferid|repassad|direcionad)[oa]\b[^.!?]{0,40}\b(?:equipe|atendente|time|pessoa|humano|responsavel|setor|gerente|recepcao)",
    ),
    (
        HandedOff,
        r"\b(?:estou|to|vou|vamos|estamos|irei) (?:ja |agora )?(?:te |lhe |voce |vc )?(?:transferindo|encaminhando|passando|direcionando|transferir|encaminhar|passar|direcionar|chamar|chamando|avisar|avisando|acionar|acionando)\b[^.!?]{0,50}\b(?:atendente|equipe|time|humano|pessoa|gerente|recepcao|responsavel|alguem|colega|especialista|setor)\b",
    ),
    (
        HandedOff,
        r"\b(?:alguem|um atendente|uma atendente|uma pessoa|nossa equipe|a equipe|nosso time|um humano|o gerente|a recepcao|um colega)\b[^.!?]{0,25}\b(?:vai|ja vai|ira|logo vai|foi avisad[oa]|foi chamad[oa]|ja foi|entrara|te responde|te atende|te chama|vao)\b",
    ),
    (
        HandedOff,
        r"\b(?:i've|i have|i|we've|we have|we) (?:just |already )?(?:called|notified|alerted|transferred|forwarded|passed|told|informed|pinged|handed)\b[^.!?]{0,50}\b(?:team|someone|colleagues?|human|person|manager|staff|reception|agent|owner)\b",
    ),
    (
        HandedOff,
        r"\b(?:someone|somebody|a colleague|our team|the team|a person|a human|an agent|the manager|a team member)\b[^.!?]{0,30}\b(?:will (?:contact|reply|answer|get back|call|reach|help|be)|is on (?:the|their) way|has been (?:notified|called|told))",
    ),
    (
        HandedOff,
        r"\b(?:i'm|i am|i will|i'll|we're) (?:now )?(?:transferring|forwarding|passing|connecting|transfer|forward|pass|connect|handing) (?:you|this|your)",
    ),
    // Moved.
    (
        Rescheduled,
        r"\b(?:remarquei|reagendei)\b|\b(?:mudei|alterei|troquei|transferi|passei|adiantei|adiei|movi|antecipei)\b[^.!?]{0,40}\b(?:horario|agendamento|corte|consulta|reserva|sessao|barba|atendimento|voce|vc|para|pra|pro|marcacao)\b",
    ),
    (
        Rescheduled,
        r"\b(?:foi|esta|ta|ficou|fica|deixei|tudo|prontinho|pronto|certo|agora|ja|horario|agendamento|corte|consulta|reserva|sessao|barba)\b[\s,!:-]*(?:ja |tudo |esta |foi |agora )?(?:remarcad|reagendad|transferid|adiad|adiantad|antecipad)[oa]s?\b",
    ),
    (
        Rescheduled,
        r"\b(?:horario|agendamento|corte|consulta|reserva|sessao)\b[^.!?]{0,20}\b(?:foi|esta|ta|ficou|mudou|passou)\b ?(?:alterad|mudad|trocad|movid|para|pra)",
    ),
    (Rescheduled, r"^(?:\W*(?:pronto|prontinho|certo|ok|feito)\W+)?(?:remarcad|reagendad|mudad|alterad|trocad)[oa]\b"),
    (
        Rescheduled,
        r"\b(?:i've|i have|we've|we have|i|we|been|was|is|is now|has|'s|just|it's) (?:now |just |already )?(?:been )?(?:rescheduled|postponed)\b|^(?:\W*done\W+)?rescheduled\b|\b(?:i've|i have|we've|i|we) (?:just )?(?:moved|changed|switched|shifted|pushed)\b[^.!?]{0,40}\b(?:appointment|booking|haircut|visit|slot|to|you)\b|\b(?:appointment|booking|haircut|visit)\b[^.!?]{0,12}\b(?:was|has been|is) (?:now )?(?:moved|changed|switched)",
    ),
    (
        Rescheduled,
        r"\b(?:clientes?|sistema|equipe|gente|assistente|ele|ela) (?:ja |tambem )?(?:remarcou|reagendou)\b|\b(?:voce|vc) (?:ja )?(?:remarcou|reagendou)\b|\bacab(?:ei|amos|ou) de (?:te )?(?:remarcar|reagendar)\b|\b(?:remarcamos|reagendamos) (?:(?:ja |agora )?(?:o |a )?(?:seu|sua|teu|tua|voce|vc)\b|(?:para|pra) [^.!?]{0,30}\d)",
    ),
    // Cancelled.
    (
        Cancelled,
        r"\b(?:cancelei|desmarquei)\b|\b(?:fiz|realizei|efetuei|conclui) o cancelamento|\bcancelamento (?:feito|realizado|concluido|confirmado|efetuado|registrado)",
    ),
    (
        Cancelled,
        r"\b(?:foi|esta|ta|ficou|fica|deixei|tudo|prontinho|pronto|certo|ja|foram|estao|feito|ok|horario|agendamento|corte|consulta|reserva|sessao|barba|atendimento)\b[\s,!:-]*(?:ja |tudo |esta |foi |agora )?(?:cancelad|desmarcad)[oa]s?\b",
    ),
    (
        Cancelled,
        r"\b(?:horario|agendamento|corte|consulta|reserva|sessao|barba)\b[^.!?,]{0,40}\b(?:foi|esta|ta|ficou|foram) (?:cancelad|desmarcad)[oa]",
    ),
    (Cancelled, r"^\W*(?:cancelad|desmarcad)[oa]s?\b"),
    (
        Cancelled,
        r"\b(?:i've|i have|we've|we have|i|we|been|was|is|is now|has|just|it's|now) (?:now |just |already )?(?:been )?cancell?ed\b|^(?:\W*done\W+)?cancell?ed\b|\b(?:appointment|booking|haircut) (?:\w+ ){0,6}(?:is|was|has been) (?:now )?cancell?ed",
    ),
    (
        Cancelled,
        r"\b(?:(?:clientes?|sistema|equipe|gente|assistente|ele|ela)|voce|vc) (?:ja |tambem )?(?:cancelou|desmarcou)\b|\bacab(?:ei|amos|ou) de (?:te )?(?:cancelar|desmarcar)\b|\b(?:cancelamos|desmarcamos) (?:ja |agora )?(?:o |a )?(?:seu|sua|teu|tua|voce|vc)\b|\b(?:customer|client|system|team|you) (?:has |have |already |just ){0,2}cancell?ed\b",
    ),
    // An appointment exists.
    (
        Existing,
        r"\bvoce (?:ja )?(?:tem|possui|esta com) (?:um |uma |o |seu |dois |duas |tres |\d )?(?:horarios?|agendamentos?|cortes?|consultas?|reservas?|sessao|sessoes|barbas?|compromissos?|hidratacao|pigmentacao|servicos?)\b[^.!?]{0,40}?(?:marcad|agendad|confirmad|reservad|\bas \d|\b\d{1,2} ?h|\d:\d\d|\bamanha\b|\bhoje\b|\bsegunda|\bterca|\bquarta|\bquinta|\bsexta|\bsabado|\bdomingo|\bdia \d|\d/\d)",
    ),
    (
        Existing,
        r"\b(?:seu|teu|o seu) (?:proximo )?(?:horario|agendamento|corte|consulta|atendimento|compromisso)\b[^.!?,]{0,30}?\b(?:e|esta|ta|continua|sera|segue|permanece)\b[^.!?]{0,12}(?:marcad|agendad|confirmad|\bas \d|\bamanha\b|\bhoje\b|\bsegunda|\bterca|\bquarta|\bquinta|\bsexta|\bsabado|\bdomingo|\bdia \d|\d/\d|\bpara \w)",
    ),
    (
        Existing,
        r"\b(?:te|vos|voce|lhe) (?:espero|esperamos|aguardo|aguardamos)\b[^.!?]{0,30}(?:\bas \d|\b\d{1,2} ?h|\d:\d\d|\bamanha\b|\bhoje\b|\bsegunda|\bterca|\bquarta|\bquinta|\bsexta|\bsabado|\bdomingo|\bdia \d|\d/\d)|(?:\bas \d|\b\d{1,2} ?h|\d:\d\d|\bamanha\b|\bhoje\b|\bsegunda|\bterca|\bquarta|\bquinta|\bsexta|\bsabado|\bdomingo|\bdia \d|\d/\d)[^.!?]{0,20}\bte (?:espero|esperamos|aguardo|aguardamos)\b",
    ),
    (
        Existing,
        r"\byou (?:already |currently )?have (?:an? |one |two |your |\d )?(?:\w+ )?(?:appointments?|bookings?|haircuts?|reservations?|visits?|slot)\b[^.!?]{0,30}(?:\bon\b|\bat\b|\bfor\b|booked|scheduled|tomorrow|today|\d)",
    ),
    (
        Existing,
        r"\byour (?:next |current )?(?:appointment|booking|haircut|visit|reservation) (?:is|remains|stays) (?:still )?(?:on|at|for|set|tomorrow|today|scheduled|booked|confirmed|with)\b|\bsee you (?:on |this |next )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|at \d)",
    ),
    (
        Existing,
        r"\b(?:voce|vc) (?:ja )?(?:marcou|agendou|reservou)\b|\bclientes? (?:ja )?(?:tem|possui) (?:um |uma |o |dois |duas |\d )?(?:horarios?|agendamentos?|cortes?|consultas?|reservas?)\b[^.!?]{0,40}?(?:marcad|agendad|confirmad|reservad|\bas \d)",
    ),
    // Booked.
    (
        Booked,
        r"\b(?:marquei|agendei|reservei|encaixei|confirmei|garanti|fechei)\b|\b(?:fiz|realizei|efetuei|conclui|registrei) (?:o |a |seu |sua )?(?:agendamento|reserva|marcacao|horario)|\bconsegui (?:te )?(?:marcar|agendar|encaixar|reservar)\b|\bbotei (?:voce|vc|teu nome|seu nome)\b|\bcoloquei (?:voce|vc|seu nome|teu nome)\b",
    ),
    (
        Booked,
        r"\b(?:esta|ta|foi|ficou|fica|deixei|tudo|prontinho|pronto|certo|ja|tah|estao|foram|ficaram|feito|ok|show|beleza|blz)\b[\s,!:-]*(?:ja |tudo |esta |ta |foi |agora |entao |devidamente |certinho e )?(?:marcad|agendad|reservad|confirmad|garantid)[oa]s?\b",
    ),
    (
        Booked,
        r"\b(?:agendamento|horario|corte|consulta|reserva|sessao|barba|hidratacao|atendimento|vaga|marcacao)\b[^.!?,]{0,40}\b(?:marcad|agendad|reservad|confirmad|garantid)[oa]\b|\b(?:agendamento|reserva|marcacao)\b(?: d[oae] (?:seu |sua )?\w+)? ?(?:ja )?(?:foi |esta |ta )?(?:feit|realizad|concluid|efetuad|registrad)[oa]\b",
    ),
    (
        Booked,
        r"^\W*(?:entao )?(?:marcad|agendad|reservad|confirmad|garantid)[oa]s?\b|^\W*(?:esta |ta )?(?:fechado|fechadinho|combinado)\b[^.!?]{0,12}(?:\bas \d|\b\d{1,2} ?h(?:\d|s?\b)|\d:\d\d|\bamanha\b|\bhoje\b|\bsegunda|\bterca|\bquarta|\bquinta|\bsexta|\bsabado|\bdomingo|\bdia \d|\d/\d|entao, )",
    ),
    (
        Booked,
        r"\b(?:o |esse |este )?horario e (?:todo )?(?:seu|teu)\b|\bvoce (?:esta|ta) (?:na agenda|agendad|marcad|confirmad)|\b(?:na agenda|agenda) (?:do|da|de) \w+ (?:ja|agora) (?:esta|ta) (?:seu|teu)",
    ),
    (
        Booked,
        r"\b(?:i've|i have|we've|we have|i|we) (?:just |already |now |gone ahead and |successfully )?(?:booked|scheduled|reserved|confirmed|secured|made (?:the|your|an) (?:appointment|booking|reservation))\b|\b(?:is|are|'s|you're|it's|was|been|all|now|appointment|booking|haircut|slot) (?:now |all |been |officially )?(?:booked|confirmed|scheduled|reserved)\b|\byou(?:'re| are) (?:all )?set (?:for|on|with)\b|\byou(?:'re| are) (?:in|down) for\b|^\W*(?:booked|confirmed|scheduled|reserved)\b",
    ),
    (
        Booked,
        r"\b(?:clientes?|sistema|equipe|gente|assistente|ele|ela) (?:ja |tambem )?(?:marcou|agendou|reservou)\b|\bacab(?:ei|amos|ou) de (?:te )?(?:marcar|agendar|reservar)\b|\b(?:marcamos|agendamos|reservamos) (?:(?:ja |agora )?(?:o |a )?(?:seu|sua|teu|tua|voce|vc)\b|(?:para|pra) [^.!?]{0,30}\d)",
    ),
    (
        Booked,
        r"^\W*(?:sim|claro|ok|certo|perfeito|pronto|beleza|combinado|otimo|fechado)\W+(?:eu |entao )?confirm(?:o|amos)\b(?: (?:para|pra)\b| (?:o |a )?(?:seu|sua|teu|tua|horario|agendamento|reserva)\b|\W*$)|^\W*confirm(?:o|amos) (?:o |a )?(?:seu|sua|teu|tua|horario|agendamento|reserva|corte|consulta)\b|\b(?:i|we) confirm (?:your|the) (?:appointment|booking|haircut|visit|slot|reservation)",
    ),
    // Noted and sent.
    (
        Noted,
        r"\b(?:anotei|registrei|deixei (?:anotad|registrad|avisad)[oa]?|deixei (?:uma )?(?:nota|observacao|anotacao)|atualizei|salvei|adicionei (?:uma |a |essa )?(?:nota|observacao|anotacao|informacao|preferencia)|inclui (?:uma |a |essa )?(?:nota|observacao|anotacao)|guardei (?:a |sua |essa )?(?:informacao|preferencia|observacao))\b|\b(?:ficou|esta|ta|foi) (?:anotad|registrad|atualizad|salv)[oa]\b",
    ),
    (
        Noted,
        r"\b(?:i've|i have|i|we've|we) (?:just |already )?(?:noted|made a note|left a note|added a note|updated|saved|recorded)\b|\b(?:has been|is|was) (?:noted|updated|recorded|saved)\b",
    ),
    (
        Noted,
        r"\b(?:anotamos|registramos|atualizamos|salvamos) (?:ja |agora )?(?:o |a )?(?:seu|sua|teu|tua|voce|vc)\b|\b(?:clientes?|sistema|equipe|gente|assistente|ele|ela) (?:ja )?(?:anotou|registrou|atualizou|salvou)\b",
    ),
    (
        Planned,
        r"\b(?:enviei|mandei|enviamos|mandamos|foi enviad[oa]|emailed|sent)\b[^.!?]{0,40}\b(?:e-?mail|sms|confirmacao|lembrete|comprovante|confirmation|reminder|receipt|convite|text)\b",
    ),
    // Promises of later work.
    (
        Planned,
        r"\b(?:te|lhe|vos) (?:aviso|avisamos|avisarei|avisaremos|lembro|lembramos|lembrarei|lembraremos|retorno|retornamos|retornarei|retornaremos|respondo ja|chamo (?:assim|quando|de novo|aqui)|ligo|ligamos|ligaremos|procuro|notifico|confirmo (?:depois|mais tarde|em breve|assim que|ja ja)|dou (?:um )?retorno|falo (?:depois|ja ja|em breve|assim que))\b|\b(?:aviso|avisamos|lembro|lembramos) (?:voce|vc|por aqui|assim que|quando|se abrir)\b",
    ),
    (
        Planned,
        r"\b(?:vou|vamos|irei|iremos) (?:te |lhe |ja |logo )?(?:avisar|lembrar|retornar|ligar|notificar|dar (?:um )?retorno|confirmar com|ver com|falar com|checar com|verificar com|consultar (?:o|a) (?:joao|equipe|gerente)|entrar em contato|ficar de olho)\b|\b(?:vou|vamos) (?:verificar|checar|conferir|consultar|ver|olhar|confirmar|analisar)\b[^.!?]{0,50}\b(?:volto|retorno|te (?:aviso|falo|respondo|retorno|digo|conto)|ja volto|e aviso|avisamos|retornamos)\b",
    ),
    (
        Planned,
        r"\b(?:ja |logo )?(?:volto|retorno|voltamos|retornamos) (?:ja|logo|em breve|com (?:voce|vc|(?:a|uma|essa) resposta|a confirmacao|o resultado|mais|novidades|isso)\b|a falar|pra te|para te|aqui|em \d|em instantes|em alguns)\b|\b(?:ja|logo|em breve) (?:te )?(?:volto|retorno|respondo|confirmo|aviso)\b|\bentraremos em contato\b|\bvoce (?:vai receber|recebera) (?:um |uma |o |a |nosso )?(?:lembrete|mensagem|confirmacao|aviso|e-?mail|sms|retorno|ligacao)\b|\b(?:pode deixar|deixa) que (?:eu )?(?:te )?(?:aviso|lembro|chamo|retorno)\b",
    ),
    (
        Planned,
        r"\b(?:te |vou te |lhe )?(?:mando|envio|mandar|enviar|mandarei|enviarei|mandaremos|enviaremos) (?:um |uma |o |a )?(?:lembrete|confirmacao|aviso|mensagem)\b",
    ),
    (
        Planned,
        r"^\W*(?:[a-z]{2,10}[,!]? )?(?:so um (?:momento|instante|minuto|segundo)|um (?:momento|instante|minuto)|aguarde(?: um (?:momento|instante))?)?\W*(?:que )?(?:eu )?(?:ja )?(?:vou|vamos) (?:verificar|checar|conferir|consultar|olhar)\b[^.!?]*[.!]*\.?$",
    ),
    (
        Planned,
        r"\b(?:i'll|i will|we'll|we will|i'm going to|let me check and) (?:then |also )?(?:let you know|remind|get back|notify|text you|message you|call you|follow up|check and|check with|send (?:you )?(?:a |the |your )?(?:reminder|confirmation|message)|email you|be in touch|contact you|confirm (?:later|soon)|keep an eye)\b|\byou(?:'ll| will) (?:receive|get) (?:a|an|your|the) (?:reminder|message|confirmation|email|text|call|notification)\b",
    ),
    // "Prontinho!" alone.
    (
        Done,
        r"^\W*(?:prontinho|pronto|feito|feitinho|fechado|fechadinho|esta feito|ta feito|tudo certo|all set|all done|done|you're all set|you are all set|tudo pronto|resolvido)\b\W*(?:\w+\W*)?$|^\W*(?:prontinho|all set|you're all set)\b",
    ),
];

/// Sentences that offer, condition or describe, whatever verbs they hold.
pub(super) const NO_CLAIM: &[&str] = &[
    r"\bse (?:voce |vc |o senhor |a senhora )?(?:quiser|preferir|desejar|precisar|concordar|puder|topar|for|der certo|confirmar|me disser|estiver)\b",
    r"\bse (?:voce |vc |o cliente |a cliente )?(?:atrasar|faltar|nao (?:vier|chegar|comparecer|confirmar|aparecer))",
    r"\bcaso (?:queira|prefira|deseje|precise|voce|concorde|contrario)\b",
    r"\b(?:if you|if that|would you|do you want|shall i|should i|could i|can i|may i|whenever you|in case)\b",
    r"\b(?:quer que|gostaria|posso|deseja que|prefere que|quer)\b[^.!?]{0,40}\b(?:eu|marcar|agendar|cancelar|remarcar|te|a gente|voce|reservar)\b",
    r"^\W*(?:cancelamentos|agendamentos|remarcacoes|reservas|horarios|cancellations|bookings|appointments|reschedules)\b",
    r"\bso (?:fica|e|esta|sera|vale|consigo|ficara)\b|\b(?:sempre|normalmente|geralmente|costumamos|em geral|usually|always|normally|typically|costuma)\b|\b(?:todo|toda|cada|every|each) (?:agendamento|horario|cliente|reserva|cancelamento|appointment|booking|vez)\b",
    r"\b(?:sao|e|serao|sera) (?:confirmad|cancelad|remarcad|agendad|reservad|marcad|avisad)[oa]s?\b|\b(?:are|will be|gets?|be) (?:only |automatically )?(?:confirmed|cancell?ed|booked|reserved) (?:only|by|when|after|once|automatically|if)\b",
    r"\b(?:antes de|para que|preciso d[eoa]|precisa d[eoa]|falta|basta|para confirmar|pra confirmar|para marcar|pra marcar|para agendar|pra agendar|para cancelar|para eu|pra eu|me diga|me diz|me fala|me informa|me confirma|diga|please tell|tell me|to (?:book|confirm|cancel|reschedule)|before i|so i can|i need)\b",
    r"\bcom (?:hora|horario) marcad|\bhora marcada\b",
    r"\b(?:politica|regra|regulamento|policy|multa|taxa de)\b",
    r"\b(?:ja foi|esta|foi|ficou|estao|foram) (?:\w+ )?(?:reservad|marcad|agendad|ocupad|confirmad)[oa]s? (?:por|para|pra|com) (?:outr|alguem|um outro|another|someone)|\btaken by\b|\b(?:already|foi) (?:booked|reserved|taken) by\b",
    r"\bvoce (?:disse|falou|mencionou|pediu|comentou|perguntou|quer|queria|escolheu)\b|\b(?:you said|you mentioned|you asked|you wanted|you'd like)\b",
    r"\b(?:entendi|vi|vejo) que\b.*\b(?:quer|deseja|gostaria|precisa)\b",
    r"\b(?:confirmando|recapitulando|resumindo|confirming|to recap)\b.*\?",
    r"^\W*(?:para|pra|to) \w+ar\b",
    r"\b(?:as soon as you|when you|quando voce|assim que voce|once you)\b",
];

/// At the end of what stands before the verb in its clause: denials, wishes, conditions.
pub(super) const NOT_BEFORE: &str = r"\b(?:nao|nunca|nem|jamais|sem|nenhum[a]?|ninguem|not|never|no|without|haven't|hasn't|isn't|aren't|wasn't|weren't|didn't|don't|doesn't|couldn't|can't|cannot|unable to|wouldn't|ter|tenha|preciso|necessario|se|caso|quando|if|unless|whether|until|once|assim que|pode|podem|posso|podemos|poderia|deve|devem|precisa|precisaria|seria|seriam|gostaria|can|could|would|should|may|might|must|will|to|quer|queria|ate|depois de|depois que|antes de|after|tentei|tento|quase|almost|consegui nao|vai|vao|ser|tivesse|tiver|estiver|houver|for|forem|fosse)(?:\W+\w+){0,3}\W*$";

/// A following sentence that speaks of other things: it adds no facts to the claim.
pub(super) const OFFERS: &str = r"\b(?:temos|tenho|outr[oa]s?|opcoes|livres?|disponive(?:l|is)|abrimos|fechamos|funcionamos|atendemos|ficamos|estamos|chegue|cheg(?:ar|a) |minutos antes|cancel\w+|remarc\w+|avis\w+|se precisar|endereco|rua|avenida|pix|open|available|arrive|address|free|other|if you|let us know|custa|valor|preco|costs?|lembr\w+)\b";

/// Questions that only seek a nod: the words before them claim.
pub(super) const TAGS: &[&str] = &[
    "ok",
    "okay",
    "tudo bem",
    "certo",
    "combinado",
    "beleza",
    "blz",
    "ta",
    "ta bom",
    "ta bem",
    "viu",
    "fechado",
    "pode ser",
    "ta certo",
    "alright",
    "all right",
    "right",
    "is that ok",
    "is that okay",
    "deu certo",
    "tudo certo",
    "posso ajudar em algo mais",
    "algo mais",
    "mais alguma coisa",
    "posso ajudar em mais alguma coisa",
    "anything else",
    "precisa de mais alguma coisa",
    "ne",
    "belezinha",
    "joia",
    "entendido",
];

/// Services of barbers, salons and clinics by their names in both languages. What is not here is not compared.
pub(super) const SERVICES: &[&[&str]] = &[
    &["corte", "cabelo", "haircut", "cut", "hair"],
    &["barba", "beard", "shave"],
    &["sobrancelha", "sobrancelhas", "eyebrow", "eyebrows"],
    &["hidratacao", "hydration"],
    &["pigmentacao", "pigmentation"],
    &["coloracao", "tintura", "coloring"],
    &["manicure"],
    &["pedicure"],
    &["massagem", "massage"],
    &["depilacao", "waxing"],
    &["luzes", "mechas", "highlights"],
    &["progressiva"],
    &["escova"],
    &["limpeza", "cleaning"],
    &["clareamento", "whitening"],
    &["canal"],
    &["botox"],
    &["platinado"],
];

/// The first person, or a sentence that is nothing but the deed.
pub(super) const OWN_ACT: &str = r"\b(?:[a-z]{3,}ei|fiz|pus|consegui|acabamos|i|i've|i'm|we|we've)\b|\b[a-z]{3,}(?:amos|emos|imos) (?:o|a|os|as|seu|sua)\b|^\W*(?:pront(?:o|inho)|feito|done|(?:cancelad|desmarcad|marcad|agendad|remarcad|reagendad|confirmad|reservad)[oa]|cancell?ed|booked|rescheduled)\W*$";
