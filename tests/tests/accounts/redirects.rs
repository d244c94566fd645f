//! Where links may lead: to the pages of the settings, compared as browsers read addresses.

use reqwest::Url;
use serde_json::json;

use super::page::{Form, parameter};
use super::service::{CLIENT_URL, Service, assert_refused};

const ADA: &str = "ada@example.org";

/// Addresses that lead elsewhere, or may for some reader of URLs.
const REFUSED: &[&str] = &[
    "https://evil.example/",
    "https://evil.example/?https://app.example.com/in/",
    "https://evil.example/#https://app.example.com/in/",
    "https://evil.example/https://app.example.com/in/",
    "https://app.example.com.evil.example/in/",
    "https://evilapp.example.com/in/",
    "https://evil.app.example.com/in/",
    "https://app-example.com/in/",
    "https://app.example.comm/in/",
    "https://app.example.co/in/",
    "https://example.com/in/",
    "https://app.example.com./in/",
    "https://app.example.com@evil.example/in/",
    "https://app.example.com:pw@evil.example/in/",
    "https://app.example.com:443@evil.example/in/",
    "https://app.example.com&@evil.example/in/",
    "https://app.example.com%40evil.example/in/",
    "https://user@app.example.com/in/",
    "https://evil.example\\@app.example.com/in/",
    "https://evil.example?@app.example.com/in/",
    "https://evil.example#@app.example.com/in/",
    "https://evil.example%23@app.example.com/in/",
    "https://app.example.com\\.evil.example/in/",
    "https://app.example.com%2eevil.example/in/",
    "https://app.example.com%00.evil.example/in/",
    "https://app.example.com;evil.example/in/",
    "https://app.example.com\t.evil.example/in/",
    "https://app.example.com/in/\r\nSet-Cookie: a=b",
    "https://app.example.com/in/\0",
    "\thttps://app.example.com/in/",
    " https://app.example.com/in/",
    "https://app.example.com:8443/in/",
    "https://app.example.com:80/in/",
    "http://app.example.com/in/",
    "//app.example.com/in/",
    "//evil.example/in/",
    "///evil.example/in/",
    "/\\evil.example/in/",
    "\\\\evil.example\\in\\",
    "https:evil.example/in/",
    "https:/evil.example/in/",
    "https:///evil.example/in/",
    "https:/app.example.com/in/",
    "https:app.example.com/in/",
    "javascript:alert(1)",
    "JaVaScRiPt://app.example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://app.example.com/in/",
    "ftp://app.example.com/in/",
    "intent://app.example.com/in/#Intent;scheme=https;end",
    "https://app.example.com/in/../out",
    "https://app.example.com/in/%2e%2e/out",
    "https://app.example.com/in/.%2E/out",
    "https://app.example.com/in\\..\\out",
    "https://app.example.com/in/..%2fout",
    "https://app.example.com/inside",
    "https://app.example.com/IN/x",
    "https://app.example.com/out",
    "https://app.example.com//evil.example/in/",
    "https://shop.example.com/",
    "https://shop.example.com/accounts",
    "https://shop.example.com/account/admin",
    "https://shop.example.com/account/../admin",
    "https://\u{430}pp.example.com/in/",
    "https://evil\u{3002}example/in/",
    "https://[::1]/in/",
    "https://2130706433/in/",
    "/in/page",
    "in/page",
    "?in",
    "https://",
    "*",
];

const ALLOWED: &[&str] = &[
    "https://app.example.com",
    "https://app.example.com/",
    "https://app.example.com/in/",
    "https://app.example.com/in/a/b",
    "https://app.example.com/in/a?b=c&d=%22",
    "https://shop.example.com/account",
    "https://shop.example.com/account?from=mail",
    "HTTPS://APP.example.com:443/in/x",
];

#[tokio::test]
async fn forty_redirects() {
    assert!(REFUSED.len() >= 40);
    let service = Service::start().await;
    let paths = [
        (
            "/v1/signup/email-password",
            json!({"email": ADA, "password": "a long password"}),
        ),
        ("/v1/signin/passwordless/email", json!({"email": ADA})),
        ("/v1/signin/otp/email", json!({"email": ADA})),
        (
            "/v1/user/email/send-verification-email",
            json!({"email": ADA}),
        ),
        ("/v1/user/password/reset", json!({"email": ADA})),
    ];
    for (number, redirect) in REFUSED.iter().enumerate() {
        let (path, mut body) = paths[number % paths.len()].clone();
        body["options"] = json!({"redirectTo": redirect});
        let reply = service.post(path, body).await;
        assert_refused(&reply, 400, "redirectTo-not-allowed");

        let fields = ["ticket", "type", "redirectTo"].map(str::to_owned);
        let values = ["passwordlessEmail:x", "signinPasswordless", *redirect].map(str::to_owned);
        let form = Form {
            action: "/v1/verify".to_owned(),
            fields: fields.into_iter().zip(values).collect(),
        };
        let page = service.open(&format!("/v1/verify?{}", form.body())).await;
        assert_eq!(page.status, 400, "{redirect:?}: {}", page.text);
        let reply = service.press(&form).await;
        assert_eq!(
            (reply.status, reply.header("location")),
            (400, ""),
            "{redirect:?}: {}",
            reply.text
        );
    }
    service.until_mailed().await;
    assert_eq!(service.mailbox.mails().len(), 0);

    for redirect in ALLOWED {
        service
            .ok(
                "/v1/signin/passwordless/email",
                json!({"email": ADA, "options": {"redirectTo": redirect}}),
            )
            .await;
        let location = service.click(&service.mailbox.next(ADA).await.link()).await;
        let location = Url::parse(&location).unwrap();
        let redirect = Url::parse(redirect).unwrap();
        assert_eq!(
            (location.origin(), location.path()),
            (redirect.origin(), redirect.path())
        );
        // What the address has already stays.
        let query: Vec<_> = location.query_pairs().collect();
        assert!(
            redirect.query_pairs().all(|pair| query.contains(&pair)),
            "{location}"
        );
        assert!(
            query.iter().any(|(name, _)| name == "refreshToken"),
            "{location}"
        );
    }
}

#[tokio::test]
async fn redirect_checked_at_the_click() {
    let service = Service::start().await;
    let asked =
        json!({"email": ADA, "options": {"redirectTo": "https://shop.example.com/account"}});
    service.ok("/v1/signin/passwordless/email", asked).await;
    let link = service.mailbox.next(ADA).await.link();
    assert_eq!(
        parameter(&link, "redirectTo").as_deref(),
        Some("https://shop.example.com/account")
    );
    let form = Form::read(&service.open(&link).await.text);

    // Somebody has changed the mail, or the page.
    let evil = link.replace("shop.example.com", "evil.example");
    assert_ne!(evil, link);
    assert_eq!(service.open(&evil).await.status, 400);
    let reply = service
        .press(
            &form
                .clone()
                .with("redirectTo", "https://evil.example/account"),
        )
        .await;
    assert_eq!(
        (reply.status, reply.header("location")),
        (400, ""),
        "{}",
        reply.text
    );

    // The settings have changed since the mail.
    let narrower = service.another("accounts.redirects = []").await;
    let reply = service.press_at(&narrower, &form).await;
    assert_eq!(
        (reply.status, reply.header("location")),
        (400, ""),
        "{}",
        reply.text
    );

    // None of them has used the ticket.
    let location = service.press(&form).await.header("location").to_owned();
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    // Without the parameter the link leads to the application.
    let link = service.link(ADA).await;
    let mut form = Form::read(&service.open(&link).await.text);
    form.fields.retain(|(name, _)| name != "redirectTo");
    let location = service.press(&form).await.header("location").to_owned();
    assert!(location.starts_with(CLIENT_URL), "{location}");
}
