//! The library of the benchmarks in `benches`. `translation` and `mutation` define the steps of
//! translation over the demo's documents and permissions, which `steps` measures. For the
//! end-to-end comparison `work` defines the requests, `peers` starts the servers, `run` measures
//! them with `meter`, `report` formats the results, and `machine` describes the machine.
//! `subscriptions` measures live queries and polling. `serve` runs a gateway over any database.
//! `program` is the frame of the binaries.

pub mod translation;
pub mod mutation;
pub mod steps;
pub mod report;
pub mod machine;
pub mod run;
pub mod meter;
pub mod work;
pub mod peers;
pub mod program;
pub mod serve;
pub mod subscriptions;

pub mod large;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use sql::postgres::catalog::Catalog;

/// The error that ends a benchmark.
pub type Failure = Box<dyn std::error::Error>;

/// The demo's permissions over its saved catalog.
///
/// Errors: a file cannot be read, or the catalog or the permissions are invalid.
pub fn demo() -> Result<Permissions, Failure> {
    let catalog = Catalog::decode(&read("bench/catalog.json")?)?;
    let name = "demo/permissions.toml";
    let file = SourceFile::new(name, read(name)?);
    permissions::compile(&file, Arc::new(catalog))
        .map_err(|problems| permissions::render(&problems, &file, false).into())
}

/// Reads a file of the repository, by its path from the root.
pub fn read(path: &str) -> std::io::Result<String> {
    std::fs::read_to_string(root().join(path))
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder that figures are written to: `bench` in Cargo's target folder.
pub fn folder() -> PathBuf {
    within(std::env::var_os("CARGO_TARGET_DIR"))
}

/// Resolves a relative target folder from the root: benchmarks run in their package's folder, but
/// are started from the root.
fn within(target: Option<OsString>) -> PathBuf {
    root()
        .join(target.unwrap_or_else(|| "target".into()))
        .join("bench")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_of_the_demo_fit_the_saved_catalog() {
        let permissions = demo();
        assert!(permissions.is_ok(), "{:?}", permissions.err());
    }

    #[test]
    fn figures_are_written_to_the_target_folder() {
        assert_eq!(within(None), root().join("target/bench"));
        assert_eq!(within(Some("/build".into())), Path::new("/build/bench"));
        assert_eq!(within(Some("other".into())), root().join("other/bench"));
    }
}
