//! Tests refreshing: each refresh token is exchanged once for a new one.

use futures_util::future::join_all;
use plugins::token_exchange::Expires;
use serde_json::json;

use crate::exchange::service::{NO_REFRESH, Service, text};

#[tokio::test]
async fn refresh_token_gives_a_session_once() {
    let service = Service::start().await;
    let session = service.session(&service.token("1").await).await;
    let first = text(&session, "refreshToken");
    let reply = service.refresh(&first).await;
    assert_eq!(
        (reply.status, reply.header("cache-control")),
        (200, "no-store"),
        "{}",
        reply.text
    );
    let next = reply.json();
    assert_eq!(next["accessTokenExpiresIn"], 3600);
    assert_eq!(next["user"], session["user"]);
    assert_ne!(text(&next, "refreshToken"), first);
    assert_ne!(next["refreshTokenId"], session["refreshTokenId"]);
    assert_eq!(
        service
            .post("/v1/token/verify", &json!({"token": next["accessToken"]}))
            .await
            .status,
        200
    );
    // Within the grace period, reuse is only refused: another browser tab may have been faster.
    service
        .refresh(&first)
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.refresh(&text(&next, "refreshToken")).await.status,
        200
    );
    let events = [
        "token-created success",
        "sign-in success",
        "refresh success",
        "refresh failure rotated",
        "refresh success",
    ];
    assert_eq!(service.events().await, events);
    assert_eq!(
        (
            service.counted("refresh", "success"),
            service.counted("refresh", "failure")
        ),
        (2, 1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_parallel_refreshes_succeeds() {
    let service = Service::start().await;
    let token = service.token("1").await;
    for _ in 0..5 {
        let refresh = text(&service.session(&token).await, "refreshToken");
        let replies = join_all((0..16).map(|_| service.refresh(&refresh))).await;
        let (won, lost): (Vec<_>, Vec<_>) =
            replies.into_iter().partition(|reply| reply.status == 200);
        assert_eq!((won.len(), lost.len()), (1, 15));
        lost.iter().for_each(|reply| {
            reply.assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
        });
        // The winner's new token works: the losers have not ended the session.
        assert_eq!(
            service
                .refresh(&text(&won[0].json(), "refreshToken"))
                .await
                .status,
            200
        );
    }
    let live = "SELECT count(*) FROM postern.refresh_token WHERE rotated_at IS NULL";
    assert_eq!(service.value(live).await, "5");
}

#[tokio::test]
async fn reuse_after_the_grace_period_ends_the_session() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let stolen = service.session(&token).await;
    let other = service.session(&token).await;
    let first = text(&stolen, "refreshToken");
    let next = service.refresh(&first).await.json();
    let newest = service.refresh(&text(&next, "refreshToken")).await.json();
    service
        .sql
        .execute(
            "UPDATE postern.refresh_token SET rotated_at = rotated_at - interval '11 seconds'",
            &[],
        )
        .await
        .unwrap();
    service
        .refresh(&first)
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    service
        .refresh(&text(&newest, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.refresh(&text(&other, "refreshToken")).await.status,
        200,
        "another sign-in is another family"
    );
    let events = service.events().await;
    assert!(
        events.contains(&"reuse failure reused".to_owned()),
        "{events:?}"
    );
    assert!(
        events.contains(&"refresh failure revoked".to_owned()),
        "{events:?}"
    );
    assert_eq!(
        (
            service.counted("reuse", "failure"),
            service.counted("refresh", "failure")
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn grace_period_is_configurable() {
    let service = Service::with("grace_seconds = 0\n").await;
    let session = service.session(&service.token("1").await).await;
    let next = service
        .refresh(&text(&session, "refreshToken"))
        .await
        .json();
    service
        .refresh(&text(&session, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    service
        .refresh(&text(&next, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
}

#[tokio::test]
async fn expired_refresh_token_is_refused() {
    let service = Service::with("refresh_seconds = 7200\n").await;
    let token = service.token("1").await;
    let session = service.session(&token).await;
    let holds = "SELECT extract(epoch FROM expires_at - issued_at)::int FROM postern.refresh_token";
    assert_eq!(service.value(holds).await, "7200");
    service
        .sql
        .execute(
            "UPDATE postern.refresh_token SET expires_at = now() - interval '1 second'",
            &[],
        )
        .await
        .unwrap();
    service
        .refresh(&text(&session, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.events().await.last().unwrap(),
        "refresh failure expired"
    );
    for body in [json!({}), json!({"refreshToken": 1})] {
        service
            .post("/v1/token", &body)
            .await
            .assert_coded_envelope(400, "invalid-request", "'refreshToken' has to be a string");
    }
    for nonsense in ["", "nonsense", "\u{0}", &token] {
        service.refresh(nonsense).await.assert_coded_envelope(
            401,
            "invalid-refresh-token",
            NO_REFRESH,
        );
    }
}

#[tokio::test]
async fn session_ends_with_its_personal_token_or_user() {
    let service = Service::start().await;
    let revoked = service.session(&service.token("1").await).await;
    service
        .sql
        .execute(
            "UPDATE postern.personal_access_token SET revoked_at = now()",
            &[],
        )
        .await
        .unwrap();
    service
        .refresh(&text(&revoked, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.events().await.last().unwrap(),
        "refresh failure revoked"
    );

    let short = service
        .new_token("1", None, Expires::At("tomorrow".into()))
        .await;
    service.session(&short).await;
    let bounded = "SELECT r.expires_at <= p.expires_at FROM postern.refresh_token r
                     JOIN postern.session s ON s.id = r.session_id
                     JOIN postern.personal_access_token p ON p.id = s.personal_access_token_id WHERE p.expires_at IS NOT NULL";
    assert_eq!(service.value(bounded).await, "true");

    let session = service.session(&service.token("3").await).await;
    service
        .sql
        .execute(
            "UPDATE accounts SET allowed_roles = ARRAY['author'], default_role = 'author' \
                  WHERE id = 3",
            &[],
        )
        .await
        .unwrap();
    let changed = service
        .refresh(&text(&session, "refreshToken"))
        .await
        .json();
    assert_eq!(
        changed["user"]["roles"],
        json!(["author"]),
        "roles are looked up each time"
    );
    service
        .sql
        .execute("DELETE FROM accounts WHERE id = 3", &[])
        .await
        .unwrap();
    service
        .refresh(&text(&changed, "refreshToken"))
        .await
        .assert_coded_envelope(401, "invalid-refresh-token", NO_REFRESH);
    assert_eq!(
        service.events().await.last().unwrap(),
        "refresh failure no-user"
    );
}

#[tokio::test]
async fn expired_sessions_are_deleted() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let old = "INSERT INTO postern.session (id, user_id, created_at) SELECT gen_random_uuid(), '1', '2020-01-01' FROM generate_series(1, 1500);
               INSERT INTO postern.refresh_token (id, session_id, digest, issued_at, expires_at)
               SELECT gen_random_uuid(), s.id, sha256(uuid_send(s.id)), '2020-01-01', '2020-01-02' FROM postern.session s";
    service.sql.batch_execute(old).await.unwrap();
    service.session(&token).await;
    let left = "SELECT count(*) FROM postern.refresh_token";
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while service.value(left).await != "1" {
        assert!(std::time::Instant::now() < end, "nothing is removed");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
