-- From the moment a message for a life is written until it is due: a life that is over by then costs one workflow task instead of two or
-- three. Turns of a destination begin as far apart.
create function message_delay() returns interval language sql immutable as $$
  select interval '500 milliseconds';
$$;
