//! Resolves `_fts`: full-text search conditions, and orders by rank. The query becomes a parameter;
//! its mode and configuration determine the SQL text.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use super::path::part;
use crate::error::Error;
use crate::model::operators::Mode;
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Filter, Order, OrderBy, Search, Term};
use crate::schema::{Comparison, Enum, InputObject, TypeKey};
use crate::statement::{OperandRequirement, Parameter};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves `{query: "…", config: "english", mode: PLAIN}`.
    pub(super) fn search_condition(
        &self,
        term: &Term,
        comparison: Comparison,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::Search(comparison);
        let input_value =
            self.decisive(input_value, &self.schema.name(TypeKey::Input(input)), at)?;
        let entries = self.entries(&self.object_of(&input_value, input, at)?, at)?;
        self.only_known(input, &entries, at)?;
        Ok(Filter::Search(Box::new(self.search(
            term.clone(),
            &entries,
            at,
        )?)))
    }

    fn search(
        &self,
        term: Term,
        entries: &[(&'a str, InputValue<'a>)],
        at: &ErrorPath,
    ) -> Result<Search, Error> {
        let mode = match self.optional(entries, "mode") {
            None => Mode::default(),
            Some(input_value) => {
                let at = at.key("mode");
                let name = self.enum_value(&input_value, &at, "fts_mode")?;
                let values = self.schema.values(Enum::SearchMode);
                Mode::find(name)
                    .ok_or_else(|| at.error(at.unknown_value("fts_mode".into(), name, &values)))?
            }
        };
        let config = match self.optional(entries, "config") {
            None => self.schema.search_config(None),
            Some(input_value) => {
                let at = at.key("config");
                let name = self.text(&input_value, &at)?;
                let configs: Vec<&str> = self.schema.search_configs();
                let unknown = || at.error(at.unknown_value("regconfig".into(), name, &configs));
                Some(self.schema.search_config(Some(name)).ok_or_else(unknown)?)
            }
        };
        let query = self.bind(
            part(entries, "query", at)?,
            OperandRequirement::Search(mode),
            "String!".into(),
            &at.key("query"),
        )?;
        let query = Parameter::Pattern(query.into());
        Ok(Search {
            term: Box::new(term),
            config,
            mode,
            query,
        })
    }

    /// An optional value that determines the SQL text; `None` if it is absent or null.
    fn optional(
        &self,
        entries: &[(&'a str, InputValue<'a>)],
        name: &str,
    ) -> Option<InputValue<'a>> {
        let (_, input_value) = entries.iter().find(|(key, _)| *key == name)?;
        if let InputValue::Variable(_, path) = input_value {
            self.structure.borrow_mut().read_whole_at(path);
        }
        self.read(input_value, VariableUse::Whole)
            .filter(|input_value| !input_value.is_null())
    }

    /// Resolves `{column: body, query: "…", order: desc}`.
    pub(super) fn search_order(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        wrap: &dyn Fn(OrderBy<'m>) -> OrderBy<'m>,
    ) -> Result<Order<'m>, Error> {
        let input = InputObject::SearchOrder(table);
        let entries = self.entries(&self.object_of(input_value, input, at)?, at)?;
        self.only_known(input, &entries, at)?;
        let column = self.column_of(
            Enum::SearchColumn(table),
            &self.schema.search_columns(table),
            &entries,
            at,
        )?;
        let search = self.search(Term::Column(column), &entries, at)?;
        let direction = self.direction_of(table, &entries, at)?;
        Ok(Order {
            by: wrap(OrderBy::Value(Term::Rank(Box::new(search)))),
            direction,
        })
    }
}
