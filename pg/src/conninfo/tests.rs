use super::*;

fn resolve(text: &str, environment: &[(&str, &str)]) -> Result<Conninfo, ConninfoError> {
    let find = |name: &str| {
        environment
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| (*value).to_owned())
    };
    Conninfo::resolve(text, &find)
}

fn places(text: &str) -> Vec<ServerAddress> {
    resolve(text, &[])
        .unwrap()
        .hosts
        .into_iter()
        .map(|host| host.server_address)
        .collect()
}

fn refused(text: &str, environment: &[(&str, &str)]) -> String {
    resolve(text, environment)
        .err()
        .unwrap_or_else(|| panic!("{text} is accepted"))
        .to_string()
}

#[test]
fn connection_strings_list_hosts_and_addresses() {
    let named = |host: &str, port| ServerAddress::Named(host.into(), port);
    assert_eq!(places("postgres://u@db:6000/d"), [named("db", 6000)]);
    assert_eq!(
        places("host=/run/pg user=u"),
        [ServerAddress::Unix("/run/pg/.s.PGSQL.5432".into())]
    );
    assert_eq!(
        places("postgres://u@a:1,b:2/d"),
        [named("a", 1), named("b", 2)]
    );
    assert_eq!(
        places("postgres://u@a:1,b/d"),
        [named("a", 1), named("b", 5432)]
    );
    assert_eq!(
        places("host=a,b port=6000"),
        [named("a", 6000), named("b", 6000)]
    );
    let address = ServerAddress::Tcp(([127, 0, 0, 1], 5432).into());
    assert_eq!(places("host=a hostaddr=127.0.0.1 user=u"), [address]);
    assert_eq!(
        places("postgres://[::1]:7/d"),
        [ServerAddress::Tcp("[::1]:7".parse().unwrap())]
    );
    assert!(matches!(&places("dbname=d")[..], [ServerAddress::Unix(_)]));
    assert_eq!(
        refused("host=a,b port=1,2,3", &[]),
        "`port` names 3 values for 2 hosts"
    );
    assert_eq!(
        refused("host=a,b hostaddr=127.0.0.1", &[]),
        "`hostaddr` names 1 values for 2 hosts"
    );
}

#[test]
fn connection_string_overrides_the_environment() {
    let environment = [
        ("PGHOST", "other"),
        ("PGPORT", "7000"),
        ("PGUSER", "eve"),
        ("PGPASSWORD", "pass"),
        ("PGDATABASE", "shop"),
        ("PGSSLMODE", "require"),
        ("PGAPPNAME", "app"),
        ("PGOPTIONS", "-c a=b"),
        ("PGCONNECT_TIMEOUT", "3"),
        ("PGCHANNELBINDING", "disable"),
        ("PGTARGETSESSIONATTRS", "primary"),
        ("PGSSLNEGOTIATION", "direct"),
    ];
    let all = resolve("", &environment).unwrap();
    assert_eq!(
        all.hosts[0].server_address,
        ServerAddress::Named("other".into(), 7000)
    );
    assert_eq!(all.hosts[0].password.as_deref(), Some("pass"));
    assert_eq!(
        (all.config.get_user(), all.config.get_dbname()),
        (Some("eve"), Some("shop"))
    );
    assert_eq!(
        (all.options.as_deref(), all.config.get_application_name()),
        (Some("-c a=b"), Some("app"))
    );
    assert_eq!((all.tls.mode, all.tls.is_direct), (SslMode::Require, true));
    assert_eq!(
        (all.channel_binding, all.session),
        (ChannelBinding::Disable, TargetSession::Primary)
    );
    assert_eq!(all.connect_timeout, Duration::from_secs(3));
    let some = resolve("postgres://adam@h/?sslmode=verify-ca", &environment).unwrap();
    assert_eq!(
        some.hosts[0].server_address,
        ServerAddress::Named("h".into(), 7000)
    );
    assert_eq!(
        (some.config.get_user(), some.config.get_dbname()),
        (Some("adam"), Some("shop"))
    );
    assert_eq!(some.tls.mode, SslMode::VerifyCa);
    let none = resolve("postgres://adam@h", &[("PGDATABASE", "")]).unwrap();
    assert_eq!(
        (none.config.get_dbname(), none.config.get_application_name()),
        (Some("adam"), Some("postern"))
    );
    assert_eq!(none.tls.mode, SslMode::Prefer);
}

#[test]
fn passwords_come_from_the_file_by_host() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".pgpass");
    std::fs::write(
        &path,
        "a:1:d:u:first\nlocalhost:*:d:u:local\n10.0.0.1:*:*:u:address\n",
    )
    .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let home = home.path().to_str().unwrap();
    let passwords = |text: &str| {
        let conninfo = resolve(text, &[("HOME", home)]).unwrap();
        conninfo
            .hosts
            .into_iter()
            .map(|host| host.password)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        passwords("postgres://u@a:1,b:1/d"),
        [Some("first".into()), None]
    );
    assert_eq!(
        passwords("host=/tmp user=u dbname=d"),
        [Some("local".into())]
    );
    assert_eq!(
        passwords("hostaddr=10.0.0.1 user=u dbname=x"),
        [Some("address".into())]
    );
    assert_eq!(
        passwords("postgres://u:given@a:1/d"),
        [Some("given".into())]
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ignored = resolve("postgres://u@a:1/d", &[("HOME", home)]).unwrap();
    assert_eq!(ignored.hosts[0].password, None);
    assert!(
        ignored.warnings[0].contains("0600"),
        "{:?}",
        ignored.warnings
    );
    let elsewhere = resolve(
        "postgres://u@a:1/d",
        &[("HOME", "/nowhere"), ("PGPASSFILE", path.to_str().unwrap())],
    );
    assert_eq!(elsewhere.unwrap().warnings.len(), 1);
}

#[test]
fn parameters_of_other_clients_get_a_warning() {
    let text = "postgres://u@h/d?pgbouncer=true&schema=public&pool_timeout=3&connection_limit=5&gssencmode=disable\
                &sslcompression=0&application_name=x";
    let conninfo = resolve(text, &[]).unwrap();
    assert_eq!(conninfo.warnings.len(), 6);
    assert_eq!(
        conninfo.warnings[0],
        "the parameter `pgbouncer` of the database URL has no effect"
    );
    assert_eq!(conninfo.config.get_application_name(), Some("x"));
}

#[test]
fn unsupported_security_parameters_are_rejected() {
    for name in [
        "require_auth",
        "requirepeer",
        "service",
        "sslaccept",
        "ssl-mode",
        "gssencmode",
    ] {
        let message = refused(&format!("postgres://u@h/d?{name}=require"), &[]);
        assert!(
            message.starts_with(&format!("`{name}` is not supported")),
            "{message}"
        );
    }
    assert!(
        refused("postgres://h", &[("PGREQUIREAUTH", "scram-sha-256")])
            .starts_with("`PGREQUIREAUTH` is not")
    );
    assert!(refused("postgres://h?ssl=false", &[]).starts_with("`ssl` is not supported"));
}

#[test]
fn unknown_parameters_get_a_suggestion() {
    let message = refused("postgres://u@h/d?sslmod=require", &[]);
    assert_eq!(
        message,
        "a parameter of the database URL does not exist; did you mean `sslmode`?"
    );
    assert_eq!(
        refused("host=h password=a hidden=x", &[]),
        "a parameter of the database URL does not exist"
    );
}

#[test]
fn invalid_values_are_rejected_by_parameter_or_variable() {
    let cases = [
        (
            "postgres://u:hidden/d",
            "`port` has to be a number from 1 to 65535",
        ),
        (
            "postgres://h:0/d",
            "`port` has to be a number from 1 to 65535",
        ),
        (
            "host=h hostaddr=hidden",
            "`hostaddr` has to be an IP address",
        ),
        (
            "host=h connect_timeout=hidden",
            "`connect_timeout` has to be a whole number",
        ),
        (
            "host=h channel_binding=hidden",
            "`channel_binding` has to be `disable`, `prefer` or `require`",
        ),
        (
            "host=h sslnegotiation=direct",
            "sslnegotiation=direct needs sslmode=require, verify-ca or verify-full",
        ),
        (
            "hostaddr=127.0.0.1 sslmode=verify-full",
            "sslmode=verify-full needs a host name; `hostaddr` alone is none",
        ),
        (
            "host=h sslrootcert=system sslmode=require",
            "sslrootcert=system needs sslmode=verify-full: the system's authorities sign for \
             every host",
        ),
        (
            "host=h ssl_min_protocol_version=TLSv1.3 ssl_max_protocol_version=TLSv1.2",
            "`ssl_max_protocol_version` has to be no older than `ssl_min_protocol_version`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text, &[]), expected, "{text}");
    }
    assert!(
        refused("host=h", &[("PGSSLMODE", "hidden")])
            .starts_with("`PGSSLMODE` has to be `disable`,")
    );
    assert_eq!(
        resolve("host=h sslrootcert=system", &[]).unwrap().tls.mode,
        SslMode::VerifyFull
    );
}

#[test]
fn debug_output_shows_no_password() {
    let conninfo = resolve("postgres://u:hidden@h/d", &[("PGPASSWORD", "hidden")]).unwrap();
    assert!(!format!("{conninfo:?}").contains("hidden"));
}
