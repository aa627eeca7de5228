CREATE TABLE access_tokens (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  owner      text NOT NULL,
  -- SHA-256 of the token, whose 178 random bits need no salt.
  hash       bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
