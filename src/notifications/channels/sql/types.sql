-- `paid`: it needs a paid tier. `meter`: the allowance of the tier that a delivery takes; null: none.
create type channel_traits as (paid boolean, meter text);
