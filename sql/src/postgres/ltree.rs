//! Checks `lquery` and `ltxtquery` operands before they are sent: text that Postgres would
//! certainly reject is refused.
//!
//! Postgres makes the final decision, since the letters allowed in labels depend on the database.
//! <https://www.postgresql.org/docs/current/ltree.html>

/// A query type of the extension ltree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ltree {
    /// `lquery`
    Query,
    /// `ltxtquery`
    Search,
}

impl Ltree {
    /// Whether text may be a value of the type.
    pub fn admits(self, text: &str) -> bool {
        match self {
            Ltree::Query => text.split('.').all(is_level),
            Ltree::Search => is_search(text),
        }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

pub(crate) fn is_label(label: &str) -> bool {
    (1..=1000).contains(&label.chars().count()) && label.chars().all(is_letter)
}

/// `*`, `!a@|b*`, each optionally with `{2,3}`.
fn is_level(level: &str) -> bool {
    let (level, bound) = level
        .split_once('{')
        .map_or((level, None), |(level, bound)| (level, Some(bound)));
    if !bound.is_none_or(|bound| bound.strip_suffix('}').is_some_and(is_bound)) {
        return false;
    }
    let variants = level.strip_prefix('!').unwrap_or(level);
    level == "*"
        || variants
            .split('|')
            .all(|variant| is_label(variant.trim_end_matches(['@', '*', '%'])))
}

fn is_bound(bound: &str) -> bool {
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse::<u32>().ok())
    };
    let (least, most) = bound.split_once(',').unwrap_or((bound, bound));
    match (number(least), number(most)) {
        (Some(Some(least)), Some(Some(most))) => least <= most,
        (Some(_), Some(_)) => bound.contains(','),
        _ => false,
    }
}

/// Words joined by `&` and `|`, optionally with `!` and parentheses.
fn is_search(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut wants_word = true;
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = match (c, wants_word) {
            ('!', true) => 1,
            ('(', true) => {
                depth += 1;
                1
            }
            (')', false) if depth > 0 => {
                depth -= 1;
                1
            }
            ('&' | '|', false) => {
                wants_word = true;
                1
            }
            (c, true) if is_letter(c) => {
                wants_word = false;
                rest.find(|c: char| !is_letter(c) && !matches!(c, '@' | '*' | '%' | '.'))
                    .unwrap_or(rest.len())
            }
            _ => return false,
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    depth == 0 && !wants_word
}

#[cfg(test)]
mod tests {
    use super::Ltree;

    #[test]
    fn only_valid_queries_are_admitted() {
        let good = [
            (Ltree::Query, ["*", "*.a@|b*%.!c{2,3}", "*{,2}.x"]),
            (Ltree::Search, ["a", "a & !(b* | c@)", "Astro*"]),
        ];
        let bad = [
            (Ltree::Query, ["*{2,1}", "a b", "a..b"]),
            (Ltree::Search, ["a &", "(a", "a b"]),
        ];
        assert!(
            good.iter()
                .all(|(of, texts)| texts.iter().all(|text| of.admits(text)))
        );
        assert!(
            bad.iter()
                .all(|(of, texts)| texts.iter().all(|text| !of.admits(text)))
        );
    }
}
