//! Spelling of fixed words in the schema: arguments, operators, enum values and suffixes of type
//! names.
//!
//! A word is declared once, in snake case, where it belongs (`order_by` in the schema, `_is_null`
//! in the table of operators). This file converts it to the spelling of a table's convention, and
//! matches a name against it. Names of tables, columns and root fields come from
//! [`super::Convention`].

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use foldhash::fast::RandomState;

/// How fixed words are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spelling {
    /// Snake case, as in Hasura: `order_by`, `_is_null`, `asc`, `t_bool_exp`.
    #[default]
    Snake,
    /// As in Hasura's `graphql-default`: `orderBy`, `_isNull`, `ASC`, `TBoolExp`.
    Graphql,
}

/// The other spellings of a word in snake case.
struct Forms {
    camel: String,
    upper: String,
}

/// Cache of spellings. Words are literals of the program, so the leaked entries are limited in
/// number.
static FORMS: LazyLock<RwLock<HashMap<&'static str, &'static Forms, RandomState>>> =
    LazyLock::new(RwLock::default);

fn forms(word: &'static str) -> &'static Forms {
    let cached = FORMS
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(word)
        .copied();
    cached.unwrap_or_else(|| {
        let mut all = FORMS.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(word).or_insert_with(|| {
            Box::leak(Box::new(Forms {
                camel: camel(word),
                upper: word.to_ascii_uppercase(),
            }))
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
            Spelling::Graphql => pascal(name),
        }
    }

    /// The name of a table's helper type: `t` and `bool_exp` become `t_bool_exp`, `TBoolExp`.
    pub fn helper(self, table: &str, ending: &str) -> String {
        match self {
            Spelling::Snake => format!("{table}_{ending}"),
            Spelling::Graphql => format!("{table}{}", pascal(ending)),
        }
    }

    /// The inverse of [`Spelling::helper`]: the ending, in snake case, of the type `name`:
    /// `bool_exp` for `TBoolExp`.
    pub fn ending(self, table: &str, name: &str) -> Option<String> {
        let rest = name.strip_prefix(table)?;
        match self {
            Spelling::Snake => rest.strip_prefix('_').map(str::to_owned),
            Spelling::Graphql => {
                Some(snake(rest)).filter(|ending| pascal(ending) == rest && !rest.is_empty())
            }
        }
    }

    /// Whether [`Spelling::field`] of the word is `name`.
    pub fn is_field(self, word: &str, name: &str) -> bool {
        match self {
            Spelling::Snake => word == name,
            Spelling::Graphql => is_camel(word, name),
        }
    }

    /// Whether [`Spelling::value`] of the word is `name`.
    pub fn is_value(self, word: &str, name: &str) -> bool {
        match self {
            Spelling::Snake => word == name,
            Spelling::Graphql => word
                .bytes()
                .map(|b| b.to_ascii_uppercase())
                .eq(name.bytes()),
        }
    }
}

/// Whether a name is a word's camel case, without building it: an underscore after a letter is
/// dropped, and the next letter is upper case.
fn is_camel(word: &str, name: &str) -> bool {
    let mut name = name.bytes();
    let mut inside = false;
    let mut large = false;
    for byte in word.bytes() {
        if byte == b'_' && inside {
            large = true;
            continue;
        }
        inside |= byte != b'_';
        let wanted = if large {
            byte.to_ascii_uppercase()
        } else {
            byte
        };
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

/// `data_controller_users` as `dataControllerUsers`; leading underscores stay.
pub fn camel(name: &str) -> String {
    let body = name.trim_start_matches('_');
    let mut camel = name[..name.len() - body.len()].to_owned();
    for (i, word) in body.split('_').filter(|word| !word.is_empty()).enumerate() {
        camel.push_str(&if i == 0 {
            word.to_owned()
        } else {
            capital(word)
        });
    }
    camel
}

/// `data_controller_users` as `DataControllerUsers`; leading underscores stay.
pub fn pascal(name: &str) -> String {
    let body = name.trim_start_matches('_');
    name[..name.len() - body.len()].to_owned() + &body.split('_').map(capital).collect::<String>()
}

pub(super) fn lower(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
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
    fn graphql_default_spells_words_as_hasura_does() {
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
        assert_eq!(
            Spelling::Graphql.value("asc_nulls_first"),
            "ASC_NULLS_FIRST"
        );
        assert_eq!(
            Spelling::Graphql.type_name("String_comparison_exp"),
            "StringComparisonExp"
        );
        assert_eq!(Spelling::Snake.field("order_by"), "order_by");
    }

    #[test]
    fn a_name_matches_only_its_own_word() {
        for spelling in Spelling::ALL {
            for (a, b) in WORDS
                .iter()
                .flat_map(|a| WORDS.iter().map(move |b| (*a, *b)))
            {
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
    fn ending_is_the_inverse_of_helper() {
        for spelling in Spelling::ALL {
            for ending in ["bool_exp", "aggregate", "stddev_pop_order_by"] {
                let name = spelling.helper("Authors", ending);
                assert_eq!(spelling.ending("Authors", &name).as_deref(), Some(ending));
            }
            assert_eq!(spelling.ending("Authors", "Authors"), None);
            assert_eq!(spelling.ending("Authors", "Articles"), None);
        }
        assert_eq!(
            Spelling::Graphql.helper("Authors", "bool_exp"),
            "AuthorsBoolExp"
        );
        assert_eq!(
            Spelling::Graphql.ending("Authors", "Authors_bool_exp"),
            None
        );
        assert_eq!(Spelling::Graphql.ending("Author", "Authorship"), None);
    }
}
