import type { z } from 'zod';
import { strictQuery } from '../strict-fields.ts';
import { choiceFilter, oneOf, parameter } from './query-fields.ts';

/** The reports that `POST …/payout-batches/:batchId/import` reads. */
export const PAYOUT_RESULT_FORMATS = ['paypal', 'wise', 'csv'] as const;

/** Query of `POST …/payout-batches/:batchId/import`. */
export const importPayoutResultsQuery = strictQuery({
  format: parameter(oneOf('format', PAYOUT_RESULT_FORMATS).default('csv')).describe(
    'The service that wrote the report, or `csv` for a file with the columns `payout_id`, `status` (`paid` or `failed`), `reference`, and `reason`.',
  ),
  dry_run: choiceFilter('dry_run', ['0', '1']).describe('`1` checks the file and stores nothing.'),
});

export type PayoutResultFormat = z.output<typeof importPayoutResultsQuery>['format'];
