//! Cleaning ordinary and leaking replies.

use balcao_agent::reply_checks::sanitise::{Sanitiser, SanitiserConfig};
use divan::{Bencher, counter::BytesCount};

fn main() {
    divan::main();
}

const PLAIN: &str = "Oi, Pedro! Para amanhã, quarta, 25/11, o João Batista tem estes horários livres: 9h, 10h30, 14h e 16h15. O corte \
custa R$ 45,00 e leva uns 30 minutos; com a barba fica R$ 70,00. Estamos na Rua Augusta, 1200, perto do metrô Consolação, e \
aceitamos Pix, cartão e dinheiro. Qual horário fica melhor pra você? 😊";

const LEAKING: &str = "Oi, Pedro! Vou ver a agenda do João para você.\n<tool_call>\n{\"name\": \"check_availability\", \"arguments\": \
{\"date\": \"2026-11-25\", \"barber_name\": \"João Batista\", \"service_name\": \"Corte\"}}\n</tool_call>\nPara amanhã ele tem **9h**, \
**10h30** e **14h**. O corte custa R$ 45,00. Qual horário fica melhor pra você?";

fn sanitiser() -> Sanitiser {
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
    Sanitiser::new(SanitiserConfig {
        tool_names: names(&["check_availability", "create_appointment", "cancel_appointment", "transfer_to_human"]),
        field_names: names(&["barber_name", "service_name", "start_hour", "date"]),
        allowed_hosts: names(&["figueira.example"]),
        hide_model_identity: true,
        max_chars: 4000,
        ..SanitiserConfig::default()
    })
}

#[divan::bench(args = [PLAIN, LEAKING])]
fn clean(bencher: Bencher<'_, '_>, text: &str) {
    let sanitiser = sanitiser();
    bencher.counter(BytesCount::of_str(text)).bench_local(|| sanitiser.clean(divan::black_box(text)));
}
