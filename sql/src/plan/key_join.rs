//! Joins the rows of a list to the keys that a request asks for, so that each row comes with the
//! position of its key:
//!
//! ```sql
//! FROM t AS _0 JOIN ROWS FROM (unnest($1::numeric[]), generate_subscripts($1::numeric[], 1)) AS _keys (k0, place)
//!   ON _0.price = _keys.k0 WHERE (rule) AND _0.price = ANY ($1::numeric[])
//! ```
//!
//! `generate_subscripts` counts and, since the planner expects a thousand rows of it, makes a hash
//! join likely: `WITH ORDINALITY` of `unnest` is expected to have ten, and then every row is
//! compared with every key.

use super::builder::Builder;
use super::{ConditionPlacement, Denied, KeyJoin, Operand, Predicate, Scan};
use crate::postgres::catalog::ColumnId;
use crate::resolve::selection::BoundOperand;

impl<'m> Builder<'m> {
    /// The join to the given keys. It stands where their conditions do; outside a fence it replaces
    /// them.
    pub(super) fn key_join(
        &self,
        scan: &Scan<'m>,
        keys: &[(ColumnId, BoundOperand)],
        placement: &mut ConditionPlacement<'m>,
    ) -> Result<Option<KeyJoin<'m>>, Denied> {
        if keys.is_empty() {
            return Ok(None);
        }
        let columns = keys.iter().map(|(column, bound)| {
            let field = bound.field;
            let parameter = bound.parameter.clone();
            let list = bound.list;
            let operand = Operand {
                field,
                parameter,
                scalar: self.scalar(bound.r#type),
                list,
            };
            Ok((scan.column(*column)?, operand))
        });
        let columns = columns.collect::<Result<_, Denied>>()?;
        let conditions = placement.outside_fence.len();
        placement
            .outside_fence
            .retain(|condition| !matches!(condition, Predicate::Compare(_)));
        Ok(Some(KeyJoin {
            columns,
            outside: placement.outside_fence.len() < conditions,
        }))
    }
}
