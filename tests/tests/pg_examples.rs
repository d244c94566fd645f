//! Runs the examples of `pg` against a database.

use std::path::PathBuf;
use std::process::Command;

/// What an example prints. `cargo test` builds the examples of the workspace beside the tests.
async fn output(example: &str) -> String {
    let database = tests::database::create("pg_examples", &[]).await.unwrap();
    let output = Command::new(path(example))
        .env("DATABASE_URL", database.url())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The file `target/debug/examples/<name>`.
fn path(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    profile.join("examples").join(example)
}

#[tokio::test]
async fn example_of_the_pool_serves_ten_callers_by_two_connections() {
    let printed = output("pool").await;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..9], ["hello, ann"; 9]);
    assert_eq!(lines[9..11], ["hello, bob", "seven locked"]);
    // One may have served all before the other was opened.
    let opened = [
        "1 of 2 connections were opened",
        "2 of 2 connections were opened",
    ];
    assert!(opened.contains(&lines[11]), "{printed}");
    assert_eq!(lines.len(), 12, "{printed}");
}

#[tokio::test]
async fn example_of_replication_prints_the_rows_that_were_committed() {
    assert_eq!(
        output("replication").await,
        "a table with the columns id, text\na new row: 1, first\na new row: 2, second\n"
    );
}
