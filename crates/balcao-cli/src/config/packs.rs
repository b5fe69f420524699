//! Tool packs of the operator's own: `[packs]` and `[[packs.accounts]]`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use balcao_app::admin::delivery_rule::{DeliveryRule, TurnRule};
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Packs besides those that are part of the program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PacksConfig {
    /// Folders of packs: each holds a `tool.yaml`, or folders that do.
    pub(crate) folders: Vec<PathBuf>,
    /// The file of the contracts that the operator accepted (`balcao pack accept`).
    pub(crate) accepted: PathBuf,
    /// The file of refresh tokens that services exchanged for those of the accounts.
    pub(crate) tokens: PathBuf,
    /// Networks that requests of packs may reach though they are not public.
    pub(crate) allow_networks: Vec<IpNet>,
    /// Permits plain HTTP, to those networks only.
    pub(crate) plain_http: bool,
    /// Programs that packs over MCP servers may start. None, unless listed.
    pub(crate) programs: Vec<ProgramConfig>,
    /// Packs are being written here: their changes are in force without anybody accepting them.
    pub(crate) development: bool,
    /// Processes that run the helpers of one pack, at most.
    pub(crate) workers: u8,
    /// How often `serve` looks for changed packs, in milliseconds; 0: never.
    pub(crate) reload_ms: u64,
    /// Who the services know the business as.
    pub(crate) accounts: Vec<AccountConfig>,
    /// The short name of the organization that is served, where the configuration names one (no key of this table).
    #[serde(skip)]
    pub(crate) organization: Option<String>,
    /// A server was at work on the database and the file of acceptances is gone, so that every pack waits for a person (no key of the file).
    #[serde(skip)]
    pub(crate) acceptances_are_lost: bool,
    /// Somebody is about to accept packs (no key of the file).
    #[serde(skip)]
    pub(crate) reviewing: bool,
    /// A trial run: nothing is sent that may change something (no key of the file).
    #[serde(skip)]
    pub(crate) trial: bool,
    /// What makes vectors of texts: `[embedding]`.
    #[serde(skip)]
    pub(crate) embedding: super::embedding::EmbeddingConfig,
    /// The variables of the environment that settings refer to.
    #[serde(skip)]
    pub(super) variables: BTreeMap<String, SecretString>,
}

impl Default for PacksConfig {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            accepted: PathBuf::from("packs.accepted.json"),
            tokens: PathBuf::from("packs.tokens.json"),
            allow_networks: Vec::new(),
            plain_http: false,
            programs: Vec::new(),
            development: false,
            workers: 2,
            reload_ms: 2_000,
            accounts: Vec::new(),
            organization: None,
            acceptances_are_lost: false,
            reviewing: false,
            trial: false,
            embedding: super::embedding::EmbeddingConfig::default(),
            variables: BTreeMap::new(),
        }
    }
}

/// A program that one pack may start, with these arguments and no others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramConfig {
    /// The pack's id.
    pub(crate) pack: String,
    /// The program's whole path.
    pub(crate) command: String,
    /// Its arguments, word by word as the pack writes them.
    #[serde(default)]
    pub(crate) args: Vec<String>,
}

impl std::fmt::Display for ProgramConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pack, self.command)?;
        self.args.iter().try_for_each(|word| write!(f, " {word}"))
    }
}

/// An organization's account at the service of a pack.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountConfig {
    /// The pack's id.
    pub(crate) pack: String,
    /// The organization's short name; without it, every organization that has none of its own.
    #[serde(default)]
    pub(crate) organization: Option<String>,
    /// What the pack's `settings` ask for. `${NAME}` is a variable of the environment; secrets are given so, and only so.
    #[serde(default)]
    pub(crate) settings: Map<String, Value>,
    /// The file of a connection over which the pack runs instead of its own: a server of the Model Context Protocol.
    #[serde(default)]
    pub(crate) over: Option<PathBuf>,
    /// What the service signs its webhooks with: `${NAME}`. While one is exchanged for another, both.
    #[serde(default)]
    pub(crate) webhook_secrets: Vec<String>,
    /// What a header holds of webhooks that the service does not sign: `${NAME}`, of our own making.
    #[serde(default)]
    pub(crate) header_secrets: Vec<String>,
    /// Commands of the pack, and turns of the agent, that its deliveries start.
    #[serde(default)]
    pub(crate) on_delivery: Vec<DeliveryRule>,
}

impl AccountConfig {
    /// Whether it is meant for an organization; for none in particular, any.
    fn serves(&self, organization: Option<&str>) -> bool {
        match (&self.organization, organization) {
            (Some(own), Some(other)) => own == other,
            (None, _) | (Some(_), None) => true,
        }
    }
}

impl PacksConfig {
    /// The account of a pack for an organization: its own, else the one for all.
    pub(crate) fn account(&self, pack: &str, organization: Option<&str>) -> Option<&AccountConfig> {
        let mut all = self.accounts.iter().filter(|one| one.pack == pack && one.serves(organization));
        let first = all.clone().find(|one| one.organization.is_some());
        first.or_else(|| all.next())
    }

    /// A text with its `${NAME}` replaced by what the environment says.
    ///
    /// # Errors
    /// The variable that is not set.
    pub(crate) fn filled(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${") {
            let Some((name, after)) = behind.split_once('}') else { break };
            let value = self.variables.get(name).ok_or_else(|| format!("the environment has no {name}"))?;
            filled.push_str(before);
            filled.push_str(value.expose_secret());
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Takes up the variables that settings refer to, and gives their values, which no log may show.
    pub(super) fn take_up(&mut self, environment: &BTreeMap<String, String>) -> Vec<SecretString> {
        let mut names = BTreeSet::new();
        for account in &self.accounts {
            account.settings.values().for_each(|value| references(value, &mut names));
            let secrets = account.webhook_secrets.iter().chain(&account.header_secrets);
            secrets.for_each(|text| references(&Value::from(text.as_str()), &mut names));
        }
        let found = names.into_iter().filter_map(|name| {
            let value = environment.get(&name)?.trim();
            (!value.is_empty()).then(|| (name, SecretString::from(value.to_owned())))
        });
        self.variables = found.collect();
        self.variables.values().cloned().collect()
    }

    /// Paths of the file are meant from where the file is.
    pub(super) fn seen_from(&mut self, folder: &Path, from_file: impl Fn(&str) -> bool) {
        if from_file("packs.folders") {
            self.folders.iter_mut().for_each(|one| *one = folder.join(&*one));
        }
        if from_file("packs.accepted") {
            self.accepted = folder.join(&self.accepted);
        }
        if from_file("packs.tokens") {
            self.tokens = folder.join(&self.tokens);
        }
        // Accounts stand in the file alone.
        for over in self.accounts.iter_mut().filter_map(|account| account.over.as_mut()) {
            *over = folder.join(&*over);
        }
    }

    /// What no clock and no pool can take.
    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 2] {
        [("packs.workers", u64::from(self.workers), 1, 16), ("packs.reload_ms", self.reload_ms, 0, 3_600_000)]
    }

    /// Two accounts of a pack for one organization are a mistake.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for one in &self.accounts {
            if !seen.insert((&one.pack, &one.organization)) {
                let whose = one.organization.as_deref().unwrap_or("every organization");
                return Err(format!("packs.accounts: `{}` has two accounts for {whose}; keep one of them", one.pack));
            }
        }
        Ok(())
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let list = |all: Vec<String>| if all.is_empty() { "(none)".to_owned() } else { all.join(", ") };
        row("packs.folders", list(self.folders.iter().map(|one| one.display().to_string()).collect()));
        row("packs.accepted", self.accepted.display().to_string());
        row("packs.tokens", self.tokens.display().to_string());
        row("packs.programs", list(self.programs.iter().map(ToString::to_string).collect()));
        row("packs.development", self.development.to_string());
        row("packs.allow_networks", list(self.allow_networks.iter().map(ToString::to_string).collect()));
        row("packs.plain_http", self.plain_http.to_string());
        row("packs.workers", self.workers.to_string());
        row("packs.reload_ms", self.reload_ms.to_string());
        for one in &self.accounts {
            let whose = one.organization.as_deref().map(|slug| format!(".{slug}")).unwrap_or_default();
            let shown: Vec<String> = one.settings.iter().map(|(name, value)| shown(name, value)).collect();
            let none = one.webhook_secrets.is_empty() && one.header_secrets.is_empty();
            let signed = if none { "" } else { "; webhooks are taken" };
            let over = one.over.as_ref().map(|file| format!("; over {}", file.display())).unwrap_or_default();
            let started: Vec<String> = one.on_delivery.iter().map(started).collect();
            let started =
                if started.is_empty() { String::new() } else { format!("; deliveries start {}", started.join(", ")) };
            row(&format!("packs.accounts.{}{whose}", one.pack), format!("{}{over}{signed}{started}", list(shown)));
        }
    }
}

/// What a rule starts, in words.
fn started(rule: &DeliveryRule) -> String {
    let of = |turn: &TurnRule| {
        let by = turn.phone.as_ref().map(|pointer| format!("phone {pointer}"));
        let by = by.or_else(|| turn.contact.as_ref().map(|pointer| format!("contact {pointer}")));
        format!("a turn with {}", by.unwrap_or_else(|| "(nobody)".to_owned()))
    };
    rule.turn.as_ref().map_or_else(|| rule.name().to_owned(), of)
}

/// A setting as it may be shown: where it comes from, or that it is there.
fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) if text.starts_with("${") && text.ends_with('}') => format!("{name} = {text}"),
        // Which of them are secrets only the pack knows, and a mistake must not be shown either.
        Value::String(_) | Value::Array(_) | Value::Object(_) => format!("{name} = ********"),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("{name} = {value}"),
    }
}

fn references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let names = text.split("${").skip(1).filter_map(|rest| rest.split_once('}'));
            into.extend(names.map(|(name, _)| name.to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| references(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
