//! Parses TOML into [`File`], reporting unknown keys and values of the wrong type.

mod aggregates;
mod functions;

use std::ops::Range;

use sql::model::names::{Convention, RootKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::*;
use crate::diagnostic_kind::Fault;
use crate::report::{Report, did_you_mean, listed};

type Value<'i> = Spanned<DeValue<'i>>;

const SELECT_ROOTS: [RootKind; 6] =
    [RootKind::List, RootKind::One, RootKind::Aggregate, RootKind::Group, RootKind::Connection, RootKind::Stream];
const INSERT_ROOTS: [RootKind; 2] = [RootKind::Insert, RootKind::InsertOne];
const UPDATE_ROOTS: [RootKind; 3] = [RootKind::Update, RootKind::UpdateOne, RootKind::UpdateMany];
const DELETE_ROOTS: [RootKind; 2] = [RootKind::Delete, RootKind::DeleteOne];

/// Parses the file. If it is not valid TOML, only the syntax errors are reported.
pub(crate) fn read(report: &mut Report<'_>) -> Option<File> {
    let text = report.file.text.clone();
    let (table, errors) = DeTable::parse_recoverable(&text);
    for error in &errors {
        let message = error.message().to_owned();
        report.add(Fault::Syntax { message }, &error.span().unwrap_or(0..0));
    }
    if !errors.is_empty() {
        return None;
    }
    Some(Reader { report }.file(table.get_ref()))
}

struct Reader<'r, 'a> {
    report: &'r mut Report<'a>,
}

/// The pairs of a table, in file order.
fn pairs<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(Text, &'t Value<'i>)> {
    let text = |key: &Spanned<_>| SpannedValue {
        value: String::from(&**AsRef::<std::borrow::Cow<'_, str>>::as_ref(key)),
        span: key.span(),
    };
    let mut pairs: Vec<_> = table.iter().map(|(key, value)| (text(key), value)).collect();
    pairs.sort_by_key(|(key, _)| key.span.start);
    pairs
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl Reader<'_, '_> {
    fn file(&mut self, table: &DeTable<'_>) -> File {
        const KEYS: [&str; 7] = ["naming", "session", "settings", "rules", "table", "role", "function"];
        let mut file = File::default();
        for (key, value) in pairs(table) {
            match key.value.as_str() {
                "naming" => file.convention = self.naming(&key, value),
                "session" => file.session = self.texts(&key, value),
                "settings" => file.settings = self.settings(&key, value, ""),
                "rules" => file.rules = self.each(&key, value, Self::named_rule),
                "table" => file.tables = self.each(&key, value, Self::table),
                "role" => file.roles = self.each(&key, value, Self::role_definition),
                "function" => file.functions = self.each(&key, value, Self::function),
                _ => self.unknown(&key, "the permission file", &KEYS),
            }
        }
        file
    }

    fn naming(&mut self, key: &Text, value: &Value<'_>) -> Option<Convention> {
        let mut convention = None;
        for (key, value) in self.table_of(key, value) {
            match key.value.as_str() {
                "convention" => convention = self.convention(&key, value),
                _ => self.unknown(&key, "`[naming]`", &["convention"]),
            }
        }
        convention
    }

    /// Reads `[settings]`: names with dots, quoted or not. TOML parses unquoted ones as nested tables.
    fn settings(&mut self, key: &Text, value: &Value<'_>, prefix: &str) -> Vec<(Text, Text)> {
        let mut settings = vec![];
        for (key, value) in self.table_of(key, value) {
            let key = SpannedValue { value: format!("{prefix}{}", key.value), span: key.span };
            match value.get_ref() {
                DeValue::Table(_) => settings.extend(self.settings(&key, value, &format!("{}.", key.value))),
                _ => settings.extend(self.text(&key, value).map(|text| (key, text))),
            }
        }
        settings
    }

    fn convention(&mut self, key: &Text, value: &Value<'_>) -> Option<Convention> {
        let text = self.text(key, value)?;
        match text.value.as_str() {
            "snake" => Some(Convention::Snake),
            "camel" => Some(Convention::Camel),
            "graphql-default" => Some(Convention::GraphqlDefault),
            _ => {
                let help = "the conventions are `snake`, `camel` and `graphql-default`".to_owned();
                let fault = Fault::UnknownWord { word: text.value, what: "naming convention" };
                self.report.add_with(fault, &text.span, Some(help));
                None
            }
        }
    }

    fn named_rule(&mut self, name: Text, value: &Value<'_>) -> Option<NamedRule> {
        let (mut args, mut sql) = (vec![], None);
        for (key, value) in self.table_of(&name, value) {
            match key.value.as_str() {
                "args" => args = self.list_of_texts(&key, value),
                "sql" => sql = self.text(&key, value),
                _ => self.unknown(&key, "a named rule", &["args", "sql"]),
            }
        }
        if sql.is_none() {
            let within = format!("named rule `{}`", name.value);
            self.missing::<()>("sql", within, &name.span);
        }
        Some(NamedRule { name, args, sql: sql? })
    }

    fn role_definition(&mut self, name: Text, value: &Value<'_>) -> Option<RoleDefinition> {
        let mut role = RoleDefinition { name, inherits: vec![], introspection: true, dry_run: false };
        for (key, value) in self.table_of(&role.name.clone(), value) {
            match key.value.as_str() {
                "inherits" => role.inherits = self.list_of_texts(&key, value),
                "introspection" => role.introspection = self.boolean(&key, value).unwrap_or(true),
                "dry_run" => role.dry_run = self.boolean(&key, value).unwrap_or(false),
                _ => self.unknown(&key, "a role", &["inherits", "introspection", "dry_run"]),
            }
        }
        Some(role)
    }

    fn table(&mut self, name: Text, value: &Value<'_>) -> Option<TableEntry> {
        const KEYS: &[&str] = &[
            "name",
            "type",
            "convention",
            "exposed",
            "enum",
            "key",
            "connection",
            "comment",
            "comments",
            "column",
            "root",
            "aliases",
            "relation",
            "computed",
            "role",
        ];
        let mut entry = TableEntry::new(name);
        for (key, value) in self.table_of(&entry.key.clone(), value) {
            match key.value.as_str() {
                "name" => entry.name = self.text(&key, value),
                "type" => entry.type_name = self.text(&key, value),
                "convention" => entry.convention = self.convention(&key, value),
                "exposed" => entry.exposed = self.boolean(&key, value).unwrap_or(true),
                "enum" => entry.is_enum = self.boolean(&key, value).filter(|is| *is).map(|_| key.span.clone()),
                "key" => entry.declared_key = self.list_of_texts(&key, value),
                "connection" => entry.connection = self.boolean(&key, value).unwrap_or(false),
                "comment" => entry.comment = self.text(&key, value).map(|text| text.value),
                "comments" => entry.comments = self.texts(&key, value),
                "column" => entry.columns = self.texts(&key, value),
                "root" => entry.roots = self.roots(&key, value),
                "aliases" => entry.aliases = self.aliases(&key, value),
                "relation" => entry.relations = self.each(&key, value, Self::relation),
                "role" => entry.roles = self.each(&key, value, Self::role),
                "computed" => entry.computed = self.each(&key, value, Self::computed),
                _ => self.unknown(&key, "a table", KEYS),
            }
        }
        Some(entry)
    }

    fn roots(&mut self, key: &Text, value: &Value<'_>) -> Vec<(SpannedValue<RootKind>, Text)> {
        let names = self.texts(key, value);
        names.into_iter().filter_map(|(kind, name)| Some((self.root_kind(&kind)?, name))).collect()
    }

    fn aliases(&mut self, key: &Text, value: &Value<'_>) -> Vec<(SpannedValue<RootKind>, Alias)> {
        let mut aliases = vec![];
        for (key, value) in self.table_of(key, value) {
            let Some(kind) = self.root_kind(&key) else { continue };
            for item in self.list(&key, value) {
                aliases.extend(self.alias(&key, item).map(|alias| (kind.clone(), alias)));
            }
        }
        aliases
    }

    fn alias(&mut self, key: &Text, value: &Value<'_>) -> Option<Alias> {
        if let DeValue::String(name) = value.get_ref() {
            return Some(Alias { name: SpannedValue { value: name.to_string(), span: value.span() }, input: None });
        }
        let (mut name, mut input) = (None, None);
        for (key, value) in self.table_of(key, value) {
            match key.value.as_str() {
                "name" => name = self.text(&key, value),
                "input" => input = self.text(&key, value),
                _ => self.unknown(&key, "an alias", &["name", "input"]),
            }
        }
        if name.is_none() && matches!(value.get_ref(), DeValue::Table(_)) {
            self.missing::<()>("name", "the alias".to_owned(), &value.span());
        }
        Some(Alias { name: name?, input })
    }

    fn root_kind(&mut self, key: &Text) -> Option<SpannedValue<RootKind>> {
        let kind = RootKind::ALL.iter().find(|(_, name)| *name == key.value).map(|(kind, _)| *kind);
        match kind {
            Some(kind) => Some(SpannedValue { value: kind, span: key.span.clone() }),
            None => {
                let known: Vec<&str> = RootKind::ALL.iter().map(|(_, name)| *name).collect();
                self.unknown(key, "root fields", &known);
                None
            }
        }
    }

    fn relation(&mut self, name: Text, value: &Value<'_>) -> Option<(Text, RelationEntry)> {
        if let DeValue::Boolean(false) = value.get_ref() {
            return Some((name, RelationEntry::Hidden));
        }
        let DeValue::Table(fields) = value.get_ref() else {
            return self.wrong_type(&name, "`false` or a table", value);
        };
        let (mut columns, mut table, mut on, mut one) = (None, None, None, None);
        for (key, value) in pairs(fields) {
            match key.value.as_str() {
                "column" => columns = Some(self.one_or_more(&key, value)),
                "table" => table = self.text(&key, value),
                "on" => on = Some(self.texts(&key, value)),
                "one" => one = self.boolean(&key, value).map(|value| SpannedValue { value, span: key.span }),
                _ => self.unknown(&key, "a relation", &["column", "table", "on", "one"]),
            }
        }
        let entry = self.relation_entry(&name, columns, table, on, one)?;
        Some((name, entry))
    }

    fn relation_entry(
        &mut self,
        name: &Text,
        columns: Option<Vec<Text>>,
        table: Option<Text>,
        on: Option<Vec<(Text, Text)>>,
        one: Option<SpannedValue<bool>>,
    ) -> Option<RelationEntry> {
        let within = format!("relation `{}`", name.value);
        if let (Some(one), None) = (&one, &on) {
            self.report.add_with(
                Fault::UnknownKey { key: "one".into(), within: "a relation over a foreign key" },
                &one.span,
                Some("the key itself says how many rows there are; `one` goes with `on`".into()),
            );
        }
        match (columns, table, on) {
            (Some(_), _, Some(_)) => {
                self.report.add(Fault::Together { one: "column", other: "on", within }, &name.span);
                None
            }
            (None, Some(table), Some(on)) if !on.is_empty() => {
                Some(RelationEntry::ByHand { table, on, one: one.is_some_and(|one| one.value) })
            }
            (None, None, Some(_)) => self.missing("table", within, &name.span),
            (None, Some(_), _) => self.missing("on", within, &name.span),
            (Some(columns), Some(table), None) => Some(RelationEntry::There { table, columns }),
            (Some(columns), None, None) => Some(RelationEntry::Here { columns }),
            (None, None, None) => self.missing("column", within, &name.span),
        }
    }

    fn role(&mut self, role: Text, value: &Value<'_>) -> Option<RoleEntry> {
        let mut entry = RoleEntry { role, select: None, insert: None, update: None, delete: None };
        for (key, value) in self.table_of(&entry.role.clone(), value) {
            match key.value.as_str() {
                "select" => entry.select = self.select(&key, value),
                "insert" => entry.insert = self.insert(&key, value),
                "update" => entry.update = self.update(&key, value),
                "delete" => entry.delete = self.delete(&key, value),
                _ => self.unknown(&key, "a role's grants", &["select", "insert", "update", "delete"]),
            }
        }
        Some(entry)
    }

    fn select(&mut self, key: &Text, value: &Value<'_>) -> Option<SelectEntry> {
        const KEYS: &[&str] = &["columns", "rows", "limit", "aggregates", "computed", "mask", "roots"];
        let mut entry = SelectEntry::default();
        let Grant { pairs, columns } = self.grant(key, value, true)?;
        entry.columns = columns;
        for (key, value) in pairs {
            match key.value.as_str() {
                "columns" => {}
                "rows" => entry.rows = self.rule(&key, value),
                "limit" => entry.limit = self.count(&key, value),
                "aggregates" => entry.aggregates = self.aggregates(&key, value),
                "computed" => entry.computed = self.list_of_texts(&key, value),
                "mask" => entry.masks = self.texts(&key, value),
                "roots" => entry.roots = self.granted_roots(&key, value, &SELECT_ROOTS),
                _ => self.unknown_of_grant(&key, "a select grant", KEYS),
            }
        }
        self.required("rows", "select", &entry.rows, key, &pairs_of(value));
        Some(entry)
    }

    fn insert(&mut self, key: &Text, value: &Value<'_>) -> Option<InsertEntry> {
        const KEYS: &[&str] = &["columns", "check", "preset", "backend_only", "roots"];
        let span = key.span.clone();
        let mut entry =
            InsertEntry { span, columns: None, check: None, preset: vec![], backend_only: false, roots: None };
        let Grant { pairs, columns } = self.grant(key, value, true)?;
        entry.columns = columns;
        for (key, value) in pairs {
            match key.value.as_str() {
                "columns" => {}
                "check" => entry.check = self.rule(&key, value),
                "preset" => entry.preset = self.texts(&key, value),
                "backend_only" => entry.backend_only = self.boolean(&key, value).unwrap_or(true),
                "roots" => entry.roots = self.granted_roots(&key, value, &INSERT_ROOTS),
                "rows" => self.wrong_rule(&key),
                _ => self.unknown_of_grant(&key, "an insert grant", KEYS),
            }
        }
        self.required("check", "insert", &entry.check, key, &pairs_of(value));
        Some(entry)
    }

    fn update(&mut self, key: &Text, value: &Value<'_>) -> Option<UpdateEntry> {
        const KEYS: &[&str] = &["columns", "rows", "check", "preset", "max_affected", "backend_only", "roots"];
        let mut entry = UpdateEntry::new(key.span.clone());
        let Grant { pairs, columns } = self.grant(key, value, true)?;
        entry.columns = columns;
        for (key, value) in pairs {
            match key.value.as_str() {
                "columns" => {}
                "rows" => entry.rows = self.rule(&key, value),
                "check" => entry.check = self.rule(&key, value),
                "preset" => entry.preset = self.texts(&key, value),
                "max_affected" => entry.max_affected = self.count(&key, value),
                "backend_only" => entry.backend_only = self.boolean(&key, value).unwrap_or(true),
                "roots" => entry.roots = self.granted_roots(&key, value, &UPDATE_ROOTS),
                _ => self.unknown_of_grant(&key, "an update grant", KEYS),
            }
        }
        self.required("rows", "update", &entry.rows, key, &pairs_of(value));
        Some(entry)
    }

    fn delete(&mut self, key: &Text, value: &Value<'_>) -> Option<DeleteEntry> {
        const KEYS: &[&str] = &["rows", "max_affected", "backend_only", "roots"];
        let span = key.span.clone();
        let mut entry = DeleteEntry { span, rows: None, max_affected: None, backend_only: false, roots: None };
        for (key, value) in self.grant(key, value, false)?.pairs {
            match key.value.as_str() {
                "rows" => entry.rows = self.rule(&key, value),
                "max_affected" => entry.max_affected = self.count(&key, value),
                "backend_only" => entry.backend_only = self.boolean(&key, value).unwrap_or(true),
                "roots" => entry.roots = self.granted_roots(&key, value, &DELETE_ROOTS),
                _ => self.unknown_of_grant(&key, "a delete grant", KEYS),
            }
        }
        self.required("rows", "delete", &entry.rows, key, &pairs_of(value));
        Some(entry)
    }

    /// The root fields of a grant. Without the key, all root fields of the grant's kinds are granted.
    fn granted_roots(&mut self, key: &Text, value: &Value<'_>, kinds: &[RootKind]) -> Option<Vec<RootKind>> {
        let DeValue::Array(_) = value.get_ref() else {
            return self.wrong_type(key, "a list", value);
        };
        let mut roots = vec![];
        for name in self.list_of_texts(key, value) {
            let kind = kinds.iter().find(|kind| kind.key() == name.value);
            match kind {
                Some(kind) => roots.push(*kind),
                None => {
                    let known = listed(kinds.iter().map(|kind| kind.key()));
                    let fault = Fault::UnknownWord { word: name.value, what: "root field of this grant" };
                    self.report.add_with(fault, &name.span, Some(format!("they are {known}")));
                }
            }
        }
        Some(roots)
    }

    /// The keys of a grant, with its columns if that kind of grant has columns.
    fn grant<'t, 'i>(&mut self, key: &Text, value: &'t Value<'i>, with_columns: bool) -> Option<Grant<'t, 'i>> {
        let DeValue::Table(fields) = value.get_ref() else {
            return self.wrong_type(key, "a table", value);
        };
        let pairs = pairs(fields);
        let written = pairs.iter().find(|(key, _)| key.value == "columns");
        let columns = match written {
            Some((key, value)) if with_columns => self.columns(key, value),
            None if with_columns => {
                let help = Some("columns = \"*\" grants every column".to_owned());
                let within = format!("the {} grant", key.value);
                self.report.add_with(Fault::Missing { key: "columns", within }, &key.span, help);
                None
            }
            _ => None,
        };
        Some(Grant { pairs, columns })
    }

    fn columns(&mut self, key: &Text, value: &Value<'_>) -> Option<ColumnsEntry> {
        match value.get_ref() {
            DeValue::String(text) if text == "*" => Some(ColumnsEntry::Every),
            DeValue::Array(_) => Some(ColumnsEntry::These(self.list_of_texts(key, value))),
            _ => self.wrong_type(key, "a list of columns or \"*\"", value),
        }
    }

    /// Reports a grant without its rule, unless the rule has the wrong type, which `rule` reports.
    fn required(&mut self, rule: &'static str, action: &str, written: &Option<Text>, key: &Text, keys: &[String]) {
        if written.is_none() && !keys.iter().any(|key| key == rule) {
            let help = Some(format!("{rule} = \"true\" means every row"));
            let within = format!("the {action} grant");
            self.report.add_with(Fault::Missing { key: rule, within }, &key.span, help);
        }
    }

    fn rule(&mut self, key: &Text, value: &Value<'_>) -> Option<Text> {
        if let DeValue::Boolean(all) = value.get_ref() {
            let fault = Fault::WrongType { key: key.value.clone(), expected: "a string", found: "a boolean" };
            self.report.add_with(fault, &value.span(), Some(format!("write {} = \"{all}\"", key.value)));
            return None;
        }
        self.text(key, value)
    }

    fn wrong_rule(&mut self, key: &Text) {
        let fault = Fault::UnknownKey { key: key.value.clone(), within: "an insert grant" };
        let help = "an insert has a `check`: what has to be true of the new row".to_owned();
        self.report.add_with(fault, &key.span, Some(help));
    }

    fn unknown_of_grant(&mut self, key: &Text, within: &'static str, known: &[&str]) {
        match key.value.as_str() {
            "functions" => {
                self.not_yet(&format!("the key `{}`", key.value), key);
            }
            _ => self.unknown(key, within, known),
        }
    }

    fn count(&mut self, key: &Text, value: &Value<'_>) -> Option<u32> {
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wrong_type(key, "a whole number", value);
        };
        let count = u32::from_str_radix(number.as_str(), number.radix()).ok();
        if count.is_none() {
            self.report.add(Fault::NotCount { key: key.value.clone() }, &value.span());
        }
        count
    }

    fn boolean(&mut self, key: &Text, value: &Value<'_>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            _ => self.wrong_type(key, "true or false", value),
        }
    }

    fn text(&mut self, key: &Text, value: &Value<'_>) -> Option<Text> {
        match value.get_ref() {
            DeValue::String(text) => Some(SpannedValue { value: text.to_string(), span: value.span() }),
            _ => self.wrong_type(key, "a string", value),
        }
    }

    /// Reads a table of strings.
    fn texts(&mut self, key: &Text, value: &Value<'_>) -> Vec<(Text, Text)> {
        let pairs = self.table_of(key, value);
        pairs.into_iter().filter_map(|(key, value)| self.text(&key, value).map(|text| (key, text))).collect()
    }

    fn list_of_texts(&mut self, key: &Text, value: &Value<'_>) -> Vec<Text> {
        let items = self.list(key, value);
        items.into_iter().filter_map(|item| self.text(key, item)).collect()
    }

    fn one_or_more(&mut self, key: &Text, value: &Value<'_>) -> Vec<Text> {
        match value.get_ref() {
            DeValue::Array(_) => self.list_of_texts(key, value),
            _ => self.text(key, value).into_iter().collect(),
        }
    }

    fn list<'t, 'i>(&mut self, key: &Text, value: &'t Value<'i>) -> Vec<&'t Value<'i>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => self.wrong_type(key, "a list", value).unwrap_or_default(),
        }
    }

    fn table_of<'t, 'i>(&mut self, key: &Text, value: &'t Value<'i>) -> Vec<(Text, &'t Value<'i>)> {
        match value.get_ref() {
            DeValue::Table(table) => pairs(table),
            _ => self.wrong_type(key, "a table", value).unwrap_or_default(),
        }
    }

    /// Applies `one` to each pair of a table.
    fn each<T>(&mut self, key: &Text, value: &Value<'_>, one: fn(&mut Self, Text, &Value<'_>) -> Option<T>) -> Vec<T> {
        let pairs = self.table_of(key, value);
        pairs.into_iter().filter_map(|(key, value)| one(self, key, value)).collect()
    }

    fn wrong_type<T>(&mut self, key: &Text, expected: &'static str, value: &Value<'_>) -> Option<T> {
        let fault = Fault::WrongType { key: key.value.clone(), expected, found: kind_of(value.get_ref()) };
        // A table with a header has the header as its span, which displays well, too.
        self.report.add(fault, &value.span());
        None
    }

    fn missing<T>(&mut self, key: &'static str, within: String, span: &Range<usize>) -> Option<T> {
        self.report.add(Fault::Missing { key, within }, span);
        None
    }

    fn not_yet(&mut self, what: &str, key: &Text) {
        self.report.add(Fault::NotYet { what: what.to_owned() }, &key.span);
    }

    fn unknown(&mut self, key: &Text, within: &'static str, known: &[&str]) {
        let near = did_you_mean(&key.value, known.iter().copied());
        let help = near.unwrap_or_else(|| format!("the keys are {}", listed(known.iter().copied())));
        self.report.add_with(Fault::UnknownKey { key: key.value.clone(), within }, &key.span, Some(help));
    }
}

/// The keys of a grant in file order, and its columns.
struct Grant<'t, 'i> {
    pairs: Vec<(Text, &'t Value<'i>)>,
    columns: Option<ColumnsEntry>,
}

fn pairs_of(value: &Value<'_>) -> Vec<String> {
    match value.get_ref() {
        DeValue::Table(table) => pairs(table).into_iter().map(|(key, _)| key.value).collect(),
        _ => vec![],
    }
}

impl TableEntry {
    fn new(key: Text) -> TableEntry {
        TableEntry {
            key,
            name: None,
            type_name: None,
            convention: None,
            exposed: true,
            connection: false,
            comment: None,
            comments: vec![],
            is_enum: None,
            declared_key: vec![],
            columns: vec![],
            roots: vec![],
            aliases: vec![],
            relations: vec![],
            computed: vec![],
            roles: vec![],
        }
    }
}

impl UpdateEntry {
    fn new(span: Range<usize>) -> UpdateEntry {
        UpdateEntry {
            span,
            columns: None,
            rows: None,
            check: None,
            preset: vec![],
            max_affected: None,
            backend_only: false,
            roots: None,
        }
    }
}
