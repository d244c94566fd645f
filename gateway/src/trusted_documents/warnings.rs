//! What is odd about documents that are known beforehand and about allow lists, held against the permissions: found by
//! `postern check`, and no reason not to start.

use permissions::Permissions;
use sql::graphql::document;
use sql::graphql::document::Limits;
use sql::model::access::Access;
use sql::resolve::{Coercion, Operation};

use super::SECTION;
use super::config::Table;
use super::loaded::LoadedDocuments;
use crate::auth::session::ADMIN;
use crate::config::{Config, ConfigError};

/// Reads what the settings name, and says what of it no role can use, or not those that it is for.
pub fn notes(config: &Config, permissions: &Permissions) -> Result<Vec<String>, ConfigError> {
    let table: Table = config.sections.read(SECTION)?.unwrap_or_default();
    let written = LoadedDocuments::read(&table, config)?;
    let judge = Judge { permissions, limits: &config.limits.document, coercion: config.profile.coercion() };
    let mut notes = vec![];
    for role in table.role.keys().filter(|role| judge.access(role).is_none()) {
        notes.push(format!("`[{SECTION}.role.{role}]`: the permission file has no role `{role}`"));
    }
    let all: Vec<&str> = permissions.roles().map(|access| access.role()).collect();
    // The admin is not judged by lists, so what is for the admin alone need not be on one.
    let judged: Vec<&str> = all.iter().copied().filter(|role| *role != ADMIN).collect();
    for persisted in &written.persisted {
        notes.extend(judge.anybody(&all, &persisted.origin, &persisted.text));
    }
    for listed in &written.listed {
        match &listed.roles {
            None => notes.extend(judge.anybody(&judged, &listed.origin, &listed.text)),
            Some(roles) => notes.extend(roles.iter().filter_map(|role| judge.role(role, &listed.origin, &listed.text))),
        }
    }
    let mut told = std::collections::HashSet::new();
    notes.retain(|note| told.insert(note.clone()));
    Ok(notes)
}

struct Judge<'a> {
    permissions: &'a Permissions,
    limits: &'a Limits,
    coercion: Coercion,
}

impl Judge<'_> {
    /// What a role may do, as a back end: it is the wider.
    fn access(&self, role: &str) -> Option<&Access> {
        self.permissions.role_as(role, true).map(|access| &**access)
    }

    /// Why a role that is named cannot ask it.
    fn role(&self, role: &str, origin: &str, text: &str) -> Option<String> {
        let Some(access) = self.access(role) else {
            return Some(format!("{origin}: the permission file has no role `{role}`"));
        };
        self.fault(access, text).map(|fault| format!("{origin}: not valid for role `{role}`: {fault}"))
    }

    /// Why none of these roles can ask it.
    fn anybody(&self, roles: &[&str], origin: &str, text: &str) -> Option<String> {
        let faults = roles.iter().map(|role| Some((role, self.fault(self.access(role)?, text)?)));
        let (role, fault) = faults.collect::<Option<Vec<_>>>()?.into_iter().next()?;
        Some(format!("{origin}: not valid for any role; for `{role}`: {fault}"))
    }

    /// What is wrong with a document for a role.
    fn fault(&self, access: &Access, text: &str) -> Option<String> {
        let document = match document::parse(text, self.limits) {
            Ok(document) => std::sync::Arc::new(document),
            Err(error) => return Some(error.to_string()),
        };
        // Whichever operation is meant, all of them are judged.
        let name = document.operations().next().and_then(|(name, _)| name.map(str::to_owned));
        Operation::validate_as(access, document, name.as_deref(), self.coercion).err().map(|error| error.to_string())
    }
}
