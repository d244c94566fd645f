//! Validates regular expressions by Postgres' grammar before they are sent, so that the error names
//! the argument.
//! <https://www.postgresql.org/docs/current/functions-matching.html#POSIX-SYNTAX-DETAILS>
//!
//! The check is incomplete: only Postgres knows some limits, such as the size of a compiled
//! expression. So conditions with regular expressions count as raising, are evaluated outside the
//! fence, and keep the expression from the planner: if Postgres rejects one, it does so while
//! evaluating rows that the role may see. A fault found here is reported for the argument whatever
//! the rows are, and Postgres would reject every expression that is rejected here.

/// The fault of a regular expression, if one is found.
pub(crate) fn fault(expression: &str) -> Option<&'static str> {
    // A director (`***`) or embedded options may change the syntax.
    let other = expression.starts_with("***")
        || expression
            .strip_prefix("(?")
            .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_alphabetic()));
    if other {
        None
    } else {
        Checker {
            rest: expression,
            depth: 0,
        }
        .alternatives()
        .err()
    }
}

/// Maximum nesting of brackets that is checked; deeper expressions are left to Postgres.
const MAX_NESTING: usize = 200;

struct Checker<'e> {
    rest: &'e str,
    depth: usize,
}

type Outcome<T = ()> = Result<T, &'static str>;

/// Whether a quantifier may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Atom,
    Other,
}

impl<'e> Checker<'e> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest: Option<&'e str> = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Checks up to the end, or up to the bracket that closes the group.
    fn alternatives(&mut self) -> Outcome {
        let mut before = Before::Other;
        while let Some(c) = self.next() {
            before = match c {
                '|' | '^' | '$' => Before::Other,
                '(' => self.group()?,
                ')' if self.depth == 0 => return Err("brackets () that do not match"),
                ')' => {
                    self.depth -= 1;
                    return Ok(());
                }
                '[' => self.set()?,
                '\\' => self.escape()?,
                '*' | '+' | '?' => self.quantified(before)?,
                '{' if self.rest.starts_with(|c: char| c.is_ascii_digit()) => {
                    self.bound()?;
                    self.quantified(before)?
                }
                _ => Before::Atom,
            };
        }
        if self.depth > 0 {
            Err("brackets () that do not match")
        } else {
            Ok(())
        }
    }

    /// A quantifier follows an atom; a `?` after it makes it non-greedy.
    fn quantified(&mut self, before: Before) -> Outcome<Before> {
        self.eat("?");
        if before == Before::Atom {
            Ok(Before::Other)
        } else {
            Err("a quantifier with nothing to quantify")
        }
    }

    fn group(&mut self) -> Outcome<Before> {
        let looks = ["?=", "?!", "?<=", "?<!"]
            .into_iter()
            .any(|look| self.eat(look));
        if !looks && !self.eat("?:") && self.rest.starts_with('?') {
            return Err("a quantifier with nothing to quantify");
        }
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.rest = "";
            self.depth = 0;
            return Ok(Before::Atom);
        }
        self.alternatives()?;
        Ok(if looks { Before::Other } else { Before::Atom })
    }

    /// `{2}`, `{2,}`, `{2,3}`; the opening brace is consumed already.
    fn bound(&mut self) -> Outcome {
        let (inner, rest) = self
            .rest
            .split_once('}')
            .ok_or("a bound {} that is not valid")?;
        let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
        let number = |text: &str| {
            text.bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| text.parse::<u32>().unwrap_or(u32::MAX))
        };
        let least = number(least);
        let most = if most.is_empty() {
            Some(255)
        } else {
            number(most)
        };
        self.rest = rest;
        match (least, most) {
            (Some(least), Some(most)) if least <= most && most <= 255 => Ok(()),
            _ => Err("a bound {} that is not valid"),
        }
    }

    fn escape(&mut self) -> Outcome<Before> {
        match self.next() {
            None => Err("a lone escape character at its end"),
            Some('A' | 'm' | 'M' | 'y' | 'Y' | 'Z') => Ok(Before::Other),
            Some('c') if self.next().is_none() => Err("an escape sequence that is not valid"),
            Some(c) if c.is_ascii_alphabetic() && !"aBbcDdefnrSstUuvWwx".contains(c) => {
                Err("an escape sequence that is not valid")
            }
            Some(_) => Ok(Before::Atom),
        }
    }

    /// A bracket expression, up to its closing bracket.
    fn set(&mut self) -> Outcome<Before> {
        if self.eat("[:<:]]") || self.eat("[:>:]]") {
            return Ok(Before::Other);
        }
        self.eat("^");
        let mut first = true;
        let mut from: Option<char> = None;
        loop {
            let c = self.next().ok_or("brackets [] that do not match")?;
            match c {
                ']' if !first => return Ok(Before::Atom),
                '[' if self.rest.starts_with([':', '.', '=']) => {
                    let kind = self.next().unwrap_or_default();
                    let end = format!("{kind}]");
                    let (_, rest) = self
                        .rest
                        .split_once(end.as_str())
                        .ok_or("brackets [] that do not match")?;
                    self.rest = rest;
                    from = None;
                }
                '\\' => {
                    self.next().ok_or("a lone escape character at its end")?;
                    from = None;
                }
                '-' if !first && from.is_some() && !self.rest.starts_with([']', '\\', '[']) => {
                    let to = self.next().ok_or("brackets [] that do not match")?;
                    if from.is_some_and(|from| from > to) {
                        return Err("a range of characters that runs backwards");
                    }
                    from = None;
                }
                c => from = Some(c),
            }
            first = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn invalid_expressions_are_rejected() {
        for bad in [
            "(", ")", "a)", "(a", "[", "[a", "[z-a]", "*", "a**", "+a", "a|*", "^*", "(?a)x(",
            "a{2,1}", "a{256}", "\\", "a\\", "\\i", "(*)", "a{1",
        ] {
            // `(?a)x(` begins with an embedded option, so it is not checked.
            assert_eq!(fault(bad).is_none(), bad == "(?a)x(", "{bad}");
        }
    }

    #[test]
    fn valid_expressions_pass() {
        for good in [
            "",
            "a",
            "a|b",
            "|",
            "()",
            "(?:a)*?",
            "a+?b{2}{",
            "a{,2}",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[-a]",
            "[[:alpha:]_]",
            "\\d+\\.\\m",
            "(?=a)b",
            "***=(",
            "(?q)(",
            "[\\]a]",
            "\\(",
            "a{2,}",
            "[[:<:]]a",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
    }
}
