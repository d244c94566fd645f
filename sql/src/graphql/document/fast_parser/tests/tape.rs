//! Generates documents that `async-graphql-parser` reads as the specification requires: without
//! descriptions, blanks in types, and names that begin like `true`, `false` or `null`. The
//! documents come from a tape of choices. A shorter tape with smaller numbers gives a simpler
//! document, so that proptest can shrink failures.

/// The remaining choices and the text written so far.
pub(super) struct Tape<'a> {
    choices: std::slice::Iter<'a, u16>,
    text: String,
    depth: usize,
}

const NAMES: [&str; 16] = [
    "a",
    "b",
    "_c9",
    "Type",
    "on_",
    "nul",
    "tru",
    "fals",
    "query",
    "fragment",
    "mutation",
    "type",
    "id",
    "subscription",
    "onward",
    "input",
];
const IGNORED: [&str; 12] = [
    " ",
    "",
    "\n",
    "\r\n",
    "\r",
    ",",
    "\t",
    "\u{feff}",
    "# c é \"\n",
    "#\r",
    " , \n  ",
    "#\u{feff} {\r\n",
];
const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "1",
    "-12",
    "39.10",
    "1e5",
    "1E+05",
    "-0.0e-0",
    "12345678901234567890123",
    "1.50",
    "0e0",
    "9.9E400",
];
const STRINGS: [&str; 9] = [
    "\"\"",
    "\"x\"",
    "\"é😀\"",
    "\"#{[(\"",
    "\"\\n\\t\\b\\f\\r\\/\\\\\\\"\"",
    "\"\\u00e9\\uFFFD\"",
    "\"\u{0} \u{feff},\"",
    "\"\"\"\"\"\"",
    "\"\"\"\n  a é\r\n    \"b\" \\n\r  c\n\"\"\"",
];

impl<'a> Tape<'a> {
    pub(super) fn new(choices: &'a [u16]) -> Tape<'a> {
        Tape {
            choices: choices.iter(),
            text: String::new(),
            depth: 0,
        }
    }

    fn choose(&mut self, of: usize) -> usize {
        self.choices
            .next()
            .map_or(0, |&choice| usize::from(choice) % of)
    }

    fn often(&mut self) -> bool {
        self.choose(3) > 0
    }

    fn seldom(&mut self) -> bool {
        self.choose(5) == 4
    }

    /// Writes a token, after ignored characters where it would merge with the token before.
    fn token(&mut self, token: &str) {
        let ignored = IGNORED[self.choose(IGNORED.len())];
        let melts = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '+');
        let both = self.text.ends_with(melts) && token.starts_with(melts);
        self.text.push_str(if both && ignored.is_empty() {
            " "
        } else {
            ignored
        });
        self.text.push_str(token);
    }

    fn one_of(&mut self, tokens: &[&str]) {
        let chosen = self.choose(tokens.len());
        self.token(tokens[chosen]);
    }

    fn name(&mut self) {
        self.one_of(&NAMES);
    }

    /// Writes a document: an anonymous operation, or several definitions.
    pub(super) fn document(mut self) -> String {
        match self.choose(4) {
            0 => self.set(),
            several => (0..several).for_each(|i| self.definition(i)),
        }
        let behind = IGNORED[self.choose(IGNORED.len())];
        self.text + behind
    }

    fn definition(&mut self, number: usize) {
        if number > 0 && self.seldom() {
            self.token("fragment");
            self.token(&format!("F{number}"));
            self.condition();
        } else {
            self.one_of(&["query", "mutation", "subscription"]);
            if number > 0 || self.often() {
                self.token(&format!("Q{number}"));
            } else {
                // An anonymous operation would have to be the only one.
                self.token("only");
            }
            self.variables();
        }
        self.directives();
        self.set();
    }

    fn condition(&mut self) {
        self.token("on");
        let blank = [" ", "\n", ",", "\t\u{feff}", "\r\n"][self.choose(5)];
        let name = NAMES[self.choose(NAMES.len())];
        self.text.push_str(&format!("{blank}{name}"));
    }

    fn variables(&mut self) {
        if !self.seldom() {
            return;
        }
        self.token("(");
        for _ in 0..=self.choose(3) {
            self.token("$");
            self.name();
            self.token(":");
            self.r#type();
            if self.seldom() {
                self.token("=");
                self.value(false);
            }
        }
        self.token(")");
    }

    fn r#type(&mut self) {
        let lists = self.choose(3);
        let mut text = "[".repeat(lists) + NAMES[self.choose(NAMES.len())];
        for i in 0..=lists {
            text.push_str(if i > 0 { "]" } else { "" });
            text.push_str(if self.often() { "!" } else { "" });
        }
        self.token(&text);
    }

    fn set(&mut self) {
        self.depth += 1;
        self.token("{");
        for _ in 0..=self.choose(4) {
            self.selection();
        }
        self.token("}");
        self.depth -= 1;
    }

    fn selection(&mut self) {
        match self.choose(8) {
            7 => {
                self.token("...");
                self.name();
                self.directives();
            }
            6 if self.depth < 6 => {
                self.token("...");
                if self.often() {
                    self.condition();
                }
                self.directives();
                self.set();
            }
            _ => self.field(),
        }
    }

    fn field(&mut self) {
        if self.seldom() {
            self.name();
            self.token(":");
        }
        self.name();
        self.arguments();
        self.directives();
        if self.depth < 6 && self.seldom() {
            self.set();
        }
    }

    fn arguments(&mut self) {
        if self.choose(3) != 2 {
            return;
        }
        self.token("(");
        for _ in 0..=self.choose(3) {
            self.name();
            self.token(":");
            self.value(true);
        }
        self.token(")");
    }

    fn directives(&mut self) {
        while self.seldom() {
            self.token("@");
            self.name();
            self.arguments();
        }
    }

    fn value(&mut self, variables: bool) {
        match self.choose(if self.depth < 8 { 8 } else { 6 }) {
            0 => self.one_of(&NUMBERS),
            1 => self.one_of(&STRINGS),
            2 => self.name(),
            3 => self.one_of(&["true", "false", "null"]),
            4 | 5 if variables => {
                self.token("$");
                self.name();
            }
            4 | 5 => self.token("null"),
            6 => {
                self.depth += 1;
                self.token("[");
                (0..self.choose(4)).for_each(|_| self.value(variables));
                self.token("]");
                self.depth -= 1;
            }
            _ => {
                self.depth += 1;
                self.token("{");
                for i in 0..self.choose(4) {
                    self.token(&format!("k{i}"));
                    self.token(":");
                    self.value(variables);
                }
                self.token("}");
                self.depth -= 1;
            }
        }
    }
}
