//! Computes the depth, fields, values, aliases, root fields and nodes of a document with all
//! fragments expanded, in time linear in the text. Distinct fields are counted in
//! [`merged_field_count`].
//!
//! Fragments are not expanded to be counted: fragments within fragments multiply, so expanding them
//! would be the attack that the limit prevents.

use std::collections::HashMap;

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Directive, Field, OperationDefinition, Selection, SelectionSet};
use async_graphql_value::Value;

use super::{Document, Limits, merged_field_count};
use crate::error::{Cause, Error, RequestLimit};

/// Checks a document against the limits. Fields and values of all operations count together, since
/// every operation is validated; the other limits apply to each operation.
///
/// Errors: [`Cause::Limit`] with the first limit exceeded.
pub(super) fn measure(document: &Document, limits: &Limits) -> Result<(), Error> {
    match exceeded(document, limits).first() {
        Some((limit, value)) => Err(Cause::Limit {
            limit: *limit,
            value: *value,
        }
        .under("$.query")),
        None => Ok(()),
    }
}

/// Lists the limits that the document exceeds, each with its value; a limit appears once for each
/// operation that exceeds it.
pub(super) fn exceeded(document: &Document, limits: &Limits) -> Vec<(RequestLimit, usize)> {
    let mut measure = Measure {
        document,
        fragments: HashMap::new(),
        circle: false,
    };
    let mut all = Size::default();
    let mut over = Vec::new();
    for (_, operation) in document.operations() {
        let size = measure
            .set(&operation.node.selection_set.node)
            .and_values(declarations(&operation.node));
        all = Size {
            aliases: size.aliases,
            roots: size.roots,
            nodes: size.nodes,
            ..all.beside(size)
        };
        over.extend(all.exceeded(limits));
        // Merged fields are at most as many as all fields, so most documents need no second pass.
        // The pass may take long, so documents that are refused anyway, for the number of fields or
        // a fragment cycle, are left out.
        let is_bounded =
            all.fields <= limits.fields && size.fields > limits.height && !measure.circle;
        if is_bounded
            && merged_field_count::exceeds(
                document,
                &operation.node.selection_set.node,
                limits.height,
            )
        {
            over.push((RequestLimit::Height, limits.height));
        }
    }
    over
}

/// Sizes of a selection set. Sums saturate, since fragments can double them at each level.
#[derive(Clone, Copy, Default)]
struct Size {
    depth: usize,
    fields: usize,
    values: usize,
    aliases: usize,
    roots: usize,
    nodes: usize,
    spreads: usize,
}

struct Measure<'a> {
    document: &'a Document,
    /// The size of each fragment; `None` while it is being measured, so that a cycle is detected.
    fragments: HashMap<&'a str, Option<Size>>,
    /// Whether a fragment cycle was found.
    circle: bool,
}

impl<'a> Measure<'a> {
    fn set(&mut self, set: &'a SelectionSet) -> Size {
        set.items.iter().fold(Size::default(), |size, item| {
            size.beside(self.item(&item.node))
        })
    }

    fn item(&mut self, item: &'a Selection) -> Size {
        match item {
            Selection::Field(field) => {
                let inner = self.set(&field.node.selection_set.node);
                Size {
                    depth: inner.depth + 1,
                    fields: inner.fields.saturating_add(1),
                    values: inner.values.saturating_add(arguments(&field.node)),
                    aliases: inner
                        .aliases
                        .saturating_add(usize::from(field.node.alias.is_some())),
                    roots: 1,
                    nodes: inner.nodes.saturating_add(usize::from(
                        !field.node.selection_set.node.items.is_empty(),
                    )),
                    spreads: inner.spreads,
                }
            }
            Selection::InlineFragment(inline) => self
                .set(&inline.node.selection_set.node)
                .and_values(directives(&inline.node.directives)),
            Selection::FragmentSpread(spread) => self
                .fragment(&spread.node.fragment_name.node)
                .and_values(directives(&spread.node.directives)),
        }
    }

    /// Returns the size of a spread. A spread costs a step, so it counts as a field, whatever its
    /// fragment contains. A cycle and an unknown fragment add nothing here; validation reports
    /// them.
    fn fragment(&mut self, name: &'a str) -> Size {
        let inner = match self.fragments.get(name) {
            Some(size) => {
                self.circle |= size.is_none();
                size.unwrap_or_default()
            }
            None => self.first_met(name),
        };
        Size {
            fields: inner.fields.saturating_add(1),
            spreads: inner.spreads + 1,
            ..inner
        }
    }

    fn first_met(&mut self, name: &'a str) -> Size {
        let Some(fragment) = self.document.fragment(name) else {
            return Size::default();
        };
        self.fragments.insert(name, None);
        let size = self
            .set(&fragment.node.selection_set.node)
            .and_values(directives(&fragment.node.directives));
        self.fragments.insert(name, Some(size));
        size
    }
}

impl Size {
    fn beside(self, other: Size) -> Size {
        Size {
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            values: self.values.saturating_add(other.values),
            aliases: self.aliases.saturating_add(other.aliases),
            roots: self.roots.saturating_add(other.roots),
            nodes: self.nodes.saturating_add(other.nodes),
            spreads: self.spreads.max(other.spreads),
        }
    }

    fn and_values(self, values: usize) -> Size {
        Size {
            values: self.values.saturating_add(values),
            ..self
        }
    }

    fn exceeded(self, limits: &Limits) -> impl Iterator<Item = (RequestLimit, usize)> {
        let bounds = [
            (RequestLimit::Depth, self.depth, limits.depth),
            (RequestLimit::Fields, self.fields, limits.fields),
            (RequestLimit::DocumentValues, self.values, limits.tokens),
            (RequestLimit::Nodes, self.nodes, limits.nodes),
            (RequestLimit::Aliases, self.aliases, limits.aliases),
            (RequestLimit::Roots, self.roots, limits.roots),
            (RequestLimit::FragmentNesting, self.spreads, limits.nesting),
        ];
        bounds
            .into_iter()
            .filter(|(_, size, bound)| size > bound)
            .map(|(limit, _, value)| (limit, value))
    }
}

/// The number of values to validate in the arguments and directives of a field.
fn arguments(field: &Field) -> usize {
    let own: usize = field
        .arguments
        .iter()
        .map(|(_, value)| weight(&value.node))
        .sum();
    own + directives(&field.directives)
}

/// The number of values to validate in the variable defaults and directives of an operation.
fn declarations(operation: &OperationDefinition) -> usize {
    let declared = operation.variable_definitions.iter().map(|definition| {
        let default = definition.node.default_value.as_ref();
        let default = default.map_or(0, |default| weight(&default.node.clone().into_value()));
        default + directives(&definition.node.directives)
    });
    declared.sum::<usize>() + directives(&operation.directives)
}

/// The number of values to validate in the arguments of directives.
fn directives(directives: &[Positioned<Directive>]) -> usize {
    let arguments = directives
        .iter()
        .flat_map(|directive| &directive.node.arguments);
    arguments.map(|(_, value)| weight(&value.node)).sum()
}

/// Counts a value and the values inside it; 32 bytes of text count as one more.
fn weight(value: &Value) -> usize {
    1 + match value {
        Value::List(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.values().map(weight).sum(),
        Value::String(text) => text.len() / 32,
        _ => 0,
    }
}
