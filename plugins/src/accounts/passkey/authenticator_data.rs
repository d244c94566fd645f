//! Authenticator data, which the authenticator signs, and the attestation object that has them when
//! a key is made. <https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data>

use ciborium::Value;
use uuid::Uuid;

use super::cbor::{Map, read_item};
use super::passkey_error::PasskeyError;

/// Bits of the flags; the others are reserved and ignored.
const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const ATTESTED: u8 = 1 << 6;
const EXTENDED: u8 = 1 << 7;

/// Authenticator data.
#[derive(Debug)]
pub(super) struct AuthenticatorData<'a> {
    /// SHA-256 of the domain that the key belongs to.
    pub(super) rp_id_hash: &'a [u8; 32],
    /// The user has touched the authenticator.
    pub(super) is_user_present: bool,
    /// The user has also shown a PIN, a finger or a face.
    pub(super) is_user_verified: bool,
    /// The key may be copied to other devices of its user.
    pub(super) is_backup_eligible: bool,
    /// The key has been copied.
    pub(super) is_backed_up: bool,
    /// How often the key or its authenticator has signed; 0 if it does not count.
    pub(super) sign_count: u32,
    /// The new key, when one is made.
    pub(super) attested: Option<AttestedCredential<'a>>,
}

/// A key that was made.
#[derive(Debug)]
pub(super) struct AttestedCredential<'a> {
    /// The model of the authenticator; zeros if it does not say.
    pub(super) aaguid: Uuid,
    /// The id that the authenticator has given to the key.
    pub(super) credential_id: &'a [u8],
    /// The public key, as a `COSE_Key`.
    pub(super) public_key: &'a [u8],
}

impl<'a> AuthenticatorData<'a> {
    /// Reads authenticator data, which have to fill the bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Result<AuthenticatorData<'a>, PasskeyError> {
        read(bytes).ok_or(PasskeyError::AuthenticatorData)
    }
}

fn read(bytes: &[u8]) -> Option<AuthenticatorData<'_>> {
    let (rp_id_hash, rest) = bytes.split_first_chunk()?;
    let (flags, rest) = rest.split_first()?;
    let (sign_count, mut rest) = rest.split_first_chunk()?;
    let mut attested = None;
    if flags & ATTESTED != 0 {
        let (credential, after) = read_attested(rest)?;
        attested = Some(credential);
        rest = after;
    }
    // No extension is asked for, and what an authenticator adds is ignored.
    if flags & EXTENDED != 0 {
        let item = read_item(rest)?;
        rest = item.value.is_map().then_some(item.rest)?;
    }
    let data = AuthenticatorData {
        rp_id_hash,
        is_user_present: flags & USER_PRESENT != 0,
        is_user_verified: flags & USER_VERIFIED != 0,
        is_backup_eligible: flags & BACKUP_ELIGIBLE != 0,
        is_backed_up: flags & BACKED_UP != 0,
        sign_count: u32::from_be_bytes(*sign_count),
        attested,
    };
    rest.is_empty().then_some(data)
}

fn read_attested(bytes: &[u8]) -> Option<(AttestedCredential<'_>, &[u8])> {
    let (aaguid, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (credential_id, rest) = rest.split_at_checked(length)?;
    let item = read_item(rest)?;
    let attested = AttestedCredential {
        aaguid: Uuid::from_bytes(*aaguid),
        credential_id,
        public_key: item.bytes,
    };
    Some((attested, item.rest))
}

/// The authenticator data of an attestation object. The statement is ignored, whatever its format:
/// none is asked for, and some authenticators send one all the same.
pub(super) fn from_attestation_object(bytes: &[u8]) -> Result<Vec<u8>, PasskeyError> {
    let map = Map::read(bytes).ok_or(PasskeyError::AttestationObject)?;
    let has_format = map.named("fmt").is_some_and(Value::is_text);
    let has_statement = map.named("attStmt").is_some_and(Value::is_map);
    let data = map.named("authData").and_then(Value::as_bytes).cloned();
    data.filter(|_| has_format && has_statement)
        .ok_or(PasskeyError::AttestationObject)
}
