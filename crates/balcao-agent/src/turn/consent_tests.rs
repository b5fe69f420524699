use balcao_tool::Locale;
use jiff::civil::date;
use serde_json::json;

use super::*;

/// The newest first.
fn consent(deed: Asked, lines: &[Said<'_>]) -> Consent {
    let args = json!({"barber_name": "Wesley", "date": "2026-11-27", "start_hour": "15:00"});
    of_words(
        deed,
        &args,
        &Talk { lines: lines.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None },
    )
}

#[test]
fn an_offer_is_agreed_to_by_a_yes_that_says_no_other_thing() {
    let offer = Said::Us("Sexta, 27/11, às 15h com o Wesley. Posso marcar?");
    for given in ["sim", "bora", "👍", "pode marcar sexta às 15h", "sim, com o Wesley", "15h então"] {
        assert_eq!(
            consent(Asked::Booking, &[Said::Customer(given), offer, Said::Customer("quero cortar sexta")]),
            Consent::Given,
            "{given}"
        );
    }
    for open in ["sim, mas às 16h", "sim, com a Íris", "talvez", "não", "sim?", "quanto custa?", "👎"] {
        assert_ne!(
            consent(Asked::Booking, &[Said::Customer(open), offer, Said::Customer("quero cortar sexta")]),
            Consent::Given,
            "{open}"
        );
    }
    assert_eq!(consent(Asked::Cancelling, &[Said::Customer("sim"), offer]), Consent::Absent);
}

#[test]
fn a_yes_chooses_none_of_several() {
    let offer = Said::Us("O Wesley tem sexta às 15h, 16h ou 17h. Qual prefere?");
    assert_eq!(consent(Asked::Booking, &[Said::Customer("sim"), offer, Said::Customer("quero sexta")]), Consent::Open);
    assert_eq!(consent(Asked::Booking, &[Said::Customer("15h"), offer, Said::Customer("quero sexta")]), Consent::Given);
}

#[test]
fn a_wish_that_was_declined_is_over() {
    let wish = Said::Customer("quero marcar sexta às 15h com o Wesley");
    assert_eq!(consent(Asked::Booking, &[Said::Customer("fechado"), Said::Us("Está livre."), wish]), Consent::Given);
    let declined = [Said::Customer("tá bom"), Said::Us("Tudo certo."), Said::Customer("não"), Said::Us("Posso?"), wish];
    assert_eq!(consent(Asked::Booking, &declined), Consent::Open);
}

#[test]
fn what_nobody_spoke_of_is_nobodys_wish() {
    for deed in [Asked::Booking, Asked::Cancelling, Asked::Rescheduling, Asked::Waiting, Asked::Reminding] {
        assert_eq!(consent(deed, &[Said::Customer("oi")]), Consent::Absent, "{deed:?}");
        assert_eq!(consent(deed, &[Said::Customer("sim"), Said::Us("Quer um café?")]), Consent::Absent, "{deed:?}");
    }
    assert_eq!(
        consent(Asked::Waiting, &[Said::Customer("quero"), Said::Us("Posso pôr você na lista de espera?")]),
        Consent::Given
    );
}

#[test]
fn a_service_is_named_in_full_or_by_words_that_fit_it_alone() {
    let all: Vec<Vec<String>> =
        ["Corte na tesoura", "Corte na máquina", "Barba desenhada", "Corte e barba"].map(telling).to_vec();
    let fits = |said: &str, name: &str| fits_alone(&telling(name), &words(said), &all);
    assert!(fits("pra barba amanhã", "Barba desenhada") && fits("na tesoura", "Corte na tesoura"));
    assert!(!fits("quero um corte", "Corte na máquina") && !fits("barba", "Corte e barba"));
    assert!(!fits("corte na tesoura", "Corte na máquina") && !fits("combo", "Corte e barba"));
    assert_eq!(services_in(r#"{"services":[{"name":"Corte","id":1}]}"#), ["Corte"]);
}
