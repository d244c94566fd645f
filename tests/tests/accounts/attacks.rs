//! What an attacker does who knows the address of a person, or has got hold of a session.

use reqwest::Method;
use serde_json::json;
use tests::service::send;

use super::service::{PASSWORD, Service, assert_refused, session, text};

const ADA: &str = "ada@example.org";

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
