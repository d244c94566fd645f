//! The settings: what is there without them, and which mistakes `postern check` reports.

use reqwest::Method;
use serde_json::{Value, json};
use tests::binary;
use tests::service::{ADMIN_SECRET, JWT_SECRET, send};

use super::browser::Browser;
use super::mailbox::Mailbox;
use super::provider::Provider;
use super::service::{Service, builder, migrated, session, settings, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";

/// The paths of accounts.
const PATHS: [&str; 12] = [
    "/v1/signup/email-password",
    "/v1/signup/passwordless/email",
    "/v1/signup/otp/email",
    "/v1/signin/email-password",
    "/v1/signin/passwordless/email",
    "/v1/signin/otp/email",
    "/v1/signin/otp/email/verify",
    "/v1/verify",
    "/v1/user/email/send-verification-email",
    "/v1/user/email/change",
    "/v1/user/password/reset",
    "/v1/user/password",
];

/// The paths of second factors and passkeys.
const FACTOR_PATHS: [&str; 7] = [
    "/v1/signin/mfa/totp",
    "/v1/signin/mfa/webauthn",
    "/v1/signin/mfa/webauthn/verify",
    "/v1/signup/webauthn",
    "/v1/signup/webauthn/verify",
    "/v1/signin/webauthn",
    "/v1/signin/webauthn/verify",
];

/// Those that a session is needed for.
const SESSION_PATHS: [&str; 12] = [
    "/v1/user/providers/unlink",
    "/v1/user/deanonymize",
    "/v1/user/mfa",
    "/v1/user/mfa/recovery-codes",
    "/v1/user/webauthn/add",
    "/v1/user/webauthn/verify",
    "/v1/user/webauthn/remove",
    "/v1/elevate/totp",
    "/v1/elevate/webauthn",
    "/v1/elevate/webauthn/verify",
    "/v1/elevate/otp/email",
    "/v1/elevate/otp/email/verify",
];

/// Those of them that are read.
const READ_PATHS: [&str; 4] = [
    "/v1/mfa/totp/generate",
    "/v1/user/webauthn",
    "/v1/user/providers",
    "/v1/elevate",
];

#[tokio::test]
async fn paths_do_not_exist_without_the_section() {
    let mut file: toml::Table = settings("smtp://127.0.0.1:1", "").parse().unwrap();
    file.remove("accounts");
    let service = builder(&file.to_string()).start().await;
    let body = json!({"email": "ada@example.org", "password": "a long password", "otp": "123456"});
    for path in PATHS.iter().chain(&FACTOR_PATHS).chain(&SESSION_PATHS) {
        let reply = send(service.request(Method::POST, path).json(&body)).await;
        assert_eq!(reply.status, 404, "{path}: {}", reply.text);
    }
    for path in READ_PATHS {
        let reply = send(service.get(path)).await;
        assert_eq!(reply.status, 404, "{path}: {}", reply.text);
    }
    assert_eq!(send(service.get("/v1/verify?ticket=a")).await.status, 404);
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.event_queue")
            .await,
        "0"
    );
    // The token exchange is there.
    let reply = send(
        service
            .request(Method::POST, "/v1/token")
            .json(&json!({"refreshToken": "a"})),
    )
    .await;
    assert_eq!(reply.status, 401, "{}", reply.text);
}

#[tokio::test]
async fn other_methods_and_media_are_refused() {
    let service = Service::start().await;
    for path in PATHS {
        let reply = send(service.request(Method::PUT, path).json(&json!({}))).await;
        assert_eq!(reply.status, 405, "{path}: {}", reply.text);
        if path == "/v1/verify" {
            continue;
        }
        let form = service.request(Method::POST, path);
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        let reply = send(form.body("email=ada%40example.org")).await;
        assert_eq!(reply.status, 415, "{path}: {}", reply.text);
        let json = service
            .request(Method::POST, path)
            .header("content-type", "application/json");
        let reply = send(json.body("{")).await;
        assert_eq!(reply.status, 400, "{path}: {}", reply.text);
        assert_eq!(
            reply.json()["error"],
            "invalid-request",
            "{path}: {}",
            reply.text
        );
    }
}

#[tokio::test]
async fn paths_of_a_person_need_a_session() {
    let service = Service::start().await;
    for path in FACTOR_PATHS.iter().chain(&SESSION_PATHS) {
        let reply = send(service.request(Method::PUT, path).json(&json!({}))).await;
        assert_eq!(reply.status, 405, "{path}: {}", reply.text);
    }
    let body = json!({"activeMfaType": "totp", "code": "123456", "otp": "123456",
        "id": uuid::Uuid::new_v4().to_string(), "nickname": "a key", "credential": SoftwareKey::new().get(
            &json!({"rpId": "localhost", "challenge": "aaaa"}))});
    let requests = SESSION_PATHS
        .map(|path| (Method::POST, path))
        .into_iter()
        .chain(READ_PATHS.map(|path| (Method::GET, path)));
    for (method, path) in requests {
        let request = || {
            let request = service.request(method.clone(), path);
            if method == Method::POST {
                request.json(&body)
            } else {
                request
            }
        };
        for request in [request(), request().bearer_auth("nonsense")] {
            let reply = send(request).await;
            assert_eq!(reply.status, 401, "{path}: {}", reply.text);
        }
        // The admin secret is no person.
        let admin = request().header("x-gateway-admin-secret", ADMIN_SECRET);
        let reply = send(admin).await;
        assert!(matches!(reply.status, 401 | 403), "{path}: {}", reply.text);
    }
}

#[tokio::test]
async fn token_exchange_answers_as_before() {
    let service = Service::start().await;
    service
        .run("INSERT INTO people (email) VALUES ('ada@example.org')")
        .await;
    let token = "pat_of_a_test_that_is_long_enough_to_be_one";
    let insert = "INSERT INTO postern.personal_access_token (id, user_id, name, digest) \
                  SELECT gen_random_uuid(), id::text, 'test', sha256('{}') FROM people";
    service.run(&insert.replace("{}", token)).await;
    let signed_in = session(
        &service
            .post("/v1/signin/pat", json!({"personalAccessToken": token}))
            .await,
    );
    let mut names: Vec<&String> = signed_in.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "accessToken",
            "accessTokenExpiresIn",
            "refreshToken",
            "refreshTokenId",
            "user"
        ]
    );
    let next = service
        .refresh(&text(&signed_in, "refreshToken"))
        .await
        .json();
    let signed_out = service
        .post(
            "/v1/signout",
            json!({"refreshToken": text(&next, "refreshToken")}),
        )
        .await;
    assert_eq!(signed_out.json(), "OK");
    // What the errors had before they still have; the code is new.
    let refused = service
        .post("/v1/signin/pat", json!({"personalAccessToken": "nonsense"}))
        .await;
    let expected = json!({"status": "error", "error": "invalid-pat", "message": "Invalid personal access token", "data": null});
    assert_eq!((refused.status, refused.json()), (401, expected));
    let refused = service.refresh(&text(&next, "refreshToken")).await;
    let expected = json!({"status": "error", "error": "invalid-refresh-token",
        "message": "Invalid or expired refresh token", "data": null});
    assert_eq!((refused.status, refused.json()), (401, expected));
    // A session of a token claims no way to sign in that a person has.
    let claims: Value =
        jsonwebtoken::dangerous::insecure_decode_claims(text(&signed_in, "accessToken")).unwrap();
    assert_eq!(claims.get("amr"), None, "{claims}");
}

/// Runs `postern check` with changed settings.
async fn check(url: &str, changes: &str) -> binary::Finished {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.toml");
    let top = format!("admin_secret = {ADMIN_SECRET:?}\njwt_secret = {JWT_SECRET:?}\n");
    std::fs::write(
        &path,
        format!("{top}{}", settings("smtp://127.0.0.1:2525", changes)),
    )
    .unwrap();
    let path = path.to_str().unwrap().to_owned();
    let url = url.to_owned();
    let run = move || binary::run(&["check", "--config", &path, "--database-url", &url]);
    tokio::task::spawn_blocking(run).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn check_reports_wrong_statements() {
    let database = migrated().await;
    for changes in [
        "",
        "accounts.set_email = \"\"",
        // Not every parameter has to be used.
        "accounts.create = \"INSERT INTO people (email) VALUES ($1) RETURNING id;\"",
        "accounts.redirects = [\"http://localhost:3000/**\"]\naccounts.links = \"direct\"",
        "accounts.second_factor = \"required\"\naccounts.enroll_role = \"enroll\"",
        "accounts.second_factor = \"off\"\naccounts.elevation = \"disabled\"",
        "accounts.former_key = \"a former key with more than 32 characters\"",
        "accounts.name = \"Shop\"\naccounts.passkeys.rp_id = \"example.com\"\n\
         accounts.passkeys.origins = [\"https://app.example.com\", \"https://example.com\"]",
        "accounts.methods = [\"password\"]\naccounts.passkeys = \"\"",
        "accounts.anonymous = true",
        // Nothing is asked of a provider, whether it is there or not.
        "accounts.provider.google = {issuer = \"https://provider.invalid\", client_id = \"a\", client_secret = \"b\"}",
        "accounts.provider.our-own = {issuer = \"http://localhost:1/realms/one\", client_id = \"a\", \
         scopes = [\"openid\", \"email\"], trust_email = false, form_post = true, keep_tokens = true}",
        "accounts.provider.github = {kind = \"github\", client_id = \"a\", client_secret = \"b\"}",
        "accounts.provider.work = {kind = \"github\", client_id = \"a\", client_secret = \"b\", \
         url = \"https://github.example.com\", api_url = \"https://github.example.com/api/v3\"}",
    ] {
        let finished = check(database.url(), changes).await;
        assert_eq!(finished.code, Some(0), "{changes}: {finished:?}");
    }
    let faults = [
        (
            "accounts.by_email = \"SELECT id FROM nowhere WHERE email = $1\"",
            "`by_email`: relation \"nowhere\"",
        ),
        (
            "accounts.by_email = \"SELECT id FROM people\"",
            "`by_email`",
        ),
        (
            "accounts.by_email = \"SELECT id FROM people WHERE email = $1 OR email = $2\"",
            "`by_email`",
        ),
        (
            "accounts.by_email = \"SELECT email FROM people WHERE email = $1\"",
            "`by_email`",
        ),
        (
            "accounts.create = \"INSERT INTO people (email) VALUES ($1)\"",
            "`create`",
        ),
        (
            "accounts.create = \"INSERT INTO people (email) VALUES ($1) RETURNING email\"",
            "`create`",
        ),
        (
            "accounts.create = \"INSERT INTO people (email, age) VALUES ($1, $2) RETURNING id\"",
            "`create`: column \"age\"",
        ),
        (
            "accounts.create = \"INSERT INTO people (email, locale) VALUES ($1, $6) RETURNING id\"",
            "`create`",
        ),
        (
            "accounts.set_email = \"UPDATE people SET email = $1 RETURNING id\"",
            "`set_email`",
        ),
        (
            "accounts.set_email = \"UPDATE people SET email = $2 WHERE id = $1\"",
            "`set_email`",
        ),
        ("accounts.methods = [\"password\", \"sms\"]", "sms"),
        ("accounts.methods = []", "`methods`"),
        (
            "accounts.key = \"thirty-one characters, not more\"",
            "`key`",
        ),
        (
            "accounts.redirects = [\"https://*.example.com/**\"]",
            "https://*.example.com/**",
        ),
        (
            "accounts.redirects = [\"app.example.com\"]",
            "app.example.com",
        ),
        (
            "accounts.client_url = \"javascript:alert(1)\"",
            "javascript:alert(1)",
        ),
        ("accounts.server_url = \"api.example.com\"", "`server_url`"),
        ("accounts.links = \"mail\"", "`direct`"),
        ("accounts.locales = []", "`locales`"),
        ("accounts.password_characters = 3", "`password_characters`"),
        ("accounts.leaked_passwords = \"on\"", "`leaked_passwords`"),
        ("accounts.passwords = 7", "passwords"),
        ("accounts.second_factor = \"always\"", "`required`"),
        ("accounts.second_factor = \"required\"", "enroll_role"),
        ("accounts.elevation = \"never\"", "`recommended`"),
        (
            "accounts.former_key = \"thirty-one characters, not more\"",
            "former_key",
        ),
        ("accounts.passkeys = \"\"", "passkeys"),
        ("accounts.passkeys.origins = []", "origins"),
        (
            "accounts.passkeys.origins = [\"https://elsewhere.example\"]",
            "https://elsewhere.example",
        ),
        ("accounts.passkeys.rp_id = \"https://example.com\"", "rp_id"),
        ("accounts.passkeys.keys = 7", "keys"),
        ("accounts.provider.google = {client_id = \"a\"}", "issuer"),
        (
            "accounts.provider.google = {issuer = \"https://accounts.example.com\"}",
            "client_id",
        ),
        (
            "accounts.provider.google = {issuer = \"http://accounts.example.com\", client_id = \"a\"}",
            "issuer",
        ),
        (
            "accounts.provider.google = {issuer = \"http://localhost.example.com\", client_id = \"a\"}",
            "issuer",
        ),
        (
            "accounts.provider.google = {issuer = \"accounts.example.com\", client_id = \"a\"}",
            "issuer",
        ),
        (
            "accounts.provider.google = {kind = \"gitlab\", issuer = \"https://a.example\", client_id = \"a\"}",
            "github",
        ),
        (
            "accounts.provider.google = {issuer = \"https://a.example\", client_id = \"a\", secret = \"b\"}",
            "secret",
        ),
        (
            "accounts.provider.google = {issuer = \"https://a.example\", client_id = \"a\", scopes = [\"email\"]}",
            "openid",
        ),
        (
            "accounts.provider.\"a/b\" = {issuer = \"https://a.example\", client_id = \"a\"}",
            "a/b",
        ),
        (
            "accounts.provider.github = {kind = \"github\", client_id = \"a\", client_secret = \"b\", \
             api_url = \"http://api.example.com\"}",
            "api_url",
        ),
        ("accounts.anonymous = \"yes\"", "expected a boolean"),
        ("accounts.mail.smtp = \"\"", "mail"),
        ("accounts.mail.smtp = \"http://mail.example.com\"", "smtp"),
        ("accounts.mail.from = \"nobody\"", "from"),
        ("accounts.mail.url = \"https://mail.example.com/\"", "mail"),
        (
            "accounts.mail.smtp = \"\"\naccounts.mail.function = \"nowhere\"",
            "nowhere",
        ),
        (
            "accounts.mail.templates = \"no such folder\"",
            "no such folder",
        ),
        ("token_exchange.users = \"SELECT 1\"", "users"),
    ];
    for (changes, message) in faults {
        let finished = check(database.url(), changes).await;
        assert_eq!(finished.code, Some(1), "{changes}: {finished:?}");
        assert!(
            finished.err.contains(message),
            "{changes}: {}",
            finished.err
        );
    }
    // A mistake in the settings repeats no secret.
    let finished = check(
        database.url(),
        "accounts.mail.smtp = \"smtp://user:p4ssw0rd@mail.example.com:99999\"",
    )
    .await;
    assert!(
        finished.code == Some(1) && !finished.err.contains("p4ssw0rd"),
        "{finished:?}"
    );
    for changes in [
        "accounts.provider.google = {issuer = \"nowhere\", client_id = \"a\", client_secret = \"p4ssw0rd\"}",
        "accounts.provider.google = {issuer = \"https://a.example\", client_secret = [\"p4ssw0rd\"]}",
    ] {
        let finished = check(database.url(), changes).await;
        assert!(
            finished.code == Some(1) && !finished.err.contains("p4ssw0rd"),
            "{finished:?}"
        );
    }
}

#[tokio::test]
async fn accounts_need_the_token_exchange_and_the_tables() {
    let mut file: toml::Table = settings("smtp://127.0.0.1:1", "").parse().unwrap();
    let bare = tests::service::Service::builder("accounts", &[super::service::SCHEMA]);
    let error = bare
        .settings_file(&file.to_string())
        .try_start()
        .await
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("run `postern migrate`"),
        "{error}"
    );
    file.remove("token_exchange");
    let error = builder(&file.to_string()).try_start().await.err().unwrap();
    assert!(error.to_string().contains("`[token_exchange]`"), "{error}");
}

/// The pages list the grants that a separate role for the gateway needs; with exactly these and
/// those of the owner's statements everything works.
#[tokio::test(flavor = "multi_thread")]
async fn documented_grants_suffice_for_a_separate_role() {
    let pages = [
        include_str!("../../../docs/token-exchange.md"),
        include_str!("../../../docs/accounts.md"),
    ];
    let blocks = pages.map(|page| {
        page.split("```sql\n")
            .find(|block| block.starts_with("GRANT"))
    });
    let grants = blocks.map(|block| block.unwrap().split("```").next().unwrap());
    let role = format!("gateway_{}", uuid::Uuid::new_v4().simple());
    let grants = grants
        .concat()
        .replace("TO gateway;", &format!("TO {role};"));
    let mailbox = Mailbox::start().await;
    let provider = Provider::faulty().await;
    let changes = format!(
        "accounts.anonymous = true\n{}accounts.provider.google.keep_tokens = true",
        provider.settings("google")
    );
    let builder = builder(&settings(&mailbox.url(), &changes));
    let database = builder.create_database().await;
    let sql = database.connect().await.unwrap();
    let script =
        format!("CREATE ROLE {role}; GRANT SELECT, INSERT, UPDATE ON people TO {role}; {grants}");
    sql.batch_execute(&script).await.unwrap();
    let url = format!("{}?options=-c%20role%3D{role}", database.url());
    let builder = builder.change(move |builder| builder.database_url(&url));
    let service = Service::new(builder.start_over(database).await.unwrap(), mailbox);

    service.verified(ADA).await;
    service.sign_up(ADA).await;
    service.mailbox.next(ADA).await;
    let code = service.code(ADA).await;
    session(&service.enter(ADA, &code).await);
    service.click(&service.link("bob@example.org").await).await;
    service.sign_up("eve@example.org").await;
    service.sign_up("eve@example.org").await;
    let access = text(&service.session(ADA).await, "accessToken");
    let body = json!({"newEmail": "new@example.org"});
    assert_eq!(
        service
            .post_as(&access, "/v1/user/email/change", body)
            .await
            .status,
        200
    );
    service
        .click(&service.mailbox.next("new@example.org").await.link())
        .await;
    let ticket = service.reset("new@example.org").await;
    let body = json!({"ticket": ticket, "newPassword": "another password"});
    service.ok("/v1/user/password", body).await;
    let person = service.person_with_totp("carol@example.org").await;
    let mut key = SoftwareKey::new();
    let elevated = service.elevated(&person).await;
    let id = service.add_key(&elevated, &person.email, &mut key).await;
    service.recovery_codes(&elevated).await;
    session(&service.sign_in_by_key(&mut key).await);
    service.session_in_two_steps(&person).await;
    let body = json!({"id": id});
    service
        .ok_as(&elevated, "/v1/user/webauthn/remove", body)
        .await;
    let off = json!({"activeMfaType": ""});
    service.ok_as(&elevated, "/v1/user/mfa", off).await;
    let claims = json!({"email": "dora@example.org"});
    provider.behave(json!({"claims": claims})).await;
    let browser = Browser::new(&service);
    let opened = service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
    let access = text(&opened, "accessToken");
    let tokens = "/v1/signin/provider/google/callback/tokens";
    assert_eq!(service.get_as(&access, tokens).await.status, 200);
    let id = service.get_as(&access, "/v1/user/providers").await.json()[0]["id"].clone();
    let body = json!({"id": id});
    service
        .ok_as(&access, "/v1/user/providers/unlink", body)
        .await;
    let anonymous = session(&service.post("/v1/signin/anonymous", json!({})).await);
    let body = json!({"signInMethod": "passwordless", "email": "guest@example.org"});
    service
        .ok_as(
            &text(&anonymous, "accessToken"),
            "/v1/user/deanonymize",
            body,
        )
        .await;
    let link = service.mailbox.next("guest@example.org").await.link();
    assert!(service.click(&link).await.contains("refreshToken="));
    service.until_mailed().await;
    let failed = "SELECT count(*) FROM postern.event_invocation WHERE outcome <> 'delivered'";
    assert_eq!(service.value(failed).await, "0");

    let (gateway, database) = service.into_parts();
    gateway.shutdown().await;
    let sql = database.connect().await.unwrap();
    sql.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role};"))
        .await
        .unwrap();
}
