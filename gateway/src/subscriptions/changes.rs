//! Finds out when the database was written to, and wakes the cohorts that may have other results
//! now.
//!
//! | Source | Wakes | Needs |
//! |---|---|---|
//! | [`replication`] | the lists of parameters that a changed row can touch | `wal_level = logical`, a publication |
//! | [`triggers`] | the cohorts that read a table | `postern migrate --notify-writes` |
//! | [`snapshots`] | all cohorts | nothing |
//!
//! Snapshots are compared beside the other two, for the cohorts whose changes these do not report.

mod replication;
mod snapshots;
mod triggers;
mod visibility;

use std::sync::Arc;

use super::cohort_registry::CohortRegistry;
use crate::config::SubscriptionSource;
use crate::execute::ReloadRequests;

/// Wakes cohorts until there are none.
pub(super) async fn watch(registry: Arc<CohortRegistry>, reload: ReloadRequests) {
    let source = registry.context.settings.source;
    let with_replication = matches!(
        source,
        SubscriptionSource::Auto | SubscriptionSource::Replication
    );
    let with_triggers = matches!(
        source,
        SubscriptionSource::Auto | SubscriptionSource::Triggers
    );
    registry.show_source(SubscriptionSource::Snapshot, true);
    tokio::select! {
        () = snapshots::compare(&registry, &reload) => {}
        () = replication::follow(&registry, &reload), if with_replication => {}
        () = triggers::listen(&registry, &reload), if with_triggers => {}
    }
    registry.show_source(SubscriptionSource::Snapshot, false);
}
