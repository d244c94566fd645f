//! Builds the SQL of a rule from text and session values. The types of session values are inferred
//! from all rules, so they are written last.
//!
//! [`Condition`] keeps AND, OR and NOT as a tree, to write parentheses only where they are needed.

use crate::names::ident;
use crate::session::{self, Session, SessionType};

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// SQL text.
    Sql(String),
    /// A space, where a long rule may be broken into lines.
    Break,
    /// A session value of the type that the rule needs.
    Session { name: String, wanted: SessionType },
    /// A condition that holds for all rows or for none. It becomes a named rule without arguments,
    /// marked as constant.
    Constant(String),
    /// No text: the name of a session variable inside of a JSON literal, where it is taken
    /// literally.
    Literally(String),
}

/// An SQL expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    pieces: Vec<Piece>,
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// `true`, `false`
    Always(bool),
    /// A comparison, or anything that binds more tightly than NOT.
    Test(Expression),
    /// `EXISTS (SELECT FROM … WHERE …)`
    Exists {
        from: String,
        on: Vec<String>,
        inner: Box<Condition>,
    },
    /// `NOT (…)`
    Not(Box<Condition>),
    /// `… AND …`
    And(Vec<Condition>),
    /// `… OR …`
    Or(Vec<Condition>),
}

impl Expression {
    /// Makes an expression from SQL without session values.
    pub(crate) fn sql(text: impl Into<String>) -> Expression {
        Expression {
            pieces: vec![Piece::Sql(text.into())],
        }
    }

    /// Makes an expression of a session value.
    pub(crate) fn session(name: String, wanted: SessionType) -> Expression {
        Expression {
            pieces: vec![Piece::Session { name, wanted }],
        }
    }

    /// Makes an expression of a constant condition, which refers to no enclosing table.
    pub(crate) fn constant(sql: String) -> Expression {
        Expression {
            pieces: vec![Piece::Constant(sql)],
        }
    }

    /// Records the names of session variables inside of a JSON literal.
    pub(crate) fn taking_literally(mut self, names: Vec<String>) -> Expression {
        self.pieces.extend(names.into_iter().map(Piece::Literally));
        self
    }

    /// The names of session variables that are taken literally.
    pub(crate) fn taken_literally(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literally(name) => Some(name.as_str()),
            Piece::Sql(_) | Piece::Break | Piece::Session { .. } | Piece::Constant(_) => None,
        })
    }

    /// Returns the text if the expression has no session values and refers to none of these tables.
    pub(crate) fn without(&self, tables: &[String]) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Sql(sql) => text.push_str(sql),
                Piece::Constant(sql) => text.push_str(&session::marked(sql)),
                Piece::Break => text.push(' '),
                Piece::Literally(_) => {}
                Piece::Session { .. } => return None,
            }
        }
        let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '"';
        let names = |table: &String| {
            let column = format!("{}.", ident(table));
            text.match_indices(&column).any(|(at, _)| {
                !text
                    .get(..at)
                    .is_some_and(|before| before.ends_with(part_of_name))
            })
        };
        (!tables.iter().any(names)).then_some(text)
    }

    /// Appends text.
    pub(crate) fn then(mut self, text: &str) -> Expression {
        self.pieces.push(Piece::Sql(text.to_owned()));
        self
    }

    /// Appends an expression.
    pub(crate) fn and(mut self, other: Expression) -> Expression {
        self.pieces.extend(other.pieces);
        self
    }

    /// Writes a call: `f(a, b)`.
    pub(crate) fn call(function: &str, arguments: Vec<Expression>) -> Expression {
        Expression::sql(format!("{function}("))
            .and(Expression::listed(arguments))
            .then(")")
    }

    /// Writes a list: `a, b`.
    pub(crate) fn listed(items: Vec<Expression>) -> Expression {
        let mut list = Expression::default();
        for (index, item) in items.into_iter().enumerate() {
            list = if index > 0 {
                list.then(", ").and(item)
            } else {
                item
            };
        }
        list
    }

    /// Records the session values and constant conditions that the expression needs.
    pub(crate) fn declare(&self, session: &mut Session) {
        for piece in &self.pieces {
            match piece {
                Piece::Session { name, wanted } => session.want(name, *wanted),
                Piece::Constant(sql) => session.constant(sql),
                Piece::Sql(_) | Piece::Break | Piece::Literally(_) => {}
            }
        }
    }

    /// Writes the text. The types of all session values must have been settled.
    pub(crate) fn text(&self, session: &Session) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Sql(text) => text.clone(),
            Piece::Break => " ".to_owned(),
            Piece::Session { name, wanted } => session.written(name, *wanted),
            Piece::Constant(sql) => session.call(sql),
            Piece::Literally(_) => String::new(),
        };
        self.pieces.iter().map(text).collect()
    }

    /// Writes the text, split at the breaks.
    pub(crate) fn lines(&self, session: &Session) -> Vec<String> {
        let parts = self.pieces.split(|piece| *piece == Piece::Break);
        parts
            .map(|part| {
                Expression {
                    pieces: part.to_vec(),
                }
                .text(session)
            })
            .collect()
    }
}

impl Condition {
    /// Joins conditions with AND. Without conditions the result is true.
    pub(crate) fn all(conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut kept = vec![];
        for condition in conditions {
            match condition {
                Condition::Always(true) => {}
                Condition::Always(false) => return Condition::Always(false),
                Condition::And(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Condition::Always(true),
            1 => kept.swap_remove(0),
            _ => Condition::And(kept),
        }
    }

    /// Joins conditions with OR. Without conditions the result is false.
    pub(crate) fn any(conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut kept = vec![];
        for condition in conditions {
            match condition {
                Condition::Always(false) => {}
                Condition::Always(true) => return Condition::Always(true),
                Condition::Or(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Condition::Always(false),
            1 => kept.swap_remove(0),
            _ => Condition::Or(kept),
        }
    }

    /// Negates the condition.
    pub(crate) fn negated(self) -> Condition {
        match self {
            Condition::Always(always) => Condition::Always(!always),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Writes a rule, with a break before each AND or OR of its top level.
    pub(crate) fn rule(self) -> Expression {
        match self {
            Condition::And(parts) => broken(parts, "AND ", |part| matches!(part, Condition::Or(_))),
            Condition::Or(parts) => broken(parts, "OR ", |part| matches!(part, Condition::And(_))),
            other => other.expression(),
        }
    }

    /// Writes the condition as SQL.
    pub(crate) fn expression(self) -> Expression {
        match self {
            Condition::Always(always) => Expression::sql(always.to_string()),
            Condition::Test(test) => test,
            Condition::Exists { from, on, inner } => exists(&from, &on, *inner),
            Condition::Not(inner) => match *inner {
                exists @ Condition::Exists { .. } => {
                    Expression::sql("NOT ").and(exists.expression())
                }
                other => Expression::sql("NOT (").and(other.expression()).then(")"),
            },
            Condition::And(parts) => joined(parts, &Expression::sql(" AND "), |part| {
                matches!(part, Condition::Or(_))
            }),
            Condition::Or(parts) => joined(parts, &Expression::sql(" OR "), |part| {
                matches!(part, Condition::And(_))
            }),
        }
    }
}

fn broken(parts: Vec<Condition>, word: &str, enclosed: impl Fn(&Condition) -> bool) -> Expression {
    let between = Expression {
        pieces: vec![Piece::Break],
    }
    .then(word);
    joined(parts, &between, enclosed)
}

fn joined(
    parts: Vec<Condition>,
    between: &Expression,
    enclosed: impl Fn(&Condition) -> bool,
) -> Expression {
    let mut whole = Expression::default();
    for (index, part) in parts.into_iter().enumerate() {
        whole = if index > 0 {
            whole.and(between.clone())
        } else {
            whole
        };
        whole = if enclosed(&part) {
            whole.then("(").and(part.expression()).then(")")
        } else {
            whole.and(part.expression())
        };
    }
    whole
}

fn exists(from: &str, on: &[String], inner: Condition) -> Expression {
    let on = on
        .iter()
        .map(|on| Condition::Test(Expression::sql(on.as_str())));
    let head = Expression::sql(format!("EXISTS (SELECT FROM {from}"));
    let condition = match inner {
        // The join condition stays, or the subquery would depend on no row.
        Condition::Always(false) => Condition::And(on.chain([Condition::Always(false)]).collect()),
        inner => Condition::all(on.chain([inner])),
    };
    match condition {
        Condition::Always(true) => head.then(")"),
        condition => head.then(" WHERE ").and(condition.expression()).then(")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_written_where_needed() {
        let test = |text: &str| Condition::Test(Expression::sql(text));
        let either = Condition::any([test("a"), Condition::all([test("b"), test("c")])]);
        let whole = Condition::all([Condition::Always(true), either, test("d").negated()]);
        let text = |condition: Condition| condition.expression().text(&Session::default());
        assert_eq!(text(whole), "(a OR (b AND c)) AND NOT (d)");
        assert_eq!(text(Condition::any([])), "false");
        assert_eq!(text(Condition::all([])), "true");
        let some = Condition::Exists {
            from: "t".into(),
            on: vec!["t.a = b".into()],
            inner: Box::new(Condition::any([])),
        };
        assert_eq!(
            text(some.negated()),
            "NOT EXISTS (SELECT FROM t WHERE t.a = b AND false)"
        );
    }
}
