//! Requests whose document is valid for the caller, and their plans: the look-ups in the plan cache
//! that come before anything is executed.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use sql::TranslationKind;
use sql::graphql::document::OperationKind;
use sql::model::access::Access;
use tokio::time::Instant;

use super::execution_options::AllowedOperations;
use super::execution_state::ExecutionState;
use super::plan_cache::{CachedDocument, Plan};
use super::schema_version::SchemaVersion;
use crate::auth::session::{AuthKind, Session};
use crate::error::Error;
use crate::limits::RoleLimits;
use crate::request::Request;
use crate::trusted_documents;

/// A request whose document is valid for the caller and of a kind that the transport accepts.
#[derive(Debug)]
pub struct ValidRequest<'r> {
    /// With the text of its document, if the client sent a reference.
    pub(super) request: Cow<'r, Request>,
    access: Arc<Access>,
    pub(super) entry: Arc<CachedDocument>,
    started: Instant,
}

impl ValidRequest<'_> {
    /// The kind of its operation.
    pub fn kind(&self) -> OperationKind {
        self.entry.operation.kind()
    }

    /// Whether the operation is on no allow list and runs only because allow lists are not
    /// enforced.
    pub fn is_unlisted(&self) -> bool {
        self.entry.listing.is_reported()
    }

    /// Plans the request. Returns how long that and its validation took, too.
    pub(super) fn plan(
        &self,
        state: &ExecutionState,
        session: &Session,
    ) -> Result<(Plan, Duration), Error> {
        let limits = state.limits.for_role(session.role());
        let plans = &state.schema.plans;
        let plan = plans.plan(&self.access, self.entry.clone(), &self.request, limits)?;
        state.documents.register(session, &self.request);
        plan.entry
            .over
            .iter()
            .for_each(|limit| limits.count_report_only(*limit));
        Ok((plan, self.started.elapsed()))
    }
}

/// Looks up the document of a request, and validates one that is new.
pub fn validate<'r>(
    state: &ExecutionState,
    session: &Session,
    request: &'r Request,
    operations: AllowedOperations,
) -> Result<ValidRequest<'r>, Error> {
    let started = Instant::now();
    let limits = state.limits.for_role(session.role());
    let request = state.documents.resolve(session, request)?;
    let access = access_for(&state.schema, session)?;
    let entry = document(
        &state.schema,
        &access,
        session,
        &request,
        limits,
        operations,
    )?;
    Ok(ValidRequest {
        request,
        access,
        entry,
        started,
    })
}

/// Whether a valid request selects actions.
pub fn selects_actions(
    state: &ExecutionState,
    session: &Session,
    valid: &ValidRequest<'_>,
) -> Result<bool, Error> {
    let (plan, _) = valid.plan(state, session)?;
    Ok(matches!(
        plan.translation.kind,
        TranslationKind::Composite(_)
    ))
}

/// Plans a request if the caller has access and the kind of its operation is allowed.
pub fn plan(
    schema: &SchemaVersion,
    session: &Session,
    request: &Request,
    limits: &RoleLimits,
    operations: AllowedOperations,
) -> Result<Plan, Error> {
    let access = access_for(schema, session)?;
    let entry = document(schema, &access, session, request, limits, operations)?;
    schema.plans.plan(&access, entry, request, limits)
}

/// The valid document of a request.
fn document(
    schema: &SchemaVersion,
    access: &Access,
    session: &Session,
    request: &Request,
    limits: &RoleLimits,
    operations: AllowedOperations,
) -> Result<Arc<CachedDocument>, Error> {
    let accepts_subscriptions = matches!(
        operations,
        AllowedOperations::Subscriptions | AllowedOperations::Any
    );
    let entry = schema
        .plans
        .document(access, request, limits, |kind| match kind {
            OperationKind::Mutation if operations == AllowedOperations::Queries => {
                Err(Error::OnlyQueries)
            }
            OperationKind::Subscription if !accepts_subscriptions => Err(Error::NoSubscriptions),
            OperationKind::Mutation => check_dry_run(access, session),
            OperationKind::Query | OperationKind::Subscription => Ok(()),
        });
    entry.map_err(|error| trusted_documents::mask_unknown(request, error))
}

/// The caller's access. Without a permission file only callers with the admin secret have access.
pub(super) fn access_for(schema: &SchemaVersion, session: &Session) -> Result<Arc<Access>, Error> {
    if schema.has_file || session.caller() == AuthKind::Trusted {
        Ok(schema.access(session))
    } else {
        Err(Error::RoleNotAllowed)
    }
}

/// Rejects a dry run by a role that may not do one.
pub(super) fn check_dry_run(access: &Access, session: &Session) -> Result<(), Error> {
    if session.dry_run() && !access.may_dry_run() {
        Err(Error::NoDryRun(session.role().to_owned()))
    } else {
        Ok(())
    }
}
