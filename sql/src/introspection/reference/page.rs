//! Writes the name reference as a page of Markdown, its tables aligned for reading as plain text.

use std::fmt::Write;

use super::{Reference, TableNames};

impl Reference {
    /// Writes the page.
    pub fn page(&self) -> String {
        let mut page = format!(
            "# Names\n\nWhat the role `{}` calls things in GraphQL.\n",
            self.role
        );
        for table in &self.tables {
            page.push_str(&table.section());
        }
        let fields = self
            .fields
            .iter()
            .map(|field| vec![code(&field.name), code(&field.type_name)]);
        part(
            &mut page,
            "## Further root fields",
            &["Field", "Type"],
            fields.collect(),
        );
        if !self.types.is_empty() {
            let _ = write!(
                page,
                "\n## Types that tables share\n\n{}\n",
                codes(&self.types)
            );
        }
        page
    }
}

impl TableNames {
    fn section(&self) -> String {
        let mut text = format!("\n## {}\n\n", self.table);
        let _ = writeln!(
            text,
            "Name {}, type {}, convention {}.",
            code(&self.name),
            code(&self.type_name),
            code(self.convention)
        );
        let roots = self
            .roots
            .iter()
            .map(|root| vec![code(root.kind), code(&root.name), codes(&root.aliases)]);
        part(
            &mut text,
            "Root fields",
            &["Kind", "Field", "Also"],
            roots.collect(),
        );
        let columns = self
            .columns
            .iter()
            .map(|c| vec![code(&c.column), code(&c.name), code(&c.type_name)]);
        part(
            &mut text,
            "Columns",
            &["In the database", "Field", "Type"],
            columns.collect(),
        );
        let relations = self.relations.iter().map(|relation| {
            let aggregate = relation.aggregate.as_deref().map(code).unwrap_or_default();
            vec![
                code(&relation.name),
                code(&relation.to),
                code(&relation.type_name),
                aggregate,
            ]
        });
        part(
            &mut text,
            "Relations",
            &["Field", "To", "Type", "Aggregate"],
            relations.collect(),
        );
        let fields = self
            .fields
            .iter()
            .map(|field| vec![code(&field.name), code(&field.type_name)]);
        part(
            &mut text,
            "Further fields",
            &["Field", "Type"],
            fields.collect(),
        );
        if !self.types.is_empty() {
            let _ = write!(text, "\nHelper types: {}\n", codes(&self.types));
        }
        text
    }
}

fn code(name: &str) -> String {
    format!("`{}`", name.replace('|', "\\|"))
}

fn codes(names: &[String]) -> String {
    names
        .iter()
        .map(|name| code(name))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Writes a Markdown table under a title; nothing if it has no rows.
fn part(page: &mut String, title: &str, heads: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(page, "\n{title}\n\n");
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| Some(row.get(column)?.chars().count()))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0))
        .map(width)
        .collect();
    for (i, row) in rows.iter().enumerate() {
        let cells = widths
            .iter()
            .zip(row)
            .map(|(width, cell)| format!("{cell:<width$}", width = *width));
        let _ = writeln!(page, "| {} |", cells.collect::<Vec<_>>().join(" | "));
        if i == 0 {
            let rule = widths
                .iter()
                .map(|width| "-".repeat(width + 2))
                .collect::<Vec<_>>()
                .join("|");
            let _ = writeln!(page, "|{rule}|");
        }
    }
}
