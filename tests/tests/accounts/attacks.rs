//! What an attacker does who knows the address of a person, or has got hold of a session.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use tests::service::send;

use super::service::{PASSWORD, Service, assert_invalid_ticket, assert_refused, session, text};

const ADA: &str = "ada@example.org";
const THIEF: &str = "thief@example.org";

#[tokio::test]
async fn password_of_a_contested_sign_up_is_nobodys() {
    let service = Service::start().await;
    service.sign_up(ADA).await;
    let first = service.mailbox.next(ADA).await.link();
    let chosen = "chosen by somebody else";
    let reply = service.sign_up_with(ADA, chosen, json!({})).await;
    assert_eq!(reply.json(), json!({"session": null}), "{}", reply.text);
    let second = service.mailbox.next(ADA).await.link();
    assert!(service.click(&first).await.contains("error=invalid-ticket"));
    assert!(service.click(&second).await.contains("refreshToken="));
    for password in [PASSWORD, chosen] {
        let reply = service.sign_in_with(ADA, password).await;
        assert_refused(&reply, 401, "invalid-email-password");
    }
    // Once the address is proved, a sign-up changes nothing.
    service.sign_up(ADA).await;
    let contested = "SELECT is_contested FROM postern.account";
    assert_eq!(service.value(contested).await, "false");
}

#[tokio::test]
async fn first_proof_ends_tokens_from_before() {
    let service = Service::with("accounts.verify = false").await;
    let reply = service.sign_up_with(ADA, PASSWORD, json!({})).await;
    let stolen = text(&session(&reply), "accessToken");
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "kept"}});
    let reply = service.post_as(&stolen, "/v1/pat", body.clone()).await;
    let token = text(&reply.json(), "personalAccessToken");
    let with_token = json!({"personalAccessToken": token});
    let reply = service.post("/v1/signin/pat", with_token.clone()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);

    let code = service.code(ADA).await;
    session(&service.enter(ADA, &code).await);
    let reply = service.post("/v1/signin/pat", with_token).await;
    assert_eq!(
        (reply.status, text(&reply.json(), "error").as_str()),
        (401, "invalid-pat")
    );
    let reply = service.sign_in_with(ADA, PASSWORD).await;
    assert_refused(&reply, 401, "invalid-email-password");
    // Nor does the access token of the session that has ended make another one.
    let reply = service.post_as(&stolen, "/v1/pat", body).await;
    assert_eq!(reply.status, 403, "{}", reply.text);
}

/// Somebody signs up with Ada's address, and asks for a change to their own.
#[tokio::test]
async fn first_proof_ends_changes_from_before() {
    for proof in ["link", "code", "reset"] {
        let service = Service::with("accounts.verify = false").await;
        let reply = service.sign_up_with(ADA, PASSWORD, json!({})).await;
        let stolen = text(&session(&reply), "accessToken");
        let body = json!({"newEmail": THIEF});
        service
            .ok_as(&stolen, "/v1/user/email/change", body.clone())
            .await;
        let change = service.mailbox.next(THIEF).await.link();
        match proof {
            "link" => {
                let location = service.click(&service.link(ADA).await).await;
                assert!(location.contains("refreshToken="), "{location}");
            }
            "code" => {
                let code = service.code(ADA).await;
                session(&service.enter(ADA, &code).await);
            }
            _ => {
                let ticket = service.reset(ADA).await;
                let body = json!({"ticket": ticket, "newPassword": "another password"});
                service.ok("/v1/user/password", body).await;
            }
        }
        assert_invalid_ticket(&service.click(&change).await);
        let reply = service
            .post_as(&stolen, "/v1/user/email/change", body)
            .await;
        assert!(matches!(reply.status, 401 | 403), "{proof}: {}", reply.text);
        let stored = service.value("SELECT email FROM people").await;
        assert_eq!(stored, ADA, "{proof}");
    }
}

/// A session that was stolen asks for changes of the address while the owner sets a password.
#[tokio::test(flavor = "multi_thread")]
async fn new_password_ends_changes_under_way() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let mut password = PASSWORD.to_owned();
    for round in 0..6 {
        service.run("DELETE FROM postern.ticket").await;
        let stolen = session(&service.sign_in_with(ADA, &password).await);
        let stolen = text(&stolen, "accessToken");
        let own = session(&service.sign_in_with(ADA, &password).await);
        let own = text(&own, "accessToken");
        password = format!("another password {round}");
        let ask = async |number: usize| {
            for step in 0..200 {
                let body =
                    json!({"newEmail": format!("thief-{round}-{number}-{step}@example.org")});
                let reply = service
                    .post_as(&stolen, "/v1/user/email/change", body)
                    .await;
                if reply.status != 200 {
                    return reply.status;
                }
            }
            200
        };
        let new = json!({"newPassword": password});
        let set = service.ok_as(&own, "/v1/user/password", new);
        let (asked, ()) = tokio::join!(join_all((0..6).map(&ask)), set);
        assert!(
            asked.iter().all(|status| [401, 403].contains(status)),
            "{asked:?}"
        );
        end_changes(&service, &format!("thief-{round}-")).await;
    }
    session(&service.sign_in_with(ADA, &password).await);
}

/// The same with a mail that the worker is about to send when the password is set.
#[tokio::test(flavor = "multi_thread")]
async fn new_password_ends_a_change_that_is_being_mailed() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let mut password = PASSWORD.to_owned();
    for round in 0..5 {
        let stolen = session(&service.sign_in_with(ADA, &password).await);
        let stolen = text(&stolen, "accessToken");
        let own = session(&service.sign_in_with(ADA, &password).await);
        let own = text(&own, "accessToken");
        service.until_mailed().await;
        // Nobody makes or ends tickets before both are about to.
        let client = service.database.connect().await.unwrap();
        let lock = "BEGIN; LOCK TABLE postern.ticket IN SHARE MODE";
        client.batch_execute(lock).await.unwrap();
        let body = json!({"newEmail": format!("thief-{round}-0@example.org")});
        service.ok_as(&stolen, "/v1/user/email/change", body).await;
        service.database.until_waiting(1, "relation").await;
        password = format!("another password {round}");
        let new = json!({"newPassword": password});
        let go_on = async {
            service.database.until_waiting(2, "relation").await;
            client.batch_execute("COMMIT").await.unwrap();
        };
        tokio::join!(service.ok_as(&own, "/v1/user/password", new), go_on);
        end_changes(&service, &format!("thief-{round}-")).await;
    }
}

/// Opens all links that were mailed to addresses that begin with this, of which none may work.
async fn end_changes(service: &Service, start: &str) {
    service.until_mailed().await;
    let mails = service.mailbox.mails().into_iter();
    for mail in mails.filter(|mail| mail.to[0].starts_with(start)) {
        assert_invalid_ticket(&service.click(&mail.link()).await);
    }
    assert_eq!(service.value("SELECT email FROM people").await, ADA);
}

#[tokio::test]
async fn refusals_of_create_are_those_of_taken_addresses() {
    let create = "accounts.create = \"INSERT INTO people (email, display_name, locale, metadata) \
                  SELECT $1, $2, $3, $4 WHERE $1 LIKE '%@example.org' RETURNING id\"";
    let service = Service::with(create).await;
    let insert = "INSERT INTO people (email) VALUES ('eve@elsewhere.example'), ('eve@example.org')";
    service.run(insert).await;
    for email in ["eve@elsewhere.example", "bob@elsewhere.example"] {
        let reply = service.sign_up_with(email, PASSWORD, json!({})).await;
        assert_refused(&reply, 403, "signup-disabled");
    }
    for email in ["eve@example.org", "bob@example.org"] {
        for metadata in [json!({"a": "\0"}), json!({"\0": 1})] {
            let options = json!({"metadata": metadata});
            let reply = service.sign_up_with(email, PASSWORD, options).await;
            assert_refused(&reply, 400, "invalid-request");
        }
    }
    let body = format!(
        "{{\"email\":\"bob@example.org\",\"password\":\"{PASSWORD}\",\"options\":{{\"metadata\":{{\"a\":1e999999}}}}}}"
    );
    let request = service.request(Method::POST, "/v1/signup/email-password");
    let reply = send(
        request
            .header("content-type", "application/json")
            .body(body),
    )
    .await;
    assert_refused(&reply, 400, "invalid-request");
    assert_eq!(service.value("SELECT count(*) FROM people").await, "2");
}

#[tokio::test]
async fn change_of_address_that_the_owner_refuses_changes_nothing() {
    let set_email = "accounts.set_email = \"UPDATE people SET email = $2 WHERE id = $1 AND $2 LIKE '%@example.org' RETURNING id\"";
    let service = Service::with(set_email).await;
    service.verified(ADA).await;
    let token = text(&service.session(ADA).await, "accessToken");
    let body = json!({"newEmail": "ada@elsewhere.example"});
    let reply = service.post_as(&token, "/v1/user/email/change", body).await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    let link = service.mailbox.next("ada@elsewhere.example").await.link();
    assert!(service.click(&link).await.contains("error=invalid-ticket"));
    service.session(ADA).await;
}
