/** A metric of Affkit. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  /** `s` for seconds. Undefined for counts. */
  readonly unit?: 's';
  readonly labels?: readonly string[];
  /**
   * The labels of the series that a counter exports with the value 0 from the start. Without these zeros, an
   * alert on the increase would miss the first event of a series.
   */
  readonly series?: readonly Readonly<Record<string, string>>[];
  /** The upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
  /**
   * Whether the value is read from the database. Every process of the service then reports the same value, so
   * alerts must use the maximum instead of the sum.
   */
  readonly isShared?: boolean;
}

const ATTEMPT_OUTCOMES = ['succeeded', 'retried', 'given_up'].map((outcome) => ({ outcome }));
/** The rejections of calls that were valid, but that the server could not record. */
const FAILURES = ['sale', 'refund'].flatMap((route) =>
  [`${route}_failed`, 'commission_failed', 'unavailable'].map((code) => ({ route, code })),
);
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics that core measures, by their OpenTelemetry names. In Prometheus, `affkit.batch.duration` is
 * `affkit_batch_duration_seconds`. No label contains an id, a host, or any other text from a request, so that the
 * number of time series is bounded. No label is named `job` or `instance`, because Prometheus adds labels with these
 * names itself.
 */
export const METRICS = {
  'affkit.tracking.rejections': {
    kind: 'counter',
    help: 'Tracking calls that were rejected, by error code.',
    labels: ['route', 'code'],
    series: FAILURES,
  },
  'affkit.batch.size': {
    kind: 'histogram',
    help: 'Tracking calls that were written in one batch.',
    labels: ['batch'],
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
  },
  'affkit.batch.duration': {
    kind: 'histogram',
    help: 'Time from the start of a batch to its durable commit.',
    unit: 's',
    labels: ['batch'],
    buckets: DURATION_BUCKETS_S,
  },
  'affkit.write_queue.size': {
    kind: 'gauge',
    help: 'Writes that wait for a transaction.',
  },
  'affkit.read_pool.connections': {
    kind: 'gauge',
    help: 'Read connections to Postgres.',
    labels: ['state'],
  },
  'affkit.read_pool.waiting': {
    kind: 'gauge',
    help: 'Reads that wait for a connection to Postgres.',
  },
  'affkit.job.runs': {
    kind: 'counter',
    help: 'Runs of background jobs, by outcome: succeeded or failed.',
    labels: ['job_name', 'outcome'],
  },
  'affkit.job.last_success_timestamp': {
    kind: 'gauge',
    help: 'Time of the last successful run of a job, in Unix seconds.',
    unit: 's',
    labels: ['job_name'],
  },
  'affkit.outbox.tasks': {
    kind: 'gauge',
    help: 'Outbox tasks that background jobs have not finished yet, counted up to 10,000.',
    isShared: true,
  },
  'affkit.outbox.failing_tasks': {
    kind: 'gauge',
    help: 'Waiting tasks that have failed at least once, counted up to 10,000.',
    isShared: true,
  },
  'affkit.outbox.oldest_age': {
    kind: 'gauge',
    help: 'Age of the oldest waiting task. 0 if none waits.',
    unit: 's',
    isShared: true,
  },
  'affkit.webhook.attempts': {
    kind: 'counter',
    help: 'Attempts to send a webhook, by outcome: succeeded, retried (failed, but will be tried again), or given_up.',
    labels: ['outcome'],
    series: ATTEMPT_OUTCOMES,
  },
  'affkit.webhook.expired': {
    kind: 'counter',
    help: 'Webhook deliveries that were given up without an attempt, because their endpoint was paused or blocked for three days.',
  },
  'affkit.webhook.duration': {
    kind: 'histogram',
    help: 'Duration of an attempt to send a webhook.',
    unit: 's',
    buckets: DURATION_BUCKETS_S,
  },
  'affkit.webhook.queued': {
    kind: 'gauge',
    help: 'Webhook deliveries that wait for an attempt, counted up to 10,000.',
    isShared: true,
  },
  'affkit.webhook.oldest_age': {
    kind: 'gauge',
    help: 'Age of the oldest webhook delivery that waits for an attempt. 0 if none waits.',
    unit: 's',
    isShared: true,
  },
  'affkit.email.attempts': {
    kind: 'counter',
    help: 'Attempts to send an email, by outcome: succeeded, retried (failed, but will be tried again), or given_up.',
    labels: ['outcome'],
    series: ATTEMPT_OUTCOMES,
  },
  'affkit.email.queued': {
    kind: 'gauge',
    help: 'Emails that wait to be sent, counted up to 10,000.',
    isShared: true,
  },
  'affkit.email.oldest_age': {
    kind: 'gauge',
    help: 'Age of the oldest email that waits to be sent. 0 if none waits.',
    unit: 's',
    isShared: true,
  },
  'affkit.payout.calls': {
    kind: 'counter',
    help: 'Attempts to send a payout or to read its result at a provider, by outcome: answered, refused, retried (failed, but will be tried again), or unclear (a person must import the result).',
    labels: ['provider', 'outcome'],
  },
  'affkit.payout.in_progress': {
    kind: 'gauge',
    help: 'Payouts that are queued or sent, but have no result yet, counted up to 10,000.',
    isShared: true,
  },
  'affkit.payout.unclear': {
    kind: 'gauge',
    help: 'Payouts whose outcome at the provider is unknown, so that a person must import their results. Counted up to 10,000.',
    isShared: true,
  },
  'affkit.ledger.unsealed_oldest_age': {
    kind: 'gauge',
    help: 'Age of the oldest ledger entry that is not in the hash chain yet. 0 if there is none.',
    unit: 's',
    isShared: true,
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** Records a value: adds it to a counter, adds an observation to a histogram, or sets a gauge. Never throws. */
export type Measure = (metric: MetricName, value: number, labels?: Record<string, string>) => void;

/** The current value of a gauge. */
export interface GaugeValue {
  readonly metric: MetricName;
  readonly value: number;
  readonly labels?: Record<string, string>;
}
