//! Tests rules that change while the gateway runs, and invalid rules.

use std::path::Path;

use gateway::config::Settings;
use tests::binary;

use super::service::{PERMISSIONS, SCHEMA, SECRET, Service, send};

fn rule(name: &str, rate: u32) -> String {
    format!("[[rates]]\nname = \"{name}\"\nper = [\"address\"]\nrate = {rate}\nevery = 3600\n")
}

async fn service(config: &Path) -> Service {
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let url = database.url().to_owned();
    let config = config.to_str().unwrap().to_owned();
    let gather = move || {
        let flag = |name: &str| match name {
            "config" => Some(config.clone()),
            "database-url" => Some(url.clone()),
            "listen" => Some("127.0.0.1:0".into()),
            "admin-secret" => Some(SECRET.into()),
            _ => None,
        };
        Settings::gather(flag, |_| None)
    };
    let builder = tests::gateway()
        .settings_from(gather)
        .permissions_text("service.toml", PERMISSIONS);
    Service {
        gateway: builder.start().await.unwrap(),
        client: reqwest::Client::new(),
        _database: Some(database),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_keeps_the_counts_of_unchanged_rules() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gateway.toml");
    std::fs::write(&config, rule("a", 3)).unwrap();
    let service = service(&config).await;
    assert_eq!(service.statuses(2, || service.reader()).await, [200, 200]);
    std::fs::write(&config, rule("b", 100) + &rule("a", 3)).unwrap();
    service.gateway.reload().await.unwrap();
    assert_eq!(service.statuses(2, || service.reader()).await, [200, 429]);
    // A changed rule starts with an empty count.
    std::fs::write(&config, rule("a", 2)).unwrap();
    service.gateway.reload().await.unwrap();
    assert_eq!(
        service.statuses(3, || service.reader()).await,
        [200, 200, 429]
    );
    // An invalid rule leaves the running ones in place.
    std::fs::write(&config, rule("a", 0)).unwrap();
    let message = service.gateway.reload().await.unwrap_err().to_string();
    assert!(
        message.contains("`rates`: `a`: `rate` has to be at least 1"),
        "{message}"
    );
    assert_eq!(send(service.reader()).await.status, 429);
    std::fs::write(&config, "").unwrap();
    service.gateway.reload().await.unwrap();
    assert_eq!(service.statuses(3, || service.reader()).await, [200; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_validates_rates_proxies_and_the_redis_url() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gateway.toml");
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let check = |text: &str| {
        std::fs::write(&config, text).unwrap();
        let config = config.to_str().unwrap();
        binary::run(&[
            "check",
            "--config",
            config,
            "--database-url",
            database.url(),
        ])
        .unwrap()
    };
    let sound = check(&rule("a", 1));
    assert_eq!(sound.code, Some(0), "{}", sound.err);
    for (text, message) in [
        (rule("a", 0), "`rates`: `a`: `rate` has to be at least 1"),
        (
            "\n[[rates]]\nname = \"a\"\nper = [\"planet\"]\nrate = 1\n".into(),
            "line 4: `per` holds",
        ),
        (
            "trusted_proxies = [\"here\"]\n".into(),
            "`trusted_proxies` has to be",
        ),
        (
            "redis_url = \"http://user:hunter2@here\"\n".into(),
            "`redis_url` has to be",
        ),
    ] {
        let found = check(&text);
        assert_eq!(found.code, Some(1), "{text}: {}", found.err);
        assert!(
            found.err.contains(message) && !found.err.contains("hunter2"),
            "{text}: {}",
            found.err
        );
    }
}
