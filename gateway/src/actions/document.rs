//! Reads `actions.graphql`: the fields of `Query` and `Mutation`, and the types that they use.
//! Nothing is looked up here.

use std::ops::Range;

use async_graphql_parser::types::{
    FieldDefinition, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql_parser::{Pos, Positioned, parse_schema};
use permissions::SourceFile;
use sql::model::action::ActionKind;

use super::diagnostic::{Fault, Problem};

/// The contents of the file.
#[derive(Debug, Default)]
pub(super) struct TypesDocument {
    /// The actions.
    pub(super) fields: Vec<(ActionKind, Positioned<FieldDefinition>)>,
    /// The other types.
    pub(super) types: Vec<Positioned<TypeDefinition>>,
}

/// Parses the file. What actions cannot have is reported and left out.
pub(super) fn read(file: &SourceFile, problems: &mut Vec<Problem>) -> TypesDocument {
    let mut document = TypesDocument::default();
    if file.text.split_whitespace().next().is_none() {
        return document;
    }
    let parsed = match parse_schema(&*file.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let position = error
                .positions()
                .next()
                .unwrap_or(Pos { line: 1, column: 1 });
            let message = error.to_string();
            let message = message
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches(" = ")
                .to_owned();
            problems.push(Problem::new(
                Fault::Graphql { message },
                file.span_of(span(file, position, 1)),
            ));
            return document;
        }
    };
    for definition in parsed.definitions {
        let mut unsupported = |what: String, position: Pos, length: usize| {
            problems.push(Problem::new(
                Fault::Unsupported { what },
                file.span_of(span(file, position, length)),
            ));
        };
        match definition {
            TypeSystemDefinition::Type(definition) => match definition.node.name.node.as_str() {
                "Query" | "query_root" => add(&mut document, ActionKind::Query, definition),
                "Mutation" | "mutation_root" => {
                    add(&mut document, ActionKind::Mutation, definition);
                }
                "Subscription" | "subscription_root" => {
                    unsupported("a subscription".into(), definition.node.name.pos, 12);
                }
                name => match &definition.node.kind {
                    TypeKind::Interface(_) => {
                        unsupported(format!("interface `{name}`"), definition.node.name.pos, 1);
                    }
                    TypeKind::Union(_) => {
                        unsupported(format!("union `{name}`"), definition.node.name.pos, 1);
                    }
                    _ => document.types.push(definition),
                },
            },
            TypeSystemDefinition::Schema(definition) => {
                unsupported("a schema".into(), definition.pos, 6);
            }
            TypeSystemDefinition::Directive(definition) => {
                unsupported("a directive".into(), definition.pos, 9);
            }
        }
    }
    document
}

fn add(document: &mut TypesDocument, kind: ActionKind, definition: Positioned<TypeDefinition>) {
    if let TypeKind::Object(object) = definition.node.kind {
        document
            .fields
            .extend(object.fields.into_iter().map(|field| (kind, field)));
    }
}

/// The range of bytes of a word at a position.
pub(super) fn span(file: &SourceFile, position: Pos, length: usize) -> Range<usize> {
    let lines = file
        .text
        .split_inclusive('\n')
        .take(position.line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let line = file.text.get(start..).unwrap_or_default();
    let column = line
        .char_indices()
        .nth(position.column.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    start + column..start + column + length
}
