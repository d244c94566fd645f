//! What roles of the database may do, and which settings the database reads, as [`POLICIES_QUERY`]
//! answers it.

use serde::Deserialize;

use crate::settings_read::{SettingReader, SettingsRead};

/// The statement that reads privileges, and the texts that may read settings. Its one column is a
/// JSON document for [`DatabaseRights::parse`].
///
/// The roles are those that tables or columns are granted to; without any, the current user, which
/// becomes the role `user`.
pub const POLICIES_QUERY: &str = include_str!("policies.sql");

/// The result of [`POLICIES_QUERY`].
#[derive(Debug)]
pub struct DatabaseRights {
    pub(crate) document: Document,
    pub(crate) read: SettingsRead,
}

/// The JSON document of the answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    /// The database user.
    pub(crate) user: String,
    /// Roles with privileges that policies do not limit.
    pub(crate) unlimited: Vec<String>,
    /// Tables that `PUBLIC` has privileges on.
    pub(crate) public: Vec<String>,
    /// Owners of tables that have no privilege on another table.
    pub(crate) owners: Vec<String>,
    pub(crate) members: Vec<Member>,
    /// Privileges of roles that policies limit.
    pub(crate) grants: Vec<Privileges>,
    /// The texts that may read settings.
    readers: Vec<SettingReader>,
}

/// A role that has privileges only as a member of others.
#[derive(Debug, Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) parents: Vec<String>,
}

/// The privileges of a role on a table.
#[derive(Debug, Deserialize)]
pub(crate) struct Privileges {
    /// The role of the database.
    pub(crate) role: String,
    /// The role of the file.
    pub(crate) r#as: String,
    pub(crate) schema: String,
    pub(crate) table: String,
    /// Whether the role has `USAGE` on the schema.
    pub(crate) usage: bool,
    /// The table's owner, if policies do not limit the role because it is the owner or a member of
    /// it.
    pub(crate) owner: Option<String>,
    pub(crate) select: Vec<String>,
    pub(crate) insert: Vec<String>,
    pub(crate) update: Vec<String>,
    pub(crate) delete: bool,
    /// Which of `select`, `insert` and `update` hold for all columns, later ones too.
    pub(crate) whole: Vec<String>,
}

impl DatabaseRights {
    /// Parses the result of [`POLICIES_QUERY`].
    pub fn parse(document: &str) -> Result<DatabaseRights, serde_json::Error> {
        let document: Document = serde_json::from_str(document)?;
        let read = SettingsRead::new(&document.readers);
        Ok(DatabaseRights { document, read })
    }

    /// The statement that asks which of the settings have a value on a new connection: settings of
    /// an extension, and those that `ALTER DATABASE` or the server's configuration gives. Its one
    /// column is an array for [`DatabaseRights::leave_alone`].
    pub fn defaults_query(&self) -> String {
        // The names have no quotes in them.
        let names: Vec<String> = self
            .read
            .settings
            .keys()
            .map(|name| format!("'{name}'"))
            .collect();
        format!(
            "SELECT coalesce(json_agg(n.name), '[]')::text FROM unnest(ARRAY[{}]::text[]) AS n \
             (name) \
             WHERE CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_settings s WHERE lower(s.name) = \
             n.name) THEN true \
             WHEN EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = \
             split_part(n.name, '.', 1)) THEN true \
             ELSE current_setting(n.name, true) <> '' END",
            names.join(", ")
        )
    }

    /// Takes the settings that have a value already out of the file. `names` is the result of
    /// [`DatabaseRights::defaults_query`].
    pub fn leave_alone(&mut self, names: &str) -> Result<(), serde_json::Error> {
        for name in serde_json::from_str::<Vec<String>>(names)? {
            self.read.settings.remove(&name);
        }
        Ok(())
    }
}
