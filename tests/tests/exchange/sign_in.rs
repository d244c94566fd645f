//! Tests signing in with a personal access token.

use plugins::token_exchange::Expires;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use crate::exchange::service::{NO_RATES, NO_TOKEN, Service, USERS, builder, migrated, text};

const NOTES: &str = "{ notes(order_by: {id: asc}) { id } }";

#[tokio::test]
async fn signing_in_returns_session_and_user() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let reply = service.sign_in(&token).await;
    assert_eq!(
        (reply.status, reply.header("cache-control")),
        (200, "no-store"),
        "{}",
        reply.text
    );
    let session = &reply.json()["session"];
    assert_eq!(session["accessTokenExpiresIn"], 3600);
    for name in ["refreshToken", "refreshTokenId"] {
        let id = text(session, name);
        assert_eq!(uuid::Uuid::parse_str(&id).unwrap().to_string(), id);
    }
    let user = &session["user"];
    let expected = json!([
        "1",
        "ada@example.org",
        "Ada",
        "author",
        ["author", "reader"]
    ]);
    assert_eq!(
        json!([
            user["id"],
            user["email"],
            user["displayName"],
            user["defaultRole"],
            user["roles"]
        ]),
        expected
    );

    let payload = payload(&text(session, "accessToken"));
    assert_eq!(payload["sub"], "1");
    assert_eq!(
        payload["exp"].as_u64().unwrap() - payload["iat"].as_u64().unwrap(),
        3600
    );
    let claims = json!({
        "x-gateway-default-role": "author", "x-gateway-allowed-roles": ["author", "reader"], "x-gateway-user-id": "1",
        "x-gateway-city": "Turin", "x-gateway-team-ids": "[1,2]"});
    assert_eq!(payload["gateway"], claims);
}

/// Decodes the claims of a token without verifying its signature.
fn payload(token: &str) -> Value {
    jsonwebtoken::dangerous::insecure_decode_claims(token).unwrap()
}

#[tokio::test]
async fn session_claims_select_rows_by_the_rules() {
    let service = Service::start().await;
    let access = text(
        &service.session(&service.token("1").await).await,
        "accessToken",
    );
    let author = service.ask(&access, "author", NOTES).await;
    assert_eq!(
        author.data(),
        json!({"notes": [{"id": 1}, {"id": 2}]}),
        "{}",
        author.text
    );
    // The query of users adds the city and the teams as session values.
    assert_eq!(
        service.ask(&access, "reader", NOTES).await.data(),
        json!({"notes": [{"id": 1}]})
    );
    assert_eq!(service.ask(&access, "admin", NOTES).await.status, 403);
    let user = service.get_as("/v1/user", &access).await;
    assert_eq!(
        (user.status, text(&user.json(), "email")),
        (200, "ada@example.org".to_owned()),
        "{}",
        user.text
    );
    assert_eq!(
        service
            .post_as("/v1/token/verify", &access, &json!({}))
            .await
            .json(),
        "OK"
    );
    assert_eq!(
        service
            .post("/v1/token/verify", &json!({"token": access}))
            .await
            .json(),
        "OK"
    );
}

#[tokio::test]
async fn claims_column_cannot_override_role_or_user() {
    let service = Service::start().await;
    let session = service.session(&service.token("2").await).await;
    let claims = &payload(&text(&session, "accessToken"))["gateway"];
    let expected = json!({
        "x-gateway-default-role": "author", "x-gateway-allowed-roles": ["author"], "x-gateway-user-id": "2"});
    assert_eq!(*claims, expected);
}

#[tokio::test]
async fn token_roles_are_limited_to_the_users_roles() {
    let service = Service::start().await;
    let narrow = service
        .new_token("1", Some(&["reader", "admin"]), Expires::Never)
        .await;
    let session = service.session(&narrow).await;
    assert_eq!(session["user"]["roles"], json!(["reader"]));
    assert_eq!(
        service
            .ask(&text(&session, "accessToken"), "author", NOTES)
            .await
            .status,
        403
    );
    // The refreshed session has the same roles.
    let next = service
        .refresh(&text(&session, "refreshToken"))
        .await
        .json();
    assert_eq!(next["user"]["roles"], json!(["reader"]));
    let user = service
        .get_as("/v1/user", &text(&next, "accessToken"))
        .await
        .json();
    assert_eq!(
        json!([user["defaultRole"], user["roles"]]),
        json!(["reader", ["reader"]])
    );
    let other = service
        .new_token("1", Some(&["admin"]), Expires::Never)
        .await;
    service
        .sign_in(&other)
        .await
        .assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
}

#[tokio::test]
async fn invalid_tokens_get_identical_errors() {
    let service = Service::start().await;
    let good = service.token("1").await;
    let revoked = service.token("1").await;
    let ended = service.token("1").await;
    let nobody = service.token("77").await;
    let unreadable = service.token("no number").await;
    for (change, token) in [
        ("revoked_at = now()", &revoked),
        (
            "created_at = '2020-01-01', expires_at = '2020-01-02'",
            &ended,
        ),
    ] {
        let digest = plugins::token_exchange::digest(token);
        let update = format!(
            "UPDATE postern.personal_access_token SET {change} WHERE digest = \
                              decode('{digest}', 'hex')"
        );
        assert_eq!(service.sql.execute(&update, &[]).await.unwrap(), 1);
    }
    let refusals = [
        ("nonsense", "unknown"),
        ("", "unknown"),
        ("pat_\u{0}", "unknown"),
        (good.get(..good.len() - 1).unwrap(), "unknown"),
        (&good.to_uppercase(), "unknown"),
        (&revoked, "revoked"),
        (&ended, "expired"),
        (&nobody, "no-user"),
        (&unreadable, "no-user"),
    ];
    for (token, reason) in refusals {
        let reply = service.sign_in(token).await;
        reply.assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
        assert_eq!(reply.header("www-authenticate"), "Bearer");
        assert_eq!(
            *service.events().await.last().unwrap(),
            format!("sign-in failure {reason}"),
            "{token}"
        );
    }
    assert_eq!(
        (
            service.counted("sign-in", "failure"),
            service.counted("sign-in", "success")
        ),
        (9, 0)
    );
    service.session(&good).await;
    assert_eq!(service.counted("sign-in", "success"), 1);
    assert_eq!(
        service.value("SELECT count(*) FROM postern.session").await,
        "1"
    );
}

#[tokio::test]
async fn malformed_sign_in_requests_are_refused() {
    let service = Service::start().await;
    let wrong = "'personalAccessToken' has to be a string";
    for body in [
        json!({}),
        json!({"personalAccessToken": 7}),
        json!({"personalAccessToken": null}),
    ] {
        service
            .post("/v1/signin/pat", &body)
            .await
            .assert_coded_envelope(400, "invalid-request", wrong);
    }
    service
        .post("/v1/signin/pat", &json!([]))
        .await
        .assert_coded_envelope(400, "invalid-request", "a request has to be a JSON object");
    let url = format!("{}/v1/signin/pat", service.gateway.url());
    let send = |media: &'static str, body: &'static str| {
        service
            .client
            .post(&url)
            .header("content-type", media)
            .body(body)
    };
    let reply = Reply::of(send("application/json", "{")).await.unwrap();
    assert_eq!(reply.status, 400, "{}", reply.text);
    let reply = Reply::of(send(
        "application/x-www-form-urlencoded",
        "personalAccessToken=a",
    ))
    .await
    .unwrap();
    assert_eq!(reply.status, 415, "{}", reply.text);
    let reply = Reply::of(service.client.get(&url)).await.unwrap();
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, "POST, OPTIONS"),
        "{}",
        reply.text
    );
    // A stale token in a header does not prevent signing in.
    let body = json!({"personalAccessToken": service.token("1").await});
    assert_eq!(
        service
            .post_as("/v1/signin/pat", "an old one", &body)
            .await
            .status,
        200
    );
    assert_eq!(
        service.events().await.len(),
        2,
        "only what concerns a token is in the audit table"
    );
}

#[tokio::test]
async fn database_stores_only_digests_of_tokens() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let session = service.session(&token).await;
    let next = service
        .refresh(&text(&session, "refreshToken"))
        .await
        .json();
    service.sign_in("pat_nonsense").await;
    let secrets = [
        token.clone(),
        text(&session, "refreshToken"),
        text(&next, "refreshToken"),
        text(&session, "accessToken"),
        "pat_nonsense".to_owned(),
    ];
    let tables = "SELECT json_build_array(
        (SELECT json_agg(t) FROM postern.personal_access_token t), (SELECT json_agg(t) FROM postern.refresh_token t),
        (SELECT json_agg(t) FROM postern.session t), (SELECT json_agg(t) FROM postern.authentication_event t))";
    let stored = service.value(tables).await;
    assert!(
        stored.contains("sign-in") && stored.contains("127.0.0.1"),
        "{stored}"
    );
    assert!(
        secrets
            .iter()
            .all(|secret| !stored.contains(secret.as_str())),
        "{stored}"
    );

    let used = "SELECT last_used_at FROM postern.personal_access_token";
    let first = service.value(used).await;
    assert_ne!(first, "");
    service.session(&token).await;
    assert_eq!(service.value(used).await, first, "once a minute is enough");
    service
        .sql
        .execute(
            "UPDATE postern.personal_access_token SET last_used_at = '2020-01-01'",
            &[],
        )
        .await
        .unwrap();
    service.session(&token).await;
    assert!(service.value(used).await > first);
}

#[tokio::test]
async fn audit_rows_cannot_be_changed() {
    let service = Service::start().await;
    service.sign_in("nonsense").await;
    for statement in ["DELETE FROM", "TRUNCATE", "UPDATE"] {
        let set = if statement == "UPDATE" {
            "SET outcome = 'success'"
        } else {
            ""
        };
        let statement = format!("{statement} postern.authentication_event {set}");
        let error = service.sql.execute(&statement, &[]).await.unwrap_err();
        assert!(
            error
                .as_db_error()
                .unwrap()
                .message()
                .ends_with("are never changed"),
            "{error:?}"
        );
    }
    assert_eq!(service.events().await, ["sign-in failure unknown"]);
}

#[tokio::test]
async fn paths_do_not_exist_without_the_section() {
    let service = Service::of("", &[]).await;
    service
        .sign_in("nonsense")
        .await
        .assert_coded_envelope(404, "invalid-request", "no such path");
    assert_eq!(
        service
            .get_as("/v1/.well-known/jwks.json", "x")
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn start_requires_tables_users_query_and_key() {
    let empty = tests::create("exchange", &[super::service::SCHEMA])
        .await
        .unwrap();
    let database = migrated().await;
    let section = |users: &str| format!("[token_exchange]\nusers = \"{users}\"\n{NO_RATES}");
    let usual = format!("[token_exchange]\n{USERS}");
    let faults = [
        (
            &database,
            section("SELECT id FROM accounts"),
            "has to have one parameter",
        ),
        (
            &database,
            section("SELECT id, email, default_role FROM accounts WHERE id = $1"),
            "has no column `allowed_roles`",
        ),
        (
            &database,
            section("SELECT * FROM nowhere WHERE id = $1"),
            "`users`: relation \"nowhere\" does not exist",
        ),
        (
            &database,
            format!("{usual}access_seconds = 0\n"),
            "`access_seconds` has to be from 1",
        ),
        (
            &database,
            format!("{usual}seconds = 3\n"),
            "unknown field `seconds`",
        ),
    ];
    for (database, file, message) in faults {
        let fault = start_fault(builder(database, &file, &[])).await;
        assert!(fault.contains(message), "{fault}");
    }
    // The permission file names functions of the same schema, so the start would otherwise fail on
    // them first.
    let bare =
        builder(&empty, &usual, &[]).permissions_text("none", "[naming]\nconvention = \"camel\"\n");
    let fault = start_fault(bare).await;
    assert!(fault.contains("run `postern migrate`"), "{fault}");
    let keyless = builder(&database, &usual, &[("jwt-secret", "")]);
    let fault = start_fault(keyless).await;
    assert!(fault.contains("no `jwt-secret` is set"), "{fault}");
}

async fn start_fault(builder: gateway::server::Builder) -> String {
    builder
        .start()
        .await
        .expect_err("the start should have failed")
        .to_string()
}

#[tokio::test]
async fn access_token_expires_no_later_than_its_personal_token() {
    let service = Service::start().await;
    let soon = service.value("now() + interval '100 seconds'").await;
    let session = service
        .session(&service.new_token("1", None, Expires::At(soon)).await)
        .await;
    let next = service
        .refresh(&text(&session, "refreshToken"))
        .await
        .json();
    for session in [session, next] {
        let seconds = session["accessTokenExpiresIn"].as_u64().unwrap();
        assert!((1..=100).contains(&seconds), "{session}");
        let payload = payload(&text(&session, "accessToken"));
        assert_eq!(
            payload["exp"].as_u64().unwrap() - payload["iat"].as_u64().unwrap(),
            seconds
        );
    }
    let ever = service
        .session(
            &service
                .new_token("1", None, Expires::At("infinity".into()))
                .await,
        )
        .await;
    assert_eq!(ever["accessTokenExpiresIn"], 3600);
}

#[tokio::test]
async fn token_revoked_during_sign_in_is_refused() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let mut other = service.database.connect().await.unwrap();
    let revoking = other.transaction().await.unwrap();
    revoking
        .execute(
            "UPDATE postern.personal_access_token SET revoked_at = now()",
            &[],
        )
        .await
        .unwrap();
    let revoked = async {
        // The revocation is not committed yet: the sign-in finds the token and then waits for its
        // row lock.
        service.database.until_waiting(1, "transactionid").await;
        revoking.commit().await.unwrap();
    };
    let (reply, ()) = tokio::join!(service.sign_in(&token), revoked);
    reply.assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
    assert_eq!(
        service.events().await.last().unwrap(),
        "sign-in failure revoked"
    );
    assert_eq!(
        service.value("SELECT count(*) FROM postern.session").await,
        "0"
    );
}

#[tokio::test]
async fn wrong_admin_secret_is_refused_despite_a_valid_token() {
    let service = Service::start().await;
    let access = text(
        &service.session(&service.token("1").await).await,
        "accessToken",
    );
    for (secret, status) in [("wrong", 401), (ADMIN_SECRET, 200)] {
        let get = service
            .client
            .get(format!("{}/v1/user", service.gateway.url()))
            .bearer_auth(&access);
        let reply = Reply::of(get.header("X-Gateway-Admin-Secret", secret))
            .await
            .unwrap();
        assert_eq!(reply.status, status, "{}", reply.text);
    }
}
