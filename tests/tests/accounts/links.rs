//! Links in mails: opening one consumes nothing, its button works once, for what it was mailed for.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use tests::service::send;

use super::page::{Form, parameter};
use super::service::{CLIENT_URL, PASSWORD, Service, assert_invalid_ticket, assert_refused, text};

const ADA: &str = "ada@example.org";

#[tokio::test]
async fn get_and_head_consume_nothing() {
    let service = Service::start().await;
    let link = service.link(ADA).await;
    let tickets = "SELECT json_agg(t) FROM postern.ticket t";
    let before = service.value(tickets).await;
    for _ in 0..3 {
        let page = service.open(&link).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{policy}");
        // Nobody shows the page in a frame and has its button pressed there.
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        let path = link.strip_prefix(super::page::SERVER_URL).unwrap();
        let head = send(service.request(Method::HEAD, path)).await;
        assert!(
            matches!(head.status, 200 | 405) && head.text.is_empty(),
            "{head:?}"
        );
    }
    assert_eq!(service.value(tickets).await, before);
    let location = service.click(&link).await;
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
}

#[tokio::test]
async fn direct_links_work_without_a_button() {
    let service = Service::with("accounts.links = \"direct\"").await;
    let link = service.link(ADA).await;
    let reply = service.open(&link).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    let token = parameter(reply.header("location"), "refreshToken").unwrap();
    assert_eq!(service.refresh(&token).await.status, 200);
    let reply = service.open(&link).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    assert_invalid_ticket(reply.header("location"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_100_posts_wins() {
    let service = Service::start().await;
    let other = service.another("").await;
    let form = Form::read(&service.open(&service.link(ADA).await).await.text);
    let presses = (0..100).map(|number| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &other
        };
        service.press_at(gateway, &form)
    });
    let mut won = 0;
    for reply in join_all(presses).await {
        assert_eq!(reply.status, 302, "{}", reply.text);
        let location = reply.header("location");
        if parameter(location, "refreshToken").is_some() {
            won += 1;
        } else {
            assert_invalid_ticket(location);
        }
    }
    assert_eq!(won, 1);
    assert_eq!(
        service.value("SELECT count(*) FROM postern.session").await,
        "1"
    );
}

#[tokio::test]
async fn link_expires() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.sign_up("bob@example.org").await;
    let mut pages = vec![
        service.link(ADA).await,
        service.mailbox.next("bob@example.org").await.link(),
    ];
    service
        .ok("/v1/user/password/reset", json!({"email": ADA}))
        .await;
    pages.push(service.mailbox.next(ADA).await.link());
    let token = text(&service.session(ADA).await, "accessToken");
    let body = json!({"newEmail": "new@example.org"});
    assert_eq!(
        service
            .post_as(&token, "/v1/user/email/change", body)
            .await
            .json(),
        "OK"
    );
    pages.push(service.mailbox.next("new@example.org").await.link());
    service.code(ADA).await;

    let lifetimes = "SELECT purpose, extract(epoch FROM expires_at - created_at)::int \
                     FROM postern.ticket WHERE used_at IS NULL";
    let rows = service
        .database
        .connect()
        .await
        .unwrap()
        .query(lifetimes, &[])
        .await
        .unwrap();
    let found: BTreeMap<String, i32> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let expected = [
        ("change", 86_400),
        ("code", 900),
        ("link", 900),
        ("reset", 3600),
        ("verify", 86_400),
    ];
    assert_eq!(
        found,
        expected
            .map(|(name, seconds)| (name.to_owned(), seconds))
            .into()
    );

    // The page is open, and nobody presses its button in time.
    let mut forms = vec![];
    for link in &pages {
        forms.push(Form::read(&service.open(link).await.text));
    }
    service.expire_tickets().await;
    for form in &forms {
        let reply = service.press(form).await;
        assert_eq!(reply.status, 302, "{}", reply.text);
        assert_invalid_ticket(reply.header("location"));
    }
    assert_eq!(
        service
            .value("SELECT string_agg(email, ' ' ORDER BY email) FROM people")
            .await,
        "ada@example.org bob@example.org"
    );

    // A ticket that the page of the new password has in hand.
    let ticket = service.reset(ADA).await;
    service.expire_tickets().await;
    let body = json!({"ticket": ticket, "newPassword": "another password"});
    assert_refused(
        &service.post("/v1/user/password", body).await,
        401,
        "invalid-ticket",
    );
    service.session(ADA).await;
}

#[tokio::test]
async fn new_link_keeps_other_tickets() {
    let service = Service::start().await;
    service.sign_up(ADA).await;
    let first_verification = service.mailbox.next(ADA).await.link();
    service
        .ok("/v1/user/password/reset", json!({"email": ADA}))
        .await;
    let reset = service.mailbox.next(ADA).await.link();
    let first_link = service.link(ADA).await;
    let link = service.link(ADA).await;
    let code = service.code(ADA).await;
    service
        .ok(
            "/v1/user/email/send-verification-email",
            json!({"email": ADA}),
        )
        .await;
    let verification = service.mailbox.next(ADA).await.link();

    for old in [&first_link, &first_verification] {
        assert_invalid_ticket(&service.click(old).await);
    }
    // The first proof of the address ends what was there before it, whoever has asked for it.
    assert_eq!(service.enter(ADA, &code).await.status, 200);
    for old in [&verification, &link, &reset] {
        assert_invalid_ticket(&service.click(old).await);
    }

    // After it each kind is on its own.
    service
        .ok("/v1/user/password/reset", json!({"email": ADA}))
        .await;
    let reset = service.mailbox.next(ADA).await.link();
    let first_link = service.link(ADA).await;
    let link = service.link(ADA).await;
    let code = service.code(ADA).await;
    assert_invalid_ticket(&service.click(&first_link).await);
    assert_eq!(service.enter(ADA, &code).await.status, 200);
    let location = service.click(&link).await;
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    let ticket = parameter(&service.click(&reset).await, "ticket").unwrap();
    service
        .ok(
            "/v1/user/password",
            json!({"ticket": ticket, "newPassword": "another password"}),
        )
        .await;
    assert_eq!(
        service.sign_in_with(ADA, "another password").await.status,
        200
    );
}

#[tokio::test]
async fn purpose_and_address_bind() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let link = service.link(ADA).await;
    let ticket = parameter(&link, "ticket").unwrap();
    let (purpose, id) = ticket.split_once(':').unwrap();
    assert_eq!(purpose, "passwordlessEmail");
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().to_string(), id);
    let form = Form::read(&service.open(&link).await.text);
    let kinds = [
        ("verifyEmail", "emailVerify"),
        ("emailConfirmChange", "emailConfirmChange"),
        ("passwordReset", "passwordReset"),
    ];
    for (prefix, kind) in kinds {
        let other = format!("{prefix}:{id}");
        for form in [
            form.clone().with("ticket", &other),
            form.clone().with("ticket", &other).with("type", kind),
        ] {
            let reply = service.press(&form).await;
            assert_eq!(reply.status, 302, "{}", reply.text);
            assert_invalid_ticket(reply.header("location"));
        }
    }
    for wrong in [
        ticket.as_str(),
        id,
        &format!("passwordReset:{id}"),
        "",
        "passwordReset:",
        "passwordReset:'",
    ] {
        let body = json!({"ticket": wrong, "newPassword": "another password"});
        assert_refused(
            &service.post("/v1/user/password", body).await,
            401,
            "invalid-ticket",
        );
    }
    // The link itself still works, and what it is mailed for is not what a caller says.
    let reply = service.press(&form.with("type", "passwordReset")).await;
    assert_eq!(
        parameter(reply.header("location"), "ticket"),
        None,
        "{:?}",
        reply.headers
    );
    service.session(ADA).await;

    // A link proves the address that it was sent to, and not the one that the user has since.
    let link = service.link(ADA).await;
    service
        .run("UPDATE people SET email = 'new@example.org'")
        .await;
    assert_invalid_ticket(&service.click(&link).await);
}

#[tokio::test]
async fn nonsense_is_an_invalid_ticket() {
    let service = Service::start().await;
    let id = uuid::Uuid::new_v4();
    for ticket in [
        "",
        "nonsense",
        "passwordlessEmail:",
        &format!("passwordlessEmail:{id}"),
        "\0",
        "' OR true --",
        "\"><b>",
    ] {
        let form = Form {
            action: "/v1/verify".to_owned(),
            fields: vec![
                ("ticket".to_owned(), ticket.to_owned()),
                ("type".to_owned(), "signinPasswordless".to_owned()),
            ],
        };
        let reply = service.press(&form).await;
        assert_eq!(reply.status, 302, "{ticket:?}: {}", reply.text);
        let location = reply.header("location");
        assert!(location.starts_with(CLIENT_URL), "{location}");
        assert_invalid_ticket(location);
    }
    // The page repeats the address that it leads to, and no markup.
    let redirect = "https://app.example.com/in/?a=%22%3E%3Cscript%3E&b='%26quot;";
    let encoded = redirect
        .replace('%', "%25")
        .replace('&', "%26")
        .replace('\'', "%27");
    for redirect_to in [
        encoded,
        redirect
            .replace("%22%3E%3C", "\"%3E%3C")
            .replace('&', "%26"),
    ] {
        let page = service
            .open(&format!(
                "/v1/verify?ticket=passwordlessEmail:{id}&redirectTo={redirect_to}"
            ))
            .await;
        assert_eq!(page.status, 200, "{}", page.text);
        let form = Form::read(&page.text);
        let (_, shown) = form
            .fields
            .iter()
            .find(|(name, _)| name == "redirectTo")
            .unwrap();
        assert!(
            shown.starts_with("https://app.example.com/in/?a=%22%3E%3Cscript%3E"),
            "{shown}"
        );
        assert_invalid_ticket(service.press(&form).await.header("location"));
    }
}

#[tokio::test]
async fn handover_once_in_60_s() {
    let service = Service::start().await;
    let token = parameter(
        &service.click(&service.link(ADA).await).await,
        "refreshToken",
    )
    .unwrap();
    let seconds = |token: &str| {
        format!(
            "SELECT extract(epoch FROM expires_at - issued_at)::int FROM postern.refresh_token \
             WHERE digest = decode('{}', 'hex')",
            plugins::token_exchange::digest(token)
        )
    };
    assert_eq!(service.value(&seconds(&token)).await, "60");
    let session = service.refresh(&token).await.json();
    assert_eq!(session["user"]["email"], ADA);
    // What comes of it is a session as others are.
    let next = text(&session, "refreshToken");
    assert_eq!(service.value(&seconds(&next)).await, "43200");
    let again = service.refresh(&token).await;
    assert_eq!(
        (again.status, again.json()["error"].clone()),
        (401, json!("invalid-refresh-token"))
    );

    let token = parameter(
        &service.click(&service.link(ADA).await).await,
        "refreshToken",
    )
    .unwrap();
    let late = format!(
        "UPDATE postern.refresh_token SET issued_at = now() - interval '61 s', expires_at = now() - interval '1 s' \
         WHERE digest = decode('{}', 'hex')",
        plugins::token_exchange::digest(&token)
    );
    service.run(&late).await;
    assert_eq!(service.refresh(&token).await.status, 401);
    assert_eq!(
        service.sign_in_with(ADA, PASSWORD).await.status,
        401,
        "a link sets no password"
    );
}

#[tokio::test]
async fn links_name_the_address_of_the_settings() {
    let service = Service::start().await;
    let request = service.request(Method::POST, "/v1/user/password/reset");
    let request = request
        .header("x-forwarded-host", "evil.example")
        .header("x-forwarded-proto", "http")
        .header("origin", "https://evil.example");
    service.verified(ADA).await;
    let reply = send(request.json(&json!({"email": ADA}))).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let mail = service.mailbox.next(ADA).await;
    // `link` looks for the address of the settings.
    let ticket = parameter(&mail.link(), "ticket").unwrap();
    assert!(ticket.starts_with("passwordReset:"), "{ticket}");
    assert!(!format!("{mail:?}").contains("evil"), "{mail:?}");
}
