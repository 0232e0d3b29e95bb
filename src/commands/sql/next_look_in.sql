-- Until the next look without a run at a life that goes on, after `p_looks` of them: ten seconds, twenty and so on up to ten minutes.
create function next_look_in(p_looks int) returns interval language sql immutable as $$
  select least(10 * power(2, least(p_looks, 6)), 600) * interval '1 second';
$$;
