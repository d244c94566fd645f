//! The MCP server on top of rmcp, which implements protocol versions and messages. Tools are listed
//! here; calls are sent to the `/mcp` handler through a channel. Errors carry only a number, which
//! [`super::response`] replaces with a message and a code.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderValue};
use http::{HeaderMap, Method, Request};
use http_body_util::Full;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult,
    CompleteRequestMethod, CompleteRequestParams, CompleteResult, ConstString, CustomRequest,
    CustomResult, DiscoverRequestMethod, ErrorCode, Implementation, InitializeResultMethod,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsRequestMethod, ListToolsResult, PaginatedRequestParams, PingRequestMethod,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::{mpsc, oneshot};

use crate::rest::tools::Tools;

/// The server's instructions to clients.
const INSTRUCTIONS: &str = "Each tool runs a named query or mutation on a database. Results \
                            contain only what the caller's role may see.";

/// The supported methods.
const METHODS: [&str; 5] = [
    InitializeResultMethod::VALUE,
    DiscoverRequestMethod::VALUE,
    PingRequestMethod::VALUE,
    ListToolsRequestMethod::VALUE,
    CallToolRequestMethod::VALUE,
];

/// The server for one message of one client.
#[derive(Clone)]
pub(super) struct McpHandler {
    tools: Arc<Tools>,
    calls: mpsc::Sender<Call>,
}

/// A tool call that the `/mcp` handler has to run.
pub(super) struct Call {
    /// The tool's name.
    pub(super) name: String,
    result: oneshot::Sender<Result<CallToolResult, ErrorData>>,
}

impl Call {
    /// Sends the result to rmcp.
    pub(super) fn set_result(self, result: Result<CallToolResult, ErrorData>) {
        // The receiver is gone if the client has disconnected.
        let _ = self.result.send(result);
    }
}

/// The rmcp service for one message, and the channel on which the message's tool call arrives.
pub(super) fn service(
    tools: Arc<Tools>,
) -> (
    StreamableHttpService<McpHandler, NeverSessionManager>,
    mpsc::Receiver<Call>,
) {
    let (calls, receiver) = mpsc::channel(1);
    let handler = McpHandler { tools, calls };
    // Stateless: no session is kept between messages, and each gets one JSON response. Host, origin
    // and size have been checked.
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.max_request_body_bytes = usize::MAX;
    (
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config),
        receiver,
    )
}

/// The HTTP request for rmcp: the message with the protocol's own headers, and none that identify
/// the caller.
pub(super) fn request(headers: &HeaderMap, message: Vec<u8>) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(message.into()));
    *request.method_mut() = Method::POST;
    let own = headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("mcp-"));
    for (name, value) in own {
        request.headers_mut().append(name, value.clone());
    }
    request
        .headers_mut()
        .insert(HOST, HeaderValue::from_static("localhost"));
    request
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Responses are always JSON, whatever else the client accepts.
    request.headers_mut().insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    request
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new("postern", env!("CARGO_PKG_VERSION")).with_title("Postern");
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.tools.all().cloned().collect(),
        ))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (result, receiver) = oneshot::channel();
        let gone = || ErrorData::internal_error("the request was given up", None);
        self.calls
            .send(Call {
                name: call.name.into_owned(),
                result,
            })
            .await
            .map_err(|_| gone())?;
        Ok(receiver.await.map_err(|_| gone())??.into())
    }

    /// Requests that rmcp cannot parse: an unknown method, or invalid parameters of a known one.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let code = if METHODS.contains(&request.method.as_str()) {
            ErrorCode::INVALID_PARAMS
        } else {
            ErrorCode::METHOD_NOT_FOUND
        };
        Err(ErrorData::new(code, "", None))
    }

    // rmcp would answer these methods with empty lists; they are not supported.

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
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
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
