//! The syntax of connection strings: a URI (`postgres://user:password@host:5432/name?key=value`) or
//! libpq's keywords (`host=… dbname=…`). The result is a list of parameters; [`super`] checks which
//! of them exist. <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>
//!
//! No error repeats any text of the string, because any of it may be part of a password that was
//! not quoted.

use percent_encoding::percent_decode_str;

use super::error::ConninfoError;

/// A parameter of a connection string.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) key: String,
    pub(super) value: String,
}

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Parses a connection string. If a parameter occurs twice, the last one wins.
pub(super) fn parse(text: &str) -> Result<Vec<Parameter>, ConninfoError> {
    match SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)) {
        Some(rest) => parse_uri(rest),
        None => {
            let before_equals = text.split('=').next().unwrap_or_default();
            if ["http://", "https://"]
                .iter()
                .any(|scheme| text.starts_with(scheme))
            {
                Err(ConninfoError::Web)
            } else if before_equals.contains("://") {
                Err(ConninfoError::Form)
            } else {
                parse_keywords(text)
            }
        }
    }
}

fn parameter(key: &str, value: impl Into<String>) -> Parameter {
    Parameter {
        key: key.to_owned(),
        value: value.into(),
    }
}

fn parse_uri(text: &str) -> Result<Vec<Parameter>, ConninfoError> {
    let mut parameters = Vec::new();
    let rest = match text.split_once('@') {
        None => text,
        // An `@` after a `/` may be part of a password with a `/`; the text before the `/` would be
        // taken for a host.
        Some((credentials, rest)) if credentials.contains('/') || rest.contains('@') => {
            return Err(ConninfoError::At);
        }
        Some((credentials, rest)) => {
            let (user, password) = match credentials.split_once(':') {
                Some((user, password)) => (user, Some(password)),
                None => (credentials, None),
            };
            parameters.push(parameter("user", decode(user)?));
            if let Some(password) = password {
                parameters.push(parameter("password", decode(password)?));
            }
            rest
        }
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (hosts, name) = rest.split_once('/').unwrap_or((rest, ""));
    parse_hosts(hosts, &mut parameters)?;
    if !name.is_empty() {
        parameters.push(parameter("dbname", decode(name)?));
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or(ConninfoError::Query)?;
        let key = decode(key)?;
        let value = decode(value)?;
        parameters.push(match (key.as_str(), value.as_str()) {
            // JDBC's spelling, which libpq also accepts.
            ("ssl", "true" | "1" | "require") => parameter("sslmode", "require"),
            _ => Parameter { key, value },
        });
    }
    Ok(parameters)
}

/// Splits `a:5432,b,[::1]:5433` into two lists in the format of `host=` and `port=`.
fn parse_hosts(text: &str, parameters: &mut Vec<Parameter>) -> Result<(), ConninfoError> {
    if text.is_empty() {
        return Ok(());
    }
    let mut hosts = Vec::new();
    let mut ports = Vec::new();
    for entry in text.split(',') {
        let (host, port) = match entry.strip_prefix('[') {
            Some(address) => {
                let (host, rest) = address.split_once(']').ok_or(ConninfoError::Host)?;
                match rest.strip_prefix(':') {
                    Some(port) => (host, port),
                    None if rest.is_empty() => (host, ""),
                    None => return Err(ConninfoError::Host),
                }
            }
            None => entry.split_once(':').unwrap_or((entry, "")),
        };
        hosts.push(decode(host)?);
        ports.push(decode(port)?);
    }
    if hosts.iter().any(|host| !host.is_empty()) {
        parameters.push(parameter("host", hosts.join(",")));
    }
    if ports.iter().any(|port| !port.is_empty()) {
        parameters.push(parameter("port", ports.join(",")));
    }
    Ok(())
}

/// Decodes percent-encoding strictly: a lone `%` may belong to a password that was not encoded.
fn decode(text: &str) -> Result<String, ConninfoError> {
    let bytes = text.as_bytes();
    let is_hexadecimal = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_hexdigit);
    let is_whole = |(position, byte): (usize, &u8)| {
        *byte != b'%' || is_hexadecimal(position + 1) && is_hexadecimal(position + 2)
    };
    if !bytes.iter().enumerate().all(is_whole) {
        return Err(ConninfoError::Percent);
    }
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| ConninfoError::Percent)?;
    if decoded.contains('\0') {
        Err(ConninfoError::Percent)
    } else {
        Ok(decoded.into_owned())
    }
}

fn parse_keywords(text: &str) -> Result<Vec<Parameter>, ConninfoError> {
    let mut parameters = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest
            .split_once('=')
            .ok_or(ConninfoError::for_keywords(!parameters.is_empty()))?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(ConninfoError::for_keywords(!parameters.is_empty()));
        }
        let (value, after) = keyword_value(after.trim_start())?;
        parameters.push(Parameter {
            key: key.to_owned(),
            value,
        });
        rest = after.trim_start();
    }
    Ok(parameters)
}

/// A value and the text after it: `'in quotes, \' and \\'`, or up to the next space.
fn keyword_value(text: &str) -> Result<(String, &str), ConninfoError> {
    let (text, is_quoted) = text
        .strip_prefix('\'')
        .map_or((text, false), |quoted| (quoted, true));
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            '\'' if is_quoted => {
                let after = text.get(index + 1..).unwrap_or_default();
                return if after.is_empty() || after.starts_with(char::is_whitespace) {
                    Ok((value, after))
                } else {
                    Err(ConninfoError::Keywords)
                };
            }
            space if space.is_whitespace() && !is_quoted => {
                return Ok((value, text.get(index..).unwrap_or_default()));
            }
            other => value.push(other),
        }
    }
    if is_quoted {
        Err(ConninfoError::Keywords)
    } else {
        Ok((value, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let parameters = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        parameters
            .into_iter()
            .map(|parameter| (parameter.key, parameter.value))
            .collect()
    }

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn uris_are_read_as_libpq_reads_them() {
        let cases: [(&str, &[(&str, &str)]); 9] = [
            (
                "postgres://u:p@h:6000/d?sslmode=require",
                &[
                    ("user", "u"),
                    ("password", "p"),
                    ("host", "h"),
                    ("port", "6000"),
                    ("dbname", "d"),
                    ("sslmode", "require"),
                ],
            ),
            ("postgresql://", &[]),
            (
                "postgres:///d?host=/run/pg",
                &[("dbname", "d"), ("host", "/run/pg")],
            ),
            (
                "postgres://%2Frun%2Fpg/d",
                &[("host", "/run/pg"), ("dbname", "d")],
            ),
            (
                "postgres://[::1]:6000,b",
                &[("host", "::1,b"), ("port", "6000,")],
            ),
            (
                "postgres://u@h?ssl=true",
                &[("user", "u"), ("host", "h"), ("sslmode", "require")],
            ),
            (
                "postgres://h/d?options=-c a=b",
                &[("host", "h"), ("dbname", "d"), ("options", "-c a=b")],
            ),
            (
                "postgres://u:a:b?c#d e@h",
                &[("user", "u"), ("password", "a:b?c#d e"), ("host", "h")],
            ),
            (
                "postgres://u:%40%3a%2F%25@h",
                &[("user", "u"), ("password", "@:/%"), ("host", "h")],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(pairs(text), owned(expected), "{text}");
        }
    }

    #[test]
    fn keywords_are_read_as_libpq_reads_them() {
        let text = r"host = h  password='a \' b\\' dbname=d\ e user=''";
        let expected = [
            ("host", "h"),
            ("password", r"a ' b\"),
            ("dbname", "d e"),
            ("user", ""),
        ];
        assert_eq!(pairs(text), owned(&expected));
        for wrong in [
            "host=h user",
            "host=h password='a",
            "host=h password='a'b",
            "=x",
            "host h=x",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unencoded_passwords_are_rejected_and_never_repeated() {
        let wrong = [
            "postgres://u:hid@den@h/d",
            "postgres://u:hid/den@h/d",
            "postgres://u:hid/d?en=@h/d",
            "postgres://u:hid%den@h/d",
            "postgres://u:hidden%@h/d",
            "postgres://u:hidden%2@h/d",
            "postgres://u:hidden%00@h/d",
            "postgres://u:hidden%FF@h/d",
            "mysql://u:hidden@h/d",
            "jdbc:postgresql://u:hidden@h/d?a=b",
            "Postgres://u:hidden@h/d",
            "hidden",
            "password=hid den",
            "password='hidden",
        ];
        for text in wrong {
            let error = parse(text)
                .err()
                .unwrap_or_else(|| panic!("{text} is read"))
                .to_string();
            assert!(
                !error.contains("hid") && !error.contains("den"),
                "{text}: {error}"
            );
        }
    }
}
