//! Signed identities: a JWT (HS256) by which a site states who its visitor is. It names the person
//! (`sub`), the controller (`aud`) and its expiry (`exp`), at most an hour ahead.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use gateway::error::Error;

/// How far ahead an identity may expire, in seconds.
const MAX_SECONDS: u64 = 3600;

/// The lifetime of an identity on the demo's page, in seconds.
const DEMO_SECONDS: u64 = 300;

/// The maximum length of a person's name in an identity.
const MAX_SUBJECT: usize = 255;

#[derive(Deserialize, Serialize)]
struct Claims {
    sub: String,
    aud: String,
    exp: u64,
}

/// The person in an identity that the controller's site has signed, or why it is not valid.
pub(super) fn verify(token: &str, controller: Uuid, key: &str) -> Result<String, &'static str> {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_audience(&[controller.to_string()]);
    validation.set_required_spec_claims(&["sub", "aud", "exp"]);
    validation.leeway = 10;
    let decoded = jsonwebtoken::decode::<Claims>(
        token,
        &DecodingKey::from_secret(key.as_bytes()),
        &validation,
    );
    let claims = decoded.map_err(|_| "signature, audience or expiry")?.claims;
    if claims.exp > jsonwebtoken::get_current_timestamp().saturating_add(MAX_SECONDS) {
        return Err("it expires more than an hour ahead");
    }
    match claims.sub.len() {
        1..=MAX_SUBJECT => Ok(claims.sub),
        _ => Err("the length of its subject"),
    }
}

/// An identity, as a site signs it.
pub(super) fn sign(subject: &str, controller: Uuid, key: &str) -> Result<String, Error> {
    let exp = jsonwebtoken::get_current_timestamp().saturating_add(DEMO_SECONDS);
    let claims = Claims {
        sub: subject.to_owned(),
        aud: controller.to_string(),
        exp,
    };
    let signed = jsonwebtoken::encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(key.as_bytes()),
    );
    signed.map_err(|error| Error::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    fn signed(claims: &serde_json::Value, key: &str) -> String {
        jsonwebtoken::encode(
            &Header::default(),
            claims,
            &EncodingKey::from_secret(key.as_bytes()),
        )
        .unwrap()
    }

    #[test]
    fn identity_is_for_one_controller_and_a_short_time() {
        let own = Uuid::new_v4();
        let now = jsonwebtoken::get_current_timestamp();
        assert_eq!(
            verify(&sign("a", own, KEY).unwrap(), own, KEY).unwrap(),
            "a"
        );
        let claims = |sub: &str, aud: Uuid, exp: u64| serde_json::json!({"sub": sub, "aud": aud.to_string(), "exp": exp});
        for (token, reason) in [
            (
                signed(
                    &claims("a", own, now + 60),
                    "another key of thirty-two letters",
                ),
                "wrong key",
            ),
            (
                signed(&claims("a", Uuid::nil(), now + 60), KEY),
                "another controller",
            ),
            (signed(&claims("a", own, now - 60), KEY), "expired"),
            (signed(&claims("a", own, now + 4000), KEY), "too long"),
            (signed(&claims("", own, now + 60), KEY), "nobody"),
            (
                signed(
                    &serde_json::json!({"sub": "a", "aud": own.to_string()}),
                    KEY,
                ),
                "no expiry",
            ),
            (
                signed(&serde_json::json!({"sub": "a", "exp": now + 60}), KEY),
                "no audience",
            ),
            (
                "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.".to_owned(),
                "unsigned",
            ),
        ] {
            assert!(verify(&token, own, KEY).is_err(), "{reason}");
        }
    }
}
