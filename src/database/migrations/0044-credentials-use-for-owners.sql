-- What a skill has taken of its seller's keys in a month, for its owner to see beside what they allow.
create view seller_credential_uses as select skill_id, month, calls, cost_microcents from seller_credential_use;
