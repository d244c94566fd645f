//! The protocol's side of the door, which is rmcp: versions, messages, what a client is told. Tools are listed here; calls are handed
//! to the door, and errors have a number alone: their words are for [`super::response`] to find.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderValue};
use http::{HeaderMap, Method, Request};
use http_body_util::Full;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, CustomRequest, CustomResult, DiscoverRequestMethod, ErrorCode,
    Implementation, InitializeResultMethod, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsRequestMethod, ListToolsResult, PaginatedRequestParams, PingRequestMethod, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::{mpsc, oneshot};

use crate::rest::tools::Tools;

/// What clients are told of the server.
const INSTRUCTIONS: &str =
    "Each tool is a named query or mutation of a database. What it answers is what the caller's role may see.";

/// The methods that are answered.
const METHODS: [&str; 5] = [
    InitializeResultMethod::VALUE,
    DiscoverRequestMethod::VALUE,
    PingRequestMethod::VALUE,
    ListToolsRequestMethod::VALUE,
    CallToolRequestMethod::VALUE,
];

/// Speaks to one client about one message.
#[derive(Clone)]
pub(super) struct McpHandler {
    tools: Arc<Tools>,
    calls: mpsc::Sender<Call>,
}

/// A call of a tool, to be done by the door.
pub(super) struct Call {
    /// What the tool is called.
    pub(super) name: String,
    result: oneshot::Sender<Result<CallToolResult, ErrorData>>,
}

impl Call {
    /// Tells how it went.
    pub(super) fn set_result(self, result: Result<CallToolResult, ErrorData>) {
        // Nobody waits any more who has gone away.
        let _ = self.result.send(result);
    }
}

/// What answers one message, and the call that there may be in it.
pub(super) fn service(
    tools: Arc<Tools>,
) -> (StreamableHttpService<McpHandler, NeverSessionManager>, mpsc::Receiver<Call>) {
    let (calls, called) = mpsc::channel(1);
    let speaker = McpHandler { tools, calls };
    // Nothing is kept between two messages, and one answer is all that there is. Hosts, origins and sizes were judged before.
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.max_request_body_bytes = usize::MAX;
    (StreamableHttpService::new(move || Ok(speaker.clone()), Arc::default(), config), called)
}

/// A message as rmcp takes it: with the headers that are the protocol's, and none that say who is asking.
pub(super) fn request(headers: &HeaderMap, message: Vec<u8>) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(message.into()));
    *request.method_mut() = Method::POST;
    let own = headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
    for (name, value) in own {
        request.headers_mut().append(name, value.clone());
    }
    request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Answers are JSON, whatever else a client takes.
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    request
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("postern", env!("CARGO_PKG_VERSION")).with_title("Postern");
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.all().cloned().collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (result, answered) = oneshot::channel();
        let gone = || ErrorData::internal_error("the request was given up", None);
        self.calls.send(Call { name: call.name.into_owned(), result }).await.map_err(|_| gone())?;
        Ok(answered.await.map_err(|_| gone())??.into())
    }

    /// What rmcp makes nothing of: a method that it does not know, or parameters that do not belong to one that it does.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let code = match METHODS.contains(&request.method.as_str()) {
            true => ErrorCode::INVALID_PARAMS,
            false => ErrorCode::METHOD_NOT_FOUND,
        };
        Err(ErrorData::new(code, "", None))
    }

    // What rmcp would answer with empty lists is not there at all.

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
