import { dub } from './dub.ts';
import { firstpromoter } from './firstpromoter.ts';
import { partnerstack } from './partnerstack.ts';
import { rewardful } from './rewardful.ts';
import { tolt } from './tolt.ts';
import type { Vendor } from './vendor.ts';

/** The affiliate services whose files can be imported. */
export const VENDORS: readonly Vendor[] = [rewardful, firstpromoter, tolt, dub, partnerstack];
