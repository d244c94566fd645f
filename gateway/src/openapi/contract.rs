//! What an endpoint takes and answers, for one role: for every way in which somebody is told of it beforehand.

use serde_json::{Value, json};
use sql::access::Access;
use sql::json_schema::{Schemas, Variable};
use sql::resolve::{Coercion, Operation};

use crate::rest::{Endpoint, Work};

/// What an endpoint takes and answers.
#[derive(Debug)]
pub struct Contract {
    /// What it takes, in order.
    pub variables: Vec<Variable>,
    /// What its answers are like.
    pub answer: Value,
}

impl Contract {
    /// The contract of an endpoint that a role may ask.
    ///
    /// Errors: none that the map's own check would not have found; they are faults of ours.
    pub fn of(
        schemas: &mut Schemas<'_>,
        access: &Access,
        coercion: Coercion,
        endpoint: &Endpoint,
    ) -> Result<Contract, sql::Error> {
        let Work::Operation { document, name, .. } = endpoint.work();
        let operation = Operation::validate_as(access, document.clone(), name.as_deref(), coercion)?;
        let mut variables = schemas.variables(&operation)?;
        for variable in &mut variables {
            let known = endpoint.parameters.iter().find(|parameter| parameter.name == variable.name);
            variable.required |= known.is_some_and(|parameter| parameter.required);
        }
        // The row that has to be visible may be asked for beside the document's variables.
        let beside = endpoint.parameters.iter().filter(|known| variables.iter().all(|v| v.name != known.name));
        let beside: Vec<Variable> = beside
            .map(|known| Variable {
                name: known.name.clone(),
                schema: json!({"type": "string"}),
                required: known.required,
            })
            .collect();
        variables.extend(beside);
        let mut answer = schemas.answer(&operation)?;
        if let Some(single) = &endpoint.single {
            answer = answer["properties"][single].take();
        }
        Ok(Contract { variables, answer })
    }
}
