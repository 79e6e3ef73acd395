import { strictQuery } from '../strict-fields.ts';
import { pageFields, textFilter } from './query-fields.ts';

/** Query of `GET …/refusals`. */
export const refusalsQuery = strictQuery({
  ...pageFields,
  code: textFilter('code').describe('Lists only calls that were rejected with this code.'),
  q: textFilter('q').describe(
    'Lists only calls with this text in a field, in `reason` or in `request_id`. Ignores case.',
  ),
});
