use super::*;

#[test]
fn who_opted_out_may_come_back() {
    for text in
        ["VOLTAR", "voltar, por favor", "start", "oi, quero voltar a receber as promoções", "quero receber mensagens"]
    {
        assert!(opt_in(text), "{text:?}");
    }
    for text in ["quero voltar aí sexta", "volta pro corte", "oi", "não"] {
        assert!(!opt_in(text), "{text:?}");
    }
}

#[test]
fn wishes_for_a_person() {
    for text in [
        "quero falar com um atendente",
        "falar com atendente",
        "atendente",
        "Atendente por favor",
        "humano",
        "quero falar com uma pessoa de verdade",
        "quero falar com alguém",
        "posso falar com o gerente?",
        "chama o dono",
        "me passa pro gerente",
        "me passa pra um atendente",
        "me transfere para um humano",
        "preciso falar com a recepção",
        "quero um atendente",
        "tem algum atendente aí?",
        "não quero falar com robô",
        "falar com alguem da equipe",
        "quero atendimento humano",
        "gostaria de falar com a dona",
        "oi\nquero falar com uma pessoa",
        "i want to talk to a human",
        "real person please",
        "can I speak to someone?",
        "talk to an agent",
        "chama a gerente pfv",
        "qro falar com um humano",
    ] {
        assert!(asks_for_human(text), "{text:?}");
    }
}

#[test]
fn no_wish_for_a_person() {
    for text in [
        "quero falar com o João sobre corte",
        "quero cortar com a Stephane",
        "você é humano?",
        "vc é um robô?",
        "o atendente foi ótimo",
        "não precisa chamar atendente",
        "quem é o dono?",
        "quero marcar um horário",
        "quero alguém que corte cabelo cacheado",
        "tem alguém livre às 15h?",
        "é pra outra pessoa",
        "sou uma pessoa ansiosa",
        "duas pessoas",
        "alguém aí?",
        "",
        "bom dia",
        "não quero falar com atendente",
    ] {
        assert!(!asks_for_human(text), "{text:?}");
    }
}

#[test]
fn opting_out() {
    for text in [
        "PARAR",
        "sair",
        "STOP",
        "stop.",
        "Pare!",
        "parar por favor",
        "descadastrar",
        "não quero mais receber mensagens",
        "nao quero mais receber msg",
        "me tira da lista",
        "para de me mandar mensagem",
        "unsubscribe",
        "cancelar inscrição",
        "parem de mandar promoção",
    ] {
        assert!(opt_out(text), "{text:?}");
    }
    for text in [
        "quero sair mais cedo",
        "cancelar",
        "pode parar de chover",
        "vou sair do trabalho às 18h",
        "não quero mais cortar",
        "para sexta",
        "stop by tomorrow",
        "",
        "sair da barbearia às 15h",
    ] {
        assert!(!opt_out(text), "{text:?}");
    }
}

#[test]
fn whole_words() {
    for (text, pattern, want) in [
        ("vocês aceitam PIX?", "pix", true),
        ("pixel", "pix", false),
        ("Corte, e Barba!", "corte e barba", true),
        ("política nao", "POLITICA", true),
        ("qualquer", "", false),
        ("oi 👍", "👍", true),
        ("corte barba", "corte e barba", false),
    ] {
        assert_eq!(contains_word(text, pattern), want, "{text:?} {pattern:?}");
    }
}
