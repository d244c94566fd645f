//! Parses TOML into [`File`], reporting unknown keys and values of the wrong type.

mod aggregates;
mod functions;

use sql::model::DefaultExposure;
use sql::model::access::RootKinds;
use sql::model::names::{Convention, RootKind};
use toml::de::DeValue;

use super::values::{Fields, Reader, Value, columns, count, missing, per_column};
use super::{
    Alias, ColumnsEntry, DeleteEntry, File, InsertEntry, LengthsEntry, NamedRule, RelationEntry,
    RoleDefinition, RoleEntry, SelectEntry, SettingsEntry, SpannedValue, TableEntry, Text,
    UpdateEntry,
};
use crate::fault::Fault;
use crate::left_out::LeftOut;
use crate::report::Report;
use crate::similar_names::listed;

const SELECT_ROOTS: [RootKind; 6] = [
    RootKind::List,
    RootKind::One,
    RootKind::Aggregate,
    RootKind::Group,
    RootKind::Connection,
    RootKind::Stream,
];
const INSERT_ROOTS: [RootKind; 2] = [RootKind::Insert, RootKind::InsertOne];
const UPDATE_ROOTS: [RootKind; 3] = [RootKind::Update, RootKind::UpdateOne, RootKind::UpdateMany];
const DELETE_ROOTS: [RootKind; 2] = [RootKind::Delete, RootKind::DeleteOne];

/// Reads the file in one piece. If it is not valid TOML, only the syntax errors are reported.
pub(super) fn read_whole(report: &mut Report<'_>, left_out: &LeftOut) -> Option<File> {
    let (file, problems) =
        Reader::read_without(report.file, left_out, |mut fields| file(&mut fields));
    report.problems.extend(problems);
    file
}

/// Reads the outermost table.
pub(super) fn file(fields: &mut Fields<'_, '_>) -> File {
    let naming = fields.read("naming", naming).unwrap_or_default();
    let file = File {
        convention: naming.convention,
        graphql_enums: naming.graphql_enums,
        offer: DefaultExposure::default(),
        event_session: false,
        session: fields.texts("session"),
        settings: fields.read("settings", settings_entry).unwrap_or_default(),
        rules: fields.each("rules", named_rule),
        tables: fields.each("table", table),
        roles: fields.each("role", role_definition),
        functions: fields.each("function", functions::function),
    };
    fields.finish("the permission file");
    file
}

/// `[naming]`
#[derive(Default)]
struct Naming {
    convention: Option<Convention>,
    graphql_enums: bool,
}

fn naming(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<Naming> {
    let mut fields = reader.table(key, "a table", value)?;
    let naming = Naming {
        convention: fields.read("convention", convention),
        graphql_enums: fields.read("enums", graphql_enums).unwrap_or_default(),
    };
    fields.finish("`[naming]`");
    Some(naming)
}

/// Reads how the enums of Postgres appear in GraphQL.
fn graphql_enums(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<bool> {
    let text = reader.text(key, value)?;
    match text.value.as_str() {
        "graphql" => Some(true),
        "scalar" => Some(false),
        _ => {
            let fault = Fault::UnknownWord {
                word: text.value,
                what: "form of enums",
            };
            reader.add_with(fault, text.span, "the forms are `graphql` and `scalar`");
            None
        }
    }
}

/// Reads `[settings]`. Names of settings have a dot, so `reads` is none.
fn settings_entry(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<SettingsEntry> {
    let mut entry = SettingsEntry::default();
    for (name, value) in reader.pairs(key, "a table", value)? {
        match value.get_ref() {
            DeValue::Table(_) => {
                let prefix = format!("{}.", name.value);
                entry.values.extend(
                    settings(reader, &name, value, &prefix)
                        .into_iter()
                        .flatten(),
                );
            }
            _ if name.value == "reads" => {
                entry.reads = reader.boolean(&name, value).unwrap_or_default();
            }
            _ => entry
                .values
                .extend(reader.text(&name, value).map(|text| (name, text))),
        }
    }
    Some(entry)
}

/// Reads settings below a prefix. TOML parses names with dots that are not quoted as nested tables.
fn settings(
    reader: &mut Reader,
    key: &Text,
    value: &Value<'_>,
    prefix: &str,
) -> Option<Vec<(Text, Text)>> {
    let mut texts = vec![];
    for (key, value) in reader.pairs(key, "a table", value)? {
        let key = SpannedValue {
            value: format!("{prefix}{}", key.value),
            span: key.span,
        };
        match value.get_ref() {
            DeValue::Table(_) => {
                texts.extend(
                    settings(reader, &key, value, &format!("{}.", key.value))
                        .into_iter()
                        .flatten(),
                );
            }
            _ => texts.extend(reader.text(&key, value).map(|text| (key, text))),
        }
    }
    Some(texts)
}

fn convention(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<Convention> {
    let text = reader.text(key, value)?;
    match text.value.as_str() {
        "snake" => Some(Convention::Snake),
        "camel" => Some(Convention::Camel),
        "graphql-default" => Some(Convention::GraphqlDefault),
        _ => {
            let fault = Fault::UnknownWord {
                word: text.value,
                what: "naming convention",
            };
            reader.add_with(
                fault,
                text.span,
                "the conventions are `snake`, `camel` and `graphql-default`",
            );
            None
        }
    }
}

fn named_rule(reader: &mut Reader, name: Text, value: &Value<'_>) -> Option<NamedRule> {
    let mut fields = reader.fields(&name, value);
    let args = fields.list("args");
    let sql = fields.text("sql");
    fields.finish("a named rule");
    if sql.is_none() {
        missing::<()>(
            reader,
            "sql",
            format!("named rule `{}`", name.value),
            &name.span,
        );
    }
    Some(NamedRule {
        name,
        args,
        sql: sql?,
    })
}

fn role_definition(reader: &mut Reader, name: Text, value: &Value<'_>) -> Option<RoleDefinition> {
    let mut fields = reader.fields(&name, value);
    let role = RoleDefinition {
        name,
        inherits: fields.list("inherits"),
        introspection: fields.boolean("introspection").unwrap_or(true),
        dry_run: fields.boolean("dry_run").unwrap_or(false),
        set_role: fields.text("set_role"),
    };
    fields.finish("a role");
    Some(role)
}

fn table(reader: &mut Reader, key: Text, value: &Value<'_>) -> Option<TableEntry> {
    let mut fields = reader.fields(&key, value);
    let entry = TableEntry {
        key,
        name: fields.text("name"),
        type_name: fields.text("type"),
        convention: fields.read("convention", convention),
        exposed: fields.boolean("exposed").unwrap_or(true),
        is_enum: fields.read("enum", |reader, key, value| {
            reader.boolean(key, value)?.then(|| key.span.clone())
        }),
        declared_key: fields.list("key"),
        connection: fields.boolean("connection").unwrap_or(false),
        comment: fields.text("comment").map(|text| text.value),
        comments: fields.texts("comments"),
        columns: fields.texts("column"),
        roots: fields.each("root", |reader, key, value| {
            let name = reader.text(&key, value)?;
            Some((root_kind(reader, &key)?, name))
        }),
        aliases: fields
            .each("aliases", |reader, kind, value| {
                aliases(reader, &kind, value)
            })
            .into_iter()
            .flatten()
            .collect(),
        relations: fields.each("relation", relation),
        computed: fields.each("computed", functions::computed),
        roles: fields.each("role", role),
    };
    fields.finish("a table");
    Some(entry)
}

/// Reads the aliases of one kind of root field.
fn aliases(
    reader: &mut Reader,
    key: &Text,
    value: &Value<'_>,
) -> Option<Vec<(SpannedValue<RootKind>, Alias)>> {
    let kind = root_kind(reader, key)?;
    let DeValue::Array(items) = value.get_ref() else {
        return reader.wrong_type(key, "a list", value);
    };
    Some(
        items
            .iter()
            .filter_map(|item| Some((kind.clone(), alias(reader, key, item)?)))
            .collect(),
    )
}

fn alias(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<Alias> {
    if let DeValue::String(name) = value.get_ref() {
        return Some(Alias {
            name: SpannedValue {
                value: name.to_string(),
                span: value.span(),
            },
            input: None,
        });
    }
    let mut fields = reader.table(key, "a table", value)?;
    let name = fields.text("name");
    let input = fields.text("input");
    fields.finish("an alias");
    if name.is_none() {
        missing::<()>(reader, "name", "the alias".to_owned(), &value.span());
    }
    Some(Alias { name: name?, input })
}

fn root_kind(reader: &mut Reader, key: &Text) -> Option<SpannedValue<RootKind>> {
    match RootKind::ALL.iter().find(|(_, name)| *name == key.value) {
        Some((kind, _)) => Some(SpannedValue {
            value: *kind,
            span: key.span.clone(),
        }),
        None => {
            let known: Vec<&str> = RootKind::ALL.iter().map(|(_, name)| *name).collect();
            reader.unknown(key, "root fields", &known);
            None
        }
    }
}

fn relation(reader: &mut Reader, name: Text, value: &Value<'_>) -> Option<(Text, RelationEntry)> {
    if let DeValue::Boolean(false) = value.get_ref() {
        return Some((name, RelationEntry::Hidden));
    }
    let mut fields = reader.table(&name, "`false` or a table", value)?;
    let columns = fields.read("column", |reader, key, value| match value.get_ref() {
        DeValue::Array(_) => reader.list(key, value),
        _ => Some(reader.text(key, value).into_iter().collect()),
    });
    let table = fields.text("table");
    let has_on = fields.contains("on");
    let on = Some(fields.texts("on")).filter(|_| has_on);
    let one = fields.read("one", |reader, key, value| {
        reader.boolean(key, value).map(|value| SpannedValue {
            value,
            span: key.span.clone(),
        })
    });
    fields.finish("a relation");
    let entry = relation_entry(reader, &name, columns, table, on, one)?;
    Some((name, entry))
}

fn relation_entry(
    reader: &mut Reader,
    name: &Text,
    columns: Option<Vec<Text>>,
    table: Option<Text>,
    on: Option<Vec<(Text, Text)>>,
    one: Option<SpannedValue<bool>>,
) -> Option<RelationEntry> {
    let within = format!("relation `{}`", name.value);
    if let (Some(one), None) = (&one, &on) {
        reader.add_with(
            Fault::UnknownKey {
                key: "one".into(),
                within: "a relation over a foreign key",
            },
            one.span.clone(),
            "the foreign key determines how many rows there are; `one` is used only with `on`",
        );
    }
    match (columns, table, on) {
        (Some(_), _, Some(_)) => {
            reader.add(
                Fault::Together {
                    one: "column",
                    other: "on",
                    within,
                },
                name.span.clone(),
            );
            None
        }
        (None, Some(table), Some(on)) if !on.is_empty() => Some(RelationEntry::ByHand {
            table,
            on,
            one: one.is_some_and(|one| one.value),
        }),
        (None, None, Some(_)) => missing(reader, "table", within, &name.span),
        (None, Some(_), _) => missing(reader, "on", within, &name.span),
        (Some(columns), Some(table), None) => Some(RelationEntry::There { table, columns }),
        (Some(columns), None, None) => Some(RelationEntry::Here { columns }),
        (None, None, None) => missing(reader, "column", within, &name.span),
    }
}

fn role(reader: &mut Reader, role: Text, value: &Value<'_>) -> Option<RoleEntry> {
    let mut fields = reader.fields(&role, value);
    let entry = RoleEntry {
        role,
        select: fields.read("select", select),
        insert: fields.read("insert", insert),
        update: fields.read("update", update),
        delete: fields.read("delete", delete),
    };
    fields.finish("a role's grants");
    Some(entry)
}

fn select(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<SelectEntry> {
    let mut fields = reader.table(key, "a table", value)?;
    let entry = SelectEntry {
        columns: granted_columns(&mut fields, key),
        rows: rule(&mut fields, "rows"),
        limit: fields.read("limit", count),
        aggregates: fields.read("aggregates", aggregates::aggregates),
        computed: fields.list("computed"),
        masks: fields.texts("mask"),
        roots: granted_roots(&mut fields, &SELECT_ROOTS),
    };
    finish_grant(fields, "a select grant", "rows", key);
    Some(entry)
}

fn insert(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<InsertEntry> {
    let mut fields = reader.table(key, "a table", value)?;
    let entry = InsertEntry {
        span: key.span.clone(),
        columns: granted_columns(&mut fields, key),
        check: rule(&mut fields, "check"),
        preset: fields.texts("preset"),
        max_rows: fields.read("max_rows", count),
        lengths: lengths(&mut fields),
        backend_only: backend_only(&mut fields),
        roots: granted_roots(&mut fields, &INSERT_ROOTS),
    };
    if let Some(key) = fields.take("rows") {
        let fault = Fault::UnknownKey {
            key: key.value,
            within: "an insert grant",
        };
        fields.reader().add_with(
            fault,
            key.span,
            "an insert has a `check`: a condition on the new row",
        );
    }
    finish_grant(fields, "an insert grant", "check", key);
    Some(entry)
}

fn update(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<UpdateEntry> {
    let mut fields = reader.table(key, "a table", value)?;
    let entry = UpdateEntry {
        span: key.span.clone(),
        columns: granted_columns(&mut fields, key),
        rows: rule(&mut fields, "rows"),
        check: rule(&mut fields, "check"),
        preset: fields.texts("preset"),
        max_affected: fields.read("max_affected", count),
        lengths: lengths(&mut fields),
        backend_only: backend_only(&mut fields),
        roots: granted_roots(&mut fields, &UPDATE_ROOTS),
    };
    finish_grant(fields, "an update grant", "rows", key);
    Some(entry)
}

fn delete(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<DeleteEntry> {
    let mut fields = reader.table(key, "a table", value)?;
    let entry = DeleteEntry {
        span: key.span.clone(),
        rows: rule(&mut fields, "rows"),
        max_affected: fields.read("max_affected", count),
        backend_only: backend_only(&mut fields),
        roots: granted_roots(&mut fields, &DELETE_ROOTS),
    };
    finish_grant(fields, "a delete grant", "rows", key);
    Some(entry)
}

/// The keys `max_length` and `max_items` of a grant to write.
fn lengths(fields: &mut Fields<'_, '_>) -> LengthsEntry {
    LengthsEntry {
        characters: fields.read("max_length", per_column).unwrap_or_default(),
        elements: fields.read("max_items", per_column).unwrap_or_default(),
    }
}

/// The root fields of a grant. Without the key, all root fields of the grant's kinds are granted.
fn granted_roots(fields: &mut Fields<'_, '_>, kinds: &[RootKind]) -> RootKinds {
    let Some(names) = fields.read("roots", Reader::list) else {
        return RootKinds::ALL;
    };
    let kind_of = |name: Text| {
        let found = kinds.iter().find(|kind| kind.key() == name.value);
        if found.is_none() {
            let known = listed(kinds.iter().map(|kind| kind.key()));
            let fault = Fault::UnknownWord {
                word: name.value,
                what: "root field of this grant",
            };
            fields
                .reader()
                .add_with(fault, name.span, format!("they are {known}"));
        }
        found.copied()
    };
    names.into_iter().filter_map(kind_of).collect()
}

/// The key `columns`, which the grant must have.
fn granted_columns(fields: &mut Fields<'_, '_>, grant: &Text) -> Option<ColumnsEntry> {
    if !fields.contains("columns") {
        let fault = Fault::Missing {
            key: "columns",
            within: format!("the {} grant", grant.value),
        };
        fields.reader().add_with(
            fault,
            grant.span.clone(),
            "columns = \"*\" grants every column",
        );
    }
    fields.read("columns", columns)
}

fn rule(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Text> {
    fields.read(key, |reader, key, value| match value.get_ref() {
        DeValue::Boolean(all) => {
            let fault = Fault::WrongType {
                key: key.value.clone(),
                expected: "a string",
                found: "a boolean",
            };
            reader.add_with(
                fault,
                value.span(),
                format!("write {} = \"{all}\"", key.value),
            );
            None
        }
        _ => reader.text(key, value),
    })
}

/// A value of the wrong type, which is reported, restricts the grant.
fn backend_only(fields: &mut Fields<'_, '_>) -> bool {
    fields
        .boolean("backend_only")
        .unwrap_or(fields.contains("backend_only"))
}

/// Reports unknown keys, and the absence of the rule that the grant must have.
fn finish_grant(
    mut fields: Fields<'_, '_>,
    within: &'static str,
    rule: &'static str,
    grant: &Text,
) {
    if let Some(key) = fields.take("functions") {
        fields.reader().add(
            Fault::NotYet {
                what: format!("the key `{}`", key.value),
            },
            key.span,
        );
    }
    fields.finish(within);
    if !fields.contains(rule) {
        let fault = Fault::Missing {
            key: rule,
            within: format!("the {} grant", grant.value),
        };
        fields.reader().add_with(
            fault,
            grant.span.clone(),
            format!("{rule} = \"true\" means every row"),
        );
    }
}
