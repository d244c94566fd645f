//! A passkey or security key in software: it takes the options that a browser gets, and returns the
//! credentials that `@simplewebauthn/browser` makes of what the browser returns. Every part of a
//! ceremony can be altered before it is signed.
//! <https://www.w3.org/TR/webauthn-3/>

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The origin of the pages that use keys.
pub(super) const ORIGIN: &str = "http://localhost:3000";

/// The relying party of the keys.
pub(super) const RP_ID: &str = "localhost";

/// Bits of the flags of authenticator data.
pub(super) const PRESENT: u8 = 0x01;
pub(super) const VERIFIED: u8 = 0x04;
pub(super) const BACKUP_ELIGIBLE: u8 = 0x08;
pub(super) const BACKED_UP: u8 = 0x10;
pub(super) const ATTESTED: u8 = 0x40;

/// A key pair, and what an authenticator keeps beside it.
pub(super) struct SoftwareKey {
    pair: KeyPair,
    pub(super) id: Vec<u8>,
    /// The bytes of `user.id`; none for a key that cannot be found without its id.
    pub(super) handle: Option<Vec<u8>>,
    pub(super) flags: u8,
    /// How often it has signed; it stays 0 where it is not counted.
    pub(super) counter: u32,
}

/// What a key signs, and what else is in a credential.
#[derive(Clone, Debug)]
pub(super) struct Ceremony {
    pub(super) kind: String,
    pub(super) challenge: String,
    pub(super) origin: String,
    pub(super) rp_id: String,
    pub(super) flags: u8,
    pub(super) counter: u32,
    /// The text of `userHandle`.
    pub(super) handle: Option<String>,
}

impl SoftwareKey {
    /// A passkey that stays on its device and verifies the person.
    pub(super) fn new() -> SoftwareKey {
        let id = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        SoftwareKey {
            pair: KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap(),
            id: id.map(uuid::Uuid::into_bytes).concat(),
            handle: None,
            flags: PRESENT | VERIFIED,
            counter: 0,
        }
    }

    /// A key that does not verify the person.
    pub(super) fn unverified() -> SoftwareKey {
        SoftwareKey {
            flags: PRESENT,
            ..SoftwareKey::new()
        }
    }

    /// A passkey that is copied to other devices.
    pub(super) fn synced() -> SoftwareKey {
        SoftwareKey {
            flags: PRESENT | VERIFIED | BACKUP_ELIGIBLE | BACKED_UP,
            ..SoftwareKey::new()
        }
    }

    /// The text of its id.
    pub(super) fn id_text(&self) -> String {
        encode(&self.id)
    }

    /// A registration with creation options, as a browser makes it.
    #[track_caller]
    pub(super) fn create(&mut self, options: &Value) -> Value {
        let ceremony = self.creation(options);
        self.attest(&ceremony)
    }

    /// What a browser lets the key attest. The key takes the user handle of the options.
    #[track_caller]
    pub(super) fn creation(&mut self, options: &Value) -> Ceremony {
        let handle = options["user"]["id"].as_str();
        let handle = handle.unwrap_or_else(|| panic!("no `user.id` in {options}"));
        self.handle = Some(decode(handle));
        assert_eq!(options["rp"]["id"], RP_ID, "{options}");
        let algorithms = options["pubKeyCredParams"].as_array().unwrap();
        let es256 = json!({"type": "public-key", "alg": -7});
        assert!(algorithms.contains(&es256), "{options}");
        self.ceremony("webauthn.create", options)
    }

    /// An assertion with request options, as a browser makes it.
    #[track_caller]
    pub(super) fn get(&mut self, options: &Value) -> Value {
        let ceremony = self.request(options);
        self.sign(&ceremony)
    }

    /// What a browser lets the key sign. The key counts it.
    #[track_caller]
    pub(super) fn request(&mut self, options: &Value) -> Ceremony {
        assert_eq!(options["rpId"], RP_ID, "{options}");
        if self.counter > 0 {
            self.counter += 1;
        }
        self.ceremony("webauthn.get", options)
    }

    #[track_caller]
    fn ceremony(&self, kind: &str, options: &Value) -> Ceremony {
        let challenge = options["challenge"].as_str();
        Ceremony {
            kind: kind.to_owned(),
            challenge: challenge
                .unwrap_or_else(|| panic!("no challenge in {options}"))
                .to_owned(),
            origin: ORIGIN.to_owned(),
            rp_id: RP_ID.to_owned(),
            flags: self.flags,
            counter: self.counter,
            handle: self.handle.as_deref().map(encode),
        }
    }

    /// The credential of an assertion.
    pub(super) fn sign(&self, ceremony: &Ceremony) -> Value {
        let data = authenticator_data(ceremony, ceremony.flags);
        self.sign_parts(&data, &client_data(ceremony), ceremony.handle.as_deref())
    }

    /// The credential of an assertion over these bytes.
    pub(super) fn sign_parts(
        &self,
        data: &[u8],
        client_data: &[u8],
        handle: Option<&str>,
    ) -> Value {
        let message = [data, &Sha256::digest(client_data)].concat();
        let mut response = json!({
            "authenticatorData": encode(data),
            "clientDataJSON": encode(client_data),
            "signature": encode(&self.pair.sign(&message).unwrap()),
        });
        if let Some(handle) = handle {
            response["userHandle"] = handle.into();
        }
        self.credential(&response)
    }

    /// The credential of a registration.
    pub(super) fn attest(&self, ceremony: &Ceremony) -> Value {
        let mut data = authenticator_data(ceremony, ceremony.flags | ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.public_key());
        self.attest_data(&data, &client_data(ceremony))
    }

    /// The credential of a registration with these bytes, without a statement of attestation.
    pub(super) fn attest_data(&self, data: &[u8], client_data: &[u8]) -> Value {
        // The map {"fmt": "none", "attStmt": {}, "authData": h'…'} in CBOR.
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData".to_vec();
        match u8::try_from(data.len()) {
            Ok(length) => object.extend([0x58, length]),
            Err(_) => {
                object.push(0x59);
                object.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
            }
        }
        object.extend(data);
        self.credential(&json!({
            "attestationObject": encode(&object),
            "clientDataJSON": encode(client_data),
            "transports": ["internal"],
            "publicKeyAlgorithm": -7,
            "publicKey": encode(&self.pair.subject_public_key_info()),
            "authenticatorData": encode(data),
        }))
    }

    fn credential(&self, response: &Value) -> Value {
        json!({
            "id": self.id_text(),
            "rawId": self.id_text(),
            "response": response,
            "type": "public-key",
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
        })
    }

    /// Its public key as COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
    pub(super) fn public_key(&self) -> Vec<u8> {
        // The bytes after the first one, which says that the point is not compressed.
        let point = &self.pair.public_key_raw()[1..];
        let (x, y) = point.split_at(32);
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32];
        [&head, x, &[0x22, 0x58, 32], y].concat()
    }
}

/// Authenticator data without attested credential data.
pub(super) fn authenticator_data(ceremony: &Ceremony, flags: u8) -> Vec<u8> {
    let mut data = Sha256::digest(&ceremony.rp_id).to_vec();
    data.push(flags);
    data.extend(ceremony.counter.to_be_bytes());
    data
}

/// The JSON that a browser makes of a ceremony.
pub(super) fn client_data(ceremony: &Ceremony) -> Vec<u8> {
    let client_data = json!({
        "type": ceremony.kind,
        "challenge": ceremony.challenge,
        "origin": ceremony.origin,
        "crossOrigin": false,
    });
    client_data.to_string().into_bytes()
}

/// Bytes as base64url without padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a base64url text without padding.
#[track_caller]
pub(super) fn decode(text: &str) -> Vec<u8> {
    let bytes = URL_SAFE_NO_PAD.decode(text);
    bytes.unwrap_or_else(|error| panic!("`{text}`: {error}"))
}
