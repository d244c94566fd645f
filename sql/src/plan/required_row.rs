//! The row that has to be visible before anything is answered or written.

use std::rc::Rc;

use super::builder::Builder;
use super::condition_cost::ConditionPlacement;
use super::{Assertion, AssertionKind, Denied, Expression, Predicate, Term};
use crate::error::Cause;
use crate::model::access::{Access, Purpose};
use crate::model::operators;
use crate::resolve::Options;
use crate::resolve::selection::{Arguments, Required, Selection};

/// What has to be so before a query is answered. It takes the first two numbers, one for its scan.
#[derive(Debug)]
pub struct Precondition<'m> {
    /// What has to be so.
    pub demand: Assertion<'m>,
    /// The number of the part that finds it out.
    pub part: u32,
}

/// The numbers that [`required`] takes of a statement.
pub(super) const TAKEN: u32 = 2;

/// The row that a query requires, if it does.
pub fn required<'m>(
    access: &'m Access,
    selection: &Selection<'m>,
    options: Options,
) -> Result<Option<Precondition<'m>>, Denied> {
    selection.required.as_ref().map(|required| precondition(access, required, options)).transpose()
}

/// What has to be so where a row is required.
pub fn precondition<'m>(access: &'m Access, required: &Required, options: Options) -> Result<Precondition<'m>, Denied> {
    let demand = Builder::new(access, options).visible(required)?;
    Ok(Precondition { demand, part: TAKEN - 1 })
}

impl<'m> Builder<'m> {
    /// `EXISTS (SELECT FROM t AS _0 WHERE rule AND _0.key = $1)`. The key needs no grant: nothing of it is shown, and what is
    /// told is whether the row is visible.
    pub(super) fn visible(&mut self, required: &Required) -> Result<Assertion<'m>, Denied> {
        let scan = self.open(required.table, Purpose::Rows)?;
        let key = Term::Column(scan.key(required.column));
        let is_it = self.comparison(key, operators::equal(), std::slice::from_ref(&required.key));
        let select = self.select(scan.clone(), Vec::new(), &Arguments::default())?;
        let mut sides = ConditionPlacement::default();
        self.put(&scan, Predicate::Compare(Box::new(is_it)), &mut sides);
        let ConditionPlacement { safe, outside, .. } = sides;
        let row = Expression::Exists(Rc::new(super::Select { safe, outside, ..select }));
        Ok(Assertion { what: AssertionKind::Holds(row), cause: Cause::Required, path: "$".into() })
    }
}
