//! Inserts: rows that an argument gives, and those that hang on them, by what is given of each.
//!
//! The rows themselves are parameters ([`GivenRows`]); here they are only sorted into batches, and their values checked.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

use super::input::{ErrorPath, InputValue, VariableUse, template};
use super::read::{MergedFields, argument};
use super::{Coercion, Resolve};
use crate::error::{Cause, Error};
use crate::graphql::variables::{Step, Template, VariablePath};
use crate::model::names::RootKind;
use crate::model::{Relation, RelationKind, Root};
use crate::postgres::catalog::{ColumnId, TableId, TableKind, TypeKind};
use crate::resolve::selection::{Batch, Insert, Nested};
use crate::schema::{FieldDefinition, InputMeaning, InputObject, TypeKey, TypeRef};
use crate::statement::{GivenColumn, GivenRows, RowsParameter};

/// Bounds on the inserts of an operation, most of which may stand in variables: on levels of rows, on levels inside each
/// other, and on sets of columns at all levels together, each of which is a statement of its own to Postgres, and costs it
/// some 30 kB for as long as the statement is held.
const LEVELS: usize = 200;
const DEPTH: usize = 10;
const BATCHES: usize = 500;

/// Where rows stand in the request.
#[derive(Clone)]
struct Level<'m> {
    value: Arc<Template>,
    path: String,
    list: bool,
    way: Vec<(String, bool)>,
    on_conflict: Vec<String>,
    /// What says the values of some columns: the relation that leads here, and the columns.
    by: Option<(&'m Relation, Vec<ColumnId>)>,
}

/// A row, or the object of a relation, with its place.
type Item<'a> = (InputValue<'a>, ErrorPath);

/// What may be given of the rows of a table.
struct Members<'m> {
    table: TableId,
    fields: IndexMap<&'m str, Member<'m>>,
}

#[derive(Clone)]
enum Member<'m> {
    /// A column with what fits it; free where null and nothing are the same.
    Column { id: ColumnId, column: GivenColumn, free: bool },
    /// A relation; its rows go before where this table holds its key.
    Relation { relation: &'m Relation, before: bool },
    /// Nothing.
    Nothing,
}

/// What is given of a row, sorted: columns that are not free, and names of relations whose rows go before.
type Form<'m> = (Vec<ColumnId>, Vec<&'m str>);

/// The rows of a level while they are sorted.
struct Sorted<'a, 'm> {
    /// Those of which the same is given, with all columns that some of them give.
    batches: IndexMap<Form<'m>, Vec<ColumnId>>,
    /// The objects of relations.
    related: HashMap<&'m str, Vec<Item<'a>>>,
}

impl<'a, 'm> Resolve<'a, 'm> {
    /// A root field that inserts.
    pub(super) fn insert(
        &self,
        root: &'m Root,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let name = if root.kind == RootKind::InsertOne { "object" } else { "objects" };
        let missing = || at.error(Cause::Missing { what: "argument", name: name.to_owned() });
        let rows = argument(fields, name).ok_or_else(missing)?;
        let given = self.given(rows, VariableUse::Shape).ok_or_else(missing)?;
        let (list, value) = (root.kind != RootKind::InsertOne, Arc::new(template(rows)));
        let mut insert = self.insert_given(root.table, &given, value, list, None, &at.argument(name))?;
        let word = self.schema.spelling(root.table).field("on_conflict");
        if let Some((given, at)) = self.argument(fields, definition, word, "onConflict", VariableUse::Shape, at)? {
            insert.on_conflict = Some(self.on_conflict(root.table, &given, &at)?);
        }
        Ok(insert)
    }

    /// Rows that are inserted over a relation from rows that are there: `insert` under `_related` of a table.
    pub(super) fn insert_related(
        &self,
        table: TableId,
        relation: &'m Relation,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let list = relation.kind == RelationKind::Array;
        let by = (!self.schema.holds_key(table, relation)).then(|| determined(relation));
        self.insert_given(relation.to, given, Arc::new(self.template(given)), list, by, at)
    }

    fn insert_given(
        &self,
        table: TableId,
        given: &InputValue<'a>,
        value: Arc<Template>,
        list: bool,
        by: Option<(&'m Relation, Vec<ColumnId>)>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let level = Level { value, path: at.path.clone(), list, way: Vec::new(), on_conflict: Vec::new(), by };
        let rows = self.items(table, given, list, at)?;
        self.level(table, &level, rows)
    }

    /// The rows that stand at a place.
    fn items(
        &self,
        table: TableId,
        given: &InputValue<'a>,
        list: bool,
        at: &ErrorPath,
    ) -> Result<Vec<Item<'a>>, Error> {
        if given.is_null() {
            let named = TypeKey::Input(InputObject::Insert(table));
            let r#type = if list { TypeRef::required_list(named) } else { TypeRef::required(named) };
            return Err(at.wrong_type(given, &self.schema.written(r#type)));
        }
        self.note_rows(given);
        if !list {
            return Ok(vec![(given.clone(), at.clone())]);
        }
        let items = self.list(given, VariableUse::Shape).into_iter().enumerate();
        Ok(items.map(|(i, item)| (item, at.item(i))).collect())
    }

    /// Notes that how many rows stand at a place decides nothing.
    fn note_rows(&self, given: &InputValue<'a>) {
        if let InputValue::Variable(_, place) = given {
            self.structure.borrow_mut().read_rows(place);
        }
    }

    fn level(&self, table: TableId, level: &Level<'m>, rows: Vec<Item<'a>>) -> Result<Insert<'m>, Error> {
        self.bound_level(level)?;
        let members = self.members(table);
        let mut sorted = self.sorted(&members, level, rows)?;
        self.bound_batches(level, sorted.batches.len())?;
        let mut insert = Insert { table, batches: vec![], on_conflict: None, before: vec![], after: vec![] };
        let mut places = HashMap::new();
        for (relation, before) in members.relations() {
            let Some(objects) = sorted.related.remove(relation.name.as_str()) else { continue };
            let nested = self.nested(relation, before, level, &objects)?;
            if before {
                places.insert(relation.name.as_str(), insert.before.len());
                insert.before.push(nested);
            } else if !nested.insert.batches.is_empty() {
                insert.after.push(nested);
            }
        }
        insert.batches =
            sorted.batches.iter().map(|(form, columns)| members.batch(level, form, columns, &places)).collect();
        let given = insert.batches.iter();
        let given = given.flat_map(|batch| batch.columns.iter().map(|(_, what)| (&*batch.rows, what)));
        let (first, mut room) = (insert.batches.first().map(|batch| &*batch.rows), self.room.get());
        GivenRows::check(first, given, self.variables, &mut room)?;
        self.room.set(room);
        Ok(insert)
    }

    fn bound_level(&self, level: &Level<'_>) -> Result<(), Error> {
        let (columns, relations) = self.conditions.get();
        self.conditions.set((columns, relations + 1));
        let bounds =
            [("levels of inserted rows", relations + 1, LEVELS), ("inserts inside each other", level.way.len(), DEPTH)];
        match bounds.into_iter().find(|(_, size, bound)| size > bound) {
            Some((limit, _, value)) => Err(Cause::Limit { limit, value }.under(level.path.clone())),
            None => Ok(()),
        }
    }

    fn bound_batches(&self, level: &Level<'_>, batches: usize) -> Result<(), Error> {
        self.batches.set(self.batches.get() + batches);
        match self.batches.get() > BATCHES {
            true => {
                let limit = "sets of columns among the rows of an insert";
                Err(Cause::Limit { limit, value: BATCHES }.under(level.path.clone()))
            }
            false => Ok(()),
        }
    }

    // ---- what may be given

    fn members(&self, table: TableId) -> Members<'m> {
        let fields = self.schema.input_fields(InputObject::Insert(table)).into_iter();
        let fields = fields.map(|field| {
            let member = match field.meaning {
                InputMeaning::Column(id) => {
                    let expected = self.schema.written(field.r#type);
                    let column = GivenColumn { key: field.name.to_owned(), input: self.input(table, id), expected };
                    Member::Column { id, column, free: self.is_free(table, id) }
                }
                InputMeaning::Relation(relation) => {
                    Member::Relation { relation, before: self.schema.holds_key(table, relation) }
                }
                _ => Member::Nothing,
            };
            (field.name, member)
        });
        Members { table, fields: fields.collect() }
    }

    fn input(&self, table: TableId, column: ColumnId) -> crate::postgres::types::Input {
        let modifier = self.schema.model().table(table).column(column).modifier;
        let input = self.schema.column_scalar(table, column).column_input(modifier);
        if self.coercion == Coercion::Loose { input.loosened() } else { input }
    }

    /// Whether null and nothing are the same for a column: nothing else stands in when it is not given.
    fn is_free(&self, table: TableId, column: ColumnId) -> bool {
        let catalog = self.schema.model().catalog();
        let entry = catalog.table(table);
        let column = entry.column(column);
        let domain = catalog.type_of(column.r#type).is_none_or(|of| matches!(of.kind, TypeKind::Domain(_)));
        matches!(entry.kind, TableKind::Table | TableKind::Partitioned)
            && (column.default.is_none() && column.identity.is_none() && column.generated.is_none() && !domain)
    }

    // ---- rows

    fn sorted(&self, members: &Members<'m>, level: &Level<'m>, rows: Vec<Item<'a>>) -> Result<Sorted<'a, 'm>, Error> {
        let mut sorted = Sorted { batches: IndexMap::new(), related: HashMap::new() };
        let (mut noted, mut last): (Option<VariablePath>, Option<&Map<String, Json>>) = (None, None);
        for (given, at) in rows {
            let input = InputObject::Insert(members.table);
            let given = self.object_of(&given, input, &at)?;
            if let InputValue::Variable(Json::Object(fields), place) = &given {
                if noted.as_ref().is_none_or(|noted| !noted.is_alike(place)) {
                    let relations = members.relations().map(|(relation, _)| relation.name.as_str());
                    self.structure.borrow_mut().read_keys(place, relations);
                    noted = Some(place.clone());
                }
                // Most rows are like the one before.
                if last.is_some_and(|last| last.len() == fields.len() && last.keys().eq(fields.keys())) {
                    continue;
                }
                last = None;
                if self.row(members, level, &given, &at, &mut sorted)? {
                    last = Some(fields);
                }
            } else {
                self.row(members, level, &given, &at, &mut sorted)?;
            }
        }
        Ok(sorted)
    }

    /// Sorts a row. Says whether it gives columns alone.
    fn row(
        &self,
        members: &Members<'m>,
        level: &Level<'m>,
        given: &InputValue<'a>,
        at: &ErrorPath,
        sorted: &mut Sorted<'a, 'm>,
    ) -> Result<bool, Error> {
        let (mut columns, mut relations) = (Vec::new(), Vec::new());
        let mut plain = true;
        for (key, value) in self.entries(given, at)? {
            let input = InputObject::Insert(members.table);
            let (name, member) =
                members.fields.get_key_value(key).ok_or_else(|| self.unknown_key(input, key, &at.key(key)))?;
            match member {
                Member::Column { id, free, .. } if self.is_given(&value) => columns.push((*id, *free)),
                Member::Column { .. } | Member::Nothing => {}
                Member::Relation { relation, before } => {
                    plain = false;
                    self.note_rows(&value);
                    let Some(value) = self.read(&value, VariableUse::Shape).filter(|value| !value.is_null()) else {
                        continue;
                    };
                    if *before {
                        relations.push((*name, *relation));
                    }
                    sorted.related.entry(name).or_default().push((value, at.key(key)));
                }
            }
        }
        self.check_determined(members, level, &columns, &relations, at)?;
        let mut form: Form<'m> = (Vec::new(), relations.into_iter().map(|(name, _)| name).collect());
        form.0.extend(columns.iter().filter(|(_, free)| !free).map(|(id, _)| *id));
        form.0.sort_unstable();
        form.1.sort_unstable();
        let given = sorted.batches.entry(form).or_default();
        given.extend(columns.into_iter().map(|(id, _)| id));
        given.sort_unstable();
        given.dedup();
        Ok(plain)
    }

    /// Refuses columns that a relation says too, and relations that say what another says.
    fn check_determined(
        &self,
        members: &Members<'m>,
        level: &Level<'m>,
        columns: &[(ColumnId, bool)],
        relations: &[(&'m str, &'m Relation)],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let mut said: Vec<ColumnId> = columns.iter().map(|(id, _)| *id).collect();
        if let Some((relation, by)) = &level.by {
            if let Some(column) = by.iter().find(|column| said.contains(column)) {
                return Err(at.error(self.determined(members.table, *column, relation, true)));
            }
            said.extend(by);
        }
        for (name, relation) in relations {
            if let Some((column, _)) = relation.on.iter().find(|(here, _)| said.contains(here)) {
                return Err(at.key(name).error(self.determined(members.table, *column, relation, false)));
            }
            said.extend(relation.on.iter().map(|(here, _)| here));
        }
        Ok(())
    }

    /// A column that the role cannot name is told by the relation's name.
    fn determined(&self, table: TableId, column: ColumnId, relation: &Relation, is_related: bool) -> Cause {
        let name = self.schema.model().exposed(table).and_then(|exposed| exposed.column_name(column));
        let name = name.filter(|_| self.schema.knows(table, column)).unwrap_or(&relation.name);
        Cause::Determined { column: name.to_owned(), relation: relation.name.clone(), is_related }
    }

    // ---- rows that come with others

    fn nested(
        &self,
        relation: &'m Relation,
        before: bool,
        level: &Level<'m>,
        objects: &[Item<'a>],
    ) -> Result<Nested<'m>, Error> {
        let list = relation.kind == RelationKind::Array;
        let input = if list { InputObject::ArrayInsert(relation.to) } else { InputObject::ObjectInsert(relation.to) };
        let (mut rows, mut on_conflict, mut names) = (Vec::new(), None, Vec::new());
        for (place, (given, at)) in objects.iter().enumerate() {
            let mut data = None;
            for (key, value) in self.entries(&self.object_of(given, input, at)?, at)? {
                let at = at.key(key);
                let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, &at))?;
                let value = self.read(&value, VariableUse::Shape);
                match (field.meaning, value) {
                    (InputMeaning::Data, value) => data = value.map(|value| (value, at)),
                    (_, Some(value)) if place == 0 && !value.is_null() => on_conflict = Some((value, at)),
                    _ => {}
                }
            }
            let missing = || at.error(Cause::Missing { what: "field", name: "data".into() });
            let (data, at) = data.ok_or_else(missing)?;
            rows.extend(self.items(relation.to, &data, list, &at)?);
        }
        let fields = self.schema.input_fields(input).into_iter();
        names.extend(fields.filter(|f| matches!(f.meaning, InputMeaning::OnConflict)).map(|f| f.name.to_owned()));
        let way = level.way.iter().cloned().chain([(relation.name.clone(), list)]).collect();
        let by = (!before).then(|| determined(relation));
        let below = Level {
            value: level.value.clone(),
            path: level.path.clone(),
            list: level.list,
            way,
            on_conflict: names,
            by,
        };
        let mut insert = self.level(relation.to, &below, rows)?;
        if let Some((given, at)) = on_conflict {
            insert.on_conflict = Some(self.on_conflict(relation.to, &level.first(given), &at)?);
        }
        let path = objects.first().map_or_else(|| level.path.clone(), |object| level.first_place(object));
        Ok(Nested { relation, path, insert })
    }
}

/// The columns of rows that go after, which the relation to them says.
fn determined(relation: &Relation) -> (&Relation, Vec<ColumnId>) {
    (relation, relation.on.iter().map(|(_, there)| *there).collect())
}

impl Level<'_> {
    /// A value that is the same wherever it stands in rows of this level: which row is the first to have it depends on
    /// the request.
    fn first<'a>(&self, given: InputValue<'a>) -> InputValue<'a> {
        let InputValue::Variable(value, VariablePath { name, mut steps }) = given else { return given };
        let outside = match &*self.value {
            Template::Variable(place) => place.steps.len(),
            _ => 0,
        };
        for step in steps.iter_mut().skip(outside) {
            if let Step::Item(_) = step {
                *step = Step::First;
            }
        }
        InputValue::Variable(value, VariablePath { name, steps })
    }
}

impl Level<'_> {
    /// The place of the first object of a relation. In a variable it is told as that of the first row, since which row is
    /// the first to have it depends on the request.
    fn first_place(&self, (given, at): &Item<'_>) -> String {
        let (outside, inside) = at.path.split_at_checked(self.path.len()).unwrap_or((&at.path, ""));
        match given {
            InputValue::Literal(_) => at.path.clone(),
            InputValue::Variable(..) => {
                let mut steps = inside.split('[').map(|step| step.trim_start_matches(|c: char| c.is_ascii_digit()));
                let first = steps.next().unwrap_or_default();
                steps.fold(format!("{outside}{first}"), |path, step| format!("{path}[0{step}"))
            }
        }
    }
}

impl<'m> Members<'m> {
    fn relations(&self) -> impl Iterator<Item = (&'m Relation, bool)> {
        self.fields.values().filter_map(|member| match member {
            Member::Relation { relation, before } => Some((*relation, *before)),
            _ => None,
        })
    }

    fn batch(
        &self,
        level: &Level<'_>,
        (decisive, relations): &Form<'m>,
        columns: &[ColumnId],
        places: &HashMap<&str, usize>,
    ) -> Batch {
        let mut rows = GivenRows {
            value: level.value.clone(),
            path: level.path.clone(),
            list: level.list,
            way: level.way.clone(),
            keys: relations.iter().map(|name| (*name).to_owned()).collect(),
            before: Vec::new(),
            free: Vec::new(),
            on_conflict: level.on_conflict.clone(),
        };
        let mut given = Vec::new();
        for (name, member) in &self.fields {
            let name = (*name).to_owned();
            match member {
                Member::Column { id, column, free } => {
                    if columns.contains(id) {
                        given.push((*id, column.clone()));
                    }
                    if *free {
                        rows.free.push(name);
                    } else if decisive.contains(id) {
                        rows.keys.push(name);
                    }
                }
                Member::Relation { before: true, .. } => rows.before.push(name),
                Member::Relation { before: false, .. } | Member::Nothing => rows.free.push(name),
            }
        }
        let what = if rows.is_single() { RowsParameter::Value } else { RowsParameter::Column };
        let columns = given.into_iter().map(|(id, column)| (id, what(column))).collect();
        let before = relations.iter().filter_map(|name| places.get(name).copied()).collect();
        Batch { rows: Arc::new(rows), columns, before }
    }
}
