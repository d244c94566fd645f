//! Suggests names for misspelt ones.

/// ``did you mean `x`?``, if one of the names is similar enough.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    closest(name, known).map(|close| format!("did you mean `{close}`?"))
}

/// The most similar name, if one is similar enough, measured by the length of the name. Letter case
/// and underscores do not count.
pub fn closest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distance = |known: &str| distance(name, known);
    let bound = (1 + name.chars().count() / 4).min(name.chars().count().saturating_sub(1));
    let near = known.into_iter().map(|known| (distance(known), known));
    near.filter(|(distance, _)| *distance <= bound)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Whether a name is probably meant for another one: at most one letter in four differs. It decides
/// about more than a hint, so it is stricter than [`closest`].
pub fn is_typo(name: &str, known: &str) -> bool {
    let length = |name: &str| folded(name).chars().count();
    distance(name, known) * 4 <= length(name).min(length(known))
}

fn distance(one: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(&folded(one), &folded(other))
}

fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// The names as a list for a help text: `a`, `b`, `c`.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_measured_by_the_length_of_the_name() {
        let known = [
            "dev",
            "listen",
            "pooler",
            "redis_url",
            "admin_secret",
            "watch",
        ];
        let near = |name: &str| closest(name, known);
        for name in [
            "zzz", "env", "tag", "url", "role", "data", "user", "test", "x", "",
        ] {
            assert_eq!(near(name), None, "{name}");
        }
        let cases = [
            ("dve", "dev"),
            ("lisen", "listen"),
            ("ADMIN_SECRTE", "admin_secret"),
            ("redisurl", "redis_url"),
        ];
        for (name, expected) in cases {
            assert_eq!(near(name), Some(expected), "{name}");
        }
        assert!(is_typo("admin_secrte", "admin_secret") && is_typo("LISTNE", "listen"));
        for (name, other) in [
            ("env", "dev"),
            ("deb", "dev"),
            ("pool", "pooler"),
            ("list", "listen"),
            ("redis_port", "redis_url"),
        ] {
            assert!(!is_typo(name, other), "{name}");
        }
    }
}
