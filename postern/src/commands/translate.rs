//! `postern translate`: translates GraphQL to SQL offline, from a saved catalog.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};
use sql::graphql::document;
use sql::model::access::Access;
use sql::postgres::catalog::Catalog;
use sql::resolve::Operation;
use sql::statement::{Parameter, RowsParameter, Statement};
use sql::{TranslateError as TranslationFailure, TranslationKind};

use super::explain::role;
use super::{Failure, configured, permission_defaults, print, print_error, read, variables};
use gateway::config::{self, Config, SETTINGS};
use gateway::error::Error;
use gateway::execute::schema_version;
use gateway::server::read_permissions;

pub(super) fn command() -> Command {
    let documents = Arg::new("documents")
        .value_name("FILE")
        .required(true)
        .num_args(1..);
    Command::new("translate")
        .about("Translate GraphQL to SQL without a database")
        .arg(documents.help("GraphQL documents, or - for standard input"))
        .arg(
            Arg::new("catalog")
                .long("catalog")
                .value_name("FILE")
                .required(true)
                .help("Output of `postern catalog`"),
        )
        .arg(role())
        .arg(
            Arg::new("variables")
                .long("variables")
                .value_name("JSON")
                .help("Variables of every document, or @FILE"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one JSON object per operation"),
        )
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.permissions,
            &SETTINGS.profile,
            &SETTINGS.stringify_numbers,
        ]))
        .after_help(
            "Example:\n  postern translate --catalog catalog.json --permissions \
                     permissions.toml --role user queries/*.graphql",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    let access = access(&matches, &config)?;
    let variables = variables(&matches)?;
    let json = matches.get_flag("json");
    let mut code = ExitCode::SUCCESS;
    for path in matches
        .get_many::<String>("documents")
        .into_iter()
        .flatten()
    {
        let text = read(path)?;
        let names = match document::parse(&text, &config.limits().document) {
            Ok(document) => document
                .operations()
                .map(|(name, _)| name.map(str::to_owned))
                .collect(),
            Err(_) => vec![None],
        };
        for name in names {
            let translated = Translated {
                path,
                name: name.as_deref(),
            };
            match translate(&access, &text, name.as_deref(), &variables, &config) {
                Ok(kind) => print(&if json {
                    translated.json(&kind)
                } else {
                    translated.text(&kind)
                })?,
                Err(error) => {
                    code = ExitCode::FAILURE;
                    if json {
                        print(&translated.fault(&error))?;
                    } else {
                        print_error(&format!("{path}: {}", error.message()));
                    }
                }
            }
        }
    }
    Ok(code)
}

fn access(matches: &ArgMatches, config: &Config) -> Result<Arc<Access>, Failure> {
    let path = matches
        .get_one::<String>("catalog")
        .map(String::as_str)
        .unwrap_or_default();
    let broken = |cause| Failure::SavedCatalog {
        path: path.into(),
        cause,
    };
    let catalog = Arc::new(Catalog::decode(&read(path)?).map_err(broken)?);
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
    let permissions = schema_version::compile(file.as_ref(), catalog, permission_defaults(config))?;
    let role = matches
        .get_one::<String>("role")
        .map(String::as_str)
        .unwrap_or_default();
    let nothing = || {
        Arc::new(Access::new(
            role,
            permissions.model.clone(),
            Default::default(),
        ))
    };
    Ok(permissions.role(role).cloned().unwrap_or_else(nothing))
}

fn translate(
    access: &Access,
    text: &str,
    name: Option<&str>,
    variables: &Map<String, Value>,
    config: &Config,
) -> Result<TranslationKind, Error> {
    let document = Arc::new(document::parse(text, &config.limits().document)?);
    let operation = Operation::validate_as(access, document, name, config.profile.coercion())?;
    let variables = operation.coerce_sampled(access, variables)?;
    let options = config.translation();
    match sql::translate(access, &operation, &variables, options) {
        Ok(translation) => Ok(translation.kind),
        Err(TranslationFailure::Request(error)) => Err(error.into()),
        Err(TranslationFailure::Denied(denied)) => Err(Error::Internal(denied.to_string())),
    }
}

/// An operation of a file.
struct Translated<'a> {
    path: &'a str,
    name: Option<&'a str>,
}

impl Translated<'_> {
    fn json(&self, kind: &TranslationKind) -> String {
        let of = |statement: &Statement| {
            let parameters: Vec<Value> = statement.parameters.iter().map(parameter).collect();
            (statement.text.clone(), parameters)
        };
        let output = match kind {
            TranslationKind::Mutation(mutation) => {
                let statements = mutation.steps.iter().map(|step| of(&step.statement));
                let statements = statements
                    .map(|(sql, parameters)| json!({"sql": sql, "parameters": parameters}));
                json!({"file": self.path, "operation": self.name, "statements": statements.collect::<Vec<_>>()})
            }
            other => {
                let (sql, parameters) = other.statement().map(of).unzip();
                let parameters = parameters.unwrap_or_default();
                let settings = other
                    .statement()
                    .and_then(|statement| statement.settings.as_ref());
                let mut output = json!({"file": self.path, "operation": self.name, "sql": sql, "parameters": parameters});
                if let Some(settings) = settings {
                    let parameters: Vec<Value> =
                        settings.parameters.iter().map(parameter).collect();
                    output["settings"] = json!({"sql": settings.text, "parameters": parameters});
                }
                output
            }
        };
        output.to_string()
    }

    fn fault(&self, error: &Error) -> String {
        json!({"file": self.path, "operation": self.name, "error": error.message(), "code": error.spec().code})
            .to_string()
    }

    fn text(&self, kind: &TranslationKind) -> String {
        let mut out = format!("-- {} {}\n", self.path, self.name.unwrap_or_default());
        let statements: Vec<&Statement> = match kind {
            TranslationKind::Statement(statement) => vec![statement],
            TranslationKind::Mutation(mutation) => {
                mutation.steps.iter().map(|step| &step.statement).collect()
            }
            // Offline there are no actions.
            TranslationKind::Constant(_) | TranslationKind::Composite(_) => vec![],
        };
        if statements.is_empty() {
            out.push_str("-- no statement is needed\n");
        }
        for statement in statements {
            if let Some(settings) = &statement.settings {
                let _ = writeln!(
                    out,
                    "-- before it, in the same round trip and transaction:\n{};",
                    settings.text
                );
                for (index, value) in settings.parameters.iter().enumerate() {
                    let _ = writeln!(out, "-- ${} = {}", index + 1, parameter(value));
                }
            }
            out.push_str(&statement.text);
            out.push('\n');
            for (index, value) in statement.parameters.iter().enumerate() {
                let _ = writeln!(out, "-- ${} = {}", index + 1, parameter(value));
            }
        }
        out
    }
}

/// What a parameter of the statement stands for.
fn parameter(parameter: &Parameter) -> Value {
    match parameter {
        Parameter::Estimate(index) => json!({"estimate": index}),
        Parameter::Constant(literal) => json!({"constant": literal.text}),
        Parameter::Request(operand) => {
            json!({"argument": operand.name, "path": operand.path, "type": operand.expected.to_string()})
        }
        Parameter::Pattern(inner) => self::parameter(inner),
        Parameter::Session {
            name,
            expected,
            optional: false,
            ..
        } => json!({"session": name, "type": expected}),
        Parameter::Session { name, expected, .. } => {
            json!({"session": name, "type": expected, "optional": true})
        }
        Parameter::Rows(rows, what) => {
            let (of, r#type) = rows_parameter(what);
            json!({"rows": rows.path(), "of": of, "type": r#type})
        }
        Parameter::SessionText(name) => json!({"session": name, "type": "text"}),
        Parameter::WholeSession => json!({"session": "*", "type": "json"}),
        Parameter::TraceContext => json!({"trace": "*", "type": "json"}),
        Parameter::Claims => json!({"session": "*", "type": "claims"}),
        Parameter::TokenClaims { .. } => json!({"token": "*", "type": "claims"}),
        Parameter::Position {
            column_index,
            start,
            ..
        } => {
            json!({"position": column_index, "argument": start.as_ref().map(|start| start.path.clone())})
        }
        // The token of an assertion is a secret.
        Parameter::Word(_) => json!({"alarm": "word"}),
    }
}

/// The column of input rows that a parameter contains, and its type.
fn rows_parameter(what: &RowsParameter) -> (&str, String) {
    match what {
        RowsParameter::Column(column) => (&column.key, format!("[{}]", column.expected)),
        RowsParameter::Value(column) => (&column.key, column.expected.clone()),
        RowsParameter::Number => ("number", "[bigint]".into()),
        RowsParameter::Parent => ("parent", "[bigint]".into()),
    }
}
