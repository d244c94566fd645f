//! Renders `INSERT`: the input rows, the guard that checks them, and the statement that writes
//! them. `ON CONFLICT` is rendered in [`super::upsert`].

use super::Render;
use crate::plan::{
    Check, CheckCte, CheckStrategy, InputBatch, InputRows, InputSource, InsertPlan, InsertSource,
    Link, LinkDirection, MissingColumnValue, NewColumn, NewValue, ParentRows, TransferredKey,
    free_name,
};
use crate::postgres::catalog::Table;
use crate::postgres::spatial::Spatial;
use crate::postgres::types::Scalar;
use crate::statement::{Parameter, RowsParameter, ScanReport};

impl Render<'_> {
    // ---- input rows

    /// `SELECT _2."name"::text, … , _2."_n" FROM … UNION ALL … ORDER BY "_n"`
    pub(super) fn given(&mut self, input: &InputRows<'_>) {
        for (i, batch) in input.batches.iter().enumerate() {
            self.writer.syntax(if i > 0 {
                " UNION ALL SELECT "
            } else {
                "SELECT "
            });
            self.new_values(input, batch);
            self.select_input_rows(input, batch);
        }
        let mixed = input.batches.len() > 1 || input.batches.iter().any(|batch| may_reorder(batch));
        if let Some(number) = input.number.as_ref().filter(|_| mixed) {
            self.writer.syntax(" ORDER BY ");
            self.writer.ident(number);
        }
    }

    fn new_values(&mut self, input: &InputRows<'_>, batch: &InputBatch<'_>) {
        let mut separator = "";
        for (column, value) in input.columns.iter().zip(&batch.values) {
            self.writer.syntax(separator);
            self.new_value(input.table, column, value, batch);
            self.writer.syntax(" AS ");
            self.writer.ident(column.name);
            separator = ", ";
        }
        for name in input
            .number
            .iter()
            .chain(input.number.as_ref().and(input.parent.as_ref()))
        {
            self.writer.syntax(separator);
            match batch.rows {
                InputSource::Arrays(_) => self.writer.column(batch.alias, name),
                InputSource::One => {
                    self.writer.syntax("1::int8 AS ");
                    self.writer.ident(name);
                }
            }
            separator = ", ";
        }
    }

    /// A value with the type of its column.
    fn new_value(
        &mut self,
        table: &Table,
        column: &NewColumn<'_>,
        value: &NewValue<'_>,
        batch: &InputBatch<'_>,
    ) {
        let scalar = &column.scalar;
        match (value, &batch.rows) {
            (NewValue::Given(rows, what), InputSource::One) => {
                self.parameter(&Parameter::Rows(rows.clone(), what.clone()), scalar, "");
            }
            (NewValue::Given(_, what), InputSource::Arrays(_)) => {
                self.element(column, what, batch.alias);
            }
            (NewValue::Linked(link, index), _) => {
                self.linked_value(batch.links.get(*link), *index, scalar);
            }
            // A preset reads no column of the row, and has the column's type.
            (NewValue::Preset(rule), _) => self.rule(rule, table, batch.alias),
            (NewValue::Absent(absent), _) => self.absent(*absent, scalar),
        }
    }

    /// `_2."name"`, or `_2."mood"::"public"."mood"` if the array is one of texts.
    fn element(&mut self, column: &NewColumn<'_>, what: &RowsParameter, alias: u32) {
        let scalar = &column.scalar;
        if has_native_array(scalar, what) {
            return self.writer.column(alias, column.name);
        }
        let spatial = matches!(scalar.spatial, Some(Spatial::Geometry | Spatial::Geography));
        if spatial {
            self.spatial_function("ST_GeomFromGeoJSON(");
        }
        self.writer.column(alias, column.name);
        self.writer.syntax(if spatial { ")::" } else { "::" });
        self.writer.type_name(&scalar.sql, "");
    }

    fn absent(&mut self, absent: MissingColumnValue<'_>, scalar: &Scalar) {
        match absent {
            MissingColumnValue::Nothing => self.writer.syntax("NULL"),
            MissingColumnValue::Default(default) => {
                self.writer.syntax("(");
                self.writer.rule(default);
                self.writer.syntax(")");
            }
            MissingColumnValue::Identity(table, column) => {
                self.writer.syntax("nextval(pg_get_serial_sequence(");
                let name = format!(
                    "{}.{}",
                    crate::postgres::types::quoted(&table.schema),
                    crate::postgres::types::quoted(&table.name)
                );
                self.writer.literal(&name);
                self.writer.syntax(", ");
                self.writer.literal(column);
                self.writer.syntax("))");
            }
        }
        self.writer.syntax("::");
        self.writer.type_name(&scalar.sql, "");
    }

    // ---- the source of input rows

    /// ` FROM unnest($1::text[], …) WITH ORDINALITY AS _2("name", …, "_n") JOIN …`
    fn select_input_rows(&mut self, input: &InputRows<'_>, batch: &InputBatch<'_>) {
        let InputSource::Arrays(rows) = &batch.rows else {
            return self.select_linked_rows(batch);
        };
        let free = free_name(input.table, "_n");
        let mut names: Vec<&str> = Vec::new();
        self.writer.syntax(" FROM unnest(");
        for (column, value) in input.columns.iter().zip(&batch.values) {
            let NewValue::Given(_, what) = value else {
                continue;
            };
            self.writer.syntax(if names.is_empty() { "" } else { ", " });
            let element = if has_native_array(&column.scalar, what) {
                column.scalar.sql.as_str()
            } else {
                "text"
            };
            self.writer.param(
                &Parameter::Rows(rows.clone(), what.clone()),
                &format!("{element}[]"),
            );
            names.push(column.name);
        }
        let number = |render: &mut Self, names: &[&str], what: RowsParameter| {
            render
                .writer
                .syntax(if names.is_empty() { "" } else { ", " });
            render
                .writer
                .param(&Parameter::Rows(rows.clone(), what), "int8[]");
        };
        if let Some(parent) = &input.parent {
            number(self, &names, RowsParameter::Parent);
            names.push(parent);
        }
        // Rows of a single batch are numbered by `WITH ORDINALITY`.
        let counted = input.batches.len() == 1 && !names.is_empty();
        if !counted {
            number(self, &names, RowsParameter::Number);
            names.push(&free);
        }
        let ordinality = counted && input.number.is_some();
        if ordinality {
            names.push(&free);
        }
        self.writer.syntax(if ordinality {
            ") WITH ORDINALITY AS "
        } else {
            ") AS "
        });
        self.names(batch.alias, &names);
        batch
            .links
            .iter()
            .for_each(|link| self.link(link, input, batch.alias));
    }

    /// ` FROM _1 AS _4`: each row that a single row depends on is a single row as well.
    fn select_linked_rows(&mut self, batch: &InputBatch<'_>) {
        for (i, link) in batch.links.iter().enumerate() {
            self.writer
                .syntax(if i > 0 { " CROSS JOIN " } else { " FROM " });
            self.linked_rows(link);
        }
    }

    /// `_2("name", "_n")`
    fn names(&mut self, alias: u32, names: &[&str]) {
        self.writer.alias(alias);
        for (i, name) in names.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "(" });
            self.writer.ident(name);
        }
        self.writer.syntax(")");
    }

    /// ` JOIN _1 AS _4 ON _4."_n" = _2."_p"`, or such a join with transferred keys.
    fn link(&mut self, link: &Link<'_>, input: &InputRows<'_>, rows: u32) {
        let there = match &link.rows {
            ParentRows::Part(_, name) => name,
            ParentRows::Transferred(keys, _) => &number(keys),
            ParentRows::Only(_) => {
                self.writer.syntax(" CROSS JOIN ");
                return self.linked_rows(link);
            }
        };
        self.writer.syntax(" JOIN ");
        self.linked_rows(link);
        let own = if link.along == LinkDirection::Child {
            input.number.as_ref()
        } else {
            input.parent.as_ref()
        };
        self.writer.syntax(" ON ");
        self.writer.column(link.alias, there);
        self.writer.syntax(" = ");
        self.writer.column(rows, own.map_or("_n", String::as_str));
    }

    /// `_1 AS _4`
    fn linked_rows(&mut self, link: &Link<'_>) {
        match &link.rows {
            ParentRows::Part(part, _) => {
                self.writer.alias(*part);
                self.writer.syntax(" AS ");
                self.writer.alias(link.alias);
            }
            ParentRows::Transferred(keys, numbers) => {
                self.handed_links(keys, *numbers, true, link.alias);
            }
            ParentRows::Only(keys) => self.handed_links(keys, None, false, link.alias),
        }
    }

    /// `unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS _4("id", "_n")`; the
    /// numbers may be transferred as well.
    fn handed_links(
        &mut self,
        keys: &[TransferredKey<'_>],
        numbers: Option<u32>,
        numbered: bool,
        alias: u32,
    ) {
        self.writer.syntax("unnest(");
        let settings = numbers.into_iter().map(|setting| (setting, "::int8[]"));
        let settings = settings.chain(keys.iter().map(|key| (key.setting, "::text[]")));
        for (i, (setting, cast)) in settings.enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.setting(setting);
            self.writer.syntax(cast);
        }
        let with_ordinality = numbered && numbers.is_none();
        self.writer.syntax(if with_ordinality {
            ") WITH ORDINALITY AS "
        } else {
            ") AS "
        });
        let number = number(keys);
        let number = number.as_str();
        let names = numbers
            .map(|_| number)
            .into_iter()
            .chain(keys.iter().map(|key| key.name));
        let names: Vec<&str> = names.chain(with_ordinality.then_some(number)).collect();
        self.names(alias, &names);
    }

    /// `_5."id"`, cast to the type of the column that it is copied to.
    fn linked_value(&mut self, link: Option<&Link<'_>>, index: usize, scalar: &Scalar) {
        let Some((link, column)) = link.and_then(|link| Some((link, link.columns.get(index)?)))
        else {
            return;
        };
        self.writer.column(link.alias, column.there);
        let there = self.access.model().scalar(column.r#type);
        let transferred = !matches!(link.rows, ParentRows::Part(..));
        for sql in [
            transferred.then_some(&there.sql),
            (there.sql != scalar.sql).then_some(&scalar.sql),
        ]
        .into_iter()
        .flatten()
        {
            self.writer.syntax("::");
            self.writer.type_name(sql, "");
        }
    }

    // ---- checks

    /// `SELECT (SELECT (CASE WHEN … END)::bool FROM _1) AND … AS "ok"`
    pub(super) fn guard(&mut self, guard: &CheckCte<'_>) {
        for (i, check) in guard.checks.iter().enumerate() {
            self.writer.syntax(if i > 0 {
                " AND (SELECT "
            } else {
                "SELECT (SELECT "
            });
            self.judge(check, |render| render.holds_for_all(check));
            self.writer.syntax(" FROM ");
            self.writer.alias(check.rows);
            self.writer.syntax(")");
        }
        self.writer.syntax(" AS ");
        self.writer.ident(GUARD_COLUMN);
    }

    /// A check on rows: true, or the statement fails with [`crate::error::Cause::Check`].
    pub(super) fn judge(&mut self, check: &Check<'_>, condition: impl FnOnce(&mut Self)) {
        self.alarm(&crate::error::Cause::Check, &check.path, condition);
        self.reads.push(ScanReport {
            alias: format!("_{}", check.rows),
            table: (check.table.schema.clone(), check.table.name.clone()),
            rule: check.rule.source(),
            values: Vec::new(),
            form: None,
            required: false,
            path: String::new(),
        });
    }

    pub(super) fn check(&mut self, check: &Check<'_>) {
        self.judge(check, |render| {
            render.rule(check.rule, check.table, check.rows);
        });
    }

    // ---- writing

    /// `INSERT INTO "public"."t" AS _2 ("name") SELECT _1."name" FROM _1 WHERE … ON CONFLICT …
    /// RETURNING …`
    pub(super) fn insert(&mut self, insert: &InsertPlan<'_>) {
        self.insert_rows(insert);
        self.returning(&insert.returned, insert.alias);
        if let Some(stored) = &insert.stored {
            self.writer.syntax(", ");
            self.stored(stored, insert.alias);
            self.writer.syntax(" AS ");
            self.writer.ident(&free_name(insert.table, "_ok"));
        }
        if let Some(mark) = &insert.mark {
            self.writer.syntax(", ");
            self.writer.alias(insert.alias);
            self.writer.syntax(".xmax <> 0 AS ");
            self.writer.ident(mark);
        }
    }

    /// [`Render::insert`] without `RETURNING`.
    pub(super) fn insert_rows(&mut self, insert: &InsertPlan<'_>) {
        self.writer.syntax("INSERT INTO ");
        self.table_name(insert.table);
        self.writer.syntax(" AS ");
        self.writer.alias(insert.alias);
        for (i, name) in insert.columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { " (" });
            self.writer.ident(name);
        }
        self.writer
            .syntax(if insert.columns.is_empty() { "" } else { ")" });
        self.writer.syntax(if insert.overriding {
            " OVERRIDING SYSTEM VALUE"
        } else {
            ""
        });
        self.source_rows(insert);
        if let Some(conflict) = &insert.conflict {
            self.conflict(conflict);
        }
    }

    fn source_rows(&mut self, insert: &InsertPlan<'_>) {
        match (&insert.rows, &insert.judge) {
            (InsertSource::Part(part), judge) => {
                self.select_from(insert, *part);
                self.writer.alias(*part);
                if let CheckStrategy::Guard(guard) = judge {
                    self.writer.syntax(" WHERE (SELECT ");
                    self.writer.column(*guard, GUARD_COLUMN);
                    self.writer.syntax(" FROM ");
                    self.writer.alias(*guard);
                    self.writer.syntax(")");
                }
            }
            (InsertSource::Here(alias, input), CheckStrategy::Itself(check)) => {
                self.select_from(insert, *alias);
                self.writer.syntax("(");
                self.given(input);
                self.writer.syntax(") AS ");
                self.writer.alias(*alias);
                self.writer.syntax(" WHERE ");
                self.check(check);
            }
            (InsertSource::Here(_, input), _) => self.written_values(insert, input),
        }
    }

    /// ` SELECT _1."name" FROM `
    fn select_from(&mut self, insert: &InsertPlan<'_>, rows: u32) {
        self.writer.syntax(" SELECT");
        for (i, name) in insert.columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { " " });
            self.writer.column(rows, name);
        }
        self.writer.syntax(" FROM ");
    }

    /// ` VALUES ($1::text)`; for several rows ` SELECT _2."name" FROM unnest(…) AS _2("name")`.
    fn written_values(&mut self, insert: &InsertPlan<'_>, input: &InputRows<'_>) {
        let Some(batch) = input.batches.first() else {
            return;
        };
        let one = matches!(batch.rows, InputSource::One);
        if one && insert.columns.is_empty() {
            return self.writer.syntax(" DEFAULT VALUES");
        }
        self.writer
            .syntax(if one { " VALUES (" } else { " SELECT " });
        let written = input
            .columns
            .iter()
            .zip(&batch.values)
            .filter(|(column, _)| column.written);
        for (i, (column, value)) in written.enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.new_value(input.table, column, value, batch);
        }
        self.writer.syntax(if one { ")" } else { "" });
        self.select_input_rows(input, batch);
    }
}

/// The name of the guard's column.
const GUARD_COLUMN: &str = "ok";

/// The name of the column with a row's number, among transferred keys.
fn number(keys: &[TransferredKey<'_>]) -> String {
    let mut name = "_n".to_owned();
    while keys.iter().any(|key| key.name == name) {
        name.push('_');
    }
    name
}

/// Whether a join may change the order of the input rows.
fn may_reorder(batch: &InputBatch<'_>) -> bool {
    matches!(batch.rows, InputSource::Arrays(_)) && !batch.links.is_empty()
}

/// Whether an array of the column's type carries the input values; if not, it is an array of texts,
/// and each element is cast. The driver would have to look up the type of an array that is not
/// built in.
fn has_native_array(scalar: &Scalar, what: &RowsParameter) -> bool {
    scalar.builtin && !matches!(what, RowsParameter::Column(column) if column.travels_as_text())
}
