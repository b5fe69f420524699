//! Wiring: the only place that names every concrete type.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use balcao_agent::{Profile, profile::Degraded};
#[cfg(feature = "google-calendar")]
use balcao_app::context::calendar_service::CalendarService;
use balcao_app::{
    AppContext, admin::restore_guard, admin::seed::BusinessFile, context::notification_accounts::NotificationAccounts,
    conversations::Conversations, scheduling::ways_out::WaysOut, turns::TurnRunner,
};
use balcao_channel::channels::evolution;
use balcao_domain::{Clock, ManualClock, OrganizationId};
use balcao_llm::{
    ChatProvider,
    detect::{self, ProviderConfig},
    fallback::Fallback,
    retry::{RetryPolicy, Retrying},
};
use balcao_offline::OfflineModel;
use balcao_store::{
    Backend, ExclusiveLock, OpenOptions, SchemaStatus, Store, StoreError,
    crm::organization::{self, Organization},
};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use secrecy::ExposeSecret;

use crate::{
    config::{Config, ModelConfig},
    output::{Failure, error_chain, print_error},
    packs::OwnPacks,
    profiles, time,
};

/// A clock that can be told what time it is, or the machine's.
#[derive(Clone)]
pub(crate) enum DeskClock {
    /// The machine's.
    System,
    /// One that stands until it is told otherwise.
    Manual(Arc<ManualClock>),
    /// The machine's, so much later.
    Shifted(SignedDuration),
}

/// The machine's clock, so much later.
struct ShiftedClock(SignedDuration);

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        let now = time::now();
        now.checked_add(self.0).unwrap_or(now)
    }
}

impl DeskClock {
    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        match self {
            Self::System => time::clock(),
            Self::Manual(clock) => Arc::<ManualClock>::clone(clock),
            Self::Shifted(by) => Arc::new(ShiftedClock(*by)),
        }
    }

    /// A clock that was set by hand goes on from where it stands.
    pub(crate) fn running(self) -> Self {
        match self {
            Self::Manual(clock) => Self::Shifted(clock.now().duration_since(time::now())),
            Self::System | Self::Shifted(_) => self,
        }
    }
}

/// The ways out of bookings, on the terms of the configured account.
pub(crate) fn ways_out(app: AppContext, config: &Config) -> Result<WaysOut, Failure> {
    Ok(WaysOut::new(app, config.whatsapp.policies().map_err(Failure::usage)?))
}

/// A business that is being served.
pub(crate) struct World {
    pub(crate) front: TurnRunner,
    pub(crate) staff: Conversations,
    pub(crate) organization: OrganizationId,
    pub(crate) clock: DeskClock,
    /// How often somebody of staff may ask an assistant within an hour.
    pub(crate) questions_per_hour: u32,
}

/// The model of a profile, and in words why it is that one.
pub(crate) struct ChosenModel {
    pub(crate) provider: Arc<dyn ChatProvider>,
    pub(crate) why: String,
}

/// Reads a business file; all its mistakes are told together.
pub(crate) fn read_business(path: &Path) -> Result<BusinessFile, Failure> {
    let text = crate::files::read_text(path)?;
    parse_business(&path.display().to_string(), &text)
}

/// Reads a business from its text.
pub(crate) fn parse_business(file: &str, text: &str) -> Result<BusinessFile, Failure> {
    BusinessFile::read(file, text).map_err(|problems| Failure::problems(&problems))
}

/// A clock that shows `now` in a zone, or the machine's.
pub(crate) fn clock(now: Option<DateTime>, timezone: &str) -> Result<DeskClock, Failure> {
    let Some(now) = now else { return Ok(DeskClock::System) };
    let zone = TimeZone::get(timezone).map_err(|error| Failure::usage(format!("time zone `{timezone}`: {error}")))?;
    let at = now.to_zoned(zone).map_err(|error| Failure::usage(format!("--now {now}: {error}")))?;
    Ok(DeskClock::Manual(Arc::new(ManualClock::at(at.timestamp()))))
}

/// A fresh database in memory that holds one business.
pub(crate) async fn fresh(
    business: BusinessFile,
    now: Option<DateTime>,
) -> Result<(AppContext, OrganizationId, DeskClock), Failure> {
    let clock = clock(now, business.timezone())?;
    fresh_by(business, clock).await
}

/// The same, by this clock.
pub(crate) async fn fresh_by(
    business: BusinessFile,
    clock: DeskClock,
) -> Result<(AppContext, OrganizationId, DeskClock), Failure> {
    let store = Store::open_in_memory().map_err(|error| Failure::operation(error_chain(&error)))?;
    store.migrate().await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let shared = clock.shared();
    let imported = business.import(&store, shared.now()).await.map_err(|error| Failure::usage(error_chain(&error)))?;
    Ok((AppContext::new(store, shared), imported.organization, clock))
}

/// The configured database.
pub(crate) fn open_store(config: &Config) -> Result<Store, Failure> {
    let fail = |error: StoreError| Failure::operation(error_chain(&error));
    if let Some(url) = config.database.server().map_err(Failure::usage)? {
        return Store::connect(url.expose_secret(), OpenOptions::default()).map_err(fail);
    }
    if config.database.path == ":memory:" {
        return Store::open_in_memory().map_err(fail);
    }
    Store::open(Path::new(&config.database.path), OpenOptions::default()).map_err(fail)
}

/// Refuses to serve from a database that is damaged, or on which acknowledged work could be lost; the latter can be allowed.
pub(crate) async fn sound(store: &Store, config: &Config) -> Result<(), Failure> {
    let fail = |error: StoreError| Failure::operation(error_chain(&error));
    let damages = store.damages(false).await.map_err(fail)?;
    if let Some(first) = damages.first() {
        let name = database_name(store, config);
        return Err(Failure::operation(format!("{name} is damaged ({first}); restore the last backup")));
    }
    let unsound = store.soundness().await.map_err(fail)?;
    if config.database.allow_unsafe {
        unsound.iter().for_each(|one| print_error(&one.to_string()));
        return Ok(());
    }
    let all: Vec<String> = unsound.iter().map(ToString::to_string).collect();
    if all.is_empty() { Ok(()) } else { Err(Failure::operation(format!("{} ({ALLOW})", all.join("; ")))) }
}

/// The right to serve from the file alone, where it is one; refused where a backup lies in its place that was not made ready.
pub(crate) async fn alone(store: &Store, now: Timestamp) -> Result<Option<ExclusiveLock>, Failure> {
    let fail = |error: StoreError| Failure::operation(error_chain(&error));
    let Some(alone) = store.serve_alone().map_err(fail)? else { return Ok(None) };
    let found = restore_guard::check(store, &alone).await.map_err(fail)?;
    found.map_err(|older| Failure::operation(older.to_string()))?;
    let ended = store.take_over(&alone, now).await.map_err(fail)?;
    if ended > 0 {
        tracing::info!(ended, "what a program that died had in hand is taken up at once");
    }
    Ok(Some(alone))
}

/// Brings a database up to date. Before a schema changes that is in use, a copy is made: by us of a file, by the operator of a server,
/// who says that they did.
pub(crate) async fn migrate(store: &Store, config: &Config, is_backed_up: bool) -> Result<SchemaStatus, Failure> {
    let fail = |error: StoreError| Failure::operation(error_chain(&error));
    let before = store.schema_status().await.map_err(fail)?;
    if !is_backed_up && !before.missing.is_empty() && !before.applied.is_empty() {
        let (count, name) = (before.missing.len(), database_name(store, config));
        if store.backend() != Backend::Sqlite {
            return Err(Failure::usage(format!(
                "{count} migrations change {name}, and no copy of it is made here; make one with pg_dump (docs/OPERATIONS.md, \
                 Backups), then run `balcao migrate --no-backup`"
            )));
        }
        let last = before.applied.last().map_or("nothing", |one| one.name.as_str());
        let copy = free_name(&config.database.path, last);
        store.back_up(&copy).await.map_err(fail)?;
        print_error(&format!("{name} as it was before {count} migrations is in {}", copy.display()));
    }
    store.migrate().await.map_err(fail)
}

/// `balcao.db.after-2026112101_business`, or the first name of that kind that is free.
fn free_name(database: &str, last: &str) -> PathBuf {
    let name = |number: usize| match number {
        0 => PathBuf::from(format!("{database}.after-{last}")),
        number => PathBuf::from(format!("{database}.after-{last}-{number}")),
    };
    (0..1_000).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1_000))
}

/// Notes for ever that this program serves from the file.
pub(crate) async fn keep_noting(app: &AppContext, alone: Option<&mut ExclusiveLock>) {
    match alone {
        Some(alone) => restore_guard::keep_noting(app, alone).await,
        None => std::future::pending().await,
    }
}

/// How an operator serves all the same.
const ALLOW: &str = "for a trial, set database.allow_unsafe = true";

/// What kind of database it is and where, without user and password.
pub(crate) fn backend_name(store: &Store, config: &Config) -> String {
    let name = database_name(store, config);
    if store.backend() == Backend::Sqlite { format!("SQLite in {name}") } else { name }
}

/// Where the database is, without user and password.
pub(crate) fn database_name(store: &Store, config: &Config) -> String {
    match store.backend() {
        Backend::Sqlite => config.database.path.clone(),
        Backend::Postgres { place } => format!("PostgreSQL at {place}"),
    }
}

/// The configured database, ready to serve, and the business that it is to serve.
pub(crate) async fn configured(
    config: &Config,
    now: Option<DateTime>,
) -> Result<(AppContext, OrganizationId, DeskClock), Failure> {
    if let Some(path) = config.database.missing_file() {
        return Err(Failure::operation(format!(
            "database {} not found; make one with `balcao migrate` and fill it with `balcao seed FILE`, or try `balcao chat --business FILE`",
            path.display()
        )));
    }
    let store = open_store(config)?;
    let status = store.schema_status().await.map_err(|error| Failure::operation(error_chain(&error)))?;
    if !status.missing.is_empty() {
        return Err(Failure::operation(format!(
            "the database lacks {} of this program's migrations; run `balcao migrate`",
            status.missing.len()
        )));
    }
    let all = store.read(organization::list).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let chosen = match (&config.organization.slug, all.as_slice()) {
        (Some(slug), all) => all.iter().find(|one| one.slug == *slug).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|one| one.slug.as_str()).collect();
            Failure::usage(format!("unknown organization `{slug}`; expected one of: {}", known.join(", ")))
        })?,
        (None, [only]) => only,
        (None, []) => {
            return Err(Failure::operation("the database holds no business; load one with `balcao seed FILE`"));
        }
        (None, several) => {
            let known: Vec<&str> = several.iter().map(|one| one.slug.as_str()).collect();
            return Err(Failure::usage(format!(
                "the database holds several businesses ({}); set organization.slug",
                known.join(", ")
            )));
        }
    };
    let clock = clock(now, &chosen.timezone)?;
    let app = serving(store, chosen.id, clock.shared(), config);
    Ok((with_calendar_service(app, config)?, chosen.id, clock))
}

/// The context of a program that serves a business, connected to no calendar service yet.
pub(crate) fn serving(store: Store, id: OrganizationId, clock: Arc<dyn Clock>, config: &Config) -> AppContext {
    AppContext::new(store.serving(id), clock).with_notices(notices(config))
}

/// The same context, connected to the calendar service of the configuration, if it names one.
#[cfg(feature = "google-calendar")]
pub(crate) fn with_calendar_service(app: AppContext, config: &Config) -> Result<AppContext, Failure> {
    let google = crate::google::service(&config.google, Arc::clone(&app.clock))?;
    let service = google.map(|google| -> Arc<dyn CalendarService> { Arc::new(google) });
    Ok(app.with_remote_calendar(service))
}

/// The same context; refuses a configuration that names a calendar service, because this build has none.
#[cfg(not(feature = "google-calendar"))]
pub(crate) fn with_calendar_service(app: AppContext, config: &Config) -> Result<AppContext, Failure> {
    if config.google.is_set() {
        return Err(Failure::usage(
            "the configuration has a section `google`, and this build has no Google Calendar; build the program with its feature \
             `google-calendar`, or take the section out",
        ));
    }
    Ok(app)
}

/// The same context, where knowledge is found by its meaning besides, if the configuration says what makes vectors.
pub(crate) fn meaning(app: AppContext, config: &Config) -> Result<AppContext, Failure> {
    Ok(app.with_embedder(config.embedding.read().map_err(Failure::usage)?))
}

/// By which accounts professionals are told of bookings.
fn notices(config: &Config) -> NotificationAccounts {
    let official = config.whatsapp.account.clone().map(|account| ("whatsapp".to_owned(), account));
    let gateway = || config.evolution.instance.clone().map(|instance| (evolution::KIND.to_owned(), instance));
    NotificationAccounts {
        whatsapp: official.or_else(gateway),
        email: config.email.account(),
        handoffs: config.handoffs.alerts(),
    }
}

/// The business as it is stored.
pub(crate) async fn organization(app: &AppContext, id: OrganizationId) -> Result<Organization, Failure> {
    let found: Result<_, StoreError> = app.store.read(move |tx| organization::get(tx, id)).await;
    found.map_err(|error| Failure::operation(error_chain(&error)))
}

/// Where the business is.
pub(crate) async fn zone(app: &AppContext, id: OrganizationId) -> Result<TimeZone, Failure> {
    let found = organization(app, id).await?;
    TimeZone::get(&found.timezone).map_err(|error| Failure::operation(error_chain(&error)))
}

/// Chooses the model: the configured providers in order, else the one that a key in the environment points at, else the
/// offline model. The offline model stands behind them all where the profile degrades to it.
pub(crate) fn choose_model(
    model: &ModelConfig,
    profile: &Profile,
    environment: &BTreeMap<String, String>,
    forced: Option<&str>,
) -> Result<ChosenModel, Failure> {
    if forced == Some("offline") {
        return Ok(ChosenModel { provider: offline(), why: "offline (as asked)".to_owned() });
    }
    let mut why = String::new();
    let mut configs: Vec<ProviderConfig> = Vec::new();
    let named = |name: &String| {
        model.providers.iter().find(|one| one.name == *name).ok_or_else(|| {
            let near = balcao_yaml::nearest(name, model.providers.iter().map(|one| one.name.as_str()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Failure::usage(format!(
                "profile `{}` names the provider `{name}`, which is not under model.providers{hint}",
                profile.id
            ))
        })
    };
    let wanted: Vec<_> = match forced {
        Some(name) => model.providers.iter().filter(|one| one.name == name).collect(),
        None if profile.model.providers.is_empty() => model.providers.iter().collect(),
        None => profile.model.providers.iter().map(named).collect::<Result<_, _>>()?,
    };
    for one in wanted {
        configs.push(one.provider(model).map_err(Failure::usage)?);
    }
    if configs.is_empty() {
        if let Some(name) = forced {
            return Err(Failure::usage(format!(
                "no provider `{name}` is configured under model.providers; `offline` is always there"
            )));
        }
        if let Some(found) = detect::from_environment(environment) {
            why = format!(" (because {} is set)", found.variable);
            let mut config = found.config;
            model.apply(&mut config);
            if let Some(name) = environment.get("BALCAO_MODEL") {
                config.model = Some(name.clone());
            }
            configs.push(config);
        }
    } else {
        why.push_str(" (configured)");
    }
    if configs.is_empty() {
        let why = "offline, the built-in model without a network (no provider is configured, and no key is in the environment)";
        return Ok(ChosenModel { provider: offline(), why: why.to_owned() });
    }
    let policy = RetryPolicy { attempts: model.attempts, ..RetryPolicy::default() };
    let mut chain_: Vec<Arc<dyn ChatProvider>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (seed, config) in (1_u64..).zip(configs) {
        let built = config.build().map_err(|error| Failure::usage(error_chain(&error)))?;
        names.push(format!("{} {}", built.name(), built.model()));
        chain_.push(Arc::new(Retrying::new(built, policy, seed)));
    }
    if profile.model.degraded == Degraded::Offline {
        chain_.push(offline());
    }
    let mut providers = chain_.into_iter();
    let Some(first) = providers.next() else { return Err(Failure::usage("no model provider")) };
    let others: Vec<_> = providers.collect();
    let provider: Arc<dyn ChatProvider> =
        if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) };
    Ok(ChosenModel { provider, why: format!("{}{why}", names.join(", then ")) })
}

/// The built-in model without a network: it costs nothing.
pub(crate) fn offline() -> Arc<dyn ChatProvider> {
    Arc::new(OfflineModel)
}

/// The operator's own packs, for the organization with this short name; without one, with any account.
pub(crate) async fn own_packs(
    config: &Config,
    app: &AppContext,
    organization: Option<&str>,
) -> Result<OwnPacks, Failure> {
    let config = &with_loss_of_acceptances(config).await?;
    let handlers = balcao_builtin_tools::tools::handlers(app, &profiles::usual_settings());
    let taken = balcao_builtin_tools::pack_ids();
    let organization = organization.or(config.organization.slug.as_deref());
    OwnPacks::load(&config.packs, organization, &handlers, &taken, &OwnPacks::default())
}

/// The same, for an organization of the database.
pub(crate) async fn own_packs_of(config: &Config, app: &AppContext, id: OrganizationId) -> Result<OwnPacks, Failure> {
    if config.packs.folders.is_empty() && config.packs.accounts.is_empty() {
        return Ok(OwnPacks::default());
    }
    let slug = organization(app, id).await?.slug;
    own_packs(config, app, Some(&slug)).await
}

/// One profile by id.
pub(crate) fn profile<'a>(
    all: &'a BTreeMap<String, (Profile, balcao_yaml::Document)>,
    id: &str,
) -> Result<&'a (Profile, balcao_yaml::Document), Failure> {
    all.get(id).ok_or_else(|| {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        Failure::usage(format!("unknown profile `{id}`; expected one of: {}", known.join(", ")))
    })
}

/// The configuration, and whether its list of accepted packs was lost: the file is gone, and a server was at work on the configured
/// database. What stands in the folders of packs then may not be what was accepted.
///
/// # Errors
/// If the database fails, which is opened only where the file is missing.
pub(crate) async fn with_loss_of_acceptances(config: &Config) -> Result<Config, Failure> {
    let mut config = config.clone();
    let packs = &config.packs;
    // Folders may be named again later, so a configuration without any asks, too.
    if packs.acceptances_are_lost || packs.development || packs.accepted.exists() {
        return Ok(config);
    }
    config.packs.acceptances_are_lost = was_served(&config).await?;
    Ok(config)
}

/// Whether a server was at work on the configured database before. A database that is not there was not served.
async fn was_served(config: &Config) -> Result<bool, Failure> {
    if config.database.missing_file().is_some() {
        return Ok(false);
    }
    let store = open_store(config)?;
    let fail = |error: StoreError| Failure::operation(error_chain(&error));
    if store.schema_status().await.map_err(fail)?.applied.is_empty() {
        return Ok(false);
    }
    restore_guard::was_served(&store).await.map_err(fail)
}

/// Notes in the database that a server is at work on it.
///
/// # Errors
/// If the database fails.
pub(crate) async fn note_served(app: &AppContext) -> Result<(), Failure> {
    restore_guard::note_in_database(app).await.map(drop).map_err(|error| Failure::operation(error_chain(&error)))
}
