//! Inheritance of grants to write: a role inherits a grant if all of its parents that have one
//! agree on it.
//!
//! Unlike select grants, two write grants cannot be combined: a row that one parent may write with
//! its own columns would pass with the other parent's columns. If parents differ, the role has no
//! grant, and the report notes it.

use sql::model::Model;
use sql::model::access::{Delete, Grants, Insert, Rule, Update};
use sql::postgres::catalog::{ColumnId, TableId};

use super::{DirectGrants, Parents};

/// The inherited grants to write.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// The grants to write of each inheriting role and table, including the role's own.
    pub(crate) granted: Vec<(String, TableId, Grants)>,
    /// Grants that are not inherited because parents differ: role, table, action.
    pub(crate) differing: Vec<(String, TableId, &'static str)>,
}

/// A kind of grant to write.
trait Grant: Clone {
    /// The action, before the table's name.
    const ACTION: &'static str;

    fn from_grants(grants: &Grants) -> Option<&Self>;

    /// Whether both grants have equal content, wherever the file has them.
    fn agrees(&self, other: &Self) -> bool;
}

/// The combined grant of a role's parents.
enum Common<G> {
    Nothing,
    This(G),
    Differing,
}

impl Writes {
    /// The grants to write of all inheriting roles.
    pub(crate) fn inherited(model: &Model, own: &DirectGrants, parents: &Parents) -> Writes {
        let mut writes = Writes::default();
        for role in parents.keys() {
            for table in model.tables().map(|exposed| exposed.table) {
                let grants = Grants {
                    select: None,
                    purposes: Default::default(),
                    insert: writes.one::<Insert>(role, table, own, parents),
                    update: writes.one::<Update>(role, table, own, parents),
                    delete: writes.one::<Delete>(role, table, own, parents),
                };
                if grants.insert.is_some() || grants.update.is_some() || grants.delete.is_some() {
                    writes.granted.push((role.clone(), table, grants));
                }
            }
        }
        writes
    }

    fn one<G: Grant>(
        &mut self,
        role: &str,
        table: TableId,
        own: &DirectGrants,
        parents: &Parents,
    ) -> Option<G> {
        match common::<G>(role, table, own, parents) {
            Common::This(grant) => Some(grant),
            Common::Nothing => None,
            Common::Differing => {
                self.differing.push((role.to_owned(), table, G::ACTION));
                None
            }
        }
    }
}

/// A role's own grant, else the grant that its parents agree on. A parent whose own parents differ
/// has none.
fn common<G: Grant>(
    role: &str,
    table: TableId,
    own: &DirectGrants,
    parents: &Parents,
) -> Common<G> {
    let granted = own
        .get(role)
        .and_then(|tables| tables.get(&table))
        .and_then(|grants| G::from_grants(grants));
    if let Some(granted) = granted {
        return Common::This(granted.clone());
    }
    let mut found: Option<G> = None;
    for parent in parents.get(role).into_iter().flatten() {
        match (common::<G>(parent, table, own, parents), &found) {
            (Common::This(grant), None) => found = Some(grant),
            (Common::This(grant), Some(known)) if !known.agrees(&grant) => {
                return Common::Differing;
            }
            _ => {}
        }
    }
    found.map_or(Common::Nothing, Common::This)
}

fn same(one: &Rule, other: &Rule) -> bool {
    one.pieces == other.pieces
}

fn same_presets(one: &[(ColumnId, Rule)], other: &[(ColumnId, Rule)]) -> bool {
    let has = |preset: &(ColumnId, Rule)| {
        one.iter()
            .any(|(column, rule)| *column == preset.0 && same(rule, &preset.1))
    };
    one.len() == other.len() && other.iter().all(has)
}

impl Grant for Insert {
    const ACTION: &'static str = "insert into";

    fn from_grants(grants: &Grants) -> Option<&Insert> {
        grants.insert.as_ref()
    }

    fn agrees(&self, other: &Insert) -> bool {
        let Insert {
            columns,
            check,
            preset,
            max_rows,
            lengths,
            backend_only,
            roots,
        } = self;
        *columns == other.columns
            && same(check, &other.check)
            && same_presets(preset, &other.preset)
            && *max_rows == other.max_rows
            && *lengths == other.lengths
            && *backend_only == other.backend_only
            && *roots == other.roots
    }
}

impl Grant for Update {
    const ACTION: &'static str = "update";

    fn from_grants(grants: &Grants) -> Option<&Update> {
        grants.update.as_ref()
    }

    fn agrees(&self, other: &Update) -> bool {
        let Update {
            columns,
            rows,
            check,
            preset,
            max_affected,
            lengths,
            backend_only,
            roots,
        } = self;
        *columns == other.columns
            && same(rows, &other.rows)
            && same(check, &other.check)
            && same_presets(preset, &other.preset)
            && *max_affected == other.max_affected
            && *lengths == other.lengths
            && *backend_only == other.backend_only
            && *roots == other.roots
    }
}

impl Grant for Delete {
    const ACTION: &'static str = "delete from";

    fn from_grants(grants: &Grants) -> Option<&Delete> {
        grants.delete.as_ref()
    }

    fn agrees(&self, other: &Delete) -> bool {
        let Delete {
            rows,
            max_affected,
            backend_only,
            roots,
        } = self;
        same(rows, &other.rows)
            && *max_affected == other.max_affected
            && *backend_only == other.backend_only
            && *roots == other.roots
    }
}
