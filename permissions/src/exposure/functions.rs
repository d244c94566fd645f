//! Functions as root fields, and object types for results that are rows of no table.

use std::collections::HashMap;

use sql::model::names::{Convention, RootKind, is_graphql};
use sql::model::{CallId, DefaultExposure, ExposedTable, Returns, Routine};
use sql::postgres::catalog::{
    Catalog, Column, Function, FunctionId, Oid, Table, TableId, TableKind,
};

use super::callable::{self, ArgumentSpec, ReturnShape};
use super::name_registry::{NameRegistry, NamedItem, valid};
use super::type_names::TypeRegistry;
use super::types;
use crate::fault::Fault;
use crate::file::{CallersEntry, Exposure, File, FunctionEntry};
use crate::report::Report;

/// The functions of a file that became root fields, with the indexes of their entries.
pub(crate) type RoutineEntries = Vec<(CallId, usize)>;

/// The functions of a file, compiled.
pub(super) struct Functions {
    /// The root fields.
    pub(super) routines: Vec<Routine>,
    /// The file's entry of each root field.
    pub(super) entries: RoutineEntries,
    /// Result types that are no table's row, as tables appended to those of the catalog.
    pub(super) results: Vec<Table>,
    /// The GraphQL names of `results`.
    pub(super) exposed: Vec<ExposedTable>,
}

/// Creates root fields for the functions that the file names.
pub(super) fn functions(
    catalog: &Catalog,
    tables: &[ExposedTable],
    file: &File,
    types: TypeRegistry,
    roots: NameRegistry,
    report: &mut Report<'_>,
) -> Functions {
    let made = Functions {
        routines: vec![],
        entries: vec![],
        results: vec![],
        exposed: vec![],
    };
    let convention = file.convention.unwrap_or_default();
    let offer = file.offer;
    let mut builder = RootFieldBuilder {
        catalog,
        tables,
        convention,
        offer,
        types,
        roots,
        report,
        made,
    };
    let mut found: HashMap<FunctionId, &FunctionEntry> = HashMap::new();
    for (index, entry) in file.functions.iter().enumerate() {
        let Some(function) = callable::find(catalog, &entry.key, builder.report) else {
            continue;
        };
        if let Some(first) = found.insert(function, entry) {
            let function = entry.key.value.clone();
            let other = first.key.value.clone();
            builder
                .report
                .add(Fault::SameFunction { function, other }, &entry.key.span);
            continue;
        }
        if let Some(routine) = builder.routine(function, entry) {
            builder.made.entries.push((routine.callable.id, index));
            builder.made.routines.push(routine);
        }
    }
    builder.made
}

struct RootFieldBuilder<'c, 'r, 'a> {
    catalog: &'c Catalog,
    tables: &'c [ExposedTable],
    convention: Convention,
    offer: DefaultExposure,
    types: TypeRegistry,
    roots: NameRegistry,
    report: &'r mut Report<'a>,
    made: Functions,
}

impl RootFieldBuilder<'_, '_, '_> {
    fn routine(&mut self, id: FunctionId, entry: &FunctionEntry) -> Option<Routine> {
        let function = self.catalog.function(id);
        let session = entry.session.as_ref();
        let wanted = ArgumentSpec {
            at: &entry.key,
            row: None,
            session,
            offer: self.offer,
        };
        let arguments = callable::arguments(
            self.catalog,
            function,
            &wanted,
            self.convention,
            self.report,
        );
        let outcome = callable::outcome(self.catalog, function, &entry.key, self.report);
        let name = self.name(function, entry)?;
        let arguments = arguments?;
        let outcome = outcome?;
        let returns = self.returns(function, outcome, &name, entry)?;
        let mutates = match &entry.exposure {
            Some(exposure) => exposure.value == Exposure::Mutation,
            None => callable::is_volatile(function),
        };
        let aggregate = if mutates {
            self.no_query(entry)
        } else {
            self.report_callers(returns, entry);
            self.aggregate(returns, &name, entry)?
        };
        let index = CallId::Routine(u32::try_from(self.made.routines.len()).ok()?);
        let callable = callable::callable(index, id, arguments, returns, self.convention, &name);
        let by = self.named(entry);
        if !callable::claim_types(self.catalog, &callable, &mut self.types, &by, self.report) {
            return None;
        }
        let inferred = matches!(entry.roles, CallersEntry::Select(_)) && !mutates;
        Some(Routine {
            name,
            aggregate,
            callable,
            mutates,
            inferred,
        })
    }

    /// Reports keys that only query functions may have. Mutations have no aggregate.
    fn no_query(&mut self, entry: &FunctionEntry) -> Option<String> {
        let function = || entry.key.value.clone();
        if let Some(given) = &entry.aggregate {
            let fault = Fault::OnlyQueries {
                function: function(),
                what: "has no `aggregate`",
            };
            self.report.add(fault, &given.span);
        }
        if let CallersEntry::Select(span) = &entry.roles {
            let fault = Fault::OnlyQueries {
                function: function(),
                what: "needs its roles listed by name",
            };
            let help =
                "name them: roles = [\"…\"]; or, if it changes nothing: as = \"query\"".to_owned();
            self.report.add_with(fault, span, Some(help));
        }
        None
    }

    fn named(&self, entry: &FunctionEntry) -> NamedItem {
        let span = entry
            .name
            .as_ref()
            .map_or(&entry.key.span, |name| &name.span);
        NamedItem::new(
            format!("function `{}`", entry.key.value),
            Some(span.clone()),
        )
    }

    fn name(&mut self, function: &Function, entry: &FunctionEntry) -> Option<String> {
        let name = match &entry.name {
            Some(name) => valid(name, self.report)?.to_owned(),
            None => self.convention.table(&function.schema, &function.name),
        };
        if !is_graphql(&name) {
            let help = Some("give the function a name: name = \"…\"".to_owned());
            self.report
                .add_with(Fault::NotAName { name }, &entry.key.span, help);
            return None;
        }
        let help = "give one of them another name: name = \"…\"";
        let by = self.named(entry);
        self.roots
            .claim(&name, by, help, self.report)
            .then_some(name)
    }

    fn returns(
        &mut self,
        function: &Function,
        outcome: ReturnShape,
        name: &str,
        entry: &FunctionEntry,
    ) -> Option<Returns> {
        let table = match outcome {
            ReturnShape::Value(oid) if function.set => return Some(Returns::Values(oid)),
            ReturnShape::Value(oid) => return Some(Returns::Value(oid)),
            ReturnShape::Table(table)
                if self.tables.iter().any(|exposed| exposed.table == table) =>
            {
                table
            }
            ReturnShape::Table(_) => {
                callable::not_callable(
                    &entry.key,
                    "it returns rows of a table that is not exposed",
                    self.report,
                );
                return None;
            }
            ReturnShape::Columns(columns) => self.result(function, &columns, name, entry)?,
        };
        Some(if function.set {
            Returns::Rows(table)
        } else {
            Returns::Row(table)
        })
    }

    /// An object type for rows of no table: `f_result`.
    fn result(
        &mut self,
        function: &Function,
        columns: &[(String, Oid)],
        name: &str,
        entry: &FunctionEntry,
    ) -> Option<TableId> {
        let index = self.catalog.tables.len() + self.made.results.len();
        let table = TableId(u32::try_from(index).ok()?);
        let spelling = self.convention.spelling();
        let type_name = spelling.helper(&self.convention.types(name), "result");
        let names = self.columns(columns, entry);
        let exposed = ExposedTable {
            comment: None,
            comments: Default::default(),
            groups: false,
            connection: false,
            table,
            convention: self.convention,
            name: type_name.clone(),
            types: type_name.clone(),
            type_name,
            columns: names,
            relations: vec![],
            computed: vec![],
        };
        let by = NamedItem::new(
            format!("the result of function `{}`", entry.key.value),
            self.named(entry).span,
        );
        let help = "give the function a name of its own: name = \"…\"";
        if !types::claim_result(&mut self.types, &exposed, &by, help, self.report) {
            return None;
        }
        for scalar in columns
            .iter()
            .filter_map(|(_, oid)| self.catalog.type_of(*oid))
        {
            types::claim_scalar(&mut self.types, scalar, &by, self.report);
        }
        self.made.results.push(result_table(function, columns));
        self.made.exposed.push(exposed);
        Some(table)
    }

    /// The names of a result's columns; columns without a valid name are omitted.
    fn columns(&mut self, columns: &[(String, Oid)], entry: &FunctionEntry) -> Vec<Option<String>> {
        let mut taken = NameRegistry::conditions();
        let help = "give the columns of the result names of their own";
        let name = |(column, _): &(String, Oid)| {
            let name = Some(self.convention.column(column)).filter(|name| is_graphql(name))?;
            let label = format!("column `{column}` of the result of `{}`", entry.key.value);
            let by = NamedItem::new(label, Some(entry.key.span.clone()));
            taken.claim(&name, by, help, self.report).then_some(name)
        };
        columns.iter().map(name).collect()
    }

    /// The name of the aggregate, if the function returns rows of a table in the database. The
    /// outer `None` means a fault was reported.
    #[allow(clippy::option_option)]
    fn aggregate(
        &mut self,
        returns: Returns,
        name: &str,
        entry: &FunctionEntry,
    ) -> Option<Option<String>> {
        let of_table = matches!(returns, Returns::Rows(table) if (table.0 as usize) < self.catalog.tables.len());
        if !of_table {
            if let Some(given) = &entry.aggregate {
                self.report.add(
                    Fault::NoResultTable {
                        function: entry.key.value.clone(),
                    },
                    &given.span,
                );
            }
            return Some(None);
        }
        let aggregate = match &entry.aggregate {
            Some(given) => valid(given, self.report)?.to_owned(),
            None => self.convention.root(RootKind::Aggregate, name),
        };
        let span = entry
            .aggregate
            .as_ref()
            .map(|given| given.span.clone())
            .or_else(|| self.named(entry).span);
        let by = NamedItem::new(
            format!("the aggregate of function `{}`", entry.key.value),
            span,
        );
        let help = "give it another name: aggregate = \"…\"";
        self.roots
            .claim(&aggregate, by, help, self.report)
            .then_some(Some(aggregate))
    }

    fn report_callers(&mut self, returns: Returns, entry: &FunctionEntry) {
        let of_table = match returns {
            Returns::Row(table) | Returns::Rows(table) => {
                (table.0 as usize) < self.catalog.tables.len()
            }
            Returns::Value(_) | Returns::Values(_) => false,
        };
        if let (CallersEntry::Select(span), false) = (&entry.roles, of_table) {
            let help = Some("name the roles that may call it: roles = [\"…\"]".to_owned());
            self.report.add_with(
                Fault::NoResultTable {
                    function: entry.key.value.clone(),
                },
                span,
                help,
            );
        }
    }
}

/// The rows of a function as a table of the function's name. Only calls of the function read it.
fn result_table(function: &Function, columns: &[(String, Oid)]) -> Table {
    let column = |(name, oid): &(String, Oid)| Column {
        name: name.clone(),
        r#type: *oid,
        nullable: true,
        default: None,
        generated: None,
        identity: None,
        deterministic: true,
        modifier: None,
        origin: None,
        computed: false,
        comment: None,
    };
    Table {
        schema: function.schema.clone(),
        name: function.name.clone(),
        kind: TableKind::Result,
        comment: function.comment.clone(),
        estimated_rows: -1.0,
        updatable: 0,
        rules: vec![],
        denied: 0,
        allowed: vec![],
        triggers: 0,
        columns: columns.iter().map(column).collect(),
        keys: vec![],
        foreign_keys: vec![],
        constraints: vec![],
        indexes: vec![],
        other_indexed: vec![],
        spreads: vec![],
        enum_values: None,
        row_security: false,
        policies: false,
        has_children: false,
        one_to_one: false,
    }
}
