//! A gateway over a database of its own.

use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

const SECRET: &str = "open sesame";

/// A gateway, its database and a client.
pub(super) struct Place {
    pub database: TestDatabase,
    gateway: GatewayHandle,
    client: reqwest::Client,
}

impl Place {
    /// Starts a gateway over a database with these tables.
    pub(super) async fn new(tables: &str, permissions: &str) -> Place {
        Place::with_settings(tables, permissions, &[]).await
    }

    /// Like [`Place::new`], with settings of the gateway.
    pub(super) async fn with_settings(
        tables: &str,
        permissions: &str,
        settings: &[(&str, &str)],
    ) -> Place {
        let database = tests::create("database_shapes", &[tables]).await.unwrap();
        let gateway = match start(&database, permissions, settings).await {
            Ok(gateway) => gateway,
            Err(message) => panic!("{message}"),
        };
        Place {
            database,
            gateway,
            client: reqwest::Client::new(),
        }
    }

    /// The response to a document, sent as a role with variables.
    pub(super) async fn send(&self, role: &str, query: &str, variables: Value) -> Reply {
        let request = self
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", role);
        Reply::of(request.json(&json!({"query": query, "variables": variables})))
            .await
            .unwrap()
    }

    /// The data of the response to the admin.
    pub(super) async fn data(&self, query: &str) -> Value {
        self.data_for("admin", query).await
    }

    /// The data of the response to a role.
    pub(super) async fn data_for(&self, role: &str, query: &str) -> Value {
        let reply = self.send(role, query, json!({})).await;
        assert_ne!(reply.data(), Value::Null, "{role}: {query}: {}", reply.text);
        reply.data()
    }

    /// The type of a field in a role's schema: `par!`.
    pub(super) async fn type_of(&self, role: &str, object: &str, field: &str) -> String {
        let query = format!(
            "{{ __type(name: \"{object}\") {{ fields {{ name type {{ kind name \
                             ofType {{ name }} }} }} }} }}"
        );
        let data = self.data_for(role, &query).await;
        let fields = data["__type"]["fields"].as_array().unwrap().clone();
        let found = fields
            .into_iter()
            .find(|found| found["name"] == field)
            .unwrap();
        match found["type"]["kind"].as_str() {
            Some("NON_NULL") => format!("{}!", found["type"]["ofType"]["name"].as_str().unwrap()),
            _ => found["type"]["name"].as_str().unwrap().to_owned(),
        }
    }
}

/// Starts a gateway; the error is what it tells its operator.
pub(super) async fn start(
    database: &TestDatabase,
    permissions: &str,
    settings: &[(&str, &str)],
) -> Result<GatewayHandle, String> {
    let permissions = format!("[naming]\nconvention = \"snake\"\n{permissions}");
    let builder = tests::gateway()
        .database_url(database.url())
        .listen("127.0.0.1:0")
        .admin_secret(SECRET);
    let builder = builder
        .permissions_text("permissions.toml", &permissions)
        .setting("pool-size", "3");
    let builder = settings.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    builder.start().await.map_err(|error| error.to_string())
}
