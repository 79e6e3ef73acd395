import { createPartnerRequest } from './management.ts';

/** The columns of the CSV file for `POST …/partners/import`. `name` and `email` are required. */
export const PARTNER_IMPORT_COLUMNS = Object.keys(createPartnerRequest.shape);
