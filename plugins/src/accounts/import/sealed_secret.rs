//! Opens secrets that the source has sealed. Both servers use AES in Galois/Counter Mode with a
//! nonce of twelve bytes, and no data beside the text is authenticated.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, Algorithm, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use serde::Deserialize;

use super::import_report::Reason;
use super::source_kind::SourceKind;

/// The length of a nonce in bytes.
const NONCE_LENGTH: usize = 12;

/// From this length on, hasura-auth takes a secret for a sealed one: the query
/// `GetUsersWithUnencryptedTOTPSecret` in
/// <https://github.com/nhost/nhost/blob/main/services/auth/go/sql/query.sql>.
const SEALED_LENGTH: usize = 64;

/// Opens a stored text: a secret, or GoTrue's hash of a password. One that is not sealed is
/// returned as it is. `id` is that of its row.
pub(super) fn open(
    kind: SourceKind,
    stored: &str,
    id: &str,
    keys: &[String],
) -> Result<String, Reason> {
    let opened = match kind {
        SourceKind::HasuraAuth if stored.len() < SEALED_LENGTH => return Ok(stored.to_owned()),
        SourceKind::HasuraAuth => keys.iter().find_map(|key| open_hex(stored, key)),
        SourceKind::GoTrue => {
            let Some(sealed) = EncryptedString::read(stored) else {
                return Ok(stored.to_owned());
            };
            keys.iter().find_map(|key| sealed.open(id, key))
        }
    };
    let text = opened.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or(if keys.is_empty() {
        Reason::Sealed
    } else {
        Reason::OtherKey
    })
}

/// The bytes of an authenticator app's secret: base32, as people type it.
pub(super) fn decode_totp(text: &str) -> Option<Vec<u8>> {
    let letters = text
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '-' | '='));
    let text: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    let bytes = BASE32_NOPAD.decode(text.as_bytes()).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}

/// Opens the form of hasura-auth: hexadecimal digits of nonce, text and tag, with a key in
/// hexadecimal digits (`AUTH_ENCRYPTION_KEY`).
/// <https://github.com/nhost/nhost/blob/main/services/auth/go/cryto/crypto.go>
fn open_hex(stored: &str, key: &str) -> Option<Vec<u8>> {
    let key = HEXLOWER_PERMISSIVE.decode(key.trim().as_bytes()).ok()?;
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        32 => &AES_256_GCM,
        _ => return None,
    };
    let sealed = HEXLOWER_PERMISSIVE.decode(stored.as_bytes()).ok()?;
    let (nonce, text) = sealed.split_at_checked(NONCE_LENGTH)?;
    open_gcm(algorithm, &key, nonce, text)
}

/// The form of GoTrue: JSON with bytes in base64.
/// <https://github.com/supabase/auth/blob/master/internal/crypto/crypto.go>
#[derive(Deserialize)]
struct EncryptedString {
    alg: String,
    data: String,
    nonce: String,
}

impl EncryptedString {
    /// Reads the form; `None` for a text that is not sealed.
    fn read(stored: &str) -> Option<EncryptedString> {
        let sealed: EncryptedString = serde_json::from_str(stored).ok()?;
        (sealed.alg == "aes-gcm-hkdf").then_some(sealed)
    }

    /// Opens it with a key of 32 bytes in base64url, of which HKDF makes one for the row.
    fn open(&self, id: &str, key: &str) -> Option<Vec<u8>> {
        // In the settings of GoTrue a key may have its id before it.
        let key = key.rsplit(':').next().unwrap_or(key).trim();
        let key = URL_SAFE_NO_PAD.decode(key.trim_end_matches('=')).ok()?;
        if key.len() != 32 {
            return None;
        }
        let info = [id.as_bytes()];
        let secret = Salt::new(HKDF_SHA256, &[]).extract(&key);
        let derived = secret.expand(&info, HKDF_SHA256).ok()?;
        let mut row_key = [0; 32];
        derived.fill(&mut row_key).ok()?;
        let nonce = STANDARD.decode(&self.nonce).ok()?;
        let text = STANDARD.decode(&self.data).ok()?;
        open_gcm(&AES_256_GCM, &row_key, &nonce, &text)
    }
}

fn open_gcm(
    algorithm: &'static Algorithm,
    key: &[u8],
    nonce: &[u8],
    sealed: &[u8],
) -> Option<Vec<u8>> {
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).ok()?);
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut text = sealed.to_vec();
    let plain = key.open_in_place(nonce, Aad::empty(), &mut text).ok()?;
    Some(plain.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_secret_of_hasura_auth_is_not_sealed() {
        let opened = open(SourceKind::HasuraAuth, "JBSWY3DPEHPK3PXP", "", &[]);
        assert_eq!(opened, Ok("JBSWY3DPEHPK3PXP".to_owned()));
    }

    #[test]
    fn secret_of_hasura_auth_opens_with_its_key_alone() {
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &[7; 32]).unwrap());
        let mut text = b"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP".to_vec();
        let nonce = Nonce::assume_unique_for_key([9; NONCE_LENGTH]);
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut text)
            .unwrap();
        let stored = HEXLOWER_PERMISSIVE.encode(&[&[9; NONCE_LENGTH][..], &text].concat());
        let with = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            open(SourceKind::HasuraAuth, &stored, "", &keys)
        };
        assert_eq!(with(&[]), Err(Reason::Sealed));
        assert_eq!(with(&[&"08".repeat(32), "no key"]), Err(Reason::OtherKey));
        assert_eq!(
            with(&[&"08".repeat(32), &"07".repeat(32)]),
            Ok("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP".to_owned())
        );
    }

    #[test]
    fn secret_of_gotrue_opens_for_its_row_alone() {
        let (id, key) = ("8d4c3a8e-1c2e-4f0e-9a52-3b3a54a3a001", [7; 32]);
        // The key of the row, by RFC 5869 with an empty salt.
        let derived = Salt::new(HKDF_SHA256, &[]).extract(&key);
        let mut row_key = [0; 32];
        let info = [id.as_bytes()];
        let derived = derived.expand(&info, HKDF_SHA256).unwrap();
        derived.fill(&mut row_key).unwrap();
        let row_key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &row_key).unwrap());
        let mut text = b"JBSWY3DPEHPK3PXP".to_vec();
        let nonce = Nonce::assume_unique_for_key([9; NONCE_LENGTH]);
        row_key
            .seal_in_place_append_tag(nonce, Aad::empty(), &mut text)
            .unwrap();
        let stored = serde_json::json!({
            "key_id": "one", "alg": "aes-gcm-hkdf", "data": STANDARD.encode(&text), "nonce": STANDARD.encode([9; NONCE_LENGTH]),
        })
        .to_string();
        let keys = [format!("one:{}", URL_SAFE_NO_PAD.encode(key))];
        let opened = open(SourceKind::GoTrue, &stored, id, &keys);
        assert_eq!(opened, Ok("JBSWY3DPEHPK3PXP".to_owned()));
        let other = open(SourceKind::GoTrue, &stored, "another row", &keys);
        assert_eq!(other, Err(Reason::OtherKey));
        let clear = open(SourceKind::GoTrue, "JBSWY3DPEHPK3PXP", id, &[]);
        assert_eq!(clear, Ok("JBSWY3DPEHPK3PXP".to_owned()));
    }

    #[test]
    fn base32_is_read_as_people_type_it() {
        let bytes = decode_totp("JBSW Y3DP-ehpk3pxp==");
        assert_eq!(bytes, decode_totp("JBSWY3DPEHPK3PXP"));
        assert_eq!(bytes.map(|bytes| bytes.len()), Some(10));
        assert_eq!(decode_totp(""), None);
        assert_eq!(decode_totp("1890"), None);
    }
}
