//! The settings of a role, set by a statement of its own before the statement that reads, in one
//! transaction. So policies of row-level security read them with `current_setting`, and they end
//! with that transaction:
//!
//! ```sql
//! SELECT set_config('role', $1::text, true), set_config('app.user_id', $2::text, true)
//! ```

use super::{Literal, Parameter, SessionValues, Statement, ValueBudget};
use crate::error::Error;
use crate::graphql::variables::Variables;
use crate::model::access::Setting;

/// The statement that sets the settings of a role for a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsStatement {
    /// The SQL text.
    pub text: String,
    /// The values of `$1`, `$2` and so on.
    pub parameters: Vec<Parameter>,
}

/// The statement that sets the settings, with the values of one caller.
#[derive(Clone, Copy, Debug)]
pub struct BoundSettings<'s> {
    /// The SQL text.
    pub text: &'s str,
    /// The values of `$1`, `$2` and so on.
    pub parameters: &'s [Option<String>],
}

impl SettingsStatement {
    /// Binds the parameters and returns their text forms in order.
    pub fn bind(
        &self,
        caller: &dyn SessionValues,
        budget: &mut ValueBudget,
    ) -> Result<Vec<Option<String>>, Error> {
        let mut resolved = super::ResolvedRows::within(*budget);
        super::bind(
            &self.parameters,
            &Variables::default(),
            caller,
            budget,
            &mut resolved,
        )
    }

    /// The statement with the values that [`SettingsStatement::bind`] returns.
    pub fn with<'s>(&'s self, parameters: &'s [Option<String>]) -> BoundSettings<'s> {
        BoundSettings {
            text: &self.text,
            parameters,
        }
    }
}

impl Statement {
    /// Divides the parameters that [`Statement::bind`] returns into those of the statement and the
    /// settings before it.
    pub fn divide<'s>(
        &'s self,
        bound: &'s [Option<String>],
    ) -> (&'s [Option<String>], Option<BoundSettings<'s>>) {
        let Some(settings) = &self.settings else {
            return (bound, None);
        };
        let (own, parameters) =
            bound.split_at(bound.len().saturating_sub(settings.parameters.len()));
        (own, Some(settings.with(parameters)))
    }
}

impl Setting {
    /// The parameter with the value of the setting.
    pub(crate) fn parameter(&self) -> Parameter {
        match self {
            Setting::Value(name) => Parameter::SessionText(name.clone()),
            Setting::Session => Parameter::WholeSession,
            Setting::TraceContext => Parameter::TraceContext,
            Setting::Claims => Parameter::Claims,
            Setting::TokenClaims { database_role } => Parameter::TokenClaims {
                database_role: database_role.clone(),
            },
            Setting::Text(text) => Parameter::Constant(Literal {
                text: text.clone(),
                given: None,
            }),
        }
    }
}
