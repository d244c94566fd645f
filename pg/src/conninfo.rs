//! The connection parameters of the database, with libpq's names and meanings. A parameter comes
//! from the connection string, else from its environment variable (`PGHOST`), else from a default.
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS>
//!
//! The string's syntax is in [`text`]; connecting is left to [`crate::sign_in`], certificates to
//! [`crate::tls::connector`].

pub(crate) mod error;
mod passfile;
mod suggestion;
mod text;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::ChannelBinding;

use crate::deadline::RECONNECT_TIMEOUT;
use crate::socket::ServerAddress;
use error::ConninfoError;
use passfile::PasswordFile;
use text::Parameter;

pub(crate) use passfile::is_absent;

/// The resolved connection parameters of a database.
#[derive(Clone, Debug)]
pub(crate) struct Conninfo {
    /// The hosts to try in order; at least one.
    pub(crate) hosts: Vec<Host>,
    /// User, database and timeouts. Hosts, passwords and TLS are in the other fields.
    pub(crate) config: Config,
    /// The user's startup options.
    pub(crate) options: Option<String>,
    pub(crate) tls: TlsParameters,
    pub(crate) channel_binding: ChannelBinding,
    pub(crate) session: TargetSession,
    /// Whether hosts and addresses are tried in random order.
    pub(crate) is_balanced: bool,
    /// The maximum time for one attempt to connect.
    pub(crate) connect_timeout: Duration,
    /// Warnings for the user: parameters without effect, a password file that is not used.
    pub(crate) warnings: Vec<String>,
}

impl Conninfo {
    /// Leaves out all hosts but the one with this index, and accepts it whatever it is.
    pub(crate) fn keep_host(&mut self, index: usize) {
        if let Some(host) = self.hosts.get(index).cloned() {
            self.hosts = vec![host];
        }
        self.session = TargetSession::Any;
    }
}

/// A host to try and its password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) server_address: ServerAddress,
    /// The name to compare with certificates; `None` for an address without a name and for a Unix
    /// socket.
    pub(crate) name: Option<String>,
    pub(crate) password: Option<String>,
}

/// The parameters for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsParameters {
    pub(crate) mode: SslMode,
    /// Whether the TLS handshake begins without an `SSLRequest` (`sslnegotiation=direct`).
    pub(crate) is_direct: bool,
    /// Whether the client sends the host name in the handshake (`sslsni`).
    pub(crate) sends_name: bool,
    /// Whether the client sends its certificate (`sslcertmode`).
    pub(crate) sends_certificate: bool,
    /// `sslrootcert`: a file, or `system`.
    pub(crate) root: Option<String>,
    pub(crate) crl: Option<String>,
    pub(crate) certificate: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) versions: TlsVersions,
    /// `~/.postgresql`, the folder of the default files.
    pub(crate) folder: Option<PathBuf>,
}

/// The allowed versions of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TlsVersions {
    pub(crate) tls12: bool,
    pub(crate) tls13: bool,
}

/// `sslmode`, ordered by strength of protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// `target_session_attrs`: which of several servers to accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetSession {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

/// The supported parameters, each with its environment variable.
const KNOWN: &[(&str, &str)] = &[
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("dbname", "PGDATABASE"),
    ("passfile", "PGPASSFILE"),
    ("options", "PGOPTIONS"),
    ("application_name", "PGAPPNAME"),
    ("fallback_application_name", ""),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    ("sslmode", "PGSSLMODE"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcrl", "PGSSLCRL"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslcertmode", "PGSSLCERTMODE"),
    ("sslsni", "PGSSLSNI"),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"),
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("keepalives", ""),
    ("keepalives_idle", ""),
    ("keepalives_interval", ""),
    ("keepalives_count", ""),
    ("keepalives_retries", ""),
    ("tcp_user_timeout", ""),
];

/// Parameters that are ignored with a warning: those of libpq, of Prisma, of drivers for Java,
/// Node.js, Go, Python, Rust and .NET, and of Rails. None would change the connection's target or
/// its protection.
const IGNORED: &[&str] = &[
    "client_encoding",
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "krbsrvname",
    "max_protocol_version",
    "min_protocol_version",
    "replication",
    "sslcompression",
    "sslkeylogfile",
    "sslpassword",
    "connection_limit",
    "pgbouncer",
    "pool_timeout",
    "schema",
    "socket_timeout",
    "statement_cache_size",
    "applicationname",
    "binarytransfer",
    "currentschema",
    "loginTimeout",
    "preparethreshold",
    "rewritebatchedinserts",
    "sockettimeout",
    "stringtype",
    "tcpkeepalive",
    "idle_in_transaction_session_timeout",
    "lock_timeout",
    "query_timeout",
    "statement_timeout",
    "uselibpqcompat",
    "default_query_exec_mode",
    "description_cache_capacity",
    "pool_health_check_period",
    "pool_max_conn_idle_time",
    "pool_max_conn_lifetime",
    "pool_max_conn_lifetime_jitter",
    "pool_max_conns",
    "pool_min_conns",
    "search_path",
    "statement_cache_capacity",
    "timezone",
    "async_fallback",
    "command_timeout",
    "prepared_statement_cache_size",
    "server_settings",
    "timeout",
    "statement-cache-capacity",
    "command timeout",
    "enlist",
    "maximum pool size",
    "minimum pool size",
    "pooling",
    "adapter",
    "checkout_timeout",
    "encoding",
    "min_messages",
    "pool",
    "pool_size",
    "prepared_statements",
    "reaping_frequency",
    "schema_search_path",
    "supa",
    "workaround",
];

/// Unsupported parameters that would select another server or strengthen the connection's security;
/// with their environment variables.
const REFUSED: &[(&str, &str)] = &[
    ("require_auth", "PGREQUIREAUTH"),
    ("requirepeer", "PGREQUIREPEER"),
    ("scram_client_key", ""),
    ("scram_server_key", ""),
    ("service", "PGSERVICE"),
    ("servicefile", ""),
    ("ssl", ""),
    ("ssl-ca", ""),
    ("ssl-cert", ""),
    ("ssl-key", ""),
    ("ssl-mode", ""),
    ("ssl-root-cert", ""),
    ("sslaccept", ""),
    ("sslcrldir", "PGSSLCRLDIR"),
    ("sslfactory", ""),
    ("sslhostnameverifier", ""),
    ("sslidentity", ""),
];

/// Looks up an environment variable.
pub(crate) type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// The environment of the process.
pub(crate) fn process_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether the environment names a database, so that no connection string is needed.
pub fn is_in_environment() -> bool {
    ["PGHOST", "PGHOSTADDR", "PGDATABASE"]
        .into_iter()
        .any(|name| process_environment(name).is_some_and(|value| !value.is_empty()))
}

impl Conninfo {
    /// Resolves a connection string, which may be empty, and fills in the rest from the environment
    /// and defaults.
    pub(crate) fn resolve(
        text: &str,
        environment: Environment<'_>,
    ) -> Result<Conninfo, ConninfoError> {
        let mut warnings = Vec::new();
        let text = text.trim();
        let parameters = if text.is_empty() {
            Vec::new()
        } else {
            text::parse(text)?
        };
        check_names(&parameters, environment, &mut warnings)?;
        let source = ConninfoSource {
            parameters,
            environment,
        };
        let mut config = Config::new();
        let user = match source.text("user") {
            Some(user) => user,
            None => whoami::username().map_err(|_| ConninfoError::NoUser)?,
        };
        let database = source.text("dbname").unwrap_or_else(|| user.clone());
        config.user(&user).dbname(&database);
        let options = source.text("options");
        let name = source
            .text("application_name")
            .or_else(|| source.text("fallback_application_name"));
        config.application_name(name.unwrap_or_else(|| "postern".into()));
        set_keepalives(&source, &mut config)?;
        let home = environment("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        let passwords = Passwords::new(&source, home.as_deref(), &mut warnings);
        let hosts = hosts(&source, |host, port| {
            passwords.password(host, port, &database, &user)
        })?;
        let tls = TlsParameters::new(&source, home.as_deref())?;
        let needs_name = tls.mode == SslMode::VerifyFull;
        if needs_name
            && hosts.iter().any(|host| {
                host.name.is_none() && !matches!(host.server_address, ServerAddress::Unix(_))
            })
        {
            return Err(ConninfoError::NoName);
        }
        let channel_binding = source.word(
            "channel_binding",
            "`disable`, `prefer` or `require`",
            &[
                ("prefer", ChannelBinding::Prefer),
                ("disable", ChannelBinding::Disable),
                ("require", ChannelBinding::Require),
            ],
        )?;
        let session = source.word(
            "target_session_attrs",
            "`any`, `read-write`, `read-only`, `primary`, `standby` or `prefer-standby`",
            &[
                ("any", TargetSession::Any),
                ("read-write", TargetSession::ReadWrite),
                ("read-only", TargetSession::ReadOnly),
                ("primary", TargetSession::Primary),
                ("standby", TargetSession::Standby),
                ("prefer-standby", TargetSession::PreferStandby),
            ],
        )?;
        let balancing = &[("disable", false), ("random", true)];
        let is_balanced = source.word("load_balance_hosts", "`disable` or `random`", balancing)?;
        let connect_timeout = match source.number("connect_timeout")? {
            // libpq would wait without a limit.
            None | Some(0) => RECONNECT_TIMEOUT,
            Some(seconds) => Duration::from_secs(seconds),
        };
        Ok(Conninfo {
            hosts,
            config,
            options,
            tls,
            channel_binding,
            session,
            is_balanced,
            connect_timeout,
            warnings,
        })
    }
}

/// Rejects unknown names and unsupported ones that must not be ignored; warns about others without
/// effect.
fn check_names(
    parameters: &[Parameter],
    environment: Environment<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ConninfoError> {
    for (name, variable) in REFUSED {
        if !variable.is_empty() && environment(variable).is_some_and(|value| !value.is_empty()) {
            return Err(ConninfoError::Unsupported(variable));
        }
        if parameters
            .iter()
            .any(|parameter| parameter.key.eq_ignore_ascii_case(name))
        {
            return Err(ConninfoError::Unsupported(name));
        }
    }
    if environment("PGGSSENCMODE").as_deref() == Some("require") {
        return Err(ConninfoError::Unsupported("PGGSSENCMODE"));
    }
    for Parameter { key, value } in parameters {
        if KNOWN.iter().any(|(name, _)| name == key) {
            continue;
        }
        let Some(name) = IGNORED.iter().find(|name| key.eq_ignore_ascii_case(name)) else {
            let suggestion = suggestion::closest(key, KNOWN.iter().map(|(name, _)| *name));
            return Err(ConninfoError::Unknown { suggestion });
        };
        if *name == "gssencmode" && value == "require" {
            return Err(ConninfoError::Unsupported("gssencmode"));
        }
        warnings.push(format!(
            "the parameter `{name}` of the database URL has no effect"
        ));
    }
    Ok(())
}

/// The sources of parameters: the connection string and the environment.
struct ConninfoSource<'e> {
    parameters: Vec<Parameter>,
    environment: Environment<'e>,
}

impl ConninfoSource<'_> {
    /// A value and its origin: the parameter's name or its environment variable. Empty values count
    /// as absent.
    fn find(&self, name: &'static str) -> Option<(String, &'static str)> {
        let found = self
            .parameters
            .iter()
            .rev()
            .find(|parameter| parameter.key == name);
        if let Some(parameter) = found.filter(|parameter| !parameter.value.is_empty()) {
            return Some((parameter.value.clone(), name));
        }
        let (_, variable) = KNOWN
            .iter()
            .find(|(known, _)| *known == name)
            .filter(|(_, variable)| !variable.is_empty())?;
        let value = (self.environment)(variable).filter(|value| !value.is_empty())?;
        Some((value, variable))
    }

    fn text(&self, name: &'static str) -> Option<String> {
        self.find(name).map(|(value, _)| value)
    }

    /// Parses one of several words; the first is the default.
    fn word<T: Copy>(
        &self,
        name: &'static str,
        expected: &'static str,
        words: &[(&str, T)],
    ) -> Result<T, ConninfoError> {
        let found = self.find(name);
        let (value, origin) = found.unwrap_or_else(|| {
            (
                words
                    .first()
                    .map_or_else(String::new, |(word, _)| (*word).to_owned()),
                name,
            )
        });
        let word = words.iter().find(|(word, _)| *word == value.trim());
        word.map(|(_, meaning)| *meaning)
            .ok_or(ConninfoError::Value { origin, expected })
    }

    fn number(&self, name: &'static str) -> Result<Option<u64>, ConninfoError> {
        let Some((value, origin)) = self.find(name) else {
            return Ok(None);
        };
        let number = value.trim().parse::<i64>();
        let number = number.map_err(|_| ConninfoError::Value {
            origin,
            expected: "a whole number",
        })?;
        // libpq treats negative numbers as zero.
        Ok(Some(u64::try_from(number).unwrap_or(0)))
    }

    fn list(&self, name: &'static str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        if text.is_empty() {
            vec![]
        } else {
            text.split(',').map(|item| item.trim().to_owned()).collect()
        }
    }
}

/// How long a TCP connection is idle before the system asks for a sign of life, how often it asks,
/// and how many answers may be missing. Balancers and NAT forget connections after some minutes,
/// and do not tell.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_COUNT: u32 = 3;

/// The default of Linux.
const SYSTEM_KEEPALIVE_IDLE: Duration = Duration::from_secs(2 * 3600);

/// How long sent bytes may wait for their acknowledgement before the system gives the connection
/// up.
const USER_TIMEOUT: Duration = Duration::from_secs(15);

/// Sets the options of TCP. As for libpq, 0 means the default of the system.
fn set_keepalives(source: &ConninfoSource<'_>, config: &mut Config) -> Result<(), ConninfoError> {
    config
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL);
    config
        .keepalives_retries(KEEPALIVE_COUNT)
        .tcp_user_timeout(USER_TIMEOUT);
    if let Some(number) = source.number("keepalives")? {
        config.keepalives(number != 0);
    }
    let seconds = |name| {
        Ok(source
            .number(name)?
            .filter(|number| *number > 0)
            .map(Duration::from_secs))
    };
    match source.number("keepalives_idle")? {
        None => {}
        Some(0) => drop(config.keepalives_idle(SYSTEM_KEEPALIVE_IDLE)),
        Some(seconds) => drop(config.keepalives_idle(Duration::from_secs(seconds))),
    }
    if let Some(interval) = seconds("keepalives_interval")? {
        config.keepalives_interval(interval);
    }
    for name in ["keepalives_retries", "keepalives_count"] {
        if let Some(count) = source.number(name)?.filter(|number| *number > 0) {
            config.keepalives_retries(u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
    if let Some(limit) = source.number("tcp_user_timeout")? {
        // 0 sets the option to the system's default.
        config.tcp_user_timeout(Duration::from_millis(limit));
    }
    Ok(())
}

const DEFAULT_PORT: u16 = 5432;

/// The folders in which distributions of Postgres create the socket.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The hosts from the lists in `host`, `hostaddr` and `port`. Without them it is the Unix socket of
/// this machine.
fn hosts(
    source: &ConninfoSource<'_>,
    password: impl Fn(&str, u16) -> Option<String>,
) -> Result<Vec<Host>, ConninfoError> {
    let names = source.list("host");
    let addresses = source.list("hostaddr");
    let ports = source.list("port");
    let count = names.len().max(addresses.len()).max(1);
    if !addresses.is_empty() && !names.is_empty() && addresses.len() != names.len() {
        return Err(ConninfoError::Count(
            "hostaddr",
            addresses.len(),
            names.len(),
        ));
    }
    if ports.len() > 1 && ports.len() != count {
        return Err(ConninfoError::Count("port", ports.len(), count));
    }
    let port_of = |number: usize| {
        let text = ports
            .get(number)
            .or(ports.first().filter(|_| ports.len() == 1))
            .filter(|port| !port.is_empty());
        let wrong = ConninfoError::Value {
            origin: "port",
            expected: "a number from 1 to 65535",
        };
        text.map_or(Ok(DEFAULT_PORT), |text| {
            text.parse().ok().filter(|port| *port > 0).ok_or(wrong)
        })
    };
    (0..count)
        .map(|number| {
            let port = port_of(number)?;
            let name = names.get(number).filter(|name| !name.is_empty()).cloned();
            let address = addresses.get(number).filter(|address| !address.is_empty());
            let wrong = ConninfoError::Value {
                origin: "hostaddr",
                expected: "an IP address",
            };
            let address: Option<IpAddr> = address
                .map(|text| text.parse().map_err(|_| wrong))
                .transpose()?;
            let is_socket = name.as_ref().is_none_or(|name| name.starts_with('/'));
            let (server_address, name, password_host) = match (address, name) {
                (Some(address), name) => {
                    let name = name.filter(|_| !is_socket);
                    let password_host = name.clone().unwrap_or_else(|| address.to_string());
                    (
                        ServerAddress::Tcp((address, port).into()),
                        name,
                        password_host,
                    )
                }
                (None, Some(name)) if !is_socket => match name.parse::<IpAddr>() {
                    Ok(address) => (
                        ServerAddress::Tcp((address, port).into()),
                        Some(name.clone()),
                        name,
                    ),
                    Err(_) => (
                        ServerAddress::Named(name.clone(), port),
                        Some(name.clone()),
                        name,
                    ),
                },
                (None, folder) => {
                    let folder = folder.map_or_else(|| default_folder(port), PathBuf::from);
                    let is_usual = SOCKET_FOLDERS
                        .iter()
                        .any(|usual| folder == Path::new(usual));
                    let password_host = if is_usual {
                        "localhost".into()
                    } else {
                        folder.to_string_lossy().into_owned()
                    };
                    (
                        ServerAddress::Unix(folder.join(format!(".s.PGSQL.{port}"))),
                        None,
                        password_host,
                    )
                }
            };
            let password = password(&password_host, port);
            Ok(Host {
                server_address,
                name,
                password,
            })
        })
        .collect()
}

/// The default socket folder, which libpq has compiled in.
fn default_folder(port: u16) -> PathBuf {
    let folders = || SOCKET_FOLDERS.iter().map(PathBuf::from);
    let with_socket = folders().find(|folder| folder.join(format!(".s.PGSQL.{port}")).exists());
    with_socket
        .or_else(|| folders().find(|folder| folder.is_dir()))
        .unwrap_or_else(|| PathBuf::from("/tmp"))
}

/// The password from the parameters, or the password file.
enum Passwords {
    Configured(String),
    File(PasswordFile),
}

impl Passwords {
    fn new(
        source: &ConninfoSource<'_>,
        home: Option<&Path>,
        warnings: &mut Vec<String>,
    ) -> Passwords {
        if let Some(password) = source.text("password") {
            return Passwords::Configured(password);
        }
        let path = source
            .text("passfile")
            .map(PathBuf::from)
            .or_else(|| Some(home?.join(".pgpass")));
        let read = path
            .as_deref()
            .map_or_else(|| Ok(PasswordFile::default()), PasswordFile::read);
        Passwords::File(read.unwrap_or_else(|warning| {
            warnings.push(warning);
            PasswordFile::default()
        }))
    }

    fn password(&self, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
        match self {
            Passwords::Configured(password) => Some(password.clone()),
            Passwords::File(file) => file.password(host, port, database, user),
        }
    }
}

impl TlsParameters {
    fn new(
        source: &ConninfoSource<'_>,
        home: Option<&Path>,
    ) -> Result<TlsParameters, ConninfoError> {
        let root = source.text("sslrootcert");
        let is_system = root.as_deref() == Some("system");
        let modes = [
            ("prefer", SslMode::Prefer),
            ("disable", SslMode::Disable),
            ("allow", SslMode::Allow),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::VerifyCa),
            ("verify-full", SslMode::VerifyFull),
        ];
        let expected = "`disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`";
        let mode = match source.find("sslmode") {
            None if is_system => SslMode::VerifyFull,
            _ => source.word("sslmode", expected, &modes)?,
        };
        if is_system && mode != SslMode::VerifyFull {
            return Err(ConninfoError::WeakSystem);
        }
        let negotiations = &[("postgres", false), ("direct", true)];
        let is_direct = source.word("sslnegotiation", "`postgres` or `direct`", negotiations)?;
        if is_direct && mode < SslMode::Require {
            return Err(ConninfoError::WeakDirect);
        }
        let sends_name = source.word("sslsni", "0 or 1", &[("1", true), ("0", false)])?;
        let sends_certificate = source.word(
            "sslcertmode",
            "`allow` or `disable`",
            &[("allow", true), ("disable", false)],
        )?;
        Ok(TlsParameters {
            mode,
            is_direct,
            sends_name,
            sends_certificate,
            root,
            crl: source.text("sslcrl"),
            certificate: source.text("sslcert"),
            key: source.text("sslkey"),
            versions: TlsVersions::new(source)?,
            folder: home.map(|home| home.join(".postgresql")),
        })
    }
}

impl TlsVersions {
    fn new(source: &ConninfoSource<'_>) -> Result<TlsVersions, ConninfoError> {
        let words = [("TLSv1.2", 2), ("TLSv1.3", 3)];
        let version = |name, default: u8| match source.find(name) {
            None => Ok(default),
            // Versions before 1.2 are not supported, so a lower minimum has no effect.
            Some((value, _))
                if name == "ssl_min_protocol_version" && matches!(&*value, "TLSv1" | "TLSv1.1") =>
            {
                Ok(2)
            }
            Some(_) => source.word(name, "`TLSv1.2` or `TLSv1.3`", &words),
        };
        let least = version("ssl_min_protocol_version", 2)?;
        let most = version("ssl_max_protocol_version", 3)?;
        let expected = "no older than `ssl_min_protocol_version`";
        if least <= most {
            Ok(TlsVersions {
                tls12: least == 2,
                tls13: most == 3,
            })
        } else {
            Err(ConninfoError::Value {
                origin: "ssl_max_protocol_version",
                expected,
            })
        }
    }
}

/// Shows the address and whether there is a password, but not the password.
impl std::fmt::Debug for Host {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_password = self.password.is_some();
        formatter
            .debug_struct("Host")
            .field("place", &self.server_address)
            .field("has_password", &has_password)
            .finish()
    }
}

#[cfg(test)]
mod tests;
