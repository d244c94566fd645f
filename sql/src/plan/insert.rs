//! Inserts, nested ones and upserts.

use super::builder::Builder;
use super::{Denied, Step};
use crate::selection::{Insert, Outcome, Write};

/// Rows that the request gives: `SELECT … FROM unnest(…)`.
#[derive(Debug)]
pub struct Given<'m>(pub std::marker::PhantomData<&'m ()>);

/// Judges rows before they are written.
#[derive(Debug)]
pub struct Guard<'m>(pub std::marker::PhantomData<&'m ()>);

/// `INSERT`
#[derive(Debug)]
pub struct Inserting<'m>(pub std::marker::PhantomData<&'m ()>);

impl<'m> Builder<'m> {
    /// The statements of an insert. Takes what is written before its answer, and returns what follows.
    pub(super) fn inserted(
        &mut self,
        _write: &Write<'m>,
        _insert: &Insert<'m>,
        _outcome: &Outcome<'m>,
        _lead: String,
        _steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        Err(Denied)
    }
}
