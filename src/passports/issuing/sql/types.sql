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
-- A passport as it was composed outside of Postgres, with its facts. `refused`: composing ended with a refusal, which comes `first`, before it is looked at whether
-- the agents may have passports, or `last`; null: it did not. The facts are those of `agents` with `digests`, of revision `revision`, and hold
-- until `holds_until` (seconds since 1970; null: for ever). `content` is the JSON of the member `claim` but for what the lineage decides, `audience`
-- (null: none) JSON as it is signed.
create type composed_passport as (
  jti text,
  refused text,
  revision bigint,
  agents text[],
  digests text[],
  holds_until bigint,
  kid text,
  issuer text,
  claim text,
  content text,
  audience text
);
