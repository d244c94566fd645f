//! Translates a native query for a role. [`Query::draft`] makes the text that Postgres infers types
//! from, [`Query::translate`] the statement that runs: a query if the SQL reads, a mutation if it
//! writes.

use std::sync::Arc;

use super::lower::settings_of_plans;
use super::translation::{RootField, Translation, TranslationKind};
use crate::encode::shape::{Field, Key, Node, ResponseShape, Shape};
use crate::graphql::variables::VariableFingerprint;
use crate::model::access::Access;
use crate::native_query::{Query, QueryFragment, RoleMismatch, Types, UntypedStatement};
use crate::plan::{self, PlanBody};
use crate::postgres::catalog::TableId;
use crate::render;
use crate::resolve::Options;
use crate::resolve::selection::Required;
use crate::statement::{Mutation, Parameter, RowLimits};

impl Query {
    /// Renders the statement for a role with untyped parameters: `SELECT "s"."id" FROM (SELECT …
    /// FROM t AS _0 WHERE rule) AS "s" WHERE "s"."x" = $1`. Columns that are not granted are left
    /// out of the subquery, so Postgres rejects a statement that names one.
    pub fn draft(
        &self,
        access: &Access,
        options: Options,
    ) -> Result<UntypedStatement, RoleMismatch> {
        let named = self.plan(access, None, options)?;
        let nothing = Shape {
            response: ResponseShape::Row(Vec::new()),
        };
        let (statement, pieces) = render::draft(access, &named, nothing);
        let location = |name: &String| {
            let is_it =
                |of: &Parameter| matches!(of, Parameter::Request(operand) if operand.name == *name);
            statement
                .parameters
                .iter()
                .position(is_it)
                .ok_or_else(|| RoleMismatch::UnusedParameter(name.clone()))
        };
        let places = self
            .parameters
            .iter()
            .map(location)
            .collect::<Result<_, _>>()?;
        Ok(UntypedStatement {
            places,
            text: statement.text,
            pieces,
        })
    }

    /// Renders the statement for a role over its tables alone, without the row rules and with null
    /// for every value.
    pub fn render_without_rules(
        &self,
        access: &Access,
        types: &Types,
        options: Options,
    ) -> Result<String, RoleMismatch> {
        Ok(render::bare(
            access,
            &self.plan(access, Some(types), options)?,
        ))
    }

    fn plan<'m>(
        &self,
        access: &'m Access,
        types: Option<&Types>,
        options: Options,
    ) -> Result<plan::NativeQuery<'m>, RoleMismatch> {
        plan::plan_native_query(access, self, types, options).map_err(|_| self.denied(access))
    }

    /// The error for the first table that is not granted.
    fn denied(&self, access: &Access) -> RoleMismatch {
        let name = |table: TableId| access.model().catalog().table(table).name.clone();
        let is_denied = |table: &TableId| access.select(*table).is_none();
        let tables = || {
            self.pieces.iter().filter_map(|piece| match piece {
                QueryFragment::Table(table) => Some(*table),
                _ => None,
            })
        };
        let required = self.requirement.as_ref().map(|row| row.table);
        match (
            tables().chain(required).find(is_denied),
            tables().find(|table| !access.may_list_rows(*table)),
        ) {
            (None, Some(unlisted)) => RoleMismatch::NotListable(name(unlisted)),
            (denied, _) => RoleMismatch::Denied(denied.map(name).unwrap_or_default()),
        }
    }

    /// Translates the statement for a role; the rows become a list under `key`.
    pub fn translate(
        &self,
        access: &Access,
        types: &Types,
        key: &str,
        options: Options,
    ) -> Result<Translation, RoleMismatch> {
        let named = self.plan(access, Some(types), options)?;
        let mut fields: Vec<Field> = Vec::new();
        for (name, output) in named.columns.iter().zip(&named.outputs) {
            let field = Field {
                key: Key::new(name),
                node: Node::Value(output.encoder.clone()),
            };
            if fields.iter().any(|known| known.key == field.key) {
                return Err(RoleMismatch::DuplicateColumn(name.clone()));
            }
            fields.push(field);
        }
        let required = self.requirement.as_ref().map(|row| {
            let catalog = access.model().catalog();
            let key = Parameter::Request(Arc::new(row.operand(catalog)));
            Required::new(catalog, row.table, row.column, key)
        });
        let row = Node::Object(fields);
        let word = options.cursors.assertion_token();
        let within = render::Bounded {
            max_response_bytes: options.answer_bytes,
            word,
        };
        let kind = match (self.writes, required) {
            (true, required) => {
                let steps = plan::plan_native_query_steps(
                    access,
                    named,
                    row,
                    key,
                    required.as_ref(),
                    options,
                );
                let steps = steps.map_err(|_| self.denied(access))?;
                let steps = steps
                    .iter()
                    .map(|step| render::step(access, step, word, options.answer_bytes));
                let steps = steps.collect();
                let settings = settings_of_plans(access);
                TranslationKind::Mutation(Box::new(Mutation {
                    steps,
                    row_by_row: Vec::new(),
                    row_limits: RowLimits::default(),
                    end: "}".into(),
                    settings,
                }))
            }
            (false, None) => {
                let shape = Shape {
                    response: ResponseShape::Rows {
                        key: Key::new(key),
                        row,
                    },
                };
                TranslationKind::Statement(Box::new(render::render(
                    access,
                    &PlanBody::Named(Box::new(named)),
                    shape,
                    within,
                )))
            }
            (false, Some(required)) => {
                let shape = Shape {
                    response: ResponseShape::Rows {
                        key: Key::new(key),
                        row,
                    },
                };
                let before = plan::precondition(access, &required, options)
                    .map_err(|_| self.denied(access))?;
                let body = PlanBody::Named(Box::new(named));
                let statement = render::after(access, &before, &body, shape, within);
                TranslationKind::Statement(Box::new(statement))
            }
        };
        let roots = vec![RootField {
            key: key.to_owned(),
            is_introspection: false,
        }];
        Ok(Translation::new(
            kind,
            roots,
            VariableFingerprint::default(),
        ))
    }
}
