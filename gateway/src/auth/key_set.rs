//! The keys that an issuer publishes (`jwk_url`): fetches them, caches them as long as the response
//! allows, and fetches them again when a token names an unknown key. One background task fetches;
//! requests that need new keys wait for it.
//!
//! The task holds the keys weakly, so it ends with the last version of the gateway that uses them;
//! a reload keeps the set of an unchanged address. A cached token records the version of the keys
//! that verified it, and is verified again when the version changes: an issuer can withdraw a key.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, watch};

use super::fetch::{FetchError, Fetcher};
use super::freshness::Freshness;
use super::keys::Key;

/// The maximum time for one fetch.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of a key set in bytes, and the maximum number of its keys that are read.
const MAX_KEY_SET_BYTES: usize = 1 << 20;
const MAX_KEYS: usize = 100;

/// The maximum number of redirects.
const MAX_REDIRECTS: usize = 5;

/// The minimum time between two fetches, the time if the issuer's response has none, and the
/// maximum: a revoked key must expire at some time, whatever the response allowed.
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(1);
const DEFAULT_FETCH_INTERVAL: Duration = Duration::from_secs(60);
const MAX_FETCH_INTERVAL: Duration = Duration::from_secs(24 * 3600);

/// The minimum time between two fetches for unknown keys, since tokens with such keys cost their
/// sender nothing.
const COOL_DOWN: Duration = Duration::from_secs(10);

/// The published keys of one issuer.
pub(super) struct KeySet {
    url: reqwest::Url,
    fetcher: Fetcher,
    keys: RwLock<Arc<Vec<Key>>>,
    /// How often the keys have changed; 0 before the first fetch.
    version: AtomicU64,
    /// The digest of the response that the keys were read from.
    digest: Mutex<[u8; 32]>,
    fetch_request: Mutex<FetchRequest>,
    fetch_requested: Arc<Notify>,
    /// How many fetches have ended, successfully or not.
    rounds: watch::Sender<u64>,
    started: AtomicBool,
}

/// The request for a fetch, read by the background task.
#[derive(Debug, Default)]
struct FetchRequest {
    /// Whether a fetch is running or about to run.
    pending: bool,
    /// When a fetch for an unknown key was last requested.
    last: Option<Instant>,
}

/// The existing key sets by URL. A reload of the settings reuses the fetched keys.
#[derive(Debug, Default)]
pub struct KeySets(Mutex<HashMap<String, Weak<KeySet>>>);

impl KeySets {
    /// The key set at a URL.
    pub(super) fn at(&self, url: reqwest::Url) -> Arc<KeySet> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|_, set| set.strong_count() > 0);
        if let Some(set) = sets.get(url.as_str()).and_then(Weak::upgrade) {
            return set;
        }
        let set = Arc::new(KeySet::new(url));
        sets.insert(set.url.as_str().to_owned(), Arc::downgrade(&set));
        set
    }
}

impl KeySet {
    fn new(url: reqwest::Url) -> KeySet {
        KeySet {
            url,
            fetcher: Fetcher::new(MAX_REDIRECTS),
            keys: RwLock::default(),
            version: AtomicU64::new(0),
            digest: Mutex::default(),
            // The first fetch begins when the set is started.
            fetch_request: Mutex::new(FetchRequest {
                pending: true,
                last: None,
            }),
            fetch_requested: Arc::default(),
            rounds: watch::Sender::new(0),
            started: AtomicBool::new(false),
        }
    }

    /// Starts the background task, which runs until the set is dropped.
    pub(super) fn start(self: &Arc<Self>) {
        if !self.started.swap(true, Ordering::AcqRel) {
            tokio::spawn(keep_fresh(Arc::downgrade(self)));
        }
    }

    /// The keys and their version.
    pub(super) fn keys(&self) -> (Arc<Vec<Key>>, u64) {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        (keys.clone(), self.version())
    }

    /// The version of the keys; 0 before the first fetch.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Whether the set has a key with this id. A token without an id may be signed by any key.
    pub(super) fn knows(&self, id: Option<&str>) -> bool {
        id.is_some() && self.keys().0.iter().any(|key| key.id() == id)
    }

    /// Waits until the keys have been fetched again because this key is unknown, unless they were
    /// fetched for that reason recently.
    pub(super) async fn fetch_for(&self, id: Option<&str>) {
        if !self.started.load(Ordering::Acquire) {
            return;
        }
        let mut rounds = self.rounds.subscribe();
        // A fetch that is already running may have begun before the issuer published the key; then
        // waits for another.
        for _ in 0..2 {
            rounds.mark_unchanged();
            if self.knows(id) || !self.request_fetch() {
                return;
            }
            // The timeout is needed only if the runtime has dropped the task.
            let _ =
                tokio::time::timeout(FETCH_TIMEOUT + MIN_FETCH_INTERVAL, rounds.changed()).await;
        }
    }

    /// Requests a fetch. Returns whether one is running or was requested.
    fn request_fetch(&self) -> bool {
        let mut fetch_request = self
            .fetch_request
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if fetch_request.pending {
            return true;
        }
        if fetch_request
            .last
            .is_some_and(|last| last.elapsed() < COOL_DOWN)
        {
            return false;
        }
        *fetch_request = FetchRequest {
            pending: true,
            last: Some(Instant::now()),
        };
        self.fetch_requested.notify_one();
        true
    }

    /// Fetches once and returns the pause before the next fetch. `failed` counts consecutive
    /// failures.
    async fn round(&self, failed: &mut u32) -> Duration {
        self.fetch_request
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pending = true;
        let pause = match self.fetch().await {
            Ok(lifetime) => {
                *failed = 0;
                match lifetime {
                    Freshness::For(time) => time.clamp(MIN_FETCH_INTERVAL, MAX_FETCH_INTERVAL),
                    Freshness::No => MIN_FETCH_INTERVAL,
                    Freshness::Unsaid => DEFAULT_FETCH_INTERVAL,
                }
            }
            Err(cause) => {
                tracing::warn!(url = self.address(), %cause, "could not fetch the keys of \
                     tokens; the previous keys stay in use");
                let pause = MIN_FETCH_INTERVAL
                    .saturating_mul(1 << (*failed).min(6))
                    .min(DEFAULT_FETCH_INTERVAL);
                *failed += 1;
                pause
            }
        };
        self.fetch_request
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pending = false;
        self.rounds.send_modify(|rounds| *rounds += 1);
        pause
    }

    async fn fetch(&self) -> Result<Freshness, KeysError> {
        let media = "application/jwk-set+json, application/json";
        let get = |client: &reqwest::Client| {
            client
                .get(self.url.clone())
                .header(http::header::ACCEPT, media)
        };
        let fetched = self
            .fetcher
            .send(get, FETCH_TIMEOUT, MAX_KEY_SET_BYTES)
            .await?;
        if !fetched.status.is_success() {
            return Err(KeysError::Status(fetched.status.as_u16()));
        }
        self.replace_keys(&fetched.body)?;
        Ok(Freshness::from_headers(&fetched.headers, SystemTime::now()))
    }

    /// Replaces the keys if the response has changed.
    fn replace_keys(&self, body: &[u8]) -> Result<(), KeysError> {
        let digest = Sha256::digest(body).into();
        let mut current_digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        if self.version() > 0 && *current_digest == digest {
            return Ok(());
        }
        let keys = read(body)?;
        tracing::info!(
            url = self.address(),
            keys = keys.len(),
            "fetched the keys of tokens"
        );
        *current_digest = digest;
        let mut current = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(keys);
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// The URL without parts that may be secret.
    fn address(&self) -> String {
        let port = self
            .url
            .port()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        let host = self.url.host_str().unwrap_or_default();
        format!("{}://{host}{port}{}", self.url.scheme(), self.url.path())
    }
}

/// Why keys could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the answer has the status {0}")]
    Status(u16),
    #[error("the answer is not a JWK set")]
    Form,
    #[error("no key of the set verifies signatures")]
    Empty,
}

/// The usable keys of a set. An empty result is an error: the response is probably faulty.
pub(super) fn read(body: &[u8]) -> Result<Vec<Key>, KeysError> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<Value>,
    }
    let set: Set = serde_json::from_slice(body).map_err(|_| KeysError::Form)?;
    // A shared secret must not be published, so it is not accepted as a key.
    let keys = set
        .keys
        .iter()
        .take(MAX_KEYS)
        .filter_map(Key::from_jwk)
        .filter(|key| !key.is_shared());
    let keys: Vec<Key> = keys.collect();
    if keys.is_empty() {
        Err(KeysError::Empty)
    } else {
        Ok(keys)
    }
}

async fn keep_fresh(set: Weak<KeySet>) {
    let mut failed = 0;
    loop {
        let Some(key_set) = set.upgrade() else { return };
        let pause = key_set.round(&mut failed).await;
        let fetch_requested = key_set.fetch_requested.clone();
        // During the pause only its users keep the set alive.
        drop(key_set);
        let _ = tokio::time::timeout(pause, fetch_requested.notified()).await;
    }
}

impl Drop for KeySet {
    /// Wakes the task so that it ends.
    fn drop(&mut self) {
        self.fetch_requested.notify_one();
    }
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("KeySet")
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set() -> KeySet {
        KeySet::new("https://issuer.example/keys?x=secret".parse().unwrap())
    }

    fn body(ids: &[&str]) -> Vec<u8> {
        let key = |id: &&str| json!({"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": id});
        json!({"keys": ids.iter().map(key).collect::<Vec<_>>()})
            .to_string()
            .into_bytes()
    }

    #[test]
    fn version_increases_when_keys_change() {
        let set = set();
        set.replace_keys(&body(&["a"])).unwrap();
        set.replace_keys(&body(&["a"])).unwrap();
        assert_eq!(set.version(), 1);
        set.replace_keys(&body(&["a", "b"])).unwrap();
        assert!(
            set.version() == 2 && set.knows(Some("b")) && !set.knows(Some("c")) && !set.knows(None)
        );
    }

    #[test]
    fn invalid_key_sets_keep_the_previous_keys() {
        let set = set();
        set.replace_keys(&body(&["a"])).unwrap();
        let shared = br#"{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"s","alg":"HS256"}]}"#;
        for bad in [
            &b""[..],
            b"{}",
            b"[]",
            b"<html>",
            br#"{"keys":[]}"#,
            br#"{"keys":[{"kty":"EC"}]}"#,
            shared,
        ] {
            assert!(set.replace_keys(bad).is_err());
        }
        assert!(set.version() == 1 && set.knows(Some("a")));
        assert_eq!(read(&body(&["x"; 200])).unwrap().len(), MAX_KEYS);
    }

    #[test]
    fn logged_address_contains_no_secret() {
        assert_eq!(set().address(), "https://issuer.example/keys");
        assert!(!format!("{:?}", set()).contains("secret"));
    }

    #[test]
    fn fetches_for_unknown_keys_have_a_cool_down() {
        let set = set();
        assert!(set.request_fetch(), "the first fetch is on its way");
        set.fetch_request.lock().unwrap().pending = false;
        assert!(
            set.request_fetch() && set.request_fetch(),
            "one is wished for, and waited for by all"
        );
        set.fetch_request.lock().unwrap().pending = false;
        assert!(!set.request_fetch());
    }

    #[test]
    fn key_set_is_shared_while_in_use() {
        let sets = KeySets::default();
        let url = || "https://issuer.example/keys".parse().unwrap();
        let first = sets.at(url());
        assert!(Arc::ptr_eq(&first, &sets.at(url())));
        drop(first);
        assert_eq!(sets.at(url()).version(), 0);
    }
}
