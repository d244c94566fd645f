//! A lazily filled slot for each role, whose values depend on the catalog, permissions and map of
//! one version. A reload creates new ones.

use std::collections::HashMap;
use std::sync::OnceLock;

use permissions::Permissions;
use sql::model::access::Access;

/// One value for each role, and one for its backend callers; each is built on first use.
#[derive(Debug)]
pub struct PerRole<T>(HashMap<(String, bool), OnceLock<T>>);

impl<T: Clone> PerRole<T> {
    /// Creates an empty slot for each role.
    pub fn new(permissions: &Permissions) -> PerRole<T> {
        let roles = permissions.roles().map(|access| access.role().to_owned());
        let keys = roles.flat_map(|role| [(role.clone(), false), (role, true)]);
        PerRole(keys.map(|key| (key, OnceLock::new())).collect())
    }

    /// The role's value, built now if there is none. Roles that the permission file does not name
    /// are unbounded in number and have little access: their value is built each time.
    pub async fn get<E>(
        &self,
        access: &Access,
        make: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let Some(slot) = self.0.get(&(access.role().to_owned(), access.is_backend())) else {
            return make.await;
        };
        match slot.get() {
            Some(value) => Ok(value.clone()),
            None => make.await.map(|new| slot.get_or_init(|| new).clone()),
        }
    }
}
