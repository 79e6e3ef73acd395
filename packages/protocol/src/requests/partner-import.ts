import { createPartnerRequest } from './management.ts';

/** Columns of the CSV file that `POST …/partners/import` takes. `name` and `email` are required. */
export const PARTNER_IMPORT_COLUMNS = Object.keys(createPartnerRequest.shape);
