//! Relations from the output types of actions to tables.

use sql::model::action::ActionRelation;
use sql::model::names::is_graphql;
use sql::postgres::catalog::TableId;
use sql::schema::{Object, TypeKey, TypeRef};

use super::Compiler;
use crate::actions::Fault;
use crate::actions::definition::RelationDefinition;

impl Compiler<'_> {
    pub(super) fn relation(&mut self, relation: &RelationDefinition) {
        let file = &self.source.definitions;
        let Some(TypeKey::Object(Object::Action(index))) =
            self.names.get(&relation.object.value).copied()
        else {
            let fault = Fault::UnknownObject {
                name: relation.object.value.clone(),
            };
            return self.add(fault, file, relation.object.span.clone());
        };
        let Some(named) = &relation.table else {
            let fault = Fault::NoKeys {
                relation: relation.name.value.clone(),
            };
            return self.add(fault, file, relation.name.span.clone());
        };
        let Some(table) = self.table(&named.value) else {
            return self.add(
                Fault::UnknownTable {
                    table: named.value.clone(),
                },
                file,
                named.span.clone(),
            );
        };
        if relation.on.is_empty() {
            let fault = Fault::NoKeys {
                relation: relation.name.value.clone(),
            };
            return self.add(fault, file, relation.name.span.clone());
        }
        let object = self.declared.objects.get(index as usize).cloned();
        let Some(object) = object else { return };
        let name = relation.name.value.clone();
        let is_twice = object.fields.iter().any(|field| field.name == name)
            || object.relations.iter().any(|known| known.name == name);
        if is_twice || !is_graphql(&name) {
            let fault = if is_twice {
                Fault::Twice { name }
            } else {
                Fault::NotAName { name }
            };
            return self.add(fault, file, relation.name.span.clone());
        }
        let mut on = vec![];
        for (field, column) in &relation.on {
            let Some(known) = object.fields.iter().find(|known| known.name == field.value) else {
                let fault = Fault::UnknownField {
                    field: field.value.clone(),
                    name: object.name.clone(),
                };
                self.add(fault, file, field.span.clone());
                continue;
            };
            let entry = self.catalog.table(table);
            let Some(id) = entry.find(&column.value) else {
                let fault = Fault::UnknownColumn {
                    column: column.value.clone(),
                    table: named.value.clone(),
                };
                self.add(fault, file, column.span.clone());
                continue;
            };
            let expected = self
                .schema()
                .map(|schema| schema.scalar(entry.column(id).r#type).name.clone())
                .unwrap_or_default();
            let found = self.type_name(known.r#type);
            if found != expected && found != "ID" {
                let field = field.value.clone();
                let column_name = column.value.clone();
                let fault = Fault::KeyTypes {
                    field,
                    found,
                    column: column_name,
                    expected,
                };
                self.add(fault, file, column.span.clone());
                continue;
            }
            on.push((known.name.clone(), id));
        }
        if let Some(object) = self
            .declared
            .objects
            .get_mut(index as usize)
            .filter(|_| on.len() == relation.on.len())
        {
            object.relations.push(ActionRelation {
                name: relation.name.value.clone(),
                table,
                on,
                one: relation.one,
            });
        }
    }

    /// An exposed table, as the permission file names tables.
    fn table(&self, named: &str) -> Option<TableId> {
        let (schema, name) = named.split_once('.').unwrap_or(("public", named));
        let found = self.catalog.find(schema, name)?;
        self.permissions
            .model
            .exposed(found)
            .map(|exposed| exposed.table)
    }

    /// The name of a type that is no list.
    fn type_name(&self, r#type: TypeRef) -> String {
        match r#type.named {
            _ if r#type.list => "list".to_owned(),
            TypeKey::BuiltIn(built_in) => built_in.name().to_owned(),
            TypeKey::Scalar(oid) => self
                .schema()
                .map(|schema| schema.scalar(oid).name.clone())
                .unwrap_or_default(),
            named => self
                .declared
                .type_name(named)
                .unwrap_or_default()
                .to_owned(),
        }
    }
}
