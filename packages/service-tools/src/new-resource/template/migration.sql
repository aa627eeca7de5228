CREATE TABLE "{{items}}" (
  owner text NOT NULL,
  id    bigint NOT NULL,
  name  text NOT NULL,
  PRIMARY KEY (owner, id)
);
