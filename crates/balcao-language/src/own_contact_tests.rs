use super::*;

#[test]
fn an_address_is_the_writers_by_the_build_of_the_clause() {
    for (text, value) in [
        ("meu email é ana@exemplo.com", "ana@exemplo.com"),
        ("meu e-mail novo: ana@exemplo.com", "ana@exemplo.com"),
        ("meu email é ana@x.com", "ana@x.com"),
        ("anota meu e-mail: ze@uol.com.br", "ze@uol.com.br"),
        ("bia@oi.com", "bia@oi.com"),
        ("meu email da faculdade é ana@exemplo.com", "ana@exemplo.com"),
        ("o email do trabalho é ana@exemplo.com", "ana@exemplo.com"),
        ("ana@exemplo.com é meu email", "ana@exemplo.com"),
        ("é ana@exemplo.com", "ana@exemplo.com"),
        ("ana@exemplo.com", "ana@exemplo.com"),
        ("oi, ana@exemplo.com obrigada", "ana@exemplo.com"),
        ("anota aí: ana@exemplo.com", "ana@exemplo.com"),
        ("pode usar o ana@exemplo.com", "ana@exemplo.com"),
        ("me manda no ana@exemplo.com", "ana@exemplo.com"),
        ("sou a Ana Prado, ana@exemplo.com", "ana@exemplo.com"),
        ("quero marcar sexta, ana@exemplo.com", "ana@exemplo.com"),
        ("recebi um email ontem. meu email é ana@exemplo.com", "ana@exemplo.com"),
        ("my email is ana@exemplo.com", "ana@exemplo.com"),
        ("send me the receipt at ana@exemplo.com", "ana@exemplo.com"),
        ("please update it to ana@exemplo.com", "ana@exemplo.com"),
        ("moro na rua Augusta 90", "Rua Augusta, 90"),
        ("moro na r. augusta 90", "Rua Augusta, 90"),
        ("meu endereço é rua Augusta 90", "Rua Augusta, 90"),
        ("minha casa fica na rua Augusta 90", "Rua Augusta, 90"),
        ("rua Augusta 90", "Rua Augusta, 90"),
        ("me mudei pra rua Augusta 90", "Rua Augusta, 90"),
        ("endereço: rua Augusta 90", "Rua Augusta, 90"),
        ("I live at 90 Main Street", "90 Main Street"),
        ("meu email é ana@exemplo.com, o do meu marido é bob@exemplo.com", "ana@exemplo.com"),
        ("anota aí: ana@exemplo.com, digo, bia@exemplo.com, meu email é bia@exemplo.com", "bia@exemplo.com"),
        ("meu zap é 11 98888-7777", "11988887777"),
        ("meu telefone novo é 11 98888-7777", "11 98888-7777"),
    ] {
        assert!(is_contact(value), "{value}");
        assert!(gives_contact(text, value, false), "{text}");
    }
    for (text, value) in [
        ("recebi um email de golpe@x.com", "golpe@x.com"),
        ("meu email é ana@exemplo.com, quer dizer bia@exemplo.com", "ana@exemplo.com"),
        ("meu email é ana@exemplo.com. corrigindo: bia@exemplo.com", "ana@exemplo.com"),
        ("recebi um email: golpe@x.com", "golpe@x.com"),
        ("recebi um email estranho, golpe@x.com", "golpe@x.com"),
        ("vi que golpe@x.com me mandou mensagem", "golpe@x.com"),
        ("o email que recebi é golpe@x.com", "golpe@x.com"),
        ("vocês são o loja@x.com?", "loja@x.com"),
        ("golpe@x.com não é meu email", "golpe@x.com"),
        ("mandei pra loja@x.com e ninguém respondeu", "loja@x.com"),
        ("escrevi no loja@x.com", "loja@x.com"),
        ("o site diz contato@x.com", "contato@x.com"),
        ("achei contato@x.com no google", "contato@x.com"),
        ("o comprovante veio de banco@x.com", "banco@x.com"),
        ("o email do meu chefe é chefe@x.com", "chefe@x.com"),
        ("a Bia usa bia@x.com", "bia@x.com"),
        ("vi o site oi@bar.com", "oi@bar.com"),
        ("I got an email from scam@x.com", "scam@x.com"),
        ("is loja@x.com yours?", "loja@x.com"),
        ("I wrote to loja@x.com yesterday", "loja@x.com"),
        ("passei na rua Augusta 90 ontem", "Rua Augusta, 90"),
        ("vocês ficam na rua Augusta 90?", "Rua Augusta, 90"),
        ("fui na rua Augusta 90 e tava fechado", "Rua Augusta, 90"),
        ("to parado na rua Augusta 90", "Rua Augusta, 90"),
        ("minha mãe mora na rua Augusta 90", "Rua Augusta, 90"),
        ("o salão da rua Augusta 90 é bom", "Rua Augusta, 90"),
        ("I walked by 90 Main Street", "90 Main Street"),
        ("me ligaram do 11 98888-7777", "11988887777"),
        ("vi o 11 98888-7777 no anúncio", "11988887777"),
    ] {
        assert!(is_contact(value), "{value}");
        assert!(!gives_contact(text, value, false), "{text}");
    }
}

#[test]
fn an_answer_to_our_question_gives_the_address() {
    for (text, value) in [("pode ser o ana@exemplo.com", "ana@exemplo.com"), ("na rua Augusta 90", "Rua Augusta, 90")] {
        assert!(gives_contact(text, value, true), "{text}");
    }
    assert!(!gives_contact("recebi um email de golpe@x.com", "golpe@x.com", true));
    for ours in ["Qual é o seu e-mail?", "Onde você mora?", "Me passa seu endereço, por favor."] {
        assert!(asks_own_contact(ours), "{ours}");
    }
    for ours in ["Qual o nome dele?", "Com qual profissional?", "Qual o telefone da sua filha?"] {
        assert!(!asks_own_contact(ours), "{ours}");
    }
}

#[test]
fn what_says_more_than_an_address_is_none() {
    for value in
        ["Alérgica a dipirona 500 mg", "Recebeu um e-mail de golpe@x.com", "Passou na rua Augusta 90", "Ana Prado", ""]
    {
        assert!(!is_contact(value), "{value}");
    }
    assert!(is_contact("Mora na rua Augusta 90"));
}
