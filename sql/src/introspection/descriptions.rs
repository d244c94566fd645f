//! Descriptions of types, fields, arguments and enum values in a role's schema. Comments of the
//! permission file and of the database take precedence over generated text.

use super::mutation_descriptions;
use crate::model::action::{Actions, GrantedActions};
use crate::model::names::RootKind;
use crate::model::{Callable, Computed, Relation, Root, Routine};
use crate::postgres::catalog::{ColumnId, Oid, TableId, TypeKind};
use crate::schema::{
    CountMode, Direction, Enum, FieldDefinition, InputField, InputMeaning, InputObject, Meaning,
    Object, Quantifier, Schema, TypeKey,
};

/// The comment of a table, which describes the type of its rows.
enum RowComment {
    Text(String),
    /// An empty one in the permission file: the type has no description.
    Blank,
    Absent,
}

/// Generates the descriptions of a role's schema.
#[derive(Clone, Copy)]
pub(crate) struct SchemaDescriptions<'a> {
    schema: Schema<'a>,
}

impl<'a> SchemaDescriptions<'a> {
    pub(crate) fn new(schema: Schema<'a>) -> SchemaDescriptions<'a> {
        SchemaDescriptions { schema }
    }

    /// The declared actions, of which the schema shows those of the role.
    fn actions(&self) -> Option<&'a Actions> {
        self.schema.access().actions().map(GrantedActions::all)
    }

    /// A scalar that actions declare.
    pub(super) fn action_scalar(&self, index: u32) -> Option<String> {
        self.actions()?
            .scalars
            .get(index as usize)?
            .description
            .clone()
    }

    pub(super) fn object(&self, object: Object) -> Option<String> {
        Some(match object {
            Object::Query | Object::Mutation | Object::Subscription | Object::Meta(_) => {
                return None;
            }
            Object::Response(table) => format!(
                "response of any mutation on the table \"{}\"",
                self.table(table)
            ),
            Object::Row(table) => match self.row_comment(table) {
                RowComment::Text(comment) => comment,
                RowComment::Blank => return None,
                RowComment::Absent => {
                    format!("columns and relationships of \"{}\"", self.table(table))
                }
            },
            Object::Aggregate(table) => {
                format!("aggregated selection of \"{}\"", self.table(table))
            }
            Object::Group(table) => format!("group of rows of \"{}\"", self.table(table)),
            Object::GroupKey(table) => {
                format!(
                    "what rows of \"{}\" are grouped by; other columns cannot be asked for",
                    self.table(table)
                )
            }
            Object::AggregateFields(table) => {
                format!("aggregate fields of \"{}\"", self.table(table))
            }
            Object::Connection(table) => format!("a page of \"{}\"", self.table(table)),
            Object::Edge(table) => format!(
                "a row of a page of \"{}\", and its place",
                self.table(table)
            ),
            Object::Action(index) => {
                return self
                    .actions()?
                    .objects
                    .get(index as usize)?
                    .description
                    .clone();
            }
            Object::PageInfo => "where a page lies among all rows".into(),
            Object::FunctionFields(_, function) => {
                format!("aggregate {} on columns", function.name())
            }
        })
    }

    pub(crate) fn field(&self, object: Object, field: &FieldDefinition<'_>) -> Option<String> {
        match (field.meaning, object) {
            (Meaning::Root(root), _) => self.root(root),
            (Meaning::Column(column), Object::Row(table)) => self.column(table, column),
            (Meaning::Object(relation), _) => {
                Some(self.relation("An object relationship", relation))
            }
            (Meaning::Array(relation), _) => Some(self.relation("An array relationship", relation)),
            (Meaning::Cursor, Object::Row(_)) => {
                Some("the place of the row in the order of its list".into())
            }
            (Meaning::Connection(_), _) => Some("An array relationship, page by page".into()),
            (Meaning::Aggregate(_), _) => Some("An aggregate relationship".into()),
            (Meaning::Action(_, action), _) => action.description.clone(),
            (Meaning::ActionField, Object::Action(index)) => {
                let object = self.actions()?.objects.get(index as usize)?;
                object
                    .fields
                    .iter()
                    .find(|known| known.name == field.name)?
                    .description
                    .clone()
            }
            (Meaning::ActionRelation(relation), _) => Some(
                if relation.one {
                    "An object relationship"
                } else {
                    "An array relationship"
                }
                .into(),
            ),
            (Meaning::AffectedRows, _) => Some("number of rows affected by the mutation".into()),
            (Meaning::Returning, _) => Some("data from the rows affected by the mutation".into()),
            (Meaning::Constant(text), _) => Some(text.into()),
            (Meaning::Routine(routine), _) => self.routine(routine),
            (Meaning::RoutineAggregate(routine), _) => Some(format!(
                "aggregates of what the function \"{}\" returns",
                self.function(&routine.callable)
            )),
            (Meaning::Computed(computed), _) => self.computed(computed),
            (Meaning::ComputedAggregate(_), _) => Some("An aggregate of a computed field".into()),
            _ => None,
        }
    }

    /// The comment of a table: that of the permission file, or that of the database.
    fn row_comment(&self, table: TableId) -> RowComment {
        let model = self.schema.model();
        let exposed = model
            .exposed(table)
            .and_then(|exposed| exposed.comment.as_deref());
        match (exposed, model.table(table).comment.as_deref()) {
            (Some(comment), _) => non_blank(comment).map_or(RowComment::Blank, RowComment::Text),
            (None, comment) => comment
                .and_then(non_blank)
                .map_or(RowComment::Absent, RowComment::Text),
        }
    }

    /// A relation, with what a row of its target is.
    fn relation(&self, kind: &str, relation: &Relation) -> String {
        match self.row_comment(relation.to) {
            RowComment::Text(comment) => format!("{kind}: {comment}"),
            RowComment::Blank | RowComment::Absent => kind.to_owned(),
        }
    }

    fn root(&self, root: &Root) -> Option<String> {
        let table = self.table(root.table);
        match root.kind {
            RootKind::List => Some(format!("fetch data from the table: \"{table}\"")),
            RootKind::One => Some(format!(
                "fetch data from the table: \"{table}\" using primary key columns"
            )),
            RootKind::Group => Some(format!("fetch groups of rows from the table: \"{table}\"")),
            RootKind::Aggregate => Some(format!(
                "fetch aggregated fields from the table: \"{table}\""
            )),
            RootKind::Connection => Some(format!("fetch a page of the table: \"{table}\"")),
            kind => mutation_descriptions::root(kind, &table),
        }
    }

    fn routine(&self, routine: &Routine) -> Option<String> {
        let comment = self.comment(&routine.callable);
        comment.or_else(|| {
            Some(format!(
                "execute function \"{}\"",
                self.function(&routine.callable)
            ))
        })
    }

    fn computed(&self, computed: &Computed) -> Option<String> {
        let comment = self.comment(&computed.callable);
        comment.or_else(|| {
            Some(format!(
                "A computed field, executes function \"{}\"",
                self.function(&computed.callable)
            ))
        })
    }

    fn comment(&self, callable: &Callable) -> Option<String> {
        non_blank(
            self.schema
                .model()
                .catalog()
                .function(callable.function)
                .comment
                .as_deref()?,
        )
    }

    /// The function's name in the database, with its schema outside `public`.
    fn function(&self, callable: &Callable) -> String {
        let function = self.schema.model().catalog().function(callable.function);
        printable(&match function.schema.as_str() {
            "public" => function.name.clone(),
            schema => format!("{schema}.{}", function.name),
        })
    }

    pub(super) fn argument(&self, object: Object, name: &str) -> Option<String> {
        Some(match name {
            "distinct_on" | "distinctOn" => "distinct select on columns".into(),
            "after" => "only what comes after this cursor".into(),
            "before" => "only what comes before this cursor; a limit counts from the end".into(),
            "first" => "so many from the start".into(),
            "last" => "so many from the end".into(),
            "limit" => "limit the number of rows returned".into(),
            "offset" => "skip the first n rows. Use only with order_by".into(),
            "order_by" | "orderBy" => "sort the rows by one or more columns".into(),
            "path" => "the value at this path, $.a[0]['any key']".into(),
            "by" => "group the rows by these columns".into(),
            "bucket" => "group the rows by spans of time, in UTC".into(),
            "having" => "filter the groups returned".into(),
            "where" if object == Object::Mutation => "choose the rows that are written".into(),
            "where" => "filter the rows returned".into(),
            "args" => "the arguments of the function".into(),
            name => return mutation_descriptions::argument(name).map(str::to_owned),
        })
    }

    pub(super) fn input(&self, input: InputObject) -> Option<String> {
        Some(match input {
            InputObject::Action(index) => {
                return self
                    .actions()?
                    .inputs
                    .get(index as usize)?
                    .description
                    .clone();
            }
            InputObject::BoolExp(table) => format!(
                "Boolean expression to filter rows from the table \"{}\". All fields are \
                 combined with a logical 'AND'.",
                self.table(table)
            ),
            InputObject::ArrayBoolExp(table) => format!(
                "Boolean expression to filter by rows of the table \"{}\" that a relationship \
                 leads to: some of them fit.",
                self.table(table)
            ),
            InputObject::OrderBy(table) => {
                format!(
                    "Ordering options when selecting data from \"{}\".",
                    self.table(table)
                )
            }
            InputObject::AggregateOrderBy(table) => {
                format!(
                    "order by aggregate values of table \"{}\"",
                    self.table(table)
                )
            }
            InputObject::FunctionOrderBy(table, function) => {
                format!(
                    "order by {}() on columns of table \"{}\"",
                    function.name(),
                    self.table(table)
                )
            }
            InputObject::Cast(comparison, _) => {
                format!(
                    "conditions on columns of type \"{}\" as other types",
                    self.schema.scalar(comparison.r#type).name.clone()
                )
            }
            InputObject::Operand(..) => return None,
            InputObject::Path(_) => {
                "conditions on what lies at a path inside JSON, as a type".into()
            }
            InputObject::Search(_) => {
                "a full-text search; without a config the one that the database uses".into()
            }
            InputObject::PathOrder(_) => {
                "order by what lies at a path inside JSON, as a type".into()
            }
            InputObject::StreamCursor(table) => format!(
                "where a stream of the table \"{}\" begins",
                self.table(table)
            ),
            InputObject::StreamCursorValue(table) => {
                format!(
                    "the first value of a column by which rows of \"{}\" are streamed",
                    self.table(table)
                )
            }
            InputObject::SearchOrder(_) => {
                "order by how well a full-text search is answered".into()
            }
            InputObject::AggregateBoolExp(table) => {
                format!(
                    "filter by aggregates of rows of table \"{}\"",
                    self.table(table)
                )
            }
            InputObject::Measured(table, measure) => {
                format!(
                    "compare {}() of rows of table \"{}\"",
                    measure.name(),
                    self.table(table)
                )
            }
            InputObject::MeasuredPair(_, function) => format!("columns of {}()", function.name()),
            InputObject::GroupHaving(table) => {
                format!(
                    "filter groups of rows of table \"{}\". All fields are combined with a \
                     logical 'AND'.",
                    self.table(table)
                )
            }
            InputObject::GroupOrderBy(table) => {
                format!("order groups of rows of table \"{}\"", self.table(table))
            }
            InputObject::GroupKeyOrderBy(table) => {
                format!(
                    "order groups of rows of table \"{}\" by what they are grouped by",
                    self.table(table)
                )
            }
            InputObject::Buckets(table) => {
                format!(
                    "group rows of table \"{}\" by spans of time, in UTC",
                    self.table(table)
                )
            }
            InputObject::Arguments(call) => {
                let callable = self.schema.model().callable(call)?;
                format!(
                    "input parameters for function \"{}\"",
                    self.function(callable)
                )
            }
            InputObject::Comparison(comparison) => format!(
                "Boolean expression to compare columns of type \"{}\". All fields are combined \
                 with logical 'AND'.",
                match comparison.of {
                    Some(of) => self.schema.name(TypeKey::Enum(Enum::Values(of))),
                    None => self.schema.scalar(comparison.r#type).name.clone(),
                }
            ),
            input => return mutation_descriptions::input(input, |table| self.table(table)),
        })
    }

    pub(super) fn input_field(&self, input: InputObject, field: &InputField<'_>) -> Option<String> {
        match (field.meaning, input) {
            (_, InputObject::Action(index)) => {
                let input = self.actions()?.inputs.get(index as usize)?;
                input
                    .fields
                    .iter()
                    .find(|known| known.name == field.name)?
                    .description
                    .clone()
            }
            (InputMeaning::Quantifier(quantifier), _) => Some(quantified(quantifier).into()),
            (InputMeaning::Operator(operator), _) => Some(operator.about.into()),
            (
                InputMeaning::Column(column),
                InputObject::BoolExp(table)
                | InputObject::OrderBy(table)
                | InputObject::Insert(table)
                | InputObject::InsertAs(table, _)
                | InputObject::Assign(table, _)
                | InputObject::KeyColumns(table)
                | InputObject::Match(table),
            ) => self.column(table, column),
            (meaning, _) if mutation_descriptions::meaning(meaning).is_some() => {
                mutation_descriptions::meaning(meaning).map(str::to_owned)
            }
            _ => None,
        }
    }

    pub(super) fn values(&self, of: Enum) -> Option<String> {
        match of {
            Enum::CountMode(_) => Some("how rows are counted".into()),
            Enum::Direction(_) => Some("column ordering options".into()),
            Enum::CursorOrdering(_) => Some("the order of a stream".into()),
            Enum::SelectColumn(table) => {
                Some(format!("select columns of table \"{}\"", self.table(table)))
            }
            Enum::CountColumn(table) => Some(format!(
                "columns of table \"{}\" whose values may be counted",
                self.table(table)
            )),
            Enum::Values(table) => {
                let comment = self
                    .schema
                    .model()
                    .table(table)
                    .comment
                    .as_deref()
                    .and_then(non_blank);
                Some(
                    comment
                        .unwrap_or_else(|| format!("the rows of table \"{}\"", self.table(table))),
                )
            }
            Enum::JsonColumn(table) => {
                Some(format!("JSON columns of table \"{}\"", self.table(table)))
            }
            Enum::SearchColumn(table) => Some(format!(
                "columns of table \"{}\" that can be searched",
                self.table(table)
            )),
            Enum::PathType => {
                Some("what a value inside JSON is taken as; one of another type is null".into())
            }
            Enum::SearchMode => Some("how the query of a full-text search is read".into()),
            Enum::MeasureColumn(table, measure) => Some(format!(
                "columns of table \"{}\" that {}() goes over",
                self.table(table),
                measure.name()
            )),
            Enum::Bucket(_) => {
                Some("spans of time that moments are grouped by; a week begins on Monday".into())
            }
            Enum::Constraint(table) => Some(format!(
                "unique or primary key constraints on table \"{}\"",
                self.table(table)
            )),
            Enum::UpdateColumn(table) => {
                Some(format!("update columns of table \"{}\"", self.table(table)))
            }
            Enum::Action(index) => self
                .actions()?
                .enums
                .get(index as usize)?
                .description
                .clone(),
            Enum::TypeKind | Enum::DirectiveLocation => None,
        }
    }

    pub(super) fn value(&self, of: Enum, name: &str) -> Option<String> {
        match (of, name) {
            (Enum::Action(index), name) => {
                let of = self.actions()?.enums.get(index as usize)?;
                of.values.iter().find(|(known, _)| known == name)?.1.clone()
            }
            (Enum::CountMode(spelling), name) => CountMode::find(spelling, name).map(|mode| {
                match mode {
                    CountMode::Exact => "one by one",
                    CountMode::Planned => {
                        "as the planner estimates it, where the role sees every row; else exact"
                    }
                    CountMode::Estimated => {
                        "as the planner estimates it, where that is much; else exact"
                    }
                }
                .into()
            }),
            (Enum::Direction(spelling), name) => {
                Direction::find(spelling, name).map(|d| direction(d).into())
            }
            (Enum::Values(table), name) => {
                let mut values = self
                    .schema
                    .model()
                    .table(table)
                    .enum_values
                    .iter()
                    .flatten();
                values
                    .find(|value| value.value == name)
                    .and_then(|value| non_blank(value.description.as_deref()?))
            }
            (Enum::Constraint(table), name) => {
                let mut indexes = self.schema.arbiter_indexes(table).into_iter();
                // A description with column names is only for roles that may see all these columns.
                let known = |column| self.schema.knows(table, column);
                let shown = |column: &String| {
                    self.schema
                        .model()
                        .table(table)
                        .find(column)
                        .is_some_and(known)
                };
                let found = indexes.find(|index| index.name() == name);
                let index = found.filter(|index| index.columns().iter().all(shown))?;
                non_blank(&mutation_descriptions::arbiter_index(index))
            }
            (Enum::UpdateColumn(_), name) if self.schema.enum_column(of, name).is_none() => {
                Some("placeholder (do not use)".into())
            }
            (Enum::PathType, name) => {
                crate::model::operators::PathType::find(name).map(|r#type| r#type.about.into())
            }
            (Enum::SearchMode, name) => {
                crate::model::operators::Mode::find(name).map(|mode| mode.about().into())
            }
            (
                Enum::SelectColumn(table)
                | Enum::CountColumn(table)
                | Enum::JsonColumn(table)
                | Enum::UpdateColumn(table)
                | Enum::SearchColumn(table),
                name,
            ) => self
                .schema
                .enum_column(of, name)
                .and_then(|column| self.column(table, column)),
            _ => None,
        }
    }

    pub(super) fn scalar(&self, oid: Oid) -> Option<String> {
        let r#type = self.schema.model().catalog().type_of(oid)?;
        let comment = r#type.comment.as_deref().and_then(non_blank);
        let kind = match &r#type.kind {
            TypeKind::Enum(labels) => {
                format!("Postgres enum \"{}\": {}", r#type.name, labels.join(", "))
            }
            TypeKind::Array(of) => format!(
                "list of values of type \"{}\"",
                self.schema.scalar(*of).name
            ),
            _ => format!("Postgres type \"{}\"", r#type.name),
        };
        comment.or_else(|| non_blank(&kind))
    }

    fn column(&self, table: TableId, column: ColumnId) -> Option<String> {
        let model = self.schema.model();
        let own = model
            .exposed(table)
            .and_then(|exposed| exposed.comments.get(&column));
        non_blank(
            own.map(String::as_str)
                .or(model.table(table).column(column).comment.as_deref())?,
        )
    }

    /// The table's name in the database, with its schema outside `public`.
    fn table(&self, table: TableId) -> String {
        let table = self.schema.model().table(table);
        let name = match table.schema.as_str() {
            "public" => table.name.clone(),
            schema => format!("{schema}.{}", table.name),
        };
        printable(&name)
    }
}

fn quantified(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Some => "holds for some related row",
        Quantifier::Every => "holds for every related row, so also where there are none",
        Quantifier::None => "holds for no related row",
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Asc | Direction::AscNullsLast => "in ascending order, nulls last",
        Direction::AscNullsFirst => "in ascending order, nulls first",
        Direction::Desc | Direction::DescNullsFirst => "in descending order, nulls first",
        Direction::DescNullsLast => "in descending order, nulls last",
    }
}

/// Returns a comment in printable form, `None` if it is blank.
fn non_blank(comment: &str) -> Option<String> {
    Some(printable(comment.trim())).filter(|comment| !comment.is_empty())
}

/// Replaces what cannot be in a block string of an SDL document, which is written without escapes.
fn printable(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    text.replace("\"\"\"", "'''")
}
