//! Benchmarks, in `benches`: what translation costs, by the steps of `translation` and `mutation`, which `steps` measures, and
//! reading the catalog. Documents and permissions are the demo's, and read here. What is compared with other servers, end to
//! end, is in `work`, the servers are in `peers`; `run` measures them with `meter`, `report` tells what came of it, and
//! `machine` where.

pub mod translation;
pub mod mutation;
pub mod steps;
pub mod report;
pub mod machine;
pub mod run;
pub mod meter;
pub mod work;
pub mod peers;

pub mod large;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use sql::postgres::catalog::Catalog;

/// What ended a benchmark.
pub type Failure = Box<dyn std::error::Error>;

/// The demo's permissions over its saved catalog.
///
/// Errors: a file that cannot be read, a catalog or permissions that are no such.
pub fn demo() -> Result<Permissions, Failure> {
    let catalog = Catalog::decode(&read("bench/catalog.json")?)?;
    let name = "demo/permissions.toml";
    let file = SourceFile::new(name, read(name)?);
    permissions::compile(&file, Arc::new(catalog))
        .map_err(|problems| permissions::render(&problems, &file, false).into())
}

/// The text of a file of the repository, by its path from the root.
pub fn read(path: &str) -> std::io::Result<String> {
    std::fs::read_to_string(root().join(path))
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where figures are written: `bench` in the folder that Cargo builds in.
pub fn folder() -> PathBuf {
    within(std::env::var_os("CARGO_TARGET_DIR"))
}

/// Benchmarks run in the folder of their package, and everything is started from the root.
fn within(target: Option<OsString>) -> PathBuf {
    root().join(target.unwrap_or_else(|| "target".into())).join("bench")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_where_cargo_builds() {
        assert_eq!(within(None), root().join("target/bench"));
        assert_eq!(within(Some("/build".into())), Path::new("/build/bench"));
        assert_eq!(within(Some("other".into())), root().join("other/bench"));
    }
}
