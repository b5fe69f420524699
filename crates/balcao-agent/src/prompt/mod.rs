//! Builds system prompts from modules and data. No module contains anything about a single business; the caller passes it as
//! [`PromptData`].
//!
//! The modules are templates in `prompts/<language>/<module>.md`. The parts that never change within a conversation come first, and the
//! `context` module comes last. So the prompt cache of a provider keeps its value.

mod data;
mod words;

use std::sync::LazyLock;

use balcao_tool::Locale;
use minijinja::{Environment, UndefinedBehavior};

pub use data::{AgentFacts, ContactFacts, DayFacts, HoursFacts, NowFacts, OrganizationFacts, PromptData};
pub(crate) use words::Part;
pub use words::{
    answered, answered_line, answered_messages, contact_facts, forwarded, is_forwarded, own_and_forwarded, own_words,
    summary,
};
pub(crate) use words::{
    business_changed, correction, declined, in_customers_name, invented, is_service_message, kept_by_staff, look_up,
    not_agreed_to, not_an_object, not_asked_for, parts, service_message, structured, tool_guidance, unclear, withdrawn,
};

/// Why a prompt could not be built.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// A profile names a module that does not exist.
    #[error("unknown prompt module `{name}`; expected one of {known}")]
    UnknownModule {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// A template does not fit its data.
    #[error("the prompt module `{module}` could not be rendered")]
    Render {
        /// The module.
        module: String,
        /// What the template engine said.
        source: minijinja::Error,
    },
}

/// The modules that exist, in their usual order.
pub const MODULES: [&str; 8] = ["identity", "rules", "truth", "flows", "tools", "context", "analyst", "operator"];

macro_rules! modules {
    ($language:literal) => {
        [
            (concat!($language, "/identity"), include_str!(concat!("../../prompts/", $language, "/identity.md"))),
            (concat!($language, "/rules"), include_str!(concat!("../../prompts/", $language, "/rules.md"))),
            (concat!($language, "/truth"), include_str!(concat!("../../prompts/", $language, "/truth.md"))),
            (concat!($language, "/flows"), include_str!(concat!("../../prompts/", $language, "/flows.md"))),
            (concat!($language, "/tools"), include_str!(concat!("../../prompts/", $language, "/tools.md"))),
            (concat!($language, "/context"), include_str!(concat!("../../prompts/", $language, "/context.md"))),
            (concat!($language, "/analyst"), include_str!(concat!("../../prompts/", $language, "/analyst.md"))),
            (concat!($language, "/operator"), include_str!(concat!("../../prompts/", $language, "/operator.md"))),
        ]
    };
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // Absent facts are empty; a misspelt module name or filter still fails.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    for (name, source) in modules!("pt-BR").into_iter().chain(modules!("en")) {
        if let Err(error) = environment.add_template(name, source) {
            tracing::error!(module = name, %error, "shipped prompt module cannot be read as a template");
        }
    }
    environment
});

/// The template of a module; `None` for an unknown module.
#[must_use]
pub fn module_template(module: &str, locale: Locale) -> Option<String> {
    let template = TEMPLATES.get_template(&format!("{}/{module}", locale.tag())).ok()?;
    Some(template.source().to_owned())
}

/// Builds the system prompt of a profile.
///
/// # Errors
/// [`PromptError`] if the profile names a module that does not exist.
pub fn system(modules: &[String], data: &PromptData, locale: Locale) -> Result<String, PromptError> {
    let mut prompt = String::with_capacity(4_096);
    let values = minijinja::Value::from(minijinja::value::Serde(data));
    for module in modules {
        if !MODULES.contains(&module.as_str()) {
            return Err(PromptError::UnknownModule { name: module.clone(), known: MODULES.join(", ") });
        }
        let render = || TEMPLATES.get_template(&format!("{}/{module}", locale.tag()))?.render(values.clone());
        let text = render().map_err(|source| PromptError::Render { module: module.clone(), source })?;
        prompt.push_str(text.trim());
        prompt.push_str("\n\n");
    }
    Ok(prompt)
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
