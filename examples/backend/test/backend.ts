import { Affkit, systemRuntime } from '@affkit/node';
import { createTestAffkit, type TestAffkit, type TestPartner } from '@affkit/testing';
import { onTestFinished } from 'vitest';

/** A test server with one partner, and an SDK client for the server. */
export interface Backend {
  readonly server: TestAffkit;
  readonly partner: TestPartner;
  readonly affkit: Affkit;
}

export const WEBHOOK_SECRET = 'whsec_of_the_test';

export async function startBackend(): Promise<Backend> {
  const server = await createTestAffkit();
  onTestFinished(() => server.close());
  const { baseUrl, token, clock } = server;
  const affkit = new Affkit({
    baseUrl,
    token,
    webhookSecret: WEBHOOK_SECRET,
    fetch: server.fetch,
    runtime: { ...systemRuntime, now: clock.now },
    logLevel: 'off',
  });
  return { server, partner: await server.partner(), affkit };
}

/** The body of a Stripe event, with the fields that the examples read. */
export function stripeEvent(type: string, createdMs: number, object: object): string {
  return JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type,
    created: Math.floor(createdMs / 1000),
    data: { object },
  });
}
