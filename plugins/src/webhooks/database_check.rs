//! Judges what services declare about the database: the gateway's own tables, the functions that
//! process deliveries, and the queries of keys.

use deadpool_postgres::Object;
use permissions::Diagnostic;
use tokio_postgres::Error as PostgresError;

use super::fault::Fault;
use super::method_reader::WrittenQuery;
use super::sender_query::statement;
use super::settings::{Problem, Service};
use gateway::migrations;

/// The type of a function's argument.
const DELIVERY: &str = "postern.webhook_delivery";

/// Looks up a function: whether it exists, and whether the user may call it.
const FIND: &str = "SELECT p::oid IS NOT NULL, coalesce(has_function_privilege(p, 'EXECUTE'), \
                    true) \
                    FROM (SELECT to_regprocedure($1)) f (p)";

/// The functions of a name, with their arguments.
const SIMILAR: &str =
    "SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.proname = $1 ORDER BY 1 LIMIT 3";

/// All faults of the services, as far as the database can tell.
pub(super) async fn check(services: &[Service], client: &Object) -> Vec<Problem> {
    let Some(first) = services.first() else {
        return vec![];
    };
    if !migrations::version(client)
        .await
        .is_ok_and(|version| version >= migrations::NEWEST_VERSION)
    {
        let problem = Diagnostic::new(Fault::NotMigrated {}, first.file.span_of(0..0));
        return vec![problem.help("`postern migrate` creates or upgrades it")];
    }
    let mut problems = vec![];
    for service in services {
        problems.extend(check_function(service, client).await);
        for query in &service.sender_queries {
            problems.extend(check_query(service, query, client).await);
        }
    }
    problems
}

async fn check_function(service: &Service, client: &Object) -> Option<Problem> {
    let function = service.function.as_ref()?;
    let span = service.file.span_of(function.span.clone());
    let name = function.value.clone();
    // A name that is not one at all is an error of Postgres.
    let found = client
        .query_one(FIND, &[&format!("{name}({DELIVERY})")])
        .await;
    match found.map(|row| (row.get(0), row.get(1))) {
        Ok((true, true)) => None,
        Ok((true, false)) => Some(Diagnostic::new(Fault::NoPrivilege { function: name }, span)),
        _ => {
            let own = name
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .trim_matches('"')
                .to_owned();
            let similar = client.query(SIMILAR, &[&own]).await.unwrap_or_default();
            let similar: Vec<String> = similar.iter().map(|row| row.get(0)).collect();
            let problem = Diagnostic::new(Fault::UnknownFunction { function: name }, span);
            Some(if similar.is_empty() {
                problem.help(format!(
                    "a function with one argument of the type `{DELIVERY}` processes deliveries"
                ))
            } else {
                problem.help(format!(
                    "there is `{}`; its only argument has to be a `{DELIVERY}`",
                    similar.join("`, `")
                ))
            })
        }
    }
}

async fn check_query(
    service: &Service,
    written: &WrittenQuery,
    client: &Object,
) -> Option<Problem> {
    let WrittenQuery { query, column } = written;
    let span = service.file.span_of(query.span.clone());
    let inner = format!(
        "SELECT * FROM (\n{}\n) k",
        query.value.trim().trim_end_matches(';')
    );
    let describe = |error: PostgresError| match error.as_db_error() {
        Some(db_error) => db_error.message().to_owned(),
        None => error.to_string(),
    };
    let fault = match client.prepare(&inner).await {
        Err(error) => Fault::Query {
            message: describe(error),
        },
        Ok(prepared) if prepared.params().len() != 1 => Fault::QueryShape {
            reason: "one parameter, `$1`: the DID",
        },
        Ok(prepared) if prepared.columns().len() != 1 => Fault::QueryShape { reason: column },
        Ok(_) => match client.prepare(&statement(&query.value)).await {
            Err(error) => Fault::Query {
                message: describe(error),
            },
            Ok(_) => return None,
        },
    };
    Some(Diagnostic::new(fault, span))
}
