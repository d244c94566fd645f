//! Resolves inserts: sorts the rows of an argument and their nested rows into batches by the
//! columns that they have. The values themselves become parameters ([`GivenRows`]); they are only
//! checked here.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

use super::input::{ErrorPath, InputValue, VariableUse, template};
use super::read::{MergedFields, argument};
use super::{Coercion, Resolve};
use crate::error::{Cause, Error, NameKind, RequestLimit};
use crate::graphql::variables::{Step, Template, VariablePath};
use crate::model::names::RootKind;
use crate::model::{Relation, RelationKind, Root};
use crate::postgres::catalog::{ColumnId, TableId, TableKind, TypeKind};
use crate::postgres::length_limits::LengthLimits;
use crate::resolve::selection::{Batch, Insert, Nested};
use crate::schema::{FieldDefinition, InputMeaning, InputObject, TypeKey, TypeRef};
use crate::statement::{GivenColumn, GivenRows, RowsParameter};

/// Limits on the inserts of an operation, most of which may be in variables: the number of levels
/// of rows, their nesting depth, and the number of distinct column sets over all levels. Each
/// column set is a statement of its own to Postgres, which takes some 30 kB for as long as the
/// statement is prepared.
const MAX_LEVELS: usize = 200;
const MAX_DEPTH: usize = 10;
const MAX_BATCHES: usize = 500;

/// The position of a list of rows in the request.
#[derive(Clone)]
struct Level<'m> {
    value: Arc<Template>,
    path: String,
    list: bool,
    way: Vec<(String, bool)>,
    on_conflict: Vec<String>,
    /// The relation that determines the values of some columns, and these columns.
    by: Option<(&'m Relation, Vec<ColumnId>)>,
}

/// A row, or the object of a relation, with its path.
type Item<'a> = (InputValue<'a>, ErrorPath<'static>);

/// The fields of a table's insert rows.
struct Members<'m> {
    table: TableId,
    fields: IndexMap<&'m str, Member<'m>>,
}

#[derive(Clone)]
enum Member<'m> {
    /// A column with its input. `free`: null and an absent value mean the same.
    Column {
        id: ColumnId,
        column: GivenColumn,
        free: bool,
    },
    /// A relation. `before`: its rows are inserted first, since this table has the foreign key.
    Relation {
        relation: &'m Relation,
        before: bool,
    },
    /// The placeholder field.
    Nothing,
}

/// The key of a batch, sorted: the columns that are not free, and the relations whose rows are
/// inserted first.
type BatchKey<'m> = (Vec<ColumnId>, Vec<&'m str>);

/// The rows of a level, sorted into batches.
struct SortedRows<'a, 'm> {
    /// The batches, each with all columns that occur in its rows.
    batches: IndexMap<BatchKey<'m>, Vec<ColumnId>>,
    /// The objects of each relation.
    related: HashMap<&'m str, Vec<Item<'a>>>,
}

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a root field that inserts.
    pub(super) fn insert(
        &self,
        root: &'m Root,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let name = if root.kind == RootKind::InsertOne {
            "object"
        } else {
            "objects"
        };
        let missing = || {
            at.error(Cause::Missing {
                kind: NameKind::Argument,
                name: name.to_owned(),
            })
        };
        let rows = argument(fields, name).ok_or_else(missing)?;
        let input_value = self.given(rows, VariableUse::Shape).ok_or_else(missing)?;
        let list = root.kind != RootKind::InsertOne;
        let value = Arc::new(template(rows));
        let mut insert = self.insert_given(
            root.table,
            &input_value,
            value,
            list,
            None,
            &at.argument(name),
        )?;
        let word = self.schema.spelling(root.table).field("on_conflict");
        if let Some((input_value, at)) = self.argument(
            fields,
            definition,
            word,
            "onConflict",
            VariableUse::Shape,
            at,
        )? {
            insert.on_conflict = Some(self.on_conflict(root.table, &input_value, &at)?);
            self.limit_updated_columns(&mut insert);
        }
        Ok(insert)
    }

    /// Resolves `insert` under `_related`: rows that belong to existing rows of `table` by a
    /// relation.
    pub(super) fn insert_related(
        &self,
        table: TableId,
        relation: &'m Relation,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let list = relation.kind == RelationKind::Array;
        let by = (!self.schema.holds_key(table, relation)).then(|| determined(relation));
        self.insert_given(
            relation.to,
            input_value,
            Arc::new(self.template(input_value)),
            list,
            by,
            at,
        )
    }

    fn insert_given(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        value: Arc<Template>,
        list: bool,
        by: Option<(&'m Relation, Vec<ColumnId>)>,
        at: &ErrorPath,
    ) -> Result<Insert<'m>, Error> {
        let level = Level {
            value,
            path: at.path(),
            list,
            way: Vec::new(),
            on_conflict: Vec::new(),
            by,
        };
        let rows = self.items(table, input_value, list, at)?;
        self.level(table, &level, rows)
    }

    /// The rows at a position.
    fn items(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        list: bool,
        at: &ErrorPath,
    ) -> Result<Vec<Item<'a>>, Error> {
        if input_value.is_null() {
            let named = TypeKey::Input(InputObject::Insert(table));
            let r#type = if list {
                TypeRef::required_list(named)
            } else {
                TypeRef::required(named)
            };
            return Err(at.wrong_type(input_value, self.schema.written(r#type)));
        }
        self.note_rows(input_value);
        if !list {
            return Ok(vec![(input_value.clone(), at.detached())]);
        }
        let items = self
            .list(input_value, VariableUse::Shape)
            .into_iter()
            .enumerate();
        Ok(items
            .map(|(i, item)| (item, at.item(i).detached()))
            .collect())
    }

    /// Records that the number of rows at a position does not determine the SQL text.
    fn note_rows(&self, input_value: &InputValue<'a>) {
        if let InputValue::Variable(_, path) = input_value {
            self.structure.borrow_mut().read_rows(path);
        }
    }

    fn level(
        &self,
        table: TableId,
        level: &Level<'m>,
        rows: Vec<Item<'a>>,
    ) -> Result<Insert<'m>, Error> {
        self.bound_level(level)?;
        let members = self.members(table);
        let mut sorted = self.sorted(&members, level, rows)?;
        self.bound_batches(level, sorted.batches.len())?;
        let mut insert = Insert {
            table,
            batches: vec![],
            on_conflict: None,
            before: vec![],
            after: vec![],
        };
        let mut places = HashMap::new();
        for (relation, before) in members.relations() {
            let Some(objects) = sorted.related.remove(relation.name.as_str()) else {
                continue;
            };
            let nested = self.nested(relation, before, level, &objects)?;
            if before {
                places.insert(relation.name.as_str(), insert.before.len());
                insert.before.push(nested);
            } else if !nested.insert.batches.is_empty() {
                insert.after.push(nested);
            }
        }
        insert.batches = sorted
            .batches
            .iter()
            .map(|(batch_key, columns)| members.batch(level, batch_key, columns, &places))
            .collect();
        let parameters = insert.batches.iter();
        let parameters =
            parameters.flat_map(|batch| batch.columns.iter().map(|(_, what)| (&*batch.rows, what)));
        let first = insert.batches.first().map(|batch| &*batch.rows);
        let mut budget = self.budget.get();
        GivenRows::check(first, parameters, self.variables, &mut budget)?;
        self.budget.set(budget);
        Ok(insert)
    }

    fn bound_level(&self, level: &Level<'_>) -> Result<(), Error> {
        let (columns, relations) = self.conditions.get();
        self.conditions.set((columns, relations + 1));
        let bounds = [
            (RequestLimit::InsertLevels, relations + 1, MAX_LEVELS),
            (RequestLimit::NestedInserts, level.way.len(), MAX_DEPTH),
        ];
        match bounds.into_iter().find(|(_, size, bound)| size > bound) {
            Some((limit, _, value)) => Err(Cause::Limit { limit, value }.under(level.path.clone())),
            None => Ok(()),
        }
    }

    fn bound_batches(&self, level: &Level<'_>, batches: usize) -> Result<(), Error> {
        self.batches.set(self.batches.get() + batches);
        if self.batches.get() > MAX_BATCHES {
            let limit = RequestLimit::InsertColumnSets;
            Err(Cause::Limit {
                limit,
                value: MAX_BATCHES,
            }
            .under(level.path.clone()))
        } else {
            Ok(())
        }
    }

    // ---- fields of a row

    fn members(&self, table: TableId) -> Members<'m> {
        let fields = self
            .schema
            .input_fields(InputObject::Insert(table))
            .into_iter();
        let fields = fields.map(|field| {
            let member = match field.meaning {
                InputMeaning::Column(id) => {
                    let expected = self.schema.written(field.r#type);
                    let column = GivenColumn {
                        key: field.name.to_owned(),
                        input: self.input(table, id),
                        expected,
                    };
                    Member::Column {
                        id,
                        column,
                        free: self.is_free(table, id),
                    }
                }
                InputMeaning::Relation(relation) => Member::Relation {
                    relation,
                    before: self.schema.holds_key(table, relation),
                },
                _ => Member::Nothing,
            };
            (field.name, member)
        });
        Members {
            table,
            fields: fields.collect(),
        }
    }

    fn input(&self, table: TableId, column: ColumnId) -> crate::postgres::types::Input {
        let modifier = self.schema.model().table(table).column(column).modifier;
        let input = self
            .schema
            .column_scalar(table, column)
            .column_input(modifier);
        let input = if self.coercion == Coercion::Loose {
            input.loosened()
        } else {
            input
        };
        let grant = self.schema.access().insert(table);
        match grant.and_then(|grant| grant.lengths.get(&column)) {
            Some(limits) => input.limited(*limits),
            None => input,
        }
    }

    /// Limits the values of columns that an upsert updates also as the grant to update does.
    fn limit_updated_columns(&self, insert: &mut Insert<'m>) {
        let Some(grant) = self.schema.access().update(insert.table) else {
            return;
        };
        let updated = insert.on_conflict.iter();
        let updated = updated.flat_map(|conflict| &conflict.columns);
        let limits: HashMap<ColumnId, LengthLimits> = updated
            .filter_map(|column| Some((*column, *grant.lengths.get(column)?)))
            .collect();
        if limits.is_empty() {
            return;
        }
        for (column, parameter) in insert
            .batches
            .iter_mut()
            .flat_map(|batch| &mut batch.columns)
        {
            if let (Some(limits), RowsParameter::Column(given) | RowsParameter::Value(given)) =
                (limits.get(column), parameter)
            {
                given.input = given.input.clone().limited(*limits);
            }
        }
    }

    /// Whether null and an absent value mean the same for a column: it has neither default,
    /// identity nor generation expression, is not of a domain type, and belongs to a table, not to
    /// a view.
    fn is_free(&self, table: TableId, column: ColumnId) -> bool {
        let catalog = self.schema.model().catalog();
        let entry = catalog.table(table);
        let column = entry.column(column);
        let domain = catalog
            .type_of(column.r#type)
            .is_none_or(|of| matches!(of.kind, TypeKind::Domain(_)));
        matches!(entry.kind, TableKind::Table | TableKind::Partitioned)
            && (column.default.is_none()
                && column.identity.is_none()
                && column.generated.is_none()
                && !domain)
    }

    // ---- rows

    fn sorted(
        &self,
        members: &Members<'m>,
        level: &Level<'m>,
        rows: Vec<Item<'a>>,
    ) -> Result<SortedRows<'a, 'm>, Error> {
        let mut sorted = SortedRows {
            batches: IndexMap::new(),
            related: HashMap::new(),
        };
        let mut noted: Option<VariablePath> = None;
        let mut last: Option<&Map<String, Json>> = None;
        for (input_value, at) in rows {
            let input = InputObject::Insert(members.table);
            let input_value = self.object_of(&input_value, input, &at)?;
            if let InputValue::Variable(Json::Object(fields), path) = &input_value {
                if noted.as_ref().is_none_or(|noted| !noted.is_alike(path)) {
                    let relations = members
                        .relations()
                        .map(|(relation, _)| relation.name.as_str());
                    self.structure.borrow_mut().read_keys(path, relations);
                    noted = Some(path.clone());
                }
                // Most rows have the keys of the row before.
                if last
                    .is_some_and(|last| last.len() == fields.len() && last.keys().eq(fields.keys()))
                {
                    continue;
                }
                last = None;
                if self.row(members, level, &input_value, &at, &mut sorted)? {
                    last = Some(fields);
                }
            } else {
                self.row(members, level, &input_value, &at, &mut sorted)?;
            }
        }
        Ok(sorted)
    }

    /// Sorts a row into its batch. Returns whether it consists of columns only.
    fn row(
        &self,
        members: &Members<'m>,
        level: &Level<'m>,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        sorted: &mut SortedRows<'a, 'm>,
    ) -> Result<bool, Error> {
        let mut columns = Vec::new();
        let mut relations = Vec::new();
        let mut plain = true;
        for (key, value) in self.entries(input_value, at)? {
            let input = InputObject::Insert(members.table);
            let (name, member) = members
                .fields
                .get_key_value(key)
                .ok_or_else(|| self.unknown_key(input, key, &at.key(key)))?;
            match member {
                Member::Column { id, free, .. } if self.is_given(&value) => {
                    columns.push((*id, *free));
                }
                Member::Column { .. } | Member::Nothing => {}
                Member::Relation { relation, before } => {
                    plain = false;
                    self.note_rows(&value);
                    let Some(value) = self
                        .read(&value, VariableUse::Shape)
                        .filter(|value| !value.is_null())
                    else {
                        continue;
                    };
                    if *before {
                        relations.push((*name, *relation));
                    }
                    sorted
                        .related
                        .entry(name)
                        .or_default()
                        .push((value, at.key(key).detached()));
                }
            }
        }
        self.check_determined(members, level, &columns, &relations, at)?;
        let mut batch_key: BatchKey<'m> = (
            Vec::new(),
            relations.into_iter().map(|(name, _)| name).collect(),
        );
        batch_key
            .0
            .extend(columns.iter().filter(|(_, free)| !free).map(|(id, _)| *id));
        batch_key.0.sort_unstable();
        batch_key.1.sort_unstable();
        let batch_columns = sorted.batches.entry(batch_key).or_default();
        batch_columns.extend(columns.into_iter().map(|(id, _)| id));
        batch_columns.sort_unstable();
        batch_columns.dedup();
        Ok(plain)
    }

    /// Rejects columns whose value a relation determines, and relations that determine the same
    /// column.
    fn check_determined(
        &self,
        members: &Members<'m>,
        level: &Level<'m>,
        columns: &[(ColumnId, bool)],
        relations: &[(&'m str, &'m Relation)],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let mut assigned: Vec<ColumnId> = columns.iter().map(|(id, _)| *id).collect();
        if let Some((relation, by)) = &level.by {
            if let Some(column) = by.iter().find(|column| assigned.contains(column)) {
                return Err(at.error(self.determined(members.table, *column, relation, true)));
            }
            assigned.extend(by);
        }
        for (name, relation) in relations {
            if let Some((column, _)) = relation.on.iter().find(|(here, _)| assigned.contains(here))
            {
                return Err(at.key(name).error(self.determined(
                    members.table,
                    *column,
                    relation,
                    false,
                )));
            }
            assigned.extend(relation.on.iter().map(|(here, _)| here));
        }
        Ok(())
    }

    /// The error names the relation instead of a column that the role may not name.
    fn determined(
        &self,
        table: TableId,
        column: ColumnId,
        relation: &Relation,
        is_related: bool,
    ) -> Cause {
        let name = self
            .schema
            .model()
            .exposed(table)
            .and_then(|exposed| exposed.column_name(column));
        let name = name
            .filter(|_| self.schema.knows(table, column))
            .unwrap_or(&relation.name);
        Cause::Determined {
            column: name.to_owned(),
            relation: relation.name.clone(),
            is_related,
        }
    }

    // ---- nested rows

    fn nested(
        &self,
        relation: &'m Relation,
        before: bool,
        level: &Level<'m>,
        objects: &[Item<'a>],
    ) -> Result<Nested<'m>, Error> {
        let list = relation.kind == RelationKind::Array;
        let input = if list {
            InputObject::ArrayInsert(relation.to)
        } else {
            InputObject::ObjectInsert(relation.to)
        };
        let mut rows = Vec::new();
        let mut on_conflict = None;
        let mut names = Vec::new();
        for (index, (input_value, at)) in objects.iter().enumerate() {
            let mut data = None;
            for (key, value) in self.entries(&self.object_of(input_value, input, at)?, at)? {
                let at = at.key(key);
                let field = self
                    .schema
                    .input_field(input, key)
                    .ok_or_else(|| self.unknown_key(input, key, &at))?;
                let value = self.read(&value, VariableUse::Shape);
                match (field.meaning, value) {
                    (InputMeaning::Data, value) => data = value.map(|value| (value, at)),
                    (_, Some(value)) if index == 0 && !value.is_null() => {
                        on_conflict = Some((value, at));
                    }
                    _ => {}
                }
            }
            let missing = || {
                at.error(Cause::Missing {
                    kind: NameKind::Field,
                    name: "data".into(),
                })
            };
            let (data, at) = data.ok_or_else(missing)?;
            rows.extend(self.items(relation.to, &data, list, &at)?);
        }
        let fields = self.schema.input_fields(input).into_iter();
        names.extend(
            fields
                .filter(|f| matches!(f.meaning, InputMeaning::OnConflict))
                .map(|f| f.name.to_owned()),
        );
        let way = level
            .way
            .iter()
            .cloned()
            .chain([(relation.name.clone(), list)])
            .collect();
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
        if let Some((input_value, at)) = on_conflict {
            insert.on_conflict =
                Some(self.on_conflict(relation.to, &level.first(input_value), &at)?);
            self.limit_updated_columns(&mut insert);
        }
        let path = objects
            .first()
            .map_or_else(|| level.path.clone(), |object| level.first_place(object));
        Ok(Nested {
            relation,
            path,
            insert,
        })
    }
}

/// The columns of related rows whose values the relation determines.
fn determined(relation: &Relation) -> (&Relation, Vec<ColumnId>) {
    (
        relation,
        relation.on.iter().map(|(_, there)| *there).collect(),
    )
}

impl Level<'_> {
    /// Replaces list indexes inside the rows by [`Step::First`]: which row is the first to have the
    /// value depends on the request.
    fn first<'a>(&self, input_value: InputValue<'a>) -> InputValue<'a> {
        let InputValue::Variable(value, VariablePath { name, mut steps }) = input_value else {
            return input_value;
        };
        let outside = match &*self.value {
            Template::Variable(path) => path.steps.len(),
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
    /// The path of a relation's first object. In a variable it is that of the first row, since
    /// which row is the first to have the relation depends on the request.
    fn first_place(&self, (input_value, at): &Item<'_>) -> String {
        let path = at.path();
        let (outside, inside) = path
            .split_at_checked(self.path.len())
            .unwrap_or((&path, ""));
        match input_value {
            InputValue::Literal(_) => path,
            InputValue::Variable(..) => {
                let mut steps = inside
                    .split('[')
                    .map(|step| step.trim_start_matches(|c: char| c.is_ascii_digit()));
                let first = steps.next().unwrap_or_default();
                steps.fold(format!("{outside}{first}"), |path, step| {
                    format!("{path}[0{step}")
                })
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
        (decisive, relations): &BatchKey<'m>,
        columns: &[ColumnId],
        places: &HashMap<&str, usize>,
    ) -> Batch {
        let mut rows = GivenRows {
            value: level.value.clone(),
            path: level.path.clone(),
            list: level.list,
            relations: level.way.clone(),
            keys: relations.iter().map(|name| (*name).to_owned()).collect(),
            before: Vec::new(),
            free: Vec::new(),
            on_conflict: level.on_conflict.clone(),
        };
        let mut present = Vec::new();
        for (name, member) in &self.fields {
            let name = (*name).to_owned();
            match member {
                Member::Column { id, column, free } => {
                    if columns.contains(id) {
                        present.push((*id, column.clone()));
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
        let what = if rows.is_single() {
            RowsParameter::Value
        } else {
            RowsParameter::Column
        };
        let columns = present
            .into_iter()
            .map(|(id, column)| (id, what(column)))
            .collect();
        let before = relations
            .iter()
            .filter_map(|name| places.get(name).copied())
            .collect();
        Batch {
            rows: Arc::new(rows),
            columns,
            before,
        }
    }
}
