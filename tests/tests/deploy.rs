//! Compares the files in `deploy/` with the program: every metric that rules and board name exists,
//! every variable and key of compose file, chart and service is a setting, and the Debian package
//! finds its files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gateway::config::{Kind, SETTINGS, Setting, Settings};

fn path(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The words of a text that begin with one of these prefixes.
fn words<'t>(text: &'t str, prefixes: &[&str]) -> BTreeSet<&'t str> {
    let words =
        text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words
        .filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
        .collect()
}

/// The names of all metrics: string literals of the folder that declares them, with the prefix that
/// it adds.
fn metrics() -> BTreeSet<String> {
    let sources = files(&path("gateway/src/telemetry"))
        .into_iter()
        .map(|file| read(&file));
    let literals = sources.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>());
    literals
        .flat_map(|name| [format!("postern_{name}"), name])
        .collect()
}

#[test]
fn every_metric_of_rules_and_board_exists() {
    let metrics = metrics();
    for file in [
        "deploy/prometheus/rules.yml",
        "deploy/grafana/dashboards/postern.json",
    ] {
        let text = read(&path(file));
        let named = words(&text, &["postern_", "process_"]);
        assert!(named.len() > 5, "{file}: {named:?}");
        for name in named {
            let of_histogram = name.strip_suffix("_bucket").unwrap_or(name);
            assert!(
                metrics.contains(of_histogram),
                "{file}: {name} is not a metric"
            );
        }
    }
}

#[test]
fn every_variable_in_deploy_is_a_setting() {
    let variables = |setting: &'static Setting| [Some(setting.variable()), setting.file_variable()];
    let known: BTreeSet<String> = SETTINGS.iter().flat_map(variables).flatten().collect();
    for file in files(&path("deploy")) {
        let text = read(&file);
        // `POSTERN_` alone is the beginning of a variable that a template or a comment completes.
        for name in words(&text, &["POSTERN_"])
            .into_iter()
            .filter(|name| *name != "POSTERN_")
        {
            assert!(
                known.contains(name),
                "{}: {name} is not a setting",
                file.display()
            );
        }
    }
}

#[test]
fn settings_of_the_compose_file_and_the_package_are_valid() {
    for name in ["deploy/compose/gateway.toml", "deploy/debian/gateway.toml"] {
        let settings =
            Settings::from_text(name, &read(&path(name))).unwrap_or_else(|error| panic!("{error}"));
        let report = gateway::config::validate(&settings, settings.config());
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
}

/// A supervisor that kills a gateway before it has ended would break the requests that it finishes.
#[test]
fn supervisors_wait_longer_than_a_gateway_takes_to_end() {
    let seconds = |file: &str, key: &str| {
        let text = read(&path(file));
        let value = text
            .lines()
            .find_map(|line| line.trim().strip_prefix(key))
            .map(|value| value.trim_end_matches('s'));
        value
            .and_then(|value| value.trim().parse::<u64>().ok())
            .unwrap_or_else(|| panic!("{file}: no {key}"))
    };
    for (name, given) in [
        (
            "deploy/compose/gateway.toml",
            seconds("deploy/compose/compose.yaml", "stop_grace_period:"),
        ),
        (
            "deploy/debian/gateway.toml",
            seconds("deploy/systemd/postern.service", "TimeoutStopSec="),
        ),
    ] {
        let settings =
            Settings::from_text(name, &read(&path(name))).unwrap_or_else(|error| panic!("{error}"));
        let limits = settings.config().limits();
        assert!(
            given > (limits.shutdown_delay + limits.drain_time).as_secs(),
            "{name}: {given} seconds"
        );
    }
    let chart = read(&path("deploy/chart/postern/templates/deployment.yaml"));
    let line = chart
        .lines()
        .find(|line| line.contains("terminationGracePeriodSeconds"))
        .unwrap_or_default();
    assert!(
        line.contains("shutdown_delay") && line.contains("drain_timeout"),
        "{line}"
    );
}

#[test]
fn settings_and_secrets_of_the_chart_exist() {
    let values = read(&path("deploy/chart/postern/values.yaml"));
    let (_, settings) = values
        .split_once("\nsettings:\n")
        .expect("the chart has settings");
    let lines = settings
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with('#'));
    let keys: Vec<&str> = lines.filter_map(|line| line.split(':').next()).collect();
    assert!(
        keys.contains(&"drain_timeout") && keys.contains(&"shutdown_delay"),
        "{keys:?}"
    );
    let is_setting = |key: &str| SETTINGS.iter().find(|setting| setting.key == key);
    keys.iter()
        .for_each(|key| assert!(is_setting(key).is_some(), "{key} is not a setting"));
    let (_, secrets) = values
        .split_once("\nsecrets: [")
        .expect("the chart has secrets");
    for key in secrets.split(']').next().unwrap_or_default().split(", ") {
        assert!(
            is_setting(key).is_some_and(|setting| setting.kind == Kind::Secret),
            "{key} is not a secret"
        );
    }
}

#[test]
fn the_debian_package_finds_its_files() {
    let manifest: toml::Table = read(&path("postern/Cargo.toml")).parse().expect("TOML");
    let package = &manifest["package"]["metadata"]["deb"];
    for asset in package["assets"].as_array().expect("assets") {
        let source = asset[0].as_str().expect("a path");
        // Made by the build.
        if source.contains("target/") {
            continue;
        }
        let fixed = source.split('*').next().unwrap_or_default();
        assert!(path("postern").join(fixed).exists(), "{source}");
    }
    assert!(path("deploy/systemd/postern.service").exists());
}
