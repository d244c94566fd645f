//! Signs access tokens with the first issuer's format and publishes the key that verifies them.

use std::sync::Arc;

use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{AlgorithmFamily, EncodingKey, Header};
use serde_json::{Map, Value};

use super::sign_in_proof::SignInProof;
use super::user::User;
use gateway::auth::claims::{ClaimNames, Claims};
use gateway::auth::{AuthPolicy, KeySets, jwt};
use gateway::config::{Config, Secret};
use gateway::error::Error;

/// Signs access tokens.
pub(super) struct Signer {
    key: EncodingKey,
    header: Header,
    secret: Secret,
    prefix: String,
    namespace: &'static str,
    /// The public key that verifies them; empty for a shared secret.
    keys: JwkSet,
}

impl Signer {
    /// The signer for these settings. Errors contain no keys.
    pub(super) fn new(config: &Config) -> Result<Signer, String> {
        let secret = config
            .jwt_secret
            .clone()
            .ok_or("tokens cannot be signed: no `jwt-secret` is set")?;
        let pem = config.signing_key.as_ref().map(private_key).transpose()?;
        let (mut header, key) = jwt::signing_key(secret.reveal(), pem.as_ref().map(Secret::reveal))
            .map_err(|error| match pem {
                None => format!("{error} (`signing-key`)"),
                Some(_) => error.to_string(),
            })?;
        let keys = public_keys(&key, &header)?;
        header.kid = keys
            .keys
            .first()
            .and_then(|key| key.common.key_id.clone())
            .or(header.kid);
        let prefix = config.header_prefix().to_owned();
        let namespace = config.profile.claims_namespace();
        let signer = Signer {
            key,
            header,
            secret,
            prefix,
            namespace,
            keys,
        };
        signer.check_keys(config)?;
        Ok(signer)
    }

    /// Signs an access token for a user, valid for this many seconds.
    pub(super) fn sign(
        &self,
        user: &User,
        seconds: u64,
        sign_in: Option<&SignInProof>,
    ) -> Result<String, Error> {
        let now = jsonwebtoken::get_current_timestamp();
        let twice = |name| {
            Error::Internal(format!(
                "the `users` query gives the claim `{name}` twice, in two spellings"
            ))
        };
        let is_elevated = sign_in.is_some_and(|sign_in| sign_in.is_elevated);
        let claims = user.claims(&self.prefix, is_elevated).map_err(twice)?;
        let mut payload = self
            .payload(&user.id, &claims, now, now.saturating_add(seconds))
            .map_err(Error::Internal)?;
        if let Some(sign_in) = sign_in {
            payload.insert("sid".into(), sign_in.session.as_str().into());
            payload.insert("amr".into(), sign_in.methods.clone().into());
            payload.insert("auth_time".into(), sign_in.at.into());
        }
        self.encode(payload).map_err(Error::Internal)
    }

    /// The keys that verify the signed tokens.
    pub(super) fn keys(&self) -> &JwkSet {
        &self.keys
    }

    fn payload(
        &self,
        subject: &str,
        claims: &Claims,
        now: u64,
        end: u64,
    ) -> Result<Map<String, Value>, String> {
        let naming = ClaimNames {
            prefix: &self.prefix,
            namespace: self.namespace,
        };
        let mut payload = jwt::new_claims(self.secret.reveal(), naming, claims)
            .map_err(|error| error.to_string())?;
        payload.insert("sub".into(), subject.into());
        payload.insert("iat".into(), now.into());
        payload.insert("exp".into(), end.into());
        Ok(payload)
    }

    fn encode(&self, payload: Map<String, Value>) -> Result<String, String> {
        jsonwebtoken::encode(&self.header, &Value::Object(payload), &self.key)
            .map_err(|error| error.to_string())
    }

    /// Verifies a token that it has signed itself, so that keys which do not match are found at
    /// startup.
    fn check_keys(&self, config: &Config) -> Result<(), String> {
        let policy =
            AuthPolicy::new(config, &KeySets::default()).map_err(|error| error.to_string())?;
        let claims = Claims {
            default_role: "a".into(),
            allowed_roles: vec!["a".into()],
            values: Arc::default(),
        };
        let now = jsonwebtoken::get_current_timestamp();
        let payload = self.payload("a", &claims, now, now.saturating_add(60))?;
        let token = self.encode(payload)?;
        let issuers: Vec<&jwt::Issuer> = policy.issuers.iter().collect();
        match jwt::UnverifiedToken::read(&token).and_then(|token| jwt::verify(&issuers, &token)) {
            Ok(_) => Ok(()),
            Err(reason) => Err(format!(
                "tokens that are signed here would be refused: {reason}"
            )),
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

/// The public key with the id from the settings, or its thumbprint; empty for a shared secret.
/// <https://www.rfc-editor.org/rfc/rfc7638>
fn public_keys(key: &EncodingKey, header: &Header) -> Result<JwkSet, String> {
    if key.family() == AlgorithmFamily::Hmac {
        return Ok(JwkSet::default());
    }
    let refuse = |_| "the public key of `signing-key` cannot be derived".to_owned();
    let mut public = Jwk::from_encoding_key(key, header.alg).map_err(refuse)?;
    let thumbprint = || public.thumbprint(ThumbprintHash::SHA256).map_err(refuse);
    public.common.key_id = Some(header.kid.clone().map_or_else(thumbprint, Ok)?);
    public.common.public_key_use = Some(PublicKeyUse::Signature);
    Ok(JwkSet { keys: vec![public] })
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Signer")
            .field("algorithm", &self.header.alg)
            .finish_non_exhaustive()
    }
}
