//! Validates JSON values of variables against the types of the schema. Inserts may have thousands
//! of rows, so the fields of a row are looked up once, and paths are only formatted for error
//! messages.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use serde_json::Value as Json;

use super::input::ErrorPath;
use crate::error::{ActualKind, Cause, Error, NameKind};
use crate::postgres::catalog::TableId;
use crate::postgres::types::Input;
use crate::postgres::value::found;
use crate::schema::{InputObject, Schema, TypeKey, TypeRef};

/// A cache of the fields of insert rows by table, stored with the variable's declaration: an
/// operation belongs to one role.
#[derive(Debug, Default)]
pub(super) struct InputConstraints {
    rows: RwLock<HashMap<TableId, Arc<Row>>>,
}

/// The fields of a row: the type of each key, and the accepted input if it is a scalar.
type Row = HashMap<String, (TypeRef, Option<Input>), RandomState>;

/// A path in a variable.
pub(super) enum ConstrainedPath<'a> {
    /// The variable with this name.
    Variable(&'a str),
    /// An argument of the field with this path.
    Argument(&'a str, &'a str),
    /// A key of an object.
    Key(&'a ConstrainedPath<'a>, &'a str),
    /// An item of a list.
    Item(&'a ConstrainedPath<'a>, usize),
}

impl ConstrainedPath<'_> {
    /// Formats the path.
    pub(super) fn at(&self) -> ErrorPath<'static> {
        match self {
            ConstrainedPath::Variable(name) => ErrorPath::Text {
                path: format!("$.variables.{name}").into(),
                name: (*name).to_owned().into(),
            },
            ConstrainedPath::Argument(field, name) => ErrorPath::Text {
                path: format!("{field}.args.{name}").into(),
                name: (*name).to_owned().into(),
            },
            ConstrainedPath::Key(before, name) => before.at().key(name).detached(),
            ConstrainedPath::Item(before, index) => before.at().item(*index).detached(),
        }
    }
}

impl InputConstraints {
    /// Rejects a JSON value that does not fit a type of the schema.
    pub(super) fn check(
        &self,
        schema: Schema<'_>,
        type_ref: TypeRef,
        value: &Json,
        path: &ConstrainedPath<'_>,
    ) -> Result<(), Error> {
        if value.is_null() {
            return if type_ref.required {
                Err(path.at().wrong_kind(schema.written(type_ref), found(value)))
            } else {
                Ok(())
            };
        }
        if type_ref.list {
            let item = TypeRef {
                list: false,
                required: !type_ref.sparse,
                ..type_ref
            };
            return match value {
                Json::Array(items) => {
                    let mut items = items.iter().enumerate();
                    items.try_for_each(|(i, value)| {
                        self.check(schema, item, value, &ConstrainedPath::Item(path, i))
                    })
                }
                single => self.check(schema, item, single, &ConstrainedPath::Item(path, 0)),
            };
        }
        self.single(schema, type_ref, value, path)
    }

    fn single(
        &self,
        schema: Schema<'_>,
        type_ref: TypeRef,
        value: &Json,
        path: &ConstrainedPath<'_>,
    ) -> Result<(), Error> {
        match (type_ref.named, value) {
            (
                TypeKey::Input(InputObject::Insert(table) | InputObject::InsertAs(table, _)),
                Json::Object(fields),
            ) => {
                let row = self.row(schema, table);
                fields
                    .iter()
                    .try_for_each(|(key, value)| match row.get(key) {
                        Some((place_type, Some(input))) if !value.is_null() => {
                            input.check(value).map_err(|found| {
                                unfit(schema, *place_type, found, &ConstrainedPath::Key(path, key))
                            })
                        }
                        Some((item_type, _)) => {
                            self.check(schema, *item_type, value, &ConstrainedPath::Key(path, key))
                        }
                        None => Err(unknown(schema, type_ref, key, path)),
                    })
            }
            (TypeKey::Input(input), Json::Object(fields)) => {
                fields.iter().try_for_each(|(key, value)| {
                    let field = schema
                        .input_field(input, key)
                        .ok_or_else(|| unknown(schema, type_ref, key, path))?;
                    self.check(
                        schema,
                        field.r#type,
                        value,
                        &ConstrainedPath::Key(path, key),
                    )
                })?;
                match schema
                    .missing(input, |name| fields.contains_key(name))
                    .first()
                {
                    Some(name) => Err(path.at().error(Cause::Missing {
                        kind: NameKind::Field,
                        name: (*name).to_owned(),
                    })),
                    None => Ok(()),
                }
            }
            (TypeKey::Enum(named), Json::String(name)) => {
                let values = schema.values(named);
                let unknown = |at: ErrorPath| {
                    at.error(at.unknown_value(schema.name(type_ref.named), name, &values))
                };
                if values.contains(&name.as_str()) {
                    Ok(())
                } else {
                    Err(unknown(path.at()))
                }
            }
            (named, value) => match schema.scalar_input(named) {
                Some(input) => input
                    .check(value)
                    .map_err(|found| unfit(schema, type_ref, found, path)),
                None => Err(path.at().wrong_kind(schema.name(named), found(value))),
            },
        }
    }

    /// The fields of a table's insert rows.
    fn row(&self, schema: Schema<'_>, table: TableId) -> Arc<Row> {
        if let Some(row) = self
            .rows
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&table)
        {
            return row.clone();
        }
        let fields = schema.input_fields(InputObject::Insert(table)).into_iter();
        let is_scalar = |type_ref: TypeRef| {
            !type_ref.list && matches!(type_ref.named, TypeKey::Scalar(_) | TypeKey::BuiltIn(_))
        };
        let input = |place_type: TypeRef| {
            schema
                .scalar_input(place_type.named)
                .filter(|_| is_scalar(place_type))
        };
        let row: Row = fields
            .map(|field| (field.name.to_owned(), (field.r#type, input(field.r#type))))
            .collect();
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        rows.entry(table).or_insert_with(|| Arc::new(row)).clone()
    }
}

fn unknown(schema: Schema<'_>, type_ref: TypeRef, key: &str, path: &ConstrainedPath<'_>) -> Error {
    let on = schema.name(type_ref.named);
    ConstrainedPath::Key(path, key)
        .at()
        .error(Cause::UnknownInputField {
            field: key.to_owned(),
            on,
        })
}

fn unfit(
    schema: Schema<'_>,
    type_ref: TypeRef,
    found: ActualKind,
    path: &ConstrainedPath<'_>,
) -> Error {
    path.at().wrong_kind(schema.name(type_ref.named), found)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use crate::model::names::Convention;
    use crate::testing::{admin, validate};

    #[test]
    fn rows_in_variables_are_checked_against_their_type() {
        let access = admin(Convention::Snake);
        let document = "mutation ($rows: [authors_insert_input!]!) { insert_authors(objects: \
                        $rows) { affected_rows } }";
        let operation = validate(&access, document).unwrap();
        let coerce_error = |rows| {
            let values = Map::from_iter([("rows".to_owned(), rows)]);
            operation
                .coerce(&access, &values)
                .err()
                .map(|error| (error.path.clone(), error.to_string()))
        };
        let fine = json!([{"id": 1, "name": null}, {"articles": {"data": {"title": "x", "tags": ["a"]}}}, {}]);
        assert_eq!(coerce_error(fine), None);
        let wrong = |path: &str, message: &str| {
            Some((format!("$.variables.rows{path}"), message.to_owned()))
        };
        assert_eq!(
            coerce_error(json!([{"id": 1}, {"nothing": 1}])),
            wrong(
                "[1].nothing",
                "field 'nothing' not found in type: 'authors_insert_input'"
            )
        );
        assert_eq!(
            coerce_error(json!({"id": "x"})),
            wrong("[0].id", "expected type 'Int' for 'id', found a string")
        );
        assert_eq!(
            coerce_error(json!([{"articles": {"data": [{}, {"title": 1}]}}])),
            wrong(
                "[0].articles.data[1].title",
                "expected type 'String' for 'title', found an integer"
            )
        );
        assert_eq!(
            coerce_error(json!([{"articles": {}}])),
            wrong("[0].articles", "missing required field 'data'")
        );
        assert_eq!(
            coerce_error(json!([{"articles": {"data": null}}])),
            wrong(
                "[0].articles.data",
                "expected type '[articles_insert_input!]!' for 'data', found null"
            )
        );
    }
}
