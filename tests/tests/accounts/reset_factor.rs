//! `postern accounts reset-factor`: an operator removes the factors of a user who has lost them.

use serde_json::json;
use tests::binary::{Finished, run};

use super::service::{PASSWORD, Service, assert_refused, session, settings, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

/// Runs the command over the service's database.
fn reset_factor(service: &Service, user: &str) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    std::fs::write(&file, settings(&service.mailbox.url(), "")).unwrap();
    let url = service.database.url();
    let config = file.to_str().unwrap();
    let arguments = ["--config", config, "--database-url", url, user];
    run(&[&["accounts", "reset-factor"], &arguments[..]].concat()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_removes_all_factors_of_one_user() {
    let service = Service::start().await;
    let ada = service.person_with_totp(ADA).await;
    let bob = service.person_with_totp(BOB).await;
    let elevated = service.elevated(&ada).await;
    service.recovery_codes(&elevated).await;
    let mut key = SoftwareKey::new();
    service.add_key(&elevated, ADA, &mut key).await;
    let refresh = text(&service.session_in_two_steps(&ada).await, "refreshToken");
    let ticket = service.mfa_ticket(ADA).await;

    let notices = "SELECT count(*) FROM postern.event_queue \
                   WHERE payload ->> 'purpose' = 'factor-changed' AND payload ->> 'email' = 'ada@example.org'";
    let before: u32 = service.value(notices).await.parse().unwrap();
    let finished = reset_factor(&service, &service.id(ADA).await);
    assert_eq!(
        (finished.code, &*finished.out),
        (Some(0), ""),
        "{}",
        finished.err
    );
    let removed = "removed: authenticator apps 1, recovery codes 10, keys 1; sessions ended: ";
    assert!(finished.err.starts_with(removed), "{}", finished.err);

    // The password alone opens a session; what was opened or asked for before has ended.
    session(&service.sign_in_with(ADA, PASSWORD).await);
    assert_eq!(service.refresh(&refresh).await.status, 401);
    let code = service.unused_code(&ada.app).await;
    assert_refused(
        &service.second_step(&ticket, &code).await,
        401,
        "invalid-ticket",
    );
    assert_eq!(service.sign_in_by_key(&mut key).await.status, 401);
    let after: u32 = service.value(notices).await.parse().unwrap();
    assert_eq!(after, before + 1);
    service.until_mailed().await;
    let audited = "SELECT concat_ws(' ', outcome, method, reason) FROM postern.authentication_event \
                   WHERE event = 'factor-removed'";
    assert_eq!(service.value(audited).await, "success totp operator");
    // Other users keep theirs.
    service.session_in_two_steps(&bob).await;
}

/// A thief may have the key that was lost with the phone, and a second factor that is a key.
#[tokio::test(flavor = "multi_thread")]
async fn operator_removes_keys_that_are_the_second_factor() {
    let service = Service::with("accounts.elevation = \"disabled\"").await;
    let mut key = service.person_with_key(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let body = json!({"activeMfaType": "webauthn"});
    service.ok_as(&access, "/v1/user/mfa", body).await;
    service.notice(ADA).await;
    let finished = reset_factor(&service, &service.id(ADA).await);
    assert_eq!(finished.code, Some(0), "{}", finished.err);
    session(&service.sign_in_with(ADA, PASSWORD).await);
    assert_eq!(service.sign_in_by_key(&mut key).await.status, 401);
    service.notice(ADA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_user_has_no_factors_to_remove() {
    let service = Service::start().await;
    for user in ["a0000000-0000-4000-8000-0000000000a1", "no id"] {
        let finished = reset_factor(&service, user);
        assert_eq!(finished.code, Some(1), "{}", finished.out);
        let message = format!("error: there is no user `{user}` with a role");
        assert!(finished.err.contains(&message), "{}", finished.err);
    }
    let rows = "SELECT count(*) FROM postern.account";
    assert_eq!(service.value(rows).await, "0");
}
