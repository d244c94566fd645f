//! What an endpoint takes and answers, for one role: for every way in which somebody is told of it beforehand.

use std::collections::HashMap;

use serde_json::{Value, json};
use sql::introspection::json_schema::{Schemas, Variable};
use sql::model::access::Access;
use sql::postgres::catalog::Oid;
use sql::resolve::{Coercion, Operation};

use crate::rest::{Endpoint, EndpointKind, Parameter, ROWS, Statement};

/// What an endpoint takes and answers.
#[derive(Debug)]
pub struct EndpointSchema {
    /// What it takes, in order.
    pub variables: Vec<Variable>,
    /// What its answers are like.
    pub answer: Value,
}

/// What a schema says of itself.
pub(super) const DESCRIPTION: &str = "description";

impl EndpointSchema {
    /// The contract of an endpoint that a role may ask.
    ///
    /// Errors: none that the map's own check would not have found; they are faults of ours.
    pub fn of(
        schemas: &mut Schemas<'_>,
        access: &Access,
        coercion: Coercion,
        endpoint: &Endpoint,
    ) -> Result<EndpointSchema, sql::Error> {
        let mut contract = EndpointSchema::undescribed(schemas, access, coercion, endpoint)?;
        for variable in &mut contract.variables {
            let known = endpoint.parameters.iter().find(|parameter| parameter.name == variable.name);
            if let (Some(text), Value::Object(schema)) =
                (known.and_then(|known| known.description.as_ref()), &mut variable.schema)
            {
                schema.insert(DESCRIPTION.into(), text.as_str().into());
            }
        }
        Ok(contract)
    }

    fn undescribed(
        schemas: &mut Schemas<'_>,
        access: &Access,
        coercion: Coercion,
        endpoint: &Endpoint,
    ) -> Result<EndpointSchema, sql::Error> {
        let (document, name) = match endpoint.work() {
            EndpointKind::Operation { document, name, .. } => (document, name),
            EndpointKind::Statement(statement) => {
                return Ok(EndpointSchema::of_statement(schemas, access, endpoint, statement));
            }
        };
        let operation = Operation::validate_as(access, document.clone(), name.as_deref(), coercion)?;
        let mut variables = schemas.variables(&operation)?;
        for variable in &mut variables {
            let known = endpoint.parameters.iter().find(|parameter| parameter.name == variable.name);
            variable.required |= known.is_some_and(|parameter| parameter.required);
        }
        // The row that has to be visible may be asked for beside the document's variables.
        let key = key(access, endpoint);
        let beside = endpoint.parameters.iter().filter(|known| variables.iter().all(|v| v.name != known.name));
        let beside: Vec<Variable> = beside
            .map(|known| Variable {
                name: known.name.clone(),
                schema: key.map(|oid| schemas.parameter(oid, false)).unwrap_or_default(),
                required: known.required,
            })
            .collect();
        variables.extend(beside);
        let mut answer = schemas.answer(&operation)?;
        if let Some(single) = &endpoint.single {
            answer = answer["properties"][single].take();
        }
        Ok(EndpointSchema { variables, answer })
    }

    /// The same of an endpoint that holds SQL: any of its columns may be null.
    fn of_statement(
        schemas: &Schemas<'_>,
        access: &Access,
        endpoint: &Endpoint,
        statement: &Statement,
    ) -> EndpointSchema {
        let types = statement.form(access.role(), access.is_backend()).map(|form| &form.types);
        let types = types.cloned().unwrap_or_default();
        let typed = statement.parameters().iter().zip(&types.parameters);
        let typed: HashMap<&str, u32> = typed.map(|(name, oid)| (name.as_str(), *oid)).collect();
        let key = key(access, endpoint);
        let variable = |known: &Parameter| {
            let oid = typed.get(known.name.as_str()).copied().or(key);
            let schema = oid.map(|oid| schemas.parameter(oid, !known.required)).unwrap_or_default();
            Variable { name: known.name.clone(), schema, required: known.required }
        };
        let variables = endpoint.parameters.iter().map(variable).collect();
        let rows = json!({"type": "array", "items": schemas.row(&types.columns)});
        let answer = match &endpoint.single {
            Some(_) => rows,
            None => json!({
                "type": "object", "properties": {ROWS: rows}, "required": [ROWS], "additionalProperties": false,
            }),
        };
        EndpointSchema { variables, answer }
    }
}

/// The type of the key of the row that is required.
fn key(access: &Access, endpoint: &Endpoint) -> Option<Oid> {
    let catalog = access.model().catalog();
    endpoint.requirement.as_ref().map(|row| catalog.table(row.table).column(row.column).r#type)
}
