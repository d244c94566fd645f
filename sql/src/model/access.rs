//! `Access`: everything one role may do, table by table. A table or column that is absent is
//! denied.
//!
//! Plain data that the crate `permissions` compiles from the permission file. Resolving checks
//! columns and root fields against it; only [`crate::plan`] puts the row rules into statements.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;

use crate::model::action::GrantedActions;
use crate::model::aggregates::Function;
use crate::model::names::RootKind;
use crate::model::type_cache::TypeCache;
use crate::model::{CallId, ExposedTable, Model, Routine};
use crate::postgres::catalog::{
    ColumnId, DELETABLE_BIT, INSERTABLE_BIT, Table, TableId, TableKind, UPDATABLE_BIT,
};
use crate::postgres::length_limits::LengthLimits;

mod columns;
mod membership;
mod root_kinds;
mod rule;

pub use columns::Columns;
pub use root_kinds::RootKinds;
pub use rule::{
    Membership, Rule, RuleDependencies, RuleExpression, RuleFragment, SessionValue, SourceLocation,
};

/// Everything that one role may do.
#[derive(Debug)]
pub struct Access {
    role: String,
    model: Arc<Model>,
    grants: HashMap<TableId, Box<Grants>, FixedState>,
    introspects: bool,
    calls: HashSet<CallId>,
    backend: bool,
    dry_run: bool,
    settings: Vec<(String, Setting)>,
    settings_of_reads: Vec<(String, Setting)>,
    nothing: Select,
    no_rows: Rule,
    types: TypeCache,
    actions: OnceLock<GrantedActions>,
}

/// The value of a transaction's setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The session value of that name; empty if the caller has none.
    Value(String),
    /// The whole session as a JSON object, keyed by header names.
    Session,
    /// The trace that the request belongs to as a JSON object; empty without one.
    TraceContext,
    /// The whole session as a JSON object, keyed as the claims of a token are: `{"role": "user",
    /// "sub": "7"}`.
    Claims,
    /// The claims of the caller's token as a JSON object, with the role that statements run as.
    TokenClaims {
        /// The role of the database, if the statements run as one.
        database_role: Option<String>,
    },
    /// A text of the permission file.
    Text(String),
}

/// The purpose for which rows of a table are read. A role that inherits may see different rows for
/// different purposes, because each parent adds rows and cells only where that parent itself may
/// read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// A root field of that kind.
    Root(RootKind),
    /// Single rows outside of root fields: rows of relations, of computed fields and of
    /// `returning`, and rows that the conditions of updates and deletes read.
    Rows,
    /// Aggregates over the rows of relations and computed fields.
    Aggregate,
    /// The rows of a function that is a root field.
    Call(CallId),
    /// Aggregates over the rows of a function that is a root field.
    CallAggregate(CallId),
}

/// What a role may do with one table.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// The grant to read. The schema is built from it, and it applies to every purpose that
    /// `purposes` does not contain.
    pub select: Option<Select>,
    /// The grants to read for single purposes, for a role whose parents differ in their grants;
    /// `None` if the role may not read for that purpose. Either empty or complete.
    pub purposes: BTreeMap<Purpose, Option<Arc<Select>>>,
    /// The grant to insert.
    pub insert: Option<Insert>,
    /// The grant to update.
    pub update: Option<Update>,
    /// The grant to delete.
    pub delete: Option<Delete>,
}

/// The grant to read rows.
#[derive(Clone, Debug)]
pub struct Select {
    /// The columns that may be read, filtered, sorted and aggregated.
    pub columns: Columns,
    /// The rows that may be read.
    pub rows: Rule,
    /// The maximum number of rows of a list.
    pub limit: Option<u32>,
    /// The grant to aggregate, if the role has one.
    pub aggregates: Option<Aggregates>,
    /// Expressions that replace a column's stored value wherever the role uses the column: a mask,
    /// or the cells that an inherited role may see. Each rule is an expression of the column's type
    /// over the row.
    pub values: BTreeMap<ColumnId, Rule>,
    /// The columns whose value in `values` may differ from the stored value even where it is not
    /// null.
    pub masked: Columns,
    /// For an inherited role, relations that are visible in only some rows, by name: the rows in
    /// which the relation is visible, or `None` if it is visible in no row and the schema omits it.
    pub relations: BTreeMap<String, Option<Rule>>,
    /// The root fields that the schema has.
    pub roots: RootKinds,
    /// The scalar computed fields that may be used, by name.
    pub computed: Vec<String>,
    /// For an inherited role, computed fields that are visible in only some rows, by name: the rows
    /// in which the field is visible.
    pub computed_rows: BTreeMap<String, Rule>,
}

/// The grant to aggregate rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregates {
    /// Whether rows may be counted.
    pub count: bool,
    /// The functions; `None` means all.
    pub functions: Option<Vec<Function>>,
    /// The columns that functions may be applied to; `None` means all readable columns.
    pub columns: Option<Columns>,
    /// The minimum number of rows in a group; aggregates of fewer rows are null. 0 and 1 set no
    /// minimum.
    pub min_group: u32,
    /// The rows that an inherited role can read one by one through another parent. They do not
    /// count towards `min_group`, since subtracting them from an aggregate would leave the few
    /// other rows.
    pub known: Option<Rule>,
}

/// The grant to insert rows.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The columns that may be inserted.
    pub columns: Columns,
    /// The check: a condition on the new row.
    pub check: Rule,
    /// Columns that the permission file presets, each with an expression of the column's type.
    pub preset: Vec<(ColumnId, Rule)>,
    /// The maximum number of rows that one operation may insert, over all its fields.
    pub max_rows: Option<u32>,
    /// The limits on the lengths of given values.
    pub lengths: BTreeMap<ColumnId, LengthLimits>,
    /// Whether the grant applies only to requests with the admin secret and the backend header.
    pub backend_only: bool,
    /// The root fields that the schema has.
    pub roots: RootKinds,
}

/// The grant to update rows.
#[derive(Clone, Debug)]
pub struct Update {
    /// The columns that may be set.
    pub columns: Columns,
    /// The rows that may be updated.
    pub rows: Rule,
    /// The check: a condition on the updated row.
    pub check: Rule,
    /// Columns that the permission file presets, each with an expression of the column's type.
    pub preset: Vec<(ColumnId, Rule)>,
    /// The maximum number of rows that one root field may update.
    pub max_affected: Option<u32>,
    /// The limits on the lengths of given values.
    pub lengths: BTreeMap<ColumnId, LengthLimits>,
    /// Whether the grant applies only to requests with the admin secret and the backend header.
    pub backend_only: bool,
    /// The root fields that the schema has.
    pub roots: RootKinds,
}

/// The grant to delete rows.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The rows that may be deleted.
    pub rows: Rule,
    /// The maximum number of rows that one root field may delete.
    pub max_affected: Option<u32>,
    /// Whether the grant applies only to requests with the admin secret and the backend header.
    pub backend_only: bool,
    /// The root fields that the schema has.
    pub roots: RootKinds,
}

impl Access {
    /// Creates the access of a role with these grants.
    pub fn new(
        role: impl Into<String>,
        model: Arc<Model>,
        grants: HashMap<TableId, Box<Grants>>,
    ) -> Access {
        Access {
            role: role.into(),
            model,
            grants: grants.into_iter().collect(),
            introspects: true,
            calls: HashSet::new(),
            backend: false,
            dry_run: false,
            settings: Vec::new(),
            settings_of_reads: Vec::new(),
            nothing: Select::new(Columns::default(), Rule::everything()),
            no_rows: Rule::no_rows(),
            types: TypeCache::default(),
            actions: OnceLock::new(),
        }
    }

    /// Grants actions. They are compiled against the finished permissions, so they are added after
    /// them, and once.
    pub fn grant_actions(&self, granted: GrantedActions) {
        // A second call would change a schema that documents have been validated against, so it has
        // no effect.
        let _ = self.actions.set(granted);
    }

    /// The actions that the role has, if there are any actions.
    pub fn actions(&self) -> Option<&GrantedActions> {
        self.actions.get()
    }

    pub(crate) fn known_types(&self) -> &TypeCache {
        &self.types
    }

    /// Grants calls of these functions, and reading their results where these are rows of no table.
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = CallId>) -> Access {
        self.calls.extend(calls);
        self.types = TypeCache::default();
        let model = self.model.clone();
        let callable = model
            .routines()
            .iter()
            .filter(|routine| self.calls.contains(&routine.callable.id));
        for table in callable.filter_map(|routine| routine.callable.table()) {
            if model.table(table).kind == TableKind::Result
                && let Some(exposed) = model.exposed(table)
            {
                self.grants
                    .insert(table, Box::new(Grants::result(exposed.columns.len())));
            }
        }
        self
    }

    /// Access to every exposed table and column, for the role `admin`.
    pub fn admin(model: Arc<Model>) -> Access {
        let everything =
            |exposed: &ExposedTable| (exposed.table, Box::new(Grants::everything(&model, exposed)));
        let grants = model.tables().map(everything).collect();
        let calls: Vec<CallId> = model
            .routines()
            .iter()
            .map(|routine| routine.callable.id)
            .collect();
        Access::new("admin", model, grants)
            .with_calls(calls)
            .with_dry_run(true)
    }

    /// Sets whether the role may introspect its schema.
    pub fn with_introspection(self, introspects: bool) -> Access {
        Access {
            introspects,
            types: TypeCache::default(),
            ..self
        }
    }

    /// Whether the role may introspect its schema.
    pub fn introspects(&self) -> bool {
        self.introspects
    }

    /// The role's name.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// Whether the role is `admin`, which no permission file may define.
    pub fn is_admin(&self) -> bool {
        self.role == "admin"
    }

    /// The model whose tables and columns the grants refer to.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The grant to read a table for any purpose. The schema is built from it; which rows and cells
    /// are read follows from [`Access::read`].
    pub fn select(&self, table: TableId) -> Option<&Select> {
        self.grants.get(&table)?.select.as_ref()
    }

    /// The grant to read rows of a table for a purpose.
    pub fn read(&self, table: TableId, purpose: Purpose) -> Option<&Select> {
        let grants = self.grants.get(&table)?;
        match grants.purposes.get(&purpose) {
            Some(select) => select.as_deref(),
            // The grants for single purposes are complete, so an absent one is denied.
            None if !grants.purposes.is_empty() => None,
            None => grants.select.as_ref().filter(|select| match purpose {
                Purpose::Root(kind) => select.has_root(kind),
                Purpose::Rows | Purpose::Call(_) => select.shows_rows(),
                Purpose::Aggregate | Purpose::CallAggregate(_) => true,
            }),
        }
    }

    /// Whether single rows of the table may be read outside of root fields.
    pub fn may_read_rows(&self, table: TableId) -> bool {
        self.read(table, Purpose::Rows).is_some()
    }

    /// The root field whose rows the aggregate's `nodes` shows, if the role may list the table's
    /// rows.
    pub fn listing_root(&self, table: TableId) -> Option<RootKind> {
        let mut listing = [RootKind::List, RootKind::Connection].into_iter();
        listing.find(|kind| self.read(table, Purpose::Root(*kind)).is_some())
    }

    /// Whether every visible row of a table may be read individually: the role has the list root
    /// field, and no aggregate grant with a minimum group size.
    pub fn may_list_rows(&self, table: TableId) -> bool {
        let hides = |grant: &Select| {
            grant
                .aggregates
                .as_ref()
                .is_some_and(|aggregates| aggregates.min_group > 1)
        };
        self.read(table, Purpose::Root(RootKind::List))
            .is_some_and(|grant| !hides(grant))
    }

    /// The grant to insert into a table; `None` if it is for backends only and the caller is not a
    /// backend.
    pub fn insert(&self, table: TableId) -> Option<&Insert> {
        self.grants
            .get(&table)?
            .insert
            .as_ref()
            .filter(|grant| self.backend || !grant.backend_only)
    }

    /// The grant to update a table; `None` if it is for backends only and the caller is not a
    /// backend.
    pub fn update(&self, table: TableId) -> Option<&Update> {
        self.grants
            .get(&table)?
            .update
            .as_ref()
            .filter(|grant| self.backend || !grant.backend_only)
    }

    /// The grant to delete from a table; `None` if it is for backends only and the caller is not a
    /// backend.
    pub fn delete(&self, table: TableId) -> Option<&Delete> {
        self.grants
            .get(&table)?
            .delete
            .as_ref()
            .filter(|grant| self.backend || !grant.backend_only)
    }

    /// Whether grants for backends only apply.
    pub fn is_backend(&self) -> bool {
        self.backend
    }

    /// A grant that reads no column, for tables that the role may write and not read.
    pub fn nothing(&self) -> &Select {
        &self.nothing
    }

    /// The rule `false`.
    pub fn no_rows(&self) -> &Rule {
        &self.no_rows
    }

    /// The settings of each transaction that writes, for triggers and row-level security: name and
    /// value.
    pub fn settings(&self) -> &[(String, Setting)] {
        &self.settings
    }

    /// The settings of each statement that reads, for row-level security; none by default.
    pub fn settings_of_reads(&self) -> &[(String, Setting)] {
        &self.settings_of_reads
    }

    /// Whether policies of row-level security may hide rows of a table from the user of the
    /// database that the role's statements run as. Of a user other than the gateway's, only the
    /// table's policies are known.
    pub fn has_policies(&self, table: &Table) -> bool {
        let runs_as_another = self
            .settings_of_reads
            .iter()
            .any(|(name, _)| name == "role");
        if runs_as_another {
            table.policies
        } else {
            table.row_security
        }
    }

    /// Whether the role may dry-run mutations (`X-Gateway-Dry-Run`).
    pub fn may_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Sets whether the caller is a backend.
    pub fn for_backend(self, backend: bool) -> Access {
        Access {
            backend,
            types: TypeCache::default(),
            ..self
        }
    }

    /// Sets the settings of each transaction that writes.
    pub fn with_settings(self, settings: Vec<(String, Setting)>) -> Access {
        Access { settings, ..self }
    }

    /// Sets the settings of each statement that reads.
    pub fn with_settings_of_reads(self, settings_of_reads: Vec<(String, Setting)>) -> Access {
        Access {
            settings_of_reads,
            ..self
        }
    }

    /// Sets whether the role may dry-run mutations.
    pub fn with_dry_run(self, dry_run: bool) -> Access {
        Access {
            dry_run,
            types: TypeCache::default(),
            ..self
        }
    }

    /// Whether a function may be called as a root field. If it returns rows of a table, the role
    /// needs a grant to read that table, too.
    pub fn may_call(&self, routine: &Routine) -> bool {
        let granted = self.calls.contains(&routine.callable.id) || routine.inferred;
        granted
            && routine
                .callable
                .table()
                .is_none_or(|table| self.select(table).is_some())
    }

    /// The functions that the role is granted by name.
    pub fn calls(&self) -> impl Iterator<Item = CallId> {
        self.calls.iter().copied()
    }

    /// All grants on a table.
    pub fn grants(&self, table: TableId) -> Option<&Grants> {
        self.grants.get(&table).map(Box::as_ref)
    }
}

impl Grants {
    /// Whether one of the grants is for backends only.
    pub fn any_for_backends(&self) -> bool {
        self.insert.as_ref().is_some_and(|grant| grant.backend_only)
            || self.update.as_ref().is_some_and(|grant| grant.backend_only)
            || self.delete.as_ref().is_some_and(|grant| grant.backend_only)
    }

    /// The grant for a function's result: a role that may call the function may read all of its
    /// result.
    fn result(columns: usize) -> Grants {
        let select = Select::new(Columns::all(columns), Rule::everything());
        Grants {
            select: Some(select),
            ..Grants::default()
        }
    }

    /// Everything that Postgres permits on a table.
    fn everything(model: &Model, exposed: &ExposedTable) -> Grants {
        let everything = Rule::everything();
        let mut select = Select::new(Columns::all(exposed.columns.len()), everything.clone());
        select.computed = exposed
            .computed
            .iter()
            .map(|computed| computed.name.clone())
            .collect();
        select.aggregates = Some(Aggregates::default());
        let catalog = model.catalog();
        let ids = model
            .table(exposed.table)
            .column_ids()
            .map(|(column, _)| column);
        let columns: Columns = ids
            .filter(|column| catalog.read_only(exposed.table, *column).is_none())
            .collect();
        let insert = Insert {
            columns: columns.clone(),
            check: everything.clone(),
            preset: vec![],
            max_rows: None,
            lengths: BTreeMap::new(),
            backend_only: false,
            roots: RootKinds::ALL,
        };
        let update = Update {
            columns,
            rows: everything.clone(),
            check: everything.clone(),
            preset: vec![],
            max_affected: None,
            lengths: BTreeMap::new(),
            backend_only: false,
            roots: RootKinds::ALL,
        };
        let delete = Delete {
            rows: everything,
            max_affected: None,
            backend_only: false,
            roots: RootKinds::ALL,
        };
        let updatable = model.table(exposed.table).updatable;
        Grants {
            select: Some(select),
            purposes: BTreeMap::new(),
            insert: Some(insert).filter(|_| updatable & INSERTABLE_BIT != 0),
            update: Some(update).filter(|_| updatable & UPDATABLE_BIT != 0),
            delete: Some(delete).filter(|_| updatable & DELETABLE_BIT != 0),
        }
    }
}

impl Select {
    /// A grant to read these columns of these rows, without aggregates, limit, masks or computed
    /// fields.
    pub fn new(columns: Columns, rows: Rule) -> Select {
        Select {
            columns,
            rows,
            limit: None,
            aggregates: None,
            values: BTreeMap::new(),
            masked: Columns::default(),
            relations: BTreeMap::new(),
            roots: RootKinds::ALL,
            computed: Vec::new(),
            computed_rows: BTreeMap::new(),
        }
    }
}

impl Select {
    /// Whether `roots` contains a root field of that kind.
    pub fn has_root(&self, kind: RootKind) -> bool {
        self.roots.contains(kind)
    }

    /// Whether single rows may be read outside of root fields. A grant with a minimum group size
    /// and without the root field `list` is for statistics: relations, conditions on them,
    /// `returning` and conditions of writes do not read its rows.
    pub fn shows_rows(&self) -> bool {
        self.has_root(RootKind::List)
            || self
                .aggregates
                .as_ref()
                .is_none_or(|aggregates| aggregates.min_group <= 1)
    }

    /// Whether a relation of that name is visible in some row.
    pub fn has_relation(&self, relation: &str) -> bool {
        !matches!(self.relations.get(relation), Some(None))
    }

    /// The rows in which a relation of that name is visible, if these are not all.
    pub fn relation_rule(&self, relation: &str) -> Option<&Rule> {
        self.relations.get(relation)?.as_ref()
    }
}

impl Default for Aggregates {
    /// Every function over every readable column.
    fn default() -> Aggregates {
        Aggregates {
            count: true,
            functions: None,
            columns: None,
            min_group: 0,
            known: None,
        }
    }
}

impl Aggregates {
    /// Whether a function may be applied to a column.
    pub fn allows(&self, function: Function, column: ColumnId) -> bool {
        self.functions
            .as_ref()
            .is_none_or(|functions| functions.contains(&function))
            && self
                .columns
                .as_ref()
                .is_none_or(|columns| columns.contains(column))
    }
}
