//! Plans native queries: SQL from the configuration, with its tables opened for a role.

use super::builder::Builder;
use super::required_row::ALIAS_COUNT;
use super::{Cte, Denied, Expression, NamedPiece, NativeQuery, PartKind, ScannedTable, Step};
use crate::encode::shape::{Key, Node};
use crate::model::access::{Access, Purpose};
use crate::model::names::RootKind;
use crate::native_query::{self, Query, QueryFragment, Types};
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::implicit_cast;
use crate::postgres::types::Scalar;
use crate::resolve::Options;
use crate::resolve::selection::Required;

/// Opens the tables of a native query for a role; `types` is none while its types are not known.
pub fn plan_native_query<'m>(
    access: &'m Access,
    query: &Query,
    types: Option<&Types>,
    options: Options,
) -> Result<NativeQuery<'m>, Denied> {
    // The first aliases are those of a required row.
    let mut builder = Builder::with_taken_aliases(ALIAS_COUNT, access, options);
    let alias = types.map(|_| builder.alias());
    let raises = raises(access, query, types);
    let mut pieces = Vec::new();
    for piece in &query.pieces {
        pieces.push(match piece {
            QueryFragment::Sql(text) => NamedPiece::Sql(text.clone()),
            QueryFragment::Session(value) => NamedPiece::Session(value.clone()),
            QueryFragment::Table(table) => NamedPiece::Opened(builder.opened(*table, raises)?),
            QueryFragment::Parameter(index) => {
                let r#type = types
                    .and_then(|types| types.parameters.get(*index))
                    .copied();
                let scalar = r#type.map(|oid| builder.scalar(oid));
                let name = query.parameters.get(*index).ok_or(Denied)?;
                let optional = query.optional.contains(name);
                NamedPiece::Parameter(
                    native_query::parameter(name, scalar.as_deref(), optional),
                    r#type,
                )
            }
        });
    }
    let columns = types.map_or(&[][..], |types| &types.columns);
    let outputs = columns
        .iter()
        .map(|(_, oid)| builder.output(builder.scalar(*oid).output.clone()))
        .collect();
    let columns = columns.iter().map(|(name, _)| name.clone()).collect();
    Ok(NativeQuery {
        alias,
        pieces,
        head: query.head,
        columns,
        outputs,
    })
}

/// Whether an expression of the query may raise where Postgres may evaluate it before a row rule.
fn raises(access: &Access, query: &Query, types: Option<&Types>) -> bool {
    let catalog = access.model().catalog();
    let session = query.pieces.iter().filter_map(|piece| match piece {
        QueryFragment::Session(value) => Some(value.r#type),
        _ => None,
    });
    let parameters = types.map_or(&[][..], |types| &types.parameters);
    let operand_types: Vec<Oid> = parameters.iter().copied().chain(session).collect();
    // Text that becomes another type when the statement runs may raise.
    let cast = || {
        operand_types
            .iter()
            .any(|oid| Scalar::from_oid(catalog, *oid).raises())
    };
    let met = query.compared.iter().chain(&operand_types).copied();
    query.can_raise || cast() || implicit_cast::raises(catalog, met, query.unifies_types)
}

/// The steps of a native query that writes: the role's settings, the required row, and the query,
/// whose rows are sent under `key`. One that returns no columns runs alone, and is sent as an empty
/// list.
pub fn plan_native_query_steps<'m>(
    access: &'m Access,
    named: NativeQuery<'m>,
    row: Node,
    key: &str,
    required: Option<&Required>,
    options: Options,
) -> Result<Vec<Step<'m>>, Denied> {
    let mut builder = Builder::new(access, options);
    let mut steps = Vec::new();
    steps.extend(builder.settings());
    if let Some(required) = required {
        steps.push(builder.precondition(required)?);
    }
    let number = named.alias.ok_or(Denied)?;
    let key = Key::new(key);
    let step = if named.columns.is_empty() {
        Step::new(format!("{{{}[]", key.as_str()), "$".into())
    } else {
        let columns = named
            .columns
            .iter()
            .cloned()
            .zip(named.outputs.iter().map(|output| output.cast));
        let output = vec![Expression::Gathered(number, columns.collect())];
        let node = Some(Node::List(Box::new(row)));
        Step {
            output,
            node,
            ..Step::new(format!("{{{}", key.as_str()), "$".into())
        }
    };
    steps.push(Step {
        parts: vec![Cte {
            number,
            kind: PartKind::Named(Box::new(named)),
        }],
        ..step
    });
    Ok(steps)
}

impl<'m> Builder<'m> {
    fn opened(&mut self, table: TableId, raises: bool) -> Result<ScannedTable<'m>, Denied> {
        if !self.access().may_list_rows(table) {
            return Err(Denied);
        }
        let scan = self.open(table, Purpose::Root(RootKind::List))?;
        let all = scan.table().column_ids();
        let columns: Vec<_> = all
            .filter_map(|(id, column)| Some((scan.column(id).ok()?, &*column.name)))
            .collect();
        let fenced =
            scan.filters_rows() && (raises || columns.iter().any(|(column, _)| column.raises()));
        Ok(ScannedTable {
            scan,
            columns,
            fenced,
        })
    }
}
