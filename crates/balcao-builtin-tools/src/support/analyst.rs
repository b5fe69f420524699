//! What the tools about the business share: who may ask, and how figures are said.

use balcao_app::admin::plans;
use balcao_app::admin::staff_access::{StaffAccess, StaffAccessRefusal, StaffPermissions};
use balcao_app::reports::analytics::Figures;
use balcao_domain::entitlement::UpgradeRequired;
use balcao_tool::{ErrorCode, Internal, Locale, ModelText, ToolContext, ToolError, ToolResult};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::{broke, contact, organization};

/// What whoever asks may see. Customers may see nothing, whatever profile they talk to.
pub(crate) async fn sees(people: &StaffAccess, cx: &ToolContext) -> ToolResult<StaffPermissions> {
    if !cx.principal.staff_facing {
        let note = Internal::note("a profile for customers offers the pack `analytics`; take it out of its packs");
        return Err(ToolError::new(ErrorCode::Forbidden, "only staff may ask this").internal(note).into());
    }
    let sees = people.sees(organization(cx)?, contact(cx)?).await.map_err(broke)?;
    sees.map_err(|refusal| match refusal {
        StaffAccessRefusal::UpgradeRequired(missing) => upgrade_required(cx, &missing).into(),
        other @ (StaffAccessRefusal::UnknownStaff(_)
        | StaffAccessRefusal::NotStaff
        | StaffAccessRefusal::TooOften { .. }
        | StaffAccessRefusal::NoProfessional { .. }) => {
            ToolError::new(ErrorCode::Forbidden, ModelText::new(other.to_string())).into()
        }
    })
}

/// What the business's plan has not, in the words that its owner is to read.
pub(crate) fn upgrade_required(cx: &ToolContext, missing: &UpgradeRequired) -> ToolError {
    ToolError::new(ErrorCode::UpgradeRequired, ModelText::new(plans::worded(missing, cx.principal.locale)))
        .detail("feature", missing.feature.as_str())
}

/// Figures with their money in words.
pub(crate) fn figures(one: &Figures) -> Value {
    let mut value = json!({
        "total": one.total,
        "completed": one.completed,
        "no_shows": one.no_shows,
        "cancelled": one.cancelled,
        "unmarked": one.unmarked,
        "no_show_rate": thousandths(one.no_show_rate),
    });
    if let (Some(fields), Some(revenue)) = (value.as_object_mut(), one.revenue) {
        fields.insert("revenue".to_owned(), revenue.to_string().into());
    }
    value
}

/// The dates that an answer covers: `de 01/06/2026 a 24/11/2026`, or `from 2026-06-01 to 2026-11-24`.
pub(crate) fn span(cx: &ToolContext, from: Date, to: Date) -> String {
    match cx.principal.locale {
        Locale::PtBr => format!("de {} a {}", from.strftime("%d/%m/%Y"), to.strftime("%d/%m/%Y")),
        Locale::En => format!("from {from} to {to}"),
    }
}

/// A rate with three digits, which is all that anybody says of it.
pub(crate) fn thousandths(rate: f64) -> f64 {
    (rate * 1_000.0).round() / 1_000.0
}

/// `12,5%`, or `12.5%`.
pub(crate) fn percent(cx: &ToolContext, rate: f64) -> String {
    let text = format!("{:.1}%", rate * 100.0);
    if cx.principal.locale == Locale::PtBr { text.replace('.', ",") } else { text }
}
