//! Handles a request: runs the statement of its route and sends the JSON.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use tokio_postgres::types::ToSql;

use crate::route::Route;
use crate::server::Server;
use crate::values::{Json, Key, Moment, Note};

/// Why a request fails.
enum Refusal {
    NoSuchPath,
    Unverified,
    Malformed,
    Database,
}

/// Handles a request. It never fails: an error becomes a response.
pub(crate) async fn answer(
    server: &Server,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(match found(server, request).await {
        Ok(body) => response(StatusCode::OK, body),
        Err(refusal) => {
            let (status, body) = match refusal {
                Refusal::NoSuchPath => (
                    StatusCode::NOT_FOUND,
                    "{\"errors\":[{\"message\":\"no such path\"}]}",
                ),
                Refusal::Unverified => (
                    StatusCode::UNAUTHORIZED,
                    "{\"errors\":[{\"message\":\"not verified\"}]}",
                ),
                Refusal::Malformed => (
                    StatusCode::BAD_REQUEST,
                    "{\"errors\":[{\"message\":\"malformed\"}]}",
                ),
                Refusal::Database => (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "{\"errors\":[{\"message\":\"failed\"}]}",
                ),
            };
            response(status, Bytes::from_static(body.as_bytes()))
        }
    })
}

fn response(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

async fn found(server: &Server, request: Request<Incoming>) -> Result<Bytes, Refusal> {
    let route = Route::from_request(&request).ok_or(Refusal::NoSuchPath)?;
    if route == Route::Ready {
        return run(server, route, &[]).await;
    }
    let user = server
        .callers
        .caller(request.headers())
        .map_err(|_| Refusal::Unverified)?;
    if route == Route::InsertOne {
        let body = request
            .into_body()
            .collect()
            .await
            .map_err(|_| Refusal::Malformed)?
            .to_bytes();
        let note: Note = serde_json::from_slice(&body).map_err(|_| Refusal::Malformed)?;
        return run(server, route, &[&note.subject_id, &note.title, &note.body]).await;
    }
    read(
        server,
        route,
        user,
        request.uri().query().unwrap_or_default(),
    )
    .await
    .unwrap_or(Err(Refusal::Malformed))
}

/// Runs the statement of every route but inserting. Returns `None` if a value is missing or
/// malformed.
async fn read(
    server: &Server,
    route: Route,
    user: Option<Key>,
    query: &str,
) -> Option<Result<Bytes, Refusal>> {
    let key = |name: &str| Key::try_from(value(query, name)?).ok();
    let before = || Moment::parse(value(query, "before")?);
    Some(match route {
        Route::ByKey => run(server, route, &[&key("id")?]).await,
        Route::Page => {
            run(
                server,
                route,
                &[&key("controller")?, &value(query, "without")?],
            )
            .await
        }
        Route::ThreeLevels => run(server, route, &[&key("controller")?, &before()?]).await,
        Route::RelationFilter => {
            run(
                server,
                route,
                &[
                    &key("controller")?,
                    &value(query, "kind")?,
                    &value(query, "status")?,
                ],
            )
            .await
        }
        Route::RowRule => run(server, route, &[&user.or_else(|| key("user"))?]).await,
        Route::TenThousand => run(server, route, &[&before()?]).await,
        Route::Ready | Route::InsertOne => return None,
    })
}

/// The value of a name in the query string. None of the values needs percent-encoding.
fn value<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

async fn run(
    server: &Server,
    route: Route,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Bytes, Refusal> {
    let client = server.pool.get().await.map_err(|_| Refusal::Database)?;
    let statement = client
        .prepare_cached(route.statement())
        .await
        .map_err(|_| Refusal::Database)?;
    let row = client
        .query_opt(&statement, values)
        .await
        .map_err(|_| Refusal::Database)?;
    // Returns the connection to the pool before the response is copied.
    drop(client);
    let json = match &row {
        Some(row) => {
            row.try_get::<_, Json<'_>>(0)
                .map_err(|_| Refusal::Database)?
                .0
        }
        None => b"null",
    };
    Ok([route.opening(), json, b"}}"].concat().into())
}
