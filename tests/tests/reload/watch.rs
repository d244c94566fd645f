//! Tests `--watch`: a change of any file that the gateway reads reloads it, also where an editor
//! puts a new file in the place of the old one; a file with a fault changes nothing, and the fault
//! is logged.

use super::*;

const MAP: &str =
    "[[endpoint]]\npath = \"names\"\nmethods = [\"GET\"]\ndocument = \"names.graphql\"\n";
const SETTINGS: &str = "admin_secret = \"open sesame\"\npermissions = \
                        \"permissions.toml\"\nrest_map = \"map.toml\"\nwatch = true\n";

/// A gateway that watches `gateway.toml`, `permissions.toml`, `map.toml` and `names.graphql`.
struct Watched {
    location: Place,
    gateway: binary::Running,
    url: String,
}

impl Watched {
    async fn start() -> Watched {
        let location = Place::new(WIDE).await;
        location.write("map.toml", MAP);
        location.write(
            "names.graphql",
            "query Names { authors(order_by: {id: asc}) { name } }",
        );
        location.write("gateway.toml", SETTINGS);
        let config = location.path("gateway.toml").to_string_lossy().into_owned();
        let (running, url) = location.serve_as(&["--config", &config]);
        Watched {
            location,
            gateway: running,
            url,
        }
    }

    async fn get(&self, path: &str) -> Reply {
        let get = self
            .location
            .client
            .get(format!("{}/api/rest/{path}", self.url));
        let get = get
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        Reply::of(get).await.unwrap()
    }

    async fn has_names(&self) -> bool {
        self.location
            .ask(&self.url, "{ authors { name } }")
            .await
            .data()
            .is_object()
    }

    /// Puts a new file in the place of another, as editors and deployments do.
    fn replace(&self, name: &str, text: &str) {
        self.location.write("new~", text);
        std::fs::rename(self.location.path("new~"), self.location.path(name)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_permission_file_is_applied() {
    let watched = Watched::start().await;
    assert!(watched.has_names().await);
    watched.location.write("permissions.toml", NARROW);
    until("the narrow file is applied", async || {
        !watched.has_names().await
    })
    .await;
    watched.replace("permissions.toml", WIDE);
    until("the wide file is applied", async || {
        watched.has_names().await
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_map_and_its_documents_are_applied() {
    let watched = Watched::start().await;
    assert_eq!(
        watched.get("names").await.json(),
        json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]})
    );
    watched.location.write(
        "names.graphql",
        "query Names { authors(limit: 1, order_by: {id: asc}) { name } }",
    );
    until("the document is applied", async || {
        watched.get("names").await.json()["authors"]
            .as_array()
            .unwrap()
            .len()
            == 1
    })
    .await;
    watched.replace("names.graphql", "query Names { people: authors { id } }");
    until("the replaced document is applied", async || {
        watched.get("names").await.json()["people"].is_array()
    })
    .await;
    // An endpoint whose document is written after the map that names it.
    let later = format!(
        "{MAP}[[endpoint]]\npath = \"later\"\nmethods = [\"GET\"]\ndocument = \"later.graphql\"\n"
    );
    watched.replace("map.toml", &later);
    watched
        .gateway
        .wait_for_line("not reloaded", PATIENCE)
        .expect("the missing document is not logged");
    assert_eq!(watched.get("names").await.status, 200);
    watched
        .location
        .write("later.graphql", "query Later { authors { id } }");
    until("the new endpoint is there", async || {
        watched.get("later").await.status == 200
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_settings_file_is_applied() {
    let watched = Watched::start().await;
    watched
        .location
        .write("gateway.toml", &SETTINGS.replace(SECRET, "another"));
    let status = async |secret: &str| {
        watched
            .location
            .ask_by(&watched.url, secret, "{ __typename }")
            .await
            .status
    };
    until("the new secret is known", async || {
        status("another").await == 200
    })
    .await;
    assert_eq!(status(SECRET).await, 401);
    watched.replace("gateway.toml", SETTINGS);
    until("the old secret is known again", async || {
        status(SECRET).await == 200
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_with_a_fault_changes_nothing_and_is_logged() {
    let watched = Watched::start().await;
    let faults = [
        (
            "permissions.toml",
            WIDE.replace("authors", "autors"),
            "unknown-table",
            WIDE.to_owned(),
        ),
        (
            "map.toml",
            "[[endpoint]]\npath = ".to_owned(),
            "syntax",
            MAP.to_owned(),
        ),
        (
            "names.graphql",
            "query Names { authors { nme } }".to_owned(),
            "no-role",
            "query Names { authors { id } }".to_owned(),
        ),
        (
            "gateway.toml",
            format!("{SETTINGS}answer_limit = 0\n"),
            "answer_limit",
            SETTINGS.to_owned(),
        ),
    ];
    for (name, faulty, expected, right) in faults {
        watched.replace(name, &faulty);
        let logged = watched
            .gateway
            .wait_for_line("not reloaded", PATIENCE)
            .expect("the fault is not logged");
        let further = || watched.gateway.wait_for_line(expected, PATIENCE);
        assert!(
            logged.contains(expected) || further().is_some(),
            "{name}: {logged}"
        );
        assert!(watched.has_names().await, "{name}");
        assert_eq!(watched.get("names").await.status, 200, "{name}");
        watched.replace(name, &right);
        watched
            .gateway
            .wait_for_line(" reloaded ", PATIENCE)
            .expect("the mended file is not applied");
    }
    assert!(watched.has_names().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_runs_again_after_each_change() {
    let location = Place::new(WIDE).await;
    let permissions = location
        .path("permissions.toml")
        .to_string_lossy()
        .into_owned();
    let arguments = [
        "check",
        "--watch",
        "--database-url",
        location.database.url(),
        "--permissions",
        &permissions,
    ];
    let checking = binary::Running::start(binary::command(&arguments)).unwrap();
    checking
        .wait_for_line("no problems", PATIENCE)
        .expect("the first check");
    location.write("permissions.toml", &WIDE.replace("authors", "autors"));
    checking
        .wait_for_line("error[unknown-table]", PATIENCE)
        .expect("the fault");
    location.write("new~", WIDE);
    std::fs::rename(location.path("new~"), location.path("permissions.toml")).unwrap();
    checking
        .wait_for_line("no problems", PATIENCE)
        .expect("the mended file");
}
