//! Generates random writes of one table, each in two forms: as a mutation, and as the equivalent
//! plain SQL, run where the rules of the permission file are row-level security policies of
//! Postgres.
//!
//! The writable columns and the presets come from the grants; presets and rules are used as they
//! are written in the permission file.

mod conditions;
mod values;

pub use conditions::Condition;
pub use values::{Value, of, pool};

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sql::model::ExposedTable;
use sql::model::access::{Access, Rule};
use sql::model::names::RootKind;
use sql::model::update_operators::UpdateOperator;
use sql::postgres::catalog::{ColumnId, TableId};
use sql::postgres::types::quoted;
use sql::schema::{Object, Schema};

use crate::choices::Choices;
use crate::documents::literal;

/// A write in both forms.
#[derive(Clone, Debug)]
pub struct Write {
    /// The mutation; the response key of its only field is `m`.
    pub document: String,
    /// Its variables.
    pub variables: Json,
    /// The equivalent SQL statements, in order.
    pub native: Vec<Native>,
}

/// A statement of plain SQL.
#[derive(Clone, Debug)]
pub struct Native {
    /// The whole statement.
    pub text: String,
    /// The statement split so that it writes one row at a time.
    pub alone: Alone,
}

/// A statement that writes one row at a time.
#[derive(Clone, Debug)]
pub enum Alone {
    /// These statements.
    These(Vec<String>),
    /// The statement with ` AND t::text = '…'` appended, once for the text of each row that this
    /// query returns.
    EachOf(String),
}

/// A table, as a role writes it.
#[allow(missing_debug_implementations, reason = "a schema has nothing to show")]
#[derive(Clone, Copy)]
pub struct Subject<'m> {
    access: &'m Access,
    schema: Schema<'m>,
    exposed: &'m ExposedTable,
}

/// An argument of the field: its name and its value.
type NamedArgument = (String, Json);

impl<'m> Subject<'m> {
    /// The table with this name, if the role sees it.
    pub fn new(access: &'m Access, table: &str) -> Option<Subject<'m>> {
        let exposed = access
            .model()
            .tables()
            .find(|exposed| access.model().table(exposed.table).name == table)?;
        Some(Subject {
            access,
            schema: Schema::new(access),
            exposed,
        })
    }

    /// Generates a write of the table, if the role's grants allow that kind.
    pub fn write(&self, choices: &mut Choices<'_>) -> Option<Write> {
        match choices.below(10) {
            0..=3 => self.insert(choices),
            4..=7 => self.update(choices),
            _ => self.delete(choices),
        }
    }

    // ---- inserts

    fn insert(&self, choices: &mut Choices<'_>) -> Option<Write> {
        let grant = self.access.insert(self.table())?;
        let single = choices.percent(30);
        let rows: Vec<_> = (0..if single { 1 } else { choices.below(4) })
            .map(|_| self.row(choices))
            .collect();
        let presets: Vec<_> = grant
            .preset
            .iter()
            .map(|(column, rule)| (*column, native(rule)))
            .collect();
        let json: Vec<Json> = rows
            .iter()
            .map(|row| self.object(row.iter().map(|(c, v)| (*c, &v.json))))
            .collect();
        let (kind, argument) = match (single, json.first()) {
            (true, Some(row)) => (RootKind::InsertOne, ("object".to_owned(), row.clone())),
            _ => (RootKind::Insert, ("objects".to_owned(), Json::Array(json))),
        };
        let alone = rows
            .iter()
            .filter_map(|row| self.inserted(std::slice::from_ref(row), &presets))
            .collect();
        let native = if rows.is_empty() {
            vec![]
        } else {
            vec![Native {
                text: self.inserted(&rows, &presets)?,
                alone: Alone::These(alone),
            }]
        };
        self.build_write(kind, vec![argument], native, choices)
    }

    /// Values for some columns of a row.
    fn row(&self, choices: &mut Choices<'_>) -> Vec<(ColumnId, Value)> {
        let mut row = Vec::new();
        for (column, _) in self.schema.insertable_columns(self.table()) {
            let entry = self.access.model().table(self.table()).column(column);
            let needed = !entry.nullable && entry.default.is_none() && entry.identity.is_none();
            if choices.percent(if needed { 97 } else { 50 }) {
                row.push((
                    column,
                    self.value(column, !needed && choices.percent(12), choices),
                ));
            }
        }
        row
    }

    /// `INSERT INTO t ("a", "b") VALUES ('1', DEFAULT), …`
    fn inserted(
        &self,
        rows: &[Vec<(ColumnId, Value)>],
        presets: &[(ColumnId, String)],
    ) -> Option<String> {
        let mut columns: Vec<ColumnId> = rows.iter().flatten().map(|(column, _)| *column).collect();
        columns.sort();
        columns.dedup();
        let tuple = |row: &Vec<(ColumnId, Value)>| {
            let given = |column: &ColumnId| {
                row.iter()
                    .find(|(c, _)| c == column)
                    .map(|(_, value)| value.literal())
            };
            let values = columns
                .iter()
                .map(|column| given(column).unwrap_or_else(|| "DEFAULT".into()));
            let values = values.chain(presets.iter().map(|(_, preset)| preset.clone()));
            format!("({})", values.collect::<Vec<_>>().join(", "))
        };
        let tuples: Vec<_> = rows.iter().map(tuple).collect();
        let names = columns
            .iter()
            .chain(presets.iter().map(|(column, _)| column))
            .map(|column| self.name(*column));
        let names = names.collect::<Vec<_>>().join(", ");
        match (names.is_empty(), rows.len()) {
            (false, _) => Some(format!(
                "INSERT INTO {} ({names}) VALUES {}",
                self.from(),
                tuples.join(", ")
            )),
            (true, 1) => Some(format!("INSERT INTO {} DEFAULT VALUES", self.from())),
            (true, _) => None,
        }
    }

    // ---- updates

    fn update(&self, choices: &mut Choices<'_>) -> Option<Write> {
        match choices.below(4) {
            0 => {
                let (key, condition) = self.key(choices)?;
                let (mut given, native) = self.change(&condition, choices)?;
                given.push((self.spelled("pk_columns"), key));
                self.build_write(RootKind::UpdateOne, given, vec![native], choices)
            }
            3 => {
                let mut items = Vec::new();
                let mut native = Vec::new();
                for _ in 0..1 + choices.below(2) {
                    let condition = Condition::random(self.access, self.exposed, 2, choices);
                    let (mut given, one) = self.change(&condition, choices)?;
                    given.push((
                        "where".to_owned(),
                        condition.spelled(self.exposed.spelling()),
                    ));
                    items.push(Json::Object(given.into_iter().collect()));
                    native.push(one);
                }
                self.build_write(
                    RootKind::UpdateMany,
                    vec![("updates".into(), Json::Array(items))],
                    native,
                    choices,
                )
            }
            _ => {
                let condition = Condition::random(self.access, self.exposed, 2, choices);
                let (mut given, native) = self.change(&condition, choices)?;
                given.push((
                    "where".to_owned(),
                    condition.spelled(self.exposed.spelling()),
                ));
                self.build_write(RootKind::Update, given, vec![native], choices)
            }
        }
    }

    /// The update operators of an update, and its statement.
    fn change(
        &self,
        condition: &Condition,
        choices: &mut Choices<'_>,
    ) -> Option<(Vec<NamedArgument>, Native)> {
        let grant = self.access.update(self.table())?;
        let mut assignments: Vec<_> = grant
            .preset
            .iter()
            .map(|(column, rule)| format!("{} = {}", self.name(*column), native(rule)))
            .collect();
        let mut given: Vec<(UpdateOperator, Map<String, Json>)> = Vec::new();
        let mut columns = self.schema.updatable_columns(self.table());
        for _ in 0..1 + choices.below(3) {
            if columns.is_empty() {
                break;
            }
            let (column, name) = columns.swap_remove(choices.below(columns.len()));
            let fitting = |modifier: &UpdateOperator| {
                self.schema
                    .assigned(self.table(), column, *modifier)
                    .is_some()
            };
            let modifiers: Vec<_> = UpdateOperator::ALL
                .into_iter()
                .map(|(m, _)| m)
                .filter(fitting)
                .collect();
            let modifier = if choices.percent(60) {
                UpdateOperator::Set
            } else {
                *choices.pick(&modifiers)?
            };
            // The order in which an addition reaches the rows is undefined, and matters where
            // values are unique.
            if modifier != UpdateOperator::Set && self.is_unique(column) {
                continue;
            }
            let (json, sql) = self.assigned(column, modifier, choices)?;
            assignments.push(format!("{} = {sql}", self.name(column)));
            match given.iter_mut().find(|(other, _)| *other == modifier) {
                Some((_, fields)) => drop(fields.insert(name.to_owned(), json)),
                None => given.push((modifier, Map::from_iter([(name.to_owned(), json)]))),
            }
        }
        if given.is_empty() {
            return None;
        }
        let condition = condition.sql(self.access, self.exposed, "t", 0);
        let text = format!(
            "UPDATE {} t SET {} WHERE ({condition})",
            self.from(),
            assignments.join(", ")
        );
        let rows = format!("SELECT t::text FROM {} t WHERE ({condition})", self.from());
        let given = given
            .into_iter()
            .map(|(modifier, fields)| (self.spelled(modifier.name()), Json::Object(fields)));
        Some((
            given.collect(),
            Native {
                text,
                alone: Alone::EachOf(rows),
            },
        ))
    }

    /// A value for an update operator on a column, and the column's new value in SQL.
    fn assigned(
        &self,
        column: ColumnId,
        modifier: UpdateOperator,
        choices: &mut Choices<'_>,
    ) -> Option<(Json, String)> {
        let name = format!("t.{}", self.name(column));
        let model = self.access.model();
        let oid = self.schema.assigned(self.table(), column, modifier)?;
        let own = self.schema.column_scalar(self.table(), column);
        let operand = self.schema.scalar(oid);
        let value = match modifier {
            UpdateOperator::Set => self.value(
                column,
                self.is_nullable(column) && choices.percent(15),
                choices,
            ),
            UpdateOperator::DeleteKey => values::key(choices),
            UpdateOperator::DeleteElem => values::place(choices),
            UpdateOperator::DeleteAtPath => values::path(choices),
            _ => of(model.catalog(), oid, choices)?,
        };
        let json = value.json.clone();
        let typed = format!("{}::{}", value.literal(), operand.sql);
        let sql = match modifier {
            UpdateOperator::Set => value.literal(),
            UpdateOperator::Inc => format!("{name} + {typed}"),
            UpdateOperator::Mul => format!("{name} * {typed}"),
            UpdateOperator::Append => format!("{name} || {typed}"),
            UpdateOperator::Prepend => format!("{typed} || {name}"),
            UpdateOperator::DeleteKey | UpdateOperator::DeleteElem => format!("{name} - {typed}"),
            UpdateOperator::DeleteAtPath => format!("{name} #- {typed}"),
            UpdateOperator::ArrayAppend => format!("array_append({name}::{}, {typed})", own.sql),
            UpdateOperator::ArrayRemove => format!("array_remove({name}::{}, {typed})", own.sql),
        };
        Some((json, sql))
    }

    // ---- deletes

    fn delete(&self, choices: &mut Choices<'_>) -> Option<Write> {
        self.access.delete(self.table())?;
        let (kind, given, condition) = if choices.percent(30) {
            let (key, condition) = self.key(choices)?;
            let Json::Object(columns) = key else {
                return None;
            };
            (
                RootKind::DeleteOne,
                columns.into_iter().collect(),
                condition,
            )
        } else {
            let condition = Condition::random(self.access, self.exposed, 2, choices);
            (
                RootKind::Delete,
                vec![(
                    "where".to_owned(),
                    condition.spelled(self.exposed.spelling()),
                )],
                condition,
            )
        };
        let condition = condition.sql(self.access, self.exposed, "t", 0);
        let text = format!("DELETE FROM {} t WHERE ({condition})", self.from());
        let rows = format!("SELECT t::text FROM {} t WHERE ({condition})", self.from());
        self.build_write(
            kind,
            given,
            vec![Native {
                text,
                alone: Alone::EachOf(rows),
            }],
            choices,
        )
    }

    // ---- the parts

    /// Builds the document, with each argument either as a variable or as a literal.
    fn build_write(
        &self,
        kind: RootKind,
        given: Vec<NamedArgument>,
        native: Vec<Native>,
        choices: &mut Choices<'_>,
    ) -> Option<Write> {
        let root = self
            .access
            .model()
            .roots()
            .find(|root| root.table == self.table() && root.kind == kind)?;
        let field = self.schema.field(Object::Mutation, &root.name)?;
        let mut declared = String::new();
        let mut arguments = String::new();
        let mut variables = Map::new();
        for (index, (name, value)) in given.into_iter().enumerate() {
            let argument = field
                .arguments
                .iter()
                .find(|argument| argument.name == name)?;
            // In a document, values of enum tables are not strings.
            if choices.percent(60) || value.to_string().contains("\"priority\"") {
                let _ = write!(
                    declared,
                    "$v{index}: {} ",
                    self.schema.written(argument.r#type)
                );
                let _ = write!(arguments, "{name}: $v{index} ");
                variables.insert(format!("v{index}"), value);
            } else {
                let _ = write!(arguments, "{name}: {} ", literal(&value));
            }
        }
        let declared = if declared.is_empty() {
            declared
        } else {
            format!("({declared})")
        };
        let response = match kind {
            RootKind::InsertOne | RootKind::UpdateOne | RootKind::DeleteOne => {
                "__typename".to_owned()
            }
            _ => self.spelled("affected_rows"),
        };
        let document = format!(
            "mutation {declared} {{ m: {}({arguments}) {{ {response} }} }}",
            root.name
        );
        Some(Write {
            document,
            variables: Json::Object(variables),
            native,
        })
    }

    /// The primary key columns with values, as an object and as a condition.
    fn key(&self, choices: &mut Choices<'_>) -> Option<(Json, Condition)> {
        let mut object = Map::new();
        let mut conditions = Vec::new();
        for (column, name) in self.schema.key_columns(self.table())? {
            let value = self.value(column, false, choices);
            object.insert(name.to_owned(), value.json.clone());
            conditions.push(Condition::equal(column, name, value));
        }
        Some((Json::Object(object), Condition::All(conditions)))
    }

    fn object<'v>(&self, fields: impl Iterator<Item = (ColumnId, &'v Json)>) -> Json {
        let name = |column| {
            self.exposed
                .column_name(column)
                .unwrap_or_default()
                .to_owned()
        };
        Json::Object(
            fields
                .map(|(column, value)| (name(column), value.clone()))
                .collect(),
        )
    }

    fn value(&self, column: ColumnId, null: bool, choices: &mut Choices<'_>) -> Value {
        let entry = self.access.model().table(self.table()).column(column);
        if null {
            Value {
                json: json!(null),
                text: None,
            }
        } else {
            pool(self.access.model().catalog(), entry, choices)
        }
    }

    fn is_nullable(&self, column: ColumnId) -> bool {
        self.access
            .model()
            .table(self.table())
            .column(column)
            .nullable
    }

    fn is_unique(&self, column: ColumnId) -> bool {
        let table = self.access.model().table(self.table());
        let name = &table.column(column).name;
        table.keys.iter().any(|key| key.columns.contains(name))
            || ["slot", "during"].contains(&name.as_str())
    }

    fn spelled(&self, word: &'static str) -> String {
        self.exposed.spelling().field(word).to_owned()
    }

    fn table(&self) -> TableId {
        self.exposed.table
    }

    fn name(&self, column: ColumnId) -> String {
        quoted(&self.access.model().table(self.table()).column(column).name)
    }

    fn from(&self) -> String {
        let table = self.access.model().table(self.table());
        format!("{}.{}", quoted(&table.schema), quoted(&table.name))
    }
}

/// A rule as written in the permission file, with session values and named rules as calls of the
/// SQL functions of the fixture.
pub fn native(rule: &Rule) -> String {
    let mut text = rule.text.replace("session.user_id", "judge.user_id()");
    if rule.is_everything() {
        return "true".into();
    }
    for named in ["own_project(", "in_project(", "own_task("] {
        text = text.replace(named, &format!("judge.{named}"));
    }
    text
}
