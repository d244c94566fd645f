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
use crate::model::DefaultExposure;
use crate::model::access::Access;
use crate::resolve::Operation;
use crate::schema::Schema;

mod cached_directive;
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
    /// Whether the dialect has the directive `@cached`.
    has_cached: bool,
}

/// Builds the introspection schema of a role.
///
/// Errors: [`Cause::Introspection`] when names of the model are not valid in a GraphQL schema.
pub fn build(access: &Access) -> Result<IntrospectionSchema, Error> {
    let reachable = reachable_types::walk(Schema::new(access));
    let has_cached = access.model().offer() == DefaultExposure::AsHasura;
    let hooks = Hooks { most: LEAST_FIELDS + FIELDS_PER_ELEMENT * reachable.elements, has_cached };
    let schema = reachable.builder.extension(hooks).finish().map_err(|error| refused(error.to_string()))?;
    Ok(IntrospectionSchema { schema, elements: reachable.elements, has_cached })
}

impl IntrospectionSchema {
    /// Prints the schema in the schema definition language.
    pub fn sdl(&self) -> String {
        let mut sdl = self.schema.sdl_with_options(SDLExportOptions::new().use_space_ident());
        if self.has_cached {
            sdl.push('\n');
            sdl.push_str(&cached_directive::sdl());
        }
        sdl
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

/// Limits the fields of one response, since nested lists of types multiply, and adds the directive `@cached`.
struct Hooks {
    most: usize,
    has_cached: bool,
}

/// The hooks of one request, with its count of fields.
struct RequestHooks {
    most: usize,
    has_cached: bool,
    fields: AtomicUsize,
}

impl ExtensionFactory for Hooks {
    fn create(&self) -> Arc<dyn Extension> {
        let Hooks { most, has_cached } = *self;
        Arc::new(RequestHooks { most, has_cached, fields: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Extension for RequestHooks {
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
        if !self.has_cached || info.parent_type != "__Schema" || info.name != "directives" {
            return next.run(ctx, info).await;
        }
        let field = info.field;
        let mut directives = next.run(ctx, info).await?;
        if let Some(Value::List(directives)) = &mut directives {
            directives.push(cached_directive::select(&field.selection_set.node));
        }
        Ok(directives)
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
