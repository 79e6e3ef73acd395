export type { ClickData, ClickOutcome, Lead, LeadResult, Tracker, TrackerState } from './api.ts';
export type { AffkitGlobal } from './command.ts';
export type { TrackerOptions } from './config.ts';
export { createTracker } from './create-tracker.ts';
