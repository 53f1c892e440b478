# The service with its console. Production needs MONGODB_URI and CONNECTOR_ENCRYPTION_KEY, or the files MONGODB_URI_FILE and
# CONNECTOR_ENCRYPTION_KEY_FILE.

FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm ci

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
# `prepare` builds nothing here, since its tools are development dependencies.
RUN npm ci --omit=dev && npm cache clean --force && mkdir -p node_modules/.cache && chown node:node node_modules/.cache
COPY schema schema
COPY src src
COPY packages/client/src packages/client/src
# The console, and the service in few files.
COPY --from=build /app/dist dist
USER node
EXPOSE 4000
CMD ["node", "src/cli/main.ts", "serve"]
