//! Whether WhatsApp is set up well, asked of Meta itself. Nothing is changed and nothing is sent.

use balcao_app::messaging::outbound::message_templates::{ApprovedTemplate, Purpose};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_channel::channels::whatsapp::checkup::{self, NumberInfo};
use balcao_channel::channels::whatsapp::price::Category;
use balcao_channel::channels::whatsapp::signature::AppSecrets;
use balcao_channel::channels::whatsapp::{WhatsApp, checkup::TemplateInfo};
use balcao_channel::{SendClass, SendError};
use jiff::Timestamp;

use super::Finding;
use crate::output::error_chain;
use crate::{
    config::{Config, WhatsAppAccount},
    time,
};

/// The app secret before, if it has ended: nothing is signed with it any more that would be believed.
fn ended(config: &Config, now: Timestamp) -> Option<Finding> {
    let until = config.whatsapp.previous_until().filter(|until| *until <= now)?;
    let says = format!("whatsapp.previous_app_secret ended at {until}: what is signed with it is refused");
    let mend =
        "take whatsapp.previous_app_secret and its _until out; if Meta still signs with it, write a later _until";
    Some(Finding::warning("whatsapp", says, mend))
}

/// One finding per check; none if no account is configured.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    let account = match config.whatsapp.read() {
        Ok(None) => return Vec::new(),
        Ok(Some(account)) => account,
        Err(error) => {
            return vec![Finding::wrong("whatsapp", error, "correct the [whatsapp] section or its variables")];
        }
    };
    let mut findings: Vec<Finding> = ended(config, time::now()).into_iter().collect();
    let WhatsAppAccount { account, business, webhook, terms } = account;
    let channel = match WhatsApp::new(account) {
        Ok(channel) => channel,
        Err(error) => return vec![Finding::wrong("whatsapp", error_chain(&error), "correct the [whatsapp] section")],
    };
    match channel.number_info(None).await {
        Ok(info) => findings.extend(account_itself(&channel, &webhook.secrets, &info).await),
        Err(error) => findings.push(token(&error)),
    }
    match &business {
        None => findings.push(Finding::warning(
            "webhooks",
            "whatsapp.business is not set: whether webhooks and templates are set up cannot be asked".to_owned(),
            "set whatsapp.business to the id of the WhatsApp business account",
        )),
        Some(business) => {
            findings.push(webhooks(&channel, business).await);
            findings.extend(templates(&channel, business, &terms).await);
        }
    }
    findings.push(match &config.server.public_url {
        None => Finding::warning(
            "address",
            "server.public_url is not set: whether Meta reaches the webhook cannot be tried".to_owned(),
            "set server.public_url to the https:// address of the proxy, and run the doctor while the server runs",
        ),
        Some(url) => {
            let challenge = format!("balcao{}", uuid::Uuid::new_v4().simple());
            match checkup::handshake(url, &webhook.verify_token, &challenge).await {
                Ok(()) => Finding::fine("address", format!("{url}/webhooks/whatsapp answers Meta's check")),
                Err(why) => Finding::wrong(
                    "address",
                    format!("{url}/webhooks/whatsapp: {why}"),
                    "start `balcao serve`, let the proxy pass /webhooks/whatsapp on, and compare whatsapp.verify_token",
                ),
            }
        }
    });
    findings
}

async fn account_itself(channel: &WhatsApp, secrets: &AppSecrets, info: &NumberInfo) -> Vec<Finding> {
    let mut findings = vec![Finding::fine("token", "Meta takes it, and knows the phone number id".to_owned())];
    let or = |text: &Option<String>, other: &str| text.clone().unwrap_or_else(|| other.to_owned());
    let (status, quality) = (or(&info.status, "CONNECTED"), or(&info.quality, "UNKNOWN"));
    let says =
        format!("{}, {}, {status}, quality {quality}", or(&info.name, "(no name)"), or(&info.number, "(no number)"));
    findings.push(if status != "CONNECTED" {
        Finding::wrong("number", says, "register the number in the app's WhatsApp settings at Meta")
    } else if quality == "RED" {
        Finding::warning("number", says, "customers block or report it: write less that nobody asked for")
    } else {
        Finding::fine("number", says)
    });
    if let Some(at) = info.at {
        findings.push(skew(at, time::now()));
    }
    findings.push(match channel.number_info(Some(secrets.current())).await {
        Ok(_) => Finding::fine("app secret", "Meta takes it".to_owned()),
        Err(error) => Finding::wrong(
            "app secret",
            error.to_string(),
            "copy the secret of the app that the token belongs to (App settings, Basic); with another one every webhook is \
             refused",
        ),
    });
    findings
}

fn token(error: &SendError) -> Finding {
    let mend = match (error.code, error.class) {
        (Some(0 | 190), _) => {
            "create a token of a system user (Business settings, System users); temporary ones die within hours"
        }
        (Some(33 | 100), _) => {
            "copy the phone number id from the app's WhatsApp settings (it is not the phone number), and give the system \
             user that account"
        }
        (Some(3 | 10 | 200..=299), _) => {
            "give the system user whatsapp_business_messaging and whatsapp_business_management"
        }
        (_, SendClass::TooFast { .. }) => "Meta was asked too often: try again in some minutes",
        (_, SendClass::Retry { .. }) => {
            "check that this machine reaches whatsapp.base_url (network, proxy, firewall), and try again"
        }
        _ => "see the message; Meta's page of error codes has the numbers",
    };
    Finding::wrong("token", error.to_string(), mend)
}

async fn webhooks(channel: &WhatsApp, business: &str) -> Finding {
    match channel.subscribed_apps(business).await {
        Ok(apps) if apps.is_empty() => Finding::wrong(
            "webhooks",
            "no app is subscribed to the business account: no message ever arrives".to_owned(),
            &format!("POST /{business}/subscribed_apps with the token, or subscribe in the app's WhatsApp settings"),
        ),
        Ok(apps) => Finding::fine("webhooks", format!("subscribed: {}", apps.join(", "))),
        Err(error) => Finding::wrong(
            "webhooks",
            error.to_string(),
            "check whatsapp.business, and that the token has whatsapp_business_management",
        ),
    }
}

async fn templates(channel: &WhatsApp, business: &str, terms: &SendPolicy) -> Vec<Finding> {
    if terms.templates.is_empty() {
        return vec![Finding::warning(
            "templates",
            "whatsapp.templates is empty: customers who wrote more than a day ago get no reminders".to_owned(),
            "create a template in WhatsApp Manager and name it in whatsapp.templates",
        )];
    }
    match channel.template_infos(business).await {
        Ok(known) => terms.templates.iter().map(|(purpose, wanted)| template(*purpose, wanted, &known)).collect(),
        Err(error) => {
            let mend = "check that the token has whatsapp_business_management";
            vec![Finding::wrong("templates", error.to_string(), mend)]
        }
    }
}

fn template(purpose: Purpose, wanted: &ApprovedTemplate, known: &[TemplateInfo]) -> Finding {
    let found = known.iter().find(|one| one.name == wanted.name && one.language == wanted.language);
    let named = format!("{purpose:?}: {} ({})", wanted.name, wanted.language);
    match found {
        None => Finding::wrong(
            "templates",
            format!("{named} does not exist at Meta"),
            "create it in WhatsApp Manager, or correct name and language in whatsapp.templates",
        ),
        Some(found) if found.status != "APPROVED" => Finding::wrong(
            "templates",
            format!("{named} is {}", found.status),
            "wait for Meta's review, or mend what it objects to; until then what needs it is skipped",
        ),
        Some(found)
            if let Some(gaps) = &found.gaps
                && !fills(wanted, gaps) =>
        {
            Finding::wrong(
                "templates",
                format!("{named} has the gaps {}, and whatsapp.templates fills {}", listed(gaps), filled(wanted)),
                "correct its parameters in whatsapp.templates: Meta refuses what fills other gaps than a template has",
            )
        }
        Some(found) if wanted.quick_replies.len() > found.quick_replies => Finding::wrong(
            "templates",
            format!(
                "{named} has {} quick replies, and whatsapp.templates answers {}",
                found.quick_replies,
                wanted.quick_replies.len()
            ),
            "correct its quick_replies in whatsapp.templates, or add the buttons in WhatsApp Manager",
        ),
        Some(found) if Category::read(&found.category) != wanted.category => Finding::warning(
            "templates",
            format!("{named} is billed as {}", found.category),
            "set its category in whatsapp.templates, so that costs are counted right",
        ),
        Some(_) => Finding::fine("templates", format!("{named}, approved")),
    }
}

/// Whether what is configured fills a template's gaps: the same names, or as many as there are numbers.
fn fills(wanted: &ApprovedTemplate, gaps: &[String]) -> bool {
    let numbered = gaps.iter().all(|gap| gap.parse::<u32>().is_ok());
    let named: Vec<&str> = wanted.parameters.iter().filter_map(|(name, _)| name.as_deref()).collect();
    wanted.parameters.len() == gaps.len()
        && if numbered { named.is_empty() } else { gaps.iter().all(|gap| named.contains(&gap.as_str())) }
}

fn listed<T: std::fmt::Display>(all: &[T]) -> String {
    if all.is_empty() { "none".to_owned() } else { all.iter().map(T::to_string).collect::<Vec<_>>().join(", ") }
}

fn filled(wanted: &ApprovedTemplate) -> String {
    let gap =
        |(place, (name, _)): (usize, &(Option<String>, _))| name.clone().unwrap_or_else(|| (place + 1).to_string());
    listed(&wanted.parameters.iter().enumerate().map(gap).collect::<Vec<_>>())
}

fn skew(theirs: Timestamp, ours: Timestamp) -> Finding {
    let apart = ours.duration_since(theirs);
    if apart.abs() <= checkup::SKEW {
        Finding::fine("clock skew", format!("{} s from Meta's clock", apart.as_secs()))
    } else {
        Finding::wrong(
            "clock skew",
            format!("this machine's clock is {} s from Meta's", apart.as_secs()),
            "set the machine's clock (NTP): reminders and the 24-hour window go by it",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::Verdict;

    #[test]
    fn clocks_may_differ_by_a_minute() {
        let at = |seconds: i64| Timestamp::from_second(1_800_000_000 + seconds).unwrap();
        assert!(matches!(skew(at(0), at(60)).verdict, Verdict::Fine));
        assert!(matches!(skew(at(0), at(61)).verdict, Verdict::Wrong));
        assert!(matches!(skew(at(0), at(-61)).verdict, Verdict::Wrong));
    }

    #[test]
    fn the_secret_before_is_told_once_it_has_ended() {
        let mut config = Config::default();
        assert!(ended(&config, Timestamp::MAX).is_none());
        config.whatsapp.previous_app_secret_until = Some("2026-12-01".to_owned());
        let at = |moment: &str| ended(&config, moment.parse().unwrap());
        assert!(at("2026-11-30T23:59:59Z").is_none());
        let told = at("2026-12-01T00:00:00Z").unwrap();
        assert!(
            matches!(told.verdict, Verdict::Warning) && told.says.contains("2026-12-01T00:00:00Z"),
            "{}",
            told.says
        );
    }
}
