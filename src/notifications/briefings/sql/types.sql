-- Where the briefings of an operator stand; `items`: what people are to be mailed about now, JSON.
create type briefing_step as (open boolean, wait_ms bigint, until text, items text);
