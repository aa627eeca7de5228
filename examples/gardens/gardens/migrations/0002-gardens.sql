CREATE TABLE gardens (
  owner text NOT NULL,
  id    bigint NOT NULL,
  name  text NOT NULL,
  area  integer,
  PRIMARY KEY (owner, id)
);
