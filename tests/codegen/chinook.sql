-- A compact form of the Chinook sample database: its tables, columns and keys, with a few rows, and beside them a table with the
-- types that Chinook lacks.
CREATE TABLE "Artist" ("ArtistId" int PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Album" ("AlbumId" int PRIMARY KEY, "Title" varchar(160) NOT NULL, "ArtistId" int NOT NULL REFERENCES "Artist");
CREATE TABLE "Genre" ("GenreId" int PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "MediaType" ("MediaTypeId" int PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Track" (
  "TrackId" int PRIMARY KEY, "Name" varchar(200) NOT NULL, "AlbumId" int REFERENCES "Album", "MediaTypeId" int NOT NULL REFERENCES "MediaType",
  "GenreId" int REFERENCES "Genre", "Composer" varchar(220), "Milliseconds" int NOT NULL, "Bytes" int, "UnitPrice" numeric(10, 2) NOT NULL);
CREATE TABLE "Playlist" ("PlaylistId" int PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "PlaylistTrack" (
  "PlaylistId" int NOT NULL REFERENCES "Playlist", "TrackId" int NOT NULL REFERENCES "Track", PRIMARY KEY ("PlaylistId", "TrackId"));
CREATE TABLE "Employee" (
  "EmployeeId" int PRIMARY KEY, "LastName" varchar(20) NOT NULL, "FirstName" varchar(20) NOT NULL, "Title" varchar(30),
  "ReportsTo" int REFERENCES "Employee", "BirthDate" timestamp, "HireDate" timestamp, "Email" varchar(60));
CREATE TABLE "Customer" (
  "CustomerId" int PRIMARY KEY, "FirstName" varchar(40) NOT NULL, "LastName" varchar(20) NOT NULL, "Company" varchar(80),
  "Country" varchar(40), "Email" varchar(60) NOT NULL, "SupportRepId" int REFERENCES "Employee");
CREATE TABLE "Invoice" (
  "InvoiceId" int PRIMARY KEY, "CustomerId" int NOT NULL REFERENCES "Customer", "InvoiceDate" timestamp NOT NULL,
  "BillingCity" varchar(40), "Total" numeric(10, 2) NOT NULL);
CREATE TABLE "InvoiceLine" (
  "InvoiceLineId" int PRIMARY KEY, "InvoiceId" int NOT NULL REFERENCES "Invoice", "TrackId" int NOT NULL REFERENCES "Track",
  "UnitPrice" numeric(10, 2) NOT NULL, "Quantity" int NOT NULL);
INSERT INTO "Artist" VALUES (1, 'AC/DC');
INSERT INTO "Album" VALUES (1, 'For Those About To Rock', 1);
CREATE TYPE mood AS ENUM ('CALM', 'LOUD');
CREATE TABLE review (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tags text[] NOT NULL, scores int[], moods mood[], mood mood, doc jsonb,
  album_id int REFERENCES "Album", written timestamptz DEFAULT now());
INSERT INTO review (tags, scores, moods, mood, album_id) VALUES ('{rock,loud}', '{1,2}', '{CALM,LOUD}', 'LOUD', 1);
