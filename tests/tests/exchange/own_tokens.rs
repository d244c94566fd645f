//! Tests personal access tokens through GraphQL and `POST /v1/pat`: a signed-in user creates, lists
//! and revokes their own.

use plugins::token_exchange::Expires;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use crate::exchange::service::{NO_RATES, NO_REFRESH, NO_TOKEN, Service, USERS, text};

const CREATE: &str = "mutation { createPersonalAccessToken(args: {name: \"ci\"}) { id name \
                      personalAccessToken expiresAt } }";
const LIST: &str = "{ personalAccessTokens { id name roles lastUsedAt revokedAt } }";

impl Service {
    async fn access(&self, user: &str) -> String {
        text(&self.session(&self.token(user).await).await, "accessToken")
    }

    async fn created(&self, access: &str, role: &str) -> Value {
        let reply = self.ask(access, role, CREATE).await;
        assert!(reply.data().is_object(), "{}", reply.text);
        reply.data()["createPersonalAccessToken"].clone()
    }

    async fn revoke(&self, access: &str, id: &Value) -> Value {
        let mutation = format!("mutation {{ revokePersonalAccessToken(args: {{id: {id}}}) }}");
        self.ask(access, "author", &mutation).await.data()["revokePersonalAccessToken"].clone()
    }
}

#[tokio::test]
async fn token_is_created_shown_once_listed_and_revoked() {
    let service = Service::start().await;
    let access = service.access("1").await;
    let created = service.created(&access, "author").await;
    let token = text(&created, "personalAccessToken");
    assert!(token.starts_with("pat_") && token.len() == 47, "{token}");
    assert!(
        created["expiresAt"].is_string(),
        "ninety days unless the request says otherwise"
    );
    let session = service.session(&token).await;
    let listed = service.ask(&access, "author", LIST).await;
    assert!(!listed.text.contains(&token), "{}", listed.text);
    let first = &listed.data()["personalAccessTokens"][0];
    assert_eq!(
        json!([first["id"], first["name"], first["roles"]]),
        json!([created["id"], "ci", ["author"]])
    );
    assert!(first["lastUsedAt"].is_string());

    assert_eq!(service.revoke(&access, &created["id"]).await, true);
    assert_eq!(service.revoke(&access, &created["id"]).await, false);
    service
        .sign_in(&token)
        .await
        .assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
    service
        .refresh(&text(&session, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    let events = service.events().await;
    let own: Vec<&String> = events
        .iter()
        .filter(|event| event.starts_with("token-"))
        .collect();
    assert_eq!(
        own,
        [
            "token-created success",
            "token-created success",
            "token-revoked success"
        ]
    );
}

#[tokio::test]
async fn users_cannot_list_or_revoke_tokens_of_others() {
    let service = Service::start().await;
    let ada = service.access("1").await;
    let bob = service.access("2").await;
    let created = service.created(&ada, "author").await;
    let listed = service.ask(&bob, "author", LIST).await.data();
    assert_eq!(
        listed["personalAccessTokens"].as_array().unwrap().len(),
        1,
        "{listed}"
    );
    assert_eq!(service.revoke(&bob, &created["id"]).await, false);
    service
        .session(&text(&created, "personalAccessToken"))
        .await;
    // Only the gateway sets the session argument.
    for argument in ["session", "caller", "userId"] {
        let query = CREATE.replace("name: ", &format!("{argument}: \"{{}}\", name: "));
        assert_eq!(
            service.ask(&ada, "author", &query).await.error().code,
            "validation-failed"
        );
    }
    // The permission file does not name the session argument of this function, but a caller cannot
    // set it either.
    let id = &created["id"];
    let query =
        format!("mutation {{ revokePersonalAccessToken(args: {{session: \"{{}}\", id: {id}}}) }}");
    assert_eq!(
        service.ask(&bob, "author", &query).await.error().code,
        "validation-failed"
    );
}

/// A token limited to one role cannot create a token with other roles, and a token that expires can
/// create only tokens that expire no later.
#[tokio::test]
async fn created_token_is_limited_to_the_role_of_its_creator() {
    let service = Service::start().await;
    let access = service.access("1").await;
    let reader = text(
        &service.created(&access, "reader").await,
        "personalAccessToken",
    );
    let session = service.session(&reader).await;
    assert_eq!(
        json!([session["user"]["defaultRole"], session["user"]["roles"]]),
        json!(["reader", ["reader"]])
    );
    let narrow = text(&session, "accessToken");
    assert_eq!(service.ask(&narrow, "author", CREATE).await.status, 403);
    let next = service
        .post_as("/v1/pat", &narrow, &json!({"expiresAt": "tomorrow"}))
        .await
        .json();
    let session = service.session(&text(&next, "personalAccessToken")).await;
    assert_eq!(session["user"]["roles"], json!(["reader"]));
}

#[tokio::test]
async fn admin_secret_creates_tokens_for_the_named_user_only() {
    let service = Service::start().await;
    let post = |user: Option<&str>| {
        let post = service
            .client
            .post(format!("{}/v1/graphql", service.gateway.url()));
        let post = post
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "author");
        // Headers with similar names are not taken for the user.
        let post = post
            .header("X-Gateway-Other-User-Id", "3")
            .header("X-Gateway-Other-Role", "reader");
        let post = post.json(&json!({"query": CREATE}));
        user.map_or(post.try_clone().unwrap(), |user| {
            post.header("X-Gateway-User-Id", user)
        })
    };
    let reply = Reply::of(post(Some("2"))).await.unwrap();
    let created = reply.data()["createPersonalAccessToken"].clone();
    let session = service
        .session(&text(&created, "personalAccessToken"))
        .await;
    assert_eq!(
        json!([session["user"]["id"], session["user"]["roles"]]),
        json!(["2", ["author"]])
    );
    let reply = Reply::of(post(None)).await.unwrap();
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "data-exception"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn invalid_token_arguments_are_refused() {
    let service = Service::start().await;
    let access = service.access("1").await;
    for args in [
        "{name: \"\"}",
        "{name: \"a\", expiresAt: \"2020-01-01\"}",
        "{name: \"a\", expiresAt: \"soon\"}",
    ] {
        let reply = service
            .ask(&access, "author", &CREATE.replace("{name: \"ci\"}", args))
            .await;
        assert_eq!(
            reply.error().code,
            "constraint-violation",
            "{args}: {}",
            reply.text
        );
    }
    for body in [
        json!({}),
        json!({"expiresAt": 1}),
        json!({"expiresAt": "soon"}),
    ] {
        let reply = service.post_as("/v1/pat", &access, &body).await;
        assert_eq!(reply.status, 400, "{body}: {}", reply.text);
    }
    service
        .post_as("/v1/pat", &access, &json!({"expiresAt": "2020-01-01"}))
        .await
        .assert_coded_envelope(
            400,
            "invalid-request",
            "'expiresAt' has to be a time in the future",
        );
    for time in [
        "infinity",
        &service.value("now() + interval '3651 days'").await,
    ] {
        let reply = service
            .post_as("/v1/pat", &access, &json!({"expiresAt": time}))
            .await;
        reply.assert_coded_envelope(
            400,
            "invalid-request",
            "'expiresAt' has to be a time within 3650 days",
        );
    }
    let tomorrow = json!({"expiresAt": "tomorrow"});
    service
        .post("/v1/pat", &tomorrow)
        .await
        .assert_coded_envelope(401, "invalid-request", "No authorization header provided");
    // The limit is a hundred valid tokens per user.
    let many = "INSERT INTO postern.personal_access_token (id, user_id, name, digest)
                SELECT gen_random_uuid(), '1', 'x', sha256(uuid_send(gen_random_uuid())) FROM generate_series(1, 100)";
    service.sql.batch_execute(many).await.unwrap();
    assert_eq!(
        service.ask(&access, "author", CREATE).await.error().code,
        "data-exception"
    );
    let reply = service.post_as("/v1/pat", &access, &tomorrow).await;
    reply.assert_coded_envelope(
        400,
        "invalid-request",
        "a user has a hundred tokens that hold at most; revoke one of them",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_requests_do_not_exceed_the_token_limit() {
    let service = Service::start().await;
    let access = service.access("1").await;
    let many = "INSERT INTO postern.personal_access_token (id, user_id, name, digest)
                SELECT gen_random_uuid(), '1', 'x', sha256(uuid_send(gen_random_uuid())) FROM generate_series(1, 94)";
    service.sql.batch_execute(many).await.unwrap();
    // One of the 95 is the token that was used to sign in. Both ways to create a token count
    // towards one limit.
    let tomorrow = json!({"expiresAt": "tomorrow"});
    let by_path = futures_util::future::join_all(
        (0..20).map(|_| service.post_as("/v1/pat", &access, &tomorrow)),
    );
    let by_query =
        futures_util::future::join_all((0..20).map(|_| service.ask(&access, "author", CREATE)));
    let (by_path, by_query) = tokio::join!(by_path, by_query);
    let made = by_path.iter().filter(|reply| reply.status == 200).count();
    let made = made
        + by_query
            .iter()
            .filter(|reply| reply.text.contains("pat_"))
            .count();
    let stored = service
        .value("SELECT count(*) FROM postern.personal_access_token WHERE user_id = '1'")
        .await;
    assert_eq!((made, stored.as_str()), (5, "100"));
}

#[tokio::test]
async fn only_token_roles_create_tokens_and_end_all_sessions() {
    let tomorrow = json!({"expiresAt": "tomorrow"});
    let file = |roles: &str| format!("[token_exchange]\n{USERS}{roles}\n{NO_RATES}");
    let nobody = Service::of(&file(""), &[]).await;
    let access = nobody.access("1").await;
    assert_eq!(
        nobody.post_as("/v1/pat", &access, &tomorrow).await.status,
        403
    );
    assert_eq!(
        nobody
            .post_as("/v1/signout", &access, &json!({"all": true}))
            .await
            .status,
        403
    );

    let service = Service::of(&file("token_roles = [\"author\"]"), &[]).await;
    let access = service.access("1").await;
    assert_eq!(
        service.post_as("/v1/pat", &access, &tomorrow).await.status,
        200
    );
    let reader = service
        .session(
            &service
                .new_token("1", Some(&["reader", "author"]), Expires::Never)
                .await,
        )
        .await;
    let narrow = text(&reader, "accessToken");
    assert_eq!(
        service.post_as("/v1/pat", &narrow, &tomorrow).await.status,
        403,
        "the default role counts"
    );
    assert_eq!(
        service
            .post_as("/v1/signout", &narrow, &json!({"all": true}))
            .await
            .status,
        403
    );
    // For ending all sessions a refresh token needs the same role as a bearer token; without it, it
    // ends only its own session.
    let others = service.session(&service.token("1").await).await;
    let all = json!({"all": true, "refreshToken": reader["refreshToken"]});
    assert_eq!(service.post("/v1/signout", &all).await.status, 403);
    let next = service.refresh(&text(&others, "refreshToken")).await;
    assert_eq!(next.status, 200, "the other sessions of the account go on");
    let own = json!({"refreshToken": reader["refreshToken"]});
    assert_eq!(service.post("/v1/signout", &own).await.status, 200);
    assert_eq!(
        service.refresh(&text(&reader, "refreshToken")).await.status,
        401
    );
    let all = json!({"all": true, "refreshToken": next.json()["refreshToken"]});
    assert_eq!(
        service.post("/v1/signout", &all).await.status,
        200,
        "its default role is one of `token_roles`"
    );
    // A role that the user has lost since does not count.
    let lost =
        "UPDATE accounts SET default_role = 'reader', allowed_roles = ARRAY['reader'] WHERE id = 1";
    service.sql.execute(lost, &[]).await.unwrap();
    assert_eq!(
        service.post_as("/v1/pat", &access, &tomorrow).await.status,
        403
    );
}
