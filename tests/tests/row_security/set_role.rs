//! Tests `set_role`: the statements of a role run with the privileges of a role of the database.

use reqwest::Method;
use serde_json::json;
use tests::binary;
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::server_features::ServerFeatures;
use tests::service::ADMIN_SECRET;

use super::service::{NOTES, Service, database, url_as};

const OF_ROLE: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[settings]
app.user_id = "session.user_id"

[role.user]
set_role = "READER"

[table.notes.role.user]
select = { columns = "*", rows = "true" }
insert = { columns = ["body"], check = "true", preset = { user_id = "session.user_id" } }

[table.secrets.role.user]
select = { columns = "*", rows = "true" }

[function.whoami]
roles = ["user"]
"#;

const OF_READER: &str = "GRANT READER TO LOGIN; GRANT SELECT, INSERT ON notes TO READER; \
     GRANT USAGE ON SEQUENCE notes_id_seq TO READER";

#[tokio::test(flavor = "multi_thread")]
async fn set_role_gives_the_privileges_of_that_role() {
    let service = Service::start(OF_ROLE, OF_READER, "").await.unwrap();
    let reader = service.users[1].clone();
    for _ in 0..2 {
        assert_eq!(
            service.ask("7", "{ whoami }").await.data()["whoami"],
            json!(format!("{reader} 7"))
        );
        assert_eq!(
            service.ask("8", NOTES).await.data(),
            json!({"notes": [{"body": "of eight"}]})
        );
        let refused = service.ask("7", "{ secrets { body } }").await.error();
        assert_eq!(
            refused,
            ReplyError::new(200, "permission-error", "the database does not allow this")
        );
    }
    let insert = r#"mutation { insert_notes_one(object: {body: "new"}) { body } }"#;
    assert_eq!(
        service.ask("8", insert).await.data(),
        json!({"insert_notes_one": {"body": "new"}})
    );
    // The database user itself has no privilege, and the role ends with the transaction.
    let login = service.users[0].clone();
    let query = json!({"query": "{ whoami }"});
    let admin = service
        .client
        .post(format!("{}/v1/graphql", service.gateway.url()));
    let admin = Reply::of(
        admin
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .json(&query),
    )
    .await
    .unwrap();
    assert_eq!(admin.data()["whoami"], json!(format!("{login} ")));
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn set_role_needs_a_role_that_can_be_set() {
    let grants = OF_READER.replace("GRANT READER TO LOGIN; ", "");
    let error = Service::start(OF_ROLE, &grants, "")
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("error[database-role]") && error.contains("GRANT reader_of_"),
        "{error}"
    );
    let (database, _) = database("").await;
    if ServerFeatures::of(&database.connect().await.unwrap())
        .await
        .unwrap()
        .version
        >= 16
    {
        let grants = OF_READER.replace("TO LOGIN;", "TO LOGIN WITH SET FALSE;");
        let error = Service::start(OF_ROLE, &grants, "")
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("error[database-role]") && error.contains(" WITH SET TRUE"),
            "{error}"
        );
    }
    for name in ["none", ""] {
        let error = Service::start(&OF_ROLE.replace("READER", name), OF_READER, "")
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("cannot be a role of the database"),
            "{error}"
        );
    }
}

/// A table in a schema that the role of the database alone may use: the gateway's own user cannot
/// even name it.
const HIDDEN: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[settings]
app.user_id = "session.user_id"

[role.user]
set_role = "READER"
dry_run = true

[table."hidden.drafts"]
name = "drafts"

[table."hidden.drafts".role.user]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
update = { columns = ["body"], rows = "true" }
"#;

const OF_HIDDEN: &str = "GRANT READER TO LOGIN; CREATE SCHEMA hidden; \
                         CREATE TABLE hidden.drafts (id int PRIMARY KEY, body text); INSERT INTO \
                         hidden.drafts VALUES (1, 'first'); \
                         GRANT USAGE ON SCHEMA hidden TO READER; GRANT SELECT, INSERT, UPDATE ON \
                         hidden.drafts TO READER";

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_is_parsed_planned_and_run_as_the_role() {
    let service = Service::start(HIDDEN, OF_HIDDEN, "").await.unwrap();
    assert_eq!(
        service.ask("7", "{ drafts { id } }").await.data(),
        json!({"drafts": [{"id": 1}]})
    );
    let insert = |id: usize| {
        format!("mutation {{ insert_drafts_one(object: {{id: {id}, body: \"x\"}}) {{ id }} }}")
    };
    for id in [2, 3] {
        let reply = service.ask("7", &insert(id)).await;
        assert_eq!(
            reply.data(),
            json!({"insert_drafts_one": {"id": id}}),
            "{}",
            reply.text
        );
    }
    let dry = service
        .post("7", &insert(4), &json!({}))
        .header("X-Gateway-Dry-Run", "true");
    let dry = Reply::of(dry).await.unwrap();
    assert_eq!(
        dry.data(),
        json!({"insert_drafts_one": {"id": 4}}),
        "{}",
        dry.text
    );

    // Explanations see the role too, and what they run is undone.
    let update =
        "mutation { update_drafts(where: {}, _set: {body: \"explained\"}) { affected_rows } }";
    for (query, path, expected) in [
        ("{ drafts { id } }", "/v1/graphql/explain", "on drafts"),
        (
            "{ drafts { id } }",
            "/v1/graphql/explain?analyze=true",
            "actual time",
        ),
        (update, "/v1/graphql/explain", "Update on"),
        (update, "/v1/graphql/explain?analyze=true", "actual time"),
    ] {
        let post = service
            .request(Method::POST, path, "7")
            .json(&json!({"query": query}));
        let reply = Reply::of(post).await.unwrap();
        let plans = reply.json()["statements"].to_string();
        assert!(
            reply.status == 200 && plans.contains(expected),
            "{path}: {}",
            reply.text
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).display().to_string()
    };
    let permissions = file(
        "permissions.toml",
        &HIDDEN.replace("READER", &service.users[1]),
    );
    let url = url_as(&service.database, &service.users[0]);
    for (name, document) in [
        ("read.graphql", "{ drafts { id } }"),
        ("write.graphql", update),
    ] {
        let document = file(name, document);
        let settings = ["--database-url", &url, "--permissions", &permissions];
        let arguments = [
            "explain",
            &document,
            "--role",
            "user",
            "--session",
            "user_id=7",
            "--analyze",
        ];
        let explained = binary::run(&[&arguments[..], &settings].concat()).unwrap();
        assert_eq!(explained.code, Some(0), "{}", explained.err);
        assert!(
            explained.out.contains("actual time") && explained.out.contains("set_config('role'"),
            "{}",
            explained.out
        );
    }
    let client = service.database.connect().await.unwrap();
    let bodies = "SELECT string_agg(body, ' ' ORDER BY id) FROM hidden.drafts";
    assert_eq!(
        client
            .query_one(bodies, &[])
            .await
            .unwrap()
            .get::<_, String>(0),
        "first x x"
    );
    service.end().await;
}
