//! Mails: their texts and templates, what strangers can write into them, and deliveries that fail.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use tests::service::send;

use super::mailbox::Mail;
use super::page::{SERVER_URL, parameter};
use super::service::{
    CLIENT_URL, PASSWORD, Service, assert_invalid_ticket, assert_refused, builder, settings, text,
};
use crate::events::deliveries::verify;
use crate::events::receiver::{Answer, Receiver};

const ADA: &str = "ada@example.org";
const NEW: &str = "new@example.org";

/// One mail of each kind to a person, in the order of the kinds' names. The last ones change the
/// person's password and address, and turn on a second factor.
async fn all_kinds(service: &Service, locale: &str) -> Vec<(&'static str, Mail)> {
    let mailbox = &service.mailbox;
    let reply = service
        .sign_up_with(ADA, PASSWORD, json!({"locale": locale}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let verify = mailbox.next(ADA).await;
    service.click(&verify.link()).await;
    service.sign_up(ADA).await;
    let exists = mailbox.next(ADA).await;
    service
        .ok("/v1/signin/passwordless/email", json!({"email": ADA}))
        .await;
    let link = mailbox.next(ADA).await;
    service
        .ok("/v1/signin/otp/email", json!({"email": ADA}))
        .await;
    let code = mailbox.next(ADA).await;
    service
        .ok("/v1/user/password/reset", json!({"email": ADA}))
        .await;
    let reset = mailbox.next(ADA).await;
    let ticket = parameter(&service.click(&reset.link()).await, "ticket").unwrap();
    service
        .ok(
            "/v1/user/password",
            json!({"ticket": ticket, "newPassword": PASSWORD}),
        )
        .await;
    let password = mailbox.next(ADA).await;
    let token = text(&service.session(ADA).await, "accessToken");
    service
        .post_as(&token, "/v1/user/email/change", json!({"newEmail": NEW}))
        .await;
    let change = mailbox.next(NEW).await;
    service.click(&change.link()).await;
    let changed = mailbox.next(ADA).await;
    let token = text(&service.session(NEW).await, "accessToken");
    service.post_nothing(&token, "/v1/elevate/otp/email").await;
    let elevate = mailbox.next(NEW).await;
    let app = service.generate(&token).await;
    let body = json!({"activeMfaType": "totp", "code": app.code()});
    service.ok_as(&token, "/v1/user/mfa", body).await;
    let factor = mailbox.next(NEW).await;
    vec![
        ("account-exists", exists),
        ("elevate", elevate),
        ("email-changed", changed),
        ("email-confirm-change", change),
        ("email-verify", verify),
        ("factor-changed", factor),
        ("password-changed", password),
        ("password-reset", reset),
        ("signin-otp", code),
        ("signin-passwordless", link),
    ]
}

fn header<'m>(mail: &'m Mail, name: &str) -> Vec<&'m str> {
    let lines = mail.headers.iter().filter_map(|line| line.split_once(':'));
    let found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim()).collect()
}

#[tokio::test]
async fn every_mail_has_two_parts_in_the_readers_language() {
    let mut subjects = BTreeSet::new();
    for locale in ["en", "de", "nl"] {
        let service = Service::start().await;
        for (name, mail) in all_kinds(&service, locale).await {
            assert!(
                subjects.insert(mail.subject.clone()),
                "{locale} {name}: {}",
                mail.subject
            );
            for part in [&mail.subject, &mail.text, mail.html()] {
                assert!(
                    part.contains("app.example.com") && !part.contains("${"),
                    "{name}: {part}"
                );
            }
            assert_eq!(mail.from, "no-reply@example.com");
            assert_eq!(header(&mail, "from"), ["Example <no-reply@example.com>"]);
            for wanted in ["to", "date", "message-id", "subject", "mime-version"] {
                assert_eq!(header(&mail, wanted).len(), 1, "{name}: {wanted}");
            }
            // Programs that are away do not answer.
            assert_eq!(
                header(&mail, "auto-submitted"),
                ["auto-generated"],
                "{name}"
            );
            let tells = [
                "account-exists",
                "elevate",
                "email-changed",
                "factor-changed",
                "password-changed",
                "signin-otp",
            ]
            .contains(&name);
            assert_eq!(mail.has_no_link(), tells, "{name}: {}", mail.text);
        }
    }
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The setting with a folder of templates.
fn templates(folder: &Path) -> String {
    format!("accounts.mail.templates = {folder:?}")
}

#[tokio::test]
async fn names_are_no_markup_or_header() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["email-verify", "password-reset"] {
        write(
            folder.path(),
            &format!("en/{name}/subject.txt"),
            "Hello\r\nBcc: eve@example.org\n",
        );
        let html = "<a title=\"${displayName}\" href=\"${link}\">${displayName}</a>";
        write(folder.path(), &format!("en/{name}/body.html"), html);
        write(
            folder.path(),
            &format!("en/{name}/body.txt"),
            "Dear ${displayName},\n${link}\n",
        );
    }
    let service = Service::with(&templates(folder.path())).await;
    let has_no_header = |mail: &Mail| {
        assert_eq!(mail.to, [ADA]);
        assert_eq!(
            (
                header(mail, "bcc").len(),
                header(mail, "to"),
                header(mail, "subject").len()
            ),
            (0, vec![ADA], 1)
        );
        mail.link();
    };
    for name in [
        "a\r\nBcc: eve@example.org",
        "a\nb",
        "a\u{0}b",
        "a\u{85}b",
        &"x".repeat(33),
    ] {
        let reply = service
            .sign_up_with(ADA, PASSWORD, json!({"displayName": name}))
            .await;
        assert_refused(&reply, 400, "invalid-request");
    }
    let name = "<img src=x onerror=alert(1)>\"'&";
    assert_eq!(
        service
            .sign_up_with(ADA, PASSWORD, json!({"displayName": name}))
            .await
            .status,
        200
    );
    let mail = service.mailbox.next(ADA).await;
    has_no_header(&mail);
    let escaped = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;";
    assert!(
        mail.html().starts_with(&format!("<a title=\"{escaped}\"")),
        "{}",
        mail.html()
    );
    assert!(
        mail.text.starts_with(&format!("Dear {name},")),
        "{}",
        mail.text
    );
    // Names that the owner's table has from elsewhere.
    for (name, shown) in [
        (
            "x\r\nBcc: eve@example.org\r\n\r\nhello",
            "x Bcc: eve@example.org  hello",
        ),
        ("${link} ${ticket}", "${link} ${ticket}"),
        (
            "a name that is too long to be one, and says something else",
            "a name that is too long to be on",
        ),
    ] {
        let update = "UPDATE people SET display_name = $1";
        service
            .database
            .connect()
            .await
            .unwrap()
            .execute(update, &[&name])
            .await
            .unwrap();
        service
            .ok("/v1/user/password/reset", json!({"email": ADA}))
            .await;
        let mail = service.mailbox.next(ADA).await;
        has_no_header(&mail);
        assert!(
            mail.text.starts_with(&format!("Dear {shown},\n")),
            "{}",
            mail.text
        );
    }
    // A subject, which is read first, has nothing that a stranger chooses.
    write(
        folder.path(),
        "en/password-reset/subject.txt",
        "For ${displayName}",
    );
    let file = settings(&service.mailbox.url(), &templates(folder.path()));
    let error = builder(&file).try_start().await.err().unwrap().to_string();
    assert!(
        error.contains("password-reset/subject.txt") && error.contains("${displayName}"),
        "{error}"
    );
}

/// The folders, the names and the variables are those of hasura-auth, whose templates have no
/// `body.txt`.
#[tokio::test]
async fn templates_of_hasura_auth_render_en_de_fallback() {
    let folder = tempfile::tempdir().unwrap();
    let all =
        "${displayName}|${email}|${newEmail}|${locale}|${serverUrl}|${clientUrl}|${redirectTo}|";
    for (locale, hello) in [("en", "Hello"), ("de", "Hallo")] {
        write(
            folder.path(),
            &format!("{locale}/email-verify/subject.txt"),
            &format!("{hello} at ${{clientUrl}}\n"),
        );
        let html = format!(
            "<html lang=\"{locale}\"><h1>{hello} {all}</h1><a href=\"${{link}}\">${{ticket}}</a></html>"
        );
        write(
            folder.path(),
            &format!("{locale}/email-verify/body.html"),
            &html,
        );
    }
    write(
        folder.path(),
        "en/email-confirm-change/subject.txt",
        "Change",
    );
    write(
        folder.path(),
        "en/email-confirm-change/body.html",
        "<i>${newEmail} ${email}</i><a href=\"${link}\">go</a>",
    );
    for locale in ["en", "de"] {
        write(
            folder.path(),
            &format!("{locale}/signin-otp/subject.txt"),
            "Your code ${code}",
        );
    }
    write(
        folder.path(),
        "en/signin-otp/body.html",
        "<p>Use the following OTP: <b>${ticket}</b></p>",
    );
    write(
        folder.path(),
        "de/signin-otp/body.html",
        "<p>Der Code: <b>${code}</b></p>",
    );
    // Folders that are no templates of Postern's are left alone.
    write(
        folder.path(),
        "en/signin-passwordless-sms/body.txt",
        "${code}",
    );
    let changes = format!(
        "{}\naccounts.locales = [\"en\", \"de\", \"fr\"]",
        templates(folder.path())
    );
    let service = Service::with(&changes).await;

    for (locale, hello, used) in [
        ("en", "Hello", "en"),
        ("de", "Hallo", "de"),
        ("fr", "Hello", "en"),
    ] {
        let email = format!("{locale}@example.org");
        let redirect = "https://app.example.com/in/?a=1&b=2";
        let options = json!({"displayName": "A & B", "locale": locale, "redirectTo": redirect});
        assert_eq!(
            service.sign_up_with(&email, PASSWORD, options).await.status,
            200
        );
        let mail = service.mailbox.next(&email).await;
        assert_eq!(mail.subject, format!("{hello} at {CLIENT_URL}"));
        let rest =
            format!("{email}||{used}|{SERVER_URL}|{CLIENT_URL}|https://app.example.com/in/?a=1");
        let html = format!("<html lang=\"{used}\"><h1>{hello} A &amp; B|{rest}&amp;b=2|</h1>");
        assert!(mail.html().starts_with(&html), "{}", mail.html());
        // The part that the folder lacks is made of the other one.
        assert!(
            mail.text
                .starts_with(&format!("{hello} A & B|{rest}&b=2|\n")),
            "{}",
            mail.text
        );
        let link = mail.link();
        let ticket = parameter(&link, "ticket").unwrap();
        assert!(
            mail.html().contains(&format!(">{ticket}</a>")),
            "{}",
            mail.html()
        );
        service.click(&link).await;
    }
    for (locale, text) in [("en", "Use the following OTP"), ("de", "Der Code")] {
        let email = format!("{locale}@example.org");
        service
            .ok("/v1/signin/otp/email", json!({"email": email}))
            .await;
        let mail = service.mailbox.next(&email).await;
        let code = mail.code();
        assert_eq!(mail.subject, format!("Your code {code}"));
        assert_eq!(mail.html().trim(), format!("<p>{text}: <b>{code}</b></p>"));
        assert_eq!(service.enter(&email, &code).await.status, 200);
    }
    let token = text(&service.session("en@example.org").await, "accessToken");
    service
        .post_as(&token, "/v1/user/email/change", json!({"newEmail": NEW}))
        .await;
    let mail = service.mailbox.next(NEW).await;
    assert!(
        mail.html()
            .starts_with("<i>new@example.org en@example.org</i>"),
        "{}",
        mail.html()
    );
    mail.link();
    // What the folder lacks altogether is built in.
    service
        .ok(
            "/v1/user/password/reset",
            json!({"email": "de@example.org"}),
        )
        .await;
    let mail = service.mailbox.next("de@example.org").await;
    assert!(mail.text.contains("Passwort"), "{}", mail.text);
    mail.link();
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_survives_restart_and_451() {
    let mut service = Service::start().await;
    service.mailbox.respond(451, ADA).await;
    service.sign_up(ADA).await;
    tests::wait::until("the server refuses the mail", async || {
        service.mailbox.refused(ADA) > 0
    })
    .await;
    service
        .database
        .until("EXISTS (SELECT FROM postern.event_invocation)")
        .await;
    let first = service
        .value("SELECT string_agg(id::text, ' ') FROM postern.ticket WHERE used_at IS NULL")
        .await;
    let mut service = service.restarted().await;
    service.mailbox.respond(250, ADA).await;
    service
        .run("UPDATE postern.event_queue SET due_at = now() WHERE state = 'pending'")
        .await;
    let mail = service.mailbox.next(ADA).await;
    // The mail that was refused had a ticket of its own, which is of no use any more.
    let holding = "SELECT string_agg(id::text, ' ') FROM postern.ticket WHERE used_at IS NULL";
    assert_ne!(service.value(holding).await, first);
    assert!(parameter(&service.click(&mail.link()).await, "refreshToken").is_some());
    service.session(ADA).await;
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 1);
}

#[tokio::test]
async fn refused_address_is_not_tried_again() {
    let mut service = Service::start().await;
    service.mailbox.respond(550, ADA).await;
    service.sign_up(ADA).await;
    service.until_mailed().await;
    assert_eq!(
        service
            .value("SELECT string_agg(state, ' ') FROM postern.event_queue")
            .await,
        "dead"
    );
    assert_eq!(service.mailbox.refused(ADA), 1);
    // Mails to others are not held up.
    service.verified("bob@example.org").await;
}

#[tokio::test]
async fn person_who_has_gone_since_gets_no_mail() {
    let mut service = Service::start().await;
    service.verified(ADA).await;
    service.mailbox.respond(451, ADA).await;
    service
        .ok("/v1/user/password/reset", json!({"email": ADA}))
        .await;
    tests::wait::until("the server refuses the mail", async || {
        service.mailbox.refused(ADA) > 0
    })
    .await;
    service
        .database
        .until("EXISTS (SELECT FROM postern.event_invocation WHERE outcome = 'retry')")
        .await;
    service.run("DELETE FROM people").await;
    service.mailbox.respond(250, ADA).await;
    service
        .run("UPDATE postern.event_queue SET due_at = now() WHERE state = 'pending'")
        .await;
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn web_service_gets_signed_mails() {
    let receiver = Receiver::start(vec![Answer::status(503), Answer::status(200)]).await;
    let secret = "whsec_bWFpbHMgYXJlIHNpZ25lZCBieSB0aGlzIGtleQ==";
    let changes = format!(
        "accounts.mail.smtp = \"\"\naccounts.mail.url = {:?}\naccounts.mail.secret = {secret:?}",
        receiver.url
    );
    let service = Service::with(&changes).await;
    service.sign_up(ADA).await;
    receiver.wait(1).await;
    service
        .database
        .until("EXISTS (SELECT FROM postern.event_invocation WHERE outcome = 'retry')")
        .await;
    service
        .run("UPDATE postern.event_queue SET due_at = now() WHERE state = 'pending'")
        .await;
    let received = receiver.wait(2).await;
    let signed: Vec<Value> = received
        .iter()
        .map(|request| json!({"secret": secret, "headers": request.headers, "body": request.text}))
        .collect();
    assert_eq!(verify(&json!(signed)).await, json!([true, true]));
    // The mail of each attempt has a link of its own, and the same id.
    let links = received
        .iter()
        .map(|request| text(&request.body["variables"], "link"));
    let links: Vec<String> = links.collect();
    assert_ne!(links[0], links[1]);
    assert_eq!(
        received[0].headers["webhook-id"],
        received[1].headers["webhook-id"]
    );
    let mail = &received[1].body;
    assert_eq!(
        json!([mail["template"], mail["to"], mail["locale"]]),
        json!(["email-verify", ADA, "en"])
    );
    assert!(
        text(mail, "text").contains(&links[1]) && text(mail, "subject").contains("app.example.com"),
        "{mail}"
    );
    assert_invalid_ticket(&service.click(&links[0]).await);
    assert!(parameter(&service.click(&links[1]).await, "refreshToken").is_some());
}

#[tokio::test]
async fn function_gets_mails() {
    let function = "CREATE TABLE sent (mail json);
        CREATE FUNCTION send_mail(mail json) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF mail ->> 'to' LIKE 'refused@%' THEN RAISE EXCEPTION 'the mail to %', mail ->> 'to'; END IF;
          INSERT INTO sent VALUES (mail);
        END $$;";
    let file = settings("", "accounts.mail.function = \"send_mail\"");
    let service = builder(&file).script(function).start().await;
    let post = |email: &str| {
        let body = json!({"email": email});
        service
            .request(reqwest::Method::POST, "/v1/signin/otp/email")
            .json(&body)
    };
    send(post(ADA)).await;
    service.database.until("EXISTS (SELECT FROM sent)").await;
    let mail: Value = serde_json::from_str(&service.value("SELECT mail FROM sent").await).unwrap();
    let code = text(&mail["variables"], "code");
    assert!(text(&mail, "html").contains(&code), "{mail}");
    let body = json!({"email": ADA, "otp": code});
    let reply = send(
        service
            .request(reqwest::Method::POST, "/v1/signin/otp/email/verify")
            .json(&body),
    )
    .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    // A failure is tried again, and its record repeats nothing of the mail.
    send(post("refused@example.org")).await;
    service
        .database
        .until("EXISTS (SELECT FROM postern.event_invocation WHERE outcome = 'retry')")
        .await;
    let record = "SELECT concat_ws(' ', error, response) FROM postern.event_invocation WHERE outcome = 'retry' LIMIT 1";
    let record = service.value(record).await;
    assert!(
        record.contains("P0001") && !record.contains("refused@"),
        "{record}"
    );
}
