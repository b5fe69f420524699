//! Contacts, page by page, and those that a search finds.

use balcao_domain::contact::Contact;
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_language::normalize;
use balcao_store::{Tx, crm::contact};

use super::{ContactView, Contacts, info};
use crate::context::app_context::UseCaseError;

/// So many contacts are looked at for one page of a search; where it ended, the next page goes on.
const LOOKED_AT: u32 = 5_000;
/// So many are read at a time.
const BATCH: u32 = 500;

/// Some contacts, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactPage {
    /// In order of id.
    pub items: Vec<ContactView>,
    /// The contact that the next page begins behind; `None` on the last one.
    pub next: Option<ContactId>,
}

impl Contacts {
    /// A page of at most `limit` contacts, in order of id. With `search`, those whose name, preferred name or e-mail address
    /// holds every word of it, whatever the case and accents, or whose phone it is. Such a page may hold fewer, even none,
    /// and yet not be the last one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        organization: OrganizationId,
        search: Option<String>,
        after: Option<ContactId>,
        limit: u32,
    ) -> Result<ContactPage, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let (found, next) = match search.as_deref().map(str::trim).filter(|search| !search.is_empty()) {
                    None => all(tx, organization, after, limit)?,
                    Some(search) => match Phone::parse(search) {
                        Ok(phone) => (contact::find_by_phone(tx, organization, &phone)?.into_iter().collect(), None),
                        Err(_not_a_number) => searched(tx, organization, search, after, limit)?,
                    },
                };
                let items = found.into_iter().map(|one| info(tx, organization, one.id)).collect::<Result<_, _>>()?;
                Ok(ContactPage { items, next })
            })
            .await
    }

    /// A contact with tags and stages; `None` if the organization has none of this id.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn find(&self, organization: OrganizationId, id: ContactId) -> Result<Option<ContactView>, UseCaseError> {
        match self.info(organization, id).await {
            Ok(found) => Ok(Some(found)),
            Err(UseCaseError::NoContact { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

type Found = (Vec<Contact>, Option<ContactId>);

fn all(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    after: Option<ContactId>,
    limit: u32,
) -> Result<Found, UseCaseError> {
    let mut found = contact::list(tx, organization, after, limit.saturating_add(1))?;
    let next = crate::context::page::cut(&mut found, limit).map(|last| last.id);
    Ok((found, next))
}

fn searched(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    search: &str,
    mut after: Option<ContactId>,
    limit: u32,
) -> Result<Found, UseCaseError> {
    let folded = normalize(search);
    let words: Vec<&str> = folded.split_whitespace().collect();
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for _ in 0..LOOKED_AT / BATCH {
        let batch = contact::list(tx, organization, after, BATCH)?;
        let last_batch = batch.len() < usize::try_from(BATCH).unwrap_or(usize::MAX);
        for one in batch {
            if found.len() == wanted {
                return Ok((found, after));
            }
            after = Some(one.id);
            let texts = [&one.name, &one.preferred_name, &one.email].into_iter().flatten().map(|text| normalize(text));
            let text = texts.collect::<Vec<_>>().join(" ");
            if words.iter().all(|word| text.contains(word)) {
                found.push(one);
            }
        }
        if last_batch {
            return Ok((found, None));
        }
    }
    Ok((found, after))
}
