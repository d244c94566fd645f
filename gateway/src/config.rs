//! The settings of `postern`: one table declares them; values come from flags, environment variables, the settings file
//! or defaults, in that order of precedence. The modules of the server that use a setting interpret it.

mod validate;
mod webhook_method;
pub mod limits;
mod sections;
pub mod dialect;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches};

use sha2::{Digest, Sha256};
use sql::resolve::Options;
use subtle::ConstantTimeEq;

use crate::config::dialect::Profile;
pub use limits::Limits;
pub use sections::{ConfigTables, SECTIONS};
pub use validate::{SettingsReport, validate};
pub use webhook_method::WebhookMethod;

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A path; in the file relative to the file.
    Path,
    /// Text that is never shown.
    Secret,
    /// `true` or `false`; a flag without value is true.
    Switch,
    /// A whole number.
    Number,
    /// A number of seconds, possibly fractional.
    Seconds,
    /// Several texts, separated by commas; in the file a list.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The flag without its dashes: `database-url`.
    pub name: &'static str,
    /// The placeholder for the value in `--help`.
    pub value: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// The default, as it would be written.
    pub default: Option<&'static str>,
    /// The text in `--help`.
    pub help: &'static str,
}

const fn setting(name: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Setting {
    Setting { name, value, kind, default: None, help }
}

impl Setting {
    const fn default(self, default: &'static str) -> Setting {
        Setting { default: Some(default), ..self }
    }
}

/// All settings. Each is a flag, an environment variable `POSTERN_…` and a key of the file.
pub const SETTINGS: &[Setting] = &[
    setting("config", "FILE", Kind::Path, "Read settings from this TOML file"),
    setting(
        "database-url",
        "URL",
        Kind::Secret,
        "The database, `postgres://user@host:5432/name`; else `DATABASE_URL`, then libpq's variables (`PGHOST`)",
    ),
    setting("permissions", "FILE", Kind::Path, "Who may do what; without it only the admin secret gets in"),
    setting("rest-map", "FILE", Kind::Path, "Named queries, for `/api/rest/` and for `/mcp`, as a TOML file"),
    setting("listen", "ADDR", Kind::Text, "Where to listen").default("127.0.0.1:8080"),
    setting(
        "tls-cert",
        "FILE",
        Kind::Path,
        "Speak HTTPS, with the certificates of this PEM file, the server's own first",
    ),
    setting("tls-key", "FILE", Kind::Path, "The private key of that certificate, as a PEM file"),
    setting("trusted-proxies", "LIST", Kind::List, "Addresses of proxies that say who the client is (`10.0.0.0/8`)"),
    setting("admin-secret", "S", Kind::Secret, "Who sends this secret may do everything"),
    setting(
        "jwt-secret",
        "JSON",
        Kind::Secret,
        "How tokens are verified: `{\"type\":\"HS256\",\"key\":\"…\"}`, or a list",
    ),
    setting(
        "signing-key",
        "PEM",
        Kind::Secret,
        "The private key that new tokens are signed with, or `@FILE`; not for HS256, HS384 and HS512",
    ),
    setting("auth-hook", "URL", Kind::Secret, "Ask this service who is asking, in place of tokens"),
    setting("auth-hook-mode", "METHOD", Kind::Word(&["GET", "POST"]), "How the service is asked").default("GET"),
    setting("profile", "NAME", Kind::Word(Profile::NAMES), "Which server's manners hold").default("gateway"),
    setting(
        "header-prefix",
        "PREFIX",
        Kind::Text,
        "How headers and claims of the session begin; default: the profile's",
    ),
    setting("unauthorized-role", "R", Kind::Text, "The role of callers without token or secret"),
    setting("require-role-header", "", Kind::Switch, "Ask for the role header beside every token"),
    setting("insecure", "", Kind::Switch, "Let everybody in as admin"),
    setting("stringify-numbers", "", Kind::Switch, "Answer bigint, numeric and double precision as strings"),
    setting(
        "redis-url",
        "URL",
        Kind::Secret,
        "Where gateways share what rates count, `redis://host:6379`, or `rediss://`",
    ),
    setting("pool-size", "N", Kind::Number, "The most connections to the database").default("10"),
    setting("pool-role-limit", "N", Kind::Number, "The most of them that requests of one role may hold"),
    setting("pool-client-limit", "N", Kind::Number, "The most of them that requests of one user or address may hold"),
    setting("queue-limit", "N", Kind::Number, "The most requests that wait for a connection").default("1000"),
    setting("queue-timeout", "SECONDS", Kind::Seconds, "The most time that a request waits for a connection")
        .default("10"),
    setting(
        "read-rate",
        "BYTES",
        Kind::Number,
        "The least bytes a second that a client takes whose answer holds a connection",
    )
    .default("65536"),
    setting("memory-limit", "BYTES", Kind::Number, "The most memory that requests take up together")
        .default("268435456"),
    setting("statement-cache", "N", Kind::Number, "Prepared statements per connection, of 1 MiB of text at most")
        .default("256"),
    setting("plan-cache", "BYTES", Kind::Number, "What translated documents may take up").default("67108864"),
    setting("cors-origins", "LIST", Kind::List, "Web origins that may call, or `*`"),
    setting("server-timing", "", Kind::Switch, "Tell clients how long each stage took, in `Server-Timing`"),
    setting("metrics-secret", "S", Kind::Secret, "Who reads `/metrics` has to send this, as a bearer token"),
    setting("metrics-open", "", Kind::Switch, "Without that secret, answer `/metrics` to other machines too"),
    setting("compression", "", Kind::Switch, "Compress answers for clients that take it").default("true"),
    setting("log-format", "FORMAT", Kind::Word(&["json", "text"]), "How the log is written").default("text"),
    setting("log-level", "LEVEL", Kind::Text, "What is logged: `info`, `debug`, or a filter").default("info"),
    setting("time-limit", "SECONDS", Kind::Seconds, "The most time for a request").default("30"),
    setting("header-timeout", "SECONDS", Kind::Seconds, "The most time for the head of a request").default("10"),
    setting("body-timeout", "SECONDS", Kind::Seconds, "The most time between parts of a body").default("10"),
    setting("idle-timeout", "SECONDS", Kind::Seconds, "The most time without a request").default("75"),
    setting("drain-timeout", "SECONDS", Kind::Seconds, "The most time to finish when stopped").default("30"),
    setting("body-limit", "BYTES", Kind::Number, "The largest body").default("2097152"),
    setting("batch-limit", "N", Kind::Number, "The most requests in a batch").default("50"),
    setting("answer-limit", "BYTES", Kind::Number, "The largest answer").default("67108864"),
    setting("row-limit", "N", Kind::Number, "The most rows that Postgres' planner may expect of a request")
        .default("1000000"),
    setting("cost-limit", "N", Kind::Number, "The most work that Postgres' planner may expect of a request")
        .default("10000000"),
    setting("token-limit", "N", Kind::Number, "The most tokens in a document"),
    setting("nesting-limit", "N", Kind::Number, "The deepest brackets in a document"),
    setting("depth-limit", "N", Kind::Number, "The deepest field of a document, fragments expanded"),
    setting("field-limit", "N", Kind::Number, "The most fields of a document, fragments expanded"),
    setting("alias-limit", "N", Kind::Number, "The most aliases in a document, fragments expanded"),
    setting("root-limit", "N", Kind::Number, "The most root fields of an operation"),
    setting("node-limit", "N", Kind::Number, "The most fields with fields inside them, fragments expanded"),
    setting("height-limit", "N", Kind::Number, "The most different fields of an operation, fragments merged"),
];

/// The environment variable for the database that many programs share.
const DATABASE_URL: &str = "DATABASE_URL";

/// The settings that a command was given, as text, and the tables of the settings file.
#[derive(Clone, Default)]
pub struct Settings {
    texts: BTreeMap<&'static str, String>,
    /// The origin of each: the flag, the variable, or the key with file and line.
    origins: BTreeMap<&'static str, String>,
    /// Possible mistakes that were found while reading the settings.
    notes: Vec<String>,
    sections: ConfigTables,
}

/// The parsed settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `--database-url`.
    pub database_url: Option<Secret>,
    /// `--permissions`.
    pub permissions: Option<PathBuf>,
    /// `--rest-map`.
    pub rest_map: Option<PathBuf>,
    /// `--listen`.
    pub listen: String,
    /// `--tls-cert`.
    pub tls_cert: Option<PathBuf>,
    /// `--tls-key`.
    pub tls_key: Option<PathBuf>,
    /// `--trusted-proxies`.
    pub trusted_proxies: Vec<String>,
    /// `--admin-secret`.
    pub admin_secret: Option<Secret>,
    /// `--jwt-secret`.
    pub jwt_secret: Option<Secret>,
    /// `--signing-key`.
    pub signing_key: Option<Secret>,
    /// `--auth-hook`.
    pub auth_hook: Option<Secret>,
    /// `--auth-hook-mode`.
    pub auth_hook_mode: WebhookMethod,
    /// `--profile`.
    pub profile: Profile,
    /// `--header-prefix`.
    pub header_prefix: String,
    /// `--unauthorized-role`.
    pub unauthorized_role: Option<String>,
    /// `--require-role-header`.
    pub require_role_header: bool,
    /// `--insecure`.
    pub insecure: bool,
    /// `--stringify-numbers`.
    pub stringify_numbers: bool,
    /// `--redis-url`.
    pub redis_url: Option<Secret>,
    /// `--pool-size`.
    pub pool_size: usize,
    /// `--pool-client-limit`.
    pub pool_client_limit: usize,
    /// `--queue-limit`.
    pub queue_limit: usize,
    /// `--queue-timeout`.
    pub queue_time: Duration,
    /// `--memory-limit`.
    pub memory_limit: usize,
    /// `--statement-cache`.
    pub statement_cache: usize,
    /// `--plan-cache`.
    pub plan_cache: u64,
    /// `--cors-origins`.
    pub cors_origins: Vec<String>,
    /// `--server-timing`.
    pub server_timing: bool,
    /// `--metrics-secret` and `--metrics-open`.
    pub metrics: MetricsAccess,
    /// `--compression`.
    pub compression: bool,
    /// `--log-format json`.
    pub log_json: bool,
    /// `--log-level`.
    pub log_level: String,
    /// The limits of requests.
    pub limits: Limits,
    /// The tables of the settings file.
    pub sections: ConfigTables,
}

/// Which requests may read `/metrics`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Requests with this secret.
    Secret(Secret),
    /// All requests.
    Open,
    /// Requests from the gateway's own machine.
    Loopback,
}

/// A text that is never logged or shown in messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// An error in the settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The file is not valid TOML, or a value in a table has the wrong type.
    #[error("{}: line {line}: {message}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// A table of the file with invalid contents.
    #[error("{}: `{name}`: {message}", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// The table's key.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// An unknown key.
    #[error("{}: {}`{key}` is not a setting{}", path.display(), line.map(|line| format!("line {line}: ")).unwrap_or_default(), suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The line.
        line: Option<usize>,
        /// The key.
        key: String,
        /// A setting with a similar name.
        suggestion: Option<String>,
    },
    /// An environment variable whose name is similar to that of a setting.
    #[error("the environment variable `{name}` is not a setting; did you mean `{suggestion}`?")]
    UnknownVariable {
        /// Its name.
        name: String,
        /// The variable of the setting.
        suggestion: String,
    },
    /// A value that is invalid by itself or together with others. The value is not repeated.
    #[error("{origin} {message}")]
    Unsound {
        /// The flag, variable or key.
        origin: String,
        /// What is wrong.
        message: String,
    },
    /// Several faults, one per line.
    #[error("{}", lines(.0))]
    Several(Vec<ConfigError>),
    /// A value that a setting cannot have. The value is not repeated: it may be a secret.
    #[error("{origin} has to be {expected}")]
    Value {
        /// The flag, variable or key.
        origin: String,
        /// The valid values.
        expected: String,
    },
}

fn lines(faults: &[ConfigError]) -> String {
    faults.iter().map(ConfigError::to_string).collect::<Vec<_>>().join("\nerror: ")
}

impl ConfigError {
    /// One error for all of these faults; `Ok` if there are none.
    pub fn of(mut faults: Vec<ConfigError>) -> Result<(), ConfigError> {
        match faults.len() {
            0 => Ok(()),
            1 => Err(faults.remove(0)),
            _ => Err(ConfigError::Several(faults)),
        }
    }

    /// Converts an error of the TOML parser.
    pub(crate) fn toml(path: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ConfigError::Toml { path: path.into(), line, message: error.message().to_owned() }
    }
}

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether the text equals the secret. Compares hashes in constant time, so that neither content nor length leaks.
    pub fn is(&self, given: &str) -> bool {
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        digest(given).ct_eq(&digest(&self.0)).into()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.texts.keys()).finish()
    }
}

impl Setting {
    /// The key in the file: `database_url`.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The environment variable: `POSTERN_DATABASE_URL`.
    pub fn variable(&self) -> String {
        format!("POSTERN_{}", self.key().to_uppercase())
    }

    /// The flag for clap.
    pub fn arg(&self) -> Arg {
        let default = self.default.map(|default| format!(", default: {default}")).unwrap_or_default();
        let arg = Arg::new(self.name)
            .long(self.name)
            .help(format!("{} [env: {}{default}]", self.help, self.variable()))
            .help_heading("Settings")
            .action(ArgAction::Set);
        match self.kind {
            Kind::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("BOOL"),
            Kind::Word(words) => arg.value_name(self.value).value_parser(words.to_vec()),
            _ => arg.value_name(self.value),
        }
    }

    /// Validates a text and normalizes it.
    fn accept(&self, text: &str, origin: String) -> Result<String, ConfigError> {
        let text = text.trim();
        let refuse = |expected: String| Err(ConfigError::Value { origin, expected });
        match self.kind {
            Kind::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Ok("true".into()),
                "false" | "0" | "no" | "off" => Ok("false".into()),
                _ => refuse("true or false".into()),
            },
            Kind::Number if text.parse::<usize>().is_err() => refuse("a whole number".into()),
            Kind::Path if text.is_empty() => refuse("a path".into()),
            Kind::Seconds if seconds(text).is_none() => refuse("a positive number of seconds".into()),
            Kind::Word(words) if !words.contains(&text) => refuse(format!("one of {}", words.join(", "))),
            _ => Ok(text.to_owned()),
        }
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero() && number < 1e7)
}

/// The setting with this name.
pub fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// The flags of these settings.
pub fn args(names: &[&str]) -> Vec<Arg> {
    SETTINGS.iter().filter(|setting| names.contains(&setting.name)).map(Setting::arg).collect()
}

impl Settings {
    /// Collects the settings from flags, the environment and the file that one of them names.
    pub fn gather(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, ConfigError> {
        Settings::gather_beside(flag, variable, vec![])
    }

    /// Like [`Settings::gather`], and returns `faults` together with all new errors.
    fn gather_beside(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
        mut faults: Vec<ConfigError>,
    ) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        for setting in SETTINGS {
            let put = if let Some(text) = flag(setting.name) {
                settings.put(setting, &text, format!("--{}", setting.name))
            } else if let Some(text) = variable(&setting.variable()).filter(|text| !text.is_empty()) {
                settings.put(setting, &text, setting.variable())
            } else {
                Ok(())
            };
            faults.extend(put.err());
        }
        if let Some(path) = settings.get("config").map(PathBuf::from) {
            match std::fs::read_to_string(&path) {
                Ok(text) => settings.merge_file(&path, &text, &mut faults),
                Err(cause) => faults.push(ConfigError::Unreadable { path, cause }),
            }
        }
        // `DATABASE_URL` comes last, because platforms set it for every program.
        if let (Some(setting), None) = (find("database-url"), settings.get("database-url"))
            && let Some(url) = variable(DATABASE_URL).filter(|url| !url.is_empty())
        {
            faults.extend(settings.put(setting, &url, DATABASE_URL.into()).err());
        }
        ConfigError::of(faults).map(|()| settings)
    }

    /// Collects the settings from a command's flags and the process's environment.
    pub fn of_command(matches: &ArgMatches) -> Result<Settings, ConfigError> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let (faults, notes) = validate::variables(names);
        let gathered = Settings::gather_beside(
            |name| matches.try_get_one::<String>(name).ok().flatten().cloned(),
            |name| std::env::var(name).ok(),
            faults,
        );
        gathered.map(|settings| Settings { notes, ..settings })
    }

    /// Collects the settings from the text of a file alone.
    pub fn of_text(path: &str, text: &str) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        let mut faults = vec![];
        settings.merge_file(Path::new(path), text, &mut faults);
        ConfigError::of(faults).map(|()| settings)
    }

    /// The origin of a setting for messages: `--pool-size`, `POSTERN_POOL_SIZE`, ``gateway.toml: line 3: `pool_size`
    /// ``.
    pub fn origin(&self, name: &str) -> String {
        self.origins.get(name).cloned().unwrap_or_else(|| format!("--{name}"))
    }

    /// Whether the setting was set explicitly.
    pub fn is_given(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// The text of a setting, or its default.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str).or_else(|| find(name)?.default)
    }

    /// Sets a setting as if by its flag.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        let unknown = || ConfigError::UnknownKey {
            path: "settings".into(),
            line: None,
            key: name.into(),
            suggestion: similar(name).map(|setting| setting.name.into()),
        };
        let setting = find(name).ok_or_else(unknown)?;
        self.put(setting, text, format!("--{name}"))
    }

    /// Replaces the settings with these names by those of `running`.
    pub fn keep(&mut self, running: &Settings, names: &[&str]) {
        for setting in SETTINGS.iter().filter(|setting| names.contains(&setting.name)) {
            match running.texts.get(setting.name) {
                Some(text) => drop(self.texts.insert(setting.name, text.clone())),
                None => drop(self.texts.remove(setting.name)),
            }
        }
    }

    fn put(&mut self, setting: &'static Setting, text: &str, origin: String) -> Result<(), ConfigError> {
        let text = setting.accept(text, origin.clone())?;
        self.texts.insert(setting.name, text);
        self.origins.insert(setting.name, origin);
        Ok(())
    }

    /// Adds the settings of the file that flags and environment have not set.
    fn merge_file(&mut self, path: &Path, text: &str, faults: &mut Vec<ConfigError>) {
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(error) => return faults.push(ConfigError::toml(path, text, &error)),
        };
        self.sections = ConfigTables::of(path, text);
        for (key, value) in table {
            if SECTIONS.contains(&key.as_str()) {
                continue;
            }
            faults.extend(self.merge_key(path, key, value).err());
        }
    }

    fn merge_key(&mut self, path: &Path, key: String, value: toml::Value) -> Result<(), ConfigError> {
        let line = self.sections.line(&key);
        let Some(setting) = SETTINGS.iter().find(|setting| setting.key() == key && setting.name != "config") else {
            let suggestion = similar_key(&key);
            return Err(ConfigError::UnknownKey { path: path.into(), line, key, suggestion });
        };
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let origin = format!("{}: {line}`{key}`", path.display());
        let refuse = |expected| ConfigError::Value { origin: origin.clone(), expected };
        let text = file_text(setting, value).map_err(refuse)?;
        let text = match setting.kind {
            Kind::Path => beside(path, &text),
            _ => text,
        };
        let text = setting.accept(&text, origin.clone())?;
        if !self.texts.contains_key(setting.name) {
            self.texts.insert(setting.name, text);
            self.origins.insert(setting.name, origin);
        }
        Ok(())
    }
}

/// Resolves a path in the file, which is relative to the file.
fn beside(file: &Path, path: &str) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    folder.join(path).to_string_lossy().into_owned()
}

/// Converts a value of the file to the text of a command line.
fn file_text(setting: &Setting, value: toml::Value) -> Result<String, String> {
    match (setting.kind, value) {
        (Kind::List, toml::Value::Array(items)) => {
            let items = items.into_iter().map(|item| item.as_str().map(str::to_owned));
            let items: Option<Vec<String>> = items.collect();
            items.map(|items| items.join(",")).ok_or_else(|| "a list of strings".into())
        }
        (Kind::Switch, toml::Value::Boolean(switch)) => Ok(switch.to_string()),
        (Kind::Number | Kind::Seconds, toml::Value::Integer(number)) => Ok(number.to_string()),
        (Kind::Seconds, toml::Value::Float(number)) => Ok(number.to_string()),
        (Kind::Switch, _) => Err("true or false".into()),
        (Kind::Number, _) => Err("a whole number".into()),
        (Kind::Seconds, _) => Err("a number of seconds".into()),
        (_, toml::Value::String(text)) => Ok(text),
        (Kind::Secret, value @ (toml::Value::Table(_) | toml::Value::Array(_))) => {
            serde_json::to_string(&value).map_err(|_| "a string".into())
        }
        _ => Err("a string".into()),
    }
}

/// The setting with the most similar key, if one is similar enough.
fn similar(key: &str) -> Option<&'static Setting> {
    let settings = SETTINGS.iter().map(|setting| (strsim::damerau_levenshtein(&setting.key(), key), setting));
    settings.filter(|(distance, _)| *distance <= 3).min_by_key(|(distance, _)| *distance).map(|(_, setting)| setting)
}

/// The key of a setting or table that is most similar, if one is similar enough.
fn similar_key(key: &str) -> Option<String> {
    let known = SETTINGS.iter().map(Setting::key).chain(SECTIONS.iter().map(|section| (*section).to_owned()));
    let known = known.map(|known| (strsim::damerau_levenshtein(&known, key), known));
    known.filter(|(distance, _)| *distance <= 3).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

impl Config {
    /// The options for translating documents. Cursors are signed with a secret derived from the configured ones, so
    /// that gateways with equal settings accept each other's cursors; without configured secrets, the key is random.
    pub fn translation(&self) -> Options {
        let configured = [&self.admin_secret, &self.jwt_secret];
        let mut secrets: Vec<&str> = configured.into_iter().flatten().map(Secret::reveal).collect();
        // Kept for the lifetime of the process, so that cursors survive a reload.
        static RANDOM: OnceLock<String> = OnceLock::new();
        if secrets.is_empty() {
            secrets.push(RANDOM.get_or_init(|| uuid::Uuid::new_v4().to_string()));
        }
        let cursors = sql::encode::cursor::Secret::derive(secrets.join("\0").as_bytes());
        let coercion = self.profile.coercion();
        let (answer_bytes, value_bytes) = (Some(self.limits.answer), Some(self.limits.values()));
        let stringify_numbers = self.stringify_numbers;
        Options { stringify_numbers, cursors, coercion, answer_bytes, value_bytes, ..Options::default() }
    }

    /// Parses the settings. Their texts were validated when they were set.
    pub fn new(settings: &Settings) -> Config {
        let text = |name: &str| settings.get(name).map(str::to_owned);
        let secret = |name: &str| settings.get(name).filter(|text| !text.is_empty()).map(Secret::new);
        let switch = |name: &str| settings.get(name) == Some("true");
        let number = |name: &str| settings.get(name).and_then(|text| text.parse::<usize>().ok());
        let profile = Profile::named(settings.get("profile").unwrap_or_default());
        let list = |name: &str| {
            let items = settings.get(name).unwrap_or_default().split(',').map(str::trim);
            items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        Config {
            database_url: secret("database-url"),
            permissions: settings.get("permissions").map(PathBuf::from),
            rest_map: settings.get("rest-map").map(PathBuf::from),
            listen: text("listen").unwrap_or_default(),
            tls_cert: settings.get("tls-cert").map(PathBuf::from),
            tls_key: settings.get("tls-key").map(PathBuf::from),
            trusted_proxies: list("trusted-proxies"),
            admin_secret: secret("admin-secret"),
            jwt_secret: secret("jwt-secret"),
            signing_key: secret("signing-key"),
            auth_hook: secret("auth-hook"),
            auth_hook_mode: if settings.get("auth-hook-mode") == Some("POST") {
                WebhookMethod::Post
            } else {
                WebhookMethod::Get
            },
            profile,
            header_prefix: text("header-prefix").unwrap_or_else(|| profile.header_prefix().to_owned()),
            unauthorized_role: text("unauthorized-role").filter(|role| !role.is_empty()),
            require_role_header: switch("require-role-header"),
            insecure: switch("insecure"),
            stringify_numbers: switch("stringify-numbers"),
            redis_url: secret("redis-url"),
            pool_size: number("pool-size").unwrap_or(10),
            pool_client_limit: number("pool-client-limit").unwrap_or(client_share(settings)),
            queue_limit: number("queue-limit").unwrap_or(1000),
            queue_time: settings.get("queue-timeout").and_then(seconds).unwrap_or(Duration::from_secs(10)),
            memory_limit: number("memory-limit").unwrap_or(256 << 20),
            statement_cache: number("statement-cache").unwrap_or(256),
            plan_cache: number("plan-cache").unwrap_or(1 << 26) as u64,
            cors_origins: list("cors-origins"),
            server_timing: switch("server-timing"),
            metrics: match secret("metrics-secret") {
                Some(secret) => MetricsAccess::Secret(secret),
                None if switch("metrics-open") => MetricsAccess::Open,
                None => MetricsAccess::Loopback,
            },
            compression: switch("compression"),
            log_json: settings.get("log-format") == Some("json"),
            log_level: text("log-level").unwrap_or_default(),
            limits: limits(settings),
            sections: settings.sections.clone(),
        }
    }
}

/// The default number of connections that one role may hold, and one client: so that some are left for other roles, and
/// some for other clients of the role. A pool of one or two connections cannot reserve any.
fn shares(settings: &Settings) -> (usize, usize) {
    let pool = settings.get("pool-size").and_then(|text| text.parse::<usize>().ok()).unwrap_or(10);
    let left = (pool / 8).max(1);
    (pool.saturating_sub(left).max(1), pool.saturating_sub(2 * left).max(1))
}

fn client_share(settings: &Settings) -> usize {
    shares(settings).1
}

fn limits(settings: &Settings) -> Limits {
    let mut limits = Limits { connections: shares(settings).0, ..Limits::default() };
    let number = |name: &str, target: &mut usize| {
        if let Some(value) = settings.get(name).and_then(|text| text.parse().ok()) {
            *target = value;
        }
    };
    number("pool-role-limit", &mut limits.connections);
    number("read-rate", &mut limits.read_rate);
    number("body-limit", &mut limits.body);
    number("batch-limit", &mut limits.batch);
    number("answer-limit", &mut limits.answer);
    number("row-limit", &mut limits.rows);
    number("cost-limit", &mut limits.cost);
    number("token-limit", &mut limits.document.tokens);
    number("nesting-limit", &mut limits.document.nesting);
    number("depth-limit", &mut limits.document.depth);
    number("field-limit", &mut limits.document.fields);
    number("alias-limit", &mut limits.document.aliases);
    number("root-limit", &mut limits.document.roots);
    number("node-limit", &mut limits.document.nodes);
    number("height-limit", &mut limits.document.height);
    let time = |name: &str, target: &mut Duration| {
        if let Some(value) = settings.get(name).and_then(seconds) {
            *target = value;
        }
    };
    time("time-limit", &mut limits.time);
    time("header-timeout", &mut limits.header_time);
    time("body-timeout", &mut limits.body_time);
    time("idle-timeout", &mut limits.idle_time);
    time("drain-timeout", &mut limits.drain_time);
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(flags: &[(&str, &str)], environment: &[(&str, &str)]) -> Result<Settings, ConfigError> {
        let find = |pairs: &[(&str, &str)], name: &str| {
            pairs.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
        };
        Settings::gather(|name| find(flags, name), |name| find(environment, name))
    }

    #[test]
    fn faults_are_told_all_at_once_with_their_places() {
        let (_folder, path) = file("\nadmin_secrte = \"hidden\"\n\npool_size = \"hidden\"\n[rate]\n");
        let told = gather(&[("config", &path), ("insecure", "hidden")], &[("POSTERN_TIME_LIMIT", "hidden")]);
        let told = told.unwrap_err().to_string();
        for part in [
            "--insecure has to be true or false",
            "POSTERN_TIME_LIMIT has to be a positive number of seconds",
            "gateway.toml: line 2: `admin_secrte` is not a setting; did you mean `admin_secret`?",
            "gateway.toml: line 4: `pool_size` has to be a whole number",
            "gateway.toml: line 5: `rate` is not a setting; did you mean `rates`?",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("hidden"), "{told}");
    }

    fn file(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.toml");
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_owned();
        (folder, path)
    }

    #[test]
    fn a_flag_is_stronger_than_the_environment_than_the_file_than_the_default() {
        let (_folder, path) = file("listen = \"file:1\"\npool_size = 3\nlog_format = \"json\"\ninsecure = true\n");
        let environment = [("POSTERN_LISTEN", "env:1"), ("POSTERN_POOL_SIZE", "4"), ("POSTERN_CONFIG", path.as_str())];
        let settings = gather(&[("listen", "flag:1")], &environment).unwrap();
        let config = Config::new(&settings);
        assert_eq!((config.listen.as_str(), config.pool_size, config.log_json), ("flag:1", 4, true));
        assert!(config.insecure);
        assert_eq!(config.header_prefix, "X-Gateway-");
    }

    #[test]
    fn an_unknown_key_is_an_error_with_a_suggestion() {
        let (_folder, path) = file("admin_secrte = \"x\"\n");
        let error = gather(&[("config", &path)], &[]).unwrap_err().to_string();
        assert!(error.ends_with("`admin_secrte` is not a setting; did you mean `admin_secret`?"), "{error}");
    }

    #[test]
    fn a_broken_file_is_told_with_its_line() {
        let (_folder, path) = file("listen = \"a\"\npool_size = = 3\n");
        let error = gather(&[("config", &path)], &[]).unwrap_err().to_string();
        assert!(error.contains("gateway.toml: line 2: "), "{error}");
        assert!(gather(&[("config", "/nowhere/x.toml")], &[]).unwrap_err().to_string().contains("/nowhere/x.toml"));
    }

    #[test]
    fn values_of_the_wrong_form_are_refused_without_being_repeated() {
        let expected = [
            ("pool-size", "hidden", "--pool-size has to be a whole number"),
            ("insecure", "hidden", "--insecure has to be true or false"),
            ("time-limit", "-1", "--time-limit has to be a positive number of seconds"),
            ("log-format", "hidden", "--log-format has to be one of json, text"),
        ];
        for (name, text, message) in expected {
            assert_eq!(gather(&[(name, text)], &[]).unwrap_err().to_string(), message);
        }
        let (_folder, path) = file("pool_size = \"3\"\n");
        assert!(gather(&[("config", &path)], &[]).is_err());
    }

    #[test]
    fn the_file_may_hold_tables_lists_and_paths_beside_it() {
        let text = "permissions = \"p.toml\"\ncors_origins = [\"https://a\", \"https://b\"]\ntime_limit = 1.5\n\
                    [jwt_secret]\ntype = \"HS256\"\nkey = \"k\"\n";
        let (folder, path) = file(text);
        let config = Config::new(&gather(&[("config", &path)], &[]).unwrap());
        assert_eq!(config.permissions.unwrap(), folder.path().join("p.toml"));
        assert_eq!(config.cors_origins, ["https://a", "https://b"]);
        assert_eq!(config.limits.time, Duration::from_millis(1500));
        assert_eq!(config.jwt_secret.unwrap().reveal(), r#"{"key":"k","type":"HS256"}"#);
    }

    #[test]
    fn the_database_of_every_program_is_asked_last() {
        let (_folder, path) = file("database_url = \"file\"\n");
        let url = |flags: &[(&str, &str)], environment: &[(&str, &str)]| {
            Config::new(&gather(flags, environment).unwrap()).database_url.map(|url| url.reveal().to_owned())
        };
        let everywhere = [("POSTERN_DATABASE_URL", "own"), ("DATABASE_URL", "common")];
        assert_eq!(url(&[("database-url", "flag"), ("config", &path)], &everywhere).as_deref(), Some("flag"));
        assert_eq!(url(&[("config", &path)], &everywhere).as_deref(), Some("own"));
        assert_eq!(url(&[("config", &path)], &everywhere[1..]).as_deref(), Some("file"));
        assert_eq!(url(&[], &everywhere[1..]).as_deref(), Some("common"));
        assert_eq!(url(&[], &[("DATABASE_URL", "")]), None);
    }

    #[test]
    fn an_empty_variable_is_no_setting() {
        let settings = gather(&[], &[("POSTERN_ADMIN_SECRET", "")]).unwrap();
        assert!(Config::new(&settings).admin_secret.is_none());
    }

    #[test]
    fn secrets_are_not_shown() {
        let settings = gather(&[("admin-secret", "hidden")], &[]).unwrap();
        assert!(!format!("{:?}", Config::new(&settings)).contains("hidden"));
    }

    #[test]
    fn names_are_unique_and_every_default_is_accepted() {
        for (place, setting) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS[..place].iter().all(|other| other.name != setting.name), "{}", setting.name);
            if let Some(default) = setting.default {
                assert_eq!(setting.accept(default, String::new()).unwrap(), default);
            }
        }
    }
}
