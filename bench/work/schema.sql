-- The tables that the end-to-end benchmarks work on. What is in them is made by data.sql; there the indexes that are not
-- keys are made too, since that is faster once the rows are in.

CREATE TABLE controllers (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  country text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Who works for which controllers. The row rule of the role `user` looks here.
CREATE TABLE members (
  user_id uuid NOT NULL,
  controller_id uuid NOT NULL REFERENCES controllers,
  PRIMARY KEY (user_id, controller_id)
);

CREATE TABLE subjects (
  id uuid PRIMARY KEY,
  controller_id uuid NOT NULL REFERENCES controllers,
  email text NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE requests (
  id uuid PRIMARY KEY,
  subject_id uuid NOT NULL REFERENCES subjects,
  kind text NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE events (
  id uuid PRIMARY KEY,
  request_id uuid NOT NULL REFERENCES requests,
  kind text NOT NULL,
  detail text,
  created_at timestamptz NOT NULL
);

CREATE TABLE notes (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject_id uuid NOT NULL REFERENCES subjects,
  title text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
