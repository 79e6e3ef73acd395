export type { TestClock } from './clock.ts';
export type { Fault, Faults } from './faults.ts';
export { TestAffkitError } from './manager.ts';
export {
  createTestAffkit,
  type MswHttp,
  type TestAffkit,
  type TestAffkitOptions,
  type TestCommission,
  type TestPartner,
} from './test-affkit.ts';
