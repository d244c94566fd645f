//! People without an address, who may get one later and stay who they are; and the other paths of
//! Nhost's clients: sign-ups without a password, and the check that the service is there.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::service::send;

use super::page::parameter;
use super::service::{
    CLIENT_URL, PASSWORD, Service, assert_invalid_ticket, assert_refused, session, text,
};

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const ANONYMOUS: &str = "accounts.anonymous = true\n";
const SIGN_IN: &str = "/v1/signin/anonymous";
const DEANONYMIZE: &str = "/v1/user/deanonymize";

/// The session of a new anonymous user.
async fn anonymous(service: &Service) -> Value {
    session(&service.post(SIGN_IN, json!({})).await)
}

/// Gives an anonymous user a password, and an address that is to be proved.
async fn deanonymize(service: &Service, token: &str, email: &str) {
    let body = json!({"signInMethod": "email-password", "email": email, "password": PASSWORD});
    service.ok_as(token, DEANONYMIZE, body).await;
}

/// The user that the gateway knows for an access token.
async fn user(service: &Service, token: &str) -> Value {
    let reply = service.get_as(token, "/v1/user").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// The session that the redirect of a link hands over.
async fn handed_over(service: &Service, location: &str) -> Value {
    let token = parameter(location, "refreshToken");
    let token = token.unwrap_or_else(|| panic!("no token in {location}"));
    let reply = service.refresh(&token).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

#[tokio::test]
async fn anonymous_keeps_its_id() {
    let service = Service::with(ANONYMOUS).await;
    let body = json!({"displayName": "Guest", "locale": "de", "metadata": {"basket": 7}});
    let reply = service.post(SIGN_IN, body).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let opened = session(&reply);
    let user_of = &opened["user"];
    assert_eq!(
        json!([
            user_of["isAnonymous"],
            user_of["email"],
            user_of["displayName"],
            user_of["locale"],
            user_of["emailVerified"]
        ]),
        json!([true, null, "Guest", "de", false])
    );
    let id = text(user_of, "id");
    let row = "SELECT json_build_array(id, email, metadata, method) FROM people";
    let row: Value = serde_json::from_str(&service.value(row).await).unwrap();
    assert_eq!(row, json!([id, null, {"basket": 7}, "anonymous"]));
    let next = service.refresh(&text(&opened, "refreshToken")).await.json();
    assert_eq!(next["user"]["isAnonymous"], true);
    let token = text(&next, "accessToken");
    assert_eq!(user(&service, &token).await, next["user"]);
    let audit = service.audit(&["sign-up", "sign-in"]).await;
    assert!(
        audit.iter().any(|row| row.ends_with("success anonymous")),
        "{audit:?}"
    );

    let body = json!({"signInMethod": "email-password", "email": ADA, "password": PASSWORD,
        "options": {"redirectTo": "https://app.example.com/in/"}});
    service.ok_as(&token, DEANONYMIZE, body).await;
    // Nobody has proved the address yet.
    assert_eq!(user(&service, &token).await["isAnonymous"], true);
    assert_eq!(user(&service, &token).await["email"], Value::Null);
    let reply = service.sign_in_with(ADA, PASSWORD).await;
    assert_eq!(reply.status, 401, "{}", reply.text);
    let link = service.mailbox.next(ADA).await.link();
    let location = service.click(&link).await;
    assert!(
        location.starts_with("https://app.example.com/in/"),
        "{location}"
    );
    let kind = parameter(&location, "type");
    assert_eq!(kind.as_deref(), Some("emailConfirmChange"));
    let proved = handed_over(&service, &location).await;
    assert_eq!(
        json!([
            proved["user"]["id"],
            proved["user"]["email"],
            proved["user"]["isAnonymous"],
            proved["user"]["emailVerified"],
            proved["user"]["displayName"]
        ]),
        json!([id, ADA, false, true, "Guest"])
    );
    let by_password = service.session(ADA).await;
    assert_eq!(by_password["user"]["id"], json!(id));
    assert_eq!(by_password["user"]["isAnonymous"], false);
    assert_eq!(service.count("people").await, 1);
    assert_invalid_ticket(&service.click(&link).await);
    let token = text(&by_password, "accessToken");
    let body = json!({"signInMethod": "passwordless", "email": BOB});
    let reply = service.post_as(&token, DEANONYMIZE, body).await;
    assert_refused(&reply, 400, "user-not-anonymous");
}

#[tokio::test]
async fn anonymous_user_gets_an_address_by_a_link() {
    let service = Service::with(ANONYMOUS).await;
    let opened = anonymous(&service).await;
    let token = text(&opened, "accessToken");
    // The former client names the way, too.
    let body = json!({"signInMethod": "passwordless", "connection": "email", "email": ADA});
    service.ok_as(&token, DEANONYMIZE, body).await;
    let location = service.click(&service.mailbox.next(ADA).await.link()).await;
    assert!(
        location.starts_with(&format!("{CLIENT_URL}/?")),
        "{location}"
    );
    assert_eq!(
        parameter(&location, "type").as_deref(),
        Some("emailConfirmChange")
    );
    let proved = handed_over(&service, &location).await;
    assert_eq!(proved["user"]["id"], opened["user"]["id"]);
    assert_eq!(proved["user"]["isAnonymous"], false);
    assert_eq!(proved["user"]["emailVerified"], true);
    // The next link finds the same user.
    let location = service.click(&service.link(ADA).await).await;
    let next = handed_over(&service, &location).await;
    assert_eq!(next["user"]["id"], opened["user"]["id"]);
    assert_eq!(service.count("people").await, 1);
    assert_eq!(service.count("postern.password").await, 0);
}

#[tokio::test]
async fn taken_address_stays_with_its_owner() {
    let service = Service::with(ANONYMOUS).await;
    service.verified(ADA).await;
    let mut responses = BTreeSet::new();
    for (method, email) in [
        ("email-password", ADA),
        ("passwordless", ADA),
        ("email-password", "ADA@Example.org"),
        ("email-password", BOB),
        ("passwordless", BOB),
    ] {
        let opened = anonymous(&service).await;
        let token = text(&opened, "accessToken");
        let count = "SELECT count(*) FROM postern.event_queue";
        let before: u32 = service.value(count).await.parse().unwrap();
        let mut body = json!({"signInMethod": method, "email": email});
        if method == "email-password" {
            body["password"] = json!("another password");
        }
        let reply = service.post_as(&token, DEANONYMIZE, body).await;
        let queued = service.value(count).await.parse::<u32>().unwrap() - before;
        responses.insert(format!("{} {} {queued}", reply.status, reply.text));
        if email != BOB {
            assert_eq!(user(&service, &token).await["isAnonymous"], true);
        }
    }
    // What the response says depends on nobody's having the address.
    assert_eq!(responses.len(), 1, "{responses:?}");
    assert!(responses.first().unwrap().starts_with("200 \"OK\""));
    // No mail goes to the owner, as for other changes of addresses.
    service.until_mailed().await;
    let mails = service.mailbox.mails();
    let of_ada = mails.iter().filter(|mail| mail.to == [ADA]).count();
    assert_eq!(of_ada, 1, "that of the sign-up");
    service.session(ADA).await;
    assert_refused(
        &service.sign_in_with(ADA, "another password").await,
        401,
        "invalid-email-password",
    );

    // The address is taken between the mail and the click.
    let opened = anonymous(&service).await;
    let token = text(&opened, "accessToken");
    deanonymize(&service, &token, "carol@example.org").await;
    let link = service.mailbox.next("carol@example.org").await.link();
    service.verified("carol@example.org").await;
    assert_invalid_ticket(&service.click(&link).await);
    assert_eq!(user(&service, &token).await["isAnonymous"], true);
    let owner = service.session("carol@example.org").await;
    assert_ne!(owner["user"]["id"], opened["user"]["id"]);
}

#[tokio::test]
async fn last_address_that_was_asked_for_counts() {
    let service = Service::with(ANONYMOUS).await;
    let opened = anonymous(&service).await;
    let token = text(&opened, "accessToken");
    deanonymize(&service, &token, ADA).await;
    let first = service.mailbox.next(ADA).await.link();
    deanonymize(&service, &token, BOB).await;
    let second = service.mailbox.next(BOB).await.link();
    // A mistyped address gets nothing once the right one was typed.
    assert_invalid_ticket(&service.click(&first).await);
    let proved = handed_over(&service, &service.click(&second).await).await;
    assert_eq!(proved["user"]["email"], BOB);
    assert_eq!(proved["user"]["id"], opened["user"]["id"]);

    // Two users who ask for one address: the first who proves it has it.
    let mut links = vec![];
    for _ in 0..2 {
        let token = text(&anonymous(&service).await, "accessToken");
        let body = json!({"signInMethod": "passwordless", "email": "carol@example.org"});
        service.ok_as(&token, DEANONYMIZE, body).await;
        links.push(service.mailbox.next("carol@example.org").await.link());
    }
    let clicks = links.iter().map(|link| service.click(link));
    let locations = join_all(clicks).await;
    let won = locations
        .iter()
        .filter(|location| parameter(location, "refreshToken").is_some())
        .count();
    assert_eq!(won, 1, "{locations:?}");
    let owners = "SELECT count(*) FROM people WHERE email = 'carol@example.org'";
    assert_eq!(service.value(owners).await, "1");
}

#[tokio::test]
async fn link_without_the_address_proves_nothing() {
    let service = Service::with(ANONYMOUS).await;
    let token = text(&anonymous(&service).await, "accessToken");
    deanonymize(&service, &token, ADA).await;
    let link = service.mailbox.next(ADA).await.link();
    service.expire_tickets().await;
    assert_invalid_ticket(&service.click(&link).await);
    assert_eq!(user(&service, &token).await["isAnonymous"], true);
    // A user whom the owner has blocked or removed gets no address.
    deanonymize(&service, &token, ADA).await;
    let link = service.mailbox.next(ADA).await.link();
    service.run("UPDATE people SET is_blocked = true").await;
    let location = service.click(&link).await;
    assert_eq!(parameter(&location, "refreshToken"), None, "{location}");
    let emails = "SELECT count(email) FROM people";
    assert_eq!(service.value(emails).await, "0");
}

#[tokio::test]
async fn wrong_requests_to_deanonymize_change_nothing() {
    let service = Service::with(ANONYMOUS).await;
    let token = text(&anonymous(&service).await, "accessToken");
    let with = |name: &str, value: Value| {
        let mut body =
            json!({"signInMethod": "email-password", "email": ADA, "password": PASSWORD});
        body[name] = value;
        body
    };
    for (body, code) in [
        (with("signInMethod", json!("webauthn")), "invalid-request"),
        (with("signInMethod", Value::Null), "invalid-request"),
        (with("email", json!("no address")), "invalid-request"),
        (with("email", Value::Null), "invalid-request"),
        (with("password", Value::Null), "invalid-request"),
        (with("password", json!("short")), "password-too-short"),
        (
            with("options", json!({"redirectTo": "https://evil.example"})),
            "redirectTo-not-allowed",
        ),
        (
            with("options", json!({"allowedRoles": ["admin"]})),
            "role-not-allowed",
        ),
        (
            with("options", json!({"locale": "xx"})),
            "locale-not-allowed",
        ),
    ] {
        let reply = service.post_as(&token, DEANONYMIZE, body).await;
        assert_refused(&reply, 400, code);
    }
    let reply = service.post(DEANONYMIZE, with("a", json!(1))).await;
    assert_eq!(reply.status, 401, "{}", reply.text);
    service.verified(BOB).await;
    let of_bob = text(&service.session(BOB).await, "accessToken");
    let reply = service
        .post_as(&of_bob, DEANONYMIZE, with("a", json!(1)))
        .await;
    assert_refused(&reply, 400, "user-not-anonymous");
    service.until_mailed().await;
    assert!(service.mailbox.mails().iter().all(|mail| mail.to == [BOB]));
}

#[tokio::test]
async fn anonymous_users_are_made_where_the_settings_say_so() {
    let service = Service::start().await;
    let reply = service.post(SIGN_IN, json!({})).await;
    assert_refused(&reply, 409, "disabled-endpoint");
    assert_eq!(service.count("people").await, 0);

    let service = Service::with(ANONYMOUS).await;
    // The former client sends no body, and the one of today says that it is JSON.
    let bare = || service.request(Method::POST, SIGN_IN);
    let mut people = BTreeSet::new();
    for request in [
        bare(),
        bare().header("content-type", "application/json"),
        bare().json(&json!({})),
        bare().json(&json!({"displayName": "Guest"})),
    ] {
        let opened = session(&send(request).await);
        people.insert(text(&opened["user"], "id"));
    }
    assert_eq!(people.len(), 4, "each is somebody else");
    for (body, code) in [
        (json!({"displayName": "a".repeat(33)}), "invalid-request"),
        (json!({"metadata": "text"}), "invalid-request"),
        (json!({"locale": "xx"}), "locale-not-allowed"),
    ] {
        assert_refused(&service.post(SIGN_IN, body).await, 400, code);
    }
    assert_eq!(service.count("people").await, 4);
    let reply = send(service.get(SIGN_IN)).await;
    assert_eq!(reply.status, 405, "{}", reply.text);

    // The owner's statement decides.
    let create = "accounts.create = \"INSERT INTO people (email, method) SELECT $1, $5 \
                  WHERE $5 <> 'anonymous' RETURNING id\"\n";
    let service = Service::with(&format!("{ANONYMOUS}{create}")).await;
    let reply = service.post(SIGN_IN, json!({})).await;
    assert_refused(&reply, 403, "signup-disabled");
    assert_eq!(service.count("people").await, 0);
}

#[tokio::test]
async fn anonymous_user_has_no_address_to_prove() {
    let service = Service::with(ANONYMOUS).await;
    let opened = anonymous(&service).await;
    let token = text(&opened, "accessToken");
    // Neither an empty address nor none finds them.
    for email in ["", " "] {
        let body = json!({"email": email, "password": PASSWORD});
        let reply = service.post("/v1/signin/email-password", body).await;
        assert!(matches!(reply.status, 400 | 401), "{}", reply.text);
    }
    // Their session is renewed and ended as others are.
    let next = service.refresh(&text(&opened, "refreshToken")).await.json();
    let body = json!({"refreshToken": text(&next, "refreshToken")});
    service.ok("/v1/signout", body).await;
    let reply = service.refresh(&text(&next, "refreshToken")).await;
    assert_eq!(reply.status, 401, "{}", reply.text);
    // A session that has ended gives nobody an address.
    let body = json!({"signInMethod": "passwordless", "email": ADA});
    let reply = service.post_as(&token, DEANONYMIZE, body).await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
}

#[tokio::test]
async fn sign_ups_without_a_password_are_the_sign_ins() {
    let service = Service::start().await;
    let options =
        json!({"displayName": "Ada", "locale": "nl", "redirectTo": "https://app.example.com/in/"});
    let body = json!({"email": ADA, "options": options});
    service.ok("/v1/signup/passwordless/email", body).await;
    let location = service.click(&service.mailbox.next(ADA).await.link()).await;
    assert!(
        location.starts_with("https://app.example.com/in/"),
        "{location}"
    );
    assert_eq!(
        parameter(&location, "type").as_deref(),
        Some("signinPasswordless")
    );
    let user = handed_over(&service, &location).await["user"].clone();
    assert_eq!(
        json!([user["displayName"], user["locale"]]),
        json!(["Ada", "nl"])
    );
    service
        .ok("/v1/signup/otp/email", json!({"email": BOB}))
        .await;
    let code = service.mailbox.next(BOB).await.code();
    session(&service.enter(BOB, &code).await);
    let methods = "SELECT string_agg(method, ' ' ORDER BY email) FROM people";
    assert_eq!(service.value(methods).await, "link code");
    // Who has an account signs in.
    service
        .ok("/v1/signup/otp/email", json!({"email": ADA}))
        .await;
    let code = service.mailbox.next(ADA).await.code();
    session(&service.enter(ADA, &code).await);
    assert_eq!(service.count("people").await, 2);

    for path in ["/v1/signup/passwordless/email", "/v1/signup/otp/email"] {
        let evil = json!({"email": ADA, "options": {"redirectTo": "https://evil.example"}});
        let reply = service.post(path, evil).await;
        assert_refused(&reply, 400, "redirectTo-not-allowed");
        let reply = service.post(path, json!({"email": "nobody"})).await;
        assert_refused(&reply, 400, "invalid-request");
        assert_eq!(send(service.get(path)).await.status, 405);
    }
    let service = Service::with("accounts.methods = [\"password\"]").await;
    for path in ["/v1/signup/passwordless/email", "/v1/signup/otp/email"] {
        let reply = service.post(path, json!({"email": ADA})).await;
        assert_refused(&reply, 409, "disabled-endpoint");
    }
}

#[tokio::test]
async fn service_says_that_it_is_there() {
    let service = Service::start().await;
    let reply = send(service.get("/v1/healthz")).await;
    assert_eq!((reply.status, reply.json()), (200, json!("OK")));
    let reply = send(service.request(Method::HEAD, "/v1/healthz")).await;
    assert_eq!((reply.status, reply.text.as_str()), (200, ""));
    let reply = send(service.request(Method::POST, "/v1/healthz")).await;
    assert_eq!(reply.status, 405, "{}", reply.text);
}
