//! Tests what the console's endpoints answer.

use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::Service;

const USER: [(&str, &str); 2] = [("X-Gateway-Role", "user"), ("X-Gateway-User-Id", "1")];
const CLERK: [(&str, &str); 1] = [("X-Gateway-Role", "clerk")];

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_explained_as_the_role_that_the_headers_name() {
    let service = Service::start("").await;
    let query = "{ orders { id } }";
    let user = service.explain("/v1/graphql/explain", &USER, query).await;
    let statement = &user["statements"][0];
    assert_eq!(
        (&user["role"], &user["kind"], &user["analyzed"]),
        (&json!("user"), &json!("query"), &json!(false))
    );
    assert!(
        statement["sql"]
            .as_str()
            .unwrap()
            .contains("\"customer_id\" = $1"),
        "{statement}"
    );
    assert_eq!(statement["parameters"], json!(["1"]));
    let read = &statement["reads"][0];
    assert_eq!(
        (&read["table"], &read["rule"], &read["file"], &read["line"]),
        (
            &json!("public.orders"),
            &json!("customer_id = session.user_id"),
            &json!("permissions.toml"),
            &json!(9)
        ),
    );
    let plan = statement["plan"].as_str().unwrap();
    assert!(
        plan.contains("cost=") && !plan.contains("actual time"),
        "{plan}"
    );
    let clerk = service.explain("/v1/graphql/explain", &CLERK, query).await;
    assert_ne!(clerk["statements"][0]["sql"], statement["sql"]);
    let analyzed = service
        .explain("/v1/graphql/explain?analyze=true", &USER, query)
        .await;
    assert!(
        analyzed["statements"][0]["plan"]
            .as_str()
            .unwrap()
            .contains("actual time"),
        "{analyzed}"
    );
    let wrong = service
        .explain("/v1/graphql/explain", &USER, "{ orders { hidden_note } }")
        .await;
    assert_eq!(
        wrong["errors"][0]["extensions"]["code"], "validation-failed",
        "{wrong}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn analyzed_mutation_is_rolled_back() {
    let service = Service::start("").await;
    let query = "mutation { insert_orders_one(object: {id: 9, total: 1}) { id customer_id } }";
    let explained = service
        .explain("/v1/graphql/explain?analyze=true", &USER, query)
        .await;
    assert_eq!(
        (&explained["kind"], &explained["analyzed"]),
        (&json!("mutation"), &json!(true)),
        "{explained}"
    );
    assert!(
        explained["statements"][0]["plan"]
            .as_str()
            .unwrap()
            .contains("Insert on orders"),
        "{explained}"
    );
    assert_eq!(service.value("SELECT count(*) FROM orders").await, "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn analyzed_request_ends_at_the_time_limit_of_its_role() {
    let service = Service::start("[bounds.role.user]\ntime = 0.3\n").await;
    let lock = service.database.connect().await.unwrap();
    lock.batch_execute("BEGIN; LOCK TABLE orders")
        .await
        .unwrap();
    let headers: Vec<_> = [("X-Gateway-Admin-Secret", ADMIN_SECRET)]
        .iter()
        .chain(&USER)
        .copied()
        .collect();
    let body = json!({"query": "{ orders { id } }"});
    let late = service
        .send(
            "POST",
            "/v1/graphql/explain?analyze=true",
            &headers,
            Some(&body),
        )
        .await;
    assert_eq!(
        (late.status, late.error().code.as_str()),
        (504, "limit-exceeded"),
        "{}",
        late.text
    );
    drop(lock);
}

#[tokio::test(flavor = "multi_thread")]
async fn matrix_has_every_grant_with_the_place_of_its_rules() {
    let service = Service::start("console = true\n").await;
    let matrix = service.read("/console/api/permissions", &[]).await;
    assert_eq!(matrix["roles"], json!(["admin", "user", "clerk", "silent"]));
    let table = matrix["tables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|table| table["name"] == "orders")
        .unwrap();
    assert_eq!(
        (&table["table"], &table["list"]),
        (&json!("public.orders"), &json!("orders"))
    );
    let of = |role: &str| {
        let grants = matrix["grants"].as_array().unwrap();
        grants
            .iter()
            .find(|grant| grant["role"] == role && grant["table"] == "orders")
            .unwrap()
            .clone()
    };
    let user = of("user");
    assert_eq!(
        user["select"]["rows"],
        json!({"text": "customer_id = session.user_id", "file": "permissions.toml", "line": 9})
    );
    assert_eq!(
        (&user["select"]["limit"], &user["select"]["aggregates"]),
        (&json!(100), &json!(false))
    );
    assert_eq!(user["insert"]["check"]["text"], "total < 100");
    assert_eq!(user["insert"]["presets"][0]["column"], "customer_id");
    assert_eq!(
        (&user["update"], &user["delete"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(of("clerk")["update"]["rows"]["text"], "total < 50");
    let session = service.read("/console/api/session", &[]).await;
    let roles = session["roles"].as_array().unwrap();
    let user = roles.iter().find(|role| role["name"] == "user").unwrap();
    assert_eq!(
        (&session["admin"], &user["values"]),
        (&json!(true), &json!(["user_id"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn diagram_is_that_of_the_role_that_the_admin_acts_as() {
    let service = Service::start("console = true\n").await;
    let names = async |role: &[(&str, &str)]| {
        let diagram = service.read("/console/api/schema", role).await;
        let tables = diagram["tables"].as_array().unwrap();
        tables
            .iter()
            .map(|table| table["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&CLERK).await, ["orders"]);
    assert_eq!(names(&USER).await, ["customers", "orders"]);
    let diagram = service.read("/console/api/schema", &USER).await;
    let orders = &diagram["tables"][1];
    assert_eq!(
        orders["relations"],
        json!([{"name": "customer", "to": "customers", "many": false}])
    );
    assert_eq!(
        orders["columns"][0],
        json!({"name": "id", "type": "Int!", "key": true})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_event_is_shown_and_replayed() {
    let service = Service::start("console = true\n").await;
    service
        .run(
            "INSERT INTO postern.event_queue (id, trigger_name, kind, state, payload, attempts, finished_at)
             VALUES ('7c9e6679-7425-40de-944b-e07fc1f90ae7', 'placed', 'table', 'dead', '{\"a\": 1}', 7, now());
             INSERT INTO postern.event_invocation (event_id, trigger_name, attempt, milliseconds, outcome, error)
             VALUES ('7c9e6679-7425-40de-944b-e07fc1f90ae7', 'placed', 7, 3, 'dead', 'refused')",
        )
        .await;
    let listed = service.read("/console/api/events?state=dead", &[]).await;
    assert_eq!(
        listed["counts"],
        json!([{"trigger": "placed", "state": "dead", "count": 1}])
    );
    assert_eq!(
        (
            &listed["events"][0]["trigger"],
            &listed["events"][0]["error"]
        ),
        (&json!("placed"), &json!("refused"))
    );
    let id = listed["events"][0]["id"].as_str().unwrap();
    let shown = service.read(&format!("/console/api/event/{id}"), &[]).await;
    assert_eq!(
        (&shown["payload"], &shown["invocations"][0]["error"]),
        (&json!({"a": 1}), &json!("refused"))
    );
    let secret = [("X-Gateway-Admin-Secret", ADMIN_SECRET)];
    let replayed = service
        .send(
            "POST",
            "/console/api/replay",
            &secret,
            Some(&json!({"id": id})),
        )
        .await;
    assert_eq!(replayed.json(), json!({"replayed": 1}));
    assert_eq!(
        service.value("SELECT state FROM postern.event_queue").await,
        "pending"
    );
    let none = service
        .send(
            "POST",
            "/console/api/replay",
            &secret,
            Some(&json!({"trigger": "placed"})),
        )
        .await;
    assert_eq!(none.json(), json!({"replayed": 0}));
    let wrong = service
        .send(
            "POST",
            "/console/api/replay",
            &secret,
            Some(&json!({"id": 7})),
        )
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let unknown = service
        .send("GET", "/console/api/events?limit=9", &secret, None)
        .await;
    assert_eq!(unknown.status, 400, "{}", unknown.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_and_sessions_of_a_user_are_shown() {
    let service = Service::start("console = true\n").await;
    service
        .run(
            "INSERT INTO postern.authentication_event (event, outcome, reason, user_id, address) VALUES
               ('sign-in', 'success', NULL, '7', '192.0.2.1'), ('sign-in', 'failure', 'invalid', NULL, '192.0.2.2'),
               ('sign-in', 'success', NULL, '8', '192.0.2.3');
             INSERT INTO postern.session (id, user_id, revoked_at) VALUES
               ('7c9e6679-7425-40de-944b-e07fc1f90ae1', '7', NULL), ('7c9e6679-7425-40de-944b-e07fc1f90ae2', '7', now()),
               ('7c9e6679-7425-40de-944b-e07fc1f90ae3', '8', NULL), ('7c9e6679-7425-40de-944b-e07fc1f90ae4', '7', NULL);
             INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
             SELECT gen_random_uuid(), s.id, sha256(s.id::text::bytea), now() + interval '1 hour'
             FROM postern.session s WHERE s.id <> '7c9e6679-7425-40de-944b-e07fc1f90ae4'",
        )
        .await;
    let read = async |query: &str| {
        let listed = service
            .read(&format!("/console/api/sign-ins{query}"), &[])
            .await;
        let events = listed["events"].as_array().unwrap().iter();
        let events: Vec<_> = events
            .map(|event| event["address"].as_str().unwrap().to_owned())
            .collect();
        let sessions = listed["sessions"].as_array().unwrap().iter();
        let sessions: Vec<_> = sessions
            .map(|session| session["id"].as_str().unwrap().to_owned())
            .collect();
        (events.join(" "), sessions.join(" "))
    };
    let none = String::new();
    assert_eq!(
        read("").await,
        ("192.0.2.3 192.0.2.2 192.0.2.1".into(), none.clone())
    );
    let own = "7c9e6679-7425-40de-944b-e07fc1f90ae1".to_owned();
    assert_eq!(read("?user=7").await, ("192.0.2.1".into(), own));
    assert_eq!(
        read("?outcome=failure").await,
        ("192.0.2.2".into(), none.clone())
    );
    assert_eq!(read("?event=sign-out").await, (none.clone(), none));
    let secret = [("X-Gateway-Admin-Secret", ADMIN_SECRET)];
    let unknown = service
        .send("GET", "/console/api/sign-ins?limit=9", &secret, None)
        .await;
    assert_eq!(unknown.status, 400, "{}", unknown.text);
    service.run("DROP SCHEMA postern CASCADE").await;
    let listed = service.read("/console/api/sign-ins", &[]).await;
    assert_eq!(listed["has_tables"], json!(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_say_what_they_have_refused() {
    let settings = "console = true\n[[rates]]\nname = \"few\"\nper = \
                    [\"session.user_id\"]\nroles = [\"user\"]\nrate = 1\nevery = 60\n\
                    [bounds.role.user]\ndepth = 1\n";
    let service = Service::start(settings).await;
    let headers: Vec<_> = [("X-Gateway-Admin-Secret", ADMIN_SECRET)]
        .iter()
        .chain(&USER)
        .copied()
        .collect();
    let body = json!({"query": "{ orders { customer { id } } }"});
    let deep = service
        .send("POST", "/v1/graphql", &headers, Some(&body))
        .await;
    assert_eq!(
        deep.json()["errors"][0]["extensions"]["code"],
        "limit-exceeded"
    );
    assert_eq!(
        service
            .send("POST", "/v1/graphql", &headers, Some(&body))
            .await
            .status,
        429
    );
    let limits = service.read("/console/api/limits", &[]).await;
    let rate = limits["rates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|rate| rate["name"] == "few")
        .unwrap();
    assert_eq!(
        (&rate["per"], &rate["rate"], &rate["mode"]),
        (&json!(["session.user_id"]), &json!(1), &json!("enforce"))
    );
    assert_eq!(
        limits["refused"]["rates"],
        json!([{"rate": "few", "mode": "enforce", "count": 1}])
    );
    assert_eq!(
        limits["refused"]["limits"],
        json!([{"bound": "depth", "role": "user", "mode": "enforce", "count": 1}])
    );
    let user = limits["limits"]
        .as_array()
        .unwrap()
        .iter()
        .find(|role| role["role"] == "user")
        .unwrap();
    assert_eq!(user["enforced"]["depth"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_are_timed_for_the_admin_alone() {
    let service = Service::start("console = true\n").await;
    let body = json!({"query": "{ orders { id } }"});
    let headers: Vec<_> = [("X-Gateway-Admin-Secret", ADMIN_SECRET)]
        .iter()
        .chain(&USER)
        .copied()
        .collect();
    let admin = service
        .send("POST", "/v1/graphql", &headers, Some(&body))
        .await;
    assert!(
        admin.header("server-timing").contains("plan;dur="),
        "{}",
        admin.text
    );
    let user = super::service::bearer("user");
    let user = service
        .send(
            "POST",
            "/v1/graphql",
            &[("Authorization", &user)],
            Some(&body),
        )
        .await;
    assert_eq!((user.status, user.header("server-timing")), (200, ""));
}
