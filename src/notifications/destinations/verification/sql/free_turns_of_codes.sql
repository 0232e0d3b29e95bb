-- How many codes of an operator may begin to be sent now, eight together: each takes a place of the task queue for ten seconds at worst, and one
-- operator's receivers that give no answer would otherwise take all of them. A call of a worker that is gone takes no place.
create function free_turns_of_codes(p_operator text) returns int language sql volatile as $$
  select greatest(8 - count(*), 0)::int from verification_codes
    where operator_id = p_operator and status = 'sending' and started_at > clock_timestamp() - longest_call_of_code();
$$;
