//! Tests that settings of reads hold in every kind of statement, and that nothing of one caller
//! reaches the next request on the same connection.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde_json::json;
use tests::reply::Reply;

use super::service::{ALL, NOTES, PERMISSIONS, Service};

#[tokio::test(flavor = "multi_thread")]
async fn policies_see_the_caller_of_reads() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    for _ in 0..3 {
        let seven = service.ask("7", NOTES).await.data();
        assert_eq!(
            seven,
            json!({"notes": [{"body": "of seven"}, {"body": "again"}]})
        );
        assert_eq!(
            service.ask("8", NOTES).await.data(),
            json!({"notes": [{"body": "of eight"}]})
        );
    }
    let count = "{ notes_aggregate { aggregate { count } } }";
    assert_eq!(
        service.ask("8", count).await.data()["notes_aggregate"]["aggregate"]["count"],
        1
    );
    // A policy over another table, by way of a function that reads the claims.
    assert_eq!(
        service.ask("7", "{ tasks { title } }").await.data(),
        json!({"tasks": [{"title": "for one"}]})
    );
    assert_eq!(
        service.ask("8", "{ tasks { title } }").await.data(),
        json!({"tasks": [{"title": "for two"}]})
    );
    // A write and what it returns.
    let insert = r#"mutation { insert_notes_one(object: {body: "new"}) { user_id body } }"#;
    assert_eq!(
        service.ask("8", insert).await.data(),
        json!({"insert_notes_one": {"user_id": 8, "body": "new"}})
    );
    let update = r#"mutation { update_notes(where: {}, _set: {body: "x"}) { affected_rows } }"#;
    assert_eq!(
        service.ask("8", update).await.data(),
        json!({"update_notes": {"affected_rows": 2}})
    );
    assert_eq!(
        service.ask("7", NOTES).await.data()["notes"][0]["body"],
        "of seven"
    );
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_never_reach_the_next_request() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let whoami = |reply: Reply| reply.data()["whoami"].as_str().map(str::to_owned);
    let login = &service.users[0];
    assert_eq!(
        whoami(service.ask("7", "{ whoami }").await),
        Some(format!("{login} 7"))
    );
    // After an error of the statement, of the function, of the settings' own cast, and after a
    // cancelled statement.
    for failing in [
        "{ notes(limit: 1, where: {body: {_regex: \"(\"}}) { id } }",
        "mutation { boom(args: {how: \"a\"}) }",
    ] {
        assert!(
            service.ask("7", failing).await.is_sound_error(),
            "{failing}"
        );
        assert_eq!(
            whoami(service.ask("", "{ whoami }").await),
            Some(format!("{login} "))
        );
    }
    assert!(service.ask("seven", NOTES).await.is_sound_error());
    assert_eq!(
        service.ask("8", NOTES).await.data(),
        json!({"notes": [{"body": "of eight"}]})
    );
    let slow = service
        .post("7", "mutation { boom(args: {how: \"slow\"}) }", &json!({}))
        .timeout(Duration::from_millis(400));
    assert!(slow.send().await.is_err());
    assert_eq!(
        whoami(service.ask("", "{ whoami }").await),
        Some(format!("{login} "))
    );
    // Without the value the policy's cast fails, and shows no rows of anybody.
    assert!(service.ask("", NOTES).await.is_sound_error());
    // Outside of requests the settings have no value.
    let open = service.database.connect().await.unwrap();
    let open_transactions = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = \
                                     '{login}' AND state LIKE '%transaction%'"
    );
    assert_eq!(
        open.query_one(&open_transactions, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_answers_belong_to_the_settings() {
    let cache = "[cache.operation.Notes]\nseconds = 60\nshare = true\n";
    let service = Service::start(PERMISSIONS, ALL, cache).await.unwrap();
    let query = "query Notes { notes(order_by: {id: asc}) { body } }";
    for _ in 0..2 {
        assert_eq!(
            service.ask("7", query).await.data()["notes"][0]["body"],
            "of seven"
        );
        assert_eq!(
            service.ask("8", query).await.data()["notes"][0]["body"],
            "of eight"
        );
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_have_their_own_settings() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let live = async |user: &str| {
        let query = "subscription { notes(order_by: {id: asc}) { body } }";
        let post = service
            .post(user, query, &json!({}))
            .header("Accept", "text/event-stream");
        post.send().await.unwrap().bytes_stream()
    };
    let mut seven = live("7").await.boxed();
    let mut eight = live("8").await.boxed();
    let mut texts = [String::new(), String::new()];
    let until = async |stream: &mut BoxStream<'static, reqwest::Result<bytes::Bytes>>,
                       text: &mut String,
                       wanted: &str| {
        while !text.contains(wanted) {
            let next = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
            let chunk = next.expect("a result in time").expect("an open stream");
            text.push_str(&String::from_utf8_lossy(&chunk.unwrap()));
        }
    };
    until(&mut seven, &mut texts[0], "of seven").await;
    until(&mut eight, &mut texts[1], "of eight").await;
    let insert = r#"mutation { insert_notes_one(object: {body: "fresh"}) { id } }"#;
    assert!(service.ask("8", insert).await.data()["insert_notes_one"].is_object());
    until(&mut eight, &mut texts[1], "fresh").await;
    assert!(
        !texts[0].contains("eight") && !texts[1].contains("seven"),
        "{texts:?}"
    );
    drop((seven, eight));
    service.end().await;
}
