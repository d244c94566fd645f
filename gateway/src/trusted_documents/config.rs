//! The table `[operations]` of the settings file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The table's key.
pub(super) const SECTION: &str = "operations";

/// The table `[operations]`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Table {
    /// The path of a folder of persisted documents, or of a manifest.
    pub(super) persisted: Option<PathBuf>,
    /// Whether automatic persisted queries are on; the profile decides if absent.
    pub(super) apq: Option<bool>,
    /// The capacity of their cache in bytes.
    pub(super) apq_bytes: u64,
    /// The files of allow lists.
    pub(super) allow_list: Paths,
    /// How operations are treated that are on no list.
    pub(super) mode: Mode,
    /// Whether introspection is allowed without a list.
    pub(super) introspection: bool,
    /// The file in which unlisted operations are recorded.
    pub(super) learn: Option<PathBuf>,
    /// The settings of single roles.
    pub(super) role: BTreeMap<String, Role>,
}

/// The table `[operations.role.name]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Role {
    /// How operations are treated that are on no list.
    pub(super) mode: Option<Mode>,
    /// Whether introspection is allowed without a list.
    pub(super) introspection: Option<bool>,
}

/// How an operation is treated that is not on a list of the role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It runs.
    #[default]
    Off,
    /// It runs, and is logged.
    Log,
    /// It is refused.
    Enforce,
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
    /// All paths.
    pub(super) fn all(&self) -> &[PathBuf] {
        match self {
            Paths::One(path) => std::slice::from_ref(path),
            Paths::Several(paths) => paths,
        }
    }
}
