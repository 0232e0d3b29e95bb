-- Places of a receiver that users choose, as its row has them; `change`: what a call has changed.
create type receiver_share as (timeouts_in_row int, slow_since timestamptz, held_until timestamptz, change text);
