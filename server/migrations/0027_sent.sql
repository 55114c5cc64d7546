-- Whether a message about a record may have been sent to its wallet, and what the wallet said to it. To take a job in
-- hand is not to send: a breaker may be open, a name not be readable, a process die first.

alter table jobs
  -- When a message may last have left of which nobody has heard since. Who does not say otherwise may have sent at once:
  -- that goes for jobs from before, and for those of processes that do not know this column yet.
  add column sent_at      timestamptz default now(),
  -- When a lease last ran out, or was taken, without a word of its holder.
  add column abandoned_at timestamptz,
  -- What the wallet said last that has settled nothing.
  add column last_word    text;

-- When the wallet took it on; from then on it is only asked after.
alter table reversals add column accepted_at timestamptz;
