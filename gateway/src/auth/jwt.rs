//! Verifying tokens: whose key, which algorithm, whether it holds now, and what its claims say. Which role of the allowed
//! ones a request takes is left to [`super`].

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Validation};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::claims::{self, Claims, Mapping, Naming};
use crate::error::Unverified;

/// An issuer of tokens: one key, one algorithm.
pub struct Issuer {
    algorithm: Algorithm,
    key: DecodingKey,
    validation: Validation,
    issuer: Option<String>,
    form: claims::Form,
    /// Where its tokens stand in a request.
    pub header: TokenHeader,
}

/// Where a token stands in a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum TokenHeader {
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
#[derive(Debug, PartialEq, Eq)]
pub struct Verified {
    /// What it says of its holder.
    pub claims: Claims,
    /// When it ends, in seconds since 1970, the allowed skew included.
    pub expires: Option<u64>,
}

/// What is wrong with `--jwt-secret`. Keys are not repeated.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
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
    /// A type there is not.
    #[error(
        "the JWT secret has the type `{0}`; it can be HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, \
         ES256, ES384 or EdDSA"
    )]
    Algorithm(String),
    /// Neither key nor address of keys.
    #[error("the JWT secret has no `key`")]
    NoKey,
    /// No type.
    #[error("the JWT secret has no `type`")]
    NoType,
    /// Keys that are fetched.
    #[error("the JWT secret has a `jwk_url`, which is not supported yet")]
    KeyUrl,
    /// A key that does not go with its type.
    #[error("the key of the JWT secret is not {0}")]
    Key(&'static str),
    /// A claim's place that cannot be read.
    #[error("the JWT secret maps `{0}` to a path that is not like `$.a.b[0]`")]
    Path(String),
}

/// `--jwt-secret` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    r#type: Option<String>,
    key: Option<String>,
    jwk_url: Option<String>,
    #[serde(default)]
    audience: Names,
    issuer: Option<String>,
    #[serde(default)]
    allowed_skew: u64,
    claims_namespace: Option<String>,
    claims_format: Option<claims::Format>,
    claims_map: Option<BTreeMap<String, Mapping>>,
    #[serde(default)]
    header: TokenHeader,
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

/// Reads `--jwt-secret`: an object, or an array of objects.
pub fn read(text: &str, naming: Naming<'_>) -> Result<Vec<Issuer>, SecretError> {
    let written = written(text)?;
    written.into_iter().map(|written| Issuer::new(written, naming)).collect()
}

fn written(text: &str) -> Result<Vec<Written>, SecretError> {
    // The errors of serde for strings may repeat what they met; places and kinds are enough.
    let refuse = |error: serde_json::Error| SecretError::Json {
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
            none if none.is_empty() => Err(SecretError::Empty),
            several => Ok(several),
        },
    }
}

impl Written {
    fn algorithm(&self) -> Result<Algorithm, SecretError> {
        if self.jwk_url.is_some() {
            return Err(SecretError::KeyUrl);
        }
        match self.r#type.as_deref() {
            None => Err(SecretError::NoType),
            Some("Ed25519") => Ok(Algorithm::EdDSA),
            Some(name) => name.parse().map_err(|_| SecretError::Algorithm(name.to_owned())),
        }
    }

    fn key(&self) -> Result<&str, SecretError> {
        self.key.as_deref().filter(|key| !key.is_empty()).ok_or(SecretError::NoKey)
    }
}

impl Issuer {
    fn new(written: Written, naming: Naming<'_>) -> Result<Issuer, SecretError> {
        let algorithm = written.algorithm()?;
        let key = decoding_key(algorithm, written.key()?)?;
        let validation = validation(algorithm, &written);
        let form = claims::Form::new(
            naming.prefix,
            written.claims_namespace.unwrap_or_else(|| naming.namespace.to_owned()),
            written.claims_format.unwrap_or_default(),
            written.claims_map,
        )
        .map_err(SecretError::Path)?;
        Ok(Issuer { algorithm, key, validation, issuer: written.issuer, form, header: written.header })
    }

    /// Whether a token that says it comes from `issuer` can be one of this issuer's.
    fn answers_for(&self, issuer: Option<&str>) -> bool {
        self.issuer.is_none() || self.issuer.as_deref() == issuer
    }

    fn verify(&self, token: &str, algorithm: Algorithm) -> Result<Verified, Unverified> {
        if algorithm != self.algorithm {
            return Err(Unverified::Algorithm);
        }
        let data = jsonwebtoken::decode::<Map<String, Value>>(token, &self.key, &self.validation)
            .map_err(|error| reason(error.kind()))?;
        let expires = self.expiry(&data.claims)?;
        Ok(Verified { claims: self.form.read(&data.claims)?, expires })
    }

    /// Checks `exp` and `nbf`. The library does not: with `serde_json/arbitrary_precision` it reads no number.
    fn expiry(&self, claims: &Map<String, Value>) -> Result<Option<u64>, Unverified> {
        let skew = self.validation.leeway;
        let now = jsonwebtoken::get_current_timestamp();
        if seconds(claims, "nbf")?.is_some_and(|start| start > now.saturating_add(skew)) {
            return Err(Unverified::NotYetValid);
        }
        // As in Hasura and PostgREST a token without `exp` holds for ever; one with `exp` is held to it.
        let expires = seconds(claims, "exp")?.map(|end| end.saturating_add(skew));
        match expires {
            Some(end) if end <= now => Err(Unverified::Expired),
            expires => Ok(expires),
        }
    }
}

/// A time among the claims.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, Unverified> {
    let malformed = || Unverified::Claim { name: name.to_owned(), expected: "a number of seconds" };
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_f64().filter(|seconds| (0.0..1e15).contains(seconds)).ok_or_else(malformed)?;
    Ok(Some(seconds as u64))
}

/// Verifies a token by the issuers it can be from. Of several refusals the most telling one counts.
pub fn verify(issuers: &[&Issuer], token: &str) -> Result<Arc<Verified>, Unverified> {
    if issuers.is_empty() {
        return Err(Unverified::NoKey);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|error| header_reason(error.kind()))?;
    if header.crit.is_some() {
        return Err(Unverified::Critical);
    }
    let claimed = claimed_issuer(token);
    let mut refusal = Unverified::Issuer;
    for issuer in issuers.iter().filter(|issuer| issuer.answers_for(claimed.as_deref())) {
        match issuer.verify(token, header.alg) {
            Ok(verified) => return Ok(Arc::new(verified)),
            Err(reason) if weight(&reason) >= weight(&refusal) => refusal = reason,
            Err(_) => {}
        }
    }
    Err(refusal)
}

/// A refusal after the signature was found right tells more than one before.
fn weight(reason: &Unverified) -> u8 {
    match reason {
        Unverified::Issuer => 0,
        Unverified::Algorithm => 1,
        Unverified::Signature | Unverified::Token => 2,
        _ => 3,
    }
}

/// The issuer a token names, before anything is verified; it only picks the key.
fn claimed_issuer(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Payload {
        iss: Option<String>,
    }
    jsonwebtoken::dangerous::insecure_decode_claims::<Payload>(token).ok()?.iss
}

fn validation(algorithm: Algorithm, written: &Written) -> Validation {
    let mut validation = Validation::new(algorithm);
    let mut required = Vec::new();
    validation.leeway = written.allowed_skew;
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
    if let Some(issuer) = &written.issuer {
        validation.set_issuer(&[issuer]);
        required.push("iss");
    }
    validation.set_required_spec_claims(&required);
    validation
}

fn decoding_key(algorithm: Algorithm, key: &str) -> Result<DecodingKey, SecretError> {
    let pem = key.as_bytes();
    match family(algorithm) {
        // A public key taken for a shared secret would let everybody sign.
        Family::Hmac if key.contains("-----BEGIN") => Err(SecretError::Key("a shared secret, but a PEM")),
        Family::Hmac => Ok(DecodingKey::from_secret(pem)),
        Family::Rsa => DecodingKey::from_rsa_pem(pem).map_err(|_| SecretError::Key("an RSA public key in PEM")),
        Family::Ec => DecodingKey::from_ec_pem(pem).map_err(|_| SecretError::Key("an EC public key in PEM")),
        Family::Ed => DecodingKey::from_ed_pem(pem).map_err(|_| SecretError::Key("an Ed25519 public key in PEM")),
    }
}

/// The key that signs tokens like the first issuer's, for `postern token`. `pem` is the private key that asymmetric
/// algorithms need.
pub fn signing_key(text: &str, pem: Option<&str>) -> Result<(Algorithm, EncodingKey), SecretError> {
    let written = written(text)?;
    let first = written.first().ok_or(SecretError::Empty)?;
    let algorithm = first.algorithm()?;
    let private =
        || pem.map(str::as_bytes).ok_or(SecretError::Key("one that can sign; a private key in PEM is needed"));
    let refuse = |_| SecretError::Key("a private key in PEM of the right kind");
    let key = match family(algorithm) {
        Family::Hmac => EncodingKey::from_secret(first.key()?.as_bytes()),
        Family::Rsa => EncodingKey::from_rsa_pem(private()?).map_err(refuse)?,
        Family::Ec => EncodingKey::from_ec_pem(private()?).map_err(refuse)?,
        Family::Ed => EncodingKey::from_ed_pem(private()?).map_err(refuse)?,
    };
    Ok((algorithm, key))
}

/// The claims of a new token, where the first issuer's tokens have them; `exp`, `aud` and `iss` are the caller's and the
/// secret's.
pub fn new_claims(text: &str, naming: Naming<'_>, claims: &Claims) -> Result<Map<String, Value>, SecretError> {
    let first = written(text)?.into_iter().next().ok_or(SecretError::Empty)?;
    let namespace = first.claims_namespace.unwrap_or_else(|| naming.namespace.to_owned());
    let form = claims::Form::new(naming.prefix, namespace, first.claims_format.unwrap_or_default(), None)
        .map_err(SecretError::Path)?;
    let mut payload = form.write(claims);
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

enum Family {
    Hmac,
    Rsa,
    Ec,
    Ed,
}

fn family(algorithm: Algorithm) -> Family {
    use Algorithm::{ES256, ES384, EdDSA, HS256, HS384, HS512};
    match algorithm {
        HS256 | HS384 | HS512 => Family::Hmac,
        ES256 | ES384 => Family::Ec,
        EdDSA => Family::Ed,
        _ => Family::Rsa,
    }
}

fn header_reason(kind: &ErrorKind) -> Unverified {
    match kind {
        // `none` and other names that are no algorithm do not parse.
        ErrorKind::Json(error) if error.is_data() => Unverified::Algorithm,
        _ => Unverified::Token,
    }
}

fn reason(kind: &ErrorKind) -> Unverified {
    match kind {
        ErrorKind::InvalidIssuer => Unverified::Issuer,
        ErrorKind::InvalidAudience => Unverified::Audience,
        ErrorKind::InvalidAlgorithm => Unverified::Algorithm,
        ErrorKind::InvalidSignature => Unverified::Signature,
        ErrorKind::MissingRequiredClaim(name) => Unverified::MissingClaim(name.clone()),
        _ => Unverified::Token,
    }
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Issuer").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
