//! Generates random mutations that a role's schema allows and that mostly succeed: values fit their
//! columns, and rows get most of the columns they need. Any value may be a variable instead.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sql::model::ExposedTable;
use sql::model::access::Access;
use sql::model::names::RootKind;
use sql::model::update_operators::UpdateOperator;
use sql::postgres::catalog::{ColumnId, TableId};
use sql::schema::{
    FieldDefinition, InputField, InputMeaning, InputObject, Meaning, Object, Schema, TypeKey,
    TypeRef,
};

use crate::choices::Choices;
use crate::documents::literal;
use crate::writes::{of, pool};

/// A mutation of one or several root fields, `f0`, `f1` and so on.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// Its text.
    pub document: String,
    /// Its variables.
    pub variables: Json,
    /// Its root fields.
    pub fields: Vec<Asked>,
}

/// A root field of a mutation.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What it does.
    pub kind: RootKind,
    /// The table that it writes.
    pub table: TableId,
    /// The selection of rows; `None` where the role may not read them.
    pub selection: Option<String>,
}

/// A value, which is written differently in a document and in JSON variables.
enum GeneratedValue {
    Value(Json),
    Enum(String),
    List(Vec<GeneratedValue>),
    Object(Vec<(String, GeneratedValue)>),
    Variable(usize),
}

/// The state of the generator.
struct Maker<'m> {
    schema: Schema<'m>,
    access: &'m Access,
    declared: String,
    variables: Map<String, Json>,
    /// Whether the current value is already inside a variable.
    inside: bool,
}

impl Mutation {
    /// Generates a mutation of this number of root fields that write tables, for a role.
    pub fn random(access: &Access, fields: usize, choices: &mut Choices<'_>) -> Option<Mutation> {
        let schema = Schema::new(access);
        let roots: Vec<_> = schema
            .fields(Object::Mutation)
            .into_iter()
            .filter(|f| root(f).is_some())
            .collect();
        let mut maker = Maker {
            schema,
            access,
            declared: String::new(),
            variables: Map::new(),
            inside: false,
        };
        let mut text = String::new();
        let mut asked = Vec::new();
        for index in 0..fields {
            let field = choices.pick(&roots)?;
            let (kind, table) = root(field)?;
            let arguments = maker.arguments(field, choices);
            let row = schema.fields(Object::Row(table));
            let deletes = matches!(kind, RootKind::Delete | RootKind::DeleteOne);
            let shown =
                (!schema.columns(table).is_empty()).then(|| maker.shown(&row, !deletes, choices));
            let one = matches!(field.r#type.named, TypeKey::Object(Object::Row(_)));
            let response = match (&shown, one) {
                (Some(shown), true) => shown.clone(),
                (Some(shown), false) => format!("affected_rows returning {{ {shown} }}"),
                (None, _) => "affected_rows".to_owned(),
            };
            let _ = write!(
                text,
                " f{index}: {}({arguments}) {{ {response} }}",
                field.name
            );
            asked.push(Asked {
                kind,
                table,
                selection: shown,
            });
        }
        let declared = if maker.declared.is_empty() {
            String::new()
        } else {
            format!("({})", maker.declared)
        };
        let document = format!("mutation {declared} {{{text} }}");
        Some(Mutation {
            document,
            variables: Json::Object(maker.variables),
            fields: asked,
        })
    }
}

fn root(field: &FieldDefinition<'_>) -> Option<(RootKind, TableId)> {
    if let Meaning::Root(root) = field.meaning {
        Some((root.kind, root.table))
    } else {
        None
    }
}

impl<'m> Maker<'m> {
    // ---- what is shown

    /// A selection: columns, always including the first, and related rows.
    fn shown(
        &self,
        row: &[FieldDefinition<'m>],
        related: bool,
        choices: &mut Choices<'_>,
    ) -> String {
        let mut text = String::from("__typename");
        for field in row {
            match field.meaning {
                Meaning::Column(_) if choices.percent(60) => {
                    let _ = write!(text, " {}", field.name);
                }
                Meaning::Object(relation) if related && choices.percent(25) => {
                    let _ = write!(
                        text,
                        " {} {{ {} }}",
                        field.name,
                        self.columns(relation.to).join(" ")
                    );
                }
                Meaning::Array(relation) if related && choices.percent(20) => {
                    let columns = self.columns(relation.to);
                    let order: Vec<_> = columns
                        .iter()
                        .map(|name| format!("{{{name}: asc}}"))
                        .collect();
                    let _ = write!(
                        text,
                        " {}(order_by: [{}]) {{ {} }}",
                        field.name,
                        order.join(", "),
                        columns.join(" ")
                    );
                }
                _ => {}
            }
        }
        text
    }

    /// The columns of a table that can be sorted by.
    fn columns(&self, table: TableId) -> Vec<&'m str> {
        let columns = self.schema.columns(table).into_iter();
        columns
            .map(|(_, name)| name)
            .filter(|name| !["options", "data", "plain"].contains(name))
            .collect()
    }

    // ---- arguments

    fn arguments(&mut self, field: &FieldDefinition<'m>, choices: &mut Choices<'_>) -> String {
        let is_change = |name: &str| name.starts_with('_');
        let some: Vec<_> = field
            .arguments
            .iter()
            .filter(|a| is_change(a.name))
            .map(|a| a.name)
            .collect();
        let chosen = [
            choices.pick(&some).copied(),
            choices.pick(&some).copied().filter(|_| choices.percent(40)),
        ];
        let mut text = String::new();
        for argument in &field.arguments {
            let given = argument.r#type.required
                || chosen.contains(&Some(argument.name))
                || (argument.name == "on_conflict" && choices.percent(35))
                || (argument.name == "if_match" && choices.percent(6));
            if given {
                // The arguments of a deletion by key are columns.
                let column = root(field).and_then(|(_, table)| {
                    Some((table, self.exposed(table)?.column(argument.name)?))
                });
                let value = self.value(argument.r#type, column, 3, choices);
                let _ = write!(text, "{}: {} ", argument.name, value.text());
            }
        }
        text
    }

    fn value(
        &mut self,
        type_ref: TypeRef,
        column: Option<(TableId, ColumnId)>,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        if self.inside || !choices.percent(20) {
            return self.written(type_ref, column, depth, choices);
        }
        self.inside = true;
        let value = self.written(type_ref, column, depth, choices).json();
        self.inside = false;
        let number = self.variables.len();
        let _ = write!(
            self.declared,
            "$v{number}: {} ",
            self.schema.written(type_ref)
        );
        self.variables.insert(format!("v{number}"), value);
        GeneratedValue::Variable(number)
    }

    fn written(
        &mut self,
        type_ref: TypeRef,
        column: Option<(TableId, ColumnId)>,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        if type_ref.list {
            let item = TypeRef {
                list: false,
                required: true,
                ..type_ref
            };
            let length = if matches!(type_ref.named, TypeKey::Enum(_)) {
                choices.below(4)
            } else {
                1 + choices.below(2)
            };
            return GeneratedValue::List(
                (0..length)
                    .map(|_| self.value(item, column, depth, choices))
                    .collect(),
            );
        }
        match (type_ref.named, column) {
            (TypeKey::Input(input), _) => {
                GeneratedValue::Object(self.fields(input, depth, choices))
            }
            (TypeKey::Enum(of), None) => GeneratedValue::Enum(
                choices
                    .pick(&self.schema.values(of))
                    .copied()
                    .unwrap_or_default()
                    .into(),
            ),
            (named, Some((table, column))) => {
                let model = self.access.model();
                let value = pool(model.catalog(), model.table(table).column(column), choices).json;
                match (named, value) {
                    (TypeKey::Enum(_), Json::String(name)) => GeneratedValue::Enum(name),
                    (_, value) => GeneratedValue::Value(value),
                }
            }
            (TypeKey::Scalar(oid), None) => GeneratedValue::Value(
                of(self.access.model().catalog(), oid, choices)
                    .map_or(json!(1), |value| value.json),
            ),
            (named, None) if self.schema.name(named) == "String" => {
                GeneratedValue::Value(json!("a"))
            }
            (named, None) if self.schema.name(named) == "Boolean" => {
                GeneratedValue::Value(json!(choices.percent(50)))
            }
            _ => GeneratedValue::Value(json!(choices.below(3))),
        }
    }

    /// Generates the fields of an input object.
    fn fields(
        &mut self,
        input: InputObject,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> Vec<(String, GeneratedValue)> {
        let all = self.schema.input_fields(input);
        let inner = depth.saturating_sub(1);
        let table = match input {
            InputObject::BoolExp(table) | InputObject::ArrayBoolExp(table) => {
                return self.condition(table, &all, depth, choices);
            }
            InputObject::Insert(table) | InputObject::InsertAs(table, _) => Some((table, 70)),
            InputObject::Assign(table, modifier) => {
                return self.assigned(table, modifier, &all, choices);
            }
            InputObject::KeyColumns(table) => Some((table, 100)),
            InputObject::Match(table) => Some((table, 30)),
            _ => None,
        };
        let mut given = Vec::new();
        let optional: Vec<_> = all
            .iter()
            .filter(|field| !field.r#type.required)
            .map(|field| field.name)
            .collect();
        let some = choices.pick(&optional).copied();
        for field in &all {
            let taken = match (field.meaning, table) {
                (InputMeaning::Column(_), Some((_, percent))) => choices.percent(percent),
                (InputMeaning::Relation(_), Some(_)) => depth > 1 && choices.percent(15),
                (InputMeaning::OnConflict | InputMeaning::Match, _) => choices.percent(10),
                (InputMeaning::UpdateColumns | InputMeaning::Where, _) => {
                    field.r#type.required || choices.percent(50)
                }
                (InputMeaning::Nothing, _) => false,
                _ => field.r#type.required || some == Some(field.name) && depth > 0,
            };
            if taken {
                let column = match (field.meaning, table) {
                    (InputMeaning::Column(column), Some((table, _))) => Some((table, column)),
                    _ => None,
                };
                given.push((
                    field.name.to_owned(),
                    self.value(field.r#type, column, inner, choices),
                ));
            }
        }
        given
    }

    /// One or two columns, with values that the update operator accepts.
    fn assigned(
        &mut self,
        table: TableId,
        modifier: UpdateOperator,
        all: &[InputField<'m>],
        choices: &mut Choices<'_>,
    ) -> Vec<(String, GeneratedValue)> {
        let mut given: Vec<(String, GeneratedValue)> = Vec::new();
        for _ in 0..1 + choices.below(2) {
            let Some(field) = choices.pick(all) else {
                continue;
            };
            let InputMeaning::Column(column) = field.meaning else {
                continue;
            };
            if given.iter().all(|(name, _)| name != field.name) {
                let column = (modifier == UpdateOperator::Set).then_some((table, column));
                given.push((
                    field.name.to_owned(),
                    self.value(field.r#type, column, 0, choices),
                ));
            }
        }
        given
    }

    /// A condition, about half of the time on a key, so that some rows match and some do not.
    fn condition(
        &mut self,
        table: TableId,
        all: &[InputField<'m>],
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> Vec<(String, GeneratedValue)> {
        let mut given: Vec<(String, GeneratedValue)> = Vec::new();
        for _ in 0..choices.below(3) {
            let Some(field) = choices.pick(all) else {
                continue;
            };
            if given.iter().any(|(name, _)| name == field.name) {
                continue;
            }
            let value = match field.meaning {
                InputMeaning::Column(column) => self.compared(table, column, choices),
                InputMeaning::And
                | InputMeaning::Or
                | InputMeaning::Not
                | InputMeaning::Relation(_)
                    if depth > 0 =>
                {
                    self.value(field.r#type, None, depth - 1, choices)
                }
                _ => continue,
            };
            given.push((field.name.to_owned(), value));
        }
        given
    }

    fn compared(
        &mut self,
        table: TableId,
        column: ColumnId,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        let named = self.schema.column_named(table, column);
        let type_ref = TypeRef::required(named);
        let entry = self.access.model().table(table).column(column);
        let kind = self
            .access
            .model()
            .catalog()
            .type_of(entry.r#type)
            .map_or("", |entry| entry.name.as_str());
        let operators: &[_] = match kind {
            "jsonb" => &["_is_null", "_contains"],
            _ if matches!(named, TypeKey::Enum(_)) => &["_eq", "_neq", "_is_null"],
            _ => &["_eq", "_eq", "_neq", "_gt", "_lt", "_is_null"],
        };
        let operator = choices.pick(operators).copied().unwrap_or("_is_null");
        let value = match operator {
            "_is_null" => GeneratedValue::Value(json!(choices.percent(30))),
            _ => self.value(type_ref, Some((table, column)), 0, choices),
        };
        GeneratedValue::Object(vec![(operator.to_owned(), value)])
    }

    fn exposed(&self, table: TableId) -> Option<&'m ExposedTable> {
        self.schema.model().exposed(table)
    }
}

impl GeneratedValue {
    fn json(&self) -> Json {
        match self {
            GeneratedValue::Value(value) => value.clone(),
            GeneratedValue::Enum(name) => json!(name),
            GeneratedValue::List(items) => items.iter().map(GeneratedValue::json).collect(),
            GeneratedValue::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value.json()))
                .collect(),
            GeneratedValue::Variable(_) => Json::Null,
        }
    }

    fn text(&self) -> String {
        match self {
            GeneratedValue::Value(value) => literal(value),
            GeneratedValue::Enum(name) => name.clone(),
            GeneratedValue::List(items) => {
                format!(
                    "[{}]",
                    items
                        .iter()
                        .map(GeneratedValue::text)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            GeneratedValue::Object(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", value.text()))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            GeneratedValue::Variable(number) => format!("$v{number}"),
        }
    }
}
