//! Descriptions that were made before: one for each role, and one for it as a back end.

use std::collections::HashMap;
use std::sync::OnceLock;

use bytes::Bytes;
use permissions::Permissions;
use sql::access::Access;

use super::{About, describe};
use crate::rest;

/// What every role may ask, described when somebody wants to know. A reload makes others.
#[derive(Debug)]
pub struct Descriptions {
    about: About,
    made: HashMap<(String, bool), OnceLock<Bytes>>,
}

impl Descriptions {
    /// Those of the roles that there are.
    pub fn new(about: About, permissions: &Permissions) -> Descriptions {
        let roles = permissions.roles().map(|access| access.role().to_owned());
        let keys = roles.flat_map(|role| [(role.clone(), false), (role, true)]);
        Descriptions { about, made: keys.map(|key| (key, OnceLock::new())).collect() }
    }

    /// What this one may ask of the map. Roles that the permission file does not name have no bound, and little to tell of: they
    /// are described each time.
    ///
    /// Errors: those of [`describe`].
    pub fn of(&self, map: &rest::Map, access: &Access) -> Result<Bytes, sql::Error> {
        let describe = || describe(map, access, &self.about).map(|told| Bytes::from(told.to_string()));
        let Some(made) = self.made.get(&(access.role().to_owned(), access.is_backend())) else { return describe() };
        match made.get() {
            Some(bytes) => Ok(bytes.clone()),
            None => describe().map(|bytes| made.get_or_init(|| bytes).clone()),
        }
    }
}
