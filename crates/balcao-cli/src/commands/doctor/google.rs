//! Whether Google Calendar is connected well.

use balcao_app::AppContext;
use balcao_app::scheduling::calendar_links::CalendarLinks;
use balcao_domain::OrganizationId;
use balcao_google::{Severity, UsedCalendar};
use balcao_store::crm::organization;

use super::{Finding, Verdict, served_business};
use crate::config::Config;
use crate::{google, private, time, wire};

/// A business that is looked at.
struct Business {
    id: OrganizationId,
    /// Its short name, if the database has several.
    slug: Option<String>,
    used: Vec<UsedCalendar>,
}

/// Checks each step, from the files to the calendars.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    if !config.google.is_set() {
        return Vec::new();
    }
    let mut findings = open_files(config);
    let mend = "correct [google] in the configuration";
    let service = match google::service(&config.google, time::clock()) {
        Ok(Some(service)) => service,
        Ok(None) => return findings,
        Err(failure) => {
            findings.push(Finding::wrong("google", failure.message().to_owned(), mend));
            return findings;
        }
    };
    for Business { id, slug, used } in businesses(config).await {
        let examined = service.examine(id, &used).await;
        findings.extend(examined.into_iter().map(|one| shown(one, slug.as_deref())));
    }
    findings
}

/// The business that this configuration serves, and each other one with linked calendars.
async fn businesses(config: &Config) -> Vec<Business> {
    // A database that is missing or cannot be read has its own finding.
    if config.database.missing_file().is_some() {
        return Vec::new();
    }
    let Ok(store) = wire::open_store(config) else { return Vec::new() };
    let Ok(all) = store.read(organization::list).await else { return Vec::new() };
    let served = served_business(config, &all).map(|one| one.id);
    let links = CalendarLinks::new(AppContext::new(store, time::clock()));
    let mut found = Vec::new();
    for one in &all {
        let Ok(status) = links.status(one.id).await else { continue };
        let linked = status.links.into_iter().map(|link| UsedCalendar {
            id: link.calendar,
            professional: Some(link.professional),
            is_written: link.is_written,
        });
        let mut used: Vec<UsedCalendar> = linked.collect();
        let is_served = served == Some(one.id);
        if is_served {
            let named = config.google.calendars.iter().cloned();
            used.extend(named.map(|id| UsedCalendar { id, professional: None, is_written: false }));
        }
        if is_served || !used.is_empty() {
            found.push(Business { id: one.id, slug: (all.len() > 1).then(|| one.slug.clone()), used });
        }
    }
    found
}

/// A finding of the business of this short name, which its commands name, too.
fn shown(mut found: balcao_google::Finding, slug: Option<&str>) -> Finding {
    if let Some(slug) = slug {
        found.says = format!("of {slug}: {}", found.says);
        found.mend = found.mend.replace("`balcao calendar ", &format!("`balcao calendar --business {slug} "));
    }
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
