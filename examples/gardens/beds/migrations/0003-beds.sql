CREATE TABLE beds (
  owner  text NOT NULL,
  id     bigint NOT NULL,
  garden bigint NOT NULL,
  name   text NOT NULL,
  PRIMARY KEY (owner, id),
  CONSTRAINT beds_garden FOREIGN KEY (owner, garden) REFERENCES gardens (owner, id)
);

-- PostgreSQL looks here for the beds of a garden that is deleted.
CREATE INDEX beds_of_garden ON beds (owner, garden);
