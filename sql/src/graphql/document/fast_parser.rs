//! A recursive-descent parser for well-formed documents, in one pass over the text.
//!
//! It produces the tree that `async-graphql-parser` would, and follows the specification where that parser does not. It
//! reports no errors: for a document that is malformed or exceeds a limit it returns `None`, and the caller parses the
//! text again with `async-graphql-parser` to find the error.
//! <https://spec.graphql.org/September2025/#sec-Appendix-Grammar-Summary.Document-Syntax>

use std::collections::HashSet;

use async_graphql_parser::types::{
    BaseType, Directive, Field, FragmentDefinition, FragmentSpread, InlineFragment, OperationDefinition, OperationType,
    Selection, SelectionSet, Type, TypeCondition, VariableDefinition,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::{Name, Value};
use indexmap::IndexMap;

use super::Limits;
use super::prescan::NAME;
use lexer::{Lexeme, Lexer};

mod lexer;
mod text;

/// The deepest nesting of brackets, whatever the limits are: this parser recurses.
const NESTING: usize = 64;

/// The definitions of a document, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) operations: Vec<(Option<String>, Positioned<OperationDefinition>)>,
    pub(super) fragments: Vec<(String, Positioned<FragmentDefinition>)>,
}

/// Parses a document. Returns `None` if it is malformed, exceeds a limit, or has duplicate names.
pub(super) fn read(text: &str, limits: &Limits) -> Option<Definitions> {
    if text.len() > limits.bytes {
        return None;
    }
    let lexer = Lexer::new(text, limits.tokens);
    let position = Pos { line: 1, column: 1 };
    let mut reader = Reader { lexer, token: Lexeme::End, position, nesting: limits.nesting.min(NESTING) };
    reader.advance()?;
    let definitions = reader.document()?;
    definitions.are_distinct().then_some(definitions)
}

impl Definitions {
    /// Whether names are distinct, and an anonymous operation is the only one.
    fn are_distinct(&self) -> bool {
        let mut fragments = HashSet::new();
        let unique = self.fragments.iter().all(|(name, _)| fragments.insert(name.as_str()));
        let operations = match self.operations.as_slice() {
            [] => false,
            [_] => true,
            several => {
                let mut names = HashSet::new();
                several.iter().all(|(name, _)| name.as_deref().is_some_and(|name| names.insert(name)))
            }
        };
        unique && operations
    }
}

/// The current token and the lexer for those after it.
struct Reader<'a> {
    lexer: Lexer<'a>,
    token: Lexeme<'a>,
    position: Pos,
    /// How many more brackets may be open at once.
    nesting: usize,
}

/// Whether a value may contain variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variables {
    Allowed,
    Refused,
}

type Arguments = Vec<(Positioned<Name>, Positioned<Value>)>;

impl<'a> Reader<'a> {
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
                definitions.operations.push((None, Positioned::new(definition, position)));
                return Some(());
            }
            Lexeme::Name("query") => OperationType::Query,
            Lexeme::Name("mutation") => OperationType::Mutation,
            Lexeme::Name("subscription") => OperationType::Subscription,
            Lexeme::Name("fragment") => {
                self.advance()?;
                let (name, fragment) = self.fragment()?;
                definitions.fragments.push((name, Positioned::new(fragment, position)));
                return Some(());
            }
            _ => return None,
        };
        self.advance()?;
        let (name, operation) = self.operation(kind)?;
        definitions.operations.push((name, Positioned::new(operation, position)));
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
        let name = self.word().filter(|name| *name != "on")?.to_owned();
        let definition = FragmentDefinition {
            type_condition: self.type_condition()?,
            directives: self.directives(Variables::Allowed)?,
            selection_set: self.selection_set()?,
        };
        Some((name, definition))
    }

    fn type_condition(&mut self) -> Option<Positioned<TypeCondition>> {
        let position = self.position;
        self.word().filter(|word| *word == "on")?;
        Some(Positioned::new(TypeCondition { on: self.name()? }, position))
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
        let default_value = match self.skip(b'=')? {
            true => {
                let value = self.value(Variables::Refused)?;
                Some(Positioned::new(value.node.into_const()?, value.pos))
            }
            false => None,
        };
        let directives = self.directives(Variables::Refused)?;
        Some(Positioned::new(VariableDefinition { name, var_type, directives, default_value }, position))
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
        Some(Type { base, nullable: !self.skip(b'!')? })
    }

    // ---- selections

    fn selection_set(&mut self) -> Option<Positioned<SelectionSet>> {
        let position = self.position;
        let mut items = Vec::new();
        self.open(b'{')?;
        while items.is_empty() || self.token != Lexeme::Punctuator(b'}') {
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
                let spread =
                    FragmentSpread { fragment_name: self.name()?, directives: self.directives(Variables::Allowed)? };
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
        let (alias, name) = match self.skip(b':')? {
            true => (Some(first), self.name()?),
            false => (None, first),
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
            let directive = Directive { name: self.name()?, arguments: self.arguments(variables)? };
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
                self.advance()?;
                Value::String(text::string(raw, escapes)?)
            }
            Lexeme::Block(raw) => {
                self.advance()?;
                Value::String(text::block(raw))
            }
            Lexeme::Punctuator(_) | Lexeme::Spread | Lexeme::End => return None,
        };
        Some(Positioned::new(value, position))
    }

    fn list(&mut self, variables: Variables) -> Option<Value> {
        let mut items = Vec::new();
        self.open(b'[')?;
        while self.token != Lexeme::Punctuator(b']') {
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
            let name = Name::new(self.word()?);
            self.punctuator(b':')?;
            if fields.insert(name, self.value(variables)?.node).is_some() {
                return None;
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
        match self.token == Lexeme::Punctuator(wanted) {
            true => self.advance(),
            false => None,
        }
    }

    /// Consumes the punctuator if it is the current token. Returns whether it was.
    fn skip(&mut self, wanted: u8) -> Option<bool> {
        match self.token == Lexeme::Punctuator(wanted) {
            true => self.advance().map(|()| true),
            false => Some(false),
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
        let Lexeme::Name(name) = self.token else { return None };
        if name.len() > NAME {
            return None;
        }
        self.advance()?;
        Some(name)
    }

    fn name(&mut self) -> Option<Positioned<Name>> {
        let position = self.position;
        Some(Positioned::new(Name::new(self.word()?), position))
    }
}

#[cfg(test)]
mod tests;
