-- What the values in deploy/chart/postern/ci name. The schema `postern` exists already.
CREATE TABLE accounts (id int PRIMARY KEY, email text NOT NULL, blocked boolean NOT NULL DEFAULT false);
CREATE TABLE orders (id int PRIMARY KEY, user_id int REFERENCES accounts, total numeric NOT NULL);
CREATE TABLE lines (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, quantity int NOT NULL);
CREATE FUNCTION clean_up(payload jsonb) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION on_order(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS '';
