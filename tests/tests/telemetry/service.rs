//! A gateway over two tables, and requests to it.

use std::ops::Deref;

use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET};

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

/// A running gateway, and requests of a member to it.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    /// The gateway and its database, which outlives it.
    pub(super) fn into_parts(self) -> (GatewayHandle, TestDatabase) {
        self.0.into_parts()
    }

    pub(super) async fn start(settings: &[(&str, &str)]) -> Service {
        let builder = service::Service::builder("telemetry", &[SCHEMA]).permissions(PERMISSIONS);
        Service(builder.settings(settings).start().await)
    }

    /// Sends a request of a member with these headers.
    pub(super) async fn send(&self, request: &Value, headers: &[(&str, &str)]) -> Reply {
        let sent = self.post().json(request);
        let usual = [
            ("x-gateway-admin-secret", ADMIN_SECRET),
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
        service::send(self.0.get(path)).await
    }
}
