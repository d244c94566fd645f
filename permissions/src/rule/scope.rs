//! The tables that an expression sees: those of its subqueries, innermost first.

use sql::postgres::catalog::TableId;

/// One FROM clause, as far as it has been read.
#[derive(Clone, Debug, Default)]
pub(super) struct FromScope {
    pub(super) items: Vec<Item>,
    /// Columns that a JOIN … USING made one of, each with the SQL that means it from anywhere: a bare name would be
    /// taken for a column of whatever subquery it is put into.
    pub(super) merged: Vec<(String, String)>,
    /// The names that the SELECT list gives, for ORDER BY and GROUP BY.
    pub(super) outputs: Vec<String>,
}

/// Something in a FROM clause.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its name for the author.
    pub(super) name: String,
    /// Its name in the SQL that is written: another one where the author's would hide an outer table.
    pub(super) written: String,
    /// The table, where the author gave it no other name.
    pub(super) table: Option<TableId>,
    pub(super) columns: Columns,
}

/// The columns of something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// Whether there may be more.
    pub(super) open: bool,
    /// Whether which there are depends on the role: they are all columns of a table that is opened for it.
    pub(super) by_role: bool,
}

/// A `WITH` query.
#[derive(Clone, Debug)]
pub(super) struct Cte {
    pub(super) name: String,
    pub(super) written: String,
    pub(super) columns: Columns,
}

/// What an unqualified name means at one level.
pub(super) enum Resolution<'s> {
    /// A column of that item.
    Column(&'s Item),
    /// A column that USING made of two, as SQL.
    Merged(&'s str),
    /// A column of either.
    Ambiguous(&'s Item, &'s Item),
    /// It might be a column of an item whose columns nobody knows.
    Unsure(&'s Item),
    /// Nothing.
    Nothing,
}

impl FromScope {
    /// What an unqualified name means here.
    pub(super) fn find(&self, name: &str) -> Resolution<'_> {
        if let Some(merged) = self.merged(name) {
            return Resolution::Merged(merged);
        }
        let mut hits = self.items.iter().filter(|item| item.columns.has(name));
        match (hits.next(), hits.next()) {
            (Some(one), Some(other)) => Resolution::Ambiguous(one, other),
            (Some(item), None) => Resolution::Column(item),
            _ => self.items.iter().find(|item| item.columns.open).map_or(Resolution::Nothing, Resolution::Unsure),
        }
    }

    /// The SQL for a column that USING made of two.
    pub(super) fn merged(&self, name: &str) -> Option<&str> {
        self.merged.iter().find(|(merged, _)| merged == name).map(|(_, sql)| sql.as_str())
    }

    /// The item of that name.
    pub(super) fn item(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    /// What `*` stands for.
    pub(super) fn all(&self) -> Columns {
        let mut columns = Columns::known(self.merged.iter().map(|(name, _)| name.clone()));
        for item in &self.items {
            columns.open |= item.columns.open;
            columns.by_role |= item.columns.by_role;
            let single = item.columns.names.iter().filter(|name| self.merged(name).is_none());
            columns.names.extend(single.cloned());
        }
        columns
    }
}

impl Columns {
    /// These columns and no others.
    pub(super) fn known(names: impl IntoIterator<Item = String>) -> Columns {
        Columns { names: names.into_iter().collect(), ..Columns::default() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The columns under the names that an alias gives to the first of them.
    pub(super) fn renamed(mut self, names: &[String]) -> Columns {
        if self.open && !names.is_empty() {
            self.names.clear();
        }
        for (place, name) in names.iter().enumerate() {
            match self.names.get_mut(place) {
                Some(old) => old.clone_from(name),
                None => self.names.push(name.clone()),
            }
        }
        self
    }
}
