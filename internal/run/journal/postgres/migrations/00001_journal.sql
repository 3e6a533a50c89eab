-- +goose Up
CREATE TABLE muster.meta (key text PRIMARY KEY, value bigint NOT NULL);
INSERT INTO muster.meta VALUES ('format', 1), ('least', 1);
CREATE TABLE muster.entry (
  seq bigint PRIMARY KEY,
  at bigint NOT NULL,
  sum bigint NOT NULL,
  term bigint NOT NULL,
  data bytea NOT NULL
);
CREATE TABLE muster.turn (seq bigint PRIMARY KEY);
CREATE TABLE muster.snapshot (
  seq bigint PRIMARY KEY,
  at bigint NOT NULL,
  entry bigint NOT NULL,
  sum bigint NOT NULL,
  data bytea NOT NULL
);
ALTER TABLE muster.snapshot ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE muster.lease (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  term bigint NOT NULL,
  holder text NOT NULL,
  address text NOT NULL,
  until timestamptz NOT NULL
);
INSERT INTO muster.lease VALUES (true, 0, '', '', 'epoch');
