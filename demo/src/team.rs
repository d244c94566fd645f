//! The people of the demo who sign in to the dashboard: one of each level, in the team of one
//! controller. Each start gives them a password, and the Administrator a link that signs in.

use plugins::{accounts, token_exchange};
use serde_json::{Map, Value, json};
use tokio_postgres::Client;
use uuid::Uuid;

/// Opens the accounts of a member of each level: the controller, the user whom it prefers, and the
/// hash of their password.
const OPEN_ACCOUNTS: &str = "
WITH member AS (
  SELECT DISTINCT ON (m.role) u.id::text, u.email, u.display_name, m.role
  FROM data_controller_users m JOIN users u ON u.id = m.user_id
  WHERE m.data_controller_id = $1::text::uuid AND m.status = 'active' ORDER BY m.role, u.id <> $2::text::uuid, m.id
), account AS (
  INSERT INTO postern.account (user_id) SELECT id FROM member ON CONFLICT DO NOTHING
), verified AS (
  INSERT INTO postern.verified_email (user_id, email) SELECT id, email FROM member
  ON CONFLICT (user_id) DO UPDATE SET email = EXCLUDED.email
), password AS (
  INSERT INTO postern.password (user_id, hash) SELECT id, $3 FROM member
  ON CONFLICT (user_id) DO UPDATE SET hash = EXCLUDED.hash, changed_at = now()
)
SELECT id, email, display_name, role FROM member
ORDER BY array_position(ARRAY['Administrator', 'Editor', 'Viewer'], role)";

/// Stores a link that signs in once: user, address, digest.
const STORE_LINK: &str = "
INSERT INTO postern.ticket (purpose, user_id, email, digest, expires_at)
VALUES ('link', $1, $2, decode($3, 'hex'), now() + interval '12 hours')";

/// Why the team cannot sign in.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// Its password cannot be hashed.
    #[error("the demo's team cannot sign in: {0}")]
    Hash(String),
    /// Its accounts cannot be stored.
    #[error("the demo's team cannot sign in: {0}")]
    Store(#[from] tokio_postgres::Error),
}

/// A member of the team.
#[derive(Debug)]
struct Member {
    level: String,
    name: String,
    email: String,
}

/// The team and what it signs in with.
#[derive(Debug)]
pub(crate) struct Team {
    members: Vec<Member>,
    password: String,
    /// The ticket of the Administrator's link.
    ticket: String,
    /// The key that seals secrets of accounts.
    pub(crate) accounts_key: String,
}

impl Team {
    /// Stores what members of a controller's team sign in with from this start on. A user is
    /// preferred to others of the same level.
    pub(crate) async fn open(
        client: &Client,
        controller: &str,
        preferred: &str,
    ) -> Result<Team, TeamError> {
        let password: String = Uuid::new_v4()
            .simple()
            .to_string()
            .chars()
            .take(16)
            .collect();
        let hash = accounts::password_hash(&password).map_err(TeamError::Hash)?;
        let rows = client
            .query(OPEN_ACCOUNTS, &[&controller, &preferred, &hash])
            .await?;
        let ticket = format!("passwordlessEmail:{}", Uuid::new_v4());
        if let Some(first) = rows.first() {
            let digest = token_exchange::digest(&ticket);
            let (id, email): (&str, &str) = (first.get(0), first.get(1));
            client.execute(STORE_LINK, &[&id, &email, &digest]).await?;
        }
        let member = |row: &tokio_postgres::Row| Member {
            level: row.get(3),
            name: row.get(2),
            email: row.get(1),
        };
        Ok(Team {
            members: rows.iter().map(member).collect(),
            password,
            ticket,
            accounts_key: accounts_key(client).await?,
        })
    }

    /// What line 1 of the output says of them.
    pub(crate) fn facts(&self, server_url: &str) -> Map<String, Value> {
        let member = |member: &Member| json!({"level": member.level, "name": member.name, "email": member.email});
        let members: Vec<Value> = self.members.iter().map(member).collect();
        let facts = [
            ("dashboard", dashboard(server_url).into()),
            ("team", members.into()),
            ("password", self.password.as_str().into()),
            ("sign_in_link", self.link(server_url).into()),
        ];
        facts
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    }

    /// What the summary for people says.
    pub(crate) fn summary(&self, server_url: &str) -> String {
        let members = self.members.iter().map(|member| {
            let Member { level, name, email } = member;
            format!("  {level:<13}  {email:<34}  {name}\n")
        });
        format!(
            "The team's dashboard  {}\n{}  password       {}\nA link that signs the Administrator in, \
             once  {}\n\n",
            dashboard(server_url),
            members.collect::<String>(),
            self.password,
            self.link(server_url)
        )
    }

    fn link(&self, server_url: &str) -> String {
        let redirect_to = dashboard(server_url);
        format!(
            "{server_url}/v1/verify?ticket={}&type=signinPasswordless&redirectTo={redirect_to}",
            self.ticket
        )
    }
}

/// Where the dashboard is.
pub(crate) fn dashboard(server_url: &str) -> String {
    format!("{server_url}/dashboard")
}

/// The key that seals secrets of accounts. Data that is kept needs the same key at each start, and
/// a key beside the data would be no better guarded than one that the cluster's identifier makes.
async fn accounts_key(client: &Client) -> Result<String, tokio_postgres::Error> {
    let statement = "SELECT system_identifier::text FROM pg_control_system()";
    let identifier: String = client.query_one(statement, &[]).await?.get(0);
    Ok(token_exchange::digest(&format!("accounts of {identifier}")))
}
