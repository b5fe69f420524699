//! Ordinary replies come out as they went in.

use super::{sanitiser, sent};

/// Replies from templates: every combination of the parts below.
pub(crate) fn replies() -> Vec<String> {
    let openings = ["Oi, Pedro! ", "Bom dia! 😊 ", "Claro, Dona Conceição. ", "", "Hi Ana! "];
    let bodies = [
        "O corte custa R$ 45,00 e a barba R$ 35,00; o combo-3 sai por R$ 1.070,50.",
        "Temos horário às 9h, 10:30 e das 10:00–11:00 na quarta, 25/11.",
        "Estamos na Rua Augusta, 1200, Consolação, São Paulo - SP, CEP 01304-001.",
        "Nosso telefone é +55 11 98765-4321 ou (11) 4002-8922.",
        "Siga a gente no Instagram: @barbearia_figueira e @corte.degrade_sp.",
        "A função do barbeiro é te deixar bem! Nosso sistema avisa na véspera.",
        "Usamos ferramentas esterilizadas, pode ficar tranquila.",
        "O e-mail é ana_lima@figueira.example ou contato@figueira.example.",
        "Veja o mapa: https://maps.app.goo.gl/AbC123xyz e https://figueira.example/agenda?dia=27.",
        "*Serviços*\n- Corte: R$ 45,00\n- Barba: R$ 35,00\n- Corte + Barba: R$ 70,00",
        "Opções:\n1. quarta às 15h\n2. quinta às 16h15\n3. sexta às 9h",
        "_Promoção_ de ~R$ 60,00~ por *R$ 45,00* até 30/11/2026.",
        "Protocolo 8F3K-22, guarde com você.",
        "A chave Pix é 7d9f1c7e-3b2a-4f60-9c1d-2f5f6f0b8a11, em nome da barbearia.",
        "Wi-Fi: Figueira_Clientes / senha Corte_2026!x",
        "O corte_degradê leva 45 min (30 + 15 de acabamento).",
        "Família 👨‍👩‍👧 bem-vinda! ❤️ 👍🏽 ☎️ 1️⃣",
        "Observação: chegue 10 minutos antes. Ação: traga um documento.",
        "Cancelamentos até 2 horas antes são sem custo; depois disso, 50% do valor.",
        "Você pensa em mudar o visual? Eu penso que o degradê combina <3",
        "Atendemos crianças a partir de 5 anos [com acompanhante].",
        "Aceitamos Pix, cartão (débito/crédito) e dinheiro.",
        "CPF 529.982.247-25 na nota? O CNPJ é 12.345.678/0001-95.",
        "A Dra. Ana atende às terças; o Dr. João, às quintas.",
        "Hoje fechamos às 19h; amanhã abrimos às 8h30.",
        "O agendamento é feito aqui mesmo, é só dizer o dia e a hora.",
        "Your haircut with João is $45 and takes 30 minutes, is 3pm OK?",
        "Call us any time, think about it and let us know.",
        "O cliente anterior atrasou, então te atendemos às 15h10.",
        "Plano SMART: 2 cortes por mês por R$ 79,90/mês.",
        "Fica entre a R. Haddock Lobo e a Av. Paulista, 2º andar, sala 21-B.",
        "Boleto: 34191.79001 01043.510047 91020.150008 5 84410026000.",
        "Tratamento: \"hidratação profunda\" dura 45min.",
        "Temos {corte + barba} por R$ 70 & hidratação por R$ 50.",
        "Traga RG ou CNH; para menores, a certidão :)",
    ];
    let endings = ["", " Posso ajudar em mais alguma coisa?", " Qual prefere?", "\n\nAté logo! 👋"];
    let mut all = Vec::new();
    for opening in openings {
        for body in bodies {
            for ending in endings {
                let body = if opening.is_empty() {
                    body.to_owned()
                } else if body.starts_with('*') {
                    format!("\n{body}")
                } else {
                    body.to_owned()
                };
                all.push(format!("{opening}{body}{ending}"));
            }
        }
    }
    all
}

#[test]
fn ordinary_replies_are_unharmed() {
    let sanitiser = sanitiser();
    let all = replies();
    assert!(all.len() >= 300, "{}", all.len());
    let mut bad = Vec::new();
    for text in &all {
        let done = sanitiser.clean(text);
        if sent(&done.verdict) != Some(text.trim()) {
            bad.push(format!("{text:?} -> {done:?}"));
        }
    }
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), all.len(), bad.join("\n"));
}
