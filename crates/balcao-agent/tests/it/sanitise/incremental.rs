//! Streaming releases only what the whole text would send.

use balcao_agent::reply_checks::sanitise::Incremental;

use super::{benign::replies, mark_in, sanitiser, sent};

const LEAKING: &[&str] = &[
    "Temos às 15h. <tool_call>{\"name\":\"agendar_horario\"}</tool_call> Pode ser?",
    "Temos às 15h com o João. Vou chamar a função de agenda. Pode ser?",
    "Oi, Ana! Temos às 15h. Temos às 15h na sexta-feira com o João. Temos às 15h na sexta-feira com o João. Pode ser?",
    "Temos às 15h. Veja https://mau.example/x agora. Até logo!",
    "Certo! agendar_horario(dia=\"27/11\") Temos às 15h. Até!",
    "Um. Dois. **Três** quatro. Cinco!",
    "Oi! call\n[{\"question\": \"a\"}]",
    "Temos às 15h. Pode ser?\nCliente: pode\nAssistente: Marcado!",
];

#[test]
fn at_every_split_the_pieces_make_the_whole_text() {
    let sanitiser = sanitiser();
    let mut early = 0;
    for text in replies().iter().step_by(23).map(String::as_str).chain(LEAKING.iter().copied()) {
        let whole = sanitiser.clean(text).verdict;
        let wanted = sent(&whole).map(str::to_owned);
        for (at, _) in text.char_indices() {
            let mut stream = Incremental::new(&sanitiser, false);
            let mut shown: String = [&text[..at], &text[at..]].iter().filter_map(|piece| stream.push(piece)).collect();
            assert_eq!(mark_in(&shown), None, "{text:?}");
            early += usize::from(!shown.is_empty());
            shown.extend(stream.finish().rest);
            if let Some(wanted) = &wanted {
                assert_eq!(&shown, wanted, "{text:?} split at {at}");
            }
        }
        let mut stream = Incremental::new(&sanitiser, false);
        let mut shown: String = text.chars().filter_map(|c| stream.push(c.encode_utf8(&mut [0; 4]))).collect();
        shown.extend(stream.finish().rest);
        if let Some(wanted) = wanted {
            assert_eq!(shown, wanted, "{text:?} by character");
        }
    }
    assert!(early > 500, "streaming must show something before the end: {early}");
}

#[test]
fn an_open_chain_of_thought_is_never_shown() {
    let text = "O cliente quer corte. Devo oferecer 15h. </think>Temos às 15h!";
    let mut stream = Incremental::new(&sanitiser(), true);
    assert!(text.split_inclusive(' ').all(|piece| stream.push(piece).is_none()));
    assert_eq!(stream.finish().rest.as_deref(), Some("Temos às 15h!"));
}
