import * as messages from '#messages/processor.tsx';
import type { Tone } from '../../ui/state.tsx';
import { HARMLESS_REASONS } from './harmless-reasons.ts';

export interface OutcomeText {
  readonly text: string;
  readonly tone: Tone;
  /** What the user should do next, or null if nothing is needed. */
  readonly next: string | null;
}

/** The outcomes of webhooks about disputes that take money from partners, or may do so. */
const DISPUTES = new Set(['dispute_held', 'dispute_lost']);

/** Describes the outcome of a webhook. For an unknown code of a later version, it shows the code. */
export function describeOutcome(outcome: string, reason: string | null): OutcomeText {
  const text = messages.outcomes[outcome] ?? outcome;
  const next = reason === null ? null : (messages.nextSteps[reason] ?? null);
  if (next !== null || DISPUTES.has(outcome)) return { text, tone: 'warn', next };
  if (outcome !== 'ignored') return { text, tone: 'good', next };
  return { text, tone: reason !== null && HARMLESS_REASONS.includes(reason) ? 'info' : 'warn', next };
}
