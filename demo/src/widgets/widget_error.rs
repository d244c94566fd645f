//! The errors of widgets.

use gateway::error::{Error, PluginFault, catalogue};

/// Why a widget gets no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WidgetError {
    /// A page of an origin that may not embed widgets.
    Origin,
    /// The identity or the visitor is not valid; the text is for the log.
    Identity(&'static str),
}

impl From<WidgetError> for Error {
    fn from(error: WidgetError) -> Error {
        let fault = match error {
            WidgetError::Origin => PluginFault::new(
                catalogue::FORBIDDEN,
                "this origin may not embed widgets",
                "origin that may not embed widgets",
            ),
            WidgetError::Identity(cause) => PluginFault::new(
                catalogue::UNAUTHENTICATED,
                "the identity is not valid",
                "identity of a widget",
            )
            .with_cause(cause)
            .recorded_as(format!("invalid identity: {cause}")),
        };
        fault.into()
    }
}
