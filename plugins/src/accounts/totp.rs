//! Codes of authenticator apps: TOTP with SHA-1, six digits and steps of thirty seconds, which all
//! apps know. <https://www.rfc-editor.org/rfc/rfc6238>

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcodegen::{QrCode, QrCodeEcc};
use sha1::Sha1;
use subtle::ConstantTimeEq;

/// The length of a step in seconds: X of RFC 6238, section 4.1.
const STEP_SECONDS: u64 = 30;

/// The length of a new secret in bytes, that of the hash: RFC 4226, section 4.
const SECRET_LENGTH: usize = 20;

/// The secret of an authenticator app.
pub(super) struct TotpSecret(Vec<u8>);

impl TotpSecret {
    /// A new secret.
    pub(super) fn new() -> TotpSecret {
        TotpSecret(rand::random::<[u8; SECRET_LENGTH]>().into())
    }

    /// A secret that was stored.
    pub(super) fn of_bytes(bytes: Vec<u8>) -> TotpSecret {
        TotpSecret(bytes)
    }

    /// Its bytes, to be sealed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text to type into an app: base32.
    pub(super) fn text(&self) -> String {
        BASE32_NOPAD.encode(&self.0)
    }

    /// The picture to scan with an app: a QR code as a data URL. `None` if the names are too long.
    /// <https://github.com/google/google-authenticator/wiki/Key-Uri-Format>
    pub(super) fn image_url(&self, issuer: &str, account: &str) -> Option<String> {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let issuer = encode(issuer);
        let account = encode(account);
        let secret = self.text();
        let url = format!("otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}");
        let code = QrCode::encode_text(&url, QrCodeEcc::Medium).ok()?;
        let image = STANDARD.encode(svg(&code));
        Some(format!("data:image/svg+xml;base64,{image}"))
    }

    /// The step of a code that is right now, or was or will be thirty seconds from now: clocks
    /// differ (RFC 6238, section 5.2). A step up to `last_step` has been used.
    pub(super) fn step_of(&self, code: &str, now: u64, last_step: i64) -> Option<i64> {
        let current = i64::try_from(now / STEP_SECONDS).ok()?;
        (current - 1..=current + 1).find(|step| {
            let is_same: bool = self.code(*step).as_bytes().ct_eq(code.as_bytes()).into();
            is_same && *step > last_step
        })
    }

    /// The code of a step: RFC 4226, section 5.3.
    fn code(&self, step: i64) -> String {
        let mut mac = <Hmac<Sha1> as Mac>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        mac.update(&step.to_be_bytes());
        let hash = mac.finalize().into_bytes();
        let offset = usize::from(hash[19] & 0xf);
        let word = [0, 1, 2, 3].map(|index| hash[offset + index]);
        format!(
            "{:06}",
            (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000
        )
    }
}

/// A QR code as SVG, with the margin of four modules that readers need.
fn svg(code: &QrCode) -> String {
    const MARGIN: i32 = 4;
    let size = code.size() + 2 * MARGIN;
    let modules = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let path: String = modules
        .filter(|(x, y)| code.get_module(*x, *y))
        .map(|(x, y)| format!("M{},{}h1v1h-1z", x + MARGIN, y + MARGIN))
        .collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" width=\"240\" height=\"240\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0,0h{size}v{size}h-{size}z\"/>\
         <path d=\"{path}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 6238, appendix B, with the last six of their eight digits.
    #[test]
    fn codes_are_those_of_the_specification() {
        let secret = TotpSecret::of_bytes(b"12345678901234567890".into());
        for (time, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = i64::try_from(time / STEP_SECONDS).unwrap();
            assert_eq!(secret.code(step), code);
            for (now, expected) in [(time - 30, step), (time, step), (time + 30, step)] {
                assert_eq!(
                    secret.step_of(code, now, 0),
                    Some(expected),
                    "{time} at {now}"
                );
            }
            assert_eq!(secret.step_of(code, time + 90, 0), None);
            assert_eq!(secret.step_of(code, time, step), None);
        }
        assert_eq!(secret.step_of("", 59, 0), None);
        assert_eq!(secret.step_of("2870820", 59, 0), None);
    }

    #[test]
    fn image_is_a_picture() {
        let url = TotpSecret::new()
            .image_url("Shop & Co", "ada@example.com")
            .unwrap();
        let image = url.strip_prefix("data:image/svg+xml;base64,").unwrap();
        let image = String::from_utf8(STANDARD.decode(image).unwrap()).unwrap();
        assert!(
            image.starts_with("<svg ") && image.contains("h1v1h-1z"),
            "{image}"
        );
    }
}
