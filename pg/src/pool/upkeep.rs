//! Closes pooled connections that have been idle for long, or are old, beside the requests: a
//! balancer or NAT may have forgotten an idle connection without closing it, and the first request
//! on it would wait for its time limit.

use deadpool::managed::Pool;

use crate::connection::Manager;
use crate::connection::age::ConnectionLimits;
use crate::pool::admin_pool::AdminPool;

/// Starts the upkeep, which ends with the pool.
pub(crate) fn start(pool: &Pool<Manager>, admin_pool: AdminPool, limits: ConnectionLimits) {
    let Some(runtime) = tokio::runtime::Handle::try_current()
        .ok()
        .filter(|_| limits.is_set())
    else {
        return;
    };
    let pool = pool.weak();
    let interval = limits.interval();
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(interval).await;
            let Some(pool) = pool.upgrade().filter(|pool| !pool.is_closed()) else {
                return;
            };
            let ticks = pool.manager().ticks();
            ticks.advance();
            pool.retain(|connection, metrics| {
                limits.permit_idle(&metrics) && ticks.permit(connection.last_tick())
            });
            admin_pool.close_idle(limits);
        }
    });
}
