export {
  type DatabaseConfig,
  type GeoipSource,
  type LogLevel,
  readConfig,
  type ServerConfig,
} from './config.ts';
export { ConfigError } from './config-error.ts';
export { NODE_FLAGS } from './node-flags.ts';
export { type RunningServer, type ServerParts, startServer } from './start-server.ts';
