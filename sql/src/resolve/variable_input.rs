//! The declared variables of an operation, for callers that read values from a query string, a form
//! or a path instead of JSON. The values are still checked by [`super::variable_definition`].

use serde_json::Value as Json;

use super::Operation;
use super::variable_definition::{Declared, DeclaredShape, DeclaredType};
use crate::postgres::types::Input;
use crate::schema::TypeKey;

/// A variable that an operation declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type in GraphQL notation: `[uuid!]!`.
    pub r#type: String,
    /// Whether a value is required.
    pub required: bool,
    /// The default.
    pub default: Option<Json>,
    /// The kind of its values.
    pub values: Values,
}

/// The kind of a variable's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// A scalar, or an enum that is a scalar type in Postgres.
    Scalar(Input),
    /// The names of an enum.
    Enum,
    /// An input object.
    Object,
    /// A list.
    List(Box<Values>),
}

impl Operation {
    /// The variables that the operation declares, in document order.
    pub fn variables(&self) -> Vec<Variable> {
        self.variables.iter().map(Variable::new).collect()
    }

    /// The response key of the operation's only root field, if it has one that is always in the
    /// response.
    pub fn only_root(&self) -> Option<&str> {
        use async_graphql_parser::types::Selection;
        let items = &self.definition().ok()?.selection_set.node.items;
        match items.as_slice() {
            [item] => match &item.node {
                Selection::Field(field) if field.node.directives.is_empty() => {
                    Some(field.node.response_key().node.as_str())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl Variable {
    fn new(declared: &Declared) -> Variable {
        Variable {
            name: declared.name.clone(),
            r#type: declared.r#type.written(),
            required: declared.is_required() && declared.default().is_none(),
            default: declared.default().cloned(),
            values: Values::from_type(&declared.r#type),
        }
    }
}

impl Values {
    fn from_type(r#type: &DeclaredType) -> Values {
        match &r#type.shape {
            DeclaredShape::List(of) => Values::List(Box::new(Values::from_type(of))),
            DeclaredShape::Named(_, _, Some(input)) => Values::Scalar(input.clone()),
            DeclaredShape::Named(TypeKey::Enum(_), ..) => Values::Enum,
            DeclaredShape::Named(..) => Values::Object,
            DeclaredShape::Unknown(_) => Values::Scalar(Input::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::Convention;
    use crate::testing::{admin, validate};

    fn operation(text: &str) -> Operation {
        validate(&admin(Convention::Snake), text).unwrap()
    }

    #[test]
    fn variables_list_their_types() {
        let operation = operation(
            "query($a: Int!, $b: [Int!] = [1], $c: authors_bool_exp, $d: [authors_order_by!], $e: Int! = 3) {
               authors(limit: $a, where: $c, order_by: $d, offset: $e) { id }
               a: authors(where: {id: {_in: $b}}) { id }
             }",
        );
        let variables: Vec<_> = operation.variables();
        let names: Vec<_> = variables
            .iter()
            .map(|v| (v.name.as_str(), v.r#type.as_str(), v.required))
            .collect();
        let expected = [
            ("a", "Int!", true),
            ("b", "[Int!]", false),
            ("c", "authors_bool_exp", false),
            ("d", "[authors_order_by!]", false),
            ("e", "Int!", false),
        ];
        assert_eq!(names, expected);
        assert!(matches!(
            &variables[0].values,
            Values::Scalar(Input::Integer { .. })
        ));
        assert!(
            matches!(&variables[1].values, Values::List(of) if matches!(**of, Values::Scalar(_)))
        );
        assert_eq!(
            (&variables[2].values, &variables[1].default),
            (&Values::Object, &Some(serde_json::json!([1])))
        );
    }

    #[test]
    fn only_root_requires_one_unconditional_field() {
        assert_eq!(operation("{ a: authors { id } }").only_root(), Some("a"));
        assert_eq!(
            operation("{ authors { id } b: authors { id } }").only_root(),
            None
        );
        assert_eq!(
            operation("query($x: Boolean!) { authors @skip(if: $x) { id } }").only_root(),
            None
        );
        assert_eq!(
            operation("{ ...F } fragment F on query_root { authors { id } }").only_root(),
            None
        );
    }
}
