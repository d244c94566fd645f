//! Compares the files in `deploy/` with the program: every variable and key of compose file, chart
//! and service is a setting, and `postern check` reads what the chart renders. `telemetry::alerts`
//! reads the files of Prometheus and Grafana.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gateway::config::{SETTINGS, Setting, Settings};
use tests::binary;

mod cluster;

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
    for name in [
        "deploy/compose/config/gateway.toml",
        "deploy/packages/debian/gateway.toml",
    ] {
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
            "deploy/compose/config/gateway.toml",
            seconds("deploy/compose/compose.yaml", "stop_grace_period:"),
        ),
        (
            "deploy/packages/debian/gateway.toml",
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
    for manifest in files(&path("deploy/chart/rendered")) {
        let manifest = read(&manifest);
        let settings: toml::Table = mounted_files(&manifest)["gateway.toml"].parse().unwrap();
        let number = |key: &str, default: f64| {
            settings.get(key).map_or(default, |value| {
                value
                    .as_float()
                    .or(value.as_integer().map(|whole| whole as f64))
                    .unwrap()
            })
        };
        let line = "terminationGracePeriodSeconds: ";
        let (_, given) = manifest.split_once(line).unwrap();
        let given: f64 = given.lines().next().unwrap().parse().unwrap();
        let takes = number("shutdown_delay", 0.0) + number("drain_timeout", 30.0);
        assert!(given > takes, "{given} seconds for {takes}");
    }
}

/// Settings whose value is a secret are refused in the chart's `settings`, and have a variable for
/// a file on the page of settings.
#[test]
fn every_secret_of_the_program_is_one_of_the_chart_and_of_the_page() {
    let secrets: BTreeSet<&str> = SETTINGS
        .iter()
        .filter(|setting| setting.file_variable().is_some())
        .map(|setting| setting.key)
        .collect();
    let helpers = read(&path("deploy/chart/postern/templates/_helpers.tpl"));
    let (_, list) = helpers
        .split_once("{{- define \"postern.secretSettings\" -}}\n")
        .expect("the chart has the list");
    let listed: BTreeSet<&str> = list
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    assert_eq!(listed, secrets);
    let page = read(&path("docs/configuration.md"));
    for setting in SETTINGS
        .iter()
        .filter(|setting| secrets.contains(setting.key))
    {
        let variable = setting.file_variable().expect("a secret may be a file");
        let row = format!("| `{}` | `{variable}` |", setting.key);
        assert!(page.contains(&row), "docs/configuration.md: {row}");
    }
    let values = read(&path("deploy/chart/postern/values.yaml"));
    let (_, used) = values
        .split_once("\nsecrets: [")
        .expect("the chart has secrets");
    for key in used.split(']').next().unwrap_or_default().split(", ") {
        assert!(secrets.contains(key), "{key} is not a secret");
    }
}

/// The files that a rendered manifest mounts beside the settings, by their paths: the data of the
/// first ConfigMap, which are block scalars of YAML.
fn mounted_files(manifest: &str) -> BTreeMap<String, String> {
    let (_, data) = manifest.split_once("\ndata:\n").expect("a ConfigMap");
    let mut texts = BTreeMap::<&str, String>::new();
    let mut key = "";
    for line in data.lines().take_while(|line| *line != "---") {
        if let Some(text) = line.strip_prefix("    ") {
            texts.entry(key).or_default().push_str(&format!("{text}\n"));
        } else if let Some(begin) = line.strip_suffix(": |2") {
            key = begin.trim();
            texts.insert(key, String::new());
        } else {
            assert_eq!(line, "", "a line of no file");
        }
    }
    let item = |line: &str| {
        let (key, path) = line
            .trim()
            .strip_prefix("- {key: ")?
            .strip_suffix('}')?
            .split_once(", path: ")?;
        Some((key.to_owned(), path.trim_matches('"').to_owned()))
    };
    let items: BTreeMap<String, String> = manifest.lines().filter_map(item).collect();
    let keys: BTreeSet<&str> = items.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        texts.keys().copied().collect(),
        "every file is mounted"
    );
    texts
        .into_iter()
        .map(|(key, text)| (items[key].clone(), text))
        .collect()
}

/// `scripts/check-deploy.sh` compares the rendered files with what helm renders.
#[tokio::test]
async fn postern_check_accepts_every_file_that_the_chart_renders() {
    let database = tests::create("chart", &[]).await.unwrap();
    let migrated = binary::run(&["migrate", "--database-url", database.url()]).unwrap();
    assert_eq!(migrated.code, Some(0), "{}", migrated.err);
    let shop = include_str!("deploy/shop.sql");
    database
        .connect()
        .await
        .unwrap()
        .batch_execute(shop)
        .await
        .unwrap();
    let mut tables = BTreeSet::new();
    for values in files(&path("deploy/chart/postern/ci"))
        .into_iter()
        .chain([path("deploy/chart/postern/values.yaml")])
    {
        let name = values.file_name().unwrap().to_str().unwrap();
        let manifest = read(&path("deploy/chart/rendered").join(name));
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in mounted_files(&manifest) {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let settings = folder.path().join("gateway.toml");
        let written: toml::Table = read(&settings).parse().unwrap();
        tables.extend(written.into_iter().map(|(key, _)| key));
        let settings = settings.to_str().unwrap();
        let mut check = binary::command(&["check", "--config", settings]);
        check.args(["--database-url", database.url()]).envs([
            (
                "ACCOUNTS_KEY",
                "a key of accounts with more than 32 characters",
            ),
            ("ACTIONS_URL", "http://actions:3000"),
            ("JWT_KEY", "a key of the chart's tests, of 32 characters"),
            ("IDENTITY_KEY", "a key of more than thirty-two characters"),
            ("ORDER_HOOK", "https://hooks.example/order"),
            (
                "ORDER_SECRET",
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
            ),
            ("ORDER_TOKEN", "token"),
            ("REDIS_URL", "redis://redis:6379"),
            ("SMTP_URL", "smtps://user:password@mail.shop.example"),
            ("SHOP_SECRET", "shop secret 0123456789"),
            ("STRIPE_SECRET", "whsec_stripe_0123456789"),
        ]);
        let checked = binary::Finished::from(check.output().unwrap());
        assert_eq!(checked.code, Some(0), "{name}: {}", checked.err);
        assert!(
            checked.err.contains("no problems"),
            "{name}: {}",
            checked.err
        );
    }
    // Each table of the settings file is in one of them.
    let plugins = tests::all_plugins();
    let of_plugins = plugins.iter().flat_map(|plugin| plugin.sections());
    for section in gateway::config::SECTIONS.iter().chain(of_plugins) {
        assert!(tables.contains(*section), "no values have {section}");
    }
}
