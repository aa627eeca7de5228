# The service alone: PostgreSQL is elsewhere, and the embedded one (an optional dependency) stays out.

FROM node:24.18.1-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The compiler is an optional dependency, for each platform.
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY generated generated
COPY packages packages
COPY src src
RUN npm run build

FROM base AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# .npmrc includes development dependencies, and another --include replaces that.
RUN npm ci --omit=dev --omit=optional --include=prod

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
# The migrations lie beside the sources, which come along: they are small, and stack traces name them.
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY openapi openapi
COPY packages packages
COPY src src
RUN chmod +x dist/src/main.js && \
  ln -s /app/dist/src/main.js /usr/local/bin/plant-store
USER node
EXPOSE 3000
# The start may migrate for minutes, and whatever restarts an unhealthy container would begin that anew.
HEALTHCHECK --start-period=10m --interval=5s --timeout=6s --retries=3 CMD ["plant-store", "ready"]
# Serves, unless there is a command: docker run … token issue OWNER.
ENTRYPOINT ["plant-store"]
