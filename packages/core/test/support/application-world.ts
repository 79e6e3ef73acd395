import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { AffkitOptions } from '../../src/options.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { openWorld, type SignedUp, type World } from './management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const SECOND = 1_000;
/** The reply to every application that is accepted, and to those that are silently dropped. */
export const RECEIVED = { status: 200, body: { success: true, data: { status: 'received' } } };
export const QUESTIONS = [
  { id: 'blog', label: 'Your blog', type: 'url', required: true },
  { id: 'about', label: 'About you', type: 'long_text', required: false },
  { id: 'size', label: 'Readers', type: 'choice', required: false, options: ['few', 'many'] },
] as const;

export interface DataOf<T> {
  readonly data: T;
}
interface PartnerData {
  readonly id: number;
  readonly status: string;
  readonly applied_at: string | null;
  readonly links: readonly { readonly short_link: string }[];
}

/**
 * Opens a world for a test file, with a new program for each test, and functions that send applications to
 * the program.
 */
export function useApplicationWorld(open: OpenEngine, options: Partial<AffkitOptions> = {}) {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let program: string;
  let slug: string;
  let networks = 0;
  let people = 0;
  let verify: () => boolean | Promise<boolean> = () => true;

  beforeAll(async () => {
    world = await openWorld(open, { verifyApplication: () => verify(), ...options });
    owner = await world.owner();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    verify = () => true;
    slug = `tea-${++people}`;
    const created = await call<{ data: { id: number } }>('POST', PROGRAMS, {
      name: 'Tea Shop',
      slug,
      site_url: 'https://shop.example/',
      commission: { type: 'percent', rate: 20 },
    });
    program = `${PROGRAMS}/${created.body.data.id}`;
  });

  const call = <T = unknown>(method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<T>(method, path, { token, body });
  const publish = (settings: object = {}) =>
    call('PUT', `${program}/page`, { published: true, questions: QUESTIONS, ...settings });
  const newIp = () => `198.51.100.${++networks}`;
  const newEmail = () => `pat${++people}@blog.example`;
  const readPublic = () => world.call<DataOf<{ form_token: string }>>('GET', `/api/v1/programs/${slug}`);
  /** Loads the form and advances the clock by the time that a person needs to fill it in. */
  async function loadForm(waitMs = 4 * SECOND): Promise<string> {
    const { body } = await readPublic();
    world.clock.now += waitMs;
    return body.data.form_token;
  }
  const send = (fields: object, ip = newIp()) =>
    world.call('POST', `/api/v1/programs/${slug}/applications`, {
      ip,
      body: {
        name: 'Pat',
        answers: [{ question: 'blog', answer: 'https://blog.example/' }],
        ...fields,
      },
    });
  const apply = async (fields: object, ip = newIp()) => send({ form_token: await loadForm(), ...fields }, ip);
  const listPartners = async () =>
    (await call<DataOf<readonly PartnerData[]>>('GET', `${program}/partners`)).body.data;
  async function firstPartner(): Promise<{ path: string; data: PartnerData }> {
    const [listed] = await listPartners();
    const path = `${program}/partners/${listed?.id}`;
    return { path, data: (await call<DataOf<PartnerData>>('GET', path)).body.data };
  }
  const listNotifications = async () =>
    (await world.engine.read.selectFrom('notifications').selectAll().orderBy('id').execute())
      .filter(({ program_id }) => program.endsWith(`/${program_id}`))
      .map(({ kind, partner_id, payload }) => ({
        kind,
        partner_id,
        payload: JSON.parse(payload) as unknown,
      }));

  return {
    get world() {
      return world;
    },
    get owner() {
      return owner;
    },
    /** Returns the API path of the program. */
    get program() {
      return program;
    },
    get slug() {
      return slug;
    },
    /** Replaces the `verifyApplication` callback for this test. */
    set verify(check: typeof verify) {
      verify = check;
    },
    call,
    publish,
    newIp,
    newEmail,
    readPublic,
    loadForm,
    send,
    apply,
    listPartners,
    firstPartner,
    listNotifications,
  };
}
