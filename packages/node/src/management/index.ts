export { AffkitManagement, type ProgramResources, type WorkspaceResources } from './client.ts';
export type { List, Page } from './list.ts';
export type * from './operations.ts';
export type { ManagementCallOptions, ManagementOptions } from './options.ts';
export { type SendSalesOptions, type SentSale, sendSales } from './send-sales.ts';
