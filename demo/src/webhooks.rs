//! The services that report to the demo by webhook: their secrets, new at each start, and what a
//! sender has to know to make a delivery that is accepted.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use plugins::{token_exchange, webhooks};

/// The services' declarations, with `${NAME}` in place of secrets.
const DECLARATIONS: &str = include_str!("../webhooks.toml");

/// What a service that requires HTTPS declares. It is a comment in the declarations.
const REQUIRE_HTTPS: &str = "require_https = true";

/// The sample person, by whose address the sample deliveries find the data subject.
const EMAIL: &str = "lena.fischer@mail.example";

/// The controller of the sample person, by which keys and tokens are issued.
pub(crate) const CONTROLLER_DID: &str = "did:web:hansewerk-energie.example";

/// The lifetime of the sample tokens in seconds.
const TOKEN_SECONDS: u64 = 12 * 3600;

/// The secrets of one start.
#[derive(Debug)]
pub(crate) struct WebhookSecrets {
    ecommerce: String,
    payments: String,
    email_marketing: [String; 2],
    accounting: String,
    crm_key: String,
    survey: String,
    events: String,
    events_key: String,
    hotel: String,
}

impl WebhookSecrets {
    pub(crate) fn generate() -> WebhookSecrets {
        let hex = || {
            format!(
                "{}{}",
                uuid::Uuid::new_v4().simple(),
                uuid::Uuid::new_v4().simple()
            )
        };
        let bytes = || {
            [
                uuid::Uuid::new_v4().into_bytes(),
                uuid::Uuid::new_v4().into_bytes(),
            ]
            .concat()
        };
        let whsec = || format!("whsec_{}", STANDARD.encode(bytes()));
        WebhookSecrets {
            ecommerce: hex(),
            payments: format!("whsec_{}", hex()),
            email_marketing: [whsec(), whsec()],
            accounting: hex(),
            crm_key: hex(),
            survey: hex(),
            events: STANDARD.encode(bytes()),
            events_key: hex(),
            hotel: STANDARD.encode(bytes()),
        }
    }

    /// The declarations with the secrets in them. `has_tls` makes every service require HTTPS.
    pub(crate) fn declarations(&self, has_tls: bool) -> String {
        let [current, old] = &self.email_marketing;
        let secrets = [
            ("ECOMMERCE_SECRET", &self.ecommerce),
            ("PAYMENTS_SECRET", &self.payments),
            ("EMAIL_MARKETING_SECRET", current),
            ("EMAIL_MARKETING_OLD_SECRET", old),
            ("ACCOUNTING_SECRET", &self.accounting),
            ("EVENTS_SECRET", &self.events),
            (
                "EVENTS_KEY_DIGEST",
                &token_exchange::digest(&self.events_key),
            ),
        ];
        let replace = |text: String, (name, secret): (&str, &String)| {
            text.replace(&format!("${{{name}}}"), secret)
        };
        let declarations = if has_tls {
            DECLARATIONS.replace(&format!("# {REQUIRE_HTTPS}"), REQUIRE_HTTPS)
        } else {
            DECLARATIONS.to_owned()
        };
        secrets.into_iter().fold(declarations, replace)
    }

    /// The keys that are in the database, as those that Administrators make: service, digest in
    /// hexadecimal digits, and the key itself where it signs or encrypts.
    pub(crate) fn keys(&self) -> [(&'static str, String, Option<&str>); 3] {
        let digest = token_exchange::digest;
        [
            ("crm", digest(&self.crm_key), None),
            ("survey", digest(&self.survey), Some(self.survey.as_str())),
            ("hotel", digest(&self.hotel), Some(self.hotel.as_str())),
        ]
    }

    /// What a sender has to know, by service.
    pub(crate) fn facts(&self, url: &str, controller: &str) -> Map<String, Value> {
        let [current, old] = &self.email_marketing;
        let seconds = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let token = |service: &str, secret: &str| {
            let claims = json!({"service": service, "controller": controller, "iat": seconds, "exp": seconds + TOKEN_SECONDS});
            json!({
                "verification": "jwe", "parameter": "token", "algorithm": "dir", "encryption": "A256GCM", "secret": secret,
                "claims": {"service": service, "controller": controller}, "token": webhooks::encrypt_token(secret, &claims),
            })
        };
        let legacy = |key: &str| json!({"verification": "legacy", "did": CONTROLLER_DID, "parameter": "svcKey", "key": key});
        let services = [
            (
                "ecommerce",
                json!({
                    "verification": "hmac", "header": "X-Shopify-Hmac-Sha256", "algorithm": "sha256", "encoding": "base64",
                    "secret": self.ecommerce, "delivery_id_header": "X-Shopify-Webhook-Id",
                }),
                json!({"id": 820_982_911_946_154_508_u64, "email": EMAIL, "total_price": "59.90"}),
            ),
            (
                "payments",
                json!({"verification": "stripe", "header": "Stripe-Signature", "secret": self.payments, "tolerance": 300}),
                json!({"id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "data": {"object": {"receipt_email": EMAIL}}}),
            ),
            (
                "email-marketing",
                json!({"verification": "standard", "secret": current, "old_secret": old, "tolerance": 300}),
                json!({"type": "email.opened", "data": {"email": EMAIL}}),
            ),
            (
                "accounting",
                json!({
                    "verification": "github", "header": "X-Hub-Signature-256", "secret": self.accounting,
                    "delivery_id_header": "X-GitHub-Delivery",
                }),
                json!({"event": "invoice.sent", "invoice": {"number": "2025-104", "customer": {"email": EMAIL}}}),
            ),
            (
                "crm",
                legacy(&self.crm_key),
                json!({"event": "contact.updated", "contact": {"email": EMAIL}}),
            ),
            (
                "survey",
                json!({
                    "verification": "hmac", "header": "Typeform-Signature", "prefix": "sha256=", "algorithm": "sha256",
                    "encoding": "base64", "secret": self.survey,
                }),
                json!({"event_id": "01H2M8", "event_type": "form_response", "form_response": {"hidden": {"email": EMAIL}}}),
            ),
            (
                "events",
                token("events", &self.events),
                json!({"action": "order.placed", "attendee": {"email": EMAIL}}),
            ),
            (
                "hotel",
                token("hotel", &self.hotel),
                json!({"event": "reservation.created", "guest": {"email": EMAIL}}),
            ),
        ];
        let facts = services.into_iter().map(|(name, mut fact, sample)| {
            let path = format!("{url}/api/v1/integrations/{name}/event");
            fact["url"] = if matches!(name, "survey" | "hotel") {
                fact["did"] = CONTROLLER_DID.into();
                format!("{path}?did={CONTROLLER_DID}").into()
            } else {
                path.into()
            };
            fact["sample"] = sample;
            if name == "events" {
                fact["legacy"] = legacy(&self.events_key);
            }
            (name.to_owned(), fact)
        });
        facts.collect()
    }

    /// A command that sends a signed delivery.
    pub(crate) fn command(&self, url: &str, curl: &str) -> String {
        let mut text = String::new();
        let _ = write!(
            text,
            "# a webhook of the web shop, which becomes a processing \
             activity\nbody='{{\"id\":1,\"email\":\"{EMAIL}\"}}'\n\
             {curl} {url}/api/v1/integrations/ecommerce/event -H 'Content-Type: \
             application/json' -d \"$body\" \\\n  \
             -H \"X-Shopify-Hmac-Sha256: $(printf %s \"$body\" | openssl dgst -sha256 -hmac {} \
             -binary | base64)\"\n\n",
            self.ecommerce
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_have_all_secrets() {
        let secrets = WebhookSecrets::generate();
        let declarations = secrets.declarations(true);
        let tables = declarations
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect::<Vec<_>>()
            .join("\n");
        assert!(!tables.contains("${"), "{tables}");
        for name in secrets.facts("http://x", "c").keys() {
            assert!(tables.contains(&format!("[webhook.{name}]")), "{name}");
        }
        let services = tables.matches("[webhook.").count();
        assert_eq!(tables.matches(REQUIRE_HTTPS).count(), services);
        assert!(
            !secrets
                .declarations(false)
                .contains(&format!("\n{REQUIRE_HTTPS}"))
        );
    }
}
