//! Buckets that several gateways share in Redis. A gateway that cannot reach Redis counts in its
//! own process and reconnects in the background; requests do not wait for a lost connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};

use super::bucket::{Bucket, BucketState, Charge};
use super::state_store::Key;
use crate::config::{ConfigError, Secret};

/// A Redis server.
pub(super) struct RedisBackend {
    client: Client,
    script: Script,
    connection: RwLock<Option<MultiplexedConnection>>,
    /// Whether a task is reconnecting.
    calling: AtomicBool,
}

/// The longest time that a request waits for Redis.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(100);

/// The longest time to connect, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The time between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl RedisBackend {
    /// Creates the backend for this URL without connecting.
    pub(super) fn new(url: &Secret) -> Result<Arc<RedisBackend>, ConfigError> {
        let client = Client::open(url.reveal()).map_err(|_| ConfigError::Value {
            origin: "`redis_url`".into(),
            expected: "a URL of Redis: `redis://host:6379`, `rediss://user:password@host:6379/0`"
                .into(),
        })?;
        let script = Script::new(include_str!("take.lua"));
        let connection = RwLock::default();
        let calling = AtomicBool::new(false);
        Ok(Arc::new(RedisBackend {
            client,
            script,
            connection,
            calling,
        }))
    }

    /// Connects, and waits no longer than a request would. On a failure it logs the cause and
    /// reconnects in the background as long as the backend exists.
    pub(super) async fn call(self: &Arc<RedisBackend>) {
        let shared = self.clone();
        let connecting = tokio::spawn(async move {
            match shared.connect().await {
                Ok(()) => tracing::info!("rate limits are shared through Redis"),
                Err(cause) => shared.lose(&cause),
            }
        });
        // The task continues after the timeout.
        let _ = tokio::time::timeout(RESPONSE_TIMEOUT, connecting).await;
    }

    async fn connect(&self) -> Result<(), String> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(CONNECT_TIMEOUT));
        let connecting = async {
            let mut connection = self
                .client
                .get_multiplexed_async_connection_with_config(&config)
                .await?;
            // Loaded now, so that no request waits for it.
            self.script.load_async(&mut connection).await?;
            Ok::<_, RedisError>(connection)
        };
        let connection = tokio::time::timeout(CONNECT_TIMEOUT * 2, connecting).await;
        let connection = connection
            .map_err(|_| "no answer".to_owned())?
            .map_err(|error| error.to_string())?;
        *self
            .connection
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Some(connection);
        Ok(())
    }

    /// Takes from buckets, in order, until one with an enforced rule is empty. None if Redis does
    /// not answer.
    pub(super) async fn take(
        self: &Arc<RedisBackend>,
        due: &[Charge<'_>],
    ) -> Option<Vec<BucketState>> {
        self.change(
            due.iter()
                .map(|due| (due.bucket, &due.key, i64::from(due.count))),
        )
        .await
    }

    /// Returns so many requests to each of these buckets. None if Redis does not answer: the
    /// buckets refill with time.
    pub(super) async fn give_back(
        self: &Arc<RedisBackend>,
        buckets: &[(Arc<Bucket>, Key, u32)],
    ) -> Option<Vec<BucketState>> {
        self.change(
            buckets
                .iter()
                .map(|(bucket, key, count)| (bucket, key, -i64::from(*count))),
        )
        .await
    }

    async fn change<'a>(
        self: &Arc<RedisBackend>,
        changes: impl Iterator<Item = (&'a Arc<Bucket>, &'a Key, i64)>,
    ) -> Option<Vec<BucketState>> {
        let mut connection = self
            .connection
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()?;
        let mut call = self.script.prepare_invoke();
        for (bucket, key, count) in changes {
            let rule = &bucket.rule;
            let interval = rule.interval().as_nanos() as f64 / 1000.0;
            // Gateways share the buckets of rules with equal name, interval and burst.
            let name = format!(
                "postern:rate:{}:{interval}:{}:{:032x}",
                rule.name,
                rule.burst,
                u128::from_be_bytes(*key)
            );
            call.key(name)
                .arg(interval)
                .arg(rule.burst.get())
                .arg(count)
                .arg(u8::from(bucket.enforces()));
        }
        let response = call.invoke_async::<Vec<u64>>(&mut connection);
        match tokio::time::timeout(RESPONSE_TIMEOUT, response).await {
            Ok(Ok(numbers)) => Some(numbers.as_chunks().0.iter().map(bucket_state).collect()),
            Ok(Err(error)) => {
                self.lose(&error.to_string());
                None
            }
            Err(_) => {
                self.lose("no answer in time");
                None
            }
        }
    }

    /// Whether there is no connection.
    pub(super) fn is_lost(&self) -> bool {
        self.connection
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Switches to counting in this process and starts to reconnect.
    fn lose(self: &Arc<RedisBackend>, cause: &str) {
        *self
            .connection
            .write()
            .unwrap_or_else(PoisonError::into_inner) = None;
        if !self.calling.swap(true, Ordering::AcqRel) {
            tracing::warn!(
                cause,
                "Redis cannot be reached: this gateway counts rate limits by itself"
            );
            tokio::spawn(call_again(Arc::downgrade(self)));
        }
    }
}

/// Reconnects until it succeeds or the backend is dropped.
async fn call_again(shared: Weak<RedisBackend>) {
    loop {
        tokio::time::sleep(RETRY_INTERVAL).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        if shared.connect().await.is_err() {
            continue;
        }
        tracing::info!("rate limits are shared through Redis again");
        shared.calling.swap(false, Ordering::AcqRel);
        // A request that lost the connection before the flag was cleared left the reconnecting to
        // this task; one that loses it from now on starts its own.
        if !shared.is_lost() || shared.calling.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

/// Reads the script's answer about one bucket.
fn bucket_state([wait, left, full_in]: &[u64; 3]) -> BucketState {
    let wait = Some(Duration::from_micros(*wait)).filter(|wait| !wait.is_zero());
    let left = u32::try_from(*left).unwrap_or(u32::MAX);
    BucketState {
        left,
        full_in: Duration::from_micros(*full_in),
        wait,
    }
}

/// Hides the URL, which may contain a password.
impl std::fmt::Debug for RedisBackend {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Shared")
    }
}
