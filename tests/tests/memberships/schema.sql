-- Tables with rules that are memberships, and with rules that are not.
CREATE TABLE clubs (id int PRIMARY KEY, name text NOT NULL, owner_id int);
CREATE TABLE members (
  user_id int, club_id int, level int NOT NULL, until date,
  UNIQUE (user_id, club_id)
);
CREATE TABLE seats (user_id int NOT NULL, club_id int NOT NULL, kind text NOT NULL, PRIMARY KEY (user_id, club_id, kind));
-- The same without a key: a user may be in it twice.
CREATE TABLE visits (user_id int, club_id int);
-- Its key says nothing about the rows of the other.
CREATE TABLE teams (user_id int NOT NULL, club_id int NOT NULL, PRIMARY KEY (user_id, club_id));
CREATE TABLE youth_teams () INHERITS (teams);
CREATE TABLE posts (
  id int PRIMARY KEY, club_id int REFERENCES clubs, other_id int, kind text, rank int, code int8,
  body text NOT NULL DEFAULT ''
);
CREATE TABLE replies (id int PRIMARY KEY, post_id int NOT NULL REFERENCES posts, body text NOT NULL);
CREATE INDEX ON members (club_id);
CREATE INDEX ON posts (club_id, rank DESC);
CREATE INDEX ON posts (rank);
CREATE INDEX ON posts (club_id, kind, id);
CREATE FUNCTION shout(posts) RETURNS text LANGUAGE sql STABLE AS 'SELECT upper($1.body)';
