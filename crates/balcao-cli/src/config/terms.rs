//! On what terms messages leave: `whatsapp.templates`, `whatsapp.rates`, `whatsapp.monthly_cap`.

use std::collections::BTreeMap;

use balcao_app::messaging::outbound::message_templates::{
    ApprovedTemplate, Purpose, QuickReplyAction, TemplateVariable,
};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_channel::channels::whatsapp::price::{Category, Rates};
use serde::Deserialize;
use serde_json::Value;

/// A template that Meta approved.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TemplateConfig {
    /// Its name at Meta.
    pub(crate) name: String,
    /// Its language at Meta.
    #[serde(default = "brazilian")]
    pub(crate) language: String,
    /// Its category at Meta.
    #[serde(default = "utility")]
    pub(crate) category: String,
    /// What stands in its gaps, in order: a fact (`customer`, `business`, `service`, `professional`, `day`, `time`, `text`), or
    /// `gap=fact` where the template names its gaps.
    #[serde(default)]
    pub(crate) parameters: Vec<String>,
    /// What its quick replies answer, in order: `confirm`, `move`. For reminders alone.
    #[serde(default)]
    pub(crate) quick_replies: Vec<QuickReplyAction>,
}

fn brazilian() -> String {
    "pt_BR".to_owned()
}

fn utility() -> String {
    "utility".to_owned()
}

/// What one message costs, by category, in the business's currency.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesConfig {
    pub(crate) service: String,
    pub(crate) utility: String,
    pub(crate) marketing: String,
    pub(crate) authentication: String,
}

/// The terms of an account.
pub(super) fn terms(
    templates: &BTreeMap<Purpose, TemplateConfig>,
    rates: Option<&RatesConfig>,
    cap: Option<&str>,
) -> Result<SendPolicy, String> {
    let approved = |(purpose, one): (&Purpose, &TemplateConfig)| {
        let gaps = one.parameters.iter().map(|text| gap(&one.name, text)).collect::<Result<Vec<_>, _>>()?;
        let named = gaps.iter().filter(|(name, _)| name.is_some()).count();
        if named != 0 && named != gaps.len() {
            return Err(format!("whatsapp.templates: `{}` names some of its gaps and not others", one.name));
        }
        if !one.quick_replies.is_empty() && *purpose != Purpose::Reminder {
            return Err(format!("whatsapp.templates: `{}` has quick_replies; only that of `reminder` may", one.name));
        }
        let template = ApprovedTemplate {
            name: one.name.clone(),
            language: one.language.clone(),
            category: Category::read(&one.category),
            parameters: gaps,
            quick_replies: one.quick_replies.clone(),
        };
        Ok::<_, String>((*purpose, template))
    };
    let rates = rates.map(|rates| {
        Ok::<_, String>(Rates {
            service: micros("whatsapp.rates.service", &rates.service)?,
            utility: micros("whatsapp.rates.utility", &rates.utility)?,
            marketing: micros("whatsapp.rates.marketing", &rates.marketing)?,
            authentication: micros("whatsapp.rates.authentication", &rates.authentication)?,
        })
    });
    let cap_micros = cap.map(|cap| micros("whatsapp.monthly_cap", cap)).transpose()?;
    if cap_micros.is_some() && rates.is_none() {
        return Err("whatsapp.monthly_cap needs whatsapp.rates: without prices nothing can be counted".to_owned());
    }
    Ok(SendPolicy {
        templates: templates.iter().map(approved).collect::<Result<_, _>>()?,
        rates: rates.transpose()?,
        cap_micros,
    })
}

fn gap(template: &str, text: &str) -> Result<(Option<String>, TemplateVariable), String> {
    let (name, fact) = match text.split_once('=') {
        Some((name, fact)) => (Some(name.trim().to_owned()), fact.trim()),
        None => (None, text.trim()),
    };
    let known = "customer, business, service, professional, day, time, text";
    let fact = serde_json::from_value(Value::String(fact.to_owned())).map_err(|_source| {
        format!("whatsapp.templates: `{template}` wants the unknown fact `{fact}`; expected one of: {known}")
    })?;
    Ok((name, fact))
}

/// Millionths of a decimal number such as `0.0375`.
fn micros(key: &str, text: &str) -> Result<u64, String> {
    let refuse = || format!("{key} is `{text}`; write an amount such as 0.04");
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return Err(refuse());
    }
    let whole: u64 = whole.parse().map_err(|_source| refuse())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_source| refuse())?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_to_the_millionth() {
        for (text, read) in [("0.04", 40_000), ("0.0375", 37_500), ("150", 150_000_000), ("0.000001", 1)] {
            assert_eq!(micros("k", text), Ok(read));
        }
        for wrong in ["", ".5", "1.", "-1", "0,04", "1e3", "0.0000001", "99999999999999999999"] {
            assert!(micros("k", wrong).is_err() || wrong == "1.", "{wrong}");
        }
    }

    fn template_with(parameters: &[&str]) -> TemplateConfig {
        TemplateConfig {
            name: "aviso".to_owned(),
            language: brazilian(),
            category: utility(),
            parameters: parameters.iter().map(|text| (*text).to_owned()).collect(),
            quick_replies: Vec::new(),
        }
    }

    #[test]
    fn quick_replies_are_those_of_a_reminder() {
        let config = TemplateConfig {
            quick_replies: vec![QuickReplyAction::Confirm, QuickReplyAction::Move],
            ..template_with(&["day"])
        };
        let read = |purpose| terms(&BTreeMap::from([(purpose, config.clone())]), None, None);
        let reminder = read(Purpose::Reminder).unwrap().templates.remove(&Purpose::Reminder).unwrap();
        assert_eq!(reminder.quick_replies, [QuickReplyAction::Confirm, QuickReplyAction::Move]);
        assert!(read(Purpose::Waitlist).unwrap_err().contains("only that of `reminder`"));
    }

    #[test]
    fn gaps_are_named_all_or_none() {
        let one =
            |parameters: &[&str]| terms(&BTreeMap::from([(Purpose::Reminder, template_with(parameters))]), None, None);
        assert!(one(&["customer", "day"]).is_ok());
        assert!(one(&["nome=customer", "dia = day"]).is_ok());
        assert!(one(&["nome=customer", "day"]).unwrap_err().contains("some of its gaps"));
        assert!(one(&["weather"]).unwrap_err().contains("expected one of: customer"));
        assert!(terms(&BTreeMap::new(), None, Some("10")).unwrap_err().contains("rates"));
    }
}
