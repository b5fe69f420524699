//! Fetches the files that customers send, and has their sound written down.
//!
//! A file's row is written with its message ([`crate::messaging::inbox`]), and the message's turn waits for it a while. Here the row is
//! claimed, the bytes are fetched from the channel, held against what was said of them, and kept; sound goes to a
//! transcriber. The transaction that ends the waiting also rewords the message, if no turn has taken it yet, and makes it due.
//! Every step may be repeated: a crash costs another download, no more. The declared type of a file and the words heard in it are claims
//! of its sender, not facts.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use balcao_channel::channels::web::KIND as WEB_CHAT;
use balcao_channel::inbound::{Media, MediaKind};
use balcao_channel::{Channel, DownloadLimits, Downloaded, MediaError, SendClass, file};
use balcao_domain::attachment::{AttachmentState, MAX_ATTEMPTS, try_again};
use balcao_domain::burst::BurstRules;
use balcao_llm::transcribe::{Speech, Transcriber};
use balcao_store::messaging::attachment::{self, Attachment, Fetched};
use balcao_store::{Tx, crm::organization, messaging::inbox};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::{self, FileBudgets, Full, StrangerBudgets, Whose};
use crate::context::hash::sha256_hex;
use crate::context::metrics;
use crate::messaging::inbox::{message_text, schedule_turn};

/// How files are fetched.
#[derive(Debug, Clone, Copy)]
pub struct AttachmentSettings {
    /// What is taken.
    pub limits: DownloadLimits,
    /// How long one attempt may take, transcription included.
    pub within: Duration,
    /// Files that are fetched at the same time.
    pub at_once: u32,
    /// How often the fetcher reads the database if no wake-up arrives.
    pub poll: Duration,
    /// When a burst is answered.
    pub burst: BurstRules,
    /// The longest sound that is written down.
    pub longest_sound: Duration,
    /// What files may take.
    pub budgets: FileBudgets,
    /// What strangers may cost, sound that is transcribed for them included.
    pub strangers: StrangerBudgets,
    /// Millionths of a US dollar for a minute of sound, if the price of the transcription is known.
    pub transcription_micro_usd_minute: Option<u64>,
}

impl Default for AttachmentSettings {
    fn default() -> Self {
        Self {
            limits: DownloadLimits::default(),
            within: Duration::from_secs(60),
            at_once: 4,
            poll: Duration::from_secs(1),
            burst: BurstRules::default(),
            longest_sound: Duration::from_mins(5),
            budgets: FileBudgets::default(),
            strangers: StrangerBudgets::default(),
            transcription_micro_usd_minute: None,
        }
    }
}

/// Fetches files.
#[derive(Debug)]
pub struct Attachments {
    app: AppContext,
    channels: BTreeMap<(String, String), Arc<dyn Channel>>,
    transcriber: Option<Arc<dyn Transcriber>>,
    settings: AttachmentSettings,
    /// Told when there is something to fetch.
    wake: Arc<Notify>,
    /// Tells that a turn waits for nothing more.
    turn_due: Arc<Notify>,
}

/// What an attempt came to.
enum Attempt {
    /// The file is here, or was before; what is said in it, if it is sound that was written down.
    Read { file: Option<Downloaded>, spoken: Option<String> },
    /// The file is here, but its sound is not written down; it may be tried again.
    Kept { file: Option<Downloaded>, failure: String, after: Option<Duration> },
    /// It may be tried again.
    Again { failure: String, after: Option<Duration> },
    /// The disk lacks room for the file. The attempt does not count.
    NoRoom,
    /// It never will be read. What is here of it is kept for staff.
    Unreadable { file: Option<Downloaded>, failure: String },
}

impl Attachments {
    /// Creates a fetcher over these channels. It looks for work at once when `wake` fires, and it fires `turn_due` when a turn need not wait
    /// longer. Without a transcriber sound is kept and not heard.
    #[must_use]
    pub fn new(
        app: AppContext,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        transcriber: Option<Arc<dyn Transcriber>>,
        settings: AttachmentSettings,
        wake: Arc<Notify>,
        turn_due: Arc<Notify>,
    ) -> Self {
        let named = |one: Arc<dyn Channel>| ((one.kind().to_owned(), one.account().as_str().to_owned()), one);
        Self { app, channels: channels.into_iter().map(named).collect(), transcriber, settings, wake, turn_due }
    }

    /// Fetches until `stop` is cancelled; the next start repeats the downloads in progress.
    pub async fn run(&self, stop: CancellationToken) {
        let mut fetching = FuturesUnordered::new();
        let mut is_suspect_in_hand = false;
        while !stop.is_cancelled() {
            // Were another file in hand beside a suspect, a crash would blame both.
            let claimed = if is_suspect_in_hand && !fetching.is_empty() {
                Ok(Vec::new())
            } else {
                self.claim(fetching.len()).await
            };
            match claimed {
                Ok(claimed) if !claimed.is_empty() => {
                    is_suspect_in_hand = claimed.iter().any(|one| one.deaths > 0);
                    fetching.extend(claimed.into_iter().map(|one| self.work(one)));
                    continue;
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "files that are to be fetched cannot be read"),
            }
            tokio::select! {
                // In order: two runs of the simulator's seed are equal.
                biased;
                () = stop.cancelled() => {}
                Some(()) = fetching.next() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(self.settings.poll) => {}
            }
        }
    }

    /// Fetches what can be fetched now, until nothing is left; gives how many attempts that were.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut attempts = 0;
        loop {
            let claimed = self.claim(0).await?;
            if claimed.is_empty() {
                return Ok(attempts);
            }
            attempts += claimed.len();
            futures::future::join_all(claimed.into_iter().map(|one| self.work(one))).await;
        }
    }

    async fn claim(&self, busy: usize) -> Result<Vec<Attachment>, UseCaseError> {
        let now = self.app.clock.now();
        // An attempt ends itself before this instant, so a claim that is still open then belongs to a crashed process.
        let until = later(now, self.settings.within.saturating_mul(2));
        let limit = self.settings.at_once.saturating_sub(u32::try_from(busy).unwrap_or(u32::MAX));
        let work = move |tx: &mut Tx<'_>| {
            if busy > 0 && attachment::is_suspect_due(tx, now)? {
                return Ok(Vec::new());
            }
            Ok(attachment::claim(tx, now, until, limit)?)
        };
        self.app.store.write(work).await
    }

    async fn work(&self, claimed: Attachment) {
        let id = claimed.id;
        let attempt = if claimed.deaths >= MOST_DEATHS || claimed.attempts > MAX_ATTEMPTS {
            // The file may crash the process, or no earlier attempt recorded an outcome.
            Attempt::Unreadable { file: None, failure: "no attempt to read it came to an end".to_owned() }
        } else {
            let attempt = AssertUnwindSafe(self.attempt(&claimed)).catch_unwind();
            match tokio::time::timeout(self.settings.within, attempt).await {
                Ok(Ok(attempt)) => attempt,
                // The next attempt would break on the same bytes.
                Ok(Err(_panic)) => Attempt::Unreadable { file: None, failure: BROKE.to_owned() },
                Err(_elapsed) => Attempt::Again { failure: "it took too long".to_owned(), after: None },
            }
        };
        match self.record(claimed, attempt).await {
            Ok(()) => self.turn_due.notify_one(),
            Err(error) => tracing::error!(attachment = %id, %error, "what came of fetching a file cannot be recorded"),
        }
    }

    async fn attempt(&self, claimed: &Attachment) -> Attempt {
        let unreadable = |failure: String| Attempt::Unreadable { file: None, failure };
        let Ok(media) = serde_json::from_str::<Media>(&claimed.media) else {
            return unreadable("its row cannot be read".to_owned());
        };
        let (mime, fetched) = match self.bytes(claimed, &media).await {
            Ok(Have::Before(file)) => (file, None),
            Ok(Have::Now(file)) => (file.clone(), Some(file)),
            Err(failed) => return failed,
        };
        if media.media != MediaKind::Audio {
            return Attempt::Read { file: fetched, spoken: None };
        }
        let Some(transcriber) = &self.transcriber else { return Attempt::Read { file: fetched, spoken: None } };
        if file::length(&mime.mime, &mime.bytes).is_some_and(|length| length > self.settings.longest_sound) {
            let failure = format!("it is longer than {} s", self.settings.longest_sound.as_secs());
            return Attempt::Unreadable { file: fetched, failure };
        }
        match self.may_transcribe(claimed, &mime).await {
            Ok(true) => {}
            Ok(false) => return Attempt::Unreadable { file: fetched, failure: STRANGERS_SPENT.to_owned() },
            Err(error) => return Attempt::Kept { file: fetched, failure: error.to_string(), after: None },
        }
        match transcriber.transcribe(Speech { mime: &mime.mime, bytes: &mime.bytes }).await {
            Ok(spoken) if spoken.trim().is_empty() => {
                Attempt::Unreadable { file: fetched, failure: "nothing is said in it".to_owned() }
            }
            Ok(spoken) => Attempt::Read { file: fetched, spoken: Some(spoken) },
            Err(error) if error.kind.retryable() => {
                Attempt::Kept { file: fetched, failure: error.to_string(), after: error.retry_after }
            }
            Err(error) => Attempt::Unreadable { file: fetched, failure: error.to_string() },
        }
    }

    /// Whether a service may transcribe this sound. For a stranger of the web chat its cost is counted first, and strictly: a service
    /// charges for the attempt, and what a file says of its own length may be a lie.
    async fn may_transcribe(&self, claimed: &Attachment, sound: &Downloaded) -> Result<bool, UseCaseError> {
        if claimed.channel != WEB_CHAT {
            return Ok(true);
        }
        let said = file::length(&sound.mime, &sound.bytes).map_or(0, |length| length.as_secs());
        let at_least = u64::try_from(sound.bytes.len() / LEAST_BYTES_A_SECOND).unwrap_or(u64::MAX);
        let seconds = said.max(at_least).max(1);
        let price = self.settings.transcription_micro_usd_minute.unwrap_or(0);
        let natural = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let cost = natural(seconds.saturating_mul(price).div_ceil(60));
        let tokens = natural(seconds.saturating_mul(TOKENS_A_SECOND));
        let (organization, conversation, budgets) =
            (claimed.organization, claimed.conversation, self.settings.strangers);
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            budgets::spend_if_left(tx, organization, conversation, &budgets, (tokens, cost), now)
        };
        self.app.store.write(work).await
    }

    /// The bytes: from an earlier attempt, else from the channel.
    async fn bytes(&self, claimed: &Attachment, media: &Media) -> Result<Have, Attempt> {
        let again = |failure: String| Attempt::Again { failure, after: None };
        let unreadable = |failure: String| Attempt::Unreadable { file: None, failure };
        if claimed.mime.is_some() {
            let (organization, id) = (claimed.organization, claimed.id);
            let kept = self.app.look(move |tx, _now| Ok(attachment::bytes(tx, organization, id)?)).await;
            let kept = kept.map_err(|error| again(error.to_string()))?;
            if let Some((mime, bytes)) = kept {
                return Ok(Have::Before(Downloaded { mime, bytes }));
            }
        }
        let Some(channel) = self.channels.get(&(claimed.channel.clone(), claimed.account.clone())) else {
            return Err(again("this program has no such account".to_owned()));
        };
        if !budgets::has_room(&self.app, &self.settings.budgets) {
            metrics::file_refused(&Full::Disk);
            return Err(Attempt::NoRoom);
        }
        let limits = self.settings.limits;
        let fetched = channel.fetch(media, limits).await;
        match fetched.and_then(|file| file::inspect(media.media, file, limits)) {
            Ok(file) => Ok(Have::Now(file)),
            Err(error) => Err(match class(&error) {
                Some(after) => Attempt::Again { failure: error.to_string(), after },
                None => unreadable(error.to_string()),
            }),
        }
    }

    async fn record(&self, claimed: Attachment, attempt: Attempt) -> Result<(), UseCaseError> {
        let now = self.app.clock.now();
        let AttachmentSettings { burst, budgets, .. } = self.settings;
        self.app.store.write(move |tx| record(tx, &claimed, attempt, burst, &budgets, now)).await
    }
}

/// What staff read of a file that waits for room on the disk, and how long it waits before the next look.
const NO_ROOM: &str = "there is too little room on the disk; it is fetched once there is more";
const UNTIL_ROOM: Duration = Duration::from_mins(1);
/// What staff read of a stranger's sound once strangers have used up their daily budget.
const STRANGERS_SPENT: &str = "strangers of the web chat have used up what they may cost today";
/// Tokens of a second of sound. OpenAI counts one for each 100 ms.
const TOKENS_A_SECOND: u64 = 10;
/// The fewest bytes that a second of speech takes: 6 kbit/s, the lowest rate of Opus (RFC 6716, section 2).
const LEAST_BYTES_A_SECOND: usize = 750;
/// So many attempts in a row that the program did not live to end are enough.
const MOST_DEATHS: u32 = 3;
/// What staff read of a file whose reading panicked.
const BROKE: &str = "the program broke while it was read; its log says why";

enum Have {
    Before(Downloaded),
    Now(Downloaded),
}

/// Whether a file may be asked for again, and after how long at least.
const fn class(error: &MediaError) -> Option<Option<Duration>> {
    match error.class() {
        SendClass::Retry { after } => Some(after),
        // A person has to correct the account; the channel keeps the file for days.
        SendClass::Misconfigured | SendClass::Unknown | SendClass::TooFast { .. } => Some(None),
        SendClass::GiveUp { .. } | SendClass::OutsideWindow => None,
    }
}

/// The attempt, if its contact may have sent so much in a day; else the file is not kept, and staff read why.
fn within(
    tx: &mut Tx<'_>,
    claimed: &Attachment,
    attempt: Attempt,
    budgets: &FileBudgets,
    now: Timestamp,
) -> Result<Attempt, UseCaseError> {
    let (Attempt::Read { file: Some(file), .. }
    | Attempt::Kept { file: Some(file), .. }
    | Attempt::Unreadable { file: Some(file), .. }) = &attempt
    else {
        return Ok(attempt);
    };
    let whose = Whose::Contact(claimed.conversation);
    Ok(match budgets::take_file(tx, claimed.organization, budgets, &whose, file.bytes.len(), now)? {
        Ok(()) => attempt,
        Err(full) => {
            metrics::file_refused(&full);
            let mib = budgets.contact_day / (1024 * 1024);
            let failure = format!("its contact has sent {mib} MiB of files today, the most that is kept");
            Attempt::Unreadable { file: None, failure }
        }
    })
}

fn record(
    tx: &mut Tx<'_>,
    claimed: &Attachment,
    attempt: Attempt,
    burst: BurstRules,
    budgets: &FileBudgets,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let attempt = within(tx, claimed, attempt, budgets, now)?;
    let keep = |tx: &mut Tx<'_>, file: Option<Downloaded>| match file {
        None => Ok(true),
        Some(file) => {
            let sha256 = sha256_hex(&file.bytes);
            attachment::store_bytes(
                tx,
                claimed,
                &Fetched { mime: &file.mime, sha256: &sha256, bytes: &file.bytes },
                now,
            )
        }
    };
    let (state, spoken, failure) = match attempt {
        Attempt::Read { file, spoken } => {
            keep(tx, file)?;
            (AttachmentState::Stored, spoken, None)
        }
        Attempt::Unreadable { file, failure } => {
            keep(tx, file)?;
            (AttachmentState::Unreadable, None, Some(failure))
        }
        Attempt::Kept { file, failure, after } => {
            keep(tx, file)?;
            if let Some(at) = try_again(claimed.attempts, after, now) {
                attachment::postpone(tx, claimed, at, &failure, now)?;
                return Ok(());
            }
            (AttachmentState::Unreadable, None, Some(failure))
        }
        Attempt::NoRoom => {
            attachment::excuse(tx, claimed, later(now, UNTIL_ROOM), NO_ROOM, now)?;
            return Ok(());
        }
        Attempt::Again { failure, after } => {
            if let Some(at) = try_again(claimed.attempts, after, now) {
                attachment::postpone(tx, claimed, at, &failure, now)?;
                return Ok(());
            }
            (AttachmentState::Unreadable, None, Some(failure))
        }
    };
    if !attachment::finish(tx, claimed, state, spoken.as_deref(), failure.as_deref(), now)? {
        return Ok(());
    }
    if let Some(failure) = &failure {
        tracing::warn!(attachment = %claimed.id, failure, "a customer's file could not be read");
    }
    let locale = organization::get(tx, claimed.organization)?.locale;
    let reads = serde_json::from_str::<Media>(&claimed.media).ok().and_then(|media| match (&spoken, state) {
        (Some(spoken), _) => Some(message_text::transcribed(&media, spoken, &locale)),
        (None, AttachmentState::Unreadable) => Some(message_text::unreadable(&media, &locale)),
        (None, AttachmentState::Stored | AttachmentState::Waiting | AttachmentState::Expired) => None,
    });
    if let (Some(reads), Some(inbox)) = (reads, claimed.inbox) {
        let earlier = inbox::get(tx, claimed.organization, inbox)?.text;
        inbox::reword(tx, claimed.organization, inbox, &message_text::reworded(&earlier, reads, &locale))?;
    }
    schedule_turn(tx, claimed.organization, claimed.conversation, burst)
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}
