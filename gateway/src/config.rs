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

use serde_json::value::RawValue;
use sql::encode::cursor;
use sql::resolve::Options;

use crate::telemetry::resource::{Resource, ResourceNames};

pub use access::{HostCheck, MetricsAccess};
pub use error::ConfigError;
pub use limits::Limits;
pub use secret::{Secret, Secrets};
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

    /// The secret of cursors, derived from configured ones, so that gateways with equal settings
    /// accept each other's cursors. The first of a list signs and all verify. Without configured
    /// secrets, the key is random.
    pub fn cursor_secret(&self) -> cursor::Secret {
        // Kept for the lifetime of the process, so that cursors survive a reload.
        static RANDOM: OnceLock<String> = OnceLock::new();
        let configured = self.cursor_secret.as_ref().or(self.admin_secret.as_ref());
        let secrets: Vec<String> = match (configured, &self.jwt_secret) {
            (Some(secrets), _) => secrets
                .iter()
                .map(|secret| secret.reveal().to_owned())
                .collect(),
            (None, Some(keys)) => jwt_keys(keys.reveal()),
            (None, None) => vec![
                RANDOM
                    .get_or_init(|| uuid::Uuid::new_v4().to_string())
                    .clone(),
            ],
        };
        cursor::Secret::derive(secrets.iter().map(String::as_bytes))
    }

    /// The options for translating documents.
    pub fn translation(&self) -> Options {
        let cursors = self.cursor_secret();
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

/// The keys of `--jwt-secret`, each as it is written.
fn jwt_keys(text: &str) -> Vec<String> {
    match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
        Ok(keys) => keys.iter().map(|key| key.get().to_owned()).collect(),
        Err(_) => vec![text.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursors(text: &str) -> cursor::Secret {
        let settings = Settings::from_text("gateway.toml", text).unwrap();
        settings.config().cursor_secret()
    }

    fn accept(verifying: cursor::Secret, signing: cursor::Secret) -> bool {
        let ordering = cursor::Ordering::from_description("notes");
        let cursor = cursor::encode(&signing, ordering, [Some(&b"1"[..])].into_iter());
        cursor::decode(&verifying, ordering, &cursor).is_some()
    }

    #[test]
    fn cursors_survive_a_change_of_other_secrets_and_of_their_own() {
        let key = |name: &str| format!("{{\"type\":\"HS256\",\"key\":\"{name}\"}}");
        let old = cursors(&format!("admin_secret = 'a'\njwt_secret = '{}'", key("k")));
        let more = format!(
            "admin_secret = ['a', 'b']\njwt_secret = '[{}, {}]'",
            key("l"),
            key("k")
        );
        assert!(accept(cursors(&more), old) && accept(old, cursors(&more)));
        let own = |list: &str| cursors(&format!("admin_secret = 'a'\ncursor_secret = {list}"));
        assert!(accept(own("['new', 'old']"), own("'old'")));
        assert!(accept(own("['old', 'new']"), own("['new', 'old']")));
        assert!(!accept(own("'old'"), own("'new'")) && !accept(own("'old'"), old));
        // Without other secrets each key of tokens counts.
        let keys = cursors(&format!("jwt_secret = '[{}, {}]'", key("l"), key("k")));
        let single = cursors(&format!("jwt_secret = '{}'", key("k")));
        assert!(accept(keys, single) && !accept(single, keys));
    }
}
