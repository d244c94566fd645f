//! Reads the methods of verification of one service: `hmac`, `stripe`, `github`, `standard`, `jwe`
//! and `legacy`, each a table of its own in the service's table.

use biscuit::jwa::{ContentEncryptionAlgorithm, KeyManagementAlgorithm};
use http::header::HeaderName;
use permissions::{SpannedValue, Text, TomlValue};
use toml::de::DeValue;

use super::fault::Fault;
use super::hmac_signature::{Encoding, HmacSignature};
use super::jwe_token::{self, JweToken};
use super::legacy_key::{self, KeyDigests, LegacyKey};
use super::secret::{self, Environment, Fields, Reader};
use super::secret_method::SecretMethod;
use super::sender_query::SenderQuery;
use super::signing_keys::{Hash, SigningKeys};
use super::standard_signature::{self, StandardSignature};
use super::stripe_signature::StripeSignature;
use super::verification::Method;

/// The default tolerance of times in seconds, as in the libraries of Stripe and Standard Webhooks.
const DEFAULT_TOLERANCE_SECONDS: u64 = 300;

/// The longest tolerance: one day.
const MAX_TOLERANCE: u64 = 86_400;

/// Reads the methods of a service.
pub(super) struct MethodReader<'a> {
    /// The name of the service.
    pub(super) service: &'a str,
    /// Returns environment variables.
    pub(super) variable: Environment<'a>,
    /// The queries of senders, as written, of the methods that were read.
    pub(super) sender_queries: Vec<WrittenQuery>,
}

/// A query with the DID of a sender as `$1`, as written.
#[derive(Debug)]
pub(super) struct WrittenQuery {
    pub(super) query: Text,
    /// What its column has.
    pub(super) column: &'static str,
}

/// The secrets of a method: those of the settings, or none and a query that finds them.
type Secrets<K> = (Vec<K>, Option<SenderQuery>);

impl MethodReader<'_> {
    /// The methods without faults. The others are reported.
    pub(super) fn read(&mut self, fields: &mut Fields<'_, '_>) -> Vec<Method> {
        let methods = [
            fields.read("hmac", |reader, key, value| self.hmac(reader, key, value)),
            fields.read("stripe", |reader, key, value| {
                self.stripe(reader, key, value)
            }),
            fields.read("github", |reader, key, value| {
                self.github(reader, key, value)
            }),
            fields.read("standard", |reader, key, value| {
                self.standard(reader, key, value)
            }),
            fields.read("jwe", |reader, key, value| self.jwe(reader, key, value)),
            fields.read("legacy", |reader, key, value| {
                self.legacy(reader, key, value)
            }),
        ];
        methods.into_iter().flatten().collect()
    }

    fn hmac(&mut self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Method> {
        let mut fields =
            reader.table(key, "a table: `{ header = \"…\", secret = \"…\" }`", value)?;
        let header = fields.read("header", header_name);
        let has_header = fields.contains("header");
        let prefix = fields
            .text("prefix")
            .map(|text| text.value)
            .unwrap_or_default();
        let hash = fields.read("algorithm", |reader, key, value| {
            word(
                reader,
                key,
                value,
                &Hash::NAMES,
                "`sha256`, `sha1` or `sha512`",
            )
        });
        let encoding = fields.read("encoding", |reader, key, value| {
            word(reader, key, value, &Encoding::NAMES, "`base64` or `hex`")
        });
        let secrets = self.secrets(&mut fields, "hmac", key, as_text);
        fields.finish("`hmac`");
        if !has_header {
            let within = "`hmac`".to_owned();
            reader.add_with(
                Fault::Missing {
                    key: "header",
                    within,
                },
                key.span.clone(),
                "such as `header = \"X-Shopify-Hmac-Sha256\"`",
            );
        }
        let (keys, query) = secrets?;
        let signature = HmacSignature {
            header: header?,
            prefix,
            hash: hash.unwrap_or(Hash::Sha256),
            encoding: encoding.unwrap_or(Encoding::Base64),
            keys: SigningKeys(keys),
        };
        Some(method(SecretMethod::Hmac(signature), query))
    }

    fn stripe(&mut self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Method> {
        let mut fields = reader.table(key, "a table: `{ secret = \"whsec_…\" }`", value)?;
        let header = fields
            .read("header", header_name)
            .unwrap_or(HeaderName::from_static("stripe-signature"));
        let tolerance = fields
            .read("tolerance", tolerance)
            .unwrap_or(DEFAULT_TOLERANCE_SECONDS);
        let secrets = self.secrets(&mut fields, "stripe", key, as_text);
        fields.finish("`stripe`");
        let (keys, query) = secrets?;
        let signature = StripeSignature {
            header,
            keys: SigningKeys(keys),
            tolerance,
        };
        Some(method(SecretMethod::Stripe(signature), query))
    }

    fn github(&mut self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Method> {
        let mut fields = reader.table(key, "a table: `{ secret = \"…\" }`", value)?;
        let secrets = self.secrets(&mut fields, "github", key, as_text);
        fields.finish("`github`");
        let (keys, query) = secrets?;
        let signature = HmacSignature {
            header: HeaderName::from_static("x-hub-signature-256"),
            prefix: "sha256=".to_owned(),
            hash: Hash::Sha256,
            encoding: Encoding::Hex,
            keys: SigningKeys(keys),
        };
        Some(method(SecretMethod::Github(signature), query))
    }

    fn standard(
        &mut self,
        reader: &mut Reader,
        key: &Text,
        value: &TomlValue<'_>,
    ) -> Option<Method> {
        let mut fields = reader.table(key, "a table: `{ secret = \"whsec_…\" }`", value)?;
        let prefix = fields.read("header_prefix", header_prefix);
        let tolerance = fields
            .read("tolerance", tolerance)
            .unwrap_or(DEFAULT_TOLERANCE_SECONDS);
        let expected = "`whsec_` and base64, or base64 alone";
        let secrets = self.secrets(&mut fields, "standard", key, |reader, text| {
            match standard_signature::secret(&text.value) {
                Some(bytes) => secret::strong(reader, bytes, text.span),
                None => {
                    reader.add(Fault::SecretFormat { expected }, text.span);
                    None
                }
            }
        });
        fields.finish("`standard`");
        let (keys, query) = secrets?;
        let [id, timestamp, signature] = prefix.unwrap_or_else(|| standard_headers("webhook-"))?;
        let signature = StandardSignature {
            id,
            timestamp,
            signature,
            keys: SigningKeys(keys),
            tolerance,
        };
        Some(method(SecretMethod::Standard(signature), query))
    }

    fn jwe(&mut self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Method> {
        let mut fields = reader.table(key, "a table: `{ secret = \"…\" }`", value)?;
        let parameter = fields
            .text("parameter")
            .map_or_else(|| "token".to_owned(), |text| text.value);
        let management = fields
            .read("algorithm", |reader, key, value| {
                word(reader, key, value, &jwe_token::MANAGEMENT, "`dir`")
            })
            .unwrap_or(KeyManagementAlgorithm::DirectSymmetricKey);
        let encryption = fields
            .read("encryption", |reader, key, value| {
                word(
                    reader,
                    key,
                    value,
                    &jwe_token::ENCRYPTION,
                    "`A256GCM` or `A128GCM`",
                )
            })
            .unwrap_or(ContentEncryptionAlgorithm::A256GCM);
        let controllers = fields
            .list("controllers")
            .into_iter()
            .map(|text| text.value)
            .collect();
        let length = jwe_token::key_length(encryption);
        let secrets = self.secrets(&mut fields, "jwe", key, |reader, text| {
            let key = jwe_token::key(length, &text.value);
            if key.is_none() {
                let (expected, help) = match length {
                    16 => ("16 bytes in base64", "`openssl rand -base64 16` makes one"),
                    _ => ("32 bytes in base64", "`openssl rand -base64 32` makes one"),
                };
                reader.add_with(Fault::SecretFormat { expected }, text.span, help);
            }
            key
        });
        fields.finish("`jwe`");
        let (keys, query) = secrets?;
        let token = JweToken {
            parameter,
            management,
            encryption,
            keys,
            service: self.service.to_owned(),
            controllers,
        };
        Some(method(SecretMethod::Jwe(token), query))
    }

    fn legacy(&mut self, reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<Method> {
        let mut fields = reader.table(
            key,
            "a table: `{ keys = { … } }` or `{ key_query = \"…\" }`",
            value,
        )?;
        let parameter = fields
            .text("parameter")
            .map_or_else(|| "svcKey".to_owned(), |text| text.value);
        let keys = fields.texts("keys");
        let query = fields.text("key_query");
        let has_keys = fields.contains("keys");
        fields.finish("`legacy`");
        let digests = match (query, has_keys) {
            (Some(_), true) => {
                reader.add(
                    Fault::Together {
                        one: "keys",
                        other: "key_query",
                    },
                    key.span.clone(),
                );
                return None;
            }
            (Some(query), false) => {
                let column = "one column: SHA-256 digests of keys, as `bytea` or hexadecimal text";
                KeyDigests::Query(self.sender_query(query, column))
            }
            (None, _) if keys.is_empty() => {
                let help =
                    "`keys` has the SHA-256 digests of keys by DID, or `key_query` finds them";
                reader.add_with(Fault::NoSecret { method: "legacy" }, key.span.clone(), help);
                return None;
            }
            (None, _) => KeyDigests::Declared(self.digests(reader, keys)?),
        };
        Some(Method::Legacy(LegacyKey { parameter, digests }))
    }

    fn digests(
        &self,
        reader: &mut Reader,
        keys: Vec<(Text, Text)>,
    ) -> Option<Vec<(String, [u8; 32])>> {
        let mut digests = vec![];
        for (did, text) in keys {
            let text = secret::resolve(reader, text, self.variable)?;
            match legacy_key::digest(&text.value) {
                Some(digest) => digests.push((did.value, digest)),
                None => {
                    let help = "`printf %s \"$KEY\" | sha256sum` computes it";
                    reader.add_with(Fault::Digest { did: did.value }, text.span, help);
                }
            }
        }
        Some(digests)
    }

    /// The secrets of a method, each read as a key, or the query that finds those of a sender.
    fn secrets<K>(
        &mut self,
        fields: &mut Fields<'_, '_>,
        method: &'static str,
        key: &Text,
        read: impl Fn(&mut Reader, Text) -> Option<K>,
    ) -> Option<Secrets<K>> {
        if let Some(query) = fields.text("secret_query") {
            if secret::KEYS.iter().any(|key| fields.contains(key)) {
                secret::read(fields, method, key, self.variable);
                let [one, other] = ["secret", "secret_query"];
                let fault = Fault::Together { one, other };
                fields.reader().add(fault, key.span.clone());
                return None;
            }
            let column = "one column: secrets, as text";
            return Some((vec![], Some(self.sender_query(query, column))));
        }
        let secrets = secret::read(fields, method, key, self.variable)?;
        let reader = fields.reader();
        // Every secret is judged before the first weak one ends the method.
        let keys: Vec<Option<K>> = secrets.into_iter().map(|text| read(reader, text)).collect();
        Some((keys.into_iter().collect::<Option<_>>()?, None))
    }

    fn sender_query(&mut self, query: Text, column: &'static str) -> SenderQuery {
        let found = SenderQuery::new(&query.value);
        self.sender_queries.push(WrittenQuery { query, column });
        found
    }
}

/// A secret whose text is the key, as it is.
fn as_text(reader: &mut Reader, text: Text) -> Option<Vec<u8>> {
    secret::strong(reader, text.value.into_bytes(), text.span)
}

fn method(method: SecretMethod, query: Option<SenderQuery>) -> Method {
    match query {
        Some(query) => Method::SenderSecret(query, method),
        None => Method::Secret(method),
    }
}

/// Reads the name of a header.
pub(super) fn header_name(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<HeaderName> {
    let text = reader.text(key, value)?;
    parse_header(reader, text)
}

/// The header of a name; another text is reported.
pub(super) fn parse_header(reader: &mut Reader, text: Text) -> Option<HeaderName> {
    match HeaderName::from_bytes(text.value.as_bytes()) {
        Ok(name) => Some(name),
        Err(_) => {
            reader.add(Fault::HeaderName { name: text.value }, text.span);
            None
        }
    }
}

/// The headers of Standard Webhooks with this prefix; `None` inside if they are not names of
/// headers.
fn standard_headers(prefix: &str) -> Option<[HeaderName; 3]> {
    let name = |name| HeaderName::from_bytes(format!("{prefix}{name}").as_bytes()).ok();
    Some([name("id")?, name("timestamp")?, name("signature")?])
}

fn header_prefix(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
) -> Option<Option<[HeaderName; 3]>> {
    let text = reader.text(key, value)?;
    let headers = standard_headers(&text.value);
    if headers.is_none() {
        reader.add_with(
            Fault::HeaderName { name: text.value },
            text.span,
            "such as `webhook-` or `svix-`",
        );
    }
    Some(headers)
}

fn tolerance(reader: &mut Reader, key: &Text, value: &TomlValue<'_>) -> Option<u64> {
    integer(
        reader,
        key,
        value,
        1,
        MAX_TOLERANCE,
        "a number of seconds from 1 to 86400",
    )
}

/// Reads a number within a range; `expected` says what it has to be.
pub(super) fn integer(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
    least: u64,
    most: u64,
    expected: &'static str,
) -> Option<u64> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    match number.filter(|number| (least..=most).contains(number)) {
        Some(number) => Some(number),
        None => reader.wrong_type(key, expected, value),
    }
}

/// A word of a table; `what` lists the words.
pub(super) fn word<T: Copy>(
    reader: &mut Reader,
    key: &Text,
    value: &TomlValue<'_>,
    words: &[(&'static str, T)],
    what: &'static str,
) -> Option<T> {
    let SpannedValue { value: text, span } = reader.text(key, value)?;
    let found = words
        .iter()
        .find(|(known, _)| *known == text)
        .map(|(_, word)| *word);
    if found.is_none() {
        reader.add(Fault::UnknownWord { word: text, what }, span);
    }
    found
}
