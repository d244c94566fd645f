//! The names in use, and what is reported of two items with one name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use sql::model::names::{RootKind, is_graphql};

use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;

/// An item with a name, for reporting clashes.
#[derive(Clone, Debug)]
pub(super) struct NamedItem {
    label: Label,
    pub(super) span: Option<Range<usize>>,
    /// Whether the file gives the name. Otherwise it follows from the database.
    pub(super) is_given: bool,
}

/// What an item is called in messages.
#[derive(Clone, Debug)]
enum Label {
    Text(Arc<str>),
    /// A root field of the table with that key.
    Root {
        kind: RootKind,
        table: Arc<str>,
    },
}

/// Names in use, and the items that have them.
#[derive(Debug, Default)]
pub(super) struct NameRegistry(pub(super) HashMap<String, NamedItem, foldhash::fast::RandomState>);

/// The names in conditions other than those of columns and relations.
pub(super) const CONDITIONS: [&str; 7] =
    ["_and", "_or", "_not", "_exists", "_some", "_every", "_none"];

/// The text, if it is a valid GraphQL name; otherwise reports it.
pub(super) fn valid<'t>(name: &'t Text, report: &mut Report<'_>) -> Option<&'t str> {
    if is_graphql(&name.value) {
        return Some(&name.value);
    }
    let help = "a name has letters, digits and underscores, begins without a digit and without \
                two underscores";
    report.add_with(
        Fault::NotAName {
            name: name.value.clone(),
        },
        &name.span,
        Some(help.to_owned()),
    );
    None
}

impl NamedItem {
    pub(super) fn new(label: impl Into<Arc<str>>, span: Option<Range<usize>>) -> NamedItem {
        NamedItem {
            label: Label::Text(label.into()),
            span,
            is_given: false,
        }
    }

    /// A root field of the table with that key.
    pub(super) fn root(kind: RootKind, table: Arc<str>, span: Option<Range<usize>>) -> NamedItem {
        NamedItem {
            label: Label::Root { kind, table },
            span,
            is_given: false,
        }
    }

    /// What it is called in messages.
    pub(super) fn label(&self) -> String {
        match &self.label {
            Label::Text(text) => text.to_string(),
            Label::Root { kind, table } => format!("root field `{}` of `{table}`", kind.key()),
        }
    }

    /// Reports that another item has this one's name.
    pub(super) fn report_clash(
        &self,
        name: &str,
        by: &NamedItem,
        help: &str,
        report: &mut Report<'_>,
    ) {
        let span = by
            .span
            .clone()
            .or_else(|| self.span.clone())
            .unwrap_or(0..0);
        let fault = Fault::Clash {
            name: name.to_owned(),
            one: self.label(),
            other: by.label(),
        };
        report.add_with(fault, &span, Some(help.to_owned()));
    }

    /// The item with a name that the file gives.
    pub(super) fn given(self) -> NamedItem {
        NamedItem {
            is_given: true,
            ..self
        }
    }
}

impl NameRegistry {
    /// The names of [`CONDITIONS`].
    pub(super) fn conditions() -> NameRegistry {
        let named = |name: &str| {
            (
                name.to_owned(),
                NamedItem::new(format!("the condition `{name}`"), None),
            )
        };
        NameRegistry(CONDITIONS.into_iter().map(named).collect())
    }

    /// Whether the name is in use.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The item that has the name.
    pub(super) fn get(&self, name: &str) -> Option<&NamedItem> {
        self.0.get(name)
    }

    /// Registers a name; reports a clash if it is in use.
    pub(super) fn claim(
        &mut self,
        name: impl Into<String>,
        by: NamedItem,
        help: &str,
        report: &mut Report<'_>,
    ) -> bool {
        match self.0.entry(name.into()) {
            Entry::Vacant(free) => {
                free.insert(by);
                return true;
            }
            Entry::Occupied(first) => first.get().report_clash(first.key(), &by, help, report),
        }
        false
    }
}
