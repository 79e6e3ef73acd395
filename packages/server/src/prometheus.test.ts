import { METRICS } from '@affkit/core';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { prometheusName, registerGauges, registerMeasurements } from './prometheus.ts';

test.each([
  ['affkit.batch.size', 'affkit_batch_size'],
  ['affkit.batch.duration', 'affkit_batch_duration_seconds'],
  ['affkit.job.runs', 'affkit_job_runs_total'],
  ['affkit.outbox.oldest_age', 'affkit_outbox_oldest_age_seconds'],
] as const)('the metric %s has the Prometheus name %s', (name, expected) => {
  expect(prometheusName(name, METRICS[name])).toBe(expected);
});

test('records counters, histograms, and gauges that core sets', async () => {
  const registry = new Registry();
  const measure = registerMeasurements(registry);
  measure('affkit.job.runs', 1, { job_name: 'drainOutbox', outcome: 'succeeded' });
  measure('affkit.batch.size', 7, { batch: 'clicks' });
  measure('affkit.job.last_success_timestamp', 1_769_860_800, { job_name: 'drainOutbox' });
  measure('affkit.webhook.expired', 3);
  const text = await registry.metrics();
  expect(text).toContain('affkit_job_runs_total{job_name="drainOutbox",outcome="succeeded"} 1');
  expect(text).toContain('affkit_batch_size_bucket{le="10",batch="clicks"} 1');
  expect(text).toContain('affkit_job_last_success_timestamp_seconds{job_name="drainOutbox"} 1769860800');
  expect(text).toContain('affkit_webhook_expired_total 3');
});

test('failure counters are 0 from the start, so that an alert notices the first failure', async () => {
  const registry = new Registry();
  registerMeasurements(registry);
  const text = await registry.metrics();
  expect(text).toContain('affkit_webhook_attempts_total{outcome="given_up"} 0');
  expect(text).toContain('affkit_email_attempts_total{outcome="given_up"} 0');
  expect(text).toContain('affkit_tracking_rejections_total{route="sale",code="sale_failed"} 0');
  expect(text).toContain('affkit_tracking_rejections_total{route="refund",code="unavailable"} 0');
});

test('a gauge that cannot be read has no value, so that it is not mistaken for 0', async () => {
  const registry = new Registry();
  let values = [{ metric: 'affkit.outbox.tasks' as const, value: 4 }];
  registerGauges(registry, true, async () => values);
  expect(await registry.metrics()).toMatch(/^affkit_outbox_tasks 4$/m);
  values = [];
  expect(await registry.metrics()).not.toMatch(/^affkit_outbox_tasks \d/m);
});
