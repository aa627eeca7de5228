CREATE TABLE suppliers (
  owner text NOT NULL,
  id    uuid NOT NULL,
  name  text NOT NULL,
  PRIMARY KEY (owner, id)
);
