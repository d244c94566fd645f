//! An authenticator in software, with the browser around it. A test changes a response before it is
//! signed, so that nothing but the change is wrong, or after.

use ciborium::Value as Cbor;
use p256::ecdsa::signature::{SignatureEncoding, Signer};
use rsa::{BigUint, RsaPrivateKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::credential::{decode, encode};
use super::super::public_key::Algorithm;

/// The domain of the responses.
pub(super) const RP_ID: &str = "example.com";

/// The origin of the page.
pub(super) const ORIGIN: &str = "https://app.example.com";

/// Flags of authenticator data.
pub(super) const UP: u8 = 1;
pub(super) const UV: u8 = 1 << 2;
pub(super) const BE: u8 = 1 << 3;
pub(super) const BS: u8 = 1 << 4;
pub(super) const AT: u8 = 1 << 6;
pub(super) const ED: u8 = 1 << 7;

/// The primes of an RSA key that was made for these tests.
const PRIMES: [&str; 2] = [
    "e1da219783eaa9509e8d45cbb1428fce09c81c3012836b9c315cb207ebd76870435e04f472c1839835d67a68\
     e8d59c323b47bef800b36722f9d6c8a56979838bb1d7fefbdc0e0ca91b0064bbb0eb0499d038538cb67643c6\
     ddc9ca245873128de22377fa5f66e11eb48392434ebc8ae3d0bdf1898f91a2718ca1bff65a0eb7fb",
    "dd45cdfd1a8b99612c05c4b9313f5606ca67c97ecf1f716bfdafb6749df3ae53f9a94bf4f695ce45c1c19288\
     3c5a79fc7c29115745b273609950e7b4407539780bbaa7327474ae63324e2d65c288a137ed4c356468a85003\
     b4a5dcc4b84403227a7803c424ab95e2856f3e7d61955690c2e2aa95dfec99b6ae505d152aa11475",
];

enum PrivateKey {
    Es256(p256::ecdsa::SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
    Rs256(Box<rsa::pkcs1v15::SigningKey<Sha256>>),
}

/// An authenticator with one key.
pub(super) struct Authenticator {
    pub(super) id: Vec<u8>,
    key: PrivateKey,
}

/// A response whose parts a test may change.
#[derive(Clone)]
pub(super) struct Response {
    pub(super) id: Vec<u8>,
    pub(super) client_data: Value,
    pub(super) data: Data,
    pub(super) format: &'static str,
    pub(super) statement: Cbor,
}

/// The parts of authenticator data.
#[derive(Clone)]
pub(super) struct Data {
    pub(super) rp_id: &'static str,
    pub(super) flags: u8,
    pub(super) sign_count: u32,
    /// The id of the new key, with its length.
    pub(super) id: Vec<u8>,
    /// The new key, as a `COSE_Key`.
    pub(super) key: Vec<u8>,
    /// Extensions, and what may follow.
    pub(super) rest: Vec<u8>,
}

impl Authenticator {
    /// The authenticator whose key is made of a number.
    pub(super) fn new(algorithm: Algorithm, seed: u8) -> Authenticator {
        let key = match algorithm {
            Algorithm::Es256 => {
                PrivateKey::Es256(p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap())
            }
            Algorithm::EdDsa => {
                PrivateKey::Ed25519(ed25519_dalek::SigningKey::from_bytes(&[seed; 32]))
            }
            Algorithm::Rs256 => {
                let prime = |text: &str| BigUint::parse_bytes(text.as_bytes(), 16);
                let [first, second] = PRIMES.map(|text| prime(text).unwrap());
                let key = RsaPrivateKey::from_p_q(first, second, 65_537_u32.into()).unwrap();
                PrivateKey::Rs256(Box::new(rsa::pkcs1v15::SigningKey::new(key)))
            }
        };
        Authenticator {
            id: vec![seed; 20],
            key,
        }
    }

    /// The public key, as a `COSE_Key`.
    pub(super) fn public_key(&self) -> Vec<u8> {
        let bytes = |bytes: &[u8]| Cbor::Bytes(bytes.to_vec());
        match &self.key {
            PrivateKey::Es256(key) => {
                let point = key.verifying_key().to_encoded_point(false);
                let (x, y) = (point.x().unwrap(), point.y().unwrap());
                cose(vec![
                    (1, 2.into()),
                    (3, (-7).into()),
                    (-1, 1.into()),
                    (-2, bytes(x)),
                    (-3, bytes(y)),
                ])
            }
            PrivateKey::Ed25519(key) => cose(vec![
                (1, 1.into()),
                (3, (-8).into()),
                (-1, 6.into()),
                (-2, bytes(key.verifying_key().as_bytes())),
            ]),
            PrivateKey::Rs256(key) => {
                use rsa::traits::PublicKeyParts;
                let key: &RsaPrivateKey = key.as_ref().as_ref();
                cose(vec![
                    (1, 3.into()),
                    (3, (-257).into()),
                    (-1, bytes(&key.n().to_bytes_be())),
                    (-2, bytes(&key.e().to_bytes_be())),
                ])
            }
        }
    }

    /// Makes a key.
    pub(super) fn create(&self, options: &Value) -> Response {
        let length = u16::try_from(self.id.len()).unwrap();
        let id = [length.to_be_bytes().as_slice(), &self.id].concat();
        let mut response = self.response("webauthn.create", options);
        response.data.flags |= AT;
        response.data.id = id;
        response.data.key = self.public_key();
        response
    }

    /// Is asked for a signature, which `assertion` makes.
    pub(super) fn get(&self, options: &Value) -> Response {
        self.response("webauthn.get", options)
    }

    fn response(&self, kind: &str, options: &Value) -> Response {
        let client_data = json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": ORIGIN,
            "crossOrigin": false,
            "other_keys_can_be_added_here": "do not compare clientDataJSON against a template",
        });
        let data = Data {
            rp_id: RP_ID,
            flags: UP | UV,
            sign_count: 0,
            id: vec![],
            key: vec![],
            rest: vec![],
        };
        Response {
            id: self.id.clone(),
            client_data,
            data,
            format: "none",
            statement: Cbor::Map(vec![]),
        }
    }

    /// Signs the response and sends it as a browser does.
    pub(super) fn assertion(&self, response: &Response) -> Value {
        let client_data = response.client_data.to_string();
        let data = response.data.bytes();
        let message = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        json!({
            "id": encode(&response.id),
            "rawId": encode(&response.id),
            "type": "public-key",
            "response": {
                "clientDataJSON": encode(client_data.as_bytes()),
                "authenticatorData": encode(&data),
                "signature": encode(&self.sign(&message)),
            },
        })
    }

    /// A signature in the form of WebAuthn.
    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        match &self.key {
            PrivateKey::Es256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(message);
                signature.to_der().as_bytes().to_vec()
            }
            PrivateKey::Ed25519(key) => key.sign(message).to_vec(),
            PrivateKey::Rs256(key) => key.sign(message).to_vec(),
        }
    }
}

impl Response {
    /// The response as a browser sends that of a new key.
    pub(super) fn creation(&self) -> Value {
        let object = cbor(&Cbor::Map(vec![
            ("fmt".into(), self.format.into()),
            ("attStmt".into(), self.statement.clone()),
            ("authData".into(), Cbor::Bytes(self.data.bytes())),
        ]));
        json!({
            "id": encode(&self.id),
            "rawId": encode(&self.id),
            "type": "public-key",
            "response": {
                "clientDataJSON": encode(self.client_data.to_string().as_bytes()),
                "attestationObject": encode(&object),
            },
        })
    }
}

impl Data {
    /// The bytes that are signed.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let aaguid: &[u8] = if self.flags & AT == 0 { &[] } else { &[7; 16] };
        [
            &Sha256::digest(self.rp_id)[..],
            &[self.flags],
            &self.sign_count.to_be_bytes(),
            aaguid,
            &self.id,
            &self.key,
            &self.rest,
        ]
        .concat()
    }
}

/// The bytes of an item.
pub(super) fn cbor(item: &Cbor) -> Vec<u8> {
    let mut bytes = vec![];
    ciborium::into_writer(item, &mut bytes).unwrap();
    bytes
}

/// A map whose keys are numbers.
pub(super) fn cose(parameters: Vec<(i64, Cbor)>) -> Vec<u8> {
    let entries = parameters
        .into_iter()
        .map(|(label, value)| (label.into(), value));
    cbor(&Cbor::Map(entries.collect()))
}

/// Changes the bytes of a member of a response.
pub(super) fn change(credential: &Value, member: &str, edit: impl FnOnce(&mut Vec<u8>)) -> Value {
    let mut changed = credential.clone();
    let text = changed["response"][member].as_str().unwrap();
    let mut bytes = decode(text, usize::MAX).unwrap();
    edit(&mut bytes);
    changed["response"][member] = encode(&bytes).into();
    changed
}
