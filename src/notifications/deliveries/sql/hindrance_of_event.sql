-- Why no event may wait for a destination, as its row says: nothing is counted in the transaction of an event, which may be a payer's, and
-- nothing is locked. null: it may.
create function hindrance_of_event(d destinations) returns text language sql stable as $$
  select coalesce(hindrance_of(d), case when d.queue_full_until > clock_timestamp() then 'queue_full' end);
$$;
