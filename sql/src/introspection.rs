//! Introspection: the schema that a role sees, as the response of `__schema` and `__type` and in
//! the schema definition language. [`json_schema`] and [`reference`] describe it in other ways.
//!
//! Everything is computed by walking [`crate::schema`], which [`crate::resolve`] validates with, so
//! introspection shows exactly the fields that requests may use. No schema is built: writers go
//! from element to element, and the caller decides how much they write at a time.
//!
//! ```text
//! Operation ─▶ IntrospectionSelection ─┐
//! Schema ─▶ TypeWalk ─▶ ReachableTypes ─┴▶ IntrospectionWriter ─▶ JSON
//! ```

use crate::error::{Cause, Error, RequestLimit};
use crate::model::access::Access;
use crate::schema::Schema;

mod sdl;
mod response_writer;
mod node;
mod type_shape;
mod reachable_types;
mod built_in;
mod descriptions;
mod mutation_descriptions;
mod selection;

pub(crate) use descriptions::SchemaDescriptions;
pub use reachable_types::{ReachableTypes, TypeWalk};
pub use response_writer::IntrospectionWriter;
pub use sdl::SdlWriter;
pub use selection::{IntrospectionSelection, SelectedField};

/// A role's schema in the schema definition language.
pub fn sdl(access: &Access) -> String {
    let schema = Schema::new(access);
    let types = ReachableTypes::new(schema);
    let mut out = String::new();
    let mut writer = SdlWriter::new(schema, &types);
    while writer.write(usize::MAX, &mut out) {}
    out
}

/// Fields of a response that each table, column and root field of the schema allows to a document
/// that is not [simple](IntrospectionSelection::is_simple). The usual document writes about 400 for
/// a table or a column.
const FIELDS_PER_NAME: usize = 1_000;

/// Fields of a response allowed for any schema, however small.
const LEAST_FIELDS: usize = 20_000;

/// The most fields that a response to a document which is not simple may have.
pub fn max_fields(schema: Schema<'_>) -> usize {
    let names = schema
        .tables()
        .map(|exposed| 1 + schema.columns(exposed.table).len())
        .sum::<usize>();
    LEAST_FIELDS + FIELDS_PER_NAME * (names + schema.model().roots().count())
}

/// Checks the fields of a response so far.
///
/// Errors: [`Cause::Limit`] with [`RequestLimit::IntrospectionFields`].
pub fn check_fields(fields: usize, most: usize) -> Result<(), Error> {
    if fields > most {
        Err(Cause::Limit {
            limit: RequestLimit::IntrospectionFields,
            value: most,
        }
        .under("$"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
pub mod json_schema;
pub mod reference;
