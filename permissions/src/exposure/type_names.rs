//! The names of GraphQL types in use. A table has some eighty helper types, whose names are its own
//! name and an ending. The registry keeps the table's name instead of theirs, as long as none of
//! them can be the name of another type.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use sql::model::names::Spelling;

use super::helper_types::HelperSet;
use super::name_registry::{NameRegistry, NamedItem};
use crate::report::Report;

/// The ending of a helper type's name as it is spelled: `_bool_exp`, `BoolExp`.
struct Ending {
    text: String,
    spelling: Spelling,
    set: HelperSet,
}

static ENDINGS: LazyLock<Vec<Ending>> = LazyLock::new(|| {
    let sets = [
        HelperSet::Read,
        HelperSet::Write,
        HelperSet::Pages,
        HelperSet::Groups,
    ];
    let suffixes = sets
        .into_iter()
        .flat_map(|set| set.suffixes().map(move |suffix| (set, suffix)));
    let spelled = suffixes.flat_map(|suffix| Spelling::ALL.map(|spelling| (suffix, spelling)));
    spelled
        .map(|((set, suffix), spelling)| Ending {
            text: spelling.helper("", suffix),
            spelling,
            set,
        })
        .collect()
});

/// What endings have before others: `_aggregate`, because `_aggregate_bool_exp` ends with
/// `_bool_exp`. Two tables can have types of one name only if they have the same name, or the name
/// of one is that of the other and one of these.
static BETWEEN: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let pairs = ENDINGS
        .iter()
        .flat_map(|longer| ENDINGS.iter().map(move |shorter| (longer, shorter)));
    let between =
        pairs.filter_map(|(longer, shorter)| longer.text.strip_suffix(shorter.text.as_str()));
    let mut between: Vec<&str> = between.filter(|between| !between.is_empty()).collect();
    between.sort_unstable();
    between.dedup();
    between
});

/// The helper types of a table whose names no other type has.
#[derive(Debug)]
struct HelperTypes {
    spelling: Spelling,
    writes: bool,
    pages: bool,
    item: NamedItem,
    groups: Option<NamedItem>,
}

/// The names of types in use.
#[derive(Debug, Default)]
pub(super) struct TypeRegistry {
    names: NameRegistry,
    /// What the names that end like helper types have before the ending.
    stems: HashSet<String, RandomState>,
    /// The helper types of tables, by the beginning of their names.
    tables: HashMap<String, HelperTypes, RandomState>,
}

impl HelperTypes {
    fn item(&self, ending: &Ending) -> Option<&NamedItem> {
        let has = match ending.set {
            HelperSet::Read => true,
            HelperSet::Write => self.writes,
            HelperSet::Pages => self.pages,
            HelperSet::Groups => {
                return self
                    .groups
                    .as_ref()
                    .filter(|_| ending.spelling == self.spelling);
            }
        };
        Some(&self.item).filter(|_| has && ending.spelling == self.spelling)
    }
}

impl TypeRegistry {
    /// The item that has the name.
    pub(super) fn get(&self, name: &str) -> Option<&NamedItem> {
        let helper = |ending: &Ending| {
            self.tables
                .get(name.strip_suffix(ending.text.as_str())?)?
                .item(ending)
        };
        self.names
            .get(name)
            .or_else(|| ENDINGS.iter().find_map(helper))
    }

    /// Whether the name is in use.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Registers a name, also if it is in use.
    pub(super) fn insert(&mut self, name: String, by: NamedItem) {
        let stems = ENDINGS
            .iter()
            .filter_map(|ending| name.strip_suffix(ending.text.as_str()));
        self.stems.extend(stems.map(str::to_owned));
        self.names.0.insert(name, by);
    }

    /// Registers a name; reports a clash if it is in use.
    pub(super) fn claim(
        &mut self,
        name: &str,
        by: NamedItem,
        help: &str,
        report: &mut Report<'_>,
    ) -> bool {
        if let Some(first) = self.get(name) {
            first.report_clash(name, &by, help, report);
            return false;
        }
        self.insert(name.to_owned(), by);
        true
    }

    /// Whether no name that a helper type of a table `types` may have is in use, other than by the
    /// table itself.
    pub(super) fn are_helpers_free(&self, types: &str) -> bool {
        let shorter = |between: &&str| {
            types
                .strip_suffix(*between)
                .is_some_and(|other| self.tables.contains_key(other))
        };
        let mut longer = String::with_capacity(types.len() + 32);
        let mut has_longer = |between: &&str| {
            longer.clear();
            longer.push_str(types);
            longer.push_str(between);
            self.tables.contains_key(longer.as_str())
        };
        !self.stems.contains(types)
            && !BETWEEN
                .iter()
                .any(|between| shorter(between) || has_longer(between))
    }

    /// Registers the helper types of a table that is not registered and whose helper types are
    /// free.
    pub(super) fn insert_helpers(
        &mut self,
        types: &str,
        spelling: Spelling,
        sets: &[HelperSet],
        item: NamedItem,
    ) {
        let writes = sets.contains(&HelperSet::Write);
        let pages = sets.contains(&HelperSet::Pages);
        self.tables.insert(
            types.to_owned(),
            HelperTypes {
                spelling,
                writes,
                pages,
                item,
                groups: None,
            },
        );
    }

    /// Whether the helper types of a table are registered as such.
    pub(super) fn has_helpers(&self, types: &str) -> bool {
        self.tables.contains_key(types)
    }

    /// Registers the types for grouping of a table whose helper types are registered; false if they
    /// are not, or one of the names may be in use.
    pub(super) fn insert_groups(
        &mut self,
        types: &str,
        spelling: Spelling,
        by: &NamedItem,
    ) -> bool {
        let is_free = self.are_helpers_free(types);
        let is_own =
            |table: &&mut HelperTypes| table.spelling == spelling && table.groups.is_none();
        match self
            .tables
            .get_mut(types)
            .filter(|table| is_free && is_own(table))
        {
            Some(table) => table.groups = Some(by.clone()),
            None => return false,
        }
        true
    }
}

/// Whether a name is that of a helper type of a table `types`.
pub(super) fn is_helper(types: &str, name: &str) -> bool {
    name.strip_prefix(types)
        .is_some_and(|rest| ENDINGS.iter().any(|ending| ending.text == rest))
}
