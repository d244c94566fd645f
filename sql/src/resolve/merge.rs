//! Fields of one response key have to be one field: same name, same arguments, and so on inside.
//! <https://spec.graphql.org/October2021/#sec-Field-Selection-Merging>
//!
//! All types with fields are object types here, and a fragment fits only where its own type is. So two fields of one
//! response key always have the same parent, and what they select has to merge too.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Field, Selection, SelectionSet};
use async_graphql_value::Value;

use crate::document::Document;
use crate::error::{Cause, Difference, Error};

/// The fields of selection sets that belong together, `path` being the place of what they are about.
pub(super) fn merge<'a>(document: &'a Document, sets: &[&'a SelectionSet], path: &str, faults: &mut Vec<Error>) {
    let mut by_key: indexmap::IndexMap<&str, Vec<&'a Positioned<Field>>> = indexmap::IndexMap::new();
    for set in sets {
        flatten(document, set, &mut by_key);
    }
    for (key, fields) in by_key {
        let Some((first, others)) = fields.split_first() else { continue };
        for other in others {
            if let Some(reason) = difference(&first.node, &other.node) {
                let key = key.to_owned();
                faults.push(Cause::Conflict { key, reason }.at(format!("{path}.selectionSet"), other.pos));
            }
        }
        let inner: Vec<_> = fields.iter().map(|field| &field.node.selection_set.node).collect();
        merge(document, &inner, &format!("{path}.selectionSet.{}", first.node.name.node), faults);
    }
}

fn flatten<'a>(
    document: &'a Document,
    set: &'a SelectionSet,
    by_key: &mut indexmap::IndexMap<&'a str, Vec<&'a Positioned<Field>>>,
) {
    for item in &set.items {
        match &item.node {
            Selection::Field(field) => {
                by_key.entry(field.node.response_key().node.as_str()).or_default().push(field);
            }
            Selection::InlineFragment(inline) => flatten(document, &inline.node.selection_set.node, by_key),
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragment(&spread.node.fragment_name.node) {
                    flatten(document, &fragment.node.selection_set.node, by_key);
                }
            }
        }
    }
}

fn difference(first: &Field, other: &Field) -> Option<Difference> {
    if first.name.node != other.name.node {
        return Some(Difference::Fields(first.name.node.to_string(), other.name.node.to_string()));
    }
    (sorted(first) != sorted(other)).then(|| Difference::Arguments(first.name.node.to_string()))
}

/// The arguments of a field by name, whose order means nothing.
fn sorted(field: &Field) -> Vec<(&str, &Value)> {
    let mut arguments: Vec<_> = field.arguments.iter().map(|(name, value)| (name.node.as_str(), &value.node)).collect();
    arguments.sort_by_key(|(name, _)| *name);
    arguments
}
