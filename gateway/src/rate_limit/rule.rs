//! The rules of `[[rates]]` and the default rules: reads them from the settings file and checks
//! them.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::Quota;
use serde::{Deserialize, Serialize};

use super::route_class::RouteClass;
use crate::auth::session::{ADMIN, Session, value_name};
use crate::config::{ConfigError, ConfigTables};

/// The key of the table.
const TABLE: &str = "rates";

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name in headers, messages and metrics.
    pub name: String,
    /// The parts of the key: requests with equal keys are counted together.
    pub per: Vec<KeyPart>,
    /// The events that are counted.
    pub places: Vec<CountedEvent>,
    /// The roles to which it applies; all if none.
    pub roles: Option<Vec<String>>,
    /// Roles to which it does not apply.
    pub except_roles: Vec<String>,
    /// The paths to which it applies; all if none.
    pub paths: Option<Vec<String>>,
    /// How many requests are allowed …
    pub rate: NonZeroU32,
    /// … in this time.
    pub every: Duration,
    /// How many requests are allowed at once when the bucket is full.
    pub burst: NonZeroU32,
    /// What happens to requests that exceed it.
    pub mode: Mode,
}

/// A part of a rule's key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum KeyPart {
    /// The client's address; of IPv6 the network of 64 bits.
    Address,
    /// The role.
    Role,
    /// The path.
    Endpoint,
    /// A session value.
    Session(String),
}

/// An event that a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedEvent {
    /// Requests to the engine.
    Requests,
    /// Requests to sign in and for tokens.
    Authentication,
    /// Webhooks that other services send.
    Webhooks,
    /// Requests of widgets for a session.
    Widgets,
    /// Requests to the engine that were rejected as unauthenticated.
    RefusedRequests,
    /// Requests to sign in that were rejected as unauthenticated.
    RefusedAuthentication,
    /// Webhooks that were rejected because their signature, token or key is wrong or missing.
    RefusedWebhooks,
    /// Requests for `/metrics` that were rejected because their secret is wrong or missing.
    RefusedMetrics,
}

/// What happens to requests that exceed a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The rule does not apply.
    Off,
    /// They are counted, and answered.
    Measure,
    /// They are rejected.
    #[default]
    Enforce,
}

impl Mode {
    /// The word in settings and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Measure => "measure",
            Mode::Enforce => "enforce",
        }
    }
}

/// A rule in the settings file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    name: String,
    per: Option<Vec<KeyPart>>,
    places: Option<Vec<CountedEvent>>,
    roles: Option<Vec<String>>,
    #[serde(default)]
    except_roles: Vec<String>,
    paths: Option<Vec<String>>,
    rate: Option<u32>,
    every: Option<f64>,
    burst: Option<u32>,
    #[serde(default)]
    mode: Mode,
}

/// The paths at which secrets of people could be guessed.
const GUESSED_PATHS: [&str; 15] = [
    "/v1/signin/pat",
    "/v1/signin/email-password",
    "/v1/signin/otp/email/verify",
    "/v1/signin/mfa/totp",
    "/v1/signin/mfa/webauthn/verify",
    "/v1/signin/webauthn/verify",
    "/v1/signup/webauthn/verify",
    "/v1/elevate/totp",
    "/v1/elevate/otp/email/verify",
    "/v1/elevate/webauthn/verify",
    "/v1/user/mfa",
    "/v1/token/exchange",
    "/v1/verify",
    "/v1/user/password",
    "/v1/reload",
];

/// The paths that send a mail to the address in the request.
const MAIL_PATHS: [&str; 12] = [
    "/v1/signup/email-password",
    "/v1/signup/webauthn/verify",
    "/v1/elevate/otp/email",
    "/v1/signup/passwordless/email",
    "/v1/signup/otp/email",
    "/v1/user/deanonymize",
    "/v1/signin/provider/{provider}/callback",
    "/v1/signin/passwordless/email",
    "/v1/signin/otp/email",
    "/v1/user/email/send-verification-email",
    "/v1/user/email/change",
    "/v1/user/password/reset",
];

/// The default rules, which apply unless the file has a rule of the same name.
fn defaults() -> Vec<Rule> {
    let minute = |name: &str, counted: CountedEvent, rate: NonZeroU32| Rule {
        name: name.to_owned(),
        per: vec![KeyPart::Address],
        places: vec![counted],
        roles: None,
        except_roles: vec![],
        paths: None,
        rate,
        every: Duration::from_secs(60),
        burst: rate,
        mode: Mode::Enforce,
    };
    let many = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
    let sign_in = minute("sign-in", CountedEvent::RefusedAuthentication, many(10));
    vec![
        minute("authentication", CountedEvent::Authentication, many(100)),
        // A refresh token has 122 random bits, so it cannot be guessed; parallel tabs that refresh
        // one token are not an attack.
        Rule {
            paths: Some(GUESSED_PATHS.map(str::to_owned).into()),
            ..sign_in
        },
        Rule {
            paths: Some(MAIL_PATHS.map(str::to_owned).into()),
            ..minute("mails", CountedEvent::Authentication, many(30))
        },
        minute("refused", CountedEvent::RefusedRequests, many(600)),
        // A service sends from few addresses, and many events at once.
        minute("webhooks", CountedEvent::Webhooks, many(6000)),
        minute("refused-webhooks", CountedEvent::RefusedWebhooks, many(600)),
        // A page asks once in a quarter of an hour; many visitors may share one address.
        minute("widgets", CountedEvent::Widgets, many(300)),
        minute("metrics", CountedEvent::RefusedMetrics, many(10)),
    ]
}

/// The default rules and those of the settings file, which replace defaults of the same name.
pub(super) fn read(sections: &ConfigTables) -> Result<Vec<Rule>, ConfigError> {
    let written: Vec<RuleTable> = sections.read(TABLE)?.unwrap_or_default();
    let mut rules = defaults();
    let mut faults = vec![];
    for (index, one) in written.iter().enumerate() {
        let twice = written
            .iter()
            .take(index)
            .any(|other| other.name == one.name);
        let base = rules.iter().position(|rule| rule.name == one.name);
        match one.rule(base.and_then(|base| rules.get(base))) {
            _ if twice => faults.push(format!("there are two rates called `{}`", one.name)),
            Ok(rule) => match base.and_then(|base| rules.get_mut(base)) {
                Some(base) => *base = rule,
                None => rules.push(rule),
            },
            Err(fault) => faults.push(format!("`{}`: {fault}", one.name)),
        }
    }
    if faults.is_empty() {
        Ok(rules)
    } else {
        Err(sections.fault(TABLE, faults.join("; ")))
    }
}

/// The longest time in which a bucket may refill, in seconds.
const MAX_REFILL_SECONDS: f64 = 366.0 * 86400.0;

impl RuleTable {
    /// Makes the rule; missing values come from the default of its name.
    fn rule(&self, base: Option<&Rule>) -> Result<Rule, &'static str> {
        let named = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if self.name.is_empty() || self.name.len() > 50 || !named(&self.name) {
            return Err("a name has 1 to 50 letters, digits, `-`, `_` or `.`");
        }
        let off = self.mode == Mode::Off;
        let per = self
            .per
            .clone()
            .or_else(|| base.map(|base| base.per.clone()))
            .or(off.then(Vec::new));
        let per = per.ok_or(
            "`per` is missing: what is counted separately, such as \
                             [\"address\"], or [] for all together",
        )?;
        let rate = self
            .rate
            .map(|rate| NonZeroU32::new(rate).ok_or("`rate` has to be at least 1"))
            .transpose()?;
        let given = rate
            .or(base.map(|base| base.rate))
            .or(off.then_some(NonZeroU32::MIN));
        let given = given.ok_or("`rate` is missing: how many requests `every` so many seconds")?;
        let every = self
            .every
            .unwrap_or(base.map_or(1.0, |base| base.every.as_secs_f64()));
        let burst = self
            .burst
            .map(|burst| NonZeroU32::new(burst).ok_or("`burst` has to be at least 1"))
            .transpose()?;
        let burst = burst
            .or(base.filter(|_| rate.is_none()).map(|base| base.burst))
            .unwrap_or(given);
        if !(every > 0.0 && every <= MAX_REFILL_SECONDS)
            || every / f64::from(given.get()) * f64::from(burst.get()) > MAX_REFILL_SECONDS
        {
            return Err(
                "`every` has to be a positive number of seconds, and `burst` has to come \
                        back within a year",
            );
        }
        if f64::from(given.get()) / every > 1e6 {
            return Err("more than a million in a second is no limit; leave the rule out");
        }
        let rule = Rule {
            name: self.name.clone(),
            per,
            places: self
                .places
                .clone()
                .unwrap_or(base.map_or(vec![CountedEvent::Requests], |base| base.places.clone())),
            roles: self.roles.clone(),
            except_roles: self.except_roles.clone(),
            paths: self
                .paths
                .clone()
                .or_else(|| base.and_then(|base| base.paths.clone())),
            rate: given,
            every: Duration::from_secs_f64(every),
            burst,
            mode: self.mode,
        };
        rule.check()
    }
}

impl Rule {
    fn check(self) -> Result<Rule, &'static str> {
        let refusals = self.places.iter().any(|counted| counted.is_refusal());
        if self.places.is_empty() || self.roles.as_ref().is_some_and(Vec::is_empty) {
            return Err(
                "an empty list of `places` or `roles` would apply the rule nowhere; `mode \
                        = \"off\"` does",
            );
        }
        if refusals && self.is_personal() {
            return Err(
                "a request that fails authentication has neither role nor session; count \
                        it `per` address or endpoint",
            );
        }
        if self.places.contains(&CountedEvent::Authentication) && self.is_personal() {
            return Err(
                "a request that signs in has neither role nor session yet; count \
                        `authentication` `per` address or endpoint",
            );
        }
        if self.places.contains(&CountedEvent::Webhooks) && self.is_personal() {
            return Err(
                "a webhook has neither role nor session; count `webhooks` `per` address \
                        or endpoint",
            );
        }
        if self.places.contains(&CountedEvent::Widgets) && self.is_personal() {
            return Err(
                "a widget that asks for a session has none yet; count `widgets` `per` \
                        address or endpoint",
            );
        }
        Ok(self)
    }

    /// Whether the rule needs a session.
    pub fn is_personal(&self) -> bool {
        let personal = |per: &KeyPart| matches!(per, KeyPart::Role | KeyPart::Session(_));
        self.roles.is_some() || !self.except_roles.is_empty() || self.per.iter().any(personal)
    }

    /// Whether the rule counts this event on this path.
    pub fn counts(&self, counted: CountedEvent, path: &str) -> bool {
        self.places.contains(&counted)
            && self
                .paths
                .as_ref()
                .is_none_or(|paths| paths.iter().any(|one| one == path))
    }

    /// Whether the rule applies to this session. It applies to the admin only if it names the role.
    pub fn holds_for(&self, session: &Session) -> bool {
        let role = session.role();
        match &self.roles {
            Some(roles) => roles.iter().any(|one| one == role),
            None => role != ADMIN && !self.except_roles.iter().any(|one| one == role),
        }
    }

    /// The time in which one request is refilled.
    pub fn interval(&self) -> Duration {
        let nanos = self.every.as_nanos() / u128::from(self.rate.get());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX).max(1))
    }

    /// The quota for `governor`.
    pub fn quota(&self) -> Quota {
        let quota = Quota::with_period(self.interval()).unwrap_or(Quota::per_second(self.rate));
        quota.allow_burst(self.burst)
    }
}

impl CountedEvent {
    /// All events, each at the index of its number.
    pub const ALL: [CountedEvent; 8] = [
        CountedEvent::Requests,
        CountedEvent::Authentication,
        CountedEvent::Webhooks,
        CountedEvent::Widgets,
        CountedEvent::RefusedRequests,
        CountedEvent::RefusedAuthentication,
        CountedEvent::RefusedWebhooks,
        CountedEvent::RefusedMetrics,
    ];

    /// The event of a request to a class of routes.
    pub fn at(route_class: RouteClass) -> Option<CountedEvent> {
        match route_class {
            RouteClass::Requests => Some(CountedEvent::Requests),
            RouteClass::Authentication => Some(CountedEvent::Authentication),
            RouteClass::Webhooks => Some(CountedEvent::Webhooks),
            RouteClass::Widgets => Some(CountedEvent::Widgets),
            RouteClass::Metrics | RouteClass::Operations => None,
        }
    }

    /// The event of a rejected request to a class of routes.
    pub fn refused_at(route_class: RouteClass) -> Option<CountedEvent> {
        match route_class {
            RouteClass::Requests => Some(CountedEvent::RefusedRequests),
            RouteClass::Authentication => Some(CountedEvent::RefusedAuthentication),
            RouteClass::Webhooks => Some(CountedEvent::RefusedWebhooks),
            RouteClass::Metrics => Some(CountedEvent::RefusedMetrics),
            RouteClass::Widgets | RouteClass::Operations => None,
        }
    }

    fn is_refusal(self) -> bool {
        matches!(
            self,
            CountedEvent::RefusedRequests
                | CountedEvent::RefusedAuthentication
                | CountedEvent::RefusedWebhooks
                | CountedEvent::RefusedMetrics
        )
    }
}

/// The part as the settings file has it.
impl std::fmt::Display for KeyPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeyPart::Address => formatter.write_str("address"),
            KeyPart::Role => formatter.write_str("role"),
            KeyPart::Endpoint => formatter.write_str("endpoint"),
            KeyPart::Session(name) => write!(formatter, "session.{name}"),
        }
    }
}

impl TryFrom<String> for KeyPart {
    type Error = &'static str;

    fn try_from(text: String) -> Result<KeyPart, &'static str> {
        match text.as_str() {
            "address" => Ok(KeyPart::Address),
            "role" => Ok(KeyPart::Role),
            "endpoint" => Ok(KeyPart::Endpoint),
            other => match other
                .strip_prefix("session.")
                .filter(|name| !name.is_empty())
            {
                Some(name) => Ok(KeyPart::Session(value_name(name))),
                None => Err("`per` holds `address`, `role`, `endpoint` or `session.<name>`"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Settings};

    fn rules(text: &str) -> Result<Vec<Rule>, String> {
        let settings = Settings::from_text("gateway.toml", text).unwrap();
        read(&Config::new(&settings).sections).map_err(|error| error.to_string())
    }

    fn one(text: &str) -> Rule {
        rules(text).unwrap().pop().unwrap()
    }

    #[test]
    fn rule_is_read_from_settings() {
        let rule = one(
            "[[rates]]\nname = \"a\"\nper = [\"address\", \"session.User-Id\"]\nrate \
                        = 100\nburst = 200\n",
        );
        assert_eq!(
            rule.per,
            [KeyPart::Address, KeyPart::Session("user_id".into())]
        );
        assert_eq!(
            (rule.places.as_slice(), rule.mode),
            (&[CountedEvent::Requests][..], Mode::Enforce)
        );
        assert_eq!(
            (rule.interval(), rule.quota().burst_size().get()),
            (Duration::from_millis(10), 200)
        );
        assert!(rule.is_personal());
    }

    #[test]
    fn rule_replaces_default_of_its_name_and_inherits_missing_values() {
        assert_eq!(rules("").unwrap(), defaults());
        let rules = rules("[[rates]]\nname = \"sign-in\"\nrate = 3\n").unwrap();
        let sign_in = rules.iter().find(|rule| rule.name == "sign-in").unwrap();
        assert_eq!(
            (sign_in.rate.get(), sign_in.burst.get(), sign_in.every),
            (3, 3, Duration::from_secs(60))
        );
        assert_eq!(sign_in.places, [CountedEvent::RefusedAuthentication]);
        assert_eq!(
            one("[[rates]]\nname = \"metrics\"\nmode = \"off\"\n").mode,
            Mode::Off
        );
        assert_eq!(rules.len(), 8);
    }

    #[test]
    fn invalid_rules_are_reported_together() {
        let faults = rules(
            "[[rates]]\nname = \"a\"\nrate = 1\n[[rates]]\nname = \"b\"\nper = \
                            []\nrate = 0\n\
                            [[rates]]\nname = \"c\"\nper = [\"role\"]\nplaces = \
                            [\"refused-requests\"]\nrate = 1\n\
                            [[rates]]\nname = \"d\"\nper = []\nroles = [\"user\"]\nplaces = \
                            [\"authentication\"]\nrate = 1\n\
                            [[rates]]\nname = \"refused\"\nevery = -1\n[[rates]]\nname = \
                            \"refused\"\nrate = 2000000\nevery = 1\n",
        );
        let faults = faults.unwrap_err();
        for part in [
            "`a`: `per` is missing",
            "`b`: `rate` has",
            "`c`: a request that fails authentication",
            "`d`: a request that signs in",
            "`refused`: `every`",
            "two rates",
        ] {
            assert!(faults.contains(part), "{part}: {faults}");
        }
    }

    #[test]
    fn syntax_errors_name_their_line() {
        let fault = rules("[[rates]]\nname = \"a\"\nper = [\"planet\"]\nrate = 1\n").unwrap_err();
        assert!(
            fault.starts_with("gateway.toml: line 3: `per` holds"),
            "{fault}"
        );
        let fault = rules("[[rates]]\nname = \"a\"\nrat = 1\n").unwrap_err();
        assert!(fault.contains("unknown field `rat`"), "{fault}");
        assert!(
            rules("[[rates]]\nname = \"a b\"\nper = []\nrate = 1\n")
                .unwrap_err()
                .contains("a name has")
        );
    }

    #[test]
    fn rule_applies_to_admin_only_if_named() {
        let session = |role: &str| {
            Session::new(
                role,
                std::sync::Arc::default(),
                crate::auth::session::AuthKind::Token,
            )
        };
        let all = one(
            "[[rates]]\nname = \"a\"\nper = [\"role\"]\nrate = 1\nexcept_roles = [\"robot\"]\n",
        );
        let some = one("[[rates]]\nname = \"a\"\nper = []\nroles = [\"admin\"]\nrate = 1\n");
        assert_eq!(
            (
                all.holds_for(&session("admin")),
                some.holds_for(&session("admin"))
            ),
            (false, true)
        );
        assert_eq!(
            (
                all.holds_for(&session("user")),
                some.holds_for(&session("user"))
            ),
            (true, false)
        );
        assert!(!all.holds_for(&session("robot")));
    }
}
