//! Why the authentication settings are invalid.

use super::jwt_config_error::JwtConfigError;

/// Why the authentication settings are invalid.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// Neither secret nor keys are set, and `--insecure` is not set either.
    #[error(
        "neither an admin secret nor a JWT secret is set, so every caller would be admin; \
             set `--admin-secret` or \
             `--jwt-secret`, or say `--insecure`"
    )]
    Open,
    /// Both tokens and a webhook are configured.
    #[error(
        "both `--jwt-secret` and `--auth-hook` are set; only one of them can authenticate requests"
    )]
    Both,
    /// The webhook's URL is invalid.
    #[error("`--auth-hook` has to be an http or https URL")]
    HookUrl,
    /// The JWT secret is invalid.
    #[error(transparent)]
    Secret(#[from] JwtConfigError),
    /// The role for requests without credentials is `admin`.
    #[error("`--unauthorized-role` cannot be `admin`: the admin secret alone gives that role")]
    UnauthorizedAdmin,
    /// The role for requests without credentials is not in the permission file.
    #[error("`--unauthorized-role`: the permission file has no role `{0}`")]
    UnauthorizedRole(String),
    /// A role for requests without credentials is set, but there is no permission file.
    #[error(
        "`--unauthorized-role` needs a permission file: without one there is no role but `admin`"
    )]
    NoRoles,
    /// The header prefix is invalid.
    #[error("the header prefix has to be letters, digits and dashes, and end with a dash")]
    Prefix,
}
