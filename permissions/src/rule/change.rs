//! Renders statements that write (INSERT, UPDATE, DELETE, MERGE) and row locks.
//!
//! The target is the table itself; tables that the statement reads besides it become scans, as in
//! queries.

use sql::postgres::catalog::TableId;
use sql::postgres::types::quoted;
use sqlparser::ast::{
    Assignment, AssignmentTarget, ConflictTarget, Delete, Expr, FromTable, Ident, Insert,
    LockClause, Merge, MergeAction, MergeClause, MergeClauseKind, MergeInsertExpr, MergeInsertKind,
    MergeUpdateExpr, MergeUpdateKind, ObjectName, ObjectNamePart, OnConflictAction, OnInsert,
    SelectItem, Spanned, Statement, TableFactor, TableObject, TableWithJoins, Update,
    UpdateTableFromKind,
};
use sqlparser::tokenizer::Span;

use super::identifiers::{folded, plain_name};
use super::scope::{Columns, FromScope, Item};
use super::writer::Writer;
use crate::fault::Fault;
use crate::similar_names::did_you_mean;
use crate::table_names::key;

impl Writer<'_, '_, '_> {
    /// Renders a statement that writes; returns the columns of its RETURNING.
    pub(super) fn change(&mut self, statement: &Statement) -> Columns {
        let levels = self.frame.levels.len();
        let aliases = self.aliases.len();
        self.frame.levels.push(FromScope::default());
        let columns = match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merging(merge),
            other => {
                self.refuse("a statement of this kind", other.span());
                Columns::default()
            }
        };
        self.frame.levels.truncate(levels);
        self.aliases.truncate(aliases);
        columns
    }

    fn insert(&mut self, insert: &Insert) -> Columns {
        let span = insert.span();
        self.check_may_write(insert.insert_token.0.span);
        let TableObject::TableName(name) = &insert.table else {
            self.refuse("an INSERT of this form", span);
            return Columns::default();
        };
        let plain = insert.assignments.is_empty()
            && insert.after_columns.is_empty()
            && insert.partitioned.is_none();
        let foreign =
            insert.or.is_some() || insert.ignore || insert.overwrite || insert.replace_into;
        let foreign =
            foreign || insert.insert_alias.is_some() || insert.multi_table_insert_type.is_some();
        if !plain
            || foreign
            || insert.output.is_some()
            || insert.settings.is_some()
            || insert.format_clause.is_some()
        {
            self.refuse("an INSERT of this form", span);
        }
        self.sql("INSERT INTO ");
        let table = self.target(name, insert.table_alias.as_ref().map(|alias| &alias.alias));
        if !insert.columns.is_empty() {
            self.sql(" (");
            self.list(&insert.columns, |writer, column| {
                writer.written_column(table, column);
            });
            self.sql(")");
        }
        match &insert.source {
            None => self.sql(" DEFAULT VALUES"),
            Some(source) => {
                // The source query does not see the target table.
                let target = self.frame.levels.pop().unwrap_or_default();
                self.sql(" ");
                let columns = self.query(source);
                self.by_place(&columns, source.span());
                self.frame.levels.push(target);
            }
        }
        match &insert.on {
            None => {}
            Some(OnInsert::OnConflict(conflict)) => {
                self.sql(" ON CONFLICT");
                self.conflict(conflict.conflict_target.as_ref());
                self.on_conflict(table, &conflict.action);
            }
            Some(_) => self.refuse("an INSERT of this form", span),
        }
        self.returning(insert.returning.as_deref())
    }

    fn conflict(&mut self, target: Option<&ConflictTarget>) {
        match target {
            None => {}
            Some(ConflictTarget::Columns(columns)) => {
                self.sql(" ");
                self.column_names(&columns.iter().map(folded).collect::<Vec<_>>());
            }
            Some(ConflictTarget::OnConstraint(name)) => match plain_name(name) {
                Some(text) => self.sql(&format!(" ON CONSTRAINT {text}")),
                None => self.refuse("a constraint of this form", name.span()),
            },
        }
    }

    fn on_conflict(&mut self, table: Option<TableId>, action: &OnConflictAction) {
        let OnConflictAction::DoUpdate(update) = action else {
            return self.sql(" DO NOTHING");
        };
        let columns = self
            .frame
            .levels
            .last()
            .and_then(|level| level.items.first())
            .map(|item| item.columns.clone());
        let name = "excluded".to_owned();
        let columns = columns.unwrap_or_default();
        let excluded = Item {
            written: name.clone(),
            name,
            table: None,
            columns,
        };
        self.frame
            .levels
            .last_mut()
            .into_iter()
            .for_each(|level| level.items.push(excluded.clone()));
        self.sql(" DO UPDATE SET ");
        self.assignments(table, &update.assignments);
        self.behind(" WHERE ", update.selection.as_ref());
        self.frame
            .levels
            .last_mut()
            .and_then(|level| level.items.pop());
    }

    fn update(&mut self, update: &Update) -> Columns {
        self.check_may_write(update.update_token.0.span);
        let plain = update.or.is_none() && update.order_by.is_empty() && update.limit.is_none();
        if !plain || update.output.is_some() {
            self.refuse("an UPDATE of this form", update.span());
        }
        self.sql("UPDATE ");
        let table = self.target_of(&update.table);
        // An assigned value may use a table of the FROM clause, which follows in the SQL.
        let (from, ()) = self.apart(|writer| match &update.from {
            None => {}
            Some(UpdateTableFromKind::AfterSet(tables)) => writer.from(tables),
            Some(UpdateTableFromKind::BeforeSet(_)) => {
                writer.refuse("FROM before SET", update.span());
            }
        });
        self.sql(" SET ");
        self.assignments(table, &update.assignments);
        from.into_iter().for_each(|part| self.part(part));
        self.behind(" WHERE ", update.selection.as_ref());
        self.returning(update.returning.as_deref())
    }

    fn delete(&mut self, delete: &Delete) -> Columns {
        self.check_may_write(delete.delete_token.0.span);
        let plain =
            delete.tables.is_empty() && delete.order_by.is_empty() && delete.limit.is_none();
        let from = match &delete.from {
            FromTable::WithFromKeyword(tables) => tables.as_slice(),
            FromTable::WithoutKeyword(_) => &[],
        };
        self.sql("DELETE FROM ");
        match from {
            [table] if plain && delete.output.is_none() => self.target_of(table),
            _ => {
                self.refuse("a DELETE of this form", delete.span());
                None
            }
        };
        if let Some(using) = &delete.using {
            self.tables(" USING ", using);
        }
        self.behind(" WHERE ", delete.selection.as_ref());
        self.returning(delete.returning.as_deref())
    }

    fn merging(&mut self, merge: &Merge) -> Columns {
        self.check_may_write(merge.merge_token.0.span);
        if merge.output.is_some() {
            self.refuse("a MERGE of this form", merge.span());
        }
        self.sql("MERGE INTO ");
        let table = self.target_factor(&merge.table);
        self.sql(" USING ");
        self.factor(&merge.source);
        self.behind(" ON ", Some(&merge.on));
        merge
            .clauses
            .iter()
            .for_each(|clause| self.clause(table, clause));
        Columns::default()
    }

    fn clause(&mut self, table: Option<TableId>, clause: &MergeClause) {
        let span = clause.span();
        match clause.clause_kind {
            MergeClauseKind::Matched => self.sql(" WHEN MATCHED"),
            MergeClauseKind::NotMatched => self.sql(" WHEN NOT MATCHED"),
            _ => self.refuse("a MERGE of this form", span),
        }
        self.behind(" AND ", clause.predicate.as_ref());
        self.sql(" THEN ");
        match &clause.action {
            MergeAction::Delete { .. } => self.sql("DELETE"),
            MergeAction::DoNothing { .. } => self.sql("DO NOTHING"),
            MergeAction::Update(MergeUpdateExpr {
                update_token: _,
                kind: MergeUpdateKind::Set(assignments),
                update_predicate: None,
                delete_predicate: None,
            }) => {
                self.sql("UPDATE SET ");
                self.assignments(table, assignments);
            }
            MergeAction::Insert(MergeInsertExpr {
                insert_token: _,
                columns,
                kind_token: _,
                kind: MergeInsertKind::Values(values),
                insert_predicate: None,
            }) => {
                self.sql("INSERT ");
                if !columns.is_empty() {
                    self.sql("(");
                    self.list(columns, |writer, column| {
                        writer.written_column(table, column);
                    });
                    self.sql(") ");
                }
                self.values(values, span);
            }
            _ => self.refuse("a MERGE of this form", span),
        }
    }

    /// `"a" = 1, ("b", "c") = (SELECT …)`
    fn assignments(&mut self, table: Option<TableId>, assignments: &[Assignment]) {
        self.list(assignments, |writer, Assignment { target, value }| {
            match target {
                AssignmentTarget::ColumnName(column) => writer.written_column(table, column),
                AssignmentTarget::Tuple(columns) => {
                    writer.sql("(");
                    writer.list(columns, |writer, column| {
                        writer.written_column(table, column);
                    });
                    writer.sql(")");
                }
            }
            writer.sql(" = ");
            writer.given(value);
        });
    }

    /// Renders an assigned value, or `DEFAULT`.
    pub(super) fn given(&mut self, value: &Expr) {
        match value {
            Expr::Identifier(ident) if self.is_statement() && is_default(ident) => {
                self.sql("DEFAULT");
            }
            _ => self.expression(value),
        }
    }

    /// Renders a column that is assigned.
    fn written_column(&mut self, table: Option<TableId>, column: &ObjectName) {
        let [ObjectNamePart::Identifier(ident)] = column.0.as_slice() else {
            return self.refuse("a column of this form", column.span());
        };
        let name = folded(ident);
        // A fault of the table was reported already.
        let Some(table) = table.map(|table| self.catalog().table(table)) else {
            return;
        };
        if table.find(&name).is_some() {
            return self.sql_at(&quoted(&name), ident.span);
        }
        let help = did_you_mean(
            &name,
            table.columns.iter().map(|column| column.name.as_str()),
        );
        let fault = Fault::UnknownColumn {
            column: name,
            table: key(table),
        };
        let span = self.span(ident.span);
        self.fault_with(fault, &span, help);
    }

    /// Renders a condition after a keyword, if there is one.
    fn behind(&mut self, word: &str, condition: Option<&Expr>) {
        if let Some(condition) = condition {
            self.sql(word);
            self.expression(condition);
        }
    }

    fn returning(&mut self, items: Option<&[SelectItem]>) -> Columns {
        let Some(items) = items else {
            return Columns::default();
        };
        self.sql(" RETURNING");
        self.projection(items)
    }

    // ---- targets

    fn target_of(&mut self, table: &TableWithJoins) -> Option<TableId> {
        if !table.joins.is_empty() {
            self.refuse("a write to a join", table.span());
        }
        self.target_factor(&table.relation)
    }

    fn target_factor(&mut self, factor: &TableFactor) -> Option<TableId> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_ordinality: false,
                sample: None,
                ..
            } => self.target(name, alias.as_ref().map(|alias| &alias.name)),
            other => {
                self.refuse("a write to something that is not a table", other.span());
                None
            }
        }
    }

    /// `"public"."t" AS "t"`
    fn target(&mut self, name: &ObjectName, alias: Option<&Ident>) -> Option<TableId> {
        let span = name.span();
        let parts: Option<Vec<String>> = name
            .0
            .iter()
            .map(|part| part.as_ident().map(folded))
            .collect();
        let found = match parts.as_deref() {
            Some([only]) => self.catalog().find_unqualified(only),
            Some([schema, table]) => self.catalog().find(schema, table),
            _ => None,
        };
        let Some(id) = found else {
            self.no_such_table(name, None, span);
            return None;
        };
        let table = self.catalog().table(id);
        self.sql_at(
            &format!("{}.{}", quoted(&table.schema), quoted(&table.name)),
            span,
        );
        let columns = Columns::known(table.columns.iter().map(|column| column.name.clone()));
        let called = alias.map_or_else(|| table.name.clone(), folded);
        self.named(
            &called,
            alias.is_none().then_some(id),
            columns,
            alias.map_or(span, |alias| alias.span),
        );
        Some(id)
    }

    // ---- statements that need `unchecked`

    /// ` FOR UPDATE OF "t" SKIP LOCKED`
    pub(super) fn lock(&mut self, lock: &LockClause) {
        let LockClause {
            lock_type,
            of,
            nonblock,
        } = lock;
        self.sql(&format!(" FOR {lock_type}"));
        if let Some(of) = of {
            let wanted =
                of.0.last()
                    .and_then(|part| part.as_ident())
                    .map(folded)
                    .unwrap_or_default();
            let item = self
                .frame
                .levels
                .last()
                .and_then(|level| level.item(&wanted))
                .map(|item| item.written.clone());
            match item {
                Some(written) => self.sql_at(&format!(" OF {}", quoted(&written)), of.span()),
                None => self.fault(Fault::RuleQualifier { qualifier: wanted }, of.span()),
            }
        }
        if let Some(nonblock) = nonblock {
            self.sql(&format!(" {nonblock}"));
        }
    }

    /// Refuses a write in a rule. In a statement the caller decides.
    fn check_may_write(&mut self, span: Span) {
        if !self.is_statement() {
            self.refuse("a statement that writes", span);
        }
    }
}

fn is_default(ident: &Ident) -> bool {
    ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default")
}
