//! The errors of widgets.

use gateway::error::{Error, PluginFault, catalogue};
use uuid::Uuid;

/// Why a widget gets no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WidgetError {
    /// A page of an origin that may not embed widgets.
    Origin,
    /// The identity or the visitor is not valid.
    Identity {
        /// Why, for the log and the audit table.
        cause: &'static str,
        /// The controller, if the settings have a site of it.
        controller: Option<Uuid>,
    },
}

impl From<WidgetError> for Error {
    fn from(error: WidgetError) -> Error {
        let fault = match error {
            WidgetError::Origin => PluginFault::new(
                catalogue::FORBIDDEN,
                "this origin may not embed widgets",
                "origin that may not embed widgets",
            ),
            WidgetError::Identity { cause, controller } => {
                let refusal = match controller {
                    Some(controller) => format!("invalid identity for {controller}: {cause}"),
                    None => format!("invalid identity: {cause}"),
                };
                PluginFault::new(
                    catalogue::UNAUTHENTICATED,
                    "the identity is not valid",
                    "identity of a widget",
                )
                .with_cause(cause)
                .recorded_as(refusal)
            }
        };
        fault.into()
    }
}
