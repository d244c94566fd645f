//! Checks that fields with the same response key can be merged: same name, same arguments, and so
//! on for their selections. <https://spec.graphql.org/October2021/#sec-Field-Selection-Merging>
//!
//! Every type with fields is an object type here, and a fragment only applies to its own type. Two
//! fields with the same response key therefore always have the same parent, and their selections
//! must be mergeable too.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Field, Selection, SelectionSet};
use async_graphql_value::Value;

use super::input::ErrorPath;
use crate::error::{Cause, Error, FieldConflict};
use crate::graphql::document::Document;

/// Checks the fields of selection sets on the same object, whose path is `path`. Errors are added
/// in no particular order.
pub(super) fn merge<'a>(
    document: &'a Document,
    sets: &[&'a SelectionSet],
    path: &ErrorPath<'_>,
    faults: &mut Vec<Error>,
) {
    let mut fields = Vec::with_capacity(sets.iter().map(|set| set.items.len()).sum());
    sets.iter()
        .for_each(|set| flatten(document, set, &mut fields));
    // Fields with the same response key become adjacent, in document order.
    fields.sort_by_key(|(key, _)| *key);
    for alike in fields.chunk_by(|(one, _), (other, _)| one == other) {
        let Some(((key, first), others)) = alike.split_first() else {
            continue;
        };
        for (_, other) in others {
            if let Some(reason) = difference(&first.node, &other.node) {
                let cause = Cause::Conflict {
                    key: (*key).to_owned(),
                    reason,
                };
                faults.push(cause.at(ErrorPath::Parts(path, ".selectionSet").path(), other.pos));
            }
        }
        let inner = alike
            .iter()
            .map(|(_, field)| &field.node.selection_set.node);
        let inner: Vec<_> = inner.filter(|set| !set.items.is_empty()).collect();
        if !inner.is_empty() {
            merge(document, &inner, &path.field(&first.node.name.node), faults);
        }
    }
}

fn flatten<'a>(
    document: &'a Document,
    set: &'a SelectionSet,
    fields: &mut Vec<(&'a str, &'a Positioned<Field>)>,
) {
    for item in &set.items {
        match &item.node {
            Selection::Field(field) => {
                fields.push((field.node.response_key().node.as_str(), field));
            }
            Selection::InlineFragment(inline) => {
                flatten(document, &inline.node.selection_set.node, fields);
            }
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragment(&spread.node.fragment_name.node) {
                    flatten(document, &fragment.node.selection_set.node, fields);
                }
            }
        }
    }
}

fn difference(first: &Field, other: &Field) -> Option<FieldConflict> {
    if first.name.node != other.name.node {
        return Some(FieldConflict::Fields(
            first.name.node.to_string(),
            other.name.node.to_string(),
        ));
    }
    (sorted(first) != sorted(other)).then(|| FieldConflict::Arguments(first.name.node.to_string()))
}

/// The arguments of a field sorted by name, since their order has no meaning.
fn sorted(field: &Field) -> Vec<(&str, &Value)> {
    let mut arguments: Vec<_> = field
        .arguments
        .iter()
        .map(|(name, value)| (name.node.as_str(), &value.node))
        .collect();
    arguments.sort_by_key(|(name, _)| *name);
    arguments
}
