//! Caches the OpenAPI description of each role.

use bytes::Bytes;
use permissions::Permissions;
use sql::model::access::Access;

use super::{ApiInfo, describe};
use crate::error::Error;
use crate::execute::SchemaWork;
use crate::rest;
use crate::rest::per_role::PerRole;

/// The descriptions for each role, built on first use.
#[derive(Debug)]
pub struct OpenApiCache {
    about: ApiInfo,
    made: PerRole<Bytes>,
}

impl OpenApiCache {
    /// Creates an empty cache for the roles of the permissions.
    pub fn new(about: ApiInfo, permissions: &Permissions) -> OpenApiCache {
        OpenApiCache {
            about,
            made: PerRole::new(permissions),
        }
    }

    /// The description of the endpoints that this role may call.
    ///
    /// Errors: those of [`describe`].
    pub async fn get(
        &self,
        map: &rest::Map,
        access: &Access,
        mut work: SchemaWork,
    ) -> Result<Bytes, Error> {
        let make = async {
            let description = describe(map, access, &self.about, &mut work).await?;
            work.slice(|| Bytes::from(description.to_string())).await
        };
        self.made.get(access, make).await
    }
}
