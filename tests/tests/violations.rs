//! Tests that errors name tables, columns and constraints only to roles whose schema has them:
//! violations of every kind, in both dialects, and the enum of `on_conflict`.

use gateway::execute::schema_version::LoadError;
use gateway::server::{GatewayHandle, StartError};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::reply::ReplyError;

const SCHEMA: &str = include_str!("violations/schema.sql");
const PERMISSIONS: &str = include_str!("violations/permissions.toml");

struct Shop {
    gateway: GatewayHandle,
    client: reqwest::Client,
    _database: TestDatabase,
}

impl Shop {
    async fn start(profile: &str) -> Shop {
        let database = tests::create("violations", &[SCHEMA]).await.unwrap();
        let builder = tests::gateway()
            .database_url(database.url())
            .admin_secret("secret")
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_text("permissions.toml", PERMISSIONS)
            .setting("profile", profile);
        Shop {
            gateway: builder.start().await.unwrap(),
            client: reqwest::Client::new(),
            _database: database,
        }
    }

    async fn ask(&self, role: &str, query: &str) -> Reply {
        let mut post = self
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        for prefix in ["X-Gateway-", "X-Hasura-"] {
            post = post
                .header(format!("{prefix}Admin-Secret"), "secret")
                .header(format!("{prefix}Role"), role);
            post = post.header(format!("{prefix}Tenant"), "7");
        }
        Reply::of(post.json(&json!({"query": query})))
            .await
            .unwrap()
    }
}

fn insert(object: &str) -> String {
    format!("mutation {{ insert_orders(objects: [{{{object}}}]) {{ affected_rows }} }}")
}

const UNNAMED_KEY: &str = "Uniqueness violation. duplicate key value violates a unique constraint";
const UNNAMED_FOREIGN: &str = "Foreign key violation. a foreign key constraint is violated";
const UNNAMED_CHECK: &str = "Check constraint violation. a check constraint is violated";

/// A mutation, the error that `clerk` gets, and the name that only the role `admin` gets.
fn cases() -> Vec<(String, &'static str, &'static str)> {
    vec![
        // The role has all columns of the key, one of them by a preset.
        (
            insert(r#"id: 1, code: "new", total: 9"#),
            "Uniqueness violation. duplicate key value violates unique constraint 'orders_pkey'",
            "",
        ),
        (
            insert(r#"id: 9, code: "one", total: 9"#),
            "Uniqueness violation. duplicate key value violates unique constraint \
             'orders_tenant_code_key'",
            "",
        ),
        (
            insert(r#"id: 9, code: "ONE", total: 9"#),
            "Uniqueness violation. duplicate key value violates unique constraint \
             'orders_lower_code_idx'",
            "",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, note: "first""#),
            "Exclusion violation. conflicting key value violates exclusion constraint \
             'orders_note_excl'",
            "",
        ),
        (
            insert(r#"id: 9, code: "new", total: -1"#),
            "Check constraint violation. new row for relation 'orders' violates check constraint \
             'orders_total_check'",
            "",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, grade: "bad""#),
            "Check constraint violation. a value violates check constraint 'grade_check'",
            "",
        ),
        (
            insert(r#"id: 9, code: null, total: 9"#),
            "Not-NULL violation. null value in column 'code' of relation 'orders' violates \
             not-null constraint",
            "",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, customer_id: 8"#),
            "Foreign key violation. insert or update on table 'orders' violates foreign key \
             constraint \
             'orders_customer_id_fkey'",
            "",
        ),
        (
            "mutation { delete_orders(where: {id: {_eq: 2}}) { affected_rows } }".into(),
            "Foreign key violation. update or delete on table 'orders' violates foreign key \
             constraint \
             'labels_order_id_fkey' on table 'labels'",
            "",
        ),
        // A column, a table or a domain that the role does not have.
        (
            insert(r#"id: 9, code: "new", total: 2"#),
            UNNAMED_KEY,
            "orders_secret_code_key",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, note: "null""#),
            "Not-NULL violation. null value violates a not-null constraint",
            "secret_must",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, note: "rate""#),
            UNNAMED_CHECK,
            "secret_grade_check",
        ),
        (
            insert(r#"id: 9, code: "new", total: 900, note: "margin""#),
            UNNAMED_CHECK,
            "orders_margin_check",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, ledger_id: 8"#),
            UNNAMED_FOREIGN,
            "orders_ledger_id_fkey",
        ),
        (
            insert(r#"id: 9, code: "new", total: 9, note: "ledger""#),
            UNNAMED_FOREIGN,
            "orders_ledger_id_fkey",
        ),
        (
            "mutation { delete_orders(where: {id: {_eq: 1}}) { affected_rows } }".into(),
            UNNAMED_FOREIGN,
            "secret_shipments",
        ),
        (
            "mutation { ship(args: {order_id: 1}) { id } }".into(),
            UNNAMED_KEY,
            "secret_ledger_pkey",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn violations_name_only_objects_of_the_role() {
    for (profile, check_code) in [
        ("gateway", "constraint-violation"),
        ("hasura", "permission-error"),
    ] {
        let shop = Shop::start(profile).await;
        let quoted = |text: &str| {
            if profile == "hasura" {
                text.replace('\'', "\"")
            } else {
                text.to_owned()
            }
        };
        for (query, message, hidden) in cases() {
            let reply = shop.ask("clerk", &query).await;
            let code = if message.starts_with("Check") {
                check_code
            } else {
                "constraint-violation"
            };
            assert_eq!(
                reply.error(),
                ReplyError::new(200, code, quoted(message)),
                "{profile}: {query}"
            );
            assert!(!reply.text.contains("secret"), "{profile}: {}", reply.text);
            if !hidden.is_empty() {
                let query = query.replace("code: ", "tenant: 7, code: ");
                let reply = shop.ask("admin", &query).await;
                let ReplyError {
                    code: found,
                    message,
                    ..
                } = reply.error();
                assert_eq!(found, code, "{query}: {message}");
                assert!(
                    message.contains(hidden),
                    "the role admin sees every name: {query}: {message}"
                );
            }
        }
    }
}

async fn keys(shop: &Shop, role: &str) -> (Value, Vec<Value>) {
    let query = r#"{ of: __type(name: "orders_constraint") { enumValues { name } }
        root: __type(name: "mutation_root") { fields { name args { name } } } }"#;
    let data = shop.ask(role, query).await.data();
    let fields = data["root"]["fields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let insert = fields
        .into_iter()
        .find(|field| field["name"] == "insert_orders")
        .expect("the field");
    let arguments = insert["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument["name"].clone())
        .collect();
    (data["of"].clone(), arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn constraint_enum_has_only_keys_over_granted_columns() {
    for profile in ["gateway", "hasura"] {
        let shop = Shop::start(profile).await;
        let (found, arguments) = keys(&shop, "clerk").await;
        let names = found["enumValues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["name"].as_str().unwrap());
        let names: std::collections::BTreeSet<&str> = names.collect();
        let expected = [
            "orders_lower_code_idx",
            "orders_pkey",
            "orders_tenant_code_key",
        ];
        assert_eq!(names, expected.into(), "{profile}");
        assert!(arguments.contains(&json!("on_conflict")));
        let (found, arguments) = keys(&shop, "scribe").await;
        assert_eq!(found, Value::Null, "{profile}");
        assert!(
            !arguments
                .iter()
                .any(|name| name == "on_conflict" || name == "onConflict"),
            "{arguments:?}"
        );

        let upsert = |constraint: &str| {
            format!(
                "mutation {{ insert_orders(objects: [{{id: 5, \
                                                 code: \"one\", total: 50}}], on_conflict: \
                                                 {{constraint: \
                                                 {constraint}, update_columns: [total]}}) {{ \
                                                 returning {{ id total }} }} }}"
            )
        };
        let reply = shop.ask("clerk", &upsert("orders_tenant_code_key")).await;
        assert_eq!(
            reply.data()["insert_orders"]["returning"],
            json!([{"id": 1, "total": 50}]),
            "{}",
            reply.text
        );
        // A hidden constraint and a missing one give identical errors.
        let refused = [
            shop.ask("clerk", &upsert("orders_secret_code_key")).await,
            shop.ask("clerk", &upsert("nothing")).await,
        ];
        let texts = refused.map(|reply| reply.text.replace("orders_secret_code_key", "nothing"));
        assert_eq!(texts[0], texts[1]);
        assert!(texts[0].contains("errors"), "{}", texts[0]);
    }
}

/// The errors of a permission file that a start reports.
async fn faults(url: &str, permissions: &str) -> Vec<(String, String)> {
    let builder = tests::gateway()
        .database_url(url)
        .admin_secret("secret")
        .listen("127.0.0.1:0");
    match builder
        .permissions_text("permissions.toml", permissions)
        .start()
        .await
    {
        Ok(_) => vec![],
        Err(StartError::Load(LoadError::Permissions { problems, .. })) => problems
            .iter()
            .map(|problem| (problem.code().to_owned(), problem.message()))
            .collect(),
        Err(other) => panic!("{other}"),
    }
}

const TYPES: &str = "CREATE TABLE people (id uuid PRIMARY KEY, name text, age int, born date, doc jsonb, mood varchar);
    CREATE TABLE cards (owner text, owner_id uuid, doc json);";

#[tokio::test]
async fn mask_of_another_type_is_a_fault() {
    let database = tests::create("mask_types", &[TYPES]).await.unwrap();
    let file = |mask: &str| {
        format!(
            "[table.people.role.user]\nselect = {{ columns = \"*\", rows \
                                     = \"true\", mask = {{ {mask} }} }}\n"
        )
    };
    for mask in [
        "id = \"left(id::text, 4) || '***'\"",
        "born = \"doc ->> 'born'\"",
        "age = \"CASE WHEN age > 1 THEN 'old'::text END\"",
    ] {
        let found = faults(database.url(), &file(mask)).await;
        assert_eq!(
            found.first().map(|(code, _)| code.as_str()),
            Some("mask-type"),
            "{mask}: {found:?}"
        );
    }
    let fine = "id = \"NULL\", name = \"age\", age = \"age / 10 * 10\", born = \
                \"date_trunc('year', born)\", \
                doc = \"'{}'\", mood = \"left(name, 1)\"";
    assert_eq!(faults(database.url(), &file(fine)).await, []);
    assert_eq!(
        faults(
            database.url(),
            &file("id = \"'00000000-0000-0000-0000-000000000000'\"")
        )
        .await,
        []
    );
}

#[tokio::test]
async fn relation_over_incomparable_columns_is_a_fault() {
    let database = tests::create("relation_types", &[TYPES]).await.unwrap();
    let file = |on: &str| {
        format!("[table.people.relation]\ncards = {{ table = \"cards\", on = {{ {on} }} }}\n")
    };
    for on in [
        "id = \"owner\"",
        "doc = \"doc\"",
        "name = \"owner\", id = \"owner\"",
    ] {
        let found = faults(database.url(), &file(on)).await;
        let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes, ["relation-types"], "{on}: {found:?}");
    }
    assert_eq!(
        faults(database.url(), &file("id = \"owner_id\", mood = \"owner\"")).await,
        []
    );
}

#[tokio::test]
async fn missing_database_privileges_are_a_fault() {
    let database = tests::create("privileges", &[TYPES]).await.unwrap();
    let user = format!("user_of_{}", database.name());
    let client = database.connect().await.unwrap();
    let grants = format!(
        "CREATE ROLE {user}; GRANT SELECT (id, name), UPDATE (name) ON people TO {user}; \
         GRANT SELECT, INSERT ON cards TO {user}; CREATE TABLE hidden (id uuid)"
    );
    client.batch_execute(&grants).await.unwrap();
    let url = format!("{}?options=-c%20role%3D{user}", database.url());
    let file = |table: &str, grant: &str| format!("[table.{table}.role.clerk]\n{grant}\n");
    let people = "select = { columns = [\"id\", \"name\"], rows = \"true\" }\nupdate = { columns \
                  = [\"name\"], rows = \"true\" }";
    assert_eq!(faults(&url, &file("people", people)).await, []);
    let cards = "select = { columns = \"*\", rows = \"true\" }\ninsert = { columns = \"*\", \
                 check = \"true\" }";
    assert_eq!(faults(&url, &file("cards", cards)).await, []);
    let refused = [
        (
            "people",
            "select = { columns = [\"id\", \"age\"], rows = \"true\" }",
            "SELECT on `people`",
        ),
        (
            "people",
            "insert = { columns = [\"id\"], check = \"true\" }",
            "INSERT on `people`",
        ),
        (
            "people",
            "update = { columns = [\"age\"], rows = \"true\" }",
            "UPDATE on `people`",
        ),
        ("cards", "delete = { rows = \"true\" }", "DELETE on `cards`"),
        (
            "cards",
            "select = { columns = \"*\", rows = \"EXISTS (SELECT FROM hidden h WHERE h.id = \
             owner_id)\" }",
            "`hidden`",
        ),
    ];
    for (table, grant, named) in refused {
        let found = faults(&url, &file(table, grant)).await;
        assert!(
            matches!(found.as_slice(), [(code, message)] if code == "no-privilege" && message.contains(named)),
            "{grant}: {found:?}"
        );
    }
    // The permission file does not grant anything to the role `admin`; missing privileges appear
    // only when a request needs them.
    let builder = tests::gateway()
        .database_url(&url)
        .admin_secret("secret")
        .listen("127.0.0.1:0");
    let running = builder.start().await.unwrap();
    let post = reqwest::Client::new()
        .post(format!("{}/v1/graphql", running.url()))
        .header("X-Gateway-Admin-Secret", "secret");
    let reply = Reply::of(post.json(&json!({"query": "{ hidden { id } }"})))
        .await
        .unwrap();
    assert_eq!(
        reply.error(),
        ReplyError::new(200, "permission-error", "the database does not allow this")
    );
    drop(running);
    client
        .batch_execute(&format!("DROP OWNED BY {user}; DROP ROLE {user}"))
        .await
        .unwrap();
}
