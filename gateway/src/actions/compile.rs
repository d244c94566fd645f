//! Compiles the declarations of actions: types against those of the database, names against all
//! others, roles, handlers and relations. Reports all faults at once, each drawn on its file.

mod relations;
mod types;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use async_graphql_parser::types::FieldDefinition;
use async_graphql_parser::{Pos, Positioned};
use permissions::{Permissions, SourceFile, Text};
use pg::{Database, DatabaseError};
use sql::model::action::{
    Action, ActionField, ActionInputField, ActionKind, ActionObject, Actions, GrantedActions,
};
use sql::postgres::catalog::Catalog;
use sql::schema::{BuiltIn, Object, TypeKey, TypeRef};
use tokio::time::{Duration, Instant};

use super::definition::{self, ActionDefinition, Definitions};
use super::diagnostic::{Fault, Problem};
use super::document::{self, TypesDocument, span};
use super::handler::{Handler, Handlers};
use super::handler_compiler::HandlerCompiler;
use super::log;
use super::native::NativeHandlers;
use super::source::Source;
use crate::config::masked_file::{hide, masked};

/// How long the database may take to say whether it has the log of actions.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Stands for a type with a fault, so that the other faults of its action are found as well.
const FAULTY: TypeRef = TypeRef {
    named: TypeKey::BuiltIn(BuiltIn::String),
    list: false,
    required: false,
    sparse: false,
};

/// The roles of each action, by its index.
type Roles = Vec<HashSet<String>>;

/// Compiles the actions without faults and grants them to their roles. Returns the faults of the
/// others, too. `prefix` is that of session headers, in lower case.
pub async fn compile(
    source: &Source,
    permissions: &Permissions,
    database: &Database,
    native: &NativeHandlers,
    prefix: &str,
) -> Result<(Handlers, Vec<Problem>), DatabaseError> {
    let (handlers, roles, mut problems) = compile_source(source, permissions, native, prefix);
    if handlers.has_asynchronous()
        && database
            .query_text(log::EXISTS, Instant::now() + TIME_LIMIT)
            .await?
            != "true"
    {
        let help = "run `postern migrate`";
        problems
            .push(Problem::new(Fault::NotMigrated {}, source.definitions.span_of(0..0)).help(help));
    }
    for access in permissions.roles() {
        let has = |index: &u32| {
            access.is_admin()
                || roles
                    .get(*index as usize)
                    .is_some_and(|roles| roles.contains(access.role()))
        };
        let granted: Vec<u32> = (0..roles.len() as u32).filter(has).collect();
        for backend in [false, true] {
            if let Some(access) = permissions.role_as(access.role(), backend) {
                let declared = handlers.declared.clone();
                access.grant_actions(GrantedActions::new(
                    declared,
                    granted.clone(),
                    &permissions.model,
                ));
            }
        }
    }
    Ok((handlers, problems))
}

fn compile_source(
    source: &Source,
    permissions: &Permissions,
    native: &NativeHandlers,
    prefix: &str,
) -> (Handlers, Roles, Vec<Problem>) {
    let mut problems = vec![];
    let definitions = definition::read(&source.definitions, &mut problems);
    // The lines that are drawn may contain secrets.
    let source = &Source {
        definitions: masked(&source.definitions, &[]),
        types: source.types.clone(),
    };
    let mut problems: Vec<_> = problems
        .iter()
        .map(|problem| hide(problem, &source.definitions))
        .collect();
    let document = document::read(&source.types, &mut problems);
    let compiler = Compiler {
        source,
        permissions,
        catalog: permissions.model.catalog(),
        declared: Actions::default(),
        names: HashMap::new(),
        problems,
    };
    compiler.run(&document, definitions, native, prefix)
}

struct Compiler<'c> {
    source: &'c Source,
    permissions: &'c Permissions,
    catalog: &'c Arc<Catalog>,
    declared: Actions,
    /// The declared types.
    names: HashMap<String, TypeKey>,
    problems: Vec<Problem>,
}

/// The types of an action's answer and arguments.
fn types(action: &Action) -> impl Iterator<Item = TypeKey> {
    action
        .arguments
        .iter()
        .map(|argument| argument.r#type.named)
        .chain([action.output.named])
}

/// Where a type is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Input,
    Output,
}

impl Compiler<'_> {
    fn run(
        mut self,
        document: &TypesDocument,
        definitions: Definitions,
        native: &NativeHandlers,
        prefix: &str,
    ) -> (Handlers, Roles, Vec<Problem>) {
        let mut faulty_types = HashSet::new();
        document
            .types
            .iter()
            .for_each(|definition| self.declare(&definition.node));
        for definition in &document.types {
            let before = self.problems.len();
            self.fill(&definition.node);
            let name = definition.node.name.node.as_str();
            faulty_types.extend(
                self.names
                    .get(name)
                    .filter(|_| self.problems.len() > before),
            );
        }
        self.spread(&mut faulty_types);
        let mut defined: HashMap<String, ActionDefinition> = HashMap::new();
        for definition in definitions.actions {
            defined.insert(definition.name.value.clone(), definition);
        }
        let mut by_action = vec![];
        let mut asynchronous = BTreeMap::new();
        let mut roles = vec![];
        let mut forwards_headers = false;
        let mut names = HashSet::new();
        for (kind, field) in &document.fields {
            let before = self.problems.len();
            let Some(action) = self.action(*kind, field, &defined, &mut names) else {
                continue;
            };
            let Some(definition) = defined.get(&action.name) else {
                continue;
            };
            let mut has_faults = self.problems.len() > before
                || types(&action).any(|key| faulty_types.contains(&key));
            // A role that does not exist calls nothing.
            let granted: HashSet<String> = self.roles(&definition.roles);
            let mut handlers = HandlerCompiler {
                file: &self.source.definitions,
                catalog: self.catalog,
                native,
                declared: &self.declared,
                prefix,
                problems: &mut self.problems,
            };
            let before = handlers.problems.len();
            let handler = handlers.handler(&action, definition);
            has_faults |= self.problems.len() > before;
            if has_faults {
                continue;
            }
            forwards_headers |= definition.forward_client_headers.is_some();
            match (definition.asynchronous, handler) {
                (false, Some(handler)) => {
                    self.declared.actions.push(action);
                    by_action.push(handler);
                    roles.push(granted);
                }
                (true, Some(handler)) => {
                    asynchronous.insert(action.name.clone(), handler);
                    for (action, handler) in self.asynchronous(action, field) {
                        self.declared.actions.push(action);
                        by_action.push(handler);
                        roles.push(granted.clone());
                    }
                }
                (_, None) => {}
            }
        }
        let is_declared = |name: &String| {
            document
                .fields
                .iter()
                .any(|(_, field)| field.node.name.node.as_str() == name)
        };
        let mut undefined: Vec<ActionDefinition> = defined
            .into_values()
            .filter(|definition| !is_declared(&definition.name.value))
            .collect();
        undefined.sort_by_key(|definition| definition.name.span.start);
        for definition in undefined {
            let action = definition.name.value;
            let file = self.source.types.name.to_string();
            self.add(
                Fault::Undefined { action, file },
                &self.source.definitions,
                definition.name.span,
            );
        }
        definitions
            .relations
            .iter()
            .for_each(|relation| self.relation(relation));
        // An action that is both a query and a mutation has one definition, whose faults are found
        // twice.
        let mut found = HashSet::new();
        self.problems
            .retain(|problem| found.insert(problem.render(false)));
        let declared = Arc::new(self.declared);
        let handlers = Handlers {
            declared,
            by_action,
            asynchronous,
            forwards_headers,
            retention: Duration::ZERO,
        };
        (handlers, roles, self.problems)
    }

    /// Adds the types whose fields have faulty types.
    fn spread(&self, faulty: &mut HashSet<TypeKey>) {
        let objects = self.declared.objects.iter().map(|object| {
            (
                &object.name,
                object
                    .fields
                    .iter()
                    .map(|field| field.r#type.named)
                    .collect::<Vec<_>>(),
            )
        });
        let inputs = self.declared.inputs.iter().map(|input| {
            (
                &input.name,
                input
                    .fields
                    .iter()
                    .map(|field| field.r#type.named)
                    .collect::<Vec<_>>(),
            )
        });
        let of_fields: Vec<_> = objects.chain(inputs).collect();
        loop {
            let before = faulty.len();
            for (name, fields) in &of_fields {
                let is_faulty = fields.iter().any(|field| faulty.contains(field));
                faulty.extend(self.names.get(*name).filter(|_| is_faulty));
            }
            if faulty.len() == before {
                return;
            }
        }
    }

    fn add(&mut self, fault: Fault, file: &SourceFile, span: std::ops::Range<usize>) {
        self.problems.push(Problem::new(fault, file.span_of(span)));
    }

    fn add_in_types(&mut self, fault: Fault, position: Pos, length: usize) {
        let types = &self.source.types;
        self.problems.push(Problem::new(
            fault,
            types.span_of(span(types, position, length)),
        ));
    }

    /// An action that has a definition.
    fn action(
        &mut self,
        kind: ActionKind,
        field: &Positioned<FieldDefinition>,
        defined: &HashMap<String, ActionDefinition>,
        names: &mut HashSet<(ActionKind, String)>,
    ) -> Option<Action> {
        let (field, position) = (&field.node, field.node.name.pos);
        let name = field.name.node.to_string();
        if !self.is_name(&name, position) {
            return None;
        }
        if !names.insert((kind, name.clone())) {
            self.add_in_types(Fault::Twice { name: name.clone() }, position, name.len());
            return None;
        }
        let model = &self.permissions.model;
        if model.root(&name).is_some() || model.routine(&name).is_some() {
            let fault = Fault::Clash {
                name: name.clone(),
                what: "a root field",
            };
            self.add_in_types(fault, position, name.len());
        }
        let Some(definition) = defined.get(&name) else {
            let action = name.clone();
            let file = self.source.definitions.name.to_string();
            self.add_in_types(Fault::Undefined { action, file }, position, name.len());
            return None;
        };
        let found = if kind == ActionKind::Query {
            "query"
        } else {
            "mutation"
        };
        if let Some(root) = definition.root.as_ref().filter(|root| root.value != found) {
            let fault = Fault::WrongRoot {
                action: name.clone(),
                found,
            };
            self.add(fault, &self.source.definitions, root.span.clone());
        }
        if definition.asynchronous && kind == ActionKind::Query {
            let fault = Fault::AsynchronousQuery {
                action: name.clone(),
            };
            self.add(
                fault,
                &self.source.definitions,
                definition.name.span.clone(),
            );
        }
        self.check_twice(field.arguments.iter().map(|argument| &argument.node.name));
        let arguments = field
            .arguments
            .iter()
            .map(|argument| self.input(argument))
            .collect();
        let output = self.type_ref(&field.ty, Use::Output).unwrap_or(FAULTY);
        let description = field.description.as_ref().map(|text| text.node.clone());
        Some(Action {
            name,
            description,
            kind,
            arguments,
            output,
            is_live: false,
        })
    }

    /// The two fields of an asynchronous action: the mutation that returns an id, and the query
    /// that returns what became of the call, with a type of the action's name.
    fn asynchronous(
        &mut self,
        action: Action,
        field: &Positioned<FieldDefinition>,
    ) -> Vec<(Action, Handler)> {
        let name = action.name.clone();
        let position = field.node.name.pos;
        let is_taken = self.names.contains_key(&name)
            || self.schema().is_some_and(|schema| schema.has_type(&name));
        if is_taken {
            let fault = Fault::Clash {
                name: name.clone(),
                what: "a type, and the type of the action's outcome",
            };
            self.add_in_types(fault, position, name.len());
            return vec![];
        }
        let scalar = |name| self.database_type(name).map(TypeKey::Scalar);
        let (Some(uuid), Some(timestamp), Some(json)) =
            (scalar("uuid"), scalar("timestamptz"), scalar("json"))
        else {
            return vec![];
        };
        let outcome = |name: &str, about: &str, r#type| ActionField {
            name: name.to_owned(),
            description: Some(about.to_owned()),
            r#type,
        };
        let nullable = TypeRef {
            required: false,
            ..action.output
        };
        self.declared.objects.push(ActionObject {
            name: name.clone(),
            description: Some(format!("what became of a call of \"{name}\"")),
            fields: vec![
                outcome(
                    "created_at",
                    "when the action was called",
                    TypeRef::required(timestamp),
                ),
                outcome(
                    "errors",
                    "the errors of the handler, if it failed",
                    TypeRef::nullable(json),
                ),
                outcome("id", "the id of the call", TypeRef::required(uuid)),
                outcome(
                    "output",
                    "the answer of the handler, once there is one",
                    nullable,
                ),
            ],
            relations: vec![],
        });
        let key = TypeKey::Object(Object::Action((self.declared.objects.len() - 1) as u32));
        self.names.insert(name.clone(), key);
        let id = ActionInputField {
            name: "id".to_owned(),
            description: Some("the id that the mutation returned".to_owned()),
            r#type: TypeRef::required(uuid),
        };
        let result = Action {
            name,
            description: action.description.clone(),
            kind: ActionKind::Query,
            arguments: vec![id],
            output: TypeRef::nullable(key),
            is_live: true,
        };
        let call = Action {
            output: TypeRef::required(uuid),
            ..action
        };
        vec![
            (call, Handler::Enqueue { limit: 0 }),
            (result, Handler::Outcome),
        ]
    }

    fn roles(&mut self, roles: &[Text]) -> HashSet<String> {
        for role in roles
            .iter()
            .filter(|role| self.permissions.role(&role.value).is_none())
            .cloned()
            .collect::<Vec<_>>()
        {
            let known: Vec<&str> = self
                .permissions
                .roles()
                .map(|access| access.role())
                .collect();
            let help = permissions::did_you_mean(&role.value, known.iter().copied());
            let help = help.unwrap_or_else(|| {
                format!(
                    "the roles are {}",
                    permissions::listed(known.iter().copied())
                )
            });
            let span = self.source.definitions.span_of(role.span);
            self.problems
                .push(Problem::new(Fault::UnknownRole { role: role.value }, span).help(help));
        }
        roles.iter().map(|role| role.value.clone()).collect()
    }
}
