-- Returns what a finished command has left under the Idempotency-Key, `replayed`: the jti is kept there, and the row of that passport has the
-- bytes. Null: go on. A withdrawn key signs nothing, not even what it has signed before.
create function replay_passport_answer(p_operator text, p_key text, p_fingerprint bytea) returns passport_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, '', p_key, p_fingerprint);
  answer passport_answer;
begin
  if kept is null then return null; end if;
  select true, jti, kid, payload, expires_at, 0 into answer from passports where jti = kept;
  if exists (select from signing_keys where kid = answer.kid and status = 'withdrawn') then
    perform refuse('PASSPORT_REVOKED', format('The passport of this Idempotency-Key, %s, was revoked, since the key that signed it was withdrawn; '
      'repeat the call under another Idempotency-Key.', answer.jti));
  end if;
  return answer;
end $$;
