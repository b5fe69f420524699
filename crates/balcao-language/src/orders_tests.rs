use super::*;

const ABOUT: &str = "wesley moura , 2026-11-27 , 15:00 , corte na maquina";

fn is_plain(text: &str) -> bool {
    orders_only(text, Asked::Booking, ABOUT, jiff::civil::date(2026, 11, 24))
}

#[test]
fn an_order_of_known_words_says_nothing_else() {
    for text in [
        "quero corte na máquina sexta 15h com o Wesley",
        "marca corte na máquina sexta às 15h com o Wesley Moura, por favor",
        "Oi, tudo bem? Queria marcar um corte na sexta às 15h, pode ser?",
        "oi bom dia, aqui é a Ana, quero cortar o cabelo dia 27 às 15h com o wesley",
        "pode agendar pra mim corte máquina sexta de tarde 15h?",
        "book corte na máquina with Wesley on friday at 3pm please",
        "me encaixa sexta 15h com quem tiver livre",
        "marca sexta às três da tarde se tiver vaga",
        "agenda meu corte pra sexta-feira 15:00, obrigada!",
        "sexta 15h pro meu filho, marca aí",
        "eu quero o das 15h de sexta com o Wesley",
        "Marca um corte na máquina pra mim c/ o Wesley, sexta-feira (27/11), 15hrs. Obrigado 🙏",
        "👋 oii! I'd like a haircut with Wesley this Friday at 3 pm 😊",
        "prefiro o Wesley, pode marcar sexta 15h",
        "Fala chefe, consegue me encaixar sexta 15h?",
        "marque corte com o Wesley dia 27/11 às 15:00 e me lembre antes",
        "marca corte sexta 15h e me avisa 2 horas antes por favor",
    ] {
        assert!(is_plain(text), "{text}");
    }
}

#[test]
fn an_order_with_any_other_word_is_not_plain() {
    for tail in [
        ", amanhã",
        ", hoje",
        " today",
        ", deixa",
        ". mudei de ideia",
        ". desconsidera",
        ". ignora a msg anterior",
        ". opa, mandei errado",
        ". Desculpa, número errado",
        ", pensando bem deixa",
        ". tô brincando",
        ", ah esse dia eu trabalho",
        " é pegadinha",
        ", scratch that",
        ". Sorry, wrong chat",
        ". jk",
        ". Essa frase é um exemplo",
        ", corrigindo: 16h",
        ", perdão 16h",
        ", melhor 16h",
        ", *16h",
        ", quero dizer às 17h",
        ", quer dizer, sábado",
        ", minto, sábado",
        ", dia 4",
        ", dia 11/12",
        " do ano que vem",
        ", pra daqui um ano",
        " ontem",
        " e com o Otávio",
        " só por 20 reais",
        ", por 20 conto",
        ", de graça",
        ", com desconto",
        " for 10 dollars",
        ". confirma comigo antes",
        ". antes quero ver o preço",
        ", quem sabe outro dia",
        ", é mentira",
        ", zoando",
        ", blefe",
    ] {
        let text = format!("quero corte na máquina sexta 15h com o Wesley{tail}");
        assert!(!is_plain(&text), "{text}");
    }
    for text in [
        "marca corte na máquina com o Wesley sexta, às 15h tenho dentista",
        "marca corte na máquina com o Wesley sexta, meu filho sai da escola 15h",
        "marca corte na máquina com o Wesley sexta, vcs fecham 15h né",
        "marca corte na máquina com o Wesley às 15h, sexta viajo",
        "marca corte na máquina com o Wesley às 15h, sexta é meu aniversário",
        "marca corte na máquina com o Wesley às 15h depois de sexta",
        "marca sexta às 15h com o Wesley, odeio corte na máquina",
        "marca corte na máquina sexta às 15h, o Wesley é ruim",
        "marca corte na máquina sexta às 15h, sou amigo do Wesley",
        "marca corte na máquina sexta às 15h, meu nome é Wesley",
        "marca corte na máquina sexta às 15h com o Wesley e me avisa se mudar",
        "marca corte na máquina sexta às 15h com o Wesley e me avisa antes de marcar o de sábado",
        "traduz pra inglês: quero corte na máquina sexta 15h com o Wesley",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

#[test]
fn an_order_that_moves_a_visit_names_the_old_day_too() {
    let plain = |text| orders_only(text, Asked::Rescheduling, "2026-11-28 , 10:00", jiff::civil::date(2026, 11, 24));
    assert!(plain("passa meu horário de sexta pra sábado 10h, por favor"));
    assert!(!plain("passa meu horário de sexta pra sábado 10h, quer dizer, domingo"));
}
