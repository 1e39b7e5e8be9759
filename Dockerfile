# syntax=docker/dockerfile:1
# The Farmboard service: the interface, the worker and the command line are one image. See docs/guide/docker.md.

FROM node:24-bookworm-slim AS base
WORKDIR /app

# The file that people install (npm run pack:server), and the package for n8n. No scripts: nothing that builds them has to
# be compiled.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY agent/package.json agent/
COPY common/package.json common/
COPY backend/package.json backend/
COPY docs/package.json docs/
COPY test/n8n/package.json test/n8n/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.base.json eslint.config.mjs LICENSE CHANGELOG.md ./
COPY nodes nodes
COPY credentials credentials
COPY backend/tsconfig.json backend/build.mjs backend/
COPY backend/bin backend/bin
COPY agent/src agent/src
COPY common/src common/src
COPY backend/src backend/src
COPY backend/web backend/web
COPY docs docs
COPY deploy/pack deploy/pack
RUN node nodes/build.mjs && node nodes/pack.mjs && mkdir n8n-nodes-farmboard && tar -xzf dist/*.tgz -C n8n-nodes-farmboard --strip-components=1
RUN node deploy/pack/server.mjs packed && node deploy/pack/native-packages.mjs packed

# The packed file and its native packages in the versions of the lock file. sqlite3 is compiled where its prebuilt binary
# cannot be had; what only its installation needs stays here.
FROM base AS modules
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3
COPY .npmrc ./
COPY --from=build /app/packed .
RUN npm ci
RUN mkdir node_modules/farmboard && tar -xzf farmboard-*.tgz -C node_modules/farmboard --strip-components=1
RUN mkdir kept && cd node_modules && cp -r --parents farmboard @node-rs bindings file-uri-to-path sqlite3/package.json sqlite3/LICENSE sqlite3/lib sqlite3/build/Release/node_sqlite3.node ../kept

FROM base
LABEL org.opencontainers.image.title="Farmboard" \
      org.opencontainers.image.description="The order book of a 3D-printing farm, made for automation" \
      org.opencontainers.image.source="https://github.com/farmboard/n8n-nodes-farmboard" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/data/farmboard.sqlite3
# Only SQLite writes, and only to /data, and scheduled backups to /backups: everything else may be read-only. A volume takes
# over whom its folder belongs to: /n8n is where docker-compose.yml mounts n8n's, to put our nodes into it.
RUN mkdir /data /backups /n8n && chown 1000:1000 /data /backups /n8n && ln -s /app/node_modules/farmboard/bin/farmboard.js /usr/local/bin/farmboard
COPY LICENSE ./
COPY --from=modules /app/kept node_modules
COPY --from=build /app/n8n-nodes-farmboard n8n-nodes-farmboard
# node, by number: what demands a user that is not root can see that it is none
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["farmboard", "health"]
# without the base image's entrypoint, node is the process that gets the signals
ENTRYPOINT []
CMD ["farmboard", "serve"]
