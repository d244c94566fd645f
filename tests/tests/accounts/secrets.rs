//! Secrets of people and of the settings are in no log, in no queue, and in tables as digests
//! alone.

use serde_json::json;
use tests::certificates::{Authority, Wanted};
use tests::reply::Reply;

use super::authenticator_app::AuthenticatorApp;
use super::factors::mfa;
use super::logged_gateway::{LoggedGateway, SIGNING_KEY, assert_hidden, dump, encodings};
use super::mailbox::Mailbox;
use super::page::parameter;
use super::service::{KEY, migrated, session, settings, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const PASSWORD: &str = "s3cret-password-5711";
const NEW_PASSWORD: &str = "s3cret-new-password-5712";
const GUESS: &str = "s3cret-guess-5713";
const SMTP_PASSWORD: &str = "s3cret-of-the-mail-server-5714";

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority").unwrap();
    let pair = authority
        .sign(
            "mail",
            Wanted {
                names: &["localhost"],
                ..Wanted::default()
            },
        )
        .unwrap();
    let files = [&pair.certificate, &pair.key].map(|file| file.to_str().unwrap());
    let mailbox = Mailbox::with(&[files[0], files[1], SMTP_PASSWORD]).await;
    let database = migrated().await;
    let mail_url = format!(
        "smtps://postern:{SMTP_PASSWORD}@localhost:{}",
        mailbox.port()
    );
    let gateway = LoggedGateway::start(
        folder.path(),
        database.url(),
        &settings(&mail_url, ""),
        Some(authority.file()),
    )
    .await;
    let client = &gateway.client;
    let url = &gateway.url;
    let post = async |path: &str, token, body| gateway.post(path, token, body).await;
    let click = async |link: String| gateway.click(&link).await;
    let mut secrets: Vec<String> = [
        PASSWORD,
        NEW_PASSWORD,
        GUESS,
        SMTP_PASSWORD,
        SIGNING_KEY,
        KEY,
    ]
    .map(str::to_owned)
    .into();

    // Everything that people do, and everything that they may do wrong.
    let sign_up = json!({"email": ADA, "password": PASSWORD, "options": {"displayName": "Ada"}});
    post("/v1/signup/email-password", None, sign_up.clone()).await;
    let verify = mailbox.next(ADA).await.link();
    let signed_in = json!({"email": ADA, "password": PASSWORD});
    post("/v1/signin/email-password", None, signed_in.clone()).await;
    let handover = parameter(&click(verify.clone()).await, "refreshToken").unwrap();
    post("/v1/signup/email-password", None, sign_up).await;
    mailbox.next(ADA).await;
    for (email, password) in [(ADA, GUESS), (GUESS, GUESS), ("unknown@example.org", GUESS)] {
        post(
            "/v1/signin/email-password",
            None,
            json!({"email": email, "password": password}),
        )
        .await;
    }
    let first = session(&post("/v1/signin/email-password", None, signed_in).await);
    let next = post("/v1/token", None, json!({"refreshToken": handover}))
        .await
        .json();
    post("/v1/signin/passwordless/email", None, json!({"email": ADA})).await;
    let link = mailbox.next(ADA).await.link();
    let handed = parameter(&click(link.clone()).await, "refreshToken").unwrap();
    click(link.clone()).await;
    post("/v1/signin/otp/email", None, json!({"email": ADA})).await;
    let code = mailbox.next(ADA).await.code();
    let other = format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000);
    for otp in [&other, &code, &code] {
        post(
            "/v1/signin/otp/email/verify",
            None,
            json!({"email": ADA, "otp": otp}),
        )
        .await;
    }
    let access = text(&first, "accessToken");
    post(
        "/v1/user/email/change",
        Some(&access),
        json!({"newEmail": "new@example.org"}),
    )
    .await;
    let change = mailbox.next("new@example.org").await.link();
    post("/v1/user/password/reset", None, json!({"email": ADA})).await;
    let reset = mailbox.next(ADA).await.link();
    let ticket = parameter(&click(reset).await, "ticket").unwrap();
    for (ticket, password) in [
        (&ticket, "short"),
        (&format!("passwordReset:{GUESS}"), NEW_PASSWORD),
    ] {
        post(
            "/v1/user/password",
            None,
            json!({"ticket": ticket, "newPassword": password}),
        )
        .await;
    }
    let changed = post(
        "/v1/user/password",
        None,
        json!({"ticket": ticket, "newPassword": NEW_PASSWORD}),
    )
    .await;
    assert_eq!(changed.json(), "OK", "{}", changed.text);
    mailbox.next(ADA).await;

    // Second factors and keys.
    let sql = database.connect().await.unwrap();
    let signed_in = json!({"email": ADA, "password": NEW_PASSWORD});
    let password = "/v1/signin/email-password";
    let second = session(&post(password, None, signed_in.clone()).await);
    let access_of_second = text(&second, "accessToken");
    post("/v1/elevate/otp/email", Some(&access_of_second), json!({})).await;
    let mailed = mailbox.next(ADA).await.code();
    let generate = client.get(format!("{url}/v1/mfa/totp/generate"));
    let generated = Reply::of(generate.bearer_auth(&access_of_second))
        .await
        .unwrap();
    let app = AuthenticatorApp::new(&text(&generated.json(), "totpSecret"));
    let mut typed = vec![mailed, app.code()];
    let on = json!({"activeMfaType": "totp", "code": app.code()});
    let on = post("/v1/user/mfa", Some(&access_of_second), on).await;
    assert_eq!(on.json(), "OK", "{}", on.text);
    mailbox.next(ADA).await;
    sql.batch_execute("UPDATE postern.totp SET last_step = 0")
        .await
        .unwrap();
    let elevate = json!({"otp": app.code()});
    let elevated = post("/v1/elevate/totp", Some(&access_of_second), elevate).await;
    let elevated = session(&elevated);
    let elevated_access = text(&elevated, "accessToken");
    let codes = post(
        "/v1/user/mfa/recovery-codes",
        Some(&elevated_access),
        json!({}),
    )
    .await;
    let codes: Vec<String> = serde_json::from_value(codes.json()["recoveryCodes"].clone()).unwrap();
    let mfa_ticket = text(&mfa(&post(password, None, signed_in).await), "ticket");
    let wrong = app.wrong_code();
    for otp in [GUESS, &wrong, &codes[0]] {
        let body = json!({"ticket": mfa_ticket, "otp": otp});
        post("/v1/signin/mfa/totp", None, body).await;
    }
    typed.push(app.code());
    let add = post("/v1/user/webauthn/add", Some(&elevated_access), json!({})).await;
    let mut key = SoftwareKey::new();
    let body = json!({"credential": key.create(&add.json()), "nickname": "a key"});
    let added = post("/v1/user/webauthn/verify", Some(&elevated_access), body).await;
    assert_eq!(added.status, 200, "{}", added.text);
    mailbox.next(ADA).await;
    let options = post("/v1/signin/webauthn", None, json!({"email": ADA})).await;
    let credential = key.get(&options.json());
    let signature = text(&credential["response"], "signature");
    for _ in 0..2 {
        let body = json!({"credential": credential});
        post("/v1/signin/webauthn/verify", None, body).await;
    }
    secrets.push(signature);
    secrets.push(app.secret.clone());
    for code in &codes {
        secrets.extend([code.clone(), code.replace('-', "")]);
    }
    secrets.push(mfa_ticket.split_once(':').unwrap().1.to_owned());
    secrets.push(text(&elevated, "refreshToken"));
    secrets.push(elevated_access.rsplit_once('.').unwrap().1.to_owned());

    let tickets = [&verify, &link, &change].map(|link| parameter(link, "ticket").unwrap());
    for ticket in tickets.iter().chain([&ticket]) {
        secrets.push(ticket.split_once(':').unwrap().1.to_owned());
    }
    for (session, name) in [(&first, "refreshToken"), (&next, "refreshToken")] {
        secrets.push(text(session, name));
    }
    secrets.extend([handover, handed]);
    secrets.push(access.rsplit_once('.').unwrap().1.to_owned());

    database
        .until("NOT EXISTS (SELECT FROM postern.event_queue WHERE state = 'pending')")
        .await;
    let tables = dump(&database).await;
    let log = gateway.log();
    for (place, found) in [("the log", &log), ("a table", &tables)] {
        // That it is searched at all.
        assert!(found.contains("sign-in"), "{place}");
        assert_hidden(place, found, &secrets);
        for form in encodings(&app.bytes()) {
            assert!(!found.contains(&form), "{place} has `{form}`");
        }
    }
    assert!(tables.contains(ADA), "the queue has the address");
    assert!(
        !log.contains(ADA) && !log.contains("new@example.org"),
        "the log has an address"
    );

    // A code is too short for a digest without a key, and is nowhere in clear.
    let digest = "SELECT count(*) FROM postern.ticket WHERE purpose = 'code' AND digest = sha256($1::text::bytea)";
    assert_eq!(
        sql.query_one(digest, &[&code])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
    let clear = "SELECT json_build_array((SELECT json_agg(payload) FROM postern.event_queue), \
        (SELECT json_agg(concat_ws(' ', error, response)) FROM postern.event_invocation), \
        (SELECT json_agg(concat_ws(' ', reason, user_id, method)) FROM postern.authentication_event))::text";
    let clear: String = sql.query_one(clear, &[]).await.unwrap().get(0);
    typed.push(code);
    for code in typed {
        let mut words = clear.split(|letter: char| !letter.is_alphanumeric());
        assert!(words.all(|word| word != code), "{code} in {clear}");
    }
}
