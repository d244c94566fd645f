//! Connections beside those of requests, by deadpool-postgres: for what the gateway does on its own account, such as
//! checking rules, with all that the client library can do and where microseconds do not count.

use deadpool_postgres::{ManagerConfig, Pool, RecyclingMethod};
use tokio::time::Instant;
use tokio_postgres::{Config, NoTls};

use super::Fault;

/// A small pool of them.
#[derive(Clone)]
pub(super) struct Aside {
    pool: Pool,
}

/// The most such connections.
const MOST: usize = 3;

impl Aside {
    /// Connects when it is first asked to.
    pub(super) fn new(config: Config) -> Result<Aside, deadpool_postgres::BuildError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = deadpool_postgres::Manager::from_config(config, NoTls, recycling);
        Ok(Aside { pool: Pool::builder(manager).max_size(MOST).build()? })
    }

    pub(super) async fn client(&self, deadline: Instant) -> Result<deadpool_postgres::Object, Fault> {
        let late = || Fault::Unavailable("no connection became free".into());
        let client = tokio::time::timeout_at(deadline, self.pool.get()).await.map_err(|_| late())?;
        client.map_err(|error| Fault::Unavailable(error.to_string()))
    }

    /// Closes those that nobody uses.
    pub(super) fn clear(&self) {
        self.pool.retain(|_, _| false);
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }
}

impl std::fmt::Debug for Aside {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Aside").field("status", &self.pool.status()).finish()
    }
}
