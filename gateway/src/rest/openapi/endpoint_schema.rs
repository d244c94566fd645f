//! The JSON schemas of an endpoint's parameters and response for one role. OpenAPI and MCP
//! descriptions share them.

use std::collections::HashMap;

use serde_json::{Value, json};
use sql::introspection::json_schema::{Schemas, Variable};
use sql::model::access::Access;
use sql::postgres::catalog::Oid;
use sql::resolve::{Coercion, Operation};

use crate::rest::{Endpoint, EndpointKind, Parameter, ROWS, Statement};

/// The schemas of an endpoint.
#[derive(Debug)]
pub struct EndpointSchema {
    /// The parameters, in order.
    pub variables: Vec<Variable>,
    /// The schema of the response.
    pub response_value: Value,
}

/// The key of a schema's description.
pub(super) const DESCRIPTION: &str = "description";

impl EndpointSchema {
    /// The memory of a usual endpoint's schemas, which is reserved before they are made.
    pub const BYTES: usize = 16 << 10;

    /// The schemas of an endpoint that a role may call.
    ///
    /// Errors: only those that compiling the map should have found.
    pub fn new(
        schemas: &mut Schemas<'_>,
        access: &Access,
        coercion: Coercion,
        endpoint: &Endpoint,
    ) -> Result<EndpointSchema, sql::Error> {
        let mut schema_of_endpoint =
            EndpointSchema::undescribed(schemas, access, coercion, endpoint)?;
        for variable in &mut schema_of_endpoint.variables {
            let known = endpoint
                .parameters
                .iter()
                .find(|parameter| parameter.name == variable.name);
            if let (Some(text), Value::Object(schema)) = (
                known.and_then(|known| known.description.as_ref()),
                &mut variable.schema,
            ) {
                schema.insert(DESCRIPTION.into(), text.as_str().into());
            }
        }
        Ok(schema_of_endpoint)
    }

    fn undescribed(
        schemas: &mut Schemas<'_>,
        access: &Access,
        coercion: Coercion,
        endpoint: &Endpoint,
    ) -> Result<EndpointSchema, sql::Error> {
        let (document, name) = match endpoint.kind() {
            EndpointKind::Operation { document, name, .. } => (document, name),
            EndpointKind::Statement(statement) => {
                return Ok(EndpointSchema::from_statement(
                    schemas, access, endpoint, statement,
                ));
            }
        };
        let operation =
            Operation::validate_as(access, document.clone(), name.as_deref(), coercion)?;
        let mut variables = schemas.variables(&operation)?;
        for variable in &mut variables {
            let known = endpoint
                .parameters
                .iter()
                .find(|parameter| parameter.name == variable.name);
            variable.required |= known.is_some_and(|parameter| parameter.required);
        }
        // The key of the required row may be a parameter that the document does not declare.
        let key = key(access, endpoint);
        let beside = endpoint
            .parameters
            .iter()
            .filter(|known| variables.iter().all(|v| v.name != known.name));
        let beside: Vec<Variable> = beside
            .map(|known| Variable {
                name: known.name.clone(),
                schema: key.map_or_else(|| json!({}), |oid| schemas.parameter(oid, false)),
                required: known.required,
            })
            .collect();
        variables.extend(beside);
        let mut response = schemas.response(&operation)?;
        if let Some(single) = &endpoint.single {
            response = response["properties"][single].take();
        }
        Ok(EndpointSchema {
            variables,
            response_value: response,
        })
    }

    /// The schemas of a statement's endpoint: any of its columns may be null.
    fn from_statement(
        schemas: &Schemas<'_>,
        access: &Access,
        endpoint: &Endpoint,
        statement: &Statement,
    ) -> EndpointSchema {
        let types = statement
            .form(access.role(), access.is_backend())
            .map(|form| &form.types);
        let types = types.cloned().unwrap_or_default();
        let typed = statement.parameters().iter().zip(&types.parameters);
        let typed: HashMap<&str, u32> = typed.map(|(name, oid)| (name.as_str(), *oid)).collect();
        let key = key(access, endpoint);
        let variable = |known: &Parameter| {
            let oid = typed.get(known.name.as_str()).copied().or(key);
            let schema =
                oid.map_or_else(|| json!({}), |oid| schemas.parameter(oid, !known.required));
            Variable {
                name: known.name.clone(),
                schema,
                required: known.required,
            }
        };
        let variables = endpoint.parameters.iter().map(variable).collect();
        let rows = json!({"type": "array", "items": schemas.row(&types.columns)});
        let response = match &endpoint.single {
            Some(_) => rows,
            None => json!({
                "type": "object", "properties": {ROWS: rows}, "required": [ROWS], "additionalProperties": false,
            }),
        };
        EndpointSchema {
            variables,
            response_value: response,
        }
    }
}

/// The type of the required row's key.
fn key(access: &Access, endpoint: &Endpoint) -> Option<Oid> {
    let catalog = access.model().catalog();
    endpoint
        .requirement
        .as_ref()
        .map(|row| catalog.table(row.table).column(row.column).r#type)
}
