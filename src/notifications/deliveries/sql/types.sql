-- `waiting`: the delivery that is next; `woken`: how many other destinations may send now.
create type notification_step as (status text, waiting text, wait_ms bigint, until text, woken int);
-- The values that a sender needs of a delivery that it has begun; `payload` is JSON, secrets are sealed.
create type started_delivery as (
  id text, operator_id text, destination_id text, channel_type text, address text, secret text, old_secret text,
  event_id text, event_type text, severity text, payload text, occurred_at text, trace text
);
create type settled_delivery as (failures int, failing_since text, disabled boolean);
create type recovered_deliveries as (recovered int, has_more boolean, until text);
