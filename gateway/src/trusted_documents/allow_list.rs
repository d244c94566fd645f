//! Allow lists: which operations a role may ask, and what becomes of the others. An operation is judged when its document is read
//! for the first time; from then on the plan cache knows how.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;
use sql::graphql::document::{Document, Normal};

use super::config::Table;
use super::loaded::LoadedDocuments;
use super::recorder::OperationRecorder;
use super::sha256::Digest;
use crate::auth::session::ADMIN;
use crate::error::Error;

/// What becomes of an operation that is on no list of the role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It is answered.
    #[default]
    Off,
    /// It is answered, and told of in the log.
    Log,
    /// It is refused.
    Enforce,
}

/// Who may ask what.
#[derive(Debug, Default)]
pub struct AllowLists {
    usual: Rules,
    roles: HashMap<String, Rules>,
    /// What every role may ask, by the digests of normal forms.
    everyone: HashSet<Digest>,
    /// What a role may ask beside that.
    by_role: HashMap<String, HashSet<Digest>>,
    learned: Option<Arc<OperationRecorder>>,
}

/// How a role is judged.
#[derive(Clone, Copy, Debug, Default)]
struct Rules {
    mode: Mode,
    introspection: bool,
}

/// What was found about the operations of a document that may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowListStatus {
    /// They are listed, or nobody minds.
    #[default]
    Listed,
    /// Not all of them are listed. They are answered all the same, under this mode.
    Unlisted(Mode),
}

/// The same, with those that are not listed in their normal forms.
#[derive(Debug, Default)]
pub struct AllowListCheck {
    listing: AllowListStatus,
    unlisted: Vec<Normal>,
}

impl AllowListStatus {
    /// Whether they are told of as being on no list.
    pub fn is_reported(self) -> bool {
        self == AllowListStatus::Unlisted(Mode::Log)
    }
}

impl AllowLists {
    pub(super) fn new(table: &Table, written: &LoadedDocuments, learned: Option<Arc<OperationRecorder>>) -> AllowLists {
        let usual = Rules { mode: table.mode, introspection: table.introspection };
        let roles = table.role.iter().map(|(name, role)| {
            let mode = role.mode.unwrap_or(usual.mode);
            (name.clone(), Rules { mode, introspection: role.introspection.unwrap_or(usual.introspection) })
        });
        let mut lists = AllowLists { usual, roles: roles.collect(), learned, ..AllowLists::default() };
        for listed in &written.listed {
            let digests = listed.forms.iter().map(|form| Digest::of(&form.text));
            match &listed.roles {
                None => lists.everyone.extend(digests),
                Some(roles) => {
                    let digests: Vec<Digest> = digests.collect();
                    for role in roles {
                        lists.by_role.entry(role.clone()).or_default().extend(&digests);
                    }
                }
            }
        }
        lists
    }

    /// Where what no list has is written.
    pub(super) fn learned(&self) -> Option<&Arc<OperationRecorder>> {
        self.learned.as_ref()
    }

    /// The rules of a role. The admin is judged only where the settings name the role.
    fn rules(&self, role: &str) -> Option<Rules> {
        match self.roles.get(role) {
            Some(rules) => Some(*rules),
            None => (role != ADMIN).then_some(self.usual),
        }
    }

    /// Judges a document that has been read, before its role's schema has a say: what is refused here has been told nothing.
    pub fn judge(&self, role: &str, document: &Document) -> Result<AllowListCheck, Error> {
        let Some(Rules { mode, introspection }) = self.rules(role) else { return Ok(AllowListCheck::default()) };
        let is_moot = mode == Mode::Off && self.learned.is_none();
        if is_moot || introspection && document.asks_for_the_schema_alone() {
            return Ok(AllowListCheck::default());
        }
        let forms = document.normal_forms();
        let is_whole = forms.is_some();
        let mut unlisted = forms.unwrap_or_default();
        unlisted.retain(|form| !self.has(role, &Digest::of(&form.text)));
        match mode {
            _ if is_whole && unlisted.is_empty() => Ok(AllowListCheck::default()),
            Mode::Enforce => Err(Error::Unlisted(described(&unlisted))),
            Mode::Off | Mode::Log => Ok(AllowListCheck { listing: AllowListStatus::Unlisted(mode), unlisted }),
        }
    }

    /// Notes what was found of a document that is valid for the role and had not been asked before.
    pub fn record(&self, role: &str, AllowListCheck { listing, unlisted }: AllowListCheck) -> AllowListStatus {
        for form in &unlisted {
            if listing.is_reported() {
                let (operation, sha256) = (form.name.as_deref(), Digest::of(&form.text));
                tracing::warn!(role, operation, %sha256, "operation on no allow list");
            }
            if let Some(learned) = &self.learned {
                learned.learn(role, &form.text);
            }
        }
        listing
    }

    fn has(&self, role: &str, digest: &Digest) -> bool {
        self.everyone.contains(digest) || self.by_role.get(role).is_some_and(|list| list.contains(digest))
    }
}

/// For the log: names and digests, by which an operation can be found in a file of learned ones.
fn described(forms: &[Normal]) -> String {
    let described = forms.iter().take(5).map(|form| {
        format!("{} (sha256 {})", form.name.as_deref().unwrap_or("an operation without a name"), Digest::of(&form.text))
    });
    format!("on no allow list: {}", described.collect::<Vec<_>>().join(", "))
}
