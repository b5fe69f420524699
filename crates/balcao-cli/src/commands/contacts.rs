//! `balcao contacts`: finds contacts, so that other commands can name them, and changes what is kept of one.

use std::process::ExitCode;

use balcao_app::context::app_context::UseCaseError;
use balcao_app::crm::contacts::{ContactUpdate, ContactView, Contacts, UpdateRefusal};
use balcao_domain::{ContactId, OrganizationId};
use serde_json::Value;

use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_cut, print_line},
    wire,
};

/// Contacts of one look at the database.
const PAGE: u32 = 100;
/// Contacts that one call lists at most.
const LISTED: usize = 200;

/// Options of `balcao contacts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao contacts find ana reis\n  \
    balcao contacts find \"+55 31 99640-1177\" --json\n  \
    balcao contacts set con_12 birthday=1990-05-17 preferred_name=Aninha")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists contacts whose name or e-mail address has all these words, or who have this number.
    Find {
        /// Words of the name or of the e-mail address, or a telephone number.
        #[arg(value_name = "TEXT", required = true)]
        text: Vec<String>,
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Changes the data of a contact; the audit log keeps the old values.
    Set {
        /// The contact: `balcao contacts find` shows the ids.
        contact: ContactId,
        /// `name`, `preferred_name`, `email`, `address`, `birthday` (a date) or a custom field. An empty value removes a
        /// custom field or the birthday.
        #[arg(value_name = "FIELD=VALUE", required = true)]
        fields: Vec<String>,
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, None).await?;
    let contacts = Contacts::new(app);
    let (text, json) = match args.action {
        Action::Find { text, json } => (text, json),
        Action::Set { contact, fields, json } => return set(&contacts, organization, contact, &fields, json).await,
    };
    let search = text.join(" ");
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = contacts.page(organization, Some(search.clone()), after, PAGE).await;
        let page = page.map_err(|error| Failure::operation(error_chain(&error)))?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() || found.len() >= LISTED {
            break;
        }
    }
    let more = found.len() > LISTED || after.is_some();
    found.truncate(LISTED);
    if json {
        print_line(&serde_json::to_value(&found).unwrap_or(Value::Null).to_string());
        if more {
            print_cut(found.len(), "contacts", "expected further words");
        }
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        print_line(&format!("no contact is found by `{}`", one_line(&search)));
    }
    found.iter().for_each(|one| print_line(&line(one)));
    if more {
        print_line("and more; expected further words");
    }
    Ok(ExitCode::SUCCESS)
}

/// "con_12  Ana Reis  +5531996401177  ana@example.com"
fn line(one: &ContactView) -> String {
    let known = [one.name.as_ref(), one.phone.as_ref(), one.email.as_ref()];
    let known: Vec<String> = known.into_iter().flatten().map(|text| one_line(text)).collect();
    format!("{}  {}", one.id, known.join("  "))
}

async fn set(
    contacts: &Contacts,
    organization: OrganizationId,
    id: ContactId,
    fields: &[String],
    json: bool,
) -> Result<ExitCode, Failure> {
    let update = read_fields(fields)?;
    let changed = contacts.edit(organization, id, "operator".to_owned(), update).await.map_err(|error| {
        if matches!(error, UseCaseError::NoContact { .. }) {
            return Failure::operation(format!("unknown contact {id}; `balcao contacts find` shows the ids"));
        }
        Failure::operation(error_chain(&error))
    })?;
    let updated = changed.map_err(|refusal| Failure::usage(in_words(&refusal)))?.updated;
    print_line(&if json {
        serde_json::json!({ "updated": updated }).to_string()
    } else if updated.is_empty() {
        format!("{id} has these values already; nothing changed")
    } else {
        format!("{id}: changed {}", updated.join(", "))
    });
    Ok(ExitCode::SUCCESS)
}

fn read_fields(fields: &[String]) -> Result<ContactUpdate, Failure> {
    let mut update = ContactUpdate::default();
    for field in fields {
        let Some((name, value)) = field.split_once('=') else {
            return Err(Failure::usage(format!(
                "invalid `{field}`; expected FIELD=VALUE, such as birthday=1990-05-17"
            )));
        };
        let value = value.to_owned();
        match name {
            "name" => update.name = Some(value),
            "preferred_name" => update.preferred_name = Some(value),
            "email" => update.email = Some(value),
            "address" => update.address = Some(value),
            "phone" => {
                let expected = "expected another field; the phone is who they are, and cannot be changed";
                return Err(Failure::usage(format!("invalid `phone`; {expected}")));
            }
            own => drop(update.custom_fields.insert(own.to_owned(), value)),
        }
    }
    Ok(update)
}

fn in_words(refusal: &UpdateRefusal) -> String {
    match refusal {
        UpdateRefusal::Nothing => "nothing to change; expected at least one FIELD=VALUE".to_owned(),
        UpdateRefusal::TooManyFields => "too many fields; expected at most 50 of your own".to_owned(),
        UpdateRefusal::Fields(fields) => {
            let told = fields
                .iter()
                .map(|one| format!("invalid {} `{}`; expected {}", one.field, one.text, one.problem.expected()));
            told.collect::<Vec<_>>().join("; ")
        }
    }
}
