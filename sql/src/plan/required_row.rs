//! The row that has to be visible to the role before a query is answered or a mutation writes
//! anything.

use std::rc::Rc;

use super::builder::Builder;
use super::{Assertion, AssertionKind, Denied, Expression, Predicate, Term};
use crate::error::Cause;
use crate::model::access::{Access, Purpose};
use crate::model::operators;
use crate::resolve::Options;
use crate::resolve::selection::{Arguments, Required, Selection};

/// The assertion that has to pass before a query is answered. It takes the first two aliases, one
/// of them for its scan.
#[derive(Debug)]
pub struct Precondition<'m> {
    /// The assertion.
    pub demand: Assertion<'m>,
    /// The number of the CTE that evaluates it.
    pub part: u32,
}

/// The number of aliases that [`required`] takes in a statement.
pub(super) const ALIAS_COUNT: u32 = 2;

/// The precondition of a query that requires a row; none if it requires none.
pub fn required<'m>(
    access: &'m Access,
    selection: &Selection<'m>,
    options: Options,
) -> Result<Option<Precondition<'m>>, Denied> {
    selection
        .required
        .as_ref()
        .map(|required| precondition(access, required, options))
        .transpose()
}

/// The precondition that a required row is visible.
pub fn precondition<'m>(
    access: &'m Access,
    required: &Required,
    options: Options,
) -> Result<Precondition<'m>, Denied> {
    let demand = Builder::new(access, options).visible(required)?;
    Ok(Precondition {
        demand,
        part: ALIAS_COUNT - 1,
    })
}

impl<'m> Builder<'m> {
    /// `EXISTS (SELECT FROM t AS _0 WHERE rule AND _0.key = $1)`. The key needs no grant: its value
    /// is not returned, and the result reveals only whether the row is visible.
    pub(super) fn visible(&mut self, required: &Required) -> Result<Assertion<'m>, Denied> {
        let scan = self.open(required.table, Purpose::Rows)?;
        let key = Term::Column(scan.key(required.column));
        let is_it = self.comparison(key, operators::equal(), std::slice::from_ref(&required.key));
        let mut select = self.select(scan.clone(), Vec::new(), &Arguments::default())?;
        let condition = Predicate::Compare(Box::new(is_it));
        self.place_beside_rule(&scan, condition, &mut select.placement);
        let row = Expression::Exists(Rc::new(select));
        Ok(Assertion {
            what: AssertionKind::IsTrue(row),
            cause: Cause::Required,
            path: "$".into(),
        })
    }
}
