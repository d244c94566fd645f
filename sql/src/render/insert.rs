//! `INSERT`: given rows, the guard over them, and the writing of them. What happens to rows that are there already is in
//! [`super::upsert`].

use super::Render;
use crate::plan::{
    Check, CheckCte, CheckStrategy, InputBatch, InputRows, InputSource, InsertPlan, InsertSource, Link, LinkDirection,
    MissingColumnValue, NewColumn, NewValue, ParentRows, TransferredKey, free_name,
};
use crate::postgres::catalog::Table;
use crate::postgres::spatial::Spatial;
use crate::postgres::types::Scalar;
use crate::statement::{Parameter, RowsParameter, ScanReport};

impl Render<'_> {
    // ---- given rows

    /// `SELECT _2."name"::text, … , _2."_n" FROM … UNION ALL … ORDER BY "_n"`
    pub(super) fn given(&mut self, given: &InputRows<'_>) {
        for (i, batch) in given.batches.iter().enumerate() {
            self.writer.syntax(if i > 0 { " UNION ALL SELECT " } else { "SELECT " });
            self.new_values(given, batch);
            self.taken(given, batch);
        }
        let mixed = given.batches.len() > 1 || given.batches.iter().any(|batch| is_mixed(batch));
        if let Some(number) = given.number.as_ref().filter(|_| mixed) {
            self.writer.syntax(" ORDER BY ");
            self.writer.ident(number);
        }
    }

    fn new_values(&mut self, given: &InputRows<'_>, batch: &InputBatch<'_>) {
        let mut separator = "";
        for (column, value) in given.columns.iter().zip(&batch.values) {
            self.writer.syntax(separator);
            self.new_value(given.table, column, value, batch);
            self.writer.syntax(" AS ");
            self.writer.ident(column.name);
            separator = ", ";
        }
        for name in given.number.iter().chain(given.number.as_ref().and(given.parent.as_ref())) {
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

    /// A value with its column's type.
    fn new_value(&mut self, table: &Table, column: &NewColumn<'_>, value: &NewValue<'_>, batch: &InputBatch<'_>) {
        let scalar = &column.scalar;
        match (value, &batch.rows) {
            (NewValue::Given(rows, what), InputSource::One) => {
                self.parameter(&Parameter::Rows(rows.clone(), what.clone()), scalar, "");
            }
            (NewValue::Given(_, what), InputSource::Arrays(_)) => self.element(column, what, batch.alias),
            (NewValue::Linked(link, place), _) => self.linked_value(batch.links.get(*link), *place, scalar),
            // It sees no row, and has the column's type.
            (NewValue::Preset(rule), _) => self.rule(rule, table, batch.alias),
            (NewValue::Absent(absent), _) => self.absent(*absent, scalar),
        }
    }

    /// `_2."name"`, or `_2."mood"::"public"."mood"` where the array is one of texts.
    fn element(&mut self, column: &NewColumn<'_>, what: &RowsParameter, alias: u32) {
        let scalar = &column.scalar;
        if is_carried(scalar, what) {
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

    // ---- where they come from

    /// ` FROM unnest($1::text[], …) WITH ORDINALITY AS _2("name", …, "_n") JOIN …`
    fn taken(&mut self, given: &InputRows<'_>, batch: &InputBatch<'_>) {
        let InputSource::Arrays(rows) = &batch.rows else { return self.taken_with(batch) };
        let free = free_name(given.table, "_n");
        let mut names: Vec<&str> = Vec::new();
        self.writer.syntax(" FROM unnest(");
        for (column, value) in given.columns.iter().zip(&batch.values) {
            let NewValue::Given(_, what) = value else { continue };
            self.writer.syntax(if names.is_empty() { "" } else { ", " });
            let element = if is_carried(&column.scalar, what) { column.scalar.sql.as_str() } else { "text" };
            self.writer.param(&Parameter::Rows(rows.clone(), what.clone()), &format!("{element}[]"));
            names.push(column.name);
        }
        let number = |render: &mut Self, names: &[&str], what: RowsParameter| {
            render.writer.syntax(if names.is_empty() { "" } else { ", " });
            render.writer.param(&Parameter::Rows(rows.clone(), what), "int8[]");
        };
        if let Some(parent) = &given.parent {
            number(self, &names, RowsParameter::Parent);
            names.push(parent);
        }
        // Rows that are all alike are numbered as they come.
        let counted = given.batches.len() == 1 && !names.is_empty();
        if !counted {
            number(self, &names, RowsParameter::Number);
            names.push(&free);
        }
        let ordinality = counted && given.number.is_some();
        if ordinality {
            names.push(&free);
        }
        self.writer.syntax(if ordinality { ") WITH ORDINALITY AS " } else { ") AS " });
        self.names(batch.alias, &names);
        batch.links.iter().for_each(|link| self.link(link, given, batch.alias));
    }

    /// ` FROM _1 AS _4`: all that a single row hangs on is a single row each.
    fn taken_with(&mut self, batch: &InputBatch<'_>) {
        for (i, link) in batch.links.iter().enumerate() {
            self.writer.syntax(if i > 0 { " CROSS JOIN " } else { " FROM " });
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

    /// ` JOIN _1 AS _4 ON _4."_n" = _2."_p"`, or the same over keys that were handed over.
    fn link(&mut self, link: &Link<'_>, given: &InputRows<'_>, rows: u32) {
        let there = match &link.rows {
            ParentRows::Part(_, name) => name,
            ParentRows::Handed(keys, _) => &number(keys),
            ParentRows::Only(_) => {
                self.writer.syntax(" CROSS JOIN ");
                return self.linked_rows(link);
            }
        };
        self.writer.syntax(" JOIN ");
        self.linked_rows(link);
        let own = if link.along == LinkDirection::Child { given.number.as_ref() } else { given.parent.as_ref() };
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
            ParentRows::Handed(keys, numbers) => self.handed_links(keys, *numbers, true, link.alias),
            ParentRows::Only(keys) => self.handed_links(keys, None, false, link.alias),
        }
    }

    /// `unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS _4("id", "_n")`; the numbers may have been
    /// handed over too.
    fn handed_links(&mut self, keys: &[TransferredKey<'_>], numbers: Option<u32>, numbered: bool, alias: u32) {
        self.writer.syntax("unnest(");
        let settings = numbers.into_iter().map(|setting| (setting, "::int8[]"));
        let settings = settings.chain(keys.iter().map(|key| (key.setting, "::text[]")));
        for (i, (setting, cast)) in settings.enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.setting(setting);
            self.writer.syntax(cast);
        }
        let counted = numbered && numbers.is_none();
        self.writer.syntax(if counted { ") WITH ORDINALITY AS " } else { ") AS " });
        let number = number(keys);
        let number = number.as_str();
        let names = numbers.map(|_| number).into_iter().chain(keys.iter().map(|key| key.name));
        let names: Vec<&str> = names.chain(counted.then_some(number)).collect();
        self.names(alias, &names);
    }

    /// `_5."id"`, as what the column is that it is copied to.
    fn linked_value(&mut self, link: Option<&Link<'_>>, place: usize, scalar: &Scalar) {
        let Some((link, column)) = link.and_then(|link| Some((link, link.columns.get(place)?))) else { return };
        self.writer.column(link.alias, column.there);
        let there = Scalar::of(self.access.model().catalog(), column.r#type);
        let handed = !matches!(link.rows, ParentRows::Part(..));
        for sql in
            [handed.then_some(&there.sql), (there.sql != scalar.sql).then_some(&scalar.sql)].into_iter().flatten()
        {
            self.writer.syntax("::");
            self.writer.type_name(sql, "");
        }
    }

    // ---- checks

    /// `SELECT (SELECT (CASE WHEN … END)::bool FROM _1) AND … AS "ok"`
    pub(super) fn guard(&mut self, guard: &CheckCte<'_>) {
        for (i, check) in guard.checks.iter().enumerate() {
            self.writer.syntax(if i > 0 { " AND (SELECT " } else { "SELECT (SELECT " });
            self.judge(check, |render| render.holds_for_all(check));
            self.writer.syntax(" FROM ");
            self.writer.alias(check.rows);
            self.writer.syntax(")");
        }
        self.writer.syntax(" AS ");
        self.writer.ident(VERDICT);
    }

    /// True, or the statement fails because a row was written against the check.
    pub(super) fn judge(&mut self, check: &Check<'_>, condition: impl FnOnce(&mut Self)) {
        self.alarm(&crate::error::Cause::Check, &check.path, condition);
        self.reads.push(ScanReport {
            alias: format!("_{}", check.rows),
            table: (check.table.schema.clone(), check.table.name.clone()),
            rule: check.rule.source.clone(),
            values: Vec::new(),
            form: None,
            required: false,
        });
    }

    pub(super) fn check(&mut self, check: &Check<'_>) {
        self.judge(check, |render| render.rule(check.rule, check.table, check.rows));
    }

    // ---- writing

    /// `INSERT INTO "public"."t" AS _2 ("name") SELECT _1."name" FROM _1 WHERE … ON CONFLICT … RETURNING …`
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

    /// The same up to what it returns.
    pub(super) fn insert_rows(&mut self, insert: &InsertPlan<'_>) {
        self.writer.syntax("INSERT INTO ");
        self.table_name(insert.table);
        self.writer.syntax(" AS ");
        self.writer.alias(insert.alias);
        for (i, name) in insert.columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { " (" });
            self.writer.ident(name);
        }
        self.writer.syntax(if insert.columns.is_empty() { "" } else { ")" });
        self.writer.syntax(if insert.overriding { " OVERRIDING SYSTEM VALUE" } else { "" });
        self.source_rows(insert);
        if let Some(conflict) = &insert.conflict {
            self.conflict(conflict);
        }
    }

    fn source_rows(&mut self, insert: &InsertPlan<'_>) {
        match (&insert.rows, &insert.judge) {
            (InsertSource::Part(part), judge) => {
                self.selected(insert, *part);
                self.writer.alias(*part);
                if let CheckStrategy::Guard(guard) = judge {
                    self.writer.syntax(" WHERE (SELECT ");
                    self.writer.column(*guard, VERDICT);
                    self.writer.syntax(" FROM ");
                    self.writer.alias(*guard);
                    self.writer.syntax(")");
                }
            }
            (InsertSource::Here(alias, given), CheckStrategy::Itself(check)) => {
                self.selected(insert, *alias);
                self.writer.syntax("(");
                self.given(given);
                self.writer.syntax(") AS ");
                self.writer.alias(*alias);
                self.writer.syntax(" WHERE ");
                self.check(check);
            }
            (InsertSource::Here(_, given), _) => self.written_values(insert, given),
        }
    }

    /// ` SELECT _1."name" FROM `
    fn selected(&mut self, insert: &InsertPlan<'_>, rows: u32) {
        self.writer.syntax(" SELECT");
        for (i, name) in insert.columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { " " });
            self.writer.column(rows, name);
        }
        self.writer.syntax(" FROM ");
    }

    /// ` VALUES ($1::text)`; for several rows ` SELECT _2."name" FROM unnest(…) AS _2("name")`.
    fn written_values(&mut self, insert: &InsertPlan<'_>, given: &InputRows<'_>) {
        let Some(batch) = given.batches.first() else { return };
        let one = matches!(batch.rows, InputSource::One);
        if one && insert.columns.is_empty() {
            return self.writer.syntax(" DEFAULT VALUES");
        }
        self.writer.syntax(if one { " VALUES (" } else { " SELECT " });
        let written = given.columns.iter().zip(&batch.values).filter(|(column, _)| column.written);
        for (i, (column, value)) in written.enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.new_value(given.table, column, value, batch);
        }
        self.writer.syntax(if one { ")" } else { "" });
        self.taken(given, batch);
    }
}

/// The column of a guard.
const VERDICT: &str = "ok";

/// What the number of a row is called among keys that were handed over.
fn number(keys: &[TransferredKey<'_>]) -> String {
    let mut name = "_n".to_owned();
    while keys.iter().any(|key| key.name == name) {
        name.push('_');
    }
    name
}

/// Whether rows may come in another order than they were given in.
fn is_mixed(batch: &InputBatch<'_>) -> bool {
    matches!(batch.rows, InputSource::Arrays(_)) && !batch.links.is_empty()
}

/// Whether an array of the type holds what was given as it is; else it is one of texts, each cast by itself. The driver
/// would look up the type of an array that is not built in.
fn is_carried(scalar: &Scalar, what: &RowsParameter) -> bool {
    scalar.builtin && !matches!(what, RowsParameter::Column(column) if column.travels_as_text())
}
