-- The code that a try is judged by, locked until the transaction ends, so that simultaneous guesses are judged in turn: the newest of the
-- browser's own requests that still counts, which strangers cannot use up; for a browser without one the newest of their network, or of all.
create function lock_sign_in_code(p_address text, p_network text, p_browsers text[]) returns sign_in_code language plpgsql as $$
declare
  v_id bigint;
  v_own boolean;
  c sign_in_codes;
  found_code sign_in_code;
begin
  with kept as (
    select id, browser, asker, code is not null and expires_at > clock_timestamp() as counts from sign_in_codes where address = p_address
  )
  select id, counts and browser = any(p_browsers) as own into v_id, v_own from kept
    order by own desc, counts desc, asker = 'network:' || p_network desc, id desc limit 1;
  if not found then return null; end if;
  select * into c from sign_in_codes where id = v_id for no key update;
  if not found then return null; end if;
  found_code := row(c.id, c.code, v_own, case when v_own then c.tries else c.open_tries end, c.expires_at > clock_timestamp(), null);
  if not v_own then
    select ceil(extract(epoch from min(sent_at) + interval '24 hours' - clock_timestamp())) into found_code.wait
      from sign_in_codes where address = p_address and open_tries > 0 and sent_at > clock_timestamp() - interval '24 hours'
      having sum(open_tries) >= 20;
  end if;
  return found_code;
end $$;
