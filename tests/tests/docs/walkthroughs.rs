//! Runs the pages that are walk-throughs, command by command: their files are written, `sh` blocks
//! run in one shell in order, `serve` blocks run in the background until the next one, and a `json`
//! block is the output of the block before it.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::binary;

use super::read;

/// A fenced block, with the comment on the line above.
struct Block<'p> {
    mark: &'p str,
    language: &'p str,
    body: String,
}

/// The database of pages that begin with one.
const SHOP: &str = "
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, placed_at timestamptz NOT NULL DEFAULT now());
INSERT INTO customers VALUES (7, 'Ada'), (8, 'Bob');
INSERT INTO orders (id, customer_id) VALUES (1, 7), (2, 8), (3, 7);
";

/// The blocks of a page; the address of the page's gateway becomes that of the test's.
fn blocks<'p>(page: &'p str, address: &str) -> Vec<Block<'p>> {
    let mut found = vec![];
    let mut mark = "";
    let mut open = None::<(&str, &str, String)>;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => {
                found.extend(open.take().map(|(mark, language, body)| Block {
                    mark,
                    language,
                    body,
                }));
                mark = "";
            }
            (Some((_, _, body)), _) => {
                body.push_str(&format!("{}\n", line.replace("localhost:8080", address)));
            }
            (None, Some(language)) => open = Some((mark, language, String::new())),
            (None, None) => {
                mark = line
                    .strip_prefix("<!-- ")
                    .and_then(|line| line.strip_suffix(" -->"))
                    .unwrap_or("");
            }
        }
    }
    found
}

/// The shell script of a page, which writes the output of each block to `out.N`; and the expected
/// outputs.
fn script(blocks: &[Block<'_>], folder: &Path, address: &str) -> (String, Vec<(usize, Value)>) {
    let mut script =
        "set -eu\nserver=\ntrap '[ -z \"$server\" ] || kill $server' EXIT\n".to_owned();
    let mut number = 0;
    let mut expected = vec![];
    for Block {
        mark,
        language,
        body,
    } in blocks
    {
        match (mark.split_once("file: "), *mark, *language) {
            (Some((_, name)), ..) => {
                std::fs::write(folder.join(name), body).expect("the file is written");
            }
            (None, "serve", _) => {
                let stop = "if [ -n \"$server\" ]; then kill $server; wait $server || true; fi";
                let ready = format!("curl --silent --fail --output /dev/null {address}/readyz");
                let wait =
                    format!("n=0; until {ready}; do n=$((n+1)); [ $n -lt 600 ]; sleep 0.1; done");
                script.push_str(&format!(
                    "{stop}\n{} >> server.log 2>&1 &\nserver=$!\n{wait}\n",
                    body.trim_end()
                ));
            }
            (None, _, "sh") => {
                number += 1;
                script.push_str(&format!(
                    "echo 'block {number}' >&2\n{{\n{body}}} > out.{number}\n"
                ));
            }
            (None, _, "json") if number > 0 => {
                expected.push((
                    number,
                    serde_json::from_str(body).expect("the page has JSON"),
                ));
            }
            _ => {}
        }
    }
    (script, expected)
}

/// Runs a page over a new database.
async fn run(page: &str) {
    let text = read(page);
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port");
    let address = address.to_string();
    let blocks = blocks(&text, &address);
    let scripts: &[&str] = if blocks.iter().any(|block| block.mark == "database: shop") {
        &[SHOP]
    } else {
        &["SELECT 1"]
    };
    let database = tests::create("page", scripts).await.expect("a database");
    let folder = tempfile::tempdir().expect("a folder");
    let (script, expected) = script(&blocks, folder.path(), &address);
    assert!(
        !expected.is_empty(),
        "{page} has no command with its output"
    );
    let program = binary::path();
    let programs = program
        .parent()
        .map(|folder| folder.display().to_string())
        .unwrap_or_default();
    let search = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell
        .current_dir(&folder)
        .env("PATH", search)
        .env("DATABASE_URL", database.url());
    shell.env("POSTERN_LISTEN", &address).env("NO_COLOR", "1");
    let mut shell = shell
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash");
    shell
        .stdin
        .take()
        .expect("an input")
        .write_all(script.as_bytes())
        .expect("bash reads");
    let finished = tokio::task::spawn_blocking(move || shell.wait_with_output())
        .await
        .expect("a thread")
        .expect("bash");
    let output = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let told = String::from_utf8_lossy(&finished.stderr);
    assert!(
        finished.status.success(),
        "{page}: {told}\n{}",
        output("server.log")
    );
    for (number, expected) in expected {
        let out = output(&format!("out.{number}"));
        assert_eq!(
            serde_json::from_str::<Value>(&out).ok(),
            Some(expected),
            "{page}, block {number}: {out}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn getting_started_runs() {
    run("docs/getting-started.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_about_accounts_runs() {
    run("docs/accounts.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tutorial_runs() {
    run("docs/tutorial.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_from_postgrest_runs() {
    run("docs/from-postgrest.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_from_postgraphile_runs() {
    run("docs/from-postgraphile.md").await;
}
