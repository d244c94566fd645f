//! Passkeys in Chromium, whose virtual authenticators are what the protocol of its developer tools
//! offers, with `@simplewebauthn/browser` and both of Nhost's clients in the page.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;
use tests::program;

use super::mailbox::Mailbox;
use super::service::{Service, builder, settings};

/// Enough time for a browser on a loaded machine.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(180);

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Runs a part of `tests/browser/passkeys.mjs`, and returns what went well.
async fn run(part: &str) -> serde_json::Value {
    let clients = program::folder_with_packages("nhost").unwrap();
    let mailbox = Mailbox::start().await;
    let [gateway_port, page_port, other_port] = [(); 3].map(|()| free_port());
    let url = format!("http://127.0.0.1:{gateway_port}");
    let page = format!("http://localhost:{page_port}");
    let other = format!("http://localhost:{other_port}");
    let changes = format!(
        "accounts.name = \"Shop\"\naccounts.server_url = {url:?}\naccounts.client_url = {page:?}\n\
         accounts.redirects = [\"{page}/**\"]\naccounts.passkeys.origins = [{page:?}]"
    );
    let builder = builder(&settings(&mailbox.url(), &changes));
    let started = builder
        .setting("listen", &format!("127.0.0.1:{gateway_port}"))
        .setting("cors-origins", &format!("{page},{other}"))
        .start()
        .await;
    let _service: Service;
    let mut command = program::node("browser", "passkeys.mjs").unwrap();
    command
        .arg(part)
        .arg(&url)
        .arg(mailbox.file())
        .arg(page_port.to_string())
        .arg(other_port.to_string())
        .arg(clients);
    let output = program::run(&mut command, "", BROWSER_TIMEOUT).await;
    _service = Service::new(started, mailbox);
    serde_json::from_str(&output.unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn chromium_signup_signin_add_remove() {
    let passed = [
        "sign up",
        "sign in before the proof",
        "verify",
        "sign in by address",
        "sign in without an address",
        "add without elevation",
        "elevate",
        "add",
        "exclude",
        "list",
        "remove",
        "unknown address",
        "another origin",
    ];
    assert_eq!(run("passkeys").await, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn u2f_key_as_second_factor() {
    let passed = [
        "sign in by password",
        "add a U2F key",
        "make it the second factor",
        "ask for it",
        "refuse another key",
        "sign in with it",
        "recovery code",
    ];
    assert_eq!(run("u2f").await, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn passkey_with_and_without_uv() {
    let passed = [
        "scan",
        "activate",
        "add a passkey",
        "sign in with verification",
        "sign in without verification",
        "second factor",
    ];
    assert_eq!(run("verification").await, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_of_chromium() {
    let passed = [
        "grows",
        "falls on one device",
        "grows again",
        "falls on a copy",
    ];
    assert_eq!(run("counters").await, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn nhosts_former_client_uses_passkeys() {
    let passed = [
        "signUp",
        "verify",
        "signIn",
        "signInSecurityKey",
        "elevateEmailSecurityKey",
        "addSecurityKey",
        "key of the former client in the new one",
    ];
    assert_eq!(run("former").await, json!({"passed": passed}));
}
