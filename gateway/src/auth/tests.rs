//! Tests of authentication: which credentials give which session.

use futures_util::FutureExt;
use http::header::{AUTHORIZATION, COOKIE, HeaderName};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::claims::Claims;
use super::claims_set::{ClaimsSet, SessionClaims};
use super::session::now;
use super::*;
use crate::config::dialect::Profile;
use crate::config::{Secret, WebhookMethod};

const KEY: &str = "a shared secret of sixty-four bytes or more, which is enough for HS512";

macro_rules! key {
    ($name:literal) => {
        include_str!(concat!("../../tests/keys/", $name, ".pem"))
    };
}

fn claims() -> Value {
    json!({"exp": now() + 60, "gateway": {"x-gateway-default-role": "user",
        "x-gateway-allowed-roles": ["user", "me", "admin"], "x-gateway-user-id": "7"}})
}

fn with(name: &str, value: impl Into<Value>) -> Value {
    let mut claims = claims();
    claims[name] = value.into();
    claims
}

fn hs256(claims: &Value) -> String {
    sign(
        Algorithm::HS256,
        &EncodingKey::from_secret(KEY.as_bytes()),
        claims,
    )
}

fn sign(algorithm: Algorithm, key: &EncodingKey, claims: &Value) -> String {
    jsonwebtoken::encode(&Header::new(algorithm), claims, key).unwrap()
}

const NAMING: claims::ClaimNames<'static> = claims::ClaimNames {
    prefix: "x-gateway-",
    namespace: "gateway",
};

fn issuers(secret: &Value) -> Vec<Issuer> {
    jwt::read(
        &secret.to_string(),
        NAMING,
        Profile::Gateway,
        &KeySets::default(),
    )
    .unwrap()
}

fn policy() -> AuthPolicy {
    AuthPolicy {
        admin_secret: Some(Secret::new("open sesame").into()),
        issuers: issuers(&json!({"type": "HS256", "key": KEY})),
        header_prefix: "x-gateway-".into(),
        ..AuthPolicy::default()
    }
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pairs = pairs.iter().map(|(name, value)| {
        (
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_bytes(value.as_bytes()).unwrap(),
        )
    });
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(name, value);
    }
    map
}

/// Authenticates with keys that need no fetch.
fn session(authenticator: &Authenticator, headers: &HeaderMap) -> Result<Session, Error> {
    authenticator.session(headers).now_or_never().unwrap()
}

fn ask(policy: AuthPolicy, pairs: &[(&str, &str)]) -> Result<Session, String> {
    session(&Authenticator::new(policy), &headers(pairs))
        .map_err(|error| format!("{} {}", error.spec().lenient, error.message()))
}

fn ask_with_token(policy: AuthPolicy, token: &str) -> Result<Session, String> {
    ask(policy, &[("authorization", &format!("Bearer {token}"))])
}

fn refusal(policy: AuthPolicy, token: &str) -> String {
    ask_with_token(policy, token).unwrap_err()
}

#[test]
fn token_gives_role_and_values() {
    let session = ask_with_token(policy(), &hs256(&claims())).unwrap();
    assert_eq!(
        (session.role(), session.value("user_id")),
        ("user", Some("7"))
    );
    assert_eq!(session.caller(), AuthKind::Token);
    assert!(session.expires().unwrap() > now());
}

#[test]
fn claims_are_kept_only_where_a_setting_reads_them() {
    let given = |text: &str| SessionClaims::Given(ClaimsSet::parse(text.as_bytes()).unwrap());
    let secret = ("X-Gateway-Admin-Secret", "open sesame");
    let claims = ("X-Gateway-Claims", r#"{"sub":"9"}"#);
    let bearer = format!("Bearer {}", hs256(&claims_of_token()));
    let token = ("authorization", bearer.as_str());
    for (keeps, pairs, expected) in [
        (true, &[token][..], given(&claims_of_token().to_string())),
        (
            true,
            &[token, claims],
            given(&claims_of_token().to_string()),
        ),
        (false, &[token, claims], SessionClaims::NotKept),
        (true, &[secret], SessionClaims::SessionValues),
        (true, &[secret, claims], given(r#"{"sub":"9"}"#)),
    ] {
        let authenticator = Authenticator::new(policy()).keeping_claims(keeps);
        for _ in 0..2 {
            let session = session(&authenticator, &headers(pairs)).unwrap();
            assert_eq!(
                (session.session_claims(), session.value("claims")),
                (&expected, None),
                "{pairs:?}"
            );
        }
    }
    let refused = ask(policy(), &[secret, ("X-Gateway-Claims", "[]")]).unwrap_err();
    assert_eq!(
        refused,
        "400 the header 'x-gateway-claims' has to be a JSON object that has each key once"
    );
    let insecure = AuthPolicy {
        insecure: true,
        admin_secret: None,
        issuers: vec![],
        ..policy()
    };
    assert_eq!(
        *ask(insecure, &[claims]).unwrap().session_claims(),
        given(r#"{"sub":"9"}"#)
    );
}

fn claims_of_token() -> Value {
    let mut payload = with("app_metadata", json!({"teams": ["a", {"b": [1.50]}]}));
    payload["exp"] = 4_102_444_800_u64.into();
    payload
}

#[test]
fn every_family_of_algorithms_is_verified() {
    let rsa = EncodingKey::from_rsa_pem(key!("rsa.private").as_bytes()).unwrap();
    let ec256 = EncodingKey::from_ec_pem(key!("ec256.private").as_bytes()).unwrap();
    let ec384 = EncodingKey::from_ec_pem(key!("ec384.private").as_bytes()).unwrap();
    let ed = EncodingKey::from_ed_pem(key!("ed25519.private").as_bytes()).unwrap();
    let shared = EncodingKey::from_secret(KEY.as_bytes());
    let known = [
        ("HS256", Algorithm::HS256, &shared, KEY),
        ("HS384", Algorithm::HS384, &shared, KEY),
        ("HS512", Algorithm::HS512, &shared, KEY),
        ("RS256", Algorithm::RS256, &rsa, key!("rsa.public")),
        ("RS384", Algorithm::RS384, &rsa, key!("rsa.public")),
        ("RS512", Algorithm::RS512, &rsa, key!("rsa.public")),
        ("PS256", Algorithm::PS256, &rsa, key!("rsa.public")),
        ("PS384", Algorithm::PS384, &rsa, key!("rsa.public")),
        ("PS512", Algorithm::PS512, &rsa, key!("rsa.public")),
        ("ES256", Algorithm::ES256, &ec256, key!("ec256.public")),
        ("ES384", Algorithm::ES384, &ec384, key!("ec384.public")),
        ("EdDSA", Algorithm::EdDSA, &ed, key!("ed25519.public")),
        ("Ed25519", Algorithm::EdDSA, &ed, key!("ed25519.public")),
    ];
    for (name, algorithm, key, public) in known {
        let issuers = || issuers(&json!({"type": name, "key": public}));
        let token = sign(algorithm, key, &claims());
        let session = ask_with_token(
            AuthPolicy {
                issuers: issuers(),
                ..policy()
            },
            &token,
        );
        assert_eq!(session.unwrap().role(), "user", "{name}");
        let mut forged = token.into_bytes();
        let index = forged.len() - 20;
        forged[index] = if forged[index] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        let refusal = refusal(
            AuthPolicy {
                issuers: issuers(),
                ..policy()
            },
            &forged,
        );
        assert_eq!(
            refusal, "401 Could not verify JWT: JWSInvalidSignature",
            "{name}"
        );
    }
}

#[test]
fn key_determines_the_algorithm() {
    let public = key!("rsa.public");
    let rs256 = || AuthPolicy {
        issuers: issuers(&json!({"type": "RS256", "key": public})),
        ..policy()
    };
    let with_public_key = sign(
        Algorithm::HS256,
        &EncodingKey::from_secret(public.as_bytes()),
        &claims(),
    );
    let wrong = "401 Could not verify JWT: the algorithm is not the one of the key";
    assert_eq!(refusal(rs256(), &with_public_key), wrong);
    let hs512 = sign(
        Algorithm::HS512,
        &EncodingKey::from_secret(KEY.as_bytes()),
        &claims(),
    );
    assert_eq!(refusal(policy(), &hs512), wrong);
    // `{"alg":"none"}`, with and without the dot before the signature.
    let payload = hs256(&claims()).split('.').nth(1).unwrap().to_owned();
    let none = format!("eyJhbGciOiJub25lIn0.{payload}.");
    assert_eq!(refusal(policy(), &none), wrong);
    assert_eq!(
        refusal(policy(), "x.y.z"),
        "401 Could not verify JWT: malformed token"
    );
}

#[test]
fn keys_inside_a_token_are_ignored() {
    let other = EncodingKey::from_secret(b"another");
    let mut header = Header::new(Algorithm::HS256);
    header.jku = Some("https://evil.example/keys".into());
    let token = jsonwebtoken::encode(&header, &claims(), &other).unwrap();
    assert_eq!(
        refusal(policy(), &token),
        "401 Could not verify JWT: JWSInvalidSignature"
    );
    header.crit = Some(vec!["exp".into()]);
    let token = jsonwebtoken::encode(
        &header,
        &claims(),
        &EncodingKey::from_secret(KEY.as_bytes()),
    )
    .unwrap();
    assert_eq!(
        refusal(policy(), &token),
        "401 Could not verify JWT: critical header parameters are not supported"
    );
}

#[test]
fn expiry_and_not_before_are_checked() {
    let prefix = "401 Could not verify JWT: ";
    assert_eq!(
        refusal(policy(), &hs256(&with("exp", now() - 1))),
        format!("{prefix}JWTExpired")
    );
    assert_eq!(
        refusal(policy(), &hs256(&with("nbf", now() + 60))),
        format!("{prefix}JWTNotYetValid")
    );
    let text = refusal(policy(), &hs256(&with("exp", "soon")));
    assert_eq!(
        text,
        format!("{prefix}the claim 'exp' has to be a number of seconds")
    );
    assert!(ask_with_token(policy(), &hs256(&with("exp", (now() + 60) as f64 + 0.5))).is_ok());
    let skewed = issuers(&json!({"type": "HS256", "key": KEY, "allowed_skew": 30}));
    assert!(
        ask_with_token(
            AuthPolicy {
                issuers: skewed,
                ..policy()
            },
            &hs256(&with("exp", now() - 10))
        )
        .is_ok()
    );
}

#[test]
fn cached_token_still_expires() {
    let authenticator = Authenticator::new(policy());
    let token = hs256(&with("exp", now() + 1));
    let headers = headers(&[("authorization", &format!("Bearer {token}"))]);
    assert!(session(&authenticator, &headers).is_ok());
    // The cache reads the clock itself, in seconds.
    let begun = std::time::Instant::now();
    while session(&authenticator, &headers).is_ok() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the token does not expire"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(
        session(&authenticator, &headers).unwrap_err().message(),
        "Could not verify JWT: JWTExpired"
    );
}

#[test]
fn audience_and_issuer_are_checked_where_they_are_configured() {
    let secret = json!({"type": "HS256", "key": KEY, "audience": ["us", "them"], "issuer": "home"});
    let strict = || AuthPolicy {
        issuers: issuers(&secret),
        ..policy()
    };
    let token = |aud: Value, iss: Value| {
        let mut claims = claims();
        claims["aud"] = aud;
        claims["iss"] = iss;
        hs256(&claims)
    };
    assert!(ask_with_token(strict(), &token(json!("us"), json!("home"))).is_ok());
    assert!(ask_with_token(strict(), &token(json!(["x", "them"]), json!("home"))).is_ok());
    let refusals = [
        (token(json!("x"), json!("home")), "JWTNotInAudience"),
        (token(json!("us"), json!("away")), "JWTNotInIssuer"),
        (hs256(&with("iss", "home")), "the claim 'aud' is missing"),
        (hs256(&with("aud", "us")), "JWTNotInIssuer"),
    ];
    for (token, reason) in refusals {
        assert_eq!(
            refusal(strict(), &token),
            format!("401 Could not verify JWT: {reason}")
        );
    }
    assert!(ask_with_token(policy(), &token(json!("x"), json!("away"))).is_ok());
}

#[test]
fn token_of_any_issuer_is_accepted() {
    let both = json!([
        {"type": "HS256", "key": "another key of thirty-two bytes, or more", "issuer": "a"},
        {"type": "HS256", "key": "yet another key of thirty-two bytes, or more"},
        {"type": "HS256", "key": KEY},
        {"type": "RS256", "key": key!("rsa.public")},
    ]);
    let several = || AuthPolicy {
        issuers: issuers(&both),
        ..policy()
    };
    assert!(ask_with_token(several(), &hs256(&claims())).is_ok());
    let expired = hs256(&with("exp", 1));
    assert_eq!(
        refusal(several(), &expired),
        "401 Could not verify JWT: JWTExpired"
    );
}

#[test]
fn role_header_selects_an_allowed_role() {
    let token = format!("Bearer {}", hs256(&claims()));
    let ask_without = |policy| ask(policy, &[("authorization", token.as_str())]);
    let ask = |policy: AuthPolicy, role: &str| {
        ask(
            policy,
            &[("authorization", &token), ("X-Gateway-Role", role)],
        )
    };
    assert_eq!(ask(policy(), "me").unwrap().role(), "me");
    let refused = "403 User does not have required role permissions";
    assert_eq!(ask(policy(), "other").unwrap_err(), refused);
    assert_eq!(ask(policy(), "").unwrap_err(), refused);
    assert_eq!(
        ask(policy(), "admin").unwrap_err(),
        refused,
        "admin comes from the secret alone"
    );
    let strict = AuthPolicy {
        require_role_header: true,
        ..policy()
    };
    assert_eq!(ask_without(strict).unwrap_err(), refused);
    let strict = AuthPolicy {
        require_role_header: true,
        ..policy()
    };
    assert_eq!(ask(strict, "me").unwrap().role(), "me");
}

#[test]
fn session_headers_without_the_secret_are_ignored() {
    let token = format!("Bearer {}", hs256(&claims()));
    let session = ask(
        policy(),
        &[("authorization", &token), ("X-Gateway-User-Id", "8")],
    )
    .unwrap();
    assert_eq!(session.value("user_id"), Some("7"));
    let backend = [
        ("authorization", token.as_str()),
        ("X-Gateway-Use-Backend-Only-Permissions", "true"),
    ];
    assert!(!ask(policy(), &backend).unwrap().backend_only());
}

#[test]
fn admin_secret_grants_admin_and_session_headers() {
    let secret = ("X-Gateway-Admin-Secret", "open sesame");
    let session = ask(policy(), &[secret]).unwrap();
    assert!(session.is_admin() && session.caller() == AuthKind::Trusted);
    let strict = AuthPolicy {
        require_role_header: true,
        ..policy()
    };
    assert!(
        ask(strict, &[secret]).unwrap().is_admin(),
        "the role header is not asked of the secret"
    );
    let pairs = [
        secret,
        ("X-Gateway-Role", "user"),
        ("x-gateway-USER-id", "é"),
        ("X-Other", "x"),
    ];
    let session = ask(policy(), &pairs).unwrap();
    assert_eq!(
        (
            session.role(),
            session.value("user_id"),
            session.values().len()
        ),
        ("user", Some("é"), 1)
    );
    let backend = |text| {
        ask(
            policy(),
            &[secret, ("X-Gateway-Use-Backend-Only-Permissions", text)],
        )
    };
    assert!(backend("TRUE").unwrap().backend_only());
    assert!(!backend("false").unwrap().backend_only());
    assert!(backend("maybe").unwrap_err().starts_with("400 "));
}

#[test]
fn wrong_secret_is_rejected_beside_a_valid_token() {
    let token = format!("Bearer {}", hs256(&claims()));
    for wrong in ["", "open sesam", "open sesame2"] {
        let pairs = [
            ("authorization", token.as_str()),
            ("X-Gateway-Admin-Secret", wrong),
        ];
        assert_eq!(
            ask(policy(), &pairs).unwrap_err(),
            "401 invalid admin secret"
        );
    }
    let without = AuthPolicy {
        admin_secret: None,
        ..policy()
    };
    assert_eq!(
        ask(without, &[("X-Gateway-Admin-Secret", "x")]).unwrap_err(),
        "401 invalid admin secret"
    );
}

#[test]
fn repeated_headers_are_rejected() {
    let token = format!("Bearer {}", hs256(&claims()));
    let twice: [&[(&str, &str)]; 4] = [
        &[("authorization", &token), ("authorization", &token)],
        &[
            ("x-gateway-role", "me"),
            ("x-gateway-role", "me"),
            ("authorization", &token),
        ],
        &[
            ("x-gateway-admin-secret", "open sesame"),
            ("x-gateway-admin-secret", "x"),
        ],
        &[
            ("x-gateway-admin-secret", "open sesame"),
            ("x-gateway-user-id", "7"),
            ("x-gateway-user-id", "8"),
        ],
    ];
    for pairs in twice {
        assert!(
            ask(policy(), pairs)
                .unwrap_err()
                .starts_with("400 the header '"),
            "{pairs:?}"
        );
    }
}

/// All ways to write a header's name with `-` or `_`, in three letter cases.
fn spellings(name: &str) -> Vec<String> {
    let add = |spellings: Vec<String>, character: char| {
        let written: &[char] = if character == '-' {
            &['-', '_']
        } else {
            &[character]
        };
        let extended = spellings
            .iter()
            .flat_map(|start| written.iter().map(move |end| format!("{start}{end}")));
        extended.collect()
    };
    let spellings: Vec<String> = name.chars().fold(vec![String::new()], add);
    spellings
        .iter()
        .flat_map(|name| [name.clone(), name.to_ascii_uppercase()])
        .collect()
}

#[tokio::test]
async fn header_with_a_meaning_counts_in_one_spelling_and_is_refused_in_all_others() {
    let value = |header| match header {
        ReservedHeader::AdminSecret => "open sesame",
        ReservedHeader::Role => "me",
        ReservedHeader::BackendOnly | ReservedHeader::DryRun => "true",
        ReservedHeader::Claims => "{\"sub\":\"9\"}",
    };
    let custom = || {
        issuers(
            &json!({"type": "HS256", "key": KEY, "header": {"type": "CustomHeader", "name": "X-My-Token"}}),
        )
    };
    let webhook = || {
        AuthWebhook::new(
            &Secret::new("http://127.0.0.1:1"),
            WebhookMethod::Get,
            "x-gateway-",
        )
        .unwrap()
    };
    let bearer = format!("Bearer {}", hs256(&claims()));
    let token = hs256(&claims());
    let secret = ("X-Gateway-Admin-Secret", "open sesame");
    let mut checked = 0;
    for header in ReservedHeader::ALL {
        let name = format!("x-gateway-{}", header.name());
        let callers: [(AuthPolicy, Vec<(&str, &str)>); 5] = [
            (policy(), vec![("authorization", &bearer)]),
            (
                policy(),
                if header == ReservedHeader::AdminSecret {
                    vec![]
                } else {
                    vec![secret]
                },
            ),
            (
                AuthPolicy {
                    insecure: true,
                    issuers: vec![],
                    ..policy()
                },
                vec![],
            ),
            (
                AuthPolicy {
                    unauthorized_role: Some("me".into()),
                    ..policy()
                },
                vec![],
            ),
            (
                AuthPolicy {
                    issuers: vec![],
                    hook: Some(webhook()),
                    ..policy()
                },
                vec![],
            ),
        ];
        for (policy, credentials) in callers {
            let authenticator = Authenticator::new(policy);
            for spelling in spellings(&name) {
                let pair = (spelling.as_str(), value(header));
                let headers = headers(&[credentials.clone(), vec![pair]].concat());
                let session = authenticator.session(&headers).now_or_never();
                checked += 1;
                if spelling.contains('_') {
                    let error = session.unwrap().unwrap_err();
                    let expected = format!(
                        "the header '{}' has to be spelled '{name}'",
                        spelling.to_ascii_lowercase()
                    );
                    assert_eq!((error.spec().lenient, error.message()), (400, expected));
                } else if let Some(session) = session {
                    let session = session.unwrap();
                    match header {
                        ReservedHeader::AdminSecret => assert!(session.is_admin()),
                        ReservedHeader::Role => assert_eq!(session.role(), "me"),
                        ReservedHeader::BackendOnly => {
                            assert_eq!(
                                session.backend_only(),
                                session.caller() == AuthKind::Trusted
                            );
                        }
                        ReservedHeader::DryRun => assert!(session.dry_run()),
                        ReservedHeader::Claims => {
                            let is_given =
                                matches!(session.session_claims(), SessionClaims::Given(_));
                            assert_eq!(is_given, session.caller() == AuthKind::Trusted);
                        }
                    }
                }
            }
        }
    }
    // Four names have three or fewer dashes, the longest has five.
    assert_eq!(checked, 5 * 2 * (8 + 4 + 32 + 8 + 4));
    let by_custom_header = Authenticator::new(AuthPolicy {
        issuers: custom(),
        ..policy()
    });
    for spelling in spellings("x-my-token") {
        let session = session(&by_custom_header, &headers(&[(&spelling, &token)]));
        assert_eq!(session.is_ok(), !spelling.contains('_'), "{spelling}");
    }
}

#[test]
fn session_value_counts_in_every_spelling_after_the_prefix() {
    let secret = ("X-Gateway-Admin-Secret", "open sesame");
    for spelling in spellings("x-gateway-user-id") {
        let session = ask(policy(), &[secret, (&spelling, "7")]);
        if spelling[..10].contains('_') {
            let expected = spelling.to_ascii_lowercase().replacen(
                &spelling[..10].to_ascii_lowercase(),
                "x-gateway-",
                1,
            );
            let message = format!(
                "400 the header '{}' has to be spelled '{expected}'",
                spelling.to_ascii_lowercase()
            );
            assert_eq!(session.unwrap_err(), message);
        } else {
            assert_eq!(session.unwrap().value("user_id"), Some("7"), "{spelling}");
        }
        // A token has session values of its own.
        let bearer = format!("Bearer {}", hs256(&claims()));
        let session = ask(policy(), &[("authorization", &bearer), (&spelling, "8")]).unwrap();
        assert_eq!(session.value("user_id"), Some("7"));
        if !spelling.eq_ignore_ascii_case("x-gateway-user-id") {
            let both = [secret, ("X-Gateway-User-Id", "7"), (&spelling, "7")];
            assert!(
                ask(policy(), &both)
                    .unwrap_err()
                    .starts_with("400 the header '"),
                "{spelling}"
            );
        }
    }
}

#[test]
fn missing_credentials_are_rejected_or_get_the_unauthorized_role() {
    assert_eq!(
        ask(policy(), &[]).unwrap_err(),
        "401 No authorization header provided"
    );
    let open = || AuthPolicy {
        unauthorized_role: Some("anonymous".into()),
        ..policy()
    };
    let session = ask(open(), &[("X-Gateway-User-Id", "7")]).unwrap();
    assert_eq!((session.role(), session.values().len()), ("anonymous", 0));
    assert_eq!(
        ask(open(), &[("X-Gateway-Role", "anonymous")])
            .unwrap()
            .role(),
        "anonymous"
    );
    assert!(
        ask(open(), &[("X-Gateway-Role", "user")])
            .unwrap_err()
            .starts_with("403 ")
    );
    let malformed = "401 Could not verify JWT: malformed authorization header";
    for header in ["", "Bearer", "Bearer ", "Basic abc", &hs256(&claims())] {
        assert_eq!(
            ask(open(), &[("authorization", header)]).unwrap_err(),
            malformed,
            "{header}"
        );
    }
    let without = AuthPolicy {
        issuers: vec![],
        ..policy()
    };
    assert_eq!(
        refusal(without, "x.y.z"),
        "401 Could not verify JWT: no key is configured"
    );
}

#[test]
fn tokens_may_be_in_cookies_and_custom_headers() {
    let secret =
        json!({"type": "HS256", "key": KEY, "header": {"type": "Cookie", "name": "session"}});
    let by_cookie = || AuthPolicy {
        issuers: issuers(&secret),
        ..policy()
    };
    let token = hs256(&claims());
    let cookies = format!("a=b; session={token}");
    assert_eq!(
        ask(by_cookie(), &[(COOKIE.as_str(), &cookies)])
            .unwrap()
            .role(),
        "user"
    );
    let twice = format!("session={token}; session={token}");
    assert!(
        ask(by_cookie(), &[(COOKIE.as_str(), &twice)])
            .unwrap_err()
            .starts_with("400 ")
    );
    let bearer = format!("Bearer {token}");
    assert!(
        ask(by_cookie(), &[(AUTHORIZATION.as_str(), &bearer)]).is_err(),
        "the token stands elsewhere"
    );
    let secret =
        json!({"type": "HS256", "key": KEY, "header": {"type": "CustomHeader", "name": "X-Token"}});
    let by_header = AuthPolicy {
        issuers: issuers(&secret),
        ..policy()
    };
    assert_eq!(
        ask(by_header, &[("x-token", &token)]).unwrap().role(),
        "user"
    );
}

#[test]
fn insecure_makes_every_request_admin() {
    let open = || AuthPolicy {
        insecure: true,
        admin_secret: None,
        issuers: vec![],
        ..policy()
    };
    assert!(ask(open(), &[]).unwrap().is_admin());
    assert!(
        ask(open(), &[("authorization", "Bearer x")])
            .unwrap()
            .is_admin()
    );
    assert_eq!(
        ask(
            open(),
            &[("x-gateway-role", "user"), ("x-gateway-user-id", "7")]
        )
        .unwrap()
        .value("user_id"),
        Some("7")
    );
}

#[test]
fn invalid_jwt_secrets_are_rejected() {
    let read = |text: &str| {
        jwt::read(text, NAMING, Profile::Gateway, &KeySets::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        read("{"),
        "the JWT secret cannot be read: line 1, column 1: not JSON; it is a JSON object like \
         {\"type\":\"HS256\",\"key\":\"…\"}, not the key alone"
    );
    assert!(
        read(r#"{"typ":"HS256","key":"k"}"#).contains("a member is unknown or of the wrong type")
    );
    assert_eq!(read("[]"), "the JWT secret is an empty list");
    assert_eq!(read(r#"{"type":"HS256"}"#), "the JWT secret has no `key`");
    assert_eq!(read(r#"{"key":"k"}"#), "the JWT secret has no `type`");
    assert!(
        read(r#"{"type":"none","key":"k"}"#)
            .starts_with("the `type` of the JWT secret is none there is; ")
    );
    for (name, least) in [("HS256", 32), ("HS384", 48), ("HS512", 64)] {
        let of = |bytes: usize| json!({"type": name, "key": "k".repeat(bytes)}).to_string();
        let expected = format!(
            "the key of the JWT secret is shorter than the {least} bytes that \
                                its `type` needs (RFC 7518, section 3.2)"
        );
        assert_eq!(read(&of(least - 1)), expected);
        assert!(jwt::read(&of(least), NAMING, Profile::Gateway, &KeySets::default()).is_ok());
        let jwk = |bytes: usize| {
            let secret = base64::Engine::encode(
                &base64::engine::general_purpose::URL_SAFE_NO_PAD,
                "k".repeat(bytes),
            );
            json!({"key": {"kty": "oct", "alg": name, "k": secret}}).to_string()
        };
        assert_eq!(read(&jwk(least - 1)), expected);
        assert!(jwt::read(&jwk(least), NAMING, Profile::Gateway, &KeySets::default()).is_ok());
    }
    let pem = json!({"type": "HS256", "key": key!("rsa.public")}).to_string();
    assert_eq!(
        read(&pem),
        "the key of the JWT secret is not a shared secret, but a PEM"
    );
    let read_key = read(r#"{"type":"RS256","key":"k"}"#);
    assert_eq!(
        read_key,
        "the key of the JWT secret is not an RSA public key or certificate in PEM"
    );
    let url = r#"{"jwk_url":"https://a","#;
    assert!(read(r#"{"jwk_url":"ftp://a"}"#).contains("not an http or https URL"));
    assert!(
        read(&format!(r#"{url}"type":"HS256","key":"k"}}"#))
            .contains("both a `key` and a `jwk_url`")
    );
    assert!(read(&format!(r#"{url}"kid":"k"}}"#)).contains("both a `kid` and a `jwk_url`"));
    assert!(
        read(&format!(
            r#"{url}"claims_namespace":"a","claims_namespace_path":"$.a"}}"#
        ))
        .contains("both a `claims_")
    );
    // Each key about claims beside each other one: both have an effect, or the pair is refused.
    let claims_keys = [
        (
            "claims_map",
            r#"{"x-gateway-default-role":{"path":"$.role"},"x-gateway-allowed-roles":["user"]}"#,
        ),
        ("claims_namespace", "\"a\""),
        ("claims_namespace_path", "\"$.a\""),
        ("claims_format", "\"stringified_json\""),
    ];
    for (index, (one, value)) in claims_keys.iter().enumerate() {
        for (other, other_value) in &claims_keys[index + 1..] {
            let text =
                format!(r#"{{"jwk_url":"https://a","{one}":{value},"{other}":{other_value}}}"#);
            let is_effective = *other == "claims_format" && *one != "claims_map";
            let found = jwt::read(&text, NAMING, Profile::Gateway, &KeySets::default())
                .err()
                .map(|error| error.to_string());
            match found {
                None => assert!(is_effective, "{text}"),
                Some(error) => {
                    assert!(
                        !is_effective && error.contains(one) && error.contains(other),
                        "{text}: {error}"
                    );
                }
            }
        }
    }
    assert!(
        read(&format!(r#"{url}"claims_namespace_path":"a"}}"#))
            .contains("`claims_namespace_path` a path")
    );
    assert!(read(&format!(r#"{url}"header":"Cookie"}}"#)).contains("`header`"));
    assert!(
        read(r#"{"key":{"kty":"oct","k":"YSBzZWNyZXQgb2YgZm9ydHktZWlnaHQgYnl0ZXMsIHdoaWNoIEhTMzg0IGFza3MgZm9y"}}"#)
            .ends_with("no `type`")
    );
    assert!(read(r#"{"type":"RS256","key":{"kty":"oct","k":"YSBzZWNyZXQgb2YgZm9ydHktZWlnaHQgYnl0ZXMsIHdoaWNoIEhTMzg0IGFza3MgZm9y"}}"#).ends_with("a \
         JWK for that `type`"));
    assert!(read(r#"{"key":{"kty":"EC"}}"#).ends_with("a JWK that verifies signatures"));
}

#[test]
fn minted_tokens_are_accepted() {
    let verified = Claims {
        default_role: "user".into(),
        allowed_roles: vec!["user".into()],
        values: Arc::default(),
    };
    let secret =
        json!({"type": "HS256", "key": KEY, "audience": "us", "issuer": "home"}).to_string();
    let payload = jwt::new_claims(&secret, NAMING, &verified).unwrap();
    let (header, key) = jwt::signing_key(&secret, None).unwrap();
    let token = jsonwebtoken::encode(&header, &payload, &key).unwrap();
    let issuers = jwt::read(&secret, NAMING, Profile::Gateway, &KeySets::default()).unwrap();
    assert_eq!(
        ask_with_token(
            AuthPolicy {
                issuers,
                ..policy()
            },
            &token
        )
        .unwrap()
        .role(),
        "user"
    );
    let rsa = json!({"type": "RS256", "key": key!("rsa.public")}).to_string();
    assert!(jwt::signing_key(&rsa, None).is_err());
    assert!(jwt::signing_key(&rsa, Some(key!("rsa.private"))).is_ok());
}

// ---- keys as JWKs, certificates, and keys with ids

fn jwk(id: &str) -> Value {
    let set: Value = serde_json::from_str(include_str!("../../tests/keys/jwks.json")).unwrap();
    set["keys"]
        .as_array()
        .unwrap()
        .iter()
        .find(|key| key["kid"] == id)
        .unwrap()
        .clone()
}

fn ec256() -> EncodingKey {
    EncodingKey::from_ec_pem(key!("ec256.private").as_bytes()).unwrap()
}

fn named(algorithm: Algorithm, key: &EncodingKey, id: &str) -> String {
    let header = Header {
        kid: Some(id.into()),
        ..Header::new(algorithm)
    };
    jsonwebtoken::encode(&header, &claims(), key).unwrap()
}

fn policy_of(secret: &Value) -> AuthPolicy {
    AuthPolicy {
        issuers: issuers(secret),
        ..policy()
    }
}

#[test]
fn key_may_be_a_jwk_or_a_certificate() {
    let rsa = EncodingKey::from_rsa_pem(key!("rsa.private").as_bytes()).unwrap();
    let ec384 = EncodingKey::from_ec_pem(key!("ec384.private").as_bytes()).unwrap();
    let ed = EncodingKey::from_ed_pem(key!("ed25519.private").as_bytes()).unwrap();
    let shared = json!({"kty": "oct", "alg": "HS256", "k": "YSBzZWNyZXQgb2YgZm9ydHktZWlnaHQgYnl0ZXMsIHdoaWNoIEhTMzg0IGFza3MgZm9y"});
    let known = [
        (json!({"key": jwk("rsa")}), Algorithm::RS256, &rsa),
        (
            json!({"key": jwk("rsa").to_string()}),
            Algorithm::PS384,
            &rsa,
        ),
        (
            json!({"key": jwk("rsa"), "type": "RS512"}),
            Algorithm::RS512,
            &rsa,
        ),
        (json!({"key": jwk("ec256")}), Algorithm::ES256, &ec256()),
        (json!({"key": jwk("ec384")}), Algorithm::ES384, &ec384),
        (json!({"key": jwk("ed25519")}), Algorithm::EdDSA, &ed),
        (
            json!({"key": shared}),
            Algorithm::HS256,
            &EncodingKey::from_secret(b"a secret of forty-eight bytes, which HS384 asks for"),
        ),
        (
            json!({"key": key!("rsa.certificate"), "type": "RS256"}),
            Algorithm::RS256,
            &rsa,
        ),
        (
            json!({"key": key!("ec256.certificate"), "type": "ES256"}),
            Algorithm::ES256,
            &ec256(),
        ),
        (
            json!({"key": key!("ed25519.certificate"), "type": "Ed25519"}),
            Algorithm::EdDSA,
            &ed,
        ),
    ];
    for (secret, algorithm, key) in known {
        let session = ask_with_token(policy_of(&secret), &sign(algorithm, key, &claims()));
        assert_eq!(session.unwrap().role(), "user", "{secret}");
    }
    let pinned = json!({"key": jwk("rsa"), "type": "RS512"});
    let wrong = "401 Could not verify JWT: the algorithm is not the one of the key";
    assert_eq!(
        refusal(policy_of(&pinned), &sign(Algorithm::RS256, &rsa, &claims())),
        wrong
    );
    let member = jwk("rsa")["n"].as_str().unwrap().to_owned();
    let confused = sign(
        Algorithm::HS256,
        &EncodingKey::from_secret(member.as_bytes()),
        &claims(),
    );
    assert_eq!(
        refusal(policy_of(&json!({"key": jwk("rsa")})), &confused),
        wrong
    );
}

#[test]
fn key_with_an_id_verifies_only_tokens_naming_it() {
    let key = EncodingKey::from_secret(KEY.as_bytes());
    let with_id = json!({"type": "HS256", "key": KEY, "kid": "a"});
    assert!(ask_with_token(policy_of(&with_id), &named(Algorithm::HS256, &key, "a")).is_ok());
    assert!(
        ask_with_token(policy_of(&with_id), &hs256(&claims())).is_ok(),
        "a token need not name its key"
    );
    let wrong = "401 Could not verify JWT: no key has the token's 'kid'";
    for id in ["b", "", "A", "../a"] {
        assert_eq!(
            refusal(policy_of(&with_id), &named(Algorithm::HS256, &key, id)),
            wrong,
            "{id}"
        );
    }
    assert!(
        ask_with_token(policy(), &named(Algorithm::HS256, &key, "any")).is_ok(),
        "a key without a name"
    );
    let renamed = json!({"key": jwk("ec256"), "kid": "b"});
    assert!(ask_with_token(policy_of(&renamed), &named(Algorithm::ES256, &ec256(), "b")).is_ok());
    assert_eq!(
        refusal(
            policy_of(&renamed),
            &named(Algorithm::ES256, &ec256(), "ec256")
        ),
        wrong
    );
}

#[test]
fn different_tokens_in_two_places_are_rejected() {
    let own = "another key of thirty-two bytes or more";
    let both = json!([
        {"type": "HS256", "key": KEY, "issuer": "here"},
        {"type": "HS256", "key": own, "issuer": "there", "header": {"type": "Cookie", "name": "session"}},
    ]);
    let ask_both = |header: &str, cookie: &str| {
        let cookie = format!("session={cookie}");
        ask(
            policy_of(&both),
            &[
                ("authorization", &format!("Bearer {header}")),
                (COOKIE.as_str(), &cookie),
            ],
        )
    };
    let here = hs256(&with("iss", "here"));
    let there = sign(
        Algorithm::HS256,
        &EncodingKey::from_secret(own.as_bytes()),
        &with("iss", "there"),
    );
    assert!(ask_both(&here, &here).is_ok());
    assert_eq!(
        ask_both(&here, &there).unwrap_err(),
        "401 Could not verify JWT: more than one token is given"
    );
    assert!(
        ask_both(&here, &hs256(&with("iss", "elsewhere"))).is_ok(),
        "no issuer reads the cookie here"
    );
    assert!(ask_both(&hs256(&with("iss", "elsewhere")), &there).is_ok());
    let neither = ask_both(&hs256(&with("iss", "a")), &hs256(&with("iss", "b"))).unwrap_err();
    assert_eq!(neither, "401 Could not verify JWT: JWTNotInIssuer");
    let text =
        json!({"type": "HS256", "key": KEY, "header": r#"{"type":"Cookie","name":"session"}"#});
    let cookie = format!("session={here}");
    assert!(ask(policy_of(&text), &[(COOKIE.as_str(), &cookie)]).is_ok());
}

#[test]
fn token_without_issuer_is_accepted_under_the_hasura_profile() {
    let secret = json!({"type": "HS256", "key": KEY, "issuer": "home"}).to_string();
    let issuers = |profile| jwt::read(&secret, NAMING, profile, &KeySets::default()).unwrap();
    let strict = AuthPolicy {
        issuers: issuers(Profile::Gateway),
        ..policy()
    };
    assert_eq!(
        refusal(strict, &hs256(&claims())),
        "401 Could not verify JWT: JWTNotInIssuer"
    );
    let lenient = || AuthPolicy {
        issuers: issuers(Profile::Hasura),
        ..policy()
    };
    assert!(ask_with_token(lenient(), &hs256(&claims())).is_ok());
    assert!(ask_with_token(lenient(), &hs256(&with("iss", "away"))).is_err());
    assert!(ask_with_token(lenient(), &hs256(&with("iss", json!(["home", "away"])))).is_err());
}

#[test]
fn missing_published_keys_are_not_the_tokens_fault() {
    let secret = json!([{"jwk_url": "http://127.0.0.1:1/keys", "issuer": "a"}, {"type": "HS256", "key": KEY}]);
    assert_eq!(
        refusal(
            policy_of(&secret),
            &sign(Algorithm::ES256, &ec256(), &with("iss", "a"))
        ),
        "503 the keys that tokens are verified by are not available"
    );
    assert!(ask_with_token(policy_of(&secret), &hs256(&claims())).is_ok());
}

#[test]
fn minted_tokens_use_the_first_configured_key() {
    let secret = json!([
        {"jwk_url": "https://issuer.example/keys"},
        {"type": "HS256", "key": KEY, "kid": "one", "claims_map": {
            "x-gateway-default-role": {"path": "$.role"}, "x-gateway-allowed-roles": {"path": "$.roles"}}},
    ]);
    let grant = TokenRequest {
        role: "user",
        roles: vec!["me".into()],
        values: vec![],
        seconds: 60,
    };
    let token = mint(&secret.to_string(), NAMING, None, &grant).unwrap();
    assert_eq!(
        jsonwebtoken::decode_header(&token).unwrap().kid.as_deref(),
        Some("one")
    );
    assert_eq!(
        ask_with_token(policy_of(&secret), &token).unwrap().role(),
        "user"
    );
    let published = json!({"jwk_url": "https://issuer.example/keys"}).to_string();
    assert!(mint(&published, NAMING, None, &grant).is_err());
    let jwk = json!({"kty": "oct", "alg": "HS384", "k": "YSBzZWNyZXQgb2YgZm9ydHktZWlnaHQgYnl0ZXMsIHdoaWNoIEhTMzg0IGFza3MgZm9y", "kid": "two"});
    let secret = json!({"key": jwk});
    let token = mint(&secret.to_string(), NAMING, None, &grant).unwrap();
    assert_eq!(
        ask_with_token(policy_of(&secret), &token).unwrap().role(),
        "user"
    );
}

#[test]
fn webhook_and_tokens_exclude_each_other() {
    let of = |pairs: &[(&str, &str)]| {
        let mut settings = crate::config::Settings::default();
        pairs
            .iter()
            .for_each(|(name, text)| settings.set(name, text).unwrap());
        AuthPolicy::new(&Config::new(&settings), &KeySets::default())
            .map_err(|error| error.to_string())
    };
    let hook = ("auth-hook", "http://127.0.0.1:1/");
    assert!(of(&[hook]).unwrap().hook.is_some());
    assert!(
        of(&[
            hook,
            (
                "jwt-secret",
                &json!({"type": "HS256", "key": KEY}).to_string()
            )
        ])
        .unwrap_err()
        .starts_with("both `--jwt-secret`")
    );
    for url in ["hook", "ftp://a/", "file:///etc/passwd"] {
        assert_eq!(
            of(&[("auth-hook", url)]).unwrap_err(),
            "`--auth-hook` has to be an http or https URL"
        );
    }
    assert!(of(&[]).unwrap_err().starts_with("neither"));
}

/// `postern init --from rls` gives settings session values whose names no header has.
#[test]
fn no_reserved_header_has_the_name_of_a_session_value() {
    for header in ReservedHeader::ALL {
        let name = value_name(header.name());
        assert!(
            permissions::RESERVED_SESSION_VALUES.contains(&name.as_str()),
            "{name}"
        );
    }
}
