//! What the business may use: asked here, by everything that can be withheld; decided by [`Entitlement::allows`].

use std::collections::BTreeSet;

use balcao_domain::OrganizationId;
use balcao_domain::entitlement::{Entitlement, Feature, Tier, UpgradeRequired};
use balcao_store::{Tx, ops::entitlement};
use balcao_tool::Locale;
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::agenda::local_midnight;

/// What a change sets; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanChange {
    /// What it pays for.
    pub tier: Option<Tier>,
    /// The last day of a trial, in its own zone; inside, `None` ends it.
    pub trial_until: Option<Option<Date>>,
    /// Features beside the tier, from now on.
    pub grant: BTreeSet<Feature>,
    /// Features beside the tier, no longer.
    pub withdraw: BTreeSet<Feature>,
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// A trial that would have been over before it began.
    #[error(
        "a trial until {last} would be over already: it is {today} there; name today or a day to come, or end the trial"
    )]
    TrialInThePast {
        /// The last day that was named.
        last: Date,
        /// Today, where the business is.
        today: Date,
    },
}

/// What a business may use.
#[derive(Debug, Clone, PartialEq)]
pub struct EntitlementView {
    /// The plan, the trial and what stands beside them.
    pub entitlement: Entitlement,
    /// The features that may be used now.
    pub open: BTreeSet<Feature>,
    /// The first instant after the trial, in the business's zone.
    pub trial_ends_at: Option<Zoned>,
}

/// Shows and sets what a business may use.
#[derive(Debug, Clone)]
pub struct Plans {
    app: AppContext,
}

impl Plans {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// What a business may use, which features that opens now, and when its trial ends where it is.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn show(&self, id: OrganizationId) -> Result<EntitlementView, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let entitlement = entitlement::get(tx, id)?;
                let open = Feature::ALL.into_iter().filter(|one| entitlement.allows(*one, now).is_ok()).collect();
                let zone = organization(tx, id)?.1;
                let trial_ends_at = entitlement.trial_ends_at.map(|end| end.to_zoned(zone));
                Ok(EntitlementView { entitlement, open, trial_ends_at })
            })
            .await
    }

    /// Whether a feature may be used now.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`UpgradeRequired`].
    pub async fn allows(
        &self,
        id: OrganizationId,
        feature: Feature,
    ) -> Result<Result<(), UpgradeRequired>, UseCaseError> {
        self.app.look(move |tx, now| allows(tx, id, feature, now)).await
    }

    /// Changes what a business may use.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`PlanRefusal`], with nothing changed.
    pub async fn change(
        &self,
        id: OrganizationId,
        change: PlanChange,
    ) -> Result<Result<(), PlanRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            let (_, zone) = organization(tx, id)?;
            let today = zone.to_datetime(now).date();
            if let Some(Some(last)) = change.trial_until
                && last < today
            {
                return Ok(Err(PlanRefusal::TrialInThePast { last, today }));
            }
            let mut found = entitlement::get(tx, id)?;
            found.tier = change.tier.unwrap_or(found.tier);
            if let Some(until) = change.trial_until {
                // The day itself still counts.
                let end = until.and_then(|last| last.tomorrow().ok());
                found.trial_ends_at = end.map(|end| local_midnight(&zone, end));
            }
            found.extra.extend(&change.grant);
            found.extra.retain(|one| !change.withdraw.contains(one));
            entitlement::set(tx, id, &found, now)?;
            Ok(Ok(()))
        };
        self.app.store.write::<_, UseCaseError, _>(work).await
    }
}

/// Whether a feature may be used, inside a transaction.
pub(crate) fn allows(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    feature: Feature,
    now: Timestamp,
) -> Result<Result<(), UpgradeRequired>, UseCaseError> {
    Ok(entitlement::get(tx, id)?.allows(feature, now))
}

/// What the owner reads: what is missing, why, and who changes it.
#[must_use]
pub fn worded(missing: &UpgradeRequired, locale: Locale) -> String {
    let UpgradeRequired { feature, tier, trial_ended_at } = missing;
    match (locale, feature) {
        (Locale::PtBr, Feature::Assistant) => format!(
            "O assistente não faz parte do plano `{tier}` do negócio.{} Quem administra o Balcão pode liberá-lo com `balcao plan`.",
            if trial_ended_at.is_some() { " O período de teste terminou." } else { "" }
        ),
        (Locale::PtBr, Feature::FreeQuestions) => format!(
            "Perguntas livres não fazem parte do plano `{tier}` do negócio: há o resumo do mês, a agenda e as faltas.{} Quem administra o Balcão pode liberá-las com `balcao plan`.",
            if trial_ended_at.is_some() { " O período de teste terminou." } else { "" }
        ),
        (Locale::En, Feature::Assistant) => format!(
            "The assistant is not part of the business's plan `{tier}`.{} Whoever runs Balcão can open it with `balcao plan`.",
            if trial_ended_at.is_some() { " The trial is over." } else { "" }
        ),
        (Locale::En, Feature::FreeQuestions) => format!(
            "Free questions are not part of the business's plan `{tier}`: there are the month, the agenda and the no-shows.{} Whoever runs Balcão can open them with `balcao plan`.",
            if trial_ended_at.is_some() { " The trial is over." } else { "" }
        ),
    }
}
