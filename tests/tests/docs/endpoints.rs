//! Generates the page about the demo's endpoints from the OpenAPI description for each role, and
//! compares it with the page.

use demo::Demo;
use serde_json::{Map, Value};
use tests::openapi::Description;

use crate::docs::{check, read};

const ROLES: [&str; 4] = ["user", "me", "dataSubject", "anonymous"];

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_of_the_page_match_the_descriptions() {
    let demo = Demo::start(None).await.expect("the demo starts");
    let file = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(
            demo.settings(tests::demo_data::URL)
                .expect("the demo's settings"),
        )
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text(&file.name, &file.text)
        .rest_map(demo.rest_map())
        .actions(demo.actions());
    let running = builder.start().await.expect("the gateway starts");
    let url = format!("{}/api/rest/openapi.json", running.url());
    let mut descriptions = vec![];
    for role in ROLES {
        let request = reqwest::Client::new()
            .get(&url)
            .bearer_auth(demo.token(role).expect("a token"));
        let response = request
            .header("X-Gateway-Role", role)
            .send()
            .await
            .expect("an answer");
        descriptions.push((role, Description(response.json().await.expect("JSON"))));
    }
    running.shutdown().await;
    check("demo/endpoints.md", "endpoints", &page(&descriptions));
}

/// A table of all endpoints, and a section for each.
fn page(descriptions: &[(&str, Description)]) -> String {
    let mut paths: Vec<&String> = descriptions
        .iter()
        .flat_map(|(_, description)| description.0["paths"].as_object().expect("paths").keys())
        .collect();
    paths.sort_by_key(|path| path.to_lowercase());
    paths.dedup();
    let endpoints: Vec<Endpoint<'_>> = paths
        .iter()
        .map(|path| Endpoint::of(path, descriptions))
        .collect();
    let head = "| `/api/rest/…` | | Roles |\n|---|---|---|\n";
    let rows: String = endpoints.iter().map(Endpoint::row).collect();
    let sections: String = endpoints.iter().map(Endpoint::section).collect();
    format!("{head}{rows}\n{sections}")
}

/// An endpoint, as described to the first role that may call it.
struct Endpoint<'d> {
    path: &'d str,
    roles: Vec<&'d str>,
    description: &'d Description,
    /// Reading methods first.
    methods: Vec<&'d str>,
}

impl<'d> Endpoint<'d> {
    fn of(path: &'d str, descriptions: &'d [(&'d str, Description)]) -> Endpoint<'d> {
        let matching: Vec<_> = descriptions
            .iter()
            .filter(|(_, description)| description.0["paths"].get(path).is_some())
            .collect();
        let (_, description) = matching.first().expect("a caller is described");
        let methods = description.0["paths"][path].as_object().expect("methods");
        let methods = ["get", "post", "put", "patch", "delete"]
            .into_iter()
            .filter(|method| methods.contains_key(*method));
        Endpoint {
            path,
            roles: matching.iter().map(|(role, _)| *role).collect(),
            description,
            methods: methods.collect(),
        }
    }

    fn name(&self) -> &str {
        self.path.strip_prefix("/api/rest/").unwrap_or(self.path)
    }

    /// The operation object of its first method.
    fn operation(&self) -> &Value {
        self.description.operation(self.path, self.methods[0])
    }

    fn summary(&self) -> &str {
        self.operation()["summary"].as_str().expect("a summary")
    }

    fn roles(&self) -> String {
        self.roles
            .iter()
            .map(|role| format!("`{role}`"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn row(&self) -> String {
        let name = self.name();
        format!(
            "| [`{name}`](#{}) | {} | {} |\n",
            name.to_lowercase(),
            self.summary(),
            self.roles()
        )
    }

    fn section(&self) -> String {
        let methods = self
            .methods
            .iter()
            .map(|method| method.to_uppercase())
            .collect::<Vec<_>>()
            .join(", ");
        let response =
            &self.operation()["responses"]["200"]["content"]["application/json"]["schema"];
        let errors = match self.operation()["responses"].get("409") {
            Some(_) => " Beside the [common errors](../docs/rest.md#responses): 409.",
            None => "",
        };
        format!(
            "### {}\n\n{}. {methods}. For {}.{errors}\n\n{}```http\n{}\n```\n\n```ts\n{}\n```\n\n",
            self.name(),
            self.summary(),
            self.roles(),
            self.parameters(),
            self.example(),
            shape(response, 0),
        )
    }

    /// Its parameters.
    fn parameters(&self) -> String {
        let rows: String = self
            .description
            .parameters(self.path, self.methods[0], "query")
            .iter()
            .map(|parameter| {
                let name = parameter["name"].as_str().expect("a name");
                let needed = match (
                    &parameter["schema"]["default"],
                    parameter["required"] == true,
                ) {
                    (Value::Null, true) => "required".to_owned(),
                    (Value::Null, false) => "optional".to_owned(),
                    (default, _) => format!("`{default}` if it is not given"),
                };
                let about = parameter["description"]
                    .as_str()
                    .map(|text| format!(": {text}"))
                    .unwrap_or_default();
                format!(
                    "| `{name}` | {} | {needed}{about} |\n",
                    shape(&parameter["schema"], 0)
                )
            })
            .collect();
        if rows.is_empty() {
            rows
        } else {
            format!("| Parameter | Type | |\n|---|---|---|\n{rows}\n")
        }
    }

    /// An example request: GET for reading endpoints, POST for writing ones.
    fn example(&self) -> String {
        let operation = self.operation()["operationId"].as_str().expect("an id");
        let file = read(&format!("demo/queries/{operation}.graphql"));
        let values = file
            .lines()
            .find_map(|line| line.strip_prefix("# variables: "))
            .unwrap_or("{}");
        let values: Map<String, Value> = serde_json::from_str(values).expect("variables");
        if self.operation()["tags"][0] == "mutations" {
            return format!("POST {}\n\n{}", self.path, Value::Object(values));
        }
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let pairs = values
            .iter()
            .map(|(name, value)| (name.as_str(), text(value)));
        let mut url = reqwest::Url::parse("http://localhost").expect("a URL");
        if !values.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        let query = url
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        format!("GET {}{query}", self.path)
    }
}

/// A schema as a TypeScript type, with the description of each member in a comment.
fn shape(schema: &Value, depth: usize) -> String {
    if let Some(ways) = schema["anyOf"].as_array() {
        // A number may also be the string `NaN`, which is too rare to show.
        let ways = ways
            .iter()
            .filter(|way| way.get("enum").is_none_or(|values| values[0] != "NaN"));
        return ways
            .map(|way| shape(way, depth))
            .collect::<Vec<_>>()
            .join(" | ");
    }
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(" | ");
    }
    match &schema["type"] {
        Value::Array(names) => {
            let each = names.iter().map(|name| {
                let mut one = schema.clone();
                one["type"] = name.clone();
                shape(&one, depth)
            });
            each.collect::<Vec<_>>().join(" | ")
        }
        Value::String(name) => match (
            name.as_str(),
            schema["format"].as_str(),
            schema.get("properties"),
        ) {
            ("object", _, Some(Value::Object(members))) => object(members, depth),
            ("array", ..) => match shape(&schema["items"], depth) {
                items if items.contains(" | ") && !items.starts_with('{') => format!("({items})[]"),
                items => format!("{items}[]"),
            },
            ("string", Some("uuid"), _) => "uuid".into(),
            (name, ..) => name.into(),
        },
        _ => "any".into(),
    }
}

fn object(members: &Map<String, Value>, depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let lines: String = members
        .iter()
        .map(|(name, schema)| {
            let shape = shape(schema, depth + 1);
            let about = schema["description"]
                .as_str()
                .filter(|_| !shape.contains('\n'));
            let about = about
                .map(|about| format!("  // {about}"))
                .unwrap_or_default();
            format!("{indent}{name}: {shape}{about}\n")
        })
        .collect();
    format!("{{\n{lines}{}}}", "  ".repeat(depth))
}
