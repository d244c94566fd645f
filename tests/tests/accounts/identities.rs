//! Whose account a person gets who signs in with another provider: the one of the identity, or of
//! an address that is proved on both sides.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::browser::Browser;
use super::factors::mfa;
use super::linking::link_provider;
use super::page::{Form, SERVER_URL, parameter};
use super::provider::{IN, Provider, assert_failed};
use super::service::{PASSWORD, Service, assert_invalid_ticket, assert_refused, session, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const OTHER: &str = "another password";

/// The claims of the faulty provider's user, in place of the usual ones.
async fn claim(provider: &Provider, claims: Value) {
    provider.behave(json!({"claims": claims})).await;
}

/// Signs in with a provider in a browser of its own, and returns where that leads.
async fn sign_in(service: &Service, provider: &str) -> String {
    Browser::new(service).sign_in(provider, &Value::Null).await
}

/// What is no proof of an address.
fn unproven() -> [Value; 7] {
    [
        json!(false),
        Value::Null,
        json!("false"),
        json!("yes"),
        json!(1),
        json!([true]),
        json!({"email": true}),
    ]
}

/// Signs in with each claim that proves nothing, by an address that is somebody's and one that is
/// nobody's. Each gets the same response, no identity and no session.
async fn assert_links_nothing(service: &Service, provider: &Provider) {
    let before = service.count("postern.session").await;
    for is_verified in unproven() {
        let mut descriptions = BTreeSet::new();
        for email in [ADA, BOB, "ADA@Example.org", "new@example.org"] {
            let claims = json!({"email": email, "email_verified": is_verified});
            claim(provider, claims.clone()).await;
            let location = sign_in(service, "google").await;
            assert_failed(&location, "unverified-user");
            descriptions.insert(location);
            assert_eq!(service.identities().await.len(), 0, "{claims}");
        }
        assert_eq!(descriptions.len(), 1, "{descriptions:?}");
    }
    assert_eq!(service.count("postern.session").await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn unverified_or_missing_claim_never_links() {
    let provider = Provider::faulty().await;
    let google = provider.settings("google");
    let without_link = "accounts.methods = [\"password\", \"code\"]\n";
    let service = Service::with(&format!("{without_link}{google}")).await;
    service.verified(ADA).await;
    // An account whose address nobody has proved, too.
    service.sign_up(BOB).await;
    let before = service.people_and_sessions().await;
    let mails = service.purposes().await;
    assert_links_nothing(&service, &provider).await;
    assert_eq!(service.people_and_sessions().await, before);
    assert_eq!(service.purposes().await, mails, "no mail has a link");
    service.session(ADA).await;

    // Without verification it is the same, and of a provider that is not trusted, whatever it says.
    let unverified = format!("accounts.verify = false\n{without_link}{google}");
    let service = service.restarted_with(&unverified).await;
    assert_links_nothing(&service, &provider).await;
    let untrusted = format!("{unverified}accounts.provider.google.trust_email = false");
    let service = service.restarted_with(&untrusted).await;
    for email in [ADA, BOB, "new@example.org"] {
        claim(&provider, json!({"email": email})).await;
        assert_failed(&sign_in(&service, "google").await, "unverified-user");
    }
    assert_eq!(service.count("people").await, 2);
    assert_eq!(service.count("postern.external_identity").await, 0);
}

/// The owner of the address gets a link to sign in, and then links the provider, if it was they.
#[tokio::test(flavor = "multi_thread")]
async fn address_that_is_not_proved_gets_a_link() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    for email in [ADA, "new@example.org"] {
        let claims = json!({"sub": email, "email": email, "email_verified": false});
        claim(&provider, claims).await;
        let browser = Browser::new(&service);
        let callback = browser
            .come_back("google", &[("redirectTo", IN)], &Value::Null)
            .await;
        let location = browser.land(&callback).await;
        assert_failed(&location, "unverified-user");
        let link = service.mailbox.next(email).await.link();
        let location = service.click(&link).await;
        assert!(location.starts_with(IN), "{location}");
        assert_eq!(
            parameter(&location, "type").as_deref(),
            Some("signinPasswordless"),
            "{location}"
        );
        let token = parameter(&location, "refreshToken").unwrap();
        let opened = service.refresh(&token).await.json();
        assert_eq!(opened["user"]["email"], email);
        // The link has linked nothing: it was the address that it proved.
        assert_failed(&sign_in(&service, "google").await, "unverified-user");
        service.mailbox.next(email).await;
        link_provider(&service, &text(&opened, "accessToken"), "google").await;
        let session = service.landed(&sign_in(&service, "google").await).await;
        assert_eq!(session["user"]["id"], opened["user"]["id"]);
    }
    // The password of who had proved the address before stays.
    service.session(ADA).await;
    // Where nobody may sign up, the mail of somebody new is not sent.
    let changes = format!("accounts.signup = false\n{}", provider.settings("google"));
    let service = Service::with(&changes).await;
    claim(&provider, json!({"email_verified": false})).await;
    assert_failed(&sign_in(&service, "google").await, "unverified-user");
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 0);
    assert_eq!(service.count("people").await, 0);
}

/// Who has an account with an address of somebody else, links an identity to it and waits until its
/// owner comes, gets nothing.
#[tokio::test(flavor = "multi_thread")]
async fn identity_from_before_the_proof_ends_when_another_way_proves_the_address() {
    let evil = Provider::faulty().await;
    let honest = Provider::faulty().await;
    let changes = format!(
        "accounts.verify = false\n{}{}",
        evil.settings("workos"),
        honest.settings("google")
    );
    let nameless = json!({"sub": "eve", "email": null, "email_verified": null});
    for way in ["link", "code", "google"] {
        let service = Service::with(&changes).await;
        let stolen = session(&service.sign_up_with(ADA, OTHER, json!({})).await);
        claim(&evil, nameless.clone()).await;
        link_provider(&service, &text(&stolen, "accessToken"), "workos").await;
        service.notice(ADA).await;
        let of_eve = service.landed(&sign_in(&service, "workos").await).await;
        match way {
            "link" => {
                service.click(&service.link(ADA).await).await;
            }
            "code" => {
                let code = service.code(ADA).await;
                session(&service.enter(ADA, &code).await);
            }
            _ => {
                claim(&honest, json!({"sub": "ada"})).await;
                service.landed(&sign_in(&service, "google").await).await;
            }
        }
        let location = sign_in(&service, "workos").await;
        assert_eq!(parameter(&location, "refreshToken"), None, "{way}");
        let linked = "SELECT count(*) FROM postern.external_identity WHERE subject = 'eve'";
        assert_eq!(service.value(linked).await, "0", "{way}");
        for session in [&stolen, &of_eve] {
            let refresh = service.refresh(&text(session, "refreshToken")).await;
            assert_eq!(refresh.status, 401, "{way}: {}", refresh.text);
        }
        assert_eq!(service.count("people").await, 1, "{way}");
    }
}

/// A person whom the provider knows is known, whatever address SQL has given to the user.
#[tokio::test(flavor = "multi_thread")]
async fn known_identity_signs_in_without_a_proved_address() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let first = service.landed(&sign_in(&service, "google").await).await;
    service
        .run(&format!("UPDATE people SET email = '{BOB}'"))
        .await;
    for is_verified in [true, false] {
        claim(&provider, json!({"email_verified": is_verified})).await;
        let session = service.landed(&sign_in(&service, "google").await).await;
        assert_eq!(
            json!([
                session["user"]["id"],
                session["user"]["email"],
                session["user"]["emailVerified"]
            ]),
            json!([first["user"]["id"], BOB, false])
        );
    }
    // Neither is the address proved by it, nor that of the provider given to the user again.
    let verified = "SELECT count(*) FROM postern.verified_email WHERE email <> 'ada@example.org'";
    assert_eq!(service.value(verified).await, "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn proved_address_on_both_sides_links() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    let opened = service.session(ADA).await;
    let id = service.id(ADA).await;
    // The case of an address does not matter.
    claim(&provider, json!({"email": "Ada@Example.ORG"})).await;
    let linked = service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(linked["user"]["id"], json!(id));
    assert_eq!(linked["user"]["email"], ADA);
    // What was proved before stays.
    service.session(ADA).await;
    let refresh = service.refresh(&text(&opened, "refreshToken")).await;
    assert_eq!(refresh.status, 200, "{}", refresh.text);
    let audit = service.audit(&["identity-linked"]).await;
    assert_eq!(audit, ["identity-linked success oidc:google"]);
    assert_eq!(service.count("people").await, 1);

    // The same address of another person there belongs to the same user: it is proved, too.
    claim(&provider, json!({"sub": "2"})).await;
    let second = service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(second["user"]["id"], json!(id));
    // Another address of a person who is known is no proof of anything here.
    service.verified(BOB).await;
    claim(&provider, json!({"sub": "2", "email": BOB})).await;
    let second = service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(second["user"]["id"], json!(id));
    assert_eq!(second["user"]["email"], ADA);
}

#[tokio::test(flavor = "multi_thread")]
async fn unproven_local_account_loses_its_password() {
    let provider = Provider::faulty().await;
    let changes = format!("{}accounts.verify = false", provider.settings("google"));
    let service = Service::with(&changes).await;
    // Somebody signs up with Ada's address, and prepares all that lasts.
    let reply = service.sign_up_with(ADA, OTHER, json!({})).await;
    let stolen = session(&reply);
    let access = text(&stolen, "accessToken");
    let id = service.id(ADA).await;
    let mut key = SoftwareKey::new();
    service.add_key(&access, ADA, &mut key).await;
    let elevated = text(
        &session(&service.elevate_by_key(&access, &mut key).await),
        "accessToken",
    );
    let token = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    let token = service.post_as(&elevated, "/v1/pat", token).await;
    let token = text(&token.json(), "personalAccessToken");
    let body = json!({"email": ADA});
    service.ok("/v1/user/password/reset", body).await;
    let reset = service.mailbox.next(ADA).await.link();
    let change = json!({"newEmail": "eve@example.org"});
    service
        .ok_as(&elevated, "/v1/user/email/change", change)
        .await;
    let change = service.mailbox.next("eve@example.org").await.link();

    let opened = service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(opened["user"]["id"], json!(id));
    assert_eq!(opened["user"]["emailVerified"], true);
    assert_refused(
        &service.sign_in_with(ADA, OTHER).await,
        401,
        "invalid-email-password",
    );
    let by_key = service.sign_in_by_key(&mut key).await;
    assert_refused(&by_key, 401, "invalid-webauthn-credential");
    let refresh = service.refresh(&text(&stolen, "refreshToken")).await;
    assert_eq!(refresh.status, 401, "{}", refresh.text);
    let by_token = service
        .post("/v1/signin/pat", json!({"personalAccessToken": token}))
        .await;
    assert_eq!(by_token.status, 401, "{}", by_token.text);
    for link in [&reset, &change] {
        assert_invalid_ticket(&service.click(link).await);
    }
    let link = service
        .post_as(&access, "/v1/link/provider/google", json!({}))
        .await;
    assert!(matches!(link.status, 401 | 403), "{}", link.text);
    for table in ["postern.password", "postern.security_key"] {
        assert_eq!(service.count(table).await, 0, "{table}");
    }
    assert_eq!(service.identities().await, ["google 1 ada@example.org"]);
    // It is Ada's now: a second sign-in ends nothing.
    service.landed(&sign_in(&service, "google").await).await;
    let refresh = service.refresh(&text(&opened, "refreshToken")).await;
    assert_eq!(refresh.status, 200, "{}", refresh.text);
}

/// An address alone changes nothing of an account with a second factor, whether the address is
/// proved or SQL has changed it since. The person signs in with both factors, and links in the
/// session.
#[tokio::test(flavor = "multi_thread")]
async fn address_links_nothing_to_who_has_a_second_factor() {
    for email in [ADA, BOB] {
        let provider = Provider::faulty().await;
        let service = Service::with(&provider.settings("google")).await;
        let person = service.person_with_totp(email).await;
        service
            .run(&format!("UPDATE people SET email = '{ADA}'"))
            .await;
        let verified = "SELECT string_agg(email, ' ') FROM postern.verified_email";
        let before = service.people_and_sessions().await;
        let browser = Browser::new(&service);
        let callback = browser.come_back("google", &[], &Value::Null).await;
        let page = browser.finish(&callback).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert_eq!(service.people_and_sessions().await, before);
        let form = Form::read_at(&callback.url, &page.text);
        assert_eq!(form.action, format!("{SERVER_URL}/v1/verify"));
        let code = service.unused_code(&person.app).await;
        let reply = service.press(&form.with("otp", &code)).await;
        let opened = service.landed(reply.header("location")).await;
        assert_eq!(opened["user"]["activeMfaType"], "totp");
        assert_eq!(service.identities().await, Vec::<String>::new());
        assert_eq!(service.value(verified).await, email);
        let access = text(&opened, "accessToken");
        let code = service.unused_code(&person.app).await;
        let elevated = session(&service.elevate(&access, &code).await);
        link_provider(&service, &text(&elevated, "accessToken"), "google").await;
        assert_eq!(service.identities().await, ["google 1 ada@example.org"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn person_without_an_address_is_nobody() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    for email in [
        Value::Null,
        json!(""),
        json!("ada"),
        json!("a@b@c"),
        json!("ada\0@example.org"),
        json!(7),
    ] {
        claim(&provider, json!({"email": email})).await;
        let location = sign_in(&service, "google").await;
        assert_failed(&location, "oauth-profile-fetch-failed");
    }
    assert_eq!(service.count("people").await, 0);
    // A person who is known needs none.
    claim(&provider, json!({})).await;
    let first = service.landed(&sign_in(&service, "google").await).await;
    claim(&provider, json!({"email": null, "email_verified": null})).await;
    let second = service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(first["user"]["id"], second["user"]["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_up_that_is_refused_leaves_nothing() {
    let provider = Provider::faulty().await;
    let create = "accounts.create = \"INSERT INTO people (email, method) SELECT $1, $5 \
                  WHERE $1 LIKE '%@example.org' RETURNING id\"\n";
    let service = Service::with(&format!("{create}{}", provider.settings("google"))).await;
    let before = service.people_and_sessions().await;
    claim(&provider, json!({"email": "ada@elsewhere.example"})).await;
    assert_failed(&sign_in(&service, "google").await, "signup-disabled");
    assert_eq!(service.people_and_sessions().await, before);
    assert_eq!(service.count("postern.event_queue").await, 0);

    let changes = format!("accounts.signup = false\n{}", provider.settings("google"));
    let service = service.restarted_with(&changes).await;
    claim(&provider, json!({})).await;
    assert_failed(&sign_in(&service, "google").await, "signup-disabled");
    // Who is there already signs in.
    service
        .run(&format!("INSERT INTO people (email) VALUES ('{ADA}')"))
        .await;
    service.landed(&sign_in(&service, "google").await).await;
    assert_eq!(service.count("people").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn blocked_user_is_out() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    // One who is known by the identity, and one by the address.
    service.landed(&sign_in(&service, "google").await).await;
    service.verified(BOB).await;
    service.run("UPDATE people SET is_blocked = true").await;
    assert_failed(&sign_in(&service, "google").await, "disabled-user");
    claim(&provider, json!({"sub": "2", "email": BOB})).await;
    assert_failed(&sign_in(&service, "google").await, "disabled-user");
    let identities = service.identities().await;
    assert_eq!(identities, ["google 1 ada@example.org"]);
    // The owner of the table has deleted the row: nobody else gets the identity's account.
    service.run("DELETE FROM people").await;
    claim(&provider, json!({})).await;
    let location = sign_in(&service, "google").await;
    assert_eq!(parameter(&location, "refreshToken"), None, "{location}");
}

#[tokio::test(flavor = "multi_thread")]
async fn issuers_keep_their_subjects_apart() {
    let first = Provider::faulty().await;
    let second = Provider::faulty().await;
    let changes = format!("{}{}", first.settings("google"), second.settings("workos"));
    let service = Service::with(&changes).await;
    service.landed(&sign_in(&service, "google").await).await;
    claim(&second, json!({"email": BOB})).await;
    let other = service.landed(&sign_in(&service, "workos").await).await;
    assert_eq!(other["user"]["email"], BOB);
    assert_eq!(service.count("people").await, 2);
    // The name of a provider is not part of it: the same issuer under another name knows its
    // people.
    let changes = format!("{}{}", first.settings("gitlab"), second.settings("workos"));
    let service = service.restarted_with(&changes).await;
    let session = service.landed(&sign_in(&service, "gitlab").await).await;
    assert_eq!(session["user"]["email"], ADA);
    assert_eq!(service.count("people").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn github_primary_verified_address() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.github_settings()).await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let address = |email: &str, is_primary: bool, is_verified: bool| json!({"email": email, "primary": is_primary, "verified": is_verified, "visibility": null});
    // The first one of the list, and the one on the profile, are not the primary one.
    let behaviour = json!({"user": {"email": BOB}, "emails": [
        address(BOB, false, false), address("third@example.org", false, true), address(ADA, true, true)]});
    provider.behave(behaviour).await;
    let session = service.landed(&sign_in(&service, "github").await).await;
    assert_eq!(session["user"]["id"], json!(service.id(ADA).await));

    // A primary address that is not verified links nothing, whatever the profile says.
    let before = service.identities().await;
    for emails in [
        json!([address(BOB, true, false)]),
        json!([
            address(BOB, true, false),
            address("x@example.org", false, false)
        ]),
        json!([{"email": BOB, "primary": true}]),
        json!([{"email": BOB, "primary": true, "verified": "true"}]),
        json!([{"email": BOB, "verified": true, "primary": false}, address(ADA, true, false)]),
    ] {
        let user = json!({"id": 8, "email": BOB});
        provider
            .behave(json!({"user": user, "emails": emails}))
            .await;
        let location = sign_in(&service, "github").await;
        assert_eq!(parameter(&location, "refreshToken"), None, "{emails}");
        assert_eq!(service.identities().await, before, "{emails}");
    }
    for emails in [json!([]), json!([{"primary": true, "verified": true}])] {
        let user = json!({"id": 8, "email": BOB});
        provider
            .behave(json!({"user": user, "emails": emails}))
            .await;
        let location = sign_in(&service, "github").await;
        assert_failed(&location, "oauth-profile-fetch-failed");
    }
    // The number is the person; the login may be somebody else's tomorrow.
    let emails = json!([address("carol@example.org", true, true)]);
    let behaviour = json!({"user": {"id": 7, "login": "renamed"}, "emails": emails});
    provider.behave(behaviour).await;
    let session = service.landed(&sign_in(&service, "github").await).await;
    assert_eq!(session["user"]["email"], ADA);
    let behaviour = json!({"user": {"id": 9, "login": "ada"}, "emails": emails});
    provider.behave(behaviour).await;
    let session = service.landed(&sign_in(&service, "github").await).await;
    assert_eq!(session["user"]["email"], "carol@example.org");
    for id in [Value::Null, json!("7"), json!(7.5), json!({"id": 7})] {
        let behaviour = json!({"user": {"id": id}, "emails": emails});
        provider.behave(behaviour).await;
        let location = sign_in(&service, "github").await;
        assert_failed(&location, "oauth-profile-fetch-failed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn password_of_a_linked_person_asks_for_the_second_factor() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let person = service.person_with_totp(ADA).await;
    let browser = Browser::new(&service);
    for _ in 0..2 {
        // Whether the identity is known or not.
        let callback = browser.come_back("google", &[], &Value::Null).await;
        let page = browser.finish(&callback).await;
        let form = Form::read_at(&callback.url, &page.text);
        let code = service.unused_code(&person.app).await;
        let reply = service.press(&form.with("otp", &code)).await;
        service.landed(reply.header("location")).await;
    }
    mfa(&service.sign_in_with(ADA, PASSWORD).await);
}
