//! The keys that an issuer publishes (`jwk_url`): fetched, kept for as long as they may be, and asked for again when a token
//! names a key that is not among them. One task fetches; whoever needs keys waits for it.

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

/// The most time for one fetch.
const TIME: Duration = Duration::from_secs(5);

/// The most bytes of a set, and the most keys that are read of it.
const BYTES: usize = 1 << 20;
const KEYS: usize = 100;

/// Redirects that are followed.
const REDIRECTS: usize = 5;

/// The least time between two fetches, the time where the issuer says nothing, and the most: a key that was taken back has to
/// end some time, whatever the issuer has said before.
const LEAST: Duration = Duration::from_secs(1);
const USUAL: Duration = Duration::from_secs(60);
const MOST: Duration = Duration::from_secs(24 * 3600);

/// How long after a fetch for an unknown key there is no other: such tokens cost their sender nothing.
const COOL_DOWN: Duration = Duration::from_secs(10);

/// Published keys.
pub(super) struct KeySet {
    url: reqwest::Url,
    fetcher: Fetcher,
    keys: RwLock<Arc<Vec<Key>>>,
    /// How often other keys have come; 0 before the first.
    version: AtomicU64,
    /// The bytes that the keys were read from.
    digest: Mutex<[u8; 32]>,
    wish: Mutex<Wish>,
    wished: Arc<Notify>,
    /// How many fetches have ended, well or not.
    rounds: watch::Sender<u64>,
    started: AtomicBool,
}

/// What is wanted of the task that fetches.
#[derive(Debug, Default)]
struct Wish {
    /// Whether a fetch is running, or will as soon as the task gets to it.
    pending: bool,
    /// When one was last wished for because of an unknown key.
    last: Option<Instant>,
}

/// The sets that there are, so that the next version of the gateway goes on with the keys of the one before.
#[derive(Debug, Default)]
pub struct KeySets(Mutex<HashMap<String, Weak<KeySet>>>);

impl KeySets {
    /// The set at that address.
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
            fetcher: Fetcher::new(REDIRECTS),
            keys: RwLock::default(),
            version: AtomicU64::new(0),
            digest: Mutex::default(),
            // The first fetch is on its way as soon as the set is started.
            wish: Mutex::new(Wish { pending: true, last: None }),
            wished: Arc::default(),
            rounds: watch::Sender::new(0),
            started: AtomicBool::new(false),
        }
    }

    /// Begins to fetch, and goes on for as long as somebody has the set.
    pub(super) fn start(self: &Arc<Self>) {
        if !self.started.swap(true, Ordering::AcqRel) {
            tokio::spawn(keep_fresh(Arc::downgrade(self)));
        }
    }

    /// The keys, and which version of them they are.
    pub(super) fn keys(&self) -> (Arc<Vec<Key>>, u64) {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        (keys.clone(), self.version())
    }

    /// Which version of the keys holds; 0 for none yet.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Whether a key of that id is there; a token without one can be of any.
    pub(super) fn knows(&self, id: Option<&str>) -> bool {
        id.is_some() && self.keys().0.iter().any(|key| key.id() == id)
    }

    /// Waits until the keys have been asked for again because that one is not among them, unless they were a moment ago.
    pub(super) async fn look_for(&self, id: Option<&str>) {
        if !self.started.load(Ordering::Acquire) {
            return;
        }
        let mut rounds = self.rounds.subscribe();
        // What is running already may have begun before the issuer took the new key; then once more.
        for _ in 0..2 {
            rounds.mark_unchanged();
            if self.knows(id) || !self.wish() {
                return;
            }
            // Ends when the round does; the bound is for a task that its runtime has lost.
            let _ = tokio::time::timeout(TIME + LEAST, rounds.changed()).await;
        }
    }

    /// Whether a fetch is running, or was wished for now.
    fn wish(&self) -> bool {
        let mut wish = self.wish.lock().unwrap_or_else(PoisonError::into_inner);
        if wish.pending {
            return true;
        }
        if wish.last.is_some_and(|last| last.elapsed() < COOL_DOWN) {
            return false;
        }
        *wish = Wish { pending: true, last: Some(Instant::now()) };
        self.wished.notify_one();
        true
    }

    /// Fetches once, and says when to do so again. `failed` counts the failures before.
    async fn round(&self, failed: &mut u32) -> Duration {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner).pending = true;
        let pause = match self.fetch().await {
            Ok(lifetime) => {
                *failed = 0;
                match lifetime {
                    Freshness::For(time) => time.clamp(LEAST, MOST),
                    Freshness::No => LEAST,
                    Freshness::Unsaid => USUAL,
                }
            }
            Err(cause) => {
                tracing::warn!(url = self.address(), %cause, "keys of tokens not fetched, those from before stay");
                let pause = LEAST.saturating_mul(1 << (*failed).min(6)).min(USUAL);
                *failed += 1;
                pause
            }
        };
        self.wish.lock().unwrap_or_else(PoisonError::into_inner).pending = false;
        self.rounds.send_modify(|rounds| *rounds += 1);
        pause
    }

    async fn fetch(&self) -> Result<Freshness, KeysError> {
        let media = "application/jwk-set+json, application/json";
        let get = |client: &reqwest::Client| client.get(self.url.clone()).header(http::header::ACCEPT, media);
        let fetched = self.fetcher.send(get, TIME, BYTES).await?;
        if !fetched.status.is_success() {
            return Err(KeysError::Status(fetched.status.as_u16()));
        }
        self.put(&fetched.body)?;
        Ok(Freshness::of_headers(&fetched.headers, SystemTime::now()))
    }

    /// Takes the place of the keys, if these are others.
    fn put(&self, body: &[u8]) -> Result<(), KeysError> {
        let digest = Sha256::digest(body).into();
        let mut known = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        if self.version() > 0 && *known == digest {
            return Ok(());
        }
        let keys = read(body)?;
        tracing::info!(url = self.address(), keys = keys.len(), "keys of tokens fetched");
        *known = digest;
        let mut current = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(keys);
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// The address without what may be secret in it.
    fn address(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = self.url.host_str().unwrap_or_default();
        format!("{}://{host}{port}{}", self.url.scheme(), self.url.path())
    }
}

/// Why keys did not come.
#[derive(Debug, thiserror::Error)]
enum KeysError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the answer has the status {0}")]
    Status(u16),
    #[error("the answer is not a JWK set")]
    Form,
    #[error("no key of the set verifies signatures")]
    Empty,
}

/// The keys of a set that can be used. A set without one is not taken: more likely the issuer is at fault than without keys.
fn read(body: &[u8]) -> Result<Vec<Key>, KeysError> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<Value>,
    }
    let set: Set = serde_json::from_slice(body).map_err(|_| KeysError::Form)?;
    // What is shared between two has no business at a public address.
    let keys = set.keys.iter().take(KEYS).filter_map(Key::of_jwk).filter(|key| !key.is_shared());
    let keys: Vec<Key> = keys.collect();
    if keys.is_empty() { Err(KeysError::Empty) } else { Ok(keys) }
}

async fn keep_fresh(set: Weak<KeySet>) {
    let mut failed = 0;
    loop {
        let Some(held) = set.upgrade() else { return };
        let pause = held.round(&mut failed).await;
        let wished = held.wished.clone();
        // Meanwhile nothing but those who verify with the keys keeps them.
        drop(held);
        let _ = tokio::time::timeout(pause, wished.notified()).await;
    }
}

impl Drop for KeySet {
    /// The task has nothing to wait for any more.
    fn drop(&mut self) {
        self.wished.notify_one();
    }
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KeySet").field("version", &self.version()).finish_non_exhaustive()
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
        json!({"keys": ids.iter().map(key).collect::<Vec<_>>()}).to_string().into_bytes()
    }

    #[test]
    fn other_keys_are_another_version() {
        let set = set();
        set.put(&body(&["a"])).unwrap();
        set.put(&body(&["a"])).unwrap();
        assert_eq!(set.version(), 1);
        set.put(&body(&["a", "b"])).unwrap();
        assert!(set.version() == 2 && set.knows(Some("b")) && !set.knows(Some("c")) && !set.knows(None));
    }

    #[test]
    fn keys_that_came_stay_until_better_ones_come() {
        let set = set();
        set.put(&body(&["a"])).unwrap();
        let shared = br#"{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"s","alg":"HS256"}]}"#;
        for bad in [&b""[..], b"{}", b"[]", b"<html>", br#"{"keys":[]}"#, br#"{"keys":[{"kty":"EC"}]}"#, shared] {
            assert!(set.put(bad).is_err());
        }
        assert!(set.version() == 1 && set.knows(Some("a")));
        assert_eq!(read(&body(&["x"; 200])).unwrap().len(), KEYS);
    }

    #[test]
    fn what_is_told_of_the_address_is_no_secret() {
        assert_eq!(set().address(), "https://issuer.example/keys");
        assert!(!format!("{:?}", set()).contains("secret"));
    }

    #[test]
    fn unknown_keys_are_looked_for_once_in_a_while() {
        let set = set();
        assert!(set.wish(), "the first fetch is on its way");
        set.wish.lock().unwrap().pending = false;
        assert!(set.wish() && set.wish(), "one is wished for, and waited for by all");
        set.wish.lock().unwrap().pending = false;
        assert!(!set.wish());
    }

    #[test]
    fn a_set_is_shared_while_somebody_has_it() {
        let sets = KeySets::default();
        let url = || "https://issuer.example/keys".parse().unwrap();
        let first = sets.at(url());
        assert!(Arc::ptr_eq(&first, &sets.at(url())));
        drop(first);
        assert_eq!(sets.at(url()).version(), 0);
    }
}
