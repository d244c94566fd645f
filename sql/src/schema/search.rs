//! The input types of full-text searches, and of orders by rank: `fts_exp` and `t_fts_order_by`.

use super::*;
use crate::postgres::types::Class;

impl<'a> Schema<'a> {
    /// The fields of `fts_exp`.
    pub(super) fn search_fields(&self) -> Vec<InputField<'a>> {
        let string = TypeKey::BuiltIn(BuiltIn::String);
        let part = |name, r#type| InputField {
            name,
            r#type,
            meaning: InputMeaning::Part,
        };
        vec![
            part("query", TypeRef::required(string)),
            part("config", TypeRef::nullable(string)),
            part("mode", TypeRef::nullable(TypeKey::Enum(Enum::SearchMode))),
        ]
    }

    /// The columns of a table that can be searched.
    pub fn search_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let searched = |column: &(ColumnId, &str)| {
            let scalar = self.column_scalar(table, column.0);
            let text = scalar.family == Family::Text
                && self.model.table(table).column(column.0).deterministic;
            text || scalar.class == Class::Document
        };
        self.columns(table).into_iter().filter(searched).collect()
    }

    /// `_fts` of `t_order_by`, if the table has a column to search.
    pub(super) fn search_order(&self, table: TableId) -> Option<InputField<'a>> {
        let r#type = TypeRef::nullable(TypeKey::Input(InputObject::SearchOrder(table)));
        let field = InputField {
            name: "_fts",
            r#type,
            meaning: InputMeaning::SearchOrder,
        };
        (!self.search_columns(table).is_empty()).then_some(field)
    }

    /// The fields of `t_fts_order_by`.
    pub(super) fn search_order_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let column = TypeRef::required(TypeKey::Enum(Enum::SearchColumn(table)));
        let mut fields = vec![InputField {
            name: "column",
            r#type: column,
            meaning: InputMeaning::Part,
        }];
        fields.extend(self.search_fields());
        fields.push(path::order(self.spelling(table)));
        fields
    }

    /// The names of the text search configurations that are visible without their schema.
    pub fn search_configs(&self) -> Vec<&'a str> {
        self.catalog
            .searches
            .iter()
            .filter(|config| config.visible)
            .map(|config| config.name.as_str())
            .collect()
    }

    /// The text search configuration with that name, or the database's default; `None` if it does
    /// not exist.
    pub fn search_config(&self, name: Option<&str>) -> Option<(String, String)> {
        let mut configs = self.catalog.searches.iter();
        let found = match name {
            None => configs.next(),
            Some(name) => configs.find(|config| match name.split_once('.') {
                Some((schema, name)) => config.schema == schema && config.name == name,
                None => config.visible && config.name == name,
            }),
        };
        found.map(|config| (config.schema.clone(), config.name.clone()))
    }
}
