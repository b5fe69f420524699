//! Each thing that must go, and what stays of the text around it.

use balcao_agent::reply_checks::sanitise::{Sanitiser, SanitiserConfig, Verdict};

use super::{config, sanitiser, sent};

/// A text and what is sent of it.
const CASES: &[(&str, &str)] = &[
    (
        "<|channel|>analysis<|message|>O cliente quer corte.<|end|><|start|>assistant<|channel|>final<|message|>Temos às 15h!<|return|>",
        "Temos às 15h!",
    ),
    (
        "analysisO cliente quer um horário, devo consultar.assistantfinalTemos às 15h, pode ser?",
        "Temos às 15h, pode ser?",
    ),
    ("<think>preciso ver a agenda</think>Temos às 15h!", "Temos às 15h!"),
    ("O usuário quer corte.</think>\n\nTemos às 15h!", "Temos às 15h!"),
    ("<thinking>Vou usar consultar_agenda.</thinking> Claro! Temos às 15h.", "Claro! Temos às 15h."),
    ("Certo, Ana! {\"slots\":[\"09:00\",\"09:30\"]} Qual prefere?", "Certo, Ana! Qual prefere?"),
    ("Temos às 9h e às 10h. Usei check_availability para ver isso.", "Temos às 9h e às 10h."),
    ("Seu horário está confirmado (id: 48213). Até lá!", "Seu horário está confirmado. Até lá!"),
    ("Marcado! O código é 3f2b8c1e-9d4a-4b7e-8a11-0c2d3e4f5a6b. Até sexta!", "Marcado! Até sexta!"),
    ("Vou chamar a função de agenda. Temos às 15h, pode ser?", "Temos às 15h, pode ser?"),
    ("A ferramenta retornou dois horários. Temos às 9h e às 10h.", "Temos às 9h e às 10h."),
    ("Assistente: Oi! Tudo bem?", "Oi! Tudo bem?"),
    ("Temos às 15h. Pode ser?\nCliente: pode sim\nAssistente: Marcado!", "Temos às 15h. Pode ser?"),
    ("Oi, {{nome}}! Temos às 15h.", "Oi! Temos às 15h."),
    ("Olá [NOME DO CLIENTE], temos às 15h.", "Olá, temos às 15h."),
    ("**Corte**: R$ 45,00", "*Corte*: R$ 45,00"),
    ("## Serviços\n\n- **Corte**: R$ 45,00", "*Serviços*\n\n- *Corte*: R$ 45,00"),
    ("| Serviço | Preço |\n|---|---|\n| Corte | R$ 45,00 |", "Serviço – Preço\nCorte – R$ 45,00"),
    ("Veja [nosso site](https://figueira.example/precos).", "Veja nosso site (https://figueira.example/precos)."),
    ("Veja [isto](https://mau.example/x) e venha.", "Veja isto e venha."),
    ("Acesse https://figueira.example.mau.example/login agora, por favor.", "Acesse agora, por favor."),
    (
        "Temos às 15h na sexta-feira com o João.\n\nTemos às 15h na sexta-feira com o João.",
        "Temos às 15h na sexta-feira com o João.",
    ),
    ("Ol\u{200B}á,\u{202E} Ana!", "Olá, Ana!"),
    ("Como um modelo de linguagem, não corto cabelo. Temos às 15h!", "Temos às 15h!"),
    ("Seu horário é 2026-11-27T15:00:00-03:00, até lá.", "Seu horário é 27/11 15h, até lá."),
    ("Tive um problema: ECONNREFUSED 10.0.0.5:5432. Pode repetir o dia?", "Pode repetir o dia?"),
    (
        "&lt;tool_call&gt;{&quot;name&quot;:&quot;agendar_horario&quot;}&lt;/tool_call&gt; Temos às 15h, pode ser?",
        "Temos às 15h, pode ser?",
    ),
    ("```json\n{\"a\": 1}\n```\nTemos às 15h, pode ser?", "Temos às 15h, pode ser?"),
    (
        "Thought: preciso ver a agenda\nAction: consultar_agenda\nAction Input: {\"dia\":\"27/11\"}\nFinal Answer: Temos às 15h!",
        "Temos às 15h!",
    ),
    ("tool: agendar_horario\nargs:\n  dia: 27/11\n\nTemos às 15h, pode ser?", "Temos às 15h, pode ser?"),
    ("Temos às 15h. [executando ferramenta…] Pode ser?", "Temos às 15h. Pode ser?"),
    ("Minha chave é sk-ant-api03-AbCdEf0123456789xyz. Temos às 15h, pode ser?", "Temos às 15h, pode ser?"),
];

#[test]
fn what_must_go_goes_and_the_rest_stays() {
    let sanitiser = sanitiser();
    let mut bad = Vec::new();
    for (text, wanted) in CASES {
        let done = sanitiser.clean(text);
        if sent(&done.verdict) != Some(wanted) {
            bad.push(format!("{text:?}\n   wanted {wanted:?}\n   got    {done:?}"));
        } else if text.trim() != *wanted {
            let form = ["**", "##", "|", "](", "2026-", "```"].iter().any(|sign| text.contains(sign));
            assert!(
                form || !done.removed.is_empty() || text.contains('\u{200B}'),
                "no record of what was removed from {text:?}"
            );
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_leak_that_took_the_answer_asks_again() {
    let sanitiser = sanitiser();
    for text in [
        "",
        "   \n",
        "{\"name\":\"agendar_horario\",\"arguments\":{}}",
        "<tool_call>{\"name\": \"agend",
        "Só um instante, vou verificar! <tool_call>{}</tool_call>",
        "agendar_horario",
        "[TOOL_CALLS]",
        "```json\n{\"a\":1}\n```",
        "{ \"foo\": \"bar\" }",
        "<think>hmm, o cliente quer",
    ] {
        assert!(matches!(sanitiser.clean(text).verdict, Verdict::Retry(_)), "{text:?} -> {:?}", sanitiser.clean(text));
    }
}

#[test]
fn secrets_and_traces_alone_are_blocked() {
    let sanitiser = sanitiser();
    for text in [
        "sk-ant-api03-AbCdEf0123456789xyz",
        "SELECT * FROM slot_claim WHERE id = 3",
        "postgres://u:p@db.internal/balcao",
        "OPENAI_API_KEY=abc123def",
        "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in <module>\n    run()\nValueError: bad",
        "thread 'tokio-runtime-worker' panicked at src/gate.rs:41:\nindex out of bounds",
    ] {
        assert!(matches!(sanitiser.clean(text).verdict, Verdict::Block(_)), "{text:?} -> {:?}", sanitiser.clean(text));
    }
}

#[test]
fn long_texts_end_with_a_sentence() {
    let sanitiser = Sanitiser::new(SanitiserConfig { max_chars: 40, ..config() });
    let verdict = sanitiser.clean("Temos às 15h na sexta. Temos também às 16h no sábado, se preferir. E mais.").verdict;
    assert_eq!(sent(&verdict), Some("Temos às 15h na sexta."));
}

#[test]
fn the_identity_of_the_model_may_be_told_where_the_profile_says_so() {
    let sanitiser = Sanitiser::new(SanitiserConfig { hide_model_identity: false, ..config() });
    let text = "Sou um modelo de linguagem da barbearia. Temos às 15h!";
    assert_eq!(sent(&sanitiser.clean(text).verdict), Some(text));
}
