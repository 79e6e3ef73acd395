import { z } from 'zod';

const date = () => z.string().meta({ examples: ['2026-01-31'] });

export const pageFields = {
  page: z.int().min(1).default(1).describe('The page, counted from 1.'),
  pageSize: z.int().min(1).default(10).describe('Rows on a page; above 100 it is 100, and `meta` says so.'),
};

export const workspaceField = {
  workspace_id: z
    .int()
    .min(1)
    .optional()
    .describe("The workspace; without it, all that the credential's owner may see."),
};

export const rangeFields = {
  dateFrom: date()
    .optional()
    .describe(
      'From this date (UTC, its whole day) or instant (ISO 8601, without a zone in UTC) on, inclusive.',
    ),
  dateTo: date()
    .optional()
    .describe('To this date (UTC, its whole day) or instant (ISO 8601, without a zone in UTC), inclusive.'),
};

export const pageQuery = z.object(pageFields);
export const workspacePageQuery = z.object({ ...pageFields, ...workspaceField });
