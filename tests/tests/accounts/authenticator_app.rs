//! An authenticator app: codes of six digits from a secret and the clock (RFC 6238).

use std::time::SystemTime;

use hmac::{Hmac, Mac};
use sha1::Sha1;
use tests::wait::until;

/// How long a code is shown, in seconds.
pub(super) const STEP_SECONDS: u64 = 30;

/// An app with the secret of one account.
#[derive(Clone, Debug)]
pub(super) struct AuthenticatorApp {
    /// The secret as people type it: base32.
    pub(super) secret: String,
}

impl AuthenticatorApp {
    /// An app into which a secret was typed.
    pub(super) fn new(secret: &str) -> AuthenticatorApp {
        AuthenticatorApp {
            secret: secret.to_owned(),
        }
    }

    /// The code that it shows now.
    pub(super) fn code(&self) -> String {
        self.code_of_step(0)
    }

    /// The code that it shows this number of steps from now; a negative one is in the past.
    pub(super) fn code_of_step(&self, step: i64) -> String {
        let now = i64::try_from(seconds() / STEP_SECONDS).unwrap();
        code(&decode_base32(&self.secret), now + step)
    }

    /// A code that it shows neither now nor soon.
    pub(super) fn wrong_code(&self) -> String {
        self.wrong_codes().next().unwrap()
    }

    /// Codes that it shows neither now nor soon, each another one.
    pub(super) fn wrong_codes(&self) -> impl Iterator<Item = String> + use<> {
        let right: Vec<String> = (-3..=10).map(|step| self.code_of_step(step)).collect();
        let codes = (0..1_000_000).map(|number| format!("{number:06}"));
        codes.filter(move |code| !right.contains(code))
    }

    /// The bytes of the secret.
    pub(super) fn bytes(&self) -> Vec<u8> {
        decode_base32(&self.secret)
    }
}

/// Waits until the current step lasts for some more seconds, so that codes of its neighbours stay
/// what they are while a test sends them.
pub(super) async fn until_step_lasts() {
    until("a step that lasts", async || seconds() % STEP_SECONDS < 22).await;
}

/// The time in seconds since 1970.
pub(super) fn seconds() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// The code of a step.
pub(super) fn code(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).unwrap();
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 15);
    let word = u32::from_be_bytes(hash[offset..offset + 4].try_into().unwrap());
    format!("{:06}", (word & 0x7fff_ffff) % 1_000_000)
}

fn decode_base32(text: &str) -> Vec<u8> {
    let mut bytes = vec![];
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => panic!("`{text}` is not base32"),
        };
        bits = bits << 5 | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
