-- A list of the beds of one garden reads its pages from this index.
CREATE INDEX beds_by_garden ON beds (owner, garden, id);

-- The new index also finds the beds of a garden that is deleted.
DROP INDEX beds_of_garden;
