//! The certificate of `postern demo --tls`: self-signed, for this machine's names, new at each
//! start.

use std::fmt::Write;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};
use sha2::{Digest, Sha256};

/// The names that every certificate is for.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// How long a certificate is valid. macOS refuses more than 825 days.
const VALIDITY: Duration = Duration::from_secs(90 * 24 * 3600);

/// How far clients' clocks may be behind.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(3600);

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It cannot be made.
    #[error("the certificate cannot be made: {0}")]
    Make(#[from] rcgen::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Unwritable {
        /// The file's path.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
}

/// A certificate and its private key in two PEM files.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// The file of the certificate, by which clients trust it.
    pub(crate) file: PathBuf,
    /// The file of the private key, which only its owner reads.
    pub(crate) key_file: PathBuf,
    /// The SHA-256 digest of the certificate, as browsers show it.
    pub(crate) fingerprint: String,
}

impl Certificate {
    /// Makes a certificate for this machine's names and one more, and writes its files to a folder.
    pub(crate) fn write(
        folder: &Path,
        name: Option<&str>,
    ) -> Result<Certificate, CertificateError> {
        let name = name.filter(|name| !NAMES.contains(name));
        let names = NAMES.iter().copied().chain(name);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let mut params = CertificateParams::new(names)?;
        params
            .distinguished_name
            .push(DnType::CommonName, "postern demo");
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = date_time_ymd(1970, 1, 1) + since_1970.unwrap_or_default();
        params.not_before = now - CLOCK_TOLERANCE;
        params.not_after = now + VALIDITY;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let files = Certificate {
            file: folder.join("demo-certificate.pem"),
            key_file: folder.join("demo-certificate-key.pem"),
            fingerprint: fingerprint(certificate.der()),
        };
        write_file(&files.file, &certificate.pem(), 0o644)?;
        write_file(&files.key_file, &key.serialize_pem(), 0o600)?;
        Ok(files)
    }
}

/// Writes a file with a mode. One of an earlier start is removed first, because it keeps its mode.
fn write_file(path: &Path, text: &str, mode: u32) -> Result<(), CertificateError> {
    let unwritable = |cause| CertificateError::Unwritable {
        path: path.to_owned(),
        cause,
    };
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            return Err(unwritable(cause));
        }
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(unwritable)
}

/// `AB:CD:…`
fn fingerprint(der: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in Sha256::digest(der).iter().enumerate() {
        let separator = if index == 0 { "" } else { ":" };
        let _ = write!(text, "{separator}{byte:02X}");
    }
    text
}
