//! `balcao calendar list` and `disconnect`.

use std::process::ExitCode;

use balcao_app::context::calendar_service::{CalendarService as _, CalendarSummary};
use balcao_domain::OrganizationId;
use serde_json::json;

use crate::config::Config;
use crate::google::token_file::TokenFile;
use crate::output::{Failure, error_chain, one_line, print_line};
use crate::wire::DeskClock;
use crate::{google, wire};

pub(super) async fn list(json: bool, config: &Config) -> Result<ExitCode, Failure> {
    let (_, organization, clock) = wire::configured(config, None).await?;
    print_calendars(json, config, organization, &clock).await
}

pub(super) async fn print_calendars(
    json: bool,
    config: &Config,
    organization: OrganizationId,
    clock: &DeskClock,
) -> Result<ExitCode, Failure> {
    let service = google::service(&config.google, clock.shared())?;
    let service = service.ok_or_else(|| Failure::usage("[google] is not configured (docs/GOOGLE-CALENDAR.md)"))?;
    let all = service.calendars(organization).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    if json {
        let rows: Vec<_> = all
            .iter()
            .map(|one| {
                json!({ "id": one.id, "name": one.name, "zone": one.zone, "writable": one.is_writable,
                    "data_owner": one.data_owner })
            })
            .collect();
        print_line(&json!(rows).to_string());
    } else if all.is_empty() {
        print_line("the account's list of calendars is empty; a calendar that is shared with it can be used by its id");
    } else {
        all.iter().for_each(|one| print_line(&line(one)));
    }
    Ok(ExitCode::SUCCESS)
}

/// "rafa@example.com  Agenda do Rafa  America/Sao_Paulo  may write".
fn line(one: &CalendarSummary) -> String {
    let rights = if one.is_writable { "may write" } else { "may read" };
    let owner = one.data_owner.as_ref().map_or_else(String::new, |owner| format!("  data of {}", one_line(owner)));
    format!("{}  {}  {}  {rights}{owner}", one_line(&one.id), one_line(&one.name), one_line(&one.zone))
}

pub(super) async fn disconnect(local: bool, json: bool, config: &Config) -> Result<ExitCode, Failure> {
    if let Some(file) = &config.google.service_account_file {
        let file = file.display();
        return Err(Failure::usage(format!(
            "the service account of {file} has no grant to end; take google.service_account_file out, and delete its key in the console"
        )));
    }
    let (_, organization, _) = wire::configured(config, None).await?;
    let tokens = TokenFile::new(&config.google.tokens);
    let Some(grant) = tokens.find(organization).map_err(Failure::operation)? else {
        return Err(Failure::operation("the business is not connected"));
    };
    if !local {
        let ended = google::oauth(&config.google)?.revoke(&grant.refresh_token).await;
        let words = |error| format!("{}; try again, or forget the grant here alone with --local", error_chain(&error));
        ended.map_err(|error| Failure::operation(words(error)))?;
    }
    tokens.remove(organization).map_err(Failure::operation)?;
    print_line(&if json { json!({ "disconnected": true }).to_string() } else { "disconnected".to_owned() });
    Ok(ExitCode::SUCCESS)
}
