//! Push channels: the service says that a calendar changed, so that it is read at once and not at its next turn.
//!
//! A call only marks the calendar as due. It proves itself by a secret of which we keep the hash, and by what it watches; whatever does not
//! fit is unknown, and nothing more is said.

use balcao_domain::OrganizationId;
use balcao_store::Tx;
use balcao_store::scheduling::calendar_link::{self, StoredChannel};
use jiff::{SignedDuration, Timestamp};
use subtle::ConstantTimeEq;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::calendar_service::{PushChannel, PushRequest, ServiceError};
use crate::context::hash::sha256_hex;

/// A channel is renewed so long before its end.
const BEFORE_END: SignedDuration = SignedDuration::from_hours(24);
/// Bytes of a name in a call.
const MAX_NAME: usize = 256;

/// What a call of the service shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelCall {
    /// The id of the channel, which we chose.
    pub channel: String,
    /// The secret.
    pub token: String,
    /// What is watched, as the service names it.
    pub resource: String,
}

/// What a new channel is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewChannel<'a> {
    /// The public HTTPS address that the service calls.
    pub address: &'a str,
    /// Random bytes, from which its id and its secret follow.
    pub random: [u8; 32],
}

/// Opens push channels, and takes their calls.
#[derive(Debug, Clone)]
pub struct CalendarChannels {
    app: AppContext,
}

impl CalendarChannels {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Marks the calendar of a call as due; returns whether the call is one of an open channel of ours.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn accept(&self, call: ChannelCall) -> Result<bool, UseCaseError> {
        if [&call.channel, &call.token, &call.resource].iter().any(|name| name.is_empty() || name.len() > MAX_NAME) {
            return Ok(false);
        }
        let channel = call.channel.clone();
        let look = move |tx: &mut Tx<'_>, _now| Ok(calendar_link::find_by_channel(tx, &channel)?);
        let Some(watched) = self.app.look(look).await? else { return Ok(false) };
        let is_secret = sha256_hex(&call.token).as_bytes().ct_eq(watched.channel.hash.as_bytes());
        let is_resource = call.resource.as_bytes().ct_eq(watched.channel.resource.as_bytes());
        if !bool::from(is_secret & is_resource) {
            return Ok(false);
        }
        let now = self.app.clock.now();
        let mark = move |tx: &mut Tx<'_>| calendar_link::set_due(tx, watched.organization, &watched.calendar, now);
        let marked: Result<bool, balcao_store::StoreError> = self.app.store.write(mark).await;
        Ok(marked?)
    }

    /// The calendars whose channel ends within a day, or that have none.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list_ending(&self, id: OrganizationId) -> Result<Vec<String>, UseCaseError> {
        let look = move |tx: &mut Tx<'_>, now: Timestamp| {
            let soon = now.checked_add(BEFORE_END).unwrap_or(now);
            let all = calendar_link::list_calendars(tx, id)?.into_iter();
            let ending = all.filter(|one| one.channel_ends_at.is_none_or(|ends_at| ends_at <= soon));
            Ok(ending.map(|one| one.calendar).collect())
        };
        self.app.look(look).await
    }

    /// Opens a channel for a calendar, and ends the one that it had. Both may call for a moment, which does no harm.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the service opened none.
    pub async fn renew(
        &self,
        id: OrganizationId,
        calendar: String,
        new: NewChannel<'_>,
    ) -> Result<Result<(), ServiceError>, UseCaseError> {
        let Some(service) = self.app.remote_calendar.clone() else { return Ok(Ok(())) };
        let hex = sha256_hex(new.random);
        // Half of the hash names the channel; the secret is another hash, so that the name tells nothing of it.
        let (name, token) = (hex.chars().take(32).collect::<String>(), sha256_hex(format!("secret {hex}")));
        let request = PushRequest { id: name, address: new.address.to_owned(), token: token.clone() };
        let opened = match service.watch(id, &calendar, &request).await {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        let stored = StoredChannel {
            id: opened.id,
            hash: sha256_hex(&token),
            resource: opened.resource,
            ends_at: opened.ends_at,
        };
        let replace = move |tx: &mut Tx<'_>| calendar_link::replace_channel(tx, id, &calendar, Some(&stored));
        let before: Result<Option<StoredChannel>, balcao_store::StoreError> = self.app.store.write(replace).await;
        if let Some(StoredChannel { id: name, resource, ends_at, .. }) = before? {
            // One that does not end now ends by itself.
            let _ended = service.stop(id, &PushChannel { id: name, resource, ends_at }).await;
        }
        Ok(Ok(()))
    }
}
