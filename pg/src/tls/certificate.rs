//! Parses the fields of an X.509 certificate that rustls does not expose: names for messages and
//! for certificates without alternative names, validity, and the hash for channel binding. Trust is
//! decided elsewhere. <https://www.rfc-editor.org/rfc/rfc5280#section-4.1>

use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// A parsed certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate<'c> {
    /// 1, 2 or 3.
    pub version: u8,
    /// The subject alternative names that are hosts or addresses.
    pub names: Vec<String>,
    /// The common name of the subject.
    pub common_name: Option<String>,
    /// The start and the end of its validity.
    pub validity: (Timestamp, Timestamp),
    /// The public key with its algorithm: the whole `SubjectPublicKeyInfo`.
    pub public_key: &'c [u8],
}

/// A point in time of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    seconds: i64,
    year: i64,
    month: i64,
    day: i64,
}

mod tag {
    pub(super) const INTEGER: u8 = 0x02;
    pub(super) const OCTETS: u8 = 0x04;
    pub(super) const OID: u8 = 0x06;
    pub(super) const UTC_TIME: u8 = 0x17;
    pub(super) const GENERALIZED_TIME: u8 = 0x18;
    pub(super) const SEQUENCE: u8 = 0x30;
    pub(super) const SET: u8 = 0x31;
    pub(super) const VERSION: u8 = 0xa0;
    pub(super) const EXTENSIONS: u8 = 0xa3;
    pub(super) const DNS_NAME: u8 = 0x82;
    pub(super) const ADDRESS: u8 = 0x87;
    /// UTF-8, printable, T61 and IA5 strings.
    pub(super) const STRINGS: [u8; 4] = [0x0c, 0x13, 0x14, 0x16];
}

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// The unread rest of a DER value.
#[derive(Clone, Copy)]
struct DerReader<'d>(&'d [u8]);

impl<'d> DerReader<'d> {
    /// Reads the next element: its tag, its contents, and all of its bytes.
    fn element(&mut self) -> Option<(u8, DerReader<'d>, &'d [u8])> {
        let (tag, length, head) = match *self.0 {
            [tag, length @ ..=0x7f, ..] => (tag, usize::from(length), 2),
            [tag, 0x81, length, ..] => (tag, usize::from(length), 3),
            [tag, 0x82, high, low, ..] => (tag, usize::from(u16::from_be_bytes([high, low])), 4),
            [tag, 0x83, high, middle, low, ..] => (
                tag,
                usize::try_from(u32::from_be_bytes([0, high, middle, low])).ok()?,
                5,
            ),
            _ => return None,
        };
        let (whole, rest) = self.0.split_at_checked(head + length)?;
        self.0 = rest;
        Some((tag, DerReader(whole.get(head..)?), whole))
    }

    fn expect(&mut self, expected: u8) -> Option<DerReader<'d>> {
        self.element()
            .filter(|(tag, ..)| *tag == expected)
            .map(|(_, contents, _)| contents)
    }

    /// Reads the next element if it has that tag; otherwise reads nothing.
    fn optional(&mut self, expected: u8) -> Option<DerReader<'d>> {
        let before = *self;
        let found = self.expect(expected);
        if found.is_none() {
            *self = before;
        }
        found
    }
}

impl<'c> Certificate<'c> {
    /// Parses a certificate; `None` if it is malformed.
    pub fn parse(der: &'c [u8]) -> Option<Certificate<'c>> {
        let mut to_be_signed = DerReader(der)
            .expect(tag::SEQUENCE)?
            .expect(tag::SEQUENCE)?;
        let version = match to_be_signed.optional(tag::VERSION) {
            Some(mut version) => version.expect(tag::INTEGER)?.0.last()? + 1,
            None => 1,
        };
        to_be_signed.expect(tag::INTEGER)?;
        to_be_signed.expect(tag::SEQUENCE)?;
        to_be_signed.expect(tag::SEQUENCE)?;
        let mut validity = to_be_signed.expect(tag::SEQUENCE)?;
        let validity = (
            Timestamp::read(&mut validity)?,
            Timestamp::read(&mut validity)?,
        );
        let common_name = common_name(to_be_signed.expect(tag::SEQUENCE)?);
        let (_, _, public_key) = to_be_signed.element()?;
        let mut names = Vec::new();
        while let Some((found, mut contents, _)) = to_be_signed.element() {
            if found == tag::EXTENSIONS {
                names = alternative_names(contents.expect(tag::SEQUENCE)?);
            }
        }
        Some(Certificate {
            version,
            names,
            common_name,
            validity,
            public_key,
        })
    }

    /// The names that hosts are compared with: the alternative names, or the common name if there
    /// are none.
    pub fn hosts(&self) -> Vec<&str> {
        if self.names.is_empty() {
            self.common_name.iter().map(String::as_str).collect()
        } else {
            self.names.iter().map(String::as_str).collect()
        }
    }

    /// Whether the certificate is for this host. A `*` matches the first label.
    pub fn is_for(&self, host: &str) -> bool {
        self.hosts().into_iter().any(|name| is_match(name, host))
    }

    /// Why the certificate is not valid now: `expired on 2024-05-01`.
    pub fn invalid_now(&self) -> Option<String> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|now| i64::try_from(now.as_secs()).ok())?;
        let (from, until) = &self.validity;
        if now < from.seconds {
            return Some(format!("is not valid before {from}"));
        }
        (now > until.seconds).then(|| format!("expired on {until}"))
    }
}

fn is_match(name: &str, host: &str) -> bool {
    if let (Ok(name), Ok(host)) = (name.parse::<IpAddr>(), host.parse::<IpAddr>()) {
        return name == host;
    }
    if name.eq_ignore_ascii_case(host) {
        return true;
    }
    match (name.split_once('.'), host.split_once('.')) {
        (Some(("*", parent)), Some((label, rest))) => {
            !label.is_empty() && parent.contains('.') && parent.eq_ignore_ascii_case(rest)
        }
        _ => false,
    }
}

/// The first common name of a subject.
fn common_name(mut subject: DerReader<'_>) -> Option<String> {
    while let Some(mut set) = subject.expect(tag::SET) {
        while let Some(mut attribute) = set.expect(tag::SEQUENCE) {
            let is_common_name = attribute.expect(tag::OID)?.0 == COMMON_NAME;
            let (kind, value, _) = attribute.element()?;
            if is_common_name && tag::STRINGS.contains(&kind) {
                // A name with a NUL is ignored, since it may look like another one.
                return std::str::from_utf8(value.0)
                    .ok()
                    .filter(|name| !name.contains('\0'))
                    .map(str::to_owned);
            }
        }
    }
    None
}

fn alternative_names(mut extensions: DerReader<'_>) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(mut extension) = extensions.expect(tag::SEQUENCE) {
        let is_wanted = extension
            .expect(tag::OID)
            .is_some_and(|oid| oid.0 == ALTERNATIVE_NAMES);
        while let Some((kind, mut contents, _)) = extension.element() {
            let Some(mut names) = contents
                .expect(tag::SEQUENCE)
                .filter(|_| is_wanted && kind == tag::OCTETS)
            else {
                continue;
            };
            while let Some((kind, name, _)) = names.element() {
                found.extend(match kind {
                    tag::DNS_NAME => std::str::from_utf8(name.0).ok().map(str::to_owned),
                    tag::ADDRESS => address(name.0).map(|address| address.to_string()),
                    _ => None,
                });
            }
        }
    }
    found
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
        _ => None,
    }
}

impl Timestamp {
    /// In seconds of Unix time.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Reads a time: `240501120000Z`, or with four digits for the year.
    fn read(reader: &mut DerReader<'_>) -> Option<Timestamp> {
        let (kind, contents, _) = reader.element()?;
        let text = std::str::from_utf8(contents.0).ok()?;
        let (year, rest) = match kind {
            tag::UTC_TIME => {
                let year: i64 = text.get(..2)?.parse().ok()?;
                (
                    if year < 50 { 2000 + year } else { 1900 + year },
                    text.get(2..)?,
                )
            }
            tag::GENERALIZED_TIME => (text.get(..4)?.parse().ok()?, text.get(4..)?),
            _ => return None,
        };
        let part = |from: usize| -> Option<i64> { rest.get(from..from + 2)?.parse().ok() };
        let month = part(0)?;
        let day = part(2)?;
        let seconds = days(year, month, day) * 86_400 + part(4)? * 3600 + part(6)? * 60 + part(8)?;
        Some(Timestamp {
            seconds,
            year,
            month,
            day,
        })
    }
}

/// Days from 1970-01-01 to that date.
/// <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{:04}-{:02}-{:02}",
            self.year, self.month, self.day
        )
    }
}

/// The certificate's hash for the channel binding `tls-server-end-point`, by the hash function of
/// its signature; `None` if the signature has no separate one (Ed25519).
/// <https://www.rfc-editor.org/rfc/rfc5929#section-4.1>
pub(super) fn channel_binding_hash(der: &[u8]) -> Option<Vec<u8>> {
    let mut certificate = DerReader(der).expect(tag::SEQUENCE)?;
    certificate.expect(tag::SEQUENCE)?;
    let mut algorithm = certificate.expect(tag::SEQUENCE)?;
    let oid = algorithm.expect(tag::OID)?.0;
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
    let hash = match (oid.strip_prefix(RSA), oid.strip_prefix(ECDSA)) {
        // MD5 and SHA-1 are replaced by SHA-256.
        (Some([4 | 5 | 11]), _) | (_, Some([1] | [3, 2])) => Hash::Sha256,
        (Some([12]), _) | (_, Some([3, 3])) => Hash::Sha384,
        (Some([13]), _) | (_, Some([3, 4])) => Hash::Sha512,
        (Some([14]), _) | (_, Some([3, 1])) => Hash::Sha224,
        (Some([10]), _) => hash_of_pss(algorithm.expect(tag::SEQUENCE)?)?,
        _ => return None,
    };
    Some(match hash {
        Hash::Sha224 => Sha224::digest(der).to_vec(),
        Hash::Sha256 => Sha256::digest(der).to_vec(),
        Hash::Sha384 => Sha384::digest(der).to_vec(),
        Hash::Sha512 => Sha512::digest(der).to_vec(),
    })
}

enum Hash {
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// The hash in the parameters of RSASSA-PSS. The default is SHA-1, which SHA-256 replaces.
fn hash_of_pss(mut parameters: DerReader<'_>) -> Option<Hash> {
    const SHA2: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];
    let Some(mut tagged) = parameters.optional(0xa0) else {
        return Some(Hash::Sha256);
    };
    match tagged
        .expect(tag::SEQUENCE)?
        .expect(tag::OID)?
        .0
        .strip_prefix(SHA2)?
    {
        [1] => Some(Hash::Sha256),
        [2] => Some(Hash::Sha384),
        [3] => Some(Hash::Sha512),
        [4] => Some(Hash::Sha224),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{
        CertificateParams, DnType, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384,
        PKCS_ED25519,
    };

    use super::*;

    fn certificate(names: &[&str], common_name: &str) -> rcgen::Certificate {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params
            .distinguished_name
            .push(DnType::CommonName, common_name);
        params.not_before = rcgen::date_time_ymd(2001, 2, 3);
        params.not_after = rcgen::date_time_ymd(2051, 12, 31);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap()
    }

    #[test]
    fn names_and_validity_are_read() {
        let made = certificate(&["db.example", "10.0.0.1"], "common");
        let read = Certificate::parse(made.der()).unwrap();
        assert_eq!(
            (read.version, read.hosts()),
            (3, vec!["db.example", "10.0.0.1"])
        );
        assert_eq!(read.common_name.as_deref(), Some("common"));
        assert_eq!(
            (read.validity.0.to_string(), read.validity.1.to_string()),
            ("2001-02-03".into(), "2051-12-31".into())
        );
        assert_eq!(read.validity.0.seconds, 981_158_400);
        assert_eq!(read.invalid_now(), None);
        assert!(read.is_for("DB.example") && read.is_for("10.0.0.1") && !read.is_for("common"));
        let bare = certificate(&[], "*.example.com");
        let read = Certificate::parse(bare.der()).unwrap();
        assert!(
            read.is_for("a.example.com")
                && !read.is_for("a.b.example.com")
                && !read.is_for("example.com")
        );
        assert!(
            !is_match("*.com", "example.com") && !is_match("*", "a") && !is_match("*.a.b", ".a.b")
        );
    }

    #[test]
    fn malformed_certificates_do_not_panic() {
        let made = certificate(&["a.example"], "c");
        for length in 0..made.der().len() {
            drop(Certificate::parse(&made.der()[..length]));
            drop(channel_binding_hash(&made.der()[..length]));
            let mut broken = made.der().to_vec();
            broken[length] ^= 0x85;
            drop(Certificate::parse(&broken));
            drop(channel_binding_hash(&broken));
        }
    }

    #[test]
    fn end_point_uses_the_hash_of_the_signature() {
        let params = CertificateParams::new(vec!["a".into()]).unwrap();
        let length = |algorithm| {
            let made = params
                .self_signed(&KeyPair::generate_for(algorithm).unwrap())
                .unwrap();
            channel_binding_hash(made.der()).map(|hash| hash.len())
        };
        assert_eq!(length(&PKCS_ECDSA_P256_SHA256), Some(32));
        assert_eq!(length(&PKCS_ECDSA_P384_SHA384), Some(48));
        assert_eq!(length(&PKCS_ED25519), None);
    }
}
