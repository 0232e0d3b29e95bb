-- Whether calls of models that are charged to nobody have come to a dollar in this hour: then this consumer asks no more by the platform's key.
create function has_too_many_unanswered(p_operator text) returns boolean language sql stable as $$
  select coalesce((select cents >= 100 from unanswered_model_calls
    where operator_id = p_operator and hour = date_trunc('hour', clock_timestamp())), false);
$$;
