//! Requests to the paths of other providers and anonymous users, and their responses: each success,
//! and each error that the description names.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::reply::Reply;

use super::exchanges::{ADA, BLOCKED, BOB, LEAKED, USERS, refused_options};
use super::recorder::{Exchange, PROVIDER, Recorder};
use crate::accounts::page::parameter;
use crate::accounts::service::{PASSWORD, session, text};
use crate::http::elsewhere::{Answer, Elsewhere};

const SIGN_IN: &str = "/v1/signin/provider/{provider}";
const SIGN_UP: &str = "/v1/signup/provider/{provider}";
const CALLBACK: &str = "/v1/signin/provider/{provider}/callback";
const TOKENS: &str = "/v1/signin/provider/{provider}/callback/tokens";
const REFRESH: &str = "/v1/token/provider/{provider}";
const LINK: &str = "/v1/link/provider/{provider}";
const LIST: &str = "/v1/user/providers";
const UNLINK: &str = "/v1/user/providers/unlink";
const EXCHANGE: &str = "/v1/token/exchange";
const ANONYMOUS: &str = "/v1/signin/anonymous";
const DEANONYMIZE: &str = "/v1/user/deanonymize";

/// A provider that cannot be asked.
pub(super) const DOWN: &str = "accounts.provider.company = { issuer = \"http://127.0.0.1:1\", \
                               client_id = \"gateway\" }\n";

/// A provider of OpenID Connect whose metadata, keys and tokens are one JSON object.
struct OpenIdProvider(Elsewhere);

impl OpenIdProvider {
    async fn start() -> OpenIdProvider {
        let provider = OpenIdProvider(Elsewhere::start(Answer::ok("")).await);
        provider.0.answer(Answer::ok(provider.facts()));
        provider
    }

    fn facts(&self) -> Value {
        let url = self.0.url("");
        let mut facts: Value =
            serde_json::from_str(include_str!("../../../../gateway/tests/keys/jwks.json")).unwrap();
        facts["issuer"] = url.as_str().into();
        facts["authorization_endpoint"] = format!("{url}/authorize").into();
        facts["token_endpoint"] = format!("{url}/token").into();
        facts["jwks_uri"] = format!("{url}/keys").into();
        facts["access_token"] = "an access token".into();
        facts["refresh_token"] = "a refresh token".into();
        facts["expires_in"] = 3600.into();
        facts
    }

    /// The settings of a gateway that people sign in to with the provider.
    fn settings(&self) -> String {
        format!(
            "accounts.provider.company = {{ issuer = {:?}, client_id = \"gateway\", keep_tokens = true }}\n",
            self.0.url("")
        )
    }

    /// Signs a person in who was sent to this address; returns what the provider sends back.
    fn sign_in(&self, location: &str, subject: &str, email: &str) -> [(&'static str, String); 2] {
        let now = jsonwebtoken::get_current_timestamp();
        let claims = json!({"iss": self.0.url(""), "aud": "gateway", "sub": subject, "iat": now,
            "exp": now + 60, "nonce": parameter(location, "nonce"), "email": email,
            "email_verified": true});
        let key = include_bytes!("../../../../gateway/tests/keys/rsa.private.pem");
        let key = EncodingKey::from_rsa_pem(key).unwrap();
        let token = jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &key);
        let mut facts = self.facts();
        facts["id_token"] = token.unwrap().into();
        self.0.answer(Answer::ok(facts));
        let state = parameter(location, "state").unwrap();
        [("code", "a code".to_owned()), ("state", state)]
    }
}

/// The cookie of a response, as the browser sends it back.
fn cookie(reply: &Reply) -> String {
    let cookie = reply.header("set-cookie").split(';').next();
    cookie.unwrap_or_default().to_owned()
}

impl Recorder {
    /// Sends a request whose parameters are in its path and query, with a cookie.
    async fn visit(
        &self,
        path: &'static str,
        query: &[(&str, String)],
        cookie: &str,
        status: u16,
    ) -> Reply {
        let request = self.get(&path.replace("{provider}", PROVIDER));
        let request = request.query(query).header("cookie", cookie);
        let values = values(query);
        self.record(request, (Method::GET, path), values, status)
            .await
    }

    /// Signs in by the provider in a browser; returns the response to coming back.
    async fn come_back(
        &self,
        provider: &OpenIdProvider,
        (subject, email): (&str, &str),
        query: &[(&str, String)],
        status: u16,
    ) -> Reply {
        let begun = self.visit(SIGN_IN, query, "", 302).await;
        let back = provider.sign_in(begun.header("location"), subject, email);
        self.visit(CALLBACK, &back, &cookie(&begun), status).await
    }

    /// The access token of a person whom the provider signs in.
    async fn access_by(&self, provider: &OpenIdProvider, person: (&str, &str)) -> String {
        let reply = self.come_back(provider, person, &[], 302).await;
        let token = parameter(reply.header("location"), "refreshToken").unwrap();
        text(&self.refresh(&token).await.json(), "accessToken")
    }
}

fn values(pairs: &[(&str, String)]) -> Value {
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), value.as_str().into()));
    Value::Object(pairs.collect())
}

/// All exchanges. The futures are boxed, because they are large.
pub(super) async fn all() -> Vec<Exchange> {
    let mut exchanges = Box::pin(providers()).await;
    exchanges.append(&mut Box::pin(refused_providers()).await);
    exchanges.append(&mut Box::pin(linked_providers()).await);
    exchanges.append(&mut Box::pin(codes()).await);
    exchanges.append(&mut Box::pin(anonymous_users()).await);
    exchanges.append(&mut Box::pin(other_settings()).await);
    exchanges
}

async fn providers() -> Vec<Exchange> {
    let provider = OpenIdProvider::start().await;
    let recorder = Recorder::with(&format!("{USERS}{}", provider.settings())).await;
    let options = [
        ("redirectTo", "https://app.example.com/in/a".to_owned()),
        ("displayName", "Ada".to_owned()),
        ("locale", "de".to_owned()),
        ("state", "of the application".to_owned()),
    ];
    recorder.visit(SIGN_UP, &options, "", 302).await;
    let access = recorder.access_by(&provider, ("1", ADA)).await;
    recorder.get_as(&access, TOKENS, 200).await;
    recorder.get_as(&access, TOKENS, 400).await;
    let refresh = json!({"refreshToken": "of the provider"});
    recorder.post_as(&access, REFRESH, json!({}), 400).await;
    recorder
        .post_as(&access, REFRESH, refresh.clone(), 200)
        .await;
    provider.0.answer(Answer::of("400 Bad Request", "{}"));
    recorder.post_as(&access, REFRESH, refresh, 400).await;

    // By a form, as some providers answer.
    let begun = recorder.visit(SIGN_IN, &[], "", 302).await;
    let back = provider.sign_in(begun.header("location"), "1", ADA);
    let url = CALLBACK.replace("{provider}", PROVIDER);
    let request = recorder.request(Method::POST, &url).form(&back);
    let request = request.header("cookie", cookie(&begun));
    let operation = (Method::POST, CALLBACK);
    recorder
        .record(request, operation, values(&back), 302)
        .await;

    // Of a person who has a second factor, the page asks for it.
    recorder.turn_on_totp(&access, ADA).await;
    let asks = recorder.come_back(&provider, ("1", ADA), &[], 200).await;
    assert!(asks.text.contains("one-time-code"), "{}", asks.text);
    recorder.finish()
}

async fn refused_providers() -> Vec<Exchange> {
    let roles = "accounts.roles = [\"me\", \"reader\"]\n";
    let recorder = Recorder::with(&format!("{USERS}{roles}{DOWN}")).await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    for path in [SIGN_IN, SIGN_UP] {
        for options in refused_options() {
            let options = options.as_object().unwrap().iter();
            let query = options.map(|(name, value)| {
                let text = value.as_str().map(str::to_owned);
                (name.as_str(), text.unwrap_or_else(|| value.to_string()))
            });
            let query: Vec<_> = query.collect();
            recorder.visit(path, &query, "", 400).await;
        }
        // Leads back with an error, because the provider is down.
        let back = recorder.visit(path, &[], "", 302).await;
        let location = back.header("location");
        let error = parameter(location, "error");
        assert_eq!(error.as_deref(), Some("oauth-provider-error"), "{location}");
    }
    let refresh = json!({"refreshToken": "of the provider"});
    recorder.post_as(&token, REFRESH, refresh, 400).await;
    recorder.post_as(&token, LINK, json!({}), 400).await;
    let elsewhere = json!({"redirectTo": "https://elsewhere.example"});
    recorder.post_as(&token, LINK, elsewhere, 400).await;
    let long = json!({"state": "a".repeat(1001)});
    recorder.post_as(&token, LINK, long, 400).await;
    // A provider that the settings do not have.
    for (method, path) in [
        (Method::GET, SIGN_IN),
        (Method::GET, SIGN_UP),
        (Method::GET, CALLBACK),
        (Method::POST, CALLBACK),
        (Method::GET, TOKENS),
        (Method::POST, REFRESH),
        (Method::POST, LINK),
    ] {
        let url = path.replace("{provider}", "unknown");
        let request = recorder.request(method.clone(), &url).bearer_auth(&token);
        recorder
            .record(request, (method, path), json!({}), 409)
            .await;
    }
    recorder.finish()
}

async fn linked_providers() -> Vec<Exchange> {
    let provider = OpenIdProvider::start().await;
    let methods = "accounts.methods = [\"password\"]\n";
    let settings = provider.settings();
    let recorder = Recorder::with(&format!("{USERS}{methods}{settings}")).await;
    let access = recorder.access_by(&provider, ("1", ADA)).await;
    let listed = recorder.get_as(&access, LIST, 200).await.json();
    let id = json!({"id": listed[0]["id"]});
    recorder.post_as(&access, UNLINK, json!({}), 400).await;
    let unknown = json!({"id": uuid::Uuid::new_v4().to_string()});
    recorder.post_as(&access, UNLINK, unknown, 400).await;
    recorder.post_as(&access, UNLINK, id.clone(), 409).await;

    let body = json!({"redirectTo": "https://app.example.com/in/b", "state": "mine"});
    let begun = recorder.post_as(&access, LINK, body, 200).await;
    let url = text(&begun.json(), "url");
    let back = provider.sign_in(&url, "2", BOB);
    let linked = recorder.visit(CALLBACK, &back, &cookie(&begun), 302).await;
    let location = linked.header("location");
    assert_eq!(parameter(location, "error"), None, "{location}");
    recorder.post_as(&access, UNLINK, id, 200).await;
    recorder.finish()
}

/// Codes in place of refresh tokens.
async fn codes() -> Vec<Exchange> {
    let provider = OpenIdProvider::start().await;
    let recorder = Recorder::with(&format!("{USERS}{}", provider.settings())).await;
    let verifier = "a verifier of at least forty-three characters";
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    let query = [("codeChallenge", challenge)];
    let code = async || {
        let reply = recorder.come_back(&provider, ("1", ADA), &query, 302).await;
        let code = parameter(reply.header("location"), "code").unwrap();
        json!({"code": code, "codeVerifier": verifier})
    };
    recorder.post(EXCHANGE, json!({}), 400).await;
    let first = code().await;
    recorder.post(EXCHANGE, first.clone(), 200).await;
    recorder.post(EXCHANGE, first, 401).await;
    let second = code().await;
    recorder.run("UPDATE people SET is_blocked = true").await;
    recorder.post(EXCHANGE, second, 401).await;
    recorder.finish()
}

async fn anonymous_users() -> Vec<Exchange> {
    let leaks = Elsewhere::start(Answer::ok("")).await;
    let changes = format!(
        "{USERS}accounts.anonymous = true\naccounts.roles = [\"me\", \"reader\"]\n\
         accounts.leaked_passwords = {:?}",
        leaks.url("")
    );
    let recorder = Recorder::with(&changes).await;
    let nullable = "ALTER TABLE people ALTER email DROP NOT NULL";
    recorder.run(nullable).await;
    let long = json!({"displayName": "a".repeat(33)});
    recorder.post(ANONYMOUS, long, 400).await;
    recorder.post(ANONYMOUS, json!({"locale": "fr"}), 400).await;
    let named = json!({"displayName": "Nobody", "locale": "nl", "metadata": {"cart": 7}});
    let opened = recorder.post(ANONYMOUS, named, 200).await;
    let token = text(&session(&opened), "accessToken");

    let body = |options: Value| json!({"signInMethod": "email-password", "email": ADA, "password": PASSWORD, "options": options});
    for options in refused_options() {
        recorder
            .post_as(&token, DEANONYMIZE, body(options), 400)
            .await;
    }
    let short = json!({"signInMethod": "email-password", "email": ADA, "password": "short"});
    recorder.post_as(&token, DEANONYMIZE, short, 400).await;
    leaks.answer(Answer::ok(LEAKED));
    recorder
        .post_as(&token, DEANONYMIZE, body(json!({})), 400)
        .await;
    leaks.answer(Answer::ok(""));
    recorder
        .post_as(&token, DEANONYMIZE, body(json!({})), 200)
        .await;
    recorder.verified(BOB).await;
    let bobs = text(&recorder.session(BOB).await, "accessToken");
    recorder
        .post_as(&bobs, DEANONYMIZE, body(json!({})), 400)
        .await;
    recorder.finish()
}

/// What settings turn off, and what other settings answer.
async fn other_settings() -> Vec<Exchange> {
    let nullable = "ALTER TABLE people ALTER email DROP NOT NULL";
    let recorder = Recorder::with(&format!("accounts.anonymous = true\n{BLOCKED}")).await;
    recorder.run(nullable).await;
    recorder.post(ANONYMOUS, json!({}), 401).await;
    let mut exchanges = recorder.finish();

    let none = "accounts.anonymous = true\naccounts.create = \"INSERT INTO people (email, method) \
                SELECT $1::text, $5::text WHERE $1 IS NOT NULL RETURNING id\"";
    let recorder = Recorder::with(none).await;
    recorder.post(ANONYMOUS, json!({}), 403).await;
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.set_email = \"\"").await;
    recorder.post(ANONYMOUS, json!({}), 409).await;
    recorder.post(DEANONYMIZE, json!({}), 409).await;
    recorder.get_as("not read", "/v1/healthz", 200).await;
    exchanges.append(&mut recorder.finish());
    exchanges
}
