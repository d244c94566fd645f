//! The configuration in `[widgets]`: which sites may embed the widgets, how long their sessions
//! last, and the statements that find visitors and identified persons.

use std::time::Duration;

use http::HeaderValue;
use pg::Database;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use tokio::time::Instant;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::widget_error::WidgetError;
use gateway::auth::claims::ClaimNames;
use gateway::auth::{TokenRequest, mint};
use gateway::config::{Config, ConfigError, Secret};
use gateway::http::cors::Cors;

/// The table's name in the settings file.
const SECTION: &str = "widgets";

/// The configuration of the running plugin.
#[derive(Debug)]
pub(super) struct WidgetsConfig {
    /// The origins of sites without an entry of their own.
    origins: Vec<String>,
    /// The lifetime of a session in seconds.
    pub(super) session_seconds: u64,
    /// The role of visitors.
    pub(super) role: String,
    /// The role of identified persons.
    pub(super) identity_role: String,
    /// Finds or makes the visitor of a controller (`$1`) by the digest of a secret (`$2`).
    pub(super) visitor: Option<Statement>,
    /// Finds the person of a controller (`$1`) by the subject of a signed identity (`$2`).
    pub(super) identity: Option<Statement>,
    sites: Vec<Site>,
    /// The pages of the demo.
    pub(super) demo: Vec<DemoPage>,
    /// The name of the header that selects a role.
    pub(super) role_header: String,
    prefix: String,
    namespace: &'static str,
    jwt_secret: Secret,
    signing_key: Option<Secret>,
}

/// A statement that finds a person, and returns its one row as JSON text.
#[derive(Debug)]
pub(super) struct Statement {
    /// The statement with the JSON around it.
    pub(super) sql: String,
    /// Whether `$3` is the browser's Global Privacy Control signal.
    pub(super) takes_signal: bool,
}

/// A controller's site with its own origins and key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Site {
    #[serde(deserialize_with = "controller")]
    pub(super) controller_id: Uuid,
    origins: Option<Vec<String>>,
    identity_key: Option<String>,
}

/// A page of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DemoPage {
    /// `de`, `en` or `nl`.
    pub(super) language: String,
    #[serde(deserialize_with = "controller")]
    pub(super) controller_id: Uuid,
    /// The person that anybody may be on this page.
    pub(super) customer: Option<String>,
}

/// `[widgets]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    #[serde(default)]
    origins: Vec<String>,
    #[serde(default = "session_seconds")]
    session_seconds: u64,
    #[serde(default = "role")]
    role: String,
    #[serde(default = "identity_role")]
    identity_role: String,
    visitor: Option<String>,
    identity: Option<String>,
    #[serde(default)]
    site: Vec<Site>,
    #[serde(default)]
    demo: Vec<DemoPage>,
}

fn session_seconds() -> u64 {
    900
}

fn role() -> String {
    "anonymous".to_owned()
}

fn identity_role() -> String {
    "dataSubject".to_owned()
}

/// The limits of a session's lifetime. Tokens cannot be revoked.
const SECONDS: std::ops::RangeInclusive<u64> = 10..=3600;

/// The minimum length of a key that signs identities: 256 bits.
/// <https://www.rfc-editor.org/rfc/rfc7518#section-3.2>
const KEY_BYTES: usize = 32;

/// The time limit for checking the statements with the database.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks the form of the section, for a check without the key that signs sessions.
pub(super) fn check_form(config: &Config) -> Result<(), ConfigError> {
    RawConfig::read(config).map(drop)
}

impl RawConfig {
    /// Reads the section as far as no key is needed; `None` without it.
    fn read(config: &Config) -> Result<Option<RawConfig>, ConfigError> {
        let Some(raw) = config.sections.read::<RawConfig>(SECTION)? else {
            return Ok(None);
        };
        let refuse = |message: String| config.sections.fault(SECTION, message);
        if !SECONDS.contains(&raw.session_seconds) {
            let least = SECONDS.start();
            let most = SECONDS.end();
            return Err(refuse(format!(
                "`session_seconds` has to be from {least} to {most}"
            )));
        }
        let own = raw
            .site
            .iter()
            .filter_map(|site| site.origins.as_ref())
            .flatten();
        if let Some(origin) = raw
            .origins
            .iter()
            .chain(own)
            .find(|origin| !is_origin(origin))
        {
            return Err(refuse(format!(
                "`{origin}` is not an origin, such as `https://shop.example`, and not `*`"
            )));
        }
        for (index, site) in raw.site.iter().enumerate() {
            let id = site.controller_id;
            if raw
                .site
                .iter()
                .take(index)
                .any(|other| other.controller_id == id)
            {
                return Err(refuse(format!(
                    "there are two `[[widgets.site]]` for the controller {id}"
                )));
            }
            if site
                .identity_key
                .as_ref()
                .is_some_and(|key| key.len() < KEY_BYTES)
            {
                return Err(refuse(format!(
                    "the `identity_key` of {id} has fewer than {KEY_BYTES} characters"
                )));
            }
            if site.identity_key.is_some() && raw.identity.is_none() {
                return Err(refuse(format!(
                    "{id} has an `identity_key`, and no statement `identity` finds the person"
                )));
            }
        }
        for page in &raw.demo {
            if !["de", "en", "nl"].contains(&page.language.as_str()) {
                return Err(refuse(format!(
                    "the demo has no page in the language `{}`",
                    page.language
                )));
            }
        }
        Ok(Some(raw))
    }
}

impl WidgetsConfig {
    /// Reads the settings; `None` without the section.
    pub(super) fn read(config: &Config) -> Result<Option<WidgetsConfig>, ConfigError> {
        let Some(raw) = RawConfig::read(config)? else {
            return Ok(None);
        };
        let refuse = |message: String| config.sections.fault(SECTION, message);
        let jwt_secret = config.jwt_secret.clone();
        let jwt_secret = jwt_secret
            .ok_or_else(|| refuse("sessions cannot be signed: no `jwt-secret` is set".into()))?;
        let signing_key = config
            .signing_key
            .as_ref()
            .map(private_key)
            .transpose()
            .map_err(refuse)?;
        let prefix = config.header_prefix().to_owned();
        let widgets = WidgetsConfig {
            origins: raw.origins,
            session_seconds: raw.session_seconds,
            role: raw.role,
            identity_role: raw.identity_role,
            visitor: raw.visitor.as_deref().map(Statement::new),
            identity: raw.identity.as_deref().map(Statement::new),
            sites: raw.site,
            demo: raw.demo,
            role_header: format!("{prefix}Role"),
            prefix,
            namespace: config.profile.claims_namespace(),
            jwt_secret,
            signing_key,
        };
        widgets
            .sign(&widgets.role, vec![])
            .map_err(|message| config.sections.fault(SECTION, message))?;
        Ok(Some(widgets))
    }

    /// Checks that the database accepts the statements, and finds out which parameters they have.
    pub(super) async fn check(&mut self, database: &Database) -> Result<(), String> {
        let statements = [
            ("visitor", &mut self.visitor),
            ("identity", &mut self.identity),
        ];
        if statements.iter().all(|(_, statement)| statement.is_none()) {
            return Ok(());
        }
        let client = database
            .admin_client(Instant::now() + CHECK_TIMEOUT)
            .await
            .map_err(|fault| fault.to_string())?;
        for (name, statement) in statements {
            let Some(statement) = statement else { continue };
            let prepared = client.prepare(&statement.sql).await.map_err(|error| {
                match error.as_db_error() {
                    Some(db_error) => format!("`{name}`: {}", db_error.message()),
                    None => format!("`{name}`: {error}"),
                }
            })?;
            statement.takes_signal = match prepared.params() {
                [_, _] => false,
                [_, _, signal] if *signal == Type::BOOL => true,
                _ => {
                    return Err(format!(
                        "`{name}` has to have two parameters, the controller and whom to find, or \
                         a third one of the type `boolean`, whether the browser sends Global \
                         Privacy Control"
                    ));
                }
            };
        }
        Ok(())
    }

    /// All origins that may embed widgets.
    pub(super) fn origins(&self) -> Vec<String> {
        let own = self
            .sites
            .iter()
            .filter_map(|site| site.origins.as_ref())
            .flatten();
        self.origins.iter().chain(own).cloned().collect()
    }

    /// Whether a page of this origin may embed the widgets of a controller.
    pub(super) fn allows(&self, controller: Uuid, origin: &HeaderValue) -> bool {
        let own = self.site(controller).and_then(|site| site.origins.as_ref());
        Cors::new(own.unwrap_or(&self.origins)).allows(origin)
    }

    /// The error of an identity. It names the controller if the settings have a site of it; others
    /// are what a client has sent.
    pub(super) fn invalid_identity(&self, controller: Uuid, cause: &'static str) -> WidgetError {
        WidgetError::Identity {
            cause,
            controller: self.site(controller).map(|site| site.controller_id),
        }
    }

    /// The key that signs the identities of a controller's customers.
    pub(super) fn identity_key(&self, controller: Uuid) -> Option<&str> {
        self.site(controller)?.identity_key.as_deref()
    }

    fn site(&self, controller: Uuid) -> Option<&Site> {
        self.sites
            .iter()
            .find(|site| site.controller_id == controller)
    }

    /// Signs the token of a session. Errors contain no keys.
    pub(super) fn sign(&self, role: &str, values: Vec<(String, String)>) -> Result<String, String> {
        let naming = ClaimNames {
            prefix: &self.prefix,
            namespace: self.namespace,
        };
        let request = TokenRequest {
            role,
            roles: vec![],
            values,
            seconds: self.session_seconds,
        };
        let pem = self.signing_key.as_ref().map(Secret::reveal);
        mint(self.jwt_secret.reveal(), naming, pem, &request).map_err(|error| error.to_string())
    }
}

impl Statement {
    /// The statement of the settings, which returns the text `null` if there is no row. The check
    /// finds out whether it takes the signal.
    ///
    /// ```sql
    /// SELECT coalesce((SELECT to_jsonb(v) FROM (<statement>) v)::text, 'null')
    /// ```
    fn new(statement: &str) -> Statement {
        let statement = statement.trim().trim_end_matches(';');
        Statement {
            sql: format!(
                "SELECT coalesce((SELECT to_jsonb(v) FROM (\n{statement}\n) v)::text, 'null')"
            ),
            takes_signal: false,
        }
    }
}

/// The setting is the key itself, or `@` and the path of a file.
fn private_key(setting: &Secret) -> Result<Secret, String> {
    match setting.reveal().strip_prefix('@') {
        None => Ok(setting.clone()),
        Some(path) => std::fs::read_to_string(path)
            .map(Secret::new)
            .map_err(|cause| format!("cannot read {path}: {cause}")),
    }
}

/// Reads a controller's id.
fn controller<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(deserializer)?;
    Uuid::parse_str(&text).map_err(|_| D::Error::custom(format!("`{text}` is not a uuid")))
}

/// `*`, or scheme and host without a path.
fn is_origin(text: &str) -> bool {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    text == "*"
        || host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::config::Settings;

    fn read(text: &str) -> Result<Option<WidgetsConfig>, String> {
        let mut settings = Settings::from_text("gateway.toml", text).unwrap();
        settings
            .set(
                "jwt-secret",
                r#"{"type":"HS256","key":"0123456789abcdef0123456789abcdef"}"#,
            )
            .unwrap();
        WidgetsConfig::read(&Config::new(&settings)).map_err(|error| error.to_string())
    }

    const SITE: &str =
        "[[widgets.site]]\ncontroller_id = \"22b15ffe-a936-420d-b21b-297d1782b9f2\"\n";

    #[test]
    fn faults_are_found_at_load() {
        assert!(read("").unwrap().is_none());
        for (text, reason) in [
            (
                "[widgets]\nsession_seconds = 5\n".to_owned(),
                "`session_seconds` has to be from 10 to 3600",
            ),
            (
                "[widgets]\norigins = [\"https://a/b\"]\n".to_owned(),
                "`https://a/b` is not an origin",
            ),
            (
                format!("{SITE}identity_key = \"short\"\n"),
                "has fewer than 32 characters",
            ),
            (
                format!("{SITE}identity_key = \"{}\"\n", "a".repeat(32)),
                "no statement `identity`",
            ),
            (format!("{SITE}{SITE}"), "there are two `[[widgets.site]]`"),
            ("[widgets]\nkey = 1\n".to_owned(), "unknown field `key`"),
            (
                "[widgets]\n[[widgets.demo]]\nlanguage = \"fr\"\ncontroller_id = \
                 \"22b15ffe-a936-420d-b21b-297d1782b9f2\"\n"
                    .to_owned(),
                "no page in the language `fr`",
            ),
        ] {
            let fault = read(&text).unwrap_err();
            assert!(fault.contains(reason), "{text}: {fault}");
        }
    }

    #[test]
    fn site_has_its_own_origins() {
        let config = read(&format!(
            "[widgets]\norigins = [\"https://a\"]\n{SITE}origins = [\"https://b\"]\n"
        ));
        let config = config.unwrap().unwrap();
        let own: Uuid = "22b15ffe-a936-420d-b21b-297d1782b9f2".parse().unwrap();
        let allows = |id, origin| config.allows(id, &HeaderValue::from_static(origin));
        assert!(allows(own, "https://b") && !allows(own, "https://a") && !allows(own, "null"));
        assert!(allows(Uuid::nil(), "https://a") && !allows(Uuid::nil(), "https://b"));
        assert_eq!(config.origins(), ["https://a", "https://b"]);
    }
}
