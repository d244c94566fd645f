//! Compiles the SQL statements of the map: drafts each for every role, has Postgres infer its types
//! and called functions, and translates it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use permissions::{CallPolicy, Diagnostic as SqlProblem, Permissions, Span, did_you_mean};
use sql::model::access::Access;
use sql::native_query::{Query, RoleMismatch, Types, UntypedStatement};
use sql::postgres::types::Scalar;
use sql::resolve::{Options, Values, Variable};

use super::super::diagnostic::{Fault, Problem};
use super::super::endpoint::EndpointKind;
use super::super::file::Entry;
use super::super::function_calls::CalledFunctions;
use super::super::statement::{ROWS, RoleStatement, Statement};
use super::super::type_inference::{InferredTypes, PrepareError};
use super::compiler::{Compiler, Judged, helped};
use crate::auth::session::ADMIN;

/// The name that Postgres gives to a column without one.
const UNNAMED: &str = "?column?";

/// A statement whose types are not inferred yet.
pub(super) struct UntypedEndpoint<'p> {
    statement: permissions::Statement,
    /// A draft for each role that may run the statement, the admin's first.
    drafts: Vec<RoleDraft<'p>>,
    /// The texts to examine for called functions; empty for a statement that writes.
    bare: BTreeSet<String>,
}

struct RoleDraft<'p> {
    access: &'p Arc<Access>,
    /// For backend callers.
    backend: bool,
    draft: Result<UntypedStatement, RoleMismatch>,
}

/// Why a role cannot run a statement.
enum RoleError {
    Unfit(RoleMismatch),
    Refused(PrepareError),
}

impl UntypedEndpoint<'_> {
    /// The statement's position.
    pub(super) fn text_span(&self) -> Span {
        self.statement.span().clone()
    }

    /// The texts whose types Postgres has to infer.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.drafts
            .iter()
            .filter_map(|role| role.draft.as_ref().ok())
            .map(|draft| draft.text.as_str())
    }

    /// Collects the texts that Postgres has to examine for called functions. There may be several,
    /// because with fewer columns a name can refer to something else.
    pub(super) fn look_through(&mut self, typed: &InferredTypes, options: Options) {
        let query = &self.statement.query;
        if query.writes {
            return;
        }
        let bare = self.drafts.iter().filter_map(|role| {
            query
                .render_without_rules(role.access, &role.types(typed).ok()?, options)
                .ok()
        });
        self.bare = bare.collect();
    }

    /// The texts collected by [`Self::look_through`].
    pub(super) fn texts_without_rules(&self) -> impl Iterator<Item = &str> {
        self.bare.iter().map(String::as_str)
    }
}

impl RoleDraft<'_> {
    fn types(&self, typed: &InferredTypes) -> Result<Types, RoleError> {
        typed
            .types(
                self.draft
                    .as_ref()
                    .map_err(|unfit| RoleError::Unfit(unfit.clone()))?,
            )
            .map_err(RoleError::Refused)
    }

    fn is(&self, role: &str, backend: bool) -> bool {
        self.access.role() == role && self.backend == backend
    }
}

impl<'a> Compiler<'a> {
    /// Drafts the statement of an endpoint for every role; `None` if the endpoint has no SQL.
    pub(super) fn drafted(&mut self, entry: &Entry) -> Option<UntypedEndpoint<'a>> {
        if !entry.document.is_sql() {
            return None;
        }
        let written = self.document(entry)?;
        let unchecked = entry
            .unchecked
            .as_ref()
            .is_some_and(|unchecked| unchecked.value);
        let checked = if unchecked {
            CallPolicy::No
        } else {
            CallPolicy::Yes
        };
        let whole = if written.span.is_empty() {
            0..written.text.len()
        } else {
            written.span.clone()
        };
        let compiled = permissions::statement(
            self.permissions,
            &written.file,
            whole,
            &written.text,
            checked,
        );
        let mut statement = match compiled {
            Ok(statement) => statement,
            Err(problems) => {
                self.problems.extend(problems.iter().map(to_diagnostic));
                return None;
            }
        };
        if let Some(name) = entry
            .operation
            .as_ref()
            .filter(|name| !sql::model::names::is_graphql(&name.value))
        {
            self.add(
                Fault::OperationName {
                    name: name.value.clone(),
                },
                name.span.clone(),
            );
        }
        for name in &entry.optional {
            if statement.query.parameters.contains(&name.value) {
                statement.query.optional.push(name.value.clone());
                continue;
            }
            let help = did_you_mean(
                &name.value,
                statement.query.parameters.iter().map(String::as_str),
            );
            self.add_with(
                Fault::NoParameter {
                    name: name.value.clone(),
                },
                name.span.clone(),
                help,
            );
        }
        let drafts = self.drafts(entry, &statement.query, unchecked);
        Some(UntypedEndpoint {
            statement,
            drafts,
            bare: BTreeSet::new(),
        })
    }

    /// Checks `unchecked`: a statement that needs it must name its roles, since no permission
    /// limits it, and one that does not need it must not have it. Returns whether it writes or
    /// calls unchecked functions.
    fn check_unchecked(
        &mut self,
        entry: &Entry,
        drafted: &UntypedEndpoint<'_>,
        called: &CalledFunctions,
    ) -> bool {
        let span = drafted.statement.span();
        let mut foreign = BTreeSet::new();
        for response in drafted.texts_without_rules().map(|text| called.by(text)) {
            match response {
                Some(Ok(names)) => foreign.extend(names),
                Some(Err(message)) => {
                    let problem = Problem::new(
                        Fault::Opaque {
                            message: message.to_owned(),
                        },
                        span.clone(),
                    );
                    self.problems.push(problem.help(
                        "the check creates a temporary view: the gateway \
                                            needs the privilege `TEMPORARY`, on a server that is \
                                            not read-only",
                    ));
                    return false;
                }
                // The error was reported for another statement.
                None => return false,
            }
        }
        let needed = drafted.statement.query.writes || !foreign.is_empty();
        match entry.unchecked.as_ref().filter(|unchecked| unchecked.value) {
            Some(unchecked) if !needed => {
                self.add(Fault::NothingUnchecked {}, unchecked.span.clone());
            }
            Some(unchecked) if entry.roles.is_empty() => {
                self.add(Fault::UncheckedRoles {}, unchecked.span.clone());
            }
            Some(_) => {}
            None => {
                for what in foreign {
                    let problem = Problem::new(Fault::Calls { what: what.clone() }, span.clone());
                    let help = "`unchecked = true` lets it be called; you are responsible for \
                                what it reads and does";
                    self.problems.push(problem.help(help));
                }
            }
        }
        needed
    }

    fn drafts(&self, entry: &Entry, query: &Query, unchecked: bool) -> Vec<RoleDraft<'a>> {
        let permissions: &'a Permissions = self.permissions;
        let named = |role: &str| role == ADMIN || entry.roles.iter().any(|name| name.value == role);
        let roles = permissions
            .roles()
            .map(|access| access.role())
            .filter(|role| !unchecked || named(role));
        let both = roles.flat_map(|role| [(role, false), (role, true)]);
        let drafts = both.filter_map(|(role, backend)| {
            let access = permissions.role_as(role, backend)?;
            Some(RoleDraft {
                access,
                backend,
                draft: query.draft(access, self.options),
            })
        });
        drafts.collect()
    }

    /// Compiles the statement with the inferred types, for every role that can run it.
    pub(super) fn typed(
        &mut self,
        entry: &Entry,
        drafted: &UntypedEndpoint<'_>,
        typed: &InferredTypes,
        called: &CalledFunctions,
    ) -> Option<Judged> {
        let UntypedEndpoint {
            statement, drafts, ..
        } = drafted;
        let types = match drafts.first()?.types(typed) {
            Ok(types) => types,
            Err(error) => {
                let span = self.blamed(drafted, drafts.first()?, &error);
                let help = error.hint();
                let problem = Problem::new(
                    Fault::Refused {
                        message: error.message(),
                    },
                    span,
                );
                self.problems.push(helped(problem, help));
                return None;
            }
        };
        if types.columns.is_empty() && !statement.query.writes {
            self.problems
                .push(Problem::new(Fault::NoColumns {}, statement.span().clone()));
            return None;
        }
        if types.columns.iter().any(|(name, _)| name == UNNAMED) {
            let problem = Problem::new(Fault::Unnamed {}, statement.span().clone());
            self.problems.push(problem.help("name it: `AS total`"));
        }
        let writes = self.check_unchecked(entry, drafted, called);
        self.check_roles(entry, drafted, typed);
        let mut variables = self.variables(&statement.query, &types);
        let requirement = match &entry.require {
            Some(require) => Some(self.require(require, &mut variables)?),
            None => None,
        };
        let query = Query {
            writes,
            requirement: requirement.as_deref().cloned(),
            ..statement.query.clone()
        };
        let mut plain = HashMap::new();
        let mut backend = HashMap::new();
        for role in drafts {
            // A role that the endpoint does not name and that cannot run the statement gets an
            // error when it calls the endpoint.
            let Ok(own) = role.types(typed) else { continue };
            if !self.check_parameters(drafted, role, &own, &types) {
                continue;
            }
            let name = role.access.role().to_owned();
            let form =
                match query.translate(role.access, &own, ROWS, self.options_of(role.access.role()))
                {
                    Ok(translation) => RoleStatement {
                        types: own,
                        translation: Arc::new(translation),
                    },
                    Err(unfit @ RoleMismatch::DuplicateColumn(_))
                        if name == ADMIN && !role.backend =>
                    {
                        let fault = Fault::Statement {
                            message: unfit.to_string(),
                        };
                        self.problems
                            .push(Problem::new(fault, statement.span().clone()));
                        return None;
                    }
                    Err(_) => continue,
                };
            let forms = if role.backend {
                &mut backend
            } else {
                &mut plain
            };
            forms.insert(name, form);
        }
        self.check_required(entry, &query, drafts);
        let volatile = query.volatile;
        let work = EndpointKind::Statement(Box::new(Statement {
            query,
            plain,
            backend,
        }));
        let name = entry.operation.as_ref().map(|name| name.value.clone());
        Some(Judged {
            name,
            variables,
            requirement,
            only_root: Some(ROWS.to_owned()),
            volatile,
            work,
        })
    }

    /// Reports roles that the endpoint names and that cannot run the statement.
    fn check_roles(&mut self, entry: &Entry, drafted: &UntypedEndpoint<'_>, typed: &InferredTypes) {
        for role in &entry.roles {
            let name = role.value.clone();
            let Some(own) = drafted.drafts.iter().find(|draft| draft.is(&name, false)) else {
                self.unknown_role(role);
                continue;
            };
            if let Err(error) = own.types(typed) {
                let span = self.blamed(drafted, own, &error);
                let fault = Fault::StatementNotForRole {
                    role: name,
                    message: error.message(),
                };
                let help = matches!(error, RoleError::Refused(_))
                    .then(|| "what is not granted is not there".to_owned());
                self.problems.push(helped(Problem::new(fault, span), help));
            }
        }
    }

    /// Reports roles that the endpoint names and that may not see the required row's table.
    fn check_required(&mut self, entry: &Entry, query: &Query, drafts: &[RoleDraft<'_>]) {
        let (Some(row), Some(require)) = (&query.requirement, &entry.require) else {
            return;
        };
        for role in &entry.roles {
            let own = drafts.iter().find(|draft| draft.is(&role.value, false));
            if own.is_some_and(|own| own.draft.is_ok() && !own.access.may_read_rows(row.table)) {
                let message = RoleMismatch::Denied(require.table.value.clone()).to_string();
                let fault = Fault::StatementNotForRole {
                    role: role.value.clone(),
                    message,
                };
                self.add(fault, require.table.span.clone());
            }
        }
    }

    /// Parameters must have the same types for all roles, because text is parsed by their types.
    fn check_parameters(
        &mut self,
        drafted: &UntypedEndpoint<'_>,
        role: &RoleDraft<'_>,
        own: &Types,
        types: &Types,
    ) -> bool {
        let catalog = self.permissions.model.catalog();
        let names = &drafted.statement.query.parameters;
        let mut pairs = names
            .iter()
            .zip(own.parameters.iter().zip(&types.parameters));
        let Some((name, (found, expected))) = pairs.find(|(_, (own, other))| own != other) else {
            return true;
        };
        let [found, expected] = [found, expected].map(|oid| Scalar::from_oid(catalog, *oid).name);
        let name = name.clone();
        let role = role.access.role().to_owned();
        let span = drafted.statement.span().clone();
        let problem = Problem::new(
            Fault::ParameterType {
                name,
                role,
                found,
                expected,
            },
            span,
        );
        // The draft for backend callers may have the same problem.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        false
    }

    /// The statement's parameters in the form of a document's variables.
    fn variables(&self, query: &Query, types: &Types) -> Vec<Variable> {
        let catalog = self.permissions.model.catalog();
        let variable = |(name, oid): (&String, &u32)| {
            let scalar = Scalar::from_oid(catalog, *oid);
            let required = !query.optional.contains(name);
            let r#type = if required {
                format!("{}!", scalar.name)
            } else {
                scalar.name
            };
            let values = Values::Scalar(scalar.input);
            Variable {
                name: name.clone(),
                r#type,
                required,
                is_operand: false,
                default: None,
                values,
            }
        };
        query
            .parameters
            .iter()
            .zip(&types.parameters)
            .map(variable)
            .collect()
    }

    fn blamed(
        &self,
        drafted: &UntypedEndpoint<'_>,
        role: &RoleDraft<'_>,
        error: &RoleError,
    ) -> Span {
        let position = match error {
            RoleError::Refused(refused) => refused.position,
            RoleError::Unfit(_) => None,
        };
        let draft = role.draft.as_ref().ok();
        let span = draft
            .zip(position)
            .and_then(|(draft, position)| drafted.statement.blamed(draft, position));
        span.unwrap_or_else(|| drafted.statement.span().clone())
    }

    /// The options of a translation, with the role's limits on the response.
    fn options_of(&self, role: &str) -> Options {
        let holds = &self.limits_by_role.for_role(role).enforced;
        Options {
            answer_bytes: Some(holds.response_bytes),
            value_bytes: Some(holds.values()),
            ..self.options
        }
    }
}

impl RoleError {
    fn message(&self) -> String {
        match self {
            RoleError::Unfit(unfit) => unfit.to_string(),
            RoleError::Refused(refused) => refused.message.clone(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            RoleError::Unfit(_) => None,
            RoleError::Refused(refused) => refused.hint.clone(),
        }
    }
}

/// Converts a problem of the SQL checker to one of the map.
fn to_diagnostic(problem: &SqlProblem) -> Problem {
    let problem_of_map = Problem::new(
        Fault::Statement {
            message: problem.message(),
        },
        problem.span().clone(),
    );
    helped(problem_of_map, problem.suggestion().map(str::to_owned))
}
