//! Rates that several gateways count together, in Redis. A gateway that does not reach it counts alone, and tries again; no
//! request waits for a server that is away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};

use super::bucket::{Bucket, BucketState, Charge};
use super::state_store::Key;
use crate::config::{ConfigError, Secret};

/// A server of Redis.
pub(super) struct RedisBackend {
    client: Client,
    script: Script,
    connection: RwLock<Option<MultiplexedConnection>>,
    /// Whether somebody is trying to reach it.
    calling: AtomicBool,
}

/// The longest time that a request waits for an answer.
const PATIENCE: Duration = Duration::from_millis(100);

/// The longest time for a connection, TLS and all.
const CONNECTING: Duration = Duration::from_secs(2);

/// Between two attempts.
const AGAIN: Duration = Duration::from_secs(1);

impl RedisBackend {
    /// The server at that URL, not yet called.
    pub(super) fn new(url: &Secret) -> Result<Arc<RedisBackend>, ConfigError> {
        let client = Client::open(url.reveal()).map_err(|_| ConfigError::Value {
            origin: "`redis_url`".into(),
            expected: "a URL of Redis: `redis://host:6379`, `rediss://user:password@host:6379/0`".into(),
        })?;
        let script = Script::new(include_str!("take.lua"));
        let (connection, calling) = (RwLock::default(), AtomicBool::new(false));
        Ok(Arc::new(RedisBackend { client, script, connection, calling }))
    }

    /// Connects, and waits for that no longer than a request would. If it does not work, it is told, and tried again for as long
    /// as this is in use.
    pub(super) async fn call(self: &Arc<RedisBackend>) {
        let shared = self.clone();
        let connecting = tokio::spawn(async move {
            match shared.connect().await {
                Ok(()) => tracing::info!("rates are shared through Redis"),
                Err(cause) => shared.lose(&cause),
            }
        });
        // It goes on without anybody waiting for it.
        let _ = tokio::time::timeout(PATIENCE, connecting).await;
    }

    async fn connect(&self) -> Result<(), String> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECTING))
            .set_response_timeout(Some(CONNECTING));
        let connecting = async {
            let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
            // The script is there before anybody waits for it.
            self.script.load_async(&mut connection).await?;
            Ok::<_, RedisError>(connection)
        };
        let connection = tokio::time::timeout(CONNECTING * 2, connecting).await;
        let connection = connection.map_err(|_| "no answer".to_owned())?.map_err(|error| error.to_string())?;
        *self.connection.write().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        Ok(())
    }

    /// Takes from buckets, in order, until one that enforces its rule is empty. Nothing where the server does not answer.
    pub(super) async fn take(self: &Arc<RedisBackend>, due: &[Charge<'_>]) -> Option<Vec<BucketState>> {
        self.change(due.iter().map(|due| (due.bucket, &due.key, i64::from(due.count)))).await
    }

    /// Gives back to each of these buckets one request that was taken from it. Where the server does not answer, it comes back
    /// with time.
    pub(super) async fn give_back(self: &Arc<RedisBackend>, buckets: &[(Arc<Bucket>, Key)]) {
        self.change(buckets.iter().map(|(bucket, key)| (bucket, key, -1))).await;
    }

    async fn change<'a>(
        self: &Arc<RedisBackend>,
        changes: impl Iterator<Item = (&'a Arc<Bucket>, &'a Key, i64)>,
    ) -> Option<Vec<BucketState>> {
        let mut connection = self.connection.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let mut call = self.script.prepare_invoke();
        for (bucket, key, count) in changes {
            let rule = &bucket.rule;
            let interval = rule.interval().as_nanos() as f64 / 1000.0;
            // Gateways count together what they limit alike.
            let name =
                format!("postern:rate:{}:{interval}:{}:{:032x}", rule.name, rule.burst, u128::from_be_bytes(*key));
            call.key(name).arg(interval).arg(rule.burst.get()).arg(count).arg(u8::from(bucket.enforces()));
        }
        let answer = call.invoke_async::<Vec<u64>>(&mut connection);
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(numbers)) => Some(numbers.chunks_exact(3).map(standing).collect()),
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

    fn is_lost(&self) -> bool {
        self.connection.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Counts without it until it is back.
    fn lose(self: &Arc<RedisBackend>, cause: &str) {
        *self.connection.write().unwrap_or_else(PoisonError::into_inner) = None;
        if !self.calling.swap(true, Ordering::AcqRel) {
            tracing::warn!(cause, "Redis cannot be reached: rates are counted by this gateway alone");
            tokio::spawn(call_again(Arc::downgrade(self)));
        }
    }
}

/// Calls until it works, or nobody wants it any longer.
async fn call_again(shared: Weak<RedisBackend>) {
    loop {
        tokio::time::sleep(AGAIN).await;
        let Some(shared) = shared.upgrade() else { return };
        if shared.connect().await.is_err() {
            continue;
        }
        tracing::info!("rates are shared through Redis again");
        shared.calling.swap(false, Ordering::AcqRel);
        // Who has lost it meanwhile has left the calling to this one; who loses it from now on calls again.
        if !shared.is_lost() || shared.calling.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

fn standing(numbers: &[u64]) -> BucketState {
    let number = |place: usize| numbers.get(place).copied().unwrap_or_default();
    let wait = Some(Duration::from_micros(number(0))).filter(|wait| !wait.is_zero());
    let left = u32::try_from(number(1)).unwrap_or(u32::MAX);
    BucketState { left, full_in: Duration::from_micros(number(2)), wait }
}

/// The URL may hold a password.
impl std::fmt::Debug for RedisBackend {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Shared")
    }
}
