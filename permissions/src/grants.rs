//! Compiles the file's grants into [`Access`]: resolves columns, compiles rules, and reports
//! contradictions.

mod aggregates;
mod lengths;
mod row_rules;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use sql::model::access::{Access, Columns, Delete, Grants, Insert, Rule, Select, Update};
use sql::model::{CallId, ExposedTable, Model};
use sql::postgres::catalog::{
    Column, ColumnId, DELETABLE_BIT, INSERTABLE_BIT, READABLE_BIT, ReadOnly, Table, TableId,
    UPDATABLE_BIT,
};
use sql::postgres::types::{Scalar, quoted as quote};

use crate::DATABASE_USER;
use crate::exposure::quoted;
use crate::fault::Fault;
use crate::file::{
    CallersEntry, ColumnsEntry, DeleteEntry, FunctionEntry, InsertEntry, RoleDefinition, RoleEntry,
    SelectEntry, TableEntry, Text, UpdateEntry,
};
use crate::grants::row_rules::{CheckState, CompiledRule, CompiledRules, compile_rule};
use crate::inherit::{DirectGrants, Inherited, Parents, Writes, inherited};
use crate::report::Report;
use crate::roles::{Role, Roles};
use crate::rule::{RuleSubject, Rules};
use crate::rule_check::RuleCheck;
use crate::settings::RoleSettings;
use crate::similar_names::{did_you_mean, listed};
use crate::state_check::{DatabaseRole, KnownSettings, SettingReader, StateCheck};
use crate::table_names::{key, unknown_column};

pub(crate) use row_rules::compile_row_rules;

/// The bit of [`Table::triggers`] for triggers that run before (or instead of) an insert.
const BEFORE_INSERT: u32 = 1;

/// Collects the grants of every role, table by table.
pub(crate) struct GrantCompiler<'m, 'r, 'a> {
    model: &'m Arc<Model>,
    rules: &'m Rules<'m>,
    report: &'r mut Report<'a>,
    roles: DirectGrants,
    parents: Parents,
    /// The roles that may not introspect the schema.
    no_introspection: Vec<String>,
    /// The roles that may dry-run mutations.
    dry_run: Vec<String>,
    /// The roles of the database under which roles' statements run.
    database_roles: HashMap<String, String>,
    /// The spans of the roles' definitions in the file.
    spans: HashMap<String, Range<usize>>,
    calls: HashMap<String, Vec<CallId>>,
    prepared: Vec<RuleCheck>,
    known: CompiledRules<'a>,
    /// Takes the checks of rules that were not compiled before.
    on_check: &'r mut (dyn FnMut(&RuleCheck) + Send),
    /// Questions about privileges and settings.
    states: Vec<StateCheck>,
    settings: &'m RoleSettings,
    known_settings: KnownSettings,
}

/// The purpose of a grant's columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

impl<'m, 'r, 'a> GrantCompiler<'m, 'r, 'a> {
    pub(crate) fn new(
        model: &'m Arc<Model>,
        rules: &'m Rules<'m>,
        known: CompiledRules<'a>,
        settings: &'m RoleSettings,
        report: &'r mut Report<'a>,
        on_check: &'r mut (dyn FnMut(&RuleCheck) + Send),
    ) -> Self {
        GrantCompiler {
            model,
            rules,
            report,
            roles: DirectGrants::new(),
            parents: Parents::new(),
            calls: HashMap::new(),
            no_introspection: vec![],
            dry_run: vec![],
            database_roles: HashMap::new(),
            spans: HashMap::new(),
            prepared: Vec::with_capacity(known.len()),
            known,
            on_check,
            states: vec![],
            settings,
            known_settings: KnownSettings::new(
                settings.values.iter().map(|(name, _)| name.as_str()),
            ),
        }
    }

    /// The roles, `admin` first, the statements that Postgres checks, and the questions about its
    /// state.
    pub(crate) fn finish(mut self) -> (Roles, Vec<RuleCheck>, Vec<StateCheck>) {
        let settings = self.settings;
        self.inherit();
        let admin = Arc::new(settings.apply(Access::admin(self.model.clone()), None));
        let admin = Role {
            plain: admin.clone(),
            backend: admin,
        };
        let mut roles = Roles::default();
        roles.insert(crate::ADMIN.to_owned(), admin);
        for (role, grants) in std::mem::take(&mut self.roles) {
            let compiled = self.build_role(&role, grants, settings);
            roles.insert(role, compiled);
        }
        (roles, self.prepared, self.states)
    }

    /// Adds to inheriting roles the grants of their parents.
    fn inherit(&mut self) {
        let selects = inherited(self.model, &self.roles, &self.parents, &self.calls);
        let Writes { granted, differing } =
            Writes::inherited(self.model, &self.roles, &self.parents);
        for (role, table, Inherited { select, purposes }) in selects {
            let grants = self
                .roles
                .entry(role)
                .or_default()
                .entry(table)
                .or_default();
            (grants.select, grants.purposes) = (Some(select), purposes);
        }
        for (role, table, writes) in granted {
            let grants = self
                .roles
                .entry(role)
                .or_default()
                .entry(table)
                .or_default();
            **grants = Grants {
                select: grants.select.take(),
                purposes: std::mem::take(&mut grants.purposes),
                ..writes
            };
        }
        for (role, table, action) in differing {
            let Some(span) = self.spans.get(&role) else {
                continue;
            };
            let fault = Fault::NotInherited {
                role,
                action,
                table: key(self.model.table(table)),
            };
            self.report.record(
                fault,
                span,
                "give the role a grant of its own, or make those of its parents the same",
            );
        }
    }

    /// Builds the access of a role; a second one for backends if some of its grants are
    /// `backend_only`.
    fn build_role(
        &self,
        role: &str,
        grants: HashMap<TableId, Box<Grants>>,
        settings: &RoleSettings,
    ) -> Role {
        let access = |grants| {
            let calls = calls(role, &self.calls, &self.parents);
            let access = Access::new(role, self.model.clone(), grants).with_calls(calls);
            let access =
                access.with_introspection(!self.no_introspection.iter().any(|name| name == role));
            let access = access.with_dry_run(self.dry_run.iter().any(|name| name == role));
            settings.apply(access, self.database_roles.get(role).map(String::as_str))
        };
        let backend = grants
            .values()
            .any(|grants| grants.any_for_backends())
            .then(|| access(grants.clone()).for_backend(true));
        let plain = Arc::new(access(grants));
        Role {
            backend: backend.map_or_else(|| plain.clone(), Arc::new),
            plain,
        }
    }

    /// Adds the roles that the file defines, with or without grants, and their parents.
    pub(crate) fn roles(&mut self, roles: &[RoleDefinition]) {
        for role in roles {
            match role.name.value.as_str() {
                "admin" => self.report.add(Fault::AdminGrants {}, &role.name.span),
                name => drop(self.roles.entry(name.to_owned()).or_default()),
            }
            if !role.introspection {
                self.no_introspection.push(role.name.value.clone());
            }
            if role.dry_run {
                self.dry_run.push(role.name.value.clone());
            }
            self.spans
                .insert(role.name.value.clone(), role.name.span.clone());
        }
        for role in roles {
            let parents: Vec<String> = self.parents_of(role);
            if !parents.is_empty() {
                self.parents.insert(role.name.value.clone(), parents);
            }
        }
    }

    /// The valid parents of a role; a parent that would close a cycle is reported and omitted.
    fn parents_of(&mut self, role: &RoleDefinition) -> Vec<String> {
        let mut parents: Vec<String> = vec![];
        for parent in &role.inherits {
            let name = &parent.value;
            if name == "admin" {
                self.report.add(Fault::AdminParent {}, &parent.span);
            } else if !self.roles.contains_key(name) {
                let help = did_you_mean(name, self.roles.keys().map(String::as_str));
                self.report.add_with(
                    Fault::UnknownRole { role: name.clone() },
                    &parent.span,
                    help,
                );
            } else if parents.contains(name) {
                self.report
                    .add(Fault::Twice { name: name.clone() }, &parent.span);
            } else if let Some(inheritance_path) = self.inheritance_path(name, &role.name.value) {
                let path = format!("`{}` → {inheritance_path}", role.name.value);
                self.report.add(Fault::RoleCycle { path }, &parent.span);
            } else {
                parents.push(name.clone());
            }
        }
        parents
    }

    /// The path along which a role inherits from another, if it does: `a` → `b`.
    fn inheritance_path(&self, from: &str, to: &str) -> Option<String> {
        if from == to {
            return Some(format!("`{to}`"));
        }
        let mut parents = self.parents.get(from).into_iter().flatten();
        parents
            .find_map(|parent| self.inheritance_path(parent, to))
            .map(|rest| format!("`{from}` → {rest}"))
    }

    /// Grants a function to the roles that its entry names.
    pub(crate) fn function(&mut self, call: CallId, entry: &FunctionEntry) {
        let CallersEntry::These(roles) = &entry.roles else {
            return;
        };
        for (index, role) in roles.iter().enumerate() {
            match role.value.as_str() {
                "admin" => self.report.add(Fault::AdminGrants {}, &role.span),
                name => drop(self.roles.entry(name.to_owned()).or_default()),
            }
            if roles[..index]
                .iter()
                .any(|earlier| earlier.value == role.value)
            {
                self.report.add(
                    Fault::Twice {
                        name: role.value.clone(),
                    },
                    &role.span,
                );
            }
            self.calls.entry(role.value.clone()).or_default().push(call);
            self.ask_call(call, role);
        }
    }

    /// Adds the question whether the database user may call a function.
    fn ask_call(&mut self, call: CallId, role: &Text) {
        let model = self.model.clone();
        let Some(routine) = model
            .routines()
            .iter()
            .find(|routine| routine.callable.id == call)
        else {
            return;
        };
        let function = model.catalog().function(routine.callable.function);
        let name = format!("function `{}.{}`", function.schema, function.name);
        let fault = Fault::MissingPrivilege {
            role: role.value.clone(),
            privilege: "EXECUTE",
            name,
        };
        let database_role = self.database_roles.get(&role.value);
        let who = database_role.map_or(DatabaseRole::User, |name| DatabaseRole::Named(name));
        let span = self.report.span_of(&role.span);
        self.states.push(StateCheck::function(
            who,
            &function.schema,
            &function.name,
            fault,
            span,
        ));
    }

    /// Adds the grants of a table's entry.
    pub(crate) fn table(&mut self, id: TableId, entry: &TableEntry) {
        let model = self.model.clone();
        let Some(exposed) = model.exposed(id) else {
            // If the entry's name has a fault, that was reported already.
            if let (false, Some(role)) = (entry.exposed, entry.roles.first()) {
                self.report.add(
                    Fault::NotExposed {
                        table: entry.key.value.clone(),
                    },
                    &role.role.span,
                );
            }
            return;
        };
        let runs_as_user = |role: &RoleEntry| !self.database_roles.contains_key(&role.role.value);
        if model.table(id).row_security && entry.roles.iter().any(runs_as_user) {
            let help = "sign in as the tables' owner or a user with BYPASSRLS, or set what the \
                        policies read in `[settings]`";
            self.report.record(
                Fault::RowSecurity {
                    table: entry.key.value.clone(),
                },
                &entry.key.span,
                help,
            );
        }
        if !entry.roles.is_empty() {
            self.ask_settings(id, entry);
        }
        for role in &entry.roles {
            if role.role.value == "admin" {
                self.report.add(Fault::AdminGrants {}, &role.role.span);
                continue;
            }
            let mut grants = self.role(exposed, role);
            if !self.database_roles.contains_key(&role.role.value) {
                self.privileges(exposed.table, role, &grants);
            }
            self.ask_privileges(exposed.table, role, &grants);
            self.note_incomplete_insert(exposed.table, role, &grants);
            if let (Some(select), Some(written)) = (&mut grants.select, &role.select) {
                select.computed = self.computed(exposed, entry, &written.computed);
            }
            self.roles
                .entry(role.role.value.clone())
                .or_default()
                .insert(id, Box::new(grants));
        }
    }

    /// Adds the questions about the settings that the table's policies and triggers read.
    fn ask_settings(&mut self, id: TableId, entry: &TableEntry) {
        let model = self.model.clone();
        let span = self.report.span_of(&entry.key.span);
        let known = &self.known_settings;
        let switches = !self.database_roles.is_empty();
        let unset = StateCheck::settings(
            model.table(id),
            known,
            SettingReader::Any,
            switches,
            span.clone(),
        );
        self.states.push(unset);
        if !self.settings.reads && !switches && !self.settings.values.is_empty() {
            self.states.push(StateCheck::settings(
                model.table(id),
                known,
                SettingReader::Reads,
                switches,
                span,
            ));
        }
    }

    /// Notes the roles of the database under which roles' statements run, before the tables are
    /// compiled.
    pub(crate) fn database_roles(&mut self, roles: &[RoleDefinition]) {
        for role in roles {
            let Some(name) = &role.set_role else { continue };
            // `none` means no role to Postgres; its own roles cannot be set.
            if name.value.is_empty() || name.value == "none" || name.value.contains('\0') {
                self.report.add(
                    Fault::DatabaseRoleName {
                        name: name.value.clone(),
                    },
                    &name.span,
                );
                continue;
            }
            let span = self.report.span_of(&name.span);
            self.states
                .push(StateCheck::membership(&role.name.value, &name.value, span));
            self.database_roles
                .insert(role.name.value.clone(), name.value.clone());
        }
    }

    fn role(&mut self, exposed: &ExposedTable, entry: &RoleEntry) -> Grants {
        Grants {
            purposes: BTreeMap::new(),
            select: entry
                .select
                .as_ref()
                .and_then(|entry| self.select(exposed, entry)),
            insert: entry
                .insert
                .as_ref()
                .and_then(|entry| self.insert(exposed, entry)),
            update: entry
                .update
                .as_ref()
                .and_then(|entry| self.update(exposed, entry)),
            delete: entry
                .delete
                .as_ref()
                .and_then(|entry| self.delete(exposed, entry)),
        }
    }

    /// Reports grants for which the database user lacks the privilege.
    fn privileges(&mut self, id: TableId, entry: &RoleEntry, grants: &Grants) {
        let model = self.model.clone();
        let table = model.table(id);
        if table.denied == 0 {
            return;
        }
        for (bit, privilege, columns) in used_privileges(table, grants) {
            let missing: Vec<String> = columns
                .iter()
                .filter(|column| !table.is_allowed(bit, column))
                .map(|column| quote(column))
                .collect();
            if !missing.is_empty() || !table.is_allowed_somewhere(bit) {
                let columns = match missing.len() {
                    0 => String::new(),
                    _ => format!(" ({})", missing.join(", ")),
                };
                let name = format!("{}.{}", quote(&table.schema), quote(&table.name));
                let help = format!("GRANT {privilege}{columns} ON {name} TO {DATABASE_USER};");
                let fault = Fault::NoPrivilege {
                    role: entry.role.value.clone(),
                    privilege,
                    table: key(table),
                };
                self.report.add_with(fault, &entry.role.span, Some(help));
            }
        }
    }

    /// Adds the questions about privileges that the catalog does not answer.
    fn ask_privileges(&mut self, id: TableId, entry: &RoleEntry, grants: &Grants) {
        let model = self.model.clone();
        let table = model.table(id);
        let role = &entry.role.value;
        let span = self.report.span_of(&entry.role.span);
        let missing = |privilege, name: String| Fault::MissingPrivilege {
            role: role.clone(),
            privilege,
            name: format!("`{name}`"),
        };
        let database_role = self.database_roles.get(role);
        if let Some(name) = database_role {
            for (_, privilege, columns) in used_privileges(table, grants) {
                let fault = missing(privilege, key(table));
                self.states.push(StateCheck::privilege(
                    DatabaseRole::Named(name),
                    privilege,
                    table,
                    &columns,
                    fault,
                    span.clone(),
                ));
            }
        }
        if let Some(insert) = &grants.insert {
            let is_given =
                |column: ColumnId| insert.preset.iter().any(|(preset, _)| *preset == column);
            let defaults = table.column_ids().filter(|(id, column)| {
                let calls = column
                    .default
                    .as_deref()
                    .is_some_and(|default| default.contains("nextval"));
                calls && !is_given(*id)
            });
            let columns: Vec<&str> = defaults.map(|(_, column)| column.name.as_str()).collect();
            if !columns.is_empty() {
                let who =
                    database_role.map_or(DatabaseRole::User, |name| DatabaseRole::Named(name));
                let fault = missing("USAGE", format!("the sequences of {}", key(table)));
                self.states
                    .push(StateCheck::sequences(who, table, &columns, fault, span));
            }
        }
    }

    /// Notes columns that an insert by this role cannot fill, so that each insert would fail. A
    /// trigger may fill them.
    fn note_incomplete_insert(&mut self, id: TableId, entry: &RoleEntry, grants: &Grants) {
        let (Some(insert), Some(written)) = (&grants.insert, &entry.insert) else {
            return;
        };
        let model = self.model.clone();
        let table = model.table(id);
        let is_preset =
            |column: ColumnId| insert.preset.iter().any(|(preset, _)| *preset == column);
        let is_missing = |(id, column): &(ColumnId, &Column)| {
            let has_value =
                column.nullable || column.default.is_some() || column.generated.is_some();
            !has_value
                && column.identity.is_none()
                && !insert.columns.contains(*id)
                && !is_preset(*id)
        };
        let missing = table
            .column_ids()
            .filter(is_missing)
            .map(|(_, column)| column.name.as_str());
        let columns = listed(missing);
        if !columns.is_empty() && !table.is_view() && table.triggers & BEFORE_INSERT == 0 {
            let role = entry.role.value.clone();
            let table = key(table);
            let fault = Fault::InsertIncomplete {
                role,
                table,
                columns,
            };
            self.report.record(
                fault,
                &written.span,
                "add the columns to `columns`, or to `preset` with a value",
            );
        }
    }

    fn select(&mut self, exposed: &ExposedTable, entry: &SelectEntry) -> Option<Select> {
        let columns = self.columns(exposed, entry.columns.as_ref(), Use::Read, &[]);
        let rows = entry
            .rows
            .as_ref()
            .and_then(|rows| self.compiled(RuleSubject::Read(exposed.table), rows));
        let mut select = Select::new(columns?, rows?);
        select.limit = entry.limit;
        select.aggregates = entry
            .aggregates
            .as_ref()
            .map(|entry| self.aggregates(exposed, &select, entry));
        select.roots = entry.roots;
        self.masks(exposed, &entry.masks, &mut select);
        Some(select)
    }

    /// Compiles masks: expressions over the row that replace a column's value, cast to the column's
    /// type.
    fn masks(&mut self, exposed: &ExposedTable, masks: &[(Text, Text)], select: &mut Select) {
        let model = self.model.clone();
        let table = model.table(exposed.table);
        for (name, expression) in masks {
            let Some(column) = self.column(exposed, name, Use::Read) else {
                continue;
            };
            if !select.columns.contains(column) {
                let help =
                    "a mask changes what a granted column shows; name the column in `columns` too"
                        .to_owned();
                self.report.add_with(
                    Fault::MaskNotGranted {
                        column: name.value.clone(),
                    },
                    &name.span,
                    Some(help),
                );
                continue;
            }
            let Some(mask) = self.compiled(RuleSubject::Mask(exposed.table, column), expression)
            else {
                continue;
            };
            let scalar = Scalar::from_oid(model.catalog(), table.column(column).r#type);
            select.values.insert(column, mask.cast(&scalar.sql));
            select.masked.insert(column);
        }
    }

    /// The computed fields of a grant. Faults of the fields themselves are reported elsewhere.
    fn computed(
        &mut self,
        exposed: &ExposedTable,
        entry: &TableEntry,
        names: &[Text],
    ) -> Vec<String> {
        let mut granted = vec![];
        for name in names {
            let found = exposed
                .computed
                .iter()
                .find(|computed| computed.name == name.value);
            let known = || {
                entry
                    .computed
                    .iter()
                    .map(|computed| computed.name.value.as_str())
            };
            if granted.contains(&name.value) {
                self.report.add(
                    Fault::Twice {
                        name: name.value.clone(),
                    },
                    &name.span,
                );
            } else if found.is_some_and(|computed| computed.callable.table().is_some()) {
                self.report.add(
                    Fault::ComputedRows {
                        computed: name.value.clone(),
                    },
                    &name.span,
                );
            } else if found.is_none() && known().all(|known| known != name.value) {
                let fault = Fault::UnknownComputed {
                    computed: name.value.clone(),
                    table: entry.key.value.clone(),
                };
                self.report
                    .add_with(fault, &name.span, did_you_mean(&name.value, known()));
            }
            granted.push(name.value.clone());
        }
        granted
    }

    fn insert(&mut self, exposed: &ExposedTable, entry: &InsertEntry) -> Option<Insert> {
        self.updatable(exposed, INSERTABLE_BIT, "inserts", &entry.span);
        let columns = self.columns(exposed, entry.columns.as_ref(), Use::Write, &entry.preset);
        let check = self.rule(exposed, entry.check.as_ref());
        let preset = self.presets(exposed, &entry.preset);
        let columns = columns?;
        let lengths = self.lengths(exposed, &columns, &entry.lengths);
        let backend_only = entry.backend_only;
        let roots = entry.roots;
        Some(Insert {
            columns,
            check: check?,
            preset,
            max_rows: entry.max_rows,
            lengths,
            backend_only,
            roots,
        })
    }

    fn update(&mut self, exposed: &ExposedTable, entry: &UpdateEntry) -> Option<Update> {
        self.updatable(exposed, UPDATABLE_BIT, "updates", &entry.span);
        let columns = self.columns(exposed, entry.columns.as_ref(), Use::Write, &entry.preset);
        let rows = self.rule(exposed, entry.rows.as_ref());
        let check = match &entry.check {
            Some(check) => self.rule(exposed, Some(check)),
            None => rows.clone(),
        };
        let preset = self.presets(exposed, &entry.preset);
        let columns = columns?;
        let lengths = self.lengths(exposed, &columns, &entry.lengths);
        let max_affected = entry.max_affected;
        let backend_only = entry.backend_only;
        let roots = entry.roots;
        Some(Update {
            columns,
            rows: rows?,
            check: check?,
            preset,
            max_affected,
            lengths,
            backend_only,
            roots,
        })
    }

    fn delete(&mut self, exposed: &ExposedTable, entry: &DeleteEntry) -> Option<Delete> {
        self.updatable(exposed, DELETABLE_BIT, "deletes", &entry.span);
        let rows = self.rule(exposed, entry.rows.as_ref())?;
        let max_affected = entry.max_affected;
        let backend_only = entry.backend_only;
        let roots = entry.roots;
        Some(Delete {
            rows,
            max_affected,
            backend_only,
            roots,
        })
    }

    fn updatable(
        &mut self,
        exposed: &ExposedTable,
        needed: u32,
        action: &'static str,
        span: &Range<usize>,
    ) {
        let table = self.model.table(exposed.table);
        if table.updatable & needed == 0 {
            let rule = table
                .rules
                .iter()
                .find(|rule| rule.bars == needed)
                .map(|rule| &rule.name);
            let help = rule.map(|rule| {
                format!(
                    "its rewrite rule `{rule}` is the reason: rules \
                                                are written with if they hold always, `INSTEAD`, \
                                                and \
                                                their action has `RETURNING`"
                )
            });
            self.report.add_with(
                Fault::NotUpdatable {
                    table: key(table),
                    action,
                },
                span,
                help,
            );
        }
    }

    fn columns(
        &mut self,
        exposed: &ExposedTable,
        entry: Option<&ColumnsEntry>,
        usage: Use,
        preset: &[(Text, Text)],
    ) -> Option<Columns> {
        let model = self.model.clone();
        let table = model.table(exposed.table);
        let mut columns = Columns::default();
        match entry? {
            ColumnsEntry::Every => {
                let sayable = |(id, _): &(ColumnId, &Column)| exposed.column_name(*id).is_some();
                let free = |(_, column): &(ColumnId, &Column)| {
                    !preset.iter().any(|(name, _)| name.value == column.name)
                };
                let usable = |(id, _): &(ColumnId, &Column)| {
                    usage == Use::Read || model.catalog().read_only(exposed.table, *id).is_none()
                };
                let granted = table
                    .column_ids()
                    .filter(sayable)
                    .filter(free)
                    .filter(usable);
                granted.for_each(|(id, _)| columns.insert(id));
            }
            ColumnsEntry::These(names) => {
                for name in names {
                    if let Some(id) = self.column(exposed, name, usage) {
                        self.twice(&columns, id, name);
                        self.not_preset(name, preset);
                        columns.insert(id);
                    }
                }
            }
        }
        Some(columns)
    }

    fn twice(&mut self, columns: &Columns, id: ColumnId, name: &Text) {
        if columns.contains(id) {
            self.report.add(
                Fault::Twice {
                    name: name.value.clone(),
                },
                &name.span,
            );
        }
    }

    fn not_preset(&mut self, name: &Text, preset: &[(Text, Text)]) {
        if preset.iter().any(|(preset, _)| preset.value == name.value) {
            self.report.add(
                Fault::PresetGranted {
                    column: name.value.clone(),
                },
                &name.span,
            );
        }
    }

    fn column(&mut self, exposed: &ExposedTable, name: &Text, usage: Use) -> Option<ColumnId> {
        let model = self.model.clone();
        let table = model.table(exposed.table);
        let Some(id) = table.find(&name.value) else {
            self.no_such_column(exposed, table, name);
            return None;
        };
        if exposed.column_name(id).is_none() {
            let help = format!("give it a name: column.{} = \"…\"", quoted(&name.value));
            self.report.add_with(
                Fault::ColumnNotExposed {
                    column: name.value.clone(),
                },
                &name.span,
                Some(help),
            );
            return None;
        }
        if let (Use::Write, Some(reason)) = (usage, self.unwritable(exposed.table, id)) {
            self.report.add(
                Fault::NotWritable {
                    column: name.value.clone(),
                    reason,
                },
                &name.span,
            );
            return None;
        }
        Some(id)
    }

    /// Reports an unknown column; if the file has its GraphQL name, suggests the database's name.
    fn no_such_column(&mut self, exposed: &ExposedTable, table: &Table, name: &Text) {
        if name.value == "*" {
            let fault = Fault::UnknownColumn {
                column: name.value.clone(),
                table: key(table),
            };
            self.report.add_with(
                fault,
                &name.span,
                Some("columns = \"*\" grants every column".to_owned()),
            );
        } else if let Some(id) = exposed.column(&name.value) {
            let fault = Fault::UnknownColumn {
                column: name.value.clone(),
                table: key(table),
            };
            let help = format!(
                "the file uses the database's names: `{}`",
                table.column(id).name
            );
            self.report.add_with(fault, &name.span, Some(help));
        } else {
            unknown_column(name, table, self.report);
        }
    }

    fn presets(
        &mut self,
        exposed: &ExposedTable,
        entries: &[(Text, Text)],
    ) -> Vec<(ColumnId, Rule)> {
        let model = self.model.clone();
        let table = model.table(exposed.table);
        let mut presets = vec![];
        for (name, expression) in entries {
            let Some(id) = table.find(&name.value) else {
                self.no_such_column(exposed, table, name);
                continue;
            };
            if let Some(reason) = self.unwritable(exposed.table, id) {
                self.report.add(
                    Fault::NotWritable {
                        column: name.value.clone(),
                        reason,
                    },
                    &name.span,
                );
                continue;
            }
            let subject = RuleSubject::Preset(exposed.table, id);
            if let Some(rule) = self.compiled(subject, expression) {
                let scalar = Scalar::from_oid(model.catalog(), table.column(id).r#type);
                presets.push((id, rule.cast(&scalar.sql)));
            }
        }
        presets
    }

    /// The reason why a column cannot be written, if it cannot.
    fn unwritable(&self, table: TableId, column: ColumnId) -> Option<&'static str> {
        self.model
            .catalog()
            .read_only(table, column)
            .map(|reason| match reason {
                ReadOnly::Generated => "it is generated",
                ReadOnly::Identity => "it is generated always as identity",
                ReadOnly::Computed => "it is an expression of the view",
            })
    }

    fn rule(&mut self, exposed: &ExposedTable, text: Option<&Text>) -> Option<Rule> {
        self.compiled(RuleSubject::Row(exposed.table), text?)
    }

    /// The rule of a text: the one that was compiled before the grants, or at an earlier place, or
    /// compiled now.
    fn compiled(&mut self, subject: RuleSubject, text: &Text) -> Option<Rule> {
        let written = self
            .report
            .file
            .text
            .get(text.span.clone())
            .unwrap_or_default();
        let known = self.known.get_mut(&(subject, written));
        if let Some(known) = known.filter(|known| *known.rule.text == *text.value) {
            match std::mem::replace(&mut known.check, CheckState::None) {
                CheckState::None => {}
                CheckState::Waiting(check) => {
                    known.check = CheckState::Listed {
                        index: self.prepared.len(),
                    };
                    self.prepared.push(*check);
                    return Some(known.rule.clone());
                }
                CheckState::Listed { index } => {
                    known.check = CheckState::Listed { index };
                    self.prepared[index].repeated_at(text.span.start);
                }
            }
            return Some(known.rule.at_line(self.report.span_of(&text.span).line()));
        }
        let reported = self.report.len();
        let (rule, check) = compile_rule(self.rules, subject, text, self.report)?;
        check.iter().for_each(&mut *self.on_check);
        let position = self.prepared.len();
        let state = if check.is_some() {
            CheckState::Listed { index: position }
        } else {
            CheckState::None
        };
        self.prepared.extend(check);
        if self.report.len() == reported {
            self.known.insert(
                (subject, written),
                CompiledRule {
                    rule: rule.clone(),
                    check: state,
                },
            );
        }
        Some(rule)
    }
}

/// The privileges that grants use, each with its bit and the columns that it needs.
fn used_privileges<'t>(
    table: &'t Table,
    grants: &Grants,
) -> Vec<(u32, &'static str, Vec<&'t str>)> {
    let named = |columns: Vec<ColumnId>| {
        columns
            .iter()
            .map(|id| table.column(*id).name.as_str())
            .collect()
    };
    let with_presets = |columns: &Columns, preset: &[(ColumnId, Rule)]| {
        let preset = preset
            .iter()
            .map(|(column, _)| *column)
            .filter(|column| !columns.contains(*column));
        columns.iter().chain(preset).collect()
    };
    let select = grants.select.as_ref().map(|grant| {
        (
            READABLE_BIT,
            "SELECT",
            named(grant.columns.iter().collect()),
        )
    });
    let insert = grants.insert.as_ref();
    let insert = insert.map(|grant| {
        (
            INSERTABLE_BIT,
            "INSERT",
            named(with_presets(&grant.columns, &grant.preset)),
        )
    });
    let update = grants.update.as_ref();
    let update = update.map(|grant| {
        (
            UPDATABLE_BIT,
            "UPDATE",
            named(with_presets(&grant.columns, &grant.preset)),
        )
    });
    let delete = grants
        .delete
        .as_ref()
        .map(|_| (DELETABLE_BIT, "DELETE", vec![]));
    [select, insert, update, delete]
        .into_iter()
        .flatten()
        .collect()
}

/// The functions that a role may call: those that name it, and those that name an ancestor.
fn calls(role: &str, own: &HashMap<String, Vec<CallId>>, parents: &Parents) -> Vec<CallId> {
    let inherited = parents
        .get(role)
        .into_iter()
        .flatten()
        .flat_map(|parent| calls(parent, own, parents));
    own.get(role)
        .into_iter()
        .flatten()
        .copied()
        .chain(inherited)
        .collect()
}
