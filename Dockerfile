# syntax=docker/dockerfile:1
# The Farmboard service: the interface, the worker and the command line are one image. See docs/guide/operate.md.

FROM node:24-bookworm-slim AS base
WORKDIR /app

# What the service needs at run time. sqlite3 is compiled where its prebuilt binary cannot be had.
FROM base AS modules
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3
COPY package.json package-lock.json .npmrc ./
COPY backend/package.json backend/
RUN npm ci --omit=dev --workspace=backend

# The bundle of the service, the console, and the package for n8n. No scripts: nothing that builds them has to be compiled.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY agent/package.json agent/
COPY common/package.json common/
COPY backend/package.json backend/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.base.json ./
COPY nodes nodes
COPY credentials credentials
COPY backend/tsconfig.json backend/build.mjs backend/
COPY backend/bin backend/bin
COPY agent/src agent/src
COPY common/src common/src
COPY backend/src backend/src
COPY backend/web backend/web
RUN node nodes/build.mjs && node backend/build.mjs

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
RUN mkdir /data /backups /n8n && chown 1000:1000 /data /backups /n8n && ln -s /app/backend/bin/farmboard.js /usr/local/bin/farmboard
COPY LICENSE ./
COPY --from=modules /app/node_modules node_modules
COPY backend/package.json backend/build.mjs backend/
COPY backend/bin backend/bin
COPY --from=build /app/backend/dist backend/dist
COPY package.json CHANGELOG.md n8n-nodes-farmboard/
COPY --from=build /app/dist/nodes n8n-nodes-farmboard/dist/nodes
COPY --from=build /app/dist/credentials n8n-nodes-farmboard/dist/credentials
# node, by number: what demands a user that is not root can see that it is none
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["farmboard", "health"]
# without the base image's entrypoint, node is the process that gets the signals
ENTRYPOINT []
CMD ["farmboard", "serve"]
