//! Ordinals in words and figures, and the denominators that are made of them.

use super::{Page, Read, cardinal::cardinal};

/// The ordinal that begins at `index`.
pub(super) fn ordinal(page: &Page<'_>, index: usize) -> Option<Read> {
    if page.is_ordinal_figure(index) {
        let value = page.digits(index)?.parse().ok()?;
        return Some(Read { value, to: index.saturating_add(2) });
    }
    // "Cinquenta e dois milésimo": the thousands are counted with cardinals.
    let counted = cardinal(page, index)
        .filter(|counted| !counted.figures && ["milesimo", "milesima"].contains(&page.text_at(counted.read.to)));
    let (mut value, mut to) = match counted {
        Some(counted) => (counted.read.value - counted.tail + counted.tail * 1e3, counted.read.to.saturating_add(1)),
        None => (0.0, index),
    };
    let mut found = counted.is_some();
    let mut limit = if found { 1_000 } else { u32::MAX };
    while let Some(place) = place_named(page.text_at(to)).filter(|place| size(*place) < limit) {
        limit = size(place);
        value += f64::from(place);
        to = to.saturating_add(1);
        found = true;
    }
    found.then_some(Read { value, to })
}

/// The size of a place: 1, 10, 100 or 1000. Places follow each other from large to small.
fn size(place: u32) -> u32 {
    match place {
        0..10 => 1,
        10..100 => 10,
        100..1_000 => 100,
        _ => 1_000,
    }
}

/// The value of a masculine or feminine ordinal.
fn place_named(word: &str) -> Option<u32> {
    let stem = word.strip_suffix(['o', 'a'])?;
    Some(match stem {
        "primeir" => 1,
        "segund" => 2,
        "terceir" => 3,
        "quart" => 4,
        "quint" => 5,
        "sext" => 6,
        "setim" => 7,
        "oitav" => 8,
        "non" => 9,
        "decim" => 10,
        "vigesim" => 20,
        "trigesim" => 30,
        "quadragesim" => 40,
        "quinquagesim" => 50,
        "sexagesim" => 60,
        "septuagesim" | "setuagesim" => 70,
        "octogesim" => 80,
        "nonagesim" => 90,
        "centesim" => 100,
        "ducentesim" => 200,
        "trecentesim" | "tricentesim" => 300,
        "quadringentesim" => 400,
        "quingentesim" => 500,
        "sexcentesim" | "seiscentesim" => 600,
        "septingentesim" | "setingentesim" => 700,
        "octingentesim" => 800,
        "noningentesim" | "nongentesim" => 900,
        "milesim" => 1_000,
        _ => return None,
    })
}

/// What "um quinto", "cinco oitavos", "dois milésimos" divide by. The feminine forms are weekdays and musical intervals.
pub(super) fn denominator(word: &str) -> Option<f64> {
    let one = word.strip_suffix('s').unwrap_or(word);
    Some(match one {
        "terco" => 3.0,
        "milionesimo" => 1e6,
        "bilionesimo" => 1e9,
        _ => {
            let place = one.ends_with('o').then(|| place_named(one)).flatten();
            // "Um segundo", "o primeiro": a second of time, and a place.
            f64::from(place.filter(|place| *place >= 4)?)
        }
    })
}
