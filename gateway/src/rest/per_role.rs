//! What is made once for each role, from the catalog, access and map of one version: what somebody of that role is told of.

use std::collections::HashMap;
use std::sync::OnceLock;

use permissions::Permissions;
use sql::model::access::Access;

/// Things of one kind, one for each role, and one for it as a back end; made when somebody wants to know. A reload makes others.
#[derive(Debug)]
pub struct PerRole<T>(HashMap<(String, bool), OnceLock<T>>);

impl<T: Clone> PerRole<T> {
    /// Those of the roles that there are, none of them made.
    pub fn new(permissions: &Permissions) -> PerRole<T> {
        let roles = permissions.roles().map(|access| access.role().to_owned());
        let keys = roles.flat_map(|role| [(role.clone(), false), (role, true)]);
        PerRole(keys.map(|key| (key, OnceLock::new())).collect())
    }

    /// What is there for a role, or is made now. Roles that the permission file does not name have no bound, and little to be told of:
    /// for them it is made each time.
    pub fn get<E>(&self, access: &Access, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let Some(made) = self.0.get(&(access.role().to_owned(), access.is_backend())) else { return make() };
        match made.get() {
            Some(made) => Ok(made.clone()),
            None => make().map(|new| made.get_or_init(|| new).clone()),
        }
    }
}
