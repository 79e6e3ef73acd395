/**
 * VitePress bundles this file with the built packages. Node loads the configuration itself, so that it reads the sources
 * of the packages and no build is needed.
 */
const { config } = await import(new URL('../src/config.ts', import.meta.url).href);

export default config;
