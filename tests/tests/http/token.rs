//! Creates valid and invalid tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

/// The gateway's setting.
pub(crate) const SECRET: &str = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#;

/// The key in it.
pub(crate) const KEY: &[u8] = b"a key of thirty-two bytes, or more";

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// The claims of author 1, who may also be reader.
pub(crate) fn claims() -> Value {
    json!({
        "sub": "1", "exp": now() + 600,
        "gateway": {
            "x-gateway-default-role": "author", "x-gateway-allowed-roles": ["author", "reader"],
            "x-gateway-user-id": "1",
        },
    })
}

/// A token with these claims, signed with the gateway's key.
pub(crate) fn signed(claims: &Value) -> String {
    by(Algorithm::HS256, &EncodingKey::from_secret(KEY), claims)
}

/// A token with these claims, signed with another algorithm or key.
pub(crate) fn by(algorithm: Algorithm, key: &EncodingKey, claims: &Value) -> String {
    jsonwebtoken::encode(&Header::new(algorithm), claims, key).unwrap()
}

/// A valid token.
pub(crate) fn good() -> String {
    signed(&claims())
}

/// The valid token with changed claims.
pub(crate) fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut claims = claims();
    change(&mut claims);
    signed(&claims)
}

/// A token with any header, and these bytes as its signature.
pub(crate) fn forged(header: &Value, claims: &Value, signature: &[u8]) -> String {
    let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    format!(
        "{}.{}.{}",
        part(header.to_string().as_bytes()),
        part(claims.to_string().as_bytes()),
        part(signature)
    )
}
