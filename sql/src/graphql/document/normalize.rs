//! Writes operations in a normal form, by which allow lists compare them: one operation with the
//! fragments that it reaches, independent of layout and of the order of definitions. The form is
//! written from the parsed document that is executed, so no text can match a listed operation here
//! and be parsed as another one.
//!
//! `__typename` next to other fields is left out: clients add it automatically, and it reveals
//! nothing that the schema hides.

use std::collections::BTreeSet;
use std::fmt::{Display, Write};

use async_graphql_parser::types::{
    Directive, Field, FragmentDefinition, OperationDefinition, OperationType, Selection,
    SelectionSet,
};
use async_graphql_parser::{Positioned, types::VariableDefinition};
use async_graphql_value::{Name, Value};

use super::Document;

/// An operation in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    /// The operation's name, if it has one.
    pub name: Option<String>,
    /// A complete document: the operation and the fragments that it reaches.
    pub text: String,
}

const TYPENAME: &str = "__typename";

/// The most bytes of all normal forms of a document together. Escaping may double the length of
/// text.
const MAX_NORMALIZED_BYTES: usize = 1 << 20;

impl Document {
    /// Writes every operation in normal form. Returns `None` for a document with a fragment that no
    /// operation reaches, since no form would contain it, and where the forms together exceed
    /// [`MAX_NORMALIZED_BYTES`]: each form repeats its fragments.
    pub fn normal_forms(&self) -> Option<Vec<Normal>> {
        let mut reached = BTreeSet::new();
        let mut forms = vec![];
        let mut length = 0;
        for (name, operation) in self.operations() {
            let fragments = self.reached_from(&operation.node.selection_set.node);
            let mut writer = Writer::default();
            writer.operation(name, &operation.node);
            for (name, fragment) in &fragments {
                writer.fragment(name, &fragment.node);
            }
            reached.extend(fragments.into_iter().map(|(name, _)| name));
            length += writer.text.len();
            if length > MAX_NORMALIZED_BYTES {
                return None;
            }
            forms.push(Normal {
                name: name.map(str::to_owned),
                text: writer.text,
            });
        }
        self.fragments()
            .all(|(name, _)| reached.contains(name))
            .then_some(forms)
    }

    /// Whether every operation is a query with these root fields only.
    pub fn has_only_root_fields(&self, names: &[&str]) -> bool {
        let is_named = |selection: &Positioned<Selection>| match &selection.node {
            Selection::Field(field) => names.contains(&field.node.name.node.as_str()),
            _ => false,
        };
        self.operations().all(|(_, operation)| {
            operation.node.ty == OperationType::Query
                && operation.node.selection_set.node.items.iter().all(is_named)
        })
    }

    /// The fragments that a selection set reaches, sorted by name. Unknown fragments are skipped;
    /// validation reports them.
    fn reached_from<'a>(
        &'a self,
        set: &'a SelectionSet,
    ) -> Vec<(&'a str, &'a Positioned<FragmentDefinition>)> {
        let mut names = BTreeSet::new();
        let mut waiting = vec![set];
        while let Some(set) = waiting.pop() {
            for item in &set.items {
                match &item.node {
                    Selection::Field(field) => waiting.push(&field.node.selection_set.node),
                    Selection::InlineFragment(inline) => {
                        waiting.push(&inline.node.selection_set.node);
                    }
                    Selection::FragmentSpread(spread) => {
                        let name = spread.node.fragment_name.node.as_str();
                        if let Some(fragment) = self.fragment(name).filter(|_| names.insert(name)) {
                            waiting.push(&fragment.node.selection_set.node);
                        }
                    }
                }
            }
        }
        names
            .into_iter()
            .filter_map(|name| Some((name, self.fragment(name)?)))
            .collect()
    }
}

/// Writes a document with one field per line.
#[derive(Default)]
struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn operation(&mut self, name: Option<&str>, operation: &OperationDefinition) {
        self.write_display(match operation.ty {
            OperationType::Query => "query",
            OperationType::Mutation => "mutation",
            OperationType::Subscription => "subscription",
        });
        if let Some(name) = name {
            self.write_display(format_args!(" {name}"));
        }
        self.list(&operation.variable_definitions, |writer, variable| {
            writer.variable(&variable.node);
        });
        self.directives(&operation.directives);
        self.set(&operation.selection_set.node);
        self.write_display("\n");
    }

    fn fragment(&mut self, name: &str, fragment: &FragmentDefinition) {
        self.write_display(format_args!(
            "\nfragment {name} on {}",
            fragment.type_condition.node.on.node
        ));
        self.directives(&fragment.directives);
        self.set(&fragment.selection_set.node);
        self.write_display("\n");
    }

    fn variable(&mut self, variable: &VariableDefinition) {
        self.write_display(format_args!(
            "${}: {}",
            variable.name.node, variable.var_type.node
        ));
        if let Some(default) = &variable.default_value {
            self.write_display(" = ");
            self.value(&default.node.clone().into_value());
        }
        self.directives(&variable.directives);
    }

    fn directives(&mut self, directives: &[Positioned<Directive>]) {
        for directive in directives {
            self.write_display(format_args!(" @{}", directive.node.name.node));
            self.arguments(&directive.node.arguments);
        }
    }

    fn arguments(&mut self, arguments: &[(Positioned<Name>, Positioned<Value>)]) {
        self.list(arguments, |writer, (name, value)| {
            writer.write_display(format_args!("{}: ", name.node));
            writer.value(&value.node);
        });
    }

    fn set(&mut self, set: &SelectionSet) {
        self.write_display(" {");
        self.depth += 1;
        let is_alone = set.items.iter().all(|item| is_plain_typename(&item.node));
        let kept = set
            .items
            .iter()
            .filter(|item| !is_plain_typename(&item.node));
        for item in kept.chain(set.items.first().filter(|_| is_alone)) {
            self.line();
            self.selection(&item.node);
        }
        self.depth -= 1;
        self.line();
        self.write_display("}");
    }

    fn selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Field(field) => self.field(&field.node),
            Selection::FragmentSpread(spread) => {
                self.write_display(format_args!("...{}", spread.node.fragment_name.node));
                self.directives(&spread.node.directives);
            }
            Selection::InlineFragment(inline) => {
                self.write_display("...");
                if let Some(condition) = &inline.node.type_condition {
                    self.write_display(format_args!(" on {}", condition.node.on.node));
                }
                self.directives(&inline.node.directives);
                self.set(&inline.node.selection_set.node);
            }
        }
    }

    fn field(&mut self, field: &Field) {
        if let Some(alias) = &field.alias {
            self.write_display(format_args!("{}: ", alias.node));
        }
        self.write_display(&field.name.node);
        self.arguments(&field.arguments);
        self.directives(&field.directives);
        if !field.selection_set.node.items.is_empty() {
            self.set(&field.selection_set.node);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Variable(name) => self.write_display(format_args!("${name}")),
            Value::List(items) => self.items('[', ']', items, Writer::value),
            Value::Object(fields) => self.items('{', '}', fields, |writer, (name, value)| {
                writer.write_display(format_args!("{name}: "));
                writer.value(value);
            }),
            Value::Null => self.write_display("null"),
            Value::Number(number) => self.write_display(number),
            Value::String(text) => self.string(text),
            Value::Boolean(value) => self.write_display(value),
            Value::Enum(name) => self.write_display(name),
            // No document contains one.
            Value::Binary(_) => {}
        }
    }

    /// Writes a string with JSON's escapes, which are valid in GraphQL.
    fn string(&mut self, text: &str) {
        self.write_display(serde_json::Value::from(text));
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        if !items.is_empty() {
            self.items('(', ')', items, write);
        }
    }

    fn items<T>(
        &mut self,
        open: char,
        close: char,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Writer, T),
    ) {
        self.text.push(open);
        for (index, item) in items.into_iter().enumerate() {
            self.write_display(if index > 0 { ", " } else { "" });
            write(self, item);
        }
        self.text.push(close);
    }

    fn line(&mut self) {
        self.text.push('\n');
        (0..self.depth).for_each(|_| self.text.push_str("  "));
    }

    fn write_display(&mut self, text: impl Display) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "{text}");
    }
}

/// Whether a selection is `__typename` without alias and directives.
fn is_plain_typename(selection: &Selection) -> bool {
    match selection {
        Selection::Field(field) => {
            let Field {
                alias,
                name,
                arguments,
                directives,
                ..
            } = &field.node;
            name.node.as_str() == TYPENAME
                && alias.is_none()
                && arguments.is_empty()
                && directives.is_empty()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, parse};

    fn forms(text: &str) -> Option<Vec<String>> {
        let document = parse(text, &Limits::default()).unwrap();
        document
            .normal_forms()
            .map(|forms| forms.into_iter().map(|form| form.text).collect())
    }

    fn form(text: &str) -> String {
        let forms = forms(text).unwrap();
        assert_eq!(forms.len(), 1, "{text}");
        forms[0].clone()
    }

    const LONG: &str = r#"mutation M($a: [Int!]! = [1, 2], $b: t_input = {x: "y\"\n", n: 1.50, e: asc, o: null, f: true}) @d(x: $a) {
  a: b(where: {_and: [{x: {_eq: $a}}, {}], z: []}, list: [$b]) @include(if: true) {
    ... on T @skip(if: $c) {
      id
    }
    ... {
      id
    }
    ...F @x
  }
}

fragment F on T @y {
  c
}
"#;

    #[test]
    fn normal_form_of_a_normal_form_is_unchanged() {
        assert_eq!(form(LONG), LONG);
    }

    #[test]
    fn normal_form_ignores_layout_and_order_of_definitions() {
        let other = "#c\nfragment G on T {b}, fragment F on T{c ...G} query   Q{a ... F # x\n,d}";
        assert_eq!(
            form("query Q { a ...F d } fragment F on T { c ...G } fragment G on T { b }"),
            form(other)
        );
        assert_eq!(
            form("{ a(x: \"\"\"b\"\"\") }"),
            form(r#"query { a(x: "\u0062") }"#)
        );
        assert_eq!(form("\u{feff}{ a }"), form("{a}"));
    }

    #[test]
    fn different_operations_have_different_normal_forms() {
        let one = form("query Q($a: Int = 1) { a(x: 1, y: $a) { b c } }");
        for other in [
            "query R($a: Int = 1) { a(x: 1, y: $a) { b c } }",
            "query Q($a: Int = 2) { a(x: 1, y: $a) { b c } }",
            "query Q($a: Int! = 1) { a(x: 1, y: $a) { b c } }",
            "query Q($a: Int = 1) { a(x: 2, y: $a) { b c } }",
            "query Q($a: Int = 1) { a(x: \"1\", y: $a) { b c } }",
            "query Q($a: Int = 1) { a(x: 1, y: $a) { c b } }",
            "query Q($a: Int = 1) { a(x: 1, y: $a) { b c d } }",
            "query Q($a: Int = 1) { a(x: 1, y: $a) { b c @skip(if: true) } }",
            "query Q($a: Int = 1) { z: a(x: 1, y: $a) { b c } }",
            "mutation Q($a: Int = 1) { a(x: 1, y: $a) { b c } }",
        ] {
            assert_ne!(form(other), one, "{other}");
        }
        assert_ne!(form("{ a(x: b) }"), form("{ a(x: \"b\") }"));
        assert_ne!(form("{ a(x: \"\\u0010\") }"), form("{ a(x: \"\\u0016\") }"));
    }

    #[test]
    fn normal_form_omits_typename_beside_other_fields() {
        assert_eq!(form("{ a { id __typename } }"), form("{ a { id } }"));
        assert_eq!(
            form("{ a { __typename ...F } } fragment F on T { x __typename }"),
            form("{a{...F}} fragment F on T{x}")
        );
        assert_ne!(form("{ a { id x: __typename } }"), form("{ a { id } }"));
        assert_ne!(form("{ a { __typename } }"), form("{ a { id } }"));
        assert_eq!(
            form("{ a { __typename } }"),
            "query {\n  a {\n    __typename\n  }\n}\n"
        );
        assert_ne!(form("{ a(x: [__typename]) }"), form("{ a(x: []) }"));
    }

    #[test]
    fn each_operation_has_a_normal_form_with_its_fragments() {
        let two =
            "query A { a ...F } query B { b ...G } fragment F on T { c } fragment G on T { d }";
        assert_eq!(
            forms(two).unwrap(),
            [
                form("query A { a ...F } fragment F on T { c }"),
                form("query B { b ...G } fragment G on T { d }")
            ]
        );
        assert_eq!(
            forms("query A { a } fragment F on T { c }"),
            None,
            "a fragment that no form shows"
        );
        let circle = "{ ...F } fragment F on T { ...G } fragment G on T { ...F ...Unknown }";
        assert_eq!(forms(circle).map(|forms| forms.len()), Some(1));
    }

    #[test]
    fn normal_forms_over_the_size_limit_are_none() {
        let operations: String = (0..100)
            .map(|n| format!("query a{n} {{ ...F }} "))
            .collect();
        let text = format!(
            "fragment F on T @x(a: \"{}\") {{ c }} {operations}",
            "y".repeat(100_000)
        );
        assert!(
            parse(&text, &Limits::default()).is_err(),
            "what the directives of fragments hold counts at each spread"
        );
        let wide = Limits {
            tokens: usize::MAX,
            ..Limits::default()
        };
        assert_eq!(parse(&text, &wide).unwrap().normal_forms(), None);
    }

    #[test]
    fn documents_with_introspection_only_are_recognized() {
        let names = ["__schema", "__typename"];
        let is_about = |text: &str| {
            parse(text, &Limits::default())
                .unwrap()
                .has_only_root_fields(&names)
        };
        assert!(is_about(
            "{ __schema { types { ...F } } __typename } fragment F on __Type { name }"
        ));
        assert!(!is_about("{ __typename a { id } }"));
        assert!(!is_about("query A { __typename } query B { b }"));
        assert!(!is_about(
            "{ ...F } fragment F on query_root { __typename }"
        ));
        assert!(!is_about("mutation { __typename }"));
    }
}
