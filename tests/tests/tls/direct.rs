//! Tests `sslnegotiation=direct`. Postgres before 17 does not support it, so the server is a TLS
//! acceptor that forwards the decrypted data to a Postgres without TLS.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tests::certificates::{Pair, Wanted};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::server::{HOST, Server, ask, connect};

/// Accepts connections that begin with TLS. The receiver gets the server names that clients send,
/// and the negotiated protocols.
async fn accept(
    pair: &Pair,
    port: u16,
    protocols: &[&[u8]],
) -> (u16, tokio::sync::mpsc::UnboundedReceiver<Hello>) {
    let certificate = CertificateDer::from_pem_file(&pair.certificate).unwrap();
    let key = PrivateKeyDer::from_pem_file(&pair.key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let mut config = builder
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            let sender = sender.clone();
            tokio::spawn(async move {
                let mut client = acceptor.accept(client).await.ok()?;
                let session = client.get_ref().1;
                let hello = Hello {
                    name: session.server_name().map(str::to_owned),
                    protocol: session.alpn_protocol().map(<[u8]>::to_vec),
                };
                sender.send(hello).ok()?;
                let mut server = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
                tokio::io::copy_bidirectional(&mut client, &mut server)
                    .await
                    .ok()
            });
        }
    });
    (address.port(), receiver)
}

#[derive(Debug, PartialEq)]
struct Hello {
    name: Option<String>,
    protocol: Option<Vec<u8>>,
}

#[tokio::test(flavor = "multi_thread")]
async fn direct_negotiation_sends_sni_and_alpn() {
    let server = Server::start().await;
    let pair = server
        .authority
        .sign(
            "direct",
            Wanted {
                names: &[HOST],
                ..Wanted::default()
            },
        )
        .unwrap();
    let (port, mut hellos) = accept(&pair, server.cluster.port(), &[b"postgresql"]).await;
    let to = |port: u16, rest: &str| {
        let plain = format!("port={}", server.cluster.port());
        server
            .admin(&format!("sslnegotiation=direct {rest}"))
            .replacen(&plain, &format!("port={port}"), 1)
    };
    let verified = format!("sslmode=verify-full {}", server.root());
    // This Postgres does not see the TLS connection, so it offers no channel binding.
    let database = connect(&to(port, &verified)).await.unwrap();
    assert_eq!(ask(&database, "SELECT 'there'").await, "there");
    let expected = Hello {
        name: Some(HOST.into()),
        protocol: Some(b"postgresql".to_vec()),
    };
    assert_eq!(hellos.recv().await.unwrap(), expected);
    // Cancel requests begin with TLS too.
    let late = tokio::time::Instant::now() + std::time::Duration::from_millis(150);
    assert!(
        database
            .query_text("SELECT pg_sleep(60)::text", late)
            .await
            .is_err()
    );
    assert_eq!(hellos.recv().await.unwrap(), expected);
    assert_eq!(ask(&database, "SELECT 'still there'").await, "still there");

    let (port, mut hellos) = accept(&pair, server.cluster.port(), &[b"postgresql"]).await;
    drop(
        connect(&to(port, &format!("{verified} sslsni=0")))
            .await
            .unwrap(),
    );
    assert_eq!(hellos.recv().await.unwrap().name, None);
    let bound = connect(&to(port, &format!("{verified} channel_binding=require")))
        .await
        .unwrap_err();
    assert!(bound.contains("without channel binding"), "{bound}");

    let (deaf, _hellos) = accept(&pair, server.cluster.port(), &[]).await;
    let error = connect(&to(deaf, &verified)).await.unwrap_err();
    assert!(
        error.contains("the server does not know sslnegotiation=direct"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn direct_negotiation_with_a_plain_server_fails() {
    let server = Server::start().await;
    let error = connect(&server.admin("sslmode=require sslnegotiation=direct connect_timeout=2"))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("cannot connect to the database at 127.0.0.1:"),
        "{error}"
    );
    let weak = connect(&server.admin("sslmode=prefer sslnegotiation=direct"))
        .await
        .unwrap_err();
    assert_eq!(
        weak,
        "sslnegotiation=direct needs sslmode=require, verify-ca or verify-full"
    );
}
