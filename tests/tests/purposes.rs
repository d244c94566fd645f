//! Tests random roles that inherit from random parents: a parent adds only rows and cells that the
//! parent itself may request in that way. Lists, rows by key, connections, relations and aggregates
//! of the inheriting role are compared with the parents' rules, which Postgres evaluates row by
//! row.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use serde_json::Value as Json;
use sql::postgres::catalog::Catalog;
use tests::choices::{self, Choices};
use tests::fixture;
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How many permission files are tried.
const EXAMPLES: u32 = 250;

const USERS: [&str; 3] = ["1", "2", "3"];

const COLUMNS: [&str; 4] = ["title", "place", "assignee_id", "done"];

/// The column that may be masked.
const MASKED: &str = "title";

const RULES: [&str; 6] = [
    "assignee_id = session.user_id",
    "true",
    "place < 3",
    "NOT done",
    "id % 2 = 0",
    "project_id IS NOT NULL AND id > 3",
];

const ROOTS: [Option<&[&str]>; 8] = [
    None,
    Some(&["aggregate", "group"]),
    Some(&["list"]),
    Some(&["one"]),
    Some(&["connection"]),
    Some(&["aggregate"]),
    Some(&["list", "one", "aggregate"]),
    Some(&[]),
];

/// A parent's grant on tasks.
#[derive(Clone, Debug)]
struct Grant {
    rule: &'static str,
    columns: BTreeSet<&'static str>,
    roots: Option<&'static [&'static str]>,
    masked: bool,
    /// The smallest group, where rows may be aggregated.
    aggregates: Option<u64>,
    /// Whether the parent may call the function `place_of`.
    calls: bool,
}

#[derive(Debug, Default)]
struct Seen {
    listed: usize,
    fetched: usize,
    related: usize,
    called: usize,
    counted: usize,
    withheld: usize,
}

/// The rows that satisfy a parent's rule, with all their columns.
type Rows = BTreeMap<i64, Json>;

#[test]
fn parents_add_rows_only_to_fields_they_may_use() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(fixture::database("purposes"))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    runtime.block_on(client.batch_execute(
        "CREATE FUNCTION tasks_above(lowest int) RETURNS SETOF \
                                           tasks LANGUAGE sql STABLE AS 'SELECT * FROM tasks \
                                           WHERE place >= lowest'",
    ))?;
    let mut catalog = runtime.block_on(fixture::catalog(&client))?;
    catalog
        .tables
        .retain(|table| ["priorities", "projects", "tasks"].contains(&table.name.as_str()));
    let catalog = Arc::new(Catalog::decode(&catalog.encode()?)?);
    let seen = std::cell::RefCell::new(Seen::default());
    choices::check(EXAMPLES, |choices| {
        let grants: Vec<Grant> = (0..2 + choices.below(2)).map(|_| grant(choices)).collect();
        let text = file(&grants);
        let source = SourceFile::new("random.toml", text.clone());
        let compiled = permissions::compile(&source, catalog.clone());
        let compiled =
            compiled.map_err(|problems| permissions::render(&problems, &source, false))?;
        let user = choices.pick(&USERS).copied().unwrap_or_default();
        let subset: BTreeSet<i64> = (1..=12).filter(|_| choices.percent(60)).collect();
        let trial = Trial {
            compiled: &compiled,
            client: &client,
            user,
            grants: &grants,
        };
        let outcome = runtime.block_on(trial.run(&subset, &mut seen.borrow_mut()));
        outcome.map_err(|fault| format!("{fault}\nuser {user}, {subset:?}\n{text}"))
    })?;
    let seen = seen.borrow();
    println!("{seen:?}");
    let enough = seen.listed > 200 && seen.fetched > 200 && seen.related > 100 && seen.called > 50;
    assert!(
        enough && seen.counted > 50 && seen.withheld > 20,
        "{seen:?}"
    );
    Ok(())
}

fn grant(choices: &mut Choices<'_>) -> Grant {
    Grant {
        rule: choices.pick(&RULES).copied().unwrap_or("true"),
        columns: COLUMNS
            .into_iter()
            .filter(|_| choices.percent(60))
            .collect(),
        roots: choices.pick(&ROOTS).copied().flatten(),
        masked: choices.percent(20),
        aggregates: choices
            .percent(70)
            .then(|| [3, 0, 2].get(choices.below(3)).copied().unwrap_or(0)),
        calls: choices.percent(50),
    }
}

fn file(grants: &[Grant]) -> String {
    let mut text = String::from(
        "[naming]\nconvention = \"snake\"\n\n[session]\nuser_id = \
                                 \"int\"\n\n[table.priorities]\nenum = \
                                 true\n\n[table.tasks]\nconnection = true\n",
    );
    let callers: Vec<_> = (0..grants.len())
        .filter(|at| grants[*at].calls)
        .map(|at| format!("p{at}"))
        .collect();
    let parents: Vec<_> = (0..grants.len()).map(|at| format!("p{at}")).collect();
    let callers = if callers.is_empty() {
        String::new()
    } else {
        format!("roles = {callers:?}\n")
    };
    let _ = write!(
        text,
        "\n[function.tasks_above]\n{callers}\n[role.child]\ninherits = {parents:?}\n"
    );
    for (at, grant) in grants.iter().enumerate() {
        let columns: Vec<_> = std::iter::once("id")
            .chain(grant.columns.iter().copied())
            .collect();
        let roots = grant
            .roots
            .map_or(String::new(), |roots| format!(", roots = {roots:?}"));
        let mask = if grant.masked && grant.columns.contains(MASKED) {
            format!(", mask = {{ {MASKED} = \"'masked'\" }}")
        } else {
            String::new()
        };
        let aggregates = match grant.aggregates {
            Some(least) => format!(", aggregates = {{ min_group = {least} }}"),
            None => String::new(),
        };
        let _ = write!(
            text,
            "\n[table.tasks.role.p{at}]\nselect = {{ columns = {columns:?}, rows = \
             {:?}{roots}{mask}{aggregates} }}\n\
             \n[table.projects.role.p{at}]\nselect = {{ columns = [\"id\"], rows = \"true\" }}\n",
            grant.rule
        );
    }
    text
}

impl Grant {
    fn offers(&self, root: &str) -> bool {
        self.roots.is_none_or(|roots| roots.contains(&root))
    }

    /// Whether relations, functions and mutations may return its rows to a role that inherits.
    fn relates(&self) -> bool {
        let rows = self.roots.is_none_or(|roots| {
            roots.is_empty() || roots.iter().any(|r| !["aggregate", "group"].contains(r))
        });
        rows && (self.offers("list") || self.aggregates.unwrap_or(0) <= 1)
    }

    /// Whether it hides single rows by allowing only aggregates of several.
    fn hides(&self) -> bool {
        !self.offers("list") && self.aggregates.unwrap_or(0) > 1
    }

    /// Whether the grant shows every column that the other grant reads.
    fn shows_columns_of(&self, other: &Grant) -> bool {
        let plain =
            |column: &str| self.columns.contains(column) && !(self.masked && column == MASKED);
        other.columns.iter().all(|column| plain(column))
    }
}

struct Trial<'a> {
    compiled: &'a Permissions,
    client: &'a Client,
    user: &'a str,
    grants: &'a [Grant],
}

impl Trial<'_> {
    async fn run(&self, subset: &BTreeSet<i64>, seen: &mut Seen) -> Outcome {
        let mut rows = Vec::new();
        for grant in self.grants {
            rows.push(self.rows(grant.rule).await?);
        }
        let all: BTreeSet<&str> = self
            .grants
            .iter()
            .flat_map(|grant| grant.columns.iter().copied())
            .collect();
        let columns = format!("id {}", all.iter().copied().collect::<Vec<_>>().join(" "));

        let list = |grant: &Grant| grant.offers("list");
        if let Some(response) = self.ask(&format!("{{ tasks {{ {columns} }} }}")).await? {
            seen.listed += self.check_rows("list", &response["tasks"], &rows, &list, true)?;
        }
        let connection = |grant: &Grant| grant.offers("connection");
        if let Some(response_value) = self
            .ask(&format!(
                "{{ tasks_connection {{ nodes {{ {columns} }} }} }}"
            ))
            .await?
        {
            seen.listed += self.check_rows(
                "connection",
                &response_value["tasks_connection"]["nodes"],
                &rows,
                &connection,
                true,
            )?;
        }
        let one = |grant: &Grant| grant.offers("one");
        let keys: Vec<_> = (1..=12)
            .map(|id| format!("k{id}: tasks_by_pk(id: {id}) {{ {columns} }}"))
            .collect();
        if let Some(reply_body) = self.ask(&format!("{{ {} }}", keys.join(" "))).await? {
            let found = reply_body
                .as_object()
                .ok_or("no object")?
                .values()
                .filter(|row| !row.is_null())
                .cloned();
            seen.fetched +=
                self.check_rows("one", &Json::Array(found.collect()), &rows, &one, false)?;
        }
        let listing = if self.grants.iter().any(|grant| grant.offers("list")) {
            "list"
        } else {
            "connection"
        };
        if let Some(answer) = self
            .ask(&format!(
                "{{ tasks_aggregate {{ nodes {{ {columns} }} }} }}"
            ))
            .await?
        {
            let listed = |grant: &Grant| grant.offers(listing);
            seen.listed += self.check_rows(
                "nodes",
                &answer["tasks_aggregate"]["nodes"],
                &rows,
                &listed,
                true,
            )?;
        }
        let relates = |grant: &Grant| grant.relates();
        let lone = !self.grants.iter().any(Grant::relates);
        if let Some(answer) = self
            .ask(&format!("{{ projects {{ tasks {{ {columns} }} }} }}"))
            .await?
            .filter(|_| !lone)
        {
            let projects = answer["projects"].as_array().ok_or("no projects")?;
            let found = projects
                .iter()
                .flat_map(|project| project["tasks"].as_array().into_iter().flatten().cloned());
            seen.related += self.check_rows(
                "relation",
                &Json::Array(found.collect()),
                &rows,
                &relates,
                false,
            )?;
        }
        let condition = format!(
            "{{ projects(where: {{tasks: {{id: {{_in: {:?}}}}}}}) {{ id }} }}",
            Vec::from_iter(subset)
        );
        if self.grants.iter().all(Grant::hides) && self.ask(&condition).await?.is_some() {
            return Err("a condition reads single rows that are hidden".into());
        }
        let calls = |grant: &Grant| grant.calls && grant.relates();
        if let Some(answer) = self
            .ask(&format!(
                "{{ tasks_above(args: {{lowest: 0}}) {{ {columns} }} }}"
            ))
            .await?
        {
            seen.called +=
                self.check_rows("function", &answer["tasks_above"], &rows, &calls, false)?;
        }
        self.counts(subset, &rows, seen).await
    }

    /// Checks the rows of a response: they satisfy a parent's rule, and each cell is shown by such
    /// a parent. Returns their number.
    fn check_rows(
        &self,
        what: &str,
        found: &Json,
        rows: &[Rows],
        passes: &dyn Fn(&Grant) -> bool,
        complete: bool,
    ) -> Outcome<usize> {
        let found = found.as_array().ok_or("no list")?;
        let serving: Vec<_> = self
            .grants
            .iter()
            .zip(rows)
            .filter(|(grant, _)| passes(grant))
            .collect();
        let mut ids = BTreeSet::new();
        for row in found {
            let id = row["id"].as_i64().ok_or("no id")?;
            ids.insert(id);
            let showing: Vec<_> = serving
                .iter()
                .filter(|(_, rows)| rows.contains_key(&id))
                .collect();
            if showing.is_empty() {
                return Err(
                    format!("{what}: the row {row} is of no parent that may ask for it").into(),
                );
            }
            for (name, cell) in row
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| *name != "id")
            {
                let shown = |(grant, rows): &&&(&Grant, &Rows)| {
                    let masked = grant.masked && name == MASKED;
                    let value = if masked {
                        &Json::from("masked")
                    } else {
                        &rows[&id][name]
                    };
                    grant.columns.contains(name.as_str()) && value == cell
                };
                if !cell.is_null() && !showing.iter().any(|pair| shown(&pair)) {
                    return Err(format!(
                        "{what}: the cell `{name}` of {row} is of no parent that may ask for it"
                    )
                    .into());
                }
            }
        }
        let expected: BTreeSet<i64> = serving
            .iter()
            .flat_map(|(_, rows)| rows.keys().copied())
            .collect();
        if complete && ids != expected {
            return Err(format!(
                "{what}: the rows {ids:?} are shown, {expected:?} are the parents'"
            )
            .into());
        }
        Ok(ids.len())
    }

    /// Checks the count of some rows: it includes those that parents may count, and never reveals
    /// rows of a group that is too small.
    async fn counts(&self, subset: &BTreeSet<i64>, rows: &[Rows], seen: &mut Seen) -> Outcome {
        let ids = Vec::from_iter(subset);
        let document = format!(
            "{{ tasks_aggregate(where: {{id: {{_in: {ids:?}}}}}) {{ aggregate {{ count }} }} }}"
        );
        let Some(response) = self.ask(&document).await? else {
            return Ok(());
        };
        let serves = |grant: &Grant| {
            grant.offers("list") || grant.aggregates.is_some() && grant.offers("aggregate")
        };
        let serving: Vec<_> = self
            .grants
            .iter()
            .zip(rows)
            .filter(|(grant, _)| serves(grant))
            .collect();
        let all: BTreeSet<i64> = serving
            .iter()
            .flat_map(|(_, rows)| rows.keys().copied())
            .collect();
        let bounded: Vec<_> = serving.iter().filter(|(grant, _)| grant.hides()).collect();
        let countable = serving.iter().filter(|(grant, _)| {
            !grant.hides() && bounded.iter().all(|(b, _)| grant.shows_columns_of(b))
        });
        let countable: BTreeSet<i64> = countable
            .flat_map(|(_, rows)| rows.keys().copied())
            .collect();
        let counted = subset.intersection(&all).count() as u64;
        let hidden = subset
            .intersection(&all)
            .filter(|id| !countable.contains(id))
            .count() as u64;
        let least = bounded
            .iter()
            .filter_map(|(grant, _)| grant.aggregates)
            .max()
            .unwrap_or(0);
        match response["tasks_aggregate"]["aggregate"]["count"].as_u64() {
            Some(count) if count != counted => {
                Err(format!("{count} rows are counted, and not {counted}").into())
            }
            Some(_) if hidden > 0 && hidden < least => {
                Err(format!("{hidden} hidden rows are counted").into())
            }
            Some(_) => {
                seen.counted += 1;
                Ok(())
            }
            None => {
                seen.withheld += 1;
                Ok(())
            }
        }
    }

    /// The response for the inheriting role; `None` if its schema has no such field.
    async fn ask(&self, document: &str) -> Outcome<Option<Json>> {
        let access = self.compiled.role("child").ok_or("no role")?;
        let request = Request::new(document).session("user_id", self.user);
        match request.answer(self.client, access).await {
            Ok(response) => Ok(Some(serde_json::from_str(&response)?)),
            Err(Failure::Request(_)) => Ok(None),
            Err(failure) => Err(format!("{document}: {failure}").into()),
        }
    }

    async fn rows(&self, rule: &str) -> Outcome<Rows> {
        let rule = rule.replace("session.user_id", self.user);
        let statement = format!("SELECT id, to_jsonb(tasks.*)::text FROM tasks WHERE {rule}");
        let rows = self.client.query(&statement, &[]).await?;
        let row = |row: &tokio_postgres::Row| {
            Ok((
                i64::from(row.get::<_, i32>(0)),
                serde_json::from_str(&row.get::<_, String>(1))?,
            ))
        };
        rows.iter().map(row).collect()
    }
}
