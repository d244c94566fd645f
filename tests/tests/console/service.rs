//! Starts gateways with a console over a database of their own.

use std::ops::Deref;

use gateway::auth::claims::ClaimNames;
use gateway::auth::{TokenRequest, mint};
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET, JWT_SECRET};

const SCHEMA: &str = r#"
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, "or""der" text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, total int NOT NULL, hidden_note text);
INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bo');
INSERT INTO orders VALUES (1, 1, 10, 'x'), (2, 2, 20, 'y'), (3, 1, 30, 'z');
"#;

/// A folder in the file's name must not be shown.
const FILE: &str = "some/folder/permissions.toml";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int4"
[table.customers.role.user]
select = { columns = ["id", "name"], rows = "id = session.user_id" }
[table.orders.role.user]
select = { columns = ["id", "total", "customer_id"], rows = "customer_id = session.user_id", limit = 100 }
insert = { columns = ["id", "total"], check = "total < 100", preset = { customer_id = "session.user_id" } }
[table.orders.role.clerk]
select = { columns = "*", rows = "true", aggregates = true }
update = { columns = ["total"], rows = "total < 50" }
[role.silent]
introspection = false
[table.orders.role.silent]
select = { columns = ["id"], rows = "true" }
"#;

/// A running gateway with its console.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    /// Starts a gateway with these settings.
    pub(super) async fn start(settings: &str) -> Service {
        let migrations = plugins::migration_script();
        let builder = service::Service::builder("console", &[SCHEMA, &migrations]);
        let builder = builder.settings_file(settings);
        let builder = builder.change(|builder| builder.permissions_text(FILE, PERMISSIONS));
        Service(builder.start().await)
    }

    /// Sends a request with these headers.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Reply {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.request(method, path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        Reply::of(request).await.unwrap()
    }

    /// Reads as the admin, who may act as another role.
    pub(super) async fn read(&self, path: &str, role: &[(&str, &str)]) -> Value {
        let headers: Vec<_> = [("X-Gateway-Admin-Secret", ADMIN_SECRET)]
            .iter()
            .chain(role)
            .copied()
            .collect();
        let reply = self.send("GET", path, &headers, None).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    /// Explains a document as a role.
    pub(super) async fn explain(&self, path: &str, role: &[(&str, &str)], query: &str) -> Value {
        let headers: Vec<_> = [("X-Gateway-Admin-Secret", ADMIN_SECRET)]
            .iter()
            .chain(role)
            .copied()
            .collect();
        let reply = self
            .send("POST", path, &headers, Some(&json!({"query": query})))
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }
}

/// The value of `Authorization` with a token for a role.
pub(super) fn bearer(role: &str) -> String {
    let values = vec![("user_id".to_owned(), "1".to_owned())];
    let grant = TokenRequest {
        role,
        roles: vec![],
        values,
        seconds: 600,
    };
    format!(
        "Bearer {}",
        mint(JWT_SECRET, ClaimNames::default(), None, &grant).unwrap()
    )
}
