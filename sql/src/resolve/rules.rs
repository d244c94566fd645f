//! Validates a document against a role's schema, by the rules of the specification.
//! <https://spec.graphql.org/October2021/#sec-Validation>
//!
//! Fragments are validated where they are spread; [`crate::graphql::document`] has limited the size
//! that they expand to.

use std::collections::{BTreeSet, HashMap, HashSet};

use async_graphql_parser::types::{
    Directive, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::{Name, Value};
use foldhash::fast::RandomState;

use super::Coercion;
use super::cached::{CACHED, REFRESH, TTL};
use super::fragments::cycles;
use super::input::{ErrorPath, found_in, has_variable, json};
use super::merge::merge;
use super::variable_definition::Declared;
use crate::error::{ActualKind, Cause, Error, NameKind, RequestLimit};
use crate::graphql::document::Document;
use crate::model::DefaultExposure;
use crate::postgres::catalog::Oid;
use crate::postgres::types::Input;
use crate::schema::{
    Argument, BuiltIn, FieldDefinition, Meaning, Object, Schema, TypeKey, TypeRef,
};

/// The maximum nesting of lists of fields and types in introspection, which can be nested without
/// end. As in graphql-js' `MaxIntrospectionDepthRule`.
const INTROSPECTION_LISTS: usize = 2;

/// The results for the chosen operation of a valid document.
#[derive(Debug, Default)]
pub(super) struct ValidatedOperation {
    /// Whether it selects introspection.
    pub(super) introspects: bool,
    /// Whether it calls a volatile function.
    pub(super) volatile: bool,
    /// The variables that it uses.
    pub(super) used: BTreeSet<String>,
    /// The variables that it declares, in order.
    pub(super) declared: Vec<Declared>,
}

/// Validates the document and returns the results for the chosen operation.
///
/// Errors: the fault that comes first in the text.
pub(super) fn check(
    schema: Schema<'_>,
    document: &Document,
    chosen: Option<&str>,
    coercion: Coercion,
) -> Result<ValidatedOperation, Error> {
    let mut faults = cycles(document);
    let mut checked = ValidatedOperation::default();
    if faults.is_empty() {
        let mut spread = HashSet::new();
        let mut unknown_types = 0;
        for (name, operation) in document.operations() {
            let mut rules = Rules::new(schema, document, coercion, &mut spread, &mut faults);
            let is_chosen = name == chosen || chosen.is_none();
            rules.unknown_types = unknown_types;
            rules.operation(operation, is_chosen);
            unknown_types = rules.unknown_types;
            if is_chosen {
                checked.introspects |= rules.introspects;
                checked.volatile |= rules.volatile;
                checked.used = rules.used.iter().map(|&name| name.to_owned()).collect();
                let names = operation
                    .node
                    .variable_definitions
                    .iter()
                    .map(|definition| &definition.node.name.node);
                checked.declared = names
                    .filter_map(|name| rules.declared.remove(name.as_str())?)
                    .collect();
            }
        }
        for (name, fragment) in document
            .fragments()
            .filter(|(name, _)| !spread.contains(*name))
        {
            faults.push(
                Cause::Unused {
                    kind: NameKind::Fragment,
                    name: name.to_owned(),
                }
                .at("$.query", fragment.pos),
            );
        }
    }
    match faults.into_iter().min_by_key(|fault| fault.location) {
        Some(first) => Err(first),
        None => Ok(checked),
    }
}

/// The state of validating one operation.
struct Rules<'a, 'm> {
    schema: Schema<'m>,
    document: &'a Document,
    coercion: Coercion,
    declared: HashMap<&'a str, Option<Declared>, RandomState>,
    used: BTreeSet<&'a str>,
    spread: &'a mut HashSet<String>,
    faults: &'a mut Vec<Error>,
    introspects: bool,
    volatile: bool,
    /// The number of unknown types used in the operations so far.
    unknown_types: usize,
}

/// The number of unknown types after which no more types are looked up, since each lookup goes
/// through all tables of the role. The document is invalid already.
const MAX_UNKNOWN_TYPES: usize = 20;

/// The type that a selection set belongs to.
#[derive(Clone, Copy)]
enum Parent {
    /// An object type of the role's schema.
    Object(Object),
    /// The selection set of an unknown field. Only the use of variables and fragments in it is
    /// recorded.
    Unknown,
}

/// The location of a directive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectiveLocation {
    Query,
    Mutation,
    Subscription,
    Variable,
    Selection,
    Fragment,
}

impl DirectiveLocation {
    fn written(self) -> &'static str {
        match self {
            DirectiveLocation::Query => "a query",
            DirectiveLocation::Mutation => "a mutation",
            DirectiveLocation::Subscription => "a subscription",
            DirectiveLocation::Variable => "a variable definition",
            DirectiveLocation::Selection => "a field",
            DirectiveLocation::Fragment => "a fragment definition",
        }
    }
}

impl<'a, 'm> Rules<'a, 'm> {
    fn new(
        schema: Schema<'m>,
        document: &'a Document,
        coercion: Coercion,
        spread: &'a mut HashSet<String>,
        faults: &'a mut Vec<Error>,
    ) -> Rules<'a, 'm> {
        Rules {
            schema,
            document,
            coercion,
            declared: HashMap::default(),
            used: BTreeSet::new(),
            spread,
            faults,
            introspects: false,
            volatile: false,
            unknown_types: 0,
        }
    }

    fn has_too_many_unknown_types(&self) -> bool {
        self.unknown_types >= MAX_UNKNOWN_TYPES
    }

    fn fault(&mut self, cause: Cause, path: &ErrorPath, position: Pos) {
        self.faults.push(cause.at(path.path(), position));
    }

    /// Validates an operation. An operation of a kind that the role does not have is an error only
    /// if it is chosen, as in graphql-js.
    fn operation(&mut self, operation: &'a Positioned<OperationDefinition>, is_chosen: bool) {
        let parent = match operation.node.ty {
            OperationType::Query => Parent::Object(Object::Query),
            OperationType::Mutation if self.schema.has_mutations() => {
                Parent::Object(Object::Mutation)
            }
            OperationType::Mutation if is_chosen => {
                return self.fault(Cause::NoMutations, &ErrorPath::ROOT, operation.pos);
            }
            OperationType::Subscription if self.schema.has_subscriptions() => {
                self.single_root(operation);
                Parent::Object(Object::Subscription)
            }
            OperationType::Subscription if is_chosen => {
                return self.fault(Cause::NoSubscriptions, &ErrorPath::ROOT, operation.pos);
            }
            OperationType::Mutation | OperationType::Subscription => Parent::Unknown,
        };
        self.declarations(operation);
        for directive in &operation.node.directives {
            let location = match operation.node.ty {
                OperationType::Query => DirectiveLocation::Query,
                OperationType::Mutation => DirectiveLocation::Mutation,
                OperationType::Subscription => DirectiveLocation::Subscription,
            };
            self.directive(directive, location, &ErrorPath::ROOT);
        }
        if let [_, second, ..] = operation.node.directives.as_slice()
            && operation
                .node
                .directives
                .iter()
                .all(|directive| directive.node.name.node == CACHED)
        {
            let cause = Cause::Duplicate {
                kind: NameKind::Directive,
                name: CACHED.to_owned(),
            };
            self.fault(cause, &ErrorPath::ROOT, second.pos);
        }
        self.set(parent, &operation.node.selection_set.node, &ErrorPath::ROOT);
        merge(
            self.document,
            &[&operation.node.selection_set.node],
            &ErrorPath::ROOT,
            self.faults,
        );
        for definition in &operation.node.variable_definitions {
            let name = definition.node.name.node.as_str();
            if self.coercion == Coercion::Strict && !self.used.contains(name) {
                self.fault(
                    Cause::Unused {
                        kind: NameKind::Variable,
                        name: name.to_owned(),
                    },
                    &ErrorPath::ROOT,
                    definition.pos,
                );
            }
        }
    }

    /// Checks that a subscription selects one field of `subscription_root`.
    fn single_root(&mut self, operation: &'a Positioned<OperationDefinition>) {
        let mut roots = Vec::new();
        let mut spread = HashSet::new();
        self.collect_roots(&operation.node.selection_set.node, &mut roots, &mut spread);
        let key = |field: &'a Field| field.response_key().node.as_str();
        if let Some(other) = roots.iter().skip(1).find(|field| {
            roots
                .first()
                .is_some_and(|f| key(&f.node) != key(&field.node))
        }) {
            self.fault(Cause::SeveralRoots, &ErrorPath::ROOT, other.pos);
        }
        if let Some(meta) = roots
            .iter()
            .find(|field| field.node.name.node.starts_with("__"))
        {
            self.fault(Cause::IntrospectedRoot, &ErrorPath::ROOT, meta.pos);
        }
    }

    fn collect_roots(
        &self,
        set: &'a SelectionSet,
        roots: &mut Vec<&'a Positioned<Field>>,
        spread: &mut HashSet<&'a str>,
    ) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => roots.push(field),
                Selection::InlineFragment(inline) => {
                    self.collect_roots(&inline.node.selection_set.node, roots, spread);
                }
                Selection::FragmentSpread(named) => {
                    let fragment = self.document.fragment(&named.node.fragment_name.node);
                    if let Some(fragment) =
                        fragment.filter(|_| spread.insert(&named.node.fragment_name.node))
                    {
                        self.collect_roots(&fragment.node.selection_set.node, roots, spread);
                    }
                }
            }
        }
    }

    fn declarations(&mut self, operation: &'a Positioned<OperationDefinition>) {
        for definition in &operation.node.variable_definitions {
            let name = definition.node.name.node.as_str();
            for directive in &definition.node.directives {
                self.directive(directive, DirectiveLocation::Variable, &ErrorPath::ROOT);
            }
            let declared = (!self.has_too_many_unknown_types())
                .then(|| Declared::new(self.schema, &definition.node, self.coercion))
                .flatten();
            match &declared {
                None if self.has_too_many_unknown_types() => {}
                None => self.report_invalid_declaration(definition),
                Some(declared) => {
                    let default = declared
                        .default()
                        .map(|value| declared.check(self.schema, value));
                    if let Some(Err(mut error)) = default {
                        error.location = Some((definition.pos.line, definition.pos.column));
                        self.faults.push(error);
                    }
                }
            }
            if self.declared.insert(name, declared).is_some() {
                self.fault(
                    Cause::Duplicate {
                        kind: NameKind::Variable,
                        name: name.to_owned(),
                    },
                    &ErrorPath::ROOT,
                    definition.pos,
                );
            }
        }
    }

    fn report_invalid_declaration(
        &mut self,
        definition: &'a Positioned<async_graphql_parser::types::VariableDefinition>,
    ) {
        let named = innermost(&definition.node.var_type.node);
        let cause = match self.schema.named(named) {
            Some(_) => Cause::VariableNotInput {
                name: definition.node.name.node.to_string(),
                on: named.to_owned(),
            },
            None => {
                self.unknown_types += 1;
                Cause::Unknown {
                    kind: NameKind::Type,
                    name: named.to_owned(),
                }
            }
        };
        self.fault(cause, &ErrorPath::ROOT, definition.node.var_type.pos);
    }

    // ---- selections

    fn set(&mut self, parent: Parent, set: &'a SelectionSet, path: &ErrorPath) {
        for item in &set.items {
            for directive in item.node.directives() {
                self.directive(
                    directive,
                    DirectiveLocation::Selection,
                    &ErrorPath::Parts(path, ".selectionSet"),
                );
            }
            self.unique_directives(item.node.directives(), path);
            match &item.node {
                Selection::Field(field) => self.field(parent, field, path),
                Selection::InlineFragment(inline) => {
                    let condition = inline
                        .node
                        .type_condition
                        .as_ref()
                        .map(|c| (&c.node.on.node, c.node.on.pos));
                    let parent = self.condition(parent, condition, path);
                    self.set(parent, &inline.node.selection_set.node, path);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name;
                    self.spread(parent, name, path);
                }
            }
        }
    }

    fn spread(&mut self, parent: Parent, name: &'a Positioned<Name>, path: &ErrorPath) {
        let Some(fragment) = self.document.fragment(&name.node) else {
            let cause = Cause::Unknown {
                kind: NameKind::Fragment,
                name: name.node.to_string(),
            };
            return self.fault(cause, path, name.pos);
        };
        self.spread.insert(name.node.to_string());
        for directive in &fragment.node.directives {
            self.directive(directive, DirectiveLocation::Fragment, path);
        }
        let on = &fragment.node.type_condition.node.on;
        let parent = self.condition(parent, Some((&on.node, on.pos)), path);
        self.set(parent, &fragment.node.selection_set.node, path);
    }

    /// The type that a fragment with that type condition applies to. Every type with fields is an
    /// object type here, so a fragment applies only to its own type.
    fn condition(
        &mut self,
        parent: Parent,
        condition: Option<(&Name, Pos)>,
        path: &ErrorPath,
    ) -> Parent {
        let (Parent::Object(within), Some((on, position))) = (parent, condition) else {
            return parent;
        };
        if self.has_too_many_unknown_types() {
            return Parent::Unknown;
        }
        match self.schema.named(on) {
            Some(TypeKey::Object(object)) if object == within => parent,
            Some(TypeKey::Object(_)) => {
                let within = self.schema.name(TypeKey::Object(within));
                self.fault(
                    Cause::ImpossibleFragment {
                        on: on.to_string(),
                        within,
                    },
                    path,
                    position,
                );
                Parent::Unknown
            }
            Some(_) => {
                self.fault(Cause::FragmentOnLeaf { on: on.to_string() }, path, position);
                Parent::Unknown
            }
            None => {
                self.unknown_types += 1;
                self.fault(
                    Cause::Unknown {
                        kind: NameKind::Type,
                        name: on.to_string(),
                    },
                    path,
                    position,
                );
                Parent::Unknown
            }
        }
    }

    fn field(&mut self, parent: Parent, field: &'a Positioned<Field>, path: &ErrorPath) {
        let name = field.node.name.node.as_str();
        let at = path.field(name);
        let Parent::Object(object) = parent else {
            return self.undefined_field(&field.node, &at);
        };
        match name {
            "__typename" => self.leaf(field, TypeKey::BuiltIn(BuiltIn::String), &at),
            _ => match self.schema.field(object, name) {
                Some(definition) => {
                    if object == Object::Query
                        && matches!(definition.meaning, Meaning::Introspection)
                    {
                        self.introspects = true;
                        if !self.schema.access().introspects() {
                            let role = self.schema.access().role().to_owned();
                            self.fault(
                                Cause::IntrospectionOff { role },
                                &ErrorPath::ROOT,
                                field.node.name.pos,
                            );
                        }
                        self.limit_lists(&field.node, 0, &at);
                    }
                    self.volatile |= self.schema.is_volatile(&definition.meaning);
                    self.defined(field, &definition, &at);
                }
                None => {
                    let on = self.schema.name(TypeKey::Object(object));
                    self.fault(
                        Cause::UnknownField {
                            field: name.to_owned(),
                            on,
                        },
                        &at,
                        field.node.name.pos,
                    );
                    self.undefined_field(&field.node, &at);
                }
            },
        }
    }

    /// Rejects introspection whose response would grow with a power of the schema's size.
    fn limit_lists(&mut self, field: &'a Field, lists: usize, at: &ErrorPath) {
        let list = matches!(
            field.name.node.as_str(),
            "fields" | "interfaces" | "possibleTypes" | "inputFields"
        );
        let lists = lists + usize::from(list);
        if lists > INTROSPECTION_LISTS {
            let cause = Cause::Limit {
                limit: RequestLimit::IntrospectionLists,
                value: INTROSPECTION_LISTS,
            };
            return self.fault(cause, at, field.name.pos);
        }
        self.limit_lists_in(&field.selection_set.node, lists, at);
    }

    fn limit_lists_in(&mut self, set: &'a SelectionSet, lists: usize, at: &ErrorPath) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => self.limit_lists(&field.node, lists, at),
                Selection::InlineFragment(inline) => {
                    self.limit_lists_in(&inline.node.selection_set.node, lists, at);
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragment(&spread.node.fragment_name.node)
                    {
                        self.limit_lists_in(&fragment.node.selection_set.node, lists, at);
                    }
                }
            }
        }
    }

    /// Handles a field that cannot be validated: its variables and fragments still count as used.
    fn undefined_field(&mut self, field: &'a Field, path: &ErrorPath) {
        for (_, value) in &field.arguments {
            self.use_variables(&value.node, value.pos, path);
        }
        self.set(Parent::Unknown, &field.selection_set.node, path);
    }

    fn defined(
        &mut self,
        field: &'a Positioned<Field>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) {
        self.arguments(field, definition, at);
        match definition.r#type.named {
            TypeKey::Object(object) => {
                if field.node.selection_set.node.items.is_empty() {
                    let on = self.schema.name(definition.r#type.named);
                    let cause = Cause::MissingSelection {
                        field: at.name().to_owned(),
                        on,
                    };
                    self.fault(cause, at, field.node.name.pos);
                }
                self.set(Parent::Object(object), &field.node.selection_set.node, at);
            }
            leaf => self.leaf(field, leaf, at),
        }
    }

    fn leaf(&mut self, field: &'a Positioned<Field>, leaf: TypeKey, at: &ErrorPath) {
        if !field.node.selection_set.node.items.is_empty() {
            let cause = Cause::LeafWithSelection {
                field: at.name().to_owned(),
                on: self.schema.name(leaf),
            };
            self.fault(cause, at, field.node.name.pos);
            self.set(Parent::Unknown, &field.node.selection_set.node, at);
        }
        if at.name() == "__typename"
            && let Some((argument, _)) = field.node.arguments.first()
        {
            let cause = Cause::UnknownArgument {
                argument: argument.node.to_string(),
                field: at.name().to_owned(),
                known: vec![],
            };
            self.fault(cause, at, argument.pos);
        }
    }

    // ---- arguments and values

    fn arguments(
        &mut self,
        field: &'a Positioned<Field>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) {
        let mut seen = HashSet::with_hasher(RandomState::default());
        for (name, value) in &field.node.arguments {
            let at = at.argument(&name.node);
            if !seen.insert(name.node.as_str()) {
                let cause = Cause::Duplicate {
                    kind: NameKind::Argument,
                    name: name.node.to_string(),
                };
                self.fault(cause, &at, name.pos);
            }
            match definition
                .arguments
                .iter()
                .find(|argument| argument.name == name.node.as_str())
            {
                Some(argument) => self.value(&value.node, argument.r#type, false, &at, value.pos),
                None => {
                    let known = definition.arguments.iter();
                    let cause = Cause::UnknownArgument {
                        argument: name.node.to_string(),
                        field: definition.name.to_owned(),
                        known: known.map(|argument| argument.name.to_owned()).collect(),
                    };
                    self.fault(cause, &at, name.pos);
                    self.use_variables(&value.node, value.pos, &at);
                }
            }
        }
        let missing =
            |argument: &&Argument<'_>| argument.r#type.required && !seen.contains(argument.name);
        for argument in definition.arguments.iter().filter(missing) {
            let cause = Cause::Missing {
                kind: NameKind::Argument,
                name: argument.name.to_owned(),
            };
            self.fault(cause, at, field.node.name.pos);
        }
    }

    /// Validates a literal of the document against the type of its position.
    /// <https://spec.graphql.org/October2021/#sec-Values-of-Correct-Type>
    fn value(
        &mut self,
        value: &'a Value,
        type_ref: TypeRef,
        has_default: bool,
        at: &ErrorPath,
        position: Pos,
    ) {
        match value {
            Value::Variable(name) => self.variable(name, type_ref, has_default, at, position),
            Value::Null if type_ref.required => {
                let expected = self.schema.written(type_ref);
                let found = ActualKind::Null;
                match type_ref.named {
                    TypeKey::Input(_) if !type_ref.list => {
                        let cause = Cause::NotAnObject {
                            name: at.name().to_owned(),
                            expected,
                            found,
                        };
                        self.fault(cause, at, position);
                    }
                    _ => self.wrong(at, expected, found, position),
                }
            }
            Value::Null => {}
            Value::List(items) if type_ref.list => {
                let item = TypeRef {
                    list: false,
                    required: !type_ref.sparse,
                    ..type_ref
                };
                for (i, value) in items.iter().enumerate() {
                    self.value(value, item, false, &at.item(i), position);
                }
            }
            single if type_ref.list => {
                let item = TypeRef {
                    list: false,
                    required: !type_ref.sparse,
                    ..type_ref
                };
                self.value(single, item, false, &at.item(0), position);
            }
            _ => self.single(value, type_ref.named, at, position),
        }
    }

    fn single(&mut self, value: &'a Value, named: TypeKey, at: &ErrorPath, position: Pos) {
        match (named, value) {
            (TypeKey::Input(input), Value::Object(fields)) => {
                for (key, value) in fields {
                    let at = at.key(key);
                    match self.schema.input_field(input, key) {
                        Some(field) => self.value(
                            value,
                            field.r#type,
                            field.default().is_some(),
                            &at,
                            position,
                        ),
                        None => {
                            let cause = Cause::UnknownInputField {
                                field: key.to_string(),
                                on: self.schema.name(named),
                            };
                            self.fault(cause, &at, position);
                            self.use_variables(value, position, &at);
                        }
                    }
                }
                let missing = self.schema.missing(input, |name| fields.contains_key(name));
                for name in missing {
                    self.fault(
                        Cause::Missing {
                            kind: NameKind::Field,
                            name: name.to_owned(),
                        },
                        at,
                        position,
                    );
                }
            }
            (TypeKey::Enum(of), Value::Enum(name)) => {
                let values = self.schema.values(of);
                if !values.contains(&name.as_str()) {
                    let expected = self.schema.name(named);
                    self.fault(at.unknown_value(expected, name, &values), at, position);
                }
            }
            (TypeKey::Scalar(oid), value) if self.schema.model().graphql_enum(oid).is_some() => {
                self.postgres_enum(value, (named, oid), at, position);
            }
            (TypeKey::Input(_), value) => {
                let cause = Cause::NotAnObject {
                    name: at.name().to_owned(),
                    expected: self.schema.name(named),
                    found: found_in(value),
                };
                self.use_variables(value, position, at);
                self.fault(cause, at, position);
            }
            (TypeKey::Enum(_), value) => {
                let cause = Cause::NotAnEnumValue {
                    name: at.name().to_owned(),
                    expected: self.schema.name(named),
                    found: found_in(value),
                };
                self.use_variables(value, position, at);
                self.fault(cause, at, position);
            }
            (named, value) => self.scalar(value, named, at, position),
        }
    }

    /// Validates a literal for an enum of Postgres that is an enum of GraphQL.
    fn postgres_enum(
        &mut self,
        value: &'a Value,
        (named, oid): (TypeKey, Oid),
        at: &ErrorPath,
        position: Pos,
    ) {
        let labels = self.schema.model().graphql_enum(oid).unwrap_or_default();
        let expected = self.schema.name(named);
        match value {
            Value::Enum(name) if labels.iter().any(|label| label == name.as_str()) => {}
            Value::Enum(name) => {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                self.fault(at.unknown_value(expected, name, &labels), at, position);
            }
            value => {
                let cause = Cause::NotAnEnumValue {
                    name: at.name().to_owned(),
                    expected,
                    found: found_in(value),
                };
                self.use_variables(value, position, at);
                self.fault(cause, at, position);
            }
        }
    }

    /// Validates a scalar. It may also be a list or an object, as JSON may, that contains
    /// variables.
    fn scalar(&mut self, value: &'a Value, named: TypeKey, at: &ErrorPath, position: Pos) {
        self.use_variables(value, position, at);
        // Under Hasura's coercion they are checked where they are read, since they accept other
        // integers than `Int`.
        if self.coercion == Coercion::Loose && matches!(at.name(), "limit" | "offset") {
            return;
        }
        if self.coercion == Coercion::Loose && matches!(named, TypeKey::Scalar(_)) {
            return self.loose_scalar(value, named, at, position);
        }
        match self.schema.scalar_input(named) {
            _ if matches!(value, Value::Enum(_)) => {
                self.wrong(at, self.schema.name(named), ActualKind::EnumValue, position);
            }
            Some(Input::Json) if has_variable(value) => {}
            Some(Input::Array(_)) if matches!(value, Value::List(_)) && has_variable(value) => {}
            Some(Input::Composite(_) | Input::Hstore | Input::GeoJson { .. })
                if matches!(value, Value::Object(_)) && has_variable(value) => {}
            Some(input) => {
                if let Err(found) = input.check(&json(value)) {
                    self.wrong(at, self.schema.name(named), found, position);
                }
            }
            None => self.wrong(
                at,
                self.schema.name(named),
                crate::postgres::value::found(&json(value)),
                position,
            ),
        }
    }

    /// Validates a column's value under Hasura's coercion.
    fn loose_scalar(&mut self, value: &'a Value, named: TypeKey, at: &ErrorPath, position: Pos) {
        let Some(input) = self
            .schema
            .scalar_input(named)
            .filter(|_| !has_variable(value))
        else {
            return;
        };
        let value = json(value);
        if let Err(found) = input.loosened().text(&value) {
            let cause = at.unreadable(&self.schema.name(named), found, &value);
            self.fault(cause, at, position);
        }
    }

    fn wrong(&mut self, at: &ErrorPath, expected: String, found: ActualKind, position: Pos) {
        let cause = Cause::WrongType {
            name: at.name().to_owned(),
            expected: expected.into(),
            found,
        };
        self.fault(cause, at, position);
    }

    fn variable(
        &mut self,
        name: &'a Name,
        type_ref: TypeRef,
        has_default: bool,
        at: &ErrorPath,
        position: Pos,
    ) {
        if !self.is_declared(name, position, at) {
            return;
        }
        let Some(Some(declared)) = self.declared.get(name.as_str()) else {
            return;
        };
        let fits =
            declared
                .r#type
                .fits(self.schema, type_ref, has_default || declared.has_default());
        if !fits {
            let cause = Cause::VariableType {
                name: name.to_string(),
                declared: declared.r#type.written(),
                expected: self.schema.written(type_ref),
            };
            self.fault(cause, at, position);
        }
    }

    fn is_declared(&mut self, name: &'a Name, position: Pos, path: &ErrorPath) -> bool {
        self.used.insert(name.as_str());
        let declared = self.declared.contains_key(name.as_str());
        if !declared {
            self.fault(
                Cause::Unknown {
                    kind: NameKind::Variable,
                    name: name.to_string(),
                },
                path,
                position,
            );
        }
        declared
    }

    fn use_variables(&mut self, value: &'a Value, position: Pos, path: &ErrorPath) {
        match value {
            Value::Variable(name) => {
                self.is_declared(name, position, path);
            }
            Value::List(items) => items
                .iter()
                .for_each(|item| self.use_variables(item, position, path)),
            Value::Object(fields) => fields
                .values()
                .for_each(|item| self.use_variables(item, position, path)),
            _ => {}
        }
    }

    // ---- directives

    fn directive(
        &mut self,
        directive: &'a Positioned<Directive>,
        location: DirectiveLocation,
        path: &ErrorPath,
    ) {
        let name = directive.node.name.node.as_str();
        if name == CACHED && self.schema.model().offer() == DefaultExposure::AsHasura {
            if location != DirectiveLocation::Query {
                let cause = Cause::MisplacedDirective {
                    name: name.to_owned(),
                    on: location.written(),
                };
                return self.fault(cause, path, directive.pos);
            }
            return self.cache_arguments(directive, path);
        }
        if !matches!(
            name,
            "include" | "skip" | "deprecated" | "specifiedBy" | "oneOf"
        ) {
            let cause = Cause::Unknown {
                kind: NameKind::Directive,
                name: name.to_owned(),
            };
            return self.fault(cause, path, directive.pos);
        }
        if location != DirectiveLocation::Selection || !matches!(name, "include" | "skip") {
            let cause = Cause::MisplacedDirective {
                name: name.to_owned(),
                on: location.written(),
            };
            return self.fault(cause, path, directive.pos);
        }
        self.condition_arguments(directive, path);
    }

    /// Validates the arguments of Hasura's `@cached(ttl: Int! = 60, refresh: Boolean! = false)`.
    fn cache_arguments(&mut self, directive: &'a Positioned<Directive>, path: &ErrorPath) {
        let mut seen = HashSet::new();
        for (name, value) in &directive.node.arguments {
            let r#type = match name.node.as_str() {
                TTL => BuiltIn::Int,
                REFRESH => BuiltIn::Boolean,
                other => {
                    let field = format!("@{CACHED}");
                    self.fault(
                        Cause::UnknownArgument {
                            argument: other.to_owned(),
                            field,
                            known: vec![TTL.to_owned(), REFRESH.to_owned()],
                        },
                        path,
                        name.pos,
                    );
                    self.use_variables(&value.node, value.pos, path);
                    continue;
                }
            };
            if !seen.insert(name.node.as_str()) {
                let cause = Cause::Duplicate {
                    kind: NameKind::Argument,
                    name: name.node.to_string(),
                };
                self.fault(cause, path, name.pos);
            }
            let at = ErrorPath::Named(path, name.node.as_str());
            self.value(
                &value.node,
                TypeRef::required(TypeKey::BuiltIn(r#type)),
                true,
                &at,
                value.pos,
            );
        }
    }

    fn condition_arguments(&mut self, directive: &'a Positioned<Directive>, path: &ErrorPath) {
        let at = ErrorPath::Named(path, "if");
        let type_ref = TypeRef::required(TypeKey::BuiltIn(BuiltIn::Boolean));
        let mut has_condition = false;
        for (name, value) in &directive.node.arguments {
            if name.node != "if" {
                let field = format!("@{}", directive.node.name.node);
                self.fault(
                    Cause::UnknownArgument {
                        argument: name.node.to_string(),
                        field,
                        known: vec!["if".to_owned()],
                    },
                    path,
                    name.pos,
                );
            } else if has_condition {
                self.fault(
                    Cause::Duplicate {
                        kind: NameKind::Argument,
                        name: "if".into(),
                    },
                    path,
                    name.pos,
                );
            }
            has_condition |= name.node == "if";
            self.value(&value.node, type_ref, false, &at, value.pos);
        }
        if !has_condition {
            self.fault(
                Cause::Missing {
                    kind: NameKind::Argument,
                    name: "if".into(),
                },
                path,
                directive.pos,
            );
        }
    }

    fn unique_directives(&mut self, directives: &'a [Positioned<Directive>], path: &ErrorPath) {
        let mut seen = HashSet::with_hasher(RandomState::default());
        for directive in directives {
            let name = directive.node.name.node.as_str();
            if !seen.insert(name) {
                let cause = Cause::Duplicate {
                    kind: NameKind::Directive,
                    name: name.to_owned(),
                };
                self.fault(
                    cause,
                    &ErrorPath::Parts(path, ".selectionSet"),
                    directive.pos,
                );
            }
        }
    }
}

fn innermost(r#type: &async_graphql_parser::types::Type) -> &str {
    let mut base = &r#type.base;
    loop {
        match base {
            async_graphql_parser::types::BaseType::Named(name) => return name,
            async_graphql_parser::types::BaseType::List(of) => base = &of.base,
        }
    }
}
