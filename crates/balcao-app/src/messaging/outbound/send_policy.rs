//! On what terms messages leave: which template takes their place when a window is closed, what they cost, and the month's limit.

use std::collections::BTreeMap;

use balcao_channel::channels::whatsapp::price::{Category, Rates};
use balcao_channel::outbound::{Template, TemplateParameter};

use crate::messaging::outbound::message_templates::{
    ApprovedTemplate, Purpose, QuickReplyAction, TemplateVariable, TemplateVariables,
};

/// On what terms messages of an account leave.
#[derive(Debug, Clone, Default)]
pub struct SendPolicy {
    /// By purpose.
    pub templates: BTreeMap<Purpose, ApprovedTemplate>,
    /// What messages cost, in millionths of the business's currency; without it they are not metered.
    pub rates: Option<Rates>,
    /// What they may cost in a calendar month, in millionths of the business's currency.
    pub cap_micros: Option<u64>,
}

impl SendPolicy {
    /// The template for a purpose with its gaps filled; `None` if there is none, or a fact is not known.
    #[must_use]
    pub fn template(&self, purpose: Purpose, facts: &TemplateVariables) -> Option<Template> {
        let approved = self.templates.get(&purpose)?;
        let body = approved.parameters.iter().map(|(name, fact)| {
            let text = match fact {
                TemplateVariable::Customer => Some(&facts.customer),
                TemplateVariable::Business => Some(&facts.business),
                TemplateVariable::Service => facts.service.as_ref(),
                TemplateVariable::Professional => facts.professional.as_ref(),
                TemplateVariable::Day => facts.day.as_ref(),
                TemplateVariable::Time => facts.time.as_ref(),
                TemplateVariable::Text => facts.text.as_ref(),
            };
            // One line, as the provider demands.
            let text = text?.split_whitespace().collect::<Vec<_>>().join(" ");
            (!text.is_empty()).then(|| TemplateParameter { name: name.clone(), text })
        });
        let named = |wanted: &QuickReplyAction| {
            let (_, name) = facts.answers.iter().find(|(answer, _)| answer == wanted)?;
            Some(name.clone())
        };
        Some(Template {
            name: approved.name.clone(),
            language: approved.language.clone(),
            body: body.collect::<Option<_>>()?,
            quick_replies: approved.quick_replies.iter().map(named).collect::<Option<_>>()?,
        })
    }

    /// What the provider bills a template as; `None` if it is not ours.
    #[must_use]
    pub fn category_of(&self, template: &Template) -> Option<&Category> {
        let mut all = self.templates.values();
        all.find(|one| one.name == template.name && one.language == template.language).map(|one| &one.category)
    }
}

#[cfg(test)]
#[path = "send_policy_tests.rs"]
mod tests;
