//! Random databases: what the gateway serves is what Postgres shows and permits. A failure prints
//! its seed, which `POSTERN_SEED=<seed>` runs alone.

use serde_json::json;

use super::judge::{Caller, Judge};
use super::random_database::{Numbers, script};

/// Databases of one test.
const DATABASES: u64 = 3;

fn callers() -> [Caller; 3] {
    [
        Caller {
            settings: vec![
                ("app.user_id", "1"),
                ("acting.user_id", "2"),
                ("app.note", "x"),
            ],
            claims: json!({"team": 1, "guest": false}),
        },
        Caller {
            settings: vec![("app.user_id", "2")],
            claims: json!({"team": 2, "banned": "yes", "guest": true}),
        },
        Caller {
            settings: vec![],
            claims: json!({}),
        },
    ]
}

async fn compare(first: u64) {
    let alone = std::env::var("POSTERN_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seeds = alone.map_or(first..first + DATABASES, |seed| seed..seed + 1);
    for seed in seeds {
        eprintln!("seed {seed}");
        let script = script(&mut Numbers::new(seed));
        let judge = Judge::new(&script).await;
        let differences = judge
            .differences(&["WEBBY", "MEMBER", "KEEPER", "EXEMPT"], &callers())
            .await;
        let shown = differences
            .iter()
            .take(3)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n\n");
        assert!(
            differences.is_empty(),
            "seed {seed}: {} differences\n{shown}\n{script}\n{}",
            differences.len(),
            judge.file
        );
        judge.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_databases_are_served_as_postgres_shows_them() {
    compare(1000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_random_databases_are_served_as_postgres_shows_them() {
    compare(2000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn yet_more_random_databases_are_served_as_postgres_shows_them() {
    compare(3000).await;
}
