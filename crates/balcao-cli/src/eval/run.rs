//! Playing a scenario on a fresh database.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use balcao_agent::{Profile, driver::Observer};
use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::turns::{ContactRef, TurnRequest, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_domain::{OrganizationId, Phone};
use balcao_store::Store;
use balcao_yaml::Document;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{
    expect::{Happened, check},
    scenario::Scenario,
    snapshot::{self, Snapshot},
};
use crate::{
    config::Config,
    output::{Failure, error_chain},
    packs, time,
    trace::Trace,
    turn_json::turn_json,
    wire::{self, DeskClock},
};

/// How a scenario went.
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) failures: Vec<String>,
    pub(crate) transcript: Vec<Value>,
}

impl Report {
    pub(crate) fn as_json(&self) -> Value {
        json!({"id": self.id, "file": self.file, "passed": self.failures.is_empty(), "failures": self.failures, "turns": self.transcript})
    }
}

/// How scenarios are played.
pub(crate) struct Player<'a> {
    pub(crate) config: &'a Config,
    /// All profiles with the files they came from, by id.
    pub(crate) profiles: BTreeMap<String, (Profile, Document)>,
    pub(crate) environment: &'a BTreeMap<String, String>,
    pub(crate) business_dir: Option<PathBuf>,
    pub(crate) model: Option<String>,
    pub(crate) trace: bool,
}

/// Reads a scenario.
pub(crate) fn read(path: &Path, tools: &[String]) -> Result<Scenario, Failure> {
    let text = crate::files::read_text(path)?;
    let document =
        Document::read(&path.display().to_string(), &text).map_err(|problem| Failure::problems(&[*problem]))?;
    let scenario: Scenario = document.read_as().map_err(|problem| Failure::problems(&[*problem]))?;
    let mut problems = Vec::new();
    let mut known = |at: String, word: &str, words: &[&str]| {
        if !words.contains(&word) {
            let near = balcao_yaml::nearest(word, words.iter().copied()).map(|name| format!("did you mean `{name}`?"));
            problems.push(document.problem(&at, format!("unknown `{word}`"), near));
        }
    };
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let places =
        scenario.turns.iter().enumerate().map(|(index, turn)| (format!("/turns/{index}/expect"), &turn.expect));
    for (at, expect) in places.chain([("/expect".to_owned(), &scenario.expect)]) {
        if let Some(outcome) = &expect.outcome {
            known(format!("{at}/outcome"), outcome, &["reply", "handoff", "silence"]);
        }
        if let Some(state) = expect.conversation.as_ref().and_then(|one| one.state.as_ref()) {
            known(format!("{at}/conversation/state"), state, &["ai", "waiting_human", "human", "closed"]);
        }
        for (key, names) in [("tools_called", &expect.tools_called), ("tools_not_called", &expect.tools_not_called)] {
            for (index, name) in names.iter().enumerate() {
                known(format!("{at}/{key}/{index}"), name, &tools);
            }
        }
    }
    if scenario.turns.is_empty() {
        let suggestion = Some("write at least one: `- customer: oi`".to_owned());
        problems.push(document.problem("/turns", "a scenario without a turn shows nothing", suggestion));
    }
    if problems.is_empty() { Ok(scenario) } else { Err(Failure::problems(&problems)) }
}

/// The names of all tools that the program and the operator's own packs offer, each also as profiles call it whose packs share its name.
pub(crate) async fn known_tools(config: &Config) -> Result<Vec<String>, Failure> {
    let store = Store::open_in_memory().map_err(|error| Failure::operation(error_chain(&error)))?;
    let app = AppContext::new(store, time::clock());
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = balcao_builtin_tools::registry(&app, &settings).map_err(|problems| Failure::problems(&problems))?;
    let own = wire::own_packs(config, &app, None).await?;
    let specs = || registry.iter().chain(own.all.iter().flat_map(|pack| &pack.tools)).map(|tool| &tool.spec);
    let with_pack = specs().map(|spec| format!("{}_{}", spec.pack, spec.name));
    Ok(specs().map(|spec| spec.name.clone()).chain(with_pack).collect())
}

/// Every professional and service that a scenario expects exists: an expectation that cannot hold is a mistake of the file.
fn check_names(path: &Path, scenario: &Scenario, business: &BusinessFile) -> Result<(), Failure> {
    let (professionals, services) = (business.professional_names(), business.service_names());
    let expectations = scenario.turns.iter().map(|turn| &turn.expect).chain([&scenario.expect]);
    for one in expectations.flat_map(|expect| expect.appointments.iter().flatten()) {
        for (what, name, known) in
            [("professional", &one.professional, &professionals), ("service", &one.service, &services)]
        {
            let Some(name) = name.as_deref().filter(|name| !known.contains(name)) else { continue };
            let near = balcao_yaml::nearest(name, known.iter().copied()).map_or_else(
                || format!("expected one of: {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Failure::usage(format!(
                "{}: expect.appointments: the business has no {what} `{name}`; {near}",
                path.display()
            )));
        }
    }
    Ok(())
}

impl Player<'_> {
    /// Plays a scenario once. Mistakes of the scenario and of the business are errors; what did not hold is in the report.
    pub(crate) async fn play(&self, path: &Path, scenario: &Scenario) -> Result<Report, Failure> {
        let business = wire::read_business(&self.business_file(path, scenario)?)?;
        check_names(path, scenario, &business)?;
        let (app, organization, clock) = wire::fresh(business, Some(scenario.now)).await?;
        let (profile, document) = wire::profile(&self.profiles, &scenario.profile)?;
        let chosen = wire::choose_model(&self.config.model, profile, self.environment, self.model.as_deref())?;
        let app = wire::meaning(app, self.config)?;
        let own = wire::own_packs_of(self.config, &app, organization).await?;
        let agent = packs::tools::agent(&app, profile, document, &own, chosen.provider)?;
        let front = TurnRunner::new(app.clone(), [agent]);
        let (writer, contact) = writer(path, scenario, &app, organization).await?;
        let look = || async {
            snapshot::take(&app, organization).await.map_err(|error| Failure::operation(error_chain(&error)))
        };
        let before = look().await?;
        let mut report = Report {
            id: scenario.id.clone(),
            file: path.display().to_string(),
            failures: Vec::new(),
            transcript: Vec::new(),
        };
        let (mut tools, mut said, mut sent) = (Vec::new(), Vec::new(), 0);
        for (number, step) in scenario.turns.iter().enumerate() {
            advance(&clock, step.wait.as_deref(), number == 0)
                .map_err(|reason| Failure::usage(format!("{}: turn {}: {reason}", path.display(), number + 1)))?;
            let texts: Vec<String> =
                step.customer.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
            let inbound = TurnRequest {
                organization,
                channel: "eval".to_owned(),
                from: writer.clone(),
                name: scenario.contact.name.clone(),
                texts,
            };
            let observer: Option<&dyn Observer> = if self.trace { Some(&Trace) } else { None };
            let answered = front
                .answer(&scenario.profile, inbound, observer)
                .await
                .map_err(|error| Failure::operation(error_chain(&error)))?;
            front.after_reply(&scenario.profile, &answered, organization).await;
            let reply = answered.ending.reply().map_or("", |reply| reply.as_str()).to_owned();
            let messages = usize::from(answered.ending.reply().is_some());
            let ran: Vec<String> =
                answered.state.calls.iter().filter(|call| call.key.is_some()).map(|call| call.tool.clone()).collect();
            let after: Snapshot = look().await?;
            let happened = Happened {
                outcome: Some(answered.ending.outcome()),
                reply: &reply,
                messages_out: messages,
                tools: &ran,
                before: &before,
                after: &after,
                contact: &contact,
            };
            let failures = check(&step.expect, &happened);
            report.failures.extend(failures.into_iter().map(|failure| format!("turn {}: {failure}", number + 1)));
            report.transcript.push(turn_json(&step.customer, &answered));
            tools.extend(ran);
            said.push(reply);
            sent += messages;
        }
        let after = look().await?;
        let whole = said.join("\n");
        let happened = Happened {
            outcome: None,
            reply: &whole,
            messages_out: sent,
            tools: &tools,
            before: &before,
            after: &after,
            contact: &contact,
        };
        report.failures.extend(check(&scenario.expect, &happened));
        Ok(report)
    }

    /// `NAME.yaml` in `--business-dir`, else in `../business/` beside the scenario's folder, else beside the scenario.
    fn business_file(&self, path: &Path, scenario: &Scenario) -> Result<PathBuf, Failure> {
        let name = format!("{}.yaml", scenario.business);
        let beside = path.parent().unwrap_or_else(|| Path::new("."));
        let places = match &self.business_dir {
            Some(folder) => vec![folder.join(&name)],
            None => vec![beside.join("../business").join(&name), beside.join(&name)],
        };
        places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
            let looked: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            Failure::usage(format!(
                "{}: business `{}` not found; looked for {}",
                path.display(),
                scenario.business,
                looked.join(" and ")
            ))
        })
    }
}

/// Who writes, and under which key a snapshot has them.
async fn writer(
    path: &Path,
    scenario: &Scenario,
    app: &AppContext,
    organization: OrganizationId,
) -> Result<(ContactRef, String), Failure> {
    let wrong = |what: &str| Failure::usage(format!("{}: contact: {what}", path.display()));
    match (&scenario.contact.phone, &scenario.contact.staff) {
        (Some(phone), None) => {
            let phone = Phone::parse(phone).map_err(|error| wrong(&format!("phone: {}", error_chain(&error))))?;
            let key = phone.identity().as_str().to_owned();
            Ok((ContactRef::Phone(phone), key))
        }
        (None, Some(email)) => {
            let found = StaffAccess::new(app.clone()).contact_of(organization, email.clone()).await;
            let found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
            let contact = found.map_err(|refusal| wrong(&format!("staff: {refusal}")))?;
            Ok((ContactRef::Contact(contact), contact.to_string()))
        }
        _ => Err(wrong("who writes? Give a `phone`, or `staff` with the e-mail address of somebody of staff")),
    }
}

fn advance(clock: &DeskClock, wait: Option<&str>, first: bool) -> Result<(), String> {
    let DeskClock::Manual(clock) = clock else { return Ok(()) };
    let by: SignedDuration = match wait {
        Some(text) => text.parse().map_err(|error| format!("wait `{text}`: {error}"))?,
        None if first => SignedDuration::ZERO,
        None => SignedDuration::from_mins(1),
    };
    clock.advance(by);
    Ok(())
}
