//! Questions about the database that its catalog does not answer: privileges of a role, and the
//! settings that policies of row-level security read. Each is an expression that is null if all is
//! well, and otherwise what the user should know; [`StateCheck::query`] puts many of them into one
//! statement.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use sql::postgres::catalog::Table;
use sql::postgres::types::quoted;

use crate::diagnostic::{Diagnostic, Span};
use crate::fault::Fault;

/// A question about the database.
#[derive(Clone, Debug)]
pub struct StateCheck {
    question: Question,
    problem: Problem,
    span: Span,
    /// Whether the file must not be used if there is a problem.
    pub is_fault: bool,
}

/// What is asked.
#[derive(Clone, Debug)]
enum Question {
    /// An expression of type `text`, null if there is no problem.
    Expression(String),
    /// Which settings a table's policies and triggers read. Its expression is long, there is one
    /// for each table, and a start does not ask them.
    Settings {
        /// The table, as an expression.
        relation: String,
        known: KnownSettings,
        reader: SettingReader,
        switches_role: bool,
    },
}

/// How an answer becomes a problem.
#[derive(Clone, Debug)]
enum Problem {
    /// The answer is the help: statements to run.
    Help(Fault),
    /// The answer is a list of settings that policies and triggers of a table read, and that
    /// nothing sets.
    UnsetSettings(String),
    /// The same for settings that only transactions have that write.
    SettingsOfWrites(String),
}

/// The role of the database for which privileges are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DatabaseRole<'n> {
    /// The user that the gateway signs in as.
    User,
    /// The role that `set_role` names.
    Named(&'n str),
}

/// The settings that the gateway sets, as an expression.
#[derive(Clone, Debug)]
pub(crate) struct KnownSettings(Arc<str>);

/// Who reads settings of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingReader {
    /// Policies for any statement, and functions of triggers.
    Any,
    /// Policies for statements that read.
    Reads,
}

/// The help for settings that are read and not set.
pub(crate) const SET_SETTINGS: &str =
    "set them in `[settings]`: \"app.user_id\" = \"session.user_id\"";

impl DatabaseRole<'_> {
    /// The name as an expression.
    fn name(self) -> String {
        match self {
            DatabaseRole::User => "current_user".to_owned(),
            DatabaseRole::Named(name) => literal(name),
        }
    }
}

impl StateCheck {
    /// Whether the gateway's user may switch to a role.
    pub(crate) fn membership(role: &str, name: &str, span: Span) -> StateCheck {
        let text = literal(name);
        let expression = format!(
            "(SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_roles \
                                  r WHERE r.rolname = {text}) \
                                  THEN format('CREATE ROLE %1$I NOLOGIN; GRANT %1$I TO %2$I', \
                                  {text}, current_user) \
                                  WHEN NOT (SELECT pg_has_role(r.oid, 'MEMBER') FROM \
                                  pg_catalog.pg_roles r WHERE r.rolname = {text}) \
                                  THEN format('GRANT %I TO %I', {text}, current_user) \
                                  WHEN current_setting('server_version_num')::int4 >= 160000 \
                                  AND NOT (SELECT pg_has_role(r.oid, 'SET') FROM \
                                  pg_catalog.pg_roles r WHERE r.rolname = {text}) \
                                  THEN format('GRANT %I TO %I WITH SET TRUE', {text}, \
                                  current_user) END)"
        );
        let fault = Fault::DatabaseRole {
            role: role.to_owned(),
            name: name.to_owned(),
        };
        StateCheck {
            question: Question::Expression(expression),
            problem: Problem::Help(fault),
            span,
            is_fault: true,
        }
    }

    /// Whether a role has a privilege on columns of a table, or on the table if there are none.
    pub(crate) fn privilege(
        who: DatabaseRole<'_>,
        privilege: &str,
        table: &Table,
        columns: &[&str],
        fault: Fault,
        span: Span,
    ) -> StateCheck {
        let name = who.name();
        let relation = relation(table);
        let columns = array(columns);
        let expression = format!(
            "(SELECT nullif(concat_ws('; ', \
                                  CASE WHEN NOT has_schema_privilege(r.oid, c.relnamespace, \
                                  'USAGE') \
                                  THEN format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, \
                                  r.rolname) END, \
                                  CASE WHEN has_table_privilege(r.oid, c.oid, '{privilege}') \
                                  THEN NULL \
                                  WHEN cardinality({columns}) = 0 THEN format('GRANT {privilege} \
                                  ON %s TO %I', c.oid::regclass, r.rolname) \
                                  ELSE (SELECT format('GRANT {privilege} (%s) ON %s TO %I', \
                                  string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum), \
                                  c.oid::regclass, r.rolname) \
                                  FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND \
                                  a.attname = ANY ({columns}) \
                                  AND NOT has_column_privilege(r.oid, c.oid, a.attnum, \
                                  '{privilege}') HAVING count(*) > 0) END), '') \
                                  FROM pg_catalog.pg_roles r, pg_catalog.pg_class c JOIN \
                                  pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                                  WHERE r.rolname = {name} AND c.oid = {relation})"
        );
        StateCheck {
            question: Question::Expression(expression),
            problem: Problem::Help(fault),
            span,
            is_fault: false,
        }
    }

    /// Whether a role may use the sequences that defaults of these columns call.
    pub(crate) fn sequences(
        who: DatabaseRole<'_>,
        table: &Table,
        columns: &[&str],
        fault: Fault,
        span: Span,
    ) -> StateCheck {
        let name = who.name();
        let relation = relation(table);
        let columns = array(columns);
        let expression = format!(
            "(SELECT string_agg(DISTINCT format('GRANT USAGE ON SEQUENCE %s \
                                  TO %I', s.oid::regclass, r.rolname), '; ') \
                                  FROM pg_catalog.pg_roles r, pg_catalog.pg_attrdef d \
                                  JOIN pg_catalog.pg_depend p ON p.classid = \
                                  'pg_catalog.pg_attrdef'::regclass AND p.objid = d.oid \
                                  AND p.refclassid = 'pg_catalog.pg_class'::regclass \
                                  JOIN pg_catalog.pg_class s ON s.oid = p.refobjid AND s.relkind \
                                  = 'S' \
                                  JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND \
                                  a.attnum = d.adnum \
                                  WHERE r.rolname = {name} AND d.adrelid = {relation} AND \
                                  a.attname = ANY ({columns}) \
                                  AND NOT has_sequence_privilege(r.oid, s.oid, 'USAGE, UPDATE'))"
        );
        StateCheck {
            question: Question::Expression(expression),
            problem: Problem::Help(fault),
            span,
            is_fault: false,
        }
    }

    /// Whether a role may call a function.
    pub(crate) fn function(
        who: DatabaseRole<'_>,
        schema: &str,
        function: &str,
        fault: Fault,
        span: Span,
    ) -> StateCheck {
        let name = who.name();
        let schema = literal(schema);
        let function = literal(function);
        let expression = format!(
            "(SELECT string_agg(DISTINCT concat_ws('; ', CASE WHEN NOT \
                                  has_schema_privilege(r.oid, n.oid, 'USAGE') \
                                  THEN format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, \
                                  r.rolname) END, \
                                  CASE WHEN NOT has_function_privilege(r.oid, f.oid, 'EXECUTE') \
                                  THEN format('GRANT EXECUTE ON FUNCTION %s TO %I', \
                                  f.oid::regprocedure, r.rolname) END), '; ') \
                                  FROM pg_catalog.pg_roles r, pg_catalog.pg_proc f JOIN \
                                  pg_catalog.pg_namespace n ON n.oid = f.pronamespace \
                                  WHERE r.rolname = {name} AND n.nspname = {schema} AND \
                                  f.proname = {function} \
                                  AND NOT (has_function_privilege(r.oid, f.oid, 'EXECUTE') AND \
                                  has_schema_privilege(r.oid, n.oid, 'USAGE')))"
        );
        StateCheck {
            question: Question::Expression(expression),
            problem: Problem::Help(fault),
            span,
            is_fault: false,
        }
    }

    /// The settings of applications that policies and triggers of a table read, other than the
    /// known ones; or of the known ones those that policies for reads need, although only
    /// transactions have them that write. Policies count where they hold for the gateway's user, or
    /// if some role has `set_role`.
    pub(crate) fn settings(
        table: &Table,
        known: &KnownSettings,
        reader: SettingReader,
        switches_role: bool,
        span: Span,
    ) -> StateCheck {
        let name = crate::table_names::key(table);
        let problem = match reader {
            SettingReader::Any => Problem::UnsetSettings(name),
            SettingReader::Reads => Problem::SettingsOfWrites(name),
        };
        let relation = relation(table);
        let known = known.clone();
        let question = Question::Settings {
            relation,
            known,
            reader,
            switches_role,
        };
        StateCheck {
            question,
            problem,
            span,
            is_fault: false,
        }
    }

    /// The statement that asks several questions. Its one column is an array of their answers as
    /// JSON.
    pub fn query(checks: &[StateCheck]) -> String {
        let mut text = "SELECT to_json(ARRAY[".to_owned();
        for (index, check) in checks.iter().enumerate() {
            let _ = write!(
                text,
                "{}{}",
                if index > 0 { ", " } else { "" },
                check.question.expression()
            );
        }
        text + "]::text[])::text"
    }

    /// The problem of an answer that is not null.
    pub fn problem(&self, response: &str) -> Diagnostic {
        let (fault, help) = match &self.problem {
            Problem::Help(fault) => (fault.clone(), format!("{response};")),
            Problem::UnsetSettings(table) => (
                Fault::SettingUnset {
                    table: table.clone(),
                    settings: response.to_owned(),
                },
                SET_SETTINGS.to_owned(),
            ),
            Problem::SettingsOfWrites(table) => (
                Fault::SettingOfWrites {
                    table: table.clone(),
                    settings: response.to_owned(),
                },
                "write `reads = true` in `[settings]`".to_owned(),
            ),
        };
        let problem = Diagnostic::new(fault, self.span.clone()).help(help);
        if self.is_fault {
            problem
        } else {
            problem.noted()
        }
    }
}

impl Question {
    fn expression(&self) -> Cow<'_, str> {
        match self {
            Question::Expression(expression) => Cow::Borrowed(expression),
            Question::Settings {
                relation,
                known,
                reader,
                switches_role,
            } => Cow::Owned(settings_read(relation, &known.0, *reader, *switches_role)),
        }
    }
}

impl KnownSettings {
    /// The settings of these names.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> KnownSettings {
        let names: Vec<String> = names.map(str::to_lowercase).collect();
        KnownSettings(array(&names.iter().map(String::as_str).collect::<Vec<_>>()).into())
    }
}

/// The expression of [`Question::Settings`].
fn settings_read(
    relation: &str,
    known: &str,
    reader: SettingReader,
    switches_role: bool,
) -> String {
    let active = if switches_role {
        "true"
    } else {
        "row_security_active(c.oid)"
    };
    let (commands, triggers, condition) = match reader {
        SettingReader::Any => (
            "true",
            "UNION ALL SELECT f.prosrc FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc f ON \
             f.oid = t.tgfoid, c \
             WHERE t.tgrelid = c.oid AND NOT t.tgisinternal",
            format!("<> ALL ({known})"),
        ),
        SettingReader::Reads => ("p.polcmd IN ('r', '*')", "", format!("= ANY ({known})")),
    };
    // Functions of policies are read, too: Supabase's `auth.uid()` reads a setting.
    format!(
        "(WITH c AS (SELECT {relation} AS oid), \
             p AS (SELECT p.* FROM pg_catalog.pg_policy p JOIN c ON c.oid = p.polrelid \
             WHERE {commands} AND {active}), \
             texts (text) AS (SELECT concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), \
             pg_get_expr(p.polwithcheck, p.polrelid)) FROM p \
             UNION ALL SELECT f.prosrc FROM p JOIN pg_catalog.pg_depend d ON d.classid = \
             'pg_catalog.pg_policy'::regclass \
             AND d.objid = p.oid AND d.refclassid = 'pg_catalog.pg_proc'::regclass \
             JOIN pg_catalog.pg_proc f ON f.oid = d.refobjid {triggers}) \
             SELECT string_agg(DISTINCT lower(m.found[1]), ', ') FROM texts, \
             regexp_matches(texts.text, \
             'current_setting[[:space:]]*[(][[:space:]]*''([A-Za-z_][A-Za-z0-9_]*[.][A-Za-z0-9_.]+)''', \
             'g') \
             AS m (found) WHERE lower(m.found[1]) {condition} AND lower(m.found[1]) NOT LIKE \
             'postern.%')"
    )
}

/// `to_regclass('"public"."orders"')`
fn relation(table: &Table) -> String {
    format!(
        "to_regclass({})",
        literal(&format!(
            "{}.{}",
            quoted(&table.schema),
            quoted(&table.name)
        ))
    )
}

/// `ARRAY['id', 'name']::text[]`
fn array(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| literal(name)).collect();
    format!("ARRAY[{}]::text[]", names.join(", "))
}

/// A literal that does not depend on `standard_conforming_strings`.
fn literal(text: &str) -> String {
    let escape = if text.contains('\\') { "E" } else { "" };
    format!(
        "{escape}'{}'",
        text.replace('\\', "\\\\").replace('\'', "''")
    )
}
