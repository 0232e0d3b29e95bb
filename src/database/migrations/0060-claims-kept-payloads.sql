-- As in 0059: an index that is there already is kept.

-- What operators keep of their own claims: counted, and erased when they ask for that.
create index if not exists claims_kept on claims (issuer, created_at)
  where issuer <> 'op_platform' and erased_at is null and claim_type <> 'authority_erasure_tombstone';
-- What the payload of a claim names is forgotten with it.
create index if not exists claim_refs_of_claim on claim_refs (seq);
-- Lists of one type, in their order, and of a time, which is sorted: what was issued in it is read, and no more.
create index if not exists claims_of_issuer_by_type on claims (issuer, claim_type, seq) where issuer <> 'op_platform';
create index if not exists claims_of_issuer_by_time on claims (issuer, issued_at_ms) where issuer <> 'op_platform';
create index if not exists claims_of_first_reader_by_type on claims ((operator_ids[1]), claim_type, seq) where operator_ids[1] is not null;
create index if not exists claims_of_first_reader_by_time on claims ((operator_ids[1]), issued_at_ms) where operator_ids[1] is not null;
create index if not exists claims_of_second_reader_by_type on claims ((operator_ids[2]), claim_type, seq) where operator_ids[2] is not null;
create index if not exists claims_of_second_reader_by_time on claims ((operator_ids[2]), issued_at_ms) where operator_ids[2] is not null;
