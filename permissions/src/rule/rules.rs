//! What every rule of a file is compiled with: the catalog, the session, and the named rules.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use sql::model::access::Setting;
use sql::postgres::catalog::Catalog;
use sqlparser::ast::{Expr, Function};

use super::identifiers::unqualified_name;
use super::shared::Interner;
use super::source_map::Locator;
use crate::file::NamedRule;
use crate::session::Session;

/// The named rules of a file, with the catalog and session that rules are resolved against.
pub(crate) struct Rules<'f> {
    pub(super) catalog: &'f Catalog,
    pub(super) session: &'f Session,
    pub(super) named: HashMap<&'f str, Named<'f>>,
    /// The names of the named rules, sorted.
    pub(super) names: Arc<[String]>,
    pub(super) shared: Interner,
    /// Expressions by their texts, of which files repeat most for other tables.
    pub(super) parsed: RefCell<HashMap<String, Arc<Expr>, RandomState>>,
    /// The settings of the file, if rules that read others are noted.
    pub(super) settings: Option<&'f [(String, Setting)]>,
}

/// A named rule, parsed.
pub(super) struct Named<'f> {
    pub(super) written: &'f NamedRule,
    pub(super) expression: Expr,
    pub(super) locator: Locator,
    /// Whether another expression calls it.
    pub(super) is_used: Cell<bool>,
}

impl<'f> Rules<'f> {
    /// The named rule that a function call means, if it is one.
    pub(super) fn called(&self, function: &Function) -> Option<&Named<'f>> {
        self.named.get(unqualified_name(function)?.as_str())
    }
}
