//! Measures the bytes that values occupy, with a counting allocator. The allocator's own overhead
//! is not included.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use bench::large;
use gateway::execute::plan_cache::PlanCache;
use gateway::limits::{Limits, RoleLimits};
use gateway::request::Request;
use permissions::SourceFile;
use serde_json::{Value, json};
use sql::model::access::Access;
use sql::postgres::catalog::{Catalog, QUERY};
use sql::resolve::Options;

use super::super::ALLOCATOR;

const TABLES: [u32; 3] = [100, 1_000, 5_000];
const ROLES: [u32; 2] = [1, 10];

/// Bytes allocated at the moment.
fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// A new value, the bytes that it added to those allocated before, and the milliseconds that
/// creating it took.
fn made<T>(make: impl FnOnce() -> T) -> (T, usize, f64) {
    let before = allocated();
    let began = Instant::now();
    let value = make();
    let ms = began.elapsed().as_secs_f64() * 1000.0;
    (value, allocated().saturating_sub(before), ms)
}

pub(crate) async fn measure(cluster: &str, most: u32) -> Result<Value, Box<dyn Error>> {
    println!(
        "\n| Tables | Roles | document | catalog | names and admin | of that, admin | \
              access of the roles | decode | compile |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut figures = vec![];
    for tables in TABLES.into_iter().filter(|tables| *tables <= most) {
        let client = large::connect(&large::database(cluster, tables).await?).await?;
        let document: String = client.query_one(QUERY, &[]).await?.get(0);
        let (catalog, catalog_bytes, decode) = made(|| Catalog::decode(&document).map(Arc::new));
        let catalog = catalog?;
        let (open, open_bytes, open_ms) = made(|| permissions::allow_all(catalog.clone()));
        let (_, admin_bytes, _) = made(|| Access::admin(open.model.clone()));
        drop(open);
        for roles in ROLES {
            let file = SourceFile::new("p.toml", large::permissions(tables, roles));
            let (compiled, bytes, ms) = made(|| permissions::compile(&file, catalog.clone()));
            let compiled =
                compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
            assert_eq!(compiled.roles().count(), roles as usize + 1);
            println!(
                "| {tables} | {roles} | {} | {} | {} | {} | {} | {decode:.0} ms | {ms:.0} ms |",
                mib(document.len()),
                mib(catalog_bytes),
                mib(open_bytes),
                mib(admin_bytes),
                mib(bytes.saturating_sub(open_bytes)),
            );
            figures.push(json!({
                "tables": tables, "roles": roles, "document": document.len(), "catalog": catalog_bytes,
                "names_and_admin": open_bytes, "admin": admin_bytes, "compiled": bytes,
                "rules": compiled.rules.len(), "decode_ms": decode, "open_ms": open_ms, "compile_ms": ms,
            }));
        }
    }
    Ok(figures.into())
}

/// Whether the plan cache stays within its limit when it is filled with distinct documents.
pub(crate) async fn plans(cluster: &str) -> Result<Value, Box<dyn Error>> {
    const BOUND: u64 = 16 << 20;
    let client = large::connect(&large::database(cluster, 100).await?).await?;
    let document: String = client.query_one(QUERY, &[]).await?.get(0);
    let permissions = permissions::allow_all(Arc::new(Catalog::decode(&document)?));
    let access = permissions.role("admin").ok_or("no admin")?.clone();
    println!("\n| Documents | bound | plans held | bytes held | of the bound |");
    println!("|---|--:|--:|--:|--:|");
    let mut figures = vec![];
    for (name, make) in KINDS {
        let limits = RoleLimits::from_limits(&Limits::default());
        let cache = PlanCache::new(BOUND, Options::default());
        let before = allocated();
        let mut highest = 0;
        for number in 0..20_000 {
            let request = Request::new(make(number));
            let entry = cache
                .document(&access, &request, &limits, |_| Ok(()))
                .map_err(|error| error.message())?;
            cache
                .plan(&access, entry, &request, &limits)
                .map_err(|error| error.message())?;
            if number % 500 == 0 {
                highest = highest.max(allocated().saturating_sub(before));
            }
        }
        let plans = cache.len().1;
        let share = highest as f64 / BOUND as f64;
        println!(
            "| {name} | {} | {plans} | {} | {share:.2} |",
            mib(BOUND as usize),
            mib(highest)
        );
        figures.push(json!({"documents": name, "bound": BOUND, "plans": plans, "bytes": highest}));
    }
    Ok(figures.into())
}

/// A kind of document, and a function that writes the one with a given number.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 4] = [
    ("by key", |n| {
        format!("query q{n} {{ t1ByPk(id: \"{ID}\") {{ id name email amount }} }}")
    }),
    ("a page with a filter", |n| {
        format!(
            "query q{n}($a: String = \"x\") {{ t1(where: {{name: {{_eq: $a}}, active: {{_eq: \
                 true}}}}, order_by: {{at: desc}}, limit: 20) {{ id name email at }} }}"
        )
    }),
    ("four levels", |n| {
        format!(
            "query q{n} {{ t4(limit: 5) {{ id name t5(limit: 3) {{ id name note t6 {{ id \
                 name t7 {{ id email }} }} }} parent {{ id name }} }} }}"
        )
    }),
    ("an insert", |n| {
        format!(
            "mutation m{n} {{ insertT1One(object: {{name: \"a\", note: \"b\"}}) {{ id name }} }}"
        )
    }),
];

const ID: &str = "00000000-0000-0000-0000-000000000001";

fn mib(bytes: usize) -> String {
    format!("{:.2} MiB", bytes as f64 / f64::from(1 << 20))
}
