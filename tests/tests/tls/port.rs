//! Tests HTTPS on the gateway's own port.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gateway::config::Settings;
use gateway::server::{Builder, GatewayHandle};
use gateway::telemetry::metrics::Readings;
use pg::tls::Certificate;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tests::TestDatabase;
use tests::certificates::{Authority, Pair, Wanted};
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::server::{HOST, PATIENCE};

struct Place {
    database: TestDatabase,
    authority: Authority,
    pair: Pair,
    _folder: tempfile::TempDir,
}

impl Place {
    async fn new() -> Place {
        let database = tests::create("port", &["CREATE TABLE authors (id int PRIMARY KEY)"])
            .await
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority").unwrap();
        let pair = authority
            .sign(
                "port",
                Wanted {
                    names: &[HOST],
                    ..Wanted::default()
                },
            )
            .unwrap();
        Place {
            database,
            authority,
            pair,
            _folder: folder,
        }
    }

    fn builder(&self) -> Builder {
        let builder = tests::gateway()
            .database_url(self.database.url())
            .listen("127.0.0.1:0")
            .admin_secret("s");
        let builder = builder
            .setting("pool-size", "2")
            .setting("header-timeout", "0.5");
        let builder = builder.setting("tls-cert", self.pair.certificate.to_str().unwrap());
        builder.setting("tls-key", self.pair.key.to_str().unwrap())
    }

    /// A client's connection that offers these protocols and versions.
    async fn connect(
        &self,
        running: &GatewayHandle,
        protocols: &[&str],
        versions: Versions,
    ) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(self.authority.file()).unwrap())
            .unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols
            .iter()
            .map(|protocol| protocol.as_bytes().to_vec())
            .collect();
        let stream = TcpStream::connect(running.address()).await.unwrap();
        let name = ServerName::try_from(HOST).unwrap();
        TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
            .unwrap()
    }
}

type Versions = &'static [&'static rustls::SupportedProtocolVersion];

const OLD: Versions = &[&rustls::version::TLS12];
const NEW: Versions = &[&rustls::version::TLS13];
const ALL: Versions = &[&rustls::version::TLS12, &rustls::version::TLS13];

const REQUEST: &[u8] =
    b"POST /v1/graphql HTTP/1.1\r\nhost: db.example\r\nconnection: close\r\nx-gateway-admin-secret: s\r\n\
    content-type: application/json\r\ncontent-length: 30\r\n\r\n{\"query\":\"{ authors { id } }\"}";

/// Reads until the other end closes the connection, with or without a TLS close message.
async fn rest(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut bytes = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .expect("it is not closed");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn serial(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_version_of_tls_and_http_is_served() {
    let location = Place::new().await;
    let running = location.builder().start().await.unwrap();
    assert_eq!(running.url(), format!("https://{}", running.address()));
    for versions in [OLD, NEW] {
        let mut client = location.connect(&running, &["http/1.1"], versions).await;
        assert_eq!(client.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        client.write_all(REQUEST).await.unwrap();
        client.flush().await.unwrap();
        let response_value = rest(&mut client).await;
        assert!(
            response_value.starts_with("HTTP/1.1 200 ")
                && response_value.ends_with(r#"{"data":{"authors":[]}}"#),
            "{response_value}"
        );
    }
    let mut client = location.connect(&running, &["http/1.1", "h2"], ALL).await;
    assert_eq!(client.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    client
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await
        .unwrap();
    client.flush().await.unwrap();
    let mut frame = [0; 9];
    client.read_exact(&mut frame).await.unwrap();
    assert_eq!(
        (frame[3], &frame[5..]),
        (4, &[0; 4][..]),
        "the server's settings come first"
    );
    // A request head that is too large gets a response before the connection is closed.
    let mut client = location.connect(&running, &[], ALL).await;
    let long = format!(
        "GET / HTTP/1.1\r\nhost: h\r\nx: {}\r\n\r\n",
        "x".repeat(80 << 10)
    );
    let _ = client.write_all(long.as_bytes()).await;
    let _ = client.flush().await;
    let reply_body = rest(&mut client).await;
    assert!(
        reply_body.starts_with("HTTP/1.1 431 ") && reply_body.contains("limit-exceeded"),
        "{reply_body}"
    );
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_the_expiry_and_failed_handshakes() {
    let location = Place::new().await;
    let running = location.builder().start().await.unwrap();
    let der = CertificateDer::from_pem_file(&location.pair.certificate).unwrap();
    let not_after = Certificate::parse(&der).unwrap().validity.1.seconds();
    let metric = |name: &str| {
        let text = running.app().metrics.text(&Readings::default()).unwrap();
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let value = lines
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.to_owned());
        value.unwrap_or_else(|| panic!("no `{name}`: {text}"))
    };
    assert_eq!(
        metric("postern_tls_certificate_not_after_seconds"),
        not_after.to_string()
    );
    // A connection that sends nothing, as balancers make it, is no failure, nor is plain HTTP.
    drop(TcpStream::connect(running.address()).await.unwrap());
    let mut plain = TcpStream::connect(running.address()).await.unwrap();
    plain.write_all(REQUEST).await.unwrap();
    let mut response = String::new();
    plain.read_to_string(&mut response).await.unwrap();
    assert_eq!(metric("postern_tls_handshakes_failed_total"), "0");
    let mut broken = TcpStream::connect(running.address()).await.unwrap();
    broken.write_all(&[0x16, 3, 1, 0, 2, 0, 0]).await.unwrap();
    let _ = broken.read(&mut [0; 64]).await;
    until("the failed handshake is counted", async || {
        metric("postern_tls_handshakes_failed_total") == "1"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_changes_the_certificate_unless_it_is_invalid() {
    let location = Place::new().await;
    let running = location.builder().start().await.unwrap();
    let first = serial(&location.connect(&running, &[], ALL).await);
    location
        .authority
        .sign(
            "port",
            Wanted {
                names: &[HOST],
                ..Wanted::default()
            },
        )
        .unwrap();
    assert_eq!(
        serial(&location.connect(&running, &[], ALL).await),
        first,
        "nothing changes before the reload"
    );
    running.reload().await.unwrap();
    let second = serial(&location.connect(&running, &[], ALL).await);
    assert_ne!(second, first);
    let other = location.authority.sign("other", Wanted::default()).unwrap();
    std::fs::copy(&other.key, &location.pair.key).unwrap();
    let fault = running.reload().await.unwrap_err().to_string();
    assert!(
        fault.contains("does not belong to the certificate in"),
        "{fault}"
    );
    std::fs::write(&location.pair.certificate, "broken").unwrap();
    let fault = running.reload().await.unwrap_err().to_string();
    assert!(
        fault.ends_with("holds no certificate in PEM form"),
        "{fault}"
    );
    assert_eq!(serial(&location.connect(&running, &[], ALL).await), second);
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_cannot_enable_tls() {
    let location = Place::new().await;
    let mut settings = Settings::default();
    for (name, text) in [
        ("database-url", location.database.url()),
        ("admin-secret", "s"),
        ("listen", "127.0.0.1:0"),
    ] {
        settings.set(name, text).unwrap();
    }
    let current = Arc::new(Mutex::new(settings));
    let gathered = current.clone();
    let running = tests::gateway()
        .settings_from(move || Ok(gathered.lock().unwrap().clone()))
        .start()
        .await
        .unwrap();
    for (name, file) in [
        ("tls-cert", &location.pair.certificate),
        ("tls-key", &location.pair.key),
    ] {
        current
            .lock()
            .unwrap()
            .set(name, file.to_str().unwrap())
            .unwrap();
    }
    assert_eq!(
        running.reload().await.unwrap().waiting,
        ["tls_cert", "tls_key"]
    );
    assert_eq!(running.url(), format!("http://{}", running.address()));
    let mut plain = TcpStream::connect(running.address()).await.unwrap();
    plain.write_all(REQUEST).await.unwrap();
    assert!(rest(&mut plain).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_certificate_files_prevent_the_start() {
    let location = Place::new().await;
    let other = location.authority.sign("other", Wanted::default()).unwrap();
    let key = other.key.to_str().unwrap();
    let fault = location
        .builder()
        .setting("tls-key", key)
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        fault.contains("does not belong to the certificate in"),
        "{fault}"
    );
    let half = tests::gateway()
        .database_url(location.database.url())
        .admin_secret("s")
        .setting("tls-key", key);
    let fault = half.start().await.unwrap_err().to_string();
    assert!(fault.ends_with("`--tls-cert` is not set"), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_gets_an_error_and_silent_clients_are_dropped() {
    let location = Place::new().await;
    let running = location.builder().start().await.unwrap();
    let mut plain = TcpStream::connect(running.address()).await.unwrap();
    plain.write_all(REQUEST).await.unwrap();
    let response = rest(&mut plain).await;
    assert!(
        response.starts_with("HTTP/1.1 400 ") && response.contains("this port speaks HTTPS"),
        "{response}"
    );
    assert!(response.contains(r#""code":"bad-request""#), "{response}");
    // Connections of clients that send nothing, or stop in the middle of the handshake.
    let mut silent = Vec::new();
    for number in 0..60 {
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        if number % 2 == 1 {
            stream.write_all(b"\x16\x03\x01\x02").await.unwrap();
        }
        silent.push(stream);
    }
    let mut client = location.connect(&running, &[], ALL).await;
    client.write_all(REQUEST).await.unwrap();
    client.flush().await.unwrap();
    assert!(rest(&mut client).await.starts_with("HTTP/1.1 200 "));
    for stream in &mut silent {
        rest(stream).await;
    }
    // After the handshake the usual timeout for the head of a request applies.
    let mut mute = location.connect(&running, &[], ALL).await;
    rest(&mut mute).await;
    // A connection in the handshake does not delay the shutdown.
    let _held = TcpStream::connect(running.address()).await.unwrap();
    let began = Instant::now();
    running.shutdown().await;
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test(flavor = "multi_thread")]
async fn websockets_are_served_over_tls() {
    use futures_util::{SinkExt, StreamExt};
    use tokio_tungstenite::tungstenite::Message;
    use tokio_tungstenite::tungstenite::client::IntoClientRequest;

    let location = Place::new().await;
    let running = location.builder().start().await.unwrap();
    let stream = location.connect(&running, &["http/1.1"], NEW).await;
    let mut request = format!("wss://{HOST}/v1/graphql")
        .into_client_request()
        .unwrap();
    request.headers_mut().insert(
        "sec-websocket-protocol",
        "graphql-transport-ws".parse().unwrap(),
    );
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream)
        .await
        .unwrap();
    let init = r#"{"type":"connection_init","payload":{"X-Gateway-Admin-Secret":"s"}}"#;
    socket.send(Message::text(init)).await.unwrap();
    socket
        .send(Message::text(
            r#"{"type":"subscribe","id":"1","payload":{"query":"{ authors { id } }"}}"#,
        ))
        .await
        .unwrap();
    for text in [
        r#"{"type":"connection_ack"}"#,
        r#"{"type":"next","id":"1","payload":{"data":{"authors":[]}}}"#,
        r#"{"type":"complete","id":"1"}"#,
    ] {
        let message = tokio::time::timeout(PATIENCE, socket.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(message.into_text().unwrap().as_str(), text);
    }
}
