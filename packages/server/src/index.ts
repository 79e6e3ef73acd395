export {
  ConfigError,
  type DatabaseConfig,
  type GeoipSource,
  type LogLevel,
  readConfig,
  type ServerConfig,
} from './config.ts';
export { type RunningServer, type ServerParts, startServer } from './start-server.ts';
