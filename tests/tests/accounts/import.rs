//! `postern accounts import`: people of hasura-auth and of GoTrue sign in as before. The settings
//! are those of docs/accounts-import.md, over the tables that the migrations of these servers make.

use std::path::Path;

use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary::{Finished, run};
use tests::service as gateways;

use super::authenticator_app::AuthenticatorApp;
use super::factors::mfa;
use super::logged_gateway::{assert_hidden, dump};
use super::mailbox::Mailbox;
use super::page::parameter;
use super::service::{Service, assert_refused, session, settings, text};
use super::software_key::{SoftwareKey, decode};
use crate::docs::read;

const OLD_TABLES: &str = include_str!("import/hasura_auth_0_36.sql");
const PEOPLE: &str = include_str!("import/hasura_auth_people.sql");
const NEW_TABLES: &str = include_str!("import/hasura_auth_0_46.sql");
const GOTRUE: &str = include_str!("import/gotrue.sql");

/// The password of all people.
const PASSWORD: &str = "an old password";

/// The secret of Bob's authenticator app.
const SECRET: &str = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU";

/// The keys with which the servers have sealed secrets in the fixtures.
const HASURA_KEY: &str = "5181942b9ebc31ce68dacb56c16fd79f5181942b9ebc31ce68dacb56c16fd79f";
const GOTRUE_KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";

/// Ada's personal access token, and one of hers that has expired.
const TOKEN: &str = "5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e01";
const EXPIRED: &str = "5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e02";

const ADA: &str = "a0000000-0000-4000-8000-0000000000a1";
const BOB: &str = "a0000000-0000-4000-8000-0000000000a2";
const CLEO: &str = "a0000000-0000-4000-8000-0000000000a3";
const DAN: &str = "a0000000-0000-4000-8000-0000000000a4";
const EVE: &str = "a0000000-0000-4000-8000-0000000000a5";

/// A gateway over the tables of another server, and the settings file for the command.
struct Move {
    service: Service,
    folder: tempfile::TempDir,
    server: &'static str,
}

/// The block of the page with this name.
fn block(file: &str) -> String {
    let page = read("docs/accounts-import.md");
    let start = format!("<!-- file: {file} -->\n```toml\n");
    let (_, rest) = page.split_once(&start).expect(file);
    rest.split_once("```").expect(file).0.to_owned()
}

impl Move {
    /// A gateway over these tables, with the settings of the page and further ones.
    async fn new(server: &'static str, scripts: &[&str], changes: &str) -> Move {
        let file = match server {
            "gotrue" => "supabase.toml",
            _ => "hasura-auth.toml",
        };
        // The block ends in `[accounts]`. The people have linked a provider of this name.
        let google = "[accounts.provider.google]\nissuer = \"https://accounts.google.com\"\nclient_id = \"shop\"";
        let changes = format!("{}\n{changes}\n{google}", block(file));
        let mailbox = Mailbox::start().await;
        let file = settings(&mailbox.url(), &changes);
        let migrations = plugins::migration_script();
        let scripts: Vec<&str> = scripts.iter().copied().chain([&*migrations]).collect();
        let builder = gateways::Service::builder("accounts_import", &scripts);
        let service = builder.settings_file(&file).start().await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("gateway.toml"), file).unwrap();
        Move {
            service: Service::new(service, mailbox),
            folder,
            server,
        }
    }

    /// hasura-auth 0.36.
    async fn old() -> Move {
        Move::new("hasura-auth", &[OLD_TABLES, PEOPLE], "").await
    }

    /// hasura-auth 0.46.
    async fn new_version() -> Move {
        Move::new("hasura-auth", &[OLD_TABLES, PEOPLE, NEW_TABLES], "").await
    }

    /// Supabase Auth.
    async fn gotrue() -> Move {
        Move::new("gotrue", &[GOTRUE], "").await
    }

    /// Runs the command.
    fn import(&self, arguments: &[&str]) -> Finished {
        let usual = ["--from", self.server];
        accounts(
            self.folder.path(),
            &self.service.database,
            "import",
            &[&usual, arguments].concat(),
        )
    }

    /// Runs the command, which has to take over something, and returns its report.
    fn report(&self, arguments: &[&str]) -> Value {
        let finished = self.import(&[arguments, &["--json"]].concat());
        // A slow import says that it runs.
        let err = finished.err.trim_end_matches("taking accounts over …\n");
        assert_eq!(err, "", "{}", finished.out);
        serde_json::from_str(&finished.out).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
    }

    /// Gives Cleo a key in the tables of hasura-auth.
    async fn add_key(&self, key: &SoftwareKey) {
        let insert = format!(
            "INSERT INTO auth.user_security_keys (user_id, credential_id, credential_public_key, counter, nickname) \
             VALUES ('{CLEO}', '{}', '\\x{}', 0, 'phone')",
            key.id_text(),
            hexadecimal(&key.public_key())
        );
        self.service.run(&insert).await;
    }
}

/// Runs a command of accounts over a database.
fn accounts(folder: &Path, database: &TestDatabase, command: &str, arguments: &[&str]) -> Finished {
    let config = folder.join("gateway.toml");
    let usual = [
        "accounts",
        command,
        "--config",
        config.to_str().unwrap(),
        "--database-url",
        database.url(),
    ];
    run(&[&usual, arguments].concat()).unwrap()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The users that a report lists for the reason that has these words.
fn left_out(report: &Value, words: &str) -> Vec<String> {
    let reasons = report["leftOut"].as_array().unwrap();
    let reason = reasons
        .iter()
        .find(|reason| text(reason, "reason").contains(words))
        .unwrap_or_else(|| panic!("no `{words}` in {report}"));
    serde_json::from_value(reason["users"].clone()).unwrap()
}

/// Signs Bob in by password and a code of his app.
async fn sign_bob_in(service: &Service) {
    let first = mfa(&service.sign_in_with("bob@example.org", PASSWORD).await);
    let code = service.unused_code(&AuthenticatorApp::new(SECRET)).await;
    session(&service.second_step(&text(&first, "ticket"), &code).await);
}

async fn hash(service: &Service, user: &str) -> String {
    let hash = format!("SELECT hash FROM postern.password WHERE user_id = '{user}'");
    service.value(&hash).await
}

/// What came of the people of hasura-auth, whatever its version.
async fn assert_people_sign_in(moved: &Move, key: &mut SoftwareKey) {
    let service = &moved.service;
    assert!(hash(service, ADA).await.starts_with("$2a$"));
    session(&service.sign_in_with("ada@example.org", PASSWORD).await);
    assert!(hash(service, ADA).await.starts_with("$argon2id$"));

    let pat = json!({"personalAccessToken": TOKEN});
    let reply = service.post("/v1/signin/pat", pat).await;
    assert_eq!(session(&reply)["user"]["id"], ADA, "{}", reply.text);
    let pat = json!({"personalAccessToken": EXPIRED});
    assert_eq!(service.post("/v1/signin/pat", pat).await.status, 401);
    let token = "SELECT name || ' ' || (roles IS NULL) || ' ' || (expires_at > now() + interval '29 days') \
                 FROM postern.personal_access_token";
    assert_eq!(service.value(token).await, "laptop true true");

    sign_bob_in(service).await;

    let identity =
        "SELECT concat_ws(' ', issuer, subject, user_id, provider) FROM postern.external_identity";
    assert_eq!(
        service.value(identity).await,
        format!("https://accounts.google.com google-ada {ADA} google")
    );

    // hasura-auth sends the id itself as `user.id`. Clients take its letters as bytes, or decode
    // them.
    for handle in [CLEO.as_bytes().to_vec(), decode(CLEO)] {
        key.handle = Some(handle);
        let reply = service.sign_in_by_key(key).await;
        assert_eq!(session(&reply)["user"]["id"], CLEO, "{}", reply.text);
    }
    let with_address = json!({"email": "cleo@example.org"});
    let options = service.options("/v1/signin/webauthn", with_address).await;
    assert_eq!(options["allowCredentials"][0]["id"], key.id_text());
    session(&service.verify_key(&key.get(&options)).await);

    let reply = service.sign_in_with("dan@example.org", PASSWORD).await;
    assert_refused(&reply, 401, "invalid-email-password");
    let reply = service.sign_in_with("eve@example.org", PASSWORD).await;
    assert_refused(&reply, 401, "invalid-email-password");

    let anonymous = "SELECT string_agg(user_id, ' ') FROM postern.account WHERE is_anonymous";
    assert!(service.value(anonymous).await.ends_with("a6"));
    let imported = "SELECT count(*) || ' ' || count(DISTINCT user_id) FROM postern.authentication_event \
                    WHERE event = 'imported' AND method = 'hasura-auth'";
    assert_eq!(service.value(imported).await, "3 3");
}

fn assert_report_of_hasura_auth(report: &Value) {
    assert_eq!(
        report["taken"],
        json!({"passwords": 2, "verifiedAddresses": 3, "linkedProviders": 1, "securityKeys": 1, "authenticatorApps": 1,
               "personalAccessTokens": 1, "anonymousUsers": 1}),
        "{report}"
    );
    assert_eq!(
        (&report["users"], &report["knownUsers"]),
        (&json!(6), &json!(5))
    );
    for (words, user) in [
        ("`users` does not return", DAN),
        ("neither bcrypt nor argon2", EVE),
        ("[accounts.provider.spotify]", ADA),
        ("have expired", ADA),
        ("phone numbers", ADA),
    ] {
        assert_eq!(left_out(report, words), [user], "{words}");
    }
    assert_eq!(report["leftOut"].as_array().unwrap().len(), 5, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_of_hasura_auth_0_36_sign_in_as_before() {
    let moved = Move::old().await;
    let mut key = SoftwareKey::new();
    moved.add_key(&key).await;
    assert_report_of_hasura_auth(&moved.report(&[]));
    assert_people_sign_in(&moved, &mut key).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_of_hasura_auth_0_46_sign_in_as_before() {
    let moved = Move::new_version().await;
    let mut key = SoftwareKey::new();
    moved.add_key(&key).await;
    let report = moved.report(&["--source-key", HASURA_KEY]);
    assert_report_of_hasura_auth(&report);
    assert_people_sign_in(&moved, &mut key).await;
}

/// Before its migrations 9, 11 and 13 hasura-auth had other tables, and no tokens to take over.
#[tokio::test(flavor = "multi_thread")]
async fn oldest_tables_of_hasura_auth_are_read() {
    let oldest = "ALTER TABLE auth.user_security_keys RENAME TO user_authenticators;
         ALTER TABLE auth.user_authenticators DROP COLUMN nickname;
         ALTER TABLE auth.refresh_tokens DROP COLUMN type, DROP COLUMN refresh_token_hash, DROP COLUMN metadata;
         ALTER TABLE auth.refresh_tokens RENAME COLUMN id TO refresh_token;
         DROP TABLE auth.user_providers;";
    let moved = Move::new("hasura-auth", &[OLD_TABLES, PEOPLE, oldest], "").await;
    let mut key = SoftwareKey::new();
    let insert = format!(
        "INSERT INTO auth.user_authenticators (user_id, credential_id, credential_public_key) VALUES ('{CLEO}', '{}=', '\\x{}')",
        key.id_text(),
        hexadecimal(&key.public_key())
    );
    moved.service.run(&insert).await;
    let report = moved.report(&[]);
    assert_eq!(
        (
            &report["taken"]["securityKeys"],
            &report["taken"]["personalAccessTokens"]
        ),
        (&json!(1), &json!(0)),
        "{report}"
    );
    key.handle = Some(CLEO.as_bytes().to_vec());
    session(&moved.service.sign_in_by_key(&mut key).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_of_gotrue_sign_in_as_before() {
    let moved = Move::gotrue().await;
    let service = &moved.service;
    let mut key = SoftwareKey::synced();
    let insert = format!(
        "INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key, transports, backup_eligible, backed_up) \
         VALUES ('{CLEO}', '\\x{}', '\\x{}', '[\"internal\", \"hybrid\"]', true, true)",
        hexadecimal(&key.id),
        hexadecimal(&key.public_key())
    );
    service.run(&insert).await;
    let report = moved.report(&["--source-key", GOTRUE_KEY]);
    assert_eq!(
        report["taken"],
        json!({"passwords": 3, "verifiedAddresses": 4, "linkedProviders": 1, "securityKeys": 1, "authenticatorApps": 1,
               "personalAccessTokens": 0, "anonymousUsers": 1}),
        "{report}"
    );
    for (words, user) in [
        ("`users` does not return", DAN),
        ("[accounts.provider.spotify]", ADA),
        ("further authenticator apps", BOB),
        ("recovery codes", BOB),
        ("phone numbers", ADA),
    ] {
        assert_eq!(left_out(&report, words), [user], "{words}");
    }
    assert_eq!(report["leftOut"].as_array().unwrap().len(), 5, "{report}");

    session(&service.sign_in_with("ada@example.org", PASSWORD).await);
    assert!(hash(service, ADA).await.starts_with("$argon2id$"));
    session(&service.sign_in_with("eve@example.org", PASSWORD).await);
    sign_bob_in(service).await;
    let identity = "SELECT concat_ws(' ', subject, user_id, email) FROM postern.external_identity";
    assert_eq!(
        service.value(identity).await,
        format!("google-ada {ADA} ada@example.org")
    );
    // GoTrue has the letters of the id as user handle.
    key.handle = Some(CLEO.as_bytes().to_vec());
    let reply = service.sign_in_by_key(&mut key).await;
    assert_eq!(session(&reply)["user"]["id"], CLEO, "{}", reply.text);
    let transports = "SELECT transports::text FROM postern.security_key";
    assert_eq!(service.value(transports).await, "{hybrid,internal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_a_factor_of_gotrue_is_asked_for() {
    let moved = Move::gotrue().await;
    let service = &moved.service;
    let mut key = SoftwareKey::unverified();
    let credential = json!({
        "id": base64(&key.id),
        "publicKey": base64(&key.public_key()),
        "attestationType": "none",
        "transport": ["usb"],
        "flags": {"userPresent": true, "userVerified": false, "backupEligible": false, "backupState": false},
        "authenticator": {"AAGUID": base64(&[1; 16]), "signCount": 7, "cloneWarning": false},
    });
    let insert = format!(
        "INSERT INTO auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, web_authn_credential) \
         VALUES (gen_random_uuid(), '{ADA}', 'webauthn', 'verified', now(), now(), '{credential}')"
    );
    service.run(&insert).await;
    moved.report(&[]);
    key.counter = 7;
    let first = mfa(&service.sign_in_with("ada@example.org", PASSWORD).await);
    assert_eq!(first["methods"], json!(["webauthn"]));
    let ticket = json!({"ticket": text(&first, "ticket")});
    let options = service.options("/v1/signin/mfa/webauthn", ticket).await;
    let body = json!({"ticket": text(&first, "ticket"), "credential": key.get(&options)});
    session(&service.post("/v1/signin/mfa/webauthn/verify", body).await);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn second_import_changes_nothing() {
    let moved = Move::new_version().await;
    moved.add_key(&SoftwareKey::new()).await;
    let first = moved.report(&["--source-key", HASURA_KEY]);
    let tables = dump(&moved.service.database).await;
    let second = moved.report(&["--source-key", HASURA_KEY]);
    assert_eq!(dump(&moved.service.database).await, tables);
    assert_eq!(second["present"], first["taken"]);
    assert!(
        second["taken"]
            .as_object()
            .unwrap()
            .values()
            .all(|count| *count == 0),
        "{second}"
    );
    assert_eq!(second["leftOut"], first["leftOut"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn dry_run_changes_nothing() {
    let moved = Move::new_version().await;
    moved.add_key(&SoftwareKey::new()).await;
    let tables = dump(&moved.service.database).await;
    let mut dry = moved.report(&["--source-key", HASURA_KEY, "--dry-run"]);
    assert_eq!(dump(&moved.service.database).await, tables);
    assert_eq!(dry["isDryRun"].take(), true);
    let mut real = moved.report(&["--source-key", HASURA_KEY]);
    assert_eq!(real["isDryRun"].take(), false);
    assert_eq!(dry, real);
    assert_ne!(dump(&moved.service.database).await, tables);
}

#[tokio::test(flavor = "multi_thread")]
async fn sealed_secret_needs_its_key() {
    let moved = Move::new_version().await;
    let report = moved.report(&[]);
    assert_eq!(left_out(&report, "`--source-key` opens them"), [BOB]);
    let report = moved.report(&["--source-key", &"ab".repeat(32)]);
    assert_eq!(left_out(&report, "another key than `--source-key`"), [BOB]);
    // Without the app nothing is asked for after the password.
    session(
        &moved
            .service
            .sign_in_with("bob@example.org", PASSWORD)
            .await,
    );
    let keys = moved.folder.path().join("keys");
    std::fs::write(&keys, format!("{}\n{HASURA_KEY}\n", "ab".repeat(32))).unwrap();
    let report = moved.report(&["--source-key", &format!("@{}", keys.display())]);
    assert_eq!(report["taken"]["authenticatorApps"], 1, "{report}");
    sign_bob_in(&moved.service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_were_changed_in_postern_stay() {
    let moved = Move::old().await;
    let service = &moved.service;
    moved.report(&[]);
    // Mail goes to the address as the table has it.
    let ticket = service.reset("Ada@example.org").await;
    let new = "another password of hers";
    service
        .ok(
            "/v1/user/password",
            json!({"ticket": ticket, "newPassword": new}),
        )
        .await;
    service.notice("Ada@example.org").await;
    let config = moved.folder.path();
    let reset = accounts(config, &service.database, "reset-factor", &[BOB]);
    assert_eq!(reset.code, Some(0), "{}", reset.err);
    service.notice("bob@example.org").await;
    let tables = dump(&service.database).await;
    let report = moved.report(&[]);
    assert_eq!(
        left_out(&report, "changed a credential in Postern"),
        [ADA, BOB]
    );
    assert_eq!(dump(&service.database).await, tables);
    session(&service.sign_in_with("ada@example.org", new).await);
    session(&service.sign_in_with("bob@example.org", PASSWORD).await);
}

/// The account of a user who has made a passkey here keeps the handle that this one knows.
#[tokio::test(flavor = "multi_thread")]
async fn passkeys_of_both_servers_sign_in_beside_each_other() {
    let elevation = "elevation = \"disabled\"";
    let moved = Move::new("hasura-auth", &[OLD_TABLES, PEOPLE], elevation).await;
    let service = &moved.service;
    moved.report(&[]);
    // The account is as if a sign-up had made it.
    let random =
        format!("UPDATE postern.account SET handle = gen_random_uuid() WHERE user_id = '{CLEO}'");
    service.run(&random).await;
    let link = service.link("cleo@example.org").await;
    let location = service.click(&link).await;
    let refresh = parameter(&location, "refreshToken").unwrap();
    let access = text(&service.refresh(&refresh).await.json(), "accessToken");
    let mut here = SoftwareKey::new();
    service
        .add_key(&access, "cleo@example.org", &mut here)
        .await;
    let mut there = SoftwareKey::new();
    moved.add_key(&there).await;
    assert_eq!(moved.report(&[])["taken"]["securityKeys"], 1);
    session(&service.sign_in_by_key(&mut here).await);
    for handle in [CLEO.as_bytes().to_vec(), decode(CLEO)] {
        there.handle = Some(handle);
        session(&service.sign_in_by_key(&mut there).await);
        let with_address = json!({"email": "cleo@example.org"});
        let options = service.options("/v1/signin/webauthn", with_address).await;
        session(&service.verify_key(&there.get(&options)).await);
    }
    there.handle = Some(ADA.as_bytes().to_vec());
    assert_eq!(service.sign_in_by_key(&mut there).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn report_has_no_secret() {
    let moved = Move::new_version().await;
    moved.add_key(&SoftwareKey::new()).await;
    let secrets = [
        PASSWORD,
        SECRET,
        HASURA_KEY,
        TOKEN,
        "PbRg27JzZyjUNdM1wq",
        "aM15713r3Xsvxbi31lqr1Q",
        "Ada@example.org",
    ]
    .map(str::to_owned);
    for arguments in [vec![], vec!["--json"], vec!["--source-key", HASURA_KEY]] {
        let finished = moved.import(&arguments);
        assert_eq!(
            (finished.code, &*finished.err),
            (Some(1), ""),
            "{}",
            finished.out
        );
        assert_hidden("the report", &finished.out, &secrets);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn source_may_be_another_database() {
    let other = tests::create("accounts_source", &[OLD_TABLES, PEOPLE])
        .await
        .unwrap();
    // The gateway's own table has the same ids.
    let copy = "DELETE FROM auth.refresh_tokens; DELETE FROM auth.user_providers; \
                UPDATE auth.users SET password_hash = NULL, totp_secret = NULL, active_mfa_type = NULL;";
    let moved = Move::new("hasura-auth", &[OLD_TABLES, PEOPLE, copy], "").await;
    assert_eq!(moved.report(&[])["taken"]["passwords"], 0);
    let report = moved.report(&["--source-database-url", other.url()]);
    assert_eq!(report["taken"]["passwords"], 2, "{report}");
    session(
        &moved
            .service
            .sign_in_with("ada@example.org", PASSWORD)
            .await,
    );
    sign_bob_in(&moved.service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_people_take_a_few_statements() {
    let many = "INSERT INTO auth.users (email, email_verified, locale, password_hash)
        SELECT 'person-' || n || '@example.org', true, 'en', '$2a$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi'
        FROM generate_series(1, 12000) n;";
    let moved = Move::new("hasura-auth", &[OLD_TABLES, PEOPLE, many], "").await;
    let report = moved.report(&[]);
    assert_eq!(
        (
            &report["taken"]["passwords"],
            &report["taken"]["verifiedAddresses"]
        ),
        (&json!(12_002), &json!(12_003)),
        "{report}"
    );
    session(
        &moved
            .service
            .sign_in_with("person-12000@example.org", PASSWORD)
            .await,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn command_says_what_it_lacks() {
    let moved = Move::gotrue().await;
    let refused = |arguments: &[&str], message: &str| {
        let config = moved.folder.path();
        let finished = accounts(config, &moved.service.database, "import", arguments);
        assert_eq!((finished.code, &*finished.out), (Some(1), ""), "{message}");
        assert!(
            finished.err.contains(message),
            "{message}: {}",
            finished.err
        );
    };
    refused(
        &["--from", "hasura-auth"],
        "the table `auth.users` of the source has no column `password_hash`: it is not one of hasura-auth",
    );
    let empty = tests::create("accounts_empty", &[]).await.unwrap();
    refused(
        &["--from", "gotrue", "--source-database-url", empty.url()],
        "the source has no table `auth.users` that its role may read",
    );
    let file = moved.folder.path().join("gateway.toml");
    std::fs::write(&file, "").unwrap();
    refused(&["--from", "gotrue"], "the settings have no `[accounts]`");
    let finished = accounts(
        moved.folder.path(),
        &moved.service.database,
        "import",
        &["--from", "keycloak"],
    );
    assert_eq!(finished.code, Some(2), "{}", finished.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_shows_a_report_as_it_is() {
    let moved = Move::new_version().await;
    moved.add_key(&SoftwareKey::new()).await;
    let finished = moved.import(&["--source-key", HASURA_KEY, "--dry-run"]);
    let page = read("docs/accounts-import.md");
    let (_, rest) = page.split_once("<!-- report -->\n```text\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    assert_eq!(shown, finished.out);
}
