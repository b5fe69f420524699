use super::*;

#[test]
fn forms_of_a_word_meet() {
    for row in [
        &["horário", "horarios", "HORÁRIOS"][..],
        &["avaliação", "avaliacoes", "avaliações"],
        &["agendar", "agendei", "agendamento", "agenda"],
        &["remarcação", "remarcacao", "remarcar"],
        &["profissional", "profissionais"],
        &["disponível", "disponiveis"],
        &["estacionamento", "estacionar", "vaga", "vagas"],
        &["pagamento", "pagar", "pix", "cartão", "cartoes"],
        &["endereço", "localização", "fica"],
        &["crianças", "infantil", "criança"],
        &["cancelar", "cancelamento", "desmarcar"],
        &["cortes", "corte"],
    ] {
        let tokens: Vec<_> = row.iter().map(|word| search_tokens(word)).collect();
        assert!(tokens.windows(2).all(|pair| pair[0] == pair[1]), "{row:?}: {tokens:?}");
    }
}

#[test]
fn different_words_stay_apart() {
    assert_ne!(search_tokens("barba"), search_tokens("barbeiro"));
    assert_ne!(search_tokens("cancelar"), search_tokens("remarcar"));
    assert_ne!(search_tokens("corte"), search_tokens("cor"));
}

#[test]
fn a_question_is_its_subject() {
    assert_eq!(search_tokens("vocês têm estacionamento?"), search_tokens("estacionamento"));
    assert_eq!(search_tokens("de o a"), Vec::<String>::new());
}
