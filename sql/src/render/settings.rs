//! Writes the statement that sets the settings of a role for a transaction.

use std::fmt::Write;

use crate::model::access::Setting;
use crate::statement::SettingsStatement;

/// The statement, if there are settings:
///
/// ```sql
/// SELECT set_config('app.user_id', $1::text, true), set_config('request.jwt.claims', $2::text, true)
/// ```
///
/// `true` ends them with the transaction, whether it commits, fails or is cancelled.
pub fn settings(settings: &[(String, Setting)]) -> Option<SettingsStatement> {
    let mut text = String::from("SELECT ");
    for (index, (name, _)) in settings.iter().enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        // Names have letters, digits, underscores and dots; the permission file is checked for
        // that.
        let _ = write!(
            text,
            "{separator}set_config('{}', ${}::text, true)",
            name.replace('\'', "''"),
            index + 1
        );
    }
    let parameters = settings
        .iter()
        .map(|(_, setting)| setting.parameter())
        .collect();
    (!settings.is_empty()).then_some(SettingsStatement { text, parameters })
}
