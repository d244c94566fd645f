//! The plan of a mutation as a tree: the statements of a transaction, their CTEs and assertions.

use std::rc::Rc;
use std::sync::Arc;

use super::scan::{Column as ScanColumn, Returned, Scan, TransferredKey};
use super::tree::{Expression, NativeQuery, Predicate, RowCountSource, Select};
use crate::encode::shape;
use crate::encode::shape::{Node, ResponseShape};
use crate::error::{Cause, LengthLimit};
use crate::model::access::Rule;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ArbiterIndex, Column, ColumnId, Oid, Table};
use crate::postgres::types::Scalar;
use crate::statement::{GivenRows, LevelSteps, Parameter, RowsParameter};

/// The statements of a mutation, in order.
#[derive(Debug)]
pub struct MutationPlan<'m> {
    /// The statements.
    pub steps: Vec<Step<'m>>,
    /// The inserts whose statements run for one row after another.
    pub row_by_row: Vec<LevelSteps>,
    /// The response text after the last statement.
    pub response_suffix: String,
}

/// One statement of a mutation: `WITH parts SELECT output WHERE demands`. It returns one row.
#[derive(Debug)]
pub struct Step<'m> {
    /// The response text before the part that this statement returns.
    pub response_prefix: String,
    /// The path in the request, for errors of the database.
    pub path: String,
    /// The CTEs before the `SELECT`, in the order of the text.
    pub parts: Vec<Cte<'m>>,
    /// For a statement without `WITH`, the rows that its only part writes: the output is in that
    /// part's `RETURNING`.
    pub direct: Option<Scan<'m>>,
    /// The assertions that have to pass once all parts have run.
    pub assertions: Vec<Assertion<'m>>,
    /// The columns of the row that are sent to the client.
    pub output: Vec<Expression<'m>>,
    /// Further columns, which transfer values to later statements and are not sent.
    pub transfers: Vec<Expression<'m>>,
    /// The part of the response that the output becomes; none if nothing is sent.
    pub node: Option<Node>,
}

/// A part of a statement, a common table expression: `_1 AS (…)`.
#[derive(Debug)]
pub struct Cte<'m> {
    /// The number in its name, from the same sequence as aliases.
    pub number: u32,
    /// The query of the CTE.
    pub kind: PartKind<'m>,
}

/// The query of a CTE.
#[derive(Debug)]
pub enum PartKind<'m> {
    /// The rows of the request's input.
    Given(Box<InputRows<'m>>),
    /// Checks on rows before they are written.
    Guard(Box<CheckCte<'m>>),
    /// `INSERT`
    Insert(Box<InsertPlan<'m>>),
    /// The rows to update, locked and with their new values: `SELECT … FOR NO KEY UPDATE`.
    Lock(Box<SelectForUpdate<'m>>),
    /// The row that others are linked to.
    Find(Rc<Select<'m>>),
    /// `UPDATE`
    Update(Box<UpdatePlan<'m>>),
    /// `DELETE`
    Delete(Box<DeletePlan<'m>>),
    /// A native query.
    Named(Box<NativeQuery<'m>>),
}

/// A condition that has to be true; otherwise the statement fails with an
/// [`crate::statement::AssertionToken`].
#[derive(Debug)]
pub struct Assertion<'m> {
    /// The condition.
    pub what: AssertionKind<'m>,
    /// The cause reported when it fails.
    pub cause: Cause,
    /// The path in the request.
    pub path: String,
}

/// The condition of an assertion.
#[derive(Debug)]
pub enum AssertionKind<'m> {
    /// The row counts add up to at most a number.
    AtMost {
        /// The row counts.
        counted: Vec<RowCountSource>,
        /// The number.
        most: u32,
    },
    /// A CTE has exactly one row.
    ExactlyOne {
        /// The number of the CTE.
        part: u32,
    },
    /// A CTE has exactly one row, and a rule over its rows is true for it.
    ExactlyOneWhere {
        /// The number of the CTE.
        part: u32,
        /// The rule, under its alias.
        rule: ScanColumn<'m>,
    },
    /// Two CTEs have the same number of rows.
    AsMany {
        /// The number of one CTE.
        part: u32,
        /// The number of the other.
        other: u32,
    },
    /// An expression is true.
    IsTrue(Expression<'m>),
}

impl Step<'_> {
    /// A statement without parts and output.
    pub(super) fn new<'m>(lead: String, path: String) -> Step<'m> {
        Step {
            response_prefix: lead,
            path,
            parts: Vec::new(),
            direct: None,
            assertions: Vec::new(),
            output: Vec::new(),
            transfers: Vec::new(),
            node: None,
        }
    }

    /// The part of the response that its row becomes.
    pub fn shape(&self) -> shape::Shape {
        shape::Shape {
            response: ResponseShape::Part(self.node.clone()),
        }
    }
}

/// `UPDATE t AS _0 SET … WHERE … RETURNING …`
#[derive(Debug)]
pub struct UpdatePlan<'m> {
    /// The table.
    pub target: Scan<'m>,
    /// The assigned columns.
    pub assignments: Vec<(&'m Column, Assigned<'m>)>,
    /// The rows to update.
    pub rows: UpdateTarget<'m>,
    /// The check on each row as it is stored.
    pub check: Option<Check<'m>>,
    /// The columns in `RETURNING`.
    pub returned: Returned<'m>,
}

/// The rows that an update changes.
#[derive(Debug)]
pub enum UpdateTarget<'m> {
    /// Rows that pass a condition.
    Condition(Condition<'m>),
    /// Rows that a CTE has locked: the columns of the key with their names in that CTE, and a check
    /// that runs on all its rows first.
    Locked(Vec<(&'m Column, String)>, Check<'m>),
}

/// `SELECT … FROM t AS _0 WHERE … FOR NO KEY UPDATE OF _0`: locks rows and returns their new
/// values.
#[derive(Debug)]
pub struct SelectForUpdate<'m> {
    /// The table.
    pub target: Scan<'m>,
    /// The columns of the key before the update, with their names here.
    pub key: Vec<(&'m Column, String)>,
    /// The new values of columns.
    pub assignments: Vec<(&'m Column, Assigned<'m>)>,
    /// Further columns that the check reads, unchanged.
    pub kept: Vec<&'m Column>,
    /// The columns that later CTEs and statements use, for rows that are only locked.
    pub returned: Option<Returned<'m>>,
    /// The rows to lock.
    pub condition: Condition<'m>,
}

/// `DELETE FROM t AS _0 WHERE … RETURNING …`
#[derive(Debug)]
pub struct DeletePlan<'m> {
    /// The table.
    pub target: Scan<'m>,
    /// The rows to delete.
    pub condition: Condition<'m>,
    /// The columns in `RETURNING`.
    pub returned: Returned<'m>,
}

/// The condition on the rows that are written, beside the rule of the target.
#[derive(Debug, Default)]
pub struct Condition<'m> {
    /// Conditions that cannot raise.
    pub safe: Vec<Predicate<'m>>,
    /// Conditions that may raise: they are evaluated only on rows that pass the rule.
    pub raising: Vec<Predicate<'m>>,
    /// Conditions that every selected row has to meet, or the statement fails; with the path in the
    /// request.
    pub expected: Option<(Vec<Predicate<'m>>, String)>,
}

/// The new value of a column.
#[derive(Clone, Debug)]
pub enum Assigned<'m> {
    /// An update operator of the request, with its value.
    Given(UpdateOperator, Parameter),
    /// An update operator that adds to the stored value, up to a length.
    Extended(UpdateOperator, Parameter, ResultLimit),
    /// A preset rule of the role's grant.
    Preset(&'m Rule, &'m Table),
    /// Null.
    Null,
    /// The column of that name in the CTE of that number.
    Locked(u32),
    /// The first value that an earlier statement has transferred.
    Transferred(TransferredKey<'m>),
}

/// The limit on the length of the value that an update operator makes of a stored value.
#[derive(Clone, Debug)]
pub struct ResultLimit {
    /// The limit.
    pub limit: LengthLimit,
    /// The column's GraphQL name.
    pub name: String,
    /// The path of the update in the request.
    pub path: String,
}

/// `INSERT INTO t AS _2 (…) SELECT … FROM _1 WHERE guard ON CONFLICT … RETURNING …`
#[derive(Debug)]
pub struct InsertPlan<'m> {
    /// The alias of the table.
    pub alias: u32,
    /// The table.
    pub table: &'m Table,
    /// The columns that are written.
    pub columns: Vec<&'m str>,
    /// Whether an identity column is one of them, so that `OVERRIDING` is needed.
    pub overriding: bool,
    /// The rows.
    pub rows: InsertSource<'m>,
    /// The check on the rows before they are written.
    pub judge: CheckStrategy<'m>,
    /// What happens to rows that exist already.
    pub conflict: Option<Conflict<'m>>,
    /// Checks on the rows as they are stored.
    pub stored: Option<StoredRowChecks<'m>>,
    /// The name of a returned column that is true for updated rows, if updated rows are counted
    /// separately.
    pub mark: Option<String>,
    /// The columns in `RETURNING`.
    pub returned: Returned<'m>,
}

/// The source of the rows of an `INSERT`.
#[derive(Debug)]
pub enum InsertSource<'m> {
    /// The CTE of that number.
    Part(u32),
    /// The rows, inside the `INSERT` itself, under that alias.
    Here(u32, Box<InputRows<'m>>),
}

/// Checks all new rows of a statement before any of them is written: `SELECT (…)::bool AND
/// (…)::bool AS ok`
#[derive(Debug)]
pub struct CheckCte<'m> {
    /// The checks, each on the rows of one CTE.
    pub checks: Vec<Check<'m>>,
}

/// How rows are checked before they are written.
#[derive(Debug)]
pub enum CheckStrategy<'m> {
    /// Not at all.
    None,
    /// In the statement that writes them, which has only one row.
    Itself(Check<'m>),
    /// In the CTE of that number.
    Guard(u32),
}

/// The input rows, one `SELECT` for each set of columns: `SELECT _2."name", now() AS "at", _2."_n"
/// FROM unnest($1::text[]) WITH ORDINALITY AS _2("name", "_n") UNION ALL …`
#[derive(Debug)]
pub struct InputRows<'m> {
    /// The table that they are for.
    pub table: &'m Table,
    /// The columns available before the rows are written.
    pub columns: Vec<NewColumn<'m>>,
    /// The rows.
    pub batches: Vec<InputBatch<'m>>,
    /// The name of the column with each row's number, from 1, if it is used.
    pub number: Option<String>,
    /// The name of the column with the number of each row's parent row.
    pub parent: Option<String>,
}

/// A column of new rows.
#[derive(Debug)]
pub struct NewColumn<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its type.
    pub scalar: Arc<Scalar>,
    /// Whether it is written. A column that is not written is null here, for the CTEs that use it.
    pub written: bool,
}

/// Rows with values for the same columns.
#[derive(Debug)]
pub struct InputBatch<'m> {
    /// The alias of the rows.
    pub alias: u32,
    /// The source of the rows.
    pub rows: InputSource,
    /// The links to the rows that these depend on.
    pub links: Vec<Link<'m>>,
    /// The value of each column.
    pub values: Vec<NewValue<'m>>,
}

/// The source of input rows.
#[derive(Debug)]
pub enum InputSource {
    /// One row; each value is a parameter.
    One,
    /// Arrays, with one element for each row.
    Arrays(Arc<GivenRows>),
}

/// The value of a column of a new row.
#[derive(Clone, Debug)]
pub enum NewValue<'m> {
    /// A value of the request, or an array of values.
    Given(Arc<GivenRows>, RowsParameter),
    /// A column of a linked row: the position of the link, and of its column.
    Linked(usize, usize),
    /// The result of the role's preset rule.
    Preset(&'m Rule),
    /// The value that the column gets when the input omits it.
    Absent(MissingColumnValue<'m>),
}

/// Rows that new rows depend on, joined to them: `JOIN _1 AS _4 ON _4."_n" = _3."_p"`
#[derive(Clone, Debug)]
pub struct Link<'m> {
    /// The alias of the other rows.
    pub alias: u32,
    /// The source of the other rows.
    pub rows: ParentRows<'m>,
    /// Which side has the number of the other's row.
    pub along: LinkDirection,
    /// The columns that are copied.
    pub columns: Vec<LinkColumn<'m>>,
}

/// A column that is copied from one row to another.
#[derive(Clone, Debug)]
pub struct LinkColumn<'m> {
    /// The column of the new row.
    pub here: ColumnId,
    /// The name of the other row's column.
    pub there: &'m str,
    /// The type of the other row's column.
    pub r#type: Oid,
}

/// The source of rows that new rows depend on.
#[derive(Clone, Debug)]
pub enum ParentRows<'m> {
    /// The CTE of that number, and the name of the column to join by.
    Part(u32, String),
    /// Keys that an earlier statement transferred, in the order of its rows. If only some of the
    /// new rows have one, the setting of that number contains which.
    Transferred(Vec<TransferredKey<'m>>, Option<u32>),
    /// The key of one row that an earlier statement transferred, on which all new rows depend.
    Only(Vec<TransferredKey<'m>>),
}

/// Which side of a link has the number of the other's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkDirection {
    /// Each row here has the number of its parent row.
    Parent,
    /// Each row of the other level has the number of the row here that it came with.
    Child,
}

impl<'m> Link<'m> {
    /// A copy under another alias.
    pub(super) fn in_parent_rows(&self, alias: u32) -> Link<'m> {
        Link {
            alias,
            ..self.clone()
        }
    }
}

/// The value of a column that an insert omits.
#[derive(Clone, Copy, Debug)]
pub enum MissingColumnValue<'m> {
    /// Null.
    Nothing,
    /// The column's default expression.
    Default(&'m str),
    /// The next value of an identity column's sequence.
    Identity(&'m Table, &'m str),
}

/// `ON CONFLICT (…) DO …`
#[derive(Debug)]
pub struct Conflict<'m> {
    /// The unique index that decides whether a row exists already.
    pub arbiter: ArbiterIndex<'m>,
    /// The update of the existing row; none to leave it as it is.
    pub update: Option<OnConflictUpdate<'m>>,
}

/// `DO UPDATE SET … WHERE …`
#[derive(Debug)]
pub struct OnConflictUpdate<'m> {
    /// The existing row, under the rule of the grant to update.
    pub scan: Scan<'m>,
    /// The columns that change, each with its preset rule; without one it gets the value that was
    /// to be inserted.
    pub columns: Vec<(ColumnId, Option<&'m Rule>)>,
    /// The request's condition on the existing row.
    pub filter: Option<Predicate<'m>>,
    /// The check on the new version of the row.
    pub check: Option<Check<'m>>,
    /// The most rows that may be updated.
    pub most: Option<u32>,
}

/// Checks on rows as they are stored.
#[derive(Debug)]
pub struct StoredRowChecks<'m> {
    /// The check on inserted rows.
    pub inserted: Option<Check<'m>>,
    /// The check on updated rows.
    pub updated: Option<Check<'m>>,
    /// Whether a row may be inserted or updated.
    pub either: bool,
    /// Whether updated rows can be distinguished from inserted ones; if not, both checks apply to
    /// all rows.
    pub apart: bool,
}

/// A check on written rows.
#[derive(Clone, Debug)]
pub struct Check<'m> {
    /// The number of the CTE with the rows.
    pub rows: u32,
    /// Their table.
    pub table: &'m Table,
    /// The rule that each row has to satisfy.
    pub rule: &'m Rule,
    /// The path of the input in the request, for errors.
    pub path: String,
}
