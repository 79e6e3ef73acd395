import { strictQuery } from '../strict-fields.ts';
import { pageFields, searchFilter } from './query-fields.ts';

export const customersQuery = strictQuery({
  ...pageFields,
  q: searchFilter().describe(
    'A click id, or the start of a `customer_key`, ignoring the case of the letters a to z.',
  ),
});
