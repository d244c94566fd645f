//! Secrets of sign-ins with other providers are in no log and in no table, except as digests or
//! sealed.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::browser::{Browser, Callback};
use super::logged_gateway::{LoggedGateway, assert_hidden, dump};
use super::mailbox::Mailbox;
use super::page::{SERVER_URL, parameter};
use super::provider::{CLIENT_SECRET, COOKIE, Provider, form_of};
use super::service::{migrated, session, settings, text};

const ADA: &str = "ada@example.org";

/// The verifiers, codes and tokens that a provider was given or has given.
async fn secrets_of(provider: &Provider) -> Vec<String> {
    let mut secrets = vec![];
    for path in ["/token", "/github/login/oauth/access_token"] {
        for request in provider.requests(path).await {
            let form = form_of(&request).into_iter();
            let is_secret = |name: &str| ["code", "code_verifier", "refresh_token"].contains(&name);
            secrets.extend(
                form.filter(|(name, _)| is_secret(name))
                    .map(|(_, value)| value),
            );
        }
    }
    for path in ["/userinfo", "/github/api/user"] {
        for request in provider.requests(path).await {
            let header = text(&request["headers"], "authorization");
            secrets.push(header.split(' ').next_back().unwrap().to_owned());
        }
    }
    for path in ["/authorize", "/github/login/oauth/authorize"] {
        for request in provider.requests(path).await {
            let url = format!("http://localhost{}", text(&request, "url"));
            let names = ["state", "nonce"];
            secrets.extend(names.iter().filter_map(|name| parameter(&url, name)));
        }
    }
    secrets
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_a_provider_anywhere() {
    let provider = Provider::faulty().await;
    let mailbox = Mailbox::start().await;
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let changes = format!(
        "accounts.anonymous = true\n{}{}accounts.provider.google.keep_tokens = true",
        provider.settings("google"),
        provider.github_settings()
    );
    let file = settings(&mailbox.url(), &changes);
    let gateway = LoggedGateway::start(folder.path(), database.url(), &file, None).await;
    let browser = Browser::with_client(gateway.client.clone(), gateway.url.clone());
    let mut secrets = vec![CLIENT_SECRET.to_owned()];
    let get = async |path: &str, token: &str| {
        let request = gateway.client.get(format!("{}{path}", gateway.url));
        Reply::of(request.bearer_auth(token)).await.unwrap()
    };
    let open = async |location: &str| {
        let token = parameter(location, "refreshToken");
        let token = token.unwrap_or_else(|| panic!("no token in {location}"));
        let body = json!({"refreshToken": token});
        let opened = gateway.post("/v1/token", None, body).await.json();
        (token, opened)
    };

    // Everything that people and applications do.
    let bare = json!({"claims": {"email": null, "email_verified": null},
        "userinfo": {"email": ADA, "email_verified": true}});
    provider.behave(bare).await;
    let (handover, opened) = open(&browser.sign_in("google", &Value::Null).await).await;
    let access = text(&opened, "accessToken");
    secrets.extend([handover, text(&opened, "refreshToken")]);
    secrets.push(access.rsplit_once('.').unwrap().1.to_owned());
    let path = "/v1/signin/provider/google/callback/tokens";
    let tokens = get(path, &access).await.json();
    for name in ["accessToken", "refreshToken"] {
        secrets.push(text(&tokens, name));
    }
    let body = json!({"refreshToken": tokens["refreshToken"]});
    let refreshed = gateway
        .post("/v1/token/provider/google", Some(&access), body)
        .await;
    secrets.push(text(&refreshed.json(), "accessToken"));
    // Tokens that nobody fetches.
    browser.sign_in("google", &Value::Null).await;
    let link = gateway
        .post("/v1/link/provider/github", Some(&access), json!({}))
        .await;
    browser.take_cookies(&link);
    let callback = browser
        .consent(&text(&link.json(), "url"), &Value::Null)
        .await;
    browser.land(&callback).await;
    let verifier = "a-verifier-of-the-application-".repeat(2);
    let challenge = {
        use base64::Engine;
        use sha2::Digest;
        let digest = sha2::Sha256::digest(&verifier);
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
    };
    let parameters = [
        ("codeChallenge", challenge.as_str()),
        ("state", "a state of the application"),
    ];
    let callback = browser.come_back("google", &parameters, &Value::Null).await;
    let code = parameter(&browser.land(&callback).await, "code").unwrap();
    for verifier in ["a-wrong-verifier-of-the-application-and-more", &verifier] {
        let body = json!({"code": code, "codeVerifier": verifier});
        gateway.post("/v1/token/exchange", None, body).await;
    }
    secrets.extend([code, verifier]);
    let anonymous = gateway.post("/v1/signin/anonymous", None, json!({})).await;
    let anonymous = session(&anonymous);
    let body = json!({"signInMethod": "email-password", "email": "bob@example.org",
        "password": "s3cret-password-of-bob-5716"});
    let guest = text(&anonymous, "accessToken");
    gateway
        .post("/v1/user/deanonymize", Some(&guest), body)
        .await;
    let mailed = mailbox.next("bob@example.org").await.link();
    gateway.click(&mailed).await;
    secrets.push("s3cret-password-of-bob-5716".to_owned());
    secrets.push(
        parameter(&mailed, "ticket")
            .unwrap()
            .split_once(':')
            .unwrap()
            .1
            .to_owned(),
    );

    // And everything that may go wrong, with words of strangers in it.
    let stolen = "s3cret-of-a-stranger-5717";
    for fault in [
        json!({"responses": {"/token": {"status": 500, "body": stolen}}}),
        json!({"token": {"id_token": stolen}}),
        json!({"signature": "none", "claims": {"email": format!("{stolen}@example.org")}}),
        json!({"claims": {"email": null}, "responses": {"/userinfo": {"status": 401, "body": stolen}}}),
        json!({"redirect": {"iss": stolen}}),
        json!({"redirect": {"code": stolen}}),
        json!({"redirect": {"state": stolen}}),
        json!({"redirect": {"code": null, "error": "access_denied", "error_description": stolen}}),
    ] {
        provider.behave(fault).await;
        browser.sign_in("google", &Value::Null).await;
    }
    let callback = Callback {
        url: format!("{SERVER_URL}/v1/signin/provider/github/callback"),
        parameters: vec![],
        is_form: false,
    };
    browser
        .land(&callback.with("code", stolen).with("state", stolen))
        .await;
    secrets.push(stolen.to_owned());
    for name in [COOKIE, "__Host-postern-github"] {
        secrets.push(browser.cookie(name).unwrap());
    }
    secrets.extend(secrets_of(&provider).await);

    database
        .until("NOT EXISTS (SELECT FROM postern.event_queue WHERE state = 'pending')")
        .await;
    let tables = dump(&database).await;
    let log = gateway.log();
    for (name, found) in [("the log", &log), ("a table", &tables)] {
        assert!(found.contains("sign-in"), "{name} is not searched");
        assert_hidden(name, found, &secrets);
    }
    assert!(
        tables.contains(&provider.url),
        "the identity has the issuer"
    );
    assert!(!log.contains(ADA), "the log has an address");
}
