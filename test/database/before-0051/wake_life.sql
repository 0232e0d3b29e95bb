-- A message for a life (Temporal workflow): delivered after the commit, it only makes the life read its row. `p_owner`: whose turn its
-- delivery takes, an operator or the recipient of a mail.
create function wake_life(p_life text, p_owner text default 'nobody') returns void language sql as $$
  insert into life_messages (life, owner, next_attempt_at) values (p_life, p_owner, clock_timestamp() + message_delay());
$$;
