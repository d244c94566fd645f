//! Verifies JWTs: finds the issuer's key, checks algorithm, signature, times, audience and issuer,
//! and reads the claims. Selecting one of the allowed roles is left to [`super`].

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, AlgorithmFamily, EncodingKey, Header, TokenData, Validation};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::claims::{self, ClaimNames, Claims, Mapping};
use super::claims_set::{ClaimsSet, SessionClaims};
use super::jwt_config_error::JwtConfigError;
use super::key_set::{KeySet, KeySets};
use super::keys::Key;
use crate::config::dialect::Profile;
use crate::error::TokenError;
use crate::request::json::Distinct;

/// An issuer of tokens: its keys and what its tokens must contain.
pub struct Issuer {
    keys: Keys,
    /// The only accepted algorithm, if the settings have a `type`.
    pinned: Option<Algorithm>,
    validation: Validation,
    issuer: Option<String>,
    /// Whether its tokens may omit the claim `iss`, as in Hasura.
    may_omit_issuer: bool,
    claims_location: claims::ClaimsLocation,
    /// Where a request carries its tokens.
    pub header: TokenLocation,
}

/// The keys of an issuer.
enum Keys {
    /// A key from the settings.
    Configured(Key),
    /// Keys published by the issuer.
    Published(Arc<KeySet>),
}

/// Where a request carries a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum TokenLocation {
    /// `Authorization: Bearer <token>`.
    #[default]
    Authorization,
    /// A cookie.
    Cookie {
        /// The cookie's name.
        name: String,
    },
    /// A header that contains only the token.
    CustomHeader {
        /// The header's name.
        name: String,
    },
}

/// A verified token.
#[derive(Debug)]
pub struct VerifiedToken {
    /// The roles and session values in its claims.
    pub claims: Claims,
    /// Its whole payload, if the authenticator keeps it.
    pub session_claims: SessionClaims,
    /// When it expires, in seconds since 1970, including the allowed skew.
    pub expires: Option<u64>,
    /// The published key set and its version that verified the token.
    proof: Option<(Arc<KeySet>, u64)>,
}

impl VerifiedToken {
    /// Whether the keys have not changed since the verification; if they have, it must be verified
    /// again.
    pub fn keys_unchanged(&self) -> bool {
        self.proof
            .as_ref()
            .is_none_or(|(keys, version)| keys.version() == *version)
    }

    /// Whether it has expired.
    pub fn is_expired(&self) -> bool {
        self.expires
            .is_some_and(|expires| expires <= jsonwebtoken::get_current_timestamp())
    }
}

/// A token before verification: nothing in it can be trusted yet.
pub struct UnverifiedToken<'t> {
    text: &'t str,
    pub(super) algorithm: Algorithm,
    /// The key id in its header.
    pub(super) key: Option<String>,
    /// The issuer in its claims.
    issuer: Option<String>,
}

/// `--jwt-secret` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JwtConfig {
    r#type: Option<String>,
    key: Option<KeyConfig>,
    kid: Option<String>,
    jwk_url: Option<String>,
    #[serde(default)]
    audience: Audience,
    issuer: Option<String>,
    #[serde(default)]
    allowed_skew: Option<u64>,
    claims_namespace: Option<String>,
    claims_namespace_path: Option<String>,
    claims_format: Option<claims::Format>,
    claims_map: Option<BTreeMap<String, Mapping>>,
    #[serde(default)]
    header: Option<HeaderConfig>,
}

/// A key as written: PEM or a shared secret, or a JWK.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeyConfig {
    Text(String),
    Jwk(Map<String, Value>),
}

/// A token location as written: an object, or a string that contains one.
#[derive(Deserialize)]
#[serde(untagged)]
enum HeaderConfig {
    Text(String),
    Object(TokenLocation),
}

/// One name or several.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Audience {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

/// Rejects a shared key with fewer bytes than the hash of the algorithm.
fn check_length(algorithm: Algorithm, bytes: usize) -> Result<(), JwtConfigError> {
    let least = match algorithm {
        Algorithm::HS256 => 32,
        Algorithm::HS384 => 48,
        Algorithm::HS512 => 64,
        _ => 0,
    };
    if bytes < least {
        Err(JwtConfigError::Short(least))
    } else {
        Ok(())
    }
}

/// Parses `--jwt-secret`: an object, or an array of objects.
pub fn read(
    text: &str,
    naming: ClaimNames<'_>,
    profile: Profile,
    sets: &KeySets,
) -> Result<Vec<Issuer>, JwtConfigError> {
    let config = parse_config(text)?;
    config
        .into_iter()
        .map(|config| Issuer::new(config, naming, profile, sets))
        .collect()
}

fn parse_config(text: &str) -> Result<Vec<JwtConfig>, JwtConfigError> {
    // serde's messages may repeat strings from the input, so only line, column and kind are
    // reported.
    let refuse = |error: serde_json::Error| JwtConfigError::Json {
        line: error.line(),
        column: error.column(),
        message: match error.classify() {
            serde_json::error::Category::Data => "a member is unknown or of the wrong type".into(),
            _ => "not JSON".into(),
        },
    };
    if text.trim_start().starts_with('[') {
        match serde_json::from_str::<Vec<JwtConfig>>(text).map_err(refuse)? {
            none if none.is_empty() => Err(JwtConfigError::Empty),
            several => Ok(several),
        }
    } else {
        Ok(vec![serde_json::from_str(text).map_err(refuse)?])
    }
}

impl JwtConfig {
    /// The algorithm of `type`.
    fn pinned(&self) -> Result<Option<Algorithm>, JwtConfigError> {
        match self.r#type.as_deref() {
            None => Ok(None),
            Some("Ed25519") => Ok(Some(Algorithm::EdDSA)),
            Some(name) => name
                .parse()
                .map(Some)
                .map_err(|_| JwtConfigError::Algorithm),
        }
    }

    /// The key as a JWK, if it is one or a string that contains one.
    fn jwk(&self) -> Option<Value> {
        match self.key.as_ref()? {
            KeyConfig::Jwk(members) => Some(Value::Object(members.clone())),
            KeyConfig::Text(text) => {
                let jwk: Option<Value> = serde_json::from_str(text).ok();
                jwk.filter(|jwk| jwk.get("kty").is_some())
            }
        }
    }

    /// The key if it is not a JWK.
    fn text(&self) -> Result<&str, JwtConfigError> {
        match &self.key {
            Some(KeyConfig::Text(text)) if !text.is_empty() => Ok(text),
            _ => Err(JwtConfigError::NoKey),
        }
    }

    /// The configured key, restricted to the algorithm of its `alg` or of `type`.
    fn key(&self) -> Result<Key, JwtConfigError> {
        let pinned = self.pinned()?;
        let Some(jwk) = self.jwk() else {
            let text = self.text()?;
            let pinned = pinned.ok_or(JwtConfigError::NoType)?;
            let key = Key::from_text(pinned, text, self.kid.clone())?;
            return check_length(pinned, text.len()).map(|()| key);
        };
        let key =
            Key::from_jwk(&jwk).ok_or(JwtConfigError::Key("a JWK that verifies signatures"))?;
        let key = key.with_id(self.kid.clone());
        let named = jwk
            .get("alg")
            .and_then(Value::as_str)
            .and_then(|name| name.parse().ok());
        if let (Some(algorithm), Some(secret)) =
            (pinned.or(named), jwk.get("k").and_then(Value::as_str))
        {
            // Four characters of base64 are three bytes.
            check_length(algorithm, secret.trim_end_matches('=').len() * 3 / 4)?;
        }
        match pinned {
            Some(pinned) => key
                .only_for(pinned)
                .ok_or(JwtConfigError::Key("a JWK for that `type`")),
            // A shared key would be valid for three algorithms; a setting without `type` cannot
            // mean all of them.
            None if key.is_shared() && jwk.get("alg").is_none() => Err(JwtConfigError::NoType),
            None => Ok(key),
        }
    }

    fn keys(&self, sets: &KeySets) -> Result<Keys, JwtConfigError> {
        let Some(url) = &self.jwk_url else {
            return self.key().map(Keys::Configured);
        };
        let url: reqwest::Url = url.parse().map_err(|_| JwtConfigError::KeyUrl)?;
        match (&self.key, &self.kid) {
            (Some(_), _) => Err(JwtConfigError::TwoKeys),
            (None, Some(_)) => Err(JwtConfigError::KeyId),
            _ if !matches!(url.scheme(), "http" | "https") => Err(JwtConfigError::KeyUrl),
            _ => Ok(Keys::Published(sets.at(url))),
        }
    }

    fn header(&self) -> Result<TokenLocation, JwtConfigError> {
        match &self.header {
            None => Ok(TokenLocation::default()),
            Some(HeaderConfig::Object(header)) => Ok(header.clone()),
            Some(HeaderConfig::Text(text)) => {
                serde_json::from_str(text).map_err(|_| JwtConfigError::Json {
                    line: 1,
                    column: 1,
                    message: "`header` is not like `{\"type\":\"Cookie\",\"name\":\"…\"}`".into(),
                })
            }
        }
    }

    /// Refuses keys of which one would have no effect: the paths of a `claims_map` begin at the
    /// token itself.
    fn check_claims_keys(&self) -> Result<(), JwtConfigError> {
        let beside_map = [
            ("claims_namespace", self.claims_namespace.is_some()),
            (
                "claims_namespace_path",
                self.claims_namespace_path.is_some(),
            ),
            ("claims_format", self.claims_format.is_some()),
        ];
        if self.claims_map.is_some()
            && let Some((name, _)) = beside_map.iter().find(|(_, is_given)| *is_given)
        {
            let why = "has no effect on it: its paths begin at the token itself";
            return Err(JwtConfigError::Together("claims_map", name, why));
        }
        match (&self.claims_namespace, &self.claims_namespace_path) {
            (Some(_), Some(_)) => Err(JwtConfigError::Together(
                "claims_namespace",
                "claims_namespace_path",
                "says the same in another way",
            )),
            _ => Ok(()),
        }
    }

    /// The location of the claims in its tokens.
    fn claims_location(
        &mut self,
        naming: ClaimNames<'_>,
    ) -> Result<claims::ClaimsLocation, JwtConfigError> {
        self.check_claims_keys()?;
        let format = self.claims_format.unwrap_or_default();
        match (
            self.claims_map.take(),
            &self.claims_namespace,
            &self.claims_namespace_path,
        ) {
            (Some(map), _, _) => claims::ClaimsLocation::mapped(naming.prefix, map),
            (None, _, Some(path)) => claims::ClaimsLocation::at_path(naming.prefix, path, format),
            (None, namespace, None) => Ok(claims::ClaimsLocation::new(
                naming.prefix,
                namespace.as_deref().unwrap_or(naming.namespace),
                format,
            )),
        }
    }
}

impl Issuer {
    fn new(
        mut config: JwtConfig,
        naming: ClaimNames<'_>,
        profile: Profile,
        sets: &KeySets,
    ) -> Result<Issuer, JwtConfigError> {
        Ok(Issuer {
            pinned: config.pinned()?,
            keys: config.keys(sets)?,
            validation: validation(&config),
            header: config.header()?,
            claims_location: config.claims_location(naming)?,
            issuer: config.issuer,
            may_omit_issuer: profile == Profile::Hasura,
        })
    }

    /// Starts the task that fetches published keys.
    pub fn start(&self) {
        if let Keys::Published(set) = &self.keys {
            set.start();
        }
    }

    /// Whether this issuer may have made the token.
    pub fn may_have_issued(&self, token: &UnverifiedToken<'_>) -> bool {
        match (&self.issuer, &token.issuer) {
            (None, _) => true,
            (Some(_), None) => self.may_omit_issuer,
            (Some(own), Some(named)) => own == named,
        }
    }

    /// Whether published keys have not been fetched yet.
    pub fn has_no_keys(&self) -> bool {
        matches!(&self.keys, Keys::Published(set) if set.version() == 0)
    }

    /// The version of its keys, which increases when other keys are fetched.
    pub fn keys_version(&self) -> u64 {
        match &self.keys {
            Keys::Configured(_) => 0,
            Keys::Published(set) => set.version(),
        }
    }

    /// Fetches the keys again if the token may be signed by a key that was published recently.
    /// [`Issuer::keys_version`] shows whether the keys have changed.
    pub async fn look_for_key(&self, token: &UnverifiedToken<'_>) {
        if let Keys::Published(set) = &self.keys
            && token.algorithm.family() != AlgorithmFamily::Hmac
        {
            set.fetch_for(token.key.as_deref()).await;
        }
    }

    fn verify(&self, token: &UnverifiedToken<'_>) -> Result<VerifiedToken, TokenError> {
        match &self.keys {
            Keys::Configured(key) => self.verify_with(std::slice::from_ref(key), token, None),
            Keys::Published(set) => {
                let (keys, version) = set.keys();
                self.verify_with(&keys, token, Some((set.clone(), version)))
            }
        }
    }

    fn verify_with(
        &self,
        keys: &[Key],
        token: &UnverifiedToken<'_>,
        proof: Option<(Arc<KeySet>, u64)>,
    ) -> Result<VerifiedToken, TokenError> {
        let mut validation = self.validation.clone();
        validation.algorithms = vec![token.algorithm];
        let mut refusal = TokenError::Key;
        for key in keys.iter().filter(|key| key.can_be(token.key.as_deref())) {
            if !key.is_for(token.algorithm)
                || self.pinned.is_some_and(|pinned| pinned != token.algorithm)
            {
                refusal = refusal.max(TokenError::Algorithm);
                continue;
            }
            match jsonwebtoken::decode::<Distinct>(token.text, key.decoding(), &validation) {
                Ok(TokenData {
                    claims: Distinct(claims),
                    ..
                }) => {
                    let expires = self.expiry(&claims)?;
                    let claims = self.claims_location.read(&claims)?;
                    let session_claims = SessionClaims::NotKept;
                    return Ok(VerifiedToken {
                        claims,
                        session_claims,
                        expires,
                        proof,
                    });
                }
                Err(error) => refusal = refusal.max(reason(error.kind())),
            }
        }
        Err(refusal)
    }

    /// Checks `exp` and `nbf`. jsonwebtoken does not: with `serde_json/arbitrary_precision` it
    /// cannot read numbers.
    fn expiry(&self, claims: &Map<String, Value>) -> Result<Option<u64>, TokenError> {
        let skew = self.validation.leeway;
        let now = jsonwebtoken::get_current_timestamp();
        if seconds(claims, "nbf")?.is_some_and(|start| start > now.saturating_add(skew)) {
            return Err(TokenError::NotYetValid);
        }
        // As in Hasura and PostgREST, a token without `exp` never expires.
        let expires = seconds(claims, "exp")?.map(|end| end.saturating_add(skew));
        match expires {
            Some(end) if end <= now => Err(TokenError::Expired),
            expires => Ok(expires),
        }
    }
}

/// A claim with a time in seconds.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, TokenError> {
    let malformed = || TokenError::Claim {
        name: name.to_owned(),
        expected: "a number of seconds",
    };
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let seconds = value
        .as_f64()
        .filter(|seconds| (0.0..1e15).contains(seconds))
        .ok_or_else(malformed)?;
    Ok(Some(seconds as u64))
}

impl<'t> UnverifiedToken<'t> {
    /// Parses a token without verifying it. Keys and key URLs inside the token are ignored.
    pub fn read(text: &'t str) -> Result<UnverifiedToken<'t>, TokenError> {
        #[derive(Deserialize)]
        struct Head {
            alg: String,
            kid: Option<String>,
            crit: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Payload {
            iss: Option<Value>,
        }
        let mut parts = text.split('.');
        let (Some(head), Some(payload), Some(_), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TokenError::Token);
        };
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Token);
        let head: Head = serde_json::from_slice(&decode(head)?).map_err(|error| {
            if error.is_data() {
                TokenError::Algorithm
            } else {
                TokenError::Token
            }
        })?;
        if head.crit.is_some() {
            return Err(TokenError::Critical);
        }
        // `none` and unknown algorithms do not parse.
        let algorithm = head.alg.parse().map_err(|_| TokenError::Algorithm)?;
        // The payload is used only to select an issuer; a malformed one is rejected with the claims
        // later.
        let payload: Option<Payload> = serde_json::from_slice(&decode(payload)?).ok();
        // An issuer that is not a string matches no configured issuer.
        let issuer = payload.and_then(|payload| payload.iss);
        let issuer = issuer.map(|issuer| issuer.as_str().unwrap_or_default().to_owned());
        Ok(UnverifiedToken {
            text,
            algorithm,
            key: head.kid,
            issuer,
        })
    }

    /// The whole payload. Only that of a token that has been verified counts.
    pub(super) fn claims_set(&self) -> Result<SessionClaims, TokenError> {
        let payload = self
            .text
            .split('.')
            .nth(1)
            .and_then(|payload| URL_SAFE_NO_PAD.decode(payload).ok());
        let claims = payload.and_then(|payload| ClaimsSet::parse(&payload));
        claims.map(SessionClaims::Given).ok_or(TokenError::Token)
    }
}

/// Verifies a token with each issuer that may have made it. If all fail, the most specific error is
/// returned.
pub fn verify(
    issuers: &[&Issuer],
    token: &UnverifiedToken<'_>,
) -> Result<VerifiedToken, TokenError> {
    let mut refusal = TokenError::Issuer;
    for issuer in issuers
        .iter()
        .filter(|issuer| issuer.may_have_issued(token))
    {
        match issuer.verify(token) {
            Ok(verified) => return Ok(verified),
            Err(reason) => refusal = refusal.max(reason),
        }
    }
    Err(refusal)
}

impl TokenError {
    /// The more specific of two errors: one found after the signature was valid is more specific
    /// than one found before.
    fn max(self, other: TokenError) -> TokenError {
        let weight = |reason: &TokenError| match reason {
            TokenError::Issuer => 0,
            TokenError::Key => 1,
            TokenError::Algorithm => 2,
            TokenError::Signature | TokenError::Token => 3,
            _ => 4,
        };
        if weight(&other) >= weight(&self) {
            other
        } else {
            self
        }
    }
}

fn validation(config: &JwtConfig) -> Validation {
    let mut validation = Validation::default();
    let mut required = Vec::new();
    validation.leeway = config.allowed_skew.unwrap_or_default();
    validation.validate_exp = false;
    validation.validate_aud = false;
    match &config.audience {
        Audience::None => {}
        Audience::One(name) => validation.set_audience(&[name]),
        Audience::Several(names) => validation.set_audience(names),
    }
    if validation.aud.is_some() {
        validation.validate_aud = true;
        required.push("aud");
    }
    // The issuer was selected by the unverified claim; here the verified claim is compared with its
    // name.
    if let Some(issuer) = &config.issuer {
        validation.set_issuer(&[issuer]);
    }
    validation.set_required_spec_claims(&required);
    validation
}

/// The signing key of the first issuer with a configured key, and the header of its tokens. `pem`
/// is the private key that asymmetric algorithms need.
pub fn signing_key(text: &str, pem: Option<&str>) -> Result<(Header, EncodingKey), JwtConfigError> {
    let first = first(text)?;
    let jwk = first.jwk();
    let member = |name: &str| jwk.as_ref()?.get(name)?.as_str();
    let named = || member("alg").and_then(|name| name.parse().ok());
    let algorithm = first
        .pinned()?
        .or_else(named)
        .ok_or(JwtConfigError::NoType)?;
    let private = || {
        pem.map(str::as_bytes).ok_or(JwtConfigError::Key(
            "one that can sign; a private key in PEM is needed",
        ))
    };
    let refuse = |_| JwtConfigError::Key("a private key in PEM of the right kind");
    let key = match algorithm.family() {
        AlgorithmFamily::Hmac => match member("k") {
            Some(secret) => {
                let bytes = URL_SAFE_NO_PAD.decode(secret.trim_end_matches('='));
                EncodingKey::from_secret(
                    &bytes.map_err(|_| JwtConfigError::Key("a JWK that verifies signatures"))?,
                )
            }
            None => EncodingKey::from_secret(first.text()?.as_bytes()),
        },
        AlgorithmFamily::Rsa => EncodingKey::from_rsa_pem(private()?).map_err(refuse)?,
        AlgorithmFamily::Ec => EncodingKey::from_ec_pem(private()?).map_err(refuse)?,
        AlgorithmFamily::Ed => EncodingKey::from_ed_pem(private()?).map_err(refuse)?,
    };
    let kid = first
        .kid
        .clone()
        .or_else(|| member("kid").map(str::to_owned));
    Ok((
        Header {
            kid,
            ..Header::new(algorithm)
        },
        key,
    ))
}

/// The first issuer with a configured key. For published keys the gateway cannot sign.
fn first(text: &str) -> Result<JwtConfig, JwtConfigError> {
    parse_config(text)?
        .into_iter()
        .find(|config| config.jwk_url.is_none())
        .ok_or(JwtConfigError::NoKey)
}

/// The claims of a new token in the first issuer's format, with its `iss` and `aud`; the caller
/// adds `exp`.
pub fn new_claims(
    text: &str,
    naming: ClaimNames<'_>,
    claims: &Claims,
) -> Result<Map<String, Value>, JwtConfigError> {
    let mut first = first(text)?;
    let mut payload = first.claims_location(naming)?.write(claims);
    if let Some(issuer) = first.issuer {
        payload.insert("iss".into(), issuer.into());
    }
    match first.audience {
        Audience::None => {}
        Audience::One(name) => drop(payload.insert("aud".into(), name.into())),
        Audience::Several(names) => drop(payload.insert("aud".into(), names.into())),
    }
    Ok(payload)
}

fn reason(kind: &ErrorKind) -> TokenError {
    match kind {
        ErrorKind::InvalidIssuer => TokenError::Issuer,
        ErrorKind::InvalidAudience => TokenError::Audience,
        ErrorKind::InvalidAlgorithm => TokenError::Algorithm,
        ErrorKind::InvalidSignature => TokenError::Signature,
        ErrorKind::MissingRequiredClaim(name) => TokenError::MissingClaim(name.clone()),
        _ => TokenError::Token,
    }
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Issuer")
            .field("algorithm", &self.pinned)
            .finish_non_exhaustive()
    }
}
