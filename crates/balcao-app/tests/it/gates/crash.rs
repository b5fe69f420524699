//! G-01: a server that dies, or loses its connection, at any commit of a turn leaves what one that lives would have left.
//!
//! The commits are counted in a run without a fault, not listed: each that changed something is one point. At each point, in
//! each way, the test replays the story with another customer, and another program goes on where the first one died.

use std::collections::BTreeMap;

use balcao_store::{CommitFate, OpenOptions, Store};
use balcao_testkit::postgres::Database;

use super::shop::{Act, Act::Calls, Act::Fails, Act::Says, Exchange, Shop, filled, open};

const BOOK: Act = Calls(&[(
    "create_appointment",
    r#"{"date":"DAY","start_hour":"HOUR","barber_name":"Ana","service_name":"Corte"}"#,
)]);
const LOOK: Act = Calls(&[("check_availability", r#"{"date":"DAY","barber_name":"Ana","service_name":"Corte"}"#)]);
const BOOKED: Exchange = ("quero marcar, com a Ana em DAY às HOUR", &[BOOK, Says("Prontinho, está marcado!")]);

/// Stories that between them use every kind of effect and of ending.
const SCENARIOS: &[(&str, &[Exchange])] = &[
    ("a_greeting", &[("oi", &[Says("Olá! Como posso ajudar?")])]),
    ("a_look", &[("tem horário", &[LOOK, Says("Sim, a Ana tem horário livre nesse dia.")])]),
    ("a_booking", &[("quero marcar, com a Ana em DAY às HOUR", &[LOOK, BOOK, Says("Prontinho, está marcado!")])]),
    (
        "a_cancellation",
        &[
            BOOKED,
            ("cancela pra mim", &[Calls(&[("cancel_appointment", "{}")]), Says("Posso cancelar?")]),
            ("sim", &[Says("Pronto, está cancelado.")]),
        ],
    ),
    (
        "a_move",
        &[
            BOOKED,
            (
                "muda pra depois, para LATER às HOUR",
                &[
                    Calls(&[("reschedule_appointment", r#"{"new_date":"LATER","new_start_hour":"HOUR"}"#)]),
                    Says("Posso remarcar?"),
                ],
            ),
            ("sim", &[Says("Pronto, está remarcado.")]),
        ],
    ),
    ("a_tag", &[("sou VIP", &[Calls(&[("add_tag", r#"{"tag_name":"VIP"}"#)]), Says("Que bom ter você aqui!")])]),
    (
        "several_at_once",
        &[(
            "sou cliente antigo",
            &[
                Calls(&[
                    ("add_tag", r#"{"tag_name":"Antigo"}"#),
                    ("add_internal_note", r#"{"content":"Prefere a Ana."}"#),
                    ("move_pipeline_stage", r#"{"stage_name":"Agendado"}"#),
                ]),
                Says("Que bom ter você de volta!"),
            ],
        )],
    ),
    (
        "one_after_the_other",
        &[(
            "me chamo Bia",
            &[
                Calls(&[("update_contact", r#"{"name":"Bia Souza"}"#)]),
                Calls(&[("add_internal_note", r#"{"content":"Chama-se Bia."}"#)]),
                Says("Prazer, Bia!"),
            ],
        )],
    ),
    (
        "a_follow_up",
        &[(
            "vou pensar",
            &[
                Calls(&[(
                    "schedule_followup",
                    r#"{"delay_minutes":30,"message_hint":"Ficou de pensar.","followup_type":"curiosity"}"#,
                )]),
                Says("Claro, sem pressa."),
            ],
        )],
    ),
    (
        "a_waitlist",
        &[(
            "me avisa se abrir, em DAY com a Ana",
            &[
                Calls(&[("join_waitlist", r#"{"date":"DAY","barber_name":"Ana"}"#)]),
                Says("Você está na lista de espera."),
            ],
        )],
    ),
    (
        "a_handoff",
        &[(
            "quero negociar",
            &[
                Calls(&[("transfer_to_human", r#"{"reason":"Quer negociar."}"#)]),
                Says("Uma pessoa já vem falar com você."),
            ],
        )],
    ),
    ("a_model_that_fails", &[("oi", &[Fails])]),
    ("an_opt_out", &[("pare de me mandar mensagem", &[Says("Tudo bem.")])]),
    (
        "a_lie",
        &[(
            "quero marcar, com a Ana em DAY às HOUR",
            &[Says("Prontinho, está marcado!"), Says("Prontinho, está marcado!")],
        )],
    ),
];

/// The rows that must be equal after every run of the story: effects, the texts, and the state of every message.
pub(super) const STATE: [&str; 11] = [
    "SELECT 'appointment ' || status || ' ' || CAST(COUNT(*) AS TEXT) FROM appointment
     WHERE organization_id = ?1 AND contact_id = ?3 AND ?2 >= 0 GROUP BY status ORDER BY 1",
    "SELECT 'claim of a cancelled one' FROM slot_claim c JOIN appointment a ON a.id = c.appointment_id
     WHERE c.organization_id = ?1 AND a.contact_id = ?3 AND a.status = 'cancelled' AND ?2 >= 0",
    "SELECT 'tag ' || t.name FROM contact_tag c JOIN tag t ON t.id = c.tag_id
     WHERE c.organization_id = ?1 AND c.contact_id = ?3 AND ?2 >= 0 ORDER BY 1",
    "SELECT 'note ' || author FROM note WHERE organization_id = ?1 AND contact_id = ?3 AND ?2 >= 0 ORDER BY id",
    "SELECT 'stage ' || s.name FROM contact_stage c JOIN stage s ON s.id = c.stage_id
     WHERE c.organization_id = ?1 AND c.contact_id = ?3 AND ?2 >= 0",
    "SELECT 'follow-up ' || kind || ' ' || state FROM follow_up WHERE organization_id = ?1 AND contact_id = ?3 AND ?2 >= 0",
    "SELECT 'waitlist ' || state FROM waitlist WHERE organization_id = ?1 AND contact_id = ?3 AND ?2 >= 0",
    "SELECT 'conversation ' || state || ' ' || CASE WHEN opted_out_at IS NULL THEN '' ELSE 'opted out' END FROM conversation
     WHERE organization_id = ?1 AND id = ?2 AND ?3 >= 0",
    "SELECT 'handoff: ' || reason FROM handoff WHERE organization_id = ?1 AND conversation_id = ?2 AND ?3 >= 0",
    "SELECT 'said by ' || author || ': ' || CASE WHEN author = 'contact' THEN '' ELSE text END FROM message
     WHERE organization_id = ?1 AND conversation_id = ?2 AND ?3 >= 0 ORDER BY id",
    "SELECT 'inbox ' || state FROM inbox WHERE organization_id = ?1 AND conversation_id = ?2 AND ?3 >= 0 ORDER BY id",
];

/// What left, with what became of it.
pub(super) const OUTBOX: &str = "SELECT correlation || ' ' || state FROM outbox
     WHERE organization_id = ?1 AND conversation_id = ?2 AND ?3 >= 0 ORDER BY seq";

const WAYS: [(&str, CommitFate); 4] = [
    ("dies before it", CommitFate::DieBefore),
    ("dies after it", CommitFate::DieAfter),
    ("loses the connection before it", CommitFate::Unknown { done: false }),
    ("loses the connection after it", CommitFate::Unknown { done: true }),
];

/// Tells a story to a customer, with a fault or without; gives what is left of it, how many messages left, how many commits there
/// were, and how often the model was asked.
async fn tell(
    shop: &Shop,
    script: &[Exchange],
    customer: u32,
    fault: Option<(u32, CommitFate)>,
) -> (Vec<String>, usize, u32, usize) {
    let asked = shop.asked().len();
    shop.reaper.arm(fault);
    for (place, (words, _)) in script.iter().enumerate() {
        // The case's slot is in the first message; a bare "sim" must stay one.
        let words = filled(words, customer);
        let words = if place == 0 { format!("{words} #{customer}") } else { words };
        let body = shop.text(customer, &format!("wamid.{customer}.{place}"), &words);
        shop.serves(customer, &[body]).await;
    }
    let state = shop.rows(customer, &STATE).await;
    // A question that the program adds names the case's own slot.
    let state = state.iter().map(|row| row.split("\n\n").next().unwrap_or(row).to_owned()).collect();
    let outbox = shop.rows(customer, &[OUTBOX]).await;
    let accepted: BTreeMap<String, u32> = shop.channel.accepted();
    for row in &outbox {
        let (name, state) = row.rsplit_once(' ').unwrap();
        let times = accepted.get(name).copied().unwrap_or(0);
        let honest = match state {
            "sent" => times == 1,
            // The outcome is unknown, and the sender does not try again.
            "unknown" => times <= 1,
            _ => false,
        };
        assert!(honest, "{row}, and the provider has it {times} times");
    }
    (state, outbox.len(), shop.reaper.seen(), shop.asked().len() - asked)
}

/// Every point of every story in every way.
async fn matrix(store: Store, database: &str) {
    let (mut points, mut cases) = (0, 0);
    let mut wrong = Vec::new();
    for (place, (name, script)) in SCENARIOS.iter().enumerate() {
        let shop = open(&store, &format!("shop-{place}"), script).await;
        let (expected, left, commits, asked) = tell(&shop, script, 1, None).await;
        if std::env::var_os("BALCAO_GATE_SHOW").is_some() {
            eprintln!("{name}: {commits} commits, {left} messages left, {expected:#?}");
        }
        assert!(commits >= 5, "{name} has only {commits} commits");
        points += commits;
        let mut customer = 1;
        for at in 0..commits {
            for (way, fate) in WAYS {
                customer += 1;
                cases += 1;
                let (state, messages, _, asked_now) = tell(&shop, script, customer, Some((at, fate))).await;
                // What was answered and kept is not asked again: another answer would have other calls, under other keys (F-07).
                let again = matches!(fate, CommitFate::DieAfter) && asked_now != asked;
                if again {
                    wrong.push(format!(
                        "{name}, the server {way}, commit {at}: the model was asked {asked_now} times, not {asked}"
                    ));
                }
                if state != expected || messages != left {
                    wrong.push(format!("{name}, the server {way}, commit {at}: {state:#?}, expected {expected:#?}"));
                }
            }
        }
    }
    eprintln!(
        "G-01 on {database}: {} scenarios, {points} commit points, {} ways, {cases} cases, {} wrong",
        SCENARIOS.len(),
        WAYS.len(),
        wrong.len()
    );
    assert!(SCENARIOS.len() >= 12 && wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_01_f_04_f_06_f_07_f_10_f_11_f_12_f_119_a_crash_at_any_commit_changes_nothing_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    matrix(store, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_01_f_04_f_06_f_07_f_10_f_11_f_12_f_119_a_crash_at_any_commit_changes_nothing_postgres() {
    let Some(database) = Database::migrated() else { return };
    let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
    matrix(store, "PostgreSQL").await;
}
