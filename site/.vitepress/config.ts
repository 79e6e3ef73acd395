/**
 * VitePress bundles static imports, and would look for the built packages. With a dynamic import, Node reads the
 * sources of the packages, so no build is needed.
 */
const { config } = await import(new URL('../src/config.ts', import.meta.url).href);

export default config;
