//! The routes: one for each work.

use hyper::{Method, Request};

/// The work that a request's path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Whether the server and its database are up.
    Ready,
    /// `GET /by_key?id=…`
    ByKey,
    /// `GET /page?controller=…&without=…`
    Page,
    /// `GET /three_levels?controller=…&before=…`
    ThreeLevels,
    /// `GET /relation_filter?controller=…&kind=…&status=…`
    RelationFilter,
    /// `GET /row_rule`, for the user of the token; for a trusting server `?user=…`
    RowRule,
    /// `GET /ten_thousand?before=…`
    TenThousand,
    /// `POST /insert_one` with `{"subject_id", "title", "body"}`
    InsertOne,
}

impl Route {
    pub(crate) fn from_request<B>(request: &Request<B>) -> Option<Route> {
        Some(match (request.method(), request.uri().path()) {
            (&Method::GET, "/readyz") => Route::Ready,
            (&Method::GET, "/by_key") => Route::ByKey,
            (&Method::GET, "/page") => Route::Page,
            (&Method::GET, "/three_levels") => Route::ThreeLevels,
            (&Method::GET, "/relation_filter") => Route::RelationFilter,
            (&Method::GET, "/row_rule") => Route::RowRule,
            (&Method::GET, "/ten_thousand") => Route::TenThousand,
            (&Method::POST, "/insert_one") => Route::InsertOne,
            _ => return None,
        })
    }

    /// The statement: it returns no row, or one row with one column of JSON.
    pub(crate) fn statement(self) -> &'static str {
        match self {
            Route::Ready => "SELECT '\"ready\"'::json",
            Route::ByKey => include_str!("../work/by_key.sql"),
            Route::Page => include_str!("../work/page.sql"),
            Route::ThreeLevels => include_str!("../work/three_levels.sql"),
            Route::RelationFilter => include_str!("../work/relation_filter.sql"),
            Route::RowRule => include_str!("../work/row_rule.sql"),
            Route::TenThousand => include_str!("../work/ten_thousand.sql"),
            Route::InsertOne => include_str!("../work/insert_one.sql"),
        }
    }

    /// The text before the JSON of Postgres. `}}` follows it.
    pub(crate) fn opening(self) -> &'static [u8] {
        match self {
            Route::Ready => b"{\"data\":{\"state\":",
            Route::ByKey => b"{\"data\":{\"subjects_by_pk\":",
            Route::InsertOne => b"{\"data\":{\"insert_notes_one\":",
            _ => b"{\"data\":{\"subjects\":",
        }
    }
}
