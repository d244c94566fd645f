//! What a role may do, table by table. Absent means denied.
//!
//! Plain data, filled by the crate `permissions`. Only [`crate::plan`] reads the row rules.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::aggregates::Function;
use crate::model::names::RootKind;
use crate::model::type_cache::TypeCache;
use crate::model::{CallId, ExposedTable, Model, Routine};
use crate::postgres::catalog::{ColumnId, DELETABLE, INSERTABLE, Oid, TableId, TableKind, UPDATABLE};

mod membership;

pub use membership::Membership;

/// Everything one role may do.
#[derive(Debug)]
pub struct Access {
    role: String,
    model: Arc<Model>,
    grants: HashMap<TableId, Grants>,
    introspects: bool,
    calls: HashSet<CallId>,
    backend: bool,
    rehearses: bool,
    settings: Vec<(String, Setting)>,
    nothing: Select,
    no_rows: Rule,
    types: TypeCache,
}

/// What a setting of the transaction holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A session value, by its name; nothing where the caller has none.
    Value(String),
    /// The whole session as a JSON object.
    Session,
}

/// For what the rows of a table are read. A role that inherits may see other rows for one purpose than for another, because
/// each of its parents adds rows and cells only where that parent itself may read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A root field of that kind.
    Root(RootKind),
    /// Rows that are shown or compared one by one outside of root fields: those of relations, of computed fields, of `returning`,
    /// and those that the conditions of updates and deletes look at.
    Rows,
    /// Aggregates of the rows of relations and computed fields.
    Aggregate,
    /// The rows of a function that is a root field.
    Call(CallId),
    /// Aggregates of the rows of such a function.
    CallAggregate(CallId),
}

/// What a role may do with one table.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Reading: what the schema is made of, and the rows for every purpose that `purposes` does not hold.
    pub select: Option<Select>,
    /// The grants to read for single purposes, for a role that inherits from roles which differ in theirs; none where
    /// the role may not read for that purpose. Empty, or complete.
    pub purposes: HashMap<Purpose, Option<Arc<Select>>>,
    /// Inserting.
    pub insert: Option<Insert>,
    /// Updating.
    pub update: Option<Update>,
    /// Deleting.
    pub delete: Option<Delete>,
}

/// The grant to read rows.
#[derive(Clone, Debug)]
pub struct Select {
    /// The columns that may be read, filtered, sorted and aggregated.
    pub columns: Columns,
    /// The rows that may be seen.
    pub rows: Arc<Rule>,
    /// The most rows a list may have.
    pub limit: Option<u32>,
    /// The aggregates that may be asked for, if any.
    pub aggregates: Option<Aggregates>,
    /// What stands for a column wherever the role uses it, in place of what is stored: a mask, or the cells that an
    /// inherited role may see. The rule is an expression of the column's type over the row.
    pub values: HashMap<ColumnId, Arc<Rule>>,
    /// The columns whose value in `values` is not what is stored, even where it is not null.
    pub masked: Columns,
    /// Where an inherited role does not see a relation in every row, by the relation's name: the rows in which it
    /// leads anywhere, or none where it does so in no row and is not offered.
    pub relations: HashMap<String, Option<Arc<Rule>>>,
    /// The root fields that are offered; none means all that the table has.
    pub roots: Option<Vec<RootKind>>,
    /// The scalar computed fields that may be used, by name.
    pub computed: Vec<String>,
    /// Where an inherited role does not see a computed field in every row, by name: the rows in which it is not null.
    pub computed_rows: HashMap<String, Arc<Rule>>,
}

/// The grant to aggregate rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregates {
    /// Whether rows may be counted.
    pub count: bool,
    /// The functions; none means all.
    pub functions: Option<Vec<Function>>,
    /// The columns that functions may be applied to; none means all that may be read.
    pub columns: Option<Columns>,
    /// The least number of rows that an aggregate tells of; fewer answer null. 0 and 1 are no bound.
    pub min_group: u32,
    /// The rows that an inherited role can read one by one under another of its parents. They do not count towards the least
    /// number, since subtracting them from an aggregate would leave the few others.
    pub known: Option<Arc<Rule>>,
}

/// The grant to insert rows.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The columns that may be given.
    pub columns: Columns,
    /// What has to be true of the new row.
    pub check: Arc<Rule>,
    /// Columns that the role's rule sets, each by an expression of the column's type.
    pub preset: Vec<(ColumnId, Arc<Rule>)>,
    /// Whether the grant holds only with the admin secret and the header for it.
    pub backend_only: bool,
    /// The root fields that are offered; none means all that the table has.
    pub roots: Option<Vec<RootKind>>,
}

/// The grant to update rows.
#[derive(Clone, Debug)]
pub struct Update {
    /// The columns that may be set.
    pub columns: Columns,
    /// The rows that may be changed.
    pub rows: Arc<Rule>,
    /// What has to be true of the changed row.
    pub check: Arc<Rule>,
    /// Columns that the role's rule sets, each by an expression of the column's type.
    pub preset: Vec<(ColumnId, Arc<Rule>)>,
    /// The most rows one field may change.
    pub max_affected: Option<u32>,
    /// Whether the grant holds only with the admin secret and the header for it.
    pub backend_only: bool,
    /// The root fields that are offered; none means all that the table has.
    pub roots: Option<Vec<RootKind>>,
}

/// The grant to delete rows.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The rows that may go.
    pub rows: Arc<Rule>,
    /// The most rows one field may delete.
    pub max_affected: Option<u32>,
    /// Whether the grant holds only with the admin secret and the header for it.
    pub backend_only: bool,
    /// The root fields that are offered; none means all that the table has.
    pub roots: Option<Vec<RootKind>>,
}

/// A set of columns of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns(Vec<bool>);

/// A compiled row rule, check or preset: an SQL expression over the columns of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The expression, in order.
    pub pieces: Arc<[RuleFragment]>,
    /// Where it was written.
    pub source: SourceLocation,
    /// What its subqueries and functions read beside the row.
    pub reads: RuleDependencies,
    /// The same read as a membership, where it is one; of rules for reading rows alone.
    pub membership: Option<Arc<Membership>>,
    /// The conditions that the rule joins by `AND`, named rules taken apart; empty where nobody has taken it apart.
    pub conjuncts: Vec<Arc<[RuleFragment]>>,
}

/// What a rule reads beside the row that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RuleDependencies {
    /// Nothing.
    #[default]
    Nothing,
    /// These tables.
    Tables(Vec<TableId>),
    /// Nobody knows: it calls a function outside `pg_catalog`, or reads a view.
    Anything,
}

/// A piece of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleFragment {
    /// SQL, written again from the parsed tree.
    Sql(String),
    /// A column of the table that the rule is about.
    Column(ColumnId),
    /// A value of the caller's session, as a parameter.
    Session(SessionValue),
}

/// A session value that a rule uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionValue {
    /// Its name without the header's prefix, in lower case with underscores: `user_id`.
    pub name: String,
    /// Its type: a key of the catalog's types, so `uuid` or `_uuid` (an array).
    pub r#type: Oid,
}

/// A place in the permission file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line, counted from 1; 0 for a rule that nobody wrote.
    pub line: u32,
    /// What stands there, in the author's words: `member_of(data_controller_id)`.
    pub text: Arc<str>,
}

impl Access {
    /// Access of a role with these grants.
    pub fn new(role: impl Into<String>, model: Arc<Model>, grants: HashMap<TableId, Grants>) -> Access {
        Access {
            role: role.into(),
            model,
            grants,
            introspects: true,
            calls: HashSet::new(),
            backend: false,
            rehearses: false,
            settings: Vec::new(),
            nothing: Select::new(Columns::default(), Arc::new(Rule::everything())),
            no_rows: Rule::no_rows(),
            types: TypeCache::default(),
        }
    }

    pub(crate) fn known_types(&self) -> &TypeCache {
        &self.types
    }

    /// The same with leave to call these functions, and to read what they return where that is no table's row.
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = CallId>) -> Access {
        self.calls.extend(calls);
        self.types = TypeCache::default();
        let model = self.model.clone();
        let callable = model.routines().iter().filter(|routine| self.calls.contains(&routine.callable.id));
        for table in callable.filter_map(|routine| routine.callable.table()) {
            if model.table(table).kind == TableKind::Result
                && let Some(exposed) = model.exposed(table)
            {
                self.grants.insert(table, Grants::result(exposed.columns.len()));
            }
        }
        self
    }

    /// Access to every exposed table and column, as the role `admin` has.
    pub fn admin(model: Arc<Model>) -> Access {
        let everything = |exposed: &ExposedTable| (exposed.table, Grants::everything(&model, exposed));
        let grants = model.tables().map(everything).collect();
        let calls: Vec<CallId> = model.routines().iter().map(|routine| routine.callable.id).collect();
        Access::new("admin", model, grants).with_calls(calls).with_dry_run(true)
    }

    /// The same, which may or may not ask for its schema.
    pub fn introspecting(self, introspects: bool) -> Access {
        Access { introspects, types: TypeCache::default(), ..self }
    }

    /// Whether the role may ask for its schema.
    pub fn introspects(&self) -> bool {
        self.introspects
    }

    /// The role's name.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// Whether it is that of the role `admin`, which no file grants anything to.
    pub fn is_admin(&self) -> bool {
        self.role == "admin"
    }

    /// The names of the database.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The grant to read a table, whatever for: what the schema is made of. Which rows and cells are read, [`Access::read`]
    /// says.
    pub fn select(&self, table: TableId) -> Option<&Select> {
        self.grants.get(&table)?.select.as_ref()
    }

    /// The grant to read rows of a table for a purpose.
    pub fn read(&self, table: TableId, purpose: Purpose) -> Option<&Select> {
        let grants = self.grants.get(&table)?;
        match grants.purposes.get(&purpose) {
            Some(select) => select.as_deref(),
            None => grants.select.as_ref().filter(|select| match purpose {
                Purpose::Root(kind) => select.offers(kind),
                Purpose::Rows | Purpose::Call(_) => select.shows_rows(),
                Purpose::Aggregate | Purpose::CallAggregate(_) => true,
            }),
        }
    }

    /// Whether single rows of the table may be seen outside of root fields.
    pub fn shows_rows(&self, table: TableId) -> bool {
        self.read(table, Purpose::Rows).is_some()
    }

    /// The root field whose rows `nodes` of the aggregate root field shows, if the role may list the table's rows.
    pub fn listing_root(&self, table: TableId) -> Option<RootKind> {
        let mut listing = [RootKind::List, RootKind::Connection].into_iter();
        listing.find(|kind| self.read(table, Purpose::Root(*kind)).is_some())
    }

    /// Whether the rows of a table may be read each by itself, from wherever: the role has its list, and no aggregate hides small
    /// groups of them.
    pub fn lists(&self, table: TableId) -> bool {
        let hides = |grant: &Select| grant.aggregates.as_ref().is_some_and(|aggregates| aggregates.min_group > 1);
        self.read(table, Purpose::Root(RootKind::List)).is_some_and(|grant| !hides(grant))
    }

    /// The grant to insert into a table, unless it is for back ends and the caller is none.
    pub fn insert(&self, table: TableId) -> Option<&Insert> {
        self.grants.get(&table)?.insert.as_ref().filter(|grant| self.backend || !grant.backend_only)
    }

    /// The grant to update a table, unless it is for back ends and the caller is none.
    pub fn update(&self, table: TableId) -> Option<&Update> {
        self.grants.get(&table)?.update.as_ref().filter(|grant| self.backend || !grant.backend_only)
    }

    /// The grant to delete from a table, unless it is for back ends and the caller is none.
    pub fn delete(&self, table: TableId) -> Option<&Delete> {
        self.grants.get(&table)?.delete.as_ref().filter(|grant| self.backend || !grant.backend_only)
    }

    /// Whether grants that are for back ends alone hold.
    pub fn is_backend(&self) -> bool {
        self.backend
    }

    /// The grant to read nothing, for tables that may be written and not read.
    pub fn nothing(&self) -> &Select {
        &self.nothing
    }

    /// The rule that no row passes.
    pub fn no_rows(&self) -> &Rule {
        &self.no_rows
    }

    /// The settings that triggers find in a transaction of this role: name, and what stands there.
    pub fn settings(&self) -> &[(String, Setting)] {
        &self.settings
    }

    /// Whether the role may have mutations undone: `X-Gateway-Dry-Run`.
    pub fn may_dry_run(&self) -> bool {
        self.rehearses
    }

    /// The same, for a caller who is a back end or not.
    pub fn for_backend(self, backend: bool) -> Access {
        Access { backend, types: TypeCache::default(), ..self }
    }

    /// The same with settings of each transaction that writes.
    pub fn with_settings(self, settings: Vec<(String, Setting)>) -> Access {
        Access { settings, ..self }
    }

    /// The same, which may or may not have mutations undone.
    pub fn with_dry_run(self, rehearses: bool) -> Access {
        Access { rehearses, types: TypeCache::default(), ..self }
    }

    /// Whether a function may be called as a root field. The rows of a table that it returns have to be granted too.
    pub fn may_call(&self, routine: &Routine) -> bool {
        let granted = self.calls.contains(&routine.callable.id) || routine.inferred;
        granted && routine.callable.table().is_none_or(|table| self.select(table).is_some())
    }

    /// The functions that the role was given by name.
    pub fn calls(&self) -> impl Iterator<Item = CallId> {
        self.calls.iter().copied()
    }

    /// All grants on a table.
    pub fn grants(&self, table: TableId) -> Option<&Grants> {
        self.grants.get(&table)
    }
}

impl Grants {
    /// Whether one of them holds for back ends alone.
    pub fn any_for_backends(&self) -> bool {
        self.insert.as_ref().is_some_and(|grant| grant.backend_only)
            || self.update.as_ref().is_some_and(|grant| grant.backend_only)
            || self.delete.as_ref().is_some_and(|grant| grant.backend_only)
    }

    /// To read what a function returns: whoever may call it may read all of it.
    fn result(columns: usize) -> Grants {
        let select = Select::new(Columns::all(columns), Arc::new(Rule::everything()));
        Grants { select: Some(select), ..Grants::default() }
    }

    /// Everything that can be done with a table at all.
    fn everything(model: &Model, exposed: &ExposedTable) -> Grants {
        let everything = Arc::new(Rule::everything());
        let mut select = Select::new(Columns::all(exposed.columns.len()), everything.clone());
        select.computed = exposed.computed.iter().map(|computed| computed.name.clone()).collect();
        select.aggregates = Some(Aggregates::default());
        let catalog = model.catalog();
        let ids = model.table(exposed.table).column_ids().map(|(column, _)| column);
        let columns: Columns = ids.filter(|column| catalog.read_only(exposed.table, *column).is_none()).collect();
        let insert = Insert {
            columns: columns.clone(),
            check: everything.clone(),
            preset: vec![],
            backend_only: false,
            roots: None,
        };
        let update = Update {
            columns,
            rows: everything.clone(),
            check: everything.clone(),
            preset: vec![],
            max_affected: None,
            backend_only: false,
            roots: None,
        };
        let delete = Delete { rows: everything, max_affected: None, backend_only: false, roots: None };
        let updatable = model.table(exposed.table).updatable;
        Grants {
            select: Some(select),
            purposes: HashMap::new(),
            insert: Some(insert).filter(|_| updatable & INSERTABLE != 0),
            update: Some(update).filter(|_| updatable & UPDATABLE != 0),
            delete: Some(delete).filter(|_| updatable & DELETABLE != 0),
        }
    }
}

impl Select {
    /// The grant to read these columns of these rows, without aggregates, limit, masks or computed fields.
    pub fn new(columns: Columns, rows: Arc<Rule>) -> Select {
        Select {
            columns,
            rows,
            limit: None,
            aggregates: None,
            values: HashMap::new(),
            masked: Columns::default(),
            relations: HashMap::new(),
            roots: None,
            computed: Vec::new(),
            computed_rows: HashMap::new(),
        }
    }
}

impl Select {
    /// Whether a root field of that kind is offered, as far as `roots` says.
    pub fn offers(&self, kind: RootKind) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.contains(&kind))
    }

    /// Whether single rows may be seen outside of root fields. A grant with a least group and without the root field `list`
    /// is for statistics: neither relations nor conditions on them, `returning` or conditions of writes reach its rows.
    pub fn shows_rows(&self) -> bool {
        self.offers(RootKind::List) || self.aggregates.as_ref().is_none_or(|aggregates| aggregates.min_group <= 1)
    }

    /// Whether a relation of that name leads anywhere from some row.
    pub fn reaches(&self, relation: &str) -> bool {
        !matches!(self.relations.get(relation), Some(None))
    }

    /// The rows that a relation of that name leads anywhere from, where these are not all.
    pub fn relation_rule(&self, relation: &str) -> Option<&Rule> {
        self.relations.get(relation)?.as_deref()
    }
}

impl Default for Aggregates {
    /// Every function over every column that may be read.
    fn default() -> Aggregates {
        Aggregates { count: true, functions: None, columns: None, min_group: 0, known: None }
    }
}

impl Aggregates {
    /// Whether a function may be applied to a column.
    pub fn allows(&self, function: Function, column: ColumnId) -> bool {
        self.functions.as_ref().is_none_or(|functions| functions.contains(&function))
            && self.columns.as_ref().is_none_or(|columns| columns.contains(column))
    }
}

impl Columns {
    /// All columns of a table with that many.
    pub fn all(count: usize) -> Columns {
        Columns(vec![true; count])
    }

    /// Adds a column.
    pub fn insert(&mut self, column: ColumnId) {
        let place = column.0 as usize;
        if self.0.len() <= place {
            self.0.resize(place + 1, false);
        }
        self.0[place] = true;
    }

    /// Whether the column is one of them.
    pub fn contains(&self, column: ColumnId) -> bool {
        self.0.get(column.0 as usize).copied().unwrap_or(false)
    }

    /// The columns, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = ColumnId> {
        self.0.iter().zip(0..).filter(|(granted, _)| **granted).map(|(_, i)| ColumnId(i))
    }
}

impl FromIterator<ColumnId> for Columns {
    fn from_iter<T: IntoIterator<Item = ColumnId>>(ids: T) -> Columns {
        let mut columns = Columns::default();
        ids.into_iter().for_each(|column| columns.insert(column));
        columns
    }
}

impl Rule {
    /// The rule `true`: all rows.
    pub fn everything() -> Rule {
        Rule::constant("true")
    }

    /// The rule that no row passes.
    pub fn no_rows() -> Rule {
        Rule::constant("false")
    }

    /// A rule that reads nothing.
    pub fn constant(sql: impl Into<String>) -> Rule {
        let sql = sql.into();
        let source = SourceLocation { file: "".into(), line: 0, text: sql.as_str().into() };
        Rule {
            pieces: Arc::from([RuleFragment::Sql(sql)]),
            source,
            reads: RuleDependencies::Nothing,
            membership: None,
            conjuncts: vec![],
        }
    }

    /// Whether every row that passes this rule passes the other one too, as far as their texts show it: the other one hides
    /// nothing, is the same, or joins some of the conditions that this one joins by `AND`.
    pub fn implies(&self, other: &Rule) -> bool {
        let joined = !other.conjuncts.is_empty() && other.conjuncts.iter().all(|part| self.conjuncts.contains(part));
        other.is_everything() || self.pieces == other.pieces || joined
    }

    /// Whether the rule hides nothing: it is the word `true`.
    pub fn is_everything(&self) -> bool {
        matches!(&*self.pieces, [RuleFragment::Sql(sql)] if sql.eq_ignore_ascii_case("true"))
    }

    /// The value as one of another type: `(…)::text`. The type is written as [`crate::postgres::types::Scalar::sql`] has it.
    pub fn cast(&self, r#type: &str) -> Rule {
        let pieces = std::iter::once(RuleFragment::Sql("(".into())).chain(self.pieces.iter().cloned());
        let pieces = pieces.chain([RuleFragment::Sql(format!(")::{type}"))]).collect();
        Rule { pieces, source: self.source.clone(), reads: self.reads.clone(), membership: None, conjuncts: vec![] }
    }

    /// The columns of the row that it reads.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> {
        self.pieces
            .iter()
            .filter_map(|piece| if let RuleFragment::Column(column) = piece { Some(*column) } else { None })
    }

    /// The session values it needs.
    pub fn session_values(&self) -> impl Iterator<Item = &SessionValue> {
        self.pieces.iter().filter_map(|piece| match piece {
            RuleFragment::Session(value) => Some(value),
            _ => None,
        })
    }
}

impl RuleDependencies {
    /// Whether one of these tables may be read.
    pub fn meets(&self, tables: &[TableId]) -> bool {
        match self {
            RuleDependencies::Nothing => false,
            RuleDependencies::Tables(read) => read.iter().any(|table| tables.contains(table)),
            RuleDependencies::Anything => true,
        }
    }

    /// What both read together.
    pub fn joined(self, other: RuleDependencies) -> RuleDependencies {
        match (self, other) {
            (RuleDependencies::Nothing, other) | (other, RuleDependencies::Nothing) => other,
            (RuleDependencies::Tables(mut tables), RuleDependencies::Tables(others)) => {
                tables.extend(others.into_iter().filter(|other| !tables.contains(other)).collect::<Vec<_>>());
                RuleDependencies::Tables(tables)
            }
            _ => RuleDependencies::Anything,
        }
    }
}
