//! Replaces the OIDs of the saved catalog's domains by those of a live database: records in binary
//! name their columns' types by OID, and these OIDs differ from one database to the next.

use std::collections::HashMap;
use std::sync::OnceLock;

use sql::encode::shape::{Connection, Encoder, Field, Level, Node, PagePart, ResponseShape, Shape};
use sql::postgres::catalog::{Catalog, Oid, TypeKind};
use tokio_postgres::Client;

/// The OIDs of the saved catalog's domains in one database, by their saved OIDs.
#[derive(Debug, Default)]
pub struct Domains(HashMap<Oid, Oid>);

/// The saved domains: OID, schema, name.
fn saved() -> &'static [(Oid, String, String)] {
    static SAVED: OnceLock<Vec<(Oid, String, String)>> = OnceLock::new();
    SAVED.get_or_init(|| {
        let catalog =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixture/catalog.json"))
                .ok();
        let catalog = catalog.and_then(|text| Catalog::decode(&text).ok());
        let types = catalog.map(|catalog| catalog.types).unwrap_or_default();
        let domains = types
            .into_iter()
            .filter(|found| matches!(found.kind, TypeKind::Domain(_)));
        domains
            .map(|domain| (domain.oid, domain.schema, domain.name))
            .collect()
    })
}

impl Domains {
    /// Reads the OIDs of a database.
    pub async fn of(client: &Client) -> Result<Domains, tokio_postgres::Error> {
        let found = "SELECT t.oid, n.nspname::text, t.typname::text FROM pg_type t JOIN \
                     pg_namespace n ON n.oid = t.typnamespace \
                     WHERE t.typtype = 'd'";
        let mut numbers = HashMap::new();
        for row in client.query(found, &[]).await? {
            let oid: Oid = row.get(0);
            let schema: String = row.get(1);
            let name: String = row.get(2);
            let known = saved()
                .iter()
                .find(|(_, of, called)| *of == schema && *called == name);
            numbers.extend(known.map(|(saved, ..)| (*saved, oid)));
        }
        Ok(Domains(numbers))
    }

    /// Replaces the saved OIDs in a shape by those of this database.
    pub fn renumber(&self, shape: &mut Shape) {
        match &mut shape.response {
            ResponseShape::Rows { row, .. }
            | ResponseShape::One { row, .. }
            | ResponseShape::Part(Some(row)) => {
                self.node(row);
            }
            ResponseShape::Levels(levels) => {
                let all = levels.inner.iter_mut().chain([&mut levels.root]);
                all.for_each(|Level { node, .. }| self.node(node));
            }
            ResponseShape::Row(fields) => self.fields(fields),
            ResponseShape::Part(None) => {}
        }
    }

    fn fields(&self, fields: &mut [Field]) {
        fields
            .iter_mut()
            .for_each(|field| self.node(&mut field.node));
    }

    fn node(&self, node: &mut Node) {
        match node {
            Node::Value(encoder) => self.encoder(encoder),
            Node::Object(fields) | Node::Optional(fields) => self.fields(fields),
            Node::List(inner) | Node::One(inner) | Node::Record(inner) | Node::Reversed(inner) => {
                self.node(inner);
            }
            Node::Connection(page) => self.page(page),
            Node::Constant(_) | Node::Level(..) | Node::Cursor(_) => {}
        }
    }

    fn page(&self, page: &mut Connection) {
        for (_, part) in &mut page.fields {
            if let PagePart::Rows { node, .. } = part {
                self.node(node);
            }
        }
    }

    fn encoder(&self, encoder: &mut Encoder) {
        match encoder {
            Encoder::Domain(oid, inner) => {
                *oid = self.0.get(oid).copied().unwrap_or(*oid);
                self.encoder(inner);
            }
            Encoder::Array(inner) | Encoder::Quoted(inner) => self.encoder(inner),
            _ => {}
        }
    }
}
