//! From where an address to listen on can be reached.

use std::net::IpAddr;

/// The host of an address to listen on.
fn listening_host(listen: &str) -> &str {
    listen
        .rsplit_once(':')
        .map_or(listen, |(host, _)| host)
        .trim_matches(['[', ']'])
}

/// Whether the server listens only on loopback. Names other than `localhost` may resolve to
/// anything.
pub(super) fn listens_locally(listen: &str) -> bool {
    let host = listening_host(listen);
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Whether the server listens only on loopback or on an address of a private network.
pub(super) fn listens_privately(listen: &str) -> bool {
    let is_private = |address: IpAddr| match address.to_canonical() {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    };
    listens_locally(listen) || listening_host(listen).parse().is_ok_and(is_private)
}
