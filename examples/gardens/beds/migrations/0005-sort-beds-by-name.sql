-- Code points are in the same order on every machine. The order of a language is not.
ALTER TABLE beds ALTER COLUMN name TYPE text COLLATE "C";

-- A list that is sorted by name reads its pages from this index, forwards or backwards.
CREATE INDEX beds_by_name ON beds (owner, name, id);
