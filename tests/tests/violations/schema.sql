CREATE TABLE secret_ledger (id int PRIMARY KEY);
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL);
CREATE DOMAIN secret_grade AS text CHECK (VALUE <> 'bad');
CREATE DOMAIN grade AS text CONSTRAINT grade_check CHECK (VALUE <> 'bad');

CREATE TABLE orders (
  id          int PRIMARY KEY,
  tenant      int NOT NULL,
  code        text NOT NULL,
  total       int CONSTRAINT orders_total_check CHECK (total >= 0),
  note        text,
  grade       grade,
  customer_id int REFERENCES customers,
  ledger_id   int REFERENCES secret_ledger,
  margin      int DEFAULT 5,
  secret_code text DEFAULT 'same',
  secret_must text NOT NULL DEFAULT 'x',
  secret_rate secret_grade,
  CONSTRAINT orders_tenant_code_key UNIQUE (tenant, code),
  CONSTRAINT orders_secret_code_key UNIQUE (secret_code, total),
  CONSTRAINT orders_margin_check CHECK (margin < total OR total < 100),
  CONSTRAINT orders_note_excl EXCLUDE (note WITH =)
);
CREATE UNIQUE INDEX orders_lower_code_idx ON orders (lower(code));
CREATE UNIQUE INDEX orders_lower_secret_idx ON orders (lower(note)) WHERE secret_code = 'special';
CREATE TABLE secret_shipments (order_id int REFERENCES orders);
CREATE TABLE labels (id int PRIMARY KEY, order_id int REFERENCES orders);

-- What a role does may set off what it must not hear of.
CREATE FUNCTION fill_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE NEW.note
    WHEN 'null' THEN NEW.secret_must := NULL;
    WHEN 'rate' THEN NEW.secret_rate := 'bad';
    WHEN 'margin' THEN NEW.margin := 1000;
    WHEN 'ledger' THEN NEW.ledger_id := 99;
    ELSE NULL;
  END CASE;
  RETURN NEW;
END $$;
CREATE TRIGGER fill_secrets BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION fill_secrets();

INSERT INTO customers VALUES (1, 'Ada');
INSERT INTO orders (id, tenant, code, total, note) VALUES (1, 7, 'one', 1, 'first'), (2, 7, 'two', 2, 'second');
INSERT INTO secret_shipments VALUES (1);
INSERT INTO labels VALUES (1, 2);

CREATE FUNCTION ship(order_id int) RETURNS SETOF orders LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO secret_ledger VALUES (1), (1);
END $$;
