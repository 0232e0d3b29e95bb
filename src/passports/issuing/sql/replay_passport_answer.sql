-- The first step of every command that signs: takes the Idempotency-Key. Where a finished command has left its passport under the
-- key, the bytes of that row are returned, `replayed`. Null: go on. A withdrawn key signs nothing, not even what it has signed before.
create function replay_passport_answer(p_operator text, p_key text, p_fingerprint bytea) returns passport_answer language plpgsql as $$
declare stored idempotency_keys; answer passport_answer;
begin
  if p_key is null then return null; end if;
  stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
  if stored.status is null then return null; end if;
  select true, jti, kid, payload, expires_at, 0 into answer from passports where jti = stored.answer;
  if exists (select from signing_keys where kid = answer.kid and status = 'withdrawn') then
    perform refuse('PASSPORT_REVOKED', format('The passport of this Idempotency-Key, %s, was revoked, since the key that signed it was withdrawn; '
      'repeat the call under another Idempotency-Key.', answer.jti));
  end if;
  return answer;
end $$;
