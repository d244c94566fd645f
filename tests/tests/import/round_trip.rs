//! Imports random metadata conditions and checks that each imported rule selects the rows for which
//! an evaluator of the metadata's own expressions, which does not use SQL, finds the condition
//! true.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use import::{Options, Source};
use permissions::SourceFile;
use serde_json::{Map, Value as Json, json};
use sql::model::names::Convention;
use tests::choices::{self, Choices};
use tests::fixture;
use tests::request::Request;

use super::Outcome;

/// Names that are SQL keywords or need quoting, nulls, a relation to the table itself, and keys of
/// two tables.
const SCHEMA: &str = r#"
CREATE TABLE "user" (
  id int PRIMARY KEY,
  "full ""Name" text,
  "order" int,
  active boolean,
  boss_id int REFERENCES "user",
  tags text[] NOT NULL,
  extra jsonb NOT NULL
);
CREATE TABLE pets (
  id bigint PRIMARY KEY,
  owner_id int REFERENCES "user",
  name text,
  weight numeric
);
CREATE FUNCTION twice("user") RETURNS int STABLE LANGUAGE sql AS $$ SELECT $1."order" * 2 $$;
CREATE FUNCTION heavy(at_least int DEFAULT 2, owner "user" DEFAULT NULL) RETURNS SETOF pets STABLE LANGUAGE sql AS
  $$ SELECT * FROM pets WHERE owner_id = owner.id AND weight >= at_least $$;
"#;

const NAME: &str = "full \"Name";

/// How many conditions are tried.
const EXAMPLES: u32 = 400;

/// A kind of column, which determines the operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Boolean,
    Tags,
    Object,
}

/// A table: its columns and its relationships, each with its target and the two columns that are
/// equal.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Kind)],
    relationships: &'static [(&'static str, usize, &'static str, &'static str)],
}

const USERS: usize = 0;
const PETS: usize = 1;

const TABLES: [Table; 2] = [
    Table {
        name: "user",
        columns: &[
            ("id", Kind::Number),
            (NAME, Kind::Text),
            ("order", Kind::Number),
            ("active", Kind::Boolean),
            ("boss_id", Kind::Number),
            ("tags", Kind::Tags),
            ("extra", Kind::Object),
        ],
        relationships: &[
            ("boss", USERS, "boss_id", "id"),
            ("reports", USERS, "id", "boss_id"),
            ("pets", PETS, "id", "owner_id"),
            ("peers", USERS, "order", "order"),
        ],
    },
    Table {
        name: "pets",
        columns: &[
            ("id", Kind::Number),
            ("owner_id", Kind::Number),
            ("name", Kind::Text),
            ("weight", Kind::Number),
        ],
        relationships: &[("owner", USERS, "owner_id", "id")],
    },
];

/// The rows of both tables.
fn rows() -> [Vec<Json>; 2] {
    let user = |id, name: Json, order: Json, active: Json, boss: Json, tags: Json, extra: Json| json!({"id": id, NAME: name, "order": order, "active": active, "boss_id": boss, "tags": tags, "extra": extra});
    let pet = |id, owner: Json, name: Json, weight: Json| json!({"id": id, "owner_id": owner, "name": name, "weight": weight});
    let null = || Json::Null;
    let users = vec![
        user(
            1,
            json!("Ann"),
            json!(1),
            json!(true),
            null(),
            json!(["a", "b"]),
            json!({"x": 1}),
        ),
        user(
            2,
            json!("bob"),
            json!(2),
            json!(false),
            json!(1),
            json!([]),
            json!({}),
        ),
        user(
            3,
            null(),
            null(),
            null(),
            json!(1),
            json!(["b"]),
            json!({"y": "b"}),
        ),
        user(
            4,
            json!("it's"),
            json!(2),
            json!(true),
            json!(2),
            json!(["a b", "NULL"]),
            json!({"x": 1, "y": 2}),
        ),
        user(
            5,
            json!("X-men"),
            json!(5),
            json!(false),
            json!(5),
            json!(["a"]),
            json!({"z": null}),
        ),
        user(
            6,
            json!(""),
            json!(-1),
            null(),
            null(),
            json!(["c", "a", "b"]),
            json!({"x": 2}),
        ),
    ];
    let pets = vec![
        pet(1, json!(1), json!("Rex"), json!(3)),
        pet(2, json!(1), json!("Ann"), null()),
        pet(3, json!(2), null(), json!(1)),
        pet(4, null(), json!("bob"), json!(5)),
        pet(5, json!(4), json!("Rex"), json!(2)),
    ];
    [users, pets]
}

/// The caller's session values; numbers are JSON numbers.
fn session() -> Json {
    json!({"user_id": 1, "name": "bob", "ids": [1, 4], "names": ["Ann", "it's"], "keys": ["x", "y"], "none": []})
}

/// Writes an SQL literal independently of the importer.
fn sql(value: &Json) -> String {
    match value {
        Json::Null => "NULL".to_owned(),
        Json::Array(items) => format!(
            "ARRAY[{}]::text[]",
            items.iter().map(sql).collect::<Vec<_>>().join(", ")
        ),
        Json::String(text) => format!("'{}'", text.replace('\'', "''")),
        Json::Object(_) => format!("'{value}'"),
        other => other.to_string(),
    }
}

fn inserts() -> String {
    let row = |table: &Table, row: &Json| {
        let values: Vec<String> = table
            .columns
            .iter()
            .map(|(name, _)| sql(&row[*name]))
            .collect();
        format!(
            "INSERT INTO \"{}\" VALUES ({});\n",
            table.name,
            values.join(", ")
        )
    };
    TABLES
        .iter()
        .zip(rows())
        .flat_map(|(table, rows)| rows.iter().map(|r| row(table, r)).collect::<Vec<_>>())
        .collect()
}

#[test]
fn imported_rules_select_the_rows_of_the_conditions() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(tests::create("roundtrip", &[SCHEMA, &inserts()]))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let catalog = runtime.block_on(super::catalog(&client))?;
    let data = Data {
        rows: rows(),
        session: session(),
    };
    let sizes = RefCell::new(BTreeSet::new());
    choices::check(EXAMPLES, |choices| {
        let table = if choices.percent(30) { PETS } else { USERS };
        let condition = ConditionGenerator {
            root: table,
            choices,
        }
        .condition(table, 3);
        let root = TABLES.get(table).ok_or("no table")?;
        let imported = import::import(
            &metadata(root.name, &condition),
            &catalog,
            &Options::default(),
        );
        let imported = imported.map_err(|error| error.to_string())?;
        let text = imported
            .files
            .first()
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let context = || format!("{condition}\n{text}");
        if imported.report.entries().iter().any(super::is_refused) {
            return Err(format!("{}\n{}", imported.report.text(), context()));
        }
        let file = SourceFile::new("permissions.toml", text.as_str());
        let attempt = permissions::compile_partial(&file, catalog.clone(), Convention::Snake);
        let faults = super::faults(&attempt);
        let compiled = attempt.permissions.filter(|_| faults.is_empty());
        let compiled =
            compiled.ok_or_else(|| permissions::render(&faults, &file, false) + &context())?;
        let access = compiled
            .role("asker")
            .ok_or_else(|| format!("no role\n{}", context()))?;
        let mut request = Request::new(format!("{{ {} {{ id }} }}", root.name));
        for (name, value) in data.session.as_object().into_iter().flatten() {
            request = request.session(
                name,
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            );
        }
        let found = runtime
            .block_on(request.answer(&client, access))
            .map_err(|error| format!("{error}\n{}", context()))?;
        let found: Json = serde_json::from_str(&found).map_err(|error| error.to_string())?;
        let found: BTreeSet<i64> = found[root.name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row["id"].as_i64())
            .collect();
        let expected = data.selected(table, &condition);
        sizes.borrow_mut().insert((table, expected.len()));
        if found == expected {
            Ok(())
        } else {
            Err(format!(
                "found {found:?}, expected {expected:?}\n{}",
                context()
            ))
        }
    })?;
    // Many different numbers of rows occurred, so the conditions are neither all true nor all
    // false.
    assert!(sizes.borrow().len() > 8, "{sizes:?}");
    Ok(())
}

/// Metadata with one permission.
fn metadata(root: &str, condition: &Json) -> Source {
    let by_key = |column: &str| json!({"foreign_key_constraint_on": column});
    let from = |table: &str, column: &str| json!({"foreign_key_constraint_on": {"table": table, "column": column}});
    let by_hand = json!({"manual_configuration": {"remote_table": "user", "column_mapping": {"order": "order"}}});
    let mut tables = json!([
        {"table": "user",
         "configuration": {"custom_column_names": {NAME: "full_name"}},
         "object_relationships": [{"name": "boss", "using": by_key("boss_id")}],
         "computed_fields": [
            {"name": "twice", "definition": {"function": "twice"}},
            {"name": "heavy", "definition": {"function": "heavy", "table_argument": "owner"}}],
         "array_relationships": [
            {"name": "reports", "using": from("user", "boss_id")},
            {"name": "pets", "using": from("pets", "owner_id")},
            {"name": "peers", "using": by_hand}]},
        {"table": "pets", "object_relationships": [{"name": "owner", "using": by_key("owner_id")}]},
    ]);
    let permission =
        json!([{"role": "asker", "permission": {"columns": ["id"], "filter": condition}}]);
    for table in tables
        .as_array_mut()
        .into_iter()
        .flatten()
        .filter(|table| table["table"] == root)
    {
        table["select_permissions"] = permission.clone();
    }
    let sources =
        json!([{"name": "default", "kind": "postgres", "tables": tables, "functions": []}]);
    Source::Document(json!({"version": 3, "sources": sources}).to_string())
}

/// The generator of a condition.
struct ConditionGenerator<'c, 'a> {
    root: usize,
    choices: &'c mut Choices<'a>,
}

impl ConditionGenerator<'_, '_> {
    fn condition(&mut self, table: usize, depth: usize) -> Json {
        let count = [1, 1, 1, 2, 0]
            .get(self.choices.below(5))
            .copied()
            .unwrap_or(1);
        let mut fields = Map::new();
        for _ in 0..count {
            let (key, value) = self.part(table, depth);
            fields.insert(key, value);
        }
        Json::Object(fields)
    }

    fn part(&mut self, table: usize, depth: usize) -> (String, Json) {
        let sign = if self.choices.percent(25) { "$" } else { "_" };
        let deep = if depth == 0 {
            0
        } else {
            self.choices.below(11)
        };
        match deep {
            1 => (format!("{sign}and"), self.conditions(table, depth - 1)),
            2 => (format!("{sign}or"), self.conditions(table, depth - 1)),
            3 => (format!("{sign}not"), self.condition(table, depth - 1)),
            4 => {
                let other = self.choices.below(TABLES.len());
                let inner = self.condition(other, depth - 1);
                (
                    format!("{sign}exists"),
                    json!({"_table": TABLES.get(other).map(|table| table.name), "_where": inner}),
                )
            }
            5 | 6 => self.related(table, depth - 1),
            7 => self.counted(table, depth - 1),
            8 if table == USERS => ("heavy".to_owned(), self.condition(PETS, depth - 1)),
            9 if table == USERS => {
                let (word, value) = self.test(table, Kind::Number);
                ("twice".to_owned(), json!({ format!("_{word}"): value }))
            }
            _ => self.comparison(table),
        }
    }

    fn conditions(&mut self, table: usize, depth: usize) -> Json {
        let count = self.choices.below(3);
        Json::Array(
            (0..=count)
                .skip(1)
                .map(|_| self.condition(table, depth))
                .collect(),
        )
    }

    fn related(&mut self, table: usize, depth: usize) -> (String, Json) {
        let relationships = TABLES
            .get(table)
            .map_or(&[][..], |table| table.relationships);
        match self.choices.pick(relationships).copied() {
            Some((name, to, ..)) => (name.to_owned(), self.condition(to, depth)),
            None => self.comparison(table),
        }
    }

    fn counted(&mut self, table: usize, depth: usize) -> (String, Json) {
        let relationships = TABLES
            .get(table)
            .map_or(&[][..], |table| table.relationships);
        let many: Vec<_> = relationships
            .iter()
            .filter(|(name, ..)| !["boss", "owner"].contains(name))
            .collect();
        let Some((name, to, ..)) = self.choices.pick(&many).copied() else {
            return self.comparison(table);
        };
        let mut count = json!({"predicate": {"_gt": self.choices.below(3)}});
        if self.choices.percent(50) {
            count["filter"] = self.condition(*to, depth);
        }
        (format!("{name}_aggregate"), json!({ "count": count }))
    }

    fn comparison(&mut self, table: usize) -> (String, Json) {
        let columns = TABLES.get(table).map_or(&[][..], |table| table.columns);
        let Some((name, kind)) = self.choices.pick(columns).copied() else {
            return ("id".to_owned(), json!(1));
        };
        if self.choices.percent(10) && kind != Kind::Object {
            let bare = if kind == Kind::Tags {
                json!(["b"])
            } else {
                self.one(kind)
            };
            return (name.to_owned(), bare);
        }
        let mut tests = Map::new();
        for _ in 0..=usize::from(self.choices.percent(20)) {
            let sign = if self.choices.percent(25) { "$" } else { "_" };
            let (word, value) = self.test(table, kind);
            tests.insert(format!("{sign}{word}"), value);
        }
        (name.to_owned(), Json::Object(tests))
    }

    fn test(&mut self, table: usize, kind: Kind) -> (&'static str, Json) {
        let pick = |choices: &mut Choices<'_>, words: &'static [&'static str]| {
            choices.pick(words).copied().unwrap_or("is_null")
        };
        match (kind, self.choices.below(6)) {
            (_, 1) => ("is_null", json!(self.choices.percent(50))),
            (Kind::Number | Kind::Text, 2) => {
                (pick(self.choices, &["in", "nin"]), self.several(kind))
            }
            (Kind::Number, 3) => (
                pick(self.choices, &["ceq", "cne", "cgt", "clt", "cgte", "clte"]),
                self.column(table),
            ),
            (Kind::Number, 4) => (
                pick(self.choices, &["gt", "lt", "gte", "lte"]),
                self.number(),
            ),
            (Kind::Text, 4) => (
                pick(self.choices, &["like", "nlike", "ilike", "nilike"]),
                self.pattern(),
            ),
            (Kind::Tags, _) => {
                let list = self.texts();
                (
                    pick(self.choices, &["contains", "contained_in", "eq", "neq"]),
                    list,
                )
            }
            (Kind::Object, 2) => ("has_key", json!(pick(self.choices, &["x", "y", "q"]))),
            (Kind::Object, 3) => ("contains", json!({"x": 1})),
            (Kind::Object, _) => {
                let keys = if self.choices.percent(50) {
                    json!("X-Hasura-Keys")
                } else {
                    json!(["x", "z"])
                };
                (pick(self.choices, &["has_keys_any", "has_keys_all"]), keys)
            }
            _ => (pick(self.choices, &["eq", "neq", "ne"]), self.one(kind)),
        }
    }

    fn number(&mut self) -> Json {
        match self.choices.below(4) {
            3 => json!("X-HASURA-User-Id"),
            other => json!([1, 2, 5].get(other)),
        }
    }

    /// A value to compare with; null means that there is none.
    fn one(&mut self, kind: Kind) -> Json {
        if self.choices.percent(10) {
            return Json::Null;
        }
        match kind {
            Kind::Number => self.number(),
            Kind::Boolean => json!(self.choices.percent(50)),
            _ => json!(
                self.choices
                    .pick(&["bob", "Ann", "it's", "", "x-hasura-name", "Rex"])
            ),
        }
    }

    fn several(&mut self, kind: Kind) -> Json {
        if self.choices.percent(30) {
            let none = self.choices.percent(20) && kind == Kind::Text;
            let ids = if kind == Kind::Number {
                "X-Hasura-Ids"
            } else {
                "X-Hasura-Names"
            };
            return json!(if none { "X-Hasura-None" } else { ids });
        }
        let count = self.choices.below(3);
        Json::Array((0..count).map(|_| self.one(kind)).collect())
    }

    fn texts(&mut self) -> Json {
        let lists = [
            json!(["a"]),
            json!([]),
            json!(["b", "a"]),
            json!(["a b"]),
            json!(["NULL"]),
            json!(["a", "b", "c"]),
        ];
        self.choices.pick(&lists).cloned().unwrap_or_default()
    }

    fn pattern(&mut self) -> Json {
        json!(
            self.choices
                .pick(&["%n%", "A%", "%'s", "%", "X-Hasura-Name"])
        )
    }

    /// A column of numbers, of this table or of the rule's own.
    fn column(&mut self, table: usize) -> Json {
        let of_root = self.choices.percent(40);
        let from = if of_root { self.root } else { table };
        let columns = TABLES.get(from).map_or(&[][..], |table| table.columns);
        let numbers: Vec<_> = columns
            .iter()
            .filter(|(_, kind)| *kind == Kind::Number)
            .collect();
        let name = self.choices.pick(&numbers).map_or("id", |(name, _)| name);
        if of_root {
            json!(["$", name])
        } else {
            json!(name)
        }
    }
}

/// Rows and session values, and the evaluation of conditions on them.
struct Data {
    rows: [Vec<Json>; 2],
    session: Json,
}

/// True, false, or unknown.
type Truth = Option<bool>;

fn all(truths: impl Iterator<Item = Truth>) -> Truth {
    let truths: Vec<Truth> = truths.collect();
    let all_known = !truths.contains(&None);
    if truths.contains(&Some(false)) {
        Some(false)
    } else {
        all_known.then_some(true)
    }
}

fn not(truth: Truth) -> Truth {
    truth.map(|truth| !truth)
}

fn any(truths: impl Iterator<Item = Truth>) -> Truth {
    not(all(truths.map(not)))
}

impl Data {
    fn selected(&self, table: usize, condition: &Json) -> BTreeSet<i64> {
        let rows = self.rows.get(table).map_or(&[][..], Vec::as_slice);
        let kept = rows
            .iter()
            .filter(|row| self.holds(condition, table, row, row) == Some(true));
        kept.filter_map(|row| row["id"].as_i64()).collect()
    }

    fn holds(&self, condition: &Json, table: usize, row: &Json, root: &Json) -> Truth {
        let fields = condition.as_object().into_iter().flatten();
        all(fields.map(|(key, value)| self.part(key, value, table, row, root)))
    }

    fn part(&self, key: &str, value: &Json, table: usize, row: &Json, root: &Json) -> Truth {
        let each = || {
            value
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| self.holds(one, table, row, root))
        };
        match key.replace('$', "_").as_str() {
            "_and" => return all(each()),
            "_or" => return any(each()),
            "_not" => return not(self.holds(value, table, row, root)),
            "_exists" => {
                let other = TABLES
                    .iter()
                    .position(|table| value["_table"] == table.name)
                    .unwrap_or_default();
                let rows = self.rows.get(other).map_or(&[][..], Vec::as_slice);
                return Some(
                    rows.iter()
                        .any(|row| self.holds(&value["_where"], other, row, root) == Some(true)),
                );
            }
            _ => {}
        }
        match key {
            "twice" => {
                let twice = row["order"]
                    .as_i64()
                    .map_or(Json::Null, |order| json!(order * 2));
                return self.column(&twice, value, row, root);
            }
            "heavy" => {
                let heavy =
                    |there: &Json| there["weight"].as_i64().is_some_and(|weight| weight >= 2);
                let holds = |to, there: &Json| {
                    if heavy(there) {
                        self.holds(value, to, there, root)
                    } else {
                        None
                    }
                };
                return Some(self.related(table, "pets", row, holds) > 0);
            }
            _ => {}
        }
        if TABLES
            .get(table)
            .is_some_and(|table| table.columns.iter().any(|(name, _)| *name == key))
        {
            return self.column(&row[key], value, row, root);
        }
        match key.strip_suffix("_aggregate") {
            None => Some(
                self.related(table, key, row, |to, there| {
                    self.holds(value, to, there, root)
                }) > 0,
            ),
            Some(name) => {
                let filter = &value["count"]["filter"];
                let count = self.related(table, name, row, |to, there| {
                    self.holds(filter, to, there, root)
                });
                Some(
                    count
                        > value["count"]["predicate"]["_gt"]
                            .as_u64()
                            .unwrap_or_default(),
                )
            }
        }
    }

    /// The number of related rows for which `holds` is true.
    fn related(
        &self,
        table: usize,
        name: &str,
        row: &Json,
        holds: impl Fn(usize, &Json) -> Truth,
    ) -> u64 {
        let relationships = TABLES
            .get(table)
            .map_or(&[][..], |table| table.relationships);
        let Some((_, to, own, theirs)) = relationships.iter().find(|(known, ..)| *known == name)
        else {
            return 0;
        };
        let rows = self.rows.get(*to).map_or(&[][..], Vec::as_slice);
        let joined = rows
            .iter()
            .filter(|there| !row[*own].is_null() && row[*own] == there[*theirs]);
        joined
            .filter(|there| holds(*to, there) == Some(true))
            .count() as u64
    }

    fn column(&self, found: &Json, tests: &Json, row: &Json, root: &Json) -> Truth {
        match tests.as_object() {
            Some(tests) => all(tests
                .iter()
                .map(|(word, value)| self.test(found, &word[1..], value, row, root))),
            None => self.test(found, "eq", tests, row, root),
        }
    }

    /// The value itself, or that of the session.
    fn value(&self, value: &Json) -> Json {
        let name = value.as_str().map(str::to_lowercase);
        let name = name
            .as_deref()
            .and_then(|name| name.strip_prefix("x-hasura-"));
        name.map_or_else(
            || value.clone(),
            |name| self.session[name.replace('-', "_")].clone(),
        )
    }

    fn test(&self, found: &Json, word: &str, value: &Json, row: &Json, root: &Json) -> Truth {
        let wanted = match (
            word.strip_prefix('c')
                .filter(|rest| ["eq", "ne", "gt", "lt", "gte", "lte"].contains(rest)),
            value,
        ) {
            (Some(_), Json::String(column)) => row[column].clone(),
            (Some(_), Json::Array(path)) => path
                .last()
                .and_then(Json::as_str)
                .map_or(Json::Null, |name| root[name].clone()),
            _ => self.value(value),
        };
        match (word, value.is_null(), found.is_null()) {
            ("is_null", ..) => return Some(found.is_null() == (wanted == json!(true))),
            ("eq", true, _) => return Some(found.is_null()),
            ("ne" | "neq", true, _) => return Some(!found.is_null()),
            ("in", ..) => return any(self.items(&wanted).iter().map(|item| equal(found, item))),
            ("nin", ..) => {
                return all(self
                    .items(&wanted)
                    .iter()
                    .map(|item| not(equal(found, item))));
            }
            (_, _, true) => return None,
            _ => {}
        }
        let words = |list: &Json| -> Vec<String> {
            list.as_array()
                .into_iter()
                .flatten()
                .filter_map(Json::as_str)
                .map(str::to_owned)
                .collect()
        };
        let within = |inner: &Json, outer: &Json| {
            words(inner).iter().all(|item| words(outer).contains(item))
        };
        match word {
            "eq" | "ceq" => equal(found, &wanted),
            "ne" | "neq" | "cne" => not(equal(found, &wanted)),
            "gt" | "cgt" => order(found, &wanted).map(Ordering::is_gt),
            "lt" | "clt" => order(found, &wanted).map(Ordering::is_lt),
            "gte" | "cgte" => order(found, &wanted).map(Ordering::is_ge),
            "lte" | "clte" => order(found, &wanted).map(Ordering::is_le),
            "like" | "ilike" | "nlike" | "nilike" => {
                let matches = like(found, &wanted, word.contains("il"));
                if word.starts_with('n') {
                    not(matches)
                } else {
                    matches
                }
            }
            "contains" if found.is_array() => Some(within(&wanted, found)),
            "contained_in" => Some(within(found, &wanted)),
            "contains" => Some(
                wanted
                    .as_object()
                    .into_iter()
                    .flatten()
                    .all(|(key, value)| found.get(key) == Some(value)),
            ),
            "has_key" => Some(found.get(wanted.as_str().unwrap_or_default()).is_some()),
            "has_keys_any" => Some(words(&wanted).iter().any(|key| found.get(key).is_some())),
            "has_keys_all" => Some(words(&wanted).iter().all(|key| found.get(key).is_some())),
            _ => None,
        }
    }

    /// The items of a list, each of which may come from the session.
    fn items(&self, list: &Json) -> Vec<Json> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|item| self.value(item))
            .collect()
    }
}

fn equal(one: &Json, other: &Json) -> Truth {
    (!one.is_null() && !other.is_null()).then(|| one == other)
}

fn order(one: &Json, other: &Json) -> Option<Ordering> {
    one.as_i64()?.partial_cmp(&other.as_i64()?)
}

/// Patterns with `%` only at the ends.
fn like(found: &Json, pattern: &Json, fold: bool) -> Truth {
    let text = |json: &Json| {
        json.as_str().map(|text| {
            if fold {
                text.to_lowercase()
            } else {
                text.to_owned()
            }
        })
    };
    let found = text(found)?;
    let pattern = text(pattern)?;
    let front = pattern.starts_with('%');
    let inner = pattern.trim_matches('%');
    let back = pattern.ends_with('%');
    Some(match (front, back) {
        (true, true) => found.contains(inner),
        (true, false) => found.ends_with(inner),
        (false, true) => found.starts_with(inner),
        (false, false) => found == inner,
    })
}
