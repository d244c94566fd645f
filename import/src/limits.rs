//! Converts API limits into `[bounds]` and `[[rates]]` of `gateway.toml`. TOML sections must come
//! last in the file.

use std::fmt::Write;

use serde_json::Value;

use crate::json_object::{JsonObject, says_something};
use crate::report::Report;
use crate::toml_writer::{key, string};

/// The limits of a request, with their keys in `[bounds]`.
const REQUEST_LIMITS: [(&str, &str); 4] = [
    ("depth_limit", "depth"),
    ("node_limit", "nodes"),
    ("time_limit", "time"),
    ("batch_limit", "batch"),
];

/// The name of the rate limit for roles without one of their own.
const DEFAULT_RATE: &str = "everybody";

/// How Postern's rate limits differ from Hasura's.
const WINDOW: &str =
    "a token bucket that refills evenly over a minute, not a sliding window of a minute";

/// Writes the sections.
pub(crate) fn write(text: &mut String, limits: &Value, report: &mut Report) {
    let Some(mut node) = JsonObject::new(limits, "API limits", report) else {
        return;
    };
    let disabled = node.flag("disabled");
    let bounds: Vec<RequestLimit<'_>> = REQUEST_LIMITS
        .iter()
        .filter_map(|(name, bound)| {
            Some(RequestLimit {
                name,
                bound,
                limit: node.get(name)?,
            })
        })
        .collect();
    let rate = node.get("rate_limit").filter(|rate| says_something(rate));
    if disabled {
        report.approximated("API limits", "they were disabled, and are left out");
    } else {
        write_bounds(text, &bounds, report);
        rate.into_iter()
            .for_each(|rate| write_rates(text, rate, report));
    }
    node.finish(report);
}

/// A limit of a request, with values for all roles and for single roles.
struct RequestLimit<'v> {
    name: &'v str,
    bound: &'v str,
    limit: &'v Value,
}

fn write_bounds(text: &mut String, bounds: &[RequestLimit<'_>], report: &mut Report) {
    let global: Vec<_> = bounds
        .iter()
        .filter(|bound| bound.limit["global"].is_u64())
        .collect();
    if !global.is_empty() {
        text.push_str("\n[bounds]\n");
    }
    for RequestLimit { name, bound, limit } in global {
        let _ = writeln!(text, "{bound} = {}", limit["global"]);
        report.carried(format!("API limits, `{name}`"));
    }
    let roles = |bound: &RequestLimit<'_>| -> Vec<String> {
        bound.limit["per_role"]
            .as_object()
            .map(|roles| roles.keys().cloned().collect())
            .unwrap_or_default()
    };
    let mut all: Vec<String> = bounds.iter().flat_map(roles).collect();
    all.sort();
    all.dedup();
    for role in all {
        let _ = writeln!(text, "\n[bounds.role.{}]", key(&role));
        for RequestLimit { name, bound, limit } in bounds {
            let construct = format!("API limits, `{name}`, role {role}");
            match &limit["per_role"][&role] {
                Value::Null => {}
                limit if limit.is_u64() => {
                    let _ = writeln!(text, "{bound} = {limit}");
                    report.carried(construct);
                }
                _ => report.refused(construct, "it is not a number"),
            }
        }
    }
}

/// Writes rate limits. Hasura counts each role separately, optionally also each address or session
/// value.
fn write_rates(text: &mut String, rate: &Value, report: &mut Report) {
    let per_role = rate["per_role"].as_object();
    let own: Vec<&String> = per_role
        .into_iter()
        .flat_map(|roles| roles.keys())
        .collect();
    if says_something(&rate["global"]) {
        let except = own
            .iter()
            .map(|role| string(role))
            .collect::<Vec<_>>()
            .join(", ");
        let roles = if own.is_empty() {
            String::new()
        } else {
            format!("except_roles = [{except}]\n")
        };
        write_rate(
            text,
            DEFAULT_RATE,
            &roles,
            &rate["global"],
            "API limits, `rate_limit`".into(),
            report,
        );
    }
    for (index, (role, limit)) in per_role.into_iter().flatten().enumerate() {
        let sound = role.len() <= 40
            && role
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        let name = if sound {
            format!("role-{role}")
        } else {
            format!("role-{index}.")
        };
        let roles = format!("roles = [{}]\n", string(role));
        write_rate(
            text,
            &name,
            &roles,
            limit,
            format!("API limits, `rate_limit`, role {role}"),
            report,
        );
    }
}

fn write_rate(
    text: &mut String,
    name: &str,
    roles: &str,
    limit: &Value,
    construct: String,
    report: &mut Report,
) {
    let requests = limit["max_reqs_per_min"]
        .as_u64()
        .filter(|requests| (1..=1_000_000).contains(requests));
    let (Some(requests), Some(unique)) = (requests, unique(&limit["unique_params"])) else {
        let why = "it takes `max_reqs_per_min`, a number above zero, and `unique_params`, `IP` \
                   or session variables";
        return report.refused(construct, why);
    };
    let per = ["role".to_owned()]
        .into_iter()
        .chain(unique.iter().cloned())
        .map(|per| string(&per));
    let per = per.collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "\n[[rates]]\nname = {}\nper = [{per}]\n{roles}rate = {requests}\nevery = 60\n",
        string(name)
    );
    if unique.iter().any(|per| per.starts_with("session.")) {
        report.approximated(
            construct,
            format!("{WINDOW}; sessions without the variable are not counted"),
        );
    } else {
        report.approximated(construct, WINDOW);
    }
}

/// The request properties that are counted separately besides the role.
fn unique(parameters: &Value) -> Option<Vec<String>> {
    match parameters {
        Value::Null => Some(vec![]),
        Value::String(word) if word.eq_ignore_ascii_case("ip") => Some(vec!["address".to_owned()]),
        Value::String(variable) => Some(vec![session(variable)?]),
        Value::Array(variables) => variables
            .iter()
            .map(|variable| session(variable.as_str()?))
            .collect(),
        _ => None,
    }
}

/// Converts the name of a session variable: `x-hasura-user-id` is `session.user_id`.
fn session(variable: &str) -> Option<String> {
    let name = variable
        .to_ascii_lowercase()
        .strip_prefix("x-hasura-")?
        .replace('-', "_");
    Some(format!("session.{name}"))
}
