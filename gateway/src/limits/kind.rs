//! The kinds of limits of a role, with their names in the settings file.

use std::time::Duration;

use sql::graphql::document::bound;
use sql::statement::PATTERNS;

use super::Limits;

/// A kind of limit of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// Nesting of fields.
    Depth,
    /// Different fields.
    Height,
    /// Fields with subfields.
    Nodes,
    /// Aliases.
    Aliases,
    /// Root fields.
    Roots,
    /// Fields.
    Fields,
    /// Tokens of a document.
    Tokens,
    /// Requests in a batch.
    Batch,
    /// Bytes of a request body.
    Body,
    /// Bytes of a response.
    Answer,
    /// Duration of a request.
    Time,
    /// Rows that the planner expects.
    Rows,
    /// Total cost that the planner expects.
    Cost,
    /// Connections that requests of the role use at a time.
    Connections,
    /// Bytes of patterns.
    Patterns,
}

impl LimitKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [LimitKind; 15] = [
        LimitKind::Depth,
        LimitKind::Height,
        LimitKind::Nodes,
        LimitKind::Aliases,
        LimitKind::Roots,
        LimitKind::Fields,
        LimitKind::Tokens,
        LimitKind::Batch,
        LimitKind::Body,
        LimitKind::Answer,
        LimitKind::Time,
        LimitKind::Rows,
        LimitKind::Cost,
        LimitKind::Connections,
        LimitKind::Patterns,
    ];

    /// The name in the settings file, in metrics and in the log.
    pub fn name(self) -> &'static str {
        match self {
            LimitKind::Depth => "depth",
            LimitKind::Height => "height",
            LimitKind::Nodes => "nodes",
            LimitKind::Aliases => "aliases",
            LimitKind::Roots => "roots",
            LimitKind::Fields => "fields",
            LimitKind::Tokens => "tokens",
            LimitKind::Batch => "batch",
            LimitKind::Body => "body",
            LimitKind::Answer => "answer",
            LimitKind::Time => "time",
            LimitKind::Rows => "rows",
            LimitKind::Cost => "cost",
            LimitKind::Connections => "connections",
            LimitKind::Patterns => "patterns",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<LimitKind> {
        LimitKind::ALL.into_iter().find(|bound| bound.name() == name)
    }

    /// The kind for the name of a limit in an error of the crate `sql`.
    pub fn of_document(limit: &str) -> Option<LimitKind> {
        Some(match limit {
            bound::DEPTH => LimitKind::Depth,
            bound::HEIGHT => LimitKind::Height,
            bound::NODES => LimitKind::Nodes,
            bound::ALIASES => LimitKind::Aliases,
            bound::ROOTS => LimitKind::Roots,
            bound::FIELDS => LimitKind::Fields,
            bound::TOKENS | bound::VALUES => LimitKind::Tokens,
            sql::statement::LIST => LimitKind::Answer,
            PATTERNS => LimitKind::Patterns,
            _ => return None,
        })
    }

    /// The field of this kind in the limits; none for the time, which is not a number.
    fn place(self, limits: &mut Limits) -> Option<&mut usize> {
        Some(match self {
            LimitKind::Depth => &mut limits.document.depth,
            LimitKind::Height => &mut limits.document.height,
            LimitKind::Nodes => &mut limits.document.nodes,
            LimitKind::Aliases => &mut limits.document.aliases,
            LimitKind::Roots => &mut limits.document.roots,
            LimitKind::Fields => &mut limits.document.fields,
            LimitKind::Tokens => &mut limits.document.tokens,
            LimitKind::Batch => &mut limits.batch,
            LimitKind::Body => &mut limits.body,
            LimitKind::Answer => &mut limits.answer,
            LimitKind::Time => return None,
            LimitKind::Rows => &mut limits.rows,
            LimitKind::Cost => &mut limits.cost,
            LimitKind::Connections => &mut limits.connections,
            LimitKind::Patterns => &mut limits.patterns,
        })
    }

    /// Sets the value of this kind in the limits.
    pub(super) fn set(self, limits: &mut Limits, value: Value) {
        match (self.place(limits), value) {
            (Some(place), Value::Number(number)) => *place = number,
            (None, Value::Time(time)) => limits.time = time,
            _ => {}
        }
    }
}

/// The value of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// The value of the time limit.
    Time(Duration),
    /// The value of any other limit.
    Number(usize),
}

impl Value {
    /// A value that no request exceeds.
    pub(super) fn none(bound: LimitKind) -> Value {
        match bound {
            LimitKind::Time => Value::Time(Duration::MAX),
            _ => Value::Number(usize::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_field_and_a_name() {
        for (place, bound) in LimitKind::ALL.into_iter().enumerate() {
            assert_eq!(bound as usize, place);
            assert_eq!(LimitKind::named(bound.name()), Some(bound));
            let mut limits = Limits::default();
            bound.set(&mut limits, Value::none(bound));
            assert_ne!(limits, Limits::default(), "{bound:?}");
        }
        assert_eq!(LimitKind::named("role"), None);
    }
}
