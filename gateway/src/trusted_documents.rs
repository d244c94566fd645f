//! Trusted documents: persisted documents found by id or hash, automatic persisted queries, and
//! allow lists of operations. They decide whether a request's operation may run at all; permissions
//! decide what it may access.

mod apq;
mod sha256;
mod file;
mod recorder;
mod allow_list;
mod warnings;
mod persisted;
mod config;
mod loaded;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use sql::ErrorKind;

use crate::auth::session::Session;
use crate::config::dialect::Profile;
use crate::config::{Config, ConfigError};
use crate::error::{Error, InvalidRequest, UnknownDocument};
use crate::request::{DocumentRef, Request};
use apq::AutomaticPersistedQueries;
use config::{SECTION, Table};
use loaded::LoadedDocuments;
use persisted::Persisted;
use recorder::OperationRecorder;
use sha256::{ClaimedHash, Digest};

pub use allow_list::{AllowListCheck, AllowListStatus, AllowLists};
pub use config::Mode;
pub use warnings::notes;

/// The persisted documents, automatic persisted queries and allow lists of the settings.
#[derive(Clone, Debug, Default)]
pub struct TrustedDocuments {
    persisted: Arc<Persisted>,
    automatic: Option<Arc<AutomaticPersistedQueries>>,
    /// The allow lists.
    pub lists: Arc<AllowLists>,
    /// The names of the operations of all these documents.
    names: Arc<BTreeSet<String>>,
}

impl TrustedDocuments {
    /// Loads the files that the settings name. Documents that clients sent to the running version,
    /// and its recorded operations, are kept.
    pub fn load(
        config: &Config,
        running: Option<&TrustedDocuments>,
    ) -> Result<TrustedDocuments, ConfigError> {
        let table: Table = config.sections.read(SECTION)?.unwrap_or_default();
        let written = LoadedDocuments::read(&table, config)?;
        let automatic = table
            .apq
            .unwrap_or(config.profile == Profile::Gateway)
            .then(|| {
                let running = running.and_then(|running| running.automatic.clone());
                let reusable = running.filter(|automatic| automatic.bytes() == table.apq_bytes);
                reusable
                    .unwrap_or_else(|| Arc::new(AutomaticPersistedQueries::new(table.apq_bytes)))
            });
        let learned = match &table.learn {
            Some(path) => {
                let running = running.and_then(|running| running.lists.recorder());
                Some(OperationRecorder::open(
                    &config.sections.beside(path),
                    running,
                )?)
            }
            None => None,
        };
        let lists = Arc::new(AllowLists::new(&table, &written, learned));
        Ok(TrustedDocuments {
            persisted: Arc::new(Persisted::new(&written.persisted)),
            automatic,
            lists,
            names: Arc::new(written.operation_names()),
        })
    }

    /// The names of the operations that are known in advance: of persisted documents, and of those
    /// on allow lists.
    pub fn operation_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether a request may contain a hash in place of its document.
    pub fn accepts_hashes(&self) -> bool {
        self.automatic.is_some() || !self.persisted.is_empty()
    }

    /// The request with its document, if it contains only an id or a hash.
    pub fn resolve<'r>(
        &self,
        session: &Session,
        request: &'r Request,
    ) -> Result<Cow<'r, Request>, Error> {
        let text = match &request.reference {
            None => {
                self.check(request)?;
                return Ok(Cow::Borrowed(request));
            }
            Some(DocumentRef::Id(_)) if self.persisted.is_empty() => {
                return Err(InvalidRequest::NoQuery.into());
            }
            Some(DocumentRef::Id(id)) => self.persisted.by_id(id),
            Some(DocumentRef::Digest) => self.find_hash(session, request)?,
        };
        let missing = || unknown(request, None);
        let query = text.ok_or_else(missing)?.as_ref().to_owned();
        let operation_name = request.operation_name.clone();
        let variables = request.variables.clone();
        let reference = request.reference.clone();
        Ok(Cow::Owned(Request {
            query,
            reference,
            operation_name,
            variables,
            ..Request::default()
        }))
    }

    /// Registers the document of a valid request under the hash that the request contains.
    pub fn register(&self, session: &Session, request: &Request) {
        let (None, Some(automatic)) = (&request.reference, &self.automatic) else {
            return;
        };
        if let Ok(Some(ClaimedHash::Digest(digest))) = sha256::claimed_hash(request) {
            automatic.insert(session, digest, &request.query);
        }
    }

    /// Checks that a hash next to a document is the document's.
    fn check(&self, request: &Request) -> Result<(), Error> {
        if self.automatic.is_none() || request.extensions.is_empty() {
            return Ok(());
        }
        match sha256::claimed_hash(request)? {
            Some(ClaimedHash::Digest(digest)) if digest != Digest::hash(&request.query) => {
                Err(InvalidRequest::Digest.into())
            }
            Some(ClaimedHash::Other(_)) => Err(InvalidRequest::Digest.into()),
            _ => Ok(()),
        }
    }

    /// Finds the document of the hash in `persistedQuery`: a persisted one, or one that this role
    /// has sent.
    fn find_hash(&self, session: &Session, request: &Request) -> Result<Option<Arc<str>>, Error> {
        if !self.accepts_hashes() {
            return Err(Error::PersistedQuery);
        }
        let Some(asserted) = sha256::claimed_hash(request)? else {
            return Err(InvalidRequest::NoQuery.into());
        };
        let (known, sent) = match &asserted {
            ClaimedHash::Digest(digest) => {
                let known = self
                    .persisted
                    .get(digest)
                    .or_else(|| self.persisted.by_id(&digest.to_string()));
                (known, Some(digest))
            }
            ClaimedHash::Other(id) => (self.persisted.by_id(id), None),
        };
        Ok(known.or_else(|| self.automatic.as_ref()?.find(session, sent?)))
    }
}

/// Replaces an error about a document that the request names by id or hash and the caller may not
/// run: it becomes `UnknownDocument`, so that the caller learns nothing about its contents.
pub fn mask_unknown(request: &Request, error: Error) -> Error {
    let hides = match &error {
        Error::Query(error) => error.kind() == ErrorKind::ValidationFailed,
        Error::Unlisted(_) => true,
        _ => false,
    };
    match &request.reference {
        Some(_) if hides => unknown(
            request,
            Some(error.cause().unwrap_or_else(|| error.message())),
        ),
        _ => error,
    }
}

fn unknown(request: &Request, cause: Option<String>) -> Error {
    Error::UnknownDocument(UnknownDocument {
        id: match &request.reference {
            Some(DocumentRef::Id(id)) => Some(id.clone()),
            _ => None,
        },
        cause,
    })
}
