//! Mails by a SQL function of the customer, which gets each mail as JSON: it may put it into a
//! table of another program, or call an extension.

use pg::{Completion, Database, DatabaseError};
use sql::postgres::types::quoted;
use tokio::time::Instant;
use tokio_postgres::Client;

use super::mail_error::MailError;

/// The type of the parameter: `json` or `jsonb`; `other` if no function of the name can be called
/// with one argument of these types, and `none` if there is no function.
const PARAMETER: &str = "
SELECT coalesce(
         max(CASE WHEN p.prokind = 'f' AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
             THEN CASE p.proargtypes[0]
                  WHEN 'json'::regtype THEN 'json' WHEN 'jsonb'::regtype THEN 'jsonb' END END),
         CASE count(*) WHEN 0 THEN 'none' ELSE 'other' END)
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = $1::text AND p.proname = $2::text";

/// A function with one parameter of type `json` or `jsonb`.
#[derive(Debug)]
pub(super) struct MailFunction {
    schema: String,
    name: String,
}

impl MailFunction {
    /// Reads `schema.name`; without a schema it is `public`, as for events.
    pub(super) fn new(text: &str) -> MailFunction {
        let (schema, name) = text.split_once('.').unwrap_or(("public", text));
        MailFunction {
            schema: schema.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Whether the database has the function, with one parameter of type `json` or `jsonb`.
    pub(super) async fn check(&self, client: &Client) -> Result<(), String> {
        let row = client
            .query_one(PARAMETER, &[&self.schema, &self.name])
            .await
            .map_err(|error| error.to_string())?;
        self.statement(row.get(0)).map(drop)
    }

    /// Calls the function in a transaction of its own. The type is asked for each time, because the
    /// function may be replaced by one of the other type.
    pub(super) async fn call(
        &self,
        database: &Database,
        mail: String,
        deadline: Instant,
    ) -> Result<(), MailError> {
        let names = [Some(self.schema.clone()), Some(self.name.clone())];
        let parameter = database
            .query_scalar(PARAMETER, &names, deadline)
            .await
            .map_err(|error| MailError::Retry(describe(&error)))?;
        let statement = self.statement(&parameter).map_err(MailError::Retry)?;
        let parameters = [vec![Some(mail)]];
        database
            .write(&[&statement], &parameters, Completion::Commit, deadline)
            .await
            .map(drop)
            .map_err(|failed| MailError::Retry(describe(&failed.fault)))
    }

    /// The statement that calls the function, by the result of `PARAMETER`.
    fn statement(&self, parameter: &str) -> Result<String, String> {
        let MailFunction { schema, name } = self;
        match parameter {
            "json" | "jsonb" => Ok(format!(
                "SELECT {}.{}($1::{parameter})::text",
                quoted(schema),
                quoted(name)
            )),
            "none" => Err(format!("the database has no function `{schema}.{name}`")),
            _ => Err(format!(
                "the function `{schema}.{name}` has to take one argument, of type `json` or `jsonb`"
            )),
        }
    }
}

/// The error without Postgres' message, which may repeat the mail.
fn describe(error: &DatabaseError) -> String {
    match error {
        DatabaseError::Refused(refusal) => {
            format!("the function failed with SQLSTATE {}", refusal.sqlstate)
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_the_type_is_that_of_the_function() {
        let function = MailFunction::new("ma\"il.send");
        assert_eq!(
            function.statement("jsonb").unwrap(),
            "SELECT \"ma\"\"il\".\"send\"($1::jsonb)::text"
        );
        let function = MailFunction::new("send");
        assert_eq!(
            function.statement("json").unwrap(),
            "SELECT \"public\".\"send\"($1::json)::text"
        );
        for parameter in ["none", "other"] {
            let error = function.statement(parameter).unwrap_err();
            assert!(error.contains("`public.send`"), "{error}");
        }
    }
}
