//! Authenticates requests: turns the headers of a request into a [`Session`] with a role and
//! session values, by the admin secret, a JWT or an authentication webhook. Row rules and limits of
//! the role are applied later, by `sql` and [`crate::limits`].

pub mod claims;
pub mod claims_set;
pub mod fetch;
pub(crate) mod forwarded_headers;
pub(crate) mod session_headers;
mod webhook;
pub mod id_token;
pub mod jwt;
pub mod jwt_config_error;
mod key_set;
mod keys;
mod freshness;
mod issue_token;
mod policy_error;

use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use http::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use permissions::Permissions;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::auth::claims_set::{ClaimsSet, SessionClaims};
use crate::auth::session::{ADMIN, AuthKind, Session, ValueNames, Values, value_name};
use crate::auth::session_headers::{ReservedHeader, check_spelling, is_spelling, without_prefix};
use crate::config::{Config, Secrets};
use crate::error::{Error, InvalidRequest, TokenError};
use jwt::{Issuer, TokenLocation, UnverifiedToken, VerifiedToken};

pub use issue_token::{TokenRequest, mint};
pub use key_set::KeySets;
pub use policy_error::PolicyError;
pub use webhook::AuthWebhook;

/// Authenticates requests and caches verified tokens.
#[derive(Debug)]
pub struct Authenticator {
    policy: AuthPolicy,
    /// Whether settings of transactions read the claims of tokens.
    keeps_claims: bool,
    prefix: Arc<str>,
    dry_run: Option<HeaderName>,
    vary: HeaderValue,
    verified: Cache<(usize, [u8; 32]), Arc<VerifiedToken>, RandomState>,
}

/// The credentials that are accepted.
#[derive(Debug, Default)]
pub struct AuthPolicy {
    /// The secrets that grant the role `admin`.
    pub admin_secret: Option<Secrets>,
    /// The issuers whose tokens are accepted.
    pub issuers: Vec<Issuer>,
    /// The webhook that authenticates requests instead of tokens.
    pub hook: Option<AuthWebhook>,
    /// The prefix of session headers in lower case: `x-gateway-`.
    pub header_prefix: String,
    /// The role of requests without token or secret.
    pub unauthorized_role: Option<String>,
    /// Whether a token needs the role header, instead of falling back to its default role.
    pub require_role_header: bool,
    /// Whether requests without credentials have the role `admin` (`--insecure`).
    pub insecure: bool,
    /// Whether a token may grant the role `admin`, as under Hasura's profile.
    pub admin_tokens: bool,
}

/// The maximum number of cached tokens.
const MAX_CACHED_TOKENS: u64 = 10_000;

/// The maximum time a verified token stays in the cache.
const MAX_TOKEN_CACHE_TIME: Duration = Duration::from_secs(300);

impl AuthPolicy {
    /// Builds the policy from the settings. Published key sets are looked up in `sets` or added to
    /// it.
    pub fn new(config: &Config, sets: &KeySets) -> Result<AuthPolicy, PolicyError> {
        let prefix = config.header_prefix().to_ascii_lowercase();
        let sound = prefix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !sound || prefix.len() < 2 || !prefix.ends_with('-') {
            return Err(PolicyError::Prefix);
        }
        let naming = claims::ClaimNames {
            prefix: &prefix,
            namespace: config.profile.claims_namespace(),
        };
        let secret = config
            .jwt_secret
            .as_ref()
            .map(|secret| jwt::read(secret.reveal(), naming, config.profile, sets));
        let hook = config
            .auth_hook
            .as_ref()
            .map(|url| AuthWebhook::new(url, config.auth_hook_mode, &prefix));
        let policy = AuthPolicy {
            admin_secret: config.admin_secret.clone(),
            issuers: secret.transpose()?.unwrap_or_default(),
            hook: hook.transpose()?,
            header_prefix: prefix,
            unauthorized_role: config.unauthorized_role.clone(),
            require_role_header: config.require_role_header,
            insecure: config.insecure,
            admin_tokens: config.profile.trusts_admin_tokens(),
        };
        if policy.unauthorized_role.as_deref() == Some(ADMIN) {
            return Err(PolicyError::UnauthorizedAdmin);
        }
        let nobody_says =
            policy.admin_secret.is_none() && policy.issuers.is_empty() && policy.hook.is_none();
        match (&policy.hook, policy.issuers.is_empty()) {
            (Some(_), false) => Err(PolicyError::Both),
            _ if nobody_says && !policy.insecure => Err(PolicyError::Open),
            _ => Ok(policy),
        }
    }
}

/// Checks that the permission file has the role for requests without credentials.
pub fn check_roles(
    config: &Config,
    permissions: &Permissions,
    has_file: bool,
) -> Result<(), PolicyError> {
    match &config.unauthorized_role {
        Some(_) if !has_file => Err(PolicyError::NoRoles),
        Some(role) if permissions.role(role).is_none() => {
            Err(PolicyError::UnauthorizedRole(role.clone()))
        }
        _ => Ok(()),
    }
}

/// The headers that have the admin secret in Postern's own dialect and in Hasura's.
const OTHER_SECRETS: [&str; 2] = ["x-gateway-admin-secret", "x-hasura-admin-secret"];

/// The `Vary` header of responses that depend on the session.
fn vary(policy: &AuthPolicy) -> HeaderValue {
    // A webhook receives all headers.
    if policy.hook.is_some() {
        return HeaderValue::from_static("*");
    }
    let prefix = &policy.header_prefix;
    let mut names = vec![
        "authorization".to_owned(),
        format!("{prefix}role"),
        format!("{prefix}admin-secret"),
    ];
    for issuer in &policy.issuers {
        match &issuer.header {
            TokenLocation::Authorization => {}
            TokenLocation::Cookie { .. } => names.push("cookie".into()),
            TokenLocation::CustomHeader { name } => names.push(name.to_ascii_lowercase()),
        }
    }
    names.dedup();
    // Without a valid list the response varies by every header.
    HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static("*"))
}

impl Authenticator {
    /// An authenticator with this policy.
    pub fn new(policy: AuthPolicy) -> Authenticator {
        let prefix: Arc<str> = policy.header_prefix.as_str().into();
        let dry_run =
            HeaderName::try_from(format!("{prefix}{}", ReservedHeader::DryRun.name())).ok();
        let vary = vary(&policy);
        Authenticator {
            policy,
            keeps_claims: false,
            prefix,
            dry_run,
            vary,
            verified: Cache::builder()
                .max_capacity(MAX_CACHED_TOKENS)
                .time_to_live(MAX_TOKEN_CACHE_TIME)
                .build_with_hasher(RandomState::default()),
        }
    }

    /// Sets whether sessions have the claims of their tokens, which takes memory for each cached
    /// token.
    pub fn keeping_claims(self, keeps_claims: bool) -> Authenticator {
        Authenticator {
            keeps_claims,
            ..self
        }
    }

    /// Starts the tasks that fetch published keys.
    pub fn start_refreshing(&self) {
        self.policy.issuers.iter().for_each(Issuer::start);
    }

    /// The accepted credentials.
    pub fn policy(&self) -> &AuthPolicy {
        &self.policy
    }

    /// The approximate number of cached tokens.
    pub fn cached_tokens(&self) -> u64 {
        self.verified.entry_count()
    }

    /// The header that rolls mutations back.
    pub fn dry_run_header(&self) -> Option<&HeaderName> {
        self.dry_run.as_ref()
    }

    /// The names for `Vary` of all headers that authentication depends on. Session headers count
    /// only together with the admin secret, so the secret's header covers them.
    pub fn vary(&self) -> &HeaderValue {
        &self.vary
    }

    /// Authenticates a request by its headers.
    pub async fn session(&self, headers: &HeaderMap) -> Result<Session, Error> {
        match self.session_at_once(headers)? {
            Some(session) => Ok(session),
            // Boxed: most requests do not need to wait here, and the box keeps their futures small.
            None => Box::pin(self.session_after_waiting(headers, None)).await,
        }
    }

    /// The session if neither the webhook nor a token verification is needed: most tokens are in
    /// the cache. `None` if it is.
    pub fn session_at_once(&self, headers: &HeaderMap) -> Result<Option<Session>, Error> {
        let own = self.own_headers(headers)?;
        let session = if let Some(secret) = own.admin_secret {
            self.check_secret(self.text(ReservedHeader::AdminSecret, secret)?)?;
            self.trusted_session(headers, &own)?
        } else if self.policy.hook.is_some() {
            return Ok(None);
        } else if let Some(found) = self.token(headers)? {
            match self
                .verified
                .get(&key(found))
                .filter(|verified| verified.keys_unchanged())
            {
                Some(verified) if !verified.is_expired() => {
                    self.session_of_token(&verified, &own)?
                }
                _ => return Ok(None),
            }
        } else if self.policy.insecure {
            self.trusted_session(headers, &own)?
        } else {
            self.unauthorized(&own)?
        };
        self.with_settings(session, &own).map(Some)
    }

    /// The session where [`Authenticator::session_at_once`] has none: from the webhook, which
    /// receives `request` if it is configured to, or from a token whose verification may have to
    /// fetch keys.
    pub async fn session_after_waiting(
        &self,
        headers: &HeaderMap,
        request: Option<&Value>,
    ) -> Result<Session, Error> {
        let own = self.own_headers(headers)?;
        let session = match &self.policy.hook {
            // The webhook alone decides what an `Authorization` header means.
            Some(hook) => self.session_from_webhook(hook, headers, request).await?,
            None => match self.token(headers)? {
                Some(found) => self.session_of_token(&*self.verify(found, headers).await?, &own)?,
                None => self.unauthorized(&own)?,
            },
        };
        self.with_settings(session, &own)
    }

    /// Adds the settings from other headers to an authenticated session.
    fn with_settings(&self, session: Session, own: &OwnHeaders<'_>) -> Result<Session, Error> {
        let dry_run = self.switch(own.dry_run, ReservedHeader::DryRun)?;
        Ok(session
            .with_prefix(self.prefix.clone())
            .with_dry_run(dry_run))
    }

    /// Verifies the token in the headers without selecting a role.
    pub async fn verified_token(&self, headers: &HeaderMap) -> Result<Arc<VerifiedToken>, Error> {
        let own = self.own_headers(headers)?;
        // A wrong admin secret is rejected even beside a valid token, as in
        // [`Authenticator::session_at_once`].
        if let Some(secret) = own.admin_secret {
            self.check_secret(self.text(ReservedHeader::AdminSecret, secret)?)?;
        }
        let found = self.token(headers)?.ok_or(Error::NoAuthorization)?;
        self.verify(found, headers).await
    }

    /// Whether a session comes from a token or the admin secret in these headers, and not from the
    /// role that callers without credentials have.
    pub fn has_credentials(&self, headers: &HeaderMap, session: &Session) -> bool {
        match session.caller() {
            AuthKind::Token => true,
            AuthKind::Unauthorized => false,
            AuthKind::Trusted => {
                self.policy.admin_secret.is_some()
                    && session_headers::has_admin_secret(headers, &self.prefix)
            }
        }
    }

    /// Whether a request with these headers may be of a caller with credentials, valid or not: of
    /// the places in which the configured authentication looks for them, one is not empty. A
    /// webhook may read any header.
    pub fn may_have_credentials(&self, headers: &HeaderMap) -> bool {
        if self.policy.hook.is_some() || self.policy.insecure {
            return true;
        }
        let is_own = |name: &HeaderName| without_prefix(name, &self.prefix).is_some();
        let is_cookie = |issuer: &Issuer| match &issuer.header {
            // Two cookies of the name are an error, so there is one.
            TokenLocation::Cookie { .. } => !matches!(token_at(&issuer.header, headers), Ok(None)),
            TokenLocation::Authorization | TokenLocation::CustomHeader { .. } => false,
        };
        let is_credential = |name| {
            name == http::header::AUTHORIZATION
                || is_own(name)
                || self.custom_header(name).is_some()
        };
        headers.keys().any(is_credential) || self.policy.issuers.iter().any(is_cookie)
    }

    /// The name of a header that clients of another dialect put the admin secret in, and that has
    /// no meaning here.
    pub fn ignored_secret(&self, headers: &HeaderMap) -> Option<&'static str> {
        // A webhook receives all headers, and may know it.
        if self.policy.hook.is_some() {
            return None;
        }
        OTHER_SECRETS.into_iter().find(|name| {
            let prefix = name.strip_suffix(ReservedHeader::AdminSecret.name());
            prefix != Some(&*self.prefix) && headers.contains_key(*name)
        })
    }

    /// The name of the header that the admin secret belongs in.
    pub fn secret_header(&self) -> String {
        self.full_name(ReservedHeader::AdminSecret)
    }

    /// Whether authentication depends on the request's body: a webhook receives it and no admin
    /// secret is sent.
    pub fn wants_request(&self, headers: &HeaderMap) -> bool {
        let hook = self
            .policy
            .hook
            .as_ref()
            .filter(|hook| hook.wants_request());
        hook.is_some() && !session_headers::has_admin_secret(headers, &self.prefix)
    }

    /// Collects the gateway's own headers. Headers used for authentication must not be repeated: a
    /// proxy and the gateway might read different values.
    fn own_headers<'h>(&self, headers: &'h HeaderMap) -> Result<OwnHeaders<'h>, Error> {
        let mut own = OwnHeaders::default();
        let mut last = None;
        let mut may_repeat = false;
        for (name, value) in headers {
            let name_without_prefix = without_prefix(name, &self.prefix);
            let custom = self.custom_header(name);
            if name_without_prefix.is_none()
                && custom.is_none()
                && name != http::header::AUTHORIZATION
            {
                continue;
            }
            // `HeaderMap` iterates over the values of one name in sequence.
            if last == Some(name) {
                return Err(Error::HeaderTwice(name.as_str().to_owned()));
            }
            last = Some(name);
            if let Some(custom) = custom {
                check_spelling(name, custom)?;
            }
            let Some(name_without_prefix) = name_without_prefix else {
                continue;
            };
            // `http` converts header names to lower case, so two spellings of one name can differ
            // only in an underscore.
            may_repeat |= name.as_str().contains('_');
            let Some(reserved) = ReservedHeader::from_name(name_without_prefix) else {
                continue;
            };
            if name.as_str().strip_prefix(&*self.prefix) != Some(reserved.name()) {
                check_spelling(name, &self.full_name(reserved))?;
            }
            match reserved {
                ReservedHeader::AdminSecret => own.admin_secret = Some(value),
                ReservedHeader::Role => own.role = Some(value),
                ReservedHeader::BackendOnly => own.backend_only = Some(value),
                ReservedHeader::DryRun => own.dry_run = Some(value),
                ReservedHeader::Claims => own.claims = Some(value),
            }
        }
        if may_repeat {
            let mut names = ValueNames::new(&self.prefix);
            let mut names_in_one_spelling =
                headers.keys().map(|name| name.as_str().replace('_', "-"));
            names_in_one_spelling
                .try_for_each(|name| names.insert(&name))
                .map_err(InvalidRequest::TwoSpellings)?;
        }
        Ok(own)
    }

    /// The name of one of the gateway's own headers, in lower case.
    fn full_name(&self, header: ReservedHeader) -> String {
        format!("{}{}", self.prefix, header.name())
    }

    /// The header for tokens of an issuer of whose name this one is a spelling.
    fn custom_header(&self, name: &HeaderName) -> Option<&str> {
        self.policy
            .issuers
            .iter()
            .find_map(|issuer| match &issuer.header {
                TokenLocation::CustomHeader { name: custom } => {
                    is_spelling(name.as_str(), custom).then_some(&**custom)
                }
                TokenLocation::Authorization | TokenLocation::Cookie { .. } => None,
            })
    }

    /// The text of one of the gateway's own headers.
    fn text<'h>(&self, header: ReservedHeader, value: &'h HeaderValue) -> Result<&'h str, Error> {
        let malformed = |_| InvalidRequest::Header(self.full_name(header)).into();
        std::str::from_utf8(value.as_bytes()).map_err(malformed)
    }

    fn role<'h>(&self, own: &OwnHeaders<'h>) -> Result<Option<&'h str>, Error> {
        own.role
            .map(|value| self.text(ReservedHeader::Role, value))
            .transpose()
    }

    fn check_secret(&self, given: &str) -> Result<(), Error> {
        let Some(secrets) = &self.policy.admin_secret else {
            return if self.policy.insecure {
                Ok(())
            } else {
                Err(Error::WrongAdminSecret)
            };
        };
        if secrets.accept(given) {
            Ok(())
        } else {
            Err(Error::WrongAdminSecret)
        }
    }

    /// The session of a request with the admin secret: role and session values come from its
    /// headers.
    fn trusted_session(&self, headers: &HeaderMap, own: &OwnHeaders<'_>) -> Result<Session, Error> {
        let mut values = Values::new();
        for (name, value) in headers {
            let Some(name_without_prefix) = without_prefix(name, &self.prefix) else {
                continue;
            };
            if name_without_prefix.is_empty()
                || ReservedHeader::from_name(name_without_prefix).is_some()
            {
                continue;
            }
            // Proxies that remove session headers of clients know them by the prefix.
            if !name.as_str().starts_with(&*self.prefix) {
                check_spelling(name, &format!("{}{name_without_prefix}", self.prefix))?;
            }
            values.insert(
                value_name(name_without_prefix),
                text(name.as_str(), value)?.to_owned(),
            );
        }
        let role = self.role(own)?.unwrap_or(ADMIN);
        let backend_only = self.switch(own.backend_only, ReservedHeader::BackendOnly)?;
        let session =
            Session::new(role, Arc::new(values), AuthKind::Trusted).with_backend_only(backend_only);
        Ok(session.with_claims(self.trusted_claims(own)?))
    }

    /// The claims that an admin gives; without the header those that follow from the session
    /// values.
    fn trusted_claims(&self, own: &OwnHeaders<'_>) -> Result<SessionClaims, Error> {
        let Some(value) = own.claims else {
            return Ok(SessionClaims::SessionValues);
        };
        let claims = ClaimsSet::parse(value.as_bytes());
        let claims =
            claims.ok_or_else(|| InvalidRequest::Claims(self.full_name(ReservedHeader::Claims)))?;
        Ok(SessionClaims::Given(claims))
    }

    /// Parses one of the gateway's own headers as a boolean.
    fn switch(&self, value: Option<&HeaderValue>, header: ReservedHeader) -> Result<bool, Error> {
        let Some(value) = value else { return Ok(false) };
        match self.text(header, value)?.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" => Ok(true),
            "false" | "f" | "no" | "n" => Ok(false),
            _ => Err(InvalidRequest::Switch(self.full_name(header)).into()),
        }
    }

    fn unauthorized(&self, own: &OwnHeaders<'_>) -> Result<Session, Error> {
        let role = self
            .policy
            .unauthorized_role
            .as_deref()
            .ok_or(Error::NoAuthorization)?;
        match self.role(own)? {
            Some(other) if other != role => Err(Error::RoleNotAllowed),
            _ => Ok(Session::new(role, Arc::default(), AuthKind::Unauthorized)),
        }
    }

    /// The token of the request and where it was found.
    fn token<'h>(&self, headers: &'h HeaderMap) -> Result<Option<FoundToken<'h>>, Error> {
        let mut found: Option<FoundToken<'h>> = None;
        for (index, issuer) in self.policy.issuers.iter().enumerate() {
            let Some(token) = token_at(&issuer.header, headers)? else {
                continue;
            };
            match found {
                None => {
                    found = Some(FoundToken {
                        token,
                        column_index: index,
                    });
                }
                // Different tokens in several places are rare and need a closer look.
                Some(first) if first.token != token => return self.only_token(headers),
                Some(_) => {}
            }
        }
        if found.is_none() && !self.policy.insecure && self.policy.issuers.is_empty() {
            let token = token_at(&TokenLocation::Authorization, headers)?;
            found = token.map(|token| FoundToken {
                token,
                column_index: 0,
            });
        }
        Ok(found)
    }

    /// Of several different tokens, the one whose location matches an issuer that may have made it.
    /// An error if more than one does, because the choice would be ambiguous.
    fn only_token<'h>(&self, headers: &'h HeaderMap) -> Result<Option<FoundToken<'h>>, Error> {
        let mut only: Option<FoundToken<'h>> = None;
        let mut refusal = None;
        for (index, issuer) in self.policy.issuers.iter().enumerate() {
            let Some(text) = token_at(&issuer.header, headers)? else {
                continue;
            };
            match (UnverifiedToken::read(text), only) {
                (Err(reason), _) => refusal = Some(reason),
                (Ok(token), _) if !issuer.may_have_issued(&token) => {}
                (Ok(_), None) => {
                    only = Some(FoundToken {
                        token: text,
                        column_index: index,
                    });
                }
                (Ok(_), Some(first)) if first.token != text => {
                    return Err(TokenError::Several.into());
                }
                (Ok(_), Some(_)) => {}
            }
        }
        match only {
            Some(found) => Ok(Some(found)),
            None => Err(refusal.unwrap_or(TokenError::Issuer).into()),
        }
    }

    /// The issuers whose token location contains this token.
    fn issuers(&self, found: FoundToken<'_>, headers: &HeaderMap) -> Vec<&Issuer> {
        let from = self.policy.issuers.iter().skip(found.column_index);
        from.filter(|issuer| matches!(token_at(&issuer.header, headers), Ok(Some(token)) if token == found.token))
            .collect()
    }

    /// The session for a verified token, with the requested role or the default role.
    fn session_of_token(
        &self,
        verified: &VerifiedToken,
        own: &OwnHeaders<'_>,
    ) -> Result<Session, Error> {
        let role = match self.role(own)? {
            None if self.policy.require_role_header => return Err(Error::RoleNotAllowed),
            None => &*verified.claims.default_role,
            Some(role) => role,
        };
        let allowed = verified
            .claims
            .allowed_roles
            .iter()
            .find(|allowed| &***allowed == role);
        let allowed = allowed
            .filter(|role| self.may_be(role))
            .ok_or(Error::RoleNotAllowed)?;
        let session = Session::new(
            allowed.clone(),
            verified.claims.values.clone(),
            AuthKind::Token,
        );
        Ok(session
            .with_claims(verified.session_claims.clone())
            .until(verified.expires))
    }

    /// Whether a token or webhook may grant this role: `admin` needs the secret, unless the profile
    /// allows it.
    fn may_be(&self, role: &str) -> bool {
        role != ADMIN || self.policy.admin_tokens
    }

    /// The session that the webhook returns. The webhook selects the role; it has received the role
    /// header.
    async fn session_from_webhook(
        &self,
        hook: &AuthWebhook,
        headers: &HeaderMap,
        request: Option<&Value>,
    ) -> Result<Session, Error> {
        let admitted = hook.authenticate(headers, request).await?;
        if !self.may_be(&admitted.role) {
            return Err(Error::RoleNotAllowed);
        }
        let session = Session::new(
            admitted.role.clone(),
            admitted.values.clone(),
            AuthKind::Token,
        );
        Ok(session.until(admitted.expires))
    }

    /// Verifies a token, or finds it in the cache. The issuers of an authenticator never change;
    /// their keys may.
    async fn verify(
        &self,
        found: FoundToken<'_>,
        headers: &HeaderMap,
    ) -> Result<Arc<VerifiedToken>, Error> {
        let key = key(found);
        if let Some(verified) = self
            .verified
            .get(&key)
            .filter(|verified| verified.keys_unchanged())
        {
            if verified.is_expired() {
                self.verified.invalidate(&key);
                return Err(TokenError::Expired.into());
            }
            return Ok(verified);
        }
        let issuers = self.issuers(found, headers);
        if issuers.is_empty() {
            return Err(TokenError::NoKey.into());
        }
        let token = UnverifiedToken::read(found.token)?;
        let version = keys_version(&issuers);
        let mut verified = match jwt::verify(&issuers, &token) {
            Ok(verified) => verified,
            Err(reason @ (TokenError::Key | TokenError::Signature | TokenError::Algorithm)) => {
                Box::pin(look_again(&issuers, &token, version, reason)).await?
            }
            Err(reason) => return Err(reason.into()),
        };
        if self.keeps_claims {
            verified.session_claims = token.claims_set()?;
        }
        let verified = Arc::new(verified);
        self.verified.insert(key, verified.clone());
        Ok(verified)
    }
}

/// The cache key of a token: its location and its digest.
fn key(found: FoundToken<'_>) -> (usize, [u8; 32]) {
    (
        found.column_index,
        Sha256::digest(found.token.as_bytes()).into(),
    )
}

/// Verifies a token again after fetching published keys, because none of the present keys signed
/// it. If the keys still have `version`, the first verification's error stands.
async fn look_again(
    issuers: &[&Issuer],
    token: &UnverifiedToken<'_>,
    version: u64,
    reason: TokenError,
) -> Result<VerifiedToken, Error> {
    for issuer in issuers
        .iter()
        .filter(|issuer| issuer.may_have_issued(token))
    {
        issuer.look_for_key(token).await;
    }
    let outcome = if keys_version(issuers) == version {
        Err(reason)
    } else {
        jwt::verify(issuers, token)
    };
    outcome.map_err(|reason| {
        // Without the issuer's keys the token cannot be judged, which is not the client's fault.
        let away = issuers
            .iter()
            .any(|issuer| issuer.may_have_issued(token) && issuer.has_no_keys());
        if away {
            Error::KeysUnavailable
        } else {
            reason.into()
        }
    })
}

/// A number that changes whenever the keys of one of the issuers change: versions only increase.
fn keys_version(issuers: &[&Issuer]) -> u64 {
    issuers.iter().map(|issuer| issuer.keys_version()).sum()
}

/// The gateway's own headers in a request.
#[derive(Default)]
struct OwnHeaders<'h> {
    admin_secret: Option<&'h HeaderValue>,
    role: Option<&'h HeaderValue>,
    backend_only: Option<&'h HeaderValue>,
    dry_run: Option<&'h HeaderValue>,
    claims: Option<&'h HeaderValue>,
}

/// A token and where it was found.
#[derive(Clone, Copy)]
struct FoundToken<'h> {
    token: &'h str,
    /// The index of the first issuer with this token location.
    column_index: usize,
}

fn token_at<'h>(
    location: &TokenLocation,
    headers: &'h HeaderMap,
) -> Result<Option<&'h str>, Error> {
    match location {
        TokenLocation::Authorization => headers
            .get(http::header::AUTHORIZATION)
            .map(bearer)
            .transpose(),
        TokenLocation::CustomHeader { name } => {
            headers.get(name).map(|value| bare(name, value)).transpose()
        }
        TokenLocation::Cookie { name } => cookie(name, headers),
    }
}

/// The token in `Bearer <token>`; the scheme is case-insensitive.
pub fn bearer(value: &HeaderValue) -> Result<&str, Error> {
    let parts = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().split_once(' '));
    match parts {
        Some((scheme, token))
            if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() =>
        {
            Ok(token.trim())
        }
        _ => Err(TokenError::Header.into()),
    }
}

/// The token in a custom header. Some clients put the scheme before it nevertheless.
fn bare<'h>(name: &str, value: &'h HeaderValue) -> Result<&'h str, Error> {
    let text = text(name, value)?.trim();
    let rest = text
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("bearer "))
        .and_then(|_| text.get(7..));
    Ok(rest.map_or(text, str::trim))
}

/// The value of a cookie. Two cookies of one name are rejected like a repeated header.
fn cookie<'h>(wanted: &str, headers: &'h HeaderMap) -> Result<Option<&'h str>, Error> {
    let texts = headers
        .get_all(http::header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let pairs = texts
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs
        .filter(|(name, _)| *name == wanted)
        .map(|(_, token)| token);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(Error::HeaderTwice(format!("cookie: {wanted}"))),
        (first, None) => Ok(first),
    }
}

fn text<'h>(name: &str, value: &'h HeaderValue) -> Result<&'h str, Error> {
    std::str::from_utf8(value.as_bytes())
        .map_err(|_| InvalidRequest::Header(name.to_owned()).into())
}

#[cfg(test)]
mod tests;
pub mod session;
pub mod trace_context;
pub mod client_address;
