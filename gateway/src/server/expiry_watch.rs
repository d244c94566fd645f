//! Looks each hour whether the certificate of the port has expired or will soon, and logs it when
//! it has expired and once a day. A reload logs it at once.

use std::sync::Arc;
use std::time::Duration;

use crate::http::App;
use crate::tls::Expiry;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_secs(3600);

/// After how many looks the log has it again.
const LOOKS_PER_LINE: u32 = 24;

/// Runs until it is dropped.
pub(super) async fn run(app: Arc<App>) {
    let mut looks = 0;
    let mut was_expired = is_expired(&app);
    loop {
        tokio::time::sleep(INTERVAL).await;
        looks += 1;
        let has_expired = is_expired(&app);
        if looks % LOOKS_PER_LINE == 0 || has_expired && !was_expired {
            let state = app.state();
            state
                .tls
                .iter()
                .flat_map(|tls| &tls.expiry)
                .for_each(Expiry::log);
        }
        was_expired = has_expired;
    }
}

fn is_expired(app: &App) -> bool {
    let state = app.state();
    let mut expiry = state.tls.iter().flat_map(|tls| &tls.expiry);
    expiry.any(Expiry::is_expired)
}
