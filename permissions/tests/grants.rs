//! Tests of the compiled access of roles, of the statements that check rules, and of errors mapped
//! to the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use permissions::{Diagnostic, Permissions, RuleError, SourceFile, compile};
use sql::model::access::{RuleDependencies, RuleFragment, Setting};
use sql::postgres::catalog::{Catalog, ColumnId};
use sql::postgres::length_limits::LengthLimits;

fn catalog() -> Arc<Catalog> {
    Arc::new(Catalog::decode(include_str!("catalog.json")).unwrap())
}

fn compiled(text: &str) -> Permissions {
    let file = SourceFile::new("permissions.toml", text);
    compile(&file, catalog())
        .unwrap_or_else(|problems| panic!("{}", permissions::render(&problems, &file, false)))
}

const FILE: &str = r#"[session]
user_id = "uuid"

[rules.own]
args = ["owner"]
sql = "owner = session.user_id"

[table.data_subjects.role.user]
select = { columns = ["id", "did"], rows = "own(created_by)", limit = 7, aggregates = true }
insert = { columns = "*", check = "true", preset = { created_by = "session.user_id" } }
update = { columns = ["did"], rows = "own(created_by)", max_affected = 3 }

[table.users.role.other]
delete = { rows = "id = session.user_id", backend_only = true }
"#;

#[test]
fn access_has_only_the_grants_of_the_file() {
    let permissions = compiled(FILE);
    let catalog = catalog();
    let subjects = catalog.find("public", "data_subjects").unwrap();
    let users = catalog.find("public", "users").unwrap();
    let roles: Vec<&str> = permissions.roles().map(|access| access.role()).collect();
    assert_eq!(roles, ["admin", "user", "other"]);

    let user = permissions.role("user").unwrap();
    assert!(user.grants(users).is_none());
    let grants = user.grants(subjects).unwrap();
    let table = catalog.table(subjects);
    let name = |column| table.column(column).name.as_str();
    let select = grants.select.as_ref().unwrap();
    assert_eq!(
        select.columns.iter().map(name).collect::<Vec<_>>(),
        ["id", "did"]
    );
    assert_eq!((select.limit, select.aggregates.is_some()), (Some(7), true));
    let insert = grants.insert.as_ref().unwrap();
    let given: Vec<&str> = insert.columns.iter().map(name).collect();
    assert_eq!(
        given,
        [
            "id",
            "did",
            "data_controller_id",
            "created_at",
            "do_not_track",
            "gpc",
            "tags"
        ]
    );
    assert!(insert.check.is_everything());
    assert_eq!(name(insert.preset[0].0), "created_by");
    let update = grants.update.as_ref().unwrap();
    assert_eq!(update.rows, update.check);
    assert_eq!(update.max_affected, Some(3));
    assert!(grants.delete.is_none());
    assert!(
        permissions
            .role("other")
            .unwrap()
            .grants(users)
            .unwrap()
            .delete
            .as_ref()
            .unwrap()
            .backend_only
    );
}

#[test]
fn rule_compiles_to_sql_columns_and_session_values() {
    let permissions = compiled(FILE);
    let catalog = catalog();
    let subjects = catalog.find("public", "data_subjects").unwrap();
    let rule = &permissions
        .role("user")
        .unwrap()
        .select(subjects)
        .unwrap()
        .rows;
    let pieces: Vec<String> = rule
        .pieces
        .iter()
        .map(|piece| match piece {
            RuleFragment::Sql(sql) => sql.clone(),
            RuleFragment::Column(column) => {
                format!("<{}>", catalog.table(subjects).column(*column).name)
            }
            RuleFragment::Session(value) => {
                format!(
                    "<{}: {}>",
                    value.name,
                    catalog.type_of(value.r#type).unwrap().name
                )
            }
        })
        .collect();
    assert_eq!(
        pieces,
        ["((", "<created_by>", ") = ", "<user_id: uuid>", ")"]
    );
    assert_eq!((rule.source().line, &*rule.text), (9, "own(created_by)"));
    assert_eq!(&*rule.file, "permissions.toml");
}

#[test]
fn postgres_errors_are_located_in_the_file() {
    let text = r#"[session]
user_id = "uuid"

[rules.own]
args = ["owner"]
sql = "owner = session.user_id"

[table.data_subjects.role.user]
select = { columns = ["id"], rows = "did = 'x' AND own(gpc)" }
"#;
    let permissions = compiled(text);
    let preparation = &permissions.rules[0];
    assert_eq!(
        &*preparation.sql,
        r#"SELECT FROM "public"."data_subjects" AS "_0" WHERE ("_0"."did" = 'x' AND (("_0"."gpc") = $1::"pg_catalog"."uuid"))"#
    );
    let position = preparation.sql.find("\"gpc\"").unwrap() as u32 + 1;
    let refused = "operator does not exist: boolean = uuid";
    let problem = one(preparation.problems(
        &error(refused, Some(position)),
        Some("add a cast".to_owned()),
    ));
    assert_eq!(problem.code(), "postgres");
    let expected = "\
error[postgres]: Postgres rejects this rule: operator does not exist: boolean = uuid
 --> permissions.toml:9:56
  |
9 | select = { columns = [\"id\"], rows = \"did = 'x' AND own(gpc)\" }
  |                                                        ^^^
  |
  = help: add a cast";
    assert_eq!(problem.to_string(), expected);
    assert_ne!(problem.render(true), expected);

    let in_named_rule = preparation.sql.find("$1").unwrap() as u32 + 1;
    let problem = one(preparation.problems(&error("no", Some(in_named_rule)), None));
    assert_eq!((problem.span().line(), problem.span().column()), (6, 24));
    let unplaced = "function onw(uuid) does not exist";
    let unplaced = one(preparation.problems(&error(unplaced, None), None));
    assert_eq!(
        (unplaced.span().line(), unplaced.suggestion()),
        (9, Some("did you mean `own`?"))
    );
}

fn error(message: &str, position: Option<u32>) -> RuleError {
    RuleError {
        message: message.to_owned(),
        position,
        hint: None,
    }
}

fn one(problems: Vec<Diagnostic>) -> Diagnostic {
    <[Diagnostic; 1]>::try_from(problems)
        .map(|[problem]| problem)
        .unwrap()
}

#[test]
fn a_rule_that_roles_repeat_is_checked_once_and_located_everywhere() {
    let text = r#"[session]
user_id = "uuid"

[rules.own]
args = ["owner"]
sql = "owner = session.user_id"

[table.data_subjects.role.user]
select = { columns = ["id"], rows = "did = 'x' AND own(gpc)" }

[table.data_subjects.role.other]
select = { columns = ["id", "did"], rows = "did = 'x' AND own(gpc)" }
delete = { rows = "did = 'x' AND own(gpc)" }
"#;
    let permissions = compiled(text);
    let subjects = catalog().find("public", "data_subjects").unwrap();
    let lines = ["user", "other"].map(|role| {
        permissions
            .role(role)
            .unwrap()
            .select(subjects)
            .unwrap()
            .rows
            .source()
            .line
    });
    assert_eq!(lines, [9, 12]);
    // Reading and deleting are two subjects.
    let [read, deleted] = &permissions.rules[..] else {
        panic!("{} checks", permissions.rules.len())
    };
    let places = |problems: Vec<Diagnostic>| -> Vec<(u32, u32)> {
        problems
            .iter()
            .map(|problem| (problem.span().line(), problem.span().column()))
            .collect()
    };
    let position = Some(read.sql.find("\"gpc\"").unwrap() as u32 + 1);
    assert_eq!(
        places(read.problems(&error("no", position), None)),
        [(9, 56), (12, 63)]
    );
    assert_eq!(
        places(deleted.problems(&error("no", position), None)),
        [(13, 38)]
    );
    let in_named_rule = Some(read.sql.find("$1").unwrap() as u32 + 1);
    assert_eq!(
        places(read.problems(&error("no", in_named_rule), None)),
        [(6, 24)]
    );
}

#[test]
fn problems_serialize_to_json() {
    let file = SourceFile::new("p.toml", "[table.user]\n");
    let problems = compile(&file, catalog()).unwrap_err();
    let json = serde_json::to_string(&problems).unwrap();
    let expected = r#"[{"file":"p.toml","line":1,"column":8,"code":"unknown-table","message":"table `user` is not in the database","help":"did you mean `users`?"}]"#;
    assert_eq!(json, expected);
}

#[test]
fn unknown_role_has_no_access() {
    let permissions = compiled("");
    assert!(permissions.role("user").is_none());
    assert_eq!(permissions.roles().count(), 1);
}

#[test]
fn exponentially_growing_rules_are_refused() {
    let mut text = "[rules.r0]\nargs = [\"x\"]\nsql = \"x IS NULL\"\n".to_owned();
    for number in 1..40 {
        let inner = number - 1;
        text +=
            &format!("[rules.r{number}]\nargs = [\"x\"]\nsql = \"r{inner}(x) OR r{inner}(x)\"\n");
    }
    text += "[table.users.role.user]\nselect = { columns = \"*\", rows = \"r39(id)\" }\n";
    let problems = compile(&SourceFile::new("p.toml", text), catalog()).unwrap_err();
    assert!(
        problems
            .iter()
            .all(|problem| problem.code() == "rule-too-long")
    );
}

fn reads_of(rule: &str) -> String {
    let text = format!(
        "[session]\nuser_id = \"uuid\"\n\n[rules.member]\nargs = \
                        [\"controller\"]\n\
                        sql = \"EXISTS (SELECT FROM data_controller_users m WHERE \
                        m.data_controller_id = controller AND m.user_id = session.user_id)\"\n\n\
                        [table.data_subjects.role.user]\nselect = {{ columns = \"*\", rows = \
                        \"\"\"{rule}\"\"\" }}\n"
    );
    let permissions = compiled(&text);
    let catalog = catalog();
    let subjects = catalog.find("public", "data_subjects").unwrap();
    match &permissions
        .role("user")
        .unwrap()
        .select(subjects)
        .unwrap()
        .rows
        .reads
    {
        RuleDependencies::Nothing => "nothing".to_owned(),
        RuleDependencies::Anything => "anything".to_owned(),
        RuleDependencies::Tables(tables) => tables
            .iter()
            .map(|table| catalog.table(*table).name.clone())
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[test]
fn rule_records_its_dependencies() {
    for (rule, reads) in [
        ("true", "nothing"),
        (
            "did = 'x' AND created_at > now() - interval '1 day' AND coalesce(gpc, lower(did) = \
             'y')",
            "nothing",
        ),
        (
            "did = ANY (ARRAY(SELECT value FROM jsonb_array_elements_text('[]'::jsonb)))",
            "nothing",
        ),
        ("pg_catalog.lower(did) = 'y'", "nothing"),
        ("member(data_controller_id)", "data_controller_users"),
        (
            "member(data_controller_id) AND id IN (SELECT id FROM users UNION SELECT user_id \
             FROM data_controller_users)",
            "data_controller_users users",
        ),
        (
            "id IN (WITH RECURSIVE up AS (SELECT id FROM \"or\"\"ders\" UNION SELECT o.id FROM \
             \"or\"\"ders\" o JOIN up USING (id)) \
             SELECT NULL::uuid FROM up)",
            "or\"ders",
        ),
        (
            "id IN (SELECT data_subject_id FROM latest_activity)",
            "anything",
        ),
        (
            "data_controller_id IN (SELECT visible_ids(session.user_id))",
            "anything",
        ),
        (
            "data_controller_id IN (SELECT v FROM visible_ids(session.user_id) v)",
            "anything",
        ),
        ("public.lower(did) = 'y'", "anything"),
        ("similarity(did, 'x') > 0.5", "anything"),
        ("query_to_xml(did, true, true, '') IS NULL", "anything"),
        ("did OPERATOR(public.=) 'x'", "anything"),
    ] {
        assert_eq!(reads_of(rule), reads, "{rule}");
    }
}

#[test]
fn settings_apply_to_all_roles_and_dry_run_where_granted() {
    let permissions = compiled(
        r#"[session]
user_id = "uuid"

[settings]
"app.user_id" = "session.user_id"
hasura.user = "session"

[role.editor]
dry_run = true

[role.reader]
"#,
    );
    let expected = [
        ("app.user_id".to_owned(), Setting::Value("user_id".into())),
        ("hasura.user".to_owned(), Setting::Session),
    ];
    let dry_run_of = |name: &str| {
        let access = permissions.role(name).unwrap();
        assert_eq!(access.settings(), expected, "{name}");
        access.may_dry_run()
    };
    assert_eq!(
        ["admin", "editor", "reader"].map(dry_run_of),
        [true, true, false]
    );
}

const FAMILY: &str = r#"[session]
user_id = "uuid"

[table.users.role.a]
insert = { columns = ["id", "name"], check = "id = session.user_id", preset = { mood = "'sad'" } }
update = { columns = ["name"], rows = "true", max_affected = 2 }
delete = { rows = "true", backend_only = true }

[table.users.role.b]
insert = { columns = ["name", "id"], check = "id = session.user_id", preset = { mood = "'sad'" } }
update = { columns = ["name"], rows = "true", max_affected = 3 }

[table.users.role.own]
update = { columns = ["mood"], rows = "true" }

[role.both]
inherits = ["a", "b"]

[role.own]
inherits = ["a", "b"]

[role.third]
inherits = ["both", "c"]

[role.c]
"#;

#[test]
fn write_grants_are_inherited_if_parents_agree() {
    let permissions = compiled(FAMILY);
    let users = catalog().find("public", "users").unwrap();
    let access = |name: &str| permissions.role_as(name, true).unwrap();
    let granted = |name: &str| {
        let grants = access(name).grants(users).unwrap();
        (
            grants.insert.is_some(),
            grants.update.as_ref().map(|update| update.max_affected),
            grants.delete.is_some(),
        )
    };
    assert_eq!(granted("both"), (true, None, true));
    assert_eq!(granted("third"), (true, None, true), "one more generation");
    assert_eq!(
        granted("own"),
        (true, Some(None), true),
        "its own grant wins"
    );
    assert!(permissions.role("c").unwrap().grants(users).is_none());
    let notes: Vec<String> = permissions.notes.iter().map(ToString::to_string).collect();
    let expected = "\
note[not-inherited]: role `both` inherits no grant to update `users`: those of its parents differ
  --> permissions.toml:16:7
   |
16 | [role.both]
   |       ^^^^
   |
   = help: give the role a grant of its own, or make those of its parents the same";
    assert_eq!(notes, [expected]);
}

#[test]
fn write_grants_agree_if_their_limits_do() {
    let file = r#"[table.users.role.a]
insert = { columns = ["id", "name"], check = "true", max_rows = 2, max_length = 100 }
update = { columns = ["name"], rows = "true", max_length = 100 }

[table.users.role.b]
insert = { columns = ["id", "name"], check = "true", max_rows = 2, max_length = { name = 100 } }
update = { columns = ["name"], rows = "true", max_length = 200 }

[table."audit.entries".role.a]
insert = { columns = "*", check = "true", max_rows = 2 }

[table."audit.entries".role.b]
insert = { columns = "*", check = "true" }

[role.both]
inherits = ["a", "b"]
"#;
    let permissions = compiled(file);
    let both = permissions.role("both").unwrap();
    let users = catalog().find("public", "users").unwrap();
    let grants = both.grants(users).unwrap();
    assert!(grants.insert.is_some() && grants.update.is_none());
    let entries = catalog().find("audit", "entries").unwrap();
    assert!(both.insert(entries).is_none());
}

#[test]
fn parents_that_list_the_same_root_fields_agree() {
    let family = |of_b: &str| {
        let grant = |role: &str, roots: &str| {
            format!(
                "[table.users.role.{role}]\ndelete = {{ rows = \"true\", roots = [{roots}] }}\n"
            )
        };
        let text = grant("a", r#""delete", "delete_one""#) + &grant("b", of_b);
        compiled(&(text + "[role.both]\ninherits = [\"a\", \"b\"]\n"))
    };
    let users = catalog().find("public", "users").unwrap();
    let inherits = |of_b| family(of_b).role("both").unwrap().delete(users).is_some();
    assert!(inherits(r#""delete_one", "delete""#), "in another order");
    assert!(!inherits(r#""delete""#), "others");
}

#[test]
fn backend_only_grants_apply_only_to_backends() {
    let permissions = compiled(FAMILY);
    let users = catalog().find("public", "users").unwrap();
    for name in ["a", "both", "third"] {
        let plain = permissions.role(name).unwrap();
        let backend = permissions.role_as(name, true).unwrap();
        assert!(
            plain.delete(users).is_none() && !plain.is_backend(),
            "{name}"
        );
        assert!(
            backend.delete(users).is_some() && backend.is_backend(),
            "{name}"
        );
    }
    for name in ["admin", "b"] {
        let plain = permissions.role(name).unwrap();
        let backend = permissions.role_as(name, true).unwrap();
        assert!(Arc::ptr_eq(plain, backend), "{name}");
    }
}

#[test]
fn admin_may_write_every_writable_column() {
    let permissions = compiled("");
    let admin = permissions.role("admin").unwrap();
    let catalog = catalog();
    let names = |table: &str| {
        let id = catalog.find("public", table).unwrap();
        let columns = admin
            .insert(id)?
            .columns
            .iter()
            .map(|column| catalog.table(id).column(column).name.clone());
        Some(columns.collect::<Vec<_>>().join(" "))
    };
    let subjects = "id did data_controller_id created_by created_at do_not_track gpc tags";
    assert_eq!(names("data_subjects").as_deref(), Some(subjects));
    assert_eq!(
        names("latest_activity"),
        None,
        "a view that nothing can be written through"
    );
}

#[test]
fn length_limits_hold_for_columns_whose_values_have_a_length() {
    let permissions = compiled(
        r#"[table.data_subjects.role.user]
insert = { columns = "*", check = "true", max_rows = 5, max_length = { did = 10, "*" = 20 }, max_items = 3 }
update = { columns = ["did", "tags"], rows = "true", max_length = 7 }
"#,
    );
    let catalog = catalog();
    let subjects = catalog.find("public", "data_subjects").unwrap();
    let name = |column| catalog.table(subjects).column(column).name.as_str();
    let written = |lengths: &BTreeMap<ColumnId, LengthLimits>| -> Vec<String> {
        let of_column = |(column, limits): (&ColumnId, &LengthLimits)| {
            let LengthLimits {
                characters,
                elements,
            } = limits;
            format!("{} {characters:?} {elements:?}", name(*column))
        };
        lengths.iter().map(of_column).collect()
    };
    let grants = permissions.role("user").unwrap().grants(subjects).unwrap();
    let insert = grants.insert.as_ref().unwrap();
    assert_eq!(insert.max_rows, Some(5));
    assert_eq!(
        written(&insert.lengths),
        ["did Some(10) None", "tags Some(20) Some(3)"]
    );
    let update = grants.update.as_ref().unwrap();
    assert_eq!(
        written(&update.lengths),
        ["did Some(7) None", "tags Some(7) None"]
    );
}

#[test]
fn role_of_few_grants_that_is_called_like_another_is_noted() {
    let grants = |table: &str, role: &str| {
        format!("[table.{table}.role.{role}]\nselect = {{ columns = [\"id\"], rows = \"true\" }}\n")
    };
    let common = grants("users", "member") + &grants("data_subjects", "member");
    let notes = |more: &str| {
        let permissions = compiled(&format!("{common}{more}"));
        let messages = permissions.notes.iter().map(Diagnostic::message);
        messages.collect::<Vec<_>>()
    };
    let other = "data_processing_activities";
    assert_eq!(
        notes(&grants(other, "membr")),
        ["role `membr` is new, and named once in this file"]
    );
    assert!(notes(&grants(other, "manager")).is_empty());
    assert!(notes(&grants(other, "member")).is_empty());
    let defined = grants(other, "membr") + "[role.membr]\n";
    assert!(notes(&defined).is_empty());
}
