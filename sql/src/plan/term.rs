//! Values of a row that are compared, sorted by or returned: columns, JSON paths, casts, search
//! ranks and aggregates.

use super::builder::Builder;
use super::{Column, Denied, Scan, Search, Term};
use crate::postgres::types::Class;
use crate::resolve::selection;

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
            selection::Term::Cast(term, r#type, raises) => Term::Cast {
                term: Box::new(self.term(scan, term)?),
                r#type: *r#type,
                raises: *raises,
            },
            selection::Term::Computed(call, None) => Term::Column(self.computed(scan, call)?),
            selection::Term::Computed(call, Some(path)) => {
                Term::Inside(self.computed(scan, call)?, path.clone())
            }
        })
    }
}
