//! What is bounded for a role, by the names of the settings file.

use std::time::Duration;

use sql::document::bound;
use sql::statement::PATTERNS;

use super::Limits;

/// What is bounded for a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Fields inside each other.
    Depth,
    /// Different fields.
    Height,
    /// Fields with fields inside them.
    Nodes,
    /// Aliases.
    Aliases,
    /// Root fields.
    Roots,
    /// Fields.
    Fields,
    /// Tokens of a document.
    Tokens,
    /// Requests of a batch.
    Batch,
    /// Bytes of a body.
    Body,
    /// Bytes of an answer.
    Answer,
    /// Time of a request.
    Time,
    /// Rows that the planner expects.
    Rows,
    /// Work that the planner expects.
    Cost,
    /// Connections that the role may hold.
    Connections,
    /// Bytes of patterns.
    Patterns,
}

impl Bound {
    /// All of them, in the order of their declaration.
    pub const ALL: [Bound; 15] = [
        Bound::Depth,
        Bound::Height,
        Bound::Nodes,
        Bound::Aliases,
        Bound::Roots,
        Bound::Fields,
        Bound::Tokens,
        Bound::Batch,
        Bound::Body,
        Bound::Answer,
        Bound::Time,
        Bound::Rows,
        Bound::Cost,
        Bound::Connections,
        Bound::Patterns,
    ];

    /// Its name in the settings file, in metrics and in the log.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Depth => "depth",
            Bound::Height => "height",
            Bound::Nodes => "nodes",
            Bound::Aliases => "aliases",
            Bound::Roots => "roots",
            Bound::Fields => "fields",
            Bound::Tokens => "tokens",
            Bound::Batch => "batch",
            Bound::Body => "body",
            Bound::Answer => "answer",
            Bound::Time => "time",
            Bound::Rows => "rows",
            Bound::Cost => "cost",
            Bound::Connections => "connections",
            Bound::Patterns => "patterns",
        }
    }

    /// The bound of that name.
    pub fn named(name: &str) -> Option<Bound> {
        Bound::ALL.into_iter().find(|bound| bound.name() == name)
    }

    /// The bound that a message about a document names.
    pub fn of_document(limit: &str) -> Option<Bound> {
        Some(match limit {
            bound::DEPTH => Bound::Depth,
            bound::HEIGHT => Bound::Height,
            bound::NODES => Bound::Nodes,
            bound::ALIASES => Bound::Aliases,
            bound::ROOTS => Bound::Roots,
            bound::FIELDS => Bound::Fields,
            bound::TOKENS | bound::VALUES => Bound::Tokens,
            sql::statement::LIST => Bound::Answer,
            PATTERNS => Bound::Patterns,
            _ => return None,
        })
    }

    /// Its place among the limits; none for the time, which is no number.
    fn place(self, limits: &mut Limits) -> Option<&mut usize> {
        Some(match self {
            Bound::Depth => &mut limits.document.depth,
            Bound::Height => &mut limits.document.height,
            Bound::Nodes => &mut limits.document.nodes,
            Bound::Aliases => &mut limits.document.aliases,
            Bound::Roots => &mut limits.document.roots,
            Bound::Fields => &mut limits.document.fields,
            Bound::Tokens => &mut limits.document.tokens,
            Bound::Batch => &mut limits.batch,
            Bound::Body => &mut limits.body,
            Bound::Answer => &mut limits.answer,
            Bound::Time => return None,
            Bound::Rows => &mut limits.rows,
            Bound::Cost => &mut limits.cost,
            Bound::Connections => &mut limits.connections,
            Bound::Patterns => &mut limits.patterns,
        })
    }

    /// Puts a value in its place among the limits.
    pub(super) fn set(self, limits: &mut Limits, value: Value) {
        match (self.place(limits), value) {
            (Some(place), Value::Number(number)) => *place = number,
            (None, Value::Time(time)) => limits.time = time,
            _ => {}
        }
    }
}

/// The value of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// Of the time.
    Time(Duration),
    /// Of everything else.
    Number(usize),
}

impl Value {
    /// What is never reached.
    pub(super) fn none(bound: Bound) -> Value {
        match bound {
            Bound::Time => Value::Time(Duration::MAX),
            _ => Value::Number(usize::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_place_and_its_name() {
        for (place, bound) in Bound::ALL.into_iter().enumerate() {
            assert_eq!(bound as usize, place);
            assert_eq!(Bound::named(bound.name()), Some(bound));
            let mut limits = Limits::default();
            bound.set(&mut limits, Value::none(bound));
            assert_ne!(limits, Limits::default(), "{bound:?}");
        }
        assert_eq!(Bound::named("role"), None);
    }
}
