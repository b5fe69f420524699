//! Whether Google Calendar is connected well.

use balcao_google::Severity;

use super::{Finding, Verdict};
use crate::config::Config;
use crate::{google, private, wire};

/// Checks each step, from the files to the calendars.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    if !config.google.is_set() {
        return Vec::new();
    }
    let mut findings = open_files(config);
    // A database that cannot be read has its own finding.
    let Ok((_, organization, clock)) = wire::configured(config, None).await else { return findings };
    let mend = "correct [google] in the configuration";
    match google::service(&config.google, clock.shared()) {
        Err(failure) => findings.push(Finding::wrong("google", failure.message().to_owned(), mend)),
        Ok(None) => {}
        Ok(Some(service)) => {
            let examined = service.examine(organization, &config.google.calendars).await;
            findings.extend(examined.into_iter().map(shown));
        }
    }
    findings
}

fn shown(found: balcao_google::Finding) -> Finding {
    let verdict = match found.severity {
        Severity::Fine => Verdict::Fine,
        Severity::Warning => Verdict::Warning,
        Severity::Wrong => Verdict::Wrong,
    };
    let mend = (!found.mend.is_empty()).then_some(found.mend);
    Finding { check: "google", verdict, says: found.says, mend }
}

/// Files with secrets that other users of this machine can read.
fn open_files(config: &Config) -> Vec<Finding> {
    let google = &config.google;
    let files =
        [google.service_account_file.as_deref(), google.client_secret_file.as_deref(), Some(google.tokens.as_path())];
    let open = files.into_iter().flatten().filter(|file| private::is_open(file));
    open.map(|file| {
        let says = format!("other users of this machine can read {}", file.display());
        Finding::warning("google", says, &format!("chmod 600 {}", file.display()))
    })
    .collect()
}
