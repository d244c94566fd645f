//! Documents that differ only in the directive `@cached` have the same plans, and so the same
//! cached answers: `@cached(ttl: 30, refresh: true)` replaces what `@cached(ttl: 30)` reads. How
//! long an answer is cached is no part of what it is.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use super::document_state::DocumentState;
use super::key::DocumentKey;

/// The states of documents with the directive, by their keys without it.
#[derive(Debug, Default)]
pub(super) struct SharedStates(Mutex<HashMap<DocumentKey, Weak<RwLock<DocumentState>>>>);

/// The directive's name.
const NAME: &str = "cached";

impl SharedStates {
    /// The state of a document: a new one, unless a document that differs only in the directive has
    /// one.
    pub(super) fn state(
        &self,
        key: DocumentKey,
        new: impl FnOnce() -> DocumentState,
    ) -> Arc<RwLock<DocumentState>> {
        let Some(text) = without_directive(key.text()) else {
            return Arc::new(RwLock::new(new()));
        };
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key.with_text(text);
        if let Some(state) = states.get(&key).and_then(Weak::upgrade) {
            return state;
        }
        // Documents are evicted by the cache, which knows nothing of their states.
        states.retain(|_, state| state.strong_count() > 0);
        let state = Arc::new(RwLock::new(new()));
        states.insert(key, Arc::downgrade(&state));
        state
    }
}

/// A valid document without the directive of its operations, without the white space before it, and
/// without the definitions of variables that nothing else uses; `None` if it has none.
fn without_directive(text: &str) -> Option<String> {
    let kept = without_directive_alone(text)?;
    Some(without_unused_variables(&kept).unwrap_or(kept))
}

/// A valid document without the directive of its operations. Selections are in braces, in which the
/// directive cannot stand.
fn without_directive_alone(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut rest = text;
    let mut has_directive = false;
    while let Some(first) = rest.chars().next() {
        let length = token(rest);
        let (token, after) = rest.split_at_checked(length)?;
        rest = after;
        match first {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '@' if depth == 0 && is_directive(rest) => {
                kept.truncate(kept.trim_end().len());
                rest = after_arguments(rest.get(NAME.len()..)?)?;
                has_directive = true;
                continue;
            }
            _ => {}
        }
        kept.push_str(token);
    }
    has_directive.then_some(kept)
}

/// A valid document without the definitions of the variables that nothing in it uses; `None` if
/// there are none.
fn without_unused_variables(text: &str) -> Option<String> {
    let definitions = variable_definitions(text);
    let is_defined = |start: usize| definitions.iter().any(|range| range.start == start);
    let mut used = Vec::new();
    let mut index = 0;
    while let Some(rest) = text.get(index..).filter(|rest| !rest.is_empty()) {
        if let (Some(name), false) = (variable_name(rest), is_defined(index)) {
            used.push(name);
        }
        index += token(rest);
    }
    let is_unused = |range: &&Range<usize>| {
        let name = text.get(range.start..).and_then(variable_name);
        name.is_some_and(|name| !used.contains(&name))
    };
    let unused: Vec<&Range<usize>> = definitions.iter().filter(is_unused).collect();
    if unused.is_empty() {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for range in unused {
        kept.push_str(text.get(from..range.start)?);
        from = range.end;
        let rest = text.get(from..)?;
        if kept.ends_with('(') && rest.starts_with(')') {
            kept.pop();
            from += 1;
        } else if rest.starts_with(')') {
            kept.truncate(kept.trim_end_matches(is_ignored).len());
        }
    }
    kept.push_str(text.get(from..)?);
    Some(kept)
}

/// Where a document defines variables: `$name: Type = value @directive`, with what is ignored
/// behind it.
fn variable_definitions(text: &str) -> Vec<Range<usize>> {
    let mut definitions = Vec::new();
    let mut start = None;
    let mut braces = 0_usize;
    let mut parentheses = 0_usize;
    let mut index = 0;
    while let Some(rest) = text.get(index..).filter(|rest| !rest.is_empty()) {
        let is_inside = braces == 0 && parentheses == 1;
        match rest.chars().next() {
            Some('{') if parentheses == 0 => braces += 1,
            Some('}') if parentheses == 0 => braces = braces.saturating_sub(1),
            // The arguments of a directive begin with a name instead.
            Some('(') if braces == 0 => parentheses += 1,
            Some(')') if braces == 0 => {
                parentheses = parentheses.saturating_sub(1);
                if parentheses == 0
                    && let Some(start) = start.take()
                {
                    definitions.push(start..index);
                }
            }
            Some('$') if is_inside && is_definition(rest) => {
                if let Some(start) = start.replace(index) {
                    definitions.push(start..index);
                }
            }
            _ => {}
        }
        index += token(rest);
    }
    definitions
}

/// Whether a variable is followed by its type.
fn is_definition(text: &str) -> bool {
    let after = variable_name(text).and_then(|name| text.get(1 + name.len()..));
    after.is_some_and(|after| after.trim_start_matches(is_ignored).starts_with(':'))
}

/// The name of the variable with which the text begins.
fn variable_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let end = name
        .find(|next: char| !next.is_ascii_alphanumeric() && next != '_')
        .unwrap_or(name.len());
    name.get(..end)
}

fn is_ignored(character: char) -> bool {
    character.is_whitespace() || character == ','
}

/// Whether the name of a directive is this one.
fn is_directive(rest: &str) -> bool {
    let after = rest.strip_prefix(NAME);
    after.is_some_and(|after| {
        !after.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
    })
}

/// What follows the arguments in parentheses, if there are some.
fn after_arguments(text: &str) -> Option<&str> {
    let Some(mut rest) = text.trim_start_matches(is_ignored).strip_prefix('(') else {
        return Some(text);
    };
    let mut depth = 1_usize;
    while depth > 0 {
        match rest.chars().next()? {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        rest = rest.get(token(rest)..)?;
    }
    Some(rest)
}

/// The length of a string, a comment, or else of one character.
fn token(text: &str) -> usize {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        let mut from = 0;
        while let Some(end) = block.get(from..).and_then(|rest| rest.find("\"\"\"")) {
            let end = from + end;
            if !block
                .get(..end)
                .is_some_and(|before| before.ends_with('\\'))
            {
                return end + 6;
            }
            from = end + 3;
        }
        return text.len();
    }
    if text.starts_with('"') {
        let mut is_escaped = false;
        for (index, character) in text.char_indices().skip(1) {
            match character {
                '"' if !is_escaped => return index + 1,
                '\\' => is_escaped = !is_escaped,
                _ => is_escaped = false,
            }
        }
        return text.len();
    }
    if text.starts_with('#') {
        return text.find(['\n', '\r']).unwrap_or(text.len());
    }
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_directive_of_the_operation_is_left_out() {
        let without = "query Q { a }";
        for text in [
            "query Q @cached { a }",
            "query Q @cached(ttl: 30) { a }",
            "query Q @cached (ttl: 30, refresh: true) { a }",
            "query Q\n  @cached(ttl: 30 # a ) comment\n) { a }",
            "query Q@cached(refresh: $r) { a }",
        ] {
            assert_eq!(without_directive(text).as_deref(), Some(without), "{text}");
        }
        for (text, expected) in [
            (
                "query Q($r: Boolean) @cached(refresh: $r) { a }",
                "query Q { a }",
            ),
            (
                "query Q($t: Int! = 3, $r: Boolean = false,) @cached(ttl: $t, refresh: $r) { a }",
                "query Q { a }",
            ),
            (
                "query Q($r: Boolean, $b: [T!] = [{c: \"$r\"}]) @cached(refresh: $r) { a(b: $b) }",
                "query Q($b: [T!] = [{c: \"$r\"}]) { a(b: $b) }",
            ),
            (
                "query Q($b: Int $r: Boolean @d(e: 1)) @cached(refresh: $r) { a(b: $b) }",
                "query Q($b: Int) { a(b: $b) }",
            ),
            (
                "query Q($r: Boolean!) @cached(refresh: $r) { a @include(if: $r) }",
                "query Q($r: Boolean!) { a @include(if: $r) }",
            ),
            (
                "query Q($r: Boolean!) @include(if: $r) @cached(refresh: $r) { a }",
                "query Q($r: Boolean!) @include(if: $r) { a }",
            ),
            (
                "query Q($r: Boolean!) @cached(refresh: $r) { ...F } fragment F on T { a(b: {r: \
                 $r}) }",
                "query Q($r: Boolean!) { ...F } fragment F on T { a(b: {r: $r}) }",
            ),
            (
                "query Q($rr: Int, $r: Boolean) @cached(refresh: $r) { a(b: $rr) }",
                "query Q($rr: Int) { a(b: $rr) }",
            ),
        ] {
            assert_eq!(without_directive(text).as_deref(), Some(expected), "{text}");
        }
        let kept = [
            "query Q { a }",
            "query Q @cachedx(ttl: 30) { a }",
            "# @cached\nquery Q { a }",
            "query Q($t: String = \"@cached(ttl: 1)\") { a }",
            "query Q { a(b: \"\"\" @cached \\\"\"\" @cached \"\"\") }",
        ];
        for text in kept {
            assert_eq!(without_directive(text), None, "{text}");
        }
        let several = "query Q($s: String = \"ü\\\"@cached\") @include(if: true) @cached(ttl: 1) \
                       { a(b: {c: $s}) } fragment F on T { b }";
        assert_eq!(
            without_directive(several).as_deref(),
            Some(
                "query Q($s: String = \"ü\\\"@cached\") @include(if: true) { a(b: {c: $s}) } \
                  fragment F on T { b }"
            )
        );
    }
}
