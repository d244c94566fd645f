//! The application that passkeys belong to: its domain and its pages, and the options with which a
//! browser asks an authenticator.
//! <https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson>

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::challenge::{Ceremony, Challenge};
use super::credential::encode;
use super::public_key::Algorithm;
use super::user_handle;

/// How long a browser waits for the user, in milliseconds; as long as a challenge holds.
const TIMEOUT_MILLISECONDS: u32 = 300_000;

/// The application that passkeys belong to.
#[derive(Clone, Debug)]
pub(in crate::accounts) struct RelyingParty {
    id: String,
    name: String,
    /// SHA-256 of the id, which authenticators sign.
    pub(super) id_hash: [u8; 32],
    /// The origins of the pages.
    pub(super) origins: Vec<String>,
}

/// A key in the form for options, by which a browser recognizes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::accounts) struct Descriptor {
    /// The id of the key.
    pub(in crate::accounts) credential_id: Vec<u8>,
    /// How the browser reaches the authenticator.
    pub(in crate::accounts) transports: Vec<String>,
}

impl RelyingParty {
    /// The application of the settings `rp_id`, `name` and `origins`. The error is a text for the
    /// settings file.
    pub(in crate::accounts) fn new(
        rp_id: &str,
        name: &str,
        origins: &[String],
    ) -> Result<RelyingParty, String> {
        if rp_id != "localhost" && !(is_domain(rp_id) && rp_id.contains('.')) {
            return Err(format!(
                "`{rp_id}` is no domain: `rp_id` is one such as `example.com`, in lower case and \
                 without scheme or port, or `localhost`"
            ));
        }
        if origins.is_empty() {
            return Err("`origins` has to name the origin of a page".to_owned());
        }
        let wrong = origins.iter().find(|origin| !is_origin(origin, rp_id));
        if let Some(origin) = wrong {
            return Err(format!(
                "`{origin}` is no origin of `{rp_id}`: an origin is `https://` with `{rp_id}` or a \
                 domain below it and, unless it is the usual one, a port, as browsers write it; \
                 `http://` works for `localhost` alone"
            ));
        }
        Ok(RelyingParty {
            id: rp_id.to_owned(),
            name: name.to_owned(),
            id_hash: Sha256::digest(rp_id).into(),
            origins: origins.to_vec(),
        })
    }

    /// The options to make a key, `PublicKeyCredentialCreationOptionsJSON`, and their challenge. An
    /// authenticator that has one of the existing keys makes no other one.
    pub(in crate::accounts) fn creation_options(
        &self,
        handle: Uuid,
        name: &str,
        display_name: &str,
        existing: &[Descriptor],
    ) -> (Value, Challenge) {
        let challenge = Challenge::new(Ceremony::Create, Vec::new());
        let algorithms =
            Algorithm::ALL.map(|algorithm| json!({"type": "public-key", "alg": algorithm as i64}));
        let options = json!({
            "rp": {"id": self.id, "name": self.name},
            "user": {
                "id": user_handle::text(handle),
                "name": name,
                "displayName": display_name,
            },
            "challenge": challenge.text(),
            "pubKeyCredParams": algorithms,
            "timeout": TIMEOUT_MILLISECONDS,
            "excludeCredentials": descriptors(existing),
            "authenticatorSelection": {
                "residentKey": "preferred",
                "requireResidentKey": false,
                "userVerification": "preferred",
            },
            "attestation": "none",
        });
        (options, challenge)
    }

    /// The options to sign in, `PublicKeyCredentialRequestOptionsJSON`, and their challenge: with
    /// one of the allowed keys or, if there are none, with any that the authenticator finds itself.
    pub(in crate::accounts) fn request_options(
        &self,
        allowed: &[Descriptor],
    ) -> (Value, Challenge) {
        let ids = allowed
            .iter()
            .map(|key| key.credential_id.clone())
            .collect();
        let challenge = Challenge::new(Ceremony::Get, ids);
        let options = json!({
            "challenge": challenge.text(),
            "timeout": TIMEOUT_MILLISECONDS,
            "rpId": self.id,
            "allowCredentials": descriptors(allowed),
            "userVerification": "preferred",
        });
        (options, challenge)
    }
}

/// `PublicKeyCredentialDescriptorJSON`. A key whose transports are unknown has no such member.
fn descriptors(keys: &[Descriptor]) -> Vec<Value> {
    let descriptor = |key: &Descriptor| {
        let mut descriptor = json!({"type": "public-key", "id": encode(&key.credential_id)});
        if !key.transports.is_empty() {
            descriptor["transports"] = json!(key.transports);
        }
        descriptor
    };
    keys.iter().map(descriptor).collect()
}

/// Whether a text is a domain as browsers write it: labels of lower-case ASCII, the last of which
/// is no number, as it is in IP addresses.
fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.len() <= 253
        && text.split('.').all(is_label)
        && last.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a text is an origin of pages that may use keys of a domain, written as browsers write
/// it: client data are compared with the text.
fn is_origin(text: &str, rp_id: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let usual_port = match scheme {
        "https" => "443",
        "http" if host == "localhost" => "80",
        _ => return false,
    };
    let is_port = |port: &str| {
        port.parse::<u16>()
            .is_ok_and(|number| number > 0 && number.to_string() == port)
            && port != usual_port
    };
    let is_below = |parent: &str| parent.ends_with('.') && is_domain(host);
    (host == rp_id || host.strip_suffix(rp_id).is_some_and(is_below)) && port.is_none_or(is_port)
}
