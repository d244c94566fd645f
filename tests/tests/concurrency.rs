//! Tests concurrent clients through the gateway: no update is lost, keys stay unique, and
//! conflicting requests are run one after the other or get the error `conflict`.

use futures_util::future::join_all;
use reqwest::RequestBuilder;
use serde_json::Value;
use tests::reply::Reply;
use tests::reply::ReplyError;

use crate::bank::Bank;

/// Sends all requests at once.
async fn at_once(requests: Vec<RequestBuilder>) -> Vec<Reply> {
    let tasks = requests
        .into_iter()
        .map(|request| tokio::spawn(async move { Reply::of(request).await.unwrap() }));
    join_all(tasks.collect::<Vec<_>>())
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// Whether the reply is data or a permitted error. Fails on an error of the server.
#[track_caller]
fn is_answered(reply: &Reply) -> bool {
    let ReplyError {
        status,
        code,
        message,
    } = reply.error();
    let answered = reply.data() != Value::Null;
    assert!(
        answered || (code == "conflict" && status == 200),
        "{status} {code} {message}: {}",
        reply.text
    );
    answered
}

#[tokio::test(flavor = "multi_thread")]
async fn no_increment_is_lost() {
    let bank = Bank::with(&[("pool-size", "6")]).await;
    let one = "mutation { update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 1, version: \
               1}) { balance } }";
    let many = "mutation { update_accounts(where: {balance: {_gte: 0}}, _inc: {balance: 1}) { \
                affected_rows returning { balance } } }";
    let several = "mutation { a: update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 1}) \
                   { balance } \
                   b: update_accounts_by_pk(pk_columns: {id: 2}, _inc: {balance: 1}) { balance } \
                   }";
    let requests = (0..60)
        .map(|number| bank.asks([one, many, several][number % 3]))
        .collect();
    let replies = at_once(requests).await;
    let done = |kind: usize| {
        replies
            .iter()
            .skip(kind)
            .step_by(3)
            .filter(|reply| is_answered(reply))
            .count()
    };
    let [one, many, several] = [done(0), done(1), done(2)];
    // All requests lock rows in the same order, so none fails.
    assert_eq!([one, many, several], [20, 20, 20]);
    assert_eq!(bank.balances().await, "a=160 b=140 c=120");
    assert_eq!(
        bank.holds("SELECT version::text FROM accounts WHERE id = 1")
            .await,
        "21"
    );
    // Each request that changed one row got the row as it left it.
    let seen = replies.iter().step_by(3).map(|reply| {
        reply.data()["update_accounts_by_pk"]["balance"]
            .as_u64()
            .unwrap()
    });
    let mut seen: Vec<u64> = seen.collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_upserts_of_one_key_insert_one_row() {
    let bank = Bank::with(&[("pool-size", "6")]).await;
    let upsert = "mutation { insert_words(objects: [{word: \"new\", times: 7}], on_conflict: \
                  {constraint: words_pkey, \
                  update_columns: [times]}) { affected_rows returning { word times } } }";
    let ignore = "mutation { insert_words(objects: [{word: \"new\", times: 7}], on_conflict: \
                  {constraint: words_pkey, \
                  update_columns: []}) { affected_rows } }";
    for round in 0..5 {
        let replies = at_once(
            (0..24)
                .map(|number| bank.asks([upsert, ignore][number % 2]))
                .collect(),
        )
        .await;
        for (number, reply) in replies.iter().enumerate() {
            assert!(is_answered(reply), "{round}: {}", reply.text);
            if number % 2 == 0 {
                assert_eq!(
                    reply.data()["insert_words"]["affected_rows"],
                    1,
                    "{}",
                    reply.text
                );
            }
        }
        assert_eq!(
            bank.holds("SELECT count(*) || ' ' || min(times) FROM words WHERE word = 'new'")
                .await,
            "1 7"
        );
        bank.database
            .connect()
            .await
            .unwrap()
            .batch_execute("DELETE FROM words WHERE word = 'new'")
            .await
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_upserts_of_several_keys_in_any_order_insert_all() {
    let bank = Bank::with(&[("pool-size", "4")]).await;
    let upsert = |words: [&str; 3]| {
        let objects = words
            .map(|word| format!("{{word: {word:?}, times: 3}}"))
            .join(", ");
        format!(
            "mutation {{ insert_words(objects: [{objects}], on_conflict: {{constraint: \
                 words_pkey, update_columns: [times]}}) \
                 {{ affected_rows }} }}"
        )
    };
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]];
    let replies = at_once(
        (0..12)
            .map(|number| bank.asks(&upsert(orders[number % 3])))
            .collect(),
    )
    .await;
    let done = replies.iter().filter(|reply| is_answered(reply)).count();
    assert!(done >= 4, "{done}");
    let found =
        "SELECT string_agg(word || times, ' ' ORDER BY word) FROM words WHERE word <> 'there'";
    assert_eq!(bank.holds(found).await, "a3 b3 c3");
}

#[tokio::test(flavor = "multi_thread")]
async fn opposite_lock_orders_are_retried_or_reported_as_conflict() {
    let bank = Bank::with(&[("pool-size", "4")]).await;
    // Postgres looks for deadlocks sooner.
    let name = bank.database.name().to_owned();
    let sql = format!("ALTER DATABASE {name} SET deadlock_timeout = '50ms'");
    bank.database
        .connect()
        .await
        .unwrap()
        .batch_execute(&sql)
        .await
        .unwrap();
    bank.database.end_gateway_connections().await;
    let transfer = |from: i32, to: i32| {
        format!(
            "mutation {{ a: \
                                                 update_accounts_by_pk(pk_columns: {{id: \
                                                 {from}}}, _inc: {{balance: -1}}) {{ id }} \
                                                 w: insert_words(objects: [{{word: \
                                                 \"{from}\"}}], on_conflict: {{constraint: \
                                                 words_pkey, update_columns: [times]}}) {{ \
                                                 affected_rows }} \
                                                 b: update_accounts_by_pk(pk_columns: {{id: \
                                                 {to}}}, _inc: {{balance: 1}}) {{ id }} }}"
        )
    };
    let pairs = [(1, 2), (2, 1), (2, 4), (4, 1)];
    let mut done = Vec::new();
    for _ in 0..6 {
        let requests = (0..16).map(|number| pairs[number % 4]);
        let replies = at_once(
            requests
                .clone()
                .map(|(from, to)| bank.asks(&transfer(from, to)))
                .collect(),
        )
        .await;
        done.extend(
            requests
                .zip(&replies)
                .filter(|(_, reply)| is_answered(reply))
                .map(|(pair, _)| pair),
        );
    }
    assert!(done.len() >= 48, "{}", done.len());
    let balance = |id: i32| {
        let moved = done
            .iter()
            .map(|(from, to)| i32::from(*to == id) - i32::from(*from == id));
        100 + moved.sum::<i32>()
    };
    let expected = format!("a={} b={} c={}", balance(1), balance(2), balance(4));
    assert_eq!(bank.balances().await, expected, "{} done", done.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_update_of_the_same_version_succeeds() {
    let bank = Bank::with(&[("pool-size", "6")]).await;
    let by_key = "update_accounts_by_pk(pk_columns: {id: 1}, if_match: {version: VERSION}, _inc: \
                  {version: 1, balance: 1}) { version }";
    let by_rows = "update_accounts(where: {id: {_eq: 1}}, if_match: {version: VERSION}, _inc: \
                   {version: 1, balance: 1}) { affected_rows }";
    for version in 1..=6 {
        let query = [by_key, by_rows][version % 2].replace("VERSION", &version.to_string());
        let replies = at_once(
            (0..12)
                .map(|_| bank.asks(&format!("mutation {{ {query} }}")))
                .collect(),
        )
        .await;
        let won = replies.iter().filter(|reply| is_answered(reply)).count();
        assert_eq!(
            won,
            1,
            "version {version}: {:?}",
            replies.iter().map(|reply| &reply.text).collect::<Vec<_>>()
        );
        let message = "the row has changed: 'if_match' did not match";
        let lost = replies
            .iter()
            .filter(|reply| reply.error().message == message)
            .count();
        assert_eq!(lost, 11, "version {version}");
    }
    let reply = bank
        .ask("{ accounts_by_pk(id: 1) { version balance } }")
        .await;
    assert_eq!(
        reply.text,
        r#"{"data":{"accounts_by_pk":{"version":7,"balance":106}}}"#
    );
}
