//! Who is asking: the admin secret or a token, and the role and session values that follow. The one way from headers to a
//! [`Session`].

pub mod claims;
pub mod jwt;
mod mint;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::config::{Config, Secret};
use crate::error::{Error, Malformed, Unverified};
use crate::session::{ADMIN, Caller, Session, Values, value_name};
use jwt::{Issuer, TokenHeader, Verified};

pub use mint::{Grant, mint};

/// Knows who may come in, and remembers tokens it has verified.
#[derive(Debug)]
pub struct Doorman {
    policy: Policy,
    prefix: Arc<str>,
    dry_run: Option<HeaderName>,
    verified: Cache<(usize, [u8; 32]), Arc<Verified>>,
}

/// Who may come in.
#[derive(Debug, Default)]
pub struct Policy {
    /// The secret that opens everything.
    pub admin_secret: Option<Secret>,
    /// Whose tokens count.
    pub issuers: Vec<Issuer>,
    /// How session headers begin, in lower case: `x-gateway-`.
    pub header_prefix: String,
    /// The role of callers without token or secret.
    pub unauthorized_role: Option<String>,
    /// Whether a token alone does not pick its default role.
    pub require_role_header: bool,
    /// Whether everybody is admin.
    pub insecure: bool,
    /// Whether a token can make its holder admin, as it can under Hasura's profile.
    pub admin_tokens: bool,
}

/// Why nobody could be told apart.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// No secret, no key, and no word that this is meant.
    #[error(
        "neither an admin secret nor a JWT secret is set, so nobody could be refused; set `--admin-secret` or \
         `--jwt-secret`, or say `--insecure`"
    )]
    Open,
    /// A key that cannot be read.
    #[error(transparent)]
    Secret(#[from] jwt::SecretError),
    /// A prefix that is none.
    #[error("the header prefix has to be letters, digits and dashes, and end with a dash")]
    Prefix,
}

/// Opens mutations for back ends, beside the admin secret.
const BACKEND_ONLY: &str = "use-backend-only-permissions";

/// Has mutations undone. In answers it says that they were.
const DRY_RUN: &str = "dry-run";

/// How many verified tokens are remembered.
const REMEMBERED: u64 = 10_000;

/// The longest time for which a token is not looked at again.
const MEMORY: Duration = Duration::from_secs(300);

impl Policy {
    /// The policy of these settings.
    pub fn new(config: &Config) -> Result<Policy, PolicyError> {
        let prefix = config.header_prefix.to_ascii_lowercase();
        let sound = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !sound || prefix.len() < 2 || !prefix.ends_with('-') {
            return Err(PolicyError::Prefix);
        }
        let naming = claims::Naming { prefix: &prefix, namespace: config.profile.claims_namespace() };
        let secret = config.jwt_secret.as_ref().map(|secret| jwt::read(secret.reveal(), naming));
        let policy = Policy {
            admin_secret: config.admin_secret.clone(),
            issuers: secret.transpose()?.unwrap_or_default(),
            header_prefix: prefix,
            unauthorized_role: config.unauthorized_role.clone(),
            require_role_header: config.require_role_header,
            insecure: config.insecure,
            admin_tokens: config.profile.trusts_admin_tokens(),
        };
        match policy.admin_secret.is_none() && policy.issuers.is_empty() && !policy.insecure {
            true => Err(PolicyError::Open),
            false => Ok(policy),
        }
    }
}

impl Doorman {
    /// A doorman with that policy.
    pub fn new(policy: Policy) -> Doorman {
        let prefix: Arc<str> = policy.header_prefix.as_str().into();
        let dry_run = HeaderName::try_from(format!("{prefix}{DRY_RUN}")).ok();
        Doorman {
            policy,
            prefix,
            dry_run,
            verified: Cache::builder().max_capacity(REMEMBERED).time_to_live(MEMORY).build(),
        }
    }

    /// Who may come in.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How many tokens are remembered, roughly.
    pub fn remembered(&self) -> u64 {
        self.verified.entry_count()
    }

    /// The header that has mutations undone.
    pub fn dry_run_header(&self) -> Option<&HeaderName> {
        self.dry_run.as_ref()
    }

    /// Who sends these headers.
    pub async fn session(&self, headers: &HeaderMap) -> Result<Session, Error> {
        let own = self.own(headers)?;
        let sender = self.sender(headers, &own)?;
        Ok(sender.with_prefix(self.prefix.clone()).with_dry_run(self.switch(own.dry_run, DRY_RUN)?))
    }

    /// Whose token stands in these headers, whatever role it is to be used in.
    pub async fn holder(&self, headers: &HeaderMap) -> Result<Arc<Verified>, Error> {
        self.own(headers)?;
        let found = self.token(headers)?.ok_or(Error::NoAuthorization)?;
        self.verify(found, headers)
    }

    fn sender(&self, headers: &HeaderMap, own: &Own<'_>) -> Result<Session, Error> {
        if let Some(secret) = own.admin_secret {
            self.check_secret(self.text("admin-secret", secret)?)?;
            return self.trusted(headers, own);
        }
        if let Some(token) = self.token(headers)? {
            return self.by_token(token, headers, own);
        }
        if self.policy.insecure {
            return self.trusted(headers, own);
        }
        self.unauthorized(own)
    }

    /// Our own headers. Those that say who is asking may not be given twice: a proxy and the gateway might look at
    /// different ones.
    fn own<'h>(&self, headers: &'h HeaderMap) -> Result<Own<'h>, Error> {
        let mut own = Own::default();
        let mut last = None;
        for (name, value) in headers {
            let rest = name.as_str().strip_prefix(self.policy.header_prefix.as_str());
            if rest.is_none() && name != http::header::AUTHORIZATION && !self.is_custom(name) {
                continue;
            }
            // The values of one name follow each other.
            if last == Some(name) {
                return Err(Error::HeaderTwice(name.as_str().to_owned()));
            }
            last = Some(name);
            match rest {
                Some("admin-secret") => own.admin_secret = Some(value),
                Some("role") => own.role = Some(value),
                Some(BACKEND_ONLY) => own.backend_only = Some(value),
                Some(DRY_RUN) => own.dry_run = Some(value),
                _ => {}
            }
        }
        Ok(own)
    }

    /// Whether tokens of some issuer stand in that header.
    fn is_custom(&self, name: &HeaderName) -> bool {
        self.policy.issuers.iter().any(|issuer| match &issuer.header {
            TokenHeader::CustomHeader { name: custom } => name.as_str().eq_ignore_ascii_case(custom),
            _ => false,
        })
    }

    /// The text of one of our own headers.
    fn text<'h>(&self, name: &str, value: &'h HeaderValue) -> Result<&'h str, Error> {
        let malformed = |_| Malformed::Header(format!("{}{name}", self.policy.header_prefix)).into();
        std::str::from_utf8(value.as_bytes()).map_err(malformed)
    }

    fn role<'h>(&self, own: &Own<'h>) -> Result<Option<&'h str>, Error> {
        own.role.map(|value| self.text("role", value)).transpose()
    }

    /// Digests are compared, in constant time, so that neither content nor length shows.
    fn check_secret(&self, given: &str) -> Result<(), Error> {
        let Some(secret) = &self.policy.admin_secret else {
            return if self.policy.insecure { Ok(()) } else { Err(Error::WrongAdminSecret) };
        };
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        let right: bool = digest(given).ct_eq(&digest(secret.reveal())).into();
        if right { Ok(()) } else { Err(Error::WrongAdminSecret) }
    }

    /// The session of somebody who may be anybody: headers say who.
    fn trusted(&self, headers: &HeaderMap, own: &Own<'_>) -> Result<Session, Error> {
        let mut values = Values::new();
        for (name, value) in headers {
            let Some(rest) = name.as_str().strip_prefix(&self.policy.header_prefix) else { continue };
            if !matches!(rest, "" | "role" | "admin-secret" | BACKEND_ONLY | DRY_RUN) {
                values.insert(value_name(rest), text(name.as_str(), value)?.to_owned());
            }
        }
        let role = self.role(own)?.unwrap_or(ADMIN);
        let backend_only = self.switch(own.backend_only, BACKEND_ONLY)?;
        Ok(Session::new(role, Arc::new(values), Caller::Trusted).with_backend_only(backend_only))
    }

    /// One of our own headers that says yes or no.
    fn switch(&self, value: Option<&HeaderValue>, name: &str) -> Result<bool, Error> {
        let Some(value) = value else { return Ok(false) };
        match self.text(name, value)?.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" => Ok(true),
            "false" | "f" | "no" | "n" => Ok(false),
            _ => Err(Malformed::Switch(format!("{}{name}", self.policy.header_prefix)).into()),
        }
    }

    fn unauthorized(&self, own: &Own<'_>) -> Result<Session, Error> {
        let role = self.policy.unauthorized_role.as_deref().ok_or(Error::NoAuthorization)?;
        match self.role(own)? {
            Some(other) if other != role => Err(Error::RoleNotAllowed),
            _ => Ok(Session::new(role, Arc::default(), Caller::Unauthorized)),
        }
    }

    /// The token of the request.
    fn token<'h>(&self, headers: &'h HeaderMap) -> Result<Option<Found<'h>>, Error> {
        let mut found = None;
        for (place, issuer) in self.policy.issuers.iter().enumerate() {
            if let Some(token) = token_at(&issuer.header, headers)? {
                found = found.or(Some(Found { token, place }));
            }
        }
        if found.is_none() && !self.policy.insecure && self.policy.issuers.is_empty() {
            let token = token_at(&TokenHeader::Authorization, headers)?;
            found = token.map(|token| Found { token, place: 0 });
        }
        Ok(found)
    }

    /// The issuers that have a token where it was found.
    fn issuers(&self, found: Found<'_>, headers: &HeaderMap) -> Vec<&Issuer> {
        let from = self.policy.issuers.iter().skip(found.place);
        from.filter(|issuer| matches!(token_at(&issuer.header, headers), Ok(Some(token)) if token == found.token))
            .collect()
    }

    fn by_token(&self, found: Found<'_>, headers: &HeaderMap, own: &Own<'_>) -> Result<Session, Error> {
        let verified = self.verify(found, headers)?;
        let role = match self.role(own)? {
            None if self.policy.require_role_header => return Err(Error::RoleNotAllowed),
            None => &*verified.claims.default_role,
            Some(role) => role,
        };
        let allowed = verified.claims.allowed_roles.iter().find(|allowed| &***allowed == role);
        // The role `admin` comes from the secret alone, unless the profile has it otherwise.
        let allowed = allowed.filter(|role| &***role != ADMIN || self.policy.admin_tokens);
        let allowed = allowed.ok_or(Error::RoleNotAllowed)?;
        let session = Session::new(allowed.clone(), verified.claims.values.clone(), Caller::Token);
        Ok(session.until(verified.expires))
    }

    /// Verifies a token, or remembers that it did. Issuers do not change while the doorman lives.
    fn verify(&self, found: Found<'_>, headers: &HeaderMap) -> Result<Arc<Verified>, Error> {
        let key = (found.place, Sha256::digest(found.token.as_bytes()).into());
        if let Some(verified) = self.verified.get(&key) {
            return match verified.expires {
                Some(expires) if expires <= now() => {
                    self.verified.invalidate(&key);
                    Err(Unverified::Expired.into())
                }
                _ => Ok(verified),
            };
        }
        let verified = jwt::verify(&self.issuers(found, headers), found.token)?;
        self.verified.insert(key, verified.clone());
        Ok(verified)
    }
}

/// The gateway's own headers in a request.
#[derive(Default)]
struct Own<'h> {
    admin_secret: Option<&'h HeaderValue>,
    role: Option<&'h HeaderValue>,
    backend_only: Option<&'h HeaderValue>,
    dry_run: Option<&'h HeaderValue>,
}

/// A token and where it was found.
#[derive(Clone, Copy)]
struct Found<'h> {
    token: &'h str,
    /// The number of the first issuer that has its tokens there.
    place: usize,
}

fn token_at<'h>(place: &TokenHeader, headers: &'h HeaderMap) -> Result<Option<&'h str>, Error> {
    match place {
        TokenHeader::Authorization => headers.get(http::header::AUTHORIZATION).map(bearer).transpose(),
        TokenHeader::CustomHeader { name } => headers.get(name).map(|value| text(name, value)).transpose(),
        TokenHeader::Cookie { name } => cookie(name, headers),
    }
}

/// The token of `Bearer <token>`; the scheme's case does not matter.
fn bearer(value: &HeaderValue) -> Result<&str, Error> {
    let parts = value.to_str().ok().and_then(|text| text.trim().split_once(' '));
    match parts {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => Ok(token.trim()),
        _ => Err(Unverified::Header.into()),
    }
}

/// The cookie of that name. Two of them are refused like a header given twice.
fn cookie<'h>(wanted: &str, headers: &'h HeaderMap) -> Result<Option<&'h str>, Error> {
    let texts = headers.get_all(http::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs.filter(|(name, _)| *name == wanted).map(|(_, token)| token);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(Error::HeaderTwice(format!("cookie: {wanted}"))),
        (first, None) => Ok(first),
    }
}

fn text<'h>(name: &str, value: &'h HeaderValue) -> Result<&'h str, Error> {
    std::str::from_utf8(value.as_bytes()).map_err(|_| Malformed::Header(name.to_owned()).into())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
