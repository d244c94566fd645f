CREATE TABLE people (
  id            uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
  email         text,
  display_name  text    CONSTRAINT refused_name CHECK (display_name <> 'refused'),
  locale        text,
  metadata      jsonb,
  method        text,
  default_role  text    NOT NULL DEFAULT 'me',
  allowed_roles text[]  NOT NULL DEFAULT '{me,reader}',
  is_blocked    boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX one_person_for_each_address ON people (lower(email));
