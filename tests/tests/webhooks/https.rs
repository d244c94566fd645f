//! Tests `require_https`: which requests count as HTTPS, what others read, and what `postern check`
//! says where no request can be HTTPS.

use gateway::server::Builder;
use tests::certificates::{Authority, Wanted};
use tests::reply::Reply;
use tests::{TestDatabase, binary};

use super::service::{Delivery, Service, accepted, builder, migrated};

/// A service that requires HTTPS beside the shop, which does not.
const SECURE: &str = "[webhook.secure]\nrequire_https = true\ndelivery_id = \"digest\"\nhmac = { \
                      header = \"X-Shopify-Hmac-Sha256\", secret = \"a secret of the shop, 32 \
                      bytes..\" }\n";

/// Starts a gateway with both services.
async fn start(change: impl FnOnce(Builder) -> Builder) -> Service {
    let database = migrated().await;
    let settings = format!("{}\n{SECURE}", super::service::SETTINGS);
    let gateway = change(builder(&database, &settings)).start().await.unwrap();
    let sql = database.connect().await.unwrap();
    Service::from_parts(gateway, database, sql)
}

/// A signed delivery to the service that requires HTTPS.
async fn delivery(body: &[u8]) -> Delivery {
    Delivery {
        service: "secure",
        ..Delivery::shop(body).await
    }
}

#[track_caller]
fn refused(reply: &Reply) {
    reply.assert_envelope(403, "this webhook has to be sent by HTTPS");
}

#[tokio::test]
async fn plain_requests_are_refused_before_anything_is_read() {
    let service = start(|builder| builder).await;
    let plain = delivery(b"{\"id\":1}").await;
    refused(&service.send(&plain).await);
    // Anybody can write the headers of a proxy.
    for (name, value) in [
        ("X-Forwarded-Proto", "https"),
        ("Forwarded", "proto=https"),
        ("X-Forwarded-Ssl", "on"),
    ] {
        refused(&service.send(&plain.clone().header(name, value)).await);
    }
    // A forged one is refused for the same reason.
    refused(
        &service
            .send(&plain.with("X-Shopify-Hmac-Sha256", "AAAA"))
            .await,
    );
    assert_eq!(service.counts().await, (0, 0));
    assert_eq!(service.counted("secure", "not-https"), 5);
    accepted(&service.send(&Delivery::shop(b"{\"id\":1}").await).await);

    // The event names the service and the reason.
    let events = "SELECT string_agg(DISTINCT reason, ' ') FROM postern.authentication_event WHERE \
                  event = 'refused' AND address = '127.0.0.1' HAVING count(*) > 0";
    tests::wait::until("the refusal is stored", async || {
        service
            .sql
            .query_opt(events, &[])
            .await
            .unwrap()
            .is_some_and(|row| {
                row.get::<_, String>(0) == "/api/v1/integrations/secure/event: not-https"
            })
    })
    .await;
}

#[tokio::test]
async fn trusted_proxy_says_whether_its_client_used_https() {
    let service = start(|builder| builder.setting("trusted-proxies", "127.0.0.1")).await;
    let plain = delivery(b"{\"id\":1}").await;
    refused(&service.send(&plain).await);
    let by = |headers: &[(&str, &str)]| {
        let add = |delivery: Delivery, (name, value): &(&str, &str)| delivery.header(name, value);
        headers.iter().fold(plain.clone(), add)
    };
    for headers in [
        &[("X-Forwarded-Proto", "http")][..],
        &[("X-Forwarded-Proto", "https, http")],
        &[
            ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Proto", "http"),
        ],
        &[
            ("X-Forwarded-Proto", "https"),
            ("Forwarded", "for=192.0.2.7;proto=http"),
        ],
        &[("Forwarded", "for=192.0.2.7")],
        &[("X-Forwarded-Proto", "")],
    ] {
        refused(&service.send(&by(headers)).await);
    }
    assert_eq!(service.counts().await, (0, 0));
    for headers in [
        &[("X-Forwarded-Proto", "https")][..],
        &[
            ("X-Forwarded-Proto", "HTTPS"),
            ("X-Forwarded-For", "192.0.2.7"),
        ],
        &[("Forwarded", "for=192.0.2.7;proto=https")],
        &[
            ("X-Forwarded-Proto", "https"),
            ("Forwarded", "for=192.0.2.7"),
        ],
    ] {
        accepted(&service.send(&by(headers)).await);
    }
    assert_eq!(service.counts().await.0, 1);
}

#[tokio::test]
async fn connection_with_tls_is_https() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority").unwrap();
    let names = &["127.0.0.1"];
    let wanted = Wanted {
        names,
        ..Wanted::default()
    };
    let pair = authority.sign("port", wanted).unwrap();
    let service = start(|builder| {
        let builder = builder.setting("tls-cert", pair.certificate.to_str().unwrap());
        builder.setting("tls-key", pair.key.to_str().unwrap())
    })
    .await;
    let certificate = std::fs::read(authority.file()).unwrap();
    let client = reqwest::Client::builder()
        .add_root_certificate(reqwest::Certificate::from_pem(&certificate).unwrap())
        .build()
        .unwrap();
    let delivery = delivery(b"{\"id\":1}").await;
    let mut request = client.post(service.url("secure"));
    for (name, value) in &delivery.headers {
        request = request.header(name, value);
    }
    // A header that claims the opposite does not matter.
    let request = request.header("X-Forwarded-Proto", "http");
    accepted(&Reply::of(request.body(delivery.body)).await.unwrap());
    assert_eq!(service.counts().await.0, 1);
}

#[tokio::test]
async fn check_notes_a_service_that_no_request_can_reach() {
    let database = migrated().await;
    let (code, text) = checked(&database, SECURE);
    let note = "the webhook `secure` requires HTTPS and refuses every request";
    assert!(code == Some(0) && text.contains(note), "{text}");
    for reachable in [
        format!("trusted_proxies = [\"10.0.0.0/8\"]\n{SECURE}"),
        SECURE.replace("require_https = true", "require_https = false"),
    ] {
        let (code, text) = checked(&database, &reachable);
        assert!(
            code == Some(0) && !text.contains("requires HTTPS"),
            "{text}"
        );
    }
    let (code, text) = checked(&database, &SECURE.replace("= true", "= \"yes\""));
    assert!(
        code == Some(1) && text.contains("`require_https` must be"),
        "{text}"
    );
}

/// The exit code and the output of `postern check` over a settings file.
fn checked(database: &TestDatabase, settings: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    std::fs::write(&file, settings).unwrap();
    let file = file.to_str().unwrap();
    let run = binary::run(&["check", "--config", file, "--database-url", database.url()]).unwrap();
    (run.code, format!("{}{}", run.out, run.err))
}
