//! Signing up: what clients may choose, what addresses that exist get, and what failures leave.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::service::send;

use super::page::parameter;
use super::service::{PASSWORD, Service, assert_refused, session, text};

const ADA: &str = "ada@example.org";

/// The tables that a sign-up may write to, as one text.
const WRITTEN: &str = "SELECT json_build_array((SELECT json_agg(p) FROM people p), \
    (SELECT json_agg(a) FROM postern.account a), (SELECT json_agg(p) FROM postern.password p), \
    (SELECT json_agg(t) FROM postern.ticket t), (SELECT json_agg(q) FROM postern.event_queue q), \
    (SELECT json_agg(s) FROM postern.session s), (SELECT json_agg(v) FROM postern.verified_email v))";

/// What [`WRITTEN`] is while nothing was written.
const NOTHING: &str = "[null, null, null, null, null, null, null]";

#[tokio::test]
async fn sign_up_link_and_password_open_sessions() {
    let service = Service::start().await;
    let options = json!({"displayName": "Ada", "locale": "de", "metadata": {"team": 7}});
    let reply = service.sign_up_with(ADA, PASSWORD, options).await;
    assert_eq!(reply.json(), json!({"session": null}), "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    let row = "SELECT json_build_array(email, display_name, locale, metadata, method) FROM people";
    let expected = json!([ADA, "Ada", "de", {"team": 7}, "password"]);
    let stored: Value = serde_json::from_str(&service.value(row).await).unwrap();
    assert_eq!(stored, expected);

    // Nobody knows yet whose address it is.
    let reply = service.sign_in_with(ADA, PASSWORD).await;
    assert_refused(&reply, 401, "unverified-user");

    let location = service.click(&service.mailbox.next(ADA).await.link()).await;
    assert!(
        location.starts_with("https://app.example.com/?"),
        "{location}"
    );
    assert_eq!(parameter(&location, "type").as_deref(), Some("emailVerify"));
    let reply = service.sign_in_with(ADA, PASSWORD).await;
    assert_eq!(reply.json()["mfa"], Value::Null);
    let session = session(&reply);
    for name in ["accessTokenExpiresIn", "refreshToken", "refreshTokenId"] {
        assert!(!session[name].is_null(), "{session}");
    }
    let user = service
        .get("/v1/user")
        .bearer_auth(text(&session, "accessToken"));
    let user = send(user).await.json();
    assert_eq!(user, session["user"]);
    let expected = json!([ADA, "Ada", "de", true, "me", ["me", "reader"]]);
    let names = [
        "email",
        "displayName",
        "locale",
        "emailVerified",
        "defaultRole",
        "roles",
    ];
    assert_eq!(json!(names.map(|name| user[name].clone())), expected);
    // The case of an address does not matter.
    assert_eq!(
        service
            .sign_in_with("ADA@Example.ORG", PASSWORD)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn known_and_unknown_address_have_one_answer() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.sign_up("unverified@example.org").await;
    service.verified("blocked@example.org").await;
    service
        .run("UPDATE people SET is_blocked = true WHERE email = 'blocked@example.org'")
        .await;
    let requests = [
        (
            "/v1/signup/email-password",
            json!({"password": "another password"}),
        ),
        (
            "/v1/signin/email-password",
            json!({"password": "a wrong password"}),
        ),
        ("/v1/signin/email-password", json!({"password": ""})),
        ("/v1/signin/passwordless/email", json!({})),
        ("/v1/signin/otp/email", json!({})),
        ("/v1/signin/otp/email/verify", json!({"otp": "000000"})),
        ("/v1/user/email/send-verification-email", json!({})),
        ("/v1/user/password/reset", json!({})),
    ];
    for (number, (path, body)) in requests.into_iter().enumerate() {
        let mut responses = BTreeSet::new();
        let unknown = format!("unknown-{number}@example.org");
        for email in [
            ADA,
            "unverified@example.org",
            "blocked@example.org",
            &unknown,
        ] {
            let count = "SELECT count(*) FROM postern.event_queue";
            let before: u32 = service.value(count).await.parse().unwrap();
            let mut body = body.clone();
            body["email"] = email.into();
            let reply = service.post(path, body).await;
            let queued = service.value(count).await.parse::<u32>().unwrap() - before;
            let headers: BTreeSet<&str> = reply
                .headers
                .keys()
                .map(reqwest::header::HeaderName::as_str)
                .collect();
            // The number of mails is the work that the request does.
            responses.insert(format!(
                "{} {} {headers:?} {queued}",
                reply.status, reply.text
            ));
        }
        assert_eq!(responses.len(), 1, "{path}: {responses:#?}");
    }
}

#[tokio::test]
async fn known_address_gets_a_mail() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let before = service.value("SELECT hash FROM postern.password").await;
    let reply = service
        .sign_up_with(
            "Ada@example.org",
            "another password",
            json!({"displayName": "Eve"}),
        )
        .await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!({"session": null}))
    );
    // To the address as its owner wrote it.
    let mail = service.mailbox.next(ADA).await;
    assert!(mail.has_no_link() && !mail.text.contains("Eve"), "{mail:?}");
    assert_eq!(service.purposes().await, "verify account-exists");
    assert_eq!(service.value("SELECT count(*) FROM people").await, "1");
    assert_eq!(
        service.value("SELECT hash FROM postern.password").await,
        before
    );
    assert_refused(
        &service.sign_in_with(ADA, "another password").await,
        401,
        "invalid-email-password",
    );
}

/// Who signs up with the address of somebody else, and waits until they prove it, gets nothing.
#[tokio::test]
async fn password_from_before_the_proof_ends_when_another_way_proves_the_address() {
    let service = Service::start().await;
    service.sign_up(ADA).await;
    let stranger = service.mailbox.next(ADA).await.link();
    service.click(&service.link(ADA).await).await;
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "invalid-email-password",
    );
    assert_eq!(
        service.value("SELECT count(*) FROM postern.password").await,
        "0"
    );
    // The link of the sign-up does not bring it back.
    service.click(&stranger).await;
    assert_refused(
        &service.sign_in_with(ADA, PASSWORD).await,
        401,
        "invalid-email-password",
    );
    // A password that was proved stays when other ways follow.
    service.verified("bob@example.org").await;
    service.click(&service.link("bob@example.org").await).await;
    service.session("bob@example.org").await;
}

#[tokio::test]
async fn client_chooses_no_role() {
    let service = Service::with("accounts.roles = [\"me\", \"reader\"]").await;
    let refused = [
        (json!({"allowedRoles": ["admin"]}), "role-not-allowed"),
        (json!({"allowedRoles": ["me", "admin"]}), "role-not-allowed"),
        (json!({"defaultRole": "admin"}), "role-not-allowed"),
        (
            json!({"defaultRole": "me", "allowedRoles": ["reader"]}),
            "default-role-must-be-in-allowed-roles",
        ),
        (json!({"allowedRoles": "me"}), "invalid-request"),
    ];
    for (options, code) in refused {
        for path in [
            "/v1/signup/email-password",
            "/v1/signin/passwordless/email",
            "/v1/signin/otp/email",
        ] {
            let body = json!({"email": ADA, "password": PASSWORD, "options": options});
            assert_refused(&service.post(path, body).await, 400, code);
        }
    }
    assert_eq!(service.value(WRITTEN).await, NOTHING);
    let claims =
        json!({"role": "admin", "x-gateway-default-role": "admin", "allowed_roles": ["admin"]});
    let body = json!({"email": ADA, "password": PASSWORD, "roles": ["admin"], "default_role": "admin",
        "options": {"allowedRoles": ["me"], "defaultRole": "me", "metadata": claims, "roles": ["admin"]}});
    let reply = service.post("/v1/signup/email-password", body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    service.click(&service.mailbox.next(ADA).await.link()).await;
    let session = service.session(ADA).await;
    let roles = json!([session["user"]["defaultRole"], session["user"]["roles"]]);
    assert_eq!(roles, json!(["me", ["me", "reader"]]));
    let token = text(&session, "accessToken");
    let claims: Value = jsonwebtoken::dangerous::insecure_decode_claims(&token).unwrap();
    assert_eq!(
        claims["gateway"]["x-gateway-allowed-roles"],
        json!(["me", "reader"])
    );
}

#[tokio::test]
async fn failing_create_leaves_nothing() {
    let only = "INSERT INTO people (email, display_name, method) SELECT $1, $2, $5 \
                WHERE $1 LIKE '%@example.org' RETURNING id";
    let service = Service::with(&format!("accounts.create = {only:?}")).await;
    // The owner's statement returns no row: not on the list.
    let reply = service
        .sign_up_with("eve@elsewhere.example", PASSWORD, json!({}))
        .await;
    assert_refused(&reply, 403, "signup-disabled");
    // A constraint of the owner's.
    let reply = service
        .sign_up_with(ADA, PASSWORD, json!({"displayName": "refused"}))
        .await;
    assert!(
        reply.status >= 400 && reply.json()["error"].is_string(),
        "{} {}",
        reply.status,
        reply.text
    );
    assert!(!reply.text.contains("refused_name"), "{}", reply.text);
    assert_eq!(service.value(WRITTEN).await, NOTHING);
    // Who is refused by a link or a code gets no mail either.
    for path in ["/v1/signin/passwordless/email", "/v1/signin/otp/email"] {
        service
            .ok(path, json!({"email": "eve@elsewhere.example"}))
            .await;
    }
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 0);
    let rows = "(SELECT count(*) FROM people) + (SELECT count(*) FROM postern.account) \
                + (SELECT count(*) FROM postern.ticket)";
    assert_eq!(service.value(rows).await, "0");
    service.verified(ADA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_signups_make_one_user() {
    let service = Service::start().await;
    let passwords: Vec<String> = (0..6)
        .map(|number| format!("{PASSWORD} {number}"))
        .collect();
    let replies = passwords
        .iter()
        .map(|password| service.sign_up_with(ADA, password, json!({})));
    for reply in join_all(replies).await {
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!({"session": null})),
            "{}",
            reply.text
        );
    }
    // Links and codes of one person who has no account yet, at the same time.
    let asked = ["/v1/signin/passwordless/email", "/v1/signin/otp/email"].repeat(3);
    let asked = asked
        .into_iter()
        .map(|path| service.ok(path, json!({"email": "bob@example.org"})));
    join_all(asked).await;
    service.until_mailed().await;
    let people = "SELECT string_agg(email, ' ' ORDER BY email) FROM people";
    assert_eq!(
        service.value(people).await,
        "ada@example.org bob@example.org"
    );
    let kept = "SELECT concat_ws(' ', (SELECT count(*) FROM postern.account), \
                (SELECT count(*) FROM postern.password))";
    assert_eq!(service.value(kept).await, "2 1");
    // While the address is not verified, each sign-up mails a link; one of them works.
    let mut opened = 0;
    for _ in &passwords {
        let location = service.click(&service.mailbox.next(ADA).await.link()).await;
        opened += usize::from(parameter(&location, "refreshToken").is_some());
    }
    assert_eq!(opened, 1);
    let signed_in = passwords
        .iter()
        .map(|password| service.sign_in_with(ADA, password));
    let signed_in: Vec<u16> = join_all(signed_in)
        .await
        .iter()
        .map(|reply| reply.status)
        .collect();
    // Nobody knows which of them is that of the person who has opened the link.
    assert_eq!(signed_in, [401; 6]);
}

#[tokio::test]
async fn case_width_and_homoglyph_at() {
    let service = Service::start().await;
    // Postgres' lower() makes `k` of the Kelvin sign, and `i` of a capital I with a dot is another
    // letter.
    service.verified("kim@example.org").await;
    let mails = service.mailbox.mails().len();
    let strangers = [
        "\u{212a}im@example.org",  // Kelvin sign
        "k\u{131}m@example.org",   // i without a dot
        "k\u{130}m@example.org",   // I with a dot
        "kim\u{ff20}example.org",  // wide @
        "kim\u{fe6b}example.org",  // small @
        "\u{ff4b}im@example.org",  // wide k
        "kim@ex\u{430}mple.org",   // Cyrillic a
        "kim@example\u{3002}org",  // ideographic full stop
        "kim@example.org\u{200b}", // space of no width
        "kim@example.org ",
        "kim@example.org,eve@example.org",
        "kim@example.org\r\nBcc: eve@example.org",
        "kim@example.org\0",
        "<kim@example.org>",
        "Kim <kim@example.org>",
        "\"kim\"@example.org",
        "kim@@example.org",
        "kim@[127.0.0.1]",
        "@example.org",
        "kim@",
        "",
    ];
    let paths = [
        "/v1/signup/email-password",
        "/v1/signin/email-password",
        "/v1/signin/passwordless/email",
        "/v1/signin/otp/email",
        "/v1/user/email/send-verification-email",
        "/v1/user/password/reset",
    ];
    for email in strangers {
        for path in paths {
            let reply = service
                .post(path, json!({"email": email, "password": PASSWORD}))
                .await;
            let is_sign_in = path == "/v1/signin/email-password" && reply.status == 401;
            assert!(
                is_sign_in || reply.status == 400,
                "{path} {email:?}: {} {}",
                reply.status,
                reply.text
            );
            assert!(!reply.text.contains("accessToken"), "{path} {email:?}");
        }
    }
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), mails);
    assert_eq!(service.value("SELECT count(*) FROM people").await, "1");
    // Capitals are the same address; the mail goes to the address that the owner's table has.
    service
        .ok(
            "/v1/user/password/reset",
            json!({"email": "KIM@EXAMPLE.ORG"}),
        )
        .await;
    assert!(!service.mailbox.next("kim@example.org").await.has_no_link());
}

#[tokio::test]
async fn refused_signups_send_and_count_nothing() {
    // With the rates that a gateway has by itself.
    let mailbox = super::mailbox::Mailbox::start().await;
    let mut file: toml::Table = super::service::settings(&mailbox.url(), "")
        .parse()
        .unwrap();
    file.remove("rates");
    let service = super::service::builder(&file.to_string()).start().await;
    let sign_up = async |password: &str, options: Value| {
        let body = json!({"email": ADA, "password": password, "options": options});
        send(
            service
                .request(Method::POST, "/v1/signup/email-password")
                .json(&body),
        )
        .await
    };
    for _ in 0..4 {
        assert_refused(
            &sign_up("short", json!({})).await,
            400,
            "password-too-short",
        );
        let reply = sign_up(PASSWORD, json!({"redirectTo": "https://evil.example"})).await;
        assert_refused(&reply, 400, "redirectTo-not-allowed");
        assert_refused(
            &sign_up(PASSWORD, json!({"allowedRoles": ["admin"]})).await,
            400,
            "role-not-allowed",
        );
        assert_refused(
            &sign_up(PASSWORD, json!({"locale": "xx"})).await,
            400,
            "locale-not-allowed",
        );
        for options in [
            json!({"displayName": "x".repeat(33)}),
            json!({"metadata": []}),
            json!(7),
        ] {
            assert_refused(&sign_up(PASSWORD, options).await, 400, "invalid-request");
        }
    }
    assert_eq!(service.value(WRITTEN).await, NOTHING);
    let reply = sign_up(PASSWORD, json!({})).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!({"session": null})),
        "{}",
        reply.text
    );
    assert!(!mailbox.next(ADA).await.has_no_link());
}

#[tokio::test]
async fn without_sign_up_nobody_new_gets_in() {
    let service = Service::with("accounts.signup = false").await;
    let insert = "INSERT INTO people (email) VALUES ('ada@example.org')";
    service.run(insert).await;
    let reply = service
        .sign_up_with("eve@example.org", PASSWORD, json!({}))
        .await;
    assert_refused(&reply, 403, "signup-disabled");
    let reply = service.sign_up_with(ADA, PASSWORD, json!({})).await;
    assert_refused(&reply, 403, "signup-disabled");
    for path in ["/v1/signin/passwordless/email", "/v1/signin/otp/email"] {
        service.ok(path, json!({"email": "eve@example.org"})).await;
    }
    // Who is there already signs in.
    let code = service.code(ADA).await;
    session(&service.enter(ADA, &code).await);
    service.until_mailed().await;
    assert!(service.mailbox.mails().iter().all(|mail| mail.to == [ADA]));
    assert_eq!(service.value("SELECT count(*) FROM people").await, "1");
}

#[tokio::test]
async fn link_and_code_sign_up_who_has_no_account() {
    let service = Service::start().await;
    let body = json!({"email": ADA, "options": {"displayName": "Ada", "locale": "nl", "metadata": {"a": 1}}});
    service.ok("/v1/signin/passwordless/email", body).await;
    let location = service.click(&service.mailbox.next(ADA).await.link()).await;
    assert_eq!(
        parameter(&location, "type").as_deref(),
        Some("signinPasswordless")
    );
    let token = parameter(&location, "refreshToken").unwrap();
    let user = service.refresh(&token).await.json()["user"].clone();
    assert_eq!(
        json!([user["displayName"], user["locale"]]),
        json!(["Ada", "nl"])
    );
    let code = service.code("bob@example.org").await;
    let reply = service.enter("bob@example.org", &code).await;
    assert_eq!(session(&reply)["user"]["emailVerified"], true);
    let methods = "SELECT string_agg(method, ' ' ORDER BY email) FROM people";
    assert_eq!(service.value(methods).await, "link code");
    // The session says how it was opened.
    let opened = "SELECT string_agg(array_to_string(methods, ' '), ',' ORDER BY created_at) FROM postern.session";
    assert_eq!(service.value(opened).await, "link,otp");
}

#[tokio::test]
async fn link_and_code_at_once_both_arrive_at_a_new_address() {
    let service = Service::start().await;
    let addresses = (0..20).map(|number| format!("person-{number}@example.org"));
    let addresses: Vec<String> = addresses.collect();
    for email in &addresses {
        let body = json!({"email": email});
        service
            .ok("/v1/signin/passwordless/email", body.clone())
            .await;
        service.ok("/v1/signin/otp/email", body).await;
    }
    for email in &addresses {
        service.mailbox.next(email).await;
        service.mailbox.next(email).await;
    }
    assert_eq!(service.value("SELECT count(*) FROM people").await, "20");
}

#[tokio::test]
async fn without_verification_a_sign_up_opens_a_session() {
    let service = Service::with("accounts.verify = false").await;
    let opened = session(&service.sign_up_with(ADA, PASSWORD, json!({})).await);
    assert_eq!(
        service.refresh(&text(&opened, "refreshToken")).await.status,
        200
    );
    assert_eq!(opened["user"]["emailVerified"], false);
    session(&service.sign_in_with(ADA, PASSWORD).await);
    let reply = service
        .sign_up_with("ADA@example.org", PASSWORD, json!({}))
        .await;
    assert_refused(&reply, 409, "email-already-in-use");
}

#[tokio::test]
async fn methods_that_are_off_are_disabled() {
    let service = Service::with("accounts.methods = [\"code\"]").await;
    let body = json!({"email": ADA, "password": PASSWORD});
    for path in [
        "/v1/signup/email-password",
        "/v1/signin/email-password",
        "/v1/signin/passwordless/email",
    ] {
        assert_refused(
            &service.post(path, body.clone()).await,
            409,
            "disabled-endpoint",
        );
    }
    let code = service.code(ADA).await;
    session(&service.enter(ADA, &code).await);
    let service = Service::with("accounts.methods = [\"link\"]").await;
    for path in ["/v1/signin/otp/email", "/v1/signin/otp/email/verify"] {
        let body = json!({"email": ADA, "otp": "123456"});
        assert_refused(&service.post(path, body).await, 409, "disabled-endpoint");
    }
}
