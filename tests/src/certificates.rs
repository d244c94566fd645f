//! Generates certificates for TLS tests: an authority and the certificates and revocation lists
//! that it signs, as PEM files in a folder.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, RevokedCertParams, SerialNumber,
    date_time_ymd,
};

/// A certificate authority and the file of its own certificate.
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
    file: PathBuf,
}

/// The files of a certificate and its private key.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The certificate.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The fields of a certificate to sign.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// Its subject alternative names.
    pub names: &'w [&'w str],
    /// Its common name.
    pub common_name: &'w str,
    /// The year at whose start it expires.
    pub until: i32,
    /// Its serial number, used to revoke it.
    pub serial: u64,
}

impl Default for Wanted<'_> {
    fn default() -> Self {
        Wanted {
            names: &[],
            common_name: "tests",
            until: 2100,
            serial: 7,
        }
    }
}

impl Authority {
    /// Creates an authority and writes its files, which are named after it.
    pub fn new(folder: &Path, name: &str) -> Result<Authority, Box<dyn std::error::Error>> {
        let mut params = CertificateParams::new(Vec::<String>::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let file = folder.join(format!("{name}.crt"));
        std::fs::write(&file, issuer.pem())?;
        Ok(Authority {
            issuer,
            folder: folder.to_owned(),
            file,
        })
    }

    /// The file of its own certificate.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Writes a certificate revocation list that revokes this serial number.
    pub fn revoke(&self, file: &str, serial: u64) -> Result<PathBuf, Box<dyn std::error::Error>> {
        let revoked = RevokedCertParams {
            serial_number: SerialNumber::from(serial),
            revocation_time: date_time_ymd(2001, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2001, 1, 1),
            next_update: date_time_ymd(2100, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: vec![revoked],
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let path = self.folder.join(file);
        std::fs::write(&path, list.signed_by(&self.issuer)?.pem()?)?;
        Ok(path)
    }

    /// Signs a certificate for a new key and writes both files.
    pub fn sign(&self, file: &str, wanted: Wanted<'_>) -> Result<Pair, Box<dyn std::error::Error>> {
        let names: Vec<String> = wanted.names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params
            .distinguished_name
            .push(DnType::CommonName, wanted.common_name);
        params.serial_number = Some(SerialNumber::from(wanted.serial));
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(wanted.until, 1, 1);
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let pair = Pair {
            certificate: self.folder.join(format!("{file}.crt")),
            key: self.folder.join(format!("{file}.key")),
        };
        std::fs::write(&pair.certificate, certificate.pem())?;
        write_secret(&pair.key, &key.serialize_pem())?;
        Ok(pair)
    }
}

/// Writes a file that only its owner can read.
pub fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}
