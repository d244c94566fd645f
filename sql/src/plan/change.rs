//! Updates and deletes.

use super::builder::Builder;
use super::{Denied, Step};
use crate::selection::{Delete, Outcome, Update, Write};

/// `UPDATE`
#[derive(Debug)]
pub struct Updating<'m>(pub std::marker::PhantomData<&'m ()>);

/// `SELECT … FOR NO KEY UPDATE`
#[derive(Debug)]
pub struct Locking<'m>(pub std::marker::PhantomData<&'m ()>);

/// `DELETE`
#[derive(Debug)]
pub struct Deleting<'m>(pub std::marker::PhantomData<&'m ()>);

impl<'m> Builder<'m> {
    /// The statements of an update. Takes what is written before its answer, and returns what follows.
    pub(super) fn updated(
        &mut self,
        _update: &Update<'m>,
        _outcome: &Outcome<'m>,
        _lead: String,
        _steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        Err(Denied)
    }

    /// The statements of a deletion, likewise.
    pub(super) fn deleted(
        &mut self,
        _write: &Write<'m>,
        _delete: &Delete<'m>,
        _outcome: &Outcome<'m>,
        _lead: String,
        _steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        Err(Denied)
    }
}
