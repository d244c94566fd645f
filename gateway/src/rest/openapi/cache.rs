//! Descriptions that were made before.

use bytes::Bytes;
use permissions::Permissions;
use sql::model::access::Access;

use super::{ApiInfo, describe};
use crate::rest;
use crate::rest::per_role::PerRole;

/// What every role may ask, described when somebody wants to know.
#[derive(Debug)]
pub struct OpenApiCache {
    about: ApiInfo,
    made: PerRole<Bytes>,
}

impl OpenApiCache {
    /// Those of the roles that there are.
    pub fn new(about: ApiInfo, permissions: &Permissions) -> OpenApiCache {
        OpenApiCache { about, made: PerRole::new(permissions) }
    }

    /// What this one may ask of the map.
    ///
    /// Errors: those of [`describe`].
    pub fn of(&self, map: &rest::Map, access: &Access) -> Result<Bytes, sql::Error> {
        self.made.get(access, || describe(map, access, &self.about).map(|told| told.to_string().into()))
    }
}
