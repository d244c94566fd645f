//! Counts the distinct fields that an operation selects. Fields of one name at one place count
//! once, whatever fragments they come from and whatever aliases they have: the resolver merges
//! their values.

use std::collections::HashSet;

use async_graphql_parser::types::{Selection, SelectionSet};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::Document;

/// Whether an operation selects more than `height` distinct fields.
///
/// Each fragment is visited once at one place, so the steps are at most as many as the fields of
/// the expanded document, which the caller has limited. The caller has also excluded fragment
/// cycles.
pub(super) fn exceeds(document: &Document, set: &SelectionSet, height: usize) -> bool {
    let mut left = height;
    let mut places = vec![vec![set]];
    while let Some(sets) = places.pop() {
        let fields = merged(document, &sets);
        match left.checked_sub(fields.len()) {
            Some(rest) => left = rest,
            None => return true,
        }
        places.extend(fields.into_values().filter(|sets| !sets.is_empty()));
    }
    false
}

/// The selection sets inside the fields of one place, by the fields' names.
type MergedFields<'a> = IndexMap<&'a str, Vec<&'a SelectionSet>, RandomState>;

/// Merges the fields of several selection sets at one place, each field with its inner selection
/// sets.
fn merged<'a>(document: &'a Document, sets: &[&'a SelectionSet]) -> MergedFields<'a> {
    let mut fields = MergedFields::default();
    let mut met = HashSet::new();
    let mut open: Vec<&SelectionSet> = sets.to_vec();
    while let Some(set) = open.pop() {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => {
                    let inside = fields.entry(field.node.name.node.as_str()).or_default();
                    if !field.node.selection_set.node.items.is_empty() {
                        inside.push(&field.node.selection_set.node);
                    }
                }
                Selection::InlineFragment(inline) => open.push(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    if let Some(fragment) = document.fragment(name).filter(|_| met.insert(name)) {
                        open.push(&fragment.node.selection_set.node);
                    }
                }
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use crate::error::RequestLimit;
    use crate::graphql::document::{Limits, exceeded, parse};

    /// The height of a document: the smallest limit that it does not exceed.
    fn height(text: &str) -> usize {
        let document = parse(text, &Limits::default()).unwrap();
        let exceeds = |height: &usize| {
            let limits = Limits {
                height: *height,
                ..Limits::default()
            };
            exceeded(text, &document, &limits).contains(&RequestLimit::Height)
        };
        (0..100).find(|height| !exceeds(height)).unwrap()
    }

    #[test]
    fn fields_of_one_place_merge() {
        assert_eq!(height("{ a { b c } }"), 3);
        assert_eq!(height("{ a { b } x: a { b c } a { ... { c } } }"), 3);
        assert_eq!(
            height("{ a { ...F ...F b } d { ...F } } fragment F on A { b c { b } }"),
            8
        );
        assert_eq!(
            height("{ a { ...F } } fragment F on A { b ...G } fragment G on A { b c }"),
            3
        );
        assert_eq!(height("query A { a b } query B { a b c }"), 3);
    }

    #[test]
    fn fragment_cycle_is_left_to_validation() {
        assert_eq!(
            height("{ a { ...F } } fragment F on A { b ...G } fragment G on A { c ...F }"),
            0
        );
        assert_eq!(
            height("{ a { ...F ...F ...F } } fragment F on A { b { ...F ...F } }"),
            0
        );
    }

    #[test]
    fn nodes_are_fields_with_a_selection_set() {
        let text = "{ a { ...F ...F } b c { d } } fragment F on A { e { f } }";
        let document = parse(text, &Limits::default()).unwrap();
        let nodes = |nodes: usize| {
            exceeded(
                text,
                &document,
                &Limits {
                    nodes,
                    ..Limits::default()
                },
            )
        };
        assert_eq!((nodes(4), nodes(3)), (vec![], vec![RequestLimit::Nodes]));
    }

    #[test]
    fn exceeded_counts_tokens_of_a_parsed_document() {
        let text = "{ a(x: [1, 2]) { b } }";
        let document = parse(text, &Limits::default()).unwrap();
        let tokens = |tokens: usize| {
            exceeded(
                text,
                &document,
                &Limits {
                    tokens,
                    ..Limits::default()
                },
            )
        };
        assert_eq!(
            (tokens(14), tokens(11)),
            (vec![], vec![RequestLimit::Tokens])
        );
    }
}
