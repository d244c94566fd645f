//! Name resolution: the FROM clauses that an expression sees, and their columns.

use sql::postgres::catalog::TableId;

/// One FROM clause, as far as it has been rendered.
#[derive(Clone, Debug, Default)]
pub(super) struct FromScope {
    pub(super) items: Vec<Item>,
    /// The columns that JOIN … USING merged, each with qualified SQL: an unqualified name could
    /// resolve to a column of a subquery that the expression is put into.
    pub(super) merged: Vec<(String, String)>,
    /// The names of the SELECT list, for ORDER BY and GROUP BY.
    pub(super) outputs: Vec<String>,
}

/// An item of a FROM clause.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The name in the source.
    pub(super) name: String,
    /// The alias in the rendered SQL; differs from `name` if that would hide an outer table.
    pub(super) written: String,
    /// The table, if the source gives it no alias.
    pub(super) table: Option<TableId>,
    pub(super) columns: Columns,
}

/// The columns of an item or a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// Whether there may be unknown columns.
    pub(super) open: bool,
    /// Whether the columns depend on the role: they are all columns of a table, of which a role may
    /// see only some.
    pub(super) by_role: bool,
}

/// A `WITH` query.
#[derive(Clone, Debug)]
pub(super) struct Cte {
    pub(super) name: String,
    pub(super) written: String,
    pub(super) columns: Columns,
}

/// The resolution of an unqualified name in one scope.
pub(super) enum Resolution<'s> {
    /// A column of that item.
    Column(&'s Item),
    /// A column merged by USING, as SQL.
    Merged(&'s str),
    /// A column of both items.
    Ambiguous(&'s Item, &'s Item),
    /// Possibly a column of that item, whose columns are unknown.
    Unsure(&'s Item),
    /// Not found.
    Nothing,
}

impl FromScope {
    /// Resolves an unqualified name in this scope.
    pub(super) fn find(&self, name: &str) -> Resolution<'_> {
        if let Some(merged) = self.merged(name) {
            return Resolution::Merged(merged);
        }
        let mut hits = self.items.iter().filter(|item| item.columns.has(name));
        match (hits.next(), hits.next()) {
            (Some(one), Some(other)) => Resolution::Ambiguous(one, other),
            (Some(item), None) => Resolution::Column(item),
            _ => self
                .items
                .iter()
                .find(|item| item.columns.open)
                .map_or(Resolution::Nothing, Resolution::Unsure),
        }
    }

    /// The SQL of a column merged by USING.
    pub(super) fn merged(&self, name: &str) -> Option<&str> {
        self.merged
            .iter()
            .find(|(merged, _)| merged == name)
            .map(|(_, sql)| sql.as_str())
    }

    /// The item of that name.
    pub(super) fn item(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    /// The columns of `*`.
    pub(super) fn all(&self) -> Columns {
        let mut columns = Columns::known(self.merged.iter().map(|(name, _)| name.clone()));
        for item in &self.items {
            columns.open |= item.columns.open;
            columns.by_role |= item.columns.by_role;
            let single = item
                .columns
                .names
                .iter()
                .filter(|name| self.merged(name).is_none());
            columns.names.extend(single.cloned());
        }
        columns
    }
}

impl Columns {
    /// Exactly these columns.
    pub(super) fn known(names: impl IntoIterator<Item = String>) -> Columns {
        Columns {
            names: names.into_iter().collect(),
            ..Columns::default()
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Adds the columns of a wildcard.
    pub(super) fn extend(&mut self, more: Columns) {
        self.names.extend(more.names);
        self.open |= more.open;
        self.by_role |= more.by_role;
    }

    /// The columns with the first ones renamed by an alias.
    pub(super) fn renamed(mut self, names: &[String]) -> Columns {
        if self.open && !names.is_empty() {
            self.names.clear();
        }
        for (index, name) in names.iter().enumerate() {
            match self.names.get_mut(index) {
                Some(old) => old.clone_from(name),
                None => self.names.push(name.clone()),
            }
        }
        self
    }
}
