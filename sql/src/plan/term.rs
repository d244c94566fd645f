//! Something of a row that is compared, sorted by or put out.

use super::builder::Builder;
use super::{Column, Denied, Scan};
use crate::catalog::Oid;
use crate::selection;
use crate::statement::Parameter;

/// Something of a row that is compared, sorted by or put out.
#[derive(Clone, Debug)]
pub enum Term<'m> {
    /// A column.
    Column(Column<'m>),
    /// What lies at a path inside a JSON column: `column #> path`. Null where nothing does.
    Inside(Column<'m>, Parameter),
    /// A term as another type, `column::text`, and whether the cast may raise.
    Cast(Box<Term<'m>>, Oid, bool),
}

impl Term<'_> {
    /// Its type.
    pub fn r#type(&self) -> Oid {
        match self {
            Term::Column(column) | Term::Inside(column, _) => column.r#type(),
            Term::Cast(_, r#type, _) => *r#type,
        }
    }

    /// Whether evaluating it on a row that the rule hides may raise.
    pub fn raises(&self) -> bool {
        match self {
            Term::Column(column) | Term::Inside(column, _) => column.raises(),
            Term::Cast(term, _, raises) => *raises || term.raises(),
        }
    }
}

impl<'m> Builder<'m> {
    /// A term over the row of an opened scan.
    pub(super) fn term(&self, scan: &Scan<'m>, term: &selection::Term) -> Result<Term<'m>, Denied> {
        Ok(match term {
            selection::Term::Column(column) => Term::Column(scan.column(*column)?),
            selection::Term::Inside(column, path) => Term::Inside(scan.column(*column)?, path.clone()),
            selection::Term::Cast(term, r#type, raises) => {
                Term::Cast(Box::new(self.term(scan, term)?), *r#type, *raises)
            }
        })
    }
}
