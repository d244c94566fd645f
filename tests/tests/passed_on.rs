//! Tests errors that Postgres passes on: of a server that it calls for a statement (postgres_fdw),
//! and of functions and triggers that choose their SQLSTATE. They say nothing about the gateway's
//! own connection, so nothing is retried.

use std::ops::Deref;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service;

/// `far` is what the other server has: the database itself.
const SCHEMA: &str = "
CREATE EXTENSION postgres_fdw;
CREATE SCHEMA far;
CREATE TABLE far.codes (code text);
CREATE FUNCTION far.raise(code text) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'secret of the other server' USING ERRCODE = code; END $$;
CREATE VIEW far.failing AS SELECT code, far.raise(code) AS v FROM far.codes;
CREATE TABLE near (id int PRIMARY KEY, kind regclass);
CREATE TABLE texts (id int PRIMARY KEY, relation text);
INSERT INTO texts VALUES (1, 'nothing');
CREATE VIEW kinds AS SELECT id, relation::regclass::text AS kind FROM texts;
CREATE TABLE forms (id int PRIMARY KEY, photo bytea, span int4range, bits bit(4), page xml, doc jsonb, kind regclass);
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'too many' USING ERRCODE = NEW.code; END $$;
CREATE TABLE refused (code text PRIMARY KEY);
CREATE TRIGGER refuse BEFORE INSERT ON refused FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE FUNCTION answer(code text) RETURNS SETOF near STABLE LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'too many' USING ERRCODE = code; END $$;
";

/// The foreign tables: of a server that nobody listens at, of one that fails, and of a table that
/// it does not have.
const FOREIGN: &str = "
DO $$ BEGIN
  EXECUTE format('CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)',
    '127.0.0.1', current_setting('port'), current_database());
END $$;
CREATE SERVER down FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1', dbname 'x');
CREATE USER MAPPING FOR public SERVER there OPTIONS (user 'USER', password 'PASSWORD');
CREATE USER MAPPING FOR public SERVER down OPTIONS (user 'x', password 'x');
CREATE FOREIGN TABLE failing (code text, v text) SERVER there OPTIONS (schema_name 'far', table_name 'failing');
CREATE FOREIGN TABLE gone (id int) SERVER there OPTIONS (schema_name 'far', table_name 'nothing');
CREATE FOREIGN TABLE unreachable (id int, v text) SERVER down OPTIONS (table_name 'x');
CREATE FUNCTION reach() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM v FROM unreachable; RETURN NEW; END $$;
CREATE TABLE reaching (id int PRIMARY KEY);
CREATE TRIGGER reach BEFORE INSERT ON reaching FOR EACH ROW EXECUTE FUNCTION reach();
";

/// Codes that mean something about the connection if they come from it, and others that the gateway
/// treats specially.
const CODES: [&str; 32] = [
    "08000", "08001", "08003", "08004", "08006", "08007", "08P01", "53000", "53100", "53200",
    "53300", "53400", "57000", "57014", "57P01", "57P02", "57P03", "57P04", "57P05", "25P03",
    "25P04", "25006", "26000", "58030", "42601", "42602", "42622", "42704", "42725", "42883",
    "42P01", "3F000",
];

/// Codes that Postgres does not use.
const OWN_CODES: [&str; 5] = ["QT001", "AP001", "PT403", "U0001", "99999"];

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start(profile: &str) -> Service {
        let permissions = "[naming]\nconvention = \"snake\"\n[function.answer]\n";
        let builder = service::Service::builder("passed_on", &[SCHEMA]).permissions(permissions);
        let database = builder.create_database().await;
        let config: tokio_postgres::Config = database.url().parse().unwrap();
        let password =
            String::from_utf8_lossy(config.get_password().unwrap_or_default()).into_owned();
        let foreign = FOREIGN.replace(
            "'USER'",
            &format!("'{}'", config.get_user().unwrap_or_default()),
        );
        let client = database.connect().await.unwrap();
        client
            .batch_execute(&foreign.replace("'PASSWORD'", &format!("'{password}'")))
            .await
            .unwrap();
        for code in CODES.iter().chain(&OWN_CODES) {
            client
                .execute("INSERT INTO far.codes VALUES ($1)", &[code])
                .await
                .unwrap();
        }
        let builder = builder.profile(profile);
        Service(builder.start_over(database).await.unwrap())
    }

    /// The reply, which has to come at once.
    async fn ask(&self, query: &str) -> Reply {
        let post = self.by("admin");
        let began = Instant::now();
        let reply = Reply::of(post.json(&json!({"query": query})))
            .await
            .unwrap();
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "{query} took {:?}",
            began.elapsed()
        );
        assert!(
            !reply.text.contains("secret") && !reply.text.contains("the database is not available"),
            "{}",
            reply.text
        );
        reply
    }

    async fn ready(&self) -> u16 {
        service::send(self.get("/readyz")).await.status
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_cannot_be_reached_is_unavailable_at_once() {
    let service = Service::start("gateway").await;
    for query in [
        "{ unreachable { id } }",
        "{ unreachable(where: {id: {_eq: 1}}) { id } }",
        "mutation { insert_reaching_one(object: {id: 1}) { id } }",
    ] {
        assert_eq!(
            service.ask(query).await.error(),
            ReplyError::new(
                503,
                "unavailable",
                "a server that the database reads from is not available"
            ),
            "{query}"
        );
        assert_eq!(service.ready().await, 200, "after {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn error_of_another_server_is_one_unexpected_error_at_once() {
    let service = Service::start("gateway").await;
    let mut queries = vec![
        "{ gone { id } }".to_owned(),
        "{ gone(where: {id: {_eq: 1}}) { id } }".to_owned(),
    ];
    queries.extend(
        CODES.map(|code| format!("{{ failing(where: {{code: {{_eq: \"{code}\"}}}}) {{ v }} }}")),
    );
    for query in &queries {
        let reply = service.ask(query).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!(
            (status, code.as_str()),
            (500, "unexpected"),
            "{query}: {message}"
        );
        assert_eq!(
            service.ask("{ near { id } }").await.status,
            200,
            "after {query}"
        );
        assert_eq!(service.ready().await, 200, "after {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn error_that_a_function_raises_is_a_data_exception_whatever_its_code() {
    for (profile, expected) in [("gateway", "data-exception"), ("hasura", "unexpected")] {
        let service = Service::start(profile).await;
        for code in OWN_CODES.iter().chain(&CODES) {
            let insert = format!(
                "mutation {{ insert_refused_one(object: {{code: \"{code}\"}}) {{ code }} }}"
            );
            let call = format!("{{ answer(args: {{code: \"{code}\"}}) {{ id }} }}");
            for query in [insert, call] {
                let reply = service.ask(&query).await;
                let ReplyError {
                    status,
                    code: found,
                    message,
                } = reply.error();
                assert_eq!(
                    (status, found.as_str()),
                    (200, expected),
                    "{profile}: {query}: {message}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn name_that_is_no_object_is_a_value_of_the_wrong_form() {
    let service = Service::start("gateway").await;
    for query in [
        "{ near(where: {kind: {_eq: \"nothing\"}}) { id } }",
        "{ near(where: {kind: {_in: [\"near\", \"nothing\"]}}) { id } }",
        "mutation { insert_near_one(object: {id: 1, kind: \"nothing\"}) { id } }",
    ] {
        let ReplyError {
            status,
            code,
            message,
        } = service.ask(query).await.error();
        assert_eq!(
            (status, code.as_str()),
            (200, "constraint-violation"),
            "{query}: {message}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_name_that_is_no_object_is_no_value_of_the_request() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        let reply = service.ask("{ kinds { id kind } }").await;
        let ReplyError { code, message, .. } = reply.error();
        assert_eq!(code, "unexpected", "{profile}: {message}");
        assert!(
            !message.contains("a value has the wrong form"),
            "{profile}: {message}"
        );
        assert_eq!(
            service.ask("{ kinds { id } }").await.data(),
            json!({"kinds": [{"id": 1}]})
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn value_that_postgres_cannot_read_is_named_with_its_row() {
    /// Columns, each with a malformed value, and one that Postgres reads, if it says which of two
    /// it refuses.
    const MALFORMED: [(&str, &str, Option<&str>); 4] = [
        ("photo", "\\xzz", Some("\\x00")),
        ("span", "[9,1)x", Some("[1,2)")),
        ("bits", "01x1", Some("0101")),
        ("page", "<a", None),
    ];
    let service = Service::start("gateway").await;
    let form = |name: &str| format!("a value has the wrong form for its type, in '{name}'");
    for (column, value, other) in MALFORMED {
        let value = json!(value);
        let other = json!(other);
        let object = |id: usize| {
            format!(
                "{{id: {id}, {column}: {}}}",
                if id == 37 { &value } else { &other }
            )
        };
        let list = (0..50).map(object).collect::<Vec<_>>().join(", ");
        for (query, path) in [
            (
                format!("mutation {{ insert_forms(objects: [{list}]) {{ affected_rows }} }}"),
                format!("$.selectionSet.insert_forms.args.objects[37].{column}"),
            ),
            (
                format!(
                    "mutation {{ insert_forms_one(object: {{id: 1, {column}: {value}}}) {{ id }} }}"
                ),
                format!("$.selectionSet.insert_forms_one.args.object.{column}"),
            ),
            (
                format!(
                    "mutation {{ update_forms(where: {{}}, _set: {{{column}: {value}}}) {{ \
                         affected_rows }} }}"
                ),
                format!("$.selectionSet.update_forms.args._set.{column}"),
            ),
        ] {
            let reply = service.ask(&query).await;
            assert_eq!(
                reply.error().message,
                form(column),
                "{query}: {}",
                reply.text
            );
            assert_eq!(
                reply.json()["errors"][0]["extensions"]["path"],
                path,
                "{query}"
            );
        }
        // Postgres cannot compare xml.
        if column != "page" {
            let reply = service
                .ask(&format!(
                    "{{ forms(where: {{{column}: {{_eq: {value}}}}}) {{ id }} }}"
                ))
                .await;
            assert_eq!(reply.error().message, form(column), "{}", reply.text);
            let path = format!("$.selectionSet.forms.args.where.{column}._eq");
            assert_eq!(reply.json()["errors"][0]["extensions"]["path"], path);
        }
    }
    let doc = "mutation { insert_forms_one(object: {id: 1, doc: {a: 1}}) { id } }";
    assert_eq!(
        service.ask(doc).await.data(),
        json!({"insert_forms_one": {"id": 1}})
    );
    let removed = service
        .ask("mutation { update_forms(where: {}, _delete_elem: {doc: 0}) { affected_rows } }")
        .await;
    assert_eq!(
        removed.error().message,
        "a value cannot be computed with, in 'doc'",
        "{}",
        removed.text
    );
}
