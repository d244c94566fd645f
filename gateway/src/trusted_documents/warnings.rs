//! Warnings about persisted documents and allow lists: entries that are valid for no role, or not
//! for the roles they list. `postern check` prints them; they do not prevent a start.

use permissions::Permissions;
use sql::graphql::document;
use sql::graphql::document::Limits;
use sql::model::access::Access;
use sql::resolve::{Coercion, Operation};

use super::config::{SECTION, Table};
use super::loaded::LoadedDocuments;
use crate::auth::session::ADMIN;
use crate::config::{Config, ConfigError};

/// Loads the documents that the settings name and returns a warning for each that is invalid for
/// its roles.
pub fn notes(config: &Config, permissions: &Permissions) -> Result<Vec<String>, ConfigError> {
    let table: Table = config.sections.read(SECTION)?.unwrap_or_default();
    let written = LoadedDocuments::read(&table, config)?;
    let checker = Checker {
        permissions,
        limits: &config.limits().document,
        coercion: config.profile.coercion(),
    };
    let mut notes = vec![];
    for role in table
        .role
        .keys()
        .filter(|role| checker.access(role).is_none())
    {
        notes.push(format!(
            "`[{SECTION}.role.{role}]`: the permission file has no role `{role}`"
        ));
    }
    let all: Vec<&str> = permissions.roles().map(|access| access.role()).collect();
    // Allow lists do not apply to the admin by default, so a document must be valid for another
    // role.
    let restricted: Vec<&str> = all.iter().copied().filter(|role| *role != ADMIN).collect();
    for persisted in &written.persisted {
        notes.extend(checker.no_role(&all, &persisted.origin, &persisted.text));
    }
    for listed in &written.listed {
        match &listed.roles {
            None => notes.extend(checker.no_role(&restricted, &listed.origin, &listed.text)),
            Some(roles) => {
                notes.extend(
                    roles
                        .iter()
                        .filter_map(|role| checker.role(role, &listed.origin, &listed.text)),
                );
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    Ok(notes)
}

struct Checker<'a> {
    permissions: &'a Permissions,
    limits: &'a Limits,
    coercion: Coercion,
}

impl Checker<'_> {
    /// The permissions of a role's backend callers, who may do more.
    fn access(&self, role: &str) -> Option<&Access> {
        self.permissions.role_as(role, true).map(|access| &**access)
    }

    /// Why a listed role cannot run the document.
    fn role(&self, role: &str, origin: &str, text: &str) -> Option<String> {
        let Some(access) = self.access(role) else {
            return Some(format!(
                "{origin}: the permission file has no role `{role}`"
            ));
        };
        self.fault(access, text)
            .map(|fault| format!("{origin}: not valid for role `{role}`: {fault}"))
    }

    /// Why none of these roles can run the document.
    fn no_role(&self, roles: &[&str], origin: &str, text: &str) -> Option<String> {
        let faults = roles
            .iter()
            .map(|role| Some((role, self.fault(self.access(role)?, text)?)));
        let (role, fault) = faults.collect::<Option<Vec<_>>>()?.into_iter().next()?;
        Some(format!(
            "{origin}: not valid for any role; for `{role}`: {fault}"
        ))
    }

    /// The error of a document for a role.
    fn fault(&self, access: &Access, text: &str) -> Option<String> {
        let document = match document::parse(text, self.limits) {
            Ok(document) => std::sync::Arc::new(document),
            Err(error) => return Some(error.to_string()),
        };
        // Validation covers the whole document, whichever operation is named.
        let name = document
            .operations()
            .next()
            .and_then(|(name, _)| name.map(str::to_owned));
        Operation::validate_as(access, document, name.as_deref(), self.coercion)
            .err()
            .map(|error| error.to_string())
    }
}
