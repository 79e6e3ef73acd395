import { insertUser, SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import { createSession } from './users.ts';
import { type Reply, START, signInOwner, type World } from './world.ts';

export interface Step {
  readonly at: string;
  readonly step: string;
  readonly reason: string;
  readonly why: string;
  readonly detail: Record<string, unknown>;
}

type Session = { readonly authorization: string };

/** Requests traces, by default as the owner of the workspace. */
export class TraceClient {
  readonly #world: World;
  #owner: Session;

  private constructor(world: World, owner: Session) {
    this.#world = world;
    this.#owner = owner;
  }

  static async of(world: World): Promise<TraceClient> {
    return new TraceClient(world, await signInOwner(world));
  }

  /** Requests the trace that `query` selects. */
  ask(query: string, session = this.#owner): Promise<Reply> {
    return this.#world.call('GET', `${this.#path}/trace?${query}`, undefined, { ...session });
  }

  /** @returns the steps of the trace @throws when the response is an error */
  async steps(query: string, session?: Session): Promise<Step[]> {
    const { status, body } = await this.ask(query, session);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body['data'] as { steps: Step[] }).steps;
  }

  /** Records a sale of 1000 cents. */
  sell(id: string, fields: Record<string, unknown>): Promise<Reply> {
    return this.#world.track('sale', { transaction_id: id, amount_cents: 1000, ...fields });
  }

  /** Sends a management request as the owner. @param path relative to the program */
  manage(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.#world.call(method, `${this.#path}${path}`, body, { ...this.#owner });
  }

  /** Lists the program's events. */
  async listEvents(query: string): Promise<unknown> {
    const path = `/api/tracking/events/${this.#world.program.id}?${query}`;
    return (await this.#world.call('GET', path, undefined, { ...this.#owner })).body['data'];
  }

  /** Advances the clock and signs the owner in again, because the session may have expired. */
  async pass(ms: number): Promise<void> {
    this.#world.clock.now += ms;
    this.#owner = await signInOwner(this.#world);
  }

  /** Creates a user for the partner and signs them in. */
  async signInAs(partnerId: number): Promise<Session> {
    const { affkit, engine } = this.#world;
    const user = { email: `p${partnerId}@partner.example`, name: 'P' };
    const id = await engine.write(SERVICE_LANE, async (tx) => {
      const id = await insertUser(tx, { ...user, passwordHash: 'x', at: START });
      await tx.db.updateTable('partners').set({ user_id: id }).where('id', '=', partnerId).execute();
      return id;
    });
    const { token } = await createSession(affkit.runtime, id);
    return { authorization: `Bearer ${token}` };
  }

  get #path(): string {
    return `/api/advertiser/affiliate-programs/${this.#world.program.id}`;
  }
}

/** Returns each step as `step reason`. */
export function summarizeSteps(steps: readonly Step[]): string[] {
  return steps.map(({ step, reason }) => `${step} ${reason}`);
}

/** @throws when no step has this reason */
export function findStep(steps: readonly Step[], reason: string): Step {
  const found = steps.find((step) => step.reason === reason);
  if (!found) throw new Error(`No step has the reason ${reason}: ${summarizeSteps(steps).join(', ')}`);
  return found;
}
