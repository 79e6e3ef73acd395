import type { WebhookConnection } from '@affkit/core';
import { fetchText, parseObject } from './fetch-text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks whether the webhooks of payment processors reach the server, without sending an event. */
export async function checkWebhooks(
  publicUrl: string,
  connections: readonly WebhookConnection[],
): Promise<Finding[]> {
  const check = 'webhooks';
  if (connections.length === 0) return [ok(check, 'No payment processor is connected.')];
  const findings: Finding[] = [];
  for (const { id, workspaceId, lastReceivedAt } of connections) {
    const url = `${publicUrl}/api/v1/webhooks/processor/${id}`;
    const subject = `Connection ${id} of workspace ${workspaceId}`;
    // The server must reject a request without a signature. Any other reply comes from a proxy or firewall.
    const { status, text } = await fetchText(url, { method: 'POST', body: '{}' });
    if (parseObject(text)['code'] !== 'webhook_signature_invalid') {
      findings.push(
        problem(
          check,
          `${subject}: an unsigned request to ${url} got ${status}, but the response does not come from an Affkit server. Webhooks do not arrive.`,
          'Let your proxy and firewall pass POST requests to this path unchanged.',
        ),
      );
    } else if (lastReceivedAt === null) {
      findings.push(
        warning(
          check,
          `${subject}: ${url} is reachable, but no signed webhook has arrived yet.`,
          'Check the URL and the signing secret of the webhook at your payment processor, and send a test event.',
        ),
      );
    } else {
      findings.push(
        ok(check, `${subject}: the last webhook arrived at ${new Date(lastReceivedAt).toISOString()}.`),
      );
    }
  }
  return findings;
}
