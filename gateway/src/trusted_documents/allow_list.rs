//! Allow lists: the operations that each role may run, and how others are treated. A document is
//! checked when it is parsed for the first time; the plan cache keeps the result.
//!
//! A list holds SHA-256 digests of operations in their normal form, which is written from the
//! parsed document, so the list compares the document that runs. A digest or name that stands for a
//! document is replaced by it before the check. If a role may not use a named document, the error
//! says that the name is unknown.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use sql::graphql::document::{Document, Normal};

use super::config::{Mode, Table};
use super::loaded::LoadedDocuments;
use super::recorder::OperationRecorder;
use super::sha256::Digest;
use crate::auth::session::ADMIN;
use crate::error::Error;

/// The allow lists of all roles.
#[derive(Debug, Default)]
pub struct AllowLists {
    usual: Rules,
    roles: HashMap<String, Rules>,
    /// The operations that every role may run, by the hashes of their normal forms.
    everyone: HashSet<Digest>,
    /// Further operations of each role.
    by_role: HashMap<String, HashSet<Digest>>,
    learned: Option<Arc<OperationRecorder>>,
    /// The unlisted operations of routers that were recorded. Their documents are in no plan cache.
    recorded: Mutex<HashSet<Digest>>,
}

/// The root fields of introspection.
const INTROSPECTION: [&str; 3] = ["__schema", "__type", "__typename"];

/// Those of a request that a gateway answers as a subgraph. Elsewhere `_service` may be a table.
const INTROSPECTION_OF_ROUTERS: [&str; 2] = ["_service", "__typename"];

/// The most operations that are remembered as recorded; later ones are recorded each time.
const MOST_RECORDED: usize = 10_000;

/// The rules for a role.
#[derive(Clone, Copy, Debug, Default)]
struct Rules {
    mode: Mode,
    introspection: bool,
}

/// The result of a check, for a document that may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowListStatus {
    /// All operations are listed, or the lists do not apply.
    #[default]
    Listed,
    /// Some operations are not listed; they run because of this mode.
    Unlisted(Mode),
}

/// The result of a check, with the normal forms of unlisted operations.
#[derive(Debug, Default)]
pub struct AllowListCheck {
    listing: AllowListStatus,
    unlisted: Vec<Normal>,
}

impl AllowListStatus {
    /// Whether unlisted operations are logged.
    pub fn is_reported(self) -> bool {
        self == AllowListStatus::Unlisted(Mode::Log)
    }
}

impl AllowLists {
    pub(super) fn new(
        table: &Table,
        written: &LoadedDocuments,
        learned: Option<Arc<OperationRecorder>>,
    ) -> AllowLists {
        let usual = Rules {
            mode: table.mode,
            introspection: table.introspection,
        };
        let roles = table.role.iter().map(|(name, role)| {
            let mode = role.mode.unwrap_or(usual.mode);
            (
                name.clone(),
                Rules {
                    mode,
                    introspection: role.introspection.unwrap_or(usual.introspection),
                },
            )
        });
        let mut lists = AllowLists {
            usual,
            roles: roles.collect(),
            learned,
            ..AllowLists::default()
        };
        for listed in &written.listed {
            let digests = listed.forms.iter().map(|form| Digest::hash(&form.text));
            match &listed.roles {
                None => lists.everyone.extend(digests),
                Some(roles) => {
                    let digests: Vec<Digest> = digests.collect();
                    for role in roles {
                        lists
                            .by_role
                            .entry(role.clone())
                            .or_default()
                            .extend(&digests);
                    }
                }
            }
        }
        lists
    }

    /// The recorder of unlisted operations.
    pub(super) fn recorder(&self) -> Option<&Arc<OperationRecorder>> {
        self.learned.as_ref()
    }

    /// The rules of a role. Lists apply to the admin only if the settings name that role.
    fn rules(&self, role: &str) -> Option<Rules> {
        match self.roles.get(role) {
            Some(rules) => Some(*rules),
            None => (role != ADMIN).then_some(self.usual),
        }
    }

    /// Whether operations of a role are checked or recorded.
    pub fn apply_to(&self, role: &str) -> bool {
        self.rules(role)
            .is_some_and(|rules| rules.mode != Mode::Off || self.learned.is_some())
    }

    /// Checks a parsed document before it is validated against the role's schema, so that a refusal
    /// reveals nothing about the schema.
    pub fn check(&self, role: &str, document: &Document) -> Result<AllowListCheck, Error> {
        self.check_beside(role, document, &INTROSPECTION)
    }

    /// Checks the document of a federated router, for which `_service` is introspection.
    pub fn check_of_router(
        &self,
        role: &str,
        document: &Document,
    ) -> Result<AllowListCheck, Error> {
        self.check_beside(role, document, &INTROSPECTION_OF_ROUTERS)
    }

    /// Checks a document; one with these root fields alone is introspection.
    fn check_beside(
        &self,
        role: &str,
        document: &Document,
        schema: &[&str],
    ) -> Result<AllowListCheck, Error> {
        let Some(Rules {
            mode,
            introspection,
        }) = self.rules(role).filter(|_| self.apply_to(role))
        else {
            return Ok(AllowListCheck::default());
        };
        if introspection && document.has_only_root_fields(schema) {
            return Ok(AllowListCheck::default());
        }
        let forms = document.normal_forms();
        let is_whole = forms.is_some();
        let mut unlisted = forms.unwrap_or_default();
        unlisted.retain(|form| !self.has(role, &Digest::hash(&form.text)));
        match mode {
            _ if is_whole && unlisted.is_empty() => Ok(AllowListCheck::default()),
            Mode::Enforce => Err(Error::Unlisted(described(&unlisted))),
            Mode::Off | Mode::Log => Ok(AllowListCheck {
                listing: AllowListStatus::Unlisted(mode),
                unlisted,
            }),
        }
    }

    /// Logs and records the unlisted operations of a document that is new and valid for the role.
    pub fn record(
        &self,
        role: &str,
        AllowListCheck { listing, unlisted }: AllowListCheck,
    ) -> AllowListStatus {
        for form in &unlisted {
            if listing.is_reported() {
                let operation = form.name.as_deref();
                let sha256 = Digest::hash(&form.text);
                tracing::warn!(role, operation, %sha256, "operation on no allow list");
            }
            if let Some(learned) = &self.learned {
                learned.learn(role, &form.text);
            }
        }
        listing
    }

    /// Like [`AllowLists::record`], for a document that may have been checked before.
    pub fn record_once(&self, role: &str, mut check: AllowListCheck) -> AllowListStatus {
        if !check.unlisted.is_empty() {
            let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
            let is_full = recorded.len() >= MOST_RECORDED;
            check.unlisted.retain(|form| {
                let digest = Digest::hash(&format!("{role} {}", form.text));
                if is_full {
                    !recorded.contains(&digest)
                } else {
                    recorded.insert(digest)
                }
            });
        }
        self.record(role, check)
    }

    fn has(&self, role: &str, digest: &Digest) -> bool {
        self.everyone.contains(digest)
            || self
                .by_role
                .get(role)
                .is_some_and(|list| list.contains(digest))
    }
}

/// The names and hashes of operations for the log, by which they can be found in the recorder's
/// file.
fn described(forms: &[Normal]) -> String {
    let described = forms.iter().take(5).map(|form| {
        format!(
            "{} (sha256 {})",
            form.name
                .as_deref()
                .unwrap_or("an operation without a name"),
            Digest::hash(&form.text)
        )
    });
    format!(
        "on no allow list: {}",
        described.collect::<Vec<_>>().join(", ")
    )
}
