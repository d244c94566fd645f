//! The most rows that the lists of a query may have for a role, whatever the query asks for.

use async_graphql_parser::types::{Selection, SelectionSet};

use crate::error::Error;
use crate::graphql::document::Document;
use crate::model::access::{Access, Purpose};
use crate::schema::{Meaning, Object, Schema};

/// The least limit that grants set for the lists among the root fields of a valid query.
///
/// Errors: the document has no such operation.
pub fn granted_limit(
    access: &Access,
    document: &Document,
    name: Option<&str>,
) -> Result<Option<u64>, Error> {
    let schema = Schema::new(access);
    Ok(least(
        schema,
        document,
        &document.operation(name)?.node.selection_set.node,
    ))
}

fn least(schema: Schema<'_>, document: &Document, set: &SelectionSet) -> Option<u64> {
    let limits = set.items.iter().filter_map(|item| match &item.node {
        Selection::Field(field) => limit_of(schema, &field.node.name.node),
        Selection::InlineFragment(inline) => {
            least(schema, document, &inline.node.selection_set.node)
        }
        Selection::FragmentSpread(spread) => {
            let fragment = document.fragment(&spread.node.fragment_name.node)?;
            least(schema, document, &fragment.node.selection_set.node)
        }
    });
    limits.min()
}

fn limit_of(schema: Schema<'_>, field: &str) -> Option<u64> {
    let access = schema.access();
    let select = match schema.field(Object::Query, field)?.meaning {
        Meaning::Root(root) => access.read(root.table, Purpose::Root(root.kind)),
        Meaning::Routine(routine) => {
            let table = routine.callable.table()?;
            access.read(table, Purpose::Call(routine.callable.id))
        }
        _ => None,
    };
    select?.limit.map(u64::from)
}
