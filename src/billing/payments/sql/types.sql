-- What a fact did, whose wallet it concerned, and which life has something to do since.
create type payment_effect as (outcome text, operator_id text, life text);

-- What a life does next: `open` a checkout, `check` or `request` at the provider, fetch the `receipt`, `wait`, or `end`.
create type payment_step as (status text, action text, wait_ms bigint, until text);
