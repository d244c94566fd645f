//! TLS to the database with libpq's semantics: which files are used, what each `sslmode` verifies,
//! and messages for failed handshakes. Whether to use TLS is decided by [`crate::sign_in`].
//! <https://www.postgresql.org/docs/current/libpq-ssl.html>
//!
//! rustls verifies the chain. Three cases that rustls rejects are checked here, because libpq
//! accepts them and common instructions for Postgres produce them: certificates without alternative
//! names, certificates that are their own root, and keys of old certificates. The handshake is made
//! before tokio-postgres sees the socket, so `sslmode` has one implementation, and a plain socket
//! costs no copy.

use std::io;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore,
    SignatureScheme,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::certificate::{self, Certificate};
use super::{TlsError, certificates, pairing_fault, private_key, provider};
use crate::conninfo::{SslMode, TlsParameters, is_absent};

/// The ALPN protocol offered in the handshake, which Postgres 17 and later accept.
const PROTOCOL: &[u8] = b"postgresql";

/// Opens TLS connections to a database. The files are read once; a reload creates a new connector.
#[derive(Clone)]
pub(crate) struct Connector {
    connector: TlsConnector,
    is_direct: bool,
}

impl Connector {
    /// Reads the files that the parameters name, or those at libpq's default paths.
    pub(crate) fn new(parameters: &TlsParameters) -> Result<Connector, TlsError> {
        let provider = provider();
        let versions = parameters.versions;
        let algorithms = provider.signature_verification_algorithms;
        let versions: Vec<_> = [
            (versions.tls13, &rustls::version::TLS13),
            (versions.tls12, &rustls::version::TLS12),
        ]
        .into_iter()
        .filter_map(|(is_wanted, version)| is_wanted.then_some(version))
        .collect();
        let builder =
            ClientConfig::builder_with_provider(provider).with_protocol_versions(&versions);
        let verifier = Verifier::new(parameters, algorithms)?;
        let builder = builder
            .map_err(TlsError::Setup)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match client_certificate(parameters)? {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = certificates(&certificate)?;
                let secret = private_key(&key)?;
                let config = builder.with_client_auth_cert(chain, secret);
                config.map_err(|error| pairing_fault(error, &certificate, &key))?
            }
        };
        config.enable_sni = parameters.sends_name;
        config.resumption = Resumption::disabled();
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Connector {
            connector: TlsConnector::from(Arc::new(config)),
            is_direct: parameters.is_direct,
        })
    }

    /// Performs the TLS handshake on a stream. The error is a message for the user.
    pub(crate) async fn connect(
        &self,
        stream: TcpStream,
        host: Option<&str>,
        address: IpAddr,
    ) -> Result<TlsStream<TcpStream>, String> {
        // A name that is not a valid DNS name is not sent; the verifier decides whether it has to
        // match.
        let named = host.and_then(|host| ServerName::try_from(host.to_owned()).ok());
        let name = named.unwrap_or_else(|| ServerName::from(address));
        let stream = self
            .connector
            .connect(name, stream)
            .await
            .map_err(|error| describe(&error))?;
        if self.is_direct && stream.get_ref().1.alpn_protocol() != Some(PROTOCOL) {
            return Err(
                "the server does not know sslnegotiation=direct, which needs Postgres 17".into(),
            );
        }
        Ok(stream)
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Connector")
            .field("is_direct", &self.is_direct)
            .finish_non_exhaustive()
    }
}

/// The channel binding data `tls-server-end-point` of the server's certificate.
pub(crate) fn channel_binding(stream: &TlsStream<TcpStream>) -> Option<Vec<u8>> {
    certificate::channel_binding_hash(stream.get_ref().1.peer_certificates()?.first()?)
}

/// The file that a parameter names, which must exist, or the file at the default path, which may be
/// missing.
fn file(
    named: Option<&str>,
    folder: Option<&Path>,
    usual: &str,
) -> Result<Option<PathBuf>, TlsError> {
    let path = match (named, folder) {
        (Some(named), _) => PathBuf::from(named),
        (None, Some(folder)) => folder.join(usual),
        (None, None) => return Ok(None),
    };
    match std::fs::metadata(&path) {
        Ok(_) => Ok(Some(path)),
        Err(error) if named.is_none() && is_absent(&error) => Ok(None),
        // The home of another user, as libpq sees it.
        Err(error) if named.is_none() && error.kind() == io::ErrorKind::PermissionDenied => {
            Ok(None)
        }
        Err(cause) => Err(TlsError::Unreadable { path, cause }),
    }
}

/// The client's certificate and its key, if there is a certificate.
fn client_certificate(parameters: &TlsParameters) -> Result<Option<(PathBuf, PathBuf)>, TlsError> {
    if !parameters.sends_certificate {
        return Ok(None);
    }
    let folder = parameters.folder.as_deref();
    let Some(certificate) = file(parameters.certificate.as_deref(), folder, "postgresql.crt")?
    else {
        return Ok(None);
    };
    let Some(key) = file(parameters.key.as_deref(), folder, "postgresql.key")? else {
        return Err(TlsError::NoKey(certificate));
    };
    let metadata = std::fs::metadata(&key).map_err(|cause| TlsError::Unreadable {
        path: key.clone(),
        cause,
    })?;
    // As in libpq: a key owned by root may be readable by its group, so that services can read it.
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    match metadata.mode() & forbidden {
        0 => Ok(Some((certificate, key))),
        _ => Err(TlsError::Exposed(key)),
    }
}

/// Verifies a server's certificate. Without root certificates it accepts any certificate, but the
/// server must always prove that it has the private key: channel binding relies on that.
#[derive(Debug)]
struct Verifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// The root certificates. A server's own self-signed certificate may be among them.
    roots: Vec<CertificateDer<'static>>,
    /// How messages describe the source of the roots.
    source: String,
    is_name_verified: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn new(
        parameters: &TlsParameters,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Result<Verifier, TlsError> {
        let is_name_verified = parameters.mode == SslMode::VerifyFull;
        let folder = parameters.folder.as_deref();
        let (roots, source) = match parameters.root.as_deref() {
            Some("system") => (system_roots()?, "that this machine trusts".to_owned()),
            named => match file(named, folder, "root.crt")? {
                Some(path) => (certificates(&path)?, format!("in {}", path.display())),
                None if parameters.mode < SslMode::VerifyCa => (Vec::new(), String::new()),
                None => {
                    let mode = if is_name_verified {
                        "verify-full"
                    } else {
                        "verify-ca"
                    };
                    let path = folder
                        .unwrap_or(Path::new("~/.postgresql"))
                        .join("root.crt");
                    return Err(TlsError::NoRoots { mode, path });
                }
            },
        };
        let mut verifier = Verifier {
            chain: None,
            roots,
            source,
            is_name_verified,
            algorithms,
        };
        if !verifier.roots.is_empty() {
            let crl = file(parameters.crl.as_deref(), folder, "root.crl")?;
            verifier.chain = verifier.chain(crl.as_deref())?;
        }
        Ok(verifier)
    }

    /// The verifier for chains up to a root; `None` if no root can sign, such as a server's own
    /// version 1 certificate.
    fn chain(&self, crl: Option<&Path>) -> Result<Option<Arc<WebPkiServerVerifier>>, TlsError> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(self.roots.iter().cloned());
        if store.is_empty() {
            return Ok(None);
        }
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider());
        if let Some(path) = crl {
            let unusable = |cause: String| TlsError::Unusable {
                path: path.into(),
                cause,
            };
            let bytes = std::fs::read(path).map_err(|cause| TlsError::Unreadable {
                path: path.into(),
                cause,
            })?;
            let lists: Result<Vec<_>, _> =
                CertificateRevocationListDer::pem_slice_iter(&bytes).collect();
            builder = builder.with_crls(lists.map_err(|error| unusable(error.to_string()))?);
            return builder
                .build()
                .map(Some)
                .map_err(|error| unusable(error.to_string()));
        }
        builder
            .build()
            .map(Some)
            .map_err(|error| TlsError::Setup(rustls::Error::General(error.to_string())))
    }

    /// Accepts a certificate that is itself one of the roots, byte for byte, without a signature by
    /// an authority.
    fn verify_pinned(&self, der: &CertificateDer<'_>, host: &str) -> Option<Result<(), String>> {
        self.roots
            .iter()
            .find(|root| root.as_ref() == der.as_ref())?;
        let certificate = Certificate::parse(der)?;
        Some(match certificate.invalid_now() {
            Some(reason) => Err(format!("the server's certificate {reason}")),
            None if self.is_name_verified && !certificate.is_for(host) => {
                Err(wrong_name(&certificate, host))
            }
            None => Ok(()),
        })
    }

    /// The message for a rejected chain.
    fn refusal(&self, error: &rustls::Error, der: &CertificateDer<'_>) -> String {
        let certificate = Certificate::parse(der);
        if certificate
            .as_ref()
            .is_some_and(|certificate| certificate.version < 3)
        {
            return "the server's certificate has no extensions (X.509 version 1), so it cannot \
                    be verified; make one \
                    with `subjectAltName`, or name it in `sslrootcert` itself"
                .into();
        }
        let untrusted = || {
            format!(
                "the server's certificate is not signed by an authority {}",
                self.source
            )
        };
        let rustls::Error::InvalidCertificate(cause) = error else {
            return format!("the server's certificate is not accepted: {error}");
        };
        match cause {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => untrusted(),
            CertificateError::Revoked => "the server's certificate is revoked".into(),
            CertificateError::UnknownRevocationStatus => {
                "no revocation list says whether the server's certificate still holds".into()
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => {
                match certificate.and_then(|certificate| certificate.invalid_now()) {
                    Some(reason) => format!("the server's certificate {reason}"),
                    None => "a certificate that the server's is signed by has expired, or is not \
                             valid yet"
                        .into(),
                }
            }
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
                "the server's certificate is not one for servers".into()
            }
            CertificateError::Other(OtherError(cause)) if is_authority(cause.as_ref()) => {
                format!(
                    "the server's certificate is that of an authority, and is not {}",
                    self.source
                )
            }
            other => format!("the server's certificate is not accepted: {other}"),
        }
    }
}

fn is_authority(cause: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    matches!(
        cause.downcast_ref::<webpki::Error>(),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}

fn system_roots() -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        Err(TlsError::NoSystemRoots)
    } else {
        Ok(found)
    }
}

fn wrong_name(certificate: &Certificate<'_>, host: &str) -> String {
    match certificate.hosts()[..] {
        [] => format!("the server's certificate names no host, so it is not for {host}"),
        ref names => format!(
            "the server's certificate is for {}, not {host}",
            names.join(", ")
        ),
    }
}

/// A message for the user, wrapped to pass through rustls.
#[derive(Debug)]
struct Rejection(String);

impl std::fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Rejection {}

fn rejection(sentence: String) -> rustls::Error {
    CertificateError::Other(OtherError(Arc::new(Rejection(sentence)))).into()
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let accepted = Ok(ServerCertVerified::assertion());
        if self.roots.is_empty() {
            return accepted;
        }
        let host = server_name.to_str();
        if let Some(verdict) = self.verify_pinned(end_entity, &host) {
            return verdict.map_err(rejection).and(accepted);
        }
        let Some(chain) = &self.chain else {
            return Err(rejection(
                self.refusal(&CertificateError::UnknownIssuer.into(), end_entity),
            ));
        };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Ok(verified) => Ok(verified),
            // rustls compares the name last, so the chain is valid.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => match Certificate::parse(end_entity) {
                _ if !self.is_name_verified => accepted,
                // As in libpq: the common name is compared if there are no alternative names.
                Some(certificate) if certificate.names.is_empty() && certificate.is_for(&host) => {
                    accepted
                }
                Some(certificate) => Err(rejection(wrong_name(&certificate, &host))),
                None => Err(CertificateError::BadEncoding.into()),
            },
            Err(error) => Err(rejection(self.refusal(&error, end_entity))),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match ParsedCertificate::try_from(certificate) {
            Ok(_) => rustls::crypto::verify_tls12_signature(
                message,
                certificate,
                signature,
                &self.algorithms,
            ),
            Err(error) => self.verify_by_key(message, certificate, signature, error),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match ParsedCertificate::try_from(certificate) {
            Ok(_) => rustls::crypto::verify_tls13_signature(
                message,
                certificate,
                signature,
                &self.algorithms,
            ),
            Err(error) => {
                let parsed = Certificate::parse(certificate).ok_or(error)?;
                let key = SubjectPublicKeyInfoDer::from(parsed.public_key);
                rustls::crypto::verify_tls13_signature_with_raw_key(
                    message,
                    &key,
                    signature,
                    &self.algorithms,
                )
            }
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl Verifier {
    /// Verifies the signature with the public key alone. rustls rejects version 1 certificates,
    /// which old instructions for Postgres produce.
    fn verify_by_key(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
        error: rustls::Error,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let parsed = Certificate::parse(certificate).ok_or(error)?;
        let key = SubjectPublicKeyInfoDer::from(parsed.public_key);
        let bad = |_| rustls::Error::from(CertificateError::BadSignature);
        let key = webpki::RawPublicKeyEntity::try_from(&key).map_err(bad)?;
        let mut matching = self
            .algorithms
            .mapping
            .iter()
            .filter(|(scheme, _)| *scheme == signature.scheme);
        let algorithms = matching
            .next()
            .map(|(_, algorithms)| *algorithms)
            .unwrap_or_default();
        let is_good = |algorithm: &&dyn rustls::pki_types::SignatureVerificationAlgorithm| {
            key.verify_signature(*algorithm, message, signature.signature())
                .is_ok()
        };
        if algorithms.iter().any(is_good) {
            Ok(HandshakeSignatureValid::assertion())
        } else {
            Err(CertificateError::BadSignature.into())
        }
    }
}

/// The message for a failed handshake or a connection that TLS has ended, without repeating its
/// cause.
pub(crate) fn describe(error: &io::Error) -> String {
    match error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<rustls::Error>())
    {
        Some(rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(cause))))
            if cause.downcast_ref::<Rejection>().is_some() =>
        {
            cause.to_string()
        }
        Some(rustls::Error::AlertReceived(alert)) => alert_sentence(*alert),
        Some(rustls::Error::InvalidMessage(_)) => "the server does not speak TLS".into(),
        Some(other) => format!("the TLS handshake failed: {other}"),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the server has closed the connection".into()
        }
        None => error.to_string(),
    }
}

fn alert_sentence(alert: rustls::AlertDescription) -> String {
    use rustls::AlertDescription as Alert;
    match alert {
        Alert::CertificateRequired => {
            "the server asks for a client certificate; set `sslcert` and `sslkey`".into()
        }
        Alert::BadCertificate
        | Alert::CertificateExpired
        | Alert::CertificateRevoked
        | Alert::CertificateUnknown
        | Alert::UnknownCA
        | Alert::UnsupportedCertificate => {
            format!("the server does not accept the client certificate ({alert:?})")
        }
        Alert::ProtocolVersion => {
            "the server knows no version of TLS that is allowed (1.2 and 1.3)".into()
        }
        Alert::NoApplicationProtocol => {
            "the server does not speak Postgres' protocol over TLS".into()
        }
        other => format!("the server has ended the TLS handshake ({other:?})"),
    }
}
