export { type TrackCall, type TrackCallOptions, toTrackCall } from './track-call.ts';
export {
  attachTracking,
  type ReadTracking,
  readTracking,
  type SessionParams,
  type Tracking,
} from './tracking.ts';
