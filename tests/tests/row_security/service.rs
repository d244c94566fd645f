//! Starts a gateway over tables with policies, as a user whom they limit.

use std::ops::Deref;

use gateway::server::{Builder, StartError};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET};

const SCHEMA: &str = include_str!("schema.sql");

pub(super) const PERMISSIONS: &str = r#"
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

pub(super) struct Service {
    service: service::Service,
    /// The database users of the gateway and of `set_role`.
    pub(super) users: [String; 2],
}

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.service
    }
}

/// The URL of a database for another user.
pub(super) fn url_as(database: &TestDatabase, user: &str) -> String {
    let (_, location) = database.url().split_once('@').unwrap();
    format!("postgres://{user}:pw@{location}")
}

/// Creates a database, the user that the gateway signs in as, which policies hold for and which has
/// the privileges of no other role by itself, and a role for `set_role`.
pub(super) async fn database(grants: &str) -> (TestDatabase, [String; 2]) {
    let database = tests::create("row_security", &[SCHEMA]).await.unwrap();
    let users = ["login", "reader"].map(|kind| format!("{kind}_of_{}", database.name()));
    let [login, reader] = &users;
    let grants = grants.replace("LOGIN", login).replace("READER", reader);
    let script = format!(
        "CREATE ROLE {login} LOGIN NOINHERIT PASSWORD 'pw'; CREATE ROLE {reader}; \
         GRANT USAGE ON SCHEMA auth TO {login}, {reader}; {grants}"
    );
    database
        .connect()
        .await
        .unwrap()
        .batch_execute(&script)
        .await
        .unwrap();
    (database, users)
}

pub(super) const ALL: &str = "GRANT ALL ON ALL TABLES IN SCHEMA public TO LOGIN; GRANT ALL ON \
                              ALL SEQUENCES IN SCHEMA public TO LOGIN";

/// The headers by which the role `user` is given to a caller: to one with a token by the token, to
/// a number as the user with this number, to other JSON as the claims of the caller, and to the
/// empty text without any session value.
pub(super) fn credentials(user: &str) -> Vec<(&'static str, String)> {
    if user.starts_with("ey") {
        return vec![("Authorization", format!("Bearer {user}"))];
    }
    let mut headers = vec![
        ("X-Gateway-Admin-Secret", ADMIN_SECRET.to_owned()),
        ("X-Gateway-Role", "user".to_owned()),
    ];
    if user.starts_with('{') {
        headers.push(("X-Gateway-Claims", user.to_owned()));
    } else if !user.is_empty() {
        headers.extend([
            ("X-Gateway-User-Id", user.to_owned()),
            ("X-Gateway-Sub", user.to_owned()),
        ]);
    }
    headers
}

impl Service {
    pub(super) async fn start(
        permissions: &str,
        grants: &str,
        settings: &str,
    ) -> Result<Service, StartError> {
        Service::with(permissions, grants, settings, |builder| builder).await
    }

    /// Starts a gateway that has more than its permissions.
    pub(super) async fn with(
        permissions: &str,
        grants: &str,
        settings: &str,
        extend: impl FnOnce(Builder) -> Builder + Send + 'static,
    ) -> Result<Service, StartError> {
        let (database, users) = database(grants).await;
        let [login, reader] = &users;
        let permissions = permissions.replace("READER", reader);
        let url = url_as(&database, login);
        let builder = service::Service::builder("row_security", &[]).settings_file(settings);
        // One connection, so that each request has the one that another had before.
        let builder = builder.permissions(&permissions).setting("pool-size", "1");
        let builder = builder.change(move |builder| extend(builder.database_url(&url)));
        let service = builder.start_over(database).await?;
        Ok(Service { service, users })
    }

    /// A request of the role `user` to a path, with the credentials of a user.
    pub(super) fn request(&self, method: Method, path: &str, user: &str) -> RequestBuilder {
        let request = self.service.request(method, path);
        credentials(user)
            .into_iter()
            .fold(request, |request, (name, value)| {
                request.header(name, value)
            })
    }

    pub(super) fn post(&self, user: &str, query: &str, variables: &Value) -> RequestBuilder {
        self.request(Method::POST, "/v1/graphql", user)
            .json(&json!({"query": query, "variables": variables}))
    }

    pub(super) async fn ask(&self, user: &str, query: &str) -> Reply {
        Reply::of(self.post(user, query, &json!({}))).await.unwrap()
    }

    pub(super) async fn end(self) {
        let users = self.users.join(", ");
        let service::Service {
            gateway, database, ..
        } = self.service;
        drop(gateway);
        let client = database.connect().await.unwrap();
        client
            .batch_execute(&format!("DROP OWNED BY {users}; DROP ROLE {users}"))
            .await
            .unwrap();
    }
}

/// A document that reads the notes of the caller.
pub(super) const NOTES: &str = "{ notes(order_by: {id: asc}) { body } }";
