//! Values of a row that are compared, sorted by or returned: columns, JSON paths, casts, search
//! ranks and aggregates.

use super::builder::Builder;
use super::{AggregatePredicate, Column, Denied, Scan};
use crate::model::operators::{Mode, PathType};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Class;
use crate::resolve::selection;
use crate::statement::Parameter;

const FLOAT4: Oid = 700;

/// A full-text search in a text or a `tsvector`.
#[derive(Clone, Debug)]
pub struct Search<'m> {
    /// The searched column, or JSON as text.
    pub term: Term<'m>,
    /// Whether the term is a `tsvector`; otherwise it is text and is converted to one.
    pub ready: bool,
    /// The text search configuration, by schema and name.
    pub config: Option<(String, String)>,
    /// The syntax of the query.
    pub mode: Mode,
    /// The query.
    pub query: Parameter,
}

impl Search<'_> {
    /// Whether it may raise. Text may be too long for a `tsvector`; a stored `tsvector` is not.
    pub fn raises(&self) -> bool {
        !self.ready || self.term.raises()
    }
}

/// A value of a row that is compared, sorted by or returned.
#[derive(Clone, Debug)]
pub enum Term<'m> {
    /// A column.
    Column(Column<'m>),
    /// The value at a path in a JSON column: `column #> path`. Null where the path does not exist.
    Inside(Column<'m>, Parameter),
    /// The value at a path in a JSON column, as another type; null where it is of another type.
    Path(Column<'m>, Parameter, &'static PathType),
    /// How well a text matches a search: `ts_rank(…)`.
    Rank(Box<Search<'m>>),
    /// A term cast to another type, `column::text`, and whether the cast may raise.
    Cast(Box<Term<'m>>, Oid, bool),
    /// An aggregate, in `HAVING`.
    Measure(Box<AggregatePredicate<'m>>),
}

impl Term<'_> {
    /// Its type.
    pub fn r#type(&self) -> Oid {
        match self {
            Term::Column(column) | Term::Inside(column, _) => column.r#type(),
            Term::Cast(_, r#type, _) => *r#type,
            Term::Path(_, _, r#type) => r#type.compared,
            Term::Rank(_) => FLOAT4,
            Term::Measure(measured) => measured.r#type(),
        }
    }

    /// Whether evaluating it on a row that the rule hides may raise.
    pub fn raises(&self) -> bool {
        match self {
            Term::Column(column) | Term::Inside(column, _) | Term::Path(column, ..) => {
                column.raises()
            }
            Term::Rank(search) => search.raises(),
            Term::Cast(term, _, raises) => *raises || term.raises(),
            // `HAVING` is evaluated after the row rule, when no hidden row is left.
            Term::Measure(_) => false,
        }
    }
}

impl<'m> Builder<'m> {
    pub(super) fn search(
        &mut self,
        scan: &Scan<'m>,
        search: &selection::Search,
    ) -> Result<Search<'m>, Denied> {
        let term = self.term(scan, &search.term)?;
        let ready = self.scalar(term.r#type()).class == Class::Document;
        let config = search.config.clone();
        let query = search.query.clone();
        Ok(Search {
            term,
            ready,
            config,
            mode: search.mode,
            query,
        })
    }

    /// A term that is a column or the result of a function; other terms are denied.
    fn plain(&mut self, scan: &Scan<'m>, term: &selection::Term) -> Result<Column<'m>, Denied> {
        match self.term(scan, term)? {
            Term::Column(column) => Ok(column),
            _ => Err(Denied),
        }
    }

    /// Plans a term over the row of an opened scan.
    pub(super) fn term(
        &mut self,
        scan: &Scan<'m>,
        term: &selection::Term,
    ) -> Result<Term<'m>, Denied> {
        Ok(match term {
            selection::Term::Column(column) => Term::Column(scan.column(*column)?),
            selection::Term::Inside(column, path) => {
                Term::Inside(scan.column(*column)?, path.clone())
            }
            selection::Term::Path(term, path, r#type) => {
                Term::Path(self.plain(scan, term)?, path.clone(), r#type)
            }
            selection::Term::Rank(search) => Term::Rank(Box::new(self.search(scan, search)?)),
            selection::Term::Measure(measured) => {
                Term::Measure(Box::new(self.measured(scan, measured)?))
            }
            selection::Term::Cast(term, r#type, raises) => {
                Term::Cast(Box::new(self.term(scan, term)?), *r#type, *raises)
            }
            selection::Term::Computed(call, None) => Term::Column(self.computed(scan, call)?),
            selection::Term::Computed(call, Some(path)) => {
                Term::Inside(self.computed(scan, call)?, path.clone())
            }
        })
    }
}
