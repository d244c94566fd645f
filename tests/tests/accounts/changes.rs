//! Changes of addresses and passwords, by whom, and what ends with them.

use reqwest::Method;
use serde_json::{Value, json};
use tests::service::send;

use super::page::parameter;
use super::service::{PASSWORD, Service, assert_invalid_ticket, assert_refused, session, text};

const ADA: &str = "ada@example.org";
const NEW: &str = "ada.new@example.org";
const OTHER: &str = "another password";

/// The access token and the refresh token of a session of the usual password.
async fn tokens(service: &Service, email: &str) -> (String, String) {
    let session = service.session(email).await;
    (
        text(&session, "accessToken"),
        text(&session, "refreshToken"),
    )
}

/// Asks for another address as the holder of an access token.
async fn change_email(service: &Service, token: &str, email: &str) {
    let reply = service
        .post_as(token, "/v1/user/email/change", json!({"newEmail": email}))
        .await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!("OK")),
        "{}",
        reply.text
    );
}

async fn emails(service: &Service) -> String {
    service
        .value("SELECT string_agg(email, ' ' ORDER BY email) FROM people")
        .await
}

#[tokio::test]
async fn change_needs_new_box_and_tells_old() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let (access, refresh) = tokens(&service, ADA).await;
    change_email(&service, &access, NEW).await;
    let link = service.mailbox.next(NEW).await.link();
    assert!(
        parameter(&link, "ticket")
            .unwrap()
            .starts_with("emailConfirmChange:"),
        "{link}"
    );
    // Who mistypes the address has given nothing away.
    assert_eq!(emails(&service).await, ADA);
    assert_eq!(service.session(ADA).await["user"]["emailVerified"], true);
    assert_refused(
        &service.sign_in_with(NEW, PASSWORD).await,
        401,
        "invalid-email-password",
    );

    let location = service.click(&link).await;
    assert_eq!(
        parameter(&location, "type").as_deref(),
        Some("emailConfirmChange"),
        "{location}"
    );
    assert_eq!(emails(&service).await, NEW);
    let notice = service.mailbox.next(ADA).await;
    assert!(notice.has_no_link(), "{notice:?}");
    service.until_mailed().await;
    assert_eq!(
        service
            .mailbox
            .mails()
            .iter()
            .filter(|mail| mail.to == [NEW])
            .count(),
        1
    );
    assert_eq!(service.session(NEW).await["user"]["emailVerified"], true);
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "invalid-email-password",
    );
    assert_eq!(service.refresh(&refresh).await.status, 401);
    assert_invalid_ticket(&service.click(&link).await);
}

#[tokio::test]
async fn change_to_taken_address_says_nothing() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.verified("bob@example.org").await;
    let (access, _) = tokens(&service, ADA).await;
    for taken in ["bob@example.org", "BOB@example.org", ADA] {
        change_email(&service, &access, taken).await;
    }
    service.until_mailed().await;
    let mails = service.mailbox.mails();
    let links = |email: &str| {
        mails
            .iter()
            .filter(|mail| mail.to == [email] && !mail.has_no_link())
            .count()
    };
    // Those of the sign-ups.
    assert_eq!((links(ADA), links("bob@example.org")), (1, 1));
    assert_eq!(emails(&service).await, "ada@example.org bob@example.org");

    // The address is taken between the mail and the click.
    change_email(&service, &access, NEW).await;
    let link = service.mailbox.next(NEW).await.link();
    service
        .run(&format!("INSERT INTO people (email) VALUES ('{NEW}')"))
        .await;
    assert_invalid_ticket(&service.click(&link).await);
    assert_eq!(
        emails(&service).await,
        format!("{NEW} ada@example.org bob@example.org")
    );
    service.session(ADA).await;
}

#[tokio::test]
async fn addresses_stay_without_a_statement_that_changes_them() {
    let service = Service::with("accounts.set_email = \"\"").await;
    service.verified(ADA).await;
    let (access, _) = tokens(&service, ADA).await;
    let reply = service
        .post_as(&access, "/v1/user/email/change", json!({"newEmail": NEW}))
        .await;
    assert_refused(&reply, 409, "disabled-endpoint");
    service.until_mailed().await;
    assert_eq!(service.purposes().await, "verify");
}

#[tokio::test]
async fn reset_ends_sessions_and_tickets() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.verified("bob@example.org").await;
    let (access, refresh) = tokens(&service, ADA).await;
    let (_, refresh_of_bob) = tokens(&service, "bob@example.org").await;
    let ticket = service.reset(ADA).await;
    let link = service.link(ADA).await;
    let code = service.code(ADA).await;
    let handover = parameter(
        &service.click(&service.link("bob@example.org").await).await,
        "refreshToken",
    )
    .unwrap();
    change_email(&service, &access, NEW).await;
    let change = service.mailbox.next(NEW).await.link();
    // Neither the mail nor the page has ended anything yet.
    let next = text(&service.refresh(&refresh).await.json(), "refreshToken");

    let body = json!({"ticket": ticket, "newPassword": "too short"});
    assert_refused(
        &service.post("/v1/user/password", body).await,
        400,
        "password-too-short",
    );
    let body = json!({"ticket": ticket, "newPassword": OTHER});
    let reply = service.post("/v1/user/password", body.clone()).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!("OK")),
        "{}",
        reply.text
    );
    assert!(service.mailbox.next(ADA).await.has_no_link());
    assert!(service.purposes().await.ends_with("password-changed"));

    assert_refused(
        &service.post("/v1/user/password", body).await,
        401,
        "invalid-ticket",
    );
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "invalid-email-password",
    );
    session(&service.sign_in_with(ADA, OTHER).await);
    assert_eq!(service.refresh(&next).await.status, 401);
    for link in [&link, &change] {
        assert_invalid_ticket(&service.click(link).await);
    }
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    // An access token lives on, but changes nothing any more.
    let body = json!({"newPassword": PASSWORD});
    let reply = service.post_as(&access, "/v1/user/password", body).await;
    assert!(
        matches!(reply.status, 401 | 403),
        "{} {}",
        reply.status,
        reply.text
    );
    session(&service.sign_in_with(ADA, OTHER).await);
    // Other people notice nothing.
    assert_eq!(service.refresh(&refresh_of_bob).await.status, 200);
    assert_eq!(service.refresh(&handover).await.status, 200);
}

#[tokio::test]
async fn session_of_a_person_changes_the_password() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let (access, refresh) = tokens(&service, ADA).await;
    let body = json!({"newPassword": OTHER});
    assert_eq!(
        service.post("/v1/user/password", body.clone()).await.status,
        401
    );
    let reply = service.post_as(&access, "/v1/user/password", body).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!("OK")),
        "{}",
        reply.text
    );
    assert!(service.mailbox.next(ADA).await.has_no_link());
    assert_eq!(service.refresh(&refresh).await.status, 401);
    session(&service.sign_in_with(ADA, OTHER).await);
}

#[tokio::test]
async fn change_by_sql_unverifies() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service
        .run(&format!("UPDATE people SET email = '{NEW}'"))
        .await;
    assert_refused(
        &service.sign_in_with(NEW, PASSWORD).await,
        401,
        "unverified-user",
    );
    assert_refused(
        &service.sign_in_with(NEW, OTHER).await,
        401,
        "invalid-email-password",
    );
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "invalid-email-password",
    );
    // Another case is no other address.
    service
        .run("UPDATE people SET email = 'ADA@example.org'")
        .await;
    service.session(ADA).await;
}

#[tokio::test]
async fn verification_mails_go_to_unverified_addresses_alone() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.sign_up("bob@example.org").await;
    service.mailbox.next("bob@example.org").await;
    for email in [ADA, "unknown@example.org", "bob@example.org"] {
        service
            .ok(
                "/v1/user/email/send-verification-email",
                json!({"email": email}),
            )
            .await;
    }
    let location = service
        .click(&service.mailbox.next("bob@example.org").await.link())
        .await;
    assert_eq!(
        parameter(&location, "type").as_deref(),
        Some("emailVerify"),
        "{location}"
    );
    service.session("bob@example.org").await;
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 3);
}

#[tokio::test]
async fn pat_changes_no_credential() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let token = "pat_of_a_test_that_is_long_enough_to_be_one";
    let insert = format!(
        "INSERT INTO postern.personal_access_token (id, user_id, name, digest) \
         VALUES (gen_random_uuid(), '{}', 'test', sha256('{token}'))",
        service.id(ADA).await
    );
    service.run(&insert).await;
    let signed_in = session(
        &service
            .post("/v1/signin/pat", json!({"personalAccessToken": token}))
            .await,
    );
    let refreshed = service
        .refresh(&text(&signed_in, "refreshToken"))
        .await
        .json();
    let state = "SELECT json_build_array((SELECT json_agg(p) FROM postern.password p), \
        (SELECT json_agg(p) FROM people p), (SELECT count(*) FROM postern.event_queue))";
    let before = service.value(state).await;
    for session in [&signed_in, &refreshed] {
        let access = text(session, "accessToken");
        for (path, body) in [
            ("/v1/user/password", json!({"newPassword": OTHER})),
            ("/v1/user/email/change", json!({"newEmail": NEW})),
        ] {
            let reply = service.post_as(&access, path, body).await;
            assert_refused(&reply, 403, "invalid-request");
        }
        // It still does what it is for.
        assert_eq!(
            send(service.get("/v1/user").bearer_auth(&access))
                .await
                .status,
            200
        );
    }
    // Neither does a token of the same key that another program has made, nor none.
    let user = service.id(ADA).await;
    let made = tests::service::token(&json!({"sub": user, "gateway": {"x-gateway-user-id": user,
        "x-gateway-default-role": "me", "x-gateway-allowed-roles": ["me"]}}));
    let request = service
        .request(Method::POST, "/v1/user/password")
        .bearer_auth(&made);
    assert_eq!(
        send(request.json(&json!({"newPassword": OTHER})))
            .await
            .status,
        403
    );
    assert_eq!(
        service
            .post("/v1/user/email/change", json!({"newEmail": NEW}))
            .await
            .status,
        401
    );
    assert_eq!(service.value(state).await, before);
}

#[tokio::test]
async fn blocked_user_is_out() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let (access, refresh) = tokens(&service, ADA).await;
    let link = service.link(ADA).await;
    let code = service.code(ADA).await;
    let ticket = service.reset(ADA).await;
    service.run("UPDATE people SET is_blocked = true").await;
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "disabled-user",
    );
    assert_refused(
        &service.sign_in_with(ADA, OTHER).await,
        401,
        "invalid-email-password",
    );
    assert_eq!(service.refresh(&refresh).await.status, 401);
    let location = service.click(&link).await;
    assert!(parameter(&location, "error").is_some(), "{location}");
    assert_eq!(parameter(&location, "refreshToken"), None, "{location}");
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    for reply in [
        service
            .post_as(&access, "/v1/user/password", json!({"newPassword": OTHER}))
            .await,
        service
            .post_as(&access, "/v1/user/email/change", json!({"newEmail": NEW}))
            .await,
        service
            .post(
                "/v1/user/password",
                json!({"ticket": ticket, "newPassword": OTHER}),
            )
            .await,
    ] {
        assert!(
            matches!(reply.status, 401 | 403),
            "{} {}",
            reply.status,
            reply.text
        );
    }
    // Nothing of it has changed the password, and a sign-up does not make another user of the
    // address.
    service.sign_up(ADA).await;
    service.run("UPDATE people SET is_blocked = false").await;
    service.session(ADA).await;
    assert_eq!(emails(&service).await, ADA);
    let events = "SELECT json_agg(DISTINCT reason) FROM postern.authentication_event WHERE outcome = 'failure'";
    assert_ne!(
        service.value(events).await,
        "",
        "refusals are in the audit table"
    );
}

#[tokio::test]
async fn audit_has_a_row_for_each_step() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.sign_in_with(ADA, OTHER).await;
    service.session(ADA).await;
    let code = service.code(ADA).await;
    service.enter(ADA, &code).await;
    let ticket = service.reset(ADA).await;
    service
        .ok(
            "/v1/user/password",
            json!({"ticket": ticket, "newPassword": OTHER}),
        )
        .await;
    let rows = "SELECT json_agg(concat_ws(' ', event, outcome, method) ORDER BY id) \
                FROM postern.authentication_event WHERE event IN ('sign-up', 'sign-in', 'password-changed')";
    let rows: Value = serde_json::from_str(&service.value(rows).await).unwrap();
    let expected = json!([
        "sign-up success password",
        "sign-in success link",
        "sign-in failure",
        "sign-in success password",
        "sign-in success code",
        "password-changed success password"
    ]);
    assert_eq!(rows, expected);
    let user = "SELECT bool_and(user_id = '{}') FROM postern.authentication_event WHERE outcome = 'success'";
    let user = user.replace("{}", &service.id(ADA).await);
    assert_eq!(service.value(&user).await, "true");
}
