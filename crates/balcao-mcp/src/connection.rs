//! How a server is reached, as its pack's author describes it.

use std::collections::BTreeMap;

use balcao_connector::{HeaderAuth, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A server: a program that is started and spoken to over its standard input and output (`command`), or an address (`url`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// The program, by its whole path. The operator must have listed it.
    #[serde(default)]
    pub command: Option<String>,
    /// Its arguments, as they are: no settings, since everybody on the machine can read them.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its whole environment. Values may hold `{settings.name}`, secrets included.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The address of a server over streamable HTTP. May hold `{settings.name}`, but no secrets.
    #[serde(default)]
    pub url: Option<String>,
    /// How to prove who we are over HTTP.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// How the conversation begins.
    #[serde(default)]
    pub handshake: Handshake,
    /// How long a start may take, until the server has listed its tools.
    #[serde(default = "thirty_seconds")]
    #[schemars(range(min = 100, max = 300_000))]
    pub start_timeout_ms: u64,
    /// After how long a list of tools is asked for again, though the server told of no change.
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 1_000, max = 86_400_000))]
    pub relist_ms: u64,
    /// How often a server that runs asks whether it is there, and starts it again if it is not; 0: never. Without this, a server that
    /// died is found dead by the next call.
    #[serde(default = "five_minutes")]
    #[schemars(range(max = 86_400_000))]
    pub health_check_ms: u64,
    /// Largest message that is read, in bytes. Who says more is cut off.
    #[serde(default = "one_mebibyte")]
    #[schemars(range(min = 1_024, max = 16_777_216))]
    pub max_answer_bytes: usize,
    /// Tools that a server may list. One that lists more is not used.
    #[serde(default = "most_tools")]
    #[schemars(range(min = 1, max = 1_000))]
    pub max_tools: usize,
    /// How a server that died is started again.
    #[serde(default)]
    pub restart: Restart,
}

const fn thirty_seconds() -> u64 {
    30_000
}
const fn five_minutes() -> u64 {
    300_000
}
const fn one_mebibyte() -> usize {
    1 << 20
}
const fn most_tools() -> usize {
    128
}

/// How to prove who we are: one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// `Authorization: Bearer …`.
    #[serde(default)]
    pub bearer: Option<String>,
    /// Any header.
    #[serde(default)]
    pub header: Option<HeaderAuth>,
}

/// How the conversation begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Handshake {
    /// The server is asked what it speaks (revision 2026-07-28); one that does not know the question is greeted as before it.
    #[default]
    Auto,
    /// As before revision 2026-07-28, at once: for servers that do not bear another first word.
    Initialize,
}

/// How a server that died is started again: at first after `base_ms`, then after twice as long each time. One answered call, and it
/// begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Restart {
    /// From one start to the next.
    #[schemars(range(min = 10, max = 60_000))]
    pub base_ms: u64,
    /// At most so long.
    #[schemars(range(min = 10, max = 3_600_000))]
    pub max_ms: u64,
}

impl Default for Restart {
    fn default() -> Self {
        Self { base_ms: 1_000, max_ms: 300_000 }
    }
}

impl Connection {
    /// The JSON Schema, for editors and to be part of another schema.
    #[must_use]
    pub fn schema() -> Value {
        Problem::schema_of::<Self>()
    }

    /// Reads a connection from YAML's or JSON's values.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and what would be right.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        let read: Self = Problem::reading(value)?;
        let problems = read.problems();
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => {
                let message = "a server is a program or an address, not both";
                problems.push(Problem::new("/url", message).suggest("keep `command` or `url`"));
            }
            (None, None) => {
                let message = "it is not said where the server is";
                problems.push(Problem::new("", message).suggest("add `command: /usr/local/bin/…` or `url: https://…`"));
            }
            (Some(_), None) if self.auth.is_some() => {
                let message = "a program is given its secrets in its environment";
                problems.push(Problem::new("/auth", message).suggest("put them under `env`"));
            }
            (None, Some(_)) if !self.args.is_empty() || !self.env.is_empty() => {
                let message = "an address takes neither `args` nor `env`";
                problems.push(Problem::new("/url", message).suggest("put secrets under `auth`"));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        if let Some(auth) = &self.auth
            && auth.bearer.is_some() == auth.header.is_some()
        {
            problems.push(Problem::new("/auth", "one of `bearer` and `header` is expected"));
        }
        problems.extend(self.program_problems());
        problems
    }

    fn program_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.command.as_ref().is_some_and(|command| !command.starts_with('/')) {
            let message = "a program is named by its whole path: which one a bare name is depends on who asks";
            problems.push(Problem::new("/command", message).suggest("write it as `/usr/local/bin/server`"));
        }
        let lines = self.command.iter().map(|text| ("/command".to_owned(), text));
        let args = self.args.iter().enumerate().map(|(place, text)| (format!("/args/{place}"), text));
        for (at, _) in lines.chain(args).filter(|(_, text)| text.contains("{settings.")) {
            let message = "a command line holds no settings: what an organization types in would be run, and everybody could read it";
            problems.push(Problem::new(at, message).suggest("put the setting under `env`"));
        }
        for name in self.env.keys().filter(|name| name.is_empty() || name.contains(['=', '\0'])) {
            problems.push(
                Problem::new("/env", format!("invalid name of a variable `{name}`"))
                    .suggest("write a name that is not empty and has no `=`"),
            );
        }
        problems
    }
}
