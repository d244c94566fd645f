//! Tests rules: what they count, by which key, and exactly how many requests they allow.

use serde_json::json;
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::service::{NAMED, Service, count, query, send};

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_do_not_exceed_the_burst() {
    let service =
        Service::with("[[rates]]\nname = \"all\"\nper = []\nrate = 1\nevery = 3600\nburst = 50\n")
            .await;
    let requests = (0..200).map(|_| Reply::of(service.reader()));
    let statuses: Vec<u16> = futures_util::future::join_all(requests)
        .await
        .into_iter()
        .map(|reply| reply.unwrap().status)
        .collect();
    assert_eq!((count(&statuses, 200), count(&statuses, 429)), (50, 150));
    assert_eq!(service.counted("all", "enforce"), 150);
}

#[tokio::test]
async fn bucket_refills_over_time() {
    let service = Service::with("[[rates]]\nname = \"all\"\nper = []\nrate = 2\nburst = 1\n").await;
    let mut passed = 0;
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while passed < 3 {
        assert!(std::time::Instant::now() < end, "nothing comes back");
        let reply = send(service.reader()).await;
        match reply.status {
            200 => passed += 1,
            _ => assert_eq!(reply.header("retry-after"), "1"),
        }
    }
}

#[tokio::test]
async fn roles_and_session_values_have_separate_buckets() {
    let service = Service::with(
        "[[rates]]\nname = \"user\"\nper = [\"role\", \
                                 \"session.user_id\"]\nrate = 2\nevery = 3600\n\
                                 [[rates]]\nname = \"reader\"\nper = []\nroles = \
                                 [\"reader\"]\nrate = 3\nevery = 3600\n",
    )
    .await;
    assert_eq!(
        service.statuses(3, || service.author(1)).await,
        [200, 200, 429]
    );
    assert_eq!(
        service.statuses(3, || service.author(2)).await,
        [200, 200, 429]
    );
    // Without that session value the first rule does not apply.
    assert_eq!(
        service.statuses(4, || service.reader()).await,
        [200, 200, 200, 429]
    );
    let as_reader = || service.author(3).header("X-Gateway-Role", "reader");
    assert_eq!(service.statuses(1, as_reader).await, [429]);
    // A rule applies to the admin only if it names it.
    let admin = || {
        service
            .post()
            .header("X-Gateway-Admin-Secret", super::service::SECRET)
    };
    assert_eq!(service.statuses(5, admin).await, [200; 5]);
}

#[tokio::test]
async fn except_roles_are_not_counted() {
    let service = Service::with(
        "[[rates]]\nname = \"r\"\nper = [\"role\"]\nrate = 1\nevery = \
                                 3600\nexcept_roles = [\"reader\"]\n",
    )
    .await;
    assert_eq!(service.statuses(2, || service.author(1)).await, [200, 429]);
    assert_eq!(service.statuses(2, || service.reader()).await, [200, 200]);
}

#[tokio::test]
async fn endpoint_calls_share_graphql_buckets_unless_keyed_by_endpoint() {
    let named = |service: &Service| service.client.post(service.url(NAMED));
    let shared =
        Service::with("[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 2\nevery = 3600\n")
            .await;
    assert_eq!(shared.statuses(1, || shared.reader()).await, [200]);
    assert_eq!(shared.statuses(2, || named(&shared)).await, [200, 429]);
    assert_eq!(shared.statuses(1, || shared.reader()).await, [429]);
    let apart = Service::with(&format!(
        "[[rates]]\nname = \"e\"\nper = [\"endpoint\"]\nrate = 2\nevery = 3600\n\
         [[rates]]\nname = \"one\"\nper = []\npaths = [\"{NAMED}\"]\nrate = 1\nevery = 3600\n"
    ))
    .await;
    assert_eq!(apart.statuses(3, || apart.reader()).await, [200, 200, 429]);
    assert_eq!(apart.statuses(2, || named(&apart)).await, [200, 429]);
    assert_eq!(
        (
            apart.counted("e", "enforce"),
            apart.counted("one", "enforce")
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn a_batch_counts_as_its_requests() {
    let service = Service::with(
        "[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 6\nevery = 3600\n\
         [[rates]]\nname = \"u\"\nper = [\"session.user_id\"]\nrate = 5\nevery = 3600\n",
    )
    .await;
    let batch = |size: usize| service.author(1).json(&json!(vec![query(); size]));
    let reply = send(batch(4)).await;
    assert_eq!(
        (reply.status, reply.header("ratelimit").split(';').nth(1)),
        (200, Some("r=1"))
    );
    // One of the two requests is charged before the batch size is known, and the rest exceeds the
    // rate.
    let ReplyError {
        status,
        code,
        message,
    } = send(batch(2)).await.error();
    assert_eq!((status, code.as_str()), (429, "rate-limited"), "{message}");
    let other =
        Service::with("[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 6\nevery = 3600\n")
            .await;
    // A rule whose key does not use the session applies to the admin too.
    let admin = other
        .post()
        .header("X-Gateway-Admin-Secret", super::service::SECRET);
    let reply = send(admin.json(&json!(vec![query(); 2]))).await;
    assert_eq!(
        (reply.status, reply.header("ratelimit").split(';').nth(1)),
        (200, Some("r=4"))
    );
    let error = send(other.reader().json(&json!(vec![query(); 8])))
        .await
        .error()
        .message;
    assert_eq!(
        error,
        "too many requests: the limit 'a' is 6 in 3600 seconds, and 6 at once; the batch is larger"
    );
}

/// Whoever obeys `Retry-After` is served at the first try, also if a second rule counts the batch.
#[tokio::test]
async fn a_batch_that_waits_as_told_passes() {
    for second in [
        "",
        "[[rates]]\nname = \"u\"\nper = [\"session.user_id\"]\nrate = 2\nburst = 4\n",
    ] {
        let rule = "[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 1\nburst = 4\npaths = \
                    [\"/v1/graphql\"]\n";
        let service = Service::with(&format!("{rule}{second}")).await;
        let batch = |size: usize| service.author(1).json(&json!(vec![query(); size]));
        assert_eq!(send(batch(4)).await.status, 200);
        let mut tries = 0;
        loop {
            let reply = send(batch(3)).await;
            if reply.status == 200 {
                break;
            }
            tries += 1;
            assert!(reply.status == 429 && tries < 3, "{tries}: {}", reply.text);
            tokio::time::sleep(std::time::Duration::from_secs(
                reply.header("retry-after").parse().unwrap(),
            ))
            .await;
        }
    }
}

/// Refused batches take nothing, so single requests pass beside them, and a batch that never passes
/// is not told to wait.
#[tokio::test]
async fn refused_batches_take_nothing() {
    let service = Service::with(
        "[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 4\nevery = 3600\n\
         [[rates]]\nname = \"u\"\nper = [\"session.user_id\"]\nrate = 3\nevery = 3600\n",
    )
    .await;
    let batch = |size: usize| service.author(1).json(&json!(vec![query(); size]));
    for size in [5, 50, 4, 5] {
        let reply = send(batch(size)).await;
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (429, ""),
            "{size}: {}",
            reply.text
        );
        let left = reply
            .header("ratelimit")
            .split(';')
            .nth(1)
            .map(str::to_owned);
        assert!(
            matches!(left.as_deref(), Some("r=3" | "r=4")),
            "{size}: {left:?}"
        );
    }
    assert_eq!(send(batch(2)).await.status, 200);
    for _ in 0..5 {
        let reply = send(batch(2)).await;
        assert_eq!(
            (reply.status, reply.header("retry-after").is_empty()),
            (429, false),
            "{}",
            reply.text
        );
        assert_eq!(reply.header("ratelimit").split(';').nth(1), Some("r=1"));
    }
    assert_eq!(send(service.author(1)).await.status, 200);
    assert_eq!(send(service.author(1)).await.status, 429);
}

#[tokio::test]
async fn measured_rules_count_without_refusing() {
    let service = Service::with(
        "[[rates]]\nname = \"m\"\nper = [\"address\"]\nrate = 1\nevery = 3600\nmode = \"measure\"\n\
         [[rates]]\nname = \"o\"\nper = [\"address\"]\nrate = 1\nevery = 3600\nmode = \"off\"\n",
    )
    .await;
    let reply = send(service.reader()).await;
    assert_eq!((reply.status, reply.header("ratelimit")), (200, ""));
    assert_eq!(service.statuses(4, || service.reader()).await, [200; 4]);
    assert_eq!(
        (
            service.counted("m", "measure"),
            service.counted("m", "enforce"),
            service.counted("o", "off")
        ),
        (4, 0, 0)
    );
}

#[tokio::test]
async fn without_rules_requests_have_no_limit_and_no_headers() {
    let service = Service::with("").await;
    let statuses = service.statuses(300, || service.reader()).await;
    assert_eq!(count(&statuses, 200), 300);
    let reply = send(service.reader()).await;
    assert_eq!(
        (reply.header("ratelimit"), reply.header("ratelimit-policy")),
        ("", "")
    );
}
