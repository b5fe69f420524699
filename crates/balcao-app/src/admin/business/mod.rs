//! Changes of a business that the database already has: from a file, or by one edit.
//!
//! A change is a [`BusinessPlan`]: the entries that it adds, changes and removes, and the bookings that it affects. The plan compares two
//! forms of one document, the stored one and the wanted one, and a hash identifies the plan. A caller applies a plan by its hash. If the
//! plan is still current, exactly this plan is applied; otherwise the caller gets the new plan, and nothing changes. A single edit changes
//! the stored document and takes the same path, so one reader checks every change.
//!
//! An entry in use is archived instead of removed. Only the first `balcao seed` loads the contacts and appointments of a file.

mod apply;
mod document;
mod edit;
mod first_import;
mod hits;
mod knowledge_text;
mod load;
mod plan;

use balcao_domain::{OrganizationId, VersionKind, VersionName};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{StoreErrorClass, Tx, crm::organization, crm::staff, ops::audit, ops::version};
use balcao_yaml::Problem;
use serde_json::Value;

use crate::admin::seed::BusinessFile;
use crate::admin::versions::{self, RecordedVersions};
use crate::context::app_context::{AppContext, UseCaseError, granted};
use crate::context::staff_email::{self, UnknownStaff, by_email};
use crate::scheduling::ways_out;

pub use balcao_store::ops::audit::AuditEntry;
pub use edit::{Edit, EditError, FieldEdit};
pub use knowledge_text::{KnowledgeFormat, TextMistake, read_knowledge};
pub use plan::{Action, BusinessPlan, Change, FieldChange, Hit, HitBooking, HitConversation, HitSubscription, Section};

/// Why a person may not change the business.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditorRefusal {
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The role of the staff member does not let them change the business.
    #[error("`{email}` may not change the business; expected the owner or a manager")]
    NotAllowed {
        /// The staff member.
        email: String,
    },
}

/// Why a business was not changed. Nothing was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BusinessRefusal {
    /// The file describes another business.
    #[error("invalid file: it describes `{file}`; expected the business `{stored}`")]
    OtherBusiness {
        /// The slug of the file.
        file: String,
        /// The slug that is stored.
        stored: String,
    },
    /// No such version is stored.
    #[error("unknown version `{name}`; expected a version of {expected} that `balcao business versions` lists")]
    UnknownVersion {
        /// As given.
        name: VersionName,
        /// What it should be a version of.
        expected: VersionKind,
    },
    /// The hash names another plan than the one that would be made now.
    #[error("invalid hash: this plan is not what the file changes now; look at the plan as it is now")]
    Moved {
        /// What the file would change now.
        now: Box<BusinessPlan>,
    },
    /// A change is impossible as things stand.
    #[error("{}", .reasons.join("; "))]
    Impossible {
        /// One reason for each such change, with a way out.
        reasons: Vec<String>,
    },
    /// The edit does not fit the business.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The business would be invalid after the edit.
    #[error("{place}: {}", problems_text(.problems))]
    Invalid {
        /// The edited entry.
        place: String,
        /// What would be wrong with it.
        problems: Vec<Problem>,
    },
}

fn problems_text(problems: &[Problem]) -> String {
    let word = |problem: &Problem| match &problem.suggestion {
        Some(right) => format!("{}; {right}", problem.message),
        None => problem.message.clone(),
    };
    problems.iter().map(word).collect::<Vec<_>>().join("; ")
}

/// Which versions a document is written from; the stored state where none is named.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExportVersions {
    /// Of everything but knowledge.
    pub business: Option<VersionName>,
    /// Of knowledge.
    pub knowledge: Option<VersionName>,
}

/// Who changes a business, for the audit log: `operator`, or a person of staff or a key by name.
pub type Actor = String;

/// Plans, applies and exports.
#[derive(Debug, Clone)]
pub struct Business {
    app: AppContext,
}

impl Business {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// The business as a document of the form of a business file, with its format and without contacts.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn export(&self, organization: OrganizationId) -> Result<Value, UseCaseError> {
        self.app.look(move |tx, _now| Ok(document::with_format(stored_document(tx, organization)?))).await
    }

    /// The document with business or knowledge as they were in earlier versions. Tags stay all, because contacts may carry them.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`BusinessRefusal::UnknownVersion`].
    pub async fn export_as_of(
        &self,
        organization: OrganizationId,
        versions: &ExportVersions,
    ) -> Result<Result<Value, BusinessRefusal>, UseCaseError> {
        let ExportVersions { business, knowledge } = *versions;
        self.app
            .look(move |tx, _now| {
                let mut document = stored_document(tx, organization)?;
                for (name, kind) in [(business, VersionKind::Business), (knowledge, VersionKind::Knowledge)] {
                    let Some(name) = name else { continue };
                    let found = if name.kind == kind { version::find(tx, organization, name)? } else { None };
                    let content = found.and_then(|(_, content)| serde_json::from_str::<Value>(&content).ok());
                    let Some(content) = content else {
                        return Ok(Err(BusinessRefusal::UnknownVersion { name, expected: kind }));
                    };
                    document = versions::with_version(document, kind, content);
                }
                Ok(Ok(document::with_format(document)))
            })
            .await
    }

    /// What was changed of an entry, by its name as a plan prints it, the oldest first: the rows of the audit log.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn history(&self, organization: OrganizationId, name: String) -> Result<Vec<AuditEntry>, UseCaseError> {
        self.app.look(move |tx, _now| Ok(audit::of_subject(tx, organization, &name)?)).await
    }

    /// What is valid and probably unintended in the stored business: [`BusinessFile::warnings`].
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn warnings(&self, organization: OrganizationId) -> Result<Vec<String>, UseCaseError> {
        self.app.look(move |tx, _now| Ok(load::load(tx, organization)?.warnings())).await
    }

    /// What a file would change.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`BusinessRefusal::OtherBusiness`].
    pub async fn plan(
        &self,
        organization: OrganizationId,
        wanted: BusinessFile,
    ) -> Result<Result<BusinessPlan, BusinessRefusal>, UseCaseError> {
        self.app.look(move |tx, now| plan_for(tx, organization, &wanted, now)).await
    }

    /// What a single edit would change.
    ///
    /// # Errors
    /// As [`Self::plan`]; inside, also [`BusinessRefusal::Edit`] and [`BusinessRefusal::Invalid`].
    pub async fn plan_edit(
        &self,
        organization: OrganizationId,
        edit: Edit,
    ) -> Result<Result<(BusinessFile, BusinessPlan), BusinessRefusal>, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let wanted = match edited(tx, organization, &edit)? {
                    Ok(wanted) => wanted,
                    Err(refusal) => return Ok(Err(refusal)),
                };
                Ok(plan_for(tx, organization, &wanted, now)?.map(|plan| (wanted, plan)))
            })
            .await
    }

    /// The name in the audit log of who changes the business.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why they may not.
    pub async fn name_editor(
        &self,
        organization: OrganizationId,
        by: staff_email::Actor,
    ) -> Result<Result<Actor, EditorRefusal>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let people = staff::list(tx, organization)?;
                let author = granted!(by.identify(&people).map_err(EditorRefusal::from));
                if let staff_email::Actor::Staff(email) = &by
                    && !granted!(by_email(&people, email).map_err(EditorRefusal::from)).role.changes_business()
                {
                    return Ok(Err(EditorRefusal::NotAllowed { email: email.clone() }));
                }
                Ok(Ok(author.name().to_owned()))
            })
            .await
    }

    /// Makes the plan that a hash names.
    ///
    /// A plan that was made before and leaves nothing to do is made again at once: applying a file twice changes nothing the second time.
    /// Any other hash is refused, even if nothing is left to do.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why nothing was changed.
    pub async fn apply(
        &self,
        organization: OrganizationId,
        wanted: BusinessFile,
        hash: String,
        actor: Actor,
    ) -> Result<Result<BusinessPlan, BusinessRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            organization::lock(tx, organization)?;
            let plan = match plan_for(tx, organization, &wanted, now)? {
                Ok(plan) => plan,
                Err(refusal) => return Ok(Err(refusal)),
            };
            if plan.hash != hash && !is_on(Bug::PlanNotCompared) {
                let is_repeated = plan.changes.is_empty() && is_made(tx, organization, &hash)?;
                return Ok(if is_repeated { Ok(plan) } else { Err(BusinessRefusal::Moved { now: Box::new(plan) }) });
            }
            if plan.changes.is_empty() {
                return Ok(Ok(plan));
            }
            let reasons: Vec<String> = plan.changes.iter().filter_map(|change| change.impossible.clone()).collect();
            if !reasons.is_empty() {
                return Ok(Err(BusinessRefusal::Impossible { reasons }));
            }
            // The state before the first change is a version, too.
            record_version(tx, organization, &actor, now)?;
            apply::apply(tx, organization, &wanted, &plan, &actor, now)?;
            ways_out::forget_ended(tx, organization, now)?;
            record_version(tx, organization, &actor, now)?;
            let after = serde_json::json!({ "changes": plan.changes.len() }).to_string();
            let (action, subject) = (MADE.to_owned(), plan.hash.clone());
            audit::append(
                tx,
                organization,
                &AuditEntry { at: now, actor, action, subject, before: None, after: Some(after) },
            )?;
            Ok(Ok(plan))
        };
        match self.app.store.write(work).await {
            Err(UseCaseError::Store(error)) if error.class() == StoreErrorClass::Constraint => {
                let reason = "invalid change: two entries would share what only one may have, such as the `code` of a \
                              professional; change one of them first";
                Ok(Err(BusinessRefusal::Impossible { reasons: vec![reason.to_owned()] }))
            }
            made => made,
        }
    }
}

/// The act in the audit log that names a plan, by its hash, after it was made.
const MADE: &str = "business.apply";

/// Whether a plan of this hash was made before.
fn is_made(tx: &mut Tx<'_>, organization: OrganizationId, hash: &str) -> Result<bool, UseCaseError> {
    Ok(audit::of_subject(tx, organization, hash)?.iter().any(|entry| entry.action == MADE))
}

/// The stored business as a document of the form of a business file, without contacts.
fn stored_document(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Value, UseCaseError> {
    Ok(document::of_file(&load::load(tx, organization)?))
}

/// Records the stored business where it differs from its last version. The caller holds the organization's lock.
pub(crate) fn record_version(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    author: &str,
    now: jiff::Timestamp,
) -> Result<RecordedVersions, UseCaseError> {
    let document = stored_document(tx, organization)?;
    let stated = document::stated(&document);
    versions::record_business(tx, organization, document, &stated, author, now)
}

fn edited(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    edit: &Edit,
) -> Result<Result<BusinessFile, BusinessRefusal>, UseCaseError> {
    let mut document = stored_document(tx, organization)?;
    if let Err(error) = edit::apply(&mut document, edit) {
        return Ok(Err(error.into()));
    }
    // JSON is YAML, too: the one reader of business files checks what comes of the edit.
    let read = BusinessFile::read("edit", &document.to_string());
    Ok(read.map_err(|problems| BusinessRefusal::Invalid { place: edit.place(), problems }))
}

fn plan_for(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    wanted: &BusinessFile,
    now: jiff::Timestamp,
) -> Result<Result<BusinessPlan, BusinessRefusal>, UseCaseError> {
    let stored = load::load(tx, organization)?;
    if stored.slug() != wanted.slug() {
        let (file, stored) = (wanted.slug().to_owned(), stored.slug().to_owned());
        return Ok(Err(BusinessRefusal::OtherBusiness { file, stored }));
    }
    let (before, mut after) = (document::records(&stored), document::records(wanted));
    document::pair_knowledge(&before, &mut after);
    document::pair_staff(&before, &mut after);
    let mut changes = plan::changes(&before, &after);
    hits::find(tx, organization, &stored, wanted, &mut changes, now)?;
    let mut plan = BusinessPlan::new(stored.slug(), changes, 0);
    let mut made = 0;
    // What was made, and then changed back, is another plan: its old hash makes nothing again.
    while !plan.changes.is_empty() && is_made(tx, organization, &plan.hash)? {
        made += 1;
        plan = BusinessPlan::new(stored.slug(), plan.changes, made);
    }
    plan.warnings = wanted.warnings();
    Ok(Ok(plan))
}
