//! Builds the GraphQL schema that a role sees, and executes the root fields `__schema` and `__type` on it with
//! `async-graphql`.
//!
//! The schema is built by walking [`crate::schema`], which [`crate::resolve`] validates with, so introspection shows
//! exactly the fields that requests may use. `resolve` has validated the selections of introspection fields before they
//! arrive here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_graphql::async_trait::async_trait;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextResolve, ResolveInfo};
use async_graphql::{Request, SDLExportOptions, ServerError, ServerResult, Value, dynamic};

use crate::error::{Cause, Error, RequestLimit};
use crate::graphql::variables::Variables;
use crate::model::access::Access;
use crate::resolve::Operation;
use crate::schema::Schema;

mod reachable_types;
mod descriptions;
mod mutation_descriptions;
mod introspection_operation;

pub(crate) use descriptions::SchemaDescriptions;

/// A role's schema, built for introspection. Building it is expensive (every type is spelled out), so it is built on
/// demand and cached for a short time. Roles never share a schema.
#[derive(Debug)]
pub struct IntrospectionSchema {
    schema: dynamic::Schema,
    elements: usize,
}

/// Builds the introspection schema of a role.
///
/// Errors: [`Cause::Introspection`] when names of the model are not valid in a GraphQL schema.
pub fn build(access: &Access) -> Result<IntrospectionSchema, Error> {
    let reachable = reachable_types::walk(Schema::new(access));
    let limit = FieldLimit { most: LEAST_FIELDS + FIELDS_PER_ELEMENT * reachable.elements };
    let schema = reachable.builder.extension(limit).finish().map_err(|error| refused(error.to_string()))?;
    Ok(IntrospectionSchema { schema, elements: reachable.elements })
}

impl IntrospectionSchema {
    /// Prints the schema in the schema definition language.
    pub fn sdl(&self) -> String {
        self.schema.sdl_with_options(SDLExportOptions::new().use_space_ident())
    }

    /// Executes the root fields `__schema` and `__type` of an operation, which
    /// [`Translation::roots`](crate::Translation::roots) leaves to introspection. Returns response keys and JSON, in
    /// the order of the selection.
    ///
    /// Errors: [`Cause::Limit`] when the response would be many times the size of the whole schema.
    pub async fn answer(&self, operation: &Operation, variables: &Variables) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let Some(document) = introspection_operation::excerpt(operation, variables)? else { return Ok(Vec::new()) };
        let mut request = Request::new("");
        request.set_parsed_query(document);
        let response = self.schema.execute(request).await;
        if let Some(error) = response.errors.into_iter().next() {
            return Err(fault(error));
        }
        let Value::Object(fields) = response.data else { return Ok(Vec::new()) };
        let json = |value: &Value| serde_json::to_vec(value).map_err(|error| refused(error.to_string()));
        fields.iter().map(|(key, value)| Ok((key.to_string(), json(value)?))).collect()
    }

    /// The approximate memory of the schema in bytes, for the size limit of a cache.
    pub fn weight(&self) -> usize {
        self.elements * BYTES_PER_ELEMENT
    }
}

/// Memory of one type, field, argument or value, in bytes. Measured with a schema of 500 tables of 15 columns each.
const BYTES_PER_ELEMENT: usize = 1_000;

/// Fields of a response allowed for each element of the schema. The standard introspection query selects nine or ten,
/// at 160 bytes each.
const FIELDS_PER_ELEMENT: usize = 24;

/// Fields of a response allowed for any schema, however small.
const LEAST_FIELDS: usize = 20_000;

const TOO_MANY: &str = "too many fields in introspection";

/// Limits the fields of one response. Nested lists of types multiply.
struct FieldLimit {
    most: usize,
}

/// Counts the fields of one request.
struct FieldCounter {
    most: usize,
    fields: AtomicUsize,
}

impl ExtensionFactory for FieldLimit {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(FieldCounter { most: self.most, fields: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Extension for FieldCounter {
    async fn resolve(
        &self,
        ctx: &ExtensionContext<'_>,
        info: ResolveInfo<'_>,
        next: NextResolve<'_>,
    ) -> ServerResult<Option<Value>> {
        if self.fields.fetch_add(1, Ordering::Relaxed) >= self.most {
            let mut error = ServerError::new(TOO_MANY, None);
            error.source = Some(Arc::new(self.most));
            return Err(error);
        }
        next.run(ctx, info).await
    }
}

fn fault(error: ServerError) -> Error {
    match error.source.as_ref().and_then(|source| source.downcast_ref::<usize>()) {
        Some(most) => Cause::Limit { limit: RequestLimit::IntrospectionFields, value: *most }.under("$"),
        None => refused(error.message),
    }
}

fn refused(reason: String) -> Error {
    Cause::Introspection { reason }.under("$")
}

#[cfg(test)]
mod tests;
pub mod json_schema;
pub mod reference;
