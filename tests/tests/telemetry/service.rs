//! A gateway over two tables, and requests to it.

use gateway::Gateway;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

pub(super) const SECRET: &str = "open sesame, please";

pub(super) const SCHEMA: &str = "
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL CONSTRAINT users_email_key UNIQUE, team int NOT NULL);
INSERT INTO users SELECT g, 'u' || g || '@example.com', g % 2 FROM generate_series(1, 10) g;
";

pub(super) const PERMISSIONS: &str = r#"
[session]
team = "int4"

[table.users.role.member]
select = { columns = ["id", "email", "team"], rows = "team = session.team" }
insert = { columns = ["id", "email", "team"], check = "team = session.team" }
"#;

/// A running gateway.
pub(super) struct Service {
    pub(super) running: GatewayHandle,
    pub(super) database: TestDatabase,
    client: reqwest::Client,
}

impl Service {
    pub(super) async fn start(settings: &[(&str, &str)]) -> Service {
        let database = tests::create("telemetry", &[SCHEMA]).await.unwrap();
        let usual = [("admin-secret", SECRET), ("listen", "127.0.0.1:0")];
        let all = usual.iter().chain(settings);
        let builder = all.fold(Gateway::builder(), |builder, (name, value)| {
            builder.setting(name, value)
        });
        let builder = builder
            .database_url(database.url())
            .permissions_text("permissions.toml", PERMISSIONS);
        Service {
            running: builder.start().await.unwrap(),
            database,
            client: reqwest::Client::new(),
        }
    }

    /// Sends a request of a member with these headers.
    pub(super) async fn send(&self, request: &Value, headers: &[(&str, &str)]) -> Reply {
        let sent = self
            .client
            .post(format!("{}/v1/graphql", self.running.url()))
            .json(request);
        let usual = [
            ("x-gateway-admin-secret", SECRET),
            ("x-gateway-role", "member"),
            ("x-gateway-team", "1"),
        ];
        let all = usual
            .iter()
            .filter(|(name, _)| !headers.iter().any(|(other, _)| other == name))
            .chain(headers);
        let sent = all.fold(sent, |sent, (name, value)| sent.header(*name, *value));
        Reply::of(sent).await.unwrap()
    }

    /// Sends a document of a member.
    pub(super) async fn query(&self, query: &str) -> Reply {
        self.send(&json!({ "query": query }), &[]).await
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        Reply::of(self.client.get(format!("{}{path}", self.running.url())))
            .await
            .unwrap()
    }
}
