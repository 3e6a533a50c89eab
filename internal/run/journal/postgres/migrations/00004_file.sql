-- +goose Up
-- Small files that servers share beside the log; data is NULL where one was removed.
CREATE TABLE muster.file (name text PRIMARY KEY, version bigint NOT NULL, data bytea);
UPDATE muster.meta SET value = 4 WHERE key = 'format';
