//! Renders levels of rows as a `UNION ALL`, with a CTE for each level that others belong to.

use super::Render;
use crate::encode::shape::MAX_PARENT_ROWS;
use crate::plan::{ArmRows, Column, LevelUnion, UnionArm};

impl Render<'_> {
    /// `WITH _0 (c0, …) AS MATERIALIZED (…) (SELECT 0::int2, …) UNION ALL SELECT 1::int2, _0.c0, …
    /// FROM _0`
    pub(super) fn levels(&mut self, levels: &LevelUnion<'_>) {
        // The arms of inner levels come first in the union and read the CTEs of outer levels.
        let arms_with_cte = levels.arms.iter().rev().filter(|arm| arm.places.is_some());
        for (i, arm) in arms_with_cte.enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "WITH " });
            self.level_cte(arm);
        }
        for (level, arm) in levels.arms.iter().enumerate() {
            self.writer
                .syntax(if level > 0 { " UNION ALL " } else { " " });
            match &arm.places {
                Some(places) => self.select_from_cte(level, arm.alias, places, levels),
                None => {
                    self.writer.syntax("(");
                    self.arm(&arm.rows);
                    self.writer.syntax(")");
                }
            }
        }
    }

    fn arm(&mut self, rows: &ArmRows<'_>) {
        match rows {
            ArmRows::Select(select) => self.select(select, false),
            ArmRows::Row(columns) => {
                self.writer.syntax("SELECT ");
                self.expressions(columns);
            }
        }
    }

    /// `_0 (c0, c1) AS MATERIALIZED (SELECT …)`: its rows are read once.
    fn level_cte(&mut self, arm: &UnionArm<'_>) {
        self.writer.alias(arm.alias);
        self.writer.syntax(" (");
        for index in 0..arm.rows.output().len() {
            self.writer.syntax(if index > 0 { ", " } else { "" });
            self.place_name(index);
        }
        self.writer.syntax(") AS MATERIALIZED (");
        self.arm(&arm.rows);
        self.writer.syntax(")");
    }

    /// `SELECT 1::int2, _0.c0, null::text FROM _0`
    fn select_from_cte(
        &mut self,
        level: usize,
        alias: u32,
        places: &[usize],
        levels: &LevelUnion<'_>,
    ) {
        self.writer.syntax("SELECT ");
        self.level_number(level);
        for (column, r#type) in levels.columns.iter().enumerate() {
            self.writer.syntax(", ");
            match places.iter().position(|index| *index == column) {
                Some(position) => self.level_column(alias, position),
                None => self.null(r#type),
            }
        }
        self.writer.syntax(" FROM ");
        self.writer.alias(alias);
    }

    pub(super) fn level_number(&mut self, number: usize) {
        self.writer.number(number as u64);
        self.writer.syntax("::int2");
    }

    pub(super) fn null(&mut self, r#type: &str) {
        self.writer.syntax("null::");
        self.writer.type_name(r#type, "");
    }

    /// `_2."subject_id" = ANY (array(SELECT _0.c0 FROM _0))`. Postgres looks up an index with all
    /// keys at once. If there are more than [`KEYS`] and responses are limited, the encoder rejects
    /// the parent rows.
    pub(super) fn in_level_keys(&mut self, column: &Column<'_>, level: u32, index: usize) {
        self.column(column);
        self.writer.syntax(" = ANY (array(SELECT ");
        self.level_column(level, index);
        self.writer.syntax(" FROM ");
        self.writer.alias(level);
        if self.remaining.is_some() {
            self.writer.syntax(" LIMIT ");
            self.writer.number(MAX_PARENT_ROWS as u64);
        }
        self.writer.syntax("))");
    }

    fn level_column(&mut self, level: u32, index: usize) {
        self.writer.alias(level);
        self.writer.syntax(".");
        self.place_name(index);
    }

    fn place_name(&mut self, index: usize) {
        self.writer.syntax("c");
        self.writer.number(index as u64);
    }
}
