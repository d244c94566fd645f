//! Compiles the REST map to endpoints: parses documents and validates them for every role; has
//! Postgres infer the types of statements. All errors are reported together.
//!
//! A statement is translated for each role that may call it, since its text depends on the role
//! alone. For each role, a draft whose parameters have no types is prepared by Postgres, which
//! yields the types and shows which roles may call the endpoint: a column that is not granted is
//! not in the draft. Parameters have one type for all roles; columns may differ. The statement that
//! runs in the end is prepared too. One that writes is the last step of a mutation, so that it has
//! retries, dry runs, settings and errors in common with mutations. A document keeps its text and
//! is found in the plan cache by role, as a client's document is, under an origin of its own.

mod compiler;
mod statement;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use permissions::{Permissions, Span, Text, did_you_mean};
use sql::graphql::document;
use sql::graphql::document::{Document as Parsed, Limits, OperationKind};
use sql::model::access::Access;
use sql::resolve::{Operation, Options};

use super::diagnostic::{Fault, Problem};
use super::endpoint::{AllowedRoles, Endpoint, EndpointKind};
use super::file::{Entry, read};
use super::function_calls::CalledFunctions;
use super::map::Map;
use super::parameters::Parameter;
use super::path::Pattern;
use super::source::Source;
use super::type_inference::InferredTypes;
use crate::execute::read_cache::CachePolicy;
use crate::limits::LimitsByRole;
use crate::rest::cache_control::CacheControl;
use compiler::{Compiler, Judged, Written};
use pg::Database;
use statement::UntypedEndpoint;

/// Paths below `/api/rest/` that the gateway itself serves.
const RESERVED: &[&str] = &["openapi.json"];

/// Checks only the syntax and the keys of a map, without a database.
pub fn check_form(source: &Source) -> Result<(), Vec<Problem>> {
    let mut problems = vec![];
    read(&source.file, &mut problems);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// Compiles a map for the database, the roles of the permissions and their limits. Returns the
/// endpoints that have no errors, and all errors.
pub async fn compile(
    source: &Source,
    permissions: &Permissions,
    database: &Database,
    limits_by_role: &LimitsByRole,
    limits: &Limits,
    options: Options,
) -> Result<(Map, Vec<Problem>), pg::DatabaseError> {
    let mut problems = vec![];
    let entries = read(&source.file, &mut problems);
    let mut compiler = Compiler {
        source,
        permissions,
        limits_by_role,
        limits,
        options,
        problems,
    };
    // Whether each endpoint has an error.
    let mut have_errors = vec![false; entries.len()];
    let mut statements: Vec<Option<UntypedEndpoint<'_>>> = vec![];
    for (entry, has_errors) in entries.iter().zip(&mut have_errors) {
        let before = compiler.problems.len();
        statements.push(compiler.drafted(entry));
        *has_errors |= compiler.problems.len() > before;
    }
    let texts: BTreeSet<&str> = statements
        .iter()
        .flatten()
        .flat_map(UntypedEndpoint::texts)
        .collect();
    let typed = InferredTypes::infer(database, texts).await?;
    statements
        .iter_mut()
        .flatten()
        .for_each(|statement| statement.look_through(&typed, options));
    let texts: BTreeSet<&str> = statements
        .iter()
        .flatten()
        .flat_map(UntypedEndpoint::texts_without_rules)
        .collect();
    let called = CalledFunctions::read(database, texts).await?;
    let mut endpoints: Vec<(Pattern, Vec<Method>, Endpoint)> = vec![];
    let mut places: Vec<Span> = vec![];
    for ((entry, statement), has_errors) in entries.iter().zip(&statements).zip(have_errors) {
        let before = compiler.problems.len();
        let Some(pattern) = compiler.pattern(&entry.path) else {
            continue;
        };
        let methods = compiler.free(entry, &pattern, &endpoints);
        let judged = match (statement, entry.document.is_sql()) {
            (Some(statement), _) => compiler.typed(entry, statement, &typed, &called),
            // Its errors have been reported already.
            (None, true) => None,
            (None, false) => compiler.operation_of(entry),
        };
        let endpoint = judged.and_then(|judged| compiler.endpoint(entry, &pattern, judged));
        if let Some(endpoint) =
            endpoint.filter(|_| !has_errors && compiler.problems.len() == before)
        {
            endpoints.push((pattern, methods, endpoint));
            places.push(statement.as_ref().map_or_else(
                || source.file.span_of(entry.span.clone()),
                UntypedEndpoint::text_span,
            ));
        }
    }
    let texts = endpoints
        .iter()
        .flat_map(|(.., endpoint)| endpoint.texts())
        .collect();
    let ready = InferredTypes::infer(database, texts).await?;
    let mut places = places.into_iter();
    endpoints.retain(|(.., endpoint)| {
        let span = places.next();
        let refused = endpoint
            .texts()
            .find_map(|text| ready.error_of(text))
            .zip(span);
        let is_refused = refused.is_some();
        let problem = refused.map(|(refused, source_span)| {
            Problem::new(
                Fault::Refused {
                    message: refused.message.clone(),
                },
                source_span,
            )
        });
        compiler.problems.extend(problem);
        !is_refused
    });
    let mut problems = compiler.problems;
    problems.sort_by_key(|problem| {
        (
            problem.span().file().name != source.file.name,
            problem.span().span().start,
        )
    });
    Ok((Map::new(endpoints), problems))
}

impl Compiler<'_> {
    fn pattern(&mut self, path: &Text) -> Option<Pattern> {
        let text = path.value.clone();
        match Pattern::read(&text) {
            Ok(_) if RESERVED.contains(&text.as_str()) => {
                self.add(Fault::Reserved { path: text }, path.span.clone());
            }
            Ok(pattern) => return Some(pattern),
            Err(reason) => self.add(Fault::Path { path: text, reason }, path.span.clone()),
        }
        None
    }

    /// The endpoint's methods. Reports methods that an earlier endpoint has at the same paths, and
    /// parameters that another endpoint names otherwise at this path.
    fn free(
        &mut self,
        entry: &Entry,
        pattern: &Pattern,
        before: &[(Pattern, Vec<Method>, Endpoint)],
    ) -> Vec<Method> {
        if let Some((other, ..)) = before
            .iter()
            .find(|(known, ..)| known.is_alike(pattern) && known != pattern)
        {
            let fault = Fault::Renamed {
                path: entry.path.value.clone(),
                other: other.to_string(),
            };
            self.add(fault, entry.path.span.clone());
        }
        for method in &entry.methods {
            let taken = |(known, methods, _): &(Pattern, Vec<Method>, Endpoint)| {
                known.is_alike(pattern) && methods.contains(&method.value)
            };
            if before.iter().any(taken) {
                let path = entry.path.value.clone();
                let method_name = method.value.to_string();
                self.add(
                    Fault::Taken {
                        path,
                        method: method_name,
                    },
                    method.span.clone(),
                );
            }
        }
        entry
            .methods
            .iter()
            .map(|method| method.value.clone())
            .collect()
    }

    fn endpoint(&mut self, entry: &Entry, pattern: &Pattern, judged: Judged) -> Option<Endpoint> {
        let Judged {
            name,
            variables,
            requirement,
            only_root,
            volatile,
            work,
        } = judged;
        let mut parameters: Vec<Parameter> = variables.into_iter().map(Parameter::from).collect();
        self.describe(entry, &mut parameters);
        let in_path: Vec<String> = pattern.names().map(str::to_owned).collect();
        let is_sql = entry.document.is_sql();
        for name in in_path
            .iter()
            .filter(|name| !parameters.iter().any(|known| known.name == **name))
        {
            self.add(missing(entry, name), entry.path.span.clone());
        }
        if let Some(single) = entry
            .single
            .as_ref()
            .filter(|single| only_root.as_ref() != Some(&single.value))
        {
            let field = single.value.clone();
            self.add(
                if is_sql {
                    Fault::NotRows { field }
                } else {
                    Fault::NotSingle { field }
                },
                single.span.clone(),
            );
        }
        let mut endpoint = Endpoint {
            path: entry.path.value.clone(),
            name,
            cache_control: CacheControl::default(),
            cache_policy: CachePolicy::default(),
            escapes_formulas: entry.escapes_formulas,
            summary: entry.summary.clone(),
            tool: entry.tool,
            parameters,
            in_path,
            single: entry.single.as_ref().map(|single| single.value.clone()),
            requirement,
            denied: entry
                .require
                .as_ref()
                .and_then(|require| Some(require.denied.as_ref()?.value.as_str().into())),
            work,
        };
        (endpoint.cache_control, endpoint.cache_policy) =
            self.cache_rules(entry, endpoint.writes(), volatile);
        Some(endpoint)
    }

    /// Adds the descriptions of the map to the parameters.
    fn describe(&mut self, entry: &Entry, parameters: &mut [Parameter]) {
        for (name, text) in &entry.parameters {
            match parameters
                .iter_mut()
                .find(|parameter| parameter.name == name.value)
            {
                Some(parameter) => parameter.description = Some(text.value.clone()),
                None => {
                    let help = did_you_mean(
                        &name.value,
                        parameters.iter().map(|known| known.name.as_str()),
                    );
                    self.add_with(missing(entry, &name.value), name.span.clone(), help);
                }
            }
        }
    }

    /// Compiles an endpoint that has a GraphQL document.
    fn operation_of(&mut self, entry: &Entry) -> Option<Judged> {
        let spans = [
            (
                "optional",
                entry.optional.first().map(|text| text.span.clone()),
            ),
            (
                "unchecked",
                entry
                    .unchecked
                    .as_ref()
                    .map(|unchecked| unchecked.span.clone()),
            ),
        ];
        for (key, span) in spans {
            span.into_iter()
                .for_each(|span| self.add(Fault::OnlySql { key }, span));
        }
        let written = self.document(entry)?;
        let parsed = match document::parse(&written.text, self.limits) {
            Ok(parsed) => Arc::new(parsed),
            Err(error) => {
                let fault = Fault::Document {
                    message: error.to_string(),
                };
                self.problems
                    .push(Problem::new(fault, written.statement_span(error.location)));
                return None;
            }
        };
        let operation = self.operation(entry, &parsed)?;
        let kind = parsed.kind(operation.as_deref()).ok()?;
        if kind == OperationKind::Subscription {
            self.add(Fault::Subscription {}, entry.span.clone());
            return None;
        }
        let (admitted, valid) = self.judge(entry, &written, &parsed, operation.as_deref())?;
        let mut variables = valid.variables();
        let requirement = match &entry.require {
            Some(require) => Some(self.require(require, &mut variables)?),
            None => None,
        };
        let only_root = valid.only_root().map(str::to_owned);
        let name = operation
            .clone()
            .or_else(|| parsed.operations().next()?.0.map(str::to_owned));
        let work = EndpointKind::Operation {
            text: written.text,
            document: parsed,
            name: operation,
            kind,
            admitted,
        };
        let volatile = valid.is_volatile();
        Some(Judged {
            name,
            variables,
            requirement,
            only_root,
            volatile,
            work,
        })
    }

    /// The `Cache-Control` of its responses, and how long the gateway caches them.
    fn cache_rules(
        &mut self,
        entry: &Entry,
        writes: bool,
        volatile: bool,
    ) -> (CacheControl, CachePolicy) {
        if writes {
            let control = entry
                .cache_control
                .as_ref()
                .map(|control| ("cache_control", control.span.clone()));
            let seconds = entry
                .cache_seconds
                .as_ref()
                .map(|seconds| ("cache_seconds", seconds.span.clone()));
            for (key, span) in control.into_iter().chain(seconds) {
                self.add(Fault::KeptWriting { key }, span);
            }
        } else if let Some(seconds) = entry.cache_seconds.as_ref().filter(|_| volatile) {
            self.add(Fault::KeptVolatile {}, seconds.span.clone());
        }
        let control = entry
            .cache_control
            .as_ref()
            .map(|control| (CacheControl::parse(&control.value), control.span.clone()));
        let control = match control {
            Some((Ok(control), _)) => control,
            Some((Err(error), span)) => {
                self.add(
                    Fault::CacheControl {
                        reason: error.to_string(),
                    },
                    span,
                );
                CacheControl::default()
            }
            None => CacheControl::default(),
        };
        let seconds = entry
            .cache_seconds
            .as_ref()
            .map(|seconds| Duration::from_secs(u64::from(seconds.value)));
        (
            control,
            seconds.map(CachePolicy::for_time).unwrap_or_default(),
        )
    }

    /// The name that selects the operation. A single operation needs none.
    fn operation(&mut self, entry: &Entry, parsed: &Parsed) -> Option<Option<String>> {
        let names: Vec<&str> = parsed.operations().filter_map(|(name, _)| name).collect();
        match &entry.operation {
            Some(wanted) if names.contains(&wanted.value.as_str()) => {
                Some(Some(wanted.value.clone()))
            }
            Some(wanted) => {
                let fault = Fault::NoOperation {
                    operation: wanted.value.clone(),
                };
                self.add_with(
                    fault,
                    wanted.span.clone(),
                    did_you_mean(&wanted.value, names),
                );
                None
            }
            None if parsed.operations().count() == 1 => {
                Some(names.first().map(|name| (*name).to_owned()))
            }
            None => {
                self.add(Fault::WhichOperation {}, entry.span.clone());
                None
            }
        }
    }

    /// The roles that the document is valid for, and the operation as validated for the first of
    /// them.
    fn judge(
        &mut self,
        entry: &Entry,
        written: &Written,
        parsed: &Arc<Parsed>,
        operation: Option<&str>,
    ) -> Option<(AllowedRoles, Operation)> {
        let permissions = self.permissions;
        let coercion = self.options.coercion;
        let hold =
            |access: &Access| Operation::validate_as(access, parsed.clone(), operation, coercion);
        let mut admitted = AllowedRoles::default();
        let mut valid = None;
        // The admin comes first and sees the most, so its error says the most.
        let mut refused = None;
        for plain in permissions.roles() {
            let role = plain.role().to_owned();
            if permissions
                .role_as(&role, true)
                .is_some_and(|access| hold(access).is_ok())
            {
                admitted.backend.insert(role.clone());
            }
            match hold(plain) {
                Ok(operation) => {
                    valid.get_or_insert(operation);
                    admitted.plain.insert(role);
                }
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        for role in &entry.roles {
            let name = role.value.clone();
            match permissions.role(&name).map(|access| hold(access)) {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    let fault = Fault::NotForRole {
                        role: name,
                        message: error.to_string(),
                    };
                    self.problems
                        .push(Problem::new(fault, written.statement_span(error.location)));
                }
                None => self.unknown_role(role),
            }
        }
        if valid.is_none()
            && admitted.backend.is_empty()
            && let Some(error) = refused
        {
            let fault = Fault::NoRole {
                message: error.to_string(),
            };
            self.problems
                .push(Problem::new(fault, written.statement_span(error.location)));
            return None;
        }
        // An operation that only backend callers may run is validated for one of them.
        let as_backend = || {
            let role = permissions
                .roles()
                .find(|access| admitted.backend.contains(access.role()))?;
            hold(permissions.role_as(role.role(), true)?).ok()
        };
        let valid = valid.or_else(as_backend)?;
        Some((admitted, valid))
    }
}

/// The error for a parameter that the document or statement does not have.
fn missing(entry: &Entry, name: &str) -> Fault {
    let name = name.to_owned();
    if entry.document.is_sql() {
        Fault::NoParameter { name }
    } else {
        Fault::NoVariable { name }
    }
}
