//! Verifying tokens: whose key, which algorithm, whether it holds now, and what its claims say. Which role of the allowed
//! ones a request takes is left to [`super`].

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, AlgorithmFamily, EncodingKey, Header, TokenData, Validation};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::claims::{self, ClaimNames, Claims, Mapping};
use super::key_set::{KeySet, KeySets};
use super::keys::Key;
use crate::config::dialect::Profile;
use crate::error::TokenError;
use crate::request::json::Distinct;

/// An issuer of tokens: its keys, and what else its tokens have to say.
pub struct Issuer {
    keys: Keys,
    /// The one algorithm that its tokens are signed by, where the setting has one.
    pinned: Option<Algorithm>,
    validation: Validation,
    issuer: Option<String>,
    /// Whether its tokens may leave out who made them, as they may in Hasura.
    may_be_nameless: bool,
    form: claims::ClaimsLocation,
    /// Where its tokens stand in a request.
    pub header: TokenLocation,
}

/// The keys of an issuer.
enum Keys {
    /// Given with the settings.
    Given(Key),
    /// Published by the issuer.
    Published(Arc<KeySet>),
}

/// Where a token stands in a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum TokenLocation {
    /// `Authorization: Bearer <token>`.
    #[default]
    Authorization,
    /// A cookie of that name.
    Cookie {
        /// Its name.
        name: String,
    },
    /// A header of that name, which holds nothing but the token.
    CustomHeader {
        /// Its name.
        name: String,
    },
}

/// A verified token.
#[derive(Debug)]
pub struct VerifiedToken {
    /// What it says of its holder.
    pub claims: Claims,
    /// When it ends, in seconds since 1970, the allowed skew included.
    pub expires: Option<u64>,
    /// The published keys that verified it, and which version of them.
    proof: Option<(Arc<KeySet>, u64)>,
}

impl VerifiedToken {
    /// Whether the keys are those that verified it; if not, it has to be verified again.
    pub fn holds(&self) -> bool {
        self.proof.as_ref().is_none_or(|(keys, version)| keys.version() == *version)
    }

    /// Whether its time is over.
    pub fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= super::now())
    }
}

/// A token before it is verified: nothing in it is true yet.
pub struct UnverifiedToken<'t> {
    text: &'t str,
    algorithm: Algorithm,
    /// The key that it says it is signed by.
    key: Option<String>,
    /// Who it says has made it.
    issuer: Option<String>,
}

/// What is wrong with `--jwt-secret`. Keys are not repeated.
#[derive(Debug, thiserror::Error)]
pub enum JwtConfigError {
    /// Not JSON of the right form.
    #[error("the JWT secret cannot be read: line {line}, column {column}: {message}")]
    Json {
        /// Where.
        line: usize,
        /// Where.
        column: usize,
        /// What serde says of the form.
        message: String,
    },
    /// An empty list.
    #[error("the JWT secret is an empty list")]
    Empty,
    /// A type there is not. It is not repeated: whoever puts the key there by mistake would read it in the log.
    #[error(
        "the `type` of the JWT secret is none there is; it can be HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, \
         ES256, ES384 or EdDSA"
    )]
    Algorithm,
    /// Neither key nor address of keys.
    #[error("the JWT secret has no `key`")]
    NoKey,
    /// No type.
    #[error("the JWT secret has no `type`")]
    NoType,
    /// An address that keys cannot be fetched from.
    #[error("the `jwk_url` of the JWT secret is not an http or https URL")]
    KeyUrl,
    /// Keys from two places.
    #[error("the JWT secret has both a `key` and a `jwk_url`")]
    TwoKeys,
    /// Published keys have ids of their own.
    #[error("the JWT secret has both a `kid` and a `jwk_url`, whose keys have their own")]
    KeyId,
    /// Claims in two places.
    #[error("the JWT secret has both a `claims_namespace` and a `claims_namespace_path`")]
    TwoNamespaces,
    /// A key that does not go with its type.
    #[error("the key of the JWT secret is not {0}")]
    Key(&'static str),
    /// A claim's place that cannot be read.
    #[error("the JWT secret has for `{0}` a path that is not like `$.a.b[0]`")]
    Path(String),
    /// A shared key that is shorter than its hash. <https://www.rfc-editor.org/rfc/rfc7518#section-3.2>
    #[error("the key of the JWT secret is shorter than the {0} bytes that its `type` needs (RFC 7518, section 3.2)")]
    Short(usize),
    /// A mapping with two spellings of one claim.
    #[error("the `claims_map` of the JWT secret has `{0}` twice, in two spellings")]
    MappedTwice(String),
    /// A mapping without one of the roles.
    #[error("the `claims_map` of the JWT secret has no `{0}`")]
    Unmapped(String),
}

/// `--jwt-secret` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    r#type: Option<String>,
    key: Option<WrittenKey>,
    kid: Option<String>,
    jwk_url: Option<String>,
    #[serde(default)]
    audience: Names,
    issuer: Option<String>,
    #[serde(default)]
    allowed_skew: Option<u64>,
    claims_namespace: Option<String>,
    claims_namespace_path: Option<String>,
    claims_format: Option<claims::Format>,
    claims_map: Option<BTreeMap<String, Mapping>>,
    #[serde(default)]
    header: Option<WrittenHeader>,
}

/// A key as written: a text, or a JWK.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenKey {
    Text(String),
    Jwk(Map<String, Value>),
}

/// A place as written: an object, or the text of one.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenHeader {
    Text(String),
    Object(TokenLocation),
}

/// One name or several.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Names {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

/// Refuses a shared key of so many bytes if it is shorter than the hash of the algorithm.
fn check_length(algorithm: Algorithm, bytes: usize) -> Result<(), JwtConfigError> {
    let least = match algorithm {
        Algorithm::HS256 => 32,
        Algorithm::HS384 => 48,
        Algorithm::HS512 => 64,
        _ => 0,
    };
    if bytes < least { Err(JwtConfigError::Short(least)) } else { Ok(()) }
}

/// Reads `--jwt-secret`: an object, or an array of objects.
pub fn read(
    text: &str,
    naming: ClaimNames<'_>,
    profile: Profile,
    sets: &KeySets,
) -> Result<Vec<Issuer>, JwtConfigError> {
    let written = written(text)?;
    written.into_iter().map(|written| Issuer::new(written, naming, profile, sets)).collect()
}

fn written(text: &str) -> Result<Vec<Written>, JwtConfigError> {
    // The errors of serde for strings may repeat what they met; places and kinds are enough.
    let refuse = |error: serde_json::Error| JwtConfigError::Json {
        line: error.line(),
        column: error.column(),
        message: match error.classify() {
            serde_json::error::Category::Data => "a member is unknown or of the wrong type".into(),
            _ => "not JSON".into(),
        },
    };
    match text.trim_start().starts_with('[') {
        false => Ok(vec![serde_json::from_str(text).map_err(refuse)?]),
        true => match serde_json::from_str::<Vec<Written>>(text).map_err(refuse)? {
            none if none.is_empty() => Err(JwtConfigError::Empty),
            several => Ok(several),
        },
    }
}

impl Written {
    /// The algorithm of `type`.
    fn pinned(&self) -> Result<Option<Algorithm>, JwtConfigError> {
        match self.r#type.as_deref() {
            None => Ok(None),
            Some("Ed25519") => Ok(Some(Algorithm::EdDSA)),
            Some(name) => name.parse().map(Some).map_err(|_| JwtConfigError::Algorithm),
        }
    }

    /// The key as a JWK, if it is one, or the text of one.
    fn jwk(&self) -> Option<Value> {
        match self.key.as_ref()? {
            WrittenKey::Jwk(members) => Some(Value::Object(members.clone())),
            WrittenKey::Text(text) => {
                let jwk: Option<Value> = serde_json::from_str(text).ok();
                jwk.filter(|jwk| jwk.get("kty").is_some())
            }
        }
    }

    /// The key where it is no JWK.
    fn text(&self) -> Result<&str, JwtConfigError> {
        match &self.key {
            Some(WrittenKey::Text(text)) if !text.is_empty() => Ok(text),
            _ => Err(JwtConfigError::NoKey),
        }
    }

    /// The key that is given, for the algorithm that it or `type` pins.
    fn key(&self) -> Result<Key, JwtConfigError> {
        let pinned = self.pinned()?;
        let Some(jwk) = self.jwk() else {
            let (text, pinned) = (self.text()?, pinned.ok_or(JwtConfigError::NoType)?);
            let key = Key::of_text(pinned, text, self.kid.clone())?;
            return check_length(pinned, text.len()).map(|()| key);
        };
        let key = Key::of_jwk(&jwk).ok_or(JwtConfigError::Key("a JWK that verifies signatures"))?;
        let key = key.with_id(self.kid.clone());
        let named = jwk.get("alg").and_then(Value::as_str).and_then(|name| name.parse().ok());
        if let (Some(algorithm), Some(secret)) = (pinned.or(named), jwk.get("k").and_then(Value::as_str)) {
            // Four characters of base64 are three bytes.
            check_length(algorithm, secret.trim_end_matches('=').len() * 3 / 4)?;
        }
        match pinned {
            Some(pinned) => key.only_for(pinned).ok_or(JwtConfigError::Key("a JWK for that `type`")),
            // What is shared could be for three algorithms; nobody means all of them.
            None if key.is_shared() && jwk.get("alg").is_none() => Err(JwtConfigError::NoType),
            None => Ok(key),
        }
    }

    fn keys(&self, sets: &KeySets) -> Result<Keys, JwtConfigError> {
        let Some(url) = &self.jwk_url else { return self.key().map(Keys::Given) };
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
            Some(WrittenHeader::Object(header)) => Ok(header.clone()),
            Some(WrittenHeader::Text(text)) => serde_json::from_str(text).map_err(|_| JwtConfigError::Json {
                line: 1,
                column: 1,
                message: "`header` is not like `{\"type\":\"Cookie\",\"name\":\"…\"}`".into(),
            }),
        }
    }

    /// Where its tokens have their claims.
    fn form(&mut self, naming: ClaimNames<'_>) -> Result<claims::ClaimsLocation, JwtConfigError> {
        let format = self.claims_format.unwrap_or_default();
        match (self.claims_map.take(), &self.claims_namespace, &self.claims_namespace_path) {
            (Some(map), _, _) => claims::ClaimsLocation::mapped(naming.prefix, map),
            (None, Some(_), Some(_)) => Err(JwtConfigError::TwoNamespaces),
            (None, None, Some(path)) => claims::ClaimsLocation::at_path(naming.prefix, path, format),
            (None, namespace, None) => {
                Ok(claims::ClaimsLocation::new(naming.prefix, namespace.as_deref().unwrap_or(naming.namespace), format))
            }
        }
    }
}

impl Issuer {
    fn new(
        mut written: Written,
        naming: ClaimNames<'_>,
        profile: Profile,
        sets: &KeySets,
    ) -> Result<Issuer, JwtConfigError> {
        Ok(Issuer {
            pinned: written.pinned()?,
            keys: written.keys(sets)?,
            validation: validation(&written),
            header: written.header()?,
            form: written.form(naming)?,
            issuer: written.issuer,
            may_be_nameless: profile == Profile::Hasura,
        })
    }

    /// Begins to fetch keys that are published.
    pub fn start(&self) {
        if let Keys::Published(set) = &self.keys {
            set.start();
        }
    }

    /// Whether this issuer's tokens can be like that one.
    pub fn answers_for(&self, token: &UnverifiedToken<'_>) -> bool {
        match (&self.issuer, &token.issuer) {
            (None, _) => true,
            (Some(_), None) => self.may_be_nameless,
            (Some(own), Some(named)) => own == named,
        }
    }

    /// Whether its keys have not come yet.
    pub fn has_no_keys(&self) -> bool {
        matches!(&self.keys, Keys::Published(set) if set.version() == 0)
    }

    /// Which version of its keys holds: another one after other keys have come.
    pub fn keys_version(&self) -> u64 {
        match &self.keys {
            Keys::Given(_) => 0,
            Keys::Published(set) => set.version(),
        }
    }

    /// Asks for the keys again if a token may be signed by one that has just been published. Whether others have come is to be
    /// seen by their version.
    pub async fn look_for_key(&self, token: &UnverifiedToken<'_>) {
        if let Keys::Published(set) = &self.keys
            && token.algorithm.family() != AlgorithmFamily::Hmac
        {
            set.look_for(token.key.as_deref()).await;
        }
    }

    fn verify(&self, token: &UnverifiedToken<'_>) -> Result<VerifiedToken, TokenError> {
        match &self.keys {
            Keys::Given(key) => self.verify_with(std::slice::from_ref(key), token, None),
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
            if !key.is_for(token.algorithm) || self.pinned.is_some_and(|pinned| pinned != token.algorithm) {
                refusal = refusal.max(TokenError::Algorithm);
                continue;
            }
            match jsonwebtoken::decode::<Distinct>(token.text, key.decoding(), &validation) {
                Ok(TokenData { claims: Distinct(claims), .. }) => {
                    let expires = self.expiry(&claims)?;
                    return Ok(VerifiedToken { claims: self.form.read(&claims)?, expires, proof });
                }
                Err(error) => refusal = refusal.max(reason(error.kind())),
            }
        }
        Err(refusal)
    }

    /// Checks `exp` and `nbf`. The library does not: with `serde_json/arbitrary_precision` it reads no number.
    fn expiry(&self, claims: &Map<String, Value>) -> Result<Option<u64>, TokenError> {
        let skew = self.validation.leeway;
        let now = jsonwebtoken::get_current_timestamp();
        if seconds(claims, "nbf")?.is_some_and(|start| start > now.saturating_add(skew)) {
            return Err(TokenError::NotYetValid);
        }
        // As in Hasura and PostgREST a token without `exp` holds for ever; one with `exp` is held to it.
        let expires = seconds(claims, "exp")?.map(|end| end.saturating_add(skew));
        match expires {
            Some(end) if end <= now => Err(TokenError::Expired),
            expires => Ok(expires),
        }
    }
}

/// A time among the claims.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, TokenError> {
    let malformed = || TokenError::Claim { name: name.to_owned(), expected: "a number of seconds" };
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_f64().filter(|seconds| (0.0..1e15).contains(seconds)).ok_or_else(malformed)?;
    Ok(Some(seconds as u64))
}

impl<'t> UnverifiedToken<'t> {
    /// Reads what a token says of itself. Keys and addresses of keys that it brings along are not looked at.
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
        let (Some(head), Some(payload), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TokenError::Token);
        };
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Token);
        let head: Head = serde_json::from_slice(&decode(head)?).map_err(|error| match error.is_data() {
            true => TokenError::Algorithm,
            false => TokenError::Token,
        })?;
        if head.crit.is_some() {
            return Err(TokenError::Critical);
        }
        // `none` and other names that are no algorithm do not parse.
        let algorithm = head.alg.parse().map_err(|_| TokenError::Algorithm)?;
        // It only picks the key: what cannot be read here is refused with the rest of the claims.
        let payload: Option<Payload> = serde_json::from_slice(&decode(payload)?).ok();
        // A name that is no text is a name that nobody has.
        let issuer = payload.and_then(|payload| payload.iss);
        let issuer = issuer.map(|issuer| issuer.as_str().unwrap_or_default().to_owned());
        Ok(UnverifiedToken { text, algorithm, key: head.kid, issuer })
    }
}

/// Verifies a token by the issuers it can be from. Of several refusals the most telling one counts.
pub fn verify(issuers: &[&Issuer], token: &UnverifiedToken<'_>) -> Result<VerifiedToken, TokenError> {
    let mut refusal = TokenError::Issuer;
    for issuer in issuers.iter().filter(|issuer| issuer.answers_for(token)) {
        match issuer.verify(token) {
            Ok(verified) => return Ok(verified),
            Err(reason) => refusal = refusal.max(reason),
        }
    }
    Err(refusal)
}

impl TokenError {
    /// The more telling of two refusals: one after the signature was found right tells more than one before.
    fn max(self, other: TokenError) -> TokenError {
        let weight = |reason: &TokenError| match reason {
            TokenError::Issuer => 0,
            TokenError::Key => 1,
            TokenError::Algorithm => 2,
            TokenError::Signature | TokenError::Token => 3,
            _ => 4,
        };
        if weight(&other) >= weight(&self) { other } else { self }
    }
}

fn validation(written: &Written) -> Validation {
    let mut validation = Validation::default();
    let mut required = Vec::new();
    validation.leeway = written.allowed_skew.unwrap_or_default();
    validation.validate_exp = false;
    validation.validate_aud = false;
    match &written.audience {
        Names::None => {}
        Names::One(name) => validation.set_audience(&[name]),
        Names::Several(names) => validation.set_audience(names),
    }
    if validation.aud.is_some() {
        validation.validate_aud = true;
        required.push("aud");
    }
    // Whose tokens these can be is decided before; here the claim is held against the name once the signature is right.
    if let Some(issuer) = &written.issuer {
        validation.set_issuer(&[issuer]);
    }
    validation.set_required_spec_claims(&required);
    validation
}

/// The key that signs tokens like those of the first issuer whose key is given, and the head of such tokens. `pem` is the
/// private key that asymmetric algorithms need.
pub fn signing_key(text: &str, pem: Option<&str>) -> Result<(Header, EncodingKey), JwtConfigError> {
    let first = first(text)?;
    let jwk = first.jwk();
    let member = |name: &str| jwk.as_ref()?.get(name)?.as_str();
    let named = || member("alg").and_then(|name| name.parse().ok());
    let algorithm = first.pinned()?.or_else(named).ok_or(JwtConfigError::NoType)?;
    let private =
        || pem.map(str::as_bytes).ok_or(JwtConfigError::Key("one that can sign; a private key in PEM is needed"));
    let refuse = |_| JwtConfigError::Key("a private key in PEM of the right kind");
    let key = match algorithm.family() {
        AlgorithmFamily::Hmac => match member("k") {
            Some(secret) => {
                let bytes = URL_SAFE_NO_PAD.decode(secret.trim_end_matches('='));
                EncodingKey::from_secret(&bytes.map_err(|_| JwtConfigError::Key("a JWK that verifies signatures"))?)
            }
            None => EncodingKey::from_secret(first.text()?.as_bytes()),
        },
        AlgorithmFamily::Rsa => EncodingKey::from_rsa_pem(private()?).map_err(refuse)?,
        AlgorithmFamily::Ec => EncodingKey::from_ec_pem(private()?).map_err(refuse)?,
        AlgorithmFamily::Ed => EncodingKey::from_ed_pem(private()?).map_err(refuse)?,
    };
    let kid = first.kid.clone().or_else(|| member("kid").map(str::to_owned));
    Ok((Header { kid, ..Header::new(algorithm) }, key))
}

/// The first issuer whose key is given: others' tokens only they can make.
fn first(text: &str) -> Result<Written, JwtConfigError> {
    written(text)?.into_iter().find(|written| written.jwk_url.is_none()).ok_or(JwtConfigError::NoKey)
}

/// The claims of a new token, where that issuer's tokens have them; `exp`, `aud` and `iss` are the caller's and the secret's.
pub fn new_claims(text: &str, naming: ClaimNames<'_>, claims: &Claims) -> Result<Map<String, Value>, JwtConfigError> {
    let mut first = first(text)?;
    let mut payload = first.form(naming)?.write(claims);
    if let Some(issuer) = first.issuer {
        payload.insert("iss".into(), issuer.into());
    }
    match first.audience {
        Names::None => {}
        Names::One(name) => drop(payload.insert("aud".into(), name.into())),
        Names::Several(names) => drop(payload.insert("aud".into(), names.into())),
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
        formatter.debug_struct("Issuer").field("algorithm", &self.pinned).finish_non_exhaustive()
    }
}
