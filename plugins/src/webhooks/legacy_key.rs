//! The older pair of query parameters: a DID and a key. The settings, or a query, know SHA-256
//! digests of the DID's keys.

use pg::Database;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};
use tokio::time::Instant;

use super::hmac_signature::hexadecimal;
use super::received::Received;
use super::refusal::{ReceiveError, Refusal};
use super::sender_query::{DID, SenderQuery};

/// The parameter with the key, and where its digests are found.
#[derive(Debug)]
pub(super) struct LegacyKey {
    pub(super) parameter: String,
    pub(super) digests: KeyDigests,
}

/// Where the digests of keys are found.
#[derive(Debug)]
pub(super) enum KeyDigests {
    /// In the settings, by DID.
    Declared(Vec<(String, [u8; 32])>),
    /// By a statement that returns the digests of one DID.
    Query(SenderQuery),
}

impl LegacyKey {
    /// The DID, if the key is one of its keys. The key is compared with all of them in constant
    /// time.
    pub(super) async fn verify(
        &self,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<Map<String, Value>, ReceiveError> {
        let did = received.parameter(DID)?;
        let key = received.parameter(&self.parameter)?;
        let given: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let known: Vec<[u8; 32]> = match &self.digests {
            KeyDigests::Declared(digests) => digests
                .iter()
                .filter(|(known, _)| known == did)
                .map(|(_, digest)| *digest)
                .collect(),
            KeyDigests::Query(query) => {
                let texts = query.texts(did, database, deadline).await?;
                texts.iter().filter_map(|text| digest(text)).collect()
            }
        };
        let found = known
            .iter()
            .fold(Choice::from(0), |found, digest| found | given.ct_eq(digest));
        if found.into() {
            Ok([(DID.to_owned(), did.into())].into_iter().collect())
        } else {
            Err(Refusal::WrongKey.into())
        }
    }
}

/// A SHA-256 digest in hexadecimal digits, with or without the `\x` of Postgres' `bytea`.
pub(super) fn digest(text: &str) -> Option<[u8; 32]> {
    hexadecimal(text.strip_prefix("\\x").unwrap_or(text))?
        .try_into()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_64_hexadecimal_digits() {
        let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(digits), Some(Sha256::digest(b"abc").into()));
        assert_eq!(digest(&format!("\\x{digits}")), digest(digits));
        assert_eq!(digest(&digits[1..]), None);
        assert_eq!(digest(&digits[2..]), None);
    }
}
