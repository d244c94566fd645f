//! Which operations may be asked, and what stands for them: documents that are known beforehand, digests in place of documents,
//! and allow lists. What an operation may see is the business of permissions; this is about whether it may be asked at all.

mod automatic;
mod digest;
mod file;
mod learned;
mod lists;
mod notes;
mod persisted;
mod settings;
mod written;

use std::borrow::Cow;
use std::sync::Arc;

use sql::ErrorKind;

use crate::config::{Config, ConfigError};
use crate::error::{Error, Malformed, Unknown};
use crate::profile::Profile;
use crate::request::{Reference, Request};
use crate::session::Session;
use automatic::Automatic;
use digest::{Asserted, Digest};
use learned::Learned;
use persisted::Persisted;
use settings::Table;
use written::Written;

pub use lists::{Judged, Listing, Lists, Mode};
pub use notes::notes;

/// The table of the settings file.
const SECTION: &str = "operations";

/// What is known of operations before they are asked.
#[derive(Debug, Default)]
pub struct Operations {
    persisted: Persisted,
    automatic: Option<Arc<Automatic>>,
    /// Who may ask what.
    pub lists: Arc<Lists>,
}

impl Operations {
    /// Reads what the settings name. What a running version has gathered is kept.
    pub fn load(config: &Config, running: Option<&Operations>) -> Result<Operations, ConfigError> {
        let table: Table = config.sections.read(SECTION)?.unwrap_or_default();
        let written = Written::read(&table, config)?;
        let automatic = table.apq.unwrap_or(config.profile == Profile::Gateway).then(|| {
            let running = running.and_then(|running| running.automatic.clone());
            let same = running.filter(|automatic| automatic.bytes() == table.apq_bytes);
            same.unwrap_or_else(|| Arc::new(Automatic::new(table.apq_bytes)))
        });
        let learned = match &table.learn {
            Some(path) => {
                let running = running.and_then(|running| running.lists.learned());
                Some(Learned::open(&config.sections.beside(path), running)?)
            }
            None => None,
        };
        let lists = Arc::new(Lists::new(&table, &written, learned));
        Ok(Operations { persisted: Persisted::new(&written.persisted), automatic, lists })
    }

    /// Whether digests can stand in place of documents.
    pub fn takes_digests(&self) -> bool {
        self.automatic.is_some() || !self.persisted.is_empty()
    }

    /// The request with its document, if something else stands in its place.
    pub fn complete<'r>(&self, session: &Session, request: &'r Request) -> Result<Cow<'r, Request>, Error> {
        let text = match &request.reference {
            None => {
                self.check(request)?;
                return Ok(Cow::Borrowed(request));
            }
            Some(Reference::Id(_)) if self.persisted.is_empty() => return Err(Malformed::NoQuery.into()),
            Some(Reference::Id(id)) => self.persisted.by_id(id),
            Some(Reference::Digest) => self.by_digest(session, request)?,
        };
        let missing = || unknown(request, None);
        let query = text.ok_or_else(missing)?.as_ref().to_owned();
        let (operation_name, variables) = (request.operation_name.clone(), request.variables.clone());
        let reference = request.reference.clone();
        Ok(Cow::Owned(Request { query, reference, operation_name, variables, ..Request::default() }))
    }

    /// Keeps the document of a request that was found to be valid, if its digest stands beside it.
    pub fn keep(&self, session: &Session, request: &Request) {
        let (None, Some(automatic)) = (&request.reference, &self.automatic) else { return };
        if let Ok(Some(Asserted::Digest(digest))) = digest::asserted(request) {
            automatic.keep(session, digest, &request.query);
        }
    }

    /// A digest beside a document has to be the document's.
    fn check(&self, request: &Request) -> Result<(), Error> {
        if self.automatic.is_none() || request.extensions.is_empty() {
            return Ok(());
        }
        match digest::asserted(request)? {
            Some(Asserted::Digest(digest)) if digest != Digest::of(&request.query) => Err(Malformed::Digest.into()),
            Some(Asserted::Other(_)) => Err(Malformed::Digest.into()),
            _ => Ok(()),
        }
    }

    /// What the digest of an extension stands for: a document that is known beforehand, or one that this role has sent.
    fn by_digest(&self, session: &Session, request: &Request) -> Result<Option<Arc<str>>, Error> {
        if !self.takes_digests() {
            return Err(Error::PersistedQuery);
        }
        let Some(asserted) = digest::asserted(request)? else { return Err(Malformed::NoQuery.into()) };
        let (known, sent) = match &asserted {
            Asserted::Digest(digest) => {
                let known = self.persisted.by_digest(digest).or_else(|| self.persisted.by_id(&digest.to_string()));
                (known, Some(digest))
            }
            Asserted::Other(id) => (self.persisted.by_id(id), None),
        };
        Ok(known.or_else(|| self.automatic.as_ref()?.find(session, sent?)))
    }
}

/// What is told of a document that a name or a digest stands for and that the caller may not ask: nothing but that it is not
/// known, since whoever may not ask it need not learn what is in it.
pub fn told(request: &Request, error: Error) -> Error {
    let hides = match &error {
        Error::Query(error) => error.kind() == ErrorKind::ValidationFailed,
        Error::Unlisted(_) => true,
        _ => false,
    };
    match &request.reference {
        Some(_) if hides => unknown(request, Some(error.cause().unwrap_or_else(|| error.message()))),
        _ => error,
    }
}

fn unknown(request: &Request, cause: Option<String>) -> Error {
    Error::UnknownDocument(Unknown {
        id: match &request.reference {
            Some(Reference::Id(id)) => Some(id.clone()),
            _ => None,
        },
        cause,
    })
}
