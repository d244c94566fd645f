//! Renders access to the rows that a mutation has written: returned by CTEs of the statement, or
//! transferred in settings of the transaction.

use super::Render;
use crate::model::access::Setting;
use crate::plan::{self, Returned, Row, RowCountSource, Scan, Transfer, TransferredKey};

/// The prefix of the transaction settings' names, followed by a number.
const SETTING: &str = "postern.s";

impl Render<'_> {
    // ---- CTEs of the statement

    /// ` RETURNING _0."id", …`; a constant if no column is used, since the rows may be counted.
    pub(super) fn returning(&mut self, returned: &Returned<'_>, alias: u32) {
        let mut separator = " RETURNING ";
        for name in returned.used_columns() {
            self.writer.syntax(separator);
            self.writer.column(alias, name);
            separator = ", ";
        }
        if let Some(row) = returned.row(alias) {
            self.writer.syntax(separator);
            self.plain_row(&row);
            separator = ", ";
        }
        if separator != ", " {
            self.writer.syntax(" RETURNING 1");
        }
    }

    /// `_1`, or `(SELECT "id" FROM _1 UNION ALL SELECT "id" FROM _2)`
    pub(super) fn parts(&mut self, parts: &[u32], columns: &[&str], row: Option<&Row<'_>>) {
        if let [part] = parts {
            return self.writer.alias(*part);
        }
        self.writer.syntax("(");
        for (i, part) in parts.iter().enumerate() {
            self.writer
                .syntax(if i > 0 { " UNION ALL SELECT" } else { "SELECT" });
            let row = row.map(Row::name);
            for (i, name) in columns.iter().copied().chain(row.as_deref()).enumerate() {
                self.writer.syntax(if i > 0 { ", " } else { " " });
                self.writer.ident(name);
            }
            self.writer.syntax(" FROM ");
            self.writer.alias(*part);
        }
        self.writer.syntax(")");
    }

    /// `((SELECT count(*) FROM _1) + current_setting('postern.s2', true)::int8)`
    pub(super) fn affected(&mut self, counted: &[RowCountSource]) {
        if counted.is_empty() {
            return self.writer.syntax("0::int8");
        }
        self.writer.syntax("(");
        for (i, counted) in counted.iter().enumerate() {
            self.writer.syntax(if i > 0 { " + " } else { "" });
            match counted {
                RowCountSource::Part(part) => {
                    self.writer.syntax("(SELECT count(*) FROM ");
                    self.writer.alias(*part);
                    self.writer.syntax(")");
                }
                RowCountSource::Marked(part, name) => {
                    self.writer.syntax("(SELECT count(*) FROM ");
                    self.writer.alias(*part);
                    self.writer.syntax(" WHERE ");
                    self.writer.column(*part, name);
                    self.writer.syntax(")");
                }
                RowCountSource::Transferred(setting) => {
                    self.setting(*setting);
                    self.writer.syntax("::int8");
                }
            }
        }
        self.writer.syntax(")");
    }

    // ---- settings

    /// `set_config('app.user_id', $1::text, true) IS NOT NULL`: sets a transaction setting that
    /// triggers may read.
    pub(super) fn set(&mut self, name: &str, setting: &Setting) {
        self.writer.syntax("set_config(");
        self.writer.literal(name);
        self.writer.syntax(", ");
        self.writer.param(&setting.parameter(), "text");
        self.writer.syntax(", true) IS NOT NULL");
    }

    /// `set_config('postern.s2', …, true) IS NOT NULL`: saves a value for later statements without
    /// sending it to the gateway.
    pub(super) fn transfer(&mut self, setting: u32, transfer: &Transfer<'_>) {
        self.writer.syntax("set_config(");
        self.setting_name(setting);
        self.writer.syntax(", ");
        self.transferred(setting, transfer);
        self.writer.syntax(", true) IS NOT NULL");
    }

    /// The text to save in a setting.
    fn transferred(&mut self, setting: u32, transfer: &Transfer<'_>) {
        match transfer {
            Transfer::Count(counted) => {
                self.affected(counted);
                self.writer.syntax("::text");
            }
            Transfer::Column(parts, alias, name, Some(only)) => {
                self.writer.syntax("coalesce((SELECT array_agg(");
                self.writer.column(*alias, name);
                self.writer.syntax("::text)::text FROM ");
                // There is one CTE, and its rows have all the columns.
                parts
                    .iter()
                    .take(1)
                    .for_each(|part| self.writer.alias(*part));
                self.writer.syntax(" AS ");
                self.writer.alias(*alias);
                self.writer.syntax(" WHERE ");
                self.column(only);
                self.writer.syntax("), '{}')");
            }
            Transfer::Column(parts, alias, name, None) => {
                self.aggregate_rows(parts, *alias, &[name], None, |render| {
                    render.writer.column(*alias, name);
                    render.writer.syntax("::text");
                });
            }
            Transfer::Everything(parts, alias, table) => {
                let row = Row {
                    alias: *alias,
                    table,
                };
                self.aggregate_rows(parts, *alias, &[], Some(&row), |render| {
                    render.writer.column(*alias, &row.name());
                });
            }
            Transfer::Numbers(part, name) => {
                self.aggregate_rows(&[*part], *part, &[], None, |render| {
                    render.writer.column(*part, name);
                });
            }
            Transfer::Rows(scan) => self.visible_rows(scan),
            Transfer::NoRows => self.writer.syntax("'{}'"),
            Transfer::Appended(rows) => {
                self.writer.syntax("(");
                self.setting(setting);
                self.array_cast(rows);
                self.writer.syntax(" || ");
                self.transferred(setting, rows);
                self.array_cast(rows);
                self.writer.syntax(")::text");
            }
        }
    }

    /// `::text[]`, or `::"public"."t"[]` for whole rows.
    fn array_cast(&mut self, rows: &Transfer<'_>) {
        self.writer.syntax("::");
        match rows {
            Transfer::Everything(_, _, table) => self.table_name(table),
            _ => self.writer.syntax("text"),
        }
        self.writer.syntax("[]");
    }

    /// `coalesce((SELECT array_agg(…)::text FROM _1 AS _3), '{}')`
    fn aggregate_rows(
        &mut self,
        parts: &[u32],
        alias: u32,
        columns: &[&str],
        row: Option<&Row<'_>>,
        value: impl FnOnce(&mut Self),
    ) {
        self.writer.syntax("coalesce((SELECT array_agg(");
        value(self);
        self.writer.syntax(")::text FROM ");
        self.parts(parts, columns, row);
        self.writer.syntax(" AS ");
        self.writer.alias(alias);
        self.writer.syntax("), '{}')");
    }

    /// `coalesce((SELECT array_agg(…)::text FROM …), '{}')` of the whole rows that pass the rule.
    fn visible_rows(&mut self, scan: &Scan<'_>) {
        self.wrap_scan(scan, true);
        self.writer.syntax("coalesce((SELECT array_agg(");
        if let Some(row) = scan.exported_row() {
            self.whole_row(&row);
        }
        self.writer.syntax(")::text FROM ");
        self.table(scan);
        self.conditions(scan, &[]);
        self.writer.syntax("), '{}')");
    }

    /// `'postern.s2'`
    fn setting_name(&mut self, setting: u32) {
        self.writer.literal(&format!("{SETTING}{setting}"));
    }

    /// `current_setting('postern.s2', true)`
    pub(super) fn setting(&mut self, setting: u32) {
        self.writer.syntax("current_setting(");
        self.setting_name(setting);
        self.writer.syntax(", true)");
    }

    /// `unnest(current_setting('postern.s2', true)::text[], …)`
    fn transferred_keys(&mut self, keys: &[TransferredKey<'_>]) {
        self.writer.syntax("unnest(");
        for (i, key) in keys.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.setting(key.setting);
            self.writer.syntax("::text[]");
        }
        self.writer.syntax(")");
    }

    /// `"k"."k0"::int4`
    fn transferred_key(&mut self, index: usize, key: &TransferredKey<'_>) {
        self.writer.ident(KEYS);
        self.writer.syntax(".");
        self.writer.ident(&key_name(index));
        self.writer.syntax("::");
        let scalar = self.access.model().scalar(key.r#type);
        self.writer.type_name(&scalar.sql, "");
        self.cast_for_comparison(&scalar);
    }

    fn key_names(&mut self, keys: usize) {
        self.writer.syntax(" AS ");
        self.writer.ident(KEYS);
        self.writer.syntax("(");
        for index in 0..keys {
            self.writer.syntax(if index > 0 { ", " } else { "" });
            self.writer.ident(&key_name(index));
        }
    }

    /// `EXISTS (SELECT FROM unnest(…) AS "k"("k0") WHERE _0."project_id" = "k"."k0"::int4)`
    pub(super) fn in_transferred_keys(&mut self, pairs: &[(plan::Column<'_>, TransferredKey<'_>)]) {
        let keys: Vec<_> = pairs.iter().map(|(_, key)| key.clone()).collect();
        self.writer.syntax("EXISTS (SELECT FROM ");
        self.transferred_keys(&keys);
        self.key_names(keys.len());
        self.writer.syntax(") WHERE ");
        for (index, (column, key)) in pairs.iter().enumerate() {
            self.writer.syntax(if index > 0 { " AND " } else { "" });
            let key = |render: &mut Self| render.transferred_key(index, key);
            self.equals(column.r#type(), |render| render.column(column), key);
        }
        self.writer.syntax(")");
    }

    /// `(SELECT _3."id", k."place" AS "_place" FROM "public"."t" AS _3
    /// JOIN unnest(…) WITH ORDINALITY AS k("k0", "place") ON _3."id" = k."k0"::int4)`
    pub(super) fn keyed(&mut self, scan: &Scan<'_>, keys: &[TransferredKey<'_>]) {
        let alias = scan.alias();
        self.derived(scan, |render| {
            render.writer.ident(KEYS);
            render.writer.syntax(".");
            render.writer.ident(PLACE);
        });
        self.table_name(scan.table());
        self.writer.syntax(" AS ");
        self.writer.alias(alias);
        self.writer.syntax(" JOIN ");
        self.transferred_keys(keys);
        self.writer.syntax(" WITH ORDINALITY");
        self.key_names(keys.len());
        self.writer.syntax(", ");
        self.writer.ident(PLACE);
        self.writer.syntax(") ON ");
        for (index, key) in keys.iter().enumerate() {
            self.writer.syntax(if index > 0 { " AND " } else { "" });
            let column = |render: &mut Self| render.writer.column(alias, key.name);
            self.equals(key.r#type, column, |render| {
                render.transferred_key(index, key);
            });
        }
        self.writer.syntax(")");
    }

    /// `(SELECT _3."id", row_number() OVER () AS "_place" FROM
    /// unnest(current_setting(…)::"public"."t"[]) AS _3)`
    pub(super) fn render_transferred_rows(&mut self, scan: &Scan<'_>, setting: u32) {
        self.derived(scan, |render| render.writer.syntax("row_number() OVER ()"));
        self.writer.syntax("unnest(");
        self.setting(setting);
        self.writer.syntax("::");
        self.table_name(scan.table());
        self.writer.syntax("[]) AS ");
        self.writer.alias(scan.alias());
        self.writer.syntax(")");
    }

    /// `(SELECT _3."id", _3.*::"public"."t" AS "_row", … AS "_place" FROM `
    fn derived(&mut self, scan: &Scan<'_>, index_of: impl FnOnce(&mut Self)) {
        self.writer.syntax("(SELECT ");
        for name in scan.used_columns() {
            self.writer.column(scan.alias(), name);
            self.writer.syntax(", ");
        }
        if let Some(row) = scan.exported_row() {
            self.plain_row(&row);
            self.writer.syntax(", ");
        }
        index_of(self);
        self.writer.syntax(" AS ");
        self.writer
            .ident(&scan.ordinal_column().unwrap_or_default());
        self.writer.syntax(" FROM ");
    }
}

/// The alias of transferred keys where they are joined.
const KEYS: &str = "k";
/// The column with the position of a transferred key.
const PLACE: &str = "place";

fn key_name(index: usize) -> String {
    format!("k{index}")
}
