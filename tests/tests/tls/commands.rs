//! Tests the binary's commands: each that connects uses TLS, configured by URL, by `DATABASE_URL`
//! and by libpq's variables.

use tests::binary;
use tests::certificates::{Authority, Wanted, write_secret};

use super::server::{HOST, PATIENCE, Server};

#[tokio::test(flavor = "multi_thread")]
async fn every_command_connects_with_tls() {
    let server = Server::good().await;
    let url = server.conninfo(&format!(
        "user=encrypted password=p sslmode=verify-full channel_binding=require {}",
        server.root()
    ));
    server
        .run("CREATE TABLE authors (id int PRIMARY KEY)")
        .await;
    let document = server.folder.path().join("authors.graphql");
    std::fs::write(&document, "{ authors { id } }").unwrap();
    let commands: [&[&str]; 8] = [
        &["migrate"],
        &["init"],
        &["catalog"],
        &["check"],
        &["pat", "list"],
        &["schema", "--role", "admin"],
        &["openapi", "--role", "admin"],
        &[
            "explain",
            "--role",
            "admin",
            "--analyze",
            document.to_str().unwrap(),
        ],
    ];
    for command in commands {
        let finished = binary::run(&[command, &["--database-url", &url]].concat()).unwrap();
        assert_eq!(finished.code, Some(0), "{command:?}: {}", finished.err);
    }
    let plain = server.conninfo("user=encrypted password=p sslmode=disable");
    let refused = binary::run(&["check", "--database-url", &plain]).unwrap();
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("no encryption"), "{}", refused.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn environment_variables_configure_the_database() {
    let server = Server::good().await;
    let file = server.folder.path().join("pgpass");
    write_secret(&file, &format!("# tests\n{HOST}:*:postgres:encrypted:p\n")).unwrap();
    let port = server.cluster.port().to_string();
    let root = server.authority.file().to_str().unwrap().to_owned();
    let variables = [
        ("PGHOST", HOST),
        ("PGHOSTADDR", "127.0.0.1"),
        ("PGPORT", &port),
        ("PGUSER", "encrypted"),
        ("PGDATABASE", "postgres"),
        ("PGSSLMODE", "verify-full"),
        ("PGSSLROOTCERT", &root),
        ("PGPASSFILE", file.to_str().unwrap()),
    ];
    let run = |more: &[(&str, &str)]| {
        let mut command = binary::command(&["catalog"]);
        command
            .env_remove("DATABASE_URL")
            .envs(variables)
            .envs(more.iter().copied());
        binary::Finished::from(command.output().unwrap())
    };
    let found = run(&[]);
    assert_eq!(found.code, Some(0), "{}", found.err);
    // The URL takes precedence, and the variables supply what it omits.
    let by_url = run(&[(
        "DATABASE_URL",
        "postgres://encrypted@/template1?hostaddr=127.0.0.1&pgbouncer=true",
    )]);
    assert!(
        by_url
            .err
            .contains("the parameter `pgbouncer` of the database URL has no effect"),
        "{}",
        by_url.err
    );
    assert!(
        by_url
            .err
            .contains("the server asks for a password, and none is set"),
        "{}",
        by_url.err
    );
    let refused = run(&[("PGSSLMODE", "hidden")]);
    assert!(
        refused.err.contains("`PGSSLMODE` has to be") && !refused.err.contains("hidden"),
        "{}",
        refused.err
    );
    let mut nothing = binary::command(&["catalog"]);
    nothing.env_remove("DATABASE_URL");
    let nothing = binary::Finished::from(nothing.output().unwrap());
    assert!(
        nothing.err.contains("no database is set"),
        "{}",
        nothing.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn default_files_and_system_authorities_are_used() {
    let server = Server::good().await;
    let home = server.folder.path().join("home");
    std::fs::create_dir_all(home.join(".postgresql")).unwrap();
    let usual = |name: &str| home.join(".postgresql").join(name);
    let run = |rest: &str, authorities: &std::path::Path| {
        let mut command = binary::command(&["catalog", "--database-url", &server.conninfo(rest)]);
        command
            .env("HOME", &home)
            .env("SSL_CERT_FILE", authorities)
            .env_remove("SSL_CERT_DIR");
        binary::Finished::from(command.output().unwrap())
    };
    let authority = server.authority.file();
    let bare = run("user=certified sslmode=verify-full", authority);
    assert!(
        bare.err
            .contains("sslmode=verify-full needs certificates to verify by"),
        "{}",
        bare.err
    );
    let system = "user=encrypted password=p sslrootcert=system";
    let trusted = run(system, authority);
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
    let stranger = Authority::new(server.folder.path(), "stranger").unwrap();
    let finished = run(system, stranger.file());
    assert!(
        finished
            .err
            .contains("is not signed by an authority that this machine trusts"),
        "{}",
        finished.err
    );
    let pair = server
        .authority
        .sign(
            "me",
            Wanted {
                common_name: "certified",
                ..Wanted::default()
            },
        )
        .unwrap();
    std::fs::copy(authority, usual("root.crt")).unwrap();
    std::fs::copy(&pair.certificate, usual("postgresql.crt")).unwrap();
    let keyless = run("user=certified sslmode=verify-full", authority);
    assert!(
        keyless.err.contains("needs a private key; set `sslkey`"),
        "{}",
        keyless.err
    );
    std::fs::copy(&pair.key, usual("postgresql.key")).unwrap();
    let whole = run("user=certified sslmode=verify-full", authority);
    assert_eq!(whole.code, Some(0), "{}", whole.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_logs_https_warnings_and_invalid_certificates() {
    let server = Server::good().await;
    let pair = server
        .authority
        .sign(
            "port",
            Wanted {
                names: &[HOST],
                ..Wanted::default()
            },
        )
        .unwrap();
    let url = server.conninfo("user=encrypted password=p sslmode=require sslcompression=1");
    let mut command = binary::command(&[
        "serve",
        "--insecure",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        &url,
    ]);
    command
        .arg("--tls-cert")
        .arg(&pair.certificate)
        .arg("--tls-key")
        .arg(&pair.key);
    let running = binary::Running::start(command).unwrap();
    assert!(
        running
            .wait_for_line(
                "the parameter `sslcompression` of the database URL has no effect",
                PATIENCE
            )
            .is_some()
    );
    let ready = running.wait_for_line("ready", PATIENCE).unwrap();
    assert!(ready.contains("url=https://127.0.0.1:"), "{ready}");
    std::fs::write(&pair.certificate, "broken").unwrap();
    running.signal("HUP").unwrap();
    let line = running
        .wait_for_line("not reloaded, the running version stays", PATIENCE)
        .unwrap();
    assert!(line.contains("holds no certificate in PEM form"), "{line}");
}

#[test]
fn passwords_do_not_appear_in_errors() {
    let passwords = [
        "hid@den",
        "hid:den",
        "hid/den",
        "hid#den",
        "hid?den",
        "hid%den",
        "hid den",
        "hid@den/x?y=z#",
        "12/34@den",
    ];
    for password in passwords {
        let url = format!("postgres://somebody:{password}@127.0.0.1:1/none?sslmode=disable");
        let finished = binary::run(&["check", "--database-url", &url]).unwrap();
        assert_eq!(finished.code, Some(1), "{url}");
        assert!(!finished.err.is_empty() && finished.out.is_empty());
        for part in ["hid", "34@"] {
            assert!(!finished.err.contains(part), "{url}: {}", finished.err);
        }
    }
}
