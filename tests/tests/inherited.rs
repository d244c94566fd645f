//! Compares roles that inherit with Postgres' row-level security: a parent's policies determine the
//! rows that the parent sees, the permission file the columns. An inheriting role shows, counts,
//! filters and relates exactly the cells that some parent sees.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use sql::model::access::Access;
use sql::model::names::{Convention, RootKind};
use sql::model::{ExposedTable, RelationKind};
use sql::postgres::catalog::{ColumnId, TableId, TableKind};
use sql::postgres::types::{Input, Scalar, quoted};
use tests::fixture::{self, Fixture, POLICIES};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Roles that inherit, each with its parents.
const ROLES: [(&str, &[&str]); 2] = [
    ("lead", &["customer", "staff"]),
    ("chief", &["customer", "staff", "auditor"]),
];

/// The callers' users and labels; user 999 does not exist.
const SESSIONS: [(&str, &[&str]); 4] = [
    ("1", &["new"]),
    ("2", &["so\"ld", "unused"]),
    ("3", &[]),
    ("999", &["nothing"]),
];

/// The rows that a parent sees by their physical location, each with the cells that the parent is
/// granted.
type Seen = BTreeMap<String, BTreeMap<ColumnId, Json>>;

struct Trial<'a> {
    fixture: &'a Fixture,
    access: &'a Access,
    parents: &'a [&'a str],
    engine: &'a Client,
    native: &'a Client,
    session: (&'a str, &'a [&'a str]),
}

#[tokio::test]
async fn inheriting_role_sees_the_cells_of_its_parents() -> Outcome {
    let database = tests::create("inherited", &[fixture::SCHEMA, fixture::DATA, POLICIES]).await?;
    let engine = fixture::connect(&database).await?;
    let native = fixture::connect(&database).await?;
    let roles = "fixture_customer, fixture_staff, fixture_auditor";
    // The columns that a parent sees are read from the permission file, so all are granted here.
    native
        .batch_execute(&format!(
            "GRANT SELECT ON ALL TABLES IN SCHEMA public, back TO {roles}"
        ))
        .await?;
    let fixture = Fixture::saved()?;
    let mut hidden = 0;
    for (role, parents) in ROLES {
        let access = fixture.access(role).ok_or("no such role")?;
        for session in SESSIONS {
            native
                .execute(
                    "SELECT set_config('postern.user_id', $1, false)",
                    &[&session.0],
                )
                .await?;
            native
                .execute(
                    "SELECT set_config('postern.labels', $1::text[]::text, false)",
                    &[&session.1],
                )
                .await?;
            let trial = Trial {
                fixture: &fixture,
                access,
                parents,
                engine: &engine,
                native: &native,
                session,
            };
            for exposed in access.model().tables() {
                let table = access.model().table(exposed.table);
                // The engine encodes shapes differently from Postgres' `to_json`.
                let stored = table.kind == TableKind::Table && table.name != "places";
                if access.select(exposed.table).is_some() && stored {
                    hidden += trial.table(exposed).await?;
                }
            }
        }
    }
    assert!(hidden > 100, "only {hidden} cells were hidden");
    Ok(())
}

impl Trial<'_> {
    /// Compares a table; returns the number of hidden cells.
    async fn table(&self, exposed: &ExposedTable) -> Outcome<usize> {
        let rows = self.united(exposed.table).await?;
        let columns = self.columns(exposed);
        let cell = |cells: &BTreeMap<ColumnId, Json>, column: &ColumnId| {
            cells.get(column).cloned().unwrap_or_default()
        };
        let all: Vec<Json> = rows
            .values()
            .map(|cells| columns.iter().map(|(id, _)| cell(cells, id)).collect())
            .collect();
        let names = columns
            .iter()
            .map(|(_, name)| *name)
            .collect::<Vec<_>>()
            .join(" ");
        self.same(
            exposed,
            "rows",
            &self.list(exposed, "", &names).await?,
            &all,
        );
        for (index, (column, name)) in columns.iter().enumerate() {
            let model = self.access.model();
            let scalar = Scalar::from_oid(
                model.catalog(),
                model.table(exposed.table).column(*column).r#type,
            );
            if scalar.input == Input::Json {
                // JSON has its own null, which cannot be distinguished from a hidden cell.
                continue;
            }
            let null: Vec<Json> = all
                .iter()
                .filter(|row| row[index].is_null())
                .cloned()
                .collect();
            let is_null = if exposed.convention == Convention::GraphqlDefault {
                "_isNull"
            } else {
                "_is_null"
            };
            let condition = format!("(where: {{{name}: {{{is_null}: true}}}})");
            self.same(
                exposed,
                &condition,
                &self.list(exposed, &condition, &names).await?,
                &null,
            );
            if self
                .access
                .select(exposed.table)
                .is_some_and(|select| select.aggregates.is_some())
            {
                let root = self.root(exposed, RootKind::Aggregate)?;
                let response = self
                    .ask(&format!(
                        "{{ {root} {{ aggregate {{ count(columns: {name}) }} }} }}"
                    ))
                    .await?;
                let count = response[&root]["aggregate"]["count"].as_u64();
                assert_eq!(
                    count,
                    Some((all.len() - null.len()) as u64),
                    "{} of {}",
                    name,
                    exposed.name
                );
            }
        }
        self.relations(exposed).await?;
        Ok(rows.values().map(|cells| columns.len() - cells.len()).sum())
    }

    /// Compares how many rows each relation has, and for how many rows.
    async fn relations(&self, exposed: &ExposedTable) -> Outcome {
        for relation in &exposed.relations {
            let model = self.access.model();
            let stored = model.table(relation.to).kind == TableKind::Table;
            let one_of_several =
                matches!(relation.kind, RelationKind::Object { unique: false, .. });
            let Some(there) = model
                .exposed(relation.to)
                .filter(|_| stored && !one_of_several)
            else {
                continue;
            };
            let Some((_, column)) = self.columns(there).first().copied() else {
                continue;
            };
            let mut from = BTreeSet::new();
            let both = |parent: &&&str| {
                self.grants(parent, exposed.table) && self.grants(parent, relation.to)
            };
            let followers: Vec<&&str> = self.parents.iter().filter(both).collect();
            for parent in &followers {
                from.extend(self.seen(parent, exposed.table).await?.into_keys());
            }
            let to = self.united(relation.to).await?;
            let pairs = self.pairs(exposed, relation).await?;
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|(here, there)| from.contains(here) && to.contains_key(there))
                .collect();
            if followers.is_empty() {
                assert!(
                    self.list(exposed, "", &format!("{} {{ {column} }}", relation.name))
                        .await
                        .is_err()
                );
                continue;
            }
            let related = self
                .list(exposed, "", &format!("{} {{ {column} }}", relation.name))
                .await?;
            let count = |row: &Json| match &row[0] {
                Json::Array(rows) => rows.len(),
                Json::Null => 0,
                _ => 1,
            };
            let found: usize = related.iter().map(count).sum();
            assert_eq!(
                found,
                pairs.len(),
                "{} of {} as {}",
                relation.name,
                exposed.name,
                self.access.role()
            );
            let some: BTreeSet<&String> = pairs.iter().map(|(here, _)| here).collect();
            let condition = format!("(where: {{{}: {{}}}})", relation.name);
            let found = self.list(exposed, &condition, "__typename").await?.len();
            assert_eq!(
                found,
                some.len(),
                "{} {condition} as {}",
                exposed.name,
                self.access.role()
            );
        }
        Ok(())
    }

    fn same(&self, exposed: &ExposedTable, what: &str, found: &[Json], expected: &[Json]) {
        let sorted = |rows: &[Json]| {
            let mut rows: Vec<String> = rows.iter().map(Json::to_string).collect();
            rows.sort();
            rows
        };
        let found = sorted(found);
        let expected = sorted(expected);
        assert_eq!(
            found,
            expected,
            "{} with {:?}: {} {what}",
            self.access.role(),
            self.session,
            exposed.name
        );
    }

    // ---- the engine

    async fn ask(&self, document: &str) -> Outcome<Json> {
        let request = Request::new(document).session("user_id", self.session.0);
        let request = request.session("labels", serde_json::to_string(self.session.1)?);
        let response = request.answer(self.engine, self.access).await;
        let response_value = response
            .map_err(|failure| format!("{} asks {document}: {failure}", self.access.role()))?;
        Ok(serde_json::from_str(&response_value)?)
    }

    async fn list(
        &self,
        exposed: &ExposedTable,
        arguments: &str,
        fields: &str,
    ) -> Outcome<Vec<Json>> {
        let root = self.root(exposed, RootKind::List)?;
        let response = self
            .ask(&format!("{{ {root}{arguments} {{ {fields} }} }}"))
            .await?;
        let rows = response[&root].as_array().ok_or("no list")?.iter();
        Ok(rows
            .filter_map(|row| Some(row.as_object()?.values().cloned().collect()))
            .collect())
    }

    fn root(&self, exposed: &ExposedTable, kind: RootKind) -> Outcome<String> {
        let root = self
            .access
            .model()
            .roots()
            .find(|root| root.table == exposed.table && root.kind == kind);
        Ok(root.ok_or("no root field")?.name.clone())
    }

    fn columns<'e>(&self, exposed: &'e ExposedTable) -> Vec<(ColumnId, &'e str)> {
        let select = self.access.select(exposed.table);
        let granted = select.into_iter().flat_map(|select| select.columns.iter());
        granted
            .filter_map(|column| Some((column, exposed.column_name(column)?)))
            .collect()
    }

    // ---- Postgres

    fn grants(&self, parent: &str, table: TableId) -> bool {
        self.fixture
            .access(parent)
            .is_some_and(|access| access.select(table).is_some())
    }

    fn from(&self, table: TableId) -> String {
        let table = self.access.model().table(table);
        format!("{}.{}", quoted(&table.schema), quoted(&table.name))
    }

    /// The rows that some parent sees, each with the cells of all parents who see it.
    async fn united(&self, table: TableId) -> Outcome<Seen> {
        let mut united = Seen::new();
        for parent in self
            .parents
            .iter()
            .filter(|parent| self.grants(parent, table))
        {
            for (location, cells) in self.seen(parent, table).await? {
                united.entry(location).or_default().extend(cells);
            }
        }
        Ok(united)
    }

    async fn seen(&self, parent: &str, table: TableId) -> Outcome<Seen> {
        let access = self.fixture.access(parent).ok_or("no such parent")?;
        let Some(select) = access.select(table) else {
            return Ok(Seen::new());
        };
        let granted: Vec<ColumnId> = select.columns.iter().collect();
        let entry = access.model().table(table);
        let names = granted
            .iter()
            .map(|column| format!("t.{}", quoted(&entry.column(*column).name)));
        let array = format!("json_build_array({})", names.collect::<Vec<_>>().join(", "));
        let statement = format!(
            "SELECT t.ctid::text, {array}::text FROM {} t",
            self.from(table)
        );
        self.native
            .batch_execute(&format!("SET ROLE fixture_{parent}"))
            .await?;
        let rows = self.native.query(&statement, &[]).await;
        self.native.batch_execute("RESET ROLE").await?;
        let cells = |json: String| serde_json::from_str::<Vec<Json>>(&json);
        rows?
            .iter()
            .map(|row| {
                Ok((
                    row.get(0),
                    granted.iter().copied().zip(cells(row.get(1))?).collect(),
                ))
            })
            .collect::<Outcome<Seen>>()
    }

    /// All pairs of related rows, whichever role may see them.
    async fn pairs(
        &self,
        exposed: &ExposedTable,
        relation: &sql::model::Relation,
    ) -> Outcome<Vec<(String, String)>> {
        let model = self.access.model();
        let here = model.table(exposed.table);
        let there = model.table(relation.to);
        let on = relation.on.iter().map(|(from, to)| {
            format!(
                "t.{} = r.{}",
                quoted(&here.column(*from).name),
                quoted(&there.column(*to).name)
            )
        });
        let on = on.collect::<Vec<_>>().join(" AND ");
        let t = self.from(exposed.table);
        let r = self.from(relation.to);
        let statement = format!("SELECT t.ctid::text, r.ctid::text FROM {t} t JOIN {r} r ON {on}");
        let rows = self.native.query(&statement, &[]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}
