//! The settings in `[accounts]`: the owner's statements, the ways to sign in, the pages that links
//! lead back to, and the mail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::config::{Config, ConfigError, ConfigTables, Secret};
use pg::Database;
use reqwest::Url;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::mail::{MailSettings, Mailer};
use super::passkey::RelyingParty;
use super::password::{PasswordPolicy, leaked_client};
use super::provider::{Provider, ProviderSettings};
use super::redirect::{self, RedirectPattern};
use super::seal::SealKeys;
use super::statements::OwnerStatements;
use crate::token_exchange::TokenExchangeConfig;

/// The table's name in the settings file.
pub(super) const SECTION: &str = "accounts";

/// The time limit for checking the statements with the database.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The least number of characters of `key`: 256 bits in base64 are 44.
const MIN_KEY_LENGTH: usize = 32;

/// The settings of accounts, ready for use.
#[derive(Debug)]
pub(super) struct AccountsConfig {
    /// How sessions are opened and users found.
    pub(super) exchange: TokenExchangeConfig,
    /// The statements that read and write the owner's tables.
    pub(super) owner: OwnerStatements,
    /// The ways to sign in.
    pub(super) methods: Vec<Method>,
    /// Whether people without an account may make one.
    pub(super) signup: bool,
    /// Whether a password opens no session before its address was verified.
    pub(super) verify: bool,
    /// The roles that clients may name.
    pub(super) roles: Vec<String>,
    /// The gateway's public address, without a slash at its end.
    pub(super) server_url: String,
    /// Where links lead if the request names no page.
    pub(super) client_url: String,
    client_page: Url,
    redirects: Vec<RedirectPattern>,
    /// Whether opening a link shows a page whose button uses it.
    pub(super) has_page: bool,
    /// The languages of mails, the default first.
    pub(super) locales: Vec<String>,
    /// What a new password has to be.
    pub(super) passwords: PasswordPolicy,
    /// The client that asks for leaked passwords.
    pub(super) leaked_client: reqwest::Client,
    /// The name of the application, in authenticator apps and beside passkeys.
    pub(super) name: String,
    /// Hashes codes, which are too short to be hashed without a key.
    pub(super) key: Secret,
    /// Seals the secrets of authenticator apps.
    pub(super) seal: SealKeys,
    /// The application that passkeys belong to; `None` without passkeys and security keys.
    pub(super) relying_party: Option<RelyingParty>,
    /// The other providers.
    pub(super) providers: Vec<Provider>,
    /// Whether people may sign in without an address.
    pub(super) anonymous: bool,
    /// Sends mails.
    pub(super) mailer: Arc<Mailer>,
}

/// A way to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Method {
    /// An address and a password.
    Password,
    /// A link in a mail.
    Link,
    /// A code in a mail.
    Code,
    /// A passkey or a security key.
    Passkey,
}

impl Method {
    /// Its name in the settings, in the audit, and for the owner's `create`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Password => "password",
            Method::Link => "link",
            Method::Code => "code",
            Method::Passkey => "passkey",
        }
    }

    /// Its name in the claim `amr`: that of RFC 8176, which has none for links.
    pub(super) fn reference(self) -> &'static str {
        match self {
            Method::Password => "pwd",
            Method::Link => "link",
            Method::Code => "otp",
            Method::Passkey => "hwk",
        }
    }
}

/// How links in mails are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Links {
    #[default]
    Page,
    Direct,
}

/// `[accounts]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    by_email: String,
    create: String,
    set_email: Option<String>,
    methods: Vec<Method>,
    #[serde(default = "yes")]
    signup: bool,
    #[serde(default = "yes")]
    verify: bool,
    #[serde(default)]
    roles: Vec<String>,
    server_url: String,
    client_url: String,
    #[serde(default)]
    redirects: Vec<String>,
    #[serde(default)]
    links: Links,
    key: String,
    former_key: Option<String>,
    name: Option<String>,
    /// These three are read with the settings of tokens.
    #[serde(rename = "elevation")]
    _elevation: Option<IgnoredAny>,
    #[serde(rename = "second_factor")]
    _second_factor: Option<IgnoredAny>,
    #[serde(rename = "enroll_role")]
    _enroll_role: Option<IgnoredAny>,
    #[serde(default = "locales")]
    locales: Vec<String>,
    #[serde(default = "password_characters")]
    password_characters: usize,
    leaked_passwords: Option<String>,
    mail: MailSettings,
    passkeys: Option<RawPasskeys>,
    #[serde(default)]
    provider: BTreeMap<String, ProviderSettings>,
    #[serde(default)]
    anonymous: bool,
}

/// `[accounts.passkeys]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPasskeys {
    rp_id: String,
    origins: Vec<String>,
}

fn yes() -> bool {
    true
}

fn locales() -> Vec<String> {
    ["en", "de", "nl"].map(str::to_owned).into()
}

fn password_characters() -> usize {
    10
}

/// The settings that have to be read further.
struct Parts {
    server_url: Url,
    redirects: Vec<RedirectPattern>,
    leaked: Option<Url>,
    mailer: Mailer,
    seal: SealKeys,
    name: String,
    relying_party: Option<RelyingParty>,
    client_page: Url,
    providers: Vec<Provider>,
}

impl RawConfig {
    /// Checks the settings and reads what has a form of its own.
    fn parts(&self, sections: &ConfigTables) -> Result<Parts, ConfigError> {
        let refuse = |message: String| sections.fault(SECTION, message);
        if !sections.contains("token_exchange") {
            let message = "needs `[token_exchange]`, whose query finds users";
            return Err(refuse(message.into()));
        }
        let secrets = [
            self.mail.smtp.as_ref(),
            self.mail.secret.as_ref(),
            Some(&self.key),
            self.former_key.as_ref(),
        ];
        if secrets.into_iter().flatten().any(String::is_empty) {
            let message = "`key`, `former_key`, `mail.smtp` or `mail.secret` is empty";
            return Err(refuse(message.into()));
        }
        let keys = [Some(&self.key), self.former_key.as_ref()];
        if keys
            .into_iter()
            .flatten()
            .any(|key| key.len() < MIN_KEY_LENGTH)
        {
            return Err(refuse(format!(
                "`key` and `former_key` have to have at least {MIN_KEY_LENGTH} characters; make one by `openssl rand \
                 -base64 32`"
            )));
        }
        if self.methods.is_empty() {
            return Err(refuse("`methods` names no way to sign in".into()));
        }
        if self.locales.is_empty() {
            return Err(refuse("`locales` names no language".into()));
        }
        if !(8..=128).contains(&self.password_characters) {
            let message = "`password_characters` has to be from 8 to 128";
            return Err(refuse(message.into()));
        }
        let page = |name: &str, text: &str| {
            redirect::parse(text)
                .filter(|url| matches!(url.scheme(), "http" | "https") && url.query().is_none())
                .ok_or_else(|| refuse(format!("`{name}` has to be an address: https://…")))
        };
        let server_url = page("server_url", &self.server_url)?;
        let mut redirects = vec![];
        for text in std::iter::once(&self.client_url).chain(&self.redirects) {
            redirects.push(RedirectPattern::read(text).map_err(&refuse)?);
        }
        let leaked = self
            .leaked_passwords
            .as_deref()
            .map(|text| page("leaked_passwords", text))
            .transpose()?;
        let client_page = redirect::parse(&self.client_url)
            .ok_or_else(|| refuse("`client_url` has to be an address of a page".into()))?;
        let host = client_page.host_str().map(str::to_owned);
        let providers = self.provider.iter().map(|(name, settings)| {
            Provider::new(name, settings)
                .map_err(|message| refuse(format!("`provider.{name}`: {message}")))
        });
        let providers = providers.collect::<Result<_, _>>()?;
        let key = Secret::new(&self.key);
        let former = self.former_key.as_deref().map(Secret::new);
        let folder = sections.beside("");
        let mailer = Mailer::new(&self.mail, &folder, &self.locales).map_err(&refuse)?;
        let name = self.name.clone().or(host).unwrap_or_default();
        let relying_party = self.passkeys.as_ref().map(|passkeys| {
            RelyingParty::new(&passkeys.rp_id, &name, &passkeys.origins)
                .map_err(|message| refuse(format!("`passkeys`: {message}")))
        });
        if self.methods.contains(&Method::Passkey) && relying_party.is_none() {
            let message = "the method `passkey` needs `[accounts.passkeys]`";
            return Err(refuse(message.into()));
        }
        Ok(Parts {
            server_url,
            redirects,
            leaked,
            mailer,
            seal: SealKeys::new(&key, former.as_ref()).map_err(&refuse)?,
            name,
            relying_party: relying_party.transpose()?,
            client_page,
            providers,
        })
    }
}

/// What credentials need of the settings when they are taken over from another server.
pub(super) struct CredentialSettings {
    /// Seals the secrets of authenticator apps.
    pub(super) seal: SealKeys,
    /// The other providers.
    pub(super) providers: Vec<Provider>,
    /// Whether there are passkeys and security keys.
    pub(super) has_passkeys: bool,
}

impl CredentialSettings {
    /// Reads the settings, without the key that signs tokens; `None` without the section.
    pub(super) fn read(config: &Config) -> Result<Option<CredentialSettings>, ConfigError> {
        let Some(raw) = config.sections.read::<RawConfig>(SECTION)? else {
            return Ok(None);
        };
        let parts = raw.parts(&config.sections)?;
        Ok(Some(CredentialSettings {
            seal: parts.seal,
            providers: parts.providers,
            has_passkeys: parts.relying_party.is_some(),
        }))
    }
}

/// Checks the form of the section, for a check without the key that signs tokens.
pub(super) fn check_form(config: &Config) -> Result<(), ConfigError> {
    let raw = config.sections.read::<RawConfig>(SECTION)?;
    raw.map_or(Ok(()), |raw| raw.parts(&config.sections).map(drop))
}

impl AccountsConfig {
    /// Reads the settings; `None` without the section.
    pub(super) fn read(config: &Config) -> Result<Option<AccountsConfig>, ConfigError> {
        let sections = &config.sections;
        let Some(raw) = sections.read::<RawConfig>(SECTION)? else {
            return Ok(None);
        };
        let Parts {
            server_url,
            redirects,
            leaked,
            mailer,
            seal,
            name,
            relying_party,
            client_page,
            providers,
        } = raw.parts(sections)?;
        let Some(exchange) = TokenExchangeConfig::read(config)? else {
            return Ok(None);
        };
        let leaked_client = leaked_client().map_err(|error| sections.fault(SECTION, error))?;
        Ok(Some(AccountsConfig {
            exchange,
            owner: OwnerStatements::new(&raw.by_email, &raw.create, raw.set_email.as_deref()),
            methods: raw.methods,
            signup: raw.signup,
            verify: raw.verify,
            roles: raw.roles,
            server_url: server_url.as_str().trim_end_matches('/').to_owned(),
            client_url: raw.client_url,
            redirects,
            has_page: raw.links == Links::Page,
            locales: raw.locales,
            passwords: PasswordPolicy {
                characters: raw.password_characters,
                leaked,
            },
            leaked_client,
            name,
            key: Secret::new(raw.key),
            seal,
            relying_party,
            client_page,
            providers,
            anonymous: raw.anonymous,
            mailer: Arc::new(mailer),
        }))
    }

    /// Checks that the database accepts the owner's statements.
    pub(super) async fn check(&self, database: &Database) -> Result<(), String> {
        let client = database
            .admin_client(Instant::now() + CHECK_TIMEOUT)
            .await
            .map_err(|fault| fault.to_string())?;
        self.owner.check(&client).await?;
        self.mailer.check(&client).await
    }

    /// Whether people may sign in this way.
    pub(super) fn offers(&self, method: Method) -> bool {
        self.methods.contains(&method)
    }

    /// The page of this address, if the settings list it.
    pub(super) fn page(&self, text: &str) -> Option<Url> {
        let url = redirect::parse(text)?;
        self.redirects
            .iter()
            .any(|pattern| pattern.allows(&url))
            .then_some(url)
    }

    /// Where people are led back to if nothing else is known.
    pub(super) fn client_page(&self) -> Url {
        self.client_page.clone()
    }

    /// The language of mails to someone who prefers this one.
    pub(super) fn locale<'a>(&'a self, preferred: Option<&str>) -> &'a str {
        let listed =
            preferred.and_then(|preferred| self.locales.iter().find(|locale| *locale == preferred));
        listed.or(self.locales.first()).map_or("en", String::as_str)
    }
}
