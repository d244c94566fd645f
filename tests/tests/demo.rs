//! Tests `postern demo` as a child process: what it prints, what each role of the privacy service
//! sees, and that it leaves nothing behind.

mod actions;
mod answers;
mod contacts;
mod data_map;
mod consents;
mod deadlines;
mod erasure;
mod evidence;
mod export;
mod interface;
mod lawful;
mod limits;
mod notes;
mod people;
mod refusals;
mod retention;
mod team;
mod webhooks;
mod workflow;
mod writing;

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use gateway::auth::claims::ClaimNames;
use gateway::auth::{TokenRequest, mint};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tests::binary::{self, Running};
use tests::case::Case;
use tests::reply::Reply;
use tests::reply::ReplyError;

/// Generous, because other tests may load the machine.
const START: Duration = Duration::from_secs(60);
const END: Duration = Duration::from_secs(20);

/// The running demo.
struct Demo {
    child: Running,
    // Removed after the demo has ended.
    _data: Option<TempDir>,
    facts: Map<String, Value>,
    client: reqwest::Client,
}

/// A caller's role and session values.
#[derive(Clone, Copy)]
struct Caller<'a> {
    role: &'a str,
    values: &'a [(&'a str, &'a str)],
}

impl Demo {
    /// Starts it with a copy of the data.
    fn start(arguments: &[&str]) -> Demo {
        let mut command = binary::command(&["demo", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        Demo::with_copy(command)
    }

    /// Starts it with the folder of the data that the arguments name, or with one that ends with
    /// it.
    fn load(arguments: &[&str]) -> Demo {
        let mut command = binary::command(&["demo", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        Demo::run(command, None)
    }

    fn with_copy(mut command: Command) -> Demo {
        let data = tests::demo_data::copy().unwrap();
        if let Some(data) = &data {
            command.arg("--data-dir").arg(data.path());
        }
        Demo::run(command, data)
    }

    fn run(command: Command, data: Option<TempDir>) -> Demo {
        let child = Running::start(command).unwrap();
        let line = child.line(START).expect("the demo says where it is");
        let facts = serde_json::from_str(&line).expect("line 1 is a JSON object");
        Demo {
            child,
            _data: data,
            facts,
            client: reqwest::Client::new(),
        }
    }

    fn fact(&self, key: &str) -> &str {
        self.facts
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no `{key}`"))
    }

    /// The session values that the demo's output names for a role: user, person or visitor.
    fn values<'a>(&'a self, role: &str) -> Vec<(&'a str, &'a str)> {
        match role {
            "user" | "me" => vec![("user_id", self.fact("user_id"))],
            "dataSubject" => vec![("data_subject_id", self.fact("data_subject_id"))],
            _ => vec![],
        }
    }

    async fn ask(&self, role: &str, query: &str, variables: Value) -> Reply {
        self.ask_as(
            Caller {
                role,
                values: &self.values(role),
            },
            query,
            variables,
        )
        .await
    }

    async fn ask_as(&self, caller: Caller<'_>, query: &str, variables: Value) -> Reply {
        let post = self
            .client
            .post(format!("{}/v1/graphql", self.fact("url")))
            .bearer_auth(self.token_of(caller));
        let post = post
            .header("X-Gateway-Role", caller.role)
            .json(&json!({"query": query, "variables": variables}));
        Reply::of(post).await.unwrap()
    }

    fn token_of(&self, caller: Caller<'_>) -> String {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let values = caller.values.iter().map(owned).collect();
        let grant = TokenRequest {
            role: caller.role,
            roles: vec![],
            values,
            seconds: 600,
        };
        mint(self.fact("jwt_secret"), ClaimNames::default(), None, &grant).unwrap()
    }

    fn token(&self, role: &str) -> String {
        self.token_of(Caller {
            role,
            values: &self.values(role),
        })
    }

    /// Sends a request as admin, with the admin secret.
    async fn ask_as_admin(&self, query: &str, variables: Value) -> Reply {
        let post = self.client.post(format!("{}/v1/graphql", self.fact("url")));
        let post = post.header("X-Gateway-Admin-Secret", self.fact("admin_secret"));
        Reply::of(post.json(&json!({"query": query, "variables": variables})))
            .await
            .unwrap()
    }

    async fn data(&self, role: &str, query: &str) -> Value {
        let reply = self.ask(role, query, json!({})).await;
        assert_ne!(reply.data(), Value::Null, "{role}: {query}: {}", reply.text);
        reply.data()
    }

    /// Fails unless the response has the fields; `query` is without its braces.
    async fn answers(&self, role: &str, query: &str) -> Value {
        self.data(role, &format!("{{ {query} }}")).await
    }

    /// Fails unless the response says that the root field does not exist.
    async fn hides(&self, role: &str, field: &str, query: &str) {
        let reply = self.ask(role, &format!("{{ {query} }}"), json!({})).await;
        let message = format!("field '{field}' not found in type: 'query_root'");
        assert_eq!(
            reply.error(),
            ReplyError::new(200, "validation-failed", message),
            "{role}: {}",
            reply.text
        );
    }
}

/// The value at `key` of each item.
fn each(list: &Value, key: &str) -> BTreeSet<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|item| item[key].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The resources of the interface document, by root field, with every field it lists, and the roles
/// that may see them.
const RESOURCES: [(&str, &str, &[&str]); 11] = [
    (
        "dataControllers",
        "dataControllers { id title did description industry createdAt updatedAt users { userId \
         role } }",
        &["user", "me", "dataSubject", "anonymous"],
    ),
    (
        "dataController",
        "dataController(id: \"CONTROLLER\") { id title did description industry createdAt \
         updatedAt users { userId role } }",
        &["user", "me", "dataSubject", "anonymous"],
    ),
    (
        "dataSubjects",
        "dataSubjects { id did dataControllerId createdAt updatedAt doNotTrack \
         globalPrivacyControl \
         dataController { id title } dataProcessingActivities { id } }",
        &["user", "dataSubject"],
    ),
    (
        "dataSubject",
        "dataSubject(id: \"SUBJECT\") { id did dataControllerId createdAt updatedAt doNotTrack \
         globalPrivacyControl \
         dataController { id title } dataProcessingActivities { id } }",
        &["user", "dataSubject"],
    ),
    (
        "dataProcessingActivities",
        "dataProcessingActivities { id dataSubjectId typeId sourceId triggeredAt fieldIds \
         preferenceIds \
         dataSubject { id did dataController { title } } type { label comment } source { label } \
         }",
        &["user", "dataSubject"],
    ),
    (
        "dataProcessingActivitiesAggregate",
        "dataProcessingActivitiesAggregate(where: {dataSubject: {dataControllerId: {_eq: \
         \"CONTROLLER\"}}, \
         triggeredAt: {_gte: \"2020-01-01T00:00:00Z\", _lte: \"infinity\"}}) { aggregate { count \
         } }",
        &["user", "dataSubject"],
    ),
    (
        "dataSubjectsRightsRequests",
        "dataSubjectsRightsRequests { id dataSubjectId requestType status description verified \
         createdAt updatedAt \
         dataSubject { id did dataController { title } } }",
        &["user", "dataSubject"],
    ),
    (
        "dataSubjectRightsRequests",
        "dataSubjectRightsRequests(order_by: {createdAt: desc}, limit: 50, offset: 0) { id \
         dataSubjectId requestType status \
         description verified createdAt updatedAt dataSubject { id did dataController { title } \
         } }",
        &["user", "dataSubject"],
    ),
    (
        "dataSubjectConsentFormValues",
        "dataSubjectConsentFormValues { id value createdAt updatedAt dataSubjectId \
         dataControllerProcessingPurposeId \
         dataSubject { id } }",
        &["user", "dataSubject"],
    ),
    (
        "notes",
        "notes(limit: 1) { id title priority created_at }",
        &["user"],
    ),
    ("users", "users { id email }", &["user", "me"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_role_sees_only_its_own_rows_and_fields() {
    let demo = Demo::start(&[]);
    let keys = [
        "url",
        "admin_secret",
        "jwt_secret",
        "database_url",
        "pat",
        "pat_me",
        "pat_data_subject",
        "pat_anonymous",
        "user_id",
        "data_controller_id",
        "data_subject_id",
        "purpose_id",
        "other_data_controller_id",
        "other_data_subject_id",
    ];
    assert!(keys.iter().all(|key| !demo.fact(key).is_empty()));
    every_token_opens_its_role(&demo).await;
    every_field_is_there(&demo).await;
    only_own_rows(&demo).await;
    others_are_invisible(&demo).await;
    an_outsider_sees_nothing(&demo).await;
    both_headers_are_mandatory(&demo).await;
    arguments_of_the_interface_document(&demo).await;
    every_document_runs(&demo).await;
}

/// A personal access token is exchanged for a session of its role, with the rows that the demo's
/// output names.
async fn every_token_opens_its_role(demo: &Demo) {
    let url = demo.fact("url");
    let user = demo.fact("user_id");
    let subject = demo.fact("data_subject_id");
    let tokens = [
        (
            "pat",
            "user",
            json!(["user", "me"]),
            Some(user),
            "dataControllers",
        ),
        ("pat_me", "me", json!(["me"]), Some(user), "users"),
        (
            "pat_data_subject",
            "dataSubject",
            json!(["dataSubject"]),
            Some(subject),
            "dataSubjects",
        ),
        (
            "pat_anonymous",
            "anonymous",
            json!(["anonymous"]),
            None,
            "dataControllers",
        ),
    ];
    for (fact, role, roles, id, list) in tokens {
        let body = json!({"personalAccessToken": demo.fact(fact)});
        let reply = Reply::of(demo.client.post(format!("{url}/v1/signin/pat")).json(&body))
            .await
            .unwrap();
        let session = &reply.json()["session"];
        assert_eq!(
            json!([session["user"]["defaultRole"], session["user"]["roles"]]),
            json!([role, roles]),
            "{}",
            reply.text
        );
        assert!(
            id.is_none_or(|id| session["user"]["id"] == id),
            "{}",
            reply.text
        );
        let token = session["accessToken"].as_str().unwrap();
        let post = demo
            .client
            .post(format!("{url}/v1/graphql"))
            .bearer_auth(token)
            .header("X-Gateway-Role", role);
        let reply =
            Reply::of(post.json(&json!({"query": format!("{{ {list}(limit: 2) {{ id }} }}")})))
                .await
                .unwrap();
        assert_ne!(
            reply.data()[list].as_array().map_or(0, Vec::len),
            0,
            "{fact}: {}",
            reply.text
        );
        let body = json!({"expiresAt": "tomorrow", "metadata": {"name": "laptop"}});
        let made = Reply::of(
            demo.client
                .post(format!("{url}/v1/pat"))
                .bearer_auth(token)
                .json(&body),
        )
        .await
        .unwrap();
        let expected = if matches!(role, "user" | "me") {
            200
        } else {
            403
        };
        assert_eq!(made.status, expected, "{fact}: {}", made.text);
    }
    let body = json!({"personalAccessToken": "nonsense"});
    let reply = Reply::of(demo.client.post(format!("{url}/v1/signin/pat")).json(&body))
        .await
        .unwrap();
    assert_eq!(
        (reply.status, reply.error().message.as_str()),
        (401, "Invalid personal access token")
    );
}

/// What a visitor of the widgets, with the role `anonymous`, has of its own.
const VISITOR: [&str; 4] = [
    "dataProcessingActivities",
    "dataSubjectsRightsRequests",
    "dataSubjectRightsRequests",
    "dataSubjectConsentFormValues",
];

async fn every_field_is_there(demo: &Demo) {
    for (field, query, roles) in RESOURCES {
        let query = query.replace("CONTROLLER", demo.fact("data_controller_id"));
        let query = query.replace("SUBJECT", demo.fact("data_subject_id"));
        for role in ["user", "me", "dataSubject", "anonymous"] {
            match roles.contains(&role) {
                true => {
                    let data = demo.answers(role, &query).await;
                    assert!(
                        !data[field].is_null() && data[field] != json!([]),
                        "{role}: {field} is empty"
                    );
                }
                // A visitor of the widgets sees its own; a token without a visitor sees nothing.
                false if role == "anonymous" && VISITOR.contains(&field) => {
                    let reply = demo.ask(role, &format!("{{ {query} }}"), json!({})).await;
                    let code = reply.error().code;
                    let is_denied =
                        ["validation-failed", "permission-error"].contains(&code.as_str());
                    assert!(
                        is_denied && reply.data() == Value::Null,
                        "{field}: {}",
                        reply.text
                    );
                }
                false => demo.hides(role, field, &query).await,
            }
        }
    }
}

async fn only_own_rows(demo: &Demo) {
    let own = demo.fact("data_controller_id");
    let other = demo.fact("other_data_controller_id");
    let controllers = demo
        .answers("user", "dataControllers { id users { userId } }")
        .await;
    let controllers = &controllers["dataControllers"];
    assert!(each(controllers, "id").contains(own) && !each(controllers, "id").contains(other));
    for controller in controllers.as_array().unwrap() {
        assert!(
            each(&controller["users"], "userId").contains(demo.fact("user_id")),
            "{controller}"
        );
    }
    let mine = each(controllers, "id");
    let subjects = demo
        .answers("user", "dataSubjects { id dataControllerId }")
        .await;
    assert!(each(&subjects["dataSubjects"], "dataControllerId").is_subset(&mine));

    let subject = BTreeSet::from([demo.fact("data_subject_id").to_owned()]);
    for (list, key) in [
        ("dataSubjects", "id"),
        ("dataProcessingActivities", "dataSubjectId"),
        ("dataSubjectsRightsRequests", "dataSubjectId"),
        ("dataSubjectConsentFormValues", "dataSubjectId"),
        ("notificationMessages", "dataSubjectId"),
    ] {
        let data = demo
            .answers("dataSubject", &format!("{list} {{ {key} }}"))
            .await;
        assert_eq!(each(&data[list], key), subject, "{list}");
    }
    let data = demo
        .answers("dataSubject", "dataControllers { id users { userId } }")
        .await;
    assert_eq!(data, json!({"dataControllers": [{"id": own, "users": []}]}));
    let data = demo
        .answers("me", "users { id } dataControllerUsers { userId }")
        .await;
    let me = BTreeSet::from([demo.fact("user_id").to_owned()]);
    assert_eq!(
        (
            each(&data["users"], "id"),
            each(&data["dataControllerUsers"], "userId")
        ),
        (me.clone(), me)
    );
    let data = demo
        .answers("anonymous", "dataControllers { id users { userId } }")
        .await;
    assert!(
        data["dataControllers"]
            .as_array()
            .unwrap()
            .iter()
            .all(|controller| controller["users"] == json!([]))
    );
    assert!(
        each(&data["dataControllers"], "id").contains(other),
        "the public face of every controller"
    );
    demo.hides(
        "anonymous",
        "dataControllersAggregate",
        "dataControllersAggregate { aggregate { count } }",
    )
    .await;
}

/// Another controller's rows do not exist for a user: by key, in lists, conditions and counts.
async fn others_are_invisible(demo: &Demo) {
    let controller = demo.fact("other_data_controller_id");
    let subject = demo.fact("other_data_subject_id");
    let there = format!(
        "{{ dataController(id: \"{controller}\") {{ id }} dataSubject(id: \
                         \"{subject}\") {{ id }} }}"
    );
    let data = demo.ask_as_admin(&there, json!({})).await.data();
    assert_eq!(
        data,
        json!({"dataController": {"id": controller}, "dataSubject": {"id": subject}})
    );
    for role in ["user", "dataSubject"] {
        assert_eq!(
            demo.data(role, &there).await,
            json!({"dataController": null, "dataSubject": null}),
            "{role}"
        );
        let about = [
            format!(
                "dataSubjects(where: {{dataControllerId: {{_eq: \"{controller}\"}}}}) {{ id }}"
            ),
            format!("dataSubjects(where: {{id: {{_eq: \"{subject}\"}}}}) {{ id }}"),
            format!(
                "dataProcessingActivities(where: {{dataSubject: {{id: {{_eq: \
                     \"{subject}\"}}}}}}) {{ id }}"
            ),
            format!(
                "dataSubjectsRightsRequests(where: {{dataSubjectId: {{_eq: \
                     \"{subject}\"}}}}) {{ id }}"
            ),
            format!(
                "dataSubjectConsentFormValues(where: {{dataSubjectId: {{_eq: \
                     \"{subject}\"}}}}) {{ id }}"
            ),
            format!("dataControllers(where: {{id: {{_eq: \"{controller}\"}}}}) {{ id }}"),
        ];
        for query in about {
            let data = demo.answers(role, &query).await;
            assert!(
                data.as_object()
                    .unwrap()
                    .values()
                    .all(|list| *list == json!([])),
                "{role}: {query}: {data}"
            );
        }
        let query = format!(
            "dataProcessingActivitiesAggregate(where: {{dataSubject: \
                             {{dataControllerId: {{_eq: \"{controller}\"}}}}}}) \
                             {{ aggregate {{ count }} }}"
        );
        let data = demo.answers(role, &query).await;
        assert_eq!(
            data["dataProcessingActivitiesAggregate"]["aggregate"]["count"], 0,
            "{role}"
        );
    }
}

async fn an_outsider_sees_nothing(demo: &Demo) {
    let outsider = "00000000-0000-4000-8000-00000000abcd";
    let lists = "dataControllers { id } dataSubjects { id } dataProcessingActivities { id } \
                 dataSubjectsRightsRequests { id } dataSubjectConsentFormValues { id } \
                 dataControllerUsers { userId }";
    let query =
        format!("{{ {lists} dataProcessingActivitiesAggregate {{ aggregate {{ count }} }} }}");
    let user = Caller {
        role: "user",
        values: &[("user_id", outsider)],
    };
    let data = demo.ask_as(user, &query, json!({})).await.data();
    for (field, found) in data.as_object().expect("data") {
        let nothing = found == &json!([]) || found == &json!({"aggregate": {"count": 0}});
        assert!(nothing, "{field}: {found}");
    }
    let subject = Caller {
        role: "dataSubject",
        values: &[("data_subject_id", outsider)],
    };
    let data = demo
        .ask_as(
            subject,
            "{ dataSubjects { id } dataControllers { id } }",
            json!({}),
        )
        .await
        .data();
    assert_eq!(data, json!({"dataSubjects": [], "dataControllers": []}));
    // A role without the session value that its rules need gets an error, not all rows and not an
    // empty list.
    let nobody = Caller {
        role: "user",
        values: &[],
    };
    let reply = demo
        .ask_as(nobody, "{ dataControllers { id } }", json!({}))
        .await;
    assert_eq!(reply.error().code, "permission-error", "{}", reply.text);
}

async fn both_headers_are_mandatory(demo: &Demo) {
    let url = format!("{}/v1/graphql", demo.fact("url"));
    let body = json!({"query": "{ dataControllers { id } }"});
    let reply = Reply::of(
        demo.client
            .post(&url)
            .header("X-Gateway-Role", "user")
            .json(&body),
    )
    .await
    .unwrap();
    assert_eq!(
        reply.error(),
        ReplyError::new(401, "access-denied", "No authorization header provided")
    );
    let values = vec![("user_id".to_owned(), demo.fact("user_id").to_owned())];
    let grant = TokenRequest {
        role: "user",
        roles: vec!["me".into()],
        values,
        seconds: 600,
    };
    let token = mint(demo.fact("jwt_secret"), ClaimNames::default(), None, &grant).unwrap();
    let post = || demo.client.post(&url).bearer_auth(&token).json(&body);
    let refused = ReplyError::new(
        403,
        "access-denied",
        "User does not have required role permissions",
    );
    assert_eq!(Reply::of(post()).await.unwrap().error(), refused);
    assert_eq!(
        Reply::of(post().header("X-Gateway-Role", "dataSubject"))
            .await
            .unwrap()
            .error(),
        refused
    );
    assert_eq!(
        Reply::of(post().header("X-Gateway-Role", "me"))
            .await
            .unwrap()
            .status,
        200
    );
}

async fn arguments_of_the_interface_document(demo: &Demo) {
    let query = "query ($controller: uuid!, $since: timestamptz!) { \
                 a: dataProcessingActivities(where: {_and: [{dataSubject: {dataControllerId: \
                 {_eq: $controller}}}, \
                 {triggeredAt: {_gte: $since}}]}, order_by: {triggeredAt: desc}, limit: 50, \
                 offset: 0) { id triggeredAt } \
                 b: dataProcessingActivities(where: {_and: [{dataSubject: {dataControllerId: \
                 {_eq: $controller}}}, \
                 {triggeredAt: {_gte: $since}}]}, orderBy: {triggeredAt: desc}, limit: 50) { id \
                 triggeredAt } \
                 dataProcessingActivitiesAggregate(where: {dataSubject: {dataControllerId: {_eq: \
                 $controller}}}) { aggregate { count } } }";
    let variables =
        json!({"controller": demo.fact("data_controller_id"), "since": "2020-01-01T00:00:00Z"});
    let data = demo.ask("user", query, variables).await.data();
    assert!(!data["a"].as_array().unwrap().is_empty());
    assert_eq!(data["a"], data["b"]);
    let times: Vec<&str> = data["a"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["triggeredAt"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    let reply = demo
        .ask("user", "{ dataController(id: \"x\") { id } }", json!({}))
        .await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "constraint-violation"),
        "{}",
        reply.text
    );
}

/// The first lines of each document of the demo name its role.
async fn every_document_runs(demo: &Demo) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/queries");
    let mut run = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let case = Case::parse(&name, &std::fs::read_to_string(&path).unwrap()).unwrap();
        if case.request.document.contains("\nmutation") {
            continue;
        }
        let values: Vec<(&str, &str)> = case
            .request
            .session
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        for role in &case.roles {
            let variables = Value::Object(case.request.variables.clone());
            let reply = demo
                .ask_as(
                    Caller {
                        role,
                        values: &values,
                    },
                    &case.request.document,
                    variables,
                )
                .await;
            let data = reply.data();
            assert_ne!(data, Value::Null, "{name} as {role}: {}", reply.text);
            let some = data
                .as_object()
                .unwrap()
                .values()
                .any(|found| !found.is_null() && *found != json!([]));
            assert!(some, "{name} as {role} finds nothing");
            run += 1;
        }
    }
    assert!(run >= 20, "{run}");
}

/// Whether a server still listens at the address of the demo's database.
fn database_is_there(url: &str) -> bool {
    let location = url.split_once('@').unwrap().1.split_once('/').unwrap().0;
    std::net::TcpStream::connect(location).is_ok()
}

/// Counts the processes with the port of the demo's cluster, or its folder, in their command line.
fn postgres_of(url: &str) -> usize {
    let port = url
        .split_once('@')
        .unwrap()
        .1
        .split_once('/')
        .unwrap()
        .0
        .rsplit(':')
        .next()
        .unwrap();
    let output = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    assert!(
        output.status.success(),
        "ps: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let all = String::from_utf8_lossy(&output.stdout).into_owned();
    all.lines()
        .filter(|line| line.contains("postgres") && line.contains(port))
        .count()
}

fn is_gone_soon(url: &str) {
    let end = Instant::now() + END;
    while database_is_there(url) || postgres_of(url) > 0 {
        assert!(
            Instant::now() < end,
            "the cluster is still there: {} processes",
            postgres_of(url)
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn term_int_and_kill_stop_the_cluster() {
    for (signal, code) in [("TERM", Some(0)), ("INT", Some(0)), ("KILL", None)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("demo.env");
        let mut demo = Demo::start(&["--env-file", file.to_str().unwrap()]);
        let url = demo.fact("database_url").to_owned();
        assert!(database_is_there(&url));
        let environment = std::fs::read_to_string(&file).unwrap();
        for (key, value) in &demo.facts {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let line = format!("POSTERN_DEMO_{}={text}\n", key.to_uppercase());
            assert!(environment.contains(&line), "{line}");
        }
        assert!(
            demo.child
                .wait_for_line("curl", Duration::from_secs(5))
                .is_some(),
            "the summary has lines to copy"
        );
        demo.child.signal(signal).unwrap();
        let status = demo.child.wait(END).unwrap().expect("the demo ends");
        assert_eq!(status.code(), code, "{signal}");
        is_gone_soon(&url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_serves_https_by_a_certificate_of_its_own() {
    use std::os::unix::fs::PermissionsExt;
    let mut demo = Demo::load(&["--tls"]);
    let url = demo.fact("url").to_owned();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    let file = std::path::PathBuf::from(demo.fact("certificate"));
    let pem = std::fs::read(&file).unwrap();
    let key = file.with_file_name("demo-certificate-key.pem");
    let mode = std::fs::metadata(key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The summary has the certificate in its commands.
    let fingerprint = demo.fact("certificate_fingerprint");
    assert_eq!(
        (fingerprint.len(), fingerprint.matches(':').count()),
        (95, 31)
    );
    let line = demo.child.wait_for_line("SHA-256", START).unwrap();
    assert!(line.ends_with(fingerprint), "{line}");
    let line = demo.child.wait_for_line("curl", START).unwrap();
    assert!(
        line.contains(&format!("--cacert '{}'", file.display())),
        "{line}"
    );

    // Who trusts the certificate is served; others are not.
    let stranger = reqwest::Client::new();
    assert!(stranger.get(format!("{url}/healthz")).send().await.is_err());
    demo.client = reqwest::Client::builder()
        .add_root_certificate(reqwest::Certificate::from_pem(&pem).unwrap())
        .build()
        .unwrap();
    let controllers = demo
        .answers("anonymous", "dataControllers(limit: 1) { id }")
        .await;
    assert!(
        controllers["dataControllers"][0]["id"].is_string(),
        "{controllers}"
    );
    let by_name = url.replace("127.0.0.1", "localhost");
    let reply = Reply::of(demo.client.get(format!("{by_name}/healthz"))).await;
    assert_eq!(reply.unwrap().status, 200);
    // A webhook that came by TLS is judged by its signature.
    let forged = demo
        .client
        .post(format!("{url}/api/v1/integrations/ecommerce/event"))
        .header("X-Shopify-Hmac-Sha256", "AAAA");
    assert_eq!(Reply::of(forged.body("{}")).await.unwrap().status, 401);

    demo.child.signal("TERM").unwrap();
    assert!(
        demo.child
            .wait(END)
            .unwrap()
            .is_some_and(|status| status.success())
    );
    let end = Instant::now() + END;
    while file.exists() {
        assert!(Instant::now() < end, "{} is left", file.display());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_data_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let mut demo = Demo::load(&["--data-dir", data]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    sql.batch_execute("COMMENT ON DATABASE privacy IS 'another version'")
        .await
        .unwrap();
    drop(sql);
    demo.child.signal("TERM").unwrap();
    assert!(
        demo.child
            .wait(END)
            .unwrap()
            .is_some_and(|status| status.success())
    );
    let refused = binary::run(&["demo", "--listen", "127.0.0.1:0", "--data-dir", data]).unwrap();
    let message = format!(
        "the data in {data} is of another version of the demo: delete the folder, or name another \
         one"
    );
    assert!(
        refused.code == Some(1) && refused.err.contains(&message),
        "{refused:?}"
    );
}

#[test]
fn given_data_directory_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let data = folder.path().join("data");
    for _ in 0..2 {
        let mut demo = Demo::load(&["--data-dir", data.to_str().unwrap()]);
        demo.child.signal("TERM").unwrap();
        assert_eq!(
            demo.child
                .wait(END)
                .unwrap()
                .and_then(|status| status.code()),
            Some(0)
        );
        assert!(data.exists());
    }
}
