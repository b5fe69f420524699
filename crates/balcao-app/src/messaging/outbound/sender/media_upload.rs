//! A file of ours is given to the provider before the message that shows it is sent.
//!
//! Invariants: only the sender that still holds the claim after the upload sends the message. An upload shows the customer nothing, so
//! the sender simply repeats it. The next attempt does not repeat a finished upload.

use balcao_channel::outbound::{InlineFile, MediaSource};
use balcao_channel::{Channel, MediaDelivery, MediaError, Outbound, PaceLimit, SendClass};
use balcao_domain::AttachmentId;
use balcao_domain::outbox::AttemptOutcome;
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::{Tx, messaging::attachment};

use super::{Attempt, SEND_LEASE_EXPIRED, Sender, later};
use crate::context::app_context::UseCaseError;
use crate::messaging::files;

const SLOW: &str = "its file was not handed in within its time";
const NOT_HERE: &str = "its file is not here any more: it was deleted, as old files are";

/// What became of a message whose file is fetched from the database.
enum Fetched {
    File(InlineFile),
    /// Another process has the message.
    Lost,
    /// The file does not exist.
    Gone,
}

impl Sender {
    /// The message with its file where the channel wants it; at once if it has none, or customers read it from us.
    pub(super) async fn upload_media(
        &self,
        message: &Outbox,
        channel: &dyn Channel,
        body: Outbound,
    ) -> Result<Outbound, Attempt> {
        let Some(id) = body.kept().filter(|_| channel.capabilities().own_files != MediaDelivery::Link) else {
            return Ok(body);
        };
        let again = |failure: String| Attempt::failed(AttemptOutcome::Retry { after: None }, failure);
        let database = |error: UseCaseError| again(error.to_string());
        let file = match self.file_for(message, id).await.map_err(database)? {
            Fetched::File(file) => file,
            Fetched::Lost => return Err(again(SEND_LEASE_EXPIRED.to_owned())),
            Fetched::Gone => return Err(Attempt::failed(AttemptOutcome::Refused, NOT_HERE.to_owned())),
        };
        let source = match tokio::time::timeout(self.settings.file, channel.upload_media(file)).await {
            Ok(handed) => handed.map_err(|error| refused(&error))?,
            Err(_elapsed) => return Err(again(SLOW.to_owned())),
        };
        let is_there = matches!(source, MediaSource::Uploaded(_));
        let unfit = |error: balcao_channel::OutboundError| Attempt::failed(AttemptOutcome::Refused, error.to_string());
        let body = body.with_source(source).map_err(unfit)?;
        if self.keeps(message, is_there.then_some(&body)).await.map_err(database)? {
            Ok(body)
        } else {
            Err(again(SEND_LEASE_EXPIRED.to_owned()))
        }
    }

    /// The file, and the time to hand it in.
    async fn file_for(&self, message: &Outbox, id: AttachmentId) -> Result<Fetched, UseCaseError> {
        let until = later(later(self.app.clock.now(), self.settings.file), self.settings.lease);
        let message = message.clone();
        let work = move |tx: &mut Tx<'_>| {
            if !outbox::extend(tx, &message, until)? {
                return Ok(Fetched::Lost);
            }
            let found = attachment::find(tx, message.organization, id)?;
            let media = found.as_ref().and_then(files::media_of);
            let bytes = attachment::bytes(tx, message.organization, id)?;
            let Some(((found, media), (mime, bytes))) = found.as_ref().zip(media).zip(bytes) else {
                return Ok(Fetched::Gone);
            };
            let name = files::view(found).name;
            Ok(Fetched::File(InlineFile { kind: media.media, mime, name, bytes: bytes.into() }))
        };
        self.app.store.write(work).await
    }

    /// Whether the message is still this program's to send, with as much time as any message has; where its file is then is kept.
    async fn keeps(&self, message: &Outbox, body: Option<&Outbound>) -> Result<bool, UseCaseError> {
        let until = later(self.app.clock.now(), self.settings.lease);
        let (message, body) = (message.clone(), body.map(|body| serde_json::to_string(body).unwrap_or_default()));
        let work = move |tx: &mut Tx<'_>| {
            let kept = match &body {
                Some(body) => outbox::set_body(tx, &message, body)?,
                None => true,
            };
            Ok::<_, UseCaseError>(kept && outbox::extend(tx, &message, until)?)
        };
        self.app.store.write(work).await
    }
}

/// Nothing was shown to the customer: an unknown outcome is worth another attempt.
fn refused(error: &MediaError) -> Attempt {
    let outcome = match error.class() {
        SendClass::Retry { after } => AttemptOutcome::Retry { after },
        SendClass::TooFast { limit: PaceLimit::Account } => AttemptOutcome::TooFast,
        SendClass::TooFast { limit: PaceLimit::Customer } => AttemptOutcome::TooManyToOne,
        SendClass::Unknown => AttemptOutcome::Retry { after: None },
        SendClass::Misconfigured => AttemptOutcome::Misconfigured,
        SendClass::GiveUp { .. } | SendClass::OutsideWindow => AttemptOutcome::Refused,
    };
    Attempt::failed(outcome, format!("its file was not taken: {error}"))
}
