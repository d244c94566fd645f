//! Tests keys that an issuer publishes and changes, and secrets that a reload changes, while
//! requests continue.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway::config::Settings;
use gateway::server::GatewayHandle;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use tests::binary;
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::wait::until;

use super::elsewhere::{Answer, Elsewhere};
use super::service::{PERMISSIONS, SCHEMA, Service, builder, send};
use super::token;

const PATIENCE: Duration = Duration::from_secs(30);

/// The published key with that id.
fn published(id: &str) -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../gateway/tests/keys/jwks.json"
    );
    let set: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    set["keys"]
        .as_array()
        .unwrap()
        .iter()
        .find(|key| key["kid"] == id)
        .unwrap()
        .clone()
}

fn keys(ids: &[&str]) -> Answer {
    Answer::ok(json!({"keys": ids.iter().map(|id| published(id)).collect::<Vec<_>>()}))
}

/// A valid token, signed by the private key with that id.
fn signed(id: &str) -> String {
    signed_as(id, Some(id))
}

fn signed_as(id: &str, named: Option<&str>) -> String {
    let pem = std::fs::read(format!(
        "{}/../gateway/tests/keys/{id}.private.pem",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let (algorithm, key) = match id {
        "rsa" => (Algorithm::RS256, EncodingKey::from_rsa_pem(&pem)),
        "ec256" => (Algorithm::ES256, EncodingKey::from_ec_pem(&pem)),
        "ec384" => (Algorithm::ES384, EncodingKey::from_ec_pem(&pem)),
        _ => (Algorithm::EdDSA, EncodingKey::from_ed_pem(&pem)),
    };
    let header = Header {
        kid: named.map(str::to_owned),
        ..Header::new(algorithm)
    };
    jsonwebtoken::encode(&header, &token::claims(), &key.unwrap()).unwrap()
}

async fn ask(service: &Service, token: &str) -> Reply {
    send(
        service
            .post()
            .bearer_auth(token)
            .json(&json!({"query": "{ authors { name } }"})),
    )
    .await
}

fn is_good(reply: &Reply) -> bool {
    reply.data() == json!({"authors": [{"name": "Ada"}]})
}

async fn with_keys_of(issuer: &Elsewhere) -> Service {
    Service::with(&[(
        "jwt-secret",
        &json!({"jwk_url": issuer.url("/keys")}).to_string(),
    )])
    .await
}

#[tokio::test]
async fn published_keys_of_every_kind_verify() {
    let issuer = Elsewhere::start(keys(&["rsa", "ec256", "ec384", "ed25519"])).await;
    let service = with_keys_of(&issuer).await;
    for id in ["rsa", "ec256", "ec384", "ed25519"] {
        assert!(is_good(&ask(&service, &signed(id)).await), "{id}");
        assert!(
            is_good(&ask(&service, &signed_as(id, None)).await),
            "{id}, not named"
        );
    }
    for (id, named) in [("rsa", "ec256"), ("ec256", "ec384"), ("ec384", "gone")] {
        let ReplyError {
            status,
            code,
            message,
        } = ask(&service, &signed_as(id, Some(named))).await.error();
        assert_eq!(
            (status, code.as_str()),
            (401, "access-denied"),
            "{id} as {named}"
        );
        assert!(message.starts_with("Could not verify JWT: "), "{message}");
    }
    assert!(
        issuer
            .asked()
            .iter()
            .all(|request| request.head.starts_with("get /keys http/1.1"))
    );
}

#[tokio::test]
async fn symmetric_and_encryption_keys_of_a_jwks_are_ignored() {
    let shared = json!({"kty": "oct", "alg": "HS256", "kid": "shared", "k": "c2VjcmV0IG9mIG5vYm9keSwgdGhpcnR5LXR3byBieXRlcw"});
    let mut encrypting = published("rsa");
    encrypting["use"] = "enc".into();
    let set = json!({"keys": [shared, encrypting, published("ec256"), {"kty": "new"}, 7]});
    let issuer = Elsewhere::start(Answer::ok(set)).await;
    let service = with_keys_of(&issuer).await;
    assert!(is_good(&ask(&service, &signed("ec256")).await));
    let header = Header {
        kid: Some("shared".into()),
        ..Header::new(Algorithm::HS256)
    };
    let secret = EncodingKey::from_secret(b"secret of nobody, thirty-two bytes");
    let by_shared = jsonwebtoken::encode(&header, &token::claims(), &secret).unwrap();
    assert_eq!(ask(&service, &by_shared).await.status, 401);
    assert_eq!(ask(&service, &signed("rsa")).await.status, 401);
    let coordinate = published("ec256")["x"].as_str().unwrap().to_owned();
    let confused = token::by(
        Algorithm::HS256,
        &EncodingKey::from_secret(coordinate.as_bytes()),
        &token::claims(),
    );
    assert_eq!(ask(&service, &confused).await.status, 401);
}

#[tokio::test]
async fn unavailable_issuer_prevents_no_start_and_drops_no_keys() {
    let issuer = Elsewhere::start(Answer::of("500 Internal Server Error", "")).await;
    let service = with_keys_of(&issuer).await;
    let away = "the keys that tokens are verified by are not available";
    let reply = ask(&service, &signed("rsa")).await;
    reply.assert_error(503, "unavailable", away);
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(
        send(
            service
                .reader()
                .json(&json!({"query": "{ authors { id } }"}))
        )
        .await
        .status,
        200
    );
    // They are fetched in the background, without a request that needs them.
    issuer.answer(keys(&["rsa"]).with("Cache-Control: max-age=0"));
    until("keys that came later count", async || {
        is_good(&ask(&service, &signed("rsa")).await)
    })
    .await;
    // Fetched keys are kept when later fetches fail.
    let wrong = [
        Answer::of("500 Internal Server Error", "{}"),
        Answer::of("302 Found", "").with("Location: /keys"),
        Answer::ok("<html>"),
        Answer::ok(json!({"keys": []})),
        Answer::ok("x".repeat(3 << 20)),
    ];
    for response_value in wrong {
        let asked_again = async || {
            let before = issuer.asked().len();
            until("it is asked again", async || issuer.asked().len() > before).await;
        };
        issuer.answer(response_value.clone());
        asked_again().await;
        assert!(
            is_good(&ask(&service, &signed("rsa")).await),
            "{}",
            response_value.status
        );
        // After a valid response it is fetched at the usual interval again.
        issuer.answer(keys(&["rsa"]).with("Cache-Control: no-store"));
        asked_again().await;
    }
}

#[tokio::test]
async fn requests_wait_for_the_first_keys() {
    let slow = Answer {
        after: Duration::from_millis(700),
        ..keys(&["ec256"])
    };
    let issuer = Elsewhere::start(slow).await;
    let service = with_keys_of(&issuer).await;
    let token = signed("ec256");
    let responses = (0..20).map(|_| ask(&service, &token));
    assert!(
        futures_util::future::join_all(responses)
            .await
            .iter()
            .all(is_good)
    );
    assert_eq!(issuer.asked().len(), 1, "one fetch for all of them");
}

#[tokio::test]
async fn unknown_key_id_causes_rate_limited_fetches() {
    let issuer = Elsewhere::start(keys(&["rsa"]).with("Cache-Control: max-age=3600")).await;
    let service = with_keys_of(&issuer).await;
    assert!(is_good(&ask(&service, &signed("rsa")).await));
    assert_eq!(issuer.asked().len(), 1);
    issuer.answer(keys(&["rsa", "ec256"]).with("Cache-Control: max-age=3600"));
    let token = signed("ec256");
    let responses = (0..20).map(|_| ask(&service, &token));
    assert!(
        futures_util::future::join_all(responses)
            .await
            .iter()
            .all(is_good),
        "a new key counts at once"
    );
    assert_eq!(issuer.asked().len(), 2);
    for number in 0..20 {
        assert_eq!(
            ask(
                &service,
                &signed_as("ec256", Some(&format!("made up {number}")))
            )
            .await
            .status,
            401
        );
    }
    assert_eq!(
        issuer.asked().len(),
        2,
        "made-up names are not worth a fetch each"
    );
}

#[tokio::test]
async fn tokens_of_a_withdrawn_key_are_refused() {
    let issuer = Elsewhere::start(keys(&["rsa", "ec256"]).with("Cache-Control: max-age=1")).await;
    let service = with_keys_of(&issuer).await;
    let old = signed("rsa");
    let new = signed("ec256");
    assert!(is_good(&ask(&service, &old).await) && is_good(&ask(&service, &new).await));
    issuer.answer(keys(&["ec256"]).with("Cache-Control: max-age=1"));
    until("the token of the old key is refused", async || {
        ask(&service, &old).await.status == 401
    })
    .await;
    assert!(is_good(&ask(&service, &new).await));
    let message = "Could not verify JWT: no key has the token's 'kid'";
    ask(&service, &old)
        .await
        .assert_error(401, "access-denied", message);
}

#[tokio::test]
async fn issuers_with_published_and_configured_keys_combine() {
    let issuer = Elsewhere::start(keys(&["ec256"])).await;
    let setting = json!([
        {"jwk_url": issuer.url("/keys"), "type": "ES256", "audience": "us"},
        {"type": "HS256", "key": std::str::from_utf8(token::KEY).unwrap()},
    ]);
    let service = Service::with(&[("jwt-secret", &setting.to_string())]).await;
    assert!(is_good(&ask(&service, &token::good()).await));
    let reply = ask(&service, &signed("ec256")).await;
    reply.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: the claim 'aud' is missing",
    );
}

/// Sends requests with the current token from several tasks until it is stopped. Counts the good
/// responses, and reports the first bad one.
struct Load {
    token: Arc<Mutex<String>>,
    stop: Arc<AtomicBool>,
    good: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<Result<(), String>>>,
}

impl Load {
    fn start(url: &str, token: String) -> Load {
        let mut load = Load {
            token: Arc::new(Mutex::new(token)),
            stop: Arc::default(),
            good: Arc::default(),
            tasks: vec![],
        };
        for _ in 0..4 {
            let url = url.to_owned();
            let token = load.token.clone();
            let stop = load.stop.clone();
            let good = load.good.clone();
            load.tasks.push(tokio::spawn(async move {
                let client = reqwest::Client::new();
                while !stop.load(Ordering::Relaxed) {
                    let token = token.lock().unwrap().clone();
                    let request = client
                        .post(&url)
                        .bearer_auth(token)
                        .json(&json!({"query": "{ authors { name } }"}));
                    let reply = Reply::of(request)
                        .await
                        .map_err(|error| error.to_string())?;
                    if !is_good(&reply) {
                        return Err(reply.text);
                    }
                    good.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }));
        }
        load
    }

    /// Waits until `number` more requests succeeded, or one failed.
    async fn more(&self, number: usize) {
        let goal = self.good.load(Ordering::Relaxed) + number;
        until("more requests are answered", async || {
            self.good.load(Ordering::Relaxed) >= goal
                || self.tasks.iter().any(|task| task.is_finished())
        })
        .await;
    }

    fn go_on_with(&self, token: String) {
        *self.token.lock().unwrap() = token;
    }

    async fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn published_keys_rotate_under_load_without_a_refusal() {
    let issuer = Elsewhere::start(keys(&["rsa"]).with("Cache-Control: max-age=2")).await;
    let service = with_keys_of(&issuer).await;
    let load = Load::start(&service.url("/v1/graphql"), signed("rsa"));
    load.more(50).await;
    // The issuer adds a new key and signs with it at once; the gateway learns of the key only from
    // a token.
    issuer.answer(keys(&["rsa", "ec256"]).with("Cache-Control: max-age=2"));
    load.go_on_with(signed("ec256"));
    load.more(50).await;
    let before = issuer.asked().len();
    issuer.answer(keys(&["ec256"]).with("Cache-Control: max-age=2"));
    until("the set without the old key was fetched", async || {
        issuer.asked().len() > before + 1
    })
    .await;
    load.more(50).await;
    // Fetched keys survive a reload, also when the issuer is unavailable at that time.
    issuer.answer(Answer::of("503 Service Unavailable", ""));
    service.gateway.reload().await.unwrap();
    load.more(50).await;
    load.end().await;
    assert_eq!(ask(&service, &signed("rsa")).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_rotate_by_reloads_under_load_without_a_refusal() {
    let secret = |key: &str| json!({"type": "HS256", "key": key.repeat(10), "kid": key});
    let signed = |key: &str| {
        let header = Header {
            kid: Some(key.into()),
            ..Header::new(Algorithm::HS256)
        };
        let secret = EncodingKey::from_secret(key.repeat(10).as_bytes());
        jsonwebtoken::encode(&header, &token::claims(), &secret).unwrap()
    };
    let database = tests::create("rotation", &[SCHEMA]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // With `=` between keys and values, such JSON is valid TOML: an inline table, or an array of
    // them.
    let write = |secret: &Value| {
        let secret = secret.to_string().replace("\":", "\"=");
        std::fs::write(
            path("gateway.toml"),
            format!("permissions = \"service.toml\"\njwt_secret = {secret}\n"),
        )
        .unwrap();
    };
    write(&secret("first"));
    std::fs::write(path("service.toml"), PERMISSIONS).unwrap();
    let file = path("gateway.toml").to_string_lossy().into_owned();
    let arguments = [
        "serve",
        "--config",
        &file,
        "--database-url",
        database.url(),
        "--listen",
        "127.0.0.1:0",
    ];
    let running = binary::Running::start(binary::command(&arguments)).unwrap();
    let ready = running
        .wait_for_line("ready", PATIENCE)
        .expect("it is not ready");
    let address = ready
        .split_once("address=")
        .expect("no address in the log")
        .1
        .split_whitespace()
        .next()
        .unwrap();
    let url = format!("http://{address}/v1/graphql");
    let reload = || {
        running.signal("HUP").unwrap();
        running
            .wait_for_line("reloaded", PATIENCE)
            .expect("it was not reloaded");
    };
    let load = Load::start(&url, signed("first"));
    load.more(50).await;
    for (both, token, last) in [
        (
            json!([secret("first"), secret("second")]),
            "second",
            secret("second"),
        ),
        (
            json!([secret("third"), secret("second")]),
            "third",
            secret("third"),
        ),
    ] {
        write(&both);
        reload();
        load.more(30).await;
        load.go_on_with(signed(token));
        load.more(50).await;
        write(&last);
        reload();
        load.more(50).await;
    }
    load.end().await;
    let old = reqwest::Client::new()
        .post(&url)
        .bearer_auth(signed("first"));
    let reply = Reply::of(old.json(&json!({"query": "{ authors { name } }"})))
        .await
        .unwrap();
    reply.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: no key has the token's 'kid'",
    );
}

/// Two gateways over one database, each with settings of its own that a reload reads.
struct TwoGateways {
    service: Service,
    other: GatewayHandle,
    secrets: [SharedSettings; 2],
}

/// Settings by their names.
type SharedSettings = Arc<Mutex<Vec<(&'static str, String)>>>;

impl TwoGateways {
    async fn start(secrets: &[(&'static str, &str)]) -> TwoGateways {
        let owned = || {
            let secrets = secrets.iter();
            let owned: Vec<_> = secrets
                .map(|(name, text)| (*name, (*text).to_owned()))
                .collect();
            Arc::new(Mutex::new(owned))
        };
        let both = [owned(), owned()];
        let database = builder(SCHEMA).create_database().await;
        let start = async |current: &Arc<Mutex<Vec<(&'static str, String)>>>| {
            let url = database.url().to_owned();
            let current = current.clone();
            let gather = move || {
                let mut settings = Settings::default();
                settings.set("database-url", &url)?;
                settings.set("listen", "127.0.0.1:0")?;
                for (name, text) in current.lock().unwrap().iter() {
                    settings.set(name, text)?;
                }
                Ok(settings)
            };
            let gateway = tests::gateway().settings_from(gather);
            gateway
                .permissions_text("service.toml", PERMISSIONS)
                .start()
                .await
                .unwrap()
        };
        let first = start(&both[0]).await;
        let other = start(&both[1]).await;
        TwoGateways {
            service: Service::from_parts(first, database),
            other,
            secrets: both,
        }
    }

    fn urls(&self) -> [String; 2] {
        [self.service.gateway.url(), self.other.url()]
    }

    /// Pages through a list, one page from each gateway in turn, and reads the metrics of both.
    async fn read_all(&self, admin_secret: &str, metrics_secret: &str) {
        for turn in 0..2 {
            let mut after = Value::Null;
            for page in 0..2 {
                let url = &self.urls()[(turn + page) % 2];
                let query = "query($after: String) { authors(order_by: {id: asc}, limit: 1, \
                             after: $after) { id _cursor } }";
                let request = self.service.client.post(format!("{url}/v1/graphql"));
                let request = request
                    .header("X-Gateway-Admin-Secret", admin_secret)
                    .header("X-Gateway-Role", "reader")
                    .json(&json!({"query": query, "variables": {"after": after}}));
                let reply = send(request).await;
                let row = reply.data()["authors"][0].clone();
                assert_eq!(row["id"], page + 1, "{}", reply.text);
                after = row["_cursor"].clone();
                let metrics = self.service.client.get(format!("{url}/metrics"));
                assert_eq!(send(metrics.bearer_auth(metrics_secret)).await.status, 200);
            }
        }
    }

    /// Changes a secret, on one gateway after the other.
    async fn change(&self, name: &str, text: &str, meanwhile: (&str, &str)) {
        for (gateway, secrets) in [&self.service.gateway, &self.other]
            .into_iter()
            .zip(&self.secrets)
        {
            let set = |(known, value): &mut (&'static str, String)| {
                if *known == name {
                    *value = text.to_owned();
                }
            };
            secrets.lock().unwrap().iter_mut().for_each(set);
            gateway.reload().await.unwrap();
            self.read_all(meanwhile.0, meanwhile.1).await;
        }
    }
}

#[tokio::test]
async fn secrets_change_over_two_gateways_without_a_refused_request() {
    let key = |name: &str| format!("{{\"type\":\"HS256\",\"key\":\"{name:a<32}\"}}");
    let gateways = TwoGateways::start(&[
        ("admin-secret", "old admin secret"),
        ("metrics-secret", "old metrics"),
        ("cursor-secret", "old cursor secret"),
        ("jwt-secret", &key("old")),
    ])
    .await;
    let (old, new) = (
        ("old admin secret", "old metrics"),
        ("new admin secret", "new metrics"),
    );
    gateways.read_all(old.0, old.1).await;
    // Keys for tokens say nothing about cursors.
    let both = format!("[{}, {}]", key("new"), key("old"));
    gateways.change("jwt-secret", &both, old).await;
    gateways.change("jwt-secret", &key("new"), old).await;
    let list = |first: &str, second: &str| json!([first, second]).to_string();
    for (name, first, second) in [
        ("admin-secret", old.0, new.0),
        ("metrics-secret", old.1, new.1),
    ] {
        gateways.change(name, &list(first, second), old).await;
    }
    gateways.read_all(new.0, new.1).await;
    for (name, secret) in [("admin-secret", new.0), ("metrics-secret", new.1)] {
        gateways.change(name, secret, new).await;
    }
    let cursors = ("old cursor secret", "new cursor secret");
    for list in [list(cursors.0, cursors.1), list(cursors.1, cursors.0)] {
        gateways.change("cursor-secret", &list, new).await;
    }
    // The last step refuses cursors of the old secret, of which there are none any more.
    gateways.change("cursor-secret", cursors.1, new).await;
    let refused = gateways
        .service
        .client
        .get(format!("{}/metrics", gateways.urls()[0]));
    assert_eq!(send(refused.bearer_auth(old.1)).await.status, 401);
    let refused = gateways
        .service
        .post()
        .header("X-Gateway-Admin-Secret", old.0);
    let refused = send(refused.json(&json!({"query": "{ authors { name } }"}))).await;
    assert_eq!(refused.status, 401, "{}", refused.text);
}
