//! Compiles the handler of an action: the URL, headers and transforms of a web service, or the
//! arguments of a function of the database.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use permissions::{SourceFile, Text};
use pg::sharing::{SharedSlots, SlotSharing};
use reqwest::Url;
use sql::model::action::{Action, ActionField, ActionKind, Actions};
use sql::postgres::catalog::{Argument, Catalog, Function, FunctionId};
use sql::postgres::types::{Scalar, graphql_name};
use sql::schema::{BuiltIn, Object, TypeKey};

use super::breaker::CircuitBreaker;
use super::definition::{ActionDefinition, ForwardedNames, ModelDefinition};
use super::diagnostic::{Fault, Problem};
use super::function::{DatabaseFunction, FunctionArgument};
use super::handler::Handler;
use super::language_model::{Budget, LanguageModel};
use super::native::NativeHandlers;
use super::web_service::{SHARING, WebService};
use crate::auth::fetch::Fetcher;
use crate::auth::forwarded_headers::{ForwardedHeaders, may_be_listed};
use crate::transform::{RequestTransform, Template, Transform, is_callable};

/// Compiles handlers and collects their faults.
pub(super) struct HandlerCompiler<'c> {
    pub(super) file: &'c SourceFile,
    pub(super) catalog: &'c Arc<Catalog>,
    pub(super) native: &'c NativeHandlers,
    /// The types that actions declare.
    pub(super) declared: &'c Actions,
    /// The prefix of session headers, in lower case.
    pub(super) prefix: &'c str,
    pub(super) problems: &'c mut Vec<Problem>,
}

/// The time for an answer, unless the definition has another one. As in Hasura.
const DEFAULT_TIMEOUT_SECONDS: u64 = 30;

/// After how many failures in a row a handler is not called for how many seconds.
const BREAKER: (u64, u64) = (5, 10);

/// The defaults of a language model: seconds, tokens of an answer, bytes of passages, calls in an
/// hour.
const MODEL_TIMEOUT: u64 = 10;
const MODEL_TOKENS: u64 = 400;
const MODEL_BYTES: usize = 16 << 10;
const MODEL_CALLS: u64 = 600;

/// One caller may have this part of a model's calls, and so many at least.
const MODEL_SHARES: u64 = 10;
const MODEL_SHARE: u64 = 10;

/// How callers share the concurrent calls to a model.
const MODEL_SHARING: SlotSharing = SlotSharing {
    slots: 16,
    client_limit: 8,
    waiting: 256,
};

/// The variables of a response's transform.
const OF_RESPONSE: [&str; 1] = ["body"];

/// The name of a function's argument that gets the session, and of one that gets all arguments.
const SESSION: &str = "session";
const INPUT: &str = "input";

impl HandlerCompiler<'_> {
    /// The handler of an action; none if it has faults.
    pub(super) fn handler(
        &mut self,
        action: &Action,
        definition: &ActionDefinition,
    ) -> Option<Handler> {
        let before = self.problems.len();
        if let (Some(model), None) = (&definition.model, &definition.function) {
            self.add(Fault::OnlyFunction { key: "model" }, model.span.clone());
        }
        let handler = match (&definition.handler, &definition.function) {
            (Some(url), None) => self
                .web_service(action, definition, url)
                .map(|web| Handler::Web(Box::new(web))),
            (None, Some(function)) => {
                for (key, span) in &definition.only_web {
                    self.add(Fault::OnlyWeb { key }, span.clone());
                }
                let function = self.function(action, function);
                match &definition.model {
                    None => function.map(Handler::Function),
                    Some(model) => {
                        let model = self.model(action, model);
                        function.zip(model).map(|(function, model)| {
                            Handler::ByLanguageModel(function, Box::new(model))
                        })
                    }
                }
            }
            (None, None) => match self.native.get(&action.name) {
                Some(native) => Some(Handler::Native(native.clone())),
                None => {
                    let help = "or the program that embeds the gateway registers it: \
                                `Gateway::builder().action(…)`";
                    let fault = Fault::Handlers {
                        action: action.name.clone(),
                    };
                    let source_span = self.file.span_of(definition.name.span.clone());
                    self.problems
                        .push(Problem::new(fault, source_span).help(help));
                    None
                }
            },
            (Some(_), Some(function)) => {
                self.add(
                    Fault::Handlers {
                        action: action.name.clone(),
                    },
                    function.span.clone(),
                );
                None
            }
        };
        handler.filter(|_| self.problems.len() == before)
    }

    fn add(&mut self, fault: Fault, span: Range<usize>) {
        self.problems
            .push(Problem::new(fault, self.file.span_of(span)));
    }

    // ---- web services

    /// A URL with environment variables.
    fn url(&mut self, written: &Text) -> Option<Url> {
        let text = self.expand(written)?;
        let reason = match text.parse::<Url>() {
            Ok(url) if is_callable(&url) => return Some(url),
            Ok(_) => "it has to begin with `http://` or `https://` and name a host".to_owned(),
            Err(error) => error.to_string(),
        };
        self.add(Fault::Url { reason }, written.span.clone());
        None
    }

    fn web_service(
        &mut self,
        action: &Action,
        definition: &ActionDefinition,
        url: &Text,
    ) -> Option<WebService> {
        let url = self.url(url)?;
        let headers = self.headers(definition);
        let forwarded = self.forwarded(definition, &headers);
        if let Some(retries) = definition.retries.as_ref()
            && action.kind == ActionKind::Mutation
            && retries.value > 0
        {
            self.add(Fault::Retries {}, retries.span.clone());
        }
        let request = match &definition.request_transform {
            Some(transform) => self.request(transform)?,
            None => Transform::default(),
        };
        let response = definition
            .response_transform
            .as_ref()
            .map(|body| self.template(body, &OF_RESPONSE));
        let breaker = definition.circuit_breaker;
        let failures = breaker
            .and_then(|breaker| breaker.failures)
            .unwrap_or(BREAKER.0);
        let pause = Duration::from_secs(
            breaker
                .and_then(|breaker| breaker.seconds)
                .unwrap_or(BREAKER.1),
        );
        Some(WebService {
            url,
            headers,
            forwarded,
            timeout: Duration::from_secs(
                definition.timeout.unwrap_or(DEFAULT_TIMEOUT_SECONDS).max(1),
            ),
            retries: definition
                .retries
                .as_ref()
                .map_or(0, |retries| retries.value),
            breaker: CircuitBreaker::new(failures, pause),
            request,
            response: response.flatten(),
            // Redirects are not followed, so that what a handler gets never reaches another server.
            fetcher: Fetcher::new(0),
            slots: SharedSlots::new(SHARING),
        })
    }

    fn headers(&mut self, definition: &ActionDefinition) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for header in &definition.headers {
            let text = match (&header.value, &header.value_from_env) {
                (Some(value), _) => self.expand(value),
                (None, Some(variable)) => self.variable(&variable.value, variable.span.clone()),
                (None, None) => None,
            };
            let Some(text) = text else { continue };
            match (
                HeaderName::try_from(&header.name.value),
                HeaderValue::try_from(text),
            ) {
                (Ok(name), Ok(mut value)) => {
                    value.set_sensitive(true);
                    headers.insert(name, value);
                }
                _ => self.add(
                    Fault::Header {
                        name: header.name.value.clone(),
                    },
                    header.name.span.clone(),
                ),
            }
        }
        headers
    }

    fn forwarded(
        &mut self,
        definition: &ActionDefinition,
        own: &HeaderMap,
    ) -> Option<ForwardedHeaders> {
        let names = match definition.forward_client_headers.as_ref()? {
            ForwardedNames::All => None,
            ForwardedNames::Listed(listed) => {
                let name = |text: &Text| {
                    let name = HeaderName::try_from(&text.value).ok();
                    let name = name.filter(|name| may_be_listed(name, self.prefix));
                    if name.is_none() {
                        self.add(
                            Fault::NotForwarded {
                                name: text.value.clone(),
                            },
                            text.span.clone(),
                        );
                    }
                    name
                };
                Some(listed.iter().filter_map(name).collect())
            }
        };
        Some(ForwardedHeaders::new(self.prefix, names, own))
    }

    fn request(&mut self, transform: &RequestTransform) -> Option<Transform> {
        Transform::compile(transform, &mut |reason, span| {
            self.add(Fault::Template { reason }, span);
        })
    }

    fn template(&mut self, text: &Text, names: &[&str]) -> Option<Template> {
        match Template::parse(&text.value, names) {
            Ok(template) => Some(template),
            Err(reason) => {
                self.add(Fault::Template { reason }, text.span.clone());
                None
            }
        }
    }

    /// The text with environment variables: `{{NAME}}` as in Hasura, or `${NAME}`.
    fn expand(&mut self, text: &Text) -> Option<String> {
        let mut expanded = String::new();
        let mut rest = text.value.as_str();
        loop {
            let next = [("{{", "}}"), ("${", "}")]
                .into_iter()
                .filter_map(|(open, close)| {
                    let start = rest.find(open)?;
                    let length = rest.get(start + open.len()..)?.find(close)?;
                    Some((start, open, length, close))
                });
            let Some((start, open, length, close)) = next.min_by_key(|(start, ..)| *start) else {
                break;
            };
            let name = rest
                .get(start + open.len()..start + open.len() + length)?
                .trim();
            expanded.push_str(rest.get(..start)?);
            expanded.push_str(&self.variable(name, text.span.clone())?);
            rest = rest.get(start + open.len() + length + close.len()..)?;
        }
        expanded.push_str(rest);
        Some(expanded)
    }

    fn variable(&mut self, name: &str, span: Range<usize>) -> Option<String> {
        let value = std::env::var(name).ok();
        if value.is_none() {
            self.add(
                Fault::Environment {
                    name: name.to_owned(),
                },
                span,
            );
        }
        value
    }

    // ---- language models

    fn model(&mut self, action: &Action, model: &ModelDefinition) -> Option<LanguageModel> {
        let before = self.problems.len();
        let url = match (&model.url, &model.url_from_env) {
            (Some(url), _) => self.url(url),
            (None, Some(variable)) => {
                let value = self.variable(&variable.value, variable.span.clone());
                value.and_then(|value| {
                    self.url(&Text {
                        value,
                        span: variable.span.clone(),
                    })
                })
            }
            (None, None) => self.required("url", None::<&Text>, model).and(None),
        };
        let name = self
            .required("name", model.name.as_ref(), model)
            .and_then(|name| self.expand(name));
        let question = self.required("question", model.question.as_ref(), model);
        if let Some(question) = question {
            let is_text = |key| matches!(key, TypeKey::BuiltIn(BuiltIn::String));
            let named = action
                .arguments
                .iter()
                .find(|known| known.name == question.value);
            if !named.is_some_and(|known| is_text(known.r#type.named) && !known.r#type.list) {
                self.add(
                    Fault::Question {
                        argument: question.value.clone(),
                    },
                    question.span.clone(),
                );
            }
        }
        let passages = self.required("passages", model.passages.as_ref(), model);
        let response = self.required("answer", model.response.as_ref(), model);
        let is = |wanted: BuiltIn| {
            move |field: &ActionField| {
                matches!(field.r#type.named, TypeKey::BuiltIn(found) if found == wanted)
                    && !field.r#type.list
            }
        };
        self.check_field(action, passages, "a list", |field| field.r#type.list);
        self.check_field(action, response, "a String", is(BuiltIn::String));
        self.check_field(
            action,
            model.generated.as_ref(),
            "a Boolean",
            is(BuiltIn::Boolean),
        );
        let mut headers = HeaderMap::new();
        headers.insert(
            http::header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if let Some(key) = &model.key_from_env
            && let Some(secret) = self.variable(&key.value, key.span.clone())
        {
            match HeaderValue::try_from(format!("Bearer {}", secret.trim())) {
                Ok(mut value) => {
                    value.set_sensitive(true);
                    headers.insert(http::header::AUTHORIZATION, value);
                }
                Err(_) => self.add(
                    Fault::Header {
                        name: "Authorization".into(),
                    },
                    key.span.clone(),
                ),
            }
        }
        let calls = model.calls_per_hour.unwrap_or(MODEL_CALLS);
        let bytes = model.max_bytes.and_then(|bytes| bytes.try_into().ok());
        (self.problems.len() == before).then_some(())?;
        Some(LanguageModel {
            url: url?,
            name: name?,
            headers,
            question: question?.value.clone(),
            passages: passages?.value.clone(),
            response_value: response?.value.clone(),
            generated: model.generated.as_ref().map(|field| field.value.clone()),
            timeout: Duration::from_secs(model.timeout.unwrap_or(MODEL_TIMEOUT)),
            max_tokens: model.max_tokens.unwrap_or(MODEL_TOKENS),
            max_bytes: bytes.unwrap_or(MODEL_BYTES),
            budget: Budget::new(
                calls,
                model
                    .calls_per_caller
                    .unwrap_or((calls / MODEL_SHARES).max(MODEL_SHARE)),
            ),
            breaker: CircuitBreaker::new(BREAKER.0, Duration::from_secs(BREAKER.1)),
            fetcher: Fetcher::new(0),
            slots: SharedSlots::new(MODEL_SHARING),
        })
    }

    /// A key that a model needs.
    fn required<'t>(
        &mut self,
        key: &'static str,
        given: Option<&'t Text>,
        model: &ModelDefinition,
    ) -> Option<&'t Text> {
        if given.is_none() {
            self.add(Fault::Model { key }, model.span.clone());
        }
        given
    }

    /// Reports a name that is no field of the action's output, or one of another type.
    fn check_field(
        &mut self,
        action: &Action,
        name: Option<&Text>,
        expected: &'static str,
        fits: impl Fn(&ActionField) -> bool,
    ) {
        let Some(name) = name else { return };
        let object = match action.output.named {
            TypeKey::Object(Object::Action(index)) if !action.output.list => {
                self.declared.objects.get(index as usize)
            }
            _ => None,
        };
        let field =
            object.and_then(|object| object.fields.iter().find(|field| field.name == name.value));
        if !field.is_some_and(fits) {
            self.add(
                Fault::ModelField {
                    field: name.value.clone(),
                    expected,
                },
                name.span.clone(),
            );
        }
    }

    // ---- functions

    fn function(&mut self, action: &Action, named: &Text) -> Option<DatabaseFunction> {
        let (schema, name) = named
            .value
            .split_once('.')
            .unwrap_or(("public", &named.value));
        let all = self.catalog.functions.iter().enumerate();
        let found: Vec<usize> = all
            .filter(|(_, known)| known.schema == schema && known.name == name)
            .map(|(index, _)| index)
            .collect();
        let fault = match found.as_slice() {
            [_] => None,
            [] => Some(Fault::UnknownFunction {
                function: named.value.clone(),
            }),
            several => Some(Fault::AmbiguousFunction {
                function: named.value.clone(),
                count: several.len(),
            }),
        };
        if let Some(fault) = fault {
            self.add(fault, named.span.clone());
            return None;
        }
        let function = FunctionId(u32::try_from(*found.first()?).ok()?);
        let entry = self.catalog.function(function);
        match arguments(self.catalog, action, entry) {
            Ok(arguments) => {
                let catalog = self.catalog.clone();
                let is_query = action.kind == ActionKind::Query;
                Some(DatabaseFunction {
                    catalog,
                    function,
                    arguments,
                    is_query,
                })
            }
            Err(reason) => {
                self.add(
                    Fault::Signature {
                        function: named.value.clone(),
                        reason,
                    },
                    named.span.clone(),
                );
                None
            }
        }
    }
}

/// The sources of a function's arguments: `session` and `input` by their names and types, others
/// from the arguments of the action with their names.
fn arguments(
    catalog: &Catalog,
    action: &Action,
    function: &Function,
) -> Result<Vec<Option<FunctionArgument>>, String> {
    if function.variadic {
        return Err("it is variadic".into());
    }
    let base = |argument: &Argument| catalog.base_type(argument.r#type);
    let is_json = |argument: &Argument| base(argument).is_some_and(sql::postgres::types::is_json);
    let mut taken = vec![];
    let mut sources = vec![];
    for argument in &function.arguments {
        let Some(name) = argument.name.as_deref() else {
            return Err("its arguments need names".into());
        };
        let of_action = action
            .arguments
            .iter()
            .find(|known| known.name == name || snake(&known.name) == name);
        let source = match of_action {
            Some(known) => {
                let scalar = Scalar::from_oid(catalog, argument.r#type);
                let json = matches!(
                    known.r#type.named,
                    TypeKey::Input(_) | TypeKey::ActionScalar(_)
                ) || known.r#type.list;
                let is_array =
                    base(argument).is_some_and(|base| graphql_name(base).starts_with('_'));
                if json && !is_json(argument) && !(known.r#type.list && is_array) {
                    return Err(format!("argument `{name}` has to be json or jsonb"));
                }
                taken.push(known.name.as_str());
                Some(FunctionArgument::Named(known.name.clone(), scalar.input))
            }
            None if name == SESSION || name.ends_with("_session") => {
                if !is_json(argument) {
                    return Err(format!(
                        "argument `{name}` gets the session, so it has to be json or jsonb"
                    ));
                }
                Some(FunctionArgument::Session)
            }
            None if name == INPUT && is_json(argument) => {
                taken.extend(action.arguments.iter().map(|known| known.name.as_str()));
                Some(FunctionArgument::Whole)
            }
            None if argument.default => None,
            None => return Err(format!("the action has no argument `{name}`")),
        };
        sources.push(source);
    }
    match action
        .arguments
        .iter()
        .find(|known| !taken.contains(&known.name.as_str()))
    {
        Some(missing) => Err(format!("it has no argument `{}`", missing.name)),
        None => Ok(sources),
    }
}

/// `dataSubjectId` as `data_subject_id`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}
