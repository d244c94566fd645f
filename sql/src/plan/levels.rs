//! Lists within lists as levels: the rows of each come once, beside those of the root, and not as records in the rows that
//! they belong to. A record costs Postgres more than a row, and one that holds many costs more still.
//!
//! ```sql
//! WITH _0 (c0, c1) AS MATERIALIZED (SELECT … LIMIT 20)
//! (SELECT 0::int2, … FROM requests AS _2 WHERE _2.subject_id = ANY (array(SELECT _0.c0 FROM _0)) ORDER BY …)
//! UNION ALL SELECT 1::int2, _0.c0, … FROM _0
//! ```

use std::rc::Rc;

use super::builder::Builder;
use super::{Column, Denied, Expression, Predicate, Scan, Select, Term, Value};
use crate::catalog::{ColumnId, Oid, TableId};
use crate::model::Relation;
use crate::resolve::Lists;
use crate::selection::{Arguments, Count, Field, FieldKind, Rows, Want};
use crate::shape::{self, Answer, Key, Level, Node, Shape};
use crate::types::Cast;

/// A root that has no more rows than this has its lists as levels: they are held until the last of them has come.
const FEW: f64 = 1000.0;

/// `smallint`, `integer`, `bigint`: equal across their types, so the bytes are compared as those of the longest.
const WHOLE: [Oid; 3] = [21, 23, 20];

/// Text: equal where the bytes are, under a deterministic collation.
const TEXT: [Oid; 2] = [25, 1043];

/// `uuid`, `date`, `timestamp`, `timestamptz`: equal where the bytes are.
const PLAIN: [Oid; 4] = [2950, 1082, 1114, 1184];

/// Rows of a root and of the lists in them.
#[derive(Debug)]
pub struct Levels<'m> {
    /// What is read, a level before the one that its rows belong to; the root is the last.
    pub arms: Vec<Arm<'m>>,
    /// The types of the columns after the first, as SQL writes them.
    pub columns: Vec<Rc<str>>,
}

/// The rows of one level.
#[derive(Debug)]
pub struct Arm<'m> {
    /// The number that it is known by to the levels whose rows belong to its.
    pub number: u32,
    /// The rows. Where no level belongs to them, the output has all columns already.
    pub select: Select<'m>,
    /// Where each column of the output goes, for rows that other levels belong to; none for others.
    pub places: Option<Vec<usize>>,
}

/// The levels while they are planned.
#[derive(Debug, Default)]
pub(super) struct Open<'m> {
    /// Those whose fields are being planned: the scan, and the number.
    within: Vec<(u32, u32)>,
    /// Those that are done.
    done: Vec<Draft<'m>>,
}

/// A level whose columns have no places yet.
#[derive(Debug)]
struct Draft<'m> {
    number: u32,
    select: Select<'m>,
    node: Node,
    owner: Option<Owner<'m>>,
}

/// By what rows belong to those of another level.
#[derive(Clone, Debug)]
struct Owner<'m> {
    /// The number of the other level.
    parent: u32,
    /// How the key goes out there.
    there: Expression<'m>,
    /// How it goes out here.
    here: Expression<'m>,
}

impl<'m> Builder<'m> {
    /// A root as levels, where it has lists that can be.
    pub(super) fn levels(&mut self, key: &Key, want: &Want<'m>) -> Result<Option<(Levels<'m>, Shape)>, Denied> {
        let (rows, one) = match want {
            Want::List(rows) if !rows.arguments.backwards => (rows, false),
            Want::One(rows) => (rows, true),
            _ => return Ok(None),
        };
        if !self.may_level(rows, one) {
            return Ok(None);
        }
        let limit = if one { None } else { self.granted_limit(rows.table) };
        let (number, scan) = (self.alias(), self.open(rows.table)?);
        self.draft(number, scan, None, rows, limit)?;
        let mut drafts = std::mem::take(&mut self.levels.done);
        if let Some(root) = drafts.last_mut().filter(|_| !one) {
            self.through_memberships(&mut root.select);
        }
        Ok(if drafts.len() > 1 { self.laid_out(key, one, drafts) } else { None })
    }

    /// Whether a root has a list in it, and few rows.
    fn may_level(&self, rows: &Rows<'m>, one: bool) -> bool {
        let few = || one || self.is_cut(rows) || self.is_small(rows.table);
        has_list(&rows.fields)
            && match self.lists() {
                Lists::Chosen => few(),
                Lists::Levels => true,
                Lists::Records => false,
            }
    }

    /// Whether no more than a few rows are asked for or given.
    fn is_cut(&self, rows: &Rows<'m>) -> bool {
        let few = |limit: &Count| match limit {
            Count::Number(number) => *number as f64 <= FEW,
            Count::Parameter(_) => true,
        };
        rows.arguments.limit.iter().chain(&self.granted_limit(rows.table)).any(few)
    }

    /// Whether a table has few rows, as far as the catalog knows.
    fn is_small(&self, table: TableId) -> bool {
        (0.0..=FEW).contains(&self.access().model().table(table).estimated_rows)
    }

    /// Plans a level, and those in it before. The condition by which its rows belong to others gets its place at the end.
    fn draft(
        &mut self,
        number: u32,
        scan: Scan<'m>,
        under: Option<(Column<'m>, Owner<'m>)>,
        rows: &Rows<'m>,
        limit: Option<Count>,
    ) -> Result<usize, Denied> {
        let (column, owner) = under.unzip();
        let under = column.zip(owner.as_ref()).map(|(column, owner)| Predicate::Under(column, owner.parent, 0));
        self.levels.within.push((scan.alias(), number));
        let (mut select, fields) =
            self.rows_of(scan, under.into_iter().collect(), &rows.arguments, &rows.fields, limit)?;
        self.levels.within.pop();
        select.output.extend(owner.as_ref().map(|owner| owner.here.clone()));
        self.levels.done.push(Draft { number, select, node: Node::Object(fields), owner });
        Ok(self.levels.done.len() - 1)
    }

    /// The list that a relation leads to as a level of its own, where the row here is of a level and its key and what it
    /// leads to allow it.
    pub(super) fn level(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        rows: &Rows<'m>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Option<Node>, Denied> {
        let Some(parent) = self.level_of(scan) else { return Ok(None) };
        let [(here, over)] = relation.on.as_slice() else { return Ok(None) };
        let Some(sent) = self.sent_as(scan.id(), *here, relation.to, *over) else { return Ok(None) };
        if scan.reach(relation).is_some() || is_picky(&rows.arguments) || self.granted_limit(rows.table).is_some() {
            return Ok(None);
        }
        let from = self.key(scan.key(*here), sent);
        let (number, there) = (self.alias(), self.open(rows.table)?);
        let column = there.key(*over);
        if column.raises() {
            return Ok(None);
        }
        let owner = Owner { parent, there: from.clone(), here: self.key(column.clone(), sent) };
        let level = self.draft(number, there, Some((column, owner)), rows, None)?;
        columns.push(from);
        Ok(Some(Node::Level(level)))
    }

    /// The level that a scan's rows are of: its own, or that of the rows that it was joined to.
    fn level_of(&self, scan: &Scan<'m>) -> Option<u32> {
        let mut alias = scan.alias();
        loop {
            if let Some((_, number)) = self.levels.within.iter().find(|(within, _)| *within == alias) {
                return Some(*number);
            }
            alias = self.joined.iter().find(|(_, _, there)| there.alias() == alias)?.0;
        }
    }

    /// The type in which two columns are equal just when their bytes are.
    fn sent_as(&self, here: TableId, from: ColumnId, there: TableId, to: ColumnId) -> Option<Oid> {
        let model = self.access().model();
        let (from, to) = (model.table(here).column(from), model.table(there).column(to));
        let (a, b) = (self.base(from.r#type)?, self.base(to.r#type)?);
        let length = |oid| WHOLE.iter().position(|whole| *whole == oid);
        let both = |types: &[Oid]| types.contains(&a) && types.contains(&b);
        match (length(a), length(b)) {
            (Some(x), Some(y)) => Some(if x < y { b } else { a }),
            _ if both(&TEXT) => (from.deterministic && to.deterministic).then_some(TEXT[0]),
            _ if both(&PLAIN) => (a == b).then_some(a),
            _ => None,
        }
    }

    /// A key as it goes out.
    fn key(&self, column: Column<'m>, sent: Oid) -> Expression<'m> {
        let as_it_is = self.base(column.r#type()).is_some_and(|base| base == sent || TEXT.contains(&base));
        let term = Term::Column(column);
        Expression::Output(if as_it_is { term } else { Term::Cast(Box::new(term), sent, false) }, Cast::None)
    }

    fn base(&self, oid: Oid) -> Option<Oid> {
        self.access().model().catalog().base_type(oid).map(|base| base.oid)
    }

    /// Gives every column a place, those of one type in different levels the same ones. None where a type has no name
    /// that a null could be cast to.
    fn laid_out(&self, key: &Key, one: bool, drafts: Vec<Draft<'m>>) -> Option<(Levels<'m>, Shape)> {
        let mut columns: Vec<Rc<str>> = Vec::new();
        let (mut arms, mut levels, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        for draft in drafts {
            let (output, consumed) = distinct(draft.select.output);
            let places = self.places(&output, &mut columns)?;
            let consumed: Vec<usize> = consumed.iter().filter_map(|i| places.get(*i)).map(|place| place + 1).collect();
            let owner = draft.owner.as_ref().and_then(|_| consumed.last().copied());
            levels.push(Level { places: consumed, owner, node: draft.node });
            owners.push(draft.owner);
            let select = Select { output, ..draft.select };
            arms.push(Arm { number: draft.number, select, places: Some(places) });
        }
        let width = columns.len() + 1;
        for (child, owner) in owners.iter().enumerate() {
            let Some(owner) = owner else { continue };
            let place = arms.iter().find(|arm| arm.number == owner.parent)?.place(&owner.there)?;
            arms.get_mut(child)?.hang(place);
        }
        for (number, arm) in arms.iter_mut().enumerate() {
            if !owners.iter().flatten().any(|owner| owner.parent == arm.number) {
                arm.fill(number, &columns);
            }
        }
        let root = levels.pop()?;
        let levels = shape::Levels { key: key.clone(), one, width, inner: levels, root };
        Some((Levels { arms, columns }, Shape { answer: Answer::Levels(Box::new(levels)) }))
    }

    /// A place for each expression: the first of its type that is free, or a new one.
    fn places(&self, output: &[Expression<'m>], columns: &mut Vec<Rc<str>>) -> Option<Vec<usize>> {
        let mut taken: Vec<usize> = Vec::new();
        for expression in output {
            let r#type = self.wire_type(expression)?;
            let free = (0..columns.len()).find(|i| !taken.contains(i) && columns.get(*i) == Some(&r#type));
            taken.push(free.unwrap_or(columns.len()));
            if free.is_none() {
                columns.push(r#type);
            }
        }
        Some(taken)
    }

    /// The type that a column of the output has, as SQL writes it.
    fn wire_type(&self, expression: &Expression<'m>) -> Option<Rc<str>> {
        Some(match expression {
            Expression::Output(term, Cast::None) => {
                let scalar = self.scalar(term.r#type());
                return scalar.builtin.then(|| scalar.sql.into());
            }
            Expression::Output(..) | Expression::Text(_) => "text".into(),
            Expression::Present(_) | Expression::Exists(_) => "bool".into(),
            Expression::Rows(_) | Expression::Values(..) => "record[]".into(),
            Expression::Record(_) => "record".into(),
            Expression::Limit(_) | Expression::Planned(..) | Expression::Count(..) => "int8".into(),
            Expression::Single(select) => return self.wire_type(select.output.first()?),
            _ => return None,
        })
    }
}

impl<'m> Arm<'m> {
    /// Makes the output all columns, null where they belong to others.
    fn fill(&mut self, number: usize, columns: &[Rc<str>]) {
        let places = self.places.take().unwrap_or_default();
        let mut output: Vec<_> = columns.iter().cloned().map(Expression::Null).collect();
        for (place, expression) in places.into_iter().zip(std::mem::take(&mut self.select.output)) {
            if let Some(column) = output.get_mut(place) {
                *column = expression;
            }
        }
        output.insert(0, Expression::Level(number));
        self.select.output = output;
    }

    /// Says where the key stands that the rows belong to.
    fn hang(&mut self, there: usize) {
        for condition in &mut self.select.safe {
            if let Predicate::Under(_, _, place) = condition {
                *place = there;
            }
        }
    }

    fn place(&self, key: &Expression<'m>) -> Option<usize> {
        self.select.output.iter().position(|expression| is_same(expression, key))
    }
}

/// Whether a list is among the fields, or those of objects in them.
fn has_list(fields: &[Field<'_>]) -> bool {
    fields.iter().any(|field| match &field.kind {
        FieldKind::Array(..) => true,
        FieldKind::Object(_, fields) | FieldKind::Same(fields) => has_list(fields),
        _ => false,
    })
}

/// Whether rows are counted off from those of each row alone.
fn is_picky(arguments: &Arguments<'_>) -> bool {
    arguments.cuts() || arguments.backwards || arguments.after.is_some() || arguments.before.is_some()
}

/// Columns that are asked for twice go out once: what goes out, and where each one asked for stands in it.
fn distinct(output: Vec<Expression<'_>>) -> (Vec<Expression<'_>>, Vec<usize>) {
    let mut kept: Vec<Expression<'_>> = Vec::new();
    let mut places = Vec::new();
    for expression in output {
        let known = kept.iter().position(|other| is_same(other, &expression));
        places.push(known.unwrap_or(kept.len()));
        if known.is_none() {
            kept.push(expression);
        }
    }
    (kept, places)
}

/// Whether both are one stored column that goes out in the same way.
fn is_same(a: &Expression<'_>, b: &Expression<'_>) -> bool {
    match (a, b) {
        (Expression::Output(a, x), Expression::Output(b, y)) if x == y => match (a, b) {
            (Term::Column(a), Term::Column(b)) => is_same_column(a, b),
            (Term::Cast(a, x, _), Term::Cast(b, y, _)) if x == y => match (a.as_ref(), b.as_ref()) {
                (Term::Column(a), Term::Column(b)) => is_same_column(a, b),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

fn is_same_column(a: &Column<'_>, b: &Column<'_>) -> bool {
    match (a.value(), b.value()) {
        (Value::Stored(x), Value::Stored(y)) => a.alias() == b.alias() && x == y,
        _ => false,
    }
}
