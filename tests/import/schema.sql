-- What the metadata beside this file is about: keys of every form, types whose values are written differently, functions,
-- a second schema, a name that GraphQL does not allow, and a table that is not tracked.

CREATE EXTENSION citext;
CREATE EXTENSION ltree;
CREATE SCHEMA shipping;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');

CREATE TABLE orgs (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  parent_id uuid REFERENCES orgs
);

CREATE TABLE statuses (
  value text PRIMARY KEY,
  comment text
);
INSERT INTO statuses VALUES ('draft', 'not seen by others'), ('published', NULL);

CREATE TABLE authors (
  id int PRIMARY KEY,
  name text NOT NULL,
  email citext,
  mood mood,
  rating numeric(4, 2),
  active boolean NOT NULL DEFAULT true,
  attributes jsonb,
  tags text[],
  path ltree,
  joined timestamptz,
  "Secret Note" text,
  org_id uuid REFERENCES orgs
);

CREATE TABLE articles (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author_id int NOT NULL REFERENCES authors,
  editor_id int REFERENCES authors,
  title varchar(100) NOT NULL,
  body text,
  status text NOT NULL REFERENCES statuses,
  published_on date,
  score real,
  words int,
  UNIQUE (author_id, title)
);

CREATE TABLE comments (
  id int PRIMARY KEY,
  article_id bigint NOT NULL REFERENCES articles,
  author_id int REFERENCES authors,
  body text,
  likes int
);

-- At most one an author.
CREATE TABLE profiles (
  author_id int PRIMARY KEY REFERENCES authors,
  bio text
);

CREATE TABLE shipping.parcels (
  region text,
  number int,
  author_id int REFERENCES authors,
  PRIMARY KEY (region, number)
);

CREATE TABLE shipping.events (
  id int PRIMARY KEY,
  region text,
  number int,
  at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (region, number) REFERENCES shipping.parcels
);

CREATE TABLE "author details" (id int PRIMARY KEY REFERENCES authors);
CREATE TABLE internal_audit (id int PRIMARY KEY, author_id int REFERENCES authors);

CREATE VIEW latest_articles AS SELECT DISTINCT ON (author_id) author_id, id AS article_id, title FROM articles ORDER BY author_id, id DESC;

CREATE FUNCTION full_name(author authors) RETURNS text STABLE LANGUAGE sql AS $$ SELECT author.name || ' (' || author.id || ')' $$;
CREATE FUNCTION long_articles(author authors) RETURNS SETOF articles STABLE LANGUAGE sql AS $$ SELECT * FROM articles a WHERE a.author_id = author.id AND a.words > 100 $$;
CREATE FUNCTION is_mine(hasura_session json, author authors) RETURNS boolean STABLE LANGUAGE sql AS $$ SELECT (hasura_session ->> 'x-hasura-user-id')::int = author.id $$;
CREATE FUNCTION search_articles(search text) RETURNS SETOF articles STABLE LANGUAGE sql AS $$ SELECT * FROM articles WHERE title ILIKE '%' || search || '%' $$;
CREATE FUNCTION own_articles(hasura_session json) RETURNS SETOF articles STABLE LANGUAGE sql AS $$ SELECT * FROM articles WHERE author_id = (hasura_session ->> 'x-hasura-user-id')::int $$;
CREATE FUNCTION publish(article bigint) RETURNS SETOF articles LANGUAGE sql AS $$ UPDATE articles SET published_on = current_date WHERE id = article RETURNING * $$;
