-- Where the sending of a code stands, and milliseconds until its time is over.
create type verification_step as (status text, open boolean, wait_ms bigint);
