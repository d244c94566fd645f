//! Operations in the one form that lists of operations are compared in: each with the fragments that it reaches, however it
//! was laid out, in whatever order its document defined things. It is written from the parsed document, which is what runs; so no
//! text can look like a listed one here and like another to the parser.
//!
//! `__typename` beside other fields is left out: clients add it by themselves, and it tells nothing that the schema hides.

use std::collections::BTreeSet;
use std::fmt::{Display, Write};

use async_graphql_parser::types::{
    Directive, Field, FragmentDefinition, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql_parser::{Positioned, types::VariableDefinition};
use async_graphql_value::{Name, Value};

use super::Document;

/// An operation in its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    /// Its name.
    pub name: Option<String>,
    /// Its text, with the fragments that it reaches: a document again.
    pub text: String,
}

/// The root fields that ask for the schema alone.
const ABOUT_THE_SCHEMA: [&str; 3] = ["__schema", "__type", "__typename"];

const TYPENAME: &str = "__typename";

/// The most bytes of a document's forms together. Text that is escaped may double.
const LONGEST: usize = 1 << 20;

impl Document {
    /// Every operation in its normal form; none of a document with a fragment that no operation reaches, since no form would
    /// show it, nor of one whose forms are [`LONGEST`] together: each repeats the fragments that it reaches.
    pub fn normal_forms(&self) -> Option<Vec<Normal>> {
        let mut reached = BTreeSet::new();
        let (mut forms, mut length) = (vec![], 0);
        for (name, operation) in self.operations() {
            let fragments = self.reached_from(&operation.node.selection_set.node);
            let mut writer = Writer::default();
            writer.operation(name, &operation.node);
            for (name, fragment) in &fragments {
                writer.fragment(name, &fragment.node);
            }
            reached.extend(fragments.into_iter().map(|(name, _)| name));
            length += writer.text.len();
            if length > LONGEST {
                return None;
            }
            forms.push(Normal { name: name.map(str::to_owned), text: writer.text });
        }
        self.fragments().all(|(name, _)| reached.contains(name)).then_some(forms)
    }

    /// Whether every operation is a query of the schema and of nothing else.
    pub fn asks_for_the_schema_alone(&self) -> bool {
        let is_about_it = |selection: &Positioned<Selection>| match &selection.node {
            Selection::Field(field) => ABOUT_THE_SCHEMA.contains(&field.node.name.node.as_str()),
            _ => false,
        };
        self.operations().all(|(_, operation)| {
            operation.node.ty == OperationType::Query && operation.node.selection_set.node.items.iter().all(is_about_it)
        })
    }

    /// The fragments that a selection reaches, by name. Unknown ones lead nowhere; validation names them.
    fn reached_from<'a>(&'a self, set: &'a SelectionSet) -> Vec<(&'a str, &'a Positioned<FragmentDefinition>)> {
        let (mut names, mut waiting) = (BTreeSet::new(), vec![set]);
        while let Some(set) = waiting.pop() {
            for item in &set.items {
                match &item.node {
                    Selection::Field(field) => waiting.push(&field.node.selection_set.node),
                    Selection::InlineFragment(inline) => waiting.push(&inline.node.selection_set.node),
                    Selection::FragmentSpread(spread) => {
                        let name = spread.node.fragment_name.node.as_str();
                        if let Some(fragment) = self.fragment(name).filter(|_| names.insert(name)) {
                            waiting.push(&fragment.node.selection_set.node);
                        }
                    }
                }
            }
        }
        names.into_iter().filter_map(|name| Some((name, self.fragment(name)?))).collect()
    }
}

/// Writes a document, a field a line.
#[derive(Default)]
struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn operation(&mut self, name: Option<&str>, operation: &OperationDefinition) {
        self.put(match operation.ty {
            OperationType::Query => "query",
            OperationType::Mutation => "mutation",
            OperationType::Subscription => "subscription",
        });
        if let Some(name) = name {
            self.put(format_args!(" {name}"));
        }
        self.list(&operation.variable_definitions, |writer, variable| writer.variable(&variable.node));
        self.directives(&operation.directives);
        self.set(&operation.selection_set.node);
        self.put("\n");
    }

    fn fragment(&mut self, name: &str, fragment: &FragmentDefinition) {
        self.put(format_args!("\nfragment {name} on {}", fragment.type_condition.node.on.node));
        self.directives(&fragment.directives);
        self.set(&fragment.selection_set.node);
        self.put("\n");
    }

    fn variable(&mut self, variable: &VariableDefinition) {
        self.put(format_args!("${}: {}", variable.name.node, variable.var_type.node));
        if let Some(default) = &variable.default_value {
            self.put(" = ");
            self.value(&default.node.clone().into_value());
        }
        self.directives(&variable.directives);
    }

    fn directives(&mut self, directives: &[Positioned<Directive>]) {
        for directive in directives {
            self.put(format_args!(" @{}", directive.node.name.node));
            self.arguments(&directive.node.arguments);
        }
    }

    fn arguments(&mut self, arguments: &[(Positioned<Name>, Positioned<Value>)]) {
        self.list(arguments, |writer, (name, value)| {
            writer.put(format_args!("{}: ", name.node));
            writer.value(&value.node);
        });
    }

    fn set(&mut self, set: &SelectionSet) {
        self.put(" {");
        self.depth += 1;
        let is_alone = set.items.iter().all(|item| is_plain_typename(&item.node));
        let kept = set.items.iter().filter(|item| !is_plain_typename(&item.node));
        for item in kept.chain(set.items.first().filter(|_| is_alone)) {
            self.line();
            self.selection(&item.node);
        }
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    fn selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Field(field) => self.field(&field.node),
            Selection::FragmentSpread(spread) => {
                self.put(format_args!("...{}", spread.node.fragment_name.node));
                self.directives(&spread.node.directives);
            }
            Selection::InlineFragment(inline) => {
                self.put("...");
                if let Some(condition) = &inline.node.type_condition {
                    self.put(format_args!(" on {}", condition.node.on.node));
                }
                self.directives(&inline.node.directives);
                self.set(&inline.node.selection_set.node);
            }
        }
    }

    fn field(&mut self, field: &Field) {
        if let Some(alias) = &field.alias {
            self.put(format_args!("{}: ", alias.node));
        }
        self.put(&field.name.node);
        self.arguments(&field.arguments);
        self.directives(&field.directives);
        if !field.selection_set.node.items.is_empty() {
            self.set(&field.selection_set.node);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Variable(name) => self.put(format_args!("${name}")),
            Value::List(items) => self.items('[', ']', items, Writer::value),
            Value::Object(fields) => self.items('{', '}', fields, |writer, (name, value)| {
                writer.put(format_args!("{name}: "));
                writer.value(value);
            }),
            Value::Null => self.put("null"),
            Value::Number(number) => self.put(number),
            Value::String(text) => self.string(text),
            Value::Boolean(value) => self.put(value),
            Value::Enum(name) => self.put(name),
            // No parser of text makes one.
            Value::Binary(_) => {}
        }
    }

    /// What JSON escapes GraphQL reads.
    fn string(&mut self, text: &str) {
        self.put(serde_json::Value::from(text));
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
        for (place, item) in items.into_iter().enumerate() {
            self.put(if place > 0 { ", " } else { "" });
            write(self, item);
        }
        self.text.push(close);
    }

    fn line(&mut self) {
        self.text.push('\n');
        (0..self.depth).for_each(|_| self.text.push_str("  "));
    }

    fn put(&mut self, text: impl Display) {
        // A string takes everything.
        let _ = write!(self.text, "{text}");
    }
}

/// `__typename` and no more: no alias, no directive.
fn is_plain_typename(selection: &Selection) -> bool {
    match selection {
        Selection::Field(field) => {
            let Field { alias, name, arguments, directives, .. } = &field.node;
            name.node.as_str() == TYPENAME && alias.is_none() && arguments.is_empty() && directives.is_empty()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, parse};

    fn forms(text: &str) -> Option<Vec<String>> {
        let document = parse(text, &Limits::default()).unwrap();
        document.normal_forms().map(|forms| forms.into_iter().map(|form| form.text).collect())
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
    fn a_normal_form_is_its_own() {
        assert_eq!(form(LONG), LONG);
    }

    #[test]
    fn layout_and_order_of_definitions_do_not_count() {
        let other = "#c\nfragment G on T {b}, fragment F on T{c ...G} query   Q{a ... F # x\n,d}";
        assert_eq!(form("query Q { a ...F d } fragment F on T { c ...G } fragment G on T { b }"), form(other));
        assert_eq!(form("{ a(x: \"\"\"b\"\"\") }"), form(r#"query { a(x: "\u0062") }"#));
        assert_eq!(form("\u{feff}{ a }"), form("{a}"));
    }

    #[test]
    fn what_is_asked_counts() {
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
    fn a_type_name_beside_other_fields_does_not_count() {
        assert_eq!(form("{ a { id __typename } }"), form("{ a { id } }"));
        assert_eq!(
            form("{ a { __typename ...F } } fragment F on T { x __typename }"),
            form("{a{...F}} fragment F on T{x}")
        );
        assert_ne!(form("{ a { id x: __typename } }"), form("{ a { id } }"));
        assert_ne!(form("{ a { __typename } }"), form("{ a { id } }"));
        assert_eq!(form("{ a { __typename } }"), "query {\n  a {\n    __typename\n  }\n}\n");
        assert_ne!(form("{ a(x: [__typename]) }"), form("{ a(x: []) }"));
    }

    #[test]
    fn each_operation_has_a_form_with_its_own_fragments() {
        let two = "query A { a ...F } query B { b ...G } fragment F on T { c } fragment G on T { d }";
        assert_eq!(
            forms(two).unwrap(),
            [form("query A { a ...F } fragment F on T { c }"), form("query B { b ...G } fragment G on T { d }")]
        );
        assert_eq!(forms("query A { a } fragment F on T { c }"), None, "a fragment that no form shows");
        let circle = "{ ...F } fragment F on T { ...G } fragment G on T { ...F ...Unknown }";
        assert_eq!(forms(circle).map(|forms| forms.len()), Some(1));
    }

    #[test]
    fn forms_that_repeat_much_are_not_written() {
        let operations: String = (0..100).map(|n| format!("query a{n} {{ ...F }} ")).collect();
        let text = format!("fragment F on T @x(a: \"{}\") {{ c }} {operations}", "y".repeat(100_000));
        assert!(
            parse(&text, &Limits::default()).is_err(),
            "what the directives of fragments hold counts at each spread"
        );
        let wide = Limits { tokens: usize::MAX, ..Limits::default() };
        assert_eq!(parse(&text, &wide).unwrap().normal_forms(), None);
    }

    #[test]
    fn questions_about_the_schema_are_known() {
        let is_about = |text: &str| parse(text, &Limits::default()).unwrap().asks_for_the_schema_alone();
        assert!(is_about("{ __schema { types { ...F } } __typename } fragment F on __Type { name }"));
        assert!(!is_about("{ __typename a { id } }"));
        assert!(!is_about("query A { __typename } query B { b }"));
        assert!(!is_about("{ ...F } fragment F on query_root { __typename }"));
        assert!(!is_about("mutation { __typename }"));
    }
}
