/** A statement as the server sends it, with what stands for its parameters. */
export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statements of one transaction; a question is one of its own. */
export type Transaction = readonly Asked[];

export interface BenchPayment {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
  readonly requestId: string;
  readonly notificationId: string;
}

const columns = `bucket, client_id, payment_id, payment_request_id, product_code, status, result_code,
  currency, amount_minor, paid_currency, paid_minor, sequence, created_at, paid_at, fingerprint,
  payment_method_type, order_description, redirect_url, notify_url, metadata, wallet, wallet_reference,
  wallet_accepted_at, wallet_code, wallet_url, expires_at, cancel_requested_at, cancelled_at`;

const job = "drive-payment";
const url = "http://127.0.0.1:8080/notify";

/** `pay` and the hand-over to the wallet that follows at once. */
export function acceptTransactions(payment: BenchPayment): readonly Transaction[] {
  const now = new Date();
  return [[insertPayment(payment, now)], handOver(payment, now), [requestLog(payment, now)]];
}

/** The rest of its life: the wallet reports that it was paid, and the merchant is told. */
export function settleTransactions(payment: BenchPayment): readonly Transaction[] {
  const now = new Date();
  return [
    [findPayment(payment)],
    callback(payment, now),
    [claimJobs()],
    [findNotification(payment)],
    delivery(payment, now),
  ];
}

function insertPayment(p: BenchPayment, now: Date): Asked {
  const reference = p.requestId.padEnd(40, "0");
  return {
    text: `with inserted as (
      insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
        currency, amount_minor, sequence, created_at, fingerprint, payment_method_type, order_description,
        redirect_url, notify_url, metadata, wallet, wallet_reference, expires_at, cancel_requested_at, cancelled_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
      on conflict (bucket, client_id, payment_request_id) do nothing
      returning bucket, payment_id, sequence, client_id, created_at, status, result_code
    ), job as (
      insert into jobs (bucket, subject_id, job, client_id, due_at)
      select bucket, payment_id, $23::text, client_id,
        clock_timestamp() + make_interval(secs => $24)
      from inserted where $25::text is not null
    )
    insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
    select bucket, payment_id, sequence, client_id, created_at, status, result_code from inserted
    returning payment_id`,
    values: [
      p.bucket,
      p.paymentId,
      p.clientId,
      p.requestId,
      "CASHIER_PAYMENT",
      "PROCESSING",
      "PAYMENT_IN_PROCESS",
      "EUR",
      "1250",
      1,
      now,
      Buffer.alloc(72, 7),
      "GCASH",
      "Two coffees",
      "https://shop.example/thanks",
      url,
      null,
      "sandbox-wallet",
      reference,
      new Date(now.getTime() + 840_000),
      null,
      null,
      job,
      15,
      job,
    ],
  };
}

function findPayment(p: BenchPayment): Asked {
  return {
    text: `select ${columns} from payments where bucket = $1 and client_id = $2 and payment_id = $3`,
    values: [p.bucket, p.clientId, p.paymentId],
  };
}

function lockPayment(p: BenchPayment): Asked {
  return {
    text: `select ${columns} from payments where bucket = $1 and client_id = $2 and payment_id = $3 for update`,
    values: [p.bucket, p.clientId, p.paymentId],
  };
}

function lockJob(p: BenchPayment, subjectId: string, name: string, epoch: number): Asked {
  return {
    text: `select 1 as held from jobs where bucket = $1 and subject_id = $2 and job = $3
      and client_id = $4 and epoch = $5 for update`,
    values: [p.bucket, subjectId, name, p.clientId, epoch],
  };
}

function deleteJob(p: BenchPayment, subjectId: string, name: string): Asked {
  return {
    text: `delete from jobs where bucket = $1 and subject_id = $2 and job = $3 and client_id = $4`,
    values: [p.bucket, subjectId, name, p.clientId],
  };
}

function handOver(p: BenchPayment, now: Date): Transaction {
  const where = [p.bucket, p.clientId, p.paymentId];
  return [
    lockPayment(p),
    lockJob(p, p.paymentId, job, 1),
    {
      text: `update payments set wallet_accepted_at = $1, wallet_code = $2, wallet_url = $3
        where bucket = $4 and client_id = $5 and payment_id = $6`,
      values: [
        now,
        `http://127.0.0.1:8081/pay/${p.requestId}`,
        `http://127.0.0.1:8081/pay/${p.requestId}`,
        ...where,
      ],
    },
    {
      text: `update jobs set due_at = $1, attempts = $2 where bucket = $3 and subject_id = $4 and job = $5
        and client_id = $6 and epoch = $7`,
      values: [new Date(now.getTime() + 30_000), 0, p.bucket, p.paymentId, job, p.clientId, 1],
    },
  ];
}

function callback(p: BenchPayment, now: Date): Transaction {
  return [
    {
      text: `insert into wallet_events (bucket, connector, event_id, client_id, payment_id, at)
        values ($1, $2, $3, $4, $5, $6) on conflict (bucket, connector, event_id) do nothing returning event_id`,
      values: [p.bucket, "sandbox-wallet", `wo_${p.requestId}-2`, p.clientId, p.paymentId, now],
    },
    lockPayment(p),
    {
      text: `with moved as (
        update payments set status = $1, result_code = $2, sequence = sequence + 1,
          paid_currency = coalesce($3, paid_currency), paid_minor = coalesce($4, paid_minor),
          paid_at = coalesce($5, paid_at), cancelled_at = coalesce($6, cancelled_at)
        where bucket = $7 and client_id = $8 and payment_id = $9
        returning bucket, payment_id, sequence, client_id, status, result_code
      )
        insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
        select bucket, payment_id, sequence, client_id, $10::timestamptz, status, result_code from moved`,
      values: ["SUCCESS", "SUCCESS", "EUR", "1250", now, null, p.bucket, p.clientId, p.paymentId, now],
    },
    {
      text: `insert into ledger_transfers
        (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
        select $1, $2, $3, line, $4, debit, credit, currency, amount, $5
        from unnest($6::text[], $7::text[], $8::text[], $9::bigint[])
          with ordinality as posted (debit, credit, currency, amount, line)`,
      values: [
        p.bucket,
        p.paymentId,
        "payment",
        p.clientId,
        now,
        ["wallet receivable sandbox-wallet"],
        [`merchant payable ${p.clientId}`],
        ["EUR"],
        ["1250"],
      ],
    },
    deleteJob(p, p.paymentId, job),
    {
      text: `insert into notifications
        (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [
        p.bucket,
        p.notificationId,
        p.clientId,
        "notifyPayment",
        p.paymentId,
        2,
        url,
        Buffer.alloc(480, 65),
        now,
      ],
    },
    {
      text: `insert into jobs (bucket, subject_id, job, client_id, due_at) values ($1, $2, $3, $4, $5)
        on conflict (bucket, subject_id, job) do nothing`,
      values: [p.bucket, p.notificationId, "deliver-notification", p.clientId, now],
    },
  ];
}

/** One job at a time, where a worker takes many: what is shared is counted in full. */
function claimJobs(): Asked {
  return {
    text: `with due as (
      select bucket, subject_id, job from jobs
      where due_at <= clock_timestamp() and job = any($1::text[])
      order by due_at limit $2
      for update skip locked
    )
    update jobs
    set due_at = clock_timestamp() + make_interval(secs => $3), epoch = epoch + 1
    from due
    where jobs.bucket = due.bucket and jobs.subject_id = due.subject_id and jobs.job = due.job
    returning jobs.bucket, jobs.subject_id, jobs.job, jobs.client_id, jobs.epoch, jobs.attempts`,
    values: [["drive-payment", "reverse-payment", "deliver-notification"], 1, 15],
  };
}

function findNotification(p: BenchPayment): Asked {
  return {
    text: `select bucket, client_id, notification_id, kind, subject_id, sequence, url, body, status, attempts, created_at
      from notifications where bucket = $1 and client_id = $2 and notification_id = $3`,
    values: [p.bucket, p.clientId, p.notificationId],
  };
}

function delivery(p: BenchPayment, now: Date): Transaction {
  return [
    lockJob(p, p.notificationId, "deliver-notification", 2),
    {
      text: `update notifications set attempts = attempts + 1, status = $1,
        delivered_at = case when $2 = 'DELIVERED' then $3::timestamptz end
        where bucket = $4 and client_id = $5 and notification_id = $6`,
      values: ["DELIVERED", "DELIVERED", now, p.bucket, p.clientId, p.notificationId],
    },
    deleteJob(p, p.notificationId, "deliver-notification"),
  ];
}

function requestLog(p: BenchPayment, now: Date): Asked {
  return {
    text: `insert into request_log (bucket, at, request_id, client_id, key_version, path, result_code, duration_us,
      request_sha256, request_body, answer_body)
      select * from unnest($1::smallint[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::text[],
        $7::text[], $8::int[], $9::bytea[], $10::text[], $11::text[])`,
    values: [
      [p.bucket],
      [now],
      [`req_${p.paymentId}`],
      [p.clientId],
      [1],
      ["/ams/sandbox/api/v1/payments/pay"],
      ["PAYMENT_IN_PROCESS"],
      [12_345],
      [Buffer.alloc(32, 5)],
      ["x".repeat(480)],
      ["y".repeat(700)],
    ],
  };
}
