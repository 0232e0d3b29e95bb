-- What a fact did, whose wallet it concerned, and which life has something to do since.
create type payment_effect as (outcome text, operator_id text, life text);

-- What a life does next: `open` a checkout, `ask` the provider, seek the `receipt`, `wait`, or nothing, since it is over.
create type payment_step as (status text, action text, wait_ms bigint, until text);
