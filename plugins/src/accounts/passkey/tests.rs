//! Both ceremonies with an authenticator in software: what a response may not be changed in, and
//! what clients may send in several forms. `oracle` compares verdicts with those of another server.

mod authenticator;
mod data;
mod forms;
mod oracle;

use serde_json::json;

use super::public_key::Algorithm;
use super::*;
use authenticator::{AT, Authenticator, BE, BS, ORIGIN, RP_ID, Response, UP, UV, change};

fn relying_party() -> RelyingParty {
    let origins = [ORIGIN, "http://localhost:3000"].map(str::to_owned);
    RelyingParty::new(RP_ID, "Shop", &origins[..1]).unwrap()
}

/// What registering leads to, after a change of the response.
fn create(edit: impl FnOnce(&mut Response)) -> Result<Registration, PasskeyError> {
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let relying_party = relying_party();
    let (options, challenge) = relying_party.creation_options(Uuid::nil(), "ada", "Ada", &[]);
    let mut response = authenticator.create(&options);
    edit(&mut response);
    relying_party.verify_creation(&challenge, &response.creation())
}

/// The stored key of an authenticator.
fn stored(authenticator: &Authenticator) -> SecurityKey {
    SecurityKey {
        credential_id: authenticator.id.clone(),
        public_key: authenticator.public_key(),
        sign_count: 0,
        transports: vec![],
        aaguid: Uuid::nil(),
        is_backup_eligible: false,
        is_backed_up: false,
    }
}

/// What signing in leads to, after a change of the stored key and of the response, which is signed
/// afterwards.
fn get(edit: impl FnOnce(&mut SecurityKey, &mut Response)) -> Result<Assertion, PasskeyError> {
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let relying_party = relying_party();
    let (options, challenge) = relying_party.request_options(&[]);
    let mut response = authenticator.get(&options);
    let mut key = stored(&authenticator);
    edit(&mut key, &mut response);
    let credential = authenticator.assertion(&response);
    relying_party.verify_assertion(&challenge, &credential, &key)
}

#[test]
fn key_of_each_algorithm_is_registered_and_signs() {
    let relying_party = relying_party();
    for algorithm in Algorithm::ALL {
        let authenticator = Authenticator::new(algorithm, 1);
        let (options, challenge) = relying_party.creation_options(Uuid::nil(), "ada", "Ada", &[]);
        let mut response = authenticator.create(&options);
        response.data.flags |= BE | BS;
        response.data.sign_count = 5;
        let mut credential = response.creation();
        credential["response"]["transports"] = json!(["usb", "internal", "usb", "Wi Fi", "", 1]);
        let registration = relying_party
            .verify_creation(&challenge, &credential)
            .unwrap();
        let key = SecurityKey {
            credential_id: authenticator.id.clone(),
            public_key: authenticator.public_key(),
            sign_count: 5,
            transports: vec!["internal".to_owned(), "usb".to_owned()],
            aaguid: Uuid::from_bytes([7; 16]),
            is_backup_eligible: true,
            is_backed_up: true,
        };
        assert!(registration.is_user_verified);
        assert_eq!(registration.key, key);

        let (options, challenge) = relying_party.request_options(&[key.descriptor()]);
        let mut response = authenticator.get(&options);
        response.data.flags = UP | BE;
        response.data.sign_count = 6;
        let credential = authenticator.assertion(&response);
        let assertion = Assertion {
            is_user_verified: false,
            sign_count: 6,
            is_backup_eligible: true,
            is_backed_up: false,
        };
        let verified = relying_party.verify_assertion(&challenge, &credential, &key);
        assert_eq!(verified, Ok(assertion), "{algorithm:?}");
    }
}

#[test]
fn page_is_one_of_the_settings() {
    for origin in [
        "https://example.com",
        "https://www.app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com:443",
        "https://app.example.com/",
        "https://app.example.com.evil.example",
        "https://APP.example.com",
        "http://app.example.com",
        "http://localhost:3000",
        "null",
        "",
    ] {
        let edit = |response: &mut Response| response.client_data["origin"] = origin.into();
        assert_eq!(create(edit), Err(PasskeyError::Origin), "{origin}");
        assert_eq!(
            get(|_, response| edit(response)),
            Err(PasskeyError::Origin),
            "{origin}"
        );
    }
    let edit = |response: &mut Response| response.client_data["origin"] = json!([ORIGIN]);
    assert_eq!(create(edit), Err(PasskeyError::Origin));
}

#[test]
fn page_is_in_no_frame_of_another_origin() {
    for (member, value) in [
        ("crossOrigin", json!(true)),
        ("crossOrigin", json!("false")),
        ("crossOrigin", json!(0)),
        ("topOrigin", json!("https://app.example.com")),
        ("topOrigin", json!("")),
    ] {
        let edit = |response: &mut Response| response.client_data[member] = value.clone();
        assert_eq!(create(edit), Err(PasskeyError::CrossOrigin), "{value}");
        assert_eq!(
            get(|_, response| edit(response)),
            Err(PasskeyError::CrossOrigin),
            "{value}"
        );
    }
    let edit = |response: &mut Response| {
        response.client_data["crossOrigin"] = Value::Null;
        response.client_data["topOrigin"] = Value::Null;
    };
    assert!(create(edit).is_ok() && get(|_, response| edit(response)).is_ok());
}

#[test]
fn challenge_belongs_to_one_ceremony() {
    let relying_party = relying_party();
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let key = stored(&authenticator);
    let (options, challenge) = relying_party.creation_options(Uuid::nil(), "ada", "Ada", &[]);
    let assertion = authenticator.assertion(&authenticator.get(&options));
    assert_eq!(
        relying_party.verify_assertion(&challenge, &assertion, &key),
        Err(PasskeyError::Ceremony)
    );
    let (options, challenge) = relying_party.request_options(&[]);
    let creation = authenticator.create(&options).creation();
    assert_eq!(
        relying_party.verify_creation(&challenge, &creation),
        Err(PasskeyError::Ceremony)
    );
    for challenge in ["", "AAAA", &"A".repeat(43), &"A".repeat(44)] {
        let edit = |response: &mut Response| response.client_data["challenge"] = challenge.into();
        assert_eq!(create(edit), Err(PasskeyError::Challenge), "{challenge}");
        assert_eq!(
            get(|_, response| edit(response)),
            Err(PasskeyError::Challenge)
        );
    }
}

#[test]
fn client_data_have_the_type_of_the_ceremony() {
    for kind in [
        "webauthn.get",
        "webauthn.create",
        "navigator.id.getAssertion",
        "payment.get",
        "",
    ] {
        let edit = |response: &mut Response| response.client_data["type"] = kind.into();
        if kind != "webauthn.create" {
            assert_eq!(create(edit), Err(PasskeyError::Type), "{kind}");
        }
        if kind != "webauthn.get" {
            assert_eq!(
                get(|_, response| edit(response)),
                Err(PasskeyError::Type),
                "{kind}"
            );
        }
    }
}

#[test]
fn key_is_bound_to_the_domain() {
    for rp_id in ["app.example.com", "example.org", "com", ""] {
        let edit = |response: &mut Response| response.data.rp_id = rp_id;
        assert_eq!(create(edit), Err(PasskeyError::RelyingPartyId), "{rp_id}");
        assert_eq!(
            get(|_, response| edit(response)),
            Err(PasskeyError::RelyingPartyId)
        );
    }
}

#[test]
fn flags_say_that_the_user_is_present_and_backups_fit() {
    for (flags, error) in [
        (0, PasskeyError::UserNotPresent),
        (UV, PasskeyError::UserNotPresent),
        (UV | BE | BS, PasskeyError::UserNotPresent),
        (UP | BS, PasskeyError::Backup),
        (UP | UV | BS, PasskeyError::Backup),
    ] {
        assert_eq!(
            create(|response| response.data.flags = flags | AT),
            Err(error)
        );
        assert_eq!(get(|_, response| response.data.flags = flags), Err(error));
    }
    // Reserved bits mean nothing.
    let flags = UP | 1 << 1 | 1 << 5;
    assert!(
        !create(|response| response.data.flags = flags | AT)
            .unwrap()
            .is_user_verified
    );
    assert!(
        !get(|_, response| response.data.flags = flags)
            .unwrap()
            .is_user_verified
    );
}

#[test]
fn key_may_become_eligible_for_backup_but_not_lose_it() {
    let sign = |stored: bool, flags: u8| {
        get(|key, response| {
            key.is_backup_eligible = stored;
            response.data.flags = UP | flags;
        })
    };
    assert_eq!(sign(true, 0), Err(PasskeyError::BackupEligibility));
    let assertion = sign(false, BE | BS).unwrap();
    assert!(assertion.is_backup_eligible && assertion.is_backed_up);
    assert!(!sign(true, BE).unwrap().is_backed_up);
}

#[test]
fn counter_rises_unless_the_key_may_be_copied() {
    for (stored, sent, device_bound, copied) in [
        (0, 0, true, true),
        (0, 1, true, true),
        (1, 2, true, true),
        (1, u32::MAX, true, true),
        (5, 5, false, true),
        (5, 4, false, true),
        (u32::MAX, 1, false, true),
        // One that does not count any more is taken for a copy as well.
        (5, 0, false, true),
        (1, 0, false, true),
    ] {
        let sign = |is_backup_eligible: bool| {
            let verified = get(|key, response| {
                key.is_backup_eligible = is_backup_eligible;
                key.sign_count = stored;
                response.data.sign_count = sent;
                // The flag of the response does not decide, because a copy sets it as it likes.
                response.data.flags |= BE;
            });
            assert!(
                verified.is_ok_and(|assertion| assertion.sign_count == sent)
                    || verified == Err(PasskeyError::Counter)
            );
            verified.is_ok()
        };
        assert_eq!(sign(false), device_bound, "{stored} {sent}");
        assert_eq!(sign(true), copied, "{stored} {sent}");
    }
}

#[test]
fn each_bit_of_an_assertion_counts() {
    for algorithm in Algorithm::ALL {
        let authenticator = Authenticator::new(algorithm, 1);
        let relying_party = relying_party();
        let (options, challenge) = relying_party.request_options(&[]);
        let credential = authenticator.assertion(&authenticator.get(&options));
        let key = stored(&authenticator);
        let verify =
            |credential: &Value| relying_party.verify_assertion(&challenge, credential, &key);
        assert!(verify(&credential).is_ok());
        for member in ["authenticatorData", "clientDataJSON", "signature"] {
            let mut length = 0;
            change(&credential, member, |bytes| length = bytes.len());
            // A key with RSA takes its time: a bit of each byte has to do.
            let bits = if algorithm == Algorithm::Rs256 { 1 } else { 8 };
            for (index, bit) in (0..length).flat_map(|index| (0..bits).map(move |bit| (index, bit)))
            {
                let changed = change(&credential, member, |bytes| bytes[index] ^= 1 << bit);
                assert!(
                    verify(&changed).is_err(),
                    "{algorithm:?} {member} {index} {bit}"
                );
            }
            for length in 0..length {
                let cut = change(&credential, member, |bytes| bytes.truncate(length));
                assert!(verify(&cut).is_err(), "{algorithm:?} {member} {length}");
            }
            let longer = change(&credential, member, |bytes| bytes.push(0));
            assert!(verify(&longer).is_err(), "{algorithm:?} {member}");
        }
    }
}

#[test]
fn signature_belongs_to_the_stored_key() {
    for other in [
        Authenticator::new(Algorithm::Es256, 2),
        Authenticator::new(Algorithm::EdDsa, 1),
        Authenticator::new(Algorithm::Rs256, 1),
    ] {
        let verified = get(|key, _| key.public_key = other.public_key());
        assert_eq!(verified, Err(PasskeyError::Signature));
    }
    let verified = get(|key, _| key.credential_id = vec![2; 20]);
    assert_eq!(verified, Err(PasskeyError::CredentialId));
    let verified = get(|key, _| key.public_key = vec![]);
    assert_eq!(verified, Err(PasskeyError::PublicKey));
}

#[test]
fn only_keys_that_were_asked_for_sign() {
    let relying_party = relying_party();
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let others =
        [2, 3].map(|seed| stored(&Authenticator::new(Algorithm::Es256, seed)).descriptor());
    let key = stored(&authenticator);
    let (options, challenge) = relying_party.request_options(&others);
    let credential = authenticator.assertion(&authenticator.get(&options));
    let challenge = Challenge::from_state(&challenge.state()).unwrap();
    assert_eq!(
        relying_party.verify_assertion(&challenge, &credential, &key),
        Err(PasskeyError::CredentialId)
    );
}
