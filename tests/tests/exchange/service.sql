CREATE TABLE accounts (
  id            int PRIMARY KEY,
  email         text,
  default_role  text NOT NULL,
  allowed_roles text[] NOT NULL,
  claims        jsonb,
  display_name  text
);
INSERT INTO accounts VALUES
  (1, 'ada@example.org', 'author', ARRAY['author', 'reader'], '{"team-ids": [1, 2], "x-gateway-city": "Turin"}', 'Ada'),
  (2, 'bob@example.org', 'author', ARRAY['author'], '{"x-gateway-default-role": "reader", "user_id": "1", "allowed_roles": ["reader"]}', NULL),
  (3, NULL, 'reader', ARRAY['reader'], NULL, NULL);

CREATE TABLE notes (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, city text);
INSERT INTO notes VALUES (1, 1, 'Turin'), (2, 1, 'Rome'), (3, 2, 'Turin');
