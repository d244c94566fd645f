CREATE TYPE state AS ENUM ('new', 'open', 'done');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE t0 (id uuid PRIMARY KEY);
-- each table
CREATE TABLE t{n} (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  parent_id uuid REFERENCES t{before},
  name text NOT NULL DEFAULT 'x',
  email varchar(200),
  amount numeric(10, 2),
  active bool NOT NULL DEFAULT true,
  quantity positive,
  large int8,
  ratio float8,
  day date,
  at timestamptz NOT NULL DEFAULT now(),
  document jsonb,
  state state,
  tags text[],
  note text
);
COMMENT ON TABLE t{n} IS 'table number {n}';
COMMENT ON COLUMN t{n}.name IS 'a name';
COMMENT ON COLUMN t{n}.note IS 'a note';
