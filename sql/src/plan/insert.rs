//! Plans inserts, nested inserts and upserts.
//!
//! The rows of a level are a CTE of the statement, with the values that other CTEs need before they
//! are written ([`input_rows`]). One [`guard`] CTE checks the rows of all levels; then each level
//! is one `INSERT`. If a later level depends on what an earlier one stores, each level is a
//! statement of its own, which transfers its keys ([`links`]). If a check reads what the same field
//! writes, these statements run for one row after another ([`row_by_row`]).
//!
//! Rows with different columns become one set, in which defaults fill the gaps, so the number of
//! statements does not depend on the number of rows. A single row is written as `INSERT … VALUES …
//! RETURNING`, which takes Postgres a sixth less time than the form with a CTE.

use super::builder::Builder;
use super::returning::{WriteResult, counts, nothing};
use super::scan::{Event, TransferredKey, WrittenRows};
use super::{
    Assertion, AssertionKind, Check, CheckCte, CheckStrategy, Cte, Denied, Expression, InputRows,
    InsertPlan, InsertSource, Link, LinkDirection, ParentRows, PartKind, RowCountSource, Scan,
    Step, StoredRowChecks, Term, free_name,
};
use crate::encode::shape::Node;
use crate::error::Cause;
use crate::model::Relation;
use crate::postgres::catalog::ColumnId;
use crate::postgres::types::Cast;
use crate::resolve::selection::{Insert, Outcome, Write};

mod target;
mod missing_columns;
mod input_rows;
mod levels;
mod links;
mod guard;
mod row_by_row;
mod upsert;

use input_rows::NewRows;
use levels::Level;
use target::Target;

/// The context of rows that are inserted along with an update.
pub(super) struct NestedInsertContext<'m> {
    /// The path of the rows in the request.
    pub(super) path: String,
    /// The relation from the one parent row to these rows, and the transferred columns of that row.
    pub(super) parent: Option<(&'m Relation, Vec<TransferredKey<'m>>)>,
    /// The columns of the rows that other statements need.
    pub(super) wanted: Vec<ColumnId>,
    /// Whether the rows are counted.
    pub(super) counts: bool,
}

/// The state of an insert in which each level is a statement.
struct LevelInserts<'c, 'm> {
    levels: &'c [Level<'c, 'm>],
    /// The link of the root's rows to their parent row.
    parent: Option<Link<'m>>,
    counts: bool,
    path: String,
    first: Option<Step<'m>>,
    /// The transferred keys of each level, if later levels need them.
    handed: Vec<Option<ParentRows<'m>>>,
    /// The row counts so far.
    counted: Vec<RowCountSource>,
}

/// The CTEs for the rows of a level.
struct Parts<'m> {
    /// The alias of the rows.
    rows: u32,
    given: Option<InputRows<'m>>,
    /// The check on them in the guard.
    check: Option<Check<'m>>,
    /// The number of the CTE that writes them.
    number: u32,
    insert: InsertPlan<'m>,
}

/// Where the rows of a level are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowUse {
    /// Only in their own `INSERT`, which is all that the statement writes.
    Alone,
    /// In other levels of the same statement as well.
    Together,
    /// In later statements, as they were written.
    Between,
}

impl<'c, 'm> LevelInserts<'c, 'm> {
    /// Inserts whose rows are not counted.
    fn new(
        levels: &'c [Level<'c, 'm>],
        parent: Option<Link<'m>>,
        first: Step<'m>,
    ) -> LevelInserts<'c, 'm> {
        let path = first.path.clone();
        LevelInserts {
            levels,
            parent,
            counts: false,
            path,
            first: Some(first),
            handed: Vec::new(),
            counted: Vec::new(),
        }
    }
}

impl<'m> Builder<'m> {
    /// Plans the statements of an insert. `lead` is the response text before it; returns the text
    /// after it.
    pub(super) fn inserted(
        &mut self,
        write: &Write<'m>,
        insert: &Insert<'m>,
        outcome: &Outcome<'m>,
        lead: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        if insert.batches.is_empty() {
            return Ok(lead + &nothing(outcome));
        }
        let one = matches!(outcome, Outcome::Row(_));
        let path = format!(
            "{}.args.{}",
            write.path,
            if one { "object" } else { "objects" }
        );
        let levels = levels::flat(insert, path.clone());
        let step = Step::new(lead, path);
        if self.is_row_by_row(&levels)? {
            self.plan_row_by_row(&levels, outcome, step, steps)?;
            return Ok(String::new());
        }
        if self.is_one_statement(&levels)? {
            self.plan_one_statement(&levels, outcome, step, steps)?;
        } else {
            self.plan_level_statements(&levels, outcome, step, steps)?;
        }
        Ok(String::new())
    }

    // ---- one statement

    /// `WITH input rows of all levels, a guard, an INSERT for each level SELECT response`
    fn plan_one_statement(
        &mut self,
        levels: &[Level<'_, 'm>],
        outcome: &Outcome<'m>,
        mut step: Step<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let row_use = if levels.len() == 1 {
            RowUse::Alone
        } else {
            RowUse::Together
        };
        let mut all: Vec<Parts<'m>> = Vec::new();
        let mut answered = None;
        for level in levels {
            let rows = |index: usize| all.get(index).map_or(0, |parts| parts.rows);
            let links = level.hangs.iter().map(|hang| {
                let name = if hang.along == LinkDirection::Child {
                    "_p"
                } else {
                    "_n"
                };
                let over = levels.get(hang.level).ok_or(Denied)?;
                let name = free_name(self.access().model().table(over.insert.table), name);
                self.link(levels, hang, ParentRows::Part(rows(hang.level), name))
            });
            let links = links.collect::<Result<Vec<_>, _>>()?;
            let mut written = WrittenRows::new(level.insert.table, Event::Insert);
            let parts = self.parts(level, links, &mut written, row_use)?;
            step.assertions.extend(self.at_most_updated(level, &parts));
            all.push(parts);
            if level.is_root {
                answered = Some(written);
            }
        }
        let counted = all
            .iter()
            .map(|parts| RowCountSource::Part(parts.number))
            .collect();
        let tables = levels.iter().map(|level| level.insert.table).collect();
        let results = WriteResult {
            written: answered.ok_or(Denied)?,
            counted,
            tables,
            moves_keys: false,
        };
        let direct = self.direct(&all, &results, outcome, &mut step)?;
        step.parts = self.guarded(all);
        if direct {
            steps.push(step);
            return Ok(());
        }
        self.return_rows(step, &results, outcome, steps)
    }

    /// Makes an `INSERT` that always writes exactly one row return the response itself: `INSERT …
    /// RETURNING rule, _2."id"`. This form costs least.
    fn direct(
        &mut self,
        all: &[Parts<'m>],
        results: &WriteResult,
        outcome: &Outcome<'m>,
        step: &mut Step<'m>,
    ) -> Result<bool, Denied> {
        let (
            [
                Parts {
                    given: None,
                    insert,
                    ..
                },
            ],
            Outcome::Row(fields),
        ) = (all, outcome)
        else {
            return Ok(false);
        };
        let sure = guard::is_plain(insert.table) && insert.conflict.is_none();
        if !sure || insert.stored.is_some() || !self.single_statement(results, outcome) {
            return Ok(false);
        }
        let scan = Scan::written(self.access(), &results.written, insert.alias)?;
        let (output, shapes) = self.fields(&scan, &mut Vec::new(), fields)?;
        let seen = Expression::Output(Term::Column(scan.row_rule()), Cast::None);
        step.output = std::iter::once(seen).chain(output).collect();
        step.node = Some(Node::Optional(shapes));
        step.direct = Some(scan);
        Ok(true)
    }

    // ---- a statement for each level

    /// Each statement transfers the keys that later ones need; the last one returns the response.
    fn plan_level_statements(
        &mut self,
        levels: &[Level<'_, 'm>],
        outcome: &Outcome<'m>,
        first: Step<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let mut progress = LevelInserts {
            counts: counts(outcome),
            ..LevelInserts::new(levels, None, first)
        };
        let mut later = None;
        for (index, level) in levels.iter().enumerate() {
            let (mut step, results) = self.level_step(level, &mut progress)?;
            if level.is_root && index + 1 == levels.len() {
                return self.return_rows(step, &results, outcome, steps);
            }
            if level.is_root {
                later = Some(self.transfer(&mut step, &results, outcome)?);
            } else {
                self.count_level(&mut step, results, &mut progress);
            }
            steps.push(step);
        }
        let mut later = later.ok_or(Denied)?;
        later.count(progress.counted);
        self.reselect(&later, outcome, steps)
    }

    /// Plans the statements of rows that are inserted along with an update. Returns the transferred
    /// columns in `wanted`, by name, and the row counts if they are needed. The rows may have a
    /// parent row, whose key was transferred.
    pub(super) fn inserted_along(
        &mut self,
        insert: &Insert<'m>,
        along: NestedInsertContext<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(Vec<TransferredKey<'m>>, Vec<RowCountSource>), Denied> {
        if insert.batches.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut levels = levels::flat(insert, along.path.clone());
        for level in levels.iter_mut().filter(|level| level.is_root) {
            level.wanted.extend(&along.wanted);
        }
        if self.is_row_by_row(&levels)? {
            return self.inserted_along_row_by_row(&levels, along, steps);
        }
        let parent = along
            .parent
            .map(|(relation, keys)| self.only_link(relation, keys));
        let first = Step::new(String::new(), along.path);
        let mut progress = LevelInserts {
            counts: along.counts,
            ..LevelInserts::new(&levels, parent, first)
        };
        let mut keys = Vec::new();
        for level in &levels {
            let (mut step, results) = self.level_step(level, &mut progress)?;
            self.count_level(&mut step, results, &mut progress);
            if let (true, Some(Some(ParentRows::Transferred(handed, _)))) =
                (level.is_root, progress.handed.last())
            {
                keys.clone_from(handed);
            }
            steps.push(step);
        }
        Ok((keys, progress.counted))
    }

    /// The statement of a level, with the transfers that other levels need.
    fn level_step(
        &mut self,
        level: &Level<'_, 'm>,
        progress: &mut LevelInserts<'_, 'm>,
    ) -> Result<(Step<'m>, WriteResult), Denied> {
        let mut step = progress
            .first
            .take()
            .unwrap_or_else(|| Step::new(String::new(), progress.path.clone()));
        let links = level.hangs.iter().map(|hang| {
            let rows = progress
                .handed
                .get(hang.level)
                .cloned()
                .flatten()
                .ok_or(Denied)?;
            // Rows after their parent join it by its position, not by the rows that the parent
            // itself came with.
            let rows = match rows {
                ParentRows::Transferred(keys, _) if hang.along == LinkDirection::Parent => {
                    ParentRows::Transferred(keys, None)
                }
                rows => rows,
            };
            self.link(progress.levels, hang, rows)
        });
        let mut links = links.collect::<Result<Vec<_>, _>>()?;
        if level.is_root {
            links.extend(progress.parent.take().map(|link| (None, link)));
        }
        let mut written = WrittenRows::new(level.insert.table, Event::Insert);
        let parts = self.parts(level, links, &mut written, RowUse::Between)?;
        step.assertions.extend(self.at_most_updated(level, &parts));
        progress
            .handed
            .push(self.transfer_level(level, &parts, &written, &mut step));
        let mut counted = std::mem::take(&mut progress.counted);
        counted.push(RowCountSource::Part(parts.number));
        step.parts = self.guarded(vec![parts]);
        let tables = progress
            .levels
            .iter()
            .map(|level| level.insert.table)
            .collect();
        Ok((
            step,
            WriteResult {
                written,
                counted,
                tables,
                moves_keys: false,
            },
        ))
    }

    /// Makes a statement transfer the number of rows written so far.
    fn count_level(
        &mut self,
        step: &mut Step<'m>,
        results: WriteResult,
        progress: &mut LevelInserts<'_, 'm>,
    ) {
        if progress.counts {
            progress
                .counted
                .push(self.transfer_count(step, results.counted));
        }
    }

    /// Makes a statement transfer the columns that other levels need of its rows, after asserting
    /// that all rows were written.
    fn transfer_level(
        &mut self,
        level: &Level<'_, 'm>,
        parts: &Parts<'m>,
        written: &WrittenRows,
        step: &mut Step<'m>,
    ) -> Option<ParentRows<'m>> {
        if level.wanted.is_empty() {
            return None;
        }
        let model = self.access().model();
        let table = model
            .exposed(level.insert.table)
            .map(|exposed| exposed.name.clone());
        let relation = level.before.map(|relation| relation.name.clone());
        let cause = Cause::NotInserted {
            table: table.unwrap_or_default(),
            relation,
        };
        let what = AssertionKind::AsMany {
            part: parts.number,
            other: parts.rows,
        };
        step.assertions.push(Assertion {
            what,
            cause,
            path: level.path.clone(),
        });
        let keys = self.transfer_columns(step, written, &level.wanted);
        let numbers = parts
            .given
            .as_ref()
            .and_then(|given| given.parent.clone())
            .filter(|_| level.before.is_some());
        let numbers = numbers.map(|name| self.transfer_numbers(step, parts.rows, name));
        Some(ParentRows::Transferred(keys, numbers))
    }

    // ---- parts

    /// The rows of a level, and their `INSERT`. Rows that nothing else uses are placed inside the
    /// `INSERT`.
    fn parts(
        &mut self,
        level: &Level<'_, 'm>,
        links: Vec<(Option<usize>, Link<'m>)>,
        written: &mut WrittenRows,
        row_use: RowUse,
    ) -> Result<Parts<'m>, Denied> {
        let access = self.access();
        let insert = level.insert;
        let target = Target::open(access, insert.table)?;
        let table = target.table();
        let rule = target.check();
        let linked: Vec<_> = links
            .iter()
            .flat_map(|(_, link)| link.columns.iter().map(|column| column.here))
            .collect();
        let is_judged = guard::is_judged_before(access.model().catalog(), &target, insert, &linked);
        let mut known = if row_use == RowUse::Together {
            level.wanted.clone()
        } else {
            Vec::new()
        };
        known.extend(guard::columns(rule).filter(|_| is_judged));
        let one = insert.batches.iter().all(|batch| batch.rows.is_single());
        let here = row_use == RowUse::Alone && (one || (!is_judged && insert.batches.len() == 1));
        let given = self.given(&NewRows {
            target: &target,
            insert,
            links,
            known,
            numbered: !here,
        })?;
        let rows = self.alias();
        let alias = self.alias();
        let number = self.alias();
        let check = |rows: u32| Check {
            rows,
            table,
            rule,
            path: level.path.clone(),
        };
        let conflict = insert
            .on_conflict
            .as_ref()
            .map(|conflict| self.conflict(insert, conflict, alias, &level.path));
        let conflict = conflict.transpose()?;
        let stored = StoredRowChecks::new(table, &check(alias), conflict.as_ref());
        let columns = given
            .columns
            .iter()
            .filter(|column| column.written)
            .map(|column| column.name)
            .collect();
        let overriding = given.is_identified(access.model().catalog(), insert.table);
        let judge = if here && is_judged {
            CheckStrategy::Itself(check(rows))
        } else {
            CheckStrategy::None
        };
        let (source, given) = if here {
            (InsertSource::Here(rows, Box::new(given)), None)
        } else {
            (InsertSource::Part(rows), Some(given))
        };
        let returned = written.part(access, number);
        let mark = conflict.as_ref().and_then(|conflict| conflict.mark(table));
        let insert = InsertPlan {
            alias,
            table,
            columns,
            overriding,
            rows: source,
            judge,
            conflict,
            stored,
            mark,
            returned,
        };
        Ok(Parts {
            rows,
            given,
            check: (!here && is_judged).then(|| check(rows)),
            number,
            insert,
        })
    }

    /// All CTEs in order: the input rows, one guard over them, and the inserts.
    fn guarded(&mut self, all: Vec<Parts<'m>>) -> Vec<Cte<'m>> {
        let mut parts = Vec::new();
        let mut checks = Vec::new();
        let mut inserts = Vec::new();
        for level in all {
            let rows = level.rows;
            parts.extend(level.given.map(|given| Cte {
                number: rows,
                kind: PartKind::Given(Box::new(given)),
            }));
            checks.extend(level.check);
            inserts.push((level.number, level.insert));
        }
        let guard = (!checks.is_empty()).then(|| self.alias());
        parts.extend(guard.map(|number| Cte {
            number,
            kind: PartKind::Guard(Box::new(CheckCte { checks })),
        }));
        parts.extend(inserts.into_iter().map(|(number, insert)| {
            let judge = guard.map_or(insert.judge, CheckStrategy::Guard);
            Cte {
                number,
                kind: PartKind::Insert(Box::new(InsertPlan { judge, ..insert })),
            }
        }));
        parts
    }
}
