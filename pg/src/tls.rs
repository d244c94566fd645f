//! What every configuration of TLS begins with: the cryptography provider, and reading certificates
//! and keys from PEM files. Connections to the database build theirs in [`connector`]; a program
//! that uses this crate can build others, such as that of its own port.

mod certificate;
pub(crate) mod connector;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub use certificate::{Certificate, Timestamp};

/// Errors in the files and settings of TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        cause: io::Error,
    },
    /// A file that is not PEM, or has no item of the expected kind.
    #[error("{} holds no {expected} in PEM form", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// `certificate` or `private key`.
        expected: &'static str,
    },
    /// A certificate or key that cannot be parsed or is not supported.
    #[error("{}: {cause}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// A key that is encrypted with a passphrase.
    #[error("the private key in {} is encrypted; keys with a passphrase are not supported", .0.display())]
    Encrypted(PathBuf),
    /// A key that other users may read.
    #[error(
        "group or others may access the private key {}; its mode has to be 0600 or stricter, or \
         0640 or stricter if \
         it belongs to root",
        .0.display()
    )]
    Exposed(PathBuf),
    /// A key that belongs to another certificate.
    #[error("the private key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    Mismatch {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
    /// One of two settings that need each other.
    #[error("`--tls-cert` and `--tls-key` need each other: `{0}` is not set")]
    Half(&'static str),
    /// A mode that verifies certificates, without any to verify against.
    #[error(
        "sslmode={mode} needs certificates to verify by, and {} does not exist; set \
         `sslrootcert` to a file, or to \
         `system` for the authorities that this machine trusts",
        path.display()
    )]
    NoRoots {
        /// `verify-ca` or `verify-full`.
        mode: &'static str,
        /// The path where they were expected.
        path: PathBuf,
    },
    /// The operating system has no trusted certificates.
    #[error("sslrootcert=system: this machine has no trusted certificates")]
    NoSystemRoots,
    /// A client certificate without a key.
    #[error("the certificate {} needs a private key; set `sslkey`", .0.display())]
    NoKey(PathBuf),
    /// rustls rejects the configuration.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
}

/// The cryptography provider of every TLS connection: ring.
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER
        .get_or_init(|| Arc::new(rustls::crypto::ring::default_provider()))
        .clone()
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|cause| TlsError::Unreadable {
        path: path.into(),
        cause,
    })
}

/// Reads the certificates of a file in order; fails if there are none.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read(path)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let empty = || TlsError::Empty {
        path: path.into(),
        expected: "certificate",
    };
    certificates
        .ok()
        .filter(|certificates| !certificates.is_empty())
        .ok_or_else(empty)
}

/// Reads the private key of a file: PKCS #8, PKCS #1 or SEC 1.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let bytes = read(path)?;
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| {
        let text = String::from_utf8_lossy(&bytes);
        if text.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
            TlsError::Encrypted(path.into())
        } else {
            TlsError::Empty {
                path: path.into(),
                expected: "private key",
            }
        }
    })
}

/// Converts rustls' error about a certificate and its key.
pub fn pairing_fault(error: rustls::Error, certificate: &Path, key: &Path) -> TlsError {
    match error {
        rustls::Error::InconsistentKeys(_) => TlsError::Mismatch {
            certificate: certificate.into(),
            key: key.into(),
        },
        rustls::Error::InvalidCertificate(_) => TlsError::Unusable {
            path: certificate.into(),
            cause: "the certificate cannot be used".into(),
        },
        rustls::Error::General(_) => TlsError::Unusable {
            path: key.into(),
            cause: "the private key cannot be used".into(),
        },
        other => TlsError::Setup(other),
    }
}
