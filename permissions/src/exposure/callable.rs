//! Functions that the file names: resolved in the catalog, with the source of each argument and the
//! kind of result.

use std::collections::HashSet;

use sql::model::names::{Convention, is_graphql};
use sql::model::{ArgumentSource, CallId, Callable, DefaultExposure, Returns};
use sql::postgres::catalog::{
    Argument, Catalog, Function, FunctionId, Oid, TableId, TypeKind, Volatility,
};

use super::name_registry::NamedItem;
use super::type_names::TypeRegistry;
use super::types;
use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;
use crate::session::find_type;
use crate::similar_names::{did_you_mean, listed};
use crate::table_names::key;

/// The kind of a function's result.
pub(super) enum ReturnShape {
    /// A value, or a list of them.
    Value(Oid),
    /// Rows of a table of the database.
    Table(TableId),
    /// Rows with these columns.
    Columns(Vec<(String, Oid)>),
}

/// The file's settings for a function's arguments.
pub(super) struct ArgumentSpec<'f> {
    /// The function's name in the file, for reporting.
    pub(super) at: &'f Text,
    /// The table whose row is passed, and the name of the argument that takes it; without a name,
    /// the first argument.
    pub(super) row: Option<(TableId, Option<&'f Text>)>,
    /// The name of the argument that takes the session.
    pub(super) session: Option<&'f Text>,
    /// The dialect, which decides how arguments without a name are numbered.
    pub(super) offer: DefaultExposure,
}

/// Resolves a function name of the file: `f`, `schema.f`, or `f(text, int4)` for an overload.
pub(super) fn find(
    catalog: &Catalog,
    written: &Text,
    report: &mut Report<'_>,
) -> Option<FunctionId> {
    let (name, types) = match written
        .value
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
    {
        Some((name, types)) => (name.trim_end(), Some(types)),
        None => (written.value.as_str(), None),
    };
    let named: Vec<_> = catalog
        .function_ids()
        .filter(|(_, function)| is_named(function, name))
        .collect();
    let fits = |function: &Function| types.is_none_or(|types| takes(catalog, function, types));
    let fitting: Vec<_> = named
        .iter()
        .filter(|(_, function)| fits(function))
        .collect();
    match fitting.as_slice() {
        [(found, _)] => return Some(*found),
        [] => {
            let others = || listed(signatures(catalog, &named).iter().map(String::as_str));
            let help = if named.is_empty() {
                did_you_mean(
                    name,
                    catalog
                        .functions
                        .iter()
                        .map(shown)
                        .collect::<Vec<_>>()
                        .iter()
                        .map(String::as_str),
                )
            } else {
                Some(format!("there is {}", others()))
            };
            report.add_with(
                Fault::UnknownFunction {
                    function: written.value.clone(),
                },
                &written.span,
                help,
            );
        }
        several => {
            let help = format!(
                "select one by the types of its arguments: {}",
                listed(signatures(catalog, &named).iter().map(String::as_str))
            );
            let fault = Fault::AmbiguousFunction {
                function: written.value.clone(),
                count: several.len(),
            };
            report.add_with(fault, &written.span, Some(help));
        }
    }
    None
}

fn is_named(function: &Function, name: &str) -> bool {
    match function.schema.as_str() {
        "public" => function.name == name,
        schema => {
            name.strip_prefix(schema)
                .and_then(|rest| rest.strip_prefix('.'))
                == Some(&function.name)
        }
    }
}

/// The name of a function in the file: `f`, or `s.f` outside of `public`.
fn shown(function: &Function) -> String {
    match function.schema.as_str() {
        "public" => function.name.clone(),
        schema => format!("{schema}.{}", function.name),
    }
}

fn takes(catalog: &Catalog, function: &Function, types: &str) -> bool {
    let written: Vec<&str> = types
        .split(',')
        .map(str::trim)
        .filter(|written| !written.is_empty())
        .collect();
    written.len() == function.arguments.len()
        && written
            .iter()
            .zip(&function.arguments)
            .all(|(written, argument)| {
                let row = catalog
                    .row_table(argument.r#type)
                    .map(|table| key(catalog.table(table)));
                row.as_deref() == Some(*written)
                    || find_type(catalog, written) == Some(argument.r#type)
            })
}

fn signatures(catalog: &Catalog, functions: &[(FunctionId, &Function)]) -> Vec<String> {
    let signature = |(_, function): &(FunctionId, &Function)| {
        let types =
            function
                .arguments
                .iter()
                .map(|argument| match catalog.type_of(argument.r#type) {
                    Some(found) => found
                        .name
                        .strip_prefix('_')
                        .map_or_else(|| found.name.clone(), |of| format!("{of}[]")),
                    None => "unknown".to_owned(),
                });
        format!(
            "{}({})",
            shown(function),
            types.collect::<Vec<_>>().join(", ")
        )
    };
    functions.iter().map(signature).collect()
}

/// The source of each argument of a function; reports arguments that do not fit.
pub(super) fn arguments(
    catalog: &Catalog,
    function: &Function,
    wanted: &ArgumentSpec<'_>,
    convention: Convention,
    report: &mut Report<'_>,
) -> Option<Vec<ArgumentSource>> {
    if function.ambiguous {
        not_callable(
            wanted.at,
            "every call of it may mean another function of its name",
            report,
        );
        return None;
    }
    let row = match wanted.row {
        Some((table, named)) => Some(row_argument(
            catalog, function, wanted.at, table, named, report,
        )?),
        None => None,
    };
    let session = match wanted.session {
        Some(named) => Some(session_argument(catalog, function, named, report)?),
        // The gateway's own functions trust this argument, so it is always the caller's session.
        None if function.schema == "postern" => function
            .arguments
            .iter()
            .position(|argument| argument.name.as_deref() == Some("session")),
        None => None,
    };
    if let (Some(one), Some(named)) = (session, wanted.session)
        && row == Some(one)
    {
        let within = format!(
            "function `{}`: one argument takes one of them",
            function.name
        );
        report.add(
            Fault::Together {
                one: "row",
                other: "session",
                within,
            },
            &named.span,
        );
        return None;
    }
    let mut seen = HashSet::new();
    let mut unnamed = 0;
    let each = function
        .arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| {
            if row == Some(index) {
                return Some(ArgumentSource::Row);
            }
            if session == Some(index) {
                return Some(ArgumentSource::Session);
            }
            // Hasura numbers only those without a name that requests give.
            unnamed += usize::from(argument.name.is_none());
            let number = if wanted.offer == DefaultExposure::AsHasura {
                unnamed
            } else {
                index + 1
            };
            request_argument(
                catalog, argument, number, convention, wanted.at, &mut seen, report,
            )
        });
    each.collect::<Vec<_>>().into_iter().collect()
}

fn row_argument(
    catalog: &Catalog,
    function: &Function,
    at: &Text,
    table: TableId,
    named: Option<&Text>,
    report: &mut Report<'_>,
) -> Option<usize> {
    let index = match named {
        Some(named) => argument_named(function, named, report)?,
        None if function.arguments.is_empty() => {
            not_callable(at, "it has no argument that takes the row", report);
            return None;
        }
        None => 0,
    };
    if catalog.row_table(function.arguments.get(index)?.r#type) == Some(table) {
        return Some(index);
    }
    let argument = named.map_or_else(
        || argument_name(function, index),
        |named| named.value.clone(),
    );
    let expected = format!("`{}`", key(catalog.table(table)));
    let help = Some(
        "`row` names the argument that takes the row; without it that is the first".to_owned(),
    );
    let fault = Fault::ArgumentType {
        argument,
        function: at.value.clone(),
        expected,
    };
    report.add_with(fault, named.map_or(&at.span, |named| &named.span), help);
    None
}

fn session_argument(
    catalog: &Catalog,
    function: &Function,
    named: &Text,
    report: &mut Report<'_>,
) -> Option<usize> {
    let index = argument_named(function, named, report)?;
    let of = catalog.type_of(function.arguments.get(index)?.r#type)?;
    if of.schema == "pg_catalog" && matches!(of.name.as_str(), "json" | "jsonb") {
        return Some(index);
    }
    let argument = named.value.clone();
    let function = shown(function);
    report.add(
        Fault::ArgumentType {
            argument,
            function,
            expected: "`json` or `jsonb`".into(),
        },
        &named.span,
    );
    None
}

fn argument_named(function: &Function, named: &Text, report: &mut Report<'_>) -> Option<usize> {
    let names = || {
        function
            .arguments
            .iter()
            .filter_map(|argument| argument.name.as_deref())
    };
    let found = function
        .arguments
        .iter()
        .position(|argument| argument.name.as_deref() == Some(&named.value));
    if found.is_none() {
        let help = did_you_mean(&named.value, names());
        let help = help.or_else(|| {
            names()
                .next()
                .map(|_| format!("its arguments are {}", listed(names())))
        });
        let fault = Fault::UnknownArgument {
            argument: named.value.clone(),
            function: shown(function),
        };
        report.add_with(fault, &named.span, help);
    }
    found
}

fn argument_name(function: &Function, index: usize) -> String {
    let name = function
        .arguments
        .get(index)
        .and_then(|argument| argument.name.clone());
    name.unwrap_or_else(|| format!("arg_{}", index + 1))
}

fn request_argument(
    catalog: &Catalog,
    argument: &Argument,
    number: usize,
    convention: Convention,
    at: &Text,
    seen: &mut HashSet<String>,
    report: &mut Report<'_>,
) -> Option<ArgumentSource> {
    if catalog
        .base_type(argument.r#type)
        .is_none_or(|base| base.kind == TypeKind::Pseudo)
    {
        not_callable(at, "an argument may have any type", report);
        return None;
    }
    let name = match &argument.name {
        Some(name) => convention.column(name),
        None => convention.column(&format!("arg_{number}")),
    };
    if !is_graphql(&name) {
        not_callable(
            at,
            "the name of an argument is not valid in GraphQL",
            report,
        );
        return None;
    }
    if !seen.insert(name.clone()) {
        not_callable(at, "two of its arguments have one name in GraphQL", report);
        return None;
    }
    Some(ArgumentSource::Given(name))
}

/// The kind of result; reports a result that cannot be a field.
pub(super) fn outcome(
    catalog: &Catalog,
    function: &Function,
    at: &Text,
    report: &mut Report<'_>,
) -> Option<ReturnShape> {
    if let Some(table) = catalog.row_table(function.result) {
        return Some(ReturnShape::Table(table));
    }
    if function.columns.len() > 1 || (function.set && !function.columns.is_empty()) {
        return Some(ReturnShape::Columns(
            function
                .columns
                .iter()
                .map(|c| (c.name.clone(), c.r#type))
                .collect(),
        ));
    }
    let result = catalog.type_of(function.result)?;
    match &result.kind {
        TypeKind::Composite(fields) => Some(ReturnShape::Columns(
            fields
                .iter()
                .map(|field| (field.name.clone(), field.r#type))
                .collect(),
        )),
        TypeKind::Pseudo => {
            let reason = match result.name.as_str() {
                "void" => "it returns nothing",
                "record" => "the columns of its result are not known",
                _ => "its result may have any type",
            };
            not_callable(at, reason, report);
            None
        }
        _ => Some(ReturnShape::Value(function.result)),
    }
}

pub(super) fn not_callable(at: &Text, reason: &'static str, report: &mut Report<'_>) {
    report.add(
        Fault::NotCallable {
            function: at.value.clone(),
            reason,
        },
        &at.span,
    );
}

/// Registers the type names that a call of the function needs: its argument type, and scalars.
pub(super) fn claim_types(
    catalog: &Catalog,
    callable: &Callable,
    taken: &mut TypeRegistry,
    by: &NamedItem,
    report: &mut Report<'_>,
) -> bool {
    let function = catalog.function(callable.function);
    let arguments = callable
        .given()
        .filter_map(|(index, _)| function.arguments.get(index))
        .map(|a| a.r#type);
    let result = match callable.returns {
        Returns::Value(oid) | Returns::Values(oid) => Some(oid),
        Returns::Row(_) | Returns::Rows(_) => None,
    };
    for scalar in arguments
        .chain(result)
        .filter_map(|oid| catalog.type_of(oid))
    {
        types::claim_scalar(taken, scalar, by, report);
    }
    let help = "give the field a name of its own";
    callable.given().next().is_none() || taken.claim(&callable.args, by.clone(), help, report)
}

/// Creates the callable of a function field.
pub(super) fn callable(
    id: CallId,
    function: FunctionId,
    arguments: Vec<ArgumentSource>,
    returns: Returns,
    convention: Convention,
    name: &str,
) -> Callable {
    let spelling = convention.spelling();
    let args = spelling.helper(&convention.types(name), "args");
    Callable {
        id,
        function,
        arguments,
        returns,
        args,
        spelling,
    }
}

pub(super) fn is_volatile(function: &Function) -> bool {
    function.volatility == Volatility::Volatile
}
