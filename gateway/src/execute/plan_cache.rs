//! Caches valid documents by role, text and operation name, and their translations by the parts of
//! the variables that decide them. This is sound because a translation is deterministic in the
//! variables it reads ([`sql::graphql::variables::VariableFingerprint`]).

mod cached_directive;
mod document_state;
mod key;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use moka::sync::Cache;
use sql::graphql::document;
use sql::graphql::document::OperationKind;
use sql::graphql::variables::{VariableFingerprint, Variables};
use sql::model::access::Access;
use sql::resolve::{Operation, Options};
use sql::statement::Statement;
use sql::{TranslateError, Translation, TranslationKind};

use crate::error::Error;
use crate::limits::{LimitKind, RoleLimits};
use crate::request::{DocumentOrigin, Request};
use crate::telemetry::execution_record::DocumentHash;
use crate::telemetry::metrics::PlanCounters;
use crate::trusted_documents::{AllowListCheck, AllowListStatus, AllowLists};
use cached_directive::SharedStates;
use document_state::DocumentState;
use key::DocumentKeyRef;
pub(crate) use key::{CallerKey, DocumentKey};

/// The translations of one version of catalog and permissions.
#[derive(Debug)]
pub struct PlanCache {
    documents: Cache<Arc<DocumentKey>, Arc<CachedDocument>, RandomState>,
    plans: Cache<(u64, String), Arc<Translation>, RandomState>,
    generations: AtomicU64,
    options: Options,
    counters: PlanCounters,
    lists: Arc<AllowLists>,
    shared_states: SharedStates,
}

/// A request that is ready to run, except for session values.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The valid operation.
    pub entry: Arc<CachedDocument>,
    /// Its coerced variables.
    pub variables: Variables,
    /// The translation of the operation for these variables.
    pub translation: Arc<Translation>,
}

/// A document that is valid for a role, with one operation selected.
#[derive(Debug)]
pub struct CachedDocument {
    /// The operation.
    pub operation: Operation,
    /// The report-only limits of its role that it exceeds.
    pub over: Box<[LimitKind]>,
    /// Whether an allow list contains it.
    pub listing: AllowListStatus,
    /// The hash of its text, for log and traces.
    pub hash: DocumentHash,
    state: Arc<RwLock<DocumentState>>,
    uses: AtomicUsize,
}

/// One in this many lookups goes to the cache although the last plan matches, so that the cache
/// counts its use.
const LOOKUPS_PER_CACHE_USE: usize = 16;

/// A document may have this many plans that differ in their limits; then limits become parameters.
const NUMBERED_LIMITS: usize = 16;

impl PlanCache {
    /// Creates an empty cache of roughly this many bytes.
    pub fn new(bytes: u64, options: Options) -> PlanCache {
        let documents = Cache::builder()
            .weigher(|known: &Arc<DocumentKey>, _: &Arc<CachedDocument>| {
                weight(known.weight() * 16)
            })
            .max_capacity(bytes / 2)
            .build_with_hasher(RandomState::default());
        let plans = Cache::builder()
            .weigher(|(_, key): &(u64, String), plan: &Arc<Translation>| {
                weight(key.len() + size(plan))
            })
            .max_capacity(bytes / 2)
            .build_with_hasher(RandomState::default());
        PlanCache {
            documents,
            plans,
            generations: AtomicU64::new(0),
            options,
            counters: PlanCounters::default(),
            lists: Arc::default(),
            shared_states: SharedStates::default(),
        }
    }

    /// Returns the cache with these counters for its lookups.
    pub fn with_counters(self, counters: PlanCounters) -> PlanCache {
        PlanCache { counters, ..self }
    }

    /// Returns the cache with these allow lists. Each document is checked once, so a cache belongs
    /// to its lists.
    pub fn with_allow_lists(self, lists: Arc<AllowLists>) -> PlanCache {
        PlanCache { lists, ..self }
    }

    /// Returns the valid operation of a request, within the limits of its role. Checks the allow
    /// list and the kind of the operation before anything else can reveal details of it.
    pub fn document(
        &self,
        access: &Access,
        request: &Request,
        limits: &RoleLimits,
        admit: impl Fn(OperationKind) -> Result<(), Error>,
    ) -> Result<Arc<CachedDocument>, Error> {
        let asked = DocumentKeyRef::new(access, request);
        if let Some(entry) = self.documents.get(&asked) {
            admit(entry.operation.kind())?;
            self.counters.hits.inc();
            return Ok(entry);
        }
        self.counters.misses.inc();
        let name = request.operation_name.as_deref();
        let document = Arc::new(document::parse(&request.query, &limits.enforced.document)?);
        let checked = match request.author {
            DocumentOrigin::Client => self.lists.check(access.role(), &document)?,
            DocumentOrigin::Endpoint | DocumentOrigin::Router => AllowListCheck::default(),
        };
        let kind = document.kind(name)?;
        // A caller that may not run a persisted document must not even learn the kind of its
        // operation.
        let is_hidden = request.reference.is_some();
        if !is_hidden {
            admit(kind)?;
        }
        let operation =
            Operation::validate_as(access, document.clone(), name, self.options.coercion)?;
        if is_hidden {
            admit(kind)?;
        }
        let operation = match &request.requirement {
            Some(requirement) => operation.requiring(access, requirement.clone()),
            None => operation,
        };
        let operation = match request.author {
            DocumentOrigin::Router => operation.finding_entities(),
            DocumentOrigin::Client | DocumentOrigin::Endpoint => operation,
        };
        let over = limits.exceeded(&request.query, &document);
        let listing = self.lists.record(access.role(), checked);
        let known = Arc::new(asked.known());
        let state = if operation.has_cached() {
            self.shared_states
                .state(asked.known(), || self.state(false))
        } else {
            Arc::new(RwLock::new(self.state(false)))
        };
        let entry = Arc::new(CachedDocument {
            operation,
            over,
            listing,
            hash: DocumentHash::hash(&request.query),
            state,
            uses: AtomicUsize::default(),
        });
        self.documents.insert(known, entry.clone());
        Ok(entry)
    }

    /// Returns the plan of an operation for the request's variables.
    pub fn plan(
        &self,
        access: &Access,
        entry: Arc<CachedDocument>,
        request: &Request,
        limits: &RoleLimits,
    ) -> Result<Plan, Error> {
        let variables = entry.operation.coerce_shared(access, &request.variables)?;
        let (key, limit_parameters) = match entry.look_up(&variables) {
            Found::Plan(translation) => {
                return Ok(Plan {
                    entry,
                    variables,
                    translation,
                });
            }
            Found::Key(key, limit_parameters) => (key, limit_parameters),
        };
        if let Some(translation) = self.plans.get(&key) {
            entry.insert_plan(key, &translation);
            return Ok(Plan {
                entry,
                variables,
                translation,
            });
        }
        let answer_bytes = Some(limits.enforced.response_bytes);
        let value_bytes = Some(limits.enforced.values());
        let options = Options {
            limit_parameters,
            answer_bytes,
            value_bytes,
            ..self.options
        };
        let translation = Arc::new(
            sql::translate(access, &entry.operation, &variables, options).map_err(failure)?,
        );
        if let Some(key) =
            self.remember(&entry, &translation.structure, &variables, limit_parameters)
        {
            self.plans.insert(key, translation.clone());
        }
        Ok(Plan {
            entry,
            variables,
            translation,
        })
    }

    /// The options of translation.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The number of cached documents and plans.
    pub fn len(&self) -> (u64, u64) {
        (self.documents.entry_count(), self.plans.entry_count())
    }

    /// The cache key of the new plan, or none if limits became parameters meanwhile.
    fn remember(
        &self,
        entry: &CachedDocument,
        structure: &VariableFingerprint,
        variables: &Variables,
        limit_parameters: bool,
    ) -> Option<(u64, String)> {
        let mut state = entry.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.limit_parameters != limit_parameters {
            return None;
        }
        if state.structure.merge(structure) {
            state.generation = self.generation();
            state.last = None;
        }
        state.plans += 1;
        if state.plans > NUMBERED_LIMITS && !limit_parameters {
            *state = self.state(true);
            return None;
        }
        Some((state.generation, state.structure.key(variables)))
    }

    fn state(&self, limit_parameters: bool) -> DocumentState {
        let structure = VariableFingerprint::default();
        DocumentState {
            generation: self.generation(),
            structure,
            plans: 0,
            limit_parameters,
            last: None,
        }
    }

    fn generation(&self) -> u64 {
        self.generations.fetch_add(1, Ordering::Relaxed)
    }
}

/// The result of looking up a plan in its document.
enum Found {
    Plan(Arc<Translation>),
    /// The key in the plan cache, and whether limits are parameters.
    Key((u64, String), bool),
}

impl CachedDocument {
    fn look_up(&self, variables: &Variables) -> Found {
        let goes_to_cache = self
            .uses
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(LOOKUPS_PER_CACHE_USE);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let key = state.structure.key(variables);
        match &state.last {
            Some((last, plan)) if *last == key && !goes_to_cache => match plan.upgrade() {
                Some(plan) => Found::Plan(plan),
                None => Found::Key((state.generation, key), state.limit_parameters),
            },
            _ => Found::Key((state.generation, key), state.limit_parameters),
        }
    }

    /// Stores the plan as the last one if it belongs to the current generation. Stores rarely, so
    /// that alternating plans do not replace each other on every request.
    fn insert_plan(&self, (generation, key): (u64, String), translation: &Arc<Translation>) {
        if self.uses.load(Ordering::Relaxed) % LOOKUPS_PER_CACHE_USE != 1 {
            return;
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation == generation {
            state.last = Some((key, Arc::downgrade(translation)));
        }
    }
}

/// Converts the error of a translation.
pub fn failure(failure: TranslateError) -> Error {
    match failure {
        TranslateError::Request(error) => error.into(),
        TranslateError::Denied(denied) => Error::Internal(denied.to_string()),
    }
}

/// The weight of a cache entry in bytes. The factor 5/2 is measured over documents of four kinds
/// (`cargo bench -p bench --bench memory -- held`).
fn weight(bytes: usize) -> u32 {
    u32::try_from((bytes + 512).saturating_mul(5) / 2).unwrap_or(u32::MAX)
}

fn weigh(statement: &Statement) -> usize {
    4 * statement.text.len() + 128 * statement.parameters.len()
}

/// The approximate bytes of a translation: shape and parameters grow with its text.
fn size(translation: &Translation) -> usize {
    match &translation.kind {
        TranslationKind::Statement(statement) => weigh(statement),
        TranslationKind::Mutation(mutation) => mutation
            .steps
            .iter()
            .map(|step| weigh(&step.statement))
            .sum(),
        TranslationKind::Constant(_) => 256,
        TranslationKind::Composite(operation) => {
            1024 + operation
                .translations()
                .map(|part| size(part))
                .sum::<usize>()
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;
    use sql::Requirement;
    use sql::postgres::catalog::Catalog;

    use super::*;
    use crate::limits::Limits;

    fn cache() -> (PlanCache, Arc<Access>) {
        let column = |name: &str, r#type: u32| {
            json!({"name": name, "type": r#type, "nullable": false, "default": null, "generated": null,
                "identity": null, "deterministic": true, "comment": null})
        };
        let kind = |oid: u32, name: &str, category: char| {
            json!({"oid": oid, "schema": "pg_catalog", "name": name, "category": category, "binary": true,
                "ordered": true, "kind": "base", "comment": null})
        };
        let table = json!({"schema": "public", "name": "notes", "kind": "table", "comment": null,
            "estimated_rows": 0.0, "updatable": 28, "columns": [column("id", 23), column("text", 25)],
            "keys": [{"name": "notes_pkey", "primary": true, "columns": ["id"]}], "foreign_keys": []});
        let catalog = json!({"server_version": 150000, "database": "d", "search_path": ["public"], "tables": [table],
            "types": [kind(23, "int4", 'N'), kind(25, "text", 'S')], "functions": []});
        let catalog = Arc::new(Catalog::decode(&catalog.to_string()).unwrap());
        let permissions = permissions::allow_all(catalog);
        let cache = PlanCache::new(1 << 20, Options::default());
        (cache, permissions.role("admin").unwrap().clone())
    }

    /// Requires the row of `notes` whose key is in this variable.
    pub(crate) fn requirement(parameter: &str) -> Requirement {
        let (_, access) = cache();
        let catalog = access.model().catalog();
        Requirement::new(catalog, catalog.find("public", "notes").unwrap(), parameter).unwrap()
    }

    fn plan(
        cache: &PlanCache,
        access: &Access,
        query: &str,
        variables: &serde_json::Value,
    ) -> Plan {
        let variables = variables.as_object().unwrap().clone().into();
        let request = Request {
            variables,
            ..Request::new(query)
        };
        let limits = RoleLimits::from_limits(&Limits::default());
        cache
            .plan(
                access,
                cache
                    .document(access, &request, &limits, |_| Ok(()))
                    .unwrap(),
                &request,
                &limits,
            )
            .unwrap()
    }

    fn text(plan: &Plan) -> &str {
        &plan.translation.kind.statement().unwrap().text
    }

    #[test]
    fn different_values_share_a_plan_and_different_structures_do_not() {
        let (cache, access) = cache();
        let query = "query($w: notes_bool_exp) { notes(where: $w) { id } }";
        let first = plan(&cache, &access, query, &json!({"w": {"id": {"_eq": 1}}}));
        let second = plan(&cache, &access, query, &json!({"w": {"id": {"_eq": 2}}}));
        assert!(Arc::ptr_eq(&first.translation, &second.translation));
        let other = plan(&cache, &access, query, &json!({"w": {"id": {"_gt": 2}}}));
        assert_ne!(text(&other), text(&first));
        let again = plan(&cache, &access, query, &json!({"w": {"id": {"_eq": 3}}}));
        assert_eq!(text(&again), text(&first));
    }

    #[test]
    fn a_directive_gets_its_own_plan() {
        let (cache, access) = cache();
        let query = "query($t: Boolean!) { notes { id text @include(if: $t) } }";
        let with = plan(&cache, &access, query, &json!({"t": true}));
        let without = plan(&cache, &access, query, &json!({"t": false}));
        assert_ne!(
            with.translation.kind.statement().unwrap().shape,
            without.translation.kind.statement().unwrap().shape
        );
        let again = plan(&cache, &access, query, &json!({"t": true}));
        assert_eq!(text(&with), text(&again));
    }

    #[test]
    fn requirement_gets_its_own_plan() {
        let (cache, access) = cache();
        let plain = Request::new("query($id: Int) { notes(where: {id: {_eq: $id}}) { id } }");
        let plain = Request {
            variables: Arc::new(json!({"id": 1}).as_object().unwrap().clone()),
            ..plain
        };
        let required = Request {
            requirement: Some(Arc::new(requirement("id"))),
            ..plain.clone()
        };
        let limits = RoleLimits::from_limits(&Limits::default());
        let plan = |request| {
            let entry = cache
                .document(&access, request, &limits, |_| Ok(()))
                .unwrap();
            cache.plan(&access, entry, request, &limits).unwrap()
        };
        let with = plan(&required);
        let without = plan(&plain);
        assert!(text(&with).contains("UNION ALL") && !text(&without).contains("UNION ALL"));
        assert!(Arc::ptr_eq(&plan(&required).translation, &with.translation));
        assert!(Arc::ptr_eq(&plan(&plain).translation, &without.translation));
    }

    #[test]
    fn limit_becomes_a_parameter_after_many_values() {
        let (cache, access) = cache();
        let query = "query($n: Int) { notes(limit: $n) { id } }";
        for n in 0..40 {
            plan(&cache, &access, query, &json!({"n": n}));
        }
        let late = plan(&cache, &access, query, &json!({"n": 100}));
        let later = plan(&cache, &access, query, &json!({"n": 101}));
        assert!(Arc::ptr_eq(&late.translation, &later.translation));
        assert_eq!(
            later.translation.kind.statement().unwrap().parameters.len(),
            1
        );
    }

    #[test]
    fn alternating_variables_get_their_own_plans() {
        let (cache, access) = cache();
        let query = "query($w: notes_bool_exp) { notes(where: $w) { id } }";
        let one = json!({"w": {"id": {"_eq": 1}}});
        let two = json!({"w": {"id": {"_gt": 1}}});
        let first = plan(&cache, &access, query, &one);
        let second = plan(&cache, &access, query, &two);
        for _ in 0..40 {
            assert!(Arc::ptr_eq(
                &plan(&cache, &access, query, &one).translation,
                &first.translation
            ));
            assert!(Arc::ptr_eq(
                &plan(&cache, &access, query, &one).translation,
                &first.translation
            ));
            assert!(Arc::ptr_eq(
                &plan(&cache, &access, query, &two).translation,
                &second.translation
            ));
        }
    }
}
