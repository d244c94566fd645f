//! Which members of input objects may be null. In GraphQL every member that may be absent may be
//! null by its type, as in Hasura's schema, but conditions refuse null, which would be "no
//! condition", and so do columns that are `NOT NULL`. The descriptions say what the resolver does.

use crate::model::access::Access;
use crate::model::update_operators::UpdateOperator;
use crate::plan::Event;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::schema::{InputField, InputMeaning, InputObject};

/// Whether a member of an input object may be null.
pub(super) fn takes_null(access: &Access, input: InputObject, field: &InputField<'_>) -> bool {
    if field.r#type.required {
        return false;
    }
    match input {
        InputObject::BoolExp(_)
        | InputObject::ArrayBoolExp(_)
        | InputObject::AggregateBoolExp(_)
        | InputObject::GroupHaving(_)
        | InputObject::Comparison(_)
        | InputObject::Cast(..)
        | InputObject::Path(_) => false,
        InputObject::Operand(..) => match field.meaning {
            InputMeaning::Operand(operand) => operand.default.is_some(),
            _ => true,
        },
        InputObject::Insert(table) | InputObject::InsertAs(table, _) => match field.meaning {
            // A trigger may put a value in place of null.
            InputMeaning::Column(column) => {
                is_nullable(access, table, column)
                    || Event::Insert.changes(access.model().table(table))
            }
            _ => true,
        },
        InputObject::Assign(table, UpdateOperator::Set) => match field.meaning {
            InputMeaning::Column(column) => is_nullable(access, table, column),
            _ => true,
        },
        InputObject::Assign(..) => false,
        InputObject::OrderBy(_)
        | InputObject::AggregateOrderBy(_)
        | InputObject::FunctionOrderBy(..)
        | InputObject::Measured(..)
        | InputObject::MeasuredPair(..)
        | InputObject::GroupOrderBy(_)
        | InputObject::GroupKeyOrderBy(_)
        | InputObject::Buckets(_)
        | InputObject::Arguments(_)
        | InputObject::Search(_)
        | InputObject::PathOrder(_)
        | InputObject::SearchOrder(_)
        | InputObject::StreamCursor(_)
        | InputObject::StreamCursorValue(_)
        | InputObject::ObjectInsert(_)
        | InputObject::ArrayInsert(_)
        | InputObject::OnConflict(_)
        | InputObject::KeyColumns(_)
        | InputObject::Updates(_)
        | InputObject::Match(_)
        | InputObject::Related(_)
        | InputObject::RelatedChange(..)
        | InputObject::RelatedWhere(_)
        | InputObject::RowChange(_)
        | InputObject::Action(_) => true,
    }
}

fn is_nullable(access: &Access, table: TableId, column: ColumnId) -> bool {
    access.model().table(table).column(column).nullable
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};
    use std::rc::Rc;

    use serde_json::{Value as Json, json};

    use crate::introspection::json_schema::Schemas;
    use crate::model::access::Access;
    use crate::model::names::Convention;
    use crate::resolve::{Operation, Options};
    use crate::testing::{admin, validate};
    use crate::translate::translate;

    const DOCUMENTS: &[&str] = &[
        "query ($v: articles_bool_exp!) { articles(where: $v) { id } }",
        "query ($v: authors_bool_exp!) { authors(where: $v) { id } }",
        "query ($v: attachments_bool_exp!) { attachments(where: $v) { data } }",
        "query ($v: [articles_order_by!]!) { articles(order_by: $v) { id } }",
        "query ($v: [authors_order_by!]!) { authors(order_by: $v) { id } }",
        "query ($v: articles_group_having!) { articles_group(by: [published], having: $v) { key \
         { published } } }",
        "query ($v: [articles_group_order_by!]!) { articles_group(by: [published], order_by: $v) \
         { key { published } } }",
        "mutation ($v: [articles_insert_input!]!) { insert_articles(objects: $v) { affected_rows \
         } }",
        "mutation ($v: [authors_insert_input!]!) { insert_authors(objects: $v) { affected_rows } }",
        "mutation ($v: [articles_updates!]!) { update_articles_many(updates: $v) { affected_rows \
         } }",
        "mutation ($v: articles_set_input!) { update_articles(where: {}, _set: $v) { \
         affected_rows } }",
        "mutation ($v: articles_inc_input!) { update_articles(where: {}, _inc: $v) { \
         affected_rows } }",
    ];

    /// A way from a member's object to the whole value of the variable.
    type Whole = Rc<dyn Fn(Json) -> Json>;

    #[test]
    fn members_may_be_null_where_their_description_says_so_and_nowhere_else() {
        let access = admin(Convention::Snake);
        let mut members = 0;
        let mut faults = vec![];
        for document in DOCUMENTS {
            let operation = validate(&access, document).unwrap();
            let mut schemas = Schemas::new(&access, false, "");
            let root = schemas.variables(&operation).unwrap().remove(0).schema;
            let named = schemas.named();
            let mut seen: BTreeMap<String, ()> = BTreeMap::new();
            let mut waiting: VecDeque<(String, Whole)> = VecDeque::new();
            follow(&root, Rc::new(|value| value), &mut waiting);
            while let Some((name, whole)) = waiting.pop_front() {
                if seen.insert(name.clone(), ()).is_some() {
                    continue;
                }
                let least = least(&json!({"$ref": name}), &named);
                for (member, schema) in named[&name]["properties"].as_object().unwrap() {
                    let with = |value: Json| {
                        let mut object = least.clone();
                        object[member] = value;
                        object
                    };
                    let refusal = refusal(&access, &operation, &whole(with(Json::Null)));
                    let is_wrong = if takes_null(schema) {
                        refusal
                            .as_ref()
                            .is_some_and(|message| message.contains("null"))
                    } else {
                        // What is inserted, Postgres refuses.
                        refusal.is_none() && !name.ends_with("_insert_input")
                    };
                    if is_wrong {
                        faults.push(format!(
                            "{name}.{member} is {schema}, and null is answered by {refusal:?}"
                        ));
                    }
                    members += 1;
                    let outer = whole.clone();
                    let least = least.clone();
                    let member = member.clone();
                    let inner = move |value| {
                        let mut object = least.clone();
                        object[&member] = value;
                        outer(object)
                    };
                    follow(schema, Rc::new(inner), &mut waiting);
                }
            }
        }
        assert_eq!(faults, Vec::<String>::new());
        assert!(members > 400, "{members}");
    }

    fn refusal(access: &Access, operation: &Operation, value: &Json) -> Option<String> {
        let values = json!({ "v": value });
        let variables = match operation.coerce(access, values.as_object().unwrap()) {
            Ok(variables) => variables,
            Err(error) => return Some(error.to_string()),
        };
        translate(access, operation, &variables, Options::default())
            .err()
            .map(|error| error.to_string())
    }

    fn takes_null(schema: &Json) -> bool {
        let ways = schema["anyOf"].as_array();
        schema == &json!({})
            || schema["type"] == "null"
            || schema["type"]
                .as_array()
                .is_some_and(|types| types.contains(&json!("null")))
            || ways.is_some_and(|ways| ways.iter().any(takes_null))
    }

    /// Adds the definition that a schema refers to, below lists too.
    fn follow(schema: &Json, whole: Whole, waiting: &mut VecDeque<(String, Whole)>) {
        if let Some(name) = schema["$ref"].as_str() {
            waiting.push_back((name.to_owned(), whole));
        } else if let Some(ways) = schema["anyOf"].as_array() {
            ways.iter()
                .for_each(|way| follow(way, whole.clone(), waiting));
        } else if schema["items"].is_object() {
            follow(
                &schema["items"],
                Rc::new(move |value| whole(json!([value]))),
                waiting,
            );
        }
    }

    /// A value of a schema, with as little in it as possible.
    fn least(schema: &Json, named: &BTreeMap<String, Json>) -> Json {
        if let Some(name) = schema["$ref"].as_str() {
            return least(&named[name], named);
        }
        if let Some(ways) = schema["anyOf"].as_array() {
            return least(&ways[0], named);
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[0].clone();
        }
        let name = schema["type"]
            .as_array()
            .map_or(&schema["type"], |types| &types[0]);
        match (name.as_str().unwrap_or_default(), schema["format"].as_str()) {
            ("object", _) => {
                let required = schema["required"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Json::as_str);
                required
                    .map(|name| (name.to_owned(), least(&schema["properties"][name], named)))
                    .collect()
            }
            ("array", _) => json!([least(&schema["items"], named)]),
            ("integer" | "number", _) => json!(1),
            ("boolean", _) => json!(true),
            (_, Some("uuid")) => json!("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
            _ => json!("a"),
        }
    }
}
