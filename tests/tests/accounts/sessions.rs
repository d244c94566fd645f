//! Sessions: people see and end their own, by paths and by GraphQL; refresh tokens in a cookie.

use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use super::mailbox::Mailbox;
use super::service::{Service, builder, session, settings, text};

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

/// The functions as `docs/token-exchange.md` has them.
const PERMISSIONS: &str = r#"
[session]
user_id = "uuid"

[function."postern.sessions"]
name = "sessions"
session = "session"
roles = ["me"]

[function."postern.revoke_session"]
name = "revokeSession"
session = "session"
roles = ["me"]

[function."postern.authentication_events"]
name = "authenticationEvents"
session = "session"
roles = ["me"]
"#;

/// The page of an application that the settings list.
const ORIGIN: &str = "https://app.example.com";

async fn service() -> Service {
    let mailbox = Mailbox::start().await;
    let file = settings(&mailbox.url(), &format!("cors_origins = [{ORIGIN:?}]"));
    let started = builder(&file).permissions(PERMISSIONS).start().await;
    Service::new(started, mailbox)
}

async fn list(service: &Service, access: &str) -> Value {
    let reply = service.get_as(access, "/v1/user/sessions").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

async fn end(service: &Service, access: &str, body: Value) -> Reply {
    service.post_as(access, "/v1/user/sessions/end", body).await
}

#[tokio::test]
async fn sessions_are_listed_and_end_one_by_one_or_at_once() {
    let service = service().await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    service.run("DELETE FROM postern.session").await;
    let first = service.session(ADA).await;
    let request = service.request(Method::POST, "/v1/signin/email-password");
    let body = json!({"email": ADA, "password": super::service::PASSWORD});
    let browser = "Mozilla/5.0 (a browser)";
    let reply = send(request.header("user-agent", browser).json(&body)).await;
    let second = session(&reply);
    let third = service.session(ADA).await;
    let of_bob = service.session(BOB).await;
    let access = text(&second, "accessToken");
    let refreshed = service.refresh(&text(&second, "refreshToken")).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.text);

    let listed = list(&service, &access).await;
    let sessions = listed.as_array().unwrap();
    assert_eq!(sessions.len(), 3, "{listed}");
    let current = &sessions[0];
    assert_eq!(current["isCurrent"], true, "{listed}");
    assert_eq!(current["userAgent"], browser);
    assert_eq!(current["methods"], json!(["pwd"]));
    assert_eq!(current["address"], "127.0.0.1");
    assert!(current["lastUsedAt"].is_string() && current["createdAt"].is_string());
    assert!(
        sessions[1..]
            .iter()
            .all(|other| other["isCurrent"] == false)
    );

    // One of another person is none to end.
    let id = list(&service, &text(&of_bob, "accessToken")).await[0]["id"].clone();
    let reply = end(&service, &access, json!({"id": id})).await;
    assert_eq!(reply.json(), json!({"ended": 0}), "{}", reply.text);
    for body in [
        json!({}),
        json!({"id": "1"}),
        json!({"id": id, "others": true}),
        json!({"others": "yes"}),
    ] {
        let reply = end(&service, &access, body).await;
        assert_eq!(reply.status, 400, "{}", reply.text);
    }
    let id = sessions[2]["id"].clone();
    let reply = end(&service, &access, json!({"id": id})).await;
    assert_eq!(reply.json(), json!({"ended": 1}), "{}", reply.text);
    assert_eq!(list(&service, &access).await.as_array().unwrap().len(), 2);
    let reply = end(&service, &access, json!({"others": true})).await;
    assert_eq!(reply.json(), json!({"ended": 1}), "{}", reply.text);
    for ended in [&first, &third] {
        let refresh = text(ended, "refreshToken");
        assert_eq!(service.refresh(&refresh).await.status, 401);
        // Nor does its access token list or end anything.
        let reply = service
            .get_as(&text(ended, "accessToken"), "/v1/user/sessions")
            .await;
        assert_eq!(reply.status, 403, "{}", reply.text);
    }
    assert_eq!(
        service.refresh(&text(&of_bob, "refreshToken")).await.status,
        200
    );
    let reply = service
        .refresh(&text(&refreshed.json(), "refreshToken"))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let audited = "SELECT count(*) FROM postern.authentication_event WHERE event = 'sign-out' AND reason = 'revoked'";
    assert_eq!(service.value(audited).await, "2");
}

#[tokio::test]
async fn functions_show_and_end_the_callers_own() {
    let service = service().await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    service.run("DELETE FROM postern.session").await;
    let access = text(&service.session(ADA).await, "accessToken");
    let other = service.session(ADA).await;
    let of_bob = service.session(BOB).await;
    let ask = async |query: String| {
        let request = service.request(Method::POST, "/v1/graphql");
        let reply = send(request.bearer_auth(&access).json(&json!({"query": query}))).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.data()
    };
    let ids = ask("{ sessions { id methods address } }".to_owned()).await;
    assert_eq!(ids["sessions"].as_array().unwrap().len(), 2, "{ids}");
    let id_of = async |opened: &Value| {
        let access = text(opened, "accessToken");
        let listed = list(&service, &access).await;
        let current = listed.as_array().unwrap().iter();
        let mut current = current.filter(|one| one["isCurrent"] == true);
        let current = current.next();
        text(current.unwrap_or_else(|| panic!("{listed}")), "id")
    };
    for (opened, is_own) in [(&of_bob, false), (&other, true)] {
        let id = id_of(opened).await;
        let ended = ask(format!(
            "mutation {{ revokeSession(args: {{id: {id:?}}}) }}"
        ))
        .await;
        assert_eq!(ended["revokeSession"], is_own, "{ended}");
    }
    assert_eq!(
        service.refresh(&text(&other, "refreshToken")).await.status,
        401
    );
    assert_eq!(
        service.refresh(&text(&of_bob, "refreshToken")).await.status,
        200
    );
    let events =
        ask("{ authenticationEvents(limit: 2) { event outcome reason } }".to_owned()).await;
    assert_eq!(
        events["authenticationEvents"],
        json!([{"event": "refresh", "outcome": "failure", "reason": "revoked"},
            {"event": "sign-out", "outcome": "success", "reason": "revoked"}])
    );
    let text = ask("{ authenticationEvents { sessionId } }".to_owned())
        .await
        .to_string();
    assert!(!text.contains(&id_of(&of_bob).await), "{text}");
}

/// The cookie of a response, and its attributes.
fn cookie(reply: &Reply) -> (String, String) {
    let header = reply.header("set-cookie");
    let (pair, attributes) = header.split_once("; ").unwrap();
    (pair.to_owned(), attributes.to_owned())
}

#[tokio::test]
async fn cookie_takes_the_place_of_the_refresh_token() {
    let service = service().await;
    service.verified(ADA).await;
    let post = async |path: &str, body: Value, cookie: Option<&str>, origin: Option<&str>| {
        let mut request = service.request(Method::POST, path).json(&body);
        if let Some(cookie) = cookie {
            request = request.header("cookie", format!("other=1; {cookie}"));
        }
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        send(request).await
    };
    let sign_in = json!({"email": ADA, "password": super::service::PASSWORD, "cookie": true});
    let reply = post(
        "/v1/signin/email-password",
        sign_in.clone(),
        None,
        Some(ORIGIN),
    )
    .await;
    let opened = session(&reply);
    assert_eq!(opened.get("refreshToken"), None, "{opened}");
    let (first, attributes) = cookie(&reply);
    assert!(first.starts_with("__Secure-postern-refresh="), "{first}");
    assert_eq!(
        attributes,
        "Path=/v1; Max-Age=43200; HttpOnly; Secure; SameSite=Strict"
    );
    assert_eq!(reply.header("access-control-allow-credentials"), "true");

    // A page of another origin gets nothing, and ends nothing.
    for origin in ["https://evil.example", "null"] {
        let reply = post("/v1/token", json!({}), Some(&first), Some(origin)).await;
        assert_eq!(reply.status, 400, "{}", reply.text);
        let reply = post("/v1/signout", json!({}), Some(&first), Some(origin)).await;
        assert_eq!(reply.status, 400, "{}", reply.text);
    }
    let reply = post("/v1/token", json!({}), Some(&first), Some(ORIGIN)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.json().get("refreshToken"), None, "{}", reply.text);
    let (second, _) = cookie(&reply);
    assert_ne!(second, first);
    // The former one is used up.
    let reply = post("/v1/token", json!({}), Some(&first), Some(ORIGIN)).await;
    assert_eq!(reply.status, 401, "{}", reply.text);

    let reply = post("/v1/signout", json!({}), Some(&second), Some(ORIGIN)).await;
    assert_eq!((reply.status, reply.json()), (200, json!("OK")));
    let (removed, attributes) = cookie(&reply);
    assert_eq!(removed, "__Secure-postern-refresh=");
    assert!(attributes.contains("Max-Age=0"), "{attributes}");
    let reply = post("/v1/token", json!({}), Some(&second), Some(ORIGIN)).await;
    assert_eq!(reply.status, 401, "{}", reply.text);

    // Nobody who has not asked for it gets a cookie.
    let reply = service.sign_in_with(ADA, super::service::PASSWORD).await;
    assert_eq!(reply.header("set-cookie"), "");
    let mut wrong = sign_in;
    wrong["cookie"] = "yes".into();
    let before = service.value("SELECT count(*) FROM postern.session").await;
    let reply = post("/v1/signin/email-password", wrong, None, None).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    let after = service.value("SELECT count(*) FROM postern.session").await;
    assert_eq!(after, before);
}

/// Several tabs refresh at once, and the owner sets a new password meanwhile: no session goes on.
#[tokio::test]
async fn refresh_races_tabs_and_password_change() {
    let service = service().await;
    service.verified(ADA).await;
    let opened = service.session(ADA).await;
    let refresh = text(&opened, "refreshToken");
    let tabs = (0..8).map(|_| service.refresh(&refresh));
    let replies = futures_util::future::join_all(tabs).await;
    let won: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(won.len(), 1);
    assert!(
        replies
            .iter()
            .all(|reply| matches!(reply.status, 200 | 401))
    );
    let mut refresh = text(&won[0].json(), "refreshToken");
    let access = text(&service.session(ADA).await, "accessToken");
    let change = service.post_as(
        &access,
        "/v1/user/password",
        json!({"newPassword": "another horse battery"}),
    );
    let refreshing = async {
        for _ in 0..40 {
            let reply = service.refresh(&refresh).await;
            if reply.status != 200 {
                break;
            }
            refresh = text(&reply.json(), "refreshToken");
        }
    };
    let (changed, ()) = tokio::join!(change, refreshing);
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(service.refresh(&refresh).await.status, 401);
    let open = "SELECT count(*) FROM postern.session WHERE revoked_at IS NULL";
    assert_eq!(service.value(open).await, "0");
}
