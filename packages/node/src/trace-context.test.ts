import { afterEach, describe, expect, test } from 'vitest';
import { makeClient, SALE } from '../test/client.ts';
import { answer } from '../test/msw-server.ts';
import { RECORDED } from '../test/replies.ts';
import type { TraceContext } from './open-telemetry.ts';

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const tracestate = 'vendor=1';
const API = Symbol.for('opentelemetry.js.api.1');

async function headersOf(traceContext?: TraceContext) {
  const { requests } = answer([200, RECORDED.sale]);
  const { affkit } = makeClient({ traceContext });
  await affkit.sale(SALE);
  const names = ['traceparent', 'tracestate', 'baggage'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = requests[0]?.headers.get(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, API);
});

test('no trace headers are sent by default', async () => {
  expect(await headersOf()).toEqual({});
});

describe('traceContext', () => {
  test('traceparent and tracestate from traceContext are sent, and no other headers', async () => {
    const headers = { traceparent, tracestate, baggage: 'user=7' };
    expect(await headersOf(() => headers)).toEqual({ traceparent, tracestate });
    expect(await headersOf(() => ({ traceparent }))).toEqual({ traceparent });
  });

  test.each([
    ['', tracestate],
    ['00-abc-def-01', tracestate],
    [`${traceparent}\r\nx: y`, tracestate],
  ])('no trace headers are sent if traceparent is not valid, such as %j', async (wrong, state) => {
    expect(await headersOf(() => ({ traceparent: wrong, tracestate: state }))).toEqual({});
  });

  test('only traceparent is sent if tracestate is not valid', async () => {
    expect(await headersOf(() => ({ traceparent, tracestate: 'a\nb' }))).toEqual({ traceparent });
  });

  test('an error of traceContext does not fail the call', async () => {
    const broken = () => {
      throw new Error('no span');
    };
    expect(await headersOf(broken)).toEqual({});
  });
});

test('the headers of the active span are sent if the host app has registered OpenTelemetry', async () => {
  const active = {};
  Object.assign(globalThis, {
    [API]: {
      context: { active: () => active },
      propagation: {
        inject: (
          context: unknown,
          carrier: object,
          setter: { set(carrier: object, name: string, value: string): void },
        ) => {
          expect(context).toBe(active);
          setter.set(carrier, 'traceparent', traceparent);
          setter.set(carrier, 'baggage', 'user=7');
        },
      },
    },
  });
  expect(await headersOf()).toEqual({ traceparent });
  expect(await headersOf(() => ({}))).toEqual({});
});
