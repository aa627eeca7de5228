-- The contract sets the limits of name and tag; columns without limits can never be narrower than it.
CREATE TABLE plants (
  owner text NOT NULL,
  id    bigint NOT NULL,
  name  text NOT NULL,
  tag   text,
  PRIMARY KEY (owner, id)
);
