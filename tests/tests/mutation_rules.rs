//! Runs random mutations under random rules: no row outside the rules is ever changed, inserted or
//! deleted, and the returned rows are those that the role can select afterwards. A mutation with a
//! condition changes no row that the role cannot select. Postgres evaluates the rules as they are
//! written in the permission file, over the rows before and after each statement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use permissions::SourceFile;
use serde_json::Value as Json;
use sql::model::access::Access;
use sql::model::names::RootKind;
use sql::postgres::catalog::Catalog;
use sql::{Cause, TranslationKind};
use tests::choices::{self, Choices};
use tests::fixture::{self, RESTART};
use tests::mutations::{Asked, Mutation};
use tests::request::{Failure, Request};
use tests::wire;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How many mutations are tried with either kind of plans, each under its own rules.
const EXAMPLES: u32 = 400;

/// A table with its key, updatable columns, and rules. At least the first half of the rules can be
/// checks: the others read columns that triggers write.
struct Table {
    name: &'static str,
    key: &'static [&'static str],
    columns: &'static [&'static str],
    rules: &'static [&'static str],
    /// The columns that triggers and Postgres itself change along with a row.
    follow: &'static [&'static str],
    /// The parent table, and the column here that refers to it: deleting the parent row deletes
    /// this row.
    parent: Option<(&'static str, &'static str)>,
}

const TABLES: [Table; 8] = [
    Table {
        name: "accounts",
        key: &["id"],
        columns: &["name", "boss_id"],
        rules: &[
            "true",
            "id = session.user_id",
            "boss_id = session.user_id OR id = session.user_id",
            "id <> 2",
        ],
        follow: &[],
        parent: None,
    },
    Table {
        name: "projects",
        key: &["id"],
        columns: &["owner_id", "name", "code", "budget", "spent", "open"],
        rules: &[
            "true",
            "owner_id = session.user_id",
            "owner_id = session.user_id AND open",
            "budget IS NULL OR budget < 200",
            "balance > 0 OR open",
        ],
        follow: &["version", "code", "balance"],
        parent: None,
    },
    Table {
        name: "tasks",
        key: &["id"],
        columns: &[
            "project_id",
            "title",
            "place",
            "assignee_id",
            "done",
            "priority",
        ],
        rules: &[
            "true",
            "assignee_id = session.user_id",
            "NOT done OR place < 3",
            "project_id IN (SELECT p.id FROM projects p WHERE p.owner_id = session.user_id)",
            "project_id IS NULL OR EXISTS (SELECT FROM projects p WHERE p.id = project_id AND \
             p.open)",
        ],
        follow: &[],
        parent: Some(("projects", "project_id")),
    },
    Table {
        name: "task_notes",
        key: &["id"],
        columns: &["task_id", "author_id", "body"],
        rules: &[
            "true",
            "author_id = session.user_id",
            "body <> 'bad'",
            "task_id IN (SELECT t.id FROM tasks t WHERE t.assignee_id = session.user_id OR \
             t.place > 1)",
        ],
        follow: &[],
        parent: Some(("tasks", "task_id")),
    },
    Table {
        name: "project_settings",
        key: &["project_id"],
        columns: &["theme", "options"],
        rules: &[
            "true",
            "theme <> 'oak'",
            "project_id IN (SELECT p.id FROM projects p WHERE p.owner_id = session.user_id)",
        ],
        follow: &[],
        parent: Some(("projects", "project_id")),
    },
    Table {
        name: "project_members",
        key: &["project_id", "account_id"],
        columns: &["role"],
        rules: &[
            "true",
            "role <> 'owner'",
            "account_id = session.user_id",
            "EXISTS (SELECT FROM projects p WHERE p.id = project_id AND p.owner_id = \
             session.user_id)",
        ],
        follow: &[],
        parent: Some(("projects", "project_id")),
    },
    Table {
        name: "shelves",
        key: &["id"],
        columns: &["owner_id", "label", "amount", "note"],
        rules: &[
            "true",
            "owner_id = session.user_id",
            "amount > 0",
            "owner_id = session.user_id AND amount < 60",
        ],
        follow: &[],
        parent: None,
    },
    Table {
        name: "remarks",
        key: &[],
        columns: &["owner_id", "line", "stars"],
        rules: &["true", "owner_id = session.user_id", "stars > 2"],
        follow: &[],
        parent: None,
    },
];

/// Columns that may be masked.
const TEXTS: [&str; 7] = ["name", "title", "body", "theme", "role", "label", "line"];

/// A role's grants on a table, as the file has them.
#[derive(Debug, Default)]
struct Granted {
    select: Option<&'static str>,
    insert: Option<&'static str>,
    /// The rule, the check, and the columns.
    update: Option<(&'static str, &'static str, BTreeSet<&'static str>)>,
    delete: Option<&'static str>,
}

/// A row, and which rules it satisfies.
#[derive(Clone, Debug)]
struct Row {
    text: String,
    values: Json,
    insertable: bool,
    updatable: bool,
    updated: bool,
    deletable: bool,
    readable: bool,
}

/// The rows of a table by their keys; those without a key by their text and a number.
type Rows = BTreeMap<String, Row>;

#[derive(Default, Debug)]
struct Seen {
    done: usize,
    changed: usize,
    returned: usize,
    checked: usize,
    refused: usize,
    invalid: usize,
    read: usize,
}

#[test]
fn no_row_is_written_or_returned_outside_the_rules() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(fixture::database("ruled"))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let mut catalog = runtime.block_on(fixture::catalog(&client))?;
    catalog
        .tables
        .retain(|table| table.name == "priorities" || TABLES.iter().any(|t| t.name == table.name));
    let catalog = Arc::new(Catalog::decode(&catalog.encode()?)?);
    let seen = std::cell::RefCell::new(Seen::default());
    for plans in ["force_custom_plan", "force_generic_plan"] {
        runtime.block_on(client.batch_execute(&format!("SET plan_cache_mode = {plans}")))?;
        choices::check(EXAMPLES, |choices| {
            let (text, grants) = rules(choices);
            let file = SourceFile::new("random.toml", text.clone());
            let compiled = permissions::compile(&file, catalog.clone());
            let compiled =
                compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
            let Some(access) = compiled.role("r") else {
                return Ok(());
            };
            let fields = if choices.percent(30) { 2 } else { 1 };
            let Some(mutation) = Mutation::random(access, fields, choices) else {
                return Ok(());
            };
            let user = choices.pick(&["1", "2", "3"]).copied().unwrap_or_default();
            let trial = Trial {
                access,
                client: &client,
                grants: &grants,
                user,
                mutation: &mutation,
            };
            let fault = runtime.block_on(trial.run(&mut seen.borrow_mut()));
            let with_context = |fault| {
                format!(
                    "{fault}\nuser {user}: {} {}\n{text}",
                    mutation.document, mutation.variables
                )
            };
            fault.map_err(|fault| with_context(fault.to_string()))
        })?;
    }
    let seen = seen.borrow();
    println!("{seen:?}");
    assert!(
        seen.done > 200 && seen.changed > 80 && seen.returned > 50 && seen.checked > 20,
        "{seen:?}"
    );
    assert!(seen.read > 10, "{seen:?}");
    Ok(())
}

/// A permission file, and its grants as data.
fn rules(choices: &mut Choices<'_>) -> (String, Vec<Granted>) {
    let mut text = String::from(
        "[naming]\nconvention = \"snake\"\n\n[session]\nuser_id = \
                                 \"int\"\n\n[table.priorities]\nenum = true\n",
    );
    let mut all = Vec::new();
    for table in &TABLES {
        let rule = |choices: &mut Choices<'_>| choices.pick(table.rules).copied().unwrap_or("true");
        let mut granted = Granted::default();
        let _ = write!(text, "\n[table.{}.role.r]\n", table.name);
        if choices.percent(85) {
            let mask = match table.columns.iter().find(|column| TEXTS.contains(column)) {
                Some(column) if choices.percent(20) => {
                    format!(", mask = {{ {column} = \"upper({column})\" }}")
                }
                _ => String::new(),
            };
            let rows = rule(choices);
            let _ = writeln!(
                text,
                "select = {{ columns = \"*\", rows = {rows:?}, aggregates = true{mask} }}"
            );
            granted.select = Some(rows);
        }
        if choices.percent(80) {
            let check = rule(choices);
            let _ = writeln!(text, "insert = {{ columns = \"*\", check = {check:?} }}");
            granted.insert = Some(check);
        }
        if choices.percent(80) {
            let rows = rule(choices);
            let check = rule(choices);
            let columns: BTreeSet<_> = table
                .columns
                .iter()
                .copied()
                .filter(|_| choices.percent(80))
                .collect();
            let _ = writeln!(
                text,
                "update = {{ columns = {columns:?}, rows = {rows:?}, check = {check:?} }}"
            );
            granted.update = Some((rows, check, columns));
        }
        if choices.percent(70) {
            let rows = rule(choices);
            let _ = writeln!(text, "delete = {{ rows = {rows:?} }}");
            granted.delete = Some(rows);
        }
        all.push(granted);
    }
    // Rust's debug format of a set has braces, TOML's lists have brackets.
    (
        text.replace("columns = {", "columns = [")
            .replace("}, rows", "], rows"),
        all,
    )
}

struct Trial<'a> {
    access: &'a Access,
    client: &'a Client,
    grants: &'a [Granted],
    user: &'a str,
    mutation: &'a Mutation,
}

impl Trial<'_> {
    async fn run(&self, seen: &mut Seen) -> Outcome {
        self.client.batch_execute(RESTART).await?;
        let request = self
            .request(&self.mutation.document)
            .variables(self.mutation.variables.clone());
        let translated = match request.translate(self.access) {
            Ok(translated) => translated,
            Err(Failure::Request(_)) => {
                seen.invalid += 1;
                return Ok(());
            }
            Err(failure) => return Err(failure.into()),
        };
        let TranslationKind::Mutation(mutation) = &translated.translation.kind else {
            return Ok(());
        };
        let outcome = wire::rehearse(self.client, async |_| {
            let outcome = self
                .steps(&request, mutation, &translated.variables, seen)
                .await;
            // A fault of the gateway must not appear as an error of the database.
            Ok(match outcome {
                Ok(()) => String::new(),
                Err(Stopped::Failure(failure)) => return Err(failure),
                Err(Stopped::Fault(fault)) => fault,
            })
        });
        match outcome.await {
            Ok(fault) if fault.is_empty() => seen.done += 1,
            Ok(fault) => return Err(fault.into()),
            Err(Failure::Request(error)) if error.cause == Cause::Check => seen.checked += 1,
            Err(Failure::Request(_)) => seen.refused += 1,
            Err(Failure::Wire(error)) if error.sqlstate().is_some_and(is_refusal) => {
                seen.refused += 1;
            }
            Err(failure) => return Err(failure.into()),
        }
        Ok(())
    }

    /// Runs the statements one by one, and reads every table between them.
    async fn steps(
        &self,
        request: &Request,
        mutation: &sql::statement::Mutation,
        variables: &sql::graphql::variables::Variables,
        seen: &mut Seen,
    ) -> Result<(), Stopped> {
        let first = self
            .mutation
            .fields
            .first()
            .filter(|_| self.mutation.fields.len() == 1);
        let deleted =
            first.filter(|asked| matches!(asked.kind, RootKind::Delete | RootKind::DeleteOne));
        let selectable = match deleted {
            Some(asked) => Some(self.selectable(asked).await?),
            None => None,
        };
        let mut before = self.rows().await?;
        let mut response = String::new();
        let mut changed = false;
        for (step, parameters) in request.runs(mutation, variables)? {
            let statement = &step.statement;
            let part =
                wire::answer(self.client, &statement.text, &parameters, &statement.shape).await;
            let part = part.map_err(|error| match statement.alarm(&error.to_string()) {
                Some(alarm) => Failure::Request(alarm.cause.clone().under(alarm.path.clone())),
                None => error.into(),
            })?;
            response = response + &step.lead + &part;
            let after = self.rows().await?;
            changed |= self.check_changes(&before, &after)?;
            if let Some(asked) = first.filter(|asked| self.reads(asked)) {
                seen.read += usize::from(self.check_readers(asked, &before, &after)?);
            }
            before = after;
        }
        response.push_str(&mutation.end);
        seen.changed += usize::from(changed);
        if let Some(asked) = first.filter(|asked| asked.selection.is_some()) {
            let selectable = match selectable {
                Some(selectable) => selectable,
                None => self.selectable(asked).await?,
            };
            let response_value: Json = serde_json::from_str(&response)
                .map_err(|error| fault(format!("{error}: {response}")))?;
            for row in returned(&response_value["f0"]) {
                seen.returned += 1;
                if !selectable.contains(row) {
                    return Err(fault(format!("{row} is returned, and cannot be selected")));
                }
            }
        }
        Ok(())
    }

    /// The rows that the role can select from the table that a field writes, with the field's
    /// selection.
    async fn selectable(&self, asked: &Asked) -> Result<Vec<Json>, Stopped> {
        let Some(selection) = &asked.selection else {
            return Ok(vec![]);
        };
        let model = self.access.model();
        let root = model
            .roots()
            .find(|root| root.table == asked.table && root.kind == RootKind::List);
        let root = root.map(|root| root.name.clone()).unwrap_or_default();
        let request = self.request(&format!("{{ r: {root} {{ {selection} }} }}"));
        let translated = request.translate(self.access)?;
        let TranslationKind::Statement(statement) = &translated.translation.kind else {
            return Ok(vec![]);
        };
        let parameters = request.bind(statement, &translated.variables)?;
        let response =
            wire::answer(self.client, &statement.text, &parameters, &statement.shape).await;
        let response_value: Json = serde_json::from_str(&response.map_err(Failure::from)?)
            .map_err(|e| fault(e.to_string()))?;
        Ok(response_value["r"].as_array().cloned().unwrap_or_default())
    }

    /// Fails if a statement's changes to the tables violate the rules. Returns whether it changed
    /// anything.
    fn check_changes(&self, before: &[Rows], after: &[Rows]) -> Result<bool, Stopped> {
        let mut changed = false;
        let location = |name: &str| {
            TABLES
                .iter()
                .position(|table| table.name == name)
                .unwrap_or_default()
        };
        let gone = |name: &str, key: &Json| {
            let key = key.to_string();
            let index = location(name);
            before[index].contains_key(&key) && !after[index].contains_key(&key)
        };
        let projects = location("projects");
        let is_new = |project: &str| {
            !before[projects].contains_key(project) && after[projects].contains_key(project)
        };
        for (number, (table, granted)) in TABLES.iter().zip(self.grants).enumerate() {
            let before_rows = &before[number];
            let after_rows = &after[number];
            for (key, row) in before_rows {
                let Some(now) = after_rows.get(key) else {
                    changed = true;
                    let taken_along = table
                        .parent
                        .is_some_and(|(parent, column)| gone(parent, &row.values[column]));
                    // Without a key, a changed row appears as a deleted and an inserted one.
                    let replaced = table.key.is_empty() && row.updatable;
                    if !(row.deletable || taken_along || replaced) {
                        return Err(fault(format!("{} {} vanished", table.name, row.text)));
                    }
                    continue;
                };
                if now.text != row.text {
                    changed = true;
                    let free = |column: &str| {
                        table.follow.contains(&column)
                            || granted
                                .update
                                .as_ref()
                                .is_some_and(|(_, _, columns)| columns.contains(column))
                    };
                    if !(row.updatable && now.updated && columns_that_differ(row, now).all(free)) {
                        return Err(fault(format!(
                            "{} {} became {}",
                            table.name, row.text, now.text
                        )));
                    }
                }
            }
            for (key, row) in after_rows
                .iter()
                .filter(|(key, _)| !before_rows.contains_key(*key))
            {
                changed = true;
                let by_trigger = table.name == "project_members"
                    && row.values["role"] == "owner"
                    && is_new(&row.values["project_id"].to_string());
                let replaces = table.key.is_empty() && row.updated;
                if !(row.insertable || by_trigger || replaces) {
                    return Err(fault(format!("{} {key} {} appeared", table.name, row.text)));
                }
            }
        }
        Ok(changed)
    }

    /// Whether a field has a condition on stored values, and no write without one.
    fn reads(&self, asked: &Asked) -> bool {
        let text = format!("{} {}", self.mutation.document, self.mutation.variables);
        let by_key = matches!(asked.kind, RootKind::UpdateOne | RootKind::DeleteOne);
        let conditional = matches!(asked.kind, RootKind::Update | RootKind::Delete);
        let compares = [
            "_eq", "_neq", "_gt", "_gte", "_lt", "_lte", "_in", "_nin", "_is_null", "_like",
            "_ilike",
        ];
        let read = |word: &&str| {
            text.contains(&format!("{word}:")) || text.contains(&format!("\"{word}\":"))
        };
        !text.contains("_related") && (by_key || conditional && compares.iter().any(read))
    }

    /// Fails if such a field changes rows that the role may not select. Returns whether it changes
    /// any.
    fn check_readers(
        &self,
        asked: &Asked,
        before: &[Rows],
        after: &[Rows],
    ) -> Result<bool, Stopped> {
        let name = &self.access.model().table(asked.table).name;
        let Some(number) = TABLES.iter().position(|table| table.name == *name) else {
            return Ok(false);
        };
        let changes = |key: &String, row: &Row| {
            after[number]
                .get(key)
                .is_none_or(|now| now.text != row.text)
        };
        let mut changed = before[number]
            .iter()
            .filter(|(key, row)| changes(key, row))
            .peekable();
        let any = changed.peek().is_some();
        match changed.find(|(_, row)| !row.readable) {
            Some((_, row)) => Err(fault(format!(
                "{name} {} was found by a condition, and cannot be selected",
                row.text
            ))),
            None => Ok(any),
        }
    }

    /// Every row of every table, with the rules that it satisfies.
    async fn rows(&self) -> Result<Vec<Rows>, Stopped> {
        let mut all = Vec::new();
        for (table, granted) in TABLES.iter().zip(self.grants) {
            let says = |rule: Option<&str>| match rule {
                Some(rule) => format!(
                    "coalesce({}, false)",
                    rule.replace("session.user_id", self.user)
                ),
                None => "false".to_owned(),
            };
            let update = granted.update.as_ref();
            let name = table.name;
            let statement = format!(
                "SELECT to_jsonb({name}.*)::text, {}, {}, {}, {}, row_number() OVER (PARTITION \
                 BY to_jsonb({name}.*)), {} FROM {name}",
                says(granted.insert),
                says(update.map(|(rows, ..)| *rows)),
                says(update.map(|(_, check, _)| *check)),
                says(granted.delete),
                says(Some(granted.select.unwrap_or("true")))
            );
            let found = self
                .client
                .query(&statement, &[])
                .await
                .map_err(|error| fault(error.to_string()))?;
            let mut rows = Rows::new();
            for row in found {
                let text: String = row.get(0);
                let values: Json =
                    serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
                let key: Vec<_> = table
                    .key
                    .iter()
                    .map(|column| values[column].to_string())
                    .collect();
                let key = if key.is_empty() {
                    format!("{text} {}", row.get::<_, i64>(5))
                } else {
                    key.join(",")
                };
                let insertable = row.get(1);
                let updatable = row.get(2);
                let updated = row.get(3);
                let deletable = row.get(4);
                let readable = row.get(6);
                rows.insert(
                    key,
                    Row {
                        text,
                        values,
                        insertable,
                        updatable,
                        updated,
                        deletable,
                        readable,
                    },
                );
            }
            all.push(rows);
        }
        Ok(all)
    }

    fn request(&self, document: &str) -> Request {
        Request::new(document).session("user_id", self.user)
    }
}

/// Why statements ended early.
enum Stopped {
    /// The mutation failed.
    Failure(Failure),
    /// It violated a rule.
    Fault(String),
}

impl<F: Into<Failure>> From<F> for Stopped {
    fn from(failure: F) -> Stopped {
        Stopped::Failure(failure.into())
    }
}

fn fault(what: String) -> Stopped {
    Stopped::Fault(what)
}

fn columns_that_differ<'r>(one: &'r Row, other: &'r Row) -> impl Iterator<Item = &'r str> {
    let fields = one.values.as_object().into_iter().flatten();
    fields
        .filter(|(name, value)| other.values[name.as_str()] != **value)
        .map(|(name, _)| name.as_str())
}

/// The rows that a field returns; of several updates the last, since what others returned may have
/// changed again.
fn returned(response_value: &Json) -> Vec<&Json> {
    match response_value {
        Json::Null => vec![],
        Json::Array(responses) => responses.last().map(returned).unwrap_or_default(),
        response => match response["returning"].as_array() {
            Some(rows) => rows.iter().collect(),
            None => vec![response],
        },
    }
}

/// Whether this is an error of constraints, values, or a limit of Postgres. Any other error is a
/// fault of the statement.
fn is_refusal(sqlstate: &str) -> bool {
    sqlstate.starts_with("22")
        || sqlstate.starts_with("23")
        || ["21000", "44000"].contains(&sqlstate)
}
