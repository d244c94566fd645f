//! Compares alerts, their tests, the board and the pages with what a gateway exports: every series
//! that they name exists from the start, with these labels and at zero, and every state that an
//! operator has to know has a line in the log, a metric, an alert and a panel.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::docs::{path, read};
use tests::service::Service;

const RULES: &str = "deploy/prometheus/rules.yml";
const TESTS_OF_RULES: &str = "deploy/prometheus/rules_test.yml";
const BOARD: &str = "deploy/grafana/dashboards/postern.json";

/// Declares one of everything that has series of its own, by the names in [`TESTS_OF_RULES`].
const FILE: &str = r#"
[[rates]]
name = "address"
per = ["address"]
rate = 1000
[operations]
mode = "log"
[event.order_placed]
table = "orders"
insert = true
webhook = "http://127.0.0.1:9/"
[webhook.shop]
github = { secret = "a secret of the shop, 32 bytes.." }
"#;

const PERMISSIONS: &str = r#"
[table.orders.role.member]
select = { columns = "*", rows = "true" }
"#;

/// Gauges that exist once there is something to measure: a lag of 0 would be a false one, and this
/// gateway has no certificate.
const MEASURED: [&str; 2] = [
    "postern_replica_lag_seconds",
    "postern_tls_certificate_not_after_seconds",
];

/// A series of `/metrics`, of a rule's test, or the selector of an expression.
#[derive(Clone, Debug)]
struct Series {
    name: String,
    /// Label, operator (`=`, `=~`, `!=`, `!~`) and value.
    labels: Vec<(String, String, String)>,
    value: String,
}

/// What a new gateway exports before its first request.
async fn exported() -> Vec<Series> {
    let migrations = plugins::migration_script();
    let scripts = ["CREATE TABLE orders (id int PRIMARY KEY)", &migrations];
    let builder = Service::builder("alerts", &scripts)
        .permissions(PERMISSIONS)
        .settings_file(FILE)
        .setting("redis-url", "redis://127.0.0.1:9");
    let database = builder.create_database().await;
    // A server that is no replica: it gets no queries.
    let replica = database.url().to_owned();
    let builder = builder.setting("replica-url", &replica);
    let service = builder.start_over(database).await.unwrap();
    tests::wait::until("the servers are judged", async || {
        let text = service.metrics().await;
        text.contains("postern_replica_usable{") && text.contains("postern_clock_offset_seconds{")
    })
    .await;
    let text = service.metrics().await;
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples
        .map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            Series {
                value: value.to_owned(),
                ..selectors(series).remove(0)
            }
        })
        .collect()
}

/// The selectors of an expression: names of metrics, with their labels.
fn selectors(expression: &str) -> Vec<Series> {
    let mut found = vec![];
    let mut rest = expression;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    while let Some(start) = rest.find(is_of_name) {
        rest = &rest[start..];
        let length = rest
            .find(|letter| !is_of_name(letter))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        rest = after;
        if !["postern_", "process_", "target_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            continue;
        }
        let mut labels = vec![];
        if let Some(inside) = rest.strip_prefix('{') {
            let (inside, after) = inside.split_once('}').unwrap();
            rest = after;
            for pair in inside
                .split("\",")
                .map(str::trim)
                .filter(|pair| !pair.is_empty())
            {
                let (label, value) = pair.split_once('"').unwrap();
                let operator = label.trim_start_matches(is_of_name).trim();
                let label = label.split(['=', '!']).next().unwrap().trim();
                let value = value.trim_end_matches('"');
                labels.push((label.to_owned(), operator.to_owned(), value.to_owned()));
            }
        }
        found.push(Series {
            name: name.to_owned(),
            labels,
            value: String::new(),
        });
    }
    found
}

/// Whether a label's value matches, with the few signs of regular expressions that the files use.
fn matches(operator: &str, pattern: &str, value: &str) -> bool {
    let is_alternative = |pattern: &str| {
        pattern.len() == value.len()
            && pattern
                .chars()
                .zip(value.chars())
                .all(|(wanted, letter)| wanted == '.' || wanted == letter)
    };
    match operator {
        "=" => pattern == value,
        "!=" => pattern != value,
        "=~" => pattern.split('|').any(is_alternative),
        "!~" => !pattern.split('|').any(is_alternative),
        other => panic!("{other}"),
    }
}

/// The labels that Prometheus adds, those whose values are addresses, and variables of the board.
fn is_given(label: &str, value: &str) -> bool {
    ["instance", "job", "replica", "server", "host", "version"].contains(&label)
        || value.starts_with('$')
}

/// Whether the selector finds this series.
fn finds(selector: &Series, series: &Series) -> bool {
    let value = |label: &str| {
        let found = series.labels.iter().find(|(known, _, _)| known == label);
        found.map_or("", |(_, _, value)| value)
    };
    selector.name == series.name
        && selector.labels.iter().all(|(label, operator, wanted)| {
            is_given(label, wanted) || matches(operator, wanted, value(label))
        })
}

/// The alerts of the rules: their names, with their texts.
fn alerts() -> BTreeMap<String, String> {
    let rules = read(RULES);
    let alerts = rules.split("- alert: ").skip(1);
    alerts
        .map(|text| {
            let (name, body) = text.split_once('\n').unwrap();
            (name.trim().to_owned(), body.to_owned())
        })
        .collect()
}

/// The expression of an alert.
fn expression(alert: &str) -> &str {
    let (_, rest) = alert.split_once("expr:").unwrap();
    let ends = ["\n        for:", "\n        labels:"];
    let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap();
    &rest[..end]
}

fn panels() -> Vec<Value> {
    let board: Value = serde_json::from_str(&read(BOARD)).unwrap();
    board["panels"].as_array().unwrap().clone()
}

#[tokio::test]
async fn every_series_of_alerts_and_board_exists_from_the_start() {
    let exported = exported().await;
    let is_exported = |selector: &Series| {
        MEASURED.contains(&selector.name.as_str())
            || exported.iter().any(|series| finds(selector, series))
    };
    for (name, alert) in alerts() {
        for selector in selectors(expression(&alert)) {
            assert!(is_exported(&selector), "{name}: {selector:?}");
        }
    }
    for panel in panels() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            for selector in selectors(target["expr"].as_str().unwrap()) {
                // The errors of an operation or a bound are known when they happen.
                let names_errors = selector.labels.iter().any(|(label, _, _)| label == "code");
                let by_name = Series {
                    labels: vec![],
                    ..selector.clone()
                };
                let is_known = is_exported(&selector) || names_errors && is_exported(&by_name);
                assert!(is_known, "{}: {selector:?}", panel["title"]);
            }
        }
    }
    // The tests of the rules feed what the program exports.
    let text = read(TESTS_OF_RULES);
    let mut tested = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(series) = line.trim().strip_prefix("- series: '") else {
            continue;
        };
        let values = lines
            .next()
            .unwrap()
            .trim()
            .strip_prefix("values: \"")
            .unwrap();
        let Some(fed) = selectors(series.trim_end_matches('\'')).pop() else {
            assert!(series.starts_with("up{"), "{series}");
            continue;
        };
        if MEASURED.contains(&fed.name.as_str()) {
            continue;
        }
        let own = |series: &Series| {
            let labels = series.labels.iter();
            labels
                .filter(|(label, _, _)| label != "instance" && label != "job")
                .map(|(label, _, _)| label.clone())
                .collect::<BTreeSet<_>>()
        };
        let found = exported
            .iter()
            .find(|series| finds(&fed, series) && own(&fed) == own(series));
        let found = found.unwrap_or_else(|| panic!("no gateway exports {series}"));
        let first = values.trim_end_matches('"').split(['+', 'x', ' ']).next();
        if ["_total", "_bucket", "_count"]
            .iter()
            .any(|suffix| found.name.ends_with(suffix))
        {
            assert_eq!((first, found.value.as_str()), (Some("0"), "0"), "{series}");
        }
        assert!(!values.contains('_'), "no gap before a series: {series}");
        tested += 1;
    }
    assert!(tested > 10, "{tested}");
    page_has_all_metrics(&exported);
}

/// The page of the metrics has all of them, and no others.
fn page_has_all_metrics(exported: &[Series]) {
    let of_histogram = ["_bucket", "_sum", "_count"];
    let exported: BTreeSet<&str> = exported
        .iter()
        .map(|series| {
            let suffix = of_histogram
                .iter()
                .find(|suffix| series.name.ends_with(**suffix));
            suffix.map_or(series.name.as_str(), |suffix| {
                series.name.trim_end_matches(suffix)
            })
        })
        .collect();
    let page = read("docs/metrics.md");
    let (_, table) = page.split_once("## All metrics").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let names: BTreeSet<String> = rows
        .flat_map(|row| selectors(row.split('|').nth(1).unwrap()))
        .map(|selector| selector.name)
        .collect();
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let exported = exported.into_iter().chain(MEASURED).collect();
    assert_eq!(names, exported);
}

/// All sources of the program, without the breaks of long texts.
fn sources() -> String {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = vec![];
    for folder in ["gateway/src", "pg/src", "plugins/src", "postern/src"] {
        files(&path(folder), &mut found);
    }
    let texts = found
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap());
    let mut joined = String::new();
    for line in texts.collect::<String>().lines() {
        match line.trim().strip_suffix('\\') {
            Some(broken) => joined.push_str(broken),
            None => {
                joined.push_str(line.trim());
                joined.push('\n');
            }
        }
    }
    joined
}

/// The parts of a cell between these marks.
fn marked(cell: &str, mark: &str) -> Vec<String> {
    let parts = cell.split(mark).skip(1).step_by(2);
    parts.map(|part| part.trim().to_owned()).collect()
}

#[test]
fn every_state_has_its_line_metric_alert_and_panel() {
    let page = read("docs/monitoring.md");
    let (_, rest) = page.split_once("<!-- states -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end -->").unwrap();
    let sources = sources();
    let alerts = alerts();
    let titles: Vec<String> = panels()
        .iter()
        .map(|panel| panel["title"].as_str().unwrap().to_owned())
        .collect();
    let mut alerts_of_states = BTreeSet::new();
    for row in table.lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [state, log, metric, alert, panel] = cells.as_slice() else {
            panic!("{row}");
        };
        let quote = if log.contains("``") { "``" } else { "`" };
        let line = marked(log, quote).remove(0);
        assert!(sources.contains(&line), "{state}: no line `{line}`");
        let metrics = marked(metric, "`");
        let of_state = marked(alert, "`");
        let panels = marked(panel, "*");
        assert!(
            !metrics.is_empty() && !of_state.is_empty() && !panels.is_empty(),
            "{row}"
        );
        for name in &of_state {
            let found = alerts
                .get(name)
                .unwrap_or_else(|| panic!("{state}: no alert {name}"));
            let severity = alert.rsplit(name.as_str()).next().unwrap();
            let severity = if severity.contains("page") {
                "page"
            } else {
                "ticket"
            };
            let all: Vec<_> = ["page", "ticket"]
                .into_iter()
                .filter(|word| found.contains(&format!("severity: {word}")))
                .collect();
            assert!(
                all == [severity] || alert.contains(all[0]),
                "{state}: {name} is a {all:?}"
            );
            alerts_of_states.insert(name.clone());
        }
        let texts: Vec<&String> = of_state.iter().map(|name| &alerts[name]).collect();
        // `up` is of Prometheus itself.
        assert!(
            texts.iter().any(|text| text.contains(&metrics[0])),
            "{state}: no alert reads {}",
            metrics[0]
        );
        for title in panels {
            assert!(titles.contains(&title), "{state}: no panel {title}");
        }
    }
    for (name, alert) in &alerts {
        assert!(
            alerts_of_states.contains(name),
            "{name} belongs to no state"
        );
        assert!(
            alert.contains("runbook_url: docs/monitoring.md#states"),
            "{name} has no runbook"
        );
    }
}
