//! Tests signing out.

use serde_json::json;

use crate::exchange::service::{NO_REFRESH, Service, text};

#[tokio::test]
async fn signing_out_ends_only_the_given_session() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let here = service.session(&token).await;
    let there = service.session(&token).await;
    let reply = service
        .post(
            "/v1/signout",
            &json!({"refreshToken": here["refreshToken"]}),
        )
        .await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!("OK")),
        "{}",
        reply.text
    );
    service
        .refresh(&text(&here, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.refresh(&text(&there, "refreshToken")).await.status,
        200
    );
    // Signing out with an unknown token succeeds.
    let reply = service
        .post("/v1/signout", &json!({"refreshToken": "nonsense"}))
        .await;
    assert_eq!((reply.status, reply.json()), (200, json!("OK")));
    let events = service.events().await;
    assert!(
        events.contains(&"sign-out success".to_owned()),
        "{events:?}"
    );
    assert_eq!(events.last().unwrap(), "sign-out failure unknown");
    service
        .post("/v1/signout", &json!({}))
        .await
        .assert_coded_envelope(400, "invalid-request", "'refreshToken' has to be a string");
    service
        .post("/v1/signout", &json!({"all": 1}))
        .await
        .assert_coded_envelope(400, "invalid-request", "'all' has to be true or false");
}

#[tokio::test]
async fn signing_out_all_ends_every_session_of_the_user() {
    let service = Service::start().await;
    let ada = service.token("1").await;
    let bob = service.token("2").await;
    let other = service.session(&bob).await;
    for by_refresh in [true, false] {
        let here = service.session(&ada).await;
        let there = service.session(&ada).await;
        let reply = if by_refresh {
            service
                .post(
                    "/v1/signout",
                    &json!({"all": true, "refreshToken": here["refreshToken"]}),
                )
                .await
        } else {
            service
                .post_as(
                    "/v1/signout",
                    &text(&here, "accessToken"),
                    &json!({"all": true}),
                )
                .await
        };
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!("OK")),
            "{}",
            reply.text
        );
        for session in [&here, &there] {
            service
                .refresh(&text(session, "refreshToken"))
                .await
                .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
        }
    }
    assert_eq!(
        service.refresh(&text(&other, "refreshToken")).await.status,
        200
    );
    // An unauthenticated caller signs no user out; neither does a used refresh token.
    let nobody = service.post("/v1/signout", &json!({"all": true})).await;
    nobody.assert_coded_envelope(401, "invalid-request", "No authorization header provided");
    let used = service
        .post(
            "/v1/signout",
            &json!({"all": true, "refreshToken": other["refreshToken"]}),
        )
        .await;
    used.assert_coded_envelope(401, "invalid-request", "No authorization header provided");
}

#[tokio::test]
async fn user_id_is_compared_by_value_not_by_text() {
    let service = Service::start().await;
    let session = service.session(&service.token("1").await).await;
    let claims = json!({"x-gateway-default-role": "author", "x-gateway-allowed-roles": ["author"], "x-gateway-user-id": " \
         01"});
    let key = jsonwebtoken::EncodingKey::from_secret(b"a key of thirty-two bytes, or more");
    let token = jsonwebtoken::encode(
        &jsonwebtoken::Header::default(),
        &json!({"gateway": claims}),
        &key,
    )
    .unwrap();
    let reply = service
        .post_as("/v1/signout", &token, &json!({"all": true}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    service
        .refresh(&text(&session, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
}
