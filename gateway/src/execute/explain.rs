//! Explains a planned request: its statements with their parameters, the row rules in them, and the
//! plans that Postgres makes of them. `postern explain` and the endpoint for callers with the admin
//! secret show the same.

use pg::{Completion, Database, Parameters, Row, RowColumns, TransactionSteps};
use serde_json::{Value, json};
use sql::TranslationKind;
use sql::model::access::SourceLocation;
use sql::statement::{
    BoundSettings, CostEstimate, FallbackReason, ListStrategy, ScanReport, Statement,
};
use tokio::time::Instant;

use super::mutation;
use super::plan_cache::Plan;
use super::statements::{query_error, statements};
use crate::error::Error;

/// How Postgres explains a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainMode {
    /// It plans the statement and does not run it.
    Estimate,
    /// It runs the statement and measures each step.
    Analyze,
}

impl ExplainMode {
    fn command(self) -> &'static str {
        match self {
            ExplainMode::Estimate => "EXPLAIN",
            ExplainMode::Analyze => "EXPLAIN (ANALYZE, BUFFERS)",
        }
    }
}

/// The lines of Postgres' plan of each statement. All of them run in one transaction, which is
/// rolled back, and are cancelled at the deadline.
pub async fn postgres_plans(
    database: &Database,
    plan: &Plan,
    parameters: &[Parameters],
    mode: ExplainMode,
    deadline: Instant,
) -> Result<Vec<Vec<String>>, Error> {
    // The first statement of a mutation sets its settings. It is run as it is: explained, it would
    // set nothing.
    let first_sets = matches!(&plan.translation.kind, TranslationKind::Mutation(mutation) if mutation.settings.is_some());
    let explained = statements(&plan.translation)
        .enumerate()
        .map(|(index, statement)| {
            if first_sets && index == 0 {
                statement.text.clone()
            } else {
                format!("{} {}", mode.command(), statement.text)
            }
        });
    let explained: Vec<String> = explained.collect();
    if explained.is_empty() {
        return Ok(vec![]);
    }
    // The settings that a query runs under are set before it.
    let mut texts = vec![];
    let mut values = vec![];
    let mut shown = vec![];
    let mut has_settings = first_sets;
    for ((statement, text), parameters) in statements(&plan.translation)
        .zip(&explained)
        .zip(parameters)
    {
        let (own, settings) = statement.divide(parameters);
        if let Some(settings) = settings {
            has_settings = true;
            texts.push(settings.text);
            values.push(settings.parameters.to_vec());
        }
        shown.push(texts.len());
        texts.push(text);
        values.push(own.to_vec());
    }
    let steps = TransactionSteps {
        texts: &texts,
        columns: None,
        parameters: &values,
        has_settings,
    };
    let rows = database
        .write_steps(steps, Completion::Rollback, deadline)
        .await
        .map_err(|failed| match &plan.translation.kind {
            TranslationKind::Statement(statement) => query_error(statement, failed.fault),
            TranslationKind::Mutation(mutation) => mutation::to_error(mutation, failed),
            TranslationKind::Constant(_) | TranslationKind::Composite(_) => failed.fault.into(),
        })?;
    let line = |row: &Row| RowColumns::new(row).text();
    let lines = |position: &usize| {
        if first_sets && *position == 0 {
            vec![]
        } else {
            rows.get(*position)
                .into_iter()
                .flatten()
                .filter_map(line)
                .collect()
        }
    };
    Ok(shown.iter().map(lines).collect())
}

/// A statement as JSON: its text, its parameters, and the tables that it reads with their rules.
/// `file` changes the names of files.
pub fn describe(statement: &Statement, parameters: &Parameters, file: fn(&str) -> &str) -> Value {
    let reads: Vec<Value> = statement
        .scans
        .iter()
        .map(|scan| reading(scan, file))
        .collect();
    let (parameters, settings) = statement.divide(parameters);
    let mut object = json!({"sql": statement.text, "parameters": parameters, "reads": reads});
    if let Some(BoundSettings { text, parameters }) = settings {
        object["settings"] = json!({"sql": text, "parameters": parameters});
    }
    object
}

fn reading(scan: &ScanReport, file: fn(&str) -> &str) -> Value {
    let ScanReport {
        alias,
        table: (schema, table),
        rule,
        values,
        form,
        required,
        path: _,
    } = scan;
    let value = |(column, source): &(String, SourceLocation)| json!({"column": column, "value": &*source.text, "file": file(&source.file), "line": source.line});
    let mut object = json!({
        "alias": alias, "table": format!("{schema}.{table}"), "values": values.iter().map(value).collect::<Vec<_>>(),
        "rule": &*rule.text, "file": file(&rule.file), "line": rule.line,
    });
    if *required {
        object["required"] = true.into();
    }
    if let Some(form) = form {
        object["form"] = strategy(form);
    }
    object
}

/// The strategy as JSON: `{"form": "through", "memberships": 3, …, "why": "…"}`.
fn strategy(form: &ListStrategy) -> Value {
    let (name, costs) = match form {
        ListStrategy::Through { costs, .. } => ("through", costs.as_ref()),
        ListStrategy::Plain(FallbackReason::Costs(costs)) => ("plain", Some(costs)),
        ListStrategy::Plain(_) => ("plain", None),
    };
    let mut object = json!({"form": name, "why": form.to_string()});
    if let Some(CostEstimate {
        memberships,
        most,
        plain,
        through,
    }) = costs
    {
        object["costs"] =
            json!({"memberships": memberships, "most": most, "plain": plain, "through": through});
    }
    object
}
