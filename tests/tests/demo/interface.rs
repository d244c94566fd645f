//! Goes through the privacy service's interface, requirement by requirement, against the running
//! demo, and compares the list of what holds with `demo/interface.md`.

use std::path::Path;

use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tests::golden::is_blessed;
use tests::reply::Reply;
use tests::reply::ReplyError;
use tokio_tungstenite::tungstenite::Message;

use super::{Caller, Demo};

const ROLES: [&str; 4] = ["anonymous", "dataSubject", "me", "user"];
const DENIED: &str = "Access denied to data controller resources";
const NO_ROLE: &str = "User does not have required role permissions";

/// The requirements by section, with what was found where one does not hold.
#[derive(Default)]
struct Audit(Vec<(&'static str, String, Option<String>)>);

impl Audit {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what was found is often made for the call"
    )]
    fn holds(
        &mut self,
        section: &'static str,
        requirement: impl Into<String>,
        holds: bool,
        found: impl ToString,
    ) {
        self.0.push((
            section,
            requirement.into(),
            (!holds).then(|| found.to_string()),
        ));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_requirement_of_the_interface_holds() {
    let demo = Demo::start(&[]);
    let mut audit = Audit::default();
    service(&demo, &mut audit).await;
    resources(&demo, &mut audit).await;
    token_exchange(&demo, &mut audit).await;
    queries(&demo, &mut audit).await;
    mutations(&demo, &mut audit).await;
    subscriptions(&demo, &mut audit).await;
    rest(&demo, &mut audit).await;
    webhooks_and_widgets(&demo, &mut audit).await;
    authentication(&demo, &mut audit).await;
    events(&demo, &mut audit).await;
    errors(&demo, &mut audit).await;
    let different: Vec<_> = audit
        .0
        .iter()
        .filter(|(.., found)| found.is_some())
        .collect();
    assert!(
        different.is_empty(),
        "{} of {} differ: {different:#?}",
        different.len(),
        audit.0.len()
    );
    compare(&audit);
}

/// What the demo does otherwise than the interface document says, or does not do, and why.
const DIFFERENCES: &str = include_str!("interface_differences.txt");

/// The page with the list is the one of this test.
fn compare(audit: &Audit) {
    let mut page = format!(
        "# The privacy service's interface\n\nWhat the demo does of the interface that it \
         implements, as the test `every_requirement_of_the_interface_holds` finds it: \
         {} requirements, all of which hold. `make bless CASE=interface` rewrites the page. \
         Further tests of each part: `tests/tests/demo`, `rest/privacy.rs`, `exchange`, \
         `webhooks`, `widgets`.\n",
        audit.0.len()
    );
    let mut last = "";
    for (section, requirement, _) in &audit.0 {
        if *section != last {
            page.push_str(&format!("\n## {section}\n\n"));
            last = section;
        }
        page.push_str(&format!("* {requirement}\n"));
    }
    page.push_str(DIFFERENCES);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/interface.md");
    if is_blessed("interface") {
        std::fs::write(path, page).unwrap();
    } else {
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == page,
            "demo/interface.md is not up to date: make bless CASE=interface"
        );
    }
}

async fn get(demo: &Demo, path: &str) -> Reply {
    Reply::of(demo.client.get(format!("{}{path}", demo.fact("url"))))
        .await
        .unwrap()
}

/// A REST call as a role, with its token.
async fn call(demo: &Demo, role: &str, method: Method, path: &str, values: &Value) -> Reply {
    let request = demo.client.request(
        method.clone(),
        format!("{}/api/rest/{path}", demo.fact("url")),
    );
    let request = request
        .bearer_auth(demo.token(role))
        .header("X-Gateway-Role", role);
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let pairs: Vec<(String, String)> = values
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    Reply::of(if method == Method::GET {
        request.query(&pairs)
    } else {
        request.json(values)
    })
    .await
    .unwrap()
}

async fn service(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "What the service does";
    for role in ROLES {
        let reply = demo
            .ask(
                role,
                "{ __schema { queryType { name } types { name } } }",
                json!({}),
            )
            .await;
        let holds = reply.data()["__schema"]["queryType"]["name"] == "query_root";
        audit.holds(
            AT,
            format!("introspection is enabled for `{role}`"),
            holds,
            &reply.text,
        );
    }
    let data = demo
        .ask("user", "{ dataControllers(limit: 1) { id } }", json!({}))
        .await;
    let only = |key: &str, reply: &Reply| {
        reply
            .json()
            .as_object()
            .is_some_and(|all| all.len() == 1 && all.contains_key(key))
    };
    audit.holds(
        AT,
        "a success is `{data: {…}}`",
        only("data", &data),
        &data.text,
    );
    let failed = demo.ask("user", "{ nothing }", json!({})).await;
    audit.holds(
        AT,
        "a failure is `{errors: […]}`",
        only("errors", &failed),
        &failed.text,
    );
    let settings =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/gateway.toml"))
            .unwrap();
    let sends = settings
        .lines()
        .any(|line| line.starts_with("webhook ") || line.starts_with("webhook_from_env"));
    audit.holds(
        AT,
        "no event goes to another application",
        !sends,
        "a webhook in demo/gateway.toml",
    );
}

async fn resources(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Resources and their fields";
    let types = demo
        .ask(
            "user",
            "{ __schema { types { name fields { name type { kind name ofType { kind name ofType \
             { kind name ofType { kind name } } } } } } } }",
            json!({}),
        )
        .await;
    let types = types.data()["__schema"]["types"].clone();
    let named = |mut r#type: &Value| loop {
        match &r#type["ofType"] {
            Value::Null => return r#type["name"].as_str().unwrap_or_default().to_owned(),
            inner => r#type = inner,
        }
    };
    for (name, fields) in [
        (
            "DataController",
            "id:uuid title:String did:String description:String industry:String \
             createdAt:timestamptz updatedAt:timestamptz users:DataControllerUser",
        ),
        ("DataControllerUser", "userId:uuid role:String"),
        (
            "DataSubject",
            "id:uuid did:String dataControllerId:uuid createdAt:timestamptz \
             updatedAt:timestamptz doNotTrack:Boolean globalPrivacyControl:Boolean \
             dataController:DataController dataProcessingActivities:ProcessingActivity",
        ),
        (
            "ProcessingActivity",
            "id:uuid dataSubjectId:uuid typeId:uuid sourceId:uuid triggeredAt:timestamptz \
             fieldIds:* preferenceIds:* dataSubject:DataSubject type:ProcessingActivityType \
             source:ProcessingActivitySource",
        ),
        ("ProcessingActivityType", "label:String comment:String"),
        ("ProcessingActivitySource", "label:String"),
        (
            "RightsRequest",
            "id:uuid dataSubjectId:uuid requestType:String status:String description:String \
             verified:Boolean createdAt:timestamptz updatedAt:timestamptz dataSubject:DataSubject",
        ),
        (
            "ConsentFormValue",
            "id:uuid value:String createdAt:timestamptz updatedAt:timestamptz dataSubjectId:uuid \
             dataControllerProcessingPurposeId:uuid dataSubject:DataSubject",
        ),
    ] {
        let found = types
            .as_array()
            .unwrap()
            .iter()
            .find(|known| known["name"] == name);
        for field in fields.split(' ') {
            let (field, r#type) = field.split_once(':').unwrap();
            let known = found.and_then(|found| {
                found["fields"]
                    .as_array()?
                    .iter()
                    .find(|known| known["name"] == field)
            });
            let holds = known.is_some_and(|known| r#type == "*" || named(&known["type"]) == r#type);
            let of = if r#type == "*" { "a list" } else { r#type };
            audit.holds(
                AT,
                format!("`{name}.{field}` is {of}"),
                holds,
                format!("{known:?}"),
            );
        }
    }
    let activity = demo
        .data(
            "user",
            "{ dataProcessingActivities(limit: 1) { fieldIds preferenceIds } }",
        )
        .await;
    let is_list = activity["dataProcessingActivities"][0]["fieldIds"].is_array();
    audit.holds(
        AT,
        "`fieldIds` and `preferenceIds` are JSON lists",
        is_list,
        &activity,
    );
    let count = "{ dataProcessingActivitiesAggregate(where: {dataSubject: {did: {_neq: \"\"}}}) \
                 { aggregate { count } } }";
    let count = demo.data("user", count).await;
    let is_number = count["dataProcessingActivitiesAggregate"]["aggregate"]["count"].is_i64();
    audit.holds(
        AT,
        "`dataProcessingActivitiesAggregate` counts with the `where` of the collection",
        is_number,
        &count,
    );
    for kind in [
        "access",
        "erasure",
        "rectification",
        "portability",
        "deletion",
    ] {
        let insert = "mutation ($s: uuid!, $t: String!) { \
                      insertDataSubjectsRightsRequest(object: {dataSubjectId: $s, requestType: \
                      $t}) { requestType } }";
        let reply = demo
            .ask(
                "dataSubject",
                insert,
                json!({"s": demo.fact("data_subject_id"), "t": kind}),
            )
            .await;
        let holds = reply.data()["insertDataSubjectsRightsRequest"]["requestType"] == kind;
        audit.holds(
            AT,
            format!("a rights request may be of the type `{kind}`"),
            holds,
            &reply.text,
        );
    }
    for status in ["pending", "submitted"] {
        let insert = "mutation ($s: uuid!, $t: String!) { \
                      insertDataSubjectsRightsRequest(object: {dataSubjectId: $s, requestType: \
                      \"access\", status: $t}) { status } }";
        let reply = demo
            .ask(
                "dataSubject",
                insert,
                json!({"s": demo.fact("data_subject_id"), "t": status}),
            )
            .await;
        let holds = reply.data()["insertDataSubjectsRightsRequest"]["status"] == status;
        audit.holds(
            AT,
            format!("a rights request may have the status `{status}`"),
            holds,
            &reply.text,
        );
    }
}

async fn token_exchange(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Token exchange";
    let url = demo.fact("url");
    let sign_in = |token: &str| {
        Reply::of(
            demo.client
                .post(format!("{url}/v1/signin/pat"))
                .json(&json!({"personalAccessToken": token})),
        )
    };
    let reply = sign_in(demo.fact("pat")).await.unwrap();
    let session = reply.json()["session"].clone();
    let is_jwt = session["accessToken"]
        .as_str()
        .is_some_and(|token| token.split('.').count() == 3);
    audit.holds(
        AT,
        "`POST /v1/signin/pat` exchanges a personal access token for a session",
        reply.status == 200,
        &reply.text,
    );
    audit.holds(AT, "`session.accessToken` is a JWT", is_jwt, &reply.text);
    audit.holds(
        AT,
        "`session.accessTokenExpiresIn` is 3600",
        session["accessTokenExpiresIn"] == 3600,
        &reply.text,
    );
    audit.holds(
        AT,
        "`session.refreshToken` is there",
        session["refreshToken"].is_string(),
        &reply.text,
    );
    audit.holds(
        AT,
        "`session.user.id` is the user's",
        session["user"]["id"] == demo.fact("user_id"),
        &reply.text,
    );
    audit.holds(
        AT,
        "`session.user.email` is there",
        session["user"]["email"].is_string(),
        &reply.text,
    );
    audit.holds(
        AT,
        "`session.user.defaultRole` is a role",
        session["user"]["defaultRole"] == "user",
        &reply.text,
    );
    let token = session["accessToken"].as_str().unwrap_or_default();
    let post = demo
        .client
        .post(format!("{url}/v1/graphql"))
        .bearer_auth(token)
        .header("X-Gateway-Role", "user");
    let used = Reply::of(post.json(&json!({"query": "{ dataControllers { id } }"})))
        .await
        .unwrap();
    audit.holds(
        AT,
        "the access token opens the API with its role",
        used.data()["dataControllers"].is_array(),
        &used.text,
    );
    let refreshed = demo
        .client
        .post(format!("{url}/v1/token"))
        .json(&json!({"refreshToken": session["refreshToken"]}));
    let refreshed = Reply::of(refreshed).await.unwrap();
    audit.holds(
        AT,
        "the refresh token gives another access token",
        refreshed.json()["accessToken"].is_string(),
        &refreshed.text,
    );
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let hours = "SELECT max(round(extract(epoch FROM expires_at - now()) / 3600))::int FROM \
                 postern.refresh_token";
    let hours: i32 = sql.query_one(hours, &[]).await.unwrap().get(0);
    audit.holds(AT, "a refresh token lives for 12 hours", hours == 12, hours);
    let wrong = sign_in("wrong").await.unwrap();
    let message = wrong.json()["message"].clone();
    audit.holds(
        AT,
        "an invalid token is 401 with `Invalid personal access token`",
        (wrong.status, &message) == (401, &json!("Invalid personal access token")),
        &wrong.text,
    );
    let create = "mutation { createPersonalAccessToken(args: {name: \"audit\"}) { id \
                  personalAccessToken name } }";
    let created = demo.ask("user", create, json!({})).await;
    let shown = created.data()["createPersonalAccessToken"].clone();
    audit.holds(
        AT,
        "a personal access token has a name and is shown when it is created",
        shown["personalAccessToken"].is_string(),
        &created.text,
    );
    let listed = demo
        .ask(
            "user",
            "{ personalAccessTokens { id name expiresAt } }",
            json!({}),
        )
        .await;
    audit.holds(
        AT,
        "and never again",
        !listed
            .text
            .contains(shown["personalAccessToken"].as_str().unwrap_or("-")),
        &listed.text,
    );
    // A user who is new has the role `dataSubject`, and no data subject.
    let user = "INSERT INTO users (email, display_name) VALUES ('new@mail.example', 'New') \
                RETURNING id::text, default_role";
    let user = sql.query_one(user, &[]).await.unwrap();
    let id: String = user.get(0);
    let default: String = user.get(1);
    audit.holds(
        AT,
        "`dataSubject` is the default role of new users",
        default == "dataSubject",
        default,
    );
    let plain = plugins::token_exchange::personal();
    let digest = plugins::token_exchange::digest;
    sql.execute(
        "INSERT INTO postern.personal_access_token (id, user_id, name, digest) VALUES \
         (gen_random_uuid(), $1, 'new', decode($2, 'hex'))",
        &[&id, &digest(&plain)],
    )
    .await
    .unwrap();
    let session = sign_in(&plain).await.unwrap().json()["session"].clone();
    let role = session["user"]["defaultRole"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let token = session["accessToken"].as_str().unwrap_or_default();
    let post = demo
        .client
        .post(format!("{url}/v1/graphql"))
        .bearer_auth(token)
        .header("X-Gateway-Role", &role);
    let own = Reply::of(post.json(&json!({"query": "{ users { email } }"})))
        .await
        .unwrap();
    let holds = role == "me" && own.data() == json!({"users": [{"email": "new@mail.example"}]});
    audit.holds(
        AT,
        "a new user without a data subject gets a session that works",
        holds,
        format!("{session} {}", own.text),
    );
}

async fn queries(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Queries";
    let controller = demo.fact("data_controller_id");
    let subject = demo.fact("data_subject_id");
    for (field, query) in [
        ("dataControllers", "dataControllers { id }".to_owned()),
        (
            "dataController",
            format!("dataController(id: \"{controller}\") {{ id }}"),
        ),
        ("dataSubjects", "dataSubjects(limit: 1) { id }".to_owned()),
        (
            "dataSubject",
            format!("dataSubject(id: \"{subject}\") {{ id }}"),
        ),
        (
            "dataSubjectConsentFormValues",
            "dataSubjectConsentFormValues(limit: 1) { id }".to_owned(),
        ),
        (
            "dataSubjectsRightsRequests",
            "dataSubjectsRightsRequests(limit: 1) { id }".to_owned(),
        ),
        (
            "dataSubjectRightsRequests",
            "dataSubjectRightsRequests(limit: 1) { id }".to_owned(),
        ),
        (
            "dataProcessingActivities",
            "dataProcessingActivities(limit: 1) { id }".to_owned(),
        ),
        (
            "dataProcessingActivitiesAggregate",
            "dataProcessingActivitiesAggregate { aggregate { count } }".to_owned(),
        ),
    ] {
        let reply = demo.ask("user", &format!("{{ {query} }}"), json!({})).await;
        audit.holds(
            AT,
            format!("`{field}` is a field of the query root"),
            !reply.data()[field].is_null(),
            &reply.text,
        );
    }
    for (about, arguments) in [
        (
            "`where` takes `_and` with a list, `_eq`, `_gte` and `_lte`",
            "where: {_and: [{triggeredAt: {_gte: \"2020-01-01\"}}, {triggeredAt: {_lte: \
             \"2099-01-01\"}}, {id: {_eq: \"00000000-0000-0000-0000-000000000000\"}}]}",
        ),
        (
            "`where` filters through relations",
            "where: {dataSubject: {dataControllerId: {_eq: \"CONTROLLER\"}}}",
        ),
        (
            "`order_by` takes `asc` and `desc`",
            "order_by: {triggeredAt: desc}",
        ),
        ("`orderBy` is the same", "orderBy: {triggeredAt: asc}"),
        ("`limit` and `offset` page", "limit: 50, offset: 50"),
    ] {
        let arguments = arguments.replace("CONTROLLER", controller);
        let reply = demo
            .ask(
                "user",
                &format!("{{ dataProcessingActivities({arguments}) {{ id }} }}"),
                json!({}),
            )
            .await;
        audit.holds(
            AT,
            about,
            reply.data()["dataProcessingActivities"].is_array(),
            &reply.text,
        );
    }
    for (role, field) in [
        ("anonymous", "dataSubjects"),
        ("me", "dataSubjects"),
        ("dataSubject", "notes"),
    ] {
        let reply = demo
            .ask(role, &format!("{{ {field} {{ id }} }}"), json!({}))
            .await;
        let holds =
            reply.error().message == format!("field '{field}' not found in type: 'query_root'");
        audit.holds(
            AT,
            format!("`{field}`, which `{role}` may not see, is not found in the query root"),
            holds,
            &reply.text,
        );
    }
}

async fn mutations(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Mutations";
    let controller = demo.fact("data_controller_id");
    let subject = demo.fact("data_subject_id");
    let create = "mutation ($i: CreateDataSubjectInput!) { createDataSubject(input: $i) { \
                  dataSubjectId message } }";
    let input = |controller: &str| json!({"i": {"event": "data_subject.create", "dataControllerId": controller, "payload": {"displayName": "A", "email": "a@mail.example", "country": "DE"}}});
    let reply = demo.ask("user", create, input(controller)).await;
    let made = &reply.data()["createDataSubject"];
    audit.holds(
        AT,
        "`createDataSubject` returns `dataSubjectId` and `message`",
        made["dataSubjectId"].is_string() && made["message"].is_string(),
        &reply.text,
    );
    let foreign = demo
        .ask("user", create, input(demo.fact("other_data_controller_id")))
        .await;
    audit.holds(
        AT,
        "`createDataSubject` refuses a foreign controller",
        foreign.error().message == DENIED,
        &foreign.text,
    );
    let types = demo
        .data(
            "user",
            "{ dataProcessingActivityTypes(limit: 1) { id } \
                       dataProcessingActivitySources(limit: 1) { id } \
                       dataProcessingActivityFields(limit: 2) { id } }",
        )
        .await;
    let fields: Vec<&Value> = types["dataProcessingActivityFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| &field["id"])
        .collect();
    let insert = "mutation ($o: dataProcessingActivities_insert_input!) { \
                  insertDataProcessingActivity(object: $o) { id dataSubjectId typeId sourceId \
                  triggeredAt fieldIds preferenceIds dataSubject { id } type { label } source { \
                  label } } }";
    let object = json!({"o": {"dataSubjectId": subject, "typeId": types["dataProcessingActivityTypes"][0]["id"], "sourceId": types["dataProcessingActivitySources"][0]["id"], "fieldIds": fields, "preferenceIds": []}});
    let reply = demo.ask("user", insert, object).await;
    audit.holds(
        AT,
        "`insertDataProcessingActivity` returns the activity with its relations",
        reply.data()["insertDataProcessingActivity"]["fieldIds"] == json!(fields),
        &reply.text,
    );
    for (name, input) in [
        (
            "insertDataSubjectsRightsRequest",
            "dataSubjectsRightsRequests_insert_input",
        ),
        (
            "insertDataSubjectRightsRequest",
            "data_subject_rights_requests_insert_input",
        ),
    ] {
        let insert = format!(
            "mutation ($o: {input}!) {{ {name}(object: $o) {{ id requestType \
                              status createdAt dataSubject {{ did }} }} }}"
        );
        let object = json!({"o": {"dataSubjectId": subject, "requestType": "access", "description": "x", "verified": false, "status": "pending"}});
        let reply = demo.ask("dataSubject", &insert, object).await;
        audit.holds(
            AT,
            format!("`{name}` takes `{input}`"),
            reply.data()[name]["dataSubject"]["did"].is_string(),
            &reply.text,
        );
    }
    let value = demo
        .data(
            "dataSubject",
            "{ dataSubjectConsentFormValues(limit: 1) { id } }",
        )
        .await;
    let update = "mutation ($id: uuid!) { updateDataSubjectConsentFormValue(pk_columns: {id: \
                  $id}, _set: {value: \"false\"}) { id value updatedAt dataSubject { id } } }";
    let reply = demo
        .ask(
            "dataSubject",
            update,
            json!({"id": value["dataSubjectConsentFormValues"][0]["id"]}),
        )
        .await;
    audit.holds(
        AT,
        "`updateDataSubjectConsentFormValue` takes `pk_columns` and `_set`",
        reply.data()["updateDataSubjectConsentFormValue"]["value"] == "false",
        &reply.text,
    );
    let upsert = "mutation ($c: uuid!, $s: uuid!, $p: jsonb!) { \
                  upsertDataSubjectConsents(dataControllerId: $c, dataSubjectId: $s, purposes: \
                  $p) { status message data { dataSubjectId upsertedCount consentCookie } } }";
    let values = |controller: &str, subject: &str| json!({"c": controller, "s": subject, "p": {demo.fact("purpose_id"): true}});
    let reply = demo
        .ask("dataSubject", upsert, values(controller, subject))
        .await;
    let saved = &reply.data()["upsertDataSubjectConsents"];
    audit.holds(
        AT,
        "`upsertDataSubjectConsents` returns `status`, `message` and `data`",
        saved["status"] == "success" && saved["data"]["upsertedCount"] == 1,
        &reply.text,
    );
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let cookie = saved["data"]["consentCookie"].as_str().unwrap_or_default();
    let verify = "SELECT verify_consent_cookie($1) IS NOT NULL, verify_consent_cookie($1 || 'x') \
                  IS NULL, \
                  has_function_privilege('public', 'consent_cookie_key()', 'EXECUTE')";
    let verified = sql.query_one(verify, &[&cookie]).await.unwrap();
    let holds =
        verified.get::<_, bool>(0) && verified.get::<_, bool>(1) && !verified.get::<_, bool>(2);
    audit.holds(
        AT,
        "its cookie is signed, and verifiable with a key that other database users cannot read",
        holds,
        cookie,
    );
    for (controller, subject) in [
        (demo.fact("other_data_controller_id"), subject),
        (controller, demo.fact("other_data_subject_id")),
    ] {
        let reply = demo
            .ask("dataSubject", upsert, values(controller, subject))
            .await;
        audit.holds(
            AT,
            "`upsertDataSubjectConsents` refuses foreign controllers and subjects",
            reply.error().message == DENIED,
            &reply.text,
        );
    }
    let contract = "SELECT id::text, title FROM data_controller_processing_purposes WHERE \
                    data_controller_id = $1::text::uuid AND legal_basis = 'contract' AND status = \
                    'active' LIMIT 1";
    let contract = sql.query_one(contract, &[&controller]).await.unwrap();
    let contract_id: String = contract.get(0);
    let purposes = json!({ contract_id: false });
    let refused = json!({"c": controller, "s": subject, "p": purposes});
    let reply = demo.ask("dataSubject", upsert, refused).await;
    audit.holds(
        AT,
        "`upsertDataSubjectConsents` refuses a purpose that asks for no consent",
        reply.error().message.contains(contract.get::<_, &str>(1)),
        &reply.text,
    );
    let evidence = format!(
        "{{ dataSubjectConsentFormValues(where: {{dataControllerProcessingPurposeId: {{_eq: \
         \"{}\"}}}}) {{ givenBy form textDigest shownText }} }}",
        demo.fact("purpose_id")
    );
    let data = demo.data("dataSubject", &evidence).await;
    let kept = &data["dataSubjectConsentFormValues"][0];
    audit.holds(
        AT,
        "a consent says who gave it and which text was shown",
        kept["givenBy"] == "person"
            && kept["textDigest"].is_string()
            && kept["shownText"].is_string(),
        data.to_string(),
    );
    for kind in ["query", "mutation"] {
        let ask = format!(
            "{kind} ($c: uuid!) {{ answerFAQ(dataControllerId: $c, question: \"How \
                           do I withdraw my consent?\") {{ answer sources {{ title }} }} }}"
        );
        let reply = demo.ask("anonymous", &ask, json!({"c": controller})).await;
        let holds = reply.data()["answerFAQ"]["sources"]
            .as_array()
            .is_some_and(|sources| !sources.is_empty());
        audit.holds(
            AT,
            format!("`answerFAQ` answers as a {kind} from the controller's texts"),
            holds,
            &reply.text,
        );
    }
}

async fn subscriptions(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Subscriptions";
    let controller = demo.fact("data_controller_id");
    for (field, query) in [
        (
            "dataProcessingActivities",
            format!(
                "dataProcessingActivities(where: {{dataSubject: {{dataControllerId: {{_eq: \
                     \"{controller}\"}}}}}}, order_by: {{triggeredAt: desc}}, limit: 50) {{ id }}"
            ),
        ),
        (
            "dataSubjectsRightsRequests",
            "dataSubjectsRightsRequests(order_by: {createdAt: desc}) { id }".to_owned(),
        ),
    ] {
        for protocol in ["graphql-transport-ws", "graphql-ws"] {
            let mut socket = super::refusals::open(demo, protocol).await;
            let headers = json!({"Authorization": format!("Bearer {}", demo.token("user")), "X-Gateway-Role": "user"});
            let start = if protocol == "graphql-ws" {
                "start"
            } else {
                "subscribe"
            };
            for message in [
                json!({"type": "connection_init", "payload": {"headers": headers}}),
                json!({"type": start, "id": "1", "payload": {"query": format!("subscription {{ \
                     {query} }}")}}),
            ] {
                socket
                    .send(Message::text(message.to_string()))
                    .await
                    .unwrap();
            }
            let mut results = vec![];
            let reading = async {
                while results.len() < 2
                    && let Some(Ok(message)) = socket.next().await
                {
                    let Ok(text) = message.into_text() else {
                        continue;
                    };
                    let message: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
                    if let Some(list) = message["payload"]["data"][field].as_array() {
                        results.push(list.clone());
                        if results.len() == 1 {
                            write_one(demo, field).await;
                        }
                    }
                }
            };
            let _ = tokio::time::timeout(std::time::Duration::from_secs(15), reading).await;
            let holds = results.len() == 2 && results[0] != results[1];
            audit.holds(
                AT,
                format!("`{field}` is live over `{protocol}`"),
                holds,
                format!("{} results", results.len()),
            );
        }
    }
}

/// Adds a row of a collection.
async fn write_one(demo: &Demo, field: &str) {
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let insert = match field {
        "dataProcessingActivities" => {
            "INSERT INTO data_processing_activities (data_subject_id, \
                                       type_id, source_id) \
                                       SELECT $1::text::uuid, t.id, s.id FROM \
                                       data_processing_activity_types t, \
                                       data_processing_activity_sources s LIMIT 1"
        }
        _ => {
            "INSERT INTO data_subject_rights_requests (data_subject_id, request_type) VALUES \
              ($1::text::uuid, 'access')"
        }
    };
    sql.execute(insert, &[&demo.fact("data_subject_id")])
        .await
        .unwrap();
}

async fn rest(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "REST endpoints";
    let controller = demo.fact("data_controller_id");
    let subject = demo.fact("data_subject_id");
    let of_controller = json!({"dataControllerId": controller});
    let of_subject = json!({"dataSubjectId": subject});
    let message = call(
        demo,
        "user",
        Method::GET,
        "getnotificationmessagesbydatasubject",
        &of_subject,
    )
    .await;
    let message = message.json()["notificationMessages"][0]["id"].clone();
    let endpoints: [(&str, &str, Value); 17] = [
        (
            "answerfaq",
            "GET POST",
            json!({"dataControllerId": controller, "question": "Wie widerrufe ich meine \
                 Einwilligung?"}),
        ),
        ("getDataControllerFaqs", "GET POST", of_controller.clone()),
        (
            "getdatacontrollerdetails",
            "GET POST",
            of_controller.clone(),
        ),
        (
            "getdatacontrollerpurposedataitems",
            "GET POST",
            of_controller.clone(),
        ),
        (
            "getdatacontrollerpurposes",
            "GET POST",
            of_controller.clone(),
        ),
        (
            "getdatacontrollerpurposetemplatelinks",
            "GET POST",
            of_controller.clone(),
        ),
        ("getdatacontrollerusers", "GET POST", of_controller.clone()),
        ("getdataprocessingactivityfields", "GET POST", json!({})),
        ("getdatasubjectdatamapping", "GET POST", of_subject.clone()),
        (
            "getdatasubjectscountbycontroller",
            "GET POST",
            of_controller.clone(),
        ),
        (
            "getdatasubjectsrightsrequests",
            "GET POST",
            of_subject.clone(),
        ),
        (
            "getnotificationmessagesbydatasubject",
            "GET POST",
            of_subject.clone(),
        ),
        ("getprivacynotices", "GET POST", of_controller.clone()),
        ("getpurposebusinesstemplates", "GET POST", json!({})),
        ("getpurposeoperationaltemplates", "GET POST", json!({})),
        (
            "insertdatasubjectsrightsrequest",
            "GET POST PUT",
            json!({"dataSubjectId": subject, "requestType": "access"}),
        ),
        (
            "updatenotificationisread",
            "GET POST PUT",
            json!({"id": message}),
        ),
    ];
    for (path, methods, values) in &endpoints {
        for method in methods.split(' ') {
            let reply = call(demo, "user", method.parse().unwrap(), path, values).await;
            audit.holds(
                AT,
                format!("`{method} /api/rest/{path}` answers"),
                reply.status == 200,
                &reply.text,
            );
        }
    }
    let described = demo
        .client
        .get(format!("{}/api/rest/openapi.json", demo.fact("url")))
        .header("X-Gateway-Admin-Secret", demo.fact("admin_secret"));
    let described = Reply::of(described).await.unwrap();
    let count = described.json()["paths"]
        .as_object()
        .map_or(0, serde_json::Map::len);
    audit.holds(AT, "there are 17 endpoints", count == 17, count);
    let server = demo.client.get(format!(
        "{}/api/rest/getdatacontrollerusers?dataControllerId={controller}",
        demo.fact("url")
    ));
    let server = Reply::of(server.header("X-Gateway-Admin-Secret", demo.fact("admin_secret")))
        .await
        .unwrap();
    audit.holds(
        AT,
        "servers may use `X-Gateway-Admin-Secret` instead of a token",
        server.status == 200,
        &server.text,
    );
    let details_for = async |role: &str| {
        let reply = call(
            demo,
            role,
            Method::GET,
            "getdatacontrollerdetails",
            &of_controller,
        );
        reply.await.json()["dataController"].clone()
    };
    let details = details_for("user").await;
    for field in [
        "title",
        "address",
        "dpoName",
        "dpoEmail",
        "industry",
        "complianceConfiguration",
    ] {
        audit.holds(
            AT,
            format!("controller details have `{field}`"),
            !details[field].is_null(),
            &details,
        );
    }
    for role in ["dataSubject", "anonymous"] {
        let details = details_for(role).await;
        audit.holds(
            AT,
            format!("`{role}` reads controller details, with the settings that concern people"),
            details["dpoEmail"].is_string()
                && details["complianceConfiguration"]["supervisoryAuthority"].is_string(),
            &details,
        );
    }
    for (path, values, root, fields) in [
        (
            "getdatacontrollerpurposes",
            &of_controller,
            "dataControllerProcessingPurposes",
            "legalBasis description consentRequired",
        ),
        (
            "getdatacontrollerusers",
            &of_controller,
            "dataControllerUsers",
            "role status",
        ),
        (
            "getdatasubjectdatamapping",
            &of_subject,
            "dataSubjectDataMapping",
            "dataItemLabel origin originLabel recordedAt purposeTitle processors",
        ),
        (
            "getdatasubjectsrightsrequests",
            &of_subject,
            "dataSubjectsRightsRequests",
            "requestType status createdAt updatedAt",
        ),
        (
            "getprivacynotices",
            &of_controller,
            "privacyNotices",
            "quickLook overview full publishedAt",
        ),
    ] {
        // A data item may serve no purpose.
        let rows = call(demo, "user", Method::GET, path, values).await.json()[root].clone();
        let is_complete = |row: &&Value| fields.split(' ').all(|field| !row[field].is_null());
        let row = rows
            .as_array()
            .and_then(|rows| rows.iter().find(is_complete))
            .unwrap_or(&rows[0]);
        for field in fields.split(' ') {
            audit.holds(
                AT,
                format!("`{path}` has `{field}`"),
                !row[field].is_null(),
                row,
            );
        }
    }
    let nobody =
        "mutation ($c: uuid!) { insertDataSubject(object: {dataControllerId: $c}) { id } }";
    let nobody = demo.ask("user", nobody, json!({"c": controller})).await;
    let nobody = json!({"dataSubjectId": nobody.data()["insertDataSubject"]["id"]});
    let mapping = call(
        demo,
        "user",
        Method::GET,
        "getdatasubjectdatamapping",
        &nobody,
    )
    .await;
    audit.holds(
        AT,
        "the data mapping of a person without records is empty",
        mapping.json() == json!({"dataSubjectDataMapping": []}),
        &mapping.text,
    );
    let unknown = "00000000-0000-0000-0000-000000000000";
    for (path, _, values) in &endpoints {
        for (parameter, foreign) in [
            ("dataControllerId", demo.fact("other_data_controller_id")),
            ("dataSubjectId", demo.fact("other_data_subject_id")),
            ("id", unknown),
        ] {
            if values.get(parameter).is_some() {
                for id in [foreign, unknown] {
                    let mut values = values.clone();
                    values[parameter] = id.into();
                    let reply = call(demo, "user", Method::POST, path, &values).await;
                    let holds = reply.status == 403
                        && reply.json()
                            == json!({"status": "error", "message": DENIED, "data": null});
                    let kind = if id == unknown { "unknown" } else { "foreign" };
                    audit.holds(
                        AT,
                        format!("`{path}` with a {kind} `{parameter}` is 403 `{DENIED}`"),
                        holds,
                        &reply.text,
                    );
                }
            }
        }
    }
}

async fn webhooks_and_widgets(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Webhooks and widgets";
    let services = demo.facts["webhooks"].as_object().unwrap();
    for service in [
        "ecommerce",
        "payments",
        "email-marketing",
        "accounting",
        "crm",
        "survey",
        "events",
        "hotel",
    ] {
        for prefix in ["/api", ""] {
            let post = demo
                .client
                .post(format!(
                    "{}{prefix}/v1/integrations/{service}/event",
                    demo.fact("url")
                ))
                .body("{}");
            let reply = Reply::of(post).await.unwrap();
            let holds = services.contains_key(service)
                && reply.status == 401
                && reply.json()["status"] == "error";
            audit.holds(
                AT,
                format!(
                    "`POST {prefix}/v1/integrations/{service}/event` refuses what is not signed"
                ),
                holds,
                &reply.text,
            );
        }
    }
    for (service, method) in [
        ("ecommerce", "hmac"),
        ("payments", "stripe"),
        ("crm", "legacy"),
        ("hotel", "jwe"),
    ] {
        let holds = services[service]["verification"] == method;
        audit.holds(
            AT,
            format!("`{service}` is verified by `{method}`"),
            holds,
            &services[service]["verification"],
        );
    }
    let page = get(demo, "/widgets/demo").await;
    audit.holds(
        AT,
        "a page shows the widgets",
        page.status == 200,
        page.status,
    );
    for element in [
        "transparency-app",
        "svc-overview",
        "svc-consents",
        "svc-rights-management",
        "svc-privacy",
        "svc-data-map",
    ] {
        let script = get(demo, &format!("/widgets/{element}.js")).await;
        let is_module = script.header("content-type").starts_with("text/javascript");
        audit.holds(
            AT,
            format!("`{element}` is a module script"),
            script.status == 200 && is_module && script.text.contains(element),
            script.status,
        );
    }
    let element = get(demo, "/widgets/element.js").await;
    audit.holds(
        AT,
        "elements have the attribute `data-controller-id`",
        element.text.contains("data-controller-id"),
        element.status,
    );
}

async fn authentication(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Authentication and roles";
    let url = format!("{}/v1/graphql", demo.fact("url"));
    let query = json!({"query": "{ dataControllers(limit: 1) { id } }"});
    let without = Reply::of(demo.client.post(&url).json(&query))
        .await
        .unwrap();
    audit.holds(
        AT,
        "without `Authorization` a request is 401",
        without.status == 401,
        &without.text,
    );
    audit.holds(
        AT,
        "and says `No authorization header provided`",
        without.error().message == "No authorization header provided",
        &without.text,
    );
    let without = Reply::of(
        demo.client
            .post(&url)
            .bearer_auth(demo.token("user"))
            .json(&query),
    )
    .await
    .unwrap();
    audit.holds(
        AT,
        "without `X-Gateway-Role` a request is 403",
        without.status == 403,
        &without.text,
    );
    for role in ROLES {
        let reply = demo
            .ask(role, "{ dataControllers(limit: 1) { id } }", json!({}))
            .await;
        audit.holds(
            AT,
            format!("`{role}` is a role"),
            reply.data()["dataControllers"].is_array(),
            &reply.text,
        );
        let other = if role == "user" {
            "dataSubject"
        } else {
            "user"
        };
        let post = demo
            .client
            .post(&url)
            .bearer_auth(demo.token(role))
            .header("X-Gateway-Role", other);
        let reply = Reply::of(post.json(&query)).await.unwrap();
        audit.holds(
            AT,
            format!("a token of `{role}` does not open `{other}`"),
            reply.error().message == NO_ROLE && reply.status == 403,
            &reply.text,
        );
    }
    let public = "dataControllers { dpoName dpoEmail address } privacyNotices { overview } \
                  dataControllerFaqs { answer }";
    let reply = demo
        .ask("anonymous", &format!("{{ {public} }}"), json!({}))
        .await;
    let holds = reply.data()["dataControllers"][0]["dpoEmail"].is_string();
    audit.holds(
        AT,
        "`anonymous` reads the public data, with contact and address of the data protection \
         officer",
        holds,
        &reply.text,
    );
    // A visitor of a widget, under a pseudonym.
    let visitor =
        json!({"controllerId": demo.fact("data_controller_id"), "visitor": "B".repeat(42) + "A"});
    let session = Reply::of(
        demo.client
            .post(format!("{}/v1/widgets/session", demo.fact("url")))
            .json(&visitor),
    )
    .await
    .unwrap();
    let token = session.json()["accessToken"].clone();
    let subject = session.json()["dataSubjectId"].clone();
    let ask = |query: &'static str, variables: Value| {
        let post = demo
            .client
            .post(&url)
            .bearer_auth(token.as_str().unwrap_or_default())
            .header("X-Gateway-Role", "anonymous");
        Reply::of(post.json(&json!({"query": query, "variables": variables})))
    };
    let consent = "mutation ($s: uuid!, $p: uuid!) { insertDataSubjectConsentFormValue(object: \
                   {dataSubjectId: $s, dataControllerProcessingPurposeId: $p, value: \"true\"}) \
                   { value } }";
    let reply = ask(consent, json!({"s": subject, "p": demo.fact("purpose_id")}))
        .await
        .unwrap();
    audit.holds(
        AT,
        "`anonymous` tracks consents of a widget's visitor",
        reply.data()["insertDataSubjectConsentFormValue"]["value"] == "true",
        format!("{} {}", session.text, reply.text),
    );
    let kinds = demo
        .data(
            "user",
            "{ dataProcessingActivityTypes(where: {code: {_eq: \"page_view\"}}) { id } \
                       dataProcessingActivitySources(where: {code: {_eq: \"website\"}}) { id } \
                       erased: dataProcessingActivityTypes(where: {code: {_eq: \"data_erased\"}}) { id } }",
        )
        .await;
    let track = "mutation ($s: uuid!, $t: uuid!, $o: uuid!) { \
                 insertDataProcessingActivity(object: {dataSubjectId: $s, typeId: $t, sourceId: \
                 $o}) { id } }";
    let values = json!({"s": subject, "t": kinds["dataProcessingActivityTypes"][0]["id"], "o": kinds["dataProcessingActivitySources"][0]["id"]});
    let reply = ask(track, values).await.unwrap();
    audit.holds(
        AT,
        "`anonymous` tracks events of a widget's visitor",
        reply.data()["insertDataProcessingActivity"]["id"].is_string(),
        &reply.text,
    );
    let values = json!({"s": subject, "t": kinds["erased"][0]["id"], "o": kinds["dataProcessingActivitySources"][0]["id"]});
    let reply = ask(track, values).await.unwrap();
    audit.holds(
        AT,
        "and page views and sign-ins alone",
        reply.error().message
            == "a page reports page views and sign-ins of the website or the app, and nothing \
                else",
        &reply.text,
    );
    let request = "mutation ($s: uuid!) { insertDataSubjectsRightsRequest(object: \
                   {dataSubjectId: $s, requestType: \"access\"}) { id } }";
    let mut accepted = 0;
    for _ in 0..25 {
        let reply = ask(request, json!({"s": subject})).await.unwrap();
        accepted += usize::from(reply.data()["insertDataSubjectsRightsRequest"]["id"].is_string());
    }
    audit.holds(
        AT,
        "a visitor has a limited number of requests at a time",
        accepted <= 20,
        accepted,
    );
    let own = demo
        .ask("dataSubject", "{ dataSubjects { id } }", json!({}))
        .await;
    audit.holds(
        AT,
        "`dataSubject` sees its own data alone",
        own.data()["dataSubjects"] == json!([{"id": demo.fact("data_subject_id")}]),
        &own.text,
    );
    let own = demo.ask("me", "{ users { id } }", json!({})).await;
    audit.holds(
        AT,
        "`me` sees the authenticated user alone",
        own.data()["users"] == json!([{"id": demo.fact("user_id")}]),
        &own.text,
    );
    let settings = demo
        .ask(
            "me",
            "{ dataControllers { complianceConfiguration } }",
            json!({}),
        )
        .await;
    audit.holds(
        AT,
        "`me` reads names of its controllers, and not their settings",
        settings.error().code == "validation-failed",
        &settings.text,
    );
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let levels = "SELECT u.user_id::text, u.role FROM data_controller_users u WHERE \
                  u.data_controller_id::text = $1 AND u.status = 'active'";
    for level in ["Viewer", "Editor", "Administrator"] {
        let rows = sql
            .query(levels, &[&demo.fact("data_controller_id")])
            .await
            .unwrap();
        let Some(user) = rows
            .iter()
            .find(|row| row.get::<_, String>(1) == level)
            .map(|row| row.get::<_, String>(0))
        else {
            audit.holds(
                AT,
                format!("`{level}` is a level of the team"),
                false,
                "nobody has it",
            );
            continue;
        };
        let values = [("user_id", user.as_str())];
        let caller = Caller {
            role: "user",
            values: &values,
        };
        let update = "mutation ($c: uuid!) { updateDataController(pk_columns: {id: $c}, _set: \
                      {industry: \"Energy\"}) { id } }";
        let edits = demo
            .ask_as(
                caller,
                update,
                json!({"c": demo.fact("data_controller_id")}),
            )
            .await
            .data()["updateDataController"]["id"]
            .is_string();
        audit.holds(
            AT,
            format!(
                "`{level}` {} settings",
                if level == "Viewer" {
                    "does not modify"
                } else {
                    "modifies"
                }
            ),
            edits == (level != "Viewer"),
            edits,
        );
    }
    let events = "SELECT count(DISTINCT event) FROM postern.authentication_event";
    let events: i64 = sql.query_one(events, &[]).await.unwrap().get(0);
    audit.holds(AT, "authentication events are logged", events >= 2, events);
}

async fn events(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Events";
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let count = async || {
        let count = "SELECT count(*) FROM rights_request_workflows w JOIN rights_request_tasks t \
                     ON t.rights_request_workflow_id = w.id";
        sql.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };
    for (by, is_rest) in [("GraphQL", false), ("REST", true)] {
        let before = count().await;
        if is_rest {
            let values =
                json!({"dataSubjectId": demo.fact("data_subject_id"), "requestType": "access"});
            call(
                demo,
                "dataSubject",
                Method::POST,
                "insertdatasubjectsrightsrequest",
                &values,
            )
            .await;
        } else {
            let insert = "mutation ($s: uuid!) { insertDataSubjectsRightsRequest(object: \
                          {dataSubjectId: $s, requestType: \"access\"}) { id } }";
            demo.ask(
                "dataSubject",
                insert,
                json!({"s": demo.fact("data_subject_id")}),
            )
            .await;
        }
        let mut started = false;
        for _ in 0..100 {
            started = count().await > before;
            if started {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        audit.holds(
            AT,
            format!("a rights request that {by} inserts starts its workflow"),
            started,
            before,
        );
    }
    let triggers = "SELECT count(*) FROM pg_trigger WHERE tgname = \
                    'postern_event_insert_data_subject_rights_requests_insert'";
    let triggers: i64 = sql.query_one(triggers, &[]).await.unwrap().get(0);
    audit.holds(
        AT,
        "the trigger is called `data_subject_rights_requests_insert`",
        triggers == 1,
        triggers,
    );
    let workflow = demo
        .ask(
            "user",
            "{ rightsRequestWorkflows(limit: 1) { state dueAt assignedTo tasks { title state \
             dueAt } } }",
            json!({}),
        )
        .await;
    let found = &workflow.data()["rightsRequestWorkflows"][0];
    audit.holds(
        AT,
        "tasks, deadline, assignment and states are visible through GraphQL",
        found["dueAt"].is_string() && found["tasks"].is_array(),
        &workflow.text,
    );
    let assign = "mutation ($w: uuid!, $u: uuid!) { updateRightsRequestWorkflowsByPk(pk_columns: \
                  {id: $w}, _set: {assignedTo: $u}) { id } }";
    let row = "SELECT w.id::text, (SELECT u.id::text FROM users u WHERE NOT EXISTS (SELECT FROM \
               data_controller_users m WHERE m.user_id = u.id AND m.data_controller_id = \
               s.data_controller_id) LIMIT 1) \
               FROM rights_request_workflows w JOIN data_subjects s ON s.id = w.data_subject_id \
               WHERE w.state <> 'closed' AND s.id::text = $1 LIMIT 1";
    let row = sql
        .query_one(row, &[&demo.fact("data_subject_id")])
        .await
        .unwrap();
    let workflow: String = row.get(0);
    let stranger: String = row.get(1);
    let reply = demo
        .ask("user", assign, json!({"w": workflow, "u": stranger}))
        .await;
    audit.holds(
        AT,
        "only a member of the team is assigned to a request",
        reply.error().code == "permission-error",
        &reply.text,
    );
    let reply = demo
        .ask(
            "user",
            assign,
            json!({"w": workflow, "u": demo.fact("user_id")}),
        )
        .await;
    audit.holds(
        AT,
        "a colleague is",
        reply.data()["updateRightsRequestWorkflowsByPk"]["id"].is_string(),
        &reply.text,
    );
}

async fn errors(demo: &Demo, audit: &mut Audit) {
    const AT: &str = "Errors";
    let url = demo.fact("url");
    let post = |token: &str, path: &str| {
        let post = demo
            .client
            .post(format!("{url}{path}"))
            .bearer_auth(token)
            .header("X-Gateway-Role", "user");
        Reply::of(post.json(&json!({"query": "{ dataControllers { id } }"})))
    };
    let grant = gateway::auth::TokenRequest {
        role: "user",
        roles: vec![],
        values: vec![],
        seconds: 1,
    };
    let short = gateway::auth::mint(
        demo.fact("jwt_secret"),
        gateway::auth::claims::ClaimNames::default(),
        None,
        &grant,
    )
    .unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    let expired = post(&short, "/v1/graphql").await.unwrap();
    let ReplyError {
        status,
        code,
        message,
    } = expired.error();
    audit.holds(
        AT,
        "an expired token is 401 `access-denied` with `Could not verify JWT: JWTExpired`",
        (status, code.as_str(), message.as_str())
            == (401, "access-denied", "Could not verify JWT: JWTExpired"),
        &expired.text,
    );
    let expired = post(&short, "/api/rest/getpurposebusinesstemplates")
        .await
        .unwrap();
    audit.holds(
        AT,
        "on REST it says `JWT token has expired`",
        expired.status == 401 && expired.json()["message"] == "JWT token has expired",
        &expired.text,
    );
    let invalid = post("x.y.z", "/v1/graphql").await.unwrap();
    audit.holds(
        AT,
        "an invalid token is 401",
        invalid.status == 401,
        &invalid.text,
    );
    let malformed = demo
        .client
        .post(format!("{url}/v1/graphql"))
        .header("Authorization", demo.token("user"))
        .header("X-Gateway-Role", "user");
    let malformed = Reply::of(malformed.json(&json!({"query": "{ dataControllers { id } }"})))
        .await
        .unwrap();
    audit.holds(
        AT,
        "a header without `Bearer` is 401",
        malformed.status == 401,
        &malformed.text,
    );
    let field = demo.ask("user", "{ nothing }", json!({})).await;
    let ReplyError { code, message, .. } = field.error();
    audit.holds(
        AT,
        "an unknown field is `validation-failed`",
        (code.as_str(), message.as_str())
            == (
                "validation-failed",
                "field 'nothing' not found in type: 'query_root'",
            ),
        &field.text,
    );
    audit.holds(
        AT,
        "`extensions` have a `path`, and the error `locations`",
        field.json()["errors"][0]["extensions"]["path"].is_string()
            && field.json()["errors"][0]["locations"].is_array(),
        &field.text,
    );
    let uuid = demo
        .ask("user", "{ dataController(id: \"x\") { id } }", json!({}))
        .await;
    audit.holds(
        AT,
        "a malformed uuid is `constraint-violation`",
        uuid.error().code == "constraint-violation",
        &uuid.text,
    );
    let role = call(
        demo,
        "anonymous",
        Method::GET,
        "getpurposebusinesstemplates",
        &json!({}),
    )
    .await;
    audit.holds(
        AT,
        "a role without permission is 403 in the second envelope",
        role.status == 403
            && role.json() == json!({"status": "error", "message": NO_ROLE, "data": null}),
        &role.text,
    );
    let mut limited = None;
    for _ in 0..60 {
        let body = json!({"personalAccessToken": "wrong"});
        let reply = Reply::of(demo.client.post(format!("{url}/v1/signin/pat")).json(&body))
            .await
            .unwrap();
        if reply.status == 429 {
            limited = Some(reply);
            break;
        }
    }
    let holds = limited
        .as_ref()
        .is_some_and(|reply| !reply.header("retry-after").is_empty());
    audit.holds(
        AT,
        "rate limits apply to authentication: 429 with `Retry-After`",
        holds,
        "no 429 in 60 attempts",
    );
    let described = demo
        .client
        .get(format!("{url}/api/rest/openapi.json"))
        .header("X-Gateway-Admin-Secret", demo.fact("admin_secret"));
    let described = Reply::of(described).await.unwrap().json();
    let holds =
        described["components"]["responses"]["Unexpected"]["headers"]["Retry-After"].is_object();
    audit.holds(
        AT,
        "a 500 says when to repeat the request: `Retry-After: 30`",
        holds,
        &described["components"]["responses"]["Unexpected"],
    );
}
