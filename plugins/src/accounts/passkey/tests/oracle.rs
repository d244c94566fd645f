//! Compares verdicts with those of SimpleWebAuthn's server on changed ceremonies, which a script
//! makes and Node runs. `MUTATIONS="20000 2"` compares more of them, from another seed.

use std::collections::BTreeMap;
use std::env;
use std::process::Command;

use ciborium::Value as Cbor;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::credential::{decode, encode};
use super::super::{Challenge, PasskeyError, SecurityKey, has_handle};
use super::relying_party;

/// The folder of the script.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/passkeys");

/// How many cases the script makes, and the seed of its changes.
const MUTATIONS: &str = "500 1";

/// A line of the script.
#[derive(Deserialize)]
struct Case {
    mutation: String,
    kind: String,
    challenge: String,
    credential: Value,
    key: Option<Key>,
    verdict: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    credential_id: String,
    public_key: String,
    sign_count: u32,
    is_backup_eligible: bool,
}

fn cases() -> Vec<Case> {
    let mutations = env::var("MUTATIONS").unwrap_or(MUTATIONS.to_owned());
    let output = Command::new("node")
        .arg("mutations.mjs")
        .args(mutations.split(' '))
        .current_dir(FOLDER)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What the module says, in the form of the script's verdicts.
fn verify(case: &Case) -> Result<Value, PasskeyError> {
    let state = json!({"challenge": case.challenge, "ceremony": case.kind, "allowed": []});
    let challenge = Challenge::from_state(&state).unwrap();
    let Some(key) = &case.key else {
        let registration = relying_party().verify_creation(&challenge, &case.credential)?;
        let key = registration.key;
        return Ok(json!({
            "verified": true,
            "credentialId": encode(&key.credential_id),
            "publicKey": encode(&key.public_key),
            "aaguid": key.aaguid.to_string(),
            "signCount": key.sign_count,
            "isUserVerified": registration.is_user_verified,
            "isBackupEligible": key.is_backup_eligible,
            "isBackedUp": key.is_backed_up,
        }));
    };
    let key = SecurityKey {
        credential_id: bytes(&key.credential_id),
        public_key: bytes(&key.public_key),
        sign_count: key.sign_count,
        transports: vec![],
        aaguid: Uuid::nil(),
        is_backup_eligible: key.is_backup_eligible,
        is_backed_up: false,
    };
    let assertion = relying_party().verify_assertion(&challenge, &case.credential, &key)?;
    Ok(json!({
        "verified": true,
        "signCount": assertion.sign_count,
        "isUserVerified": assertion.is_user_verified,
        "isBackupEligible": assertion.is_backup_eligible,
        "isBackedUp": assertion.is_backed_up,
    }))
}

fn bytes(text: &str) -> Vec<u8> {
    decode(text, usize::MAX).unwrap()
}

/// Why the verdicts on a case differ; `None` if there is no known reason.
fn difference(case: &Case, verdict: &Result<Value, PasskeyError>) -> Option<&'static str> {
    match (verdict, &case.key) {
        (Err(error), None) => refused_creation(*error),
        (Err(error), Some(_)) => refused_assertion(case, *error),
        (Ok(_), None) => accepted_creation(case),
        (Ok(_), Some(key)) => accepted_assertion(case, key),
    }
}

/// Why a new key is refused here that SimpleWebAuthn accepts.
fn refused_creation(error: PasskeyError) -> Option<&'static str> {
    match error {
        PasskeyError::CrossOrigin => {
            Some("refused: they look at frames of other origins only at sign-in")
        }
        PasskeyError::CredentialId => {
            Some("refused: they do not compare the id with that of the authenticator data")
        }
        PasskeyError::AttestationObject | PasskeyError::AuthenticatorData => Some(
            "refused: they take CBOR that ends early or goes on, and extensions that are no map",
        ),
        PasskeyError::PublicKey => Some("refused: they read a key only when it has signed"),
        PasskeyError::Member(_) => Some("refused: they take padded and foreign characters"),
        _ => None,
    }
}

/// Why a signature is refused here that SimpleWebAuthn accepts.
fn refused_assertion(case: &Case, error: PasskeyError) -> Option<&'static str> {
    match error {
        PasskeyError::CrossOrigin => {
            Some("refused: they take frames of other origins if `topOrigin` is empty or missing")
        }
        PasskeyError::CredentialId => {
            Some("refused: they do not compare the id with the stored one")
        }
        PasskeyError::AuthenticatorData => Some(
            "refused: they take CBOR that ends early or goes on, and extensions that are no map",
        ),
        PasskeyError::PublicKey | PasskeyError::Algorithm => {
            Some("refused: they do not compare the algorithm of a stored key with its type")
        }
        PasskeyError::BackupEligibility => {
            Some("refused: they do not compare the eligibility for backup with the stored one")
        }
        PasskeyError::Signature => {
            let signature = bytes(case.credential["response"]["signature"].as_str()?);
            let end = 2 + usize::from(*signature.get(1)?);
            let goes_on = signature.len() > end;
            goes_on.then_some("refused: they take bytes after the DER of a signature")
        }
        PasskeyError::Member(_) => Some("refused: they take padded and foreign characters"),
        _ => None,
    }
}

/// Why a new key is accepted here that SimpleWebAuthn refuses.
fn accepted_creation(case: &Case) -> Option<&'static str> {
    if has_statement(&case.credential) {
        return Some("accepted: attestation statements are not asked for and not verified");
    }
    accepted(case)
}

/// Why a signature is accepted here that SimpleWebAuthn refuses.
fn accepted_assertion(case: &Case, key: &Key) -> Option<&'static str> {
    let error = case.verdict["error"].as_str()?;
    if error == "Credential response userHandle was not a string" {
        let is_refused = has_handle(&case.credential, Uuid::nil()) == Some(false);
        return is_refused.then_some("accepted: the caller compares the user handle, `has_handle`");
    }
    if error.starts_with("Response counter value") && key.is_backup_eligible {
        return Some("accepted: the counter of a key that may be copied does not matter");
    }
    accepted(case)
}

/// What both ceremonies accept that SimpleWebAuthn refuses.
fn accepted(case: &Case) -> Option<&'static str> {
    let error = case.verdict["error"].as_str()?;
    if error.to_ascii_lowercase().contains("tokenbinding") {
        return Some("accepted: Level 3 has no token binding");
    }
    let has_extensions = case.mutation.starts_with("extensions");
    if has_extensions && error == "Length not supported or not well formed" {
        return Some("accepted: extensions of indefinite length, which are ignored");
    }
    None
}

/// Whether an attestation object has another format than "none", or a statement.
fn has_statement(credential: &Value) -> bool {
    let object = bytes(
        credential["response"]["attestationObject"]
            .as_str()
            .unwrap(),
    );
    let object: Cbor = ciborium::from_reader(object.as_slice()).unwrap();
    let entries = object.into_map().unwrap();
    let value = |name: &str| entries.iter().find(|(key, _)| key.as_text() == Some(name));
    let format = value("fmt").and_then(|(_, format)| format.as_text());
    let statement = value("attStmt").and_then(|(_, statement)| statement.as_map());
    format != Some("none") || statement.is_none_or(|entries| !entries.is_empty())
}

#[test]
fn verdicts_equal_simplewebauthn_on_500_mutations() {
    let mut differences = BTreeMap::new();
    let mut unknown = vec![];
    let (mut accepted, mut refused) = (0, 0);
    for case in cases() {
        let verdict = verify(&case);
        match &verdict {
            Ok(verified) if *verified == case.verdict => accepted += 1,
            Err(_) if case.verdict["verified"] == false => refused += 1,
            verdict => match difference(&case, verdict) {
                Some(reason) => *differences.entry(reason).or_insert(0) += 1,
                None => unknown.push(format!(
                    "{} {}: {verdict:?}, not {}\n{} {:?}",
                    case.kind,
                    case.mutation,
                    case.verdict,
                    case.credential,
                    case.key.map(|key| key.public_key),
                )),
            },
        }
    }
    println!("{accepted} accepted and {refused} refused by both; {differences:#?}");
    unknown.truncate(5);
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(accepted > 80 && refused > 250, "{accepted} {refused}");
}
