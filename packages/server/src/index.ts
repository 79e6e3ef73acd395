export {
  ConfigError,
  type DatabaseConfig,
  type GeoipSource,
  type LogLevel,
  readConfig,
  type ServerConfig,
} from './config.ts';
export { NODE_FLAGS } from './node-flags.ts';
export { type RunningServer, type ServerParts, startServer } from './start-server.ts';
