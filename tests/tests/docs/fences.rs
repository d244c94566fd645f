//! Every code block of the README and the pages: a page that is a walk-through is run by its test,
//! a block of a language that can be checked is checked here, and all others are counted in
//! [`NOT_RUN`] with the reason. Blocks of `text` are output.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use async_graphql_parser::{parse_query, parse_schema};
use gateway::config::SECTIONS;
use serde_json::Value;
use tests::binary;

use crate::docs::{path, read};

/// Pages whose blocks are run in order, or written, by a test.
const RUN: [(&str, &str); 5] = [
    ("docs/accounts.md", "page_about_accounts_runs"),
    ("docs/getting-started.md", "getting_started_runs"),
    ("docs/tutorial.md", "tutorial_runs"),
    ("docs/from-postgrest.md", "guide_from_postgrest_runs"),
    ("docs/from-postgraphile.md", "guide_from_postgraphile_runs"),
];

/// How many blocks of a page are neither run nor checked, and why.
const NOT_RUN: &[(&str, &str, usize, &str)] = &[
    (
        "ARCHITECTURE.md",
        "sql",
        1,
        "the golden case rules/fence has this statement",
    ),
    (
        "README.md",
        "sql",
        1,
        "a statement as the gateway writes it; golden cases have many",
    ),
    (
        "docs/actions.md",
        "rust",
        1,
        "a part of a program; tests/tests/actions has actions in Rust",
    ),
    (
        "docs/actions.md",
        "sql",
        2,
        "the signature of a function, and calls of one of the demo",
    ),
    (
        "docs/backup.md",
        "sql",
        1,
        "tests/tests/events/copies.rs runs it",
    ),
    ("docs/configuration.md", "ini", 1, "a unit of systemd"),
    (
        "docs/dashboard.md",
        "html",
        1,
        "snippets_of_the_dashboard_stand_in_its_sources compares them",
    ),
    (
        "docs/dashboard.md",
        "sql",
        1,
        "snippets_of_the_dashboard_stand_in_its_sources compares them",
    ),
    (
        "docs/dashboard.md",
        "ts",
        14,
        "snippets_of_the_dashboard_stand_in_its_sources compares them",
    ),
    (
        "docs/demo.md",
        "json",
        6,
        "demo_responses_match_the_page writes them, cut",
    ),
    (
        "docs/events.md",
        "sql",
        1,
        "calls that tests/tests/events makes",
    ),
    (
        "docs/kubernetes.md",
        "yaml",
        2,
        "values; deploy/chart/postern/ci has the like",
    ),
    (
        "docs/metrics.md",
        "yaml",
        1,
        "deploy/prometheus/prometheus.yml has the like, which promtool checks",
    ),
    ("docs/row-rules.md", "sql", 1, "a condition"),
    (
        "docs/plugins.md",
        "rust",
        1,
        "a part of examples/plugin, which is built with the workspace",
    ),
    (
        "docs/postgres.md",
        "ini",
        1,
        "settings of PgBouncer, which tests/tests/poolers.rs uses",
    ),
    (
        "docs/sharding.md",
        "sql",
        2,
        "tests/tests/sharding.rs does the same",
    ),
    (
        "docs/sockets.md",
        "js",
        2,
        "socket_clients.rs in tests/tests/http does the same",
    ),
    (
        "docs/subscriptions.md",
        "js",
        1,
        "shared_streams.rs in tests/tests/http does the same",
    ),
    (
        "docs/subscriptions.md",
        "sql",
        1,
        "a statement as the gateway writes it",
    ),
    (
        "docs/token-exchange.md",
        "sql",
        1,
        "privileges for a role of the reader's",
    ),
    (
        "docs/webhooks.md",
        "js",
        1,
        "tests/webhooks/sign.mjs signs in the same way",
    ),
    (
        "docs/webhooks.md",
        "sql",
        1,
        "privileges for a role of the reader's",
    ),
    (
        "docs/widgets.md",
        "html",
        1,
        "tests/tests/widgets opens such a page in a browser",
    ),
];

/// Programs of others that commands call. They are not run.
const PROGRAMS: &str = "base64 cargo claude cluster.sh curl docker end-to-end events helm kubectl npx \
                        openssl pg_dump pg_restore pg_upgrade psql setup.sh subscriptions systemctl \
                        systemd-creds with-cluster";

/// The first keys of files that have no schema: those of actions, and allow lists.
const OTHER_FILES: [&[&str]; 2] = [&["action", "type"], &["collection"]];

struct Fence {
    page: String,
    line: usize,
    language: String,
    body: String,
}

fn fences() -> Vec<Fence> {
    let folder = std::fs::read_dir(path("docs"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name());
    let pages = folder
        .map(|name| format!("docs/{}", name.to_string_lossy()))
        .filter(|name| name.ends_with(".md"));
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
    ]
    .map(str::to_owned);
    let mut found: Vec<Fence> = vec![];
    for page in pages
        .chain(others)
        .filter(|page| RUN.iter().all(|(name, _)| page != name))
    {
        let mut is_open = false;
        for (number, line) in read(&page).lines().enumerate() {
            match (line.strip_prefix("```"), is_open) {
                (Some(language), false) => {
                    let page = page.clone();
                    let language = language.to_owned();
                    found.push(Fence {
                        page,
                        line: number + 1,
                        language,
                        body: String::new(),
                    });
                    is_open = true;
                }
                (Some(_), true) => is_open = false,
                (None, true) => {
                    let body = &mut found.last_mut().expect("an open block").body;
                    body.push_str(line);
                    body.push('\n');
                }
                (None, false) => {}
            }
        }
    }
    found
}

/// What is wrong with a block; none if its language cannot be checked.
fn check(fence: &Fence) -> Option<Result<(), String>> {
    let body = &fence.body;
    match fence.language.as_str() {
        "sh" => Some(shell(body)),
        "json" if fence.page != "docs/demo.md" => Some(json(body)),
        "toml" => Some(toml(body)),
        "graphql" => Some(graphql(&body.replace("{…}", "{}"))),
        _ => None,
    }
}

/// Runs the commands with `--help` behind those of `postern`, which then refuses what is before it
/// and does nothing; targets of `make` have to exist, and no other program may be called but those
/// that are known.
fn shell(body: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::create_dir_all(folder.path().join("etc/default"))
        .map_err(|error| error.to_string())?;
    let body = body
        .replace("target/release/", "")
        .replace("target/debug/", "")
        .replace("scripts/", "")
        .replace("deploy/cluster/", "");
    let body = body
        .replace(" /etc/", " etc/")
        .replace(" …", " ")
        .replace("-…", "-0000-4000-8000-000000000000")
        .replace(" ID ", " 00000000-0000-4000-8000-000000000000 ")
        .replace("export PATH=", "export ITS_PATH=");
    let script = format!(
        "set -e\npostern() {{ \"$PROGRAM\" \"$@\" --help > /dev/null; }}\n\
                          make() {{ case \" $TARGETS \" in *\" $1 \"*) ;; *) echo \"no target \
                          $1\" >&2; return 1 ;; esac; }}\n\
                          command_not_found_handle() {{ case \" {PROGRAMS} \" in *\" $1 \"*) ;; \
                          *) echo \"unknown: $1\" >&2; return 127 ;; esac; }}\n\
                          {body}\nwait\n"
    );
    let makefile = read("Makefile");
    let targets = makefile
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name);
    let targets = targets
        .filter(|name| !name.contains([' ', '\t', '.']))
        .collect::<Vec<_>>()
        .join(" ");
    let mut bash = Command::new("/bin/bash");
    bash.arg("-c")
        .arg(script)
        .current_dir(&folder)
        .env_clear()
        .env("PATH", folder.path());
    let output = bash
        .env("PROGRAM", binary::path())
        .env("TARGETS", targets)
        .output()
        .map_err(|error| error.to_string())?;
    // What runs in the background does not end the script.
    let output_of_errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && output_of_errors.is_empty() {
        Ok(())
    } else {
        Err(output_of_errors)
    }
}

/// One value, or one on each line.
fn json(body: &str) -> Result<(), String> {
    let is_json = |text: &str| {
        serde_json::from_str::<Value>(text)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    is_json(body).or_else(|error| body.lines().try_for_each(is_json).map_err(|_| error))
}

/// A settings file, a permission file or a REST map by its schema; other files have to be TOML.
fn toml(body: &str) -> Result<(), String> {
    let table: toml::Table = body.parse().map_err(|error| format!("{error}"))?;
    if OTHER_FILES
        .iter()
        .any(|keys| table.keys().all(|key| keys.contains(&key.as_str())))
    {
        return Ok(());
    }
    let of_plugins = tests::all_plugins()
        .into_iter()
        .flat_map(|plugin| plugin.sections());
    let sections: Vec<&str> = SECTIONS.iter().chain(of_plugins).copied().collect();
    let value = serde_json::to_value(&table).map_err(|error| error.to_string())?;
    let faults = ["permissions", "rest-map", "settings"].map(|name| {
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{name}.json"))).expect("JSON");
        // Tables of plugins are unknown to the schema of the settings; the others know every key.
        let is_known = |key: &&String| {
            schema["properties"].get(key).is_some() || sections.contains(&key.as_str())
        };
        let unknown = table
            .keys()
            .filter(|_| name == "settings")
            .find(|key| !is_known(key));
        let unknown = unknown.map(|key| format!("{name} has no key {key}"));
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        unknown.or_else(|| {
            validator
                .iter_errors(&value)
                .next()
                .map(|error| format!("{name}: {error}"))
        })
    });
    if faults.iter().any(Option::is_none) {
        Ok(())
    } else {
        Err(format!("{faults:?}"))
    }
}

/// A document, one on each line, or types.
fn graphql(body: &str) -> Result<(), String> {
    let lines = || {
        body.lines()
            .filter(|line| !line.is_empty())
            .try_for_each(|line| parse_query(line).map(drop))
    };
    parse_query(body).map(drop).or_else(|error| {
        let is_valid = lines().is_ok() || parse_schema(body).is_ok();
        if is_valid {
            Ok(())
        } else {
            Err(error.to_string())
        }
    })
}

#[test]
fn every_block_is_run_or_checked_or_has_a_reason() {
    let mut faults = vec![];
    let mut unchecked = BTreeMap::<(String, String), usize>::new();
    let mut checked = 0;
    for fence in fences()
        .into_iter()
        .filter(|fence| fence.language != "text")
    {
        match check(&fence) {
            Some(Ok(())) => checked += 1,
            Some(Err(fault)) => faults.push(format!("{}:{}: {fault}", fence.page, fence.line)),
            None => *unchecked.entry((fence.page, fence.language)).or_default() += 1,
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 100, "{checked}");
    let listed = NOT_RUN
        .iter()
        .map(|(page, language, count, _)| (((*page).to_owned(), (*language).to_owned()), *count));
    assert_eq!(
        unchecked,
        listed.collect::<BTreeMap<_, _>>(),
        "NOT_RUN says what is not run, and why"
    );
}

/// A test that was renamed or removed would leave its page unread.
#[test]
fn every_page_that_is_run_has_its_test() {
    let tests = read("tests/tests/docs/walkthroughs.rs");
    for (page, test) in RUN {
        assert!(
            tests.contains(&format!("fn {test}()")) && tests.contains(&format!("run(\"{page}\")")),
            "{page}"
        );
        assert!(Path::new(&path(page)).is_file(), "{page}");
    }
}
