//! Tests authentication: section 5 of the contract, row by row, and section 4 between the rows.

use jsonwebtoken::{Algorithm, EncodingKey};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::token;

const QUERY: &str = "{ authors(order_by: {name: asc}) { name } }";
const NO_HEADER: &str = "No authorization header provided";
const NO_ROLE: &str = "User does not have required role permissions";

fn send_query(request: RequestBuilder) -> impl Future<Output = Reply> {
    send(request.json(&json!({"query": QUERY})))
}

async fn by_token(service: &Service, token: &str) -> Reply {
    send_query(service.post().bearer_auth(token)).await
}

fn ada() -> Value {
    json!({"authors": [{"name": "Ada"}]})
}

fn both() -> Value {
    json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]})
}

/// A key of the gateway's tests, which nothing else trusts.
fn pem(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../gateway/tests/keys");
    std::fs::read_to_string(format!("{folder}/{name}.pem")).unwrap()
}

#[tokio::test]
async fn requests_without_credentials_are_refused() {
    let service = Service::start().await;
    let reply = send_query(service.post()).await;
    reply.assert_error(401, "access-denied", NO_HEADER);
    assert_eq!(reply.header("www-authenticate"), "Bearer");
    send_query(service.post().header("X-Gateway-Role", "reader"))
        .await
        .assert_error(401, "access-denied", NO_HEADER);
    send_query(service.post().header("X-Gateway-User-Id", "1"))
        .await
        .assert_error(401, "access-denied", NO_HEADER);
}

#[tokio::test]
async fn requests_without_credentials_get_the_unauthorized_role() {
    let service = Service::with(&[("unauthorized-role", "visitor")]).await;
    assert_eq!(send_query(service.post()).await.data(), both());
    assert_eq!(
        send_query(service.post().header("X-Gateway-Role", "visitor"))
            .await
            .data(),
        both()
    );
    for role in ["reader", "admin"] {
        send_query(service.post().header("X-Gateway-Role", role))
            .await
            .assert_error(403, "access-denied", NO_ROLE);
    }
    // An invalid token is refused, not treated as absent.
    let reply = by_token(&service, "x").await;
    reply.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: malformed token",
    );
    let reply = send_query(service.post().header("X-Gateway-Admin-Secret", "x")).await;
    reply.assert_error(401, "access-denied", "invalid admin secret");
}

#[tokio::test]
async fn unauthorized_role_must_be_in_the_permission_file() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let started = async |role: &str, permissions: Option<&str>, settings: &[(&str, &str)]| {
        let usual = [
            ("admin-secret", ADMIN_SECRET),
            ("listen", "127.0.0.1:0"),
            ("unauthorized-role", role),
        ];
        let all = usual.iter().chain(settings);
        let builder = all.fold(tests::gateway(), |builder, (name, value)| {
            builder.setting(name, value)
        });
        let builder = builder.database_url(database.url());
        let builder = match permissions {
            Some(text) => builder.permissions_text("service.toml", text),
            None => builder,
        };
        builder
            .start()
            .await
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let admin = "`--unauthorized-role` cannot be `admin`: the admin secret alone gives that role";
    for settings in [&[][..], &[("profile", "hasura")], &[("insecure", "true")]] {
        for role in ["admin", " admin "] {
            let error = started(role, Some(PERMISSIONS), settings)
                .await
                .unwrap_err();
            assert!(error.contains(admin), "{error}");
        }
    }
    for role in ["Admin", "Visitor", "nobody"] {
        let error = started(role, Some(PERMISSIONS), &[]).await.unwrap_err();
        assert!(
            error.contains(&format!("the permission file has no role `{role}`")),
            "{error}"
        );
    }
    assert_eq!(started(" visitor ", Some(PERMISSIONS), &[]).await, Ok(()));
    let error = started("visitor", None, &[]).await.unwrap_err();
    assert!(
        error.contains("`--unauthorized-role` needs a permission file"),
        "{error}"
    );
}

#[tokio::test]
async fn two_spellings_of_a_session_value_are_refused() {
    let service = Service::start().await;
    let spellings = [
        ("X-Gateway-User-Id", "X-Gateway-User_Id"),
        ("x-gateway-user_id", "X-GATEWAY-USER-ID"),
    ];
    for (first, second) in spellings {
        // Equal values are refused too.
        for value in ["1", "2"] {
            let both = |request: RequestBuilder| request.header(first, "1").header(second, value);
            for request in [
                service.by("author"),
                service.post().bearer_auth(token::good()),
                service
                    .get("/v1/graphql")
                    .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
                    .query(&[("query", QUERY)]),
            ] {
                let reply = send_query(both(request)).await;
                let ReplyError {
                    status,
                    code,
                    message,
                } = reply.error();
                assert_eq!((status, code.as_str()), (400, "bad-request"), "{message}");
                assert!(message.contains("'x-gateway-user"), "{message}");
            }
        }
    }
    let secret = service.by("reader").header("X-Gateway-Admin_Secret", "x");
    assert_eq!(send_query(secret).await.error().code, "bad-request");
    // One spelling gives one value, and headers of another prefix give none.
    let one = service
        .by("author")
        .header("X-Gateway-User_Id", "1")
        .header("X-Other-User-Id", "2");
    assert_eq!(send_query(one).await.data(), ada());
    let hasura = Service::with(&[("profile", "hasura")]).await;
    let by = hasura
        .post()
        .header("X-Hasura-Admin-Secret", ADMIN_SECRET)
        .header("X-Hasura-Role", "author");
    let reply = send_query(
        by.header("X-Hasura-User-Id", "1")
            .header("X-Hasura-User_Id", "2"),
    )
    .await;
    assert!(
        reply
            .error()
            .message
            .starts_with("the header \"x-hasura-user"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn two_spellings_of_a_claim_are_refused() {
    let service = Service::start().await;
    let spellings = [
        ("x-gateway-user_id", json!("1")),
        ("X-Gateway-User-Id", json!("2")),
        ("X-Gateway-Default-Role", json!("reader")),
        ("x-gateway-allowed_roles", json!(["reader"])),
    ];
    for (name, value) in spellings {
        let twice = token::changed(|claims| claims["gateway"][name] = value);
        let ReplyError {
            status,
            code,
            message,
        } = by_token(&service, &twice).await.error();
        assert_eq!(
            (status, code.as_str()),
            (401, "access-denied"),
            "{name}: {message}"
        );
        assert!(
            message.ends_with("is given twice, in two spellings"),
            "{name}: {message}"
        );
    }
    // The same key twice, which a JSON value cannot represent.
    let twice = token::claims().to_string().replace(
        "\"x-gateway-user-id\":\"1\"",
        "\"x-gateway-user-id\":\"2\",\"x-gateway-user-id\":\"1\"",
    );
    assert_eq!(twice.matches("user-id").count(), 2);
    let raw: Box<serde_json::value::RawValue> = serde_json::from_str(&twice).unwrap();
    let header = jsonwebtoken::Header::new(Algorithm::HS256);
    let token = jsonwebtoken::encode(&header, &raw, &EncodingKey::from_secret(token::KEY)).unwrap();
    let reply = by_token(&service, &token).await;
    reply.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: malformed token",
    );
}

#[tokio::test]
async fn malformed_authorization_header_is_refused() {
    let service = Service::start().await;
    let message = "Could not verify JWT: malformed authorization header";
    let good = token::good();
    for value in [
        "",
        "Bearer",
        "Bearer ",
        good.as_str(),
        "Basic YTpi",
        "Bearer: x",
    ] {
        let reply = send_query(service.post().header("Authorization", value)).await;
        reply.assert_error(401, "access-denied", message);
    }
    for value in [
        "Bearer x",
        "Bearer a.b",
        "Bearer a.b.c",
        "Bearer a.b.c.d",
        "Bearer e30.e30.e30",
    ] {
        let reply = send_query(service.post().header("Authorization", value)).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!((status, code.as_str()), (401, "access-denied"), "{value}");
        assert!(
            message.starts_with("Could not verify JWT: "),
            "{value}: {message}"
        );
    }
    assert_eq!(
        send_query(
            service
                .post()
                .header("Authorization", format!("bearer {good}"))
        )
        .await
        .data(),
        ada()
    );
}

#[tokio::test]
async fn valid_token_determines_role_and_session_values() {
    let service = Service::start().await;
    let good = token::good();
    assert_eq!(by_token(&service, &good).await.data(), ada());
    assert_eq!(
        send_query(
            service
                .post()
                .bearer_auth(&good)
                .header("X-Gateway-Role", "reader")
        )
        .await
        .data(),
        both()
    );
    // Session values in headers beside a token are ignored.
    let lying = service
        .post()
        .bearer_auth(&good)
        .header("X-Gateway-User-Id", "2");
    assert_eq!(send_query(lying).await.data(), ada());
    let bob = token::changed(|claims| claims["gateway"]["x-gateway-user-id"] = "2".into());
    assert_eq!(
        by_token(&service, &bob).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
}

#[tokio::test]
async fn disallowed_role_is_refused() {
    let service = Service::start().await;
    for role in ["admin", "visitor", "Reader", "nobody", ""] {
        let reply = send_query(
            service
                .post()
                .bearer_auth(token::good())
                .header("X-Gateway-Role", role),
        )
        .await;
        reply.assert_error(403, "access-denied", NO_ROLE);
    }
    let admin = token::changed(|claims| {
        claims["gateway"]["x-gateway-default-role"] = "admin".into();
        claims["gateway"]["x-gateway-allowed-roles"] = json!(["admin"]);
    });
    by_token(&service, &admin)
        .await
        .assert_error(403, "access-denied", NO_ROLE);
    let astray =
        token::changed(|claims| claims["gateway"]["x-gateway-default-role"] = "visitor".into());
    by_token(&service, &astray)
        .await
        .assert_error(403, "access-denied", NO_ROLE);
}

#[tokio::test]
async fn role_header_can_be_required() {
    let service = Service::with(&[("require-role-header", "true")]).await;
    let good = token::good();
    by_token(&service, &good)
        .await
        .assert_error(403, "access-denied", NO_ROLE);
    assert_eq!(
        send_query(
            service
                .post()
                .bearer_auth(&good)
                .header("X-Gateway-Role", "author")
        )
        .await
        .data(),
        ada()
    );
    // The setting does not apply to requests with the admin secret.
    assert_eq!(
        send_query(
            service
                .post()
                .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        )
        .await
        .data(),
        both()
    );
    by_token(&service, "x").await.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: malformed token",
    );
    send_query(service.post())
        .await
        .assert_error(401, "access-denied", NO_HEADER);
}

#[tokio::test]
async fn token_is_valid_between_nbf_and_exp() {
    let service = Service::start().await;
    let expired = "Could not verify JWT: JWTExpired";
    for seconds in [1, 3600] {
        let token = token::changed(|claims| claims["exp"] = (token::now() - seconds).into());
        by_token(&service, &token)
            .await
            .assert_error(401, "access-denied", expired);
        send_query(
            service
                .post()
                .bearer_auth(&token)
                .header("X-Gateway-Role", "reader"),
        )
        .await
        .assert_error(401, "access-denied", expired);
    }
    let early = token::changed(|claims| claims["nbf"] = (token::now() + 600).into());
    by_token(&service, &early).await.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: JWTNotYetValid",
    );
    let begun = token::changed(|claims| claims["nbf"] = (token::now() - 5).into());
    assert_eq!(by_token(&service, &begun).await.data(), ada());
    for malformed in [json!("soon"), json!({}), json!(-1)] {
        let token = token::changed(|claims| claims["exp"] = malformed.clone());
        let ReplyError {
            status,
            code,
            message,
        } = by_token(&service, &token).await.error();
        assert_eq!(
            (status, code.as_str()),
            (401, "access-denied"),
            "{malformed}: {message}"
        );
    }
}

#[tokio::test]
async fn cached_token_expires() {
    let service = Service::start().await;
    let token = token::changed(|claims| claims["exp"] = (token::now() + 2).into());
    assert_eq!(by_token(&service, &token).await.data(), ada());
    until("the token has expired", async || {
        by_token(&service, &token).await.status == 401
    })
    .await;
    by_token(&service, &token).await.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: JWTExpired",
    );
}

#[tokio::test]
async fn token_needs_the_required_claims() {
    let service = Service::start().await;
    let without = |name: &str| {
        token::changed(|claims| drop(claims["gateway"].as_object_mut().unwrap().remove(name)))
    };
    let refuse = async |token: String, reason: &str| {
        let message = format!("Could not verify JWT: {reason}");
        by_token(&service, &token)
            .await
            .assert_error(401, "access-denied", &message);
    };
    refuse(
        without("x-gateway-default-role"),
        "the claim 'x-gateway-default-role' is missing",
    )
    .await;
    refuse(
        without("x-gateway-allowed-roles"),
        "the claim 'x-gateway-allowed-roles' is missing",
    )
    .await;
    let none = token::changed(|claims| drop(claims.as_object_mut().unwrap().remove("gateway")));
    refuse(none, "the claim 'gateway' is missing").await;
    let text =
        token::changed(|claims| claims["gateway"]["x-gateway-allowed-roles"] = "author".into());
    refuse(
        text,
        "the claim 'x-gateway-allowed-roles' has to be a list of roles",
    )
    .await;
    // A missing session value that a rule needs is an error of the request, not of the token.
    let reply = by_token(&service, &without("x-gateway-user-id")).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "permission-error"),
        "{}",
        reply.text
    );
    let wrong = token::changed(|claims| claims["gateway"]["x-gateway-user-id"] = "one".into());
    let reply = by_token(&service, &wrong).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "permission-error"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn signature_must_verify_with_the_key() {
    let service = Service::start().await;
    let refuse = async |token: String| {
        let reply = by_token(&service, &token).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!((status, code.as_str()), (401, "access-denied"), "{token}");
        assert!(message.starts_with("Could not verify JWT: "), "{message}");
        message
    };
    let other = token::by(
        Algorithm::HS256,
        &EncodingKey::from_secret(b"another key of thirty-two bytes!"),
        &token::claims(),
    );
    assert_eq!(
        refuse(other).await,
        "Could not verify JWT: JWSInvalidSignature"
    );
    let good = token::good();
    refuse(good[..good.len() - 4].to_owned()).await;
    // The payload of one token with the signature of another.
    let admin = token::changed(|claims| {
        claims["gateway"]["x-gateway-allowed-roles"] = json!(["author", "visitor"]);
    });
    let parts = |token: &str| token.split('.').map(str::to_owned).collect::<Vec<_>>();
    let mine = parts(&good);
    let theirs = parts(&admin);
    refuse(format!("{}.{}.{}", mine[0], theirs[1], mine[2])).await;
    for name in [
        "none", "None", "NONE", "HS384", "RS256", "ES256", "", "HS256 ",
    ] {
        refuse(token::forged(
            &json!({"alg": name, "typ": "JWT"}),
            &token::claims(),
            b"",
        ))
        .await;
    }
    for header in [
        json!({}),
        json!({"typ": "JWT"}),
        json!([]),
        json!({"alg": "HS256", "crit": ["exp"]}),
    ] {
        refuse(token::forged(&header, &token::claims(), b"x")).await;
    }
    let stronger = token::by(
        Algorithm::HS512,
        &EncodingKey::from_secret(token::KEY),
        &token::claims(),
    );
    refuse(stronger).await;
    service.is_well().await;
}

#[tokio::test]
async fn keys_of_every_algorithm_verify() {
    let ec = |name: &str| EncodingKey::from_ec_pem(pem(name).as_bytes()).unwrap();
    let rsa = || EncodingKey::from_rsa_pem(pem("rsa.private").as_bytes()).unwrap();
    let kinds = [
        ("RS256", Algorithm::RS256, rsa(), "rsa"),
        ("PS256", Algorithm::PS256, rsa(), "rsa"),
        ("ES256", Algorithm::ES256, ec("ec256.private"), "ec256"),
        ("ES384", Algorithm::ES384, ec("ec384.private"), "ec384"),
        (
            "EdDSA",
            Algorithm::EdDSA,
            EncodingKey::from_ed_pem(pem("ed25519.private").as_bytes()).unwrap(),
            "ed25519",
        ),
    ];
    for (kind, algorithm, key, name) in kinds {
        let public = pem(&format!("{name}.public"));
        let setting = json!({"type": kind, "key": public}).to_string();
        let service = Service::with(&[("jwt-secret", &setting)]).await;
        assert_eq!(
            by_token(&service, &token::by(algorithm, &key, &token::claims()))
                .await
                .data(),
            ada(),
            "{kind}"
        );
        // The public key is public: a token signed with its text as an HMAC secret is refused.
        for text in [public.as_str(), public.trim_end()] {
            let confused = token::by(
                Algorithm::HS256,
                &EncodingKey::from_secret(text.as_bytes()),
                &token::claims(),
            );
            let ReplyError { status, code, .. } = by_token(&service, &confused).await.error();
            assert_eq!((status, code.as_str()), (401, "access-denied"), "{kind}");
        }
        let none = token::forged(&json!({"alg": "none"}), &token::claims(), b"");
        assert_eq!(by_token(&service, &none).await.status, 401, "{kind}");
        assert_eq!(
            by_token(&service, &token::good()).await.status,
            401,
            "{kind}"
        );
    }
}

#[tokio::test]
async fn keys_named_in_a_token_header_are_ignored() {
    let public = pem("ec256.public");
    let service = Service::with(&[(
        "jwt-secret",
        &json!({"type": "ES256", "key": public}).to_string(),
    )])
    .await;
    let mut header = jsonwebtoken::Header::new(Algorithm::HS256);
    header.jku = Some("http://127.0.0.1:1/keys".into());
    header.kid = Some("../../etc/passwd".into());
    let token = jsonwebtoken::encode(
        &header,
        &token::claims(),
        &EncodingKey::from_secret(token::KEY),
    )
    .unwrap();
    assert_eq!(by_token(&service, &token).await.status, 401);
}

#[tokio::test]
async fn audience_issuer_and_skew_are_checked() {
    let setting = json!({"type": "HS256", "key": std::str::from_utf8(token::KEY).unwrap(), "audience": ["one", "two"],
        "issuer": "me", "allowed_skew": 60});
    let service = Service::with(&[("jwt-secret", &setting.to_string())]).await;
    let token = |audience: Value, issuer: Value, age: u64| {
        token::changed(|claims| {
            claims["aud"] = audience;
            claims["iss"] = issuer;
            claims["exp"] = (token::now() - age).into();
        })
    };
    assert_eq!(
        by_token(&service, &token(json!("two"), json!("me"), 30))
            .await
            .data(),
        ada()
    );
    assert_eq!(
        by_token(&service, &token(json!(["x", "one"]), json!("me"), 0))
            .await
            .data(),
        ada()
    );
    for (wrong, message) in [
        (token(json!("three"), json!("me"), 0), "JWTNotInAudience"),
        (token(json!("one"), json!("you"), 0), "JWTNotInIssuer"),
        (token(json!("one"), json!("me"), 120), "JWTExpired"),
    ] {
        by_token(&service, &wrong).await.assert_error(
            401,
            "access-denied",
            &format!("Could not verify JWT: {message}"),
        );
    }
    assert_eq!(by_token(&service, &token::good()).await.status, 401);
}

#[tokio::test]
async fn tokens_of_several_issuers_are_accepted() {
    let other = b"the key of somebody else, as long";
    let setting = json!([
        {"type": "HS256", "key": std::str::from_utf8(token::KEY).unwrap()},
        {"type": "HS256", "key": std::str::from_utf8(other).unwrap()},
    ]);
    let service = Service::with(&[("jwt-secret", &setting.to_string())]).await;
    assert_eq!(by_token(&service, &token::good()).await.data(), ada());
    let second = token::by(
        Algorithm::HS256,
        &EncodingKey::from_secret(other),
        &token::claims(),
    );
    assert_eq!(by_token(&service, &second).await.data(), ada());
    let third = token::by(
        Algorithm::HS256,
        &EncodingKey::from_secret(b"nobody's key, thirty-two bytes long"),
        &token::claims(),
    );
    assert_eq!(by_token(&service, &third).await.status, 401);
}

#[tokio::test]
async fn duplicate_security_headers_are_refused() {
    let service = Service::start().await;
    let good = format!("Bearer {}", token::good());
    let twice = [
        (
            "Authorization",
            good.as_str(),
            good.as_str(),
            "authorization",
        ),
        ("X-Gateway-Role", "author", "reader", "x-gateway-role"),
        (
            "X-Gateway-Admin-Secret",
            ADMIN_SECRET,
            ADMIN_SECRET,
            "x-gateway-admin-secret",
        ),
        (
            "X-Gateway-Admin-Secret",
            ADMIN_SECRET,
            "x",
            "x-gateway-admin-secret",
        ),
        ("X-Gateway-User-Id", "1", "2", "x-gateway-user-id"),
    ];
    for (name, one, two, header) in twice {
        let reply = send_query(service.post().header(name, one).header(name, two)).await;
        reply.assert_error(
            400,
            "bad-request",
            &format!("the header '{header}' is given twice"),
        );
    }
}

#[tokio::test]
async fn admin_secret_gives_full_access() {
    let service = Service::start().await;
    let admin = || {
        service
            .post()
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
    };
    assert_eq!(send_query(admin()).await.data(), both());
    assert_eq!(
        send_query(admin().header("X-Gateway-Role", "admin"))
            .await
            .data(),
        both()
    );
    let ask = async |request: RequestBuilder, query: &str| {
        send(request.json(&json!({"query": query}))).await
    };
    assert_eq!(
        ask(admin(), "{ articles_aggregate { aggregate { count } } }")
            .await
            .status,
        200
    );
    for wrong in [
        "",
        "x",
        "open sesam",
        "open sesame!",
        "OPEN SESAME",
        "open sesame\u{e9}",
    ] {
        let reply = send_query(service.post().header("X-Gateway-Admin-Secret", wrong)).await;
        reply.assert_error(401, "access-denied", "invalid admin secret");
    }
    // A wrong secret beside a valid token is refused; beside a correct secret the token is ignored.
    let reply = send_query(
        service
            .post()
            .bearer_auth(token::good())
            .header("X-Gateway-Admin-Secret", "x"),
    )
    .await;
    reply.assert_error(401, "access-denied", "invalid admin secret");
    assert_eq!(
        send_query(admin().bearer_auth(token::good())).await.data(),
        both()
    );
}

#[tokio::test]
async fn admin_secret_acts_for_a_role_and_user() {
    let service = Service::start().await;
    let acting = |role: &'static str, user: &'static str| {
        let admin = service
            .post()
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        admin
            .header("x-gateway-role", role)
            .header("X-GATEWAY-USER-ID", user)
    };
    assert_eq!(
        send_query(acting("author", "2")).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
    assert_eq!(
        send_query(acting("author", "3")).await.data(),
        json!({"authors": []})
    );
    assert_eq!(send_query(acting("visitor", "3")).await.data(), both());
    for user in ["x", "1 OR 1=1", "", "1.5", "99999999999"] {
        let reply = send_query(acting("author", user)).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (200, "permission-error"),
            "{user}: {}",
            reply.text
        );
    }
    let reply = send_query(acting("nobody", "1")).await;
    reply.assert_error(
        200,
        "validation-failed",
        "field 'authors' not found in type: 'query_root'",
    );
    let without = service
        .post()
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "author");
    let reply = send(
        without
            .header("Accept", "application/graphql-response+json")
            .json(&json!({"query": QUERY})),
    )
    .await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (403, "permission-error"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn tokens_are_refused_without_a_configured_key() {
    let service = Service::only(&[("admin-secret", ADMIN_SECRET)]).await;
    send_query(service.post())
        .await
        .assert_error(401, "access-denied", NO_HEADER);
    let reply = by_token(&service, &token::good()).await;
    reply.assert_error(
        401,
        "access-denied",
        "Could not verify JWT: no key is configured",
    );
    let service = Service::only(&[("jwt-secret", token::SECRET)]).await;
    let reply = send_query(service.post().header("X-Gateway-Admin-Secret", "")).await;
    reply.assert_error(401, "access-denied", "invalid admin secret");
    assert_eq!(by_token(&service, &token::good()).await.data(), ada());
}

#[tokio::test]
async fn insecure_makes_every_caller_admin() {
    let service = Service::only(&[("insecure", "true")]).await;
    assert_eq!(send_query(service.post()).await.data(), both());
    let author = service
        .post()
        .header("X-Gateway-Role", "author")
        .header("X-Gateway-User-Id", "1");
    assert_eq!(send_query(author).await.data(), ada());
}

#[tokio::test]
async fn header_and_claim_prefix_is_configurable() {
    let service = Service::with(&[("header-prefix", "X-Shop-")]).await;
    let admin = service
        .post()
        .header("X-Shop-Admin-Secret", ADMIN_SECRET)
        .header("X-Shop-Role", "author");
    assert_eq!(
        send_query(admin.header("X-Shop-User-Id", "1")).await.data(),
        ada()
    );
    send_query(
        service
            .post()
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET),
    )
    .await
    .assert_error(401, "access-denied", NO_HEADER);
    let token = token::changed(|claims| {
        claims["gateway"] = json!({"x-shop-default-role": "author", "x-shop-allowed-roles": ["author"], "x-shop-user-id": 2});
    });
    assert_eq!(
        by_token(&service, &token).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
}
