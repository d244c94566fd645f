//! Seals what has to be read again, such as the secret of an authenticator app: AES-256-GCM with a
//! key that is made of the setting `key`. The user's id is authenticated with it, so that a sealed
//! text opens for no other user.

use gateway::config::Secret;
use gateway::error::Error;
use hmac::{Hmac, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;

/// The keys that seal and open.
#[derive(Debug)]
pub(super) struct SealKeys {
    current: LessSafeKey,
    /// The key before a change, which only opens.
    former: Option<LessSafeKey>,
}

/// A text that was opened.
pub(super) struct Opened {
    /// The text.
    pub(super) plain: Vec<u8>,
    /// Whether the former key has sealed it, so that it should be sealed anew.
    pub(super) is_former: bool,
}

impl SealKeys {
    /// The keys of the settings.
    pub(super) fn new(key: &Secret, former: Option<&Secret>) -> Result<SealKeys, String> {
        Ok(SealKeys {
            current: aead_key(key)?,
            former: former.map(aead_key).transpose()?,
        })
    }

    /// Seals a text for a user: a random nonce, the text and its tag.
    pub(super) fn seal(&self, plain: &[u8], user: &str) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut text = plain.to_vec();
        self.current
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(user.as_bytes()),
                &mut text,
            )
            .map_err(|_| Error::Internal("a secret cannot be sealed".into()))?;
        Ok([nonce.as_slice(), &text].concat())
    }

    /// Opens a text of a user; `None` if neither key has sealed it for this user.
    pub(super) fn open(&self, sealed: &[u8], user: &str) -> Option<Opened> {
        let keys = [(Some(&self.current), false), (self.former.as_ref(), true)];
        keys.into_iter().find_map(|(key, is_former)| {
            let plain = open(key?, sealed, user)?;
            Some(Opened { plain, is_former })
        })
    }
}

fn open(key: &LessSafeKey, sealed: &[u8], user: &str) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut text = text.to_vec();
    let plain = key.open_in_place(nonce, Aad::from(user.as_bytes()), &mut text);
    plain.ok().map(|plain| plain.to_vec())
}

/// The key for AES: a setting of any length, by HMAC-SHA-256 with a label of its own.
fn aead_key(key: &Secret) -> Result<LessSafeKey, String> {
    let fault = || "`key` makes no key for AES-256-GCM".to_owned();
    let mut mac =
        <Hmac<Sha256> as Mac>::new_from_slice(key.reveal().as_bytes()).map_err(|_| fault())?;
    mac.update(b"postern accounts: seal");
    let bytes = mac.finalize().into_bytes();
    let unbound = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| fault())?;
    Ok(LessSafeKey::new(unbound))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(key: &str, former: Option<&str>) -> SealKeys {
        let former = former.map(Secret::new);
        SealKeys::new(&Secret::new(key), former.as_ref()).unwrap()
    }

    #[test]
    fn sealed_text_opens_for_its_user_and_key() {
        let first = keys("first", None);
        let sealed = first.seal(b"secret", "ada").unwrap();
        assert_ne!(sealed, first.seal(b"secret", "ada").unwrap());
        let opened = first.open(&sealed, "ada").unwrap();
        assert_eq!(
            (opened.plain.as_slice(), opened.is_former),
            (&b"secret"[..], false)
        );
        assert!(first.open(&sealed, "bob").is_none());
        assert!(keys("second", None).open(&sealed, "ada").is_none());
        let opened = keys("second", Some("first")).open(&sealed, "ada").unwrap();
        assert_eq!(
            (opened.plain.as_slice(), opened.is_former),
            (&b"secret"[..], true)
        );
    }

    #[test]
    fn changed_text_does_not_open() {
        let keys = keys("first", None);
        let sealed = keys.seal(b"secret", "ada").unwrap();
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert!(keys.open(&changed, "ada").is_none(), "{index}");
            assert!(keys.open(&sealed[..index], "ada").is_none(), "{index}");
        }
    }
}
