//! `balcao serve`: webhooks in, turns, messages out, in one process.
//!
//! Told to stop, it takes nothing more in, lets turns and requests end, sends what they wrote, and ends. Killed at any moment
//! it loses nothing: what was acknowledged is in the database, and the next start goes on with it.

use std::{collections::BTreeMap, process::ExitCode, sync::Arc};

use balcao_agent::profile::Audience;
use balcao_app::{AppContext, admin::webhooks::Webhooks, context::clock::SharedClock, turns::TurnRunner};
use balcao_domain::OrganizationId;
use balcao_store::{Backend, ExclusiveLock};
use tokio::net::TcpListener;

use crate::{
    config::{Config, handoffs, webhooks},
    output::{Failure, error_chain, print_error, print_line},
    packs::{
        self, Current, OwnPacks,
        reload::{Looks, Reload, looks},
    },
    profiles,
    server::{ChannelAccounts, Role, ServedBusiness, Server},
    signals::stopped,
    telemetry::measured,
    time, wire,
};

/// Options of `balcao serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, three programs over one PostgreSQL:\n  \
    balcao serve --role api --listen 0.0.0.0:8080\n  \
    balcao serve --role worker --listen 127.0.0.1:8081\n  \
    balcao serve --role worker --listen 127.0.0.1:8082")]
pub(crate) struct Args {
    /// The work of this process; `api` and `worker` need PostgreSQL.
    #[arg(long, value_enum, default_value_t = Role::All)]
    role: Role,
    /// The address to listen on instead of `server.listen`; port 0 selects a free port.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// A configured provider by name, or `offline`.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(
    args: Args,
    config: Config,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    // From its first moment on: who stops it while it starts finds the database's file whole, too.
    let mut stopped = Box::pin(stopped()?);
    let started = tokio::select! {
        started = Box::pin(start(args, config, environment)) => started?,
        _ = &mut stopped => return Ok(ExitCode::SUCCESS),
    };
    let Started { server, listener, clock, app, mut alone } = started;
    let local = listener.local_addr().map_err(|error| Failure::operation(error.to_string()))?;
    print_line(&format!("listening on http://{local}"));
    tokio::select! {
        ended = server.run(listener, stopped) => ended?,
        () = clock.keep_following(&app.store), if !time::is_outside() => return Err(Failure::operation("the database's clock is followed no more")),
        () = wire::keep_noting(&app, alone.as_mut()) => {
            return Err(Failure::operation("that the server is at work is noted no more"));
        }
        // What is written and what is not is unknown now: nothing is brought to an end. The next start finds out.
        error = app.store.breaks() => return Err(Failure::operation(error_chain(&error))),
    }
    Ok(ExitCode::SUCCESS)
}

/// A server that may begin.
struct Started {
    server: Server,
    listener: TcpListener,
    clock: Arc<SharedClock>,
    app: AppContext,
    alone: Option<ExclusiveLock>,
}

async fn start(args: Args, mut config: Config, environment: &BTreeMap<String, String>) -> Result<Started, Failure> {
    if let Some(listen) = args.listen {
        config.server.listen = listen;
    }
    let address = config.server.address().map_err(Failure::usage)?;
    let metrics_address = config.server.metrics_address().map_err(Failure::usage)?;
    let whatsapp = config.whatsapp.read().map_err(Failure::usage)?;
    let chat = config.chat.read().map_err(Failure::usage)?;
    let evolution = config.evolution.read().map_err(Failure::usage)?;
    let transcriber = config.transcription.read(environment).map_err(Failure::usage)?;
    handoffs::check(&config).map_err(Failure::usage)?;
    let subscribers = webhooks::read(&config.webhooks, environment).map_err(Failure::usage)?;
    let (app, organization, _) = wire::configured(&config, None).await?;
    let app = wire::meaning(app, &config)?;
    if args.role != Role::All && app.store.backend() == Backend::Sqlite {
        let role = args.role.as_str();
        return Err(Failure::usage(format!(
            "--role {role}: a SQLite file is served by one program that does everything; set database.url to share the work"
        )));
    }
    wire::sound(&app.store, &config).await?;
    let alone = wire::alone(&app.store, app.clock.now()).await?;
    let clock = Arc::new(SharedClock::new(Arc::clone(&app.clock)));
    if !time::is_outside() {
        clock.follow(&app.store).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    }
    let app = AppContext { clock: Arc::<SharedClock>::clone(&clock), ..app };
    let seen = looks(&config.packs);
    config = wire::with_loss_of_acceptances(&config).await?;
    let own = wire::own_packs_of(&config, &app, organization).await?;
    packs::accept::remember(&config.packs, &own.all)?;
    wire::note_served(&app).await?;
    let (front, _why) = front_desk(&app, &config, environment, args.model.as_deref(), &own)?;
    let shop = ServedBusiness { name: wire::organization(&app, organization).await?.name, id: organization };
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::operation(format!("server.listen {address}: {error}")))?;
    let measured = match metrics_address {
        Some(address) => Some(measured::start(&app, address).await?),
        None => None,
    };
    let has_endpoints = !subscribers.is_empty();
    let webhooks = Webhooks::new(app.clone(), organization, subscribers);
    // A process that does not deliver may be configured without the endpoints.
    if args.role != Role::Api {
        webhooks.end_alarms_of_removed().await.map_err(|error| Failure::operation(error_chain(&error)))?;
    }
    webhooks.begin().await.map_err(|error| Failure::operation(error_chain(&error)))?;
    // Without an endpoint there is no such part.
    let told = has_endpoints.then_some(webhooks);
    let noted = app.clone();
    let current = Current::new(own);
    let reload = reload(&app, &config, organization, &front, &current).await?;
    let reload = Reload { seen, ..reload };
    let server = Server::new(app, shop, &config, front, ChannelAccounts { whatsapp, evolution, chat, transcriber })?
        .in_role(args.role);
    let server = server.telling(told, measured).with_packs(current, reload);
    Ok(Started { server, listener, clock, app: noted, alone })
}

/// The front desk with the configured profile, and in words which model answers and why; they are said on standard error, too.
pub(crate) fn front_desk(
    app: &AppContext,
    config: &Config,
    environment: &BTreeMap<String, String>,
    model: Option<&str>,
    own: &OwnPacks,
) -> Result<(Arc<TurnRunner>, String), Failure> {
    let all = profiles::load(&config.agents.dir)?;
    let (profile, document) = wire::profile(&all, &config.agents.profile)?;
    if profile.audience == Audience::Staff {
        let problem = format!("agents.profile: `{}` talks with staff, and here customers are answered", profile.id);
        return Err(Failure::usage(format!("{problem}; name one whose audience is customer, such as eli")));
    }
    let chosen = wire::choose_model(&config.model, profile, environment, model)?;
    print_error(&format!("model: {}", chosen.why));
    let agent = packs::tools::agent(app, profile, document, own, chosen.provider)?;
    let strangers = config.chat.strangers().map_err(Failure::usage)?;
    let front = TurnRunner::new(app.clone(), [agent]).with_strangers(strangers, wire::offline());
    Ok((Arc::new(front), chosen.why))
}

/// What keeps the operator's own packs fresh.
async fn reload(
    app: &AppContext,
    config: &Config,
    organization: OrganizationId,
    front: &Arc<TurnRunner>,
    current: &Current,
) -> Result<Reload, Failure> {
    let all = profiles::load(&config.agents.dir)?;
    let mut packs = config.packs.clone();
    // A list that is gone while the server runs was lost.
    packs.acceptances_are_lost = true;
    Ok(Reload {
        config: packs,
        organization: wire::organization(app, organization).await?.slug,
        app: app.clone(),
        profile: wire::profile(&all, &config.agents.profile)?.clone(),
        front: Arc::clone(front),
        current: current.clone(),
        seen: Looks::default(),
    })
}
