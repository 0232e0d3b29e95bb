-- The answer of a command that signs: the bytes of the row, and the key that signs them. The key of an idempotent call keeps
-- the jti alone: its row makes the same token again.
create type passport_answer as (
  replayed boolean,
  jti text,
  kid text,
  payload text,
  expires_at timestamptz,
  messages int
);
