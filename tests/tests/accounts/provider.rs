//! The providers of `tests/oidc`: a real one, and one that does everything wrong that a test wants.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

use reqwest::Url;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::program;
use tests::wait::until;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

use super::page::{SERVER_URL, parameter};
use super::service::{CLIENT_URL, Service};

/// The client of the gateways at all providers. Its letters have to be escaped in headers.
pub(super) const CLIENT_ID: &str = "postern:tests";

/// Its secret, too.
pub(super) const CLIENT_SECRET: &str = "s3cret+/%:&= of the client";

/// The cookie of sign-ins with the provider `google`.
pub(super) const COOKIE: &str = "__Host-postern-google";

/// A page that `redirectTo` may name.
pub(super) const IN: &str = "https://app.example.com/in/here";

/// A running provider. Dropping it ends it.
pub(super) struct Provider {
    pub(super) url: String,
    client: reqwest::Client,
    file: PathBuf,
    stdin: ChildStdin,
    _child: Child,
    _folder: TempDir,
}

/// A user of a provider, in whose page these claims are typed.
pub(super) fn user(subject: &str, email: &str) -> Value {
    json!({"sub": subject, "email": email, "email_verified": true})
}

/// The address that the provider `name` leads back to.
pub(super) fn callback_url(name: &str) -> String {
    format!("{SERVER_URL}/v1/signin/provider/{name}/callback")
}

impl Provider {
    /// Starts a real provider of OpenID Connect, which reads the client's secret in a header.
    pub(super) async fn start() -> Provider {
        Provider::with_client("client_secret_basic", json!({})).await
    }

    /// Starts a real provider for gateways with another public address.
    pub(super) async fn start_for(server_url: &str) -> Provider {
        Provider::open_id(server_url, "client_secret_basic", json!({})).await
    }

    /// Starts a real provider with a way of a client to show who it is, and other settings.
    pub(super) async fn with_client(method: &str, settings: Value) -> Provider {
        Provider::open_id(SERVER_URL, method, settings).await
    }

    async fn open_id(server_url: &str, method: &str, settings: Value) -> Provider {
        let names = ["google", "workos"];
        let urls = names.map(|name| format!("{server_url}/v1/signin/provider/{name}/callback"));
        let mut client = json!({"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
            "redirect_uris": urls, "token_endpoint_auth_method": method,
            "grant_types": ["authorization_code", "refresh_token"]});
        if method == "none" {
            client.as_object_mut().unwrap().remove("client_secret");
        }
        let mut options = json!({"clients": [client], "clientAuthMethods": [method]});
        let settings = settings.as_object().unwrap().clone();
        options.as_object_mut().unwrap().extend(settings);
        Provider::run("provider.mjs", &[&options.to_string()]).await
    }

    /// Starts a provider that misbehaves on command. Nobody has to sign in there.
    pub(super) async fn faulty() -> Provider {
        Provider::run("faulty.mjs", &[]).await
    }

    async fn run(script: &str, arguments: &[&str]) -> Provider {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines");
        let output = File::create(&file).unwrap();
        let mut command = program::node("oidc", script).unwrap();
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut provider = Provider {
            url: String::new(),
            client: reqwest::Client::new(),
            file,
            stdin,
            _child: child,
            _folder: folder,
        };
        until("the provider listens", async || {
            !provider.lines().is_empty()
        })
        .await;
        let line: Value = serde_json::from_str(&provider.lines()[0]).unwrap();
        provider.url = line["url"].as_str().unwrap().to_owned();
        provider
    }

    /// The complete lines of its output.
    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.file).unwrap();
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// Its settings under a name.
    pub(super) fn settings(&self, name: &str) -> String {
        let table = format!("accounts.provider.{name}");
        format!(
            "{table}.issuer = {:?}\n{table}.client_id = {CLIENT_ID:?}\n{table}.client_secret = {CLIENT_SECRET:?}\n",
            self.url
        )
    }

    /// The settings of the GitHub that the faulty provider is, too.
    pub(super) fn github_settings(&self) -> String {
        let table = "accounts.provider.github";
        let url = &self.url;
        format!(
            "{table}.kind = \"github\"\n{table}.client_id = {CLIENT_ID:?}\n{table}.client_secret = {CLIENT_SECRET:?}\n\
             {table}.url = \"{url}/github\"\n{table}.api_url = \"{url}/github/api\"\n"
        )
    }

    /// Changes what the real provider knows of a user.
    pub(super) async fn set_user(&mut self, claims: &Value) {
        let before = self.lines().len();
        let line = format!("{claims}\n");
        self.stdin.write_all(line.as_bytes()).await.unwrap();
        until("the provider knows the user", async || {
            self.lines().len() > before
        })
        .await;
    }

    /// Tells the faulty provider what to do from now on.
    pub(super) async fn behave(&self, faults: Value) {
        let request = self.client.put(format!("{}/control", self.url));
        let response = request.json(&faults).send().await.unwrap();
        assert_eq!(response.status(), 200);
    }

    /// Gives the faulty provider new keys.
    pub(super) async fn rotate_keys(&self) {
        let request = self.client.post(format!("{}/rotate", self.url));
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    /// The requests that the faulty provider has got at a path: `method`, `url`, `headers`, `body`.
    pub(super) async fn requests(&self, path: &str) -> Vec<Value> {
        let request = self.client.get(format!("{}/requests", self.url));
        let response = request.send().await.unwrap();
        let all: Vec<Value> = response.json().await.unwrap();
        let is_asked = |request: &Value| {
            let url = request["url"].as_str().unwrap_or_default();
            url.split('?').next() == Some(path)
        };
        all.into_iter().filter(is_asked).collect()
    }
}

/// The parameters of a form that the faulty provider has got.
pub(super) fn form_of(request: &Value) -> Vec<(String, String)> {
    let body = request["body"].as_str().unwrap_or_default();
    let url = Url::parse(&format!("http://localhost/?{body}")).unwrap();
    let pairs = url.query_pairs();
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}

impl Service {
    /// The session that the redirect after a sign-in hands over.
    pub(super) async fn landed(&self, location: &str) -> Value {
        let kind = parameter(location, "type");
        assert_eq!(kind.as_deref(), Some("signinProvider"), "{location}");
        assert_eq!(parameter(location, "error"), None, "{location}");
        let token = parameter(location, "refreshToken");
        let token = token.unwrap_or_else(|| panic!("no token in {location}"));
        let reply = self.refresh(&token).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    /// The text of all people, identities, sessions and tokens, to see that nothing has changed.
    pub(super) async fn people_and_sessions(&self) -> String {
        self.value(
            "SELECT json_build_array((SELECT json_agg(p ORDER BY p.id) FROM people p), \
             (SELECT json_agg(i ORDER BY i.id) FROM postern.external_identity i), \
             (SELECT json_agg(v::text ORDER BY v::text) FROM postern.verified_email v), \
             (SELECT json_agg(s ORDER BY s.id) FROM postern.session s))",
        )
        .await
    }

    /// The identities as `provider subject email`, by the order in which they were linked.
    pub(super) async fn identities(&self) -> Vec<String> {
        let rows = "SELECT coalesce(json_agg(concat_ws(' ', provider, subject, email) ORDER BY linked_at), '[]') \
                    FROM postern.external_identity";
        serde_json::from_str(&self.value(rows).await).unwrap()
    }

    /// The number of rows of a table.
    pub(super) async fn count(&self, table: &str) -> u32 {
        let count = self.value(&format!("SELECT count(*) FROM {table}")).await;
        count.parse().unwrap()
    }
}

/// Fails unless a redirect says that a sign-in failed with this code, and hands nothing over.
#[track_caller]
pub(super) fn assert_failed(location: &str, code: &str) {
    let error = parameter(location, "error");
    assert_eq!(error.as_deref(), Some(code), "{location}");
    let description = parameter(location, "errorDescription");
    assert!(
        description.is_some_and(|text| !text.is_empty()),
        "{location}"
    );
    for name in ["refreshToken", "code", "ticket"] {
        assert_eq!(parameter(location, name), None, "{location}");
    }
    assert!(location.starts_with(CLIENT_URL), "{location}");
}

/// Fails unless a redirect says that there is no such sign-in under way, and leads to the
/// application's own address.
#[track_caller]
pub(super) fn assert_invalid_state(location: &str) {
    assert_failed(location, "invalid-state");
    assert!(
        location.starts_with(&format!("{CLIENT_URL}/?")),
        "{location}"
    );
}
