//! The methods that compare with a secret which sender and gateway share, and where the secret is:
//! in the settings, or in the database, one of each sender.

use biscuit::jwk::JWK;
use pg::Database;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::hmac_signature::HmacSignature;
use super::jwe_token::{self, JweToken};
use super::received::Received;
use super::refusal::{ReceiveError, Refusal};
use super::secret;
use super::sender_query::{DID, SenderQuery};
use super::signing_keys::SigningKeys;
use super::standard_signature::{self, StandardSignature};
use super::stripe_signature::StripeSignature;

/// A method with a secret.
#[derive(Debug)]
pub(super) enum SecretMethod {
    /// A header with the HMAC of the body.
    Hmac(HmacSignature),
    /// GitHub's form of it.
    Github(HmacSignature),
    Stripe(StripeSignature),
    Standard(StandardSignature),
    Jwe(JweToken),
}

/// What a method proves.
#[derive(Debug)]
pub(super) struct Proof {
    /// The claims of a token, the DID of a key.
    pub(super) facts: Map<String, Value>,
    /// The names of the secrets of a signature.
    pub(super) secrets: Vec<String>,
    /// The names of those that one sender alone has.
    pub(super) sender_secrets: Vec<String>,
}

impl SecretMethod {
    /// The name of the method in the settings.
    pub(super) fn name(&self) -> &'static str {
        match self {
            SecretMethod::Hmac(_) => "hmac",
            SecretMethod::Github(_) => "github",
            SecretMethod::Stripe(_) => "stripe",
            SecretMethod::Standard(_) => "standard",
            SecretMethod::Jwe(_) => "jwe",
        }
    }

    /// Verifies a sender by the secrets of the settings.
    pub(super) fn verify(&self, received: &Received<'_>) -> Result<Proof, Refusal> {
        let (facts, secrets) = match self {
            SecretMethod::Hmac(method) | SecretMethod::Github(method) => {
                (Map::new(), method.verify(received, &method.keys)?)
            }
            SecretMethod::Stripe(method) => (Map::new(), method.verify(received, &method.keys)?),
            SecretMethod::Standard(method) => (Map::new(), method.verify(received, &method.keys)?),
            SecretMethod::Jwe(method) => (method.verify(received, &method.keys)?, vec![]),
        };
        Ok(Proof {
            facts,
            secrets,
            sender_secrets: vec![],
        })
    }

    /// Verifies the sender that the parameter `did` names, by its own secrets. What it proves is
    /// that DID; which controller a token of it claims is not proved.
    pub(super) async fn verify_sender(
        &self,
        query: &SenderQuery,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<Proof, ReceiveError> {
        let did = received.parameter(DID)?;
        let secrets = query.texts(did, database, deadline).await?;
        let (mut facts, sender_secrets) = match self {
            SecretMethod::Hmac(method) | SecretMethod::Github(method) => {
                (Map::new(), method.verify(received, &as_texts(secrets))?)
            }
            SecretMethod::Stripe(method) => {
                (Map::new(), method.verify(received, &as_texts(secrets))?)
            }
            SecretMethod::Standard(method) => {
                let decoded = secrets
                    .iter()
                    .filter_map(|text| standard_signature::secret(text));
                (Map::new(), method.verify(received, &strong(decoded))?)
            }
            SecretMethod::Jwe(method) => {
                let length = jwe_token::key_length(method.encryption);
                let keys: Vec<JWK<_>> = secrets
                    .iter()
                    .filter_map(|text| jwe_token::key(length, text))
                    .collect();
                let mut claims = method.verify(received, &keys)?;
                claims.remove("controller");
                (claims, vec![])
            }
        };
        facts.insert(DID.to_owned(), did.into());
        Ok(Proof {
            facts,
            secrets: vec![],
            sender_secrets,
        })
    }

    /// Whether the settings have one secret, by which no sender is told from another.
    pub(super) fn has_one_secret(&self) -> bool {
        match self {
            SecretMethod::Hmac(method) | SecretMethod::Github(method) => method.keys.0.len() == 1,
            SecretMethod::Stripe(method) => method.keys.0.len() == 1,
            SecretMethod::Standard(method) => method.keys.0.len() == 1,
            SecretMethod::Jwe(_) => false,
        }
    }
}

/// The secrets whose text is the key, as it is.
fn as_texts(secrets: Vec<String>) -> SigningKeys {
    strong(secrets.into_iter().map(String::into_bytes))
}

/// The secrets that are not easily guessed; the others verify nothing.
fn strong(secrets: impl Iterator<Item = Vec<u8>>) -> SigningKeys {
    SigningKeys(
        secrets
            .filter(|bytes| secret::weakness(bytes).is_none())
            .collect(),
    )
}
