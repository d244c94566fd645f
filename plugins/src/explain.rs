//! `POST /v1/graphql/explain`: explains a GraphQL request instead of answering it, for callers with
//! the admin secret. Role and session values come from the headers, as for a request of theirs.
//! `?analyze=true` runs the request in a transaction that is rolled back.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use sql::TranslationKind;
use sql::graphql::document::OperationKind;
use sql::statement::ValueBudget;

use gateway::error::{Error, InvalidRequest};
use gateway::execute::explain::{ExplainMode, describe, postgres_plans};
use gateway::execute::{self, AllowedOperations};
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{
    Caller, ErrorFormat, HttpExchange, authenticate_admin, json as json_response, media, object,
};
use gateway::limits::Limits;
use gateway::plugin::Plugin;
use gateway::request::{Body, Request};

/// The plugin.
#[derive(Debug)]
pub(super) struct Explain;

/// The query string that asks for a measured run.
const ANALYZE: &str = "analyze=true";

impl Plugin for Explain {
    fn name(&self) -> &'static str {
        "explain"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let methods = &[Method::POST];
        let error_format = ErrorFormat::Graphql(media::GraphqlMedia::Json);
        let handler = Handler::Plugin(self);
        vec![Route {
            path: "/v1/graphql/explain",
            methods,
            error_format,
            class: RouteClass::Requests,
            handler,
        }]
    }
}

impl PluginHandler for Explain {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            media::check_json(&exchange.headers)?;
            let mut caller = authenticate_admin(exchange).await?;
            let deadline = caller.deadline(exchange);
            let limits = Limits {
                time: caller.limits.enforced.time,
                ..exchange.app.state().limits.clone()
            };
            let bytes = exchange.read_body(&limits).await?;
            // The body may have taken long to arrive, and the secret may have changed since.
            if exchange.app.current.refresh(&mut caller.state) {
                caller = authenticate_admin(exchange).await?;
            }
            let Body::Single(request) = Body::parse(&bytes, 1)? else {
                return Err(InvalidRequest::NotAnObject.into());
            };
            let is_analyzed = exchange.query().split('&').any(|pair| pair == ANALYZE);
            let mode = if is_analyzed {
                ExplainMode::Analyze
            } else {
                ExplainMode::Estimate
            };
            let explained = explain(&caller, &request, mode, deadline).await?;
            let mut response = json_response(StatusCode::OK, media::JSON, object(&explained));
            response
                .headers_mut()
                .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok(response)
        })
    }
}

/// Plans a request of this caller, and has Postgres explain its statements.
async fn explain(
    caller: &Caller,
    request: &Request,
    mode: ExplainMode,
    deadline: tokio::time::Instant,
) -> Result<Value, Error> {
    let began = Instant::now();
    let Caller {
        state,
        session,
        limits,
        ..
    } = caller;
    let execution = &state.execution;
    let request = execution.documents.resolve(session, request)?;
    let plan = execute::plan(
        &execution.schema,
        session,
        &request,
        limits,
        AllowedOperations::Any,
    )?;
    let planned = Instant::now();
    let mut budget = ValueBudget::new(limits.enforced.values());
    let parameters = execute::bind(&plan.translation, &plan.variables, session, &mut budget)?;
    let bound = Instant::now();
    let plans = postgres_plans(&execution.database, &plan, &parameters, mode, deadline).await?;
    let statements = execute::statements(&plan.translation)
        .zip(&parameters)
        .zip(&plans);
    let statements: Vec<Value> = statements
        .map(|((statement, parameters), lines)| {
            let mut described = describe(statement, parameters, file_name);
            described["plan"] = lines.join("\n").into();
            described
        })
        .collect();
    let kind = match plan.entry.operation.kind() {
        OperationKind::Query => "query",
        OperationKind::Mutation => "mutation",
        OperationKind::Subscription => "subscription",
    };
    Ok(json!({
        "role": session.role(), "kind": kind, "analyzed": mode == ExplainMode::Analyze,
        "actions": matches!(plan.translation.kind, TranslationKind::Composite(_)), "statements": statements,
        "milliseconds": {
            "plan": milliseconds(planned - began), "bind": milliseconds(bound - planned), "explain": milliseconds(bound.elapsed()),
        },
    }))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// The name of a file without its folder: paths of the machine are for the log.
pub(super) fn file_name(path: &str) -> &str {
    Path::new(path)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}
