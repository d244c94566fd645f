//! Tests every `sslmode` against every kind of server, client certificates, channel binding, and
//! later events on a connection.

use std::time::{Duration, Instant};

use pg::DatabaseError;
use tests::certificates::{Authority, Pair, Wanted};

use super::server::{HOST, PATIENCE, Server, ask, connect, is_encrypted};

/// The outcome of a connection attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Encrypted,
    Plain,
    /// An error that contains this text.
    Refused(&'static str),
}
use Outcome::{Encrypted, Plain, Refused};

async fn outcome(conninfo: &str) -> Result<bool, String> {
    Ok(is_encrypted(&connect(conninfo).await?).await)
}

/// Checks the outcome of each mode; those that verify get the authority's certificate.
async fn expect(server: &Server, state: &str, expected: [(&str, Outcome); 8]) {
    for (mode, expected) in expected {
        let (mode, root) = match mode.strip_suffix("+root") {
            Some(mode) => (mode, server.root()),
            None if mode.starts_with("verify") => (mode, server.root()),
            None => (mode, String::new()),
        };
        let found = outcome(&server.admin(&format!("sslmode={mode} {root}"))).await;
        match (expected, found) {
            (Encrypted, Ok(true)) | (Plain, Ok(false)) => {}
            (Refused(text), Err(error)) => {
                assert!(
                    error.starts_with("cannot connect to the database at 127.0.0.1:"),
                    "{state}, {mode}: {error}"
                );
                assert_eq!(error.matches(text).count(), 1, "{state}, {mode}: {error}");
            }
            (expected, found) => panic!("{state}, {mode}: {found:?} in place of {expected:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_sslmode_works_like_libpq_with_every_server() {
    let server = Server::start().await;
    let none = Refused("the server does not support TLS");
    let modes = |outcomes: [Outcome; 8]| {
        let names = [
            "disable",
            "allow",
            "prefer",
            "prefer+root",
            "require",
            "require+root",
            "verify-ca",
            "verify-full",
        ];
        let mut outcomes = outcomes.into_iter();
        names.map(|name| (name, outcomes.next().unwrap()))
    };
    expect(
        &server,
        "off",
        modes([Plain, Plain, Plain, Plain, none, none, none, none]),
    )
    .await;

    server
        .show(Wanted {
            names: &["other.example", HOST],
            ..Wanted::default()
        })
        .await;
    let all = [
        Plain, Plain, Encrypted, Encrypted, Encrypted, Encrypted, Encrypted, Encrypted,
    ];
    expect(&server, "good", modes(all)).await;

    // Like libpq, uses the common name if there are no alternative names.
    server
        .show(Wanted {
            common_name: HOST,
            ..Wanted::default()
        })
        .await;
    expect(&server, "common name", modes(all)).await;

    server
        .show(Wanted {
            names: &["other.example"],
            common_name: HOST,
            ..Wanted::default()
        })
        .await;
    let wrong = Refused("the server's certificate is for other.example, not db.example");
    expect(
        &server,
        "wrong name",
        modes([
            Plain, Plain, Encrypted, Encrypted, Encrypted, Encrypted, Encrypted, wrong,
        ]),
    )
    .await;

    server
        .show(Wanted {
            names: &[HOST],
            until: 2001,
            ..Wanted::default()
        })
        .await;
    let old = Refused("the server's certificate expired on 2001-01-01");
    // `prefer` continues without TLS, as in libpq, and any mode verifies if it has a root
    // certificate.
    expect(
        &server,
        "expired",
        modes([Plain, Plain, Encrypted, Plain, Encrypted, old, old, old]),
    )
    .await;

    let stranger = Authority::new(server.folder.path(), "stranger").unwrap();
    let pair = stranger
        .sign(
            "strange",
            Wanted {
                names: &[HOST],
                ..Wanted::default()
            },
        )
        .unwrap();
    server.show_pair(&pair).await;
    let unknown = Refused("the server's certificate is not signed by an authority in ");
    expect(
        &server,
        "unknown authority",
        modes([
            Plain, Plain, Encrypted, Plain, Encrypted, unknown, unknown, unknown,
        ]),
    )
    .await;

    // A server's own certificate can serve as the root certificate.
    let pinned = format!(
        "sslmode=verify-full sslrootcert={}",
        pair.certificate.display()
    );
    assert_eq!(outcome(&server.admin(&pinned)).await, Ok(true));
    let another = format!(
        "sslmode=verify-full sslrootcert={}",
        server.authority.file().display()
    );
    assert!(outcome(&server.admin(&another)).await.is_err());
    let nothing = outcome(&server.admin("sslmode=verify-ca sslrootcert=/nowhere/root.crt"))
        .await
        .unwrap_err();
    assert!(
        nothing.starts_with("cannot read /nowhere/root.crt: "),
        "{nothing}"
    );

    // A Unix socket is never encrypted, whatever the mode.
    let socket = server.cluster.socket_dir().display();
    let local = format!(
        "host={socket} port={} user=postern dbname=postgres",
        server.cluster.port()
    );
    for mode in ["disable", "prefer", "require", "verify-full"] {
        assert_eq!(
            outcome(&format!("{local} sslmode={mode}")).await,
            Ok(false),
            "{mode}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_that_require_tls_or_a_certificate_need_it() {
    let server = Server::good().await;
    let is = async |rest: &str| outcome(&server.conninfo(rest)).await;
    let refused = async |rest: &str, text: &str| {
        let error = is(rest).await.unwrap_err();
        assert!(error.contains(text), "{rest}: {error}");
        assert!(!error.contains("hidden"), "{error}");
    };
    let verified = format!("sslmode=verify-full {}", server.root());
    for mode in ["allow", "prefer", "require", &verified] {
        let mode = if mode.starts_with("sslmode") {
            mode.to_owned()
        } else {
            format!("sslmode={mode}")
        };
        assert_eq!(
            is(&format!("user=encrypted password=p {mode}")).await,
            Ok(true),
            "{mode}"
        );
    }
    refused("user=encrypted password=p sslmode=disable", "no encryption").await;
    refused(
        "user=encrypted password=hidden sslmode=allow",
        "password authentication failed",
    )
    .await;
    refused(
        "user=encrypted password=hidden sslmode=prefer",
        "password authentication failed",
    )
    .await;
    refused(
        "user=encrypted sslmode=require",
        "the server asks for a password, and none is set",
    )
    .await;
    for mode in ["disable", "allow", "prefer"] {
        assert_eq!(
            is(&format!("user=plain password=p sslmode={mode}")).await,
            Ok(false),
            "{mode}"
        );
    }
    refused(
        "user=plain password=p sslmode=require",
        "no pg_hba.conf entry",
    )
    .await;

    let files = |name: &str| {
        let wanted = Wanted {
            common_name: name,
            ..Wanted::default()
        };
        let pair = server.authority.sign(name, wanted).unwrap();
        format!(
            "sslcert={} sslkey={}",
            pair.certificate.display(),
            pair.key.display()
        )
    };
    let certified = files("certified");
    let both = files("doubly");
    assert_eq!(
        is(&format!("user=certified {verified} {certified}")).await,
        Ok(true)
    );
    assert_eq!(
        is(&format!("user=doubly password=p {verified} {both}")).await,
        Ok(true)
    );
    refused(&format!("user=certified {verified}"), "certificate").await;
    refused(
        &format!("user=certified {verified} {both}"),
        "certificate authentication failed",
    )
    .await;
    refused(
        &format!("user=certified {verified} {certified} sslcertmode=disable"),
        "certificate",
    )
    .await;
    let stranger = Authority::new(server.folder.path(), "stranger").unwrap();
    let pair = stranger
        .sign(
            "forged",
            Wanted {
                common_name: "certified",
                ..Wanted::default()
            },
        )
        .unwrap();
    let forged = format!(
        "sslcert={} sslkey={}",
        pair.certificate.display(),
        pair.key.display()
    );
    refused(
        &format!("user=certified {verified} {forged}"),
        "does not accept the client certificate",
    )
    .await;

    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&pair.key, std::fs::Permissions::from_mode(0o644)).unwrap();
    refused(
        &format!("user=certified {verified} {forged}"),
        "group or others may access the private key",
    )
    .await;
    refused(
        &format!("user=certified {verified} sslcert=/nowhere/c"),
        "cannot read /nowhere/c: ",
    )
    .await;
    let mixed = format!(
        "sslcert={} sslkey={}",
        pair.certificate.display(),
        server.folder.path().join("doubly.key").display()
    );
    refused(
        &format!("user=certified {verified} {mixed}"),
        "does not belong to the certificate",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_certificates_are_refused() {
    let server = Server::good().await;
    let verified = format!("sslmode=verify-full {}", server.root());
    for (serial, is_good) in [(7, false), (8, true)] {
        let list = server.authority.revoke("list.crl", serial).unwrap();
        let found = outcome(&server.admin(&format!("{verified} sslcrl={}", list.display()))).await;
        if is_good {
            assert_eq!(found, Ok(true));
        } else {
            assert!(
                found
                    .unwrap_err()
                    .ends_with("the server's certificate is revoked")
            );
        }
    }
}

/// Old instructions for Postgres create certificates without extensions.
#[tokio::test(flavor = "multi_thread")]
async fn version_1_certificates_work_as_their_own_root() {
    let server = Server::start().await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/keys/");
    let file = |name: &str| std::path::PathBuf::from(format!("{folder}{name}"));
    server
        .show_pair(&Pair {
            certificate: file("version1.crt"),
            key: file("version1.key"),
        })
        .await;
    for version in ["TLSv1.2", "TLSv1.3"] {
        let only = format!("ssl_min_protocol_version={version} ssl_max_protocol_version={version}");
        let bound = format!("sslmode=require channel_binding=require {only}");
        assert_eq!(outcome(&server.admin(&bound)).await, Ok(true), "{version}");
        let pinned = format!("sslmode=verify-full sslrootcert={folder}version1.crt {only}");
        assert_eq!(outcome(&server.admin(&pinned)).await, Ok(true), "{version}");
    }
    let error = outcome(&server.admin(&format!("sslmode=verify-ca {}", server.root())))
        .await
        .unwrap_err();
    assert!(error.contains("X.509 version 1"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn channel_binding_is_enforced_where_required() {
    let server = Server::good().await;
    let is = async |rest: &str| outcome(&server.admin(rest)).await;
    for binding in ["disable", "prefer", "require"] {
        assert_eq!(
            is(&format!("sslmode=require channel_binding={binding}")).await,
            Ok(true),
            "{binding}"
        );
    }
    let plain = is("sslmode=disable channel_binding=require")
        .await
        .unwrap_err();
    assert!(
        plain.ends_with("channel_binding=require needs TLS, which this connection does not have"),
        "{plain}"
    );
    // A server that requires no password does not prove its identity.
    let trusted = outcome(&server.conninfo("user=trusted sslmode=require channel_binding=require"))
        .await
        .unwrap_err();
    assert!(trusted.contains("without channel binding"), "{trusted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_requests_and_large_values_use_tls() {
    let server = Server::good().await;
    let database = connect(&server.conninfo(&format!(
        "user=encrypted password=p sslmode=verify-full {}",
        server.root()
    )))
    .await
    .unwrap();
    let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
    for _ in 0..3 {
        let late = tokio::time::Instant::now() + Duration::from_millis(150);
        let result = database
            .query_text("SELECT pg_sleep(60)::text AS sleeps_over_tls", late)
            .await;
        assert!(
            matches!(result, Err(DatabaseError::Timeout(_))),
            "{result:?}"
        );
        // The user cannot connect without TLS, and the connection is reused: so the cancel request
        // arrived, and over TLS.
        let began = Instant::now();
        assert_eq!(
            ask(&database, "SELECT pg_backend_pid()::text").await,
            backend
        );
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the statement ran to its end"
        );
    }
    let running = "SELECT count(*)::text FROM pg_stat_activity WHERE state = 'active' AND query \
                   LIKE '%AS sleeps_over' || '_tls'";
    assert_eq!(ask(&database, running).await, "0");
    let large = "x".repeat(5 << 20);
    let deadline = || tokio::time::Instant::now() + PATIENCE;
    for length in [1, 16 << 10, 100_000, 5 << 20] {
        let parameters = [Some(large[..length].to_owned())];
        let statement = "SELECT $1::text || g FROM generate_series(1, 3) g";
        let mut rows = database
            .query(statement, &parameters, deadline())
            .await
            .unwrap();
        for number in 1..=3 {
            let text = rows.next().await.unwrap().unwrap().text().unwrap();
            assert!(
                text.len() == length + 1 && text.ends_with(&number.to_string()),
                "{length}"
            );
        }
        assert!(rows.next().await.unwrap().is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnecting_uses_and_verifies_tls() {
    let server = Server::good().await;
    let database = connect(&server.conninfo(&format!(
        "user=encrypted password=p sslmode=verify-full {}",
        server.root()
    )))
    .await
    .unwrap();
    let other = connect(&server.admin("sslmode=disable")).await.unwrap();
    let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
    assert!(is_encrypted(&database).await);
    let end = "SELECT count(pg_terminate_backend(pid))::text FROM pg_stat_activity WHERE usename \
               = 'encrypted'";
    ask(&other, end).await;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut retry = database.retry(deadline);
    let after = loop {
        match database
            .query_text("SELECT pg_backend_pid()::text", deadline)
            .await
        {
            Err(fault) if retry.should_retry(&fault).await => {}
            outcome => break outcome.unwrap(),
        }
    };
    assert_ne!(after, backend);
    // The certificate is verified for each connection.
    server
        .show(Wanted {
            names: &["other.example"],
            ..Wanted::default()
        })
        .await;
    ask(&other, end).await;
    let fault = loop {
        match database.query_text("SELECT 'there'", deadline).await {
            Err(DatabaseError::Unavailable(cause)) if cause.contains("certificate") => break cause,
            other => assert!(tokio::time::Instant::now() < deadline, "{other:?}"),
        }
    };
    assert_eq!(
        fault,
        "the server's certificate is for other.example, not db.example"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_warning_about_local_connections_without_tls() {
    let server = Server::start().await;
    let database = connect(&server.admin("sslcompression=1")).await.unwrap();
    assert_eq!(
        database.warnings(),
        ["the parameter `sslcompression` of the database URL has no effect"]
    );
}
