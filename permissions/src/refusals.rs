//! What Postgres' errors about rules mean for the file: one diagnostic for each cause. A session
//! value of the wrong type and a named rule that no call fits are reported where they are declared,
//! with the number of places that they make faulty; everything else at its place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::compile::Permissions;
use crate::diagnostic::{Diagnostic, Span};
use crate::fault::Fault;
use crate::rule_check::{RuleCheck, RuleError};

/// A rule whose statement Postgres refuses to prepare.
#[derive(Clone, Debug)]
pub struct RefusedRule<'r> {
    /// The rule.
    pub rule: &'r RuleCheck,
    /// Postgres' error.
    pub error: RuleError,
    /// The session values with which Postgres accepts the rule if they have another type: the name
    /// and this type.
    pub needed_types: Vec<(String, String)>,
}

/// The places of a rule, by their first bytes.
type Places = BTreeMap<usize, Span>;

impl Permissions {
    /// The diagnostics of rules that Postgres refuses, in no order.
    pub fn refused(&self, refused: &[RefusedRule<'_>]) -> Vec<Diagnostic> {
        let accepted = self.accepted_readers(refused);
        let mut needed: BTreeMap<(&str, &str), Places> = BTreeMap::new();
        for rule in refused {
            for (name, r#type) in &rule.needed_types {
                add_places(
                    needed.entry((name.as_str(), r#type.as_str())).or_default(),
                    rule.rule,
                );
            }
        }
        // A declaration is wrong if fewer rules need its type than another one.
        let misdeclared = |(name, r#type): (&str, &str)| {
            let count = |key: (&str, &str)| needed.get(&key).map_or(0, Places::len);
            let own = count((name, r#type));
            let others = needed.keys().filter(|(other, _)| *other == name);
            own > accepted.get(name).map_or(0, Places::len)
                && others.copied().map(count).max() == Some(own)
        };
        let mut diagnostics: Vec<Diagnostic> = needed
            .iter()
            .filter(|(key, _)| misdeclared(**key))
            .filter_map(|((name, r#type), places)| self.wrong_type(name, r#type, places))
            .collect();
        let others = refused.iter().filter(|rule| {
            let mut needed = rule.needed_types.iter();
            !needed.any(|(name, r#type)| misdeclared((name.as_str(), r#type.as_str())))
        });
        let others: Vec<&RefusedRule<'_>> = others.collect();
        diagnostics.extend(self.in_place(&others));
        let mut unique: Vec<Diagnostic> = vec![];
        for diagnostic in diagnostics {
            if !unique.contains(&diagnostic) {
                unique.push(diagnostic);
            }
        }
        unique
    }

    /// The places of the rules that Postgres accepts, by the session values that they read.
    fn accepted_readers(&self, refused: &[RefusedRule<'_>]) -> BTreeMap<&str, Places> {
        let refused: BTreeSet<*const RuleCheck> = refused
            .iter()
            .map(|refused| std::ptr::from_ref(refused.rule))
            .collect();
        let mut readers: BTreeMap<&str, Places> = BTreeMap::new();
        for rule in &self.rules {
            if !refused.contains(&std::ptr::from_ref(rule)) {
                for name in rule.session_values() {
                    add_places(readers.entry(name).or_default(), rule);
                }
            }
        }
        readers
    }

    fn wrong_type(&self, name: &str, needed: &str, places: &Places) -> Option<Diagnostic> {
        let declaration = self.session.declaration(name)?;
        let first = places.values().next()?;
        let span = first.file().span_of(declaration.written.span.clone());
        let fault = Fault::SessionType {
            name: name.to_owned(),
            declared: declaration.written.value.clone(),
            needed: needed.to_owned(),
            by: match places.len() {
                1 => "a rule needs".to_owned(),
                count => format!("{count} rules need"),
            },
        };
        let help = format!(
            "write `{name} = \"{needed}\"`; {} is in line {}",
            if places.len() == 1 {
                "the rule"
            } else {
                "the first of the rules"
            },
            first.line()
        );
        let diagnostic = Diagnostic::new(fault, span).help(help);
        Some(diagnostic.concerning(places.values().cloned().collect()))
    }

    /// The diagnostics of rules that are themselves wrong. A named rule that fails for the argument
    /// of each of its calls is reported once, in the named rule.
    fn in_place(&self, refused: &[&RefusedRule<'_>]) -> Vec<Diagnostic> {
        type Argument = (usize, usize);
        let key = |span: &Range<usize>| (span.start, span.end);
        let mut calls: BTreeMap<Argument, BTreeSet<Argument>> = BTreeMap::new();
        for rule in &self.rules {
            for (name, argument) in rule.arguments() {
                calls.entry(key(&name)).or_default().insert(key(&argument));
            }
        }
        let argument_of = |refused: &RefusedRule<'_>| {
            let position = refused.error.position?;
            refused.rule.argument_at(position)
        };
        let mut failing: BTreeMap<Argument, BTreeSet<Argument>> = BTreeMap::new();
        let mut places: BTreeMap<Argument, Places> = BTreeMap::new();
        for rule in refused {
            if let Some((name, argument)) = argument_of(rule) {
                failing
                    .entry(key(&name))
                    .or_default()
                    .insert(key(&argument));
                add_places(places.entry(key(&name)).or_default(), rule.rule);
            }
        }
        let mut diagnostics = vec![];
        for rule in refused {
            let file = rule.rule.span.file();
            let argument = argument_of(rule).map(|(name, _)| name);
            let line = argument
                .as_ref()
                .map(|name| file.span_of(name.clone()).line());
            let of_named = argument.filter(|name| {
                let failing = failing.get(&key(name));
                failing.is_some_and(|failing| failing.len() > 1) && failing == calls.get(&key(name))
            });
            match of_named {
                Some(name) => {
                    let places = places.get(&key(&name)).cloned().unwrap_or_default();
                    let first = places.values().next().map_or(0, Span::line);
                    let help = format!(
                        "all {} calls of the named rule fail so; the first is in line {first}",
                        places.len()
                    );
                    let fault = rule.rule.refusal(&rule.error);
                    let diagnostic = Diagnostic::new(fault, file.span_of(name)).help(help);
                    diagnostics.push(diagnostic.concerning(places.into_values().collect()));
                }
                None => {
                    let needed = rule.needed_types.first().map(|(name, needed)| {
                        format!("`session.{name}` would have to be of type {needed} here")
                    });
                    let named = line
                        .map(|line| format!("the named rule uses this argument in line {line}"));
                    diagnostics.extend(rule.rule.problems(&rule.error, needed.or(named)));
                }
            }
        }
        diagnostics
    }
}

fn add_places(places: &mut Places, rule: &RuleCheck) {
    places.extend(rule.places().map(|span| (span.span().start, span)));
}
