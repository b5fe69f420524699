use super::*;
use crate::outbound::Template;

const RATES: Rates = Rates { service: 6_800, utility: 6_800, marketing: 62_500, authentication: 6_800 };

fn text() -> OutboundContent {
    OutboundContent::Text { body: "Oi".into(), preview_url: false }
}

fn template() -> OutboundContent {
    OutboundContent::Template(Template {
        name: "lembrete".into(),
        language: "pt_BR".into(),
        body: vec![],
        quick_replies: vec![],
    })
}

fn facts() -> Circumstances<'static> {
    Circumstances {
        window: WindowState::Open { until: "2026-11-24T12:00:00Z".parse().unwrap() },
        free_entry_until: None,
        service_messages_this_month: 0,
        template: None,
        now: "2026-11-23T12:00:00Z".parse().unwrap(),
    }
}

#[test]
fn the_category_is_known_before_sending() {
    let after_ad = Some("2026-11-25T12:00:00Z".parse().unwrap());
    let closed = WindowState::Closed;
    let utility = Category::Utility;
    for (content, facts, category, micros) in [
        (text(), facts(), Category::Service, 0),
        (text(), Circumstances { service_messages_this_month: 999, ..facts() }, Category::Service, 0),
        (text(), Circumstances { service_messages_this_month: 1_000, ..facts() }, Category::Service, 6_800),
        (
            text(),
            Circumstances { service_messages_this_month: 5_000, free_entry_until: after_ad, ..facts() },
            Category::Service,
            0,
        ),
        // Inside the window too.
        (template(), Circumstances { template: Some(&utility), ..facts() }, Category::Utility, 6_800),
        (template(), Circumstances { template: Some(&utility), window: closed, ..facts() }, Category::Utility, 6_800),
        (template(), Circumstances { window: closed, ..facts() }, Category::Marketing, 62_500),
        (template(), Circumstances { free_entry_until: after_ad, ..facts() }, Category::Marketing, 0),
    ] {
        let expected = expected(&content, &facts).unwrap();
        assert_eq!((&expected.category, RATES.micros(&expected)), (&category, micros), "{facts:?}");
    }
}

#[test]
fn outside_the_window_free_words_have_no_price_because_they_cannot_be_sent() {
    assert_eq!(expected(&text(), &Circumstances { window: WindowState::Closed, ..facts() }), None);
}

#[test]
fn metas_words_are_read_in_any_case_and_unknown_ones_cost_the_dearest() {
    assert_eq!(Category::read("UTILITY"), Category::Utility);
    assert_eq!(Category::read("general_purpose_ai"), Category::GeneralPurposeAi);
    let unknown = Category::read("group_service");
    assert_eq!(unknown, Category::Other("group_service".into()));
    assert_eq!(RATES.micros(&Expected { category: unknown, billable: true }), 62_500);
}
