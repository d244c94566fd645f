//! Tests invalid tokens and their errors at every kind of endpoint: GraphQL with both media types,
//! REST, and GraphQL in the Hasura dialect.

use std::sync::Arc;

use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{ErrorFormat, HttpExchange, json as reply};
use gateway::plugin::Plugin;
use gateway::server::GatewayHandle;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA};
use super::token::{self, forged};

/// A plugin path with the REST error format, which returns the caller's role.
#[derive(Debug)]
struct Whoami;

impl Plugin for Whoami {
    fn name(&self) -> &'static str {
        "whoami"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let methods = &[Method::GET];
        let error_format = ErrorFormat::Rest;
        let class = RouteClass::Requests;
        vec![Route {
            path: "/whoami",
            methods,
            error_format,
            class,
            handler: Handler::Plugin(self),
        }]
    }
}

impl PluginHandler for Whoami {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let session = exchange
                .app
                .state()
                .authenticator
                .session(&exchange.headers)
                .await?;
            let body = json!({"role": session.role()}).to_string();
            Ok(reply(
                reqwest::StatusCode::OK,
                "application/json",
                body.into_bytes(),
            ))
        })
    }
}

/// A gateway that requires tokens with issuer `me` and audience `us`, and another one in the Hasura
/// dialect.
struct Endpoints {
    own: GatewayHandle,
    hasura: GatewayHandle,
    client: reqwest::Client,
}

impl Endpoints {
    async fn open() -> Endpoints {
        let own = gateway("gateway").await;
        Endpoints {
            own,
            hasura: gateway("hasura").await,
            client: reqwest::Client::new(),
        }
    }

    /// Sends a request to one of the four endpoints, with these values of `Authorization`.
    async fn ask(&self, endpoint: usize, values: &[&[u8]]) -> Reply {
        let running = if endpoint == 3 {
            &self.hasura
        } else {
            &self.own
        };
        let url = |path: &str| format!("{}{path}", running.url());
        let request = match endpoint {
            2 => self.client.get(url("/whoami")),
            _ => self
                .client
                .post(url("/v1/graphql"))
                .json(&json!({"query": "{ authors { name } }"})),
        };
        let request = if endpoint == 1 {
            request.header("Accept", "application/graphql-response+json")
        } else {
            request
        };
        let request = values.iter().fold(request, |request, value| {
            request.header("Authorization", *value)
        });
        Reply::of(request)
            .await
            .expect("the connection was dropped without an answer")
    }

    /// Fails unless every endpoint returns this error in its own format.
    async fn refuse(&self, what: &str, values: &[&[u8]], status: u16, reason: &str, hasura: &str) {
        let (code, message) = match status {
            400 => ("bad-request", reason.to_owned()),
            _ => ("access-denied", format!("Could not verify JWT: {reason}")),
        };
        for endpoint in [0, 1] {
            let reply = self.ask(endpoint, values).await;
            assert_eq!(
                reply.error(),
                ReplyError::new(status, code, message.clone()),
                "{what}: {}",
                reply.text
            );
            assert!(reply.is_sound_error(), "{what}: {}", reply.text);
            assert_eq!(
                reply.header("www-authenticate"),
                if status == 401 { "Bearer" } else { "" },
                "{what}"
            );
        }
        let rest_message = if reason == "JWTExpired" {
            "JWT token has expired"
        } else {
            &message
        };
        let reply = self.ask(2, values).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.text);
        assert_eq!(
            reply.json(),
            json!({"status": "error", "message": rest_message, "data": null}),
            "{what}"
        );
        let reply = self.ask(3, values).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (200, hasura),
            "{what}: {}",
            reply.text
        );
    }
}

async fn gateway(profile: &str) -> GatewayHandle {
    let database = tests::create("bad_tokens", &[SCHEMA]).await.unwrap();
    let key = std::str::from_utf8(token::KEY).unwrap();
    let secret = json!({"type": "HS256", "key": key, "kid": "ours", "audience": "us", "issuer": "me",
        "claims_namespace": "gateway"});
    let builder = tests::gateway()
        .database_url(database.url())
        .listen("127.0.0.1:0")
        .admin_secret(ADMIN_SECRET);
    let builder = builder
        .setting("profile", profile)
        .setting("header-prefix", "X-Gateway-")
        .plugin(Arc::new(Whoami));
    let running = builder
        .jwt_secret(&secret.to_string())
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await;
    // The database is dropped with the process.
    std::mem::forget(database);
    running.unwrap()
}

/// The claims of a token that this gateway accepts.
fn claims() -> Value {
    let mut claims = token::claims();
    claims["aud"] = "us".into();
    claims["iss"] = "me".into();
    claims
}

fn good() -> String {
    token::signed(&claims())
}

/// The valid token with another claim.
fn with(name: &str, value: impl Into<Value>) -> String {
    let mut claims = claims();
    claims[name] = value.into();
    token::signed(&claims)
}

fn without(name: &str) -> String {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    token::signed(&claims)
}

/// The valid token with a claim of the namespace changed.
fn holding(change: impl FnOnce(&mut Value)) -> String {
    let mut claims = claims();
    change(&mut claims["gateway"]);
    token::signed(&claims)
}

fn pem(name: &str) -> String {
    std::fs::read_to_string(format!(
        "{}/../gateway/tests/keys/{name}.pem",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

fn headed(change: impl FnOnce(&mut Header), key: &[u8]) -> String {
    let mut header = Header::new(Algorithm::HS256);
    change(&mut header);
    jsonwebtoken::encode(&header, &claims(), &EncodingKey::from_secret(key)).unwrap()
}

const SIGNATURE: &str = "JWSInvalidSignature";
const ALGORITHM: &str = "the algorithm is not the one of the key";
const MALFORMED: &str = "malformed token";
const HEADER: &str = "malformed authorization header";

#[tokio::test]
async fn valid_tokens_are_accepted_at_every_endpoint() {
    let endpoints = Endpoints::open().await;
    let schemes = ["Bearer", "bearer", "BEARER", "bEaReR"];
    for value in schemes.map(|scheme| format!("{scheme} {}", good())) {
        for endpoint in 0..4 {
            assert_eq!(
                endpoints.ask(endpoint, &[value.as_bytes()]).await.status,
                200,
                "{endpoint}"
            );
        }
    }
    let named = headed(|header| header.kid = Some("ours".into()), token::KEY);
    for token in [
        named,
        without("exp"),
        with("aud", json!(["them", "us"])),
        with("nbf", token::now() - 5),
    ] {
        let reply = endpoints
            .ask(0, &[format!("Bearer {token}").as_bytes()])
            .await;
        assert_eq!(
            reply.data(),
            json!({"authors": [{"name": "Ada"}]}),
            "{}",
            reply.text
        );
    }
}

#[tokio::test]
async fn invalid_claims_are_refused_at_every_endpoint() {
    let endpoints = Endpoints::open().await;
    let (jwt, claim, missing) = (
        "invalid-jwt",
        "jwt-invalid-claims",
        "jwt-missing-role-claims",
    );
    let seconds = |name: &str| format!("the claim '{name}' has to be a number of seconds");
    let gone = |name: &str| format!("the claim '{name}' is missing");
    let role = |name: &'static str| {
        holding(move |claims| drop(claims.as_object_mut().unwrap().remove(name)))
    };
    let default = "x-gateway-default-role";
    let allowed = "x-gateway-allowed-roles";
    let roles = format!("the claim '{allowed}' has to be a list of roles");
    let rows: Vec<(&str, String, String, &str)> = vec![
        (
            "expired",
            with("exp", token::now() - 1),
            "JWTExpired".into(),
            jwt,
        ),
        ("expired long ago", with("exp", 0), "JWTExpired".into(), jwt),
        (
            "not yet valid",
            with("nbf", token::now() + 60),
            "JWTNotYetValid".into(),
            jwt,
        ),
        (
            "never valid",
            with("nbf", 1e14),
            "JWTNotYetValid".into(),
            jwt,
        ),
        (
            "an end that is no time",
            with("exp", "soon"),
            seconds("exp"),
            claim,
        ),
        ("an end before time", with("exp", -1), seconds("exp"), claim),
        (
            "an end after all",
            with("exp", 1e300),
            seconds("exp"),
            claim,
        ),
        (
            "a beginning that is no time",
            with("nbf", json!([])),
            seconds("nbf"),
            claim,
        ),
        (
            "another issuer",
            with("iss", "you"),
            "JWTNotInIssuer".into(),
            jwt,
        ),
        (
            "an issuer in other letters",
            with("iss", "Me"),
            "JWTNotInIssuer".into(),
            jwt,
        ),
        (
            "several issuers",
            with("iss", json!(["me", "you"])),
            "JWTNotInIssuer".into(),
            jwt,
        ),
        (
            "another audience",
            with("aud", "them"),
            "JWTNotInAudience".into(),
            jwt,
        ),
        (
            "no audience among several",
            with("aud", json!([])),
            "JWTNotInAudience".into(),
            jwt,
        ),
        ("no audience", without("aud"), gone("aud"), missing),
        (
            "no claims of ours",
            without("gateway"),
            gone("gateway"),
            missing,
        ),
        (
            "claims that are a text",
            with("gateway", "x"),
            "the claim 'gateway' has to be an object".into(),
            claim,
        ),
        ("no default role", role(default), gone(default), missing),
        ("no allowed roles", role(allowed), gone(allowed), missing),
        (
            "roles that are a text",
            holding(|claims| claims[allowed] = "author".into()),
            roles.clone(),
            claim,
        ),
        (
            "roles that are none",
            holding(|claims| claims[allowed] = json!([])),
            roles.clone(),
            claim,
        ),
        (
            "roles that are numbers",
            holding(|claims| claims[allowed] = json!([1])),
            roles,
            claim,
        ),
    ];
    for (what, token, reason, hasura) in rows {
        endpoints
            .refuse(
                what,
                &[format!("Bearer {token}").as_bytes()],
                401,
                &reason,
                hasura,
            )
            .await;
    }
    // The Hasura dialect accepts a token without an issuer, as Hasura does.
    let nameless = format!("Bearer {}", without("iss"));
    let ReplyError {
        status, message, ..
    } = endpoints.ask(0, &[nameless.as_bytes()]).await.error();
    assert_eq!(
        (status, message.as_str()),
        (401, "Could not verify JWT: JWTNotInIssuer")
    );
    assert!(
        endpoints
            .ask(3, &[nameless.as_bytes()])
            .await
            .data()
            .is_object()
    );
}

#[tokio::test]
async fn invalid_signatures_are_refused_at_every_endpoint() {
    let endpoints = Endpoints::open().await;
    let other = EncodingKey::from_secret(b"another key of thirty-two bytes, as long");
    let rsa = EncodingKey::from_rsa_pem(pem("rsa.private").as_bytes()).unwrap();
    let parts = |token: &str| token.split('.').map(str::to_owned).collect::<Vec<_>>();
    let mine = parts(&good());
    let theirs = parts(&with("sub", "2"));
    let none = |name: &str| forged(&json!({"alg": name, "typ": "JWT"}), &claims(), b"");
    let own_key = json!({"kty": "oct", "alg": "HS256", "k": "bm9ib2R5J3Mga2V5"});
    let brought = |name: &str, value: &Value| {
        let mut header = json!({"alg": "HS256", "typ": "JWT"});
        header[name] = value.clone();
        forged(&header, &claims(), b"x")
    };
    let critical = |name: &str| {
        let mut header = json!({"alg": "HS256", "crit": [name]});
        header[name] = true.into();
        forged(&header, &claims(), b"x")
    };
    let rows: Vec<(String, String, &str)> = vec![
        (
            "another key".into(),
            token::by(Algorithm::HS256, &other, &claims()),
            SIGNATURE,
        ),
        ("an empty key".into(), headed(|_| {}, b""), SIGNATURE),
        (
            "another's signature".into(),
            format!("{}.{}.{}", mine[0], mine[1], theirs[2]),
            SIGNATURE,
        ),
        (
            "another's claims".into(),
            format!("{}.{}.{}", mine[0], theirs[1], mine[2]),
            SIGNATURE,
        ),
        (
            "no signature".into(),
            format!("{}.{}.", mine[0], mine[1]),
            SIGNATURE,
        ),
        (
            "another hash".into(),
            token::by(
                Algorithm::HS512,
                &EncodingKey::from_secret(token::KEY),
                &claims(),
            ),
            ALGORITHM,
        ),
        (
            "another family".into(),
            token::by(Algorithm::RS256, &rsa, &claims()),
            ALGORITHM,
        ),
        (
            "another key's name".into(),
            headed(|header| header.kid = Some("theirs".into()), token::KEY),
            "no key has the token's 'kid'",
        ),
        (
            "a path for a name".into(),
            headed(|header| header.kid = Some("/dev/null".into()), b""),
            "no key has the token's 'kid'",
        ),
        ("none".into(), none("none"), ALGORITHM),
        ("None".into(), none("None"), ALGORITHM),
        ("nOnE".into(), none("nOnE"), ALGORITHM),
        ("hs256".into(), none("hs256"), ALGORITHM),
        (
            "no algorithm".into(),
            forged(&json!({"typ": "JWT"}), &claims(), b""),
            ALGORITHM,
        ),
        (
            "an algorithm that is a list".into(),
            forged(&json!({"alg": ["HS256"]}), &claims(), b""),
            ALGORITHM,
        ),
        ("its own key".into(), brought("jwk", &own_key), SIGNATURE),
        (
            "the address of its key".into(),
            brought("jku", &json!("http://127.0.0.1:1/keys")),
            SIGNATURE,
        ),
        (
            "the address of its certificate".into(),
            brought("x5u", &json!("http://127.0.0.1:1/x")),
            SIGNATURE,
        ),
        (
            "its own certificate".into(),
            brought("x5c", &json!(["AAAA"])),
            SIGNATURE,
        ),
        (
            "something to be understood".into(),
            critical("exp"),
            "critical header parameters are not supported",
        ),
        (
            "a payload that is not encoded".into(),
            critical("b64"),
            "critical header parameters are not supported",
        ),
    ];
    for (what, token, reason) in rows {
        endpoints
            .refuse(
                &what,
                &[format!("Bearer {token}").as_bytes()],
                401,
                reason,
                "invalid-jwt",
            )
            .await;
    }
}

#[tokio::test]
async fn malformed_tokens_are_refused_at_every_endpoint() {
    let endpoints = Endpoints::open().await;
    let good = good();
    for text in [
        "x",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "..",
        "e30.e30",
        "e30.e30.",
        "e30.e30.e30.e30",
        "!.!.!",
        "e30=.e30=.x",
    ] {
        let ReplyError {
            status,
            code,
            message,
        } = endpoints
            .ask(0, &[format!("Bearer {text}").as_bytes()])
            .await
            .error();
        assert_eq!(
            (status, code.as_str()),
            (401, "access-denied"),
            "{text}: {message}"
        );
        assert!(
            message.starts_with("Could not verify JWT: "),
            "{text}: {message}"
        );
    }
    endpoints
        .refuse("one word", &[b"Bearer x"], 401, MALFORMED, "invalid-jwt")
        .await;
    endpoints
        .refuse(
            "four parts",
            &[format!("Bearer {good}.x").as_bytes()],
            401,
            MALFORMED,
            "invalid-jwt",
        )
        .await;
    endpoints
        .refuse(
            "two tokens",
            &[format!("Bearer {good} {good}").as_bytes()],
            401,
            MALFORMED,
            "invalid-jwt",
        )
        .await;
    endpoints
        .refuse(
            "two tokens in a list",
            &[format!("Bearer {good},Bearer {good}").as_bytes()],
            401,
            MALFORMED,
            "invalid-jwt",
        )
        .await;
    for (what, value) in [
        ("nothing", String::new()),
        ("a scheme alone", "Bearer".into()),
        ("a scheme and a space", "Bearer ".into()),
        ("no scheme", good.clone()),
        ("another scheme", format!("Basic {good}")),
        ("a scheme like it", format!("Bearers {good}")),
        ("a colon", format!("Bearer: {good}")),
    ] {
        endpoints
            .refuse(what, &[value.as_bytes()], 401, HEADER, "invalid-headers")
            .await;
    }
    endpoints
        .refuse(
            "bytes",
            &[b"Bearer \xff\xfe"],
            401,
            HEADER,
            "invalid-headers",
        )
        .await;
    let value = format!("Bearer {good}");
    let twice = "the header 'authorization' is given twice";
    endpoints
        .refuse(
            "twice",
            &[value.as_bytes(), value.as_bytes()],
            400,
            twice,
            "bad-request",
        )
        .await;
    endpoints
        .refuse(
            "twice, once bad",
            &[value.as_bytes(), b"Bearer x"],
            400,
            twice,
            "bad-request",
        )
        .await;
}

#[tokio::test]
async fn truncated_or_altered_token_is_refused() {
    let endpoints = Endpoints::open().await;
    let good = good();
    for end in (1..good.len()).step_by(7).chain(good.len() - 4..good.len()) {
        let ReplyError {
            status,
            code,
            message,
        } = endpoints
            .ask(0, &[format!("Bearer {}", &good[..end]).as_bytes()])
            .await
            .error();
        assert_eq!(
            (status, code.as_str()),
            (401, "access-denied"),
            "{end}: {message}"
        );
        assert!(
            message.starts_with("Could not verify JWT: "),
            "{end}: {message}"
        );
    }
    for index in (0..good.len()).step_by(5) {
        let mut bytes = good.clone().into_bytes();
        bytes[index] = if bytes[index] == b'x' { b'y' } else { b'x' };
        let value = [b"Bearer ", bytes.as_slice()].concat();
        let reply = endpoints.ask(0, &[&value]).await;
        // Some decoders ignore the unused bits of the last character; this one does not.
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (401, "access-denied"),
            "{index}: {}",
            reply.text
        );
    }
}

#[tokio::test]
async fn oversized_tokens_get_a_response() {
    let endpoints = Endpoints::open().await;
    // A token that fits into the head of a request is verified like any other.
    let long = holding(|claims| claims["x-gateway-long"] = "x".repeat(20_000).into());
    assert_eq!(
        endpoints
            .ask(0, &[format!("Bearer {long}").as_bytes()])
            .await
            .status,
        200
    );
    let garbage = format!("Bearer {}", "x".repeat(40_000));
    endpoints
        .refuse(
            "40 KB of nothing",
            &[garbage.as_bytes()],
            401,
            MALFORMED,
            "invalid-jwt",
        )
        .await;
    // A larger one is refused unread; the response arrives although the client has not sent
    // everything.
    for size in [70_000, 1 << 20] {
        let value = format!("Bearer {}", "x".repeat(size));
        for endpoint in 0..4 {
            let reply = endpoints.ask(endpoint, &[value.as_bytes()]).await;
            let message = "the head of the request is larger than the limit of 65536 bytes";
            assert_eq!(
                reply.error(),
                ReplyError::new(431, "limit-exceeded", message),
                "{size} at {endpoint}"
            );
        }
    }
    assert_eq!(
        endpoints
            .ask(0, &[format!("Bearer {}", good()).as_bytes()])
            .await
            .status,
        200
    );
}
