//! Tests who gets an answer from the console's endpoints.

use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::{Service, bearer};

/// The endpoints that show SQL, rules, plans, events or limits, with a body where they take one.
fn for_admin() -> Vec<(&'static str, &'static str, Option<Value>)> {
    let query = json!({"query": "{ orders { id } }"});
    let none = json!({"trigger": "none"});
    vec![
        ("POST", "/v1/graphql/explain", Some(query.clone())),
        ("POST", "/v1/graphql/explain?analyze=true", Some(query)),
        ("GET", "/console/api/permissions", None),
        ("GET", "/console/api/limits", None),
        ("GET", "/console/api/subscriptions", None),
        ("GET", "/console/api/events", None),
        ("GET", "/console/api/sign-ins", None),
        (
            "GET",
            "/console/api/event/7c9e6679-7425-40de-944b-e07fc1f90ae7",
            None,
        ),
        ("POST", "/console/api/replay", Some(none)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn console_is_off_unless_it_is_switched_on() {
    let off = Service::start("").await;
    let on = Service::start("console = true\n").await;
    let browser = [("Accept", "text/html")];
    for (method, path, body) in for_admin() {
        let reply = off
            .send(
                method,
                path,
                &[("X-Gateway-Admin-Secret", ADMIN_SECRET)],
                body.as_ref(),
            )
            .await;
        let is_console = path.starts_with("/console");
        assert_eq!(reply.status == 404, is_console, "{path}: {}", reply.text);
    }
    for path in [
        "/console",
        "/console/api/session",
        "/console/api/schema",
        "/console/assets/x.js",
    ] {
        let reply = off
            .send(
                "GET",
                path,
                &[("X-Gateway-Admin-Secret", ADMIN_SECRET)],
                None,
            )
            .await;
        assert_eq!(
            (reply.status, &reply.json()["message"]),
            (404, &json!("no such path")),
            "{path}"
        );
    }
    assert_eq!(on.send("GET", "/console", &[], None).await.status, 200);
    let links = async |service: &Service| {
        service
            .send("GET", "/", &browser, None)
            .await
            .text
            .contains("href=\"/console\"")
    };
    assert_eq!((links(&off).await, links(&on).await), (false, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_admin_secret_opens_what_shows_sql_rules_or_events() {
    let service = Service::start("console = true\n").await;
    let user = bearer("user");
    let forged = bearer("admin");
    for (method, path, body) in for_admin() {
        let code = |reply: &tests::reply::Reply| {
            let response = reply.json();
            let message = response["errors"][0]["message"]
                .as_str()
                .or(response["message"].as_str())
                .map(str::to_owned);
            (reply.status, message.unwrap_or_default())
        };
        let send = async |headers: &[(&str, &str)]| {
            service.send(method, path, headers, body.as_ref()).await
        };
        // GraphQL errors of `application/json` have status 200 elsewhere; refused credentials do
        // not.
        let no_credentials = code(&send(&[]).await);
        assert_eq!(
            no_credentials,
            (401, "No authorization header provided".to_owned()),
            "{path}"
        );
        let wrong = code(&send(&[("X-Gateway-Admin-Secret", "open sesame")]).await);
        assert_eq!(wrong, (401, "invalid admin secret".to_owned()), "{path}");
        let low = code(&send(&[("Authorization", &user)]).await);
        assert_eq!(
            low,
            (
                403,
                "User does not have required role permissions".to_owned()
            ),
            "{path}"
        );
        let as_admin = code(&send(&[("Authorization", &user), ("X-Gateway-Role", "admin")]).await);
        assert_eq!(as_admin.0, 403, "{path}");
        let forged = code(&send(&[("Authorization", &forged)]).await);
        assert_eq!(
            forged.0, 403,
            "{path}: the role `admin` comes from the secret alone"
        );
        let beside =
            code(&send(&[("Authorization", &user), ("X-Gateway-Admin-Secret", "x")]).await);
        assert_eq!(beside.0, 401, "{path}: a wrong secret beside a good token");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_without_credentials_are_refused_although_they_have_a_role() {
    let service = Service::start("console = true\nunauthorized_role = \"user\"\n").await;
    for (method, path, body) in for_admin() {
        assert_eq!(
            service.send(method, path, &[], body.as_ref()).await.status,
            403,
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_learn_their_own_role_and_its_tables_alone() {
    let service = Service::start("console = true\n").await;
    let user = bearer("user");
    let own = [("Authorization", user.as_str())];
    let session = service
        .send("GET", "/console/api/session", &own, None)
        .await
        .json();
    assert_eq!(
        (&session["role"], &session["admin"], &session["roles"]),
        (&json!("user"), &json!(false), &Value::Null)
    );
    let diagram = service.send("GET", "/console/api/schema", &own, None).await;
    assert_eq!(diagram.status, 200);
    assert!(
        diagram.text.contains("\"customer_id\"") && !diagram.text.contains("hidden_note"),
        "{}",
        diagram.text
    );
    assert!(!diagram.text.contains("or\\\"der"), "{}", diagram.text);
    let silent = bearer("silent");
    let refused = service
        .send(
            "GET",
            "/console/api/schema",
            &[("Authorization", &silent)],
            None,
        )
        .await;
    assert_eq!(refused.status, 403, "a role without introspection");
    assert_eq!(
        service
            .send("GET", "/console/api/schema", &[], None)
            .await
            .status,
        401
    );
    assert_eq!(
        service
            .send("GET", "/console/api/session", &[], None)
            .await
            .status,
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_cannot_replay() {
    let service = Service::start("console = true\n").await;
    // What a form or a script of another origin can send without a preflight.
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let reply = service
            .send(
                "POST",
                "/console/api/replay",
                &[("Content-Type", media)],
                None,
            )
            .await;
        assert_eq!(reply.status, 415, "{media}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_contains_a_secret_or_a_folder() {
    let service =
        Service::start("console = true\nmetrics_secret = \"a secret of the metrics\"\n").await;
    let mut texts = vec![service.send("GET", "/console", &[], None).await.text];
    for (method, path, body) in for_admin() {
        texts.push(
            service
                .send(
                    method,
                    path,
                    &[("X-Gateway-Admin-Secret", ADMIN_SECRET)],
                    body.as_ref(),
                )
                .await
                .text,
        );
    }
    for path in ["/console/api/session", "/console/api/schema"] {
        texts.push(
            service
                .send(
                    "GET",
                    path,
                    &[("X-Gateway-Admin-Secret", ADMIN_SECRET)],
                    None,
                )
                .await
                .text,
        );
    }
    for part in [
        ADMIN_SECRET,
        "a key for tests",
        "a secret of the metrics",
        "some/folder",
        service.database.url(),
    ] {
        assert!(texts.iter().all(|text| !text.contains(part)), "{part}");
    }
}
