//! How fixed words are spelled: arguments, operators, values of enums, endings of types.
//!
//! A word is declared once, in snake case, wherever it belongs (`order_by` in the schema, `_is_null` in the table of
//! operators). Here it gets the form that a table's convention wants, and back. What tables, columns and root fields
//! are called is the business of [`super::Convention`].

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// How fixed words are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spelling {
    /// In snake case, as Hasura spells them: `order_by`, `_is_null`, `asc`, `t_bool_exp`.
    #[default]
    Snake,
    /// As Hasura's `graphql-default` has it: `orderBy`, `_isNull`, `ASC`, `TBoolExp`.
    Graphql,
}

/// The other forms of a word in snake case.
struct Forms {
    camel: String,
    upper: String,
}

/// The forms of words that have been asked for. Words are literals of the program, so there are only so many.
static FORMS: LazyLock<RwLock<HashMap<&'static str, &'static Forms>>> = LazyLock::new(RwLock::default);

fn forms(word: &'static str) -> &'static Forms {
    let known = FORMS.read().unwrap_or_else(PoisonError::into_inner).get(word).copied();
    known.unwrap_or_else(|| {
        let mut all = FORMS.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(word).or_insert_with(|| {
            Box::leak(Box::new(Forms { camel: super::camel(word), upper: word.to_ascii_uppercase() }))
        })
    })
}

impl Spelling {
    /// Both spellings.
    pub const ALL: [Spelling; 2] = [Spelling::Snake, Spelling::Graphql];

    /// The name of a field, an argument or an operator: `order_by`, `orderBy`.
    pub fn field(self, word: &'static str) -> &'static str {
        match self {
            Spelling::Snake => word,
            Spelling::Graphql => &forms(word).camel,
        }
    }

    /// The name of an enum's value: `asc_nulls_first`, `ASC_NULLS_FIRST`.
    pub fn value(self, word: &'static str) -> &'static str {
        match self {
            Spelling::Snake => word,
            Spelling::Graphql => &forms(word).upper,
        }
    }

    /// The name of a type: `order_by`, `OrderBy`; `String_comparison_exp`, `StringComparisonExp`.
    pub fn type_name(self, name: &str) -> String {
        match self {
            Spelling::Snake => name.to_owned(),
            Spelling::Graphql => super::pascal(name),
        }
    }

    /// The name of a type made from that of a table: `t` and `bool_exp` are `t_bool_exp`, `TBoolExp`.
    pub fn helper(self, table: &str, ending: &str) -> String {
        match self {
            Spelling::Snake => format!("{table}_{ending}"),
            Spelling::Graphql => format!("{table}{}", super::pascal(ending)),
        }
    }

    /// The ending, in snake case, that makes the type `name` from a table's name: `bool_exp` of `TBoolExp`.
    pub fn ending(self, table: &str, name: &str) -> Option<String> {
        let rest = name.strip_prefix(table)?;
        match self {
            Spelling::Snake => rest.strip_prefix('_').map(str::to_owned),
            Spelling::Graphql => Some(snake(rest)).filter(|ending| super::pascal(ending) == rest && !rest.is_empty()),
        }
    }

    /// Whether [`Spelling::field`] makes that name of the word.
    pub fn is_field(self, word: &str, name: &str) -> bool {
        match self {
            Spelling::Snake => word == name,
            Spelling::Graphql => is_camel(word, name),
        }
    }

    /// Whether [`Spelling::value`] makes that name of the word.
    pub fn is_value(self, word: &str, name: &str) -> bool {
        match self {
            Spelling::Snake => word == name,
            Spelling::Graphql => word.bytes().map(|b| b.to_ascii_uppercase()).eq(name.bytes()),
        }
    }
}

/// Whether a name is a word's camel case, without making it: an underscore that follows a letter falls away, and the
/// letter after it is large.
fn is_camel(word: &str, name: &str) -> bool {
    let mut name = name.bytes();
    let (mut inside, mut large) = (false, false);
    for byte in word.bytes() {
        if byte == b'_' && inside {
            large = true;
            continue;
        }
        inside |= byte != b'_';
        let wanted = if large { byte.to_ascii_uppercase() } else { byte };
        large = false;
        if name.next() != Some(wanted) {
            return false;
        }
    }
    name.next().is_none()
}

/// `AggregateFields` as `aggregate_fields`.
fn snake(pascal: &str) -> String {
    let mut snake = String::new();
    for c in pascal.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] = [
        "order_by",
        "where",
        "_is_null",
        "_nilike",
        "_st_d_within",
        "_has_keys_any",
        "stddev_pop",
        "asc_nulls_first",
        "_st_3d_d_within",
    ];

    #[test]
    fn words_are_spelled_as_hasura_has_them() {
        let camel = WORDS.map(|word| Spelling::Graphql.field(word));
        let wanted = [
            "orderBy",
            "where",
            "_isNull",
            "_nilike",
            "_stDWithin",
            "_hasKeysAny",
            "stddevPop",
            "ascNullsFirst",
            "_st3dDWithin",
        ];
        assert_eq!(camel, wanted);
        assert_eq!(Spelling::Graphql.value("asc_nulls_first"), "ASC_NULLS_FIRST");
        assert_eq!(Spelling::Graphql.type_name("String_comparison_exp"), "StringComparisonExp");
        assert_eq!(Spelling::Snake.field("order_by"), "order_by");
    }

    #[test]
    fn a_name_is_known_for_its_word() {
        for spelling in Spelling::ALL {
            for (a, b) in WORDS.iter().flat_map(|a| WORDS.iter().map(move |b| (*a, *b))) {
                assert_eq!(spelling.is_field(a, spelling.field(b)), a == b, "{a} {b}");
                assert_eq!(spelling.is_value(a, spelling.value(b)), a == b, "{a} {b}");
            }
        }
        assert!(!Spelling::Graphql.is_field("order_by", "order_by"));
        assert!(!Spelling::Graphql.is_field("order_by", "orderB"));
        assert!(!Spelling::Graphql.is_field("order_by", "orderByX"));
        assert!(!Spelling::Snake.is_value("asc", "ASC"));
    }

    #[test]
    fn types_of_tables_are_taken_apart_again() {
        for spelling in Spelling::ALL {
            for ending in ["bool_exp", "aggregate", "stddev_pop_order_by"] {
                let name = spelling.helper("Authors", ending);
                assert_eq!(spelling.ending("Authors", &name).as_deref(), Some(ending));
            }
            assert_eq!(spelling.ending("Authors", "Authors"), None);
            assert_eq!(spelling.ending("Authors", "Articles"), None);
        }
        assert_eq!(Spelling::Graphql.helper("Authors", "bool_exp"), "AuthorsBoolExp");
        assert_eq!(Spelling::Graphql.ending("Authors", "Authors_bool_exp"), None);
        assert_eq!(Spelling::Graphql.ending("Author", "Authorship"), None);
    }
}
