//! `balcao doctor` beside a shop that runs: it asks Meta.

use std::process::Command;

use balcao_store::StoreError;
use balcao_store::crm::organization;
use balcao_store::ops::pack_delivery::{self, Arrived};
use balcao_testkit::fakes::graph::Template;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{SECRET, Shop, post, secrets, shop, text};
use crate::{err, out};

/// The doctor's findings as `check: verdict`, what it says, and what to do.
fn findings(shop: &Shop, change: impl FnOnce(&mut Command)) -> Vec<(String, String, String)> {
    let mut command = shop.command();
    secrets(&mut command).args(["doctor", "--json"]);
    change(&mut command);
    let output = command.output().unwrap();
    let list: Vec<Value> = serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", err(&output)));
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    list.iter()
        .map(|one| (format!("{}: {}", text(one, "check"), text(one, "verdict")), text(one, "says"), text(one, "mend")))
        .collect()
}

fn has(findings: &[(String, String, String)], verdict: &str, says: &str, mend: &str) {
    let fits =
        |(found, said, told): &(String, String, String)| found == verdict && said.contains(says) && told.contains(mend);
    assert!(findings.iter().any(fits), "{verdict}, {says}, {mend}: {findings:#?}");
}

#[test]
fn the_doctor_asks_meta_and_says_what_to_do() {
    let shop = shop();
    shop.graph.set_app_secret(SECRET);
    let config = shop.folder.path().join("balcao.toml");
    let written = std::fs::read_to_string(&config).unwrap();
    let templates = "[whatsapp.templates.reminder]\nname = \"lembrete\"\nparameters = [\"nome=customer\"]\n";
    let running = shop.start();
    let public = format!("[server]\npublic_url = \"http://{}\"\n", running.address);
    std::fs::write(&config, format!("{}{templates}", written.replace("[server]\n", &public))).unwrap();

    shop.graph.keep_template(Template::new("lembrete", "Oi {{nome}}, você tem horário amanhã."));
    let well = findings(&shop, |_| {});
    for check in ["token", "number", "app secret", "webhooks", "templates", "address"] {
        has(&well, &format!("{check}: ok"), "", "");
    }

    // What Meta would refuse of every reminder is told before the first of them.
    for (body, says) in [
        (
            "Oi {{nome}}, você tem horário às {{hora}}, tá?",
            "has the gaps nome, hora, and whatsapp.templates fills nome",
        ),
        ("Oi {{1}}, você tem horário amanhã.", "has the gaps 1, and whatsapp.templates fills nome"),
        ("Você tem horário amanhã.", "has the gaps none, and"),
    ] {
        shop.graph.keep_template(Template::new("lembrete", body));
        has(&findings(&shop, |_| {}), "templates: wrong", says, "whatsapp.templates");
    }
    shop.graph.set_template_state("lembrete", "PAUSED");
    has(&findings(&shop, |_| {}), "templates: wrong", "lembrete (pt_BR) is PAUSED", "Meta's review");

    let mut elsewhere = text("wamid.1", 1, "oi");
    elsewhere["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!("4711");
    assert_eq!(post(&running.address, &elsewhere, SECRET), Some(200));
    has(&findings(&shop, |_| {}), "inbox: warning", "1 events came in for whatsapp 4711", "whatsapp.account");

    let wrong = findings(&shop, |command| {
        command.env("BALCAO__WHATSAPP__APP_SECRET", "another").env("BALCAO__WHATSAPP__VERIFY_TOKEN", "another");
    });
    has(&wrong, "app secret: wrong", "appsecret_proof", "App settings");
    has(&wrong, "address: wrong", "403", "verify_token");

    shop.graph.unsubscribe();
    let wrong = findings(&shop, |command| {
        command.env("BALCAO__WHATSAPP__TOKEN", "expired");
    });
    has(&wrong, "token: wrong", "190", "system user");
    has(&findings(&shop, |_| {}), "webhooks: wrong", "no message ever arrives", "subscribed_apps");

    drop(running);
    let text = std::fs::read_to_string(&config).unwrap().replace("lembrete", "aviso");
    std::fs::write(&config, text).unwrap();
    let wrong = findings(&shop, |_| {});
    has(&wrong, "templates: wrong", "aviso (pt_BR) does not exist", "WhatsApp Manager");
    has(&wrong, "address: wrong", "no connection", "balcao serve");
}

#[test]
fn a_delivery_of_a_pack_that_was_set_aside_is_told_of() {
    let shop = shop();
    let store = shop.store();
    // The program dies three times while it reads it.
    let mut now: Timestamp = "2026-11-24T13:00:00Z".parse().unwrap();
    let dies = store.write(move |tx| {
        let organization = organization::list(tx)?.remove(0).id;
        let arrived = Arrived { pack: "clickup", once: "deadly", named: true, change: None, body: "{}" };
        pack_delivery::accept(tx, organization, arrived, now)?;
        for _ in 0..3 {
            let held_until = now + SignedDuration::from_mins(2);
            assert_eq!(pack_delivery::take(tx, organization, now, held_until, 10)?.len(), 1);
            now = held_until;
        }
        pack_delivery::set_aside(tx, organization, now)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let set_aside = runtime.block_on(dies).map_err(|error: StoreError| error).unwrap();
    assert_eq!(set_aside, 1);
    drop(store);
    has(
        &findings(&shop, |_| {}),
        "packs: warning",
        "1 deliveries of packs could not be read and were set aside",
        "the log",
    );
}

#[test]
fn staff_who_cannot_be_asked_about_visits_are_told_of() {
    let shop = shop();
    let config = shop.folder.path().join("balcao.toml");
    let written = std::fs::read_to_string(&config).unwrap();
    let is_warned = || findings(&shop, |_| {}).iter().any(|(found, ..)| found == "visits: warning");
    let says = "no way leads to the staff who are to be asked about visits without a mark";
    has(&findings(&shop, |_| {}), "visits: warning", says, "set handoffs.tell_by");
    let endpoint = |events: &str| {
        format!(
            "{written}[[webhooks]]\nname = \"crm\"\nurl = \"https://crm.example/in\"\nsecret = \"{SECRET}\"\nevents = {events}\n"
        )
    };
    std::fs::write(&config, endpoint("[\"appointment.booked\"]")).unwrap();
    assert!(is_warned(), "it hears of bookings alone");
    std::fs::write(&config, endpoint("[]")).unwrap();
    assert!(!is_warned(), "it hears of everything");
}
