//! Requests to web services of the customer, signed by Standard Webhooks: those of events and those
//! that send mails.

mod sender;
mod signature;
mod webhook;

pub(crate) use sender::Sender;
pub(crate) use signature::SigningSecret;
pub(crate) use webhook::Webhook;
