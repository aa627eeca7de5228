-- Only the contract limits name and tag.
CREATE TABLE plants (
  owner text NOT NULL,
  id    bigint NOT NULL,
  name  text NOT NULL,
  tag   text,
  PRIMARY KEY (owner, id)
);
