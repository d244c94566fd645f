//! Ceremonies of passkeys with keys in software, which can do what browsers refuse to: challenges
//! that come again, forged credentials, counters that fall, keys of other people.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use super::factors::methods;
use super::page::parameter;
use super::service::{PASSWORD, Service, assert_refused, session, text};
use super::software_key::{
    ATTESTED, BACKED_UP, BACKUP_ELIGIBLE, Ceremony, PRESENT, SoftwareKey, VERIFIED,
    authenticator_data, client_data, decode, encode,
};

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

/// The code of all faults of credentials.
const INVALID: &str = "invalid-webauthn-credential";

/// Sends a POST to one of two gateways over the same database.
async fn post_at(service: &Service, gateway: &GatewayHandle, path: &str, body: &Value) -> Reply {
    let url = format!("{}{path}", gateway.url());
    send(service.client.post(url).json(body)).await
}

/// Signs a person up by a passkey, up to the mail.
async fn sign_up_by_key(service: &Service, email: &str, key: &mut SoftwareKey) -> Reply {
    let options = json!({"displayName": "Ada", "locale": "de", "metadata": {"team": 7}});
    let body = json!({"email": email, "options": options});
    let creation = service.options("/v1/signup/webauthn", body).await;
    let body =
        json!({"credential": key.create(&creation), "options": options, "nickname": "phone"});
    service.post("/v1/signup/webauthn/verify", body).await
}

#[tokio::test]
async fn passkey_signs_up_and_in() {
    let service = Service::start().await;
    let mut key = SoftwareKey::new();
    let reply = sign_up_by_key(&service, ADA, &mut key).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!({"session": null})),
        "{}",
        reply.text
    );
    let row = "SELECT json_build_array(email, display_name, locale, metadata, method) FROM people";
    let stored: Value = serde_json::from_str(&service.value(row).await).unwrap();
    assert_eq!(stored, json!([ADA, "Ada", "de", {"team": 7}, "passkey"]));
    // Nobody knows yet whose address it is.
    let reply = service.sign_in_by_key(&mut key).await;
    assert_refused(&reply, 401, "unverified-user");
    let location = service.click(&service.mailbox.next(ADA).await.link()).await;
    assert_eq!(parameter(&location, "type").as_deref(), Some("emailVerify"));

    let reply = service.sign_in_by_key(&mut key).await;
    assert_eq!(reply.json()["mfa"], Value::Null, "{}", reply.text);
    let opened = session(&reply);
    assert_eq!(methods(&opened), json!(["hwk", "user"]));
    assert_eq!(opened["user"]["email"], ADA);
    assert_eq!(opened["user"]["activeMfaType"], Value::Null);
    // By address too, in any spelling, and whatever the second request says.
    for email in [ADA, "ADA@Example.ORG"] {
        let options = service
            .options("/v1/signin/webauthn", json!({"email": email}))
            .await;
        assert_eq!(
            options["allowCredentials"],
            json!([{"type": "public-key", "id": key.id_text(), "transports": ["internal"]}])
        );
        let body = json!({"credential": key.get(&options), "email": "bob@example.org"});
        let reply = service.post("/v1/signin/webauthn/verify", body).await;
        assert_eq!(session(&reply)["user"]["email"], ADA);
    }
    let access = text(&opened, "accessToken");
    let keys = service.get_as(&access, "/v1/user/webauthn").await.json();
    assert_eq!(keys.as_array().unwrap().len(), 1, "{keys}");
    assert_eq!(keys[0]["nickname"], "phone");
    assert_eq!(keys[0]["backedUp"], false);
    assert!(keys[0]["createdAt"].is_string() && keys[0]["lastUsedAt"].is_string());
    // A user that the owner's query finds no more is out.
    service.run("UPDATE people SET is_blocked = true").await;
    let reply = service.sign_in_by_key(&mut key).await;
    assert_refused(&reply, 401, "disabled-user");
}

#[tokio::test]
async fn passkey_opens_a_session_at_once_without_verification_of_addresses() {
    let service = Service::with("accounts.verify = false").await;
    let mut key = SoftwareKey::new();
    let reply = sign_up_by_key(&service, ADA, &mut key).await;
    let opened = session(&reply);
    assert_eq!(methods(&opened), json!(["hwk", "user"]));
    session(&service.sign_in_by_key(&mut key).await);
    let reply = sign_up_by_key(&service, ADA, &mut SoftwareKey::new()).await;
    assert_refused(&reply, 409, "email-already-in-use");
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.security_key")
            .await,
        "1"
    );
}

#[tokio::test]
async fn sign_up_with_a_taken_address_adds_no_key() {
    let service = Service::start().await;
    service.person_with_key(ADA).await;
    let mut key = SoftwareKey::new();
    let creation = |options: &Value| {
        let mut options = options.clone();
        options["challenge"].take();
        options["user"]["id"].take();
        options["user"]["name"].take();
        options["user"]["displayName"].take();
        options
    };
    let of_taken = service
        .options("/v1/signup/webauthn", json!({"email": ADA}))
        .await;
    let of_free = service
        .options("/v1/signup/webauthn", json!({"email": BOB}))
        .await;
    assert_eq!(creation(&of_taken), creation(&of_free));
    let reply = sign_up_by_key(&service, ADA, &mut key).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!({"session": null})),
        "{}",
        reply.text
    );
    // The owner is told.
    service.notice(ADA).await;
    assert!(service.purposes().await.ends_with("account-exists"));
    assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.security_key")
            .await,
        "1"
    );
}

/// Whoever has registered a key could tell by it whether an address is taken.
#[tokio::test]
async fn sign_up_with_a_registered_key_is_refused_for_each_address() {
    let service = Service::start().await;
    let key = service.person_with_key(ADA).await;
    let mut unproved = SoftwareKey::new();
    sign_up_by_key(&service, BOB, &mut unproved).await;
    service.until_mailed().await;
    let state = "SELECT json_build_array((SELECT count(*) FROM people), (SELECT count(*) FROM postern.security_key), \
                 (SELECT count(*) FROM postern.event_queue), (SELECT count(*) FROM postern.account WHERE is_contested))";
    let before = service.value(state).await;
    let mut replies = BTreeSet::new();
    for id in [&key.id, &unproved.id] {
        for email in [ADA, BOB, "free@example.org"] {
            // The id alone is what counts: the pair may be another one.
            let mut again = SoftwareKey::new();
            again.id.clone_from(id);
            let reply = sign_up_by_key(&service, email, &mut again).await;
            assert_refused(&reply, 401, INVALID);
            replies.insert(reply.text);
        }
    }
    assert_eq!(replies.len(), 1, "{replies:?}");
    assert_eq!(service.value(state).await, before);
}

#[tokio::test]
async fn sign_up_by_passkey_obeys_the_settings() {
    let service = Service::with("accounts.signup = false").await;
    let reply = sign_up_refused(&service).await;
    assert_refused(&reply, 403, "signup-disabled");
    let service = Service::with("accounts.methods = [\"password\"]").await;
    for (path, body) in [
        ("/v1/signup/webauthn", json!({"email": ADA})),
        ("/v1/signin/webauthn", json!({})),
    ] {
        let reply = service.post(path, body).await;
        assert_refused(&reply, 409, "disabled-endpoint");
    }
    let service = Service::start().await;
    for (options, code) in [
        (json!({"allowedRoles": ["admin"]}), "role-not-allowed"),
        (json!({"locale": "xx"}), "locale-not-allowed"),
        (
            json!({"redirectTo": "https://evil.example"}),
            "redirectTo-not-allowed",
        ),
        (json!({"displayName": "x".repeat(33)}), "invalid-request"),
    ] {
        let body = json!({"email": ADA, "options": options});
        let reply = service.post("/v1/signup/webauthn", body).await;
        assert_refused(&reply, 400, code);
    }
    let reply = service
        .post("/v1/signup/webauthn", json!({"email": "no address"}))
        .await;
    assert_refused(&reply, 400, "invalid-request");
}

/// The response that refuses a sign-up by passkey, at its first request or its second one.
async fn sign_up_refused(service: &Service) -> Reply {
    let reply = service
        .post("/v1/signup/webauthn", json!({"email": ADA}))
        .await;
    if reply.status != 200 {
        return reply;
    }
    let body = json!({"credential": SoftwareKey::new().create(&reply.json())});
    service.post("/v1/signup/webauthn/verify", body).await
}

#[tokio::test]
async fn options_are_those_of_a_careful_relying_party() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let creation = service.options_as(&access, "/v1/user/webauthn/add").await;
    assert_eq!(creation["rp"]["id"], "localhost");
    assert_eq!(creation["user"]["name"], ADA);
    for (name, default) in [
        ("excludeCredentials", json!([])),
        ("attestation", json!("none")),
    ] {
        let value = &creation[name];
        assert!(value.is_null() || *value == default, "{name}: {creation}");
    }
    let mut challenges = BTreeSet::new();
    for _ in 0..8 {
        for options in [
            service.options_as(&access, "/v1/user/webauthn/add").await,
            service.options("/v1/signin/webauthn", json!({})).await,
        ] {
            let challenge = text(&options, "challenge");
            assert!(decode(&challenge).len() >= 16, "{challenge}");
            challenges.insert(challenge);
        }
    }
    assert_eq!(challenges.len(), 16);
    let stored = service
        .value("SELECT string_agg(user_id || ' ' || handle, ' ') FROM postern.account")
        .await;
    let handle = text(&creation["user"], "id");
    assert!(stored.contains(&handle), "{handle} in {stored}");
    // The handle is not the id of the user, and says nothing of them.
    assert_ne!(handle, service.id(ADA).await);
    let id = service.add_key(&access, ADA, &mut SoftwareKey::new()).await;
    assert_eq!(
        service.value("SELECT id FROM postern.security_key").await,
        id
    );
    let lifetimes = "SELECT string_agg(DISTINCT extract(epoch FROM expires_at - created_at)::int::text, ' ') \
                     FROM postern.ticket WHERE purpose = 'webauthn'";
    assert_eq!(service.value(lifetimes).await, "300");
}

/// `@simplewebauthn/browser` 13 decodes the text of `user.id`, and encodes `userHandle`. The client
/// in hasura-auth-js 2 takes both for text. A key of the one signs in with the other's spelling.
#[tokio::test]
async fn v2_and_v13_share_a_handle() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let options = service.options_as(&access, "/v1/user/webauthn/add").await;
    let handle = text(&options["user"], "id");
    assert_eq!(uuid::Uuid::parse_str(&handle).unwrap().to_string(), handle);
    let bytes = decode(&handle);
    assert_eq!(bytes.len(), 27);
    assert_eq!(encode(&bytes), handle, "both clients return this text");
    let mut key = SoftwareKey::new();
    service.add_key(&access, ADA, &mut key).await;
    assert_eq!(key.handle.as_deref(), Some(&bytes[..]));

    let sign_in = async |handle: Option<String>| {
        let options = service.options("/v1/signin/webauthn", json!({})).await;
        let mut ceremony = SoftwareKey::new().request(&options);
        ceremony.handle = handle;
        service.verify_key(&key.sign(&ceremony)).await
    };
    // The text of a uuid in base64url is what 13 makes of a handle that 2 has stored.
    let alias = encode(handle.as_bytes());
    assert_eq!(alias.len(), 48);
    // Keys of other servers have the user's id, and keep it when they are taken over.
    for text in [handle, alias, service.id(ADA).await] {
        session(&sign_in(Some(text)).await);
    }
    let other = uuid::Uuid::new_v4().to_string();
    for wrong in [
        other.clone(),
        encode(other.as_bytes()),
        "nonsense".to_owned(),
        encode(&bytes[..26]),
    ] {
        let reply = sign_in(Some(wrong.clone())).await;
        assert!(reply.status == 401 || reply.status == 400, "{wrong}");
        assert_eq!(reply.json().get("session"), None, "{wrong}");
    }
    // A key that has no handle is found by its id, where the person was named.
    let options = service
        .options("/v1/signin/webauthn", json!({"email": ADA}))
        .await;
    let mut ceremony = key.request(&options);
    ceremony.handle = None;
    session(&service.verify_key(&key.sign(&ceremony)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn challenge_once_on_two_gateways() {
    let service = Service::start().await;
    let other = service.another("").await;
    let mut key = service.person_with_key(ADA).await;
    let path = "/v1/signin/webauthn/verify";
    // The one gateway makes the challenge, the other one takes it.
    for (maker, taker) in [(&service.gateway, &other), (&other, &service.gateway)] {
        let options = post_at(&service, maker, "/v1/signin/webauthn", &json!({})).await;
        let body = json!({"credential": key.get(&options.json())});
        session(&post_at(&service, taker, path, &body).await);
        for gateway in [maker, taker] {
            let reply = post_at(&service, gateway, path, &body).await;
            assert_refused(&reply, 401, INVALID);
        }
    }
    // Of many at the same time, one signs in.
    let options = service.options("/v1/signin/webauthn", json!({})).await;
    let body = json!({"credential": key.get(&options)});
    let posts = (0..20).map(|number| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &other
        };
        post_at(&service, gateway, path, &body)
    });
    let replies = join_all(posts).await;
    let opened = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(opened, 1, "{replies:?}");
    // A refused credential uses it up as well.
    let options = service.options("/v1/signin/webauthn", json!({})).await;
    let mut forged = key.request(&options);
    forged.origin = "http://localhost:3001".to_owned();
    for credential in [key.sign(&forged), key.get(&options)] {
        let reply = service.verify_key(&credential).await;
        assert_refused(&reply, 401, INVALID);
    }
    // Nothing holds for longer than five minutes.
    let options = service.options("/v1/signin/webauthn", json!({})).await;
    service.expire_tickets().await;
    let reply = service.verify_key(&key.get(&options)).await;
    assert_refused(&reply, 401, INVALID);

    // The same of registrations.
    let access = text(
        &session(&service.sign_in_by_key(&mut key).await),
        "accessToken",
    );
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let options = service.options_as(&elevated, "/v1/user/webauthn/add").await;
    let bodies =
        [0, 1].map(|_| json!({"credential": SoftwareKey::new().create(&options), "nickname": "a"}));
    let adds = bodies.map(|body| service.post_as(&elevated, "/v1/user/webauthn/verify", body));
    let replies = join_all(adds).await;
    let added = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(added, 1, "one ceremony, one key: {replies:?}");
}

/// A challenge works in the ceremony that it was made for.
#[tokio::test]
async fn registration_challenge_opens_nothing() {
    let service = Service::start().await;
    let mut key = service.person_with_key(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let body = json!({"activeMfaType": "webauthn"});
    service.ok_as(&elevated, "/v1/user/mfa", body).await;
    service.notice(ADA).await;

    // The names of the ceremonies that sign, and of those that register.
    let signing = ["sign-in", "second-factor", "elevation"];
    let registering = ["sign-up", "add"];
    let ticket = service.mfa_ticket(ADA).await;
    let begin = async |name: &str| match name {
        "sign-in" => service.options("/v1/signin/webauthn", json!({})).await,
        "second-factor" => {
            service
                .options("/v1/signin/mfa/webauthn", json!({"ticket": ticket}))
                .await
        }
        "elevation" => service.options_as(&elevated, "/v1/elevate/webauthn").await,
        "sign-up" => {
            service
                .options("/v1/signup/webauthn", json!({"email": BOB}))
                .await
        }
        _ => service.options_as(&elevated, "/v1/user/webauthn/add").await,
    };
    let finish = async |name: &str, credential: Value| match name {
        "sign-in" => service.verify_key(&credential).await,
        "second-factor" => {
            let body = json!({"ticket": ticket, "credential": credential});
            service.post("/v1/signin/mfa/webauthn/verify", body).await
        }
        "elevation" => {
            let body = json!({"credential": credential});
            service
                .post_as(&elevated, "/v1/elevate/webauthn/verify", body)
                .await
        }
        "sign-up" => {
            let body = json!({"credential": credential});
            service.post("/v1/signup/webauthn/verify", body).await
        }
        _ => {
            let body = json!({"credential": credential, "nickname": "another"});
            service
                .post_as(&elevated, "/v1/user/webauthn/verify", body)
                .await
        }
    };
    let keys = "SELECT count(*) FROM postern.security_key";
    for begun in signing.into_iter().chain(registering) {
        for finished in signing.into_iter().chain(registering) {
            if begun == finished {
                continue;
            }
            let options = begin(begun).await;
            let is_signing = signing.contains(&finished);
            let credential = if is_signing {
                let mut ceremony = key.request(&json!({"rpId": "localhost", "challenge": "x"}));
                ceremony.challenge = text(&options, "challenge");
                key.sign(&ceremony)
            } else {
                let mut stranger = SoftwareKey::new();
                let options = json!({"rp": {"id": "localhost"}, "challenge": options["challenge"],
                    "user": {"id": options["user"]["id"].as_str().unwrap_or("aaaa")},
                    "pubKeyCredParams": [{"type": "public-key", "alg": -7}]});
                stranger.create(&options)
            };
            let reply = finish(finished, credential).await;
            assert_refused(&reply, 401, INVALID);
            assert_eq!(
                service.value(keys).await,
                "1",
                "{begun} finished as {finished}"
            );
        }
    }
    assert_eq!(service.value("SELECT count(*) FROM people").await, "1");
    // Each of them works where it belongs.
    for name in signing {
        let options = begin(name).await;
        session(&finish(name, key.get(&options)).await);
    }
}

/// A fault of a sign-in with a key, and what makes it.
type Fault = (&'static str, fn(&mut Ceremony));

/// Credentials whose signature is right, and what they sign is not.
const FAULTS: [Fault; 17] = [
    ("another kind", |c| c.kind = "webauthn.create".to_owned()),
    ("an unknown kind", |c| c.kind = "payment.get".to_owned()),
    ("no kind", |c| c.kind = String::new()),
    ("a challenge of nobody", |c| c.challenge = encode(&[7; 32])),
    ("no challenge", |c| c.challenge = String::new()),
    ("a part of the challenge", |c| {
        c.challenge.pop();
    }),
    ("another port", |c| {
        c.origin = "http://localhost:3001".to_owned();
    }),
    ("another scheme", |c| {
        c.origin = "https://localhost:3000".to_owned();
    }),
    ("a subdomain", |c| {
        c.origin = "http://app.localhost:3000".to_owned();
    }),
    ("a longer host", |c| {
        c.origin = "http://localhost:3000.evil.example".to_owned();
    }),
    ("an origin with a path", |c| {
        c.origin = "http://localhost:3000/in".to_owned();
    }),
    ("no origin", |c| c.origin = "null".to_owned()),
    ("another relying party", |c| {
        c.rp_id = "evil.example".to_owned();
    }),
    ("a subdomain as the relying party", |c| {
        c.rp_id = "app.localhost".to_owned();
    }),
    ("nobody present", |c| c.flags = VERIFIED),
    ("a copy of what has none", |c| {
        c.flags = PRESENT | VERIFIED | BACKED_UP;
    }),
    ("a key that is announced and missing", |c| {
        c.flags |= ATTESTED;
    }),
];

/// A change of a credential, by its name.
type Change = (&'static str, fn(&mut Value));

/// Changes of a credential after it was made.
const CHANGES: [Change; 20] = [
    ("a bit of the signature", |c| {
        alter(&mut c["response"]["signature"], |bytes| bytes[10] ^= 1);
    }),
    ("a short signature", |c| {
        alter(&mut c["response"]["signature"], |bytes| bytes.truncate(20));
    }),
    ("no signature", |c| c["response"]["signature"] = "".into()),
    ("a long signature", |c| {
        alter(&mut c["response"]["signature"], |bytes| bytes.push(0));
    }),
    ("a signature of another length", |c| {
        c["response"]["signature"] = encode(&[0; 64]).into();
    }),
    ("other flags than signed", |c| {
        alter(&mut c["response"]["authenticatorData"], |bytes| {
            bytes[32] ^= VERIFIED;
        });
    }),
    ("another counter than signed", |c| {
        alter(&mut c["response"]["authenticatorData"], |bytes| {
            bytes[36] ^= 1;
        });
    }),
    ("short data", |c| {
        alter(&mut c["response"]["authenticatorData"], |bytes| {
            bytes.truncate(36);
        });
    }),
    ("long data", |c| {
        alter(&mut c["response"]["authenticatorData"], |bytes| {
            bytes.push(0);
        });
    }),
    ("no data", |c| {
        c["response"]["authenticatorData"] = "".into();
    }),
    ("client data with a space", |c| {
        alter(&mut c["response"]["clientDataJSON"], |bytes| {
            bytes.push(b' ');
        });
    }),
    ("no client data", |c| {
        c["response"]["clientDataJSON"] = "".into();
    }),
    ("client data that is an array", |c| {
        c["response"]["clientDataJSON"] = encode(b"[]").into();
    }),
    ("client data that is no text", |c| {
        c["response"]["clientDataJSON"] = encode(&[255, 254]).into();
    }),
    ("another id", |c| c["id"] = encode(&[9; 32]).into()),
    ("another raw id", |c| c["rawId"] = encode(&[9; 32]).into()),
    ("an id of nobody", |c| {
        c["id"] = encode(&[9; 32]).into();
        c["rawId"] = encode(&[9; 32]).into();
    }),
    ("no id", |c| {
        c["id"] = "".into();
        c["rawId"] = "".into();
    }),
    ("another type", |c| c["type"] = "password".into()),
    ("no response", |c| {
        c["response"].take();
    }),
];

/// Changes the bytes of a base64url text.
fn alter(text: &mut Value, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = decode(text.as_str().unwrap());
    change(&mut bytes);
    *text = encode(&bytes).into();
}

/// Fails unless a credential was refused, as a wrong one or as none.
#[track_caller]
fn assert_not_taken(reply: &Reply, name: &str) {
    let code = text(&reply.json(), "error");
    let error = (reply.status, code.as_str());
    assert!(
        [(401, INVALID), (400, "invalid-request")].contains(&error),
        "{name}: {}",
        reply.text
    );
}

#[tokio::test]
async fn thirty_forgeries() {
    let service = Service::start().await;
    let mut key = service.person_with_key(ADA).await;
    let mut of_bob = service.person_with_key(BOB).await;
    let sessions = "SELECT count(*) FROM postern.session WHERE 'hwk' = ANY (methods)";
    let ask = async || service.options("/v1/signin/webauthn", json!({})).await;
    for (name, fault) in FAULTS {
        let mut ceremony = key.request(&ask().await);
        fault(&mut ceremony);
        assert_not_taken(&service.verify_key(&key.sign(&ceremony)).await, name);
    }
    for (name, change) in CHANGES {
        let mut credential = key.get(&ask().await);
        change(&mut credential);
        assert_not_taken(&service.verify_key(&credential).await, name);
    }
    // A key of one person with the id or the handle of another one.
    let options = ask().await;
    let ceremony = key.request(&options);
    let mut credential = of_bob.sign(&ceremony);
    credential["id"] = key.id_text().into();
    credential["rawId"] = key.id_text().into();
    assert_refused(&service.verify_key(&credential).await, 401, INVALID);
    let mut ceremony = key.request(&ask().await);
    ceremony.handle = of_bob.handle.as_deref().map(encode);
    let credential = key.sign(&ceremony);
    assert_refused(&service.verify_key(&credential).await, 401, INVALID);
    // Where the person was named, it is a key of theirs.
    let options = service
        .options("/v1/signin/webauthn", json!({"email": ADA}))
        .await;
    let reply = service.verify_key(&of_bob.get(&options)).await;
    if reply.status == 200 {
        assert_eq!(session(&reply)["user"]["email"], BOB, "{}", reply.text);
        service
            .run("DELETE FROM postern.session WHERE 'hwk' = ANY (methods)")
            .await;
    } else {
        assert_refused(&reply, 401, INVALID);
    }
    for body in [
        json!({}),
        json!({"credential": null}),
        json!({"credential": "text"}),
        json!({"credential": {}}),
        json!([]),
    ] {
        let reply = service.post("/v1/signin/webauthn/verify", body).await;
        assert_refused(&reply, 400, "invalid-request");
    }
    assert_eq!(service.value(sessions).await, "0");
    session(&service.sign_in_by_key(&mut key).await);
    session(&service.sign_in_by_key(&mut of_bob).await);
}

#[tokio::test]
async fn forged_registrations_add_no_key() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let add = async |credential: Value| {
        let body = json!({"credential": credential, "nickname": "a key"});
        service
            .post_as(&access, "/v1/user/webauthn/verify", body)
            .await
    };
    for (name, fault) in FAULTS {
        // This one is what registrations have.
        if name.starts_with("a key that is announced") {
            continue;
        }
        let options = service.options_as(&access, "/v1/user/webauthn/add").await;
        let mut key = SoftwareKey::new();
        let mut ceremony = key.creation(&options);
        fault(&mut ceremony);
        if name == "another kind" {
            ceremony.kind = "webauthn.get".to_owned();
        }
        assert_not_taken(&add(key.attest(&ceremony)).await, name);
    }

    let mut key = SoftwareKey::new();
    let options = service.options_as(&access, "/v1/user/webauthn/add").await;
    let ceremony = key.creation(&options);
    let data = authenticator_data(&ceremony, ceremony.flags | ATTESTED);
    let head = |length: u16| {
        let length = length.to_be_bytes();
        [&data[..], &[0; 16], &length, &key.id].concat()
    };
    let public_key = key.public_key();
    let mut off_the_curve = public_key.clone();
    *off_the_curve.last_mut().unwrap() ^= 1;
    // EdDSA, with a key of another kind.
    let mut another_algorithm = public_key.clone();
    another_algorithm[4] = 0x27;
    let faults = [
        ("no key", head(32)),
        (
            "a part of a key",
            [&head(32)[..], &public_key[..40]].concat(),
        ),
        (
            "a point off the curve",
            [&head(32)[..], &off_the_curve].concat(),
        ),
        (
            "another algorithm",
            [&head(32)[..], &another_algorithm].concat(),
        ),
        (
            "more than a key",
            [&head(32)[..], &public_key, &[0]].concat(),
        ),
        (
            "a longer id than there are bytes",
            [&head(60_000)[..], &public_key].concat(),
        ),
        (
            "an id without bytes",
            [&data[..], &[0; 18], &public_key].concat(),
        ),
        ("nothing", vec![]),
    ];
    let attest = async |bytes: &[u8]| {
        let options = service.options_as(&access, "/v1/user/webauthn/add").await;
        let mut ceremony = ceremony.clone();
        ceremony.challenge = text(&options, "challenge");
        add(key.attest_data(bytes, &client_data(&ceremony))).await
    };
    for (name, bytes) in faults {
        assert_not_taken(&attest(&bytes).await, name);
    }
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.security_key")
            .await,
        "0"
    );
    // Without a fault it is one.
    let reply = attest(&[&head(32)[..], &public_key].concat()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
}

/// A counter that does not grow is that of a copy, unless keys of its kind are copied.
#[tokio::test]
async fn counter_device_bound_and_synced() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::new();
    key.counter = 5;
    service.add_key(&access, ADA, &mut key).await;
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let stored = |key: &SoftwareKey| {
        format!(
            "SELECT sign_count FROM postern.security_key WHERE credential_id = decode('{}', 'hex')",
            key.id
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        )
    };
    assert_eq!(service.value(&stored(&key)).await, "6");
    let sign_in = async |key: &SoftwareKey, counter: u32| {
        let options = service.options("/v1/signin/webauthn", json!({})).await;
        let mut ceremony = SoftwareKey::new().request(&options);
        ceremony.counter = counter;
        ceremony.flags = key.flags;
        ceremony.handle = key.handle.as_deref().map(encode);
        service.verify_key(&key.sign(&ceremony)).await
    };
    // Nor is 0 one that no longer counts: section 7.2, step 22.
    let counters = [
        (6, false),
        (7, true),
        (7, false),
        (3, false),
        (0, false),
        (900, true),
        (0, false),
    ];
    for (counter, is_accepted) in counters {
        let reply = sign_in(&key, counter).await;
        if is_accepted {
            session(&reply);
        } else {
            assert_refused(&reply, 401, INVALID);
        }
    }
    assert_eq!(service.value(&stored(&key)).await, "900");

    // Keys that do not count, on one device or on several.
    for mut key in [SoftwareKey::new(), SoftwareKey::synced()] {
        service.add_key(&elevated, ADA, &mut key).await;
        for _ in 0..3 {
            session(&sign_in(&key, 0).await);
        }
    }
    // One that is copied, and counts on each device.
    let mut synced = SoftwareKey::synced();
    synced.counter = 10;
    service.add_key(&elevated, ADA, &mut synced).await;
    for counter in [20, 4, 4, 0, 21] {
        session(&sign_in(&synced, counter).await);
    }
    let keys = service.get_as(&access, "/v1/user/webauthn").await.json();
    let backed_up: Vec<&Value> = keys
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["backedUp"])
        .collect();
    assert_eq!(backed_up.iter().filter(|is| **is == true).count(), 2);
}

/// Sign-ins and elevations with one key lock the account and the key in one order.
#[tokio::test(flavor = "multi_thread")]
async fn key_signs_in_and_elevates_in_parallel() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::synced();
    service.add_key(&access, ADA, &mut key).await;
    let ask = async |number: usize| {
        if number.is_multiple_of(2) {
            service.options("/v1/signin/webauthn", json!({})).await
        } else {
            service.options_as(&access, "/v1/elevate/webauthn").await
        }
    };
    let options = join_all((0..60).map(&ask)).await;
    let bodies: Vec<Value> = options
        .iter()
        .map(|options| json!({"credential": key.get(options)}))
        .collect();
    let posts = bodies.into_iter().enumerate().map(|(number, body)| {
        let path = if number.is_multiple_of(2) {
            "/v1/signin/webauthn/verify"
        } else {
            "/v1/elevate/webauthn/verify"
        };
        service.post_as(&access, path, body)
    });
    for reply in join_all(posts).await {
        session(&reply);
    }
    let log = service.audit(&["elevated"]).await;
    assert_eq!(log.len(), 30, "{log:?}");
}

/// What a backup says may change with each sign-in.
#[tokio::test]
async fn backup_state_follows_the_key() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::new();
    key.flags |= BACKUP_ELIGIBLE;
    service.add_key(&access, ADA, &mut key).await;
    let state = "SELECT concat_ws(' ', backup_eligible, backed_up) FROM postern.security_key";
    assert_eq!(service.value(state).await, "t f");
    key.flags |= BACKED_UP;
    session(&service.sign_in_by_key(&mut key).await);
    assert_eq!(service.value(state).await, "t t");
}

#[tokio::test]
async fn unknown_address_gets_stable_fake_keys() {
    let service = Service::start().await;
    let other = service.another("").await;
    let key = service.person_with_key(ADA).await;
    service.verified(BOB).await;
    service.sign_up("unverified@example.org").await;
    // Its key would tell who has added one that the address was free.
    let mut unproved = SoftwareKey::new();
    sign_up_by_key(&service, "unproved@example.org", &mut unproved).await;
    let options = async |gateway: &GatewayHandle, email: &str| {
        let body = json!({"email": email});
        let reply = post_at(&service, gateway, "/v1/signin/webauthn", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    };
    let real = options(&service.gateway, ADA).await;
    let mut all = BTreeSet::new();
    for email in [
        "unknown@example.org",
        "other@example.org",
        // Who has no key is not told apart either.
        BOB,
        "unverified@example.org",
        "unproved@example.org",
    ] {
        let fake = options(&service.gateway, email).await;
        let names = |options: &Value| {
            let names = options.as_object().unwrap().keys().cloned();
            names.collect::<BTreeSet<String>>()
        };
        assert_eq!(names(&fake), names(&real), "{email}");
        for name in names(&real) {
            if !["challenge", "allowCredentials"].contains(&name.as_str()) {
                assert_eq!(fake[&name], real[&name], "{email}: {name}");
            }
        }
        let keys = fake["allowCredentials"].as_array().unwrap();
        assert!(!keys.is_empty(), "{email}: {fake}");
        for key in keys {
            assert_eq!(
                names(key),
                names(&real["allowCredentials"][0]),
                "{email}: {key}"
            );
            let length = decode(&text(key, "id")).len();
            assert!([16, 20, 32].contains(&length), "{email}: {key}");
            assert!(all.insert(text(key, "id")), "{email}: {key}");
        }
        // The same ones at each request, in each spelling, on each gateway.
        for (gateway, email) in [
            (&service.gateway, email.to_owned()),
            (&other, email.to_owned()),
            (&other, email.to_uppercase()),
        ] {
            let again = options(gateway, &email).await;
            assert_eq!(again["allowCredentials"], fake["allowCredentials"]);
            assert_ne!(again["challenge"], fake["challenge"]);
        }
    }
    assert!(!all.contains(&key.id_text()));
    assert!(!all.contains(&unproved.id_text()));
    // Real ones have several lengths, and so have these.
    let mut lengths = BTreeSet::new();
    for number in 0..40 {
        let email = format!("nobody-{number}@example.org");
        let fake = options(&service.gateway, &email).await;
        lengths.insert(decode(&text(&fake["allowCredentials"][0], "id")).len());
    }
    assert_eq!(lengths, BTreeSet::from([16, 20, 32]));
    // Once the address is proved, its key is listed.
    let link = service.mailbox.next("unproved@example.org").await.link();
    service.click(&link).await;
    let listed = options(&service.gateway, "unproved@example.org").await;
    assert_eq!(listed["allowCredentials"][0]["id"], unproved.id_text());
    // What is made of them opens nothing.
    let fake = options(&service.gateway, "unknown@example.org").await;
    let mut stranger = SoftwareKey::new();
    stranger.id = decode(&text(&fake["allowCredentials"][0], "id"));
    let reply = service.verify_key(&stranger.get(&fake)).await;
    assert_refused(&reply, 401, INVALID);
    let reply = service
        .post("/v1/signin/webauthn", json!({"email": "no address"}))
        .await;
    assert_refused(&reply, 400, "invalid-request");
    // And nobody was created.
    assert_eq!(service.value("SELECT count(*) FROM people").await, "4");
}

#[tokio::test]
async fn keys_are_listed_and_removed() {
    let service = Service::start().await;
    let mut key = service.person_with_key(ADA).await;
    let mut of_bob = service.person_with_key(BOB).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let other = text(&service.session(ADA).await, "refreshToken");
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let options = service.options_as(&elevated, "/v1/user/webauthn/add").await;
    let excluded = options["excludeCredentials"].as_array().unwrap();
    assert_eq!(excluded.len(), 1, "{options}");
    assert_eq!(excluded[0]["id"], key.id_text());
    let mut second = SoftwareKey::new();
    let id = service.add_key(&elevated, ADA, &mut second).await;
    // Adding one ends nothing.
    assert_eq!(service.refresh(&other).await.status, 200);
    let other = text(&service.session(ADA).await, "refreshToken");

    let id_of_bob = service
        .value("SELECT k.id FROM postern.security_key k JOIN people p ON p.id::text = k.user_id WHERE email = 'bob@example.org'")
        .await;
    let remove = async |id: Value| {
        let body = json!({"id": id});
        service
            .post_as(&elevated, "/v1/user/webauthn/remove", body)
            .await
    };
    for unknown in [id_of_bob, uuid::Uuid::new_v4().to_string()] {
        assert_refused(&remove(unknown.into()).await, 400, "no-security-key");
    }
    for malformed in [json!(7), json!(null), json!("x")] {
        let reply = remove(malformed).await;
        assert_eq!(reply.status, 400, "{}", reply.text);
    }
    let reply = remove(id.into()).await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    service.notice(ADA).await;
    assert_refused(&service.sign_in_by_key(&mut second).await, 401, INVALID);
    session(&service.sign_in_by_key(&mut key).await);
    session(&service.sign_in_by_key(&mut of_bob).await);
    // Removing one ends the other sessions, which it may have opened.
    assert_eq!(service.refresh(&other).await.status, 401);
    let keys = service.get_as(&elevated, "/v1/user/webauthn").await.json();
    assert_eq!(keys.as_array().unwrap().len(), 1, "{keys}");
    assert_eq!(send(service.get("/v1/user/webauthn")).await.status, 401);
}

#[tokio::test]
async fn last_way_in_stays() {
    let service = Service::with("accounts.methods = [\"passkey\"]").await;
    let mut key = SoftwareKey::new();
    sign_up_by_key(&service, ADA, &mut key).await;
    service.click(&service.mailbox.next(ADA).await.link()).await;
    let access = text(
        &session(&service.sign_in_by_key(&mut key).await),
        "accessToken",
    );
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let keys = service.get_as(&elevated, "/v1/user/webauthn").await.json();
    let first = json!({"id": keys[0]["id"]});
    let path = "/v1/user/webauthn/remove";
    let reply = service.post_as(&elevated, path, first.clone()).await;
    assert_refused(&reply, 409, "last-way-in");
    let mut second = SoftwareKey::new();
    let second_id = service.add_key(&elevated, ADA, &mut second).await;
    service.ok_as(&elevated, path, first).await;
    service.notice(ADA).await;
    let second_id = json!({"id": second_id});
    let reply = service.post_as(&elevated, path, second_id.clone()).await;
    assert_refused(&reply, 409, "last-way-in");
    session(&service.sign_in_by_key(&mut second).await);
    // A password counts where passwords are taken, and a link does for everybody.
    for methods in [
        "[\"passkey\", \"link\"]",
        "[\"passkey\", \"code\"]",
        "[\"passkey\", \"password\"]",
    ] {
        let changes = format!("accounts.methods = {methods}");
        let service = Service::with(&changes).await;
        let mut key = SoftwareKey::new();
        sign_up_by_key(&service, ADA, &mut key).await;
        service.click(&service.mailbox.next(ADA).await.link()).await;
        let access = text(
            &session(&service.sign_in_by_key(&mut key).await),
            "accessToken",
        );
        let elevated = session(&service.elevate_by_key(&access, &mut key).await);
        let elevated = text(&elevated, "accessToken");
        let keys = service.get_as(&elevated, "/v1/user/webauthn").await.json();
        let body = json!({"id": keys[0]["id"]});
        let reply = service.post_as(&elevated, path, body.clone()).await;
        if methods.contains("password") {
            assert_refused(&reply, 409, "last-way-in");
            let password = json!({"newPassword": PASSWORD});
            service
                .ok_as(&elevated, "/v1/user/password", password)
                .await;
            service.notice(ADA).await;
            let access = text(&service.session(ADA).await, "accessToken");
            let elevated = session(&service.elevate_by_key(&access, &mut key).await);
            let elevated = text(&elevated, "accessToken");
            service.ok_as(&elevated, path, body).await;
        } else {
            assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
        }
    }
}

/// A row that an import writes: hasura-auth keeps the id as base64url, the key as COSE, and a
/// counter.
#[tokio::test]
async fn imported_key_signs_in() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let mut key = SoftwareKey::new();
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let insert = format!(
        "INSERT INTO postern.account (user_id) SELECT id::text FROM people ON CONFLICT DO NOTHING; \
         INSERT INTO postern.security_key (id, user_id, credential_id, public_key, sign_count, transports, aaguid, \
         backup_eligible, backed_up, nickname) \
         SELECT gen_random_uuid(), id::text, decode('{}', 'hex'), decode('{}', 'hex'), 41, '{{usb}}', \
         '00000000-0000-0000-0000-000000000000', false, false, 'imported' FROM people",
        hex(&key.id),
        hex(&key.public_key())
    );
    service.run(&insert).await;
    let handle = service.value("SELECT handle FROM postern.account").await;
    key.handle = Some(decode(&handle));
    key.counter = 41;
    session(&service.sign_in_by_key(&mut key).await);
    key.counter = 3;
    assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
}

#[tokio::test]
async fn person_has_at_most_twenty_keys() {
    let service = Service::with("accounts.elevation = \"disabled\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    for _ in 0..20 {
        service.add_key(&access, ADA, &mut SoftwareKey::new()).await;
    }
    let reply = service.post_nothing(&access, "/v1/user/webauthn/add").await;
    if reply.status == 200 {
        let credential = SoftwareKey::new().create(&reply.json());
        let body = json!({"credential": credential, "nickname": "one more"});
        let reply = service
            .post_as(&access, "/v1/user/webauthn/verify", body)
            .await;
        assert_refused(&reply, 400, "too-many-security-keys");
    } else {
        assert_refused(&reply, 400, "too-many-security-keys");
    }
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.security_key")
            .await,
        "20"
    );
}
