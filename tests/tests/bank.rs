//! Starts a gateway over a database with accounts, and sends requests to it.

use gateway::server::GatewayHandle;
use reqwest::RequestBuilder;
use serde_json::json;
use tests::TestDatabase;
use tests::reply::Reply;

/// Tables and rows.
pub(crate) const SCHEMA: &str = include_str!("bank/schema.sql");

const PERMISSIONS: &str = include_str!("bank/permissions.toml");

/// A running gateway and its database. Fields are dropped in this order.
pub(crate) struct Bank {
    /// The gateway.
    pub(crate) gateway: GatewayHandle,
    /// The HTTP client.
    pub(crate) client: reqwest::Client,
    /// The database.
    pub(crate) database: TestDatabase,
}

impl Bank {
    /// Starts a gateway with these settings in addition to the usual ones.
    pub(crate) async fn with(settings: &[(&str, &str)]) -> Bank {
        let database = tests::create("bank", &[SCHEMA]).await.unwrap();
        let url = database.url().to_owned();
        Bank::at(&url, database, settings).await
    }

    /// Starts a gateway that reaches the database by this URL.
    pub(crate) async fn at(url: &str, database: TestDatabase, settings: &[(&str, &str)]) -> Bank {
        let builder = tests::gateway()
            .database_url(url)
            .admin_secret("secret")
            .listen("127.0.0.1:0");
        let builder = builder.permissions_text("permissions.toml", PERMISSIONS);
        let builder = settings.iter().fold(builder, |builder, (name, value)| {
            builder.setting(name, value)
        });
        Bank {
            gateway: builder.start().await.unwrap(),
            client: reqwest::Client::new(),
            database,
        }
    }

    /// A POST as a role, with the session value of owner 1.
    pub(crate) fn post(&self, role: &str) -> RequestBuilder {
        let post = self
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        // Headers with the prefixes of both dialects; the gateway ignores those of the other
        // dialect.
        ["X-Gateway-", "X-Hasura-"]
            .into_iter()
            .fold(post, |post, prefix| {
                let post = post
                    .header(format!("{prefix}Admin-Secret"), "secret")
                    .header(format!("{prefix}Role"), role);
                post.header(format!("{prefix}User-Id"), "1")
            })
    }

    /// Builds a request as clerk.
    pub(crate) fn asks(&self, query: &str) -> RequestBuilder {
        self.post("clerk").json(&json!({"query": query}))
    }

    /// Sends a request as clerk.
    pub(crate) async fn ask(&self, query: &str) -> Reply {
        Reply::of(self.asks(query)).await.unwrap()
    }

    /// Runs a query that returns one text value directly on the database.
    pub(crate) async fn holds(&self, query: &str) -> String {
        let client = self.database.connect().await.unwrap();
        client
            .query_one(query, &[])
            .await
            .unwrap()
            .get::<_, Option<String>>(0)
            .unwrap_or_default()
    }

    /// The balances of owner 1, by label.
    pub(crate) async fn balances(&self) -> String {
        self.holds(
            "SELECT string_agg(label || '=' || balance, ' ' ORDER BY label) FROM accounts \
                    WHERE owner_id = 1",
        )
        .await
    }
}
