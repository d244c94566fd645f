//! The files of a version.

use permissions::SourceFile;

use crate::actions;
use crate::rest;
use crate::tls::ServerCertificate;
use crate::trusted_documents::TrustedDocuments;

/// The files of a version. A version that is loaded again, because the database has changed, has
/// the same ones, whatever is in the folder meanwhile.
#[derive(Clone, Debug)]
pub(super) struct LoadedFiles {
    pub(super) permissions: Option<SourceFile>,
    pub(super) rest_map: Option<rest::Source>,
    pub(super) actions: Option<actions::Source>,
    pub(super) operations: TrustedDocuments,
    pub(super) tls: Option<ServerCertificate>,
}
