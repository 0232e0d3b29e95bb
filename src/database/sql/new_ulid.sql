-- 48 bits of milliseconds by Postgres' clock and 80 random bits, in Crockford's base 32: as src/ids.ts makes them, for rows
-- that are made inside a function. Of a version 4 UUID the bytes 0 to 5 and 9 to 15 are random; twelve of them are sixteen
-- digits of base 64, and two of its digits stand for one of base 32.
create function new_ulid() returns text language plpgsql volatile parallel safe as $$
declare
  digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  random constant bytea := uuid_send(gen_random_uuid());
begin
  return substr(digits, (ms >> 45)::int + 1, 1) || substr(digits, (ms >> 40 & 31)::int + 1, 1)
    || substr(digits, (ms >> 35 & 31)::int + 1, 1) || substr(digits, (ms >> 30 & 31)::int + 1, 1)
    || substr(digits, (ms >> 25 & 31)::int + 1, 1) || substr(digits, (ms >> 20 & 31)::int + 1, 1)
    || substr(digits, (ms >> 15 & 31)::int + 1, 1) || substr(digits, (ms >> 10 & 31)::int + 1, 1)
    || substr(digits, (ms >> 5 & 31)::int + 1, 1) || substr(digits, (ms & 31)::int + 1, 1)
    || translate(encode(substr(random, 1, 5) || substr(random, 10), 'base64'),
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', digits || digits);
end $$;
