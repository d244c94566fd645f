//! Makes the packages of the binary under test, installs them into empty folders without a network,
//! and serves a database from each; compares the files that name packages with what is made.
//! `make test-packages` installs the packages of a release on bare machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::reply::Reply;

const SECRET: &str = "sixteen characters";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn workspace() -> toml::Table {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    manifest["workspace"]["package"].as_table().unwrap().clone()
}

/// Runs a program that must succeed, and returns its standard output.
#[track_caller]
fn output(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The packages of the binary under test, not compressed, and the folders they are installed in.
struct Packages {
    folder: tempfile::TempDir,
    version: String,
}

impl Packages {
    fn make() -> Packages {
        let folder = tempfile::tempdir().unwrap();
        let version = workspace()["version"].as_str().unwrap().to_owned();
        let packages = Packages { folder, version };
        let program = packages.path("postern");
        // Without symbols it is half as large.
        let binary = binary::path();
        output(
            "strip",
            &["-o", &program, binary.to_str().unwrap()],
            &root(),
        );
        let out = packages.path("packages");
        let arguments = ["--fast", "--binary", &program, "--out", &out];
        output("scripts/packages.py", &arguments, &root());
        packages
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn install(&self, into: &str) -> PathBuf {
        let folder = self.folder.path().join(into);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    fn archive(&self) -> String {
        let [machine, _, _] = machine();
        format!("postern-{}-linux-{machine}", self.version)
    }

    /// The sums of `SHA256SUMS`, each compared with its file.
    fn sums(&self) -> BTreeMap<String, String> {
        let folder = self.folder.path().join("packages");
        let listed = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
        let sums: BTreeMap<String, String> = listed
            .lines()
            .map(|line| line.split_once("  ").unwrap())
            .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
            .collect();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "SHA256SUMS" {
                let digest = Sha256::digest(std::fs::read(folder.join(&name)).unwrap());
                let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(sums.get(&name), Some(&hex), "{name}");
            }
        }
        sums
    }
}

/// This machine's architecture in archives and wheels, in Debian and in npm.
fn machine() -> [&'static str; 3] {
    if cfg!(target_arch = "x86_64") {
        ["x86_64", "amd64", "x64"]
    } else {
        ["aarch64", "arm64", "arm64"]
    }
}

/// Serves the database with an installed program, asks for a row, and ends it with SIGTERM.
async fn serve(program: &Path, database: &TestDatabase) {
    let name = program.display();
    let settings = [
        ("POSTERN_DATABASE_URL", database.url()),
        ("POSTERN_ADMIN_SECRET", SECRET),
        ("POSTERN_LISTEN", "127.0.0.1:0"),
        ("POSTERN_LOG_FORMAT", "json"),
    ];
    let folder = program.parent().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).envs(settings);
        command
    };
    let permissions = folder.join("permissions.toml");
    let permissions = permissions.to_str().unwrap();
    let init = run(&["init", "--out", permissions]).output().unwrap();
    assert!(init.status.success(), "{name}: {init:?}");
    let mut child = Running::start(run(&["serve", "--permissions", permissions])).unwrap();
    let line = child
        .wait_for_line("ready", Duration::from_secs(30))
        .unwrap_or_else(|| panic!("{name} is not ready"));
    let line: Value = serde_json::from_str(&line).unwrap();
    let url = format!("http://{}/v1/graphql", line["address"].as_str().unwrap());
    let request = reqwest::Client::new()
        .post(url)
        .header("X-Gateway-Admin-Secret", SECRET)
        .json(&json!({"query": "{ orders { id } }"}));
    let reply = Reply::of(request).await.unwrap();
    assert_eq!(reply.data(), json!({"orders": [{"id": 7}]}), "{name}");
    child.signal("TERM").unwrap();
    let ended = child.wait(Duration::from_secs(10)).unwrap();
    assert!(ended.is_some_and(|status| status.success()), "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_package_installs_without_a_network_and_serves_a_database() {
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: packages are made of programs for Linux");
        return;
    }
    let packages = Packages::make();
    let [_, debian, node] = machine();
    let version = &packages.version;
    let archive = packages.archive();
    let folder = format!("{}/", packages.path("packages"));
    let sums = packages.sums();
    let script = "CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (7)";
    let database = tests::create("packages", &[script]).await.unwrap();

    let prefix = packages.install("prefix");
    let file = format!("{folder}{archive}.tar.gz");
    output("tar", &["-xzf", &file, "--strip-components=1"], &prefix);
    for file in [
        "share/man/man1/postern-serve.1",
        "share/bash-completion/completions/postern",
        "share/zsh/site-functions/_postern",
        "share/fish/vendor_completions.d/postern.fish",
        "share/doc/postern/LICENSE",
        "share/doc/postern/postern.cdx.json",
    ] {
        assert!(prefix.join(file).metadata().unwrap().len() > 99, "{file}");
    }
    let unit = std::fs::read_to_string(prefix.join("lib/systemd/system/postern.service")).unwrap();
    assert!(unit.contains("ExecStart=/usr/local/bin/postern serve"));
    serve(&prefix.join("bin/postern"), &database).await;

    let npm = packages.install("npm");
    let launcher = format!("{folder}postern-{version}.tgz");
    let program = format!("{folder}postern-linux-{node}-{version}.tgz");
    let offline = ["install", "--offline", "--no-audit", "--no-fund"];
    output(
        "npm",
        &[&offline[..], &[&launcher, &program]].concat(),
        &npm,
    );
    serve(&npm.join("node_modules/.bin/postern"), &database).await;
    std::fs::remove_dir_all(npm.join("node_modules/@postern")).unwrap();
    let missing = Command::new(npm.join("node_modules/.bin/postern")).output();
    let missing = missing.unwrap();
    let message = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(1));
    assert!(message.contains("--omit=optional"), "{message}");

    let python = packages.install("python");
    let wheel = sums.keys().find(|name| name.ends_with(".whl")).unwrap();
    assert!(wheel.starts_with(&format!("postern_gateway-{version}-py3-none-manylinux")));
    let wheel = format!("{folder}{wheel}");
    let pip = [
        "-m",
        "pip",
        "install",
        "--no-index",
        "--target",
        ".",
        &wheel,
    ];
    output("python3", &pip, &python);
    serve(&python.join("bin/postern"), &database).await;

    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        eprintln!("skipped: the machine has no dpkg-deb");
        return;
    }
    let package = format!("{folder}postern_{version}_{debian}.deb");
    let control = output("dpkg-deb", &["--field", &package], &root());
    for line in [
        "Package: postern".to_owned(),
        format!("Version: {version}"),
        format!("Architecture: {debian}"),
    ] {
        assert!(control.lines().any(|of| of == line), "{line}: {control}");
    }
    let installed = packages.install("debian");
    let target = installed.to_str().unwrap();
    output("dpkg-deb", &["--extract", &package, target], &root());
    output("dpkg-deb", &["--control", &package], &installed);
    let conffiles = std::fs::read_to_string(installed.join("DEBIAN/conffiles")).unwrap();
    assert_eq!(
        conffiles,
        "/etc/default/postern\n/etc/postern/gateway.toml\n"
    );
    for file in [
        "usr/lib/systemd/system/postern.service",
        "usr/share/man/man1/postern.1.gz",
        "usr/share/zsh/vendor-completions/_postern",
        "usr/share/doc/postern/copyright",
        "usr/share/postern/schemas/permissions.json",
    ] {
        assert!(installed.join(file).exists(), "{file}");
    }
    output(
        "md5sum",
        &["--check", "--quiet", "DEBIAN/md5sums"],
        &installed,
    );
    serve(&installed.join("usr/bin/postern"), &database).await;
}

/// The programs and the address of the release as files name them that no package contains.
#[test]
fn files_of_other_package_managers_name_what_is_made() {
    let package = workspace();
    let version = package["version"].as_str().unwrap();
    let repository = package["repository"].as_str().unwrap();
    let manifest: toml::Table = read("postern/Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let filled = |key: &str| {
        let text = binstall[key].as_str().unwrap();
        let values = [
            ("repo", repository),
            ("version", version),
            ("target-family", "linux"),
            ("target-arch", "aarch64"),
            ("bin", "postern"),
            ("binary-ext", ""),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{ {name} }}"), value)
        })
    };
    let archive = format!("postern-{version}-linux-aarch64");
    let release = format!("{repository}/releases/download/v{version}");
    assert_eq!(filled("pkg-url"), format!("{release}/{archive}.tar.gz"));
    assert_eq!(filled("bin-dir"), format!("{archive}/bin/postern"));

    // `make packages` replaces the names between at signs.
    let formula = read("deploy/packages/homebrew/postern.rb");
    let mut names: Vec<&str> = formula.split('@').skip(1).step_by(2).collect();
    names.sort_unstable();
    names.dedup();
    let expected = [
        "LICENSE",
        "REPOSITORY",
        "SHA256_aarch64",
        "SHA256_x86_64",
        "URL_aarch64",
        "URL_x86_64",
        "VERSION",
    ];
    assert_eq!(names, expected);

    let flake = read("flake.nix");
    for part in [
        "importTOML ./Cargo.toml",
        "inherit (workspace) version",
        "homepage = workspace.repository",
    ] {
        assert!(flake.contains(part), "{part}");
    }
    let chart = read("deploy/chart/postern/Chart.yaml");
    assert!(chart.contains(&format!("appVersion: \"{version}\"")));
    for file in ["Dockerfile", "packages/npm/postern.js"] {
        let text = read(&format!("deploy/{file}"));
        assert!(!text.contains(version), "{file} has a version of its own");
    }
    for file in ["README.md", "docs/getting-started.md"] {
        let text = read(file);
        assert!(
            text.contains(repository),
            "{file} does not name {repository}"
        );
    }
}
