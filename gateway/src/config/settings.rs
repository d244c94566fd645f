//! Collects the settings from flags, environment variables and the settings file, in that order of
//! precedence.

use std::collections::BTreeMap;
use std::path::Path;

use clap::ArgMatches;
use permissions::{Variables, closest};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::de::DeTable;

use super::environment_names;
use super::error::ConfigError;
use super::sections::{ConfigTables, SECTIONS};
use super::table::{Config, SETTINGS, Setting, find};
use super::text_file::read_file;
use super::value::Kind;

/// The environment variable for the database that many programs share.
const DATABASE_URL: &str = "DATABASE_URL";

/// The settings that a command was given, with the origin of each for messages.
#[derive(Clone, Default)]
pub struct Settings {
    /// The values, or defaults.
    config: Config,
    /// The settings that were set explicitly, by name.
    given: BTreeMap<&'static str, Given>,
    /// Possible mistakes that were found while reading the settings.
    notes: Vec<String>,
    /// The keys of the file's tables that the gateway itself does not read and no plugin has
    /// claimed.
    unclaimed: Vec<String>,
    /// The keys of tables that plugins read.
    claimed: Vec<&'static str>,
}

/// How a setting was set.
#[derive(Clone)]
struct Given {
    text: String,
    /// The flag, the variable, or the key with file and line.
    origin: String,
}

/// Leaves out the values, which may be secret.
impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.given.keys()).finish()
    }
}

impl Settings {
    /// Collects the settings from flags, the environment and the file that one of them names.
    pub fn gather(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, ConfigError> {
        Settings::gather_beside(flag, variable, vec![])
    }

    /// Like [`Settings::gather`], and returns `faults` together with all new errors.
    fn gather_beside(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
        mut faults: Vec<ConfigError>,
    ) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        for setting in SETTINGS.iter() {
            let from_environment = match read_environment(setting, &variable) {
                Ok(found) => found,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            let put = if let Some(text) = flag(setting.name) {
                settings.set_text(setting, &text, format!("--{}", setting.name))
            } else if let Some((text, origin)) = from_environment {
                settings.set_text(setting, &text, origin)
            } else {
                Ok(())
            };
            faults.extend(put.err());
        }
        if let Some(path) = settings.config.config.clone() {
            match read_file(Path::new(&path)) {
                Ok(text) => settings.merge_file(&path, &text, &variable, &mut faults),
                Err(cause) => faults.push(ConfigError::Unreadable { path, cause }),
            }
        }
        // `DATABASE_URL` comes last, because platforms set it for every program.
        if !settings.is_given(&SETTINGS.database_url)
            && let Some(url) = variable(DATABASE_URL).filter(|url| !url.is_empty())
        {
            faults.extend(
                settings
                    .set_text(&SETTINGS.database_url, &url, DATABASE_URL.into())
                    .err(),
            );
        }
        settings.finish(faults)
    }

    /// These settings, unless there are faults. Unknown tables may be those of plugins, which claim
    /// them later; together with other faults those are reported that look like mistakes.
    fn finish(self, mut faults: Vec<ConfigError>) -> Result<Settings, ConfigError> {
        if !faults.is_empty() {
            faults.extend(
                self.unclaimed
                    .iter()
                    .filter(|key| similar_key(key, &[]).is_some())
                    .map(|key| self.unclaimed_table(key)),
            );
        }
        ConfigError::from_faults(faults).map(|()| self)
    }

    /// Marks tables of the file as known: those that a plugin reads.
    pub fn claim(&mut self, sections: &'static [&'static str]) {
        self.unclaimed
            .retain(|key| !sections.contains(&key.as_str()));
        self.claimed.extend(sections);
    }

    /// A fault for each table of the file that nothing reads.
    pub fn unclaimed_tables(&self) -> Vec<ConfigError> {
        self.unclaimed
            .iter()
            .map(|key| self.unclaimed_table(key))
            .collect()
    }

    fn unclaimed_table(&self, key: &str) -> ConfigError {
        let sections = &self.config.sections;
        ConfigError::UnknownKey {
            path: sections.path().into(),
            line: sections.line(key),
            key: key.to_owned(),
            suggestion: similar_key(key, &self.claimed),
        }
    }

    /// Collects the settings from a command's flags and the process's environment.
    pub fn from_arguments(matches: &ArgMatches) -> Result<Settings, ConfigError> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let (faults, notes) = environment_names::check(names);
        let gathered = Settings::gather_beside(
            |name| {
                let values = matches.try_get_many::<String>(name).ok().flatten()?;
                Some(values.map(String::as_str).collect::<Vec<_>>().join(" "))
            },
            |name| std::env::var(name).ok(),
            faults,
        );
        gathered.map(|settings| Settings { notes, ..settings })
    }

    /// Collects the settings from the text of a file alone, in which `${NAME}` stands for itself.
    pub fn from_text(path: &str, text: &str) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        let mut faults = vec![];
        settings.merge_table(Path::new(path), text, None, &mut faults);
        settings.finish(faults)
    }

    /// The values.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Possible mistakes that were found while reading the settings.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The origin of a setting for messages: `--pool-size`, `POSTERN_POOL_SIZE`, ``gateway.toml:
    /// line 3: `pool_size` ``.
    pub fn origin(&self, setting: &Setting) -> String {
        self.given.get(setting.name).map_or_else(
            || format!("--{}", setting.name),
            |given| given.origin.clone(),
        )
    }

    /// Whether the setting was set explicitly.
    pub fn is_given(&self, setting: &Setting) -> bool {
        self.given.contains_key(setting.name)
    }

    /// The text of a setting that was set explicitly.
    pub(super) fn text(&self, setting: &Setting) -> Option<&str> {
        self.given
            .get(setting.name)
            .map(|given| given.text.as_str())
    }

    /// Sets a setting, by its name without dashes (`pool-size`), as if by its flag.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        let unknown = || ConfigError::UnknownKey {
            path: "settings".into(),
            line: None,
            key: name.into(),
            suggestion: similar(name).map(|setting| setting.name.into()),
        };
        let setting = find(name).ok_or_else(unknown)?;
        self.set_text(setting, text, format!("--{name}"))
    }

    /// Replaces these settings by those of `running`.
    pub fn keep(&mut self, running: &Settings, settings: &[&'static Setting]) {
        for setting in settings {
            setting.copy(&mut self.config, &running.config);
            match running.given.get(setting.name) {
                Some(given) => drop(self.given.insert(setting.name, given.clone())),
                None => drop(self.given.remove(setting.name)),
            }
        }
    }

    fn set_text(
        &mut self,
        setting: &'static Setting,
        text: &str,
        origin: String,
    ) -> Result<(), ConfigError> {
        let text = text.trim().to_owned();
        if !setting.parse_into(&mut self.config, &text) {
            return Err(ConfigError::Value {
                origin,
                expected: setting.kind.expected(),
            });
        }
        self.given.insert(setting.name, Given { text, origin });
        Ok(())
    }

    /// Adds the settings of the file that flags and environment have not set, with variables for
    /// `${NAME}`.
    fn merge_file(
        &mut self,
        path: &Path,
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
        faults: &mut Vec<ConfigError>,
    ) {
        self.merge_table(
            path,
            text,
            Some(Variables::named_in(text, variable)),
            faults,
        );
    }

    fn merge_table(
        &mut self,
        path: &Path,
        text: &str,
        variables: Option<Variables>,
        faults: &mut Vec<ConfigError>,
    ) {
        let refuse = |error: &toml::de::Error| ConfigError::toml(path, text, error);
        let mut table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(_) => return faults.extend(ConfigError::syntax(path, text)),
        };
        if let Some(variables) = &variables {
            variables.substitute(&mut table, &mut |name, span| {
                let line = text
                    .get(..span.start)
                    .unwrap_or_default()
                    .matches('\n')
                    .count()
                    + 1;
                faults.push(ConfigError::UnsetVariable {
                    path: path.into(),
                    line,
                    name: name.to_owned(),
                });
            });
        }
        self.config.sections = match variables {
            Some(variables) => ConfigTables::with_variables(path, text, variables),
            None => ConfigTables::parse(path, text),
        };
        for (key, value) in table {
            if SECTIONS.contains(&key.get_ref().as_ref()) {
                continue;
            }
            let is_setting = SETTINGS.iter().any(|setting| setting.key == key.get_ref());
            if !is_setting && (value.get_ref().is_table() || value.get_ref().is_array()) {
                self.unclaimed.push(key.into_inner().into_owned());
                continue;
            }
            let merged = match toml::Value::deserialize(value.into_deserializer()) {
                Ok(value) => self.merge_key(path, key.into_inner().into_owned(), value),
                Err(error) => Err(refuse(&error)),
            };
            faults.extend(merged.err());
        }
    }

    fn merge_key(
        &mut self,
        path: &Path,
        key: String,
        value: toml::Value,
    ) -> Result<(), ConfigError> {
        let line = self.config.sections.line(&key);
        let Some(setting) = SETTINGS
            .iter()
            .find(|setting| setting.key == key && setting.name != SETTINGS.config.name)
        else {
            let suggestion = similar_key(&key, &[]);
            return Err(ConfigError::UnknownKey {
                path: path.into(),
                line,
                key,
                suggestion,
            });
        };
        let line = line
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        let origin = format!("{}: {line}`{key}`", path.display());
        let refuse = |expected| ConfigError::Value {
            origin: origin.clone(),
            expected,
        };
        let text = file_text(setting, value).map_err(refuse)?;
        let text = match setting.kind {
            Kind::Path => beside(path, &text),
            _ => text,
        };
        if self.is_given(setting) {
            // A flag or a variable comes first, but the file has to be valid all the same.
            Settings::default().set_text(setting, &text, origin)
        } else {
            self.set_text(setting, &text, origin)
        }
    }
}

/// The text and the origin of a setting in the environment: its variable, or for a secret the file
/// that the variable with `_FILE` at its end names. An empty variable counts as not set.
fn read_environment(
    setting: &Setting,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<(String, String)>, ConfigError> {
    let set = |name: String| {
        variable(&name)
            .filter(|text| !text.is_empty())
            .map(|text| (text, name))
    };
    let given = set(setting.variable());
    let Some((path, origin)) = setting.file_variable().and_then(set) else {
        return Ok(given);
    };
    if let Some((_, other)) = given {
        return Err(ConfigError::Unsound {
            origin,
            message: format!("cannot be set beside `{other}`"),
        });
    }
    match read_file(Path::new(&path)) {
        // Editors and `echo` end files with a line break, which is no part of the secret.
        Ok(text) => Ok(Some((
            text.trim_end_matches(['\r', '\n']).to_owned(),
            origin,
        ))),
        Err(cause) => Err(ConfigError::Unsound {
            origin,
            message: format!("names `{path}`, which cannot be read: {cause}"),
        }),
    }
}

/// Resolves a path in the file, which is relative to the file.
fn beside(file: &Path, path: &str) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    folder.join(path).to_string_lossy().into_owned()
}

/// Converts a value of the file to the text of a command line.
fn file_text(setting: &Setting, value: toml::Value) -> Result<String, String> {
    match (setting.kind, value) {
        (Kind::List, toml::Value::Array(items)) => {
            let items = items
                .into_iter()
                .map(|item| item.as_str().map(str::to_owned));
            let items: Option<Vec<String>> = items.collect();
            items
                .map(|items| items.join(","))
                .ok_or_else(|| "a list of strings".into())
        }
        (Kind::Urls, toml::Value::Array(items)) => {
            let items: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
            items
                .map(|items| items.join(" "))
                .ok_or_else(|| "a list of URLs".into())
        }
        (Kind::Switch, toml::Value::Boolean(switch)) => Ok(switch.to_string()),
        (
            Kind::Number { .. } | Kind::Seconds | Kind::Delay | Kind::Ratio,
            toml::Value::Integer(number),
        ) => Ok(number.to_string()),
        (Kind::Seconds | Kind::Delay | Kind::Ratio, toml::Value::Float(number)) => {
            Ok(number.to_string())
        }
        (Kind::Switch, _) => Err("true or false".into()),
        (Kind::Number { .. }, _) => Err("a whole number".into()),
        (Kind::Seconds | Kind::Delay, _) => Err("a number of seconds".into()),
        (Kind::Ratio, _) => Err("a number from 0 to 1".into()),
        (_, toml::Value::String(text)) => Ok(text),
        (Kind::Secret, value @ (toml::Value::Table(_) | toml::Value::Array(_))) => {
            serde_json::to_string(&value).map_err(|_| "a string".into())
        }
        _ => Err("a string".into()),
    }
}

/// The setting with the most similar key, if one is similar enough.
fn similar(name: &str) -> Option<&'static Setting> {
    find(closest(name, SETTINGS.iter().map(|setting| setting.name))?)
}

/// The key of a setting or table that is most similar, if one is similar enough.
fn similar_key(key: &str, claimed: &[&'static str]) -> Option<String> {
    let sections = SECTIONS.iter().chain(claimed).copied();
    let known = SETTINGS.iter().map(|setting| setting.key).chain(sections);
    closest(key, known).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::log::LogFormat;

    fn gather(
        flags: &[(&str, &str)],
        environment: &[(&str, &str)],
    ) -> Result<Settings, ConfigError> {
        let find = |pairs: &[(&str, &str)], name: &str| {
            pairs
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, text)| (*text).to_owned())
        };
        Settings::gather(|name| find(flags, name), |name| find(environment, name))
    }

    #[test]
    fn all_faults_are_reported_with_their_places() {
        let (_folder, path) =
            file("\nadmin_secrte = \"hidden\"\n\npool_size = \"hidden\"\n[rate]\n");
        let message = gather(
            &[("config", &path), ("insecure", "hidden")],
            &[("POSTERN_TIME_LIMIT", "hidden")],
        );
        let message = message.unwrap_err().to_string();
        for part in [
            "--insecure has to be true or false",
            "POSTERN_TIME_LIMIT has to be a positive number of seconds",
            "gateway.toml: line 2: `admin_secrte` is not a setting; did you mean `admin_secret`?",
            "gateway.toml: line 4: `pool_size` has to be a whole number",
            "gateway.toml: line 5: `rate` is not a setting; did you mean `rates`?",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert!(!message.contains("hidden"), "{message}");
    }

    fn file(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.toml");
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_owned();
        (folder, path)
    }

    #[test]
    fn a_flag_is_stronger_than_the_environment_than_the_file_than_the_default() {
        let (_folder, path) =
            file("listen = \"file:1\"\npool_size = 3\nlog_format = \"json\"\ninsecure = true\n");
        let environment = [
            ("POSTERN_LISTEN", "env:1"),
            ("POSTERN_POOL_SIZE", "4"),
            ("POSTERN_CONFIG", path.as_str()),
        ];
        let settings = gather(&[("listen", "flag:1")], &environment).unwrap();
        let config = settings.config();
        assert_eq!((config.listen.as_str(), config.pool_size), ("flag:1", 4));
        assert_eq!(config.log_format, LogFormat::Json);
        assert!(config.insecure);
        assert_eq!(config.header_prefix(), "X-Gateway-");
    }

    #[test]
    fn an_unknown_key_is_an_error_with_a_suggestion() {
        let (_folder, path) = file("admin_secrte = \"x\"\n");
        let error = gather(&[("config", &path)], &[]).unwrap_err().to_string();
        assert!(
            error.ends_with("`admin_secrte` is not a setting; did you mean `admin_secret`?"),
            "{error}"
        );
    }

    #[test]
    fn toml_errors_have_the_line() {
        let (_folder, path) = file("listen = \"a\"\npool_size = = 3\n");
        let error = gather(&[("config", &path)], &[]).unwrap_err().to_string();
        assert!(error.contains("gateway.toml: line 2: "), "{error}");
        assert!(
            gather(&[("config", "/nowhere/x.toml")], &[])
                .unwrap_err()
                .to_string()
                .contains("/nowhere/x.toml")
        );
    }

    #[test]
    fn values_of_the_wrong_form_are_refused_without_being_repeated() {
        let expected = [
            (
                "pool-size",
                "hidden",
                "--pool-size has to be a whole number",
            ),
            ("insecure", "hidden", "--insecure has to be true or false"),
            (
                "time-limit",
                "-1",
                "--time-limit has to be a positive number of seconds",
            ),
            (
                "log-format",
                "hidden",
                "--log-format has to be one of json, text",
            ),
        ];
        for (name, text, message) in expected {
            assert_eq!(
                gather(&[(name, text)], &[]).unwrap_err().to_string(),
                message
            );
        }
        let (_folder, path) = file("pool_size = \"3\"\n");
        assert!(gather(&[("config", &path)], &[]).is_err());
    }

    #[test]
    fn the_file_may_hold_tables_lists_and_paths_beside_it() {
        let text = "permissions = \"p.toml\"\ncors_origins = [\"https://a\", \
                    \"https://b\"]\ntime_limit = 1.5\n\
                    [jwt_secret]\ntype = \"HS256\"\nkey = \"k\"\n";
        let (folder, path) = file(text);
        let config = gather(&[("config", &path)], &[]).unwrap().config().clone();
        assert_eq!(config.permissions.unwrap(), folder.path().join("p.toml"));
        assert_eq!(config.cors_origins, ["https://a", "https://b"]);
        assert_eq!(config.time_limit, Duration::from_millis(1500));
        assert_eq!(
            config.jwt_secret.unwrap().reveal(),
            r#"{"key":"k","type":"HS256"}"#
        );
    }

    #[test]
    fn database_url_of_other_programs_comes_last() {
        let (_folder, path) = file("database_url = \"file\"\n");
        let url = |flags: &[(&str, &str)], environment: &[(&str, &str)]| {
            gather(flags, environment)
                .unwrap()
                .config()
                .database_url
                .as_ref()
                .map(|url| url.reveal().to_owned())
        };
        let everywhere = [("POSTERN_DATABASE_URL", "own"), ("DATABASE_URL", "common")];
        assert_eq!(
            url(&[("database-url", "flag"), ("config", &path)], &everywhere).as_deref(),
            Some("flag")
        );
        assert_eq!(
            url(&[("config", &path)], &everywhere).as_deref(),
            Some("own")
        );
        assert_eq!(
            url(&[("config", &path)], &everywhere[1..]).as_deref(),
            Some("file")
        );
        assert_eq!(url(&[], &everywhere[1..]).as_deref(), Some("common"));
        assert_eq!(url(&[], &[("DATABASE_URL", "")]), None);
    }

    #[test]
    fn an_empty_variable_is_no_setting() {
        let settings = gather(&[], &[("POSTERN_ADMIN_SECRET", "")]).unwrap();
        assert!(settings.config().admin_secret.is_none());
    }

    #[test]
    fn variables_in_strings_of_the_file_are_replaced() {
        let text = "admin_secret = \"${ADMIN}\"\npermissions = \"${NAME}.toml\"\ncors_origins = \
                    [\"https://${NAME}\"]\n\
                    log_level = \"$${NAME}\"\n[jwt_secret]\nkey = \"${ADMIN}\"\n[rates]\nx = \
                    \"${NAME}\"\n";
        let (folder, path) = file(text);
        let environment = [
            ("ADMIN", "se\"cret"),
            ("NAME", "shop"),
            ("POSTERN_CONFIG", path.as_str()),
        ];
        let config = gather(&[], &environment).unwrap().config().clone();
        assert_eq!(config.admin_secret.unwrap().first().reveal(), "se\"cret");
        assert_eq!(config.permissions.unwrap(), folder.path().join("shop.toml"));
        assert_eq!(
            (config.cors_origins, config.log_level.as_str()),
            (vec!["https://shop".to_owned()], "${NAME}")
        );
        assert_eq!(config.jwt_secret.unwrap().reveal(), r#"{"key":"se\"cret"}"#);
        let rates: BTreeMap<String, String> = config.sections.read("rates").unwrap().unwrap();
        assert_eq!(rates["x"], "shop");
        let fault = config
            .sections
            .read::<BTreeMap<String, u32>>("rates")
            .unwrap_err()
            .to_string();
        assert!(
            fault.contains("line 8: ") && fault.contains("\"${NAME}\""),
            "{fault}"
        );
    }

    #[test]
    fn variables_of_the_file_that_are_not_set_are_reported_with_their_lines() {
        let (_folder, path) = file("admin_secret = \"${ADMIN}\"\n[rates]\nx = \"${OTHER}\"\n");
        let message = gather(&[("config", &path)], &[]).unwrap_err().to_string();
        for part in [
            "gateway.toml: line 1: the environment variable `ADMIN` is not set",
            "line 3: ",
            "`OTHER`",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn secrets_are_read_from_files_that_variables_name() {
        let (_folder, path) = file("hidden\r\n");
        let secret = |environment: &[(&str, &str)]| {
            let settings = gather(&[], environment).map_err(|error| error.to_string())?;
            Ok(settings
                .config()
                .admin_secret
                .as_ref()
                .map(|secrets| secrets.first().reveal().to_owned()))
        };
        assert_eq!(
            secret(&[("POSTERN_ADMIN_SECRET_FILE", &path)]),
            Ok(Some("hidden".to_owned()))
        );
        assert_eq!(
            secret(&[
                ("POSTERN_ADMIN_SECRET_FILE", ""),
                ("POSTERN_ADMIN_SECRET", "x")
            ]),
            Ok(Some("x".into()))
        );
        let both: Result<_, String> = secret(&[
            ("POSTERN_ADMIN_SECRET_FILE", &path),
            ("POSTERN_ADMIN_SECRET", "x"),
        ]);
        assert_eq!(
            both,
            Err("POSTERN_ADMIN_SECRET_FILE cannot be set beside `POSTERN_ADMIN_SECRET`".to_owned())
        );
        let absent = secret(&[("POSTERN_ADMIN_SECRET_FILE", "/nowhere/secret")]).unwrap_err();
        assert!(
            absent.starts_with("POSTERN_ADMIN_SECRET_FILE names `/nowhere/secret`, which"),
            "{absent}"
        );
        assert_eq!(
            gather(&[], &[("POSTERN_POOL_SIZE_FILE", &path)])
                .unwrap()
                .config()
                .pool_size,
            10
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let settings = gather(&[("admin-secret", "hidden")], &[]).unwrap();
        assert!(!format!("{:?}", settings.config()).contains("hidden"));
    }
}
