//! Measures operations against a running gateway: throughput, latency, and the share of it that the
//! gateway reports in `Server-Timing`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use ::http::{HeaderName, HeaderValue, Uri};
use clap::ArgMatches;
use serde_json::{Map, Value, json};
use sql::graphql::document::OperationKind;

use super::{Fault, Operation, brief, micros, operations, table, variables};
use crate::commands::{Failure, print, print_error, session_values};
use gateway::config::Config;
use loadgen::{
    ArrivalRate, Histogram, LoadError, LoadOptions, LoadReport, PreparedRequest, Timing,
    check_request, drive,
};

/// The default path of GraphQL.
const PATH: &str = "/v1/graphql";

/// The longest time for which one client runs alone.
const MAX_SINGLE_CLIENT_TIME: Duration = Duration::from_secs(2);

const NO_TIMING: &str = "The gateway does not tell its stages; start it with --server-timing \
    to see the share of the time that is spent in Postgres.";

/// A gateway's address, from its URL.
#[derive(Clone, Debug)]
pub(super) struct Target {
    host: String,
    port: u16,
    path: String,
}

/// The measurements of an operation: with one client, and with all of them.
struct Found {
    alone: LoadReport,
    all: LoadReport,
}

impl Target {
    /// Parses a URL.
    pub(super) fn parse(text: &str) -> Result<Target, String> {
        let url: Uri = text.parse().map_err(|_| "not a URL".to_owned())?;
        if url.scheme_str() != Some("http") {
            return Err("the URL has to begin with `http://`; there is no TLS here".to_owned());
        }
        let host = url
            .host()
            .filter(|host| !host.is_empty())
            .ok_or("the URL has no host")?
            .to_owned();
        let path = url
            .path_and_query()
            .map(|path| path.as_str())
            .filter(|path| *path != "/")
            .unwrap_or(PATH);
        Ok(Target {
            host,
            port: url.port_u16().unwrap_or(80),
            path: path.to_owned(),
        })
    }

    /// Resolves the host; of several addresses the first is used.
    async fn address(&self) -> Result<SocketAddr, Failure> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let unknown = |cause| Failure::Host {
            host: host.to_owned(),
            cause,
        };
        let found = tokio::net::lookup_host((host, self.port))
            .await
            .map_err(unknown)?
            .next();
        found.ok_or_else(|| unknown(std::io::ErrorKind::AddrNotAvailable.into()))
    }

    fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

pub(super) async fn run(
    matches: &ArgMatches,
    config: &Config,
    target: &Target,
) -> Result<ExitCode, Failure> {
    let (operations, mut faults) = operations(matches, &config.limits().document)?;
    let mutation = operations
        .iter()
        .find(|operation| operation.kind == OperationKind::Mutation);
    if let Some(operation) =
        mutation.filter(|_| !matches.get_flag("mutations") && !matches.get_flag("dry-run"))
    {
        let title = operation.title();
        print_error(&format!(
            "error: {title}: a mutation; --mutations runs it and really writes, \
                              --dry-run has it undone"
        ));
        return Ok(ExitCode::from(2));
    }
    let headers = headers(matches, config)?;
    let sets = variables(matches)?;
    let address = target.address().await?;
    let drive = load_options(matches);
    let mut measured = vec![];
    for operation in &operations {
        let calls: Vec<PreparedRequest> = sets
            .iter()
            .map(|set| call(operation, set, &headers, target))
            .collect();
        match measure(operation, address, &calls, &drive).await {
            Ok(Ok(found)) => measured.push((operation, found)),
            Ok(Err(fault)) => faults.push(fault),
            // The results of other operations are still reported, and the gateway may be back for
            // the next one.
            Err(error) if !measured.is_empty() => faults.push(operation.fault(error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    if matches.get_flag("json") {
        print(&report(target, &drive, &measured, &faults).to_string())?;
    } else {
        draw(target, &drive, &measured, &faults)?;
    }
    let is_fine = faults.is_empty()
        && measured
            .iter()
            .all(|(_, found)| found.alone.errors + found.all.errors == 0);
    Ok(if is_fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn load_options(matches: &ArgMatches) -> LoadOptions {
    let time = matches
        .get_one::<Duration>("seconds")
        .copied()
        .unwrap_or(Duration::from_secs(10));
    let rate = matches.get_one::<f64>("rate").copied();
    LoadOptions {
        clients: matches
            .get_one::<u16>("clients")
            .copied()
            .unwrap_or(1)
            .into(),
        arrival_rate: rate.map_or(ArrivalRate::Closed, ArrivalRate::Rate),
        warm_up: (time / 10).min(Duration::from_secs(1)),
        time,
    }
}

/// Sends each request once, then measures with one client, then with all.
async fn measure(
    operation: &Operation,
    address: SocketAddr,
    calls: &[PreparedRequest],
    options: &LoadOptions,
) -> Result<Result<Found, Fault>, LoadError> {
    if operation.kind == OperationKind::Subscription {
        return Ok(Err(
            operation.fault("a subscription; only queries and mutations are measured")
        ));
    }
    for call in calls {
        if let Some(wrong) = check_request(address, call).await? {
            return Ok(Err(operation.fault(format!("the gateway answers {wrong}"))));
        }
    }
    let alone = LoadOptions {
        clients: 1,
        arrival_rate: ArrivalRate::Closed,
        time: (options.time / 4).min(MAX_SINGLE_CLIENT_TIME),
        ..*options
    };
    let alone = drive(address, calls, &alone).await?;
    let all = drive(address, calls, options).await?;
    Ok(Ok(Found { alone, all }))
}

fn call(
    operation: &Operation,
    variables: &Map<String, Value>,
    headers: &[(String, String)],
    target: &Target,
) -> PreparedRequest {
    let mut body = json!({"query": operation.text, "variables": variables});
    if let Some(name) = &operation.name {
        body["operationName"] = json!(name);
    }
    PreparedRequest::post(
        &target.authority(),
        &target.path,
        headers,
        body.to_string().as_bytes(),
    )
}

/// The request headers: authentication, role and session values.
fn headers(matches: &ArgMatches, config: &Config) -> Result<Vec<(String, String)>, Failure> {
    let prefix = config.header_prefix();
    let text = |name: &str| matches.get_one::<String>(name);
    let mut headers = vec![];
    match (text("token"), &config.admin_secret) {
        (Some(token), _) => headers.push(("Authorization".to_owned(), format!("Bearer {token}"))),
        (None, Some(secret)) => {
            let secret = secret.first().reveal().to_owned();
            headers.push((format!("{prefix}Admin-Secret"), secret));
        }
        (None, None) => {}
    }
    if let Some(role) = text("role") {
        headers.push((format!("{prefix}Role"), role.clone()));
    }
    for (name, value) in session_values(matches, prefix)? {
        headers.push((format!("{prefix}{}", name.replace('_', "-")), value));
    }
    if matches.get_flag("dry-run") {
        headers.push((format!("{prefix}Dry-Run"), "true".to_owned()));
    }
    for header in matches.get_many::<String>("header").into_iter().flatten() {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| Failure::Header(header.clone()))?;
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    let is_valid = |name: &str, value: &str| {
        HeaderName::try_from(name).is_ok() && HeaderValue::from_str(value).is_ok()
    };
    // The value is not printed: it may be a secret.
    match headers.iter().find(|(name, value)| !is_valid(name, value)) {
        Some((name, _)) => Err(Failure::Header(format!("{name}: …"))),
        None => Ok(headers),
    }
}

/// The mean of a stage over the responses that reported it.
fn mean(stage: Duration, timing: &Timing) -> Duration {
    stage.div_f64(timing.all_responses.max(1) as f64)
}

/// The share of a request's latency that the gateway spends on running the statement.
fn share(measured: &LoadReport) -> Option<f64> {
    let whole = measured.latencies.mean().as_secs_f64();
    let run = mean(measured.timing.run, &measured.timing).as_secs_f64();
    (measured.timing.all_responses > 0 && whole > 0.0).then(|| (run / whole).min(1.0))
}

fn report(
    target: &Target,
    drive: &LoadOptions,
    measured: &[(&Operation, Found)],
    faults: &[Fault],
) -> Value {
    let operation = |(operation, found): &(&Operation, Found)| {
        let mut object = json!({"file": operation.path, "operation": operation.name, "alone": figures(&found.alone)});
        if let (Value::Object(object), Value::Object(all)) = (&mut object, figures(&found.all)) {
            object.extend(all);
        }
        object
    };
    let fault = |fault: &Fault| json!({"file": fault.path, "operation": fault.name, "error": fault.message});
    json!({
        "url": format!("http://{}{}", target.authority(), target.path), "clients": drive.clients, "rate": drive.arrival_rate.rate(),
        "seconds": drive.time.as_secs_f64(),
        "operations": measured.iter().map(operation).chain(faults.iter().map(fault)).collect::<Vec<_>>(),
    })
}

fn figures(measured: &LoadReport) -> Value {
    let LoadReport {
        requests,
        errors,
        unsent,
        bytes,
        latencies,
        timing,
        first_error,
        ..
    } = measured;
    let stage = |stage: Duration| micros(mean(stage, timing));
    let stages = (timing.all_responses > 0).then(|| {
        json!({"plan_us": stage(timing.plan), "bind_us": stage(timing.bind), "run_us": stage(timing.run), "run_share": share(measured)})
    });
    json!({
        "requests": requests, "errors": errors, "first_error": first_error, "unsent": unsent,
        "per_second": (measured.throughput() * 10.0).round() / 10.0, "bytes": bytes / (*requests).max(1),
        "p50_us": micros(latencies.p50()), "p99_us": micros(latencies.p99()), "max_us": micros(latencies.max()),
        "mean_us": micros(latencies.mean()), "stages": stages,
    })
}

fn draw(
    target: &Target,
    drive: &LoadOptions,
    measured: &[(&Operation, Found)],
    faults: &[Fault],
) -> Result<(), Failure> {
    for fault in faults {
        print_error(&format!("{}: {}", fault.title(), fault.message));
    }
    if measured.is_empty() {
        return Ok(());
    }
    let head = [
        "",
        "clients",
        "requests",
        "errors",
        "a second",
        "p50",
        "p99",
        "max",
        "plan",
        "bind",
        "run",
        "share of run",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (operation, found) in measured {
        rows.push(row(operation.title(), 1, &found.alone));
        rows.push(row(String::new(), drive.clients, &found.all));
    }
    let rate = drive
        .arrival_rate
        .rate()
        .map(|rate| format!("{rate} requests a second"));
    let pace = rate.unwrap_or_else(|| "as fast as answers come".to_owned());
    print(&format!(
        "{}{}, {pace}\n\n{}",
        target.authority(),
        target.path,
        table(&rows)
    ))?;
    for (operation, found) in measured {
        if let Some(error) = &found.alone.first_error {
            print_error(&format!(
                "{}: with one client alone the first error was {error}",
                operation.title()
            ));
        }
        if let Some(error) = &found.all.first_error {
            print_error(&format!(
                "{}: the first error was {error}",
                operation.title()
            ));
        }
        if found.all.unsent > 0 {
            let unsent = found.all.unsent;
            print_error(&format!(
                "{}: {unsent} requests were due and not sent, since all clients were waiting",
                operation.title()
            ));
        }
    }
    let has_timing = measured
        .iter()
        .any(|(_, found)| found.all.timing.all_responses > 0);
    if has_timing {
        print(
            "\nrun: in Postgres, waiting for a connection to it, and writing the rows as they \
               came; its share is of the mean time that a client waits.",
        )
    } else {
        print(&format!("\n{NO_TIMING}"))
    }
}

fn row(title: String, clients: usize, measured: &LoadReport) -> Vec<String> {
    let LoadReport {
        requests,
        errors,
        latencies,
        timing,
        ..
    } = measured;
    let each = |latency: fn(&Histogram) -> Duration| brief(latency(latencies));
    let stage = |stage: Duration| {
        if timing.all_responses > 0 {
            brief(mean(stage, timing))
        } else {
            "–".to_owned()
        }
    };
    let share = share(measured).map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    vec![
        title,
        clients.to_string(),
        requests.to_string(),
        errors.to_string(),
        format!("{:.0}", measured.throughput()),
        each(Histogram::p50),
        each(Histogram::p99),
        each(Histogram::max),
        stage(timing.plan),
        stage(timing.bind),
        stage(timing.run),
        share,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_hosts_and_optional_ports_and_paths() {
        let read = |text: &str| Target::parse(text).map(|target| (target.authority(), target.path));
        let of = |authority: &str, path: &str| Ok((authority.to_owned(), path.to_owned()));
        assert_eq!(read("http://localhost:8080"), of("localhost:8080", PATH));
        assert_eq!(read("http://h/graphql?x=1"), of("h:80", "/graphql?x=1"));
        assert_eq!(read("http://[::1]:9/"), of("[::1]:9", PATH));
        assert!(read("localhost:8080").is_err() && read("https://h").is_err());
    }
}
