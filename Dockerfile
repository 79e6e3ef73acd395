# syntax=docker/dockerfile:1

# A test checks that Node and pnpm have the same versions as in the workspace.
FROM node:24.21.0-trixie-slim AS build
RUN npm install --global pnpm@12.21.0
WORKDIR /src
# Install the packages before copying the sources, so that a change of the sources does not repeat the installation.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/core/package.json packages/core/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/node/package.json packages/node/
COPY packages/protocol/package.json packages/protocol/
COPY packages/server/package.json packages/server/
COPY packages/tracker/package.json packages/tracker/
RUN pnpm install --frozen-lockfile --ignore-scripts --filter affkit --filter "@affkit/server..."
COPY . .
RUN pnpm --filter "@affkit/server..." build
RUN pnpm --filter @affkit/server deploy --prod --ignore-scripts /app
# Removes files that the server never reads: types, source maps, tests, the sources of better-sqlite3, and its binaries
# for other platforms. Also removes 160 MB of location data. To locate clicks, mount an .mmdb file and name it in GEOIP.
RUN cd /app/node_modules/.pnpm \
  && rm -r geoip-lite@*/node_modules/geoip-lite/data \
    better-sqlite3@*/node_modules/better-sqlite3/deps better-sqlite3@*/node_modules/better-sqlite3/src \
  && find better-sqlite3@*/node_modules/better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && find /app -type f \( -name "*.map" -o -name "*.d.ts" -o -name "*.d.mts" -o -name "*.d.cts" \
    -o -name "*.test.js" -o -name "*.test.cjs" -o -name "*.test.mjs" -o -name "*.test.ts" \) -delete \
  && chmod 0755 /app/dist/cli.js

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="Affkit" \
  org.opencontainers.image.description="Affiliate tracking that you host yourself: exact, explainable, durable." \
  org.opencontainers.image.licenses="MIT"
RUN groupadd --gid 1000 affkit \
  && useradd --uid 1000 --gid affkit --no-create-home --home-dir /data --shell /usr/sbin/nologin affkit \
  && install --directory --owner=affkit --group=affkit --mode=0700 /data \
  && ln -s /app/dist/cli.js /usr/local/bin/affkit
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
COPY LICENSE /app/
WORKDIR /app
# Large statements of SQLite need temporary files, and /tmp may be read-only.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=8787 \
  DATABASE_URL=sqlite:/data/affkit.db \
  SQLITE_TMPDIR=/data \
  GEOIP=off
# The user is a number, so that Kubernetes can check that it is not root.
USER 1000:1000
VOLUME ["/data"]
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags of packages/server/src/node-flags.ts. NODE_OPTIONS does not accept all of them.
ENTRYPOINT ["node", "--max-semi-space-size=32", "--heap-growing-percent=60", "--no-allocation-site-pretenuring", "/app/dist/cli.js"]
CMD ["start"]
