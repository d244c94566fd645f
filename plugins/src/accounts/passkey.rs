//! Passkeys and security keys: the ceremonies of W3C Web Authentication Level 3, without database,
//! clock or HTTP. A caller sends options to the browser, stores the challenge, and has the response
//! verified against it. It also sees to what needs the database: a challenge is used once within
//! its time, a credential id is registered once, and the key belongs to the user.
//! <https://www.w3.org/TR/webauthn-3/#sctn-rp-operations>
//!
//! ```text
//! RelyingParty::creation_options ─▶ browser ─▶ verify_creation ─▶ SecurityKey, to be stored
//! RelyingParty::request_options  ─▶ browser ─▶ verify_assertion(SecurityKey) ─▶ Assertion
//! ```

mod authenticator_data;
mod cbor;
mod challenge;
mod client_data;
mod credential;
mod passkey_error;
mod public_key;
mod relying_party;
#[cfg(test)]
mod tests;
mod user_handle;

use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use authenticator_data::AuthenticatorData;
use challenge::Ceremony;
pub(super) use challenge::Challenge;
use client_data::ClientData;
use credential::Credential;
pub(super) use passkey_error::PasskeyError;
use public_key::PublicKey;
pub(super) use relying_party::{Descriptor, RelyingParty};
pub(super) use user_handle::has_handle;

/// The most bytes of an attestation object: a statement of a TPM, with its certificates, has some
/// six thousand.
const MAX_ATTESTATION_OBJECT_BYTES: usize = 32 * 1024;

/// The most bytes of authenticator data without a key: 37, and extensions.
const MAX_AUTHENTICATOR_DATA_BYTES: usize = 4 * 1024;

/// The longest signature, that of an RSA key with 4096 bits.
const MAX_SIGNATURE_BYTES: usize = 512;

/// A key of a user, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SecurityKey {
    /// The id that the authenticator has given to the key: 1 to 1023 bytes.
    pub(super) credential_id: Vec<u8>,
    /// The public key, as a `COSE_Key`.
    pub(super) public_key: Vec<u8>,
    /// The counter of the last response; 0 if the authenticator does not count.
    pub(super) sign_count: u32,
    /// How the browser reaches the authenticator: `internal`, `usb`, `hybrid`.
    pub(super) transports: Vec<String>,
    /// The model of the authenticator; zeros if it does not say.
    pub(super) aaguid: Uuid,
    /// The key may be copied to other devices of its user.
    pub(super) is_backup_eligible: bool,
    /// The key has been copied.
    pub(super) is_backed_up: bool,
}

impl SecurityKey {
    /// The key in the form for options.
    pub(super) fn descriptor(&self) -> Descriptor {
        Descriptor {
            credential_id: self.credential_id.clone(),
            transports: self.transports.clone(),
        }
    }
}

/// A key that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Registration {
    /// The key.
    pub(super) key: SecurityKey,
    /// The user has shown a PIN, a finger or a face.
    pub(super) is_user_verified: bool,
}

/// A signature that was verified, with what is to be stored of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    /// The user has shown a PIN, a finger or a face, so that the key counts as two factors.
    pub(super) is_user_verified: bool,
    /// The counter.
    pub(super) sign_count: u32,
    /// The key may be copied. It may have become so since it was registered.
    pub(super) is_backup_eligible: bool,
    /// The key has been copied.
    pub(super) is_backed_up: bool,
}

impl RelyingParty {
    /// Verifies the response of an authenticator that has made a key, by section 7.1. Steps 1 to 3
    /// are the browser's; steps 26, 27 and 29 are the caller's.
    pub(super) fn verify_creation(
        &self,
        challenge: &Challenge,
        credential: &Value,
    ) -> Result<Registration, PasskeyError> {
        // Steps 4 and 28 are about extensions, of which none is asked for. The length of the id is
        // step 25.
        let credential = Credential::read(credential)?;
        // Steps 5 to 11. Step 12 makes a hash that only attestation statements need.
        let client_data = ClientData::read(&credential)?;
        client_data.verify(Ceremony::Create, challenge, &self.origins)?;
        // Step 13.
        let object = credential.bytes("attestationObject", MAX_ATTESTATION_OBJECT_BYTES)?;
        let bytes = authenticator_data::from_attestation_object(&object)?;
        let data = AuthenticatorData::read(&bytes)?;
        // Steps 14, 15 and 17. Step 16: verification is preferred, not required. Steps 18 and 19:
        // both kinds of keys are taken.
        self.verify_data(&data)?;
        // Step 20.
        let attested = data.attested.ok_or(PasskeyError::AuthenticatorData)?;
        PublicKey::from_cose(attested.public_key)?;
        // Steps 21 to 24 assess the attestation statement, which is neither asked for nor trusted.
        if attested.credential_id != credential.id {
            return Err(PasskeyError::CredentialId);
        }
        let key = SecurityKey {
            credential_id: attested.credential_id.to_vec(),
            public_key: attested.public_key.to_vec(),
            sign_count: data.sign_count,
            transports: credential.transports(),
            aaguid: attested.aaguid,
            is_backup_eligible: data.is_backup_eligible,
            is_backed_up: data.is_backed_up,
        };
        Ok(Registration {
            key,
            is_user_verified: data.is_user_verified,
        })
    }

    /// Verifies the response of an authenticator that has signed with a stored key, by section 7.2.
    /// Steps 1 to 3 are the browser's; step 6, whose key it is, and the storing of step 24 are the
    /// caller's.
    pub(super) fn verify_assertion(
        &self,
        challenge: &Challenge,
        credential: &Value,
        key: &SecurityKey,
    ) -> Result<Assertion, PasskeyError> {
        // Steps 4 and 23 are about extensions, of which none is asked for.
        let credential = Credential::read(credential)?;
        // Step 5, and of step 6 that the stored key is the one that has signed.
        if credential.id != key.credential_id || !challenge.allows(&credential.id) {
            return Err(PasskeyError::CredentialId);
        }
        // Step 7.
        let bytes = credential.bytes("authenticatorData", MAX_AUTHENTICATOR_DATA_BYTES)?;
        let signature = credential.bytes("signature", MAX_SIGNATURE_BYTES)?;
        // Steps 8 to 14.
        let client_data = ClientData::read(&credential)?;
        client_data.verify(Ceremony::Get, challenge, &self.origins)?;
        // Steps 15, 16 and 18. Step 17: the caller learns whether the user was verified.
        let data = AuthenticatorData::read(&bytes)?;
        self.verify_data(&data)?;
        // Step 19. A key may become eligible, as some authenticators learn to copy keys.
        if key.is_backup_eligible && !data.is_backup_eligible {
            return Err(PasskeyError::BackupEligibility);
        }
        // Steps 20 and 21.
        let public_key = PublicKey::from_cose(&key.public_key)?;
        let hash = Sha256::digest(&client_data.bytes);
        let message = [bytes.as_slice(), &hash].concat();
        if !public_key.is_signature(&message, &signature) {
            return Err(PasskeyError::Signature);
        }
        // Step 22. Copies of a key that may be copied count each for itself, or not at all.
        let is_counting = key.sign_count > 0 && !key.is_backup_eligible;
        if is_counting && data.sign_count <= key.sign_count {
            return Err(PasskeyError::Counter);
        }
        Ok(Assertion {
            is_user_verified: data.is_user_verified,
            sign_count: data.sign_count,
            is_backup_eligible: data.is_backup_eligible,
            is_backed_up: data.is_backed_up,
        })
    }

    /// What both ceremonies ask of authenticator data.
    fn verify_data(&self, data: &AuthenticatorData<'_>) -> Result<(), PasskeyError> {
        // §7.1 step 14, §7.2 step 15.
        if *data.rp_id_hash != self.id_hash {
            return Err(PasskeyError::RelyingPartyId);
        }
        // §7.1 step 15, §7.2 step 16.
        if !data.is_user_present {
            return Err(PasskeyError::UserNotPresent);
        }
        // §7.1 step 17, §7.2 step 18.
        if data.is_backed_up && !data.is_backup_eligible {
            return Err(PasskeyError::Backup);
        }
        Ok(())
    }
}

/// The challenge that a credential responds to, by which the stored one is found. It is verified
/// only with the credential.
pub(super) fn challenge_of(credential: &Value) -> Option<Vec<u8>> {
    let credential = Credential::read(credential).ok()?;
    ClientData::read(&credential).ok()?.challenge()
}

/// Whether the id and the public key of a credential of another server are such as
/// [`RelyingParty::verify_creation`] takes.
pub(super) fn is_readable_key(credential_id: &[u8], public_key: &[u8]) -> bool {
    (1..=credential::MAX_ID_BYTES).contains(&credential_id.len())
        && PublicKey::from_cose(public_key).is_ok()
}

/// The id of the key, by which the stored one is found.
pub(super) fn credential_id_of(credential: &Value) -> Option<Vec<u8>> {
    credential::id_of(credential)
}
