//! Resolves actions: what is selected from the handler's answer, the rows that relations lead to
//! from it, and, for each request, the arguments.

use serde_json::{Map, Value as Json};

use super::Resolve;
use super::input::{ErrorPath, template};
use super::input_constraints::{ConstrainedPath, InputConstraints};
use super::read::{MergedFields, argument, unknown};
use crate::error::{Cause, Error, NameKind};
use crate::graphql::variables::{Template, VariablePath, Variables};
use crate::model::access::Access;
use crate::model::action::ActionRelation;
use crate::model::operators;
use crate::postgres::catalog::ColumnId;
use crate::postgres::types::Input;
use crate::resolve::selection::{
    ActionCall, ActionFieldKind, ActionOutput, ActionOutputKind, ActionResponseField, Arguments,
    BoundOperand, Count, Filter, RelatedRows, Rows, Term,
};
use crate::schema::{BuiltIn, FieldDefinition, Meaning, Object, Schema, TypeKey, TypeRef};
use crate::statement::{Operand, OperandRequirement, Parameter, ValueBudget};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a root field that a handler answers.
    pub(super) fn action(
        &self,
        action: u32,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<ActionCall<Rows<'m>>, Error> {
        let given = |name: &str| Some((name.to_owned(), template(argument(fields, name)?)));
        let input = definition
            .arguments
            .iter()
            .filter_map(|argument| given(argument.name))
            .collect();
        let output = self.action_output(definition.r#type, fields, at)?;
        Ok(ActionCall {
            action,
            path: at.path(),
            input: Template::Object(input),
            output,
        })
    }

    fn action_output(
        &self,
        type_ref: TypeRef,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<ActionOutput<Rows<'m>>, Error> {
        let kind = match type_ref.named {
            TypeKey::Object(object) => {
                ActionOutputKind::Object(self.action_fields(object, fields, at)?)
            }
            TypeKey::Enum(of) => ActionOutputKind::Enum(
                self.schema
                    .values(of)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            ),
            TypeKey::BuiltIn(BuiltIn::Id) => ActionOutputKind::Id,
            named => match self.schema.scalar_input(named) {
                None | Some(Input::Json) => ActionOutputKind::Json,
                Some(input) => ActionOutputKind::Scalar(input),
            },
        };
        let TypeRef {
            list,
            required,
            sparse,
            ..
        } = type_ref;
        Ok(ActionOutput {
            r#type: self.schema.written(type_ref),
            list,
            required,
            sparse,
            kind,
        })
    }

    fn action_fields(
        &self,
        object: Object,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ActionResponseField<Rows<'m>>>, Error> {
        let kinds = self.selected(object, fields, ActionFieldKind::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, at)?;
            match definition.meaning {
                Meaning::ActionField => {
                    let output = self.action_output(definition.r#type, fields, &at)?;
                    Ok(ActionFieldKind::Value(definition.name.to_owned(), output))
                }
                Meaning::ActionRelation(relation) => Ok(ActionFieldKind::Related(
                    self.action_relation(relation, fields, &definition, &at)?,
                )),
                _ => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
            }
        })?;
        Ok(kinds
            .into_iter()
            .map(|(key, kind)| ActionResponseField { key, kind })
            .collect())
    }

    /// Resolves a relation to a list of rows with a condition on the columns that join.
    fn action_relation(
        &self,
        relation: &'m ActionRelation,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<RelatedRows<Rows<'m>>, Error> {
        let table = relation.table;
        let mut rows = if relation.one {
            let arguments = Arguments {
                limit: Some(Count::Number(1)),
                ..Arguments::default()
            };
            Rows {
                table,
                arguments,
                fields: self.fields(table, fields, at)?,
            }
        } else {
            self.rows(table, fields, definition, at)?
        };
        let joined = relation.on.iter().enumerate();
        let joined =
            joined.map(|(index, (field, column))| self.joined(relation, index, field, *column, at));
        let filters = joined.chain(rows.arguments.filter.take()).collect();
        rows.arguments.filter = Some(self.bounded(Filter::And(filters), at)?);
        let of_column = |column| {
            self.schema
                .scalar(self.schema.model().table(table).column(column).r#type)
                .input
                .clone()
        };
        let keys = relation
            .on
            .iter()
            .map(|(field, column)| (field.clone(), of_column(*column)))
            .collect();
        Ok(RelatedRows {
            keys,
            one: relation.one,
            rows,
        })
    }

    /// The condition that a column equals the variable with the name of this place.
    fn joined(
        &self,
        relation: &ActionRelation,
        index: usize,
        field: &str,
        column: ColumnId,
        at: &ErrorPath,
    ) -> Filter<'m> {
        let r#type = self
            .schema
            .model()
            .table(relation.table)
            .column(column)
            .r#type;
        let scalar = self.schema.scalar(r#type);
        let operand = Operand {
            name: field.to_owned(),
            path: at.path(),
            value: Template::Variable(VariablePath::variable(&index.to_string())),
            requirement: OperandRequirement::Value(scalar.input.clone()),
            expected: scalar.name.as_str().into(),
        };
        let parameter = Some(Parameter::Request(operand.into()));
        let bound = BoundOperand {
            field: "",
            parameter,
            r#type,
            list: false,
            short: true,
        };
        Filter::Compare(Term::Column(column), operators::equal(), vec![bound])
    }
}

impl<R> ActionCall<R> {
    /// The arguments as the handler gets them: checked against their types, and with single values
    /// in lists where the type is a list. Arguments that the request leaves out are absent.
    ///
    /// Errors: a value has the wrong type, or the values exceed the budget.
    pub fn arguments(
        &self,
        access: &Access,
        variables: &Variables,
        budget: &ValueBudget,
    ) -> Result<Map<String, Json>, Error> {
        budget.check(&self.input, variables)?;
        let schema = Schema::new(access);
        let actions = access.actions().map(|granted| &granted.all().actions);
        let action = actions.and_then(|actions| actions.get(self.action as usize));
        let declared = action
            .map(|action| action.arguments.as_slice())
            .unwrap_or_default();
        let Json::Object(mut given) = self.input.fill(variables).into_owned() else {
            return Ok(Map::new());
        };
        let mut checked = Map::new();
        for argument in declared {
            let path = ConstrainedPath::Argument(&self.path, &argument.name);
            match given.remove(&argument.name) {
                Some(value) => {
                    InputConstraints::default().check(schema, argument.r#type, &value, &path)?;
                    checked.insert(
                        argument.name.clone(),
                        listed(schema, argument.r#type, value),
                    );
                }
                None if argument.r#type.required => {
                    let cause = Cause::Missing {
                        kind: NameKind::Argument,
                        name: argument.name.clone(),
                    };
                    return Err(path.at().error(cause));
                }
                None => {}
            }
        }
        Ok(checked)
    }
}

/// Puts single values into lists where the type is a list.
/// <https://spec.graphql.org/October2021/#sec-List.Input-Coercion>
fn listed(schema: Schema<'_>, type_ref: TypeRef, value: Json) -> Json {
    let item = TypeRef {
        list: false,
        required: !type_ref.sparse,
        ..type_ref
    };
    match value {
        Json::Null => Json::Null,
        Json::Array(items) if type_ref.list => items
            .into_iter()
            .map(|value| listed(schema, item, value))
            .collect(),
        single if type_ref.list => Json::Array(vec![listed(schema, item, single)]),
        Json::Object(fields) => match type_ref.named {
            TypeKey::Input(input) => {
                let field = |(name, value): (String, Json)| match schema.input_field(input, &name) {
                    Some(field) => (name, listed(schema, field.r#type, value)),
                    None => (name, value),
                };
                Json::Object(fields.into_iter().map(field).collect())
            }
            _ => Json::Object(fields),
        },
        scalar => scalar,
    }
}
