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
