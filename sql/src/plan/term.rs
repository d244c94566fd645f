//! Something of a row that is compared, sorted by or put out.

use super::builder::Builder;
use super::{AggregatePredicate, Column, Denied, Scan};
use crate::model::operators::{Mode, PathType};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Class;
use crate::resolve::selection;
use crate::statement::Parameter;

const FLOAT4: Oid = 700;

/// A search in a text, or in a `tsvector`.
#[derive(Clone, Debug)]
pub struct Search<'m> {
    /// A column, or JSON as text.
    pub term: Term<'m>,
    /// Whether it is a `tsvector`; else it is text, and made one.
    pub ready: bool,
    /// The text search configuration, by schema and name.
    pub config: Option<(String, String)>,
    /// How the query is read.
    pub mode: Mode,
    /// The query.
    pub query: Parameter,
}

impl Search<'_> {
    /// Whether it may raise: text may be too long to be searched, a `tsvector` is not.
    pub fn raises(&self) -> bool {
        !self.ready || self.term.raises()
    }
}

/// Something of a row that is compared, sorted by or put out.
#[derive(Clone, Debug)]
pub enum Term<'m> {
    /// A column.
    Column(Column<'m>),
    /// What lies at a path inside a JSON column: `column #> path`. Null where nothing does.
    Inside(Column<'m>, Parameter),
    /// What lies at a path inside a JSON column, as a type; null where it is of another.
    Path(Column<'m>, Parameter, &'static PathType),
    /// How well a text answers a search: `ts_rank(…)`.
    Rank(Box<Search<'m>>),
    /// A term as another type, `column::text`, and whether the cast may raise.
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
            Term::Column(column) | Term::Inside(column, _) | Term::Path(column, ..) => column.raises(),
            Term::Rank(search) => search.raises(),
            Term::Cast(term, _, raises) => *raises || term.raises(),
            // An aggregate is compared where no row is hidden any more.
            Term::Measure(_) => false,
        }
    }
}

impl<'m> Builder<'m> {
    pub(super) fn search(&mut self, scan: &Scan<'m>, search: &selection::Search) -> Result<Search<'m>, Denied> {
        let term = self.term(scan, &search.term)?;
        let ready = self.scalar(term.r#type()).class == Class::Document;
        let (config, query) = (search.config.clone(), search.query.clone());
        Ok(Search { term, ready, config, mode: search.mode, query })
    }

    /// A term that is a column, or what a function returns.
    fn plain(&mut self, scan: &Scan<'m>, term: &selection::Term) -> Result<Column<'m>, Denied> {
        match self.term(scan, term)? {
            Term::Column(column) => Ok(column),
            _ => Err(Denied),
        }
    }

    /// A term over the row of an opened scan.
    pub(super) fn term(&mut self, scan: &Scan<'m>, term: &selection::Term) -> Result<Term<'m>, Denied> {
        Ok(match term {
            selection::Term::Column(column) => Term::Column(scan.column(*column)?),
            selection::Term::Inside(column, path) => Term::Inside(scan.column(*column)?, path.clone()),
            selection::Term::Path(term, path, r#type) => Term::Path(self.plain(scan, term)?, path.clone(), r#type),
            selection::Term::Rank(search) => Term::Rank(Box::new(self.search(scan, search)?)),
            selection::Term::Measure(measured) => Term::Measure(Box::new(self.measured(scan, measured)?)),
            selection::Term::Cast(term, r#type, raises) => {
                Term::Cast(Box::new(self.term(scan, term)?), *r#type, *raises)
            }
            selection::Term::Computed(call, None) => Term::Column(self.computed(scan, call)?),
            selection::Term::Computed(call, Some(path)) => Term::Inside(self.computed(scan, call)?, path.clone()),
        })
    }
}
