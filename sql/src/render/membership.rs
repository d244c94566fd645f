//! Renders lists that are read through memberships.

use super::Render;
use crate::plan::{MembershipScan, Select, UNREACHED_LIMIT};

impl Render<'_> {
    /// `"public"."members" AS "m" CROSS JOIN LATERAL (SELECT … FROM t AS _0 WHERE … ORDER BY …
    /// LIMIT n) AS _0 WHERE …`: replaces the table and its rule; the caller adds the final order
    /// and limit. The fence for conditions that may raise is within the subquery, which has the
    /// rows of one membership of the caller.
    pub(super) fn membership_scan(
        &mut self,
        select: &Select<'_>,
        memberships: &MembershipScan<'_>,
    ) {
        let scan = &select.scan;
        let membership = memberships.membership;
        let fenced = !select.placement.outside_fence.is_empty();
        self.writer.rule(&membership.from);
        self.writer.syntax(" CROSS JOIN LATERAL (SELECT");
        self.wrap_scan(scan, fenced);
        self.used_columns(scan);
        self.writer.syntax(" FROM ");
        if fenced {
            self.writer.syntax("(SELECT");
            self.wrap_scan(scan, false);
            self.used_columns(scan);
            self.writer.syntax(" FROM ");
        }
        self.table(scan);
        self.writer.syntax(" WHERE ");
        membership
            .rows
            .iter()
            .for_each(|piece| self.piece(piece, scan.table(), scan.alias()));
        if !select.placement.beside_rule.is_empty() {
            self.writer.syntax(" AND ");
            self.conjunction(&select.placement.beside_rule, false);
        }
        if fenced {
            if select.is_sorted_inside() {
                self.order(select);
            }
            self.writer.syntax(" OFFSET 0) AS ");
            self.writer.alias(scan.alias());
            self.wrap(scan.alias(), true);
            self.writer.syntax(" WHERE ");
            self.conjunction(&select.placement.outside_fence, true);
        }
        self.order(select);
        self.writer.syntax(" LIMIT ");
        match memberships.rows {
            Some(rows) => self.writer.number(rows),
            None => self.limit_and_offset(select),
        }
        self.writer.syntax(") AS ");
        self.writer.alias(scan.alias());
        self.wrap(scan.alias(), true);
        if !membership.conditions.is_empty() {
            self.writer.syntax(" WHERE ");
            membership
                .conditions
                .iter()
                .for_each(|piece| self.piece(piece, scan.table(), scan.alias()));
        }
    }

    /// `least(1000, $2) + least(coalesce($3, 0), 4611686018427387904)`: the sum stays within the
    /// range of `LIMIT`, and no table has that many rows. A null limit means no limit, and the sum
    /// is null then, too.
    fn limit_and_offset(&mut self, select: &Select<'_>) {
        self.limit(&select.limits);
        let Some(offset) = &select.offset else { return };
        self.writer.syntax(" + least(coalesce(");
        self.count(offset);
        self.writer.syntax(", 0), ");
        self.writer.number(UNREACHED_LIMIT);
        self.writer.syntax(")");
    }
}
