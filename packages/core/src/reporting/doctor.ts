import { checkOrigin } from '../domain/check-origin.ts';
import type { Runtime } from '../runtime.ts';
import { listAllPrograms } from '../storage/programs/programs.ts';
import { listWebhookConnections, type WebhookConnection } from '../storage/stripe/processor-connections.ts';
import { listAllEndpoints } from '../storage/webhooks/endpoints.ts';

export type { WebhookConnection } from '../storage/stripe/processor-connections.ts';

/** A program whose `allowed_origins` contain the origin of a page. */
export interface ProgramOfPage {
  readonly id: number;
  readonly name: string;
  readonly cookieDomain: string | null;
}

/** Finds the programs, in any workspace, that accept events from pages of the origin. */
export async function findProgramsOfPage(
  { engine }: Pick<Runtime, 'engine'>,
  origin: string,
): Promise<ProgramOfPage[]> {
  const programs = await listAllPrograms(engine.read);
  return programs
    .filter((program) => checkOrigin(origin, program, undefined) === null)
    .map(({ id, name, cookieDomain }) => ({ id, name, cookieDomain }));
}

/** Lists the connections to payment processors, in any workspace. */
export function findWebhookConnections({ engine }: Pick<Runtime, 'engine'>): Promise<WebhookConnection[]> {
  return listWebhookConnections(engine.read);
}

/** The state of an endpoint that receives the webhooks of a program. */
export interface WebhookEndpointHealth {
  readonly id: number;
  readonly programId: number;
  readonly url: string;
  readonly isPaused: boolean;
  /** The number of failed attempts since the last success. */
  readonly failures: number;
  readonly lastFailureAt: number | null;
}

/** Lists the endpoints that receive webhooks, in any program. */
export async function findWebhookEndpoints({
  engine,
}: Pick<Runtime, 'engine'>): Promise<WebhookEndpointHealth[]> {
  const endpoints = await listAllEndpoints(engine.read);
  return endpoints.map(({ id, program_id, url, paused_at, failures, last_failure_at }) => ({
    id,
    programId: program_id,
    url,
    isPaused: paused_at !== null,
    failures,
    lastFailureAt: last_failure_at,
  }));
}
