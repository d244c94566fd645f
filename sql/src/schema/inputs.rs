//! The fields of input objects, and the values of enums: conditions and orders are declared here,
//! and other types by the files that the functions below call.

use super::*;
use crate::postgres::catalog::ArbiterIndex;

impl<'a> Schema<'a> {
    /// The field of an input object with that name, unless it does not exist or the role may not
    /// use it.
    pub fn input_field(&self, input: InputObject, name: &str) -> Option<InputField<'a>> {
        match input {
            InputObject::BoolExp(table) => match connective(InputObject::BoolExp(table), name) {
                Some(field) => Some(field),
                None => self.condition(table, self.model.exposed(table)?.member(name)?),
            },
            InputObject::ArrayBoolExp(table) => {
                let quantifier = self.quantifiers(table).find(|field| field.name == name);
                quantifier.or_else(|| self.input_field(InputObject::BoolExp(table), name))
            }
            InputObject::OrderBy(table) => match name {
                "_path" => self.path_order(table),
                "_fts" => self.search_order(table),
                _ => self.order(table, self.model.exposed(table)?.member(name)?),
            },
            InputObject::Comparison(comparison) => self.operator(comparison, name),
            InputObject::Insert(table) | InputObject::InsertAs(table, _) => {
                self.insert_field(table, name)
            }
            InputObject::Assign(table, modifier) => self.assign_field(table, modifier, name),
            InputObject::Match(table) => self.match_column_field(table, name),
            InputObject::Updates(table) => self.updates_field(table, name),
            InputObject::RowChange(table) => self.row_change_field(table, name),
            InputObject::Related(table) => self.related_named(table, name),
            _ => self
                .input_fields(input)
                .into_iter()
                .find(|field| field.name == name),
        }
    }

    /// All fields of an input object type, in the order of introspection.
    pub fn input_fields(&self, input: InputObject) -> Vec<InputField<'a>> {
        match input {
            InputObject::BoolExp(table) => {
                let connectives = ["_and", "_not", "_or"]
                    .into_iter()
                    .filter_map(|name| connective(InputObject::BoolExp(table), name));
                let members = self.members_for_input(table);
                connectives
                    .chain(members.filter_map(|member| self.condition(table, member)))
                    .collect()
            }
            InputObject::ArrayBoolExp(table) => self
                .input_fields(InputObject::BoolExp(table))
                .into_iter()
                .chain(self.quantifiers(table))
                .collect(),
            InputObject::OrderBy(table) => {
                let members = self
                    .members_for_input(table)
                    .filter_map(|member| self.order(table, member));
                members
                    .chain(self.path_order(table))
                    .chain(self.search_order(table))
                    .collect()
            }
            InputObject::AggregateOrderBy(table) => self.aggregate_order(table),
            InputObject::AggregateBoolExp(table) => self.measure_fields(table).collect(),
            InputObject::Measured(table, measure) => self.measured_fields(table, measure),
            InputObject::MeasuredPair(table, function) => self.pair_fields(table, function),
            InputObject::GroupHaving(table) => self.having_fields(table),
            InputObject::GroupOrderBy(table) => self.group_order(table),
            InputObject::GroupKeyOrderBy(table) => self.group_key_order(table),
            InputObject::Buckets(table) => self.buckets(table),
            InputObject::Arguments(call) => self.args(call),
            InputObject::FunctionOrderBy(table, function) => {
                let columns = self.function_columns(table, function).into_iter();
                let spelling = self.spelling(table);
                columns
                    .map(|(column, name)| direction(spelling, name, InputMeaning::Column(column)))
                    .collect()
            }
            InputObject::Comparison(comparison) => self.operators(comparison),
            InputObject::Cast(comparison, operator) => self.casts(comparison, operator),
            InputObject::Operand(comparison, object) => self.operand_fields(comparison, object),
            InputObject::Path(comparison) => self.path_fields(comparison),
            InputObject::Search(_) => self.search_fields(),
            InputObject::PathOrder(table) => self.path_order_fields(table),
            InputObject::SearchOrder(table) => self.search_order_fields(table),
            InputObject::Insert(table) | InputObject::InsertAs(table, _) => {
                self.insert_fields(table)
            }
            InputObject::ObjectInsert(table) => self.nested_fields(
                table,
                TypeRef::required(TypeKey::Input(InputObject::Insert(table))),
            ),
            InputObject::ArrayInsert(table) => self.nested_fields(
                table,
                TypeRef::required_list(TypeKey::Input(InputObject::Insert(table))),
            ),
            InputObject::OnConflict(table) => self.conflict_fields(table),
            InputObject::StreamCursor(table) => self.stream_cursor_fields(table),
            InputObject::StreamCursorValue(table) => self.stream_value_fields(table),
            InputObject::Assign(table, modifier) => self.assign_fields(table, modifier),
            InputObject::KeyColumns(table) => self.key_fields(table),
            InputObject::Updates(table) => self.updates_fields(table),
            InputObject::Match(table) => self.match_fields(table),
            InputObject::Related(table) => self.related_fields(table),
            InputObject::RelatedChange(table, index) => self.related_change_fields(table, index),
            InputObject::RelatedWhere(table) => self.related_where_fields(table),
            InputObject::RowChange(table) => self.change_fields(table),
            InputObject::Action(input) => self.action_input_fields(input),
        }
    }

    /// The fields `_some`, `_every` and `_none` of a condition on related rows.
    fn quantifiers(&self, table: TableId) -> impl Iterator<Item = InputField<'a>> {
        let spelling = self.spelling(table);
        let r#type = TypeRef::nullable(TypeKey::Input(InputObject::BoolExp(table)));
        Quantifier::ALL
            .into_iter()
            .map(move |(quantifier, word)| InputField {
                name: spelling.field(word),
                r#type,
                meaning: InputMeaning::Quantifier(quantifier),
            })
    }

    /// The required fields of an input object that are not given.
    pub fn missing(&self, input: InputObject, is_given: impl Fn(&str) -> bool) -> Vec<&'a str> {
        // These types have no required field, and listing their fields is not cheap.
        use InputObject::{
            ArrayBoolExp, Assign, BoolExp, Comparison, Insert, InsertAs, Match, OrderBy, Related,
            RowChange,
        };
        if matches!(
            input,
            BoolExp(_) | ArrayBoolExp(_) | OrderBy(_) | Comparison(_)
        ) || matches!(
            input,
            Insert(_) | InsertAs(..) | Assign(..) | Match(_) | Related(_) | RowChange(_)
        ) {
            return Vec::new();
        }
        if let InputObject::Updates(_) = input {
            return if is_given("where") {
                Vec::new()
            } else {
                vec!["where"]
            };
        }
        let required = self.input_fields(input).into_iter();
        let required = required.filter(|field| field.r#type.required && field.default().is_none());
        required
            .map(|field| field.name)
            .filter(|name| !is_given(name))
            .collect()
    }

    fn members_for_input(&self, table: TableId) -> impl Iterator<Item = RowMember<'a>> {
        let relations = self
            .model
            .exposed(table)
            .map(|exposed| exposed.relations.iter())
            .into_iter()
            .flatten();
        let relations = relations.flat_map(|relation| {
            let aggregate = relation
                .aggregate
                .is_some()
                .then_some(RowMember::Aggregate(relation));
            std::iter::once(RowMember::Relation(relation)).chain(aggregate)
        });
        let columns = self
            .columns(table)
            .into_iter()
            .map(|(column, _)| RowMember::Column(column));
        columns.chain(relations).chain(self.computed_members(table))
    }

    fn condition(&self, table: TableId, member: RowMember<'a>) -> Option<InputField<'a>> {
        let (exposed, select) = self.open(table)?;
        let member = reached(select, member)?;
        match member {
            RowMember::Column(column) => {
                let name = exposed
                    .column_name(column)
                    .filter(|_| select.columns.contains(column))?;
                let named = TypeKey::Input(InputObject::Comparison(self.comparison(table, column)));
                Some(InputField {
                    name,
                    r#type: TypeRef::nullable(named),
                    meaning: InputMeaning::Column(column),
                })
            }
            RowMember::Relation(relation) => {
                self.shows_rows(relation.to).then_some(())?;
                let named = TypeKey::Input(match relation.kind {
                    RelationKind::Array => InputObject::ArrayBoolExp(relation.to),
                    RelationKind::Object { .. } => InputObject::BoolExp(relation.to),
                });
                let meaning = InputMeaning::Relation(relation);
                Some(InputField {
                    name: &relation.name,
                    r#type: TypeRef::nullable(named),
                    meaning,
                })
            }
            RowMember::Aggregate(relation) => {
                let named = TypeKey::Input(InputObject::AggregateBoolExp(relation.to));
                let name = relation
                    .aggregate
                    .as_deref()
                    .filter(|_| !self.measures(relation.to).is_empty())?;
                Some(InputField {
                    name,
                    r#type: TypeRef::nullable(named),
                    meaning: InputMeaning::Aggregate(relation),
                })
            }
            RowMember::Connection(_) | RowMember::ComputedAggregate(_) => None,
            RowMember::Computed(computed) => self.computed_condition(table, computed),
        }
    }

    fn order(&self, table: TableId, member: RowMember<'a>) -> Option<InputField<'a>> {
        let (exposed, select) = self.open(table)?;
        let member = reached(select, member)?;
        match member {
            RowMember::Column(column) => {
                let name = exposed
                    .column_name(column)
                    .filter(|_| select.columns.contains(column))?;
                let sortable = self.column_scalar(table, column).family != Family::Opaque;
                sortable.then(|| direction(exposed.spelling(), name, InputMeaning::Column(column)))
            }
            RowMember::Relation(relation) if relation.kind != RelationKind::Array => {
                (self.has_order(relation.to) && self.shows_rows(relation.to)).then(|| {
                    let named = TypeKey::Input(InputObject::OrderBy(relation.to));
                    let meaning = InputMeaning::Relation(relation);
                    InputField {
                        name: &relation.name,
                        r#type: TypeRef::nullable(named),
                        meaning,
                    }
                })
            }
            RowMember::Relation(_) | RowMember::Connection(_) => None,
            RowMember::Aggregate(relation) => {
                self.open(relation.to)
                    .filter(|_| self.has_measures(relation.to))?;
                let named = TypeKey::Input(InputObject::AggregateOrderBy(relation.to));
                let meaning = InputMeaning::Aggregate(relation);
                Some(InputField {
                    name: relation.aggregate.as_deref()?,
                    r#type: TypeRef::nullable(named),
                    meaning,
                })
            }
            RowMember::Computed(computed) => self.computed_order(table, computed),
            RowMember::ComputedAggregate(computed) => {
                self.computed_aggregate_order(table, computed)
            }
        }
    }

    /// Whether rows of the table can be ordered by a column or a computed field. Relations are not
    /// examined, so that the search ends if they form a cycle.
    pub(super) fn has_order(&self, table: TableId) -> bool {
        let sortable = |(column, _)| self.column_scalar(table, column).family != Family::Opaque;
        let mut computed = self
            .model
            .exposed(table)
            .map(|exposed| exposed.computed.iter())
            .into_iter()
            .flatten();
        self.named_columns(table).any(sortable)
            || computed.any(|computed| self.is_sortable(table, computed))
    }

    pub(super) fn aggregate_order(&self, table: TableId) -> Vec<InputField<'a>> {
        let spelling = self.spelling(table);
        let functions = self
            .functions(table)
            .into_iter()
            .map(|(function, name)| InputField {
                name: spelling.field(name),
                r#type: TypeRef::nullable(TypeKey::Input(InputObject::FunctionOrderBy(
                    table, function,
                ))),
                meaning: InputMeaning::Function(function),
            });
        let count = self
            .may_count(table)
            .then(|| direction(spelling, "count", InputMeaning::Count));
        count.into_iter().chain(functions).collect()
    }

    /// The values of an enum.
    pub fn values(&self, named: Enum) -> Vec<&'a str> {
        match named {
            Enum::CountMode(spelling) => CountMode::ALL
                .iter()
                .map(|(_, word)| spelling.value(word))
                .collect(),
            Enum::Direction(spelling) => Direction::ALL
                .iter()
                .map(|(_, word)| spelling.value(word))
                .collect(),
            Enum::CursorOrdering(_) => CURSOR_ORDERINGS.iter().map(|(name, _)| *name).collect(),
            Enum::SelectColumn(table) => self
                .columns(table)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            Enum::CountColumn(table) => self
                .count_columns(table)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            Enum::Values(table) => {
                let values = self.model.table(table).enum_values.iter().flatten();
                values.map(|value| value.value.as_str()).collect()
            }
            Enum::JsonColumn(table) => self
                .json_columns(table)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            Enum::SearchColumn(table) => self
                .search_columns(table)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            Enum::Constraint(table) => self
                .arbiter_indexes(table)
                .into_iter()
                .map(ArbiterIndex::name)
                .collect(),
            Enum::UpdateColumn(table) => {
                let columns: Vec<_> = self
                    .updatable_columns(table)
                    .into_iter()
                    .map(|(_, name)| name)
                    .collect();
                if columns.is_empty() {
                    vec![inserts::PLACEHOLDER]
                } else {
                    columns
                }
            }
            Enum::PathType => operators::PATH_TYPES
                .iter()
                .map(|r#type| r#type.name)
                .collect(),
            Enum::SearchMode => operators::Mode::ALL.iter().map(|(_, name)| *name).collect(),
            Enum::MeasureColumn(table, measure) => self
                .measure_columns(table, measure)
                .into_iter()
                .map(|(_, name)| name)
                .collect(),
            Enum::Bucket(_) => Bucket::ALL.iter().map(|(_, word)| *word).collect(),
            Enum::Action(of) => self.action_values(of),
            Enum::TypeKind => meta::TYPE_KINDS.to_vec(),
            Enum::DirectiveLocation => meta::DIRECTIVE_LOCATIONS.to_vec(),
        }
    }

    /// The column of a value of a column enum.
    pub fn enum_column(&self, of: Enum, name: &str) -> Option<ColumnId> {
        let found = |columns: Vec<(ColumnId, &str)>| {
            Some(columns.into_iter().find(|(_, known)| *known == name)?.0)
        };
        match of {
            Enum::SelectColumn(table) => self.column(table, name),
            Enum::UpdateColumn(table) => self
                .model
                .exposed(table)?
                .column(name)
                .filter(|column| self.is_updatable(table, *column)),
            Enum::CountColumn(table) => found(self.count_columns(table)),
            Enum::JsonColumn(table) => found(self.json_columns(table)),
            Enum::SearchColumn(table) => found(self.search_columns(table)),
            Enum::MeasureColumn(table, measure) => found(self.measure_columns(table, measure)),
            _ => None,
        }
    }
}

pub(super) fn connective<'a>(condition: InputObject, name: &str) -> Option<InputField<'a>> {
    let condition = TypeKey::Input(condition);
    let (name, r#type, meaning) = match name {
        "_and" => ("_and", TypeRef::list(condition), InputMeaning::And),
        "_or" => ("_or", TypeRef::list(condition), InputMeaning::Or),
        "_not" => ("_not", TypeRef::nullable(condition), InputMeaning::Not),
        _ => return None,
    };
    Some(InputField {
        name,
        r#type,
        meaning,
    })
}

pub(super) fn direction<'a>(
    spelling: Spelling,
    name: &'a str,
    meaning: InputMeaning<'a>,
) -> InputField<'a> {
    InputField {
        name,
        r#type: TypeRef::nullable(TypeKey::Enum(Enum::Direction(spelling))),
        meaning,
    }
}
