//! Tests mutations over HTTP: atomicity, dry runs, back ends, and errors of the database. What
//! mutations mean is left to the golden cases.

use reqwest::Method;
use serde_json::{Value, json};
use tests::proxy::{Message, Proxy};
use tests::reply::Reply;
use tests::reply::ReplyError;

use crate::bank::Bank;

const ACCOUNTS: &str = "a=100 b=100 c=100";

/// Adds to one account, and withdraws more than the balance from another.
const OVERDRAWN: &str = "mutation { a: update_accounts_by_pk(pk_columns: {id: 1}, _inc: \
                         {balance: 5}) { balance } \
                         b: update_accounts_by_pk(pk_columns: {id: 2}, _inc: {balance: -500}) { \
                         balance } }";

#[tokio::test(flavor = "multi_thread")]
async fn fields_run_and_are_returned_in_order() {
    let bank = Bank::with(&[]).await;
    let query = "mutation { z: update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { \
                 balance } __typename \
                 a: insert_accounts_one(object: {id: 9, owner_id: 1, label: \"n\", balance: 1}) \
                 { id balance } \
                 m: update_accounts(where: {id: {_in: [1, 9]}}, _inc: {balance: 10}) { \
                 affected_rows returning { id balance } } }";
    let reply = bank.ask(query).await;
    let expected = r#"{"data":{"z":{"balance":105},"__typename":"mutation_root","a":{"id":9,"balance":1},"m":{"affected_rows":2,"returning":[{"id":1,"balance":115},{"id":9,"balance":11}]}}}"#;
    assert_eq!((reply.status, reply.text.as_str()), (200, expected));
    assert_eq!(bank.balances().await, "a=115 b=100 c=100 n=11");
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_field_rolls_back_earlier_fields() {
    let bank = Bank::with(&[]).await;
    let reply = bank.ask(OVERDRAWN).await;
    let message = "Check constraint violation. new row for relation 'accounts' violates check \
                   constraint 'solvent'";
    assert_eq!(
        reply.error(),
        ReplyError::new(200, "constraint-violation", message)
    );
    assert!(reply.is_sound_error(), "{}", reply.text);
    assert_eq!(bank.balances().await, ACCOUNTS);
    let later = "mutation { insert_cards(objects: [{id: 1, account_id: 99}]) { affected_rows } \
                 update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { balance } }";
    let ReplyError { code, message, .. } = bank.ask(later).await.error();
    assert_eq!(code, "constraint-violation", "{message}");
    assert!(
        message.starts_with("Foreign key violation. insert or update on table 'cards'"),
        "{message}"
    );
    assert_eq!(bank.balances().await, ACCOUNTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_of_a_mutation_share_one_round_trip() {
    let database = tests::create("bank", &[crate::bank::SCHEMA]).await.unwrap();
    let proxy = Proxy::start(database.url()).await.unwrap();
    let bank = Bank::at(proxy.url(), database, &[("pool-size", "1")]).await;
    proxy.until_started().await;
    let messages = async |query: &str| {
        for _ in 0..2 {
            let reply = bank.ask(query).await;
            assert_ne!(reply.data(), Value::Null, "{}", reply.text);
        }
        proxy.take();
        bank.ask(query).await;
        proxy.take()
    };
    let insert = "mutation { insert_words(objects: [{word: \"w\"}], on_conflict: {constraint: \
                  words_pkey, \
                  update_columns: [times]}) { affected_rows returning { word times } } }";
    assert_eq!(
        messages(insert).await,
        [Message::Bind, Message::Execute, Message::Sync]
    );
    let add = |alias: &str, id: i32| {
        format!(
            "{alias}: update_accounts_by_pk(pk_columns: {{id: \
                                              {id}}}, _inc: {{balance: 1}}) {{ id balance }}"
        )
    };
    let three = format!(
        "mutation {{ {} {} {} }}",
        add("a", 1),
        add("b", 2),
        add("c", 4)
    );
    let three = messages(&three).await;
    assert!(
        three[..6]
            .chunks(2)
            .all(|one| one == [Message::Bind, Message::Execute]),
        "{three:?}"
    );
    assert_eq!(
        three[6..],
        [Message::Sync],
        "what stands before one `Sync` is one transaction"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn database_errors_have_a_code_and_a_path() {
    let bank = Bank::with(&[]).await;
    let hasura = Bank::with(&[("profile", "hasura")]).await;
    let objects = |field: &str| format!("$.selectionSet.{field}.args.objects");
    let cases: [(&str, &str, String, [&str; 3]); 12] = [
        (
            r#"insert_accounts(objects: [{id: 1, owner_id: 1, label: "x"}]) { affected_rows }"#,
            "Uniqueness violation. duplicate key value violates unique constraint 'accounts_pkey'",
            objects("insert_accounts"),
            [
                "constraint-violation",
                "constraint-violation",
                "insert_accounts",
            ],
        ),
        (
            r#"insert_accounts(objects: [{id: 9, owner_id: 1, label: null}]) { affected_rows }"#,
            "Not-NULL violation. null value in column 'label' of relation 'accounts' violates \
             not-null constraint",
            objects("insert_accounts"),
            [
                "constraint-violation",
                "constraint-violation",
                "insert_accounts",
            ],
        ),
        (
            r#"insert_accounts(objects: [{id: 9, owner_id: 1, label: "x", balance: -1}]) { affected_rows }"#,
            "Check constraint violation. new row for relation 'accounts' violates check \
             constraint 'solvent'",
            objects("insert_accounts"),
            [
                "constraint-violation",
                "permission-error",
                "insert_accounts",
            ],
        ),
        (
            r#"insert_cards(objects: [{id: 1, account_id: 1, during: "[1,5]"}, {id: 2, account_id: 1, during: "[2,3]"}]) { affected_rows }"#,
            "Exclusion violation. conflicting key value violates exclusion constraint \
             'cards_during_excl'",
            objects("insert_cards"),
            [
                "constraint-violation",
                "constraint-violation",
                "insert_cards",
            ],
        ),
        (
            r#"insert_rich(objects: [{id: 9, owner_id: 1, label: "x", balance: 1}]) { affected_rows }"#,
            "Check constraint violation. the row violates the check option of the view",
            objects("insert_rich"),
            ["constraint-violation", "permission-error", "insert_rich"],
        ),
        (
            r#"insert_words(objects: [{word: "raise"}]) { affected_rows }"#,
            "a function or trigger of the database refuses the request",
            objects("insert_words"),
            ["data-exception", "unexpected", "insert_words"],
        ),
        (
            r#"insert_words(objects: [{word: "class 23"}]) { affected_rows }"#,
            "Uniqueness violation. duplicate key value violates a unique constraint",
            objects("insert_words"),
            [
                "constraint-violation",
                "constraint-violation",
                "insert_words",
            ],
        ),
        (
            r#"insert_words(objects: [{word: "x"}, {word: "x"}], on_conflict: {constraint: words_pkey, update_columns: [times]}) { affected_rows }"#,
            "an upsert cannot update the same row twice",
            objects("insert_words"),
            [
                "constraint-violation",
                "constraint-violation",
                "insert_words",
            ],
        ),
        (
            r#"insert_words(objects: [{word: "big", times: 2147483647}]) { affected_rows } update_words(where: {}, _inc: {times: 1}) { affected_rows }"#,
            "a number is out of range",
            "$.selectionSet.update_words".into(),
            ["data-exception", "data-exception", ""],
        ),
        (
            r#"insert_accounts(objects: [{id: 9, owner_id: 2, label: "secret"}]) { affected_rows }"#,
            "check constraint of an insert/update permission has failed",
            objects("insert_accounts"),
            ["permission-error", "permission-error", "insert_accounts"],
        ),
        (
            r#"update_accounts(where: {id: {_eq: 1}}, _set: {owner_id: 2, label: "secret"}) { affected_rows }"#,
            "check constraint of an insert/update permission has failed",
            "$.selectionSet.update_accounts".into(),
            ["permission-error", "permission-error", ""],
        ),
        (
            r#"update_accounts(where: {}, _set: {label: "same"}) { affected_rows }"#,
            "Uniqueness violation. duplicate key value violates unique constraint \
             'accounts_owner_id_label_key'",
            "$.selectionSet.update_accounts".into(),
            ["constraint-violation", "constraint-violation", ""],
        ),
    ];
    for (fields, message, path, [code, hasura_code, hasura_path]) in cases {
        let query = format!("mutation {{ {fields} }}");
        let reply = bank.ask(&query).await;
        let body = reply.json();
        assert_eq!(
            reply.error(),
            ReplyError::new(200, code, message),
            "{query}"
        );
        let found = body["errors"][0]["extensions"]["path"].as_str().unwrap();
        assert!(found.starts_with(&path), "{query}: {found}");
        let strict = bank
            .post("clerk")
            .header("Accept", "application/graphql-response+json");
        let strict = Reply::of(strict.json(&json!({"query": query})))
            .await
            .unwrap();
        assert_eq!(
            strict.status,
            if code == "permission-error" { 403 } else { 400 },
            "{query}"
        );
        let body = hasura.ask(&query).await.json();
        assert_eq!(
            body["errors"][0]["extensions"]["code"], hasura_code,
            "{query}: {body}"
        );
        let expected = if hasura_path.is_empty() {
            "$".to_owned()
        } else {
            objects(hasura_path)
        };
        assert_eq!(body["errors"][0]["extensions"]["path"], expected, "{query}");
        assert!(!body.to_string().contains("secret:"), "{body}");
    }
    assert_eq!(bank.balances().await, ACCOUNTS);
    assert_eq!(
        bank.holds("SELECT string_agg(word, ' ') FROM words").await,
        "there"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn row_limits_apply_to_mutations() {
    let bank = Bank::with(&[]).await;
    let reply = bank
        .ask("mutation { delete_accounts(where: {}) { affected_rows } }")
        .await;
    assert_eq!(
        reply.error(),
        ReplyError::new(200, "limit-exceeded", "the limit on affected rows is 1")
    );
    let reply = bank
        .ask("mutation { delete_accounts(where: {id: {_eq: 1}}) { affected_rows } }")
        .await;
    assert_eq!(
        reply.data(),
        json!({"delete_accounts": {"affected_rows": 1}}),
        "{}",
        reply.text
    );
    assert_eq!(bank.balances().await, "b=100 c=100");
}

#[tokio::test(flavor = "multi_thread")]
async fn dry_run_responds_and_leaves_nothing_behind() {
    let bank = Bank::with(&[]).await;
    let dry = async |role: &str, value: &str, query: &str| {
        let post = bank.post(role).header("X-Gateway-Dry-Run", value);
        Reply::of(post.json(&json!({"query": query})))
            .await
            .unwrap()
    };
    let add =
        "mutation { update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { balance } }";
    for value in ["true", "T", "yes", "y"] {
        let reply = dry("clerk", value, add).await;
        assert_eq!(
            reply.data(),
            json!({"update_accounts_by_pk": {"balance": 105}}),
            "{}",
            reply.text
        );
        assert_eq!(reply.header("X-Gateway-Dry-Run"), "true");
    }
    // Deferred constraints are checked in a dry run too.
    let card = "mutation { insert_cards(objects: [{id: 1, account_id: 99}]) { affected_rows } }";
    assert_eq!(
        dry("clerk", "true", card).await.error().code,
        "constraint-violation"
    );
    assert_eq!(
        dry("clerk", "true", OVERDRAWN).await.error().code,
        "constraint-violation"
    );
    assert_eq!(bank.balances().await, ACCOUNTS);

    let word = "mutation { insert_words(objects: [{word: \"new\"}]) { affected_rows } }";
    let refused = ReplyError::new(403, "access-denied", "Role 'guest' may not use dry runs");
    assert_eq!(dry("guest", "true", word).await.error(), refused);
    assert_eq!(
        dry("clerk", "maybe", word).await.error().code,
        "bad-request"
    );
    let twice = bank
        .post("clerk")
        .header("X-Gateway-Dry-Run", "true")
        .header("X-Gateway-Dry-Run", "false");
    assert_eq!(
        Reply::of(twice.json(&json!({"query": word})))
            .await
            .unwrap()
            .status,
        400
    );
    assert_eq!(bank.holds("SELECT count(*)::text FROM words").await, "1");

    for spelling in [
        "X-Gateway-Dry_Run",
        "X_Gateway-Dry-Run",
        "x_gateway_dry_run",
    ] {
        let misspelled = bank
            .post("clerk")
            .header(spelling, "true")
            .json(&json!({"query": add}));
        let message = format!(
            "the header '{}' has to be spelled 'x-gateway-dry-run'",
            spelling.to_lowercase()
        );
        let expected = ReplyError::new(400, "bad-request", message);
        assert_eq!(Reply::of(misspelled).await.unwrap().error(), expected);
    }
    assert_eq!(bank.balances().await, ACCOUNTS);

    let query = dry("guest", "true", "{ words { word } }").await;
    assert_eq!(query.data(), json!({"words": [{"word": "there"}]}));
    assert_eq!(query.header("X-Gateway-Dry-Run"), "");
    let real = dry("guest", "false", word).await;
    assert_eq!((real.status, real.header("X-Gateway-Dry-Run")), (200, ""));
    assert_eq!(bank.holds("SELECT count(*)::text FROM words").await, "2");

    let batch = bank.post("clerk").header("X-Gateway-Dry-Run", "true");
    let reply = Reply::of(batch.json(&json!([{"query": "{ words { word } }"}, {"query": add}])))
        .await
        .unwrap();
    assert_eq!(
        reply.json()[1]["data"]["update_accounts_by_pk"]["balance"],
        105
    );
    assert_eq!(reply.header("X-Gateway-Dry-Run"), "true");
    assert_eq!(bank.balances().await, ACCOUNTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn dry_run_works_with_a_token() {
    let key = "an HMAC key of at least 32 bytes: 0123456789";
    let secret = json!({"type": "HS256", "key": key}).to_string();
    let bank = Bank::with(&[("jwt-secret", &secret), ("header-prefix", "X-Bank-")]).await;
    let claims = json!({"exp": 4_000_000_000_u32, "gateway": {"x-bank-default-role": "clerk",
        "x-bank-allowed-roles": ["clerk"], "x-bank-user-id": "1"}});
    let signing = jsonwebtoken::EncodingKey::from_secret(key.as_bytes());
    let token = jsonwebtoken::encode(&jsonwebtoken::Header::default(), &claims, &signing).unwrap();
    let add =
        "mutation { update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { balance } }";
    let post = bank
        .client
        .post(format!("{}/v1/graphql", bank.gateway.url()))
        .bearer_auth(token);
    let reply = Reply::of(
        post.header("X-Bank-Dry-Run", "true")
            .json(&json!({"query": add})),
    )
    .await
    .unwrap();
    assert_eq!(
        reply.data(),
        json!({"update_accounts_by_pk": {"balance": 105}}),
        "{}",
        reply.text
    );
    assert_eq!(reply.header("X-Bank-Dry-Run"), "true");
    assert_eq!(bank.balances().await, ACCOUNTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn backend_only_grants_need_the_header() {
    let bank = Bank::with(&[]).await;
    let delete = "mutation { delete_owners(where: {name: {_eq: \"nobody\"}}) { affected_rows } }";
    let fields = "{ __schema { mutationType { fields { name } } } }";
    let as_backend = async |value: &str, query: &str| {
        let post = bank
            .post("clerk")
            .header("X-Gateway-Use-Backend-Only-Permissions", value);
        Reply::of(post.json(&json!({"query": query})))
            .await
            .unwrap()
    };
    // Twice, so that neither response could come from the other's cache entry.
    for _ in 0..2 {
        let ReplyError { code, message, .. } = bank.ask(delete).await.error();
        let missing = "field 'delete_owners' not found in type: 'mutation_root'";
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("validation-failed", missing)
        );
        assert!(!bank.ask(fields).await.text.contains("delete_owners"));
        let reply = as_backend("yes", delete).await;
        assert_eq!(
            reply.data(),
            json!({"delete_owners": {"affected_rows": 0}}),
            "{}",
            reply.text
        );
        assert!(
            as_backend("true", fields)
                .await
                .text
                .contains("delete_owners")
        );
    }
    assert_eq!(
        as_backend("no", delete).await.error().code,
        "validation-failed"
    );
    assert_eq!(
        as_backend("perhaps", delete).await.error().code,
        "bad-request"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_need_post_and_are_separate_in_a_batch() {
    let bank = Bank::with(&[]).await;
    let add =
        "mutation { update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { balance } }";
    let url = format!("{}/v1/graphql", bank.gateway.url());
    let get = bank
        .client
        .get(&url)
        .query(&[("query", add)])
        .header("X-Gateway-Admin-Secret", "secret");
    let reply = Reply::of(
        get.header("X-Gateway-Role", "clerk")
            .header("X-Gateway-User-Id", "1"),
    )
    .await
    .unwrap();
    assert_eq!((reply.status, reply.header("Allow")), (405, "POST"));
    // PUT reserves an event stream, and runs nothing.
    for (method, status) in [(Method::PATCH, 405), (Method::PUT, 201)] {
        let request = bank
            .client
            .request(method, &url)
            .header("X-Gateway-Admin-Secret", "secret");
        assert_eq!(
            Reply::of(request.json(&json!({"query": add})))
                .await
                .unwrap()
                .status,
            status
        );
    }
    assert_eq!(bank.balances().await, ACCOUNTS);

    let requests = json!([{"query": add}, {"query": OVERDRAWN}, {"query": add}, {"query": "{ \
         accounts_by_pk(id: 1) { balance } }"}]);
    let reply = Reply::of(bank.post("clerk").json(&requests))
        .await
        .unwrap()
        .json();
    assert_eq!(reply[0]["data"]["update_accounts_by_pk"]["balance"], 105);
    assert_eq!(
        reply[1]["errors"][0]["extensions"]["code"],
        "constraint-violation"
    );
    assert_eq!(reply[2]["data"]["update_accounts_by_pk"]["balance"], 110);
    assert_eq!(reply[3]["data"]["accounts_by_pk"]["balance"], 110);
    assert_eq!(bank.balances().await, "a=110 b=100 c=100");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_and_replaced_table_are_retried() {
    let bank = Bank::with(&[("pool-size", "1")]).await;
    let insert = |word: &str| {
        format!(
            "mutation {{ insert_words(objects: [{{word: {word:?}}}]) \
                                       {{ affected_rows returning {{ times }} }} }}"
        )
    };
    assert_ne!(bank.ask(&insert("one")).await.data(), Value::Null);
    bank.database.end_gateway_connections().await;
    let reply = bank.ask(&insert("two")).await;
    assert_ne!(reply.data(), Value::Null, "{}", reply.text);
    let client = bank.database.connect().await.unwrap();
    client
        .batch_execute(
            "ALTER TABLE words RENAME TO old; CREATE TABLE words (LIKE old INCLUDING ALL)",
        )
        .await
        .unwrap();
    let reply = bank.ask(&insert("three")).await;
    assert_ne!(reply.data(), Value::Null, "{}", reply.text);
    assert_eq!(
        bank.holds("SELECT string_agg(word, ' ') FROM words").await,
        "three"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn late_or_cancelled_mutations_are_rolled_back() {
    let slow = "mutation { a: update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 5}) { \
                id } \
                w: insert_words(objects: [{word: \"sleep\"}]) { affected_rows } }";
    let alone = "mutation { insert_words(objects: [{word: \"sleep\"}]) { affected_rows } }";
    let bank = Bank::with(&[("time-limit", "0.3"), ("pool-size", "1")]).await;
    for query in [slow, alone, slow] {
        let ReplyError { status, code, .. } = bank.ask(query).await.error();
        assert_eq!((status, code.as_str()), (504, "limit-exceeded"), "{query}");
    }
    let bank = Bank::with(&[("pool-size", "1")]).await;
    for query in [slow, alone, slow] {
        let given_up = bank
            .asks(query)
            .timeout(std::time::Duration::from_millis(150));
        assert!(Reply::of(given_up).await.is_err());
    }
    // The only connection is available at once, and outside of any transaction.
    let started = std::time::Instant::now();
    let add =
        "mutation { update_accounts_by_pk(pk_columns: {id: 1}, _inc: {balance: 1}) { balance } }";
    let reply = bank.ask(add).await;
    assert_eq!(
        reply.data(),
        json!({"update_accounts_by_pk": {"balance": 101}}),
        "{}",
        reply.text
    );
    assert!(
        started.elapsed() < std::time::Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(bank.balances().await, "a=101 b=100 c=100");
    assert_eq!(bank.holds("SELECT count(*)::text FROM words").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn mutation_with_too_large_a_response_is_rolled_back() {
    let bank = Bank::with(&[("answer-limit", "20000")]).await;
    let long = "x".repeat(3000);
    let words = |from: usize, count: usize| {
        let objects = (from..from + count).map(|number| json!({"word": format!("{long}{number}")}));
        json!({"w": objects.collect::<Vec<_>>()})
    };
    let insert = "mutation($w: [words_insert_input!]!) { insert_words(objects: $w) { \
                  affected_rows returning { word } } }";
    let several = "mutation($w: [words_insert_input!]!) { a: update_accounts_by_pk(pk_columns: \
                   {id: 1}, _inc: {balance: 5}) \
                   { id } insert_words(objects: $w) { affected_rows returning { word } } }";
    let over = ReplyError::new(
        200,
        "limit-exceeded",
        "the answer is larger than the limit of 20000 bytes",
    );
    for query in [insert, several] {
        let body = json!({"query": query, "variables": words(0, 7)});
        assert_eq!(
            Reply::of(bank.post("clerk").json(&body))
                .await
                .unwrap()
                .error(),
            over,
            "{query}"
        );
    }
    assert_eq!(bank.holds("SELECT count(*)::text FROM words").await, "1");
    assert_eq!(bank.balances().await, ACCOUNTS);
    let body = json!({"query": several, "variables": words(0, 5)});
    let reply = Reply::of(bank.post("clerk").json(&body)).await.unwrap();
    assert_eq!(
        reply.data()["insert_words"]["affected_rows"],
        5,
        "{}",
        reply.text
    );
    // The response is short because it selects no long value.
    let short =
        "mutation($w: [words_insert_input!]!) { insert_words(objects: $w) { affected_rows } }";
    let body = json!({"query": short, "variables": words(10, 20)});
    let reply = Reply::of(bank.post("clerk").json(&body)).await.unwrap();
    assert_eq!(
        reply.data()["insert_words"]["affected_rows"],
        20,
        "{}",
        reply.text
    );
}
