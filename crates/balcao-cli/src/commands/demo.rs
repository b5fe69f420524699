//! `balcao demo`: the sample barbershop, on a page of this machine or in the terminal.

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    net::{Ipv4Addr, SocketAddr},
    process::ExitCode,
};

use balcao_app::AppContext;
use balcao_domain::OrganizationId;
use balcao_domain::staff::Role;
use balcao_store::{StoreError, crm::staff};
use balcao_web::{
    chat::{ChatLimits, Origins, Tokens},
    pages::demo::{Demo, DemoSettings, router},
};
use secrecy::SecretString;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::{
    commands::{chat, serve::front_desk},
    config::{ChatSettings, Config},
    output::{Failure, error_chain, print_error, print_line},
    server::{ChannelAccounts, ServedBusiness, Server},
    signals::stopped,
    wire,
};

/// The business that the demo serves.
const SAMPLE: &str = include_str!("../../../../samples/barbearia-figueira.yaml");
/// What a customer of it may begin with.
const SUGGESTIONS: [&str; 3] =
    ["Oi, quero corte na tesoura amanhã às 15h", "Quanto custa barba com corte?", "Quero falar com uma pessoa"];
/// Where the page is, if nobody else is there.
const PORT: u16 = 7411;
/// How long a customer must have been quiet before they are answered, in milliseconds: nobody who tries it writes in pieces.
const QUIET_MS: u64 = 600;

/// Options of `balcao demo`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Sets the local time of the business, for example 2026-11-24T10:00; on the page it goes on from there.
    #[arg(long, value_name = "TIME", value_parser = super::chat::local_time)]
    now: Option<jiff::civil::DateTime>,
    /// The local port of the page, 0 for a free one; with this option the page also starts without a terminal.
    #[arg(long, value_name = "PORT", conflicts_with_all = ["terminal", "trace", "script"])]
    port: Option<u16>,
    /// Chats in the terminal; the default if standard input is not a terminal.
    #[arg(long)]
    terminal: bool,
    /// Shows steps, tool calls, results and timings on standard error; in the terminal.
    #[arg(long)]
    trace: bool,
    /// Reads the customer's messages from a file (`-`: standard input), one turn per line.
    #[arg(long, value_name = "FILE")]
    script: Option<String>,
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
    let in_terminal = args.terminal || args.trace || args.script.is_some() || !std::io::stdin().is_terminal();
    if args.port.is_none() && in_terminal {
        return Box::pin(terminal(args, &config, environment)).await;
    }
    Box::pin(page(args, config, environment)).await
}

async fn terminal(args: Args, config: &Config, environment: &BTreeMap<String, String>) -> Result<ExitCode, Failure> {
    let business = wire::parse_business("samples/barbearia-figueira.yaml", SAMPLE)?;
    let (app, organization, clock) = wire::fresh(business, args.now).await?;
    print_error("Barbearia Figueira, a sample. Try: oi, quero corte na tesoura amanhã às 15h");
    let args = chat::Args {
        profile: None,
        business: None,
        phone: "+55 11 90000-0000".to_owned(),
        as_staff: None,
        now: args.now,
        script: args.script,
        trace: args.trace,
        json: false,
        model: args.model,
    };
    let (world, profile) = chat::serve(&args, config, environment, app, organization, clock).await?;
    chat::converse(&args, &world, &profile).await
}

/// Serves the page until the program is told to stop. Only this machine can reach it.
async fn page(args: Args, mut config: Config, environment: &BTreeMap<String, String>) -> Result<ExitCode, Failure> {
    config.server.burst_window_ms = QUIET_MS;
    let business = wire::parse_business("samples/barbearia-figueira.yaml", SAMPLE)?;
    let clock = wire::clock(args.now, business.timezone())?.running();
    let (app, organization, _) = wire::fresh_by(business, clock).await?;
    let (front, model) =
        front_desk(&app, &config, environment, args.model.as_deref(), &crate::packs::OwnPacks::default())?;
    let name = wire::organization(&app, organization).await?.name;
    let staff = on_duty(&app, organization).await?;
    let listener = listener(args.port).await?;
    let port = listener.local_addr().map_err(|error| Failure::operation(error.to_string()))?.port();
    let token = Uuid::new_v4().simple().to_string();
    let settings = DemoSettings {
        shop: name.clone(),
        model,
        suggestions: SUGGESTIONS.map(str::to_owned).to_vec(),
        staff,
        token: SecretString::from(token.clone()),
        port,
    };
    let doors = ChannelAccounts { whatsapp: None, evolution: None, chat: Some(chat_of(port)?), transcriber: None };
    let server = Server::new(app, ServedBusiness { id: organization, name }, &config, front, doors)?
        .also(|chats, stop| router(Demo::new(settings, chats, stop)))
        .only_here(port);
    print_error("Barbearia Figueira, a sample: write as its customer, and see beside it what happens inside.");
    print_error("Open the address below; it works on this machine only. Ctrl-C ends.");
    // Before the address is shown: who reads it may press Ctrl-C at once.
    let stopped = stopped()?;
    print_line(&format!("http://127.0.0.1:{port}/#{token}"));
    server.run(listener, stopped).await?;
    Ok(ExitCode::SUCCESS)
}

/// The page is the only one that may hold the chat; visitors' tokens hold as long as the program runs.
fn chat_of(port: u16) -> Result<ChatSettings, Failure> {
    let secret = SecretString::from(format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()));
    let tokens = Tokens::new(&secret).map_err(Failure::operation)?;
    let origins = ["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{port}"));
    let (origins, limits) = (Origins::new(origins).map_err(Failure::operation)?, ChatLimits::default());
    Ok(ChatSettings { tokens, origins, limits })
}

/// The usual port, else a free one; a port that was asked for, or none.
async fn listener(asked: Option<u16>) -> Result<TcpListener, Failure> {
    let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let failed = |error: std::io::Error| Failure::operation(format!("the page's port: {error}"));
    match asked {
        Some(port) => TcpListener::bind(at(port)).await.map_err(failed),
        None => match TcpListener::bind(at(PORT)).await {
            Ok(listener) => Ok(listener),
            Err(_taken) => TcpListener::bind(at(0)).await.map_err(failed),
        },
    }
}

/// The e-mail address of the person of staff that the page acts as: an attendant on duty, else somebody on duty, else the first.
async fn on_duty(app: &AppContext, organization: OrganizationId) -> Result<String, Failure> {
    let all: Result<_, StoreError> = app.store.read(move |tx| staff::list(tx, organization)).await;
    let all = all.map_err(|error| Failure::operation(error_chain(&error)))?;
    let chosen = all.iter().min_by_key(|one| (!one.on_duty, one.role != Role::Attendant));
    chosen.map(|one| one.email.clone()).ok_or_else(|| Failure::operation("the sample has no staff"))
}
