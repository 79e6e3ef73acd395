import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { SILENT } from '../support/silent-logger.ts';
import { event } from '../support/stripe-events.ts';
import {
  CONNECTIONS,
  connect,
  makeWebhookWorld,
  sign,
  WEBHOOK_SECRET,
  type WebhookWorld,
} from '../support/webhook-world.ts';
import { createCaller, START, signInOwner } from '../support/world.ts';

const HOUR = 3_600_000;
const ISO = new Date(START).toISOString();

export function processorConnectionContract(kind: string, open: OpenEngine): void {
  describe(`a processor connection on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => world.affkit.close());

    const call = (method: string, path: string, body?: object) =>
      world.call(method, path, body, world.session);
    const list = async () =>
      (await call('GET', `${CONNECTIONS}?workspace_id=${world.workspaceId}`)).body['data'] as {
        id: number;
        status: string;
      }[];
    const status = async () => {
      const { body } = await call('GET', `/api/tracking/status/${world.program.id}`);
      const data = body['data'] as { statistics: { payments: object }; stepStatuses: { payments: string } };
      const cli = await world.call('GET', '/api/v1/cli/status', undefined, {
        authorization: `Bearer ${world.token}`,
      });
      const { payments } = cli.body['steps'] as { payments: string };
      return { ...data.statistics.payments, step: data.stepStatuses.payments, cli: payments };
    };
    const ping = () => event('customer.created', { id: 'cus_1' });
    const send = async (to = {}) => (await world.send(ping(), to)).status;

    test('is pending until its first verified webhook, and then appears in the integration status', async () => {
      const [pending] = await list();
      expect(pending).toEqual({
        id: pending?.id,
        workspace_id: world.workspaceId,
        processor: 'stripe',
        account_id: 'acct_1',
        mode: 'live',
        record_test_events: false,
        status: 'pending',
        charges_enabled: false,
        payouts_enabled: false,
        details_submitted: false,
        webhook_path: world.connection.path,
        previous_secret_until: null,
        connected_at: null,
        disconnected_at: null,
        created_at: ISO,
      });
      const none = {
        processorConnectionStatus: 'not_connected',
        isProcessorConnected: false,
        processorAccountId: null,
        chargesEnabled: false,
        payoutsEnabled: false,
        detailsSubmitted: false,
        connectionDate: null,
        step: 'pending',
        cli: 'pending',
      };
      expect(await status()).toEqual(none);
      expect(await send({ secret: 'whsec_wrong' })).toBe(400);
      expect(await status()).toEqual(none);
      expect(await send()).toBe(200);
      world.clock.now += HOUR;
      expect(await send()).toBe(200);
      await call('PUT', `${CONNECTIONS}/${pending?.id}`, {
        charges_enabled: true,
        payouts_enabled: true,
        details_submitted: true,
        account_id: 'acct_2',
      });
      expect(await list()).toMatchObject([{ status: 'connected', connected_at: ISO }]);
      expect(await status()).toEqual({
        processorConnectionStatus: 'connected',
        isProcessorConnected: true,
        processorAccountId: 'acct_2',
        chargesEnabled: true,
        payoutsEnabled: true,
        detailsSubmitted: true,
        connectionDate: ISO,
        step: 'complete',
        cli: 'complete',
      });
    });

    test('the integration status shows the newest of the connections that are connected', async () => {
      await send();
      const newer = await connect(world, world.session, world.workspaceId);
      await connect(world, world.session, world.workspaceId);
      await call('PUT', `${CONNECTIONS}/${newer.id}`, { account_id: 'acct_new' });
      expect(await status()).toMatchObject({ processorAccountId: 'acct_1' });
      await send(newer);
      expect(await status()).toMatchObject({ processorAccountId: 'acct_new' });
      await call('DELETE', `${CONNECTIONS}/${newer.id}`);
      expect(await status()).toMatchObject({ processorAccountId: 'acct_1' });
      expect((await list()).map((row) => row.status)).toEqual(['pending', 'disconnected', 'connected']);
    });

    test('stays disconnected after its deletion, and its webhooks get a 404', async () => {
      await send();
      const path = `${CONNECTIONS}/${(await list())[0]?.id}`;
      const ended = await call('DELETE', path);
      expect(ended).toMatchObject({
        status: 200,
        body: { data: { status: 'disconnected', disconnected_at: ISO } },
      });
      world.clock.now += 1000;
      expect((await call('DELETE', path)).body).toEqual(ended.body);
      expect(await world.send(ping())).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await call('PUT', path, { account_id: 'x' })).toMatchObject({ status: 409 });
    });

    test.each(['999999', '0', 'x', '1e1', '-1'])('is not found by the id %s', async (id) => {
      const path = `/api/v1/webhooks/processor/${id}`;
      expect(await world.send(ping(), { path })).toMatchObject({ status: 404 });
    });

    test('accepts the previous secret for 24 hours, and no older one', async () => {
      const path = `${CONNECTIONS}/${(await list())[0]?.id}`;
      const secrets = [WEBHOOK_SECRET, 'whsec_2', 'whsec_3'];
      const accepted = async () => {
        const replies = [];
        for (const secret of secrets) replies.push(await send({ secret }));
        return replies;
      };
      await call('PUT', path, { webhook_secret: 'whsec_2' });
      expect(await accepted()).toEqual([200, 200, 400]);
      // Setting the same secret again does not start another rotation.
      const again = await call('PUT', path, { webhook_secret: 'whsec_2' });
      const until = new Date(START + 24 * HOUR).toISOString();
      expect(again.body['data']).toMatchObject({ previous_secret_until: until });
      world.clock.now += 24 * HOUR - 1;
      expect(await accepted()).toEqual([200, 200, 400]);
      world.clock.now += 1;
      expect(await accepted()).toEqual([400, 200, 400]);
      const session = await signInOwner(world);
      for (const webhook_secret of [WEBHOOK_SECRET, 'whsec_3']) {
        await world.call('PUT', path, { webhook_secret }, session);
      }
      expect(await accepted()).toEqual([200, 400, 200]);
    });

    test('accepts a webhook signed with both secrets of the processor', async () => {
      const body = JSON.stringify(ping());
      const [, wrong] = sign(body, 'whsec_other', START).split(',');
      const header = `${sign(body, WEBHOOK_SECRET, START)},${wrong}`;
      expect(
        await world.call('POST', world.connection.path, body, { 'stripe-signature': header }),
      ).toMatchObject({
        status: 200,
      });
    });

    test('never returns its secret, and stores it encrypted', async () => {
      const secret = 'whsec_never-to-be-seen-again';
      const made = await connect(world, world.session, world.workspaceId, secret);
      const replies = [
        await call('PUT', `${CONNECTIONS}/${made.id}`, { webhook_secret: `${secret}-2` }),
        await call('GET', `${CONNECTIONS}?workspace_id=${world.workspaceId}`),
        await call('GET', `/api/advertiser/audit-log?workspace_id=${world.workspaceId}`),
        await call('DELETE', `${CONNECTIONS}/${made.id}`),
      ];
      expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
      expect(JSON.stringify(replies)).not.toContain(secret);
      const { read } = world.engine;
      const rows = await read
        .selectFrom('processor_connections')
        .selectAll()
        .where('id', '=', made.id)
        .execute();
      const audit = await read
        .selectFrom('audit_log')
        .selectAll()
        .where('subject_kind', '=', 'processor_connection')
        .execute();
      expect(JSON.stringify([rows, audit])).not.toContain(secret);
      for (const sealed of [rows[0]?.webhook_secret, rows[0]?.previous_secret]) {
        expect(JSON.stringify([rows, audit]).split(String(sealed)).length).toBe(2);
      }
      expect(audit.map((row) => row.action)).toEqual([
        'processor_connection.create',
        'processor_connection.create',
        'processor_connection.update',
        'processor_connection.disconnect',
      ]);
      expect(Object.keys(JSON.parse(audit[2]?.state_after ?? '{}'))).toEqual(['previous_secret_until']);
    });

    test('cannot decrypt its webhook secret in another workspace, or with another secret of the service', async () => {
      const otherConnection = await connect(world, world.session, world.workspaceId, 'whsec_other');
      const elsewhere = createAffkit({
        engine: world.engine,
        secret: 'another secret of the service, long enough',
        logger: SILENT,
        now: () => world.clock.now,
      });
      const body = JSON.stringify(ping());
      const header = { 'stripe-signature': sign(body, 'whsec_other', START) };
      expect(await createCaller(elsewhere)('POST', otherConnection.path, body, header)).toMatchObject({
        status: 500,
      });
      const workspace = await call('POST', '/api/advertiser/workspaces', { name: 'Other' });
      const { id } = workspace.body['data'] as { id: number };
      await world.engine.write(id, (tx) =>
        tx.db
          .updateTable('processor_connections')
          .set({ workspace_id: id })
          .where('id', '=', otherConnection.id)
          .execute(),
      );
      expect(await world.call('POST', otherConnection.path, body, header)).toMatchObject({ status: 500 });
      // A new webhook secret makes the connection work again.
      await call('PUT', `${CONNECTIONS}/${otherConnection.id}`, { webhook_secret: 'whsec_new' });
      expect(await send({ path: otherConnection.path, secret: 'whsec_new' })).toBe(200);
    });

    test.each([
      [{ processor: 'paypal' }, 'processor must be stripe'],
      [{ processor: null }, 'processor must be stripe'],
      [{ account_id: null }, 'account_id must be a string'],
      [{ account_id: 5 }, 'account_id must be a string'],
      [{ webhook_secret: '' }, 'webhook_secret must be a string of 1 to 255 characters'],
      [{ webhook_secret: 'whsec_1\n' }, 'webhook_secret must not contain spaces or line breaks'],
      [{ charges_enabled: 'yes' }, 'charges_enabled must be a boolean'],
    ])('is rejected with %j', async (fields, error) => {
      const body = {
        processor: 'stripe',
        account_id: 'acct_1',
        webhook_secret: 'whsec_1',
        workspace_id: world.workspaceId,
        ...fields,
      };
      expect(await call('POST', CONNECTIONS, body)).toMatchObject({ status: 400, body: { error } });
    });

    test('20 concurrent deletions disconnect it once, with one audit log entry', async () => {
      const path = `${CONNECTIONS}/${(await list())[0]?.id}`;
      expect(countStatuses(await runConcurrently(20, () => call('DELETE', path)))).toEqual({ 200: 20 });
      const ended = await world.engine.read
        .selectFrom('audit_log')
        .select('id')
        .where('action', '=', 'processor_connection.disconnect')
        .execute();
      expect(ended).toHaveLength(1);
    });

    describe('a webhook', () => {
      const post = (body: string, header?: string) =>
        world.call(
          'POST',
          world.connection.path,
          body,
          header === undefined ? {} : { 'stripe-signature': header },
        );
      const signed = (body: string) => post(body, sign(body, WEBHOOK_SECRET, world.clock.now));

      test.each([
        ['invalid JSON', 'x', 400, 'invalid_json'],
        ['JSON that is not an event', '[]', 400, 'webhook_event_invalid'],
        ['an event without a type', '{"id":"evt_1"}', 400, 'webhook_event_invalid'],
        ['an empty body', '', 400, 'invalid_json'],
      ])(
        'gets an error about its body only if its signature is valid: %s',
        async (_name, body, code, word) => {
          expect(await signed(body)).toMatchObject({ status: code, body: { code: word } });
          expect(await post(body, 't=1,v1=00')).toMatchObject({
            status: 400,
            body: { code: 'webhook_signature_invalid' },
          });
          expect(await post(body)).toMatchObject({ body: { code: 'webhook_signature_invalid' } });
        },
      );

      test('is accepted if its timestamp is at most 300 seconds in the past or in the future', async () => {
        const body = JSON.stringify(ping());
        const at = async (seconds: number) =>
          (await post(body, sign(body, WEBHOOK_SECRET, START + seconds * 1000))).status;
        expect([await at(-301), await at(-300), await at(300), await at(301)]).toEqual([400, 200, 200, 400]);
      });

      test('may have up to 1 MiB, but not one byte more', async () => {
        const small = JSON.stringify(event('customer.created', { id: 'cus_1', pad: '' }));
        const full = small.replace('"pad":""', `"pad":"${'x'.repeat(1024 * 1024 - small.length)}"`);
        expect([full.length, (await signed(full)).status]).toEqual([1024 * 1024, 200]);
        expect(await signed(`${full} `)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
      });

      test('is verified by its raw bytes, not by the parsed JSON', async () => {
        const body = `{ "id":"evt_1",\n"type" : "customer.created","created":1e999,"data":{"object":{"n":${'9'.repeat(400)}}}}`;
        expect(await signed(body)).toMatchObject({ status: 200, body: { outcome: 'ignored' } });
        const reserialized = JSON.stringify(JSON.parse(body));
        expect(await post(reserialized, sign(body, WEBHOOK_SECRET, START))).toMatchObject({ status: 400 });
      });
    });
  });
}
