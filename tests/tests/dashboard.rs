//! Runs `tests/browser/dashboard.mjs`, which drives the dashboard in Chromium against the demo. The
//! page is served from another origin than the gateway's, which the settings list. The screenshots
//! are kept in `target/screenshots/dashboard`.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use demo::Demo;
use gateway::config::Settings;
use serde_json::Value;
use tests::program;

/// Generous, because other tests may load the machine.
const LIMIT: Duration = Duration::from_secs(1800);

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The demo's settings, which let the page of an origin keep a cookie, lead mails back to it, and
/// use passkeys. Far more sign-ins are allowed than a person makes.
fn settings(demo: &Demo, url: &str, origin: &str) -> Settings {
    let text = demo
        .settings_text(url)
        .replace(
            "name = \"Privacy service\"\n",
            &format!("name = \"Privacy service\"\nredirects = [\"{origin}/**\"]\n"),
        )
        .replace(
            "\norigins = [\"http://",
            &format!("\norigins = [\"{origin}\", \"http://"),
        )
        .replace("\nrate = 20\n", "\nrate = 6000\n");
    let mut settings = demo.settings_of(&text).unwrap();
    settings.set("cors-origins", origin).unwrap();
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn dashboard_works_in_a_browser_from_another_origin() {
    let data = tests::demo_data::copy().unwrap();
    let folder = data.as_ref().map(|data| data.path().to_owned());
    let demo = Demo::start(folder).await.unwrap();
    let (port, page_port) = (free_port(), free_port());
    // By the name that the page has, too: cookies are for one site.
    let url = format!("http://localhost:{port}");
    let origin = format!("http://localhost:{page_port}");
    demo.publish_url(&url).await.unwrap();
    let permissions = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(settings(&demo, &url, &origin))
        .listen(&format!("127.0.0.1:{port}"))
        .permissions_text(&permissions.name, &permissions.text)
        .rest_map(demo.rest_map())
        .actions(demo.actions());
    let _running = builder.start().await.unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = program::node("browser", "dashboard.mjs").unwrap();
    command
        .arg(&url)
        .arg(root.join("dashboard/dist"))
        .arg(page_port.to_string())
        .arg(root.join("target/screenshots/dashboard"));
    let facts = Value::Object(demo.facts(&url)).to_string();
    let text = program::run(&mut command, &facts, LIMIT).await.unwrap();
    let failed: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|check| !check["failure"].is_null())
        .map(|check| format!("{}\n{}", check["name"], check["failure"]))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert!(text.lines().count() >= 20, "{text}");
}
