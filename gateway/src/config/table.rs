//! The table of all settings. One row declares a setting; its flag, environment variable, key in
//! the settings file, help text, default, range, row in the documentation and field of [`Config`]
//! all follow from it.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction};
use pg::PoolerMode;
use sql::graphql::document::Limits as DocumentLimits;

use super::dialect::Profile;
use super::secret::{Secret, Secrets};
use super::sections::ConfigTables;
use super::subscription_source::SubscriptionSource;
use super::value::{Delay, Kind, MAX_NUMBER, SettingValue};
use super::webhook_method::WebhookMethod;
use crate::telemetry::log::LogFormat;

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key in the settings file: `database_url`.
    pub key: &'static str,
    /// The flag without its dashes: `database-url`.
    pub name: &'static str,
    /// The placeholder for the value in `--help`.
    pub placeholder: &'static str,
    /// The form of its value.
    pub kind: Kind,
    /// The text in `--help`.
    pub help: &'static str,
    /// Whether a change takes effect only at the next start, not at a reload.
    pub is_fixed: bool,
    field: Field,
}

/// Access to the field of [`Config`] that contains the value of a setting.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// Parses a text into the field; false if it is not valid.
    parse: fn(&mut Config, &str) -> bool,
    /// Copies the field from the second to the first.
    copy: fn(&mut Config, &Config),
    /// Whether the field is equal in both.
    is_equal: fn(&Config, &Config) -> bool,
    /// The field as text; see [`SettingValue::to_text`].
    to_text: fn(&Config) -> Option<String>,
}

/// Declares the settings. A row is
///
/// ```text
/// /// help text
/// field: Type = default, "PLACEHOLDER", options…;
/// ```
///
/// where the type determines the form of the value ([`SettingValue`]) and an option is a method of
/// [`Setting`], such as `range(1..=100)` or `fixed()`. The flag and the environment variable are
/// the field's name: `pool_size` makes `--pool-size` and `POSTERN_POOL_SIZE`. Rows are in the order
/// of `--help`.
macro_rules! settings {
    ($(
        $(#[doc = $help:literal])+
        $field:ident: $type:ty = $default:expr, $placeholder:literal $(, $option:ident($($argument:expr)?))*;
    )+) => {
        /// The value of each setting, and the tables of the settings file.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $help])+ pub $field: $type,)+
            /// The tables of the settings file.
            pub sections: ConfigTables,
        }

        impl Default for Config {
            fn default() -> Config {
                Config { $($field: $default,)+ sections: ConfigTables::default() }
            }
        }

        /// All settings, each in a field of its name, so that the name of a setting that does not
        /// exist does not compile.
        #[derive(Debug)]
        pub struct SettingsTable {
            $($(#[doc = $help])+ pub $field: Setting,)+
        }

        /// All settings.
        pub static SETTINGS: SettingsTable = SettingsTable {
            $($field: {
                const KEY: &str = stringify!($field);
                const FLAG: [u8; KEY.len()] = with_hyphens(KEY);
                Setting {
                    key: KEY,
                    name: ascii(&FLAG),
                    placeholder: $placeholder,
                    kind: <$type as SettingValue>::KIND,
                    help: concat!($($help),+).trim_ascii(),
                    is_fixed: false,
                    field: Field {
                        parse: |config, text| match SettingValue::parse(text) {
                            Some(value) => {
                                config.$field = value;
                                true
                            }
                            None => false,
                        },
                        copy: |to, from| to.$field = from.$field.clone(),
                        is_equal: |one, other| one.$field == other.$field,
                        to_text: |config| config.$field.to_text(),
                    },
                }
                $(.$option($($argument)?))*
            },)+
        };

        impl SettingsTable {
            /// The settings in the order of the table.
            pub fn iter(&'static self) -> impl Iterator<Item = &'static Setting> {
                [$(&self.$field),+].into_iter()
            }
        }
    };
}

settings! {
    /// Read settings from this TOML file
    config: Option<PathBuf> = None, "FILE", fixed();
    /// Database to connect to, `postgres://user@host:5432/name`; else `DATABASE_URL`, then libpq's
    /// variables (`PGHOST`)
    database_url: Option<Secret> = None, "URL";
    /// Connection pooler between the gateway and the database; `auto` detects one, and treats it as
    /// one in transaction mode
    pooler: PoolerMode = PoolerMode::Auto, "MODE";
    /// Database without the pooler, for what needs a session: checks at the start, notifications,
    /// logical replication
    direct_url: Option<Secret> = None, "URL";
    /// Replica that queries may read from; several flags name several
    replica_url: Vec<Secret> = Vec::new(), "URL";
    /// Time to wait at the start for a database that cannot be reached; health checks are answered
    /// meanwhile
    wait_for_database: Option<Duration> = None, "SECONDS", fixed();
    /// Permission file: what each role may do. Without one, only requests with the admin secret are
    /// accepted
    permissions: Option<PathBuf> = None, "FILE";
    /// REST map, a TOML file: operations published below `/api/rest/` and as tools of `/mcp`
    rest_map: Option<PathBuf> = None, "FILE";
    /// Address and port to listen on
    listen: String = String::from("127.0.0.1:8080"), "ADDR", fixed();
    /// Serve HTTPS with the certificate chain in this PEM file, the server's own certificate first
    tls_cert: Option<PathBuf> = None, "FILE";
    /// Private key of that certificate, a PEM file
    tls_key: Option<PathBuf> = None, "FILE";
    /// Addresses of proxies whose headers name the client's address (`10.0.0.0/8`)
    trusted_proxies: Vec<String> = Vec::new(), "LIST";
    /// Secret that gives a request all permissions, or a list of which each does (`["new","old"]`)
    admin_secret: Option<Secrets> = None, "S";
    /// Key that verifies tokens, `{"type":"HS256","key":"…"}`, or a list of keys
    jwt_secret: Option<Secret> = None, "JSON";
    /// Private key that signs new tokens, in PEM or as `@FILE`; HS256, HS384 and HS512 need none
    signing_key: Option<Secret> = None, "PEM";
    /// Secret that signs page cursors and event-stream tokens, or a list of which the first signs
    /// and each verifies; default: the admin secret, else the key of `--jwt-secret`
    cursor_secret: Option<Secrets> = None, "S";
    /// Webhook that authenticates requests, in place of tokens
    auth_hook: Option<Secret> = None, "URL";
    /// HTTP method of requests to the webhook
    auth_hook_mode: WebhookMethod = WebhookMethod::Get, "METHOD";
    /// Behaviour towards clients: Postern's own, or that of Hasura 2
    profile: Profile = Profile::Gateway, "NAME", fixed();
    /// Prefix of session headers and claims; default: the profile's
    header_prefix: Option<String> = None, "PREFIX";
    /// Role of requests without token or secret
    unauthorized_role: Option<String> = None, "R";
    /// Require the role header in every request with a token
    require_role_header: bool = false, "";
    /// Accept every request as admin, without authentication; only if the gateway listens on
    /// loopback
    insecure: bool = false, "";
    /// Hosts that requests without credentials may name, beside `localhost` and addresses, where
    /// the address protects
    allowed_hosts: Vec<String> = Vec::new(), "LIST";
    /// Reload when the settings file, the permission file, the REST map, or a file that one of them
    /// names changes
    watch: bool = false, "", fixed();
    /// Return bigint, numeric and double precision values as strings
    stringify_numbers: bool = false, "";
    /// Redis in which several gateways count rate limits together, `redis://host:6379` or
    /// `rediss://`
    redis_url: Option<Secret> = None, "URL";
    /// Maximum number of connections to the database
    pool_size: usize = 10, "N", range(1..=10_000);
    /// Maximum time that a connection to the database stays open without a request; 0: any time
    pool_idle_timeout: Delay = Delay(Duration::from_secs(180)), "SECONDS";
    /// Maximum age of a connection to the database; 0: any age
    pool_max_age: Delay = Delay(Duration::from_secs(600)), "SECONDS";
    /// Maximum number of these connections that requests of one role use at a time
    pool_role_limit: Option<usize> = None, "N", range(1..=10_000);
    /// Maximum number of these connections that requests of one user or address use at a time
    pool_client_limit: Option<usize> = None, "N", range(1..=10_000);
    /// Number of these connections on which short reads of several requests run together; 0: none;
    /// default: a quarter
    read_group_connections: Option<usize> = None, "N", range(0..=10_000);
    /// Maximum number of requests that wait for a connection
    queue_limit: usize = 1000, "N";
    /// Maximum time that a request waits for a connection
    queue_timeout: Duration = Duration::from_secs(10), "SECONDS";
    /// Minimum number of bytes per second that a client must read while its response uses a
    /// connection
    read_rate: usize = 64 << 10, "BYTES";
    /// Maximum memory of all requests together
    memory_limit: usize = 256 << 20, "BYTES", range(16 << 20..=1 << 40);
    /// Maximum number of prepared statements per connection, of 1 MiB of text in total
    statement_cache: usize = 256, "N", range(1..=100_000);
    /// Maximum memory of the cache of translated documents; 0: none
    plan_cache: usize = 64 << 20, "BYTES", range(0..=MAX_NUMBER);
    /// From where subscriptions learn of changes; `auto` takes the best one that the database
    /// permits
    subscription_source: SubscriptionSource = SubscriptionSource::Auto, "SOURCE", fixed();
    /// Time between two checks whether the database was written to, for subscriptions
    subscription_interval: Duration = Duration::from_secs(1), "SECONDS", fixed();
    /// Maximum size of the WAL that a replication slot may be behind before it is dropped
    subscription_slot_lag: usize = 256 << 20, "BYTES", fixed();
    /// Time between two checks of the replication slot, the schema and the publication
    subscription_slot_interval: Duration = Duration::from_secs(10), "SECONDS", fixed();
    /// Maximum time for which Postgres may wait for running transactions to create a replication
    /// slot
    subscription_slot_timeout: Duration = Duration::from_secs(300), "SECONDS", fixed();
    /// Maximum number of WebSockets and event streams of one client address
    socket_limit: usize = 16_384, "N";
    /// Maximum number of operations that run on a WebSocket or event stream
    socket_operation_limit: usize = 1000, "N";
    /// Maximum number of messages per second that are read from a WebSocket
    socket_message_rate: usize = 1000, "N", range(1..=1_000_000);
    /// Maximum size of the results that wait for a client that does not read
    socket_queue_limit: usize = 16 << 20, "BYTES";
    /// Maximum time from the opening of a WebSocket to its `connection_init`
    socket_init_timeout: Duration = Duration::from_secs(10), "SECONDS";
    /// Time between two pings on a WebSocket, and between two comments on an event stream
    socket_keep_alive: Duration = Duration::from_secs(15), "SECONDS";
    /// Maximum age of a WebSocket or event stream, less up to a fifth; its client connects again,
    /// perhaps to another gateway; 0: any age
    socket_max_age: Delay = Delay(Duration::ZERO), "SECONDS";
    /// Time for which shared caches may hold the event stream of a live query that is the same for
    /// all callers without credentials; 0 forbids it
    event_stream_max_age: usize = 0, "SECONDS", range(0..=86_400);
    /// Answer a federated router: `_service` and `_entities`, with the primary keys of tables as
    /// keys of entities
    federation: bool = false, "", fixed();
    /// Web origins that may send requests, or `*`; subdomains as `https://*.example.com`
    cors_origins: Vec<String> = Vec::new(), "LIST", fixed();
    /// Report the time of each stage to clients, in the header `Server-Timing`
    server_timing: bool = false, "", fixed();
    /// Bearer token required to read `/metrics`, or a list of which one is
    metrics_secret: Option<Secrets> = None, "S";
    /// If there is no metrics secret, answer requests for `/metrics` from other machines too
    metrics_open: bool = false, "";
    /// Number of operations that have metrics by their names; 0 turns these metrics off
    metrics_operations: usize = 100, "N", range(0..=10_000);
    /// OpenTelemetry collector that gets traces by OTLP over HTTP (`http://localhost:4318`);
    /// without one there are none
    otlp_endpoint: Option<Secret> = None, "URL", fixed();
    /// Headers for the collector, `name=value,other=value`, percent-encoded
    otlp_headers: Option<Secret> = None, "LIST", fixed();
    /// Name of the service in traces; default: `OTEL_SERVICE_NAME`, then `postern`
    otlp_service: Option<String> = None, "NAME", fixed();
    /// Name of this gateway in the log, in metrics, in traces and in Postgres; default:
    /// `service.instance.id` of `OTEL_RESOURCE_ATTRIBUTES`, then host and port
    instance_id: Option<String> = None, "NAME", fixed();
    /// Part of the requests that are traced; one that continues a trace follows it
    trace_ratio: f64 = 1.0, "RATIO";
    /// Whose `traceparent` is followed: `proxies` (trusted proxies), clients by address
    /// (`10.0.0.0/8`), or `*`
    trust_traceparent: Vec<String> = vec![String::from("proxies")], "LIST";
    /// Add the trace to the SQL of traced requests as a comment; such statements are parsed and
    /// planned each time
    sql_comments: bool = false, "", fixed();
    /// Give clients the full reasons of errors, suggestions and the SQL; only if the gateway
    /// listens on loopback
    dev: bool = false, "", fixed();
    /// Compress responses for clients that accept it
    compression: bool = true, "", fixed();
    /// Serve the console at `/console`
    console: bool = false, "", fixed();
    /// Format of the log
    log_format: LogFormat = LogFormat::Text, "FORMAT", fixed();
    /// Level of the log: `info`, `debug`, or a filter
    log_level: String = String::from("info"), "LEVEL";
    /// Maximum time for a request
    time_limit: Duration = Duration::from_secs(30), "SECONDS";
    /// Maximum time to receive the headers of a request
    header_timeout: Duration = Duration::from_secs(10), "SECONDS";
    /// Maximum time between two parts of a request body
    body_timeout: Duration = Duration::from_secs(10), "SECONDS";
    /// Maximum time that a connection stays open without a request
    idle_timeout: Duration = Duration::from_secs(75), "SECONDS";
    /// Time from `SIGTERM` to the end of new connections, in which `/readyz` answers 503 and
    /// requests are still served
    shutdown_delay: Delay = Delay(Duration::ZERO), "SECONDS";
    /// Maximum time to finish running requests at shutdown
    drain_timeout: Duration = Duration::from_secs(30), "SECONDS", fixed();
    /// Maximum size of a request body
    body_limit: usize = 2 << 20, "BYTES", range(1..=1 << 30);
    /// Maximum number of requests in a batch; 0: none may be sent
    batch_limit: usize = 50, "N", range(0..=MAX_NUMBER);
    /// Maximum size of a response
    answer_limit: usize = 64 << 20, "BYTES";
    /// Maximum number of rows that Postgres' planner expects of a request
    row_limit: usize = 1_000_000, "N";
    /// Maximum cost that Postgres' planner expects of a request
    cost_limit: usize = 10_000_000, "N";
    /// Maximum number of tokens in a document
    token_limit: usize = DocumentLimits::default().tokens, "N";
    // Documents are parsed recursively: the stack of `commands::STACK` has room for several times
    // as many levels.
    /// Maximum nesting of brackets in a document
    nesting_limit: usize = DocumentLimits::default().nesting, "N", range(1..=128);
    /// Maximum nesting of fields in a document, fragments expanded
    depth_limit: usize = DocumentLimits::default().depth, "N", range(1..=128);
    /// Maximum number of fields in a document, fragments expanded
    field_limit: usize = DocumentLimits::default().fields, "N";
    /// Maximum number of aliases in a document, fragments expanded
    alias_limit: usize = DocumentLimits::default().aliases, "N", range(0..=MAX_NUMBER);
    /// Maximum number of root fields of an operation
    root_limit: usize = DocumentLimits::default().roots, "N";
    /// Maximum number of fields that have subfields, fragments expanded
    node_limit: usize = DocumentLimits::default().nodes, "N";
    /// Maximum number of different fields of an operation, fragments merged
    height_limit: usize = DocumentLimits::default().height, "N";
}

/// Options of a row, for [`settings`].
impl Setting {
    /// Limits the number.
    const fn range(self, range: RangeInclusive<usize>) -> Setting {
        assert!(
            matches!(self.kind, Kind::Number { .. }),
            "only numbers have a range"
        );
        Setting {
            kind: Kind::Number {
                min: *range.start(),
                max: *range.end(),
            },
            ..self
        }
    }

    /// A reload keeps the running value: a change takes effect at the next start.
    const fn fixed(self) -> Setting {
        Setting {
            is_fixed: true,
            ..self
        }
    }
}

/// A key with hyphens in place of underscores. `N` is the length of the key.
const fn with_hyphens<const N: usize>(key: &str) -> [u8; N] {
    let key = key.as_bytes();
    let mut flag = [0; N];
    let mut index = 0;
    while index < N {
        flag[index] = if key[index] == b'_' { b'-' } else { key[index] };
        index += 1;
    }
    flag
}

const fn ascii(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        #[expect(clippy::panic, reason = "evaluated at compile time")]
        Err(_) => panic!("the names of settings are ASCII"),
    }
}

impl Setting {
    /// The environment variable: `POSTERN_DATABASE_URL`.
    pub fn variable(&self) -> String {
        format!("POSTERN_{}", self.key.to_uppercase())
    }

    /// The environment variable that names a file with the value: `POSTERN_ADMIN_SECRET_FILE`. Only
    /// secrets have one.
    pub fn file_variable(&self) -> Option<String> {
        matches!(self.kind, Kind::Secret | Kind::Urls).then(|| format!("{}_FILE", self.variable()))
    }

    /// The default as it would be written; `None` if the setting has none, and for switches that
    /// are off.
    pub fn default(&self) -> Option<String> {
        (self.field.to_text)(&Config::default())
    }

    /// The flag for clap.
    pub fn arg(&self) -> Arg {
        let default = self
            .default()
            .map(|default| format!(", default: {default}"))
            .unwrap_or_default();
        let arg = Arg::new(self.name)
            .long(self.name)
            .help(format!("{} [env: {}{default}]", self.help, self.variable()))
            .help_heading("Settings")
            .action(ArgAction::Set);
        match self.kind {
            Kind::Switch => arg
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_name("BOOL"),
            Kind::Urls => arg.value_name(self.placeholder).action(ArgAction::Append),
            Kind::Word(words) => arg
                .value_name(self.placeholder)
                .value_parser(words.to_vec()),
            _ => arg.value_name(self.placeholder),
        }
    }

    /// Sets the field of this setting; false if the text is not valid, and the field stays as it
    /// was.
    pub(super) fn parse_into(&self, config: &mut Config, text: &str) -> bool {
        (self.field.parse)(config, text)
    }

    /// Copies the value of this setting.
    pub(super) fn copy(&self, to: &mut Config, from: &Config) {
        (self.field.copy)(to, from);
    }

    /// Whether both have the same value for this setting.
    pub fn is_equal(&self, one: &Config, other: &Config) -> bool {
        (self.field.is_equal)(one, other)
    }
}

/// Returns the setting with this name (`database-url`).
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Returns the flags of these settings, in the order of the table. The settings of the connection
/// go with the URL.
pub fn args(settings: &[&Setting]) -> Vec<Arg> {
    let has = |name: &str| settings.iter().any(|listed| listed.name == name);
    let of_connection = [SETTINGS.pooler.name, SETTINGS.direct_url.name];
    let is_listed = |setting: &&Setting| {
        has(setting.name)
            || has(SETTINGS.database_url.name) && of_connection.contains(&setting.name)
    };
    SETTINGS
        .iter()
        .filter(is_listed)
        .map(Setting::arg)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_field() {
        let setting = &SETTINGS.pool_size;
        assert_eq!(
            (setting.key, setting.name, setting.variable()),
            ("pool_size", "pool-size", "POSTERN_POOL_SIZE".into())
        );
        assert_eq!(
            setting.help,
            "Maximum number of connections to the database"
        );
        assert_eq!(find("pool-size").map(|found| found.key), Some("pool_size"));
    }

    #[test]
    fn every_default_is_read_back() {
        for setting in SETTINGS.iter() {
            let mut config = Config::default();
            if let Some(default) = setting.default() {
                assert!(
                    setting.parse_into(&mut config, &default),
                    "{}",
                    setting.name
                );
            }
            assert!(
                setting.is_equal(&config, &Config::default()),
                "{}",
                setting.name
            );
        }
    }

    #[test]
    fn only_defaults_that_mean_something_are_shown() {
        assert_eq!(SETTINGS.read_rate.default().as_deref(), Some("65536"));
        assert_eq!(SETTINGS.queue_timeout.default().as_deref(), Some("10"));
        assert_eq!(SETTINGS.compression.default().as_deref(), Some("true"));
        assert_eq!(
            (SETTINGS.insecure.default(), SETTINGS.cors_origins.default()),
            (None, None)
        );
    }
}
