//! TLS of the gateway's own port: reads its certificate and key, and offers HTTP/2 and HTTP/1.1 by
//! ALPN.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pg::tls::{
    Certificate, Timestamp, TlsError, certificates, pairing_fault, private_key, provider,
};
use rustls::ServerConfig;

/// The certificate and key of the gateway's port.
#[derive(Clone)]
pub struct ServerCertificate {
    /// The configuration of rustls.
    pub config: Arc<ServerConfig>,
    /// Until when the certificate is valid; none if it cannot be parsed.
    pub expiry: Option<Expiry>,
    /// Warnings about the files.
    pub warnings: Vec<String>,
}

/// Until when a certificate is valid.
#[derive(Clone, Debug)]
pub struct Expiry {
    /// The end of its validity.
    not_after: Timestamp,
    path: PathBuf,
}

/// A certificate that expires within this time causes a warning.
const WARNING_TIME: Duration = Duration::from_secs(14 * 86_400);

impl Expiry {
    /// The end of the validity in seconds of Unix time.
    pub fn seconds(&self) -> i64 {
        self.not_after.seconds()
    }

    /// The time left; `None` if the certificate has expired.
    fn remaining(&self, now: SystemTime) -> Option<Duration> {
        let end = UNIX_EPOCH + Duration::from_secs(u64::try_from(self.seconds()).ok()?);
        end.duration_since(now).ok()
    }

    /// Whether the certificate has expired.
    pub fn is_expired(&self) -> bool {
        self.remaining(SystemTime::now()).is_none()
    }

    /// Logs an error if the certificate has expired, and a warning if it will soon.
    pub fn log(&self) {
        let file = self.path.display();
        let not_after = self.not_after;
        match self.remaining(SystemTime::now()) {
            None => {
                tracing::error!(%file, %not_after, "the certificate of the port has expired");
            }
            Some(left) if left < WARNING_TIME => {
                let days = left.as_secs() / 86_400;
                tracing::warn!(%file, %not_after, days, "the certificate of the port expires soon");
            }
            Some(_) => {}
        }
    }
}

impl ServerCertificate {
    /// Reads the files of `--tls-cert` and `--tls-key`; `None` if neither is set.
    pub fn read(
        certificate: Option<&Path>,
        key: Option<&Path>,
    ) -> Result<Option<ServerCertificate>, TlsError> {
        let (certificate, key) = match (certificate, key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => (certificate, key),
            (Some(_), None) => return Err(TlsError::Half("--tls-key")),
            (None, Some(_)) => return Err(TlsError::Half("--tls-cert")),
        };
        let chain = certificates(certificate)?;
        let secret = private_key(key)?;
        let mut warnings = Vec::new();
        let first = chain.first().and_then(|der| Certificate::parse(der));
        let expiry = first.as_ref().map(|first| Expiry {
            not_after: first.validity.1,
            path: certificate.to_owned(),
        });
        let is_expired = expiry.as_ref().is_some_and(Expiry::is_expired);
        if let Some(reason) = first.and_then(|first| first.invalid_now())
            && !is_expired
        {
            warnings.push(format!(
                "the certificate in {} {reason}",
                certificate.display()
            ));
        }
        warnings.extend(exposure(key));
        // rustls supports only versions 1.2 and 1.3.
        let builder =
            ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
        let builder = builder.map_err(TlsError::Setup)?.with_no_client_auth();
        let config = builder.with_single_cert(chain, secret);
        let mut config = config.map_err(|error| pairing_fault(error, certificate, key))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Some(ServerCertificate {
            config: Arc::new(config),
            expiry,
            warnings,
        }))
    }
}

/// A warning if users other than the file's owner and group may read the key. Not an error, as for
/// client keys, because keys mounted into containers often belong to root and a group.
fn exposure(key: &Path) -> Option<String> {
    let mode = std::fs::metadata(key).ok()?.mode();
    (mode & 0o007 != 0).then(|| {
        format!(
            "every user of this machine may read the private key {}",
            key.display()
        )
    })
}

impl std::fmt::Debug for ServerCertificate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ServerCertificate")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    struct Pair {
        folder: tempfile::TempDir,
    }

    impl Pair {
        fn new(until: i32) -> Pair {
            let folder = tempfile::tempdir().unwrap();
            let mut params = CertificateParams::new(vec!["localhost".into()]).unwrap();
            params.not_after = rcgen::date_time_ymd(until, 1, 1);
            let key = KeyPair::generate().unwrap();
            std::fs::write(
                folder.path().join("cert"),
                params.self_signed(&key).unwrap().pem(),
            )
            .unwrap();
            std::fs::write(folder.path().join("key"), key.serialize_pem()).unwrap();
            Pair { folder }
        }

        fn file(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn read(&self, certificate: &str, key: &str) -> Result<Vec<String>, String> {
            let read =
                ServerCertificate::read(Some(&self.file(certificate)), Some(&self.file(key)));
            read.map(|identity| identity.unwrap().warnings)
                .map_err(|error| error.to_string())
        }
    }

    #[test]
    fn errors_name_the_file() {
        let pair = Pair::new(2100);
        let other = Pair::new(2100);
        std::fs::copy(other.file("key"), pair.file("other")).unwrap();
        std::fs::write(
            pair.file("encrypted"),
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n",
        )
        .unwrap();
        std::fs::write(pair.file("text"), "no PEM").unwrap();
        let refused = |certificate, key| {
            pair.read(certificate, key)
                .unwrap_err()
                .replace(&pair.file("").display().to_string(), "")
        };
        assert_eq!(
            refused("cert", "other"),
            "the private key in other does not belong to the certificate in cert"
        );
        assert_eq!(
            refused("text", "key"),
            "text holds no certificate in PEM form"
        );
        assert_eq!(
            refused("cert", "cert"),
            "cert holds no private key in PEM form"
        );
        assert!(
            refused("cert", "encrypted").starts_with("the private key in encrypted is encrypted")
        );
        assert!(refused("nothing", "key").starts_with("cannot read nothing: "));
        let half = ServerCertificate::read(Some(&pair.file("cert")), None)
            .unwrap_err()
            .to_string();
        assert!(half.ends_with("`--tls-key` is not set"), "{half}");
        assert!(ServerCertificate::read(None, None).unwrap().is_none());
    }

    #[test]
    fn readable_key_causes_a_warning() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |pair: &Pair, mode| {
            std::fs::set_permissions(pair.file("key"), std::fs::Permissions::from_mode(mode))
                .unwrap();
        };
        let pair = Pair::new(2100);
        mode(&pair, 0o640);
        assert_eq!(pair.read("cert", "key").unwrap(), Vec::<String>::new());
        mode(&pair, 0o644);
        assert!(pair.read("cert", "key").unwrap()[0].starts_with("every user of this machine"));
    }

    #[test]
    fn remaining_time_decides_between_warning_and_error() {
        let expiry = |pair: &Pair| {
            let read = ServerCertificate::read(Some(&pair.file("cert")), Some(&pair.file("key")));
            read.unwrap().unwrap().expiry.unwrap()
        };
        let old = expiry(&Pair::new(2001));
        assert!(old.is_expired());
        assert_eq!(
            (old.seconds(), old.not_after.to_string()),
            (978_307_200, "2001-01-01".into())
        );
        let valid = expiry(&Pair::new(2100));
        assert!(!valid.is_expired());
        let before = |days: u64| UNIX_EPOCH + Duration::from_secs(4_102_444_800 - days * 86_400);
        assert_eq!(
            valid.remaining(before(3)),
            Some(Duration::from_secs(3 * 86_400))
        );
        assert_eq!(valid.remaining(before(0) + Duration::from_secs(1)), None);
    }
}
