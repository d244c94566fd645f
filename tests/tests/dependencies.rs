//! What `deny.toml` says of the crates that the workspace uses, as far as `cargo metadata` shows
//! it: their licences, their sources, and crates that are banned; and that each crate of the
//! workspace can be packaged.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect()
}

fn deny() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    text.parse().expect("TOML")
}

/// The crates of this platform, from the lock file and what was downloaded for the build.
fn packages() -> Vec<Value> {
    let arguments = [
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--offline",
        "--filter-platform",
    ];
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let cargo = cargo
        .current_dir(root())
        .args(arguments)
        .arg("x86_64-unknown-linux-gnu")
        .output()
        .expect("cargo");
    assert!(
        cargo.status.success(),
        "{}",
        String::from_utf8_lossy(&cargo.stderr)
    );
    let metadata: Value = serde_json::from_slice(&cargo.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Whether an SPDX expression is satisfied by allowed licences. `/` is an old way to write `OR`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression
        .replace(" / ", " OR ")
        .replace('/', " OR ")
        .replace(['(', ')'], " ");
    // Every expression in use is a conjunction of alternatives, which a look at each part decides:
    // `A OR B` by one of them, `(A OR B) AND C` by both parts.
    expression.split(" AND ").all(|part| {
        part.split(" OR ")
            .any(|name| allowed.contains(&name.trim()))
    })
}

#[test]
fn licences_of_all_crates_are_allowed() {
    let deny = deny();
    let allowed: Vec<&str> = deny["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    let packages = packages();
    let license = |package: &Value| package["license"].as_str().unwrap_or_default().to_owned();
    for package in &packages {
        assert!(
            is_allowed(&license(package), &allowed),
            "{}: {}",
            package["name"],
            license(package)
        );
    }
    for name in &allowed {
        assert!(
            packages
                .iter()
                .any(|package| license(package).contains(name)),
            "no crate needs {name}"
        );
    }
}

#[test]
fn crates_come_from_the_registry_and_none_is_banned() {
    let deny = deny();
    let banned: Vec<&str> = deny["bans"]["deny"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["crate"].as_str())
        .collect();
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(&name), "{name} is banned");
        assert!(
            package["source"]
                .as_str()
                .is_none_or(|source| source.starts_with("registry+")),
            "{name}"
        );
    }
}

/// The crates of the workspace.
fn own_packages() -> impl Iterator<Item = Value> {
    packages()
        .into_iter()
        .filter(|package| package["source"].is_null())
}

#[test]
fn dependencies_within_the_workspace_have_a_version() {
    for package in own_packages() {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let is_own = dependency["path"].is_string();
            assert!(
                !is_own || dependency["req"] != "*",
                "{}: {}",
                package["name"],
                dependency["name"]
            );
        }
    }
}

/// A package contains the files of its folder alone, links to others included.
#[test]
fn crates_embed_only_files_of_their_own_folders() {
    let mut embedded = 0;
    for package in own_packages() {
        let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().expect("a folder");
        let mut open = vec![folder.join("src")];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(
                    std::fs::read_dir(&path)
                        .expect("a folder")
                        .map(|entry| entry.expect("an entry").path()),
                );
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for name in embedded_names(&text) {
                let file = normalized(&path.with_file_name(name));
                assert!(
                    file.starts_with(normalized(folder)),
                    "{} embeds {name}",
                    path.display()
                );
                embedded += 1;
            }
        }
    }
    assert!(embedded > 30, "{embedded}");
}

/// The beginnings of the paths in `include_str!("…")` and `include_bytes!(concat!("…", …))`.
fn embedded_names(text: &str) -> impl Iterator<Item = &str> {
    let calls = ["include_str!(", "include_bytes!(", "include!("];
    let found = calls
        .into_iter()
        .flat_map(|call| text.match_indices(call).map(move |(at, _)| at + call.len()));
    found.filter_map(|at| {
        let argument = text.get(at..)?.trim_start_matches("concat!(");
        argument.strip_prefix('"')?.split('"').next()
    })
}

/// The path without `..`, as it is written: a link is not followed.
fn normalized(path: &std::path::Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            std::path::Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
        path
    })
}

#[test]
fn expressions_are_read() {
    assert!(is_allowed("MIT OR Apache-2.0", &["MIT"]) && is_allowed("Unlicense/MIT", &["MIT"]));
    assert!(is_allowed(
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        &["MIT", "Unicode-3.0"]
    ));
    assert!(!is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0", &["MIT"]));
    assert!(!is_allowed("GPL-3.0", &["MIT"]) && !is_allowed("", &["MIT"]));
}
