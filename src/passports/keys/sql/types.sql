-- The changes of a rotation.
create type signing_key_rotation as (
  stopped text,                          -- the key that stopped signing; null: the active one goes on
  revoked int                            -- passports of withdrawn keys that counted until now
);
