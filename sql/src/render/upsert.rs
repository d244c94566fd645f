//! Renders `ON CONFLICT`, and the checks on rows as they are stored.

use super::Render;
use crate::model::access::{Rule, RuleFragment};
use crate::plan::{Check, Conflict, OnConflictUpdate, StoredRowChecks};
use crate::postgres::catalog::{ArbiterIndex, ColumnId, Table};
use crate::statement::ScanReport;

impl Render<'_> {
    /// ` ON CONFLICT ("id") DO NOTHING`, or ` DO UPDATE SET "name" = excluded."name" WHERE …`
    pub(super) fn conflict(&mut self, conflict: &Conflict<'_>) {
        self.writer.syntax(" ON CONFLICT ");
        self.arbiter_index(conflict.arbiter);
        let Some(update) = &conflict.update else {
            return self.writer.syntax(" DO NOTHING");
        };
        self.writer.syntax(" DO UPDATE SET ");
        let table = update.scan.table();
        for (i, (column, preset)) in update.columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.writer.ident(&table.column(*column).name);
            self.writer.syntax(" = ");
            self.new_column_value(table, *column, *preset);
        }
        self.update_condition(update);
        self.reads.push(ScanReport {
            alias: format!("_{}", update.scan.alias()),
            table: (table.schema.clone(), table.name.clone()),
            rule: update.scan.rule().source(),
            values: Vec::new(),
            form: None,
            required: false,
            path: String::new(),
        });
        self.note_readable(&update.scan);
    }

    /// `("id")`, or `(lower(email)) WHERE (deleted IS NULL)` as Postgres writes the index's
    /// definition.
    fn arbiter_index(&mut self, index: ArbiterIndex<'_>) {
        match index {
            ArbiterIndex::Key(key) => {
                for (i, name) in key.columns.iter().enumerate() {
                    self.writer.syntax(if i > 0 { ", " } else { "(" });
                    self.writer.ident(name);
                }
                self.writer.syntax(")");
            }
            ArbiterIndex::Partial(_, target) => self.writer.rule(target),
        }
    }

    fn new_column_value(&mut self, table: &Table, column: ColumnId, preset: Option<&Rule>) {
        match preset {
            None => {
                self.writer.syntax("excluded.");
                self.writer.ident(&table.column(column).name);
            }
            Some(rule) => self.rule(rule, table, 0),
        }
    }

    /// ` WHERE CASE WHEN (rule) THEN CASE WHEN (filter) THEN check ELSE false END ELSE false END`:
    /// a row that the rule hides is left alone before any other condition is evaluated on it.
    fn update_condition(&mut self, update: &OnConflictUpdate<'_>) {
        let hides = update.scan.filters_rows();
        let scan = &update.scan;
        if !hides && update.filter.is_none() && update.check.is_none() {
            return;
        }
        self.writer.syntax(" WHERE ");
        if hides {
            self.writer.syntax("CASE WHEN ");
            self.rules(scan);
            self.writer.syntax(" THEN ");
        }
        if let Some(filter) = &update.filter {
            self.writer.syntax("CASE WHEN ");
            self.predicate(filter, true);
            self.writer.syntax(" THEN ");
        }
        match &update.check {
            Some(check) => self.judge(check, |render| render.check_new_version(update, check)),
            None => self.writer.syntax("true"),
        }
        self.writer.syntax(if update.filter.is_some() {
            " ELSE false END"
        } else {
            ""
        });
        self.writer
            .syntax(if hides { " ELSE false END" } else { "" });
    }

    /// A check on the new version of the row: columns that the update sets have their new values.
    fn check_new_version(&mut self, update: &OnConflictUpdate<'_>, check: &Check<'_>) {
        for piece in check.rule.pieces.iter() {
            let assigned = match piece {
                RuleFragment::Column(column) => update
                    .columns
                    .iter()
                    .find(|(assigned, _)| assigned == column),
                _ => None,
            };
            match assigned {
                Some((column, preset)) => self.new_column_value(check.table, *column, *preset),
                None => self.piece(piece, check.table, check.rows),
            }
        }
    }

    /// The checks on a row as stored. `xmax` is zero for an inserted row, since it has no older
    /// version.
    pub(super) fn stored(&mut self, stored: &StoredRowChecks<'_>, alias: u32) {
        let checks = [&stored.inserted, &stored.updated];
        if !(stored.either && stored.apart) {
            for (i, check) in checks.into_iter().flatten().enumerate() {
                self.writer.syntax(if i > 0 { " AND " } else { "" });
                self.check(check);
            }
            return;
        }
        self.writer.syntax("CASE WHEN ");
        self.writer.alias(alias);
        for (check, word) in checks.into_iter().zip([".xmax = 0 THEN ", " ELSE "]) {
            self.writer.syntax(word);
            match check {
                Some(check) => self.check(check),
                None => self.writer.syntax("true"),
            }
        }
        self.writer.syntax(" END");
    }
}
