//! Tests reading the catalog of a database that contains every kind of object.

use sql::postgres::catalog::{
    Catalog, Column, CompositeField, Function, Generated, Identity, QUERY, ReadOnly, Table,
    TableKind, Type, TypeKind, Volatility,
};
use tests::TestDatabase;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const FIXTURE: &str = include_str!("catalog/fixture.sql");

async fn load(database: &TestDatabase) -> Result<Catalog, Box<dyn std::error::Error>> {
    let document: String = database
        .connect()
        .await?
        .query_one(QUERY, &[])
        .await?
        .get(0);
    Ok(Catalog::decode(&document)?)
}

async fn fixture() -> Result<Catalog, Box<dyn std::error::Error>> {
    load(&tests::create("catalog", &[FIXTURE]).await?).await
}

fn table<'a>(catalog: &'a Catalog, schema: &str, name: &str) -> Result<&'a Table, String> {
    catalog
        .find(schema, name)
        .map(|id| catalog.table(id))
        .ok_or_else(|| format!("no table {schema}.{name}"))
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column, String> {
    table
        .find(name)
        .map(|id| table.column(id))
        .ok_or_else(|| format!("no column {name} in {}", table.name))
}

fn type_of<'a>(catalog: &'a Catalog, column: &Column) -> Result<&'a Type, String> {
    catalog
        .type_of(column.r#type)
        .ok_or_else(|| format!("no type of {}", column.name))
}

fn named<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Type, String> {
    catalog
        .types
        .iter()
        .find(|t| t.name == name)
        .ok_or_else(|| format!("no type {name}"))
}

fn functions<'a>(catalog: &'a Catalog, name: &str) -> Vec<&'a Function> {
    catalog
        .functions
        .iter()
        .filter(|function| function.name == name)
        .collect()
}

fn keys(table: &Table) -> Vec<(&str, bool, Vec<&str>)> {
    table
        .keys
        .iter()
        .map(|k| {
            (
                k.name.as_str(),
                k.primary,
                k.columns.iter().map(String::as_str).collect(),
            )
        })
        .collect()
}

#[tokio::test]
async fn catalog_contains_user_objects_only() -> Outcome {
    let catalog = fixture().await?;
    let tables: Vec<_> = catalog
        .tables
        .iter()
        .map(|t| (t.schema.as_str(), t.name.as_str(), t.kind))
        .collect();
    let expected = [
        ("My \"Shop\"", "Line Items", TableKind::Table),
        ("My \"Shop\"", "empty", TableKind::Table),
        ("My \"Shop\"", "or\"ders", TableKind::Table),
        ("public", "archive", TableKind::Foreign),
        ("public", "closed", TableKind::View),
        ("public", "events", TableKind::Partitioned),
        ("public", "judged", TableKind::Table),
        ("public", "lines", TableKind::Foreign),
        ("public", "notes", TableKind::Table),
        ("public", "numbers", TableKind::View),
        ("public", "recent", TableKind::View),
        ("public", "totals", TableKind::Materialized),
        ("written", "moved", TableKind::Table),
        ("written", "notes", TableKind::Table),
        ("written", "papers", TableKind::Table),
        ("written", "parts", TableKind::Partitioned),
        ("written", "shouts", TableKind::View),
        ("written", "titles", TableKind::View),
        ("written", "told", TableKind::Table),
    ];
    assert_eq!(tables, expected);
    assert!(catalog.server_version >= 130_000);
    assert!(catalog.database.starts_with("catalog"));
    assert_eq!(catalog.search_path, ["public"]);
    // Postgres itself creates functions for a range type.
    let functions = catalog
        .functions
        .iter()
        .map(|f| f.name.as_str())
        .filter(|name| !name.starts_with("span"));
    assert_eq!(
        functions.collect::<Vec<_>>(),
        ["Top Orders", "later", "later", "sum_all", "total"]
    );
    Ok(())
}

#[tokio::test]
async fn tables_have_updatability_comments_and_estimates() -> Outcome {
    let catalog = fixture().await?;
    let updatable =
        |schema, name| table(&catalog, schema, name).map(|t| t.updatable & (8 | 4 | 16));
    assert_eq!(updatable("My \"Shop\"", "or\"ders")?, 28);
    assert_eq!(updatable("public", "events")?, 28);
    assert_eq!(updatable("public", "closed")?, 28);
    assert_eq!(
        updatable("public", "numbers")?,
        8,
        "an INSTEAD OF trigger inserts"
    );
    for name in ["totals", "lines", "archive", "recent"] {
        assert_eq!(updatable("public", name)?, 0, "{name}");
    }

    let orders = table(&catalog, "My \"Shop\"", "or\"ders")?;
    assert_eq!(
        orders.comment.as_deref(),
        Some("it's \"quoted\"\nand \\ long")
    );
    assert_eq!(
        column(orders, "mood")?.comment.as_deref(),
        Some("how it went")
    );
    assert!(orders.estimated_rows < 0.0, "never analyzed");
    assert!((table(&catalog, "public", "notes")?.estimated_rows - 3.0).abs() < 0.5);
    assert!(table(&catalog, "My \"Shop\"", "empty")?.columns.is_empty());
    Ok(())
}

#[tokio::test]
async fn columns_have_nullability_defaults_and_generation() -> Outcome {
    let catalog = fixture().await?;
    let orders = table(&catalog, "My \"Shop\"", "or\"ders")?;
    let names: Vec<_> = orders.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "id", "Region", "mood", "moods", "qty", "where", "during", "often", "sums", "label",
            "double", "code", "acl"
        ]
    );

    let nullable = |name| column(orders, name).map(|c| c.nullable);
    assert!(
        !nullable("id")? && !nullable("Region")?,
        "the primary key's"
    );
    assert!(nullable("mood")?);
    assert!(
        !nullable("qty")?,
        "a domain over a domain that forbids nulls"
    );

    let default = |name| column(orders, name).map(|c| c.default.as_deref());
    assert_eq!(default("Region")?, Some("'no''where'::text"));
    assert_eq!(default("qty")?, Some("7"), "the domain's");
    assert_eq!(default("double")?, None, "generated");
    assert_eq!(default("mood")?, None);

    assert_eq!(column(orders, "id")?.identity, Some(Identity::Always));
    assert_eq!(
        column(table(&catalog, "public", "notes")?, "id")?.identity,
        Some(Identity::ByDefault)
    );
    assert_eq!(column(orders, "double")?.generated, Some(Generated::Stored));
    assert!(!column(orders, "label")?.deterministic);
    assert!(orders.columns.iter().filter(|c| !c.deterministic).count() == 1);

    for name in ["closed", "totals"] {
        let view = table(&catalog, "public", name)?;
        assert!(view.columns.iter().all(|c| c.nullable), "{name}");
        assert!(
            view.keys.iter().all(|key| key.declared || !key.primary),
            "{name}"
        );
    }
    assert!(!column(table(&catalog, "public", "archive")?, "id")?.nullable);
    Ok(())
}

#[tokio::test]
async fn keys_exclude_partial_expression_and_deferrable_indexes() -> Outcome {
    let catalog = fixture().await?;
    let orders = table(&catalog, "My \"Shop\"", "or\"ders")?;
    let expected = [
        ("or\"ders_pkey", true, vec!["Region", "id"]),
        ("a plain index", false, vec!["label"]),
        ("or\"ders_mood_qty_key", false, vec!["mood", "qty"]),
    ];
    assert_eq!(keys(orders), expected);
    assert_eq!(orders.primary_key().map(|k| k.columns.len()), Some(2));
    assert!(orders.is_unique(&["id", "mood", "Region"]) && !orders.is_unique(&["id"]));
    assert_eq!(
        keys(table(&catalog, "public", "events")?),
        [("events_pkey", true, vec!["at", "id"])]
    );
    Ok(())
}

#[tokio::test]
async fn columns_of_partial_and_expression_indexes_are_recorded() -> Outcome {
    let catalog = fixture().await?;
    let orders = table(&catalog, "My \"Shop\"", "or\"ders")?;
    let columns: Vec<&str> = orders
        .other_indexed
        .iter()
        .map(|column| &**column)
        .collect();
    assert_eq!(columns, ["Region", "qty"]);
    assert!(
        table(&catalog, "My \"Shop\"", "Line Items")?
            .other_indexed
            .is_empty()
    );
    Ok(())
}

#[tokio::test]
async fn foreign_keys_keep_the_order_of_their_columns() -> Outcome {
    let catalog = fixture().await?;
    let items = table(&catalog, "My \"Shop\"", "Line Items")?;
    let [orders, parent] = &items.foreign_keys[..] else {
        return Err(format!("{:?}", items.foreign_keys).into());
    };
    assert_eq!(
        (orders.schema.as_str(), orders.table.as_str()),
        ("My \"Shop\"", "or\"ders")
    );
    assert_eq!(
        (&orders.columns[..], &orders.references[..]),
        (
            &strings(["order", "area"])[..],
            &strings(["id", "Region"])[..]
        )
    );
    assert_eq!(
        (parent.table.as_str(), &parent.columns[..]),
        ("Line Items", &strings(["parent"])[..])
    );

    // One key, although each partition has a copy of it.
    let judged = table(&catalog, "public", "judged")?;
    assert_eq!(
        judged
            .foreign_keys
            .iter()
            .map(|f| f.table.as_str())
            .collect::<Vec<_>>(),
        ["events"]
    );
    for key in catalog.tables.iter().flat_map(|t| &t.foreign_keys) {
        assert!(catalog.find(&key.schema, &key.table).is_some(), "{key:?}");
    }
    Ok(())
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

#[tokio::test]
async fn types_include_their_component_types() -> Outcome {
    let catalog = fixture().await?;
    let orders = table(&catalog, "My \"Shop\"", "or\"ders")?;
    let kind = |name| Ok::<_, String>(&type_of(&catalog, column(orders, name)?)?.kind);
    let mood = column(orders, "mood")?.r#type;
    assert_eq!(
        kind("mood")?,
        &TypeKind::Enum(strings(["sad", "so so", "hap'py"]))
    );
    assert_eq!(kind("moods")?, &TypeKind::Array(mood));
    assert_eq!(
        kind("qty")?,
        &TypeKind::Domain(named(&catalog, "positive")?.oid)
    );
    assert_eq!(
        catalog
            .base_type(column(orders, "qty")?.r#type)
            .map(|t| t.name.as_str()),
        Some("int4")
    );
    let field = |name: &str, r#type| CompositeField {
        name: name.into(),
        r#type,
    };
    let json = named(&catalog, "json")?.oid;
    let expected = vec![
        field("Street No", 23),
        field("moods", column(orders, "moods")?.r#type),
        field("extra", json),
    ];
    assert_eq!(kind("where")?, &TypeKind::Composite(expected));
    let span = column(orders, "during")?.r#type;
    assert_eq!(kind("during")?, &TypeKind::Range(701));
    assert_eq!(kind("often")?, &TypeKind::Array(span));
    assert_eq!(
        type_of(&catalog, column(orders, "mood")?)?
            .comment
            .as_deref(),
        Some("a mood")
    );
    assert_eq!(type_of(&catalog, column(orders, "mood")?)?.category, 'E');
    assert_eq!(named(&catalog, "unused")?.kind, TypeKind::Enum(vec![]));
    assert_eq!(
        named(&catalog, "_unused")?.kind,
        TypeKind::Array(named(&catalog, "unused")?.oid)
    );
    Ok(())
}

#[tokio::test]
async fn every_referenced_type_is_in_the_catalog() -> Outcome {
    let catalog = fixture().await?;
    let columns = catalog
        .tables
        .iter()
        .flat_map(|t| &t.columns)
        .map(|c| c.r#type);
    let arguments = catalog
        .functions
        .iter()
        .flat_map(|f| f.arguments.iter().map(|a| a.r#type).chain([f.result]));
    let parts = catalog.types.iter().flat_map(|t| match &t.kind {
        TypeKind::Domain(of)
        | TypeKind::Array(of)
        | TypeKind::Range(of)
        | TypeKind::Multirange(of) => vec![*of],
        TypeKind::Composite(fields) => fields.iter().map(|field| field.r#type).collect(),
        TypeKind::Base | TypeKind::Enum(_) | TypeKind::Pseudo => vec![],
    });
    for oid in columns.chain(arguments).chain(parts) {
        assert!(catalog.type_of(oid).is_some(), "{oid}");
    }
    let common = [
        "bool",
        "int2",
        "int8",
        "float4",
        "numeric",
        "varchar",
        "bpchar",
        "uuid",
        "date",
        "timetz",
        "timestamptz",
    ];
    for name in
        common
            .into_iter()
            .chain(["_interval", "_jsonb", "_bytea", "_text", "_time", "_json"])
    {
        named(&catalog, name)?;
    }
    assert!(catalog.types.is_sorted_by_key(|t| t.oid));
    Ok(())
}

#[tokio::test]
async fn types_know_whether_they_are_ordered_and_binary() -> Outcome {
    let catalog = fixture().await?;
    let flags = |name| named(&catalog, name).map(|t| (t.binary, t.ordered));
    for name in [
        "int4", "varchar", "_varchar", "numeric", "jsonb", "mood", "_mood", "positive", "span",
        "_span", "cidr",
    ] {
        assert_eq!(flags(name)?, (true, true), "{name}");
    }
    for name in ["json", "_json", "point", "place"] {
        assert_eq!(flags(name)?, (true, false), "{name}");
    }
    for name in ["aclitem", "_aclitem", "holder"] {
        assert_eq!(flags(name)?, (false, false), "{name}");
    }
    Ok(())
}

#[tokio::test]
async fn functions_have_inputs_and_results() -> Outcome {
    let catalog = fixture().await?;
    let one = |name| {
        functions(&catalog, name)
            .into_iter()
            .next()
            .ok_or(format!("no function {name}"))
    };
    let total = one("total")?;
    assert_eq!(
        (total.volatility, total.set, total.variadic),
        (Volatility::Stable, false, false)
    );
    let orders = named(&catalog, "or\"ders")?;
    let arguments: Vec<_> = total
        .arguments
        .iter()
        .map(|a| (a.name.as_deref(), a.r#type, a.default))
        .collect();
    assert_eq!(
        arguments,
        [(None, orders.oid, false), (Some("Rate"), 1700, true)]
    );
    assert_eq!(total.comment.as_deref(), Some("what it costs"));
    assert!(matches!(&orders.kind, TypeKind::Composite(fields) if fields.len() == 13));

    let top = one("Top Orders")?;
    assert_eq!(
        (top.result, top.set, top.volatility),
        (orders.oid, true, Volatility::Volatile)
    );
    let sum = one("sum_all")?;
    let arguments: Vec<_> = sum
        .arguments
        .iter()
        .map(|a| (a.name.as_deref(), a.default))
        .collect();
    assert_eq!(
        arguments,
        [
            (Some("first"), false),
            (Some("also"), true),
            (Some("rest"), true)
        ],
        "outputs left out"
    );
    assert!(sum.variadic);
    let columns: Vec<_> = sum
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.r#type))
        .collect();
    assert_eq!(columns, [("sum", 23), ("many", 16)], "outputs alone");
    assert!(total.columns.is_empty());
    let later: Vec<_> = functions(&catalog, "later")
        .iter()
        .map(|f| (f.schema.as_str(), f.arguments[0].r#type))
        .collect();
    assert_eq!(later, [("public", 1082), ("public", 1184)]);
    Ok(())
}

#[tokio::test]
async fn empty_database_has_a_catalog_and_decoding_round_trips() -> Outcome {
    let empty = load(&tests::create("empty", &[]).await?).await?;
    assert!(empty.tables.is_empty() && empty.functions.is_empty() && !empty.types.is_empty());

    let catalog = fixture().await?;
    let saved = catalog.encode()?;
    assert_eq!(Catalog::decode(&saved)?.encode()?, saved);
    Ok(())
}

#[tokio::test]
async fn multiranges_refer_to_their_range() -> Outcome {
    let database = tests::create("multirange", &[]).await?;
    let client = database.connect().await?;
    if client
        .batch_execute("CREATE TABLE t (sums int4multirange)")
        .await
        .is_err()
    {
        return Ok(());
    }
    let catalog = load(&database).await?;
    let sums = type_of(&catalog, column(table(&catalog, "public", "t")?, "sums")?)?;
    assert_eq!(
        sums.kind,
        TypeKind::Multirange(named(&catalog, "int4range")?.oid)
    );
    assert!(sums.ordered && sums.binary);
    Ok(())
}

#[tokio::test]
async fn triggers_rules_and_read_only_columns_are_recorded() -> Outcome {
    let catalog = fixture().await?;
    let written = |name| table(&catalog, "written", name).map(|t| (t.updatable & 28, t.triggers));
    assert_eq!(
        written("papers")?,
        (28, 1 + 2 + 16),
        "what is switched off does not count"
    );
    assert_eq!(
        written("titles")?,
        (28, 1 + 2 + 16),
        "those of the table it stands on"
    );
    assert_eq!(written("shouts")?, (28, 1 + 2 + 16));
    assert_eq!(written("notes")?, (28, 64), "rows follow a changed key");
    assert_eq!(written("parts")?, (28, 4), "those of a partition");
    assert_eq!(
        written("told")?,
        (8 + 16, 2 + 16),
        "nothing that a rule follows can be written in a WITH query"
    );
    assert_eq!(
        written("moved")?,
        (28, 1 + 8),
        "another statement in its place can"
    );
    assert_eq!(
        table(&catalog, "public", "numbers")?.triggers,
        1,
        "instead of"
    );

    let read_only = |name| {
        let id = catalog.find("written", name).ok_or("no such table")?;
        let columns = catalog.table(id).column_ids();
        let found = columns
            .filter_map(|(column, c)| Some((c.name.as_str(), catalog.read_only(id, column)?)));
        Ok::<_, String>(found.collect::<Vec<_>>())
    };
    let stored = [
        ("number", ReadOnly::Identity),
        ("length", ReadOnly::Generated),
    ];
    assert_eq!(read_only("papers")?, stored);
    assert_eq!(
        read_only("titles")?,
        [stored[0], stored[1], ("shout", ReadOnly::Computed)]
    );
    assert_eq!(read_only("shouts")?, [("shout", ReadOnly::Computed)]);
    Ok(())
}

/// Just-in-time compilation (`jit`) of the statement takes seconds, and Postgres uses it when the
/// planner's cost is high.
#[tokio::test]
async fn catalog_query_costs_less_than_the_jit_threshold() -> Outcome {
    let database = tests::create("planned", &[FIXTURE]).await?;
    let rows = database
        .connect()
        .await?
        .query(&format!("EXPLAIN (FORMAT TEXT) {QUERY}"), &[])
        .await?;
    let first: String = rows.first().ok_or("no plan")?.get(0);
    let cost = first
        .split("..")
        .nth(1)
        .and_then(|rest| rest.split('.').next())
        .ok_or("no cost")?;
    assert!(cost.parse::<u64>()? < 40_000, "{first}");
    Ok(())
}
