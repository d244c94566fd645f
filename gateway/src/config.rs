//! The settings of `postern`. [`table`] declares them; [`settings`] reads them from flags,
//! environment variables and the settings file; [`validate`] checks them together. The modules of
//! the server that use a setting interpret it.

mod access;
mod address;
mod environment_names;
mod error;
pub mod masked_file;
pub mod limits;
mod secret;
mod sections;
mod settings;
mod subscription_source;
mod table;
pub mod text_file;
mod validate;
mod value;
mod webhook_method;
pub mod dialect;

use std::sync::OnceLock;

use sql::resolve::Options;

use crate::telemetry::resource::{Resource, ResourceNames};

pub use access::{HostCheck, MetricsAccess};
pub use error::ConfigError;
pub use limits::Limits;
pub use secret::Secret;
pub use sections::{ConfigTables, SECTIONS};
pub use settings::Settings;
pub use subscription_source::SubscriptionSource;
pub use table::{Config, SETTINGS, Setting, SettingsTable, args};
pub use validate::{SettingsReport, validate};
pub use value::{Delay, Kind};
pub use webhook_method::WebhookMethod;

/// The value of an environment variable, for `${NAME}` in files; none if it is not set or not
/// UTF-8.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Values that follow from several settings.
impl Config {
    /// The values of these settings.
    pub fn new(settings: &Settings) -> Config {
        settings.config().clone()
    }

    /// The prefix of session headers and claims.
    pub fn header_prefix(&self) -> &str {
        self.header_prefix
            .as_deref()
            .unwrap_or(self.profile.header_prefix())
    }

    /// Which requests may read `/metrics`.
    pub fn metrics_access(&self) -> MetricsAccess {
        match &self.metrics_secret {
            Some(secret) => MetricsAccess::Secret(secret.clone()),
            None if self.metrics_open => MetricsAccess::Open,
            None => MetricsAccess::Loopback,
        }
    }

    /// Which requests have to name an allowed host. An owner who lists a proxy publishes what
    /// callers without credentials get.
    pub fn host_check(&self) -> HostCheck {
        if self.insecure {
            HostCheck::Requests
        } else if self.dev {
            HostCheck::RequestsWithoutCredentials
        } else if address::listens_privately(&self.listen) && self.trusted_proxies.is_empty() {
            HostCheck::SessionsWithoutCredentials
        } else {
            HostCheck::None
        }
    }

    /// How many connections one role may hold. The default leaves some for other roles; a pool of
    /// one connection cannot reserve any.
    pub fn connections_per_role(&self) -> usize {
        self.pool_role_limit.unwrap_or(
            self.pool_size
                .saturating_sub(self.reserved_connections())
                .max(1),
        )
    }

    /// How many connections one client may hold. The default leaves some for other clients of its
    /// role.
    pub fn connections_per_client(&self) -> usize {
        self.pool_client_limit.unwrap_or(
            self.pool_size
                .saturating_sub(2 * self.reserved_connections())
                .max(1),
        )
    }

    /// On how many connections statements run in groups, if these are configured. Few suffice: a
    /// group takes little longer than one statement. One connection at least is left, because a
    /// group of reads passes its connection to the next.
    pub fn group_connections(&self, configured: Option<usize>) -> usize {
        configured
            .unwrap_or((self.pool_size / 4).max(1))
            .min(self.pool_size.saturating_sub(1))
    }

    fn reserved_connections(&self) -> usize {
        (self.pool_size / 8).max(1)
    }

    /// Who the gateway is for log, metrics, traces and the database, also by the variables that
    /// OpenTelemetry's programs share.
    pub fn resource(&self) -> Resource {
        let names = ResourceNames {
            service: self.otlp_service.as_deref(),
            instance: self.instance_id.as_deref(),
            listen: &self.listen,
        };
        Resource::new(names, |name| std::env::var(name).ok())
    }

    /// The options for translating documents. Cursors are signed with a secret derived from the
    /// configured ones, so that gateways with equal settings accept each other's cursors; without
    /// configured secrets, the key is random.
    pub fn translation(&self) -> Options {
        let configured = [&self.admin_secret, &self.jwt_secret];
        let mut secrets: Vec<&str> = configured
            .into_iter()
            .flatten()
            .map(Secret::reveal)
            .collect();
        // Kept for the lifetime of the process, so that cursors survive a reload.
        static RANDOM: OnceLock<String> = OnceLock::new();
        if secrets.is_empty() {
            secrets.push(RANDOM.get_or_init(|| uuid::Uuid::new_v4().to_string()));
        }
        let cursors = sql::encode::cursor::Secret::derive(secrets.join("\0").as_bytes());
        let coercion = self.profile.coercion();
        let answer_bytes = Some(self.answer_limit);
        let value_bytes = Some(self.limits().values());
        let stringify_numbers = self.stringify_numbers;
        Options {
            stringify_numbers,
            cursors,
            coercion,
            answer_bytes,
            value_bytes,
            ..Options::default()
        }
    }
}
