//! Descriptions that were made before.

use bytes::Bytes;
use permissions::Permissions;
use sql::access::Access;

use super::{About, describe};
use crate::by_role::ByRole;
use crate::rest;

/// What every role may ask, described when somebody wants to know.
#[derive(Debug)]
pub struct Descriptions {
    about: About,
    made: ByRole<Bytes>,
}

impl Descriptions {
    /// Those of the roles that there are.
    pub fn new(about: About, permissions: &Permissions) -> Descriptions {
        Descriptions { about, made: ByRole::new(permissions) }
    }

    /// What this one may ask of the map.
    ///
    /// Errors: those of [`describe`].
    pub fn of(&self, map: &rest::Map, access: &Access) -> Result<Bytes, sql::Error> {
        self.made.get(access, || describe(map, access, &self.about).map(|told| told.to_string().into()))
    }
}
