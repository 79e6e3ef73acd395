import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGaugeReader, METRICS, type MetricDefinition } from '@affkit/core';
import { parser } from '@prometheus-io/lezer-promql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { migratedInMemory } from '../../core/test/support/migrated-sqlite.ts';
import { createMetrics } from '../src/metrics.ts';
import { prometheusName } from '../src/prometheus.ts';
import { startApp } from './start-app.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const alerts = (
  parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('deploy/grafana/affkit.json')) as { panels: Panel[] };
const queries = [
  ...alerts.map(({ alert, expr }) => ({ name: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ name: title, expr }))),
];
const page = read('docs/guides/observability.md');

/** Parses a query. @returns the names of its metrics, and of the labels that it selects or groups by */
function parseQuery(expr: string) {
  const query = expr.replaceAll('$__rate_interval', '5m');
  const metrics = new Set<string>();
  const labels = new Set<string>();
  let error: string | undefined;
  parser.parse(query).iterate({
    enter: (node) => {
      const text = query.slice(node.from, node.to);
      if (node.type.isError) error = `${query.slice(0, node.from)}⚠`;
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') metrics.add(text);
      if (node.name === 'LabelName') labels.add(text);
    },
  });
  return { metrics, labels, error };
}

describe('/metrics', () => {
  let text = '';
  let close: () => Promise<void>;

  beforeEach(async () => {
    const engine = await migratedInMemory();
    close = () => engine.close();
    const metrics = createMetrics({
      // The metrics about the read replica exist only if there is a replica.
      replicaState: () => ({ status: 'used', lagMs: 10, reads: { replica: 1, primary: 0 } }),
      gauges: createGaugeReader({ engine, now: Date.now }),
    });
    const send = await startApp({ metrics, config: { trustProxy: false, metricsToken: 's3cret' } });
    text = await (await send('/metrics', { headers: { authorization: 'Bearer s3cret' } })).text();
  });
  afterEach(() => close());

  test('has every metric that the alerts and the dashboard use', () => {
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const names = types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    );
    const known = new Set([...names, 'up']);
    const missing = queries.flatMap(({ name, expr }) =>
      [...parseQuery(expr).metrics]
        .filter((metric) => !known.has(metric))
        .map((metric) => `${name}: ${metric}`),
    );
    expect(missing).toEqual([]);
  });

  test('has the value 0 for gauges of an empty database, and has every metric of core', () => {
    expect(text).toMatch(/^affkit_outbox_tasks 0$/m);
    expect(text).toMatch(/^affkit_ledger_unsealed_oldest_age_seconds 0$/m);
    expect(text).toMatch(/^affkit_write_queue_size 0$/m);
    for (const [name, definition] of Object.entries(METRICS)) {
      expect(text).toContain(`# TYPE ${prometheusName(name, definition)} ${definition.kind}`);
    }
  });
});

test.each(queries)('the query of $name is valid, and uses labels that exist', ({ expr }) => {
  const { metrics, labels, error } = parseQuery(expr);
  expect(error).toBeUndefined();
  expect(metrics.size).toBeGreaterThan(0);
  const known = new Set(['job', 'instance', 'le', 'method', 'route', 'status']);
  for (const { labels: own = [] } of Object.values<MetricDefinition>(METRICS)) {
    for (const label of own) known.add(label);
  }
  expect([...labels].filter((label) => !known.has(label))).toEqual([]);
});

test.each(alerts)('$alert has a severity, and a section in the guide', ({ alert, labels, annotations }) => {
  expect(['critical', 'warning']).toContain(labels.severity);
  expect(annotations['summary']).toBeTruthy();
  expect(annotations['runbook_url']).toBe(`docs/guides/observability.md#${alert.toLowerCase()}`);
  expect(page).toContain(`\n### ${alert}\n`);
});

test.each(Object.entries(METRICS))('the guide lists %s', (name, definition: MetricDefinition) => {
  const row =
    page.split('\n').find((line) => line.startsWith(`| \`${prometheusName(name, definition)}\``)) ?? '';
  const [, , type, labels] = row.split('|').map((cell) => cell.trim());
  expect(type).toBe(definition.kind);
  expect(labels).toBe((definition.labels ?? []).map((label) => `\`${label}\``).join(', '));
});
