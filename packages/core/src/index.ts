export type { FirstOwner } from './access/first-owner.ts';
export { type Affkit, type AffkitOptions, createAffkit } from './create-affkit.ts';
export type { Admit } from './http/handle.ts';
export type { HttpReply, HttpRequest } from './http/message.ts';
export type { OtherRoute } from './http/openapi/description.ts';
export { isRejection, Rejection } from './rejection.ts';
export { checkTotals, listProgramsWithTotals, rebuildTotals, type TotalDrift } from './reporting/totals.ts';
export type { Device, GeoPlace, Logger, Runtime } from './runtime.ts';
export type { Engine } from './storage/engine/engine.ts';
