-- After this a call that sends a code, which takes ten seconds at most, belongs to a worker that is gone.
create function longest_call_of_code() returns interval language sql immutable as $$
  select interval '30 seconds';
$$;
