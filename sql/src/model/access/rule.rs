//! `Rule`: a compiled row rule, check, preset or mask of a role.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::postgres::catalog::{ColumnId, Oid, TableId};

/// The rule `true`, which grants without a condition share.
static EVERYTHING: LazyLock<Rule> = LazyLock::new(|| Rule::constant("true"));

/// A compiled row rule, check, preset or mask, at a line of the permission file: an SQL expression
/// over the columns of one table. Roles that repeat a rule share its expression, so that a clone
/// costs little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    expression: Arc<RuleExpression>,
    line: u32,
}

/// The compiled form of a rule, independent of its line in the permission file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleExpression {
    /// The expression's fragments, in order.
    pub pieces: Arc<[RuleFragment]>,
    /// The permission file's path, as given in the settings.
    pub file: Arc<str>,
    /// The rule's text in the file: `member_of(data_controller_id)`.
    pub text: Arc<str>,
    /// The tables that its subqueries and functions read.
    pub reads: RuleDependencies,
    /// The rule decomposed into a membership, if it is one. Only set on rules for reading rows.
    pub membership: Option<Arc<Membership>>,
    /// The operands of the rule's top-level `AND`, with named rules expanded; empty if the rule was
    /// not decomposed.
    pub conjuncts: Arc<[Arc<[RuleFragment]>]>,
}

/// The tables that a rule reads besides the row that it applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RuleDependencies {
    /// No table.
    #[default]
    Nothing,
    /// These tables.
    Tables(Arc<[TableId]>),
    /// Unknown: the rule calls a function outside `pg_catalog`, or reads a view.
    Anything,
}

/// A fragment of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleFragment {
    /// SQL, rendered from the parsed tree.
    Sql(String),
    /// A column of the row that the rule applies to.
    Column(ColumnId),
    /// A session value, sent as a parameter.
    Session(SessionValue),
}

/// A decomposed rule: `EXISTS (SELECT FROM members AS m WHERE m.group = group AND m.user =
/// session.user) AND rest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    /// The table of memberships.
    pub table: TableId,
    /// Pairs of equal columns: of the row, of the membership.
    pub on: Vec<(ColumnId, ColumnId)>,
    /// Columns of the membership that each equal one session value or constant.
    pub fixed: Vec<ColumnId>,
    /// The item of the `FROM` clause: `"public"."members" AS "m"`.
    pub from: String,
    /// The condition on a membership, which reads no column of the row; empty if there is none.
    pub conditions: Vec<RuleFragment>,
    /// The condition on a row joined to a membership: the equality of `on`, and the rest of the
    /// rule.
    pub rows: Vec<RuleFragment>,
}

/// A session value that a rule uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionValue {
    /// Its name without the header's prefix, in lower case with underscores: `user_id`.
    pub name: String,
    /// Its type, an OID of the catalog: `uuid`, or an array such as `_uuid`.
    pub r#type: Oid,
    /// Whether it is null for callers without it, instead of an error.
    pub optional: bool,
}

/// A location in the permission file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file's path, as given in the settings.
    pub file: Arc<str>,
    /// The line, counted from 1; 0 for a rule that is in no file.
    pub line: u32,
    /// The text at that location: `member_of(data_controller_id)`.
    pub text: Arc<str>,
}

impl Rule {
    /// A rule at a line of the file, counted from 1; 0 for a rule that is in no file.
    pub fn new(expression: RuleExpression, line: u32) -> Rule {
        Rule {
            expression: Arc::new(expression),
            line,
        }
    }

    /// Returns a rule with this expression at another line.
    pub fn at_line(&self, line: u32) -> Rule {
        Rule {
            expression: self.expression.clone(),
            line,
        }
    }

    /// Returns the rule's location in the permission file.
    pub fn source(&self) -> SourceLocation {
        SourceLocation {
            file: self.file.clone(),
            line: self.line,
            text: self.text.clone(),
        }
    }

    /// The rule `true`: every row passes.
    pub fn everything() -> Rule {
        EVERYTHING.clone()
    }

    /// The rule `false`: no row passes.
    pub fn no_rows() -> Rule {
        Rule::constant("false")
    }

    /// A rule that reads neither columns nor session values.
    pub fn constant(sql: impl Into<String>) -> Rule {
        let sql = sql.into();
        let text = sql.as_str().into();
        let expression = RuleExpression {
            pieces: Arc::from([RuleFragment::Sql(sql)]),
            file: "".into(),
            text,
            reads: RuleDependencies::Nothing,
            membership: None,
            conjuncts: Arc::default(),
        };
        Rule::new(expression, 0)
    }

    /// Whether every row that passes this rule also passes `other`, as far as their texts prove it:
    /// `other` is `true`, equals this rule, or is a conjunction of some of this rule's conjuncts.
    pub fn implies(&self, other: &Rule) -> bool {
        let joined = !other.conjuncts.is_empty()
            && other
                .conjuncts
                .iter()
                .all(|part| self.conjuncts.contains(part));
        other.is_everything() || self.pieces == other.pieces || joined
    }

    /// Whether every row passes: the rule is the literal `true`.
    pub fn is_everything(&self) -> bool {
        matches!(&*self.pieces, [RuleFragment::Sql(sql)] if sql.eq_ignore_ascii_case("true"))
    }

    /// The rule cast to another type: `(…)::text`. The type is spelled as in
    /// [`crate::postgres::types::Scalar::sql`].
    pub fn cast(&self, r#type: &str) -> Rule {
        let pieces =
            std::iter::once(RuleFragment::Sql("(".into())).chain(self.pieces.iter().cloned());
        let pieces = pieces
            .chain([RuleFragment::Sql(format!(")::{type}"))])
            .collect();
        let expression = RuleExpression {
            pieces,
            membership: None,
            conjuncts: Arc::default(),
            ..RuleExpression::clone(self)
        };
        Rule::new(expression, self.line)
    }

    /// The columns of the row that the rule reads.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> {
        self.pieces.iter().filter_map(|piece| {
            if let RuleFragment::Column(column) = piece {
                Some(*column)
            } else {
                None
            }
        })
    }

    /// The session values that the rule uses.
    pub fn session_values(&self) -> impl Iterator<Item = &SessionValue> {
        self.pieces.iter().filter_map(|piece| match piece {
            RuleFragment::Session(value) => Some(value),
            _ => None,
        })
    }
}

impl Deref for Rule {
    type Target = RuleExpression;

    fn deref(&self) -> &RuleExpression {
        &self.expression
    }
}

impl RuleDependencies {
    /// Whether a rule with these dependencies may read one of these tables.
    pub fn may_read_any_of(&self, tables: &[TableId]) -> bool {
        match self {
            RuleDependencies::Nothing => false,
            RuleDependencies::Tables(read) => read.iter().any(|table| tables.contains(table)),
            RuleDependencies::Anything => true,
        }
    }

    /// The union of two dependencies.
    pub fn union(self, other: RuleDependencies) -> RuleDependencies {
        match (self, other) {
            (RuleDependencies::Nothing, other) | (other, RuleDependencies::Nothing) => other,
            (RuleDependencies::Tables(tables), RuleDependencies::Tables(others)) => {
                let new = others.iter().filter(|other| !tables.contains(other));
                RuleDependencies::Tables(tables.iter().chain(new).copied().collect())
            }
            _ => RuleDependencies::Anything,
        }
    }
}
