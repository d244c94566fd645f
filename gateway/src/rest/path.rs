//! Path patterns of the map: fixed segments, and parameters that match one segment each
//! (`things/:id`).

use std::cmp::Ordering;
use std::fmt;

use crate::request::percent_decode;

/// A path of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Fixed(String),
    Parameter(String),
}

/// Splits a path as a client sends it into segments and percent-decodes each once, so that an
/// encoded slash does not separate segments. `None` if the path is not percent-encoded UTF-8.
pub(super) fn segments(path: &str) -> Option<Vec<String>> {
    path.split('/')
        .map(|segment| percent_decode(segment).ok())
        .collect()
}

impl Pattern {
    /// Parses a path of the map. The error says what is wrong with it.
    pub(super) fn read(text: &str) -> Result<Pattern, &'static str> {
        if text.starts_with('/') {
            return Err("it begins below `/api/rest/`, so without a slash");
        }
        let segments = text
            .split('/')
            .map(|segment| match segment.strip_prefix(':') {
                Some(name) if sql::model::names::is_graphql(name) => {
                    Ok(Segment::Parameter(name.to_owned()))
                }
                Some(_) => Err("the name behind a colon has to be that of a variable"),
                None if matches!(segment, "" | "." | "..") => {
                    Err("each of its segments has to have a name")
                }
                None if segment.contains(['?', '#', '%', '\\'])
                    || segment.chars().any(char::is_control) =>
                {
                    Err("it is written as it is, without `?`, `#`, `%` and backslashes")
                }
                None => Ok(Segment::Fixed(segment.to_owned())),
            });
        let pattern = Pattern(segments.collect::<Result<_, _>>()?);
        let mut names = pattern.names();
        if names.any(|name| pattern.names().filter(|other| *other == name).count() > 1) {
            Err("it has a parameter twice")
        } else {
            Ok(pattern.clone())
        }
    }

    /// The path itself, if it has no parameters.
    pub(super) fn fixed(&self) -> Option<String> {
        self.names().next().is_none().then(|| self.to_string())
    }

    /// The names of its parameters, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|segment| match segment {
            Segment::Parameter(name) => Some(name.as_str()),
            Segment::Fixed(_) => None,
        })
    }

    /// Whether both patterns match the same paths.
    pub(super) fn is_alike(&self, other: &Pattern) -> bool {
        self.0.len() == other.0.len()
            && self
                .0
                .iter()
                .zip(&other.0)
                .all(|(one, other)| one.plain() == other.plain())
    }

    /// Orders patterns that match a path: the one whose first difference is a fixed segment comes
    /// first.
    pub(super) fn cmp_specific(&self, other: &Pattern) -> Ordering {
        let kinds = |pattern: &Pattern| -> Vec<bool> {
            pattern.0.iter().map(|s| s.plain().is_none()).collect()
        };
        kinds(self).cmp(&kinds(other))
    }

    /// The values of the parameters, if the pattern matches. A parameter matches at least one
    /// character.
    pub(super) fn values(&self, segments: &[String]) -> Option<Vec<String>> {
        if self.0.len() != segments.len() {
            return None;
        }
        let mut values = vec![];
        for (segment, actual) in self.0.iter().zip(segments) {
            match segment {
                Segment::Fixed(text) if text == actual => {}
                Segment::Parameter(_) if !actual.is_empty() => values.push(actual.clone()),
                _ => return None,
            }
        }
        Some(values)
    }
}

impl Segment {
    /// The text of a fixed segment; `None` for a parameter.
    fn plain(&self) -> Option<&str> {
        match self {
            Segment::Fixed(text) => Some(text),
            Segment::Parameter(_) => None,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            let slash = if index > 0 { "/" } else { "" };
            match segment {
                Segment::Fixed(text) => write!(f, "{slash}{text}")?,
                Segment::Parameter(name) => write!(f, "{slash}:{name}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, path: &str) -> Option<Vec<String>> {
        Pattern::read(pattern).unwrap().values(&segments(path)?)
    }

    #[test]
    fn parameter_matches_one_segment_and_is_decoded_once() {
        assert_eq!(values("things/:id", "things/7"), Some(vec!["7".into()]));
        assert_eq!(
            values("things/:id", "things/a%2Fb%2520+"),
            Some(vec!["a/b%20+".into()])
        );
        for path in [
            "things/",
            "things",
            "things/7/8",
            "Things/7",
            "things/%ff",
            "things/%zz",
        ] {
            assert_eq!(values("things/:id", path), None, "{path}");
        }
    }

    #[test]
    fn invalid_paths_are_refused() {
        for text in [
            "", "/a", "a//b", "a/", "..", "a/%20", "a?b", ":", ":1", "a/:x/:x", "a\nb",
        ] {
            assert!(Pattern::read(text).is_err(), "{text:?}");
        }
        assert_eq!(Pattern::read("a/:b/c").unwrap().to_string(), "a/:b/c");
    }

    #[test]
    fn fixed_segment_precedes_parameter() {
        let read = |text| Pattern::read(text).unwrap();
        assert_eq!(read("a/:x").cmp_specific(&read(":y/b")), Ordering::Less);
        assert!(read("a/:x").is_alike(&read("a/:y")));
        assert!(!read("a/:x").is_alike(&read("a/b")));
    }
}
