//! Reads the documents of federated routers: an operation whose root fields are `_service`,
//! `_entities` and `__typename`. It divides the text at its tokens and keeps what is below a type
//! as written, so that it can stand in another document. What it cannot read takes the usual path,
//! where validation refuses it.

/// A document of a router.
#[derive(Debug)]
pub(super) struct FederatedDocument<'d> {
    /// The operation's name.
    pub(super) name: Option<&'d str>,
    /// The variables: each with its definition.
    pub(super) variables: Vec<(&'d str, &'d str)>,
    pub(super) fields: Vec<RootField<'d>>,
    /// The definitions of fragments.
    pub(super) fragments: &'d str,
}

/// A root field with its response key.
#[derive(Debug)]
pub(super) enum RootField<'d> {
    Typename {
        key: &'d str,
    },
    /// `_service`, with response keys and names of its fields.
    Service {
        key: &'d str,
        fields: Vec<(&'d str, &'d str)>,
    },
    Entities(Entities<'d>),
}

/// The root field `_entities`.
#[derive(Debug)]
pub(super) struct Entities<'d> {
    pub(super) key: &'d str,
    /// The variable with the representations.
    pub(super) variable: &'d str,
    /// What is selected, with its type; none for what every type has.
    selected: Vec<(Option<&'d str>, &'d str)>,
}

/// A token: a name, a punctuator, a string or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'d> {
    text: &'d str,
    start: usize,
}

/// The tokens of a document, from a place on.
struct Tokens<'d> {
    text: &'d str,
    tokens: Vec<Token<'d>>,
    at: usize,
}

impl<'d> Entities<'d> {
    /// What is selected on a type, as written.
    pub(super) fn selected_on(&self, name: &str) -> impl Iterator<Item = &'d str> {
        self.selected
            .iter()
            .filter(move |(of, _)| of.is_none_or(|of| of == name))
            .map(|(_, text)| *text)
    }
}

/// Reads a document; none if it is not one of a router's.
pub(super) fn parse(text: &str) -> Option<FederatedDocument<'_>> {
    let mut tokens = Tokens {
        text,
        tokens: tokens(text)?,
        at: 0,
    };
    let mut name = None;
    let mut variables = vec![];
    if tokens.peek() == "query" {
        tokens.next()?;
        if is_name(tokens.peek()) {
            name = tokens.next();
        }
        if tokens.peek() == "(" {
            variables = tokens.variables()?;
        }
    }
    if tokens.peek() != "{" {
        return None;
    }
    let open = tokens.at;
    let end = tokens.closing(open)?;
    let fragments = text.get(tokens.end_of(end)..)?.trim();
    tokens.at = end + 1;
    let on_type = tokens.fragment_types()?;
    tokens.at = open + 1;
    let mut fields = vec![];
    while tokens.at < end {
        fields.push(tokens.root_field(&on_type)?);
    }
    Some(FederatedDocument {
        name,
        variables,
        fields,
        fragments,
    })
    .filter(|document| !document.fields.is_empty())
}

impl<'d> Tokens<'d> {
    fn peek(&self) -> &'d str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    fn next(&mut self) -> Option<&'d str> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token.text)
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        (self.next()? == text).then_some(())
    }

    fn start_of(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.start)
    }

    fn end_of(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.start + token.text.len())
    }

    /// The text from a token to the one before the current.
    fn since(&self, from: usize) -> Option<&'d str> {
        self.text
            .get(self.start_of(from)..self.end_of(self.at.checked_sub(1)?))
    }

    /// The place of the bracket that closes the one at this place.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Skips the brackets that begin here.
    fn skip_brackets(&mut self) -> Option<()> {
        self.at = self.closing(self.at)? + 1;
        Some(())
    }

    /// Skips `@include(if: $x)`.
    fn skip_directives(&mut self) -> Option<()> {
        while self.peek() == "@" {
            self.at += 2;
            if self.peek() == "(" {
                self.skip_brackets()?;
            }
        }
        Some(())
    }

    /// `($a: Int = 1, $b: [x!]!)`
    fn variables(&mut self) -> Option<Vec<(&'d str, &'d str)>> {
        let end = self.closing(self.at)?;
        self.at += 1;
        let mut found = vec![];
        while self.at < end {
            let begin = self.at;
            self.expect("$")?;
            let name = self.next()?;
            while self.at < end && self.peek() != "$" {
                match self.peek() {
                    // A default may be an object or a list.
                    "{" | "(" | "[" => self.skip_brackets()?,
                    _ => self.at += 1,
                }
            }
            found.push((name, self.since(begin)?));
        }
        self.at = end + 1;
        Some(found)
    }

    /// The names of the fragments that follow, with their types. None if anything else follows.
    fn fragment_types(&mut self) -> Option<Vec<(&'d str, &'d str)>> {
        let mut found = vec![];
        while self.at < self.tokens.len() {
            self.expect("fragment")?;
            let name = self.next()?;
            self.expect("on")?;
            found.push((name, self.next()?));
            self.skip_directives()?;
            self.skip_brackets()?;
        }
        Some(found)
    }

    fn root_field(&mut self, on_type: &[(&'d str, &'d str)]) -> Option<RootField<'d>> {
        let (key, name) = self.key_and_name()?;
        match name {
            "__typename" => Some(RootField::Typename { key }),
            "_service" => {
                let end = self.selection()?;
                let mut fields = vec![];
                while self.at < end {
                    let (key, name) = self.key_and_name()?;
                    matches!(name, "sdl" | "__typename").then(|| fields.push((key, name)))?;
                }
                self.at = end + 1;
                Some(RootField::Service { key, fields })
            }
            "_entities" => {
                for text in ["(", "representations", ":", "$"] {
                    self.expect(text)?;
                }
                let variable = self.next()?;
                self.expect(")")?;
                let end = self.selection()?;
                let mut selected = vec![];
                while self.at < end {
                    selected.push(self.entity_selection(on_type)?);
                }
                self.at = end + 1;
                Some(RootField::Entities(Entities {
                    key,
                    variable,
                    selected,
                }))
            }
            _ => None,
        }
    }

    /// `__typename`, `... on T { … }` or `...F`, with its type.
    fn entity_selection(
        &mut self,
        on_type: &[(&'d str, &'d str)],
    ) -> Option<(Option<&'d str>, &'d str)> {
        let begin = self.at;
        if self.peek() != "..." {
            let (_, name) = self.key_and_name()?;
            self.skip_directives()?;
            return Some((None, self.since(begin)?)).filter(|_| name == "__typename");
        }
        self.at += 1;
        let name = self.next()?;
        let of = match name {
            "on" => Some(self.next()?),
            _ => Some(on_type.iter().find(|(fragment, _)| *fragment == name)?.1),
        };
        self.skip_directives()?;
        if name == "on" {
            self.skip_brackets()?;
        }
        Some((of, self.since(begin)?))
    }

    /// `name`, or `key: name`.
    fn key_and_name(&mut self) -> Option<(&'d str, &'d str)> {
        let first = self.next().filter(|name| is_name(name))?;
        if self.peek() != ":" {
            return Some((first, first));
        }
        self.at += 1;
        Some((first, self.next().filter(|name| is_name(name))?))
    }

    /// Enters a selection; returns the place of its end.
    fn selection(&mut self) -> Option<usize> {
        if self.peek() != "{" {
            return None;
        }
        let end = self.closing(self.at)?;
        self.at += 1;
        Some(end)
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Divides a text into tokens; none if a string does not end or a character belongs to no token.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next()?;
        let length = match first {
            ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}' => {
                at += first.len_utf8();
                continue;
            }
            '#' => {
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                continue;
            }
            '.' => rest.starts_with("...").then_some(3)?,
            '"' => string(rest)?,
            '!' | '$' | '&' | '(' | ')' | ':' | '=' | '@' | '[' | ']' | '{' | '|' | '}' => 1,
            '-' | '0'..='9' => {
                let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '+' | '-');
                rest.find(is_end).unwrap_or(rest.len())
            }
            _ if is_name(rest) => rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len()),
            _ => return None,
        };
        found.push(Token {
            text: rest.get(..length)?,
            start: at,
        });
        at += length;
    }
    Some(found)
}

/// The length of a string at the beginning of the text.
fn string(text: &str) -> Option<usize> {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        let mut from = 0;
        loop {
            let end = from + block.get(from..)?.find("\"\"\"")?;
            // `\"""` does not end it.
            if !block.get(..end)?.ends_with('\\') {
                return Some(end + 6);
            }
            from = end + 3;
        }
    }
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            '\n' | '\r' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_routers_are_read() {
        let service =
            parse("query SubgraphIntrospectQuery { __typename _service { sdl } }").unwrap();
        assert!(
            matches!(&service.fields[..], [RootField::Typename { .. }, RootField::Service { fields, .. }] if fields == &[("sdl", "sdl")])
        );
        let text = "query($r:[_Any!]!, $s: s = {a: [\"}\"]}){e:_entities(representations:$r){... \
                    on A{b(c:\"}\",d:\"\"\"}\"\"\")} ...on B @skip(if:$s){c}}}";
        let document = parse(text).unwrap();
        assert_eq!(
            document.variables,
            [("r", "$r:[_Any!]!"), ("s", "$s: s = {a: [\"}\"]}")]
        );
        let [RootField::Entities(entities)] = &document.fields[..] else {
            panic!("{document:?}")
        };
        assert_eq!((entities.key, entities.variable), ("e", "r"));
        let on = |name: &str| entities.selected_on(name).collect::<Vec<_>>();
        assert_eq!(on("A"), ["... on A{b(c:\"}\",d:\"\"\"}\"\"\")}"]);
        assert_eq!(on("B"), ["...on B @skip(if:$s){c}"]);
    }

    #[test]
    fn other_documents_are_none() {
        for text in [
            "",
            "{ users { id } }",
            "{ _service { sdl } users { id } }",
            "mutation { _service { sdl } }",
            "{ _entities(representations: []) { __typename } }",
            "{ _service { sdl }",
            "{ _service { sdl } } }",
            "{ _service { other } }",
            "query A { _service { sdl } } query B { _service { sdl } }",
            "{ _entities(representations: $r) { name } }",
            "{ _entities(representations: $r) { ...Missing } }",
            "{ _service { sdl } } \"",
            "%",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
