//! The fixture: a small database with hostile names and values, its saved catalog, and a permission
//! file with many roles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use permissions::{Defaults, Diagnostic, ParsedFile, Permissions, SourceFile};
use sql::model::DefaultExposure;
use sql::model::access::Access;
use sql::postgres::catalog;
use sql::postgres::catalog::{Catalog, Oid, TypeKind};
use tokio_postgres::Client;

use crate::database::{ReusedDatabase, TestDatabase};
use crate::server_features::ServerFeatures;
use crate::wire;

/// Tables, views and types. The parts for operators, shapes and mutations include their own rows.
pub const SCHEMA: &str = concat!(
    include_str!("../fixture/schema.sql"),
    include_str!("../fixture/functions.sql"),
    include_str!("../fixture/spatial.sql"),
    include_str!("../fixture/operators.sql"),
    include_str!("../fixture/writing.sql")
);

/// The rows.
pub const DATA: &str = include_str!("../fixture/data.sql");

/// Resets the sequences that mutations used: rolling back a transaction does not reset them.
pub const RESTART: &str = "SELECT setval(pg_get_serial_sequence(name, 'id'), 1000, false) \
                           FROM unnest('{projects,tasks,task_notes,gadgets}'::text[]) AS name";

/// The rules of the permission file written as row-level security policies.
pub const POLICIES: &str = include_str!("../fixture/rls.sql");

/// The permission file.
pub const PERMISSIONS: &str = include_str!("../fixture/permissions.toml");

/// Permission files for what holds for a whole file, each with its name in golden cases and its
/// dialect.
const VARIANTS: [(&str, &str, DefaultExposure); 4] = [
    (
        "settings",
        include_str!("../fixture/settings.toml"),
        DefaultExposure::Everything,
    ),
    (
        "typed_enums",
        include_str!("../fixture/typed_enums.toml"),
        DefaultExposure::Everything,
    ),
    (
        "row_by_row",
        include_str!("../fixture/row_by_row.toml"),
        DefaultExposure::Everything,
    ),
    (
        "hasura",
        include_str!("../fixture/hasura.toml"),
        DefaultExposure::AsHasura,
    ),
];

/// The lowest OID in the saved catalog that stands for a type whose OID differs between databases.
const FIRST_OWN_TYPE: Oid = 100_000;

/// The fixture's permission file, compiled over a catalog.
#[derive(Debug)]
pub struct Fixture {
    permissions: Permissions,
}

/// Why the fixture cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The saved catalog cannot be decoded.
    #[error(transparent)]
    Catalog(#[from] catalog::DecodeError),
    /// The permission file has errors.
    #[error("{0}")]
    Permissions(String),
    /// Postgres returned an error.
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
    /// The test database could not be created.
    #[error(transparent)]
    Test(#[from] crate::database::Error),
}

impl Fixture {
    /// The fixture over the saved catalog.
    pub fn saved() -> Result<Fixture, Error> {
        Fixture::new(saved_catalog()?)
    }

    /// The fixture over the saved catalog with another permission file.
    pub fn variant(name: &str) -> Result<Fixture, Error> {
        let found = VARIANTS.iter().find(|(known, ..)| *known == name);
        let (_, text, offer) =
            found.ok_or_else(|| Error::Permissions(format!("no permission file `{name}`")))?;
        let file = SourceFile::new(format!("{name}.toml"), *text);
        let defaults = Defaults {
            offer: *offer,
            ..Defaults::default()
        };
        Fixture::compiled(
            &file,
            permissions::compile_with(&file, Arc::new(saved_catalog()?), defaults),
        )
    }

    /// The fixture over this catalog.
    pub fn new(catalog: Catalog) -> Result<Fixture, Error> {
        let file = SourceFile::new("permissions.toml", PERMISSIONS);
        Fixture::compiled(&file, permissions::compile(&file, Arc::new(catalog)))
    }

    fn compiled(
        file: &SourceFile,
        compiled: Result<Permissions, Vec<Diagnostic>>,
    ) -> Result<Fixture, Error> {
        let permissions = compiled
            .map_err(|problems| Error::Permissions(permissions::render(&problems, file, false)))?;
        Ok(Fixture { permissions })
    }

    /// The grants of a role.
    pub fn access(&self, role: &str) -> Option<&Arc<Access>> {
        self.permissions.role(role)
    }

    /// The compiled permission file.
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }
}

/// Creates a database with the fixture's tables and rows.
pub async fn database(name_hint: &str) -> Result<TestDatabase, Error> {
    Ok(crate::create(name_hint, &[SCHEMA, DATA]).await?)
}

/// Returns a database with the fixture's tables and rows that no other caller uses until it is
/// dropped. It is not made for the caller: a caller that changes it has to roll back.
pub async fn reused_database() -> Result<ReusedDatabase, Error> {
    Ok(crate::database::reuse(&[SCHEMA, DATA]).await?)
}

/// What the server of the tests has.
pub async fn features() -> Result<ServerFeatures, Error> {
    let database = reused_database().await?;
    Ok(ServerFeatures::of(&crate::database::connect(database.url()).await?).await?)
}

/// Connects to a database with the session settings that the gateway uses.
pub async fn connect(database: &TestDatabase) -> Result<Client, Error> {
    connect_to(database.url()).await
}

/// Connects to the database at this URL with the session settings that the gateway uses.
pub async fn connect_to(url: &str) -> Result<Client, Error> {
    let client = crate::database::connect(url).await?;
    client.batch_execute(wire::SETTINGS).await?;
    Ok(client)
}

/// Reads the catalog of a database without what differs between clusters: OIDs, the database's
/// name, the server's version, estimates.
pub async fn catalog(client: &Client) -> Result<Catalog, Error> {
    let row = client.query_one(catalog::QUERY, &[]).await?;
    let mut catalog = Catalog::decode(row.get(0))?;
    let file = ParsedFile::read(SourceFile::new("permissions.toml", PERMISSIONS));
    if let Some(query) = file.enum_query(&catalog) {
        catalog.take_enum_values(client.query_one(&query, &[]).await?.get(0))?;
    }
    catalog.server_version = 150_000;
    catalog.database = "fixture".into();
    for table in &mut catalog.tables {
        table.estimated_rows = -1.0;
        table.spreads.clear();
    }
    // Of extensions: some packages of PostGIS have comments, and others do not.
    catalog
        .types
        .iter_mut()
        .filter(|of| of.schema == "ext")
        .for_each(|of| of.comment = None);
    renumber(&mut catalog);
    Ok(Catalog::decode(&catalog.encode()?)?)
}

fn saved_catalog() -> Result<Catalog, Error> {
    let path = catalog_path();
    let text = std::fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    Ok(Catalog::decode(&text)?)
}

/// The path of the saved catalog.
pub fn catalog_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/catalog.json")
}

fn renumber(catalog: &mut Catalog) {
    let mut own: Vec<_> = catalog.types.iter().filter(|t| t.oid >= 16_384).collect();
    own.sort_by(|a, b| (&a.schema, &a.name).cmp(&(&b.schema, &b.name)));
    let numbers: BTreeMap<Oid, Oid> = own
        .iter()
        .zip(FIRST_OWN_TYPE..)
        .map(|(t, number)| (t.oid, number))
        .collect();
    let number = |oid: &mut Oid| *oid = numbers.get(oid).copied().unwrap_or(*oid);
    for table in &mut catalog.tables {
        table
            .columns
            .iter_mut()
            .for_each(|column| number(&mut column.r#type));
    }
    for function in &mut catalog.functions {
        number(&mut function.result);
        function
            .arguments
            .iter_mut()
            .for_each(|argument| number(&mut argument.r#type));
        function
            .columns
            .iter_mut()
            .for_each(|column| number(&mut column.r#type));
    }
    for entry in &mut catalog.types {
        number(&mut entry.oid);
        match &mut entry.kind {
            TypeKind::Domain(of)
            | TypeKind::Array(of)
            | TypeKind::Range(of)
            | TypeKind::Multirange(of) => number(of),
            TypeKind::Composite(fields) => fields
                .iter_mut()
                .for_each(|field| number(&mut field.r#type)),
            TypeKind::Base | TypeKind::Enum(_) | TypeKind::Pseudo => {}
        }
    }
    catalog.types.sort_by_key(|t| t.oid);
}
