-- For the tokens of an owner, page by page, and for those that ended long ago.
CREATE INDEX access_tokens_owner ON access_tokens (owner, id);
CREATE INDEX access_tokens_end ON access_tokens (least(expires_at, revoked_at));
