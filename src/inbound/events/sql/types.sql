-- The next step of the life of an event, and milliseconds until it looks again where it waits.
create type inbound_step as (status text, attempt int, wait_ms bigint);
-- The leave to forward: its id, where to, and the sealed secret that signs.
create type authorised_forward as (id text, forward_url text, secret text);
