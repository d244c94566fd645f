//! Tests `postern migrate` and `postern pat`.

use serde_json::Value;
use tests::binary::run;
use tests::service::JWT_SECRET;

use crate::exchange::service::{NO_RATES, NO_TOKEN, SCHEMA, Service, USERS, migrated};

#[tokio::test(flavor = "multi_thread")]
async fn migrating_again_changes_nothing() {
    let database = tests::create("migrate", &[SCHEMA]).await.unwrap();
    let migrate = || run(&["migrate", "--database-url", database.url()]).unwrap();
    let first = migrate();
    assert_eq!(
        (first.code, first.out.as_str()),
        (Some(0), ""),
        "{}",
        first.err
    );
    assert!(
        first.err.contains("the schema `postern` is made, version "),
        "{}",
        first.err
    );
    let again = migrate();
    assert!(
        again.code == Some(0) && again.err.contains("already"),
        "{}",
        again.err
    );
    let printed = run(&["migrate", "--print"]).unwrap();
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    // The printed script may be run by hand, before or after the command.
    let client = database.connect().await.unwrap();
    client.batch_execute(&printed.out).await.unwrap();
    let versions: i64 = client
        .query_one("SELECT count(*) FROM postern.migration", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(
        usize::try_from(versions).unwrap(),
        gateway::migrations::NEWEST_VERSION
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_migrations_succeed() {
    let database = tests::create("migrate", &[SCHEMA]).await.unwrap();
    let clients = futures_util::future::join_all((0..6).map(|_| database.connect())).await;
    let versions = plugins::migrations();
    let migrated = clients
        .iter()
        .map(|client| gateway::migrations::migrate(client.as_ref().unwrap(), &versions));
    for outcome in futures_util::future::join_all(migrated).await {
        outcome.unwrap();
    }
    assert_eq!(
        gateway::migrations::version(clients[0].as_ref().unwrap())
            .await
            .unwrap(),
        gateway::migrations::NEWEST_VERSION
    );
}

/// The page lists the grants that a separate role for the gateway needs; with exactly these
/// everything works, and the role cannot change the audit table.
#[tokio::test(flavor = "multi_thread")]
async fn documented_grants_suffice_for_a_separate_role() {
    let page = include_str!("../../../docs/token-exchange.md");
    let grants = page
        .split("```sql\n")
        .find(|block| block.starts_with("GRANT"))
        .unwrap();
    let grants = grants.split("```").next().unwrap();
    let service = Service::start().await;
    let role = format!("gateway_{}", uuid::Uuid::new_v4().simple());
    let grants = grants.replace("TO gateway;", &format!("TO {role};"));
    let made = format!("CREATE ROLE {role}; GRANT SELECT ON accounts, notes TO {role}; {grants}");
    service.sql.batch_execute(&made).await.unwrap();
    let token = service.token("1").await;

    let file = format!("[token_exchange]\n{USERS}{NO_RATES}");
    let mut other = service
        .with_url(
            &format!("{}?options=-c%20role%3D{role}", service.database.url()),
            &file,
        )
        .await;
    let user = other.value("SELECT current_user").await;
    assert_ne!(user, role, "the tests keep their own role");
    let session = other.session(&token).await;
    let next = other
        .refresh(session["refreshToken"].as_str().unwrap())
        .await;
    assert_eq!(next.status, 200, "{}", next.text);
    let access = next.json()["accessToken"].as_str().unwrap().to_owned();
    let made = other
        .ask(
            &access,
            "author",
            "mutation { createPersonalAccessToken(args: {name: \"x\"}) { id } }",
        )
        .await;
    let id = made.data()["createPersonalAccessToken"]["id"].clone();
    let revoke = format!("mutation {{ revokePersonalAccessToken(args: {{id: {id}}}) }}");
    assert_eq!(
        other.ask(&access, "author", &revoke).await.data()["revokePersonalAccessToken"],
        true,
        "{}",
        made.text
    );
    other
        .sign_in("nonsense")
        .await
        .assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
    let body = serde_json::json!({"refreshToken": next.json()["refreshToken"]});
    assert_eq!(other.post("/v1/signout", &body).await.status, 200);

    let client = &mut other.sql;
    client
        .batch_execute(&format!("SET ROLE {role}"))
        .await
        .unwrap();
    for statement in [
        "ALTER TABLE postern.authentication_event DISABLE TRIGGER ALL",
        "DELETE FROM postern.authentication_event",
    ] {
        assert!(
            client.batch_execute(statement).await.is_err(),
            "{statement}"
        );
    }
    client
        .batch_execute(&format!(
            "RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}"
        ))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn check_validates_the_token_exchange_section() {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gateway.toml");
    let check = |section: &str| {
        std::fs::write(&config, section).unwrap();
        run(&[
            "check",
            "--config",
            config.to_str().unwrap(),
            "--database-url",
            database.url(),
            "--jwt-secret",
            JWT_SECRET,
        ])
        .unwrap()
    };
    let good = check(&format!("[token_exchange]\n{USERS}"));
    assert_eq!(good.code, Some(0), "{}", good.err);
    let bad = check("[token_exchange]\nusers = \"SELECT 1 AS id\"\n");
    assert!(
        bad.code == Some(1) && bad.err.contains("`users` has to have one parameter"),
        "{}",
        bad.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pat_command_creates_lists_and_revokes_tokens() {
    let service = Service::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gateway.toml");
    std::fs::write(&config, format!("[token_exchange]\n{USERS}")).unwrap();
    let pat = |arguments: &[&str]| {
        let usual = [
            "--config",
            config.to_str().unwrap(),
            "--database-url",
            service.database.url(),
        ];
        run(&["pat"]
            .iter()
            .chain(arguments)
            .chain(&usual)
            .copied()
            .collect::<Vec<_>>())
        .unwrap()
    };
    let made = pat(&[
        "create",
        "--user",
        "1",
        "--name",
        "la\u{1b}ptop",
        "--role",
        "reader",
    ]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let token = made.out.trim_end();
    assert_eq!(
        service.session(token).await["user"]["roles"],
        serde_json::json!(["reader"])
    );
    let other = pat(&[
        "create",
        "--user",
        "2",
        "--name",
        "other",
        "--expires",
        "never",
        "--json",
    ]);
    let other: Value = serde_json::from_str(&other.out).unwrap();

    let listed = pat(&["list"]);
    assert!(
        listed.out.contains("until 20") && listed.out.contains("for ever"),
        "{}",
        listed.out
    );
    assert!(
        !listed.out.contains(token) && !listed.out.contains('\u{1b}'),
        "{}",
        listed.out
    );
    let of_one = pat(&["list", "--user", "2", "--json"]);
    let of_one: Value = serde_json::from_str(&of_one.out).unwrap();
    assert_eq!(
        (of_one.as_array().unwrap().len(), &of_one[0]["id"]),
        (1, &other["id"])
    );

    let id = other["id"].as_str().unwrap();
    let revoked = pat(&["revoke", id]);
    assert_eq!(revoked.code, Some(0), "{}", revoked.err);
    service
        .sign_in(other["personalAccessToken"].as_str().unwrap())
        .await
        .assert_coded_envelope(401, "invalid-pat", NO_TOKEN);
    assert_eq!(pat(&["revoke", id]).code, Some(1));
    assert_eq!(pat(&["revoke", "nonsense"]).code, Some(2));

    let wrong = [
        ["--user", "99", "--expires", "1"],
        ["--user", "1", "--expires", "0"],
        ["--user", "1", "--expires", "x"],
    ];
    for arguments in wrong {
        let all: Vec<&str> = ["create", "--name", "x"]
            .into_iter()
            .chain(arguments)
            .collect();
        let refused = pat(&all);
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (Some(1), ""),
            "{}",
            refused.err
        );
    }
}
