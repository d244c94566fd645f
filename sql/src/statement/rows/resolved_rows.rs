//! Collects input rows from the values of one request. The rows of one position are collected once,
//! for all their batches and all columns. Values of variables are borrowed, not copied.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde_json::Value as Json;

use super::super::ValueBudget;
use super::GivenRows;
use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, Variables};

/// The rows that have been collected for the parameters of one statement.
#[derive(Default)]
pub(in super::super) struct ResolvedRows<'a> {
    budget: ValueBudget,
    levels: Vec<(&'a GivenRows, Rc<Level<'a>>)>,
    picks: Vec<(&'a GivenRows, Rc<Level<'a>>, Rc<RowBatch>)>,
    /// The rows of the one level that the parameters are bound to; all rows if `None`.
    only: Option<Range<u32>>,
}

/// All rows at one position.
pub(super) struct Level<'a> {
    /// The level of the parent rows.
    above: Option<Rc<Level<'a>>>,
    rows: Vec<Row<'a>>,
    key_sets: Vec<KeySet<'a>>,
}

/// The rows of a level that have the same keys.
pub(super) struct RowBatch {
    /// The indexes of the rows.
    pub(super) rows: Vec<u32>,
}

struct Row<'a> {
    value: Value<'a>,
    /// The index of the parent row.
    parent: u32,
    /// The index in its list; `None` for a row outside a list.
    item: Option<u32>,
    key_set: u32,
}

/// The keys that a group of rows has in common.
struct KeySet<'a> {
    /// The keys, in order.
    keys: Vec<&'a str>,
    /// The keys that distinguish batches, sorted; `None` if the row is not an object.
    given: Option<Vec<&'a str>>,
}

/// A value of the request, with variables resolved.
#[derive(Clone, Copy)]
enum Value<'a> {
    Json(&'a Json),
    /// A list or an object of the document that contains variables.
    Written(&'a Template),
}

static NULL: Json = Json::Null;

impl<'a> ResolvedRows<'a> {
    /// An empty set that rejects values beyond the budget.
    pub(in super::super) fn within(budget: ValueBudget) -> ResolvedRows<'a> {
        ResolvedRows {
            budget,
            ..ResolvedRows::default()
        }
    }

    /// The batch that `given` describes, and all rows at its position.
    pub(super) fn pick(
        &mut self,
        given: &'a GivenRows,
        variables: &'a Variables,
    ) -> Result<(Rc<Level<'a>>, Rc<RowBatch>), Error> {
        let cached = self
            .picks
            .iter()
            .rfind(|(other, ..)| std::ptr::eq(*other, given));
        if let Some((_, level, pick)) = cached {
            return Ok((level.clone(), self.within_range(pick)));
        }
        let level = self.level(given, variables)?;
        let pick = Rc::new(RowBatch {
            rows: level.pick(given),
        });
        self.picks.push((given, level.clone(), pick.clone()));
        Ok((level, self.within_range(&pick)))
    }

    /// Binds the parameters from now on to these rows of their level. They have one parent row, or
    /// none.
    pub(in super::super) fn limit_to(&mut self, rows: Option<Range<u32>>) {
        self.only = rows;
    }

    /// The rows of a level whose parent rows are in this range. Those of the first level have none:
    /// they are all.
    pub(in super::super) fn rows_under(
        &mut self,
        given: &'a GivenRows,
        parents: Range<u32>,
        variables: &'a Variables,
    ) -> Result<Range<u32>, Error> {
        let level = self.level(given, variables)?;
        // Rows are collected in the order of their parents.
        let before = |row: u32| level.rows.partition_point(|found| found.parent < row) as u32;
        if given.relations.is_empty() {
            Ok(0..level.rows.len() as u32)
        } else {
            Ok(before(parents.start)..before(parents.end))
        }
    }

    /// The number of all rows at a position.
    pub(in super::super) fn count(
        &mut self,
        given: &'a GivenRows,
        variables: &'a Variables,
    ) -> Result<usize, Error> {
        Ok(self.level(given, variables)?.rows.len())
    }

    /// The index of the first row that parameters are bound to. Rows are numbered from it.
    pub(super) fn first_row(&self) -> u32 {
        self.only.as_ref().map_or(0, |rows| rows.start)
    }

    /// The index of the parent of that row, from which parent rows are numbered.
    pub(super) fn first_parent(&self, level: &Level<'a>) -> u32 {
        let first = self
            .only
            .as_ref()
            .and_then(|rows| level.rows.get(rows.start as usize));
        first.map_or(0, |row| row.parent)
    }

    fn within_range(&self, pick: &Rc<RowBatch>) -> Rc<RowBatch> {
        let Some(only) = &self.only else {
            return pick.clone();
        };
        let index_of = |row: u32| pick.rows.partition_point(|found| *found < row);
        let rows = pick
            .rows
            .get(index_of(only.start)..index_of(only.end))
            .unwrap_or_default();
        Rc::new(RowBatch {
            rows: rows.to_vec(),
        })
    }

    fn level(
        &mut self,
        given: &'a GivenRows,
        variables: &'a Variables,
    ) -> Result<Rc<Level<'a>>, Error> {
        let is_same_level = |other: &GivenRows| {
            Arc::ptr_eq(&other.value, &given.value)
                && other.relations == given.relations
                && other.path == given.path
        };
        if let Some((_, level)) = self.levels.iter().find(|(other, _)| is_same_level(other)) {
            return Ok(level.clone());
        }
        if !self
            .levels
            .iter()
            .any(|(other, _)| Arc::ptr_eq(&other.value, &given.value))
        {
            self.budget.check(&given.value, variables)?;
        }
        let mut level = Level::first(given, variables);
        for (step, (relation, list)) in given.relations.iter().enumerate() {
            let last = step + 1 == given.relations.len();
            level = level.below(relation, *list, last.then_some(given), variables)?;
        }
        level.group_by_keys(given, variables);
        let level = Rc::new(level);
        self.levels.push((given, level.clone()));
        Ok(level)
    }
}

impl<'a> Level<'a> {
    fn first(given: &'a GivenRows, variables: &'a Variables) -> Level<'a> {
        let mut level = Level {
            above: None,
            rows: Vec::new(),
            key_sets: Vec::new(),
        };
        if let Some(value) = Value::from_template(&given.value, variables) {
            level.add(value, given.list, 0, variables);
        }
        level
    }

    /// The rows nested under these rows.
    fn below(
        self,
        relation: &str,
        list: bool,
        given: Option<&GivenRows>,
        variables: &'a Variables,
    ) -> Result<Level<'a>, Error> {
        let above = Rc::new(self);
        let mut level = Level {
            above: Some(above.clone()),
            rows: Vec::new(),
            key_sets: Vec::new(),
        };
        let mut first_conflict = None;
        for (index, row) in (0..).zip(&above.rows) {
            let Some(object) = row
                .value
                .get(relation, variables)
                .filter(|object| !object.is_null())
            else {
                continue;
            };
            if let Some(given) = given.filter(|given| !given.on_conflict.is_empty()) {
                let conflict = object.first_of(&given.on_conflict, variables);
                if *first_conflict.get_or_insert_with(|| conflict.clone()) != conflict {
                    let path = format!("{}.{relation}", above.path(given, index));
                    return Err(Cause::Differs {
                        name: given.on_conflict.join(", "),
                    }
                    .under(path));
                }
            }
            if let Some(data) = object.get("data", variables) {
                level.add(data, list, index, variables);
            }
        }
        Ok(level)
    }

    fn add(&mut self, value: Value<'a>, list: bool, parent: u32, variables: &'a Variables) {
        let mut push = |value, item| {
            self.rows.push(Row {
                value,
                parent,
                item,
                key_set: 0,
            });
        };
        match value {
            value if value.is_null() => {}
            value if !list => push(value, None),
            Value::Json(Json::Array(items)) => {
                for (item, value) in (0..).zip(items) {
                    push(Value::Json(value), Some(item));
                }
            }
            Value::Written(Template::List(items)) => {
                for (item, value) in (0..).zip(items) {
                    push(
                        Value::from_template(value, variables).unwrap_or(Value::Json(&NULL)),
                        Some(item),
                    );
                }
            }
            single => push(single, Some(0)),
        }
    }

    /// Groups the rows by their keys. Most rows have the keys of the row before.
    fn group_by_keys(&mut self, given: &'a GivenRows, variables: &'a Variables) {
        let mut ids: HashMap<_, u32, RandomState> = HashMap::default();
        let mut last = None;
        for row in &mut self.rows {
            if let Some((fields, key_set)) = last
                && row.value.is_like(fields, &given.before)
            {
                row.key_set = key_set;
                continue;
            }
            let keys = row.value.keys(variables);
            let decides = |key: &&str| {
                let null = || row.value.get(key, variables).is_none_or(Value::is_null);
                let absent = given.before.iter().any(|before| before == key) && null();
                let free = given.free.iter().any(|free| free == key);
                !free && !absent
            };
            let decisive = keys.as_ref().map(|keys| {
                let mut decisive: Vec<&str> = keys.iter().copied().filter(decides).collect();
                decisive.sort_unstable();
                decisive
            });
            let keys = keys.unwrap_or_default();
            let next = self.key_sets.len() as u32;
            let key_set = *ids.entry((keys.clone(), decisive.clone())).or_insert(next);
            if key_set == next {
                self.key_sets.push(KeySet {
                    keys,
                    given: decisive,
                });
            }
            row.key_set = key_set;
            last = row.value.fields().map(|fields| (fields, key_set));
        }
    }

    fn pick(&self, given: &GivenRows) -> Vec<u32> {
        let mut keys: Vec<&str> = given.keys.iter().map(String::as_str).collect();
        keys.sort_unstable();
        let fits: Vec<bool> = self
            .key_sets
            .iter()
            .map(|key_set| key_set.given.as_ref() == Some(&keys))
            .collect();
        let rows = (0..).zip(&self.rows);
        rows.filter(|(_, row)| fits.get(row.key_set as usize) == Some(&true))
            .map(|(index, _)| index)
            .collect()
    }

    /// The values of the rows under a key.
    pub(super) fn values<'l>(
        &'l self,
        pick: &'l RowBatch,
        key: &'l str,
        variables: &'a Variables,
    ) -> impl Iterator<Item = (u32, Option<Cow<'a, Json>>)> + 'l {
        let places: Vec<Option<usize>> = self
            .key_sets
            .iter()
            .map(|key_set| key_set.keys.iter().position(|name| *name == key))
            .collect();
        pick.rows.iter().filter_map(move |row| {
            let found = self.rows.get(*row as usize)?;
            let index = places.get(found.key_set as usize).copied().flatten();
            Some((
                *row,
                index.and_then(|position| found.value.at(position, key, variables)),
            ))
        })
    }

    /// The indexes of the parent rows.
    pub(super) fn parents<'l>(&'l self, pick: &'l RowBatch) -> impl Iterator<Item = u32> + 'l {
        pick.rows
            .iter()
            .filter_map(|row| Some(self.rows.get(*row as usize)?.parent))
    }

    /// The path of a row in the request.
    pub(super) fn path(&self, given: &GivenRows, row: u32) -> String {
        let found = self.rows.get(row as usize);
        let mut path = match (&self.above, found) {
            (Some(above), Some(found)) => {
                let relation = given
                    .relations
                    .get(self.depth() - 1)
                    .map_or("", |(relation, _)| relation);
                format!("{}.{relation}.data", above.path(given, found.parent))
            }
            _ => given.path.clone(),
        };
        if let Some(item) = found.and_then(|found| found.item) {
            path.push_str(&format!("[{item}]"));
        }
        path
    }

    fn depth(&self) -> usize {
        self.above.as_ref().map_or(0, |above| 1 + above.depth())
    }
}

impl<'a> Value<'a> {
    /// The value; `None` if it is an omitted variable.
    fn from_template(template: &'a Template, variables: &'a Variables) -> Option<Value<'a>> {
        match template {
            Template::Json(value) => Some(Value::Json(value)),
            Template::Variable(path) => path.find(variables).map(Value::Json),
            written => Some(Value::Written(written)),
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Value::Json(Json::Null))
    }

    fn get(self, key: &str, variables: &'a Variables) -> Option<Value<'a>> {
        match self {
            Value::Json(value) => value.get(key).map(Value::Json),
            Value::Written(Template::Object(fields)) => {
                let (_, value) = fields.iter().find(|(name, _)| name == key)?;
                Value::from_template(value, variables)
            }
            Value::Written(_) => None,
        }
    }

    /// The value under a key of an object; `place` is the key's index among the present keys.
    fn at(self, index: usize, key: &str, variables: &'a Variables) -> Option<Cow<'a, Json>> {
        match self {
            Value::Json(Json::Object(fields)) => fields.values().nth(index).map(Cow::Borrowed),
            Value::Written(Template::Object(fields)) => {
                let (_, value) = fields.iter().find(|(name, _)| name == key)?;
                Some(value.fill(variables))
            }
            _ => None,
        }
    }

    fn first_of(self, keys: &[String], variables: &'a Variables) -> Option<Cow<'a, Json>> {
        let found = keys
            .iter()
            .find_map(|key| self.get(key, variables))
            .filter(|value| !value.is_null())?;
        Some(match found {
            Value::Json(value) => Cow::Borrowed(value),
            Value::Written(template) => template.fill(variables),
        })
    }

    /// The keys that are present in an object; `None` if it is not an object.
    fn keys(self, variables: &'a Variables) -> Option<Vec<&'a str>> {
        match self {
            Value::Json(Json::Object(fields)) => Some(fields.keys().map(String::as_str).collect()),
            Value::Written(Template::Object(fields)) => {
                let given = fields
                    .iter()
                    .filter(|(_, value)| Value::from_template(value, variables).is_some());
                Some(given.map(|(key, _)| key.as_str()).collect())
            }
            _ => None,
        }
    }

    fn fields(self) -> Option<&'a serde_json::Map<String, Json>> {
        match self {
            Value::Json(value) => value.as_object(),
            Value::Written(_) => None,
        }
    }

    /// Whether it has the same keys in the same order as `other`, and null under the same `before`
    /// keys.
    fn is_like(self, other: &serde_json::Map<String, Json>, before: &[String]) -> bool {
        let Some(fields) = self.fields().filter(|fields| fields.len() == other.len()) else {
            return false;
        };
        fields.keys().eq(other.keys())
            && before.iter().all(|key| {
                let null = |fields: &serde_json::Map<String, Json>| {
                    fields.get(key).is_some_and(Json::is_null)
                };
                null(fields) == null(other)
            })
    }
}
