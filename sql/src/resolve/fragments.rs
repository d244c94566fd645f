//! Detects fragments that spread themselves, directly or through other fragments. Runs before the
//! other rules, which expand fragments.
//! <https://spec.graphql.org/October2021/#sec-Fragment-spreads-must-not-form-cycles>

use std::collections::HashSet;

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Selection, SelectionSet};
use async_graphql_value::Name;

use crate::error::{Cause, Error};
use crate::graphql::document::Document;

/// Returns an error for every cycle, with the path to it from an operation through fields and
/// fragments.
pub(super) fn cycles(document: &Document) -> Vec<Error> {
    if document.fragments().next().is_none() {
        return Vec::new();
    }
    let mut search = Search {
        document,
        open: Vec::new(),
        done: HashSet::new(),
        faults: Vec::new(),
    };
    for (_, operation) in document.operations() {
        search.set(&operation.node.selection_set.node, "$");
    }
    for (name, fragment) in document.fragments() {
        search.fragment(name, &fragment.node.selection_set.node, "$.query");
    }
    search.faults
}

struct Search<'a> {
    document: &'a Document,
    /// The fragments that enclose the current selection set, from the outermost.
    open: Vec<&'a str>,
    done: HashSet<&'a str>,
    faults: Vec<Error>,
}

impl<'a> Search<'a> {
    fn set(&mut self, set: &'a SelectionSet, path: &str) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => {
                    let path = [path, ".selectionSet.", &field.node.name.node].concat();
                    self.set(&field.node.selection_set.node, &path);
                }
                Selection::InlineFragment(inline) => {
                    self.set(&inline.node.selection_set.node, path);
                }
                Selection::FragmentSpread(spread) => self.spread(&spread.node.fragment_name, path),
            }
        }
    }

    fn spread(&mut self, name: &'a Positioned<Name>, path: &str) {
        let path = format!("{path}.selectionSet");
        if let Some(first) = self
            .open
            .iter()
            .position(|open| *open == name.node.as_str())
        {
            let through = self
                .open
                .iter()
                .skip(first)
                .map(|name| (*name).to_owned())
                .collect();
            self.faults.push(
                Cause::FragmentCycle {
                    name: name.node.to_string(),
                    through,
                }
                .at(path, name.pos),
            );
        } else if let Some(fragment) = self.document.fragment(&name.node) {
            self.fragment(
                &name.node,
                &fragment.node.selection_set.node,
                &format!("{path}.{}", name.node),
            );
        }
    }

    fn fragment(&mut self, name: &'a str, set: &'a SelectionSet, path: &str) {
        if self.done.contains(name) {
            return;
        }
        self.open.push(name);
        self.set(set, path);
        self.open.pop();
        self.done.insert(name);
    }
}
