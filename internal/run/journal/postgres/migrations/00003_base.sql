-- +goose Up
-- What stands in the place of entries that were dropped; no row: the log has all of its entries.
-- The first that drops some lets programs of before refuse (row 'least' of meta).
CREATE TABLE muster.base (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  seq bigint NOT NULL,
  at bigint NOT NULL,
  sum bigint NOT NULL,
  proof bigint NOT NULL,
  data bytea NOT NULL
);
ALTER TABLE muster.base ALTER COLUMN data SET STORAGE EXTERNAL;
UPDATE muster.meta SET value = 3 WHERE key = 'format';
