//! Tests the resolution of updates, deletes and changes of related rows, before any SQL is
//! rendered: values, keys, limits, and which parts of a variable are in the cache key.

use serde_json::{Map, Value as Json, json};
use sql::graphql::document;
use sql::graphql::document::Limits;
use sql::graphql::variables::{VariableFingerprint, Variables};
use sql::model::access::Access;
use sql::postgres::catalog::{ColumnId, TableId};
use sql::resolve::selection::{
    BoundOperand, Change, Filter, Outcome, RelatedChange, RelatedKind, ResponseKind, Root,
    RootSelection, Term, Update,
};
use sql::resolve::{Coercion, Operation, Options};
use sql::statement::Parameter;
use tests::fixture::Fixture;

/// Resolves operations as one role.
struct Resolver<'f> {
    access: &'f Access,
    coercion: Coercion,
}

/// The description of an operation's selection, and the key of the variables that determine it.
struct Resolution {
    words: Vec<String>,
    structure: VariableFingerprint,
    variables: Variables,
}

fn with<T>(role: &str, run: impl FnOnce(&Resolver<'_>) -> T) -> T {
    let fixture = Fixture::saved().unwrap();
    run(&Resolver {
        access: fixture.access(role).unwrap(),
        coercion: Coercion::Strict,
    })
}

impl Resolver<'_> {
    fn resolve(&self, document: &str, variables: Json) -> Result<Resolution, sql::Error> {
        let variables: Map<String, Json> = serde_json::from_value(variables).unwrap();
        let document = std::sync::Arc::new(document::parse(document, &Limits::default())?);
        let operation = Operation::validate_as(self.access, document, None, self.coercion)?;
        let variables = operation.coerce(self.access, &variables)?;
        let options = Options {
            coercion: self.coercion,
            ..Options::default()
        };
        let (selection, structure) = operation.select(self.access, &variables, options)?;
        let words = Words {
            access: self.access,
            variables: &variables,
        };
        let words = selection
            .roots
            .iter()
            .map(|root| words.root(root))
            .collect();
        Ok(Resolution {
            words,
            structure,
            variables,
        })
    }

    /// The description of the only root field, or its error.
    fn describe(&self, field: &str) -> String {
        self.describe_with("", field, json!({}))
    }

    fn describe_with(&self, declared: &str, field: &str, variables: Json) -> String {
        match self.resolve(&format!("mutation{declared} {{ {field} }}"), variables) {
            Ok(resolution) => resolution.words.join("; "),
            Err(error) => format!("{}: {error}", error.path),
        }
    }

    fn key(&self, document: &str, variables: Json) -> String {
        let resolution = self.resolve(document, variables).unwrap();
        resolution.structure.key(&resolution.variables)
    }
}

/// Describes a selection in words.
struct Words<'a> {
    access: &'a Access,
    variables: &'a Variables,
}

impl Words<'_> {
    fn root(&self, root: &Root<'_>) -> String {
        match &root.selection {
            RootSelection::Write(write) => {
                let outcome = match &write.outcome {
                    Outcome::Row(_) => "row",
                    Outcome::Response(fields) | Outcome::Responses(fields) => {
                        assert!(fields.iter().all(
                                |field| !matches!(field.kind, ResponseKind::Returning(ref all) if all.is_empty())
                            ));
                        if matches!(write.outcome, Outcome::Response(_)) {
                            "response"
                        } else {
                            "responses"
                        }
                    }
                };
                format!("{outcome}: {}", self.change(&write.change))
            }
            RootSelection::Constant(text) => text.clone(),
            RootSelection::Value(_) => "value".into(),
            RootSelection::Called(..) => "called".into(),
            other => panic!("{other:?}"),
        }
    }

    fn change(&self, change: &Change<'_>) -> String {
        match change {
            Change::Update(updates) => updates
                .iter()
                .map(|update| self.update(update))
                .collect::<Vec<_>>()
                .join(" then "),
            Change::Delete(delete) => {
                let by = if delete.by_key { "by key" } else { "where" };
                format!("delete {by} {}", self.filter(delete.table, &delete.filter))
            }
            Change::Insert(_) => "insert".into(),
        }
    }

    fn update(&self, update: &Update<'_>) -> String {
        let table = update.table;
        let by = if update.by_key { "by key" } else { "where" };
        let mut words = format!("update {by} {}", self.filter(table, &update.filter));
        for assigned in &update.assignments {
            let value = self.parameter(&assigned.value);
            words += &format!(
                " {} {} {value}",
                self.column(table, assigned.column),
                assigned.modifier.name()
            );
        }
        for expected in &update.expected {
            let value = expected
                .value
                .as_ref()
                .map_or("null".into(), |value| self.parameter(value));
            words += &format!(
                " if {} {} {value}",
                self.term(table, &expected.column),
                expected.operator.name
            );
        }
        let related: Vec<String> = update
            .related
            .iter()
            .map(|change| self.related(change))
            .collect();
        if related.is_empty() {
            words
        } else {
            format!("{words} ({})", related.join(", "))
        }
    }

    fn related(&self, change: &RelatedChange<'_>) -> String {
        let to = change.relation.to;
        let rows = |word: &str, filter| format!("{word} {}", self.filter(to, filter));
        let words = match &change.change {
            RelatedKind::Insert(_) => "insert".into(),
            RelatedKind::Update(update) => self.update(update),
            RelatedKind::Delete(filter) => rows("delete", filter),
            RelatedKind::Link(filter) => rows("link", filter),
            RelatedKind::Unlink(filter) => rows("unlink", filter),
        };
        format!("{}: {words}", change.relation.name)
    }

    fn filter(&self, table: TableId, filter: &Filter<'_>) -> String {
        let all = |all: &[Filter<'_>]| {
            all.iter()
                .map(|f| self.filter(table, f))
                .collect::<Vec<_>>()
        };
        match filter {
            Filter::And(filters) => match all(filters).as_slice() {
                [only] => only.clone(),
                several => format!("[{}]", several.join(" & ")),
            },
            Filter::Or(filters) => format!("[{}]", all(filters).join(" | ")),
            Filter::Not(inner) => format!("!{}", self.filter(table, inner)),
            Filter::Compare(term, operator, bounds) => {
                let bound = |bound: &BoundOperand| {
                    bound
                        .parameter
                        .as_ref()
                        .map(|p| self.parameter(p))
                        .unwrap_or_default()
                };
                let bounds = bounds.iter().map(bound).collect::<String>();
                format!("{}{}{bounds}", self.term(table, term), operator.name)
            }
            Filter::IsNull { term, is_null } => {
                format!("{} null {is_null}", self.term(table, term))
            }
            Filter::Related(relation, inner) => {
                format!("{}({})", relation.name, self.filter(relation.to, inner))
            }
            other => panic!("{other:?}"),
        }
    }

    fn term(&self, table: TableId, term: &Term) -> String {
        match term {
            Term::Column(column) => self.column(table, *column),
            other => panic!("{other:?}"),
        }
    }

    fn column(&self, table: TableId, column: ColumnId) -> String {
        self.access.model().table(table).column(column).name.clone()
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        match parameter {
            Parameter::Constant(literal) => format!("'{}'", literal.text),
            Parameter::Request(operand) => match operand.bind(self.variables).unwrap() {
                Some(text) => format!("${text}"),
                None => "$null".into(),
            },
            Parameter::Pattern(inner) => self.parameter(inner),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn each_update_operator_accepts_its_own_values() {
    with("writer", |resolver| {
        let described = |change: &str| {
            resolver.describe(&format!(
                "update_assets(where: {{}}, {change}) {{ affected_rows }}"
            ))
        };
        let is = |change: &str, words: &str| {
            assert_eq!(
                described(change),
                format!("response: update where [] {words}")
            );
        };
        is(
            r#"_set: {label: "x", tags: ["a", "b"], data: {a: [1]}}"#,
            r#"label _set 'x' tags _set '{"a","b"}' data _set '{"a":[1]}'"#,
        );
        is(
            "_inc: {count_big: 1, amount: 1.50, price: \"$2\"}",
            "count_big _inc '1' amount _inc '1.50' price _inc '$2'",
        );
        is(
            "_mul: {price: 1.5, weight: 2}",
            "price _mul '1.5' weight _mul '2'",
        );
        is("_append: {data: [1]}", "data _append '[1]'");
        is("_prepend: {data: \"x\"}", "data _prepend '\"x\"'");
        is("_delete_key: {data: \"x\"}", "data _delete_key 'x'");
        is("_delete_elem: {data: -1}", "data _delete_elem '-1'");
        is(
            "_delete_at_path: {data: [\"a\", \"0\"]}",
            r#"data _delete_at_path '{"a","0"}'"#,
        );
        is(
            "_array_append: {tags: \"c\", marks: 3}",
            "tags _array_append 'c' marks _array_append '3'",
        );
        is(
            "_array_remove: {moods: \"sad\"}",
            "moods _array_remove 'sad'",
        );
        let at = "$.selectionSet.update_assets.args.";
        for (change, error) in [
            (
                "_inc: {count_int: 1.5}",
                "_inc.count_int: expected type 'Int' for 'count_int', \
                found a value that is not an integer",
            ),
            (
                "_set: {count_int: 3000000000}",
                "_set.count_int: expected type 'Int' for 'count_int', \
                found an integer out of range",
            ),
            (
                "_delete_elem: {data: \"1\"}",
                "_delete_elem.data: expected type 'Int' for 'data', found a string",
            ),
            (
                "_array_append: {marks: \"x\"}",
                "_array_append.marks: expected type 'Int' for 'marks', found a string",
            ),
            (
                "_set: {owner_id: 1}",
                "_set.owner_id: field 'owner_id' not found in type: 'assets_set_input'",
            ),
        ] {
            assert_eq!(described(change), format!("{at}{error}"), "{change}");
        }
    });
}

#[test]
fn null_is_accepted_only_by_set_on_nullable_columns() {
    with("writer", |resolver| {
        let described = |change: &str| {
            resolver.describe(&format!(
                "updateProjects(where: {{}}, {change}) {{ affectedRows: affected_rows }}"
            ))
        };
        assert_eq!(
            described("_set: {code: null}"),
            "response: update where [] code _set $null"
        );
        let at = "$.selectionSet.updateProjects.args";
        assert_eq!(
            described("_set: {name: null}"),
            format!("{at}._set.name: expected type 'String' for 'name', found null")
        );
        assert_eq!(
            described("_inc: {budget: null}"),
            format!("{at}._inc.budget: expected type 'numeric' for 'budget', found null")
        );
        let set = |variables| {
            resolver.describe_with(
                "($name: String, $code: String)",
                "updateProjects(where: {}, _set: {name: $name, code: $code}) { affected_rows }",
                variables,
            )
        };
        assert_eq!(
            set(json!({"name": "x"})),
            "response: update where [] name _set $x"
        );
        assert_eq!(
            set(json!({"name": "x", "code": null})),
            "response: update where [] name _set $x code _set $null"
        );
        assert_eq!(
            set(json!({"name": null})),
            format!("{at}._set.name: expected type 'String' for 'name', found null")
        );
    });
}

#[test]
fn an_update_needs_at_least_one_operator() {
    with("writer", |resolver| {
        let at = "$.selectionSet.update_assets.args";
        let names = "_append, _array_append, _array_remove, _delete_at_path, _delete_elem, \
                     _delete_key, _inc, _mul, _prepend, _set";
        let nothing = format!("{at}: at least one of {names} is expected");
        assert_eq!(
            resolver.describe("update_assets(where: {}) { affected_rows }"),
            nothing
        );
        assert_eq!(
            resolver.describe(
                "update_assets(where: {}, _set: null, if_match: {label: null}) { affected_rows }"
            ),
            nothing
        );
        // An empty operator counts as an operator.
        assert_eq!(
            resolver.describe("update_assets(where: {}, _set: {}) { affected_rows }"),
            "response: update where []"
        );
        let empty = resolver.describe_with(
            "($set: assets_set_input)",
            "update_assets(where: {}, _set: $set) { affected_rows }",
            json!({"set": {}}),
        );
        assert_eq!(empty, "response: update where []");
        let absent = resolver.describe_with(
            "($set: assets_set_input)",
            "update_assets(where: {}, _set: $set) { affected_rows }",
            json!({}),
        );
        assert_eq!(absent, nothing);
        // A preset of the role's grant is enough.
        assert_eq!(
            resolver.describe("updateProjects(where: {}) { affected_rows }"),
            "response: update where []"
        );
        // Each item of a list needs an operator.
        let item = resolver.describe(
            "update_assets_many(updates: [{where: {}, _set: {label: \
                                      \"x\"}}, {where: {}}]) { affected_rows }",
        );
        assert!(
            item.starts_with(
                "$.selectionSet.update_assets_many.args.updates[1]: at least one of _append, "
            ),
            "{item}"
        );
        let twice = resolver.describe(
            "update_assets(where: {}, _set: {count_int: 1, amount: 2}, \
                                       _inc: {count_int: 1, amount: 1}) { affected_rows }",
        );
        assert_eq!(
            twice,
            format!(
                "{at}: columns are changed by several operators: 'count_int' in _inc, _set. \
                     'amount' in _inc, _set"
            )
        );
    });
}

#[test]
fn updates_and_deletes_require_where() {
    with("writer", |resolver| {
        for field in [
            "updateTasks(_set: {title: \"x\"}) { affected_rows }",
            "deleteTasks { affected_rows }",
        ] {
            assert!(
                resolver
                    .describe(field)
                    .ends_with("missing required argument 'where'"),
                "{}",
                resolver.describe(field)
            );
        }
        for field in [
            "updateTasks(where: null, _set: {title: \"x\"}) { affected_rows }",
            "deleteTasks(where: null) { affected_rows }",
        ] {
            assert!(
                resolver
                    .describe(field)
                    .ends_with("expected type 'tasks_bool_exp!' for 'where', found null"),
                "{}",
                resolver.describe(field)
            );
        }
        // A default may supply the condition, null may not.
        let by_default = |variables| {
            resolver.describe_with(
                "($w: tasks_bool_exp = {})",
                "deleteTasks(where: $w) { affected_rows }",
                variables,
            )
        };
        assert_eq!(by_default(json!({})), "response: delete where []");
        assert_eq!(
            by_default(json!({"w": null})),
            "$.selectionSet.deleteTasks.args.where: expected type 'tasks_bool_exp' for 'where', \
            found null"
        );
        let related = resolver.describe(
            "deleteTasks(where: {project: {name: {_eq: \"x\"}}, \
                                         done: {_is_null: false}}) { returning { id } }",
        );
        assert_eq!(
            related,
            "response: delete where [project(name_eq'x') & done null false]"
        );
        let item = resolver.describe_with(
            "($u: [tasks_updates!]!)",
            "updateTasksMany(updates: $u) { affected_rows }",
            json!({"u": {"_set": {"title": "x"}}}),
        );
        assert_eq!(item, "$.variables.u[0]: missing required field 'where'");
    });
}

#[test]
fn updates_by_key_use_all_key_columns() {
    with("writer", |resolver| {
        let described = resolver
            .describe("updateProjectsByPk(pk_columns: {id: 7}, _set: {name: \"x\"}) { id }");
        assert_eq!(described, "row: update by key id_eq'7' name _set 'x'");
        let field = "updateProjectMembersByPk(pk_columns: $key, _set: {role: \"x\"}) { role }";
        let declared = "($key: projectMembers_pk_columns_input!)";
        let described = resolver.describe_with(
            declared,
            field,
            json!({"key": {"accountId": 2, "projectId": 1}}),
        );
        assert_eq!(
            described,
            "row: update by key [project_id_eq$1 & account_id_eq$2] role _set 'x'"
        );
        let described = resolver.describe_with(declared, field, json!({"key": {"accountId": 2}}));
        assert_eq!(
            described,
            "$.variables.key: missing required field 'projectId'"
        );
        let described = resolver.describe_with(
            "($id: Int!)",
            "updateProjectMembersByPk(pk_columns: {projectId: 1, accountId: $id}, _set: {role: \
             \"x\"}) { role }",
            json!({"id": 4}),
        );
        assert_eq!(
            described,
            "row: update by key [project_id_eq'1' & account_id_eq$4] role _set 'x'"
        );
        assert_eq!(
            resolver.describe("deleteProjectMembersByPk(projectId: 1, accountId: 2) { role }"),
            "row: delete by key [project_id_eq'1' & account_id_eq'2']"
        );
        assert_eq!(
            resolver.describe(
                "updateGadgetsByPk(pkColumns: {id: 7}, _set: {gadgetName: \"x\"}) { id }"
            ),
            "row: update by key id_eq'7' gadget_name _set 'x'"
        );
    });
}

#[test]
fn update_many_keeps_the_order_of_updates() {
    with("writer", |resolver| {
        let field = "updateTasksMany(updates: $u) { affected_rows returning { id } }";
        let described = |updates| {
            resolver.describe_with("($u: [tasks_updates!]!)", field, json!({"u": updates}))
        };
        assert_eq!(described(json!([])), "responses: ");
        let two = json!([{"where": {"id": {"_eq": 1}}, "_set": {"title": "a"}}, {"where": {}, "_inc": {"place": 2}, "if_match": {"done": false, "assigneeId": null}}]);
        assert_eq!(
            described(two),
            "responses: update where id_eq$1 title _set $a then update where [] place _inc $2 if \
             done _eq $false if assignee_id _eq null"
        );
        assert_eq!(
            described(json!(vec![
                json!({"where": {}, "_set": {"done": true}});
                1001
            ])),
            "$.selectionSet.updateTasksMany.args.updates[1000]: the limit on updates of a \
             request is 1000"
        );
    });
}

#[test]
fn if_match_values_are_never_omitted() {
    with("writer", |resolver| {
        let field = "updateProjects(where: {}, _set: {name: \"x\"}, if_match: {version: $v}) { \
                     affected_rows }";
        let described = |variables| resolver.describe_with("($v: Int)", field, variables);
        assert_eq!(
            described(json!({"v": 3})),
            "response: update where [] name _set 'x' if version _eq $3"
        );
        assert_eq!(
            described(json!({"v": null})),
            "response: update where [] name _set 'x' if version _eq null"
        );
        assert_eq!(
            described(json!({})),
            "$.selectionSet.updateProjects.args.if_match.version: expected type 'Int' for 'version', \
            found no value"
        );
    });
    // The shown value of a masked column is not the stored value.
    with("rooted", |resolver| {
        let described = resolver.describe(
            "updateShelves(where: {}, _set: {amount: 1}, if_match: \
                                           {label: \"n***\"}) { affected_rows }",
        );
        assert_eq!(
            described,
            "$.selectionSet.updateShelves.args.if_match.label: field 'label' not found in type: \
             'shelves_if_match_input'"
        );
    });
}

#[test]
fn related_changes_are_resolved_with_their_row() {
    with("owner", |resolver| {
        let described = |related: &str| {
            resolver.describe(&format!(
                "updateProjectsByPk(pk_columns: {{id: 1}}, _related: {related}) {{ id }}"
            ))
        };
        let is = |related: &str, words: &str| {
            assert_eq!(
                described(related),
                format!("row: update by key id_eq'1' ({words})")
            );
        };
        is(
            "{tasks: {update: [{where: {done: {_eq: true}}, _set: {title: \"x\"}}, {where: {}, \
             _inc: {place: 1}}], delete: {where: {id: {_gt: 3}}}}}",
            "tasks: update where done_eq'true' title _set 'x', tasks: update where [] place _inc \
             '1', tasks: delete id_gt'3'",
        );
        is(
            "{tasks: {insert: [{title: \"x\"}]}, owner: {insert: {id: 9, name: \"x\"}}}",
            "tasks: insert, owner: insert",
        );
        is(
            "{tasks: {unlink: {where: {}}, link: {where: {id: {_eq: 8}}}}}",
            "tasks: unlink [], tasks: link id_eq'8'",
        );
        is(
            "{owner: {update: {_set: {name: \"x\"}}}}",
            "owner: update where [] name _set 'x'",
        );
        is(
            "{creator: {unlink: true}, owner: {link: {where: {id: {_eq: 2}}}}}",
            "creator: unlink [], owner: link id_eq'2'",
        );
        is(
            "{creator: {delete: true}, tasks: null}",
            "creator: delete []",
        );
        is(
            "{tasks: {update: {where: {}, _related: {notes: {delete: {where: {}}}, assignee: \
             {update: {_set: {name: \"x\"}, if_match: {name: \"y\"}}}}}}}",
            "tasks: update where [] (notes: delete [], assignee: update where [] name _set 'x' \
             if name _eq 'y')",
        );
        assert_eq!(
            described("{creator: {delete: false, unlink: null}}"),
            "row: update by key id_eq'1'"
        );
        let at = "$.selectionSet.updateProjectsByPk.args._related";
        assert!(
            described("{owner: {update: {}}}")
                .starts_with(&format!("{at}.owner.update: at least one of ")),
            "{}",
            described("{owner: {update: {}}}")
        );
        assert_eq!(
            described("{tasks: {delete: {}}}"),
            format!("{at}.tasks.delete: missing required field 'where'")
        );
        assert_eq!(
            described("{tasks: {delete: true}}"),
            format!(
                "{at}.tasks.delete: expected type 'tasks_related_where_input' for 'delete', \
                found a boolean"
            )
        );
        assert_eq!(
            described("{tasks: {insert: {title: \"x\", projectId: 1}}}"),
            format!("{at}.tasks.insert[0]: column 'projectId' is given by relation 'tasks'")
        );
        // A row with a required link cannot be unlinked.
        assert_eq!(
            described("{owner: {unlink: true}}"),
            format!(
                "{at}.owner.unlink: field 'unlink' not found in type: \
                     'projects_related_owner_input'"
            )
        );
    });
}

#[test]
fn depth_of_related_changes_is_limited() {
    with("owner", |resolver| {
        let nested = |depth: usize| {
            (1..depth).fold(
                json!({"staff": {"unlink": {"where": {}}}}),
                |inner, _| json!({"boss": {"update": {"_related": inner}}}),
            )
        };
        let described = |depth| {
            resolver.describe_with(
                "($r: accounts_related_input)",
                "updateAccounts(where: {}, _related: $r) { affected_rows }",
                json!({"r": nested(depth)}),
            )
        };
        assert!(
            described(10).ends_with("(staff: unlink []))))))))))"),
            "{}",
            described(10)
        );
        assert!(
            described(11).ends_with("the limit on changes of related rows inside each other is 10"),
            "{}",
            described(11)
        );
        let many = json!({"staff": {"update": vec![json!({"where": {}, "_related": {"boss": {"unlink": true}}}); 500]}});
        let described = resolver.describe_with(
            "($r: accounts_related_input)",
            "updateAccounts(where: {}, _related: $r) { affected_rows }",
            json!({ "r": many }),
        );
        assert!(
            described.ends_with("the limit on updates of a request is 1000"),
            "{described}"
        );
    });
}

#[test]
fn fields_of_all_updates_are_limited() {
    with("owner", |resolver| {
        let described = |updates: usize, fields: usize| {
            let updates: Vec<Json> = vec![json!({"where": {}, "_set": {"title": "x"}}); updates];
            let fields: String = (0..fields).map(|index| format!("f{index}: id ")).collect();
            let field = format!("updateTasksMany(updates: $u) {{ returning {{ {fields} }} }}");
            resolver.describe_with("($u: [tasks_updates!]!)", &field, json!({ "u": updates }))
        };
        let limit = "the limit on fields that all updates of a request answer is 20000";
        assert!(
            !described(1000, 19).contains("limit"),
            "{}",
            described(1000, 19)
        );
        assert!(
            described(1000, 20).ends_with(limit),
            "{}",
            described(1000, 20)
        );
        assert!(!described(100, 199).contains("limit"));
    });
}

#[test]
fn roles_without_select_have_no_conditions_on_columns() {
    with("clerk", |resolver| {
        assert_eq!(
            resolver.describe("updateProjects(where: {}, _set: {name: \"x\"}) { affected_rows }"),
            "response: update where [] name _set 'x'"
        );
        assert_eq!(
            resolver.describe("deleteProjects(where: {_not: {_or: []}}) { affected_rows }"),
            "response: delete where ![]"
        );
        let column = resolver.describe("deleteProjects(where: {id: {_eq: 1}}) { affected_rows }");
        assert_eq!(
            column,
            "$.selectionSet.deleteProjects.args.where.id: field 'id' not found in \
                            type: 'projects_bool_exp'"
        );
        let rows = resolver.describe("deleteProjects(where: {}) { returning { id } }");
        assert_eq!(
            rows,
            "$.selectionSet.deleteProjects.selectionSet.returning: field \
                          'returning' not found in type: 'projects_mutation_response'"
        );
        assert!(
            resolver
                .describe("deleteProjectsByPk(id: 1) { id }")
                .contains("field 'deleteProjectsByPk' not found in type: 'mutation_root'")
        );
    });
}

#[test]
fn mutation_root_has_its_own_fields() {
    with("writer", |resolver| {
        let described = resolver.describe(
            "__typename a: deleteRemarks(where: {}) { __typename \
                                           affected_rows } addTask(args: {project: 1, title: \
                                           \"x\"}) { id }",
        );
        assert_eq!(
            described,
            "mutation_root; response: delete where []; called"
        );
        assert_eq!(resolver.describe("forget(args: {account: 1})"), "value");
        assert_eq!(
            resolver.describe("projects { id }"),
            "$.selectionSet.projects: field 'projects' not found in type: 'mutation_root'"
        );
        let query = resolver
            .resolve("{ deleteRemarks(where: {}) { affected_rows } }", json!({}))
            .err()
            .map(|error| error.to_string());
        assert_eq!(
            query.as_deref(),
            Some("field 'deleteRemarks' not found in type: 'query_root'")
        );
    });
    with("public", |resolver| {
        assert_eq!(
            resolver.describe("deleteRemarks(where: {}) { affected_rows }"),
            "$: no mutations exist"
        );
    });
}

#[test]
fn cache_key_depends_on_keys_and_conditions_not_on_values() {
    with("writer", |resolver| {
        let document =
            "mutation($set: assets_set_input, $w: assets_bool_exp!, $data: jsonb, $m: assets_if_match_input) {
            update_assets(where: $w, _set: $set, _append: {data: $data}, if_match: $m) { affected_rows }
        }";
        let key = |set: Json, data: Json, expected: Json| {
            let mut variables = json!({"set": set, "w": {"label": {"_eq": "x"}}, "m": expected});
            if !data.is_null() {
                variables["data"] = data;
            }
            resolver.key(document, variables)
        };
        let one = key(
            json!({"label": "x", "plain": {"a": 1}}),
            json!([1]),
            json!({"label": "x"}),
        );
        assert_eq!(
            one,
            key(
                json!({"label": "y", "plain": [true]}),
                json!({"b": null}),
                json!({"label": "y"})
            )
        );
        assert_eq!(
            one,
            key(
                json!({"label": null, "plain": null}),
                json!(true),
                json!({"label": ""})
            )
        );
        assert_ne!(
            one,
            key(json!({"plain": 1}), json!([1]), json!({"label": "x"}))
        );
        assert_ne!(
            one,
            key(
                json!({"label": "x", "plain": 1}),
                json!(null),
                json!({"label": "x"})
            )
        );
        assert_ne!(
            one,
            key(
                json!({"label": "x", "plain": 1}),
                json!([1]),
                json!({"label": null})
            )
        );
        assert_ne!(
            one,
            key(json!({"label": "x", "plain": 1}), json!([1]), json!({}))
        );
        let document = "mutation($u: [assets_updates!]!) { update_assets_many(updates: $u) { \
                        affected_rows } }";
        let key = |data: Json, keep: bool| {
            let first = json!({"where": {}, "_set": {"data": data, "label": "x"}});
            let second = json!({"where": {"label": {"_is_null": keep}}, "_inc": {"count_int": 1}});
            resolver.key(document, json!({"u": [first, second]}))
        };
        assert_eq!(key(json!({"a": true}), true), key(json!(null), true));
        assert_ne!(key(json!(1), true), key(json!(1), false));
    });
}

#[test]
fn absent_variable_is_null_in_the_hasura_dialect() {
    let fixture = Fixture::saved().unwrap();
    let resolver = Resolver {
        access: fixture.access("writer").unwrap(),
        coercion: Coercion::Loose,
    };
    let field = "updateTasks(where: {id: {_eq: $id}}, _set: {assigneeId: $who}) { affected_rows }";
    let described = |variables| resolver.describe_with("($id: Int!, $who: Int)", field, variables);
    assert_eq!(
        described(json!({"id": "4"})),
        "response: update where id_eq$4 assignee_id _set $null"
    );
    let title = resolver.describe_with(
        "($title: String)",
        "updateTasks(where: {}, _set: {title: $title}) { affected_rows }",
        json!({}),
    );
    assert_eq!(
        title,
        "$.selectionSet.updateTasks.args._set.title: expected type 'String' for 'title', \
        found null"
    );
    let condition = resolver.describe_with(
        "($w: tasks_bool_exp!)",
        "deleteTasks(where: $w) { affected_rows }",
        json!({"w": null}),
    );
    assert_eq!(
        condition,
        "$.selectionSet.deleteTasks.args.where: expected type 'tasks_bool_exp' for 'where', \
        found null"
    );
    // Values are coerced where they are used.
    let declared = "($set: tasks_set_input, $u: [tasks_updates!]!, $key: tasks_pk_columns_input!)";
    let fields = "a: updateTasksMany(updates: $u) { affected_rows } b: \
                  updateTasksByPk(pk_columns: $key, _set: $set) { id }";
    let described = |set: Json, updates: Json, key: Json| {
        resolver.describe_with(
            declared,
            fields,
            json!({"set": set, "u": updates, "key": key}),
        )
    };
    let at = "$.selectionSet.updateTasks";
    let item = json!({"where": {}, "_set": {"title": "x"}});
    assert_eq!(
        described(json!({"titel": "x"}), json!([item]), json!({"id": 1})),
        format!("{at}ByPk.args._set.titel: field 'titel' not found in type: 'tasks_set_input'")
    );
    assert_eq!(
        described(json!({"title": "x"}), json!([item]), json!({})),
        format!("{at}ByPk.args.pk_columns: missing required field 'id'")
    );
    assert_eq!(
        described(
            json!({"title": "x"}),
            json!([item]),
            json!({"id": 1, "name": 2})
        ),
        format!(
            "{at}ByPk.args.pk_columns.name: field 'name' not found in type: \
                 'tasks_pk_columns_input'"
        )
    );
    assert_eq!(
        described(json!([]), json!([item]), json!({"id": 1})),
        format!("{at}ByPk.args._set: expected type 'tasks_set_input' for '_set', found a list")
    );
    assert_eq!(
        described(json!({}), json!([3]), json!({"id": 1})),
        format!(
            "{at}Many.args.updates[0]: expected type 'tasks_updates' for 'updates', \
            found an integer"
        )
    );
    assert_eq!(
        described(json!({}), json!(null), json!({"id": 1})),
        format!(
            "{at}Many.args.updates: expected type '[tasks_updates!]!' for 'updates', \
            found null"
        )
    );
    assert_eq!(
        described(json!({}), json!([{"_set": {}}]), json!({"id": 1})),
        format!("{at}Many.args.updates[0]: missing required field 'where'")
    );
}
