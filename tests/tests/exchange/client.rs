//! Tests Nhost's public JavaScript client, unchanged from npm: it signs in with a personal access
//! token and refreshes.

use tests::program;

use crate::exchange::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn nhosts_client_signs_in_and_refreshes() {
    let service = Service::start().await;
    let token = service.token("1").await;
    let mut command = program::node("nhost", "client.mjs").unwrap();
    let done = program::run_json(command.arg(service.gateway.url()).arg(&token), "")
        .await
        .unwrap();
    assert_eq!(
        done,
        serde_json::json!({"passed": ["signInPAT", "refreshToken", "refreshSession", "getUser", "verifyToken",
        "graphql", "createPAT", "getJWKs", "signOut", "refused"]})
    );
}
