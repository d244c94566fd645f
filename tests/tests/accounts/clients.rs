//! Nhost's public JavaScript clients, unchanged from npm: the one of today, and the one before it,
//! which is a state machine; the page of `docs/accounts.md` in a browser, and a sign-in with
//! another provider there.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;
use tests::program;

use super::mailbox::Mailbox;
use super::provider::Provider;
use super::service::{Service, builder, settings};

/// Enough time for a browser on a loaded machine.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(180);

async fn run(script: &str) -> serde_json::Value {
    let provider = Provider::start().await;
    let changes = format!(
        "accounts.anonymous = true\n{}accounts.provider.google.keep_tokens = true",
        provider.settings("google")
    );
    let service = Service::with(&changes).await;
    let mut command = program::node("nhost", script).unwrap();
    command
        .arg(service.gateway.url())
        .arg(service.mailbox.file());
    program::run_json(&mut command, "").await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nhosts_client_signs_people_up_and_in() {
    let passed = [
        "signUpEmailPassword",
        "signInEmailPassword",
        "sendVerificationEmail",
        "verifyTicketURL",
        "signInPasswordlessEmail",
        "signInOTPEmail",
        "verifySignInOTPEmail",
        "sendPasswordResetEmail",
        "changeUserPassword",
        "changeUserEmail",
        "changeUserMfa",
        "verifyChangeUserMfa",
        "verifySignInMfaTotp",
        "elevation",
        "signInProviderURL",
        "getProviderTokens",
        "tokenExchange",
        "link a provider",
        "signInAnonymous",
        "deanonymizeUser",
        "signUpPasswordlessEmail",
        "signUpOTPEmail",
        "healthCheck",
        "refused",
        "all operations",
    ];
    assert_eq!(run("accounts.mjs").await, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn nhosts_former_client_signs_people_up_and_in() {
    let passed = [
        "signUp",
        "unverified",
        "sendVerificationEmail",
        "signIn",
        "changePassword",
        "changeEmail",
        "signInPasswordless",
        "signInEmailOTP",
        "verifyEmailOTP",
        "resetPassword",
        "generateQrCode",
        "activateMfa",
        "signIn with a second factor",
        "disableMfa",
        "signIn with a provider",
        "connectProvider",
        "signIn without a name",
        "signUp of an anonymous user",
        "deanonymize",
        "refused",
    ];
    assert_eq!(run("former.mjs").await, json!({"passed": passed}));
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_the_documentation_signs_people_in() {
    let page = include_str!("../../../docs/accounts.md");
    let (_, page) = page
        .split_once("<!-- file: index.html -->\n```html\n")
        .unwrap();
    let (page, _) = page.split_once("```\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("index.html");
    std::fs::write(&file, page).unwrap();

    let mailbox = Mailbox::start().await;
    let gateway_port = free_port();
    let page_port = free_port();
    let url = format!("http://127.0.0.1:{gateway_port}");
    let application = format!("http://localhost:{page_port}");
    let changes = format!("accounts.server_url = {url:?}\naccounts.client_url = {application:?}");
    let builder = builder(&settings(&mailbox.url(), &changes));
    let _service = builder
        .setting("listen", &format!("127.0.0.1:{gateway_port}"))
        .setting("cors-origins", &application)
        .start()
        .await;
    let mut command = program::node("browser", "accounts.mjs").unwrap();
    command
        .arg(&file)
        .arg(page_port.to_string())
        .arg(&url)
        .arg(mailbox.file());
    let done = program::run_json(&mut command, "").await.unwrap();
    let passed = [
        "sign up",
        "sign in before the proof",
        "verify",
        "sign in",
        "link",
        "used link",
        "new password",
    ];
    assert_eq!(done, json!({"passed": passed}));
}

#[tokio::test(flavor = "multi_thread")]
async fn chromium_signs_in_with_a_provider() {
    let clients = program::folder_with_packages("nhost").unwrap();
    let mailbox = Mailbox::start().await;
    let gateway_port = free_port();
    let page_port = free_port();
    let url = format!("http://localhost:{gateway_port}");
    let application = format!("http://localhost:{page_port}");
    let provider = Provider::start_for(&url).await;
    let changes = format!(
        "accounts.server_url = {url:?}\naccounts.client_url = {application:?}\n{}{}\
         accounts.provider.workos.form_post = true",
        provider.settings("google"),
        provider.settings("workos")
    );
    let builder = builder(&settings(&mailbox.url(), &changes));
    let _service = builder
        .setting("listen", &format!("127.0.0.1:{gateway_port}"))
        .setting("cors-origins", &application)
        .start()
        .await;
    let mut command = program::node("browser", "providers.mjs").unwrap();
    command.arg(&url).arg(page_port.to_string()).arg(clients);
    let output = program::run(&mut command, "", BROWSER_TIMEOUT).await;
    let done: serde_json::Value = serde_json::from_str(&output.unwrap()).unwrap();
    let passed = [
        "sign in",
        "cookie of this host alone",
        "sign in again",
        "sign in by a form of another site",
        "say no",
        "callback of somebody else",
        "link",
        "second factor",
    ];
    assert_eq!(done, json!({"passed": passed}));
}
