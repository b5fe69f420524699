//! `balcao calendar connect`: the consent of a person, step by step.

use std::process::ExitCode;

use balcao_google::{Consent, OAuth, missing_scopes, scopes};
use serde_json::json;

use super::connected::print_calendars;
use crate::config::{Config, OAuthClient};
use crate::google::redirect::{Answer, Page, Redirect};
use crate::google::token_file::{StoredGrant, TokenFile};
use crate::output::{Failure, error_chain, print_error, print_line};
use crate::{google, wire};

pub(super) async fn run(port: u16, json: bool, config: &Config) -> Result<ExitCode, Failure> {
    let client = client(config)?;
    let (_, organization, clock) = wire::configured(config, None).await?;
    let tokens = TokenFile::new(&config.google.tokens);
    // Before a person grants anything, we must know that we can keep it.
    tokens.check().map_err(Failure::operation)?;
    let oauth = google::oauth(&config.google)?;
    let mut random = [0_u8; 64];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::operation(format!("the system gives no random bytes: {error}")))?;
    let redirect = Redirect::listen(port).await?;
    let wanted = scopes(config.google.shared_calendars);
    let consent = Consent::ask(&google::addresses(&config.google)?, &client.id, &wanted, redirect.uri(), random);
    print_error("Open this address in a browser of this machine, and grant every right that is asked for:");
    print_line(consent.address().as_str());
    let asked = Asked { consent: &consent, client: &client, oauth: &oauth, wanted: &wanted };
    let refresh_token = redirect.serve(async |answer| asked.settle_answer(answer).await).await??;
    let grant = StoredGrant { client_id: client.id.clone(), refresh_token, granted_at: clock.shared().now() };
    tokens.store(organization, &grant).map_err(Failure::operation)?;
    if json {
        print_line(&json!({ "connected": true }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    print_line("connected; these calendars are seen:");
    print_calendars(json, config, organization, &clock).await
}

fn client(config: &Config) -> Result<OAuthClient, Failure> {
    if let Some(file) = &config.google.service_account_file {
        let file = file.display();
        return Err(Failure::usage(format!(
            "the service account of {file} needs no consent; share the calendars with its address, and run `balcao doctor`"
        )));
    }
    let missing = || {
        Failure::usage(
            "google.client_id is missing; make an OAuth client of type \"Desktop app\" in the Cloud console \
             (docs/GOOGLE-CALENDAR.md), and set google.client_id and google.client_secret_file",
        )
    };
    config.google.client().map_err(Failure::usage)?.ok_or_else(missing)
}

/// The consent that was asked for, and what its answer is exchanged with.
struct Asked<'a> {
    consent: &'a Consent,
    client: &'a OAuthClient,
    oauth: &'a OAuth,
    wanted: &'a [String],
}

impl Asked<'_> {
    /// Exchanges the answer, and says on the page what came of it. `None` for a query that answers another request.
    async fn settle_answer(&self, answer: Answer) -> Option<Result<secrecy::SecretString, Failure>> {
        if !self.consent.is_answered_by(&answer.query) {
            return None;
        }
        let settled = self.exchange(&answer.query).await;
        let page = match &settled {
            Ok(_) => Page { is_good: true, text: "Connected. You can close this window.".to_owned() },
            Err(failure) => Page { is_good: false, text: format!("Not connected: {}", failure.message()) },
        };
        // A person who closed the window reads it in the terminal.
        drop(answer.page.send(page));
        Some(settled)
    }

    async fn exchange(&self, query: &str) -> Result<secrecy::SecretString, Failure> {
        let code = self.consent.read_answer(query).map_err(Failure::operation)?;
        let granted = self.oauth.exchange(&self.client.id, &self.client.secret, &code).await;
        let granted = granted.map_err(|error| Failure::operation(error_chain(&error)))?;
        let missing = missing_scopes(self.wanted, &granted.scopes);
        if missing.is_empty() {
            return Ok(granted.refresh_token);
        }
        let short: Vec<&str> = missing.iter().filter_map(|scope| scope.rsplit('/').next()).collect();
        let reason = format!("rights are missing: {}; connect again and tick every box", short.join(", "));
        // What is of no use here should not live on there.
        if let Err(error) = self.oauth.revoke(&granted.refresh_token).await {
            print_error(&format!("the incomplete grant was not revoked: {}", error_chain(&error)));
        }
        Err(Failure::operation(reason))
    }
}
