create type passport_revocation as (
  revoked text[],                        -- the jtis that were active until now
  claims int,                            -- claims revoked with them
  messages int
);

create type passport_revocation_answer as (
  replayed boolean,
  body text,                             -- what is answered, and kept under the Idempotency-Key
  revoked text[],
  messages int
);
