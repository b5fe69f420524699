//! `balcao doctor`: what is wrong, and how to mend it.

mod calendars;
mod deliveries;
mod email;
#[cfg(feature = "google-calendar")]
mod google;
#[cfg(not(feature = "google-calendar"))]
#[path = "doctor/google_absent.rs"]
mod google;
mod limits;
mod packs_found;
mod unbookable;
mod visits;
mod whatsapp;

use std::{collections::BTreeMap, path::Path, process::ExitCode, sync::Arc};

use balcao_app::AppContext;
use balcao_llm::{ChatProvider, embed::TextRole};
use balcao_offline::OfflineModel;
use balcao_sandbox::{Bundle, Call, Helper, Launcher, Sandbox};
use balcao_store::{
    Store,
    crm::organization::{self, Organization},
    messaging::inbox,
};
use jiff::{SignedDuration, tz::TimeZone};
use packs_found::own_packs;
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::{
    config::{self, Config, handoffs, webhooks},
    output::{Failure, error_chain, indented, print_line},
    packs::{self, OwnPacks},
    private, profiles, time, wire,
};

/// Options of `balcao doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

enum Verdict {
    Fine,
    Warning,
    Wrong,
}

struct Finding {
    check: &'static str,
    verdict: Verdict,
    says: String,
    mend: Option<String>,
}

impl Finding {
    fn fine(check: &'static str, says: String) -> Self {
        Self { check, verdict: Verdict::Fine, says, mend: None }
    }

    fn warning(check: &'static str, says: String, mend: &str) -> Self {
        Self { check, verdict: Verdict::Warning, says, mend: Some(mend.to_owned()) }
    }

    fn wrong(check: &'static str, says: String, mend: &str) -> Self {
        Self { check, verdict: Verdict::Wrong, says, mend: Some(mend.to_owned()) }
    }
}

/// Runs the command. Exit code 1 if something is wrong.
pub(crate) async fn run(
    args: &Args,
    file: Option<&Path>,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    // A broken configuration ends every command with its mistakes; the doctor says the same.
    let config = config::load(file, environment)?;
    let mut findings = vec![Finding::fine("configuration", "read, no mistakes".to_owned())];
    findings.extend(open_configuration(file, &config));
    findings.extend(served(&config, environment));
    findings.extend(database(&config).await);
    let own = own_packs(&config, &mut findings).await;
    findings.extend(agents(&config, environment, own.as_ref()));
    findings.push(clock());
    findings.push(helpers().await);
    findings.extend(search(&config).await);
    findings.extend(whatsapp::check(&config).await);
    findings.extend(email::check(&config).await);
    findings.extend(google::check(&config).await);
    findings.extend(limits::of_strangers(&config));
    if args.json {
        let list: Vec<_> = findings
            .iter()
            .map(|one| json!({"check": one.check, "verdict": verdict_word(&one.verdict), "says": one.says, "mend": one.mend}))
            .collect();
        print_line(&json!(list).to_string());
    } else {
        for one in &findings {
            print_line(&format!("{:<8} {:<14} {}", verdict_word(&one.verdict), one.check, indented(&one.says, 24)));
            if let Some(mend) = &one.mend {
                print_line(&format!("{:<23} → {}", "", indented(mend, 26)));
            }
        }
    }
    let wrong = findings.iter().any(|one| matches!(one.verdict, Verdict::Wrong));
    Ok(if wrong { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

const fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fine => "ok",
        Verdict::Warning => "warning",
        Verdict::Wrong => "wrong",
    }
}

/// A configuration file with secrets in it that other users of this machine can read.
fn open_configuration(file: Option<&Path>, config: &Config) -> Option<Finding> {
    let file = file.unwrap_or(Path::new(config::DEFAULT_FILE));
    let text = std::fs::read_to_string(file).ok().filter(|_| private::is_open(file))?;
    let holds = config.secrets.iter().any(|secret| {
        let secret = secret.expose_secret();
        secret.len() >= SHORTEST_SECRET && text.contains(secret)
    });
    let says = format!("other users of this machine can read {}, and it holds secrets", file.display());
    let mend = format!("chmod 600 {}; or name the secrets in the environment", file.display());
    holds.then(|| Finding::warning("configuration", says, &mend))
}

/// Shorter values stand in a configuration by chance.
const SHORTEST_SECRET: usize = 4;

/// What `balcao serve` would refuse of the configuration, besides what has a check of its own.
fn served(config: &Config, environment: &BTreeMap<String, String>) -> Vec<Finding> {
    let read = [
        ("server", config.server.address().err()),
        ("server", config.server.metrics_address().err()),
        ("server", config.server.timers().err()),
        ("chat", config.chat.read().err()),
        ("evolution", config.evolution.read().err()),
        ("transcription", config.transcription.read(environment).err()),
        ("embedding", config.embedding.read().err()),
        ("handoffs", handoffs::check(config).err()),
        ("webhooks", webhooks::read(&config.webhooks, environment).err()),
    ];
    let mend = "`balcao serve` refuses it: correct it in the configuration";
    read.into_iter().filter_map(|(check, error)| Some(Finding::wrong(check, error?, mend))).collect()
}

/// By what packs and their tools are found. A service that is named is asked once.
async fn search(config: &Config) -> Option<Finding> {
    // What is wrong with the configuration has been told.
    let Some(embedder) = config.embedding.read().ok()? else {
        return Some(Finding::fine("search", "by words alone: no [embedding] is configured".to_owned()));
    };
    Some(match embedder.embed(&["horário".to_owned()], TextRole::Query).await {
        Ok(vectors) => {
            let length = vectors.first().map_or(0, Vec::len);
            Finding::fine("search", format!("by words and by vectors of {} ({length} numbers)", embedder.model()))
        }
        Err(error) => {
            let mend = "until it answers, search goes by words alone: see [embedding] in the configuration";
            Finding::warning("search", format!("{} gives no vectors: {}", embedder.model(), error_chain(&error)), mend)
        }
    })
}

/// Whether helpers of packs run here, and what keeps them in.
async fn helpers() -> Finding {
    let mend = "this program must be allowed to start itself again: look for a mount or a policy that forbids it";
    let Ok(bundle) =
        Bundle::new(vec![Helper::javascript("probe", "probe.js", "(text) => text.normalize('NFD').length")])
    else {
        return Finding::wrong("helpers", "the probe is refused".to_owned(), mend);
    };
    let sandbox = Sandbox::new(bundle, Launcher::this_executable(), 1);
    let confinement = match sandbox.warm().await {
        Ok(confinement) => confinement,
        Err(error) => return Finding::wrong("helpers", error_chain(&error), mend),
    };
    match sandbox.call(&Call::new("probe", &[json!("ação")])).await {
        Ok(answer) if answer == json!(6) && confinement.holds() => {
            Finding::fine("helpers", format!("run; {confinement}"))
        }
        Ok(answer) if answer == json!(6) => Finding::warning(
            "helpers",
            format!("run, but are not kept in well: {confinement}"),
            "install only packs whose helpers you have read, or run on Linux with seccomp",
        ),
        Ok(answer) => Finding::wrong("helpers", format!("the probe computes {answer}"), mend),
        Err(error) => Finding::wrong("helpers", error_chain(&error), mend),
    }
}

/// Whether the database keeps what it confirms, and its file is whole.
async fn soundness(store: &Store, config: &Config) -> Vec<Finding> {
    let mend = "`balcao serve` refuses it: mend it, or set database.allow_unsafe = true for a trial";
    let mut findings = Vec::new();
    match store.soundness().await {
        Ok(all) => findings.extend(all.into_iter().map(|one| match config.database.allow_unsafe {
            true => Finding::warning(
                "database",
                one.to_string(),
                "database.allow_unsafe is set: nobody's work is to rest on it",
            ),
            false => Finding::wrong("database", one.to_string(), mend),
        })),
        Err(error) => findings.push(Finding::wrong("database", error_chain(&error), mend)),
    }
    match store.damages(true).await {
        Ok(all) => findings.extend(
            all.into_iter().map(|one| Finding::wrong("database", format!("damaged: {one}"), "restore the last backup")),
        ),
        Err(error) => findings.push(Finding::wrong("database", error_chain(&error), "restore the last backup")),
    }
    findings
}

/// Accounts that nobody has and customers wrote to within a week.
async fn strays(store: &Store) -> Vec<Finding> {
    let now = time::now();
    let since = now.checked_sub(SignedDuration::from_hours(7 * 24)).unwrap_or(now);
    let found = match store.read(move |tx| inbox::strays(tx, since)).await {
        Ok(found) => found,
        Err(error) => return vec![Finding::wrong("inbox", error_chain(&error), "see what the database says")],
    };
    let tell = |one: inbox::Strays| {
        if one.account.is_empty() {
            let says = format!(
                "{} times in a week {} told of a business account that is not configured",
                one.count, one.channel
            );
            let mend = "for WhatsApp, write the id of the business account as whatsapp.business: templates that Meta pauses are told \
                        of then";
            return Finding::warning("inbox", says, mend);
        }
        let says = format!(
            "{} events came in for {} {} in a week, and nobody answers there",
            one.count, one.channel, one.account
        );
        let mend = "configure that account (for WhatsApp: whatsapp.account), or take it out of the app that posts here";
        Finding::warning("inbox", says, mend)
    };
    found.into_iter().map(tell).collect()
}

async fn database(config: &Config) -> Vec<Finding> {
    if let Some(path) = config.database.missing_file() {
        return vec![Finding::wrong(
            "database",
            format!("{} not found", path.display()),
            "run `balcao migrate`, then `balcao seed FILE`",
        )];
    }
    let store = match wire::open_store(config) {
        Ok(store) => store,
        Err(failure) => {
            return vec![Finding::wrong(
                "database",
                failure.message().to_owned(),
                "a database of a newer program needs that program, or a newer one; a server must run and let us in; if the \
                 file is damaged, restore a backup",
            )];
        }
    };
    let status = match store.schema_status().await {
        Ok(status) => status,
        Err(error) => {
            return vec![Finding::wrong(
                "database",
                error_chain(&error),
                "a database of a newer program needs that program, or a newer one; if the file is damaged, restore a backup",
            )];
        }
    };
    if !status.missing.is_empty() {
        return vec![Finding::wrong(
            "database",
            format!("{} migrations are missing", status.missing.len()),
            "run `balcao migrate`",
        )];
    }
    let mut findings = vec![Finding::fine(
        "database",
        format!("{}, {} migrations", wire::backend_name(&store, config), status.applied.len()),
    )];
    findings.extend(soundness(&store, config).await);
    findings.extend(limits::of_database(&store, config));
    if let Ok(false) = store.read(organization::walls_hold).await {
        findings.push(Finding::warning(
            "database",
            "its user is above row-level security, the second wall between organizations".to_owned(),
            "give the program a role of its own: CREATE ROLE balcao LOGIN PASSWORD '…', and let it own the database",
        ));
    }
    findings.extend(strays(&store).await);
    match store.read(organization::list).await {
        Ok(all) if all.is_empty() => {
            findings.push(Finding::wrong("business", "the database holds none".to_owned(), "run `balcao seed FILE`"))
        }
        Ok(all) => {
            let served = served_business(config, &all).map(|one| one.id);
            for one in &all {
                findings.push(match TimeZone::get(&one.timezone) {
                    Ok(_) => Finding::fine("business", format!("{} ({}), {}", one.name, one.slug, one.timezone)),
                    Err(_) => Finding::wrong(
                        "business",
                        format!("{} has the unknown time zone {}", one.slug, one.timezone),
                        "correct its time zone to an IANA name such as America/Sao_Paulo",
                    ),
                });
                findings.extend(calendars::check(&store, config, one, served == Some(one.id)).await);
                findings.extend(deliveries::set_aside(&store, one).await);
                findings.extend(visits::check(config, one));
                if served == Some(one.id) {
                    findings.extend(unbookable::check(&store, config, one).await);
                }
            }
            if let Some(slug) =
                config.organization.slug.as_ref().filter(|slug| !all.iter().any(|one| one.slug == **slug))
            {
                let says = format!("organization.slug is `{slug}`, which the database does not hold");
                findings.push(Finding::wrong("business", says, "name one that it holds"));
            }
            if all.len() > 1 && config.organization.slug.is_none() {
                findings.push(Finding::wrong(
                    "business",
                    "there are several, and none is chosen".to_owned(),
                    "set organization.slug",
                ));
            }
        }
        Err(error) => findings.push(Finding::wrong("business", error_chain(&error), "see the message")),
    }
    findings
}

/// The business that this configuration serves; `None` if it names none that the database holds.
fn served_business<'a>(config: &Config, all: &'a [Organization]) -> Option<&'a Organization> {
    match (&config.organization.slug, all) {
        (Some(slug), all) => all.iter().find(|one| one.slug == *slug),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

/// Whether a pack comes with the program.
fn comes_with_it(id: &str) -> bool {
    balcao_builtin_tools::pack_ids().contains(&id)
}

/// Whether a pack is there, and connected.
fn known(own: &OwnPacks, id: &str) -> bool {
    comes_with_it(id) || own.get(id).is_some_and(|pack| pack.unconnected.is_none())
}

fn agents(config: &Config, environment: &BTreeMap<String, String>, own: Option<&OwnPacks>) -> Vec<Finding> {
    let all = match profiles::load(&config.agents.dir) {
        Ok(all) => all,
        Err(failure) => {
            return vec![Finding::wrong("profiles", failure.message().to_owned(), "correct the named lines")];
        }
    };
    let none = OwnPacks::default();
    let mut findings = vec![Finding::fine("profiles", all.keys().cloned().collect::<Vec<_>>().join(", "))];
    for (profile, document) in all.values() {
        let idle = profiles::warnings(profile, document).into_iter();
        findings.extend(idle.map(|one| Finding::warning("profiles", one.to_string(), "take the named lines out")));
        let model: Arc<dyn ChatProvider> = Arc::new(OfflineModel);
        let bound = Store::open_in_memory().map(|store| AppContext::new(store, time::clock()));
        // Of packs that do not load it has been told; what a profile would find in them is not known.
        let Some(own) = own.or_else(|| profile.packs.iter().all(|id| comes_with_it(id)).then_some(&none)) else {
            continue;
        };
        let missing: Vec<&str> = profile.packs.iter().map(String::as_str).filter(|id| !known(own, id)).collect();
        if profile.id != config.agents.profile && !missing.is_empty() {
            // What comes with the program may be about packs that this business has no use for.
            if !profiles::is_shipped(document) {
                let message =
                    format!("`{}` cannot be used: no pack {}, or no account for it", profile.id, missing.join(", "));
                let mend = "name its folder under packs.folders and give it an account, or take the profile away";
                findings.push(Finding::warning("profiles", message, mend));
            }
            continue;
        }
        if let Ok(Err(failure)) = bound.map(|app| packs::tools::agent(&app, profile, document, own, model)) {
            findings.push(Finding::wrong("profiles", failure.message().to_owned(), "correct the named lines"));
        }
    }
    let Some((profile, _)) = all.get(&config.agents.profile) else {
        findings.push(Finding::wrong(
            "profiles",
            format!("agents.profile is `{}`, which does not exist", config.agents.profile),
            "name one of them, or add its file",
        ));
        return findings;
    };
    findings.push(match wire::choose_model(&config.model, profile, environment, None) {
        Ok(chosen) if chosen.why.starts_with("offline") => {
            Finding::warning("model", chosen.why, "fine for trying out; set a provider's key for real conversations")
        }
        Ok(chosen) => Finding::fine("model", chosen.why),
        Err(failure) => Finding::wrong("model", failure.message().to_owned(), "correct model.providers"),
    });
    findings
}

/// A clock before the year of this program, or far after it, makes every "tomorrow" wrong.
fn clock() -> Finding {
    let now = time::now();
    let year = now.to_zoned(TimeZone::UTC).year();
    if (2026..2060).contains(&year) {
        Finding::fine("clock", now.to_string())
    } else {
        Finding::wrong("clock", format!("the machine says {now}"), "set the machine's clock (NTP)")
    }
}
