//! Entities of federated routers: rows by their keys, each with the position of its key in the
//! request. Postgres decides which key a row has, by the equality of the key's type: one value may
//! be written in several ways (`1.5`, `1.50`).

use super::selection::{BoundOperand, Field, FieldKind, Filter, RootSelection, Selection, Term};
use crate::model::operators::OperatorKind;
use crate::postgres::catalog::ColumnId;

/// The response key of the position, from 1 on. No field of a client has that name.
pub const POSITION: &str = "#";

/// Makes the lists join their rows to the keys of their conditions.
pub(super) fn number_rows(selection: &mut Selection<'_>) {
    for root in &mut selection.roots {
        let RootSelection::List(rows) = &mut root.selection else {
            continue;
        };
        let mut keys = Vec::new();
        rows.arguments
            .filter
            .iter()
            .for_each(|filter| collect_keys(filter, &mut keys));
        if !keys.is_empty() {
            rows.arguments.keys = keys;
            rows.fields.push(Field {
                key: POSITION.to_owned(),
                kind: FieldKind::Position,
            });
        }
    }
}

/// The columns that are compared with lists, and these lists.
fn collect_keys(filter: &Filter<'_>, keys: &mut Vec<(ColumnId, BoundOperand)>) {
    match filter {
        Filter::And(all) => all.iter().for_each(|filter| collect_keys(filter, keys)),
        Filter::Compare(Term::Column(column), operator, operands)
            if operator.kind == OperatorKind::In =>
        {
            keys.extend(operands.iter().map(|operand| (*column, operand.clone())));
        }
        _ => {}
    }
}
