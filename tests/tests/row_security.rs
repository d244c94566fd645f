//! Tests of `[settings] reads = true` and `set_role`: policies of row-level security see the caller in every kind of
//! statement, and nothing of one caller reaches the next request on the same connection. Tests of `[errors]` as well,
//! because the same functions raise them.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gateway::Gateway;
use gateway::config::Settings;
use gateway::server::{GatewayHandle, StartError};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

const SCHEMA: &str = include_str!("row_security/schema.sql");

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"
sub = "text"

[settings]
reads = true
app.user_id = "session.user_id"
request.jwt.claims = "claims"

[table.notes.role.user]
select = { columns = "*", rows = "true", aggregates = true }
insert = { columns = ["body"], check = "true", preset = { user_id = "session.user_id" } }
update = { columns = ["body"], rows = "true" }

[table.tasks.role.user]
select = { columns = "*", rows = "true" }

[function.whoami]
roles = ["user"]

[function.boom]
roles = ["user"]
"#;

struct Service {
    running: GatewayHandle,
    client: reqwest::Client,
    database: TestDatabase,
    users: [String; 2],
}

/// The URL of a database for another user.
fn url_as(database: &TestDatabase, user: &str) -> String {
    let (_, place) = database.url().split_once('@').unwrap();
    format!("postgres://{user}:pw@{place}")
}

/// Creates a database, the user that the gateway signs in as, which policies hold for and which has the privileges of
/// no other role by itself, and a role for `set_role`.
async fn database(grants: &str) -> (TestDatabase, [String; 2]) {
    let database = tests::create("row_security", &[SCHEMA]).await.unwrap();
    let users = ["login", "reader"].map(|kind| format!("{kind}_of_{}", database.name()));
    let [login, reader] = &users;
    let grants = grants.replace("LOGIN", login).replace("READER", reader);
    let script = format!(
        "CREATE ROLE {login} LOGIN NOINHERIT PASSWORD 'pw'; CREATE ROLE {reader}; \
         GRANT USAGE ON SCHEMA auth TO {login}, {reader}; {grants}"
    );
    database.connect().await.unwrap().batch_execute(&script).await.unwrap();
    (database, users)
}

const ALL: &str =
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO LOGIN; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO LOGIN";

impl Service {
    async fn start(permissions: &str, grants: &str, settings: &str) -> Result<Service, StartError> {
        let (database, users) = database(grants).await;
        let [login, reader] = &users;
        let permissions = permissions.replace("READER", reader);
        let settings = Settings::of_text("gateway.toml", settings).unwrap();
        let builder = Gateway::builder().settings(settings).database_url(&url_as(&database, login));
        let builder = builder.admin_secret("secret").listen("127.0.0.1:0");
        let builder = builder.permissions_text("permissions.toml", &permissions);
        // One connection, so that each request has the one that another had before.
        let builder = builder.setting("pool-size", "1");
        let running = builder.start().await?;
        Ok(Service { running, client: reqwest::Client::new(), database, users })
    }

    fn post(&self, user: &str, query: &str, variables: &Value) -> reqwest::RequestBuilder {
        let post = self.client.post(format!("{}/v1/graphql", self.running.url()));
        let post = post.header("X-Gateway-Admin-Secret", "secret").header("X-Gateway-Role", "user");
        let post =
            if user.is_empty() { post } else { post.header("X-Gateway-User-Id", user).header("X-Gateway-Sub", user) };
        post.json(&json!({"query": query, "variables": variables}))
    }

    async fn ask(&self, user: &str, query: &str) -> Reply {
        Reply::of(self.post(user, query, &json!({}))).await.unwrap()
    }

    async fn end(self) {
        drop(self.running);
        let users = self.users.join(", ");
        let client = self.database.connect().await.unwrap();
        client.batch_execute(&format!("DROP OWNED BY {users}; DROP ROLE {users}")).await.unwrap();
    }
}

const NOTES: &str = "{ notes(order_by: {id: asc}) { body } }";

#[tokio::test(flavor = "multi_thread")]
async fn policies_see_the_caller_of_reads() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    for _ in 0..3 {
        let seven = service.ask("7", NOTES).await.data();
        assert_eq!(seven, json!({"notes": [{"body": "of seven"}, {"body": "again"}]}));
        assert_eq!(service.ask("8", NOTES).await.data(), json!({"notes": [{"body": "of eight"}]}));
    }
    let count = "{ notes_aggregate { aggregate { count } } }";
    assert_eq!(service.ask("8", count).await.data()["notes_aggregate"]["aggregate"]["count"], 1);
    // A policy over another table, by way of a function that reads the claims.
    assert_eq!(service.ask("7", "{ tasks { title } }").await.data(), json!({"tasks": [{"title": "for one"}]}));
    assert_eq!(service.ask("8", "{ tasks { title } }").await.data(), json!({"tasks": [{"title": "for two"}]}));
    // A write and what it returns.
    let insert = r#"mutation { insert_notes_one(object: {body: "new"}) { user_id body } }"#;
    assert_eq!(service.ask("8", insert).await.data(), json!({"insert_notes_one": {"user_id": 8, "body": "new"}}));
    let update = r#"mutation { update_notes(where: {}, _set: {body: "x"}) { affected_rows } }"#;
    assert_eq!(service.ask("8", update).await.data(), json!({"update_notes": {"affected_rows": 2}}));
    assert_eq!(service.ask("7", NOTES).await.data()["notes"][0]["body"], "of seven");
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_never_reach_the_next_request() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let whoami = |reply: Reply| reply.data()["whoami"].as_str().map(str::to_owned);
    let login = &service.users[0];
    assert_eq!(whoami(service.ask("7", "{ whoami }").await), Some(format!("{login} 7")));
    // After an error of the statement, of the function, of the settings' own cast, and after a cancelled statement.
    for failing in
        ["{ notes(limit: 1, where: {body: {_regex: \"(\"}}) { id } }", "mutation { boom(args: {how: \"a\"}) }"]
    {
        assert!(service.ask("7", failing).await.is_sound_error(), "{failing}");
        assert_eq!(whoami(service.ask("", "{ whoami }").await), Some(format!("{login} ")));
    }
    assert!(service.ask("seven", NOTES).await.is_sound_error());
    assert_eq!(service.ask("8", NOTES).await.data(), json!({"notes": [{"body": "of eight"}]}));
    let slow =
        service.post("7", "mutation { boom(args: {how: \"slow\"}) }", &json!({})).timeout(Duration::from_millis(400));
    assert!(slow.send().await.is_err());
    assert_eq!(whoami(service.ask("", "{ whoami }").await), Some(format!("{login} ")));
    // Without the value the policy's cast fails, and shows no rows of anybody.
    assert!(service.ask("", NOTES).await.is_sound_error());
    // Outside of requests the settings have no value.
    let open = service.database.connect().await.unwrap();
    let open_transactions =
        format!("SELECT count(*) FROM pg_stat_activity WHERE usename = '{login}' AND state LIKE '%transaction%'");
    assert_eq!(open.query_one(&open_transactions, &[]).await.unwrap().get::<_, i64>(0), 0);
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_answers_belong_to_the_settings() {
    let cache = "[cache.operation.Notes]\nseconds = 60\nshare = true\n";
    let service = Service::start(PERMISSIONS, ALL, cache).await.unwrap();
    let query = "query Notes { notes(order_by: {id: asc}) { body } }";
    for _ in 0..2 {
        assert_eq!(service.ask("7", query).await.data()["notes"][0]["body"], "of seven");
        assert_eq!(service.ask("8", query).await.data()["notes"][0]["body"], "of eight");
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_have_their_own_settings() {
    let service = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let live = async |user: &str| {
        let query = "subscription { notes(order_by: {id: asc}) { body } }";
        let post = service.post(user, query, &json!({})).header("Accept", "text/event-stream");
        post.send().await.unwrap().bytes_stream()
    };
    let (mut seven, mut eight) = (live("7").await.boxed(), live("8").await.boxed());
    let mut texts = [String::new(), String::new()];
    let until =
        async |stream: &mut BoxStream<'static, reqwest::Result<bytes::Bytes>>, text: &mut String, wanted: &str| {
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
    assert!(!texts[0].contains("eight") && !texts[1].contains("seven"), "{texts:?}");
    drop((seven, eight));
    service.end().await;
}

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
        assert_eq!(service.ask("7", "{ whoami }").await.data()["whoami"], json!(format!("{reader} 7")));
        assert_eq!(service.ask("8", NOTES).await.data(), json!({"notes": [{"body": "of eight"}]}));
        let refused = service.ask("7", "{ secrets { body } }").await.error();
        assert_eq!(refused, (200, "permission-error".into(), "the database does not allow this".into()));
    }
    let insert = r#"mutation { insert_notes_one(object: {body: "new"}) { body } }"#;
    assert_eq!(service.ask("8", insert).await.data(), json!({"insert_notes_one": {"body": "new"}}));
    // The database user itself has no privilege, and the role ends with the transaction.
    let login = service.users[0].clone();
    let query = json!({"query": "{ whoami }"});
    let admin = service.client.post(format!("{}/v1/graphql", service.running.url()));
    let admin = Reply::of(admin.header("X-Gateway-Admin-Secret", "secret").json(&query)).await.unwrap();
    assert_eq!(admin.data()["whoami"], json!(format!("{login} ")));
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn set_role_needs_a_role_that_can_be_set() {
    let grants = OF_READER.replace("GRANT READER TO LOGIN; ", "");
    let error = Service::start(OF_ROLE, &grants, "").await.err().unwrap().to_string();
    assert!(error.contains("error[database-role]") && error.contains("GRANT reader_of_"), "{error}");
    for name in ["none", ""] {
        let error = Service::start(&OF_ROLE.replace("READER", name), OF_READER, "").await.err().unwrap().to_string();
        assert!(error.contains("cannot be a role of the database"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_finds_missing_privileges_and_settings() {
    let (database, [login, reader]) = database(
        "GRANT SELECT, INSERT ON notes TO LOGIN; GRANT SELECT ON tasks TO LOGIN; \
         REVOKE EXECUTE ON FUNCTION whoami() FROM public; GRANT READER TO LOGIN; GRANT SELECT (id) ON notes TO READER",
    )
    .await;
    let folder = std::env::temp_dir().join(format!("postern_states_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("permissions.toml");
    let check = |file: &str| {
        std::fs::write(&path, file).unwrap();
        let url = url_as(&database, &login);
        let path = path.display().to_string();
        tests::binary::run(&["check", "--database-url", &url, "--permissions", &path]).unwrap()
    };
    let file = "[naming]\nconvention = \"snake\"\n[session]\nuser_id = \"int4\"\n[settings]\nreads = READS\napp.user_id = \"session.user_id\"\n\
        [table.notes.role.user]\nselect = { columns = \"*\", rows = \"true\" }\n\
        insert = { columns = [\"user_id\", \"body\"], check = \"true\" }\n\
        [table.tasks.role.user]\nselect = { columns = \"*\", rows = \"true\" }\n[function.whoami]\nroles = [\"user\"]\n";
    let found = check(&file.replace("READS", "false")).err;
    for expected in [
        format!("GRANT USAGE ON SEQUENCE notes_id_seq TO {login}"),
        format!("GRANT EXECUTE ON FUNCTION whoami() TO {login}"),
        "policies or triggers of `tasks` read settings that the file does not set: request.jwt.claims".to_owned(),
        "policies of `notes` read settings that only transactions that write have: app.user_id".to_owned(),
        "no problems: ".to_owned(),
    ] {
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    let found = check(&file.replace("READS", "true")).err;
    assert!(!found.contains("only transactions that write"), "{found}");
    let found = check(&format!("{}[role.user]\nset_role = \"{reader}\"\n", file.replace("READS", "true"))).err;
    for expected in [
        format!("GRANT SELECT (user_id, body) ON notes TO {reader}"),
        format!("GRANT INSERT (user_id, body) ON notes TO {reader}"),
        format!("GRANT SELECT (id, team_id, title) ON tasks TO {reader}"),
    ] {
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    // A privilege of the table is a fault.
    let found = check(
        &format!("{file}[table.secrets.role.user]\nselect = {{ columns = [\"id\"], rows = \"true\" }}\n")
            .replace("READS", "true"),
    );
    assert!(
        found.err.contains(&format!("GRANT SELECT (\"id\") ON \"public\".\"secrets\" TO {login};")),
        "{}",
        found.err
    );
    assert_eq!(found.code, Some(1));
    std::fs::remove_dir_all(folder).unwrap();
    let client = database.connect().await.unwrap();
    client.batch_execute(&format!("DROP OWNED BY {login}, {reader}; DROP ROLE {login}, {reader}")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn raised_errors_reach_clients_where_the_settings_say_so() {
    let query = "mutation { boom(args: {how: \"7\"}) }";
    let hidden = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let reply = hidden.ask("7", query).await;
    assert_eq!(reply.error().2, "a function or trigger of the database refuses the request");
    assert!(!reply.text.contains("Monday"));
    hidden.end().await;
    let settings = "[errors]\nraise = \"message\"\ndetail = true\nhint = true\n";
    let shown = Service::start(PERMISSIONS, ALL, settings).await.unwrap();
    let reply = shown.ask("7", query).await;
    assert_eq!(reply.error(), (200, "data-exception".into(), "order 7 is closed".into()));
    let extensions = &reply.json()["errors"][0]["extensions"];
    assert_eq!((&extensions["detail"], &extensions["hint"]), (&json!("since Monday"), &json!("open it")));
    shown.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn init_reads_policies_into_a_file_that_starts() {
    let (database, [login, reader]) = database(
        "GRANT SELECT, INSERT ON notes TO READER; GRANT SELECT ON tasks, members TO READER; GRANT SELECT (id) ON secrets TO READER",
    )
    .await;
    let found = tests::binary::run(&["init", "--from", "rls", "--database-url", database.url()]).unwrap();
    assert_eq!(found.code, Some(0), "{}", found.err);
    let file = found.out;
    for expected in [
        "user_id = \"integer\"".to_owned(),
        format!(
            "[table.notes.role.{reader}]\n# policies: own\nselect = {{ columns = [\"id\", \"user_id\", \"body\"], rows = \"(user_id = session.user_id)\" }}"
        ),
        "insert = { columns = [\"id\", \"user_id\", \"body\"], check = \"(user_id = session.user_id)\" }".to_owned(),
        format!("[table.secrets.role.{reader}]\nselect = {{ columns = [\"id\"], rows = \"true\" }}"),
        format!("[table.members.role.{reader}]\nselect = {{ columns = [\"team_id\", \"user_id\"], rows = \"true\" }}"),
        format!("[table.tasks.role.{reader}]"),
    ] {
        assert!(file.contains(&expected), "{expected}: {file}");
    }
    let builder = Gateway::builder().database_url(database.url()).admin_secret("secret").listen("127.0.0.1:0");
    let running = builder.permissions_text("permissions.toml", &file).start().await.unwrap();
    let post = reqwest::Client::new().post(format!("{}/v1/graphql", running.url()));
    let post = post.header("X-Gateway-Admin-Secret", "secret").header("X-Gateway-Role", &reader);
    let query = json!({"query": "{ notes(order_by: {id: asc}) { body } }"});
    let reply = Reply::of(post.header("X-Gateway-User-Id", "8").json(&query)).await.unwrap();
    assert_eq!(reply.data(), json!({"notes": [{"body": "of eight"}]}), "{}", reply.text);
    drop(running);
    let client = database.connect().await.unwrap();
    client.batch_execute(&format!("DROP OWNED BY {login}, {reader}; DROP ROLE {login}, {reader}")).await.unwrap();
}
