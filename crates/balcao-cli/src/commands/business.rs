//! `balcao business`: shows what a file or an edit would change, asks, and makes exactly that; writes the business as a file.

mod versions;

use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use balcao_app::admin::{
    business::{
        Action, AuditEntry, Business, BusinessPlan, BusinessRefusal, Edit, ExportVersions, FieldEdit, Hit, HitBooking,
        HitConversation, HitSubscription, Section,
    },
    seed::BusinessFile,
    versions::Versions,
};
use balcao_domain::{OrganizationId, VersionKind, VersionName};
use balcao_json::Fault;
use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::acting_staff::ActingStaff;
use crate::{
    config::Config,
    output::{Failure, counted, error_chain, print_error, print_line},
    signals::in_own_thread,
    wire,
};

/// Bookings of one change that are listed.
const SHOWN: usize = 10;

/// Options of `balcao business`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao business export --out shop.yaml            writes the business as a file\n  \
    balcao business versions                          lists the versions of business, knowledge and prompts\n  \
    balcao business export --business business_3      writes version 3 of the business\n  \
    balcao business history Corte                     shows who changed the service, and how\n  \
    balcao business plan shop.yaml                    shows what the file would change, and the affected bookings\n  \
    balcao business apply shop.yaml                   shows the plan, asks for a yes and applies it\n  \
    balcao business apply shop.yaml --plan HASH       applies only the plan with this hash\n  \
    balcao business set services Corte price=55.00    changes one entry\n  \
    balcao business set professionals Rafa 'time_off+={\"from\":\"2027-01-04T00:00\",\"to\":\"2027-01-11T00:00\"}'\n  \
    balcao business set organization hours.mon='[\"13:00-20:00\"]' 'exceptions+={\"date\":\"2026-12-24\",\"periods\":[]}'\n  \
    balcao business add services name=Luzes price=180.00 duration_minutes=90\n  \
    balcao business remove services Luzes             archives it; its bookings stay\n\n\
    A value that is valid JSON is read as JSON, any other value as text. FIELD=null removes a field, FIELD+=ITEM adds to a list,\n\
    FIELD-=ITEM removes the items that have all these fields.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the business as a file for `balcao seed`, without contacts.
    Export {
        /// This version of the business.
        #[arg(long, value_name = "business_N")]
        business: Option<VersionName>,
        /// This version of the knowledge.
        #[arg(long, value_name = "knowledge_N")]
        knowledge: Option<VersionName>,
        /// The file to write; default: standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Writes over a file that is there.
        #[arg(long, requires = "out")]
        force: bool,
    },
    /// Shows the plan of a file; changes nothing.
    Plan {
        /// The business as YAML.
        file: PathBuf,
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Shows the plan of a file, asks for a yes and applies exactly this plan.
    Apply {
        /// The business as YAML.
        file: PathBuf,
        #[command(flatten)]
        consent: Consent,
    },
    /// Changes fields of one entry.
    Set {
        /// `organization`, `services`, `professionals`, `plans`, `pipelines`, `staff`, `knowledge`, `templates` or `media`.
        #[arg(value_parser = section)]
        section: Section,
        /// The entry's name (staff by e-mail address, knowledge by title, media by key; none for `organization`), then the fields.
        #[arg(required = true, value_name = "NAME|FIELD=VALUE")]
        rest: Vec<String>,
        #[command(flatten)]
        consent: Consent,
    },
    /// Adds one entry.
    Add {
        /// The section, as for `set`, or `tags`.
        #[arg(value_parser = section)]
        section: Section,
        /// The fields, as in a business file.
        #[arg(required = true, value_name = "FIELD=VALUE")]
        fields: Vec<String>,
        #[command(flatten)]
        consent: Consent,
    },
    /// Lists the versions of business, knowledge and prompts, newest first.
    Versions {
        /// `business`, `knowledge` or `prompt`; default: all.
        #[arg(long, value_parser = versions::kind)]
        kind: Option<VersionKind>,
        /// One JSON object per line instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Shows who changed an entry, when, and its values before and after.
    History {
        /// The name in the plan; `organization` for hours, exceptions and rules.
        name: String,
        /// One JSON object per line instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Shows one version as YAML.
    Version {
        /// Its name, such as `prompt_2`.
        name: VersionName,
    },
    /// Archives a service, professional, plan or person of the staff; removes any other entry.
    Remove {
        /// The section, as for `set`.
        #[arg(value_parser = section)]
        section: Section,
        /// The entry's name.
        name: String,
        #[command(flatten)]
        consent: Consent,
    },
}

/// How a plan is agreed to.
#[derive(Debug, clap::Args)]
pub(crate) struct Consent {
    /// Applies the plan without a question.
    #[arg(long)]
    yes: bool,
    /// Applies only the plan with this hash, without a question.
    #[arg(long, value_name = "HASH", conflicts_with = "yes")]
    plan: Option<String>,
    /// JSON instead of text. Without `--yes` or `--plan` it shows the plan and changes nothing.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    me: ActingStaff,
}

fn section(word: &str) -> Result<Section, String> {
    let known = Section::ALL.map(Section::as_str).join(", ");
    Section::from_word(word).ok_or_else(|| format!("unknown section `{word}`; expected one of: {known}"))
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    let recorded = Versions::new(app.clone());
    let business = Business::new(app);
    match args.command {
        Command::Export { business: older, knowledge, out, force } => {
            let document = business.export_as_of(organization, &ExportVersions { business: older, knowledge }).await;
            let document = document.map_err(|error| Failure::operation(error_chain(&error)))?;
            let document = document.map_err(|refusal| refused(&refusal))?;
            let text = balcao_yaml::write(&document).map_err(Failure::operation)?;
            match out {
                Some(path) => crate::files::write_text(&path, &text, force)?,
                None => print_line(text.trim_end()),
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Plan { file, json } => {
            let plan = planned(&business, organization, wire::read_business(&file)?).await?;
            show(&plan, json, json!(false));
            Ok(ExitCode::SUCCESS)
        }
        Command::Apply { file, consent } => {
            change(&business, organization, wire::read_business(&file)?, &consent).await
        }
        Command::Set { section, rest, consent } => {
            let (name, fields) = name_and_fields(section, &rest)?;
            make(&business, organization, Edit::Change { section, name, fields }, &consent).await
        }
        Command::Add { section, fields, consent } => {
            let mut entry = Map::new();
            for (field, edit) in fields.iter().map(|text| field(text)).collect::<Result<Vec<_>, _>>()? {
                let FieldEdit::Set(value) = edit else {
                    return Err(Failure::usage(format!(
                        "invalid field `{field}`; expected FIELD=VALUE for a new entry"
                    )));
                };
                entry.insert(field, value);
            }
            make(&business, organization, Edit::Add { section, fields: entry }, &consent).await
        }
        Command::Versions { kind, json } => {
            let kinds = kind.map_or_else(|| VersionKind::ALL.to_vec(), |kind| vec![kind]);
            versions::list(&recorded, organization, &kinds, json).await
        }
        Command::History { name, json } => {
            let found = business.history(organization, name.clone()).await;
            let found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
            if found.is_empty() {
                return Err(Failure::operation(format!(
                    "no change of `{name}` is recorded; expected a name as a plan prints it, or `organization`"
                )));
            }
            found.iter().for_each(|entry| print_line(&changed(entry, json)));
            Ok(ExitCode::SUCCESS)
        }
        Command::Version { name } => {
            let content = versions::content(&recorded, organization, name).await?;
            print_line(balcao_yaml::write(&content).map_err(Failure::operation)?.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Command::Remove { section, name, consent } => {
            make(&business, organization, Edit::Remove { section, name }, &consent).await
        }
    }
}

/// A row of the audit log as a line.
fn changed(entry: &AuditEntry, as_json: bool) -> String {
    let value = |text: &Option<String>| {
        text.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or(Value::Null)
    };
    let (before, after) = (value(&entry.before), value(&entry.after));
    if as_json {
        let AuditEntry { at, actor, action, subject, .. } = entry;
        return json!({ "at": at, "actor": actor, "action": action, "subject": subject, "before": before, "after": after })
            .to_string();
    }
    format!("{}  {}  {}  {before} → {after}", entry.at, entry.actor, entry.action)
}

/// Changes a business that is there as a file wants it, for `balcao seed` of one that was loaded before.
pub(crate) async fn apply_file(config: &Config, file: BusinessFile, consent: &Consent) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    change(&Business::new(app), organization, file, consent).await
}

impl Consent {
    pub(crate) fn new(yes: bool, json: bool) -> Self {
        Self { yes, plan: None, json, me: ActingStaff::default() }
    }
}

/// The name, which `organization` has none of, and the fields.
fn name_and_fields(section: Section, rest: &[String]) -> Result<(String, Vec<(String, FieldEdit)>), Failure> {
    let (name, fields) = match (section, rest) {
        (Section::Organization, fields) => (String::new(), fields),
        (_, [name, fields @ ..]) if !fields.is_empty() => (name.clone(), fields),
        _ => {
            let expected = format!("balcao business set {section} NAME FIELD=VALUE");
            return Err(Failure::usage(format!("the fields are missing; expected `{expected}`")));
        }
    };
    Ok((name, fields.iter().map(|text| field(text)).collect::<Result<_, _>>()?))
}

fn field(text: &str) -> Result<(String, FieldEdit), Failure> {
    let invalid =
        || Failure::usage(format!("invalid field `{text}`; expected FIELD=VALUE, FIELD+=ITEM or FIELD-=ITEM"));
    let (field, value) = text.split_once('=').ok_or_else(invalid)?;
    // A number with decimals stays a text, because `1.500` and `1.5` are one number and two prices.
    let value = match balcao_json::read_text(value, balcao_json::MOST_LEVELS) {
        Ok(read) if !read.is_f64() => read,
        // What cannot be read as JSON is a text as it stands.
        Ok(_) | Err(Fault::Malformed { .. }) => Value::from(value),
        Err(fault) => {
            return Err(Failure::usage(format!("invalid value of `{field}`; expected JSON or a text: {fault}")));
        }
    };
    let (field, edit) = if let Some(field) = field.strip_suffix('+') {
        (field, FieldEdit::Add(value))
    } else if let Some(field) = field.strip_suffix('-') {
        (field, FieldEdit::Take(value))
    } else {
        (field, FieldEdit::Set(value))
    };
    if field.is_empty() { Err(invalid()) } else { Ok((field.to_owned(), edit)) }
}

fn refused(refusal: &BusinessRefusal) -> Failure {
    match refusal {
        BusinessRefusal::Moved { now } => Failure::operation(format!("{refusal}\n{}", words(now).join("\n"))),
        BusinessRefusal::Impossible { .. } => Failure::operation(refusal),
        BusinessRefusal::UnknownVersion { .. }
        | BusinessRefusal::OtherBusiness { .. }
        | BusinessRefusal::Edit(_)
        | BusinessRefusal::Invalid { .. } => Failure::usage(refusal),
    }
}

async fn planned(
    business: &Business,
    organization: OrganizationId,
    file: BusinessFile,
) -> Result<BusinessPlan, Failure> {
    let plan = business.plan(organization, file).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    plan.map_err(|refusal| refused(&refusal))
}

pub(super) async fn make(
    business: &Business,
    organization: OrganizationId,
    edit: Edit,
    consent: &Consent,
) -> Result<ExitCode, Failure> {
    let planned =
        business.plan_edit(organization, edit).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let (file, plan) = planned.map_err(|refusal| refused(&refusal))?;
    agree_and_apply(business, organization, file, plan, consent).await
}

async fn change(
    business: &Business,
    organization: OrganizationId,
    file: BusinessFile,
    consent: &Consent,
) -> Result<ExitCode, Failure> {
    let plan = planned(business, organization, file.clone()).await?;
    agree_and_apply(business, organization, file, plan, consent).await
}

async fn agree_and_apply(
    business: &Business,
    organization: OrganizationId,
    file: BusinessFile,
    plan: BusinessPlan,
    consent: &Consent,
) -> Result<ExitCode, Failure> {
    let editor = business.name_editor(organization, consent.me.clone().actor()).await;
    let editor = editor.map_err(|error| Failure::operation(error_chain(&error)))?;
    let editor = editor.map_err(Failure::operation)?;
    if plan.changes.is_empty() && consent.plan.as_ref().is_none_or(|hash| *hash == plan.hash) {
        show(&plan, consent.json, json!(true));
        return Ok(ExitCode::SUCCESS);
    }
    let reasons: Vec<&str> = plan.changes.iter().filter_map(|change| change.impossible.as_deref()).collect();
    if !reasons.is_empty() {
        return Err(Failure::operation(reasons.join("\n")));
    }
    let hash = match &consent.plan {
        Some(hash) => hash.clone(),
        None if consent.json && !consent.yes => {
            // A program reads the plan, and names its hash in the next call.
            show(&plan, true, json!(false));
            return Err(Failure::usage("nothing was changed; expected --yes, or --plan with the hash"));
        }
        None => {
            if !consent.json {
                show(&plan, false, json!(false));
            }
            if !consent.yes && !agreed("Make these changes?", "--yes, or --plan with the hash").await? {
                return Err(Failure::operation("nothing was changed"));
            }
            plan.hash.clone()
        }
    };
    let applied = business.apply(organization, file, hash, editor).await;
    let applied = applied.map_err(|error| Failure::operation(error_chain(&error)))?;
    let applied = applied.map_err(|refusal| refused(&refusal))?;
    if consent.json || applied.changes.is_empty() {
        show(&applied, consent.json, json!(true));
    } else {
        print_line(&format!("made {}", counted(applied.changes.len(), "change")));
        // A plan that is named by its hash is not shown before.
        if consent.plan.is_some() {
            warn(&applied);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks in the terminal; where there is none, a script has to say what is `expected` instead.
pub(super) async fn agreed(question: &str, expected: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("nothing was changed: nobody can be asked here; expected {expected}")));
    }
    let mut terminal = std::io::stdout();
    write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush()).map_err(Failure::operation)?;
    let read = || {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_bytes| line)
    };
    let line = in_own_thread(read).await?.map_err(Failure::operation)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "s" | "sim"))
}

fn show(plan: &BusinessPlan, as_json: bool, applied: Value) {
    if as_json {
        let mut shown = json!(plan);
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("applied".to_owned(), applied);
        }
        print_line(&shown.to_string());
    } else {
        print_line(&words(plan).join("\n"));
        warn(plan);
    }
}

/// Writes the warnings to standard error, as `balcao seed` does.
fn warn(plan: &BusinessPlan) {
    plan.warnings.iter().for_each(|warning| print_error(&format!("warning: {warning}")));
}

/// What differs between two values, in lines: of a list the items that are new or gone, of a mapping the keys whose values differ.
fn differences(place: &str, before: &Value, after: &Value, lines: &mut Vec<String>) {
    match (before, after) {
        (Value::Array(old), Value::Array(new)) => {
            let gone = old.iter().filter(|item| !new.contains(item)).map(|item| format!("    {place}: - {item}"));
            let more = new.iter().filter(|item| !old.contains(item)).map(|item| format!("    {place}: + {item}"));
            let before = lines.len();
            lines.extend(gone.chain(more));
            if lines.len() == before {
                lines.push(format!("    {place}: in another order"));
            }
        }
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for key in keys {
                let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                let (old, new) = (of(old), of(new));
                if old != new {
                    differences(&format!("{place}.{key}"), &old, &new, lines);
                }
            }
        }
        (old, new) => {
            let of = |value: &Value| if value.is_null() { "-".to_owned() } else { value.to_string() };
            lines.push(format!("    {place}: {} → {}", of(old), of(new)));
        }
    }
}

/// The plan in lines.
fn words(plan: &BusinessPlan) -> Vec<String> {
    if plan.changes.is_empty() {
        return vec![format!("{}: nothing to change", plan.business)];
    }
    let mut lines = vec![format!("{}: {} (plan {})", plan.business, counted(plan.changes.len(), "change"), plan.hash)];
    for change in &plan.changes {
        let (sign, word) = match change.action {
            Action::Added => ("+", "added"),
            Action::Changed => ("~", "changed"),
            Action::Archived => ("-", "archived"),
            Action::Removed => ("-", "removed"),
        };
        lines.push(format!("{sign} {} `{}` {word}", change.section, change.name));
        for field in &change.fields {
            match change.action {
                Action::Added => lines.push(format!("    {}: {}", field.field, field.after)),
                // The word says that it is not active any more.
                Action::Archived if field.field == "active" => {}
                Action::Changed | Action::Archived => {
                    differences(&field.field, &field.before, &field.after, &mut lines);
                }
                Action::Removed => {}
            }
        }
        if let Some(reason) = &change.impossible {
            lines.push(format!("    impossible: {reason}"));
        }
        if !change.hits.is_empty() {
            let of = match change.hits.first() {
                Some(Hit::Subscription(_)) => "subscription",
                Some(Hit::Conversation(_)) => "conversation",
                Some(Hit::Booking(_)) | None => "booking",
            };
            lines.push(format!("    hits {}:", counted(change.hits.len(), of)));
        }
        for hit in change.hits.iter().take(SHOWN) {
            lines.push(match hit {
                Hit::Booking(HitBooking { appointment, starts, professional, service, why }) => {
                    format!("      {appointment} {starts} {service} with {professional}: {why}")
                }
                Hit::Subscription(HitSubscription { subscription, contact, why }) => {
                    format!("      {subscription} of {contact}: {why}")
                }
                Hit::Conversation(HitConversation { conversation, contact, why }) => {
                    format!("      {conversation} of {contact}: {why}")
                }
            });
        }
        if change.hits.len() > SHOWN {
            lines.push(format!("      … and {} more (--json lists all)", change.hits.len() - SHOWN));
        }
    }
    lines
}
