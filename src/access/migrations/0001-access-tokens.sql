-- Bearer tokens. A token itself is nowhere: whoever reads this table cannot call the service.
CREATE TABLE access_tokens (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  owner      text NOT NULL,
  -- SHA-256 of the token. A token has 178 random bits, so its hash needs no salt.
  hash       bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
