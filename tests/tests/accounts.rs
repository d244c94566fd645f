//! Tests accounts over HTTP: people sign up and in by password, link, code and passkey, and with a
//! second factor. Mails go to a real SMTP server, and the tests read links and codes in them, open
//! pages and press their buttons, as people do.

mod authenticator_app;
mod browser;
mod factors;
mod logged_gateway;
mod mailbox;
mod page;
mod provider;
mod service;
mod software_key;

mod anonymous;
mod attacks;
mod ceremonies;
mod changes;
mod clients;
mod codes;
mod elevation;
mod factor_attacks;
#[cfg(target_os = "linux")]
mod hashing;
mod identities;
mod import;
mod linking;
mod links;
mod mails;
mod openapi;
mod passkeys;
mod passwords;
mod provider_faults;
mod provider_secrets;
mod provider_sessions;
mod providers;
mod redirects;
mod reset_factor;
mod second_factors;
mod secrets;
mod sessions;
mod settings;
mod sign_up;
