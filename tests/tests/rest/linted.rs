//! Runs a public OpenAPI linter on every description: of the demo and of the map beside this file,
//! for every role and every authentication scheme. It must report nothing.

use std::time::Duration;

use serde_json::{Value, json};
use tests::program;
use tests::service::ADMIN_SECRET;

use super::described::{Asker, KINDS, headers};
use super::privacy::{Privacy, ROLES};
use super::service::{ADA, MAP, Service};

/// Enough time for all descriptions of the demo on a loaded machine.
const LINTER_TIMEOUT: Duration = Duration::from_secs(110);

/// The linter's report on some descriptions: errors and warnings, each with its rule and position.
pub(crate) async fn lint(descriptions: &[(String, Value)]) -> Vec<String> {
    let linter = program::folder_with_packages("openapi").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = descriptions.iter().map(|(name, description)| {
        let file = folder.path().join(format!("{name}.json"));
        std::fs::write(&file, format!("{description:#}")).unwrap();
        file
    });
    let mut command = program::node("openapi", "node_modules/@redocly/cli/bin/cli.js").unwrap();
    command.args(["lint", "--format=json", "--max-problems=1000", "--config"]);
    command.arg(linter.join("redocly.yaml")).args(files);
    // Disables its update check and telemetry.
    command.envs([
        ("REDOCLY_TELEMETRY", "off"),
        ("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"),
        ("CI", "true"),
    ]);
    let output = program::finish(&mut command, "", LINTER_TIMEOUT)
        .await
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    // One report per file, concatenated.
    let reports = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let reports: Vec<Value> = reports
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {stderr}"));
    assert_eq!(reports.len(), descriptions.len(), "{stderr}");
    let problems = reports
        .iter()
        .flat_map(|report| report["problems"].as_array().unwrap());
    let problems: Vec<String> = problems
        .map(|problem| {
            let target = &problem["location"][0];
            format!(
                "{}: {} at {}{}",
                problem["ruleId"], problem["message"], target["source"]["ref"], target["pointer"]
            )
        })
        .collect();
    assert_eq!(problems.is_empty(), output.status.success(), "{stderr}");
    problems
}

#[tokio::test(flavor = "multi_thread")]
async fn linter_reports_nothing_for_the_demo() {
    let service = Privacy::start().await;
    let mut descriptions = vec![];
    for role in ROLES.into_iter().chain(["admin"]) {
        descriptions.push((role.to_owned(), service.asker(role).await.description.0));
    }
    assert_eq!(lint(&descriptions).await, Vec::<String>::new());
    // The linter does report errors in a broken description.
    let (_, broken) = &mut descriptions[0];
    let path = &mut broken["paths"]["/api/rest/getdatacontrollerdetails"];
    path["post"]["operationId"] = path["get"]["operationId"].clone();
    path["get"]["responses"]
        .as_object_mut()
        .unwrap()
        .remove("200");
    let problems = lint(&descriptions[..1]).await.join("\n");
    for rule in ["operation-operationId-unique", "operation-2xx-response"] {
        assert!(problems.contains(rule), "{problems}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn linter_reports_nothing_for_a_map_with_every_kind_of_endpoint() {
    let key = "a key of thirty-two bytes, or more";
    let issuer = |header: Value| json!({"type": "HS256", "key": key, "header": header});
    let several = json!([
        issuer(json!({"type": "Cookie", "name": "session"})),
        issuer(json!({"type": "CustomHeader", "name": "X-Token"}))
    ]);
    let several = several.to_string();
    let ways: [(&str, Vec<(&str, &str)>); 3] = [
        ("usual", vec![]),
        (
            "elsewhere",
            vec![
                ("jwt-secret", &several),
                ("unauthorized-role", "visitor"),
                ("require-role-header", "true"),
            ],
        ),
        (
            "hasura",
            vec![("profile", "hasura"), ("stringify-numbers", "true")],
        ),
    ];
    let mut descriptions = vec![];
    for (name, settings) in ways {
        let service = Service::with(&format!("{MAP}{KINDS}"), &settings).await;
        for role in ["reader", "owner", "visitor", "admin", "nobody"] {
            let prefix = if name == "hasura" {
                "X-Hasura"
            } else {
                "X-Gateway"
            };
            let header = |rest: &str| format!("{prefix}-{rest}");
            let shown = [
                (header("Admin-Secret"), ADMIN_SECRET),
                (header("Role"), role),
                (header("Owner-Id"), ADA),
            ];
            let shown = shown
                .each_ref()
                .map(|(name, value)| (name.as_str(), *value));
            let asker = Asker::new(&service.gateway.url(), headers(&shown)).await;
            descriptions.push((format!("{name}-{role}"), asker.description.0));
        }
    }
    assert_eq!(lint(&descriptions).await, Vec::<String>::new());
}
