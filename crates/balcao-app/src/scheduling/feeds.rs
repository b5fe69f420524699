//! A professional's agenda for external calendar programs: under an address that an attacker cannot guess, or as a file. Read-only.
//!
//! The address holds a token of 32 random bytes. It is shown once, when it is made. Only its SHA-256 is stored, and the store finds the
//! feed by that. A hash of so many random bytes reveals nothing, so the comparison needs no constant time. A reader with the address
//! sees what the owner chose for it ([`Detail`]), by default no data of customers.

use balcao_domain::Locale;
use balcao_domain::{FeedId, OrganizationId, ProfessionalId, Span};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::agenda_feed::{self, Entry};
use balcao_store::{Tx, crm::organization, scheduling::catalog};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::hash::sha256_hex;
use crate::context::names::{NameRefusal, find};
use crate::icalendar::{self, EventText};

/// So far back and ahead a feed goes.
const BACK: SignedDuration = SignedDuration::from_hours(30 * 24);
const AHEAD: SignedDuration = SignedDuration::from_hours(366 * 24);
/// Most appointments of one feed.
const MOST: u32 = 5_000;
/// A token's length in characters: 32 bytes in base64.
const TOKEN_CHARS: usize = 43;

/// How much a feed tells of each appointment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// That the time is taken.
    #[default]
    Busy,
    /// What is booked.
    Service,
    /// What is booked, and the first name of the person who comes.
    FirstName,
}

impl Detail {
    /// Every detail.
    pub const ALL: [Self; 3] = [Self::Busy, Self::Service, Self::FirstName];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Service => "service",
            Self::FirstName => "first_name",
        }
    }

    /// The detail of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|detail| detail.as_str() == word)
    }
}

/// An address as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedView {
    /// Its id.
    pub id: FeedId,
    /// Whose agenda.
    pub professional: String,
    /// How much the feed shows.
    pub detail: Detail,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// An address that was just made.
#[derive(Debug, Clone)]
pub struct MadeFeed {
    /// The path on the server: shown now, and never again.
    pub path: SecretString,
    /// How it is listed.
    pub view: FeedView,
}

/// Why an address was not made or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedRefusal {
    /// No professional, or several, have that name.
    #[error("{}", name_refusal_text(.0))]
    Professional(NameRefusal),
    /// The feed does not exist, or it was revoked before.
    #[error("unknown or revoked feed {id}; `balcao agenda list` shows every open feed")]
    NotFound {
        /// The id.
        id: FeedId,
    },
}

fn name_refusal_text(refusal: &NameRefusal) -> String {
    match refusal {
        NameRefusal::NotFound { query, known, .. } => {
            format!("unknown professional `{query}`; expected one of: {}", known.join(", "))
        }
        NameRefusal::Ambiguous { query, candidates } => {
            format!("`{query}` could be {}; write the whole name", candidates.join(" or "))
        }
    }
}

/// Makes addresses of agendas, and answers at them.
#[derive(Debug, Clone)]
pub struct Feeds {
    app: AppContext,
}

impl Feeds {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Makes an address for a professional's agenda, of 32 random bytes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn make(
        &self,
        organization: OrganizationId,
        professional: String,
        detail: Detail,
        random: [u8; 32],
    ) -> Result<Result<MadeFeed, FeedRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            let (whose, name) = match named(tx, organization, &professional)? {
                Ok(found) => found,
                Err(refusal) => return Ok(Err(FeedRefusal::Professional(refusal))),
            };
            Ok::<_, UseCaseError>(Ok(insert(tx, organization, whose, name, detail, random, now)?))
        };
        self.app.store.write(work).await
    }

    /// Puts a new address in the place of one, which is open no more.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn renew(
        &self,
        organization: OrganizationId,
        id: FeedId,
        random: [u8; 32],
    ) -> Result<Result<MadeFeed, FeedRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            let known = agenda_feed::list(tx, organization)?.into_iter().find(|feed| feed.id == id);
            let Some(known) = known.filter(|feed| feed.revoked_at.is_none()) else {
                return Ok(Err(FeedRefusal::NotFound { id }));
            };
            end(tx, organization, id, now)?;
            let name = catalog::professional_names(tx, organization)?.remove(&known.professional).unwrap_or_default();
            let detail = Detail::from_word(&known.detail).unwrap_or_default();
            Ok::<_, UseCaseError>(Ok(insert(tx, organization, known.professional, name, detail, random, now)?))
        };
        self.app.store.write(work).await
    }

    /// Ends an address, at once and for ever.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn revoke(
        &self,
        organization: OrganizationId,
        id: FeedId,
    ) -> Result<Result<(), FeedRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            Ok::<_, UseCaseError>(if end(tx, organization, id, now)? {
                Ok(())
            } else {
                Err(FeedRefusal::NotFound { id })
            })
        };
        self.app.store.write(work).await
    }

    /// Every address, revoked ones included.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedView>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let names = catalog::professional_names(tx, organization)?;
                let view = |feed: agenda_feed::Feed| FeedView {
                    id: feed.id,
                    professional: names.get(&feed.professional).cloned().unwrap_or_default(),
                    detail: Detail::from_word(&feed.detail).unwrap_or_default(),
                    created_at: feed.created_at,
                    revoked_at: feed.revoked_at,
                };
                Ok(agenda_feed::list(tx, organization)?.into_iter().map(view).collect())
            })
            .await
    }

    /// What is read at the address of a token; `None` for one that opens nothing.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn read(&self, token: &str) -> Result<Option<String>, UseCaseError> {
        if token.len() != TOKEN_CHARS {
            return Ok(None);
        }
        let hash = sha256_hex(token);
        self.app
            .look(move |tx, now| {
                let Some(feed) = agenda_feed::find_by_hash(tx, &hash)? else { return Ok(None) };
                let detail = Detail::from_word(&feed.detail).unwrap_or_default();
                render(tx, feed.organization, feed.professional, detail, now).map(Some)
            })
            .await
    }

    /// A professional's agenda as a file.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn export(
        &self,
        organization: OrganizationId,
        professional: String,
        detail: Detail,
    ) -> Result<Result<String, FeedRefusal>, UseCaseError> {
        self.app
            .look(move |tx, now| {
                Ok(match named(tx, organization, &professional)? {
                    Ok((whose, _)) => Ok(render(tx, organization, whose, detail, now)?),
                    Err(refusal) => Err(FeedRefusal::Professional(refusal)),
                })
            })
            .await
    }
}

fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    whose: ProfessionalId,
    name: String,
    detail: Detail,
    random: [u8; 32],
    now: Timestamp,
) -> Result<MadeFeed, UseCaseError> {
    let token = URL_SAFE_NO_PAD.encode(random);
    let id = agenda_feed::insert(tx, organization, whose, &sha256_hex(&token), detail.as_str(), now)?;
    audit::append(tx, organization, &AuditEntry::by_operator("agenda_feed.create", id, now))?;
    let view = FeedView { id, professional: name, detail, created_at: now, revoked_at: None };
    Ok(MadeFeed { path: SecretString::from(format!("/agenda/{token}.ics")), view })
}

fn end(tx: &mut Tx<'_>, organization: OrganizationId, id: FeedId, now: Timestamp) -> Result<bool, UseCaseError> {
    let ended = agenda_feed::revoke(tx, organization, id, now)?;
    if ended {
        audit::append(tx, organization, &AuditEntry::by_operator("agenda_feed.revoke", id, now))?;
    }
    Ok(ended)
}

fn named(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    query: &str,
) -> Result<Result<(ProfessionalId, String), NameRefusal>, UseCaseError> {
    let names = catalog::professional_names(tx, organization)?;
    let none: [String; 0] = [];
    let missing = || NameRefusal::NotFound { query: query.to_owned(), nearest: None, known: Vec::new() };
    let found = find(query, names.values().map(|name| (name, none.as_slice())));
    let named = |index| names.iter().nth(index).map(|(id, name)| (*id, name.clone())).ok_or_else(missing);
    Ok(found.and_then(|found| named(found.index)))
}

fn render(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    professional: ProfessionalId,
    detail: Detail,
    now: Timestamp,
) -> Result<String, UseCaseError> {
    let organization = organization::get(tx, id)?;
    let name = catalog::professional_names(tx, id)?.remove(&professional).unwrap_or_default();
    let from = now.checked_sub(BACK).unwrap_or(Timestamp::MIN);
    let span = Span::new(from, now.checked_add(AHEAD).unwrap_or(Timestamp::MAX));
    let english = Locale::closest_to_tag(&organization.locale) == Locale::En;
    let shown = |entry: &Entry| EventText { summary: summary(entry, detail, english), ..EventText::default() };
    let entries = agenda_feed::entries(tx, id, professional, span, now, MOST)?;
    let entries: Vec<(Entry, EventText)> = entries.into_iter().map(|entry| (entry.clone(), shown(&entry))).collect();
    Ok(icalendar::agenda(&format!("{name} · {}", organization.name), &entries, &organization.slug, now))
}

fn summary(entry: &Entry, detail: Detail, english: bool) -> String {
    let busy = if english { "Busy" } else { "Ocupado" };
    let service = if entry.service.is_empty() { busy } else { &entry.service };
    match detail {
        Detail::Busy => busy.to_owned(),
        Detail::Service => service.to_owned(),
        Detail::FirstName => {
            let who = entry.attendee.as_ref().or(entry.contact.as_ref());
            match who.map_or("", |who| first_name(who)) {
                "" => service.to_owned(),
                first => format!("{service} · {first}"),
            }
        }
    }
}

/// The first name of "Bento Reis", and of "Bento, filho".
fn first_name(who: &str) -> &str {
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '(');
    who.trim_start().split(ends).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::first_name;

    #[test]
    fn a_first_name_ends_where_something_else_begins() {
        for who in ["Bento", "Bento Reis", "Bento, filho", " Bento (filho da Ana)", "Bento; Ana"] {
            assert_eq!(first_name(who), "Bento", "{who:?}");
        }
        assert_eq!((first_name(""), first_name(", filho")), ("", ""));
    }
}
