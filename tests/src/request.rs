//! Runs a request through the translation engine without a gateway, from the text of the document
//! to the JSON of the response.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sql::graphql::document;
use sql::graphql::document::Limits;
use sql::graphql::variables::Variables;
use sql::model::access::Access;
use sql::resolve::{Operation, Options};
use sql::statement::{
    BoundSettings, Estimate, Mutation, SessionValues, Statement, Step, ValueBudget,
};
use sql::{Requirement, Translation, TranslationKind};
use tokio_postgres::Client;

use crate::wire;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The document.
    pub document: String,
    /// `operationName`
    pub operation: Option<String>,
    /// `variables`
    pub variables: Map<String, Json>,
    /// The session values of the caller.
    pub session: BTreeMap<String, String>,
    /// The options of the translation.
    pub options: Options,
    /// The table of a required row, which has to be visible to the caller, and the variable that
    /// contains its key.
    pub requires: Option<(String, String)>,
}

/// A step of a mutation with the parameters of one of its runs.
pub type BoundStep<'m> = (&'m Step, Vec<Option<String>>);

/// A translated request and its variables.
#[derive(Debug)]
pub struct Translated {
    /// The translation.
    pub translation: Translation,
    /// The variables, coerced.
    pub variables: Variables,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request is invalid.
    #[error(transparent)]
    Request(#[from] sql::Error),
    /// It used something that is not granted, and only the planner noticed.
    #[error("not granted, and only the plan noticed")]
    Denied,
    /// The statement failed.
    #[error(transparent)]
    Wire(#[from] wire::Error),
}

impl From<sql::TranslateError> for Failure {
    fn from(failure: sql::TranslateError) -> Failure {
        match failure {
            sql::TranslateError::Request(error) => Failure::Request(error),
            sql::TranslateError::Denied(_) => Failure::Denied,
        }
    }
}

impl Request {
    /// A request with this document and nothing else.
    pub fn new(document: impl Into<String>) -> Request {
        Request {
            document: document.into(),
            ..Request::default()
        }
    }

    /// Adds a session value.
    pub fn session(mut self, name: &str, value: impl Into<String>) -> Request {
        self.session.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the variables, a JSON object.
    pub fn variables(mut self, variables: Json) -> Request {
        self.variables = if let Json::Object(variables) = variables {
            variables
        } else {
            Map::new()
        };
        self
    }

    /// Translates it for a role.
    pub fn translate(&self, access: &Access) -> Result<Translated, Failure> {
        let document = Arc::new(document::parse(&self.document, &Limits::default())?);
        let operation = Operation::validate_as(
            access,
            document,
            self.operation.as_deref(),
            self.options.coercion,
        )?;
        let operation = self.required(access, operation);
        let variables = operation.coerce(access, &self.variables)?;
        let translation = sql::translate(access, &operation, &variables, self.options)?;
        Ok(Translated {
            translation,
            variables,
        })
    }

    /// Adds the required row to the operation; a table that cannot be required is ignored.
    fn required(&self, access: &Access, operation: Operation) -> Operation {
        let catalog = access.model().catalog();
        let row = self.requires.as_ref().and_then(|(table, parameter)| {
            Requirement::new(catalog, catalog.find_written(table)?, parameter)
        });
        match row {
            Some(row) => operation.requiring(access, Arc::new(row)),
            None => operation,
        }
    }

    /// Runs it for a role and returns the text of a JSON object.
    pub async fn answer(&self, client: &Client, access: &Access) -> Result<String, Failure> {
        let translated = self.translate(access)?;
        match &translated.translation.kind {
            TranslationKind::Constant(shape) => Ok(wire::constant(shape)?),
            // Golden cases declare no actions.
            TranslationKind::Composite(operation) => unreachable!("{operation:?}"),
            TranslationKind::Mutation(mutation) => {
                wire::rehearse(client, async |client| {
                    self.steps(client, mutation, &translated.variables).await
                })
                .await
            }
            TranslationKind::Statement(statement) => {
                let mut parameters = self.bind(statement, &translated.variables)?;
                for question in &statement.estimates {
                    let given =
                        question.bind(&translated.variables, self, &mut ValueBudget::default())?;
                    parameters[question.index] =
                        Estimate::read(&wire::value(client, &question.text, &given).await?);
                }
                let (own, settings) = statement.divide(&parameters);
                let Some(BoundSettings { text, parameters }) = settings else {
                    return self.read(client, statement, own).await;
                };
                // The settings hold for one transaction.
                wire::rehearse(client, async |client| {
                    wire::value(client, text, parameters).await?;
                    self.read(client, statement, own).await
                })
                .await
            }
        }
    }

    async fn read(
        &self,
        client: &Client,
        statement: &Statement,
        parameters: &[Option<String>],
    ) -> Result<String, Failure> {
        let response = wire::answer(client, &statement.text, parameters, &statement.shape).await;
        response.map_err(|error| raised(statement, error))
    }

    /// Runs the statements of a mutation. An error raised by the statement on purpose (an alarm) is
    /// mapped to its cause.
    pub async fn steps(
        &self,
        client: &Client,
        mutation: &Mutation,
        variables: &Variables,
    ) -> Result<String, Failure> {
        let mut text = String::new();
        for (step, parameters) in self.runs(mutation, variables)? {
            let statement = &step.statement;
            let part = wire::answer(client, &statement.text, &parameters, &statement.shape).await;
            let part = part.map_err(|error| raised(statement, error))?;
            text.push_str(&step.lead);
            text.push_str(&part);
        }
        Ok(text + &mutation.end)
    }

    /// The steps of a mutation, each as often as it runs, with the parameters of the run.
    pub fn runs<'m>(
        &self,
        mutation: &'m Mutation,
        variables: &Variables,
    ) -> Result<Vec<BoundStep<'m>>, Failure> {
        let bound = mutation.bind(variables, self, &mut ValueBudget::default())?;
        let steps = mutation
            .runs(variables)?
            .into_iter()
            .map(|run| &mutation.steps[run.step]);
        Ok(steps.zip(bound).collect())
    }

    /// The parameters of its statement.
    pub fn bind(
        &self,
        statement: &Statement,
        variables: &Variables,
    ) -> Result<Vec<Option<String>>, Failure> {
        Ok(statement.bind(variables, self, &mut ValueBudget::default())?)
    }
}

/// Maps an error raised by the statement on purpose (an alarm) to its cause.
fn raised(statement: &Statement, error: wire::Error) -> Failure {
    match statement.alarm(&error.to_string()) {
        Some(alarm) => Failure::Request(alarm.cause.clone().under(alarm.path.clone())),
        None => error.into(),
    }
}

impl SessionValues for Request {
    fn value(&self, name: &str) -> Option<&str> {
        self.session.get(name).map(String::as_str)
    }

    fn json(&self) -> String {
        let named = |(name, value): (&String, &String)| {
            (
                format!("x-gateway-{}", name.replace('_', "-")),
                value.clone(),
            )
        };
        Json::from_iter(self.session.iter().map(named)).to_string()
    }

    fn claims(&self) -> String {
        Json::from_iter(self.session.clone()).to_string()
    }

    fn token_claims(&self, _database_role: Option<&str>) -> Option<String> {
        Some(self.claims())
    }
}
