//! Tests the faults of declarations, which `postern check` reports at their lines, and which stop
//! the start.

use serde_json::{Value, json};
use tests::binary;

use super::service::{builder, migrated};

/// Declarations with faults, and for each the line, the code, and a part of message or help.
const FAULTY: &str = r#"
[webhook.unknown]
hmac = { header = "X-A", secret = "0123456789abcdef0123", hash = "sha256" }
retries = 3
[webhook.secretless]
stripe = {}
[webhook.weak]
github = { secret = "password" }
[webhook.same]
github = { secret = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
[webhook.variable]
github = { secret_from_env = "POSTERN_TEST_IS_NOT_SET" }
[webhook.written]
github = { secret_from_env = "POSTERN_TEST_IS_NOT_SET_EITHER" }
[webhook.header]
hmac = { header = "X Signature", secret = "0123456789abcdef0123" }
[webhook.headerless]
hmac = { secret = "0123456789abcdef0123" }
[webhook.words]
hmac = { header = "X-A", secret = "0123456789abcdef0123", algorithm = "md5" }
[webhook.encoding]
hmac = { header = "X-A", secret = "0123456789abcdef0123", encoding = "base32" }
[webhook.key]
jwe = { secret = "0123456789abcdef0123" }
[webhook.whsec]
standard = { secret = "whsec_not base64 at all" }
[webhook.digest]
legacy = { keys = { "did:web:a" = "the key itself" } }
[webhook.keyless]
legacy = {}
[webhook.nothing]
function = "record"
[webhook.private]
headers = ["Authorization"]
github = { secret = "0123456789abcdef0123" }
[webhook.tolerance]
stripe = { secret = "0123456789abcdef0123", tolerance = 0 }
[webhook.id]
delivery_id = { header = "X-A", json = "id" }
github = { secret = "0123456789abcdef0123" }
[webhook."a/b"]
github = { secret = "0123456789abcdef0123" }
[webhook.type]
github = "0123456789abcdef0123"
[webhook.twice]
github = { secret = "0123456789abcdef0123", secret_query = "SELECT secret FROM secrets WHERE did = $1" }
"#;

const EXPECTED: [(u32, &str, &str); 22] = [
    (3, "unknown-key", "`hash` is not a key of `hmac`"),
    (4, "unknown-key", "`retries` is not a key of a service"),
    (6, "missing-secret", "`stripe` has no secret"),
    (8, "weak-secret", "fewer than 16 bytes"),
    (10, "weak-secret", "fewer than 6 different"),
    (12, "missing-variable", "POSTERN_TEST_IS_NOT_SET"),
    (14, "missing-variable", "POSTERN_TEST_IS_NOT_SET_EITHER"),
    (16, "header", "`X Signature` is not the name of a header"),
    (18, "missing-key", "`hmac` has no `header`"),
    (20, "unknown-word", "`md5` is not `sha256`"),
    (22, "unknown-word", "`base32` is not `base64` or `hex`"),
    (24, "secret-format", "32 bytes in base64"),
    (26, "secret-format", "`whsec_` and base64"),
    (28, "digest", "64 hexadecimal digits"),
    (30, "missing-secret", "`legacy` has no secret"),
    (
        31,
        "no-verification",
        "nothing verifies the senders of `nothing`",
    ),
    (34, "private-header", "`Authorization` proves"),
    (37, "wrong-type", "from 1 to 86400"),
    (
        39,
        "contradiction",
        "`header` and `json` exclude each other",
    ),
    (41, "name", "`a/b` is not a name"),
    (44, "wrong-type", "`github` must be a table"),
    (
        46,
        "contradiction",
        "`secret` and `secret_query` exclude each other",
    ),
];

/// Runs `postern check` over a settings file; returns its exit code and its JSON.
async fn checked(settings: &str) -> (Option<i32>, Value, String) {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    std::fs::write(&file, settings).unwrap();
    let file = file.to_str().unwrap();
    let run = |json: &[&str]| {
        let arguments = ["check", "--config", file, "--database-url", database.url()];
        binary::run(&arguments.iter().chain(json).copied().collect::<Vec<_>>()).unwrap()
    };
    let json = run(&["--json"]);
    let drawn = run(&[]);
    assert_eq!(json.code, drawn.code, "{} {}", json.err, drawn.err);
    (
        json.code,
        serde_json::from_str(&json.out).unwrap_or_default(),
        drawn.err,
    )
}

#[tokio::test]
async fn faults_are_reported_together_at_their_lines() {
    let (code, report, drawn) = checked(FAULTY).await;
    assert_eq!(
        (code, &report["ok"]),
        (Some(1), &json!(false)),
        "{report} {drawn}"
    );
    let problems = report["problems"].as_array().unwrap();
    let found: Vec<(u64, &str)> = problems
        .iter()
        .map(|one| (one["line"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    let expected: Vec<(u64, &str)> = EXPECTED
        .iter()
        .map(|(line, code, _)| (u64::from(*line), *code))
        .collect();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "{drawn}");
    for (line, _, part) in EXPECTED {
        let one = problems.iter().find(|one| one["line"] == line).unwrap();
        let text = format!("{} {}", one["message"], one["help"]);
        assert!(text.contains(part), "{line}: {text}");
    }
    // The lines that are drawn contain no secret.
    assert!(
        !drawn.contains("0123456789abcdef0123") && !drawn.contains("password"),
        "{drawn}"
    );
    assert!(!drawn.contains("the key itself"), "{drawn}");
    assert!(drawn.contains("POSTERN_TEST_IS_NOT_SET_EITHER"), "{drawn}");
    // A variable in a text is one of the settings file.
    let (code, _, fault) =
        checked("[webhook.a]\ngithub = { secret = \"${POSTERN_TEST_IS_NOT_SET}\" }\n").await;
    assert!(
        code == Some(1) && fault.contains("line 2") && fault.contains("`POSTERN_TEST_IS_NOT_SET`"),
        "{fault}"
    );
}

#[tokio::test]
async fn functions_and_queries_are_checked_with_the_database() {
    let service = |name: &str, function: &str| {
        format!(
            "[webhook.{name}]\nfunction = '{function}'\ngithub \
                                              = {{ secret = \"0123456789abcdef0123\" }}\n"
        )
    };
    let legacy = |name: &str, query: &str| {
        format!("[webhook.{name}]\nlegacy = {{ key_query = \"{query}\" }}\n")
    };
    let signed = |name: &str, query: &str| {
        format!("[webhook.{name}]\ngithub = {{ secret_query = \"{query}\" }}\n")
    };
    let settings = [
        service("a", "record"),
        service("b", "public.record"),
        service("c", "recrod"),
        service("d", "other"),
        service("e", "x(; DROP TABLE seen"),
        legacy("f", "SELECT digest FROM keys WHERE did = $1"),
        legacy("g", "SELECT digest FROM nowhere WHERE did = $1"),
        legacy("h", "SELECT digest FROM keys"),
        legacy("i", "SELECT did, digest FROM keys WHERE did = $1"),
        signed("j", "SELECT 'text' FROM keys WHERE did = $1"),
        signed("k", "SELECT secret FROM keys WHERE did = $1"),
    ];
    let (code, report, drawn) = checked(&settings.concat()).await;
    assert_eq!(code, Some(1), "{drawn}");
    let problems = report["problems"].as_array().unwrap();
    let found: Vec<(u64, &str)> = problems
        .iter()
        .map(|one| (one["line"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    let expected = [
        (8, "unknown-function"),
        (11, "unknown-function"),
        (14, "unknown-function"),
        (19, "query"),
        (21, "query"),
        (23, "query"),
        (27, "query"),
    ];
    assert_eq!(found, expected, "{drawn}");
    assert!(
        problems[1]["help"]
            .as_str()
            .unwrap()
            .contains("other(jsonb)"),
        "{drawn}"
    );
}

#[tokio::test]
async fn services_may_stand_in_files_of_their_own() {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let check = || {
        let file = folder.path().join("gateway.toml");
        let arguments = [
            "check",
            "--json",
            "--config",
            file.to_str().unwrap(),
            "--database-url",
            database.url(),
        ];
        let run = binary::run(&arguments).unwrap();
        (
            run.code,
            serde_json::from_str::<Value>(&run.out).unwrap_or_default(),
        )
    };
    let shop =
        "[webhook.shop]\nfunction = \"record\"\ngithub = { secret = \"0123456789abcdef0123\" }\n";
    write("gateway.toml", "webhooks = [\"more.toml\"]\n");
    write("more.toml", shop);
    let (code, report) = check();
    assert_eq!((code, &report["ok"]), (Some(0), &json!(true)), "{report}");
    write("more.toml", &format!("{shop}\n[other]\nx = 1\n"));
    let (code, report) = check();
    assert_eq!(
        (code, &report["problems"][0]["code"]),
        (Some(1), &json!("unknown-key")),
        "{report}"
    );
    assert!(
        report["problems"][0]["file"]
            .as_str()
            .unwrap()
            .ends_with("more.toml"),
        "{report}"
    );
    write(
        "gateway.toml",
        &format!("webhooks = [\"more.toml\"]\n{shop}"),
    );
    write("more.toml", shop);
    assert_eq!(check().1["problems"][0]["code"], "duplicate");
    write("gateway.toml", "webhooks = [\"nowhere.toml\"]\n");
    assert_eq!(check().1["problems"][0]["code"], "unreadable");
}

#[tokio::test]
async fn faults_stop_the_start() {
    let database = migrated().await;
    let settings =
        "[webhook.shop]\nfunction = \"nowhere\"\ngithub = { secret = \"0123456789abcdef0123\" }\n";
    let error = builder(&database, settings)
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("gateway.toml:2:12") && error.contains("nowhere(postern.webhook_delivery)"),
        "{error}"
    );
    let empty = tests::create("webhooks", &[]).await.unwrap();
    let error = builder(
        &empty,
        "[webhook.shop]\ngithub = { secret = \"0123456789abcdef0123\" }\n",
    )
    .start()
    .await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("postern migrate"), "{error}");
    // Without services the gateway needs no tables.
    assert!(builder(&empty, "").start().await.is_ok());
}
