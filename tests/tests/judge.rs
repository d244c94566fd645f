//! Compares the row rules with Postgres' row-level security: for every role, session, table and
//! relation of the fixture, the engine returns and counts the rows that a `SELECT` under equivalent
//! policies returns.

use serde_json::{Value as Json, json};
use sql::model::access::{Access, Select};
use sql::model::names::RootKind;
use sql::model::{ExposedTable, Relation, RelationKind};
use sql::postgres::types::{Cast, Family, Scalar, quoted};
use tests::fixture::{self, Fixture, POLICIES};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The largest number of rows requested at once, less than most tables have.
const PAGE: usize = 3;

/// The callers' users and labels; user 999 does not exist.
const SESSIONS: [(&str, &[&str]); 4] = [
    ("1", &["new"]),
    ("2", &["so\"ld", "unused"]),
    ("3", &[]),
    ("999", &["nothing"]),
];

/// The admin sees everything; roles that hide or mask single cells cannot be expressed as policies
/// and are compared in `inherited.rs`. Roles that write are compared in the tests of writes.
const NOT_COMPARED: [&str; 15] = [
    "admin",
    "lead",
    "chief",
    "support",
    "desk",
    "statistician",
    "manager",
    "writer",
    "owner",
    "clerk",
    "backend",
    "capped",
    "limited",
    "rooted",
    "mender",
];

/// One role with one session, running queries on the engine and on Postgres.
struct Trial<'a> {
    access: &'a Access,
    engine: &'a Client,
    native: &'a Client,
    session: (&'a str, &'a [&'a str]),
}

#[tokio::test]
async fn every_role_sees_what_native_policies_show() -> Outcome {
    if fixture::features().await?.version < 15 {
        eprintln!(
            "skipped: policies hold under views from Postgres 15 on, with `security_invoker`"
        );
        return Ok(());
    }
    let database = tests::create("judge", &[fixture::SCHEMA, fixture::DATA, POLICIES]).await?;
    let engine = fixture::connect(&database).await?;
    let native = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let mut compared = 0;
    for access in fixture
        .permissions()
        .roles()
        .filter(|access| !NOT_COMPARED.contains(&access.role()))
    {
        for session in SESSIONS {
            native
                .batch_execute(&format!("SET ROLE fixture_{}", access.role()))
                .await?;
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
                access,
                engine: &engine,
                native: &native,
                session,
            };
            for exposed in access.model().tables() {
                if let Some(select) = access.select(exposed.table) {
                    trial.table(exposed, select).await?;
                    compared += 1;
                }
            }
            native.batch_execute("RESET ROLE").await?;
        }
    }
    assert!(compared > 100, "only {compared} tables were judged");
    Ok(())
}

impl Trial<'_> {
    async fn table(&self, exposed: &ExposedTable, select: &Select) -> Outcome {
        let native = self
            .native_rows(&format!(
                "SELECT {} FROM {} t",
                self.array(exposed, "t"),
                self.from(exposed)
            ))
            .await?;
        self.same(
            &exposed.name,
            "rows",
            &self.all(exposed, "", "").await?,
            &native,
        );
        self.counts(exposed, select, "", native.len()).await?;
        for relation in &exposed.relations {
            if let (Some(there), Some(grant)) = (
                self.access.model().exposed(relation.to),
                self.access.select(relation.to),
            ) {
                self.relation(exposed, relation, there, grant).await?;
                self.filter(exposed, select, relation, there).await?;
            }
        }
        Ok(())
    }

    /// Compares related rows, and their number, beside the row that they belong to.
    async fn relation(
        &self,
        exposed: &ExposedTable,
        relation: &Relation,
        there: &ExposedTable,
        grant: &Select,
    ) -> Outcome {
        // A manual object relation may match several rows; which one it returns is not determined.
        if matches!(relation.kind, RelationKind::Object { unique: false, .. }) {
            return Ok(());
        }
        let on = self.on(exposed, relation, there);
        let pair = format!(
            "json_build_array({}, {})",
            self.array(exposed, "t"),
            self.array(there, "r")
        );
        let t = self.from(exposed);
        let r = self.from(there);
        let native = self
            .native_rows(&format!("SELECT {pair} FROM {t} t JOIN {r} r ON {on}"))
            .await?;
        if grant.limit.is_none() {
            let nested = format!("{} {{ {} }}", relation.name, self.selection(there));
            let mut found = Vec::new();
            for row in self.all(exposed, "", &nested).await? {
                let Json::Array(mut row) = row else { continue };
                let related = match row.pop() {
                    Some(Json::Array(rows)) => rows,
                    Some(Json::Null) | None => vec![],
                    Some(one) => vec![one],
                };
                let related = related
                    .iter()
                    .map(values)
                    .map(|related| json!([row, related]));
                found.extend(related);
            }
            self.same(&exposed.name, &relation.name, &found, &native);
        }
        if let (Some(aggregate), Some(least)) = (&relation.aggregate, least_count(grant)) {
            let rows = self
                .all(
                    exposed,
                    "",
                    &format!("{aggregate} {{ aggregate {{ count }} }}"),
                )
                .await?;
            let count = |row: &Json| row.as_array()?.last()?["aggregate"]["count"].as_u64();
            let total: u64 = rows.iter().filter_map(count).sum();
            // Related rows are counted only if there are at least as many as the grant requires.
            let of = |row: &Json| row.get(0).map(Json::to_string);
            let mut numbers = std::collections::HashMap::<_, u64>::new();
            native
                .iter()
                .for_each(|pair| *numbers.entry(of(pair)).or_default() += 1);
            let expected: u64 = numbers
                .into_values()
                .filter(|number| *number >= least)
                .sum();
            assert_eq!(
                total,
                expected,
                "{} counts {} of {}",
                self.access.role(),
                aggregate,
                exposed.name
            );
        }
        Ok(())
    }

    /// Compares the rows that have some visible related row.
    async fn filter(
        &self,
        exposed: &ExposedTable,
        select: &Select,
        relation: &Relation,
        there: &ExposedTable,
    ) -> Outcome {
        let on = self.on(exposed, relation, there);
        let t = self.from(exposed);
        let r = self.from(there);
        let array = self.array(exposed, "t");
        let native =
            format!("SELECT {array} FROM {t} t WHERE EXISTS (SELECT FROM {r} r WHERE {on})");
        let native = self.native_rows(&native).await?;
        let condition = format!("where: {{{}: {{}}}}", relation.name);
        self.same(
            &exposed.name,
            &condition,
            &self.all(exposed, &condition, "").await?,
            &native,
        );
        self.counts(exposed, select, &format!("({condition})"), native.len())
            .await
    }

    fn same(&self, table: &str, what: &str, found: &[Json], native: &[Json]) {
        let sorted = |rows: &[Json]| {
            let mut rows: Vec<String> = rows.iter().map(Json::to_string).collect();
            rows.sort();
            rows
        };
        let found = sorted(found);
        let native = sorted(native);
        assert_eq!(
            found,
            native,
            "{} with {:?} asks for {table}: {what}",
            self.access.role(),
            self.session
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

    /// All rows, page by page because the role may have a limit: the granted columns of each, then
    /// the nested selection.
    async fn all(
        &self,
        exposed: &ExposedTable,
        condition: &str,
        nested: &str,
    ) -> Outcome<Vec<Json>> {
        let list = self.root(exposed, RootKind::List)?;
        let mut rows = Vec::new();
        loop {
            let arguments = format!(
                "{condition} {} limit: {PAGE} offset: {}",
                self.order(exposed),
                rows.len()
            );
            let response = self
                .ask(&format!(
                    "{{ {list}({arguments}) {{ {} {nested} }} }}",
                    self.selection(exposed)
                ))
                .await?;
            let page = response[&list].as_array().cloned().unwrap_or_default();
            if page.is_empty() {
                return Ok(rows);
            }
            rows.extend(page.iter().map(values));
        }
    }

    /// Compares the role's count with the number of rows, unless the role may not count or there
    /// are fewer than its minimum.
    async fn counts(
        &self,
        exposed: &ExposedTable,
        select: &Select,
        arguments: &str,
        rows: usize,
    ) -> Outcome {
        let Some(least) = least_count(select) else {
            return Ok(());
        };
        let root = self.root(exposed, RootKind::Aggregate)?;
        let response = self
            .ask(&format!(
                "{{ {root}{arguments} {{ aggregate {{ count }} }} }}"
            ))
            .await?;
        let expected = if rows as u64 >= least {
            json!({ "count": rows })
        } else {
            Json::Null
        };
        assert_eq!(
            response[&root]["aggregate"],
            expected,
            "{} counts {}{arguments}",
            self.access.role(),
            exposed.name
        );
        Ok(())
    }

    fn root(&self, exposed: &ExposedTable, kind: RootKind) -> Outcome<String> {
        let root = self
            .access
            .model()
            .roots()
            .find(|root| root.table == exposed.table && root.kind == kind);
        Ok(root.ok_or("no root field")?.name.clone())
    }

    /// All columns except shapes, which the engine encodes differently from `to_json`.
    fn columns<'e>(
        &self,
        exposed: &'e ExposedTable,
    ) -> impl Iterator<Item = (sql::postgres::catalog::ColumnId, &'e str)> {
        let granted = self
            .access
            .select(exposed.table)
            .map(|select| select.columns.clone())
            .unwrap_or_default();
        let model = self.access.model();
        let is_shape = |column: &sql::postgres::catalog::ColumnId| {
            let entry = model.table(exposed.table).column(*column);
            matches!(
                Scalar::from_oid(model.catalog(), entry.r#type).output.cast,
                Cast::GeoJson | Cast::GeoJsonList
            )
        };
        let columns: Vec<_> = granted.iter().filter(|column| !is_shape(column)).collect();
        columns
            .into_iter()
            .filter_map(|column| Some((column, exposed.column_name(column)?)))
    }

    fn selection(&self, exposed: &ExposedTable) -> String {
        self.columns(exposed)
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// A total order up to equal rows, so that pages are well-defined.
    fn order(&self, exposed: &ExposedTable) -> String {
        let model = self.access.model();
        let sortable = |(column, _): &(sql::postgres::catalog::ColumnId, &str)| {
            let entry = model.table(exposed.table).column(*column);
            Scalar::from_oid(model.catalog(), entry.r#type).family != Family::Opaque
        };
        let order_by = exposed.spelling().field("order_by");
        let asc = exposed.spelling().value("asc");
        let keys: Vec<_> = self
            .columns(exposed)
            .filter(sortable)
            .map(|(_, name)| format!("{{{name}: {asc}}}"))
            .collect();
        format!("{order_by}: [{}]", keys.join(", "))
    }

    // ---- Postgres

    async fn native_rows(&self, statement: &str) -> Outcome<Vec<Json>> {
        let rows = self
            .native
            .query(&format!("SELECT j::text FROM ({statement}) s (j)"), &[])
            .await?;
        rows.iter()
            .map(|row| Ok(serde_json::from_str(row.get(0))?))
            .collect()
    }

    fn from(&self, exposed: &ExposedTable) -> String {
        let table = self.access.model().table(exposed.table);
        format!("{}.{}", quoted(&table.schema), quoted(&table.name))
    }

    /// `json_build_array(t."id", …)`, in parts, since a function takes a hundred arguments at most.
    fn array(&self, exposed: &ExposedTable, alias: &str) -> String {
        let table = self.access.model().table(exposed.table);
        let columns = self
            .columns(exposed)
            .map(|(column, _)| format!("{alias}.{}", quoted(&table.column(column).name)));
        format!(
            "json_build_array({})",
            columns.collect::<Vec<_>>().join(", ")
        )
    }

    fn on(&self, exposed: &ExposedTable, relation: &Relation, there: &ExposedTable) -> String {
        let model = self.access.model();
        let here = model.table(exposed.table);
        let there = model.table(there.table);
        let pair = |(from, to): &(_, _)| {
            format!(
                "t.{} = r.{}",
                quoted(&here.column(*from).name),
                quoted(&there.column(*to).name)
            )
        };
        relation
            .on
            .iter()
            .map(pair)
            .collect::<Vec<_>>()
            .join(" AND ")
    }
}

/// The smallest number of rows that the role may count, if it may count.
fn least_count(select: &Select) -> Option<u64> {
    let aggregates = select
        .aggregates
        .as_ref()
        .filter(|aggregates| aggregates.count)?;
    Some(if aggregates.min_group > 1 {
        aggregates.min_group.into()
    } else {
        0
    })
}

fn values(row: &Json) -> Json {
    row.as_object()
        .map(|fields| fields.values().cloned().collect())
        .unwrap_or_default()
}
