use std::collections::BTreeSet;

use jiff::civil::{date, time};

use super::*;

fn offer(day: i8, hour: i8, professional: &str) -> Offer {
    Offer {
        day: date(2026, 11, day),
        start: time(hour, 0, 0, 0),
        professional: professional.to_owned(),
        service: Some("Corte".to_owned()),
    }
}

fn shown(offers: &[Offer], reply: &str) -> Vec<String> {
    let offered: BTreeSet<&Offer> = offers.iter().collect();
    spoken_of(&offered, reply).into_iter().map(|one| format!("{} {}", one.start.hour(), one.professional)).collect()
}

#[test]
fn only_what_the_reply_speaks_of_is_shown() {
    let offers = [offer(27, 9, "Rafa"), offer(27, 10, "Rafa"), offer(27, 10, "Téo Lima"), offer(27, 15, "Rafa")];
    assert_eq!(shown(&offers, "Tenho 9h ou 15h."), ["9 Rafa", "15 Rafa"]);
    assert_eq!(shown(&offers, "Às 10:00, qual prefere?"), ["10 Rafa", "10 Téo Lima"]);
    assert_eq!(shown(&offers, "Com o Teo tenho às 10h."), ["10 Téo Lima"]);
    assert_eq!(shown(&offers, "Tenho vários horários de manhã."), Vec::<String>::new());
    assert_eq!(shown(&offers, "Às 11h não tenho."), Vec::<String>::new());
}

#[test]
fn buttons_can_be_told_apart_or_are_none() {
    let (a, b, c) = (offer(27, 9, "Rafa"), offer(27, 9, "Téo Lima"), offer(28, 9, "Rafa"));
    assert_eq!(titles(&[&a]), Some(vec!["09:00".to_owned()]));
    assert_eq!(titles(&[&a, &c]), Some(vec!["27/11 09:00".to_owned(), "28/11 09:00".to_owned()]));
    assert_eq!(titles(&[&a, &b]), Some(vec!["09:00 Rafa".to_owned(), "09:00 Téo".to_owned()]));
    assert_eq!(titles(&[&a, &offer(27, 9, "Rafa Souza")]), None);
}

#[test]
fn a_choice_says_all_that_is_needed_and_ends_with_its_time() {
    let one = offer(27, 15, "Rafa");
    assert_eq!(offer_text(&one, Locale::PtBr), "Quero sexta, 27/11 às 15:00 com Rafa, Corte");
    assert_eq!(offer_text(&one, Locale::En), "I want Friday, Nov 27 at 15:00 with Rafa, Corte");
    let (zone, now) = (TimeZone::UTC, "2026-11-27T14:00:00Z".parse().unwrap());
    assert_eq!(expires_at(&one, &zone, now).to_string(), "2026-11-27T15:00:00Z");
    assert_eq!(expires_at(&offer(30, 9, "Rafa"), &zone, now).to_string(), "2026-11-28T14:00:00Z");
}

#[test]
fn texts_are_cut_where_letters_end() {
    assert_eq!(cut("ab", 5), "ab");
    assert_eq!(cut("a😀b", 2), "a");
    assert_eq!(cut("a😀b", 3), "a😀");
}
