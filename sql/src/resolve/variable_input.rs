//! The declared variables of an operation, for callers that read values from a query string, a form
//! or a path instead of JSON. The values are still checked by [`super::variable_definition`].

use std::collections::BTreeSet;

use async_graphql_parser::types::{Selection, SelectionSet};
use async_graphql_value::Value;
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
    /// Whether a value is required although the type allows null, because a condition compares with
    /// it: without a value that is an error, never an absent condition.
    pub is_operand: bool,
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
        let mut operands = Operands::default();
        if let Ok(definition) = self.definition() {
            operands.read_selections(self, &definition.selection_set.node);
        }
        self.variables
            .iter()
            .map(|declared| Variable::new(declared, &operands))
            .collect()
    }

    /// The response key of the operation's only root field, if it has one that is always in the
    /// response.
    pub fn only_root(&self) -> Option<&str> {
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
    fn new(declared: &Declared, operands: &Operands<'_>) -> Variable {
        let has_default = declared.default().is_some();
        let is_operand = !declared.is_required() && operands.names.contains(declared.name.as_str());
        Variable {
            name: declared.name.clone(),
            r#type: declared.r#type.written(),
            required: (declared.is_required() || is_operand) && !has_default,
            is_operand: is_operand && !has_default,
            default: declared.default().cloned(),
            values: Values::from_type(&declared.r#type),
        }
    }
}

/// The variables that conditions compare with, whatever the directives of a request say.
#[derive(Default)]
struct Operands<'a> {
    names: BTreeSet<&'a str>,
    fragments: BTreeSet<&'a str>,
}

/// The argument that is a condition.
const CONDITION: &str = "where";

impl<'a> Operands<'a> {
    fn read_selections(&mut self, operation: &'a Operation, set: &'a SelectionSet) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) if field.node.directives.is_empty() => {
                    let condition = field.node.arguments.iter();
                    let mut condition = condition.filter(|(name, _)| name.node == CONDITION);
                    if let Some((_, value)) = condition.next() {
                        self.read_condition(&value.node);
                    }
                    self.read_selections(operation, &field.node.selection_set.node);
                }
                Selection::FragmentSpread(spread) if spread.node.directives.is_empty() => {
                    let name = spread.node.fragment_name.node.as_str();
                    if self.fragments.insert(name)
                        && let Some(fragment) = operation.document.fragment(name)
                    {
                        self.read_selections(operation, &fragment.node.selection_set.node);
                    }
                }
                Selection::InlineFragment(inline) if inline.node.directives.is_empty() => {
                    self.read_selections(operation, &inline.node.selection_set.node);
                }
                // A directive may leave them out.
                Selection::Field(_)
                | Selection::FragmentSpread(_)
                | Selection::InlineFragment(_) => {}
            }
        }
    }

    /// Reads a condition: of its keys, those of operators begin with an underscore, and those of
    /// columns and relations do not, or have objects as values.
    fn read_condition(&mut self, condition: &'a Value) {
        match condition {
            Value::List(items) => items.iter().for_each(|item| self.read_condition(item)),
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("_and" | "_or" | "_not", value) | (_, value @ Value::Object(_)) => {
                            self.read_condition(value);
                        }
                        (name, Value::Variable(variable)) if name.starts_with('_') => {
                            self.names.insert(variable.as_str());
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
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
    fn operands_of_conditions_are_required() {
        let operation = operation(
            "query($a: Int, $b: [uuid!], $c: Int = 1, $d: Boolean!, $e: Int, $f: Int, $g: Int,
                   $h: authors_bool_exp) {
               authors(where: {_or: [{id: {_eq: $a}}, {articles: {id: {_in: $b}}}]}) {
                 articles(where: {author_id: {_gt: $c}}, limit: $g) { id }
               }
               b: authors(where: {id: {_eq: $e}}) @include(if: $d) { id }
               e: authors(where: $h) { id }
               ...F
             }
             fragment F on query_root {
               c: authors(where: {_not: {id: {_neq: $f}}}) { id }
             }",
        );
        let required = |variable: &Variable| variable.required.then(|| variable.name.clone());
        let names: Vec<String> = operation.variables().iter().filter_map(required).collect();
        assert_eq!(names, ["a", "b", "d", "f"]);
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
