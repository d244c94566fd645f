//! Rewrites documents on which `async-graphql-parser` deviates from the specification, so that it parses them
//! correctly. All other positions stay unchanged. Documents that it accepts wrongly are refused.
//!
//! * A character escaped as a surrogate pair, as JSON serializers write it, is replaced by the character.
//! * Blanks inside a type, `[Int ! ]`, are moved after it.
//! * A value whose name starts with `true`, `false` or `null` gets another name, and its own back in the parsed
//!   document.
//! * Descriptions are blanked, like comments.
//! * Keywords must be complete words: the parser reads `queryA` as `query A`. Empty parentheses are refused.
//! * A document of type definitions is well-formed but cannot be executed, and is refused with a message that says so.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{Directive, ExecutableDocument, Selection, SelectionSet, VariableDefinition};
use async_graphql_value::{ConstValue, Name, Value};

use super::token::Token;
use crate::error::Cause;

/// Start and end of a token in the text, in bytes.
pub(super) type Span = (usize, usize);

/// The context of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenContext {
    /// Outside all brackets.
    Document,
    /// In a selection set.
    Selection,
    /// In the parentheses after an operation's name.
    Variables,
    /// In the parentheses of a field or directive.
    Arguments,
    /// In a list or an input object.
    Inside,
}

/// The edits found so far, and the state of the scan.
pub(super) struct Repair<'a> {
    text: &'a str,
    edits: Vec<(Span, String)>,
    /// The last three tokens, the most recent first.
    last: [Token<'a>; 3],
    /// The span of the last token.
    at: Span,
    /// The tokens of the variable type being read.
    r#type: Vec<Span>,
    in_type: bool,
    /// A description whose definition has not been read.
    description: Option<Span>,
    /// Enum values that start with a keyword.
    words: Vec<(Span, &'a str)>,
}

/// A text that the parser reads as the specification requires, and the names to restore afterwards.
pub(super) struct Repaired<'a> {
    /// The text.
    pub(super) text: Cow<'a, str>,
    /// The replacement names of values, each with the original name.
    words: HashMap<String, &'a str>,
}

/// The keywords that start type definitions.
const DEFINITIONS: [&str; 9] =
    ["schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend"];

impl<'a> Repair<'a> {
    pub(super) fn new(text: &'a str) -> Repair<'a> {
        Repair {
            text,
            edits: Vec::new(),
            last: [Token::Start; 3],
            at: (0, 0),
            r#type: Vec::new(),
            in_type: false,
            description: None,
            words: Vec::new(),
        }
    }

    /// Records a replacement of a span.
    pub(super) fn replace(&mut self, span: Span, text: String) {
        self.edits.push((span, text));
    }

    /// Processes the next token.
    pub(super) fn token(&mut self, token: Token<'a>, span: Span, place: TokenContext) -> Result<(), Cause> {
        if place == TokenContext::Document
            && matches!(self.last[0], Token::Start | Token::Punctuator('}') | Token::Text)
        {
            self.definition(token, span)?;
        }
        match (self.last, token) {
            ([Token::Punctuator('('), ..], Token::Punctuator(')')) => return Err(self.syntax(span)),
            ([Token::Name("fragment"), Token::Start | Token::Punctuator('}'), _], Token::Name("on"))
                if place == TokenContext::Document =>
            {
                return Err(self.syntax(span));
            }
            ([Token::Text, before, _], Token::Punctuator('$'))
                if place == TokenContext::Variables && !matches!(before, Token::Punctuator(':' | '=')) =>
            {
                self.blank(self.at);
            }
            _ => {}
        }
        self.variable_type(token, span);
        self.value(token, span, place);
        self.last = [token, self.last[0], self.last[1]];
        self.at = span;
        Ok(())
    }

    /// Processes the first token of a definition, or the one after its description.
    fn definition(&mut self, token: Token<'a>, span: Span) -> Result<(), Cause> {
        match (token, self.description.take()) {
            (Token::Name("query" | "mutation" | "subscription" | "fragment"), description) => {
                description.into_iter().for_each(|description| self.blank(description));
                Ok(())
            }
            (Token::Name(name), _) if DEFINITIONS.contains(&name) => {
                Err(Cause::NotExecutable { what: name.to_owned() })
            }
            (Token::Text, None) => {
                self.description = Some(span);
                Ok(())
            }
            (Token::Punctuator('{'), None) => Ok(()),
            _ => Err(self.syntax(span)),
        }
    }

    /// Collects the tokens of a variable's type, `[Int ! ]` of `$ids: [Int ! ]`, to join them; the blanks between them
    /// are moved after the type.
    fn variable_type(&mut self, token: Token<'a>, span: Span) {
        let belongs = match token {
            Token::Punctuator('[') => self.r#type.iter().all(|(at, _)| self.text[*at..].starts_with('[')),
            Token::Name(_) => self.r#type.last().is_none_or(|(at, _)| self.text[*at..].starts_with('[')),
            Token::Punctuator(']' | '!') => !self.r#type.is_empty(),
            _ => false,
        };
        if self.in_type && belongs {
            return self.r#type.push(span);
        }
        self.end_type();
        self.in_type =
            token == Token::Punctuator(':') && matches!(self.last, [Token::Name(_), Token::Punctuator('$'), _]);
    }

    fn end_type(&mut self) {
        let tokens = std::mem::take(&mut self.r#type);
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let gaps = tokens.iter().zip(tokens.iter().skip(1)).map(|((_, end), (start, _))| (*end, *start));
            let gaps: Vec<&str> = gaps.map(|(end, start)| &self.text[end..start]).collect();
            if gaps.iter().any(|gap| !gap.is_empty()) {
                let words = tokens.iter().map(|(start, end)| &self.text[*start..*end]);
                let whole = words.chain(gaps).collect();
                self.edits.push(((first.0, last.1), whole));
            }
        }
    }

    /// Records an enum value if the parser would read its start as a keyword.
    fn value(&mut self, token: Token<'a>, span: Span, place: TokenContext) {
        let Token::Name(name) = token else { return };
        if self.in_type || self.last[0] == Token::Punctuator('$') {
            return;
        }
        let keyword = ["true", "false", "null"].into_iter().any(|word| name.starts_with(word) && name != word);
        let is_value = match (self.last[0], place) {
            (Token::Punctuator('='), TokenContext::Variables) => true,
            (Token::Punctuator(':'), TokenContext::Arguments | TokenContext::Inside) => true,
            // A list contains values, an object keys; the colon check below excludes keys.
            (_, TokenContext::Inside) => true,
            _ => false,
        };
        if keyword && is_value && !self.text[span.1..].trim_start().starts_with(':') {
            self.words.push((span, name));
        }
    }

    fn blank(&mut self, span: Span) {
        let blank = |c: char| if matches!(c, '\n' | '\r') { c } else { ' ' };
        let text = self.text[span.0..span.1].chars().map(blank).collect();
        self.edits.push((span, text));
    }

    fn syntax(&self, (at, _): Span) -> Cause {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Cause::Syntax { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    /// Applies the edits and returns the text to parse.
    pub(super) fn finish(mut self) -> Repaired<'a> {
        self.end_type();
        let words = self.other_words();
        if self.edits.is_empty() {
            return Repaired { text: self.text.into(), words };
        }
        self.edits.sort_by_key(|(span, _)| *span);
        let (mut whole, mut from) = (String::with_capacity(self.text.len()), 0);
        for ((start, end), text) in &self.edits {
            whole.push_str(&self.text[from..*start]);
            whole.push_str(text);
            from = *end;
        }
        whole.push_str(&self.text[from..]);
        Repaired { text: whole.into(), words }
    }

    /// Replaces the first letter of each value so that the name does not occur in the document.
    fn other_words(&mut self) -> HashMap<String, &'a str> {
        let mut words = HashMap::new();
        if self.words.is_empty() {
            return words;
        }
        let names: HashSet<&str> = self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        for (span, name) in std::mem::take(&mut self.words) {
            let mut letters = ('A'..='Z').chain('a'..='e').map(|letter| format!("{letter}{}", &name[1..]));
            if let Some(other) = letters.find(|other| !names.contains(other.as_str())) {
                self.edits.push((span, other.clone()));
                words.insert(other, name);
            }
        }
        words
    }
}

impl Repaired<'_> {
    /// Restores the original names of values in a parsed document.
    pub(super) fn restore(&self, document: &mut ExecutableDocument) {
        if self.words.is_empty() {
            return;
        }
        let operations = match &mut document.operations {
            async_graphql_parser::types::DocumentOperations::Single(operation) => vec![operation],
            async_graphql_parser::types::DocumentOperations::Multiple(operations) => operations.values_mut().collect(),
        };
        for operation in operations {
            operation.node.variable_definitions.iter_mut().for_each(|definition| self.variable(&mut definition.node));
            self.directives(&mut operation.node.directives);
            self.set(&mut operation.node.selection_set.node);
        }
        for fragment in document.fragments.values_mut() {
            self.directives(&mut fragment.node.directives);
            self.set(&mut fragment.node.selection_set.node);
        }
    }

    fn variable(&self, definition: &mut VariableDefinition) {
        self.directives(&mut definition.directives);
        if let Some(default) = &mut definition.default_value {
            self.constant(&mut default.node);
        }
    }

    fn set(&self, set: &mut SelectionSet) {
        for item in &mut set.items {
            match &mut item.node {
                Selection::Field(field) => {
                    field.node.arguments.iter_mut().for_each(|(_, value)| self.value(&mut value.node));
                    self.directives(&mut field.node.directives);
                    self.set(&mut field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => {
                    self.directives(&mut inline.node.directives);
                    self.set(&mut inline.node.selection_set.node);
                }
                Selection::FragmentSpread(spread) => self.directives(&mut spread.node.directives),
            }
        }
    }

    fn directives(&self, directives: &mut [Positioned<Directive>]) {
        let arguments = directives.iter_mut().flat_map(|directive| &mut directive.node.arguments);
        arguments.for_each(|(_, value)| self.value(&mut value.node));
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::Enum(name) => self.name(name),
            Value::List(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.value(field)),
            _ => {}
        }
    }

    fn constant(&self, value: &mut ConstValue) {
        match value {
            ConstValue::Enum(name) => self.name(name),
            ConstValue::List(items) => items.iter_mut().for_each(|item| self.constant(item)),
            ConstValue::Object(fields) => fields.values_mut().for_each(|field| self.constant(field)),
            _ => {}
        }
    }

    fn name(&self, name: &mut Name) {
        if let Some(own) = self.words.get(name.as_str()) {
            *name = Name::new(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, parse};
    use crate::error::{Cause, ErrorKind};

    fn repaired(text: &str) -> String {
        match super::super::prescan::scan(text, &Limits::default()) {
            Ok(repaired) => repaired.text.into_owned(),
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn kind(text: &str) -> Option<ErrorKind> {
        parse(text, &Limits::default()).err().map(|error| error.kind())
    }

    #[test]
    fn blanks_in_types_move_after_the_type() {
        let text = "query ($a : [ Int ! ] !, $b: Int ! = 1 $c: [[\n Int] # c ]\n ]) { a }";
        let wanted = "query ($a : [Int!]!    , $b: Int!  = 1 $c: [[Int]]\n  # c ]\n ) { a }";
        assert_eq!(repaired(text), wanted);
        assert_eq!(kind(text), None);
        for same in ["query ($a: [Int!]!, $b: A) { a }", "{ a(b: [ A ! ]) }", "{ a { b: c } }"] {
            assert_eq!(repaired(same), same);
        }
    }

    #[test]
    fn enum_value_may_start_with_a_keyword() {
        let document = parse(
            "query ($a: [A!] = [nullable], $nullable: [ nullably ! ]) { a(b: true_north, c: [$nullable nullable null false falsely], d: {nulls: Aullable}) @x(y: truest) { nulls: trues } }",
            &Limits::default(),
        );
        let text = format!("{:?}", document.unwrap().operations);
        for name in
            ["\"true_north\"", "\"nullable\"", "\"falsely\"", "\"nulls\"", "\"Aullable\"", "\"truest\"", "\"trues\""]
        {
            assert!(text.contains(name), "{name}: {text}");
        }
        for name in ["Bullable", "Arue_north", "Aalsely"] {
            assert!(!text.contains(name), "{text}");
        }
        assert_eq!(text.matches("Null").count() + text.matches("Boolean(false)").count(), 2, "{text}");
    }

    #[test]
    fn descriptions_have_no_effect() {
        let text = "\"\"\"\né\n\"\"\" query Q(\"one\" $a: Int = 1 \"two\" $b: String = \"x\" $c: Int) { a }\"f\" fragment F on A { b }";
        let blank = repaired(text);
        assert_eq!((blank.chars().count(), blank.lines().count()), (text.chars().count(), text.lines().count()));
        assert!(blank.contains("\"x\"") && !blank.contains("two") && !blank.contains('é'), "{blank}");
        assert_eq!(kind(text), None);
        for wrong in [
            "\"d\" { a }",
            "\"d\" \"e\" query { a }",
            "query (\"d\") { a }",
            "{ a(\"d\" b: 1) }",
            "query Q \"d\" { a }",
        ] {
            assert_eq!(kind(wrong), Some(ErrorKind::ParseFailed), "{wrong}");
        }
    }

    #[test]
    fn invalid_syntax_that_the_parser_accepts_is_refused() {
        for wrong in [
            "queryQ { a }",
            "query () { a }",
            "{ a() }",
            "{ a @x() }",
            "fragment on on A { b } { a }",
            "fragmentF on A { b } { a }",
            "{ a(b: [00]) }",
            "{ a(b: [-01]) }",
            "{ a } b { c }",
        ] {
            assert_eq!(kind(wrong), Some(ErrorKind::ParseFailed), "{wrong}");
        }
        for right in ["query query { a }", "{ a(b: [0 1-2 0.0 -0]) }", "query fragment { a(b: [], c: {}) }"] {
            assert_eq!(kind(right), None, "{right}");
        }
    }

    #[test]
    fn type_definitions_are_refused_as_not_executable() {
        for text in ["{ a } type A { b: Int }", "\"d\" scalar X", "extend type A { b: Int }"] {
            let error = parse(text, &Limits::default()).unwrap_err();
            assert!(matches!(error.cause, Cause::NotExecutable { .. }), "{text}: {error}");
            assert!(error.location.is_some());
        }
    }
}
