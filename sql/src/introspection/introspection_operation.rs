//! Copies the introspection fields of an operation into a document of their own: fragments are inlined, variables
//! substituted, and fields excluded by `@skip` and `@include` removed. So `async-graphql` needs only this document, and
//! does not execute the other fields again.

use std::collections::HashMap;

use async_graphql_parser::types::{
    Directive, DocumentOperations, ExecutableDocument, Field, InlineFragment, OperationDefinition, Selection,
    SelectionSet,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::{ConstValue, Name, Value};
use serde_json::Value as Json;

use crate::error::Error;
use crate::graphql::document::Document;
use crate::graphql::variables::Variables;
use crate::resolve::Operation;

/// Builds the document of the introspection fields; `None` if the operation has none.
pub(super) fn excerpt(operation: &Operation, variables: &Variables) -> Result<Option<ExecutableDocument>, Error> {
    let document = operation.document();
    let definition = document.operation(operation.name())?;
    let copy = Copy { document, variables };
    let selection_set = copy.set(&definition.node.selection_set, Level::Root);
    if selection_set.node.items.is_empty() {
        return Ok(None);
    }
    let alone = OperationDefinition {
        ty: definition.node.ty,
        variable_definitions: Vec::new(),
        directives: Vec::new(),
        selection_set,
    };
    let operations = DocumentOperations::Single(Positioned::new(alone, definition.pos));
    Ok(Some(ExecutableDocument { operations, fragments: HashMap::new() }))
}

struct Copy<'a> {
    document: &'a Document,
    variables: &'a Variables,
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    /// In `query_root`, where only introspection fields are copied.
    Root,
    /// Inside an introspection field, where all fields are copied.
    Inside,
}

impl Copy<'_> {
    fn set(&self, set: &Positioned<SelectionSet>, level: Level) -> Positioned<SelectionSet> {
        let included = set.node.items.iter().filter(|item| self.is_included(item.node.directives()));
        let items = included.filter_map(|item| Some(Positioned::new(self.item(&item.node, level)?, item.pos)));
        Positioned::new(SelectionSet { items: items.collect() }, set.pos)
    }

    fn item(&self, item: &Selection, level: Level) -> Option<Selection> {
        match item {
            Selection::Field(field) => {
                let wanted = level == Level::Inside || matches!(field.node.name.node.as_str(), "__schema" | "__type");
                wanted.then(|| Selection::Field(Positioned::new(self.field(&field.node), field.pos)))
            }
            Selection::InlineFragment(inline) => self.inline(&inline.node.selection_set, inline.pos, level),
            Selection::FragmentSpread(spread) => {
                let fragment = self.document.fragment(&spread.node.fragment_name.node)?;
                self.inline(&fragment.node.selection_set, spread.pos, level)
            }
        }
    }

    /// Copies a fragment as an inline fragment without a type condition. Validation has checked that the fragment's
    /// type is the type of the selection set.
    fn inline(&self, set: &Positioned<SelectionSet>, position: Pos, level: Level) -> Option<Selection> {
        let selection_set = self.set(set, level);
        let inline = InlineFragment { type_condition: None, directives: Vec::new(), selection_set };
        let full = !inline.selection_set.node.items.is_empty();
        full.then(|| Selection::InlineFragment(Positioned::new(inline, position)))
    }

    fn field(&self, field: &Field) -> Field {
        let arguments = field.arguments.iter();
        Field {
            alias: field.alias.clone(),
            name: field.name.clone(),
            arguments: arguments.filter_map(|(name, value)| self.argument(name, value)).collect(),
            directives: Vec::new(),
            selection_set: self.set(&field.selection_set, Level::Inside),
        }
    }

    /// Copies an argument with its variable substituted. A null argument is left out: the arguments of introspection
    /// fields treat both alike.
    fn argument(
        &self,
        name: &Positioned<Name>,
        value: &Positioned<Value>,
    ) -> Option<(Positioned<Name>, Positioned<Value>)> {
        let given = match &value.node {
            Value::Variable(variable) => {
                ConstValue::from_json(self.variables.get(variable)?.clone()).ok()?.into_value()
            }
            literal => literal.clone(),
        };
        (given != Value::Null).then(|| (name.clone(), Positioned::new(given, value.pos)))
    }

    fn is_included(&self, directives: &[Positioned<Directive>]) -> bool {
        directives.iter().all(|directive| {
            let condition = directive.node.get_argument("if").map(|value| self.is_true(&value.node));
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
