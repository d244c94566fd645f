//! A recursive-descent parser of documents within limits, in one pass over the text.
//!
//! It produces the tree of `async-graphql-parser`, and tests compare the two. A method that cannot
//! go on returns `None`. The error is then that the current token is unexpected, unless the method
//! has recorded another one.
//! <https://spec.graphql.org/September2025/#sec-Appendix-Grammar-Summary.Document-Syntax>
//!
//! Tokens and open brackets are counted while they are read. The parser recurses, so it stops at
//! 128 brackets at the latest. If a text is malformed as well, the limit is reported: `exceeded`
//! reads the tokens again without recursion, so a text over a limit has one error wherever its
//! syntax is wrong.

use std::collections::HashSet;

use async_graphql_parser::types::{
    BaseType, Directive, Field, FragmentDefinition, FragmentSpread, InlineFragment,
    OperationDefinition, OperationType, Selection, SelectionSet, Type, TypeCondition,
    VariableDefinition,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::{Name, Value};
use indexmap::IndexMap;

use super::Limits;
use crate::error::{Cause, Error, NameKind, RequestLimit, UnexpectedToken};
use lexer::{Lexeme, Lexer};

mod lexer;
mod text;

/// The deepest nesting of brackets, whatever the limits are: this parser recurses. The setting
/// allows as much.
const MAX_NESTING: usize = 128;

/// The longest name, in bytes. Paths in messages repeat names, once for each field.
const MAX_NAME_BYTES: usize = 255;

/// The keywords that start type definitions.
const TYPE_DEFINITIONS: [&str; 9] = [
    "schema",
    "scalar",
    "type",
    "interface",
    "union",
    "enum",
    "input",
    "directive",
    "extend",
];

/// The part of a request that errors are about.
const QUERY: &str = "$.query";

/// The definitions of a document, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) operations: Vec<(Option<String>, Positioned<OperationDefinition>)>,
    pub(super) fragments: Vec<(String, Positioned<FragmentDefinition>)>,
}

/// Parses a document.
///
/// Errors: [`Cause::Limit`] for the size, tokens, nesting, or the length of a name,
/// [`Cause::Duplicate`] for operations, fragments and the keys of an input object,
/// [`Cause::LoneAnonymous`], [`Cause::NoOperation`], [`Cause::NotExecutable`], and
/// [`Cause::Syntax`].
pub(super) fn read(text: &str, limits: &Limits) -> Result<Definitions, Error> {
    if text.len() > limits.bytes {
        return Err(Cause::Limit {
            limit: RequestLimit::Bytes,
            value: limits.bytes,
        }
        .under(QUERY));
    }
    let mut reader = Reader::new(text, limits);
    let Some(definitions) = reader.advance().and_then(|()| reader.document()) else {
        // A limit comes first, so that a text over a limit has one error wherever its syntax is
        // wrong.
        let over =
            exceeded(text, limits).map(|(limit, value)| Cause::Limit { limit, value }.under(QUERY));
        return Err(over.unwrap_or_else(|| reader.error()));
    };
    definitions.check_names()?;
    Ok(definitions)
}

/// The limit on tokens or nesting that a text exceeds before its first invalid token, and its
/// value.
pub(super) fn exceeded(text: &str, limits: &Limits) -> Option<(RequestLimit, usize)> {
    let mut lexer = Lexer::new(text, limits.tokens);
    let mut open = 0_usize;
    while let Some((token, _)) = lexer.next() {
        match token {
            Lexeme::Punctuator(b'{' | b'[' | b'(') => open += 1,
            Lexeme::Punctuator(b'}' | b']' | b')') => open = open.saturating_sub(1),
            Lexeme::End => return None,
            _ => {}
        }
        if open > limits.nesting {
            return Some((RequestLimit::Nesting, limits.nesting));
        }
    }
    lexer
        .has_too_many_tokens()
        .then_some((RequestLimit::Tokens, limits.tokens))
}

impl Definitions {
    /// Checks that names are distinct, and that an anonymous operation is the only one.
    fn check_names(&self) -> Result<(), Error> {
        let duplicate = |kind, name: &str, at| {
            Err(Cause::Duplicate {
                kind,
                name: name.to_owned(),
            }
            .at(QUERY, at))
        };
        let mut names = HashSet::new();
        for (name, operation) in &self.operations {
            match name {
                None if self.operations.len() > 1 => {
                    return Err(Cause::LoneAnonymous.at(QUERY, operation.pos));
                }
                Some(name) if !names.insert(name) => {
                    return duplicate(NameKind::Operation, name, operation.pos);
                }
                _ => {}
            }
        }
        let mut names = HashSet::new();
        for (name, fragment) in &self.fragments {
            if !names.insert(name) {
                return duplicate(NameKind::Fragment, name, fragment.pos);
            }
        }
        match (self.operations.is_empty(), self.fragments.is_empty()) {
            // A document has at least one definition.
            // <https://spec.graphql.org/October2021/#Document>
            (true, true) => {
                let token = Some(UnexpectedToken {
                    expected: DEFINITION,
                    found: Lexeme::End.describe(),
                });
                let (line, column) = (1, 1);
                Err(Cause::Syntax {
                    line,
                    column,
                    token,
                }
                .at(QUERY, Pos { line, column }))
            }
            (true, false) => Err(Cause::NoOperation.under(QUERY)),
            (false, _) => Ok(()),
        }
    }
}

/// The current token and the lexer for those after it.
struct Reader<'a> {
    lexer: Lexer<'a>,
    token: Lexeme<'a>,
    position: Pos,
    /// How many more brackets may be open at once.
    nesting: usize,
    /// Why the parser stopped, if not because of the current token.
    error: Option<Error>,
    /// What the grammar has in place of the current token, if the parser stopped at it.
    expected: Option<&'static str>,
}

/// Whether a value may contain variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variables {
    Allowed,
    Refused,
}

type Arguments = Vec<(Positioned<Name>, Positioned<Value>)>;

impl<'a> Reader<'a> {
    fn new(text: &'a str, limits: &Limits) -> Reader<'a> {
        let position = Pos { line: 1, column: 1 };
        let nesting = limits.nesting.min(MAX_NESTING);
        Reader {
            lexer: Lexer::new(text, limits.tokens),
            token: Lexeme::End,
            position,
            nesting,
            error: None,
            expected: None,
        }
    }

    /// Records why the parser stops.
    fn stop<T>(&mut self, error: Error) -> Option<T> {
        self.error = Some(error);
        None
    }

    /// Why the parser has stopped.
    fn error(self) -> Error {
        let Pos { line, column } = self.lexer.token_position();
        let found = self.token;
        let token = self.expected.map(|expected| UnexpectedToken {
            expected,
            found: found.describe(),
        });
        self.error.unwrap_or_else(|| {
            Cause::Syntax {
                line,
                column,
                token,
            }
            .at(QUERY, Pos { line, column })
        })
    }

    /// Stops at the current token, where the grammar has something else.
    fn expect<T>(&mut self, expected: &'static str) -> Option<T> {
        self.expected = Some(expected);
        None
    }

    // ---- definitions

    fn document(&mut self) -> Option<Definitions> {
        let mut definitions = Definitions::default();
        while self.token != Lexeme::End {
            self.definition(&mut definitions)?;
        }
        Some(definitions)
    }

    fn definition(&mut self, definitions: &mut Definitions) -> Option<()> {
        let described = self.description()?;
        let position = self.position;
        let kind = match self.token {
            Lexeme::Punctuator(b'{') if !described => {
                let definition = OperationDefinition {
                    ty: OperationType::Query,
                    variable_definitions: Vec::new(),
                    directives: Vec::new(),
                    selection_set: self.selection_set()?,
                };
                definitions
                    .operations
                    .push((None, Positioned::new(definition, position)));
                return Some(());
            }
            Lexeme::Name("query") => OperationType::Query,
            Lexeme::Name("mutation") => OperationType::Mutation,
            Lexeme::Name("subscription") => OperationType::Subscription,
            Lexeme::Name("fragment") => {
                self.advance()?;
                let (name, fragment) = self.fragment()?;
                definitions
                    .fragments
                    .push((name, Positioned::new(fragment, position)));
                return Some(());
            }
            Lexeme::Name(name) if TYPE_DEFINITIONS.contains(&name) => {
                return self.stop(
                    Cause::NotExecutable {
                        what: name.to_owned(),
                    }
                    .at(QUERY, position),
                );
            }
            _ => return self.expect(DEFINITION),
        };
        self.advance()?;
        let (name, operation) = self.operation(kind)?;
        definitions
            .operations
            .push((name, Positioned::new(operation, position)));
        Some(())
    }

    /// Skips a description, which has no effect. Returns whether there was one.
    fn description(&mut self) -> Option<bool> {
        match self.token {
            Lexeme::Text(raw, escapes) => {
                text::string(raw, escapes)?;
            }
            Lexeme::Block(_) => {}
            _ => return Some(false),
        }
        self.advance()?;
        Some(true)
    }

    fn operation(&mut self, kind: OperationType) -> Option<(Option<String>, OperationDefinition)> {
        let name = match self.token {
            Lexeme::Name(_) => Some(self.word()?.to_owned()),
            _ => None,
        };
        let definition = OperationDefinition {
            ty: kind,
            variable_definitions: self.variable_definitions()?,
            directives: self.directives(Variables::Allowed)?,
            selection_set: self.selection_set()?,
        };
        Some((name, definition))
    }

    fn fragment(&mut self) -> Option<(String, FragmentDefinition)> {
        if self.token == Lexeme::Name("on") {
            return self.expect("the fragment's name");
        }
        let name = self.word()?.to_owned();
        let definition = FragmentDefinition {
            type_condition: self.type_condition()?,
            directives: self.directives(Variables::Allowed)?,
            selection_set: self.selection_set()?,
        };
        Some((name, definition))
    }

    fn type_condition(&mut self) -> Option<Positioned<TypeCondition>> {
        let position = self.position;
        if self.token != Lexeme::Name("on") {
            return self.expect("'on'");
        }
        self.advance()?;
        Some(Positioned::new(
            TypeCondition { on: self.name()? },
            position,
        ))
    }

    // ---- variables

    fn variable_definitions(&mut self) -> Option<Vec<Positioned<VariableDefinition>>> {
        let mut definitions = Vec::new();
        if self.token == Lexeme::Punctuator(b'(') {
            self.open(b'(')?;
            while definitions.is_empty() || self.token != Lexeme::Punctuator(b')') {
                definitions.push(self.variable_definition()?);
            }
            self.close(b')')?;
        }
        Some(definitions)
    }

    fn variable_definition(&mut self) -> Option<Positioned<VariableDefinition>> {
        self.description()?;
        let position = self.position;
        self.punctuator(b'$')?;
        let name = self.name()?;
        self.punctuator(b':')?;
        let type_position = self.position;
        let var_type = Positioned::new(self.r#type()?, type_position);
        let default_value = if self.skip(b'=')? {
            let value = self.value(Variables::Refused)?;
            Some(Positioned::new(value.node.into_const()?, value.pos))
        } else {
            None
        };
        let directives = self.directives(Variables::Refused)?;
        Some(Positioned::new(
            VariableDefinition {
                name,
                var_type,
                directives,
                default_value,
            },
            position,
        ))
    }

    fn r#type(&mut self) -> Option<Type> {
        let base = match self.token {
            Lexeme::Punctuator(b'[') => {
                self.open(b'[')?;
                let of = self.r#type()?;
                self.close(b']')?;
                BaseType::List(Box::new(of))
            }
            _ => BaseType::Named(Name::new(self.word()?)),
        };
        Some(Type {
            base,
            nullable: !self.skip(b'!')?,
        })
    }

    // ---- selections

    fn selection_set(&mut self) -> Option<Positioned<SelectionSet>> {
        let position = self.position;
        let mut items = Vec::new();
        self.open(b'{')?;
        while items.is_empty() || self.token != Lexeme::Punctuator(b'}') {
            if !matches!(self.token, Lexeme::Name(_) | Lexeme::Spread) {
                return self.expect(if items.is_empty() {
                    "a field"
                } else {
                    "a field or '}'"
                });
            }
            let position = self.position;
            items.push(Positioned::new(self.selection()?, position));
        }
        self.close(b'}')?;
        Some(Positioned::new(SelectionSet { items }, position))
    }

    fn selection(&mut self) -> Option<Selection> {
        let position = self.position;
        if self.token != Lexeme::Spread {
            return Some(Selection::Field(Positioned::new(self.field()?, position)));
        }
        self.advance()?;
        match self.token {
            Lexeme::Name(name) if name != "on" => {
                let spread = FragmentSpread {
                    fragment_name: self.name()?,
                    directives: self.directives(Variables::Allowed)?,
                };
                Some(Selection::FragmentSpread(Positioned::new(spread, position)))
            }
            on => {
                let inline = InlineFragment {
                    type_condition: match on {
                        Lexeme::Name(_) => Some(self.type_condition()?),
                        _ => None,
                    },
                    directives: self.directives(Variables::Allowed)?,
                    selection_set: self.selection_set()?,
                };
                Some(Selection::InlineFragment(Positioned::new(inline, position)))
            }
        }
    }

    fn field(&mut self) -> Option<Field> {
        let first = self.name()?;
        let (alias, name) = if self.skip(b':')? {
            (Some(first), self.name()?)
        } else {
            (None, first)
        };
        Some(Field {
            alias,
            name,
            arguments: self.arguments(Variables::Allowed)?,
            directives: self.directives(Variables::Allowed)?,
            selection_set: match self.token {
                Lexeme::Punctuator(b'{') => self.selection_set()?,
                _ => Positioned::default(),
            },
        })
    }

    fn directives(&mut self, variables: Variables) -> Option<Vec<Positioned<Directive>>> {
        let mut directives = Vec::new();
        while self.token == Lexeme::Punctuator(b'@') {
            let position = self.position;
            self.advance()?;
            let directive = Directive {
                name: self.name()?,
                arguments: self.arguments(variables)?,
            };
            directives.push(Positioned::new(directive, position));
        }
        Some(directives)
    }

    // ---- arguments and values

    fn arguments(&mut self, variables: Variables) -> Option<Arguments> {
        let mut arguments = Vec::new();
        if self.token == Lexeme::Punctuator(b'(') {
            self.open(b'(')?;
            while arguments.is_empty() || self.token != Lexeme::Punctuator(b')') {
                if !matches!(self.token, Lexeme::Name(_)) {
                    return self.expect(if arguments.is_empty() {
                        "an argument"
                    } else {
                        "an argument or ')'"
                    });
                }
                let name = self.name()?;
                self.punctuator(b':')?;
                arguments.push((name, self.value(variables)?));
            }
            self.close(b')')?;
        }
        Some(arguments)
    }

    fn value(&mut self, variables: Variables) -> Option<Positioned<Value>> {
        let position = self.position;
        let value = match self.token {
            Lexeme::Punctuator(b'$') if variables == Variables::Allowed => {
                self.advance()?;
                Value::Variable(Name::new(self.word()?))
            }
            Lexeme::Punctuator(b'[') => self.list(variables)?,
            Lexeme::Punctuator(b'{') => self.object(variables)?,
            Lexeme::Name(_) => match self.word()? {
                "true" => Value::Boolean(true),
                "false" => Value::Boolean(false),
                "null" => Value::Null,
                name => Value::Enum(Name::new(name)),
            },
            Lexeme::Number(digits) => {
                self.advance()?;
                Value::Number(digits.parse().ok()?)
            }
            Lexeme::Text(raw, escapes) => {
                let text = text::string(raw, escapes)?;
                self.advance()?;
                Value::String(text)
            }
            Lexeme::Block(raw) => {
                self.advance()?;
                Value::String(text::block(raw))
            }
            Lexeme::Punctuator(_) | Lexeme::Spread | Lexeme::End => return self.expect("a value"),
        };
        Some(Positioned::new(value, position))
    }

    fn list(&mut self, variables: Variables) -> Option<Value> {
        let mut items = Vec::new();
        self.open(b'[')?;
        while self.token != Lexeme::Punctuator(b']') {
            if self.token == Lexeme::End {
                return self.expect("a value or ']'");
            }
            items.push(self.value(variables)?.node);
        }
        self.close(b']')?;
        Some(Value::List(items))
    }

    /// Parses an input object with distinct keys.
    fn object(&mut self, variables: Variables) -> Option<Value> {
        let mut fields = IndexMap::new();
        self.open(b'{')?;
        while self.token != Lexeme::Punctuator(b'}') {
            if !matches!(self.token, Lexeme::Name(_)) {
                return self.expect("a key or '}'");
            }
            let key = self.word()?;
            let colon = self.position;
            self.punctuator(b':')?;
            if fields
                .insert(Name::new(key), self.value(variables)?.node)
                .is_some()
            {
                return self.stop(
                    Cause::Duplicate {
                        kind: NameKind::InputField,
                        name: key.to_owned(),
                    }
                    .at(QUERY, colon),
                );
            }
        }
        self.close(b'}')?;
        Some(Value::Object(fields))
    }

    // ---- tokens

    fn advance(&mut self) -> Option<()> {
        (self.token, self.position) = self.lexer.next()?;
        Some(())
    }

    fn punctuator(&mut self, wanted: u8) -> Option<()> {
        if self.token == Lexeme::Punctuator(wanted) {
            self.advance()
        } else {
            self.expect(punctuator_name(wanted))
        }
    }

    /// Consumes the punctuator if it is the current token. Returns whether it was.
    fn skip(&mut self, wanted: u8) -> Option<bool> {
        if self.token == Lexeme::Punctuator(wanted) {
            self.advance().map(|()| true)
        } else {
            Some(false)
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        self.nesting = self.nesting.checked_sub(1)?;
        self.punctuator(bracket)
    }

    fn close(&mut self, bracket: u8) -> Option<()> {
        self.nesting += 1;
        self.punctuator(bracket)
    }

    fn word(&mut self) -> Option<&'a str> {
        let Lexeme::Name(name) = self.token else {
            return self.expect("a name");
        };
        if name.len() > MAX_NAME_BYTES {
            return self.stop(
                Cause::Limit {
                    limit: RequestLimit::Name,
                    value: MAX_NAME_BYTES,
                }
                .under(QUERY),
            );
        }
        self.advance()?;
        Some(name)
    }

    fn name(&mut self) -> Option<Positioned<Name>> {
        let position = self.position;
        Some(Positioned::new(Name::new(self.word()?), position))
    }
}

/// What begins a definition.
const DEFINITION: &str = "'query', 'mutation', 'subscription', 'fragment' or '{'";

/// The punctuators that the grammar has at certain places.
fn punctuator_name(punctuator: u8) -> &'static str {
    match punctuator {
        b'{' => "'{'",
        b'}' => "'}'",
        b'(' => "'('",
        b')' => "')'",
        b'[' => "'['",
        b']' => "']'",
        b':' => "':'",
        b'$' => "'$'",
        _ => "a punctuator",
    }
}

#[cfg(test)]
mod tests;
