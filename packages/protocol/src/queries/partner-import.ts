import { strictQuery } from '../strict-fields.ts';
import { choiceFilter } from './query-fields.ts';

/** Query of `POST …/partners/import`. */
export const importPartnersQuery = strictQuery({
  dry_run: choiceFilter('dry_run', ['0', '1']).describe('`1` checks the file and stores nothing.'),
});
