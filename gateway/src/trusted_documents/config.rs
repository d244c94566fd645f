//! The table `[operations]` as it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::allow_list::Mode;

/// `[operations]`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Table {
    /// A folder of documents, or a manifest.
    pub(super) persisted: Option<PathBuf>,
    /// Whether digests can stand in place of documents that were sent before.
    pub(super) apq: Option<bool>,
    /// The most bytes of such documents.
    pub(super) apq_bytes: u64,
    /// Files that list what may be asked.
    pub(super) allow_list: Paths,
    /// What becomes of what no list has.
    pub(super) mode: Mode,
    /// Whether questions about the schema need not be listed.
    pub(super) introspection: bool,
    /// Where to write what no list has.
    pub(super) learn: Option<PathBuf>,
    /// What differs for a role.
    pub(super) role: BTreeMap<String, Role>,
}

/// `[operations.role.name]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Role {
    /// What becomes of what no list has.
    pub(super) mode: Option<Mode>,
    /// Whether questions about the schema need not be listed.
    pub(super) introspection: Option<bool>,
}

/// One path or several.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a path or a list of paths is expected")]
pub(super) enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Default for Table {
    fn default() -> Table {
        Table {
            persisted: None,
            apq: None,
            apq_bytes: 16 << 20,
            allow_list: Paths::Several(vec![]),
            mode: Mode::Off,
            introspection: false,
            learn: None,
            role: BTreeMap::new(),
        }
    }
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::Several(vec![])
    }
}

impl Paths {
    /// All of them.
    pub(super) fn all(&self) -> &[PathBuf] {
        match self {
            Paths::One(path) => std::slice::from_ref(path),
            Paths::Several(paths) => paths,
        }
    }
}
