//! The GraphQL schema that a role is shown, and the answers to `__schema` and `__type`.
//!
//! It is made by walking [`crate::schema`], which [`crate::resolve`] asks too, so what is shown is what is accepted.
//! `resolve` has judged what an introspection field selects; here it is answered, by `async-graphql`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_graphql::async_trait::async_trait;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextResolve, ResolveInfo};
use async_graphql::{Request, SDLExportOptions, ServerError, ServerResult, Value, dynamic};

use crate::error::{Cause, Error};
use crate::graphql::variables::Variables;
use crate::model::access::Access;
use crate::resolve::Operation;
use crate::schema::Schema;

mod reachable_types;
mod descriptions;
mod mutation_descriptions;
mod introspection_operation;

pub(crate) use descriptions::SchemaDescriptions;

/// A role's schema, built to be shown. It is expensive (every type is spelled out), so it is built when asked for
/// and dropped soon. Two roles never share one.
#[derive(Debug)]
pub struct IntrospectionSchema {
    schema: dynamic::Schema,
    elements: usize,
}

/// Builds the schema that a role is shown.
///
/// Errors: [`Cause::Introspection`] when the model's names are not those of a GraphQL schema.
pub fn build(access: &Access) -> Result<IntrospectionSchema, Error> {
    let walked = reachable_types::walk(Schema::new(access));
    let bound = Bound { most: LEAST_FIELDS + FIELDS_PER_ELEMENT * walked.elements };
    let schema = walked.builder.extension(bound).finish().map_err(|error| refused(error.to_string()))?;
    Ok(IntrospectionSchema { schema, elements: walked.elements })
}

impl IntrospectionSchema {
    /// The schema as a document.
    pub fn sdl(&self) -> String {
        self.schema.sdl_with_options(SDLExportOptions::new().use_space_ident())
    }

    /// Answers the root fields `__schema` and `__type` of an operation, in the order of the selection, as response
    /// key and JSON: those that [`Translation::roots`](crate::Translation::roots) leaves to introspection.
    ///
    /// Errors: [`Cause::Limit`] when the answer would be many times the whole schema.
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

    /// Roughly how many bytes it holds, for the bound of a cache.
    pub fn weight(&self) -> usize {
        self.elements * BYTES_PER_ELEMENT
    }
}

/// Measured: a schema of 500 tables with 15 columns each takes about this much for each type, field, argument and
/// value.
const BYTES_PER_ELEMENT: usize = 1_000;

/// The usual introspection query asks for nine or ten fields of each element of the schema, at 160 bytes each.
const FIELDS_PER_ELEMENT: usize = 24;

/// What a small schema may be asked all the same.
const LEAST_FIELDS: usize = 20_000;

const TOO_MANY: &str = "too many fields in introspection";

/// Bounds how many fields one answer may have. Lists of types inside lists of types multiply.
struct Bound {
    most: usize,
}

/// What one request has left.
struct Left {
    most: usize,
    fields: AtomicUsize,
}

impl ExtensionFactory for Bound {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Left { most: self.most, fields: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Extension for Left {
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
        Some(most) => Cause::Limit { limit: "fields in an answer to introspection", value: *most }.under("$"),
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
