//! Tests the keys that sign tokens, and the published keys that others verify with.

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{DecodingKey, Validation};
use serde_json::{Value, json};

use crate::exchange::service::{NO_RATES, Service, USERS, builder, migrated, text};

macro_rules! key {
    ($name:literal) => {
        include_str!(concat!("../../../gateway/tests/keys/", $name, ".pem"))
    };
}

pub(crate) const PAIRS: [(&str, &str, &str); 6] = [
    ("RS256", key!("rsa.private"), key!("rsa.public")),
    ("PS512", key!("rsa.private"), key!("rsa.public")),
    ("ES256", key!("ec256.private"), key!("ec256.public")),
    ("ES384", key!("ec384.private"), key!("ec384.public")),
    ("EdDSA", key!("ed25519.private"), key!("ed25519.public")),
    ("Ed25519", key!("ed25519.private"), key!("ed25519.public")),
];

fn file() -> String {
    format!("[token_exchange]\n{USERS}{NO_RATES}")
}

fn secret(algorithm: &str, public: &str) -> String {
    json!({"type": algorithm, "key": public, "issuer": "here", "audience": "there"}).to_string()
}

#[tokio::test]
async fn tokens_verify_with_the_published_jwks() {
    for (algorithm, private, public) in PAIRS {
        let secret = secret(algorithm, public);
        let service = Service::of(
            &file(),
            &[("jwt-secret", &secret), ("signing-key", private)],
        )
        .await;
        let access = text(
            &service.session(&service.token("1").await).await,
            "accessToken",
        );
        let reply = service
            .get_as("/v1/.well-known/jwks.json", "no token is looked at")
            .await;
        assert_eq!(
            (reply.status, reply.header("cache-control")),
            (200, "public, max-age=300")
        );
        let keys: JwkSet = serde_json::from_str(&reply.text).unwrap();
        let members = reply.json()["keys"][0].as_object().unwrap().clone();
        assert!(
            ["d", "p", "q", "dp", "dq", "qi", "k"]
                .iter()
                .all(|secret| !members.contains_key(*secret)),
            "{members:?}"
        );
        assert_eq!(members["use"], "sig");

        let header = jsonwebtoken::decode_header(&access).unwrap();
        let key = keys.find(header.kid.as_deref().unwrap()).unwrap();
        let mut validation = Validation::new(header.alg);
        validation.set_audience(&["there"]);
        validation.set_issuer(&["here"]);
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["sub"]);
        let token = jsonwebtoken::decode::<Value>(
            &access,
            &DecodingKey::from_jwk(key).unwrap(),
            &validation,
        )
        .unwrap();
        assert_eq!(token.claims["sub"], "1");
        // The gateway itself accepts the token too.
        assert_eq!(
            service
                .ask(&access, "author", "{ notes { id } }")
                .await
                .status,
            200
        );
    }
}

#[tokio::test]
async fn symmetric_key_is_not_published() {
    let service = Service::start().await;
    assert_eq!(
        service
            .get_as("/v1/.well-known/jwks.json", "x")
            .await
            .json(),
        json!({"keys": []})
    );
}

#[tokio::test]
async fn signing_key_is_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    std::fs::write(&path, key!("ec256.private")).unwrap();
    let setting = format!("@{}", path.display());
    let secret = secret("ES256", key!("ec256.public"));
    let service = Service::of(
        &file(),
        &[("jwt-secret", &secret), ("signing-key", &setting)],
    )
    .await;
    service.session(&service.token("1").await).await;
}

#[tokio::test]
async fn mismatched_keys_prevent_the_start() {
    let database = migrated().await;
    let faults = [
        (
            secret("ES256", key!("ec256.public")),
            "",
            "a private key in PEM is needed",
        ),
        (
            secret("ES256", key!("ec256.public")),
            "@/nowhere/key.pem",
            "cannot read /nowhere/key.pem",
        ),
        (
            secret("ES256", key!("ec256.public")),
            key!("rsa.private"),
            "not a private key in PEM of the right kind",
        ),
        (
            secret("RS256", key!("rsa.public")),
            "nonsense",
            "not a private key in PEM of the right kind",
        ),
    ];
    for (secret, private, message) in faults {
        let builder = builder(
            &database,
            &file(),
            &[("jwt-secret", &secret), ("signing-key", private)],
        );
        let fault = builder
            .start()
            .await
            .expect_err("the start should have failed")
            .to_string();
        assert!(fault.contains(message), "{fault}");
    }
}

#[tokio::test]
async fn hasura_dialect_signs_its_own_claims() {
    let database = migrated().await;
    let permissions = "[naming]\nconvention = \"snake\"\n[session]\nuser_id = \"int\"\n\
                       [table.notes.role.author]\nselect = { columns = \"*\", rows = \
                       \"account_id = session.user_id\" }\n";
    let builder = builder(&database, &file(), &[("profile", "hasura")])
        .permissions_text("p.toml", permissions);
    let running = builder.start().await.unwrap();
    let store = running.app().state().execution.database.clone();
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    let store = plugins::token_exchange::Store {
        database: &store,
        address: None,
        request: None,
        deadline,
    };
    let expires = plugins::token_exchange::Expires::After(1);
    let new = plugins::token_exchange::NewToken {
        user: "1",
        name: "x",
        roles: None,
        expires,
    };
    let (_, token) = store.create_token(&new).await.unwrap();
    let client = reqwest::Client::new();
    let post = client
        .post(format!("{}/v1/signin/pat", running.url()))
        .json(&json!({"personalAccessToken": token}));
    let session = tests::reply::Reply::of(post).await.unwrap().json()["session"].clone();
    let access = text(&session, "accessToken");
    let payload: Value = jsonwebtoken::dangerous::insecure_decode_claims(&access).unwrap();
    assert_eq!(
        payload["https://hasura.io/jwt/claims"]["x-hasura-user-id"],
        "1"
    );
    let ask = client
        .post(format!("{}/v1/graphql", running.url()))
        .bearer_auth(&access);
    let reply = tests::reply::Reply::of(ask.json(&json!({"query": "{ notes { id } }"})))
        .await
        .unwrap();
    assert_eq!(
        reply.data()["notes"].as_array().unwrap().len(),
        2,
        "{}",
        reply.text
    );
}
