//! The forms of JSON that browsers and their libraries read and send, and the settings.

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::credential::encode;
use super::super::public_key::Algorithm;
use super::super::user_handle::handle_of;
use super::super::{
    Challenge, Descriptor, PasskeyError, RelyingParty, challenge_of, credential_id_of, has_handle,
};
use super::authenticator::Authenticator;
use super::{relying_party, stored};

const HANDLE: &str = "6e0e6e2e-7b5c-4c50-9c0a-111111111111";

fn handle() -> Uuid {
    HANDLE.parse().unwrap()
}

fn with_handle(handle: impl Into<Value>) -> Value {
    json!({"response": {"userHandle": handle.into()}})
}

#[test]
fn creation_options_are_those_of_the_specification() {
    let existing = [
        Descriptor {
            credential_id: vec![1, 2, 255],
            transports: vec!["internal".to_owned(), "hybrid".to_owned()],
        },
        Descriptor {
            credential_id: vec![3],
            transports: vec![],
        },
    ];
    let (options, challenge) =
        relying_party().creation_options(handle(), "ada@example.com", "Ada", &existing);
    let expected = json!({
        "rp": {"id": "example.com", "name": "Shop"},
        "user": {"id": HANDLE, "name": "ada@example.com", "displayName": "Ada"},
        "challenge": encode(challenge.bytes()),
        "pubKeyCredParams": [
            {"type": "public-key", "alg": -7},
            {"type": "public-key", "alg": -8},
            {"type": "public-key", "alg": -257},
        ],
        "timeout": 300_000,
        "excludeCredentials": [
            {"type": "public-key", "id": "AQL_", "transports": ["internal", "hybrid"]},
            {"type": "public-key", "id": "Aw"},
        ],
        "authenticatorSelection": {
            "residentKey": "preferred",
            "requireResidentKey": false,
            "userVerification": "preferred",
        },
        "attestation": "none",
    });
    assert_eq!(options, expected);
}

#[test]
fn request_options_are_those_of_the_specification() {
    let (options, challenge) = relying_party().request_options(&[]);
    let expected = json!({
        "challenge": challenge.text(),
        "timeout": 300_000,
        "rpId": "example.com",
        "allowCredentials": [],
        "userVerification": "preferred",
    });
    assert_eq!(options, expected);
    let (other, _) = relying_party().request_options(&[]);
    assert_ne!(options["challenge"], other["challenge"]);
}

#[test]
fn challenge_survives_the_database() {
    let allowed = Descriptor {
        credential_id: vec![1; 1023],
        transports: vec![],
    };
    let (_, challenge) = relying_party().request_options(&[allowed]);
    assert_eq!(
        Challenge::from_state(&challenge.state()),
        Some(challenge.clone())
    );
    let state = challenge.state();
    for (member, value) in [
        ("challenge", json!("AAAA")),
        ("challenge", json!("A".repeat(44))),
        ("challenge", json!(null)),
        ("ceremony", json!("sign")),
        ("ceremony", json!(null)),
        ("allowed", json!(["ä"])),
        ("allowed", json!(null)),
    ] {
        let mut state = state.clone();
        state[member] = value;
        assert_eq!(Challenge::from_state(&state), None, "{state}");
    }
    for state in [json!(null), json!({}), json!("x"), json!([])] {
        assert_eq!(Challenge::from_state(&state), None, "{state}");
    }
}

/// What the clients of `user_handle` send. The texts with replaced bytes are those of `TextDecoder`
/// in Node.
#[test]
fn both_kinds_of_clients_name_the_user() {
    let lossy = "\u{fffd}\u{fffd}\u{1e}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}s\u{fffd}\u{1c}\
                 \u{fffd}O\u{fffd}sF\u{fffd}\u{fffd}]u\u{fffd}]u\u{fffd}]u";
    let alias = encode(HANDLE.as_bytes());
    assert_eq!((HANDLE.len(), alias.len()), (36, 48));
    for (sent, uuid) in [
        (HANDLE, Some(handle())),
        (&alias, Some(handle())),
        (lossy, None),
    ] {
        assert_eq!(handle_of(&with_handle(sent)), uuid, "{sent}");
        assert_eq!(
            has_handle(&with_handle(sent), handle()),
            Some(true),
            "{sent}"
        );
        assert_eq!(
            has_handle(&with_handle(sent), Uuid::nil()),
            Some(false),
            "{sent}"
        );
    }
    for sent in [
        &HANDLE.to_uppercase(),
        &HANDLE.replace('-', ""),
        &format!("{{{HANDLE}}}"),
        &format!("urn:uuid:{HANDLE}"),
        &format!("{HANDLE} "),
        &encode(alias.as_bytes()),
        "6e0e6e2e-7b5c-4c50-9c0a-11111111111ä",
        "x",
    ] {
        assert_eq!(handle_of(&with_handle(sent)), None, "{sent}");
        assert_eq!(
            has_handle(&with_handle(sent), handle()),
            Some(false),
            "{sent}"
        );
    }
    for absent in [
        json!({}),
        json!(null),
        with_handle(""),
        with_handle(Value::Null),
    ] {
        assert_eq!(handle_of(&absent), None);
        assert_eq!(has_handle(&absent, handle()), None, "{absent}");
    }
    assert_eq!(has_handle(&with_handle(1), handle()), Some(false));
}

#[test]
fn optional_and_unknown_members_do_not_matter() {
    let relying_party = relying_party();
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let (options, challenge) = relying_party.creation_options(handle(), "ada", "Ada", &[]);
    let mut credential = authenticator.create(&options).creation();
    credential["clientExtensionResults"] = json!({"credProps": {"rk": true}, "x": [1]});
    credential["authenticatorAttachment"] = json!("platform");
    credential["later"] = json!({"a": 1});
    credential["response"]["publicKey"] = json!("AAAA");
    credential["response"]["publicKeyAlgorithm"] = json!(-257);
    credential["response"]["authenticatorData"] = json!("AAAA");
    credential["response"]["transports"] = json!("usb");
    assert!(
        relying_party
            .verify_creation(&challenge, &credential)
            .is_ok()
    );
    assert_eq!(
        challenge_of(&credential).as_deref(),
        Some(challenge.bytes())
    );
    assert_eq!(credential_id_of(&credential), Some(authenticator.id));
}

#[test]
fn members_that_are_needed_are_bounded_texts() {
    let relying_party = relying_party();
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let key = stored(&authenticator);
    let (options, challenge) = relying_party.request_options(&[]);
    let good = authenticator.assertion(&authenticator.get(&options));
    let long = "A".repeat(100_000);
    for value in [
        Value::Null,
        json!(""),
        json!(1),
        json!([]),
        json!({}),
        json!("a"),
        json!("AA=="),
        json!("+/+/"),
        json!(" AAA"),
        json!("AB"),
        json!(long),
    ] {
        for member in ["clientDataJSON", "authenticatorData", "signature"] {
            let mut credential = good.clone();
            credential["response"][member] = value.clone();
            assert_eq!(
                relying_party.verify_assertion(&challenge, &credential, &key),
                Err(PasskeyError::Member(member))
            );
        }
        let mut credential = good.clone();
        credential["rawId"] = value.clone();
        credential["id"] = value.clone();
        assert_eq!(
            relying_party.verify_assertion(&challenge, &credential, &key),
            Err(PasskeyError::Member("rawId"))
        );
        assert_eq!(credential_id_of(&credential), None);
        assert_eq!(challenge_of(&credential), None);
        for (member, error) in [("id", "id"), ("type", "type")] {
            let mut credential = good.clone();
            credential[member] = value.clone();
            assert_eq!(
                relying_party.verify_assertion(&challenge, &credential, &key),
                Err(PasskeyError::Member(error))
            );
        }
        let mut credential = good.clone();
        credential["response"] = value.clone();
        assert!(
            relying_party
                .verify_assertion(&challenge, &credential, &key)
                .is_err()
        );
        assert!(
            relying_party
                .verify_assertion(&challenge, &value, &key)
                .is_err()
        );
        assert!(relying_party.verify_creation(&challenge, &value).is_err());
    }
}

#[test]
fn client_data_are_one_object() {
    let relying_party = relying_party();
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let (options, challenge) = relying_party.creation_options(handle(), "ada", "Ada", &[]);
    let good = authenticator.create(&options);
    let text = good.client_data.to_string();
    let create = |client_data: &[u8]| {
        let mut credential = good.creation();
        credential["response"]["clientDataJSON"] = encode(client_data).into();
        relying_party
            .verify_creation(&challenge, &credential)
            .map(|_| ())
    };
    assert_eq!(create(text.as_bytes()), Ok(()));
    // "UTF-8 decode" of the specification takes a byte order mark away and replaces wrong bytes.
    assert_eq!(create(format!("\u{feff}{text}").as_bytes()), Ok(()));
    let wrong_bytes = [text.trim_end_matches('}').as_bytes(), b",\"a\":\"\xff\"}"].concat();
    assert_eq!(create(&wrong_bytes), Ok(()));
    let list = json!([
        "webauthn.create",
        challenge.text(),
        "https://app.example.com"
    ]);
    for text in [
        "{",
        "[]",
        "null",
        "1",
        "\"a\"",
        &list.to_string(),
        &format!("{text}{text}"),
        &format!("{text} x"),
        &"[".repeat(5000),
        &"{\"a\":".repeat(1000),
    ] {
        assert_eq!(
            create(text.as_bytes()),
            Err(PasskeyError::ClientData),
            "{text}"
        );
    }
    assert_eq!(create(b"{}"), Err(PasskeyError::Type));
}

#[test]
fn settings_name_a_domain_and_its_pages() {
    let new = |rp_id: &str, origin: &str| {
        RelyingParty::new(rp_id, "Shop", &[origin.to_owned()]).map(|_| ())
    };
    for (rp_id, origin) in [
        ("example.com", "https://example.com"),
        ("example.com", "https://app.example.com"),
        ("example.com", "https://a.b-c.example.com:8443"),
        ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("localhost", "http://localhost"),
        ("localhost", "http://localhost:3000"),
        ("localhost", "https://localhost:3000"),
    ] {
        assert_eq!(new(rp_id, origin), Ok(()), "{rp_id} {origin}");
    }
    for rp_id in [
        "",
        "com",
        "Example.com",
        "example.com.",
        ".example.com",
        "example..com",
        "https://example.com",
        "example.com:443",
        "example.com/",
        "127.0.0.1",
        "[::1]",
        "b\u{fc}cher.example",
        "-a.example",
        &format!("{}.example", "a".repeat(64)),
        &format!("{}example", "a.".repeat(130)),
    ] {
        let error = new(rp_id, &format!("https://{rp_id}")).unwrap_err();
        assert!(error.contains("is no domain"), "{error}");
    }
    for origin in [
        "",
        "example.com",
        "http://example.com",
        "https://example.com/",
        "https://example.com/app",
        "https://example.com:443",
        "https://example.com:0",
        "https://example.com:080",
        "https://example.com:+80",
        "https://example.com:70000",
        "https://example.com:",
        "https://App.example.com",
        "https://app.example.com.",
        "https://evilexample.com",
        "https://.example.com",
        "https://*.example.com",
        "https://user@example.com",
        "https://example.org",
        "https://example.com.evil.example",
        "http://localhost",
        "android:apk-key-hash:x",
        "null",
    ] {
        let error = new("example.com", origin).unwrap_err();
        assert!(error.contains("is no origin of `example.com`"), "{error}");
    }
    assert!(new("localhost", "http://localhost:80").is_err());
    assert!(new("localhost", "http://app.localhost").is_err());
    assert!(RelyingParty::new("example.com", "Shop", &[]).is_err());
}
