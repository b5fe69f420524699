//! A pack, connected to an organization's account at its service.

mod over;

use std::{path::Path, sync::Arc};

use balcao_connector::{Account, Connection, Deliveries, Egress, Keys, Settings, TokioClock};
use balcao_mcp::{Permitted, Reach, Server};
use balcao_pack::{
    Handlers, LoadedPack,
    manifest::{Pack, PackKind},
};
use balcao_tool::validate::Schema;
use balcao_yaml::Problem;
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use super::{
    Connected, Link, OwnPack,
    accept::{self, Accepted},
    loader, problem,
    tokens::TokenFile,
};
use crate::{
    config::{AccountConfig, PacksConfig},
    time,
};

/// Loads the pack of a folder; problems name files as the configuration does. What it was linked to `before` serves on if it would be the same.
///
/// # Errors
/// Every mistake in the pack; if it has none, every mistake in its account.
pub(super) fn load(
    config: &PacksConfig,
    organization: Option<&str>,
    handlers: &Handlers,
    (folder, accepted): (&Path, &Accepted),
    before: Option<&Link>,
) -> Result<OwnPack, Vec<Problem>> {
    let read = |connected: &Connected| -> Result<LoadedPack, Vec<Problem>> {
        let loader = loader(handlers.clone(), connected, config.workers);
        loader.load_folder(folder).map_err(|problems| seen_from_here(folder, problems))
    };
    // The pack says what an account needs, so it is read before there is one.
    let pack = read(&Connected::default())?;
    if pack.pack.kind == PackKind::Native {
        let message = "invalid `type: native`: its commands are part of the program; expected http, mcp or script";
        let mend = "a pack of your own reaches the program's commands through a profile";
        return Err(vec![problem(&folder.join("tool.yaml"), message, mend)]);
    }
    let outside = matches!(pack.pack.kind, PackKind::Http | PackKind::Mcp);
    let Some(connection) = pack.pack.connection.clone().filter(|_| outside) else {
        return Ok(own(folder, pack));
    };
    let account = config.account(&pack.id, organization);
    if let Some((account, over)) = account.and_then(|account| Some((account, account.over.as_ref()?))) {
        return over::load(config, account, &pack, handlers, (folder, accepted), (over, before));
    }
    let needed = needed(pack.pack.settings.as_ref());
    if account.is_none() && !needed.is_empty() {
        let mut own = own(folder, pack);
        own.unconnected = Some(ask(&own.pack.id, &needed));
        return Ok(own);
    }
    let place = format!("packs.accounts `{}`", pack.id);
    let of = json!({ "connection": connection, "settings": pack.pack.settings });
    let same = before.filter(|link| link.of == of).map(|link| link.connected.clone()).unwrap_or_default();
    if pack.pack.kind == PackKind::Mcp {
        let program = connection.get("command").is_some_and(|command| !command.is_null());
        if !accept::may_connect(config, accepted, &pack.id, &pack.terms, program) {
            return Ok(withheld(own(folder, pack)));
        }
        let server = match same.mcp {
            Some(server) => server,
            None => {
                let connection = balcao_mcp::Connection::read(&connection).map_err(|found| refused(found, &place))?;
                let settings = given(config, account, pack.pack.settings.as_ref(), &place)?;
                Arc::new(server(config, &connection, settings, &place, &pack.id)?)
            }
        };
        let connected = Connected { mcp: Some(Arc::clone(&server)), ..Connected::default() };
        let own = own(folder, read(&connected)?);
        return Ok(OwnPack { server: Some(server), link: Some(Link { of, connected }), ..own });
    }
    let connection = Connection::read(&connection)
        .map_err(|found| found.into_iter().map(|one| problem(folder, one.to_string(), "")).collect::<Vec<_>>())?;
    let opened = match same.http {
        Some(account) => account,
        None => {
            let tokens = TokenFile::new(&config.tokens, &pack.id, organization);
            if connection.auth.as_ref().is_some_and(|auth| auth.oauth2_refresh.is_some()) {
                let mend = "name a file in a folder that this program may write";
                tokens.check().map_err(|message| vec![problem(Path::new(&place), message, mend)])?;
            }
            Arc::new(open(config, account, &pack.pack, &connection, (&place, tokens))?)
        }
    };
    let keys = keys(config, account, &place)?;
    let deliveries = deliveries(connection.deliveries, keys, &place)?;
    let connected = Connected { http: Some(opened), ..Connected::default() };
    let own = own(folder, read(&connected)?);
    Ok(taking(deliveries, OwnPack { link: Some(Link { of, connected }), ..own }))
}

fn own(folder: &Path, mut pack: LoadedPack) -> OwnPack {
    let tools = std::mem::take(&mut pack.tools).into_iter().map(Arc::new).collect();
    let folder = folder.to_owned();
    OwnPack {
        folder,
        pack,
        tools,
        changed: Vec::new(),
        unconnected: None,
        server: None,
        link: None,
        deliveries: None,
        keys_striker: None,
        on_delivery: Vec::new(),
    }
}

/// The same pack, with how its deliveries are taken.
fn taking(deliveries: Option<(Deliveries, Keys)>, own: OwnPack) -> OwnPack {
    let keys_striker = deliveries.as_ref().map(|(_, keys)| Arc::new(keys.striker()));
    OwnPack { deliveries, keys_striker, ..own }
}

fn seen_from_here(folder: &Path, problems: Vec<Problem>) -> Vec<Problem> {
    let shown = |problem: Problem| Problem { file: folder.join(&problem.file).display().to_string(), ..problem };
    problems.into_iter().map(shown).collect()
}

/// The settings without which there is no account.
fn needed(settings: Option<&Value>) -> Vec<String> {
    let required = settings.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What to write, word for word.
fn ask(pack: &str, needed: &[String]) -> String {
    let variable = |name: &String| format!("{name} = \"${{{}_{}}}\"", pack.to_uppercase(), name.to_uppercase());
    let settings: Vec<String> = needed.iter().map(variable).collect();
    format!(
        "the pack `{pack}` has no account for this organization; add [[packs.accounts]] with pack = \"{pack}\" and settings = {{ {} }}",
        settings.join(", ")
    )
}

fn is_secret(schema: &Value, name: &str) -> bool {
    schema.get("properties").and_then(|all| all.get(name)?.get("secret")) == Some(&Value::Bool(true))
}

/// The account's settings, held against what the pack asks for. No message holds a value: it may be a secret in the wrong place.
fn settings(
    config: &PacksConfig,
    account: Option<&AccountConfig>,
    schema: &Value,
    place: &str,
) -> Result<Settings, Vec<Problem>> {
    let at = |message: String, mend: &str| problem(Path::new(place), message, mend);
    let (mut given, mut problems) = (Map::new(), Vec::new());
    for (name, value) in account.into_iter().flat_map(|account| &account.settings) {
        let clear = value.as_str().is_none_or(|text| !text.contains("${"));
        if is_secret(schema, name) && clear {
            let mend = "write the name of a variable of the environment, such as ${CLICKUP_TOKEN}";
            problems.push(at(format!("the setting `{name}` is a secret, and stands in the file"), mend));
        }
        let filled = value.as_str().map_or_else(|| Ok(value.clone()), |text| config.filled(text).map(Value::from));
        match filled {
            Ok(value) => drop(given.insert(name.clone(), value)),
            Err(message) => problems.push(at(format!("the setting `{name}`: {message}"), "set the variable")),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    match Schema::compile(schema) {
        Ok(compiled) => {
            for one in compiled.problems(&Value::Object(given.clone())) {
                let name = one.pointer.trim_start_matches('/');
                let near = one.nearest.as_ref().filter(|_| !is_secret(schema, name)).and_then(Value::as_str);
                let mend = near
                    .map_or_else(|| format!("expected: {}", one.expected), |near| format!("did you mean `{near}`?"));
                problems.push(at(format!("the setting `{name}`: {}", one.problem.replace('_', " ")), &mend));
            }
        }
        Err(reason) => problems.push(at(format!("the pack's `settings` {reason}"), "correct the pack")),
    }
    if problems.is_empty() { Ok(Settings::sorted(schema, &given)) } else { Err(problems) }
}

fn open(
    config: &PacksConfig,
    account: Option<&AccountConfig>,
    pack: &Pack,
    connection: &Connection,
    (place, tokens): (&str, TokenFile),
) -> Result<Account, Vec<Problem>> {
    let settings = given(config, account, pack.settings.as_ref(), place)?;
    let now = time::now();
    let clock = Arc::new(TokioClock::starting_at(now));
    let seed = now.as_microsecond().unsigned_abs();
    let opened = Account::open(connection, settings, &egress(config), clock, Some(Arc::new(tokens)), seed);
    opened.map_err(|found| refused(found, place))
}

/// A pack whose commands wait for somebody to accept them all.
fn withheld(mut own: OwnPack) -> OwnPack {
    own.changed = own.tools.iter().map(|tool| tool.spec.name.clone()).collect();
    own
}

/// The server that a pack runs on; it is started by its first call.
fn server(
    config: &PacksConfig,
    connection: &balcao_mcp::Connection,
    settings: Settings,
    place: &str,
    pack: &str,
) -> Result<Server, Vec<Problem>> {
    let programs = config.programs.iter().filter(|one| one.pack == pack);
    let programs = programs.map(|one| Permitted { command: one.command.clone(), args: one.args.clone() }).collect();
    let reach = Reach { egress: egress(config), programs };
    let clock = Arc::new(TokioClock::starting_at(time::now()));
    let opened = Server::open(connection, settings, &reach, clock, Arc::new(accept::of_server(config, pack)));
    opened.map_err(|found| refused(found, place))
}

fn given(
    config: &PacksConfig,
    account: Option<&AccountConfig>,
    schema: Option<&Value>,
    place: &str,
) -> Result<Settings, Vec<Problem>> {
    let schema = schema.cloned().unwrap_or_else(|| serde_json::json!({ "type": "object" }));
    settings(config, account, &schema, place)
}

fn egress(config: &PacksConfig) -> Egress {
    Egress {
        allow: config.allow_networks.clone(),
        plain_http: config.plain_http,
        safe_only: config.trial,
        ..Egress::default()
    }
}

fn refused(found: Vec<balcao_connector::Problem>, place: &str) -> Vec<Problem> {
    let told = found.into_iter().map(|one| {
        let message = format!("the connection{}: {}", one.pointer.replace('/', "."), one.message);
        let mend = "see the pack's settings; private networks and plain HTTP are allowed by packs.allow_networks and packs.plain_http, \
                    programs by packs.programs";
        let named = if one.pointer == "/command" { Some("list it under [[packs.programs]]: `pack`, `command` (the whole path) and `args`, word by word") } else { None };
        problem(Path::new(place), message, named.or(one.suggestion.as_deref()).unwrap_or(mend))
    });
    told.collect()
}

/// Shortest secret of deliveries, in bytes: it is all that proves who sends. What is struck of deliveries would be plain words if it were
/// shorter, names of fields among them.
const SHORTEST_SECRET: usize = 16;

/// What deliveries prove themselves with.
fn keys(config: &PacksConfig, account: Option<&AccountConfig>, place: &str) -> Result<Keys, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut filled = |name: &str, of: fn(&AccountConfig) -> &Vec<String>| -> Vec<SecretString> {
        let mut secrets = Vec::new();
        for text in account.into_iter().flat_map(of) {
            let value = if text.contains("${") {
                config.filled(text)
            } else {
                Err("a secret stands in the file; write the name of a variable, such as ${CLICKUP_WEBHOOK_SECRET}"
                    .to_owned())
            };
            match value {
                Ok(secret) if secret.trim().len() < SHORTEST_SECRET => {
                    let message =
                        format!("{name}: invalid length of a secret; expected at least {SHORTEST_SECRET} characters");
                    let mend = "make one with `openssl rand -hex 32`, and give it to the service, too";
                    problems.push(problem(Path::new(place), message, mend));
                }
                Ok(secret) => secrets.push(SecretString::from(secret)),
                Err(message) => {
                    problems.push(problem(Path::new(place), format!("{name}: {message}"), "set the variable"));
                }
            }
        }
        secrets
    };
    let signing = filled("webhook_secrets", |account| &account.webhook_secrets);
    let shown = filled("header_secrets", |account| &account.header_secrets);
    if problems.is_empty() { Ok(Keys { signing, shown }) } else { Err(problems) }
}

/// How deliveries are taken, if there is a key for one of the ways that the pack knows.
fn deliveries(
    described: Option<Deliveries>,
    keys: Keys,
    place: &str,
) -> Result<Option<(Deliveries, Keys)>, Vec<Problem>> {
    let lacks = |header: Option<&String>, keys: &[SecretString]| header.is_none() && !keys.is_empty();
    let without = |name: &str| {
        let message = format!("{name}: the pack names no header for it under connection.deliveries");
        Err(vec![problem(Path::new(place), message, "take it out, or name the header in the pack")])
    };
    let (signature, secret) = (
        described.as_ref().and_then(|one| one.signature_header.as_ref()),
        described.as_ref().and_then(|one| one.secret_header.as_ref()),
    );
    if lacks(signature, &keys.signing) {
        return without("webhook_secrets");
    }
    if lacks(secret, &keys.shown) {
        return without("header_secrets");
    }
    Ok(described.filter(|_| !keys.is_empty()).map(|described| (described, keys)))
}
