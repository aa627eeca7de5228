-- A list of the beds of one garden that is sorted by name reads its pages from this index.
CREATE INDEX beds_by_garden_and_name ON beds (owner, garden, name, id);
