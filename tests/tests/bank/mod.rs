//! A gateway over a small bank, and requests to it.

use gateway::Gateway;
use gateway::server::GatewayHandle;
use reqwest::RequestBuilder;
use serde_json::json;
use tests::TestDatabase;
use tests::reply::Reply;

/// Tables and rows.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

const PERMISSIONS: &str = include_str!("permissions.toml");

/// A running gateway and its database. What is dropped first stands first.
pub(crate) struct Bank {
    /// The gateway.
    pub(crate) running: GatewayHandle,
    /// Who asks.
    pub(crate) client: reqwest::Client,
    /// The database.
    pub(crate) database: TestDatabase,
}

impl Bank {
    /// With these settings beside the usual ones.
    pub(crate) async fn with(settings: &[(&str, &str)]) -> Bank {
        let database = tests::create("bank", &[SCHEMA]).await.unwrap();
        let url = database.url().to_owned();
        Bank::at(&url, database, settings).await
    }

    /// With another way to the database.
    pub(crate) async fn at(url: &str, database: TestDatabase, settings: &[(&str, &str)]) -> Bank {
        let builder = Gateway::builder().database_url(url).admin_secret("secret").listen("127.0.0.1:0");
        let builder = builder.permissions_text("permissions.toml", PERMISSIONS);
        let builder = settings.iter().fold(builder, |builder, (name, value)| builder.setting(name, value));
        Bank { running: builder.start().await.unwrap(), client: reqwest::Client::new(), database }
    }

    /// A POST as a role that works for owner 1.
    pub(crate) fn post(&self, role: &str) -> RequestBuilder {
        let post = self.client.post(format!("{}/v1/graphql", self.running.url()));
        // Both profiles' prefixes; the other one's headers say nothing.
        ["X-Gateway-", "X-Hasura-"].into_iter().fold(post, |post, prefix| {
            let post = post.header(format!("{prefix}Admin-Secret"), "secret").header(format!("{prefix}Role"), role);
            post.header(format!("{prefix}User-Id"), "1")
        })
    }

    /// A request as clerk.
    pub(crate) fn asks(&self, query: &str) -> RequestBuilder {
        self.post("clerk").json(&json!({"query": query}))
    }

    /// Asks as clerk.
    pub(crate) async fn ask(&self, query: &str) -> Reply {
        Reply::of(self.asks(query)).await.unwrap()
    }

    /// What the database holds, asked directly.
    pub(crate) async fn holds(&self, query: &str) -> String {
        let client = self.database.connect().await.unwrap();
        client.query_one(query, &[]).await.unwrap().get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// The balances of owner 1, by label.
    pub(crate) async fn balances(&self) -> String {
        self.holds("SELECT string_agg(label || '=' || balance, ' ' ORDER BY label) FROM accounts WHERE owner_id = 1")
            .await
    }
}
