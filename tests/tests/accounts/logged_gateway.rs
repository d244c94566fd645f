//! A gateway in a process of its own, whose log a test reads, and the forms in which a secret is
//! found where it is not hidden.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tests::binary;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::page::{Form, SERVER_URL};

/// The key that its tokens are signed with.
pub(super) const SIGNING_KEY: &str = "s3cret-key-of-tokens-with-enough-bytes-5715";

/// A running process. Dropping it ends it.
pub(super) struct LoggedGateway {
    pub(super) url: String,
    pub(super) client: reqwest::Client,
    log: PathBuf,
    process: Child,
}

impl Drop for LoggedGateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl LoggedGateway {
    /// Starts `postern serve` with a log of everything. `folder` keeps the settings and the log;
    /// `authorities` is a file of certificates to trust.
    pub(super) async fn start(
        folder: &Path,
        database_url: &str,
        settings: &str,
        authorities: Option<&Path>,
    ) -> LoggedGateway {
        let top = format!(
            "admin_secret = {ADMIN_SECRET:?}\nlisten = \"127.0.0.1:0\"\nlog_level = \"debug\"\n\
             database_url = {database_url:?}\njwt_secret = {:?}\n",
            json!({"type": "HS256", "key": SIGNING_KEY}).to_string(),
        );
        let path = folder.join("gateway.toml");
        std::fs::write(&path, format!("{top}{settings}")).unwrap();
        let log = folder.join("log");
        let file = File::create(&log).unwrap();
        let mut command = binary::command(&["serve", "--config", path.to_str().unwrap()]);
        if let Some(authorities) = authorities {
            command.env("SSL_CERT_FILE", authorities);
        }
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        let process = command.spawn().unwrap();
        let mut gateway = LoggedGateway {
            url: String::new(),
            client: reqwest::Client::builder()
                .redirect(Policy::none())
                .build()
                .unwrap(),
            log,
            process,
        };
        until("the gateway is ready", async || {
            gateway.log().contains("ready")
        })
        .await;
        let ready = gateway.log();
        let (_, port) = ready
            .split_once("127.0.0.1:")
            .expect("an address in the log");
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        gateway.url = format!("http://127.0.0.1:{port}");
        gateway
    }

    /// Its log so far.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Sends a POST to a path.
    pub(super) async fn post(&self, path: &str, token: Option<&str>, body: Value) -> Reply {
        let request = self.client.post(format!("{}{path}", self.url)).json(&body);
        let request = match token {
            None => request,
            Some(token) => request.bearer_auth(token),
        };
        Reply::of(request).await.unwrap()
    }

    /// Opens a link in a mail and presses the button of the page; returns where that leads.
    pub(super) async fn click(&self, link: &str) -> String {
        let page = self.client.get(link.replace(SERVER_URL, &self.url));
        let form = Form::read(&Reply::of(page).await.unwrap().text);
        let press = self.client.post(format!("{}/v1/verify", self.url));
        let press = press
            .body(form.body())
            .header("content-type", "application/x-www-form-urlencoded");
        Reply::of(press)
            .await
            .unwrap()
            .header("location")
            .to_owned()
    }
}

/// All tables of the schema `postern`, as one text.
pub(super) async fn dump(database: &tests::TestDatabase) -> String {
    let sql = database.connect().await.unwrap();
    let dump = "SELECT string_agg(query_to_xml('SELECT * FROM postern.' || quote_ident(tablename), true, false, '')::text, '') \
                FROM pg_tables WHERE schemaname = 'postern'";
    sql.query_one(dump, &[]).await.unwrap().get(0)
}

/// Fails if a text has one of the secrets in some form.
#[track_caller]
pub(super) fn assert_hidden(name: &str, text: &str, secrets: &[String]) {
    for secret in secrets {
        for form in forms(secret) {
            let line = text.lines().find(|line| line.contains(&form));
            assert_eq!(line, None, "{name} has `{secret}` as `{form}`");
        }
    }
}

/// The forms in which a text is found where it is not hidden.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = encodings(secret.as_bytes());
    forms.push(secret.to_owned());
    forms
}

/// The forms in which bytes are found where they are not hidden.
pub(super) fn encodings(secret: &[u8]) -> Vec<String> {
    assert!(secret.len() >= 8, "{secret:?} is found anywhere");
    let hex = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    // Base64 of a part does not depend on the bytes around it if it begins at a multiple of three
    // bytes.
    let encoded = (0..3).map(|from| {
        let middle = &secret[from..from + (secret.len() - from) / 3 * 3];
        STANDARD_NO_PAD.encode(middle)
    });
    encoded.chain([hex]).collect()
}
