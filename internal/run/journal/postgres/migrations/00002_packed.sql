-- +goose Up
-- Entries are packed: a program that does not know this format could not read them.
UPDATE muster.meta SET value = 2 WHERE key IN ('format', 'least');
