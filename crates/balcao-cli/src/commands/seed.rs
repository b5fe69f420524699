//! `balcao seed FILE`: loads a business into the configured database, or changes the one that was loaded before.

use std::{path::PathBuf, process::ExitCode};

use balcao_store::crm::organization::{self, Organization};
use balcao_yaml::nearest;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, error_chain, print_error, print_line},
    time, wire,
};

/// Options of `balcao seed`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The business as YAML.
    file: PathBuf,
    /// Only reports the mistakes of the file; does not open the database.
    #[arg(long)]
    check: bool,
    /// Changes an existing business, or adds one to others, without a question.
    #[arg(long)]
    yes: bool,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let business = wire::read_business(&args.file)?;
    let warnings = business.warnings();
    let warn = || {
        if !args.json {
            warnings.iter().for_each(|warning| print_error(&format!("{}: warning: {warning}", args.file.display())));
        }
    };
    if args.check {
        warn();
        let text = format!("{}: no mistakes", args.file.display());
        let told = || json!({"organization": business.slug(), "mistakes": [], "warnings": warnings}).to_string();
        print_line(&if args.json { told() } else { text });
        return Ok(ExitCode::SUCCESS);
    }
    let slug = business.slug().to_owned();
    let store = wire::open_store(config)?;
    wire::migrate(&store, config, false).await?;
    let others = store.read(organization::list).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let joins = others.iter().any(|one| one.slug != slug) && config.organization.slug.is_none();
    if others.iter().any(|one| one.slug == slug) {
        return super::business::apply_file(config, business, &super::business::Consent::new(args.yes, args.json))
            .await;
    }
    // The plan of a business that is there has its own warnings.
    warn();
    // A slug with a slip would load the business once more, so a business beside others is agreed to, unless the settings name it.
    if joins && !args.yes {
        print_error(&addition(&slug, &others));
        if !super::business::agreed("Load it?", "--yes").await? {
            return Err(Failure::operation("nothing was loaded"));
        }
    }
    let imported =
        business.import(&store, time::now()).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    if args.json {
        print_line(
            &json!({
                "organization": slug,
                "services": imported.services,
                "professionals": imported.professionals,
                "contacts": imported.contacts,
                "appointments": imported.appointments,
                "knowledge": imported.knowledge,
                "warnings": warnings,
            })
            .to_string(),
        );
    } else {
        print_line(&format!(
            "{slug}: {} services, {} professionals, {} contacts, {} appointments, {} knowledge entries",
            imported.services, imported.professionals, imported.contacts, imported.appointments, imported.knowledge
        ));
    }
    if joins {
        print_error(&format!(
            "the database holds several businesses now: every other command needs organization.slug = \"{slug}\", or another's, from now on"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What loading a business beside others does.
fn addition(slug: &str, others: &[Organization]) -> String {
    let known = others.iter().map(|one| one.slug.as_str());
    let nearest = nearest(slug, known.clone()).map(|near| format!("; the nearest is `{near}`"));
    let known = known.map(|slug| format!("`{slug}`")).collect::<Vec<_>>().join(", ");
    let which = if others.len() == 1 { "a second" } else { "another" };
    format!("the file adds {which} business `{slug}` beside {known}{}", nearest.unwrap_or_default())
}
