//! `postern init`: generates a first permission file from the catalog, without grants.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use sql::model::names::{Convention, is_graphql};
use sql::model::{ExposedTable, Model, Relation, RelationKind};
use sql::postgres::catalog::{Catalog, Function, Table, TableId};
use toml_writer::{ToTomlValue, TomlStringBuilder};

use crate::compile::compile;
use crate::diagnostic::SourceFile;
use crate::exposure::quoted;
use crate::table_names::key;

const HEAD: &str = "\
# What each role may do. Tables and relations come from the database; what is not granted is denied.
# A table or column has its own name in camel case; only other names stand here. Lines behind `#` show what is there.

[naming]
convention = \"camel\"

# [session]                     # session values the rules use
# user_id = \"uuid\"

# [rules.own]                   # a named predicate, usable in any row rule
# args = [\"owner\"]
# sql = \"owner = session.user_id\"
";

/// The convention of the generated file.
const CONVENTION: Convention = Convention::Camel;

/// How many tables and views are shown with a grant to copy.
const SAMPLE_GRANTS: usize = 3;

/// Generates a first permission file: the tables of these schemas (of all, if none is given) with
/// their columns and relations as comments, a few grants as comments, and no grants. It compiles
/// against the same catalog, whatever the names in the database are.
pub fn init(catalog: &Catalog, schemas: &[String]) -> String {
    init_with_model(catalog, schemas).0
}

/// The file of [`init`], and the model that it compiles to.
pub(crate) fn init_with_model(catalog: &Catalog, schemas: &[String]) -> (String, Arc<Model>) {
    let catalog = Arc::new(catalog.clone());
    let mut draft = Draft::new(catalog, schemas);
    draft.name_tables();
    let mut model = draft.settled();
    draft.name_relations(&model);
    if !draft.relations.is_empty() {
        model = draft.settled();
    }
    (draft.text(Some(&model)), model)
}

/// The names that the file gives.
struct Draft<'s> {
    catalog: Arc<Catalog>,
    schemas: &'s [String],
    names: HashMap<TableId, String>,
    columns: HashMap<TableId, Vec<(String, String)>>,
    /// The relations of tables: the name and the key's columns in TOML.
    relations: HashMap<TableId, Vec<(String, String)>>,
}

impl Draft<'_> {
    fn new(catalog: Arc<Catalog>, schemas: &[String]) -> Draft<'_> {
        let (names, columns, relations) = Default::default();
        Draft {
            catalog,
            schemas,
            names,
            columns,
            relations,
        }
    }

    /// Names the tables that have a number, so that their names stay when tables are added, and
    /// tables outside of `public` without their schema, if that name is free.
    fn name_tables(&mut self) {
        let model = crate::allow_all(self.catalog.clone()).model;
        let mut taken: HashSet<String> = model.tables().map(|table| table.name.clone()).collect();
        for (id, table) in self.catalog.clone().table_ids() {
            let Some(exposed) = model.exposed(id) else {
                continue;
            };
            let short = CONVENTION.table("public", &table.name);
            if table.schema != "public" && is_graphql(&short) && taken.insert(short.clone()) {
                self.names.insert(id, short);
            } else if exposed.name != CONVENTION.table(&table.schema, &table.name) {
                self.names.insert(id, exposed.name.clone());
            }
            let columns = table.columns.iter().zip(&exposed.columns);
            let numbered =
                columns.filter_map(|(column, name)| Some((column.name.clone(), name.clone()?)));
            let numbered = numbered.filter(|(column, name)| CONVENTION.column(column) != *name);
            let numbered: Vec<(String, String)> = numbered.collect();
            if !numbered.is_empty() {
                self.columns.insert(id, numbered);
            }
        }
    }

    /// Names object relations that are called after a table in the plural: `customer` instead of
    /// `customers`.
    fn name_relations(&mut self, model: &Model) {
        for exposed in model.tables() {
            let table = model.table(exposed.table);
            for relation in &exposed.relations {
                let is_plural = model
                    .exposed(relation.to)
                    .is_some_and(|target| target.name == relation.name);
                let Some(singular) = singular(&relation.name).filter(|_| is_plural) else {
                    continue;
                };
                let RelationKind::Object { .. } = relation.kind else {
                    continue;
                };
                let own: Vec<&str> = relation
                    .on
                    .iter()
                    .map(|(own, _)| table.column(*own).name.as_str())
                    .collect();
                let keys = table
                    .foreign_keys
                    .iter()
                    .filter(|foreign| foreign.columns == own)
                    .count();
                if keys == 1 && exposed.member(&singular).is_none() {
                    let entry = format!("{{ column = {} }}", list_or_one(&own));
                    self.relations
                        .entry(exposed.table)
                        .or_default()
                        .push((singular, entry));
                }
            }
        }
    }

    /// The model under the names of the draft. Names that would be faults are removed from it:
    /// those of the tables where the faults are, or all if there is none.
    fn settled(&mut self) -> Arc<Model> {
        loop {
            let text = self.text(None);
            let problems = match compile(
                &SourceFile::new("permissions.toml", text.as_str()),
                self.catalog.clone(),
            ) {
                Ok(permissions) => return permissions.model,
                Err(problems) => problems,
            };
            let at = problems
                .iter()
                .filter_map(|problem| self.table_at(&text, problem.span().span().start));
            let at: Vec<TableId> = at.collect();
            let before = self.given();
            for id in &at {
                self.names.remove(id);
                self.columns.remove(id);
                self.relations.remove(id);
            }
            if self.given() == before {
                (self.names, self.columns, self.relations) = Default::default();
            }
            if before == 0 {
                return crate::allow_all(self.catalog.clone()).model;
            }
        }
    }

    /// How many tables have names in the file.
    fn given(&self) -> usize {
        self.names.len() + self.columns.len() + self.relations.len()
    }

    /// The table whose entry contains that byte of the text.
    fn table_at(&self, text: &str, at: usize) -> Option<TableId> {
        let line_end = text
            .get(at..)?
            .find('\n')
            .map_or(text.len(), |end| at + end);
        let line = text
            .get(..line_end)?
            .lines()
            .rfind(|line| line.starts_with("[table."))?;
        self.catalog
            .table_ids()
            .find(|(_, table)| header(table) == line)
            .map(|(id, _)| id)
    }

    /// The file; with a model, the comments too.
    fn text(&self, model: Option<&Model>) -> String {
        let mut text = HEAD.to_owned();
        let is_listed =
            |table: &Table| self.schemas.is_empty() || self.schemas.contains(&table.schema);
        let mut tables = 0;
        let mut views = 0;
        for (id, table) in self
            .catalog
            .table_ids()
            .filter(|(_, table)| is_listed(table))
        {
            let _ = writeln!(text, "\n{}", header(table));
            if let Some(name) = self.names.get(&id) {
                let _ = writeln!(text, "name = {}", string(name));
            }
            for (column, name) in self.columns.get(&id).into_iter().flatten() {
                let _ = writeln!(text, "column.{} = {}", quoted(column), string(name));
            }
            for (name, entry) in self.relations.get(&id).into_iter().flatten() {
                let _ = writeln!(text, "relation.{} = {entry}", quoted(name));
            }
            let Some(model) = model else { continue };
            let Some(exposed) = model.exposed(id) else {
                text.push_str(
                    "# name = \"…\"    # without a name of its own it is not in \
                               GraphQL, which does not allow such names\n",
                );
                continue;
            };
            let kind = if table.is_view() {
                &mut views
            } else {
                &mut tables
            };
            *kind += 1;
            self.write_contents(&mut text, model, exposed);
            if *kind <= SAMPLE_GRANTS {
                write_sample(&mut text, table, exposed);
            }
        }
        if model.is_some() {
            self.write_function(&mut text);
        }
        text
    }

    /// Writes columns and relations as comments.
    fn write_contents(&self, text: &mut String, model: &Model, exposed: &ExposedTable) {
        let table = model.table(exposed.table);
        let _ = writeln!(
            text,
            "# columns: {}",
            listed(table.columns.iter().map(|column| column.name.as_str()))
        );
        for (column, _) in table
            .columns
            .iter()
            .zip(&exposed.columns)
            .filter(|(_, name)| name.is_none())
        {
            let _ = writeln!(
                text,
                "# column.{} = \"…\"    # has no name in GraphQL yet",
                quoted(&column.name)
            );
        }
        let given = self.relations.get(&exposed.table);
        for relation in &exposed.relations {
            if !given.is_some_and(|given| given.iter().any(|(name, _)| *name == relation.name)) {
                let entry = relation_entry(model, exposed, relation);
                let _ = writeln!(text, "# relation.{} = {entry}", quoted(&relation.name));
            }
        }
    }

    /// Writes the first function that the file could offer as a comment.
    fn write_function(&self, text: &mut String) {
        let offers = |function: &&Function| {
            let file = SourceFile::new("", format!("{}roles = []\n", function_header(function)));
            compile(&file, self.catalog.clone()).is_ok()
        };
        let is_listed = |function: &&Function| {
            self.schemas.is_empty() || self.schemas.contains(&function.schema)
        };
        if let Some(function) = self.catalog.functions.iter().filter(is_listed).find(offers) {
            text.push_str(
                "\n# A function as a field of queries, or of mutations if it is volatile.\n",
            );
            let header = function_header(function);
            let _ = writeln!(text, "# {header}# roles = [\"user\"]");
        }
    }
}

fn header(table: &Table) -> String {
    format!("[table.{}]", quoted(&key(table)))
}

fn function_header(function: &Function) -> String {
    let name = match function.schema.as_str() {
        "public" => function.name.clone(),
        schema => format!("{schema}.{}", function.name),
    };
    format!("[function.{}]\n", quoted(&name))
}

/// Writes a grant to copy.
fn write_sample(text: &mut String, table: &Table, exposed: &ExposedTable) {
    let named = table
        .columns
        .iter()
        .zip(&exposed.columns)
        .filter(|(_, name)| name.is_some());
    let columns = named
        .map(|(column, _)| string(&column.name))
        .collect::<Vec<_>>()
        .join(", ");
    let key = quoted(&key(table));
    let _ = writeln!(
        text,
        "# [table.{key}.role.user]\n# select = {{ columns = [{columns}], rows = \"true\" }}"
    );
}

/// Names as they are in the database. Those with other characters stand in quotes.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

/// The file's entry for a relation.
fn relation_entry(model: &Model, exposed: &ExposedTable, relation: &Relation) -> String {
    let own = model.table(exposed.table);
    let other = model.table(relation.to);
    let table = string(&key(other));
    let mine: Vec<&str> = relation
        .on
        .iter()
        .map(|(mine, _)| own.column(*mine).name.as_str())
        .collect();
    let theirs: Vec<&str> = relation
        .on
        .iter()
        .map(|(_, theirs)| other.column(*theirs).name.as_str())
        .collect();
    let lies_here = own
        .foreign_keys
        .iter()
        .any(|foreign| foreign.columns == mine && foreign.references == theirs);
    match relation.kind {
        RelationKind::Object { .. } if lies_here => {
            format!("{{ column = {} }}    # to {table}", list_or_one(&mine))
        }
        _ => format!("{{ table = {table}, column = {} }}", list_or_one(&theirs)),
    }
}

fn list_or_one(columns: &[&str]) -> String {
    match columns {
        [column] => string(column),
        columns => format!(
            "[{}]",
            columns
                .iter()
                .map(|column| string(column))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// The singular of an English plural: `categories` → `category`, `boxes` → `box`, `orders` →
/// `order`.
fn singular(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    if let Some(stem) = lower.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Some(format!("{}y", name.get(..stem.len())?));
    }
    if ["sses", "tuses", "xes", "ches", "shes"]
        .iter()
        .any(|ending| lower.ends_with(ending))
    {
        return name.get(..name.len() - 2).map(str::to_owned);
    }
    let is_plural = lower.ends_with('s')
        && !["ss", "us", "is", "news"]
            .iter()
            .any(|ending| lower.ends_with(ending));
    is_plural
        .then(|| name.get(..name.len() - 1))
        .flatten()
        .filter(|stem| stem.len() > 1)
        .map(str::to_owned)
}

/// A string on one line, so that it fits into a comment.
fn string(text: &str) -> String {
    let kinds = TomlStringBuilder::new(text);
    kinds
        .as_basic_pretty()
        .or_else(|| kinds.as_literal())
        .unwrap_or_else(|| kinds.as_basic())
        .to_toml_value()
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn singulars_of_common_plurals() {
        let pairs = [
            ("orders", Some("order")),
            ("categories", Some("category")),
            ("boxes", Some("box")),
            ("addresses", Some("address")),
            ("branches", Some("branch")),
            ("purchases", Some("purchase")),
            ("warehouses", Some("warehouse")),
            ("statuses", Some("status")),
            ("orderLines", Some("orderLine")),
            ("status", None),
            ("news", None),
            ("address", None),
            ("analysis", None),
            ("employee", None),
            ("s", None),
        ];
        for (plural, expected) in pairs {
            assert_eq!(singular(plural).as_deref(), expected, "{plural}");
        }
    }
}
