//! The tokens of reserved event streams. A token is signed and says until when and for whom it
//! holds, so that every gateway with equal secrets can open the stream, not only the one that has
//! reserved it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sql::encode::cursor::{self, Ordering};
use uuid::Uuid;

use crate::auth::session::Session;

/// Signs and verifies tokens.
#[derive(Clone, Copy, Debug)]
pub struct StreamTokens {
    secret: cursor::Secret,
    /// Distinguishes tokens from cursors, which the secret signs as well.
    purpose: Ordering,
}

impl StreamTokens {
    /// Tokens that this secret signs.
    pub fn new(secret: cursor::Secret) -> StreamTokens {
        let purpose = Ordering::from_description("event stream token");
        StreamTokens { secret, purpose }
    }

    /// A token of this caller for this time.
    pub(in crate::http) fn sign(&self, session: &Session, time: Duration) -> String {
        let expires = (since_epoch() + time).as_millis().to_string();
        let nonce = Uuid::new_v4();
        let nonce = nonce.simple().to_string();
        let fingerprint = session.fingerprint();
        let values = [&nonce, &expires, &fingerprint].map(|value| Some(value.as_bytes()));
        cursor::encode(&self.secret, self.purpose, values.into_iter())
    }

    /// How long a token of this caller still holds; `None` if it does not.
    pub(in crate::http) fn verify(&self, token: &str, session: &Session) -> Option<Duration> {
        let values = cursor::decode(&self.secret, self.purpose, token)?;
        let [_, Some(expires), Some(fingerprint)] = values.as_slice() else {
            return None;
        };
        let expires = Duration::from_millis(expires.parse().ok()?);
        let remaining = expires.checked_sub(since_epoch())?;
        (*fingerprint == session.fingerprint()).then_some(remaining)
    }
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::auth::session::{AuthKind, Values};

    #[test]
    fn token_holds_for_its_caller_its_time_and_equal_secrets() {
        let tokens = |secret: &str| StreamTokens::new(cursor::Secret::derive([secret.as_bytes()]));
        let session = |role: &str, id: &str| {
            let values = Values::from([("user_id".to_owned(), id.to_owned())]);
            Session::new(role, Arc::new(values), AuthKind::Token)
        };
        let user = session("user", "1");
        let token = tokens("a").sign(&user, Duration::from_secs(60));
        assert!(tokens("a").verify(&token, &user).unwrap() > Duration::from_secs(50));
        assert_eq!(tokens("b").verify(&token, &user), None);
        for other in [session("user", "2"), session("reader", "1")] {
            assert_eq!(tokens("a").verify(&token, &other), None);
        }
        let expired = tokens("a").sign(&user, Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(tokens("a").verify(&expired, &user), None);
        assert_eq!(tokens("a").verify("nonsense", &user), None);
    }
}
