-- The sentence of a step whose process ended, for everybody who waits for its output.
create function interrupted_sentence() returns text language sql immutable as $$
  select 'The step was interrupted, and nobody knows how far it came. What it may have cost is not charged; invoke the skill again.';
$$;
