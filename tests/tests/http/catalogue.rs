//! Tests every line of the catalogue of errors from the client's side: status, code and error
//! format, through GraphQL and REST.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use gateway::actions::ActionError;
use gateway::config::Settings;
use gateway::error::ErrorSpec;
use gateway::error::catalogue::*;
use gateway::rest::{Documents, Source};
use gateway::server::GatewayHandle;
use permissions::SourceFile;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::service::ADMIN_SECRET;

use super::service::send;
use super::token;

const TABLES: &str = "
CREATE TABLE things (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO things VALUES (1, 'one');
CREATE TABLE gone (id int PRIMARY KEY);
CREATE VIEW ratios AS SELECT id, 10 / (id - 1) AS ratio FROM things;
CREATE VIEW slow AS SELECT id, pg_sleep(20)::text AS slept FROM things;
CREATE VIEW long AS SELECT id, repeat('x', 30000) AS text FROM things;
CREATE FUNCTION clash() RETURNS int LANGUAGE plpgsql STABLE AS $$
  BEGIN RAISE EXCEPTION 'too late' USING ERRCODE = 'serialization_failure'; END $$;
CREATE VIEW clashes AS SELECT id, clash() AS clash FROM things;
";

const RULES: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int"
[table.things.role]
reader.select = { columns = "*", rows = "true" }
owner.select = { columns = "*", rows = "id = session.user_id" }
narrow.select = { columns = "*", rows = "true" }
hasty.select = { columns = "*", rows = "true" }
[table.gone.role.reader]
select = { columns = "*", rows = "true" }
[table.ratios.role.reader]
select = { columns = "*", rows = "true" }
[table.slow.role.reader]
select = { columns = "*", rows = "true" }
[table.long.role.reader]
select = { columns = "*", rows = "true" }
[table.clashes.role.reader]
select = { columns = "*", rows = "true" }
"#;

const SETTINGS: &str = r#"
time_limit = 1
body_timeout = 0.3
body_limit = 2000
answer_limit = 20000
[bounds.role.narrow]
depth = 1
[[rates]]
name = "slowly"
per = ["role"]
roles = ["hasty"]
rate = 1
every = 3600
"#;

const THINGS: &str = "query Things($id: Int!) { things(where: {id: {_eq: $id}}) { id } }";

/// Documents with one name for GraphQL and REST.
const NAMED: [(&str, &str); 7] = [
    ("things", THINGS),
    ("ratios", "{ ratios { ratio } }"),
    ("slow", "{ slow { slept } }"),
    ("long", "{ long { text } }"),
    ("clashes", "{ clashes { clash } }"),
    ("gone", "{ gone { id } }"),
    ("refuse", "{ refuse }"),
];

/// How an error is caused.
#[expect(clippy::large_enum_variant, reason = "there are fifty of them")]
enum Cause {
    By(RequestBuilder),
    /// It cannot be caused, and why.
    Never(&'static str),
}
use Cause::{By, Never};

/// A gateway with both endpoints.
struct Place {
    gateway: GatewayHandle,
    _database: TestDatabase,
    client: reqwest::Client,
}

impl Place {
    async fn with(file: &str, settings: &[(&str, &str)]) -> Place {
        let database = tests::create("catalogue", &[TABLES]).await.unwrap();
        let endpoint = |(name, text): (&str, &str)| {
            format!(
                "[[endpoint]]\npath = \"{name}\"\nmethods = [\"GET\", \"POST\"]\nquery = \
                     \"{text}\"\n"
            )
        };
        let map = Source::new(
            "map.toml",
            &NAMED.map(endpoint).concat(),
            Documents::Given(&[]),
        );
        let usual = [("admin-secret", ADMIN_SECRET), ("listen", "127.0.0.1:0")];
        let builder = tests::gateway().settings(Settings::from_text("gateway.toml", file).unwrap());
        let all = usual.iter().chain(settings);
        let builder = all.fold(builder, |builder, (name, value)| {
            builder.setting(name, value)
        });
        let builder = builder
            .database_url(database.url())
            .permissions_text("rules.toml", RULES)
            .rest_map(map);
        let actions = gateway::actions::Source {
            definitions: SourceFile::new("actions.toml", "[action.refuse]\nroles = ['reader']"),
            types: SourceFile::new("actions.graphql", "type Query { refuse: String }"),
        };
        let builder = builder
            .actions(actions)
            .action("refuse", |_| async { Err(ActionError::new("no")) });
        let running = builder.start().await.unwrap();
        Place {
            gateway: running,
            _database: database,
            client: reqwest::Client::new(),
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.gateway.url()))
    }

    /// A request as a role, with the admin secret.
    fn by(&self, role: &str, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path)
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", role)
    }

    fn post(&self, role: &str) -> RequestBuilder {
        self.by(role, Method::POST, "/v1/graphql")
    }

    fn json(&self, body: &Value) -> Cause {
        By(self.post("reader").json(body))
    }

    /// The named document through GraphQL.
    fn graphql(&self, role: &str, name: &str) -> Cause {
        let (_, text) = NAMED.into_iter().find(|(known, _)| *known == name).unwrap();
        let variables = if text == THINGS {
            json!({"id": 1})
        } else {
            json!({})
        };
        By(self
            .post(role)
            .json(&json!({"query": text, "variables": variables})))
    }

    fn rest(&self, role: &str, path: &str) -> Cause {
        By(self.by(role, Method::GET, &format!("/api/rest/{path}")))
    }

    /// A request with a body that never ends.
    fn unfinished(&self, path: &str) -> Cause {
        let body = stream::iter([Ok::<_, std::io::Error>("{")]).chain(stream::pending());
        let request = self
            .by("reader", Method::POST, path)
            .header("Content-Type", "application/json");
        By(request.body(reqwest::Body::wrap_stream(body)))
    }

    /// How often REST has responded with this error.
    fn counted(&self, entry: ErrorSpec) -> u64 {
        let labels = ["/api/rest/", &entry.strict.to_string(), entry.code];
        self.gateway
            .app()
            .metrics
            .requests
            .with_label_values(&labels)
            .get()
    }
}

const GRAPHQL: &str = "application/json";
const STRICT: &str = "application/graphql-response+json";

const JUDGED: &str = "documents are judged when the map is read";
const HEALED: &str = "what the database has lost is left out at the next reload";
const WRITTEN: &str = "an endpoint has its document";

#[tokio::test(flavor = "multi_thread")]
async fn every_catalogue_line_has_its_status_and_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("known.graphql"), THINGS).unwrap();
    let operations = format!(
        "{SETTINGS}[operations]\napq = true\npersisted = {:?}\n",
        folder.path()
    );
    let location = Place::with(&operations, &[("jwt-secret", token::SECRET)]).await;
    let shut = Place::with(
        "[operations]\napq = false\n",
        &[("auth-hook", "http://127.0.0.1:1/")],
    )
    .await;
    location
        ._database
        .connect()
        .await
        .unwrap()
        .batch_execute("DROP TABLE gone")
        .await
        .unwrap();
    // Every later request exceeds the rate limit.
    assert_eq!(
        send(location.by("hasty", Method::GET, "/api/rest/things?id=1"))
            .await
            .status,
        200
    );
    let bearer = |method, path: &str, role: &str| {
        By(location
            .request(method, path)
            .bearer_auth(token::good())
            .header("X-Gateway-Role", role)
            .json(&json!({})))
    };
    let long = json!({"query": " ".repeat(3000)});
    let digest =
        json!({"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "0".repeat(64)}}});
    // Events wait for a stream that is not open, so the operation stays.
    let token = send(location.by("reader", Method::PUT, "/v1/graphql"))
        .await
        .text;
    let operation = json!({"query": "{ things { id } }", "extensions": {"operationId": "1"}});
    let operate = || {
        location
            .post("reader")
            .header("X-GraphQL-Event-Stream-Token", &token)
            .json(&operation)
    };
    assert_eq!(send(operate()).await.status, 202);
    let upgrade = location
        .by("reader", Method::GET, "/v1/graphql")
        .header("Connection", "Upgrade");
    let upgrade = upgrade
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "8");
    let lines = [
        (
            UNAUTHENTICATED,
            By(location
                .request(Method::POST, "/v1/graphql")
                .json(&json!({"query": "{ things { id } }"}))),
            By(location.request(Method::GET, "/api/rest/things?id=1")),
        ),
        (
            FORBIDDEN,
            bearer(Method::POST, "/v1/graphql", "owner"),
            bearer(Method::GET, "/api/rest/things?id=1", "owner"),
        ),
        (
            BAD_REQUEST,
            location.json(&json!({})),
            location.rest("reader", "things?no=1"),
        ),
        (
            VALIDATION_FAILED,
            location.json(&json!({"query": "{ nothing }"})),
            By(location
                .by("reader", Method::POST, "/api/rest/things")
                .json(&json!({"id": null}))),
        ),
        (
            PARSE_FAILED,
            location.json(&json!({"query": "{"})),
            Never(JUDGED),
        ),
        (
            CONSTRAINT_VIOLATION,
            location.json(&json!({"query": THINGS, "variables": {"id": "x"}})),
            location.rest("reader", "things?id=x"),
        ),
        (
            DATA_EXCEPTION,
            location.graphql("reader", "ratios"),
            location.rest("reader", "ratios"),
        ),
        (
            PERMISSION_ERROR,
            location.graphql("owner", "things"),
            location.rest("owner", "things?id=1"),
        ),
        (
            STREAM_IN_USE,
            By(operate()),
            Never("event streams carry GraphQL"),
        ),
        (
            UPGRADE_REQUIRED,
            By(upgrade),
            Never("WebSockets carry GraphQL"),
        ),
        (
            CONFLICT,
            location.graphql("reader", "clashes"),
            location.rest("reader", "clashes"),
        ),
        (
            ACTION_FAILED,
            location.graphql("reader", "refuse"),
            location.rest("reader", "refuse"),
        ),
        (
            ANSWER_LIMIT,
            location.graphql("reader", "long"),
            location.rest("reader", "long"),
        ),
        (
            DOCUMENT_LIMIT,
            location.graphql("narrow", "things"),
            location.rest("narrow", "things?id=1"),
        ),
        (
            BODY_LIMIT,
            location.json(&long),
            By(location
                .by("reader", Method::POST, "/api/rest/things")
                .json(&long)),
        ),
        (
            HEAD_LIMIT,
            By(location.post("reader").header("X-Long", "x".repeat(70_000))),
            Never("the path is in the head, which is not read: the error has GraphQL's form"),
        ),
        (
            BODY_TIME,
            location.unfinished("/v1/graphql"),
            location.unfinished("/api/rest/things"),
        ),
        (
            TIME_LIMIT,
            location.graphql("reader", "slow"),
            location.rest("reader", "slow"),
        ),
        (
            RATE_LIMITED,
            location.graphql("hasty", "things"),
            location.rest("hasty", "things?id=1"),
        ),
        (
            NOT_FOUND,
            Never("`/v1/graphql` is a path"),
            location.rest("reader", "nothing"),
        ),
        (
            METHOD_NOT_ALLOWED,
            By(location.by("reader", Method::PATCH, "/v1/graphql")),
            By(location.by("reader", Method::DELETE, "/api/rest/things")),
        ),
        (
            NOT_ACCEPTABLE,
            By(location.post("reader").header("Accept", "text/csv")),
            Never("JSON is all that there is"),
        ),
        (
            MEDIA_TYPE,
            By(location
                .post("reader")
                .header("Content-Type", "text/csv")
                .body("id")),
            By(location
                .by("reader", Method::POST, "/api/rest/things")
                .header("Content-Type", "text/csv")
                .body("id")),
        ),
        (
            NOT_SUPPORTED,
            location.json(&json!({"query": "subscription { things { id } }"})),
            Never(JUDGED),
        ),
        (UNKNOWN_DIGEST, location.json(&digest), Never(WRITTEN)),
        (NO_DIGESTS, shut.json(&digest), Never(WRITTEN)),
        (
            UNKNOWN_DOCUMENT,
            location.json(&json!({"documentId": "none"})),
            Never(WRITTEN),
        ),
        (
            UNAVAILABLE,
            By(shut
                .request(Method::POST, "/v1/graphql")
                .json(&json!({"query": "{ things { id } }"}))),
            By(shut.request(Method::GET, "/api/rest/things?id=1")),
        ),
        (
            TRANSFER_CODING,
            Never("no client library sends it"),
            Never("no client library sends it"),
        ),
        (
            OUTCOME_UNKNOWN,
            Never("the tests of actions provoke it"),
            Never("the tests of actions provoke it"),
        ),
        (UNEXPECTED, Never(HEALED), Never(HEALED)),
    ];
    // Fails for a catalogue line that is missing from this table.
    let name = |entry: &ErrorSpec| format!("{entry:?}");
    let known: BTreeSet<String> = lines.iter().map(|(entry, ..)| name(entry)).collect();
    assert_eq!(known, ALL.iter().map(name).collect());
    for (entry, graphql, rest) in lines {
        match graphql {
            Never(reason) => assert!(!reason.is_empty()),
            By(request) => is_met(entry, request).await,
        }
        match rest {
            Never(reason) => assert!(!reason.is_empty()),
            By(request) => {
                let counted = |claims_location: &Place| claims_location.counted(entry);
                let before = counted(&location) + counted(&shut);
                let reply = send(request).await;
                let body = reply.json();
                assert_eq!(
                    reply.status, entry.strict,
                    "{entry:?} by REST: {}",
                    reply.text
                );
                // A client repeats an unexpected error after half a minute.
                assert_eq!(
                    reply.status == 500,
                    reply.header("retry-after") == "30",
                    "{entry:?} by REST"
                );
                let message = body["message"].as_str().unwrap_or_default();
                assert!(!message.is_empty(), "{entry:?} by REST: {}", reply.text);
                assert_eq!(
                    body,
                    json!({"status": "error", "message": message, "data": null}),
                    "{entry:?}"
                );
                // The code appears only in the metrics, not in the response.
                assert_eq!(
                    counted(&location) + counted(&shut),
                    before + 1,
                    "{entry:?} by REST: {}",
                    reply.text
                );
            }
        }
    }
}

/// Fails unless GraphQL returns this error for either accepted media type.
async fn is_met(entry: ErrorSpec, request: RequestBuilder) {
    let both = [(GRAPHQL, entry.lenient), (STRICT, entry.strict)];
    let requests: Vec<(RequestBuilder, u16)> = match request.try_clone() {
        Some(request) if entry != NOT_ACCEPTABLE => {
            let accepting = |media| {
                request
                    .try_clone()
                    .map(|request| request.header("Accept", media))
            };
            both.into_iter()
                .filter_map(|(media, status)| Some((accepting(media)?, status)))
                .collect()
        }
        // A request whose body never ends is sent once, and so is one that accepts neither media
        // type.
        _ => vec![(request, entry.lenient)],
    };
    for (request, status) in requests {
        let reply = send(request).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (status, entry.code),
            "{entry:?}: {}",
            reply.text
        );
        assert!(reply.is_sound_error(), "{entry:?}: {}", reply.text);
        assert_eq!(
            reply.status == 500,
            reply.header("retry-after") == "30",
            "{entry:?}"
        );
    }
}
