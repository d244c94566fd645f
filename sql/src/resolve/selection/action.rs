//! An action's call: its arguments, and what is selected from the handler's answer.

use std::sync::Arc;

use crate::graphql::variables::Template;
use crate::postgres::types::Input;

/// A root field that a handler answers. `R` is what is read through a relation: rows to plan, later
/// a translation.
#[derive(Debug)]
pub struct ActionCall<R> {
    /// The index of the action.
    pub action: u32,
    /// The path in the request, for errors: `$.selectionSet.login`.
    pub path: String,
    /// The names and types of the action's arguments, with the values that are given.
    pub input: Template,
    /// What is selected.
    pub output: ActionOutput<R>,
}

/// A value of the handler's answer.
#[derive(Debug)]
pub struct ActionOutput<R> {
    /// The type in GraphQL notation, for messages in the log: `[User!]!`.
    pub r#type: String,
    /// Whether it is a list.
    pub list: bool,
    /// Whether it is non-null.
    pub required: bool,
    /// Whether the items of the list may be null.
    pub sparse: bool,
    /// The kind of the value, or of the list's items.
    pub kind: ActionOutputKind<R>,
}

/// The kind of a value of the handler's answer.
#[derive(Debug)]
pub enum ActionOutputKind<R> {
    /// A scalar.
    Scalar(Input),
    /// A value of GraphQL's `ID`, which is written as a string.
    Id,
    /// Any JSON.
    Json,
    /// One of these enum values.
    Enum(Arc<[String]>),
    /// An object, with the fields that are selected, in order.
    Object(Vec<ActionResponseField<R>>),
}

/// A field selected from an object of the handler's answer.
#[derive(Debug)]
pub struct ActionResponseField<R> {
    /// The response key.
    pub key: String,
    /// The content.
    pub kind: ActionFieldKind<R>,
}

/// The content of a field.
#[derive(Debug)]
pub enum ActionFieldKind<R> {
    /// A constant: `__typename`.
    Constant(String),
    /// The value under this name in the object.
    Value(String, ActionOutput<R>),
    /// The rows of a table whose columns equal values of the object.
    Related(RelatedRows<R>),
}

/// The rows that a relation leads to from one object.
#[derive(Debug)]
pub struct RelatedRows<R> {
    /// The names of the object's fields that join, and the input of their columns. The value of
    /// each is a variable, whose name is its index.
    pub keys: Vec<(String, Input)>,
    /// Whether at most one row is read, which is then no list.
    pub one: bool,
    /// The rows.
    pub rows: R,
}

impl<R> ActionCall<R> {
    /// Converts what is read through relations.
    pub(crate) fn try_map<S, E>(
        self,
        map: &impl Fn(R) -> Result<S, E>,
    ) -> Result<ActionCall<S>, E> {
        let ActionCall {
            action,
            path,
            input,
            output,
        } = self;
        Ok(ActionCall {
            action,
            path,
            input,
            output: output.try_map(map)?,
        })
    }
}

impl<R> ActionOutput<R> {
    fn try_map<S, E>(self, map: &impl Fn(R) -> Result<S, E>) -> Result<ActionOutput<S>, E> {
        let ActionOutput {
            r#type,
            list,
            required,
            sparse,
            kind,
        } = self;
        let kind = match kind {
            ActionOutputKind::Scalar(input) => ActionOutputKind::Scalar(input),
            ActionOutputKind::Id => ActionOutputKind::Id,
            ActionOutputKind::Json => ActionOutputKind::Json,
            ActionOutputKind::Enum(values) => ActionOutputKind::Enum(values),
            ActionOutputKind::Object(fields) => {
                let fields = fields.into_iter().map(|field| field.try_map(map));
                ActionOutputKind::Object(fields.collect::<Result<_, E>>()?)
            }
        };
        Ok(ActionOutput {
            r#type,
            list,
            required,
            sparse,
            kind,
        })
    }

    /// What is read through relations, in the order of the selection.
    pub fn related<'o>(&'o self, found: &mut Vec<&'o RelatedRows<R>>) {
        let ActionOutputKind::Object(fields) = &self.kind else {
            return;
        };
        for field in fields {
            match &field.kind {
                ActionFieldKind::Constant(_) => {}
                ActionFieldKind::Value(_, output) => output.related(found),
                ActionFieldKind::Related(related) => found.push(related),
            }
        }
    }
}

impl<R> ActionResponseField<R> {
    fn try_map<S, E>(self, map: &impl Fn(R) -> Result<S, E>) -> Result<ActionResponseField<S>, E> {
        let kind = match self.kind {
            ActionFieldKind::Constant(text) => ActionFieldKind::Constant(text),
            ActionFieldKind::Value(name, output) => {
                ActionFieldKind::Value(name, output.try_map(map)?)
            }
            ActionFieldKind::Related(RelatedRows { keys, one, rows }) => {
                ActionFieldKind::Related(RelatedRows {
                    keys,
                    one,
                    rows: map(rows)?,
                })
            }
        };
        Ok(ActionResponseField {
            key: self.key,
            kind,
        })
    }
}
