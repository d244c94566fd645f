//! Tests the 17 endpoints of the privacy service in the demo: each with every method that it has,
//! for every role.

use demo::Demo;
use gateway::server::GatewayHandle;
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tests::reply::Reply;

use super::service::send;

const DENIED: &str = "User does not have required role permissions";

/// Every role of the service.
pub(super) const ROLES: [&str; 4] = ["user", "me", "dataSubject", "anonymous"];

/// An endpoint: its path, its methods, its parameters, the roles that may call it, and what its
/// response contains.
pub(super) struct Expected {
    pub(super) path: &'static str,
    pub(super) methods: &'static [Method],
    parameters: &'static [&'static str],
    pub(super) roles: &'static [&'static str],
    root: &'static str,
    field: &'static str,
}

const READ: &[Method] = &[Method::GET, Method::POST];
const WRITE: &[Method] = &[Method::GET, Method::POST, Method::PUT];
const CONTROLLER: &[&str] = &["dataControllerId"];
const SUBJECT: &[&str] = &["dataSubjectId"];
const PUBLIC: &[&str] = &["user", "dataSubject", "anonymous"];
const PERSONAL: &[&str] = &["user", "dataSubject"];
const TEAM: &[&str] = &["user"];

const fn reading(
    path: &'static str,
    parameters: &'static [&'static str],
    roles: &'static [&'static str],
    root: &'static str,
    field: &'static str,
) -> Expected {
    Expected {
        path,
        methods: READ,
        parameters,
        roles,
        root,
        field,
    }
}

pub(super) const ENDPOINTS: [Expected; 17] = [
    reading(
        "answerfaq",
        &["dataControllerId", "question"],
        PUBLIC,
        "answerFAQ",
        "answer",
    ),
    reading(
        "getDataControllerFaqs",
        CONTROLLER,
        PUBLIC,
        "dataControllerFaqs",
        "question",
    ),
    reading(
        "getdatacontrollerdetails",
        CONTROLLER,
        PUBLIC,
        "dataController",
        "complianceConfiguration",
    ),
    reading(
        "getdatacontrollerpurposedataitems",
        CONTROLLER,
        PUBLIC,
        "dataControllerPurposeDataItems",
        "label",
    ),
    reading(
        "getdatacontrollerpurposes",
        CONTROLLER,
        PUBLIC,
        "dataControllerProcessingPurposes",
        "legalBasis",
    ),
    reading(
        "getdatacontrollerpurposetemplatelinks",
        CONTROLLER,
        TEAM,
        "dataControllerPurposeTemplateLinks",
        "purpose",
    ),
    reading(
        "getdatacontrollerusers",
        CONTROLLER,
        &["user", "me"],
        "dataControllerUsers",
        "status",
    ),
    reading(
        "getdataprocessingactivityfields",
        &[],
        PERSONAL,
        "dataProcessingActivityFields",
        "code",
    ),
    reading(
        "getdatasubjectdatamapping",
        SUBJECT,
        PERSONAL,
        "dataSubjectDataMapping",
        "processors",
    ),
    reading(
        "getdatasubjectscountbycontroller",
        CONTROLLER,
        TEAM,
        "dataSubjectsAggregate",
        "aggregate",
    ),
    reading(
        "getdatasubjectsrightsrequests",
        SUBJECT,
        PERSONAL,
        "dataSubjectsRightsRequests",
        "requestType",
    ),
    reading(
        "getnotificationmessagesbydatasubject",
        SUBJECT,
        PERSONAL,
        "notificationMessages",
        "isRead",
    ),
    reading(
        "getprivacynotices",
        CONTROLLER,
        PUBLIC,
        "privacyNotices",
        "quickLook",
    ),
    reading(
        "getpurposebusinesstemplates",
        &[],
        TEAM,
        "purposeBusinessTemplates",
        "title",
    ),
    reading(
        "getpurposeoperationaltemplates",
        &[],
        TEAM,
        "purposeOperationalTemplates",
        "title",
    ),
    Expected {
        path: "insertdatasubjectsrightsrequest",
        methods: WRITE,
        parameters: &["dataSubjectId", "requestType"],
        roles: PERSONAL,
        root: "insertDataSubjectsRightsRequest",
        field: "status",
    },
    Expected {
        path: "updatenotificationisread",
        methods: WRITE,
        parameters: &["id"],
        roles: PERSONAL,
        root: "updateNotificationMessage",
        field: "isRead",
    },
];

pub(super) struct Privacy {
    pub(super) demo: Demo,
    pub(super) gateway: GatewayHandle,
    facts: Map<String, Value>,
    pub(super) client: reqwest::Client,
    // Removed after the demo has ended.
    _data: Option<TempDir>,
}

impl Privacy {
    pub(super) async fn start() -> Privacy {
        let data = tests::demo_data::copy().unwrap();
        let folder = data.as_ref().map(|data| data.path().to_owned());
        let demo = Demo::start(folder).await.unwrap();
        let permissions = demo.permissions();
        let builder = tests::gateway()
            .plugins(demo::plugins())
            .settings(demo.settings(tests::demo_data::URL).unwrap())
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_text(&permissions.name, &permissions.text)
            .rest_map(demo.rest_map())
            .actions(demo.actions());
        let running = builder.start().await.unwrap();
        let facts = demo.facts(&running.url());
        Privacy {
            demo,
            gateway: running,
            facts,
            client: reqwest::Client::new(),
            _data: data,
        }
    }

    pub(super) fn fact(&self, key: &str) -> Value {
        self.facts[key].clone()
    }

    pub(super) fn ask(&self, role: &str, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .client
            .request(method, format!("{}/api/rest/{path}", self.gateway.url()));
        match role {
            "admin" => request.header(
                "X-Gateway-Admin-Secret",
                self.facts["admin_secret"].as_str().unwrap(),
            ),
            _ => request
                .bearer_auth(self.demo.token(role).unwrap())
                .header("X-Gateway-Role", role),
        }
    }

    /// Calls an endpoint with parameters where the method expects them: in the query string, or as
    /// JSON.
    async fn call(
        &self,
        role: &str,
        method: Method,
        path: &str,
        parameters: &Map<String, Value>,
    ) -> Reply {
        let request = self.ask(role, method.clone(), path);
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let pairs: Vec<(&String, String)> = parameters
            .iter()
            .map(|(name, value)| (name, text(value)))
            .collect();
        match method {
            Method::GET | Method::HEAD => send(request.query(&pairs)).await,
            _ => send(request.json(parameters)).await,
        }
    }

    /// Valid values for these parameters.
    async fn values(&self, names: &[&str]) -> Map<String, Value> {
        let mut values = Map::new();
        for name in names {
            let value = match *name {
                "dataControllerId" => self.fact("data_controller_id"),
                "dataSubjectId" => self.fact("data_subject_id"),
                "requestType" => "access".into(),
                "question" => "Wie widerrufe ich meine Einwilligung?".into(),
                "id" => self.notification().await,
                other => panic!("{other}"),
            };
            values.insert((*name).to_owned(), value);
        }
        values
    }

    /// The id of one of the data subject's notifications.
    pub(super) async fn notification(&self) -> Value {
        let subject = Map::from_iter([("dataSubjectId".to_owned(), self.fact("data_subject_id"))]);
        let all = self
            .call(
                "user",
                Method::GET,
                "getnotificationmessagesbydatasubject",
                &subject,
            )
            .await
            .json();
        all["notificationMessages"][0]["id"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_endpoint_is_limited_to_its_roles() {
    let service = Privacy::start().await;
    for expected in &ENDPOINTS {
        let values = service.values(expected.parameters).await;
        for role in ROLES.iter().chain(&["admin"]) {
            for method in expected.methods {
                let reply = service
                    .call(role, method.clone(), expected.path, &values)
                    .await;
                let about = format!("{method} {} as {role}: {}", expected.path, reply.text);
                if *role != "admin" && !expected.roles.contains(role) {
                    reply.assert_envelope(403, DENIED);
                    continue;
                }
                assert_eq!(reply.status, 200, "{about}");
                let response = reply.json();
                assert_eq!(response.as_object().map(Map::len), Some(1), "{about}");
                let first = match &response[expected.root] {
                    Value::Array(rows) => rows.first().cloned().unwrap_or_default(),
                    other => other.clone(),
                };
                assert!(first.get(expected.field).is_some(), "{about}");
            }
        }
        service.is_strict(expected, &values).await;
        if expected.parameters.contains(&"dataControllerId") {
            service.asks_for_the_controller(expected, values).await;
        }
    }
}

impl Privacy {
    /// A controller that a role does not see is denied, whether it exists or not. The public data
    /// of all controllers is visible to every role.
    async fn asks_for_the_controller(&self, expected: &Expected, mut values: Map<String, Value>) {
        for (controller, public) in [
            (self.fact("other_data_controller_id"), true),
            (json!("00000000-0000-0000-0000-000000000000"), false),
        ] {
            values.insert("dataControllerId".into(), controller);
            for role in expected.roles.iter().chain(&["admin"]) {
                let reply = self.call(role, Method::GET, expected.path, &values).await;
                if public && matches!(*role, "anonymous" | "admin") {
                    assert_eq!(
                        reply.status, 200,
                        "{} as {role}: {}",
                        expected.path, reply.text
                    );
                } else {
                    reply.assert_envelope(403, "Access denied to data controller resources");
                }
            }
        }
    }

    /// A request without a token, with another method, or with a missing or unknown parameter gets
    /// the matching error.
    async fn is_strict(&self, expected: &Expected, values: &Map<String, Value>) {
        let Expected {
            path, parameters, ..
        } = expected;
        let nobody = send(
            self.client
                .get(format!("{}/api/rest/{path}", self.gateway.url())),
        )
        .await;
        nobody.assert_envelope(401, "No authorization header provided");
        let without_role = self
            .client
            .get(format!("{}/api/rest/{path}", self.gateway.url()));
        let without_role = without_role.bearer_auth(self.demo.token("user").unwrap());
        send(without_role).await.assert_envelope(403, DENIED);
        let wrong = self.call("user", Method::DELETE, path, values).await;
        assert_eq!(wrong.status, 405, "{path}: {}", wrong.text);
        let allow = send(self.ask("user", Method::OPTIONS, path)).await;
        assert_eq!(
            (allow.status, allow.header("allow")),
            (204, wrong.header("allow")),
            "{path}"
        );
        for method in READ {
            for name in *parameters {
                let mut fewer = values.clone();
                fewer.remove(*name);
                let missing = self.call("user", method.clone(), path, &fewer).await;
                missing.assert_envelope(400, &format!("the parameter '{name}' is missing"));
                let is_id = name.ends_with("Id") || *name == "id";
                if is_id {
                    fewer.insert((*name).to_owned(), "no-uuid".into());
                    let malformed = self.call("user", method.clone(), path, &fewer).await;
                    let message = malformed.json()["message"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned();
                    assert!(
                        malformed.status == 400 && message.contains(&format!("'{name}'")),
                        "{path}: {}",
                        malformed.text
                    );
                }
            }
            let mut more = values.clone();
            more.insert("other".into(), 1.into());
            let unknown = self.call("user", method.clone(), path, &more).await;
            unknown.assert_envelope(400, "unknown parameter 'other'");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rights_requests_and_notifications_are_written() {
    let service = Privacy::start().await;
    let subject = service.fact("data_subject_id");
    let mut values = service.values(&["dataSubjectId", "requestType"]).await;
    values.insert("description".into(), "by REST".into());
    let made = service
        .call(
            "dataSubject",
            Method::POST,
            "insertdatasubjectsrightsrequest",
            &values,
        )
        .await
        .json();
    let request = &made["insertDataSubjectsRightsRequest"];
    assert_eq!(
        (&request["dataSubjectId"], &request["requestType"]),
        (&subject, &json!("access"))
    );
    assert_eq!(
        (&request["status"], &request["verified"]),
        (&json!("submitted"), &json!(false))
    );
    let own = Map::from_iter([("dataSubjectId".to_owned(), subject)]);
    let all = service
        .call(
            "dataSubject",
            Method::GET,
            "getdatasubjectsrightsrequests",
            &own,
        )
        .await
        .json();
    assert_eq!(all["dataSubjectsRightsRequests"][0]["id"], request["id"]);
    // A data subject may neither mark their own identity as checked nor submit requests for another
    // person.
    values.insert("verified".into(), true.into());
    let verified = service
        .call(
            "dataSubject",
            Method::POST,
            "insertdatasubjectsrightsrequest",
            &values,
        )
        .await;
    assert_eq!(verified.status, 403, "{}", verified.text);
    values.insert("verified".into(), false.into());
    values.insert(
        "dataSubjectId".into(),
        service.fact("other_data_subject_id"),
    );
    for role in ["dataSubject", "user"] {
        let other = service
            .call(
                role,
                Method::PUT,
                "insertdatasubjectsrightsrequest",
                &values,
            )
            .await;
        assert_eq!(other.status, 403, "{role}: {}", other.text);
    }
    values.insert("dataSubjectId".into(), service.fact("data_subject_id"));
    values.insert("requestType".into(), "everything".into());
    let wrong = service
        .call(
            "dataSubject",
            Method::POST,
            "insertdatasubjectsrightsrequest",
            &values,
        )
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);

    let id = service.notification().await;
    for read in [true, false] {
        let mut values = Map::from_iter([("id".to_owned(), id.clone())]);
        if !read {
            values.insert("isRead".into(), read.into());
        }
        let marked = service
            .call(
                "dataSubject",
                Method::GET,
                "updatenotificationisread",
                &values,
            )
            .await
            .json();
        let expected = (&id, &json!(read));
        let message = &marked["updateNotificationMessage"];
        assert_eq!((&message["id"], &message["isRead"]), expected, "{marked}");
    }
    let nobodys = Map::from_iter([(
        "id".to_owned(),
        json!("00000000-0000-0000-0000-000000000000"),
    )]);
    let none = service
        .call(
            "dataSubject",
            Method::POST,
            "updatenotificationisread",
            &nobodys,
        )
        .await;
    none.assert_envelope(403, "Access denied to data controller resources");
}

/// Data subjects and notifications of others look like those that do not exist.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_subjects_and_notifications_are_denied() {
    const DENIED: &str = "Access denied to data controller resources";
    let service = Privacy::start().await;
    let unknown = json!("00000000-0000-0000-0000-000000000000");
    let foreign_notification = {
        let subject = Map::from_iter([(
            "dataSubjectId".to_owned(),
            service.fact("other_data_subject_id"),
        )]);
        let all = service
            .call(
                "admin",
                Method::GET,
                "getnotificationmessagesbydatasubject",
                &subject,
            )
            .await
            .json();
        all["notificationMessages"][0]["id"].clone()
    };
    for expected in ENDPOINTS
        .iter()
        .filter(|expected| expected.parameters.contains(&"dataSubjectId"))
    {
        for id in [service.fact("other_data_subject_id"), unknown.clone()] {
            let mut values = service.values(expected.parameters).await;
            values.insert("dataSubjectId".into(), id);
            for role in expected.roles {
                for method in expected.methods {
                    let reply = service
                        .call(role, method.clone(), expected.path, &values)
                        .await;
                    reply.assert_envelope(403, DENIED);
                }
            }
        }
    }
    for id in [foreign_notification, unknown] {
        assert!(id.is_string());
        let values = Map::from_iter([("id".to_owned(), id)]);
        for role in PERSONAL {
            service
                .call(role, Method::POST, "updatenotificationisread", &values)
                .await
                .assert_envelope(403, DENIED);
        }
    }
}
