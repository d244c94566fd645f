//! The introspection fields of an operation: fragments are inlined, variables substituted, fields
//! excluded by `@skip` and `@include` removed, and fields with one response key merged. So writing
//! a response goes through one tree.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Directive, Field, Selection, SelectionSet};
use async_graphql_value::Value;
use serde_json::Value as Json;

use crate::error::Error;
use crate::graphql::document::Document;
use crate::graphql::variables::Variables;
use crate::resolve::Operation;

/// The introspection fields that an operation selects.
#[derive(Debug, Default)]
pub struct IntrospectionSelection {
    roots: Vec<SelectedField>,
}

/// A selected field.
#[derive(Debug)]
pub struct SelectedField {
    /// Its response key.
    pub(super) key: String,
    pub(super) name: String,
    /// The argument of `__type`.
    pub(super) type_name: Option<String>,
    /// The fields selected in it.
    pub(super) fields: Vec<SelectedField>,
}

/// The most fields that a selection may have for each type, field, argument or value to be
/// [simple]. The usual document selects 33 for an argument, most of them in references to types,
/// whose lists rarely nest so deep.
///
/// [simple]: IntrospectionSelection::is_simple
const SIMPLE_FIELDS: usize = 64;

impl IntrospectionSelection {
    /// The introspection fields of an operation, which has been validated with these variables.
    pub fn new(
        operation: &Operation,
        variables: &Variables,
    ) -> Result<IntrospectionSelection, Error> {
        let definition = operation.document().operation(operation.name())?;
        let collector = Collector {
            document: operation.document(),
            variables,
        };
        let mut roots = Vec::new();
        collector.collect(&definition.node.selection_set.node, true, &mut roots);
        Ok(IntrospectionSelection { roots })
    }

    /// The root field with that response key.
    pub fn root(&self, key: &str) -> Option<&SelectedField> {
        self.roots.iter().find(|root| root.key == key)
    }

    /// All root fields.
    pub fn roots(&self) -> &[SelectedField] {
        &self.roots
    }

    /// Whether the list of all types is selected.
    pub fn lists_types(&self) -> bool {
        self.roots
            .iter()
            .any(|root| root.fields.iter().any(|field| field.name == "types"))
    }

    /// Whether each element of the schema is written at most once with few fields, so that the
    /// response is not much larger than the schema. This holds for the documents of usual clients.
    pub fn is_simple(&self) -> bool {
        self.roots.len() == 1 && self.roots.iter().all(|root| root.is_simple(false))
    }
}

impl SelectedField {
    fn is_list(&self) -> bool {
        matches!(
            self.name.as_str(),
            "types" | "fields" | "args" | "inputFields" | "enumValues" | "directives"
        )
    }

    fn is_simple(&self, in_reference: bool) -> bool {
        let lists = || self.fields.iter().filter(|field| field.is_list());
        let is_repeated =
            lists().any(|list| lists().filter(|other| other.name == list.name).count() > 1);
        if is_repeated
            || in_reference && lists().next().is_some()
            || self.own_fields() > SIMPLE_FIELDS
        {
            return false;
        }
        self.fields
            .iter()
            .all(|field| field.is_simple(in_reference || field.is_reference()))
    }

    fn is_reference(&self) -> bool {
        matches!(self.name.as_str(), "type" | "ofType") || self.is_abstract()
    }

    /// The fields inside, without those of lists. The lists of interfaces and possible types are
    /// empty.
    fn own_fields(&self) -> usize {
        let is_list = |field: &SelectedField| field.is_list() || field.is_abstract();
        self.fields
            .iter()
            .map(|field| {
                1 + if is_list(field) {
                    0
                } else {
                    field.own_fields()
                }
            })
            .sum()
    }

    fn is_abstract(&self) -> bool {
        matches!(self.name.as_str(), "interfaces" | "possibleTypes")
    }
}

struct Collector<'a> {
    document: &'a Document,
    variables: &'a Variables,
}

impl Collector<'_> {
    /// Adds the fields of a selection set: at the root those of introspection, inside all.
    fn collect(&self, set: &SelectionSet, at_root: bool, into: &mut Vec<SelectedField>) {
        for item in &set.items {
            if !self.is_included(item.node.directives()) {
                continue;
            }
            match &item.node {
                Selection::Field(field) => {
                    if !at_root || matches!(field.node.name.node.as_str(), "__schema" | "__type") {
                        self.add(&field.node, into);
                    }
                }
                // Validation has checked that a fragment's type is the type of the selection set.
                Selection::InlineFragment(inline) => {
                    self.collect(&inline.node.selection_set.node, at_root, into);
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragment(&spread.node.fragment_name.node)
                    {
                        self.collect(&fragment.node.selection_set.node, at_root, into);
                    }
                }
            }
        }
    }

    fn add(&self, field: &Field, into: &mut Vec<SelectedField>) {
        let key = field.alias.as_ref().unwrap_or(&field.name).node.as_str();
        let known = into.iter().position(|known| known.key == key);
        let index = known.unwrap_or_else(|| {
            let type_name = self.text(field.get_argument("name").map(|value| &value.node));
            let name = field.name.node.to_string();
            into.push(SelectedField {
                key: key.to_owned(),
                name,
                type_name,
                fields: Vec::new(),
            });
            into.len() - 1
        });
        if let Some(selected) = into.get_mut(index) {
            self.collect(&field.selection_set.node, false, &mut selected.fields);
        }
    }

    fn text(&self, value: Option<&Value>) -> Option<String> {
        match value? {
            Value::String(text) => Some(text.clone()),
            Value::Variable(name) => self.variables.get(name)?.as_str().map(str::to_owned),
            _ => None,
        }
    }

    fn is_included(&self, directives: &[Positioned<Directive>]) -> bool {
        directives.iter().all(|directive| {
            let condition = directive
                .node
                .get_argument("if")
                .map(|value| self.is_true(&value.node));
            match directive.node.name.node.as_str() {
                "skip" => condition != Some(true),
                _ => condition != Some(false),
            }
        })
    }

    fn is_true(&self, value: &Value) -> bool {
        match value {
            Value::Boolean(value) => *value,
            Value::Variable(name) => self.variables.get(name) == Some(&Json::Bool(true)),
            _ => false,
        }
    }
}
