-- The code that a try is judged by.
create type sign_in_code as (
  id bigint,
  code text,                             -- HMAC; null: it was used
  own boolean,                           -- requested by the browser that tries
  tries int,                             -- wrong ones so far, of those who are judged like this one
  live boolean,
  wait int                               -- seconds until tries without the cookie of a request are judged again; null: they are
);
