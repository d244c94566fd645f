//! Writes the join of rows to the keys that a request asks for; see [`crate::plan::KeyJoin`].

use super::Render;
use crate::plan::{Operand, Select};

/// The alias of the keys.
const KEYS: &str = "_keys";
/// The column with the position of a key.
const PLACE: &str = "place";

impl Render<'_> {
    /// ` JOIN ROWS FROM (unnest($1::int4[]), generate_subscripts($1::int4[], 1)) AS "_keys" ("k0",
    /// "place") ON _0."id" = "_keys"."k0"`
    pub(super) fn key_join(&mut self, select: &Select<'_>) {
        let Some(keys) = &select.keys else { return };
        self.writer.syntax(" JOIN ROWS FROM (");
        for (_, list) in &keys.columns {
            self.writer.syntax("unnest(");
            self.list_of_keys(list);
            self.writer.syntax("), ");
        }
        self.writer.syntax("generate_subscripts(");
        keys.columns
            .iter()
            .take(1)
            .for_each(|(_, list)| self.list_of_keys(list));
        self.writer.syntax(", 1)) AS ");
        self.writer.ident(KEYS);
        self.writer.syntax(" (");
        for index in 0..keys.columns.len() {
            self.writer.ident(&name(index));
            self.writer.syntax(", ");
        }
        self.writer.ident(PLACE);
        self.writer.syntax(") ON ");
        for (position, (column, _)) in keys.columns.iter().enumerate() {
            self.writer.syntax(if position > 0 { " AND " } else { "" });
            let key = |render: &mut Self| {
                render.writer.ident(KEYS);
                render.writer.syntax(".");
                render.writer.ident(&name(position));
            };
            self.equals(column.r#type(), |render| render.column(column), key);
        }
    }

    /// `"_keys"."place"`
    pub(super) fn key_position(&mut self) {
        self.writer.ident(KEYS);
        self.writer.syntax(".");
        self.writer.ident(PLACE);
    }

    fn list_of_keys(&mut self, list: &Operand) {
        match &list.parameter {
            Some(parameter) => self.parameter(parameter, &list.scalar, "[]"),
            None => self.writer.syntax("NULL"),
        }
    }
}

fn name(index: usize) -> String {
    format!("k{index}")
}
