//! Passwords: what is accepted as one, and how it is hashed. A hash takes some 20 ms and 19 MiB on
//! purpose, so no more than half of the cores compute them at a time, and no more wait than are
//! done within a second or two; further requests are refused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use gateway::error::Error;
use gateway::http_client;
use sha1::{Digest, Sha1};
use tokio::sync::Semaphore;

use super::account_error::AccountError;

/// The most bytes of a password: longer ones only cost time.
const MAX_BYTES: usize = 1024;

/// How many hashes may wait for each that is being computed.
const MAX_WAITING: usize = 32;

/// The highest cost of a bcrypt hash that is taken over: it takes some two seconds.
const MAX_BCRYPT_COST: u32 = 15;

/// The most memory of an argon2 hash that is taken over: 256 MiB.
const MAX_ARGON2_KIBIBYTES: u32 = 256 * 1024;

/// The most passes of an argon2 hash that is taken over.
const MAX_ARGON2_PASSES: u32 = 20;

/// How long the service of leaked passwords may take.
const LEAKED_TIMEOUT: Duration = Duration::from_secs(2);

/// The longest answer of that service: it lists some thousand suffixes of 35 characters.
const MAX_LEAKED_BYTES: usize = 256 * 1024;

/// A hash that no password has. It is verified if a user has none, so that the time of the answer
/// does not tell who has an account.
static NO_PASSWORD: LazyLock<String> =
    LazyLock::new(|| hash(&format!("{:?}", rand::random::<[u8; 32]>())).unwrap_or_default());

/// Computes hashes, a bounded number at a time.
#[derive(Debug)]
pub(super) struct Hasher {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    max_waiting: usize,
}

/// What came of comparing a password with a hash.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// Whether it is the password.
    pub(super) is_same: bool,
    /// Its hash by today's algorithm and parameters, if the given one has others.
    pub(super) better: Option<String>,
}

impl Default for Hasher {
    fn default() -> Hasher {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let permits = (cores / 2).max(1);
        Hasher {
            permits: Arc::new(Semaphore::new(permits)),
            waiting: AtomicUsize::new(0),
            max_waiting: permits * MAX_WAITING,
        }
    }
}

impl Hasher {
    /// Hashes a password.
    pub(super) async fn hash(&self, password: &str) -> Result<String, Error> {
        let password = password.to_owned();
        self.run(move || hash(&password))
            .await?
            .map_err(Error::Internal)
    }

    /// Compares a password with a stored hash, or with one that no password has.
    pub(super) async fn compare(
        &self,
        password: &str,
        stored: Option<String>,
    ) -> Result<Comparison, Error> {
        let password = password.to_owned();
        self.run(move || compare(&password, stored.as_deref()))
            .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let _queued = Queued::enter(&self.waiting, self.max_waiting)?;
        let closed = |_| Error::Internal("no hashes are computed any more".into());
        let permit = self.permits.clone().acquire_owned().await.map_err(closed)?;
        let task = tokio::task::spawn_blocking(move || {
            // A request that its client has left holds the permit until its hash is done.
            let _permit = permit;
            work()
        });
        task.await
            .map_err(|_| Error::Internal("a hash could not be computed".into()))
    }
}

/// One of the hashes that are computed or wait.
struct Queued<'a>(&'a AtomicUsize);

impl Queued<'_> {
    fn enter(waiting: &AtomicUsize, most: usize) -> Result<Queued<'_>, AccountError> {
        let queued = Queued(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(AccountError::Busy);
        }
        Ok(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// argon2id with 19 MiB, two passes and one lane, as OWASP recommends.
/// <https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html>
fn argon2id() -> Argon2<'static> {
    let parameters = Params::new(19_456, 2, 1, None).unwrap_or(Params::DEFAULT);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters)
}

/// The hash of a password as a PHC string, to store it without a request.
pub fn hash(password: &str) -> Result<String, String> {
    argon2id()
        .hash_password_with_salt(password.as_bytes(), &rand::random::<[u8; 16]>())
        .map(|hash| hash.to_string())
        .map_err(|error| format!("a password cannot be hashed: {error}"))
}

fn compare(password: &str, stored: Option<&str>) -> Comparison {
    let Some(stored) = stored else {
        // The result does not matter.
        let _ = is_argon2(password, &NO_PASSWORD);
        return Comparison {
            is_same: false,
            better: None,
        };
    };
    let is_bcrypt = stored.starts_with("$2");
    let is_same = if is_bcrypt {
        // bcrypt reads 72 bytes; a longer password is another one.
        password.len() <= 72 && bcrypt::verify(password, stored).unwrap_or(false)
    } else {
        is_argon2(password, stored)
    };
    let is_current = || hash_prefix(stored) == hash_prefix(&NO_PASSWORD);
    let better = (is_same && !is_current())
        .then(|| hash(password).ok())
        .flatten();
    Comparison { is_same, better }
}

fn is_argon2(password: &str, stored: &str) -> bool {
    argon2id()
        .verify_password(password.as_bytes(), stored)
        .is_ok()
}

/// Algorithm, version and parameters of a PHC string: `$argon2id$v=19$m=19456,t=2,p=1`.
fn hash_prefix(stored: &str) -> Option<&str> {
    stored
        .match_indices('$')
        .nth(3)
        .and_then(|(end, _)| stored.get(..end))
}

/// Whether a hash of another server can be compared with a password: bcrypt, or argon2 with
/// parameters that no sign-in is too expensive with.
pub(super) fn is_readable_hash(stored: &str) -> bool {
    if ["$2a$", "$2b$", "$2y$"]
        .iter()
        .any(|prefix| stored.starts_with(prefix))
    {
        let parts = stored.parse::<bcrypt::HashParts>();
        return parts.is_ok_and(|parts| parts.get_cost() <= MAX_BCRYPT_COST);
    }
    let Ok(hash) = PasswordHash::new(stored) else {
        return false;
    };
    let is_known = Algorithm::try_from(hash.algorithm.as_str()).is_ok()
        && hash
            .version
            .is_none_or(|version| Version::try_from(version).is_ok())
        && hash.salt.is_some()
        && hash.hash.is_some();
    let parameters = Params::try_from(&hash);
    is_known
        && parameters.is_ok_and(|parameters| {
            parameters.m_cost() <= MAX_ARGON2_KIBIBYTES && parameters.t_cost() <= MAX_ARGON2_PASSES
        })
}

/// What a new password has to be.
#[derive(Debug)]
pub(super) struct PasswordPolicy {
    /// The least number of characters.
    pub(super) characters: usize,
    /// The service that knows leaked passwords.
    pub(super) leaked: Option<reqwest::Url>,
}

impl PasswordPolicy {
    /// Checks a new password. A service of leaked passwords that does not answer refuses none.
    pub(super) async fn check(
        &self,
        client: &reqwest::Client,
        password: &str,
        email: &str,
    ) -> Result<(), AccountError> {
        if password.chars().count() < self.characters {
            return Err(AccountError::PasswordTooShort);
        }
        check_size(password)?;
        if password.eq_ignore_ascii_case(email) {
            return Err(AccountError::PasswordLeaked);
        }
        if let Some(service) = &self.leaked {
            match is_leaked(client, service, password).await {
                Ok(false) => {}
                Ok(true) => return Err(AccountError::PasswordLeaked),
                Err(cause) => {
                    tracing::warn!(cause, "cannot ask whether a password was leaked");
                }
            }
        }
        Ok(())
    }
}

/// Checks the size of a password before it is hashed.
pub(super) fn check_size(password: &str) -> Result<(), AccountError> {
    if password.len() > MAX_BYTES {
        return Err(AccountError::Invalid(
            "`password` has to have at most 1024 bytes",
        ));
    }
    Ok(())
}

/// A client for the service of leaked passwords.
pub(super) fn leaked_client() -> Result<reqwest::Client, String> {
    http_client::builder()
        .timeout(LEAKED_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| error.to_string())
}

/// Asks by the first five digits of the password's SHA-1, of which the service returns all suffixes
/// that it knows. <https://haveibeenpwned.com/API/v3#PwnedPasswords>
async fn is_leaked(
    client: &reqwest::Client,
    service: &reqwest::Url,
    password: &str,
) -> Result<bool, String> {
    let digest = Sha1::digest(password.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    let (prefix, suffix) = digest.split_at(5);
    let url = format!("{}/range/{prefix}", service.as_str().trim_end_matches('/'));
    let failed = |error: reqwest::Error| error.without_url().to_string();
    let mut response = client
        .get(url)
        .header("add-padding", "true")
        .send()
        .await
        .and_then(reqwest::Response::error_for_status)
        .map_err(failed)?;
    let mut bytes = vec![];
    while let Some(part) = response.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&part);
        if bytes.len() > MAX_LEAKED_BYTES {
            return Err("the response is too long".into());
        }
    }
    // Padding has the count 0.
    let is_listed = |line: &str| {
        line.trim().split_once(':').is_some_and(|(listed, count)| {
            listed.eq_ignore_ascii_case(suffix) && count.trim() != "0"
        })
    };
    Ok(String::from_utf8_lossy(&bytes).lines().any(is_listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_that_of_its_hash_alone() {
        for password in ["correct horse", "", "päßwörd 密码", &"a".repeat(1024)] {
            let stored = hash(password).unwrap();
            assert!(
                stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
                "{stored}"
            );
            let same = compare(password, Some(&stored));
            assert_eq!(
                same,
                Comparison {
                    is_same: true,
                    better: None
                }
            );
            assert!(!compare(&format!("{password} "), Some(&stored)).is_same);
        }
        assert!(!compare("", None).is_same);
        assert!(!compare("", Some("")).is_same);
        assert!(!compare("a", Some("$2b$10$broken")).is_same);
    }

    #[test]
    fn bcrypt_becomes_argon2id() {
        let stored = bcrypt::hash("correct horse", 4).unwrap();
        let same = compare("correct horse", Some(&stored));
        assert!(same.is_same);
        assert!(compare("correct horse", same.better.as_deref()).is_same);
        assert_eq!(compare("wrong", Some(&stored)).better, None);
    }

    #[test]
    fn hashes_that_a_sign_in_can_compare() {
        let bcrypt = bcrypt::hash("correct horse", 4).unwrap();
        let argon2 = hash("correct horse").unwrap();
        assert!(is_readable_hash(&bcrypt) && is_readable_hash(&argon2));
        assert!(is_readable_hash(&bcrypt.replace("$2b$", "$2a$")));
        assert!(is_readable_hash(&argon2.replace("argon2id", "argon2i")));
        for unreadable in [
            "",
            "plain",
            "$2b$10$broken",
            &bcrypt.replace("$2b$04$", "$2b$16$"),
            &argon2.replace("m=19456", "m=4194304"),
            &argon2.replace("t=2", "t=1000"),
            "$argon2id$v=19$m=19456,t=2,p=1",
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9t$cmFuZG9t$KVd2",
            "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
        ] {
            assert!(!is_readable_hash(unreadable), "{unreadable}");
        }
    }

    #[test]
    fn bcrypt_reads_no_byte_after_the_72nd() {
        let long = "a".repeat(72);
        let stored = bcrypt::hash(&long, 4).unwrap();
        assert!(compare(&long, Some(&stored)).is_same);
        assert!(!compare(&format!("{long}b"), Some(&stored)).is_same);
    }

    #[tokio::test]
    async fn hashes_beyond_the_queue_are_refused() {
        let hasher = Hasher {
            max_waiting: 2,
            ..Hasher::default()
        };
        let busy = Error::from(AccountError::Busy).message();
        let results = tokio::join!(hasher.hash("a"), hasher.hash("b"), hasher.hash("c"));
        assert!(results.0.is_ok() && results.1.is_ok());
        assert_eq!(results.2.unwrap_err().message(), busy);
        assert!(hasher.hash("d").await.is_ok());
    }
}
