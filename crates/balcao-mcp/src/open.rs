//! A connection bound to an organization's settings, and to what the operator lets it reach.

use std::time::Duration;

use balcao_connector::{Egress, Problem, Settings};
use reqwest::{
    Client, Url,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    connection::{Auth, Connection},
    stdio::Program,
};

/// How long opening a connection over HTTP may take.
const CONNECT: Duration = Duration::from_secs(5);

/// What servers may be reached. The operator decides it, never a pack or an organization.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Addresses.
    pub egress: Egress,
    /// Programs that this pack may start. None, unless listed.
    pub programs: Vec<Permitted>,
}

/// A program that may be started, with these arguments alone: to run an interpreter is to run whatever its arguments say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permitted {
    /// Its whole path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// Where a server is.
#[derive(Debug)]
pub(crate) enum Target {
    /// A program to be started.
    Program(Program),
    /// An address.
    Address {
        /// It.
        url: Url,
        /// What proves who we are.
        proof: Option<(HeaderName, HeaderValue)>,
        /// What goes there, and nowhere else.
        client: Client,
    },
}

impl Target {
    pub(crate) fn bind(connection: &Connection, settings: &Settings, reach: &Reach) -> Result<Self, Vec<Problem>> {
        match (&connection.command, &connection.url) {
            (Some(command), _) => program(command, connection, settings, reach).map(Self::Program),
            (None, Some(url)) => address(url, connection, settings, reach),
            (None, None) => Err(vec![Problem::new("", "it is not said where the server is")]),
        }
    }

    /// For staff: the very command line, or the address.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Program(program) => format!("{} {:?}", program.command, program.args),
            Self::Address { url, .. } => url.to_string(),
        }
    }
}

fn program(
    command: &str,
    connection: &Connection,
    settings: &Settings,
    reach: &Reach,
) -> Result<Program, Vec<Problem>> {
    let mut problems = Vec::new();
    if !reach.programs.iter().any(|one| one.command == command && one.args == connection.args) {
        let line = [&[command.to_owned()], connection.args.as_slice()].concat().join(" ");
        let message = format!("`{line}` is not among the programs that this pack may start here");
        let suggestion = "whoever runs the server lists it; a pack or an organization cannot";
        problems.push(Problem::new("/command", message).suggest(suggestion));
    }
    let mut env = std::collections::BTreeMap::new();
    for (name, value) in &connection.env {
        match settings.credential(value, &format!("/env/{name}")) {
            Ok(value) => drop(env.insert(name.clone(), value)),
            Err(problem) => problems.push(problem),
        }
    }
    let program = Program { command: command.to_owned(), args: connection.args.clone(), env };
    if problems.is_empty() { Ok(program) } else { Err(problems) }
}

fn address(text: &str, connection: &Connection, settings: &Settings, reach: &Reach) -> Result<Target, Vec<Problem>> {
    let url = permitted(text, settings, reach);
    let proof = connection.auth.as_ref().map(|auth| header(auth, settings)).transpose();
    match (url, proof) {
        (Ok(url), Ok(proof)) => {
            let client = reach.egress.client(CONNECT, url.scheme() == "http");
            let client = client.map_err(|error| vec![Problem::new("/url", format!("no client: {error}"))])?;
            Ok(Target::Address { url, proof, client })
        }
        (url, proof) => Err(url.err().into_iter().chain(proof.err()).collect()),
    }
}

fn permitted(text: &str, settings: &Settings, reach: &Reach) -> Result<Url, Problem> {
    let at = "/url";
    let text = settings.open(text, at)?;
    let url = text.parse::<Url>().map_err(|error| Problem::new(at, format!("invalid address: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Problem::new(at, "an address holds no password").suggest("put it under `auth`"));
    }
    reach.egress.check(&url).map_err(|reason| {
        Problem::new(at, format!("this address is not permitted: {reason}"))
            .suggest("whoever runs the server can permit networks of their own")
    })?;
    Ok(url)
}

fn header(auth: &Auth, settings: &Settings) -> Result<(HeaderName, HeaderValue), Problem> {
    let (name, value, at) = match (&auth.bearer, &auth.header) {
        (Some(token), _) => {
            let token = settings.credential(token, "/auth/bearer")?;
            (AUTHORIZATION, SecretString::from(format!("Bearer {}", token.expose_secret())), "/auth/bearer")
        }
        (None, Some(header)) => {
            let at = "/auth/header/name";
            let name = header.name.parse().map_err(|error| {
                Problem::new(at, format!("invalid name of a header: {error}; expected a name such as X-Api-Key"))
            })?;
            (name, settings.credential(&header.value, "/auth/header/value")?, "/auth/header/value")
        }
        (None, None) => return Err(Problem::new("/auth", "one of `bearer` and `header` is expected")),
    };
    let mut value = HeaderValue::from_str(value.expose_secret())
        .map_err(|error| Problem::new(at, format!("this cannot be sent in a header: {error}")))?;
    value.set_sensitive(true);
    Ok((name, value))
}
