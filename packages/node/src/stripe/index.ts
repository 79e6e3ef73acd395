export { type TrackCall, type TrackCallOptions, toTrackCall } from './track-call.ts';
export {
  attachTracking,
  readTracking,
  type SessionParams,
  type Tracking,
  type TrackingMetadata,
} from './tracking.ts';
