//! Starts a gateway with a settings file in its own folder, and sends requests to it.

use std::path::PathBuf;

use gateway::config::Settings;
use gateway::server::{GatewayHandle, StartError};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tests::TestDatabase;
use tests::reply::Reply;
use tests::reply::ReplyError;

const SCHEMA: &str = include_str!("../http/service.sql");
const PERMISSIONS: &str = include_str!("../http/service.toml");
const SECRET: &str = "open sesame, and close";

/// A folder with settings, and a database.
pub(super) struct Place {
    pub(super) database: TestDatabase,
    pub(super) folder: TempDir,
    client: reqwest::Client,
}

/// A gateway over it.
pub(super) struct Service {
    pub(super) place: Place,
    pub(super) gateway: GatewayHandle,
}

impl Place {
    /// Creates a folder with these settings: the table `[operations]`, and what precedes it.
    pub(super) async fn with(settings: &str) -> Place {
        let database = tests::create("operations", &[SCHEMA]).await.unwrap();
        let location = Place {
            database,
            folder: tempfile::tempdir().unwrap(),
            client: reqwest::Client::new(),
        };
        location.write("permissions.toml", PERMISSIONS);
        location.configure(settings);
        location
    }

    pub(super) fn configure(&self, settings: &str) {
        let usual = format!(
            "listen = \"127.0.0.1:0\"\nadmin_secret = \"{SECRET}\"\npermissions \
                             = \"permissions.toml\"\npool_size = 4\n"
        );
        self.write("gateway.toml", &format!("{usual}{settings}"));
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub(super) async fn try_start(&self) -> Result<GatewayHandle, StartError> {
        let config = self.path("gateway.toml").to_string_lossy().into_owned();
        let url = self.database.url().to_owned();
        let flag = move |name: &str| match name {
            "config" => Some(config.clone()),
            "database-url" => Some(url.clone()),
            _ => None,
        };
        tests::gateway()
            .settings_from(move || Settings::gather(&flag, |_| None))
            .start()
            .await
    }

    pub(super) async fn start(self) -> Service {
        let running = self.try_start().await.unwrap();
        Service {
            place: self,
            gateway: running,
        }
    }
}

impl Service {
    /// Starts a gateway with these settings.
    pub(super) async fn with(settings: &str) -> Service {
        Place::with(settings).await.start().await
    }

    fn with_credentials(&self, request: RequestBuilder, role: &str) -> RequestBuilder {
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", role)
    }

    /// Sends a POST with this body as a role.
    pub(super) async fn post(&self, role: &str, body: &Value) -> Reply {
        let request = self
            .place
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        Reply::of(self.with_credentials(request, role).json(body))
            .await
            .expect("no answer")
    }

    /// Sends a GET with these parameters as a role.
    pub(super) async fn get(&self, role: &str, parameters: &[(&str, &str)]) -> Reply {
        let request = self
            .place
            .client
            .get(format!("{}/v1/graphql", self.gateway.url()));
        Reply::of(self.with_credentials(request, role).query(parameters))
            .await
            .expect("no answer")
    }

    /// Sends a document as a role.
    pub(super) async fn ask(&self, role: &str, query: &str) -> Reply {
        self.post(role, &json!({ "query": query })).await
    }

    /// How many requests were not on any list.
    pub(super) fn unlisted(&self, role: &str, mode: &str) -> u64 {
        self.gateway
            .app()
            .metrics
            .unlisted
            .with_label_values(&[role, mode])
            .get()
    }
}

/// The SHA-256 digest of a text in hexadecimal, as clients send it.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The extension that Apollo's clients send beside or instead of a document.
pub(super) fn extension(query: &str) -> Value {
    json!({"persistedQuery": {"version": 1, "sha256Hash": sha256(query)}})
}

/// Fails unless the reply is this error.
#[track_caller]
pub(super) fn refused(reply: &Reply, status: u16, code: &str, message: &str) {
    assert_eq!(
        reply.error(),
        ReplyError::new(status, code, message),
        "{}",
        reply.text
    );
    assert!(reply.is_sound_error(), "{}", reply.text);
}
