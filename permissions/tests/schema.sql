-- The database of the tests; tests/catalog.json is what `postern catalog` says of it.
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE address AS (city text, zip text);
CREATE SCHEMA audit;

CREATE TABLE users (id uuid PRIMARY KEY, name text NOT NULL, "e-mail" text UNIQUE, mood mood, home address);
CREATE TABLE data_controllers (id uuid PRIMARY KEY, title text NOT NULL, settings jsonb NOT NULL DEFAULT '{}');
CREATE TABLE data_controller_users (
  data_controller_id uuid NOT NULL REFERENCES data_controllers,
  user_id uuid NOT NULL REFERENCES users,
  since timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_controller_id, user_id)
);
CREATE TABLE data_subjects (
  id uuid PRIMARY KEY,
  did text NOT NULL,
  data_controller_id uuid NOT NULL REFERENCES data_controllers,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  do_not_track boolean NOT NULL DEFAULT false,
  gpc boolean,
  tags text[] NOT NULL DEFAULT '{}',
  number bigint GENERATED ALWAYS AS IDENTITY,
  label text GENERATED ALWAYS AS (upper(did)) STORED
);
CREATE TABLE data_processing_activities (
  id uuid PRIMARY KEY,
  data_subject_id uuid NOT NULL REFERENCES data_subjects,
  reviewer_id uuid REFERENCES users,
  author_id uuid REFERENCES users,
  body jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE VIEW latest_activity AS
  SELECT DISTINCT ON (data_subject_id) * FROM data_processing_activities ORDER BY data_subject_id, at DESC;
CREATE TABLE profiles (user_id uuid PRIMARY KEY REFERENCES users, bio text, friend uuid REFERENCES users);
CREATE TABLE audit.entries (id bigint PRIMARY KEY, who uuid NOT NULL, what text NOT NULL);
CREATE TABLE "or""ders" (id int PRIMARY KEY, "to""tal" numeric, parent_id int);
ALTER TABLE "or""ders" ADD FOREIGN KEY (parent_id) REFERENCES "or""ders" NOT VALID;
CREATE FUNCTION visible_ids(who uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS 'SELECT data_controller_id FROM data_controller_users WHERE user_id = who';
CREATE FUNCTION full_name(u users, separator text DEFAULT ' ', caller json DEFAULT NULL) RETURNS text LANGUAGE sql STABLE AS 'SELECT u.name';
CREATE FUNCTION friends(depth int, u users) RETURNS SETOF users LANGUAGE sql STABLE AS 'SELECT * FROM users';
CREATE FUNCTION home_of(u users) RETURNS address LANGUAGE sql STABLE AS 'SELECT u.home';
CREATE FUNCTION touched(u users) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1';
CREATE FUNCTION odd("the one" int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION search_subjects(query text, user_id uuid DEFAULT NULL) RETURNS SETOF data_subjects LANGUAGE sql STABLE AS 'SELECT * FROM data_subjects';
CREATE FUNCTION search_users(query text, caller jsonb) RETURNS SETOF users LANGUAGE sql STABLE AS 'SELECT * FROM users';
CREATE FUNCTION report(since date) RETURNS TABLE (day date, "all" bigint) LANGUAGE sql STABLE AS 'SELECT since, 1';
CREATE FUNCTION audit.entry(key bigint) RETURNS audit.entries LANGUAGE sql STABLE AS 'SELECT * FROM audit.entries WHERE id = key';
CREATE FUNCTION add(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION add(a text, b text[]) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION pick(anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION anything() RETURNS SETOF record LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION tidy() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1';
