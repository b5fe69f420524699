use super::*;

fn all(texts: &[&str], deed: Asked, want: Wish) {
    for text in texts {
        let things = ["Corte na máquina", "Barba", "Haircut", "Wesley"];
        let found = wish_for(text, deed, &things);
        // Whether it asks and leaves it open, or only speaks of it, differs for what was asked before.
        let found = if found == Wish::Spoken { Wish::Open } else { found };
        assert_eq!(found, want, "{text:?} {deed:?}");
    }
}

#[test]
fn a_request_is_a_verb_of_the_deed_that_speaks_to_us() {
    let asked = [
        "marca sexta às 15h",
        "oi, marca um corte quinta 16h com o Vanderson",
        "quero corte na máquina com o Wesley dia 27/11 às 15h, pode marcar",
        "queria marcar barba sexta 15h",
        "gostaria de agendar um corte amanhã 10h",
        "preciso de um corte hoje às 18h",
        "bom dia, pode agendar amanhã às 9h por favor",
        "se tiver vaga pode marcar 15h",
        "book me at 3pm please",
        "i'd like a haircut tomorrow at 3pm",
        "marca no sábado 10h",
        "marca de manhã sexta",
        "quero cortar o cabelo amanhã 15h",
        "quero fazer a barba sexta 15h",
        "quero sexta às 15h",
        "queria com o Wesley às 15h",
        "quero 1 horário sexta 15h",
    ];
    all(&asked, Asked::Booking, Wish::Asked);
    all(
        &["cancela", "quero cancelar meu horário", "pode desmarcar", "please cancel it"],
        Asked::Cancelling,
        Wish::Asked,
    );
    all(&["quero remarcar pra sexta", "muda pra 16h", "pode passar pra quinta"], Asked::Rescheduling, Wish::Asked);
    let waiting =
        ["me coloca na lista de espera de sábado", "lista de espera sexta à tarde", "me avisa se abrir vaga?"];
    all(&waiting, Asked::Waiting, Wish::Asked);
    let waiting = ["quero entrar na lista de espera", "queria ficar na fila", "se abrir vaga sexta, me avisa"];
    all(&waiting, Asked::Waiting, Wish::Asked);
    let reminded = [
        "me lembra 2 horas antes do meu horário?",
        "quero um lembrete",
        "pode me avisar uma hora antes",
        "me avisa antes",
    ];
    all(&reminded, Asked::Reminding, Wish::Asked);
}

#[test]
fn what_leaves_it_open_asks_for_nothing() {
    let open = [
        "pode marcar 15h?",
        "quero marcar, mas antes vou ver com minha mulher",
        "não marca ainda",
        "se eu quisesse marcar 15h, daria?",
        "marca quando meu pagamento cair",
        "só marca depois que eu confirmar",
        "acho que quero marcar sexta",
        "quero saber se tem horário",
        "meu chefe disse pra marcar sexta",
        "meu amigo marcou sexta às 15h na concorrência",
        "quero marcar, quanto custa",
        "quero marcar e cancelar o outro",
        "don't book it yet",
        "book it if my wife agrees",
        "queria marcar, talvez sexta",
        "quero outro horário",
        "quero sexta mais tarde",
        "quero o preço do corte sexta 15h",
        "preciso de informação, sexta 15h",
        "quero informações do corte",
        "can you tell me the price of a haircut friday 3pm",
        "a agenda de sexta 15h",
        "agenda da sexta tá cheia",
        "vi a marca do shampoo",
        "quero a agenda de sexta",
        "a reserva foi ontem",
    ];
    all(&open, Asked::Booking, Wish::Open);
    all(
        &["não vou poder ir amanhã", "como faço pra cancelar", "posso cancelar depois?"],
        Asked::Cancelling,
        Wish::Open,
    );
    let waiting = [
        "tem lista de espera?",
        "como funciona a lista de espera",
        "a fila tava grande ontem",
        "fiquei uma hora na espera",
        "tem fila de espera",
        "quero saber da lista de espera",
    ];
    all(&waiting, Asked::Waiting, Wish::Open);
    all(&["vi o lembrete", "recebi um aviso de vocês", "quero ver o lembrete"], Asked::Reminding, Wish::Open);
}

#[test]
fn a_request_that_is_put_off_asks_for_nothing_yet() {
    let open = [
        "marca corte sexta 15h, amanhã eu confirmo",
        "marca sexta 15h, mais tarde eu te confirmo",
        "marca sexta 15h, te aviso depois",
        "marca sexta 15h, aviso amanhã",
        "reserva sexta 15h, vou ver com ela",
        "vou pedir pra minha mulher e aí marca sexta 15h",
        "vou falar com meu chefe, aí pode marcar sexta 15h",
        "preciso pagar a fatura, depois marca sexta 15h",
        "marca mas só se o Wesley puder",
        "marca só se tiver desconto sexta 15h",
        "book friday 3pm, I'll confirm later",
        "“pode marcar sexta 15h”",
    ];
    all(&open, Asked::Booking, Wish::Open);
    all(&["fecha sexta às 15h"], Asked::Booking, Wish::Absent);
    let asked = [
        "pode marcar, confirmo sexta 15h",
        "marca sexta 15h que eu vou",
        "vou querer sexta 15h",
        "preciso marcar um corte sexta 15h",
        "marca sexta 15h, depois eu pago",
        "pode fechar sexta 15h",
        "me chamo Ana, marca sexta 15h",
    ];
    all(&asked, Asked::Booking, Wish::Asked);
}

#[test]
fn a_reminder_and_a_queue_are_asked_for_where_verb_and_thing_belong_together() {
    let told = [
        "chego uma hora antes, me avisa onde estaciono",
        "me avisa quanto custa uma hora antes",
        "me avisa como chego aí",
        "avisa minha mãe uma hora antes",
    ];
    all(&told, Asked::Reminding, Wish::Open);
    let asked = ["uma hora antes, me avisa", "me avisa uma hora antes"];
    all(&asked, Asked::Reminding, Wish::Asked);
    let told = [
        "coloca minha irmã na lista de espera",
        "põe o João na fila",
        "coloca ela na lista de espera sábado",
        "add my sister to the waiting list",
        "tem fila aí? bom dia. coloca o café na mesa",
    ];
    all(&told, Asked::Waiting, Wish::Open);
    let asked = ["me coloca na lista de espera", "se abrir vaga, me avisa", "coloca meu nome na lista de espera"];
    all(&asked, Asked::Waiting, Wish::Asked);
}

#[test]
fn another_who_acts_asks_for_nothing() {
    let open = [
        "minha esposa vai marcar sexta 15h",
        "o Wesley pode marcar sexta 15h",
        "o médico manda marcar sexta 15h",
        "o rapaz explicou q pode marcar sexta 15h",
        "a menina escreveu quero marcar sexta 15h",
        "ele fala assim \"marca sexta 15h\"",
        "segundo o Wesley pode marcar sexta 15h",
    ];
    all(&open, Asked::Booking, Wish::Open);
    all(&["minha mãe pode cancelar meu horário"], Asked::Cancelling, Wish::Open);
    let asked = [
        "pra minha filha pode marcar sexta 15h",
        "com o Wesley pode marcar sexta 15h",
        "a gente quer, pode marcar sexta",
    ];
    all(&asked, Asked::Booking, Wish::Asked);
}

#[test]
fn a_verb_of_booking_with_another_object_asks_for_nothing() {
    let open = [
        "vamos marcar um futebol sexta 15h",
        "reserva uma toalha pra sexta 15h",
        "pode deixar q eu marco sexta 15h",
        "quero amanhã o comprovante do corte de 15h",
        "quero hoje o endereço",
        "quero o horário de funcionamento sexta",
        "queria o horário q marquei sexta 15h",
        "agenda cheia sexta 15h",
        "marcar sexta 15h é caro",
        "queria ter marcado sexta 15h",
    ];
    all(&open, Asked::Booking, Wish::Open);
    let asked = [
        "marca um horário sexta 15h",
        "pode marcar o horário das 15h",
        "marca pro meu filho sexta 15h",
        "quero o corte de sexta 15h",
    ];
    all(&asked, Asked::Booking, Wish::Asked);
}

#[test]
fn exclusions_alternatives_and_conditions_of_another_leave_it_open() {
    let open = [
        "marca qualquer dia menos sexta 15h",
        "book me friday anytime besides 3pm",
        "marca sexta 15h sem ser com o Wesley",
        "quero sexta 15h ou sábado 10h",
        "marca sexta 15h, digo, sábado",
        "marca sexta 15h se der desconto",
        "se minha mulher puder ficar com as crianças quero marcar sexta 15h",
        "qnd eu receber quero marcar sexta 15h",
        "pode marcar sexta 15h dps confirmo",
        "nãaao marca sexta 15h",
        "pode marcar com quem sexta 15h",
        "marca sexta 15h custa quanto",
    ];
    all(&open, Asked::Booking, Wish::Open);
    let asked = ["se der pode marcar sexta 15h", "marca com quem puder sexta 15h"];
    all(&asked, Asked::Booking, Wish::Asked);
}

#[test]
fn a_queue_or_a_reminder_that_is_told_of_others_is_not_asked_for() {
    let told = [
        "avisa pro Wesley que to na fila do mercado",
        "lista de preços",
        "quero a lista de serviços",
        "espera um minuto",
        "por favor, to na fila",
        "quero ficar fora da lista",
        "quero sair da lista de espera",
    ];
    all(&told, Asked::Waiting, Wish::Open);
    let told = [
        "avisa o Wesley que vou atrasar",
        "quero avisar que vou atrasar 10 min",
        "me avisa o preço",
        "lembra que eu tenho alergia",
        "remind me what you charge",
        "lembrete recebido",
    ];
    all(&told, Asked::Reminding, Wish::Open);
    all(&["remind me before I pay"], Asked::Reminding, Wish::Open);
    all(&["remind me 2 hours before", "please remind me an hour before!"], Asked::Reminding, Wish::Asked);
}

#[test]
fn a_greeting_or_a_mere_can_it_be_leaves_a_request_as_it_is() {
    let asked = [
        "oi tudo bem? quero corte sexta 15h",
        "oi, td bem? e vc? marca um corte sexta 15h",
        "boa tarde, como vai? quero marcar sexta 15h",
        "quero marcar corte sexta 15h, pode ser?",
        "marca sexta 15h, tem como?",
    ];
    all(&asked, Asked::Booking, Wish::Asked);
    let open = ["tem wifi? quero corte sexta 15h", "quero corte sexta 15h?", "marca sexta 15h, pode ser mais tarde?"];
    all(&open, Asked::Booking, Wish::Open);
}

#[test]
fn what_replaces_another_or_is_taken_back_leaves_it_open() {
    let open = [
        "em vez de sexta 15h quero sábado",
        "quero sexta 15h no lugar de sábado",
        "book me saturday instead of friday",
        "marca sexta 15h, mentira",
        "faz de conta que quero marcar sexta 15h",
    ];
    all(&open, Asked::Booking, Wish::Open);
    let open = ["me coloca na lista de sábado de manhã ou domingo", "me põe na lista qualquer dia menos sábado"];
    all(&open, Asked::Waiting, Wish::Open);
    all(&["me lembra uma hora antes ou duas"], Asked::Reminding, Wish::Open);
    let asked = ["se abrir vaga sexta à tarde me avisa", "put me on the waitlist for friday", "me avisa se abrir vaga"];
    all(&asked, Asked::Waiting, Wish::Asked);
}

#[test]
fn who_wants_another_says_so() {
    assert!(["quero outro", "mais tarde", "another day"].iter().all(|text| wants_another(text)));
    assert!(!["ok", "sexta 15h ou qualquer outro", "quero esse"].iter().any(|text| wants_another(text)));
}

#[test]
fn what_speaks_of_something_else_wishes_for_nothing() {
    let nothing = ["oi", "sim", "bom dia", "obrigado", "quanto custa a barba", "👍", "", "qual o endereço"];
    all(&nothing, Asked::Booking, Wish::Absent);
    all(&nothing, Asked::Cancelling, Wish::Absent);
    all(&["quero marcar sexta", "oi", "sim"], Asked::Cancelling, Wish::Absent);
    all(&nothing, Asked::Reminding, Wish::Absent);
}
