//! Compares upserts with a plain evaluator, since row-level security differs here: Postgres raises
//! an error at a hidden row, the dialect leaves it unchanged. The evaluator works row by row in the
//! order of the request: first all new rows have to pass the role's check; a conflicting row that
//! the update's rule or `where` does not match is left unchanged and not counted; the result of an
//! update has to pass its check.

use serde_json::{Value as Json, json};
use sql::model::access::Access;
use sql::{Cause, TranslationKind};
use tests::choices::{self, Choices};
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tests::wire;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How many upserts are tried with either kind of plans.
const EXAMPLES: u32 = 500;

/// A row of `shelves`. A proposed row may still lack required columns.
#[derive(Clone, Debug, PartialEq)]
struct Shelf {
    id: Option<i64>,
    owner: Option<i64>,
    label: Option<String>,
    amount: Option<i64>,
    note: Option<String>,
    made_by: Option<i64>,
    touched_by: Option<i64>,
}

/// The columns of a shelf, in the table's order.
type Columns = (
    i64,
    i64,
    &'static str,
    i64,
    Option<&'static str>,
    Option<i64>,
    Option<i64>,
);

/// The rows of `shelves` before the upsert.
const SHELVES: [Columns; 6] = [
    (1, 1, "nails", 10, None, Some(1), None),
    (2, 1, "screws", 0, Some("empty"), Some(1), Some(2)),
    (3, 1, "bolts", 50, None, Some(2), None),
    (4, 2, "hooks", 5, Some("hidden"), Some(2), None),
    (5, 2, "nuts", 40, None, Some(1), Some(1)),
    (6, 3, "wire", 7, None, None, None),
];

/// A column that is inserted or updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Id,
    Owner,
    Label,
    Amount,
    Note,
}

const COLUMNS: [(Column, &str); 5] = [
    (Column::Id, "id"),
    (Column::Owner, "ownerId"),
    (Column::Label, "label"),
    (Column::Amount, "amount"),
    (Column::Note, "note"),
];

/// The `where` condition on a conflicting row, in addition to the role's rule.
#[derive(Clone, Copy, Debug)]
enum Filter {
    None,
    AmountBelow(i64),
    NoNote,
    Label(&'static str),
    NotLabel(&'static str),
}

#[derive(Debug)]
struct Upsert {
    user: i64,
    /// The columns of each row, with their values.
    rows: Vec<Vec<(Column, Json)>>,
    by_label: bool,
    updated: Vec<Column>,
    filter: Filter,
}

/// The outcome of an upsert.
#[derive(Clone, Debug, PartialEq)]
enum UpsertOutcome {
    /// The table afterwards, by key, and the keys of the written rows.
    Done(Vec<Shelf>, Vec<i64>),
    /// One of these errors, by SQLSTATE; `check` for a failed check.
    Failed(Vec<String>),
}

#[test]
fn upserts_match_the_evaluator() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(fixture::database("upserts"))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let seen = std::cell::RefCell::new([0_usize; 4]);
    for plans in ["force_custom_plan", "force_generic_plan"] {
        runtime.block_on(client.batch_execute(&format!("SET plan_cache_mode = {plans}")))?;
        choices::check(EXAMPLES, |choices| {
            let upsert = Upsert::random(choices);
            let (document, variables) = upsert.written(choices.percent(50));
            let expected = upsert.evaluated();
            let found =
                runtime.block_on(found(&client, access, upsert.user, &document, &variables));
            let found = found.map_err(|error| format!("{document} {variables}: {error}"))?;
            let index = match &found {
                UpsertOutcome::Done(_, keys) if keys.is_empty() => 0,
                UpsertOutcome::Done(..) => 1,
                UpsertOutcome::Failed(codes) if codes.iter().any(|code| code == "check") => 2,
                UpsertOutcome::Failed(_) => 3,
            };
            seen.borrow_mut()[index] += 1;
            if agree(&found, &expected) {
                Ok(())
            } else {
                Err(format!(
                    "user {}: {document} {variables}\nfound    {found:?}\nexpected {expected:?}",
                    upsert.user
                ))
            }
        })?;
    }
    let [nothing, done, checked, refused] = *seen.borrow();
    assert!(
        nothing > 30 && done > 100 && checked > 100 && refused > 30,
        "{:?}",
        seen.borrow()
    );
    Ok(())
}

fn agree(found: &UpsertOutcome, expected: &UpsertOutcome) -> bool {
    match (found, expected) {
        // The database reports the first error that it meets.
        (UpsertOutcome::Failed(found), UpsertOutcome::Failed(possible)) => {
            found.iter().all(|code| possible.contains(code))
        }
        (found, expected) => found == expected,
    }
}

async fn found(
    client: &Client,
    access: &Access,
    user: i64,
    document: &str,
    variables: &Json,
) -> Outcome<UpsertOutcome> {
    let request = Request::new(document)
        .variables(variables.clone())
        .session("user_id", user.to_string());
    let translated = request.translate(access)?;
    let TranslationKind::Mutation(mutation) = &translated.translation.kind else {
        return Err("no mutation".into());
    };
    let mut rows = Vec::new();
    let response = wire::rehearse(client, async |client| {
        let response_value = request
            .steps(client, mutation, &translated.variables)
            .await?;
        rows = shelves(client).await?;
        Ok(response_value)
    });
    match response.await {
        Ok(reply_body) => {
            let answer: Json = serde_json::from_str(&reply_body)?;
            let mut keys: Vec<_> = answer["m"]["returning"]
                .as_array()
                .into_iter()
                .flatten()
                .collect();
            if answer["m"]["affected_rows"].as_u64() != Some(keys.len() as u64) {
                return Err(format!("the rows are miscounted: {answer}").into());
            }
            keys.sort_by_key(|row| row["id"].as_i64());
            Ok(UpsertOutcome::Done(
                rows,
                keys.iter().filter_map(|row| row["id"].as_i64()).collect(),
            ))
        }
        Err(Failure::Request(error)) if error.cause == Cause::Check => {
            Ok(UpsertOutcome::Failed(vec!["check".into()]))
        }
        Err(Failure::Wire(error)) if error.sqlstate().is_some() => Ok(UpsertOutcome::Failed(
            error.sqlstate().map(str::to_owned).into_iter().collect(),
        )),
        Err(failure) => Err(failure.into()),
    }
}

async fn shelves(client: &Client) -> Result<Vec<Shelf>, wire::Error> {
    let statement =
        "SELECT id, owner_id, label, amount, note, made_by, touched_by FROM shelves ORDER BY id";
    let number = |row: &tokio_postgres::Row, index| row.get::<_, Option<i32>>(index).map(i64::from);
    let shelf = |row: &tokio_postgres::Row| Shelf {
        id: number(row, 0),
        owner: number(row, 1),
        label: row.get(2),
        amount: number(row, 3),
        note: row.get(4),
        made_by: number(row, 5),
        touched_by: number(row, 6),
    };
    Ok(client
        .query(statement, &[])
        .await?
        .iter()
        .map(shelf)
        .collect())
}

impl Upsert {
    fn random(choices: &mut Choices<'_>) -> Upsert {
        let user = choices.pick(&[1, 2, 3]).copied().unwrap_or(1);
        let rows = (0..1 + choices.below(4))
            .map(|_| row(user, choices))
            .collect();
        let by_label = choices.percent(40);
        let updated = match choices.below(5) {
            0 => vec![],
            1 => vec![Column::Amount],
            _ => COLUMNS
                .iter()
                .map(|(column, _)| *column)
                .filter(|_| choices.percent(40))
                .collect(),
        };
        let filter = match choices.below(8) {
            4 => Filter::AmountBelow(20),
            5 => Filter::NoNote,
            6 => Filter::Label("nails"),
            7 => Filter::NotLabel("bolts"),
            _ => Filter::None,
        };
        Upsert {
            user,
            rows,
            by_label,
            updated,
            filter,
        }
    }

    // ---- the mutation

    fn written(&self, variables: bool) -> (String, Json) {
        let name = |of: &Column| {
            COLUMNS
                .iter()
                .find(|(column, _)| column == of)
                .map_or("", |(_, name)| *name)
        };
        let object = |row: &Vec<(Column, Json)>| {
            Json::from_iter(row.iter().map(|(c, v)| (name(c).to_owned(), v.clone())))
        };
        let rows = Json::from_iter(self.rows.iter().map(object));
        let key = if self.by_label {
            "shelves_label"
        } else {
            "shelves_pkey"
        };
        let columns: Vec<_> = self
            .updated
            .iter()
            .map(|column| {
                if *column == Column::Owner {
                    "ownerId"
                } else {
                    name(column)
                }
            })
            .collect();
        let filter = self.filter.json();
        let tail = "{ affected_rows returning { id } }";
        if variables {
            let mut conflict = json!({ "constraint": key, "update_columns": columns });
            if !filter.is_null() {
                conflict["where"] = filter;
            }
            let document = format!(
                "mutation ($o: [shelves_insert_input!]!, $c: shelves_on_conflict) \
                 {{ m: insertShelves(objects: $o, on_conflict: $c) {tail} }}"
            );
            return (document, json!({ "o": rows, "c": conflict }));
        }
        let filter = if filter.is_null() {
            String::new()
        } else {
            format!(", where: {}", tests::documents::literal(&filter))
        };
        let document = format!(
            "mutation {{ m: insertShelves(objects: {}, onConflict: {{constraint: {key}, \
             update_columns: [{}]{filter}}}) {tail} }}",
            tests::documents::literal(&rows),
            columns.join(", ")
        );
        (document, json!({}))
    }

    // ---- the evaluator

    fn evaluated(&self) -> UpsertOutcome {
        let proposed: Vec<Shelf> = self.rows.iter().map(|row| self.proposed(row)).collect();
        // The check of all new rows comes first, whatever they conflict with.
        let passes = |row: &Shelf| {
            row.owner == Some(self.user) && row.amount.is_some_and(|amount| amount < 100)
        };
        if !proposed.iter().all(passes) {
            return UpsertOutcome::Failed(vec!["check".into()]);
        }
        let mut table = stored();
        let mut written: Vec<i64> = Vec::new();
        let mut faults: Vec<String> = Vec::new();
        for row in &proposed {
            match self.upserted(row, &mut table, &written) {
                Ok(Some(key)) => written.push(key),
                Ok(None) => {}
                Err(fault) => faults.push(fault.into()),
            }
        }
        if !faults.is_empty() {
            return UpsertOutcome::Failed(faults);
        }
        written.sort_unstable();
        table.sort_by_key(|row| row.id);
        UpsertOutcome::Done(table, written)
    }

    /// A row with defaults and presets.
    fn proposed(&self, row: &[(Column, Json)]) -> Shelf {
        let given = |of: Column| {
            row.iter()
                .find(|(column, _)| *column == of)
                .map(|(_, value)| value)
        };
        let number = |of| given(of).and_then(Json::as_i64);
        let text = |of| given(of).and_then(Json::as_str).map(str::to_owned);
        Shelf {
            id: number(Column::Id),
            owner: number(Column::Owner),
            label: text(Column::Label),
            amount: given(Column::Amount).map_or(Some(1), Json::as_i64),
            note: text(Column::Note),
            made_by: Some(self.user),
            touched_by: None,
        }
    }

    /// Writes one row. Returns the key of the row, if one was written.
    fn upserted(
        &self,
        row: &Shelf,
        table: &mut Vec<Shelf>,
        written: &[i64],
    ) -> Result<Option<i64>, &'static str> {
        if row.id.is_none() || row.label.is_none() {
            return Err("23502");
        }
        let same = |there: &Shelf| {
            if self.by_label {
                there.label == row.label
            } else {
                there.id == row.id
            }
        };
        let Some(index) = table.iter().position(same) else {
            if collides(row, table, None) {
                return Err("23505");
            }
            table.push(row.clone());
            return Ok(row.id);
        };
        if self.updated.is_empty() {
            return Ok(None);
        }
        let there = &table[index];
        // A row that this statement has written is not written again.
        if there.id.is_some_and(|id| written.contains(&id)) {
            return Err("21000");
        }
        let touchable =
            there.owner == Some(self.user) && there.amount.is_some_and(|amount| amount > 0);
        if !touchable || !self.filter.passes(there) {
            return Ok(None);
        }
        let changed = self.changed(there, row);
        if changed.owner != Some(self.user) || changed.amount.is_none_or(|amount| amount > 60) {
            return Err("check");
        }
        if collides(&changed, table, Some(index)) {
            return Err("23505");
        }
        let key = changed.id;
        table[index] = changed;
        Ok(key)
    }

    fn changed(&self, there: &Shelf, row: &Shelf) -> Shelf {
        let mut changed = Shelf {
            touched_by: Some(self.user),
            ..there.clone()
        };
        for column in &self.updated {
            match column {
                Column::Id => changed.id = row.id,
                Column::Owner => changed.owner = row.owner,
                Column::Label => changed.label = row.label.clone(),
                Column::Amount => changed.amount = row.amount,
                Column::Note => changed.note = row.note.clone(),
            }
        }
        changed
    }
}

impl Filter {
    fn json(self) -> Json {
        match self {
            Filter::None => Json::Null,
            Filter::AmountBelow(bound) => json!({ "amount": { "_lt": bound } }),
            Filter::NoNote => json!({ "note": { "_is_null": true } }),
            Filter::Label(label) => json!({ "_or": [{ "label": { "_eq": label } }] }),
            Filter::NotLabel(label) => json!({ "_not": { "label": { "_eq": label } } }),
        }
    }

    fn passes(self, row: &Shelf) -> bool {
        match self {
            Filter::None => true,
            Filter::AmountBelow(bound) => row.amount.is_some_and(|amount| amount < bound),
            Filter::NoNote => row.note.is_none(),
            Filter::Label(label) => row.label.as_deref() == Some(label),
            Filter::NotLabel(label) => row.label.as_deref() != Some(label),
        }
    }
}

fn stored() -> Vec<Shelf> {
    let shelf = |(id, owner, label, amount, note, made_by, touched_by): (
        i64,
        i64,
        &str,
        i64,
        Option<&str>,
        _,
        _,
    )| Shelf {
        id: Some(id),
        owner: Some(owner),
        label: Some(label.into()),
        amount: Some(amount),
        note: note.map(str::to_owned),
        made_by,
        touched_by,
    };
    SHELVES.map(shelf).to_vec()
}

fn collides(row: &Shelf, table: &[Shelf], but: Option<usize>) -> bool {
    let others = table
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != but);
    others
        .into_iter()
        .any(|(_, other)| other.id == row.id || other.label == row.label)
}

fn row(user: i64, choices: &mut Choices<'_>) -> Vec<(Column, Json)> {
    const LABELS: [&str; 9] = [
        "nails", "screws", "bolts", "hooks", "nuts", "wire", "new", "other", "third",
    ];
    let mut row = Vec::new();
    if choices.percent(98) {
        row.push((Column::Id, json!(1 + choices.below(9))));
    }
    let owner = if choices.percent(92) {
        user
    } else {
        1 + choices.below(3) as i64
    };
    row.push((Column::Owner, json!(owner)));
    if choices.percent(98) {
        row.push((Column::Label, json!(choices.pick(&LABELS))));
    }
    if choices.percent(80) {
        let amount = choices
            .pick(&[
                json!(5),
                json!(0),
                json!(30),
                json!(60),
                json!(61),
                json!(5),
                json!(99),
                json!(30),
            ])
            .cloned();
        row.push((
            Column::Amount,
            if choices.percent(3) {
                json!(100)
            } else {
                amount.unwrap_or_default()
            },
        ));
    }
    if choices.percent(50) {
        row.push((
            Column::Note,
            [json!("x"), json!(null), json!("hidden")][choices.below(3)].clone(),
        ));
    }
    row
}

/// The constant above equals the table of the fixture.
#[tokio::test]
async fn shelves_match_the_fixture() -> Outcome {
    let database = fixture::database("shelves").await?;
    assert_eq!(
        shelves(&fixture::connect(&database).await?).await?,
        stored()
    );
    Ok(())
}
